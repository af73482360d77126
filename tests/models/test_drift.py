"""Two versions of a board: differences on common items by another package, and changes that add up, item by item."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp, ttest_rel
from statsmodels.stats.multitest import multipletests

from metaeval import as_scores
from metaeval.agreement.rankings import kendall_tau
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.drift import version_drift


def two_versions(seed, *, gaps=0.0, moved=0.0):
    """Return 5 systems on items 1 to 12 and on 7 to 20, the scores of two of them moved where both have an item."""
    drawn = np.random.default_rng(seed)
    truth = drawn.normal(np.arange(5)[:, None] / 3, 0.5, (5, 20))
    second = truth[:, 6:] + moved * np.array([1, 1, 0, 0, 0])[:, None] + drawn.normal(0, 0.1, (5, 14)) * (moved != 0)
    values = [truth[:, :12].copy(), second.copy()]
    for one in values:
        one[drawn.random(one.shape) < gaps] = np.nan
    names = [f"s{number}" for number in range(5)]
    return [
        as_scores(one, systems=names, topics=[f"q{number}" for number in items], missing="pairwise")
        for one, items in zip(values, (range(1, 13), range(7, 21)), strict=True)
    ]


@pytest.mark.parametrize("gaps", [0.0, 0.15])
def test_differences_are_those_of_scipy(gaps):
    """Paired t over the items that both have, with their interval; statsmodels corrects over the systems."""
    first, second = two_versions(1, gaps=gaps, moved=0.3)
    drift = version_drift(first, second)
    frame = drift.to_frame().set_index("system")
    items = [f"q{number}" for number in range(7, 13)]
    before, after = (board.sel(topic=items).to_numpy()[0] for board in (first, second))
    expected = []
    for place, name in enumerate(frame.index):
        there = np.isfinite(before[place]) & np.isfinite(after[place])
        found = ttest_rel(after[place, there], before[place, there])
        row = frame.loc[name]
        assert row["n_common"] == there.sum()
        assert row["p_value"] == pytest.approx(found.pvalue)
        assert row[["low", "high"]].tolist() == pytest.approx(list(found.confidence_interval()))
        assert row["difference"] == pytest.approx((after - before)[place, there].mean())
        held = np.isfinite(second.to_numpy()[0, place]).sum()
        assert row["by_scores"] == pytest.approx((after - before)[place, there].sum() / held)
        expected.append(found.pvalue)
    assert frame["p_corrected"].tolist() == pytest.approx(multipletests(expected, method="holm")[1].tolist())
    assert frame["significant"].tolist()[2:] == [False] * 3
    shift = np.nanmean(after - before, axis=0)
    for place, own in enumerate(after - before - shift):
        assert frame["relative"].iloc[place] == pytest.approx(np.nanmean(own))
    apart = [ttest_1samp(own[np.isfinite(own)], 0).pvalue for own in after - before - shift]
    assert frame["relative_p_corrected"].tolist() == pytest.approx(multipletests(apart, method="holm")[1].tolist())
    assert (drift.n_common, drift.n_gone, drift.n_new, drift.n_scores) == (6, 6, 8, frame["n_common"].sum())
    assert len(drift.plot().axes) == 1


def test_steps_are_counted_pair_by_pair():
    """Means over all items, the common ones, those with the new scores, and all of the second: by loops over pairs."""
    first, second = two_versions(4, moved=0.6)
    items = [f"q{number}" for number in range(7, 13)]
    boards = (first, first.sel(topic=items), second.sel(topic=items), second)
    means = [board.to_numpy()[0].mean(axis=1) for board in boards]
    drift = version_drift(first, second)
    for name, mean in (("mean_first", means[0]), ("mean_second", means[3])):
        assert drift.to_frame()[name].tolist() == pytest.approx(mean)
    steps = drift.steps().set_index("step")
    assert steps["n_items"].tolist() == [6, 6, 14, 14]
    for step, before, after in (("items gone", 0, 1), ("other scores", 1, 2), ("items new", 2, 3), ("all", 0, 3)):
        turned = [
            (means[before][a] - means[before][b]) * (means[after][a] - means[after][b]) < 0
            for a in range(5)
            for b in range(a)
        ]
        assert steps.loc[step, "n_reversed"] == sum(turned)
        assert steps.loc[step, "tau"] == pytest.approx(kendall_tau(means[before], means[after]))


@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1.0, 100.0, -1.0]), weighted=st.booleans())
@settings(max_examples=5)
def test_parts_add_up_whatever_the_order_and_unit(seed, scale, weighted):
    """The change is the sum of its parts; names carry items and systems, and the unit carries over."""
    drawn = np.random.default_rng(seed)
    first, second = two_versions(seed % 1000, moved=0.2)
    own = version_drift(first, second)
    frame = own.to_frame()
    assert frame["change"].to_numpy() == pytest.approx((frame["mean_second"] - frame["mean_first"]).to_numpy())
    assert (frame["by_scores"] + frame["by_items"]).to_numpy() == pytest.approx(frame["change"].to_numpy())
    assert frame["difference"].to_numpy() == pytest.approx((frame["common_second"] - frame["common_first"]).to_numpy())
    mixed = second.isel(system=drawn.permutation(5), topic=drawn.permutation(14))
    again = version_drift(first * scale, mixed * scale).to_frame()
    assert again["p_corrected"].to_numpy() == pytest.approx(frame["p_corrected"].to_numpy())
    assert again["by_items"].to_numpy() == pytest.approx(scale * frame["by_items"].to_numpy())
    if weighted:  # an item of weight 2 is the item twice
        weights = {name: 2.0 if name == "q20" else 1.0 for name in second["topic"].to_numpy()}
        heavy = version_drift(first, as_scores(second, weights=weights)).to_frame()
        twice = np.concatenate([second.to_numpy()[0], second.to_numpy()[0, :, -1:]], axis=1)
        names = [*second["topic"].to_numpy(), "q20 again"]
        other = as_scores(twice, systems=second["system"].to_numpy().tolist(), topics=names)
        double = version_drift(first, other).to_frame()
        assert heavy["by_items"].to_numpy() == pytest.approx(double["by_items"].to_numpy())


def test_nothing_changed_and_too_little_in_common():
    """Equal scores differ nowhere; one common item or system is refused by number; a board has one metric."""
    first, second = two_versions(2)
    drift = version_drift(first, second)
    frame = drift.to_frame()
    assert drift.n_changed == 0
    assert (frame[["by_scores", "difference"]].to_numpy() == 0).all()
    assert (frame["p_corrected"] == 1).all()
    assert drift.steps().set_index("step").loc["other scores", "n_reversed"] == 0
    lone = as_scores(second.to_numpy()[0], systems=list("abcde"))
    with pytest.raises(ScoresError, match="two systems or more must be in both versions; there are 0"):
        version_drift(first, lone)
    with pytest.raises(ScoresError, match="two topics or more must be in both versions; there are 1"):
        version_drift(first.isel(topic=slice(7)), second)
    with pytest.raises(InvalidOptionError, match="`second` has 2 metrics"):
        version_drift(first, as_scores(np.zeros((2, 5, 14)), metrics=["x", "y"]))
    easier = version_drift(first, second + 0.25).to_frame()  # for all alike
    assert (easier["p_value"] == 2.0**-5).all()  # six items moved alike: all that signs can tell
    assert not easier["significant"].any()
    assert not easier["relative_significant"].any()
    thin = second.copy()
    thin[0, 0, :5] = np.nan
    frame = version_drift(first, thin).to_frame()
    assert frame["n_common"].tolist()[:2] == [1, 6]
    assert np.isnan(frame["p_value"].iloc[0])
    assert not frame["significant"].iloc[0]
