"""What may matter beside the systems of a vote: numbers of both, or of the pair."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import is_number
from metaeval.errors import InvalidOptionError
from metaeval.table.vote_cells import Floats, RowError, finite_numbers
from metaeval.table.vote_rows import Table

type Sides = tuple[str, ...]

POSITION = "position"
"""The covariate that needs no column: whether a system stands on the left."""
_SIDES = (("_left", "_right"), ("_a", "_b"), ("_1", "_2"), ("_winner", "_loser"))


def sides_of_covariate(name: str, columns: Iterable[str]) -> tuple[str, ...] | None:
    """Return the column of a covariate, or the two whose difference it is; None where there is none."""
    held = set(columns)
    if name in held:
        return (name,)
    return next(
        ((name + a, name + b) for a, b in _SIDES if {name + a, name + b} <= held), () if name == POSITION else None
    )


def possible_covariates(columns: Iterable[str], read: Collection[str], first: Mapping[str, object]) -> list[str]:
    """Return what may be asked for: columns that say nothing else of a vote, two of both sides by their common name.

    `first` has the values of the first row, where they are known: a column that has no number there is none of these.

    Examples
    --------
    >>> possible_covariates(["a", "b", "winner", "length_a", "length_b", "turn"], {"a", "b", "winner"}, {"turn": "1"})
    ['position', 'length', 'turn']
    """
    free = [name for name in columns if name not in read and is_number(str(first.get(name, 0)))]
    pairs = [(name.removesuffix(left), name.removesuffix(left) + right) for name in free for left, right in _SIDES]
    both = {stem: other for stem, other in pairs if stem not in free and other in free}
    sides = {*both.values()} | {stem + left for stem in both for left, _ in _SIDES}
    return [POSITION, *both, *(name for name in free if name not in sides)]


def two_sided_covariates(
    columns: Iterable[str], read: Collection[str], first: Mapping[str, object]
) -> dict[str, Sides]:
    """Return the covariates that two columns of numbers hold, one of either side, with these columns.

    Examples
    --------
    >>> names = ["a", "b", "winner", "length_a", "length_b", "turn", "text_a", "text_b"]
    >>> two_sided_covariates(names, {"a", "b", "winner"}, {"length_a": 3, "length_b": 4, "text_a": "x", "text_b": "y"})
    {'length': ('length_a', 'length_b')}
    """
    names = [name for name in possible_covariates(columns, read, first) if name != POSITION]
    sides = {name: sides_of_covariate(name, columns) or () for name in names}
    return {name: pair for name, pair in sides.items() if len(pair) == 2 and {*pair} <= first.keys()}  # noqa: PLR2004 - two sides


def covariate_of(
    name: str, table: Table, kept: NDArray[np.bool_], *, placed: bool, turned: NDArray[np.bool_] | None = None
) -> Floats:
    """Return a covariate of the rows kept; what lies between both sides has the other sign where they are `turned`."""
    found = sides_of_covariate(name, table) or ()
    if not found and not placed:
        raise InvalidOptionError(f"covariate {name!r}: a table of winners and losers does not say who was on the left")
    numbers = [finite_numbers(table[column], column) for column in found] or [np.ones(len(kept))]
    for column, values in zip(found, numbers, strict=False):
        if (odd := np.flatnonzero(np.isnan(values) & kept)).size:
            raise RowError(
                int(odd[0]), f"covariate {name!r} must be a number for every vote; column {column!r} has none"
            )
    between = numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]
    return (between if turned is None or not found else np.where(turned, -between, between))[kept]
