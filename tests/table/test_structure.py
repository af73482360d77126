"""Repeats, clusters, strata, weights and gaps: kept by every form of scores, and used or refused by every engine."""

import re

import numpy as np
import pytest
import xarray as xr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metaeval.errors import FileFormatError, InvalidOptionError, ScoresError
from metaeval.io.tables import read_scores, write_scores
from metaeval.table.scores import as_scores, identical_systems, oriented_values, scores_to_long
from metaeval.table.structure import (
    engine_scores,
    mean_over_own_topics,
    mean_over_topics,
    topics_by_cluster,
    with_clusters,
)

FORMS = ("scores.csv", "scores.tsv.gz", pytest.param("scores.parquet", marks=pytest.mark.parquet), "scores.nc")


@st.composite
def designs(draw):
    """Scores with any of what they may have, at least one score for every system, topic and repeat."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_metrics, n_systems, n_topics = draw(st.integers(1, 2)), draw(st.integers(2, 4)), draw(st.integers(2, 6))
    n_repeats = draw(st.sampled_from([0, 1, 3]))
    values = rng.integers(0, 10, (n_metrics, n_systems, n_topics, max(n_repeats, 1))) / 10
    if n_repeats == 3:
        values[..., 1:][rng.random(values[..., 1:].shape) < 0.3] = np.nan
        values[0, 0, 0] = 0.5
    gaps = draw(st.booleans()) and n_topics > 2
    if gaps:
        values[0, 0, 1] = np.nan
    values = values if n_repeats else values[..., 0]
    topics = list(map(str, range(1, n_topics + 1)))
    kind = draw(st.sampled_from(["cluster", "stratum", None]))
    array = xr.DataArray(
        values,
        dims=("metric", "system", "topic", "repeat")[: values.ndim],
        coords={"metric": list("AB")[:n_metrics], "system": list("wxyz")[:n_systems], "topic": topics},
    )
    if kind is not None:
        array = array.assign_coords({kind: ("topic", rng.permutation((["maths", "code"] * n_topics)[:n_topics]))})
    if draw(st.booleans()):
        array = array.assign_coords(weight=("topic", rng.integers(1, 5, n_topics) / 4))
    return as_scores(array, missing="pairwise" if gaps else "error")


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=designs())
def test_every_file_keeps_all_of_it(tmp_path, form, scores):
    """Repeats, clusters, strata, weights and gaps come back as they went."""
    back = read_scores(write_scores(scores, tmp_path / form), missing="pairwise")
    xr.testing.assert_identical(back.drop_attrs(), scores.drop_attrs().reindex_like(back))


@settings(max_examples=50, deadline=None)
@given(scores=designs())
def test_a_long_frame_keeps_all_of_it(scores):
    """What is laid out as rows is read as the same scores."""
    back = as_scores(scores_to_long(scores), missing="pairwise")
    xr.testing.assert_identical(back.drop_attrs(), scores.drop_attrs().reindex_like(back))


@settings(max_examples=50, deadline=None)
@given(scores=designs())
def test_means_over_repeats_and_clusters(scores):
    """Means are over what repeats there are; macro means are means of means, each against a plain loop."""
    plain = engine_scores(scores, uses=("gaps", "clusters", "strata", "weights"))
    values = scores.to_numpy()
    for metric, system, topic in np.ndindex(values.shape[:3]):
        own = np.atleast_1d(values[metric, system, topic])
        own = own[~np.isnan(own)]
        expected = sum(own) / len(own) if len(own) else np.nan
        np.testing.assert_allclose(plain.to_numpy()[metric, system, topic], expected, rtol=1e-12)
    weights = scores["weight"].to_numpy() if "weight" in scores.coords else np.ones(scores.sizes["topic"])
    for metric, system in np.ndindex(values.shape[:2]):
        row = plain.to_numpy()[metric, system]
        known = ~np.isnan(row)
        mean = sum(w * x for w, x in zip(weights[known], row[known], strict=True)) / sum(weights[known])
        np.testing.assert_allclose(mean_over_own_topics(plain)[metric, system], mean, rtol=1e-12)
        if not np.isnan(plain.to_numpy()[metric]).any():
            np.testing.assert_allclose(mean_over_topics(plain)[metric, system], mean, rtol=1e-12)


def test_macro_means_are_means_of_weighted_means():
    """Each cluster counts once, whatever its size, and inside it weights count."""
    scores = as_scores(
        [[0.0, 1.0, 0.5, 0.2], [1.0, 0.0, 0.0, 0.4]],
        clusters={"1": "a", "2": "a", "3": "b", "4": "b"},
        weights={"1": 3, "2": 1, "3": 1, "4": 1},
        groups={"system1": "x", "system2": "y"},
    )
    macro = topics_by_cluster(scores)
    np.testing.assert_allclose(macro.to_numpy()[0], [[0.25, 0.35], [0.75, 0.2]])
    assert macro["topic"].to_numpy().tolist() == ["a", "b"]
    assert macro["group"].to_numpy().tolist() == ["x", "y"]
    assert not {"cluster", "weight"} & set(macro.coords)
    assert macro.attrs["notes"] == ["means over the topics of each of 2 clusters"]


def test_a_cluster_a_system_never_met():
    """There is no mean of nothing."""
    scores = as_scores(
        xr.DataArray(
            [[[np.nan, 0.1, 0.2, 0.3], [0.5, 0.1, 0.2, 0.3]]],
            dims=("metric", "system", "topic"),
            coords={"metric": ["A"], "system": ["x", "y"], "topic": list("1234")},
        ),
        missing="pairwise",
        clusters={"1": "a", "2": "b", "3": "b", "4": "b"},
    )
    with pytest.raises(
        ScoresError, match=r"leave out 1 system without a score in some cluster: `exclude_systems=\['x'\]`"
    ):
        topics_by_cluster(scores)


PLAIN = as_scores([[0.1, 0.4, 0.3], [0.2, 0.3, 0.9]])
TRAITS = {
    "clusters": (PLAIN.assign_coords(cluster=("topic", list("aab"))), "come in clusters"),
    "strata": (PLAIN.assign_coords(stratum=("topic", list("aab"))), "fixed clusters"),
    "weights": (PLAIN.assign_coords(weight=("topic", [1.0, 2.0, 1.0])), "have weights"),
}


@pytest.mark.parametrize("trait", TRAITS)
def test_what_is_not_used_is_refused(trait):
    """Each is refused with the ways out, and let in where it is used."""
    scores, words = TRAITS[trait]
    with pytest.raises(InvalidOptionError, match=f"group bias: .*{words}.*(ignore them|leave)"):
        engine_scores(scores, "group bias")
    assert {"clusters": "cluster", "strata": "stratum", "weights": "weight"}[trait] in engine_scores(
        scores, uses=(trait,)
    ).coords


def test_gaps_are_let_in_only_where_somebody_kept_them():
    """Scores with gaps are meant; a table with a hole is an oversight, whatever the engine."""
    values = [[0.1, np.nan, 0.3], [0.2, 0.3, 0.9]]
    kept = as_scores(values, missing="pairwise")
    assert kept.attrs["notes"] == [
        "1 missing score was left out: the two systems are compared on common topics, as their means are"
    ]
    assert as_scores(kept, missing="pairwise").attrs == kept.attrs
    assert np.isnan(engine_scores(kept, uses=("gaps",)).to_numpy()).sum() == 1
    for data, uses in ((kept, ()), (values, ("gaps",))):
        with pytest.raises(ScoresError, match="no score for system 'system1' on topic '2' under 'metric1'"):
            engine_scores(data, uses=uses)


@pytest.mark.parametrize(
    ("gone", "ways"),
    [
        ([(0, 0)], "`missing='zero'`, `'drop-systems'` or `'drop-topics'`"),
        ([(0, 0), (1, 1), (0, 2)], "`missing='zero'` or `'drop-systems'`"),
        ([(0, 0), (1, 1), (2, 2), (3, 0)], "`missing='zero'`"),
    ],
)
def test_only_rules_that_leave_something_are_advised(gone, ways):
    """Where every topic has a gap nothing is left without them, and nobody is sent there."""
    values = np.arange(12.0).reshape(4, 3)
    values[tuple(np.transpose(gone))] = np.nan
    with pytest.raises(ScoresError, match=f"read them with {re.escape(ways)}$"):
        engine_scores(as_scores(values, missing="pairwise"))


def test_what_makes_no_difference_is_no_trait():
    """Clusters of one topic each are none, equal weights none, and a single repeat needs no word."""
    scores = PLAIN.assign_coords(cluster=("topic", list("abc")), weight=("topic", [2.0] * 3)).expand_dims(
        repeat=1, axis=3
    )
    assert engine_scores(scores).drop_attrs().identical(PLAIN.drop_attrs())
    assert not engine_scores(scores).attrs.get("notes")


def test_kinds_of_clusters():
    """Random, fixed, means or none, to and fro."""
    random, _ = TRAITS["clusters"]
    fixed = with_clusters(random, "fixed")
    assert "stratum" in fixed.coords
    assert "cluster" not in fixed.coords
    assert with_clusters(fixed, "random").identical(random)
    assert with_clusters(random, "ignore").identical(PLAIN)
    assert with_clusters(random, "means").identical(topics_by_cluster(random))
    with pytest.raises(InvalidOptionError, match="have no clusters"):
        with_clusters(PLAIN, "fixed")
    with pytest.raises(InvalidOptionError, match="kind of clusters"):
        with_clusters(random, "some")


REFUSED = {
    "both kinds": (
        lambda: as_scores(TRAITS["clusters"][0].assign_coords(stratum=("topic", list("xyz")))),
        "clusters and strata",
    ),
    "a cluster along systems": (
        lambda: as_scores(PLAIN.assign_coords(cluster=("system", list("ab")))),
        "cluster must lie along topic",
    ),
    "a topic without a cluster": (lambda: as_scores([[1, 2], [3, 4]], clusters={"1": "a"}), "without a cluster: 2"),
    "a topic without a weight": (lambda: as_scores([[1, 2], [3, 4]], weights={"1": 1}), "without one: 2"),
    "no weight at all": (lambda: as_scores([[1, 2], [3, 4]], weights={"1": 0, "2": 1}), "topic '1' is 0"),
    "an infinite weight": (lambda: as_scores([[1, 2], [3, 4]], weights={"1": np.inf, "2": 1}), "above 0"),
    "a weight in words": (
        lambda: as_scores([[1, 2], [3, 4]], weights={"1": "much", "2": 1}),
        "'1'.*is no number",
    ),
    "a system without scores": (
        lambda: as_scores([[np.nan, np.nan], [3, 4]], missing="pairwise"),
        "'system1' has no score at all under 'metric1'",
    ),
    "a system without scores under one metric, counted as 0": (
        lambda: as_scores([[[1, 2], [3, 4]], [[1, np.nan], [np.nan, np.nan]]], missing="zero"),
        "'system2' has no score at all under 'metric2'; leave it out, or pass `missing='drop-systems'`",
    ),
    "variables with and without repeats": (
        lambda: as_scores(
            xr.Dataset(
                {"A": (("system", "topic"), np.ones((2, 2))), "B": (("system", "topic", "repeat"), np.ones((2, 2, 2)))},
                coords={"system": list("xy"), "topic": list("12")},
            )
        ),
        "some variables .* have repeats and A not",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused(case):
    """Each message names what is wrong."""
    make, words = REFUSED[case]
    with pytest.raises((ScoresError, InvalidOptionError), match=words):
        make()


def test_identical_systems_with_repeats():
    """Systems are identical where every repeat is."""
    values = np.zeros((1, 3, 2, 2))
    values[0, 2, 1, 1] = 1
    assert identical_systems(as_scores(values)) == (("system1", "system2"),)
    assert oriented_values(as_scores(values, higher_is_better=False))[0, 2, 1, 1] == -1


def test_wide_tables_say_clusters_and_weights(tmp_path):
    """Columns beside the systems, by their own names or by those that are given."""
    (tmp_path / "a.csv").write_text("topic,cluster,weight,x,y\n1,m,2,.1,.2\n2,m,1,.3,.4\n3,c,1,.5,.6\n")
    (tmp_path / "b.csv").write_text("question,task,note,x,y\n1,m,hm,.1,.2\n2,m,so,.3,.4\n3,c,la,.5,.6\n")
    scores = read_scores(tmp_path / "a.csv")
    assert scores["cluster"].to_numpy().tolist() == ["m", "m", "c"]
    assert scores["weight"].to_numpy().tolist() == [2, 1, 1]
    other = read_scores(tmp_path / "b.csv", columns={"topic": "question", "cluster": "task", "ignore": "note"})
    np.testing.assert_array_equal(other.to_numpy(), scores.to_numpy())
    assert other["cluster"].identical(scores["cluster"].drop_vars("weight"))


def test_a_topic_in_two_clusters(tmp_path):
    """A table that says two things of one topic is refused with the line."""
    (tmp_path / "a.csv").write_text("system,topic,cluster,score\nx,1,a,.1\nx,2,a,.2\ny,1,b,.3\ny,2,a,.4\n")
    with pytest.raises(FileFormatError, match=r"line 4: topic '1' has more than one cluster: 'a' and 'b'"):
        read_scores(tmp_path / "a.csv")


def test_repeats_in_a_file(tmp_path):
    """A column of epochs makes repeats; without it the same rows appear twice."""
    rows = [
        f"{system},{topic},{epoch},{value}" for system in "xy" for topic in "12" for epoch, value in ((1, 0), (2, 1))
    ]
    (tmp_path / "a.csv").write_text("\n".join(["system,topic,epoch,score", *rows]))
    (tmp_path / "b.csv").write_text("\n".join(["system,topic,run no,score", *rows]))
    assert dict(read_scores(tmp_path / "a.csv").sizes) == {"metric": 1, "system": 2, "topic": 2, "repeat": 2}
    with pytest.raises(FileFormatError, match=r"line 3: system 'x' has a score on topic '1' .* already"):
        read_scores(tmp_path / "b.csv", columns={"ignore": "run no"})
    (tmp_path / "c.csv").write_text("\n".join(["system,topic,epoch,score", *rows, "x,2,2,0"]))
    with pytest.raises(FileFormatError, match=r"line 10: system 'x' has a score on topic '2', repeat '2', .* already"):
        read_scores(tmp_path / "c.csv")
