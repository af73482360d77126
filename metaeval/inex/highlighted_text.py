"""Assessments of passages as highlighted text: documents, their passages, and where to find the judgment of each."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.short_repr import ShortRepr
from metaeval.collection.assembly import judgments_from
from metaeval.collection.document_codes import Judgments
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import Assessments, whole_column


class HighlightedText(NamedTuple):
    """What assessors highlighted, document by document in the order of ``by_document.levels``."""

    relevant_sizes: NDArray[np.int64]
    sizes: NDArray[np.int64]
    """Highlighted and total characters, as the assessments say; -1 for an unknown total. Shape (n_judgments,)."""
    best_entries: NDArray[np.int64]
    """Best entry point; -1 where there is none. Shape (n_judgments,)."""
    offsets: NDArray[np.int64]
    """The passages of document d are ``offsets[d]:offsets[d + 1]`` of the next two. Shape (n_judgments + 1,)."""
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    """Ascending and without overlap inside a document. Shape (n_passages,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Lookup(ShortRepr):
    """Where the judgment of a document and topic is."""

    topics: pd.Index
    names: pd.Index
    """Every topic, and every assessed document once."""
    keys: NDArray[np.int64]
    """Position of the topic times the number of names plus position of the name. Shape (n_judgments,)."""
    places: NDArray[np.int64]
    """Which judgment each key is. Shape (n_judgments,)."""

    @classmethod
    def of(cls, judgments: Judgments) -> "Lookup":
        """Lay the judgments out for looking up."""
        decoded = np.array([name.decode() for name in judgments.document_ids.tolist()], dtype=object)
        numbers, names = pd.factorize(decoded)
        topics = np.repeat(np.arange(len(judgments.topics)), np.diff(judgments.topic_offsets))
        keys = topics * len(names) + numbers
        places = np.argsort(keys)
        return cls(pd.Index(judgments.topics, dtype=object), pd.Index(names, dtype=object), keys[places], places)

    def find(self, topics: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the judgment of positions in `topics` and `names`, -1 for none."""
        keys = topics * len(self.names) + documents
        slots = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where((documents >= 0) & (self.keys[slots] == keys), self.places[slots], -1)

    def find_rows(self, table: pd.DataFrame) -> NDArray[np.int64]:
        """Return the judgment of the topic and document of every row, -1 for none."""
        topics = self.topics.get_indexer(_texts(table["topic"]))
        return self.find(topics.astype(np.int64), self.names.get_indexer(_texts(table["document"])))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedText(ShortRepr):
    """Assessments, compiled."""

    judgments: Judgments
    """Level 1 for documents with highlighted text, else 0."""
    lookup: Lookup
    text: HighlightedText
    notes: tuple[str, ...]
    """What reading and compiling had to say."""

    @classmethod
    def of(cls, assessments: Assessments) -> "JudgedText":
        """Compile assessments."""
        documents = assessments.documents
        relevant_sizes = _checked_sizes(documents, assessments.source)
        by_topic: dict[str, dict[str, int]] = {}
        marks = (relevant_sizes > 0).astype(int).tolist()
        for topic, document, mark in zip(documents["topic"], documents["document"], marks, strict=True):
            by_topic.setdefault(str(topic), {})[str(document)] = mark
        judgments = judgments_from(by_topic)
        lookup = Lookup.of(judgments)
        order = np.argsort(lookup.find_rows(documents))
        passages = _checked_passages(assessments, lookup)
        source = assessments.source
        owners, starts = passages["owner"].to_numpy(dtype=np.int64), whole_column(passages, "offset", source=source)
        text = HighlightedText(
            relevant_sizes=relevant_sizes[order],
            sizes=whole_column(documents, "size", source=source)[order],
            best_entries=whole_column(documents, "best_entry", source=source)[order],
            offsets=np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(order)))]).astype(np.int64),
            starts=starts,
            stops=starts + whole_column(passages, "length", source=source),
        )
        notes = (*assessments.notes, *_notes_on_text(text, owners))
        return cls(judgments=judgments, lookup=lookup, text=text, notes=notes)


def _checked_sizes(documents: pd.DataFrame, source: str) -> NDArray[np.int64]:
    """Return the highlighted characters of documents, none of which appears twice."""
    repeated = documents.duplicated(["topic", "document"])
    if repeated.any():
        row = documents[repeated].iloc[0]
        line = f" (line {row['line']})" if "line" in documents and row["line"] > 0 else ""
        message = f"document {row['document']!r} is assessed twice for topic {row['topic']!r}{line}; keep one"
        raise InvalidOptionError(message)
    sizes = whole_column(documents, "relevant_size", source=source)
    if (sizes < 0).any():
        row = documents.iloc[int(np.argmax(sizes < 0))]
        raise InvalidOptionError(
            f"topic {row['topic']!r}, document {row['document']!r} has no number of highlighted characters "
            "(relevant_size); measures of passages need it"
        )
    return sizes


def _checked_passages(assessments: Assessments, lookup: Lookup) -> pd.DataFrame:
    """Return the passages with the judgment they belong to, in order of judgment and offset."""
    passages = assessments.passages
    offsets, lengths = (whole_column(passages, name, source=assessments.source) for name in ("offset", "length"))
    owners = lookup.find_rows(passages)
    marks = (
        (offsets < 0, "has no offset (points in text must be turned into offsets first)"),
        (lengths < 0, "has no length"),
        (owners < 0, "lies in a document that is not assessed"),
    )
    for wrong, text in marks:
        if wrong.any():
            row = passages.iloc[int(np.argmax(wrong))]
            raise InvalidOptionError(f"a passage of topic {row['topic']!r}, document {row['document']!r} {text}")
    if passages.empty and (assessments.documents["relevant_size"] > 0).any():
        raise InvalidOptionError(
            "the assessments have no passage, so nothing can be highlighted in a result; measures of passages need "
            "the passages of relevant documents (2007 and later)"
        )
    order = np.lexsort((offsets, owners))
    order = order[lengths[order] > 0]
    ordered = passages.iloc[order].assign(owner=owners[order])
    stops = (offsets + lengths)[order]
    overlapping = (owners[order][1:] == owners[order][:-1]) & (offsets[order][1:] < stops[:-1])
    if overlapping.any():
        row = ordered.iloc[int(np.argmax(overlapping)) + 1]
        raise InvalidOptionError(
            f"passages of topic {row['topic']!r}, document {row['document']!r} overlap at offset {row['offset']}; "
            "merge them into one"
        )
    return ordered


def _notes_on_text(text: HighlightedText, owners: NDArray[np.int64]) -> list[str]:
    sums = np.bincount(owners, weights=text.stops - text.starts, minlength=len(text.sizes)).astype(np.int64)
    ends = np.zeros(len(text.sizes), dtype=np.int64)
    np.maximum.at(ends, owners, text.stops)
    sized = text.sizes >= 0
    counts = {
        "relevant documents without a passage": (text.relevant_sizes > 0) & (sums == 0),
        "documents whose passages do not add up to their highlighted characters": (sums > 0)
        & (sums != text.relevant_sizes),
        "documents with more highlighted characters than they have": sized & (text.relevant_sizes > text.sizes),
        "documents with a passage beyond their end": sized & (ends > text.sizes),
    }
    return [f"{finding}: {int(marked.sum())} (taken as they are)" for finding, marked in counts.items() if marked.any()]


def _texts(column: pd.Series) -> pd.Index:
    return pd.Index(column.to_numpy(dtype=object), dtype=object)
