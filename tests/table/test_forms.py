"""Forms of scores in memory: each is recognised, says what it was taken for, and gives the same scores."""

import itertools
import json
from typing import NamedTuple

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from forms_of_scores import METRICS, SYSTEMS, TOPICS, VALUES, long_frame, results_of, wide_frame
from hypothesis import given

from metaeval import as_scores, read_scores
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError
from metaeval.table.array import DIMS, first_repeat, place_rows
from metaeval.table.forms import FORMS, MAPPINGS


@given(st.lists(st.integers(0, 5), max_size=30))
def test_the_first_repeat_is_found(cells):
    """The row reported is the first whose cell stood before, with the row that held it, as a plain loop finds it."""
    seen = {}
    expected = None
    for row, cell in enumerate(cells):
        if cell in seen:
            expected = (row, seen[cell])
            break
        seen[cell] = row
    topic, alone = np.array(cells, dtype=np.int64), np.zeros(len(cells), dtype=np.int64)
    labels = {"metric": ["a"], "system": ["a"], "topic": list("abcdef")}
    assert first_repeat({"metric": alone, "system": alone, "topic": topic}, labels) == expected


def test_cells_are_laid_out_by_metric_system_topic():
    """Rows are placed as a C-ordered array metric x system x topic has them."""
    codes = {dim: code.ravel() for dim, code in zip(DIMS, np.indices((2, 3, 4)), strict=True)}
    labels = {"metric": ["a"] * 2, "system": ["a"] * 3, "topic": ["a"] * 4}
    np.testing.assert_array_equal(place_rows(codes, labels), np.arange(24))


class Row(NamedTuple):
    """A record of somebody's own."""

    run: str
    qid: str
    measure: str
    value: float


EVERYTHING = {
    "columns": (long_frame().to_dict("list"), "long frame"),
    "records": (long_frame().to_dict("records"), "long frame"),
    "named tuples": ([Row(*row) for row in long_frame().itertuples(index=False)], "long frame: system in 'run'"),
    "records by system": ({system: results_of(system).to_dict("records") for system in SYSTEMS}, "results by system"),
    "wide frames": ({"AP": wide_frame(0), "RR": wide_frame(1)}, "wide frames by metric: 3 topics in rows"),
    "wide frames with a column of topics": (
        {metric: wide_frame(at).rename_axis("qid").reset_index() for at, metric in enumerate(METRICS)},
        "wide frames by metric: 3 topics in rows",
    ),
    "nested as pytrec_eval": (
        {
            system: {topic: {m: VALUES[i, s, t] for i, m in enumerate(METRICS)} for t, topic in enumerate(TOPICS)}
            for s, system in enumerate(SYSTEMS)
        },
        "mappings in mappings: system, topic, metric, the outermost first",
    ),
    "nested as scores of ranx": (
        {
            system: {m: dict(zip(TOPICS, VALUES[i, s], strict=True)) for i, m in enumerate(METRICS)}
            for s, system in enumerate(SYSTEMS)
        },
        "mappings in mappings: system, metric, topic, the outermost first",
    ),
    "labelled array": (
        xr.DataArray(VALUES, dims=DIMS, coords=dict(zip(DIMS, (METRICS, SYSTEMS, TOPICS), strict=True))),
        "labelled array",
    ),
    "labelled array with dims by other words": (
        xr.DataArray(VALUES, {"measure": METRICS, "run": SYSTEMS, "query": TOPICS}, ("measure", "run", "query")),
        "labelled array",
    ),
}
OF_ONE_METRIC = {
    "systems outside": (
        {system: dict(zip(TOPICS, VALUES[0, s], strict=True)) for s, system in enumerate(SYSTEMS)},
        "mappings in mappings: system, topic, the outermost first (by their labels)",
    ),
    "topics outside": (
        {topic: dict(zip(SYSTEMS, VALUES[0, :, t], strict=True)) for t, topic in enumerate(TOPICS)},
        "mappings in mappings: topic, system, the outermost first (by their labels)",
    ),
    "series": (
        {system: pd.Series(VALUES[0, s], index=TOPICS) for s, system in enumerate(SYSTEMS)},
        "mappings in mappings: system, topic",
    ),
}


@pytest.mark.parametrize(("data", "read_as"), EVERYTHING.values(), ids=EVERYTHING.keys())
def test_every_form_gives_the_same_scores(data, read_as):
    """Names and numbers come out the same, and the result says what the data were taken for."""
    found = as_scores(data)
    assert found.attrs["read_as"].startswith(read_as)
    held = found.sel(metric=METRICS, system=SYSTEMS, topic=TOPICS).to_numpy()
    np.testing.assert_array_equal(held, VALUES)


@pytest.mark.parametrize(("data", "read_as"), OF_ONE_METRIC.values(), ids=OF_ONE_METRIC.keys())
def test_mappings_of_one_metric(data, read_as):
    """Scores by system and topic are read whichever is outermost; the metric can be named."""
    found = as_scores(data, metrics=["AP"])
    assert found.attrs["read_as"].startswith(read_as)
    np.testing.assert_array_equal(found.sel(metric="AP", system=SYSTEMS, topic=TOPICS).to_numpy(), VALUES[0])


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_lists_by_system(kind):
    """A list a system holds its scores on the same topics, which can be named."""
    data = {system: kind(VALUES[0, s].tolist()) for s, system in enumerate(SYSTEMS)}
    found = as_scores(data, topics=TOPICS)
    np.testing.assert_array_equal(found.sel(system=SYSTEMS, topic=TOPICS).to_numpy()[0], VALUES[0])
    assert found.attrs["read_as"] == "lists by system: 2 systems, 3 topics in their order"
    with pytest.raises(ScoresError, match=r"other numbers of them \(a: 2, b: 1\)"):
        as_scores({"a": [1, 2], "b": [1]})


IDS = {
    "topic": [3, 1, 2, 5, 4],
    "qid": [301, 304, 302, 300, 303],
    "id": ["c", "a", "b", "e", "d"],
    "Frage": ["q3", "q1", "q2", "q5", "q4"],
}
NO_SYSTEMS = {"seed": [3, 1, 2, 5, 4], "n": [900, 901, 902, 903, 904], "Unnamed: 0": [3, 1, 4, 0, 2]}
COLUMNS = {
    "bm25": [31.5, 2.0, 30.5, 12.0, 7.5],
    "dense": [1.0, 22.5, 3.0, 4.5, 5.0],
    "splade": [9.0, 8.5, 7.0, 6.0, 5.5],
}
AS_COLUMNS = {
    "lists": lambda columns: columns,
    "arrays": lambda columns: {name: np.array(cells) for name, cells in columns.items()},
    "series": lambda columns: {name: pd.Series(cells) for name, cells in columns.items()},
    "frame": pd.DataFrame,
    "records": lambda columns: pd.DataFrame(columns).to_dict("records"),
}


@pytest.mark.parametrize("made", AS_COLUMNS)
@pytest.mark.parametrize("name", [*IDS, *NO_SYSTEMS])
@pytest.mark.parametrize("last", [False, True])
def test_a_list_called_as_no_system_is_a_column(name, made, last):
    """Ids name the topics and seeds count as nothing, in a mapping of lists as in the frame of the same columns."""
    beside = {name: (IDS | NO_SYSTEMS)[name]}
    found = as_scores(AS_COLUMNS[made](COLUMNS | beside if last else beside | COLUMNS))
    assert found["system"].to_numpy().tolist() == [*COLUMNS]
    topics = [str(topic) for topic in IDS.get(name, range(5))]
    if name == "Unnamed: 0" and not last:
        topics = list(map(str, beside[name]))
    assert sorted(found["topic"].to_numpy().tolist()) == sorted(topics)
    np.testing.assert_array_equal(found.sel(metric=found["metric"][0], topic=topics).to_numpy(), [*COLUMNS.values()])


def test_lists_without_ids_hold_words_for_no_system():
    """A list of words that no name explains is refused in words about its column."""
    with pytest.raises(ScoresError, match="column 'Eintrag' holds words"):
        as_scores({"Eintrag": [*"abcde"]} | COLUMNS)


def test_systems_may_be_called_as_runs():
    """Numbers under the names run and weight are scores of systems, where nothing else names these."""
    lists = {"run": [0.1, 0.2, 0.3], "model": [0.2, 0.3, 0.5]}
    assert as_scores(lists).sel(system="model").to_numpy().tolist() == [lists["model"]]


def test_arrays_by_metric():
    """An array for every metric is systems by topics, or the other way round if the names say so."""
    found = as_scores({"AP": VALUES[0], "RR": VALUES[1]})
    np.testing.assert_array_equal(found.to_numpy(), VALUES)
    turned = as_scores({"AP": VALUES[0].T, "RR": VALUES[1].T}, systems=SYSTEMS, topics=TOPICS)
    np.testing.assert_array_equal(turned.to_numpy(), VALUES)
    with pytest.raises(ScoresError, match="need one shape"):
        as_scores({"AP": VALUES[0], "RR": VALUES[1].T})


# ------------------------------------------------------------------------------------------------------ bare arrays


@pytest.mark.parametrize("names", [{"systems": SYSTEMS, "topics": TOPICS}, {"systems": SYSTEMS}, {"topics": TOPICS}])
def test_the_names_tell_which_axis_is_which(names):
    """An array is turned so that its axes fit the names given, and the result says so."""
    right, turned = as_scores(VALUES[0], **names), as_scores(VALUES[0].T, **names)
    np.testing.assert_array_equal(turned.to_numpy(), right.to_numpy())
    assert turned.attrs["read_as"] == "array: 1 metric, 3 topics, 2 systems along its axes (by the names given)"


@given(st.permutations(DIMS))
def test_axes_in_any_order_by_three_names(order):
    """Three lists of names of different lengths find their axes, whatever the order."""
    values = np.arange(24.0).reshape(2, 3, 4)
    sizes = dict(zip(DIMS, values.shape, strict=True))
    names = {f"{dim}s": [f"{dim} {at}" for at in range(size)] for dim, size in sizes.items()}
    given_array = values.transpose([DIMS.index(dim) for dim in order])
    np.testing.assert_array_equal(as_scores(given_array, **names).to_numpy(), values)


def test_what_nothing_tells_has_the_documented_order():
    """A square array has its systems in rows, with names or without, and the result says by what."""
    square = np.arange(4.0).reshape(2, 2)
    for names in ({}, {"systems": SYSTEMS}, {"systems": SYSTEMS, "topics": ["1", "2"]}):
        found = as_scores(square, **names)
        np.testing.assert_array_equal(found.to_numpy()[0], square)
        assert found.attrs["read_as"].endswith("(by the documented order)")


def test_names_that_fit_no_axis_are_refused():
    """Too few names are an error that counts them, and so are those that several orders would fit."""
    with pytest.raises(InvalidOptionError, match="`systems` holds 4 names for 2 systems"):
        as_scores(VALUES[0], systems=list("abcd"))
    with pytest.raises(InvalidOptionError, match="put its axes in the order metric, system, topic"):
        as_scores(np.zeros((4, 3, 2)), systems=list("abcd"))


def test_what_was_read_stays_said():
    """Scores that pass through again keep what their first reading said."""
    found = as_scores(VALUES[0].T, systems=SYSTEMS, topics=TOPICS)
    assert as_scores(found).attrs["read_as"] == found.attrs["read_as"]


# ---------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ("scores.csv", "a file is read by metaeval.read_scores"),
        ({"map": [0.1, 0.2], "P_10": [0.1, 0.2]}, "are called like metrics, and should be systems"),
        ({"bm25": {"map": 0.1, "P_10": 0.2}, "lm": {"map": 0.3, "P_10": 0.2}}, "these are means of metrics"),
        ({"maths": {"ours": 0.1, "old": 0.2}, "law": {"ours": 0.3, "old": 0.2}}, None),
        ({"system": ["a", "b"], "topic": ["1"], "score": [1, 2]}, "must be equally long"),
        ({"a": iter([]), "b": iter([])}, "an iterator is read only once"),
        (object(), "What is read: a long frame"),
    ],
)
def test_what_is_none_of_the_forms_is_refused(data, rule):
    """An error says what was found and what is read; mappings whose names do not tell have the documented order."""
    if rule is None:
        assert as_scores(data).attrs["read_as"].endswith("(by the documented order, since no name tells)")
        return
    with pytest.raises(MetaevalError, match=rule):
        as_scores(data)


def test_every_form_has_a_name_and_the_last_takes_the_rest():
    """No data fall through the tables of forms."""
    assert all(form.name for form in (*FORMS, *MAPPINGS))
    assert FORMS[-1].fits(object())
    assert MAPPINGS[-1].fits({"AP": 3})


def test_a_list_of_frames_keeps_what_the_frames_name():
    """Systems stand in columns of each frame alone, so they do in a list; a metric each, named on request."""
    frame = pd.DataFrame(np.arange(6).reshape(3, 2) / 10, columns=["run1", "run2"])
    alone = as_scores(frame)
    for read in (as_scores([frame, 1 - frame]), as_scores((frame, 1 - frame), metrics=["AP", "P"])):
        assert read["system"].to_numpy().tolist() == alone["system"].to_numpy().tolist() == ["run1", "run2"]
        assert read.isel(metric=0).to_numpy().tolist() == alone.isel(metric=0).to_numpy().tolist()
    with pytest.raises(InvalidOptionError, match="`metrics` must name 2 tables, not 1"):
        as_scores([frame, frame], metrics=["AP"])


METRICS_OF = {
    system: pd.DataFrame({"AP": [0.1 * n, 0.2, 0.3], "nDCG@10": [0.4, 0.5, 0.1 * n]}, ["q1", "q2", "q3"])
    for n, system in enumerate(["bm25", "dpr", "lm"], 1)
}


@pytest.mark.parametrize(
    "made",
    [
        lambda frame: frame,
        lambda frame: frame.T,
        lambda frame: frame.rename_axis("qid").reset_index(),
        lambda frame: frame.assign(qid=frame.index).reset_index(drop=True),
        lambda frame: frame.assign(question="which?"),
        lambda frame: pytest.importorskip("polars").from_pandas(frame.rename_axis("qid").reset_index()),
    ],
    ids=["topics in rows", "metrics in rows", "topics in a column", "topics in the last", "with words", "polars"],
)
def test_frames_of_metrics_by_system_are_no_frames_of_systems_by_metric(made):
    """Keys are the systems where the columns, or rows, are called as metrics; every number stays in its place."""
    found = as_scores({system: made(frame) for system, frame in METRICS_OF.items()})
    assert found["metric"].to_numpy().tolist() == ["AP", "nDCG@10"]
    assert found["system"].to_numpy().tolist() == ["bm25", "dpr", "lm"]
    for system, frame in METRICS_OF.items():
        np.testing.assert_array_equal(found.sel(system=system).to_numpy().T, frame.to_numpy())


@pytest.mark.parametrize("order", list(itertools.permutations(["system", "topic", "metric"])))
def test_what_frames_in_a_mapping_hold_can_be_said(order):
    """Keys, rows and columns are what `nesting` says, whatever their names are."""
    numbers = np.arange(8.0).reshape(2, 2, 2)
    frames = {key: pd.DataFrame(numbers[at], ["r1", "r2"], ["c1", "c2"]) for at, key in enumerate(["k1", "k2"])}
    found = as_scores(frames, nesting=order)
    labels = dict(zip(order, (["k1", "k2"], ["r1", "r2"], ["c1", "c2"]), strict=True))
    assert {dim: found[dim].to_numpy().tolist() for dim in order} == labels
    np.testing.assert_array_equal(found.transpose(*order).to_numpy(), numbers)


def test_frames_of_metrics_need_the_names_of_their_systems():
    """A list of such frames says no systems, and means of systems say no topics."""
    with pytest.raises(ScoresError, match=r"each is of one system; pass \{system: frame\}"):
        as_scores(list(METRICS_OF.values()))
    with pytest.raises(ScoresError, match=r"systems by metrics \(AP, nDCG@10\), as means have"):
        as_scores({"judge": METRICS_OF["lm"].rename_axis("system")})


@pytest.mark.parametrize("depth", [2, 3])
def test_models_that_people_know_are_the_systems_of_mappings(depth, tmp_path):
    """Their numbers are versions, and items may be called by hashes; a file of JSON is read as the same mappings."""
    models = ["Meta-Llama-3.1-8B-Instruct", "Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3.1-405B-Instruct"]
    items = ["03741bca", "042b9585", "232d3a95", "306525ba", "af9c1b2d"]
    scores = {model: {item: (at + row) / 10 for row, item in enumerate(items)} for at, model in enumerate(models)}
    if depth == 3:
        scores = {
            model: {item: {"acc": score, "rouge": score / 2} for item, score in cells.items()}
            for model, cells in scores.items()
        }
    path = tmp_path / "nested.json"
    path.write_text(json.dumps(scores))
    for read in (as_scores(scores), read_scores(path)):
        assert sorted(read["system"].to_numpy().tolist()) == sorted(models)
        assert sorted(read["topic"].to_numpy().tolist()) == items
        assert float(read.sel(system=models[1], topic=items[2])[0]) == 0.3
