"""Rows of tables of votes that are no vote of their own, or several: sums, repeated rows, counts and totals."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.names import clean_name
from metaeval.errors import ScoresError
from metaeval.table.derived import rounding
from metaeval.table.roles import is_summary
from metaeval.table.vote_cells import Codes, Floats, RowError, TextCells, finite_numbers

Repeated = Literal["keep", "first"]
"""What becomes of rows that repeat another."""
type Table = Mapping[str, Any]


def rows_of_sums(sides: Sequence[TextCells]) -> NDArray[np.bool_]:
    """Return which rows stand for all others: a word for it in place of a system, and no other system beside it.

    Examples
    --------
    >>> left = TextCells(np.array([0, 1, 2, -1]), ["a", "b", "Total"])
    >>> right = TextCells(np.array([0, 0, -1, -1]), ["c"])
    >>> rows_of_sums([left, right]).tolist()
    [False, False, True, False]
    """
    said = [np.array([*map(is_summary, cells.texts), False]) for cells in sides]
    if not any(own.any() for own in said):
        return np.zeros(len(sides[0].codes), dtype=bool)
    first, second = (own[cells.codes] for own, cells in zip(said, sides, strict=True))
    alone = [own | (cells.codes < 0) for own, cells in zip((first, second), sides, strict=True)]
    return np.asarray((first | second) & alone[0] & alone[1])


def headers_again(table: Table, columns: Iterable[str], sides: Mapping[str, TextCells]) -> NDArray[np.bool_]:
    """Return which rows say in each of some columns what it is called, as files put under each other do.

    Examples
    --------
    >>> cells = TextCells(np.array([0, 1]), ["a", "left"])
    >>> headers_again({"left": ["a", "left"], "n": [1, "n"]}, ["left", "n"], {"left": cells}).tolist()
    [False, True]
    """
    said = [np.array([*(text == name for text in cells.texts), False])[cells.codes] for name, cells in sides.items()]
    again = np.logical_and.reduce(said)
    again[again] = [all(str(table[name][row]) == name for name in columns) for row in np.flatnonzero(again)]
    return again


def system_name(text: str) -> str:
    """Return the name of a system, unless it is a word for all others."""
    if is_summary(text):
        rule = "is called as a sum or average of others; leave its rows out, or rename it if it is a system"
        raise ScoresError(f"system {text!r} {rule}")
    return clean_name(text, "system")


class RepeatedRows:
    """Rows that are alike in every column, of tables that come one after the other."""

    def __init__(self, rule: Repeated) -> None:
        check_choice(rule, "rule for `duplicates`", get_args(Repeated))
        self.first_alone = rule == "first"
        self._seen = np.empty(0, dtype=np.uint64)

    def new(self, table: Table) -> NDArray[np.bool_]:
        """Return which rows no earlier one is like."""
        codes = hashes_of(dict(sorted(table.items())))
        new = ~(pd.Series(codes).duplicated().to_numpy() | np.isin(codes, self._seen))
        self._seen = np.concatenate([self._seen, codes[new]])
        return new


def hashes_of(table: Table) -> NDArray[np.uint64]:
    """Return a number for each row, that of rows which are alike in every column."""
    text = pd.DataFrame({name: pd.Series(values).astype(str) for name, values in table.items()})
    return np.asarray(pd.util.hash_pandas_object(text, index=False), dtype=np.uint64)


def n_repeated(held: Mapping[str, NDArray[Any]], *, counted: bool) -> int:
    """Count the votes that repeat another in all that is read and in what numbers or dates them.

    Something has to be there that would distinguish two: a question, or counts of a pair.
    """
    if not (counted or "question" in held):
        return 0
    frame = pd.DataFrame(dict(held))
    return int(frame[frame["share"] == 1.0].duplicated().sum() if counted else frame.duplicated().sum())


MOST = 1e9
"""Votes that a row counts for, and what the smallest weight is one by."""
_MOST_ROWS = 20_000_000
"""Votes that are laid out one by one."""
_FEWEST_RUNNING = 3
_CLOSE = 1e-6
_MOSTLY = 0.75
"""Share of the rows that have another's counts beyond which one without is taken for a mistake."""


def is_running_number(counts: Floats, last: int) -> bool:
    """Whether a column numbers the rows: each is one more than that before, and the first than the last one read.

    Examples
    --------
    >>> is_running_number(np.array([1.0, 2.0, 3.0]), 0), is_running_number(np.array([30.0, 10.0, 30.0]), 0)
    (True, False)
    """
    starts = len(counts) >= (1 if last else _FEWEST_RUNNING)
    return starts and bool((counts == np.arange(len(counts)) + (last + 1 if last else min(counts[0], 1.0))).all())


def votes_of_row(counts: Floats, column: str, read: Sequence[Any], *, named: bool) -> Codes:
    """Return how many votes each row stands for; an error where the column may hold something else.

    Rows that say the same are not counts of different outcomes, unless the reader said that the column counts votes.
    """
    rename = "; if the column counts no votes, rename it (weights are called 'weight')"
    if (odd := np.flatnonzero(~((counts >= 1) & (counts == np.round(counts)) & (counts <= MOST)))).size:
        rule = f"column {column!r} says how many votes a row stands for, and must be a whole number of 1 or more"
        raise RowError(int(odd[0]), rule + rename)
    cells = [values.codes if isinstance(values, TextCells) else values for values in read]
    alike = pd.DataFrame({number: pd.Series(values).astype(str) for number, values in enumerate(cells)}).duplicated()
    if not named and (counts != 1).any() and alike.any():
        rule = (
            f"column {column!r} may say how many votes a row stands for, but this row says the same as an earlier one"
            f"; if it counts votes pass `columns={{'count': {column!r}}}`"
        )
        raise RowError(int(np.argmax(alike)), rule + rename)
    if counts.sum() > _MOST_ROWS:
        rule = f"column {column!r} counts {counts.sum():,.0f} votes, and at most {_MOST_ROWS:,} are laid out one by one"
        raise RowError(0, f"{rule}; give them as counts of a pair, in columns wins, losses and ties")
    return counts.astype(np.int64)


def whole_counts(values: Any, column: str) -> Floats:  # noqa: ANN401 - an array, or pandas' own
    """Return a column of counts."""
    numbers = finite_numbers(values, column)
    if (odd := np.flatnonzero(~((numbers >= 0) & (numbers == np.round(numbers)) & (numbers <= MOST)))).size:
        rule = f"column {column!r} must hold counts: whole numbers of 0 or more, up to {MOST:,.0f}"
        raise RowError(int(odd[0]), rule)
    return numbers


def counts_of_rates(values: Any, column: str, n_votes: Floats) -> dict[str, Floats]:  # noqa: ANN401 - as above
    """Return the counts that shares of wins stand for, a tie being half a win; an error where they can be none.

    Examples
    --------
    >>> counts = counts_of_rates(np.array([0.3333, 0.625]), "win_rate", np.array([3.0, 4.0]))
    >>> {word: numbers.tolist() for word, numbers in counts.items()}
    {'wins': [1.0, 2.0], 'losses': [2.0, 1.0], 'ties': [0.0, 1.0]}
    """
    rates = finite_numbers(values, column)
    halves = np.rint(2 * rates * n_votes)
    near = np.abs(2 * rates * n_votes - halves) <= 2 * n_votes * rounding(rates) + _CLOSE
    if (odd := np.flatnonzero(~(near & (rates >= 0) & (rates <= 1)))).size:
        row = int(odd[0])
        rule = f"column {column!r} says {rates[row]:g}, which is no share of {n_votes[row]:.0f} votes"
        raise RowError(row, f"{rule}; repair the row, or rename the column if it is no share of wins")
    wins, ties = np.floor(halves / 2), halves % 2
    return {"wins": wins, "losses": n_votes - wins - ties, "ties": ties}


def unsaid_votes(total: Floats, said: Floats, column: str) -> int:
    """Return how many votes of the totals are neither won, lost nor tied; an error where fewer votes are than those."""
    if (odd := np.flatnonzero(total < said)).size:
        row = int(odd[0])
        rule = f"column {column!r} says {total[row]:.0f} votes, and wins, losses and ties are {said[row]:.0f}"
        raise RowError(row, f"{rule}; repair the row, or rename the column if it counts something else")
    return int((total - said).sum())


def mirrors(seen: Sequence[NDArray[Any]], turned: Sequence[NDArray[Any]]) -> NDArray[np.bool_]:
    """Return which rows are another one seen from the other side; the first two columns are the systems.

    They are where every pair of systems that has rows from both sides has the same ones; where one differs, rows from
    either side are votes of their own, unless nearly all are the same.

    Examples
    --------
    >>> left, right, wins = np.array([0, 1, 2]), np.array([1, 0, 1]), np.array([30, 10, 5])
    >>> mirrors([left, right, wins, 40 - wins], [right, left, 40 - wins, wins]).tolist()
    [False, True, False]
    """
    n = len(seen[0])
    both = pd.DataFrame(
        {number: np.concatenate(columns) for number, columns in enumerate(zip(seen, turned, strict=True))}
    )
    codes = both.groupby(list(both), sort=False).ngroup().to_numpy()
    pairs = both.groupby([0, 1], sort=False).ngroup().to_numpy()
    two_sided = np.isin(pairs[:n], pairs[n:])
    own = np.bincount(codes[:n], minlength=codes.max(initial=0) + 1)
    matched = own[codes[n:]] == own[codes[:n]]
    second = two_sided & (pairs[:n] > pairs[n:])
    if not second.any():
        return second
    share = matched[two_sided].mean()
    if share == 1.0:
        return second
    if share >= _MOSTLY:
        row = int(np.argmax(two_sided & ~matched))
        rule = "most rows are others seen from the other side, and this one has no row that says the same"
        way = "repair it, or keep one row of a pair: one of the two if both are the same votes, else their sum"
        raise RowError(row, f"{rule}; {way}")
    return np.zeros(n, dtype=bool)
