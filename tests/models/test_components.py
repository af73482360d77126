"""Components of variance of scores: printed values, laws of designs, degenerate scores, real boards."""

import json
import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from metaeval.agreement.repeats import judge_repeats
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.models.components import variance_components
from metaeval.models.dependability import Design
from metaeval.table.scores import as_scores
from metaeval.tests_stat.noncentral_t import detectable_shift


def simulated(seed=0, *, systems=8, items=40, repeats=1, gaps=0.0, clusters=0):
    """Return scores with components 1 (systems), 2 (items), 1 (both) and 0.5 (repeats)."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(systems, 1, 1)) + rng.normal(0, np.sqrt(2), (1, items, 1))
    values = values + rng.normal(size=(systems, items, 1)) + rng.normal(0, np.sqrt(0.5), (systems, items, repeats))
    values = np.where(rng.random(values.shape) < gaps, np.nan, values)
    groups = {str(one + 1): f"c{one % clusters}" for one in range(items)} if clusters else None
    return as_scores(values[None] if repeats > 1 else values[None, ..., 0], missing="pairwise", clusters=groups)


def printed(data_folder, name):
    """Return printed values, or skip."""
    path = data_folder / "generalisability" / "expected.json"
    if not path.exists():
        pytest.skip(f"no printed values in {path}")
    return json.loads(path.read_text("utf-8"))[name]


def test_the_example_of_brennan(data_folder):
    """Mean squares, components, and both coefficients with their 80 % intervals (pages 182 and 198)."""
    wanted = printed(data_folder, "brennan_synthetic4.csv")
    values = pd.read_csv(data_folder / "generalisability" / "brennan_synthetic4.csv").to_numpy(dtype=float).T
    found = variance_components(values[None], intervals="normal", confidence_level=0.8)
    assert found.components["variance"].round(4).tolist() == list(wanted["variance"].values())
    assert found.components["mean_square"].round(4).tolist() == list(wanted["mean_squares"].values())
    row = found.dependability.iloc[0]
    for ours, theirs in (("erho2", "Erho2"), ("phi", "Phi")):
        numbers = [row[ours], row[f"{ours}_low"], row[f"{ours}_high"]]
        assert np.round(numbers, 3).tolist() == wanted["d_study_12_items_alpha_0.1"][theirs]


def test_adhoc3_as_gt4ireval_prints_it(data_folder):
    """Components, coefficients and topics needed, all with intervals; the worst quarter of the systems left out."""
    wanted = printed(data_folder, "adhoc3_ap.csv of trec-matrices")
    values = pd.read_csv(data_folder / "trec-matrices" / "adhoc3_ap.csv").to_numpy(dtype=float).T
    found = variance_components(values[np.argsort(-values.mean(axis=1))[:30]][None], intervals="normal")
    for row, variance in zip(found.components.itertuples(), wanted["variance"].values(), strict=True):
        assert row.variance == pytest.approx(variance, rel=5e-5)
    assert (100 * found.components["share"]).tolist() == pytest.approx(
        list(wanted["variance_percent"].values()), rel=5e-5
    )
    study = wanted["d_study_alpha_0.025"]
    plan = found.plan([50, 100, 150]).set_index("items")
    for ours, theirs in (("erho2", "Erho2"), ("phi", "Phi")):
        for items, numbers in study[theirs].items():
            row = plan.loc[float(items)]
            assert [row[ours], row[f"{ours}_low"], row[f"{ours}_high"]] == pytest.approx(numbers, abs=5.1e-6)
        needed = found.needed(0.95, stability=ours).iloc[0]
        assert [needed["items"], needed["low"], needed["high"]] == study["queries_for_0.95"][theirs]
    more = wanted["further_from_the_vignette"]
    assert found.needed(0.97)["items"].item() == more["queries_for_Erho2_0.97"]
    assert found.needed(0.9, stability="phi")["items"].item() == more["queries_for_Phi_0.90"]
    values = values[np.argsort(-values.mean(axis=1))[:30]]
    wide, narrow = (variance_components(values[None], intervals="normal", confidence_level=c) for c in (0.99, 0.9))
    ends = wide.plan([50])[["erho2_low", "erho2_high"]].iloc[0].tolist()
    assert ends == pytest.approx(more["Erho2_interval_50_queries_99"], abs=5.1e-6)
    needed = narrow.needed(0.95, stability="phi")[["low", "high"]].iloc[0].tolist()
    assert needed == more["queries_for_Phi_0.95_interval_90"]
    row = found.plan([200]).iloc[0]
    assert [row["phi_low"], row["phi_high"]] == pytest.approx(more["Phi_interval_with_200_queries_95"], abs=5.1e-6)


def test_judges_that_repeat_have_the_components_of_their_passes():
    """Shared repeats are the layout of `judge_repeats`: one road, one value."""
    scores = simulated(repeats=3)
    ours = variance_components(scores, repeats="shared").components.set_index("component")["estimate"]
    theirs = judge_repeats(scores).components.set_index("component")["estimate"]
    pairs = {"topic x repeat": "repeat", "system x topic x repeat": "residual"}
    assert ours.rename(pairs).sort_index().to_numpy() == pytest.approx(theirs.sort_index().to_numpy(), rel=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_laws_of_designs(seed, repeats):
    """More items never harm, a repeat helps at most as much as an item, and ranks are surer than values."""
    found = variance_components(simulated(seed, repeats=repeats))
    plan = found.plan([5, 10, 20, 40, 80])
    assert plan["erho2"].is_monotonic_increasing
    assert (plan["phi"] <= plan["erho2"] + 1e-12).all()
    assert ((plan["erho2_low"] <= plan["erho2"]) & (plan["erho2"] <= plan["erho2_high"])).all()
    if repeats > 1:
        doubled = found.plan([20], repeats=[2])["erho2"].item()
        assert doubled <= found.plan([40], repeats=[1])["erho2"].item() + 1e-12
    needed = found.needed(0.9)["items"].item()
    if np.isfinite(needed):
        enough, less = (found.plan([max(int(n), 1)])["erho2"].item() for n in (needed, needed - 1))
        assert enough >= 0.9 - 1e-9
        assert needed == 1 or less < 0.9


def test_the_cheapest_design_is_the_cheapest_of_all():
    """Against every number of items and repeats."""
    found = variance_components(simulated(3, repeats=4))
    cost = {"item": 8.0, "run": 1.0}
    rows = found.cheapest(cost).set_index("goal")
    now = rows.loc["at hand"]
    grid = np.array(np.meshgrid(np.arange(1, 400), 1, np.arange(1, 11))).reshape(3, -1)
    own = found.solved["metric1"]
    erho2 = own.sources.coefficient(own.variances[None], Design(*grid), "erho2")[0]
    every = pd.DataFrame({"items": grid[0], "repeats": grid[2], "erho2": erho2})
    every["cost"] = every["items"] * (8.0 + found.n_systems * every["repeats"])
    enough = every[every["erho2"] >= now["erho2"] - 1e-12]
    assert rows.loc["target", "cost"] == pytest.approx(enough["cost"].min())
    afforded = every[every["cost"] <= now["cost"] * (1 + 1e-12)]
    assert rows.loc["same cost", "erho2"] == pytest.approx(afforded["erho2"].max())
    sure = found.cheapest(cost, target=now["erho2"]).set_index("goal")
    assert sure.loc["target", "cost"] >= rows.loc["target", "cost"]


def test_designs_for_these_systems_reach_the_target_as_often_as_said():
    """Boards of the same ten systems: nine in ten designs are dependable enough, with fewer items than for others."""
    rng = np.random.default_rng(5)
    systems = rng.normal(size=(10, 1))
    least = np.ceil(9.0 / systems.var(ddof=1))
    items = []
    for _ in range(100):
        found = variance_components(systems + rng.normal(size=40) + rng.normal(size=(10, 40)))
        both = [found.cheapest(target=0.9, population=one).query("goal == 'target'") for one in ("these", "others")]
        items.append([one["items"].item() for one in both])
    reached = (np.array(items) >= least).mean(axis=0)
    assert 0.82 <= reached[0] <= 0.98
    assert (np.array(items)[:, 0] < np.array(items)[:, 1]).all()
    assert np.median(np.array(items)[:, 0]) < 1.5 * least < np.median(np.array(items)[:, 1])


@pytest.mark.parametrize(("measure", "gaps"), [("system", 0.3), ("topic", 0.3), ("judge", 0.3), ("topic", 0.0)])
def test_the_design_at_hand_costs_what_was_made(measure, gaps):
    """Item by item, run by run and judgment by judgment, with gaps too: the number made times its price."""
    values = as_scores(
        np.where(
            np.random.default_rng(2).random((3, 5, 12, 2)) < gaps,
            np.nan,
            np.random.default_rng(1).normal(size=(3, 5, 12, 2)),
        ),
        missing="pairwise",
    )
    price = {"item": 7.0, "run": 1.0, "judgment": 0.1}
    for judges in [True] if measure == "judge" else [True, False]:
        rows = variance_components(values, judges=judges, measure=measure).cheapest(price)
        now = rows[rows["goal"] == "at hand"].reset_index(drop=True)
        for place, metrics in enumerate([values] if judges else [values.isel(metric=[one]) for one in range(3)]):
            made = {(s, i, r, j) for j, s, i, r in np.argwhere(np.isfinite(metrics.to_numpy())).tolist()}
            runs, items = {one[:3] for one in made}, {one[1] for one in made}
            assert now.loc[place, "cost"] == pytest.approx(7 * len(items) + len(runs) + 0.1 * len(made))
        afforded = rows[rows["goal"] == "same cost"]
        assert (afforded["cost"].to_numpy() <= now["cost"].to_numpy()[: len(afforded)] + 1e-9).all()
        for number, across, repeats, cost in afforded.iloc[:, 2:6].itertuples(index=False):
            systems, readers = {"system": (5, across), "topic": (12, across), "judge": (across, 3)}[measure]
            runs = number * systems * repeats
            assert cost == pytest.approx(7 * (12 if measure == "topic" else number) + runs + 0.1 * runs * readers)


def test_judges_that_cost_nothing_are_ten_at_most():
    """A price from a few judges says nothing of a hundred."""
    values = np.random.default_rng(1).normal(size=(3, 5, 12)) + np.arange(5.0)[:, None]
    rows = variance_components(values, judges=True).cheapest({"item": 1000.0, "run": 1e-9, "judgment": 1e-9})
    assert rows.set_index("goal").loc["same cost", "judges"] == 10


def test_the_detectable_difference_is_that_of_a_t_test_over_items():
    """By statsmodels, in units of the error of a difference; one item has the freedom of two."""
    plan = variance_components(simulated()).plan([1, 2, 20])
    ratio = plan["detectable"] / plan["difference_error"]
    assert ratio[2] == pytest.approx(TTestPower().solve_power(nobs=20, alpha=0.05, power=0.8) * np.sqrt(20), rel=1e-4)
    assert ratio[0] == pytest.approx(ratio[1])


def test_the_limits_of_iso_5725_come_from_mean_squares():
    """Literally, of a balanced table: 1.96 √2 times the errors of the mean of a single run, by repeats and items."""
    scores = np.random.default_rng(3).normal(size=(5, 12, 1)) + np.random.default_rng(4).normal(size=(5, 12, 2))
    systems, items, repeats = scores.shape
    cells = scores.mean(axis=2)
    again = scores.var(axis=2, ddof=1).mean() / (items * repeats)
    rest = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    other_items = (rest**2).sum() / ((systems - 1) * (items - 1)) / items
    row = variance_components(scores[None]).dependability.iloc[0]
    of_items = (cells.mean(axis=0).var(ddof=1) * systems - (rest**2).sum() / ((systems - 1) * (items - 1))) / systems
    single = other_items + again * (repeats - 1) + of_items / items
    assert row["repeatability"] == pytest.approx(1.96 * math.sqrt(2 * again * repeats))
    assert row["reproducibility"] == pytest.approx(1.96 * math.sqrt(2 * single))
    assert row["repeat_share"] == pytest.approx(again / other_items)


@pytest.mark.parametrize("common", [0.0, 0.05])
@pytest.mark.parametrize("seeds", [3, 10])
def test_two_runs_in_twenty_differ_by_more_than_is_said(seeds, common):
    """Of two new runs of each system, on the same items and on others, whatever number of runs each system has."""
    rng = np.random.default_rng(10 * seeds)

    def made(n_seeds, n_items=50, n_systems=200):
        values = rng.normal(0, 0.1, (1, n_items, 1)) + rng.normal(0, common, (1, 1, n_seeds))
        values = values + rng.normal(0, 0.04, (n_systems, n_items, 1)) + rng.normal(0, 0.03, (n_systems, 1, n_seeds))
        return values + rng.normal(0, 0.1, (n_systems, n_items, n_seeds))

    beyond = []
    for _ in range(40):
        row = variance_components(made(seeds, n_systems=6)[None], repeats="crossed").dependability.iloc[0]
        same, (one,), (other,) = made(2, n_systems=1)[0].mean(axis=0), made(1, n_systems=1), made(1, n_systems=1)
        beyond.append(
            [abs(same[0] - same[1]), abs(one.mean() - other.mean())] > row[["repeatability", "reproducibility"]]
        )
    assert (np.mean(np.array(beyond, dtype=float), axis=0) < 0.2).all()


def test_items_that_cost_much_are_worth_repeats():
    """And free ones are not."""
    found = variance_components(simulated(4, repeats=3))
    dear, free = (found.cheapest({"item": price, "run": 1.0}).set_index("goal") for price in (1000.0, 0.0))
    assert dear.loc["same cost", "repeats"] > 1
    assert free.loc["same cost", "repeats"] == 1


def test_scores_that_say_nothing_of_a_source_are_refused():
    """Judges of other items each, and numbers whose squares no number holds; repeats of one number are that number."""
    values = np.random.default_rng(0).random((2, 4, 12, 1))
    apart = values.copy()
    apart[0, :, :6], apart[1, :, 6:] = np.nan, np.nan
    with pytest.raises(ScoresError, match="no topic was scored by two judges, so judges and topics cannot"):
        variance_components(as_scores(apart[..., 0], missing="pairwise"), judges=True)
    apart[1, :, 6] = 0.5
    assert variance_components(as_scores(apart[..., 0], missing="pairwise"), judges=True).n_judges == 2
    for unit in (1e160, 1e-160):
        with pytest.raises(EstimationError, match="in another unit"):
            variance_components(values[:1, ..., 0] * unit)
    for repeats in (3, 7, 11):
        repeated = np.random.default_rng(0).random((1, 7, 13, repeats))
        assert variance_components(repeated).dependability["repeats"].item() == repeats


def test_every_facet_is_named():
    """Judges in the place of metrics, repeats crossed or shared, clusters, and topics as what is measured."""
    judged = as_scores(np.random.default_rng(0).normal(size=(3, 5, 12)))
    assert variance_components(judged, judges=True).components["component"].tolist() == [
        *("system", "judge", "system x judge", "topic", "system x topic", "topic x judge", "system x topic x judge")
    ]
    crossed = variance_components(simulated(repeats=2), repeats="crossed").components["component"]
    assert crossed.tolist()[1:3] == ["repeat", "system x repeat"]
    clustered = variance_components(simulated(clusters=8)).components["component"]
    assert clustered.tolist() == ["system", "cluster", "system x cluster", "topic", "system x topic"]
    turned = variance_components(simulated(), measure="topic").components["component"]
    assert turned.tolist() == ["topic", "system", "system x topic"]


def test_clusters_with_gaps_count_as_each_system_has_them():
    """The error at hand is the mean over systems of that of their own items in their own clusters, term by term."""
    scores = simulated(2, clusters=7)
    scores = scores + np.random.default_rng(6).normal(0, 1, (1, 8, 7))[:, :, scores["cluster"].str[1:].astype(int)]
    holes = np.random.default_rng(3).random(scores.shape) < np.linspace(0, 0.9, 8)[None, :, None]
    holes[0, :, :3] = False
    found = variance_components(as_scores(scores.where(~holes), missing="pairwise"), intervals="normal")
    variance = found.components.set_index("component")["variance"]
    groups, errors = scores["cluster"].to_numpy(), []
    assert variance["system x cluster"] > 0.5
    for system in range(8):
        of_clusters = {name: float((~holes[0, system, groups == name]).sum()) for name in set(groups)}
        n = sum(of_clusters.values())
        errors.append(variance["system x topic"] / n)
        errors[-1] += variance["system x cluster"] * sum(one**2 for one in of_clusters.values()) / n**2
    assert found.dependability["difference_error"].item() == pytest.approx(np.sqrt(2 * np.mean(errors)))
    assert found.cheapest()["difference_error"][0] == found.dependability["difference_error"][0]
    plan = found.cluster_plan([3, 6, 12])
    assert plan["items_per_cluster"].tolist() == pytest.approx([40 / 7, 3, 6, 12])
    uneven = 7 * sum(one**2 for one in (6, 6, 6, 6, 6, 5, 5)) / 40**2
    once = uneven * variance["system x cluster"] + variance["system x topic"] / plan["items_per_cluster"]
    assert plan["difference_error"].to_numpy() == pytest.approx(np.sqrt(2 * once / 7)), "rows share no gap"
    assert plan["twice_error"].to_numpy() == pytest.approx(np.sqrt(once / 7))
    in_order = plan.sort_values("items_per_cluster")
    assert (in_order["erho2"].diff()[1:] > 0).all(), "more items are never worse"
    assert (in_order["difference_error"].diff()[1:] < 0).all()
    assert found.dependability["difference_error"][0] > plan["difference_error"][0], "gaps cost"
    for target in (0.3, 0.6, 0.9):  # one number of items, and of clusters
        items = found.needed(target)[["items", "low", "high"]].to_numpy()[0]
        needed = found.cluster_plan([3], target=target)[
            ["clusters_needed", "clusters_needed_low", "clusters_needed_high"]
        ]
        np.testing.assert_array_equal(needed.to_numpy()[0], np.ceil(items / (40 / 7)))
    assert found.plan([40])["difference_error"].item() == pytest.approx(plan["difference_error"][0])


def test_more_clusters_or_more_items_in_each_follow_the_components():
    """Errors and needs from the printed variances; at the price no other number errs less for the cost."""
    scores = simulated(clusters=8, items=40)
    scores = scores + np.random.default_rng(5).normal(0, 0.5, (1, 8, 8))[:, :, scores["cluster"].str[1:].astype(int)]
    found = variance_components(scores)
    plan = found.cluster_plan([3, 5, 9], target=0.9)
    own, of_cluster, of_item = found.components.set_index("component")["variance"][
        ["system", "system x cluster", "system x topic"]
    ]
    assert of_cluster > 0.05
    for row in plan.itertuples():
        once = of_cluster + of_item / row.items_per_cluster
        assert row.difference_error == pytest.approx(np.sqrt(2 * once / 8))
        assert row.twice_error == pytest.approx(row.difference_error / np.sqrt(2))
        assert row.clusters_needed == np.ceil(once / (own * (1 - 0.9) / 0.9))
        error_by_cost = [(of_cluster + of_item / k) * (row.price + k) for k in np.arange(1, 40, 0.5)]
        assert np.arange(1, 40, 0.5)[np.argmin(error_by_cost)] == row.items_per_cluster
        assert row.price_low <= row.price <= row.price_high
    assert plan["at_hand"].tolist() == [True, False, False, False]
    assert plan.iloc[0]["erho2"] == found.dependability["erho2"].item()
    shift = detectable_shift(8 - 1.0)  # of whole clusters
    assert found.dependability["detectable"].item() == pytest.approx(plan.iloc[0]["difference_error"] * shift)
    assert variance_components(simulated()).cluster_plan().empty
    scores = simulated(clusters=5, items=30)
    usual = variance_components(xr.concat([scores, -scores.assign_coords(metric=["other"])], "metric")).cluster_plan()
    assert usual["items_per_cluster"].tolist() == [6, 1, 2, 5, 10, 12, 20, 50, 100] * 2
    assert usual.index.tolist() == list(range(18))
    with pytest.raises(InvalidOptionError, match="per_cluster"):
        found.cluster_plan([0])


def test_measured_judges_are_systems_of_the_table_turned_round():
    """Components, plans, items needed and costs; each combination is still judged once."""
    values = np.random.default_rng(1).normal(size=(3, 5, 12)) + np.arange(3.0)[:, None, None]
    ours = variance_components(values, judges=True, measure="judge")
    theirs = variance_components(values.swapaxes(0, 1), judges=True)
    assert ours.components["component"].tolist()[:3] == ["judge", "system", "system x judge"]
    assert ours.components["variance"].tolist() == pytest.approx(theirs.components["variance"].tolist())
    assert (ours.n_systems, ours.n_judges, ours.n_measured, theirs.n_measured) == (5, 3, 3, 3)
    planned = [ours.plan([10], systems=[2, 4]), theirs.plan([10], judges=[2, 4])]
    pd.testing.assert_frame_equal(planned[0].rename(columns={"systems": "judges"}), planned[1])
    assert ours.needed(systems=7).equals(theirs.needed(judges=7))
    now = ours.cheapest({"item": 1, "run": 2, "judgment": 3}).iloc[0]
    assert (now["systems"], now["cost"]) == (5, 12 * (1 + 5 * (2 + 3 * 3)))
    with pytest.raises(InvalidOptionError, match="give `systems`"):
        ours.plan([10], judges=[2])
    with pytest.raises(InvalidOptionError, match="takes judges"):
        variance_components(values, measure="judge")


def test_gaps_change_little_if_they_are_few():
    """A tenth of the scores missing moves the components by a fraction of their intervals."""
    whole, gappy = (variance_components(simulated(5, repeats=2, gaps=gaps)) for gaps in (0.0, 0.1))
    assert gappy.solved_by == "restricted maximum likelihood"
    assert gappy.filled > 0.9
    one, other = (found.components.set_index("component") for found in (whole, gappy))
    assert ((other["variance"] > one["low"]) & (other["variance"] < one["high"])).all()


def test_intervals_have_the_level_asked_for():
    """Of normal scores without repeats they are Feldt's (1965): a ratio of mean squares times quantiles of F."""
    scores = simulated(3)
    values = scores.to_numpy()[0]
    apart = values - values.mean(axis=1, keepdims=True)
    within = ((apart - apart.mean(axis=0)) ** 2).sum() / (7 * 39)
    ratio = within / (40 * values.mean(axis=1).var(ddof=1))
    for level in (0.95, 0.8):
        found = variance_components(scores, intervals="normal", confidence_level=level).dependability.iloc[0]
        quantiles = stats.f.ppf([(1 + level) / 2, (1 - level) / 2], 7, 7 * 39)
        assert found[["erho2_low", "erho2_high"]].tolist() == pytest.approx(1 - ratio * quantiles)


def test_the_axes_are_counted_whatever_they_are():
    """Systems, items and repeats, also where items are what is measured, and where repeats are crossed with items."""
    for options, counts in (
        ({"measure": "topic"}, (8, 40, 3)),
        ({"repeats": "crossed"}, (8, 40, 3)),
        ({"repeats": "crossed", "measure": "topic"}, (8, 40, 3)),
    ):
        found = variance_components(simulated(repeats=3), **options)
        assert (found.n_systems, found.n_topics, found.n_repeats) == counts, options


def test_negative_estimates_become_zero_and_are_kept():
    """Systems that differ less than chance has it."""
    values = simulated(6).to_numpy()
    level = values - values.mean(axis=2, keepdims=True) + np.linspace(0, 1e-3, 8)[:, None]
    row = variance_components(level).components.iloc[0]
    assert (row["estimate"] < 0, row["variance"]) == (True, 0.0)
    assert variance_components(level).dependability["erho2"].item() == 0
    assert variance_components(level).needed()["items"].item() == np.inf


def test_scores_without_noise():
    """Systems and items that add up exactly: as dependable as can be, and nothing says how far that may be off."""
    values = np.arange(4.0)[:, None] / 10 + np.arange(6.0) / 10
    found = variance_components(values[None])
    assert found.components["variance"].iloc[-1] == 0
    assert found.dependability["erho2"].item() == 1
    assert found.dependability[["erho2_low", "erho2_high"]].isna().all(axis=None)
    assert found.needed()["items"].item() == 1
    assert (found.dependability["phi_high"] < 1).all()


def test_repeats_that_differ_are_noise_where_means_do_not():
    """Systems alike in every mean, whose repeats differ, are no table without noise: all of it is of the repeats."""
    items, apart = np.arange(6.0)[None, :, None], np.array([-1.0, 1.0])
    values = np.broadcast_to(items + apart, (1, 4, 6, 2))
    found = variance_components(values).components.set_index("component")["variance"]
    assert found[found > 0].index.tolist() == ["topic", "repeat"]
    assert found["repeat"] == pytest.approx(2.0)


def test_what_is_refused():
    """Equal scores, one judge, repeats that are not there, designs that nothing is known of, weights."""
    with pytest.raises(EstimationError, match="all scores under 'metric1' are equal"):
        variance_components(np.full((1, 3, 4), 0.3))
    for far, name in ((1e200, "large"), (1e-200, "small")):
        with pytest.raises(EstimationError, match=f"are too {name} to be squared"):
            variance_components(far * np.arange(12.0).reshape(1, 3, 4) ** 2)
    items = 1e6 * np.arange(1.0, 6.0)
    for other in (items, np.nextafter(items, np.inf)):
        with pytest.raises(EstimationError, match="nothing differs"):
            variance_components(np.stack([items, other, items])[None])
    gone = np.nan
    with pytest.raises(EstimationError, match="too many gaps"):
        variance_components(as_scores([[[1.0, 2, 3], [5, gone, gone], [2, gone, gone]]], missing="pairwise"))
    with pytest.raises(ScoresError, match="two metrics, each a judge"):
        variance_components(simulated(), judges=True)
    with pytest.raises(InvalidOptionError, match="no repeats"):
        variance_components(simulated(), repeats="crossed")
    with pytest.raises(InvalidOptionError, match="not repeated"):
        variance_components(simulated()).plan([10], repeats=[2])
    with pytest.raises(InvalidOptionError, match="one judge"):
        variance_components(simulated()).plan([10], judges=[2])
    with pytest.raises(InvalidOptionError, match="weights"):
        variance_components(
            as_scores(np.random.default_rng(0).random((3, 4)), weights=dict(zip("1234", (1, 2, 1, 1), strict=True)))
        )


def board(data_folder, name):
    """Return the scores of a real board, systems in rows."""
    path = data_folder / "leaderboards" / name
    if not path.exists():
        pytest.skip(f"no board in {path}")
    frame = pd.read_csv(path)
    return frame, frame.select_dtypes("number").drop(columns="item", errors="ignore").to_numpy(dtype=float).T


def test_a_real_board(data_folder):
    """AlpacaEval, 10 of its cells empty: the models differ so much that few prompts rank them."""
    _, values = board(data_folder, "alpacaeval2_weighted_preferences.csv.gz")
    found = variance_components(as_scores(values[None], missing="pairwise"))
    assert found.components["share"].round(3).tolist() == [0.369, 0.193, 0.438]
    assert found.needed()["items"].item() == 23


def test_a_real_board_in_clusters(data_folder):
    """LiveBench, an eighth of its cells empty: questions of a task hang together, so that more are needed."""
    frame, values = board(data_folder, "livebench_2025-01-13.csv.gz")
    tasks = {str(place + 1): task for place, task in enumerate(frame["task"])}
    alone, together = (as_scores(values[None], missing="pairwise", clusters=one) for one in (None, tasks))
    found = variance_components(alone)
    assert found.components["share"].round(3).tolist() == [0.106, 0.372, 0.523]
    assert found.needed().iloc[0, 3:].tolist() == [95, 68, 127]
    assert variance_components(together).needed().iloc[0, 3:].tolist() == [492, 280, 887]


def test_real_cells_that_were_run_twice(data_folder, tmp_path):
    """LiveBench, six models: as many runs of other questions once, paid with all runs that were made."""
    path = data_folder / "leaderboards" / "livebench_repeated_cells.csv.gz"
    if not path.exists():
        pytest.skip(f"no cells in {path}")
    frame = pd.read_csv(path).drop(columns="task")
    frame.assign(repeat=frame.groupby(["question_id", "model"]).cumcount()).to_csv(tmp_path / "cells.csv", index=False)
    found = variance_components(read_scores(tmp_path / "cells.csv", missing="pairwise"))
    last = found.components.iloc[-1]
    ends = last[["difference_share", "difference_low", "difference_high"]].astype(float)
    assert ends.round(2).tolist() == [0.49, 0.17, 0.75]
    designs = found.cheapest().iloc[:2]
    assert designs[["items", "repeats", "cost"]].to_numpy().tolist() == [[87, 2, 1180], [196, 1, 1176]]
    assert designs["erho2"].round(3).tolist() == [0.964, 0.977]


def test_the_board_of_the_documentation(checkout):
    """MTEB, 183 models on 41 tasks."""
    found = variance_components(read_scores(checkout / "examples" / "mteb" / "main_score.csv"))
    assert found.components["share"].round(3).tolist() == [0.184, 0.697, 0.119]
    assert found.dependability["erho2"].round(3).item() == 0.985
    assert found.needed().iloc[0, 3:].tolist() == [13, 7, 25]
