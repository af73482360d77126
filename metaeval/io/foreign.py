"""Reading Parquet and NetCDF of others, which may be damaged: what stored.py does, and first tries in a process apart.

Given a damaged file, the libraries may end the process (Polars, out of memory) or never return (HDF5), of which no
exception tells. So this file is also a program that reads such a file from standard input; it therefore imports
nothing of metaeval, and of the libraries only those that look into the file: xarray alone takes longer to start than
all the rest. It keeps its own limits of time and memory, since nobody may be left to end it.
"""

import math
import os
import sys
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["dataset_of", "rows_of", "tree_of"]

_MOST_MEMORY = 8 * 2**30
_MOST_DATA = 2 * 2**30


def rows_of(content: bytes) -> tuple[bytes, str]:
    """Return a Parquet table as CSV with every digit, and what metaeval noted in the file, "" if nothing."""
    import polars as pl  # noqa: PLC0415 - only this form needs it

    frame = pl.read_parquet(BytesIO(content))
    noted = pl.read_parquet_metadata(BytesIO(content)).get("metaeval", "")
    return frame.cast({pl.Float32: pl.Float64}).write_csv().encode(), noted


def dataset_of(content: bytes) -> "xr.Dataset":
    """Return what a NetCDF 4 file holds outside of groups; its variables are not decoded as times."""
    import xarray as xr  # noqa: PLC0415 - loads pandas

    _refuse_unreadable(content)
    with xr.open_dataset(BytesIO(content), engine="h5netcdf", decode_times=False) as opened:
        _refuse_too_much(opened.nbytes, content)
        return opened.load()


def tree_of(content: bytes) -> "xr.DataTree":
    """Return what a NetCDF 4 file holds in all its groups."""
    import xarray as xr  # noqa: PLC0415 - loads pandas

    _refuse_unreadable(content)
    with xr.open_datatree(BytesIO(content), engine="h5netcdf") as opened:
        _refuse_too_much(opened.nbytes, content)
        return opened.load()


def _refuse_unreadable(content: bytes) -> None:
    """Raise where the root cannot be read: there h5netcdf also complains where nobody can catch it."""
    import h5py  # type: ignore[import-untyped] # noqa: PLC0415 - only this form needs it

    with h5py.File(BytesIO(content), "r") as checked:
        checked.attrs.get("_nc3_strict")


def _refuse_too_much(size: int, content: bytes) -> None:
    if size > _MOST_DATA + 1000 * len(content):
        message = f"it declares {size} bytes of data, and has {len(content)}"
        raise ValueError(message)


def _try_netcdf(content: bytes, *, groups: bool) -> None:
    """Ask the library for all that xarray asks of it, without xarray."""
    import h5netcdf  # noqa: PLC0415 - only this form needs it

    _refuse_unreadable(content)
    with h5netcdf.File(BytesIO(content), "r", phony_dims="access") as file:
        held, left = [], [file]
        while left:
            group = left.pop()
            held.append(group)
            left += list(group.groups.values()) if groups else []
        variables = [variable for group in held for variable in group.variables.values()]
        _refuse_too_much(sum(math.prod(one.shape) * one.dtype.itemsize for one in variables), content)
        for group in held:
            _ = (dict(group.attrs), [len(dimension) for dimension in group.dimensions.values()])
        for one in variables:
            _ = (dict(one.attrs), one.dimensions, one.datatype, one.chunks)
            _ = (one.compression, one.compression_opts, one.filters(), one[...])


def _limit(name: str, most: int) -> None:
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _main(kind: str, seconds: str) -> None:
    _limit("RLIMIT_CPU", math.ceil(float(seconds)))
    _limit("RLIMIT_CORE", 0)
    content = sys.stdin.buffer.read()
    _limit("RLIMIT_AS", _MOST_MEMORY + 50 * len(content))
    code = 0
    try:
        if kind == "Parquet":
            rows_of(content)
        else:
            _try_netcdf(content, groups=kind == "groups")
    except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
        sys.stderr.write(f"\n{error or type(error).__name__}\n")
        sys.stderr.flush()
        code = 1
    os._exit(code)  # at once: the libraries have much to put away, and complain of damaged files once more


if __name__ == "__main__":
    _main(*sys.argv[1:])
