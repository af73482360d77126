"""Whatever stands in any entry of any reader's file: a gap, a note or a named refusal; no other number elsewhere."""

import copy
import json

import numpy as np
import pytest
from small_results import MADE, TEXTS, as_archive

from metaeval.errors import MetaevalError
from metaeval.io.benchmarks.reading import read_inputs
from metaeval.io.blocks import TableOptions
from metaeval.io.sources import list_sources

SYSTEMS, ITEMS = ("a", "b"), ("i1", "i2")

_DELETED = object()
_RAW = {"@inf@": "1e400", "@digits@": "7" * 5000}
"""What Python's json does not write as it is meant."""
REPLACEMENTS = (None, {}, [], "x", "@inf@", -1, "@digits@", True, _DELETED)


CELLS = ("", "null", "{}", "[]", "x", "1e400", "-1", "7" * 5000, "true")
"""The same in tables."""


def _places(value, above=()):
    """Return the path of every key and list element; of a list of like records those in the first and the last."""
    inside = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    if isinstance(value, list) and len(inside) > 2 and isinstance(value[0], dict):
        inside = [inside[0], inside[-1]]
    found = []
    for key, below in inside:
        found += [(*above, key), *_places(below, (*above, key))]
    return found


def _record_around(value, place):
    """Return the values of the innermost object, of those around a place and at it, that names a system."""
    row = []
    for key in place:
        value = value[key]
        inside = [*value.values()] if isinstance(value, dict) else []
        row = inside if any(isinstance(one, str) and one in SYSTEMS for one in inside) else row
    return row


def _changed(value, place, new):
    changed = copy.deepcopy(value)
    holder = changed
    for key in place[:-1]:
        holder = holder[key]
    if new is _DELETED:
        del holder[place[-1]]
    else:
        holder[place[-1]] = new
    return changed


def _written(path, held):
    if isinstance(held, str):
        return held.encode()
    if path.suffix == ".eval":
        return as_archive(held, _json)
    return b"".join(_json(one) + b"\n" for one in held) if path.suffix == ".jsonl" else _json(held)


def _json(value):
    text = json.dumps(value)
    for mark, raw in _RAW.items():
        text = text.replace(f'"{mark}"', raw)
    return text.encode()


def _put(folder, files):
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_written(path, held))


def _said(folder, made):
    """Return the means over repeats by metric, system and item, the directions, and the notes."""
    options = TableOptions(missing="pairwise", **{"columns": {}, **made.options})
    cells, better, notes = {}, {}, []
    for block in read_inputs(list_sources(folder, nested=True), options).blocks:
        repeats = block.scores.reshape(*block.scores.shape[:3], -1)
        known = (~np.isnan(repeats)).sum(axis=3)
        scores = np.where(known > 0, np.nansum(repeats, axis=3) / np.maximum(known, 1), np.nan)
        for place in np.argwhere(~np.isnan(scores)):
            names = (block.labels[dim][at] for dim, at in zip(("metric", "system", "topic"), place, strict=True))
            cells[tuple(names)] = float(scores[tuple(place)])
        better |= dict.fromkeys(block.labels["metric"], True) | dict(block.attached.get("higher_is_better", {}))
        notes += block.notes
    return cells, better, notes


def _fault(before, after, touched):
    """Say what is wrong with what is read after one entry of a system changed; "" if nothing is."""
    cells, better, notes = before
    found, turned, said = after
    if said != notes:
        return ""
    other = {key for key, value in found.items() if cells.get(key, value) != value}
    named_in_full = {(metric, system, item.rpartition("/")[2]) for metric, system, item in found}
    gone = {key for key in cells.keys() - found.keys() - named_in_full if key[1] != touched}
    if {key[1] for key in other} - {touched}:
        return f"other numbers of untouched systems: {other}"
    if len({key[2] for key in other}) > 1:
        return f"other numbers of several items: {other}"
    if any(better.get(name, way) != way for name, way in turned.items()):
        return f"another direction: {turned}"
    return f"numbers of untouched systems are gone without a note: {gone}" if gone else ""


def _cases():
    for name, made in (MADE | TEXTS).items():
        own = made.make(SYSTEMS[:1], ITEMS)
        yield from ((name, file) for file in own)


CASES = list(_cases())


def _changes(held):
    """Yield a file with one entry changed, the values of the record that it stands in, and what was done where."""
    if isinstance(held, str):
        between = "," if "," in held.partition("\n")[0] else "\t"
        rows = [line.split(between) for line in held.splitlines()]
        for at in range(len(rows)):
            for place in range(len(rows[at])):
                for new in CELLS:
                    row = [*rows[at][:place], new, *rows[at][place + 1 :]]
                    changed = [*rows[:at], row, *rows[at + 1 :]]
                    yield "".join(between.join(one) + "\n" for one in changed), rows[at], (at, place, new[:20])
            yield "".join(between.join(one) + "\n" for one in rows[:at] + rows[at + 1 :]), rows[at], (at, "deleted")
        return
    for place in _places(held):
        row = _record_around(held, place)
        for new in REPLACEMENTS:
            yield _changed(held, place, new), row, (place, f"{new!r:.20}")


@pytest.mark.parametrize(("name", "file"), CASES, ids=[f"{name} {file.rpartition('/')[2]}" for name, file in CASES])
def test_nothing_in_any_entry_ends_in_a_traceback_or_another_number(name, file, tmp_path):
    """Every entry is replaced by null, containers, words, numbers beyond all bounds, a truth value, and nothing."""
    made = (MADE | TEXTS)[name]
    files = made.make(SYSTEMS, ITEMS)
    _put(tmp_path, files)
    before = _said(tmp_path, made)
    assert {system for _, system, _ in before[0]} == set(SYSTEMS)
    assert len(before[0]) >= len(SYSTEMS) * len(ITEMS)
    n_read = 0
    for changed, row, what in _changes(files[file]):
        touched = next((one for one in row if isinstance(one, str) and one in SYSTEMS), SYSTEMS[0])
        _put(tmp_path, {file: changed})
        try:
            after = _said(tmp_path, made)
        except MetaevalError:
            continue
        except Exception as error:
            error.add_note(f"{file} {what}")
            raise
        n_read += 1
        fault = _fault(before, after, touched)
        assert not fault, (file, what, fault, after[2])
    assert n_read


def test_how_many_files_are_tried():
    """Thirty files or more, of every reader."""
    assert len(CASES) >= 30
