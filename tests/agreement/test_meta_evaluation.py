"""The meta-metrics of the metrics tasks: WMT23's values, literal versions, laws, ties, degenerate input."""

import json
import tarfile
from itertools import combinations, product

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from scipy import stats

from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import in_content_order
from metaeval.agreement.meta_cells import cells_of_set
from metaeval.agreement.meta_evaluation import clusters_of, meta_metrics
from metaeval.agreement.meta_exchanges import measured_metrics
from metaeval.agreement.meta_sums import sums_of
from metaeval.agreement.meta_tasks import MetaTask, parse_tasks
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError, UnknownNameError
from metaeval.questions.human.study_campaign_files import read_campaign


def table(human, metrics, *, clusters=None, system_scores=None):
    """Lay out human scores and metrics (system, item) as `item_scores` does."""
    values = np.array([human, *metrics.values()], dtype=float)
    scores = xr.DataArray(
        values,
        dims=("metric", "system", "item"),
        coords={
            "metric": ["human", *metrics],
            "system": [f"s{place}" for place in range(values.shape[1])],
            "item": [str(place) for place in range(values.shape[2])],
        },
        attrs={"reference": "human"},
    )
    if clusters is not None:
        scores = scores.assign_coords(cluster=("item", clusters))
    if system_scores is not None:
        scores = scores.assign_coords(system_score=(("metric", "system"), system_scores))
    return scores


def made(seed=0, n_systems=5, n_items=12, *, gaps=True):
    """Make people who tie, with gaps, and three metrics."""
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(0, 1, (n_systems, n_items)) + rng.normal(0, 1, n_items))
    metrics = {
        name: human + rng.normal(0, size, human.shape) for name, size in zip("ABC", (0.3, 1.0, 2.0), strict=True)
    }
    metrics["B"] = np.round(metrics["B"], 1)
    if gaps:
        human[1, :3] = np.nan
        human[:, -2:] = np.nan
    return human, metrics


def values(scores, task, **options):
    found = meta_metrics(scores, tasks=task, n_chance=0, n_resamples=options.pop("n_resamples", 1), rng=0, **options)
    return found.table.set_index("metric")["value"]


# ------------------------------------------------------------------------------------------------- published values


@pytest.fixture(scope="session")
def wmt23(data_folder, tmp_path_factory):
    """Unpack the official folder of WMT23."""
    folder = tmp_path_factory.mktemp("wmt23")
    with tarfile.open(data_folder / "wmt23-metrics" / "wmt23.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "wmt23"


def test_wmt23(wmt23, data_folder):
    """All values of English to German, and the average of the ten tasks, are those of the metrics task."""
    wanted = json.loads((data_folder / "wmt23-metrics" / "expected_en-de.json").read_text())
    campaign = read_campaign(wmt23, "wmt23")
    found = meta_metrics(campaign.sets, tasks=campaign.tasks, as_published=True, n_resamples=1, n_chance=0, rng=0)
    average = found.average.set_index("metric")["value"]
    assert {*average.index} == {*wanted["average"]}
    np.testing.assert_allclose(average[[*wanted["average"]]], [*wanted["average"].values()], rtol=0, atol=1e-9)
    assert found.tasks["weight"].tolist() == pytest.approx(wanted["weights"])
    names = {
        ("sys", "pearson"): "pearson:system",
        ("seg", "pearson"): "pearson:item",
        ("seg", "KendallWithTiesOpt"): "acc_eq",
    }
    for task in wanted["tasks"]:
        if (name := names.get((task["level"], task["corr"]))) is not None:
            own = found.table[found.table["task"] == f"en-de {name}"].set_index("metric")["value"]
            np.testing.assert_allclose(own[[*task["values"]]], [*task["values"].values()], rtol=0, atol=1e-12)
        else:
            soft = meta_metrics({"en-de": campaign.sets["en-de"]}, tasks="spa", n_resamples=1, n_chance=0, rng=0).table
            soft = soft.set_index("metric").loc[[*task["values"]]]
            noise = np.hypot(soft["error"], 1 / np.sqrt(1000) / np.sqrt(66))  # their 1,000 draws, 66 pairs
            assert (np.abs(soft["value"] - [*task["values"].values()]) <= 3 * noise).all()


def test_ties_up_to_rounding_are_few(wmt23):
    """Of the pairs of WMT23, 13 and 4 tie that the published program takes for different, -1.2 and -0.9 - 0.3."""
    campaign = read_campaign(wmt23, "wmt23", sets=["en-de"])
    exact, published = (values(campaign.sets, "acc_eq", as_published=one) for one in (False, True))
    apart = np.abs(exact - published[exact.index])
    assert 0 < apart.max() < 13 / 66 / 460 * 5


# ---------------------------------------------------------------------------------------------------- literal versions


def literal_accuracy(human, metric):
    """Try every threshold, and count pair by pair."""
    n_systems, n_items = human.shape
    pairs = [
        [(a, b) for a, b in combinations(range(n_systems), 2) if np.isfinite(human[[a, b], item]).all()]
        for item in range(n_items)
    ]
    sizes = {0.0} | {round(abs(metric[a, i] - metric[b, i]), 12) for i in range(n_items) for a, b in pairs[i]}
    best = (-1.0, 0.0)
    for threshold in sorted(sizes):
        shares = []
        for item in range(n_items):
            right = 0
            for a, b in pairs[item]:
                gap = round(metric[a, item] - metric[b, item], 12)  # equal up to rounding is equal
                verdict = 0 if abs(gap) <= threshold else np.sign(gap)
                right += verdict == np.sign(human[a, item] - human[b, item])
            if pairs[item]:
                shares.append(right / len(pairs[item]))
        if np.mean(shares) > best[0] + 1e-12:
            best = (np.mean(shares), threshold)
    return best


@pytest.mark.parametrize("seed", range(4))
def test_accuracy_with_calibrated_ties_is_that_of_the_best_threshold(seed):
    """Value and threshold are those found by trying every threshold."""
    human, metrics = made(seed)
    metrics["constant"] = np.ones(human.shape)
    found = meta_metrics(table(human, metrics), tasks="acc_eq, tau_eq", n_resamples=1, n_chance=0, rng=0).table
    for name, metric in metrics.items():
        value, threshold = literal_accuracy(human, metric)
        rows = found[found["metric"] == name].set_index("task")
        assert rows.loc["acc_eq", "value"] == pytest.approx(value, abs=1e-12)
        assert rows.loc["acc_eq", "threshold"] == pytest.approx(threshold, abs=1e-11)
        assert rows.loc["tau_eq", "value"] == pytest.approx(2 * value - 1, abs=1e-12)


@pytest.mark.parametrize("as_published", [False, True])
def test_soft_accuracy_is_that_of_all_sign_flips(as_published):
    """With few items every flip counts, one with just the sum observed half, or, as published, whole."""
    human, metrics = made(1, n_systems=4, n_items=8, gaps=False)
    flips = np.array(list(product([-1, 1], repeat=8)))

    def p(scores):
        gaps = [scores[a] - scores[b] for a, b in combinations(range(4), 2)]
        reached = [(flips @ one >= one.sum() - 1e-12).mean() for one in gaps]
        beyond = [(flips @ one > one.sum() + 1e-12).mean() for one in gaps]
        return np.array(reached) if as_published else np.mean([reached, beyond], axis=0)

    found = meta_metrics(
        table(human, metrics), tasks="spa", n_resamples=1, n_chance=0, as_published=as_published, rng=0
    )
    rows = found.table.set_index("metric")
    for name, metric in metrics.items():
        assert rows.loc[name, "value"] == pytest.approx(1 - np.abs(p(human) - p(metric)).mean())
        assert rows.loc[name, "error"] == 0


@pytest.mark.parametrize("n_items", [6, 40])
def test_no_statistic_depends_on_names(n_items):
    """Systems, items, clusters and metrics have the same figures under names in reverse order and of other letters."""
    rng = np.random.default_rng(5)
    human = np.round(rng.normal(0, 1, (5, n_items)) + rng.normal(0, 1, n_items))
    metrics = {name: np.round(human + rng.normal(0, size, human.shape), 1) for name, size in (("A", 1), ("B", 4))}
    scores = table(human, metrics, clusters=[f"c{at // 2}" for at in range(n_items)])
    turned = {"A": "名1", "B": "A", "human": "human"}
    names = {
        "metric": [turned[name] for name in scores["metric"].to_numpy()],
        "system": [f"é{9 - at}" for at in range(5)],
        "item": [f"{1000 - at}" for at in range(n_items)],
        "cluster": ("item", [f"ü{50 - at // 2}" for at in range(n_items)]),
    }
    renamed = scores.assign_coords(names)
    asked = {"tasks": "spa, acc_eq, pearson:item, pearson, kendall:item:item", "n_resamples": 40, "n_chance": 40}
    plain, other = (meta_metrics(one, **asked, rng=0) for one in (scores, renamed))
    for one, two in ((plain.table, other.table), (plain.average, other.average)):
        keys = [name for name in ("task", "metric") if name in one]
        named = one.replace({"metric": turned}).set_index(keys).drop(columns="letters")
        pd.testing.assert_frame_equal(named.sort_index(), two.set_index(keys).drop(columns="letters").sort_index())
    asked = {"statistic": "kendall", "resample": "both", "n_resamples": 40}
    ends = [human_agreement(one, **asked, rng=0).table for one in (scores, renamed)]
    assert ends[0].replace({"metric": turned}).equals(ends[1])
    compared = [compare_with_human(one, n_resamples=40, rng=0).table for one in (scores, renamed)]
    assert compared[0]["p"].tolist() == compared[1]["p"].tolist()


def test_a_constant_metric_has_one_soft_accuracy_in_every_order():
    """Systems that no item separates are equal: p = 1/2 for either, by sign flips and by the normal distribution."""
    human = made(2, gaps=False)[1]["A"]  # not rounded, so that sums of people do not tie
    metrics = {"close": human + 0.1, "flat": np.ones(human.shape)}
    found = [
        meta_metrics(table(h, m), tasks="spa", n_resamples=20, n_flips=2000, n_chance=2, rng=0)
        for h, m in ((human, metrics), (human[::-1], {name: one[::-1] for name, one in metrics.items()}))
    ]
    flat = [one.table.set_index("metric").loc["flat"] for one in found]
    assert flat[0]["value"] == pytest.approx(flat[1]["value"], abs=0.02)
    assert flat[0]["value"] >= 0.5
    assert all(one["value"] <= one["chance_high"] + 0.02 for one in flat)


def test_other_measures_are_those_of_loops():
    """Correlations over cells, of items and of systems, of differences, and accuracy of two sets together."""
    human, metrics = made(2)
    there = np.isfinite(human)
    scores = table(human, metrics)
    means = np.nanmean(human, axis=1)
    for name, metric in metrics.items():
        r = np.corrcoef
        assert values(scores, "pearson:item")[name] == pytest.approx(r(human[there], metric[there])[0, 1])
        assert values(scores, "pearson")[name] == pytest.approx(r(means, metric.mean(axis=1))[0, 1])
        held = np.where(there, metric, np.nan)
        assert values(scores, "pearson", over="common")[name] == pytest.approx(r(means, np.nanmean(held, axis=1))[0, 1])
        of_systems = [r(h[t], m[t])[0, 1] for h, m, t in zip(human, metric, there, strict=True)]
        assert values(scores, "pearson:item:system")[name] == pytest.approx(np.mean(of_systems))
        of_items = [
            pd.Series(human[:, i]).corr(pd.Series(metric[:, i]), method="kendall") for i in range(human.shape[1])
        ]
        assert values(scores, "kendall:item:item")[name] == pytest.approx(np.nanmean(of_items))
        gaps = [
            (human[a, i] - human[b, i], metric[a, i] - metric[b, i])
            for i in range(human.shape[1])
            for a, b in product(range(len(human)), repeat=2)
            if a != b and np.isfinite(human[[a, b], i]).all()
        ]
        assert values(scores, "pairwise_pearson")[name] == pytest.approx(r(*zip(*gaps, strict=True))[0, 1])
    sets = [made(seed, n_systems=4 + seed) for seed in (3, 4)]
    found = values({"x": table(*sets[0]), "y": table(*sets[1])}, "accuracy")
    for name in "ABC":
        right = [
            np.sign(h[a] - h[b]) == np.sign(m[a] - m[b])
            for human, metrics in sets
            for h, m in [(np.nanmean(human, axis=1).round(12), metrics[name].mean(axis=1).round(12))]
            for a, b in combinations(range(len(human)), 2)
        ]
        assert found[name] == pytest.approx(np.mean(right))


EXCHANGES = {
    ("pearson:item", "cells"): (4, 4),
    ("pearson:item", "items"): (1, 4),
    ("pearson:item", "systems"): (4, 1),
    ("pearson", "cells"): (4, 4),
    ("pearson", "items"): (1, 4),
    ("pairwise_pearson", "items"): (1, 4),
    ("acc_eq", "items"): (1, 4),
    ("acc_eq", "published"): (6, 4),
}


@pytest.mark.parametrize(("task", "exchange"), EXCHANGES)
def test_the_p_value_is_that_of_all_exchanges(task, exchange):
    """A drawn p is near the share of all exchanges, each made by hand on whole tables (of verdicts for acc_eq)."""
    human, metrics = made(6, n_systems=4, n_items=4, gaps=False)
    human = human + np.arange(4)[:, None]
    a, b = (metrics[name] + np.arange(4)[:, None] for name in "AC")
    first, second = np.triu_indices(4, 1)

    def verdicts(metric):
        threshold = literal_accuracy(human, metric)[1]
        gap = metric[first] - metric[second]
        return np.where(np.abs(gap) <= threshold + 1e-11, 0, np.sign(gap)) == np.sign(human[first] - human[second])

    def value(part):
        if task == "acc_eq":
            return part.mean()
        if task == "pearson":
            return np.corrcoef(human.mean(axis=1), part.mean(axis=1))[0, 1]
        if task == "pearson:item":
            return np.corrcoef(human.ravel(), part.ravel())[0, 1]
        h, m = (one[first] - one[second] for one in (human, part))
        return (h * m).sum() / np.sqrt((h**2).sum() * (m**2).sum())

    halves = (
        [verdicts(one) for one in (a, b)] if task == "acc_eq" else [(one - one.mean()) / one.std() for one in (a, b)]
    )
    seen = value(halves[0]) - value(halves[1])
    shape, draws = EXCHANGES[task, exchange], np.random.default_rng(0)
    n = shape[0] * shape[1]
    every = product([False, True], repeat=n) if n < 10 else draws.random((4000, n)) < 0.5
    reached = []
    for swaps in every:
        swap = np.broadcast_to(np.reshape(swaps, shape), halves[0].shape)
        gap = value(np.where(swap, halves[1], halves[0])) - value(np.where(swap, halves[0], halves[1]))
        reached.append(np.sign(seen) * gap >= abs(seen) - 1e-12)
    found = meta_metrics(
        table(human, {"A": a, "C": b}), tasks=task, exchange=exchange, n_resamples=4000, n_chance=0, rng=1
    )
    assert found.task_pairs()["p"].item() == pytest.approx(np.mean(reached), abs=0.03)


@pytest.mark.parametrize(
    "task",
    ["accuracy", "pearson", "pearson:item", "pairwise_pearson", "kendall:item:item", "pearson:item:system", "acc_eq"],
)
def test_resamples_are_those_of_tables_drawn_again(task):
    """A measure under numbers of clusters is that of the table with their items repeated, the threshold as fitted."""
    human, metrics = made(7, n_items=10)
    letters = np.array(list("aabbbcdeee"))
    scores = in_content_order(table(human, metrics, clusters=letters), "human")
    letters = scores["cluster"].to_numpy()
    cells = cells_of_set("", scores, "human", over="all", as_published=False)
    sums = sums_of(parse_tasks(task, [""])[0], [cells], "clusters")
    for counts in ([1, 1, 1, 1, 1], [2, 1, 0, 1, 1], [1, 0, 3, 0, 1]):
        items = [place for place, one in enumerate(letters) for _ in range(counts[one])]
        found = measured_metrics(sums, [np.array([counts], dtype=float)])[0]
        again = (
            scores.isel(item=items)
            .drop_vars("cluster")
            .assign_coords(item=[f"i{place}" for place in range(len(items))])
        )
        if task == "acc_eq":
            right = cells.verdicts.right(cells)[0]
            weight = cells.verdicts.weight * np.bincount(items, minlength=10)[cells.verdicts.item]
            wanted = right @ weight / weight.sum()
        else:
            wanted = values(again, task)[[*cells.metrics]].to_numpy()
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


# ---------------------------------------------------------------------------------------------------------------- laws


@settings(max_examples=15)
@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 1000.0]))
def test_units_and_order_do_not_matter(seed, factor):
    """Scores in tenths, units and thousandths have the same values and scaled thresholds; so have rows in any order."""
    rng = np.random.default_rng(seed)
    human = rng.integers(-6, 1, (4, 9))
    metrics = {name: human + rng.integers(-3, 4, human.shape) for name in "AB"}
    tasks = "accuracy, pearson, spa, acc_eq, spearman:item"
    options = {"tasks": tasks, "n_resamples": 19, "n_flips": 300, "n_chance": 2, "rng": 1}
    plain = meta_metrics(table(human, metrics), **options)
    scaled = table(human * factor, {name: one * factor for name, one in metrics.items()})
    other = meta_metrics(scaled.isel(system=[2, 0, 3, 1], item=rng.permutation(9)), **options)
    for column in ("value", "low", "high", "chance", "other_half"):
        np.testing.assert_allclose(other.table[column], plain.table[column], rtol=0, atol=1e-9)
    np.testing.assert_allclose(other.table["threshold"], plain.table["threshold"] * factor, rtol=1e-9)
    np.testing.assert_allclose(other.pairs["p"], plain.pairs["p"], rtol=0, atol=1e-12)


def test_a_copy_and_a_turned_metric():
    """A copy is never better; a metric where less is better has the value of its negative."""
    human, metrics = made(8)
    scores = table(human, {"A": metrics["A"], "copy": metrics["A"], "TER": -metrics["A"]})
    scores = scores.assign_coords(higher_is_better=("metric", [True, True, True, False]))
    found = meta_metrics(scores, tasks="spa, acc_eq, pearson:item, pearson", n_resamples=49, n_chance=2, rng=0)
    assert (found.pairs["p"] == 1).all()
    assert found.average["value"].to_numpy() == pytest.approx(found.average["value"].iloc[0], abs=1e-12)
    assert found.average["rank"].tolist() == [1, 1, 1]


def test_chance_and_made_up_metrics():
    """Noise is no better than chance and people's scores are; one score for all has the share of human ties."""
    rng = np.random.default_rng(2)
    human, _ = made(9, n_systems=6, n_items=60, gaps=False)
    scores = table(human, {"people": human + rng.normal(0, 0.1, human.shape), "noise": rng.normal(0, 1, human.shape)})
    found = meta_metrics(scores, tasks="acc_eq, pearson:item", n_resamples=99, rng=0)
    assert dict(found.average[["metric", "above_chance"]].to_numpy()) == {"people": True, "noise": False}
    sentinels = found.sentinels.set_index(["task", "metric"])["value"]
    first, second = np.triu_indices(6, 1)
    ties = (human[first] == human[second]).mean()
    assert sentinels["acc_eq", "ties everywhere"] == pytest.approx(ties)
    assert sentinels["acc_eq", "item only"] == pytest.approx(ties)
    assert np.isnan(sentinels["pearson:item", "ties everywhere"])
    by_item = np.broadcast_to(human.mean(axis=0), human.shape)
    assert sentinels["pearson:item", "item only"] == pytest.approx(np.corrcoef(human.ravel(), by_item.ravel())[0, 1])


def test_other_people_are_the_ceiling():
    """Other human scores are not ranked; their value is that of a metric, where they lack no cell."""
    human, metrics = made(9)
    scores = table(human, metrics)
    found = meta_metrics(scores, tasks="acc_eq, pearson:item", ceiling=["B"], n_resamples=9, n_chance=0, rng=0)
    assert set(found.table["metric"]) == {"A", "C"}
    own = found.sentinels[found.sentinels["metric"] == "B"].set_index("task")["value"]
    for task in ("acc_eq", "pearson:item"):
        assert own[task] == pytest.approx(values(scores, task)["B"])
    metrics["B"][0, 4] = np.nan
    found = meta_metrics(table(human, metrics), tasks="acc_eq", ceiling=["B"], n_resamples=9, n_chance=0, rng=0)
    assert found.sentinels.query("metric == 'B'")["value"].isna().all()
    with pytest.raises(UnknownNameError, match="other human scores"):
        meta_metrics(scores, ceiling=["D"])


def test_the_honest_value_uses_the_other_half():
    """The threshold of half of the clusters judged on the other, both ways."""
    human, metrics = made(10, gaps=False)
    ordered = in_content_order(table(human, metrics), "human")
    human, metrics = ordered.to_numpy()[0], dict(zip("ABC", ordered.to_numpy()[1:], strict=True))
    found = meta_metrics(table(human, metrics), tasks="acc_eq", n_resamples=1, n_chance=0, rng=0).table.set_index(
        "metric"
    )
    halves = [np.arange(12) % 2 == part for part in (0, 1)]
    first, second = np.triu_indices(len(human), 1)
    for name, metric in metrics.items():
        shares = []
        for fit, judge in (halves, halves[::-1]):
            threshold = literal_accuracy(human[:, fit], metric[:, fit])[1]
            gap = (metric[first] - metric[second])[:, judge]
            verdict = np.where(np.abs(gap) <= threshold + 1e-11, 0, np.sign(gap))
            shares.append((verdict == np.sign(human[first] - human[second])[:, judge]).mean())
        assert found.loc[name, "other_half"] == pytest.approx(np.mean(shares))


LUCKY = """-1.22 1.24 -0.83 1.23 -0.22 1.96 1.53 0.15 3.07 -0.03 1.1 0.91 0.27 1.35 -1.29 -0.67 -0.47 0.47"""
"""People's scores of six systems on three documents."""


@pytest.mark.parametrize("measure", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("group", ["item", "system"])
def test_metrics_that_are_constant_on_most_items_are_compared_on_all(measure, group):
    """A metric that repeats people on one document and is constant on the others agrees on one in three, not wholly."""
    human = np.array(LUCKY.split(), dtype=float).reshape(3, 6).T
    lucky = np.where(np.arange(3) == 0, human, 0.5)
    if group == "system":
        human, lucky = human.T, lucky.T
    good = human + np.random.default_rng(0).normal(0, 0.2, human.shape)
    scores = table(human, {"good": good, "lucky": lucky})
    found = meta_metrics(scores, tasks=f"{measure}:item:{group}", n_resamples=99, rng=0).table
    assert found["metric"].tolist() == ["good", "lucky"]
    assert found["value"].iloc[1] == pytest.approx(1 / 3)
    assert (found["n_items"] == human.shape[1]).all()
    assert not (found["low"] >= found["value"]).any()
    if group == "item":
        alone = human_agreement(scores, statistic=measure, level="item", rng=0).table
        assert alone["value"].tolist() == pytest.approx(found["value"].tolist())
        assert alone["n_used"].tolist() == found["n_ordered"].tolist() == [3, 1]
        assert found["n_items"].tolist() == [3, 3]
        published = values(scores, f"{measure}:item:item", as_published=True)
        assert published["lucky"] == pytest.approx(1.0)


def test_all_shuffles_are_gone_through_where_they_are_few():
    """Two systems on three items can be dealt out in 8 ways: p is a share of them, and no draw."""
    human, metrics = made(3, n_systems=2, n_items=3, gaps=False)
    metric = metrics["C"]
    scores = table(human, {"C": metric})
    found = meta_metrics(scores, tasks="pearson:item", n_resamples=1, n_chance=8, rng=0)
    ways = [
        np.corrcoef(human.ravel(), np.where(np.array(way), metric[::-1], metric).ravel())[0, 1]
        for way in product([False, True], repeat=3)
    ]
    row = found.table.iloc[0]
    assert (found.all_shuffles, found.n_shuffles) == (True, 8)
    assert row["p_chance"] == np.mean(np.array(ways) >= row["value"] - 1e-9)
    assert row["chance"] == pytest.approx(np.mean(ways))
    assert row["p_chance_error"] == 0
    assert not meta_metrics(scores, tasks="pearson:item", n_resamples=1, n_chance=7, rng=0).all_shuffles
    two = {"one": scores, "two": scores}
    assert not meta_metrics(two, tasks="pearson:item", n_resamples=1, n_chance=64, rng=0).all_shuffles


def test_every_value_counts_the_items_that_it_rests_on():
    """Items of which people scored one system alone have no pair, and a system with two items no correlation."""
    human, metrics = made(2, n_systems=4, n_items=9, gaps=False)
    human[1:, 0] = np.nan  # one system
    human[2:, 1] = np.nan  # two
    tasks = "acc_eq, tau_eq, pairwise_pearson, spa, pearson:item, spearman:item:item, pearson:item:system, pearson"
    found = meta_metrics(table(human, metrics), tasks=tasks, n_resamples=20, n_flips=20, n_chance=0, rng=0)
    of_task = {"acc_eq": 8, "tau_eq": 8, "pairwise_pearson": 8, "spa": 7, "spearman:item:item": 7}
    of_task |= dict.fromkeys(("pearson:item", "pearson:item:system", "pearson:system"), 9)
    for frame in (found.table, found.sentinels.dropna(subset="value")):
        counted = frame.groupby("task")["n_items"].agg(set)
        assert {task: counted[task] for task in counted.index} == {
            task: {n} for task, n in of_task.items() if task in counted.index
        }
    assert set(found.average["n_items"]) == {7}
    human[0, 2:] = np.nan
    alone = meta_metrics(table(human, metrics), tasks="pearson:item:system", n_resamples=20, n_chance=0, rng=0)
    assert set(alone.table["n_items"]) == {8}  # the first item has a score of the first system alone, which has two


def test_scores_of_systems_that_are_given_are_used():
    """A score of a whole text, BLEU's, stands for the mean of its items; people's too."""
    human, metrics = made(11)
    own = np.random.default_rng(0).random((4, 5))
    found = values(table(human, metrics, system_scores=own), "pearson")
    for place, name in enumerate("ABC", start=1):
        assert found[name] == pytest.approx(np.corrcoef(own[0], own[place])[0, 1])


def test_intervals_over_systems_and_both():
    """Over systems the jackknife; over both the variances add up."""
    human, metrics = made(12, n_systems=8, n_items=40)
    scores = table(human, metrics)
    half = {}
    for resample in ("items", "systems", "both"):
        found = meta_metrics(
            scores, tasks="pearson:item, acc_eq", resample=resample, n_resamples=200, n_chance=0, rng=0
        )
        rows = found.average.set_index("metric")
        half[resample] = (rows["value"] - rows["low"]) / {"items": 2.02619, "systems": 2.36462, "both": 2.36462}[
            resample
        ]
    np.testing.assert_allclose(half["both"] ** 2, half["items"] ** 2 + half["systems"] ** 2, rtol=1e-3)


def test_clusters_of_metrics():
    """A rank lasts until one of its metrics beats the next, whichever that is."""
    beaten = np.zeros((5, 5), dtype=bool)
    assert clusters_of(beaten) == [1] * 5
    beaten[1, 3] = beaten[3, 4] = True
    assert clusters_of(beaten) == [1, 1, 1, 2, 3]


# ---------------------------------------------------------------------------------------------------- degenerate input


def test_a_lacking_score_is_named():
    """A cell that people scored and a metric did not is an error with set, metric, system and item."""
    human, metrics = made(0)
    metrics["B"][2, 4] = np.nan
    with pytest.raises(ScoresError, match=r"en-de: B has no score in 1 of the cells .* system s2, item 4;"):
        meta_metrics({"en-de": table(human, metrics)})
    human[2, 4] = np.nan
    assert meta_metrics(table(human, metrics), n_resamples=9, n_chance=2).table["value"].notna().all()


def test_constant_metrics_and_single_ones_have_answers():
    """A constant metric is undefined for correlations and has no p; one metric has no pair; two systems have values."""
    human, metrics = made(1)
    found = meta_metrics(table(human, metrics | {"constant": np.zeros(human.shape)}), n_resamples=19, n_chance=2, rng=0)
    rows = found.table.set_index(["task", "metric"])
    assert np.isnan(rows.loc[("pearson:item", "constant"), "value"])
    assert rows.loc[("acc_eq", "constant"), "value"] > 0
    assert found.task_pairs("pearson:item").query("metric_b == 'constant'")["p"].isna().all()
    alone = meta_metrics(table(human, {"A": metrics["A"]}), n_resamples=9, n_chance=2, rng=0)
    assert alone.pairs.empty
    assert alone.average["rank"].tolist() == [1]
    assert len(meta_metrics(table(human[:2], {"A": metrics["A"][:2]}), n_resamples=9, n_chance=2, rng=0).table) == 3
    with pytest.raises(ScoresError, match="scored 1 system; a comparison takes two"):
        meta_metrics(table(human[:1], {"A": metrics["A"][:1]}))


def test_bad_options_stop():
    """Tasks, sets and ways that do not exist are errors that say what does."""
    scores = table(*made(0))
    for tasks, message in (("bleu", "no measure"), ("spa:item", "no level of spa"), ("acc_eq:item:item", "no group")):
        with pytest.raises(UnknownNameError, match=message):
            meta_metrics(scores, tasks=tasks)
    with pytest.raises(InvalidOptionError, match="name a task"):
        meta_metrics(scores, tasks="")
    with pytest.raises(InvalidOptionError, match="different"):
        meta_metrics(scores, tasks="spa, spa")
    with pytest.raises(EstimationError, match="cells cannot be drawn or exchanged"):
        meta_metrics(scores, tasks="acc_eq", exchange="cells")
    with pytest.raises(ScoresError, match="no set"):
        meta_metrics({})
    assert [task.weight for task in parse_tasks("accuracy, spa", ["x", "y", "z"])] == [3, 1, 1, 1]


# ------------------------------------------------------------------------------------------------------- what is told


OF_TASKS = "accuracy, acc_eq, pearson:item, kendall:item:item"


def several(**options):
    """Return two sets, of which each has a metric that the other lacks, and what is found on four measures."""
    sets = {}
    for name, seed, lacks in (("x", 4, "C"), ("y", 5, "B")):
        human, metrics = made(seed, n_systems=seed)
        sets[name] = table(human, {**{one: metrics[one] for one in "ABC" if one != lacks}, "D": metrics["A"].round()})
    return sets, meta_metrics(sets, tasks=OF_TASKS, **{"n_resamples": 30, "n_chance": 5, "rng": 0} | options)


def test_the_average_is_that_of_all_tasks_brought_to_one_range():
    """Each from its least value to 1, by weight, over the metrics that every task has; accuracy weighs as two."""
    _, found = several()
    assert found.tasks.set_index("task")["weight"].to_dict() == pytest.approx(
        {"x,y accuracy": 2 / 8}
        | {f"{test_set} {task}": 1 / 8 for test_set in "xy" for task in ("acc_eq", "pearson:item", "kendall:item:item")}
    )
    lows = {"accuracy": 0, "acc_eq": 0, "pearson": -1, "kendall": -1}
    rows = found.table.merge(found.tasks[["task", "measure", "weight"]], on="task")
    least = rows["measure"].map(lows)
    for column in ("value", "chance"):
        part = rows["weight"] * (rows[column] - least) / (1 - least)
        mean = part.groupby(rows["metric"]).sum()
        own = found.average.set_index("metric")[column]
        assert {*own.index} == {"A", "D"}
        assert own.to_dict() == pytest.approx(mean[["A", "D"]].to_dict())
    fewest = found.table.groupby("metric")["n_items"].min()
    assert found.average.set_index("metric")["n_items"].to_dict() == fewest[["A", "D"]].to_dict()


def test_intervals_are_as_wide_as_the_resamples_are():
    """They are v ± t d √(n/(n-1)) with d the distance of resamples, of each task and of their average, at any level."""
    _, found = several(confidence_level=0.8, over="common")
    lows = found.tasks.set_index("task")["measure"].map({"accuracy": 0, "acc_eq": 0, "pearson": -1, "kendall": -1})
    weights = found.tasks.set_index("task")["weight"]
    added = 0.0
    t = stats.t.ppf(0.9, 9)  # ten items have scores in every set
    for task, draws in found.resampled.items():
        rows = found.table[found.table["task"] == task].set_index("metric")
        off = draws - rows["value"][draws.columns]
        half = t * np.sqrt((off**2).mean() * 10 / 9)
        wide = rows["value"] + half, rows["value"] - half
        assert rows["high"].to_dict() == pytest.approx(wide[0].clip(upper=1.0).to_dict())
        assert rows["low"].to_dict() == pytest.approx(wide[1].clip(lower=lows[task]).to_dict())
        added = added + weights[task] * off[["A", "D"]] / (1 - lows[task])
    average = found.average.set_index("metric").loc[["A", "D"]]
    half = t * np.sqrt((added**2).mean() * 10 / 9)
    assert (average["value"] - average["low"]).to_dict() == pytest.approx(half.to_dict())
    assert average["high"].to_dict() == pytest.approx((average["value"] + half).clip(upper=1.0).to_dict())


def test_the_table_of_tasks_counts_what_they_rest_on():
    """Systems, items, cells and clusters that people scored, over all sets of a task."""
    sets = {}
    for name, seed in (("x", 4), ("y", 5)):
        human, metrics = made(seed, n_systems=seed)
        human[:, 3] = np.nan
        sets[name] = table(human, metrics, clusters=[f"c{at // 2}" for at in range(12)])
    tasks = meta_metrics(sets, tasks="accuracy, pearson:item", n_resamples=5, n_chance=0, rng=0).tasks.set_index("task")
    counts = tasks[["n_metrics", "n_systems", "n_items", "n_cells", "n_clusters"]]
    # of twelve items three lack people, and three more have none for one system; six clusters less the last
    own = {"x": [3, 4, 9, 9 * 4 - 3, 5], "y": [3, 5, 9, 9 * 5 - 3, 5]}
    assert counts.loc["x,y accuracy"].tolist() == [3, *np.add(own["x"][1:], own["y"][1:])]
    for name, wanted in own.items():
        assert counts.loc[f"{name} pearson:item"].tolist() == wanted
    assert tasks["sets"].tolist() == ["x,y", "x", "y"]
    assert tasks[["level", "group"]].to_numpy().tolist() == [["system", "none"], ["item", "none"], ["item", "none"]]
    assert tasks["exchange"].tolist() == ["systems", "clusters", "clusters"]


def test_several_tasks_lead_with_their_average():
    """Its rows and pairs come first where metrics have all tasks; the frame ends with them."""
    _, found = several()
    assert found.is_averaged()
    assert found.lead().equals(found.average)
    pairs = found.lead_pairs()
    assert pairs[["metric_a", "metric_b"]].to_numpy().tolist() == [found.average["metric"].tolist()]
    value = found.average["value"]
    assert pairs["difference"].item() == pytest.approx(value[0] - value[1])
    assert found.order()[:2] == found.average["metric"].tolist()
    assert {*found.order()[2:]} == {"B", "C"}
    matrix = found.matrix()
    assert (matrix.index.tolist(), matrix.columns.tolist()) == (found.order(), found.tasks["task"].tolist())
    for row in found.table.itertuples():
        assert matrix.loc[row.metric, row.task] == row.value
    assert matrix.isna().sum().sum() == 3 + 3 + 2  # B and C have three tasks of one set alone, and both lack accuracy
    frame = found.to_frame()
    assert frame["task"].tolist() == [*found.table["task"], "average", "average"]
    best_first = found.table.loc[found.table["task"] == "x acc_eq", "metric"]
    pairs = found.task_pairs("x acc_eq")[["metric_a", "metric_b"]]
    assert pairs.to_numpy().tolist() == [list(pair) for pair in combinations(best_first, 2)]
    with pytest.raises(UnknownNameError, match="task 'z'"):
        found.task_pairs("z")


@pytest.mark.parametrize("tasks", ["acc_eq", "tau_eq"])
def test_one_task_leads_by_itself(tasks):
    """Its values are as measured, of tau from -1, and not brought to another range."""
    human, metrics = made(3)
    found = meta_metrics(table(human, metrics), tasks=tasks, n_resamples=9, n_chance=2, rng=0)
    assert not found.is_averaged()
    pd.testing.assert_frame_equal(found.lead(), found.table)
    assert found.lead_pairs().equals(found.task_pairs(tasks))
    assert found.order() == found.table["metric"].tolist()
    row = found.table.iloc[0]
    assert f" {row['value']:.3f} [{row['low']:.3f}, {row['high']:.3f}]" in found.answer
    alone = (found.table["rank"] == 1).sum() == 1  # no other is as good, by the tests of pairs
    assert (f"{row['metric']} agrees best with people: " in found.answer) == alone


def test_without_a_common_metric_the_first_task_leads():
    """Sets of which neither has a metric of the other have no average."""
    human, metrics = made(3)
    sets = {"x": table(human, {"A": metrics["A"], "B": metrics["B"]}), "y": table(human, {"C": metrics["C"]})}
    found = meta_metrics(sets, tasks="acc_eq", n_resamples=9, n_chance=2, rng=0)
    assert (found.is_averaged(), len(found.average)) == (False, 0)
    assert found.lead()["task"].tolist() == ["x acc_eq"] * 2
    assert found.lead_pairs()["metric_b"].tolist() == ["B"]
    assert found.order() == ["A", "B", "C"]
    with pytest.raises(ScoresError, match="x,y accuracy: no metric is in all of its sets"):
        meta_metrics(sets, tasks="accuracy", n_resamples=1, rng=0)


def test_what_was_asked_is_told():
    """Options and seed, as they were passed."""
    human, metrics = made(3)
    found = meta_metrics(
        {"x": table(human, metrics)}, tasks="acc_eq", resample="both", correction="holm", alpha=0.1, n_resamples=7,
        confidence_level=0.9, n_chance=3, over="common", as_published=True, rng=5,
    )  # fmt: skip
    told = (found.resample, found.correction, found.alpha, found.confidence_level, found.over, found.as_published)
    assert told == ("both", "holm", 0.1, 0.9, "common", True)
    assert (found.n_resamples, found.all_shuffles) == (7, False)
    assert found.n_shuffles == 32 * 3  # three decide nothing, and no more are drawn than 32 times what was asked for
    assert found.random_source == "seed 5"
    assert len(found.resampled["x acc_eq"]) == 7
    assert list(found.resampled["x acc_eq"]) == ["A", "B", "C"]


@pytest.mark.parametrize("correction", ["none", "holm", "bonferroni"])
def test_pairs_are_corrected_within_their_task_and_letters_follow_from_it(correction):
    """Those that share a letter are not different; ranks are by uncorrected p."""
    human, metrics = made(5, n_systems=6, n_items=30, gaps=False)
    metrics["D"] = metrics["C"] + np.random.default_rng(1).normal(0, 6, human.shape)
    found = meta_metrics(
        table(human, metrics), tasks="pearson:item, acc_eq", correction=correction, n_resamples=99, n_chance=0, rng=0
    )
    for task in ("pearson:item", "acc_eq", "average"):
        pairs = found.task_pairs(task)
        rows = (found.average if task == "average" else found.table[found.table["task"] == task]).set_index("metric")
        n = len(pairs)
        order, adjusted, largest = pairs["p"].sort_values(kind="stable"), {}, 0.0
        for place, (index, p) in enumerate(order.items()):
            largest = max(largest, min(1.0, p * (n - place)))
            adjusted[index] = {"none": p, "holm": largest, "bonferroni": min(1.0, n * p)}[correction]
        assert pairs["p_corrected"].to_dict() == pytest.approx(adjusted)
        for pair in pairs.itertuples():
            shared = {*rows.loc[pair.metric_a, "letters"]} & {*rows.loc[pair.metric_b, "letters"]}
            assert bool(shared) == (pair.p_corrected > 0.05)
            assert pair.difference == pytest.approx(rows.loc[pair.metric_a, "value"] - rows.loc[pair.metric_b, "value"])
            assert pair.difference >= 0
        assert rows["value"].is_monotonic_decreasing
        assert rows["rank"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "some"}, "system score"),
        ({"exchange": "topics"}, "exchange"),
        ({"resample": "cells"}, "way to resample"),
        ({"alpha": 1.0}, "alpha"),
        ({"confidence_level": 0.0}, "confidence_level"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"n_flips": 0}, "n_flips"),
        ({"n_chance": -1}, "n_chance"),
        ({"tasks": ["spa", 3]}, "names of measures"),
        ({"correction": "best"}, "correction"),
    ],
    ids=str,
)
def test_an_option_out_of_its_range_is_refused(options, message):
    """By name, before anything is computed; one flip, one resample and no shuffle are enough."""
    scores = table(*made(0))
    with pytest.raises((InvalidOptionError, UnknownNameError), match=message):
        meta_metrics(scores, **options)
    least = meta_metrics(scores, n_resamples=1, n_flips=1, n_chance=0, rng=0)
    assert least.table["p_chance"].isna().all()
    assert least.table["low"].isna().all()  # one resample has no spread


@pytest.mark.parametrize(("n_resamples", "n_clusters", "known"), [(2, 2, True), (1, 2, False), (2, 1, False)])
def test_two_resamples_of_two_clusters_have_a_spread(n_resamples, n_clusters, known):
    """One of either has none."""
    human, metrics = made(3, gaps=False)
    scores = table(human, metrics, clusters=[f"c{at % n_clusters}" for at in range(12)])
    found = meta_metrics(scores, tasks="acc_eq", n_resamples=n_resamples, n_chance=0, rng=1)
    for rows in (found.table, found.average):
        assert rows["low"].notna().all() == rows["high"].notna().all() == known
        assert rows["low"].notna().any() == known


def test_tasks_can_be_made_by_hand():
    """With weights of their own; those on other sets, or that are twice the same, are refused."""
    human, metrics = made(3)
    sets = {"x": table(human, metrics)}
    tasks = [
        MetaTask(measure="acc_eq", level="item", sets=("x",), weight=3.0),
        MetaTask(measure="pearson", level="item", sets=("x",)),
    ]
    found = meta_metrics(sets, tasks=tasks, n_resamples=2, n_chance=0, rng=0)
    assert found.tasks["weight"].tolist() == [0.75, 0.25]
    with pytest.raises(InvalidOptionError, match="must be different"):
        meta_metrics(sets, tasks=[tasks[0], tasks[0]])
    with pytest.raises(UnknownNameError, match="set of a task"):
        meta_metrics({"y": sets["x"]}, tasks=tasks)


@pytest.mark.parametrize("task", ["acc_eq", "pearson:item"])
def test_the_average_of_one_task_is_that_task(task):
    """Pairs, ranks and letters of four metrics are the same; values are brought to 0 to 1."""
    human, metrics = made(5, n_systems=4, n_items=9)
    rng = np.random.default_rng(1)
    metrics |= {name: metrics["B"] + rng.normal(0, size, human.shape) for name, size in (("D", 1.5), ("E", 4.0))}
    found = meta_metrics(table(human, metrics), tasks=task, n_resamples=99, n_chance=20, rng=0)
    own, average = found.task_pairs(task), found.task_pairs()
    assert own["p"].nunique() > 3
    range_of = 2 if task == "pearson:item" else 1
    columns = ["metric_a", "metric_b", "p", "p_corrected"]
    pd.testing.assert_frame_equal(average[columns], own[columns])
    assert (range_of * average["difference"]).tolist() == pytest.approx(own["difference"].tolist())
    columns = ["metric", "n_items", "rank", "letters", "p_chance", "above_chance"]
    pd.testing.assert_frame_equal(found.average[columns], found.table[columns], check_dtype=False)
    for column in ("value", "low", "high", "chance", "chance_high"):
        raised = 1 - range_of * (1 - found.average[column])
        assert raised.tolist() == pytest.approx(found.table[column].tolist())
