"""Reading Parquet and NetCDF of others, which may be damaged: what stored.py does, and first tries in a process apart.

Given a damaged file, the libraries may end the process (Polars, out of memory) or never return (HDF5), of which no
exception tells. So this file is also a program that reads such a file from standard input; it therefore imports
nothing of metaeval, and of the libraries only those that look into the file: xarray alone takes longer to start than
all the rest. It keeps its own limits of time and memory, since nobody may be left to end it.
"""

import math
import os
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr

_MOST_MEMORY = 8 * 2**30
TOO_MUCH = "bytes to unpack: "
"""How a process that tried a file says that it unpacks to more than it may."""
_CELLS, _ROWS = 4_000_000, 10_000
"""Cells of Parquet read at a time, and rows of them written as text."""
_A_CELL, _A_NAME = 4, 32
"""Bytes of the budget for a cell of Parquet, and of the text that it may become: names are short and often repeated."""


class TooMuchError(ValueError):
    """A file that unpacks to more than it may: `needed` bytes at least."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"it unpacks to {needed:,} bytes or more")
        self.needed = needed


def opened_parquet(content: bytes, most: int) -> "tuple[pl.LazyFrame, int, int]":
    """Return a Parquet table that is yet to be read, and how many rows and columns it has."""
    import polars as pl  # noqa: PLC0415 - only this form needs it

    table = pl.scan_parquet(BytesIO(content)).cast({pl.Float32: pl.Float64})
    n_rows, n_columns = table.select(pl.len()).collect().item(), len(table.collect_schema())
    if n_rows * n_columns * _A_CELL > most:
        raise TooMuchError(n_rows * n_columns * _A_CELL)
    return table, n_rows, n_columns


def batches_of(content: bytes, most: int) -> "Iterator[pl.DataFrame]":
    """Yield the rows of a Parquet table, some at a time so that no more is held, and first a few.

    The file says how many cells it has, which may repeat one and take no room in it.
    """
    table, n_rows, n_columns = opened_parquet(content, most)
    at_once = max(1, _CELLS // max(n_columns, 1))
    few = min(_ROWS, at_once)
    yield _with_scores_inside(table.slice(0, few).collect())
    for start in range(few, n_rows, at_once):
        yield _with_scores_inside(table.slice(start, at_once).collect())


_METRICS, _ASKED, _QUERIES = ("metrics", "metric", "__metric__"), ("doc", "__doc__"), ("query", "example")


def _with_scores_inside(batch: "pl.DataFrame") -> "pl.DataFrame":
    """Return rows whose scores stand in an object of metrics as those of a frame, as lighteval writes details.

    There stay what was asked and its name; of which system the rows are the file says.
    """
    import polars as pl  # noqa: PLC0415 - only this form needs it

    inside = next((name for name in _METRICS if isinstance(batch.schema.get(name), pl.Struct)), None)
    if inside is None:
        return batch
    asked = [batch[name].struct.unnest() for name in _ASKED if isinstance(batch.schema.get(name), pl.Struct)]
    columns = {column.name: column for frame in (*asked, batch) for column in frame}
    query = next((columns[name] for name in _QUERIES if name in columns), None)
    told = {"id": columns.get("id"), "question": query}
    named = [column.alias(name) for name, column in told.items() if column is not None]
    answers = pl.Series("output", [""] * len(batch), dtype=pl.String)
    return pl.DataFrame([*named, answers, *batch[inside].struct.unnest()])


def noted_in(content: bytes) -> str:
    """Return what metaeval noted in a Parquet file, "" if nothing."""
    import polars as pl  # noqa: PLC0415 - only this form needs it

    return pl.read_parquet_metadata(BytesIO(content)).get("metaeval", "")


def texts_of(batches: "Iterable[pl.DataFrame]", most: int) -> Iterator[bytes]:
    """Yield rows as CSV with every digit, some at a time, the first behind a header."""
    n_bytes = n_cells = 0
    for batch in batches:
        n_cells += batch.shape[0] * batch.shape[1]
        for chunk in batch.iter_slices(_ROWS) if len(batch) else [batch]:
            text = chunk.write_csv(include_header=not n_bytes).encode()
            n_bytes += len(text)
            if n_bytes > most + _A_NAME * n_cells:
                raise TooMuchError(n_bytes)
            yield text


def dataset_of(content: bytes, most: int) -> "xr.Dataset":
    """Return what a NetCDF 4 file holds outside of groups; its variables are not decoded as times."""
    import xarray as xr  # noqa: PLC0415 - loads pandas

    _refuse_unreadable(content)
    with xr.open_dataset(BytesIO(content), engine="h5netcdf", decode_times=False) as opened:
        _refuse_too_much(opened.nbytes, most)
        return opened.load()


def tree_of(content: bytes, most: int) -> "xr.DataTree":
    """Return what a NetCDF 4 file holds in all its groups."""
    import xarray as xr  # noqa: PLC0415 - loads pandas

    _refuse_unreadable(content)
    with xr.open_datatree(BytesIO(content), engine="h5netcdf") as opened:
        _refuse_too_much(opened.nbytes, most)
        return opened.load()


def _refuse_unreadable(content: bytes) -> None:
    """Raise where the root cannot be read: there h5netcdf also complains where nobody can catch it."""
    import h5py  # type: ignore[import-untyped] # noqa: PLC0415 - only this form needs it

    with h5py.File(BytesIO(content), "r") as checked:
        checked.attrs.get("_nc3_strict")


def _refuse_too_much(size: int, most: int) -> None:
    if size > most:
        raise TooMuchError(size)


def _try_netcdf(content: bytes, most: int, *, groups: bool) -> None:
    """Ask the library for all that xarray asks of it, without xarray."""
    import h5netcdf  # noqa: PLC0415 - only this form needs it

    _refuse_unreadable(content)
    with h5netcdf.File(BytesIO(content), "r", phony_dims="access") as file:
        all_groups, left = [], [file]
        while left:
            group = left.pop()
            all_groups.append(group)
            left += list(group.groups.values()) if groups else []
        variables = [variable for group in all_groups for variable in group.variables.values()]
        _refuse_too_much(sum(math.prod(array.shape) * array.dtype.itemsize for array in variables), most)
        for group in all_groups:
            _ = (dict(group.attrs), [len(dimension) for dimension in group.dimensions.values()])
        for array in variables:
            _ = (dict(array.attrs), array.dimensions, array.datatype, array.chunks)
            _ = (array.compression, array.compression_opts, array.filters(), array[...])


def _limit(name: str, most: int) -> None:
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _main(kind: str, seconds: str, most: str) -> None:
    _limit("RLIMIT_CPU", math.ceil(float(seconds)))
    _limit("RLIMIT_CORE", 0)
    content = sys.stdin.buffer.read()
    _limit("RLIMIT_AS", _MOST_MEMORY + 50 * len(content))
    code = 0
    try:
        if kind == "Parquet":
            for number, batch in enumerate(batches_of(content, int(most))):
                if not number:
                    next(texts_of([batch], int(most)))
                os.write(1, b".")  # whoever waits may read this batch
        else:
            _try_netcdf(content, int(most), groups=kind == "groups")
    except TooMuchError as error:
        sys.stderr.write(f"\n{TOO_MUCH}{error.needed}\n")
        sys.stderr.flush()
        code = 1
    except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
        sys.stderr.write(f"\n{error or type(error).__name__}\n")
        sys.stderr.flush()
        code = 1
    os._exit(code)  # at once: the libraries have much to put away, and complain of damaged files once more


if __name__ == "__main__":
    _main(*sys.argv[1:])
