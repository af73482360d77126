# ruff: noqa: RUF001, RUF002 - the true minus sign is what people see
"""The few numbers that stand under the first sentence of a page, and what an interval lets that sentence say."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from metaeval.base.words import absent, text
from metaeval.page.blocks import MOST_KEY_FIGURES
from metaeval.page.tables import Column, Table, left, right

FIGURES = (*left(what="Figure"), *right(text, written="Value"))


class KeyFigure(NamedTuple):
    """A figure in words, and the numbers in it for programs."""

    what: str
    value: str
    """As written; nothing where it is not known."""
    numbers: tuple[object, ...] = ()


def key_figures(frame: pd.DataFrame, columns: Iterable[Column], *, caption: str = "", which: str = "first") -> Table:
    """Return a frame as key figures: of more rows than a page shows the first, as its caption says.

    Examples
    --------
    >>> key_figures(pd.DataFrame({"what": list("abcdefg"), "written": 1}), FIGURES, which="best").caption
    'The best 5 of 7.'
    """
    shown = frame.head(MOST_KEY_FIGURES)
    some = f"The {which} {len(shown)} of {len(frame):,}." if len(shown) < len(frame) else ""
    words = " ".join(filter(None, (some, caption)))
    return Table(name="key-figures", title="Key figures", caption=words, frame=shown, columns=tuple(columns))


def listed_figures(figures: Iterable[KeyFigure]) -> Table | None:
    """Return the first figures of several kinds that are known as key figures; None where none is."""
    known = [one for one in figures if one.value][:MOST_KEY_FIGURES]
    if not known:
        return None
    table = key_figures(
        pd.DataFrame({"what": [one.what for one in known], "written": [one.value for one in known]}), FIGURES
    )
    rows = [(one.what, number) for one in known for number in one.numbers if not absent(number)]
    return replace(table, data=pd.DataFrame(rows, columns=["what", "number"]))


def sure_side(written: str, bar: float = 0.0) -> int:
    """Return on which side of a bar an interval lies as a reader sees it: 1 above, -1 below, 0 neither.

    Examples
    --------
    >>> sure_side("0.72 [0.68, 0.76]"), sure_side("−0.2 [−0.3, −0.1]"), sure_side("0.8 [0.0, 1.0]"), sure_side("0.8")
    (1, -1, 0, 0)
    """
    found = re.search(r"\[([−\d.]+), ([−\d.]+)", written)
    if found is None:
        return 0
    low, high = (float(end.replace("−", "-")) for end in found.groups())
    return (low > bar) - (high < bar)
