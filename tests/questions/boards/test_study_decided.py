"""The study of settled pairs: votes beside metrics and beside votes, in sentences that the table bears out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.questions.boards.study_decided import study_settled
from metaeval.simulate.votes import simulate_votes
from metaeval.table.scores import as_scores
from metaeval.table.votes import as_votes


@pytest.fixture(scope="module")
def votes():
    """Simulate eight systems."""
    return simulate_votes(n_votes=3000, rng=1)


def test_metrics_beside_votes(votes):
    """The sentence has the counts of the table; all have ranks among the systems that both know."""
    names = [f"system{number}" for number in range(2, 10)]
    drawn = np.arange(8)[:, None] / 8 + np.random.default_rng(1).normal(0, 0.4, (8, 60))
    study = study_settled(votes, as_scores(drawn, systems=names, metrics=["good"]), rng=1)
    row = study.beside.set_index("predictor").loc["good"]
    said = study.report().summary[0]
    assert f"21 pairs of 7 systems, {row['n_truth']} are settled by votes" in said
    assert f"and {row['n_predictor']} by good, {row['n_shared']} of them alike" in said
    ranks = study.found.ranked()
    assert {"votes_low", "good_high"} <= set(ranks)
    assert (ranks["good_low"] <= ranks["good"]).all()
    table = next(table for table in study.report().tables() if table.name == "ranks")
    assert {"votes ranks", "good ranks"} <= {column.name for column in table.columns}
    assert any("system1" in note and "system9" in note for note in study.notes)
    assert not len(study.predicted)


def test_sets_of_votes(votes):
    """The reference is the first or the one named; each set needs strengths, and its name says whose are missing."""
    other = simulate_votes(n_votes=3000, rng=2)
    study = study_settled({"people": votes, "judge": other}, reference="judge", rng=1)
    assert study.beside[["predictor", "truth"]].to_numpy().tolist() == [["people", "judge"]]
    assert study.report().title == "Do these votes settle the same pairs?"
    with pytest.raises(InvalidOptionError, match="reference"):
        study_settled({"people": votes}, reference="judge")
    lone = pd.DataFrame([("x", "y", "left")], columns=["left", "right", "winner"])
    with pytest.raises(EstimationError, match="lone: no strength has a bound"):
        study_settled({"people": votes, "lone": lone})


def test_whether_a_judge_of_votes_has_changed(votes):
    """By construction: halves at random have changed nothing; where all winners are turned round, all of it."""
    votes = as_votes(votes)
    is_first = np.random.default_rng(0).random(len(votes.share)) < 0.5
    before, after = votes.where(is_first), votes.where(~is_first)
    same = study_settled({"before": before, "after": after}, of_judges=True, changed=True, rng=1).report()
    assert same.title == "Has the judge changed?"
    assert same.summary[0].startswith("No change of the judge is visible: strengths may be those of before (p = ")
    turned = replace(after, share=1.0 - after.share)
    study = study_settled({"before": before, "after": turned}, of_judges=True, changed=True, rng=1)
    assert (
        study.report()
        .summary[0]
        .startswith(
            "The judge has changed, or the answers have: strengths are not those of before (p < 0.0001); they moved by"
        )
    )
    best = study.fitted["before"].to_frame()["system"].iloc[0]
    assert study.shift.frame.set_index("system").loc[best, "shift"] < 0
    assert {"shift"} <= {table.name for table in study.report().tables()}


def test_a_shift_whose_interval_leaves_out_0_and_that_is_not_significant_is_explained():
    """Halves at random differ by chance: an interval of one shift, a verdict over all six, both said."""
    votes = as_votes(simulate_votes(n_systems=6, n_votes=1500, rng=1))
    is_first = np.random.default_rng(47).random(len(votes.share)) < 0.5
    halves = {"before": votes.where(is_first), "after": votes.where(~is_first)}
    study = study_settled(halves, of_judges=True, changed=True, rng=1)
    largest = study.shift.frame.iloc[0]
    assert largest["low"] > 0
    assert largest["p_value"] < 0.05 < min(1, 6 * largest["p_value"]) == pytest.approx(largest["p_corrected"])
    said = study.report().summary[0]
    assert "the largest of 6 shifts is 0.39 [0.05, 0.72] for system3 (interval by itself)" in said
    assert said.endswith("not significant among them (Holm).")


def test_a_judge_that_begins_to_like_long_answers(votes):
    """By construction: with the longer answer as the winner of all votes after, length is named, and what it equals."""
    rng = np.random.default_rng(3)
    before, after = (as_votes(votes) for _ in range(2))
    lengths = rng.normal(0.0, 1.0, (2, len(before.share)))
    before = replace(before, unasked={"length": lengths[0]})
    longer = np.where(rng.random(len(after.share)) < 0.5, lengths[1] > 0, after.share)
    after = replace(after, unasked={"length": lengths[1]}, share=longer.astype(float))
    report = study_settled({"before": before, "after": after}, of_judges=True, changed=True, rng=1).report()
    assert report.summary[0].startswith("The judge has changed, or the answers have: a unit of length is worth ")
    assert ", and strengths at equal length " in report.summary[0]
    same = before
    half = rng.random(len(before.share)) < 0.5
    study = study_settled({"before": same.where(half), "after": same.where(~half)}, of_judges=True, changed=True, rng=1)
    assert study.report().summary[0].startswith("No change of the judge is visible: strengths at equal length may be ")
