"""Systems on different items: SciPy's Welch test, clusters, and what pairing would buy."""

import numpy as np
import pytest
from scipy.stats import ttest_ind

from metaeval import as_scores, paired_t_test
from metaeval.errors import ScoresError
from metaeval.resampling.means_and_errors import rank_intervals_from_errors
from metaeval.tests_stat.unpaired import unpaired_means


def on_own_items(*samples):
    """Return scores of systems none of which shares an item with another."""
    return as_scores(
        {
            f"s{at}": {f"q{at}-{item}": float(score) for item, score in enumerate(sample)}
            for at, sample in enumerate(samples)
        },
        missing="pairwise",
    )


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_scipys_welch(seed):
    """`ttest_ind(equal_var=False)`, its statistic and whether its p-value lies below the level."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0.5, 0.1, 8 + seed), rng.normal(0.62, 0.3, 30)
    board = unpaired_means(on_own_items(*samples))
    expected = ttest_ind(*samples, equal_var=False)
    statistic = (board.means[0, 0] - board.means[0, 1]) / np.hypot(*board.errors[0])
    assert statistic == pytest.approx(expected.statistic, rel=1e-12)
    parts = board.errors[0] ** 4 / (board.n[0] - 1)
    assert (board.errors[0] ** 2).sum() ** 2 / parts.sum() == pytest.approx(expected.df, rel=1e-12)
    for level in (0.5, 0.9, 0.99):
        found = rank_intervals_from_errors(board, method="guaranteed", confidence_level=level, rng=0).pairs()
        assert bool(found["significant"][0]) == (expected.pvalue <= 1 - level)


def test_clusters_weigh_as_wholes():
    """Ten items that repeat two clusters' values five times are worth two."""
    values = {
        "a": {f"q{i}": [0.2, 0.6][i // 5] for i in range(10)},
        "b": {f"p{i}": [0.1, 0.5][i // 5] for i in range(10)},
    }
    clusters = {f"{letter}{i}": f"{letter} {i // 5}" for letter in "qp" for i in range(10)}
    board = unpaired_means(as_scores(values, missing="pairwise", clusters=clusters))
    np.testing.assert_allclose(board.errors, [[0.2, 0.2]])  # two values .4 apart: sd .2828 over the root of 2
    np.testing.assert_allclose(board.n, [[2.0, 2.0]])


def test_what_pairing_would_buy_is_said():
    """Where items are shared the note compares the two standard errors; the paired one is that of the t test."""
    rng = np.random.default_rng(1)
    hard = rng.normal(size=40)
    scores = as_scores(0.5 + 0.1 * hard + 0.05 * rng.normal(size=(2, 40)))
    board = unpaired_means(scores)
    paired = float(paired_t_test(scores).data["standard_error"].item())
    share = 100 * (1 - paired / np.hypot(*board.errors[0]))
    assert f"{share:.0f} % smaller (median of 1 pair)" in board.notes[-1]
    assert "no two systems share ten topics" in unpaired_means(on_own_items([0.1, 0.4], [0.3, 0.9])).notes[-1]


def test_one_score_has_no_error():
    """It is refused by name."""
    with pytest.raises(ScoresError, match="'s1' has a single score"):
        unpaired_means(on_own_items([0.1, 0.4], [0.3]))
