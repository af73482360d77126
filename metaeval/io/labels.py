"""Labels by several judges: one wide table, one long table, or one qrels file a judge."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice
from metaeval.base.columns import LABELS, first_called, underscored
from metaeval.base.names import first_few, is_number, natural_order
from metaeval.collection.document_codes import Judgments
from metaeval.collection.documents import UNJUDGED
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.blocks import GAP_WORDS
from metaeval.io.duplicates import Duplicates, note_of
from metaeval.io.files import first_words, read_bytes
from metaeval.io.headers import columns_found, fitting_names, place_of
from metaeval.io.qrels import judgments_by_subtopic, judgments_of, repeated_judgments_of
from metaeval.io.score_forms import is_judgment
from metaeval.io.sheets import Sheet, header_names, sheet_of
from metaeval.io.sources import Source, list_sources, listed_paths, named_apart
from metaeval.io.trec_lines import QRELS
from metaeval.io.votes import refuse_votes

_LARGE, _SPARSE = 10_000_000, 50
_MOST_WORDS = 8
_SCALES = (
    ("no", "not relevant", "nonrelevant", "non-relevant", "irrelevant", "false", "none", "bad", "low", "n"),
    ("partially relevant", "partial", "somewhat", "marginal", "fair", "medium", "maybe"),
    ("yes", "relevant", "true", "good", "high", "y"),
    ("highly relevant", "very relevant", "perfect", "excellent", "very high"),
)
"""Words of labels, each row above the one before."""
_OF_SUBTOPICS = (
    "column 2 of the judgments names subtopics: an item is a document judged for one of them, SUBTOPIC/DOCUMENT"
)


def read_labels(  # noqa: PLR0913 - how it is read
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, int] | None = None,
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
        Which column of a table is the "topic", "item", "judge" or "label", where its name does not say so.
    words : mapping of str to int, optional
        Grades of labels written as words.
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
        Index ``(topic, item)``, one column a judge, NaN where there is no label; for `as_labels`.
        ``attrs["notes"]`` says what was left out.

    Raises
    ------
    FileFormatError
        If a column cannot be found, a label is no number and no word of `words`, or a judge labels an item twice.
    InvalidOptionError
        If a role or an option does not fit the files.

    See Also
    --------
    metaeval.studies.judges.study_judges
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
    words: Mapping[str, int],
    where: Mapping[str, str],
    repeats: bool = False,
    duplicates: Duplicates = "error",
) -> pd.DataFrame:
    """Return the labels of files that were read already; see `read_labels`."""
    check_choice(duplicates, "rule for `duplicates`", get_args(Duplicates))
    if repeats and duplicates != "error":
        raise InvalidOptionError("with `repeats` every label counts, so none is a duplicate; leave `duplicates` out")
    for role in columns:
        if role not in LABELS:
            raise InvalidOptionError(f"`columns` may name {', '.join(LABELS)}, not {role!r}")
    if not columns:
        _refuse_others(contents, alone=not repeats)
    if len(contents) == 1 and not (repeats and _is_qrels(contents[0][1])):
        source, content = contents[0]
        return _Table(sheet_of(content, source.path), columns, words, where).labels(repeats, duplicates)
    named = [_names_items(content, source.path, columns) for source, content in contents]
    qrels = [one for one, table in zip(contents, named, strict=True) if not table]
    tables = [one for one, table in zip(contents, named, strict=True) if table]
    if (columns or words or where) and not tables:
        raise InvalidOptionError("`columns`, `words` and `where` are for a table; these files are qrels, one a judge")
    parts = [_from_qrels(qrels, repeats=repeats, duplicates=duplicates)] if qrels else []
    for source, content in tables:
        part = _Table(sheet_of(content, source.path), columns, words, where).labels(repeats, duplicates)
        twice = [name for name in part.columns if any(name in other.columns for other in parts)]
        if twice:
            message = f"judge {twice[0]!r} is in another file too; rename it in one of them, or leave that file out"
            raise FileFormatError(message, path=source.path)
        parts.append(part)
    if len(parts) == 1:
        return parts[0]
    frame = pd.concat(parts, axis=1)
    frame.columns.name = "judge"
    frame.attrs["notes"] = [note for part in parts for note in part.attrs.get("notes", ())]
    frame.attrs |= {name: True for part in parts for name in part.attrs if name == "by_subtopic"}
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
    found: dict[str, pd.Series] = {}
    if repeats:
        read = [repeated_judgments_of(content, source.path) for source, content in contents]
    else:
        read = [[judgments_of(content, source.path, duplicates)] for source, content in contents]
    by_subtopic = any(one.subtopics is not None for parts in read for one in parts)
    if by_subtopic:
        read = [[judgments_by_subtopic(content, source.path)] for source, content in contents]
    notes = [_OF_SUBTOPICS] * by_subtopic
    for (source, _), parts in zip(contents, read, strict=True):
        notes += [f"{source.own_name}: {note}" for note in parts[0].notes] if duplicates != "error" else []
        for name, judgments in zip(_names(source.own_name, len(parts)), parts, strict=True):
            if name in found:
                ways = named_apart([one.path for one, _ in contents if one.own_name == source.own_name])
                raise InvalidOptionError(f"two files are called {name!r}; name the judges: {' '.join(ways)}")
            found[name] = _labels_in(judgments)
    frame = pd.DataFrame(found)
    frame.columns.name = "judge"
    frame.attrs |= {"notes": notes} if notes else {}
    frame.attrs |= {"by_subtopic": True} if by_subtopic else {}
    return frame


def _names_items(content: bytes, path: str, columns: Mapping[str, str]) -> bool:
    """Whether the first line of a file is the header of a table with a column of items."""
    if not content.strip() or _is_qrels(content):
        return False
    names = header_names(sheet_of(content, path).sample()[0])
    return columns.get("item") in names or first_called(names, LABELS["item"], underscored) is not None


def _is_qrels(content: bytes) -> bool:
    words = first_words(content)
    return len(words) == len(QRELS.columns) and is_number(words[QRELS.number].decode(errors="replace"))


def _names(judge: str, n_repeats: int) -> list[str]:
    return [judge] if n_repeats == 1 else [f"{judge}#{number}" for number in range(1, n_repeats + 1)]


def _labels_in(judgments: Judgments) -> pd.Series:
    topics = np.repeat(np.array(judgments.topics, dtype=object), np.diff(judgments.topic_offsets))
    items = [one.decode() for one in judgments.document_ids.tolist()]
    gaps = judgments.levels == UNJUDGED if judgments.grades is None else judgments.levels < 0
    index = pd.MultiIndex.from_arrays([topics, items], names=["topic", "item"])
    return pd.Series(np.where(gaps, np.nan, judgments.numbers), index=index)


class _Table:
    """A table of labels, of which the rows chosen by `where` count."""

    def __init__(
        self, sheet: Sheet, columns: Mapping[str, str], words: Mapping[str, int], where: Mapping[str, str]
    ) -> None:
        self.sheet, self.body = sheet, sheet.without_header()
        self.words = {word.casefold(): grade for word, grade in words.items()}
        rows = list(self.body.rows())
        if not rows:
            raise sheet.error("the table has a header and no row")
        self.names, _ = fitting_names(header_names(sheet.sample()[0]), rows, self.body)
        self.cells = np.array([list(map(str.strip, row)) for row in rows], dtype=object)
        self.lines = np.arange(len(rows))
        for column, text in where.items():
            kept = self.cells[:, place_of(column, self.names, sheet)] == text.strip()
            if not kept.any():
                there = first_few(sorted(set(self.cells[:, self.names.index(column)])))
                raise sheet.error(f"no row has {text!r} in column {column!r}; there are {there}")
            self.cells, self.lines = self.cells[kept], self.lines[kept]
        self.chosen = {self.names.index(column) for column in where}
        self.places = {
            role: place_of(columns[role], self.names, sheet)
            if role in columns
            else first_called(self.names, words_of, underscored)
            for role, words_of in LABELS.items()
        }

    def labels(self, repeats: bool, duplicates: Duplicates) -> pd.DataFrame:  # noqa: FBT001 - as `read_labels` has them
        """Return the labels, a row an item and a column a judge."""
        places = self.places
        if places["item"] is None:
            found = columns_found(self.names)
            raise self.sheet.error(f"no column names the items (document, pid, item …); name it. {found}")
        is_long = places["judge"] is not None and places["label"] is not None
        for role in ("topic", "item", "judge") if is_long else ("topic", "item"):
            empty = np.zeros(len(self.cells), dtype=bool) if places[role] is None else self._column(role) == ""
            if empty.any():
                raise self._error(f"the {role} is empty; fill it in", empty)
        notes = [] if places["topic"] is not None else ["no column of topics: all items count as one topic"]
        topics = np.full(len(self.cells), "1", dtype=object) if places["topic"] is None else self._column("topic")
        if is_long:
            frame, n_again = self._long(topics, repeats, duplicates)
        else:
            frame, left, n_again = self._wide(topics, duplicates)
            notes += [f"columns without labels, left out: {', '.join(left)}"] if left else []
        frame.attrs["notes"] = [*notes, *note_of(n_again, "label" if is_long else "row", duplicates)]
        return frame

    def _column(self, role: str) -> np.ndarray:
        return self.cells[:, self.places[role]]

    def _error(self, message: str, wrong: np.ndarray) -> FileFormatError:
        """Return the error for the first row that is wrong."""
        return self.body.error(message, int(self.lines[np.argmax(wrong)]))

    def _wide(self, topics: np.ndarray, duplicates: Duplicates) -> tuple[pd.DataFrame, list[str], int]:
        """Return the labels of a table with a column a judge, the columns without any, and how many rows repeat one."""
        items, taken = self._column("item"), {self.places["topic"], self.places["item"], *self.chosen}
        others = [place for place, name in enumerate(self.names) if name and place not in taken]
        judges = [place for place in others if self._holds_labels(self.cells[:, place])]
        if not judges:
            raise self.sheet.error(f"no column holds labels; {columns_found(self.names)}{self._ways(others)}")
        table = {self.names[place]: self._numbers(self.cells[:, place]) for place in judges}
        frame = pd.DataFrame(table, index=pd.MultiIndex.from_arrays([topics, items], names=["topic", "item"]))
        frame.columns.name = "judge"
        again = frame.index.duplicated()
        if again.any() and duplicates == "error":
            place = int(np.argmax(again))
            message = (
                f"topic {topics[place]!r}, item {items[place]!r} appears twice; keep one row, or pass "
                "`duplicates='first'` or `'mean'`; where a row is one label, name the columns of judges and labels "
                f"(`columns={{'judge': {self.names[others[0]]!r}, 'label': {self.names[judges[-1]]!r}}}`)"
            )
            raise self._error(message, again)
        return (
            _once(frame, duplicates),
            [self.names[place] for place in others if place not in judges],
            int(again.sum()),
        )

    def _ways(self, places: Sequence[int]) -> str:
        """Return how to give grades to the words of columns, where these are few."""
        words = {cell for place in places for cell in self.cells[:, place] if self._number(cell) is None}
        few = 0 < len(words) <= _MOST_WORDS
        return f"; if labels are words, give each its grade, such as {way_to_grade(words, self.words)}" if few else ""

    def _long(self, topics: np.ndarray, repeats: bool, duplicates: Duplicates) -> tuple[pd.DataFrame, int]:  # noqa: FBT001 - as above
        """Return the labels of a table with a row a label, and how many repeat one."""
        labels = self._numbers(self._column("label"))
        items, judges = self._column("item"), self._column("judge")
        if repeats:
            judges = _numbered(topics, items, judges)
        index = pd.MultiIndex.from_arrays([topics, items, judges], names=["topic", "item", "judge"])
        again = index.duplicated()
        if again.any() and duplicates == "error":
            place = int(np.argmax(again))
            about = f"topic {topics[place]!r}, item {items[place]!r}"
            message = (
                f"judge {judges[place]!r} labels {about} twice; keep one row, or pass `duplicates='first'` or "
                "`'mean'`, or `repeats=True` if these are repeats"
            )
            raise self._error(message, again)
        n_items, n_judges = len(pd.unique(index.droplevel("judge"))), len(set(judges))
        if n_items * n_judges > max(_LARGE, _SPARSE * len(labels)):
            raise self.body.error(
                f"{len(labels)} labels cannot fill {n_items} items x {n_judges} judges; check which column is which "
                "(`columns={'judge': 'NAME'}`)"
            )
        frame = _once(pd.Series(labels, index=index), duplicates).unstack("judge")  # noqa: PD010 - gaps stay gaps
        return (frame[natural_order(frame.columns)] if repeats else frame), int(again.sum())

    def _holds_labels(self, cells: np.ndarray) -> bool:
        """Whether every cell is a label or a gap, and not all are gaps."""
        found = [self._number(cell) for cell in cells]
        return None not in found and not all(np.isnan(one) for one in found if one is not None)

    def _numbers(self, cells: np.ndarray) -> np.ndarray:
        """Return the labels; the first cell that is none is an error with its line."""
        found = [self._number(cell) for cell in cells]
        if None in found:
            place = found.index(None)
            others = [cell for cell, number in zip(cells, found, strict=True) if number is None]
            known = f" or one of {', '.join(self.words)}" if self.words else ""
            known += f"; give every word its grade, such as {way_to_grade(others, self.words)}"
            message = f"{cells[place].strip()!r} is no label: a label is a number{known}"
            raise self.body.error(message, int(self.lines[place]))
        return np.array(found, dtype=np.float64)

    def _number(self, cell: str) -> float | None:
        text = cell.strip().casefold()
        if text in self.words:
            return float(self.words[text])
        if text in GAP_WORDS:
            return float("nan")
        return float(text) if is_number(text) else None


def _once[Labels: (pd.Series, pd.DataFrame)](labels: Labels, duplicates: Duplicates) -> Labels:
    """Return labels whose every row has an index of its own."""
    if labels.index.is_unique:
        return labels
    if duplicates == "first":
        return labels[~labels.index.duplicated()]
    return labels.groupby(level=list(labels.index.names), sort=False).mean()


def way_to_grade(words: Iterable[str], known: Mapping[str, int]) -> str:
    """Return the argument that gives words their grades, in the order that most of them have."""
    rank = {word: place for place, row in enumerate(_SCALES) for word in row}
    left = sorted(dict.fromkeys(word.strip().casefold() for word in words), key=lambda word: rank.get(word, len(rank)))
    places = sorted({rank.get(word, len(rank)) for word in left})
    grades = {**known, **{word: places.index(rank.get(word, len(rank))) for word in left[:_MOST_WORDS]}}
    return f"`words={grades!r}`"


def _numbered(topics: np.ndarray, items: np.ndarray, judges: np.ndarray) -> np.ndarray:
    """Return who gave each label, a number behind the names of those with several for one item."""
    place = pd.DataFrame({"topic": topics, "item": items, "judge": judges})
    number = place.groupby(["topic", "item", "judge"], sort=False).cumcount()
    repeated = (number > 0).groupby(place["judge"]).transform("any")
    return np.where(repeated, place["judge"] + "#" + (number + 1).astype(str), judges).astype(object)
