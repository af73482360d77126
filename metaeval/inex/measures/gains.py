"""What each result of a list of elements gains: ideal recall base, overlap, normalisation (XCG).

Kazai, Lalmas and de Vries (2004): an ideal system returns, on every path of relevant elements, the one best element;
a result is worth less the more of it was shown before; and what lies inside an ideal element can together gain no
more than that element.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL, UNKNOWN
from metaeval.inex.element_table import above
from metaeval.inex.measures.element_lists import ElementLists
from metaeval.metrics.parameters import Rule
from metaeval.running.compiled import compiled
from metaeval.running.parallel import on_threads

Alpha = Annotated[float, Rule(lambda alpha: 0 <= alpha <= 1, "from 0 to 1")]
"""How much of what was seen before is lost: 0 nothing, 1 all."""
_TASKS = ("runs", "focused", "thorough")
Task = Annotated[str, Rule(lambda task: task in _TASKS, "runs, focused or thorough")]
"""Whether overlapping results are a fault (focused) or expected (thorough)."""
Tie = Annotated[str, Rule(lambda tie: tie in ("deeper", "higher"), "deeper or higher")]
"""Which of equally good elements on one path is ideal."""

_NOTHING = 1e-12


class CumulatedGains(NamedTuple):
    """Gains of every list, and those of the ideal list of every topic."""

    offsets: NDArray[np.int64]
    """Shape (n_systems * n_topics + 1,)."""
    gains: NDArray[np.float64]
    """Gain of every result, list after list. Shape (n,)."""
    ideal_offsets: NDArray[np.int64]
    """Shape (n_topics + 1,)."""
    ideal: NDArray[np.float64]
    """Above 0, falling within each topic. Shape (m,)."""


def cumulated_gains(
    lists: ElementLists, *, alpha: float = 1.0, normalise: bool = True, task: str = "runs", tie: str = "deeper"
) -> CumulatedGains:
    r"""Return what every result gains, and what the results of an ideal list do.

    Notes
    -----
    With :math:`c_m` the relevant children of c (its nearest relevant descendants), Kazai et al. (2004, equations 4
    to 6) have

    .. math::
        rv(c) = \begin{cases} (1 - \alpha)\, q(c) & \text{c or an ancestor was returned before} \\
        \alpha \sum_m rv(c_m) |c_m| / |c| + (1 - \alpha)\, q(c) & \text{else, if a descendant was} \\
        q(c) & \text{else.} \end{cases}

    Inside an ideal element d the gain is :math:`\min(rv(c), q(d) - \text{what d has given already})`. An element that
    was not assessed gains nothing, but what it shows is seen.
    """
    if task == "runs":
        plain = (alpha, normalise, tie) == (1.0, True, "deeper")
        task = lists.collection.task if plain else "focused"
    if task == "thorough":
        if (alpha, normalise, tie) != (1.0, True, "deeper"):
            raise InvalidOptionError("task=thorough has no overlap to punish: leave out alpha, normalise and tie")
        offsets = lists.collection.offsets
        return lists.remembered(
            task, lambda: CumulatedGains(offsets, first_values(lists), *_ideal_lists(lists, lists.values > 0))
        )
    return lists.remembered((alpha, normalise, tie), lambda: _focused_gains(lists, alpha, normalise, tie))


def ideal_recall_base(lists: ElementLists, *, tie: str = "deeper") -> NDArray[np.int32]:
    """Return the ideal element that each element lies in or is, by position inside the topic; -1 for none.

    Notes
    -----
    Kazai et al. (2004, section 2.3): on every path from the root to a relevant element without relevant descendants
    the element of the highest value is chosen, and of chosen elements that overlap the one above all others stays,
    even if its value is lower. Elements that are too small ("?") lie on a path only where the quantisation gives them
    a value.
    """
    in_tree, parents = _relevant_tree(lists)
    elements = lists.collection.elements
    return _ideal_containers(lists.starts, elements.parents, in_tree, parents, lists.values, tie == "higher")


def results_of(lists: ElementLists) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return what kernels walk: where lists begin, their results, and where the elements of topics begin."""
    return lists.collection.offsets, lists.collection.results, lists.collection.element_offsets


def first_values(lists: ElementLists) -> NDArray[np.float64]:
    """Return the value of every result; 0 where the list has the element already."""
    values = np.zeros(len(lists.collection.results))
    _first_values(lists.lengths.size, *results_of(lists), lists.values, values)
    return values


def _focused_gains(lists: ElementLists, alpha: float, normalise: bool, tie: str) -> CumulatedGains:  # noqa: FBT001 - passed on
    elements = lists.collection.elements
    in_tree, parents = _relevant_tree(lists)
    ideal = ideal_recall_base(lists, tie=tie)
    sizes = np.where(elements.sizes == UNKNOWN, np.nan, elements.sizes.astype(np.float64))
    above_each = np.stack([elements.parents, parents])
    holders = ideal if normalise else np.full(len(ideal), -1, dtype=np.int32)
    live = _worth_a_look(lists)
    gains, unknown = np.zeros(len(lists.collection.results)), np.full(lists.lengths.size, -1)
    tree = (*results_of(lists), above_each, elements.stops, in_tree)
    _credited(len(unknown), *tree, lists.values, sizes, live, holders, alpha, gains, unknown)
    if (unknown >= 0).any():
        inside = _first_without_size(lists, int(unknown[unknown >= 0][0]), in_tree)
        lists.refuse_unknown_size(np.array([inside]), what="overlap (alpha above 0)")
    is_ideal = np.arange(len(ideal)) - lists.starts == ideal
    return CumulatedGains(lists.collection.offsets, gains, *_ideal_lists(lists, is_ideal))


def _relevant_tree(lists: ElementLists) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    in_tree = lists.relevant & ((lists.exhaustivity != TOO_SMALL) | (lists.values > 0))
    return in_tree, above(lists.collection.elements.parents, lists.starts, in_tree)


def _worth_a_look(lists: ElementLists) -> NDArray[np.bool_]:
    """Say which elements belong to a document with something of value: elsewhere nothing can be gained."""
    judgments = lists.collection.by_document.topic_offsets[lists.collection.topic_of_element]
    documents = np.where(lists.collection.elements.documents < 0, -1, judgments + lists.collection.elements.documents)
    live = np.zeros(lists.collection.by_document.n_judgments + 1, dtype=bool)
    live[documents[lists.values > 0]] = True
    return live[documents]


def _ideal_lists(lists: ElementLists, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    places = np.flatnonzero(chosen)
    topics = lists.collection.topic_of_element[places]
    values = lists.values[places]
    counts = np.bincount(topics, minlength=lists.n_topics)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), values[np.lexsort((-values, topics))]


def _first_without_size(lists: ElementLists, element: int, in_tree: NDArray[np.bool_]) -> int:
    """Return the element itself or the first relevant one inside it whose size is unknown."""
    elements = lists.collection.elements
    inside = np.arange(element, lists.starts[element] + elements.stops[element])
    return int(inside[(elements.sizes[inside] == UNKNOWN) & in_tree[inside]][0])


@on_threads
@compiled
def _first_values(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    results: NDArray[np.int32],
    element_offsets: NDArray[np.int64],
    values: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    n_topics = len(element_offsets) - 1
    for number in range(first, last):
        start = element_offsets[number % n_topics]
        returned = np.zeros(element_offsets[number % n_topics + 1] - start, dtype=np.bool_)
        for position in range(offsets[number], offsets[number + 1]):
            element = results[position]
            if not returned[element]:
                found[position] = values[start + element]
                returned[element] = True


@compiled
def _ideal_containers(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    starts: NDArray[np.int64],
    parents: NDArray[np.int32],
    in_tree: NDArray[np.bool_],
    tree_parents: NDArray[np.int32],
    values: NDArray[np.float64],
    higher: bool,  # noqa: FBT001 - as above
) -> NDArray[np.int32]:
    n = len(values)
    inner = np.zeros(n, dtype=np.bool_)
    for element in range(n):
        if in_tree[element] and tree_parents[element] >= 0:
            inner[starts[element] + tree_parents[element]] = True
    chosen = np.zeros(n, dtype=np.bool_)
    for leaf in range(n):
        if not in_tree[leaf] or inner[leaf]:
            continue
        best = -1
        node = leaf
        while True:
            if values[node] > 0 and (
                best < 0 or values[node] > values[best] or (higher and values[node] == values[best])
            ):
                best = node
            if tree_parents[node] < 0:
                break
            node = starts[leaf] + tree_parents[node]
        if best >= 0:
            chosen[best] = True
    containers = np.full(n, -1, dtype=np.int32)
    for element in range(n):
        around = containers[starts[element] + parents[element]] if parents[element] >= 0 else -1
        containers[element] = around if around >= 0 else (element - starts[element] if chosen[element] else -1)
    return containers


@compiled
def was_shown(element: int, parents: NDArray[np.int32], returned: NDArray[np.bool_]) -> bool:
    """Say whether an element of a topic, or one around it, was returned before."""
    while element >= 0 and not returned[element]:
        element = parents[element]
    return element >= 0


@on_threads
@compiled
def _credited(  # noqa: PLR0913, PLR0917 - one walk over arrays, as a kernel
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    results: NDArray[np.int32],
    element_offsets: NDArray[np.int64],
    above_each: NDArray[np.int32],
    stops: NDArray[np.int32],
    in_tree: NDArray[np.bool_],
    values: NDArray[np.float64],
    sizes: NDArray[np.float64],
    live: NDArray[np.bool_],
    ideal: NDArray[np.int32],
    alpha: float,
    gains: NDArray[np.float64],
    unknown: NDArray[np.int64],
) -> None:
    """Walk down every list; `unknown` gets an element whose size was needed and is not known.

    `above_each` holds the parent of every element, and the next element above it that stands in the tree.
    """
    n_topics = len(element_offsets) - 1
    for number in range(first, last):
        start = element_offsets[number % n_topics]
        stop = element_offsets[number % n_topics + 1]
        up, tree_up = above_each[0, start:stop], above_each[1, start:stop]
        ends, tree = stops[start:stop], in_tree[start:stop]
        worth, size = values[start:stop], sizes[start:stop]
        returned = np.zeros(stop - start, dtype=np.bool_)
        touched = np.zeros(stop - start, dtype=np.bool_)  # something inside was returned
        covered = np.zeros(stop - start, dtype=np.bool_)
        inside = np.zeros(stop - start)
        credit = np.zeros(stop - start)
        for position in range(offsets[number], offsets[number + 1]):
            element = results[position]
            if not live[start + element]:
                continue
            if was_shown(element, up, returned):
                gain = (1.0 - alpha) * worth[element]
            elif touched[element] and tree[element] and alpha > 0.0:
                gain = _partly_seen(
                    element, up, ends[element], tree, tree_up, worth, size, returned, touched, covered, inside, alpha
                )
                if np.isnan(gain):
                    unknown[number] = start + element
                    break
            else:
                gain = worth[element]
            holder = ideal[start + element]
            if holder >= 0:
                room = worth[holder] - credit[holder]
                if gain >= room - _NOTHING:  # set, not added up: a rest of rounding is no gain
                    gain = max(room, 0.0)
                    credit[holder] = worth[holder]
                else:
                    credit[holder] += gain
            gains[position] = gain if gain > _NOTHING else 0.0
            returned[element] = True
            around = up[element]
            while around >= 0 and not touched[around]:
                touched[around] = True
                around = up[around]


@compiled
def _partly_seen(  # noqa: PLR0913, PLR0917 - the state of a list
    own: int,
    parents: NDArray[np.int32],
    stop: int,
    in_tree: NDArray[np.bool_],
    tree_parents: NDArray[np.int32],
    values: NDArray[np.float64],
    sizes: NDArray[np.float64],
    returned: NDArray[np.bool_],
    touched: NDArray[np.bool_],
    covered: NDArray[np.bool_],
    inside: NDArray[np.float64],
    alpha: float,
) -> float:
    """Return the value of an element of which some part was seen, from the smallest elements inside it upwards.

    NaN if a size that matters is unknown.
    """
    covered[own] = False
    inside[own] = 0.0
    for element in range(own + 1, stop):
        covered[element] = returned[element] or covered[parents[element]]
        inside[element] = 0.0
    for element in range(stop - 1, own - 1, -1):
        if not in_tree[element]:
            continue
        value = values[element]
        if covered[element]:
            value *= 1.0 - alpha
        elif touched[element]:
            value *= 1.0 - alpha
            if inside[element] != 0.0:
                value += alpha * inside[element] / sizes[element]
        if element > own and value != 0.0:
            inside[tree_parents[element]] += value * sizes[element]
        elif element == own:
            return value
    return 0.0
