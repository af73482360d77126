"""Agreement of judges: against statsmodels and published numbers, against laws, and against counting by hand."""

import math
from itertools import combinations

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from statsmodels.stats.inter_rater import cohens_kappa

import metaeval
from metaeval.agreement.label_agreement import STATISTICS, compare_labels
from metaeval.agreement.label_baselines import agreement_baselines
from metaeval.agreement.label_statistics import topics_by_content
from metaeval.agreement.labels import as_labels
from metaeval.agreement.score_correction import corrected_scores
from metaeval.errors import InvalidOptionError, ScoresError, UnknownArgumentError, UnknownNameError

NONE = np.nan
# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units.
PUBLISHED = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    "C": [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
}


def frame(columns, topics=None):
    """Make a wide table of labels; all items in one topic unless told."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays([topics or ["1"] * n, [f"d{i}" for i in range(n)]], names=["topic", "item"])
    return pd.DataFrame(columns, index=index, dtype=float)


def test_alpha_and_its_interval_stand_in_the_result():
    """The result holds alpha for the three levels of measurement, each inside its interval."""
    alpha = compare_labels(as_labels(frame(PUBLISHED, [str(i % 4) for i in range(12)])), rng=1).alpha
    assert alpha["level"].tolist() == ["nominal", "ordinal", "interval"]
    assert alpha["alpha"].round(3).tolist() == [0.743, 0.815, 0.849]
    assert (alpha["low"] < alpha["alpha"]).all()
    assert (alpha["alpha"] < alpha["high"]).all()


@pytest.mark.parametrize(
    ("name", "weights"), [("kappa", None), ("linear_kappa", "linear"), ("quadratic_kappa", "quadratic")]
)
def test_kappa_is_that_of_statsmodels(name, weights):
    """Cohen's kappa, plain and weighted, equals statsmodels' on random labels with gaps."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 4, 200).astype(float)
    second = np.where(rng.random(200) < 0.5, first, rng.integers(0, 4, 200))
    second[rng.random(200) < 0.1] = NONE
    labels = as_labels(frame({"a": first, "b": second}, [str(i % 9) for i in range(200)]))
    kept = np.isfinite(second)
    table = np.zeros((4, 4))
    np.add.at(table, (first[kept].astype(int), second[kept].astype(int)), 1)
    expected = cohens_kappa(table, weights=np.arange(4) if weights else None, wt=weights, return_results=False)
    assert compare_labels(labels, rng=0, n_resamples=2).pairs[name].item() == pytest.approx(expected, abs=1e-12)


labels_of_two = arrays(np.int64, (2, 24), elements=st.integers(0, 3))


@given(labels_of_two, st.integers(1, 3))
def test_ratios_are_those_counted_with_sets(values, rel):
    """Per topic and on average, every ratio equals one counted with sets of relevant items."""
    topics = [str(i // 8) for i in range(24)]
    labels = as_labels(frame({"a": values[0], "b": values[1]}, topics), scale=range(4))
    found = compare_labels(labels, rel=rel, n_resamples=2, rng=0).pairs.iloc[0]
    rows = []
    for topic in ("0", "1", "2"):
        own = [{i for i in range(24) if topics[i] == topic and part[i] >= rel} for part in values]
        both, union = own[0] & own[1], own[0] | own[1]
        alike = {i for i in both if values[0][i] == values[1][i]}
        rows.append(
            [
                len(top) / len(bottom) if bottom else NONE
                for top, bottom in ((both, union), (both, own[0]), (both, own[1]), (alike, union))
            ]
        )
    columns = np.array(rows).T
    expected = [np.nanmean(one) if np.isfinite(one).any() else NONE for one in columns]
    seen = [found[name] for name in ("overlap", "first_kept", "second_kept", "same_over_union")]
    np.testing.assert_allclose(seen, expected, rtol=1e-12)


@given(labels_of_two)
def test_swapping_the_judges_turns_what_has_a_direction_and_keeps_the_rest(values):
    """Agreement is symmetric; the bias changes its sign and the two kept shares change places."""
    topics = [str(i // 8) for i in range(24)]
    columns = {"a": values[0], "b": values[1]}
    one, two = (
        compare_labels(as_labels(frame(columns, topics)[list(names)], scale=range(4)), n_resamples=2, rng=0).pairs
        for names in ("ab", "ba")
    )
    for name in STATISTICS:
        other = {"first_kept": "second_kept", "second_kept": "first_kept"}.get(name, name)
        if name in {"sensitivity", "specificity"}:  # they hold the second against the first
            continue
        sign = -1 if name == "bias" else 1
        np.testing.assert_allclose(one[name], sign * two[other], atol=1e-12)


def test_without_topics_the_interval_is_that_of_items():
    """Kappa of Bonett's example (2021, volume 3, section 3.5) is .676, its error .0734, its interval .532 to .820."""
    cells = {("no", "no"): 31, ("no", "yes"): 12, ("yes", "no"): 4, ("yes", "yes"): 58}
    said = [pair for pair, times in cells.items() for _ in range(times)]
    labels = as_labels(pd.DataFrame(said, columns=["one", "two"]))
    pair = compare_labels(labels, n_resamples=4000, rng=0).pairs.iloc[0]
    assert pair[["kappa", "kappa_low", "kappa_high"]].tolist() == pytest.approx([0.676, 0.532, 0.820], abs=0.006)
    graded = as_labels(frame({name: labels.table[name].to_numpy() for name in labels.judges}))
    for name in ("overlap", "first_kept", "same", "specificity"):  # of one topic that holds all items
        assert pair[name] == compare_labels(graded, n_resamples=2, rng=0).pairs[name].item()


def test_shares_at_their_end_have_the_exact_interval():
    """No exception among 20 items: the lower end is the one of Clopper and Pearson, .025 to the power of 1/20."""
    labels = as_labels(pd.DataFrame({"one": [0, 1] * 10, "two": [0, 1] * 10}))
    pair = compare_labels(labels, rng=0).pairs.iloc[0]
    assert (pair["same_low"], pair["same_high"]) == pytest.approx((0.025 ** (1 / 20), 1.0))
    assert pair["sensitivity_low"] == pytest.approx(0.025 ** (1 / 10))
    assert pair["kappa_low"] == pytest.approx(1 - (1 - 0.025 ** (1 / 20)) / 0.5)


@given(arrays(np.int64, 24, elements=st.integers(0, 3)))
def test_a_judge_agrees_with_itself(values):
    """The same labels twice: everything is 1 where it is defined, the bias is 0, and the pair is named."""
    result = compare_labels(as_labels(frame({"a": values, "b": values}), scale=range(4)), rng=0)
    row = result.pairs.iloc[0]
    for name in STATISTICS:
        assert row[name] == (0 if name == "bias" else 1) or math.isnan(row[name])
    assert len(result.nearly_the_same()) == (len(set(values)) > 1)  # one label throughout tells nothing of a judge


def test_renaming_grades_in_order_keeps_nominal_and_ordinal_agreement():
    """A strictly rising change of labels moves only what measures distances."""
    table = frame(PUBLISHED)
    one = compare_labels(as_labels(table), rng=0)
    two = compare_labels(as_labels(table**2), rng=0)
    np.testing.assert_allclose(one.pairs["kappa"], two.pairs["kappa"])
    np.testing.assert_allclose(one.alpha["alpha"][:2], two.alpha["alpha"][:2])
    assert one.alpha["alpha"][2] != pytest.approx(two.alpha["alpha"][2])


def test_independent_labels_agree_no_more_than_by_chance():
    """Over many items kappa and alpha of labels drawn without regard to each other are near 0."""
    rng = np.random.default_rng(0)
    topics = [str(i % 40) for i in range(20_000)]
    table = frame({"a": rng.integers(0, 3, 20_000), "b": rng.integers(0, 3, 20_000)}, topics)
    result = compare_labels(as_labels(table), rng=0, n_resamples=50)
    assert abs(result.pairs["kappa"].item()) < 0.02
    assert result.alpha["alpha"].abs().max() < 0.02


def test_the_intervals_are_those_of_a_literal_bootstrap_of_topics():
    """Redrawing the rows of whole topics one resample at a time gives the same intervals."""
    rng = np.random.default_rng(5)
    topics = [str(i // 10) for i in range(60)]
    first = rng.integers(0, 3, 60)
    table = frame({"a": first, "b": np.where(rng.random(60) < 0.6, first, rng.integers(0, 3, 60))}, topics)
    labels = as_labels(table, scale=range(3))
    found = compare_labels(labels, rng=11, n_resamples=40).pairs.iloc[0]
    drawn = np.array(topics_by_content(labels))[np.random.default_rng(11).integers(0, 6, size=(40, 6))]
    values = []
    for picks in drawn:
        parts = [table.xs(str(pick), level="topic") for pick in picks]
        together = pd.concat(parts)
        contingency = pd.crosstab(together["a"], together["b"]).reindex(index=range(3), columns=range(3), fill_value=0)
        values.append(cohens_kappa(contingency.to_numpy(), return_results=False))
    half = 2.5705818366147395 * np.std(values, ddof=1) * math.sqrt(6 / 5)  # t quantile .975 with 5 degrees of freedom
    assert found["kappa_high"] - found["kappa"] == pytest.approx(min(half, 1 - found["kappa"]), rel=1e-9)
    assert found["kappa"] - found["kappa_low"] == pytest.approx(min(half, found["kappa"] + 1), rel=1e-9)


def test_a_reference_is_first_of_every_pair_and_the_matrix_is_square():
    """With a reference there is one row a judge; without one the matrix holds both directions."""
    labels = as_labels(frame(PUBLISHED))
    against = compare_labels(labels, reference="C", rng=0).pairs
    assert set(against["first"]) == {"C"}
    assert against["second"].tolist() == ["A", "B", "D"]
    square = compare_labels(labels, rng=0).matrix("bias")
    assert square.shape == (4, 4)
    assert np.isnan(np.diag(square)).all()
    assert square.loc["A", "D"] == pytest.approx(-square.loc["D", "A"])
    one, two = (compare_labels(labels.select(names), rel=2, rng=0) for names in ("AD", "DA"))
    for name in ("first_kept", "second_kept", "kappa"):
        assert one.matrix(name).loc["D", "A"] == pytest.approx(two.pairs[name].item())
        assert one.matrix(name).loc["A", "D"] == pytest.approx(one.pairs[name].item())
    assert one.pairs["first_kept"].item() != one.pairs["second_kept"].item()
    with pytest.raises(UnknownNameError, match="no judge 'Z'"):
        labels.select("AZ")


def test_bad_options_stop():
    """Options outside their rule are errors that say the rule."""
    labels = as_labels(frame(PUBLISHED))
    with pytest.raises(InvalidOptionError, match="`rel=9` is not on the scale"):
        compare_labels(labels, rel=9)
    with pytest.raises(UnknownNameError, match="no judge 'Z'"):
        compare_labels(labels, reference="Z")
    with pytest.raises(InvalidOptionError, match="confidence_level"):
        compare_labels(labels, confidence_level=1)
    with pytest.raises(InvalidOptionError, match="n_resamples"):
        compare_labels(labels, n_resamples=1)
    apart = frame({"a": [0, NONE], "b": [NONE, 1]})
    with pytest.raises(ScoresError, match="no two judges labelled a common item"):
        compare_labels(as_labels(apart))


def test_labels_without_a_1_are_relevant_above_the_lowest():
    """One rule for all: of labels 0 and 2, the 2; of 1 to 3, from 2 on, by counting those that both call relevant."""
    for low, high in ((0, 2), (1, 3)):
        labels = as_labels({"ann": [low, high, high, low], "ben": [low, high, low, low]})
        found = compare_labels(labels, reference="ann", rng=0).pairs.iloc[0]
        assert found["overlap"] == 0.5
        assert (found["sensitivity"], found["specificity"]) == (0.5, 1.0)
        assert labels.lowest_relevant() == high
        value = agreement_baselines(labels, reference="ann").set_index("statistic")["value"]
        assert value["overlap"] == 0.5
    people, judge = (
        [2] * 30 + [0] * 30 + [None] * 200,
        ([2] * 27 + [0] * 3 + [2] * 3 + [0] * 27) + [2] * 100 + [0] * 100,
    )
    corrected = corrected_scores(as_labels({"people": people, "judge": judge}), reference="people").table
    assert corrected[["specificity", "sensitivity"]].to_numpy().tolist() == [[0.9, 0.9]]


def test_labels_of_two_judges_in_arguments_of_other_libraries_are_told_where_they_go():
    """The call in the message, with the two arrays under any names, compares them: three labels in four are alike."""
    truth, said = [1, 0, 1, 1], [1, 0, 0, 1]
    with pytest.raises(
        UnknownArgumentError, match=r"no argument `y_true`; .* name of the judge.*: (compare_labels.*)$"
    ) as caught:
        metaeval.agreement.compare_labels(y_true=truth, y_pred=said)
    code = str(caught.value).rpartition(" is a name: ")[2]
    found = eval(code, {"compare_labels": metaeval.agreement.compare_labels, "first": truth, "second": said})  # noqa: S307 - as the error says
    assert found.pairs["same"].item() == 0.75


def test_topics_are_those_that_a_pair_shares():
    """One common item is enough for a row; none gives no row, and rows are numbered without gaps."""
    table = frame({"a": [0, 1, 1, 0], "b": [NONE, 1, 1, 1]}, list("1233"))
    topics = compare_labels(as_labels(table), rng=0, n_resamples=2).per_topic
    assert topics[["topic", "items", "overlap"]].to_numpy().tolist() == [["2", 1, 1.0], ["3", 2, 0.5]]
    assert topics.index.tolist() == [0, 1]


def test_one_topic_gives_no_interval():
    """With a single topic nothing is known about others: the interval is not a number, the value stands."""
    row = compare_labels(as_labels(frame(PUBLISHED)), rng=0).pairs.iloc[0]
    assert math.isfinite(row["kappa"])
    assert math.isnan(row["kappa_low"])


def test_topics_on_which_the_pair_has_no_statistic_do_not_make_it_surer():
    """A pair that shares one topic, or has relevant items on one, has no interval; others count their own topics."""
    rng = np.random.default_rng(2)
    topics = [str(i // 6) for i in range(60)]
    table = frame({name: rng.integers(0, 2, 60) for name in "abc"}, topics)
    table.loc[table.index.get_level_values("topic") > "0", "b"] = NONE
    rows = compare_labels(as_labels(table), rng=0).pairs.set_index(["first", "second"])
    assert rows["topics"].tolist() == [1, 10, 1]
    for name in STATISTICS:
        assert rows[f"{name}_low"].isna().tolist() == [True, False, True]
    one = frame({name: [0, 1, 0] + [0, 1, 1] * 4 for name in "ab"}, [str(i // 3) for i in range(15)])
    one.loc[one.index.get_level_values("topic") != "2", :] = [[0, 0], [1, 0], [0, 0]] * 4
    row = compare_labels(as_labels(one), rng=0).pairs.iloc[0]
    assert math.isfinite(row["second_kept"])
    assert math.isnan(row["second_kept_low"])
    assert math.isfinite(row["overlap_low"])


def test_chance_alone_makes_no_judge_twice():
    """Two judges who call nearly nothing relevant have equal labels nearly everywhere, and are not named."""
    rng = np.random.default_rng(0)
    table = frame({name: rng.random(2000) < 0.01 for name in "ab"}, [str(i % 20) for i in range(2000)])
    result = compare_labels(as_labels(table), rng=0, n_resamples=2)
    assert result.pairs["same"].item() > 0.95
    assert result.nearly_the_same().empty
    assert len(result.nearly_the_same(0.0)) == 0


def test_the_plot_is_a_square_of_pairs_or_a_row_a_judge():
    """Without a reference the fields are all pairs; with one there is a row for each other judge."""
    labels = as_labels(frame(PUBLISHED, [str(i % 4) for i in range(12)]))
    square = compare_labels(labels, rng=0).plot().axes
    assert [text.get_text() for text in square[0].get_yticklabels()] == list("ABCD")
    assert square[1].get_ylabel() == "kappa"
    axes = compare_labels(labels, reference="C", rng=0).plot("overlap").axes[0]
    assert sorted(text.get_text() for text in axes.texts) == ["A", "B", "D"]
    assert axes.get_xlabel() == "overlap with C"
    with pytest.raises(UnknownNameError):
        compare_labels(labels, rng=0).plot("tau")


def test_judges_of_dl23_repeat_each_other(data_folder):
    """The repeats of one prompt are found, and the three labels off the scale are reported."""
    table = pd.read_csv(data_folder / "llmjudge-dl23" / "judgments.csv.gz").set_index(["qid", "pid"])
    labels = as_labels(table, scale=range(4), outside="drop")
    assert labels.outside.groupby("judge")["label"].apply(sorted).to_dict() == {
        "RMITIR-llama70B": [5, 5],
        "h2oloo-zeroshot2": [10],
    }
    pairs = compare_labels(labels, reference="human", n_resamples=50, rng=0).nearly_the_same()
    found = {tuple(sorted(pair)) for pair in zip(pairs["first"], pairs["second"], strict=True)}
    repeats = [[f"NISTRetrieval-{name}{number}" for number in range(3)] for name in ("instruct", "reason")]
    assert found == {pair for names in repeats for pair in combinations(names, 2)} | {
        ("willia-umbrela2", "willia-umbrela3")
    }


def test_reviewers_of_core17_agree_as_stated(data_folder):
    """First labels of the three reviewers agree on 0.69, 0.70 and 0.60 of the documents (the data's own README)."""
    table = pd.read_csv(data_folder / "nyt-core17-assessors" / "reviewers.csv")
    grades = {"not_relevant": 0, "relevant": 1, "highly_relevant": 2}
    table["label"] = table["relevance"].map(grades)
    wide = table.pivot_table(index=["topic", "document_id"], columns="assessor", values="label")
    same = compare_labels(as_labels(wide), rng=0).pairs["same"]
    assert sorted(same.round(2)) == [0.60, 0.69, 0.70]


def test_sensitivity_and_specificity_hold_the_second_against_the_first():
    """Pooled over topics; a topic without relevant items says nothing of how sure the sensitivity is."""
    table = frame({"nist": [1, 1, 0, 0, 0, 1, 0, 0, 0], "judge": [1, 0, 0, 1, 0, 1, 0, 0, 0]}, list("111122233"))
    row = compare_labels(as_labels(table), reference="nist", rng=0).pairs.iloc[0]
    assert row["sensitivity"] == pytest.approx(2 / 3)
    assert row["specificity"] == pytest.approx(5 / 6)
    one = table.copy()
    one.iloc[5] = 0
    row = compare_labels(as_labels(one), reference="nist", rng=0).pairs.iloc[0]
    assert math.isnan(row["sensitivity_low"])
    assert math.isfinite(row["specificity_low"])
    matrix = compare_labels(as_labels(table), rng=0).matrix("sensitivity")
    assert matrix.loc["nist", "judge"] == pytest.approx(2 / 3)
    assert math.isnan(matrix.loc["judge", "nist"])


def test_two_judges_without_a_common_item_leave_the_others_alone():
    """Annotators who each labelled a part: a pair that shares nothing has no figures, and the rest has."""
    said = {
        "ann": {"1": 1, "2": 0, "3": 1},
        "ben": {"1": 1, "2": 1, "3": 1},
        "cyd": {"8": 0, "9": 1},
        "dan": {"8": 0, "9": 1},
    }
    pairs = compare_labels(as_labels(said), rng=0).pairs.set_index(["first", "second"])
    assert pairs.loc[("ann", "ben"), "same"] == pytest.approx(2 / 3)
    assert pairs.loc[("cyd", "dan"), "same"] == 1.0
    assert len(pairs) == 2


def test_free_text_is_no_label():
    """Six hundred different answers are refused by their number, and no table of their squares is made."""
    said = {name: {str(item): f"{name}{item}" for item in range(300)} for name in ("ann", "ben")}
    with pytest.raises(ScoresError, match="600 different things"):
        compare_labels(as_labels(said), rng=0)
