"""Judgments in the text format of TREC: topic, iteration, document, relevance; or in the grades of NTCIR."""

import os
from dataclasses import replace

import numpy as np

from metaeval.cells import natural_order
from metaeval.collection.document_codes import Judgments, hash_documents, identifier_array
from metaeval.collection.grades import LARGEST_GRADE, coded
from metaeval.collection.ranking import first_repetition
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.files import read_bytes, text_of
from metaeval.io.grades import graded
from metaeval.io.trec_lines import QRELS, refuse_swapped, scan_text

__all__ = ["judgments_of", "read_qrels"]


def read_qrels(path: str | os.PathLike[str]) -> Judgments:
    r"""Read judgments in TREC format (topic, iteration, document, relevance), or in the grades of NTCIR.

    Parameters
    ----------
    path : path
        The file, compressed or not, or "-" for standard input. Grades are S, A, B and C (levels 3, 2, 1 and 0), or L0
        to L9: in lines of topic, grade, document and a binary reading of the grade, which is not used; of topic,
        iteration, document and grade; or of topic, document and grade, as NTCIREVAL reads them. A relevance may be
        real-valued, such as 1.7; then grades equal on paper are one, and a negative one is no judgment, as it is among
        whole ones.

    Returns
    -------
    Judgments
        Topics in natural order, documents of a topic in the order of their identifiers. Where some relevance is not
        whole, `grades` says what every level stands for.

    Raises
    ------
    FileFormatError
        For a malformed line, a relevance that is no number within ±32767, more than 32,000 distinct ones
        that are not whole, a document judged twice, an empty file.

    See Also
    --------
    metaeval.io.trec.read_runs
    metaeval.io.trec.read_collection

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("1 0 d2 0\n1 0 d1 2\n")
    >>> read_qrels(file).levels.tolist()
    [2, 0]
    >>> _ = file.write_text("0001\tA\tgakkai-1\t1\n0001\tC\tgakkai-2\t0\n")
    >>> read_qrels(file).levels.tolist()
    [2, 0]
    """
    return judgments_of(read_bytes(path), str(path))


def judgments_of(content: bytes, path: str) -> Judgments:
    """Read judgments from a content that was read already; see `read_qrels`."""
    refuse_swapped(content, QRELS, path=path)
    text = text_of(content, path)
    read = graded(text, path=path)
    found = replace(scan_text(read.content, read.layout, path=path), content=text)  # messages show the file's own lines
    topics = found.names("topic")
    names = natural_order(set(topics))
    place = {name: number for number, name in enumerate(names)}
    lists = found.per_line([place[name] for name in topics])
    extreme = np.flatnonzero(np.abs(found.numbers) > LARGEST_GRADE)
    if len(extreme):
        raise found.error(int(extreme[0]), f"the relevance must lie within ±{LARGEST_GRADE}")
    try:
        levels, grades = coded(found.numbers)
    except InvalidOptionError as error:
        raise FileFormatError(str(error), path=path) from None
    letters = np.frombuffer(text, dtype=np.uint8)
    hashes = hash_documents(letters, found.starts, found.lengths)
    sequence = np.argsort(lists, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(lists, minlength=len(names)))]).astype(np.int64)
    first, second = first_repetition(letters, found.starts, found.lengths, hashes, sequence, offsets)
    if second >= 0:
        message = f"this document is judged twice on this topic, first in line {found.line_number(first)}; keep one"
        raise found.error(second, message)
    document_ids = identifier_array(found.documents())
    sequence = np.lexsort((document_ids, lists))
    return Judgments(
        topics=tuple(names),
        topic_offsets=offsets,
        document_ids=document_ids[sequence],
        levels=levels[sequence],
        notes=(read.note,) if read.note else (),
        grades=grades,
    )
