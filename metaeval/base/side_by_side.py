"""Arrays that a function takes side by side: what has labels is put in one order by them, whatever order it came in."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.names import first_few
from metaeval.errors import ScoresError


def side_by_side[**P, R](*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function of arrays: those of these arguments that have labels arrive in the order of the first."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)

        @wraps(function)
        def call(*positional: P.args, **named: P.kwargs) -> R:
            if not any(isinstance(array, _LABELLED) for array in (*positional, *named.values())):
                return function(*positional, **named)
            bound = parameters.bind(*positional, **named)
            arrays = {name: bound.arguments[name] for name in names if name in bound.arguments}
            bound.arguments |= in_order_of_the_first(arrays)
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate


def in_order_of_the_first(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays with those that have labels along the last axis in the order of the first that has, without labels.

    Raises
    ------
    ScoresError
        If labels differ, or one appears twice where orders do.

    Examples
    --------
    >>> in_order_of_the_first({"x": {"a": 1, "b": 2}, "y": {"b": 3, "a": 4}, "z": [5, 6]})
    {'x': array([1, 2]), 'y': array([4, 3]), 'z': [5, 6]}
    """
    labels = {name: names for name, array in arrays.items() if (names := last_axis_labels(array)) is not None}
    first = next(iter(labels), "")
    return {
        name: _ordered(array, labels[name], labels[first], (f"`{first}`", f"`{name}`")) if name in labels else array
        for name, array in arrays.items()
    }


_LABELLED = (pd.Series, pd.DataFrame, xr.DataArray, Mapping)


def last_axis_labels(array: object) -> list[Hashable] | None:
    """Return the labels of the last axis; None without any, or where pandas numbered it.

    Examples
    --------
    >>> last_axis_labels(pd.Series([0.1], index=["a"])), last_axis_labels(pd.Series([0.1])), last_axis_labels([0.1])
    (['a'], None, None)
    """
    if isinstance(array, Mapping):
        return list(array)
    index: pd.Index | None = None
    if isinstance(array, xr.DataArray) and array.dims:
        index = array.indexes.get(array.dims[-1])
    elif isinstance(array, pd.Series | pd.DataFrame):
        index = array.index if isinstance(array, pd.Series) else array.columns
    numbered = isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1
    return None if index is None or numbered else index.tolist()


def _ordered(
    array: Any,  # noqa: ANN401 - of any library
    labels: Sequence[Hashable],
    wanted: Sequence[Hashable],
    names: tuple[str, str],
) -> np.ndarray[Any, Any]:
    """Return the numbers of an array in the order wanted; of a frame with the same labels in its rows, both ways."""
    values = np.asarray([*array.values()] if isinstance(array, Mapping) else array)
    square = isinstance(array, pd.DataFrame) and {*array.index} == {*labels}
    axes = [(values.ndim - 1, labels), *([(0, array.index.tolist())] if square else [])]
    for axis, names_along in axes:
        if [*names_along] != [*wanted]:
            _check_labels(names_along, wanted, names)
            place = {label: at for at, label in enumerate(names_along)}
            values = values.take([place[label] for label in wanted], axis=axis)
    return values


def _check_labels(labels: Sequence[Hashable], wanted: Sequence[Hashable], names: tuple[str, str]) -> None:
    kinds = ({*wanted}, {*labels})
    alone = [
        f"only {name} has {first_few([repr(label) for label in listed if label not in others])}"
        for name, listed, others in zip(names, (wanted, labels), reversed(kinds), strict=True)
        if {*listed} - others
    ]
    either = "where both stand in one order, pass arrays without labels (`.to_numpy()`)"
    if alone:
        raise ScoresError(
            f"{names[0]} and {names[1]} are put side by side by their labels, and {', '.join(alone)}; keep what both "
            f"have, or, {either}"
        )
    if len(kinds[1]) < len(labels):
        raise ScoresError(
            f"labels of {names[1]} appear twice, so that its order beside {names[0]} is not known; {either}"
        )
