"""The few numbers under the first sentence of a report, and how that sentence writes a figure with its interval."""

from collections.abc import Sequence

import pandas as pd

from metaeval.base.names import natural_order
from metaeval.base.words import EACH, MISSING, End
from metaeval.page.blocks import MOST_KEY_FIGURES
from metaeval.page.tables import Column, Table
from metaeval.reports.prose import prose

_LAST, _NAMED = 2, 3
"""Of more rows than a page shows the last ones that are kept; how many names a sentence has room for."""
say = prose("key_figures")


def key_figures(  # noqa: PLR0913 - how they are ordered, and what stands behind them
    frame: pd.DataFrame,
    columns: Sequence[Column],
    *,
    by: str = "",
    falling: bool = True,
    caption: str = "",
    data: pd.DataFrame | None = None,
) -> Table:
    """Return the key figures: every row where they are few, else the first three and the last two, in order of `by`.

    Examples
    --------
    >>> from metaeval.page.tables import METRIC
    >>> table = key_figures(pd.DataFrame({"metric": list("abcdef"), "power": range(6)}), [METRIC], by="power")
    >>> table.frame["metric"].tolist(), table.caption
    (['f', 'e', 'd', 'b', 'a'], 'Shown: the first 3 and the last 2 of 6 rows.')
    """
    if by:
        names = natural_order(map(str, frame.iloc[:, 0]))
        places = frame.iloc[:, 0].map({name: place for place, name in enumerate(names)})
        frame = frame.assign(_place=places).sort_values([by, "_place"], ascending=[not falling, True])
        frame = frame.drop(columns="_place")
    if (n_rows := len(frame)) > MOST_KEY_FIGURES:
        first = MOST_KEY_FIGURES - _LAST
        frame = pd.concat([frame.head(first), frame.tail(_LAST)])
        caption = f"{caption} {say('few', first=first, last=_LAST, n=n_rows)}".strip()
    return Table(
        name="key_figures",
        title=say("title"),
        caption=caption,
        frame=frame.reset_index(drop=True),
        columns=tuple(columns),
        data=data,
    )


def in_brackets(figure: str, ends: str) -> str:
    """Return a figure with an interval as `interval` writes it in brackets; a caption says the error of the ends.

    Examples
    --------
    >>> in_brackets("69.2 %", "64 to 74 %, each ± 0.3")
    '69.2 % [64, 74]'
    """
    if ends == MISSING:
        return figure
    return f"{figure} [{', '.join(EACH.sub('', ends).removesuffix(' %').split(' to '))}]"


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
