"""Human topics beside the judge's: Welch's test between them against SciPy, and what the notes say of it."""

import numpy as np
import pytest
from scipy import stats

from metaeval import prediction_powered
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.judged_topics import EVERY_SYSTEM


def made(n_systems, n, others):
    """Return human scores on n topics and a judge's on those and others."""
    truth = np.random.default_rng(0).normal(0.5, 0.15, (n_systems, n + others))
    return truth[:, :n], 0.8 * truth + 0.1


def test_welch_over_the_two_sets_of_topics():
    """The shift is SciPy's Welch test, on the mean over systems and system by system."""
    human, judge = made(4, 9, 14)
    found = prediction_powered(human, judge)
    table = found.shift.set_index("system")
    for name, row in zip(table.index, np.vstack([judge.mean(axis=0), judge]), strict=True):
        expected = stats.ttest_ind(row[:9], row[9:], equal_var=False)
        assert table.loc[name, "p_value"] == pytest.approx(expected.pvalue)
        assert table.loc[name, "statistic"] == pytest.approx(expected.statistic)
        assert table.loc[name, "degrees_of_freedom"] == pytest.approx(expected.df)
    np.testing.assert_allclose(table["p_corrected"].to_numpy()[1:], adjust(table["p_value"].to_numpy()[1:], "fdr_by"))
    assert table.index[0] == EVERY_SYSTEM
    assert not found.notes


def test_topics_that_differ_are_warned_of():
    """A judge who scores the other topics higher makes a note, which names the way out; one other topic cannot tell."""
    human, judge = made(3, 10, 12)
    judge[:, 10:] += 0.5
    note = prediction_powered(human, judge).notes[-1]
    assert "mean over systems is" in note
    assert "3 of 3 systems" in note
    assert "paired_t_test" in note
    assert "one topic" in prediction_powered(human, judge[:, :11]).notes[-1]
