"""Logs of inspect_ai: ``.json``, and ``.eval``, a zip archive, of which only the summaries of samples are read."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from metaeval.base.names import count, first_few
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.comparable import BenchmarkChoice, lower_of, settings_in, spoken
from metaeval.io.benchmarks.contents import Archive, Json
from metaeval.io.benchmarks.parts import Dated, File, Part, moment, name_in, newest, own_system
from metaeval.io.sources import named_apart

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partly correct, no answer."""
_SAMPLE = re.compile(r"samples/.+_epoch_\d+\.json")
_SUMMARY = re.compile(r"_journal/summaries/\d+\.json")
_SETTINGS = ("task_args", "solver", "solver_args", "model_args", "model_roles", "model_generate_config")
_OF_CONNECTIONS = frozenset(
    """
    max_retries timeout attempt_timeout stream_idle_timeout max_connections adaptive_connections batch cache
    cache_prompt
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""What of the settings says how answers were fetched, and nothing of the answers."""
_GRADED = re.compile(r"(^|/)model_graded_(qa|fact)$")
"""Scorers that are models."""
_OF_JUDGES = frozenset({"model", "model_role"})
"""What of a scorer's options says which model it is."""
_ASKED = "input"
_SUCCESS = "success"
_INVALID = "invalidation"
_RETRY = "inspect eval-retry LOG runs what is lacking, inspect score LOG scores it"


def holds_inspect_ai(json: Json) -> bool:
    """Whether this is a log: what was evaluated, by which model, beside a version and a status."""
    inside = json.object.get("eval")
    return "status" in json.object and isinstance(inside, dict) and {"task", "model"} <= inside.keys()


def slim_inspect_ai(json: Json) -> None:
    """Forget what was said in the samples."""
    json.keep({"status", "eval", "plan", "samples"})
    samples = json.object.get("samples")
    if isinstance(samples, list):
        json.keep({"id", "epoch", "scores", _ASKED, _INVALID}, samples)
        for sample in samples:
            if isinstance(sample, dict) and _ASKED in sample:
                sample[_ASKED] = spoken(sample[_ASKED])


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
    samples: list[Any] = []
    for name in summaries or [name for name in archive.names if _SUMMARY.fullmatch(name)]:
        summary = archive.json(name)
        if not isinstance(summary.value, list):
            summary.refuse("the summaries of samples are a list")
        samples += summary.value
    # a log that was cut off has summaries of some samples only, and none says whether its sample was declared invalid
    if len(samples) < len(members) or (members and log.object.get("invalidated")):
        samples = [archive.json(name).value for name in members]
    full_log = Json(archive.label, {"status": "started", **log.object, "samples": samples})
    slim_inspect_ai(full_log)
    return full_log


def parts_of_inspect_ai(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read logs: a system a model, an item a sample, a metric a scorer, a repeat an epoch, a cluster a task.

    Of several logs of one model and task the newest that ended well is read; logs that differ in what the task, the
    model or its generation were given stop the reading. A log without scored samples is left out.
    """
    notes: list[str] = []
    scored = [file for file in files if _n_scored(file.held)]
    if not scored:
        message = f"no log has a scored sample: {_of_status([file.held for file in files])}; {_RETRY}"
        raise FileFormatError(message, path=files[0].source.path)
    if len(scored) < len(files):
        without = [file.held for file in files if not _n_scored(file.held)]
        notes.append(f"left out {count(len(without), 'log')} without a scored sample ({_of_status(without)}; {_RETRY})")
    dated = choice.kept([_dated(file, choice) for file in scored])
    first: dict[tuple[str, str], Json] = {}
    ended_well = {(log.system, log.task) for log in dated if log.ended_well}
    for log in dated:
        if not log.ended_well and (log.system, log.task) in ended_well:
            continue
        key = log.system, log.task
        _refuse_other_settings(first.setdefault(key, log.file.held), log.file.held, key)
    chosen = newest(dated)
    if len(chosen) < len(dated):
        kept = {id(file.held) for file in chosen.values()}
        failed = [log.file.held for log in dated if not log.ended_well and id(log.file.held) not in kept]
        of_failed = f", {len(failed)} without success ({_of_status(failed)})" if failed else ""
        n_out = count(len(dated) - len(chosen), "log")
        notes.append(f"left out {n_out} of a model and task with a newer or a successful one{of_failed}")
    stopped = [file.held for file in chosen.values() if _status(file.held) != _SUCCESS]
    if stopped:
        notes.append(
            f"{count(len(stopped), 'log')} did not end with success; the samples that were scored are read "
            f"({_of_status(stopped)}; {_RETRY})"
        )
    several = len({task for _, task in chosen}) > 1
    return [_part(*key, file.held, choice, several=several) for key, file in chosen.items()], notes


def _of_status(logs: Sequence[Json]) -> str:
    """Say which model ended how on which task."""
    return first_few([f"{_evaluated(log)['model']} on {_evaluated(log)['task']}: {_status(log)}" for log in logs])


def _evaluated(log: Json) -> Mapping[str, Any]:
    inside = log.object.get("eval")
    if not isinstance(inside, dict) or not {"task", "model"} <= inside.keys():
        log.refuse("a log says under eval which task and model it is about")
    return inside


def _samples(log: Json) -> list[Any]:
    samples = log.object.get("samples") or []
    if not isinstance(samples, list):
        log.refuse("the samples of a log are a list", key="samples")
    return samples


def _n_scored(log: Json) -> int:
    return sum(
        isinstance(sample, dict) and bool(sample.get("scores")) and not sample.get(_INVALID) for sample in _samples(log)
    )


def _status(log: Json) -> str:
    return str(log.object.get("status"))


def _dated(file: File[Json], choice: BenchmarkChoice) -> Dated:
    evaluated, samples = _evaluated(file.held), _samples(file.held)
    model, task = (name_in(file.held, evaluated[key], key, key=f"eval.{key}") for key in ("model", "task"))
    return Dated(
        system=own_system(file.source, model),
        task=task,
        file=file,
        ended_well=_status(file.held) == _SUCCESS,
        age=moment(evaluated.get("created")),
        n_items=_n_scored(file.held),
        scores=samples,
        said=_said(file.held, choice),
    )


def _said(log: Json, choice: BenchmarkChoice) -> dict[str, str | Mapping[str, str]]:
    """Return what must be alike: what the task was given, and how, and by whom, answers were scored."""
    scorers = _scorers(log)
    judges = {name: _judge(name, options, _evaluated(log)) for name, options in scorers.items()}
    named_judges = [f"{name}: {judge}" if len(scorers) > 1 else judge for name, judge in judges.items() if judge]
    scorer_options = {
        name: spoken({key: value for key, value in options.items() if key not in _OF_JUDGES})
        for name, options in scorers.items()
    }
    settings: dict[str, str | Mapping[str, str]] = {
        **settings_in(log.object, choice.form.compared),
        "scorer": scorer_options,
    }
    return settings | ({"judge": ", ".join(named_judges)} if named_judges else {})


def _scorers(log: Json) -> dict[str, Mapping[str, Any]]:
    """Return what every scorer was given, as far as the log says it."""
    listed = _evaluated(log).get("scorers")
    scorers: dict[str, Mapping[str, Any]] = {}
    for scorer in listed if isinstance(listed, list) else []:
        if isinstance(scorer, dict) and isinstance(scorer.get("name"), str):
            options = scorer.get("options")
            scorers[scorer["name"]] = options if isinstance(options, dict) else {}
    return scorers


def _judge(name: str, options: Mapping[str, Any], evaluated: Mapping[str, Any]) -> str:
    """Return the model that graded, which is the one evaluated where none was named; "" for other scorers."""
    if not (_GRADED.search(name) or options.keys() & _OF_JUDGES):
        return ""
    role = options.get("model_role", "grader")
    roles = evaluated.get("model_roles")
    bound = roles.get(role) if isinstance(roles, dict) and isinstance(role, str) else None
    bound = bound.get("model") if isinstance(bound, dict) else bound
    return spoken(next(model for model in (options.get("model"), bound, evaluated["model"]) if model is not None))


def _lower(log: Json, choice: BenchmarkChoice) -> frozenset[str]:
    """Return the scorers of which an aggregate is one where lower is better, as of log likelihoods with their sign."""
    listed = _evaluated(log).get("scorers")
    return frozenset(
        str(scorer.get("name"))
        for scorer in (listed if isinstance(listed, list) else [])
        if isinstance(scorer, dict) and lower_of(_metrics_in(scorer.get("metrics")), choice.form)
    )


def _metrics_in(held: object) -> list[str]:
    """Return the names of metrics, which stand in lists, or lists by name."""
    if isinstance(held, list):
        return [name for nested in held for name in _metrics_in(nested)]
    if isinstance(held, dict):
        named = [held["name"].rpartition("/")[2]] if isinstance(held.get("name"), str) else []
        return named + [name for nested in held.values() for name in _metrics_in(nested)]
    return []


def _refuse_other_settings(one: Json, other: Json, key: tuple[str, str]) -> None:
    for name in _SETTINGS:
        setting, before = (_setting(log, name) for log in (other, one))
        if setting != before:
            message = (
                f"{key[0]} was evaluated on {key[1]} with another {name} in {one.label}; leave one out, or "
                f"name what they hold: {' '.join(named_apart([one.label, other.label]))}"
            )
            other.refuse(message, key=f"eval.{name}")


def _setting(log: Json, name: str) -> object:
    setting = _evaluated(log).get(name) or {}
    return (
        {key: value for key, value in setting.items() if key not in _OF_CONNECTIONS}
        if isinstance(setting, dict)
        else setting
    )


def _part(system: str, task: str, log: Json, choice: BenchmarkChoice, *, several: bool) -> Part:
    topics, values, repeats, positions = [], [], [], []
    unscored, invalid, samples = 0, 0, _samples(log)
    for at, sample in enumerate(samples):
        key = f"samples[{at}]"
        if not isinstance(sample, dict) or "id" not in sample:
            log.refuse("a sample is an object with an id", key=key)
        scores = sample.get("scores")
        if sample.get(_INVALID):
            invalid += 1
            continue
        if not scores:
            unscored += 1
            continue
        if not isinstance(scores, dict):
            log.refuse("the scores of a sample are an object, a scorer a name", key=f"{key}.scores")
        name = name_in(log, sample["id"], "sample", key=f"{key}.id").strip()
        topics.append(f"{task}/{name}" if several else name)
        values.append(_values(scores, log, f"{key}.scores"))
        repeats.append(name_in(log, sample.get("epoch", 1), "epoch", key=f"{key}.epoch"))
        positions.append(at)
    return Part(
        path=log.label,
        system=system,
        topics=topics,
        values=values,
        place=lambda number, metric: (None, f"samples[{positions[number]}].scores" + (f".{metric}" if metric else "")),
        repeats=repeats,
        clusters=[task] * len(topics),
        asked=[samples[at].get(_ASKED) for at in positions],
        said=_said(log, choice),
        lower=_lower(log, choice),
        notes=[
            *([f"{count(unscored, 'sample')} without a score"] if unscored else []),
            *([f"left out {count(invalid, 'sample')} that the log declares invalid"] if invalid else []),
        ],
    )


def _values(scores: Mapping[str, Any], log: Json, key: str) -> dict[str, Any]:
    """Return the score of every scorer, or of every name in what it gave."""
    values: dict[str, Any] = {}
    for scorer, score in scores.items():
        if not isinstance(score, dict) or "value" not in score:
            log.refuse("a score is an object with a value", key=f"{key}.{scorer}")
        value = score["value"]
        if isinstance(value, dict):
            for name, subscore in value.items():
                if isinstance(subscore, dict | list):
                    log.refuse(
                        "the scores of one scorer are numbers or grades by name, not nested further",
                        key=f"{key}.{scorer}.value.{name}",
                    )
                values[f"{scorer}.{name}"] = _number(subscore)
        else:
            values[scorer] = _number(value)
    return values


def _number(value: object) -> object:
    return _GRADES.get(value, value) if isinstance(value, str) else value
