"""Logs of pytest-reportlog, JSON lines: a test is an item, which a system passes or fails."""

from collections.abc import Sequence

from metaeval.base.names import count, shortened
from metaeval.io.benchmarks.comparable import BenchmarkChoice
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, name_in

_TYPE, _REPORT = "$report_type", "TestReport"
_NAME, _OUTCOME, _PHASE, _METRIC = "nodeid", "outcome", "when", "passed"
_SCORES = {"passed": 1.0, "failed": 0.0}


def holds_pytest_reportlog(json: Json) -> bool:
    """Whether records say their type, as those of a session, of what was collected and of tests do."""
    return isinstance(json.value, list) and isinstance(json.first.get(_TYPE), str)


def slim_pytest_reportlog(json: Json) -> None:
    """Forget what says nothing of scores."""
    json.keep({_TYPE, _NAME, _OUTCOME, _PHASE})


def parts_of_pytest_reportlog(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read logs: a system a file, an item a test; it passes where no phase of it fails, and it was not skipped."""
    return choice.kept([_part(file) for file in files]), []


def _part(file: File[Json]) -> Part:
    json = file.held
    scores: dict[str, float] = {}
    records: dict[str, int] = {}
    phases: dict[str, set[str]] = {}
    skipped: set[str] = set()
    for number, record in enumerate(json.records):
        if record.get(_TYPE) != _REPORT:
            continue
        name = name_in(json, record.get(_NAME), "test", at=number, key=_NAME)
        phase, outcome = str(record.get(_PHASE)), str(record.get(_OUTCOME))
        records.setdefault(name, number)
        if outcome == "rerun":  # of pytest-rerunfailures: what comes after it counts
            phases.pop(name, None)
            scores.pop(name, None)
            continue
        if phase in phases.setdefault(name, set()):
            json.refuse(f"{shortened(name)!r} was run twice; give the log of one session", at=number, key=_NAME)
        phases[name].add(phase)
        if outcome == "skipped":
            skipped.add(name)
        elif outcome in _SCORES:
            scores[name] = min(scores.get(name, 1.0), _SCORES[outcome])
        else:
            json.refuse("a test has passed, failed or was skipped", at=number, key=_OUTCOME)
    tests = [name for name in scores if name not in skipped]
    places = [records[name] for name in tests]
    left_out = f"left out {count(len(skipped), 'test')} that {'was' if len(skipped) == 1 else 'were'} skipped"
    return Part(
        path=json.label,
        system=file.source.own_name,
        topics=tests,
        values=[{_METRIC: scores[name]} for name in tests],
        place=lambda number, _: (json.line(places[number]), _OUTCOME),
        notes=[left_out] if skipped else [],
    )
