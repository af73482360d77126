"""How objects show themselves: a few lines that say what was asked and what was found, never the data at length.

A dataclass writes out every value it holds, arrays and tables too. A class that inherits from `ShortRepr` says instead
what it is, its settings, and of everything large the size.
"""

import copyreg
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields
from itertools import islice
from numbers import Number
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from metaeval.base.escaping import visible
from metaeval.base.names import count
from metaeval.base.notes import Remark

_WIDTH, _LONGEST_LINE, _MOST_LINES, _MOST_SETTINGS, _MOST_NOTES, _LONGEST, _FEW = 110, 160, 12, 3, 5, 60, 4


def _fixed(held: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(held)


copyreg.pickle(
    MappingProxyType, lambda held: (_fixed, (dict(held),))
)  # results hold some, and come from other processes


class ShortRepr:
    """Shows its name, what was found, notes on the data, its settings and sizes, in at most twelve lines.

    Examples
    --------
    >>> from metaeval import paired_t_test, simulate_scores
    >>> paired_t_test(simulate_scores(n_systems=5, n_topics=20, metrics=["AP"], rng=1))
    PairwiseResult: 4 of 10 pairs differ significantly under AP; system5 leads, significantly better than 1 of 4 others.
      note: simulated: systems from seed 1, 20 topics from seed 1
      test='t', alternative='two-sided', correction='fdr_by', alpha=0.05, n_systems=5, n_topics=20,
      strictly_below=False, family_wise_only=False
      data: 1 metric x 10 pairs of difference, statistic, p_value, log10_p, …
      and scores
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - whatever other bases take
        super().__init_subclass__(**options)
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]  # a dataclass leaves alone what a class has itself

    def __repr__(self) -> str:
        return "\n  ".join(_cut(visible(line), _LONGEST_LINE) for line in _lines(self))

    def _found(self) -> str:
        """Return the main numbers in a line, where there are any that cost next to nothing."""
        return ""

    def _elsewhere(self) -> str:
        """Return where figures of the answer stand that `to_frame` has not, if they do."""
        return ""


def main_sentence(thing: ShortRepr) -> str:
    """Return the main numbers of a result in a sentence, where it has any."""
    words = _attempt(_main_numbers, thing)
    return words and f"{words.removesuffix('.')}."


def notes_of(thing: object) -> tuple[str, ...]:
    """Return what is said of the data of a result, by itself or beside its first table with notes."""
    names = [field.name for field in fields(thing)]  # type: ignore[arg-type]  # as above
    notes = _texts(thing, "notes")
    if notes or "notes" in names:
        return notes
    return notes_beside(thing)


def notes_beside(thing: object) -> tuple[str, ...]:
    """Return the notes beside the first table of a result that has any."""
    names = (field.name for field in fields(thing))  # type: ignore[arg-type]  # as above
    return next(filter(None, (_texts(thing, name, beside=True) for name in names)), ())


def _texts(thing: object, name: str, *, beside: bool = False) -> tuple[str, ...]:
    try:
        values = getattr(thing, name)
        return tuple(note for note in (values.attrs["notes"] if beside else values) if isinstance(note, str))
    except Exception:  # noqa: BLE001 - whatever a result holds
        return ()


def shown_notes(notes: Iterable[str]) -> list[str]:
    """Return the notes to stand under the answer: those that a number depends on, and how many more there are.

    Examples
    --------
    >>> shown_notes(["1 system was dropped: x", Remark("all had names")])
    ['note: 1 system was dropped: x']
    """
    told = ["note: " + note for note in notes if not isinstance(note, Remark)]
    more = len(told) - _MOST_NOTES
    return told if more <= 0 else [*told[:_MOST_NOTES], f"and {count(more, 'more note')}"]


def settings_of(thing: ShortRepr) -> str:
    """Return what was asked: the settings that a result holds, as code writes them."""
    values = ((field.name, _attempt(_setting, getattr(thing, field.name, None))) for field in fields(thing))  # type: ignore[arg-type]  # as above
    told = [f"{name}={setting}" for name, setting in values if setting]
    source = _attempt(lambda result: str(result.provenance.random_source), thing)  # type: ignore[attr-defined]  # if any
    return ", ".join([*told, *([source.replace("seed ", "seed=")] if source.removeprefix("seed ").isdigit() else [])])


def _lines(thing: ShortRepr) -> list[str]:
    sizes, left_out = [], []
    for field in fields(thing):  # type: ignore[arg-type]  # every class that inherits this is a dataclass
        value = getattr(thing, field.name, None)
        if value is None or field.name in {"provenance", "notes"} or _empty(value) or _attempt(_setting, value):
            continue
        if field.repr:
            sizes.append(f"{field.name}: {_attempt(_size, value) or type(value).__name__}")
        else:
            left_out.append(field.name)
    name, answer = type(thing).__name__, _attempt(_answer, thing)
    first = _cut(f"{name}: {answer}", _MOST_SETTINGS * _LONGEST_LINE) if answer else name  # wrapping takes long
    lines = wrap(first, _LONGEST_LINE, max_lines=_MOST_SETTINGS, placeholder=" …") + shown_notes(notes_of(thing))
    lines += wrap(settings_of(thing), _WIDTH, max_lines=_MOST_SETTINGS, placeholder=" …")
    lines += filter(None, [_attempt(type(thing)._elsewhere, thing)])  # noqa: SLF001 - of this module
    room = _MOST_LINES - len(lines)
    if len(sizes) + bool(left_out) > room:
        left_out = [size.partition(":")[0] for size in sizes[room - 1 :]] + left_out
        sizes = sizes[: room - 1]
    return [*lines, *sizes, *([f"and {', '.join(left_out)}"] if left_out else [])]


def _answer(thing: ShortRepr) -> str:
    return str(getattr(thing, "answer", "")) or main_sentence(thing)


def _main_numbers(thing: ShortRepr) -> str:
    return str(thing._found())  # noqa: SLF001 - of this module


def _attempt[T](work: Callable[[T], str], value: T) -> str:
    """Return what is said of a value: one that cannot be described must not hide all others from who looks for it."""
    try:
        return work(value)
    except Exception:  # noqa: BLE001 - as above
        return ""


def _setting(value: object) -> str:
    """Return a value that is shown as it is; nothing for what is large or absent."""
    if isinstance(value, str):
        return repr(_cut(value, _LONGEST)) if value else ""
    if isinstance(value, bool):
        return str(value)
    if not isinstance(value, Number):
        return ""
    return _cut(f"{value:.6g}" if isinstance(value, float) else str(value), _LONGEST)


def _size(value: Any) -> str:  # noqa: ANN401 - whatever a result holds
    """Return how much there is of something large, in the words of its kind."""
    value = getattr(value, "children", value)  # of a tree of xarray
    if isinstance(value, ShortRepr):
        return f"{type(value).__name__}. {_attempt(_main_numbers, value)}".removesuffix(". ")
    if hasattr(value, "sizes"):  # of xarray
        extent = " x ".join(count(n, name.replace("_", " ")) for name, n in value.sizes.items())
        return f"{extent} of {_few(value.data_vars)}" if hasattr(value, "data_vars") else extent
    if hasattr(value, "columns"):
        return f"{count(len(value), 'row')} of {_few(value.columns)}"
    if hasattr(value, "shape"):
        return f"{' x '.join(map(str, value.shape))} {value.dtype}"
    if isinstance(value, Mapping | tuple | list | AbstractSet):
        return f"{len(value)}: {_few(value)}"
    return ""


def _few(values: Iterable[object]) -> str:
    first = [_cut(_attempt(_brief, value) or type(value).__name__, _LONGEST) for value in islice(values, _FEW + 1)]
    return ", ".join([*first[:_FEW], *(["…"] if len(first) > _FEW else [])])


def _brief(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple | frozenset):
        return f"({_few(value)})"
    title = getattr(value, "title", None)
    return title if isinstance(title, str) else _setting(value) or type(value).__name__


def _empty(value: object) -> bool:
    return _attempt(lambda one: "" if len(one) else "empty", value) == "empty"  # type: ignore[arg-type]  # tried


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else f"{words[: length - 1]}…"
