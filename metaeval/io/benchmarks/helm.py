"""Runs of HELM: ``runs/SUITE/RUN/per_instance_stats.json`` beside ``run_spec.json``."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.base.names import count
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.comparable import SPLIT, BenchmarkChoice, left_of_splits, lower_of, settings_in, without_any
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, name_in, own_system
from metaeval.io.sources import Source

STATS_FILE = "per_instance_stats.json"
SPEC_FILE = "run_spec.json"
_OF_RUN = frozenset(
    {STATS_FILE, SPEC_FILE, "stats.json", "scenario_state.json", "scenario.json", "instances.json"}
    | {"display_predictions.json", "display_requests.json"}
)
"""What lies in the folder of a run; each stands for the two that are read."""
_PERTURBED = "+"
_OF_MODEL = re.compile(r"(?<=:)model(?:_deployment)?=[^,]*,?|,model(?:_deployment)?=[^,]*")
"""What the name of a run says of its model, beside the scenario and its arguments."""
_OF_ALL = frozenset({"name", "robustness", "fairness", "computed_on"})
"""What a perturbation of any kind says of itself; the rest are its parameters."""


class _HelmRun(NamedTuple):
    """The statistics of a run, an instance a record, and what its specification says."""

    system: str
    scenario: str
    said: Mapping[str, str]
    json: Json
    splits: list[str]
    """The split of every record, "" where it says none."""


def with_run_files(sources: Sequence[Source]) -> list[Source]:
    """Return the two files that are read in place of any of a run that has both; of folders without the others.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> run = pathlib.Path(tempfile.mkdtemp())
    >>> _ = [(run / name).write_text("") for name in ("run_spec.json", "stats.json", "per_instance_stats.json")]
    >>> [pathlib.Path(source.path).name for source in with_run_files([Source(str(run / "stats.json"))])]
    ['run_spec.json', 'per_instance_stats.json']
    """
    read: dict[str, Source] = {}
    for source in sources:
        folder, name = Path(source.path).parent, Path(source.path).name
        is_of_run = name in _OF_RUN or source.listed
        if is_of_run and all((folder / file).is_file() for file in (SPEC_FILE, STATS_FILE)):
            for path in (str(folder / SPEC_FILE), str(folder / STATS_FILE)):
                read.setdefault(path, source._replace(path=path))
        else:
            read[source.path] = source
    return [*read.values()]


def holds_helm(json: Json) -> bool:
    """Whether this is one of the two files of a run that are read."""
    return _holds_spec(json) or (json.lines is None and {"instance_id", "stats"} <= json.first.keys())


def _holds_spec(json: Json) -> bool:
    return "adapter_spec" in json.object and not {"scenario_spec", "metric_specs"}.isdisjoint(json.object)


def parts_of_helm(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read runs: a system a model, an item an instance of a scenario with its perturbation, a metric a statistic.

    A repeat is a training trial. The score is the statistic's mean; one that counted nothing is a gap. Of a scenario
    the split test is read where any run has it.
    """
    specs = {Path(file.source.path).parent: file.held for file in files if _holds_spec(file.held)}
    runs = [_run(file, specs, choice) for file in files if not _holds_spec(file.held)]
    if not runs:
        message = f"there is no {STATS_FILE} beside {SPEC_FILE}; give the whole folder of a run"
        raise FileFormatError(message, path=files[0].source.path)
    notes = []
    if without := len(specs) - len({Path(run.json.label).parent for run in runs}):
        notes.append(f"left out {count(without, 'run')} without {STATS_FILE}")
    scenario_splits: dict[str, set[str]] = {}
    for run in runs:
        scenario_splits.setdefault(run.scenario, set()).update(run.splits)
    chosen_splits, left = choice.splits(scenario_splits), dict[str, set[str]]()
    parts = [_part(run, chosen_splits[run.scenario], choice, left) for run in runs]
    notes += left_of_splits({split: len(items) for split, items in left.items()}, "item")
    filled = [part for part in parts if part.topics]
    notes += without_any(parts, filled)
    parts = choice.kept(filled)
    items = {topic for part in parts for topic in part.topics}
    perturbed = sum(_PERTURBED in topic.rpartition("/")[2] for topic in items)
    if 0 < perturbed < len(items):
        notes.append(
            f"{count(perturbed, 'item')} of {len(items)} are perturbed instances, which HELM's means leave out"
        )
    return parts, notes


def _run(file: File[Json], specs: Mapping[Path, Json], choice: BenchmarkChoice) -> _HelmRun:
    spec = specs.get(Path(file.source.path).parent)
    if spec is None:
        message = f"there is no {SPEC_FILE} beside it to say which model and scenario this is; give the whole folder"
        raise FileFormatError(message, path=file.source.path)
    model, scenario = _spoken_of(spec)
    splits = [_split_of(record, file.held, at) for at, record in enumerate(file.held.records)]
    settings = settings_in(spec.object, choice.form.compared)
    return _HelmRun(own_system(file.source, model), scenario, settings, file.held, splits)


def _spoken_of(spec: Json) -> tuple[str, str]:
    """Return the model and the scenario with its arguments."""
    adapter, scenario = (spec.object.get(part) for part in ("adapter_spec", "scenario_spec"))
    if not isinstance(adapter, dict) or not isinstance(adapter.get("model"), str):
        spec.refuse("the specification of a run names its model here", key="adapter_spec.model")
    called = spec.object.get("name")
    if scenario is None and isinstance(called, str):  # mmlu:subject=anatomy,model=openai_gpt-4o
        return adapter["model"], _OF_MODEL.sub("", called).rstrip(":")
    if not isinstance(scenario, dict) or not isinstance(scenario.get("class_name"), str):
        spec.refuse("the specification of a run names its scenario here", key="scenario_spec.class_name")
    arguments = scenario.get("args") or {}
    if not isinstance(arguments, dict):
        spec.refuse("the arguments of a scenario are an object", key="scenario_spec.args")
    name = scenario["class_name"].rpartition(".")[2].removesuffix("Scenario")
    words = ",".join(f"{key}={value}" for key, value in sorted(arguments.items()))
    return adapter["model"], f"{name}:{words}" if words else name


def _split_of(record: Mapping[str, Any], json: Json, at: int) -> str:
    """Return the split that the statistics of an instance name, "" where none does."""
    if not isinstance(record.get("stats"), list) or "instance_id" not in record:
        json.refuse("an instance is an object with instance_id and a list of stats", at=at)
    splits = dict[str, None]()
    for number, stat in enumerate(record["stats"]):
        named = stat.get("name") if isinstance(stat, Mapping) else None
        split = named.get(SPLIT) if isinstance(named, Mapping) else None
        if split is not None:
            splits[name_in(json, split, SPLIT, at=at, key=f"stats[{number}].name.{SPLIT}")] = None
    if len(splits) > 1:
        json.refuse(f"the statistics are of the splits {' and '.join(splits)}; an instance is of one", at=at)
    return next(iter(splits), "")


def _part(run: _HelmRun, kept: set[str], choice: BenchmarkChoice, left: dict[str, set[str]]) -> Part:
    topics, values, repeats, places = [], [], [], []
    json = run.json
    for at, (record, split) in enumerate(zip(json.records, run.splits, strict=True)):
        name = name_in(json, record["instance_id"], "instance_id", at=at, key="instance_id")
        topic = f"{run.scenario}/{name}{_perturbation(record.get('perturbation'), json, at)}"
        scores = _values(record["stats"], json, at)
        if split not in kept:
            left.setdefault(split, set()).add(topic)
            continue
        topics.append(topic)
        repeats.append(name_in(json, record.get("train_trial_index", 0), "trial", at=at, key="train_trial_index"))
        values.append(scores)
        places.append(at)
    names = {name for item_scores in values for name in item_scores}
    lower = lower_of(names, choice.form, run.scenario.partition(":")[0])
    return Part(
        path=json.label,
        system=run.system,
        topics=topics,
        values=values,
        place=lambda number, metric: (None, f"[{places[number]}].stats" + (f".{metric}" if metric else "")),
        repeats=repeats,
        runs=True,
        clusters=[run.scenario] * len(topics),
        said=run.said,
        lower=lower,
        higher=frozenset(names - lower),
    )


def _perturbation(said: object, json: Json, at: int) -> str:
    """Return what is behind the name of a perturbed instance: its name, and its parameters if it has any."""
    if said is None:
        return ""
    if isinstance(said, str) and said:
        return _PERTURBED + said
    if not isinstance(said, Mapping) or not said:
        json.refuse("a perturbation is an object with a name", at=at, key="perturbation")
    name = name_in(json, said.get("name"), "perturbation", at=at, key="perturbation.name")
    parameters = ",".join(f"{key}={value}" for key, value in sorted(said.items()) if key not in _OF_ALL)
    return f"{_PERTURBED}{name}" + f"({parameters})" * bool(parameters)


def _values(stats: Sequence[Any], json: Json, at: int) -> dict[str, Any]:
    means: dict[str, Any] = {}
    for number, stat in enumerate(stats):
        key = f"stats[{number}]"
        name: Any = stat.get("name") if isinstance(stat, Mapping) else None
        name = name.get("name") if isinstance(name, Mapping) else name
        if not isinstance(name, str) or not name:
            json.refuse("a statistic is an object with a name", at=at, key=key)
        if name in means:
            json.refuse(f"the statistic {name!r} appears twice for this instance; keep one", at=at, key=key)
        means[name] = None if stat.get("count") == 0 else stat.get("mean")
    return means
