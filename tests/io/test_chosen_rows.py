"""Rows chosen by `where`: what a table without the others would give, in every form, and errors at their lines."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval import read_scores, read_votes
from metaeval.base.conditions import texts_that_meet
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, MetaevalWarning
from metaeval.io.chosen_rows import chosen_rows
from metaeval.io.items import read_items
from metaeval.io.sheets import sheet_of
from metaeval.io.tables import write_scores

LONG = pd.DataFrame(
    [
        (year, judge, system, topic, metric, round(0.1 + 0.07 * number + 0.01 * topic, 4))
        for number, (year, judge, system, metric) in enumerate(
            (year, judge, system, metric)
            for year in (2019, 2020)
            for judge in ("nist", "gpt-4")
            for system in ("a", "b", "c")
            for metric in ("AP", "nDCG@10")
        )
        for topic in (1, 2, 3)
    ],
    columns=["year", "judge", "system", "topic", "metric", "value"],
)
WHERE = {"year": "2020", "judge": "nist"}
FORMS = {
    "csv": lambda path: LONG.to_csv(path, index=False),
    "tsv": lambda path: LONG.to_csv(path, index=False, sep="\t"),
    "rownames": lambda path: LONG.to_csv(path, index=True, sep=" "),
    "json": lambda path: path.write_text(LONG.to_json(orient="records", lines=True), "utf-8"),
    "parquet": LONG.to_parquet,
}


@pytest.mark.parametrize("form", FORMS)
def test_as_without_the_other_rows(tmp_path, form):
    """Every form gives the scores that the chosen rows alone give, with a note."""
    if form == "parquet":
        pytest.importorskip("pyarrow")
    FORMS[form](tmp_path / f"all.{form}")
    rows = LONG[(LONG["year"] == 2020) & (LONG["judge"] == "nist")].drop(columns=["year", "judge"])
    rows.to_csv(tmp_path / "some.csv", index=False)
    found, expected = read_scores(tmp_path / f"all.{form}", where=WHERE), read_scores(tmp_path / "some.csv")
    assert found.equals(expected)
    assert any("18 of 72 rows, with year 2020 and judge nist" in note for note in found.attrs["notes"])


def test_a_wide_table_and_a_metric(tmp_path):
    """Rows of a wide table by a column that is none of its systems; a column of metrics stays one."""
    (tmp_path / "ap.csv").write_text("topic,kind,a,b\n1,x,.1,.2\n2,y,.3,.5\n3,x,.4,.1\n", "utf-8")
    found = read_scores(tmp_path / "ap.csv", where={"kind": "x"})
    np.testing.assert_array_equal(found.to_numpy(), [[[0.1, 0.4], [0.2, 0.1]]])
    LONG.to_csv(tmp_path / "all.csv", index=False)
    one = read_scores(tmp_path / "all.csv", where=WHERE | {"metric": "AP"})
    assert one["metric"].to_numpy().tolist() == ["AP"]


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.text('ab",\n;', max_size=4)), min_size=1, max_size=12))
def test_rows_as_pandas_chooses_them(rows):
    """Quotes, delimiters and line ends inside cells change nothing, and every row keeps its line."""
    frame = pd.DataFrame(rows, columns=["kind", "text"]).assign(n=range(len(rows)))
    sheet = sheet_of(frame.to_csv(index=False).encode(), "t.csv", delimiter=",")
    kept, _ = chosen_rows(sheet, {"kind": rows[0][0]}, {})
    chosen = frame[frame["kind"] == rows[0][0]]
    assert [int(cells[-1]) for cells in kept.without_header().rows()] == chosen["n"].tolist()
    lines = {int(cells[-1]): line for line, cells in sheet.without_header().numbered()}
    assert [line for line, _ in kept.without_header().numbered()] == [lines[n] for n in chosen["n"]]


REFUSED = {
    "no such column": ("topic,a,b\n1,.1,.2\n2,.3,.4\n", {"kinds": "x"}, "no column 'kinds'"),
    "no such text": ("topic,kind,a,b\n1,x,.1,.2\n", {"kind": "z"}, "no row has 'z' in column 'kind'; there are x"),
    "not at once": ("k,l,topic,a,b\nx,u,1,.1,.2\ny,v,1,.1,.2\n", {"k": "x", "l": "v"}, "k x and l v at once"),
    "a short row": ("topic,kind,a,b\n1,x,.1,.2\n2,x,.1\n", {"kind": "x"}, "line 3"),
    "a word": ("topic,kind,a,b\n1,x,.1,.2\n2,y,.1,.2\n3,x,.1,no\n", {"kind": "x"}, "line 4"),
    "no rows": ("topic,kind,a,b\n", {"kind": "x"}, "no rows"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(tmp_path, case):
    """A column or text that is not there is named with what is; errors keep the line of the file."""
    text, where, words = REFUSED[case]
    (tmp_path / "t.csv").write_text(text, "utf-8")
    with pytest.raises(FileFormatError, match=words):
        read_scores(tmp_path / "t.csv", where=where)


def test_what_has_no_rows(tmp_path, checkout):
    """Results of a benchmark, NetCDF and tables without a header have no columns to choose by."""
    (tmp_path / "t.csv").write_text("topic,a,b\n1,.1,.2\n2,.3,.4\n", "utf-8")
    write_scores(read_scores(tmp_path / "t.csv"), tmp_path / "t.nc")
    log = {"eval": {"task": "t", "model": "m"}, "status": "success", "version": 2}
    (tmp_path / "log.json").write_text(json.dumps(log), "utf-8")
    for path, options in (("t.nc", {}), ("log.json", {}), ("t.csv", {"header": False})):
        with pytest.raises(MetaevalError, match="`where`"):
            read_scores(tmp_path / path, where={"topic": "1"}, **options)
    with pytest.raises(InvalidOptionError, match="results of MTEB"):
        read_scores(checkout / "examples" / "mteb" / "results", where={"topic": "1"})


NUMBERED = "year,topic,bm25,dense\n2018,1,.1,.2\n2019,2,.3,.1\n2020,3,.2,.4\n2021.5,4,.6,.5\n"


@pytest.mark.parametrize(
    ("condition", "topics"),
    [
        (">=2020", ["3", "4"]),
        (">2020", ["4"]),
        ("<2019", ["1"]),
        ("<= 2019", ["1", "2"]),
        ("2019..2020", ["2", "3"]),
        ("2019..2021.5", ["2", "3", "4"]),
        ("2e3..2018", ["1"]),
    ],
)
def test_numbers_are_compared(condition, topics):
    """A sign and a number, or a range with both ends, choose the rows by number, and the note says so."""
    kept, note = chosen_rows(sheet_of(NUMBERED.encode(), "ap.csv"), {"year": condition}, {})
    assert [cells[0] for cells in kept.rows()] == ["topic", *topics]
    assert f"{len(topics)} of 4 rows, with year {condition}" in note


@given(
    st.lists(st.one_of(st.integers(-50, 50), st.floats(-5, 5).map(lambda x: round(x, 2))), min_size=1, max_size=30),
    st.floats(-6, 6).map(lambda x: round(x, 1)),
    st.sampled_from([">=", "<=", ">", "<"]),
)
def test_a_sign_and_its_contrary_share_the_rows(numbers, limit, sign):
    """Every number meets a condition or its contrary, as Python compares them, however it is written."""
    counts = {str(number): 1 for number in numbers}
    contrary = {">=": "<", "<": ">=", "<=": ">", ">": "<="}[sign]
    met, other = (texts_that_meet("n", f"{each}{limit}", counts) for each in (sign, contrary))
    assert met | other == set(counts)
    assert not met & other
    assert met == {text for text in counts if eval(f"{float(text)!r} {sign} {limit!r}")}  # noqa: S307 - numbers of ours


def test_only_numbers_are_compared(tmp_path):
    """A column with a word is refused with a way out that works; a text that is there is itself; gaps are named."""
    (tmp_path / "ap.csv").write_text(NUMBERED.replace("2021.5", "recent"), "utf-8")
    with pytest.raises(InvalidOptionError, match=r"compares numbers, and column 'year' holds 'recent'; .*'recent'"):
        read_scores(tmp_path / "ap.csv", where={"year": ">=2019"})
    (tmp_path / "age.csv").write_text("age,topic,a,b\n<65,1,.1,.2\n>=65,2,.3,.1\n>=65,3,.3,.1\n", "utf-8")
    assert read_scores(tmp_path / "age.csv", where={"age": ">=65"})["topic"].to_numpy().tolist() == ["2", "3"]
    (tmp_path / "gap.csv").write_text(NUMBERED.replace("2021.5", "NA").replace("2018", ""), "utf-8")
    with pytest.warns(MetaevalWarning, match="2 rows have no number in column 'year'"):
        assert read_scores(tmp_path / "gap.csv", where={"year": ">1"})["topic"].to_numpy().tolist() == ["2", "3"]
    with pytest.raises(FileFormatError, match="no row has '>3000' in column 'topic'"):
        read_scores(tmp_path / "age.csv", where={"topic": ">3000"})


def test_votes_and_items_are_chosen_by_number(tmp_path):
    """The same conditions choose votes and rows of people's scores."""
    (tmp_path / "votes.csv").write_text(
        "model_a,model_b,winner,turn\nx,y,model_a,1\nx,y,model_b,2\ny,x,model_b,3\n", "utf-8"
    )
    votes = read_votes(tmp_path / "votes.csv", where={"turn": "2..3"})
    assert len(votes.left) == 2
    assert any("2 of 3 rows, with turn 2..3" in note for note in votes.notes)
    rows = "system,item,human,metric,length\na,1,1,.1,10\na,2,2,.2,500\nb,1,3,.3,20\nb,2,1,.2,30\n"
    (tmp_path / "items.csv").write_text(rows, "utf-8")
    items = read_items([tmp_path / "items.csv"], where={"length": "<500"})
    assert items["item"].tolist() == ["1", "1", "2"]


def test_all_rows_but_those_with_a_text(tmp_path):
    """`!=` gives what a table without these rows gives; a text that no row has is said."""
    LONG.to_csv(tmp_path / "all.csv", index=False)
    rows = LONG[(LONG["year"] == 2020) & (LONG["judge"] != "nist")].drop(columns=["year", "judge"])
    rows.to_csv(tmp_path / "some.csv", index=False)
    assert read_scores(tmp_path / "all.csv", where={"year": "2020", "judge": "!=nist"}).equals(
        read_scores(tmp_path / "some.csv")
    )
    with pytest.warns(MetaevalWarning, match="no row has 'nobody' in column 'judge'; there are gpt-4, nist"):
        read_scores(tmp_path / "all.csv", where={"year": "2020", "judge": "!=nobody"}, duplicates="mean")
