"""Overlap of a run: how many of its results repeat text of another one."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_kind
from metaeval.inex.elements import ElementCollection
from metaeval.running.compiled import compiled

_HOW = ("contained", "either")


def run_overlap(collection: ElementCollection, *, how: str = "contained") -> xr.DataArray:
    """Return the share of each list's elements that overlap another of its elements.

    Parameters
    ----------
    collection : ElementCollection
    how : {"contained", "either"}
        Which elements count: those that lie inside another one of the list, or also those around one.

    Returns
    -------
    xarray.DataArray
        Dims ``system`` and ``topic``, shares in [0, 1]; NaN where a run does not answer a topic, so that
        ``.mean("topic")`` is over the topics answered. Repeated results count once.

    Raises
    ------
    UnknownNameError
        If `how` is neither.

    Notes
    -----
    Kazai, Lalmas and de Vries (2004) speak of the overlap ratio among the results; their figures fit the share that
    lies inside another result, averaged over topics.
    """
    check_kind(collection, "collection", "ElementCollection")
    check_choice(how, "kind of overlap", _HOW)
    shares = _shares(
        collection.offsets, collection.results, collection.element_offsets, collection.elements.parents, how == "either"
    )
    return xr.DataArray(
        shares.reshape(collection.n_systems, collection.n_topics),
        dims=("system", "topic"),
        coords={"system": list(collection.systems), "topic": list(collection.topics)},
        name="overlap",
    )


@compiled
def _shares(
    offsets: NDArray[np.int64],
    results: NDArray[np.int32],
    element_offsets: NDArray[np.int64],
    parents: NDArray[np.int32],
    either: bool,  # noqa: FBT001 - a kernel takes no names
) -> NDArray[np.float64]:
    shares = np.full(len(offsets) - 1, np.nan)
    n_topics = len(element_offsets) - 1
    for number in range(len(offsets) - 1):
        if offsets[number] == offsets[number + 1]:
            continue
        start, stop = element_offsets[number % n_topics], element_offsets[number % n_topics + 1]
        elements = results[offsets[number] : offsets[number + 1]]
        returned = np.zeros(stop - start, dtype=np.bool_)
        for index in range(len(elements)):
            returned[elements[index]] = True
        overlapping = np.zeros(stop - start, dtype=np.bool_)
        for index in range(len(elements)):
            around = parents[start + elements[index]]
            while around >= 0:
                if returned[around]:
                    overlapping[elements[index]] = True
                    if either:
                        overlapping[around] = True
                around = parents[start + around]
        shares[number] = overlapping.sum() / returned.sum()
    return shares
