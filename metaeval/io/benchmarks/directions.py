"""Which way the value of an item is better.

What a benchmark says of an aggregate holds for items only where their mean orders systems as the aggregate does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metaeval.base.names import first_few
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.parts import Part
from metaeval.io.blocks import FileBlock

if TYPE_CHECKING:
    from metaeval.io.benchmarks.formats import Format


def lower_of(names: Iterable[str], form: "Format", kind: str = "") -> frozenset[str]:
    """Return the metrics where lower is better by the table of formats, for a kind of task (``KIND/NAME``) or any."""
    return frozenset(name for name in names if {name, f"{kind}/{name}"} & {*form.lower})


def one_way(block: FileBlock, parts: Sequence[Part], form: "Format") -> FileBlock:
    """Refuse a metric whose direction differs from task to task; note those of which nobody says a direction."""
    for name in block.labels["metric"]:
        stem = name.partition("(")[0]
        scored = [part for part in parts if any(name in values for values in part.values)]
        lower = [part for part in scored if stem in part.lower]
        higher = [part for part in scored if stem in part.higher]
        if lower and higher:
            raise _two_ways(name, lower[0], higher[0])
    unsaid = [name for name in block.labels["metric"] if name.partition("(")[0] in {*form.undirected}]
    note = (
        f"{form.name} does not say whether a lower value is better under {first_few(unsaid)}; higher counts as better "
        "unless `higher_is_better` says otherwise"
    )
    return replace(block, notes=[*block.notes, note]) if unsaid else block


def _two_ways(name: str, lower: Part, higher: Part) -> FileFormatError:
    message = (
        f"lower is better under {name} of {lower.task}, and higher under that of {higher.task} in {higher.path}, so "
        "they have no common mean"
    )
    if lower.task != higher.task:
        message += f"; name the tasks of one kind, such as `metrics={[f'{higher.task}={name}']!r}`"
    else:
        message += "; read one alone, or leave one out"
    return FileFormatError(message, path=lower.path)
