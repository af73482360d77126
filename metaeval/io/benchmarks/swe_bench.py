"""Reports of SWE-bench: ``MODEL.RUN.json``, with the instances that were submitted and those that were resolved."""

from collections.abc import Sequence

from metaeval.base.names import count, first_double, natural_order, shortened
from metaeval.io.benchmarks.comparable import BenchmarkChoice, settings_in
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, name_in

_SUBMITTED, _RESOLVED, _UNRESOLVED, _INCOMPLETE = "submitted_ids", "resolved_ids", "unresolved_ids", "incomplete_ids"
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
    lists = (_SUBMITTED, _RESOLVED, _UNRESOLVED, _INCOMPLETE, *_WITHOUT)
    json.keep({_TOTAL, *lists, *map(_counter, lists)})


def _counter(listed: str) -> str:
    return listed.replace("_ids", "_instances")


def parts_of_swe_bench(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read reports: a system a file, an item an instance, the score 1 if it was resolved and 0 if not.

    What was not submitted is not resolved, as in SWE-bench's rate: what `incomplete_ids` lists, and what other reports
    list of as many instances in all.
    """
    everything = natural_order({name for file in files for name in _instances(file.held)})
    parts = choice.kept([_part(file, everything, choice) for file in files])
    return parts, []


def _instances(json: Json) -> list[str]:
    """Return the instances that were submitted, then those listed as not submitted."""
    if _is_old(json):
        return []
    submitted = _ids(json, _SUBMITTED)
    return [*submitted, *({*_ids(json, _INCOMPLETE)} - {*submitted})]


def _part(file: File[Json], everything: Sequence[str], choice: BenchmarkChoice) -> Part:
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
    total = json.object.get(_TOTAL)
    missed = {*_ids(json, _INCOMPLETE)} - submitted_ids
    if type(total) is int and len(submitted) + len(missed) < len(everything) <= total:
        missed = {*everything} - submitted_ids
    instances = [*submitted, *natural_order(missed)]
    return Part(
        path=json.label,
        system=file.source.own_name,
        topics=instances,
        values=[{_METRIC: float(name in solved)} for name in instances],
        place=lambda number, _: (None, f"{_SUBMITTED}[{number}]"),
        notes=[
            *_tried_notes(json, submitted_ids - solved - {*unresolved}),
            *_missed_notes(total, len(solved), len(submitted), len(missed)),
        ],
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


def _tried_notes(json: Json, without: set[str]) -> list[str]:
    """Say which submitted instances count 0 without having been tried."""
    if not without:
        return []
    reasons, left = [], without
    for key, reason in _WITHOUT.items():
        matching = without & {*_ids(json, key)}
        left = left - matching
        reasons += [f"{len(matching)} with {reason}"] * bool(matching)
    reasons += [f"{len(left)} without a result"] * bool(left)
    return [f"{count(len(without), 'instance')} neither resolved nor unresolved, which is 0: {', '.join(reasons)}"]


def _missed_notes(total: object, n_resolved: int, n_submitted: int, n_missed: int) -> list[str]:
    """Say how many instances count 0 because they were not submitted, and the rate where not all of them are listed."""
    notes = []
    if n_missed:
        share = f"{n_submitted:,} of {n_submitted + n_missed:,} instances were submitted"
        notes.append(f"{share}, and {count(n_missed, 'other')} count 0, as in SWE-bench's rate")
    if type(total) is int and total > n_submitted + n_missed:
        share = f"{total - n_submitted - n_missed:,} of {total:,} instances are neither submitted nor listed"
        rate = f"{n_resolved:,} of {total:,} is {n_resolved / total:.3f}"
        notes.append(f"{share}: they are no items, but count 0 in SWE-bench's rate, which for {rate}")
    return notes
