"""Annotations of AlpacaEval: ``annotations.json``, an object an instruction."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from metaeval.base.names import shortened
from metaeval.io.benchmarks.comparable import BenchmarkChoice
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, brief, name_in, own_system

_BASELINE, _SYSTEM, _ANNOTATOR, _SPLIT = "generator_1", "generator_2", "annotator", "datasplit"
_PREFERENCE = "preference"
_CONTROLLED = "glm_preference"
"""The same, as if both answers were of one length: 0 to 1, which AlpacaEval writes when it reads annotations again."""
_DRAWS = {0: 1.5}
"""A draw in annotations of former versions."""
_LONGEST = 60


class _Kind(NamedTuple):
    """What annotations have in common."""

    system: str
    baseline: str
    annotator: str | None
    split: str | None

    @property
    def said(self) -> dict[str, str]:
        """What must be alike (`Format.compared`), as far as it is said."""
        told = {_BASELINE: self.baseline, _ANNOTATOR: self.annotator, _SPLIT: self.split}
        return {key: value for key, value in told.items() if value is not None}


def holds_alpaca_eval(json: Json) -> bool:
    """Whether these are annotations: an instruction, the two models that answered it, and which was preferred."""
    return {"instruction", _BASELINE, _SYSTEM, _PREFERENCE} <= json.first.keys()


def slim_alpaca_eval(json: Json) -> None:
    """Forget what the models answered."""
    json.keep({"instruction", _BASELINE, _SYSTEM, _ANNOTATOR, _SPLIT, _PREFERENCE, _CONTROLLED})


def parts_of_alpaca_eval(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read annotations: a system a second generator, an item an instruction, the score its preference less 1.

    Where it is controlled for length too, that is a metric of its own. Where several annotators judged every system,
    each is a metric.
    """
    parts: list[Part] = []
    for file in files:
        kinds: dict[_Kind, list[int]] = {}
        for at, record in enumerate(file.held.records):
            kinds.setdefault(_kind(record, file.held, at), []).append(at)
        systems = {kind.system for kind in kinds}
        if file.source.name is not None and len(systems) > 1:
            message = f"the file names {len(systems)} models itself, so {file.source.name!r} has nothing to name"
            file.held.refuse(f"{message}; give the path")
        parts += [_part(own_system(file.source, kind.system), kind, file.held, at) for kind, at in kinds.items()]
    parts = choice.kept(parts)
    judged = {part.said.get(_ANNOTATOR, "none"): set[str]() for part in parts}
    for part in parts:
        judged[part.said.get(_ANNOTATOR, "none")].add(part.system)
    if len(judged) > 1 and len(set(map(frozenset, judged.values()))) == 1:
        parts = [_of_annotator(part) for part in parts]
    baselines = dict.fromkeys(str(part.said[_BASELINE]) for part in parts)
    return parts, [f"scores are preferences over {' or '.join(baselines)}, from 0 to 1"]


def _kind(record: Any, json: Json, at: int) -> _Kind:  # noqa: ANN401 - as JSON has it
    absent = {"instruction", _BASELINE, _SYSTEM} - record.keys()
    if absent or not isinstance(record["instruction"], str):
        json.refuse(f"an annotation has an instruction in words and two generators; {min(absent, default='')}", at=at)
    for name, (least, most) in {_PREFERENCE: (1, 2), _CONTROLLED: (0, 1)}.items():
        value = record.get(name)
        draw = name == _PREFERENCE and type(value) in {int, float} and value in _DRAWS
        if value is None or draw:
            continue
        if type(value) not in {int, float} or not (least <= value <= most or value != value):  # noqa: PLR0124 - not a number
            json.refuse(f"{shortened(value)!r} is no preference; it lies from {least} to {most}", at=at, key=name)
    system, baseline = (name_in(json, record[name], "model", at=at, key=name) for name in (_SYSTEM, _BASELINE))
    annotator, split = (
        None if record.get(name) is None else name_in(json, record[name], name, at=at, key=name)
        for name in (_ANNOTATOR, _SPLIT)
    )
    return _Kind(system, baseline, annotator, split)


def _part(system: str, kind: _Kind, json: Json, places: Sequence[int]) -> Part:
    records = [json.records[at] for at in places]
    return Part(
        path=json.label,
        system=system,
        topics=[brief(record["instruction"], _LONGEST) for record in records],
        values=[_values(record) for record in records],
        place=lambda number, metric: (json.line(places[number]), f"[{places[number]}].{metric.partition('(')[0]}"),
        said=kind.said,
    )


def _values(record: Any) -> dict[str, float | None]:  # noqa: ANN401 - as JSON has it
    preference = record.get(_PREFERENCE)
    scores = {_PREFERENCE: None if preference is None else _DRAWS.get(preference, preference) - 1}
    return scores | ({_CONTROLLED: record[_CONTROLLED]} if _CONTROLLED in record else {})


def _of_annotator(part: Part) -> Part:
    """Return the part with its metrics called after its annotator, who is then nothing to be compared."""
    settings = dict(part.said)
    name = settings.pop(_ANNOTATOR, "none")
    values = [{f"{metric}({name})": value for metric, value in scores.items()} for scores in part.values]
    return replace(part, values=values, said=settings)
