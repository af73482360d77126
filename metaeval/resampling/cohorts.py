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

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice, check_list, check_number, refused
from metaeval.base.names import first_few, natural_order
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit, unit_of
from metaeval.errors import ScoresError, closest_names
from metaeval.resampling.topic_subsets import RANDOM, SubsetComparison, compare_subsets
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import RELATIVE, reaches
from metaeval.running.parallel import in_one_order
from metaeval.table.complete import ENOUGH, largest_block
from metaeval.table.constant import constant_systems
from metaeval.table.scores import Scores, better_direction, by_name, oriented_values
from metaeval.table.structure import engine_scores, settled_mean_over_topics, topic_weights
from metaeval.table.two_way import linked, two_way
from metaeval.table.units import units_of

IDLE = ("all pass", "all fail", "all equal")
"""Kinds of topics that decide nothing."""
SEPARATES = "separates"
UNTOLD = "untold"
"""Topics without a score for every counted system; excluded."""
_TOP = re.compile(r"top(\d+)")
_TOPS = (10, 25)
_PAIR = 2
_LEAST = 3  # topics in a subset
_SHOWN = 3  # groups in an error
_CELLS = 4_000_000  # scores at a time
_SHARES = (0.25, 0.5)
_SHARES_OF_TOPICS = ("idle", "idle_varying", "idle_random", "idle_unseen", "stays")
_CURVES = ("curve_top", "curve_random")
_WAYS = ("spread", "discrimination", RANDOM)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CohortAnalysis(Result):
    """What topics decide among the best systems, or those of one group."""

    data: xr.Dataset
    """Dims ``metric`` and ``cohort``: the shares of `to_frame`. With ``topic``: ``kind`` ("all pass", "all fail", "all
    equal" for topics that decide nothing, "separates", or "untold" where a system that counts has no score),
    ``n_scored`` (systems of the cohort with a score), ``best`` and ``worst`` score in the cohort. With ``system``:
    ``member``, and ``counted`` (all members, unless they share too few topics). Dims ``metric`` and ``system``:
    ``constant``, whether it has one value throughout. ``top`` (cohort): whether its systems are chosen by their scores.
    Dims ``metric`` and ``size``: ``curve_top`` and ``curve_random``, the share of topics that decide nothing among so
    many best systems, and expected among so many random ones, over the ``curve_topics`` that all of ``curve_systems``
    have. ``n_beside`` (metric, cohort): systems beside the cohort that judge subsets too. A coordinate ``cluster`` or
    ``stratum`` where topics have one."""
    tolerance: float
    """Share of the scale up to which scores count as equal."""
    subsets: Mapping[tuple[str, str], SubsetComparison]
    """By metric and cohort: what fewer topics keep, chosen on one half of the cohort and judged by the other."""
    unanswered: Mapping[str, str]
    """Cohorts without subsets, with the reason."""

    def _found(self) -> str:
        words = [
            f"{row.n_idle} of {row.n_topics} {unit().topics} decide nothing among {row.cohort} under {row.metric}"
            for row in self.to_frame().itertuples()
        ]
        return first_few(words)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and cohort.

        Systems (``n_systems``), those that count (``n_counted``: all, unless they have fewer than half of the topics in
        common), topics that all of these have (``n_topics``) and those left aside, which some lack (``n_aside``),
        topics that decide nothing (``n_idle``, of these ``all_pass``, ``all_fail`` and ``all_equal``), and shares of
        the n_topics: ``idle``; ``idle_varying``, among those that count and have more than one value (a reference that
        the others were compared with may have one throughout); ``idle_random``, expected
        among n_counted systems drawn at random from all that have the topic; ``idle_unseen``, with the best chosen by
        the other topics (or clusters) alone (NaN for groups, which are not chosen by scores); ``stays``, of the topics
        that decide nothing without one of the systems the share that do not with it either, over all systems that
        count.
        """
        rows = []
        for metric in self.data["metric"].to_numpy().tolist():
            for cohort in self.data["cohort"].to_numpy().tolist():
                of_cohort = self.data.sel(metric=metric, cohort=cohort)
                kind = of_cohort["kind"].to_numpy()
                idle_counts = {name.replace(" ", "_"): int((kind == name).sum()) for name in IDLE}
                row = {"metric": metric, "cohort": cohort, "n_systems": int(of_cohort["member"].sum())}
                told = int((kind != UNTOLD).sum())
                row |= {"n_counted": int(of_cohort["counted"].sum()), "n_topics": told, "n_aside": len(kind) - told}
                row |= {"n_idle": sum(idle_counts.values()), **idle_counts}
                rows.append(row | {name: float(of_cohort[name]) for name in _SHARES_OF_TOPICS})
        return pd.DataFrame(rows)

    def topics(self) -> pd.DataFrame:
        """Return one row a metric, cohort and topic: kind, n_scored, best and worst score, cluster or stratum."""
        columns = ["kind", "n_scored", "best", "worst"]
        frame = self.data[columns].to_dataframe(dim_order=["metric", "cohort", "topic"]).reset_index()
        grouping = [name for name in ("cluster", "stratum") if name in frame]
        return frame[["metric", "cohort", "topic", *grouping, *columns]]

    def members(self) -> pd.DataFrame:
        """Return one row a metric, cohort and system of it, and whether it is counted."""
        frame = self.data[["member", "counted"]].to_dataframe(dim_order=["metric", "cohort", "system"]).reset_index()
        return frame.loc[frame["member"], ["metric", "cohort", "system", "counted"]].reset_index(drop=True)

    def subset_frame(self) -> pd.DataFrame:
        """Return the rows of every `SubsetComparison`, with their cohort."""
        frames = [comparison.to_frame().assign(cohort=cohort) for (_, cohort), comparison in self.subsets.items()]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def _draw(self, metric: str | None = None) -> Figure:
        """Draw the share of topics that decide nothing by the number of best systems, and of random ones."""
        from metaeval.figures.cohorts import idle_topics  # noqa: PLC0415 - matplotlib

        metrics = self.data["metric"].to_numpy().tolist()
        name = metrics[0] if metric is None else metric
        check_choice(name, "metric", metrics)
        curve = self.data[list(_CURVES)].sel(metric=name).to_dataframe().reset_index()
        return idle_topics(curve.dropna(), self.to_frame().query("metric == @name"))


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
        size = _size_of_top(scores, name) if isinstance(name, str) else 0
        if not size:
            if name not in (groups := _groups(scores)):
                near = closest_names(str(name), groups) or natural_order(groups)
                group = f"a group ({', '.join(near[:_SHOWN])}) or " if near else ""
                rule = f"names no cohort {name!r}; name {group}a top from 'top2' to 'top{n_systems}'"
                raise refused("cohorts", rule if near else f"{rule}: these systems have no groups", name)
            size = int((scores["group"].to_numpy() == name).sum())
        if size < _PAIR:
            raise refused("cohorts", f"names {name!r}, which is one system; a cohort has two at least", name)
        if size > n_systems:
            rule = f"names {name!r}, and there are {n_systems} systems; name a top from 'top2' to 'top{n_systems}'"
            raise refused("cohorts", rule, name)
    return names


@in_one_order
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

    Returns
    -------
    CohortAnalysis
        One row a ``metric`` and ``cohort`` in ``to_frame()``: systems and topics that count, topics that decide
        nothing, and their shares (0 to 1); see `CohortAnalysis.to_frame`. ``subsets`` holds what fewer topics keep.

    Raises
    ------
    ScoresError
        If scores have gaps that nobody decided to keep.
    InvalidOptionError
        If a cohort is neither the top of more systems nor a group, or an option is outside its rule.

    See Also
    --------
    metaeval.agreement.item_statistics.analyse_items
    metaeval.resampling.topic_subsets.compare_subsets

    Notes
    -----
    Counted are the topics that all systems of a cohort have. Where these are fewer than half of all topics, some
    systems with gaps are left out, so that many scores without gaps remain (`metaeval.table.complete.largest_block`
    says how many). Every share of a cohort is over the same topics.

    Of the n systems that have a topic, k are drawn without replacement, as many as count. Order the scores, and let
    :math:`c_j` be the number above the j-th that exceed it by no more than the tolerance. The topic decides nothing if
    the lowest score drawn is the j-th and all others are among those :math:`c_j`:

    .. math:: P = \frac{\sum_j \binom{c_j}{k - 1}}{\binom{n}{k}}

    The mean over topics is ``idle_random``; it needs no draws. For ``idle_unseen`` the best k of those that have a
    topic are chosen by their means over the others (over the other clusters), so that no topic counts among systems
    that are the best because of it; with gaps the means are those of `metaeval.table.two_way`, whose topics stay as
    they are. A topic that decides nothing among the best may decide later: if all fail it waits for better systems, if
    all pass it will hardly return.

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
    data = _empty((len(metrics), len(names)), n_topics)
    member, counted = np.zeros((2, len(metrics), len(names), n_systems), dtype=bool)
    constant = constant_systems(scores)
    curves, curve_sizes = np.full((2, len(metrics), n_systems - 1), np.nan), np.zeros((2, len(metrics)), dtype=np.int64)
    subsets: dict[tuple[str, str], SubsetComparison] = {}
    reasons: dict[str, str] = {}
    for index, of_metric in enumerate(values):
        near = tolerance * float(np.nanmax(of_metric) - np.nanmin(of_metric))
        ordered = of_metric[np.argsort(-ahead[index], kind="stable")]
        line = ordered[np.ix_(*_without_gaps(np.isfinite(ordered)))]
        if line.size:
            sizes = np.arange(_PAIR, len(line) + 1)
            curves[:, index, : len(sizes)] = _idle_of_first(line, near), _idle_at_random(line, near, sizes)
            curve_sizes[:, index] = line.shape
        rank = 1 + (ahead[index] > ahead[index][:, None]).sum(axis=1)
        for at, name in enumerate(names):
            key, k = (index, at), _size_of_top(scores, name)
            own = member[key] = rank <= k if k else scores["group"].to_numpy() == name
            systems, topics = _without_gaps(np.isfinite(of_metric[own]))
            counted[key][own] = systems
            cohort, every = of_metric[counted[key]][:, topics], of_metric[:, topics]
            data["n_scored"][key] = np.isfinite(of_metric[own]).sum(axis=0)
            data["best"][key] = np.fmax.reduce(of_metric[own]) * turn[index]
            data["worst"][key] = np.fmin.reduce(of_metric[own]) * turn[index]
            kind = data["kind"][key]
            kind[topics] = _kinds(of_metric, cohort, near)
            if topics.any():
                data["idle"][key] = _idle_share(cohort, near)
                data["idle_varying"][key] = _idle_share(cohort[~constant[index, counted[key]]], near)
                data["idle_random"][key] = _idle_at_random(every, near, systems.sum(keepdims=True))[0]
                data["stays"][key] = _stays(cohort, near)
            if k and topics.any():
                best = _best_without(scores, of_metric, k - int((~systems).sum()), topics)
                data["idle_unseen"][key] = _idle_share(np.where(best, every, np.nan), near)
            try:
                complete = _whole(scores.sel(metric=[metrics[index]]), topics, ~own | counted[key], in_groups=bool(k))
                data["n_beside"][key] = complete.sizes["system"] - systems.sum()
                subsets[metrics[index], name] = compare_subsets(
                    complete,
                    sizes=_sizes(int((kind == SEPARATES).sum()), complete),
                    methods=_WAYS,
                    cohort=scores["system"].to_numpy()[counted[key]].tolist(),
                    n_splits=n_splits,
                    alpha=alpha,
                    rng=seed,
                )
            except ScoresError as error:
                reasons[f"{name}, {metrics[index]}"] = str(error)
    flags = {"member": member, "counted": counted, "constant": constant}
    return CohortAnalysis(
        data=_dataset(scores, names, data, flags, curves, curve_sizes),
        tolerance=float(tolerance),
        subsets=MappingProxyType(subsets),
        unanswered=MappingProxyType(reasons),
    )


def _empty(shape: tuple[int, int], n_topics: int) -> dict[str, NDArray[Any]]:
    """Return tables to fill in, by metric and cohort, and some by topic."""
    return {
        **{name: np.full((*shape, n_topics), np.nan) for name in ("best", "worst")},
        "kind": np.full((*shape, n_topics), UNTOLD, dtype="U9"),
        "n_scored": np.zeros((*shape, n_topics), dtype=np.int64),
        **{name: np.full(shape, np.nan) for name in _SHARES_OF_TOPICS},
        "n_beside": np.zeros(shape, dtype=np.int64),
    }


def _dataset(  # noqa: PLR0913, PLR0917 - what was counted
    scores: Scores,
    names: Sequence[str],
    data: Mapping[str, NDArray[Any]],
    flags: Mapping[str, Flags],
    curves: Floats,
    curve_sizes: Ints,
) -> xr.Dataset:
    """Put labels on what was counted."""
    dims, traits = ("metric", "cohort", "topic"), [name for name in ("cluster", "stratum") if name in scores.coords]
    return xr.Dataset(
        {name: (dims[: table.ndim], table) for name, table in data.items()}
        | {name: ((*dims[: table.ndim - 1], "system"), table) for name, table in flags.items()}
        | {"top": ("cohort", [_size_of_top(scores, name) > 0 for name in names])}
        | {name: (("metric", "size"), curve) for name, curve in zip(_CURVES, curves, strict=True)}
        | {f"curve_{of}s": ("metric", sizes) for of, sizes in zip(("system", "topic"), curve_sizes, strict=True)},
        coords={
            **{name: scores[name].to_numpy() for name in ("metric", "system", "topic")},
            **{name: ("topic", scores[name].to_numpy()) for name in traits},
            "cohort": names,
            "size": np.arange(_PAIR, scores.sizes["system"] + 1),
        },
    )


def _size_of_top(scores: Scores, name: str) -> int:
    """Return how many systems a top has; 0 for a group, which goes before a top of the same name."""
    match = _TOP.fullmatch(name)
    return 0 if match is None or name in _groups(scores) else int(match[1])


def _groups(scores: Scores) -> list[str]:
    return np.unique(scores["group"].to_numpy()).tolist() if "group" in scores.coords else []


def _without_gaps(known: Flags) -> tuple[Flags, Flags]:
    """Return which systems of a cohort count, and on which topics, so that each has a score on each."""
    common = known.all(axis=0)
    block = None if common.mean() >= ENOUGH else largest_block(known)
    return (np.ones(len(known), dtype=bool), common) if block is None else block


def _kinds(every: Floats, own: Floats, near: float) -> NDArray[np.str_]:
    """Return the kind of every topic among some systems that all have it, on the scale of all."""
    best, worst = own.max(axis=0), own.min(axis=0)
    passed, failed = _within(worst, np.nanmax(every), near), _within(np.nanmin(every), best, near)
    return np.select([~_within(worst, best, near), passed, failed], [SEPARATES, *IDLE[:2]], default=IDLE[2])


def _within(low: ArrayLike, high: ArrayLike, near: float) -> Flags:
    return reaches(np.add(low, near), high, np.abs(low) + near)


def _idle_share(chosen: Floats, near: float) -> float:
    """Return the share of topics that decide nothing among those chosen on each; NaN if there are no two."""
    told = np.isfinite(chosen).sum(axis=0) >= _PAIR
    if not told.any():
        return np.nan
    return float(_within(np.fmin.reduce(chosen[:, told]), np.fmax.reduce(chosen[:, told]), near).mean())


def _idle_of_first(ordered: Floats, near: float) -> Floats:
    """Return the share of topics that decide nothing among the first two systems, three, and so on."""
    share: Floats = _within(np.minimum.accumulate(ordered), np.maximum.accumulate(ordered), near).mean(axis=1)
    return share[1:]


def _idle_at_random(values: Floats, near: float, sizes: Ints) -> Floats:
    """Return the share expected among as many systems drawn at random of those that have a topic; `analyse_cohorts`."""
    n_scored = np.isfinite(values).sum(axis=0)
    expected, told = np.zeros(len(sizes)), np.zeros(len(sizes))
    for n in np.unique(n_scored[n_scored >= _PAIR]).tolist():
        topics, ways = np.flatnonzero(n_scored == n), np.zeros(n)  # by c_j
        for chunk in np.array_split(topics, 1 + n * len(topics) // _CELLS):
            ascending = np.sort(values[:, chunk], axis=0)[:n]
            reach = ascending + near + RELATIVE * (2.0 * np.abs(ascending) + near)
            merged = np.argsort(np.concatenate([ascending, reach]), axis=0, kind="stable").T
            passed = (merged < n).cumsum(axis=1)[merged >= n].reshape(-1, n).T  # scores up to the reach of each
            ways += np.bincount((passed - 1 - np.arange(n)[:, None]).ravel(), minlength=n)
        there = sizes <= n
        others, every = _chooses(n, sizes[there] - 1), _chooses(n, sizes[there])
        expected[there] += np.exp(others[:n] - every[n]).T @ ways
        told[there] += len(topics)
    with np.errstate(invalid="ignore"):
        return np.clip(expected / told, 0.0, 1.0)


def _chooses(n: int, k: Ints) -> Floats:
    """Return the logarithms of the binomial coefficients of 0 to n over k, (n + 1, k); minus infinity for 0."""
    above = np.arange(n + 1)[:, None]
    with np.errstate(invalid="ignore"):
        logs = gammaln(above + 1) - gammaln(k + 1) - gammaln(np.maximum(above - k, 0) + 1)
    return np.where(k <= above, logs, -np.inf)


def _best_without(scores: Scores, values: Floats, k: int, topics: Flags) -> Flags:
    """Say for some topics which systems of those that have it are the best k by the others, or by other clusters."""
    observed, units = np.isfinite(values), units_of(scores)
    hard = np.zeros(values.shape[1])
    if not observed.all() and linked(observed).all():
        hard = two_way(values, topic_weights(scores)).topics
    total = units.sums(np.where(observed, values - hard, 0.0))
    weight = units.sums(observed.astype(np.float64))
    size = units.sums(np.where(observed, np.abs(values) + np.abs(hard), 0.0)).sum(axis=1, keepdims=True)
    left, unit = weight.sum(axis=1, keepdims=True) - weight, units.unit[topics]
    with np.errstate(invalid="ignore", divide="ignore"):
        means, sizes = ((total.sum(axis=1, keepdims=True) - total) / left)[:, unit], (size / left)[:, unit]
        means = np.where((left > 0)[:, unit] & observed[:, topics], means, -np.inf)
        last = -np.partition(-means, k - 1, axis=0)[k - 1]
        chosen: Flags = reaches(means, last, sizes) & np.isfinite(means)
    return chosen


def _stays(own: Floats, near: float) -> float:
    """Return the share of topics idle without one of these systems that are so with it, over all of them."""
    if len(own) <= _PAIR:
        return np.nan
    sides = []
    for values in (own, -own):
        first, second = -np.partition(-values, 1, axis=0)[:2]
        sides.append((first, np.where(values >= first, second, first)))
    (best, best_without), (worst, worst_without) = sides
    before = _within(-worst_without, best_without, near)
    return float((before & _within(-worst, best, near)).sum() / before.sum()) if before.any() else np.nan


def _whole(scores: Scores, topics: Flags, systems: Flags, *, in_groups: bool) -> Scores:
    """Return the topics that count, with those of some systems that have all of them."""
    if not topics.any():
        spoken = unit_of(scores)
        raise ScoresError(f"no {spoken.topic} has scores of all systems, and too few share half of the {spoken.topics}")
    selected = scores.isel(topic=np.flatnonzero(topics))
    selected = selected.isel(system=np.isfinite(selected.to_numpy()).all(axis=(0, 2)) & systems)
    return selected if in_groups else selected.drop_vars("group")


def _sizes(n_separating: int, part: Scores) -> list[int] | None:
    """Return a quarter and a half of the topics, and as many as separate the cohort, if fewer."""
    n_topics = part.sizes["topic"]
    wanted = [round(share * n_topics) for share in _SHARES] + [n_separating] * (n_separating < n_topics)
    return sorted({min(max(size, _LEAST), n_topics - 1) for size in wanted}) if n_topics > _LEAST else None
