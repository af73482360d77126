"""The blocks of several files put together by metric, system and topic, by name and never by position."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
import xarray as xr

from metaeval.base.arrays import Flags, Floats
from metaeval.base.columns import of_people
from metaeval.base.names import count, first_few, metric_evidence, natural_order
from metaeval.base.unit import TOPIC, Unit, speaking_of, unit
from metaeval.errors import ScoresError, spelling
from metaeval.io.blocks import FileBlock, notes_of_files
from metaeval.io.files import base_name
from metaeval.io.paired_items import note_of_pairing, renamed_by_content, shared_texts
from metaeval.io.sources import named_apart
from metaeval.table.array import ATTACHED, DIMS, METRICS_OF_FILES, REPEAT, dims_of, refuse_sliver
from metaeval.table.scores import Missing


def with_distinct_systems(blocks: Sequence[FileBlock]) -> list[FileBlock]:
    """Name systems by their files where two files carry one tag and would overwrite each other."""
    distinct = []
    for block in blocks:
        twins = [
            candidate
            for candidate in blocks
            if candidate.tag is not None and candidate.tag == block.tag and _overlap(block, candidate)
        ]
        if len(twins) > 1:
            alike = len({base_name(candidate.label) for candidate in twins}) < len(twins)
            name = Path(block.label).absolute().parent.name if alike else base_name(block.label)
            owner = "folder" if alike else "file"
            note = f"the tag {block.tag!r} is not the file's own, so the system goes by the {owner}'s name"
            labels = block.labels | {"system": [name]}
            distinct.append(replace(block, labels=labels, notes=[*block.notes, note]))
        else:
            distinct.append(block)
    return distinct


def _overlap(one: FileBlock, other: FileBlock) -> bool:
    return all(not set(one.labels[dim]).isdisjoint(other.labels[dim]) for dim in ("metric", "topic"))


def put_together(blocks: Sequence[FileBlock], missing: Missing) -> xr.DataArray:
    """Align the blocks by metric, system and topic, and by repeat where one of them has several."""
    with speaking_of(_unit_of_all(blocks)):
        return _put_together(blocks, missing)


def _unit_of_all(blocks: Sequence[FileBlock]) -> Unit:
    return next((block.unit for block in blocks if block.unit is not TOPIC), TOPIC)


def _put_together(blocks: Sequence[FileBlock], missing: Missing) -> xr.DataArray:
    blocks, paired = _paired_by_question(blocks)
    if any(REPEAT in block.labels for block in blocks):
        blocks = [block if REPEAT in block.labels else _once(block) for block in blocks]
    dims = dims_of(blocks[0].labels)
    labels = {dim: list(dict.fromkeys(name for block in blocks for name in block.labels[dim])) for dim in dims}
    if any(block.labels["topic"] != blocks[0].labels["topic"] for block in blocks):
        labels["topic"] = natural_order(labels["topic"])
    index_of = {dim: {name: at for at, name in enumerate(labels[dim])} for dim in dims}
    shape = [len(labels[dim]) for dim in dims]
    refuse_sliver(
        shape, sum(block.scores.size for block in blocks), "read together, files must share systems or topics"
    )
    alone = len(blocks) == 1
    scores = blocks[0].scores if alone else np.full(shape, np.nan)
    for number, block in enumerate([] if alone else blocks):
        cells = np.ix_(*([index_of[dim][name] for name in block.labels[dim]] for dim in dims))
        before = scores[cells]
        clash = ~np.isnan(before) & ~np.isnan(block.scores)
        if clash.any():
            raise _clash(block, blocks[:number], clash)
        scores[cells] = np.where(np.isnan(block.scores), before, block.scores)
    if np.isnan(scores).any():
        _refuse_other_spellings(blocks, labels, scores)
    if missing == "error" and len(blocks) > 1:
        _refuse_unequal_files(blocks, labels)
    _attached_to_all(blocks, "question", "topic")  # rows without names are one item if they ask the same
    coordinates: dict[str, Any] = {dim: labels[dim] for dim in dims}
    for field, dim in ATTACHED.items():
        values = _attached_to_all(blocks, field, dim)
        if values:
            default = True if field == "higher_is_better" else None
            coordinates[field] = (dim, np.array([values.get(name, default) for name in labels[dim]], dtype=object))
    earlier = dict.fromkeys(note for block in blocks for note in block.earlier_notes)
    notes = [*earlier, *paired, *notes_of_files((block.name, block.notes) for block in blocks)]
    attributes: dict[str, Any] = {"notes": notes, METRICS_OF_FILES: _metrics_of_files(blocks)}
    if (unit := _unit_of_all(blocks)) is not TOPIC:
        attributes["topic_word"] = unit.topic
    return xr.DataArray(scores, dims=dims, coords=coordinates, attrs=attributes)


def _metrics_of_files(blocks: Sequence[FileBlock]) -> list[str]:
    return sorted({block.labels["metric"][0] for block in blocks if block.called_as_file})


def _paired_by_question(blocks: Sequence[FileBlock]) -> tuple[Sequence[FileBlock], list[str]]:
    """Return blocks whose items are called alike where they ask the same, and a note, if files number them apart."""
    asked = [block.attached.get("question", {}) for block in blocks]
    are_numbered = all(block.numbered for block in blocks)
    if not all(asked) and len(blocks) > 1 and (are_numbered or _are_apart(blocks)):
        column = shared_texts([block.texts for block in blocks])
        if are_numbered and not column:
            return blocks, [f"no column names the {unit().topics} of the rows: they are paired by order in a file"]
        asked = [block.texts.get(column, {}) for block in blocks]
    renamed = renamed_by_content(asked) if all(asked) else []
    if not renamed:
        return blocks, []
    of_items = {"question", *(field for field, dim in ATTACHED.items() if dim == "topic")}
    paired = [
        replace(
            block,
            labels=block.labels | {"topic": [names[name] for name in block.labels["topic"]]},
            attached={
                field: {names[name]: entry for name, entry in entries.items()} if field in of_items else entries
                for field, entries in block.attached.items()
            },
        )
        for block, names in zip(blocks, renamed, strict=True)
    ]
    return paired, [note_of_pairing(renamed, "what they ask")]


def _are_apart(blocks: Sequence[FileBlock]) -> bool:
    """Whether no two files name an item alike."""
    names = [block.labels["topic"] for block in blocks]
    return len({name for of_file in names for name in of_file}) == sum(map(len, names))


def _once(block: FileBlock) -> FileBlock:
    """Return a block without repeats as one with a single repeat."""
    return replace(block, scores=block.scores[..., None], labels=block.labels | {REPEAT: ["1"]})


def _clash(block: FileBlock, earlier: Sequence[FileBlock], clash: Flags) -> ScoresError:
    at = np.argwhere(clash)[0]
    metric, system, topic = (block.labels[dim][position] for dim, position in zip(DIMS, at, strict=False))
    owner = next(
        candidate
        for candidate in earlier
        if metric in candidate.labels["metric"]
        and system in candidate.labels["system"]
        and topic in candidate.labels["topic"]
    )
    message = (
        f"{owner.label} and {block.label} both have a score of system {system!r} on {unit().topic} {topic!r} under "
        f"{metric!r}; leave out one of the files"
    )
    if {metric, system} & {base_name(owner.label), base_name(block.label)}:  # named by the file
        message += f", or name what they hold: {' '.join(named_apart([owner.label, block.label]))}"
    return ScoresError(message)


def _attached_to_all(blocks: Sequence[FileBlock], part: str, dim: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for block in blocks:
        for name, entry in block.attached.get(part, {}).items():
            if values.setdefault(name, entry) != entry:
                message = f"{block.label}: {dim} {name!r} has {part} {entry!r}, but {values[name]!r} in another file"
                raise ScoresError(f"{message}; make them agree")
    return values


def _refuse_other_spellings(blocks: Sequence[FileBlock], labels: Mapping[str, Sequence[str]], scores: Floats) -> None:
    """Refuse names that are one but for how they are written, where no score tells that they are two.

    Two topics of that kind are two where some system has scores on both; two systems where both have one on a topic.
    """
    there = ~np.isnan(scores)
    for dim in ("topic", "system"):
        present = np.moveaxis(there, DIMS.index(dim), 0).reshape(len(labels[dim]), -1)
        alike: dict[str, list[int]] = {}
        for position, name in enumerate(labels[dim]):
            alike.setdefault(spelling(name), []).append(position)
        twins = [places for places in alike.values() if len(places) > 1 and present[places].sum(axis=0).max() == 1]
        if twins:
            names = [labels[dim][position] for position in twins[0][:2]]
            holders = [next(at for at, block in enumerate(blocks) if name in block.labels[dim]) for name in names]
            (first, first_name), (second, second_name) = sorted(zip(holders, names, strict=True))
            owner = blocks[second].name
            where = f" and {owner} {second_name!r}" if first != second else f" and {second_name!r}"
            more = f", and {count(len(twins) - 1, 'other')}" if len(twins) > 1 else ""
            kind = unit().topic if dim == "topic" else dim
            raise ScoresError(
                f"{blocks[first].name} writes {kind} {first_name!r}{where}{more}: names are matched as written, so "
                "write them "
                f"alike, such as {first_name!r} in {owner}"
            )


def _refuse_unequal_files(blocks: Sequence[FileBlock], labels: Mapping[str, Sequence[str]]) -> None:
    """Say which files lack which systems or topics of the others; single missing scores are left to `as_scores`."""
    for dim, rule in (("system", "drop-systems"), ("topic", "drop-topics")):
        by_metric: dict[str, set[str]] = {}
        for block in blocks:
            for metric in block.labels["metric"]:
                by_metric.setdefault(metric, set()).update(block.labels[dim])
        lacking = {metric: [name for name in labels[dim] if name not in names] for metric, names in by_metric.items()}
        common = sum(all(name in names for names in by_metric.values()) for name in labels[dim])
        if not any(lacking.values()):
            continue
        files = {
            metric: first_few([block.name for block in blocks if metric in block.labels["metric"]])
            for metric in lacking
        }
        lines = [
            f"{files[metric]} ({metric}) has {len(by_metric[metric])}"
            + (f" and lacks {first_few(absent)}" if absent else "")
            for metric, absent in lacking.items()
        ]
        numbered = [block.name for block in blocks if block.numbered]
        hint = (
            f" ({first_few(numbered)}: topics are numbered, for want of a topic column)"
            if dim == "topic" and numbered
            else ""
        )
        words = unit().topics if dim == "topic" else f"{dim}s"
        keep = f", or pass `missing={rule!r}` to keep the {common} {words} that all have" if common > 1 else ""
        if _of_collections(list(lacking)):
            keep = ", or ask several together (metaeval combine NAME='FILES' NAME='FILES')"
        if people := [metric for metric in lacking if any(map(of_people, metric.split(".")))]:
            keep = f", or compare metrics with people (metaeval human FILES --reference {quote(people[0])})"
        raise ScoresError(
            f"these files do not hold the same {words}{hint}: {'; '.join(lines)}. Tables read together are metrics of "
            f"one collection (two boards are compared by metaeval agree --boards): read collections one at a time{keep}"
        )


def _of_collections(metrics: Sequence[str]) -> bool:
    """Whether files are called by the same metric twice, as those of several collections are: 2011_ap and 2012_ap."""
    measures = [{word for word in re.split(r"[\W_]+", name) if metric_evidence([word])} for name in metrics]
    return len(metrics) > 1 and any(len(left & right) > 0 for left, right in combinations(measures, 2))
