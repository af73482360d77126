"""Repeats in the place of systems: gpt_trial0, gpt_trial1, …, or trial0, trial1, … in a table of one system."""

import re
from collections.abc import Mapping, Sequence
from math import comb, factorial
from typing import NamedTuple

import numpy as np
import xarray as xr

from metaeval.base.arrays import Floats
from metaeval.base.names import count, first_double, first_few
from metaeval.errors import ScoresError, warn
from metaeval.table.array import REPEAT
from metaeval.table.derived import rounding
from metaeval.table.evidence import on_another_scale

_NUMBERED = re.compile(
    r"(?P<stem>.*?)(?:(?:^|[ _.#:/-]+)"
    r"(?P<word>trial|try|attempt|epoch|seed|repeat|rep|pass|run|fold|split|cv|faltung|pli|pliegue))?"
    r"[ _.#:=-]*(?P<number>\d+)",
    re.IGNORECASE,
)
_PASSED = re.compile(r"pass\W*[@^]\W*(\d+)", re.IGNORECASE)
_EXACT = 1e-9
_FEWEST = 3
_RARE = 0.01
_MOST_NAMED = 5
_METRIC = "score"
_FOLDS = frozenset({"fold", "split", "cv", "faltung", "pli", "pliegue"})
_RUNS = _FOLDS | {"trial", "try", "attempt", "seed", "repeat", "rep", "run"}
"""Words of repeats that no metric has in its name, as pass@1 and the loss of an epoch do."""
_OVERLAP = "folds of a cross-validation share training data, so that as repeats they vary less than new samples would"
"""What folds are as repeats."""
_TRIES = "of one system alone metaeval.models.pass_rates, given the file, has pass@k and pass^k"
"""Where repeats that are tries are to be asked what they pass."""


class _Repeat(NamedTuple):
    """A name taken apart: gpt_trial0 is gpt, trial, 0."""

    system: str
    word: str
    number: int


def _apart(names: Sequence[str]) -> list[_Repeat | None]:
    matches = [_NUMBERED.fullmatch(name) for name in names]
    return [
        _Repeat(match["stem"], (match["word"] or "").casefold(), int(match["number"]))
        if match and (match["stem"] or match["word"])
        else None
        for match in matches
    ]


def system_of_repeat(name: str) -> str | None:
    """Return the system that a name with the number of a repeat is of, None for any other name.

    Examples
    --------
    >>> system_of_repeat("gpt_trial0"), system_of_repeat("gpt")
    ('gpt', None)
    """
    (repeat,) = _apart([name])
    return None if repeat is None else repeat.system


def systems_repeated(names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the systems whose repeats these names seem to be, each with its names; none where anything says otherwise.

    Repeats of a system are numbered from 0 or 1 on. With a word for a repeat (not run, as TREC calls systems) two are
    enough, beside whatever other systems; else no system is without, and one has three at least. One system alone
    takes a word.

    Examples
    --------
    >>> systems_repeated(["a_1", "a_2", "a_3", "b_1", "b_2"])
    {'a': ('a_1', 'a_2', 'a_3'), 'b': ('b_1', 'b_2')}
    >>> systems_repeated(["a-trial0", "a-trial1", "b"])
    {'a': ('a-trial0', 'a-trial1')}
    >>> [len(systems_repeated([f"{word}{one}" for one in range(4)])) for word in ("trial", "a-seed", "run", "a-")]
    [1, 1, 0, 0]
    """
    systems: dict[str, list[tuple[_Repeat, str]]] = {}
    for name, repeat in zip(names, _apart(names), strict=True):
        systems.setdefault(repeat.system if repeat else name, []).append((repeat or _Repeat(name, "", 0), name))
    repeated = {system: repeats for system, repeats in systems.items() if len(repeats) > 1}
    spoken = all(repeat.word and repeat.word != "run" for repeats in repeated.values() for repeat, _ in repeats)
    long = max(map(len, repeated.values()), default=0) >= _FEWEST
    if (
        not repeated
        or ("" in repeated and len(systems) > 1)
        or not all(_counted([repeat.number for repeat, _ in repeats]) for repeats in repeated.values())
    ):
        return {}
    if not spoken and not (long and len(repeated) == len(systems) > 1):
        return {}
    return {system: tuple(name for _, name in repeats) for system, repeats in repeated.items()}


def repeats_of_metrics(
    scores: Floats, labels: Mapping[str, list[str]]
) -> tuple[Floats, dict[str, list[str]], list[str]]:
    """Return scores (metric, system, topic) with repeats where all metrics are called as runs of one, and a note.

    A word says so, run0 or acc_seed1, and every metric has the same numbers: from 0 or 1 on, but those of seeds. Whole
    numbers alone, 13 and 42, are those of repeats unless scores rise or fall with them everywhere, as with a cutoff.

    Examples
    --------
    >>> labels = {"metric": ["run0", "run1"], "system": ["a", "b"], "topic": ["x"]}
    >>> scores, labels, notes = repeats_of_metrics(np.array([[[1.0], [2.0]], [[3.0], [4.0]]]), labels)
    >>> scores.tolist(), labels["metric"], labels["repeat"]
    ([[[[1.0, 3.0]], [[2.0, 4.0]]]], ['score'], ['0', '1'])
    >>> notes
    ['columns run0, run1 are read as repeats of one score; rename them if they are metrics']
    """
    names = labels["metric"]
    if len(names) > 1 and REPEAT not in labels and all(map(str.isdecimal, names)):
        return _of_numbers(scores, labels)
    runs = [repeat if repeat is not None and repeat.word in _RUNS else None for repeat in _apart(names)]
    if REPEAT not in labels and (made_of := _made_of_runs(scores, names, runs)):
        singles = [at for at, name in enumerate(names) if name not in made_of]
        repeated, relabelled, notes = repeats_of_metrics(
            scores[singles], {**labels, "metric": [names[at] for at in singles]}
        )
        if REPEAT not in relabelled:
            return scores, {**labels}, []
        left = [f"left out column {name!r}, {how} of the repeats" for name, how in made_of.items()]
        return repeated, relabelled, [*left, *notes]
    told = [repeat for repeat in runs if repeat is not None]
    numbers: dict[str, list[int]] = {}
    for repeat in told:
        numbers.setdefault(repeat.system, []).append(repeat.number)
    listed = next(iter(numbers.values()), [])
    counted = _counted(listed) or {repeat.word for repeat in told} == {"seed"}
    alike = all(others == listed for others in numbers.values()) and len({*listed}) == len(listed) > 1
    if REPEAT in labels or len(told) < len(names) or not (counted and alike):
        return scores, {**labels}, []
    places = [[at for at, repeat in enumerate(told) if repeat.system == stem] for stem in numbers]
    made = np.moveaxis(scores[np.array(places)], 1, -1)
    labels = {**labels, "metric": [stem or _METRIC for stem in numbers], REPEAT: [*map(str, listed)]}
    of = "one score" if len(numbers) == 1 else "each of their scores"
    notes = [f"columns {first_few(names)} are read as repeats of {of}; rename them if they are metrics"]
    folds = [_OVERLAP] if {repeat.word for repeat in told} <= _FOLDS else []
    return made, labels, [*notes, *folds]


def _made_of_runs(scores: Floats, names: Sequence[str], runs: Sequence[_Repeat | None]) -> dict[str, str]:
    """Return what columns beside those of runs of one score hold that these make; nothing where one does not.

    Examples
    --------
    >>> tries = np.array([[[1.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]]])
    >>> names = ["run1", "run2", "avg", "pass^2"]
    >>> runs = [*_apart(names[:2]), None, None]
    >>> _made_of_runs(np.vstack([tries, tries.mean(axis=0)[None], tries.min(axis=0)[None]]), names, runs)
    {'avg': 'the mean', 'pass^2': 'the least'}
    """
    tries = scores[[at for at, run in enumerate(runs) if run is not None]]
    beside = [at for at, run in enumerate(runs) if run is None]
    if not beside or len(tries) < 2:  # noqa: PLR2004 - one is no repeat
        return {}
    k_of = {at: int(match[1]) for at in beside if (match := _PASSED.fullmatch(names[at].strip()))}
    made = {}
    for at in beside:
        ways = _summaries(tries) | (_passed(tries, k_of[at]) if at in k_of else {})
        fits = [how for how, values in ways.items() if _are_near(scores[at], values)]
        if not fits:
            return {}
        made[names[at]] = fits[0].strip()
    return made


@np.errstate(invalid="ignore", over="ignore")
def _summaries(tries: Floats) -> dict[str, Floats]:
    return {
        "the mean": tries.mean(axis=0),
        "the least": tries.min(axis=0),
        "the largest": tries.max(axis=0),
        "the sum": tries.sum(axis=0),
        "the median": np.asarray(np.median(tries, axis=0)),
        "the standard deviation": tries.std(axis=0, ddof=1),
        "the standard deviation ": tries.std(axis=0),
    }


def _passed(tries: Floats, k: int) -> dict[str, Floats]:
    """Return which share of all sets of k tries pass, all of them and one of them at least."""
    n, right = len(tries), tries.sum(axis=0)
    if not 0 < k <= n or not np.isin(tries, (0.0, 1.0)).all():
        return {}
    share = np.array([[comb(passed, k) / comb(n, k), 1 - comb(n - passed, k) / comb(n, k)] for passed in range(n + 1)])
    return {"pass^k": share[right.astype(int), 0], "pass@k": share[right.astype(int), 1]}


def _are_near(numbers: Floats, made: Floats) -> bool:
    """Whether numbers are what is made of others, rounded as they are written, and vary."""
    near = rounding(numbers.ravel()) + _EXACT
    return bool(np.isfinite(numbers).all() and (np.abs(numbers - made) <= near).all() and np.ptp(numbers) > 0)


def _of_numbers(scores: Floats, labels: Mapping[str, list[str]]) -> tuple[Floats, dict[str, list[str]], list[str]]:
    """Return scores under metrics called by numbers alone as repeats of one, else as they are; either is noted."""
    names = labels["metric"]
    order = sorted(range(len(names)), key=lambda at: int(names[at]))
    flat = scores.reshape(len(names), -1)
    steps = np.diff(flat[order], axis=0)
    in_order = bool((steps >= 0).all() or (steps <= 0).all()) and 2 / factorial(len(names)) ** flat.shape[1] < _RARE
    if in_order or on_another_scale(flat).any():
        way = "rename them to run1, run2 and so on if they are repeats of one score"
        return scores, {**labels}, [f"columns {first_few(names)} are called by numbers and count as metrics; {way}"]
    made = np.moveaxis(scores, 0, -1)[None]
    note = f"columns {first_few(names)} are read as repeats of one score; rename them if they are metrics"
    return made, {**labels, "metric": [_METRIC], REPEAT: [*names]}, [note]


def repeats_note(array: xr.DataArray) -> list[str]:
    """Say that systems are called as repeats are, and how they are read as such; nothing where they are not."""
    names = [str(name) for name in array["system"].to_numpy()]
    repeated = {} if REPEAT in array.dims else systems_repeated(names)
    if not repeated:
        return []
    first = next(iter(repeated.values()))
    asked = "`repeats_in_names=True` reads them as such"
    if len({repeat.system if repeat else name for name, repeat in zip(names, _apart(names), strict=True)}) == 1:
        asked += ", with the files of other systems beside"
        asked += f"; {_TRIES}" * (array.sizes["metric"] == 1)
    told = f"systems are called as repeats are ({first_few(first)}); if they are, each counts as a system here"
    return [f"{told}: {asked}"]


def _counted(numbers: Sequence[int]) -> bool:
    """Return whether numbers count from 0 or 1 on."""
    return sorted(numbers) in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))


def _warn_of_versions(parts: Sequence[_Repeat], names: Sequence[str]) -> None:
    """Warn of numbers that no word calls repeats and that do not count from 0 or 1 on."""
    systems: dict[str, list[tuple[int, str]]] = {}
    for repeat, name in zip(parts, names, strict=True):
        if not repeat.word:
            systems.setdefault(repeat.system, []).append((repeat.number, name))
    odd = [
        sorted(versions)
        for versions in systems.values()
        if len(versions) > 1 and not _counted([number for number, _ in versions])
    ]
    if odd:
        numbers = ", ".join(str(number) for number, _ in max(odd, key=len)[:_FEWEST])
        called = "; ".join(", ".join(name for _, name in versions) for versions in odd[:_MOST_NAMED])
        more = f" and those of {len(odd) - _MOST_NAMED} more" * (len(odd) > _MOST_NAMED)
        message = (
            f"numbers such as {numbers} look like versions, but are read as repeats: {called}{more}; "
            "if they are versions, leave out `repeats_in_names`"
        )
        warn(message)


def repeats_of_names(array: xr.DataArray, *, alone: bool = False) -> xr.DataArray:
    """Return scores (metric, system, topic) with repeats: systems whose names differ in their last number are one.

    A name without a number is a system with one repeat; `alone`, that may be all there is. Names that say only which
    try it is are of one system for each metric, and called as that was.

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
    numbered = [repeat for repeat in _apart(names) if repeat is not None]
    others = [name for name, repeat in zip(names, _apart(names), strict=True) if repeat is None]
    if others and (not numbered or "" in {repeat.system for repeat in numbered}):
        raise ScoresError(f"system {others[0]!r} does not end in the number of a repeat; leave out `repeats_in_names`")
    lowest = min(repeat.number for repeat in numbered)
    parts = [repeat or _Repeat(name, "", lowest) for name, repeat in zip(names, _apart(names), strict=True)]
    double = first_double((repeat.system, repeat.number) for repeat in parts)
    if double is not None:
        raise ScoresError(f"two systems would be repeat {double[1]} of {double[0]!r}; leave out `repeats_in_names`")
    systems, numbers = (
        list(dict.fromkeys(repeat.system for repeat in parts)),
        sorted({repeat.number for repeat in parts}),
    )
    made = np.full((array.sizes["metric"], len(systems), array.sizes["topic"], len(numbers)), np.nan)
    for index, repeat in enumerate(parts):
        made[:, systems.index(repeat.system), :, numbers.index(repeat.number)] = array.to_numpy()[:, index]
    metrics, of_files = array["metric"].to_numpy().tolist(), systems == [""]
    if of_files:
        made, systems, metrics = made.swapaxes(0, 1), [str(name) for name in metrics], [_METRIC]
    if len(systems) == 1 and not alone:
        raise ScoresError(
            f"{first_few(names)} are repeats of one system, {systems[0]}, which leaves no other to compare it with; "
            "give the files of the others too, each of one system; for the shares of items and repeats leave out "
            f"`repeats_in_names` and ask metaeval.study_components; {_TRIES}"
        )
    _warn_of_versions(parts, names)
    dims = ("metric", "system", "topic", REPEAT)
    attached = {
        name: (coordinate.dims, coordinate.to_numpy())
        for name, coordinate in array.coords.items()
        if coordinate.dims == ("topic",) or (coordinate.dims == ("metric",) and not of_files and name != "metric")
    }
    coords = {"metric": metrics, "system": systems, REPEAT: [str(number) for number in numbers]}
    repeated = [name for name in names if name not in others]
    of = list(dict.fromkeys(repeat.system for repeat in numbered)) if others else systems
    told = f"read as repeats of {count(len(of), 'system')} ({first_few(of)}): {first_few(repeated)}"
    told += f"; without a number, so once: {first_few(others)}" * bool(others)
    attributes = array.attrs | {"notes": [*array.attrs.get("notes", ()), told]}
    return xr.DataArray(made, dims=dims, coords=coords | attached, attrs=attributes)
