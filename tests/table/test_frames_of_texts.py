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
    with pytest.raises(ScoresError, match=r"column 'note' holds words \('hm 0' in row 0\)") as caught:
        as_scores(frame)
    ways = re.findall(r"`([^`]+)`", str(caught.value))
    assert len(ways) == 2
    for way in ways:
        scores = as_scores(eval(way, {"frame": frame}).rename_axis(columns="system"))  # noqa: S307 - as the error says
        assert scores.sel(system="old").mean() == pytest.approx(NUMBERS["old"].mean())


def test_a_long_frame_with_words_of_its_own_is_renamed_as_the_error_says():
    """Two columns of words and one of scores are system, topic and score."""
    long = NUMBERS.rename_axis("wx").reset_index().melt("wx", var_name="wy", value_name="what")
    long = long[["wy", "wx", "what"]]
    with pytest.raises(ScoresError, match=r"column 'wy' holds words \('new' in row 0\)") as caught:
        as_scores(long)
    way = re.search(r"such as `(.+?)`", str(caught.value))[1]
    assert way == "frame.rename(columns={'wy': 'system', 'wx': 'topic'})"
    scores = as_scores(eval(way, {"frame": long}).rename(columns={"what": "score"}))  # noqa: S307 - as the error says
    assert scores.sizes["topic"] == 20


def test_rankings_are_told_to_be_scored():
    """A frame of topic, document and score is a run, alone or by name."""
    run = pd.DataFrame({"query_id": ["q1", "q1", "q2"], "doc_id": ["d1", "d2", "d1"], "score": [2.0, 1.0, 3.0]})
    for data in (run, {"a": run, "b": run}):
        with pytest.raises(ScoresError, match=r"these are runs, .*metaeval.score\(\{run: frame\}, qrels"):
            as_scores(data)
