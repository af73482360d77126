"""Judgments by subtopic: how they are recognised, kept and collapsed."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.qrels import judgments_of, read_qrels

WEB = b"1 1 d1 0\n1 2 d1 2\n1 1 d2 -2\n1 2 d2 -2\n2 1 d1 1\n"


@pytest.fixture
def read(tmp_path):
    """Read judgments from bytes."""

    def judgments(content, **options):
        path = tmp_path / "qrels.txt"
        path.write_bytes(content)
        return read_qrels(path, **options)

    return judgments


def test_column_two_names_subtopics_where_a_document_stands_under_several(read):
    """The level of a document is its highest, and the subtopics are kept unless they are collapsed."""
    found = read(WEB)
    assert found.levels.tolist() == [2, -2, 1]
    own = found.subtopics
    assert own.names == ("1", "2", "1")
    assert (own.topic_offsets.tolist(), own.offsets.tolist()) == ([0, 2, 3], [0, 2, 4, 5])
    assert (own.codes.tolist(), own.levels.tolist()) == ([0, 1, 0, 1, 0], [0, 2, -2, -2, 1])
    assert found.notes[0].startswith("column 2 of the judgments names subtopics, 3 subtopics of 2 topics: measures")
    collapsed = read(WEB, subtopics="collapse")
    assert collapsed.levels.tolist() == [2, -2, 1]
    assert collapsed.subtopics is None


def test_grades_of_ntcir_and_real_ones_have_subtopics_too(read):
    """Dqrels of INTENT have L0 to L4 in column 4; grades that are not whole are coded for documents and subtopics."""
    found = read(b"0101 1 d1 L1\n0101 2 d1 L3\n")
    assert (found.levels.tolist(), found.subtopics.levels.tolist()) == ([3], [1, 3])
    real = read(b"1 a d1 0.5\n1 b d1 1.5\n")
    assert (real.numbers.tolist(), real.grades[real.subtopics.levels].tolist()) == ([1.5], [0.5, 1.5])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 0 d1 1\n1 0 d1 1\n", "line 2: this document is judged twice on this topic, first in line 1; keep one"),
        (
            b"1 1 d1 1\n1 2 d1 1\n1 2 d1 0\n",
            "line 3: this document is judged twice on subtopic '2' of this topic, first in line 2; keep one, or pass",
        ),
        (b"1\tS\td1\t1\n1\tA\td1\t1\n", "line 2: this document is judged twice on this topic"),
    ],
)
def test_what_is_judged_twice_all_the_same_is_refused(read, content, said):
    """On one subtopic, and where column 2 is a grade."""
    with pytest.raises(FileFormatError, match=said):
        read(content)


def test_a_rule_for_duplicates_takes_column_two_for_no_subtopic(read):
    """And labels of judges have none."""
    assert read(WEB, duplicates="first").subtopics is None
    assert read(WEB, duplicates="mean").numbers.tolist() == [1, -2, 1]
    with pytest.raises(FileFormatError, match="judged twice"):
        judgments_of(WEB, "labels.txt")
