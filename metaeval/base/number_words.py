"""Numbers as people write them: with decimal commas, signs between thousands, per cents, marks and errors."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_MARKED = re.compile(r"([+-]?[0-9]*\.?[0-9]+) *[*†‡§¶↑↓]+", re.ASCII)
_STARRED = re.compile(r"\*\*([+-]?[0-9]*\.?[0-9]+)\*\*", re.ASCII)
_BESIDE = re.compile(r"([+-]?[0-9]*\.[0-9]+) *\([0-9]+\)", re.ASCII)
_WITH_ERROR = re.compile(
    r"\$?([+-]?[0-9.,]+)\s*\\?%?\s*(?:\(?\s*(?:±|\+/-|\+-|\\pm)|\()\s*([0-9.,]+)\s*\\?%?\s*\)?\s*\\?%?\$?", re.ASCII
)
_BOUND = r"[+-]?[0-9]*[.,]?[0-9]+"
_WITH_BOUNDS = re.compile(
    rf"({_BOUND}) *[\[(] *({_BOUND}) *(?:[,;/] +|;|/|to|\.\.|-|\N{{EN DASH}}|\N{{EM DASH}}) *({_BOUND}) *[\])]",
    re.ASCII,
)
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+", re.ASCII)
_COMMAS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?", re.ASCII)
_BETWEEN = " '\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}."
_DIVIDED = re.compile(
    rf"[+-]?[0-9]{{1,3}}(?P<sign>[{_BETWEEN}])[0-9]{{3}}((?P=sign)[0-9]{{3}})*([.,][0-9]+)?", re.ASCII
)
_PER_CENT = re.compile(r"([+-]?[0-9.,]+)\s*%", re.ASCII)
_OUT_OF = re.compile(r"[0-9]*\.?[0-9]+ */ *[0-9]+", re.ASCII)
_LONGEST = 100
_POINT_BETWEEN = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}", re.ASCII)


GAP_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""What stands in place of a number where there is none; in lower case."""
SCORE_GAPS = GAP_WORDS | {"n.a.", "#n/a", "missing", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "?", "."}
"""The same in place of a score or mean, where somebody must say what is to become of gaps."""


class Spelling(NamedTuple):
    """A number that is written otherwise than with a decimal point alone."""

    kind: str
    what: str
    """What it has, in words."""
    plain: str
    """How it is to be written."""
    error: str = ""
    """The error, or the lower bound, beside it."""
    high: str = ""
    """The upper bound beside it."""
    perhaps: str = ""
    """How it is to be written where a comma divides thousands, as it may."""

    def said(self) -> str:
        """Return what a message in memory says of it."""
        more = f" (or {self.perhaps!r}, if it divides thousands)" if self.perhaps else ""
        return f"has {self.what}; write {self.plain!r}{more}"


def other_spelling(text: str) -> Spelling | None:
    """Return how a number is written that has something beside its digits and one decimal point; None for other text.

    Examples
    --------
    >>> [other_spelling(text)[1:3] for text in ("0,85", "1.234,5", "13 %", ".5*")]
    [('a decimal comma', '0.85'), ("'.' between thousands", '1234.5'), ('a percent sign', '13'), ('a mark', '.5')]
    """
    if len(text) > _LONGEST:  # patterns look at every way to divide digits
        return None
    return _spelling(text) or (_spelling(text.replace("**", "")) if "**" in text else None)


def is_nearly_a_number(text: str) -> bool:
    """Whether a text is a number that is written otherwise, or so many of so many: no word.

    Examples
    --------
    >>> [is_nearly_a_number(text) for text in ("0.71 ± 0.02", "13/20", "0.71", "A/B")]
    [True, True, False, False]
    """
    return other_spelling(text) is not None or _OUT_OF.fullmatch(text[:_LONGEST]) is not None


def _spelling(text: str) -> Spelling | None:
    for kind, pattern, what in (
        ("mark", _MARKED, "a mark"),
        ("stars", _STARRED, "stars around it"),
        ("brackets", _BESIDE, "a number in brackets"),
    ):
        if match := pattern.fullmatch(text):
            return Spelling(kind, what, match[1])
    for pattern, what in ((_WITH_BOUNDS, "the bounds of its interval"), (_WITH_ERROR, "its error")):
        if match := pattern.fullmatch(text):
            return Spelling("error", what, *match.groups())
    if _COMMA.fullmatch(text):
        thousands = text.replace(",", "") if text[-4:-3] == "," and not text.startswith("0") else ""
        return Spelling("comma", "a decimal comma", text.replace(",", "."), perhaps=thousands)
    if _COMMAS.fullmatch(text):
        return Spelling("commas", "commas between thousands", text.replace(",", ""))
    if (match := _DIVIDED.fullmatch(text)) and (match["sign"] != "." or "," in text or text.count(".") > 1):
        return Spelling(
            "divided", f"{match['sign']!r} between thousands", text.replace(match["sign"], "").replace(",", ".")
        )
    match = _PER_CENT.fullmatch(text)
    return Spelling("per cent", "a percent sign", match[1]) if match else None


def point_between_thousands(cells: Sequence[str]) -> tuple[str, str] | None:
    """Return a number with a point between thousands and one below 1000 beside it, where a column may hold such.

    Examples
    --------
    >>> point_between_thousands(["1.234", "987", "", "1.105"]), point_between_thousands(["1.234", "987", "2.5"])
    (('1.234', '987'), None)
    """
    divided = [cell for cell in cells if _POINT_BETWEEN.fullmatch(cell)]
    whole = [cell for cell in cells if cell.lstrip("+-").isdecimal() and len(cell.lstrip("+-")) <= 3]  # noqa: PLR2004 - digits
    gaps = sum(not cell[:1].isdecimal() and cell[:1] not in {"+", "."} and not cell[1:2].isdecimal() for cell in cells)
    large = [cell for cell in whole if len(cell.lstrip("+-")) == 3]  # noqa: PLR2004 - as above
    return (divided[0], large[0]) if divided and large and len(divided) + len(whole) + gaps == len(cells) else None


def of_thousands(divided: str, whole: str) -> str:
    """Say what is wrong with a column that holds a number with a point between thousands, and what mends it."""
    return (
        f"holds {divided!r} beside the whole number {whole!r}; write {divided.replace('.', '')!r} if the point divides "
        f"thousands, and all numbers with decimals ({whole + '.000'!r}) if it is a decimal one"
    )
