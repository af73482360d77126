"""Annotations of AlpacaEval: ``annotations.json``, an object an instruction."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from metaeval.base.names import shortened
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.files import File, own_system
from metaeval.io.benchmarks.parts import Part

_PREFERENCE = "preference"
_CONTROLLED = "glm_preference"
"""The same, as if both answers were of one length: 0 to 1, which AlpacaEval writes when it reads annotations again."""
_DRAWS = {0: 1.5}
"""A draw in annotations of former versions."""
_LONGEST = 60
_DIGITS = 8


def holds(json: Json) -> bool:
    """Whether these are annotations: an instruction, the two models that answered it, and which was preferred."""
    return {"instruction", "generator_1", "generator_2", _PREFERENCE} <= json.first.keys()


def slim(json: Json) -> None:
    """Forget what the models answered."""
    json.keep({"instruction", "generator_1", "generator_2", "annotator", _PREFERENCE, _CONTROLLED})


def read(files: Sequence[File[Json]]) -> tuple[list[Part], list[str]]:
    """Read annotations: a system a second generator, an item an instruction, the score its preference less 1.

    Where it is controlled for length too, that is a metric of its own. All must be against one baseline. Where there
    are several annotators, each is a metric.
    """
    for file in files:
        for at, record in enumerate(file.held.records):
            _check_names(record, file.held, at)
    several = len({record.get("annotator") for file in files for record in file.held.records}) > 1
    parts: list[Part] = []
    baseline = files[0].held.first.get("generator_1"), files[0].source.path
    for file in files:
        systems: dict[str, list[int]] = {}
        for at, record in enumerate(file.held.records):
            _check(record, file.held, at, baseline)
            systems.setdefault(str(record["generator_2"]), []).append(at)
        if file.source.name is not None and len(systems) > 1:
            message = f"the file names {len(systems)} models itself, so {file.source.name!r} has nothing to name"
            file.held.refuse(f"{message}; give the path")
        parts += [_part(own_system(file.source, system), file.held, at, several) for system, at in systems.items()]
    return parts, [f"scores are preferences over {baseline[0]}, from 0 to 1"]


def _check_names(record: Any, json: Json, at: int) -> None:  # noqa: ANN401 - as JSON has it
    for name in ("annotator", "generator_1", "generator_2"):
        if isinstance(record.get(name), list | dict):
            json.refuse(f"{name} is {shortened(record[name])}; it must be one name", at=at, key=name)


def _check(record: Any, json: Json, at: int, baseline: tuple[Any, str]) -> None:  # noqa: ANN401 - as JSON has it
    absent = {"instruction", "generator_1", "generator_2"} - record.keys()
    if absent or not isinstance(record["instruction"], str):
        json.refuse(f"an annotation has an instruction in words and two generators; {min(absent, default='')}", at=at)
    if record["generator_1"] != baseline[0]:
        message = (
            f"the baseline is {shortened(record['generator_1'])!r}, and {shortened(baseline[0])!r} in {baseline[1]}; "
            "preferences over different baselines are not one metric, so read them apart"
        )
        json.refuse(message, at=at, key="generator_1")
    for name, (least, most) in {_PREFERENCE: (1, 2), _CONTROLLED: (0, 1)}.items():
        value = record.get(name)
        draw = name == _PREFERENCE and type(value) in {int, float} and value in _DRAWS
        if value is None or draw:
            continue
        if type(value) not in {int, float} or not (least <= value <= most or value != value):  # noqa: PLR0124 - not a number
            json.refuse(f"{shortened(value)!r} is no preference; it lies from {least} to {most}", at=at, key=name)


def _part(system: str, json: Json, places: Sequence[int], several: bool) -> Part:  # noqa: FBT001 - for one caller
    records = [json.records[at] for at in places]
    return Part(
        path=json.label,
        system=system,
        topics=[_item(record["instruction"]) for record in records],
        values=[_values(record, several) for record in records],
        place=lambda number, metric: (json.line(places[number]), f"[{places[number]}].{metric.partition('(')[0]}"),
    )


def _values(record: Any, several: bool) -> dict[str, float | None]:  # noqa: ANN401, FBT001 - as JSON has it, for one caller
    behind = f"({record.get('annotator')})" if several else ""
    given = record.get(_PREFERENCE)
    found = {_PREFERENCE + behind: None if given is None else _DRAWS.get(given, given) - 1}
    return found | ({_CONTROLLED + behind: record[_CONTROLLED]} if _CONTROLLED in record else {})


def _item(instruction: str) -> str:
    """Return a name for an instruction: its first words, and a checksum where that is not all of it."""
    words = "".join(sign if sign.isprintable() else " " for sign in " ".join(instruction.split())).strip()
    if words == instruction and len(words) <= _LONGEST:
        return words
    mark = sha256(instruction.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    return f"{words[:_LONGEST].strip()}… {mark}".strip()
