"""User models of one's own, and what a reader may expect under any: gain, documents looked at, and the residual."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from importlib import import_module
from itertools import compress
from math import ceil, log
from typing import Any, Concatenate, NamedTuple, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_kind
from metaeval.base.results import Figure, Result
from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.lists import RankedLists, ranked_lists
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.scoring import resolve_metrics
from metaeval.metrics.spec import MetricSpec
from metaeval.metrics.user_models import DEPTH, scaled_gains
from metaeval.running.compiled import compiled

_BLOCK = 1_000_000
_NOTHING = 1e-17


class At(NamedTuple):
    """What a continuation function is given: ranks, and what was found there in several lists at once."""

    rank: Floats
    """1, 2, … Shape (depth,)."""
    gain: Floats
    """Gain at the rank, as a share of that of the top level. Shape (n_lists, depth)."""
    total: Floats
    """Sum of the gains down to the rank, its own included. Shape (n_lists, depth)."""


type Continuation = Callable[Concatenate[At, ...], Floats]


def _insq(at: At, *, T: float, **_: Any) -> Floats:  # noqa: ANN401, N803 - as published
    return ((at.rank + 2 * T - 1) / (at.rank + 2 * T)) ** 2


def _inst(at: At, *, T: float, **_: Any) -> Floats:  # noqa: ANN401, N803 - as published
    wanted = at.rank + 2 * T - at.total
    return ((wanted - 1) / wanted) ** 2


GOES_ON: dict[str, Continuation] = {
    "P": lambda at, **_: np.ones(len(at.rank)),
    "RBP": lambda at, *, p, **_: np.full(len(at.rank), p),
    "RR": lambda at, **_: (at.gain == 0).astype(np.float64),
    "SDCG": lambda at, **_: np.log2(at.rank + 1) / np.log2(at.rank + 2),
    "INSQ": _insq,
    "INST": _inst,
    "BPM": lambda at, **values: (at.total < values["T"] * (1 - 1e-12)).astype(np.float64),
    "NERR8": lambda at, **_: 1 - at.gain,
    "NERR9": lambda at, **_: (1 - at.gain) * at.rank / (at.rank + 1),
    "NERR10": lambda at, *, p, **_: (1 - at.gain) * p,
    "NERR11": lambda at, **values: (1 - at.gain) * _insq(at, **values),
}
"""C(i) of the built-in user models, by the name of the measure; the list ends at its cut-off."""
ADDITIVE = ("P", "RBP", "SDCG", "INSQ")
"""Those whose C(i) depends on the rank alone, so that each document adds W(i) g(i)."""


class Walked(NamedTuple):
    """What a reader may expect of every list, each of shape (n_systems, n_topics)."""

    rate: Floats
    total: Floats
    documents: Floats


def walked(goes_on: Continuation, lists: RankedLists, gains: Floats, *, depth: int, unjudged: float = 0.0) -> Walked:
    """Walk down every list under a continuation function, to `depth` at most.

    Shapes: `gains` (highest + 1,), by level. `unjudged` is the gain of documents without a judgment, and of those below
    the end of a list.
    """
    n_lists = lists.lengths.size
    values = np.empty((3, n_lists))
    size = max(_BLOCK // depth, 1)
    collection = lists.collection
    for start in range(0, n_lists, size):
        block = np.full((min(size, n_lists - start), depth), unjudged)
        if unjudged:
            judged_gains = np.where(collection.judged, gains[np.maximum(collection.levels, 0)], unjudged)
            write_gains(collection.offsets, collection.ranks, judged_gains[collection.judgments], start, block)
        else:
            write_gains(lists.offsets, lists.ranks, gains[lists.levels], start, block)
        going = np.broadcast_to(goes_on(At(np.arange(1.0, depth + 1), block, np.cumsum(block, axis=1))), block.shape)
        reach = np.ones(block.shape)
        np.cumprod(going[:, :-1], axis=1, out=reach[:, 1:])
        total, looked_at = (reach * block).sum(axis=1), reach.sum(axis=1)
        values[:, start : start + len(block)] = total / looked_at, total, looked_at
    return Walked(*values.reshape(3, *lists.lengths.shape))


@compiled
def write_gains(offsets: Ints, ranks: NDArray[np.int32], gains: Floats, start: int, found: Floats) -> None:
    """Write gains to their ranks, for the lists from number `start` on."""
    for row in range(len(found)):
        for entry in range(offsets[start + row], offsets[start + row + 1]):
            if ranks[entry] > found.shape[1]:
                break
            found[row, ranks[entry] - 1] = gains[entry]


@overload
def continuation(function: Continuation, /) -> MetricSpec: ...
@overload
def continuation(*, monotone: bool) -> Callable[[Continuation], MetricSpec]: ...
def continuation(
    function: Continuation | None = None, /, *, monotone: bool = False
) -> MetricSpec | Callable[[Continuation], MetricSpec]:
    r"""Define a measure by how likely a reader goes on from each rank to the next (C/W/L).

    Parameters
    ----------
    function : callable
        ``f(at: At, *, parameters) -> array``: the probability C(i) of going on from rank i, for several lists at once.
        `at` has ``rank`` (depth,), ``gain`` and ``total`` (n_lists, depth): the gain at the rank as a share of that of
        the top level, and the sum of the gains down to it. A parameter ``k`` ends the list; else it ends at 1000.
    monotone : bool, default False
        Whether moving a better document up is never to lower the score; `metaeval.testing.check_metric` then tries it.

    Returns
    -------
    MetricSpec
        The expected rate of gain; or a decorator, where `monotone` is given.

    See Also
    --------
    metaeval.metrics.spec.metric
    metaeval.metrics.continuations.expectations

    Notes
    -----
    .. math:: \sum_i W(i)\, g(i), \qquad W(i + 1) = W(i)\, C(i), \qquad \sum_i W(i) = 1

    (Moffat, Bailey, Scholer and Thomas 2017).

    Examples
    --------
    >>> @continuation
    ... def Hurried(at, *, p: float = 0.7):
    ...     "Rate of gain of a reader who goes on with probability p, and less often after a gain."
    ...     return p * (1 - at.gain / 2)
    >>> Hurried.usage
    'Hurried(gains=linear, judged_only=False, p=0.7)'
    """
    if function is None:
        return partial(_as_measure, monotone=monotone)
    return _as_measure(function, monotone=monotone)


def _as_measure(function: Continuation, *, monotone: bool) -> MetricSpec:
    if not callable(function):
        raise InvalidOptionError(f"a continuation is a function f(at), not {function!r:.80}")
    name = str(getattr(function, "__name__", type(function).__name__))

    @wraps(function)
    def kernel(lists: RankedLists, **values: Any) -> Floats:  # noqa: ANN401 - of its own parameters
        def goes_on(at: At) -> Floats:
            chances = np.asarray(function(at, **values), dtype=np.float64)
            try:
                np.broadcast_to(chances, at.gain.shape)
            except ValueError:
                raise InvalidOptionError(
                    f"{name} must give a probability for every rank, shape (depth,) or (n_lists, depth), here "
                    f"{at.gain.shape}; it gave the shape {chances.shape}"
                ) from None
            if not ((chances >= 0) & (chances <= 1)).all():
                raise InvalidOptionError(
                    f"{name} must give probabilities, between 0 and 1; it gave {chances.min():g} to {chances.max():g}"
                )
            return chances

        return walked(goes_on, lists, scaled_gains(lists), depth=values.get("k") or DEPTH).rate

    return MetricSpec(name=name, kernel=kernel, graded=True, real_grades=True, monotone=monotone, cite="moffat2017")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expectations(Result):
    """What a reader may expect of every run under user models, and what its unjudged documents leave open.

    The arrays have the shape (metric, system, topic).
    """

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    rate: Floats
    """Gain per document looked at, the sum of W(i) g(i): the score."""
    total: Floats
    """Gain of all documents looked at."""
    documents: Floats
    """How many documents are looked at, :math:`1 / W(1)`."""
    residual: Floats
    """How much larger the rate is if every unjudged document, and all below the end of the list, have the largest
    gain. For `ADDITIVE` measures it is also the most that other judgments could add."""

    def _found(self) -> str:
        spread = [
            f"{name}: residual {value:.3f}" for name, value in zip(self.metrics, self._mean_residuals(), strict=True)
        ]
        return ", ".join(spread)

    def _mean_residuals(self) -> list[float]:
        return [float(value) for value in self.residual.mean(axis=(1, 2))]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system: the means over topics."""
        names = pd.MultiIndex.from_product([self.metrics, self.systems], names=["metric", "system"])
        values = {name: getattr(self, name).mean(axis=2).ravel() for name in ("rate", "total", "documents", "residual")}
        return pd.DataFrame(values, index=names).reset_index()

    def _draw(self, metric: str | None = None) -> Figure:
        """Draw the rate of every run under one metric (the first by default), with what its residual leaves open."""
        name = self.metrics[0] if metric is None else metric
        check_choice(name, "metric", self.metrics)
        frame = self.to_frame().assign(mean=lambda one: one["rate"], low=lambda one: one["rate"])
        frame = frame.assign(high=frame["rate"] + frame["residual"])
        frame["rank"] = frame.groupby("metric")["rate"].rank(ascending=False, method="min").astype(int)
        figures = import_module("metaeval.figures.systems")  # as studies name their reports: pictures lie above metrics
        drawn: Figure = figures.system_ranking(frame, name, label="rate of gain, up to that with the residual")
        return drawn


def expectations(
    collection: Collection, metrics: object = ("INST(T=2)",), *, registry: Registry | None = None
) -> Expectations:
    r"""Compute what a reader may expect of every run under user models (C/W/L), and the residual.

    Parameters
    ----------
    collection : Collection
        Runs and judgments.
    metrics : sequence of str or Metric
        Among P, RBP, RR, SDCG, INSQ, INST, BPM and NERR8 to NERR11.
    registry : Registry, optional
        Where names are looked up; by default the built-in metrics and those of installed packages.

    Returns
    -------
    Expectations

    Raises
    ------
    InvalidOptionError
        For a metric that is no user model, or one on condensed lists, which leave nothing unjudged.

    See Also
    --------
    metaeval.metrics.continuations.continuation
    metaeval.metrics.scoring.score

    Notes
    -----
    .. math:: W(i) = \frac{\prod_{j < i} C(j)}{\sum_r \prod_{j < r} C(j)}, \qquad rate = \sum_i W(i)\, g(i), \qquad
              total = \frac{rate}{W(1)}, \qquad documents = \frac{1}{W(1)}

    (Moffat, Bailey, Scholer and Thomas 2017), as cwl_eval (Azzopardi, Thomas and Moffat 2019) computes them. A reader
    who reaches the end of the list, rank k or 1000, stops there.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> collection = collection_from_rankings({"a": {"1": ["d1", "u", "d2"]}}, {"1": {"d1": 1, "d2": 0}})
    >>> expectations(collection, ["RBP(p=0.5)"]).to_frame().round(3)
           metric system  rate  total  documents  residual
    0  RBP(p=0.5)      a   0.5    1.0        2.0     0.375
    """
    check_kind(collection, "collection", "Collection")
    chosen = resolve_metrics(metrics, registry=registry)
    lists = ranked_lists(collection)
    per_metric = [_expected(metric, lists) for metric in chosen]
    counted = collection.counted
    rate, total, documents, residual = (np.stack(values)[:, :, counted] for values in zip(*per_metric, strict=True))
    return Expectations(
        metrics=tuple(measure.name for measure in chosen),
        systems=collection.systems,
        topics=tuple(compress(collection.topics, counted)),
        rate=rate,
        total=total,
        documents=documents,
        residual=residual,
    )


def _expected(metric: AnyMetric, lists: RankedLists) -> tuple[Floats, ...]:
    if not isinstance(metric, Metric) or metric.spec.name not in GOES_ON or dict(metric.parameters).get("judged_only"):
        named = ", ".join(GOES_ON)
        raise InvalidOptionError(f"{metric.name} is no user model with unjudged documents; there are {named}")
    view = metric.view(lists)
    values = {name: value for name, value in metric.own_values().items() if value is not None}
    rel = values.get("rel")
    top = values.get("max_level")
    gains = scaled_gains(view, top) if rel is None else (view.numbers >= rel).astype(np.float64)
    deep = values.pop("k", None) or (max(DEPTH, ceil(log(_NOTHING) / log(values["p"]))) if "p" in values else DEPTH)
    goes_on = partial(GOES_ON[metric.spec.name], **values)
    low = walked(goes_on, view, gains, depth=deep)
    high = walked(goes_on, view, gains, depth=deep, unjudged=1.0)
    return (*low, high.rate - low.rate)
