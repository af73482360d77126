"""Reports of SWE-bench: ``MODEL.RUN.json``, with the instances that were submitted and those that were resolved."""

from collections.abc import Sequence

from metaeval.base.names import count, first_double, shortened
from metaeval.io.benchmarks.comparable import BenchmarkChoice, settings_in
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.files import File, name_in
from metaeval.io.benchmarks.parts import Part

_SUBMITTED, _RESOLVED, _UNRESOLVED = "submitted_ids", "resolved_ids", "unresolved_ids"
_METRIC = "resolved"
_WITHOUT = {"empty_patch_ids": "an empty patch", "error_ids": "an error"}
_TOTAL = "total_instances"
_UNTRIED = frozenset({"no_generation", "no_logs"})


def holds_swe_bench(json: Json) -> bool:
    """Whether this is a report: the instances that were submitted, and those of them that were resolved."""
    return {_SUBMITTED, _RESOLVED} <= json.object.keys() or _is_old(json)


def _is_old(json: Json) -> bool:
    """Whether this is a report of swebench 1 that lists no instance which was tried and not resolved."""
    return {_METRIC} < json.object.keys() <= {_METRIC, *_UNTRIED}


def slim_swe_bench(json: Json) -> None:
    """Forget what says nothing of scores."""
    if _is_old(json):
        return
    lists = (_SUBMITTED, _RESOLVED, _UNRESOLVED, *_WITHOUT)
    json.keep({_TOTAL, *lists, *map(_counter, lists)})


def _counter(listed: str) -> str:
    return listed.replace("_ids", "_instances")


def parts_of_swe_bench(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read reports: a system a file, an item a submitted instance, the score 1 if it was resolved and 0 if not."""
    parts = choice.kept([_part(file, choice) for file in files])
    return parts, []


def _part(file: File[Json], choice: BenchmarkChoice) -> Part:
    json = file.held
    if _is_old(json):
        json.refuse(
            "this old report lists what was resolved, and not what was tried in vain; give one of swebench 2 or later "
            f"({_SUBMITTED} beside {_RESOLVED}), or a table of instance and resolved, 1 or 0, with all that was tried"
        )
    submitted, resolved, unresolved = (_ids(json, key) for key in (_SUBMITTED, _RESOLVED, _UNRESOLVED))
    submitted_ids, solved = {*submitted}, {*resolved}
    for key, listed in ((_RESOLVED, resolved), (_UNRESOLVED, unresolved)):
        stray = next((name for name in listed if name not in submitted_ids), None)
        if stray is not None:
            json.refuse(f"{shortened(stray)!r} was not submitted ({_SUBMITTED}); write the report again", key=key)
    in_both = next((name for name in unresolved if name in solved), None)
    if in_both is not None:
        json.refuse(f"{shortened(in_both)!r} is under {_RESOLVED} too; write the report again", key=_UNRESOLVED)
    return Part(
        path=json.label,
        system=file.source.own_name,
        topics=submitted,
        values=[{_METRIC: float(name in solved)} for name in submitted],
        place=lambda number, _: (None, f"{_SUBMITTED}[{number}]"),
        notes=_notes(json, submitted_ids - solved - {*unresolved}, len(submitted)),
        said=settings_in(json.object, choice.form.compared),
    )


def _ids(json: Json, key: str) -> list[str]:
    """Return the instances of a list, which has as many as the report counts, each once."""
    listed = json.object.get(key)
    if listed is None and key not in {_SUBMITTED, _RESOLVED}:
        return []
    if not isinstance(listed, list):
        json.refuse("the instances of a report are a list", key=key)
    names = [name_in(json, instance, "instance", key=f"{key}[{at}]") for at, instance in enumerate(listed)]
    twice = first_double(names)
    if twice is not None:
        json.refuse(f"{shortened(twice)!r} appears twice; keep one", key=key)
    number = json.object.get(_counter(key))
    if number is not None and number != len(names):
        rule = f"{len(names)} are listed, and {_counter(key)} is {shortened(number)}; write the report again"
        json.refuse(rule, key=key)
    return names


def _notes(json: Json, without: set[str], n_submitted: int) -> list[str]:
    """Say which instances count 0 without having been tried, and how many were not submitted."""
    notes, left = [], without
    if without:
        reasons = []
        for key, reason in _WITHOUT.items():
            matching = without & {*_ids(json, key)}
            left = left - matching
            reasons += [f"{len(matching)} with {reason}"] * bool(matching)
        reasons += [f"{len(left)} without a result"] * bool(left)
        notes.append(
            f"{count(len(without), 'instance')} neither resolved nor unresolved, which is 0: {', '.join(reasons)}"
        )
    total = json.object.get(_TOTAL)
    if type(total) is int and total > n_submitted:
        notes.append(f"{n_submitted:,} of {total:,} instances were submitted, and others are no items")
    return notes
