"""Reading scores of systems on items: one file or several, and every way they can be wrong."""

import pytest

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.items import read_items


def write(folder, text, name="scores.csv"):
    path = folder / name
    path.write_text(text)
    return path


def test_numbers_are_numbers_and_names_stay_text(tmp_path):
    """Columns of scores become numbers with gaps; systems and items stay as written."""
    frame = read_items(write(tmp_path, "system,doc,BLEU,note\n1,007,0.5,good\n2,007,,\n"))
    assert frame["system"].tolist() == ["1", "2"]
    assert frame["doc"].tolist() == ["007", "007"]
    assert frame["BLEU"].isna().tolist() == [False, True]
    assert frame["note"].tolist() == ["good", ""]


def test_files_are_joined_by_system_and_item_whatever_the_case_of_their_headers(tmp_path):
    """Metrics and human scores in two files come together; what one lacks is a gap."""
    one = write(tmp_path, "system,doc,seg,BLEU\na,d,1,0.5\na,d,2,0.6\n")
    two = write(tmp_path, "SYS\tDOC\tSEG\tDA\na\td\t1\t80\nb\td\t1\t70\n", "people.tsv")
    frame = read_items([one, two], item=["doc", "seg"])
    assert sorted(frame.columns) == ["BLEU", "DA", "doc", "seg", "system"]
    assert frame["DA"].notna().sum() == 2
    assert len(frame) == 3


def test_rows_can_be_chosen(tmp_path):
    """Rows with another text in the column named are left out."""
    path = write(tmp_path, "set,system,doc,M\nx,a,1,0.1\ny,a,1,0.2\n")
    assert read_items(path, where={"set": "y"})["M"].tolist() == [0.2]
    with pytest.raises(FileFormatError, match="no row has 'z'"):
        read_items(path, where={"set": "z"})
    with pytest.raises(FileFormatError, match=r"no table has a column 'part' to choose rows by.*'set'"):
        read_items(path, where={"part": "y"})


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("team,doc,M\na,1,2\n", {}, "no column of systems"),
        ("system,doc,M\na,1,2\n", {"item": ["page"]}, r"no column of items \(--item\) called page"),
        ("system,doc,M\n", {}, "no row"),
    ],
)
def test_bad_tables_stop(tmp_path, text, options, message):
    """A table without systems, items or rows is an error that lists what was found."""
    with pytest.raises(FileFormatError, match=message):
        read_items(write(tmp_path, text), **options)


def test_a_score_in_two_files_is_refused(tmp_path):
    """Two files with a column of one name cannot be told apart; a file twice is refused too."""
    one = write(tmp_path, "system,doc,M\na,1,2\n")
    two = write(tmp_path, "system,doc,M\na,1,3\n", "two.csv")
    with pytest.raises(FileFormatError, match=r"column 'M' is in .* too"):
        read_items([one, two])
    odd = write(tmp_path, "system,doc,M\na,1,?\n", "odd.csv")
    for pair in ([one, odd], [odd, one]):
        with pytest.raises(FileFormatError, match=r"column 'M' is in .* too"):
            read_items(pair)
    with pytest.raises(InvalidOptionError, match="given twice"):
        read_items([one, one])
