"""Scores: every shape they come in, what is refused, and what the rest of the package asks of them."""

import itertools
from typing import NamedTuple

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis.extra import numpy as hnp

from metaeval.base.names import label_array, natural_order
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.array import DIMS
from metaeval.table.scores import (
    as_scores,
    better_direction,
    identical_systems,
    oriented_values,
    scores_to_long,
    select_runs,
    settled_gaps,
    system_groups,
)


class Metric(NamedTuple):
    """What ir_measures.iter_calc yields."""

    query_id: str
    measure: str
    value: float


def _assert_same(found, right):
    """Names, numbers and notes are the same, whatever form they were read from."""
    xr.testing.assert_identical(*(one.assign_attrs(read_as="") for one in (found, right)))


VALUES = np.array([[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], [[1.0, 0.5, 0.25], [0.0, 0.0, 1.0]]])
METRICS, SYSTEMS, TOPICS = ["AP", "RR"], ["bm25", "lm"], ["301", "302", "1001"]


@pytest.fixture
def scores():
    """Two metrics, two systems, three topics."""
    return as_scores(VALUES, metrics=METRICS, systems=SYSTEMS, topics=TOPICS)


def _long(columns=("system", "topic", "metric", "score")):
    rows = [
        (system, topic, metric, VALUES[m, s, t])
        for m, metric in enumerate(METRICS)
        for s, system in enumerate(SYSTEMS)
        for t, topic in enumerate(TOPICS)
    ]
    return pd.DataFrame(rows, columns=columns)


def _wide(metric):
    return pd.DataFrame(VALUES[metric].T, index=TOPICS, columns=SYSTEMS)


def _polars():
    return pytest.importorskip("polars").DataFrame({name: _long()[name].tolist() for name in _long().columns})


SHAPES = {
    "data array in another order": lambda scores: scores.transpose("topic", "metric", "system"),
    "dataset of metrics": lambda scores: scores.drop_vars("higher_is_better").to_dataset("metric"),
    "long frame": lambda _: _long(),
    "long polars frame": lambda _: _polars(),
    "long frame of ir_measures and PyTerrier": lambda _: _long(("name", "qid", "measure", "value")),
    "long frame with other words and cases": lambda _: _long(("Run ID", "Query-ID", "MEASURE", "Value")),
    "long frame with categories": lambda _: _long().astype({"system": "category", "topic": "category"}),
    "long frame of pandas' own types": lambda _: _long().convert_dtypes(),
    "long frame with labels in its index": lambda _: _long().set_index(["system", "topic", "metric"]),
    "frame with a column a metric": lambda _: pd.DataFrame(
        {
            "run": np.repeat(SYSTEMS, 3),
            "query_id": TOPICS * 2,
            "AP": VALUES[0].ravel(),
            "RR": VALUES[1].ravel(),
        }
    ),
    "wide frames by metric": lambda _: {"AP": _wide(0), "RR": _wide(1).iloc[::-1]},
    "streams of ir_measures by system": lambda _: {
        system: (Metric(row.topic, row.metric, row.score) for row in _long().query("system == @system").itertuples())
        for system in SYSTEMS
    },
    "frames of ir_measures by system": lambda _: {
        system: _long(("system", "query_id", "measure", "value")).query("system == @system").drop(columns="system")
        for system in SYSTEMS
    },
    "results of pytrec_eval by system": lambda _: {
        system: {topic: {metric: VALUES[m, s, t] for m, metric in enumerate(METRICS)} for t, topic in enumerate(TOPICS)}
        for s, system in enumerate(SYSTEMS)
    },
    "scores already": lambda scores: scores,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_every_shape_gives_the_same_scores(scores, shape):
    """However scores are held, names and numbers come out the same."""
    found = as_scores(shape(scores))
    _assert_same(found, scores)
    assert found.dims == DIMS
    assert found.dtype == np.float64


NESTED = {
    "numbers": (METRICS, SYSTEMS, TOPICS),
    "ranx": (["ndcg@10", "map@100", "mrr"], ["bm25", "bi-encoder", "fused"], ["q_1", "q_2", "q_30"]),
    "pytrec_eval": (["map", "P_5", "ndcg_cut_10"], ["run1", "run2"], ["MB001", "MB002", "MB003", "MB004"]),
    "translation": (["BLEU", "chrF", "COMET"], ["GPT-4", "Llama"], ["doc1", "doc2", "doc3"]),
    "words": (["AP", "RR"], ["apple", "pear"], ["rain", "snow", "wind"]),
    "own metrics": (["mine", "yours"], ["bm25", "lm"], ["301", "302"]),
    "systems by number": (["AP", "RR"], ["1", "2"], ["301", "302", "303"]),
    "one metric": (["AP"], ["bm25", "lm"], ["301", "302", "303"]),
}
ORDERS = list(itertools.permutations(DIMS))


def _nested(names, order):
    """Scores as mappings in mappings; the same number for the same names, whatever the order."""
    labels = dict(zip(DIMS, names, strict=True))

    def below(places):
        if len(places) == len(DIMS):
            chosen = dict(zip(order, places, strict=True))
            return (chosen["metric"] * 7 + chosen["system"] * 3 + chosen["topic"]) / 64
        return {name: below((*places, place)) for place, name in enumerate(labels[order[len(places)]])}

    return below(())


def _named(names):
    """Look up names by what they are called; measures as objects need the package that they come from."""
    if names != "measures":
        return NESTED[names]
    ir_measures = pytest.importorskip("ir_measures")
    return [ir_measures.AP, ir_measures.nDCG @ 10], ["a", "b"], ["1", "2", "3"]


@pytest.mark.parametrize("names", [*NESTED, "measures"])
def test_no_order_of_nesting_swaps_axes(names):
    """However mappings are nested, they give the same scores or none, and with nesting= always the same."""
    names = _named(names)
    right = as_scores(_nested(names, DIMS), nesting=DIMS)
    assert right["metric"].to_numpy().tolist() == [str(metric) for metric in names[0]]
    assert right["system"].to_numpy().tolist() == names[1]
    for order in ORDERS:
        data = _nested(names, order)
        _assert_same(as_scores(data, nesting=order), right)
        try:
            found = as_scores(data)
        except InvalidOptionError as error:
            assert "`nesting=('system', 'topic', 'metric')`" in str(error)  # noqa: PT017 - one or the other
        else:
            _assert_same(found, right)


@pytest.mark.parametrize("order", [("system", "topic", "metric"), ("system", "metric", "topic"), DIMS])
@pytest.mark.parametrize("names", ["numbers", "ranx", "pytrec_eval", "measures", "translation", "one metric"])
def test_usual_orders_of_nesting_are_recognised(names, order):
    """What pytrec_eval and ranx hold needs no option where the names tell what is what."""
    names = _named(names)
    _assert_same(as_scores(_nested(names, order)), as_scores(_nested(names, DIMS), nesting=DIMS))


@given(
    st.permutations(DIMS),
    *(
        st.lists(
            st.sampled_from(["AP", "map", "mine", "comet", "bm25", "run1", "run2", "q1", "q2", "1", "2", "x"]),
            min_size=2,
            max_size=4,
            unique=True,
        )
        for _ in DIMS
    ),
)
def test_no_names_let_one_nesting_stand_for_two(order, metrics, systems, topics):
    """Of all orders in which the same scores are nested, those that are accepted agree."""
    found = []
    for one in ORDERS:
        try:
            found.append(as_scores(_nested((metrics, systems, topics), one)))
        except InvalidOptionError:
            continue
    for other in found[1:]:
        assert found[0].sizes == other.sizes
        assert sorted(found[0]["metric"].to_numpy()) == sorted(other["metric"].to_numpy())
        reordered = other.sel({dim: found[0][dim] for dim in DIMS})
        assert (reordered == found[0]).all()
    assert as_scores(_nested((metrics, systems, topics), order), nesting=order)["system"].to_numpy().tolist() == systems


@pytest.mark.parametrize(
    ("data", "options", "rule"),
    [
        ({"a": {"AP": {"1": 0.5}}}, {"nesting": "system"}, "must name system, topic and metric"),
        ({"a": {"AP": {"1": 0.5}}}, {"nesting": ("system", "topic")}, "must name system, topic and metric"),
        ([[1, 0], [0, 1]], {"nesting": DIMS}, "is for mappings in mappings"),
        ({"a": {"AP": {}}, "b": {"AP": {}}}, {}, "hold no score"),
        ({"a": {"AP": {"1": 0.5}}, "b": {"AP": 0.5}}, {}, "'b': expected a wide DataFrame"),
        ({"a": {"1": {"AP": 0.5}}, "b": iter([Metric("1", "AP", 0.5)])}, {}, "give the results of all systems in one"),
    ],
)
def test_nesting_is_checked(data, options, rule):
    """An order that is none, or has nothing to order, and mappings that end early are refused."""
    with pytest.raises((InvalidOptionError, ScoresError), match=rule):
        as_scores(data, **options)


def test_a_wide_frame_that_names_its_axes_is_turned_round():
    """A frame whose index is called system, or whose columns are called topic, gives the same scores."""
    right = as_scores({"AP": _wide(0)})
    turned = _wide(0).T
    _assert_same(as_scores({"AP": turned.rename_axis("run")}), right)
    _assert_same(as_scores({"AP": turned.rename_axis(columns="qid")}), right)
    with pytest.raises(ScoresError, match="calls its rows and its columns systems"):
        as_scores({"AP": turned.rename_axis("run").rename_axis(columns="system")})
    with pytest.raises(ScoresError, match="several levels of names"):
        as_scores({"AP": pd.concat({"x": _wide(0)})})


def test_a_wide_frame_with_systems_in_rows_is_turned_round():
    """Columns called like topics over rows that are not say that systems stand in rows, and the result says so."""
    turned = _wide(0).T
    found = as_scores({"AP": turned})
    assert "those in columns are the systems, pass `frame.rename_axis(columns='system')`" in found.attrs["notes"][0]
    _assert_same(found.assign_attrs(notes=[]), as_scores({"AP": _wide(0)}).assign_attrs(notes=[]))
    assert found.attrs["read_as"].endswith("2 systems in rows, 3 topics in columns (by their labels)")
    with pytest.raises(ScoresError, match="rows without names; name the systems"):
        as_scores({"AP": turned.reset_index(drop=True)})
    assert as_scores({"AP": turned.rename_axis("topic")})["topic"].to_numpy().tolist() == SYSTEMS


def test_a_data_set_of_something_else_is_refused():
    """A variable without topics is not spread over all of them; one array in a data set is that array."""
    scores = as_scores(VALUES, metrics=METRICS, systems=SYSTEMS, topics=TOPICS)
    _assert_same(as_scores(scores.to_dataset(name="score")), scores)
    mixed = xr.Dataset({"AP": scores.sel(metric="AP", drop=True), "cost": ("system", [1.0, 2.0])})
    with pytest.raises(ScoresError, match="'cost' has system; leave it out"):
        as_scores(mixed)
    with pytest.raises(ScoresError, match="holds no variable"):
        as_scores(xr.Dataset())


LOSSY = 2**53 + 1
HOLDERS = {
    "array": lambda cell: np.array([[0, 1], [1, cell]], dtype=np.array(cell).dtype),
    "array of objects": lambda cell: np.array([[0, 1], [1, cell]], dtype=object),
    "wide frame": lambda cell: {"AP": pd.DataFrame([[0, 1], [1, cell]], columns=["a", "b"])},
    "wide frame of pandas' own types": lambda cell: {
        "AP": pd.DataFrame([[0, 1], [1, cell]], columns=["a", "b"]).convert_dtypes()
    },
    "long frame": lambda cell: pd.DataFrame(
        {"system": list("aabb"), "topic": [1, 2, 1, 2], "metric": "AP", "score": [0, 1, 1, cell]}
    ),
    "polars frame": lambda cell: pytest.importorskip("polars").DataFrame(
        {"system": list("aabb"), "topic": [1, 2, 1, 2], "metric": ["AP"] * 4, "score": [0, 1, 1, cell]}
    ),
    "mappings": lambda cell: {"a": {"AP": {1: 0.5, 2: 0.5}}, "b": {"AP": {1: 0.5, 2: cell}}},
    "streams": lambda cell: {
        "a": [Metric("1", "AP", 0.5), Metric("2", "AP", 0.5)],
        "b": [Metric("1", "AP", 0.5), Metric("2", "AP", cell)],
    },
}


@pytest.mark.parametrize("holder", HOLDERS.values(), ids=HOLDERS.keys())
def test_whole_numbers_keep_all_their_digits(holder):
    """Two counts that differ never become one: a whole number that has no float is refused, its neighbour kept."""
    assert as_scores(holder(LOSSY - 1)).max() == LOSSY - 1
    with pytest.raises(ScoresError, match="more digits than a score can hold"):
        as_scores(holder(LOSSY))


@pytest.mark.parametrize(
    "cell", ["0.5", " 1e-3 ", "1_0", "0x10", "\u0660.\u0665", "0,5", "50%", "1e400", "9007199254740993"]
)
def test_text_in_a_table_is_a_number_for_all_or_none(cell):
    """Text that holds numbers is read alike in every table, as in a file."""
    tables = [HOLDERS[name](cell) for name in ("array of objects", "wide frame", "long frame", "mappings", "streams")]
    if cell in {"0.5", " 1e-3 "}:
        assert {float(as_scores(table).to_numpy().ravel()[-1]) for table in tables} == {float(cell)}
        return
    for table in tables:
        with pytest.raises(ScoresError, match="no number"):
            as_scores(table)


@pytest.mark.parametrize("dim", DIMS)
def test_a_name_has_a_limit(dim):
    """Arrays of names are as wide as the longest, so one name of a megabyte among many would fill the memory."""
    labels = dict(zip(DIMS, (METRICS, SYSTEMS, TOPICS), strict=True))
    for length in (1000, 1001, 1_000_000):
        names = {f"{one}s": [*labels[one][:-1], "x" * length] if one == dim else labels[one] for one in DIMS}
        if length == 1000:
            assert as_scores(VALUES, **names)[dim].to_numpy()[-1] == "x" * length
            continue
        with pytest.raises(ScoresError, match=f"has a name of {length} characters; the limit is 1000"):
            as_scores(VALUES, **names)


def test_many_long_names_are_refused_before_memory_runs_out():
    """Names that together would take gigabytes are refused with the size."""
    with pytest.raises(ScoresError, match=r"600000 topics with names of up to 1000 characters would take 2 GiB"):
        label_array(["x" * 1000, *["y"] * 599_999], "topic")


def test_an_id_that_may_have_lost_digits_is_refused():
    """A long id that a data frame made a float is no name, nor is a number of thousands of digits."""
    with pytest.raises(ScoresError, match="may have lost digits"):
        as_scores([[1, 0], [0, 1]], topics=[1, 1e17])
    with pytest.raises(ScoresError, match="thousands of digits"):
        as_scores([[1, 0], [0, 1]], topics=[1, 10**5000])
    with pytest.raises(ScoresError, match="no UTF-8"):
        as_scores([[1, 0], [0, 1]], topics=[b"1", b"\xff"])


def test_streams_of_ir_measures_are_understood():
    """What the real ir_measures yields is read, its measure objects under their own names."""
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel(topic, "d1", 1) for topic in ("1", "2")]
    runs = {
        "first": [
            ir_measures.ScoredDoc(topic, doc, score) for topic in ("1", "2") for doc, score in (("d1", 2), ("d2", 1))
        ],
        "second": [
            ir_measures.ScoredDoc(topic, doc, score) for topic in ("1", "2") for doc, score in (("d1", 1), ("d2", 2))
        ],
    }
    measures = [ir_measures.AP, ir_measures.P @ 2]
    found = as_scores({name: ir_measures.iter_calc(measures, qrels, run) for name, run in runs.items()})
    assert found.sel(metric="AP", system="second").to_numpy().tolist() == [0.5, 0.5]
    assert set(found["metric"].to_numpy()) == {"AP", "P@2"}


@pytest.mark.parametrize("dtype", ["object", "str", "string[python]"])
def test_names_of_any_text_type(scores, dtype):
    """Labels are the same under every string type of pandas."""
    frame = _long().astype({"system": dtype, "topic": dtype, "metric": dtype})
    _assert_same(as_scores(frame), scores)


def test_the_data_stay_as_they_were(scores):
    """The result is a copy: changing it changes nothing that was passed in."""
    array = VALUES.copy()
    changed = as_scores(array)
    changed[:] = 0
    again = as_scores(scores)
    again[:] = 0
    np.testing.assert_array_equal(array, VALUES)
    np.testing.assert_array_equal(scores.to_numpy(), VALUES)


@given(st.permutations(range(12)))
def test_the_order_of_rows_does_not_matter(order):
    """Rows in any order give the same scores by name, and topics in the same order."""
    shuffled = as_scores(_long().iloc[list(order)])
    assert shuffled["topic"].to_numpy().tolist() == TOPICS
    np.testing.assert_array_equal(shuffled.sel(metric=METRICS, system=SYSTEMS).to_numpy(), VALUES)


def test_topics_are_aligned_by_id():
    """Tables of two metrics with topics and systems in different orders are put together by name."""
    other = _wide(1).iloc[[2, 0, 1], [1, 0]]
    found = as_scores({"AP": _wide(0), "RR": other})
    np.testing.assert_array_equal(found.sel(metric="RR").to_numpy(), VALUES[1])


def test_metric_may_be_the_name_of_an_array(scores):
    """A two-dimensional DataArray is one metric, called by its name or by its scalar coordinate."""
    one = scores.sel(metric="AP")
    assert as_scores(one)["metric"].to_numpy().tolist() == ["AP"]
    assert better_direction(as_scores(as_scores(one, higher_is_better=False).sel(metric="AP"))).tolist() == [-1.0]
    assert as_scores(one.drop_vars("metric").rename("nDCG"))["metric"].to_numpy().tolist() == ["nDCG"]


def test_default_names():
    """An array without labels gets numbered names, topics as decision 9 of the project has them."""
    found = as_scores(VALUES)
    assert found["metric"].to_numpy().tolist() == ["metric1", "metric2"]
    assert found["system"].to_numpy().tolist() == ["system1", "system2"]
    assert found["topic"].to_numpy().tolist() == ["1", "2", "3"]


def test_ids_are_text():
    """Numbers become text, also those that a data frame made floats; 01 and 1 are two topics."""
    found = as_scores([[1, 2, 3], [4, 5, 6]], topics=[301, 302.0, "01"])
    assert found["topic"].to_numpy().tolist() == ["301", "302", "01"]


NAMES = [
    '<script>alert("x")</script>',
    "50 % & $x_1$ \\",
    "a,b;c\td"[:5],
    "名前",
    "../../etc/passwd",
    "naïve 'q'",
    "=1+1",
]


def test_names_in_bytes_are_text():
    """Labels that a binary file gave as bytes are decoded."""
    assert as_scores([[1, 2], [3, 4]], systems=[b"bm25", "na\u00efve".encode()])["system"].to_numpy().tolist() == [
        "bm25",
        "na\u00efve",
    ]


def test_a_wide_frame_may_have_systems_of_any_name():
    """Systems called like columns of a long table are systems, as long as none is called like a topic."""
    frame = pd.DataFrame([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], index=["1", "2"], columns=["run", "name", "value"])
    assert as_scores({"AP": frame})["system"].to_numpy().tolist() == ["run", "name", "value"]


def test_awkward_names_are_kept():
    """HTML, LaTeX, commas, quotes, Unicode and path characters pass unchanged."""
    found = as_scores(np.zeros((len(NAMES), 2)), systems=NAMES, metrics=["P<10>"])
    assert found["system"].to_numpy().tolist() == NAMES


def test_blanks_around_a_name_are_no_part_of_it():
    """Names differ by more than blanks, so that files and frames agree on them."""
    assert as_scores([[1, 2], [3, 4]], systems=[" bm25", "lm\n"])["system"].to_numpy().tolist() == ["bm25", "lm"]
    with pytest.raises(ScoresError, match="system 'bm25' appears twice"):
        as_scores([[1, 2], [3, 4]], systems=["bm25", "bm25 "])


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "a system has no name"),
        ("  ", "a system has no name"),
        (None, "a system has no name"),
        (float("nan"), "a system has no name"),
        (pd.NA, "a system has no name"),
        ("a\nb", "control character"),
        ("a\x00b", "control character"),
        ("\ud800", "control character"),
    ],
)
def test_names_must_be_printable(name, rule):
    """A missing, empty or unprintable name is refused, wherever it stands."""
    with pytest.raises(ScoresError, match=rule):
        as_scores([[1, 2], [3, 4]], systems=["ok", name])
    frame = pd.DataFrame(
        {"system": ["ok", "ok", name, name], "topic": [1, 2, 1, 2], "metric": "AP", "score": 0.5}, dtype=object
    )
    with pytest.raises(ScoresError, match=rule):
        as_scores(frame)


# ------------------------------------------------------------------------------------------------------------ refusals


REFUSED = {
    "no numbers": ([["a", "b"], ["c", "d"]], ScoresError, "scores must be numbers"),
    "ragged": ([[1, 2], [3]], ScoresError, "scores must be numbers in a labelled table or an array"),
    "complex": (np.ones((2, 2)) * 1j, ScoresError, "real numbers, not complex128"),
    "dates": (np.zeros((2, 2), "datetime64[s]"), ScoresError, "real numbers, not datetime64"),
    "one axis": ([1.0, 2.0], ScoresError, "has the scores of one system; put those of all into one table"),
    "a series": (pd.Series([1.0, 2.0]), ScoresError, "has the scores of one system; put those of all into one table"),
    "rows of unlike lengths": ([[1.0, 2.0], [1.0]], ScoresError, "not list: its rows are of unlike lengths$"),
    "groups": (
        pd.DataFrame({"system": ["a", "b"], "topic": ["1", "1"], "score": [0.1, 0.2]}).groupby("system"),
        ScoresError,
        "not DataFrameGroupBy. What is read: a long frame",
    ),
    "yes and no": (
        pd.DataFrame({"system": ["a", "b"], "topic": ["1", "1"], "score": ["no", "yes"]}),
        ScoresError,
        "scores must be numbers, such as 1 for 'yes' and 0 for the other",
    ),
    "two words of which either may be right": (
        pd.DataFrame({"system": ["a", "b"], "topic": ["1", "1"], "score": ["up", "down"]}),
        ScoresError,
        "scores must be numbers, such as 1 for the one of 'down' and 'up' that is right and 0 for the other",
    ),
    "five axes": (np.zeros((1, 1, 2, 2, 2)), ScoresError, "this one has 5 axes"),
    "one system": (
        [[1.0, 2.0]],
        ScoresError,
        "at least two systems are needed to compare anything; there is only 'system1'",
    ),
    "one topic": ([[1.0], [2.0]], ScoresError, "at least two topics are needed"),
    "no metric": (np.zeros((0, 2, 2)), ScoresError, "no metric"),
    "nothing": ({}, ScoresError, "the mapping is empty"),
    "wrong dims": (
        xr.DataArray(np.zeros((2, 2)), dims=("run", "reader")),
        ScoresError,
        "dims metric, system and topic, and may have repeat; these have",
    ),
    "no labels": (xr.DataArray(np.zeros((1, 2, 2)), dims=DIMS), ScoresError, "names along metric, system, topic"),
    "wide frame of words": (
        pd.DataFrame(0.5, index=["maths", "law"], columns=["ours", "old"]),
        ScoresError,
        "Nothing in their names tells for sure; name them",
    ),
    "means": (
        pd.DataFrame({"name": SYSTEMS, "map": [0.1, 0.2], "P_10": [0.3, 0.4]}),
        ScoresError,
        "these are means by system",
    ),
    "other columns": (
        pd.DataFrame({"what": ["a", "b"], "ever": ["c", "d"]}),
        ScoresError,
        "Its columns are what, ever; not found: system, topic, metric, score",
    ),
    "a column that parts rows": (
        pd.concat([_long().assign(fold=fold) for fold in (1, 2)], ignore_index=True),
        ScoresError,
        "appears twice, .* column 'fold' distinguishes them; if it numbers repeats, call it 'repeat'",
    ),
    "two topic columns": (_long().assign(qid=1), ScoresError, "columns 'topic' and 'qid' could both be the topic"),
    "repeated columns": (_long(("system", "topic", "score", "score")), ScoresError, "column 'score' appears twice"),
    "repeated row": (
        pd.concat([_long(), _long().iloc[[4]]], ignore_index=True),
        ScoresError,
        "system 'lm' on topic '302' under 'AP' appears twice, in rows 4 and 12",
    ),
    "repeated system": (
        {"AP": _wide(0).set_axis(["a", "a"], axis=1)},
        ScoresError,
        r"system 'a' appears twice; names must be unique: rename or leave out one \(table 'AP'\)",
    ),
    "topic column in a wide frame": (
        {"AP": _wide(0).assign(qid=1)},
        ScoresError,
        "column 'qid' among its systems: make it the index",
    ),
    "text in a wide frame": (
        {"AP": _wide(0).astype(object).replace(0.5, "0,5")},
        ScoresError,
        "system 'lm' under 'AP' holds '0,5' in row 1, which is no number",
    ),
    "text in a long frame": (
        _long().astype({"score": object}).replace(0.5, "half"),
        ScoresError,
        "column 'score' holds 'half'",
    ),
    "text nan is no gap": (
        _long().astype({"score": str}).replace("0.5", "n/a"),
        ScoresError,
        "column 'score' holds 'n/a'",
    ),
    "dates in a long frame": (
        _long().assign(score=pd.Timestamp("2024-01-01")),
        ScoresError,
        "column 'score' holds",
    ),
    "wide and long together": (
        {"AP": _wide(0), "bm25": []},
        ScoresError,
        "either wide tables by metric or results by system",
    ),
    "something else by name": ({"AP": 3}, InvalidOptionError, "'AP': expected a wide DataFrame"),
    "one system in a dictionary": ({"bm25": {"301": 0.5}}, ScoresError, "there is only 'bm25'"),
    "one run of ranx": ({"map": {"q1": 0.5}, "mrr": {"q1": 1.0}}, InvalidOptionError, "the results of one system"),
}


@pytest.mark.parametrize(("data", "kind", "rule"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_compared_is_refused(data, kind, rule):
    """Bad input is an error that names the rule and what was found, never a number."""
    with pytest.raises(kind, match=rule):
        as_scores(data)


@pytest.mark.parametrize("wrong", [np.inf, -np.inf])
@pytest.mark.parametrize("missing", ["error", "zero", "drop-systems", "drop-topics"])
def test_infinite_scores_are_refused(wrong, missing):
    """No rule for gaps turns infinity into a score; the message says where it is."""
    values = VALUES.copy()
    values[1, 0, 2] = wrong
    with pytest.raises(ScoresError, match="infinite: system 'system1' on topic '3' under 'metric2'"):
        as_scores(values, missing=missing)


def test_a_gap_is_named():
    """A missing score is an error that names system, topic, metric and the ways out; many are counted."""
    values = VALUES.copy()
    values[0, 1, 2] = np.nan
    with pytest.raises(
        ScoresError, match="no score for system 'system2' on topic '3' under 'metric1'; pass `missing='zero'`"
    ):
        as_scores(values)
    with pytest.raises(ScoresError, match="and 7 more"):
        as_scores(np.full((2, 2, 3), np.nan))


GAPPY = {
    "wide frame of objects": lambda: {
        "metric1": pd.DataFrame(
            {"system1": [0.1, None, 0.3], "system2": [0.4, 0.5, 0.6], "system3": [0.7, 0.8, 0.9]},
            index=[1, 2, 3],
            dtype=object,
        )
    },
    "array": lambda: np.array([[[0.1, np.nan, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]]),
    "masked array": lambda: np.ma.masked_equal([[[0.1, 9.0, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]], 9.0),
    "objects": lambda: [[[0.1, None, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]],
    "rows": lambda: pd.DataFrame(
        [
            (f"system{s}", str(t), "metric1", x)
            for s, row in enumerate([[0.1, None, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], 1)
            for t, x in enumerate(row, 1)
            if x is not None
        ],
        columns=["system", "topic", "metric", "score"],
    ),
}


@pytest.mark.parametrize("gappy", GAPPY.values(), ids=GAPPY.keys())
def test_rules_for_gaps(gappy):
    """A gap, however it is held, is counted as 0, or drops its system or its topic, and is noted by name."""
    with pytest.raises(ScoresError, match="no score for system 'system1' on topic '2'"):
        as_scores(gappy())
    zero = as_scores(gappy(), missing="zero")
    assert zero.sel(system="system1", topic="2").item() == 0
    assert zero.attrs["notes"] == ["1 missing score was counted as 0: system 'system1' on topic '2' under 'metric1'"]
    fewer = as_scores(gappy(), missing="drop-systems")
    assert fewer["system"].to_numpy().tolist() == ["system2", "system3"]
    assert fewer.attrs["notes"] == ["1 system was dropped for missing scores: system1"]
    shorter = as_scores(gappy(), missing="drop-topics")
    assert shorter["topic"].to_numpy().tolist() == ["1", "3"]
    np.testing.assert_array_equal(shorter.to_numpy(), [[[0.1, 0.3], [0.4, 0.6], [0.7, 0.9]]])


def test_dropping_everything_is_an_error():
    """When too few systems remain, the error says what dropped them."""
    values = np.array([[0.1, np.nan], [np.nan, 0.2]])
    with pytest.raises(
        ScoresError, match=r"there is none \(2 systems were dropped for missing scores: system1, system2\)"
    ):
        as_scores(values, missing="drop-systems")


def test_notes_are_added_to_earlier_ones(scores):
    """A note of ours joins those that are there, without touching the input's list."""
    scores.attrs["notes"] = ["read from a file"]
    gappy = scores.where(scores > 0)
    gappy.attrs = scores.attrs
    assert len(as_scores(gappy, missing="zero").attrs["notes"]) == 2
    assert scores.attrs["notes"] == ["read from a file"]


def test_what_goes_with_a_system_is_dropped_with_it(scores):
    """Groups and other coordinates stay beside the systems that remain."""
    values = scores.assign_coords(group=("system", ["x", "y"]), pooled=("system", [True, False]))
    values = xr.concat([values, values.assign_coords(system=["c", "d"])], "system").copy()
    values[0, 0, 0] = np.nan
    found = as_scores(values, missing="drop-systems")
    assert found["group"].to_numpy().tolist() == ["y", "x", "y"]
    assert found["pooled"].to_numpy().tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("options", "kind", "rule"),
    [
        ({"missing": "skip"}, UnknownNameError, "no rule for missing scores 'skip'"),
        ({"missing": "zeros"}, UnknownNameError, "did you mean 'zero'"),
        ({"metrics": "AP"}, InvalidOptionError, "`metrics` must be a sequence of names"),
        ({"systems": ["a"]}, InvalidOptionError, "`systems` holds 1 names for 2 systems"),
        ({"higher_is_better": {"map": False}}, UnknownNameError, "no metric 'map'"),
        ({"higher_is_better": "sometimes"}, InvalidOptionError, "must be True or False, not 'sometimes'"),
        ({"groups": {"system1": "x"}}, InvalidOptionError, "covers 1 of 2 systems; without a group: system2"),
        ({"groups": {"system1": "x", "system2": ""}}, ScoresError, "group .of system 'system2'. has no name"),
    ],
)
def test_options_are_checked(options, kind, rule):
    """An option outside its rule is an error that shows it."""
    with pytest.raises(kind, match=rule):
        as_scores(VALUES, **options)


def test_names_are_for_bare_arrays(scores):
    """A table with names of its own takes no others."""
    for table in (scores, _long(), {"AP": _wide(0)}):
        with pytest.raises(InvalidOptionError, match="this table has names of its own"):
            as_scores(table, systems=SYSTEMS)


def test_columns_taken_for_another_are_found_before_memory_runs_out():
    """Ids that never repeat cannot be systems and topics at once; the table is refused, not allocated."""
    n_rows = 20_000
    frame = pd.DataFrame({"system": range(n_rows), "topic": range(n_rows), "metric": "AP", "score": 0.5})
    with pytest.raises(ScoresError, match="20000 scores cannot fill 1 metrics x 20000 systems x 20000 topics"):
        as_scores(frame)


# ------------------------------------------------------------------------------------------------- direction and groups


def test_direction_is_up_unless_said():
    """Every metric is better when higher, but those named; what was said before stays."""
    found = as_scores(VALUES, metrics=METRICS, higher_is_better={"RR": False})
    assert better_direction(found).tolist() == [1.0, -1.0]
    assert better_direction(as_scores(found)).tolist() == [1.0, -1.0]
    assert better_direction(as_scores(found, higher_is_better=True)).tolist() == [1.0, 1.0]
    assert better_direction(as_scores(found, higher_is_better=False)).tolist() == [-1.0, -1.0]


def test_raw_values_are_kept():
    """The scores stay as they are; only `oriented_values` turns them."""
    found = as_scores(VALUES, metrics=METRICS, higher_is_better={"RR": False})
    np.testing.assert_array_equal(found.to_numpy(), VALUES)
    np.testing.assert_array_equal(oriented_values(found)[1], -VALUES[1])


def test_a_direction_written_as_text_is_understood():
    """The word false is no true value, as it would be for bool()."""
    found = as_scores(_long().assign(higher_is_better=["True"] * 6 + ["false"] * 6))
    assert found["higher_is_better"].to_numpy().tolist() == [True, False]
    of_columns = pd.DataFrame({"system": ["a", "a", "b", "b"], "topic": [1, 2, 1, 2], "ours": 0.5, "theirs": 0.25})
    found = as_scores(of_columns.assign(higher_is_better=False))
    assert found["higher_is_better"].to_numpy().tolist() == [False, False]
    with pytest.raises(ScoresError, match="metric 'AP' has more than one higher_is_better"):
        as_scores(_long().assign(higher_is_better=[True, False] * 6))
    with pytest.raises(InvalidOptionError, match="whether higher is better for 'RR' must be True or False, not None"):
        as_scores(_long().assign(higher_is_better=[True] * 6 + [None] * 6))


def test_groups_come_from_a_column_or_an_option(scores):
    """A group column and groups= say the same; groups= wins."""
    column = as_scores(_long().assign(group=["x"] * 3 + ["y"] * 3 + ["x"] * 3 + ["y"] * 3))
    assert system_groups(column).tolist() == ["x", "y"]
    assert system_groups(as_scores(scores, groups={"bm25": "x", "lm": "y"})).tolist() == ["x", "y"]
    assert system_groups(as_scores(column, groups={"bm25": 1, "lm": 1})).tolist() == ["1", "1"]
    with pytest.raises(ScoresError, match="system 'bm25' has more than one group: 'x' and 'y'"):
        as_scores(_long().assign(group=["x", "y"] * 6))
    with pytest.raises(InvalidOptionError, match="these scores have no groups"):
        system_groups(scores)


def test_a_coordinate_on_the_wrong_dimension_is_refused(scores):
    """A group of a topic, or a direction of a system, means something else than we would read."""
    with pytest.raises(ScoresError, match="coordinate group must lie along system"):
        as_scores(scores.assign_coords(group=("topic", ["x", "y", "z"])))
    with pytest.raises(ScoresError, match="coordinate higher_is_better must lie along metric"):
        as_scores(scores.drop_vars("higher_is_better").assign_coords(higher_is_better=("system", [True, False])))


# -------------------------------------------------------------------------------------------------------- long and back


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=3, max_dims=3, min_side=2, max_side=4),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    ),
    st.booleans(),
)
def test_long_and_back(values, grouped):
    """Laying scores out as a long table loses nothing."""
    systems = [f"s{number}" for number in range(values.shape[1])]
    groups = {name: f"g{place % 2}" for place, name in enumerate(systems)} if grouped else None
    scores = as_scores(values, systems=systems, groups=groups, higher_is_better={"metric1": False})
    _assert_same(as_scores(scores_to_long(scores)), scores)


# -------------------------------------------------------------------------------------------------------------- helpers


def test_identical_systems_agree_everywhere():
    """Systems count as identical only if they agree on every topic under every metric; -0 is 0."""
    values = np.array([[[0.0, 1], [-0.0, 1], [0, 1], [1, 1]], [[0.5, 1], [0.5, 1], [0.5, 0.9], [1, 1]]])
    assert identical_systems(as_scores(values)) == (("system1", "system2"),)


def test_systems_that_part_late_are_not_identical():
    """Systems that agree on the first thousand topics are looked at to the end; groups come by their first names."""
    values = np.zeros((1, 4, 1500))
    values[:, [0, 2], 0] = 1.0
    values[:, 3, -1] = 1.0
    assert identical_systems(as_scores(values)) == (("system1", "system3"),)


def test_all_runs_are_all(scores):
    """The choice "all" draws nothing."""
    generator = np.random.default_rng(0)
    before = generator.bit_generator.state
    _assert_same(select_runs(scores, "all", generator), scores)
    assert generator.bit_generator.state == before


def test_one_run_per_group():
    """Every group has one run in the choice, every run of a group comes up, and the original order stays."""
    names = [f"run{number}" for number in range(7)]
    groups = dict(zip(names, "xxxyyzz", strict=True))
    scores = as_scores(np.random.default_rng(0).random((7, 4)), systems=names, groups=groups)
    generator = np.random.default_rng(1)
    seen = set()
    for _ in range(60):
        chosen = select_runs(scores, "one-per-group", generator)
        assert chosen["group"].to_numpy().tolist() == ["x", "y", "z"]
        seen |= set(chosen["system"].to_numpy().tolist())
    assert seen == set(names)


@pytest.mark.parametrize("runs", [3, np.int64(3)])
def test_so_many_runs(runs):
    """A number chooses that many runs without repetition, in their original order."""
    scores = as_scores(np.random.default_rng(0).random((7, 4)))
    chosen = select_runs(scores, runs, np.random.default_rng(1))["system"].to_numpy().tolist()
    assert len(chosen) == 3
    assert chosen == natural_order(set(chosen))


@pytest.mark.parametrize("runs", [4, "one-per-group"])
def test_the_choice_goes_by_name(runs):
    """Systems in another order, as another file may hold them, are chosen alike under the same seed."""
    groups = {f"run{number}": f"g{number % 3}" for number in range(9)}
    scores = as_scores(np.random.default_rng(0).random((9, 4)), systems=list(groups), groups=groups)
    one = select_runs(scores, runs, np.random.default_rng(5))["system"].to_numpy()
    other = select_runs(scores.isel(system=slice(None, None, -1)), runs, np.random.default_rng(5))["system"].to_numpy()
    assert one.tolist() == other.tolist()[::-1]


@pytest.mark.parametrize("runs", [1, 3, True, 2.0, "some", None])
def test_other_choices_are_refused(scores, runs):
    """Too few, too many, or another word is an error that shows it and the rule."""
    with pytest.raises(InvalidOptionError, match="a number from 2 to 2") as caught:
        select_runs(scores, runs, np.random.default_rng(0))
    assert repr(runs) in str(caught.value)


def test_one_group_is_too_few(scores):
    """One run per group of a single group leaves nothing to compare."""
    with pytest.raises(InvalidOptionError, match="at least two groups; there is only 'x'"):
        select_runs(as_scores(scores, groups=dict.fromkeys(SYSTEMS, "x")), "one-per-group", np.random.default_rng(0))


def test_missing_repeats_count_0_where_repeats_are_crossed():
    """Under "zero" a seed that crashed counts 0: (0.8 + 0.6 + 0) / 3 by hand; of those run once less, nothing does."""
    values = np.array([[[[0.8, 0.6, np.nan], [0.9, 0.6, 0.3]], [[0.5, 0.5, 0.5], [0.6, 0.6, 0.6]]]])
    scores = as_scores(values, systems=["a", "b"], missing="zero")
    assert scores.mean("repeat").to_numpy()[0].tolist() == pytest.approx(np.array([[1.4 / 3, 0.6], [0.5, 0.6]]))
    assert "1 missing repeat was counted as 0" in settled_gaps(scores)
    kept = as_scores(values, systems=["a", "b"], missing="pairwise")
    assert kept.mean("repeat").to_numpy()[0, 0, 0] == pytest.approx(0.7)
    values[0, 0, 1, 2] = np.nan  # now system a was never run a third time
    fewer = as_scores(values, systems=["a", "b"], missing="zero")
    assert np.isnan(fewer.to_numpy()).sum() == 2
    assert any("2 means of fewer repeats than others" in note for note in fewer.attrs["notes"])
    values[0, :, :, 2] = np.nan
    values[0, 0, 0, 2] = values[0, 1, 1, 2] = 0.5  # a repeat that most lack was an extra one
    assert np.isnan(as_scores(values, systems=["a", "b"], missing="zero").to_numpy()).sum() == 2


@pytest.mark.parametrize("absent", [None, float("nan"), pd.NA, pd.NaT])
def test_a_column_without_a_name_is_no_system(absent):
    """A wide frame whose topics stand in a column: a missing name was a system called nan."""
    frame = pd.DataFrame([["1", 0.1, 0.2, 0.5], ["2", 0.2, 0.3, 0.6]], columns=["topic", "a", absent, "c"])
    with pytest.raises(ScoresError, match="a column has no name"):
        as_scores(frame)


def test_long_names_leave_room_for_the_ways_out():
    """Ids of 64 signs: fewer are listed, none is cut."""
    names = [f"{number:064d}" for number in range(9)]
    frame = pd.DataFrame({"a-long-name-of-a-system": [0.5] * 9, "another": [np.nan] * 8 + [0.1]}, index=names)
    with pytest.raises(ScoresError, match=r"and [0-9] more; pass `missing='zero'`") as told:
        as_scores({"AP": frame.assign(third=0.2)})
    assert names[0] in str(told.value)
    assert "\N{HORIZONTAL ELLIPSIS}" not in str(told.value)
