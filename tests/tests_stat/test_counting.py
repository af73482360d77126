import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.counting import check_resamples, count_beside_zero, count_extreme
from metaeval.tests_stat.pairs import all_pairs


def literal_counts(statistics, first, second, observed, tolerance):
    """Count one pair and one resample at a time."""
    counts = np.zeros((3, len(first)), dtype=int)
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        for resample in range(statistics.shape[1]):
            difference = statistics[a, resample] - statistics[b, resample]
            counts[0, pair] += abs(difference) >= abs(observed[pair]) - tolerance[pair]
            counts[1, pair] += difference >= observed[pair] - tolerance[pair]
            counts[2, pair] += difference <= observed[pair] + tolerance[pair]
    return counts


@pytest.mark.parametrize("shape", [(2, 1), (3, 7), (12, 1023), (13, 1025)])
def test_kernel_equals_a_literal_loop(shape):
    """Counts are those of one comparison at a time, also at the edges of the kernel's blocks and tasks."""
    rng = np.random.default_rng(1)
    statistics = rng.integers(-5, 6, shape) / 10
    first, second = all_pairs(shape[0])
    observed = rng.integers(-5, 6, len(first)) / 10
    tolerance = np.where(rng.random(len(first)) < 0.5, 1e-9, 0.15)  # every pair has its own
    found = count_extreme(statistics, first, second, observed, tolerance)
    np.testing.assert_array_equal(found, literal_counts(statistics, first, second, observed, tolerance))


def test_tails_may_be_left_uncounted():
    """Then the first row is as ever, and the others cannot be mistaken for counts."""
    statistics = np.random.default_rng(0).random((4, 50))
    first, second = all_pairs(4)
    observed = statistics[first, 0] - statistics[second, 0]
    whole = count_extreme(statistics, first, second, observed, np.zeros(6))
    short = count_extreme(statistics, first, second, observed, np.zeros(6), False)  # noqa: FBT003 - a kernel
    np.testing.assert_array_equal(short[0], whole[0])
    assert (short[1:] == -1).all()


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_both_tails_together_count_every_resample_and_the_ties_twice(seed, n_resamples):
    """P(D >= d) + P(D <= d) is 1 plus the probability of a tie."""
    rng = np.random.default_rng(seed)
    statistics = rng.integers(0, 4, (3, n_resamples)).astype(float)
    first, second = all_pairs(3)
    observed = rng.integers(-3, 4, 3).astype(float)
    far, above, below = count_extreme(statistics, first, second, observed, np.full(3, 0.25))
    ties = (statistics[first] - statistics[second] == observed[:, None]).sum(axis=1)
    np.testing.assert_array_equal(above + below, n_resamples + ties)
    assert (far >= np.where(observed >= 0, above, below)).all()


def test_rounding_does_not_lose_ties():
    """0.3 - 0.1 and 0.2 are one number, though their floating-point values differ."""
    statistics = np.array([[0.3], [0.1]])
    observed = np.array([0.2])
    assert statistics[0, 0] - statistics[1, 0] < observed[0]
    found = count_extreme(statistics, np.array([0]), np.array([1]), observed, np.array([1e-12]))
    np.testing.assert_array_equal(found.ravel(), [1, 1, 1])


@pytest.mark.parametrize("shape", [(2, 1), (3, 7), (12, 1023), (13, 1025)])
def test_counts_beside_zero_equal_a_literal_loop(shape):
    """At least and at most 0, equality on paper counting for both, also at the edges of blocks and tasks."""
    rng = np.random.default_rng(2)
    whole = rng.integers(-3, 4, shape)
    noise = 1e-3 * 10.0 ** rng.integers(-12, 2, shape)  # where one resample allows more than another, each by its own
    first, second = all_pairs(shape[0])
    noisy = whole / 10 + rng.uniform(-1, 1, shape) * 1e-3
    found = count_beside_zero(noisy, noise, 1.0, first, second)
    apart = noisy[first] - noisy[second]
    allowed = noise[first] + noise[second]
    np.testing.assert_array_equal(found, [(apart >= -allowed).sum(axis=1), (apart <= allowed).sum(axis=1)])
    sizes = 1e-12 * (1.0 + np.abs(whole))
    tenths = whole / 10 + rng.choice([-1e-16, 0.0, 1e-16], shape)
    found = count_beside_zero(tenths, sizes, 1.0, first, second)
    differences = whole[first] - whole[second]
    np.testing.assert_array_equal(found, [(differences >= 0).sum(axis=1), (differences <= 0).sum(axis=1)])


@pytest.mark.parametrize("scale", [5e-324, 1e-40, 1e-37, 1.0, 1e36, 1e38, 1e290])
@pytest.mark.parametrize("shift", [0.0, 1e5, 1e9])
def test_counts_beside_zero_do_not_depend_on_the_scale(scale, shift):
    """Single precision, which settles most of them, holds neither these numbers nor what distinguishes them."""
    rng = np.random.default_rng(3)
    whole = rng.integers(0, 4, (6, 40)) * 10.0 ** rng.integers(0, 4, (6, 1))
    values = (whole + shift) * scale
    first, second = all_pairs(6)
    apart = whole[first] - whole[second]
    found = count_beside_zero(values, np.zeros_like(values), 1e-12, first, second)
    np.testing.assert_array_equal(found, [(apart >= 0).sum(axis=1), (apart <= 0).sum(axis=1)])


@pytest.mark.parametrize("wrong", [0, -3, 1.5, True, "10", None])
def test_number_of_resamples_must_be_a_whole_number_of_at_least_one(wrong):
    """Anything else is refused with the value received."""
    with pytest.raises(InvalidOptionError, match=r"`n_resamples` must be a whole number of at least 1, not"):
        check_resamples(wrong)


def test_number_of_resamples_may_be_a_numpy_integer():
    """A NumPy integer becomes a Python one."""
    assert type(check_resamples(np.int64(7))) is int
