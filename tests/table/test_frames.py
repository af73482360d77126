"""Data frames: long, a column for each metric, and wide, with labels in columns, in the index or in both."""

import numpy as np
import pandas as pd
import pytest
from forms_of_scores import METRICS, SYSTEMS, TOPICS, VALUES, long_frame, wide_frame

from metaeval import as_scores
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.frames import FRAME_FORMS
from metaeval.tests_stat import paired_t_test, sign_test


def _pivot(**axes):
    return long_frame().pivot_table(**axes, values="score")


WORDS = {
    "PyTerrier": ("name", "qid", "measure", "value"),
    "ir_measures": ("run", "query_id", "measure", "value"),
    "benchmarks": ("model", "question", "metric", "score"),
    "items": ("Model Name", "item_id", "metric", "value"),
    "another word for the score": ("system", "topic", "metric", "accuracy"),
}
TWO_METRICS = {
    "metrics and systems in columns": lambda: _pivot(index="topic", columns=["metric", "system"]),
    "the same without names of levels": lambda: _pivot(index="topic", columns=["metric", "system"]).rename_axis(
        index=None, columns=[None, None]
    ),
    "the same with topics in a column": lambda: _pivot(index="topic", columns=["metric", "system"]).reset_index(),
    "systems and topics in rows": lambda: _pivot(index=["system", "topic"], columns="metric"),
    "systems and topics in rows, no names": lambda: _pivot(index=["system", "topic"], columns="metric").rename_axis(
        index=[None, None], columns=None
    ),
    "wide frames put together": lambda: pd.concat({"AP": wide_frame(0), "RR": wide_frame(1)}),
    "a series": lambda: long_frame().set_index(["system", "topic", "metric"])["score"],
    "a series without names": lambda: (
        long_frame().set_index(["topic", "metric", "system"])["score"].rename_axis([None, None, None])
    ),
}
ONE_METRIC = {
    "topics in rows": (wide_frame, "3 topics in rows, 2 systems in columns (by their labels)"),
    "systems in rows": (lambda: wide_frame().T, "2 systems in rows, 3 topics in columns (by their labels)"),
    "a column of topics": (
        lambda: wide_frame().rename_axis("qid").reset_index(),
        "3 topics in rows, 2 systems in columns (by the names of its axes)",
    ),
    "a column of systems": (
        lambda: wide_frame().T.rename_axis("model").reset_index(),
        "2 systems in rows, 3 topics in columns (by the names of its axes)",
    ),
    "named axes": (
        lambda: wide_frame().rename_axis(index="query", columns="run"),
        "3 topics in rows, 2 systems in columns (by the names of its axes)",
    ),
    "no metric": (lambda: long_frame().query("metric == 'AP'").drop(columns="metric"), "long frame of one metric"),
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
def test_words_for_columns(words):
    """Columns are recognised by the words of every field, and the result names them."""
    found = as_scores(long_frame(words))
    np.testing.assert_array_equal(found.sel(metric=METRICS, system=SYSTEMS, topic=TOPICS).to_numpy(), VALUES)
    assert found.attrs["read_as"] == (
        f"long frame: system in {words[0]!r}, topic in {words[1]!r}, metric in {words[2]!r}, score in {words[3]!r}"
    )


@pytest.mark.parametrize("made", TWO_METRICS.values(), ids=TWO_METRICS.keys())
def test_levels_of_labels(made):
    """Levels of labels are recognised by their names, and without them by how the labels are spelled."""
    found = as_scores(made())
    np.testing.assert_array_equal(found.sel(metric=METRICS, system=SYSTEMS, topic=TOPICS).to_numpy(), VALUES)


@pytest.mark.parametrize(("made", "read_as"), ONE_METRIC.values(), ids=ONE_METRIC.keys())
def test_frames_of_one_metric(made, read_as):
    """Systems may be in rows or in columns; the result says where they were found, and by what."""
    found = as_scores(made())
    np.testing.assert_array_equal(found.sel(system=SYSTEMS, topic=TOPICS).to_numpy()[0], VALUES[0])
    assert read_as in found.attrs["read_as"]


def test_a_wide_frame_takes_the_name_of_its_metric():
    """One metric can be named, and no more than one."""
    assert as_scores(wide_frame(), metrics=["AP"])["metric"].to_numpy().tolist() == ["AP"]
    with pytest.raises(ScoresError, match="holds one metric"):
        as_scores(wide_frame(), metrics=METRICS)
    with pytest.raises(InvalidOptionError, match="has names of its own"):
        as_scores(long_frame(), metrics=METRICS)


@pytest.mark.parametrize(
    ("frame", "rule"),
    [
        (pd.DataFrame(), "the frame is empty"),
        (long_frame().drop(columns="system"), "no column says which system"),
        (long_frame().drop(columns="topic"), "no column is known to name the items; add one"),
        (pd.DataFrame({"model": ["a", "b"], "x": [1, 2], "y": [1, 2], "std": [1, 1]}), "these are means by system"),
        (wide_frame().set_axis(METRICS, axis=1), "are called like metrics"),
        (wide_frame().set_axis(METRICS, axis=1).rename_axis("qid"), "no column says which system"),
        (pd.concat({"x": wide_frame(0), "y": wide_frame(1)}), "Name every level"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), "Its columns are a, b; not found: system, topic, metric, score"),
    ],
)
def test_other_frames_are_refused(frame, rule):
    """What cannot be told is an error that names the columns seen and a way out."""
    with pytest.raises(ScoresError, match=rule):
        as_scores(frame)


def test_every_form_of_a_frame_is_told_by_its_columns():
    """Forms have names, and a frame without known columns has none of them."""
    assert len({form.name for form in FRAME_FORMS}) > 4


@pytest.mark.parametrize("answers", [np.tile([0, 1], 6), np.arange(12) % 5 + 1, np.linspace(0.1, 0.9, 12)])
@pytest.mark.parametrize("first", [True, False])
def test_ids_of_topics_beside_two_columns_of_scores_are_no_system(answers, first):
    """301 to 312, whole and no two alike, are ids where the name says so, and asked about where it does not."""
    scores = {"A": answers, "B": answers[::-1]}
    for name in ("q", "qno", "query_number", "Q", "qid", "query"):
        ids = {name: range(301, 313)}
        frame = pd.DataFrame(ids | scores if first else scores | ids)
        read = as_scores(frame)
        assert read["system"].to_numpy().tolist() == ["A", "B"], name
        assert read["topic"].to_numpy().tolist() == [str(number) for number in range(301, 313)], name
        assert paired_t_test(frame).n_topics == len(answers)
    for name in ("foo", "docno"):
        with pytest.raises(
            ScoresError, match=f"'{name}' .whole numbers from 301 to 312, no two alike.*call it topic if"
        ):
            sign_test(pd.DataFrame(scores | {name: range(301, 313)}))
    words = as_scores(pd.DataFrame({"q": [f"what is {number}?" for number in range(12)]} | scores))
    assert words["topic"].to_numpy()[1] == "what is 1?"
    large = as_scores(pd.DataFrame(scores | {"q": [0.5, *answers[1:]]}))  # a system may be called so
    assert large["system"].to_numpy().tolist() == ["A", "B", "q"]
