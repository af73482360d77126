"""Weights of subtopics from a file: what rows may be, and that the collection has them."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.groups import read_subtopic_weights


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,a,0.5\n1,b\n", "line 2: a row is a topic, a subtopic and its weight, 0 or more, not '1,b'"),
        ("1,a,-1\n", "line 1: a row is a topic"),
        ("topic,subtopic,weight\n1,a,x\n", "line 2: a row is a topic"),
        ("1,a,1\n1,a,2\n", "line 2: subtopic 'a' of topic '1' has two weights, 1 and 2; keep one"),
        ("topic,subtopic,weight\n", "there is no row of a topic, a subtopic and its weight"),
    ],
)
def test_what_is_no_weight_is_refused_with_its_line(tmp_path, text, said):
    """And what is expected."""
    (tmp_path / "w.csv").write_text(text)
    with pytest.raises(FileFormatError, match=said):
        read_subtopic_weights(tmp_path / "w.csv")


def test_a_header_and_any_delimiter(tmp_path):
    """NTCIR's files have blanks and no header; equal rows are one."""
    wanted = {"1": {"a": 0.75, "b": 0.25}, "2": {"a": 1.0}}
    for text in ("1 a .75\n1 b .25\n2 a 1\n2 a 1\n", "topic\tsubtopic\tp\n1\ta\t0.75\n1\tb\t0.25\n2\ta\t1\n"):
        (tmp_path / "w").write_text(text)
        assert read_subtopic_weights(tmp_path / "w") == wanted
