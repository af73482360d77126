"""Rows of tables of votes that are no vote of their own: sums under the others, and rows that repeat one."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.names import clean_name
from metaeval.errors import ScoresError
from metaeval.table.roles import is_summary
from metaeval.table.vote_cells import TextCells

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
