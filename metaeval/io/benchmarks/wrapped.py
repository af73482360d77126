"""JSON that is a table under a roof: boards of arenas, records under a name, and means that tell no difference."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from json import dumps
from typing import Any, Literal, NamedTuple

from metaeval.base.names import count, first_few, metric_evidence, topic_evidence
from metaeval.base.notes import ItemErrors
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import brief
from metaeval.io.blocks import SpreadlessError
from metaeval.table.array import REPEAT
from metaeval.table.interval_names import roles_among
from metaeval.table.means import may_be_means
from metaeval.table.roles import ERRORS, part_of_word

_PERFORMANCES = "performances"
_OF_PERFORMANCES = {"system": "model", "topic": "question_id"}
_OF_SAMPLES = frozenset({"task_id", "completion", "passed"})
_CATEGORY, _MODEL = "task", "model"
_SHARE = "pass@1"
_SETTINGS = "config"
_ERROR = "_stderr"
_ASKED = "input"
_SURE = 2
"""Evidence of names that are those of metrics and of nothing else."""
_MOST_FIGURES = 30
"""More by name are items, not figures of a system."""


_DURATION = "duration"
"""What times are called, so that less is better."""


class Wrapped(NamedTuple):
    """Records as a table has them, and what was left out of the file."""

    records: Json
    notes: list[str]
    columns: Mapping[str, str] = {}
    """What the columns are that the format names."""
    form: Literal["frame"] | None = None
    """How the records are to be read, where they do not tell."""
    better: Mapping[str, bool] = {}
    """Metric to whether higher is better, where the file says it."""


def records_under(json: Json, *, chosen: bool) -> Wrapped | None:
    """Return the records of LiveCodeBench (``performances``), of a board, of samples of human-eval, trials or a run.

    None for anything else.

    `chosen`: whether rows are chosen by their category.
    """
    listed = json.object.get(_PERFORMANCES)
    records = Json(json.label, listed)
    if isinstance(listed, list) and records.first.keys() >= {*_OF_PERFORMANCES.values()}:
        others = [name for name in json.object if name != _PERFORMANCES]
        return Wrapped(records, [f"left out {first_few(others)}"] if others else [], _OF_PERFORMANCES)
    if json.first.keys() >= _OF_SAMPLES and (numbered := _numbered(json)) is not None:
        return Wrapped(numbered, ["samples of a task are its repeats"])
    if (run := next(filter(None, (read(json) for read in _RECORDS_OF)), None)) is not None:
        return run
    if means := means_alone(json):
        raise SpreadlessError.of_means(means, json.label, "BEIR's evaluate returns" if "" in means else "")
    if means := _of_ranx(json.object):
        raise SpreadlessError.of_means(means, json.label, "ranx's compare returns")
    if holds_board(json.object):
        return Wrapped(_board({"": json.object}, json), [])
    if json.object and all(isinstance(models, dict) and holds_board(models) for models in json.object.values()):
        whole, notes = (json.object, []) if chosen else _with_all_models(json.object)
        return Wrapped(_board(whole, json), notes)
    shares = [model.get(_SHARE) if isinstance(model, dict) else None for model in json.object.values()]
    if shares and all(isinstance(share, dict) for share in shares):
        json.refuse(
            f"these are means of {count(len(shares), 'system')} under {_SHARE}, as BigCodeBench publishes them, "
            "without the spread of the tasks, which tells whether a difference is more than luck: give the files of "
            "its evaluation, …_eval_results.json, one a system"
        )
    return None


def records_in_list(json: Json) -> Wrapped | None:
    """Return the records of the only list of such beside settings, with what names their system; None for others."""
    lists = [name for name, of in json.object.items() if isinstance(of, list) and of]
    if len(lists) != 1 or not all(isinstance(record, dict) for record in json.object[lists[0]]):
        return None
    if part_of_word(lists[0].removesuffix("s")) == "metric":  # which sum up, as a report does
        return None
    called = [
        name
        for name, of in json.object.items()
        if isinstance(of, str) and of.strip() and part_of_word(name) == "system"
    ]
    system = {"system": json.object[called[0]]} if len(called) == 1 else {}
    rows = [system | record for record in json.object[lists[0]]]
    others = [name for name in json.object if name not in {lists[0], *called}]
    return Wrapped(Json(json.label, rows), [f"left out {first_few(others)}"] if others else [])


def _of_trials(json: Json) -> Wrapped | None:
    """Return the reward of every task and trial, as tau2-bench writes them; None for anything else."""
    listed = json.object.get("simulations")
    if not isinstance(listed, list) or not listed:
        return None
    if not all(isinstance(run, dict) and run.keys() >= {"task_id", "trial", "reward_info"} for run in listed):
        return None
    rewards = [run["reward_info"] if isinstance(run["reward_info"], dict) else {} for run in listed]
    rows = [
        {"task_id": run["task_id"], REPEAT: run["trial"], "reward": of.get("reward")}
        for run, of in zip(listed, rewards, strict=True)
    ]
    return Wrapped(Json(json.label, rows), ["simulations of a task are its repeats"])


def _of_one_run(json: Json) -> Wrapped | None:
    """Return what one system scored on every item, as pytest, DeepEval and OpenAI's evals write it."""
    items = [(under, key, scores_of) for under, key, scores_of in _RUNS if isinstance(json.object.get(under), list)]
    records = (
        json.object[items[0][0]] if items else [record for record in json.records if str(record.get("type")) in _EVENTS]
    )
    _, item, scores_of = items[0] if items else ("", "sample_id", _of_event)
    if not records or not all(isinstance(record, dict) and item in record for record in records):
        return None
    if not all(isinstance(metric, dict) for record in records for metric in _metrics_of(record)):
        return None
    rows = [
        {"item": record[item]} | ({_ASKED: record[_ASKED]} if isinstance(record.get(_ASKED), str) else {}) | scores
        for record in records
        if (scores := scores_of(record))
    ]
    out = len(records) - len(rows)
    notes = [f"left out {count(out, 'item')} without scores"] if out else []
    told, better = _pass_marks([metric for record in records for metric in _metrics_of(record)])
    notes += [f"left out whether a case passed (success): {first_few(told, between='; ')}"] if told else []
    return Wrapped(Json(json.label, rows), notes, form="frame", better=better) if rows else None


def _pass_marks(metrics: Sequence[Mapping[str, Any]]) -> tuple[list[str], dict[str, bool]]:
    """Say from, or up to, which threshold each metric of DeepEval passes and how often; and which pass from below."""
    told, better = list[str](), dict[str, bool]()
    marks_of: dict[str, list[tuple[float, float, bool]]] = {}
    for metric in metrics:
        score, threshold, passed = (metric.get(name) for name in ("score", "threshold", "success"))
        if isinstance(score, int | float) and isinstance(threshold, int | float) and isinstance(passed, bool):
            marks_of.setdefault(str(metric.get("name")), []).append((score, threshold, passed))
    for name, marks in marks_of.items():
        rises = all(passed == (score >= threshold) for score, threshold, passed in marks)
        falls = not rises and all(passed == (score <= threshold) for score, threshold, passed in marks)
        better |= {name: False} if falls else {}
        thresholds = {threshold for _, threshold, _ in marks}
        at = f"{thresholds.pop():g}" if len(thresholds) == 1 else "its threshold"
        way = f" {'up to' if falls else 'from'} {at}" if rises or falls else ", by no threshold,"
        told.append(f"{name}{way} in {sum(passed for *_, passed in marks)} of {len(marks)}")
    return told, better


def means_alone(json: Json) -> dict[str, dict[str, float]]:
    """Return system to metric to mean, where nothing else stands there; of one system flat, or by kind of metric."""
    if means := _of_bigcode(json.object):
        return means
    content = json.object or json.value
    groups = list(content.values()) if isinstance(content, dict) else content if isinstance(content, list) else []
    flat = bool(groups) and all(isinstance(mean, int | float) for mean in groups)
    groups = [content] if flat else groups
    if not groups or not all(isinstance(group, dict) and group for group in groups):
        return {}
    named = [name for group in groups for name in group]
    are_means = all(isinstance(mean, int | float) for group in groups for mean in group.values())
    if not are_means or metric_evidence(list({*named})) < _SURE:
        return {}
    if isinstance(content, dict) and not flat and len({frozenset(group) for group in groups}) == 1:
        return {} if topic_evidence([*content]) > 0 else content
    is_one = len({*named}) == len(named) > 1
    return {"": {name: mean for group in groups for name, mean in group.items()}} if is_one else {}


def _of_bigcode(results: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return what a model has on every task, beside its settings, as bigcode-evaluation-harness writes them."""
    settings = results.get(_SETTINGS)
    tasks = {task: means for task, means in results.items() if task != _SETTINGS}
    if not isinstance(settings, dict) or not isinstance(settings.get("model"), str) or not tasks:
        return {}
    if not all(isinstance(means, dict) and _SHARE in means for means in tasks.values()):
        return {}
    return {settings["model"]: {f"{task} {name}": mean for task, of in tasks.items() for name, mean in of.items()}}


def _of_ranx(report: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the means of a report of ranx, beside which it compares the systems."""
    listed = report.get("model_names") if "stat_test" in report else None
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    of_models = {name: of.get("scores") for name in names if isinstance(of := report.get(name), dict)}
    return {name: scores for name, scores in of_models.items() if isinstance(scores, dict)}


def _of_lighteval(json: Json) -> Wrapped | None:
    """Return what a model scored on every task, as lighteval writes it."""
    about, results = (json.object.get(name) for name in ("config_general", "results"))
    if not isinstance(about, dict) or not isinstance(results, dict):
        return None
    inside = about.get("model_config")
    model = about.get("model_name") or (inside.get("model_name") if isinstance(inside, dict) else None)
    scored = {task: scores for task, scores in results.items() if isinstance(scores, dict)}
    tasks = [task for task in scored if task != "all" and ":_average" not in task]
    if not isinstance(model, str) or not tasks:
        return None
    rows = [
        {"model": model, "task_id": task}
        | {name: mean for name, mean in scored[task].items() if not name.endswith(_ERROR)}
        for task in tasks
    ]
    errors: dict[str, dict[str, dict[str, float]]] = {}
    for task in tasks:
        for name, error in scored[task].items():
            if name.endswith(_ERROR) and type(error) is float:
                errors.setdefault(name.removesuffix(_ERROR), {model: {}})[model][task] = error
    notes = ["the items are whole tasks; the files of details hold every sample"]
    notes += [ItemErrors(f"standard errors of {model}, for differences on single items", errors)] if errors else []
    return Wrapped(Json(json.label, rows), notes, {"system": "model", "topic": "task_id"})


def _of_sacrebleu(json: Json) -> Wrapped | None:
    """Return means of systems with their intervals, as sacreBLEU compares them (``--format json``); None for others."""
    if not json.records or not all(isinstance(record.get("system"), str) for record in json.records):
        return None
    metrics = [name for name in json.names if name != "system"]
    figures = [record.get(name) for record in json.records for name in metrics]
    if not figures or not all(isinstance(figure, dict) and figure.keys() >= _OF_SACREBLEU for figure in figures):
        return None
    rows = [
        {"system": record["system"].removeprefix("Baseline: ")}
        | {name: record[name]["score"] for name in metrics}
        | {f"{name}_ci95": record[name]["ci"] for name in metrics}
        for record in json.records
    ]
    note = "means of sacreBLEU with its bootstrap intervals; its paired p-values are left out"
    return Wrapped(Json(json.label, rows), [note])


def _of_pytest_benchmark(json: Json) -> Wrapped | None:
    """Return mean times with their errors over rounds; None for others.

    Tests that ran with the same parameters are metrics, and the parameters systems.
    """
    timed = json.object.get("benchmarks")
    if "machine_info" not in json.object or not isinstance(timed, list) or not timed:
        return None
    if not all(isinstance(test, dict) and "name" in test and isinstance(test.get("stats"), dict) for test in timed):
        return None
    if not all(isinstance(test["stats"].get(name), int | float) for test in timed for name in _OF_ROUNDS):
        return None
    parts = [str(test["name"]).removesuffix("]").partition("[") for test in timed]
    parameters_of: dict[str, list[str]] = {}
    for called, _, parameters in parts:
        parameters_of.setdefault(called, []).append(parameters)
    is_crossed = len({*map(frozenset, parameters_of.values())}) == 1 < len(next(iter(parameters_of.values())))
    rows = [
        {
            "system": parameters if is_crossed else test["name"],
            "metric": f"{called} {_DURATION}" if is_crossed and len(parameters_of) > 1 else _DURATION,
            "mean": test["stats"]["mean"],
            "stderr": test["stats"]["stddev"] / test["stats"]["rounds"] ** 0.5,
            "n": test["stats"]["rounds"],
        }
        for test, (called, _, parameters) in zip(timed, parts, strict=True)
    ]
    note = (
        "times of pytest-benchmark; errors are over rounds of one process, and between processes times differ by more"
    )
    return Wrapped(Json(json.label, rows), [note])


def _of_promptfoo(json: Json) -> Wrapped | None:
    """Return what every provider and prompt scored on every test, as promptfoo writes it; None for others.

    Tests with the same variables and assertions are repeats of one item, each of which has a number of its own there.
    """
    summary = json.object.get("results")
    listed = summary.get("results") if isinstance(summary, dict) else summary if "stats" in json.object else json.value
    if not isinstance(listed, list) or not listed:
        return None
    if not all(map(_is_of_promptfoo, listed)):
        return None
    contents: dict[str, str] = {}
    content_of = {answer.get("testIdx", at): _asked(answer) for at, answer in reversed([*enumerate(listed)])}
    for at, answer in enumerate(listed):
        contents.setdefault(content_of[answer.get("testIdx", at)], _item_of(answer))
    n_called = Counter(contents.values())
    items = {
        content: called if called and n_called[called] == 1 else f"{called} ({number})".lstrip()
        for number, (content, called) in enumerate(contents.items(), start=1)
    }
    named = [answer.get("namedScores") or {} for answer in listed]
    metrics_of: dict[str, dict[str, None]] = {}
    for at, answer in enumerate(listed):
        metrics_of.setdefault(content_of[answer.get("testIdx", at)], {}).update(dict.fromkeys(named[at]))
    metrics = [name for name in dict.fromkeys(name for scores in named for name in scores) if name != "score"]
    graded = any(int(answer["success"]) != answer["score"] for answer in listed)
    times: Counter[tuple[str, str]] = Counter()
    rows = []
    for at, answer in enumerate(listed):
        system, item = _provider_of(answer), items[content_of[answer.get("testIdx", at)]]
        times[system, item] += 1
        scores = {"score": answer["score"]} | ({"passed": int(answer["success"])} if graded else {})
        lost = metrics_of[content_of[answer.get("testIdx", at)]] if answer.get("failureReason") == _FAILED else {}
        scores |= {name: named[at].get(name, 0 if name in lost else None) for name in metrics}
        row = {"system": system, "item": item, REPEAT: times[system, item]}
        rows += [row | {"metric": name, "score": of} for name, of in scores.items() if of is not None]
    if max(times.values()) == 1:
        rows = [{name: cell for name, cell in row.items() if name != REPEAT} for row in rows]
    failed = sum(answer.get("failureReason") == _FAILED for answer in listed)
    notes = ["answers of promptfoo: a provider with its prompt is a system, a test an item"]
    notes += [f"{count(failed, 'answer')} ended in an error and {'counts' if failed == 1 else 'count'} 0"] * bool(
        failed
    )
    columns = {"system": "system", "topic": "item", "metric": "metric", "score": "score"}
    return Wrapped(Json(json.label, rows), notes, columns)


def _is_of_promptfoo(answer: object) -> bool:
    if not isinstance(answer, dict) or not answer.keys() >= _OF_PROMPTFOO:
        return False
    are_known = isinstance(answer["success"], bool) and isinstance(answer["score"], int | float | None)
    return (
        are_known
        and isinstance(answer.get("testIdx", 0), int)
        and isinstance(answer.get("namedScores"), dict | None)
        and isinstance(answer["provider"], dict | str)
    )


def _asked(answer: Mapping[str, Any]) -> str:
    """Return what tells a test of promptfoo from others."""
    test = answer.get("testCase")
    about = test if isinstance(test, dict) else answer
    return dumps([about.get(name) for name in ("description", "vars", "assert")], sort_keys=True)


def _item_of(answer: Mapping[str, Any]) -> str:
    variables = answer["vars"]
    texts = (
        [of if isinstance(of, str) else dumps(of) for of in variables.values()] if isinstance(variables, dict) else []
    )
    return brief(", ".join(texts), _LONGEST_NAME)


def _provider_of(answer: Mapping[str, Any]) -> str:
    """Return provider and prompt as the tables of promptfoo name their columns."""
    provider, prompt = answer["provider"], answer.get("prompt")
    called = (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider
    prompt = (prompt.get("label") or prompt.get("raw")) if isinstance(prompt, dict) else prompt
    return f"[{called}] {brief(str(prompt or ''), _LONGEST_NAME)}".strip()


def _of_segments(json: Json) -> Wrapped | None:
    """Return scores by system and segment, as COMET writes them: a list of segments a system, in one order."""
    systems = json.object
    if not systems or not all(isinstance(segments, list) and segments for segments in systems.values()):
        return None
    every = [segment for segments in systems.values() for segment in segments]
    if not all(isinstance(segment, dict) and "mt" in segment for segment in every):
        return None
    sizes = {name: len(segments) for name, segments in systems.items()}
    if len({*sizes.values()}) > 1:
        json.refuse(
            f"lists by system hold the segments in one order, and these are not alike: "
            f"{first_few([f'{name} {size}' for name, size in sizes.items()])}; score the same segments of all systems"
        )
    sources: dict[int, object] = {}
    for name, segments in systems.items():
        for at, segment in enumerate(segments):
            if sources.setdefault(at, segment.get("src")) != segment.get("src"):
                json.refuse(
                    f"segment {at + 1} of {name} has another source (src) than before; score the same segments of all "
                    "systems, in one order"
                )
    rows = [
        {"system": name, "segment": at} | {metric: score for metric, score in segment.items() if _is_number(score)}
        for name, segments in systems.items()
        for at, segment in enumerate(segments, start=1)
    ]
    note = "a list of segments a system, as COMET writes them: segments are items, by their position"
    return Wrapped(Json(json.label, rows), [note], {"system": "system", "topic": "segment"})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of_test(test: Mapping[str, Any]) -> dict[str, Any]:
    outcome = {"passed": 1, "failed": 0, "error": 0}.get(str(test.get("outcome")))
    return {} if outcome is None else {"passed": outcome}


def _of_case(case: Mapping[str, Any]) -> dict[str, Any]:
    return {str(metric["name"]): metric.get("score") for metric in _metrics_of(case) if "name" in metric}


def _metrics_of(case: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    metrics = case.get("metricsData") or case.get("metrics_data")
    return metrics if isinstance(metrics, list) else ()


def _of_event(event: Mapping[str, Any]) -> dict[str, Any]:
    scores = event.get("data")
    return {name: of for name, of in scores.items() if isinstance(of, int | float)} if isinstance(scores, dict) else {}


_OF_ROUNDS = ("mean", "stddev", "rounds")
_OF_PROMPTFOO = frozenset({"provider", "vars", "score", "success"})
_FAILED = 2
"""The reason of promptfoo for a failure that is an error."""
_LONGEST_NAME = 80
_OF_SACREBLEU = frozenset({"score", "mean", "ci", "p_value"})
_EVENTS = frozenset({"match", "metrics"})
_RUNS: tuple[tuple[str, str, Callable[[Mapping[str, Any]], dict[str, Any]]], ...] = (
    ("tests", "nodeid", _of_test),
    ("testCases", "name", _of_case),
    ("test_results", "name", _of_case),
)
"""Where the items of a run stand, what names one, and what it scored."""


def _numbered(json: Json) -> Json | None:
    """Return samples of human-eval with their numbers within the task; None where every task has one."""
    seen: Counter[str] = Counter()
    records = []
    for record in json.records:
        task = str(record.get("task_id"))
        seen[task] += 1
        records.append({**record, REPEAT: seen[task]})
    return Json(json.label, records, json.lines) if max(seen.values()) > 1 else None


def holds_board(models: Mapping[str, Any]) -> bool:
    """Whether these are systems by name, each with a mean and its error or bounds."""
    if not models or not all(isinstance(figures, dict) for figures in models.values()):
        return False
    first = next(iter(models.values()))
    names = [str(name) for name in first]
    are_single = all(isinstance(figure, int | float | str | None) for figure in first.values())
    if not 1 < len(names) <= _MOST_FIGURES or not are_single or not may_be_means(names):
        return False
    spread = [name for name, (role, _) in roles_among(names).items() if role in {*ERRORS, "low", "high"}]
    return all(isinstance(figures.get(name), int | float | None) for figures in models.values() for name in spread)


def _with_all_models(categories: Mapping[str, Mapping[str, Any]]) -> tuple[Mapping[str, Mapping[str, Any]], list[str]]:
    """Return the categories that hold every system, and a note on the others; all where none holds every one."""
    every = {name for models in categories.values() for name in models}
    whole = {name: models for name, models in categories.items() if models.keys() == every}
    out = [name for name in categories if name not in whole]
    if not whole or not out:
        return categories, []
    note = (
        f"left out boards without all {len(every)} systems: {first_few(out)} (`where={ {_CATEGORY: out[0]}!r}` reads "
        "one)"
    )
    return whole, [note]


def _board(categories: Mapping[str, Mapping[str, Any]], json: Json) -> Json:
    rows = [
        ({_CATEGORY: category} if category else {}) | {_MODEL: model} | figures
        for category, models in categories.items()
        for model, figures in models.items()
    ]
    return Json(json.label, rows)


_RECORDS_OF: Sequence[Callable[[Json], Wrapped | None]] = (
    _of_trials,
    _of_one_run,
    _of_lighteval,
    _of_sacrebleu,
    _of_pytest_benchmark,
    _of_promptfoo,
    _of_segments,
)
