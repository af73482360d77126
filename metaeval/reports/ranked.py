"""The table of systems by rank that pages on leaderboards, boards of means and votes share."""

from collections.abc import Iterable

import pandas as pd

from metaeval.base.words import chance, text, whole
from metaeval.page.tables import Column, left, right, rising

_MOST_LETTERS = 12


def few_letters(part: pd.DataFrame) -> bool:
    """Say whether the letters of the groups are few enough to be shown."""
    return bool(part["letters"].str.len().max() <= _MOST_LETTERS)


def written_ranks(part: pd.DataFrame) -> pd.DataFrame:
    """Return the systems with their intervals of ranks written out."""
    ends = zip(part["rank_low"], part["rank_high"], strict=True)
    written = [f"{low} to {high}" if low < high else str(low) for low, high in ends]
    return part.assign(ranks=written, ranks_sort=part["rank_low"])


def with_alike(part: pd.DataFrame) -> pd.DataFrame:
    """Return the systems with how many others are not separated of each."""
    return part.assign(alike=len(part) - 1 - part["n_above"] - part["n_below"])


def ranked_columns(
    part: pd.DataFrame, details: Iterable[Column], ranks: Iterable[Column], last: Iterable[Column]
) -> tuple[Column, ...]:
    """Return the columns of such a table: `details` behind the names, the `ranks`, and `last` before the letters."""
    top = next((name for name in map(str, part) if name.startswith("p_top_")), "")
    chances = {"p_best": "best", top: f"top {top.removeprefix('p_top_')}"} if top else {}
    return (
        *rising(whole, rank="Rank"),
        *left(system="System"),
        *details,
        *ranks,
        *right(chance, "Probability", **chances),
        *right(whole, "Significantly", n_above="better", n_below="worse"),
        *last,
        *(left(letters="Groups") if few_letters(part) else ()),
    )


def interval_of_ranks(level: str) -> tuple[Column, ...]:
    """Return the column of the intervals of ranks."""
    return right(text, ranks=f"{level} interval of the rank")


ALIKE = right(whole, alike="Not separated")
