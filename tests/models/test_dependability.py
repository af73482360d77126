"""Dependability of designs: printed mappings, a literal error, and what is refused."""

import json

import numpy as np
import pytest

from metaeval.agreement.crossed_variances import REPEAT, Effect, Strata
from metaeval.errors import InvalidOptionError
from metaeval.models.dependability import (
    SYSTEMS,
    Design,
    Sources,
    check_cost,
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
    found = mapped_indicators(0.5, 0.8)["relative_sensitivity"].item()
    assert 100 * found == pytest.approx(printed["gt2rsens_of_Phi_0.8_percent"], abs=5e-4)
    for erho2, tau in printed["gt2tauAP"].items():
        assert mapped_indicators(float(erho2), 0.5)["tau_ap"].item() == pytest.approx(tau, abs=5e-8)


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
