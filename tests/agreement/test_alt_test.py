"""The alternative annotator test: against the published lines, a literal version, and laws."""

import json
import math
import tarfile
from collections import defaultdict

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays
from scipy.stats import norm, ttest_1samp
from statsmodels.stats.multitest import multipletests

from metaeval import alt_test, read_annotations
from metaeval.agreement.labels import as_labels
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.tests_stat.correction import CORRECTIONS

FEW = {"fewest_items": 5, "epsilon": 0.2}


@pytest.fixture(scope="module")
def published(data_folder, tmp_path_factory):
    """Unpack the published labels of seven sets: the folder, parameters and expected lines."""
    source = data_folder / "alt-test"
    if not source.is_dir():
        pytest.skip(f"no published labels in {source}")
    folder = tmp_path_factory.mktemp("annotations")
    with tarfile.open(source / "annotations.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    parameters = json.loads((source / "parameters.json").read_text("utf-8"))
    return folder / "alt-test", parameters, pd.read_csv(source / "expected.csv").set_index(["dataset", "judge"])


def of_set(published, name):
    return [read_annotations(published[0] / name / f"{who}_annotations.json") for who in ("human", "llm")]


@pytest.mark.parametrize("name", ["wax", "lgbteen", "mtbench", "cebab_aspects", "10k_prompts", "cebab_stars"])
def test_the_published_lines(published, name):
    """Every line as printed: passed or failed, winning rate and advantage probability to two decimals."""
    expected = published[2].loc[name]
    found = alt_test(*of_set(published, name), **published[1][name]).to_frame().set_index("judge").loc[expected.index]
    verdict = np.where(found["passes"], "passed", "failed")
    assert verdict.tolist() == expected["verdict"].tolist()
    for column in ("winning_rate", "advantage_probability"):
        assert found[column].map("{:.2f}".format).tolist() == expected[column].map("{:.2f}".format).tolist()


def test_free_text_with_a_similarity_of_ones_own(published):
    """Labels that are never equal are compared by the words that they share; nothing is said of items without judge."""

    def shared_words(one, other):
        sets = [[set(text.casefold().split()) for text in part] for part in (one, other)]
        return [len(a & b) / max(len(a | b), 1) for a, b in zip(*sets, strict=True)]

    people, judges = of_set(published, "kilogram")
    result = alt_test(people, judges.iloc[:, :1], scoring=shared_words, epsilon=0.1)
    assert result.scoring == "shared_words"
    assert 0 < result.judges["advantage_probability"].item() < 1
    assert result.judges["people"].item() + len(result.left_out) == people.shape[1]


def literal(people, judge, *, epsilon, scoring, fewest_items, fewest_people=2, q=0.05):
    """One item at a time, with SciPy's t test and statsmodels' correction; labels are exact numbers."""
    said = defaultdict(dict)
    for person in people:
        for item, label in people[person].dropna().items():
            said[item][person] = label
    p_values, advantage = [], []
    for person in people:
        d, wins = [], []
        for item, own in said.items():
            if person not in own or len(own) < fewest_people or math.isnan(judge[item]):
                continue
            rest = [label for name, label in own.items() if name != person]
            if scoring == "accuracy":
                of_judge, of_person = (sum(x == y for y in rest) / len(rest) for x in (judge[item], own[person]))
            else:
                of_judge, of_person = (
                    -math.sqrt(sum((x - y) ** 2 for y in rest) / len(rest)) for x in (judge[item], own[person])
                )
            wins.append(of_judge >= of_person)
            d.append(int(of_person >= of_judge) - int(of_judge >= of_person))
        if len(d) < fewest_items:
            continue
        constant = len(set(d)) == 1
        p_values.append(float(d[0] >= epsilon) if constant else ttest_1samp(d, epsilon, alternative="less").pvalue)
        advantage.append(np.mean(wins))
    if not p_values:
        return None
    return np.mean(multipletests(p_values, q, "fdr_by")[0]), np.mean(advantage)


GAPPY = arrays(np.int64, (24, 5), elements=st.integers(-1, 3))


@given(GAPPY, st.sampled_from(["accuracy", "neg_rmse"]), st.sampled_from([0.0, 0.2]), st.integers(2, 3))
def test_equals_the_literal_version(values, scoring, epsilon, fewest_people):
    """Gaps, ties, people with few items, items with few people and items without the judge: all as item by item."""
    table = pd.DataFrame(np.where(values < 0, np.nan, values), columns=list("abcdj"))
    people, judge = table[list("abcd")], table["j"]
    options = {"epsilon": epsilon, "scoring": scoring, "fewest_items": 5, "fewest_people": fewest_people}
    expected = literal(people, judge, **options)
    if expected is None:
        with pytest.raises(ScoresError):
            alt_test(people, judge, **options)
        return
    found = alt_test(people, judge, **options).judges.iloc[0]
    assert (found["winning_rate"], found["advantage_probability"]) == pytest.approx(expected, abs=1e-12)


@given(GAPPY, st.sampled_from(["accuracy", "neg_rmse"]), st.floats(0.1, 1000))
def test_neither_the_unit_nor_the_order_matters(values, scoring, unit):
    """Labels in tenths, items and people in another order: the same verdict and figures."""
    table = pd.DataFrame(np.where(values < 0, np.nan, values), columns=list("abcdj")).fillna({"a": 0, "b": 1, "j": 2})
    one, two = (
        alt_test(part[names], part["j"], scoring=scoring, **FEW)
        for part, names in ((table, list("abcd")), (table[::-1] * unit / 10, list("dbca")))
    )
    pd.testing.assert_frame_equal(one.judges, two.judges)
    rows = [result.people.sort_values("person", ignore_index=True) for result in (one, two)]
    pd.testing.assert_frame_equal(*rows)


def test_ties_on_paper_are_ties():
    """Labels .3 and .1 are as far from .2 as each other; in binary only nearly."""
    n = 10
    people = pd.DataFrame({"ann": [0.3] * n, "ben": [0.2] * n})
    assert abs(0.3 - 0.2) != abs(0.1 - 0.2)
    row = alt_test(people, pd.Series([0.1] * n), scoring="neg_rmse", **FEW).people.set_index("person").loc["ann"]
    assert (row["judge_wins"], row["person_wins"], row["difference"]) == (1, 1, 0)


@pytest.mark.parametrize(("label", "epsilon", "rejected"), [(1, 0.0, False), (1, 0.1, True), (0, 0.9, False)])
def test_where_nothing_varies_the_mean_alone_decides(label, epsilon, rejected):
    """A judge equal to all (d = 0) is rejected above epsilon 0 only; one equal to none (d = 1) never."""
    people = pd.DataFrame({"ann": [1] * 8, "ben": [1] * 8})
    result = alt_test(people, pd.Series([label] * 8, name="rule"), fewest_items=5, epsilon=epsilon)
    assert result.people["rejected"].tolist() == [rejected] * 2
    assert result.judges["constant"].item()
    assert result.judges["passes"].item() == rejected
    sentence = f"{int(rejected)} of 1 judge may stand in for the people{': rule' if rejected else ''}"
    assert sentence in str(result)
    assert f"{sentence}:" not in str(result)
    assert result.smallest_epsilon()["rule"] == 1 - label


@given(
    arrays(np.int64, (30, 6), elements=st.integers(0, 2)),
    st.sampled_from(list(CORRECTIONS)),
    st.sampled_from([0.05, 0.3]),
)
def test_the_smallest_epsilon_is_where_the_verdict_turns(values, correction, q):
    """Just above it the judge passes, just below it fails, whatever the correction."""
    table = pd.DataFrame(values, columns=list("abcdej"))
    options = {"fewest_items": 5, "q": q, "correction": correction}
    turn = alt_test(table[list("abcde")], table["j"], **options).smallest_epsilon().item()
    for epsilon, passes in ((turn + 1e-9, True), (turn - 1e-9, False)):
        if 0 <= epsilon < 1:
            assert (
                alt_test(table[list("abcde")], table["j"], epsilon=epsilon, **options).judges["passes"].item() == passes
            )


def test_several_judges_are_each_tested_alone():
    """Other judges change nothing, and what a judge did not label is counted for it."""
    rng = np.random.default_rng(1)
    people = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=list("abc"))
    judges = pd.DataFrame(rng.integers(0, 3, (60, 2)).astype(float), columns=["x", "y"])
    judges.loc[:9, "y"] = np.nan
    both = alt_test(people, judges)
    assert both.judges["items_lacking"].tolist() == [0, 10]
    assert both.judges["items"].tolist() == [60, 50]
    for name in judges:
        alone = alt_test(people, judges[name])
        expected = both.judges[both.judges["judge"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(alone.judges, expected)
    axes = both.plot("advantage_probability").axes[0]
    assert sorted(text.get_text() for text in axes.texts) == ["x", "y"]
    with pytest.raises(UnknownNameError):
        both.plot("kappa")


def test_every_form_of_the_same_labels():
    """Frames, mappings and Labels, text and numbers: one answer."""
    rng = np.random.default_rng(2)
    index = pd.MultiIndex.from_product([["1", "2"], [f"d{place}" for place in range(20)]], names=["topic", "item"])
    table = pd.DataFrame(rng.integers(0, 2, (40, 3)), index=index, columns=["ann", "ben", "model"])
    people, judge = table[["ann", "ben"]], table[["model"]]
    forms = [
        alt_test(people, judge),
        alt_test(as_labels(table).select(["ann", "ben"]), judge),
        alt_test(people.map({0: "no", 1: "yes"}.get), judge.map({0: "no", 1: "yes"}.get)),
        alt_test({name: people[name].to_dict() for name in people}, {"model": judge["model"].to_dict()}),
    ]
    for other in forms[1:]:
        pd.testing.assert_frame_equal(forms[0].people, other.people)


PEOPLE = pd.DataFrame({"ann": [1, 2] * 20, "ben": [1, 1] * 20})
JUDGE = pd.Series([1, 2] * 20, name="model")


@pytest.mark.parametrize(
    ("people", "judges", "options", "words"),
    [
        (PEOPLE[["ann"]], JUDGE, {}, "two people or more, not of 1"),
        (PEOPLE, PEOPLE[[]], {}, "no judge"),
        (PEOPLE.iloc[:20], JUDGE, {}, r"nobody has 30 items .* 'model' .*ann 20, ben 20.*fewest_items=20"),
        (PEOPLE, JUDGE.iloc[:25], {}, r"ann 25, ben 25, and 'model' lacks 15 items"),
        (PEOPLE, JUDGE.rename(lambda one: f"d{one}"), {}, "name items alike"),
        (PEOPLE, JUDGE.map(str), {}, r"some labels are text and some are numbers.*ann: numbers.*model: text"),
        (PEOPLE.map(str), JUDGE.map(str), {"scoring": "neg_rmse"}, "these are text"),
        (PEOPLE * np.inf, JUDGE, {}, "finite"),
        (PEOPLE.map(lambda one: [one]), JUDGE, {}, "text or a number, not list"),
        (PEOPLE.set_axis([0] * 40), JUDGE, {}, "item '0' appears twice"),
        (PEOPLE.set_axis(["ann", "ann"], axis=1), JUDGE, {}, "name 'ann' appears twice"),
        (PEOPLE, pd.concat({"1": JUDGE}), {}, "name them alike"),
        (PEOPLE.to_numpy(), JUDGE, {}, "not ndarray"),
        (PEOPLE.astype(object).where(PEOPLE != 1, 10**400), JUDGE, {}, "float can hold"),
    ],
)
def test_refusals(people, judges, options, words):
    """Labels that cannot be tested are refused by what is wrong with them."""
    with pytest.raises(ScoresError, match=words):
        alt_test(people, judges, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epsilon": -0.1}, "epsilon"),
        ({"epsilon": 1}, "epsilon"),
        ({"q": 0}, "q"),
        ({"fewest_items": 1}, "fewest_items"),
        ({"fewest_people": 1}, "fewest_people"),
        ({"scoring": "kappa"}, "no scoring 'kappa'"),
        ({"correction": "tukey"}, "correction"),
        ({"correction": "family-wise"}, "correction"),
        ({"scoring": lambda one, other: one[:3] == other[:3]}, "shape"),
        ({"scoring": lambda one, _: np.full(len(one), np.nan)}, "finite"),
        ({"scoring": lambda *_: "x"}, "number for every pair"),
    ],
)
def test_options_outside_their_rule(options, words):
    """Every option names its rule."""
    with pytest.raises((InvalidOptionError, UnknownNameError), match=words):
        alt_test(PEOPLE, JUDGE, **options)


def beside_people(n_worse, n_better, n=40):
    """Return two people who agree on all but one item, and a judge that errs on some and is right alone on others.

    Against either person the judge loses the items where it errs, and wins none, as the other agrees with the person.
    """
    people = pd.DataFrame({"ann": [1] * n, "ben": [1] * n})
    judge = pd.Series([0] * n_worse + [1] * (n - n_worse - n_better) + [1] * n_better, name="model")
    return people, judge


@pytest.mark.parametrize(("n_worse", "verdict"), [(2, "may"), (8, "not settled"), (20, "may not")])
def test_a_failed_test_is_no_proof_of_the_opposite(n_worse, verdict):
    """By scipy's t test of ε = 0.2, both ways: 2 of 40 lost are fewer, 8 of 40 neither, and 20 of 40 more."""
    people, judge = beside_people(n_worse, 0)
    found = alt_test(people, judge)
    row = found.judges.iloc[0]
    d = np.repeat([1.0, 0.0], [n_worse, 40 - n_worse])
    # Benjamini and Yekutieli's correction of two equal p-values: each times 1 + 1/2
    below, above = (1.5 * ttest_1samp(d, 0.2, alternative=side).pvalue for side in ("less", "greater"))
    assert (below <= 0.05, above <= 0.05) == (verdict == "may", verdict == "may not")
    assert (row["verdict"], row["passes"]) == (verdict, verdict == "may")


def test_items_needed_are_those_of_the_normal_formula():
    """By hand: 5 of 40 lost, ε 0.2: ((z of level + z of power) s / (0.2 - 0.125))², s with 39 in its denominator.

    One of two people is enough, at the level of the smallest p-value of two: 0.05 / 2 / (1 + 1/2).
    """
    people, judge = beside_people(5, 0)
    found = alt_test(people, judge, epsilon=0.2)
    spread = np.std(np.repeat([1.0, 0.0], [5, 35]), ddof=1)
    reach = norm.ppf(1 - 0.05 / 2 / 1.5) + norm.ppf(0.8)
    assert found.judges["verdict"].item() == "not settled"
    assert found.judges["items_needed"].item() == np.ceil((reach * spread / 0.075) ** 2)
    assert np.isnan(alt_test(*beside_people(8, 0)).judges["items_needed"].item())  # none, if it loses as many as ε


def test_a_judge_is_not_compared_with_labels_of_its_own():
    """A judge that is among the people is refused; without it the people alone are compared."""
    everybody = PEOPLE.assign(model=JUDGE)
    with pytest.raises(ScoresError, match="'model' is among the people and among the judges"):
        alt_test(everybody, everybody[["model"]])
    assert alt_test(PEOPLE, everybody[["model"]]).people["person"].tolist() == PEOPLE.columns.tolist()


@pytest.mark.parametrize("columns", [["item"], ["topic", "item"]])
def test_columns_of_items_are_no_annotators(columns):
    """Items named in columns, as in frames of Polars, are read as those of an index."""
    names = {"topic": "t1", "item": [f"d{n:03}" for n in range(len(PEOPLE))]}
    people = PEOPLE.reset_index(drop=True).assign(**{name: names[name] for name in columns})
    judge = JUDGE.to_frame("model").reset_index(drop=True).assign(**{name: names[name] for name in columns})
    right = alt_test(people.set_index(columns), judge.set_index(columns)).to_frame()
    pd.testing.assert_frame_equal(alt_test(people, judge).to_frame(), right)
    polars = pytest.importorskip("polars")
    found = alt_test(polars.from_pandas(people), polars.from_pandas(judge)).to_frame()
    pd.testing.assert_frame_equal(found, right)
