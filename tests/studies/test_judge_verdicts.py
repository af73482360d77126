"""The rules of verdicts at their borders, and by laws: no better verdict for less agreement or more contradictions."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval.resampling.judge_conclusions import MEASURES, JudgeConclusions
from metaeval.studies.judge_verdicts import COLUMNS, judge_verdicts, ranking_verdict

ORDER = {"may not": 0, "not settled": 1, "may": 2}
JUDGE = {"f1": 0.8, "low": -0.04, "high": 0.02, "conflicts": 0}


def concluded(judges, *, people=True, people_conflicts=0.0, n_reference=10):
    """Make conclusions of judges whose F1, interval of the difference from people and conflicts are given."""
    rows = [(name, "judge", one["f1"], one["conflicts"]) for name, one in judges.items()]
    rows += [("people", "people", 0.82, people_conflicts)] * people
    table = pd.DataFrame(rows, columns=["judge", "kind", "f1", "n_conflicts"])
    table = table.assign(f1_low=table["f1"] - 0.1, f1_high=table["f1"] + 0.1, n_topics=40)
    beside = pd.DataFrame(
        [
            (name, measure, (one["low"] + one["high"]) / 2, one["low"], one["high"])
            if measure == "f1"
            else (name, measure, 0.5, 0.4, 0.6)
            for name, one in judges.items()
            for measure in MEASURES
        ],
        columns=["judge", "measure", "difference", "low", "high"],
    )
    return JudgeConclusions(
        table=table,
        choices=pd.DataFrame(),
        beside_people=beside if people else beside.iloc[:0],
        conflicts=pd.DataFrame(),
        same_number=pd.DataFrame(),
        reference="nist",
        reference_power=(n_reference / 100, 0.0, 1.0),
        n_reference=n_reference,
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


def favoured(rows, *, adjusted=True):
    """Make favoured groups of rows (judge, group, figure, adjusted, p)."""
    table = pd.DataFrame(rows, columns=["judge", "group", "figure", "adjusted", "p_corrected"])
    for name in ("figure", "adjusted"):
        prefix = "adjusted_" if name == "adjusted" else ""
        table[f"{prefix}low_both"], table[f"{prefix}high_both"] = table[name] - 0.01, table[name] + 0.01
    table = table.assign(beyond_people=np.nan, beyond_low=np.nan, beyond_high=np.nan)
    return SimpleNamespace(table=table, adjusted=adjusted)


def studied(conclusions=None, *, groups=None, alt=None, margin=0.05, alpha=0.05):
    """Make what a study holds when verdicts are given, of two metrics where there are runs."""
    both = {} if conclusions is None else {"nDCG@10": conclusions, "AP": concluded({"other": JUDGE})}
    return SimpleNamespace(
        conclusions=both,
        favoured={} if groups is None else {"nDCG@10": groups},
        alt=None if alt is None else SimpleNamespace(judges=pd.DataFrame(alt)),
        margin=margin,
        alpha=alpha,
    )


def word(low, high, *, margin=0.05, conflicts=0, people_conflicts=0.0):
    one = {"f1": 0.8, "low": low, "high": high, "conflicts": conflicts}
    found = concluded({"model": one}, people_conflicts=people_conflicts)
    return ranking_verdict(found, "model", margin)["ranking"]


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


@pytest.mark.parametrize(
    ("conflicts", "people", "expected"),
    [(0, 0.0, "may"), (1, 0.0, "may not"), (1, 0.1, "may"), (2, 1.0, "may not"), (2, 1.4, "may"), (3, 1.4, "may not")],
)
def test_more_contradictions_than_people_make_a_judge_unfit(conflicts, people, expected):
    """People's mean over choices is rounded up; with more pairs the other way round no F1 helps."""
    assert word(-0.01, 0.02, conflicts=conflicts, people_conflicts=people) == expected


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


@given(ends, ends, st.integers(0, 5), st.integers(0, 5), st.floats(0.0, 5.0))
def test_a_verdict_never_gets_better_with_more_contradictions(one, other, first, second, people):
    """Nor with fewer of the people's."""
    low, high = sorted((one, other))
    fewer, more = sorted((first, second))
    assert (
        ORDER[word(low, high, conflicts=more, people_conflicts=people)]
        <= ORDER[word(low, high, conflicts=fewer, people_conflicts=people)]
    )


@given(ends, ends, st.floats(0.0, 1.0))
def test_a_decided_verdict_stays_when_the_interval_shrinks(one, other, share):
    """An interval inside another decides as it does, or more."""
    low, high = sorted((one, other))
    inner = sorted((low + share * (high - low) / 2, high - share * (high - low) / 2))
    if (before := word(low, high)) != "not settled":
        assert word(*inner) == before


def test_without_people_there_is_no_yardstick():
    """F1 and conflicts are there, and nothing is decided, however good or bad."""
    found = concluded({"model": JUDGE | {"conflicts": 9}}, people=False)
    verdict = ranking_verdict(found, "model", 0.05)
    assert verdict["ranking"] == "no yardstick"
    assert (verdict["f1"], verdict["n_conflicts"]) == (0.8, 9)
    assert "people_f1" not in verdict


@pytest.mark.parametrize("people", [True, False])
def test_without_a_pair_under_the_reference_there_is_nothing_to_agree_on(people):
    """F1 would be 1 for whoever finds nothing either, so none is given."""
    found = concluded({"model": JUDGE}, people=people, n_reference=0)
    assert ranking_verdict(found, "model", 0.05) == {"ranking": "no pairs", "n_conflicts": 0}


def test_verdicts_are_by_the_first_metric_and_best_first():
    """A row a judge, people and reference none; other metrics decide nothing."""
    judges = {"weak": JUDGE | {"f1": 0.5, "low": -0.4, "high": -0.2}, "strong": JUDGE | {"f1": 0.9}}
    frame = judge_verdicts(studied(concluded(judges)))
    assert frame.columns.tolist() == [*COLUMNS]
    assert frame[["judge", "ranking"]].to_numpy().tolist() == [["strong", "may"], ["weak", "may not"]]
    assert frame["people_f1"].tolist() == [0.82, 0.82]
    assert frame["difference"].round(9).tolist() == [-0.01, -0.3]
    assert frame[["labels", "favours"]].to_numpy().tolist() == [["", ""]] * 2


def test_the_margin_is_that_of_the_study():
    """A margin of 0 asks a judge to be better than a second person beyond doubt."""
    found = concluded({"model": JUDGE})
    words = [judge_verdicts(studied(found, margin=margin))["ranking"].item() for margin in (0.0, 0.03, 0.05)]
    assert words == ["not settled", "not settled", "may"]


def test_labels_are_decided_by_the_alt_test():
    """Passing is may, failing may not; a judge without runs has no word on ranking; without a test there is none."""
    alt = [
        {"judge": "model", "passes": True, "winning_rate": 0.75},
        {"judge": "other", "passes": False, "winning_rate": 0.25},
    ]
    frame = judge_verdicts(studied(concluded({"model": JUDGE}), alt=alt)).set_index("judge")
    assert frame["labels"].to_dict() == {"model": "may", "other": "may not"}
    assert frame["ranking"].to_dict() == {"model": "may", "other": ""}
    assert frame["winning_rate"].tolist() == [0.75, 0.25]
    alone = judge_verdicts(studied(alt=alt))
    assert alone["labels"].tolist() == ["may", "may not"]
    assert alone["f1"].isna().all()
    assert judge_verdicts(studied(concluded({"model": JUDGE})))["labels"].tolist() == [""]


def test_without_a_reference_there_is_no_row():
    """Nothing is decided where there is neither a conclusion nor an alt-test."""
    frame = judge_verdicts(studied())
    assert frame.empty
    assert frame.columns.tolist() == [*COLUMNS]


def test_the_group_favoured_most_beyond_doubt_is_named():
    """Of groups with a corrected p of alpha or less the one with the largest figure, whichever way."""
    rows = [
        ("model", "large", 0.9, 0.30, 0.051),
        ("model", "small", 0.1, 0.02, 0.01),
        ("model", "disfavoured", -0.2, -0.04, 0.05),
        ("other", "small", 0.1, 0.5, 0.2),
    ]
    found = concluded({"model": JUDGE, "other": JUDGE})
    frame = judge_verdicts(studied(found, groups=favoured(rows))).set_index("judge")
    assert frame["favours"].to_dict() == {"model": "disfavoured", "other": ""}
    assert frame.loc["model", ["favour", "favour_low", "favour_high"]].tolist() == [-0.04, -0.05, -0.03]
    assert np.isnan(frame.loc["other", "favour"])
    plain = judge_verdicts(studied(found, groups=favoured(rows, adjusted=False))).set_index("judge")
    assert plain.loc["model", "favour"] == -0.2
    strict = judge_verdicts(studied(found, groups=favoured(rows), alpha=0.01)).set_index("judge")
    assert strict.loc["model", "favours"] == "small"


def test_without_groups_nobody_is_favoured():
    """No word, no figure."""
    frame = judge_verdicts(studied(concluded({"model": JUDGE})))
    assert frame["favours"].tolist() == [""]
    assert frame["favour"].isna().all()
