"""Extended cumulated gain of elements (2005, 2006): nxCG, MAnxCG, MAep, iMAep, and the Q and R measures on gains."""

import inspect
from collections.abc import Callable
from typing import Annotated

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.inex.measures.element_lists import ElementLists
from metaeval.inex.measures.gains import Alpha, CumulatedGains, Task, Tie, cumulated_gains
from metaeval.metrics.parameters import Cutoff, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled

_Points = Annotated[int, Rule(lambda points: points >= 1, "at least 1")]
_Ranks = Annotated[str, Rule(lambda word: word in ("ideal", "longest"), "ideal or longest")]

_TOLERANCE = 1e-12  # relative: sums of gains must not miss a level of recall by a rounding error


def _of_gains(measure: Callable[..., Floats]) -> Callable[..., Floats]:
    """Turn a measure of gains into one of lists, with the parameters of `cumulated_gains` beside its own."""

    def kernel(
        lists: ElementLists,
        *,
        alpha: Alpha = 1.0,
        normalise: bool = True,
        task: Task = "runs",
        tie: Tie = "deeper",
        **own: float | str,
    ) -> Floats:
        values = measure(cumulated_gains(lists, alpha=alpha, normalise=normalise, task=task, tie=tie), **own)
        return values.reshape(*lists.lengths.shape, *values.shape[1:])

    shared = inspect.signature(kernel)
    parameters = [parameter for parameter in shared.parameters.values() if parameter.kind is not parameter.VAR_KEYWORD]
    own_parameters = list(inspect.signature(measure).parameters.values())[1:]
    for name in ("__name__", "__qualname__", "__doc__"):
        setattr(kernel, name, getattr(measure, name))
    kernel.__signature__ = shared.replace(parameters=[*parameters, *own_parameters])  # type: ignore[attr-defined]  # as inspect reads it
    kernel.__annotations__ |= {parameter.name: parameter.annotation for parameter in own_parameters}
    return kernel


@_of_gains
def normalised_gain(lists: CumulatedGains, *, k: Cutoff) -> Floats:
    r"""Cumulated gain at rank k over that of an ideal list (nxCG).

    Notes
    -----
    :math:`nxCG[k] = \sum_{i \le k} G[i] / \sum_{i \le k} I[i]`, with the gains of `cumulated_gains`; beyond its end
    a list gains nothing (Kazai, Lalmas and de Vries 2004, equation 3).
    """
    return _gain_at(lists, k, False)  # noqa: FBT003 - a kernel takes no names


@_of_gains
def mean_normalised_gain(lists: CumulatedGains, *, k: Cutoff) -> Floats:
    """Mean of nxCG over the ranks 1 to k (MAnxCG)."""
    return _gain_at(lists, k, True)  # noqa: FBT003 - a kernel takes no names


@_of_gains
def percentage_curve(lists: CumulatedGains, *, points: _Points = 10, ranks: _Ranks = "ideal") -> Floats:
    r"""Return nxCG at equally spaced percentages of the ranks, shape (n_systems, n_topics, points).

    Notes
    -----
    Percentage p of N ranks is rank :math:`\lceil p N / 100 \rceil`. N is the length of the ideal list, or with
    ``ranks=longest`` that of the longer of it and the list.
    """
    return _gain_at_percentages(lists, points, ranks == "longest")


@_of_gains
def normalised_gain_by_percentage(lists: CumulatedGains, *, points: _Points = 10, ranks: _Ranks = "ideal") -> Floats:
    """Mean of nxCG at 10 %, 20 %, … 100 % of the ranks of the ideal list (Kazai, Lalmas and de Vries 2004).

    The paper does not say of which list. With ``ranks=longest`` it is the longer one, so a list that holds everything
    reaches 1 at its end; then the run of all relevant elements is no longer last but one, as it is in Table 1.
    """
    return np.asarray(_gain_at_percentages(lists, points, ranks == "longest").mean(axis=1))


@_of_gains
def normalised_gain_curve(lists: CumulatedGains, *, k: Cutoff) -> Floats:
    """Return nxCG at the ranks 1 to k, shape (n_systems, n_topics, k)."""
    return _gain_by_rank(lists, k)


@_of_gains
def mean_effort_precision(lists: CumulatedGains) -> Floats:
    r"""Effort-precision, averaged over the ranks that gain something (MAep).

    Notes
    -----
    At rank i with a gain, the run needed i ranks for xCG[i], and an ideal list needs
    :math:`i_I = \min\{j : xCI[j] \ge xCG[i]\}`; effort-precision is :math:`i_I / i` (Ogilvie and Lalmas 2006). The
    sum is divided by the number of ideal elements, as average precision is by that of relevant documents, or by the
    number of gaining ranks where near misses make that larger: the paper says natural recall points only. Gains above
    the ideal total take all ideal elements. Ogilvie and Lalmas simplify it for the thorough task, in which overlap
    costs nothing: theirs is ``task=thorough``.
    """
    return _natural_effort(lists)


@_of_gains
def effort_precision_curve(lists: CumulatedGains, *, points: _Points = 100) -> Floats:
    """Return effort-precision at gain-recall 1/points, 2/points, … 1, shape (n_systems, n_topics, points).

    0 where the run never gains so much.
    """
    return _effort_at_recall(lists, points)


@_of_gains
def interpolated_effort_precision(lists: CumulatedGains, *, points: _Points = 100) -> Floats:
    """Effort-precision, averaged over standard points of gain-recall (iMAep)."""
    return np.asarray(_effort_at_recall(lists, points).mean(axis=1))


@_of_gains
def gain_q(lists: CumulatedGains) -> Floats:
    r"""Q-measure on gains of elements: blended ratio, averaged over the ranks that gain something.

    Notes
    -----
    :math:`BR(i) = (xCG[i] + count(i)) / (xCI[i] + i)` with the number count(i) of gaining ranks down to i; the sum is
    divided as in MAep (Kazai and Lalmas 2006, after Sakai). Values depend on the scale of the quantisation.
    """
    return _blended_ratio(lists, False)  # noqa: FBT003 - a kernel takes no names


@_of_gains
def gain_r(lists: CumulatedGains) -> Floats:
    """R-measure on gains of elements: the blended ratio at the rank of the last ideal element."""
    return _blended_ratio(lists, True)  # noqa: FBT003 - a kernel takes no names


@compiled
def _list_and_ideal(lists: CumulatedGains, number: int) -> tuple[Floats, Floats]:
    """Return the gains of one list, and those of the ideal list of its topic."""
    topic = number % (len(lists.ideal_offsets) - 1)
    gains = lists.gains[lists.offsets[number] : lists.offsets[number + 1]]
    return gains, lists.ideal[lists.ideal_offsets[topic] : lists.ideal_offsets[topic + 1]]


@compiled
def _gain_at(lists: CumulatedGains, k: int, averaged: bool) -> Floats:  # noqa: FBT001 - a kernel takes no names
    values = np.zeros(len(lists.offsets) - 1)
    for number in range(len(lists.offsets) - 1):
        gains, best = _list_and_ideal(lists, number)
        if len(best) == 0:
            continue
        total = ideal_total = ratio = mean = 0.0
        depth = min(k, max(len(gains), len(best)))
        for rank in range(depth):
            total += gains[rank] if rank < len(gains) else 0.0
            ideal_total += best[rank] if rank < len(best) else 0.0
            ratio = total / ideal_total
            mean += ratio
        mean += ratio * (k - depth)
        values[number] = mean / k if averaged else ratio
    return values


@compiled
def _gain_by_rank(lists: CumulatedGains, k: int) -> Floats:
    values = np.zeros((len(lists.offsets) - 1, k))
    for number in range(len(lists.offsets) - 1):
        gains, best = _list_and_ideal(lists, number)
        total = ideal_total = 0.0
        for rank in range(k if len(best) else 0):
            total += gains[rank] if rank < len(gains) else 0.0
            ideal_total += best[rank] if rank < len(best) else 0.0
            values[number, rank] = total / ideal_total
    return values


@compiled
def _gain_at_percentages(
    lists: CumulatedGains,
    points: int,
    longest: bool,  # noqa: FBT001 - a kernel takes no names
) -> Floats:
    values = np.zeros((len(lists.offsets) - 1, points))
    for number in range(len(lists.offsets) - 1):
        gains, best = _list_and_ideal(lists, number)
        if len(best) == 0:
            continue
        length = max(len(gains), len(best)) if longest else len(best)
        total = ideal_total = 0.0
        rank = 0
        for point in range(points):
            last = ((point + 1) * length + points - 1) // points
            while rank < last:
                total += gains[rank] if rank < len(gains) else 0.0
                ideal_total += best[rank] if rank < len(best) else 0.0
                rank += 1
            values[number, point] = total / ideal_total
    return values


@compiled
def _natural_effort(lists: CumulatedGains) -> Floats:
    values = np.zeros(len(lists.offsets) - 1)
    for number in range(len(lists.offsets) - 1):
        gains, best = _list_and_ideal(lists, number)
        if len(best) == 0:
            continue
        total = efforts = 0.0
        ideal_total = best[0]
        needed = 1
        count = 0
        for rank in range(len(gains)):
            if gains[rank] <= 0.0:
                continue
            total += gains[rank]
            count += 1
            while needed < len(best) and ideal_total < total * (1.0 - _TOLERANCE):
                ideal_total += best[needed]
                needed += 1
            efforts += needed / (rank + 1)
        values[number] = efforts / max(len(best), count)
    return values


@compiled
def _effort_at_recall(lists: CumulatedGains, points: int) -> Floats:
    values = np.zeros((len(lists.offsets) - 1, points))
    for number in range(len(lists.offsets) - 1):
        gains, best = _list_and_ideal(lists, number)
        if len(best) == 0 or len(gains) == 0:
            continue
        all_of_it = best.sum()
        total, ideal_total = gains[0], best[0]
        rank = needed = 1
        for point in range(points):
            wanted = all_of_it * (point + 1) / points * (1.0 - _TOLERANCE)
            while rank < len(gains) and total < wanted:
                total += gains[rank]
                rank += 1
            while needed < len(best) and ideal_total < wanted:
                ideal_total += best[needed]
                needed += 1
            if total < wanted:
                break
            values[number, point] = needed / rank
    return values


@compiled
def _blended_ratio(lists: CumulatedGains, at_last: bool) -> Floats:  # noqa: FBT001 - a kernel takes no names
    values = np.zeros(len(lists.offsets) - 1)
    for number in range(len(lists.offsets) - 1):
        gains, best = _list_and_ideal(lists, number)
        if len(best) == 0:
            continue
        total = ideal_total = ratios = last = 0.0
        count = 0
        for rank in range(max(len(gains), len(best))):
            gain = gains[rank] if rank < len(gains) else 0.0
            total += gain
            ideal_total += best[rank] if rank < len(best) else 0.0
            count += gain > 0.0
            if gain > 0.0:
                ratios += (total + count) / (ideal_total + rank + 1)
            if rank == len(best) - 1:
                last = (total + count) / (ideal_total + rank + 1)
        values[number] = last if at_last else ratios / max(len(best), count)
    return values


_UNBOUNDED = (0.0, np.inf)  # an element outside the ideal ones may gain beyond the ideal total

SPECS = tuple(
    MetricSpec(name=name, kernel=kernel, on="elements", graded=True, bounds=_UNBOUNDED, ideal=1.0, cite=cite)
    for name, kernel, cite in (
        ("nxCG", normalised_gain, "kazai2004"),
        ("MAnxCG", mean_normalised_gain, "kazai2006"),
        ("nxCGpercent", normalised_gain_by_percentage, "kazai2004"),
        ("MAep", mean_effort_precision, "ogilvie2006"),
        ("iMAep", interpolated_effort_precision, "kazai2006"),
        ("xQ", gain_q, "kazai2006"),
        ("xR", gain_r, "kazai2006"),
    )
)
"""In the order of lists and help."""
