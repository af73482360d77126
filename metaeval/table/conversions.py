"""Objects of other libraries that hold scores, as what `metaeval.table.forms` recognises: frames, arrays and mappings.

None of these libraries is imported: an object is known by its module or by what it can do.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.errors import InvalidOptionError

_RESULT = ("query_id", "measure", "value")
"""Attributes of what ``ir_measures.iter_calc`` yields."""


class Conversion(NamedTuple):
    """One kind of object, and what it is turned into."""

    fits: Callable[[Any], bool]
    convert: Callable[[Any], object]


def plain(data: object) -> object:
    """Return scores in another library's object as a frame, an array or a mapping; what is one already stays.

    Examples
    --------
    >>> plain([{"system": "bm25", "topic": 1, "AP": 0.5}]).columns.tolist()
    ['system', 'topic', 'AP']
    """
    for _ in range(len(CONVERSIONS)):  # a lazy frame becomes a frame, and that one of pandas
        made = next((conversion.convert(data) for conversion in CONVERSIONS if conversion.fits(data)), data)
        if made is data:
            break
        data = made
    return data


def _of_library(*names: str) -> Callable[[object], bool]:
    return lambda data: type(data).__module__.partition(".")[0] in names


def _can(method: str, *, of: Callable[[object], bool] | None = None) -> Callable[[object], bool]:
    return lambda data: (
        not isinstance(data, pd.DataFrame | pd.Series | xr.DataArray | xr.Dataset | type)
        and callable(getattr(data, method, None))
        and (hasattr(data, "columns") if of is None else of(data))
    )


def _of_columns(columns: Mapping[str, list[object]]) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(cells, dtype=_kind(cells)) for name, cells in columns.items()})


def _of_arrow(table: Any) -> pd.DataFrame:  # noqa: ANN401 - of a library that may not be there
    """Return a table of Arrow column by column, so that no whole number becomes a float, and no name is lost."""
    columns = [pd.Series(column.to_pylist(), dtype=_kind(column.to_pylist())) for column in table.columns]
    return pd.concat(columns, axis=1, keys=table.column_names) if columns else pd.DataFrame()


def _of_stream(table: Any) -> object:  # noqa: ANN401 - of a library that may not be there
    """Return a relation of DuckDB, or whatever else hands out a stream of Arrow, through what reads one here."""
    for library, read in (("pyarrow", "table"), ("polars", "DataFrame")):
        try:
            return getattr(import_module(library), read)(table)
        except ImportError:
            continue
    if callable(getattr(table, "df", None)):
        return table.df()
    raise InvalidOptionError(
        f"{type(table).__name__} hands out a stream of Arrow, and neither Polars nor PyArrow is there to read it; "
        "install Polars (the extra parquet), or pass a DataFrame of pandas"
    )


def _is_calculated(data: object) -> bool:
    """Whether this is what ``ir_measures.calc`` returns: means, and the results of every query."""
    return hasattr(data, "per_query") and hasattr(data, "aggregated")


def _kind(cells: list[object]) -> str | None:
    return "object" if any(cell is None for cell in cells) else None


def _of_series(series: pd.Series) -> object:
    """Return a series whose index says what its scores are of as a frame."""
    if series.index.nlevels == 1:
        return series.to_numpy()
    return series.to_frame("score" if series.name is None else series.name)


def _listed(data: Iterable[Any]) -> object:
    """Return records as a frame, whole numbers as they are; other items as a list, which `numpy` takes for an array."""
    items = list(data)
    if items and all(isinstance(item, Mapping) for item in items):
        return pd.DataFrame([dict(item) for item in items], dtype=object)
    if items and all(hasattr(item, "_fields") for item in items):  # named tuples, whatever they are called
        return pd.DataFrame([item._asdict() for item in items], dtype=object)
    if items and all(all(hasattr(item, name) for name in _RESULT) for item in items):
        return pd.DataFrame([{name: getattr(item, name) for name in _RESULT} for item in items], dtype=object)
    if items and all(_is_ranx_run(item) for item in items):
        return {item.name: item.scores for item in items}
    return items if isinstance(data, Iterator) else data


def _is_ranx_run(data: object) -> bool:
    return _of_library("ranx")(data) and isinstance(getattr(data, "scores", None), Mapping)


def _refused_report(_: object) -> object:
    raise InvalidOptionError(
        "a Report of ranx holds means, and a comparison needs the scores by query: pass {run.name: run.scores for run "
        "in runs}, after `ranx.evaluate` or `ranx.compare` has scored them"
    )


CONVERSIONS: tuple[Conversion, ...] = (
    Conversion(_can("collect", of=_of_library("polars")), lambda data: data.collect()),
    Conversion(
        _can("to_dict", of=lambda data: _of_library("polars")(data) and hasattr(data, "columns")),
        lambda data: _of_columns(data.to_dict(as_series=False)),
    ),
    Conversion(_can("to_pylist", of=lambda data: hasattr(data, "column_names")), _of_arrow),
    Conversion(_can("to_pandas"), lambda data: data.to_pandas()),
    Conversion(_can("toPandas"), lambda data: data.toPandas()),
    Conversion(_can("__arrow_c_stream__"), _of_stream),
    Conversion(_is_calculated, lambda data: data.per_query),
    Conversion(lambda data: isinstance(data, pd.Series), _of_series),
    Conversion(
        lambda data: isinstance(data, np.ndarray) and data.dtype.names is not None,
        lambda data: pd.DataFrame(data.ravel()),
    ),
    Conversion(lambda data: _of_library("ranx")(data) and type(data).__name__ == "Report", _refused_report),
    Conversion(
        lambda data: isinstance(data, Mapping) and bool(data) and all(map(_is_ranx_run, data.values())),
        lambda data: {name: run.scores for name, run in data.items()},
    ),
    Conversion(
        lambda data: isinstance(data, Mapping) and any(map(_is_calculated, data.values())),
        lambda data: {name: getattr(result, "per_query", result) for name, result in data.items()},
    ),
    Conversion(lambda data: isinstance(data, list | tuple | Iterator), _listed),
)
"""Every kind of object that is turned into another, in the order in which they are tried."""
