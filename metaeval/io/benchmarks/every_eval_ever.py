"""Files of Every Eval Ever: scores of one model on whole evaluations, or on every sample of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.base.names import count, shortened
from metaeval.io.benchmarks.comparable import BenchmarkChoice, spoken
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, name_in, own_system

_RESULTS, _MODEL, _NAME, _CONFIG = "evaluation_results", "model_info", "evaluation_name", "metric_config"
_SAMPLE, _SAMPLE_MODEL, _SAMPLE_HASH, _SCORED = "sample_id", "model_id", "sample_hash", "evaluation"
_UNIT = ("metric_unit", "score_type", "min_score", "max_score")
_METRIC = "score"


def holds_every_eval_ever(json: Json) -> bool:
    """Whether these are results of a model by evaluation, or samples of one with their scores."""
    return _is_whole(json) or {_SAMPLE, _SAMPLE_MODEL, _NAME, _SCORED} <= json.first.keys()


def slim_every_eval_ever(json: Json) -> None:
    """Forget questions and answers."""
    if not _is_whole(json):
        json.keep({_SAMPLE, _SAMPLE_MODEL, _SAMPLE_HASH, _NAME, _SCORED})


def parts_of_every_eval_ever(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read samples where there are some, with a cluster an evaluation, else whole evaluations as items."""
    sampled = [file for file in files if not _is_whole(file.held)]
    whole = [file for file in files if _is_whole(file.held)]
    if not sampled:
        return choice.kept([_part_of_results(file) for file in whole]), []
    names = {name for file in sampled for name in _names(file.held, _NAME, range(len(file.held.records)))}
    parts = [part for file in sampled for part in _parts_of_samples(file, several=len(names) > 1)]
    note = f"read samples, and left out {count(len(whole), 'file')} of whole evaluations"
    return choice.kept(parts), [note] * bool(whole)


def _is_whole(json: Json) -> bool:
    return {_RESULTS, _MODEL} <= json.object.keys()


def _part_of_results(file: File[Json]) -> Part:
    json = file.held
    model, results = json.object[_MODEL], json.object[_RESULTS]
    if not isinstance(model, dict) or not isinstance(results, list):
        json.refuse(f"{_MODEL} is an object with an id, and {_RESULTS} a list of objects")
    held = [_result(json, result, f"{_RESULTS}[{at}]") for at, result in enumerate(results)]
    directions = [(metric, result[_CONFIG].get("lower_is_better")) for _, metric, result in held]
    return Part(
        path=json.label,
        system=own_system(file.source, name_in(json, model.get("id"), "model", key=f"{_MODEL}.id")),
        topics=[name for name, _, _ in held],
        values=[{metric: result["score_details"].get("score")} for _, metric, result in held],
        place=lambda at, _: (None, f"{_RESULTS}[{at}].score_details.score"),
        errors=[{metric: _error(result["score_details"])} for _, metric, result in held],
        lower=frozenset(metric for metric, lower in directions if lower is True),
        higher=frozenset(metric for metric, lower in directions if lower is False),
        said={"unit": _units(json, held)},
    )


def _error(details: Mapping[str, Any]) -> object:
    """Return the standard error of a score, None where there is none."""
    nested: object = details
    for name in ("uncertainty", "standard_error", "value"):
        nested = nested.get(name) if isinstance(nested, dict) else None
    return nested


def _result(json: Json, result: Any, key: str) -> tuple[str, str, Mapping[str, Any]]:  # noqa: ANN401 - as JSON has it
    """Return the evaluation and the metric of a result, and the result."""
    parts = (_CONFIG, "score_details")
    if not isinstance(result, dict) or not all(isinstance(result.get(name), dict) for name in parts):
        json.refuse(f"a result is an object with {' and '.join(parts)}", key=key)
    config = result[_CONFIG]
    metric = next((config[of] for of in ("metric_name", "metric_id") if config.get(of) is not None), _METRIC)
    name = name_in(json, result.get(_NAME), "name of an evaluation", key=f"{key}.{_NAME}")
    return name, name_in(json, metric, "name of a metric", key=f"{key}.{_CONFIG}"), result


def _units(json: Json, results: Sequence[tuple[str, str, Mapping[str, Any]]]) -> dict[str, str]:
    """Return the unit and bounds of the scores of every evaluation under every metric."""
    units: dict[str, str] = {}
    for at, (name, metric, result) in enumerate(results):
        scored, unit = f"{name}, {metric}", spoken([result[_CONFIG].get(of) for of in _UNIT])
        if units.setdefault(scored, unit) != unit:
            rule = f"{shortened(scored)!r} has another unit above ({units[scored]}), and here {unit}; keep one result"
            json.refuse(rule, key=f"{_RESULTS}[{at}].{_CONFIG}")
    return units


def _names(json: Json, key: str, places: Sequence[int]) -> list[str]:
    return [name_in(json, json.records[at].get(key), key, at=at, key=key) for at in places]


def _parts_of_samples(file: File[Json], *, several: bool) -> list[Part]:
    json = file.held
    by_model: dict[str, list[int]] = {}
    for at, model in enumerate(_names(json, _SAMPLE_MODEL, range(len(json.records)))):
        by_model.setdefault(model, []).append(at)
    if len(by_model) > 1 and file.source.name is not None:
        json.refuse(f"the file names {len(by_model)} models itself, so {file.source.name!r} has nothing to name")
    return [_part_of_samples(file, model, places, several=several) for model, places in by_model.items()]


def _part_of_samples(file: File[Json], model: str, places: Sequence[int], *, several: bool) -> Part:
    json, records = file.held, [file.held.records[at] for at in places]
    names, samples = (_names(json, key, places) for key in (_NAME, _SAMPLE))
    scores = [_score(json, record, at) for at, record in zip(places, records, strict=True)]
    hashes = [record.get(_SAMPLE_HASH) for record in records]
    return Part(
        path=json.label,
        system=own_system(file.source, model),
        topics=[f"{name}/{sample}" if several else sample for name, sample in zip(names, samples, strict=True)],
        values=[{_METRIC: score} for score in scores],
        place=lambda at, _: (json.line(places[at]), f"{_SCORED}.score"),
        clusters=names,
        marks=[mark if isinstance(mark, str) else None for mark in hashes],
        mark=_SAMPLE_HASH,
    )


def _score(json: Json, record: Mapping[str, Any], at: int) -> Any:  # noqa: ANN401 - as JSON has it
    scored = record.get(_SCORED)
    if not isinstance(scored, dict):
        json.refuse("a sample is scored by an object with a score", at=at, key=_SCORED)
    return scored.get("score")
