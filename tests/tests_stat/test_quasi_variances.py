"""Quasi-variances: exact where they can be, else those of least squared log ratios."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from metaeval import as_scores, paired_t_test
from metaeval.tests_stat.quasi_variances import _quasi_variances, quasi_errors


def variances(scores):
    """Return the squared standard errors of all differences, by NumPy."""
    return np.array([[np.var(a - b, ddof=1) / len(a) for b in scores] for a in scores])


@pytest.mark.parametrize("seed", range(4))
def test_three_systems_are_exact(seed):
    """Three variances of differences follow from three quasi-variances: q_a = (v_ab + v_ac - v_bc) / 2."""
    scores = np.random.default_rng(seed).normal(size=(3, 20))
    v = variances(scores)
    expected = [(v[0, 1] + v[0, 2] - v[1, 2]) / 2, (v[0, 1] + v[1, 2] - v[0, 2]) / 2, (v[0, 2] + v[1, 2] - v[0, 1]) / 2]
    found = quasi_errors(scores)
    np.testing.assert_allclose(found.to_frame()["quasi_error"] ** 2, expected, rtol=1e-5)
    np.testing.assert_allclose(found.off[["lowest", "highest"]].to_numpy(), 0.0, atol=1e-6)


def test_independent_errors_are_found_again():
    """Where errors are independent, they are the quasi-errors themselves."""
    own = np.array([0.1, 0.2, 0.3, 0.05, 0.7])
    square = (own[:, None] + own) * (1 - np.eye(5))
    np.testing.assert_allclose(_quasi_variances(square), own, rtol=1e-6)


@pytest.mark.parametrize("n_systems", [2, 5, 12])
def test_the_least_log_ratios(n_systems):
    """As SciPy's least squares finds them from another start."""
    rng = np.random.default_rng(n_systems)
    scores = rng.normal(size=(n_systems, 30)) * rng.uniform(0.5, 2, n_systems)[:, None] + rng.normal(size=30)
    first, second = np.triu_indices(n_systems, 1)
    v = variances(scores)[first, second]
    expected = least_squares(
        lambda logs: np.log(np.exp(logs[first]) + np.exp(logs[second])) - np.log(v),
        np.zeros(n_systems),
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
    )
    quasi = quasi_errors(scores).to_frame()["quasi_error"].to_numpy() ** 2
    distance = np.sum((np.log(quasi[first] + quasi[second]) - np.log(v)) ** 2)
    assert distance == pytest.approx(2 * expected.cost, abs=1e-9)
    if n_systems > 2:
        np.testing.assert_allclose(quasi, np.exp(expected.x), rtol=1e-4)


def test_how_far_off_they_are():
    """The extremes are those of all pairs' standard errors in the t test."""
    scores = as_scores(np.random.default_rng(3).normal(size=(6, 25)))
    found = quasi_errors(scores)
    errors = dict(zip(found.to_frame()["system"], found.to_frame()["quasi_error"], strict=True))
    data = paired_t_test(scores).data
    pairs = zip(data["system_a"].to_numpy(), data["system_b"].to_numpy(), strict=True)
    ratios = np.array([np.hypot(errors[a], errors[b]) for a, b in pairs]) / data["standard_error"].to_numpy()[0] - 1
    assert found.off.iloc[0, 1:].tolist() == pytest.approx(
        [ratios.min(), ratios.max(), np.quantile(np.abs(ratios), 0.9)]
    )


def test_systems_that_never_vary_have_none():
    """A constant difference has no error; two equal systems have none between them."""
    constant = quasi_errors([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])
    assert constant.to_frame()["quasi_error"].isna().all()
    assert constant.off[["lowest", "highest"]].isna().all(axis=None)
    twin = quasi_errors([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.4, 0.1, 0.3]]).to_frame()["quasi_error"].to_numpy()
    assert twin[0] == pytest.approx(twin[1])
