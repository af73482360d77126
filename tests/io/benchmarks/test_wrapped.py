"""Boards of arenas (FastChat's `elo_analysis.py`: rating_q025, rating_q975) and LiveCodeBench's performances."""

import pytest

from metaeval.io.means import MeansAloneError
from metaeval.io.tables import read_scores
from metaeval.questions.leaderboard.study import study_leaderboard


def _rating(rating, width):
    return {
        "rating": rating, "variance": 4.0, "rating_q975": rating + width, "rating_q025": rating - width,
        "num_battles": 1000, "final_ranking": 1,
    }  # fmt: skip


FULL = {"alpha": _rating(1300.0, 9.8), "beta": _rating(1250.0, 19.6), "gamma": _rating(1245.0, 19.6)}
CODING = {name: FULL[name] for name in ("alpha", "beta")}


def _board(path, **options):
    with pytest.raises(MeansAloneError) as found:
        read_scores(path, **options)
    return found.value.board


def test_ratings_are_means_with_intervals(put):
    """A 95 % interval of ± 9.8 is a standard error of 9.8 / 1.96 = 5; boards without all models are named."""
    board = _board(put({"arena.json": {"full": FULL, "coding": CODING}}))
    assert (board.metrics, board.systems) == (("full rating",), ("alpha", "beta", "gamma"))
    assert board.means.tolist() == [[1300, 1250, 1245]]
    assert board.errors.tolist() == [
        [pytest.approx(5, abs=1e-3), pytest.approx(10, abs=1e-3), pytest.approx(10, abs=1e-3)]
    ]
    assert any("left out boards without all 3 systems: coding" in note for note in board.notes)
    ranks = study_leaderboard(board, rng=0)
    assert "alpha is significantly the best" in ranks.report().summary[0]


def test_one_category_is_chosen_by_its_name(put):
    """As the note says."""
    folder = put({"arena.json": {"full": FULL, "coding": CODING}})
    assert _board(folder, where={"task": "coding"}).systems == ("alpha", "beta")
    assert _board(put({"one.json": FULL}, "one")).systems == ("alpha", "beta", "gamma")


def test_records_stand_under_performances(put, told):
    """A row a model and problem, with pass@1 in per cent; lists beside are left out by name."""
    rows = [
        {"question_id": problem, "model": model, "date": 1683417600000, "difficulty": "easy", "pass@1": score,
         "platform": "leetcode"}
        for model, scores in (("A", (100, 50, 0)), ("B", (80, 60, 20)))
        for problem, score in zip(("1873_A", "2730", "abc301_c"), scores, strict=True)
    ]  # fmt: skip
    scores = read_scores(put({"performances.json": {"performances": rows, "models": [{"model_name": "A"}]}}))
    assert scores["metric"].to_numpy().tolist() == ["pass@1"]
    assert scores.sel(system="B", topic="2730").item() == 60
    assert scores.sizes == {"metric": 1, "system": 2, "topic": 3}
    assert told(scores, "left out models")


def test_samples_of_human_eval_are_repeats(put):
    """Two samples a task, one of which passed, are pass@1 of one half; what tests said is left out."""
    folder = put({
        f"{system}_results.jsonl": [
            {"task_id": f"HumanEval/{task}", "completion": "x\ny", "result": f"failed: {task}\n", "passed": passed}
            for task in range(3)
            for passed in (True, system == "a")
        ]
        for system in "ab"
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores.sel(metric="passed", system="a_results").to_numpy().tolist() == [[1, 1]] * 3
    assert scores.sel(metric="passed", system="b_results").to_numpy().tolist() == [[1, 0]] * 3


def test_evaluations_of_live_code_bench_are_of_one_system_a_file(put):
    """The share of its samples that passed; contests are called by numbers and words."""
    folder = put({
        f"{system}_eval_all.json": [
            {
                "question_id": f"q{at}", "contest_id": ("1873", "abc301", "1899")[at], "starter_code": "",
                "graded_list": [True, False], "pass@1": share / 2,
            }
            for at in range(3)
        ]
        for system, share in (("a", 1), ("b", 2))
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores["metric"].to_numpy().tolist() == ["pass@1"]
    assert scores.to_numpy().tolist() == [[[0.5] * 3, [1.0] * 3]]
