"""A file of a benchmark beside what it holds."""

from typing import NamedTuple

from metaeval.io.sources import Source

__all__ = ["File", "own_system"]


class File[T](NamedTuple):
    """A file whose format is known.

    Attributes
    ----------
    source : Source
    held : object
        What was read from it.
    """

    source: Source
    held: T


def own_system(source: Source, found: str) -> str:
    """Return the name given to a file (``NAME=path``), else the one found in or around it."""
    return (source.name or found).strip()
