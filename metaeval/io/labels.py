"""Labels by several judges: one wide table, one long table, or one qrels file a judge."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any, Self, get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice
from metaeval.base.columns import ITEMS, LABELS, are_judges, first_called, is_answer, underscored, whole_and_part
from metaeval.base.label_words import (
    failures_among,
    folded,
    grades_of,
    note_on_failure,
    numbered_words,
    says_yes_or_no,
    word_scale,
)
from metaeval.base.names import (
    comma_list,
    first_double,
    first_few,
    is_number,
    natural_order,
    shortened,
    split_at_commas,
)
from metaeval.base.number_words import GAP_WORDS, is_nearly_a_number
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import UNJUDGED
from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.any_sheets import any_sheet, table_sheet
from metaeval.io.blocks import BadCellError, rows_left_out
from metaeval.io.by_values import are_pairs_of_judges, labels_of_columns, way_to_number_items, way_to_voters
from metaeval.io.chosen_rows import rows_where
from metaeval.io.duplicates import Duplicates, note_of
from metaeval.io.files import first_words, read_bytes
from metaeval.io.headers import columns_found, names_and_rows, place_of
from metaeval.io.paired_items import refuse_spelt_apart
from metaeval.io.qrels import judgments_by_subtopic, judgments_of, repeated_judgments_of
from metaeval.io.score_forms import heads_labels, is_judgment
from metaeval.io.sheets import Sheet, header_names
from metaeval.io.sources import Source, list_sources, listed_paths, named_apart
from metaeval.io.trec_lines import QRELS
from metaeval.io.votes import refuse_votes
from metaeval.table.label_roles import (
    column_of_items,
    crossed_judges,
    doubtful_labels,
    doubts_of,
    label_columns,
    made_judges,
    refuse_codes,
)
from metaeval.table.number_columns import left_out_columns
from metaeval.table.plausibility import are_summaries, left_out_rows, perhaps_items
from metaeval.table.roles import SCORES, bare_word, part_of_word, role_of_name, word_of

_LARGE, _SPARSE = 10_000_000, 50
_MOST_ROWS = 1000
"""Rows by whose numbers summaries are told; of more their names alone tell."""
_MOST_WORDS = 50
"""How many different words the labels of a table may be: free text has more."""
_SHOWN, _SHOWN_WORDS, _LONGEST_WORD = 20, 5, 20
_IGNORED = "ignore"
"""What Prodigy writes where somebody passes an item by."""
_NO_WORDS = (GAP_WORDS - {"none"}) | {_IGNORED}
"""What stands for no label among words, where "none" is one of them."""
_TWO = 2
_BINARY = frozenset({"0", "1"})
_AS_SAID: tuple[str, ...] = ("label", "none")

_NAMED_BY = {
    "item": (*LABELS["item"], *LABELS["asked"]),
    "topic": (*LABELS["topic"], *LABELS["asked"]),
    **{role: LABELS[role] for role in ("judge", "label")},
}
"""What a column of each part may be called; items are looked for first."""
_SYSTEMS = frozenset(LABELS["more"]) & frozenset(ITEMS["system"])
_TELL_APART = frozenset({*LABELS["more"], *LABELS["asked"], *LABELS["item"]})
LABEL_ROLES = ("topic", "item", "judge", "label")
"""Parts of a table of labels that a column may be named for."""

type Words = Mapping[str, int | str]
"""What words are: a grade each, "label" for a label without a grade, or "none" for no label."""

_FEWEST_RANKS = 2
_SEEN = 1000
"""Rows by whose values a table is told."""
_SIZE = "a cost or size"
"""Why roles.toml leaves out lengths, of which judges may label more than people do."""
_ANOTHER_JUDGE = "these may be the labels of one judge: give those of another in a column or file beside them"
_NAME_JUDGES = "name those of the judges (`columns={'judge': 'NAME,NAME'}`)"
_OF_SUBTOPICS = (
    "column 2 of the judgments names subtopics: an item is a document judged for one of them, SUBTOPIC/DOCUMENT"
)


_MEMORY = "labels"
"""What a table in memory is called where a file has its path."""


def read_labels(  # noqa: PLR0913 - how it is read
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    words: Words | None = None,
    where: Mapping[str, str] | None = None,
    repeats: bool = False,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    r"""Read the labels of several judges for the same items.

    Parameters
    ----------
    paths : path, or sequence of path
        One table with a header, wide (topic, item, then a column a judge) or long (topic, item, judge, label);
        or two or more files, each such a table or the qrels of one judge, who is called as the file or as in
        ``NAME=FILE``; level -1 of qrels (pooled and not judged), and any negative grade beside real-valued ones, is no
        label. Where column 2 names subtopics (a document twice in one topic with different ones), an item is a document
        judged for one of them, ``SUBTOPIC/DOCUMENT``.
    columns : mapping of str to str, optional
        Which column of a table is the "topic", "item", "judge" or "label", where its name does not say so. Several by
        comma name an item together; without a column of labels "judge" names the columns of the judges by comma.
    words : mapping of str to int, "label" or "none", optional
        Grades of labels written as words; or whether a word such as n/a is a label or stands for none. Where labels are
        words, "none" is one of them, and an empty cell, NaN, NA, n/a and null are none.
    where : mapping of str to str, optional
        Rows to keep: those with this text in this column.
    repeats : bool, default False
        Whether several lines of one judge for one item are repeats rather than an error: where a judge has any,
        the k-th line of every item goes to the column ``NAME#k``, in the order of the file. Of qrels, also of a single
        file of them, and of long tables.
    duplicates : {"error", "first", "mean"}
        What else to do with several labels of one judge for one item: reject them, keep the first, or take the mean.

    Returns
    -------
    pandas.DataFrame
        Index ``(topic, item)``, or ``item`` where no column holds topics, one column a judge, NaN where there is no
        label; for `as_labels`. Labels are numbers, or text where they are words without a grade. ``attrs["notes"]``
        says what was left out.

    Raises
    ------
    FileFormatError
        If a column cannot be found, some labels are numbers and others words without a grade, or a judge labels an item
        twice.
    InvalidOptionError
        If a role or an option does not fit the files.

    See Also
    --------
    metaeval.questions.judges.study.study_judges
    metaeval.io.qrels.read_qrels

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "labels.csv")
    ...     _ = path.write_text("topic,doc,judge,label\n1,d1,ann,high\n1,d1,ben,low\n1,d2,ann,low")
    ...     read_labels(path, words={"low": 0, "high": 1})
    judge    ann  ben
    topic item
    1     d1    1.0  0.0
          d2    0.0  NaN
    """
    sources = [str(path) for path in listed_paths(paths, "paths")]
    if not sources:
        raise InvalidOptionError("`paths` is empty; give a table of labels, or two qrels files")
    contents = [(source, read_bytes(source.path)) for source in list_sources(sources)]
    return labels_of(
        contents,
        columns=columns or {},
        words=words or {},
        where=where or {},
        repeats=repeats,
        duplicates=duplicates,
    )


def labels_of(  # noqa: PLR0913 - as above
    contents: Sequence[tuple[Source, bytes]],
    *,
    columns: Mapping[str, str],
    words: Words,
    where: Mapping[str, str],
    repeats: bool = False,
    duplicates: Duplicates = "error",
    reference: str | None = None,
) -> pd.DataFrame:
    """Return the labels of files that were read already; see `read_labels`.

    `reference` may be a column of one label an item beside a column of judges, and is a judge then.
    """
    frame = _as_written(
        contents, columns=columns, words=words, where=where, repeats=repeats, duplicates=duplicates, reference=reference
    )
    _refuse_spelt_apart(frame)
    return frame


def _refuse_spelt_apart(frame: pd.DataFrame) -> None:
    """Refuse names of topics and items that some judges write in one way and others in another."""
    told = frame.notna()
    told = told[~told.all(axis=1)]
    rows = told.index.to_frame().astype(str).to_numpy().tolist()
    held = {str(name): list(compress(rows, told[name])) for name in told}
    refuse_spelt_apart(held, list(map(str, frame.index.names)))


def _as_written(  # noqa: PLR0913 - as above
    contents: Sequence[tuple[Source, bytes]],
    *,
    columns: Mapping[str, str],
    words: Words,
    where: Mapping[str, str],
    repeats: bool,
    duplicates: Duplicates,
    reference: str | None,
) -> pd.DataFrame:
    """Return the labels of files, their items as each file writes them."""
    _check_options(columns, words, repeats=repeats, duplicates=duplicates)
    if not columns:
        _refuse_others(contents, alone=not repeats)
    forms = not (columns or where)
    if len(contents) == 1 and not (repeats and _is_qrels(contents[0][1])):
        source, content = contents[0]
        sheet = table_sheet(content, source.path, forms=forms)
        return _LabelTable(sheet, columns, words, where, reference).labels(repeats, duplicates)
    named = [_names_items(content, source.path, columns) for source, content in contents]
    qrels = [file for file, table in zip(contents, named, strict=True) if not table]
    tables = [file for file, table in zip(contents, named, strict=True) if table]
    if (columns or words or where) and not tables:
        raise InvalidOptionError("`columns`, `words` and `where` are for a table; these files are qrels, one a judge")
    parts = [_from_qrels(qrels, repeats=repeats, duplicates=duplicates)] if qrels else []
    for source, content in tables:
        sheet = table_sheet(content, source.path, forms=forms)
        is_read = any(reference in earlier.columns for earlier in parts)  # the judge of another file
        table = _LabelTable(sheet, columns, words, where, None if is_read else reference)
        frame = table.of_one_judge().labels(repeats, duplicates)
        if len(frame.columns) == 1 and (table.places["label"] or source.name):
            frame.columns = pd.Index([source.own_name], name="judge")
        twice = [name for name in frame.columns if any(name in earlier.columns for earlier in parts)]
        if twice:
            alike = [file.path for file, _ in tables if file.own_name == twice[0]]
            ways = f", or name what they hold: {' '.join(named_apart(alike))}" if len(alike) > 1 else ""
            message = (
                f"judge {twice[0]!r} is in another file too; rename it in one of them, or leave that file out{ways}"
            )
            raise FileFormatError(message, path=source.path)
        parts.append(frame)
    return parts[0] if len(parts) == 1 else _joined(parts, tables)


def labels_in(
    data: object,
    *,
    columns: Mapping[str, str] | None = None,
    words: Words | None = None,
    where: Mapping[str, str] | None = None,
    duplicates: Duplicates = "error",
) -> object:
    """Return a frame with a column of items as `read_labels` returns the file of it; anything else as it is."""
    if not isinstance(data, pd.DataFrame):
        return data
    if columns or words or where:
        data, columns = _with_items_named(data, columns or {})
        return _read_in_memory(data, columns=columns, words=words or {}, where=where or {}, duplicates=duplicates)
    if data.index.names != [None]:
        names = list(map(str, data.columns))
        is_long = all(first_called(names, LABELS[role], underscored) is not None for role in ("judge", "label"))
        if not is_long or data.index.is_unique or None in data.index.names:
            return data
        data = data.reset_index()
    columns = {}
    if not _name_items(list(map(str, data.columns))):
        item = column_of_items(data) if pd.api.types.is_integer_dtype(data.index.dtype) else None
        if item is None:
            return data
        columns = {"item": item}
    frame = _read_in_memory(data, columns=columns, duplicates=duplicates)
    frame.attrs["notes"] = [*(f"column {item!r} names the items" for item in columns.values()), *frame.attrs["notes"]]
    return frame


def _with_items_named(data: pd.DataFrame, columns: Mapping[str, str]) -> tuple[pd.DataFrame, Mapping[str, str]]:
    """Return a frame with its index as a column; without a name it holds the items, if nothing does."""
    if data.index.names != [None]:
        return data.reset_index(), columns
    names = list(map(str, data.columns))
    told = {role for role in LABEL_ROLES if first_called(names, LABELS.get(role, ()), underscored) is not None}
    if {"item", "judge", "label"} & {*columns} or {"judge", "label"} <= told or not data.index.is_unique:
        return data, columns
    if _name_items(names):
        return data, columns
    if (item := column_of_items(data) if pd.api.types.is_integer_dtype(data.index.dtype) else None) is not None:
        return data, {**columns, "item": item}
    return data.rename_axis("item").reset_index(), columns


def _read_in_memory(data: pd.DataFrame, **options: Any) -> pd.DataFrame:  # noqa: ANN401 - each of its own kind
    content = data.to_csv(index=False).encode()
    return labels_of([(Source(_MEMORY), content)], **{"words": {}, "where": {}, **options})


def _check_options(columns: Mapping[str, str], words: Words, *, repeats: bool, duplicates: Duplicates) -> None:
    check_choice(duplicates, "rule for `duplicates`", get_args(Duplicates))
    for word, meaning in words.items():
        if isinstance(meaning, str) and meaning not in _AS_SAID:
            raise InvalidOptionError(f"`words`: {word} must be a grade, 'label' or 'none', not {meaning!r}")
    if repeats and duplicates != "error":
        raise InvalidOptionError("with `repeats` every label counts, so none is a duplicate; leave `duplicates` out")
    for role in columns:
        if role not in LABEL_ROLES:
            raise InvalidOptionError(f"`columns` may name {', '.join(LABEL_ROLES)}, not {role!r}")


def _joined(parts: Sequence[pd.DataFrame], tables: Sequence[tuple[Source, bytes]]) -> pd.DataFrame:
    """Put the judges of several files side by side."""
    for labels, (source, _) in zip(parts[-len(tables) :], tables, strict=False):
        if labels.index.nlevels < max(judged.index.nlevels for judged in parts):
            way = (
                "name it (`columns={'topic': 'NAME'}`)" if len(tables) == 1 else "call that column topic in every file"
            )
            message = f"this table has no column of topics, and another file has topics; {way}"
            raise FileFormatError(message, path=source.path)
    frame = pd.concat(parts, axis=1)
    frame.columns.name = "judge"
    frame.attrs["judges"] = "known"
    frame.attrs["notes"] = list(dict.fromkeys(note for labels in parts for note in labels.attrs.get("notes", ())))
    frame.attrs |= {name: True for labels in parts for name in labels.attrs if name == "by_subtopic"}
    return frame


def _refuse_others(contents: Sequence[tuple[Source, bytes]], *, alone: bool) -> None:
    """Refuse votes, and the judgments of one judge where they are `alone`."""
    for source, content in contents:
        refuse_votes(content, source.path)
    if (
        alone
        and len(contents) == 1
        and is_judgment([word.decode(errors="replace") for word in first_words(contents[0][1])])
    ):
        message = (
            "these are the judgments of one judge (qrels); give those of another judge beside them, or pass `repeats` "
            "if the file has several of one document"
        )
        raise FileFormatError(message, path=contents[0][0].path)


def _from_qrels(contents: Sequence[tuple[Source, bytes]], *, repeats: bool, duplicates: Duplicates) -> pd.DataFrame:
    by_judge: dict[str, pd.Series] = {}
    if repeats:
        read = [repeated_judgments_of(content, source.path) for source, content in contents]
    else:
        read = [[judgments_of(content, source.path, duplicates)] for source, content in contents]
    by_subtopic = any(file.subtopics is not None for parts in read for file in parts)
    if by_subtopic:
        read = [[judgments_by_subtopic(content, source.path)] for source, content in contents]
    notes = [_OF_SUBTOPICS] * by_subtopic
    for (source, _), parts in zip(contents, read, strict=True):
        notes += [f"{source.own_name}: " + note for note in parts[0].notes] if duplicates != "error" else []
        for name, judgments in zip(_names(source.own_name, len(parts)), parts, strict=True):
            if name in by_judge:
                ways = named_apart([file.path for file, _ in contents if file.own_name == source.own_name])
                raise InvalidOptionError(f"two files are called {name!r}; name the judges: {' '.join(ways)}")
            by_judge[name] = _labels_in(judgments)
    frame = pd.DataFrame(by_judge)
    frame.columns.name = "judge"
    notes += doubtful_labels(frame)
    frame.attrs |= {"judges": "known"} | ({"notes": notes} if notes else {})
    frame.attrs |= {"by_subtopic": True} if by_subtopic else {}
    return frame


def _names_items(content: bytes, path: str, columns: Mapping[str, str]) -> bool:
    """Whether the first line of a file is the header of a table with a column of items."""
    if not content.strip() or _is_qrels(content):
        return False
    names = header_names(table_sheet(content, path).sample()[0])
    return "item" in columns or _name_items(names)


def hold_a_judge_each(contents: Sequence[tuple[Source, bytes]]) -> bool:
    """Whether several files have items and one other column, called otherwise in each: the labels of one judge."""
    sheets = [any_sheet(content, source.path) for source, content in contents]
    headers = [[] if sheet is None else [name for name in header_names(sheet.sample()[0]) if name] for sheet in sheets]
    are_pairs = all(len(names) == _TWO and _name_items(names) for names in headers)
    return len(headers) > 1 and are_pairs and first_double(names[1] for names in headers) is None


def _name_items(names: Sequence[str]) -> bool:
    """Whether a column is called as items, or two as what holds several and as its parts."""
    return first_called(names, _NAMED_BY["item"], underscored) is not None or whole_and_part(names) is not None


def _is_qrels(content: bytes) -> bool:
    words = [word.decode(errors="replace") for word in first_words(content)]
    return len(words) == len(QRELS.columns) and is_number(words[QRELS.number]) and not heads_labels(words)


def _names(judge: str, n_repeats: int) -> list[str]:
    return [judge] if n_repeats == 1 else [f"{judge}#{number}" for number in range(1, n_repeats + 1)]


def _labels_in(judgments: Judgments) -> pd.Series:
    topics = np.repeat(np.array(judgments.topics, dtype=object), np.diff(judgments.topic_offsets))
    items = [document.decode() for document in judgments.document_ids.tolist()]
    gaps = judgments.levels == UNJUDGED if judgments.grades is None else judgments.levels < 0
    index = pd.MultiIndex.from_arrays([topics, items], names=["topic", "item"])
    return pd.Series(np.where(gaps, np.nan, judgments.numbers), index=index)


class _LabelTable:
    """A table of labels, of which the rows chosen by `where` count."""

    def __init__(
        self, sheet: Sheet, columns: Mapping[str, str], words: Words, where: Mapping[str, str], reference: str | None
    ) -> None:
        self.sheet = sheet
        self.words = {folded(word): meaning for word, meaning in words.items()}
        self.names, rows, self.body = names_and_rows(sheet)
        self.cells = np.array([list(map(str.strip, row)) for row in rows], dtype=object)
        self.lines = np.arange(len(rows))
        if where:
            self.lines = np.flatnonzero([is_chosen for *_, is_chosen in rows_where(sheet, self.names, where)])
            self.cells = self.cells[self.lines]
        self.chosen = {self.names.index(column) for column in where}
        self.places: dict[str, list[int]] = {}
        self.notes: list[str] = [*sheet.titles]
        nested = {**self._nested(columns), **columns}
        for role, names in _NAMED_BY.items():
            self.places[role] = self._places(role, nested, names)
        self._join_judges(columns)
        self.is_long = len(self.places["judge"]) == 1 and bool(self.places["label"])
        self.of_one: list[int] = []
        if self.places["judge"] and not self.is_long and "judge" not in columns:
            self._refuse_unnamed_labels(self.places["judge"][0])
        self.reference = reference
        self.label_named = "label" in columns
        self.told: set[int] = set()
        self.guessed = False
        self.item_named = "item" in columns
        self._read_numbered_words()

    def _read_numbered_words(self) -> None:
        """Write the number alone in the place of a number and its name ("2 - good"), in columns that hold such."""
        keys = {*self.chosen, *(at for role in ("topic", "item", "judge") for at in self.places[role])}
        columns = self.places["label"] if self.is_long else [at for at in range(len(self.names)) if at not in keys]
        numbers: dict[str, str] = {}
        for column in columns:
            words = {cell for cell in self.cells[:, column] if self._number(cell) is None}
            numbers_of = numbered_words(words) if self.words.keys().isdisjoint(map(folded, words)) else {}
            if numbers_of:
                self.cells[:, column] = [numbers_of.get(cell, cell) for cell in self.cells[:, column]]
                numbers |= numbers_of
        if numbers:
            told = sorted(numbers)
            says = f"`words={dict.fromkeys(told, 'label')!r}`" if len(told) <= _SHOWN_WORDS else "`words`"
            self.notes.append(
                f"labels are the numbers that they begin with: {first_few(told, write=shortened)}; if they are names "
                f"in no order, pass {says}"
            )

    def _join_judges(self, columns: Mapping[str, str]) -> None:
        """Let several columns beside one of labels name a judge together: who judged, and by which prompt."""
        judge, topic = self.places["judge"], self.places["topic"]
        if not self.places["label"] or not judge:
            return
        if len(judge) > 1:
            again = self._n_different([*topic, *self.places["item"]]) < len(self.cells)
            called = any(underscored(self.names[column]) in LABELS["judge"] for column in judge)
            judge = judge if again and (called or "label" in columns) else judge[:1]
        elif topic and "topic" not in columns and underscored(self.names[topic[0]]) in LABELS["told"]:
            judge = [*judge, *topic] if self._are_of_judges(topic[0]) else judge
        if len(judge) == 1:
            return
        self.cells[:, judge[0]] = [" ".join(filter(None, cells)) for cells in self.cells[:, judge]]
        self.chosen |= {*judge[1:]}
        named = first_few([self.names[column] for column in judge], between=" and ")
        way = ""
        if judge[1:] == topic:
            self.places["topic"] = []
            way = f"; if they are topics, pass `columns={ {'topic': self.names[topic[0]]}!r}`"
        self.places["judge"] = judge[:1]
        self.notes.append(f"judges are named by {named} together{way}")

    def _are_of_judges(self, prompt: int) -> bool:
        """Whether prompts are the judges': some judges have none, or each has all its items under all of a few."""
        (judge,), items = self.places["judge"], self.places["item"]
        of_judge = {name: self.cells[self.cells[:, judge] == name] for name in {*self.cells[:, judge]}}
        prompts = [{*rows[:, prompt]} for rows in of_judge.values()]
        if {""} in prompts:
            return all(texts == {""} or "" not in texts for texts in prompts)
        n_items = [len({*map(tuple, rows[:, items])}) for rows in of_judge.values()]
        sizes = zip(of_judge.values(), prompts, n_items, strict=True)
        crossed = all(len({*map(tuple, rows[:, [*items, prompt]])}) == len(texts) * n for rows, texts, n in sizes)
        return crossed and 1 < max(map(len, prompts)) < min(n_items)

    def _nested(self, columns: Mapping[str, str]) -> dict[str, str]:
        """Return topics and items where columns are called as conversations, say, that hold several, and as turns."""
        nested = whole_and_part(self.names)
        if nested is None or not {*columns}.isdisjoint({"topic", "item"}) or not {*nested}.isdisjoint(columns.values()):
            return {}
        holder, piece = map(self.names.index, nested)
        several = self._n_different([holder]) < self._n_different([holder, piece])
        if not several or first_called(self.names, LABELS["topic"], underscored) is not None:
            return {}
        self.notes.append(
            f"items are named by {nested[1]!r} within {nested[0]!r}, which is what is drawn for intervals"
        )
        return {"topic": nested[0], "item": nested[1]}

    def _places(self, role: str, columns: Mapping[str, str], words: Sequence[str]) -> list[int]:
        """Return the columns of a part: those named, else the one that is called as such."""
        if role in columns:
            several = split_at_commas([columns[role]], self.names.__contains__)
            return [place_of(name, self.names, self.sheet) for name in several]
        taken = {column for several in self.places.values() for column in several}
        named = {*split_at_commas([*columns.values()], self.names.__contains__)}
        free = ["" if column in taken or name in named else name for column, name in enumerate(self.names)]
        position = first_called(free, words, underscored, bare_word)
        if position is None and role == "label":
            numbers = [name if all(map(is_number, {*self.cells[:, at]} - {""})) else "" for at, name in enumerate(free)]
            position = first_called(numbers, LABELS["marks"], underscored, bare_word)
        if position is None and role == "item" and not any(part_of_word(name) == "system" for name in self.names):
            running = list(map(str, range(1, len(self.cells) + 1)))
            ranks = (at for at, name in enumerate(free) if role_of_name(name) == ("rank", ""))
            position = next((at for at in ranks if self.cells[:, at].tolist() == running), None)
        return [] if position is None else [position]

    def _refuse_unnamed_labels(self, judge: int) -> None:
        """Ask which column holds the labels where one names judges, each once with an item, and none is called so."""
        keys = [*self.places["topic"], *self.places["item"], judge]
        again = len({*self.cells[:, judge]}) < self._n_different([*self.places["topic"], *self.places["item"]])
        n_items = self._n_different(keys[:-1])
        if len(keys) == 1 or not again or n_items == len(self.cells):
            return  # of a row an item the column holds what one judge says, who is called so
        n_pairs = self._n_different(keys)
        if n_pairs < len(self.cells) and not are_pairs_of_judges(n_pairs, n_items, len(self.cells)):
            return
        free = [at for at, name in enumerate(self.names) if at not in keys and not role_of_name(name)[0]]
        labels = [at for at in free if len({*self.cells[:, at]}) < len(self.cells)]
        labels.sort(key=lambda at: self._n_different([*keys[:-1], at]) == n_items)  # what is of the item comes last
        labels.sort(key=lambda at: not is_answer(self.names[at]))
        told = labels_of_columns(self._first_cells())
        labels.sort(key=lambda at: told is None or self.names[at] != told.columns.get("label"))
        if labels:
            others = first_few([self.names[at] for at in labels])
            raise self.sheet.error(
                f"column {self.names[judge]!r} names judges, and several columns may hold their labels ({others}); say "
                f"which, such as `columns={ {'label': self.names[labels[0]]}!r}`"
            )

    def of_one_judge(self) -> Self:
        """Take the one column that can be of labels for those of one judge, where nothing names judges.

        It is called as labels, and no other says what it says, or there is no other.
        """
        free, label = self._free(), self.places["label"]
        said = {*self.cells[:, label].ravel()} - {""}
        if not self.places["judge"] and all(said.isdisjoint(self.cells[:, at]) for at in free):
            self.of_one = label or free * (len(free) == 1)
        return self

    def _free(self) -> list[int]:
        """Return the columns that are read as nothing yet, and are not called as what is no label."""
        taken = {*self.chosen, *(at for places in self.places.values() for at in places)}
        free = [at for at, name in enumerate(self.names) if name and at not in taken]
        return [at for at in free if not role_of_name(self.names[at])[0] and part_of_word(self.names[at]) is None]

    def _refuse_several_labels(self) -> None:
        """Ask which aspect is meant where others beside the one called as a label hold labels of the same scale too."""
        label = self.places["label"][0]
        items = [*self.places["topic"], *self.places["item"]]
        label_texts, n_items = {*self.cells[:, label]} - {""}, self._n_different(items)
        others = {at: {*self.cells[:, at]} - {""} for at in self._free()}
        others = {
            at: texts for at, texts in others.items() if 2 * len(texts & label_texts) > len(texts | label_texts) > 1
        }
        called = underscored(self.names[label])
        aspects = [
            at
            for at in others
            if len(label_texts) <= _MOST_WORDS
            and self._n_different([*items, at]) > n_items  # what is of the item is no judge's
            and called not in underscored(self.names[at])  # a later form of the same
        ]
        if aspects:
            names = first_few([self.names[at] for at in sorted([label, *aspects])])
            raise self.sheet.error(
                f"several columns hold labels of one scale ({names}), each an aspect by itself; say which, such as "
                f"`columns={ {'label': self.names[label]}!r}`"
            )

    def _read_reference(self) -> None:
        """Let a column of one label an item be the judge whom the reader calls the reference, or say that it can be."""
        keys = [*self.places["topic"], *self.places["item"]]
        judge, label, n_items = *self.places["judge"], *self.places["label"], self._n_different(keys)
        once = [at for at in self._free() if self._n_different([*keys, at]) == n_items < len(self.cells)]
        named = [at for at in once if self.names[at] == self.reference]
        if not named or self.reference in self.cells[:, judge]:
            label_texts = {*self.cells[:, label]} - {""}
            alike = [self.names[at] for at in once if label_texts >= ({*self.cells[:, at]} - {""}) and self._varies(at)]
            self.notes += [f"one label an item is in {name!r}: compare the judges with it as the `reference`"
                           for name in alike]  # fmt: skip
            return
        self.places["reference"] = named
        _, first = np.unique([*map(repr, map(tuple, self.cells[:, keys]))], return_index=True)
        rows = self.cells[first].copy()
        rows[:, judge], rows[:, label] = self.reference, rows[:, named[0]]
        self.cells = np.concatenate([self.cells, rows[rows[:, label] != ""]])
        self.lines = np.concatenate([self.lines, self.lines[first][rows[:, label] != ""]])

    def _varies(self, column: int) -> bool:
        return len({*self.cells[:, column]} - {""}) > 1

    def _name_more(self) -> None:
        """Let more columns name an item where rows that are alike in those of topics and items differ in these."""
        told = [*self.places["topic"], *self.places["item"], *(self.places["judge"] if self.is_long else [])]
        taken = {*told, *self.chosen, *self.places["label"]}
        headers = enumerate(map(underscored, self.names))
        more = [column for column, name in headers if column not in taken and name in _TELL_APART]
        if self._n_different(told) < len(self.cells) == self._n_different([*told, *more]):
            self.places["item"] += more
            named = ", ".join(self.names[column] for column in self.places["item"])
            self.notes.append(f"an item is named by several columns: {named}")

    def _n_different(self, places: Sequence[int]) -> int:
        return len({*map(tuple, self.cells[:, places])})

    def labels(self, repeats: bool, duplicates: Duplicates) -> pd.DataFrame:  # noqa: FBT001 - as `read_labels` has them
        """Return the labels, a row an item and a column a judge."""
        if not self.places["item"]:
            listing = columns_found(self.names)
            raise self.sheet.error(
                f"no column names the items (document, pid, item …); {self._way_of_items()}. {listing}"
            )
        if not self.is_long:
            self._leave_out_summaries()
        self._forget_one_question()
        if not repeats and not self.item_named:
            self._name_more()
        if self.is_long and not self.label_named:
            self._refuse_several_labels()
        if self.is_long:
            self._read_reference()
        for role in ("topic", "item", "judge") if self.is_long else ("topic", "item"):
            empty = (self.cells[:, self.places[role]] == "").any(axis=1)
            if empty.any():
                named = first_few([repr(self.names[column]) for column in self.places[role]], between=" and ")
                raise self._error(f"the {role} is empty (column {named}); fill it in, or leave that row out", empty)
        keys = {"topic": self._column("topic")} if self.places["topic"] else {}
        keys["item"] = self._column("item")
        frame, n_again = self._long(keys, repeats, duplicates) if self.is_long else self._wide(keys, duplicates)
        try:
            refuse_codes(frame, self.words)
        except ScoresError as error:
            raise self.sheet.error(str(error)) from None
        notes = [] if "topic" in keys else ["no column of topics: items are what is drawn for intervals"]
        again = note_of(n_again, "label" if self.is_long else "row", duplicates)
        frame.attrs |= {"notes": [*notes, *self.notes, *again, *doubtful_labels(frame, self.words)], "judges": "known"}
        frame.attrs |= {"guessed": True} if self.guessed else {}
        parts = [underscored(self.names[column]) in _SYSTEMS for column in self.places["item"]]
        if any(parts):
            frame.attrs["system_part"] = parts.index(True)
        else:
            frame.attrs.update(self._systems(keys))
        return frame

    def _forget_one_question(self) -> None:
        """Let a column that holds one question, or prompt, throughout name no topic: what judges were told, say."""
        asked = [at for at in self.places["topic"] if underscored(self.names[at]) in LABELS["asked"]]
        if asked and asked[0] not in self.chosen and len({*self.cells[:, asked[0]]}) == 1 < len(self.cells):
            self.places["topic"] = []
            self.told.add(asked[0])
            self.notes.append(f"{self.names[asked[0]]!r} is the same in all rows, so that it names no topic")

    def _systems(self, keys: Mapping[str, np.ndarray]) -> dict[str, dict[str, str]]:
        """Return the system of every item as a column beside their names says, if each is of one."""
        column = self._system_column()
        if column is None:
            return {}
        system_of = dict(zip(keys["item"].tolist(), self.cells[:, column].tolist(), strict=True))
        pairs = zip(keys["item"].tolist(), self.cells[:, column].tolist(), strict=True)
        is_of_one = all(system and system_of[item] == system for item, system in pairs)
        return {"system_of": system_of} if is_of_one and len({*system_of.values()}) > 1 else {}

    def _system_column(self) -> int | None:
        """Return the column of systems that is no part of the names of items."""
        taken = {*self.chosen, *(at for places in self.places.values() for at in places)}
        free = [at for at, name in enumerate(self.names) if at not in taken and underscored(name) in _SYSTEMS]
        return free[0] if len(free) == 1 else None

    def _leave_out_summaries(self) -> None:
        """Leave out the rows that are called as sums, means or counts of the items, as tables of scores do.

        Where an item could be called so, its numbers have to say it too: they are sums, or no label of any other item.
        """
        names = self._column("item").tolist()
        if self.places["topic"]:  # a line of sums may have its word in the place of the topic alone
            names = [item or topic for item, topic in zip(names, self._column("topic").tolist(), strict=True)]
        perhaps = np.array(perhaps_items(names), dtype=bool)
        told = np.array(are_summaries(names), dtype=bool) & ~perhaps
        keys = {*self.chosen, *self.places["topic"], *self.places["item"]}
        others = [at for at in range(len(self.names)) if at not in keys]
        if len(names) <= _MOST_ROWS and others:
            numbers = [[self._number(cell) for cell in row] for row in self.cells[:, others]]
            values = np.array(numbers, dtype=np.float64)
            levels = np.unique(values[~(told | perhaps)])
            strange = (~np.isnan(values) & ~np.isin(values, levels)).any(axis=1)
            values = values[:, ~np.isnan(values).all(axis=0)]
            stay, _ = left_out_rows(names, values, "topic", named=True) if values.size else (range(len(names)), [])
            told |= ~np.isin(np.arange(len(names)), stay) | (perhaps & strange)
            # no sum or mean is written in words; an item of that name may be
            told &= ~np.isnan(values).all(axis=1) | (np.array([*map(word_of, names)]) != "all")
        times = Counter(names)
        told &= np.array([times[name] for name in names]) == 1  # an item may be called so in each topic
        if told.any() and not told.all():
            self.notes += rows_left_out([*dict.fromkeys(compress(names, told))])
            self.cells, self.lines = self.cells[~told], self.lines[~told]

    def _column(self, role: str) -> np.ndarray:
        """Return who or what every row names, in several columns by "::"."""
        first, *more = (self.cells[:, column] for column in self.places[role])
        for texts in more:
            first = first + "::" + texts
        return first

    def _error(self, message: str, wrong: np.ndarray) -> FileFormatError:
        """Return the error for the first row that is wrong."""
        return self.body.error(message, int(self.lines[np.argmax(wrong)]))

    def _wide(self, keys: Mapping[str, np.ndarray], duplicates: Duplicates) -> tuple[pd.DataFrame, int]:
        """Return the labels of a table with a column a judge, and how many rows repeat one."""
        taken = {*self.places["topic"], *self.places["item"], *self.chosen}
        others = [column for column, name in enumerate(self.names) if name and column not in taken]
        votes = way_to_voters(self._first_cells(), self.sheet)
        if len(self.places["judge"]) <= 1 and (way := self._way_of_ranks(others) or votes):
            raise self.sheet.error(way)
        named = self.places["judge"] * (len(self.places["judge"]) > 1)
        judges = named or self.of_one or self._judges(others, keys)
        table = self._values({self.names[column]: self.cells[:, column] for column in judges})
        told = {*judges, *self.told, *(() if "system_of" not in self._systems(keys) else [self._system_column()])}
        left = [self.names[column] for column in others if column not in told]
        self.notes += [f"columns without labels, left out: {first_few(left, most=_SHOWN)}"] if left else []
        self.notes += self._of_another_kind(judges, others)
        self.notes += crossed_judges([self.names[column] for column in judges]) if not self.places["judge"] else []
        frame = pd.DataFrame(table, index=_index(keys))
        frame.columns.name = "judge"
        again = frame.index.duplicated()
        if again.any() and duplicates == "error":
            about = ", ".join(f"{role} {shortened(names[int(np.argmax(again))])!r}" for role, names in keys.items())
            if way := self._way_of_rows():
                raise self._error(f"{about} appears twice; {way}", again)
            apart = [at for at in others if at not in judges and self._tells_apart(keys, at)]
            if way := self._way_of_numbers(apart, list(keys)):
                raise self._error(f"{about} appears twice; {way}", again)
            message = f"{about} appears twice; keep one row, or pass `duplicates='first'` or `'mean'`"
            who = next((self.names[at] for at in apart), None)
            if who is not None:
                labels = [at for at in judges if not role_of_name(self.names[at])[0]] or judges
                columns = {"judge": shortened(who), "label": shortened(self.names[labels[-1]])}
                message += f"; where a row is one label, name the columns of judges and labels (`columns={columns!r}`)"
            message += "; where a row is a vote on two systems, metaeval votes reads it"
            raise self._error(message, again)
        return self._once(frame, duplicates), int(again.sum())

    def _way_of_numbers(self, apart: Sequence[int], roles: Sequence[str]) -> str:
        """Say how rows that a running number tells apart are items of their own; empty where none does."""
        numbered = (at for at in apart if all(map(is_number, self.cells[:, at])) and self._tells_apart({}, at))
        number = next(numbered, None)
        if number is None or len(self.places["item"]) != 1:
            return ""
        columns = {"item": self.names[number]}
        columns |= {} if "topic" in roles else {"topic": self.names[self.places["item"][0]]}
        return (
            f"{self.names[number]!r} numbers the rows: where each is an item of its own, pass `columns={columns!r}`; "
            "where some are written twice, pass `duplicates='first'`"
        )

    def _tells_apart(self, keys: Mapping[str, np.ndarray], column: int) -> bool:
        """Whether no two rows of an item hold the same in a column."""
        return len({*zip(*keys.values(), self.cells[:, column], strict=True)}) == len(self.cells)

    def _judges(self, places: Sequence[int], keys: Mapping[str, np.ndarray]) -> list[int]:
        """Return the columns of labels: those of numbers, or those of words that another column holds too."""
        numbers = self._labels_in([at for at in places if self._are_mostly_numbers(self.cells[:, at])], keys)
        places = [column for column in places if column not in self.told]
        words = {column: self._words_in(self.cells[:, column]) for column in places if column not in numbers}
        few = {column: vocabulary for column, vocabulary in words.items() if 0 < len(vocabulary) <= _MOST_WORDS}
        mixed = {column: self._words_in(self.cells[:, column]) for column in numbers}
        mixed = {column: texts for column, texts in mixed.items() if any(self._number(text) is None for text in texts)}
        few |= {at: texts for at, texts in mixed.items() if any(texts & vocabulary for vocabulary in few.values())}
        few = dict(sorted(few.items()))
        numbers = [column for column in numbers if column not in few]
        alike = [
            column
            for column, vocabulary in few.items()
            if any(vocabulary & compared for at, compared in few.items() if at != column)
        ]
        if few and len(numbers) < _TWO and self._graded():
            return sorted([*numbers, *few])  # some word lacks a grade, and is named
        plain = [column for column, vocabulary in few.items() if says_yes_or_no(vocabulary)]
        if len(numbers) == 1 and plain:
            others = self._words_in(self.cells[:, numbers[0]]) - _BINARY
            if not others or says_yes_or_no(others):
                return sorted([*numbers, *plain])
        if not alike and len(plain) > 1 and not numbers:
            return plain
        kinds: list[set[str]] = []
        for column in alike:  # one by one, as two judges of one scale may share no word but through others
            apart = [kind for kind in kinds if kind.isdisjoint(few[column])]
            kinds = [*apart, few[column].union(*(kind for kind in kinds if kind not in apart))]
        if alike and (len(numbers) > 1 or len(kinds) > 1):
            raise self.sheet.error(self._which(numbers, alike))
        if not alike and not numbers:
            listed = f"; its words: {first_few(sorted(next(iter(few.values()))))}" if len(few) == 1 else ""
            way = self._way_of_rows() or (_ANOTHER_JUDGE if len(few) == len(places) == 1 else _NAME_JUDGES)
            raise self.sheet.error(
                f"no column holds labels, as numbers or as words that two judges share; {columns_found(self.names)}"
                f"{listed}; {way}"
            )
        return alike or numbers

    def _of_another_kind(self, judges: Sequence[int], others: Sequence[int]) -> list[str]:
        """Say which columns that are left out hold numbers beside judges in words, or words beside one in numbers."""
        few = [at for at in others if at not in self.told and 1 < len(self._words_in(self.cells[:, at])) <= _SHOWN]
        numbers = [at for at in few if self._are_mostly_numbers(self.cells[:, at])]
        words = [at for at in few if at not in numbers]
        left = [at for at in few if at not in judges]
        are_numbers = judges[0] in numbers
        if not (words and numbers) or any((at in numbers) is are_numbers for at in left):
            return []
        grades = grades_of({text for at in words for text in self._words_in(self.cells[:, at])})
        says = f"`words={grades!r}`" if grades else "`words`, a number for each word"
        kinds = ("words", "numbers") if are_numbers else ("numbers", "words")
        named = first_few([self.names[at] for at in left], most=_SHOWN, write=repr)
        told = f"{named}, left out, holds {kinds[0]} beside labels that are {kinds[1]}"
        if are_numbers and grades and len(judges) < _TWO and not self._repeats():
            raise self.sheet.error(f"{told}; pass {says}")
        return [] if are_numbers or not left else [f"{told}; where it holds labels too, pass {says}"]

    def _repeats(self) -> bool:
        """Whether an item stands in several rows."""
        return self._n_different([*self.places["topic"], *self.places["item"]]) < len(self.cells)

    def _way_of_items(self) -> str:
        """Say how items get names: by the column that holds others in every row, or by numbers of the rows."""
        free = [at for at, name in enumerate(self.names) if name and [at] not in self.places.values()]
        once = [self.names[at] for at in free if self._n_different([*self.places["topic"], at]) == len(self.cells)]
        if way := self._way_of_rows():
            return way
        if once:
            return f"name it, such as `columns={ {'item': shortened(once[0])}!r}`"
        if self.sheet.label == _MEMORY:
            return "number the rows: `frame.assign(item=range(len(frame)))`"
        numbering = way_to_number_items(self._first_cells(), self.sheet, are_labels=True)
        return numbering or "no column has another name in every row, so number the rows"

    def _first_cells(self) -> dict[str, list[str]]:
        return {name: self.cells[:_SEEN, at].tolist() for at, name in enumerate(self.names) if name}

    def _way_of_ranks(self, others: Sequence[int]) -> str:
        """Say how ranks of systems, a column each, are written as votes; "" where no two columns are called so."""
        roles = {at: role_of_name(self.names[at]) for at in others}
        ranks = [at for at, (role, of) in roles.items() if role == "rank" and of and not are_judges([of])]
        sign = self.sheet.delimiter
        if len(ranks) < _FEWEST_RANKS or sign not in {",", ";"}:
            return ""
        told = first_few([self.names[at] for at in ranks], between=" and ")
        voters = self.places["judge"][:1]
        units = zip(("question", "voter"), (self.places["item"][0], *voters), strict=False)
        titles, cells = zip(*((f"{sign}{unit}", f' "{sign}" ${at + 1}') for unit, at in units), strict=True)
        given_by = f"ranks that {self.names[voters[0]]} gave them" if voters else "their ranks"
        program = (
            rf"""awk 'BEGIN{{FS="{sign}";m=split("{" ".join(str(at + 1) for at in ranks)}",k," ")}}{{sub(/\r$/,"")}}"""
            """NR==1{for(i=1;i<=m;i++){n[i]=$k[i];sub(/^[Rr]ank[_ ]/,"",n[i])};"""
            f"""print "left{sign}right{sign}winner{"".join(titles)}";next}}"""
            f"""{{for(i=1;i<m;i++)for(j=i+1;j<=m;j++)print n[i] "{sign}" n[j] "{sign}" """
            f"""($k[i]<$k[j]?"left":$k[i]>$k[j]?"right":"tie"){"".join(cells)}}}'"""
        )
        return f"{told} are called as systems with {given_by}, and no labels; write each pair as a vote ({program})"

    def _way_of_rows(self) -> str:
        """Say how rows that are one label each are read, by what `metaeval look` finds; "" of others."""
        told = labels_of_columns(self._first_cells())
        if told is None or "judge" not in told.columns:
            return ""
        placed = {self.names[column] for role in ("item", "label") for column in self.places[role]}
        columns = {role: name for role, name in told.columns.items() if name not in placed}
        return f"a row seems to be one label of a judge: pass `columns={columns!r}`"

    def _labels_in(self, places: Sequence[int], keys: Mapping[str, np.ndarray]) -> list[int]:
        """Return the columns of numbers that are labels; others are left out with a note, or asked for."""
        values = np.array([[self._number(cell) for cell in self.cells[:, at]] for at in places], dtype=np.float64)
        names = [self.names[at] for at in places]
        if not places:
            return []
        topics = keys.get("topic", keys["item"]).tolist()
        told = label_columns(names, values.T, topics, no_judges=SCORES.keys() - {"metric"})
        judges = comma_list(names[at] for at in told.judges if names[at] not in {column.name for column in told.unsure})
        if told.unsure:
            open_question = any(column.role for column in told.unsure)  # labels as the others', whoever gave them
            way = (
                "name the columns of all judges by comma, with or without these (`columns`)"
                if open_question
                else f"name the judges (`columns={{'judge': {judges!r}}}`; add those that are)"
            )
            raise self.sheet.error(f"{doubts_of(told.unsure)}; {way}")
        self.told = {places[names.index(column.name)] for column in told.left}
        self.notes += made_judges(told.made)
        self.guessed = True
        if told.left:
            way = f"; were one of them a judge, name all judges (`columns={{'judge': {judges!r}}}`)"
            sizes = [column.name for column in told.left if column.why == _SIZE]
            way += (
                f"; whether judges go by {first_few(sizes)} is asked with a table of items and it (`covariate`)"
                * bool(sizes)
            )
            self.notes.append(left_out_columns(told.left)[0] + way)
        return [places[at] for at in told.judges]

    def _which(self, numbers: Sequence[int], words: Sequence[int]) -> str:
        """Ask which columns are those of judges."""
        names = first_few([self.names[column] for column in [*numbers, *words]], most=_SHOWN, write=shortened)
        return f"columns {names} may all be labels of judges, and are of different kinds; {_NAME_JUDGES}"

    def _long(
        self,
        keys: Mapping[str, np.ndarray],
        repeats: bool,  # noqa: FBT001 - as `read_labels` has them
        duplicates: Duplicates,
    ) -> tuple[pd.DataFrame, int]:
        """Return the labels of a table with a row a label, and how many repeat one."""
        judges = self._column("judge")
        labels = self._values({"label": self._column("label")}, by=judges)["label"]
        if repeats:
            judges = _numbered([*keys.values(), judges])
        index = _index({**keys, "judge": judges})
        again = index.duplicated()
        if again.any() and duplicates == "error":
            position = int(np.argmax(again))
            about = ", ".join(f"{role} {shortened(names[position])!r}" for role, names in keys.items())
            twice = f"judge {shortened(judges[position])!r} labels {about} twice"
            if (parting := self._parting(index)) is not None:
                name, text = self.names[parting], str(self.cells[0, parting])
                joined = comma_list([self.names[self.places["judge"][0]], name])
                way = (
                    f"without {name!r}, which parts the rows; pass `where={ {name: text}!r}` for one set of them, or "
                    f"`columns={ {'judge': joined}!r}` if each is a judge"
                )
                raise self._error(f"{twice} {way}", again)
            repeats_too = "" if self.sheet.label == _MEMORY else ", or `repeats=True` if these are repeats"
            message = f"keep one row, or pass `duplicates='first'` or `'mean'`{repeats_too}"
            raise self._error(f"{twice}; {message}", again)
        n_items, n_judges = len(_index(keys).unique()), len(set(judges))
        if n_items * n_judges > max(_LARGE, _SPARSE * len(labels)):
            raise self.body.error(
                f"{len(labels)} labels cannot fill {n_items} items x {n_judges} judges; check which column is which "
                "(`columns={'judge': 'NAME'}`)"
            )
        frame = self._once(pd.Series(labels, index=index), duplicates).unstack("judge")  # noqa: PD010 - gaps stay gaps
        taken = {*self.chosen, *(position for several in self.places.values() for position in several)}
        system = self._system_column() if self._systems(keys) else None
        left = [name for at, name in enumerate(self.names) if name and at not in taken and at != system]
        aspects = [name for name in left if is_answer(name)]
        left = [name for name in left if name not in aspects]
        self.notes += [f"columns that say nothing of labels, left out: {first_few(left, most=_SHOWN)}"] if left else []
        self.notes += [
            f"{name!r} holds what judges say of another question; pass `columns={ {'label': name}!r}` to ask of that"
            for name in aspects
        ]
        return (frame[natural_order(frame.columns)] if repeats else frame), int(again.sum())

    def _parting(self, index: pd.Index) -> int | None:
        """Return the column of fewest texts that parts all labels of one judge for one item; None where none does."""
        taken = {*self.chosen, *(position for several in self.places.values() for position in several)}
        free = {at: self.cells[:, at] for at, name in enumerate(self.names) if name and at not in taken}
        sizes = {at: len({*cells}) for at, cells in free.items()}
        return next(
            (
                at
                for at in sorted(free, key=sizes.__getitem__)
                if 1 < sizes[at] <= len(index) // 2 and len({*zip(index, free[at], strict=True)}) == len(index)
            ),
            None,
        )

    def _once[Labels: (pd.Series, pd.DataFrame)](self, labels: Labels, duplicates: Duplicates) -> Labels:
        """Return labels whose every row has an index of its own."""
        if labels.index.is_unique:
            return labels
        if duplicates == "first":
            return labels[~labels.index.duplicated()]
        table = labels.to_frame() if isinstance(labels, pd.Series) else labels
        if any(not pd.api.types.is_numeric_dtype(dtype) for dtype in table.dtypes):
            message = "these labels are words, which have no mean; keep the first (`duplicates='first'`), or give each"
            raise self.sheet.error(f"{message} its grade (`words`)")
        return labels.groupby(level=list(labels.index.names), sort=False).mean()

    # what cells say

    def _are_mostly_numbers(self, cells: np.ndarray) -> bool:
        """Whether more cells are numbers, however written, than words: those few words are then asked about."""
        numbers = {cell: self._number(cell) for cell in dict.fromkeys(cells)}
        is_label = {cell: number is not None or self._is_spelt(cell) for cell, number in numbers.items()}
        are_labels = [is_label[cell] for cell in cells if (number := numbers[cell]) is None or not np.isnan(number)]
        return 2 * sum(are_labels) > len(are_labels)

    def _is_spelt(self, cell: str) -> bool:
        """Whether a cell is a number with more than digits and a point, and nobody said what it means."""
        return folded(cell) not in self.words and is_nearly_a_number(cell)

    def _graded(self) -> list[str]:
        return [word for word, meaning in self.words.items() if not isinstance(meaning, str)]

    def _number(self, cell: str) -> float | None:
        text = folded(cell)
        meaning = self.words.get(text, "")
        if not isinstance(meaning, str):
            return float(meaning)
        if meaning == "none" or (text in GAP_WORDS and not meaning):
            return float("nan")
        return float(text) if is_number(text) else None

    def _is_word(self, text: str) -> bool:
        """Whether a cell, as `folded` writes it, is a label where labels are words."""
        return text != "" and self.words.get(text, "none" if text in _NO_WORDS else "label") != "none"

    def _words_in(self, cells: np.ndarray) -> set[str]:
        """Return the labels that a column holds if it holds words, as `folded` writes them."""
        return {text for text in map(folded, dict.fromkeys(cells)) if self._is_word(text)}

    def _values(self, cells: Mapping[str, np.ndarray], *, by: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Return the labels in columns: numbers, or text where they are words without a grade.

        Numbers and words may stand beside each other only where each judge says yes and no; `by` says who gave each
        label of a long table.
        """
        self._leave_out_failures(cells, by)
        number = {cell: self._number(cell) for column in cells.values() for cell in dict.fromkeys(column)}
        spelt = [cell for cell, value in number.items() if value is None and self._is_spelt(cell)]
        if spelt:
            row = next(row for column in cells.values() for row, cell in enumerate(column) if cell == spelt[0])
            raise self.body.error(BadCellError(0, spelt[0]).rule(self.body.delimiter), int(self.lines[row]))
        if None not in number.values():
            return {name: np.array([number[cell] for cell in column]) for name, column in cells.items()}
        self._refuse_mixed(cells, by)
        is_label = {cell: self._is_word(folded(cell)) for cell in number}
        self._note_words(np.concatenate([*cells.values()]), is_label)
        return {
            name: np.array([cell if is_label[cell] else np.nan for cell in column], dtype=object)
            for name, column in cells.items()
        }

    def _leave_out_failures(self, cells: Mapping[str, np.ndarray], by: np.ndarray | None) -> None:
        """Let words such as parse_error be no label, where labels are words and not every judge says them."""
        parts = cells if by is None else {judge: cells["label"][by == judge] for judge in dict.fromkeys(by)}
        words = {judge: self._words_in(labels) for judge, labels in parts.items()}
        if any(is_number(word) for of_judge in words.values() for word in of_judge):
            return  # which are asked about
        for word, judges in failures_among(words).items():
            if word not in self.words:
                self.words[word] = "none"
                n = sum(folded(cell) == word for judge in judges for cell in parts[judge])
                self.notes.append(note_on_failure(word, n, judges))

    def _refuse_mixed(self, cells: Mapping[str, np.ndarray], by: np.ndarray | None) -> None:
        """Refuse words beside numbers, unless each judge says yes and no; words without a grade; and free text."""
        parts = cells if by is None else {judge: cells["label"][by == judge] for judge in dict.fromkeys(by)}
        words = {judge: sorted(self._words_in(labels)) for judge, labels in parts.items()}
        scale = word_scale(words)
        numbers = [word for word in scale.codes if is_number(word)]
        graded = self._graded()
        if not graded and (scale.ordered or not numbers) and len(scale.codes) <= _MOST_WORDS:
            return
        column, row = next(
            (column, row) for column in cells.values() for row, cell in enumerate(column) if self._number(cell) is None
        )
        others = [word for word in scale.codes if word not in {*graded, *numbers}]
        alternatives = f" or one of {', '.join(graded)}" if graded else ""
        listed = first_few(others, most=_SHOWN_WORDS, write=shortened)
        way = f"give {listed} a grade, too (`words`)"
        if len(others) <= _SHOWN_WORDS and max(map(len, others)) <= _LONGEST_WORD:
            way += f", or pass `words={dict.fromkeys(others, 'none')!r}` if no label is meant"
        message = f"{shortened(column[row])!r} is no label: a label is a number{alternatives}; {way}"
        raise self.body.error(message, int(self.lines[row]))

    def _note_words(self, cells: np.ndarray, is_label: Mapping[str, bool]) -> None:
        """Say of cells that mean no label elsewhere what they mean here."""
        written = Counter(cell for cell in cells if folded(cell) in GAP_WORDS | {_IGNORED} and cell)
        for as_label, kind, opposite in ((True, "a label", "none"), (False, "no label", "label")):
            told = {cell: n for cell, n in written.items() if is_label[cell] == as_label}
            if told:
                means = "it stands for none" if as_label else "it is one"
                way = f"if {means}, pass `words={{{folded(next(iter(told)))!r}: {opposite!r}}}`"
                self.notes.append(
                    f"counted as {kind}: {', '.join(f'{cell} ({n:,})' for cell, n in told.items())}; {way}"
                )


def _index(keys: Mapping[str, np.ndarray]) -> pd.Index:
    """Return the names of rows, in several levels where there are several."""
    if len(keys) == 1:
        return pd.Index(next(iter(keys.values())), name=next(iter(keys)))
    return pd.MultiIndex.from_arrays([*keys.values()], names=[*keys])


def _numbered(keys: Sequence[np.ndarray]) -> np.ndarray:
    """Return who gave each label, the last of the keys, numbered where somebody gave an item several."""
    judges = pd.Series(keys[-1])
    number = pd.DataFrame(dict(enumerate(keys))).groupby([*range(len(keys))], sort=False).cumcount()
    repeated = judges.isin({*judges[number > 0]})
    return np.where(repeated, judges + "#" + (number + 1).astype(str), judges).astype(object)
