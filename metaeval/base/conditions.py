"""Conditions on cells of a column: a text, any other (``!=x``), numbers by sign (``>=2020``) or range (``1..9``)."""

import re
from collections.abc import Mapping

from metaeval.base.checks import refused
from metaeval.base.names import first_few, is_number
from metaeval.base.number_words import GAP_WORDS
from metaeval.errors import warn

_NUMBER = r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?"
_COMPARED = re.compile(rf"(?P<sign>[<>]=?)\s*(?P<limit>{_NUMBER})")
_WITHIN = re.compile(rf"(?P<low>{_NUMBER}?)\s*\.\.\s*(?P<high>{_NUMBER})")


def limits_of(text: str) -> list[tuple[str, float]] | None:
    """Return the signs and numbers that a condition compares with; None where it is a text.

    Examples
    --------
    >>> limits_of(">=2020"), limits_of("10..20"), limits_of("2020"), limits_of("> old")
    ([('>=', 2020.0)], [('>=', 10.0), ('<=', 20.0)], None, None)
    """
    compared, within = (pattern.fullmatch(text.strip()) for pattern in (_COMPARED, _WITHIN))
    if within:
        limits = [(">=", within["low"]), ("<=", within["high"])]
    else:
        limits = [(compared["sign"], compared["limit"])] if compared else []
    numbers = [(sign, float(limit)) for sign, limit in limits if is_number(limit)]
    return numbers if limits and len(numbers) == len(limits) else None


def left_out_by(text: str) -> str:
    """Return the text whose rows a condition leaves out, "" where it is none of these.

    Examples
    --------
    >>> left_out_by("!= lefty"), left_out_by("lefty")
    ('lefty', '')
    """
    sign, _, excluded = text.partition("!=")
    return "" if sign.strip() else excluded.strip()


def texts_that_meet(column: str, text: str, counts: Mapping[str, int]) -> set[str]:
    """Return the texts of a column that meet a condition, of all there are with the number of their rows.

    A text that is there is itself, whatever it looks like. Numbers are compared only where all are numbers; rows
    without one are left out, with a warning.

    Examples
    --------
    >>> sorted(texts_that_meet("year", ">=2020", {"2019": 4, "2020": 3, "2021.0": 1}))
    ['2020', '2021.0']
    >>> sorted(texts_that_meet("judge", "!=lefty", {"ana": 4, "lefty": 3, "": 1}))
    ['', 'ana']
    """
    limits, excluded = limits_of(text), left_out_by(text)
    if excluded and text.strip() not in counts:
        if excluded not in counts:
            warn(f"no row has {excluded!r} in column {column!r}; there are {first_few(sorted(counts))}")
        return {*counts} - {excluded}
    if limits is None or text.strip() in counts:
        return {text.strip()}
    gaps = {cell for cell in counts if cell.casefold() in GAP_WORDS}
    words = [cell for cell in counts if cell not in gaps and not is_number(cell)]
    if words:
        rule = (
            f"compares numbers, and column {column!r} holds {first_few(words, most=3, write=repr)}; choose rows by a "
            f"text that it holds, as in `where={ {column: words[0]}!r}`"
        )
        raise refused("where", rule, text)
    n_gaps = sum(counts[cell] for cell in gaps)
    if n_gaps:
        plural = "row has" if n_gaps == 1 else "rows have"
        message = f"{n_gaps:,} {plural} no number in column {column!r}, and so do not count as {column} {text.strip()}"
        warn(message)
    return {
        cell for cell in counts if cell not in gaps and all(_MEETS[sign](float(cell), limit) for sign, limit in limits)
    }


_MEETS = {">=": float.__ge__, "<=": float.__le__, ">": float.__gt__, "<": float.__lt__}
