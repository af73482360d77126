"""On which topics a requirement rests: checked without them, and beside brute force."""

from itertools import combinations

import numpy as np
import pytest

from metaeval import as_scores
from metaeval.tests_stat.requirement_witness import requirement_witness
from metaeval.tests_stat.requirements import check_requirements


def state(scores, requirement, gone=()):
    left = scores.isel(topic=~scores["topic"].isin(list(gone)).to_numpy())
    return check_requirements(left, [requirement]).to_frame()["state"].item()


@pytest.mark.parametrize("requirement", ["a >= b", "a >= b - 3 points", "b > a", "a >= 0.4", "b <= 0.6", "b > 0.6"])
def test_it_is_open_without_them_and_told_without_any_two_fewer(requirement):
    rng, told = np.random.default_rng(1), 0
    for _ in range(12):
        values = np.clip(rng.normal([[0.62], [0.4]], 0.18, (2, 11)), 0, 1)
        scores = as_scores(values, systems=["a", "b"])
        (row,) = check_requirements(scores, [requirement]).to_frame().to_dict("records")
        found = requirement_witness(scores, row, alpha=0.05)
        if found is None:
            assert row["state"] == "open"
            continue
        told += 1
        assert found.n_units == 11
        assert state(scores, requirement, found.rests_on) != row["state"]
        fewer = max(len(found.rests_on) - 2, 0)
        names = scores["topic"].to_numpy().tolist()
        assert all(state(scores, requirement, gone) == row["state"] for gone in combinations(names, min(fewer, 2)))
    assert told


def test_clusters_go_as_wholes():
    rng = np.random.default_rng(2)
    clusters = {str(topic): f"c{topic % 8}" for topic in range(1, 25)}
    scores = as_scores(rng.normal([[0.7], [0.4]], 0.2, (2, 24)), systems=["a", "b"], clusters=clusters)
    (row,) = check_requirements(scores, ["a >= b"]).to_frame().to_dict("records")
    found = requirement_witness(scores, row, alpha=0.05)
    assert {*found.rests_on} <= {*clusters.values()}
    left = scores.isel(topic=~scores["cluster"].isin(found.rests_on).to_numpy())
    assert check_requirements(left, ["a >= b"]).to_frame()["state"].item() != row["state"]
