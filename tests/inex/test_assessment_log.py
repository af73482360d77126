"""Logs of assessing, as tables."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.inex.assessment_log import read_assessment_log


def test_seconds_and_times(tmp_path):
    """Columns are found by name in any order; seconds come before times, and dates stay text."""
    file = tmp_path / "log.csv"
    file.write_text("action,Document,topic,seconds,time\nload,d1,1,2.5,x\nload,d2,1,3,y\n")
    assert read_assessment_log(file).to_numpy().tolist() == [["1", "d1", 2.5, "load"], ["1", "d2", 3.0, "load"]]
    file.write_text("topic\tfile\ttimestamp\n1\td1\t2006-11-02 14:05:30\n")
    assert read_assessment_log(file).to_dict("records") == [
        {"topic": "1", "document": "d1", "time": "2006-11-02 14:05:30"}
    ]
    file.write_text("topic,document,time\n1,d1,30\n1,d1,60.5\n")
    assert read_assessment_log(file)["time"].tolist() == [30.0, 60.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,seconds\n1,2\n", "a log needs a column document; there are topic, seconds"),
        ("topic,document\n1,d1\n", "a log needs a column seconds or time"),
        ("topic,document,seconds\n1,d1,2\n1,d1,-3\n", "line 3.*seconds must be a number from 0, not '-3'"),
        ("topic,document,seconds\n1,d1,soon\n", "line 2.*not 'soon'"),
        ("topic,document,seconds\n1,d1,2\n1, ,3\n", "line 3: a document without a name; every document needs one"),
        ("topic,document,seconds\n,d1,2\n", "line 2: a topic without a name"),
        ("topic,document,seconds\n1,d1,2\n1,d1\n", "line 3.*3 columns and this row 2"),
    ],
)
def test_bad_logs_are_refused(tmp_path, text, message):
    """With file, line and rule."""
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(FileFormatError, match=message):
        read_assessment_log(file)


@pytest.mark.parametrize("cell", ["1_0", "\u0661", "0x10", "inf", "1e400", "-1"])
def test_seconds_are_numbers_as_everybody_writes_them(tmp_path, cell):
    """What Python or pandas alone takes for a number is none."""
    path = tmp_path / "log.csv"
    path.write_text(f"topic,document,seconds\n1,d,2\n1,e,{cell}\n")
    with pytest.raises(FileFormatError, match=r"log\.csv, line 3: seconds must be a number from 0"):
        read_assessment_log(path)


def test_two_columns_of_one_name_are_refused(tmp_path):
    """Of two columns called document, one would be passed over."""
    path = tmp_path / "log.csv"
    path.write_text("topic,document,document,seconds\n1,d,e,2\n")
    with pytest.raises(FileFormatError, match="columns 2 and 3 are both called 'document'"):
        read_assessment_log(path)
