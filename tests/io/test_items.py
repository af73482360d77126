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
        ("system,doc,M\na,1,2\n", {"item": ["page"]}, r"no column of items \(`item`\) called page"),
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


def test_repeated_rows_are_refused_with_their_lines(tmp_path):
    """A system and item that appear twice would be joined many to many; both lines are named instead."""
    one = write(tmp_path, "system,doc,M\na,1,2\nb,1,1\na,1,3\n")
    two = write(tmp_path, "system,doc,H\na,1,2\nb,1,5\nb,1,4\n", "two.csv")
    rule = r"scores\.csv, line 4: system 'a', doc '1' stands in line 2 already; keep one row; if a column"
    for paths in (one, [one, two]):
        with pytest.raises(FileFormatError, match=rule):
            read_items(paths)
    good = write(tmp_path, "system,doc,M\na,1,2\nb,1,1\n", "good.csv")
    with pytest.raises(FileFormatError, match=r"two\.csv, line 4: system 'b', doc '1' stands in line 3 already"):
        read_items([good, two])


def test_a_system_stands_once_in_files_of_systems(tmp_path):
    """Alone such a file is one of unnamed items; joined with another, it is clear that it is not."""
    one = write(tmp_path, "system,M\na,1\nb,2\na,3\n")
    two = write(tmp_path, "system,H\na,1\nb,2\n", "two.csv")
    assert read_items(one)["M"].tolist() == [1, 2, 3]
    for pair in ([one, two], [two, one]):
        with pytest.raises(FileFormatError, match=r"scores\.csv, line 4: system 'a' stands in line 2 already"):
            read_items(pair)


def test_repeated_rows_are_looked_for_among_those_chosen(tmp_path):
    """What where= leaves out is no repetition, and lines stay those of the file."""
    path = write(tmp_path, "set,system,doc,M\nx,a,1,1\ny,a,1,2\ny,b,1,3\ny,a,1,4\n")
    assert read_items(path, where={"set": "x"})["M"].tolist() == [1]
    with pytest.raises(FileFormatError, match="line 5: system 'a', doc '1' stands in line 3 already"):
        read_items(path, where={"set": "y"})


def test_files_that_share_no_row_are_refused(tmp_path):
    """Ids that are written differently in two files would give a table of gaps."""
    one = write(tmp_path, "system,doc,M\na,1,2\n")
    two = write(tmp_path, "system,doc,H\na,001,2\n", "two.csv")
    with pytest.raises(FileFormatError, match=r"no system and doc of this file is in .*'a', '1', 'a', '001'"):
        read_items([one, two])


def test_one_row_a_system_and_one_row_an_item_do_not_join(tmp_path):
    """Of two files one may not name items where the other names systems alone, in either order."""
    one = write(tmp_path, "system,M\na,1\nb,2\n")
    two = write(tmp_path, "system,doc,item,H\na,1,1,2\n", "two.csv")
    with pytest.raises(FileFormatError, match=r"two\.csv: there are columns of items \(doc, item\), and .* has none"):
        read_items([one, two])
    with pytest.raises(FileFormatError, match=r"scores\.csv: no column of items"):
        read_items([two, one])


def test_blanks_around_names_are_no_part_of_them(tmp_path):
    """A blank behind a name does not keep two files apart; columns without a name hold nothing."""
    one = write(tmp_path, "system,doc,M,,\na ,1,2,,\n")
    two = write(tmp_path, "system\tdoc\tH\na\t1 \t3\n", "two.tsv")
    assert read_items([one, two])[["M", "H"]].to_numpy().tolist() == [[2, 3]]


@pytest.mark.parametrize("cell", ["1_0", "0x10", "1e400", "50%", "0,5", "9007199254740993"])
def test_what_is_no_number_stays_text(tmp_path, cell):
    """A column with one cell that is no number is no column of scores."""
    frame = read_items(write(tmp_path, f'system,doc,M\na,1,2\nb,1,"{cell}"\n'))
    assert frame["M"].tolist() == ["2", cell]


def test_methods_and_datasets_are_known(tmp_path):
    """A method is a system; a data set names items with their number where the number alone does not."""
    path = tmp_path / "scores.csv"
    path.write_text("Method,Dataset,Id,human,A\na,x,1,1,2\na,y,1,2,1\nb,x,1,3,4\nb,y,1,1,1\n")
    frame = read_items(path)
    assert (frame.attrs["system"], frame.attrs["items"]) == ("Method", ["Id", "Dataset"])
    path.write_text("algorithm,question,human,A\na,x,1,2\na,y,2,1\n")
    assert read_items(path).attrs["items"] == ["question"]
    path.write_text("Verfahren,Datensatz,human,A\na,x,1,2\nb,x,2,1\n")
    assert read_items(path).attrs["items"] == []


def test_a_title_above_the_header_is_left_out_by_name(tmp_path):
    """As spreadsheets have them; the same rows without it are read alike."""
    rows = "system,doc,BLEU\na,d1,0.3\nb,d1,0.2\n"
    (tmp_path / "plain.csv").write_text(rows)
    (tmp_path / "titled.csv").write_text(f"Human evaluation 2024,,\n\n{rows}")
    titled = read_items(tmp_path / "titled.csv")
    assert titled.equals(read_items(tmp_path / "plain.csv"))
    assert titled.attrs["notes"] == ["left out line 1, above the header ('Human evaluation 2024')"]


def test_an_item_called_all_beside_no_other_is_an_item(tmp_path):
    """Beside others it sums them up, and is left out by name."""
    path = tmp_path / "scores.csv"
    path.write_text("system,item,human,A\na,ALL,1,2\nb,ALL,3,4\n")
    assert read_items(path)["A"].tolist() == [2, 4]
    path.write_text("system,item,human,A\na,ALL,1,2\na,1,1,2\nb,ALL,3,4\nb,1,3,5\n")
    frame = read_items(path)
    assert frame["A"].tolist() == [2, 5]
    assert frame.attrs["notes"] == ["left out the averages (ALL)"]


def test_averages_are_left_out_of_a_further_file_that_spells_its_columns_otherwise(tmp_path):
    """SYS and DOC of people's scores are system and doc of the metric's."""
    metric, people = tmp_path / "metric.csv", tmp_path / "people.csv"
    metric.write_text("system,doc,BLEU\na,1,2\na,2,4\nb,1,3\nb,2,5\n")
    people.write_text("SYS,DOC,DA\na,1,80\na,2,90\na,ALL,85\nb,1,70\nb,2,60\nb,ALL,65\n")
    frame = read_items([metric, people])
    assert frame["doc"].tolist() == ["1", "2", "1", "2"]
    assert frame["DA"].tolist() == [80, 90, 70, 60]
    assert frame.attrs["notes"] == ["left out the averages (ALL)"]


def test_a_column_that_stands_for_two_of_another_file_is_refused(tmp_path):
    """Doc and doc are two columns of the first file, and DOC one of the second."""
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("system,Doc,doc,A\na,1,x,1\nb,1,y,2\n")
    two.write_text("system,DOC,human\na,1,1\nb,2,1\n")
    with pytest.raises(FileFormatError, match=r"column 'DOC' stands for 'Doc' and 'doc' of .*one.csv; call them as"):
        read_items([one, two], item=["Doc", "doc"])
    two.write_text("system,Doc,doc,human\na,1,x,5\nb,1,y,7\n")
    joined = read_items([one, two], item=["Doc", "doc"])
    assert joined[["A", "human"]].to_numpy().tolist() == [[1, 5], [2, 7]]
