"""What unjudged documents leave open: how much they could change a difference of runs, and which findings hold."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_kind, check_share
from metaeval.base.results import Figure, Result
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.continuations import ADDITIVE
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.metrics.user_models import DEPTH, squares
from metaeval.running.compiled import compiled
from metaeval.table.scores import as_scores
from metaeval.tests_stat.paired_t import paired_t_test

_NOTHING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompletionBounds(Result):
    """Bounds of the differences between runs over all that the unjudged documents could be."""

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    first: Ints
    second: Ints
    """Positions of the two runs of every pair. Shape (n_pairs,)."""
    difference: Floats
    """Mean difference as judged, first minus second. Shape (metric, pair)."""
    low: Floats
    high: Floats
    """The smallest and the largest mean difference that other judgments of unjudged documents could give."""
    significant: Flags
    """Whether the pair differs significantly as judged."""
    holds: Flags
    """Whether it differs significantly, with the same winner, whatever the unjudged documents are."""
    shared: bool
    """Whether it is known which unjudged documents two runs share; if not, the bounds are too wide."""
    correction: str
    alpha: float
    left_out: tuple[str, ...] = ()
    """Metrics under which documents do not add up, so that there are no bounds."""

    def _found(self) -> str:
        rows = self.to_frame().itertuples()
        return ", ".join(f"{row.metric}: {row.n_hold} of {row.n_significant} significant pairs hold" for row in rows)

    def _draw(self) -> Figure:
        """Draw the shares of the pairs that are significant always, as judged only, and not."""
        from metaeval.figures.power import decided_bars  # noqa: PLC0415 - matplotlib

        frame = self.to_frame()
        n_open, n_other = frame["n_significant"] - frame["n_hold"], frame["n_pairs"] - frame["n_significant"]
        return decided_bars(frame.assign(n_open=n_open, n_other=n_other), "completions")

    @property
    def same_winner(self) -> Flags:
        """Which pairs have the same winner whatever the unjudged documents are."""
        return (self.low > 0) | (self.high < 0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric: pairs, those that are significant, and those that hold.

        ``n_same_winner`` counts the significant pairs whose winner is the same under every completion, and
        ``n_hold`` those that are significant under every one; ``residual`` is the mean width of the bounds.
        """
        return pd.DataFrame(
            {
                "metric": list(self.metrics),
                "n_pairs": len(self.first),
                "n_significant": self.significant.sum(axis=1),
                "n_same_winner": (self.significant & self.same_winner).sum(axis=1),
                "n_hold": self.holds.sum(axis=1),
                "residual": (self.high - self.low).mean(axis=1),
            }
        )

    def pairs(self) -> pd.DataFrame:
        """Return one row a metric and pair."""
        n_metrics, n_pairs = self.difference.shape
        names = np.array(self.systems, dtype=object)
        return pd.DataFrame(
            {
                "metric": np.repeat(np.array(self.metrics, dtype=object), n_pairs),
                "system_a": np.tile(names[self.first], n_metrics),
                "system_b": np.tile(names[self.second], n_metrics),
                **{name: getattr(self, name).ravel() for name in ("difference", "low", "high", "significant", "holds")},
            }
        )


def completion_bounds(
    collection: Collection,
    metrics: object = ("RBP(p=0.8)",),
    *,
    correction: str = "fdr_by",
    alpha: float = 0.05,
    registry: Registry | None = None,
) -> CompletionBounds:
    r"""Find which significant pairs stay so whatever the unjudged documents are.

    Parameters
    ----------
    collection : Collection
        With all retrieved documents (``retrieved="all"``), two runs are known to share an unjudged document; without,
        the bounds are wider.
    metrics : sequence of str or Metric
        P, RBP, SDCG and INSQ, under which each document adds its weight times its gain; others are refused.
    correction : str
        Of `metaeval.tests_stat.correction.CORRECTIONS`.
    alpha : float, default 0.05
        Level of the paired t test.
    registry : Registry, optional
        Where metric names are looked up.

    Returns
    -------
    CompletionBounds
        One row a ``metric`` in ``to_frame()``: ``n_pairs``, of them ``n_significant`` as judged, ``n_same_winner`` with
        the same winner and ``n_hold`` significant whatever the unjudged documents are, and ``residual``, the mean width
        of the bounds of a difference in units of the metric. Metrics without bounds are in ``left_out``.

    Raises
    ------
    InvalidOptionError
        For another metric.

    See Also
    --------
    metaeval.metrics.continuations.expectations
    metaeval.questions.judgments.study.study_judgments

    Notes
    -----
    An unjudged document d has a gain between 0 and 1 of the top level, the same for both runs, so that a topic's
    difference lies between

    .. math:: \Delta - \sum_d (w_b(d) - w_a(d))^+ - \text{tail}_b \quad \text{and} \quad
              \Delta + \sum_d (w_a(d) - w_b(d))^+ + \text{tail}_a

    with the weights of its ranks and those below the end of a list (the residual of Moffat and Zobel 2008). A pair
    holds if its t exceeds the smallest t that was significant, for all differences within these bounds: t is smallest
    where the topics with the highest middles are at their upper bounds and the others at their lower ones, up to a part
    of one topic, so that the bound is on the safe side. The threshold is that of the pairs as judged.

    Examples
    --------
    >>> from metaeval import simulate_collection
    >>> made = simulate_collection(n_groups=3, runs_per_group=2, n_topics=20, n_documents=300, depth=20, rng=1)
    >>> found = completion_bounds(made.to_collection(), ["P@10", "RBP(p=0.8)"])
    >>> found.to_frame()[["metric", "n_pairs", "n_significant", "n_hold"]]
           metric  n_pairs  n_significant  n_hold
    0        P@10       15             12       5
    1  RBP(p=0.8)       15             12       5
    """
    check_kind(collection, "collection", "Collection")
    check_share(alpha, "alpha")
    chosen = resolve_metrics(metrics, registry=registry)
    for metric in chosen:
        if not is_additive(metric):
            message = f"{metric.name} has no bounds here: documents do not add up; there are {', '.join(ADDITIVE)}"
            raise InvalidOptionError(message)
    values = metric_values(collection, chosen)[:, :, collection.counted]
    scores = as_scores(values, metrics=[metric.name for metric in chosen], systems=list(collection.systems))
    tested = paired_t_test(scores, correction=correction, alpha=alpha)
    position = {name: number for number, name in enumerate(collection.systems)}
    first = np.array([position[name] for name in tested.data["system_a"].to_numpy().tolist()])
    second = np.array([position[name] for name in tested.data["system_b"].to_numpy().tolist()])
    significant = tested.data["significant"].to_numpy().astype(bool)
    low, high, holds = [], [], []
    for number, metric in enumerate(chosen):
        alone, shared = _open_weights(collection, metric)
        difference = values[number, first] - values[number, second]
        common = shared[:, first, second].T
        upper = difference + alone[first] - common
        lower = difference - alone[second] + common
        limit = _limit(tested.data["p_value"].to_numpy()[number], significant[number], values.shape[2])
        up = difference.mean(axis=1) > 0
        toward, away = np.where(up[:, None], lower, -upper), np.where(up[:, None], upper, -lower)
        low.append(lower.mean(axis=1))
        high.append(upper.mean(axis=1))
        holds.append(significant[number] & exceeds_always(toward, away, limit))
    return CompletionBounds(
        metrics=tuple(metric.name for metric in chosen),
        systems=collection.systems,
        first=first,
        second=second,
        difference=np.stack([values[number, first] - values[number, second] for number in range(len(chosen))]).mean(2),
        low=np.stack(low),
        high=np.stack(high),
        significant=significant,
        holds=np.stack(holds),
        shared=collection.retrieved is not None,
        correction=correction,
        alpha=alpha,
    )


def bounds_where_possible(
    collection: JudgedCollection, metrics: Iterable[AnyMetric], *, correction: str = "fdr_by", alpha: float = 0.05
) -> CompletionBounds | None:
    """Return the bounds under those metrics that allow them; None for other kinds of results, or if there is none."""
    every = list(metrics)
    additive = [metric for metric in every if is_additive(metric)]
    if not additive or not isinstance(collection, Collection) or collection.counted.sum() < 2:  # noqa: PLR2004 - for a t
        return None
    bounds = completion_bounds(collection, additive, correction=correction, alpha=alpha)
    return replace(bounds, left_out=tuple(metric.name for metric in every if not is_additive(metric)))


def is_additive(metric: AnyMetric) -> bool:
    """Say whether a metric sums weight times gain over documents, the unjudged ones included."""
    return (
        isinstance(metric, Metric) and metric.spec.name in ADDITIVE and not dict(metric.parameters).get("judged_only")
    )


def rank_weights(metric: Metric, longest: int) -> tuple[Floats, float]:
    """Return the weight of every rank from 1 on, down to `longest` or where the metric ends, and the sum of all.

    Examples
    --------
    >>> from metaeval.metrics.builtin import BUILTIN
    >>> rank_weights(BUILTIN.resolve("RBP(p=0.5)"), 2)
    (array([0.5 , 0.25]), 1.0)
    """
    values = metric.own_values()
    k: Any = values.get("k")
    if metric.spec.name == "P":
        return np.full(k, 1.0 / k), 1.0
    if metric.spec.name == "RBP":
        p = values["p"]
        weights = (1.0 - p) * np.power(p, np.arange(k or longest))
        return weights, 1.0 if k is None else float(weights.sum())
    reach = 1.0 / np.log2(np.arange(2.0, k + 2)) if metric.spec.name == "SDCG" else squares(values["T"], k or DEPTH)
    return reach / reach.sum(), 1.0


def _open_weights(collection: Collection, metric: AnyMetric) -> tuple[Floats, Floats]:
    """Return the weight of what is not judged in each list, and that which two lists share, of the counted topics.

    Shapes: (n_systems, n_topics), and (n_topics, n_systems, n_systems).
    """
    if not isinstance(metric, Metric):  # never: the caller has looked
        raise TypeError(metric.name)
    weights, total = rank_weights(metric, int(collection.n_retrieved.max(initial=1)))
    counted = np.flatnonzero(collection.counted)
    upto = np.concatenate([[0.0], np.cumsum(weights)])
    n_systems, n_topics = collection.n_systems, collection.n_topics
    judged = collection.judged[collection.judgments]
    at_rank = np.where(
        judged & (collection.ranks <= len(weights)), upto[1:][np.minimum(collection.ranks, len(weights)) - 1], 0
    )
    at_rank -= np.where(
        judged & (collection.ranks <= len(weights)), upto[np.minimum(collection.ranks, len(weights)) - 1], 0
    )
    sums = np.concatenate([[0.0], np.cumsum(at_rank)])
    seen = np.diff(sums[collection.offsets]).reshape(n_systems, n_topics)
    alone = np.maximum(total - seen, 0.0)[:, counted]
    every = collection.retrieved
    if every is None:
        return alone, np.zeros((len(counted), n_systems, n_systems))
    deep = int((weights > _NOTHING).sum())
    lengths = np.diff(every.offsets)
    depths = np.minimum(lengths, deep)
    entries = np.arange(int(depths.sum())) + np.repeat(
        every.offsets[:-1] - np.concatenate([[0], np.cumsum(depths)[:-1]]), depths
    )
    lists = np.repeat(np.arange(len(lengths)), depths)
    codes = every.codes[entries]
    entry_weights = weights[entries - every.offsets[:-1][lists]]
    is_open = (codes >= collection.n_judgments) | ~collection.judged[np.minimum(codes, collection.n_judgments - 1)]
    lists, codes, entry_weights = lists[is_open], codes[is_open].astype(np.int64), entry_weights[is_open]
    order = np.lexsort((codes, lists % n_topics))
    topics = lists[order] % n_topics
    shared = shared_weights(topics, codes[order], lists[order] // n_topics, entry_weights[order], n_topics, n_systems)
    return alone, shared[counted]


@compiled
def shared_weights(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    topics: Ints, codes: Ints, systems: Ints, weights: Floats, n_topics: int, n_systems: int
) -> Floats:
    """Sum over the documents of each topic the smaller of the two weights, for every pair of systems.

    Entries stand by topic and document.
    """
    sums = np.zeros((n_topics, n_systems, n_systems))
    start = 0
    while start < len(codes):
        stop = start + 1
        while stop < len(codes) and codes[stop] == codes[start] and topics[stop] == topics[start]:
            stop += 1
        for first in range(start, stop):
            for second in range(start, stop):
                sums[topics[start], systems[first], systems[second]] += min(weights[first], weights[second])
        start = stop
    return sums


def _limit(p_values: Floats, significant: Flags, n_topics: int) -> float:
    """Return the t of the largest p-value that was significant; infinite where none was."""
    if not significant.any():
        return np.inf
    return float(-stdtrit(n_topics - 1, max(float(p_values[significant].max()), np.finfo(float).tiny) / 2.0))


def exceeds_always(lower: Floats, upper: Floats, limit: float) -> Flags:
    r"""Say of which pairs the paired t is at least `limit` for all differences within the bounds of their topics.

    Shapes: (n_pairs, n_topics) each. With S the sum and Q the sum of squares of the differences, t falls below the
    limit where :math:`\kappa Q - (1 + \kappa / n) S^2` exceeds 0, :math:`\kappa = t^2 n / (n - 1)`. The largest Q for a
    given S lies on a chain of segments, topics by falling middle, and on each the expression has one maximum.

    Examples
    --------
    >>> exceeds_always(np.array([[0.1, 0.2], [0.1, 0.0]]), np.array([[0.1, 0.2], [0.4, 0.2]]), 2.0).tolist()
    [True, False]
    """
    n = lower.shape[1]
    if not np.isfinite(limit):
        return np.zeros(len(lower), dtype=bool)
    kappa = limit**2 * n / (n - 1)
    share = 1.0 + kappa / n
    order = np.argsort(-(lower + upper), axis=1, kind="stable")
    low, high = np.take_along_axis(lower, order, axis=1), np.take_along_axis(upper, order, axis=1)
    width, slope = high - low, low + high
    sums = low.sum(axis=1, keepdims=True) + np.cumsum(width, axis=1) - width
    sum_of_squares = np.square(low).sum(axis=1, keepdims=True) + np.cumsum(width * slope, axis=1) - width * slope
    step = np.clip(kappa * slope / (2.0 * share) - sums, 0.0, width)
    most = kappa * (sum_of_squares + slope * step) - share * np.square(sums + step)
    scale = 1e-9 * np.maximum(np.square(lower).sum(axis=1), 1e-12)
    return (lower.sum(axis=1) > 0) & (most.max(axis=1) <= scale)
