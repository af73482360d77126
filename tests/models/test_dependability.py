"""Dependability of designs: printed mappings, a literal error, and what is refused."""

import json

import numpy as np
import pytest
from scipy import stats

from metaeval.agreement.crossed_variances import REPEAT, Effect, Strata
from metaeval.errors import InvalidOptionError
from metaeval.models.dependability import (
    SYSTEMS,
    Design,
    Sources,
    candidates,
    check_cost,
    component_draws,
    enough_items,
    exact_shares,
    expected_conclusions,
    mapped_indicators,
)

JUDGED = tuple(
    Effect(level, part)
    for level in ("top", "item")
    for part in ("mean", "system", "judge", "both")
    if (level, part) != ("top", "mean")
)


def test_the_mappings_that_were_printed(data_folder):
    """Tau and tau_AP of E-rho-squared, relative sensitivity of Phi, as gt4ireval prints them."""
    path = data_folder / "generalisability" / "expected.json"
    if not path.exists():
        pytest.skip(f"no printed mappings in {path}")
    printed = json.loads(path.read_text("utf-8"))["adhoc3_ap.csv of trec-matrices"]["further_from_the_vignette"]
    assert mapped_indicators(0.95, 0.5)["tau"].item() == pytest.approx(printed["gt2tau_of_Erho2_0.95"], abs=5e-6)
    found = mapped_indicators(0.8, 0.8)["relative_sensitivity"].item()
    assert 100 * found == pytest.approx(printed["gt2rsens_of_Phi_0.8_percent"], abs=5e-4)
    for erho2, tau in printed["gt2tauAP"].items():
        assert mapped_indicators(float(erho2), 0.0)["tau_ap"].item() == pytest.approx(tau, abs=5e-8)


def test_errors_are_sums_of_divided_components():
    """Literally: systems x items / n, systems x judges / m, all three / nm, repeats / nmk; means have the rest too."""
    sources = Sources(effects=(*JUDGED, REPEAT), passes="judge")
    names = [f"{one.level} {one.part}" for one in sources.effects]
    variances = np.arange(1.0, len(names) + 1)
    given = dict(zip(names, variances, strict=True))
    design = Design(10, 4, 2)
    relative = given["top both"] / 4 + given["item system"] / 10 + given["item both"] / 40 + given["cell both"] / 80
    absolute = relative + given["top judge"] / 4 + given["item mean"] / 10 + given["item judge"] / 40
    assert sources.error(variances, design, "relative")[0] == pytest.approx(relative)
    assert sources.error(variances, design, "absolute")[0] == pytest.approx(absolute)
    assert sources.error(variances, design, "repeat")[0] == pytest.approx(given["cell both"] / 80)
    erho2 = sources.coefficient(variances[None], design, "erho2").item()
    assert erho2 == pytest.approx(given["top system"] / (given["top system"] + relative))
    back = sources.items_for(variances[None], np.array(erho2), judges=4, repeats=2, which="erho2")
    assert back.item() == pytest.approx(10)


def test_no_number_of_items_makes_up_for_few_judges():
    """What systems and judges have in common does not fall with items."""
    sources = Sources(effects=JUDGED, passes="judge")
    variances = np.array([1.0, 0, 0.5, 0, 0, 0, 1.0])
    needed = [
        sources.items_for(variances[None], np.array(0.9), judges=judges, repeats=1, which="erho2").item()
        for judges in (1, 4, 8)
    ]
    assert needed[:2] == [np.inf, np.inf]
    assert 2 < needed[2] < 10


def test_conclusions_are_those_of_simulated_normal_systems():
    """Pairs found different, and pairs in the wrong order."""
    rng = np.random.default_rng(0)
    systems, items = 200, 40
    true = rng.normal(0, 0.3, systems)
    scores = true[:, None] + rng.normal(size=(systems, items))
    erho2 = true.var() / (true.var() + 1 / items)
    expected = expected_conclusions(erho2, items).iloc[0]
    first, second = np.triu_indices(systems, 1)
    apart = scores[first] - scores[second]
    statistic = apart.mean(axis=1) / (apart.std(axis=1, ddof=1) / np.sqrt(items))
    assert (np.abs(statistic) > 2.02).mean() == pytest.approx(expected["power"], abs=0.03)
    wrong = (np.sign(apart.mean(axis=1)) != np.sign(true[first] - true[second])).mean()
    assert wrong == pytest.approx(expected["wrong_order"], abs=0.02)
    assert expected["tau"] == pytest.approx(1 - 2 * expected["wrong_order"])


def test_a_number_that_is_whole_up_to_rounding_is_not_raised():
    """0.3 / 0.1 items are three."""
    assert enough_items(np.array([0.3 / 0.1, 3.2, 0.1, np.inf])).tolist() == [3, 4, 1, np.inf]


@pytest.mark.parametrize("cost", [{"item": 1}, {"run": -1}, {"runs": 1}, {"run": np.inf}, 3, {}])
def test_costs_that_make_no_sense(cost):
    """Free runs and judgments, negative and unknown costs are refused."""
    with pytest.raises(InvalidOptionError, match="cost"):
        check_cost(cost)


def test_a_dependability_lies_between_0_and_1():
    """Others are refused."""
    with pytest.raises(InvalidOptionError, match="between 0 and 1"):
        mapped_indicators(1.2, 0.5)


def test_means_are_no_more_dependable_than_differences():
    """The variance of topics is in the error of means alone, so Phi above E-rho-squared is refused; equal they pass."""
    with pytest.raises(InvalidOptionError, match=r"`phi` is at most `erho2`.*got 0\.9 beside 0\.5"):
        mapped_indicators([0.7, 0.5], [0.7, 0.9])
    assert len(mapped_indicators([0.7, 0.9], [0.7, 0.5])) == 2


def drawn_strata(variances: tuple[float, float, float], n_systems: int, n_items: int, n_draws: int) -> list[Strata]:
    """Mean squares of systems, items and the rest for normal effects of these variances."""
    freedom = np.array([n_systems - 1, n_items - 1, (n_systems - 1) * (n_items - 1)])
    systems, items, rest = variances
    expected = np.array([[n_items, 0.0, 1.0], [0.0, n_systems, 1.0], [0.0, 0.0, 1.0]])
    squares = np.random.default_rng(5).chisquare(freedom, (n_draws, 3)) / freedom * (expected @ [systems, items, rest])
    return [Strata(draw, freedom, freedom, expected) for draw in squares]


@pytest.mark.parametrize(("which", "lowest"), [("erho2", 0.085), ("phi", 0.06)])
@pytest.mark.parametrize("variances", [(1.0, 0.5, 4.0), (1.0, 3.0, 2.0)])
def test_each_end_of_the_interval_of_a_coefficient_misses_as_it_says(which, lowest, variances):
    """Of 4,000 normal tables each side misses a tenth (s.e. .005); that of levels never more often."""
    systems, items, rest = variances
    truth = systems / (systems + rest + (items if which == "phi" else 0.0))
    facets = (SYSTEMS, Effect("item", "mean"), Effect("item", "system"))
    tables = drawn_strata(variances, 12, 20, 4000)
    lower, upper = np.array([exact_shares(strata, strata.freedom, facets, 0.1, which) for strata in tables]).T
    for missed in (lower > truth, upper < truth):
        assert lowest <= missed.mean() <= 0.115


def test_a_number_that_is_whole_up_to_rounding_from_above_is_not_raised_either():
    """Three and a rounding error are three; one item is needed at least, and a real fraction is one more."""
    above = 1.0 + 2.0**-52
    assert enough_items(np.array([3 * above, above, 0.0, 2.000001, 2.0, np.nan])).tolist()[:5] == [3, 1, 1, 3, 2]
    assert np.isnan(enough_items(np.array([np.nan]))).all()


TWO_FACETS = (SYSTEMS, Effect("item", "mean"), Effect("item", "system"))


def two_facets(squares, n_systems=12, n_items=20):
    """Return mean squares of systems, items and the rest of a table of one score a cell."""
    freedom = np.array([n_systems - 1.0, n_items - 1.0, (n_systems - 1.0) * (n_items - 1.0)])
    expected = np.array([[n_items, 0.0, 1.0], [0.0, n_systems, 1.0], [0.0, 0.0, 1.0]])
    return Strata(np.array(squares, dtype=float), freedom, freedom, expected)


@pytest.mark.parametrize("which", ["erho2", "phi"])
@pytest.mark.parametrize("squares", [(9.0, 4.0, 1.5), (2.0, 30.0, 1.0), (1.1, 0.5, 1.0)])
def test_an_interval_of_a_coefficient_knows_no_unit(which, squares):
    """Scores in hundredths have that of scores in units; the ends are in order, and closer at a lower level."""
    ends = [
        exact_shares(two_facets(factor * np.array(squares)), two_facets(squares).freedom, TWO_FACETS, 0.05, which)
        for factor in (1.0, 1e-4, 400.0)
    ]
    assert ends[1] == pytest.approx(ends[0])
    assert ends[2] == pytest.approx(ends[0])
    narrow = exact_shares(two_facets(squares), two_facets(squares).freedom, TWO_FACETS, 0.2, which)
    assert 0 <= ends[0][0] <= narrow[0] <= narrow[1] <= ends[0][1] < 1


def test_the_interval_of_differences_is_by_the_ratio_of_mean_squares():
    """Literally by F: of 9 over 1.5, with 11 and 209 degrees of freedom; without a rest it is 1, below 0 it is 0."""
    strata = two_facets((9.0, 4.0, 1.5))
    wanted = []
    for q in (0.95, 0.05):
        of_systems = (9.0 / stats.f.ppf(q, 11, 209) - 1.5) / 20  # against a rest of 1.5
        wanted.append(of_systems / (of_systems + 1.5))
    assert exact_shares(strata, strata.freedom, TWO_FACETS, 0.05, "erho2") == pytest.approx(tuple(wanted))
    flat = two_facets((9.0, 4.0, 0.0))
    assert exact_shares(flat, flat.freedom, TWO_FACETS, 0.05, "erho2") == (1.0, 1.0)
    none = two_facets((0.2, 4.0, 1.5))
    assert exact_shares(none, none.freedom, TWO_FACETS, 0.05, "erho2") == (0.0, 0.0)
    assert exact_shares(strata, strata.freedom, (SYSTEMS, Effect("item", "system")), 0.05, "erho2") is None


def test_draws_of_components_follow_the_chi_squares_of_their_mean_squares():
    """Each mean square has its law, to a hundredth; two of them have nothing to do with each other; none is below 0."""
    freedom = np.array([5.0, 30.0])
    expected = np.array([[4.0, 1.0], [0.0, 1.0]])
    strata = Strata(np.array([600.0, 2.0]), freedom, freedom, expected)
    draws = component_draws(strata, freedom)
    places = [
        stats.chi2(5).cdf(600.0 * 5 / (4 * draws[:, 0] + draws[:, 1])),
        stats.chi2(30).cdf(2.0 * 30 / draws[:, 1]),
    ]
    for of_square in places:
        assert stats.kstest(of_square, stats.uniform.cdf).statistic < 0.01
    assert abs(np.corrcoef(places)[0, 1]) < 0.02
    assert np.array_equal(draws, component_draws(strata, freedom))
    small = component_draws(Strata(np.array([1.0, 2.0]), freedom, freedom, expected), freedom)
    assert small.min() == 0.0
    assert (small[:, 0] == 0).mean() == pytest.approx(stats.f.cdf(2.0, 30, 5), abs=0.02)


@pytest.mark.parametrize("passes", ["none", "crossed", "shared", "judge"])
def test_a_mean_has_as_many_effects_as_its_kind_has_units(passes):
    """Clusters are items by their size; repeats count beside judges where these are what was repeated."""
    effects = (SYSTEMS, Effect("cluster", "system"), Effect("item", "system"), Effect("item", "both"), REPEAT)
    sources = Sources(effects=effects, passes=passes, per_cluster=5.0)
    across = {"none": 1, "crossed": 3, "shared": 3, "judge": 4}[passes]
    assert sources.divisors(Design(20, 4, 3))[:, 0].tolist() == [1, 4, 20, 20 * across, 20 * 4 * 3]
    again = [False, False, False, passes in {"crossed", "shared"}, True]
    assert sources.among("repeat").tolist() == again
    assert sources.among("relative").tolist() == [False, True, True, True, True]
    assert not sources.among("absolute")[0]
    assert np.isnan(sources.coefficient(np.zeros((1, 5)), Design(20, 4, 3), "phi")).all()


def test_one_item_has_one_degree_of_freedom_at_least():
    """A test on two items takes t with one; so does what is said of one item."""
    found = expected_conclusions([0.5, 0.5], [1, 2], alpha=0.1)
    critical = stats.t.ppf(0.95, 1)
    assert found["power"].tolist() == pytest.approx([2 * stats.norm.cdf(-critical * np.sqrt(0.5))] * 2)
    assert found["wrong_order"].tolist() == pytest.approx([0.25] * 2)
    assert found["contradicted"].tolist() == pytest.approx([1 / 3] * 2)
    assert expected_conclusions([0.0, 1.0], 9)["tau"].tolist() == [0.0, 1.0]
    for erho2, items in ((-0.1, 5), (1.1, 5), (np.nan, 5), ("many", 5), (0.5, -1), (0.5, np.inf)):
        with pytest.raises(InvalidOptionError):
            expected_conclusions(erho2, items)


def test_costs_are_of_runs_or_judgments():
    """One of them is enough; what is not named is free."""
    assert check_cost({"judgment": 2}) == {"item": 0.0, "run": 0.0, "judgment": 2.0}
    assert check_cost({"run": 0.5, "item": 0}) == {"item": 0.0, "run": 0.5, "judgment": 0.0}
    with pytest.raises(InvalidOptionError, match="a run or a judgment costs something"):
        check_cost({"item": 1.0, "run": 0.0, "judgment": 0.0})


def test_candidates_are_all_pairs_of_numbers():
    """Judges change slowest."""
    judges, repeats = candidates([1, 3], [2, 5, 7])
    assert list(zip(judges.tolist(), repeats.tolist(), strict=True)) == [(1, 2), (1, 5), (1, 7), (3, 2), (3, 5), (3, 7)]
