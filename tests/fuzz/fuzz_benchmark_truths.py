"""Results of benchmarks that are valid and oddly spelt; what each says is made before its text (see `fuzz_truths`).

Systems and items have any names: 1.10 beside 1.1, 007 beside 7, 1e3, true, None, twenty digits.
"""

import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from fuzz_harness import Case
from fuzz_spelling import NAMES, TOPICS, few, json_file, json_text, lines, number, table
from fuzz_spelling import words as spelt_words

_SCORES = (0.0, 1.0, 0.5, 0.25, 0.125, 0.001, 0.3333333333333333, 0.07, 2.5e-5)
_TWO = ("small", "large")
"""The systems where readers are given names for files."""
ODD = ("1.10", "1.1", "1e3", "1000", "true", "None", "NA", "nan", "007", "7", "9" * 20, str(2**63), "-0", "a b")
_ANY = tuple(dict.fromkeys((*NAMES, *ODD)))
_PLAIN = tuple(name for name in _ANY if not set(name) & set("/,()+"))
"""Names that can stand within others."""


def _items(rng: random.Random, least: int = 2, most: int = 4) -> list[str]:
    return rng.sample(_PLAIN, rng.randint(least, most))


def _cells(cells: Mapping[tuple[str, ...], float]) -> dict[str, object]:
    """Return what is read: of several metrics those that are not the same throughout, if any is not."""
    values = {metric: {value for key, value in cells.items() if key[0] == metric} for metric, *_ in cells}
    if len({len(some) > 1 for some in values.values()}) > 1:
        cells = {key: value for key, value in cells.items() if len(values[key[0]]) > 1}
    return {"cells": {" | ".join((*key, "1")[:4]): value for key, value in cells.items()}}


def _records(rng: random.Random, records: Sequence[Mapping[str, Any]]) -> bytes:
    """Write objects as a list, or a line each."""
    if rng.random() < 0.3:
        return json_file(rng, list(records))
    return lines(rng, [json_text(rng, one, line=True) for one in records])


def _mixed(rng: random.Random, name: str) -> object:
    """Return a name as JSON may have it: whole numbers as a number or as a text."""
    return int(name) if name.isascii() and name.isdigit() and str(int(name)) == name and rng.random() < 0.5 else name


def _benchmark_lines(rng: random.Random) -> Case:
    systems, topics = rng.sample(_ANY, 2), few(rng, TOPICS, 2, 3) if rng.random() < 0.5 else _items(rng)
    cells = {key: rng.choice(_SCORES) for key in product(("AP", "P é"), systems, topics)}
    names = ("measure", "run_id", "topic_id")
    records = [
        dict(zip(names, (key[0], *(_mixed(rng, name) for name in key[1:])), strict=True)) | {"value": one}
        for key, one in cells.items()
    ]
    return Case((_records(rng, rng.sample(records, len(records))),), {}, _cells(cells))


def _lm_eval(rng: random.Random) -> Case:
    files, cells, items = [], {}, _items(rng)
    for system in _TWO:
        rows = []
        for at, item in enumerate(items):
            scores = {name: rng.choice(_SCORES) for name in ("acc", "em é")}
            cells |= {(name, system, f"TASK/{item}"): one for name, one in scores.items()}
            about = {"doc_id": _mixed(rng, item), "doc_hash": f"h{at}", "prompt_hash": f"p{at}", "resps": [["x"]]}
            rows.append({**about, "metrics": [*scores, "bleu"], **scores, "bleu": ["a", "b"]})
        files.append(_records(rng, rows))
    return Case(tuple(files), {}, _cells(cells))


def _lm_eval_results(rng: random.Random) -> Case:
    files, cells, tasks = [], {}, rng.sample(_ANY, 2)
    for system in _TWO:
        results: dict[str, dict[str, Any]] = {}
        for task in tasks:
            score, other = rng.choice(_SCORES), rng.choice(_SCORES)
            results[task] = {"alias": task, "acc,none": score, "acc_stderr,none": "N/A", "em,first, é": other}
            cells |= {("acc", system, task): score, ("em(first, é)", system, task): other}
        about = {
            "versions": dict.fromkeys(tasks, rng.choice((1, 1.0))),
            "config": {},
            "n-shot": dict.fromkeys(tasks, 5),
        }
        groups = {"group_subtasks": {"all of them": [*results]}}
        files.append(json_file(rng, {"results": {**results, "all of them": {"acc,none": 0.5}}, **about, **groups}))
    return Case(tuple(files), {}, _cells(cells))


def _nuggetizer(rng: random.Random) -> Case:
    credit = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0, "failed": 0.0}
    files, cells, topics, texts = [], {}, _items(rng, 2, 2), [*_items(rng, 1, 1), "a nugget é"]
    for system in _TWO:
        records = []
        for topic in topics:
            labels = {text: rng.choice(list(credit)) for text in texts}
            cells |= {("all", system, f"{topic}/{text}"): credit[label] for text, label in labels.items()}
            nuggets = [
                {"text": text.replace(" ", "  "), "importance": ("vital", "failed")[at], "assignment": label}
                for at, (text, label) in enumerate(labels.items())
            ]
            records.append({"query": "q", "qid": _mixed(rng, topic), "run_id": system, "nuggets": nuggets})
        files.append(_records(rng, records))
    return Case(tuple(files), {}, _cells(cells))


def _nuggets(rng: random.Random) -> Case:
    credit = {"support": 1.0, "Partial Support": 0.5, "none": 0.0, "not-support": 0.0}
    systems, topics = (rng.sample([name for name in _PLAIN if " " not in name], 2) for _ in range(2))
    words = rng.choice((("topic", "run", "nugget"), ("topic_id", "run_tag", "answer_id")))
    numbers = words[-1] == "nugget" and rng.random() < 0.3
    credit = {"0": 0.0, "0.25": 0.25, "1": 1.0} if numbers else credit
    rows, cells = [[*words, "score" if numbers else "label"]], {}
    for system, topic, nugget in product(systems, topics, ("n1", "1.10")):
        label = rng.choice(list(credit))
        rows.append([topic, system, nugget, label])
        cells["all", system, f"{topic}/{nugget}", "1"] = credit[label]
    said = {" | ".join(key): one for key, one in cells.items()}
    return Case((table(rng, rows, ",\t"),), {}, {"said": said})


_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def _inspect_logs(rng: random.Random) -> tuple[list[dict[str, Any]], dict[str, object]]:
    logs, cells, items = [], {}, _items(rng)
    for system in _TWO:
        samples = []
        for item, epoch in product(items, (1, 2)):
            value = rng.choice(("C", "I", "P", "N", 0.25, 1.0))
            cells["match é", system, item, str(epoch)] = _GRADES[value] if isinstance(value, str) else value
            samples.append({"id": _mixed(rng, item), "epoch": epoch, "scores": {"match é": {"value": value}}})
        about = {"version": 2, "status": "success", "eval": {"task": "quiz", "task_version": 1, "model": system}}
        logs.append({**about, "samples": rng.sample(samples, len(samples))})
    return logs, _cells(cells)


def _inspect(rng: random.Random) -> Case:
    logs, truth = _inspect_logs(rng)
    return Case(tuple(json_file(rng, log) for log in logs), {}, truth)


def _archive(rng: random.Random) -> Case:
    logs, truth = _inspect_logs(rng)
    files = []
    for log in logs:
        stream, samples = io.BytesIO(), log.pop("samples")
        members = {f"samples/{at}_epoch_{one['epoch']}.json": json_text(rng, one) for at, one in enumerate(samples)}
        members["header.json"] = json_text(rng, log)
        listed = rng.sample(list(members.items()), len(members))
        listed += [("samples/", "")] if rng.random() < 0.3 else []
        with zipfile.ZipFile(stream, "w") as archive:
            for name, text in listed:
                pack = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)) if text else zipfile.ZIP_STORED
                archive.writestr(zipfile.ZipInfo(name, (1999, 1, 2, 3, 4, 6)), text, pack, rng.randint(1, 9))
            archive.comment = rng.choice((b"", b"a comment"))
        files.append(stream.getvalue())
    return Case(tuple(files), {}, truth)


def _alpaca(rng: random.Random) -> Case:
    files, cells, items = [], {}, [name for name in _items(rng, 4, 5) if name.isprintable()]
    for system in _TWO:
        own = {one: rng.choice((0.0, 0.5, 0.25, 1.0)) for one in items}
        cells |= {("preference", system, one): value for one, value in own.items()}
        about = {"generator_1": "base", "generator_2": system, "annotator": "1.10", "datasplit": "eval"}
        records = [{"instruction": one, **about, "preference": 1 + value} for one, value in own.items()]
        files.append(json_file(rng, records))
    return Case(tuple(files), {}, _cells(cells))


def _mteb(rng: random.Random) -> Case:
    files, cells, tasks = [], {}, rng.sample(_PLAIN, 2)
    for system, task in product(_TWO, tasks):
        scores = {name: rng.choice(_SCORES) for name in ("main_score", "f1")}
        cells |= {(name, system, task): one for name, one in scores.items()}
        splits = {"test": [{"hf_subset": "en", **scores, "v_measure_std": 0.5}]}
        splits |= {"validation": [{"hf_subset": "en", "main_score": 1.0, "f1": 1.0}]} if rng.random() < 0.3 else {}
        about = {"task_name": _mixed(rng, task), "dataset_revision": rng.choice(("r1", "None", None))}
        files.append(json_file(rng, {**about, "scores": splits}))
    return Case(tuple(files), {}, _cells(cells))


def _helm(rng: random.Random) -> Case:
    files, cells, items, models, by_name = [], {}, _items(rng), rng.sample(_ANY, 2), rng.random() < 0.3
    scenario = "mmlu:subject=law" if by_name else "MMLU:b=1,subject=law"
    for model in models:
        spec: dict[str, Any] = {"adapter_spec": {"model": model, "max_train_instances": rng.choice((5, 5.0))}}
        spec["scenario_spec"] = {"class_name": "helm.MMLUScenario", "args": {"subject": "law", "b": 1}}
        if by_name:
            spec = {"adapter_spec": spec["adapter_spec"], "metric_specs": [], "name": f"{scenario},model=org_m"}
        stats = []
        for item in items:
            cells["exact_match", model, f"{scenario}/{item}", "1"] = mean = rng.choice(_SCORES)
            stat = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": mean}
            stats.append({"instance_id": _mixed(rng, item), "train_trial_index": 0, "stats": [stat]})
        valid = {"name": {"name": "exact_match", "split": "valid"}, "count": 1, "mean": 1.0}
        stats.append({"instance_id": "of valid", "train_trial_index": 0, "stats": [valid]})
        files += [json_file(rng, spec), json_file(rng, rng.sample(stats, len(stats)))]
    return Case(tuple(files), {}, {"said": _cells(cells)["cells"]})


def _swe_bench(rng: random.Random) -> Case:
    files, cells, items = [], {}, _items(rng)
    for system in _TWO:
        solved = {item: rng.random() < 0.5 for item in items}
        cells |= {("resolved", system, item): float(own) for item, own in solved.items()}
        resolved = [item for item in items if solved[item]]
        tried = [item for item in items if not solved[item] and rng.random() < 0.7]
        lists = {"submitted": items, "resolved": resolved, "unresolved": tried}
        report: dict[str, Any] = {"total_instances": 500, "schema_version": 2}
        for name, listed in lists.items():
            report[f"{name}_ids"] = [_mixed(rng, item) for item in rng.sample(listed, len(listed))]
            report |= {f"{name}_instances": len(listed)} if rng.random() < 0.7 else {}
        files.append(json_file(rng, report))
    return Case(tuple(files), {}, _cells(cells))


def _test_logs(rng: random.Random) -> Case:
    """Write logs of pytest-reportlog, some with a test that was run again."""
    files, cells, items = [], {}, _items(rng)
    for system in _TWO:
        rows: list[dict[str, Any]] = [{"$report_type": "SessionStart", "pytest_version": "1.10"}]
        for item in items:
            fails, again = rng.random() < 0.4, rng.random() < 0.2
            outcomes = [
                *((("call", "rerun"),) if again else ()),
                ("setup", "passed"),
                ("call", "failed" if fails else "passed"),
            ]
            rows += [
                {"$report_type": "TestReport", "nodeid": item, "when": when, "outcome": said} for when, said in outcomes
            ]
            cells["passed", system, item, "1"] = float(not fails)
        files.append(lines(rng, [json_text(rng, row, line=True) for row in rows]))
    return Case(tuple(files), {}, _cells(cells))


def _code_tasks(rng: random.Random) -> Case:
    """Write samples of BigCodeBench, or of EvalPlus, whose further tests count where the first ones are passed."""
    files, cells, items = [], {}, _items(rng)
    of_plus, words = rng.random() < 0.5, ("pass", "fail", "timeout", "Pass")
    for system in _TWO:
        tasks: dict[str, list[dict[str, Any]]] = {}
        for item, repeat in product(items, ("1", "2")):
            first, second = rng.choice(words), rng.choice(words)
            about = {"task_id": item, "solution": "def f():\n\tpass", "details": {"0": "é"}}
            if of_plus:
                cells["base", system, item, repeat] = float(first == "pass")
                cells["plus", system, item, repeat] = float((first, second) == ("pass", "pass"))
                about |= {"base_status": first, "plus_status": second, "base_fail_tests": [[1, 2]]}
            else:
                cells["passed", system, item, repeat] = float(first == "pass")
                about |= {"status": first}
            tasks.setdefault(item, []).append(about)
        files.append(json_file(rng, {"date": "2026-01-01", "hash": "007", "eval": tasks}))
    return Case(tuple(files), {}, _cells(cells))


def _reviews(rng: random.Random) -> Case:
    """Write reviews of EvalScope, of which a group may have two samples."""
    files, cells, items, repeats = [], {}, _items(rng), ("1", "2")[: rng.randint(1, 2)]
    for system in _TWO:
        rows = []
        for at, (item, repeat) in enumerate(product(items, repeats)):
            scores = {name: rng.choice((*_SCORES, True)) for name in ("acc", "é")}
            cells |= {(name, system, f"T/{item}", repeat): float(score) for name, score in scores.items()}
            value = {"value": scores, "prediction": "x", "main_score_name": "acc"}
            scored = {"score": value, "sample_id": at, "group_id": _mixed(rng, item)}
            rows.append({"index": at, "input": "Q", "target": "1.10", "sample_score": scored})
        files.append(lines(rng, [json_text(rng, row, line=True) for row in rows]))
    return Case(tuple(files), {}, _cells(cells))


def _evaluations(rng: random.Random) -> Case:
    """Write whole evaluations of Every Eval Ever, a file a model, under two metrics of which each has its unit."""
    files, cells, items = [], {}, rng.sample(_ANY, rng.randint(2, 4))
    metrics = {"acc é": False, rng.choice(("1.10", "007", "error")): True}
    units = {name: {"min_score": 0, "max_score": rng.choice((1, 100)), "score_type": "continuous"} for name in metrics}
    for system in _TWO:
        results = []
        for item, (metric, lower) in product(items, metrics.items()):
            cells[metric, system, item] = one = rng.choice(_SCORES)
            called = {"metric_name": metric} if rng.random() < 0.5 else {"metric_name": None, "metric_id": metric}
            details = {"score": one, "uncertainty": {"standard_error": {"value": 0.01}}}
            config = {**called, **units[metric], "lower_is_better": lower}
            about = {"evaluation_name": _mixed(rng, item), "metric_config": config}
            results.append({**about, "score_details": details})
        said = {"model_info": {"name": "x", "id": rng.choice(_ANY)}, "evaluation_results": results}
        files.append(json_file(rng, {"schema_version": "0.3.0", **said}))
    table = _cells(cells)
    kept = {key.split(" | ")[0] for key in table["cells"]}
    return Case(
        tuple(files), {}, {**table, "lower": [name for name, lower in metrics.items() if lower and name in kept]}
    )


def _evaluated(rng: random.Random) -> Case:
    """Write samples of one evaluation or of two, with the models in one file."""
    systems, samples, names = rng.sample(_ANY, 2), _items(rng), rng.sample(_PLAIN, rng.randint(1, 2))
    cells, records = {}, []
    for system, name, sample in product(systems, names, samples):
        item = f"{name}/{sample}" if len(names) > 1 else sample
        cells["score", system, item] = one = rng.choice(_SCORES)
        about = {
            "model_id": _mixed(rng, system),
            "evaluation_name": _mixed(rng, name),
            "sample_id": _mixed(rng, sample),
        }
        hashed = {"sample_hash": f"h{item}"} if rng.random() < 0.8 else {}
        records.append({**about, **hashed, "input": {"raw": "é"}, "evaluation": {"score": one, "is_correct": one == 1}})
    return Case((_records(rng, rng.sample(records, len(records))),), {}, _cells(cells))


def _performances(rng: random.Random) -> Case:
    """Write LiveCodeBench's records under their name, with lists beside them."""
    systems, topics, cells, records = rng.sample(_ANY, 2), _items(rng), {}, []
    for system, topic in product(systems, topics):
        cells["pass@1", system, topic] = one = 100 * rng.choice(_SCORES)
        about = {"difficulty": rng.choice(("easy", "hard")), "platform": "leetcode", "date": 1683417600000}
        records.append({"question_id": _mixed(rng, topic), "model": _mixed(rng, system), **about, "pass@1": one})
    beside = {"models": [{"model_name": system} for system in systems], "date_marks": [1683417600000]}
    beside = beside if rng.random() < 0.7 else {}
    return Case((json_file(rng, {"performances": rng.sample(records, len(records)), **beside}),), {}, _cells(cells))


def _attempts(rng: random.Random) -> Case:
    """Write human-eval's samples, LiveCodeBench's evaluations or tau-bench's trials, with words beside the scores."""
    files, cells, items = [], {}, _items(rng)
    kind, n_trials = rng.choice(("passed", "pass@1", "reward")), rng.randint(1, 2)
    trials = ["1"] if kind == "pass@1" else [str(at + (kind == "passed")) for at in range(n_trials)]
    for system in _TWO:
        rows: list[dict[str, Any]] = []
        for item, trial in product(items, trials):
            score = rng.choice((0.0, 1.0)) if kind == "passed" else rng.choice(_SCORES)
            cells[kind, system, item, trial] = score
            called = {"question_id" if kind == "pass@1" else "task_id": _mixed(rng, item)}
            beside = {
                "passed": {"completion": rng.choice(("x = 1\ny", "é")), "result": rng.choice(("passed", "é\n1"))},
                "pass@1": {"starter_code": "", "graded_list": [True], "contest_id": rng.choice(("1873", "abc301"))},
                "reward": {"info": {"error": "é"}, "traj": [{"role": "user"}], "trial": int(trial)},
            }
            rows.append({**called, kind: bool(score) if kind == "passed" else score, **beside[kind]})
        files.append(_records(rng, rows))
    return Case(tuple(files), {}, _cells(cells))


def _search(rng: random.Random) -> Case:
    """Write `cv_results_` of scikit-learn as JSON, or as the table that pandas makes of it."""
    values = (1, 10, 0.1, 1.1, True, None, "rbf", "it's", "1.10", (3, "a b"), "a: 'b', c")
    settings = [{"C": at, "svm__kernel": value} for at, value in enumerate(rng.sample(values, rng.randint(2, 3)))]
    settings += [{}] if rng.random() < 0.2 else []
    columns: dict[str, list[Any]] = {"mean_fit_time": [0.5] * len(settings), "params": [*settings]}
    cells: dict[tuple[str, ...], float] = {}
    scorers = rng.choice((["score"], rng.sample(ODD, 2), rng.sample(_PLAIN, 2)))
    for metric, fold in product(scorers, range(rng.choice((2, 11)))):
        columns[f"split{fold}_test_{metric}"] = scores = [rng.choice(_SCORES) for _ in settings]
        columns[f"split{fold}_train_{metric}"] = [1.0] * len(settings)
        cells |= {(metric, str(at), f"split{fold}"): one for at, one in enumerate(scores)}
    as_table = rng.random() < 0.5
    held = settings if as_table else [{key: _of_json(one) for key, one in params.items()} for params in settings]
    called = [", ".join(f"{key}={one}" for key, one in params.items()) or "default" for params in held]
    cells = {(metric, called[int(at)], fold): one for (metric, at, fold), one in cells.items()}
    truth = {"cells": {" | ".join((*key, "1")): one for key, one in cells.items()}}
    names = rng.sample([*columns], len(columns))
    if not as_table:
        return Case((json_file(rng, {name: columns[name] for name in names}, names=False),), {}, truth)
    rows = [names, *([_cell(columns[name][at]) for name in names] for at in range(len(settings)))]
    numbered = [["", *names], *([str(at), *row] for at, row in enumerate(rows[1:]))]
    return Case((table(rng, rng.choice((rows, numbered)), ","),), {}, truth)


def _of_json(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _validated(rng: random.Random) -> Case:
    """Write what `cross_validate` returns by estimator, whose folds are as many as its times."""
    systems, metrics, n_folds = rng.sample(_ANY, 2), rng.sample(("score", *_PLAIN), 2), rng.choice((2, 3, 11))
    cells: dict[tuple[str, ...], float] = {}
    said = {}
    for system in systems:
        said[system] = result = {"fit_time": [0.5] * n_folds, "score_time": [0.25] * n_folds}
        for metric in metrics:
            scores = [rng.choice(_SCORES) for _ in range(n_folds)]
            cells |= {(metric, system, f"split{fold}"): one for fold, one in enumerate(scores)}
            result |= {f"test_{metric}": scores, f"train_{metric}": [1.0] * n_folds}
    truth = {"cells": {" | ".join((*key, "1")): one for key, one in cells.items()}}
    return Case((json_file(rng, said),), {}, truth)


def _frames(rng: random.Random) -> Case:
    """Frames of ragas, numbered or with an id, and metrics of nuggetizer with the line of all topics."""
    files, cells, items = [], {}, _items(rng)
    of_nuggets = rng.random() < 0.5
    metrics = ("vital_score", "all_score") if of_nuggets else ("faithfulness", "tone é")
    numbered = not of_nuggets and rng.random() < 0.5
    for system in _TWO:
        rows = []
        for at, item in enumerate(items, start=1):
            scores = {name: rng.choice(_SCORES) for name in metrics}
            cells |= {(name, system, str(at) if numbered else item): one for name, one in scores.items()}
            texts = {} if of_nuggets else {"user_input": f"question {at}", "response": rng.choice(("é", "no"))}
            called = {} if numbered else {"qid" if of_nuggets else "id": _mixed(rng, item)}
            rows.append({**called, **texts, **scores})
        rows += [{"qid": "all", **dict.fromkeys(metrics, 0.5)}] if of_nuggets else []
        if of_nuggets or rng.random() < 0.5:
            files.append(_records(rng, rows))
        else:
            head = list(rows[0])
            files.append(table(rng, [head, *([_cell(row[name]) for name in head] for row in rows)], ",\t"))
    return Case(tuple(files), {}, _cells(cells))


def _cell(value: object) -> str:
    if isinstance(value, dict):  # as pandas writes it
        return str(value)
    return value if isinstance(value, str) else json.dumps(value)


def _language_pair(rng: random.Random) -> Case:
    n_segments, cells = rng.randint(2, 4), {}
    systems = rng.sample([name for name in _ANY if " " not in name], 2)
    documents = spelt_words(rng, [["news", f"doc{at // 2}"] for at in range(n_segments)], empty=False)
    files = [documents]
    for metric in ("", "BLEU-refA", "chrF-refA"):
        rows = []
        for system, at in product(systems, range(1, n_segments + 1)):
            score = rng.choice((*_SCORES, -1.0, 7.0))
            rows.append([system, number(rng, score)])
            cells[metric, system, str(at)] = score
        files.append(spelt_words(rng, rows, empty=False))
    said = {key: one for key, one in cells.items() if key[0]}
    return Case(tuple(files), {}, {"said": _cells(said)["cells"]})


SPELLINGS: Mapping[str, Callable[[random.Random], Case]] = {
    "benchmark-lines": _benchmark_lines,
    "benchmark-lm-eval": _lm_eval,
    "benchmark-lm-eval-results": _lm_eval_results,
    "benchmark-nuggetizer": _nuggetizer,
    "benchmark-nuggets": _nuggets,
    "benchmark-inspect": _inspect,
    "benchmark-inspect-archive": _archive,
    "benchmark-alpaca": _alpaca,
    "benchmark-mteb": _mteb,
    "benchmark-helm": _helm,
    "benchmark-swe": _swe_bench,
    "benchmark-test-logs": _test_logs,
    "benchmark-code": _code_tasks,
    "benchmark-reviews": _reviews,
    "benchmark-evaluations": _evaluations,
    "benchmark-evaluated": _evaluated,
    "benchmark-performances": _performances,
    "benchmark-attempts": _attempts,
    "benchmark-search": _search,
    "benchmark-validated": _validated,
    "benchmark-frames": _frames,
    "mt-metrics-eval": _language_pair,
}
"""Reader to its documents."""
