"""What several judges said, recognised by content: labels of items, INEX assessments, annotations in JSON, scores."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pandas as pd

from metaeval.agreement.labels import Labels
from metaeval.agreement.runs_under_judges import judgments_of_labels
from metaeval.base.names import count, first_few
from metaeval.base.number_words import GAP_WORDS
from metaeval.base.results import Result
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.collection.ranking import Order
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import Assessments
from metaeval.inex.file_rules import joined_assessments
from metaeval.inex.judged_files import inex_collection
from metaeval.inex.reading import (
    assessment_sources,
    holds_assessments,
    parsed_assessments,
    read_element_sizes,
    submissions_from,
    warn_of,
)
from metaeval.io.annotations import annotations_of, holds_annotations
from metaeval.io.any_sheets import any_sheet
from metaeval.io.benchmarks.contents import starts_json
from metaeval.io.duplicates import Duplicates
from metaeval.io.files import entries_of, first_words
from metaeval.io.judge_scores import holds_scores, labels_of_one_system, scores_of_judges
from metaeval.io.judged_nuggets import holds_nuggets_of_judges, judged_nuggets
from metaeval.io.labels import Words, hold_a_judge_each, labels_of
from metaeval.io.sources import (
    RunPaths,
    Source,
    list_sources,
    listed_paths,
    named_apart,
    named_source,
    read_source,
    run_sources,
)
from metaeval.io.trec import ScorePrecision, read_collection
from metaeval.io.trec_lines import is_run
from metaeval.io.votes import refuse_votes
from metaeval.table.scores import Missing, Scores

_YES_AND_NO = {"0", "1", "0.0", "1.0"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeInput(Result):
    """Input from several judges, as read by `read_judges`."""

    labels: pd.DataFrame | None = None
    """Of whole items, as `metaeval.read_labels` returns them; of nuggets beside `scores`."""
    assessments: dict[str, Assessments] = field(default_factory=dict)
    """Of elements or passages, by judge; empty for anything else."""
    scores: dict[str, dict[str, Scores]] = field(default_factory=dict)
    """Metric to judge to scores of the same systems on the judge's own topics, which `metaeval.study_judges` takes as
    ``scores=``; empty for anything else."""
    annotations: dict[str, pd.DataFrame] = field(default_factory=dict)
    """Labels by annotators, text or numbers, by the file they stand in, as `metaeval.read_annotations` returns them;
    empty for anything else."""
    files: tuple[str, ...] = ()
    """Every file that was read."""
    of_metrics: bool = False
    """Whether labels were read as scores, whose metrics are the judges."""

    @property
    def kind(self) -> str:
        """Return what was read: "labels", "nuggets", "scores", "annotations" or "assessments"."""
        if self.labels is not None:
            return "nuggets" if self.scores else "labels"
        return "scores" if self.scores else "annotations" if self.annotations else "assessments"

    def _found(self) -> str:
        return f"{self.kind} from {count(len(self.files), 'file')}: {first_few(self.files)}"

    def people_and_judges(self, people: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the annotations by people, who are named one by one or by their file or its path, and by judges.

        Raises
        ------
        UnknownNameError
            If nobody, and no file, is called so.
        InvalidOptionError
            If there are no people, or nobody else.
        """
        table = pd.concat(self.annotations.values(), axis=1)
        called = {
            file: {file, path, Path(path).name, f"{file}={path}"}
            for file, path in zip(self.annotations, map(str, self.files), strict=True)
        }
        names = [*self.annotations, *table.columns]
        for name in people:
            if name not in set(names).union(*called.values()):
                raise UnknownNameError("annotator, or file of annotators", name, names)
        are_people = [
            bool((called[file] | {annotator}) & {*people})
            for file, annotations in self.annotations.items()
            for annotator in annotations.columns
        ]
        if all(are_people) or not any(are_people):
            whom = "nobody else is left" if any(are_people) else "nobody is called one"
            raise InvalidOptionError(
                f"the alt-test compares judges with people, and {whom}; name the people with `people`, one by one or "
                f"by their file: {', '.join(self.annotations)}"
            )
        return table.loc[:, are_people], table.loc[:, [not is_person for is_person in are_people]]


def read_judges(  # noqa: PLR0913 - what is read, and how
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None = None,
    words: Words | None = None,
    where: Mapping[str, str] | None = None,
    lenient: bool = False,
    repeats: bool = False,
    metrics: Sequence[str] | None = None,
    reference: str | None = None,
    missing: Missing = "error",
    duplicates: Duplicates = "error",
    credit: Mapping[str, float] | None = None,
    labels_only: bool = False,
) -> JudgeInput:
    r"""Read labels, INEX assessments, annotations, or scores of systems of several judges.

    Parameters
    ----------
    paths : path, or sequence of path
        As for `metaeval.read_labels`; or INEX assessments, a file or a folder a judge, who is called as in
        ``NAME=PATH`` or as the file or folder. A single folder of them holds two judges, "main" and "others", if
        there are second judgments in it (in folders called ``others``). Or scores: one long table with a column of
        judges beside those of system, topic and score; one file a judge, in any form that `metaeval.read_scores` tells
        by itself; or one file whose metrics are the judges. Or JSON files of annotators, say one of people and one of
        machines (`metaeval.read_annotations`).
    columns, words, where
        For a table of labels; see `metaeval.read_labels`. Of scores under judges `columns` names the "judge", "system",
        "topic", "metric" or "score", and `where` rows to keep. Of tasks of Label Studio that ask several things
        ``{"label": NAME}`` says which.
    lenient : bool, default False
        For INEX assessments; see `metaeval.inex.read_assessments`.
    repeats : bool, default False
        For labels; see `metaeval.read_labels`.
    metrics : sequence of str, optional
        Of scores, metrics to keep, in this order.
    reference : str, optional
        Labels of 0 and 1 of answers by system are taken as such, not for scores, where this judge labelled a part of
        them: then scores of systems can be corrected. Of scores, the judge whose every metric stands beside those of
        the others where files share no metric: a judge of several metrics is then one a metric, called
        ``NAME:METRIC``.
    missing : {"error", "zero", "drop-systems", "drop-topics"}
        Of scores, what to do where a system has none on a topic of a judge, or a judge lacks a system.
    duplicates : {"error", "first", "mean"}
        Of labels and scores, what to do where a judge gives several of one thing; see `metaeval.read_labels`.
    credit : mapping of str to float, optional
        What labels of nuggets count; see `metaeval.read_scores`.
    labels_only : bool, default False
        Take a table for labels that could be scores of systems as well: 0 and 1 of answers by system.

    Returns
    -------
    JudgeInput
        ``labels`` or ``assessments`` or ``scores`` or ``annotations``, as the files hold them; the others are None or
        empty.

    Raises
    ------
    FileFormatError
        If a file is malformed, or they hold different kinds of things.
    InvalidOptionError
        If nothing or one judge is given, two have one name, or an option belongs to another kind of file.
    ScoresError
        If scores have gaps, judges score different systems or share no metric.

    See Also
    --------
    metaeval.questions.judges.study.study_judges

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, passage in (("ann", "100:200"), ("ben", "150:200")):
    ...     _ = (folder / name).write_text(f"T1 Q0 d1 200 1000 100 {passage}\nT1 Q0 d3 0 800\n")
    >>> found = read_judges([folder / "ann", folder / "ben"])
    >>> found.labels is None, {name: one.scale for name, one in found.assessments.items()}
    (True, {'ann': 'passages', 'ben': 'passages'})

    Scores, where the judge has a topic more:

    >>> rows = ["ann,a,1,0.5", "ann,b,1,0.25", "bot,a,1,0.5", "bot,b,1,0.5", "bot,a,2,1", "bot,b,2,0"]
    >>> _ = (folder / "scores.csv").write_text("\n".join(["judge,run,topic,value", *rows]))
    >>> {name: one.sizes["topic"] for name, one in read_judges(folder / "scores.csv").scores["score"].items()}
    {'ann': 1, 'bot': 2}
    """
    listed = [str(path) for path in listed_paths(paths, "paths")]
    places = [named_source(text) for text in listed]
    folders = [Path(judge_source.path).is_dir() for judge_source in places]
    if not all(folders) or not listed:  # every file is there, and given once
        list_sources([text for text, folder in zip(listed, folders, strict=True) if not folder])
    files = [
        assessment_sources(judge_source.path)[0] if folder else judge_source
        for judge_source, folder in zip(places, folders, strict=True)
    ]
    read = {file.path: read_source(file, partial(_told_apart, path=file.path, lenient=lenient)) for file in files}
    label_paths = [path for path, content in read.items() if isinstance(content, bytes)]
    if not label_paths:
        if columns or words or where or credit:
            message = "`columns`, `words`, `where` and `credit` are for a table of labels, and these are INEX"
            raise InvalidOptionError(message)
        return _inex(places, read, lenient=lenient)
    if len(label_paths) < len(read):
        inex_path = next(path for path in read if path not in label_paths)
        message = f"this holds labels of whole items, and {inex_path} INEX assessments; give judges of one kind"
        raise FileFormatError(message, path=label_paths[0])
    inside = [entries_of(Path(place.path)) for place, folder in zip(places, folders, strict=True) if folder]
    nested = not any(entry.is_file() for entries in inside for entry in entries)
    contents = [(source, _content(source, read)) for source in list_sources(listed, nested=nested)]
    _refuse_others(contents, votes=not columns)
    paths_read = tuple(source.path for source, _ in contents)
    kind = _kind_of_all(contents, columns or {})
    partly = kind == "scores" and missing == "error" and _labelled_a_part(contents, columns or {}, reference)
    is_label = labels_only or partly or (not columns and hold_a_judge_each(contents))
    kind = "labels" if is_label and kind == "scores" else kind
    rows = bool(where) or bool(columns and kind != "annotations")
    _check_options(kind, rows=rows, labels=bool(words or repeats), credit=bool(credit))
    if kind == "labels of nuggets":
        nuggets = judged_nuggets(contents, metrics=metrics, missing=missing, duplicates=duplicates, credit=credit)
        return JudgeInput(**nuggets._asdict(), files=paths_read)
    if kind == "annotations":
        return JudgeInput(annotations=_annotations(contents, columns), files=paths_read)
    columns, where = columns or {}, where or {}
    if kind == "scores":
        scores = scores_of_judges(
            contents,
            columns=columns,
            where=where,
            metrics=metrics,
            reference=reference,
            missing=missing,
            duplicates=duplicates,
        )
        of_one = labels_of_one_system(scores)
        judged = {"scores": scores} if of_one is None else {"labels": of_one, "of_metrics": True}
        return JudgeInput(**judged, files=paths_read)
    labels = labels_of(
        contents,
        columns=columns,
        words=words or {},
        where=where,
        repeats=repeats,
        duplicates=duplicates,
        reference=reference,
    )
    return JudgeInput(labels=labels, files=paths_read)


def _check_options(kind: str, *, rows: bool, labels: bool, credit: bool) -> None:
    """Refuse options about files of another kind."""
    if kind in {"annotations", "labels of nuggets"} and (rows or labels):
        kind_words = "annotations in JSON" if kind == "annotations" else kind
        message = f"`columns`, `words`, `where` and `repeats` are for tables and qrels, and these are {kind_words}"
        raise InvalidOptionError(message)
    if kind == "scores" and labels:
        raise InvalidOptionError("`words` and `repeats` are for labels, and these are scores of systems")
    if kind != "labels of nuggets" and credit:
        message = f"`credit` is for labels of nuggets (topic, system, nugget, label), and these are {kind}"
        raise InvalidOptionError(message)


def _refuse_others(contents: Sequence[tuple[Source, bytes]], *, votes: bool) -> None:
    for source, content in contents:
        if votes:
            refuse_votes(content, source.path)
        if not starts_json(content) and is_run(first_words(content)):
            message = "this is a run, and a judge is a file of judgments; give runs as what is to be scored with them "
            raise FileFormatError(f"{message}(`collection`)", path=source.path)


def _kind_of_all(contents: Sequence[tuple[Source, bytes]], columns: Mapping[str, str]) -> str:
    """Return what the files hold; files of two kinds are refused."""
    kinds = [_kind(content, source.path, columns, alone=len(contents) == 1) for source, content in contents]
    if len(set(kinds)) > 1:
        index = next(number for number, kind in enumerate(kinds) if kind != kinds[0])
        message = f"this holds {kinds[0]}, and {contents[index][0].path} {kinds[index]}; give judges of one kind"
        raise FileFormatError(message, path=contents[0][0].path)
    return kinds[0]


def _labelled_a_part(
    contents: Sequence[tuple[Source, bytes]], columns: Mapping[str, str], reference: str | None
) -> bool:
    """Say whether 0 and 1 of one table are labels: the reference's column is empty in some of its rows.

    Without a reference whether two columns at least hold these alone, and one of them is empty in some rows.
    """
    if columns or len(contents) > 1:
        return False
    (source, content), *_ = contents
    sheet = any_sheet(content, source.path)
    names = [] if sheet is None else [name.strip() for name in sheet.sample()[0]]
    if sheet is None or (reference is not None and names.count(reference) != 1):
        return False
    columns_of = [{cell.strip() for cell in column} for column in zip(*sheet.without_header().rows(), strict=False)]
    gaps_of = [{text for text in cells if text.casefold() in GAP_WORDS} for cells in columns_of]
    labelled = [cells - gaps <= _YES_AND_NO and cells > gaps for cells, gaps in zip(columns_of, gaps_of, strict=True)]
    if reference is not None:
        at = names.index(reference)
        return at < len(labelled) and bool(gaps_of[at]) and labelled[at]
    has_gaps = any(gaps and has_labels for gaps, has_labels in zip(gaps_of, labelled, strict=True))
    return has_gaps and sum(labelled) > 1


def _kind(content: bytes, label: str, columns: Mapping[str, str], *, alone: bool) -> str:
    if holds_annotations(content, label):
        return "annotations"
    if not columns and holds_nuggets_of_judges(content, label):
        return "labels of nuggets"
    return "scores" if holds_scores(content, label, columns, alone=alone) else "labels"


def _annotations(
    contents: Sequence[tuple[Source, bytes]], columns: Mapping[str, str] | None
) -> dict[str, pd.DataFrame]:
    """Return the labels by annotators of every file; one who is in two of them is refused."""
    by_file: dict[str, pd.DataFrame] = {}
    for source, content in contents:
        frame = annotations_of(content, source.path, columns)
        twice = [name for name in frame.columns for earlier in by_file.values() if name in earlier.columns]
        if source.own_name in by_file or twice:
            reason = f"annotator {twice[0]!r} is in another file too" if twice else "another file has the same name"
            alike = [candidate.path for candidate, _ in contents if candidate.own_name == source.own_name]
            ways = f", or name what they hold: {' '.join(named_apart(alike))}" if len(alike) > 1 else ""
            raise FileFormatError(f"{reason}; rename one of them{ways}", path=source.path)
        by_file[source.own_name] = frame
    return by_file


def _told_apart(content: bytes, *, path: str, lenient: bool) -> Assessments | bytes:
    return parsed_assessments(content, path=path, lenient=lenient) if holds_assessments(content) else content


def _content(source: Source, read: Mapping[str, Assessments | bytes]) -> bytes:
    content = read.get(source.path)
    return content if isinstance(content, bytes) else read_source(source, bytes)


def _inex(places: Sequence[Source], read: Mapping[str, Assessments | bytes], *, lenient: bool) -> JudgeInput:
    """Read the other files of every judge, and put each one's together."""
    if len(places) == 1:
        folder = places[0].path
        if not Path(folder).is_dir():
            raise InvalidOptionError(f"{folder} holds the assessments of one judge; give those of another beside it")
        try:
            sources = {"main": assessment_sources(folder), "others": assessment_sources(folder, second=True)}
        except FileFormatError as error:
            error.add_note("or give the assessments of another judge beside it")
            raise
    else:
        sources = {}
        for judge_source in places:
            if judge_source.own_name in sources:
                raise InvalidOptionError(f"two judges are called {judge_source.own_name!r}; name them with NAME=PATH")
            sources[judge_source.own_name] = assessment_sources(judge_source.path)
    assessments: dict[str, Assessments] = {}
    for name, of_judge in sources.items():
        parts = []
        for source in of_judge:
            content = read.get(source.path)
            parse = partial(parsed_assessments, path=source.path, lenient=lenient)
            parts.append(content if isinstance(content, Assessments) else read_source(source, parse))
        assessments[name] = joined_assessments(
            parts, of_judge[0].path if len(of_judge) == 1 else f"{len(of_judge)} files of {name}"
        )
        warn_of(assessments[name].notes)
    files = tuple(source.path for of_judge in sources.values() for source in of_judge)
    return JudgeInput(assessments=assessments, files=files)


def runs_beside_judges(  # noqa: PLR0913 - what either kind of run needs
    judged: Labels | Mapping[str, Assessments],
    runs: RunPaths,
    *,
    order: Order = "score",
    score_precision: ScorePrecision = "float64",
    sizes: str | os.PathLike[str] | None = None,
    lenient: bool = False,
) -> tuple[Collection | dict[str, JudgedCollection], tuple[str, ...]]:
    """Return runs compiled with what judges labelled, or with the assessments of each, and the files that were read."""
    sources = run_sources(runs)
    files = tuple(source.path for source in sources)
    if isinstance(judged, Labels):
        judgments = judgments_of_labels(judged)
        return read_collection(runs, judgments, order=order, score_precision=score_precision), files
    submissions = submissions_from(sources, lenient=lenient)
    table = None if sizes is None else read_element_sizes(sizes, lenient=lenient)
    collections: dict[str, JudgedCollection] = {
        name: inex_collection(submissions, of_judge, sizes=table, lenient=lenient) for name, of_judge in judged.items()
    }
    return collections, files if sizes is None else (*files, str(sizes))
