"""The few numbers that stand under the first sentence of a page, and what an interval lets that sentence say."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import pandas as pd

from metaeval.base.digits import error_of_ends
from metaeval.base.names import natural_order
from metaeval.base.words import End, absent, bracketed, text
from metaeval.page.blocks import MOST_KEY_FIGURES
from metaeval.page.tables import Column, Table, left, right, with_cells
from metaeval.reports.prose import prose

FIGURES = (*left(what="Figure"), *right(text, written="Value"))
_FEW, _LAST, _NAMED = 5, 2, 3
"""Of more rows than a page shows whole, how many and which last ones are kept; how many names fit into a sentence."""
say = prose(__name__)


class KeyFigure(NamedTuple):
    """A figure in words, and the numbers in it for programs."""

    what: str
    value: str
    """As written; nothing where it is not known."""
    numbers: Mapping[Any, object] = MappingProxyType({})
    """What each number is, such as "low": as programs call it."""


def key_figures(  # noqa: PLR0913 - the parts of a table
    frame: pd.DataFrame,
    columns: Iterable[Column],
    *,
    by: str = "",
    falling: bool = True,
    which: str = "",
    caption: str = "",
    data: pd.DataFrame | None = None,
    precision: str = "",
) -> Table:
    """Return a frame as key figures, in order of `by`: of more than eight rows the first three and the last two.

    Where the frame is in an order that has a word (`which`, such as "best"), the first five.

    Examples
    --------
    >>> frame = pd.DataFrame({"metric": list("abcdefghi"), "power": range(9)})
    >>> table = key_figures(frame, left(metric="Metric"), by="power")
    >>> table.frame["metric"].tolist(), table.caption
    (['i', 'h', 'g', 'b', 'a'], 'Shown: the first 3 and the last 2 of 9 rows.')
    >>> key_figures(frame, left(metric="Metric"), which="best").caption
    'Shown: the best 5 of 9 rows.'
    """
    if by:
        names = natural_order(map(str, frame.iloc[:, 0]))
        places = frame.iloc[:, 0].map({name: position for position, name in enumerate(names)})
        frame = frame.assign(_place=places).sort_values([by, "_place"], ascending=[not falling, True])
        frame = frame.drop(columns="_place")
    if (n_rows := len(frame)) > MOST_KEY_FIGURES:
        first = _FEW if which else _FEW - _LAST
        frame = frame.head(first) if which else pd.concat([frame.head(first), frame.tail(_LAST)])
        caption = f"{caption} {say('few', which=which, first=first, last=_LAST, n=n_rows)}".strip()
    return Table(
        name="key_figures",
        title="Key figures",
        caption=caption,
        frame=frame.reset_index(drop=True),
        columns=tuple(columns),
        data=data,
        precision=precision,
    )


def listed_figures(figures: Iterable[KeyFigure]) -> Table | None:
    """Return the first figures of several kinds that are known as key figures; None where none is."""
    first_figures = [figure for figure in figures if figure.value][:_FEW]
    if not first_figures:
        return None
    frame = pd.DataFrame({"what": [figure.what for figure in first_figures]})
    table = key_figures(with_cells(frame, written=[figure.value for figure in first_figures]), FIGURES)
    rows = [
        (figure.what, *number) for figure in first_figures for number in figure.numbers.items() if not absent(number[1])
    ]
    return replace(table, data=pd.DataFrame(rows, columns=["what", "name", "number"]))


def with_ends(value: object, low: object, high: object) -> dict[str, object]:
    """Name a number and the ends of its interval."""
    return {"value": value, "low": low, "high": high}


def ends_in(row: "Mapping[Any, Any] | pd.Series", name: str) -> tuple[float, float, float]:
    """Return a number of a row and the ends of its interval.

    Examples
    --------
    >>> ends_in({"f1": 0.8, "f1_low": 0.7, "f1_high": 0.9}, "f1")
    (0.8, 0.7, 0.9)
    """
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return value, low, high


def bounded_figure(
    what: str, ends: Iterable[float], write: Callable[[object], str], *, draws: float | None = None
) -> KeyFigure:
    """Return a number and the ends of its interval as a figure.

    Examples
    --------
    >>> from metaeval.base.words import share
    >>> bounded_figure("F1", (0.8, 0.7, 0.9), share).value
    '80.0 % [70.0, 90.0]'
    """
    value, low, high = ends
    return KeyFigure(what, bracketed(value, low, high, write, draws=draws), with_ends(value, low, high))


def counted(some: int, of: int) -> dict[str, object]:
    """Name a count and what it is a part of."""
    return {"count": some, "of": of}


def sure_side(value: Any, low: object, high: object, bar: float = 0.0, *, draws: float | None = None) -> int:  # noqa: ANN401 - a cell
    """Return on which side of a bar an interval lies, by more than its Monte-Carlo error: 1 above, -1 below, 0 neither.

    Examples
    --------
    >>> sure_side(0.72, 0.68, 0.76), sure_side(-0.2, -0.3, -0.1), sure_side(0.8, 0.0, 1.0), sure_side(0.8, None, None)
    (1, -1, 0, 0)
    >>> sure_side(0.01, 0.004, 0.016, draws=500), sure_side(0.01, 0.0001, 0.02, draws=500)
    (1, 0)
    """
    if absent(low) or absent(high):
        return 0
    least, most = float(cast("float", low)), float(cast("float", high))
    error = error_of_ends(max(value - least, most - value), draws) if draws else 0.0
    return (least - error > bar) - (most + error < bar)


def named(both: Sequence[End], what: str) -> list[str]:
    """Return who is at either end, by name where these are three at most, else by number: a sentence stays short.

    Examples
    --------
    >>> low, high = End.of({"AP": "3", "P@10": "3"}), End.of({"RR": "9"})
    >>> named([low, high], "metrics"), named([low, low], "metrics")
    (['AP and P@10', 'RR'], ['2 metrics', '2 metrics'])
    """
    few = sum(len(end.names) for end in both) <= _NAMED
    return [end.who if few or len(end.names) == 1 else f"{len(end.names)} {what}" for end in both]
