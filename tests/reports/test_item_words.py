"""Pages on a benchmark speak of items: everywhere, and nowhere but in words."""

import re

import numpy as np
import pytest
from matplotlib.text import Text

from metaeval import study_power
from metaeval.io.tables import read_scores, write_scores
from metaeval.reports.item_words import in_item_words, item_words
from metaeval.table.scores import as_scores


@pytest.mark.parametrize(
    ("words", "spoken"),
    [
        ("Topic set size: 50 topics, one topic.", "Item set size: 50 items, one item."),
        ("a topic and A topic, per-topic", "an item and An item, per-topic"),
        ("n_topics, topic_id, topics.csv, topical, /topic/, sub-topic", None),
        ("(topics) topics; topics", "(items) items; items"),
    ],
)
def test_words(words, spoken):
    """Whole words change, in either case and number, with their article; names of files and columns stay."""
    assert item_words(words) == (words if spoken is None else spoken)


def test_names_stay():
    """A system may well be called a topic model."""
    assert item_words("Topic model wins on 3 topics", names=["Topic model"]) == "Topic model wins on 3 items"


@pytest.fixture
def study():
    """Study scores that came from a table with a column called question_id."""
    values = np.random.default_rng(0).random((1, 4, 12))
    scores = as_scores(values, metrics=["accuracy"], systems=["topic", "b", "c", "d"])
    scores.attrs["topic_word"] = "item"
    return study_power(scores, tests=["t"], n_topic_resamples=20, rng=1)


def test_a_whole_report(study):
    """Neither the page nor a picture speaks of topics, but for the system of that name, anchors and data."""
    report = study.report()
    page = re.sub(r"<script.*?</script>|<style.*?</style>|<svg.*?</svg>", "", report.to_html(), flags=re.DOTALL)
    shown = re.sub(r"<[^>]*>", " ", page)
    assert re.search(r"12\s+items", shown)
    assert not re.search(r"\btopics\b", shown)
    for picture in report.pictures():
        words = {one.get_text() for one in picture.draw().findobj(Text)}
        assert not any(re.search(r"\btopics\b", text) for text in words)
    assert any("topic" in {one.get_text() for one in picture.draw().findobj(Text)} for picture in report.pictures())
    assert "n_topics" in report.rows
    assert in_item_words(report, ["topic"]).to_html() == report.to_html()


@pytest.mark.parametrize("form", ["a.csv", "a.nc", pytest.param("a.parquet", marks=pytest.mark.parquet)])
def test_the_word_comes_from_the_file_and_goes_into_it(tmp_path, form):
    """A column called question_id makes items; what is written says item and is read so."""
    (tmp_path / "in.csv").write_text("question_id,x,y\nq1,.1,.2\nq2,.3,.4\n")
    scores = read_scores(tmp_path / "in.csv")
    assert scores.attrs["topic_word"] == "item"
    again = read_scores(write_scores(scores, tmp_path / form))
    assert again.attrs["topic_word"] == "item"
    assert again.equals(scores)
    (tmp_path / "in.csv").write_text("topic,x,y\nq1,.1,.2\nq2,.3,.4\n")
    assert "topic_word" not in read_scores(tmp_path / "in.csv").attrs
