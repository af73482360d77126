"""Baselines of agreement: against permutations drawn one by one, against counting, and against laws."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import cohens_kappa

from metaeval.agreement import agreement_baselines, compare_labels
from metaeval.agreement.label_agreement import STATISTICS
from metaeval.agreement.labels import as_labels
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError

TOPICS = ["1"] * 5 + ["2"] * 4


def labels_of(values, topics=TOPICS, names="abcdefgh", scale=range(3)):
    """Make labels of an array (item, judge)."""
    index = pd.MultiIndex.from_arrays([topics, [f"d{place}" for place in range(len(topics))]], names=["topic", "item"])
    return as_labels(pd.DataFrame(values, index=index, columns=list(names[: values.shape[1]])), scale=scale)


def statistics(reference, judges, topics, rel):
    """Return every statistic of judges, a column each, beside a reference, from `compare_labels`."""
    labels = labels_of(np.column_stack([reference, judges]).astype(float), topics)
    pairs = compare_labels(labels, reference="a", rel=rel, n_resamples=2, rng=0).pairs
    return pairs[list(STATISTICS)].astype(float)


@given(arrays(np.int64, (9, 2), elements=st.integers(0, 2)), st.integers(1, 2))
def test_values_are_those_of_the_comparison(values, rel):
    """The judge's own column is what compare_labels says."""
    found = agreement_baselines(labels_of(values.astype(float)), reference="a", rel=rel).set_index("statistic")["value"]
    expected = statistics(*values.T, TOPICS, rel).iloc[0]
    np.testing.assert_allclose(found[list(STATISTICS)], expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rel", [1, 2])
def test_shuffled_is_the_mean_over_all_orders(seed, rel):
    """Each of the 4! x 3! orders of the judge's labels within topics, one by one."""
    topics = ["1"] * 4 + ["2"] * 3
    values = np.random.default_rng(seed).integers(0, 3, (7, 2))
    # the count of each pair of labels is linear, so one table a permutation is enough
    rows = []
    for one in itertools.permutations(range(4)):
        for two in itertools.permutations(range(4, 7)):
            shuffled = values[[*one, *two], 1]
            rows.append(literal(values[:, 0], shuffled, np.array(topics), rel))
    expected = pd.DataFrame(rows).mean()
    found = agreement_baselines(labels_of(values.astype(float), topics), reference="a", rel=rel)
    found = found.set_index("statistic")["shuffled"]
    np.testing.assert_allclose(found[expected.index], expected, atol=1e-12)


def literal(first, second, topics, rel):
    """Count the statistics with sets, and kappa with statsmodels."""
    parts = {name: [] for name in ("overlap", "first_kept", "second_kept", "same_over_union")}
    for topic in np.unique(topics):
        f, s = first[topics == topic], second[topics == topic]
        both, union = (f >= rel) & (s >= rel), (f >= rel) | (s >= rel)
        for name, top, bottom in (
            ("overlap", both, union),
            ("first_kept", both, f >= rel),
            ("second_kept", both, s >= rel),
            ("same_over_union", both & (f == s), union),
        ):
            if bottom.any():
                parts[name].append(top.sum() / bottom.sum())
    found = {name: np.mean(one) if one else np.nan for name, one in parts.items()}
    found["same"] = (first == second).mean()
    found["bias"] = (second - first).mean()
    table = np.zeros((3, 3))
    np.add.at(table, (first, second), 1)
    found["kappa"] = cohens_kappa(table, return_results=False)
    found["quadratic_kappa"] = cohens_kappa(table, weights=np.arange(3), wt="quadratic", return_results=False)
    relevant = first >= rel
    found["sensitivity"] = (second[relevant] >= rel).mean() if relevant.any() else np.nan
    found["specificity"] = (second[~relevant] < rel).mean() if not relevant.all() else np.nan
    return found


@given(arrays(np.int64, (9, 2), elements=st.integers(0, 2)), st.integers(1, 2))
def test_the_best_constant_judge_is_the_best_of_all(values, rel):
    """No label given throughout does better, and the label named does as well as said; kappa is 0 at best."""
    found = agreement_baselines(labels_of(values.astype(float)), reference="a", rel=rel).set_index("statistic")
    tried = statistics(values[:, 0], np.tile(range(3), (9, 1)), TOPICS, rel)
    for name in STATISTICS:
        row = tried[name]
        best = found.loc[name]
        if row.isna().all():
            assert np.isnan(best["constant"])
            assert np.isnan(best["constant_label"])
            continue
        nearest = row.abs().min() if name == "bias" else row.max()
        value = abs(best["constant"]) if name == "bias" else best["constant"]
        assert value == pytest.approx(nearest, abs=1e-12)
        assert row[best["constant_label"]] == pytest.approx(best["constant"], abs=1e-12)
        if "kappa" in name:
            assert best["constant"] == pytest.approx(0, abs=1e-12)


def test_people_are_averaged_over_their_pairs_both_ways():
    """Each pair of people with a common item counts once each way; the bias as its size."""
    rng = np.random.default_rng(3)
    values = rng.integers(0, 3, (40, 4)).astype(float)
    values[:20, 2], values[20:, 3] = np.nan, np.nan  # these two have nothing in common
    labels = labels_of(values, [str(place % 4) for place in range(40)])
    table = agreement_baselines(labels, reference="a", people=["b", "c", "d"], rel=2)
    assert set(table["people_pairs"]) == {2}
    assert table["judge"].drop_duplicates().tolist() == ["b", "c", "d"]
    assert table["statistic"][0] == "quadratic_kappa"
    found = table.drop_duplicates("statistic").set_index("statistic")["people"]
    pairs = pd.concat(
        [
            compare_labels(labels.select([one, two]), rel=2, n_resamples=2, rng=0).pairs
            for one, two in ("bc", "cb", "bd", "db")
        ]
    )
    for name in STATISTICS:
        expected = pairs[name].abs().mean() if name == "bias" else pairs[name].mean()
        assert found[name] == pytest.approx(expected, abs=1e-12)


def test_without_people_there_is_nothing_to_ask_for():
    """The columns are there and empty; two grades are read by the plain kappa first."""
    table = agreement_baselines(labels_of(np.eye(9)[:, :2], scale=range(2)), reference="b")
    assert table["people"].isna().all()
    assert set(table["people_pairs"]) == {0}
    assert table["statistic"][0] == "kappa"


def test_refusals():
    """Names, levels and empty comparisons are refused."""
    values = np.eye(9)[:, :3]
    with pytest.raises(UnknownNameError):
        agreement_baselines(labels_of(values), reference="x")
    with pytest.raises(UnknownNameError):
        agreement_baselines(labels_of(values), reference="a", people=["a", "x"])
    with pytest.raises(InvalidOptionError, match="two people or more, not b alone"):
        agreement_baselines(labels_of(values), reference="a", people=["b"])
    with pytest.raises(InvalidOptionError, match="`rel=5`"):
        agreement_baselines(labels_of(values), reference="a", rel=5)
    values[:4, 0], values[4:, 1:] = np.nan, np.nan
    with pytest.raises(ScoresError, match="labelled an item that 'a' labelled"):
        agreement_baselines(labels_of(values), reference="a")
