"""Votes and metrics: pairs counted one by one, and systems that only one of them knows."""

import numpy as np
import pytest

from metaeval import as_scores, compare_systems
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.models.settling import settled_pairs, votes_predicted
from metaeval.models.vote_strengths import bradley_terry
from metaeval.simulate.votes import simulate_votes
from metaeval.table.votes import as_votes


def scores_of(names, seed=1, noise=0.4):
    """Return scores of systems that get better by name, under a metric, its negative, and noise."""
    drawn = np.random.default_rng(seed).normal(0, noise, (len(names), 60))
    good = np.arange(len(names))[:, None] / 8 + drawn
    return as_scores(np.stack([good, -good, drawn]), systems=names, metrics=["good", "opposite", "noise"])


def test_counts_are_those_of_pairs_one_by_one():
    """Among the systems that both know, each corrected over their pairs alone."""
    fitted = bradley_terry(simulate_votes(n_votes=6000, rng=1))
    scores = scores_of(["other", "system2", "system5", "system7", "system8"])
    compared_all = settled_pairs(fitted, scores, correction="none")
    found = compared_all.to_frame().query("truth == 'votes'").set_index("predictor")
    names = ["system2", "system5", "system7", "system8"]
    by_votes = fitted.comparison().to_frame()
    expected = {metric: [0, 0] for metric in found.index}
    compared = compare_systems(scores.sel(system=names), test="t", correction="none").to_frame()
    for row in compared.itertuples():
        pair = {row.system_a, row.system_b}
        own = by_votes[[{a, b} == pair for a, b in zip(by_votes["system_a"], by_votes["system_b"], strict=True)]].iloc[
            0
        ]
        turned = 1 if own["system_a"] == row.system_a else -1
        if own["p_value"] <= 0.05 and row.p_corrected <= 0.05:
            expected[row.metric][int(own["difference"] * turned * row.difference < 0)] += 1
    assert found[["n_shared", "n_conflicts"]].to_numpy().tolist() == list(expected.values())
    assert found["n_pairs"].tolist() == [6, 6, 6]
    assert found.loc["good", "tau"] == -found.loc["opposite", "tau"] == 1.0
    assert found.loc["opposite", "n_conflicts"] == found.loc["good", "n_shared"] > 0
    assert found.loc["good", "f1"] == pytest.approx(
        2 / (1 / found.loc["good", "precision"] + 1 / found.loc["good", "recall"])
    )


def test_two_sets_of_votes_and_their_frame_of_pairs():
    """The same votes settle the same pairs; a pair names its better system, and the rows of both directions agree."""
    fitted = bradley_terry(simulate_votes(n_votes=3000, rng=1))
    found = settled_pairs({"people": fitted, "judge": fitted})
    frame = found.to_frame()
    assert frame["f1"].tolist() == [1.0, 1.0]
    assert (found.verdicts[0] != 0).sum() == frame["n_truth"].iloc[0] > 0
    pairs = found.pairs()
    own = fitted.comparison("fdr_by").to_frame()
    assert ((pairs["people"] != "") == own["significant"]).all()
    assert (pairs["people"] == pairs["judge"]).all()
    better = pairs[pairs["people"] != ""]
    assert ((better["people"] == better["system_a"]) | (better["people"] == better["system_b"])).all()


def test_predicted_votes_are_those_one_by_one():
    """Counted vote by vote; equal scores are half a vote, ties and systems that are not scored none."""
    votes = as_votes(simulate_votes(n_systems=5, n_questions=12, n_votes=400, rng=2))
    drawn = np.random.default_rng(3).integers(0, 3, (1, 4, 12)) / 2
    topics = [f"q{number}" for number in range(1, 13)]
    scores = as_scores(drawn, systems=[f"system{n}" for n in range(1, 5)], topics=topics, metrics=["hits"])
    row = votes_predicted(votes, scores).iloc[0]
    right, equal = [], 0
    for vote in votes.to_frame().itertuples():
        if vote.share == 0.5 or "system5" in {vote.left, vote.right}:
            continue
        one, other = (
            float(scores.sel(system=name, topic=votes.names["question"][vote.question])[0])
            for name in (vote.left, vote.right)
        )
        equal += one == other
        right.append(0.5 if one == other else float((one > other) == (vote.share > 0.5)))
    assert (row["n_votes"], row["n_equal"]) == (len(right), equal)
    assert row["share"] == pytest.approx(np.mean(right))
    assert row["low"] < row["share"] < row["high"]
    assert not len(votes_predicted(votes, scores.assign_coords(topic=[f"other{n}" for n in range(12)])))


def test_nothing_in_common():
    """Both sides are named."""
    fitted = bradley_terry(simulate_votes(n_systems=3, rng=1))
    with pytest.raises(ScoresError, match="two systems or more must be known to all"):
        settled_pairs(fitted, scores_of(["system1", "x", "y"]))
    with pytest.raises(InvalidOptionError, match="compared with scores, or with other votes"):
        settled_pairs(fitted)
    with pytest.raises(InvalidOptionError, match="called 'good'"):
        settled_pairs({"good": fitted}, scores_of(["system1", "system2", "y"]))
