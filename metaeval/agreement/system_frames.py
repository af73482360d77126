"""Frames with a row a system, or a system and item, of any library: what names the rows, and which columns are numbers.

Names may stand in columns or in levels of the index, and numbers may be held as objects, texts or decimals.
"""

from collections.abc import Collection
from typing import cast

import pandas as pd

from metaeval.base.checks import check_kind
from metaeval.base.columns import ITEMS, underscored
from metaeval.base.names import shortened
from metaeval.errors import ScoresError
from metaeval.io.items import columns_of_items
from metaeval.table.array import held_numbers, holds_numbers
from metaeval.table.conversions import plain


def with_columns_of_index(data: object, argument: str) -> pd.DataFrame:
    """Return a frame of any library as one of pandas; the levels of its index that have names are columns.

    Examples
    --------
    >>> rows = pd.DataFrame({"system": ["a", "b"], "item": [1, 1], "human": [0.1, 0.2]})
    >>> with_columns_of_index(rows.set_index(["system", "item"]), "frame").columns.tolist()
    ['system', 'item', 'human']
    """
    check_kind(plain(data), argument, "DataFrame")
    frame = cast("pd.DataFrame", plain(data))
    levels = [level for level in frame.index.names if level is not None and level not in frame.columns]
    named = frame.reset_index(level=levels) if levels else frame
    named = named if named.index.is_unique else named.reset_index(drop=True)
    named.attrs = frame.attrs
    return named


def with_numbers(frame: pd.DataFrame, keys: Collection[str]) -> pd.DataFrame:
    """Return a frame whose columns of numbers, but for the keys, are floats, however they are held.

    Columns of files are numbers where they are read as such.

    Examples
    --------
    >>> with_numbers(pd.DataFrame({"item": ["1", "2"], "BLEU": ["30.5", None]}), ["item"]).to_dict("list")
    {'item': ['1', '2'], 'BLEU': [30.5, nan]}
    """
    if "sources" in frame.attrs:
        return frame
    made = {
        name: numbers
        for name, cells in frame.items()
        if isinstance(name, str)
        and name not in keys
        and not holds_numbers(cells)
        and (numbers := held_numbers(cells)) is not None
    }
    return frame.assign(**made) if made else frame


def rows_of_systems(data: object, argument: str) -> tuple[pd.DataFrame, str | None, list[str]]:
    """Return a frame with the columns that name its systems and items; None where its index names a system a row.

    Examples
    --------
    >>> means = pd.DataFrame({"human": [1, 2], "BLEU": [30, 31]}, index=["a", "b"])
    >>> rows_of_systems(means, "means")[1:], rows_of_systems(means.rename_axis("system").reset_index(), "means")[1:]
    ((None, []), ('system', []))
    """
    frame = plain(data)
    if isinstance(frame, pd.DataFrame) and frame.index.nlevels == 1 and frame.index.is_unique:
        numbers = with_numbers(frame, ())
        called = [name for name in frame.columns if underscored(str(name)) in ITEMS["system"]]
        names = not isinstance(frame.index, pd.RangeIndex) or not called
        if names and all(holds_numbers(cells) for _, cells in numbers.items()):
            return numbers, None, []
    named = with_columns_of_index(frame, argument)
    if isinstance(frame, pd.DataFrame):
        _refuse_unnamed(frame, named, argument)
    system, items = columns_of_items(named)
    return named, system, items


def _refuse_unnamed(frame: pd.DataFrame, named: pd.DataFrame, argument: str) -> None:
    """Refuse a frame whose index alone can say what its rows are of, and whose levels have no names."""
    numbers = with_numbers(named, ())
    if None not in frame.index.names or not all(holds_numbers(cells) for _, cells in numbers.items()):
        return
    if any(underscored(str(name)) in ITEMS["system"] for name in named.columns):
        return
    levels = [str(label) for label in frame.index.to_frame().iloc[0]]
    axis = "'system'" if len(levels) == 1 else "['system', 'item']"
    raise ScoresError(
        f"`{argument}` holds rows such as {', '.join(map(shortened, levels))}, and neither its index nor a column says "
        f"by its name what they are of; name the levels of the index, such as `{argument}.rename_axis({axis})`"
    )
