"""Results of benchmarks that are told a way out, and what comes out when it is followed."""

import json
from collections.abc import Mapping
from typing import Any

from advice_calls import Call, Then, rows
from small_results import DATE, MADE, TEXTS, score

from metaeval import read_scores
from metaeval.io.means import MeansAloneError
from metaeval.table.means import SystemMeans, as_means


def written(held: Mapping[str, Any]) -> dict[str, str]:
    """Return files as text, below one folder."""

    def text(name: str, one: Any) -> str:
        if isinstance(one, str):
            return one
        return "".join(json.dumps(line) + "\n" for line in one) if name.endswith("jsonl") else json.dumps(one)

    return {f"results/{name}": text(name, one) for name, one in held.items()}


def results(
    held: Mapping[str, Any], right: Mapping[str, object], *, elsewhere: Mapping[str, str] = {}, **given: Any
) -> Call:
    """Return the row of a folder of results."""
    return Call(lambda **options: read_scores("results", **options), right, given, written(held), elsewhere)


def samples(tasks: Mapping[str, Mapping[str, Mapping[str, list[float]]]], **said: Any) -> dict[str, Any]:
    """Return samples of lm-evaluation-harness: task to metric to system to scores; `said` is that of each task."""
    files: dict[str, Any] = {}
    for task, metrics in tasks.items():
        for system in next(iter(metrics.values())):
            files[f"{system}/samples_{task}_{DATE}.jsonl"] = [
                {
                    "doc_id": at,
                    "doc_hash": f"h{at}",
                    "metrics": [*metrics],
                    **{m: own[system][at] for m, own in metrics.items()},
                }
                for at in range(len(next(iter(metrics.values()))[system]))
            ]
            files[f"{system}/results_{DATE}.json"] = {
                "results": {one: {f"{m},none": 0.5 for m in own} for one, own in tasks.items()},
                "versions": {},
                "config": {},
                "model_name_sanitized": system,
                **said,
            }
    return files


def of_samples(*systems: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return the scores of lm-evaluation-harness's small results."""
    places = {"a": 0, "b": 1, "c": 2}
    scores = {s: {f"t/i{n + 1}": score(places[s], n) for n in range(3)} for s in systems}
    return {"em": scores, "em(strict)": scores}


def few_shot() -> dict[str, Any]:
    """Return small results of which the third system's had other examples."""
    files = MADE["lm-eval"].make()
    name = f"c/results_{DATE}.json"
    return files | {name: json.loads(json.dumps(files[name])) | {"n-shot": {"t": 5}}}


def board_of(**options: Any) -> SystemMeans:
    """Return the board of means that a file of an arena holds."""
    try:
        return as_means(read_scores("arena.json", **options))
    except MeansAloneError as alone:
        return alone.board


def means(board: SystemMeans) -> dict[str, float]:
    """Return the means of a board by system."""
    return dict(zip(board.systems, board.means[0].tolist(), strict=True))


ARENA = {
    "full": {
        s: {"rating": 1000.0 + 10 * at, "lower": 990.0 + 10 * at, "upper": 1010.0 + 10 * at}
        for at, s in enumerate("abc")
    },
    "coding": {
        s: {"rating": 1100.0 + 10 * at, "lower": 1090.0 + 10 * at, "upper": 1110.0 + 10 * at}
        for at, s in enumerate("ab")
    },
}
ACC, F1 = {"a": [0.0, 1.0], "b": [1.0, 1.0]}, {"a": [0.5, 0.25], "b": [0.75, 0.125]}


def both(first: Mapping[str, list[float]], second: Mapping[str, list[float]]) -> dict[str, dict[str, float]]:
    """Return scores on two tasks of two items each."""
    return rows("t1/0 t1/1 t2/0 t2/1", **{s: [*first[s], *second[s]] for s in "ab"})


RECORDS = [
    {"model": "a", "item": "1", "acc": 0.1},
    {"model": "a", "item": "2", "acc": 0.2},
    {"model": "b", "item": "1", "acc": 0.4},
    {"model": "b", "item": "2", "acc": 0.5},
]
SPLITS = {
    f"{system}/rev/{task}.json": {
        "task_name": task,
        "dataset_revision": "r1",
        "mteb_version": "2.1.0",
        "scores": {
            split: [{"hf_subset": "en", "main_score": value, "f1": value}]
            for split, value in (("test", score(at, number)), ("validation", score(at, number) / 2))
        },
    }
    for at, system in enumerate("ab")
    for number, task in enumerate(("x", "y"))
}
BENCHMARKS = {
    "a comparison with a setting": results(
        samples({"t1": {"acc": ACC}}, **{"n-shot": {"t1": 5}}),
        {"where={'n-shot': '5'}": rows("t1/0 t1/1", **ACC)},
        where={"n-shot": ">=5"},
    ),
    "a board of an arena without every system": Call(
        board_of,
        {"where={'task': 'coding'}": {"a": 1100.0, "b": 1110.0}},
        {},
        {"arena.json": json.dumps(ARENA)},
        show=means,
    ),
    "examples that differ": results(
        few_shot(),
        {"where={'n-shot': '0'}": of_samples("a", "b"), "where={'n-shot': '*'}": of_samples("a", "b", "c")},
    ),
    "a metric that is better lower in one task": results(
        samples({"t1": {"m": ACC}, "t2": {"m": F1}}, higher_is_better={"t1": {"m": False}, "t2": {"m": True}}),
        {"metrics=['t2=m']": rows("t2/0 t2/1", **F1)},
    ),
    "no metric of every task": results(
        samples({"t1": {"acc": ACC}, "t2": {"f1": F1}}),
        {
            "metrics": Then(lambda: read_scores("results", metrics=["acc"]), rows("t1/0 t1/1", **ACC)),
            "metrics=['t1=acc', 't2=f1']": both(ACC, F1),
        },
    ),
    "a metric of one task": results(
        samples({"t1": {"acc": ACC, "f1": F1}, "t2": {"acc": F1}}),
        {"metrics": Then(lambda: read_scores("results", metrics=["f1"]), rows("t1/0 t1/1", **F1))},
    ),
    "a metric that is one number": results(
        samples({"t1": {"acc": F1, "one": {"a": [0.5, 0.5], "b": [0.5, 0.5]}}}),
        {
            "metrics": Then(
                lambda: read_scores("results", metrics=["one"]), rows("t1/0 t1/1", a=[0.5, 0.5], b=[0.5, 0.5])
            )
        },
    ),
    "an item of results twice": Call(
        lambda **options: read_scores("r.json", **options),
        {
            "duplicates='first'": rows("1 2", a=[0.1, 0.2], b=[0.4, 0.5]),
            "duplicates='mean'": rows("1 2", a=[0.1, 0.2], b=[0.4, 0.75]),
        },
        {"columns": {"system": "model"}},
        {"r.json": json.dumps([*RECORDS, {"model": "b", "item": "2", "acc": 1.0}])},
    ),
    "columns of results that say what is what": results(
        samples({"t1": {"acc": ACC}}),
        {"columns={'system': 'x'}": Then(lambda: read_scores("results"), rows("t1/0 t1/1", **ACC))},
        columns={"system": "x"},
    ),
    "another split": results(
        SPLITS,
        {
            "where={'split': 'validation'}": {
                s: {task: score(at, number) / 2 for number, task in enumerate("xy")} for at, s in enumerate("ab")
            }
        },
        metrics=["main_score"],
    ),
    "another reference": results(
        TEXTS["mt-metrics-eval"].make(systems="ab")
        | {"metric-scores/en-de/chrF-refB.seg.score": "a\t1\na\t2\na\t4\nb\t5\nb\t6\nb\t7\n"},
        {
            "metrics": Then(
                lambda: read_scores("results", metrics=["chrF-refB"]),
                rows("1 2 3", a=[1.0, 2.0, 4.0], b=[5.0, 6.0, 7.0]),
            )
        },
    ),
}
