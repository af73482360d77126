"""INEX files of 2002 to 2010, recognised by their content: submissions, assessments, pools, sizes of elements."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from metaeval.errors import FileFormatError, warn
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.file_rules import Findings, InexWarning, joined_assessments
from metaeval.inex.line_files import assessments_of_lines, is_fol_judgments, sizes_of_lines, submission_of_lines
from metaeval.inex.xml_events import root_name
from metaeval.inex.xml_files import assessments_of_xml, pool_of_xml, submission_of_xml
from metaeval.io.files import first_words, is_tar, pipe_identity, read_bytes
from metaeval.io.sources import RunPaths, Source, list_sources, listed_paths, read_source, run_sources, system_names
from metaeval.running.parallel import track
from metaeval.running.workers import parallel_map

_RUN_WORDS, _RUN_TAG = (6, 7, 8), 5


def read_submission(path: str | os.PathLike[str], *, lenient: bool = False) -> Submission:
    r"""Read one INEX run: XML (2002 to 2008), or lines in TREC style with a location (2009, 2010).

    Parameters
    ----------
    path : path
        The file, compressed or not.
    lenient : bool, default False
        Whether elements that do not belong in a submission, a second file, rank or score of a result, malformed paths
        and a second run name are errors, or remarked in a warning and passed over.

    Returns
    -------
    Submission
        In XML, the results of a topic are ordered by rank if all have one, else by ``rsv``, descending, if all have
        one, else as they stand, which is also the order of equal ones; lines count as they stand.

    Raises
    ------
    FileFormatError
        With file and line: for broken XML, a declared entity, a result without document or location, a number that is
        none, columns that are too few or differ from line to line; if not `lenient`, for what that lists.

    Warns
    -----
    InexWarning
        Once a file: for a topic in several parts, ranks or scores against the order, places that were not found.

    Notes
    -----
    The location of a result is one of

    ================= ========================================== =========================================
    kind              XML                                        last columns of a line
    ================= ========================================== =========================================
    element           ``<path>/article[1]/bdy[1]</path>``        ``/article[1]/bdy[1]``
    range             ``<passage start="…" end="…"/>``           ``/article[1]/p[1] /article[1]/p[4]``
    passage           ``<fol offset="0" length="1234"/>``        ``0 1234``
    best entry point  ``<fol offset="465"/>``                    ``465``
    ================= ========================================== =========================================

    The columns before are topic, Q0, document, rank, rsv and run. The file is never expanded: no DTD is fetched and
    no entity may be declared.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "run.txt")
    >>> _ = file.write_text("1 Q0 9996 1 0.9 RunX 465 3426\n1 Q0 9996 2 0.8 RunX 4000 120\n")
    >>> run = read_submission(file)
    >>> run.run, run.results[["document", "offset", "length"]].to_numpy().tolist()
    ('RunX', [['9996', 465, 3426], ['9996', 4000, 120]])
    """
    submission, notes = _read_submission(Source(str(path)), lenient=lenient)
    warn_of(notes)
    return submission


def read_submissions(paths: RunPaths, *, lenient: bool = False, n_jobs: int = 1) -> list[Submission]:
    r"""Read several INEX runs; see `read_submission`.

    Parameters
    ----------
    paths : path, or sequence of paths
        Files, ``NAME=path``, folders (every file inside is a run), patterns, or a mapping of name to path.
    lenient : bool
        See `read_submission`.
    n_jobs : int, default 1
        Files read at the same time, -1 for one per core.

    Returns
    -------
    list of Submission
        In the order of the files. Runs of the same name are named by their files, with a warning.

    Raises
    ------
    FileFormatError, InvalidOptionError
        As `read_submission`, and if there is no file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("1 Q0 9996 1 0.9 RunX /article[1]/bdy[1]\n")
    >>> _ = (folder / "b.txt").write_text("1 Q0 9996 1 0.7 RunY /article[1]\n")
    >>> [one.run for one in read_submissions(folder)]
    ['RunX', 'RunY']
    """
    return submissions_from(run_sources(paths), lenient=lenient, n_jobs=n_jobs)


def submissions_from(sources: Sequence[Source], *, lenient: bool, n_jobs: int = 1) -> list[Submission]:
    """Read the runs in files that were listed already; see `read_submissions`."""
    if any(pipe_identity(source.path) is not None for source in sources):
        n_jobs = 1  # other processes do not see this one's pipes
    work = partial(_read_submission, lenient=lenient)
    read = parallel_map(work, sources, n_jobs=n_jobs, description="reading submissions")
    tags = [(submission.run or source.own_name, source) for (submission, _), source in zip(read, sources, strict=True)]
    names, renamed = system_names(tags)
    warn_of([*renamed, *(note for _, notes in read for note in notes)])
    return [replace(submission, run=name) for (submission, _), name in zip(read, names, strict=True)]


def _read_submission(source: Source, *, lenient: bool) -> tuple[Submission, tuple[str, ...]]:
    findings = Findings(source.path, lenient=lenient)

    def parse(content: bytes) -> Submission:
        if root_name(content):
            return submission_of_xml(content, findings)
        if is_fol_judgments(content):
            raise findings.refuse("these are judgments (FOL), not a run; read them with read_assessments", 1)
        return submission_of_lines(content, findings)

    submission = read_source(source, parse)
    named = submission if submission.run else replace(submission, run=source.own_name)
    return named, findings.notes


def read_assessments(paths: RunPaths, *, second: bool = False, lenient: bool = False) -> Assessments:
    r"""Read INEX assessments: XML files, one a topic (2002 to 2007), or a file of FOL judgments (2008 to 2010).

    Parameters
    ----------
    paths : path, or sequence of paths
        Files or folders. In a folder, all folders inside are searched. Second judgments of a topic, in folders called
        ``others``, and topics in folders called ``in_progress`` are passed over.
    second : bool, default False
        Read the second judgments instead: what lies in folders called ``others``.
    lenient : bool, default False
        Whether what breaks a rule of the scale is an error, or remarked in a warning. See Notes.

    Returns
    -------
    Assessments
        Of all topics together; `notes` repeats the warnings.

    Raises
    ------
    FileFormatError
        With file and line: for broken XML, a declared entity, a topic or a document assessed twice, files of different
        scales, an attribute that is missing or no number; if not lenient, for a broken rule.

    Warns
    -----
    InexWarning
        If lenient, once a file, for broken rules. In any case for what real files are known to have: more
        highlighted characters than a document is long, passages that do not sum up to ``rsize``, a best entry point
        without passages, elements of size 0.

    Notes
    -----
    ============== ==================================================================================================
    rule           lenient
    ============== ==================================================================================================
    valid pair     2003, 2004: exhaustivity and specificity 0 to 3, and 0 together; 2002: relevance 0 to 3 with
                   coverage N exactly at 0, not 3S. Others count as (0, 0)
    valid sizes    2005 on: rsize from 0 to size, and 0 exactly where nothing is relevant
    tree           an element is not more exhaustive than what it stands in, with "?" below 1 below 2
    passages       lie within their document, and do not overlap or touch
    elements       each once, under an absolute path; the first judgment counts
    ============== ==================================================================================================

    The rules are those of Piwowarski, Trotman and Lalmas (2008), section 4.2.2.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("T1 Q0 d1 300 1000 100 100:200 500:100\nT1 Q0 d3 0 800\n")
    >>> judged = read_assessments(file)
    >>> judged.scale, judged.documents["relevant_size"].tolist(), judged.passages["length"].tolist()
    ('passages', [300, 0], [200, 100])
    """
    return assessments_from(paths, second=second, lenient=lenient)[0]


def assessments_from(paths: RunPaths, *, second: bool, lenient: bool) -> tuple[Assessments, list[str]]:
    """Read assessments, and return them with the files that were read; see `read_assessments`."""
    sources = assessment_sources(paths, second=second)
    parts = [
        read_source(source, partial(parsed_assessments, path=source.path, lenient=lenient))
        for source in track(sources, description="reading assessments")
    ]
    together = joined_assessments(parts, str(paths) if isinstance(paths, str | os.PathLike) else "several files")
    warn_of(together.notes)
    return together, [source.path for source in sources]


def assessments_of(content: bytes, path: str, *, lenient: bool) -> tuple[Assessments, list[str]]:
    """Read assessments from the content of a file that was read already; see `assessments_from`."""
    together = joined_assessments([parsed_assessments(content, path=path, lenient=lenient)], path)
    warn_of(together.notes)
    return together, [path]


def holds_assessments(content: bytes) -> bool:
    """Say whether a file holds INEX assessments, and no judgments of whole documents; runs are refused later."""
    return not is_tar(content) and (bool(root_name(content)) or is_fol_judgments(content))


def parsed_assessments(content: bytes, *, path: str, lenient: bool) -> Assessments:
    """Read the assessments of one file, without the checks that files need beside each other."""
    findings = Findings(path, lenient=lenient)
    if root_name(content):
        return assessments_of_xml(content, findings)
    words = first_words(content)
    if len(words) in _RUN_WORDS and not words[_RUN_TAG].isdigit():
        message = "this is a run, and assessments should stand here; if the two are swapped, give runs first"
        raise findings.refuse(f"{message}, and assessments as qrels (`qrels`)")
    return assessments_of_lines(content, findings)


def assessment_sources(paths: RunPaths, *, second: bool = False) -> list[Source]:
    """List the files that `read_assessments` would read."""
    listed = listed_paths(paths, "paths")
    return [source for path in listed for source in _sources_below(path, second=second)]


def _sources_below(path: str | os.PathLike[str], *, second: bool) -> list[Source]:
    folder = Path(path)
    if not folder.is_dir():
        return list_sources(str(path))
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    files = [file for file in files if _wanted(file.relative_to(folder).parts, second=second)]
    xml = [file for file in files if ".xml" in [suffix.casefold() for suffix in file.suffixes[-2:]]]
    if not files:
        kind = "second judgments (no folder called others with files)" if second else "assessments"
        raise FileFormatError(f"the folder holds no {kind}; name the files to read", path=path)
    return [source._replace(listed=True) for source in list_sources([str(file) for file in xml or files])]


def _wanted(parts: tuple[str, ...], *, second: bool) -> bool:
    return ("others" in parts) == second and "in_progress" not in parts


def read_pool(path: str | os.PathLike[str], *, lenient: bool = False) -> pd.DataFrame:
    """Read a pool file: the documents or elements shown to the assessors of a topic.

    Parameters
    ----------
    path : path
    lenient : bool
        As for `read_submission`.

    Returns
    -------
    pandas.DataFrame
        One row an element or passage: ``topic``, ``document``, ``path``, ``end_path`` ("" for an element) and
        ``line``; a document without any has one row with an empty path.

    Raises
    ------
    FileFormatError
        With file and line, for broken XML, a declared entity, an attribute that is missing.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "pool.xml")
    >>> _ = file.write_text('<pool topic="289"><file file="co/2001/r7022"><path path="/article[1]"/></file></pool>')
    >>> read_pool(file)[["topic", "document", "path"]].to_numpy().tolist()
    [['289', 'co/2001/r7022', '/article[1]']]
    """
    findings = Findings(str(path), lenient=lenient)
    pool = pool_of_xml(read_bytes(str(path)), findings)
    warn_of(findings.notes)
    return pool


def read_element_sizes(path: str | os.PathLike[str], *, lenient: bool = False) -> pd.DataFrame:
    r"""Read a table of element sizes: document, path and size in characters, a line each.

    Parameters
    ----------
    path : path
        Columns stand apart by white space or commas; a header may give their order.
    lenient : bool, default False
        Whether a size of 0, two sizes of one element and malformed paths are errors, or remarked in a warning.

    Returns
    -------
    pandas.DataFrame
        ``document``, ``path``, ``size``.

    Raises
    ------
    FileFormatError
        With file and line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "sizes.txt")
    >>> _ = file.write_text("co/2001/r7022 /article[1] 40000\nco/2001/r7022 /article[1]/bdy[1] 36000\n")
    >>> read_element_sizes(file)["size"].tolist()
    [40000, 36000]
    """
    findings = Findings(str(path), lenient=lenient)
    sizes = sizes_of_lines(read_bytes(str(path)), findings)
    warn_of(findings.notes)
    return sizes


def warn_of(notes: Iterable[str]) -> None:
    """Say once what reading had to remark."""
    text = "\n".join(notes)
    if text:
        warn(text, InexWarning)
