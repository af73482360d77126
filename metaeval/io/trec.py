"""Runs and qrels in the text formats of TREC."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.names import natural_order
from metaeval.collection.assembly import assemble_collection, warn_of_ties
from metaeval.collection.base import Retrieved
from metaeval.collection.document_codes import JudgedDocuments, Judgments, OtherDocuments, hash_documents
from metaeval.collection.documents import Collection
from metaeval.collection.rank_column import Doubt, doubt_of_ranks, warn_of_doubts
from metaeval.collection.ranking import Lines, Order, RankedRun, RankingProblem, ordered_lists, rank_documents
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.duplicates import Duplicates
from metaeval.io.files import note_of_blanks
from metaeval.io.qrels import SubtopicRule, read_qrels
from metaeval.io.run_formats import run_of
from metaeval.io.sources import RunPaths, Source, read_source, refuse_shared_pipe, run_sources, system_names
from metaeval.io.trec_lines import Scan
from metaeval.running.parallel import threaded_map, track
from metaeval.table.scores import Missing

ScorePrecision = Literal["float64", "float32"]

_LISTS, _LOOKED_AT = 3, 100
"""Lists, and lines of each, whose ranks are compared with their scores."""


def read_collection(  # noqa: PLR0913 - one keyword per rule of reading
    runs: RunPaths,
    qrels: str | os.PathLike[str] | Judgments,
    *,
    retrieved: Retrieved = "judged",
    order: Order = "score",
    score_precision: ScorePrecision = "float64",
    missing: Missing = "zero",
    duplicates: Duplicates = "error",
    subtopics: SubtopicRule | None = None,
    groups: Mapping[str, str] | pd.Series | None = None,
    pooled: Mapping[str, bool] | pd.Series | Iterable[str] | None = None,
    split_tags: bool = False,
    pool_runs: RunPaths = (),
    n_jobs: int = -1,
) -> Collection:
    r"""Read runs and judgments and compile them.

    Parameters
    ----------
    runs : path, or sequence of paths
        Files in TREC format (topic Q0 document rank score tag), or in JSON, ``{query: {document: score}}`` or records
        of query_id, doc_id and score, which are called as their file; ``NAME=path``, folders (every file inside is a
        run; hidden files and subfolders are passed over), patterns such as ``runs/bm25*.gz``, or "-" for standard
        input; or a mapping of system name to path. Files packed with gzip, bzip2, xz or zstandard are unpacked.
    qrels : path or Judgments
        Judgments in TREC format (topic iteration document relevance), the like in JSON, or "-"; or judgments that are
        there already.
    retrieved : {"judged", "all"}
        Retrieved only the judged documents of every list, which is all a measure needs, or every retrieved document too
        (`Collection.retrieved`), which pools need.
    order : {"score", "ties-ascending", "rank", "input"}
        How a list is ordered: by score, descending, equal scores by document identifier, descending byte by byte,
        which is trec_eval's rule, or ascending, which is that of the program for `Compat`; by the rank column,
        ascending; or as the lines stand.
    score_precision : {"float64", "float32"}
        Precision in which scores are compared. trec_eval up to 9 and pytrec_eval compare 32-bit floats.
    missing : {"zero", "error", "drop-systems", "drop-topics"}
        What to do where a run lacks a topic that has something relevant; see `Collection.handle_missing`.
    duplicates : {"error", "first", "mean"}
        What to do where a document is judged several times on a topic; see `metaeval.io.qrels.read_qrels`.
    subtopics : {"keep", "collapse"}, optional
        Whether judgments by subtopic are kept as such; see `metaeval.io.qrels.read_qrels`.
    groups, pooled : optional
        Group of every system, and which runs built the pool; see `Collection.with_groups`.
    split_tags : bool
        Take a file that holds several tags for several runs; otherwise it is refused.
    pool_runs : path, or sequence of paths
        Runs that built the pool and are not scored (`Collection.pool_runs`); those with the name of a scored run are
        passed over.
    n_jobs : int, default -1
        Files read at the same time; -1 for one per core. The answer does not depend on it.

    Returns
    -------
    Collection
        Systems in the order of the files, named by their tag, or by their file where two files share a tag, unless
        ``NAME=`` says otherwise. `notes` says what was ignored or renamed.

    Raises
    ------
    FileFormatError
        For a malformed line, a score that is no finite number, a document twice in one topic, several tags in one
        file, an empty file: naming file, line number and line. Also if runs and qrels have no topic in common.
    InvalidOptionError
        If an option is outside its rule, or there is no file.

    Warns
    -----
    CollectionWarning
        Once, if more than a tenth of the documents of some run share their score with another in the same list: the
        order of those is decided by their identifiers alone. Also where scores rise from the first rank on, or ranks
        are no whole numbers (in the first lists of a file), so that lists may be read the wrong way round.

    See Also
    --------
    metaeval.io.trec.read_runs
    metaeval.io.qrels.read_qrels
    metaeval.metrics.scoring.score

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as name:
    ...     folder = pathlib.Path(name)
    ...     _ = (folder / "qrels.txt").write_text("1 0 d1 2\n1 0 d2 0\n")
    ...     _ = (folder / "bm25.run").write_text("1 Q0 d9 1 3.5 bm25\n1 Q0 d1 2 2.5 bm25\n")
    ...     collection = read_collection(folder / "bm25.run", folder / "qrels.txt")
    >>> collection.systems, collection.ranks.tolist(), collection.n_retrieved.tolist()
    (('bm25',), [2], [[2]])
    """
    check_choice(retrieved, "choice for retrieved", get_args(Retrieved))
    check_choice(missing, "rule for missing topics", get_args(Missing))
    rules = Rules.checked(order=order, score_precision=score_precision, split_tags=split_tags)
    sources = run_sources(runs)
    if isinstance(qrels, Judgments):
        judgments, label = qrels, None
    else:
        refuse_shared_pipe(sources, qrels)
        judgments, label = read_qrels(qrels, duplicates=duplicates, subtopics=subtopics), str(qrels)
    others = run_sources(pool_runs) if pool_runs else []
    collection = collection_of(
        sources, judgments, rules, label=label, retrieved=retrieved, pool_sources=others, n_jobs=n_jobs
    )
    warn_of_ties(collection, order)
    return collection.with_groups(groups, pooled=pooled).handle_missing(missing)


def collection_of(  # noqa: PLR0913 - what reading depends on
    sources: Sequence[Source],
    judgments: Judgments,
    rules: "Rules",
    *,
    label: str | None,
    retrieved: Retrieved = "judged",
    pool_sources: Sequence[Source] = (),
    n_jobs: int = -1,
    check: Callable[[bytes, str], None] | None = None,
) -> Collection:
    """Read the runs in `sources` and compile them with judgments that were read already."""
    table, others = JudgedDocuments.of(judgments), OtherDocuments()

    def rank(source: Source) -> list[_NamedRun]:
        parts = _read_run(source, rules, judgments.topics, check)
        return [_ranked(run_part, table, len(judgments.topics), rules.order, retrieved=retrieved) for run_part in parts]

    named_runs: list[_NamedRun] = []
    every = [*sources, *pool_sources]
    scored: set[str] = set()
    n_scored = n_double = 0
    for index, parts in enumerate(
        track(threaded_map(rank, every, n_jobs=n_jobs), description="reading runs", total=len(every))
    ):
        called = [run_part.source.name or run_part.tag for run_part in parts]
        if index < len(sources):
            scored.update(called)
            n_scored += len(parts)
        new = [index < len(sources) or name not in scored for name in called]
        n_double += new.count(False)
        n_judgments = len(judgments.levels)
        named_runs += [
            run_part._replace(run=run_part.run.completed(others, n_judgments)) for run_part in compress(parts, new)
        ]
    names, notes = system_names([(run_part.tag, run_part.source) for run_part in named_runs])
    notes += double_note(n_double)
    warn_of_doubts({name: run_part.doubt for name, run_part in zip(names, named_runs, strict=True)})
    try:
        return assemble_collection(
            judgments,
            {name: run_part.run for name, run_part in zip(names, named_runs, strict=True)},
            {topic for run_part in named_runs for topic in run_part.topics},
            n_codes=len(judgments.levels) + others.n_codes,
            notes=(*notes, *(run_part.note for run_part in named_runs if run_part.note)),
        ).set_aside(names[n_scored:])
    except InvalidOptionError as error:
        raise FileFormatError(str(error), path=label) from None


def double_note(n_double: int) -> list[str]:
    """Say how many runs of the pool bear the name of a scored one, and so count once."""
    return [f"{n_double} of the pool's runs bear the name of a scored run, and count once, as that"] if n_double else []


def read_runs(
    runs: RunPaths, *, order: Order = "score", score_precision: ScorePrecision = "float64", split_tags: bool = False
) -> dict[str, pd.DataFrame]:
    r"""Read runs as tables, with every list in order.

    Parameters
    ----------
    runs, order, score_precision, split_tags
        See `read_collection`.

    Returns
    -------
    dict of str to pandas.DataFrame
        For each system a table with the columns ``query_id``, ``doc_id``, ``rank`` (from 1, in the order asked for)
        and ``score`` (as the file has it), topics in natural order.

    Raises
    ------
    FileFormatError, InvalidOptionError
        As `read_collection`.

    See Also
    --------
    metaeval.io.qrels.read_qrels
    metaeval.io.trec.read_collection

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("1 Q0 d1 1 2.5 bm25\n1 Q0 d9 2 3.5 bm25\n")
    >>> read_runs(file)["bm25"]["doc_id"].tolist()
    ['d9', 'd1']
    """
    rules = Rules.checked(order=order, score_precision=score_precision, split_tags=split_tags)
    sources = track(run_sources(runs), description="reading runs")
    parts = [run_part for source in sources for run_part in _read_run(source, rules, ())]
    names, _ = system_names([(run_part.tag, run_part.source) for run_part in parts])
    warn_of_doubts({name: run_part.doubt for name, run_part in zip(names, parts, strict=True)})
    return {name: _run_table(run_part, order) for name, run_part in zip(names, parts, strict=True)}


def as_precision(scores: NDArray[np.float64], precision: ScorePrecision) -> NDArray[np.float64]:
    """Return scores as they compare in a precision; what 32 bits cannot hold becomes infinite, as in trec_eval."""
    if precision == "float64":
        return scores
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32).astype(np.float64)


class Rules(NamedTuple):
    """How runs are read; see `read_collection`."""

    order: Order
    score_precision: ScorePrecision
    split_tags: bool

    @classmethod
    def checked(cls, *, order: Order, score_precision: ScorePrecision, split_tags: bool) -> "Rules":
        """Return the rules, or an error for one that does not exist."""
        check_choice(order, "order of documents", get_args(Order))
        check_choice(score_precision, "score precision", get_args(ScorePrecision))
        return cls(order=order, score_precision=score_precision, split_tags=split_tags)


class _RunPart(NamedTuple):
    """The lines of one tag of one file; its topics stand in the order of the numbers that `lines` gives their lists."""

    tag: str
    source: Source
    topics: list[str]
    lines: Lines
    scan: Scan
    positions: NDArray[np.int64] | None
    note: str
    doubt: Doubt | None

    def position(self, line: int) -> int:
        return line if self.positions is None else int(self.positions[line])


class _NamedRun(NamedTuple):
    tag: str
    source: Source
    topics: list[str]
    run: RankedRun
    note: str
    doubt: Doubt | None


def _read_run(
    source: Source, rules: Rules, topics: Sequence[str], check: Callable[[bytes, str], None] | None = None
) -> list[_RunPart]:
    def parse(content: bytes) -> Scan:
        if check is not None:
            check(content, source.path)
        return run_of(content, path=source.path, ranked=rules.order == "rank")

    scan = read_source(source, parse)
    tags = scan.names("tag")
    kinds = list(dict.fromkeys(tags))
    if len(kinds) > 1 and not rules.split_tags:
        line = int(scan.segment_bounds[tags.index(kinds[1])])
        message = (
            f"a second tag, {kinds[1]!r} after {kinds[0]!r}: a file holds one run; pass `split_tags=True` to take it "
            "for several"
        )
        raise scan.error(line, message)
    number_of = {topic: number for number, topic in enumerate(topics)}
    names = scan.names("topic")
    lists = scan.per_line([number_of.setdefault(name, len(number_of)) for name in names])
    keys = -scan.ranks if rules.order == "rank" else as_precision(scan.numbers, rules.score_precision)
    wide = f"{source.path}: columns after the sixth, ignored in lines: {scan.n_wide}" if scan.n_wide else ""
    note = "; ".join(filter(None, (wide, note_of_blanks(scan.content, source.path))))
    text = np.frombuffer(scan.content, dtype=np.uint8)
    lines = Lines(text, scan.starts, scan.lengths, keys=keys, lists=lists, n_lists=len(number_of))
    doubt = None if rules.order in ("rank", "input") else _doubt(scan)
    if len(kinds) == 1:
        return [
            _RunPart(kinds[0], source, sorted(set(names), key=number_of.__getitem__), lines, scan, None, note, doubt)
        ]
    owner = scan.per_line([kinds.index(tag) for tag in tags])
    parts = []
    for number, tag in enumerate(kinds):
        mine = np.flatnonzero(owner == number)
        topics = sorted(
            {name for name, its_tag in zip(names, tags, strict=True) if its_tag == tag}, key=number_of.__getitem__
        )
        of_tag = lines._replace(**{name: getattr(lines, name)[mine] for name in ("starts", "lengths", "keys", "lists")})
        source, note = source._replace(name=None), "" if number else note
        parts.append(_RunPart(tag, source, topics, of_tag, scan, mine, note, doubt))
    return parts


def _doubt(found: Scan) -> Doubt | None:
    """Look at the ranks of the first lists of a file, which is enough to see that all are odd."""
    bounds = found.segment_bounds.tolist()
    looked = [(start, min(stop, start + _LOOKED_AT)) for start, stop in pairwise(bounds[: _LISTS + 1])]
    lines = np.concatenate([np.arange(start, stop) for start, stop in looked])
    lists = np.repeat(np.arange(len(looked)), [stop - start for start, stop in looked])
    return doubt_of_ranks(found.words_behind(lines), found.numbers[lines], lists)


def _ranked(part: _RunPart, table: JudgedDocuments, n_topics: int, order: Order, *, retrieved: Retrieved) -> _NamedRun:
    try:
        run = rank_documents(part.lines, table, n_topics=n_topics, order=order, retrieved=retrieved)
    except RankingProblem as problem:
        raise _repetition(part, problem) from None
    return _NamedRun(part.tag, part.source, part.topics, run, part.note, part.doubt)


def _repetition(part: _RunPart, problem: RankingProblem) -> FileFormatError:
    first, second = part.position(problem.first), part.position(problem.second)
    number = part.scan.line_number(first)
    if problem.kind == "document":
        message = f"this document stands in this topic already, in line {number}; keep one of them"
    else:
        message = f"this rank is given in this topic already, in line {number}; `order='rank'` needs unique ranks"
    return part.scan.error(second, message)


def _run_table(part: _RunPart, order: Order) -> pd.DataFrame:
    names = natural_order(part.topics)
    old = {name: number for number, name in enumerate(part.topics)}
    new_position = np.empty(len(names), dtype=np.int64)
    new_position[[old[name] for name in names]] = np.arange(len(names))
    hashes = hash_documents(part.lines.text, part.lines.starts, part.lines.lengths)
    compact = np.unique(part.lines.lists, return_inverse=True)[1]
    lines = part.lines._replace(lists=new_position[compact], n_lists=len(names))
    try:
        sequence, bounds = ordered_lists(lines, order, hashes=hashes)
    except RankingProblem as problem:
        raise _repetition(part, problem) from None
    counts = np.diff(bounds)
    positions = sequence if part.positions is None else part.positions[sequence]
    return pd.DataFrame(
        {
            "query_id": np.repeat(np.array(names, dtype=object), counts),
            "doc_id": [name.decode() for name in part.scan.documents(positions)],
            "rank": np.arange(len(sequence)) - np.repeat(bounds[:-1], counts) + 1,
            "score": part.scan.numbers[positions],
        }
    )
