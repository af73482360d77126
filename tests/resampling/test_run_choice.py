"""Discriminative power over many choices of runs, against the same test on each choice."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.resampling.run_choice import run_choice_power
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.tests_stat.paired_t import paired_t_test


@pytest.mark.parametrize("test", ["t", "bootstrap_sensitivity"])
def test_run_choice_equals_testing_the_chosen_systems(grouped, test):
    """The power of a choice is that of the same test on the chosen systems alone."""
    result = run_choice_power(grouped, test=test, n_resamples=200, n_choices=15, rng=5)
    for choice in range(15):
        systems = result.data["chosen"].isel(choice=choice).to_numpy()
        assert sorted(grouped["group"].to_numpy()[systems]) == ["a", "b", "c", "d"]
        chosen = grouped.isel(system=np.flatnonzero(systems))
        for correction in ("none", "fdr_by"):
            if test == "t":
                alone = paired_t_test(chosen, correction=correction).discriminative_power()["power"]
            else:
                whole = bootstrap_sensitivity(chosen, n_resamples=200, rng=5)
                alone = whole.comparison(correction).discriminative_power()["power"]
            found = result.data["power"].sel(correction=correction).isel(choice=choice)
            assert found.to_numpy().tolist() == alone.tolist()


def test_run_choice_describes_its_spread(grouped):
    """The frame has mean, deviation and quantiles of the choices; differences are paired within a choice."""
    result = run_choice_power(grouped, test="t", n_choices=60, corrections=("none",), rng=5)
    power = result.data["power"].to_numpy()[0]
    frame = result.to_frame()
    assert np.allclose(frame["mean"], power.mean(axis=1))
    assert np.allclose(frame["standard_deviation"], power.std(axis=1, ddof=1))
    assert np.allclose(frame["low"], np.quantile(power, 0.025, axis=1))
    narrow = run_choice_power(grouped, test="t", n_choices=60, corrections=("none",), confidence_level=0.5, rng=5)
    for end, share in (("low", 0.25), ("high", 0.75)):
        assert np.allclose(narrow.to_frame()[end], np.quantile(power, share, axis=1))
    assert (np.quantile(power, 0.25, axis=1) < np.quantile(power, 0.75, axis=1)).all()
    assert np.allclose(frame["largest"], power.max(axis=1))
    assert (frame["n_systems"] == 4).all()
    difference = result.differences().iloc[0]
    assert (difference["metric_a"], difference["metric_b"]) == ("one", "two")
    assert difference["standard_deviation"] == pytest.approx((power[0] - power[1]).std(ddof=1))
    higher = (power[0] > power[1]).mean() + 0.5 * (power[0] == power[1]).mean()
    assert difference["first_higher"] == pytest.approx(higher)


def test_run_choice_of_a_number_of_systems(grouped):
    """A number of runs is drawn at random from all."""
    result = run_choice_power(grouped, test="sign", choose=5, n_choices=40, rng=5)
    chosen = result.data["chosen"].to_numpy()
    assert (chosen.sum(axis=1) == 5).all()
    assert chosen.any(axis=0).all()
    assert result.n_systems == 5


def test_groups_are_needed_for_one_run_per_group(graded):
    """Without groups, the error says how to give them."""
    with pytest.raises(InvalidOptionError, match="no groups"):
        run_choice_power(graded(), test="t", rng=0)
