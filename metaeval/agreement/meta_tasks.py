"""The tasks of an evaluation of metrics: which measure of agreement, at which level, on which sets of systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from metaeval.base.checks import check_choice, check_number
from metaeval.base.short_repr import ShortRepr
from metaeval.errors import InvalidOptionError

Unit = Literal["cells", "items", "clusters", "systems", "pairs"]
Group = Literal["none", "item", "system"]


class Measure(NamedTuple):
    """What a measure of agreement can be asked for."""

    levels: tuple[str, ...]
    """The first is the one meant where none is named."""
    low: float
    """The least value; the largest is 1."""
    published: Mapping[str, Unit]
    """What the metrics tasks exchange between two metrics at each level."""


_CORRELATION = Measure(("system", "item"), -1.0, {"system": "systems", "item": "cells"})
MEASURES: Mapping[str, Measure] = {
    "accuracy": Measure(("system",), 0.0, {"system": "systems"}),
    "pearson": _CORRELATION,
    "spearman": _CORRELATION,
    "kendall": _CORRELATION,
    "spa": Measure(("system",), 0.0, {"system": "items"}),
    "acc_eq": Measure(("item",), 0.0, {"item": "pairs"}),
    "tau_eq": Measure(("item",), -1.0, {"item": "pairs"}),
    "pairwise_pearson": Measure(("item",), -1.0, {"item": "items"}),
}
"""The measures of agreement by name."""
TASKS = "spa, acc_eq, pearson:item"
"""What is asked where nothing is named."""
CALIBRATED = ("acc_eq", "tau_eq")
"""Measures whose threshold of ties is fitted to the people that the metric is judged by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaTask(ShortRepr):
    """One column of a campaign."""

    measure: str
    level: str
    group: Group = "none"
    """Of which a correlation at item level is a mean: over items, over systems, or of neither (all cells at once)."""
    sets: tuple[str, ...]
    """Several only for accuracy, whose pairs of systems are put together."""
    weight: float = 1.0

    @property
    def name(self) -> str:
        """The task in the notation of `parse_tasks`, after its sets."""
        words = [self.measure]
        if len(MEASURES[self.measure].levels) > 1 or self.group != "none":
            words.append(self.level)
        if self.group != "none":
            words.append(self.group)
        return " ".join(filter(None, [",".join(self.sets), ":".join(words)]))


def parse_tasks(tasks: str | Sequence[str], sets: Sequence[str]) -> list[MetaTask]:
    """Return the tasks that are named, one for every set; accuracy takes all sets together, and weighs as much.

    The notation is ``MEASURE``, ``MEASURE:LEVEL`` or ``MEASURE:LEVEL:GROUP``, separated by commas.

    Examples
    --------
    >>> [task.name for task in parse_tasks("accuracy, pearson:item, kendall:item:item", ["en-de", "zh-en"])]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['en-de,zh-en accuracy', 'en-de pearson:item', 'en-de kendall:item:item', 'zh-en pearson:item',
     'zh-en kendall:item:item']
    """
    written = tasks.split(",") if isinstance(tasks, str) else list(tasks)
    read = [_parsed(word.strip()) for word in written if word.strip()]
    if not read:
        raise InvalidOptionError(f"name a task at least, such as spa, not {tasks!r}")
    pooled = [
        MetaTask(measure=m, level=v, group=g, sets=(*sets,), weight=len(sets)) for m, v, g in read if m == "accuracy"
    ]
    single = [(set_name, parsed) for set_name in sets for parsed in read if parsed[0] != "accuracy"]
    return [*pooled, *(MetaTask(measure=m, level=v, group=g, sets=(set_name,)) for set_name, (m, v, g) in single)]


def _parsed(word: str) -> tuple[str, str, Group]:
    measure, *more = word.split(":")
    check_choice(measure, "measure of agreement in `tasks`", MEASURES)
    levels = MEASURES[measure].levels
    level = more[0] if more else levels[0]
    check_choice(level, f"level of {measure} in `tasks`", levels)
    group = more[1] if len(more) > 1 else "none"
    correlates = level == "item" and "system" in levels
    check_choice(
        group, f"group of {measure}:{level} in `tasks`", ("none", "item", "system") if correlates else ("none",)
    )
    if len(more) > 2:  # noqa: PLR2004 - a level and a group
        raise InvalidOptionError(f"a task is MEASURE:LEVEL:GROUP, not {word!r} (`tasks`)")
    return measure, level, group  # type: ignore[return-value]  # checked above


def check_tasks(tasks: Sequence[MetaTask], sets: Sequence[str]) -> None:
    """Refuse tasks on sets that are not there, and weights that are no numbers above 0."""
    for task in tasks:
        for set_name in task.sets:
            check_choice(set_name, "set of a task", sets)
        check_number(task.weight, "weight of a task", above=0)
        if len(task.sets) != 1 and task.measure != "accuracy":
            raise InvalidOptionError(
                f"{task.measure} is of one set, not {len(task.sets)}; only accuracy puts sets together"
            )
