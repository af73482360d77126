"""Votes and metrics: pairs counted one by one, and systems that only one of them knows."""

import numpy as np
import pytest

from metaeval import as_scores, compare_systems
from metaeval.errors import ScoresError
from metaeval.models.vote_agreement import votes_and_scores
from metaeval.models.vote_strengths import bradley_terry
from metaeval.simulate.votes import simulate_votes


def scores_of(names, seed=1, noise=0.4):
    """Return scores of systems that get better by name, under a metric, its negative, and noise."""
    drawn = np.random.default_rng(seed).normal(0, noise, (len(names), 60))
    good = np.arange(len(names))[:, None] / 8 + drawn
    return as_scores(np.stack([good, -good, drawn]), systems=names, metrics=["good", "opposite", "noise"])


def test_counts_are_those_of_pairs_one_by_one():
    """Among the systems that both know, each corrected over their pairs alone."""
    fitted = bradley_terry(simulate_votes(n_votes=6000, rng=1))
    scores = scores_of(["other", "system2", "system5", "system7", "system8"])
    found = votes_and_scores(fitted, scores, correction="none").set_index("metric")
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
    assert found[["n_both", "n_conflicts"]].to_numpy().tolist() == list(expected.values())
    assert found["n_pairs"].tolist() == [6, 6, 6]
    assert found.loc["good", "tau"] == -found.loc["opposite", "tau"] == 1.0
    assert found.loc["opposite", "n_conflicts"] == found.loc["good", "n_both"] > 0
    assert found.loc["good", "f1"] == pytest.approx(
        2 / (1 / found.loc["good", "precision"] + 1 / found.loc["good", "recall"])
    )


def test_nothing_in_common():
    """Both sides are named."""
    fitted = bradley_terry(simulate_votes(n_systems=3, rng=1))
    with pytest.raises(ScoresError, match="two systems or more in common"):
        votes_and_scores(fitted, scores_of(["system1", "x", "y"]))
