"""Rows that stand for several votes: counts of a row, counts seen from either side, and totals beside them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.table.derived import rounding
from metaeval.table.vote_cells import Codes, Floats, RowError, TextCells, finite_numbers

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
