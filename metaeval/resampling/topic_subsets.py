"""Would fewer topics lead to the same conclusions? Subsets chosen on some systems and judged by others.

A subset that is chosen because it orders these systems as the full set does will order *these* systems as the full set
does. So topics are chosen on one half of the systems, and what the choice is worth is seen on the other half. A subset
is also part of the full set, and so agrees with it more than a new benchmark of that size would; random subsets of the
same size do that too, and are the yardstick: a way to choose is worth what it gains on them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import stdtrit

from metaeval.agreement.item_statistics import discrimination, less_mean
from metaeval.agreement.rankings import kendall_tau
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_list, check_share, refused
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import number, span_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import difference, settle
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores, topic_weights
from metaeval.table.units import units_of
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.robust import difference_estimates
from metaeval.tests_stat.tails import student_p

type Places = Ints

RANDOM = "random"
_SHARES = (0.1, 0.25, 0.5)
_FEWEST = 3  # systems on each side, and topics in a subset
_NOISE = 1e-12
_CLOSE = 1e-6  # to the t that is needed, of which it is a share
_JUDGED = ("tau", "kept", "kept_all")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubsetComparison(Result):
    """How well subsets of the topics preserve conclusions, for systems that were not used to choose them."""

    data: xr.Dataset
    """Dims ``metric``, ``method``, ``size`` and ``split``: ``tau`` (Kendall's, of the held-out systems by the subset
    with the same by all topics; NaN where all tie) and ``kept`` (of the pairs of held-out systems that differ
    significantly by all topics, the share that do by the subset, in one direction; NaN where none does); ``chosen``
    (metric, method, size, topic), the share of splits in which a topic was chosen. Under a cohort the held-out systems
    are those of the cohort, ``kept_all`` is the share kept of all pairs of systems that chose nothing, and
    ``n_pairs`` (metric, split) counts the pairs behind ``kept``."""
    alpha: float
    n_systems: tuple[int, int]
    """Systems that choose, and that are held out, in the first split."""
    n_topics: int
    by_group: bool
    """Whether groups of systems were kept together in splits."""
    random_source: str

    def _found(self) -> str:
        rows = self.to_frame().query("size == size.max()")
        taus = span_of(
            rows["method"] + " under " + rows["metric"],
            *(rows[f"tau{end}"] for end in ("", "_low", "_high")),
            write=number(2),
        )
        return f"chosen by other systems, {rows['size'].iloc[0]} {unit().topics} rank systems as all do with τ {taus}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, method and size.

        Mean over the splits of ``tau`` and ``kept`` (under a cohort also of ``kept_all``, and ``n_pairs`` behind
        ``kept`` in all splits), with its standard error in ``_se`` (Monte Carlo), and the quantiles of 5 and 95 % of
        each in ``_low`` and ``_high``; ``tau_gain`` and ``kept_gain``, the mean difference from random subsets of that
        size in the same split, and ``tau_better`` and ``kept_better``, the share of splits in which it is above 0 (0
        counting half); NaN where random subsets are not among the methods.
        """
        rows = []
        ways = self.data["method"].to_numpy().tolist()
        for metric, way, size in product(
            self.data["metric"].to_numpy().tolist(), ways, self.data["size"].to_numpy().tolist()
        ):
            row = {"metric": metric, "method": way, "size": size}
            for name in [measure for measure in _JUDGED if measure in self.data]:
                table = self.data[name].sel(metric=metric, size=size)
                values = table.sel({"method": way}).to_numpy()
                gain = (
                    values - table.sel({"method": RANDOM}).to_numpy()
                    if RANDOM in ways
                    else np.full(len(values), np.nan)
                )
                row |= _described(name, values, gain)
            if "n_pairs" in self.data:
                row["n_pairs"] = int(self.data["n_pairs"].sel(metric=metric).sum())
            rows.append(row)
        return pd.DataFrame(rows)


def compare_subsets(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    sizes: Sequence[int] | None = None,
    methods: Sequence[str] = ("discrimination", "greedy", "random"),
    cohort: Sequence[str] | None = None,
    n_splits: int = 20,
    alpha: float = 0.05,
    rng: RNGLike = None,
) -> SubsetComparison:
    r"""Choose subsets of topics on half of the systems, and evaluate them on the other half.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        At least six systems, no gaps. With clusters, strata and weights the pairs are tested accordingly.
    sizes : sequence of int, optional
        Topics in a subset, from 3 to fewer than all; by default a tenth, a quarter and a half of them.
    methods : sequence of str, default ("discrimination", "greedy", "random")
        How topics are chosen: those with the highest discrimination (`metaeval.agreement.analyse_items`) among the
        systems that choose; one after the other, each time the one with which the mean over the subset correlates
        best with the mean over all; or at random, the yardstick. Earlier topics win ties. "spread" takes those whose
        scores differ most among the systems that choose (variance), ties at random.
    cohort : sequence of str, optional
        Systems to preserve the conclusions about, six or more: half of them choose, and the other half is held out.
    n_splits : int, default 20
        How often systems are split in two, at random; whole groups of systems, where they have groups, since members
        of a family on both sides would carry the choice over.
    alpha : float, default 0.05
        Level of the paired t test of every pair, uncorrected.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    SubsetComparison
        One row a ``metric``, ``method`` and ``size`` in ``to_frame()``: mean ``tau`` (-1 to 1) and ``kept`` (0 to 1)
        over the splits, their spread, and the gain over random subsets; see `SubsetComparison.to_frame`.

    Raises
    ------
    ScoresError
        If scores have gaps, or there are too few systems, groups or topics.
    InvalidOptionError
        If an option is outside its rule.

    See Also
    --------
    metaeval.agreement.item_statistics.analyse_items

    Notes
    -----
    Everything is judged on systems that had no part in the choice. The subset is still part of the full set, which
    lifts tau and the share kept; it lifts them for random subsets as well, so only the gain on these speaks for a
    method. Nothing here says that a subset keeps the conclusions for systems unlike those at hand.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=20, n_topics=60, metrics=["AP"], rng=1)
    >>> compare_subsets(scores, sizes=[15], n_splits=20, rng=1).to_frame()[["method", "size", "tau"]].round(2)
               method  size   tau
    0  discrimination    15  0.71
    1          greedy    15  0.60
    2          random    15  0.56
    """
    scores = engine_scores(scores, "subsets of topics")
    check_count(n_splits, "n_splits", most=MOST_REPLICATES)
    check_share(alpha, "alpha")
    _check_methods(methods)
    chosen_sizes, inside = _sizes(sizes, scores.sizes["topic"]), _in_cohort(scores, cohort)
    source = resolve_rng(rng)
    n_topics = scores.sizes["topic"]
    shape = (scores.sizes["metric"], len(methods), len(chosen_sizes))
    tau, kept_share, kept_all = (np.empty((*shape, n_splits)) for _ in range(3))
    counts, n_pairs = np.zeros((*shape, n_topics)), np.zeros((shape[0], n_splits), dtype=np.int64)
    with in_one_order:  # small products and a kernel take turns
        for split in range(n_splits):
            train = np.zeros(len(inside), dtype=bool)
            train[inside] = _half(scores.isel(system=inside), source.generator)
            learned, held_out = scores.isel(system=train), _Held.of(scores.isel(system=~train), alpha)
            in_cohort = inside[~train]
            among = in_cohort[all_pairs(len(in_cohort))[0]] & in_cohort[all_pairs(len(in_cohort))[1]]
            shuffled = source.generator.permutation(n_topics)
            orders = [SUBSETS[name](learned, shuffled, max(chosen_sizes)) for name in methods]
            truth = [held_out.judge(metric, np.arange(n_topics)) for metric in range(shape[0])]
            estimates = np.empty((*shape, in_cohort.sum()))
            for at in np.ndindex(*shape):
                topics = np.sort(orders[at[1]][at[0], : chosen_sizes[at[2]]])
                judged_means, signs = held_out.judge(at[0], topics)
                estimates[at], same, apart = judged_means[in_cohort], signs == truth[at[0]][1], truth[at[0]][1] != 0
                kept_share[(*at, split)], kept_all[(*at, split)] = _share(same[apart & among]), _share(same[apart])
                counts[(*at, topics)] += 1.0
            means = np.stack([full[in_cohort] for full, _ in truth])
            n_pairs[:, split] = [((signs != 0) & among).sum() for _, signs in truth]
            tau[..., split] = kendall_tau(means[:, None, None], estimates, undefined="nan")
            if split == 0:
                n_systems = int(train.sum()), int(in_cohort.sum())
    dims = ("metric", "method", "size")
    return SubsetComparison(
        data=xr.Dataset(
            {
                "tau": ((*dims, "split"), tau),
                "kept": ((*dims, "split"), kept_share),
                "chosen": ((*dims, "topic"), counts / n_splits),
                **({} if cohort is None else {"kept_all": ((*dims, "split"), kept_all)}),
                **({} if cohort is None else {"n_pairs": (("metric", "split"), n_pairs)}),
            },
            coords={
                "metric": scores["metric"].to_numpy(),
                "method": list(methods),
                "size": chosen_sizes,
                "topic": scores["topic"].to_numpy(),
            },
        ),
        alpha=float(alpha),
        n_systems=n_systems,
        n_topics=n_topics,
        by_group="group" in scores.coords,
        random_source=source.description,
    )


def _share(kept: Flags) -> float:
    return float(kept.mean()) if len(kept) else np.nan


def _check_methods(methods: Sequence[str]) -> None:
    for name in methods:
        check_choice(name, "method", list(SUBSETS))
    if not methods or len(set(methods)) < len(methods):
        rule = f"names each way to choose once, out of {', '.join(SUBSETS)}; got {list(methods)!r}"
        raise refused("methods", rule, methods)


def _in_cohort(scores: Scores, cohort: Sequence[str] | None) -> Flags:
    """Say of every system whether it is in the cohort; all are in none."""
    if cohort is None:
        return np.ones(scores.sizes["system"], dtype=bool)
    names = check_list(cohort, "cohort", ["bm25", "dense"])
    for name in names:
        check_choice(name, "system", scores["system"].to_numpy().tolist())
    return np.isin(scores["system"].to_numpy(), names)


def _sizes(sizes: Sequence[int] | None, n_topics: int) -> list[int]:
    if n_topics <= _FEWEST:
        raise ScoresError(f"subset analysis needs at least {_FEWEST + 1} {unit().topics}; these scores have {n_topics}")
    if sizes is None:
        return sorted({max(_FEWEST, min(n_topics - 1, round(share * n_topics))) for share in _SHARES})
    for size in sizes:
        check_count(size, "sizes", least=_FEWEST, most=n_topics - 1, unit="fewer than all topics")
    if not sizes:
        raise InvalidOptionError("`sizes` is empty; name at least one number of topics")
    return sorted({int(size) for size in sizes})


def _half(scores: Scores, generator: np.random.Generator) -> Flags:
    """Draw the systems that choose: half of them, or whole groups until half of them are in."""
    n = scores.sizes["system"]
    group = scores["group"].to_numpy() if "group" in scores.coords else scores["system"].to_numpy()
    _, member, sizes = np.unique(group, return_inverse=True, return_counts=True)
    order = generator.permutation(len(sizes))
    before = np.cumsum(sizes[order]) - sizes[order] / 2.0  # a group goes where most of it lies
    taken = np.zeros(len(sizes), dtype=bool)
    taken[order[before <= n / 2.0]] = True
    train: Flags = taken[member]
    if min(train.sum(), n - train.sum()) < _FEWEST:
        groups = f" in {len(sizes)} groups, which are not split" if "group" in scores.coords else ""
        raise ScoresError(
            f"subsets are chosen on one half of the systems and judged on the other, at least {_FEWEST} on each side; "
            f"there {'is' if n == 1 else 'are'} {count(n, 'system')}{groups}"
        )
    return train


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Systems that were held out, and how pairs of them are tested on any topics."""

    scores: Scores
    values: Floats
    """Higher better, (metric, system, topic)."""
    weights: Floats
    place: Places
    """Cluster of every topic."""
    alpha: float

    @classmethod
    def of(cls, scores: Scores, alpha: float) -> "_Held":
        return cls(scores, oriented_values(scores), topic_weights(scores), units_of(scores).unit, alpha)

    def judge(self, metric: int, topics: Places) -> tuple[Floats, Ints]:
        """Return the means by some topics, settled, and for every pair 1 or -1 where it differs significantly, else 0.

        The variances of all pairs come from one product: without gaps a pair's residual is that of one system less that
        of the other, and all pairs have the same degrees of freedom.
        """
        values, weights = self.values[metric][:, topics], self.weights[topics]
        share = weights / weights.sum()
        sizes = np.abs(values) @ share
        means = settle(values @ share, sizes)
        first, second = all_pairs(len(values))
        apart = difference(means[first], means[second], sizes[first], sizes[second])
        if {"stratum", "weight"} & set(self.scores.coords):
            units = units_of(self.scores.isel(topic=topics))
            estimates = difference_estimates(values[None], units, first, second)
            error = np.where(estimates.n_units > 1, estimates.error, np.inf)[
                0
            ]  # 0 where a difference is the same everywhere
            freedom = estimates.certain_freedom[0]
        else:
            names, cluster = np.unique(self.place[topics], return_inverse=True)
            of_cluster = np.bincount(cluster, share)
            if len(names) < 2:  # noqa: PLR2004 - a variance
                return means, np.zeros(len(first), dtype=np.int64)
            level = values.mean(axis=0)  # goes out in the differences, and most of the rounding with it
            left = (values - level - (means - level @ share)[:, None]) * (share / np.sqrt(1.0 - of_cluster)[cluster])
            if len(names) < len(topics):
                left = left @ (cluster[:, None] == np.arange(len(names)))
            together = left @ left.T
            own_part = np.diag(together)
            error = np.sqrt(np.maximum(own_part[first] + own_part[second] - 2.0 * together[first, second], 0.0))
            squares = of_cluster**2 / (1.0 - of_cluster)
            freedom = np.array(1.0 / ((of_cluster**2).sum() + squares.sum() ** 2 - (squares**2).sum()))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(apart) / error
            needed = -stdtrit(freedom, self.alpha / 2.0)
        significant = t > needed  # a tenth of the time of p values, which decide where it is close
        near = np.abs(t - needed) <= _CLOSE * needed
        if near.any():
            p_values = student_p(np.broadcast_to(freedom, t.shape)[near], t[near]).p
            significant[near] = is_significant(p_values, self.alpha)
        return means, np.where(significant, np.sign(apart), 0.0).astype(np.int64)


def _at_random(scores: Scores, shuffled: Places, size: int) -> Places:
    return np.tile(shuffled[:size], (scores.sizes["metric"], 1))


def _by_discrimination(scores: Scores, shuffled: Places, size: int) -> Places:  # noqa: ARG001 - see SUBSETS
    keys = settle(-discrimination(scores), np.ones(scores.sizes["topic"]))
    return np.argsort(keys, axis=1, kind="stable")[:, :size]


def _by_spread(scores: Scores, shuffled: Places, size: int) -> Places:
    left = less_mean(oriented_values(scores)) * topic_weights(scores)
    keys = settle(-(left[..., shuffled] ** 2).sum(axis=1), np.ones(len(shuffled)))
    return shuffled[np.argsort(keys, axis=1, kind="stable")[:, :size]]


def _greedy(scores: Scores, shuffled: Places, size: int) -> Places:  # noqa: ARG001 - see SUBSETS
    """Add the topic with which the sum over the subset correlates best with the sum over all, again and again."""
    values = oriented_values(scores)
    if "weight" in scores.coords:
        values = values * scores["weight"].to_numpy()
    return np.stack([_greedy_order(of_metric - of_metric.mean(axis=0), size) for of_metric in values])


def _greedy_order(left: Floats, size: int) -> Places:
    total = left.sum(axis=1)
    with_total, squares = total @ left, (left**2).sum(axis=0)
    with_chosen, own_total, own_square = np.zeros(left.shape[1]), 0.0, 0.0
    order = np.empty(size, dtype=np.int64)
    free = np.ones(left.shape[1], dtype=bool)
    for step in range(size):
        square = own_square + 2.0 * with_chosen + squares
        gain = np.full(left.shape[1], -np.inf)
        can = free & (square > _NOISE * squares.max())
        gain[can] = (own_total + with_total[can]) / np.sqrt(square[can])
        gain[free & ~can] = (
            np.finfo(float).min / 2
        )  # topics on which all systems are equal, last; the half has room for noise
        best = gain.max()
        pick = int(np.argmax(gain >= best - _NOISE * np.abs(best)))
        order[step], free[pick] = pick, False
        own_square, own_total = square[pick], own_total + with_total[pick]
        with_chosen += left[:, pick] @ left
    return order


SUBSETS: Mapping[str, Callable[[Scores, Places, int], Places]] = MappingProxyType(
    {"discrimination": _by_discrimination, "greedy": _greedy, "spread": _by_spread, RANDOM: _at_random}
)
"""Every way to choose topics by its name: from the scores of some systems and shuffled topics, so many for each metric,
the first chosen first."""


def _described(name: str, own: Floats, gain: Floats) -> dict[str, float]:
    finite, gained = own[np.isfinite(own)], gain[np.isfinite(gain)]
    low, high = np.quantile(finite, (0.05, 0.95)) if len(finite) else (np.nan, np.nan)
    return {
        name: float(finite.mean()) if len(finite) else np.nan,
        f"{name}_se": float(finite.std(ddof=1) / np.sqrt(len(finite))) if len(finite) > 1 else np.nan,
        f"{name}_low": float(low),
        f"{name}_high": float(high),
        f"{name}_gain": float(gained.mean()) if len(gained) else np.nan,
        f"{name}_better": float(((gained > 0) + 0.5 * (gained == 0)).mean()) if len(gained) else np.nan,
    }
