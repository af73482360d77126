"""What a reader of a benchmark takes from a file: a `Part` for each system in it, an item a record with its metrics.

Beside it: which of several files of one system and task is read, and names in JSON.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

from metaeval.base.names import shortened
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import Json
from metaeval.io.sources import Source

_DIGITS = 8


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
    said: Mapping[str, str | Mapping[str, str]] = {}
    """As `Part.said`."""


def newest(files: Sequence[Dated]) -> dict[tuple[str, str], File[Json]]:
    """Return for every system and task its newest file."""
    groups: dict[tuple[str, str], list[Dated]] = {}
    for dated in files:
        groups.setdefault((dated.system, dated.task), []).append(dated)
    return {key: _newest(group).file for key, group in groups.items()}


def _newest(group: Sequence[Dated]) -> Dated:
    best = [candidate for candidate in group if candidate.ended_well] or list(group)
    chosen = max(best, key=lambda candidate: candidate.age)
    path = chosen.file.source.path
    for candidate in best:
        candidate_path = candidate.file.source.path
        if candidate.age == chosen.age and candidate.scores != chosen.scores:
            message = (
                f"{candidate.system} has other scores on {candidate.task} in {path}, and neither file says that it is "
                "the newer; "
                "leave one out"
            )
            raise FileFormatError(message, path=candidate_path)
        if candidate.n_items > chosen.n_items:
            message = (
                f"this newest file of {candidate.system} on {candidate.task} scores {chosen.n_items} items, and "
                f"{candidate_path}, an older "
                f"one, {candidate.n_items}; leave out the one that does not count"
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
        instant = datetime.fromisoformat(str(date))
    except ValueError:
        return ()
    return ((instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp(),)


def own_system(source: Source, found: str) -> str:
    """Return the name given to a file (``NAME=path``), else the one found in or around it."""
    return (source.name or found).strip()


def name_in(json: Json, value: object, what: str, *, at: int | None = None, key: str = "") -> str:
    """Return a name that JSON has as a text or a whole number; refuse all else, of which digits may be lost."""
    if type(value) not in {str, int}:
        kind = {dict: "an object", list: "a list", type(None): "null"}.get(type(value)) or shortened(repr(value))
        json.refuse(f"a {what} is a text or a whole number, not {kind}; write it in quotation marks", at=at, key=key)
    return str(value)


def brief(text: str, longest: int) -> str:
    """Return a text in a line: itself, or its beginning and a checksum.

    Examples
    --------
    >>> brief("Name a river.", 60), brief("Name a river.", 4)
    ('Name a river.', 'Name… c8dfd6a6')
    """
    words = "".join(sign if sign.isprintable() else " " for sign in " ".join(text.split())).strip()
    if words == text and len(words) <= longest:
        return words
    mark = sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    return f"{words[:longest].strip()}… {mark}".strip()


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
