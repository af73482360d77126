"""What a measure of elements looks at: the tree of every topic, its results, and what each element is worth."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.base.metric_names import Call
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import InvalidOptionError
from metaeval.inex.element_quantisation import ElementGrades, element_values
from metaeval.inex.elements import ElementCollection
from metaeval.metrics.lists import lists_for
from metaeval.metrics.quantisation import Quantisation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ElementLists(ShortRepr):
    """The lists of a collection of elements, as a kernel receives them."""

    collection: ElementCollection
    """Where they come from; its arrays hold the results and the trees."""
    lengths: NDArray[np.int32]
    """Number of results in every list. Shape (n_systems, n_topics)."""
    starts: NDArray[np.int64]
    """First element of each element's topic. Shape (n_elements,)."""
    exhaustivity: NDArray[np.int64]
    """As assessed now: 0 where the document lost its judgment. Shape (n_elements,)."""
    relevant: NDArray[np.bool_]
    """Exhaustivity not 0 and specificity above 0, now. Shape (n_elements,)."""
    values: NDArray[np.float64]
    """What every element is worth under the quantisation in force, in [0, 1]; 0 where nothing was quantised. Shape
    (n_elements,)."""
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
        """Return the lists with the values that a quantisation gives."""
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
        """Refuse to go on where a kernel met an element of unknown size."""
        if unknown.size:
            raise InvalidOptionError(
                f"{what} needs the size of {self.collection.place_of(int(unknown[0]))}, and nobody said it; give "
                "element sizes (`element_collection(sizes=...)`) when the collection is made"
            )


@lists_for.register
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
