"""The metric of INEX 2002 to 2004 (inex_eval): precall, ties by expected search length."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError
from metaeval.inex.measures.element_lists import ElementLists
from metaeval.inex.measures.gains import first_values
from metaeval.metrics.parameters import Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads

_Nonrel = Annotated[str, Rule(lambda word: word in ("expectation", "indicator"), "expectation or indicator")]
_Step = Annotated[str, Rule(lambda word: word in ("real", "ceil"), "real or ceil")]
_FromOne = Annotated[int, Rule(lambda number: number >= 1, "at least 1")]

_TOLERANCE = 1e-9  # of the recall base: sums of relevance must not miss a level of recall by a rounding error


def average_precall(
    lists: ElementLists,
    *,
    n_elements: _FromOne | None = None,
    nonrel: _Nonrel = "expectation",
    points: _FromOne = 100,
    step: _Step = "real",
) -> NDArray[np.float64]:
    """Mean probability that a result is relevant, over 100 points of recall (inex-2002, inex_eval).

    Overlap is ignored on purpose: every relevant element counts in full, seen before or not.
    """
    curve = precall_curve(lists, n_elements=n_elements, nonrel=nonrel, points=points, step=step)
    return np.asarray(curve.mean(axis=2))


def precall_curve(
    lists: ElementLists,
    *,
    n_elements: _FromOne | None = None,
    nonrel: _Nonrel = "expectation",
    points: _FromOne = 100,
    step: _Step = "real",
) -> NDArray[np.float64]:
    r"""Return precall at recall 1/points, 2/points, … 1, shape (n_systems, n_topics, points).

    Notes
    -----
    Let n be the sum of all values q of a topic's elements, overlapping ones included; let elements of equal score
    share a rank, rel(i) and non(i) being the sums of q and of non-relevance there. Recall x is reached at the first
    rank l where the sum of rel is at least x n. With k and j the sums of rel and non above l,

    .. math:: P(x) = \frac{x n}{x n + j + (x n - k)\, non(l) / (rel(l) + 1)}

    (Kazai, Lalmas and de Vries 2004, equation 1; Raghavan, Bollmann and Jung 1989). The second time that a list has
    an element, it is not relevant.
    """
    if n_elements is not None and (lists.lengths > n_elements).any():
        message = f"n_elements must be at least the longest list, {int(lists.lengths.max())}, not {n_elements}"
        raise InvalidOptionError(message)
    listed = (lists.collection.offsets, first_values(lists), lists.collection.tied)
    wholes, most = lists.per_topic(lists.values), -1 if n_elements is None else n_elements
    levels = np.arange(1, points + 1) / points
    curves = np.zeros((*lists.lengths.shape, points))
    rows = curves.reshape(-1, points)
    _precall(len(rows), *listed, wholes, most, nonrel == "indicator", step == "ceil", levels, rows)
    return curves


@on_threads
@compiled
def _precall(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    values: NDArray[np.float64],
    tied: NDArray[np.bool_],
    wholes: NDArray[np.float64],
    n_elements: int,
    indicator: bool,  # noqa: FBT001 - a kernel takes no names
    in_whole_steps: bool,  # noqa: FBT001 - a kernel takes no names
    levels: NDArray[np.float64],
    curves: NDArray[np.float64],
) -> None:
    for number in range(first, last):
        start, stop = offsets[number], offsets[number + 1]
        total = wholes[number % len(wholes)]
        if total <= 0.0 or start == stop:
            continue
        rel = np.zeros(stop - start + 1)
        non = np.zeros(stop - start + 1)
        n_ranks = 0
        for position in range(start, stop):
            if position == start or not tied[position]:
                n_ranks += 1
            rel[n_ranks - 1] += values[position]
            non[n_ranks - 1] += (1.0 if values[position] == 0.0 else 0.0) if indicator else 1.0 - values[position]
        if n_elements >= 0:
            rel[n_ranks] = max(total - rel[:n_ranks].sum(), 0.0)
            non[n_ranks] = n_elements - (stop - start) - rel[n_ranks]
            n_ranks += 1
        precall(rel[:n_ranks], non[:n_ranks], total, levels, in_whole_steps, curves[number])


@compiled
def precall(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    rel: NDArray[np.float64],
    non: NDArray[np.float64],
    whole: float,
    levels: NDArray[np.float64],
    in_whole_steps: bool,  # noqa: FBT001 - a kernel takes no names
    curve: NDArray[np.float64],
) -> None:
    """Fill in precall at ascending levels of recall, given the relevance and non-relevance of every rank."""
    slack = _TOLERANCE * whole
    rank = 0
    above_rel = above_non = 0.0
    for point in range(len(levels)):
        wanted = levels[point] * whole
        needed = np.ceil(wanted - slack) if in_whole_steps else wanted
        while rank < len(rel) and above_rel + rel[rank] < needed - slack:
            above_rel += rel[rank]
            above_non += non[rank]
            rank += 1
        if rank == len(rel):
            return
        left = needed - above_rel
        length = above_non + left * non[rank] / (rel[rank] + 1.0)
        curve[point] = wanted / (wanted + length)


SPECS = (MetricSpec(name="inex2002", kernel=average_precall, on="elements", graded=True, cite="goevert2002"),)
