"""Data frames: long, a column for each metric, and wide, with labels in columns, in the index or in both."""

import re

import numpy as np
import pandas as pd
import pytest
from forms_of_scores import METRICS, SYSTEMS, TOPICS, VALUES, long_frame, wide_frame

from metaeval import as_scores, read_scores
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


BOARD = pd.DataFrame(
    {"mnli": [0.71, 0.73, 0.69], "qqp": [0.8, 0.79, 0.84], "sst": [0.65, 0.7, 0.62], "rte": [0.77, 0.74, 0.8]},
    index=pd.Index(["bert", "xlnet", "t5"], name="model"),
)


def _saved(frame, path):
    """Return a frame that was written with its index and read as any other file, and what is read of that file."""
    frame.to_csv(path)
    return as_scores(pd.read_csv(path)), read_scores(path)


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize("items_in", ["columns", "rows"])
def test_an_index_that_was_saved_with_a_board_is_no_score(scale, items_in, tmp_path):
    """Numbers of shuffled rows, under "Unnamed: 0", are left out in shares as in per cents, as of the file itself."""
    board = BOARD * scale if items_in == "columns" else (BOARD * scale).T.rename_axis("item")
    for found in _saved(board.reset_index().iloc[[2, 0, 1, *range(3, len(board))]], tmp_path / "acc.csv"):
        held = found.isel(metric=0).sel(system=BOARD.index, topic=[*BOARD]).to_numpy()
        assert found.sizes["system"] * found.sizes["topic"] == BOARD.size
        np.testing.assert_array_equal(held, (BOARD * scale).to_numpy())
        assert "left out" in found.attrs["notes"][0]
        assert "column" in found.attrs["notes"][0]


def test_an_index_that_was_saved_names_the_rows_again(tmp_path):
    """Where nothing else does, as in the file; two metrics are read alike."""
    topics = (BOARD.T * 10).rename_axis(None)
    for found in _saved(topics, tmp_path / "acc.csv"):
        np.testing.assert_array_equal(found.isel(metric=0).sel(system=BOARD.index, topic=[*BOARD]), BOARD * 10)
    frame = pd.read_csv(tmp_path / "acc.csv")
    both = as_scores({"acc": frame, "f1": frame})
    np.testing.assert_array_equal(both.sel(metric="f1", system=BOARD.index, topic=[*BOARD]), BOARD * 10)


def test_an_empty_column_without_a_name_is_left_out():
    """As spreadsheets leave one between two blocks."""
    found = as_scores(BOARD.reset_index().assign(**{"Unnamed: 3": np.nan}))
    np.testing.assert_array_equal(found.isel(metric=0).sel(system=BOARD.index, topic=[*BOARD]), BOARD)


def test_ids_of_rows_beside_systems_are_no_items():
    """A frame with a row a system has its tasks in columns, whatever numbers its rows."""
    frame = BOARD.reset_index()
    frame.insert(0, "ID", [3, 1, 2])
    found = as_scores(frame)
    np.testing.assert_array_equal(found.isel(metric=0).sel(system=BOARD.index, topic=[*BOARD]), BOARD)
    assert found.attrs["notes"] == ["left out column 'ID', an identifier"]


@pytest.mark.parametrize("name", ["epoch", "Run", "Gewicht", "group", "cluster"])
def test_the_column_in_the_way_of_a_wide_frame_is_named(name):
    """With what it was taken for; dropped or renamed as advised, the rest is read."""
    frame = BOARD.reset_index().assign(**{name: [1, 1, 2]})
    with pytest.raises(
        ScoresError, match=rf"^without '{name}' \(taken for the \w+\) this would be a wide frame"
    ) as caught:
        as_scores(frame)
    dropped, renamed = re.findall("`([^`]+)`", str(caught.value))
    found = as_scores(eval(dropped, {"frame": frame}))  # noqa: S307 - what the message says
    np.testing.assert_array_equal(found.isel(metric=0).sel(system=BOARD.index, topic=[*BOARD]), BOARD)
    found = as_scores(eval(renamed, {"frame": frame}))  # noqa: S307
    assert found.sizes["topic"] == 5


def test_numbers_of_runs_beside_items_are_named():
    """Rows of items that have one row each are no rows of runs."""
    frame = BOARD.T.rename_axis("item").reset_index().assign(Run=[1, 1, 2, 2])
    with pytest.raises(ScoresError, match=r"without 'Run' \(taken for the system\) .* a row for each topic"):
        as_scores(frame)


def test_scores_under_the_name_system_are_named_beside_ids():
    """Beside numbered topics a column called System, of fractions, holds scores and no names."""
    frame = pd.DataFrame(
        {"query_id": [1, 2, 3], "System": [0.25, 0.3, 0.4], "dense": [0.2, 0.3, 0.5], "lm": [0.1, 0.2, 0.4]}
    )
    for data in (frame, frame.to_dict("list"), frame.rename(columns={"query_id": "ID"})):
        with pytest.raises(ScoresError, match=r"without 'System' \(taken for the system\)"):
            as_scores(data)
