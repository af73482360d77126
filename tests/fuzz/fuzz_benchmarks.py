"""Results of benchmarks: JSON of several programs, JSON lines, and logs in zip archives.

Documents are changed as text, and as JSON: a value or a name becomes another. The second opinion is Python's own json
with the rules of the documentation, literally.
"""

import ast
import io
import json
import math
import random
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from fuzz_binary import change_bytes
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import is_average, is_number, name_of, number_of, with_titles
from fuzz_tables import names_and_rows
from fuzz_text import Change, text_mutation

from metaeval.io.tables import read_scores

_SYSTEMS = ("small", "large")
_ODD = (
    *(None, True, False, 0, 1, -1.5, 2**53 + 1, 1e300, math.nan, math.inf, "", " ", "x", "0.5", "C", "I", "P", "all"),
    *([], {}, [1], {"a": 1}, [[1]], {"value": 1}, "a\nb", "é", "\ud800", "x" * 2000),
)
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}

# ---------------------------------------------------------------------------------------------------- changes


def _places(value: object, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        found.append((value, key))
        _places(below, found)
    return found


def change_value(rng: random.Random, content: bytes) -> bytes:
    """Change a value, drop it, or give it another name, in a document or in one of its lines."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    whole = rng.random() < 0.5
    try:
        tree = json.loads(content if whole else lines[at])
    except ValueError:
        return content
    places = _places(tree, [])
    if not places:
        return content
    holder, key = rng.choice(places)
    kind = rng.random()
    if kind < 0.5:
        holder[key] = rng.choice(_ODD)
    elif kind < 0.7:
        del holder[key]
    elif isinstance(holder, dict):
        other = rng.choice([*[name for place, name in places if place is holder], "new", "", "value", "score"])
        holder[other] = holder.pop(key)
    else:
        holder.append(holder[key])
    try:
        text = json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode()
    except UnicodeEncodeError:
        return content
    return text if whole else b"\n".join([*lines[:at], text, *lines[at + 1 :]])


def _double_name(rng: random.Random, content: bytes) -> bytes:
    return content.replace(b"{", rng.choice((b'{"a": 1, "a": 2, ', b'{"scores": 1, ', b'{"doc_id": 7, ')), 1)


CHANGES: tuple[tuple[Change, int], ...] = ((change_value, 60), (_double_name, 2))

# -------------------------------------------------------------------------------------------------- documents


def _number(rng: random.Random) -> float:
    return rng.choice((0, 1, 0.5, 0.25, round(rng.random(), 3)))


def _make_lines(rng: random.Random) -> Case:
    topics, metrics = rng.randint(2, 4), ("AP", "P")[: rng.randint(1, 2)]
    rows = [
        {"run_id": system, "topic_id": f"q{topic}", "measure": metric, "value": _number(rng)}
        for system in _SYSTEMS
        for topic in range(topics)
        for metric in metrics
    ]
    if rng.random() < 0.3:
        rows.append({"run_id": "small", "topic_id": "all", "measure": "AP", "value": 0.5})
    rng.shuffle(rows)
    as_list = rng.random() < 0.3
    return Case((json.dumps(rows).encode() if as_list else "".join(json.dumps(row) + "\n" for row in rows).encode(),))


def _make_samples(rng: random.Random) -> Case:
    n_items, filters = rng.randint(2, 4), ("none", "strict")[: rng.randint(1, 2)]
    files = []
    for _ in _SYSTEMS:
        lines = [
            {
                "doc_id": at,
                "doc_hash": f"h{at}",
                "prompt_hash": "p",
                "resps": [["x"]],
                "filter": used,
                "metrics": ["acc", "em"],
            }
            | {"acc": _number(rng), "em": _number(rng)}
            for at in range(n_items)
            for used in filters
        ]
        files.append("".join(json.dumps(line) + "\n" for line in lines).encode())
    return Case(tuple(files))


def _make_results(rng: random.Random) -> Case:
    def result(system: str) -> bytes:
        tasks = {task: {"alias": task, "acc,none": _number(rng), "acc_stderr,none": "N/A"} for task in ("t1", "t2")}
        tasks["t2"]["em,strict"] = _number(rng)
        said = {"versions": {"t1": 1.0}, "config": {}, "n-shot": {"t1": 0, "t2": 0}, "model_name_sanitized": system}
        group = {"group_subtasks": {"both": ["t1", "t2"]}} if rng.random() < 0.5 else {}
        return json.dumps({"results": tasks | ({"both": {"acc,none": 0.5}} if group else {}), **group, **said}).encode()

    return Case(tuple(map(result, _SYSTEMS)))


def _make_assignments(rng: random.Random) -> Case:
    labels = ("support", "partial_support", "not_support", "failed")
    return Case(tuple(
        "".join(
            json.dumps({"qid": f"q{topic}", "run_id": system, "nuggets": [
                {"text": f"n{at}", "importance": ("vital", "okay", "failed")[at], "assignment": rng.choice(labels)}
                for at in range(3)
            ]}) + "\n"
            for topic in range(2)
        ).encode()
        for system in _SYSTEMS
    ))  # fmt: skip


def _make_mteb(rng: random.Random) -> Case:
    def result(task: str) -> bytes:
        subsets = ("en", "de")[: rng.randint(1, 2)]
        entries = [{"hf_subset": subset, "main_score": _number(rng), "f1": _number(rng)} for subset in subsets]
        several = {"scores_per_experiment": [{"f1": 0.25}, {"f1": 0.75}]} if rng.random() < 0.3 else {}
        entries = [entry | several | ({"f1": 0.5} if several else {}) for entry in entries]
        splits = {"test": entries} | ({"validation": entries[:1]} if rng.random() < 0.3 else {})
        return json.dumps({"task_name": task, "dataset_revision": "r1", "scores": splits}).encode()

    return Case(tuple(result(task) for _ in _SYSTEMS for task in ("T1", "T2")))


def _log(rng: random.Random, system: str) -> dict[str, Any]:
    epochs = rng.randint(1, 2)
    samples = [
        {"id": at, "epoch": epoch, "scores": {"match": {"value": rng.choice(("C", "I", "P", "N", 0.25, True))}}}
        for at in range(3)
        for epoch in range(1, epochs + 1)
    ]
    return {"version": 2, "status": "success", "eval": {"task": "quiz", "model": system}, "samples": samples}


def _make_logs(rng: random.Random) -> Case:
    return Case(tuple(json.dumps(_log(rng, system)).encode() for system in _SYSTEMS))


def _make_archives(rng: random.Random) -> Case:
    files = []
    for system in _SYSTEMS:
        log, stream = _log(rng, system), io.BytesIO()
        with zipfile.ZipFile(stream, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for sample in log["samples"]:
                name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
                archive.writestr(zipfile.ZipInfo(name), json.dumps(sample))
            if rng.random() < 0.7:
                archive.writestr(zipfile.ZipInfo("summaries.json"), json.dumps(log["samples"]))
            archive.writestr(
                zipfile.ZipInfo("header.json"), json.dumps({k: v for k, v in log.items() if k != "samples"})
            )
        files.append(stream.getvalue())
    return Case(tuple(files))


def _make_reports(rng: random.Random) -> Case:
    items = [f"i{at}" for at in range(rng.randint(2, 4))]
    files = []
    for _ in _SYSTEMS:
        resolved = [item for item in items if rng.random() < 0.5]
        lists = {"submitted": items, "resolved": resolved, "unresolved": [one for one in items if one not in resolved]}
        report: dict[str, Any] = {"total_instances": len(items), "schema_version": 2}
        for name, listed in lists.items():
            report |= {f"{name}_ids": [*listed], f"{name}_instances": len(listed)}
        files.append(json.dumps(report).encode())
    return Case(tuple(files))


def _make_test_logs(rng: random.Random) -> Case:
    tests, files = [f"test_a.py::test_{at}" for at in range(rng.randint(2, 4))], []
    for _ in _SYSTEMS:
        rows = [{"$report_type": "SessionStart", "pytest_version": "8.3"}]
        for name in tests:
            for phase in ("setup", "call", "teardown"):
                outcome = "failed" if phase == "call" and rng.random() < 0.4 else "passed"
                rows.append({"nodeid": name, "outcome": outcome, "when": phase, "$report_type": "TestReport"})
        files.append("".join(json.dumps(row) + "\n" for row in rows).encode())
    return Case(tuple(files))


def _make_code_tasks(rng: random.Random) -> Case:
    tasks, n_samples, of_plus = rng.randint(2, 4), rng.randint(1, 2), rng.random() < 0.5
    words, files = ("pass", "pass", "fail", "timeout"), []
    for _ in _SYSTEMS:
        held: dict[str, list[dict[str, Any]]] = {}
        for task in (f"Code/{at}" for at in range(tasks)):
            names = ("base_status", "plus_status") if of_plus else ("status",)
            held[task] = [
                {"task_id": task, "solution": "def f():\n  pass", **{name: rng.choice(words) for name in names}}
                for _ in range(n_samples)
            ]
        files.append(json.dumps({"date": "2026-01-01 00:00", "hash": "h", "eval": held}).encode())
    return Case(tuple(files))


def _make_reviews(rng: random.Random) -> Case:
    items, metrics, older = rng.randint(2, 4), ("acc", "f1")[: rng.randint(1, 2)], rng.random() < 0.3
    files = []
    for _ in _SYSTEMS:
        rows = []
        for at in range(items):
            scores = {name: rng.choice((_number(rng), True, False, 1)) for name in metrics}
            about: dict[str, Any] = {"index": at, "input": f"Q{at}", "target": "x"}
            scored = {"score": {"value": scores, "prediction": "x", "metadata": {}}, "sample_id": at, "group_id": None}
            review = {"choices": [{"review": {"gold": "x", "pred": "y", "result": scores}}], "review_id": f"r{at}"}
            rows.append(about | ({**review, "reviewed": True} if older else {"sample_score": scored}))
        files.append("".join(json.dumps(row) + "\n" for row in rows).encode())
    return Case(tuple(files))


def _make_evaluations(rng: random.Random) -> Case:
    names, metrics = ("gsm8k", "mmlu", "ifeval")[: rng.randint(2, 3)], ("acc", "wer")[: rng.randint(1, 2)]
    unit = {"score_type": "continuous", "min_score": 0, "max_score": rng.choice((1, 100))}
    said = {
        "acc": {"metric_name": "acc", **unit, "lower_is_better": False},
        "wer": {"metric_id": "wer", **unit, "lower_is_better": True},
    }
    return Case(tuple(
        json.dumps({
            "schema_version": "0.3.0", "model_info": {"name": system, "id": f"org/{system}"},
            "evaluation_results": [
                {"evaluation_name": name, "metric_config": said[metric], "score_details": {"score": _number(rng)}}
                for name in names
                for metric in metrics
            ],
        }).encode()
        for system in _SYSTEMS
    ))  # fmt: skip


def _make_evaluated(rng: random.Random) -> Case:
    names, n_samples = ("gsm8k", "mmlu")[: rng.randint(1, 2)], rng.randint(2, 3)
    rows = [
        {
            "model_id": system, "evaluation_name": name, "sample_id": f"s{at}", "sample_hash": f"h{at}",
            "input": {"raw": "q"}, "evaluation": {"score": _number(rng), "is_correct": True},
        }
        for system in _SYSTEMS
        for name in names
        for at in range(n_samples)
    ]  # fmt: skip
    return Case(("".join(json.dumps(row) + "\n" for row in rows).encode(),))


def _make_performances(rng: random.Random) -> Case:
    n_items = rng.randint(2, 4)
    rows = [
        {
            "question_id": f"q{at}", "model": system, "date": 1683417600000 + at, "difficulty": "easy",
            "pass@1": 100 * _number(rng), "platform": "leetcode",
        }
        for system in _SYSTEMS
        for at in range(n_items)
    ]  # fmt: skip
    models = [{"model_name": system, "release_date": 1} for system in _SYSTEMS]
    return Case((json.dumps({"performances": rows, "models": models, "date_marks": [1683417600000]}).encode(),))


def _make_attempts(rng: random.Random) -> Case:
    """Make results of human-eval, of LiveCodeBench's evaluation or of tau-bench, one file a system."""
    tasks, n_samples, kind = rng.randint(2, 4), rng.randint(1, 2), rng.choice(("passed", "pass@1", "reward"))
    files = []
    for _ in _SYSTEMS:
        samples = [*product((f"Task/{at}" for at in range(tasks)), range(n_samples if kind != "pass@1" else 1))]
        rows = [
            {"task_id": task, "completion": "def f():\n  1", "result": "passed", "passed": rng.random() < 0.5}
            if kind == "passed"
            else {"question_id": task, "difficulty": "easy", "graded_list": [True, False], "pass@1": _number(rng)}
            if kind == "pass@1"
            else {"task_id": task, "reward": float(rng.random() < 0.5), "info": {}, "traj": [], "trial": sample}
            for task, sample in samples
        ]
        files.append("".join(json.dumps(row) + "\n" for row in rows) if kind == "passed" else json.dumps(rows))
    return Case(tuple(text.encode() for text in files))


def _make_search(rng: random.Random) -> Case:
    settings = [{"C": 1, "kernel": "rbf"}, {"C": 10, "kernel": "rbf"}, {"C": 0.5, "kernel": None}][: rng.randint(2, 3)]
    scorers, n_folds = ("score",) if rng.random() < 0.5 else ("acc", "f1"), rng.randint(2, 3)
    columns: dict[str, list[Any]] = {"mean_fit_time": [0.25 for _ in settings], "params": [*settings]}
    columns["param_C"] = [one["C"] for one in settings]
    for scorer in scorers:
        columns |= {f"split{fold}_test_{scorer}": [_number(rng) for _ in settings] for fold in range(n_folds)}
        columns |= {f"mean_test_{scorer}": [0.5 for _ in settings], f"split0_train_{scorer}": [1.0 for _ in settings]}
    if rng.random() < 0.5:
        return Case((json.dumps(columns).encode(),))
    cells = [[f'"{one}"' if isinstance(one, dict) else str(one) for one in held] for held in columns.values()]
    return Case(("".join(",".join(row) + "\n" for row in (columns, *zip(*cells, strict=True))).encode(),))


def _make_validated(rng: random.Random) -> Case:
    scorers, n_folds = ("score",) if rng.random() < 0.5 else ("acc", "f1"), rng.randint(2, 3)
    times = {"fit_time": [0.5] * n_folds, "score_time": [0.25] * n_folds}
    return Case((
        json.dumps({
            system: times
            | {f"test_{scorer}": [_number(rng) for _ in range(n_folds)] for scorer in scorers}
            | {f"train_{scorer}": [1.0] * n_folds for scorer in scorers}
            for system in _SYSTEMS
        }).encode(),
    ))  # fmt: skip


def _make_frames(rng: random.Random) -> Case:
    n_items, of_nuggets = rng.randint(2, 4), rng.random() < 0.5
    files = []
    for _ in _SYSTEMS:
        rows: list[dict[str, Any]] = [
            {"qid": f"q{at}", "vital_score": _number(rng), "all_score": _number(rng)}
            if of_nuggets
            else {"id": f"q{at}", "user_input": f"ask {at}", "response": "é", "tone": _number(rng)}
            for at in range(n_items)
        ]
        rows += [{"qid": "all", "vital_score": 0.5, "all_score": 0.5}] if of_nuggets else []
        files.append("".join(json.dumps(row) + "\n" for row in rows).encode())
    return Case(tuple(files))


def _make_annotations(rng: random.Random) -> Case:
    return Case(tuple(
        json.dumps([
            {"instruction": f"question {at}", "generator_1": "base", "generator_2": system}
            | {"preference": 1 + _number(rng)}
            for at in range(3)
        ]).encode()
        for system in _SYSTEMS
    ))  # fmt: skip


# --------------------------------------------------------------------------------------------- second opinion


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise RefusedError("a name twice")
    return dict(pairs)


def parsed_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except ValueError as error:
        raise RefusedError("no JSON") from error


def _records(content: bytes) -> list[dict[str, Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError("no UTF-8") from error
    try:
        found = parsed_json(text)
    except RefusedError:
        found = [
            parsed_json(line) for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip()
        ]
    found = found if isinstance(found, list) else [found]
    if not all(isinstance(one, dict) for one in found):
        raise RefusedError("not only objects")
    return found


def score_of(value: object) -> float | None:
    """Return a score, None for a gap."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, int | float) or math.isinf(value):
        raise RefusedError("no number")
    return float(value)


def _alike(cells: Mapping[tuple[str, str, str, str], Sequence[float | None]]) -> dict[tuple[str, ...], list[float]]:
    """Return the scores, of which a cell may have several that are equal."""
    held = {key: [value for value in values if value is not None] for key, values in cells.items()}
    if any(len(set(values)) > 1 for values in held.values()):
        raise RefusedError("a score twice")
    return {key: values for key, values in held.items() if values}


def _table(cells: Mapping[tuple[str, str, str, str], Sequence[float | None]]) -> list[object]:
    """Lay scores of metric, system, topic and repeat out; of several metrics those with most scores stay."""
    held = {key[:3] for key, values in cells.items() if any(value is not None for value in values)}
    counts = Counter(metric for metric, _, _ in held)
    if not counts:
        raise RefusedError("no score")
    kept = {metric for metric, number in counts.items() if number == max(counts.values())}
    known = {key: said[0] for key, said in _alike({key: of for key, of in cells.items() if key[0] in kept}).items()}
    if not all(is_average(key[3]) for key in known):
        known = {key: value for key, value in known.items() if not is_average(key[3])}
    varied = {name for name in kept if len({value for key, value in known.items() if key[0] == name}) > 1}
    kept = varied or kept
    known = {key: value for key, value in known.items() if key[0] in kept}
    return [{"cells": {" | ".join(key): value for key, value in known.items()}}]


def _sample_opinions(case: Case) -> list[object]:
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        for record in _records(content):
            used = str(record.get("filter", "none"))
            names = record.get("metrics")
            names = [name for name in record if name not in _NO_METRICS] if names is None else names
            scores = {name if used == "none" else f"{name}({used})": record.get(name) for name in names}
            for name, value in scores.items():
                if isinstance(value, int | float | None):
                    cells.setdefault((name, system, f"TASK/{record['doc_id']}", "1"), []).append(score_of(value))
    return _table(cells)


_NO_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
}  # fmt: skip


def _log_opinions(case: Case) -> list[object]:
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        (log,) = _records(content)
        for sample in log["samples"]:
            for scorer, score in (sample.get("scores") or {}).items():
                value = score["value"]
                parts = (
                    {f"{scorer}.{name}": part for name, part in value.items()}
                    if isinstance(value, dict)
                    else {scorer: value}
                )
                for name, part in parts.items():
                    number = _GRADES.get(part, part) if isinstance(part, str) else part
                    if isinstance(number, int | float | None):
                        key = (name, system, str(sample["id"]).strip(), str(sample.get("epoch", 1)))
                        cells.setdefault(key, []).append(score_of(number))
    return _table(cells)


def _result_opinions(case: Case) -> list[object]:
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        (said,) = _records(content)
        groups = said.get("group_subtasks")
        for task, values in said["results"].items():
            if isinstance(groups, dict) and groups.get(task):
                continue
            for key, value in values.items():
                name, _, used = key.partition(",")
                if name.endswith("_stderr") or key in {"name", "alias", "sample_len", "sample_count"}:
                    continue
                if isinstance(value, int | float | None):
                    metric = name if used in {"", "none"} else f"{name}({used})"
                    cells.setdefault((metric, system, task, "1"), []).append(score_of(value))
    return _table(cells)


_CREDIT = {
    **dict.fromkeys(("support", "supports", "supported"), 1.0),
    **dict.fromkeys(("partial", "partial_support", "partially_supports"), 0.5),
    **dict.fromkeys(("none", "not_support", "no_support", "not_supported", "failed"), 0.0),
    **dict.fromkeys(("contradict", "contradicts", "contradicted", "contradiction"), 0.0),
}


def _assignment_opinions(case: Case) -> list[object]:
    """Take the measure "all" of every nugget, which is its credit."""
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        for record in _records(content):
            for nugget in record["nuggets"]:
                topic = f"{record['qid']}/{' '.join(str(nugget['text']).split())}"
                label = str(nugget["assignment"]).strip().casefold()
                if label not in _CREDIT and not (label.replace(".", "", 1).isdigit() and float(label) <= 1):
                    raise RefusedError("an unknown label")
                key = ("all", system, topic, "1")
                if key in cells:
                    raise RefusedError("a nugget twice")
                cells[key] = [_CREDIT[label] if label in _CREDIT else float(label)]
    return _table(cells)


def _annotation_opinions(case: Case) -> list[object]:
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        for record in _records(content):
            value = score_of(record.get("preference"))
            value = 1.5 if value == 0 else value  # a draw, of old
            key = ("preference", system, record["instruction"], "1")
            cells.setdefault(key, []).append(None if value is None else value - 1)
    return _table(cells)


def _named(value: object) -> str:
    """Return a name, which is a text or a whole number."""
    if type(value) not in {str, int}:
        raise RefusedError("no name")
    return str(value).strip()


_LARGE = 1e300
_NO_SCORES = re.compile(r".*_threshold|(?!.*nauc).*_(std|stderr)", re.IGNORECASE)


def _mteb_opinions(case: Case) -> list[object]:
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for system, content in zip(("small", "small", "large", "large"), case.files, strict=True):
        (said,) = _records(content)
        task = _named(said["task_name"])
        if found.setdefault((system, task), said)["scores"] != said["scores"]:
            raise RefusedError("two results of a task")
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for task in {task for _, task in found}:
        kept = _of_main_split({system: _subsets(said) for (system, of), said in found.items() if of == task})
        every = [set(held) for held in kept.values()]
        common = set.intersection(*every) or set.union(*every)
        by_subset, by_split = (len({key[at] for key in common}) > 1 for at in (0, 1))
        for system, held in kept.items():
            for key in common & set(held):
                item = "/".join([task, *[key[0]] * by_subset, *[key[1]] * by_split])
                for name, values in _of_entry(held[key]).items():
                    for repeat, value in enumerate(values, start=1):
                        cells.setdefault((name, system, item, str(repeat)), []).append(value)
    return _table(cells)


type _Subsets = dict[tuple[str, str], dict[str, Any]]


def _subsets(said: Mapping[str, Any]) -> _Subsets:
    """Return the entries of a result by subset and split."""
    found: _Subsets = {}
    for split, listed in said["scores"].items():
        for entry in listed:
            subset = _named(entry.get("hf_subset", "default"))
            if (subset, split) in found:
                raise RefusedError("a subset twice")
            found[subset, split] = entry
    return found


def _of_main_split(models: Mapping[str, _Subsets]) -> dict[str, _Subsets]:
    """Return what is of the split test, where any model has it."""
    tested = any(split == "test" for held in models.values() for _, split in held)
    return {
        model: {key: one for key, one in held.items() if key[1] == "test" or not tested}
        for model, held in models.items()
    }


def _of_entry(entry: Mapping[str, Any]) -> dict[str, list[float | None]]:
    """Return the scores of a subset, several where experiments have the mean that stands beside them."""
    numbers = {name: value for name, value in entry.items() if isinstance(value, int | float)}
    numbers = {name: value for name, value in numbers.items() if not _NO_SCORES.fullmatch(name)}
    if entry["main_score"] is not None and "main_score" not in numbers:
        raise RefusedError("no number")
    found: dict[str, list[float | None]] = {name: [score_of(value)] for name, value in numbers.items()}
    tried = entry.get("scores_per_experiment")
    if not isinstance(tried, list) or not all(isinstance(one, dict) for one in tried):
        return found
    for name, value in numbers.items():
        source = next((one for one, own in numbers.items() if one != name and own == value), name)
        scores = [one.get(source if name == "main_score" else name) for one in tried]
        plain = len(scores) > 1 and all(type(one) in {int, float} and abs(one) < _LARGE for one in (value, *scores))
        if plain and abs(math.fsum(scores) / len(scores) - value) <= 1e-6:
            found[name] = [score_of(one) for one in scores]
    return found


def _archive_opinions(case: Case) -> list[object]:
    """Take the archives apart with Python's own module, and read the logs as those that are JSON."""
    damage = (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError, NotImplementedError)
    try:
        return _log_opinions(Case(tuple(map(_unpacked, case.files))))
    except damage as error:
        raise RefusedError("a damaged archive") from error


def _unpacked(content: bytes) -> bytes:
    """Return a log with its samples, from their summaries where these are complete."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        (log,) = _records(archive.read("header.json"))
        members = [name for name in names if re.fullmatch(r"samples/.+_epoch_\d+\.json", name)]
        samples = _records(archive.read("summaries.json")) if "summaries.json" in names else []
        if len(samples) < len(members) or (members and log.get("invalidated")):
            samples = [one for name in members for one in _records(archive.read(name))]
    return json.dumps({**log, "samples": samples}).encode()


def _report_opinions(case: Case) -> list[object]:
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        (said,) = _records(content)
        lists = {}
        for name in ("submitted", "resolved", "unresolved"):
            listed = said.get(f"{name}_ids")
            listed = [] if listed is None and name == "unresolved" else listed
            lists[name] = names = [_named(one) for one in listed]
            number = said.get(f"{name}_instances")
            counted = said.get(f"{name}_ids") is None or number is None or number == len(names)
            if len(set(names)) < len(names) or not counted:
                raise RefusedError("another number of instances")
        tried, solved = {*lists["submitted"]}, {*lists["resolved"]}
        if not solved <= tried or not {*lists["unresolved"]} <= tried - solved:
            raise RefusedError("instances in two lists, or not submitted")
        for item in tried:
            cells["resolved", system, item, "1"] = [float(item in solved)]
    return _table(cells)


def _test_log_opinions(case: Case) -> list[object]:
    """Count a test as 0 where any phase of it failed since it was last run again; what was skipped is no score."""
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        outcomes: dict[str, dict[str, str]] = {}
        skipped = set()
        for record in _records(content):
            if record.get("$report_type") != "TestReport":
                continue
            name, phase, outcome = _named(record.get("nodeid")), str(record.get("when")), str(record.get("outcome"))
            if outcome == "rerun":
                outcomes[name] = {}
                continue
            if phase in outcomes.setdefault(name, {}) or outcome not in {"passed", "failed", "skipped"}:
                raise RefusedError("a phase twice, or another outcome")
            outcomes[name][phase] = outcome
            skipped |= {name} if outcome == "skipped" else set()
        for name, of_phases in outcomes.items():
            if of_phases and name not in skipped and not is_average(name):
                cells["passed", system, name, "1"] = [float("failed" not in of_phases.values())]
    return _table(cells)


def _code_opinions(case: Case) -> list[object]:
    """Count a sample that passed as 1, another as 0; plus is for those that passed both kinds of tests."""
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        (said,) = _records(content)
        for task, samples in said["eval"].items():
            for repeat, sample in enumerate(samples, start=1):
                words = {name: sample.get(name) for name in ("status", "base_status", "plus_status")}
                if any(type(word) not in {str, type(None)} for word in words.values()):
                    raise RefusedError("no word")
                passed = {name: None if word is None else float(word == "pass") for name, word in words.items()}
                base, plus = passed["base_status"], passed["plus_status"]
                both = None if base is None or plus is None else base * plus
                for metric, value in (("passed", passed["status"]), ("base", base), ("plus", both)):
                    cells.setdefault((metric, system, task, str(repeat)), []).append(value)
    return _table(_numbered(cells))


def _review_opinions(case: Case) -> list[object]:
    """Take every name in value for a metric, what is true for 1, and samples of one group for repeats of an item."""
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        seen: Counter[str] = Counter()
        for at, record in enumerate(_records(content)):
            older = record.get("choices")
            scored = record.get("sample_score") if older is None else None
            group = scored.get("group_id") if isinstance(scored, dict) else None
            item = _named(record.get("index", at) if group is None else group)
            result = scored["score"]["value"] if older is None else older[0]["review"].get("result")
            result = result if isinstance(result, dict) or older is None else {"result": result}
            seen[item] += 1
            for metric, value in result.items():
                if isinstance(value, int | float | None):
                    cells.setdefault((metric, system, f"T/{item}", str(seen[item])), []).append(score_of(value))
    return _table(_numbered(cells))


def _numbered(
    cells: Mapping[tuple[str, str, str, str], list[float | None]],
) -> dict[tuple[str, str, str, str], list[float | None]]:
    """Return cells with the repeat 1 where only one of all has scores."""
    known = {key: values for key, values in cells.items() if any(value is not None for value in values)}
    if len({repeat for *_, repeat in known}) > 1:
        return known
    return {(metric, system, topic, "1"): values for (metric, system, topic, _), values in known.items()}


def _evaluation_opinions(case: Case) -> list[object]:
    """Take evaluations as items; their units must be those of the other file, and a metric has one direction."""
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    units: dict[tuple[str, str], str] = {}
    lower: dict[str, bool] = {}
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        (said,) = _records(content)
        _named(said["model_info"]["id"])
        for result in said["evaluation_results"]:
            config, value = result["metric_config"], result["score_details"].get("score")
            called = [config[key] for key in ("metric_name", "metric_id") if config.get(key) is not None]
            item, metric = _named(result["evaluation_name"]), _named([*called, "score"][0])
            unit = json.dumps([config.get(key) for key in ("metric_unit", "score_type", "min_score", "max_score")])
            if units.setdefault((item, metric), unit) != unit:
                raise RefusedError("two units")
            way = config.get("lower_is_better")
            if isinstance(value, int | float | None):
                cells.setdefault((metric, system, item, "1"), []).append(score_of(value))
                if isinstance(way, bool) and lower.setdefault(metric, way) != way:
                    raise RefusedError("two directions")
    (table,) = _table(cells)
    kept = sorted({key.split(" | ")[0] for key in table["cells"]})
    return [{**table, "lower": [metric for metric in kept if lower.get(metric)]}]


def _evaluated_opinions(case: Case) -> list[object]:
    """Take samples as items, called with their evaluation where there are several; a hash tells a sample."""
    records = _records(case.files[0])
    several = len({record["evaluation_name"] for record in records}) > 1
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    hashes: dict[str, str] = {}
    for record in records:
        name, sample, system = (_named(record[key]) for key in ("evaluation_name", "sample_id", "model_id"))
        item = f"{name}/{sample}" if several else sample
        value = record["evaluation"].get("score")
        if isinstance(value, int | float | None):
            cells.setdefault(("score", system, item, "1"), []).append(score_of(value))
        hashed = record.get("sample_hash")
        if isinstance(hashed, str) and hashes.setdefault(item, hashed) != hashed:
            raise RefusedError("two samples of one name")
    return _table(cells)


_OF_PROBLEMS = {"date", "difficulty", "platform"}


def _performance_opinions(case: Case) -> list[object]:
    """Take the records out of their list; other names with numbers are metrics too, or say something of the problem."""
    (said,) = _records(case.files[0])
    records = said["performances"]
    numeric = {
        name
        for record in records
        for name, value in record.items()
        if name.strip() and (isinstance(value, int | float) or (isinstance(value, str) and is_number(value.strip())))
    } - {"model", "question_id"}
    found: list[object] = []
    for chosen in (numeric - _OF_PROBLEMS, numeric & {"pass@1"}, numeric - {"date"}):
        try:
            found += _complete(_of_performances(records, chosen))
        except RefusedError as error:
            reason = error
    if not found:
        raise reason
    return found


def _attempt_opinions(case: Case) -> list[object]:
    """Take one score a task and trial; samples of human-eval are numbered as they come."""
    cells: dict[tuple[str, str, str, str], float | None] = {}
    kinds = set()
    for system, content in zip(_SYSTEMS, case.files, strict=True):
        records = _records(content)
        (metric,) = {"passed", "pass@1", "reward"} & {name for record in records for name in record}
        kinds.add(metric)
        item = "question_id" if metric == "pass@1" else "task_id"
        seen: Counter[str] = Counter()
        for record in records:
            task = _named(record[item])
            seen[task] += 1
            trial = {"passed": str(seen[task]), "pass@1": "1"}.get(metric) or _named(record["trial"])
            value = record.get(metric)
            if (metric, system, task, trial) in cells:
                raise RefusedError("a score twice")
            if not is_average(task):
                value = number_of(value.strip()) if isinstance(value, str) else score_of(value)
                cells[metric, system, task, trial] = value
    if len(kinds) > 1 or None in cells.values() or not cells:
        raise RefusedError("two kinds of results, or a gap")
    return [{"cells": {" | ".join(key): value for key, value in cells.items()}}]


def _of_performances(
    records: Sequence[Mapping[str, Any]], metrics: set[str]
) -> dict[tuple[str, str, str], float | None]:
    cells: dict[tuple[str, str, str], float | None] = {}
    for record in records:
        system, topic = _named(record["model"]), _named(record["question_id"])
        if is_average(topic):
            continue
        for metric in metrics:
            value = record.get(metric)
            if (metric, system, topic) in cells:
                raise RefusedError("a score twice")
            cells[metric, system, topic] = number_of(value.strip()) if isinstance(value, str) else score_of(value)
    return cells


def _complete(cells: Mapping[tuple[str, str, str], float | None]) -> list[object]:
    """Return scores of metric, system and topic, of which none may lack."""
    wanted = [*product(*({key[at] for key in cells} for at in range(3)))]
    if any(cells.get(key) is None for key in wanted) or not cells:
        raise RefusedError("a gap")
    return [{"cells": {" | ".join((*key, "1")): value for key, value in cells.items()}}]


def _search_opinions(case: Case) -> list[object]:
    """Take the settings as systems and splits as items; a table has them as Python writes dictionaries."""
    content = case.files[0]
    if content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}:
        (columns,) = _records(content)
    else:
        names, rows = names_and_rows(content, alone=True)
        columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    apart = {name.removeprefix("param_"): cells for name, cells in columns.items() if name.startswith("param_")}
    told = columns.get("params") or [
        {name: value for name, value in zip(apart, values, strict=True) if str(value).strip()}
        for values in zip(*apart.values(), strict=True)
    ]
    if not all(isinstance(params, dict | str) for params in told):
        raise RefusedError("no setting")
    settings = [params if isinstance(params, dict) else _literal(params.strip()) for params in told]
    systems = [
        params if isinstance(params, str) else ", ".join(f"{key}={value}" for key, value in params.items()) or "default"
        for params in settings
    ]
    cells: dict[tuple[str, str, str], float | None] = {}
    for name, scores in columns.items():
        if found := re.fullmatch(r"split([0-9]+)_test_(.+)", name):
            _enter_folds(cells, found[2].strip(), [(name_of(one), f"split{found[1]}") for one in systems], scores)
    return _complete(cells)


def _literal(text: str) -> dict[Any, Any] | str:
    """Return a dictionary, what stands in one that only a program can read, or a text that is none."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError) as error:
        if not text:
            raise RefusedError("no setting") from error
        is_held = len(text) > 1 and text[0] + text[-1] == "{}"
        return re.sub(r"'(\w+)': ", r"\1=", text[1:-1].strip() if is_held else text)
    if not isinstance(value, dict):
        raise RefusedError("no setting")
    return value


def _validated_opinions(case: Case) -> list[object]:
    """Take what has times as estimators, and every test score as one of their folds."""
    (said,) = _records(case.files[0])
    cells: dict[tuple[str, str, str], float | None] = {}
    for system, result in said.items():
        for name, scores in result.items():
            if name.startswith("test_"):
                folds = [(name_of(system), f"split{fold}") for fold in range(len(result["fit_time"]))]
                _enter_folds(cells, name_of(name.removeprefix("test_")), folds, scores)
    return _complete(cells)


def _enter_folds(
    cells: dict[tuple[str, str, str], float | None], metric: str, keys: Sequence[tuple[str, str]], scores: object
) -> None:
    if not isinstance(scores, list) or len(scores) != len(keys):
        raise RefusedError("another number of scores")
    for key, value in zip(keys, scores, strict=True):
        if (metric, *key) in cells:
            raise RefusedError("a score twice")
        cells[metric, *key] = number_of(value.strip()) if isinstance(value, str) else score_of(value)


_TEXTS = {"user_input", "response", "query", "question", "prompt", "text", "instruction", "answer", "input", "output"}


def _frame_opinions(case: Case) -> list[object]:
    """Every column of numbers is a metric, a column qid or id names the items, and rows of all items are no items."""
    files = [_items_of_frame(_records(content)) for content in case.files]
    asked = [{item: record.get("user_input") for item, record in held.items()} for held in files]
    readings = [files]
    if all(len({*map(repr, texts.values())}) == len(texts) and None not in texts.values() for texts in asked):
        name_of = {text: item for item, text in reversed(asked[0].items())}  # items may be told by what they ask
        readings.append(
            [{name_of.get(asked[at][item], item): one for item, one in held.items()} for at, held in enumerate(files)]
        )
    columns = [_metrics_of_frame(_records(content)) for content in case.files]
    found, reason = [], None
    for reading in readings:
        try:
            found.append({"cells": _cells_of_frames(reading, columns)})
        except RefusedError as error:
            reason = error
    if reason and not found:
        raise reason
    return found


def _metrics_of_frame(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns that hold a number anywhere, but names of items and texts."""
    names = list(dict.fromkeys(name for record in records for name in record))
    return [
        name
        for name in names
        if name not in {"qid", "id", *_TEXTS}
        and not name.endswith("_id")
        and any(isinstance(record.get(name), int | float) for record in records)
    ]


def _cells_of_frames(
    files: Sequence[Mapping[str, Mapping[str, Any]]], columns: Sequence[Sequence[str]]
) -> dict[str, float]:
    cells: dict[str, float] = {}
    for system, held, metrics in zip(_SYSTEMS, files, columns, strict=True):
        for (item, record), name in product(held.items(), metrics):
            value = record.get(name)
            value = number_of(value.strip()) if isinstance(value, str) else score_of(value)
            if value is None:
                raise RefusedError("a gap")
            cells[f"{name} | {system} | {item} | 1"] = value
    n_items, n_metrics = (len({name for of in some for name in of}) for some in (files, columns))
    if len(cells) < n_metrics * n_items * len(_SYSTEMS):
        raise RefusedError("a gap")
    return cells


def _items_of_frame(records: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the record of every item, by its name or number."""
    called = list(dict.fromkeys(name for record in records for name in record if name in {"qid", "id"}))
    if len(called) > 1:
        raise RefusedError("two names of an item")
    held: dict[str, Mapping[str, Any]] = {}
    for number, record in enumerate(records, start=1):
        item = _named(record.get(called[0])) if called else str(number)
        if is_average(item):
            continue
        if item in held:
            raise RefusedError("an item twice")
        held[item] = record
    return held


def _line_opinions(case: Case) -> list[object]:
    cells: dict[tuple[str, str, str, str], list[float | None]] = {}
    words = {"topic": "topic_id", "id": "topic_id", "run": "run_id"}  # what shortened keys are known as, too
    records = [{words.get(key, key): cell for key, cell in record.items()} for record in _records(case.files[0])]
    named = any("measure" in record for record in records)
    for record in records:
        if str(record.get("topic_id")).strip().casefold() in {"all", "mean", "average", "amean", "avg"}:
            continue
        names = [record.get(name) for name in ("measure", "run_id", "topic_id")]
        names[0] = names[0] if named else "one"
        if any(name is None for name in names):
            raise RefusedError("a part is missing")
        texts = [str(int(name)) if isinstance(name, bool) else str(name).strip() for name in names]
        value = record.get("value")
        if isinstance(value, str):
            value = float(value)
        cells.setdefault((*texts, "1"), []).append(score_of(value))  # type: ignore[arg-type] # three texts
    known = {key: values[0] for key, values in cells.items()}
    if any(len(values) > 1 for values in cells.values()) or None in known.values():
        raise RefusedError("a score twice, or none")
    return [{"cells": {" | ".join(key): value for key, value in known.items()}}]


# ---------------------------------------------------------------------------------------------- under test


def _cells_of(scores: Any) -> dict[str, object]:
    if "repeat" not in scores.dims:
        scores = scores.expand_dims(repeat=["1"], axis=3)
    names = [scores[dim].to_numpy().tolist() for dim in scores.dims]
    found = {}
    for at, metric in enumerate(names[0]):
        for one, system in enumerate(names[1]):
            for item, topic in enumerate(names[2]):
                for again, repeat in enumerate(names[3]):
                    value = float(scores.to_numpy()[at, one, item, again])
                    if not math.isnan(value):
                        found[f"{metric} | {system} | {topic} | {repeat}"] = value
    return {"cells": found}


def _read_named(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return _cells_of(read_scores(dict(zip(_SYSTEMS, paths, strict=True))))


def _read_one(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    return _cells_of(read_scores(paths[0]))


def _read_directed(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    scores = read_scores(dict(zip(_SYSTEMS, paths, strict=True)))
    metrics, rising = (scores[of].to_numpy().tolist() for of in ("metric", "higher_is_better"))
    lower = [name for name, up in zip(metrics, rising, strict=True) if not up]
    return {**_cells_of(scores), "lower": sorted(lower)}


def _read_all(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    scores = read_scores(dict(zip(_SYSTEMS, paths, strict=True)), metrics=["all"])
    return _cells_of(scores)


def _read_results(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    # a mapping has one file a name, and a model here has two
    return _cells_of(
        read_scores(
            [f"{system}={path}" for system, path in zip(("small", "small", "large", "large"), paths, strict=True)]
        )
    )


def _changed_bytes(rng: random.Random, case: Case) -> Case:
    at = rng.randrange(len(case.files))
    (changed,) = change_bytes(rng, case._replace(files=case.files[at : at + 1])).files
    return case._replace(files=(*case.files[:at], changed, *case.files[at + 1 :]))


def _reader(
    name: str, make: Callable[[random.Random], Case], read: Any, opinions: Any = None, speed: float = 180, **more: Any
) -> Reader:
    mutate = more.pop("mutate", None) or text_mutation(make, CHANGES)
    return Reader(name=name, make=make, mutate=mutate, read=read, opinions=opinions, speed=speed, **more)


_DATES = ("samples_TASK_2026-01-01T00-00-00.5.jsonl", "samples_TASK_2026-01-02T00-00-00.5.jsonl")
_FOUR = ("T1.json", "T2.json", "T1b.json", "T2b.json")
READERS = (
    _reader("benchmark-lines", _make_lines, _read_one, _line_opinions),
    _reader("benchmark-lm-eval", _make_samples, _read_named, _sample_opinions, names=_DATES),
    _reader("benchmark-lm-eval-results", _make_results, _read_named, _result_opinions),
    _reader("benchmark-nuggetizer", _make_assignments, _read_all, _assignment_opinions),
    _reader("benchmark-inspect", _make_logs, _read_named, _log_opinions),
    _reader("benchmark-alpaca", _make_annotations, _read_named, _annotation_opinions),
    _reader("benchmark-mteb", _make_mteb, _read_results, _mteb_opinions, names=_FOUR),
    _reader("benchmark-swe", _make_reports, _read_named, _report_opinions),
    _reader("benchmark-test-logs", _make_test_logs, _read_named, _test_log_opinions),
    _reader("benchmark-code", _make_code_tasks, _read_named, _code_opinions),
    _reader("benchmark-reviews", _make_reviews, _read_named, _review_opinions, names=("a/T.jsonl", "b/T.jsonl")),
    _reader("benchmark-evaluations", _make_evaluations, _read_directed, _evaluation_opinions),
    _reader("benchmark-evaluated", _make_evaluated, _read_one, _evaluated_opinions),
    _reader("benchmark-performances", _make_performances, _read_one, _performance_opinions),
    _reader("benchmark-attempts", _make_attempts, _read_named, _attempt_opinions),
    _reader("benchmark-search", _make_search, _read_one, with_titles(_search_opinions)),
    _reader("benchmark-validated", _make_validated, _read_one, _validated_opinions),
    _reader("benchmark-frames", _make_frames, _read_named, _frame_opinions),
    _reader("benchmark-inspect-archive", _make_archives, _read_named, _archive_opinions, mutate=_changed_bytes),
)
