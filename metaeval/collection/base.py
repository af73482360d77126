"""Names, levels and segments of lists, as every collection handles them."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Ints
from metaeval.base.names import first_few, shortened
from metaeval.errors import InvalidOptionError, UnknownNameError

On = Literal["documents", "elements", "passages"]
"""What is ranked."""
Retrieved = Literal["judged", "all"]
"""Whether a collection holds the judged documents of every run alone, or all that were retrieved, which pools need."""
Undefined = Literal["zero", "drop"]
"""What becomes of topics with nothing relevant: they count 0 for every run, or are left out."""
Rounds = Literal["results", "documents"]
"""What of its list a run goes on by in each round of pooling: one result, or one document that it has not had."""

_LEVELS = np.iinfo(np.int16)
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def as_levels(levels: NDArray[np.integer]) -> NDArray[np.int16]:
    """Return levels of judgments in the 16 bits that hold them.

    Examples
    --------
    >>> as_levels(np.array([2, 0, -1]))
    array([ 2,  0, -1], dtype=int16)
    """
    if levels.dtype.kind not in "iu":
        raise InvalidOptionError(f"levels must be whole numbers, not {levels.dtype}; regrade takes real-valued grades")
    if levels.size and (levels.min() < _LEVELS.min or levels.max() > _LEVELS.max):
        message = f"levels must lie from {_LEVELS.min} to {_LEVELS.max}; these reach {levels.min()} to {levels.max()}"
        raise InvalidOptionError(message)
    return levels.astype(np.int16)


def identifier(value: object, what: str) -> str:
    """Return the name of a topic, document or run as text: text, or a whole number.

    Examples
    --------
    >>> identifier("007", "query"), identifier(301, "query")
    ('007', '301')
    """
    if isinstance(value, str | bytes) and not value.strip():
        raise InvalidOptionError(f"a {what} identifier is blank ({value!r}); name it")
    text: str | None = None
    with suppress(ValueError):  # no UTF-8, or a number of thousands of digits
        match value:
            case str():
                text = value.encode().decode()
            case bytes():
                text = value.decode()
            case Integral() if not isinstance(value, bool | np.bool_):
                text = str(int(value))
    if text is None:
        description = f"{shortened(repr(value)) if isinstance(value, str | bytes | float) else type(value).__name__}"
        raise InvalidOptionError(
            f"{what} identifiers must be text or whole numbers, not {description} ({type(value).__name__})"
        )
    return text


def identifiers(values: Sequence[object], what: str) -> list[bytes]:
    """Return names as the bytes of their text."""
    if set(map(type, values)) <= {str}:
        with suppress(UnicodeEncodeError):  # which is named below
            return [str(value).encode() for value in values]
    return [identifier(value, what).encode() for value in values]


def named_once[Value](entries: Mapping[Any, Value], what: str) -> dict[str, Value]:
    """Return what stands under names as text, of which no two are alike.

    Examples
    --------
    >>> named_once({1: "a", "01": "b"}, "query")
    {'1': 'a', '01': 'b'}
    """
    by_name: dict[str, Value] = {}
    for name, value in entries.items():
        text = identifier(name, what)
        if text in by_name:
            raise InvalidOptionError(f"two {what} identifiers are {text!r}, a number and a text; keep one")
        by_name[text] = value
    return by_name


def chosen_names(names: Iterable[str], what: str) -> list[str]:
    """Return names as a list of strings; one string is no sequence of names."""
    if isinstance(names, str):
        message = f"`{what}` must be a sequence of names, not the single string {names!r}; write [{names!r}]"
        raise InvalidOptionError(message)
    return [str(name) for name in names]


def positions(names: Iterable[str] | None, known: tuple[str, ...], kind: str) -> Ints:
    """Return where the names stand, each once; all of them for None."""
    if names is None:
        return np.arange(len(known))
    chosen = chosen_names(names, f"{kind}s")
    index_of = {name: number for number, name in enumerate(known)}
    for name in chosen:
        if name not in index_of:
            raise UnknownNameError(kind, name, known)
    if not chosen or len(set(chosen)) < len(chosen):
        raise InvalidOptionError(f"`{kind}s` must name at least one {kind}, each once, not {chosen!r}")
    return np.array([index_of[name] for name in chosen], dtype=np.int64)


def take_segments(offsets: Ints, segments: Ints) -> tuple[Ints, Ints]:
    """Return the offsets of chosen segments put one after another, and the places of their entries.

    Examples
    --------
    >>> take_segments(np.array([0, 2, 5]), np.array([1, 0]))
    (array([0, 3, 5]), array([2, 3, 4, 0, 1]))
    """
    lengths = np.diff(offsets)[segments]
    taken = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return taken, np.arange(taken[-1]) + np.repeat(offsets[:-1][segments] - taken[:-1], lengths)


def renumbered(kept: Ints, size: int) -> NDArray[np.int32]:
    """Return for each of `size` places where it comes to stand when only the `kept` ones stay, -1 for nowhere.

    Examples
    --------
    >>> renumbered(np.array([3, 1]), 4)
    array([-1,  1, -1,  0], dtype=int32)
    """
    moved = np.full(size, -1, dtype=np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    return moved


def looked_up_systems(table: Mapping[str, Any] | pd.Series, systems: tuple[str, ...], what: str) -> list[Any]:
    """Return what a table says of every system, or an error that names those it lacks."""
    if isinstance(table, pd.Series):
        if not table.index.is_unique:
            message = f"`{what}` names system {table.index[table.index.duplicated()][0]!r} twice; keep one line"
            raise InvalidOptionError(message)
        table = {str(name): value for name, value in table.items()}
    absent = [name for name in systems if name not in table]
    if absent:
        covered = f"{len(systems) - len(absent)} of {len(systems)} systems"
        raise InvalidOptionError(f"`{what}` covers {covered}; absent: {first_few(absent)}")
    return [table[name] for name in systems]


def as_truth(value: object) -> bool:
    """Return yes or no as it is written."""
    truth = _TRUTH.get(str(value).casefold())
    if truth is None:
        raise InvalidOptionError(f"`pooled` must say yes or no (true or false, 1 or 0) for every system, not {value!r}")
    return truth


def is_judged(levels: NDArray[np.integer]) -> Flags:
    """Say which levels are judgments: 0 and above. A negative one is none, as trec_eval has it, whatever its size.

    Examples
    --------
    >>> is_judged(np.array([2, 0, -1, -2])).tolist()
    [True, True, False, False]
    """
    return levels >= 0
