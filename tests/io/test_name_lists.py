"""Lists of names: what a line may hold, and what is refused."""

import gzip

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.files import read_names


def test_names_stand_in_lines_of_their_own(tmp_path):
    """Words behind a tab, empty lines, blanks around names and packing are nothing."""
    path = tmp_path / "topics.tsv.gz"
    path.write_bytes(gzip.compress("\ufeff301\twhat is it\r\n\n 302 \nq 3\n".encode()))
    assert read_names(path) == {"301": 1, "302": 3, "q 3": 4}


@pytest.mark.parametrize(
    ("text", "match"), [("\n \n", "there is no name"), ("a\nb\na\n", r"line 3.*'a' is in line 1 already")]
)
def test_refusals(tmp_path, text, match):
    """No name at all, and one that stands there twice."""
    path = tmp_path / "names.txt"
    path.write_text(text)
    with pytest.raises(FileFormatError, match=match):
        read_names(path)
