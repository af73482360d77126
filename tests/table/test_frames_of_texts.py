"""Wide frames whose cells are texts: numbers are read as from a file, all else is named with a way out."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval import as_scores, paired_t_test, read_scores
from metaeval.errors import ScoresError

NUMBERS = pd.DataFrame(
    np.random.default_rng(0).random((20, 2)).round(3), [f"q{row}" for row in range(20)], ["new", "old"]
)
TEXTS = NUMBERS.astype(str)
COMMAS = TEXTS.map(lambda cell: cell.replace(".", ","))
PER_CENTS = (100 * NUMBERS).round(1).astype(str).map(lambda cell: f"{cell} %")
NOTE = pd.DataFrame({"note": [f"hm {row}" for row in range(20)]}, NUMBERS.index)


def of_polars(frame):
    """Return a frame of another library."""
    return pytest.importorskip("polars").from_pandas(frame)


READ = {
    "objects": TEXTS.astype(object),
    "texts": TEXTS.astype("string"),
    "categories of texts": TEXTS.astype("category"),
    "categories of numbers": NUMBERS.astype("category"),
    "one column of texts": NUMBERS.assign(new=TEXTS["new"]),
    "a column of words": NUMBERS.join(NOTE),
    "words in front": NOTE.join(TEXTS),
}


@pytest.mark.parametrize("frame", READ.values(), ids=READ)
def test_numbers_written_as_texts_are_read_as_from_a_file(frame, tmp_path):
    """SciPy's p-value of the numbers; words beside the systems are left out and named, as the reader of files does."""
    expected = stats.ttest_rel(NUMBERS["new"], NUMBERS["old"]).pvalue
    frame.rename_axis("topic").to_csv(tmp_path / "scores.csv")
    for scores in (as_scores(frame), read_scores(tmp_path / "scores.csv")):
        found = paired_t_test(scores)
        assert found.to_frame()["p_value"].item() == pytest.approx(expected)
        assert any("note" in note and "words" in note for note in scores.attrs.get("notes", ())) == ("note" in frame)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (COMMAS, r"column 'new' holds '0,637' in row 0, .* decimal comma; write '0.637'"),
        (COMMAS.astype("category"), r"column 'new' holds '0,637' in row 0, .* decimal comma; write '0.637'"),
        (PER_CENTS, r"column 'new' holds '63.7 %' in row 0, .* percent sign; write '63.7'"),
    ],
    ids=["decimal commas", "categories", "per cents"],
)
def test_numbers_written_otherwise_are_mended_as_the_error_says(frame, says):
    """The way out for a column, followed in all, gives SciPy's p-value."""
    with pytest.raises(ScoresError, match=says) as caught:
        as_scores(frame)
    code = re.search(r"\(a column of such: frame\[NAME\](.*)\)$", str(caught.value))[1]
    mended = pd.DataFrame({name: eval(f"column{code}", {"column": frame[name]}) for name in frame})  # noqa: S307 - as the error says
    expected = stats.ttest_rel(NUMBERS["new"], NUMBERS["old"]).pvalue
    assert paired_t_test(mended).to_frame()["p_value"].item() == pytest.approx(expected)


def test_one_text_among_numbers_is_named_and_can_be_made_a_gap():
    """The cell, its column and its row; made a gap as the error says, 19 topics of 20 are compared."""
    frame = NUMBERS.astype(object)
    frame.iloc[2, 1] = "x"
    with pytest.raises(ScoresError, match=r"column 'old' holds 'x' in row 2, .*pd.to_numeric\(frame\[NAME\]"):
        as_scores(frame)
    mended = frame.apply(lambda column: pd.to_numeric(column, errors="coerce"))
    assert as_scores(mended, missing="drop-topics").sizes["topic"] == 19


def test_words_alone_are_named():
    """Marks in words: which column, which word, and what to write."""
    marks = NUMBERS.map(lambda score: "pass" if score > 0.5 else "fail")
    with pytest.raises(ScoresError, match=r"column 'new' holds 'pass' in row 0, .*such as 1 for 'pass' and 0 for"):
        as_scores(marks)


def test_words_without_names_of_rows_are_dropped_or_made_the_index_as_the_error_says():
    """Both ways out lead to the scores of the two systems."""
    frame = NUMBERS.join(NOTE).reset_index(drop=True)
    with pytest.raises(ScoresError, match=r"'hm 0' in row 0\).* call it 'topic' .*; leave out .* \('note'\)"):
        as_scores(frame)
    for mended in (frame.rename(columns={"note": "topic"}), frame.drop(columns="note")):
        scores = as_scores(mended.rename_axis(columns="system"))
        assert scores.sel(system="old").mean() == pytest.approx(NUMBERS["old"].mean())


@pytest.mark.parametrize("made", [lambda frame: frame.to_dict("records"), of_polars])
def test_what_an_error_says_of_a_column_holds_in_every_library(made):
    """An index that was made a column is told to be called topic, whose ids stay, in records and in Polars alike."""
    frame = NUMBERS.reset_index()
    with pytest.raises(ScoresError, match=r"column 'index' holds words .*; call it 'topic' if it names topics"):
        as_scores(made(frame))
    scores = as_scores(made(frame.rename(columns={"index": "topic"})))
    assert scores["topic"].to_numpy().tolist() == [*NUMBERS.index]
    assert scores.sel(system="old").mean() == pytest.approx(NUMBERS["old"].mean())


def test_a_long_frame_with_words_of_its_own_is_renamed_as_the_error_says():
    """Two columns of words and one of scores are system, topic and score."""
    long = NUMBERS.rename_axis("wx").reset_index().melt("wx", var_name="wy", value_name="what")
    long = long[["wy", "wx", "what"]]
    with pytest.raises(ScoresError, match=r"column 'wy' holds words \('new' in row 0\)") as caught:
        as_scores(long)
    assert "such as 'wy' 'system' and 'wx' 'topic'" in str(caught.value)
    scores = as_scores(long.rename(columns={"wy": "system", "wx": "topic", "what": "score"}))
    assert scores.sizes["topic"] == 20


def test_words_beside_two_columns_of_numbers_are_parts_or_none_of_the_table():
    """Called system and topic they name rows with two metrics; left out, two systems remain."""
    frame = pd.DataFrame({"note": [*"uuvv"], "who": [*"xyxy"], "b": [0.1, 0.2, 0.3, 0.4], "c": [0.5, 0.6, 0.7, 0.8]})
    says = r"such as 'note' 'system' and 'who' 'topic'; leave out what is no system \('note', 'who'\)"
    with pytest.raises(ScoresError, match=says):
        as_scores(frame)
    parts = as_scores(frame.rename(columns={"note": "system", "who": "topic"}))
    assert parts.sel(metric="c", system="v").to_numpy().tolist() == [0.7, 0.8]
    assert as_scores(frame.drop(columns=["note", "who"])).sel(system="b").to_numpy().tolist() == [[0.1, 0.2, 0.3, 0.4]]


def test_rankings_are_told_to_be_scored():
    """A frame of topic, document and score is a run, alone or by name."""
    run = pd.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "score": [2.0, 1.0, 3.0]})
    for data in (run, {"a": run, "b": run}):
        with pytest.raises(ScoresError, match=r"these are runs, .*metaeval.score\(\{run: frame\}, qrels"):
            as_scores(data)


@pytest.mark.parametrize("names", [["a", "b"], [1, 2]])
@pytest.mark.parametrize("indexed", [True, False])
def test_topics_of_several_sets_are_named_by_both_as_the_error_says(names, indexed):
    """Questions 0 to 9 of two sets are twenty topics, once set and question are in one column."""
    index = pd.MultiIndex.from_product([names, range(10)], names=["dataset", "query"])
    wide = NUMBERS.set_axis(index)
    with pytest.raises(ScoresError, match="topic '0' appears twice, in rows 0 and 10; column 'dataset'") as caught:
        as_scores(wide if indexed else wide.reset_index())
    way = re.search(r"one column \((.+?)\), and leave 'dataset' out", str(caught.value))[1]
    mended = eval(way, {"frame": wide.reset_index()})  # noqa: S307 - as the error says
    scores = as_scores(mended.drop(columns="dataset"))
    assert scores.sizes["topic"] == 20
    assert scores.sel(topic=f"3 {names[1]}").to_numpy().ravel() == pytest.approx(NUMBERS.iloc[13])
