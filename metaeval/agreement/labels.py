"""What every judge said of every item: labels checked and put into one form."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice, check_list, check_number, refused
from metaeval.base.label_words import WordScale, failures_among, folded, grades_of, note_on_failure, word_scale
from metaeval.base.names import (
    as_number,
    clean_names,
    count,
    first_double,
    first_few,
    is_number,
    natural_order,
    shortened,
)
from metaeval.base.notes import MadeJudge
from metaeval.base.number_words import other_spelling
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.io.labels import labels_in
from metaeval.table.conversions import plain
from metaeval.table.label_roles import (
    beside_judges,
    doubtful_labels,
    doubts_of,
    label_columns,
    made_judges,
    numbers_the_rows,
    refuse_codes,
    strangers,
)
from metaeval.table.number_columns import left_out_columns
from metaeval.table.roles import RoleColumn

Outside = Literal["error", "drop"]

_KEPT = ("by_subtopic", "by_item", "system_part", "system_of", "guessed")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels(Result):
    """The labels of every judge for every item."""

    table: pd.DataFrame
    """Index ``(topic, item)``, one column a judge; NaN where a judge did not label an item."""
    scale: tuple[float, ...]
    """Allowed labels, ascending; whole ones are int."""
    outside: pd.DataFrame
    """Labels that are not on the scale and were left out: ``topic``, ``item``, ``judge``, ``label``."""
    notes: tuple[str, ...] = ()
    """What was assumed or left out when they were read."""
    by_subtopic: bool = False
    """Whether items are documents judged for one subtopic, which runs do not rank."""
    words: tuple[str, ...] = ()
    """What the labels of the scale are called, where they are words."""
    ordered: bool = True
    """Whether a higher label says more; else labels are names, and only whether two are the same counts."""
    by_item: bool = False
    """Whether no topics were named, so that what is drawn for an interval are items."""
    system_part: int | None = None
    """Which part of the names of items, parted by "::", is a system; None where no column was called so."""
    system_of: dict[str, str] | None = None
    """Item to the system that it is of, where a column says so that is no part of the names of items."""
    scale_given: bool = False
    """Whether somebody named the scale, which then is that of all judges; else it is what occurs."""
    guessed: bool = False
    """Whether every column of numbers that nothing speaks against was taken for a judge."""

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges."""
        return tuple(self.table.columns)

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics in natural order."""
        return tuple(natural_order(self.table.index.get_level_values("topic").unique()))

    @property
    def systems(self) -> dict[str, str] | None:
        """Item to the system that it is of, where a column of the file said so."""
        items = self.table.index.get_level_values("item").unique()
        return (
            self.system_of if self.system_part is None else {name: name.split("::")[self.system_part] for name in items}
        )

    @property
    def whole(self) -> bool:
        """Whether all labels of the scale are whole numbers, as statistics that count pairs of labels need them."""
        return all(isinstance(label, int) for label in self.scale)

    def _found(self) -> str:
        n = int(self.table.notna().to_numpy().sum())
        return f"{count(n, 'label')} of {count(len(self.table), 'item')} by {first_few(self.judges)}"

    def called(self, label: float) -> str:
        """Return what a label is called: its word, or the number.

        Parameters
        ----------
        label : float
        """
        return self.words[self.scale.index(label)] if self.words else f"{label:g}"

    def as_given(self) -> pd.DataFrame:
        """Return the table with words where labels are words, and without topics where none were named."""
        table = self.table.droplevel("topic") if self.by_item else self.table
        words = dict(zip(map(float, self.scale), self.words, strict=False))
        return table.apply(lambda column: column.map(words)) if words else table

    def distribution(self) -> pd.DataFrame:
        """Return one row a judge: ``labels``, ``missing``, ``mean``, and the share of each label (``at_LABEL``)."""
        rows = []
        for name, column in self.table.items():
            n_labels = int(column.notna().sum())
            shares = {f"at_{level}": float((column == level).sum() / max(n_labels, 1)) for level in self.scale}
            row = {"judge": name, "labels": n_labels, "missing": len(column) - n_labels, "mean": float(column.mean())}
            rows.append(row | shares)
        return pd.DataFrame(rows)

    def lowest_relevant(self, rel: int | None = None) -> int:
        """Return the lowest label that counts as relevant.

        Parameters
        ----------
        rel : int, optional
            As asked; by default 1, and where that is not above the lowest label, or no label, the lowest above the
            lowest.

        Raises
        ------
        InvalidOptionError
            If it is asked for and is no label.
        """
        if rel is None:
            above = [int(label) for label in self.scale[1:]] if self.whole else []
            return 1 if 1 in above or not above else above[0]
        if self.ordered and rel not in self.scale:
            message = f"`rel={rel!r}` is not on the scale {', '.join(map(str, self.scale))}; pass one of these labels"
            raise InvalidOptionError(message, argument="rel", value=rel)
        return rel

    def require_reference(self, reference: str, rel: int) -> None:
        """Refuse a reference with whom nobody can agree or disagree: without labels, or with nothing relevant.

        Parameters
        ----------
        reference : str
        rel : int
            Lowest label that is relevant.

        Raises
        ------
        ScoresError
            Naming the reference, and the way out.
        """
        if reference not in self.judges:
            return  # said by whoever looks it up
        rated = self.table[reference].dropna()
        if rated.empty:
            message = (
                f"{reference} labelled nothing, so nobody can be compared with it; name another judge (`reference`)"
            )
            raise ScoresError(message)
        if not self.words and rated.max() < rel:
            raise ScoresError(
                f"{reference} called none of its {count(len(rated), unit().labelled)} relevant (`rel={rel}`; its "
                f"highest label is {rated.max():g}), so agreement with it is uninformative; name another judge "
                "(`reference`), or a lower grade (`rel`)"
            )

    def require_ordered(self, what: str) -> None:
        """Refuse labels that are names in no order.

        Parameters
        ----------
        what : str
            Who needs grades, for the message.

        Raises
        ------
        ScoresError
            Naming the labels, and the way out.
        """
        if not self.ordered:
            raise ScoresError(
                f"{what} takes grades, and these labels are words in no order ({first_few(self.words)}); give each "
                "word its grade (`words`)"
            )

    def require_whole(self, what: str) -> None:
        """Refuse labels that are not whole.

        Parameters
        ----------
        what : str
            Who counts labels, for the message.

        Raises
        ------
        ScoresError
            Naming the first label with a fraction, and the way out.
        """
        if not self.whole:
            first = next(label for label in self.scale if not isinstance(label, int))
            raise ScoresError(
                f"{what} counts pairs of labels, so they must be whole numbers, and there is {first:g}; map the judges "
                f"to one scale first{_steps(np.array(self.scale, dtype=np.float64))}"
            )

    def select(self, judges: Iterable[str]) -> "Labels":
        """Return the labels of some judges, in the order named."""
        names = list(judges)
        for name in names:
            check_choice(name, "judge", self.judges)
        outside = self.outside[self.outside["judge"].isin(names)].reset_index(drop=True)
        return replace(self, table=self.table[names], outside=outside)


def as_labels(
    table: object, *, scale: Sequence[float] | None = None, outside: Outside = "error", real: bool = False
) -> Labels:
    """Check labels and convert them to `Labels`.

    Parameters
    ----------
    table : DataFrame, or mapping of judge to mapping of topic to mapping of item to label
        A frame, of pandas or polars, has the columns of a file (`metaeval.read_labels`), a row a label or a column a
        judge, with topics or without; or topics and items in its index, or items alone, and a column a judge, NaN where
        something was not labelled. Judges may also be mapped to labels by item, or to labels in one order. Labels are
        numbers, or words: two that say no and yes (fail and pass, or what each judge says for them) become 0 and 1, all
        others are names in no order; case does not matter.
    scale : sequence of int, optional
        Allowed labels; by default all that occur.
    outside : {"error", "drop"}
        What happens to labels outside the scale. "drop" treats them as not given and lists them in the result.
    real : bool, default False
        Whether labels and scale may have fractions (mean grades, shares of nuggets); see `map_scales`.

    Returns
    -------
    Labels
        ``table`` has one row a topic and item and one column a judge, NaN where a judge did not label an item;
        ``outside`` holds the labels that are not on the scale.

    Raises
    ------
    InvalidOptionError
        If the scale holds other than whole numbers (finite ones with `real`), or there is no such rule for labels
        outside it.
    ScoresError
        If labels are no whole numbers (finite ones with `real`), lie outside the scale, an item appears twice, or fewer
        than two judges or no item are left.

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
    known_words, frame = _numbered(frame)
    if known_words is None and not real and not isinstance(table, Labels):
        frame = _judges_of(frame, are_judges=isinstance(table, Mapping), is_scaled=scale is not None)
    scale, is_given = _named_scale(table, scale, known_words)
    values = frame.to_numpy()
    if np.isinf(values).any():
        row, column = np.argwhere(np.isinf(values))[0]
        raise ScoresError(
            f"labels must be {'finite' if real else 'whole numbers'}; {_cell(frame, int(row), int(column))} is infinite"
        )
    present = np.isfinite(values)
    if not real and (values[present] != np.round(values[present])).any():
        row, column = np.argwhere(present & (values != np.round(values)))[0]
        raise ScoresError(
            f"labels must be whole numbers, and {_cell(frame, int(row), int(column))} is {values[row, column]:g}; "
            "leave this row out if it sums up others, or give the grade that it stands for" + _steps(values[present])
        )
    if scale is not None:
        scale = [check_number(level, "scale") for level in check_list(scale, "scale", [0, 1, 2])]
    if scale is not None and not all(np.isfinite(level) and (real or level == round(level)) for level in scale):
        raise refused("scale", f"must hold {'finite' if real else 'whole'} numbers, not {list(scale)}", scale)
    listed_scale = np.unique(values[present] if scale is None else np.array(list(scale), dtype=np.float64)).tolist()
    levels = tuple(int(level) if level.is_integer() else level for level in listed_scale)
    off = present & ~np.isin(values, levels)
    rows, columns = np.nonzero(off)
    listed = pd.DataFrame(
        {
            "topic": frame.index.get_level_values("topic")[rows],
            "item": frame.index.get_level_values("item")[rows],
            "judge": frame.columns[columns],
            "label": values[rows, columns],
        }
    )
    if len(listed) and outside == "error":
        raise ScoresError(
            f"{len(listed)} labels are not on the scale {', '.join(map(str, levels))}; the first: "
            f"{_cell(frame, int(rows[0]), int(columns[0]))} is {values[rows[0], columns[0]]:g}. Name the whole scale "
            "with `scale`, or leave them out with `outside='drop'`"
        )
    clean = frame.mask(off)
    if clean.shape[1] < 2 or not clean.notna().to_numpy().any():  # noqa: PLR2004 - a comparison takes two
        received = f"{count(clean.shape[1], 'judge')} and {count(len(clean), 'item')}"
        way = "; give what another judge said beside it" if clean.shape[1] == 1 else ""
        raise ScoresError(f"agreement needs two judges and an item, not {received}{way}")
    if isinstance(table, Labels):
        return replace(table, table=clean, scale=levels, outside=listed, scale_given=is_given)
    return Labels(
        table=clean,
        scale=levels,
        outside=listed,
        notes=tuple(frame.attrs.get("notes", ())),
        **{name: frame.attrs[name] for name in _KEPT if name in frame.attrs},
        words=() if known_words is None else known_words.names,
        ordered=known_words is None or known_words.ordered,
        scale_given=is_given,
    )


def _named_scale(
    table: object, scale: Sequence[float] | None, known_words: WordScale | None
) -> tuple[Sequence[float] | None, bool]:
    """Return the allowed labels, those of words included, and whether somebody named them as numbers."""
    if known_words is None:
        named = table.scale if scale is None and isinstance(table, Labels) and table.scale_given else scale
        return named, named is not None
    if scale is not None:
        message = f"`scale` is of numbers, and the labels are words ({first_few(known_words.names)})"
        raise InvalidOptionError(f"{message}; give each its grade (`words`), or leave `scale` out")
    return range(len(known_words.names)), False


def of_judges(labels: Labels, asked: Collection[str] = ()) -> Labels:
    """Return the labels without columns that are no further judge, but for those `asked` for, with a note on each.

    Examples
    --------
    >>> labels = as_labels({"ann": [1, 0, 1], "ben": [1, 0, 0], "gold": [1, 0, 1]})
    >>> of_judges(labels).judges, of_judges(labels, ["gold"]).judges
    (('ann', 'ben'), ('ann', 'ben', 'gold'))
    """
    left = beside_judges(labels.table, asked)
    rest = labels.select(name for name in labels.judges if name not in left) if left else labels
    notes = [note for note in labels.notes if not (isinstance(note, MadeJudge) and note.judge in left)]
    return replace(rest, notes=tuple(dict.fromkeys([*notes, *left.values()])))


def _wide(table: object) -> pd.DataFrame:
    if isinstance(table, Labels):
        return table.table
    table = table if isinstance(table, Mapping) else labels_in(plain(table))
    if isinstance(table, Mapping):
        frame = frame_of_judges(table)
    elif isinstance(table, pd.DataFrame):
        frame = table.copy()
        if "judges" not in frame.attrs and len(frame.columns) > len(frame) > 1:
            note = (
                f"{len(frame.columns)} judges in columns ({first_few(list(map(str, frame.columns)), most=3)}) and "
                f"{len(frame)} {unit().labelled}s in rows; if the rows are the judges, pass `frame.T`"
            )
            frame.attrs["notes"] = [*frame.attrs.get("notes", ()), note]
    else:
        raise ScoresError(
            "labels must be a DataFrame or a mapping of judges, such as {'first': first, 'second': second}, "
            f"not {type(table).__name__}"
        )
    if frame.index.nlevels == 1:
        frame.index = pd.MultiIndex.from_arrays([["1"] * len(frame), frame.index])
        frame.attrs["by_item"] = True
    if frame.index.nlevels != 2:  # noqa: PLR2004 - topic and item
        raise ScoresError(
            f"the index of labels must be (topic, item) or item, not {frame.index.nlevels} levels "
            f"{list(frame.index.names)}"
        )
    parts = ("topic", "item")
    keys = [clean_names(frame.index.get_level_values(level), key) for level, key in enumerate(parts)]
    frame.index = pd.MultiIndex.from_arrays(keys, names=parts)
    if not frame.index.is_unique:
        twice = frame.index[frame.index.duplicated()][0]
        raise ScoresError(f"topic {twice[0]!r}, item {twice[1]!r} appears twice in the labels; keep one line")
    frame.columns = pd.Index(clean_names(frame.columns, "judge"), name="judge")
    again = first_double(frame.columns)
    if again is not None:
        raise ScoresError(f"two judges are called {again!r}; rename one")
    return _without_other_columns(frame) if isinstance(table, pd.DataFrame) else frame


def _without_other_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out, with a note, columns that number the rows beside labels that are words, and words nobody else uses."""
    numeric = [pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes]
    if "judges" in frame.attrs or all(numeric):
        return frame
    left = [
        RoleColumn(str(name), "id", "the numbers of the rows")
        for name, is_numeric in zip(frame.columns, numeric, strict=True)
        if is_numeric and numbers_the_rows(str(name), frame[name].to_numpy(dtype=np.float64, na_value=np.nan))
    ]
    of_labels = frame.drop(columns=[column.name for column in left])
    others = [
        of_labels.columns[at]
        for at in strangers(of_labels)
        if not pd.api.types.is_numeric_dtype(of_labels.dtypes.iloc[at])
    ]
    left += [RoleColumn(str(name), "text", "words that no other column holds") for name in others]
    kept = of_labels.drop(columns=others)
    kept.attrs = frame.attrs | {"notes": [*frame.attrs.get("notes", ()), *left_out_columns(left)]}
    return kept


def _judges_of(frame: pd.DataFrame, *, are_judges: bool, is_scaled: bool) -> pd.DataFrame:
    """Leave out the columns of a frame that hold no labels, with a note; others that may hold none are an error."""
    if are_judges and not is_scaled:
        refuse_codes(frame)
    if are_judges or "judges" in frame.attrs:  # its reader did so
        return frame
    topics = frame.index.get_level_values("topic").tolist()
    found = label_columns(list(map(str, frame.columns)), frame.to_numpy(), topics)
    if found.unsure:
        raise ScoresError(f"{doubts_of(found.unsure)}; drop what is none, or pass dict(frame) where all are judges")
    kept = frame.iloc[:, found.judges]
    refuse_codes(kept)
    notes = [*left_out_columns(found.left), *made_judges(found.made), *doubtful_labels(kept)]
    kept.attrs = frame.attrs | {"notes": [*frame.attrs.get("notes", ()), *notes], "guessed": True}
    return kept


def _numbered(frame: pd.DataFrame) -> tuple[WordScale | None, pd.DataFrame]:
    """Return labels as numbers, and what those are called that were words."""
    if all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes):
        return None, frame.astype(np.float64)
    cells = frame.astype(object).map(_word)
    odd = cells.isna().to_numpy()
    if odd.any():
        row, column = np.argwhere(odd)[0]
        message = f"labels must be numbers, words or empty; {_cell(frame, int(row), int(column))} is"
        raise ScoresError(f"{message} {shortened(frame.iloc[row, column])}")
    words_of = {str(judge): [*dict.fromkeys(filter(None, column))] for judge, column in cells.items()}
    if all(is_number(word) for words in words_of.values() for word in words):
        return None, cells.replace("", np.nan).astype(np.float64)
    failed: list[str] = []
    if "judges" not in frame.attrs:  # its reader did so
        _refuse_spelt(cells, words_of)
        for word, judges in failures_among(words_of).items():
            is_failed = cells.map(folded) == word
            failed.append(note_on_failure(word, int(is_failed.to_numpy().sum()), judges))
            cells = cells.mask(is_failed, "")
        words_of = {str(judge): [*dict.fromkeys(filter(None, column))] for judge, column in cells.items()}
    scale = word_scale(words_of)
    numbers = [word for words in words_of.values() for word in words if is_number(word)]
    if numbers and not scale.ordered:
        word = next(word for words in words_of.values() for word in words if not is_number(word))
        mixed = f"labels must be numbers or words, and there are both ({numbers[0]} and {word})"
        kinds = [{*map(is_number, words)} for words in words_of.values() if words]
        if {True} in kinds and {False} in kinds:  # columns of either
            columns = "`columns={'item': 'NAME', 'judge': 'NAME', 'label': 'NAME'}`"
            raise ScoresError(
                f"{mixed}, in columns of their own ({first_few(words_of)}); where a row is a label, say what its "
                f"columns are ({columns}), else leave out those that are no judges"
            )
        raise ScoresError(f"{mixed}; give every word its grade (`words`)")
    coded = cells.map(lambda word: np.nan if not word else float(scale.codes[folded(word)]))
    coded.attrs = frame.attrs | {"notes": [*frame.attrs.get("notes", ()), *failed, *_words_notes(scale, words_of)]}
    return scale, coded


def _refuse_spelt(cells: pd.DataFrame, words_of: Mapping[str, Sequence[str]]) -> None:
    """Refuse numbers that are written with a decimal comma, a per cent sign and so on, as readers of files do."""
    for column, words in enumerate(words_of.values()):
        spelt = {word: told for word in words if not is_number(word) and (told := other_spelling(word)) is not None}
        if 2 * (len(spelt) + sum(map(is_number, words))) > len(words) and spelt:
            word, told = next(iter(spelt.items()))
            row = cells.iloc[:, column].tolist().index(word)
            raise ScoresError(f"{_cell(cells, row, column)}: {word!r} {told.said()}")


def _word(cell: object) -> str | None:
    """Return a label as a word, empty where there is none, None for what is no label."""
    if isinstance(cell, str):
        return "" if cell.strip().casefold() == "nan" else cell.strip()
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return ""
    try:
        number = as_number(cell)
    except (TypeError, ValueError):
        return None
    return "" if np.isnan(number) else f"{number:g}" if float(f"{number:g}") == number else repr(number)


def _words_notes(found: WordScale, said: Mapping[str, Sequence[str]]) -> list[str]:
    """Say what became of words, and which were taken for one."""
    spelt: dict[str, set[str]] = {}
    for word in {word for words in said.values() for word in words}:
        spelt.setdefault(folded(word), set()).add(word)
    same = [" and ".join(sorted(words)) for words in spelt.values() if len(words) > 1]
    notes = [f"words that differ in case or blanks alone are one label: {first_few(sorted(same))}"] if same else []
    if found.ordered:
        told = "; ".join(f"{name} {grade}" for grade, name in enumerate(found.names) if name)
        return [f"labels are words that say no and yes: {told}", *notes]
    grades = grades_of([*found.codes])
    way = f"`words={grades!r}`" if grades else "`words`"
    more = f"; for weighted kappa and relevant sets give each its grade ({way})"
    return [
        f"labels are words in no order, so only whether two are the same counts: {first_few(found.names)}{more}",
        *notes,
    ]


def frame_of_judges(table: Mapping[object, object]) -> pd.DataFrame:
    """Return the labels of judges as a frame, its index (topic, item), or items alone without a name."""
    frame = pd.DataFrame({str(judge): _labels_of(judge, labels) for judge, labels in table.items()})
    return frame.rename_axis(["topic", "item"]) if frame.index.nlevels == 2 else frame  # noqa: PLR2004 - as named


def _steps(values: np.ndarray) -> str:
    """Say how grades in steps of a half and the like are made whole; "" where they are not in such steps.

    Examples
    --------
    >>> _steps(np.array([0.5, 1, 2]))
    ', or if grades go in steps of 1/2 multiply them by 2 (frame * 2)'
    """
    by = next((by for by in range(2, 11) if np.allclose(values * by, np.round(values * by))), 0)
    return f", or if grades go in steps of 1/{by} multiply them by {by} (frame * {by})" if by else ""


def _labels_of(judge: object, labels: object) -> pd.Series:
    """Return the labels that one judge gave, by topic and item, by item, or in the order of the items."""
    if not isinstance(labels, Mapping | str) and hasattr(labels, "__len__") and not hasattr(labels, "columns"):
        return pd.Series(labels)
    if not isinstance(labels, Mapping):
        raise ScoresError(
            f"labels of judge {judge!r} must map topics to mappings from item to label, {{'1': {{'d1': 2}}}}, or items "
            f"to labels, not {shortened(repr(labels))}"
        )
    if not any(isinstance(by_item, Mapping) for by_item in labels.values()):
        return pd.Series(dict(labels), dtype=object if labels else np.float64)
    by_both = {(topic, item): label for topic, by_item in labels.items() for item, label in by_item.items()}
    return pd.Series(by_both, dtype=object if by_both else np.float64)


def _cell(frame: pd.DataFrame, row: int, column: int) -> str:
    topic, item = frame.index[row]
    return f"topic {topic!r}, item {item!r}, judge {frame.columns[column]!r}"
