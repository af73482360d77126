"""Logs of inspect_ai: ``.json``, and ``.eval``, a zip archive, of which only the summaries of samples are read."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.base.names import count, first_few
from metaeval.io.benchmarks.contents import Archive, Json
from metaeval.io.benchmarks.files import Dated, File, moment, newest, own_system
from metaeval.io.benchmarks.records import Part
from metaeval.io.sources import named_apart

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partly correct, no answer."""
_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json")
_SUMMARY = re.compile(r"_journal/summaries/\d+\.json")
_SETTINGS = ("task_args", "model_args", "model_generate_config")


def holds(json: Json) -> bool:
    """Whether this is a log: what was evaluated, by which model, beside a version and a status."""
    inside = json.object.get("eval")
    return "status" in json.object and isinstance(inside, dict) and {"task", "model"} <= inside.keys()


def slim(json: Json) -> None:
    """Forget what was said in the samples."""
    json.keep({"status", "eval", "samples"})
    samples = json.object.get("samples")
    if isinstance(samples, list):
        json.keep({"id", "epoch", "scores"}, samples)


def is_archived_log(archive: Archive) -> bool:
    """Whether a zip archive is a log."""
    return "header.json" in archive.names or "_journal/start.json" in archive.names


def archived_log(archive: Archive) -> Json:
    """Return an ``.eval`` log as its ``.json`` would be, with no more of a sample than its scores."""
    header = "header.json" if "header.json" in archive.names else "_journal/start.json"
    log = archive.json(header)
    if not log.object:
        log.refuse("the header of a log is an object")
    members = [name for name in archive.names if _SAMPLE.fullmatch(name)]
    summaries = ["summaries.json"] if "summaries.json" in archive.names else []
    found: list[Any] = []
    for name in summaries or [name for name in archive.names if _SUMMARY.fullmatch(name)]:
        said = archive.json(name)
        if not isinstance(said.value, list):
            said.refuse("the summaries of samples are a list")
        found += said.value
    if len(found) < len(members):  # a log that was cut off has summaries of some samples only
        found = [archive.json(name).value for name in members]
    whole = Json(archive.label, {"status": "started", **log.object, "samples": found})
    slim(whole)
    return whole


def read(files: Sequence[File[Json]]) -> tuple[list[Part], list[str]]:
    """Read logs: a system a model, an item a sample, a metric a scorer, a repeat an epoch, a cluster a task.

    Of several logs of one model and task the newest that ended well is read; logs that differ in what the task, the
    model or its generation were given stop the reading. A log without scored samples is left out.
    """
    notes: list[str] = []
    scored = [file for file in files if _n_scored(file.held)]
    if len(scored) < len(files):
        notes.append(f"left out {count(len(files) - len(scored), 'log')} without a scored sample")
    dated = [_dated(file) for file in scored]
    first: dict[tuple[str, str], Json] = {}
    for log in dated:
        key = log.system, log.task
        _refuse_other_settings(first.setdefault(key, log.file.held), log.file.held, key)
    chosen = newest(dated)
    if len(chosen) < len(scored):
        notes.append(f"left out {count(len(scored) - len(chosen), 'older log')} of a model and task with another log")
    stopped = {key: _status(file.held) for key, file in chosen.items() if _status(file.held) != "success"}
    if stopped:
        named = first_few([f"{system} on {task}: {status}" for (system, task), status in stopped.items()])
        notes.append(
            f"{count(len(stopped), 'log')} did not end with success; the samples that were scored are read ({named})"
        )
    several = len({task for _, task in chosen}) > 1
    return [_part(*key, file.held, several=several) for key, file in chosen.items()], notes


def _evaluated(log: Json) -> Mapping[str, Any]:
    inside = log.object.get("eval")
    if not isinstance(inside, dict) or not {"task", "model"} <= inside.keys():
        log.refuse("a log says under eval which task and model it is about")
    return inside


def _samples(log: Json) -> list[Any]:
    found = log.object.get("samples") or []
    if not isinstance(found, list):
        log.refuse("the samples of a log are a list", key="samples")
    return found


def _n_scored(log: Json) -> int:
    return sum(isinstance(sample, dict) and bool(sample.get("scores")) for sample in _samples(log))


def _status(log: Json) -> str:
    return str(log.object.get("status"))


def _dated(file: File[Json]) -> Dated:
    evaluated, samples = _evaluated(file.held), _samples(file.held)
    return Dated(
        system=own_system(file.source, str(evaluated["model"])),
        task=str(evaluated["task"]),
        file=file,
        ended_well=_status(file.held) == "success",
        age=moment(evaluated.get("created")),
        n_items=_n_scored(file.held),
        scores=samples,
    )


def _refuse_other_settings(one: Json, other: Json, key: tuple[str, str]) -> None:
    for name in _SETTINGS:
        said, before = (_evaluated(log).get(name) or {} for log in (other, one))
        if said != before:
            message = (
                f"{key[0]} was evaluated on {key[1]} with another {name} in {one.label}; leave one out, or "
                f"name what they hold: {' '.join(named_apart([one.label, other.label]))}"
            )
            other.refuse(message, key=f"eval.{name}")


def _part(system: str, task: str, log: Json, *, several: bool) -> Part:
    topics, values, repeats, kept = [], [], [], []
    unscored = 0
    for at, sample in enumerate(_samples(log)):
        key = f"samples[{at}]"
        if not isinstance(sample, dict) or "id" not in sample:
            log.refuse("a sample is an object with an id", key=key)
        scores = sample.get("scores")
        if not scores:
            unscored += 1
            continue
        if not isinstance(scores, dict):
            log.refuse("the scores of a sample are an object, a scorer a name", key=f"{key}.scores")
        name = str(sample["id"]).strip()
        topics.append(f"{task}/{name}" if several else name)
        values.append(_values(scores, log, f"{key}.scores"))
        repeats.append(str(sample.get("epoch", 1)))
        kept.append(at)
    return Part(
        path=log.label,
        system=system,
        topics=topics,
        values=values,
        place=lambda number, metric: (None, f"samples[{kept[number]}].scores" + (f".{metric}" if metric else "")),
        repeats=repeats,
        clusters=[task] * len(topics),
        notes=[f"{count(unscored, 'sample')} without a score"] if unscored else [],
    )


def _values(scores: Mapping[str, Any], log: Json, key: str) -> dict[str, Any]:
    """Return the score of every scorer, or of every name in what it gave."""
    found: dict[str, Any] = {}
    for scorer, score in scores.items():
        if not isinstance(score, dict) or "value" not in score:
            log.refuse("a score is an object with a value", key=f"{key}.{scorer}")
        value = score["value"]
        if isinstance(value, dict):
            for name, part in value.items():
                if isinstance(part, dict | list):
                    log.refuse(
                        "the scores of one scorer are numbers or grades by name, not nested further",
                        key=f"{key}.{scorer}.value.{name}",
                    )
                found[f"{scorer}.{name}"] = _number(part)
        else:
            found[scorer] = _number(value)
    return found


def _number(value: object) -> object:
    return _GRADES.get(value, value) if isinstance(value, str) else value
