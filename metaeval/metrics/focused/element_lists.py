"""What a measure of elements looks at: the tree of every topic, its results, and what each element is worth."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.collection.elements import ElementCollection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.element_quantisation import ElementGrades, element_values
from metaeval.metrics.names import Call
from metaeval.metrics.quantisation import Quantisation
from metaeval.results import ShortRepr

__all__ = ["ElementLists", "element_lists"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ElementLists(ShortRepr):
    """The lists of a collection of elements, as a kernel receives them.

    Attributes
    ----------
    collection : ElementCollection
        Where they come from; its arrays hold the results and the trees.
    lengths : int32 array (n_systems, n_topics)
        Number of results in every list.
    starts : int64 array (n_elements,)
        First element of each element's topic.
    exhaustivity : int64 array (n_elements,)
        As assessed now: 0 where the document lost its judgment.
    relevant : bool array (n_elements,)
        Exhaustivity not 0 and specificity above 0, now.
    values : float64 array (n_elements,)
        What every element is worth under the quantisation in force, in [0, 1]; 0 where nothing was quantised.
    """

    collection: ElementCollection
    lengths: NDArray[np.int32]
    starts: NDArray[np.int64]
    exhaustivity: NDArray[np.int64]
    relevant: NDArray[np.bool_]
    values: NDArray[np.float64]
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.lengths.shape[1]

    def n_relevant(self) -> NDArray[np.int64]:
        """Return the number of elements of every topic that are worth more than 0."""
        return self.per_topic(self.values > 0).astype(np.int64)

    def per_topic(self, amounts: NDArray[np.bool_] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up what every element has, topic by topic."""
        return np.bincount(self.collection.topic_of_element, weights=amounts, minlength=self.n_topics)

    def remembered[T](self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was made last if it has this key, else make it: metrics in a row often share it."""
        if key not in self._kept:
            self._kept.clear()
            self._kept[key] = make()
        return self._kept[key]

    def quantised(self, quant: Call, quantisation: Quantisation) -> "ElementLists":
        """Return the lists with the values that a quantisation gives.

        Raises
        ------
        InvalidOptionError
            If it is made for another scale, or gives a value outside [0, 1].
        """
        return self.remembered((quant, quantisation), lambda: self._quantised(quant, quantisation))

    def _quantised(self, quant: Call, quantisation: Quantisation) -> "ElementLists":
        elements = self.collection.elements
        grades = ElementGrades(
            self.collection.scale,
            self.exhaustivity[self.relevant],
            elements.specificity[self.relevant],
            elements.fully_specific[self.relevant],
            elements.sizes[self.relevant],
        )
        values = np.zeros(len(self.relevant))
        values[self.relevant] = element_values(quant, quantisation, grades)
        return replace(self, values=values, _kept={})

    def refuse_unknown_size(self, unknown: NDArray[np.int64], *, what: str) -> None:
        """Refuse to go on where a kernel met an element of unknown size.

        Parameters
        ----------
        unknown : int64 array
            Elements (positions in ``collection.elements``).
        what : str
            Who needs the size.

        Raises
        ------
        InvalidOptionError
            Naming the first.
        """
        if unknown.size:
            message = (
                f"{what} needs the size of {self.collection.place_of(int(unknown[0]))}, and nobody said it; give "
                "element sizes (sizes=) when the collection is made"
            )
            raise InvalidOptionError(message)


def element_lists(collection: ElementCollection) -> ElementLists:
    """Lay out a collection for kernels, under its current judgments."""
    elements = collection.elements
    exhaustivity = np.where(collection.in_force, elements.exhaustivity.astype(np.int64), 0)
    return ElementLists(
        collection=collection,
        lengths=collection.n_retrieved,
        starts=np.repeat(collection.element_offsets[:-1], np.diff(collection.element_offsets)),
        exhaustivity=exhaustivity,
        relevant=(exhaustivity != 0) & (elements.specificity > 0),
        values=np.zeros(len(exhaustivity)),
    )
