"""The power law of passages: against SciPy's zeta distribution, on draws from it, and on what has no law."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar

from metaeval.inex.power_law import fit_power_law, power_law_shares


@pytest.mark.parametrize("exponent", [1.8, 2.3, 3.5])
def test_the_exponent_is_that_of_scipys_likelihood(exponent):
    """SciPy's zipf distribution has the greatest likelihood at the same exponent, and the same shares."""
    counts = pd.Series(stats.zipf(exponent).rvs(400, random_state=1))
    best = minimize_scalar(lambda a: -stats.zipf(a).logpmf(counts).sum(), bounds=(1.01, 12), method="bounded")
    found = fit_power_law(counts).iloc[0]
    assert found["exponent"] == pytest.approx(best.x, abs=1e-4)
    assert power_law_shares(exponent, 30) == pytest.approx(stats.zipf(exponent).pmf(np.arange(1, 31)))
    steps = np.abs([(counts <= k).mean() - stats.zipf(found["exponent"]).cdf(k) for k in range(1, counts.max() + 1)])
    assert found["distance"] == pytest.approx(steps.max())


def test_intervals_hold_the_exponent_as_often_as_they_say():
    """Of independent documents, and of topics whose documents are copies of each other, about 95 %."""
    generator = np.random.default_rng(3)
    for copies in (1, 6):
        held = 0
        for _ in range(150):
            drawn = stats.zipf(2.2).rvs(60 if copies > 1 else 300, random_state=generator)
            topics = np.repeat(np.arange(len(drawn)), copies)
            counts = pd.Series(np.repeat(drawn, copies), index=pd.Index(topics, name="topic"))
            row = fit_power_law(counts).iloc[0]
            held += row["low"] <= 2.2 <= row["high"]
        assert 0.88 <= held / 150 <= 1.0


def test_what_has_no_law():
    """A passage in every document fits any steep law; a single topic gives no interval."""
    assert fit_power_law(pd.Series([1, 1, 1])).empty
    one = fit_power_law(pd.Series([1, 2, 1], index=pd.Index(["1"] * 3, name="topic"))).iloc[0]
    assert np.isfinite(one["exponent"])
    assert np.isnan(one["low"])
