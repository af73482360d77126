"""Repeats in the place of systems: gpt_trial0, gpt_trial1, …, or trial0, trial1, … in a table of one system."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from metaeval.base.names import first_double, first_few
from metaeval.errors import ScoresError
from metaeval.table.array import REPEAT

_NUMBERED = re.compile(
    r"(?P<stem>.*?)(?:(?:^|[ _.#:/-]+)(?P<word>trial|try|attempt|epoch|seed|repeat|rep|pass|run))?"
    r"[ _.#:=-]*(?P<number>\d+)",
    re.IGNORECASE,
)
_FEWEST = 3
_METRIC = "score"


class _Repeat(NamedTuple):
    """A name taken apart: gpt_trial0 is gpt, trial, 0."""

    system: str
    word: str
    number: int


def _apart(names: Sequence[str]) -> list[_Repeat | None]:
    found = [_NUMBERED.fullmatch(name) for name in names]
    return [
        _Repeat(one["stem"], (one["word"] or "").casefold(), int(one["number"]))
        if one and (one["stem"] or one["word"])
        else None
        for one in found
    ]


def systems_repeated(names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the systems whose repeats these names seem to be, each with its names; none where anything says otherwise.

    Every name ends in a number, and of each system there are three at least, numbered from 0 or 1 on; one system alone
    takes a word for a repeat, and runs are then systems.

    Examples
    --------
    >>> systems_repeated(["a_1", "a_2", "a_3", "b_1", "b_2", "b_3"])
    {'a': ('a_1', 'a_2', 'a_3'), 'b': ('b_1', 'b_2', 'b_3')}
    >>> [len(systems_repeated([f"{word}{one}" for one in range(4)])) for word in ("trial", "a-seed", "run", "a-")]
    [1, 1, 0, 0]
    """
    parts = _apart(names)
    systems: dict[str, list[tuple[int, str]]] = {}
    for name, part in zip(names, parts, strict=True):
        if part is None:
            return {}
        systems.setdefault(part.system, []).append((part.number, name))
    numbers = [sorted(number for number, _ in one) for one in systems.values()]
    if any(len(one) < _FEWEST or one not in (list(range(len(one))), list(range(1, len(one) + 1))) for one in numbers):
        return {}
    if len(systems) == 1 and {part.word for part in parts if part} & {"", "run"}:
        return {}
    return {system: tuple(name for _, name in one) for system, one in systems.items()}


def repeats_of_names(array: xr.DataArray) -> xr.DataArray:
    """Return scores (metric, system, topic) with repeats: systems whose names differ in their last number are one.

    Names that say only which try it is are of one system for each metric, and called as that was.

    Examples
    --------
    >>> given = xr.DataArray(
    ...     [[[1.0], [2.0], [3.0], [4.0]]],
    ...     dims=("metric", "system", "topic"),
    ...     coords={"metric": ["ap"], "system": ["a-seed1", "a-seed2", "b-seed1", "b-seed2"], "topic": ["301"]},
    ... )
    >>> found = repeats_of_names(given)
    >>> found.dims, found["system"].to_numpy().tolist(), found.to_numpy()[0, :, 0].tolist()
    (('metric', 'system', 'topic', 'repeat'), ['a', 'b'], [[1.0, 2.0], [3.0, 4.0]])
    """
    if REPEAT in array.dims:
        raise ScoresError("these scores have repeats of their own; leave out `repeats_in_names`")
    names = [str(name) for name in array["system"].to_numpy()]
    parts = [part for part in _apart(names) if part is not None]
    if len(parts) < len(names):
        other = next(name for name, part in zip(names, _apart(names), strict=True) if part is None)
        raise ScoresError(f"system {other!r} does not end in the number of a repeat; leave out `repeats_in_names`")
    double = first_double((part.system, part.number) for part in parts)
    if double is not None:
        raise ScoresError(f"two systems would be repeat {double[1]} of {double[0]!r}; leave out `repeats_in_names`")
    systems, numbers = list(dict.fromkeys(part.system for part in parts)), sorted({part.number for part in parts})
    made = np.full((array.sizes["metric"], len(systems), array.sizes["topic"], len(numbers)), np.nan)
    for place, part in enumerate(parts):
        made[:, systems.index(part.system), :, numbers.index(part.number)] = array.to_numpy()[:, place]
    metrics, of_files = array["metric"].to_numpy().tolist(), systems == [""]
    if of_files:
        made, systems, metrics = made.swapaxes(0, 1), [str(name) for name in metrics], [_METRIC]
    if len(systems) == 1:
        raise ScoresError(
            f"{first_few(names)} are repeats of one system, {systems[0]}, which leaves no other to compare it with; "
            "give the files of the others too, each of one system, or estimate pass@k and pass^k in Python "
            "(metaeval.models.pass_rates)"
        )
    dims = ("metric", "system", "topic", REPEAT)
    kept = {
        name: (one.dims, one.to_numpy())
        for name, one in array.coords.items()
        if one.dims == ("topic",) or (one.dims == ("metric",) and not of_files and name != "metric")
    }
    coords = {"metric": metrics, "system": systems, REPEAT: [str(number) for number in numbers]}
    told = f"read as repeats of {len(systems)} systems ({first_few(systems)}): {first_few(names)}"
    attributes = array.attrs | {"notes": [*array.attrs.get("notes", ()), told]}
    return xr.DataArray(made, dims=dims, coords=coords | kept, attrs=attributes)
