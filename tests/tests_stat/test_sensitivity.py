"""The test of the bootstrap sensitivity method: the same decisions as the method, and the bootstrap's as published."""

import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.resampling.sensitivity import bootstrap_sensitivity
from metaeval.tests_stat.bootstrap import bootstrap_test
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.sensitivity import SENSITIVITY, sensitivity_test

SCORES = np.random.default_rng(0).random((2, 6, 15)) + np.linspace(0, 0.4, 6)[:, None]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_it_decides_as_the_method_does(correction):
    """With the same seed the pairs, p-values and decisions are those beside the difference required."""
    method = bootstrap_sensitivity(SCORES, n_resamples=200, alpha=0.1, rng=4).comparison(correction)
    test = sensitivity_test(SCORES, correction=correction, n_resamples=200, alpha=0.1, rng=4)
    assert test.signature == method.signature
    assert test.strictly_below
    assert dict(test.details) == dict(method.details)
    for name in test.data.variables:
        np.testing.assert_array_equal(test.data[name], method.data[name])


def test_its_p_values_are_the_plain_ones_of_the_bootstrap():
    """Its p is k/B, and a p that equals the level is not enough."""
    plain = bootstrap_test(SCORES, correction="none", n_resamples=50, p_value_rule="plain", rng=1)
    found = sensitivity_test(SCORES, n_resamples=50, rng=1)
    np.testing.assert_array_equal(found.data["p_value"], plain.data["p_value"])
    levels = np.unique(found.data["p_value"])
    at = float(levels[(levels > 0) & (levels < 1)][0])
    decided = sensitivity_test(SCORES, n_resamples=50, alpha=at, rng=1).data["significant"]
    np.testing.assert_array_equal(decided, plain.data["p_value"] < at)


def test_one_sided_questions_are_for_the_bootstrap():
    """The method is two-sided as published; the table of tests says what to ask instead."""
    with pytest.raises(InvalidOptionError, match=r"two-sided as published.*'bootstrap'"):
        sensitivity_test(SCORES, alternative="greater")
    with pytest.raises(InvalidOptionError, match=r"two-sided only.*'bootstrap'"):
        TESTS[SENSITIVITY].check_alternative("better")
