"""Item analysis: against psych's published example, NumPy in loops, laws, gaps and degenerate topics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from metaeval.agreement.item_statistics import analyse_items, discrimination
from metaeval.errors import InvalidOptionError
from metaeval.table.scores import as_scores

COUNTS = hnp.arrays(float, (6, 7), elements=st.integers(0, 4))

ATTITUDE = """43 51 30 39 61 92 45/63 64 51 54 63 73 47/71 70 68 69 76 86 48/61 63 45 47 54 84 35/81 78 56 66 71 83 47
43 55 49 44 54 49 34/58 67 42 56 66 68 35/71 75 50 55 70 66 41/72 82 72 67 71 83 31/67 61 45 47 62 80 41
64 53 53 58 58 67 34/67 60 47 39 59 74 41/69 62 57 42 55 63 25/68 83 83 45 59 77 35/77 77 54 72 79 77 46
81 90 50 72 60 54 36/74 85 64 69 79 79 63/65 60 65 75 55 80 60/65 70 46 57 75 85 46/50 58 68 54 64 78 52
50 40 33 34 43 64 33/64 61 52 62 66 80 41/53 66 52 50 63 80 37/40 37 42 58 50 57 49/63 54 42 48 66 75 33
66 77 66 63 88 76 72/78 75 58 74 80 78 49/48 57 44 45 51 83 38/85 85 71 71 77 74 55/82 82 39 59 64 78 39"""
"""The attitude data of Chatterjee and Price (1977), as in R: 30 departments, 7 questions."""

R_DROP = [0.67, 0.74, 0.56, 0.71, 0.79, 0.27, 0.46]
"""``alpha(attitude)$item.stats$r.drop`` in the example of R's package psych: corrected item-total correlations."""


def test_agrees_with_the_example_of_psych():
    """Departments in the systems' place, questions in that of the topics."""
    rows = [[int(cell) for cell in row.split()] for row in ATTITUDE.replace("\n", "/").split("/")]
    assert np.mean(rows, axis=0).round().tolist() == [65, 67, 53, 56, 65, 75, 43]  # as psych prints them
    assert discrimination(as_scores(rows))[0].round(2).tolist() == R_DROP


def test_discrimination_by_numpy():
    """The correlation with the mean of the others, one topic at a time, weighted where topics are."""
    rng = np.random.default_rng(1)
    values, weights = rng.normal(0, 1, (8, 10)) + rng.normal(0, 1, (8, 1)), rng.uniform(0.5, 2, 10)
    names = [str(number) for number in range(10)]
    weighted = as_scores(values, topics=names, weights=dict(zip(names, weights, strict=True)))
    for scores, own in ((as_scores(values), np.ones(10)), (weighted, weights)):
        expected = [
            np.corrcoef(values[:, topic], np.delete(values * own, topic, axis=1).sum(axis=1))[0, 1]
            for topic in range(10)
        ]
        np.testing.assert_allclose(discrimination(scores)[0], expected)


def test_gaps_do_not_make_systems_better():
    """Each topic's mean over its systems goes out first: by loops over what is there."""
    rng = np.random.default_rng(2)
    values = rng.normal(0, 1, (9, 12)) + rng.normal(0, 1, (9, 1)) + 5 * rng.normal(0, 1, (1, 12))
    values[rng.random(values.shape) < 0.2] = np.nan
    left = values - np.nanmean(values, axis=0)
    expected = []
    for topic in range(12):
        there = np.isfinite(values[:, topic])
        rest = np.nanmean(np.delete(left, topic, axis=1), axis=1)
        expected.append(np.corrcoef(values[there, topic], rest[there])[0, 1])
    np.testing.assert_allclose(discrimination(as_scores(values, missing="pairwise"))[0], expected)


def test_kinds_of_topics():
    """All pass, all fail, all equal elsewhere on the scale (on paper), and against the rest."""
    scores = as_scores(
        [
            [1.0, 0.0, 0.3, 0.9, 0.4, 0.8],
            [1.0, 0.0, 0.1 + 0.2, 0.5, 0.5, 0.6],
            [1.0, 0.0, 0.3, 0.1, 0.6, 0.2],
        ]
    )
    found = analyse_items(scores)
    assert found.data["kind"].to_numpy()[0].tolist() == ["all pass", "all fail", "all equal", "", "negative", ""]
    summary = found.summary().iloc[0]
    assert summary[["all_pass", "all_fail", "all_equal", "negative"]].tolist() == [1, 1, 1, 1]
    assert found.negative()["topic"].tolist() == ["5"]
    assert np.isnan(found.data["discrimination"].to_numpy()[0, :3]).all()
    assert summary["at_ceiling"] == summary["at_floor"] == pytest.approx(3 / 18)


def test_direction_turns_ceiling_and_floor():
    """Where lower is better the lowest score is the ceiling, and means stay in their own direction."""
    found = analyse_items(as_scores([[0.0, 1.0, 0.2], [0.0, 1.0, 0.9], [0.0, 1.0, 0.4]], higher_is_better=False))
    assert found.data["kind"].to_numpy()[0, :2].tolist() == ["all pass", "all fail"]
    assert (float(found.data["ceiling"][0]), float(found.data["floor"][0])) == (0.0, 1.0)
    assert found.data["mean"].to_numpy()[0].round(3).tolist() == [0.0, 1.0, 0.5]


def test_a_scale_can_be_given():
    """Then the best score that occurs is no ceiling; for one metric or for all."""
    values = [[0.2, 0.5], [0.5, 0.1], [0.3, 0.3]]
    seen, given = analyse_items(values), analyse_items(values, scale=(0, 1))
    assert seen.data["at_ceiling"].to_numpy()[0].tolist() == [1 / 3, 1 / 3]
    assert not seen.scale_given
    assert given.data["at_ceiling"].to_numpy()[0].tolist() == [0, 0]
    assert given.scale_given
    named = analyse_items(values, scale={"metric1": (0, 0.3)})
    assert named.data["at_ceiling"].to_numpy()[0].tolist() == [2 / 3, 2 / 3]
    for wrong in ((1, 0), {"AP": (0, 1)}):
        with pytest.raises(InvalidOptionError, match=r"scale of|AP"):
            analyse_items(values, scale=wrong)


def test_few_systems_have_no_discrimination():
    """Two systems correlate by 1 or -1 with anything; a rest on which all are equal has no correlation."""
    assert np.isnan(discrimination(as_scores([[0.1, 0.4, 0.2], [0.3, 0.2, 0.5]]))).all()
    rest = discrimination(as_scores([[1.0, 0.3, 0.7], [0.0, 0.7, 0.1 + 0.2], [0.5, 0.1, 0.9]]))
    assert np.isnan(rest[0, 0])
    assert np.isfinite(rest[0, 1:]).all()


def test_frame_has_clusters():
    """One row a metric and topic, with the cluster where there is one."""
    values = np.random.default_rng(3).random((2, 4, 3))
    scores = as_scores(values, clusters={"1": "x", "2": "y", "3": "x"})
    frame = analyse_items(scores).to_frame()
    assert len(frame) == 6
    assert frame["cluster"].tolist() == ["x", "y", "x"] * 2
    np.testing.assert_allclose(frame["standard_deviation"], values.std(axis=1, ddof=1).ravel())
    np.testing.assert_allclose(frame["mean"], values.mean(axis=1).ravel())


@settings(max_examples=30)
@given(COUNTS, st.integers(0, 100))
def test_laws(counts, seed):
    """Order goes along, the unit and the zero do not matter, and nothing is defined for tenths alone."""
    rng = np.random.default_rng(seed)
    systems, topics = rng.permutation(6), rng.permutation(7)
    own = analyse_items(counts, scale=(0, 4))
    size = np.abs(own.data["discrimination"])
    assert not (size > 1).any()
    assert not ((size > 0) & (size < 1e-9)).any()  # rounding alone makes no topic negative
    moved = analyse_items(counts[systems][:, topics], scale=(0, 4)).data.isel(topic=np.argsort(topics))
    tenths = analyse_items(counts / 10, scale=(0, 0.4)).data
    turned = analyse_items(as_scores(4 - counts, higher_is_better=False), scale=(0, 4)).data
    for other in (moved, tenths, turned):
        np.testing.assert_allclose(other["discrimination"], own.data["discrimination"], atol=1e-9)
        for name in ("at_ceiling", "at_floor"):
            np.testing.assert_allclose(other[name], own.data[name])
        equal = np.isin(other["kind"], ["all pass", "all fail", "all equal"])
        assert (equal == (np.ptp(counts, axis=0) == 0)).all()
