"""What readers of benchmarks take from files, and the one way from there to scores.

A reader gives a `Part` a file (or a part of one that is about one system): an item a record, with all its metrics.
`block_of` lays the parts of all files out as metric x system x topic, and repeat where there are several.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.metric_names import quoted_name
from metaeval.base.names import as_number, clean_name, count, first_few, natural_order, shortened
from metaeval.base.notes import ItemErrors, NoRuns
from metaeval.base.unit import ITEM
from metaeval.errors import FileFormatError, ScoresError, UnknownNameError
from metaeval.io.benchmarks.parts import Part, Repeats
from metaeval.io.benchmarks.task_metrics import BY_TASK, by_task, example_of, joined_names
from metaeval.io.blocks import FileBlock, notes_of_files
from metaeval.io.duplicates import Duplicates, note_of, single
from metaeval.io.paired_items import note_of_pairing, renamed_by_content
from metaeval.io.sources import named_apart
from metaeval.table.array import DIMS, REPEAT, Codes, first_repeat, laid_out, place_rows
from metaeval.table.roles import rises_by_name

_ONCE = "1"
_ASKED = "what they ask"
_COLUMNS = 7
"""Numbers of metric, system, topic, repeat, part and record, and the score."""
_MANY = 200
"""Records of a part from which on its scores are taken by columns."""
_LONGEST_MARK = 40
_BOOKKEEPING = re.compile(
    r"(num|n|number_of|finish_reason|inference|training|batch)_.*|.*_(tokens|runtime|time|seconds|co2_cost|energy_cost|stderr)"
    r"|prompt_truncated|logprob|max_prob|predicted_index",
    re.IGNORECASE,
)
"""Numbers about a run and not about how well it did: counts, times, what HELM notes beside its metrics."""


class _RecordRows:
    """Every score with the numbers of its names, and of the part and record that it stands in."""

    def __init__(self) -> None:
        self.names = {dim: Codes() for dim in (*DIMS, REPEAT)}
        self.texts: dict[str, tuple[int, int, Any]] = {}
        self._single: list[tuple[float, ...]] = []
        self._many: list[Floats] = []

    def add(self, metric: int, system: int, topic: int, repeat: int, origin: tuple[int, int], score: float) -> None:  # noqa: PLR0913, PLR0917 - a row
        self._single.append((metric, system, topic, repeat, *origin, score))

    def add_many(self, *columns: float | NDArray[Any]) -> None:
        self._many.append(np.stack(np.broadcast_arrays(*columns)))

    def finished(self) -> tuple[dict[str, Ints], Ints, Floats]:
        """Return the numbers of the names by dimension, those of part and record, and the scores."""
        single = np.array(self._single, dtype=np.float64).reshape(-1, _COLUMNS).T
        table = np.concatenate([single, *self._many], axis=1)
        *codes, part_number, record = table[:-1].astype(np.int64)
        return dict(zip((*DIMS, REPEAT), codes, strict=True)), np.stack([part_number, record]), table[-1]


def block_of(
    parts: Sequence[Part],
    label: str,
    *,
    notes: Sequence[str] = (),
    metrics: Sequence[str] | None = None,
    duplicates: Duplicates = "error",
) -> FileBlock:
    """Lay out what the files of one benchmark hold.

    Metrics differ from task to task. Those asked for are kept, with the items that any of them scores. Where none is
    asked for, those are kept that have the most scores; they must cover every item, or it must be said which are
    meant; of these, counts, times and constants are left out. A metric of words is no score and is left out. Metrics of
    the form ``TASK=METRIC`` make one of each task's own (`by_task`). A score that is given twice alike counts once, one
    with two values as `duplicates` says.
    """
    if metrics is not None:
        metrics = joined_names(metrics, {name for part in parts for values in part.values for name in values})
        if (made := by_task(parts, metrics))[0]:
            parts, metrics, notes = made[0], [BY_TASK], [*notes, *made[1]]
    parts, paired = _paired_by_content(parts)
    rows = _RecordRows()
    rows.names["metric"].update({name: at for at, name in enumerate(metrics or ())})  # those keep their order
    for number, part in enumerate(parts):
        _enter(part, number, rows)
    codes, origins, scores = rows.finished()
    texts = _without_texts(rows, {*np.unique(codes["metric"]).tolist()}, parts)
    if not len(scores):
        left = f"; {texts[0]}" if texts else ""
        raise FileFormatError(f"there is no score of any item{left}", path=label)
    clusters = _same_everywhere(parts, "clusters", "cluster")
    _same_everywhere(parts, "marks", parts[0].mark)
    mask, chosen = _chosen(codes, rows, label, metrics, parts)
    if metrics is None:
        mask, idle = _without_bookkeeping(mask, codes["metric"], scores, list(rows.names["metric"]))
        chosen += idle
    codes = {dim: entries[mask] for dim, entries in codes.items()}
    labels: dict[str, list[str]] = {}
    for dim, names in rows.names.items():
        present, codes[dim] = np.unique(codes[dim], return_inverse=True)
        all_names = list(names)
        labels[dim] = [all_names[code] for code in present]
    codes[REPEAT], labels[REPEAT] = _in_order(codes[REPEAT], labels[REPEAT])
    codes["topic"], labels["topic"] = _in_order(codes["topic"], labels["topic"])
    if len(labels[REPEAT]) == 1:
        del labels[REPEAT], codes[REPEAT]
    values, again = _laid_out(codes, labels, scores[mask], parts, origins[:, mask], duplicates)
    ragged = _ragged(values) if REPEAT in labels else []
    if REPEAT in labels and not any(part.runs for part in parts):
        ragged.append(NoRuns("repeats are of single items, not runs of whole systems"))
    file_notes = notes_of_files((Path(part.path).name, part.notes) for part in parts)
    return FileBlock(
        label=label,
        scores=values,
        labels=labels,
        notes=[*notes, *paired, *_errors_of(parts, labels["metric"]), *file_notes, *texts, *chosen, *again, *ragged],
        attached={**_clusters_of(labels["topic"], clusters), **_directions_of(labels["metric"], parts)},
        unit=ITEM,
    )


def _paired_by_content(parts: Sequence[Part]) -> tuple[Sequence[Part], list[str]]:
    """Return parts whose items are called alike where they ask the same, and notes, if files number them apart."""
    paired, notes = list(parts), []
    for task in dict.fromkeys(part.task for part in parts):
        places = [at for at, part in enumerate(parts) if part.task == task]
        contents = [_content_of(parts[at]) for at in places]
        renamed = renamed_by_content(contents) if all(contents) else []
        for at, names in zip(places, renamed, strict=False):
            paired[at] = replace(parts[at], topics=[names[topic] for topic in parts[at].topics])
        if renamed:
            notes.append(note_of_pairing(renamed, parts[places[0]].mark if parts[places[0]].marks else _ASKED))
    return paired, notes


def _content_of(part: Part) -> dict[str, str]:
    """Return what every item of a part asks; nothing where that is not said of each, or one asks two things."""
    content: dict[str, str] = {}
    for topic, text in zip(part.topics, part.marks or part.asked or (), strict=False):
        if not text or content.setdefault(topic, text) != text:
            return {}
    return content


def _errors_of(parts: Sequence[Part], metrics: Sequence[str]) -> list[ItemErrors]:
    """Return a note with the standard errors of scores under these metrics, if files have some."""
    errors: dict[str, dict[str, dict[str, float]]] = {}
    for part in parts:
        for topic, of_record in zip(part.topics, part.errors, strict=False):
            for metric, error in of_record.items():
                if metric in metrics and type(error) in {int, float} and 0 < error < math.inf:
                    errors.setdefault(metric, {}).setdefault(part.system, {})[topic] = float(error)
    n = sum(map(len, (of_system for of_metric in errors.values() for of_system in of_metric.values())))
    return (
        [ItemErrors(f"{count(n, 'standard error')} in the files, for differences on single items", errors)] if n else []
    )


def _enter(part: Part, number: int, rows: _RecordRows) -> None:
    names = {dim: rows.names[dim] for dim in (*DIMS, REPEAT)}
    system = names["system"][_name(part, 0, part.system, "system")]
    topics = [_code(part, at, name, names["topic"], "topic") for at, name in enumerate(part.topics)]
    repeats = [names[REPEAT][name] for name in part.repeats or [_ONCE] * len(topics)]
    columns = dict.fromkeys(metric for values in part.values for metric in values)
    for metric in columns:
        of_metric = _code(part, 0, metric, names["metric"], "metric")
        cells = [values.get(metric) for values in part.values]
        if len(cells) >= _MANY and set(map(type, cells)) <= {float}:
            scores = np.array(cells)
            if np.isinf(scores).any():
                at = int(np.argmax(np.isinf(scores)))
                _score(cells[at], part, at, metric)
            filled = np.flatnonzero(~np.isnan(scores))
            again = np.array(repeats)[filled]
            rows.add_many(of_metric, system, np.array(topics)[filled], again, number, filled, scores[filled])
            continue
        for at, value in enumerate(cells):
            several = type(value) is Repeats
            for trial, trial_value in enumerate(value if isinstance(value, Repeats) else (value,), start=1):
                score = _score(trial_value, part, at, metric)
                if score is None:
                    rows.texts.setdefault(metric, (number, at, trial_value))
                elif score == score:  # noqa: PLR0124 - a gap is not entered
                    repeat = names[REPEAT][str(trial)] if several else repeats[at]
                    rows.add(of_metric, system, topics[at], repeat, (number, at), score)


def _code(part: Part, record: int, name: str, known: Codes, what: str) -> int:
    return known[name] if name in known else known[_name(part, record, name, what)]


def _in_order(codes: Ints, names: Sequence[str]) -> tuple[Ints, list[str]]:
    order = natural_order(names)
    position = {name: at for at, name in enumerate(order)}
    return np.array([position[name] for name in names], dtype=np.int64)[codes], order


def _name(part: Part, record: int, name: str, what: str) -> str:
    try:
        clean = clean_name(name, what)
    except ScoresError as error:
        raise part.refuse(str(error), record) from error
    if clean != name:
        raise part.refuse(f"{what} {name!r} has blanks around it; write the name without", record)
    return clean


def _score(value: object, part: Part, record: int, metric: str) -> float | None:
    """Return a score, NaN for a gap, None for what is no number."""
    if type(value) is float:
        if math.isinf(value):
            message = f"{value!r} is not finite; repair the score, or leave it out if there is none"
            raise part.refuse(message, record, metric)
        return value
    if value is None:
        return math.nan
    if isinstance(value, int):
        try:
            return as_number(value)
        except ValueError as error:
            raise part.refuse(f"{shortened(value)} {error}; round it", record, metric) from error
    return None


def _without_texts(rows: _RecordRows, held: Collection[int], parts: Sequence[Part]) -> list[str]:
    """Say which metrics were left out because they hold no number; refuse those that hold numbers and else."""
    numeric = {name for name, code in rows.names["metric"].items() if code in held}
    for metric, (number, record, value) in rows.texts.items():
        if metric in numeric:
            message = f"{shortened(value)!r} is no number, and other items have one here; scores are numbers"
            raise parts[number].refuse(message, record, metric)
    left = list(rows.texts)
    return [f"left out what holds no number for an item: {first_few(left)}"] if left else []


def _same_everywhere(parts: Sequence[Part], entries: str, what: str) -> dict[str, str]:
    """Return what every item is marked with; refuse an item that has two marks."""
    mark_of: dict[str, str] = {}
    owner: dict[str, Part] = {}
    for part in parts:
        marks = getattr(part, entries)
        if marks is None:
            continue
        for record, (topic, mark) in enumerate(zip(part.topics, marks, strict=True)):
            if mark is None:
                continue
            if mark_of.setdefault(topic, mark) != mark:
                earlier = owner.get(topic, part).path
                message = (
                    f"item {shortened(topic)!r} has the {what} {shortened(mark, _LONGEST_MARK)!r}, but "
                    f"{shortened(mark_of[topic], _LONGEST_MARK)!r} in {earlier}: it is not the same item; read files "
                    "of "
                    "one version of the benchmark"
                )
                raise part.refuse(message, record)
            owner.setdefault(topic, part)
    return mark_of


def _chosen(
    codes: Mapping[str, Ints], rows: _RecordRows, label: str, metrics: Sequence[str] | None, parts: Sequence[Part]
) -> tuple[Flags, list[str]]:
    """Choose metrics, as `block_of` says: which scores are kept, and what was left out."""
    names = list(rows.names["metric"])
    counts = np.bincount(codes["metric"], minlength=len(names))
    present = [name for name, n_scores in zip(names, counts.tolist(), strict=True) if n_scores]
    if metrics is not None:
        for name in metrics:
            if name not in present:
                raise UnknownNameError("metric in the results", name, [quoted_name(metric) for metric in present])
        mask = np.isin(codes["metric"], [rows.names["metric"][name] for name in metrics])
        left = len(np.unique(codes["topic"])) - len(np.unique(codes["topic"][mask]))
        note = f"left out {count(left, 'item')} without a score under {' or '.join(metrics)}"
        return mask, [note] if left else []
    # a metric with repeats has no more scores of items than one without
    shape = [len(rows.names[dim]) for dim in DIMS]
    cells = np.unique(np.ravel_multi_index([codes[dim] for dim in DIMS], shape))
    n_cells = np.bincount(cells // (shape[1] * shape[2]), minlength=len(names))
    most = n_cells == n_cells.max()
    scored = np.unique(np.stack([codes["metric"], codes["topic"]]), axis=1)[0]
    lacking = np.bincount(scored, minlength=len(names))[most].min() < len(np.unique(codes["topic"]))
    mask = most[codes["metric"]]
    ranked = sorted(present, key=lambda name: -int(n_cells[rows.names["metric"][name]]))
    if lacking:
        message = (
            f"no metric scores every item: {_list(ranked, rows, codes)}; say which are meant (`metrics`), "
            "and the items will be those that they score, or one for each task, as TASK=METRIC"
            f"{example_of(parts, present)}"
        )
        raise FileFormatError(message, path=label)
    out = [name for name in ranked if n_cells[rows.names["metric"][name]] < n_cells.max()]
    note = (
        f"left out {count(len(out), 'metric')} that not every system has on every item, or only some tasks have "
        f"(`metrics` reads them): {first_few(out)}"
    )
    return mask, [note] if out else []


def _without_bookkeeping(kept: Flags, metric: Ints, scores: Floats, names: Sequence[str]) -> tuple[Flags, list[str]]:
    """Leave out metrics that are one number throughout, and those that count or time; not all of them."""
    present = np.unique(metric[kept]).tolist()
    idle = [code for code in present if _BOOKKEEPING.fullmatch(names[code].partition("(")[0])]
    idle += [code for code in present if code not in idle and np.ptp(scores[kept & (metric == code)]) == 0.0]
    if not idle or len(idle) == len(present):
        return kept, []
    named = first_few([names[code] for code in idle])
    why = "that count or time, or are the same throughout (`metrics` reads them)"
    return kept & ~np.isin(metric, idle), [f"left out {count(len(idle), 'number')} {why}: {named}"]


def _list(names: Sequence[str], rows: _RecordRows, codes: Mapping[str, Ints]) -> str:
    def written(name: str) -> str:
        items = np.unique(codes["topic"][codes["metric"] == rows.names["metric"][name]])
        return f"{name} {len(items)}"

    return f"{first_few(names, write=written)} of {len(np.unique(codes['topic']))}"


def _laid_out(  # noqa: PLR0913, PLR0917 - what rows say, and whose they are
    codes: Mapping[str, Ints],
    labels: Mapping[str, Sequence[str]],
    scores: Floats,
    parts: Sequence[Part],
    origins: Ints,
    duplicates: Duplicates,
) -> tuple[Floats, list[str]]:
    """Return the scores by cell, and a note on those that were given again."""
    cells = place_rows(codes, labels)
    order = np.lexsort((*origins[::-1], cells))
    alike = np.diff(cells[order], prepend=-1) == 0
    alike[1:] &= np.diff(scores[order]) == 0
    mask = np.ones(len(cells), dtype=bool)
    if duplicates != "mean":
        mask[order[alike]] = False
    note = [f"{count(int((~mask).sum()), 'score')} given twice alike counted once"] if not mask.all() else []
    rows = np.flatnonzero(mask)
    twice = first_repeat(_of(codes, rows), labels)
    if twice is None:
        return laid_out(_of(codes, rows), labels, scores[rows]), note
    if duplicates == "error":
        raise _given_twice(codes, labels, parts, origins, *rows[list(twice)].tolist())
    rows = order[mask[order]]  # in the order of files and records
    rows = rows[np.lexsort(origins[::-1, rows])]
    once = single(cells[rows], scores[rows], duplicates)
    return laid_out(_of(codes, rows[once.rows]), labels, once.numbers), [
        *note,
        *note_of(once.n_left, "score", duplicates),
    ]


def _of(codes: Mapping[str, Ints], rows: Ints) -> dict[str, Ints]:
    return {dim: entries[rows] for dim, entries in codes.items()}


def _given_twice(  # noqa: PLR0913, PLR0917 - as `_laid_out`
    codes: Mapping[str, Ints],
    labels: Mapping[str, Sequence[str]],
    parts: Sequence[Part],
    origins: Ints,
    row: int,
    other_row: int,
) -> FileFormatError:
    (part_index, record), (other_index, earlier) = origins[:, row].tolist(), origins[:, other_row].tolist()
    metric, system, topic = (labels[dim][codes[dim][row]] for dim in DIMS)
    line, key = parts[other_index].place(earlier, metric)
    before = ", ".join(filter(None, [parts[other_index].path, line and f"line {line}", key]))
    where = f"{shortened(topic)!r} under {metric!r} already ({before})"
    message = f"system {system!r} has a score on {where}; keep one of them, or pass `duplicates='first'` or `'mean'`"
    if parts[other_index].path != parts[part_index].path:
        ways = named_apart([parts[other_index].path, parts[part_index].path])
        message += f", or name what the files hold: {' '.join(ways)}"
    return parts[part_index].refuse(message, record, metric)


def _ragged(values: Floats) -> list[str]:
    """Say how many repeats there are where not all items have the same number."""
    repeats = (~np.isnan(values)).sum(axis=-1)
    counts = np.unique(repeats[repeats > 0])
    if len(counts) == 1:
        return []
    most = int((repeats == counts[-1]).sum())
    return [f"repeats differ: {counts[0]} to {counts[-1]} scores of a system on an item ({most} have {counts[-1]})"]


def _clusters_of(topics: Iterable[str], clusters: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the clusters where there are at least two, and one of them has two items."""
    cluster_of = {topic: clusters[topic] for topic in topics if topic in clusters}
    distinct = len(set(cluster_of.values()))
    return {"cluster": cluster_of} if 1 < distinct < len(cluster_of) else {}


def _directions_of(metrics: Sequence[str], parts: Sequence[Part]) -> dict[str, dict[str, bool]]:
    """Return which metrics are better where they are higher, unless all are as their names say."""
    lower = frozenset().union(*(part.lower for part in parts))
    better = {name: name.partition("(")[0] not in lower for name in metrics}
    return {} if all(rising == rises_by_name(name) for name, rising in better.items()) else {"higher_is_better": better}
