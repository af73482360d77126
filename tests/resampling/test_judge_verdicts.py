"""The rules of verdicts at their borders, and by laws: no better verdict for less agreement or more contradictions."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm

from metaeval.agreement.judge_measures import MEASURES
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.resampling.judge_verdicts import JudgeVerdict, judge_verdicts, other_metrics, ranking_verdict
from metaeval.table.scores import as_scores

ORDER = {"may not": 0, "not settled": 1, "may": 2}
JUDGE = {"f1": 0.8, "low": -0.04, "high": 0.02, "conflicts": 0, "against": (0.0, 0.0)}


def concluded(judges, *, people=True, people_conflicts=0.0, n_reference=10, spread=0.01):
    """Make conclusions of judges whose F1, intervals of the differences from people and conflicts are given."""
    rows = [(name, "judge", one["f1"], one["conflicts"]) for name, one in judges.items()]
    rows += [("people", "people", 0.82, people_conflicts)] * people
    table = pd.DataFrame(rows, columns=["judge", "kind", "f1", "n_conflicts"])
    table = table.assign(
        f1_low=table["f1"] - 0.1, f1_high=table["f1"] + 0.1, n_topics=40, n_reference=n_reference, reference_set=1
    )
    against = [one["against"] for one in judges.values()] + [(0.0, 0.0)] * people
    low, high = np.array(against).T
    table = table.assign(contradicted=(low + high) / 2, contradicted_low=low, contradicted_high=high)
    rows = []
    for name, one in judges.items():
        ends = dict.fromkeys(MEASURES, (0.4, 0.6)) | {"f1": (one["low"], one["high"]), "contradicted": one["against"]}
        rows += [(name, measure, (low + high) / 2, low, high, spread) for measure, (low, high) in ends.items()]
    beside = pd.DataFrame(rows, columns=["judge", "measure", "difference", "low", "high", "spread"])
    return JudgeConclusions(
        table=table,
        choices=pd.DataFrame(),
        beside_people=beside if people else beside.iloc[:0],
        conflicts=pd.DataFrame(),
        same_number=pd.DataFrame(),
        reference="nist",
        n_pairs=100,
        test="t",
        correction="fdr_by",
        alpha=0.05,
        confidence_level=0.95,
        top=10,
        n_topics=40,
        n_resamples=100,
        random_source="seed 0",
    )


def favoured(rows, *, adjusted=True, bend_p=0.5):
    """Make favoured groups of rows (judge, group, figure, adjusted, p)."""
    table = pd.DataFrame(rows, columns=["judge", "group", "figure", "adjusted", "p_corrected"]).assign(bend_p=bend_p)
    for name in ("figure", "adjusted"):
        prefix = "adjusted_" if name == "adjusted" else ""
        table[f"{prefix}low_both"], table[f"{prefix}high_both"] = table[name] - 0.01, table[name] + 0.01
    table = table.assign(beyond_people=np.nan, beyond_low=np.nan, beyond_high=np.nan)
    return SimpleNamespace(table=table, adjusted=adjusted)


def verdicts(conclusions=None, *, groups=None, alt=None, margin=0.05, alpha=0.05):
    """Return the verdicts, of two metrics where there are runs."""
    both = {} if conclusions is None else {"nDCG@10": conclusions, "AP": concluded({"other": JUDGE})}
    labels = None if alt is None else SimpleNamespace(judges=pd.DataFrame(alt))
    return judge_verdicts(both, {} if groups is None else {"nDCG@10": groups}, labels, margin=margin, alpha=alpha)


def word(low, high, *, margin=0.05, against=(0.0, 0.0), people=True):
    one = JUDGE | {"low": low, "high": high, "against": against}
    return ranking_verdict(concluded({"model": one}, people=people), "model", margin).ranking


@pytest.mark.parametrize(
    ("low", "high", "margin", "expected"),
    [
        (-0.049, 0.02, 0.05, "may"),
        (-0.05, 0.02, 0.05, "not settled"),  # short by less than the margin, not by as much
        (-0.051, 0.02, 0.05, "not settled"),
        (-0.2, -0.05, 0.05, "not settled"),  # all of it short by more, not by as much
        (-0.2, -0.051, 0.05, "may not"),
        (-0.049, -0.01, 0.05, "may"),  # worse than people beyond doubt, and by less than the margin
        (-0.3, 0.3, 0.05, "not settled"),
        (0.001, 0.3, 0.0, "may"),
        (0.0, 0.3, 0.0, "not settled"),
        (-0.3, 0.0, 0.0, "not settled"),
        (-0.3, -0.001, 0.0, "may not"),
        (0.0, 0.0, 0.05, "may"),
        (-1.0, 1.0, 1.0, "not settled"),
        (np.nan, np.nan, 0.05, "not settled"),  # few topics give no interval
    ],
)
def test_the_interval_of_the_difference_decides(low, high, margin, expected):
    """All of it above minus the margin: may; all of it below: may not; else these topics do not settle it."""
    assert word(low, high, margin=margin) == expected


@pytest.mark.parametrize(("n_pairs", "expected"), [(1, "not settled"), (5, "not settled"), (6, "may not")])
def test_nobody_is_turned_away_on_pairs_that_no_exact_test_could_tell(n_pairs, expected):
    """All of five pairs against a judge has the chance 1/16 if every pair could fall either way, all of six 1/32."""
    for judge in (JUDGE | {"low": -0.9, "high": -0.3}, JUDGE | {"against": (0.3, 0.9)}):
        found = concluded({"model": judge}, n_reference=n_pairs)
        assert ranking_verdict(found, "model", 0.05).ranking == expected


@pytest.mark.parametrize(
    ("low", "high", "margin", "expected"),
    [
        (0.0, 0.0, 0.05, "may"),
        (-0.02, 0.04, 0.05, "may"),
        (-0.02, 0.05, 0.05, "may"),  # no more than the margin
        (0.01, 0.051, 0.05, "not settled"),  # more than people beyond doubt, and perhaps within the margin
        (0.05, 0.2, 0.05, "not settled"),
        (0.051, 0.2, 0.05, "may not"),
        (0.0, 0.0, 0.0, "may"),
        (0.0, 0.001, 0.0, "not settled"),
        (0.001, 0.002, 0.0, "may not"),
        (np.nan, np.nan, 0.05, "not settled"),  # not known at all
    ],
)
def test_contradictions_decide_by_their_interval(low, high, margin, expected):
    """With an F1 that is surely good enough: all of the interval within the margin, all beyond it, or not settled."""
    assert word(0.01, 0.02, margin=margin, against=(low, high)) == expected


def test_a_bare_count_of_contradictions_decides_nothing():
    """Ten pairs the other way round where people have none: what decides is how sure that is."""
    one = JUDGE | {"conflicts": 10, "against": (-0.01, 0.06)}
    verdict = ranking_verdict(concluded({"model": one}), "model", 0.05)
    assert (verdict.ranking, verdict.n_conflicts, verdict.people_conflicts) == ("not settled", 10, 0.0)


ends = st.floats(-1.0, 1.0).map(lambda one: round(one, 3))


@given(ends, ends, st.floats(0.0, 0.5), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_verdict_never_gets_better_when_the_interval_moves_down(one, other, down_low, down_high, margin):
    """Both ends lowered, each by any amount, leave the verdict where it is or make it worse."""
    low, high = sorted((one, other))
    lower = (low - max(down_low, down_high), high - min(down_low, down_high))
    assume(lower[0] <= lower[1])
    assert ORDER[word(*lower, margin=margin)] <= ORDER[word(low, high, margin=margin)]


@given(ends, ends, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_verdict_never_gets_worse_with_a_wider_margin(one, other, first, second):
    """Who may lose more may not do worse."""
    low, high = sorted((one, other))
    narrow, wide = sorted((first, second))
    assert ORDER[word(low, high, margin=narrow)] <= ORDER[word(low, high, margin=wide)]


@given(st.tuples(ends, ends), st.tuples(ends, ends), st.tuples(st.floats(0.0, 0.5), st.floats(0.0, 0.5)))
def test_a_verdict_never_gets_better_with_more_contradictions(own, against, up):
    """Both ends of what contradictions take from F1 raised leave the verdict where it is or make it worse."""
    low, high = sorted(own)
    fewer = sorted(against)
    more = fewer[0] + min(up), fewer[1] + max(up)
    assert ORDER[word(low, high, against=more)] <= ORDER[word(low, high, against=fewer)]


@given(ends, ends, st.floats(0.0, 1.0))
def test_a_decided_verdict_stays_when_the_interval_shrinks(one, other, share):
    """An interval inside another decides as it does, or more."""
    low, high = sorted((one, other))
    inner = sorted((low + share * (high - low) / 2, high - share * (high - low) / 2))
    if (before := word(low, high)) != "not settled":
        assert word(*inner) == before


def alone(f1, against=(0.0, 0.0)):
    found = concluded({"model": JUDGE | {"f1": f1, "against": against, "conflicts": 9}}, people=False)
    return ranking_verdict(found, "model", 0.05)


def test_without_people_it_is_said_beside_whom_a_judge_would_do():
    """Its F1 is .8 [.7, .9]: it may beside a person of less than .75, and may not beside one of more than .95."""
    verdict = alone(0.8)
    assert verdict.ranking == "no second person"
    assert (verdict.f1, verdict.n_conflicts) == (0.8, 9)
    assert [verdict.cleared_up_to, verdict.short_from] == pytest.approx([0.75, 0.95])
    assert np.isnan(verdict.people_f1)
    assert np.isnan(alone(0.9).short_from)  # nobody's F1 is above 1
    assert np.isnan(alone(0.8, (0.0, 0.06)).cleared_up_to)  # contradictions may be too many beside anybody


def test_without_people_a_judge_within_the_margin_of_one_may_whoever_they_are():
    """An F1 surely above .95 is within .05 of everybody's, unless contradictions may take more than that."""
    assert alone(1.06).ranking == "may"
    assert alone(1.04).ranking == "no second person"
    assert alone(1.06, (0.0, 0.06)).ranking == "no second person"


@given(st.floats(0.3, 0.9), st.floats(0.0, 1.0))
def test_what_is_said_without_people_is_what_would_be_said_beside_them(f1, people):
    """Beside a person whose F1 is known the same ends decide: below one border "may", above the other "may not"."""
    assume(min(abs(people - border) for border in (f1 - 0.05, f1 + 0.15)) > 1e-9)
    verdict = alone(f1)
    beside = word(f1 - 0.1 - people, f1 + 0.1 - people)
    assert (people < verdict.cleared_up_to) == (beside == "may")
    assert (people > verdict.short_from) == (beside == "may not")


def test_every_verdict_has_its_power():
    """With half a width h and a spread s an equal judge is cleared with probability Phi((margin - h) / s)."""
    found = concluded({"model": JUDGE | {"low": -0.08, "high": 0.04}}, spread=0.03)
    verdict = ranking_verdict(found, "model", 0.05)
    expected = norm.cdf((0.05 - 0.06) / 0.03)
    assert verdict.found_out == pytest.approx(expected)
    assert verdict.cleared_if_equal == pytest.approx(expected * norm.cdf(0.05 / 0.03))
    sure = ranking_verdict(concluded({"model": JUDGE}, spread=0.0), "model", 0.05)
    assert (sure.cleared_if_equal, sure.found_out) == (1.0, 1.0)
    few = ranking_verdict(concluded({"model": JUDGE | {"low": np.nan, "high": np.nan}}), "model", 0.05)
    assert np.isnan(few.cleared_if_equal)


def test_other_metrics_speak_against_a_verdict():
    """More pairs the other way round, or the verdict turned; agreeing with it, or settling it, is not against it."""
    first = concluded({"model": JUDGE, "good": JUDGE, "open": JUDGE | {"low": -0.2}})
    others = {
        "conflicts": concluded({"model": JUDGE | {"conflicts": 28}, "good": JUDGE, "open": JUDGE}),
        "turned": concluded({"model": JUDGE, "good": JUDGE | {"low": -0.4, "high": -0.2}, "open": JUDGE}),
        "elsewhere": concluded({"other": JUDGE}),
    }
    conclusions = {"nDCG@10": first} | others
    frame = judge_verdicts(conclusions, {}, None, margin=0.05, alpha=0.05).set_index("judge")
    assert frame["otherwise"].to_dict() == {"model": "conflicts", "good": "turned", "open": ""}
    (found,) = other_metrics(conclusions, "model", 0.05)
    assert (found[0], found[1].n_conflicts) == ("conflicts", 28)


def judged(generator, *, uneven, n_systems=16, n_topics=30):
    """Draw scores under a reference, two people and a judge, all of whom are uneven by the same law."""
    cells = (n_systems, n_topics)
    truth = generator.normal(0.5, 0.08, (n_systems, 1)) + generator.normal(0, 0.12, cells)
    seen = [truth + generator.normal(0, 0.06, cells) + generator.normal(0, uneven, (n_systems, 1)) for _ in range(4)]
    return as_scores(np.stack(seen), metrics=["nist", "ann", "ben", "judge"])


def test_a_judge_of_the_peoples_own_law_is_seldom_turned_away():
    """A judge who errs as people do lies within the margin: "may not" in a twentieth of samples, by count in a third.

    In 30 samples, at a true share of .05, 5 or fewer are seen with probability .997.
    """
    generator, turned_away, by_count = np.random.default_rng(9), 0, 0
    for number in range(30):
        scores = judged(generator, uneven=0.08)
        found = judge_conclusions(
            scores, reference="nist", people=["ann", "ben"], n_resamples=40, n_rounds=1, rng=number
        )
        verdict = ranking_verdict(found, "judge", 0.05)
        turned_away += verdict.ranking == "may not"
        by_count += verdict.n_conflicts > np.ceil(verdict.people_conflicts)
    assert turned_away <= 5
    assert by_count >= 8


@pytest.mark.parametrize(("noise", "n_topics", "expected"), [(0.001, 100, "may"), (0.1, 8, "not settled")])
def test_what_holds_beside_anybody_holds_beside_the_people_named(noise, n_topics, expected):
    """Where a judge may whoever a second person is, naming some, however far off, takes nothing of it back.

    It may only on so many significant pairs that their number shows the margin: 72 without an error, for 0.05.
    """
    generator = np.random.default_rng(3)
    table = judged(generator, uneven=0.08, n_topics=n_topics).to_numpy()
    near = table[0] + noise * generator.normal(0, 1, table[0].shape)
    scores = as_scores(np.stack([near, *table[:3]]), metrics=["judge", "nist", "ann", "ben"])
    alone, beside = (
        ranking_verdict(
            judge_conclusions(
                scores.sel(metric=["judge", "nist", *people]),
                reference="nist",
                people=people,
                n_resamples=100,
                n_rounds=1,
                rng=0,
            ),
            "judge",
            0.05,
        )
        for people in ([], ["ann", "ben"])
    )
    assert beside.ranking == expected
    assert (alone.ranking == "may") == (expected == "may")
    assert beside.difference_low >= beside.f1_low - 1


TWO_SYSTEMS = {
    "human": [[0.753, 0.735, 0.802, 0.833, 0.782, 0.852], [0.259, 0.184, 0.127, 0.181, 0.212, 0.179]],
    "j1": [[0.792, 0.763, 0.734, 0.811, 0.802, 0.864], [0.269, 0.181, 0.090, 0.179, 0.187, 0.123]],
    "p1": [[0.799, 0.742, 0.799, 0.790, 0.842, 0.844], [0.252, 0.167, 0.160, 0.202, 0.236, 0.149]],
}


@pytest.mark.parametrize("people", [["p1"], []])
def test_one_pair_of_systems_settles_nothing(people):
    """F1 of one pair is 0 or 1 and the same in all resamples: no figure has an interval, no judge passes."""
    scores = as_scores(np.array([*TWO_SYSTEMS.values()]), metrics=[*TWO_SYSTEMS])
    found = judge_conclusions(scores, reference="human", people=people, n_resamples=200, n_rounds=1, rng=0)
    assert found.table[[f"{name}{end}" for name in MEASURES for end in ("_low", "_high")]].isna().all(axis=None)
    assert found.beside_people[["low", "high"]].isna().all(axis=None)
    verdict = ranking_verdict(found, "j1", 0.05)
    assert (verdict.f1, verdict.ranking) == (1.0, "not settled" if people else "no second person")
    assert np.isnan([verdict.cleared_if_equal, verdict.found_out, verdict.cleared_up_to]).all()


@pytest.mark.parametrize("people", [True, False])
@pytest.mark.parametrize(
    ("n", "margin", "passes"), [(9, 0.05, False), (10, 0.05, True), (4, 0.1, False), (5, 0.1, True)]
)
def test_no_judge_passes_on_fewer_pairs_than_show_the_margin(n, margin, passes, people):
    """Of n pairs without an error F1 is 1, with one pair missed 2(n - 1) / (2n - 1): short by 1 / (2n - 1)."""
    judge = JUDGE | {"f1": 1.1, "low": -0.01, "high": 0.0}
    verdict = ranking_verdict(concluded({"model": judge}, people=people, n_reference=n), "model", margin)
    assert (verdict.ranking == "may") == passes
    assert np.isnan(verdict.cleared_if_equal) == (not passes or not people)


@pytest.mark.parametrize("people", [True, False])
def test_without_a_pair_under_the_reference_there_is_nothing_to_agree_on(people):
    """There is no verdict, whatever F1 is; it is that of the conclusions."""
    found = concluded({"model": JUDGE}, people=people, n_reference=0)
    row = found.table.iloc[0]
    f1 = {name: row[name] for name in ("f1", "f1_low", "f1_high")}
    assert ranking_verdict(found, "model", 0.05) == JudgeVerdict("model", "no pairs", **f1, n_conflicts=0)


def test_verdicts_are_by_the_first_metric_and_best_first():
    """A row a judge, people and reference none; other metrics decide nothing."""
    judges = {"weak": JUDGE | {"f1": 0.5, "low": -0.4, "high": -0.2}, "strong": JUDGE | {"f1": 0.9}}
    frame = verdicts(concluded(judges))
    assert frame.columns.tolist() == [*JudgeVerdict._fields]
    assert frame[["judge", "ranking"]].to_numpy().tolist() == [["strong", "may"], ["weak", "may not"]]
    assert frame["people_f1"].tolist() == [0.82, 0.82]
    assert frame["difference"].round(9).tolist() == [-0.01, -0.3]
    assert frame[["labels", "favours"]].to_numpy().tolist() == [["", ""]] * 2


def test_the_margin_is_that_of_the_study():
    """A margin of 0 asks a judge to be better than a second person beyond doubt."""
    found = concluded({"model": JUDGE})
    words = [verdicts(found, margin=margin)["ranking"].item() for margin in (0.0, 0.03, 0.05)]
    assert words == ["not settled", "not settled", "may"]


def test_labels_are_decided_by_the_alt_test():
    """Passing is may, failing may not; a judge without runs has no word on ranking; without a test there is none."""
    alt = [
        {"judge": "model", "verdict": "may", "winning_rate": 0.75},
        {"judge": "other", "verdict": "may not", "winning_rate": 0.25},
    ]
    frame = verdicts(concluded({"model": JUDGE}), alt=alt).set_index("judge")
    assert frame["labels"].to_dict() == {"model": "may", "other": "may not"}
    assert frame["ranking"].to_dict() == {"model": "may", "other": ""}
    assert frame["winning_rate"].tolist() == [0.75, 0.25]
    alone = verdicts(alt=alt)
    assert alone["labels"].tolist() == ["may", "may not"]
    assert alone["f1"].isna().all()
    assert verdicts(concluded({"model": JUDGE}))["labels"].tolist() == [""]


def test_without_a_reference_there_is_no_row():
    """Nothing is decided where there is neither a conclusion nor an alt-test."""
    frame = verdicts()
    assert frame.empty
    assert frame.columns.tolist() == [*JudgeVerdict._fields]


def test_the_group_favoured_most_beyond_doubt_is_named():
    """Of groups with a corrected p of alpha or less the one with the largest figure, whichever way."""
    rows = [
        ("model", "large", 0.9, 0.30, 0.051),
        ("model", "small", 0.1, 0.02, 0.01),
        ("model", "disfavoured", -0.2, -0.04, 0.05),
        ("other", "small", 0.1, 0.5, 0.2),
    ]
    found = concluded({"model": JUDGE, "other": JUDGE})
    frame = verdicts(found, groups=favoured(rows)).set_index("judge")
    assert frame["favours"].to_dict() == {"model": "disfavoured", "other": ""}
    assert frame.loc["model", ["favour", "favour_low", "favour_high"]].tolist() == [-0.04, -0.05, -0.03]
    assert np.isnan(frame.loc["other", "favour"])
    plain = verdicts(found, groups=favoured(rows, adjusted=False)).set_index("judge")
    assert plain.loc["model", "favour"] == -0.2
    assert not frame.loc["model", "bent"]
    bent = verdicts(found, groups=favoured(rows, bend_p=0.05)).set_index("judge")
    assert bent.loc["model", "bent"]
    strict = verdicts(found, groups=favoured(rows), alpha=0.01).set_index("judge")
    assert strict.loc["model", "favours"] == "small"


def test_without_groups_nobody_is_favoured():
    """No word, no figure."""
    frame = verdicts(concluded({"model": JUDGE}))
    assert frame["favours"].tolist() == [""]
    assert frame["favour"].isna().all()
