"""The metric of INEX 2003 (inex_eval_ng): recall by exhaustivity, precision by specificity, text seen once."""

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import UNKNOWN
from metaeval.inex.measures.element_lists import ElementLists
from metaeval.inex.measures.gains import results_of, was_shown
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads

_TOP_GRADE = 3
_N_POINTS = 100
_TOLERANCE = 1e-9


def text_average_precision(lists: ElementLists, *, overlap: bool = True, strict: bool = False) -> Floats:
    r"""Precision in text shown over recall of exhaustivity (inex_eval_ng), the mean of 100 points of recall.

    Notes
    -----
    At each point of recall x the precision is the largest at any rank whose recall is at least x, or 0. See
    `text_precision_recall`; the original averages otherwise and expects ties.
    """
    precision, recall = text_precision_recall(lists, overlap=overlap, strict=strict)
    means = _interpolated_mean(lists.collection.offsets, precision, recall)
    return means.reshape(lists.lengths.shape)


def text_precision_recall(lists: ElementLists, *, overlap: bool = True, strict: bool = False) -> tuple[Floats, Floats]:
    r"""Return precision and recall at every result, list after list.

    Notes
    -----
    With :math:`c'_i` the part of result :math:`c_i` that no result before it contains, and e and s divided by 3 (or
    1 for grade 3, else 0),

    .. math:: R_k = \sum_{i \le k} e(c_i) \frac{|c'_i|}{|c_i|} \Big/ \sum_c e(c), \qquad
              P_k = \sum_{i \le k} s(c_i) |c'_i| \Big/ \sum_{i \le k} |c'_i|

    (Gövert, Fuhr, Lalmas and Kazai 2006). Without overlap, c' = c.
    """
    exhaustivity, specificity = _shares(lists, strict=strict)
    elements, used = lists.collection.elements, lists.collection.elements_returned
    sizes, wholes = elements.sizes, lists.per_topic(exhaustivity)
    lists.refuse_unknown_size(used[sizes[used] == UNKNOWN], what="inexNG")
    offsets, results, starts = results_of(lists)
    precision, recall = np.empty((2, len(results)))
    arguments = (offsets, results, starts, elements.parents, sizes, exhaustivity, specificity, wholes, overlap)
    _text_seen_once(len(offsets) - 1, *arguments, precision, recall)
    return precision, recall


def _shares(lists: ElementLists, *, strict: bool) -> tuple[Floats, Floats]:
    if lists.collection.scale != "2003":
        raise InvalidOptionError(
            f"inexNG is made for grades of exhaustivity and specificity (scale 2003), not {lists.collection.scale}"
        )
    grades = (lists.exhaustivity, np.where(lists.relevant, lists.collection.elements.specificity, 0))
    if strict:
        return (grades[0] == _TOP_GRADE).astype(np.float64), (grades[1] == _TOP_GRADE).astype(np.float64)
    return grades[0] / _TOP_GRADE, grades[1] / _TOP_GRADE


def _n_exhaustive(lists: ElementLists, *, overlap: bool = True, strict: bool = False) -> Ints:  # noqa: ARG001 - the parameters of the metric
    return lists.per_topic(_shares(lists, strict=strict)[0] > 0).astype(np.int64)


@on_threads
@compiled
def _text_seen_once(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    first: int,
    last: int,
    offsets: Ints,
    results: NDArray[np.int32],
    element_offsets: Ints,
    parents: NDArray[np.int32],
    sizes: Ints,
    exhaustivity: Floats,
    specificity: Floats,
    wholes: Floats,
    overlap: bool,  # noqa: FBT001 - a kernel takes no names
    precision: Floats,
    recall: Floats,
) -> None:
    for number in range(first, last):
        start, stop = element_offsets[number % len(wholes)], element_offsets[number % len(wholes) + 1]
        up = parents[start:stop]
        total = wholes[number % len(wholes)]
        seen = np.zeros(stop - start, dtype=np.int64)  # characters of each element that were shown
        returned = np.zeros(stop - start, dtype=np.bool_)
        recalled = good = read = 0.0
        for position in range(offsets[number], offsets[number + 1]):
            element = results[position]
            size = sizes[start + element]
            fresh = size
            if overlap:
                fresh = 0 if was_shown(element, up, returned) else max(size - seen[element], 0)
                returned[element] = True
                seen[element] += fresh
                around = up[element]
                while around >= 0:
                    seen[around] += fresh
                    around = up[around]
            recalled += exhaustivity[start + element] * fresh / size
            good += specificity[start + element] * fresh
            read += fresh
            precision[position] = good / read if read > 0.0 else 0.0
            recall[position] = recalled / total if total > 0.0 else 0.0


@compiled
def _interpolated_mean(offsets: Ints, precision: Floats, recall: Floats) -> Floats:
    means = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        point = _N_POINTS
        best = total = 0.0
        for position in range(offsets[number + 1] - 1, offsets[number] - 1, -1):
            while point > 0 and recall[position] < point / _N_POINTS - _TOLERANCE:
                total += best
                point -= 1
            best = max(best, precision[position])
        means[number] = (total + best * point) / _N_POINTS
    return means


SPECS = (
    MetricSpec(name="inexNG", kernel=text_average_precision, on="elements", relevant=_n_exhaustive, cite="goevert2006"),
)
