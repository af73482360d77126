"""Ranks from means and standard errors: exact for two, a literal slow version, laws, and calibration by simulation."""

from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.integrate import quad
from scipy.stats import norm, spearmanr

from metaeval import errors as own_errors
from metaeval import simulate_scores
from metaeval.resampling import rank_intervals, rank_intervals_from_errors
from metaeval.resampling.exchangeable import SystemPlaces
from metaeval.resampling.means_and_errors import draws_of_true_means
from metaeval.resampling.posterior_ranks import ranks_of

FIGURES = ["rank", "rank_low", "rank_high", "n_above", "n_below", "p_best", "p_top"]


def _found(means, errors, **options):
    return rank_intervals_from_errors(means, errors, rng=3, **options)


def _probability(difference, errors):
    """Return the exact probability that the first of two true means is larger: a normal one, over all spreads."""
    total = float(np.square(errors).sum())
    level = total / 2.0

    def weight(spread):
        prior = 1.0 / (level + spread)
        return prior * norm.pdf(difference, 0.0, np.sqrt(total + 2.0 * spread))

    def ahead(spread):
        kept = np.square(errors) / (np.square(errors) + spread)  # share of its own mean that each gives up
        precision = 1.0 / (np.square(errors) + spread)
        grand = precision / precision.sum() * np.array([1.0, 0.0])
        means = kept * grand.sum() * difference + (1.0 - kept) * np.array([difference, 0.0])
        variance = (kept * spread).sum() + (kept[0] - kept[1]) ** 2 / precision.sum()
        return weight(spread) * norm.cdf((means[0] - means[1]) / np.sqrt(max(variance, 1e-300)))

    parts = [(0.0, 0.01 * level), (0.01 * level, level), (level, 100 * level), (100 * level, np.inf)]
    return sum(quad(ahead, *part)[0] for part in parts) / sum(quad(weight, *part)[0] for part in parts)


@pytest.mark.parametrize("errors", [(1.0, 1.0), (1.0, 0.3), (0.2, 2.0)])
@pytest.mark.parametrize("difference", [0.0, 0.4, 1.5, 3.0])
def test_two_systems_are_exact(difference, errors):
    """The probability that one of two is better is that of a normal difference over the law of its spread."""
    found = _found([difference, 0.0], errors, n_draws=100_000)
    exact = _probability(difference, np.array(errors))
    assert float(found.data["p_better"][0, 0]) == pytest.approx(exact, abs=0.006)
    assert float(found.data["p_best"][0, 0]) == pytest.approx(exact, abs=0.006)


def test_two_sure_systems_have_the_normal_probability():
    """Among means far apart, which are hardly drawn together, a pair has the probability of a normal difference."""
    means = np.array([*np.arange(0.0, 4000.0, 100.0), 1.0])
    found = _found(means, np.ones(len(means)), n_draws=100_000)
    pair = found.data.sel(metric="metric1").isel(pair=len(means) - 2)
    assert {str(pair["system_a"].item()), str(pair["system_b"].item())} == {"system1", f"system{len(means)}"}
    assert 1 - float(pair["p_better"]) == pytest.approx(norm.cdf(1 / np.sqrt(2)), abs=0.006)


def _literal(means, errors, n_draws, generator):
    """Draw true means one after the other, as the formulas are written."""
    level = np.mean(np.square(errors))
    noise = np.linspace(-25.0, 0.0, 20_001)[:-1]
    spreads = level * (np.exp(-noise) - 1.0)
    logs = []
    for spread in spreads:
        total = np.square(errors) + spread
        grand = np.sum(means / total) / np.sum(1 / total)
        logs.append(-0.5 * (np.sum(np.log(total)) + np.log(np.sum(1 / total)) + np.sum((means - grand) ** 2 / total)))
    chance = np.exp(logs - np.max(logs))
    draws = []
    for spread in generator.choice(spreads, n_draws, p=chance / chance.sum()):
        total = np.square(errors) + spread
        centre = generator.normal(np.sum(means / total) / np.sum(1 / total), np.sqrt(1 / np.sum(1 / total)))
        kept = np.square(errors) / total
        draws.append(generator.normal(kept * centre + (1 - kept) * means, np.sqrt(kept * spread)))
    return np.array(draws)


def test_a_literal_slow_version_finds_the_same():
    """Means, standard deviations and ranks of the draws are those of the formulas."""
    means, errors = np.array([0.0, 0.3, 0.5, 1.8]), np.array([0.4, 0.2, 0.6, 0.3])
    places = SystemPlaces(np.arange(4), np.arange(4))
    ours = draws_of_true_means(means, errors, np.full(4, np.nan), places, 40_000, np.random.default_rng(1))
    theirs = _literal(means, errors, 40_000, np.random.default_rng(2))
    np.testing.assert_allclose(ours.mean(axis=0), theirs.mean(axis=0), atol=0.012)
    np.testing.assert_allclose(ours.std(axis=0), theirs.std(axis=0), atol=0.012)
    shares = [[(ranks_of(draws) == rank).mean(axis=0) for rank in range(1, 5)] for draws in (ours, theirs)]
    np.testing.assert_allclose(*shares, atol=0.012)


def test_few_items_make_errors_less_sure():
    """Errors estimated on few items are those of Student's t; on very many they count as known."""
    means, errors = np.array([0.0, 1.5, 4.0]), np.ones(3)
    known, many, few = (
        _found(means, errors, n=n, n_draws=100_000).data["p_better"].to_numpy()[0] for n in (None, 10**6, 3)
    )
    np.testing.assert_allclose(many, known, atol=0.006)
    assert (np.abs(few - 0.5) < np.abs(known - 0.5) - 0.01).all()


BOARDS = st.lists(
    st.tuples(st.integers(0, 8).map(lambda one: one / 8), st.sampled_from([0.02, 0.05, 0.2])), min_size=2, max_size=6
)


@settings(max_examples=40)
@given(BOARDS, st.permutations(range(6)))
def test_laws_of_any_board(board, order):
    """The order of rows, unit and zero change nothing; intervals hold the rank seen, and chances add up."""
    means, errors = (np.array(part) for part in zip(*board, strict=True))
    names = [f"s{place}" for place in range(len(means))]
    options = {"n_draws": 200, "top": 2}
    found = _found(means, errors, systems=names, **options).data
    kept = [place for place in order if place < len(means)]
    moved = _found(means[kept], errors[kept], systems=[names[place] for place in kept], **options).data
    other = _found(1000 * means + 4000, 1000 * errors, systems=names, **options).data
    falling = _found(-means, errors, systems=names, higher_is_better=False, **options).data
    for name in FIGURES:
        own = found[name].to_numpy()[0]
        np.testing.assert_allclose(moved[name].sel(system=names).to_numpy()[0], own, atol=1e-9, err_msg=name)
        np.testing.assert_allclose(other[name].to_numpy()[0], own, atol=0.011, err_msg=name)
        np.testing.assert_allclose(falling[name].to_numpy()[0], own, atol=1e-9, err_msg=name)
    rank, low, high = (found[name].to_numpy()[0] for name in FIGURES[:3])
    assert ((low <= rank) & (rank <= high)).all()
    assert ((low >= 1 + found["n_above"].to_numpy()[0]) & (high <= len(means) - found["n_below"].to_numpy()[0])).all()
    assert found["p_best"].to_numpy().sum() == pytest.approx(1.0)
    assert found["p_top"].to_numpy().sum() == pytest.approx(2.0)


@pytest.mark.parametrize(("means", "errors"), [([0.1, 0.4, 0.4], [0.0] * 3), ([0.1, 0.4, 0.25], [0.0, 0.0, 0.1])])
def test_shares_without_error_are_refused(means, errors):
    """A mean of several answers between 0 and 1 is never without doubt, whatever a board prints."""
    with pytest.raises(own_errors.ScoresError, match=r"is 0, which a mean of several answers never has"):
        _found(means, errors)


def test_means_with_tiny_errors_are_certain():
    """Ranks are those seen, and equal means share them."""
    frame = _found([0.1, 0.4, 0.4, 0.2], [1e-9] * 4).to_frame().sort_values("system")
    assert frame["rank_low"].tolist() == [4, 1, 1, 3]
    assert frame["rank_high"].tolist() == [4, 2, 2, 3]
    np.testing.assert_allclose(frame["p_best"], [0.0, 0.5, 0.5, 0.0], atol=0.1)


def test_equal_means_have_equal_chances():
    """Systems that nothing tells but their names share every figure."""
    found = _found([0.5] * 5, [0.1] * 5).data
    np.testing.assert_allclose(found["p_best"], 0.2)
    np.testing.assert_allclose(found["p_better"], 0.5)
    assert (found["rank_low"].to_numpy() == 1).all()
    assert (found["rank_high"].to_numpy() == 5).all()
    assert not found["significant"].to_numpy().any()


def share_held(n_systems, spread, n_boards, *, ratio=1.0, together=0.0, n_draws=5000):
    """Return in what share of random normal boards all true ranks are held, and the median width of the intervals.

    True means vary by `spread` standard errors; errors differ up to `ratio`, and have the correlation `together`.
    """
    generator = np.random.default_rng([n_systems, int(100 * spread), int(100 * together)])
    held, widths = 0, []
    for number in range(n_boards):
        errors = np.geomspace(1.0, ratio, n_systems)[generator.permutation(n_systems)]
        true = generator.normal(0, spread * np.sqrt(np.mean(errors**2)), n_systems)
        noise = np.sqrt(together) * generator.normal() + np.sqrt(1 - together) * generator.normal(size=n_systems)
        found = rank_intervals_from_errors(true + errors * noise, errors, n_draws=n_draws, rng=number).data
        low, high = (found[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
        rank = ranks_of(true[None])[0]
        held += bool(((low <= rank) & (rank <= high)).all())
        widths.append(np.median(high - low + 1))
    return held / n_boards, float(np.mean(widths))


@pytest.mark.parametrize("spread", [0.5, 3.0])
@pytest.mark.parametrize(("n_systems", "ratio"), [(5, 1.0), (20, 3.0)])
def test_intervals_hold_the_true_ranks(n_systems, spread, ratio):
    """Of random boards with independent errors, at least .93 have all true ranks in their intervals, up to chance."""
    n_boards = 120
    held, _ = share_held(n_systems, spread, n_boards, ratio=ratio)
    assert held >= 0.93 - 2.33 * np.sqrt(0.93 * 0.07 / n_boards)


def test_errors_that_go_together_make_intervals_too_wide():
    """Where systems err alike, intervals hold more than they say, as documented."""
    held, width = share_held(10, 1.0, 100, together=0.75)
    apart, other = share_held(10, 1.0, 100)
    assert held >= apart
    assert held >= 0.97
    assert abs(width - other) < 1.0


def test_scores_by_item_separate_more():
    """Of the same scores, by item and summed up, the summary separates no more pairs where errors go together."""
    scores = simulate_scores(n_systems=10, n_topics=200, metrics=["AP"], rng=4)
    values = scores.to_numpy()[0]
    names = scores["system"].to_numpy().tolist()
    paired = rank_intervals(scores, rng=1).data["significant"].sum()
    summed = rank_intervals_from_errors(
        values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(200), n=200, systems=names, rng=1
    )
    assert int(summed.data["significant"].sum()) < int(paired)
    means = summed.to_frame().set_index("system")
    assert spearmanr(means["mean"], -means["rank"]).statistic == pytest.approx(1.0)


@pytest.mark.parametrize(
    "options", [{"top": 0}, {"confidence_level": 95}, {"n_draws": 3}, {"rng": "x"}, {"n_draws": "many"}]
)
def test_options_are_checked(options):
    """An option outside its rule is an error of ours."""
    with pytest.raises(own_errors.MetaevalError):
        rank_intervals_from_errors([0.1, 0.2], [0.1, 0.1], **{"rng": 1, **options})


PRINTED = {"A": 71.2, "B": 70.9, "C": 69.0, "D": 66.5, "E": 66.1, "F": 60.2}
ERRORS = {"A": 0.6, "B": 0.7, "C": 0.6, "D": 0.8, "E": 0.7, "F": 0.9}


def test_a_pair_that_no_corrected_test_separates_shares_a_letter():
    """B and C of a board of six: z = 1.9 / sqrt(.49 + .36) = 2.06, p = .039, of 15 pairs; Holm's steps by hand."""
    names = list(PRINTED)
    pairs = list(combinations(names, 2))
    z = [(PRINTED[a] - PRINTED[b]) / np.hypot(ERRORS[a], ERRORS[b]) for a, b in pairs]
    p_values = 2 * norm.sf(np.abs(z))
    order, different = np.argsort(p_values), set()
    for step, at in enumerate(order.tolist()):
        if p_values[at] > 0.05 / (len(pairs) - step):
            break
        different.add(pairs[at])
    assert ("B", "C") not in different
    assert ("A", "C") in different
    found = _found(PRINTED, ERRORS)
    letters = found.groups().set_index("system")["letters"].to_dict()
    assert {pair for pair in pairs if not {*letters[pair[0]]} & {*letters[pair[1]]}} == different
    frame = found.pairs()
    assert {(a, b) for a, b, told in frame[["system_a", "system_b", "significant"]].to_numpy() if told} == different


@pytest.mark.parametrize(("n_groups", "size"), [(3, 3), (2, 4)])
def test_equal_systems_are_rarely_said_to_differ(n_groups, size):
    """Groups of equal systems far from each other: a false pair in at most 5 % of the boards, but for their number."""
    generator = np.random.default_rng(50)
    true_means = np.repeat(np.arange(n_groups)[::-1] * 15.0, size)
    n_boards, n_wrong = 150, 0
    for _ in range(n_boards):
        seen = true_means + generator.normal(0, 1, len(true_means))
        names = {f"s{at}": mean for at, mean in enumerate(seen.tolist())}
        found = rank_intervals_from_errors(names, dict.fromkeys(names, 1.0), n_draws=2000, rng=1).pairs()
        group = {name: at // size for at, name in enumerate(names)}
        equal = found["system_a"].map(group) == found["system_b"].map(group)
        n_wrong += bool((found["significant"] & equal).any())
    assert n_wrong / n_boards <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / n_boards)
