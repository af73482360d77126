"""Results of BigCodeBench and EvalPlus, ``…_eval_results.json``: tasks, with whether every sample of code passed."""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from metaeval.base.names import shortened
from metaeval.io.benchmarks.comparable import BenchmarkChoice
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, own_system

_TASKS, _ENDING, _PASSED = "eval", "eval_results", "pass"
_STATUS, _BASE, _PLUS = "status", "base_status", "plus_status"
_METRICS: Mapping[str, Sequence[str]] = {"passed": (_STATUS,), "base": (_BASE,), "plus": (_BASE, _PLUS)}
"""What a sample must have passed: EvalPlus counts its further tests where the first ones are passed too."""


def holds_code_tasks(json: Json) -> bool:
    """Whether these are samples of code by task, each with its status."""
    tasks = json.object.get(_TASKS)
    listed = [*tasks.values()] if isinstance(tasks, dict) else []
    if not listed or not all(isinstance(samples, list) for samples in listed):
        return False
    return any(isinstance(sample, dict) and sample.keys() & {_STATUS, _BASE} for sample in chain.from_iterable(listed))


def slim_code_tasks(json: Json) -> None:
    """Forget programs and what their tests said."""
    json.keep({_TASKS})
    for samples in json.object[_TASKS].values():
        json.keep({_STATUS, _BASE, _PLUS}, samples)


def parts_of_code_tasks(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read results: a system a file, an item a task, a repeat a sample, the score 1 if it passed and 0 if not."""
    return choice.kept([_part(file) for file in files]), []


def _part(file: File[Json]) -> Part:
    json = file.held
    samples = [
        (task, number, sample)
        for task, listed in json.object[_TASKS].items()
        for number, sample in enumerate(listed, start=1)
    ]
    return Part(
        path=json.label,
        system=own_system(file.source, _name_of(file)),
        topics=[task for task, _, _ in samples],
        values=[_values(json, task, number, sample) for task, number, sample in samples],
        place=lambda at, _: (None, f"{_TASKS}.{samples[at][0]}[{samples[at][1] - 1}]"),
        repeats=[str(number) for _, number, _ in samples],
    )


def _name_of(file: File[Json]) -> str:
    """Return the name of a file without its ending, or that of the folder of one that is called by the ending alone."""
    stem = file.source.own_name
    return Path(file.source.path).resolve().parent.name if stem == _ENDING else stem.removesuffix(f"_{_ENDING}")


def _values(json: Json, task: str, number: int, sample: Any) -> dict[str, float | None]:  # noqa: ANN401 - as JSON has it
    key = f"{_TASKS}.{task}[{number - 1}]"
    if not isinstance(sample, dict):
        json.refuse("a sample is an object with a status", key=key)
    for name in (_STATUS, _BASE, _PLUS):
        if not isinstance(sample.get(name), str | None):
            json.refuse(f"a status is a word, such as {_PASSED!r}, not {shortened(sample[name])}", key=f"{key}.{name}")
    return {metric: _passed(sample, names) for metric, names in _METRICS.items() if names[-1] in sample}


def _passed(sample: Mapping[str, str | None], names: Sequence[str]) -> float | None:
    said = [sample.get(name) for name in names]
    return None if None in said else float(all(status == _PASSED for status in said))
