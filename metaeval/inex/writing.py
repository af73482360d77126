"""INEX files as they are written: XML, and lines of a thing each."""

import os
from html import escape
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice, check_kind
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import TOO_SMALL, Assessments, Scale, Submission
from metaeval.inex.file_rules import COVERAGE_LETTERS
from metaeval.io.writing import write_bytes

SubmissionForm = Literal["xml", "lines"]


def write_submission(submission: Submission, path: str | os.PathLike[str], *, form: SubmissionForm = "xml") -> Path:
    """Write a run as an INEX file that `read_submission` reads back.

    Parameters
    ----------
    submission : Submission
    path : path
        A last ending .gz, .bz2, .xz or .zst compresses.
    form : {"xml", "lines"}
        XML of 2002 to 2008, or lines of 2009 and 2010, which hold neither participant and task nor a topic answered
        with an empty list, and give a rank and a score to every result.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    UnknownNameError
        For another form.
    InvalidOptionError
        If lines should hold elements and passages at once.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> made = Submission(run="r", answered=("1",))
    >>> path = write_submission(made, pathlib.Path(tempfile.mkdtemp(), "r.xml"))
    >>> from metaeval.inex.reading import read_submission
    >>> read_submission(path).answered
    ('1',)
    """
    check_kind(submission, "submission", "Submission")
    check_choice(form, "form of a submission", get_args(SubmissionForm))
    if form == "xml":
        return write_bytes(Path(path), _xml_of_submission(submission))
    elements = submission.results["path"].to_numpy() != ""
    if elements.any() and not elements.all():
        raise InvalidOptionError("lines hold elements or passages, and this run has both; write it with `form='xml'`")
    return write_bytes(Path(path), _lines_of_results(submission))


def write_assessments(assessments: Assessments, path: str | os.PathLike[str]) -> Path:
    r"""Write assessments as INEX files that `read_assessments` reads back.

    Parameters
    ----------
    assessments : Assessments
    path : path
        For passages given by offsets, the file of FOL judgments. For everything else a folder, which is made and gets
        a file ``topic-NAME.xml`` a topic.

    Returns
    -------
    pathlib.Path
        The file, or the folder with a file for every topic.

    Raises
    ------
    InvalidOptionError
        If passages have neither offsets nor points.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> documents = pd.DataFrame({"topic": ["1"], "document": ["d"], "relevant_size": 0, "size": 80, "best_entry": -1})
    >>> made = Assessments(scale="passages", documents=documents.assign(best_entry_point="", line=0))
    >>> write_assessments(made, pathlib.Path(tempfile.mkdtemp(), "qrels.txt")).read_text()
    '1 Q0 d 0 80\n'
    """
    check_kind(assessments, "assessments", "Assessments")
    target = Path(path)
    if assessments.scale == "passages" and not (assessments.passages["start"] != "").any():
        return write_bytes(target, _lines_of_assessments(assessments))
    target.mkdir(parents=True, exist_ok=True)
    for topic in dict.fromkeys(assessments.documents["topic"]):
        write_bytes(target / f"topic-{topic}.xml", _xml_of_assessments(assessments, topic))
    return target


def write_element_sizes(sizes: pd.DataFrame, path: str | os.PathLike[str]) -> Path:
    """Write a table of element sizes that `read_element_sizes` reads back.

    Parameters
    ----------
    sizes : pandas.DataFrame
        ``document``, ``path``, ``size`` in characters.
    path : path
        A last ending .gz, .bz2, .xz or .zst compresses.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> sizes = pd.DataFrame({"document": ["d"], "path": ["/article[1]"], "size": [4000]})
    >>> path = write_element_sizes(sizes, pathlib.Path(tempfile.mkdtemp(), "sizes.txt.gz"))
    >>> from metaeval.inex.reading import read_element_sizes
    >>> read_element_sizes(path).to_numpy().tolist()
    [['d', '/article[1]', 4000]]
    """
    check_kind(sizes, "sizes", "DataFrame")
    absent = [name for name in ("document", "path", "size") if name not in sizes]
    if absent:
        message = f"`sizes` must have the columns document, path and size; there is no {', '.join(absent)}"
        raise InvalidOptionError(message)
    columns = (sizes[name].tolist() for name in ("document", "path", "size"))
    lines = (f"{document} {element} {size}\n" for document, element, size in zip(*columns, strict=True))
    return write_bytes(Path(path), "".join(["document path size\n", *lines]).encode())


def _xml_of_submission(submission: Submission) -> bytes:
    """Write a submission in XML."""
    results = submission.results
    kind = "element" if (results["path"].to_numpy() != "").all() else "fol"
    of_run = {"participant-id": submission.participant, "run-id": submission.run, "task": submission.task}
    about = _attributes(**of_run, **{"query": "automatic", "result-type": kind})
    by_topic = dict.fromkeys(submission.answered, "")
    if len(results):
        lines = pd.Series(_result_lines(results), dtype=object)
        joined = lines.groupby(results["topic"].to_numpy(), sort=False).agg("".join)
        by_topic |= dict(zip(joined.index, joined, strict=True))
    topics = "".join(
        f"  <topic{_attributes(**{'topic-id': topic})}>\n{text}  </topic>\n" for topic, text in by_topic.items()
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<inex-submission{about}>\n'
        f'  <topic-fields title="yes"/>\n{topics}</inex-submission>\n'
    ).encode()


def _result_lines(results: pd.DataFrame) -> list[str]:
    columns = (results[name].tolist() for name in ("document", "path", "end_path", "offset", "length", "rank", "rsv"))
    lines = []
    for document, path, end, offset, length, rank, rsv in zip(*columns, strict=True):
        if end:
            location = f"<passage{_attributes(start=path, end=end)}/>"
        elif path:
            location = f"<path>{escape(path)}</path>"
        elif length >= 0:
            location = f'<fol offset="{offset}" length="{length}"/>'
        else:
            location = f'<fol offset="{offset}"/>'
        ranked = "" if rank != rank else f"<rank>{rank:.15g}</rank>"  # noqa: PLR0124 - NaN: not given
        scored = "" if rsv != rsv else f"<rsv>{rsv!r}</rsv>"  # noqa: PLR0124 - NaN: not given
        lines.append(f"    <result><file>{escape(document)}</file>{location}{ranked}{scored}</result>\n")
    return lines


def _attributes(**values: object) -> str:
    return "".join(f' {name}="{escape(str(value))}"' for name, value in values.items())


def _xml_of_assessments(assessments: Assessments, topic: str) -> bytes:
    """Write the assessments of one topic in XML."""
    documents, elements, passages = (
        table[table["topic"] == topic] for table in (assessments.documents, assessments.elements, assessments.passages)
    )
    if (passages["start"] == "").any():
        message = f"passages given by offsets (topic {topic}) have no points to write; the FOL format is for them"
        raise InvalidOptionError(message)
    modern = assessments.scale in {"2005", "passages"}
    inside: dict[str, list[str]] = {name: [] for name in documents["document"]}
    for document, point in zip(documents["document"], documents["best_entry_point"], strict=True):
        if point:
            inside[document].append(f"    <best-entry-point{_attributes(path=point)}/>\n")
    for document, start, end, size in passages[["document", "start", "end", "length"]].itertuples(index=False):
        inside[document].append(f"    <passage{_attributes(start=start, end=end, size=size)}/>\n")
    columns = ["document", "path", "exhaustivity", "specificity", "size", "relevant_size"]
    for document, *judgment in elements[columns].itertuples(index=False):
        inside[document].append(f"    {_judgment(assessments.scale, *judgment)}\n")
    files = "".join(
        f"  <file{_attributes(**({'collection': 'made', 'name': name} if modern else {'file': name}))}>\n"
        f"{''.join(lines)}  </file>\n"
        for name, lines in inside.items()
    )
    start = "  <inex_topic/>\n" if modern else ""
    head = _attributes(pool=topic, topic=topic, version="1.0")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<assessments{head}>\n{start}{files}</assessments>\n'.encode()


def _judgment(  # noqa: PLR0913, PLR0917 - the columns of the table
    scale: Scale, path: str, exhaustivity: int, specificity: float, size: int, relevant_size: int
) -> str:
    degree = "?" if exhaustivity == TOO_SMALL else str(exhaustivity)
    if scale == "2002":
        return f"<path{_attributes(path=path, relevance=degree, coverage=COVERAGE_LETTERS[int(specificity)])}/>"
    if scale == "2003":
        return f"<path{_attributes(path=path, exhaustiveness=degree, specificity=int(specificity))}/>"
    return f"<element{_attributes(path=path, exhaustivity=degree, size=size, rsize=relevant_size)}/>"


def _lines_of_results(submission: Submission) -> bytes:
    """Write a run in TREC style; all results must have locations of one kind."""
    results = submission.results
    path, end, offset, length = (results[name].to_numpy() for name in ("path", "end_path", "offset", "length"))
    elements = path != ""
    rank = np.where(np.isnan(results["rank"]), results.groupby("topic", sort=False).cumcount() + 1, results["rank"])
    rsv = np.where(np.isnan(results["rsv"]), -rank, results["rsv"])
    if elements.any():
        places = [f"{start} {two}".rstrip() for start, two in zip(path, end, strict=True)]
    elif (length >= 0).any():
        places = [
            "X X" if start < 0 else f"{start} {two}"
            for start, two in zip(offset.tolist(), length.tolist(), strict=True)
        ]
    else:
        places = ["X" if start < 0 else str(start) for start in offset.tolist()]
    run = submission.run.replace(" ", "_") or "run"
    columns = zip(results["topic"], results["document"], rank.tolist(), rsv.tolist(), places, strict=True)
    return "".join(
        f"{topic} Q0 {document} {position:.15g} {score!r} {run} {where}\n"
        for topic, document, position, score, where in columns
    ).encode()


def _lines_of_assessments(assessments: Assessments) -> bytes:
    """Write FOL judgments."""
    passages: dict[tuple[str, str], list[str]] = {}
    table = assessments.passages
    for topic, document, offset, length in zip(
        table["topic"], table["document"], table["offset"].tolist(), table["length"].tolist(), strict=True
    ):
        passages.setdefault((topic, document), []).append(f"{offset}:{length}")
    documents = assessments.documents
    numbers = (documents[name].tolist() for name in ("relevant_size", "size", "best_entry"))
    lines = []
    for topic, document, relevant, size, bep in zip(documents["topic"], documents["document"], *numbers, strict=True):
        spans = passages.get((topic, document), [])
        tail = [str(max(bep, 0)), *spans] if spans else []
        lines.append(" ".join([topic, "Q0", document, str(relevant), str(size), *tail]))
    return ("\n".join(lines) + "\n").encode()
