"""Reading Parquet and NetCDF of others, which may be damaged: what stored.py does, and first tries in a process apart.

Given a damaged file, the libraries may end the process (Polars, out of memory) or never return (HDF5), of which no
exception tells. So this file is also a program that reads such a file from standard input; it therefore imports
nothing of metaeval.
"""

import sys
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["dataset_of", "rows_of"]

_MOST_MEMORY = 8 * 2**30
_MOST_DATA = 2 * 2**30


def rows_of(content: bytes) -> tuple[bytes, str]:
    """Return a Parquet table as CSV with every digit, and what metaeval noted in the file, "" if nothing."""
    import polars as pl  # noqa: PLC0415 - only this form needs it

    frame = pl.read_parquet(BytesIO(content))
    noted = pl.read_parquet_metadata(BytesIO(content)).get("metaeval", "")
    return frame.cast({pl.Float32: pl.Float64}).write_csv().encode(), noted


def dataset_of(content: bytes) -> "xr.Dataset":
    """Return what a NetCDF 4 file holds; its variables are not decoded as times."""
    import xarray as xr  # noqa: PLC0415 - loads pandas

    with xr.open_dataset(BytesIO(content), engine="h5netcdf", decode_times=False) as opened:
        if opened.nbytes > _MOST_DATA + 1000 * len(content):
            message = f"it declares {opened.nbytes} bytes of data, and has {len(content)}"
            raise ValueError(message)
        return opened.load()


def _limit_memory(size: int) -> None:
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MOST_MEMORY + 50 * size
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _main(kind: str) -> None:
    content = sys.stdin.buffer.read()
    _limit_memory(len(content))
    sys.unraisablehook = lambda _: None  # h5netcdf complains twice of what it cannot open
    try:
        (rows_of if kind == "Parquet" else dataset_of)(content)
    except BaseException as error:  # noqa: BLE001 - a panic of Rust is no Exception
        sys.stderr.write(f"\n{error or type(error).__name__}")
        sys.exit(1)


if __name__ == "__main__":
    _main(sys.argv[1])
