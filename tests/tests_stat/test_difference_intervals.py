import numpy as np
import pytest
from scipy import stats

import metaeval.tests_stat
from metaeval.errors import InvalidOptionError
from metaeval.studies.study import interval_notes as notes_of_test
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.result import difference_intervals


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
def test_intervals_are_scipys(simulated_scores, level, alternative):
    """Every pair has the interval of ``scipy.stats.ttest_rel``, whichever side was tested."""
    scores = simulated_scores(2, 6, 15)
    found = difference_intervals(paired_t_test(scores, alternative=alternative), confidence_level=level)
    for metric, pair in np.ndindex(found["low"].shape):
        a, b = (
            scores.isel(metric=metric).sel(system=str(found[side][pair].item())) for side in ("system_a", "system_b")
        )
        expected = stats.ttest_rel(a, b).confidence_interval(level)
        np.testing.assert_allclose([found["low"][metric, pair], found["high"][metric, pair]], expected, rtol=1e-9)


def test_where_topics_lack_the_common_ones_count(simulated_scores):
    """A pair with a gap has the interval of the topics that both systems have."""
    values = simulated_scores(1, 3, 12).to_numpy().copy()
    values[0, 0, :3] = np.nan
    scores = as_scores(values, missing="pairwise")
    found = difference_intervals(paired_t_test(scores))
    expected = stats.ttest_rel(values[0, 0, 3:], values[0, 1, 3:]).confidence_interval(0.95)
    np.testing.assert_allclose([found["low"][0, 0], found["high"][0, 0]], expected, rtol=1e-9)


def test_an_interval_leaves_out_zero_where_the_test_is_significant(simulated_scores):
    """At the level that belongs to alpha both say the same of every pair."""
    result = paired_t_test(simulated_scores(2, 8, 12), correction="none", alpha=0.1)
    found = difference_intervals(result, confidence_level=0.9)
    leaves_out = (found["low"] > 0) | (found["high"] < 0)
    np.testing.assert_array_equal(leaves_out, result.data["significant"])


def test_what_cannot_be_told_is_missing(simulated_scores):
    """Equal systems, a difference that never varies, and any other test have no interval."""
    same = paired_t_test([[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.25, 0.25, 0.25]])
    assert np.isnan(difference_intervals(same).to_dataarray()).all()
    other = compare_systems(simulated_scores(1, 3, 10), test="sign")
    assert np.isnan(difference_intervals(other).to_dataarray()).all()


@pytest.mark.parametrize(("metric", "unknown"), [("quality", True), ("latency", True), ("RR", False)])
def test_a_difference_without_an_interval_is_explained(metric, unknown):
    """A note says why a difference that is the same on every topic has no interval, only where no range is known."""
    scores = as_scores([[0.75, 0.5, 1.0], [0.5, 0.25, 0.75], [0.5, 0.75, 0.5]], metrics=[metric])
    result = paired_t_test(scores)
    n_without = int(np.isnan(difference_intervals(result)["low"]).sum())
    notes = [str(note) for note in notes_of_test(result, scores) if "no interval" in note]
    assert (n_without, len(notes)) == ((1, 1) if unknown else (0, 0))
    assert all(f" of 1 of 3 differences under {metric}" in note for note in notes)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_is_a_share(level):
    """Percentages and certainty are refused by name."""
    with pytest.raises(InvalidOptionError, match="confidence_level"):
        difference_intervals(paired_t_test([[0.3, 0.5], [0.2, 0.3]]), confidence_level=level)


def test_what_is_said_of_the_intervals_of_several_pairs_has_them(simulated_scores):
    """The call that `confidence_interval` names for more than one pair has the intervals, which are those of scipy."""
    scores = simulated_scores(1, 5, 12)
    result = paired_t_test(scores)
    with pytest.raises(InvalidOptionError, match="10 pairs") as caught:
        result.confidence_interval()
    way = str(caught.value).partition("; ")[2].removesuffix(" has the interval of each")
    found = eval(way, {"metaeval": metaeval, "result": result})  # noqa: S307 - our own words
    expected = stats.ttest_rel(*(scores.isel(metric=0, system=place) for place in (0, 1))).confidence_interval()
    np.testing.assert_allclose([found["low"][0, 0], found["high"][0, 0]], expected, rtol=1e-9)
