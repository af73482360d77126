"""Cells of votes as they are written: names are text whatever they look like, and numbers are numbers or refused."""

import math
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.names import is_number, shortened

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]

_KINDS = {dict: "an object", list: "a list", tuple: "a list", set: "a set", np.ndarray: "an array"}
_VERSUS = re.compile(r"[\s_]+(?:vs?\.?|versus|gegen|contra)[\s_]+", re.IGNORECASE)
_SIGN, _LISTED = re.compile(r"[,;|]"), re.compile(r"\[.*\]|\(.*\)")
_EXACT = 2**53
"""Whole numbers below it have a float of their own."""
FLAGS = {**dict.fromkeys(("1", "1.0", "true", "yes"), True), **dict.fromkeys(("0", "0.0", "false", "no"), False)}


class RowError(Exception):
    """A row that is no vote: its place in the table that was added, and the rule."""

    def __init__(self, place: int, rule: str) -> None:
        super().__init__(place, rule)
        self.place, self.rule = place, rule


class TextCells(NamedTuple):
    """A column as text, each text once."""

    codes: Codes
    """The number of the text in every row, -1 where there is none. Shape (row,)."""
    texts: list[str]
    """Without blanks around them."""

    def first(self, held: Iterable[bool]) -> int:
        """Return the first row whose text is held; -1 for none."""
        mask = np.append(np.fromiter(held, dtype=bool, count=len(self.texts)), False)[self.codes]
        return int(np.argmax(mask)) if mask.any() else -1


def text_cells(values: Any, what: str) -> TextCells:  # noqa: ANN401 - an array, or pandas' own
    """Return a column as text; errors say `what` it holds.

    Examples
    --------
    >>> text_cells(np.array(["1.10", " 1.1", "", None, 7, 7.0, True], dtype=object), "system").texts
    ['1.10', '1.1', '7', 'true']
    >>> text_cells(pd.Categorical(["b", "a", "c"])[[2, 0]], "system").texts  # those that occur, as they appear
    ['c', 'b']
    """
    raw: Iterable[object]
    if values.dtype == object and not set(map(type, values)) <= {str}:  # 1, True and 1.0 are equal
        codes, raw = pd.factorize(np.array(_texts(values, what), dtype=object))
    else:
        codes, raw = pd.factorize(values)
    try:
        texts = _texts(raw, what)
    except RowError as error:
        raise RowError(int(np.argmax(codes == error.place)), error.rule) from None
    number_of: dict[str, int] = {}
    numbers = [number_of.setdefault(text, len(number_of)) if (text := raw_text.strip()) else -1 for raw_text in texts]
    return TextCells(np.array([*numbers, -1], dtype=np.int64)[codes], list(number_of))


def _texts(values: Iterable[object], what: str) -> list[str]:
    return [
        value if type(value) is str else "" if value is None else _text(position, value, what)
        for position, value in enumerate(values)
    ]


def _text(place: int, value: object, what: str) -> str:
    """Return what stands in a cell as text, nothing for none."""
    if isinstance(value, tuple(_KINDS)):
        word = next(word for kind, word in _KINDS.items() if isinstance(value, kind))
        raise RowError(place, f"the {what} is {word} ({shortened(value, 30)}), and must be one name")
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        return _float_text(place, value, what)
    try:
        return "" if value is pd.NA or value is pd.NaT else value.decode() if isinstance(value, bytes) else str(value)
    except UnicodeDecodeError:
        raise RowError(place, f"the {what} {shortened(value)} is no UTF-8; decode it first") from None
    except ValueError:  # Python writes no number of more than 4,300 digits
        raise RowError(place, f"the {what} is a number of thousands of digits; give it a name") from None


def _float_text(place: int, value: Any, what: str) -> str:  # noqa: ANN401 - of Python or numpy
    if not float(value).is_integer():
        return "" if math.isnan(value) else str(value)
    if abs(value) >= _EXACT:
        raise RowError(place, f"the {what} {value!r} is a number that may have lost digits; give names as text")
    return str(int(value))


def without_lists(values: Any, what: str) -> Any:  # noqa: ANN401 - an array, or pandas' own
    """Return units where rows have lists of them: MT-Bench's judge and how it was asked, the turns of a question.

    Examples
    --------
    >>> judges = np.array([["gpt-4", "pair-v2"], "ann"], dtype=object)
    >>> without_lists(judges, "voter").tolist(), without_lists(judges, "question").tolist()
    (['gpt-4', 'ann'], ["['gpt-4', 'pair-v2']", 'ann'])
    """
    if isinstance(values, pd.Categorical) or values.dtype != object or not {list, tuple} & set(map(type, values)):
        return values
    units = np.empty(len(values), dtype=object)
    units[:] = [
        value if not isinstance(value, list | tuple) or not value else str(value) if what == "question" else value[0]
        for value in values
    ]
    return units


def two_names(cell: object) -> tuple[str, str] | None:
    r"""Return the two names that a cell holds, a list of two or a text; None where it holds anything else.

    Examples
    --------
    >>> [two_names(cell) for cell in (["a", "b"], "['a', 'b']", "a (7B) vs. b", "a_vs_b", "a", "a, b, c")]
    [('a', 'b'), ('a', 'b'), ('a (7B)', 'b'), ('a', 'b'), None, None]
    """
    if isinstance(cell, str):
        cell = cell.strip()
        divided = _VERSUS.split(cell)
        if len(divided) == 1 and len(divided := _SIGN.split(cell)) > 1 and _LISTED.fullmatch(cell):
            divided = _SIGN.split(cell[1:-1])
        cell = [name.strip().strip("'\"") for name in divided]
    pair = tuple(map(str, cell)) if isinstance(cell, list | tuple) else ()
    return (pair[0], pair[1]) if len(pair) == 2 and all(pair) else None  # noqa: PLR2004 - a pair


def two_sides(values: Any, what: str) -> list[NDArray[np.object_]]:  # noqa: ANN401 - an array, or pandas' own
    """Return what stands on the left and on the right of a column that holds both.

    Examples
    --------
    >>> [side.tolist() for side in two_sides(np.array(["a vs b", "c vs a"], dtype=object), "pair")]
    [['a', 'c'], ['b', 'a']]
    """
    cells = [tuple(map(str, cell)) if isinstance(cell, list) else str(cell) for cell in values]
    names = {cell: two_names(cell) for cell in dict.fromkeys(cells)}
    if (odd := next((cell for cell, pair in names.items() if pair is None), None)) is not None:
        rule = f"the {what} is {shortened(odd)!r}, and holds both systems in other rows; write it as 'a vs b'"
        raise RowError(cells.index(odd), rule)
    pairs = [names[cell] or ("", "") for cell in cells]
    return [np.array(side, dtype=object) for side in zip(*pairs, strict=True)]


def finite_numbers(values: Any, what: str) -> Floats:  # noqa: ANN401 - an array, or pandas' own
    """Return a column of finite numbers, NaN for what is none.

    Examples
    --------
    >>> finite_numbers(np.array(["1e3", "0x10", "inf", None, 2], dtype=object), "weight").tolist()
    [1000.0, nan, nan, nan, 2.0]
    """
    if not isinstance(values, pd.Categorical) and values.dtype.kind in "iuf":
        numbers = values.astype(np.float64)
        return np.where(np.isfinite(numbers), numbers, np.nan)
    if not isinstance(values, pd.Categorical) and values.dtype == object:
        values = np.array(
            [repr(float(value)) if isinstance(value, float | np.floating) else value for value in values], object
        )
    cells = text_cells(values, what)
    return np.array([*(float(text) if is_number(text) else math.nan for text in cells.texts), math.nan])[cells.codes]


def text_lengths(values: Any) -> Floats:  # noqa: ANN401 - an array, or pandas' own
    """Return how many characters the text in every row has, NaN for none.

    Examples
    --------
    >>> text_lengths(np.array(["Yes.", "", None, "naïve"], dtype=object)).tolist()
    [4.0, 0.0, nan, 5.0]
    """
    if isinstance(values, pd.Categorical):
        return np.append(text_lengths(values.categories.to_numpy(dtype=object)), math.nan)[values.codes]
    return np.array([len(cell) if isinstance(cell, str) else math.nan for cell in values], dtype=np.float64)


def flags_of(values: Any, what: str) -> NDArray[np.bool_]:  # noqa: ANN401 - an array, or pandas' own
    """Return a column of 1 and 0, or true and false; an error for anything else."""
    cells = text_cells(values, what)
    flags = [FLAGS.get(text.casefold()) for text in cells.texts]
    if (odd := cells.first(flag is None for flag in flags)) >= 0:
        raise RowError(odd, f"{what} is {shortened(cells.texts[cells.codes[odd]])!r}; it is 1 or 0 in every row")
    if (cells.codes < 0).any():
        raise RowError(int(np.argmax(cells.codes < 0)), f"{what} is empty; it is 1 or 0 in every row")
    return np.array(flags, dtype=bool)[cells.codes]
