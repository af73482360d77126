"""Small valid results of every benchmark, as files by path: three systems, three items, every setting that is compared.

Each maker takes the names of systems and of items; files whose systems are called by folders or files are named so.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

SYSTEMS, ITEMS = ("a", "b", "c"), ("i1", "i2", "i3")
DATE = "2026-01-01T00-00-00.5"


def score(system: int, item: int) -> float:
    """Return a score that says whose it is, from 0 to 1 in eighths."""
    return (3 * system + 5 * item) % 7 / 8


def lm_eval_samples(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return samples beside results, under two filters and with a corpus-level metric."""
    files: dict[str, Any] = {}
    for at, system in enumerate(systems):
        files[f"{system}/samples_t_{DATE}.jsonl"] = [
            {
                "doc_id": item, "doc_hash": f"h{number}", "prompt_hash": f"p{number}", "resps": [["x"]], "filter": used,
                "metrics": ["em", "bleu"], "em": score(at, number), "bleu": ["x", "y"],
            }
            for number, item in enumerate(items)
            for used in ("none", "strict")
        ]  # fmt: skip
        files[f"{system}/results_{DATE}.json"] = _lm_results(system, {"t": {"em,none": 0.5, "em_stderr,none": 0.1}})
    return files


def lm_eval_results(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return results without samples: the items are tasks."""
    return {
        f"{system}/results_{DATE}.json": _lm_results(
            system, {str(item): {"wer,none": score(at, number), "alias": "x"} for number, item in enumerate(items)}
        )
        for at, system in enumerate(systems)
    }


def lm_eval_older_results(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return results that do not say which way is better, as of former versions."""
    return {
        f"{system}/results_{DATE}.json": {
            "results": {
                str(item): {"word_perplexity,none": 1 + score(at, number)} for number, item in enumerate(items)
            },
            "versions": dict.fromkeys(map(str, items), 2),
            "config": {"model": "hf"},
        }
        for at, system in enumerate(systems)
    }


def _lm_results(system: str, tasks: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "results": tasks,
        "group_subtasks": {"group": [*tasks]},
        "configs": {
            task: {"doc_to_text": "{{q}}", "metric_list": [{"metric": "em", "aggregation": "mean"}]} for task in tasks
        },
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {task: {"em": True, "wer": False} for task in tasks},
        "n-samples": {task: {"original": 3, "effective": 3} for task in tasks},
        "config": {"model": "hf"},
        "model_name_sanitized": system,
        "system_instruction_sha": None,
        "chat_template_sha": None,
    }


def helm(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return runs with an instance of another split, and a perturbed one."""

    def stats(value: float, split: str = "test") -> list[dict[str, Any]]:
        return [
            {"name": {"name": "exact_match", "split": split}, "count": 1, "sum": value, "mean": value},
            {"name": {"name": "wer_score", "split": split}, "count": 1, "sum": value, "mean": value / 2},
        ]

    files: dict[str, Any] = {}
    for at, system in enumerate(systems):
        files[f"suite/run{at}/run_spec.json"] = {
            "scenario_spec": {"class_name": "x.MMLUScenario", "args": {"subject": "law"}},
            "adapter_spec": {"model": system, "method": "joint", "instructions": "Answer.", "max_train_instances": 5},
            "annotators": [{"class_name": "x.Judge", "args": {"model": "j"}}],
        }
        records = [
            {"instance_id": item, "train_trial_index": 0, "stats": stats(score(at, number))}
            for number, item in enumerate(items)
        ]
        typos = {"name": "typos", "robustness": True, "prob": 0.5}
        records.append({"instance_id": items[0], "perturbation": typos, "train_trial_index": 0, "stats": stats(0.5)})
        records.append({"instance_id": "v1", "train_trial_index": 0, "stats": stats(1.0, "valid")})
        files[f"suite/run{at}/per_instance_stats.json"] = records
    return files


def mteb(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return a task an item, one of them with experiments, and a validation split beside."""
    files: dict[str, Any] = {}
    for at, system in enumerate(systems):
        for number, item in enumerate(items):
            value = score(at, number)
            entry = {"hf_subset": "en", "main_score": value, "f1": value, "languages": ["eng-Latn"]}
            several = {"scores_per_experiment": [{"f1": value}, {"f1": value}]} if number == 0 else {}
            valid = {"validation": [{"hf_subset": "en", "main_score": 1.0, "f1": 1.0}]} if number == 0 else {}
            files[f"{system}/rev/{item}.json"] = {
                "task_name": item, "dataset_revision": "r1", "mteb_version": "2.1.0", "date": 1.0 + at,
                "scores": {"test": [entry | several], **valid}, "evaluation_time": 2.5,
            }  # fmt: skip
    return files


def mteb_older(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return files of the schema before version 1.11."""
    return {
        f"{system}/rev/{item}.json": {
            "mteb_dataset_name": item,
            "mteb_version": "1.0.0",
            "dataset_revision": "r1",
            "test": {"en": {"accuracy": score(at, number), "f1": 0.5}, "evaluation_time": 1.0},
        }
        for at, system in enumerate(systems)
        for number, item in enumerate(items)
    }


def inspect_logs(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return logs with a judge, a scorer of several numbers, and two epochs of an item."""
    return {f"log{at}.json": _log(system, at, items) for at, system in enumerate(systems)}


def inspect_archives(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return the same logs as archives; see `as_archive`."""
    return {f"log{at}.eval": _log(system, at, items) for at, system in enumerate(systems)}


def _log(system: str, at: int, items: Sequence[Any]) -> dict[str, Any]:
    samples = [
        {
            "id": item, "epoch": epoch,
            "scores": {
                "model_graded_qa": {"value": score(at, number)},
                "parts": {"value": {"fluent": score(at, number), "true": "C"}},
            },
        }
        for number, item in enumerate(items)
        for epoch in ((1, 2) if number == 0 else (1,))
    ]  # fmt: skip
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "task": "quiz", "task_version": 0, "task_args": {"n": 1}, "model": system,
            "created": "2026-01-01T00:00:00Z",
            "dataset": {"name": "d"}, "solver": None, "model_roles": {"grader": {"model": "j"}},
            "scorers": [
                {"name": "model_graded_qa", "options": {"template": "x"}, "metrics": [{"name": "inspect_ai/accuracy"}]},
                {"name": "parts", "options": {}, "metrics": [{"name": "mean"}]},
            ],
        },
        "plan": {"steps": [{"solver": "generate", "params": {}}]},
        "samples": samples,
    }  # fmt: skip


def alpaca(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return annotations with a preference controlled for length."""
    return {
        f"file{at}.json": [
            {
                "instruction": item, "generator_1": "base", "generator_2": system, "annotator": "j",
                "datasplit": "eval", "preference": 1 + score(at, number), "glm_preference": score(at, number),
            }
            for number, item in enumerate(items)
        ]
        for at, system in enumerate(systems)
    }  # fmt: skip


def swe_bench(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return reports with an instance that has an empty patch."""
    files = {}
    for at, system in enumerate(systems):
        resolved = [item for number, item in enumerate(items) if number and score(at, number) > 0.25]
        unresolved = [item for item in items[1:] if item not in resolved]
        lists = {
            "submitted": [*items], "completed": [*items[1:]], "resolved": resolved, "unresolved": unresolved,
            "empty_patch": [items[0]], "error": [], "incomplete": [],
        }  # fmt: skip
        files[f"{system}.json"] = {
            "total_instances": len(items),
            **{f"{name}_instances": len(listed) for name, listed in lists.items() if name != "incomplete"},
            **{f"{name}_ids": listed for name, listed in lists.items()},
            "schema_version": 2,
        }
    return files


def code_tasks(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return results of BigCodeBench, two samples a task."""
    return {
        f"{system}_eval_results.json": {
            "date": "2026-01-01 00:00",
            "eval": {
                str(item): [
                    {
                        "task_id": item, "solution": "pass", "details": {"test_1": "x"},
                        "status": "pass" if (at + number + again) % 2 else "fail",
                    }
                    for again in range(2)
                ]
                for number, item in enumerate(items)
            },
        }
        for at, system in enumerate(systems)
    }  # fmt: skip


def plus_tasks(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return results of EvalPlus, with its first and its further tests."""
    words = ("pass", "fail", "timeout")
    return {
        f"{system}_eval_results.json": {
            "date": "2026-01-01 00:00", "hash": "h",
            "eval": {
                str(item): [
                    {
                        "task_id": item, "solution": "pass", "base_fail_tests": [], "plus_fail_tests": [],
                        "base_status": words[(at + number) % 2], "plus_status": words[(at + 2 * number) % 3],
                    }
                ]
                for number, item in enumerate(items)
            },
        }
        for at, system in enumerate(systems)
    }  # fmt: skip


def every_eval_ever(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return files of whole evaluations, one a model."""
    config = {"metric_name": "accuracy", "lower_is_better": False, "min_score": 0, "max_score": 1}
    return {
        f"{system}.json": {
            "schema_version": "0.3.0", "model_info": {"name": system, "id": system},
            "evaluation_results": [
                {
                    "evaluation_name": item, "metric_config": dict(config),
                    "score_details": {"score": score(at, number)},
                }
                for number, item in enumerate(items)
            ],
        }
        for at, system in enumerate(systems)
    }  # fmt: skip


def evaluated_samples(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return samples of Every Eval Ever, with all models in one file."""
    return {
        "samples.jsonl": [
            {
                "model_id": system, "evaluation_name": "gsm8k", "sample_id": item, "sample_hash": f"h{number}",
                "input": {"raw": "q"}, "evaluation": {"score": score(at, number), "is_correct": False},
            }
            for at, system in enumerate(systems)
            for number, item in enumerate(items)
        ]
    }  # fmt: skip


def assignments(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return assignments of nuggetizer: items are topics with two nuggets each."""
    labels = ("support", "partial_support", "not_support")
    return {
        f"run{at}.jsonl": [
            {
                "qid": item, "run_id": system,
                "nuggets": [
                    {
                        "text": f"n{of}", "importance": ("vital", "okay")[of],
                        "assignment": labels[(at + number + of) % 3],
                    }
                    for of in range(2)
                ],
            }
            for number, item in enumerate(items)
        ]
        for at, system in enumerate(systems)
    }  # fmt: skip


def nuggetizer_metrics(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return ``metrics.jsonl`` of nuggetizer, one a system, with the line of all topics."""
    return {
        f"{system}.jsonl": [
            {"qid": item, "strict_vital_score": score(at, number), "vital_score": 0.5, "all_score": score(at, number)}
            for number, item in enumerate(items)
        ]
        + [{"qid": "all", "strict_vital_score": 0.5, "vital_score": 0.5, "all_score": 0.5}]
        for at, system in enumerate(systems)
    }


def autojudge(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return JSON lines of TREC AutoJudge, all systems in one file."""
    return {
        "judge.jsonl": [
            {"run_id": system, "topic_id": item, "measure": "good", "value": score(at, number)}
            for at, system in enumerate(systems)
            for number, item in enumerate(items)
        ]
    }


def alpaca_lines(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return annotations of all models in one file, a line each, by two annotators and without lengths."""
    return {
        "annotations.jsonl": [
            {
                "instruction": item, "generator_1": "base", "generator_2": system, "annotator": annotator,
                "preference": 1 + score(at, number),
            }
            for at, system in enumerate(systems)
            for number, item in enumerate(items)
            for annotator in ("j", "k")
        ]
    }  # fmt: skip


def autojudge_list(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return the same rows as one list, under two measures."""
    (rows,) = autojudge(systems, items).values()
    return {"judge.json": rows + [row | {"measure": "short", "value": row["value"] / 2} for row in rows]}


def records(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return a list of objects with the columns of score tables."""
    return {
        "rows.json": [
            {"model": system, "question_id": item, "acc": score(at, number), "words": "left out"}
            for at, system in enumerate(systems)
            for number, item in enumerate(items)
        ]
    }


def live_code_bench(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return records of LiveCodeBench under their name, with a list of models beside."""
    rows = [
        {
            "question_id": item, "model": system, "date": 1683417600000, "difficulty": "easy",
            "pass@1": score(at, number), "platform": "leetcode",
        }
        for at, system in enumerate(systems)
        for number, item in enumerate(items)
    ]  # fmt: skip
    return {"performances_generation.json": {"performances": rows, "models": [{"model_name": "x"}]}}


def evaluated_code(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return evaluations of LiveCodeBench, a file a system."""
    return {
        f"{system}.json": [
            {
                "question_id": item, "contest_id": "1873", "difficulty": "easy", "code_list": ["x"],
                "graded_list": [True], "pass@1": score(at, number),
            }
            for number, item in enumerate(items)
        ]
        for at, system in enumerate(systems)
    }  # fmt: skip


def trials(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return results of tau-bench, two trials a task."""
    return {
        f"{system}.json": [
            {"task_id": item, "reward": score(at, number), "info": {"x": 1}, "traj": [], "trial": trial}
            for number, item in enumerate(items)
            for trial in range(2)
        ]
        for at, system in enumerate(systems)
    }


def tot(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return four columns of TREC AutoJudge: run, measure, topic, value."""
    rows = [
        *((system, "good", item, score(at, n)) for at, system in enumerate(systems) for n, item in enumerate(items)),
        *((system, "good", "all", 0.5) for system in systems),
    ]
    return {"judge.tot": _lines(rows)}


def ir_measures(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return what ``ir_measures -q`` prints, a file a system: topic, measure, value."""
    return {
        f"{system}.txt": _lines([*((item, "AP", score(at, n)) for n, item in enumerate(items)), ("all", "AP", 0.5)])
        for at, system in enumerate(systems)
    }


def four_columns(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return four columns in the order of ir_measures: run, topic, measure, value."""
    rows = [(system, item, "AP", score(at, n)) for at, system in enumerate(systems) for n, item in enumerate(items)]
    return {"judge.txt": _lines([*rows, *((system, "all", "AP", 0.5) for system in systems)])}


def dragun(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return a table of nugget labels."""
    labels = ("support", "partial", "none")
    rows = [
        (item, system, f"n{of}", labels[(at + n + of) % 3], ("vital", "okay")[of])
        for at, system in enumerate(systems)
        for n, item in enumerate(items)
        for of in range(2)
    ]
    return {"labels.csv": _lines([("topic_id", "run_tag", "nugget_id", "label", "importance"), *rows], ",")}


def ragas(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return a frame a system, with a column that names the items."""
    head = ("id", "user_input", "response", "faithfulness")
    return {
        f"{system}.csv": _lines([head, *((item, "q", "r", score(at, n)) for n, item in enumerate(items))], ",")
        for at, system in enumerate(systems)
    }


def deepeval(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return a frame of DeepEval a system, with one metric beside another."""
    head = ("id", "input", "actual_output", "correctness", "tone")
    return {
        f"{system}.csv": _lines([head, *((item, "q", "r", score(at, n), 0.5) for n, item in enumerate(items))], ",")
        for at, system in enumerate(systems)
    }


def mt_metrics_eval(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, str]:
    """Return the folder of a language pair; segments are numbered."""
    scores = [(system, score(at, n)) for at, system in enumerate(systems) for n in range(len(items))]
    return {
        "documents/en-de.docs": _lines([("news", f"d{n}") for n in range(len(items))]),
        "human-scores/en-de.mqm.seg.score": _lines(scores),
        "metric-scores/en-de/chrF-refA.seg.score": _lines(scores),
    }


def _lines(rows: Sequence[Sequence[Any]], between: str = "\t") -> str:
    return "".join(between.join(map(str, row)) + "\n" for row in rows)


def record_lines(systems: Sequence[str] = SYSTEMS, items: Sequence[Any] = ITEMS) -> dict[str, Any]:
    """Return objects a line, with epochs and tasks."""
    (rows,) = records(systems, items).values()
    return {"rows.jsonl": [row | {"epoch": epoch, "task": "t"} for row in rows for epoch in (1, 2)]}


class Made(NamedTuple):
    """How small results of a benchmark are made, which are read under which metric, and where items are named."""

    make: Callable[..., dict[str, Any]]
    metric: str
    item: str = "{}"
    """How an item is called here."""
    by_file: bool = False
    """Whether folders or files name the systems."""
    options: Mapping[str, Any] = {}


MADE = {
    "lm-eval": Made(lm_eval_samples, "em", "t/{}", by_file=True),
    "lm-eval results": Made(lm_eval_results, "wer", by_file=True),
    "lm-eval older results": Made(lm_eval_older_results, "word_perplexity", by_file=True),
    "HELM": Made(helm, "exact_match", "MMLU:subject=law/{}"),
    "MTEB": Made(mteb, "main_score", by_file=True),
    "MTEB older": Made(mteb_older, "main_score", by_file=True),
    "inspect_ai": Made(inspect_logs, "model_graded_qa"),
    "inspect_ai archive": Made(inspect_archives, "model_graded_qa"),
    "AlpacaEval": Made(alpaca, "glm_preference"),
    "AlpacaEval lines": Made(alpaca_lines, "preference(j)"),
    "SWE-bench": Made(swe_bench, "resolved", by_file=True),
    "BigCodeBench": Made(code_tasks, "passed", by_file=True),
    "EvalPlus": Made(plus_tasks, "base", by_file=True),
    "Every Eval Ever": Made(every_eval_ever, "accuracy"),
    "Every Eval Ever samples": Made(evaluated_samples, "score"),
    "LiveCodeBench": Made(live_code_bench, "pass@1"),
    "LiveCodeBench evaluations": Made(evaluated_code, "pass@1", by_file=True),
    "tau-bench": Made(trials, "reward", by_file=True),
    "nuggetizer assignments": Made(assignments, "all", "{}/n0"),
    "nuggetizer metrics": Made(nuggetizer_metrics, "all_score", by_file=True),
    "AutoJudge": Made(autojudge, "good"),
    "AutoJudge list": Made(autojudge_list, "good"),
    "JSON records": Made(records, "acc", options={"columns": {"system": "model"}}),
    "JSON records, lines": Made(record_lines, "acc", options={"columns": {"system": "model"}}),
}
"""Every reader of JSON, by a name of its own."""
TEXTS = {
    "AutoJudge, tot": Made(tot, "good"),
    "ir_measures": Made(ir_measures, "AP", by_file=True),
    "four columns": Made(four_columns, "AP"),
    "DeepEval": Made(deepeval, "correctness", by_file=True),
    "nuggets": Made(dragun, "all", "{}/n0"),
    "ragas": Made(ragas, "faithfulness", by_file=True),
    "mt-metrics-eval": Made(mt_metrics_eval, "chrF-refA"),
}
"""Every reader of text."""


def as_archive(log: Mapping[str, Any], write: Callable[[Any], str | bytes] = json.dumps) -> bytes:
    """Return a log of inspect_ai as an archive, with the summaries of its samples."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("header.json", write({key: held for key, held in log.items() if key != "samples"}))
        if "samples" in log:
            archive.writestr("summaries.json", write(log["samples"]))
    return stream.getvalue()
