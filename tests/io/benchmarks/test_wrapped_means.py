"""Means of systems in JSON of tools for ranking: told with their systems and metrics, whatever files they stand in."""

import json

import pytest

from metaeval.io.blocks import SpreadlessError
from metaeval.io.tables import read_scores

BM25, LM = {"ndcg_cut_10": 0.5, "map": 0.25}, {"ndcg_cut_10": 0.75, "map": 0.5}


@pytest.mark.parametrize(
    "files",
    [
        {"bm25.json": BM25, "lm.json": LM},
        {"one.json": {"bm25": BM25}, "two.json": {"lm": LM}},
        {"all.json": {"bm25": BM25, "lm": LM}},
        {"all.json": {"stat_test": "student", "model_names": ["bm25", "lm"], "metrics": [*LM],
                      "bm25": {"scores": BM25}, "lm": {"scores": LM}}},
    ],
    ids=["a system a file", "a named system a file", "systems by name", "a report of ranx"],
)  # fmt: skip
def test_means_are_told_with_their_systems(tmp_path, files):
    """All systems and both metrics, and that they tell nothing of luck."""
    for name, held in files.items():
        (tmp_path / name).write_text(json.dumps(held))
    with pytest.raises(SpreadlessError, match=r"means of 2 systems \(bm25, lm\) under ndcg_cut_10, map") as raised:
        read_scores(tmp_path)
    assert raised.value.means == {"bm25": BM25, "lm": LM}
    assert "give the runs and their judgments" in str(raised.value)


def test_topics_by_metric_stay_scores(tmp_path):
    """Names of topics with scores under metrics are what pytrec_eval returns of one run; by hand (.5 + .75) / 2."""
    for name in ("bm25", "lm"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"q1": BM25, "q2": LM}))
    scores = read_scores(tmp_path)
    assert scores.mean("topic").sel(system="lm").to_series().to_dict() == {"ndcg_cut_10": 0.625, "map": 0.375}


def test_rewards_of_simulations_are_repeats_of_tasks(tmp_path):
    """tau2-bench: by hand 3 of 4 of gpt, and 1 of 4; a simulation without a reward is a gap."""
    for name, rewards in (("gpt", (1, 0, 1, 1)), ("old", (0, 0, 1, 0)), ("cut", (0, 0, 1, None))):
        runs = [
            {"id": f"{at}", "task_id": f"{at // 2}", "trial": at % 2, "duration": 9.5, "messages": [],
             "reward_info": None if reward is None else {"reward": float(reward), "db_check": None}}
            for at, reward in enumerate(rewards)
        ]  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps({"info": {}, "tasks": [], "simulations": runs}))
    scores = read_scores([tmp_path / "gpt.json", tmp_path / "old.json"])
    assert scores.dims[-1] == "repeat"
    assert scores.mean(("topic", "repeat")).squeeze("metric").to_series().to_dict() == {"gpt": 0.75, "old": 0.25}
    with pytest.raises(ValueError, match="the cell is empty"):
        read_scores([tmp_path / "gpt.json", tmp_path / "cut.json"])
