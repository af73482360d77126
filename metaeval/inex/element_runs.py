"""Runs of elements and assessments, checked before they are put together: names, paths, scales."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.collection.assembly import judgments_from
from metaeval.collection.document_codes import Judgments
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL, UNKNOWN, Assessments, Scale, Submission, list_after_list, whole_column
from metaeval.inex.paths import normalised_path

_VALID: dict[str, frozenset[tuple[int, int]]] = {
    "2002": frozenset({(0, 0), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 3)}),
    "2003": frozenset({(0, 0)} | {(e, s) for e in (1, 2, 3) for s in (1, 2, 3)}),
}
_TOP_GRADE = 3
_TOP_EXHAUSTIVITY = 2


class Words(NamedTuple):
    """A column of words: ``names[codes]``."""

    codes: NDArray[np.int64]
    names: NDArray[np.object_]

    @classmethod
    def of(cls, column: pd.Series) -> "Words":
        """Take a column apart."""
        codes, names = pd.factorize(column.astype(object), use_na_sentinel=False)
        return cls(codes, np.array([str(name) for name in names], dtype=object))

    @property
    def words(self) -> NDArray[np.object_]:
        """The column as text."""
        return self.names[self.codes] if len(self.names) else self.names

    def within(self, index: pd.Index) -> NDArray[np.int64]:
        """Return the position of every word in an index, -1 for none."""
        places = index.get_indexer(pd.Index(self.names, dtype=object)).astype(np.int64)
        return places[self.codes] if len(places) else places


class ElementRun(NamedTuple):
    """The results of a run on assessed topics, list after list in the order of the topics."""

    topics: NDArray[np.int64]
    documents: Words
    paths: Words
    tied: NDArray[np.bool_]
    answered: frozenset[str]
    cut: int


def _column(table: pd.DataFrame, name: str, *, absent: float = UNKNOWN) -> NDArray[np.float64]:
    if name not in table:
        return np.full(len(table), absent, dtype=np.float64)
    return table[name].to_numpy(dtype=np.float64, na_value=absent)


def refuse(table: pd.DataFrame, wrong: NDArray[np.bool_], rule: str, source: str, what: str) -> None:
    """Refuse the first row that is wrong, with its place."""
    row = table.iloc[int(np.argmax(wrong))]
    path = f", element {row['path']}" if row.get("path") else ""
    more = f" ({int(wrong.sum())} such)" if wrong.sum() > 1 else ""
    line = int(row.get("line", UNKNOWN))
    message = f"{what}topic {row['topic']!r}, document {row['document']!r}{path}: {rule}{more}"
    raise FileFormatError(message, path=source or None, line=line if line > 0 else None)


def normalised(table: pd.DataFrame, source: str, what: str) -> Words:
    """Return the paths of a table in their one spelling."""
    codes, names = pd.factorize(table["path"].astype(object), use_na_sentinel=False)
    normal = np.empty(len(names), dtype=object)
    for code, name in enumerate(names):
        try:
            normal[code] = normalised_path(str(name))
        except InvalidOptionError as error:
            refuse(table, codes == code, str(error), source, what)
    return Words(codes, normal)


def checked_elements(assessments: Assessments, *, lenient: bool) -> pd.DataFrame:
    """Return the assessed elements with normalised paths, each once, sizes whole, what is invalid not relevant."""
    documents, source = assessments.documents, assessments.source
    repeated = documents.duplicated(["topic", "document"]).to_numpy()
    if repeated.any():
        rule = "assessed twice; choose one assessor's judgments of a topic and keep each document once"
        refuse(documents, repeated, rule, source, "")
    elements = assessments.elements
    keys = pd.MultiIndex.from_frame(documents[["topic", "document"]].astype(object))
    if len(elements):
        listed = pd.MultiIndex.from_frame(elements[["topic", "document"]].astype(object)).isin(keys)
        if not listed.all():
            refuse(elements, ~listed, "the document is not among those assessed completely", source, "")
    table = pd.DataFrame(
        {
            "topic": Words.of(elements["topic"]).words,
            "document": Words.of(elements["document"]).words,
            "path": normalised(elements, source, "").words,
            "exhaustivity": _column(elements, "exhaustivity", absent=0),
            "specificity": _column(elements, "specificity", absent=0),
            "size": whole_column(elements, "size", source=source),
            "relevant_size": whole_column(elements, "relevant_size", source=source),
            "line": whole_column(elements, "line", source=source),
        }
    )
    table = table[table["size"] != 0].reset_index(drop=True)  # without characters there is no specificity
    if assessments.scale == "2005":  # what can be computed from whole characters is
        counted = ((table["size"] > 0) & (table["relevant_size"] >= 0)).to_numpy()
        table.loc[counted, "specificity"] = table["relevant_size"][counted] / table["size"][counted]
    wrong = {
        "the element is assessed twice": table.duplicated(["topic", "document", "path"]).to_numpy(),
        **_outside_scale(table, assessments.scale),
    }
    notes = []
    for rule, marked in wrong.items():
        if not marked.any():
            continue
        if not lenient:
            refuse(table, marked, f"{rule}; `lenient=True` goes on without it", source, "")
        notes.append(f"{rule}: {int(marked.sum())} (taken as not relevant, or once)")
        if rule != "the element is assessed twice":
            table.loc[marked, ["exhaustivity", "specificity"]] = 0
    table = table[~wrong["the element is assessed twice"]].reset_index(drop=True)
    table.attrs["notes"] = notes
    return table


def _outside_scale(table: pd.DataFrame, scale: Scale) -> dict[str, NDArray[np.bool_]]:
    e, s = table["exhaustivity"].to_numpy(), table["specificity"].to_numpy()
    size, relevant = table["size"].to_numpy(), table["relevant_size"].to_numpy()
    if scale in _VALID:
        code = np.where((e == np.floor(e)) & (s == np.floor(s)), e * (_TOP_GRADE + 1) + s, -1)
        inside = (e >= 0) & (e <= _TOP_GRADE) & (s >= 0) & (s <= _TOP_GRADE)
        allowed = [pair[0] * (_TOP_GRADE + 1) + pair[1] for pair in _VALID[scale]]
        grade_names = "(relevance, coverage)" if scale == "2002" else "(exhaustivity, specificity)"
        return {f"the pair {grade_names} is none of the scale of {scale}": ~(inside & np.isin(code, allowed))}
    return {
        "exhaustivity must be 0, 1, 2 or '?'": ~np.isin(e, (0, 1, _TOP_EXHAUSTIVITY, TOO_SMALL)),
        "highlighted characters must lie in 0 to the size": (size > 0) & (relevant > size),
        "specificity must lie in [0, 1]": ~((s >= 0) & (s <= 1)),
        "exhaustivity is 0 exactly where nothing is highlighted": (e == 0) != (s == 0),
    }


def document_judgments(assessments: Assessments, judged: pd.DataFrame) -> Judgments:
    """Judge every completely assessed document: level 1 if anything in it is relevant, else 0."""
    documents = assessments.documents
    relevant = judged[(judged["exhaustivity"] != 0) & (judged["specificity"] > 0)]
    marked = set(zip(relevant["topic"], relevant["document"], strict=True))
    levels: dict[str, dict[str, int]] = {}
    highlighted = whole_column(documents, "relevant_size", source=assessments.source)
    for topic, document, size in zip(documents["topic"], documents["document"], highlighted, strict=True):
        of_topic = levels.setdefault(str(topic), {})
        of_topic[str(document)] = int(size > 0 or (str(topic), str(document)) in marked)
    return judgments_from(levels)


def checked_run(submission: Submission, topics: tuple[str, ...], limit: int) -> ElementRun:
    """Return the results of a run on assessed topics, down to the limit."""
    results = submission.results
    topic_words = Words.of(results["topic"])
    places = topic_words.within(pd.Index(topics, dtype=object))
    order, _, cut = list_after_list(places, len(topics), limit)
    table = results.iloc[order]
    label = f"run {submission.run!r}, "
    lacking = (table["path"].fillna("") == "").to_numpy()
    if lacking.any():
        rule = "the result is no element (it has no path); measures of passages take offsets (passage_collection)"
        refuse(table, lacking, rule, submission.source, label)
    if "end_path" in table and (ranges := (table["end_path"].fillna("") != "").to_numpy()).any():
        refuse(table, ranges, "the result is a range of elements; give its offset and length", submission.source, label)
    own_topics = places[order]
    return ElementRun(
        topics=own_topics,
        documents=Words.of(table["document"]),
        paths=normalised(table, submission.source, label),
        tied=_tied(table, own_topics),
        answered=frozenset(map(str, submission.answered)) | frozenset(topic_words.names),
        cut=cut,
    )


def _tied(table: pd.DataFrame, topics: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which results share a rank with the one before: by score where a list has them all, else by rank."""
    keys = np.arange(len(table), dtype=np.float64)
    for column in ("rank", "rsv"):  # the last that is complete decides
        values = _column(table, column, absent=np.nan)
        complete = np.bincount(topics, weights=np.isnan(values)) == 0 if len(values) else np.zeros(0, dtype=bool)
        keys = np.where(complete[topics], values, keys)
    return np.append(False, (keys[1:] == keys[:-1]) & (topics[1:] == topics[:-1]))[: len(table)]
