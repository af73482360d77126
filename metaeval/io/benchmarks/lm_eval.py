"""Results of lm-evaluation-harness: samples, a line a document and filter, and results of whole tasks.

Where there are samples, results only say which model they are of and how it was run; without any, tasks are the items.
"""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from metaeval.base.names import count, first_few
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.comparable import BenchmarkChoice, settings_in, spoken
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import Dated, File, Part, moment, name_in, newest, own_system
from metaeval.io.sources import named_apart

_FIXED = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
})  # fmt: skip
"""What a sample holds beside its scores."""
_MODEL = "model_name_sanitized"
_ABOUT_RUNS = frozenset({
    "results", "config", "configs", "group_subtasks", "versions", "n-shot", "n-samples", "higher_is_better", _MODEL,
    "system_instruction_sha", "chat_template_sha", "date",
})  # fmt: skip
"""What is read of results."""
_NO_FILTER = "none"
_ERROR = "_stderr"
_UNSCORED = "bypass"
"""What stands in place of a metric where answers were written and not scored: 0 in samples, 999 in results."""
_DATE = r"(?P<day>\d{4}-\d{2}-\d{2})T(?P<time>[\d.:-]+)"
_NAME = re.compile(rf"samples_(?P<task>.+)_{_DATE}\.jsonl")
_RESULTS = re.compile(rf"(?P<task>.+)_{_DATE}\.json")
_TURNED = "perplexity"
"""The aggregation exp(-mean): where it is lower, the mean of the samples, log likelihoods, is higher."""
_IN_ORDER = frozenset({"mean", "nanmean", "median"})
"""Aggregations that are better where the samples are."""
_TEMPLATE = "chat_template_sha"
_SIZES, _WRITTEN = "n-samples", "date"


type _Said = Mapping[str, str | Mapping[str, str]]
"""As `Part.said`."""


class _LmEvalRun(NamedTuple):
    """Where and when a file was written: samples and results of one run have both in common."""

    folder: Path
    date: tuple[float, ...]


def holds_lm_eval(json: Json) -> bool:
    """Whether these are samples, a document's number with its answers or its checksum, or results of tasks."""
    return _holds_results(json) or (
        "doc_id" in json.first and bool({"resps", "filtered_resps", "doc_hash"} & json.first.keys())
    )


def _holds_results(json: Json) -> bool:
    return isinstance(json.object.get("results"), dict) and {"versions", "config"} <= json.object.keys()


def slim_lm_eval(json: Json) -> None:
    """Forget documents, prompts and answers, and the settings of tasks."""
    if _holds_results(json):
        json.keep(_ABOUT_RUNS)
        return
    heavy = _FIXED - {"doc_id", "filter", "metrics", "doc_hash", "prompt_hash"}
    json.keep({name for record in json.records for name in record} - heavy)


def parts_of_lm_eval(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read samples: a system a folder, an item a document of a task, a metric a name with its filter.

    A folder where results of several models were written names none, so there each has the name in the results of its
    date. Of several dates of one task the newest is read. Where no file has samples, an item is a task.
    """
    results = [file for file in files if _holds_results(file.held)]
    samples = [file for file in files if not _holds_results(file.held)]
    runs = {_run_of(file): file for file in results}
    owners = _owners(results)
    if samples:
        renamed = _renamed(samples)
        all_dated = [_dated_samples(file, owners, runs, choice, renamed) for file in samples]
        notes = _notes_on_runs(runs, samples)
        called = list(dict.fromkeys(names.system for names in renamed.values()))
        notes += [f"files of one folder with the same documents are systems: {first_few(called)}"] * bool(called)
    else:
        all_dated = [candidate for file in results for candidate in _dated_results(file, owners, choice)]
        notes = [_note_on_tasks(runs)]
    dated = choice.kept(all_dated)
    _refuse_other_folders(dated)
    chosen = newest(dated)
    settings = {
        (candidate.system, candidate.task): candidate.said
        for candidate in dated
        if candidate.file is chosen[candidate.system, candidate.task]
    }
    if older := len(dated) - len(chosen):
        n_unlike = sum(
            _of_task(candidate.said) != _of_task(settings[candidate.system, candidate.task]) for candidate in dated
        )
        unlike = f" ({n_unlike} with other settings)" if n_unlike else ""
        notes.append(f"left out {count(older, 'older result')} of a task that was run again{unlike}")
    make_part = _part if samples else _part_of_results
    parts = [
        make_part(system, task, file.held, settings[system, task], _Says(runs.get(_run_of(file)), task, choice))
        for (system, task), file in chosen.items()
    ]
    wanted = choice.metrics is None or any(_TURNED in metric for metric in choice.metrics)
    return parts, [*notes, *(_turned(parts) if wanted else [])]


def _note_on_tasks(runs: Mapping[_LmEvalRun, File[Json]]) -> str:
    """Say that the items are whole tasks, and where samples lie that nobody named."""
    named = sorted({run.folder for run in runs if _has_samples(run)})
    if not named:
        return "there are no samples (--log_samples writes them), so the items are whole tasks"
    folders = f"folder{'s' * (len(named) > 1)} {first_few(named, most=3, write=str)}"
    return f"the items are whole tasks; samples of single items lie beside the results: give the {folders}"


def _has_samples(run: _LmEvalRun) -> bool:
    """Whether samples of the date of results lie beside them."""
    return run.date in {_task_of(path)[1] for path in run.folder.glob("samples_*.jsonl*")}


def _notes_on_runs(runs: Mapping[_LmEvalRun, File[Json]], samples: Sequence[File[Json]]) -> list[str]:
    without = len(runs.keys() - {_run_of(file) for file in samples})
    note = f"left out {count(without, 'file')} of results without samples (--log_samples writes them)"
    return [note] if without else []


def _of_task(said: _Said) -> dict[str, str]:
    """Return the settings of the whole task, and not of its documents, of which a run may have some only."""
    return {key: value for key, value in said.items() if isinstance(value, str)}


def _run_of(file: File[Json]) -> _LmEvalRun:
    return _LmEvalRun(Path(file.source.path).parent, _task_of(file.source.path)[1])


def _refuse_other_folders(dated: Sequence[Dated]) -> None:
    first: dict[tuple[str, str], str] = {}
    for result in dated:
        path = result.file.source.path
        before = first.setdefault((result.system, result.task), path)
        if Path(before).parent != Path(path).parent:
            message = (
                f"{result.system} has results of {result.task} in {before} too, a folder of the same name; leave "
                f"one out, or name what they hold: {' '.join(named_apart([before, path]))}"
            )
            raise FileFormatError(message, path=path)


def _owners(results: Sequence[File[Json]]) -> dict[_LmEvalRun, str]:
    """Return the models of runs whose folder does not name them: as several wrote there, or as it was not theirs."""
    models: dict[Path, set[str]] = defaultdict(set)
    for file in results:
        models[_run_of(file).folder].add(_model_of(file))
    return {
        _run_of(file): _model_of(file)
        for file in results
        if len(models[_run_of(file).folder]) > 1 or not Path(file.source.path).name.startswith("results_")
    }


def _model_of(file: File[Json]) -> str:
    model = file.held.object.get(_MODEL)
    return "" if model is None else name_in(file.held, model, "model", key=_MODEL)


def _system_of(file: File[Json], owners: Mapping[_LmEvalRun, str]) -> str:
    owner = owners.get(_run_of(file))
    if owner and _holds_results(file.held):
        owner = _model_of(file)  # of another file of the same date, or without one, it may be another
    return own_system(file.source, owner or Path(file.source.path).absolute().parent.name)


class _SystemNames(NamedTuple):
    system: str
    task: str


def _renamed(samples: Sequence[File[Json]]) -> dict[str, _SystemNames]:
    """Return file to names where several files of one folder, of names of their own, begin with the same document."""
    alike: dict[tuple[Path, str, str], list[str]] = defaultdict(list)
    for file in samples:
        path, first = Path(file.source.path), file.held.first
        if isinstance(first.get("doc_hash"), str) and not _task_of(path)[1]:
            alike[path.parent, str(first.get("doc_id")), first["doc_hash"]].append(str(path))
    stems = {path: _task_of(path)[0] for paths in alike.values() for path in paths}
    names: dict[str, _SystemNames] = {}
    for (folder, *_), paths in alike.items():
        if len(paths) > 1:
            words = [stems[path].split("_") for path in paths]
            shared = [word for word in words[0] if all(word in others for others in words)]
            task = "_".join(shared) or folder.absolute().name
            names |= {path: _SystemNames(stems[path], task) for path in paths}
    return names


def _dated_samples(
    file: File[Json],
    owners: Mapping[_LmEvalRun, str],
    runs: Mapping[_LmEvalRun, File[Json]],
    choice: BenchmarkChoice,
    renamed: Mapping[str, _SystemNames],
) -> Dated:
    task, date = _task_of(file.source.path)
    names = renamed.get(str(Path(file.source.path)))
    task = task if names is None else names.task
    run = runs.get(_run_of(file))
    about = {} if run is None else run.held.object
    settings: dict[str, str | Mapping[str, str]] = dict(settings_in(about, choice.form.compared, task))
    settings.pop(_SIZES, None)  # the samples tell which documents they are of
    return Dated(
        system=_system_of(file, owners) if names is None else own_system(file.source, names.system),
        task=task,
        file=file,
        ended_well=True,
        age=date,
        n_items=len({str(record.get("doc_id")) for record in file.held.records}),
        scores=file.held.value,
        said=settings | {"prompt_hash": _prompts(file.held, task, about.get(_TEMPLATE))},
    )


def _prompts(json: Json, task: str, template: object) -> dict[str, str]:
    """Return the checksum of the prompt of every document; a prompt in a chat template is one of this template."""
    within = f" ({_TEMPLATE} {spoken(template)})" if template else ""
    return {
        f"{task}/{record.get('doc_id')}{within}": record["prompt_hash"]
        for record in json.records
        if isinstance(record.get("prompt_hash"), str)
    }


def _dated_results(file: File[Json], owners: Mapping[_LmEvalRun, str], choice: BenchmarkChoice) -> list[Dated]:
    """Return the results of every task that is no group of others."""
    said = file.held.object.get(_WRITTEN)
    age = _task_of(file.source.path)[1] or ((float(said),) if isinstance(said, int | float) else ())
    below, sizes = (file.held.object.get(name) for name in ("group_subtasks", _SIZES))
    dated = []
    for task, scores in file.held.object["results"].items():
        if not isinstance(scores, dict):
            file.held.refuse("the results of a task are an object", key=f"results.{task}")
        size = sizes.get(task) if isinstance(sizes, dict) else None
        n_items = size.get("effective") if isinstance(size, dict) else 0
        if not (isinstance(below, dict) and below.get(task)):
            dated.append(
                Dated(
                    system=_system_of(file, owners),
                    task=task,
                    file=file,
                    ended_well=True,
                    age=age,
                    n_items=n_items if isinstance(n_items, int) else 0,
                    scores=scores,
                    said=settings_in(file.held.object, choice.form.compared, task),
                )
            )
    return dated


def _task_of(path: str | Path) -> tuple[str, tuple[float, ...]]:
    """Return the task and the moment in a file's name; a file of another name is a task of its own, without one."""
    name = Path(path).name
    for ending in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(ending)
    match = _NAME.fullmatch(name) or _RESULTS.fullmatch(name)
    if match:
        return match["task"], moment(f"{match['day']}T{match['time'].replace('-', ':')}")
    return (name.removesuffix(".jsonl").removeprefix("samples_"), ())


class _Says:
    """What the results of a run say of a task's metrics; nothing is known where there are none."""

    def __init__(self, run: File[Json] | None, task: str, choice: BenchmarkChoice) -> None:
        document = {} if run is None else run.held.object
        self._usual = choice.form.lower
        self._better = _inside(document, "higher_is_better", task)
        listed = _inside(document, "configs", task).get("metric_list")
        self._metrics = [metric for metric in listed if isinstance(metric, dict)] if isinstance(listed, list) else []

    def direction(self, name: str) -> bool | None:
        """Return whether a higher aggregate is better, None where nobody says so."""
        higher = self._better.get(name)
        return higher if isinstance(higher, bool) else False if name in self._usual else None

    def aggregation(self, name: str) -> str:
        """Return how values of samples are aggregated, by default as the metric of this name is."""
        aggregation = next(
            (metric.get("aggregation") for metric in self._metrics if metric.get("metric") == name), None
        )
        return aggregation if isinstance(aggregation, str) else _TURNED if name == _TURNED else "mean"


def _inside(held: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """Return the object at these names, an empty one where there is none."""
    nested: object = held
    for name in names:
        nested = nested.get(name) if isinstance(nested, dict) else None
    return nested if isinstance(nested, dict) else {}


def _part(system: str, task: str, json: Json, said: _Said, says: _Says) -> Part:
    records = json.records
    topics: list[str] = []
    values: list[dict[str, Any]] = []
    marks: list[str] = []
    for at, record in enumerate(records):
        if "doc_id" not in record:
            json.refuse("there is no doc_id; every line of samples has one", at=at)
        topics.append(f"{task}/{name_in(json, record['doc_id'], 'doc_id', at=at, key='doc_id')}")
        values.append(_scores(record, json, at))
        mark = record.get("doc_hash")
        marks.append("" if mark is None else name_in(json, mark, "doc_hash", at=at, key="doc_hash"))
    if not any(values) and _UNSCORED in records[0]:
        _refuse_unscored(json, task, records[0][_UNSCORED], at=0, key=_UNSCORED)
    return Part(
        path=json.label,
        system=system,
        topics=topics,
        values=values,
        place=lambda number, metric: (json.line(number), metric.partition("(")[0] or ""),
        clusters=[task] * len(topics),
        marks=marks if any(marks) else None,
        mark="doc_hash",
        said=said,
        **_directions(values, says, of_samples=True),
    )


def _scores(record: Mapping[str, Any], json: Json, at: int) -> dict[str, Any]:
    """Return the scores of a line, each under its name and, unless that is "none", its filter."""
    named = record.get("metrics")
    if named is None:
        named = [name for name in record if name not in _FIXED]
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        json.refuse("the names of the metrics must be a list of words", at=at, key="metrics")
    used = name_in(json, record.get("filter", _NO_FILTER), "filter", at=at, key="filter")
    scores = {}
    for name in named:
        if name == _UNSCORED:
            continue
        value = record.get(name)
        if isinstance(value, dict):
            json.refuse("this is an object; the score of a document is a number", at=at, key=name)
        scores[_with_filter(name, used)] = value
    return scores


def _refuse_unscored(json: Json, task: str, value: object, *, at: int | None, key: str) -> NoReturn:
    rule = (
        f"the only metric of {task} is {_UNSCORED} ({value!r}), which is no score but stands for answers that were not "
        "scored (--predict_only); run lm_eval without --predict_only, or leave this file out"
    )
    json.refuse(rule, at=at, key=key)


def _with_filter(name: str, used: str) -> str:
    return name if used == _NO_FILTER else f"{name}({used})"


def _part_of_results(system: str, task: str, json: Json, said: _Said, says: _Says) -> Part:
    values, errors, scores = {}, {}, json.object["results"][task]
    for key, value in scores.items():
        name, _, used = key.partition(",")
        if name == _UNSCORED:
            continue
        if name.endswith(_ERROR):
            errors[_with_filter(name.removesuffix(_ERROR), used or _NO_FILTER)] = value
        elif key not in {"name", "alias", "sample_len", "sample_count"}:
            values[_with_filter(name, used or _NO_FILTER)] = value
    unscored = [(key, value) for key, value in scores.items() if key.partition(",")[0] == _UNSCORED]
    if not values and unscored:
        _refuse_unscored(json, task, unscored[0][1], at=None, key=f"results.{task}.{unscored[0][0]}")
    return Part(
        path=json.label,
        system=system,
        topics=[task],
        values=[values],
        place=lambda _, metric: (None, f"results.{task}" + f".{metric}" * bool(metric)),
        errors=[errors],
        clusters=[task],
        said=said,
        **_directions([values], says, of_samples=False),
    )


def _directions(values: Sequence[Mapping[str, Any]], says: _Says, *, of_samples: bool) -> dict[str, Any]:
    """Return the metrics where lower values are better, where higher ones are, and notes, as a part has them."""
    better: dict[bool, set[str]] = {False: set(), True: set()}
    notes = []
    for name in dict.fromkeys(metric.partition("(")[0] for scores in values for metric in scores):
        higher, aggregation = says.direction(name), says.aggregation(name)
        if higher is None:
            continue
        if of_samples and aggregation == _TURNED:
            higher = not higher
        elif of_samples and aggregation not in _IN_ORDER and not higher:
            notes.append(
                f"lower aggregates are better under {name}, by a function of its task: taken so for samples too"
            )
        better[higher].add(name)
    return {"lower": frozenset(better[False]), "higher": frozenset(better[True]), "notes": notes}


def _turned(parts: Sequence[Part]) -> list[str]:
    """Say what the samples of a perplexity are, and what lm-evaluation-harness makes of them."""
    perplexities = []
    for part in parts:
        log_likelihoods = [scores[_TURNED] for scores in part.values if isinstance(scores.get(_TURNED), float | int)]
        if log_likelihoods and _TURNED in part.higher:
            with suppress(OverflowError):
                perplexities.append(
                    f"{math.exp(-sum(log_likelihoods) / len(log_likelihoods)):.6g} for {part.system} on {part.task}"
                )
    note = (
        f"{_TURNED} of a sample is a log likelihood, where higher is better; exp(-mean) is "
        f"{first_few(perplexities, most=8)}"
    )
    return [note] if perplexities else []
