"""Williams' test against published p-values and the laws of its statistic."""

from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import assume, given
from scipy import stats

from metaeval.agreement.human_statistics import pearson_last_axis
from metaeval.agreement.williams import williams_of_items, williams_table, williams_test
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError

FILLER = 0.12  # stands in the published tables where nothing was tested or found


@pytest.mark.parametrize("pair", ["deen", "ende", "zhen"])
def test_the_published_p_values_of_williams(data_folder, pair):
    """Every p-value that WMT20 printed for two metrics over all systems comes out."""
    folder = data_folder / "wmt20-metrics" / "system-level"
    scores = pd.read_csv(folder / f"DA-newstest2020-{pair}-sys-scores.csv", sep=None, engine="python")
    machines = scores[~scores["SYSTEM"].str.contains("Human")].set_index("SYSTEM").drop(columns="LP")
    found = williams_table(machines, reference="HUMAN").set_index(["metric_a", "metric_b"])["p"]
    printed = pd.read_csv(folder / "published" / f"DA-{pair}-sig.csv", sep="\t", index_col=0)
    printed = printed.stack()  # noqa: PD013 - a Series by both names is what is compared
    undefined = printed[printed.isna() & (printed.index.get_level_values(0) != printed.index.get_level_values(1))]
    assert (found.reindex(undefined.index) == 1.0).all()
    printed = printed[(printed != FILLER) & printed.notna()]
    ours = found.reindex(printed.index)
    assert len(printed) > 150
    np.testing.assert_allclose(ours, printed, atol=1e-9)


correlations = st.floats(-0.95, 0.95)


@given(correlations, correlations, correlations, st.integers(4, 60))
def test_changing_places_changes_the_sign(first, second, between, n):
    """The statistic is antisymmetric, and the p-values of the two directions add up to 1."""
    assume(1 - first**2 - second**2 - between**2 + 2 * first * second * between >= 0)
    t, p = williams_test(first, second, between, n=n, alternative="greater")
    turned, q = williams_test(second, first, between, n=n, alternative="greater")
    assert t == pytest.approx(-turned, abs=1e-9)
    assert p + q == pytest.approx(1, abs=1e-9)


def test_correlations_that_no_three_variables_have_are_refused():
    """Two metrics that follow people in opposite directions do not follow each other; rounded digits may be off."""
    with pytest.raises(InvalidOptionError, match=r"no three variables have these correlations: beside 0\.9 and -0\.9"):
        williams_test(0.9, -0.9, 0.9, n=20)
    human, a, b = np.random.default_rng(1).normal(size=(3, 9))
    exact = np.corrcoef([human, human + 0.1 * a, human + 0.1 * a + 0.01 * b])
    assert np.isfinite(williams_test(*exact[[0, 0, 1], [1, 2, 2]].round(2), n=9)[1])


def test_equal_metrics_do_not_differ():
    """A metric compared with itself: no statistic, p = 1."""
    t, p = williams_test(0.9, 0.9, 1.0, n=10)
    assert np.isnan(t)
    assert p == 1.0


def test_a_metric_with_falling_scores_is_turned_round_whole():
    """Its opposite has the same t and p beside every other, also where the other one hardly follows it."""
    generator = np.random.default_rng(1)
    means = pd.DataFrame(generator.normal(size=(6, 3)), columns=["human", "A", "C"])
    means["A"] += 2 * means["human"]
    row, opposite = (
        williams_table(frame, reference="human", alternative="two-sided").iloc[0]
        for frame in (means, means.assign(C=-means["C"]))
    )
    assert np.sign(row["between"]) != np.sign(row["correlation_a"] * row["correlation_b"])
    assert [opposite["t"], opposite["p"]] == pytest.approx([row["t"], row["p"]])
    turned = means.assign(C=means["C"] * np.sign(row["correlation_b"]))
    plain = williams_table(turned, reference="human", alternative="two-sided", signed=True).iloc[0]
    assert [plain["t"], plain["p"]] == pytest.approx([row["t"], row["p"]])


def test_williams_holds_its_level_where_two_metrics_are_equally_good():
    """Two metrics of one quality differ significantly in about 5 % of 4000 draws of 15 systems."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=(4000, 15))
    shared = rng.normal(size=human.shape)
    a, b = (human + 0.6 * shared + 0.8 * rng.normal(size=human.shape) for _ in range(2))
    _, p = williams_test(pearson_last_axis(human, a), pearson_last_axis(human, b), pearson_last_axis(a, b), n=15)
    assert (p <= 0.05).mean() == pytest.approx(0.05, abs=0.012)


def test_bad_options_stop():
    """Options outside their rule are errors that say the rule."""
    with pytest.raises(InvalidOptionError, match="`first` must be a correlation"):
        williams_test(1.2, 0, 0, n=9)
    with pytest.raises(InvalidOptionError, match="needs 4 systems"):
        williams_test(0.2, 0, 0, n=3)
    with pytest.raises(UnknownNameError):
        williams_test(0.2, 0, 0, n=9, alternative="better")
    with pytest.raises(ScoresError, match="two metrics"):
        williams_table(pd.DataFrame({"human": [1.0, 2], "A": [1.0, 2]}), reference="human")


def test_a_metric_that_falls_counts_by_its_size_unless_asked():
    """A metric and its opposite follow people equally closely; with their signs, one of them is the worst there is."""
    human = np.arange(6.0)
    metric = human + np.array([0.0, 1.0, -1.0, 0.5, 1.0, 0.0])
    means = pd.DataFrame({"human": human, "rises": metric, "falls": -metric + 0.01 * human**2})
    bare, signed = (
        williams_table(means, reference="human", signed=signed).set_index("metric_a")["p"] for signed in (False, True)
    )
    assert bare["rises"] > 0.05
    assert signed["rises"] < 0.01
    assert signed["falls"] > 0.99


def test_less_is_the_other_side_of_greater():
    """What is no evidence that the first agrees better is evidence that it does not: the two sides add up to 1."""
    t, greater = williams_test(0.9, 0.8, 0.7, n=9, alternative="greater")
    other, less = williams_test(0.9, 0.8, 0.7, n=9, alternative="less")
    assert (t, greater + less) == (other, pytest.approx(1.0))
    assert less == pytest.approx(stats.t.cdf(t, 6))
    with pytest.raises(InvalidOptionError, match=r"`first` must be a correlation in \[-1, 1\], not 1\.2"):
        williams_test(1.2, 0.8, 0.7, n=9)


@pytest.mark.parametrize("complete", [True, False])
def test_two_metrics_are_compared_on_the_items_that_both_have(complete):
    """A metric with scores of some items alone meets another there, and people's means are of these items too."""
    rng = np.random.default_rng(3)
    table = rng.normal(size=(4, 7, 12)) + np.linspace(0, 2, 7)[:, None]
    if not complete:
        table[1, :, 4:] = np.nan
        table[2, 3, 5] = np.nan
    names = ["human", "some", "all but one", "all"]
    scores = xr.DataArray(table, dims=("metric", "system", "item"), coords={"metric": names})
    found = williams_of_items(scores, reference="human", correction="holm").set_index(["metric_a", "metric_b"])
    for a, b in combinations(range(1, 4), 2):
        common = np.isfinite(table[[0, a, b]]).all(axis=0)
        means = pd.DataFrame(
            {names[at]: [row[here].mean() for row, here in zip(table[at], common, strict=True)] for at in (0, a, b)}
        )
        expected = williams_table(means, reference="human", alternative="two-sided").iloc[0]
        row = found.loc[names[a], names[b]]
        for column in ("correlation_a", "correlation_b", "between", "t", "p"):
            assert row[column] == pytest.approx(expected[column])
        assert row["n_items"] == common.any(axis=0).sum()
    ordered = found["p"].sort_values()
    assert found["p_corrected"].min() == pytest.approx(min(3 * ordered.iloc[0], 1.0))
