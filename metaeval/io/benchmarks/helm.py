"""Runs of HELM: ``runs/SUITE/RUN/per_instance_stats.json`` beside ``run_spec.json``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metaeval.base.names import count
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.files import File, own_system
from metaeval.io.benchmarks.parts import Part

STATS_FILE = "per_instance_stats.json"
SPEC_FILE = "run_spec.json"
_PERTURBED = "+"
_OF_ALL = frozenset({"name", "robustness", "fairness", "computed_on"})
"""What a perturbation of any kind says of itself; the rest are its parameters."""


def holds(json: Json) -> bool:
    """Whether this is one of the two files of a run that are read."""
    return _holds_spec(json) or (json.lines is None and {"instance_id", "stats"} <= json.first.keys())


def _holds_spec(json: Json) -> bool:
    return {"adapter_spec", "scenario_spec"} <= json.object.keys()


def read(files: Sequence[File[Json]]) -> tuple[list[Part], list[str]]:
    """Read runs: a system a model, an item an instance of a scenario with its perturbation, a metric a statistic.

    A repeat is a training trial. The score is the statistic's mean; one that counted nothing is a gap.
    """
    specs = {Path(file.source.path).parent: file.held for file in files if _holds_spec(file.held)}
    stats = [file for file in files if not _holds_spec(file.held)]
    parts, used = [], set()
    for file in stats:
        folder = Path(file.source.path).parent
        if folder not in specs:
            message = (
                f"there is no {SPEC_FILE} beside it to say which model and scenario this is; give the whole folder"
            )
            raise FileFormatError(message, path=file.source.path)
        used.add(folder)
        model, scenario = _spoken_of(specs[folder])
        parts.append(_part(own_system(file.source, model), scenario, file.held))
    notes = []
    if len(used) < len(specs):
        notes.append(f"left out {count(len(specs) - len(used), 'run')} without {STATS_FILE}")
    items = {topic for part in parts for topic in part.topics}
    perturbed = sum(_PERTURBED in topic.rpartition("/")[2] for topic in items)
    if 0 < perturbed < len(items):
        notes.append(
            f"{count(perturbed, 'item')} of {len(items)} are perturbed instances, which HELM's means leave out"
        )
    if not parts:
        message = f"there is no {STATS_FILE} beside {SPEC_FILE}; give the whole folder of a run"
        raise FileFormatError(message, path=files[0].source.path)
    return parts, notes


def _spoken_of(spec: Json) -> tuple[str, str]:
    """Return the model and the scenario with its arguments."""
    adapter, scenario = spec.object["adapter_spec"], spec.object["scenario_spec"]
    if not isinstance(adapter, dict) or not isinstance(adapter.get("model"), str):
        spec.refuse("the specification of a run names its model here", key="adapter_spec.model")
    if not isinstance(scenario, dict) or not isinstance(scenario.get("class_name"), str):
        spec.refuse("the specification of a run names its scenario here", key="scenario_spec.class_name")
    given = scenario.get("args") or {}
    if not isinstance(given, dict):
        spec.refuse("the arguments of a scenario are an object", key="scenario_spec.args")
    name = scenario["class_name"].rpartition(".")[2].removesuffix("Scenario")
    words = ",".join(f"{key}={value}" for key, value in sorted(given.items()))
    return adapter["model"], f"{name}:{words}" if words else name


def _part(model: str, scenario: str, json: Json) -> Part:
    topics, values, repeats = [], [], []
    for at, record in enumerate(json.records):
        if not isinstance(record.get("stats"), list) or "instance_id" not in record:
            json.refuse("an instance is an object with instance_id and a list of stats", at=at)
        topics.append(f"{scenario}/{record['instance_id']}{_perturbation(record.get('perturbation'))}")
        repeats.append(str(record.get("train_trial_index", 0)))
        values.append(_values(record["stats"], json, at))
    return Part(
        path=json.label,
        system=model,
        topics=topics,
        values=values,
        place=lambda number, metric: (None, f"[{number}].stats" + (f".{metric}" if metric else "")),
        repeats=repeats,
        clusters=[scenario] * len(topics),
    )


def _perturbation(said: object) -> str:
    """Return what is behind the name of a perturbed instance: its name, and its parameters if it has any."""
    if not isinstance(said, Mapping):
        return f"{_PERTURBED}{said}" if said else ""
    given = ",".join(f"{key}={value}" for key, value in sorted(said.items()) if key not in _OF_ALL)
    return f"{_PERTURBED}{said.get('name', 'perturbed')}" + f"({given})" * bool(given)


def _values(stats: Sequence[Any], json: Json, at: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, stat in enumerate(stats):
        key = f"stats[{number}]"
        name: Any = stat.get("name") if isinstance(stat, Mapping) else None
        name = name.get("name") if isinstance(name, Mapping) else name
        if not isinstance(name, str) or not name:
            json.refuse("a statistic is an object with a name", at=at, key=key)
        if name in found:
            json.refuse(f"the statistic {name!r} appears twice for this instance; keep one", at=at, key=key)
        found[name] = None if stat.get("count") == 0 else stat.get("mean")
    return found
