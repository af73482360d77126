"""Decisions on resampled topics in closed form, against SciPy and published power."""

import numpy as np
import pandas as pd
import pytest

from metaeval.resampling.topic_resamples import sample_of_topics, t_powers
from metaeval.running.draws import bootstrap_indices
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.pairs import ask

pytestmark = pytest.mark.usefixtures("garbage_stays")


@pytest.mark.parametrize("correction", [name for name in CORRECTIONS if name != "shaffer"])  # not in statsmodels
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_t_powers_equal_scipy_on_every_list_of_topics(correction, alpha, graded, literal_t_power):
    """The product form of the outer loop decides as SciPy and statsmodels do, copies and shifts included."""
    values = graded()
    values[0, 1] = values[0, 0]
    values[0, 2] = values[0, 0] + 0.25
    topics = bootstrap_indices(np.random.default_rng(3), 8, 25)
    found = t_powers(ask(values, alpha=alpha), topics, corrections=(correction,))
    expected = [[literal_t_power(values[metric][:, row], correction, alpha) for row in topics] for metric in range(2)]
    assert np.allclose(found[0], expected, rtol=0, atol=1e-12)
    assert 0.05 < found.mean() < 0.95


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less", "better"])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0] * 12])
def test_t_powers_are_those_of_the_test_on_every_list(alternative, weights, graded):
    """One-sided too, with topics that weigh alike and with others."""
    names = [str(place) for place in range(1, 25)]
    weighted = None if weights is None else dict(zip(names, weights, strict=True))
    scores = as_scores(graded(n_topics=24), topics=names, weights=weighted)
    topics = bootstrap_indices(np.random.default_rng(3), 6, 24)
    found = t_powers(ask(scores, alternative=alternative, test="t"), topics, corrections=("none", "fdr_by"))
    for place, row in enumerate(topics):
        result = compare_systems(sample_of_topics(scores, row), test="t", correction="none", alternative=alternative)
        for name, own in zip(("none", "fdr_by"), found, strict=True):
            power = result.with_correction(name).discriminative_power()["power"]
            np.testing.assert_allclose(own[:, place], power)
    assert 0 < found.mean() < 0.95


def test_t_powers_on_tied_scores_and_few_topics(literal_t_power):
    """On P@10-like scores and lists of three topics, constant differences and equal means are decided aright."""
    values = np.random.default_rng(4).integers(0, 3, (6, 8)) / 10
    topics = bootstrap_indices(np.random.default_rng(5), 60, 3)
    found = t_powers(ask(values), topics)
    assert np.allclose(found[0, 0], [literal_t_power(values[:, row], "none", 0.05) for row in topics])
    assert found.max() > 0


def test_published_terabyte_2006_power(data_folder):
    """Mean power over random 50 of the 149 Terabyte 2006 topics is the published one, within Monte-Carlo error."""
    folder = data_folder / "trec-matrices"
    rng = np.random.default_rng(1)
    for metric, at_five_percent in (("ap", 0.6809), ("ndcg", 0.7216)):
        published = pd.read_csv(folder / f"published/terabyte2006_{metric}_power_within.csv").set_index("alpha")["raw"]
        assert published[0.05] == pytest.approx(at_five_percent, abs=5e-5)
        scores = as_scores({metric: pd.read_csv(folder / f"terabyte2006_{metric}.csv")})
        subsets = np.stack([rng.permutation(149)[:50] for _ in range(400)])
        for alpha in (0.001, 0.05):
            powers = t_powers(ask(scores, alpha=alpha), subsets)[0, 0]
            error = powers.std(ddof=1) * np.sqrt(1 / len(subsets) + 1 / 5000)
            assert abs(powers.mean() - published[alpha]) < 4 * error
