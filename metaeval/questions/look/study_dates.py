"""Whether two files may be what one judge said at two dates, for which there is a question of its own."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from metaeval.base.columns import JUDGES, underscored
from metaeval.base.names import metric_evidence
from metaeval.errors import MetaevalError
from metaeval.io.any_sheets import any_sheet
from metaeval.io.files import read_bytes
from metaeval.io.judged_answers import read_judged_answers
from metaeval.io.votes import holds_votes, read_votes

_FEWEST = 2


def drift_command(given: Sequence[str]) -> str:
    """Return how it is asked whether a judge has changed between two files, "" where they cannot be that.

    They can where both hold votes on some of the same systems, or labels or scores of the same answers, name the same
    judge where they name one, and are not called as metrics.
    """
    if len(given) != _FEWEST or not all(Path(path).is_file() for path in given):
        return ""
    if metric_evidence([Path(path).stem for path in given]) > 0:
        return ""
    try:
        if _judges(given[0]) != _judges(given[1]):
            return ""
        n_shared = _shared_systems(given) if _are_votes(given) else _shared_answers(given)
    except (MetaevalError, UnicodeError):
        return ""
    before, after = map(shlex.quote, given)
    return f"metaeval judges --before {before} --after {after}" if n_shared >= _FEWEST else ""


def _judges(path: str) -> set[str]:
    """Return whom a column of judges names in the first rows."""
    sheet = any_sheet(read_bytes(path), path)
    names, *rows = [[]] if sheet is None else sheet.sample()
    columns = [column for column, name in enumerate(names) if underscored(name) in JUDGES]
    return {cells[column] for cells in rows for column in columns[:1] if column < len(cells)}


def _are_votes(given: Sequence[str]) -> bool:
    return all(holds_votes(read_bytes(path), path) for path in given)


def _shared_systems(given: Sequence[str]) -> int:
    first, second = ({*read_votes(path).systems} for path in given)
    return len(first & second)


def _shared_answers(given: Sequence[str]) -> int:
    """Return how many items have a label or score in both, if some system does."""
    (before, _), (after, _) = (read_judged_answers(path, {}) for path in given)
    if any(scores.sizes["metric"] > 1 for scores in (before, after)) or not before["metric"].equals(after["metric"]):
        return 0
    systems, items = (
        {*before[name].to_numpy().tolist()} & {*after[name].to_numpy().tolist()} for name in ("system", "topic")
    )
    return len(items) if systems else 0
