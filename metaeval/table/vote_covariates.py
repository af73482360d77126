"""What may matter beside the systems of a vote: numbers of both, or of the pair."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.base.columns import underscored
from metaeval.base.names import is_number
from metaeval.errors import InvalidOptionError
from metaeval.table.vote_cells import Floats, RowError, finite_numbers, text_lengths
from metaeval.table.vote_rows import Table

type Sides = tuple[str, ...]

POSITION = "position"
"""The covariate that needs no column: whether a system stands on the left."""
LENGTH = "length"
"""The covariate that texts of both answers have, in characters, where no column says how long they are."""
_NUMBERED = ("_1", "_2")
_SIDES = (("_left", "_right"), ("_a", "_b"), _NUMBERED, ("_winner", "_loser"), ("_first", "_second"))
_ANSWERS = (
    *(
        (stem + left, stem + right)
        for stem in ("output", "response", "answer", "completion", "generation", "reply", "text")
        for left, right in _SIDES
    ),
    ("chosen", "rejected"),
)
"""Columns of the texts of both answers."""
_LENGTHS = frozenset({LENGTH, "len", "tokens", "token", "words", "chars", "characters", "letters", "bytes", "lines"})
"""Words in names of covariates that say how long answers are."""


def is_length(name: object) -> bool:
    """Say whether a covariate is how long answers are, by its name."""
    return not _LENGTHS.isdisjoint(underscored(str(name)).split("_"))


def sides_of_covariate(name: str, columns: Iterable[str], read: Collection[str] = ()) -> tuple[str, ...] | None:
    """Return the column of a covariate, or the two whose difference it is; None where there is none.

    Those of length may be texts, unless they are `read` as something else.
    """
    held = dict.fromkeys(columns)
    if name in held:
        return (name,)
    pairs = ((name + a, name + b) for a, b in _sides_of(name, read) if {name + a, name + b} <= held.keys())
    texts = _answers(column for column in held if column not in read) if name == LENGTH else None
    return next(pairs, () if name == POSITION else texts)


def _sides_of(stem: str, read: Collection[str]) -> Sequence[Sides]:
    """Return how columns of both sides end; numbers number metrics, unless they number the systems or lengths too."""
    are_numbered = is_length(stem) or not read or any(name[-1:].isdigit() for name in read)
    return _SIDES if are_numbered else [sides for sides in _SIDES if sides != _NUMBERED]


def _answers(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the columns of the texts of both answers."""
    written = {underscored(name): name for name in columns}
    return next(((written[left], written[right]) for left, right in _ANSWERS if {left, right} <= written.keys()), None)


def possible_covariates(columns: Iterable[str], read: Collection[str], first: Mapping[str, object]) -> list[str]:
    """Return what may be asked for: columns that say nothing else of a vote, two of both sides by their common name.

    `first` has the values of the first row, where they are known: a column that has no number there is none of these,
    but the texts of both answers have a length.

    Examples
    --------
    >>> possible_covariates(["a", "b", "winner", "length_a", "length_b", "turn"], {"a", "b", "winner"}, {"turn": "1"})
    ['position', 'length', 'turn']
    """
    free = [name for name in columns if name not in read and is_number(str(first.get(name, 0)))]
    stems = [(name.removesuffix(left), left, right) for name in free for left, right in _SIDES]
    pairs = [(stem, stem + right) for stem, left, right in stems if (left, right) in _sides_of(stem, read)]
    both = {stem: other for stem, other in pairs if stem not in free and other in free}
    sides = {*both.values()} | {stem + left for stem in both for left, _ in _SIDES}
    numbers = [*both, *(name for name in free if name not in sides)]
    texts = [name for name in columns if name not in {*read, *free} and isinstance(first.get(name), str)]
    has_length = _answers(texts) is not None and not any(map(is_length, numbers))
    return [POSITION, *numbers, *([LENGTH] if has_length else [])]


def two_sided_covariates(
    columns: Iterable[str], read: Collection[str], first: Mapping[str, object]
) -> dict[str, Sides]:
    """Return the covariates that two columns of numbers or answers hold, one of either side, with these columns.

    Examples
    --------
    >>> names = ["a", "b", "winner", "length_a", "length_b", "turn", "text_a", "text_b"]
    >>> two_sided_covariates(names, {"a", "b", "winner"}, {"length_a": 3, "length_b": 4, "text_a": "x", "text_b": "y"})
    {'length': ('length_a', 'length_b')}
    >>> two_sided_covariates(["output_1", "output_2"], set(), {"output_1": "Yes.", "output_2": "No."})
    {'length': ('output_1', 'output_2')}
    """
    names = [name for name in possible_covariates(columns, read, first) if name != POSITION]
    sides = {name: sides_of_covariate(name, columns, read) or () for name in names}
    return {name: pair for name, pair in sides.items() if len(pair) == 2 and {*pair} <= first.keys()}  # noqa: PLR2004 - two sides


def covariate_of(
    name: str, table: Table, kept: NDArray[np.bool_], *, placed: bool, turned: NDArray[np.bool_] | None = None
) -> Floats:
    """Return a covariate of the rows kept; what lies between both sides has the other sign where they are `turned`."""
    found = sides_of_covariate(name, table) or ()
    are_texts = name == LENGTH and found == _answers(table)
    if not found and not placed:
        raise InvalidOptionError(f"covariate {name!r}: a table of winners and losers does not say who was on the left")
    measured = [text_lengths(table[column]) if are_texts else finite_numbers(table[column], column) for column in found]
    numbers = measured or [np.ones(len(kept))]
    for column, values in zip(found, numbers, strict=False):
        if (odd := np.flatnonzero(np.isnan(values) & kept)).size:
            raise RowError(
                int(odd[0]), f"covariate {name!r} must be a number for every vote; column {column!r} has none"
            )
    between = numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]
    return (between if turned is None or not found else np.where(turned, -between, between))[kept]
