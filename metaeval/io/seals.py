"""A checksum over a whole file for the two formats that bring none: Parquet as polars writes it, and NetCDF (HDF5).

The compressed formats check what they unpack. In these two a flipped bit can read as another number, and HDF5 can
search a damaged file without end. So a file of ours carries a SHA-256 checksum of all its bytes, in a place that
other programs pass over, and it is checked before the format is looked into. Files of others have none, and a
program that writes the file anew leaves it out.
"""

import hashlib
import re
from io import BytesIO
from pathlib import Path

import xarray as xr

from metaeval.errors import FileFormatError
from metaeval.io.files import read_bytes, write_bytes

__all__ = ["PLACE", "check_seal", "read_tree", "seal_netcdf", "seal_parquet", "write_tree"]

_NAME = "metaeval-sha256"
_EMPTY = "0" * 64

PLACE = {_NAME: _EMPTY}
"""The entry of a Parquet file's metadata that `seal_parquet` fills in."""

_IN_PARQUET = re.compile(_NAME.encode() + rb"..([0-9a-f]{64})", re.DOTALL)  # between them: the kind and the length
_AFTER_NETCDF = re.compile(rb"\n" + _NAME.encode() + rb":([0-9a-f]{64})\n\Z")
_LONGEST = len(_NAME) + 67


def seal_parquet(content: bytes) -> bytes:
    """Return a Parquet file, written with `PLACE` in its metadata, with its checksum.

    The checksum is that of the file as it is with zeros in its place.
    """
    start, stop = _places_in_parquet(content)[0]
    return content[:start] + _checksum(content).encode() + content[stop:]


def seal_netcdf(content: bytes) -> bytes:
    """Return a NetCDF 4 file with its checksum behind it, where HDF5 does not look."""
    return content + f"\n{_NAME}:{_checksum(content)}\n".encode()


def check_seal(content: bytes, path: object) -> None:
    """Refuse a file that carries a checksum and is not what it was made from; others pass.

    Parameters
    ----------
    content : bytes
        A whole Parquet or NetCDF file.
    path : object
        Names the file in the error.

    Raises
    ------
    FileFormatError
    """
    found = _AFTER_NETCDF.search(content[-_LONGEST:])
    if found is not None:
        claims = [(found[1], content[: len(content) - (len(found[0]))])]
    else:
        claims = [
            (content[start:stop], content[:start] + _EMPTY.encode() + content[stop:])
            for start, stop in _places_in_parquet(content)
        ]
    if any(_checksum(sealed).encode() != claimed for claimed, sealed in claims):
        message = (
            "the file is not what was written: its checksum is another. It is damaged (fetch it again, or make it "
            "anew), or another program changed it and kept the old checksum (write it without "
            f"{_NAME!r})"
        )
        raise FileFormatError(message, path=path)


def write_tree(tree: xr.DataTree, path: str | Path) -> Path:
    """Write a tree of data sets as NetCDF with its checksum, whole or not at all."""
    # through memory, for HDF5 has errors of its own for a disk that is full
    content = bytes(tree.to_netcdf(engine="h5netcdf"))
    return write_bytes(path, seal_netcdf(content))


def read_tree(path: str | Path) -> xr.DataTree:
    """Read a tree of data sets after checking its checksum, if it has one.

    Raises
    ------
    FileFormatError
        If the file is not there, is damaged or no NetCDF.
    """
    content = read_bytes(path)
    check_seal(content, path)
    try:
        with xr.open_datatree(BytesIO(content), engine="h5netcdf") as tree:
            return tree.load()
    except (OSError, ValueError, KeyError) as error:
        raise FileFormatError(f"the NetCDF file cannot be read: {error}", path=path) from error


def _places_in_parquet(content: bytes) -> list[tuple[int, int]]:
    return [found.span(1) for found in _IN_PARQUET.finditer(content)] if content.startswith(b"PAR1") else []


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
