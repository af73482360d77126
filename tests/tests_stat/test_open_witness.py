"""One or two topics that keep a pair from being significant: found where SciPy's t test, on all subsets, finds some."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from metaeval import as_scores, paired_t_test, study_leaderboard, study_table
from metaeval.tests_stat.open_witness import open_witness

N_TABLES = 60


def significant(differences):
    """Say whether SciPy's t test and an exact test by signs can reject: as a pair of the t test is."""
    apart = np.count_nonzero(differences)
    return stats.ttest_1samp(differences, 0).pvalue <= 0.05 and 0.5 ** (apart - 1) <= 0.05


def fewest(differences):
    """Return how many of all topics, by ones and twos, have to go; 3 where these are not enough."""
    n = len(differences)
    for n_gone in (1, 2):
        for gone in combinations(range(n), n_gone):
            if n - n_gone > 4 and significant(np.delete(differences, gone)):
                return n_gone
    return 3


def test_as_few_topics_as_brute_force_finds():
    rng, seen = np.random.default_rng(3), []
    while len(seen) < N_TABLES:
        n = int(rng.integers(6, 15))
        differences = np.round(rng.choice([rng.normal(0.3, 0.4, n), rng.standard_t(2, n) + 0.7]), 2)
        if significant(differences):
            continue
        witness = open_witness(paired_t_test(as_scores([differences, np.zeros(n)])))
        seen.append(3 if witness is None else len(witness.rests_on))
        assert seen[-1] == fewest(differences), differences.tolist()
        if witness is not None:
            left = np.delete(differences, [int(topic) - 1 for topic in witness.rests_on])
            assert significant(left)
            assert witness.winner == ("system1" if left.mean() > 0 else "system2")
    assert min(map(seen.count, (1, 2, 3))) > 3  # or the test shows little


OUTLIERS = [0.02, 0.03, 0.01, 0.02, 0.04, 0.02, 0.01, 0.03, 0.02, -0.01, 0.6, 0.7]
"""By SciPy's t test significant without the last two, and not with one of them or both."""


@pytest.mark.parametrize("study", [study_table, study_leaderboard])
def test_the_first_paragraph_says_that_a_no_rests_on_two_topics(study):
    assert significant(np.array(OUTLIERS[:10]))
    assert not any(significant(np.array(rest)) for rest in (OUTLIERS, OUTLIERS[:11], [*OUTLIERS[:10], OUTLIERS[11]]))
    scores = as_scores([0.3 + np.array(OUTLIERS), np.full(12, 0.3)])
    first = study(scores, rng=0).report().summary[0]
    assert first.startswith("No: ")
    assert "This rests on 2 of 12 topics: without 11 and 12, system1 is significantly better." in first


def test_clusters_go_as_wholes():
    clusters = {str(topic + 1): f"c{topic // 2 + 1}" for topic in range(24)}
    witness = open_witness(paired_t_test(as_scores([np.repeat(OUTLIERS, 2), np.zeros(24)], clusters=clusters)))
    assert witness is not None
    assert (witness.rests_on, witness.n_units) == (("c11", "c12"), 12)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_too_few_topics_open_nothing(n):
    values = np.r_[np.full(n, 0.3), -0.5]
    assert open_witness(paired_t_test(as_scores([values, np.zeros(n + 1)]))) is None


def test_the_first_paragraph_says_how_many_topics_an_exact_test_takes():
    """Of six topics all have to agree for an exact test to reach 0.05: that no pair rests on one of them alone."""
    topics = np.array([0.3, 0.5, 0.4, 0.6, 0.2, 0.5])
    scores = as_scores([topics + 0.2 + np.arange(6) / 100, topics + 0.1, topics - np.arange(6) / 100])
    told = study_table(scores, rng=0).report().summary[0]
    assert "system1 is best" in told
    assert "differ on 6 topics for an exact test to reach" in told
    assert "3 of these 3 significant pairs differ on 6" in told
    assert "rest on" not in told


def test_on_scores_of_two_values_the_exact_sign_test_has_to_agree():
    """Nine to three of 120: without one of the three t has p = .034 and signs .065, without two both reach .05."""
    differences = np.r_[np.full(9, 1), np.full(3, -1), np.zeros(108)]
    new, old = np.r_[np.ones(9), np.zeros(3), np.ones(108)], np.r_[np.zeros(9), np.ones(3), np.ones(108)]
    left = [differences[differences != -1]] + [np.r_[differences[differences != -1], np.full(at, -1)] for at in (1, 2)]
    assert [stats.ttest_1samp(some, 0).pvalue <= 0.05 for some in left] == [True, True, True]
    assert [stats.binomtest(9, 9 + at).pvalue <= 0.05 for at in (1, 2)] == [True, False]
    witness = open_witness(paired_t_test(as_scores([new, old])))
    assert (len(witness.rests_on), witness.winner) == (2, "system1")
