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


def _answer(provider, test, question, score, **more):
    return {
        "provider": {"id": provider, "label": ""}, "prompt": {"raw": f"Q: {question}", "label": "Q: {{q}}"},
        "testIdx": test, "testCase": {"vars": {"q": question}, "assert": []}, "vars": {"q": question},
        "score": score, "success": score >= 0.5, "namedScores": {}, "failureReason": 0, **more,
    }  # fmt: skip


def _promptfoo(answers):
    return {"evalId": "e", "results": {"version": 3, "results": answers, "stats": {}}, "config": {}}


def test_answers_of_promptfoo_are_read_as_its_tables_are(put):
    """The JSON and the CSV of one evaluation hold the same systems, items and scores; means by hand."""
    answers = [_answer("a", 0, "x", 1), _answer("b", 0, "x", 0), _answer("a", 1, "y", 1), _answer("b", 1, "y", 1)]
    scores = read_scores(put({"output.json": _promptfoo(answers)}, "output.json"))
    table = read_scores(
        put({"o.csv": "q,[a] Q: {{q}},[b] Q: {{q}}\nx,[PASS] u,[FAIL] u\ny,[PASS] u,[PASS] u\n"}, "o.csv")
    )
    assert scores.to_numpy().tolist() == table.to_numpy().tolist() == [[[1, 1], [0, 1]]]
    for dim in ("system", "topic"):
        assert scores[dim].to_numpy().tolist() == table[dim].to_numpy().tolist()
    lines = read_scores(put({"lines.jsonl": answers}, "lines.jsonl"))
    assert lines.to_numpy().tolist() == scores.to_numpy().tolist()


def test_a_test_of_promptfoo_that_is_asked_again_is_a_repeat(put, told):
    """It has a number of its own; what ended in an error counts 0, and a score that is no verdict stands beside it."""
    answers = [
        _answer(provider, test, question, score, namedScores={"tone": test / 4}, failureReason=2 * (score == 0))
        for test, question, of in ((0, "x", (1, 0)), (1, "x", (0.25, 0.75)), (2, "y", (1, 1)), (3, "y", (0.5, 1)))
        for provider, score in zip("ab", of, strict=True)
    ]
    scores = read_scores(put({"output.json": _promptfoo(answers)}, "output.json"))
    assert scores.sizes == {"metric": 3, "system": 2, "topic": 2, "repeat": 2}
    assert scores.sel(metric="score", system="[a] Q: {{q}}").to_numpy().tolist() == [[1, 0.25], [1, 0.5]]
    assert scores.sel(metric="passed", system="[b] Q: {{q}}").to_numpy().tolist() == [[0, 1], [1, 1]]
    assert scores.sel(metric="tone", system="[b] Q: {{q}}").to_numpy().tolist() == [[0, 0.25], [0.5, 0.75]]
    assert told(scores, "1 answer ended in an error and counts 0")


def test_named_scores_of_promptfoo_are_metrics_of_the_answers_that_have_them(put, told):
    """An error has none and counts 0 where its test is scored so; elsewhere there is a gap."""
    named = [
        {"tone": 1, "form": 1},
        {"tone": 0.5, "form": 0},
        {},
        {"tone": 1, "form": 1},
        {"tone": 0},
        {"tone": 1},
        {"tone": 0, "form": 1},
        {"tone": 1, "form": 1},
    ]
    answers = [
        _answer("ab"[at % 2], at // 2, "wxyz"[at // 2], at != 2, namedScores=of, failureReason=2 * (not of))
        for at, of in enumerate(named)
    ]
    path = put({"output.json": _promptfoo(answers)}, "output.json")
    tone = read_scores(path, metrics=["tone"])
    assert tone.sel(metric="tone").to_numpy().tolist() == [[1, 0, 0, 0], [0.5, 1, 1, 1]]
    assert told(tone, "1 answer ended in an error and counts 0")
    form = read_scores(path, metrics=["form"], missing="drop-topics")
    assert form["topic"].to_numpy().tolist() == ["w", "x", "z"]
    assert form.sel(metric="form").to_numpy().tolist() == [[1, 0, 1], [0, 1, 1]]


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
