"""What a reader of a benchmark takes from a file: a `Part` for each system in it, an item a record with its metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from metaeval.errors import FileFormatError

type Place = Callable[[int, str], tuple[int | None, str]]
"""Line, and key path, of a record's metric."""


class Repeats(tuple[Any, ...]):
    """Several scores of one system on one item under one metric."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What a file says of one system."""

    path: str
    system: str
    topics: Sequence[str]
    """The item of every record."""
    values: Sequence[Mapping[str, Any]]
    """Metric to score of every record: a number, None where there is none, `Repeats`; anything else is no score."""
    place: Place
    """Where a metric of a record (by number) stands, for messages."""
    errors: Sequence[Mapping[str, Any]] = ()
    """Metric to the standard error of the score of every record, where files have some of whole tasks."""
    repeats: Sequence[str] | None = None
    """The epoch or trial of every record."""
    runs: bool = False
    """Whether a trial is one of the whole system, and not of every item by itself."""
    clusters: Sequence[str] | None = None
    """What the item of every record shares noise with: its task or document."""
    marks: Sequence[str | None] | None = None
    """What must be the same wherever the item stands, such as a checksum of its text; None where it is not said."""
    mark: str = "hash"
    """What the marks are called."""
    asked: Sequence[str | None] | None = None
    """What was asked for every record, where items may be called by their positions alone."""
    notes: Sequence[str] = field(default_factory=list)
    lower: frozenset[str] = frozenset()
    """Metrics, without what stands in brackets behind them, where a lower value of an item is better."""
    higher: frozenset[str] = frozenset()
    """Those where it is said that a higher one is."""
    said: Mapping[str, "str | Mapping[str, str]"] = field(default_factory=dict)
    """What must be alike for scores to be comparable (`Format.compared`): of all of it, or of each thing by name."""

    @property
    def task(self) -> str:
        """The task of the first item."""
        return self.clusters[0] if self.clusters else ""

    def refuse(self, rule: str, record: int, metric: str = "") -> FileFormatError:
        """Return the error about a record, or about one of its metrics."""
        line, key = self.place(record, metric)
        return FileFormatError(f"{key}: {rule}" if key else rule, path=self.path, line=line)
