"""Results: what compares them."""

import dataclasses
import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable

import matplotlib.figure
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import metaeval
from metaeval.simulate.scores import simulate_scores
from metaeval.tests_stat.catalogue import compare_systems

TABLES = (np.ndarray, pd.DataFrame, pd.Series, pd.Index, xr.Dataset, xr.DataArray, matplotlib.figure.Figure)


def _dataclasses():
    for module in pkgutil.walk_packages(metaeval.__path__, "metaeval."):
        if module.name.endswith("__main__"):
            continue
        for one in vars(importlib.import_module(module.name)).values():
            if inspect.isclass(one) and dataclasses.is_dataclass(one) and one.__module__ == module.name:
                yield one


def _holds_a_table(kind):
    """Say whether a value of this type is, or has inside, what has no single answer to ==."""
    kind = getattr(kind, "__value__", kind)  # a name given by `type`
    origin = typing.get_origin(kind)
    if origin is Callable or isinstance(kind, str):
        return False
    inner = getattr(origin, "__value__", None)
    if inner is not None:
        return _holds_a_table(inner)
    if isinstance(origin or kind, type) and issubclass(origin or kind, TABLES):
        return True
    return any(_holds_a_table(one) for one in typing.get_args(kind) if one is not ...)


def _fields_with_tables(one):
    return [field.name for field in dataclasses.fields(one) if field.compare and _holds_a_table(field.type)]


def test_what_holds_arrays_or_frames_compares_by_identity():
    """Two results with other data are not equal, two with the same raise no error, and both go into sets."""
    classes = list(_dataclasses())
    assert len(classes) > 60
    held = {f"{one.__module__}.{one.__name__}": _fields_with_tables(one) for one in classes}
    assert sum(map(bool, held.values())) > 40  # the types are seen through
    wrong = {
        f"{one.__module__}.{one.__name__}"
        for one in classes
        if one.__dataclass_params__.eq and (_fields_with_tables(one) or {"tree", "posteriors"} & {*one.__annotations__})
    }
    assert wrong == set()
    assert all(one.__hash__ is not None for one in classes if _fields_with_tables(one))


@pytest.mark.parametrize("n_topics", [20, 21])
def test_results_of_other_scores_are_not_equal(n_topics):
    """Equality was once True for any two results of the same settings."""
    one = compare_systems(simulate_scores(n_systems=3, n_topics=20, rng=1))
    other = compare_systems(simulate_scores(n_systems=3, n_topics=n_topics, rng=2))
    assert one != other
    assert one == one  # noqa: PLR0124 - what is tested
    assert len({one, other, one}) == 2
