"""Runs and judgments of any kind, recognised by their content: TREC files of documents, INEX files of parts of them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.collection.assembly import warn_of_ties
from metaeval.collection.base import Retrieved
from metaeval.collection.data_choice import DataChoice
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.collection.ranking import Order
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex import reading
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import ElementCollection, element_collection
from metaeval.inex.passages import PassageCollection, passage_collection
from metaeval.inex.xml_events import root_name
from metaeval.io.duplicates import Duplicates
from metaeval.io.files import first_words, read_bytes
from metaeval.io.groups import read_subtopic_weights
from metaeval.io.qrels import SubtopicRule, judgments_of
from metaeval.io.sources import RunPaths, refuse_shared_pipe, run_sources
from metaeval.io.trec import Rules, ScorePrecision, collection_of, double_note
from metaeval.io.trec_lines import is_run
from metaeval.table.scores import Missing

_LOCATED_RUN = (7, 8)
_HOLDS = {
    "elements": "the assessments are of elements (exhaustivity and specificity); give runs of elements",
    "passages": "the assessments are of passages (highlighted text by offset); give runs of passages",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedInput:
    """What was read."""

    collection: Collection | ElementCollection | PassageCollection
    files: tuple[str, ...]
    """Every file that was read; "-" for standard input."""


def read_judged(  # noqa: PLR0913 - what either kind of file needs
    runs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    judgments: str | os.PathLike[str],
    *,
    sizes: str | os.PathLike[str] | None = None,
    retrieved: Literal["judged", "all"] = "judged",
    order: Order = "score",
    score_precision: ScorePrecision = "float64",
    missing: Missing = "zero",
    duplicates: Duplicates = "error",
    subtopics: SubtopicRule | None = None,
    subtopic_weights: str | os.PathLike[str] | None = None,
    lenient: bool = False,
    pool_runs: RunPaths = (),
    choice: DataChoice | None = None,
) -> JudgedInput:
    r"""Read runs and judgments of documents, elements or passages, whichever the files hold.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "qrels.txt").write_text("T1 Q0 d1 300 1000 100 100:200 500:100\n")
    >>> _ = (folder / "run.txt").write_text("T1 Q0 d1 1 4 first 0 400\n")
    >>> found = read_judged([folder / "run.txt"], folder / "qrels.txt")
    >>> type(found.collection).__name__, len(found.files)
    ('PassageCollection', 2)
    """
    sources, others = run_sources(runs), run_sources(pool_runs) if pool_runs else []
    paths = [source.path for source in (*sources, *others)]
    if os.path.isdir(judgments):  # noqa: PTH112 - takes every kind of path
        content, located = b"", True
    else:
        refuse_shared_pipe([*sources, *others], judgments)
        content = read_bytes(judgments)
        located = reading.holds_assessments(content)
    if not located:
        if sizes is not None:
            raise InvalidOptionError(
                f"sizes of elements ({sizes}) belong to INEX assessments; {judgments} holds judgments of documents"
            )
        rules = Rules.checked(order=order, score_precision=score_precision, split_tags=False)
        levels = judgments_of(content, str(judgments), duplicates, subtopics=subtopics)
        check = partial(_refuse_located, judgments=str(judgments))
        collection = collection_of(
            sources, levels, rules, label=str(judgments), retrieved=retrieved, pool_sources=others, check=check
        )
        warn_of_ties(collection, order)
        settled = _settled(collection, choice, missing)
        if subtopic_weights is None:
            return _input(settled, paths, [str(judgments)])
        return _input(_weighted(settled, str(subtopic_weights)), paths, [str(judgments)], [str(subtopic_weights)])
    if subtopic_weights is not None:
        raise InvalidOptionError(
            f"weights of subtopics ({subtopic_weights}) belong to judgments of documents; {judgments} holds assessments"
        )
    if (order, score_precision) != ("score", "float64"):
        message = "the order of INEX runs is that of their format; order and score precision are for TREC runs"
        raise InvalidOptionError(message)
    if duplicates != "error":
        raise InvalidOptionError(
            f"`duplicates` is for judgments of documents, and {judgments} holds assessments; leave it out"
        )
    assessments, judged_files = (
        reading.assessments_of(content, str(judgments), lenient=lenient)
        if content
        else reading.assessments_from(judgments, second=False, lenient=lenient)
    )
    submissions = reading.submissions_from(sources, lenient=lenient)
    named = {submission.run for submission in submissions}
    pooled = reading.submissions_from(others, lenient=lenient) if others else []
    further = [submission for submission in pooled if submission.run not in named]
    compiled = inex_collection([*submissions, *further], assessments, sizes=sizes, lenient=lenient, retrieved=retrieved)
    scored = compiled.set_aside([submission.run for submission in further]).with_notes(
        double_note(len(pooled) - len(further))
    )
    size_files = [] if sizes is None else [str(sizes)]
    return _input(_settled(scored, choice, missing), paths, judged_files, size_files)


def _weighted(collection: Collection, path: str) -> Collection:
    """Weigh the subtopics; what is wrong with them is wrong with the file."""
    weights = read_subtopic_weights(path)
    try:
        return collection.with_subtopic_weights(weights)
    except InvalidOptionError as error:
        raise FileFormatError(str(error), path=path) from error


def _settled[Judged: JudgedCollection](collection: Judged, choice: DataChoice | None, missing: Missing) -> Judged:
    """Keep what was chosen, and decide what happens where a run lacks a topic."""
    return (collection if choice is None else choice.of_collection(collection)).handle_missing(missing)


def _input(collection: Collection | ElementCollection | PassageCollection, *files: Sequence[str]) -> JudgedInput:
    return JudgedInput(collection=collection, files=tuple(path for group in files for path in group))


def inex_collection(
    submissions: Sequence[Submission],
    assessments: Assessments,
    *,
    sizes: pd.DataFrame | str | os.PathLike[str] | None = None,
    lenient: bool = False,
    retrieved: Retrieved = "judged",
) -> ElementCollection | PassageCollection:
    """Compile runs beside assessments of elements or of passages, whichever there are; sizes as a table or its file."""
    kind = "passages" if assessments.scale == "passages" else "elements"
    for submission in submissions:
        _check_results(submission, kind)
    if kind == "elements":
        table = reading.read_element_sizes(sizes, lenient=lenient) if isinstance(sizes, str | os.PathLike) else sizes
        return element_collection(submissions, assessments, sizes=table, lenient=lenient, retrieved=retrieved)
    if sizes is not None:
        raise InvalidOptionError(
            f"sizes belong to assessments of elements; {assessments.source} has passages; leave "
            "`element_collection(sizes=...)` out"
        )
    return passage_collection(submissions, assessments, retrieved=retrieved)


def _check_results(submission: Submission, kind: str) -> None:
    """Refuse a run of the other kind than the assessments; single results that lack a place are refused later."""
    results = submission.results
    if results.empty:
        return
    elements = (results["path"] != "").to_numpy(dtype=bool) & (results["offset"] < 0).to_numpy(dtype=bool)
    wrong = elements if kind == "passages" else ~elements
    if wrong.all():
        row = results.iloc[int(np.argmax(wrong))]
        locations = "elements or points in the tree (paths)" if kind == "passages" else "passages (offset and length)"
        line = int(row["line"])
        message = f"run {submission.run!r} is one of {locations}, and {_HOLDS[kind]}"
        raise FileFormatError(message, path=submission.source or None, line=line if line > 0 else None)


def is_located_run(content: bytes) -> bool:
    """Whether the first line is that of a run with places in documents after the tag, which has no blank in it."""
    words = first_words(content)
    return len(words) in _LOCATED_RUN and is_run(words) and (b"[" in words[-1] or words[-1].isdigit())


def _refuse_located(content: bytes, path: str, *, judgments: str) -> None:
    """Refuse a run of INEX beside judgments of whole documents; a TREC reader would pass over its locations."""
    if root_name(content) or is_located_run(content):
        message = f"this is an INEX run, and {judgments} holds judgments of whole documents; give INEX assessments"
        raise FileFormatError(message, path=path)
