"""Files of BigCodeBench (its `evaluate.py`: eval, task, status) and EvalPlus 0.3 (base_status, plus_status)."""

import pytest

from metaeval.errors import FileFormatError
from metaeval.io.tables import read_scores


def _results(**statuses):
    """Return a file of BigCodeBench: task to the statuses of its samples."""
    return {
        "date": "2024-06-01 10:00",
        "eval": {
            task: [{"task_id": task, "solution": "x", "status": status, "details": {}} for status in listed]
            for task, listed in statuses.items()
        },
    }


def _plus(**statuses):
    return {
        "date": "2024-06-01 10:00", "hash": "h",
        "eval": {
            task: [
                {"task_id": task, "solution": "x", "base_status": base, "plus_status": plus, "plus_fail_tests": []}
                for base, plus in listed
            ]
            for task, listed in statuses.items()
        },
    }  # fmt: skip


def test_what_passed_counts_one(put):
    """A task that failed or took too long counts 0; files are called after their models."""
    folder = put({
        "small_eval_results.json": _results(t1=["pass"], t2=["fail"], t3=["timeout"]),
        "large/eval_results.json": _results(t1=["pass"], t2=["pass"], t3=["fail"]),
    })  # fmt: skip
    scores = read_scores(folder)
    assert scores.sel(metric="passed", system="small").to_numpy().tolist() == [1, 0, 0]
    assert scores.sel(metric="passed", system="large").to_numpy().tolist() == [1, 1, 0]


def test_further_tests_count_where_the_first_are_passed(put):
    """EvalPlus counts a sample as base + extra if it passed both; samples of a task are repeats."""
    two = {"t1": [("pass", "fail"), ("pass", "pass")], "t2": [("fail", "pass"), ("pass", "pass")]}
    none = {"t1": [("fail", "fail"), ("fail", "fail")], "t2": [("fail", "fail"), ("fail", None)]}
    folder = put({"a_eval_results.json": _plus(**two), "b_eval_results.json": _plus(**none)})
    scores = read_scores(folder, missing="pairwise")
    assert scores.sel(metric="base", system="a").to_numpy().tolist() == [[1, 1], [0, 1]]
    assert scores.sel(metric="plus", system="a").to_numpy().tolist() == [[0, 1], [0, 1]]
    assert scores.sel(metric="base", system="b").to_numpy().sum() == 0


def test_a_status_is_a_word(put):
    """An entry of another kind names its place."""
    folder = put({"a_eval_results.json": _results(t1=["pass"], t2=[7])})
    with pytest.raises(FileFormatError, match=r"eval.t2\[0\].status: a status is a word"):
        read_scores(folder)


def test_published_means_are_refused_with_what_to_give(put):
    """BigCodeBench's results.json: means of two subsets, without tasks."""
    folder = put({"results.json": {
        name: {"link": "x", "open-data": "None", "pass@1": {"instruct": value, "complete": value + 10},
               "prompted": True, "moe": False, "size": 7, "date": "2024-05-01"}
        for name, value in (("A", 30.5), ("B", 20.0))
    }})  # fmt: skip
    with pytest.raises(FileFormatError, match=r"means of 2 systems under pass@1.*eval_results.json, one a system"):
        read_scores(folder)
