"""Which topics still separate the best systems, or those of one group, and what is lost without the others.

The best systems are chosen by the scores that are then counted, and fewer systems always differ on fewer topics. So
beside every count of topics that decide nothing stand three more: among as many systems drawn at random, among systems
chosen without the topic, and for a system that had no part in the count.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from metaeval.base.checks import check_choice, check_list, check_number, refused
from metaeval.base.results import Figure, Result
from metaeval.errors import ScoresError, UnknownNameError
from metaeval.resampling.topic_subsets import RANDOM, SubsetComparison, compare_subsets
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import RELATIVE, at_least
from metaeval.table.complete import complete_block
from metaeval.table.scores import Scores, better_direction, by_name, oriented_values
from metaeval.table.structure import engine_scores, settled_mean_over_topics, topic_weights
from metaeval.table.two_way import linked, two_way
from metaeval.table.units import units_of

type Floats = NDArray[np.float64]
type Flags = NDArray[np.bool_]

IDLE = ("all pass", "all fail", "all equal")
"""Kinds of topics that decide nothing."""
SEPARATES = "separates"
_TOP = re.compile(r"top(\d+)")
_TOPS = (10, 25)
_UNTOLD = "untold"
_PAIR = 2
_LEAST = 3  # topics in a subset
_CELLS = 4_000_000  # scores at a time
_SHARES = (0.25, 0.5)
_SHARES_OF_TOPICS = ("idle", "idle_random", "idle_unseen", "stays")
_CURVES = ("curve_top", "curve_random")
_WAYS = ("spread", "discrimination", RANDOM)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CohortAnalysis(Result):
    """What topics decide among the best systems, or those of one group."""

    data: xr.Dataset
    """Dims ``metric`` and ``cohort``: the shares of `to_frame`. With ``topic``: ``kind`` ("all pass", "all fail", "all
    equal" for topics that decide nothing, "separates", or "untold" where fewer than two systems of the cohort have a
    score), ``n_scored`` (systems of the cohort with a score), ``best`` and ``worst`` score in the cohort. With
    ``system``: ``member``. ``top`` (cohort): whether its systems are chosen by their scores. Dims ``metric`` and
    ``size``: ``curve_top`` and ``curve_random``, the share of topics that decide nothing among so many best systems,
    and expected among so many random ones. A coordinate ``cluster`` or ``stratum`` where topics have one."""
    tolerance: float
    """Share of the scale up to which scores count as equal."""
    subsets: Mapping[tuple[str, str], SubsetComparison]
    """By metric and cohort: what fewer topics keep, chosen on one half of the cohort and judged by the other."""
    unanswered: Mapping[str, str]
    """Cohorts without subsets, with the reason."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and cohort.

        Systems (``n_systems``), topics that two of them have (``n_topics``), those that lack scores of some
        (``n_partial``), topics that decide nothing among the systems that have scores (``n_idle``, of these
        ``all_pass``, ``all_fail`` and ``all_equal``), and shares of topics: ``idle``; ``idle_random``, expected
        among as many systems drawn at random from all; ``idle_unseen``, with the best chosen by the other topics (or
        clusters) alone (NaN for groups, which are not chosen by scores); ``stays``, of the topics that decide nothing
        without one of the systems the share that do not with it either, over all systems of the cohort.
        """
        rows = []
        for metric in self.data["metric"].to_numpy().tolist():
            for cohort in self.data["cohort"].to_numpy().tolist():
                part = self.data.sel(metric=metric, cohort=cohort)
                kind = part["kind"].to_numpy()
                found = {name.replace(" ", "_"): int((kind == name).sum()) for name in IDLE}
                row = {"metric": metric, "cohort": cohort, "n_systems": int(part["member"].sum())}
                n_scored, told = part["n_scored"].to_numpy(), kind != _UNTOLD
                row |= {"n_topics": int(told.sum()), "n_partial": int((told & (n_scored < row["n_systems"])).sum())}
                row |= {"n_idle": sum(found.values()), **found}
                rows.append(row | {name: float(part[name]) for name in _SHARES_OF_TOPICS})
        return pd.DataFrame(rows)

    def topics(self) -> pd.DataFrame:
        """Return one row a metric, cohort and topic: kind, n_scored, best and worst score, cluster or stratum."""
        columns = ["kind", "n_scored", "best", "worst"]
        frame = self.data[columns].to_dataframe(dim_order=["metric", "cohort", "topic"]).reset_index()
        own = [name for name in ("cluster", "stratum") if name in frame]
        return frame[["metric", "cohort", "topic", *own, *columns]]

    def members(self) -> pd.DataFrame:
        """Return one row a metric, cohort and system of it."""
        frame = self.data["member"].to_dataframe(dim_order=["metric", "cohort", "system"]).reset_index()
        return frame.loc[frame["member"], ["metric", "cohort", "system"]].reset_index(drop=True)

    def subset_frame(self) -> pd.DataFrame:
        """Return the rows of every `SubsetComparison`, with their cohort."""
        frames = [one.to_frame().assign(cohort=cohort) for (_, cohort), one in self.subsets.items()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def plot(self, metric: str | None = None) -> Figure:
        """Draw the share of topics that decide nothing by the number of best systems, and of random ones."""
        from metaeval.figures.cohorts import idle_topics  # noqa: PLC0415 - matplotlib

        metrics = self.data["metric"].to_numpy().tolist()
        name = metrics[0] if metric is None else metric
        if name not in metrics:
            raise UnknownNameError("metric", name, metrics)
        curve = self.data[list(_CURVES)].sel(metric=name).to_dataframe().reset_index()
        return idle_topics(curve, self.to_frame().query("metric == @name"))


def default_cohorts(n_systems: int) -> list[str]:
    """Return the cohorts that are looked at unless others are named.

    Examples
    --------
    >>> default_cohorts(20)
    ['top10']
    """
    return [f"top{k}" for k in _TOPS if k < n_systems]


def cohort_names(scores: Scores, cohorts: Sequence[str] | None) -> list[str]:
    """Return the names of the cohorts, those by default or those asked for, checked.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> cohort_names(simulate_scores(n_systems=20, n_topics=10, metrics=["AP"], rng=1), ["top5"])
    ['top5']
    """
    n_systems = scores.sizes["system"]
    if cohorts is None:
        names = default_cohorts(n_systems)
        if not names:
            message = f"cohorts are a part of the systems, by default the top {_TOPS[0]}; there are {n_systems} systems"
            raise ScoresError(message)
        return names
    names = list(dict.fromkeys(check_list(cohorts, "cohorts", ["top10"])))
    if not names:
        raise refused("cohorts", "is empty; name at least one, such as 'top10'", cohorts)
    for name in names:
        known = (f"top{min(_TOPS[0], n_systems)}", *_groups(scores))
        size = _size_of_top(scores, name) if isinstance(name, str) else 0
        if not size:
            check_choice(name, "cohort", known)
            size = int((scores["group"].to_numpy() == name).sum())
        if not _PAIR <= size <= n_systems:
            raise refused("cohorts", f"are of 2 to {n_systems} systems; {name!r} is of {size}", name)
    return names


def analyse_cohorts(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    cohorts: Sequence[str] | None = None,
    tolerance: float = 0.01,
    n_splits: int = 20,
    alpha: float = 0.05,
    rng: RNGLike = None,
) -> CohortAnalysis:
    r"""Count the topics that decide nothing among the best systems or those of a group, and test what the others keep.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come.
    cohorts : sequence of str, optional
        "top10" and the like, or names of groups of systems; by default the top 10 and 25 where there are more systems.
        Systems that tie with the last of the top belong to it.
    tolerance : float, default 0.01
        A topic decides nothing if no two systems of the cohort differ by more than this share of the scale, which goes
        from the worst to the best score that occurs under the metric. Scores of 0 and 1: all have the same.
    n_splits : int, default 20
        How often a cohort is split in systems that choose a subset of the topics and systems that judge it.
    alpha : float, default 0.05
        Level of the paired t test of every pair that subsets are judged by, uncorrected.
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ScoresError
        If scores have gaps that nobody decided to keep.
    UnknownNameError, InvalidOptionError
        If a cohort is neither the top of more systems nor a group, or an option is outside its rule.

    See Also
    --------
    metaeval.agreement.item_statistics.analyse_items
    metaeval.resampling.topic_subsets.compare_subsets

    Notes
    -----
    Of N systems, n with a score on a topic, k are drawn without replacement. Order the scores, and let :math:`c_j` be
    the number above the j-th that exceed it by no more than the tolerance, u = N - n. The topic decides nothing if the
    lowest score drawn is the j-th and all others are among those :math:`c_j` or missing, and one at least is not
    missing:

    .. math:: P = \frac{\sum_j \left[\binom{c_j + u}{k - 1} - \binom{u}{k - 1}\right]}{\binom{N}{k}}

    The sum over topics, over that of the probabilities that two systems drawn have a score, is ``idle_random``; it
    needs no draws. For ``idle_unseen`` the best are chosen for each topic (cluster) by their means over the others, so
    that no topic counts among systems that are the best because of it; with gaps the means are those of
    `metaeval.table.two_way`, whose topics stay as they are. A topic that decides nothing among the best may decide
    later: if all fail it waits for better systems, if all pass it will hardly return.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=30, n_topics=80, metrics=["P@10"], rng=1)
    >>> found = analyse_cohorts(scores, n_splits=2, rng=1).to_frame()
    >>> found[["cohort", "n_idle", "idle", "idle_random"]].round(2)
      cohort  n_idle  idle  idle_random
    0  top10       2  0.02         0.04
    1  top25       2  0.02         0.03
    """
    check_number(tolerance, "tolerance", least=0.0, below=1.0)
    scores = by_name(engine_scores(scores, "cohorts of systems"), "system")
    names, seed = cohort_names(scores, cohorts), resolve_seed(rng)
    metrics, (n_systems, n_topics) = scores["metric"].to_numpy().tolist(), scores.shape[1:]
    values, ahead, turn = oriented_values(scores), settled_mean_over_topics(scores), better_direction(scores)
    shape = (len(metrics), len(names))
    data: dict[str, NDArray[Any]] = {name: np.full((*shape, n_topics), np.nan) for name in ("best", "worst")}
    data |= {"kind": np.empty((*shape, n_topics), dtype="U9"), "n_scored": np.zeros((*shape, n_topics), dtype=np.int64)}
    data |= {name: np.full(shape, np.nan) for name in _SHARES_OF_TOPICS}
    member = np.zeros((*shape, n_systems), dtype=bool)
    curves = np.empty((2, len(metrics), n_systems - 1))
    subsets: dict[tuple[str, str], SubsetComparison] = {}
    reasons: dict[str, str] = {}
    for place, one in enumerate(values):
        near = tolerance * float(np.nanmax(one) - np.nanmin(one))
        chance = _idle_at_random(one, near)
        curves[:, place] = _idle_of_first(one[np.argsort(-ahead[place], kind="stable")], near), chance
        rank = 1 + (ahead[place] > ahead[place][:, None]).sum(axis=1)
        for at, name in enumerate(names):
            key, k = (place, at), _size_of_top(scores, name)
            own = member[key] = rank <= k if k else scores["group"].to_numpy() == name
            kind, n_scored, best, worst = _kinds(one, one[own], near)
            data["kind"][key], data["n_scored"][key] = kind, n_scored
            data["best"][key], data["worst"][key] = best * turn[place], worst * turn[place]
            data["idle"][key] = _idle_share(kind)
            data["idle_random"][key] = chance[own.sum() - _PAIR]
            if k:
                unseen = np.where(_best_without(scores, one, k), one, np.nan)
                data["idle_unseen"][key] = _idle_share(_kinds(one, unseen, near)[0])
            data["stays"][key] = _stays(one[own], near)
            try:
                part = _whole(scores.sel(metric=[metrics[place]]), own, in_groups=bool(k))
                subsets[metrics[place], name] = compare_subsets(
                    part,
                    sizes=_sizes(int((kind == SEPARATES)[np.isin(scores["topic"], part["topic"])].sum()), part),
                    methods=_WAYS,
                    cohort=np.intersect1d(part["system"], scores["system"][own]).tolist(),
                    n_splits=n_splits,
                    alpha=alpha,
                    rng=seed,
                )
            except ScoresError as error:
                reasons[f"{name}, {metrics[place]}"] = str(error)
    dims = ("metric", "cohort", "topic")
    return CohortAnalysis(
        data=xr.Dataset(
            {name: (dims[: table.ndim], table) for name, table in data.items()}
            | {"member": ((*dims[:2], "system"), member)}
            | {"top": ("cohort", [_size_of_top(scores, name) > 0 for name in names])}
            | {name: (("metric", "size"), own) for name, own in zip(_CURVES, curves, strict=True)},
            coords={
                **{name: scores[name].to_numpy() for name in ("metric", "system", "topic")},
                **{
                    name: ("topic", scores[name].to_numpy()) for name in ("cluster", "stratum") if name in scores.coords
                },
                "cohort": names,
                "size": np.arange(_PAIR, n_systems + 1),
            },
        ),
        tolerance=float(tolerance),
        subsets=MappingProxyType(subsets),
        unanswered=MappingProxyType(reasons),
    )


def _size_of_top(scores: Scores, name: str) -> int:
    """Return how many systems a top has; 0 for a group, which goes before a top of the same name."""
    found = _TOP.fullmatch(name)
    return 0 if found is None or name in _groups(scores) else int(found[1])


def _groups(scores: Scores) -> list[str]:
    return np.unique(scores["group"].to_numpy()).tolist() if "group" in scores.coords else []


def _kinds(every: Floats, own: Floats, near: float) -> tuple[NDArray[np.str_], NDArray[np.int64], Floats, Floats]:
    """Return the kind of every topic among some systems, on the scale of all; how many have it, best and worst."""
    n_scored = np.isfinite(own).sum(axis=0)
    best, worst = np.fmax.reduce(own), np.fmin.reduce(own)
    idle = _within(worst, best, near) & (n_scored >= _PAIR)
    passed, failed = _within(worst, np.nanmax(every), near), _within(np.nanmin(every), best, near)
    kind = np.select([n_scored < _PAIR, ~idle, passed, failed], [_UNTOLD, SEPARATES, *IDLE[:2]], default=IDLE[2])
    return kind, n_scored, best, worst


def _within(low: ArrayLike, high: ArrayLike, near: float) -> Flags:
    with np.errstate(invalid="ignore"):
        return at_least(np.add(low, near), high, np.abs(low) + near)


def _idle_share(kind: NDArray[np.str_]) -> float:
    told = kind != _UNTOLD
    return float(np.isin(kind, IDLE).sum() / told.sum()) if told.any() else np.nan


def _idle_of_first(ordered: Floats, near: float) -> Floats:
    """Return the share of topics that decide nothing among the first two systems, three, and so on."""
    n_scored = np.isfinite(ordered).cumsum(axis=0)
    idle = _within(np.fmin.accumulate(ordered), np.fmax.accumulate(ordered), near) & (n_scored >= _PAIR)
    with np.errstate(invalid="ignore"):
        share: Floats = idle.sum(axis=1) / (n_scored >= _PAIR).sum(axis=1)
    return share[1:]


def _idle_at_random(values: Floats, near: float) -> Floats:
    """Return the share expected among two systems drawn at random, three, and so on; see `analyse_cohorts`."""
    n, n_topics = values.shape
    sizes = np.arange(_PAIR, n + 1)
    first, every = _chooses(n, sizes - 1), _chooses(n, sizes)
    ways, lacking = np.zeros(n + 1), np.zeros(n + 1)  # by c_j + u less u itself, and topics by u
    for chunk in np.array_split(np.arange(n_topics), 1 + values.size // _CELLS):
        ascending = np.sort(values[:, chunk], axis=0)
        reach = ascending + near + RELATIVE * (2.0 * np.abs(ascending) + near)
        merged = np.argsort(np.concatenate([ascending, reach]), axis=0, kind="stable").T
        passed = (merged < n).cumsum(axis=1)[merged >= n].reshape(-1, n).T  # scores up to the reach of each
        known = np.isfinite(ascending)
        absent = n - known.sum(axis=0)
        ways += np.bincount((passed - 1 - np.arange(n)[:, None] + absent)[known], minlength=n + 1)
        ways -= np.bincount(absent, n - absent, minlength=n + 1)
        lacking += np.bincount(absent, minlength=n + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_lowest, by_none = np.exp(first - every[n]), np.exp(every - every[n])
        one_alone = lacking * (n - np.arange(n + 1))
        told = n_topics - by_none.T @ lacking - by_lowest.T @ one_alone
        return np.where(told > 0, np.clip(by_lowest.T @ ways / told, 0.0, 1.0), np.nan)


def _chooses(n: int, k: NDArray[np.int64]) -> Floats:
    """Return the logarithms of the binomial coefficients of 0 to n over k, (n + 1, k); minus infinity for 0."""
    above = np.arange(n + 1)[:, None]
    with np.errstate(invalid="ignore"):
        found = gammaln(above + 1) - gammaln(k + 1) - gammaln(np.maximum(above - k, 0) + 1)
    return np.where(k <= above, found, -np.inf)


def _best_without(scores: Scores, values: Floats, k: int) -> Flags:
    """Say for every topic which systems are the best k by the other topics, or clusters: (system, topic)."""
    known, units = np.isfinite(values), units_of(scores)
    topics = np.zeros(values.shape[1])
    if not known.all() and linked(known).all():
        topics = two_way(values, topic_weights(scores)).topics
    total = units.sums(np.where(known, values - topics, 0.0))
    weight = units.sums(known.astype(np.float64))
    size = units.sums(np.where(known, np.abs(values) + np.abs(topics), 0.0)).sum(axis=1, keepdims=True)
    left = weight.sum(axis=1, keepdims=True) - weight
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(left > 0, (total.sum(axis=1, keepdims=True) - total) / left, -np.inf)
        last = -np.partition(-means, k - 1, axis=0)[k - 1]
        found: Flags = at_least(means, last, size / left) & (left > 0)
    return found[:, units.unit]


def _stays(own: Floats, near: float) -> float:
    """Return the share of topics idle without one of these systems that are so with it, over all of them."""
    if len(own) <= _PAIR:
        return np.nan
    known = np.isfinite(own)
    sides = []
    for values in (own, -own):
        filled = np.where(known, values, -np.inf)
        first, second = -np.partition(-filled, 1, axis=0)[:2]
        sides.append((first, np.where(filled >= first, second, first)))
    (best, best_without), (worst, worst_without) = sides
    told = known & (known.sum(axis=0) > _PAIR)
    before = told & _within(-worst_without, best_without, near)
    with np.errstate(invalid="ignore"):
        return float((before & _within(-worst, best, near)).sum() / before.sum()) if before.any() else np.nan


def _whole(scores: Scores, member: Flags, *, in_groups: bool) -> Scores:
    """Return a part without gaps: most of the cohort, and what other systems have all its topics."""
    inner = complete_block(scores.isel(system=member))
    part = scores.sel(topic=inner["topic"])
    keep = np.isfinite(part.to_numpy()).all(axis=(0, 2)) & (~member | np.isin(scores["system"], inner["system"]))
    part = part.isel(system=keep)
    return part if in_groups else part.drop_vars("group")


def _sizes(n_separating: int, part: Scores) -> list[int] | None:
    """Return a quarter and a half of the topics, and as many as separate the cohort, if fewer."""
    n_topics = part.sizes["topic"]
    wanted = [round(share * n_topics) for share in _SHARES] + [n_separating] * (n_separating < n_topics)
    return sorted({min(max(size, _LEAST), n_topics - 1) for size in wanted}) if n_topics > _LEAST else None
