"""What every assessor said of every item: labels checked and put into one form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.cells import natural_order
from metaeval.checks import check_choice
from metaeval.errors import InvalidOptionError, ScoresError

__all__ = ["Labels", "as_labels"]

Outside = Literal["error", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """What every assessor said of every item.

    Attributes
    ----------
    table : pandas.DataFrame
        Index ``(topic, item)``, one column an assessor; NaN where an assessor did not label an item.
    scale : tuple of int
        The labels there are, ascending.
    outside : pandas.DataFrame
        Labels that are not on the scale and were left out: ``topic``, ``item``, ``assessor``, ``label``.
    notes : tuple of str
        What was assumed or left out when they were read.
    """

    table: pd.DataFrame
    scale: tuple[int, ...]
    outside: pd.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def assessors(self) -> tuple[str, ...]:
        """Names of the assessors."""
        return tuple(self.table.columns)

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics in natural order."""
        return tuple(natural_order(self.table.index.get_level_values("topic").unique()))

    def select(self, assessors: Iterable[str]) -> "Labels":
        """Return the labels of some assessors, in the order named."""
        names = list(assessors)
        for name in names:
            check_choice(name, "assessor", self.assessors)
        outside = self.outside[self.outside["assessor"].isin(names)].reset_index(drop=True)
        return Labels(table=self.table[names], scale=self.scale, outside=outside, notes=self.notes)


def as_labels(table: object, *, scale: Sequence[int] | None = None, outside: Outside = "error") -> Labels:
    """Check labels and put them into one form.

    Parameters
    ----------
    table : DataFrame, or mapping of assessor to mapping of topic to mapping of item to label
        A frame is wide: index ``(topic, item)``, one column an assessor, NaN where something was not labelled.
    scale : sequence of int, optional
        The labels there are; by default all that occur.
    outside : {"error", "drop"}
        What happens to labels outside the scale. "drop" treats them as not given and lists them in the result.

    Raises
    ------
    InvalidOptionError
        If the scale holds other than whole numbers, or there is no such rule for labels outside it.
    ScoresError
        If labels are no whole numbers, lie outside the scale, an item stands twice, or fewer than two assessors or
        no item are left.

    Examples
    --------
    >>> labels = as_labels({"ann": {"1": {"d1": 2, "d2": 0}}, "ben": {"1": {"d1": 1}}})
    >>> labels.scale
    (0, 1, 2)
    >>> labels.table["ben"].tolist()
    [1.0, nan]
    """
    check_choice(outside, "rule for labels outside the scale", ("error", "drop"))
    frame = _wide(table)
    given = frame.to_numpy()
    if np.isinf(given).any():
        row, column = np.argwhere(np.isinf(given))[0]
        message = f"labels must be whole numbers; {_cell(frame, int(row), int(column))} is infinite"
        raise ScoresError(message)
    known = np.isfinite(given)
    if (given[known] != np.round(given[known])).any():
        row, column = np.argwhere(known & (given != np.round(given)))[0]
        message = f"labels must be whole numbers; {_cell(frame, int(row), int(column))} is {given[row, column]:g}"
        raise ScoresError(message)
    if scale is not None and any(one != round(one) for one in scale):
        message = f"scale must hold whole numbers, not {list(scale)}"
        raise InvalidOptionError(message)
    levels = tuple(sorted(int(one) for one in (np.unique(given[known]) if scale is None else set(scale))))
    off = known & ~np.isin(given, levels)
    rows, columns = np.nonzero(off)
    listed = pd.DataFrame(
        {
            "topic": frame.index.get_level_values("topic")[rows],
            "item": frame.index.get_level_values("item")[rows],
            "assessor": frame.columns[columns],
            "label": given[rows, columns],
        }
    )
    if len(listed) and outside == "error":
        message = (
            f"{len(listed)} labels are not on the scale {', '.join(map(str, levels))}; the first: "
            f"{_cell(frame, int(rows[0]), int(columns[0]))} is {given[rows[0], columns[0]]:g}. Name the whole scale "
            "with scale=, or leave them out with outside='drop'"
        )
        raise ScoresError(message)
    clean = frame.mask(off)
    if clean.shape[1] < 2 or not clean.notna().to_numpy().any():  # noqa: PLR2004 - a comparison takes two
        message = f"agreement needs two assessors and an item, not {clean.shape[1]} assessors and {len(clean)} items"
        raise ScoresError(message)
    notes = table.notes if isinstance(table, Labels) else frame.attrs.get("notes", ())
    return Labels(table=clean, scale=levels, outside=listed, notes=tuple(notes))


def _wide(table: object) -> pd.DataFrame:
    if isinstance(table, Labels):
        return table.table
    if isinstance(table, Mapping):
        columns = {
            str(assessor): pd.Series(
                {(str(topic), str(item)): label for topic, part in topics.items() for item, label in part.items()},
                dtype=np.float64,
            )
            for assessor, topics in table.items()
        }
        frame = pd.DataFrame(columns)
    elif isinstance(table, pd.DataFrame):
        frame = table.copy()
    else:
        message = f"labels must be a DataFrame or a mapping of assessors, not {type(table).__name__}"
        raise ScoresError(message)
    if frame.index.nlevels != 2:  # noqa: PLR2004 - topic and item
        message = (
            f"the index of labels must be (topic, item), not {frame.index.nlevels} levels {list(frame.index.names)}"
        )
        raise ScoresError(message)
    frame.index = pd.MultiIndex.from_arrays(
        [frame.index.get_level_values(place).map(str) for place in (0, 1)], names=["topic", "item"]
    )
    if not frame.index.is_unique:
        twice = frame.index[frame.index.duplicated()][0]
        message = f"topic {twice[0]!r}, item {twice[1]!r} stands twice in the labels; keep one line"
        raise ScoresError(message)
    frame.columns = pd.Index(map(str, frame.columns), name="assessor")
    try:
        return frame.astype(np.float64)
    except (TypeError, ValueError) as error:
        message = f"labels must be numbers or empty: {error}; translate words to grades first"
        raise ScoresError(message) from error


def _cell(frame: pd.DataFrame, row: int, column: int) -> str:
    topic, item = frame.index[row]
    return f"topic {topic!r}, item {item!r}, assessor {frame.columns[column]!r}"
