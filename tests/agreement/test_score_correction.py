"""Scores corrected for a judge's errors: printed values, literal formulas, a bootstrap of topics, laws, refusals."""

import math

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.stats import fisher_exact, norm
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests

from metaeval import as_scores, prediction_powered
from metaeval.agreement import as_labels, corrected_scores, corrected_share, divided_labels
from metaeval.agreement.score_correction import fieller
from metaeval.errors import ScoresError

PRINTED = [
    ((0.4, 0.7, 0.9, 1000, 200, 200), (0.16667, 0.05635, 0.26273)),
    ((0.8, 0.9, 0.85, 500, 30, 50), (0.93333, 0.82048, 1.0)),
    ((0.5, 0.6, 0.95, 2000, 100, 20), (0.18182, 0.02038, 0.34821)),
]
"""By the program of the paper (arXiv 2511.21140)."""


@pytest.mark.parametrize(("given_", "expected"), PRINTED)
def test_printed_values(given_, expected):
    """Estimate and interval are those of the paper to the printed digits."""
    assert [round(float(value), 5) for value in corrected_share(*given_[:3], sizes=given_[3:])] == list(expected)


def test_further_labels_are_divided_as_printed():
    """The paper's program gives 136 and 64 of 200 labels after a pilot of 10 of each kind."""
    assert divided_labels(200, judged=0.4, specificity=0.7, sensitivity=0.9, n_pilot=10) == (136, 64)
    assert sum(divided_labels(7, judged=0.31, specificity=0.8, sensitivity=0.8)) == 7
    assert divided_labels(100, judged=0.5, specificity=0.8, sensitivity=0.8) == (50, 50)  # nothing tells them apart


shares = st.integers(0, 20).map(lambda hits: hits / 20)


@given(shares, shares, shares)
def test_no_for_yes_mirrors_everything(judged, specificity, sensitivity):
    """Whoever counts no in place of yes gets one less the share, with the ends turned round."""
    given_ = corrected_share(judged, specificity, sensitivity, sizes=(300, 20, 40))
    mirrored = corrected_share(1 - judged, sensitivity, specificity, sizes=(300, 40, 20))
    expected = [1 - mirrored[0], 1 - mirrored[2], 1 - mirrored[1]]
    np.testing.assert_allclose(given_, expected, atol=1e-12)
    assert np.isnan(given_[0]) == (specificity + sensitivity <= 1 + 1e-12)


def drawn(seed=0, *, n_topics=60, labelled=25, per_topic=4, errors=(0.85, 0.8)):
    """Draw answers of two systems to topics of uneven ease; people labelled those of the first topics."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(n_topics), 2 * per_topic)
    system = np.tile(np.repeat(["a", "b"], per_topic), n_topics)
    yes = rng.random(len(topic)) < np.clip(0.5 + 0.15 * (system == "a") + rng.normal(0, 0.25, n_topics)[topic], 0, 1)
    judge = rng.random(len(topic)) < np.where(yes, errors[1], 1 - errors[0])
    items = [f"{name}{place}" for place, name in enumerate(system)]
    index = pd.MultiIndex.from_arrays([topic.astype(str), items], names=["topic", "item"])
    frame = pd.DataFrame({"people": np.where(topic < labelled, yes, np.nan), "judge": judge * 1.0}, index=index)
    return frame, dict(zip(items, system, strict=True))


def asked(frame, systems=None, **options):
    frame = frame.copy()
    frame.attrs["judges"] = [*frame.columns]
    return corrected_scores(as_labels(frame), reference="people", systems=systems, **options)


def counted(frame):
    """Count by a loop: yes of the judge alone, specificity and sensitivity."""
    alone, negative, positive = [], [], []
    for people, judge in frame[["people", "judge"]].to_numpy().tolist():
        (alone if math.isnan(people) else positive if people == 1 else negative).append(judge)
    return sum(alone) / len(alone), 1 - sum(negative) / len(negative), sum(positive) / len(positive)


def of_systems(frame, systems):
    names = frame.index.get_level_values("item").map(systems)
    return {name: frame[names == name] for name in ("a", "b")}


def test_estimates_are_counted_by_system_and_errors_over_all():
    """A loop over the items gives the same shares; those of independent items have the interval of the paper."""
    frame, systems = drawn()
    frame = frame.droplevel("topic")
    found = asked(frame, systems)
    _, specificity, sensitivity = counted(frame)
    n_no, n_yes = int((frame["people"] == 0).sum()), int((frame["people"] == 1).sum())
    judged = {}
    for row, (name, own) in zip(found.table.to_dict("records"), of_systems(frame, systems).items(), strict=True):
        judged[name], n = counted(own)[0], int(own["people"].isna().sum())
        share = (judged[name] + specificity - 1) / (specificity + sensitivity - 1)
        expected = corrected_share(judged[name], specificity, sensitivity, sizes=(n, n_no, n_yes))
        assert row["system"], row["n"] == (name, n)
        assert row["judged"], row["people"] == pytest.approx((judged[name], own["people"].mean()))
        assert row["corrected"] == pytest.approx(share)
        assert [row["corrected_low"], row["corrected_high"]] == pytest.approx([float(end) for end in expected[1:]])
    apart = (judged["a"] - judged["b"]) / (specificity + sensitivity - 1)
    assert found.differences["difference"].item() == pytest.approx(apart)
    assert not found.by_topic


def test_powered_scores_are_those_of_prediction_powered():
    """Of one system the powered score and its interval are those of its mean by `prediction_powered`."""
    frame = drawn()[0].droplevel("topic")
    frame = frame[[name.startswith("a") for name in frame.index]]
    row = asked(frame).table.iloc[0]
    tables = (pd.concat([frame[name].dropna().to_frame("s").T] * 2).set_axis(["s", "t"]) for name in frame)
    people, judge = (as_scores(table, metrics=[name]) for table, name in zip(tables, frame, strict=True))
    expected = prediction_powered(people, judge, of="means").data.isel(system=0)
    names = {"powered": "estimate", "powered_low": "low", "powered_high": "high", "people": "human_estimate"}
    for name, other in names.items():
        assert row[name] == pytest.approx(expected[other].item(), abs=1e-12)


def test_covariances_are_those_of_a_bootstrap_of_topics():
    """Intervals and the test rest on errors that resamples of whole topics have too, drawn and counted literally."""
    frame, systems = drawn(3, n_topics=200, labelled=100)
    found = asked(frame, systems)
    system = frame.index.get_level_values("item").map(systems)
    alone, no, yes = frame["people"].isna(), frame["people"] == 0, frame["people"] == 1
    first = system == "a"
    said = {
        **{f"n_{name}": (system == name) & alone for name in ("a", "b")},
        **{f"yes_{name}": ((system == name) & alone) * frame["judge"] for name in ("a", "b")},
        "no": no,
        "right_no": no * (1 - frame["judge"]),
        "yes": yes,
        "right_yes": yes * frame["judge"],
        "n": first & ~alone,
        "people": first & yes,
        "judge": first * frame["judge"].where(~alone, 0.0),
    }
    sums = pd.DataFrame(said, dtype=float).groupby(level="topic").sum()
    sums = sums.loc[[str(topic) for topic in range(200)]]
    rng = np.random.default_rng(1)
    # topics with labels of people and those without are drawn apart
    counts = np.hstack([rng.multinomial(100, np.full(100, 0.01), 4000) for _ in range(2)])
    rngsums = pd.DataFrame(counts @ sums.to_numpy(), columns=sums.columns)
    judged = {name: rngsums[f"yes_{name}"] / rngsums[f"n_{name}"] for name in ("a", "b")}
    q0, q1 = rngsums["right_no"] / rngsums["no"], rngsums["right_yes"] / rngsums["yes"]
    scores, differences = (judged["a"] + q0 - 1) / (q0 + q1 - 1), (judged["a"] - judged["b"]) / (q0 + q1 - 1)
    others = rngsums["people"] / rngsums["n"], rngsums["judge"] / rngsums["n"]
    apart = scores - (others[0] - _weight(frame[first]) * (others[1] - judged["a"]))
    row, pair = found.table.iloc[0], found.differences.iloc[0]
    reach = student.ppf(0.975, 99)
    assert (row["corrected_high"] - row["corrected_low"]) / 2 / reach == pytest.approx(np.std(scores), rel=0.08)
    assert (pair["high"] - pair["low"]) / 2 / reach == pytest.approx(np.std(differences), rel=0.08)
    statistic = -student.ppf(row["apart_p"] / 2, 99)
    assert abs(row["apart"]) / statistic == pytest.approx(np.std(apart), rel=0.08)
    assert found.by_topic


def _weight(own):
    """Return lambda by the formula of `prediction_powered`."""
    both, n, n_alone = own.dropna(), int(own["people"].notna().sum()), int(own["people"].isna().sum())
    covariance = np.cov(both["people"], both["judge"], ddof=0)[0, 1]
    return min(max(covariance / (1 + n / n_alone) / own["judge"].var(), 0.0), 1.0)


def test_a_difference_without_topics_is_two_shares_of_independent_items():
    """The p-value is that of two shares with z²/2 more yes and no each; 0 lies outside the interval where p < .05."""
    for seed in range(12):
        frame, systems = drawn(seed, n_topics=30, labelled=12)
        pair = asked(frame.droplevel("topic"), systems).differences.iloc[0]
        z2, parts = norm.ppf(0.975) ** 2, []
        for own in of_systems(frame, systems).values():
            alone = own.loc[own["people"].isna(), "judge"]
            share = (alone.sum() + z2 / 2) / (len(alone) + z2)
            plain = alone.mean() * (1 - alone.mean()) / len(alone)
            parts.append((share, max(share * (1 - share) / (len(alone) + z2), plain)))
        statistic = (parts[0][0] - parts[1][0]) / math.sqrt(parts[0][1] + parts[1][1])
        assert pair["p_value"] == pytest.approx(2 * norm.sf(abs(statistic)), rel=1e-9)
        assert (pair["low"] > 0 or pair["high"] < 0) == (pair["p_value"] < 0.05)


def test_fiellers_ends_solve_his_equation():
    """At a finite end (above - t below)² is reach² times its variance; without a bounded set an end is infinite."""
    moments = (np.array([0.01, 0.04]), np.array([0.002, 0.0]), 0.005)
    for end in fieller(np.array([0.3, -0.2]), 0.6, moments, 1.96):
        variance = moments[0] - 2 * end * moments[1] + end**2 * moments[2]
        np.testing.assert_allclose((np.array([0.3, -0.2]) - end * 0.6) ** 2, 1.96**2 * variance, rtol=1e-9)
    above = np.array([0.5, -0.5, 0.01])
    low, high = fieller(above, 0.1, (np.full(3, 0.01), np.zeros(3), 0.01), 1.96)
    assert np.isfinite(low).tolist() == [True, False, False]
    assert np.isfinite(high).tolist() == [False, True, False]


def test_shift_of_prevalence_is_told():
    """Where people labelled the hard items the corrected score holds the truth, the powered does not, and p says so."""
    rng = np.random.default_rng(5)
    yes = np.concatenate([rng.random(400) < 0.3, rng.random(4000) < 0.7])
    judge = rng.random(4400) < np.where(yes, 0.9, 0.15)
    frame = pd.DataFrame({"people": np.where(np.arange(4400) < 400, yes, np.nan), "judge": judge * 1.0})
    row = asked(frame).table.iloc[0]
    assert row["corrected_low"] < yes[400:].mean() < row["corrected_high"]
    assert row["powered_high"] < yes[400:].mean()
    assert row["apart_p"] < 0.001


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"people": [1, 0, 1, 0, 1, 0]}, "people labelled all of its items"),
        ({"people": [1, 1, 1, None, None, None]}, "people never said no of its items"),
        ({"people": [0, 0, 0, None, None, None]}, "people never said yes of its items"),
        ({"people": [None] * 6}, "people never said yes of its items"),
        ({"people": [1, 0, 1, None, None, None], "judge": [0, 1, 0, 1, 1, 0]}, "no better than chance"),
    ],
)
def test_what_cannot_be_corrected_says_why(change, why):
    """A judge without unlabelled items, errors seen on one kind alone, or no better than chance is named."""
    columns = {"people": [1, 0, 1, 0, None, None], "judge": [1, 0, 1, 0, 1, 0]} | change
    with pytest.raises(ScoresError, match=why):
        asked(pd.DataFrame(columns, dtype=float))
    good = {"people": [1, 0, 1, 0] + [None] * 2, "judge": [1, 0, 1, 0, 1, 0], "poor": [0, 1, 0, 1, 1, 0]}
    found = asked(pd.DataFrame(good, dtype=float))
    assert found.table["judge"].tolist() == ["judge"]
    assert "poor has no corrected score: specificity 0 and sensitivity 0 are no better than chance" in found.notes


def test_one_item_is_enough_and_an_unknown_system_is_not():
    """A single item that people did not label gives an interval of nearly everything; items need a system each."""
    frame = pd.DataFrame({"people": [1.0, 0.0, 1.0, np.nan], "judge": [1.0, 0.0, 1.0, 1.0]}, index=list("wxyz"))
    row = asked(frame).table.iloc[0]
    assert (row["n"], row["corrected"], row["corrected_high"]) == (1, 1.0, 1.0)
    assert np.isnan(row["powered"])
    assert row["corrected_low"] < 0.3
    with pytest.raises(ScoresError, match="does not say whose these items are: x, z"):
        asked(frame, {"w": "a", "y": "a"})


def test_order_of_items_means_nothing_and_the_answer_is_a_sentence():
    """Rows may stand in any order; systems come by name."""
    frame, systems = drawn(2)
    found, again = asked(frame, systems), asked(frame.sample(frac=1.0, random_state=1), systems)
    pd.testing.assert_frame_equal(found.table, again.table, atol=1e-12)
    assert found.table["system"].tolist() == ["a", "b"]
    assert found.answer.startswith("corrected for the errors of the judge, the share of yes is from 0.")
    assert found.plot().axes[0].get_xlabel() == "corrected score"


@pytest.mark.parametrize("among_labelled", [0.5, 0.7])
def test_the_answer_says_on_what_a_corrected_share_depends(among_labelled):
    """Where people labelled items of another mix the powered share is off, and the corrected one rests on the judge."""
    rng = np.random.default_rng(4)
    labelled = np.arange(2000) < 400
    truth = rng.random(2000) < np.where(labelled, among_labelled, 0.7)
    judge = np.where(truth, rng.random(2000) < 0.9, rng.random(2000) < 0.2)
    people = np.where(labelled, truth.astype(float), np.nan)
    found = corrected_scores(as_labels({"people": people, "judge": judge.astype(float)}), reference="people")
    shifted = among_labelled != 0.7
    told = "either the items that people labelled are no random sample, or the judge errs otherwise on the others"
    assert (told in found.answer) == shifted
    assert any(told in note for note in found.notes) == shifted


def of_three_systems(rng, specificity):
    """Draw 300 answers of each of three systems, by each one's specificity; people labelled a random third of them."""
    system = np.repeat(["a", "b", "c"], 300)
    truth = rng.random(900) < np.repeat([0.5, 0.6, 0.5], 300)
    judge = rng.random(900) < np.where(truth, 0.93, 1 - np.repeat(specificity, 300))
    people = np.where(np.tile(rng.permutation(300) < 100, 3), truth.astype(float), np.nan)
    items = [f"{name}{at}" for at, name in enumerate(system)]
    frame = pd.DataFrame({"people": people, "judge": judge.astype(float)}, index=items)
    return frame, dict(zip(items, system, strict=True)), truth


def test_a_judge_kind_to_one_system_is_named_and_a_random_sample_is_not_doubted():
    """What differs is the judge's specificity, by Fisher's exact test as SciPy has it; the powered score holds."""
    frame, systems, truth = of_three_systems(np.random.default_rng(101), (0.35, 0.95, 0.95))
    found = asked(frame, systems)
    row, system = found.table.set_index("system").loc["a"], frame.index.map(systems)
    expected = truth[(system == "a") & frame["people"].isna().to_numpy()].mean()
    assert row["corrected_low"] > expected
    assert row["powered_low"] < expected < row["powered_high"]
    of_no = frame["people"].to_numpy() == 0
    counts = pd.crosstab((system == "a")[of_no], frame["judge"].to_numpy()[of_no]).to_numpy()
    assert row["own_specificity"] == pytest.approx(counts[1, 0] / counts[1].sum())
    assert row["errors_p"] == pytest.approx(2 * fisher_exact(counts).pvalue)
    told = "judge's errors depend on the system (specificity and sensitivity on the items of a "
    assert any(note.startswith(told) for note in found.notes)
    assert not any("no random sample" in note for note in found.notes)
    assert "its errors depend on the system, so that the powered ones stand if people labelled a random" in found.answer


@pytest.mark.parametrize("by_question", [False, True])
def test_one_of_many_systems_is_seldom_said_to_differ(by_question):
    """Twelve systems under a judge who errs alike on all, people with a random part: p by Holm over all, at 5 %."""
    claims, n_sets = np.zeros(2), 40
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        question, system = np.divmod(np.arange(120 * 12), 12)
        truth = rng.random(len(system)) < np.clip(0.5 + rng.normal(0, 0.2, 120)[question], 0, 1)
        judge = np.where(rng.random(len(system)) < 0.85, truth, ~truth).astype(float)
        items = [f"{which}::{at}" for at, which in zip(question, system, strict=True)]
        index = pd.MultiIndex.from_arrays([question.astype(str), items], names=["topic", "item"])
        people = np.where(question < 40, truth.astype(float), np.nan)
        frame = pd.DataFrame({"people": people, "judge": judge}, index=index if by_question else items)
        found = asked(frame, {item: item.split("::")[0] for item in items})
        table = found.table
        for name in ("apart", "errors"):
            expected = multipletests(table[f"{name}_p"], method="holm")[1]
            np.testing.assert_allclose(table[f"{name}_corrected"], expected)
        claims += [len(found.names("apart_corrected")) > 0, len(found.names("errors_corrected")) > 0]
    assert (claims / n_sets <= 0.125).all()  # .05, and two standard errors


def test_a_column_of_systems_beside_the_items_is_what_scores_are_of(tmp_path, command):
    """A row an item: as a mapping says it, in memory, from a file and at the shell; notes on the labels are kept."""
    rng = np.random.default_rng(2)
    truth = rng.random(200) < np.where(np.arange(200) % 2, 0.8, 0.4)
    frame = pd.DataFrame(
        {
            "item": [f"i{at}" for at in range(200)],
            "system": np.where(np.arange(200) % 2, "good", "bad"),
            "person": np.where(np.arange(200) < 80, truth.astype(float), np.nan),
            "judge": np.where(rng.random(200) < 0.85, truth, ~truth).astype(float),
        }
    )
    frame.to_csv(tmp_path / "labels.csv", index=False)
    named = dict(zip(frame["item"], frame["system"], strict=True))
    expected = corrected_scores(as_labels(frame.drop(columns="system")), reference="person", systems=named).table
    found = corrected_scores(as_labels(frame), reference="person")
    assert found.table[["system", "corrected"]].equals(expected[["system", "corrected"]])
    assert "no column of topics: items are what is drawn for intervals" in found.notes
    told = command("judges", tmp_path / "labels.csv", "--reference", "person", "--json").json()["results"]
    corrected = {row["statistic"]: row["value"] for row in told if row["statistic"].startswith("corrected score, ")}
    assert sorted(corrected.values()) == pytest.approx(sorted(expected["corrected"]))
