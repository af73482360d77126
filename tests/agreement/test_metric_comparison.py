"""Comparing two metrics by their agreement with people: published p-values, enumeration, laws, calibration."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval.agreement.items import item_scores
from metaeval.agreement.metric_comparison import compare_with_human
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError


def test_bad_options_stop():
    """Options outside their rule are errors that say the rule."""
    with pytest.raises(UnknownNameError):
        compare_with_human(cells(), permute="topics")
    with pytest.raises(UnknownNameError):
        compare_with_human(cells(), statistic="r")
    with pytest.raises(InvalidOptionError, match="n_resamples"):
        compare_with_human(cells(), n_resamples=0)
    with pytest.raises(ScoresError, match="two metrics"):
        compare_with_human(cells(), metrics=["A"])


def cells(n_systems=4, n_items=4, seed=0, noise=(0.3, 1.0), cluster=None):
    """Make human scores and two metrics A and B with noise of two sizes."""
    rng = np.random.default_rng(seed)
    human = np.linspace(0, 1, n_systems)[:, None] + rng.normal(0, 0.5, (n_systems, n_items))
    names = {"system": np.repeat(range(n_systems), n_items), "item": np.tile(range(n_items), n_systems)}
    parts = {"human": human} | {
        name: human + rng.normal(0, size, human.shape) for name, size in zip("AB", noise, strict=True)
    }
    frame = pd.DataFrame(names | {name: part.ravel() for name, part in parts.items()})
    return item_scores(frame.assign(doc="d" + (frame["item"] // 2).astype(str)), reference="human", cluster=cluster)


@pytest.mark.parametrize("permute", ["items", "systems", "both"])
@pytest.mark.parametrize("cluster", [None, "doc"])
def test_the_permutation_p_value_is_that_of_all_exchanges(permute, cluster):
    """With few cells the drawn p-value is near the one over every possible exchange, made by hand on whole tables."""
    n_items = 5 if cluster else 4  # clusters of unequal size
    scores = cells(n_systems=3, n_items=n_items, cluster=cluster)
    human, a, b = (scores.sel(metric=name).to_numpy() for name in ("human", "A", "B"))
    a, b = ((part - part.mean()) / part.std() for part in (a, b))
    groups = np.array([0, 0, 1, 1, 2]) if cluster else np.arange(n_items)
    n_groups = groups.max() + 1
    shape = {"items": (1, n_groups), "systems": (3, 1), "both": (3, n_groups)}[permute]

    def difference(x, y):
        means = [part.mean(axis=1) for part in (human, x, y)]
        return np.corrcoef(means[0], means[1])[0, 1] - np.corrcoef(means[0], means[2])[0, 1]

    seen, extreme = abs(difference(a, b)), []
    for signs in product([False, True], repeat=shape[0] * shape[1]):
        swap = np.broadcast_to(np.reshape(signs, shape), (3, n_groups))[:, groups]
        extreme.append(abs(difference(np.where(swap, b, a), np.where(swap, a, b))) >= seen - 1e-12)
    found = compare_with_human(scores, permute=permute, n_resamples=4000, rng=1).table["p"].item()
    assert found == pytest.approx(np.mean(extreme), abs=0.03)


def test_a_clearly_better_metric_is_found_and_counted():
    """Of two metrics, the one that follows people closely wins; a copy of it does not."""
    scores = cells(n_systems=10, n_items=40, noise=(0.1, 6.0))
    result = compare_with_human(scores, n_resamples=499, rng=0)
    assert result.table["p_corrected"].item() < 0.01
    assert result.wins().loc["A"].tolist() == [1, 0]
    same = scores.copy(deep=True)
    same.loc[{"metric": "B"}] = same.sel(metric="A")
    assert compare_with_human(same, n_resamples=99, rng=0).table["p"].item() == 1.0


def test_the_permutation_test_holds_its_level():
    """Two metrics of one quality differ at .05 in about 5 % of 300 simulated tables."""
    found = [
        compare_with_human(cells(6, 20, seed, noise=(1.0, 1.0)), n_resamples=199, rng=0).table["p"].item()
        for seed in range(300)
    ]
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.035)


def test_a_metric_without_agreement_is_not_tested_and_leaves_the_others_theirs():
    """A constant metric has no p-value; the other pairs are corrected among themselves."""
    scores = cells(6, 10)
    flat = xr.full_like(scores.sel(metric=["B"]), 2.0).assign_coords(metric=["flat"])
    found = compare_with_human(
        xr.concat([scores, flat], "metric").assign_attrs(scores.attrs), n_resamples=99, correction="bonferroni", rng=0
    )
    table = found.table.set_index(["metric_a", "metric_b"])
    alone = compare_with_human(scores, n_resamples=99, correction="bonferroni", rng=0).table
    assert table.loc[("A", "B"), "p_corrected"] == alone["p_corrected"].item() == alone["p"].item()
    assert table.loc[[("A", "flat"), ("B", "flat")], ["p", "p_corrected"]].isna().all(axis=None)
    assert found.wins(1.0).loc["flat"].tolist() == [0, 0]


def test_a_metric_where_less_is_better_is_compared_as_its_negative_is():
    """Told of the direction, the comparison is that with the negated metric."""
    scores = cells(6, 10)
    falling = scores.copy(deep=True)
    falling.loc[{"metric": "A"}] *= -1
    falling = falling.assign_coords(higher_is_better=("metric", [True, False, True]))
    one, two = (compare_with_human(part, n_resamples=99, rng=0).table for part in (scores, falling))
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("permute", ["items", "systems", "both"])
def test_the_unit_of_a_metric_changes_nothing(permute):
    """Percent for shares, and another zero: the same p-value, since both metrics are standardised."""
    scores = cells(6, 10)
    other = scores.copy(deep=True)
    other.loc[{"metric": "B"}] = 100 * other.sel(metric="B") + 7
    one, two = (compare_with_human(part, permute=permute, n_resamples=99, rng=0).table for part in (scores, other))
    assert one["p"].item() == two["p"].item()
    assert one["difference"].item() == pytest.approx(two["difference"].item())


def test_exchanges_that_leave_no_agreement_count_as_far_away():
    """Of 16 exchanges two are as far from 0 as the one seen, and two leave the metrics constant: p is 4/16."""
    names = {"system": list("abcd"), "item": ["1"] * 4}
    frame = pd.DataFrame(names | {"human": [1.0, 2, 3, 4], "A": [0.0, 0, 1, 1], "B": [1.0, 1, 0, 0]})
    found = compare_with_human(item_scores(frame, reference="human"), n_resamples=4000, rng=0).table
    assert found["p"].item() == pytest.approx(4 / 16, abs=0.03)


def test_wins_and_plot_show_the_same_pairs():
    """A field is blue for every pair that differs significantly, in the row of the better metric."""
    result = compare_with_human(cells(10, 40, noise=(0.1, 6.0)), n_resamples=499, rng=0)
    axes = result.plot().axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["A", "B"]
    assert [patch.get_xy() for patch in axes.patches] == [(0.5, -0.5)]
    assert not result.plot(alpha=1e-9).axes[0].patches
    with pytest.raises(UnknownNameError, match="no metric 'C'"):
        compare_with_human(cells(), metrics=["A", "C"])


def test_gaps_leave_out_the_cells_of_the_pair_only():
    """A cell that one metric lacks is left out of the pairs with it, and of no other."""
    scores = cells(5, 6)
    third = scores.sel(metric=["B"]).assign_coords(metric=["C"])
    joined = xr.concat([scores, third], "metric").assign_attrs(scores.attrs)
    joined.loc[{"metric": "C", "system": "0"}] = np.nan
    rows = compare_with_human(joined, n_resamples=9, rng=0).table.set_index(["metric_a", "metric_b"])["n_systems"]
    assert rows.to_dict() == {("A", "B"): 5, ("A", "C"): 4, ("B", "C"): 4}
