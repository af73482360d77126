"""Judges in order of agreement: against derivatives taken slowly, a literal bootstrap, laws, and worthless judges."""

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from matplotlib.text import Text
from scipy.stats import kurtosis, t

from metaeval.agreement.judge_ranking import _items_of, _leads, _parts_of_topics, _Units, rank_judges
from metaeval.agreement.krippendorff import coincidences, krippendorff_alpha
from metaeval.agreement.label_agreement import compare_labels
from metaeval.agreement.label_statistics import contingency, pooled
from metaeval.agreement.labels import as_labels
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.running.draws import bootstrap_counts, bootstrap_indices


def labels_of(columns, *, n_topics):
    """Make labels of arrays, items dealt out to the topics in turn."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays(
        [[str(place % n_topics) for place in range(n)], [f"d{place}" for place in range(n)]], names=["topic", "item"]
    )
    frame = pd.DataFrame(columns, index=index, dtype=float)
    frame.attrs["judges"] = [*columns]  # as a reader says who is a judge: some here look like none
    return as_labels(frame)


def drawn(shares, *, n_topics=20, n_items=600, n_grades=4, seed=0):
    """Draw a reference, and judges who label a share of the items without looking; some topics are harder."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_grades, n_items)
    harder = rng.uniform(0.5, 1.5, n_topics)[np.arange(n_items) % n_topics]
    columns = {"nist": truth} | {
        name: np.where(rng.random(n_items) < share * harder, rng.integers(0, n_grades, n_items), truth)
        for name, share in shares.items()
    }
    return labels_of(columns, n_topics=n_topics)


def test_figures_are_those_of_the_comparison_and_of_alpha_for_two():
    """Kappas, equal labels and bias are those of `compare_labels`, alpha that of the judge and the reference alone."""
    labels = drawn({"a": 0.6, "b": 0.3, "c": 0.9})
    found = rank_judges(labels, reference="nist", rng=0)
    pairs = compare_labels(labels, reference="nist", rng=0, n_resamples=2).pairs.set_index("second")
    table = found.table.set_index("judge")
    assert table.index.tolist() == ["b", "a", "c"]
    assert found.measure == "quadratic_kappa"
    for name in ("quadratic_kappa", "kappa", "same", "bias", "items", "topics"):
        np.testing.assert_allclose(table[name], pairs[name].reindex(table.index), atol=1e-12)
    for judge in table.index:
        two = labels.select(["nist", judge])
        alpha = krippendorff_alpha(coincidences(two, topics=two.topics).sum(axis=0), two.scale, level="interval")
        assert table["alpha"][judge] == pytest.approx(float(alpha), abs=1e-12)
        apart = (two.table["nist"] - two.table[judge]).abs()
        assert table["near"][judge] == (apart <= 1).mean()
    assert table["quadratic_kappa_rank"].tolist() == [1, 2, 3]


@given(arrays(np.int64, (2, 24), elements=st.integers(0, 3)), st.sampled_from([True, False]))
def test_what_a_topic_adds_is_the_slope_of_kappa(values, squared):
    """Taking a topic a little more than once changes kappa as its part says, and the parts sum to nothing."""
    labels = labels_of({"nist": values[0], "judge": values[1], "whole": np.arange(24) % 4}, n_topics=4)
    tables = contingency(labels, topics=labels.topics)[:, 0].transpose(0, 2, 1, 3)[:, 1:2]
    scale, name = np.arange(4.0), "quadratic_kappa" if squared else "kappa"
    if not np.isfinite(pooled(tables.sum(axis=0), scale, 0)[name]).all():
        return
    parts = _parts_of_topics(tables, np.abs(scale[:, None] - scale), squared=squared)[0] / len(tables)
    assert parts.sum() == pytest.approx(0, abs=1e-12)
    for topic, part in enumerate(parts):
        ends = []
        for step in (-1e-5, 1e-5):
            weights = np.ones((len(tables), 1, 1, 1))
            weights[topic] += step
            ends.append(pooled((weights * tables).sum(axis=0), scale, 0)[name].item())
        assert part == pytest.approx((ends[1] - ends[0]) / 2e-5, abs=1e-6)


def test_differences_spread_as_those_of_a_literal_bootstrap():
    """With one other judge, the interval is t times the spread of the difference of kappas over resampled topics."""
    labels = drawn({"a": 0.5, "b": 0.45}, n_topics=40, n_items=2000)
    row = rank_judges(labels, reference="nist", rng=0).table.iloc[1]
    generator = np.random.default_rng(1)
    counts = bootstrap_counts(bootstrap_indices(generator, 4000, 40), 40)
    tables = contingency(labels, topics=labels.topics)[:, 0].transpose(0, 2, 1, 3)[:, 1:]
    summed = (counts @ tables.reshape(40, -1)).reshape(4000, *tables.shape[1:])
    kappas = pooled(summed, np.arange(4.0), 0)["quadratic_kappa"]
    spread = (kappas[:, 0] - kappas[:, 1]).std(ddof=1) * np.sqrt(40 / 39)
    assert (row["difference_high"] - row["difference_low"]) / 2 == pytest.approx(2.0227 * spread, rel=0.04)


def test_intervals_are_those_of_a_literal_jackknife():
    """With one other judge: t times the jackknife's error, with degrees of freedom by the kurtosis of its values."""
    labels = drawn({"a": 0.2, "b": 0.6}, n_topics=8, n_items=96)
    table = labels.table.copy()
    table.loc[table.index.get_level_values("topic") == "3", "b"] = 3 - table["nist"]  # it makes most of the spread
    row = rank_judges(as_labels(table, scale=(0, 1, 2, 3)), reference="nist", rng=0).table.iloc[1]
    topics = table.index.get_level_values("topic")
    leads = []
    for left_out in topics.unique():
        human, *judges = table[topics != left_out].to_numpy().T
        apart = [((human[:, None] - own) ** 2).mean() for own in judges]  # as far as habits alone would be
        kappas = [1 - ((human - own) ** 2).mean() / far for own, far in zip(judges, apart, strict=True)]
        leads.append(kappas[1] - kappas[0])
    error = np.std(leads) * 8**0.5
    freedom = min(2 * 8 / (kurtosis(leads, fisher=False) - 1), 7)
    assert freedom < 6
    reach = t.isf(0.025, freedom) * error
    assert row["difference_high"] == pytest.approx(row["difference"] + reach)
    assert row["difference_low"] == pytest.approx(max(row["difference"] - reach, -2.0))


@given(arrays(np.int64, (2, 30), elements=st.integers(0, 3)))
def test_pooled_habits_cost_whoever_labels_higher_or_lower(values):
    """The expected disagreement of alpha lacks half of the squared difference of the means, as the notes say."""
    labels = labels_of({"nist": values[0], "judge": values[1]}, n_topics=3)
    if len(labels.scale) < 3 or (values == values[:, :1]).all():
        return
    row = rank_judges(labels, reference="nist", rng=0, n_resamples=2).table.iloc[0]
    own, pooled_habits = values.var(axis=1).sum() + row["bias"] ** 2, values.var(axis=1).sum() + row["bias"] ** 2 / 2
    n = values.size
    assert (1 - row["alpha"]) * n / (n - 1) * pooled_habits == pytest.approx((1 - row["quadratic_kappa"]) * own)
    assert (1 - row["alpha"]) * n / (n - 1) >= (1 - row["quadratic_kappa"]) - 1e-12


def test_judges_as_good_as_the_best_are_seldom_found_behind():
    """Of judges that are equally good in truth, one named beforehand is found behind in 5 % of the cases at most."""
    lost, names = dict.fromkeys((2, 8), 0), [f"j{place}" for place in range(8)]
    for seed in range(200):
        labels = drawn(dict.fromkeys(names, 0.5), n_topics=12, n_items=240, seed=seed)
        for n in lost:
            some = labels.select(["nist", *names[:n]])
            table = rank_judges(some, reference="nist", n_resamples=200, rng=seed).table
            lost[n] += bool(table.set_index("judge")["behind"]["j0"])
    assert lost[2] <= 11  # it is the worse of the two in half of the cases
    assert lost[8] <= 16


def test_more_judges_ask_for_more():
    """The interval of one and the same difference is wider among many judges, and Bonferroni's at most."""
    shares = {"best": 0.2, "next": 0.4}
    many = shares | {f"j{place}": 0.6 for place in range(20)}
    widths = []
    for some in (shares, many):
        labels = drawn(many).select(["nist", *some])
        row = rank_judges(labels, reference="nist", rng=0).table.set_index("judge").loc["next"]
        widths.append(row["difference_high"] - row["difference_low"])
    assert 1 < widths[1] / widths[0] < 3.4568 / 2.0930  # t with 19 degrees of freedom at 1 - .05/(2 * 21), and .975


def test_equal_judges_and_constant_ones():
    """Two that label alike differ by 0 without an interval; one that says the same of everything has kappa 0."""
    rng = np.random.default_rng(0)
    truth, noise = rng.integers(0, 3, 200), rng.integers(0, 3, 200)
    said = np.where(rng.random(200) < 0.3, noise, truth)
    labels = labels_of({"nist": truth, "one": said, "same": said, "zero": np.zeros(200)}, n_topics=10)
    table = rank_judges(labels, reference="nist", rng=0).table.set_index("judge")
    assert table.loc["same", "difference"] == 0
    assert table.loc["same", ["difference_low", "difference_high"]].isna().all()
    assert table["behind"].to_dict() == {"one": False, "same": False, "zero": True}
    assert table.loc["zero", ["quadratic_kappa", "kappa"]].tolist() == [0, 0]


def test_one_topic_tells_of_no_other():
    """With one topic, and for a judge with one topic, there is no interval, and nobody is behind."""
    labels = drawn({"a": 0.2, "b": 0.9}, n_topics=1)
    found = rank_judges(labels, reference="nist", rng=0)
    assert not found.compared
    assert found.open_to_best() == ("a", "b")
    assert found.table["difference_low"].isna().all()
    labels = drawn({"a": 0.2, "b": 0.9, "few": 0.99})
    table = labels.table.copy()
    table.loc[table.index.get_level_values("topic") != "3", "few"] = np.nan
    found = rank_judges(as_labels(table), reference="nist", rng=0).table.set_index("judge")
    assert found.loc["few", "topics"] == 1
    assert np.isnan(found.loc["few", "difference_low"])
    assert found["behind"].to_dict() == {"a": False, "b": True, "few": False}


def test_judges_of_other_topics_are_not_compared():
    """Two judges without a common topic have no difference, and a third is compared on the topics it shares."""
    labels = drawn({"a": 0.2, "b": 0.3, "c": 0.25})
    table = labels.table.copy()
    half = table.index.get_level_values("topic").astype(int) < 10
    table.loc[half, "a"] = np.nan
    table.loc[~half, "b"] = np.nan
    found = rank_judges(as_labels(table), reference="nist", rng=0)
    rows = found.table.set_index("judge")
    assert rows["shared"].to_dict() == {"a": 10, "c": 10, "b": 0}
    assert rows.loc["b", ["difference", "difference_low", "difference_high"]].isna().all()
    assert rows.loc["c", ["difference", "difference_low", "difference_high"]].notna().all()
    assert "b" not in found.open_to_best()
    assert not any(text.get_text() == "b" for text in found.plot().findobj(Text))


@pytest.mark.parametrize("n_topics", [6, 300])
def test_two_judges_are_compared_on_the_items_that_both_labelled(n_topics):
    """A judge of few easy items leads no other by what that one did on the hard ones."""
    labels = drawn({"few": 0.3, "whole": 0.3, "half": 0.5}, n_items=300, n_topics=n_topics)
    table = labels.table.copy()
    table.loc[table.index[60:], "few"] = np.nan
    table.loc[table.index[60:], "whole"] = 3 - table["nist"][60:]  # wrong wherever it is alone
    table.loc[table.index[30:180], "half"] = np.nan
    found = rank_judges(as_labels(table), reference="nist", rng=0)
    rows = found.table.set_index("judge")
    assert found.table["judge"][0] == "few"
    for judge in ("whole", "half"):
        both = table[["nist", "few", judge]].dropna()
        alone = rank_judges(as_labels(both), reference="nist", rng=0).table.set_index("judge")["quadratic_kappa"]
        assert rows.loc[judge, "difference"] == pytest.approx(alone[judge] - alone["few"])
        assert rows.loc[judge, "shared"] == both.index.get_level_values("topic").nunique()
    assert rows.loc["whole", "quadratic_kappa"] < 0
    assert not rows.loc["whole", "behind"]


def test_judges_with_the_same_items_are_compared_alike_beside_one_with_a_gap():
    """Sums of common items are those of all items where two judges lack none, by topic and on every resample."""
    whole = drawn({"a": 0.3, "b": 0.4, "c": 0.6}, n_items=120)
    table = whole.table.assign(d=whole.table["a"].where(np.arange(120) != 7))
    leads = []
    for labels in (whole, as_labels(table)):
        others = np.array(labels.judges) != "nist"
        items, topics = _items_of(labels, labels.judges.index("nist"), others)
        order = np.array([labels.judges.index(name) - 1 for name in "abc"])
        units, rng = _Units(items, topics, 20), np.random.default_rng(1)
        found = _leads(units, np.arange(4.0), "quadratic_kappa", 50, rng)(int(order[0]))
        parts = found.parts[order]
        leads.append([found.value[order], found.shared[order], found.sizes[order], np.sort(parts, axis=1)])
    for one, other in zip(*leads, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_a_single_judge_has_a_row_and_no_rival():
    """One judge is the best, and there is nothing to compare it with."""
    found = rank_judges(drawn({"a": 0.4}), reference="nist", rng=0)
    assert found.open_to_best() == ("a",)
    assert not found.compared
    assert found.table["difference"].tolist() == [0]


def test_judges_without_an_order_are_named():
    """A judge with nothing in common with the reference has none; if nobody has one, that is an error."""
    labels = drawn({"a": 0.2, "b": 0.9})
    table = labels.table.copy()
    table["elsewhere"] = np.where(table["nist"].notna(), np.nan, 0.0)
    table.loc[("0", "another"), :] = [np.nan, 1, 1, 1]
    found = rank_judges(as_labels(table), reference="nist", rng=0)
    assert found.undefined == ("elsewhere",)
    assert found.table["judge"].tolist() == ["a", "b"]
    with pytest.raises(ScoresError, match="no judge can be ordered by its agreement with 'nist'"):
        rank_judges(as_labels(table[["nist", "elsewhere"]]), reference="nist", rng=0)
    same = labels_of({"nist": np.zeros(8), "judge": np.zeros(8)}, n_topics=2)
    with pytest.raises(ScoresError, match="one and the same label"):
        rank_judges(same, reference="nist", rng=0)


def test_two_grades_are_compared_without_weights():
    """Where labels are yes or no, plain kappa leads and alpha takes labels as names."""
    labels = drawn({"a": 0.2, "b": 0.5}, n_grades=2)
    found = rank_judges(labels, reference="nist", rng=0)
    two = labels.select(["nist", "a"])
    alpha = krippendorff_alpha(coincidences(two, topics=two.topics).sum(axis=0), two.scale, level="nominal")
    assert found.measure == "kappa"
    assert found.table["alpha"][0] == pytest.approx(float(alpha), abs=1e-12)


def test_bad_options_stop():
    """The reference must be known, and options inside their rules."""
    labels = drawn({"a": 0.2})
    with pytest.raises(UnknownNameError, match="no judge 'zoe'"):
        rank_judges(labels, reference="zoe")
    with pytest.raises(InvalidOptionError, match="confidence_level"):
        rank_judges(labels, reference="nist", confidence_level=1.0)
    with pytest.raises(InvalidOptionError, match="n_resamples"):
        rank_judges(labels, reference="nist", n_resamples=1)


def test_the_picture_has_a_row_a_judge():
    """The plot shows how far every judge is behind."""
    found = rank_judges(drawn({"a": 0.2, "b": 0.5}), reference="nist", rng=0)
    assert {"a", "b", "quadratic kappa, less that of a"} <= {text.get_text() for text in found.plot().findobj(Text)}
    assert found.to_frame().equals(found.table)


def test_the_judges_of_dl23(data_folder):
    """Beside the one person of TREC DL 2023, GPT-4o of one team leads and seven judges are behind it."""
    frame = pd.read_csv(data_folder / "llmjudge-dl23" / "judgments.csv.gz", dtype={"qid": str, "pid": str})
    labels = as_labels(
        frame.set_index(["qid", "pid"]).rename_axis(["topic", "item"]), scale=(0, 1, 2, 3), outside="drop"
    )
    found = rank_judges(labels, reference="human", rng=0)
    assert (found.n_topics, len(found.table)) == (25, 33)
    assert found.table.loc[0, ["judge", "quadratic_kappa"]].tolist() == ["Olz-gpt4o", pytest.approx(0.5069, abs=1e-4)]
    assert found.table["behind"].sum() == pytest.approx(8, abs=2)
    assert found.table["behind"].tolist()[-3:] == [True] * 3


def test_no_two_kappas_are_further_apart_than_two():
    """Three topics, a judge who says what the reference says and one who says the reverse: ends from -2 to 2."""
    human = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0])
    labels = labels_of({"human": human, "j1": human, "j2": 1 - human}, n_topics=3)
    table = rank_judges(labels, reference="human", n_resamples=200, rng=0).table.set_index("judge")
    assert table.loc["j2", "difference"] < -1.5
    assert table.loc["j2", "difference_low"] == -2.0
    assert table["difference_high"].dropna().abs().max() <= 2.0


def test_higher_labels_have_an_interval():
    """Over items as SciPy's t interval of their differences has it, over topics as a literal linearised ratio."""
    rng = np.random.default_rng(2)
    person = rng.integers(0, 2, 60)
    judge = np.where(rng.random(60) < 0.3, 1, person)
    items = pd.DataFrame({"item": [f"d{at}" for at in range(60)], "person": person, "judge": judge})
    row = rank_judges(as_labels(items), reference="person", rng=0).table.iloc[0]
    apart = (judge - person).astype(float)
    half = t.ppf(0.975, 59) * apart.std(ddof=1) / np.sqrt(60)
    assert row[["bias", "bias_low", "bias_high"]].tolist() == pytest.approx(
        [apart.mean(), apart.mean() - half, apart.mean() + half]
    )
    topics = rng.integers(0, 9, 60)
    of_topics = rank_judges(as_labels(items.assign(topic=topics.astype(str))), reference="person", rng=0).table.iloc[0]
    rests = [(apart[topics == topic] - apart.mean()).sum() for topic in np.unique(topics)]
    n = len(rests)
    error = np.sqrt(sum(rest**2 for rest in rests) * n / (n - 1)) / 60
    assert of_topics["bias_high"] - of_topics["bias"] == pytest.approx(t.ppf(0.975, n - 1) * error)
