"""Which results can be compared: what must be alike for it (`Format.compared`), and how `where` chooses what is not.

What a benchmark says of an aggregate holds for items only where their mean orders systems as the aggregate does.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from metaeval.base.checks import refused
from metaeval.base.conditions import left_out_by, limits_of
from metaeval.base.names import count, first_few, natural_order
from metaeval.errors import FileFormatError, InvalidOptionError, UnknownNameError
from metaeval.io.benchmarks.parts import Dated, Part, brief
from metaeval.io.blocks import FileBlock, TableOptions
from metaeval.io.chosen_rows import NO_ROWS

if TYPE_CHECKING:
    from metaeval.io.benchmarks.formats import Format

SPLIT = "split"
EACH = "each "
"""How `Format.compared` begins where what must be alike is said of each thing by name, and not of a task."""
_ANY = "*"
_TASK = "TASK"
_LONGEST = 40
_LONGEST_SHOWN, _SHORTEST = 20, 8
_FEWEST = 2
_UNSAID: Any = object()


class _Selector(NamedTuple):
    """KEY=VALUE or TASK/KEY=VALUE; in a task and a value, ``*`` stands for any signs."""

    task: str
    key: str
    value: str

    def is_of(self, task: str) -> bool:
        return not self.task or task == self.task or fnmatchcase(task, self.task)

    def is_met(self, value: object) -> bool:
        return self.value == _ANY or (
            isinstance(value, str) and (value == self.value or fnmatchcase(value, self.value))
        )


class BenchmarkChoice:
    """What the caller asked of the results of a benchmark: options, metrics, and what `where` says, taken apart."""

    def __init__(self, options: TableOptions, form: "Format", metrics: Sequence[str] | None = None) -> None:
        self.options, self.form, self.metrics = options, form, metrics
        self.notes: list[str] = []
        self._asked: list[_Selector] = []
        if options.where and not form.compared:
            raise InvalidOptionError(f"{NO_ROWS}, and these are results of {form.name}; leave it out")
        for selector, value in options.where.items():
            if limits_of(str(value)) is not None or left_out_by(str(value)):
                rule = f"compares what is in columns of tables, and {selector} is a setting; write it as it stands"
                raise refused("where", f"{rule}, as in `where={ {selector: '5'}!r}`", value)
            task, _, key = selector.rpartition("/")
            if key not in form.compared:
                kind = f"setting that `where` can choose in results of {form.name}"
                raise UnknownNameError(kind, key, list(form.compared))
            if form.compared[key].startswith(EACH) and value != _ANY:
                owner = form.compared[key].removeprefix(EACH)
                raise refused("where", f"can only be '*' for {key}, which every {owner} has its own of", value)
            self._asked.append(_Selector(task, key, str(value).strip()))

    def kept[Result: (Part, Dated)](self, results: Sequence[Result]) -> list[Result]:
        """Return the results with the settings asked for, and note how many of how many those are."""
        asked = [selector for selector in self._asked if selector.key != SPLIT]
        selected = list(results)
        for selector in asked:
            self._check_task(selector, [result.task for result in results])
            fitting = [
                result
                for result in selected
                if not selector.is_of(result.task) or selector.is_met(result.said.get(selector.key))
            ]
            if not fitting:
                values = natural_order(
                    {str(result.said[selector.key]) for result in selected if selector.key in result.said}
                )
                raise self._absent(selector, values)
            selected = fitting
        if len(selected) < len(results):
            self.notes.append(f"{len(selected):,} of {len(results):,} results, with {self._words(asked)}")
            self.notes += without_any(results, selected)
        return selected

    def splits(self, known: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
        """Return the splits of every task that are read: those asked for, else its main one, else all it has."""
        selected = {task: self._own(task, splits) for task, splits in known.items()}
        for selector in self._asked:
            self._check_task(selector, known)
            if selector.key == SPLIT and not any(selected[task] for task in known if selector.is_of(task)):
                raise self._absent(selector, natural_order({split for splits in known.values() for split in splits}))
        return selected

    def _check_task(self, one: _Selector, tasks: Collection[str]) -> None:
        if not any(map(one.is_of, tasks)):
            raise UnknownNameError(f"task in the results of {self.form.name}", one.task, natural_order({*tasks}))

    def _own(self, task: str, splits: Collection[str]) -> set[str]:
        asked = [selector for selector in self._asked if selector.key == SPLIT and selector.is_of(task)]
        if asked:
            return {split for split in splits if all(selector.is_met(split) for selector in asked)}
        main = next((split for split in self.form.splits if split in splits), None)
        return set(splits) if main is None else {main}

    def asks(self, key: str, task: str) -> bool:
        """Whether the caller chose a setting of a task."""
        return any(selector.key == key and selector.is_of(task) for selector in self._asked)

    def _absent(self, one: _Selector, values: Sequence[str]) -> UnknownNameError:
        return UnknownNameError(f"{one.key} in the results of {self.form.name}", one.value, values)

    @staticmethod
    def _words(asked: Sequence[_Selector]) -> str:
        return " and ".join(f"{selector.key} {selector.value}" for selector in asked)


def without_any(before: Sequence[Part | Dated], after: Sequence[Part | Dated]) -> list[str]:
    """Name the systems of which nothing is left."""
    left = {result.system for result in after}
    gone = list(dict.fromkeys(result.system for result in before if result.system not in left))
    return [f"nothing is left of {first_few(gone)}"] if gone else []


def left_of_splits(left: Mapping[str, int], what: str) -> list[str]:
    """Say how many things of other splits were left out, and how to read them."""
    return [
        f"left out {count(number, what)} "
        + (f"of split {split} (`where={ {SPLIT: split}!r}` reads those)" if split else f"without a {SPLIT}")
        for split, number in left.items()
    ]


def settings_in(held: Mapping[str, Any], compared: Mapping[str, str], task: str = "") -> dict[str, str]:
    """Return the settings that stand in a document, at places such as ``configs.TASK.version``.

    Several places by blanks, or last names by "|", are one setting; at one with "?" it counts whether there is any.

    Examples
    --------
    >>> settings_in({"n": {"t": 5.0}, "chat": None}, {"shots": "n.TASK", "chat": "chat?", "hash": "hash"}, "t")
    {'shots': '5', 'chat': 'no'}
    """
    settings = {}
    for key, places in compared.items():
        if places and not places.startswith(EACH):
            values = [_value_at(held, path, task) for path in _each(places)]
            if any(value is not _UNSAID for value in values):
                listed = [None if value is _UNSAID else value for value in values]
                settings[key] = spoken(listed[0] if len(listed) == 1 else listed)
    return settings


def _each(places: str) -> Iterator[str]:
    for path in places.split():
        above, dot, names = path.rpartition(".")
        yield from (f"{above}{dot}{name}" for name in names.split("|"))


def _value_at(held: object, place: str, task: str) -> Any:  # noqa: ANN401 - as JSON has it
    for name in place.removesuffix("?").split("."):
        held = held.get(task if name == _TASK else name, _UNSAID) if isinstance(held, dict) else _UNSAID
    return ("yes" if held else "no") if place.endswith("?") and held is not _UNSAID else held


def spoken(value: object) -> str:
    """Return a setting as a text that can be typed: of a long one the beginning and a checksum.

    Examples
    --------
    >>> spoken(5.0), spoken(None), spoken(""), spoken({"b": 1, "a": 2})
    ('5', 'none', 'empty', '{"a": 2, "b": 1}')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or value == "":
        return "none" if value is None else "empty"
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return brief(text, _LONGEST)


def compare(parts: Sequence[Part], choice: BenchmarkChoice) -> list[str]:
    """Refuse parts that cannot be compared; where the caller chose so, say in what they differ."""
    notes = []
    tasks: dict[str, list[Part]] = {}
    for part in parts:
        tasks.setdefault(part.task, []).append(part)
    for key in choice.form.compared:
        unlike = {
            (task, subject): values
            for task, of_task in tasks.items()
            for subject, values in _unlike(of_task, task, key).items()
        }
        for (task, subject), values in unlike.items():
            if not choice.asks(key, task):
                raise _incomparable(key, task, subject, values, choice, len(unlike), several=len(tasks) > 1)
        if unlike:
            differences = [f"{subject} {_by_value(values)}".strip() for (_, subject), values in unlike.items()]
            notes.append(f"{key} differs, as asked for: {first_few(differences, most=3, between='; ')}")
    return notes


def _unlike(parts: Sequence[Part], task: str, key: str) -> dict[str, dict[str, list[Part]]]:
    """Return what parts of a task differ in, with the parts of every value."""
    settings = [(part, part.said[key]) for part in parts if key in part.said]
    if all(setting == settings[0][1] for _, setting in settings):
        return {}
    by_subject: dict[str, dict[str, list[Part]]] = {}
    for part, setting in settings:
        for subject, value in setting.items() if isinstance(setting, Mapping) else ((task, setting),):
            by_subject.setdefault(subject, {}).setdefault(value, []).append(part)
    return {subject: values for subject, values in by_subject.items() if len(values) > 1}


def _by_value(values: Mapping[str, Sequence[Part]]) -> str:
    """Return who has which value: one or two systems by name, more by number."""
    systems = {value: _systems(parts) for value, parts in values.items()}
    return ", ".join(
        f"{_beginning(value, values)} ({' and '.join(names) if len(names) <= _FEWEST else count(len(names), 'system')})"
        for value, names in systems.items()
    )


def _systems(parts: Sequence[Part]) -> list[str]:
    return list(dict.fromkeys(part.system for part in parts))


def _incomparable(  # noqa: PLR0913, PLR0917 - what differs, and of what
    key: str,
    task: str,
    what: str,
    values: Mapping[str, Sequence[Part]],
    choice: BenchmarkChoice,
    n_unlike: int,
    *,
    several: bool,
) -> FileFormatError:
    """Return the refusal: both values, both files, and the options that choose."""
    (before, first), (value, others) = list(values.items())[:2]
    beginnings = {setting: _beginning(setting, values) for setting in values}
    where = "in it too" if first[0].path == others[0].path else f"in {first[0].path}"
    more = f" ({n_unlike - 1} more differ)" if n_unlike > 1 else ""
    message = (
        f"{what}{': ' * bool(what)}{key} is {beginnings[value]!r} here and {beginnings[before]!r} {where}{more}: such "
        "scores "
        "cannot be compared; "
    )
    as_they_are = f"read them as they are (`where={ {key: _ANY}!r}`)"
    systems = {setting: len(_systems(parts)) for setting, parts in values.items()}
    most = max(systems, key=systems.__getitem__)
    if systems[most] >= _FEWEST and not choice.form.compared[key].startswith(EACH):
        name = f"{task.replace('=', '?')}/{key}" if several and task else key
        pattern = most if beginnings[most] == most else beginnings[most].replace("…", _ANY)
        n_systems = len(_systems([part for parts in values.values() for part in parts]))
        alone = f"read one alone (`where={ {name: pattern}!r}`, {systems[most]} of {count(n_systems, 'system')})"
        ways = [as_they_are, alone] if n_unlike > 1 else [alone, as_they_are]  # of many the next is refused for another
        message += f"{ways[0]}, {ways[1]}, or leave files out"
    else:
        message += f"leave files out, or {as_they_are}"
    return FileFormatError(message, path=others[0].path)


def _beginning(value: str, values: Collection[str]) -> str:
    """Return a value, of a long one so much of its beginning that no other of the values has it."""
    if len(value) <= _LONGEST_SHOWN or set(value) & {*"[]*?…"}:
        return value
    for n in range(_SHORTEST, len(value)):
        if not any(candidate != value and candidate.startswith(value[:n]) for candidate in values):
            return f"{value[:n]}…"
    return value


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
