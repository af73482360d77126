"""What files of an evaluation hold, told as the readers of the other questions tell it, and how much of it."""

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from metaeval.agreement.items import columns_of_people
from metaeval.agreement.krippendorff import ENOUGH, alpha_of
from metaeval.agreement.labels import Labels, as_labels, of_judges
from metaeval.base.arrays import Flags
from metaeval.base.columns import (
    JUDGES,
    LABELS,
    PEOPLE,
    RANKINGS,
    are_judges,
    are_people,
    likely_person,
    of_people,
    underscored,
)
from metaeval.base.label_words import COMPARES_JUDGES, CONTRADICTIONS, CREDIT, grades_of, said_beside_people
from metaeval.base.metric_names import split_names
from metaeval.base.names import are_models, count, first_few, is_number, metric_evidence, topic_evidence
from metaeval.base.needs import NEEDS
from metaeval.base.notes import OfferedQuestions, PooledJudges
from metaeval.base.short_repr import ShortRepr
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError
from metaeval.inex.judged_files import is_located_run, read_judged
from metaeval.inex.judges import JudgeInput, read_judges
from metaeval.inex.reading import holds_assessments
from metaeval.inex.xml_events import ANYTHING, root_name
from metaeval.io.annotations import holds_annotations
from metaeval.io.any_sheets import any_sheet
from metaeval.io.benchmarks.contents import ZIP_MAGIC, Archive, Json, read_json, starts_json
from metaeval.io.benchmarks.formats import format_of
from metaeval.io.benchmarks.helm import with_run_files
from metaeval.io.benchmarks.inspect_ai import is_archived_log
from metaeval.io.benchmarks.rows import records_of_mappings
from metaeval.io.blocks import HALVES, PASSES, OtherTableError, SpeltError, SpreadlessError
from metaeval.io.by_values import ByValues, labels_by_values, scores_by_values, votes_by_values, way_to_label_items
from metaeval.io.files import base_name, first_words, is_tar, read_bytes
from metaeval.io.installed_formats import installed_format
from metaeval.io.items import read_items
from metaeval.io.joined_items import PROMPTED
from metaeval.io.judged_nuggets import holds_nuggets_of_judges
from metaeval.io.means import MeansAloneError
from metaeval.io.qrels import read_qrels
from metaeval.io.run_formats import run_of
from metaeval.io.score_blocks import BY_ROWS, WIDE
from metaeval.io.score_forms import is_judgment
from metaeval.io.sheets import Sheet
from metaeval.io.sources import Source, expanded, list_sources, read_source
from metaeval.io.tables import read_scores
from metaeval.io.trec_lines import is_run
from metaeval.io.votes import holds_votes, read_votes
from metaeval.questions.look.study_columns import OWN_LINES, ColumnRole, column_roles_of
from metaeval.table.array import REPEAT, gaps_in
from metaeval.table.label_roles import adjudicated
from metaeval.table.means import SystemMeans, as_means, is_board
from metaeval.table.no_answers import codes_among
from metaeval.table.roles import part_of_word, role_of_name
from metaeval.table.scores import Scores, are_apart, as_scores
from metaeval.table.vote_columns import vote_columns
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes, is_win_matrix

type Kind = Literal[
    "scores", "metrics", "means", "votes", "labels", "judged scores", "annotations", "nuggets",
    "runs", "judgments", "collection", "submissions", "assessments", "campaign", "several", "unknown",
]  # fmt: skip
type Found = Scores | SystemMeans | Votes | Labels | JudgedCollection | pd.DataFrame | None

_RUN_WORDS, _RANK, _MOST_GRADES, _TWO, _MOST_TYPED = 6, 3, 11, 2, 5
_ENOUGH_ITEMS = 30
"""Of a judge and people, below which nobody is asked whether he may replace them."""
_MOST_VOTERS = 20
"""How many voters of one file are compared as judges."""
_MOST_ALONE = 20
"""How many files that nothing reads together are told one by one."""
_NO_ITEMS = "one score a system under each metric; scores by item tell more"
_OF_PEOPLE = "with --people NAME,NAME metaeval judges tells whether the others may replace these people"
_OF_COVARIATES = (
    "{0} of both sides may matter: metaeval votes tests whether it does, and --covariates {0} adjusts for it"
)
_READ_SCORES = [name for name, need in NEEDS.items() if "scores" in need.get("of", ()) and need.get("gaps") != ""]
"""Questions that are told which columns hold what."""
_BY_SET = "--tasks accuracy,acc_eq"
"""What is asked of metrics and people by sets, such as language pairs: measures of systems and of items."""
_LANGUAGES = {
    ".py": "Python", ".ipynb": "a notebook", ".r": "R", ".rmd": "R", ".sh": "shell", ".jl": "Julia",
    ".js": "JavaScript", ".ts": "TypeScript", ".java": "Java", ".cpp": "C++", ".go": "Go", ".rs": "Rust", ".pl": "Perl",
}  # fmt: skip
_PROGRAM = "{}: this is a program (source code: {}), and nothing of an evaluation; look at the files that it writes"
_ROWS_OF_TABLE = 3
_BARE = frozenset({*RANKINGS["topic"], *RANKINGS["document"], *RANKINGS["level"], "corpus_id"})
"""Names of columns of judgments alone."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contents(ShortRepr):
    """What was given: its kind, what was read of it, and how much of everything there is."""

    kind: Kind
    files: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    """How many systems, items, metrics, judges, votes and so on."""
    named: Mapping[str, str] = field(default_factory=dict)
    """What commands name: files, runs, judgments, people."""
    columns: tuple[ColumnRole, ...] = ()
    """What every column plays, of the first file."""
    judges: tuple[str, ...] = ()
    """Who judged, where columns hold labels."""
    read: Found = None
    read_as: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    """What commands must be told beside the files, by command; others cannot be told it. Empty where nothing must."""
    by_values: Mapping[str, str] = field(default_factory=dict)
    """Part to column, where values say it and the name does not."""
    also: tuple[str, ...] = ()
    """Questions of another kind that they may answer."""
    notes: tuple[str, ...] = ()
    refusal: str = ""
    """Why it cannot be read as it is."""
    asked_of: str = ""
    """The command whose reader refuses, where that is not any of scores."""
    tool: str = ""
    """The benchmark whose results they are."""
    parts: "Mapping[str, Contents]" = field(default_factory=dict)
    """What files of several tools or kinds hold, by tool or kind."""

    @property
    def n_whole(self) -> int:
        """How many items have every score."""
        if not isinstance(self.read, Scores):
            return 0
        return int((~gaps_of(self.read).any(axis=(0, 1))).sum())


def gaps_of(scores: Scores) -> Flags:
    """Return which scores no repeat has, shape (metric, system, topic)."""
    absent = np.isnan(scores.to_numpy())
    return absent.all(axis=scores.dims.index(REPEAT)) if REPEAT in scores.dims else absent


class _TypedFile(NamedTuple):
    given: str
    """As it was named, or the folder that it lies in."""
    source: Source
    content: bytes
    kind: Kind
    tool: str = ""
    """Whose logs these are, where the content says it."""


def _are_ranked(content: bytes, _: str) -> bool:
    """Whether the first line is that of a run with a rank, and no line of a log, or of what its reader explains."""
    words = first_words(content)
    if len(words) == _RUN_WORDS and is_run(words):
        return words[_RANK].isdigit()
    return (len(words) == _RANK and all(map(bytes.isdigit, words))) or "rank" in _of_documents(content)


def _of_documents(content: bytes) -> set[str]:
    """Return the names in a first line, if they name topics and documents."""
    names = {
        underscored(name.decode(errors="replace").strip('" '))
        for name in re.split(rb"[,\t\r]", content.split(b"\n", 1)[0])
    }
    return names if names & {*RANKINGS["topic"]} and names & {*RANKINGS["document"], "corpus_id"} else set()


def _are_judged(content: bytes, _: str) -> bool:
    words = [word.decode(errors="replace") for word in first_words(content)]
    return is_judgment(words) or (bool(names := _of_documents(content)) and names <= _BARE)


def _tool_of(content: bytes, json: Json | None, label: str) -> str:
    if content.startswith(ZIP_MAGIC):
        return "inspect_ai" if is_archived_log(Archive(content, label)) else ""
    form = None if json is None else format_of(json)
    return "" if form is None else form.name


def _nested(json: Json | None) -> Kind | None:
    """Tell JSON of topics: of metrics, of documents with judgments, or with scores of a run; None for any other."""
    topics = {} if json is None else json.object
    if (
        not topics
        or topic_evidence(list(topics)) <= 0
        or not all(isinstance(of, dict) and of for of in topics.values())
    ):
        return None
    inner = list(dict.fromkeys(name for of_topic in topics.values() for name in of_topic))
    numbers = [number for of_topic in topics.values() for number in of_topic.values()]
    if not all(isinstance(number, int | float) for number in numbers):
        return None
    if metric_evidence(inner) > 1:
        return "scores"
    if json is None or records_of_mappings(json) is not None:
        return None
    return "judgments" if all(isinstance(number, int) for number in numbers) else "runs"


_OF_ASSESSMENTS = frozenset({"", ANYTHING, "assessments", "pool"})
"""Roots of XML that says what assessors found, or should find; none where lines do."""
_TOLD: Sequence[tuple[Kind, Callable[[bytes, str], bool]]] = (
    ("submissions", lambda content, _: root_name(content) == "inex-submission" or is_located_run(content)),
    ("assessments", lambda content, _: holds_assessments(content) and root_name(content) in _OF_ASSESSMENTS),
    ("votes", holds_votes),
    ("annotations", holds_annotations),
    ("nuggets", holds_nuggets_of_judges),
    ("judgments", _are_judged),
    ("runs", _are_ranked),
)
"""In the order in which they are told, after JSON by topic; what is none of them is a table of scores or of labels."""


def contents_of(given: Sequence[str]) -> Contents:
    """Tell what files hold, and read it."""
    paths = [str(path) for pattern in given for path in expanded(pattern)]
    list_sources(paths, nested=True)  # each is there, and given once
    files = [_told(text, source) for text in paths for source in with_run_files(list_sources(text, nested=True))]
    files, beside = _without_others(files)
    out = [file.source.path for file in beside]
    left_out = [f"left out what is nothing of this: {first_few(out)}"] if out else []
    if len(groups := _groups(files)) > 1:
        found = _several(groups)
    else:
        found = _of_one_kind(paths, files, beside)
        if found.kind == "unknown" and (apart := _one_by_one(files)) is not None:
            found = apart
    return replace(found, notes=(*left_out, *found.notes))


def _of_one_kind(given: Sequence[str], files: Sequence[_TypedFile], beside: Sequence[_TypedFile]) -> Contents:
    """Read files of one kind, or of kinds that are read together."""
    by_kind: dict[Kind, list[str]] = {}
    words: dict[Kind, list[str]] = {}
    for text in given:
        below = [file for file in files if file.given == text]
        is_mixed = len({file.kind for file in below}) > 1 or any(file.given == text for file in beside)
        shared = {kind: _shared_folders(kind, files, beside) for kind in {file.kind for file in below} if is_mixed}
        for file in below:
            folder = Path(file.source.path).parent
            is_whole = file.source.listed and folder not in shared.get(file.kind, ())
            apart = str(folder) if is_whole else file.source.path
            by_kind.setdefault(file.kind, []).append(file.source.path)
            words.setdefault(file.kind, []).append(apart if is_mixed and not file.tool else text)
    kind = next(iter(by_kind)) if len(by_kind) == 1 else _together({*by_kind})
    named = [*dict.fromkeys(words[kind])] if beside and kind in words else given
    try:
        together = {of: [*dict.fromkeys(texts)] for of, texts in words.items()}
        found = _READERS[kind](named, together if len(by_kind) > 1 else by_kind)
    except MetaevalError as error:
        found = Contents(
            kind=kind if kind in OWN_LINES else "unknown", refusal=str(error), asked_of=_ASKED_OF.get(kind, "")
        )
    if found.kind == "unknown" and len(files) == 1 and (refusal := _of_text(files[0])):
        return Contents(kind="unknown", files=(files[0].source.path,), refusal=refusal)
    if found.kind == "unknown" and (language := _language(files[0].source.path)):
        return Contents(
            kind="unknown", files=(files[0].source.path,), refusal=_PROGRAM.format(files[0].source.path, language)
        )
    parts = {part: _shell(words.get(of, ())) for part, of in _NAMED.get(kind, {}).items()}
    first = files[0]
    told = {column: (role, "by its values") for role, column in found.by_values.items()}
    shown_as = "votes" if found.asked_of == "votes" else found.kind
    columns = column_roles_of(shown_as, found.read, found.judges, first.content, first.source.path, told)
    paths = tuple(file.source.path for file in files)
    named_as = {"files": shlex.join(named), **parts, **found.named}
    if found.kind == "scores" and not found.sizes["people"] and (worded := _people_in_words(first)):
        found = replace(found, sizes={**found.sizes, "people": len(worded)})
        named_as["people"] = shlex.quote(worded[0])
    are_judged = first.tool and "people" in named_as and found.sizes.get("metrics", 0) > 1
    also = ("judges",) if are_judged else found.also
    return replace(found, files=paths, named=named_as, columns=tuple(columns), tool=first.tool, also=also)


def _of_text(file: _TypedFile) -> str:
    """Return what to do with a text of which a Markdown table is part; "" for anything else."""
    is_row = [line.startswith(b"|") for line in file.content.splitlines() if line.strip()]
    if all(is_row) or sum(is_row) < _ROWS_OF_TABLE:
        return ""
    return f"{file.source.path}: a table stands in a text; take the table alone (sed '/^|/!d')"


def _shared_folders(kind: Kind, files: Sequence[_TypedFile], beside: Sequence[_TypedFile]) -> set[Path]:
    """Return the folders that do not hold files of one kind alone, side by side."""
    elsewhere = [file for file in files if file.kind != kind] + [*beside]
    deeper = {folder for file in files for folder in Path(file.source.path).parent.parents}
    return deeper | {folder for file in elsewhere for folder in Path(file.source.path).parents}


def _without_others(files: Sequence[_TypedFile]) -> tuple[list[_TypedFile], list[_TypedFile]]:
    """Return files, and those of folders that are texts beside others, as a README is, or tables beside runs."""
    may_be_left = [file for file in files if file.kind == "scores" and file.source.listed and not file.tool]
    has_lines = bool({file.kind for file in files} & OWN_LINES)
    beside = [file for file in may_be_left if has_lines or _language(file.source.path) or _is_prose(file)]
    return ([file for file in files if file not in beside], beside) if len(beside) < len(files) else (list(files), [])


def _language(path: str) -> str:
    """Return the language of source code by the ending of its file, "" for anything else."""
    return _LANGUAGES.get(Path(path).suffix.casefold(), "")


def _is_prose(file: _TypedFile) -> bool:
    """Whether lines have no numbers of their own, and one cell each or now more, now fewer."""
    if starts_json(file.content) or is_tar(file.content) or file.content.startswith(ZIP_MAGIC):
        return False
    try:
        rows = [] if (sheet := any_sheet(file.content, file.source.path)) is None else sheet.sample()
    except MetaevalError:  # as of quotation marks in prose
        rows = [re.split(r"[,;\t]", line) for line in file.content.decode(errors="replace").splitlines()]
    sizes = {*map(len, rows)}
    return not any(is_number(cell) for row in rows for cell in row) and (len(sizes) > 1 or sizes == {1})


def _groups(files: Sequence[_TypedFile]) -> dict[str, list[_TypedFile]]:
    """Return files by tool or kind, where they are of several tools, or of kinds that no question takes together."""
    kinds, tools = {file.kind for file in files}, {file.tool for file in files if file.tool}
    if len(tools) <= 1 and (len(kinds) == 1 or _together(kinds) != "unknown"):
        return {}
    whole_of = {part: whole for whole, parts in _WHOLES.items() if parts <= kinds for part in parts}
    groups: dict[str, list[_TypedFile]] = {}
    for file in files:
        groups.setdefault(file.tool or whole_of.get(file.kind, file.kind), []).append(file)
    return groups


def _several(groups: Mapping[str, Sequence[_TypedFile]]) -> Contents:
    """Tell what every group of files is; those of folders that nothing reads together are told one by one."""
    parts: dict[str, Contents] = {}
    out: list[str] = []
    for name, files in groups.items():
        others = [file for group in groups.values() for file in group if group is not files]
        above = {folder for file in others for folder in _above(file)}
        found = contents_of([*dict.fromkeys(_shortest(file, above) for file in files)])
        if found.kind != "unknown" or name != "scores" or not all(file.source.listed for file in files):
            parts[name] = found
            continue
        alone = _told_alone(files)
        parts |= alone
        out += [file.source.path for file in files if not any(file.source.path in of.files for of in alone.values())]
    return _listed(parts, out)


def _one_by_one(files: Sequence[_TypedFile]) -> Contents | None:
    """Tell what each file of a folder is that nothing reads together; None where they are of one kind, or none."""
    if not 1 < len(files) <= _MOST_ALONE or not all(file.source.listed for file in files):
        return None
    parts = _told_alone(files)
    if len({(part.kind, part.asked_of) for part in parts.values()}) <= 1:
        return None
    return _listed(
        parts, [file.source.path for file in files if all(file.source.path not in of.files for of in parts.values())]
    )


def _told_alone(files: Sequence[_TypedFile]) -> dict[str, Contents]:
    """Tell what every file is by itself, by its kind and name; those that nothing can be done with are left out."""
    told = [(file, contents_of([file.source.path])) for file in files[:_MOST_ALONE]]
    return {
        f"{'not yet read' if of.kind == 'unknown' else of.kind}: {Path(file.source.path).name}": replace(
            of, files=(file.source.path,)
        )
        for file, of in told
        if of.kind != "unknown" or _may_be_read(file, of)
    }


def _may_be_read(file: _TypedFile, of: Contents) -> bool:
    """Return whether a file that nothing reads as it stands is read once it is unpacked, or with what is asked."""
    return bool(of.asked_of) or is_tar(file.content) or file.content.startswith(ZIP_MAGIC)


def _listed(parts: Mapping[str, Contents], out: Sequence[str]) -> Contents:
    paths = [path for part in parts.values() for path in part.files]
    notes = [f"left out what is nothing of this: {first_few(out)}"] if out else []
    if len(parts) == 1:
        (only,) = parts.values()
        return replace(only, notes=(*notes, *only.notes))
    return Contents(kind="several", files=tuple(paths), sizes={"files": len(paths)}, parts=parts, notes=tuple(notes))


def _above(file: _TypedFile) -> list[Path]:
    """Return the folders that a file lies in, from the one that was named."""
    return [folder for folder in Path(file.source.path).parents if folder.is_relative_to(file.given)]


def _shortest(file: _TypedFile, others: Collection[Path]) -> str:
    """Return the widest folder that a file lies in and others do not, or the file."""
    return str(next((folder for folder in reversed(_above(file)) if folder not in others), file.source.path))


def called(size: str) -> str:
    """Return what one of a size is called.

    Examples
    --------
    >>> called("systems"), called("people")
    ('system', 'column of human scores')
    """
    return "column of human scores" if size == "people" else size.removesuffix("s")


def contents_in_memory(data: object) -> Contents:
    """Tell what is in memory: votes, means, labels, or scores in any form that `as_scores` takes."""
    if isinstance(data, Votes):
        return _of_votes(data)
    if isinstance(data, SystemMeans):
        return _of_means(data)
    if isinstance(data, Labels):
        return _of_labels(data)
    columns = getattr(data, "columns", None)
    if is_win_matrix(data) or (columns is not None and vote_columns(list(columns)) is not None):
        return _of_votes(as_votes(data))
    return _of_means(as_means(data)) if is_board(data) else _scored_or_labelled(data)


def _scored_or_labelled(data: object) -> Contents:
    """Tell scores from labels: by how columns are called, or by what can be read."""
    columns = getattr(data, "columns", None)
    names = [] if columns is None else list(map(str, columns))
    called = [raters for raters in (names[1:], names[2:]) if len(raters) > 1 and are_judges(raters)]  # after the items
    labels = _labels_in_memory(data) if called else None
    try:
        return labels or _of_scores(as_scores(data, missing="pairwise", fewest=1))
    except MetaevalError:
        if (labels := _labels_in_memory(data)) is None:
            raise
        return labels


def _labels_in_memory(data: object) -> Contents | None:
    """Return what judges said, where data in memory are that; None for others."""
    try:
        labels = as_labels(data)
    except MetaevalError:
        return None
    return _of_labels(labels)


def _told(given: str, source: Source) -> _TypedFile:
    content = read_source(source, bytes)
    if installed_format(source.path) is not None:
        return _TypedFile(given, source, content, "scores")
    json = read_json(content, source.path) if starts_json(content) else None
    tool = _tool_of(content, json, source.path)
    if is_tar(content) or (content.startswith(ZIP_MAGIC) and not tool):
        return _TypedFile(given, source, content, "scores")  # which says what to do with it
    if not tool and (nested := _nested(json)) is not None:
        return _TypedFile(given, source, content, nested)
    kind: Kind = next((kind for kind, holds in _TOLD if holds(content, source.path)), "scores")
    if kind == "scores" and not tool and votes_by_values(content, source.path) is not None:
        kind = "votes"
    return _TypedFile(given, source, content, kind, tool)


def _together(kinds: set[Kind]) -> Kind:
    """Return what files of several kinds are together, "unknown" where nothing takes them together."""
    return next((whole for whole, parts in _WHOLES.items() if kinds == parts), "unknown")


_WHOLES: Mapping[Kind, set[Kind]] = {"collection": {"runs", "judgments"}, "campaign": {"submissions", "assessments"}}
"""What is read together, and of which kinds of files."""
_PERHAPS_SYSTEMS = "columns are taken for judges, people among them; if they are systems, metaeval table compares them"
_PERHAPS_RUNS = (
    "columns are taken for judges; if they are runs, whose answers were labelled, write a row a label (columns topic, "
    "system, nugget, label): metaeval table compares those"
)
_ASKED_OF: Mapping[Kind, str] = {"votes": "votes", "annotations": "judges", "nuggets": "judges"}
"""The command that reads files of a kind."""
_NAMED: Mapping[Kind, Mapping[str, Kind]] = {
    "collection": {"runs": "runs", "judgments": "judgments"},
    "campaign": {"runs": "submissions", "judgments": "assessments"},
}
"""What commands call the files of each kind that are read together."""


def _shell(paths: Sequence[str]) -> str:
    return shlex.join(dict.fromkeys(paths))


def _table(given: Sequence[str], _: Mapping[Kind, Sequence[str]]) -> Contents:
    """Read scores or means; where a table holds neither, what judges said."""
    if _holds_labels(given) and ((told := _judged(given, "")).kind != "unknown" or told.refusal):
        return (_other(given) if told.kind == "unknown" else None) or told
    try:
        return _or_labels(given, _of_scores(read_scores(given)))
    except MeansAloneError as alone:
        return _of_means(alone.board)
    except SpreadlessError as refusal:
        if (beside := _beside_people(given) or _people_by_set(given)) is not None:
            return beside
        metrics = {metric for scores in refusal.means.values() for metric in scores}
        sizes = {"systems": len(refusal.means), "metrics": len(metrics)}
        return Contents(kind="means", sizes=sizes if metrics else {}, refusal=str(refusal))
    except MetaevalError as refusal:
        return _unread(given, refusal)


def _unread(given: Sequence[str], refusal: MetaevalError) -> Contents:
    """Return what else a table is that holds no scores as it stands, or why it is not read."""
    unread = Contents(kind="unknown", refusal=str(refusal))
    if isinstance(refusal, OtherTableError):
        return unread
    readings = (_one_system, _with_gaps, _without_systems, _beside_people, _labels_by_values)
    spelt = unread if isinstance(refusal, SpeltError) else None
    told = next(filter(None, (read(given) for read in readings)), None) or spelt or _judged(given, str(refusal))
    return _scores_by_values(given) or _labels_alone(given) or told if told.kind == "unknown" else told


def _other(given: Sequence[str]) -> Contents | None:
    """Return what a table is that holds neither scores nor labels as it stands; None of others."""
    try:
        read_scores(given)
    except OtherTableError as refusal:
        return Contents(kind="unknown", refusal=str(refusal))
    except MetaevalError:
        return None
    return None


def _or_labels(given: Sequence[str], scores: Contents) -> Contents:
    """Return what judges said where columns are called so; scores that may be labels get the question of judges."""
    read = scores.read
    if not isinstance(read, Scores):
        return scores
    names = list(map(str, read["topic"].to_numpy()))
    are_turned = scores.read_as.startswith(WIDE) and metric_evidence(names) > 0 and any(map(of_people, names))
    if are_turned or scores.read_as.startswith(BY_ROWS):
        means = pd.DataFrame(read.isel(metric=0).to_pandas())
        sizes = {"systems": scores.sizes["systems"]}
        return (_refused_by_human(given, {}) if are_turned else _metrics(names, sizes, means)) or scores
    raters = list(map(str, read["metric" if read.sizes["metric"] > 1 else "system"].to_numpy()))
    values = np.unique(read.to_numpy()[~np.isnan(read.to_numpy())])
    are_labelled_in_part = read.sizes["metric"] > 1 and bool(scores.sizes["gaps"])
    is_like_labels = scores.read_as.startswith(WIDE) or are_labelled_in_part
    are_grades = is_like_labels and len(values) <= _MOST_GRADES and not (values % 1).any()
    may_be_judges = are_grades or (read.sizes["metric"] > 1 and are_judges(raters))
    if not may_be_judges or any(map(PROMPTED.match, raters)):  # as promptfoo names what it compares
        return scores
    try:
        judged = read_judges(given)
    except MetaevalError:
        called = [name for name in raters if are_judges([name])]
        by_values = _labels_by_values(given) if are_judges(raters) else None
        coded = replace(scores, also=("judges",) * bool(codes_among(read.to_numpy()).counts))  # which says what to do
        return by_values or (_labels_alone(given) if called else None) or coded
    rows_are_people = judged.labels is not None and {*judged.labels.columns} == {*names}
    settled = judged.labels is not None and bool(adjudicated(list(map(str, judged.labels.columns))))
    is_wide = judged.labels is not None and {*raters} <= {*judged.labels.columns}
    beside_people = is_wide and are_grades and (any(map(of_people, raters)) or _agree_as_people(judged.labels, raters))
    if are_judges(raters) or rows_are_people or settled or beside_people:
        told = _of_judges(judged)
        return replace(told, notes=(*told.notes, _PERHAPS_SYSTEMS)) if beside_people else told
    return replace(scores, also=("judges",)) if is_wide else scores


def _agree_as_people(labels: pd.DataFrame | None, raters: Sequence[str]) -> bool:
    """Whether columns called as people are, by one capitalised word, agree on several grades as systems seldom do."""
    if labels is None or not are_people(raters) or not all(name.isalpha() and name.istitle() for name in raters):
        return False
    judged = as_labels(labels)
    return len(judged.scale) > _TWO and alpha_of(judged, raters, fewest=_TWO) >= ENOUGH[0]


def _metrics(
    names: Sequence[str], sizes: Mapping[str, int], means: pd.DataFrame, notes: Sequence[str] = ()
) -> Contents | None:
    """Return what columns are of which some are called as metrics, others as what people said of systems; else None.

    `means`: a row a system.
    """
    people = columns_of_people(names)
    if not people or metric_evidence([name for name in names if name not in people]) <= 0:
        return None
    told = {**sizes, "metrics": len(names) - len(people), "people": len(people)}
    alone = () if "items" in sizes else (_NO_ITEMS,)
    shown = means[[people[0], *(name for name in names if name not in people)]]
    named = {"people": shlex.quote(people[0])}
    return Contents(kind="metrics", sizes=told, named=named, read=shown, notes=(*notes, *alone))


def _beside_people(given: Sequence[str]) -> Contents | None:
    """Return metrics and what people said of systems, alone or on items, as `metaeval human` joins tables of both."""
    try:
        frame = read_items(given)
    except MetaevalError:
        return None
    system, items = frame.attrs["system"], list(frame.attrs["items"])
    numbers = [str(name) for name in frame.select_dtypes("number") if name not in {system, *items}]
    sizes = {"systems": frame[system].nunique()}
    if items:
        sizes["items"] = len(frame[items].drop_duplicates())
    scored = [name for name in numbers if role_of_name(name)[0] != "n"]
    means = frame.dropna(subset=columns_of_people(scored)[:1]).groupby(system)[scored].mean()
    return _metrics(scored, sizes, means, frame.attrs["notes"])


def _people_by_set(given: Sequence[str]) -> Contents | None:
    """Return why `metaeval human` refuses metrics and what people said of systems in several sets; None for others."""
    sheet = _first_sheet(given)
    names = [] if sheet is None else sheet.sample()[0]
    people = columns_of_people(names)
    if not people or metric_evidence([name for name in names if name not in people]) <= 0:
        return None
    return _refused_by_human(given, {"human": f"--reference {shlex.quote(people[0])}"})


def _refused_by_human(given: Sequence[str], options: Mapping[str, str]) -> Contents | None:
    """Return why `metaeval human` does not read files; None where it does."""
    try:
        read_items(given)
    except MetaevalError as refusal:
        return Contents(kind="unknown", refusal=str(refusal), asked_of="human", options=options)
    return None


def _with_gaps(given: Sequence[str]) -> Contents | None:
    """Return scores or means that are refused for gaps alone, with what commands must be told; None for others."""
    try:
        scores = _or_labels(given, _of_scores(read_scores(given, missing="pairwise")))
    except MetaevalError:
        return _means_with_gaps(given)
    if scores.kind == "labels":
        return scores
    if isinstance(scores.read, Scores) and (~gaps_of(scores.read)).sum(axis=1).max() < _TWO:
        return _means_with_gaps(given)  # no item has scores of two
    if not scores.sizes["gaps"]:
        note = "cells are empty only in rows that are left out: with --missing pairwise commands read all others"
        return replace(scores, options=dict.fromkeys(NEEDS, "--missing pairwise"), notes=(note, *scores.notes))
    typed = shlex.join(given) if len(given) <= _MOST_TYPED else "FILES"
    apart = isinstance(scores.read, Scores) and are_apart(gaps_in(scores.read.to_numpy()))
    note = (
        f"{_gaps_told(scores)}: the commands compare pairs of systems where both have scores "
        "(pairwise), or leave out items with gaps (drop-topics) where a question needs whole ones; "
        + (
            "hardly any item has scores of two systems, so look whether the items are named by what the systems share"
            if apart
            else f"where judges labelled a part, metaeval judges {typed} compares them"
            if "judges" in scores.also
            else f"where a gap is a failure it counts 0 with metaeval look {typed} --missing zero"
        )
    )
    return replace(scores, options=dict.fromkeys(NEEDS, "--missing pairwise"), notes=(note, *scores.notes))


def _without_systems(given: Sequence[str]) -> Contents | None:
    """Return scores of the systems that all files have, where these name their metrics; None for others."""
    try:
        scores = read_scores(given, missing="drop-systems")
    except MetaevalError:
        return None
    called_as_files = {*map(base_name, scores.attrs["sources"])} & {*scores["metric"].to_numpy().tolist()}
    if called_as_files or scores.sizes["system"] < _TWO:  # which may be boards of several collections
        return None
    return replace(_of_scores(scores), options=dict.fromkeys(_READ_SCORES, "--missing drop-systems"))


def _gaps_told(scores: Contents) -> str:
    """Say how many gaps there are, and in which row where one alone has some, which may be none of an item."""
    told = count(scores.sizes["gaps"], "gap")
    if not isinstance(scores.read, Scores):
        return told
    names = scores.read["topic"].to_numpy()[gaps_of(scores.read).any(axis=(0, 1))].tolist()
    return (
        f"{told}, in {names[0]!r} alone, which is to be taken out if it sums up other rows" if len(names) == 1 else told
    )


def _means_with_gaps(given: Sequence[str]) -> Contents | None:
    try:
        read_scores(given, missing="drop-systems")
    except MeansAloneError as alone:
        return replace(_of_means(alone.board), options=dict.fromkeys(NEEDS, "--missing drop-systems"))
    except MetaevalError:
        return None
    return None


def _scores_by_values(given: Sequence[str]) -> Contents | None:
    if (told := _of_first(given, scores_by_values)) is None:
        return None
    whole = told.of_whole_items
    columns = {{"item": "topic"}.get(role, role): name for role, name in whole.columns.items()}
    try:
        scores = _of_scores(read_scores(given, columns=columns))
    except MetaevalError:
        return None
    of_people = {"human": f"{told.options} {_BY_SET}"} if told is not whole else {}
    options = dict.fromkeys(_READ_SCORES, whole.options) | of_people
    return replace(scores, options=options, by_values=told.columns)


def _labels_by_values(given: Sequence[str]) -> Contents | None:
    if (told := _of_first(given, labels_by_values)) is None:
        return None
    try:
        judged = read_judges(given, columns=told.columns)
    except InvalidOptionError:  # scores in words, which have a system
        return None
    except FileFormatError as error:  # labels of a judge who says something of an item twice, say
        options = {"judges": told.options}
        return Contents(kind="unknown", refusal=str(error), asked_of="judges", options=options)
    is_called = underscored(told.columns.get("judge", "")) in JUDGES
    if not is_called and _are_passes(judged.labels):
        return None
    return _by_values(_of_judges(judged), told, "judges")


def _labels_alone(given: Sequence[str]) -> Contents | None:
    way = _of_first(given, way_to_label_items) if len(given) == 1 else ""
    return Contents(kind="unknown", refusal=f"{_of_first(given, lambda _, path: path)}: {way}") if way else None


def _judged(given: Sequence[str], refusal: str) -> Contents:
    """Return what judges said, where it is that, and not passes of systems."""
    unread = Contents(kind="unknown", refusal=refusal)
    try:
        judged = read_judges(given)
        told = _of_judges(judged)
        is_board = told.kind == "judged scores" and told.sizes["items"] == 1 and not _names_judges(given)
        told = replace(told, notes=(*told.notes, _PERHAPS_RUNS)) if _are_of_nuggets(judged.labels) else told
        return unread if is_board or _are_passes(judged.labels) else told
    except MetaevalError as of_judges:
        are_several = refusal.endswith(COMPARES_JUDGES) or _names_judges(given)
        return replace(unread, refusal=str(of_judges), asked_of="judges") if are_several else unread


def _are_of_nuggets(labels: pd.DataFrame | None) -> bool:
    """Whether labels are words of support, in columns that nobody calls judges, so that these may be runs."""
    if labels is None or any(are_judges([str(name)]) for name in labels):
        return False
    words = {underscored(str(label)) for label in labels.to_numpy().ravel() if not pd.isna(label)}
    return words <= {*CREDIT, *CONTRADICTIONS} and any(CREDIT.get(word) for word in words)


def _of_first[Told](given: Sequence[str], tell: Callable[[bytes, str], Told]) -> Told:
    """Return what is told of the first file by its content and path."""
    source = next(source for text in given for source in list_sources([text], nested=True))
    return tell(read_source(source, bytes), source.path)


def _names_judges(given: Sequence[str]) -> bool:
    """Whether a column of the first file is called as one of judges is, beside none of systems, or beside labels."""
    sheet = _first_sheet(given)
    names = [] if sheet is None else sheet.sample()[0]
    of_systems = any(part_of_word(name) == "system" for name in names)
    are_judged = any(underscored(name) in JUDGES for name in names)
    return (are_judged and not of_systems) or _holds_labels(given)


def _holds_labels(given: Sequence[str]) -> bool:
    """Whether columns of the first file are called as who judged, what, and how, and none as scores are."""
    sheet = _first_sheet(given)
    names = [] if sheet is None or sheet.titles else sheet.sample()[0]  # below titles others may be called so
    words = {underscored(name) for name in names}
    is_scored = any(part_of_word(name) == "score" for name in names)
    return not is_scored and not any(words.isdisjoint(LABELS[part]) for part in ("judge", "item", "label"))


def _first_sheet(given: Sequence[str]) -> Sheet | None:
    """Return the table of the first file, None where it holds none."""
    try:
        return _of_first(given, any_sheet)
    except MetaevalError:
        return None


def _one_system(given: Sequence[str]) -> Contents | None:
    """Return what scores of one system are; None where it is anything else that is refused."""
    try:
        scores = read_scores(given, paired=None, missing="pairwise")
    except MetaevalError:
        return None
    if _beside_words(given, scores["system"].to_numpy().tolist()):
        return _judged(given, COMPARES_JUDGES)
    is_filled = 2 * int(np.isfinite(scores.to_numpy()).sum()) > scores.size  # else a row names one metric of one item
    are_several = scores.sizes["topic"] > 1 or _is_of_tool(given)  # of a log a single item is one too
    return _of_scores(scores) if is_filled and scores.sizes["system"] == 1 and are_several else None


def _beside_words(given: Sequence[str], systems: Sequence[str]) -> bool:
    """Whether what is taken for systems are people, beside a column that says the same in words of one scale."""
    sheet = _first_sheet(given)
    names, *rows = [[]] if sheet is None else sheet.sample()
    cells_of = dict(zip(names, zip(*rows, strict=False), strict=False))
    return any(said_beside_people(cells_of, name, systems) for name in cells_of)


def _is_of_tool(given: Sequence[str]) -> bool:
    """Whether the first file is a log of a tool that is known."""

    def tool_of(content: bytes, label: str) -> str:
        return _tool_of(content, read_json(content, label) if starts_json(content) else None, label)

    return bool(_of_first(given, tool_of))


def _are_passes(labels: pd.DataFrame | None) -> bool:
    """Whether labels are of systems: passed or failed (of known models also partly), or texts, few of them alike."""
    if labels is None or _are_of_judges(labels):
        return False
    cells = [str(label).casefold() for label in labels.to_numpy().ravel() if not pd.isna(label)]
    verdicts = PASSES | HALVES if are_models([*map(str, labels.columns)]) else PASSES
    return {*cells} <= verdicts or (2 * len({*cells}) > len(cells) and not any(map(is_number, cells)))


def _are_of_judges(labels: pd.DataFrame) -> bool:
    """Whether columns are called as judges (one beside systems), as what they settled on, or rows are of topics."""
    names = [str(name) for name in labels.columns]
    called = [name for name in names if are_judges([name])]
    beside_systems = bool(called) and ("system_part" in labels.attrs or "system_of" in labels.attrs)
    return len(called) > 1 or beside_systems or bool(adjudicated(names)) or labels.index.nlevels > 1


def _people_in_words(file: _TypedFile) -> list[str]:
    """Return the columns of people that hold words of one scale, which are no scores but graded beside them."""
    sheet = None if starts_json(file.content) else any_sheet(file.content, file.source.path)
    names, *rows = [[]] if sheet is None else sheet.sample()
    cells_of = zip(names, zip(*rows, strict=False), strict=False)
    return [
        name for name, cells in cells_of if columns_of_people([name]) and len(grades_of({*filter(None, cells)})) > 1
    ]


def _of_scores(scores: Scores) -> Contents:
    clusters = scores.coords.get("cluster")
    metrics = scores["metric"].to_numpy().tolist()
    called_as_file = metrics == [*map(base_name, scores.attrs.get("sources", ()))]  # which says nothing of a column
    people = [] if called_as_file and len(metrics) == 1 else columns_of_people(metrics)
    sizes = {
        "systems": scores.sizes["system"],
        "items": scores.sizes["topic"],
        "metrics": len(metrics),
        "gaps": int(gaps_of(scores).sum()),
        "clusters": 0 if clusters is None else len({*clusters.to_numpy().tolist()}),
        "people": len(people),
    }
    return Contents(
        kind="scores",
        sizes=sizes,
        named={"people": shlex.quote(people[0])} if people else {},
        files=tuple(scores.attrs.get("sources", ())),
        read=scores,
        read_as=str(scores.attrs.get("read_as", "")),
        notes=tuple(scores.attrs.get("notes", ())),
    )


def _of_means(board: SystemMeans) -> Contents:
    sizes = {"systems": len(board.systems), "metrics": len(board.metrics)}
    return Contents(kind="means", sizes=sizes, read=board, read_as=board.read_as, notes=board.notes)


def _votes(given: Sequence[str], by_kind: Mapping[Kind, Sequence[str]]) -> Contents:
    content = read_bytes(path := by_kind["votes"][0])
    told = None if holds_votes(content, path) else votes_by_values(content, path)
    if told is None:
        return _of_votes(read_votes(given))
    if told.is_open:
        raise FileFormatError(told.ways, path=path)
    commands = ["votes"] if told.words else ["votes", "stop"]
    return _by_values(_of_votes(read_votes(given, columns=told.columns, words=told.words)), told, *commands)


def _by_values(contents: Contents, told: ByValues, *commands: str) -> Contents:
    options = {name: " ".join(filter(None, (told.options, contents.options.get(name)))) for name in commands}
    return replace(contents, options=options, by_values=told.columns)


def _of_votes(votes: Votes) -> Contents:
    units = {f"{name}s": votes.n_units(name) for name in votes.units}
    sizes = {"systems": len(votes.systems), "votes": votes.n_votes, **units}
    notes = [*votes.notes, *map(_OF_COVARIATES.format, votes.unasked)]
    asked = next((note.column for note in votes.notes if isinstance(note, OfferedQuestions)), "")
    options = dict.fromkeys(("votes", "stop"), f"--question-column {shlex.quote(asked)}") if asked else {}
    judges = [name for name in votes.names.get("voter", ()) if name]
    are_compared = len(judges) <= _MOST_VOTERS and any(isinstance(note, PooledJudges) for note in votes.notes)
    return Contents(
        kind="votes",
        sizes=sizes,
        named={"people": shlex.quote(likely_person(judges))} if are_compared else {},
        read=votes,
        read_as=votes.read_as,
        options=options,
        also=("judges",) if are_compared else (),
        notes=tuple(notes),
    )


def _judges(given: Sequence[str], _: Mapping[Kind, Sequence[str]]) -> Contents:
    return _of_judges(read_judges(given))


def _annotations(given: Sequence[str], by_kind: Mapping[Kind, Sequence[str]]) -> Contents:
    """Read labels by annotators in JSON; those of one file may be scores of systems, if nobody is called a judge."""
    judged = read_judges(given)
    names = [name for frame in judged.annotations.values() for name in frame.columns]
    are_people = not {underscored(name).strip("_0123456789") for name in names}.isdisjoint({*JUDGES, *PEOPLE})
    are_known = any(frame.attrs.get("judges") for frame in judged.annotations.values())
    if are_people or are_known or len(by_kind["annotations"]) > 1:
        return _of_judges(judged)
    scores = _table(given, {})
    if not isinstance(scores.read, Scores):
        return _of_judges(judged) if scores.kind == "unknown" else scores
    grades = scores.read.to_numpy()[~np.isnan(scores.read.to_numpy())] % 1
    is_open = not grades.any() and {*names} == {*scores.read["system"].to_numpy().tolist()}
    return replace(scores, also=("judges",) if is_open else ())


def _nuggets(given: Sequence[str], by_kind: Mapping[Kind, Sequence[str]]) -> Contents:
    """Read labels of nuggets by several judges; those of one are scores."""
    try:
        return _judges(given, by_kind)
    except MetaevalError:
        return _table(given, by_kind)


def _of_judges(judged: JudgeInput) -> Contents:
    if judged.annotations:
        frames = judged.annotations.values()
        if len(frames) == 1:
            return _of_labels(as_labels(*frames), _OF_PEOPLE)
        names = {name for frame in frames for name in frame.columns}
        people = shlex.join(name for name in judged.annotations if of_people(name))
        sizes = {"judges": len(names), "items": max(map(len, frames))}
        enough = people and sizes["items"] >= _ENOUGH_ITEMS
        return Contents(kind="annotations", sizes=sizes, options={"judges": f"--people {people}"} if enough else {})
    if judged.scores:
        by_judge = next(iter(judged.scores.values()))
        scores = next(iter(by_judge.values()))
        kind: Kind = "judged scores" if judged.labels is None else "nuggets"
        items = {frozenset(of_judge["topic"].to_numpy().tolist()) for of_judge in by_judge.values()}
        sizes = {"judges": len(by_judge), "systems": scores.sizes["system"], "items": len(frozenset().union(*items))}
        # judges who saw other items are compared with one of them
        named = {"people": shlex.quote(likely_person(list(by_judge)))} if len(items) > 1 else {}
        return Contents(kind=kind, sizes={**sizes, "metrics": len(judged.scores)}, named=named)
    labels = judged.labels
    if labels is None:
        return Contents(kind="assessments", sizes={"judges": len(judged.assessments)})
    return _of_labels(as_labels(labels))


def _of_labels(labels: Labels, *notes: str) -> Contents:
    judged = of_judges(labels)
    sizes = {"judges": len(judged.judges), "items": len(judged.table)}
    people = [*filter(of_people, judged.judges)]
    named = {"people": shlex.quote(people[0])} if len(people) == 1 else {}
    notes = (*judged.notes, *notes)
    return Contents(kind="labels", sizes=sizes, named=named, judges=judged.judges, read=judged, notes=notes)


def _judgments(given: Sequence[str], by_kind: Mapping[Kind, Sequence[str]]) -> Contents:
    """Read judgments: of several files as what judges said; of one they wait for runs."""
    if len(by_kind["judgments"]) > 1:
        return _judges(given, by_kind)
    qrels = read_qrels(by_kind["judgments"][0])
    return Contents(kind="judgments", sizes={"items": len(qrels.topics), "judgments": len(qrels.levels)})


def _runs(_: Sequence[str], by_kind: Mapping[Kind, Sequence[str]]) -> Contents:
    """Read the lines of runs, which wait for their judgments."""
    topics = {topic for path in by_kind["runs"] for topic in run_of(read_bytes(path), path=path, ranked=False).topics}
    return Contents(kind="runs", sizes={"systems": len(by_kind["runs"]), "items": len(topics)})


def _collection(_: Sequence[str], by_kind: Mapping[Kind, Sequence[str]]) -> Contents:
    kind: Kind = "campaign" if "submissions" in by_kind else "collection"
    runs, judgments = (by_kind[_NAMED[kind][words]] for words in ("runs", "judgments"))
    if len(judgments) > 1:
        typed = _shell([*(runs if len(runs) < _MOST_TYPED else ["RUNS"]), judgments[0]])
        raise InvalidOptionError(
            f"there are judgments in {len(judgments)} places beside runs ({first_few(judgments)}); name one of them "
            f"with the runs, as in metaeval look {typed}"
        )
    collection = read_judged(runs, judgments[0]).collection
    from metaeval.metrics.scoring import default_metrics, note_on_grades  # noqa: PLC0415 - loads numba

    metrics = split_names(default_metrics(collection))
    sizes = {"systems": collection.n_systems, "items": collection.n_topics, "metrics": len(metrics)}
    return Contents(kind=kind, sizes=sizes, read=collection, notes=tuple(note_on_grades(collection, metrics)))


_READERS: Mapping[Kind, Callable[[Sequence[str], Mapping[Kind, Sequence[str]]], Contents]] = {
    "scores": _table,
    "votes": _votes,
    "annotations": _annotations,
    "nuggets": _nuggets,
    "judgments": _judgments,
    "runs": _runs,
    "collection": _collection,
    "submissions": lambda _, by_kind: Contents(kind="submissions", sizes={"systems": len(by_kind["submissions"])}),
    "assessments": lambda *_: Contents(kind="assessments"),
    "campaign": _collection,
}
