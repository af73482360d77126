"""Samples of lm-evaluation-harness: ``OUT/MODEL/samples_TASK_DATE.jsonl``, a line a document and filter."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metaeval.base.names import count
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.files import Dated, File, moment, newest, own_system
from metaeval.io.benchmarks.records import Part
from metaeval.io.sources import named_apart

_FIXED = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash",
})  # fmt: skip
"""What a sample holds beside its scores."""
_NO_FILTER = "none"
_NAME = re.compile(r"samples_(?P<task>.+)_(?P<day>\d{4}-\d{2}-\d{2})T(?P<time>[\d.:-]+)\.jsonl")


def holds(json: Json) -> bool:
    """Whether these are samples: a document's number with its answers, or with its checksum."""
    first = json.first
    return "doc_id" in first and bool({"resps", "filtered_resps", "doc_hash"} & first.keys())


def slim(json: Json) -> None:
    """Forget documents, prompts and answers."""
    heavy = _FIXED - {"doc_id", "filter", "metrics", "doc_hash"}
    json.keep({name for record in json.records for name in record} - heavy)


def read(files: Sequence[File[Json]]) -> tuple[list[Part], list[str]]:
    """Read samples: a system a folder, an item a document of a task, a metric a name with its filter.

    Of several dates of one task the newest is read. A document that appears twice with equal scores counts once, and
    with other scores it stops the reading, as does one with two checksums.
    """
    dated = [_dated(file) for file in files]
    first: dict[tuple[str, str], str] = {}
    for one in dated:
        path = one.file.source.path
        before = first.setdefault((one.system, one.task), path)
        if Path(before).parent != Path(path).parent:
            message = (
                f"{one.system} has samples of {one.task} in {before} too, a folder of the same name; leave "
                f"one out, or name what they hold: {' '.join(named_apart([before, path]))}"
            )
            raise FileFormatError(message, path=path)
    chosen = newest(dated)
    older = len(files) - len(chosen)
    notes = [f"left out {count(older, 'older file')} of a task that was run again"] if older else []
    return [_part(system, task, file.held) for (system, task), file in chosen.items()], notes


def _dated(file: File[Json]) -> Dated:
    task, date = _task_of(file.source.path)
    return Dated(
        system=own_system(file.source, Path(file.source.path).absolute().parent.name),
        task=task,
        file=file,
        ended_well=True,
        age=moment(date),
        n_items=len({str(record.get("doc_id")) for record in file.held.records}),
        scores=file.held.value,
    )


def _task_of(path: str) -> tuple[str, str]:
    """Return the task and the date in a file's name, in ISO 8601; a file of another name is a task of its own."""
    name = Path(path).name
    for ending in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(ending)
    found = _NAME.fullmatch(name)
    if found:
        return found["task"], f"{found['day']}T{found['time'].replace('-', ':')}"
    return (name.removesuffix(".jsonl").removeprefix("samples_"), "")


def _part(system: str, task: str, json: Json) -> Part:
    seen: dict[tuple[str, str], int] = {}
    kept: list[int] = []
    topics: list[str] = []
    values: list[dict[str, Any]] = []
    marks: list[str] = []
    records = json.records
    again = 0
    for at, record in enumerate(records):
        if "doc_id" not in record:
            json.refuse("there is no doc_id; every line of samples has one", at=at)
        document, scores = str(record["doc_id"]), _scores(record, json, at)
        known = (document, str(record.get("filter", _NO_FILTER)))
        mark = str(record.get("doc_hash") or "")
        if known in seen:
            before = seen[known]
            if values[before] != scores or marks[before] != mark:
                message = (
                    f"document {document!r} stands on line {json.line(kept[before])} already, with other scores or "
                    "another doc_hash; keep one of the two runs that were written to this file"
                )
                json.refuse(message, at=at, key="doc_id")
            again += 1
            continue
        seen[known] = len(kept)
        kept.append(at)
        topics.append(f"{task}/{document}")
        values.append(scores)
        marks.append(mark)
    return Part(
        path=json.label,
        system=system,
        topics=topics,
        values=values,
        place=lambda number, metric: (json.line(kept[number]), metric.partition("(")[0]),
        clusters=[task] * len(topics),
        marks=marks if any(marks) else None,
        mark="doc_hash",
        notes=[f"{count(again, 'line')} that appeared twice counted once"] if again else [],
    )


def _scores(record: Mapping[str, Any], json: Json, at: int) -> dict[str, Any]:
    """Return the scores of a line, each under its name and, unless that is "none", its filter."""
    named = record.get("metrics")
    if named is None:
        named = [name for name in record if name not in _FIXED]
    if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
        json.refuse("the names of the metrics must be a list of words", at=at, key="metrics")
    used = record.get("filter", _NO_FILTER)
    scores = {}
    for name in named:
        value = record.get(name)
        if isinstance(value, dict):
            json.refuse("this is an object; the score of a document is a number", at=at, key=name)
        scores[name if used == _NO_FILTER else f"{name}({used})"] = value
    return scores
