"""Conclusions under judges: against decisions asked one by one, SynDL's published scores, and laws."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, kendalltau, pearsonr, spearmanr, ttest_rel

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.judge_measures import MEASURES, RANKINGS
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.judge_conclusions import judge_conclusions
from metaeval.simulate.scores import simulate_scores
from metaeval.table.scores import as_scores

NAMES = ["human", "judge", "ann", "ben"]
SCORES = simulate_scores(n_systems=9, n_topics=40, metrics=["AP", "nDCG@10", "nDCG", "P@10"], rng=3).assign_coords(
    metric=NAMES
)


def test_values_are_those_of_decision_agreement():
    """Counts, shares and correlations on the topics at hand; intervals as those of agreement on the same draws."""
    found = judge_conclusions(SCORES, reference="human", people=["ann", "ben"], n_resamples=300, rng=0)
    own = decision_agreement(SCORES, test="t").to_frame()
    own = own[(own["truth"] == "human") & (own["predictor"] == "judge")].iloc[0]
    row = found.table.set_index("judge").loc["judge"]
    for name in ("tau", "tau_ap", "precision", "recall", "f1", "n_conflicts", "n_shared"):
        assert row[name] == pytest.approx(own[name])
    other = agreement_intervals(SCORES, test="t", n_topic_resamples=2000, rng=1).to_frame()
    other = other[(other["truth"] == "human") & (other["predictor"] == "judge")].iloc[0]
    assert row["f1_high"] - row["f1_low"] == pytest.approx(other["f1_high"] - other["f1_low"], rel=0.2)


def test_people_are_the_mean_of_their_choices():
    """The row of people is the weighted mean; the differences are from it."""
    weights = {"ann": 0.75, "ben": 0.25}
    found = judge_conclusions(SCORES, reference="human", people=weights, n_resamples=100, rng=0)
    choices, table = found.choices.set_index("choice"), found.table.set_index("judge")
    for name in ("tau", "f1", "power", "n_conflicts"):
        expected = 0.75 * choices.loc["ann", name] + 0.25 * choices.loc["ben", name]
        assert table.loc["people", name] == pytest.approx(expected)
    apart = found.beside_people.query("measure == 'f1'").set_index("judge")["difference"]
    assert apart["judge"] == pytest.approx(table.loc["judge", "f1"] - table.loc["people", "f1"])


def test_the_reference_again_agrees_with_itself():
    """The same scores under another name: all is 1, nothing conflicts, and what never varies has no interval."""
    twice = as_scores(
        np.stack([SCORES.to_numpy()[0]] * 2),
        metrics=["human", "copy"],
        systems=SCORES["system"].to_numpy().tolist(),
        topics=SCORES["topic"].to_numpy().tolist(),
    )
    row = judge_conclusions(twice, reference="human", n_resamples=50, rng=0).table.iloc[0]
    for name in (*RANKINGS, "precision", "recall", "f1"):
        assert row[name] == pytest.approx(1)
        assert np.isnan([row[f"{name}_low"], row[f"{name}_high"]]).all()


def test_the_turned_judge_contradicts_every_pair():
    """A judge of the opposite opinion: as many conflicts as significant pairs, each named, and precision 0."""
    values = SCORES.to_numpy()[0]
    turned = as_scores(
        np.stack([values, 1 - values]), metrics=["human", "turned"], systems=SCORES["system"].to_numpy().tolist()
    )
    found = judge_conclusions(turned, reference="human", n_resamples=50, rng=0)
    row = found.table.iloc[0]
    assert row["n_conflicts"] == row["n_reference"] == len(found.conflicts) > 0
    assert [row["precision"], row["tau"]] == pytest.approx([0, -1])
    means = dict(zip(SCORES["system"].to_numpy().tolist(), values.mean(axis=1), strict=True))
    assert all(means[one["better"]] > means[one["worse"]] for one in found.conflicts.to_dict("records"))


def test_correlations_have_intervals_over_topics():
    """Every correlation, of all systems and of the best, lies inside its interval; more topics make it narrower."""
    widths = {}
    for n_topics in (40, 400):
        scores = simulate_scores(n_systems=9, n_topics=n_topics, metrics=["AP", "nDCG@10"], rng=3)
        scores = scores.assign_coords(metric=["human", "judge"])
        row = judge_conclusions(scores, reference="human", top=5, n_resamples=200, rng=0).table.iloc[0]
        means = scores.to_numpy().mean(axis=2)
        best = np.argsort(-means[0])[:5]
        assert row["pearson"] == pytest.approx(pearsonr(*means).statistic)
        assert row["rho_top"] == pytest.approx(spearmanr(means[0][best], means[1][best]).statistic)
        for name in RANKINGS:
            assert -1 <= row[f"{name}_low"] <= row[name] <= row[f"{name}_high"] <= 1
        widths[n_topics] = row["pearson_high"] - row["pearson_low"]
    assert widths[400] < widths[40]


def test_one_topic_ranks_and_tests_nothing():
    """With a single topic there are correlations without intervals; nothing is significant, nor is it nothing."""
    one = SCORES.isel(topic=[0])
    found = judge_conclusions(one, reference="human", people=["ben"], n_resamples=20, rng=0)
    row = found.table.set_index("judge").loc["judge"]
    assert row["tau"] == pytest.approx(kendalltau(*one.to_numpy()[:2, :, 0]).statistic)
    for name in ("power", "precision", "recall", "f1", "n_significant", "n_shared", "n_conflicts"):
        assert np.isnan(found.table[name].astype(float)).all()
    assert np.isnan([row["tau_low"], row["tau_high"], *found.of_reference.iloc[0, :4]]).all()
    assert (found.conflicts.empty, found.same_number.empty) == (True, True)
    sides = {"human": SCORES.sel(metric=["human"]), "judge": one.sel(metric=["judge"])}
    mixed = judge_conclusions(sides, reference="human", n_resamples=20, rng=0)
    assert np.isnan(mixed.table[["f1", "n_reference"]].to_numpy()).all()
    with pytest.raises(ScoresError, match="pairs of systems, and there is 1"):
        judge_conclusions(SCORES.isel(system=[0]), reference="human")


def test_own_topics_by_hand():
    """A judge with other topics, against SciPy's t tests and corrections for each side by itself."""
    human = simulate_scores(n_systems=6, n_topics=30, metrics=["AP"], rng=1)
    judge = simulate_scores(n_systems=6, n_topics=80, metrics=["AP"], rng=2)
    found = judge_conclusions({"human": human, "judge": judge}, reference="human", n_resamples=50, n_rounds=20, rng=0)
    sides = {}
    for name, scores in (("human", human), ("judge", judge)):
        values = scores.to_numpy()[0]
        first, second = np.triu_indices(6, 1)
        tests = [ttest_rel(values[a], values[b]) for a, b in zip(first, second, strict=True)]
        p = false_discovery_control([one.pvalue for one in tests], method="by")
        sides[name] = (p <= 0.05) * np.sign([one.statistic for one in tests])
    shared = int(((sides["human"] == sides["judge"]) & (sides["human"] != 0)).sum())
    row = found.table.iloc[0]
    assert [row["n_significant"], row["n_shared"], row["n_topics"]] == [np.abs(sides["judge"]).sum(), shared, 80]
    means = [scores.to_numpy()[0].mean(axis=1) for scores in (human, judge)]
    assert row["tau"] == pytest.approx(kendalltau(*means).statistic)
    fewer = found.same_number.iloc[0]
    assert fewer["n_topics"] == 30
    assert fewer["power"] <= row["power"]


@given(seed=st.integers(0, 1000), cut=st.integers(3, 25))
@settings(max_examples=8)
def test_a_part_of_the_topics_is_compared_on_that_part(seed, cut):
    """A judge of some topics of the reference has what it has where nobody saw others; so have people beside it."""
    scores = SCORES.isel(topic=np.random.default_rng(seed).permutation(40))
    parts = {"judge": slice(cut), "ann": slice(cut, None)}
    sides = {name: scores.sel(metric=[name]).isel(topic=parts.get(name, slice(None))) for name in NAMES}
    found = judge_conclusions(sides, reference="human", people=["ben"], n_resamples=20, rng=0)
    assert found.table["judge"].tolist() == ["judge", "ann", "people", "people"]
    assert found.table["n_topics"].tolist() == [cut, 40 - cut] * 2
    assert (found.comparable, len(found.of_reference), len(found.choices)) == (False, 2, 2)
    for name, part in parts.items():
        alone = judge_conclusions(
            scores.sel(metric=["human", name, "ben"]).isel(topic=part),
            reference="human",
            people=["ben"],
            n_resamples=20,
            rng=0,
        )
        own = found.table[found.table["reference_set"] == found.table.set_index("judge").loc[name, "reference_set"]]
        for what in (*MEASURES, "n_significant", "n_shared", "n_conflicts", "reference_power", "n_reference"):
            np.testing.assert_allclose(own[what], alone.table[what], atol=1e-12)
        beside = found.beside_people[found.beside_people["judge"] == name]
        np.testing.assert_allclose(beside["difference"], alone.beside_people["difference"], atol=1e-12)


def test_syndl(data_folder):
    """Published scores of SynDL: the judge on its own topics, and on as many as people judged.

    The table of the first look (within a point): people / judge / precision / recall / conflicts.
    """
    with gzip.open(data_folder / "syndl" / "syndl.csv.gz", "rt") as file:
        rows = pd.read_csv(file, dtype={"topic": str})
    expected = {
        (2019, "nDCG@10"): (0.559, 0.759, 0.726, 0.986, 0),
        (2020, "nDCG@10"): (0.714, 0.807, 0.853, 0.965, 0),
        (2021, "nDCG@10"): (0.615, 0.874, 0.703, 0.998, 0),
        (2023, "nDCG@10"): (0.746, 0.918, 0.810, 0.995, 0),
        (2023, "AP"): (0.758, 0.943, 0.758, 0.942, 16),
    }
    for (year, metric), figures in expected.items():
        sides = {}
        for judge, own in rows[(rows["year"] == year) & (rows["metric"] == metric)].groupby("judge"):
            wide = own.pivot_table(index="system", columns="topic", values="value")
            sides[judge] = as_scores(wide.to_numpy(), systems=[*wide.index], topics=[*wide.columns])
        found = judge_conclusions(sides, reference="nist", n_resamples=20, n_rounds=50, rng=0)
        row = found.table.iloc[0]
        seen = (row["reference_power"], row["power"], row["precision"], row["recall"], row["n_conflicts"])
        np.testing.assert_allclose(seen, figures, atol=0.0006)
        if (year, metric) == (2021, "nDCG@10"):
            assert found.same_number["power"].item() == pytest.approx(0.607, abs=0.01)


def test_says_what_is_wrong():
    """Unknown judges, weights that are none, one judge, other systems, several metrics."""
    with pytest.raises(UnknownNameError, match="'zoe'"):
        judge_conclusions(SCORES, reference="zoe")
    with pytest.raises(InvalidOptionError, match="weights above 0"):
        judge_conclusions(SCORES, reference="human", people={"ann": 0.0})
    with pytest.raises(ScoresError, match="only human"):
        judge_conclusions(SCORES.sel(metric=["human"]), reference="human")
    sides = {"human": SCORES.sel(metric=["human"]), "judge": SCORES.sel(metric=["judge"]).isel(system=slice(5))}
    with pytest.raises(ScoresError, match="the same under every judge"):
        judge_conclusions(sides, reference="human")
    with pytest.raises(ScoresError, match="must hold one metric"):
        judge_conclusions({"human": SCORES, "judge": SCORES}, reference="human")


def test_a_share_at_its_end_is_no_surer_than_as_many_independent_pairs():
    """A judge of noise finds none of the pairs, and one that errs a little all: Clopper and Pearson's ends at least."""
    rng = np.random.default_rng(1)
    level = np.linspace(0.2, 0.6, 5)[:, None] + rng.normal(0, 0.1, (5, 8))
    judges = [level, level + rng.normal(0, 0.01, level.shape), rng.random(level.shape)]
    scores = as_scores(np.array(judges), metrics=["human", "near", "noise"])
    table = judge_conclusions(scores, reference="human", n_resamples=300, rng=0).table.set_index("judge")
    near, noise = table.loc["near"], table.loc["noise"]
    assert (near["recall"], noise["recall"]) == (1.0, 0.0)
    assert near["recall_low"] <= 0.025 ** (1.0 / near["n_reference"]) + 1e-12
    assert noise["recall_high"] >= 1.0 - 0.025 ** (1.0 / noise["n_reference"]) - 1e-12
