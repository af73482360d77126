"""From tables of INEX to arrays: assessments as highlighted text, a run as results compared with it.

Nothing here knows tasks: what a task may forbid is marked, and the measures decide.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Ints
from metaeval.collection.intervals import compare_results
from metaeval.collection.ranking import RankedRun
from metaeval.errors import FileFormatError
from metaeval.inex.assessments import UNKNOWN, Submission, list_after_list, whole_column
from metaeval.inex.highlighted_text import JudgedText

_USED = ("topic", "document", "path", "offset", "length", "line")

NOWHERE_LENGTH = 18
"""Characters that a result counts whose place does not exist (``X`` or -1 in a run), as inex_eval has it."""


class Results(NamedTuple):
    """The results in documents that have highlighted text in the full judgments, list after list."""

    documents: NDArray[np.int32]
    """Which judged document: a position in ``by_document.levels``. Shape (n,)."""
    articles: NDArray[np.int32]
    """Rank of that document in the list of documents, by its first result. Shape (n,)."""
    ranks: NDArray[np.int32]
    """Rank of the result, from 1. Shape (n,)."""
    starts: Ints
    lengths: Ints
    """Characters; a start of -1 is a place that does not exist. Shape (n,)."""
    relevant: Ints
    """Highlighted characters. Shape (n,)."""
    reached: Ints
    """Characters of this result and all before it in the list. Shape (n,)."""
    unseen_lengths: Ints
    unseen_relevant: Ints
    unseen_reached: Ints
    """The same of the characters that no earlier result of the document has. Shape (n,)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompiledRun:
    """One run, compiled; lists follow the order of the topics."""

    ranked: RankedRun
    """Its documents, each at the rank of its first result."""
    codes: NDArray[np.int32]
    """The judgment of every document of `ranked`, -1 for none."""
    first: NDArray[np.int32]
    """The rank of its first result."""
    results: Results
    n_results: Ints
    """How many of `results` each list has. Shape (n_topics,)."""
    n_retrieved: Ints
    n_characters: Ints
    n_unseen_characters: Ints
    """Of the whole list. Shape (n_topics,)."""
    faults: pd.DataFrame
    """The first of each kind in every list."""
    answered: frozenset[str]
    """Topics, also those without assessments."""
    cut: int
    beyond: int
    """Lists that were longer than the limit, and results that reach beyond the end of a relevant document."""
    names: NDArray[Any]
    """Every document of the run once."""
    unjudged: Ints
    unjudged_topics: Ints
    """Position in `names` and topic of the documents with code -1."""


class _Articles(NamedTuple):
    """The results of a run, put together by topic and document."""

    bounds: Ints
    order: Ints
    """The results of article a are ``order[bounds[a]:bounds[a + 1]]``, in the order of the list."""
    first: Flags
    """Whether a result is the first of its article. Shape (n_results,)."""
    moved_on: Flags
    """Whether the result before it is of another article. Shape (n_results,)."""
    ranks: Ints
    """Rank of its article among those of the list, by their first results. Shape (n_results,)."""


def compiled_run(submission: Submission, judged: JudgedText, limit: int) -> CompiledRun:
    """Compare a run with the highlighted text."""
    table, topics, ranks, cut = _lines_in_order(submission, judged, limit)
    n_topics = len(judged.judgments.topics)
    codes, names = _codes(table["document"])
    lookup = judged.lookup
    documents = lookup.find(topics, lookup.names.get_indexer(pd.Index(names, dtype=object))[codes])
    starts, lengths, lacking = _places(table, submission)
    n_retrieved = np.bincount(topics, minlength=n_topics)
    articles = _articles(topics, codes, np.cumsum(n_retrieved) - n_retrieved)
    text = judged.text
    relevant, unseen_lengths, unseen_relevant, overlaps = compare_results(
        articles.bounds, articles.order, starts, lengths, documents, text.offsets, text.starts, text.stops
    )
    in_relevant = (documents >= 0) & (text.relevant_sizes[documents] > 0)
    results = Results(
        documents=documents[in_relevant].astype(np.int32),
        articles=articles.ranks[in_relevant].astype(np.int32),
        ranks=ranks[in_relevant].astype(np.int32),
        starts=starts[in_relevant],
        lengths=lengths[in_relevant],
        relevant=relevant[in_relevant],
        reached=_running(lengths, n_retrieved)[in_relevant],
        unseen_lengths=unseen_lengths[in_relevant],
        unseen_relevant=unseen_relevant[in_relevant],
        unseen_reached=_running(unseen_lengths, n_retrieved)[in_relevant],
    )
    first = articles.first
    marks = {"overlap": overlaps, "interleaved": articles.moved_on & ~first, "repeated": ~first, "no length": lacking}
    ends = text.sizes[results.documents]
    unjudged = first & (documents < 0)
    return CompiledRun(
        ranked=_ranked(documents[first], topics[first], articles.ranks[first], n_topics),
        codes=documents[first].astype(np.int32),
        first=ranks[first].astype(np.int32),
        results=results,
        n_results=np.bincount(topics[in_relevant], minlength=n_topics),
        n_retrieved=n_retrieved,
        n_characters=_sums(lengths, n_retrieved),
        n_unseen_characters=_sums(unseen_lengths, n_retrieved),
        faults=_faults(marks, table, topics, submission),
        answered=frozenset(map(str, submission.answered)) | frozenset(submission.results["topic"].unique()),
        cut=cut,
        beyond=int(((ends >= 0) & (results.starts + results.lengths > ends)).sum()),
        names=names,
        unjudged=codes[unjudged],
        unjudged_topics=topics[unjudged],
    )


def _articles(topics: Ints, codes: Ints, list_starts: Ints) -> _Articles:
    groups = topics * (codes.max(initial=0) + 1) + codes
    order = np.argsort(groups, kind="stable")
    heads = np.flatnonzero(np.diff(groups[order], prepend=-1))
    bounds = np.append(heads, len(order)).astype(np.int64)
    first = np.zeros(len(order), dtype=bool)
    first[order[heads]] = True
    number = np.cumsum(first)
    own_head = np.empty(len(order), dtype=np.int64)
    own_head[order] = np.repeat(order[heads], np.diff(bounds))
    ranks = number[own_head] - (number - first)[list_starts[topics]]
    return _Articles(bounds, order, first, np.diff(groups, prepend=-1) != 0, ranks)


def _ranked(documents: Ints, topics: Ints, ranks: Ints, n_topics: int) -> RankedRun:
    judged = documents >= 0
    return RankedRun(
        n_retrieved=np.bincount(topics, minlength=n_topics),
        n_judged=np.bincount(topics[judged], minlength=n_topics),
        ranks=ranks[judged].astype(np.int32),
        judgments=documents[judged].astype(np.int32),
    )


def _lines_in_order(submission: Submission, judged: JudgedText, limit: int) -> tuple[pd.DataFrame, Ints, Ints, int]:
    """Return the results of assessed topics down to the limit, their topics and ranks, and how many lists were cut."""
    own_topics, names = _codes(submission.results["topic"])
    topics = judged.lookup.topics.get_indexer(pd.Index(names, dtype=object))[own_topics].astype(np.int64)
    order, ranks, cut = list_after_list(topics, len(judged.judgments.topics), limit)
    used = [name for name in _USED if name in submission.results]
    return submission.results[used].take(order), topics[order], ranks, cut


def _places(table: pd.DataFrame, submission: Submission) -> tuple[Ints, Ints, Flags]:
    """Return where results start, how long they are, and which have an entry point alone."""
    starts, lengths = (whole_column(table, name, source=submission.source) for name in ("offset", "length"))
    nowhere = starts == UNKNOWN
    marks = (
        (starts < UNKNOWN, "offset", "an offset must be 0 or more (X or -1 for a place that does not exist)"),
        (~nowhere & (lengths < UNKNOWN), "length", "a length must be 0 or more"),
    )
    for wrong, column, rule in marks:
        if wrong.any():
            _refuse_result(table.iloc[int(np.argmax(wrong))], submission, f"{rule}, not", column)
    if "path" in table and nowhere.any():
        elements = nowhere & table["path"].fillna("").astype(bool).to_numpy()
        if elements.any():
            rule = "measures of passages need offsets (use element_collection for elements), not the path"
            _refuse_result(table.iloc[int(np.argmax(elements))], submission, rule, "path")
    lacking = ~nowhere & (lengths == UNKNOWN)
    lengths[nowhere] = NOWHERE_LENGTH
    lengths[lacking] = 0
    return starts, lengths, lacking


def _refuse_result(row: pd.Series, submission: Submission, rule: str, column: str) -> None:
    value = repr(row[column]) if isinstance(row[column], str) else row[column]
    message = f"run {submission.run!r}, topic {row['topic']!r}, document {row['document']!r}: {rule} {value}"
    line = int(row.get("line", UNKNOWN))
    raise FileFormatError(message, path=submission.source or None, line=line if line > 0 else None)


def _faults(marks: dict[str, Flags], table: pd.DataFrame, topics: Ints, submission: Submission) -> pd.DataFrame:
    """Return the first result of every list that has a fault, kind after kind."""
    parts = []
    for kind, marked in marks.items():
        rows = np.flatnonzero(marked)
        rows = rows[np.unique(topics[rows], return_index=True)[1]]
        faulty = table.iloc[rows]
        parts.append(
            pd.DataFrame(
                {
                    "system": submission.run,
                    "topic": faulty["topic"].to_numpy(dtype=object),
                    "kind": kind,
                    "document": faulty["document"].to_numpy(dtype=object),
                    "source": submission.source,
                    "line": faulty["line"].to_numpy() if "line" in faulty else np.full(len(rows), -1),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _codes(column: pd.Series) -> tuple[Ints, NDArray[Any]]:
    """Return a number for every text, and the different texts."""
    codes, names = pd.factorize(column)
    return codes.astype(np.int64), np.asarray(names, dtype=object)


def _running(values: Ints, counts: Ints) -> Ints:
    """Add values up inside every list, of as many results."""
    sums = np.concatenate([[0], np.cumsum(values)])
    return sums[1:] - np.repeat(sums[np.cumsum(counts) - counts], counts)


def _sums(values: Ints, counts: Ints) -> Ints:
    """Add the values of every list."""
    return np.diff(np.concatenate([[0], np.cumsum(values)])[np.concatenate([[0], np.cumsum(counts)])])
