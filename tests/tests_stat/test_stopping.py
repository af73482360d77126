# ruff: noqa: RUF002 - Greek letters are meant for people
"""Evidence that holds at every look: literal versions, theorems, what is decided, intervals, degenerate input."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats
from statsmodels.stats.power import TTestPower

from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.stopping import (
    Sizes,
    Stopping,
    count_units,
    decided_pairs,
    fixed_size,
    log_betting_evidence,
    log_sign_evidence,
    log_t_evidence,
    ratio_interval,
    sequence_interval,
    units_expected,
)


def all_looks(differences):
    """Return counts after every unit."""
    return count_units(np.atleast_2d(differences), np.arange(1, np.shape(differences)[-1] + 1))


def test_the_t_form_is_the_formula_that_is_cited():
    """Literally, with t of SciPy; Gönen et al. (2005), n = 30 and g = ½."""
    differences = np.random.default_rng(1).normal(0.2, 1.0, 30)
    evidence = log_t_evidence(all_looks(differences))[0]
    for n in range(3, 31):
        t, freedom, g = stats.ttest_1samp(differences[:n], 0.0).statistic, n - 1, 0.5
        ratio = (1 + t**2 / freedom) / (1 + t**2 / (freedom * (1 + n * g)))
        assert evidence[n - 1] == pytest.approx(math.log((1 + n * g) ** -0.5 * ratio ** (n / 2)), rel=1e-12, abs=1e-12)


def test_the_t_form_is_a_bayes_factor_of_noncentral_t():
    """By numerical integration over standardised effects, normal with variance ½."""
    differences = np.random.default_rng(2).normal(0.4, 1.0, 12)
    n = len(differences)
    t = stats.ttest_1samp(differences, 0.0).statistic

    def weighted(effect):
        return stats.nct.pdf(t, n - 1, math.sqrt(n) * effect) * stats.norm.pdf(effect, 0, math.sqrt(0.5))

    expected = integrate.quad(weighted, -8, 8)[0] / stats.t.pdf(t, n - 1)
    assert math.exp(log_t_evidence(all_looks(differences))[0, -1]) == pytest.approx(expected, rel=1e-8)


def test_the_sign_form_is_a_mixture_of_binomial_likelihoods():
    """By numerical integration over the share of wins, Jeffreys' prior; ties say nothing."""
    differences = np.array([1.0, 1.0, 0.0, -1.0, 1.0, 1.0, 0.0, 1.0])
    wins, losses = 5, 1
    expected = integrate.quad(
        lambda p: stats.beta.pdf(p, 0.5, 0.5) * p**wins * (1 - p) ** losses / 0.5 ** (wins + losses), 0, 1
    )[0]
    assert math.exp(log_sign_evidence(all_looks(differences))[0, -1]) == pytest.approx(expected, rel=1e-6)


def test_the_sign_form_keeps_its_level_over_all_sequences():
    """Of all 2^16 sequences of wins and losses at most 5 % ever reach 20: the theorem, by enumeration."""
    sequences = np.array(list(itertools.product((-1.0, 1.0), repeat=16)))
    reached = log_sign_evidence(all_looks(sequences)).max(axis=1) >= math.log(20)
    assert 0.0 < reached.mean() <= 0.05


def test_betting_is_the_wealth_of_two_bettors():
    """Literally, unit by unit; a gap bets nothing."""
    differences = np.random.default_rng(3).uniform(-1, 1, 40).clip(-1, 1)
    differences[7] = np.nan
    up = down = 1.0
    total, spread, n, variance = 0.0, 0.0, 0, 1.0
    for d in differences:
        if not np.isnan(d):
            n += 1
            bet = min(math.sqrt(2 * math.log(40) / (variance * n * math.log(1 + n))), 0.5)
            up, down = up * (1 + bet * d), down * (1 - bet * d)
            total += d
            spread += (d - total / (n + 1)) ** 2
            variance = (1 + spread) / (n + 1)
    evidence = log_betting_evidence(differences[None], np.array([40]), alpha=0.05)[0, 0]
    assert math.exp(evidence) == pytest.approx((up + down) / 2, rel=1e-12)


@pytest.mark.parametrize("form", ["t", "sign", "betting"])
def test_equal_systems_seldom_ever_look_different(form):
    """4,000 paths of 100 looks: 20 is ever reached in 5 % at most (s.e. .0035)."""
    draws = np.random.default_rng(4).normal(0, 0.2, (4000, 100)).clip(-1, 1)
    if form == "sign":
        draws = np.sign(draws)
    looks = np.arange(1, 101)
    if form == "betting":
        evidence = log_betting_evidence(draws, looks, alpha=0.05)
    else:
        evidence = {"t": log_t_evidence, "sign": log_sign_evidence}[form](count_units(draws, looks))
    assert (evidence.max(axis=1) >= math.log(20)).mean() <= 0.05


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), min_size=1, max_size=5), st.sampled_from([0.05, 0.2]))
def test_what_is_decided_is_what_closed_testing_and_e_bh_decide(evidence, alpha):
    """Holm: by all intersections, each by its largest evidence; e-BH by counts."""
    log_e = np.array(evidence)[:, None]
    n = len(evidence)
    holm = decided_pairs(log_e, alpha=alpha, correction="holm")[:, 0]
    for pair in range(n):
        sets = (s for size in range(1, n + 1) for s in itertools.combinations(range(n), size) if pair in s)
        assert holm[pair] == all(max(evidence[i] for i in s) >= math.log(len(s) / alpha) for s in sets)
    passing = [k for k in range(1, n + 1) if sum(e >= math.log(n / (alpha * k)) for e in evidence) >= k]
    limit = math.log(n / (alpha * max(passing))) if passing else math.inf
    found = decided_pairs(log_e, alpha=alpha, correction="fdr_bh")[:, 0]
    assert found.tolist() == [e >= limit for e in evidence]


def test_a_pair_that_holm_has_decided_stays_decided():
    """Evidence that falls again takes nothing back; e-BH speaks of the look at which one stops."""
    path = np.array([[0.0, 4.0, 1.0]])
    assert decided_pairs(path, alpha=0.05, correction="holm").tolist() == [[False, True, True]]
    assert decided_pairs(path, alpha=0.05, correction="fdr_bh").tolist() == [[False, True, False]]


@pytest.mark.parametrize("form", ["t", "sign", "betting"])
def test_the_ends_of_an_interval_are_where_evidence_reaches_its_limit(form):
    """Moved to its ends, the evidence against the mean is 1/α."""
    rng = np.random.default_rng(5)
    differences = (
        rng.choice([-1.0, 0.0, 1.0], (1, 60), p=[0.1, 0.5, 0.4]) if form == "sign" else rng.normal(0.1, 0.2, (1, 60))
    )
    counts = all_looks(differences).at(-1)
    lower, upper = sequence_interval(counts, form, alpha=0.05, differences=differences)
    assert lower[0] < counts.mean[0] < upper[0]
    for end in (lower[0], upper[0]):
        if form == "t":
            reached = log_t_evidence(all_looks(differences - end))[0, -1]
        elif form == "betting":
            reached = log_betting_evidence(differences, np.array([60]), alpha=0.05, mean=end)[0, 0]
        else:
            wins, losses = counts.wins[0], counts.losses[0]
            share = (end * 60 / (wins + losses) + 1) / 2
            of_half = (wins + losses) * math.log(0.5) - wins * math.log(share) - losses * math.log(1 - share)
            reached = log_sign_evidence(counts)[0] + of_half
        assert reached == pytest.approx(math.log(20), abs=1e-6)


def test_the_interval_of_the_t_form_holds_at_all_looks():
    """2,000 paths of 80 units: the true mean is ever outside in 5 % at most."""
    differences = np.random.default_rng(6).normal(0.3, 1.0, (2000, 80))
    counts, missed = all_looks(differences), np.zeros(2000, dtype=bool)
    for look in range(1, 80):
        lower, upper = sequence_interval(counts.at(look), "t", alpha=0.05)
        missed |= (lower > 0.3) | (upper < 0.3)
    assert missed.mean() <= 0.05


def test_differences_without_a_spread_tell_of_their_signs():
    """A system that is better by .1 throughout is found as by a sign test; equal systems never are."""
    constant, equal = np.full((1, 20), 0.1), np.zeros((1, 20))
    assert log_t_evidence(all_looks(constant))[0, -1] == log_sign_evidence(all_looks(constant))[0, -1] > math.log(20)
    assert (log_t_evidence(all_looks(equal)) <= 0.0).all()
    lower, upper = sequence_interval(all_looks(constant).at(-1), "t", alpha=0.05)
    assert (lower[0], upper[0]) == (-math.inf, math.inf)


def test_units_that_a_pair_lacks_do_not_count():
    """Gaps leave what is common, wherever they are."""
    differences = np.array([0.1, 0.4, -0.2, 0.3, 0.2])
    with_gaps = np.array([[np.nan, 0.1, 0.4, np.nan, -0.2, 0.3, 0.2]])
    counts = count_units(with_gaps, np.array([7]))
    assert counts.n[0, 0] == 5
    assert log_t_evidence(counts)[0, 0] == pytest.approx(log_t_evidence(all_looks(differences))[0, -1], rel=1e-12)
    none = count_units(np.full((1, 3), np.nan), np.array([3])).at(0)
    assert log_t_evidence(none)[0] == 0.0
    assert np.isnan(none.mean[0])


@pytest.mark.parametrize("form", ["t", "sign"])
def test_what_is_still_expected_holds_of_pairs_that_go_on(form):
    """Of pairs of random effects seen for 30 units and open, nine of ten take what was said, and half the median."""
    rng = np.random.default_rng(7)
    effects = rng.normal(0.0, 0.7, 500)[:, None]
    paths = effects + rng.normal(size=(500, 3000))
    log_evidence = log_sign_evidence if form == "sign" else log_t_evidence
    evidence = log_evidence(all_looks(paths))
    open_then = evidence[:, :30].max(axis=1) < math.log(20)
    counts = all_looks(paths[open_then]).at(29)
    low, median, high = units_expected(counts, form, math.log(20), alpha=0.05)
    reached = evidence[open_then] >= math.log(20)
    taken = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, np.inf)
    assert 0.85 <= ((low <= taken) & (taken <= high)).mean() <= 0.97
    assert 0.4 <= (taken <= median).mean() <= 0.6


@pytest.mark.parametrize("form", ["t", "sign", "betting"])
def test_what_is_still_expected_does_not_know_which_system_stands_first(form):
    """The differences of a pair turned round, b less a, take as many more units."""
    differences = np.sign(np.random.default_rng(5).normal(0.2, 1.0, (3, 40))) * (0.1 if form == "t" else 1.0)
    expected = [
        units_expected(all_looks(side).at(-1), form, math.log(20), alpha=0.05) for side in (differences, -differences)
    ]
    np.testing.assert_array_equal(*expected)


def test_the_fixed_design_is_that_of_the_t_test():
    """By statsmodels' power of a paired t test, to one unit."""
    differences = np.random.default_rng(8).normal(0.3, 1.0, (1, 400))
    counts = all_looks(differences).at(-1)
    wanted = TTestPower().solve_power(counts.effect[0], alpha=0.01, power=0.8)
    assert fixed_size(counts, level=0.01)[0] == pytest.approx(wanted, rel=0.03)


def test_a_loop_decides_as_the_whole():
    """Unit by unit the same evidence and decisions, gaps included; a winner stays the winner."""
    rng = np.random.default_rng(9)
    differences = rng.normal([[0.2], [0.0], [-0.15]], 0.2, (3, 60))
    differences[1, 5] = np.nan
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    stopping = Stopping(pairs)
    evidence = log_t_evidence(all_looks(differences))
    decided = decided_pairs(evidence[:, 9:], alpha=0.05, correction="holm")
    for place, unit in enumerate(differences.T):
        now = stopping.update(unit)
        assert now.log10_evidence == pytest.approx(evidence[:, place] / math.log(10))
        expected = decided[:, place - 9] if place >= 9 else np.zeros(3, dtype=bool)
        assert [winner is not None for winner in now.winners] == expected.tolist()
    assert now.winners == ("a", None, "c")
    assert not now.all_decided


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"pairs": []}, "pairs"),
        ({"pairs": [("a", "b")], "evidence": "betting"}, "evidence"),
        ({"pairs": [("a", "b")], "alpha": 1.5}, "alpha"),
        ({"pairs": [("a", "b")], "burn_in": 1}, "burn_in"),
    ],
)
def test_a_loop_refuses_what_is_outside_its_rules(wrong, words):
    """Each argument by name."""
    with pytest.raises(InvalidOptionError, match=words):
        Stopping(**wrong)


@pytest.mark.parametrize("differences", [[0.1, 0.2], [np.inf], 0.1])
def test_a_loop_wants_one_finite_difference_a_pair(differences):
    """Another number of them, or an infinite one, is refused."""
    with pytest.raises(InvalidOptionError, match="differences"):
        Stopping([("a", "b")]).update(differences)


def held_at_all_looks(sums, sizes):
    """Return what is known of sizes after every unit, shape (pair, look)."""
    return Sizes(*(np.cumsum(values, axis=-1) for values in (sizes, sizes**2, sums * sizes)))


def test_a_ratio_ends_where_the_evidence_of_sums_less_so_many_sizes_begins():
    """SciPy finds the ends by asking the cited t of SciPy's test about every ratio; 0 is out where the evidence is."""
    sums, sizes = np.resize([2.0, 1.0, 3.0, 1.0, 2.0, 4.0], 30), np.resize([3.0, 2.0, 5.0, 2.0, 3.0, 5.0], 30)

    def evidence(ratio, n=30, g=0.5):
        t = stats.ttest_1samp(sums - ratio * sizes, 0.0).statistic
        form = (1 + t**2 / (n - 1)) / (1 + t**2 / ((n - 1) * (1 + n * g)))
        return math.log((1 + n * g) ** -0.5 * form ** (n / 2)) + math.log(0.05)

    low, high = (optimize.brentq(evidence, 0.65, end) for end in (0.0, 1.0))
    counts, held = all_looks(sums), held_at_all_looks(sums[None], sizes[None])
    found = [end[0, -1] for end in ratio_interval(counts, held, alpha=0.05)]
    assert found == pytest.approx([low, high])
    assert [round(end, 3) for end in found] == [0.571, 0.71]


def test_a_ratio_has_no_end_where_nothing_bounds_it():
    """The same share in all units, however many there are, excludes nothing."""
    sums, sizes = np.array([[1.0, 2.0, 3.0, 1.0]]), np.array([[2.0, 4.0, 6.0, 2.0]])
    ends = ratio_interval(all_looks(sums), held_at_all_looks(sums, sizes), alpha=0.05)
    assert np.isneginf(ends[0]).all()
    assert np.isposinf(ends[1]).all()


@pytest.mark.parametrize("ratio", [0.0, 0.3])
def test_intervals_of_ratios_hold_the_truth_at_all_looks_at_once(ratio):
    """Of 2,000 streams at most 5 % exclude it at any of 200 looks; units hold 1 to 8 topics, larger ones vary more."""
    draw = np.random.default_rng(11)
    sizes = draw.integers(1, 9, (2000, 200)).astype(float)
    shared = draw.normal(0.0, 0.3, sizes.shape)  # by all topics of a unit
    sums = sizes * (ratio + shared) + np.sqrt(sizes) * draw.normal(0.0, 1.0, sizes.shape)
    low, high = ratio_interval(all_looks(sums), held_at_all_looks(sums, sizes), alpha=0.05)
    out = ((low > ratio) | (high < ratio)).any(axis=1)
    assert 0 < out.sum() <= stats.binom.ppf(0.999, len(out), 0.05)
    last = high[:, -1] - low[:, -1]
    assert np.isfinite(last).all()
    assert np.median(last) < 0.5
