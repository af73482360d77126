"""Topics needed where whole runs differ: SciPy's distributions term by term, and tables drawn anew."""

import numpy as np
import pytest
from scipy import stats

from metaeval.models.run_designs import f_power, fewest_scores, fewest_topics, mean_error, t_power, t_width

ITEMS, SCORE, RUN = 0.0026, 0.00633, 0.000672
"""Variances of systems by items, of one repeat of a score, and of a whole run."""


def error(n, repeats, systems=0):
    return mean_error(np.array([float(n)]), ITEMS + SCORE / repeats, RUN / repeats, repeats, systems=systems)


@pytest.mark.parametrize(("n", "repeats"), [(20, 2), (60, 5), (5000, 8)])
def test_power_and_width_are_those_of_scipys_distributions(n, repeats):
    of_items, of_runs = (ITEMS + SCORE / repeats) / n, RUN / repeats
    total = of_items + of_runs
    freedom = total**2 / (of_items**2 / (n - 1) + of_runs**2 / (2 * (repeats - 1)))
    edge, shift = stats.t.ppf(0.975, freedom), 0.05 / (2 * total) ** 0.5
    by_hand = stats.nct.sf(edge, freedom, shift) + stats.nct.cdf(-edge, freedom, shift)
    assert t_power(error(n, repeats), 0.05, alpha=0.05)[0] == pytest.approx(by_hand, rel=1e-8)
    spread = stats.chi.mean(freedom) / freedom**0.5
    assert t_width(error(n, repeats), alpha=0.05)[0] == pytest.approx(2 * edge * spread * (2 * total) ** 0.5)
    freedom = total**2 / (of_items**2 / (4 * (n - 1)) + of_runs**2 / (4 * (repeats - 1)))
    by_hand = stats.ncf.sf(stats.f.ppf(0.95, 3, freedom), 3, freedom, 0.05**2 / (2 * total))
    assert f_power(error(n, repeats, 4), 0.05, 4, alpha=0.05)[0] == pytest.approx(by_hand, rel=1e-8)


def test_one_run_alone_finds_nothing():
    """It tells nothing of others, so that no test and no interval counts them."""
    assert t_power(error(60, 1), 9.0, alpha=0.05).tolist() == [0.0]
    assert f_power(error(60, 1, 4), 9.0, 4, alpha=0.05).tolist() == [0.0]
    assert t_width(error(60, 1), alpha=0.05).tolist() == [np.inf]


def test_topics_are_the_fewest_that_are_enough():
    """Beside every number tried in turn; where only a few numbers in the middle are enough these are found."""
    for repeats in (6, 8, 12):
        tried = np.arange(2, 400)
        found = mean_error(tried.astype(float), ITEMS + SCORE / repeats, RUN / repeats, repeats)
        first = int(tried[t_power(found, 0.05, alpha=0.05) >= 0.8][0])
        enough = lambda n, k=repeats: t_power(  # noqa: E731 - asked in place
            mean_error(n, ITEMS + SCORE / k, RUN / k, k), 0.05, alpha=0.05
        )
        assert fewest_topics(lambda n, enough=enough: enough(n) >= 0.8) == first
    assert fewest_topics(lambda n: (n >= 100) & (n < 200)) == 100
    assert fewest_topics(lambda n: n < 0) is None


def test_no_repeats_are_enough_for_what_cannot_be_found():
    assert fewest_scores(lambda _: None, 3) is None


def test_tables_drawn_anew_show_the_power_that_was_asked_for():
    """The t test with runs in its error, by mean squares written out, on 4000 tables of two systems."""

    def topics_at(repeats):
        return fewest_topics(
            lambda n: t_power(mean_error(n, ITEMS + SCORE / repeats, RUN / repeats, repeats), 0.05, alpha=0.05) >= 0.8
        )

    repeats, n = fewest_scores(topics_at, 5)
    assert topics_at(5) is None
    rng = np.random.default_rng(11)
    shape = 4000, 2
    scores = rng.normal(0, ITEMS**0.5, (*shape, n, 1)) + rng.normal(0, RUN**0.5, (*shape, 1, repeats))
    scores += rng.normal(0, SCORE**0.5, (*shape, n, repeats)) + np.array([0.05, 0.0])[:, None, None]
    difference = scores[:, 0].mean(axis=2) - scores[:, 1].mean(axis=2)
    of_items = difference.var(axis=1, ddof=1) / n
    between = scores.mean(axis=2).var(axis=2, ddof=1)
    left = scores - scores.mean(axis=2, keepdims=True) - scores.mean(axis=3, keepdims=True)
    left += scores.mean(axis=(2, 3), keepdims=True)
    within = (left**2).sum(axis=(2, 3)) / ((n - 1) * (repeats - 1)) / n
    of_runs = np.maximum(between - within, 0.0) / repeats
    over = (between / repeats) ** 2 / (repeats - 1) + (within / repeats) ** 2 / ((n - 1) * (repeats - 1))
    over = np.where(of_runs > 0.0, over, 0.0)
    total = of_items + of_runs.sum(axis=1)
    freedom = total**2 / (of_items**2 / (n - 1) + over.sum(axis=1))
    p = 2 * stats.t.sf(np.abs(difference.mean(axis=1)) / np.sqrt(total), freedom)
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.03)
