"""Families of pairs: who is in them, and what a correction within them says."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from metaeval import as_scores, compare_systems
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.families import pair_families

pytestmark = pytest.mark.usefixtures("garbage_stays")

VALUES = np.random.default_rng(4).normal(size=(2, 6, 25)) + np.array([0.2, 0.9, 0.0, 0.5, 0.55, 0.1])[:, None]
NAMES = ["a", "b", "c", "d", "e", "f"]


def result(values=VALUES, *, test="t", **options):
    options = {"systems": NAMES[: np.shape(values)[-2]]} | options
    return compare_systems(
        as_scores(values, **options), test=test, rng=0, **({"n_resamples": 999} if test != "t" else {})
    )


def literal(values, family, baseline=None):
    """Sort the means, list the pairs, and let scipy and statsmodels do the rest."""
    order = sorted(range(len(values)), key=lambda system: -values[system].mean())
    if family == "adjacent":
        pairs = list(pairwise(order))
    elif family == "best":
        pairs = [(order[0], other) for other in order[1:]]
    else:
        pairs = [(other, baseline) for other in order if other != baseline]
    frame = pd.DataFrame([(NAMES[a], NAMES[b]) for a, b in pairs], columns=["system_a", "system_b"])
    tests = [ttest_rel(values[a], values[b]) for a, b in pairs]
    frame["statistic"] = [one.statistic for one in tests]
    frame["p_value"] = [one.pvalue for one in tests]
    for name in ("holm", "fdr_by"):
        frame[f"p_{name}"] = multipletests(frame["p_value"], method=name)[1]
        frame[f"significant_{name}"] = frame[f"p_{name}"] <= 0.05
    return frame


@pytest.mark.parametrize("family", ["adjacent", "best", "baseline"])
@pytest.mark.parametrize("metric", [0, 1])
def test_agrees_with_scipy_and_statsmodels(family, metric):
    """Every metric has its own order, hence its own pairs."""
    frame = pair_families(result(), baseline="d").to_frame()
    part = frame[(frame["family"] == family) & (frame["metric"] == f"metric{metric + 1}")].reset_index(drop=True)
    expected = literal(VALUES[metric], family, baseline=3)
    pd.testing.assert_frame_equal(part[expected.columns], expected, rtol=1e-9)


def test_several_baselines_are_one_family():
    """Every other system beside each, a pair of two baselines once, and the correction over all of these."""
    frame = pair_families(result(VALUES[:1]), families=[], baseline=["d", "a", "d"]).to_frame()
    pairs = list(zip(frame["system_a"], frame["system_b"], strict=True))
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == 9
    assert [other for _, other in pairs] == ["d"] * 5 + ["a"] * 4
    np.testing.assert_allclose(frame["p_holm"], multipletests(frame["p_value"], method="holm")[1])
    alone = pair_families(result(VALUES[:1]), families=[], baseline="d").to_frame()
    pd.testing.assert_frame_equal(frame[["system_a", "p_value"]].head(5), alone[["system_a", "p_value"]])


@given(st.permutations(range(6)))
def test_the_order_of_the_systems_changes_nothing(order):
    """Names decide, not places."""
    moved = result(VALUES[:, list(order)], systems=[NAMES[one] for one in order])
    expected = pair_families(result(), baseline="d").to_frame()
    pd.testing.assert_frame_equal(pair_families(moved, baseline="d").to_frame(), expected, rtol=1e-9)


def test_lower_may_be_better():
    """The best is then the lowest; differences stay in the metric's own direction."""
    higher = pair_families(result()).to_frame()
    lower = pair_families(result(-VALUES, higher_is_better=False)).to_frame()
    pd.testing.assert_frame_equal(lower[["system_a", "system_b", "p_holm"]], higher[["system_a", "system_b", "p_holm"]])
    np.testing.assert_allclose(lower["difference"], -higher["difference"])


def test_ties_stand_in_their_order_of_appearance():
    """Equal systems are neighbours with p = 1."""
    values = np.array([[0.1, 0.5, 0.2], [0.9, 0.8, 0.6], [0.1, 0.5, 0.2]])
    frame = pair_families(result(values), families=["adjacent"]).to_frame()
    assert frame[["system_a", "system_b"]].to_numpy().tolist() == [["b", "a"], ["a", "c"]]
    assert frame["p_value"].iloc[1] == 1.0


def test_counts_count_the_frame():
    """Uncorrected first; the share is of the pairs of the family."""
    families = pair_families(result(), corrections=["bonferroni"])
    counts = families.counts().set_index(["family", "metric", "correction"])
    frame = families.to_frame()
    for (family, metric), part in frame.groupby(["family", "metric"]):
        assert counts.loc[(family, metric, "bonferroni"), "n_significant"] == part["significant_bonferroni"].sum()
        assert counts.loc[(family, metric, "none"), "n_significant"] == (part["p_value"] <= 0.05).sum()
        assert (counts.loc[family]["n_pairs"] == 5).all()


def test_both_directions_are_hypotheses_where_one_asks_which_is_better():
    """A family of a question "better" has twice as many hypotheses as pairs."""
    asked = compare_systems(as_scores(VALUES, systems=NAMES), alternative="better")
    frame = pair_families(asked, families=["best"], corrections=["bonferroni"]).to_frame()
    np.testing.assert_allclose(frame["p_bonferroni"], np.minimum(1.0, 10 * frame["p_value"]))


def test_two_systems_are_one_pair():
    """The smallest leaderboard."""
    frame = pair_families(result(VALUES[:, :2]), baseline="a").to_frame()
    assert frame[["family", "system_a", "system_b"]].drop_duplicates().to_numpy().tolist() == [
        ["adjacent", "b", "a"],
        ["best", "b", "a"],
        ["baseline", "b", "a"],
    ]


@pytest.mark.parametrize(
    ("made", "options", "words"),
    [
        (lambda: result(test="tukey"), {}, "family-wise over all pairs"),
        (lambda: compare_systems(VALUES, alternative="less"), {}, "not `alternative='less'`"),
        (lambda: compare_systems(VALUES, baseline="system1"), {}, "only the pairs with 'system1'"),
        (result, {"baseline": "z"}, "'z'"),
        (result, {"families": ["baseline"]}, "baseline"),
        (result, {"families": ["worst"]}, "family of pairs"),
        (result, {"corrections": ["fudge"]}, "fudge"),
    ],
)
def test_says_what_is_wrong(made, options, words):
    """What takes no correction within a family is refused, and unknown names."""
    with pytest.raises(InvalidOptionError, match=words):
        pair_families(made(), **options)


def test_published_shares_of_the_embedding_benchmark(data_folder):
    """MTEB(eng, v2), 183 models on 41 tasks, 16 653 pairs.

    https://github.com/embeddings-benchmark/mteb/issues/5208 counts 85 % of the pairs. Neighbours are counted again
    here: those whose difference has 0 outside the middle 95 % of its resamples.
    """
    table = pd.read_csv(data_folder / "mteb" / "mteb_eng_v2.csv", index_col=0)
    scores = as_scores(table.to_numpy().T, systems=list(table.columns))
    t = compare_systems(scores, correction="none")
    for correction, share in (("none", 0.845), ("fdr_by", 0.763), ("holm", 0.572)):
        power = t.with_correction(correction).discriminative_power()
        assert (power["n_pairs"].item(), round(power["power"].item(), 3)) == (16_653, share)
    percentile = compare_systems(scores, test="bootstrap_percentile", correction="none", rng=0)
    assert percentile.discriminative_power()["power"].item() == pytest.approx(0.85, abs=0.01)
    counts = pair_families(percentile, families=["adjacent"], corrections=["none"]).counts()
    ordered = table[table.mean().sort_values(ascending=False).index].to_numpy()
    resampled = np.diff(ordered[np.random.default_rng(0).integers(0, 41, (1000, 41))].mean(axis=1), axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    assert counts["n_significant"].item() == ((low > 0) | (high < 0)).sum() == 182 - 178
