"""Labels by people and by judges on the same items, as the alt-test takes them: numbers or text, with gaps."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.columns import LABELS, underscored
from metaeval.base.names import first_few, shortened
from metaeval.base.results import Result
from metaeval.errors import ScoresError
from metaeval.running.equality import settle
from metaeval.table.conversions import plain

_KEYS = frozenset({*LABELS["topic"], *LABELS["item"]})
"""What columns are called that name items."""
type Labelled = NDArray[np.object_] | Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Annotations(Result):
    """Labels of the items that people labelled, the judges' beside them."""

    people: tuple[str, ...]
    judges: tuple[str, ...]
    labels: Labelled
    judge_labels: Labelled
    """Numbers, or objects where labels are text. Numbers that are equal up to rounding are one number. Shape (item,
    person)."""
    known: Flags
    judge_known: Flags
    """Where there is a label."""

    @property
    def counts(self) -> Ints:
        """Labels by people of every item."""
        return np.asarray(self.known.sum(axis=1), dtype=np.int64)


def as_annotations(people: object, judges: object, *, numbers: bool = False) -> Annotations:
    """Check labels by people and by judges and put them side by side.

    Examples
    --------
    >>> found = as_annotations({"ann": {"d1": 1, "d2": 0}, "ben": {"d2": 1}}, {"model": {"d2": 1, "d9": 0}})
    >>> found.known.tolist(), found.judge_known.ravel().tolist()
    ([[True, False], [True, True]], [False, True])
    """
    people_table, judge_table = _table(people, "people"), _table(judges, "judges")
    if people_table.shape[1] < 2:  # noqa: PLR2004 - somebody must be left to agree with
        message = (
            f"`people` must hold the labels of two people or more, not of {people_table.shape[1]}: "
            f"{first_few(people_table.columns)}"
        )
        raise ScoresError(message)
    if not judge_table.shape[1]:
        raise ScoresError("there is no judge beside the people; give the labels of one at least")
    for name in judge_table.columns.intersection(people_table.columns)[:1]:
        raise ScoresError(
            f"{name!r} is among the people and among the judges, and nobody may be compared with labels of their own; "
            f"leave {name!r} out of the people, or rename one where these are two"
        )
    if people_table.index.nlevels != judge_table.index.nlevels:
        raise ScoresError(
            f"items of people have {people_table.index.nlevels} keys ({_first(people_table)}), those of judges "
            f"{judge_table.index.nlevels} "
            f"({_first(judge_table)}); name them alike"
        )
    people_table = people_table[people_table.notna().any(axis=1)]
    beside = judge_table.reindex(people_table.index)
    if not beside.notna().to_numpy().any():
        raise ScoresError(
            f"no item of the people (the first: {_first(people_table)}) is labelled by a judge (the first: "
            f"{_first(judge_table)}); "
            "name items alike"
        )
    cells, n = np.hstack([people_table.to_numpy(dtype=object), beside.to_numpy(dtype=object)]), people_table.shape[1]
    present = ~pd.isna(cells)
    labels = cells[present]
    if _is_text(labels, people_table, beside):
        if numbers:
            raise ScoresError(
                f"`scoring='neg_rmse'` takes differences of labels, and these are text ({shortened(labels[0])!r}); "
                "turn "
                "them into numbers, or choose `scoring='accuracy'`"
            )
        filled: Labelled = cells
    else:
        filled = np.full(cells.shape, np.nan)
        filled[present] = _numbers(labels)
    return Annotations(
        people=tuple(people_table.columns),
        judges=tuple(judge_table.columns),
        labels=filled[:, :n],
        judge_labels=filled[:, n:],
        known=present[:, :n],
        judge_known=present[:, n:],
    )


def _numbers(given: NDArray[np.object_]) -> Floats:
    try:
        numbers = given.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ScoresError(f"labels must be text, or numbers that a float can hold: {error}") from error
    if not np.isfinite(numbers).all():
        raise ScoresError("labels must be finite; leave a cell empty (NaN) where there is no label")
    return settle(numbers)


def _is_text(given: NDArray[np.object_], people: pd.DataFrame, judges: pd.DataFrame) -> bool:
    """Say whether labels are text; an error where only some are, which could never equal a number."""
    kinds = {kind: issubclass(kind, str) for kind in set(map(type, given))}
    odd = [kind for kind, text in kinds.items() if not text and not _is_number(kind)]
    if odd:
        raise ScoresError(f"a label is text or a number, not {odd[0].__name__}")
    if len(set(kinds.values())) == 1:
        return next(iter(kinds.values()))
    told = []
    for frame in (people, judges):
        cells = frame.to_numpy(dtype=object)
        for column, name in enumerate(frame.columns):
            text_flags = {
                issubclass(kind, str) for kind in set(map(type, cells[:, column][~pd.isna(cells[:, column])]))
            }
            told.append((name, " and ".join("text" if is_text else "numbers" for is_text in sorted(text_flags))))
    listed = first_few([f"{name}: {forms}" for name, forms in told if forms], most=8)
    message = f"some labels are text and some are numbers, which never equal each other ({listed}); write all alike"
    raise ScoresError(message)


def _is_number(kind: type) -> bool:
    return issubclass(kind, int | float | np.number | np.bool_)


def _table(given: object, what: str) -> pd.DataFrame:
    """Return labels as a frame: items in rows, a column an annotator; columns called as items are no annotators."""
    if not isinstance(given, Labels | pd.Series):
        given = plain(given)
    if isinstance(given, Labels):
        frame = given.table
    elif isinstance(given, pd.DataFrame):
        named = [] if given.columns.nlevels > 1 else [name for name in given.columns if underscored(str(name)) in _KEYS]
        frame = given.set_index(named) if named and isinstance(given.index, pd.RangeIndex) else given
    elif isinstance(given, pd.Series):
        frame = given.to_frame("judge" if given.name is None else given.name)
    elif isinstance(given, Mapping) and all(isinstance(labels, Mapping | pd.Series) for labels in given.values()):
        frame = pd.DataFrame({name: pd.Series(dict(labels), dtype=object) for name, labels in given.items()})
    else:
        message = f"`{what}` must be a DataFrame or a mapping of names to labels by item, not {type(given).__name__}"
        raise ScoresError(message)
    levels = [frame.index.get_level_values(level).map(str) for level in range(frame.index.nlevels)]
    frame = frame.set_axis(pd.MultiIndex.from_arrays(levels) if len(levels) > 1 else pd.Index(levels[0]), axis=0)
    frame = frame.set_axis(pd.Index(map(str, frame.columns)), axis=1)
    for axis, noun in ((frame.index, "item"), (frame.columns, "name")):
        if not axis.is_unique:
            twice = axis[axis.duplicated()][0]
            raise ScoresError(f"`{what}`: the {noun} {shortened(twice)!r} appears twice; keep one")
    return frame


def _first(frame: pd.DataFrame) -> str:
    return repr(shortened(frame.index[0])) if len(frame) else "none"
