"""Effort: what judging costs, and where to spend it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_count, check_kind, check_number
from metaeval.base.names import count, drawn_by_name, name_order
from metaeval.base.results import Result
from metaeval.base.words import span, whole
from metaeval.collection.documents import NOT_POOLED, UNJUDGED, Collection, JudgedCollection
from metaeval.errors import EstimationError
from metaeval.resampling.judgments import check_steps
from metaeval.resampling.pool_depths import EntryDepths, entry_depths
from metaeval.resampling.pools import original_pool
from metaeval.resampling.reductions import REDUCTIONS, Reduced, keep_documents
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import settle

_MINUTES = 60.0


class CostModel(NamedTuple):
    """Minutes of an assessor per relevant and other document."""

    minutes_relevant: float
    minutes_other: float
    """For a relevant and for another document."""

    def hours[T: (float, NDArray[np.float64], pd.Series)](self, relevant: T, other: T) -> T:
        """Return the hours for so many relevant and other documents.

        Examples
        --------
        >>> round(COST_MODELS["2003"].hours(60.7, 438.3), 1), round(COST_MODELS["2005"].hours(60.7, 438.3), 1)
        (15.4, 11.1)
        """
        return (relevant * self.minutes_relevant + other * self.minutes_other) / _MINUTES


COST_MODELS: Mapping[str, CostModel] = MappingProxyType(
    {
        "2003": CostModel(8.0, 1.0),
        "2005": CostModel(5.0, 50.0 / 60.0),
        "2006": CostModel(1.0, 45.0 / 60.0),
    }
)
"""Rates measured at INEX (Piwowarski, Trotman and Lalmas 2008, Table III)."""


class GrowthRule(NamedTuple):
    """How pools grow topic by topic; see `adaptive_depth`."""

    start: int = 5
    step: int = 5
    """Depth of the first pools, and by how much one grows a round."""
    rate: float = 0.05
    """Relevant documents per newly judged one below which a topic stops."""
    budget: int | None = None
    """Most documents to judge, over all topics."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AdaptiveDepth(Result):
    """Simulated pools that stop when few new relevant documents are found."""

    per_topic: pd.DataFrame
    """See `to_frame`; the index is ``topic``."""
    adaptive: Reduced
    fixed: Reduced
    """One step each: the judgments left, and those of a pool of one depth for all topics with the same number of
    judged documents (rank by rank, run by run, all topics alike, until the number is reached)."""
    rule: GrowthRule
    """As asked for."""
    notes: tuple[str, ...]
    """What the pool lacks."""

    def _found(self) -> str:
        judged, relevant, fixed_judged, fixed_relevant = (
            int(self.per_topic[name].sum()) for name in ("judged", "relevant", "fixed_judged", "fixed_relevant")
        )
        adaptive = f"pools that stop by themselves hold {relevant:,} relevant of {count(judged, 'judged document')}"
        return f"{adaptive}, those of one depth {fixed_relevant:,} of {fixed_judged:,}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a topic.

        The columns are ``topic`` (those that `metaeval.score` counts); ``pool_depth`` reached, ``judged`` and
        ``relevant`` documents, ``stopped`` ("rate": few new ones came; "budget": the next step would have cost too
        much; "pool": nothing deeper was ever judged), and ``fixed_judged``, ``fixed_relevant`` at equal effort.
        """
        return self.per_topic.reset_index()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EqualEffort(Result):
    """Comparison of three ways to spend the same number of judgments."""

    steps: tuple[float, ...]
    """Effort in % of the original pool, as asked for."""
    judged: NDArray[np.int64]
    """Judged documents in every plan: that of a whole number of topics nearest to the step. Shape (n_steps,)."""
    plans: Mapping[str, Reduced]
    """"shallow": pools rank by rank for all topics; "sample": random documents of the deep pools of all topics;
    "topics": the full pools of random topics."""
    notes: tuple[str, ...]
    """What the pool lacks."""

    def _found(self) -> str:
        rows = self.to_frame().query("step == step.min()")
        relevant = span(rows["plan"], rows["relevant"], map(whole, rows["relevant"]))
        return f"the plans find {relevant} relevant documents by {count(int(rows['judged'].iloc[0]), 'judgment')}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a plan and step: judged and relevant documents, topics kept, topics left without any."""
        frames = []
        for name, plan in self.plans.items():
            columns = {"judged": plan.judged, "relevant": plan.relevant, "topics": plan.topics.sum(axis=1)}
            frames.append(pd.DataFrame({"plan": name, "step": self.steps, **columns, "emptied": plan.emptied}))
        return pd.concat(frames, ignore_index=True)


class _Deep(NamedTuple):
    """The pool that effort can be spent on: its documents, and which of them are judged (and so cost something)."""

    collection: Collection
    entries: EntryDepths
    depths: NDArray[np.int64]
    pooled: NDArray[np.bool_]
    inside: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    notes: tuple[str, ...]


def cost_model(model: str | CostModel) -> CostModel:
    """Return the cost model of a year of INEX, or the one given.

    Returns
    -------
    CostModel
        ``minutes_relevant`` and ``minutes_other`` of an assessor for a relevant and for another document.

    Raises
    ------
    UnknownNameError
        If there are no rates under that name.
    InvalidOptionError
        If a rate is negative or not finite.

    Examples
    --------
    >>> cost_model("2003")
    CostModel(minutes_relevant=8.0, minutes_other=1.0)
    """
    if isinstance(model, str):
        check_choice(model, "cost model", COST_MODELS)
        return COST_MODELS[model]
    for name, minutes in zip(CostModel._fields, model, strict=True):
        check_number(minutes, name, least=0, unit="minutes")
    return CostModel(*model)


def adaptive_depth(  # noqa: PLR0913 - one keyword per choice of the strategy
    collection: JudgedCollection,
    *,
    start: int = 5,
    step: int = 5,
    rate: float = 0.05,
    budget: int | None = None,
    pool_depth: int | None = None,
) -> AdaptiveDepth:
    """Simulate pools that grow by topic until few new relevant documents are found or the budget is spent.

    Parameters
    ----------
    collection : JudgedCollection
        Its current levels are replayed: only judged documents inside the original pool can be found.
    start, step : int
        Depth of the first pool of every topic, and by how much it grows a round.
    rate : float
        A topic stops after a round that found fewer relevant documents per newly judged one; 0 never stops. (The
        paper names no figure.) A round that judged nothing new decides nothing.
    budget : int, optional
        Most documents to judge, over all topics. Where a round cannot be paid for all topics, those with the highest
        rate in the last round come first.
    pool_depth : int, optional
        Depth to which the runs were pooled, where it is known; see `metaeval.resampling.pools.original_pool`.

    Returns
    -------
    AdaptiveDepth
        ``to_frame()`` has one row a topic: ``pool_depth`` reached, ``judged`` and ``relevant`` documents, why it
        ``stopped``, and the same at equal effort; see `AdaptiveDepth.to_frame`. The judgments themselves are in
        ``adaptive`` and ``fixed``.

    Raises
    ------
    InvalidOptionError
        If an option is outside its rule, or the pool cannot be built.
    EstimationError
        If the budget does not pay for the first pools.

    See Also
    --------
    equal_effort : the same effort spent in three ways

    Notes
    -----
    "Varying Pool Depth Across Queries" of [1]_.

    References
    ----------
    .. [1] Pal, Mitra and Kamps (2010). Evaluation effort, reliability and reusability in XML retrieval. JASIST.
       :doi:`10.1002/asi.21403`

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2", "d3"], "2": ["d4", "d5", "d6"]}}
    >>> qrels = {"1": {"d1": 1, "d2": 1, "d3": 1}, "2": {"d4": 1, "d5": 0, "d6": 0}}
    >>> replayed = adaptive_depth(collection_from_rankings(runs, qrels), start=1, step=1, pool_depth=3)
    >>> replayed.per_topic[["pool_depth", "judged", "relevant", "stopped"]].to_numpy().tolist()
    [[3, 3, 3, 'pool'], [2, 2, 1, 'rate']]
    """
    check_kind(collection, "collection", "JudgedCollection")
    rule = check_growth(GrowthRule(start, step, rate, budget))
    deep = _deep_pool(collection, pool_depth)
    depths, stopped = _grow(deep, start, step, rate, np.inf if budget is None else budget)
    entry = deep.entries.depth[: deep.collection.n_judgments]
    grown = deep.pooled & (entry <= depths[deep.collection.topic_of_judgment])
    level = _first(deep, _rank_by_rank(deep), (grown & deep.inside).sum(keepdims=True))[0]
    adaptive, fixed = (keep_documents(deep.collection, [mask], [100.0], code=NOT_POOLED) for mask in (grown, level))
    relevant = deep.collection.levels > 0
    table = {
        "pool_depth": depths,
        "judged": deep.entries.per_topic(grown & deep.inside),
        "relevant": deep.entries.per_topic(grown & relevant),
        "stopped": stopped,
        "fixed_judged": deep.entries.per_topic(level & deep.inside),
        "fixed_relevant": deep.entries.per_topic(level & relevant),
    }
    per_topic = pd.DataFrame(table, index=pd.Index(deep.collection.topics, name="topic"))[deep.counted]
    return AdaptiveDepth(per_topic=per_topic, adaptive=adaptive, fixed=fixed, rule=rule, notes=deep.notes)


def check_growth(rule: GrowthRule) -> GrowthRule:
    """Return a rule of growth if it can be followed."""
    for name in ("start", "step", *(("budget",) if rule.budget is not None else ())):
        check_count(getattr(rule, name), name)
    check_number(rule.rate, "rate", least=0, most=1)
    return rule


def equal_effort(
    collection: JudgedCollection,
    *,
    steps: Sequence[float] | None = None,
    rng: RNGLike = None,
    pool_depth: int | None = None,
) -> EqualEffort:
    """Compare shallow pools, samples of deep pools and fewer topics with the same number of judgments.

    Parameters
    ----------
    collection : JudgedCollection
        Its current levels, inside the original pool, are what can be spent on.
    steps : sequence of float, optional
        Effort in % of the judged documents of that pool; 80, 60, 40 and 20 by default.
    rng : None, int or numpy.random.Generator
        Source of the draws of topics and documents; one draw serves all steps.
    pool_depth : int, optional
        Depth to which the runs were pooled, where it is known; see `metaeval.resampling.pools.original_pool`.

    Returns
    -------
    EqualEffort
        One row a ``plan`` ("shallow", "sample" or "topics") and ``step`` (percent of the original pool) in
        ``to_frame()``: ``judged`` and ``relevant`` documents, ``topics`` kept, and ``emptied``, those of them with
        nothing relevant left. The judgments themselves are in ``plans``.

    Raises
    ------
    InvalidOptionError
        If a step is outside (0, 100], or the pool cannot be built.

    See Also
    --------
    adaptive_depth : pools that grow topic by topic

    Notes
    -----
    Topics are judged whole, so topics are drawn first, and the number of documents in those nearest to the step is
    what the other plans spend, to the document. A sample holds the same share of every topic, up to one document.
    Tables 11 and 12 of [1]_ compare at the same share of documents and of topics.

    References
    ----------
    .. [1] Pal, Mitra and Kamps (2010). Evaluation effort, reliability and reusability in XML retrieval. JASIST.
       :doi:`10.1002/asi.21403`

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2"], "2": ["d3", "d4"]}, "b": {"1": ["d2", "d1"], "2": ["d4", "d3"]}}
    >>> qrels = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1, "d4": 0}}
    >>> spent = equal_effort(collection_from_rankings(runs, qrels), steps=[50], rng=0, pool_depth=2)
    >>> spent.to_frame()[["plan", "judged", "topics"]].to_numpy().tolist()
    [['shallow', 2, 2], ['sample', 2, 2], ['topics', 2, 1]]
    """
    check_kind(collection, "collection", "JudgedCollection")
    chosen = check_steps(REDUCTIONS["topics"], steps)
    deep = _deep_pool(collection, pool_depth)
    generator = resolve_rng(rng).generator
    by_name = name_order(deep.collection.topics)
    shuffled = generator.permutation(by_name[deep.counted[by_name]])
    spent = np.cumsum(deep.entries.per_topic(deep.inside)[shuffled])
    goals = spent[-1] * np.array(chosen)[:, None] / 100
    nearest = settle(np.abs(spent - goals), spent + goals).argmin(axis=1)  # of two as near, the fewer topics
    effort = spent[nearest]
    topics = np.zeros((len(chosen), deep.collection.n_topics), dtype=bool)
    for row, last in zip(topics, nearest, strict=True):
        row[shuffled[: last + 1]] = True
    plans = {
        "shallow": keep_documents(deep.collection, _first(deep, _rank_by_rank(deep), effort), chosen, code=NOT_POOLED),
        "sample": keep_documents(
            deep.collection, _first(deep, _sampled(deep, generator), effort), chosen, code=UNJUDGED
        ),
        "topics": keep_documents(deep.collection, [deep.pooled] * len(chosen), chosen, code=NOT_POOLED, topics=topics),
    }
    return EqualEffort(steps=chosen, judged=effort, plans=MappingProxyType(plans), notes=deep.notes)


def _deep_pool(collection: JudgedCollection, pool_depth: int | None) -> _Deep:
    """Return the collection inside its original pool, in topics that have a score."""
    documents = collection.by_document
    original = original_pool(documents, pool_depth=pool_depth)
    restricted = documents.rejudge(original.levels)
    counted = documents.counted
    pooled = (restricted.levels != NOT_POOLED) & counted[documents.topic_of_judgment]
    inside = pooled & restricted.judged
    if not inside.any():
        raise EstimationError("no judged document is inside the pool of the runs, so no effort can be replayed")
    return _Deep(
        restricted, entry_depths(documents, complete=False), original.depths, pooled, inside, counted, original.notes
    )


def _first(deep: _Deep, order: NDArray[np.int64], numbers: NDArray[np.int64]) -> list[NDArray[np.bool_]]:
    """Return what is met in this order until so many documents are judged."""
    judged = deep.inside[order]
    before = np.full(deep.collection.n_judgments, len(order))
    before[order] = np.cumsum(judged) - judged
    return [(before < number) | deep.pooled if number == judged.sum() else before < number for number in numbers]


def _rank_by_rank(deep: _Deep) -> NDArray[np.int64]:
    """Return the pooled documents as one pool of all topics meets them: by rank, then run, then topic, by name."""
    rows = np.flatnonzero(deep.pooled)
    position = np.argsort(name_order(deep.collection.topics))
    topics = position[deep.collection.topic_of_judgment[rows]]
    return rows[np.lexsort((topics, deep.entries.system[rows], deep.entries.depth[rows]))]


def _sampled(deep: _Deep, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the judged documents in a random order whose every beginning holds the same share of each topic."""
    rows = np.flatnonzero(deep.inside)
    names, topics = deep.collection.topics, deep.collection.topic_of_judgment[rows]
    order = np.lexsort((drawn_by_name(names, topics, generator), topics))
    sizes = deep.entries.per_topic(deep.inside)
    position = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    offset = drawn_by_name(names, np.arange(len(sizes)), generator)
    moment = (position + np.repeat(offset, sizes)) / np.repeat(sizes, sizes)
    return rows[order][np.argsort(moment, kind="stable")]


def _grow(deep: _Deep, start: int, step: int, rate: float, budget: float) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Return the depth at which each topic stops and why."""
    judged, relevant = map(deep.entries.counts, (deep.inside, deep.inside & (deep.collection.levels > 0)))
    every, by_name = np.arange(len(judged)), name_order(deep.collection.topics)
    active = deep.counted.copy()
    depths = np.zeros(len(judged), dtype=np.int64)
    stopped = np.full(len(judged), "", dtype="<U6")
    last_rate = np.zeros(len(judged))
    left = budget
    while active.any():
        target = np.minimum(np.where(depths == 0, start, depths + step), deep.depths)
        cost = judged[every, target] - judged[every, depths]
        waiting = by_name[active[by_name]]
        order = waiting[np.argsort(-last_rate[waiting], kind="stable")]
        paid = _affordable(cost[order], left)
        if not paid.all() and (depths[active] == 0).all():
            raise EstimationError(
                f"`budget={budget:g}` does not pay for pools of depth {start} on {len(order)} topics, which take "
                f"{int(cost[order].sum())} judgments; raise it, or start shallower"
            )
        refused, served = order[~paid], order[paid]
        stopped[refused], active[refused] = "budget", False
        gain = (relevant[every, target] - relevant[every, depths])[served]
        left -= cost[served].sum()
        depths[served] = target[served]
        share = np.where(cost[served] > 0, gain / np.maximum(cost[served], 1), last_rate[served])
        last_rate[served] = share
        slow = (cost[served] > 0) & (share < rate)
        ended = depths[served] >= deep.depths[served]
        stopped[served[slow]], active[served[slow]] = "rate", False
        stopped[served[ended & ~slow]], active[served[ended]] = "pool", False
    return depths, stopped


def _affordable(cost: NDArray[np.int64], budget: float) -> NDArray[np.bool_]:
    """Say which steps are paid, each in turn if what is left suffices."""
    paid = np.zeros(len(cost), dtype=bool)
    for index, price in enumerate(cost.tolist()):  # one entry a topic
        if price <= budget:
            paid[index] = True
            budget -= price
    return paid
