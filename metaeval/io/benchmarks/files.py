"""A file of a benchmark beside what it holds, and which of several of one system and task is read."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import Json
from metaeval.io.sources import Source


class File[T](NamedTuple):
    """A file whose format is known."""

    source: Source
    held: T
    """What was read from it."""


class Dated(NamedTuple):
    """A file, and what decides whether it is read where there are others of its system and task."""

    system: str
    task: str
    file: File[Json]
    ended_well: bool
    """One that did is read before all that did not."""
    age: tuple[Any, ...]
    """A larger one is newer; empty where the file does not say."""
    n_items: int
    """How many it scores."""
    scores: object
    """Equal where two files say the same."""


def newest(files: Sequence[Dated]) -> dict[tuple[str, str], File[Json]]:
    """Return for every system and task its newest file."""
    groups: dict[tuple[str, str], list[Dated]] = {}
    for one in files:
        groups.setdefault((one.system, one.task), []).append(one)
    return {key: _newest(group).file for key, group in groups.items()}


def _newest(group: Sequence[Dated]) -> Dated:
    best = [one for one in group if one.ended_well] or list(group)
    chosen = max(best, key=lambda one: one.age)
    path = chosen.file.source.path
    for one in best:
        other = one.file.source.path
        if one.age == chosen.age and one.scores != chosen.scores:
            message = (
                f"{one.system} has other scores on {one.task} in {path}, and neither file says that it is the newer; "
                "leave one out"
            )
            raise FileFormatError(message, path=other)
        if one.n_items > chosen.n_items:
            message = (
                f"this newest file of {one.system} on {one.task} scores {chosen.n_items} items, and {other}, an older "
                f"one, {one.n_items}; leave out the one that does not count"
            )
            raise FileFormatError(message, path=path)
    return chosen


def moment(date: object) -> tuple[float, ...]:
    """Return the seconds since 1970 of a date in ISO 8601, one without a zone taken as UTC; nothing if it is none.

    Examples
    --------
    >>> moment("2026-01-01T01:00:00+01:00") == moment("2026-01-01T00:00:00Z"), moment("yesterday")
    (True, ())
    """
    try:
        found = datetime.fromisoformat(str(date))
    except ValueError:
        return ()
    return ((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp(),)


def own_system(source: Source, found: str) -> str:
    """Return the name given to a file (``NAME=path``), else the one found in or around it."""
    return (source.name or found).strip()
