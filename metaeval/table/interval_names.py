"""Columns that bound others, told by two names that differ in a sign, a word or a percentage: p25 and p75.

One such name alone may be anything, and two may be items (Q1 and Q3 of Q1 to Q5) or systems (BM25+): what they hold
has to agree.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from metaeval.table.roles import ERRORS, HIGHER, INTERVAL_WORDS, role_of_name, word_of

_DASHES = str.maketrans("\N{MINUS SIGN}\N{EN DASH}\N{NON-BREAKING HYPHEN}", "---")
_SIGNED = re.compile(r"(?P<stem>.*?)[\s_(\[]*(?P<sign>[-+])[\s)\]]*|(?P<first>[-+])[\s_]*(?P<rest>.*)")
_BRACKET = re.compile(r"(?P<stem>.*\S)\s*(?P<sign>[\[\]])")
_GLUED = re.compile(r"(?P<stem>(?:.*_)?ci[0-9]*)(?P<end>l|u)|(?P<first>l|u)(?P<rest>ci[0-9]*)|[xy](?P<only>min|max)")
_QUANTILE = re.compile(
    r"(?:(?P<stem>.*?)_)??(?P<mark>q|p|pct|perc|percentile|perzentil|quantile|quartile?|hdi|hpd|eti)?_?"
    r"(?P<number>[0-9]+(?:_[0-9]+)?)_?(?P<unit>%|th|st|nd|rd)?(?:_(?P<word>percentile|perzentil|quantile|quartile?))?"
)
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)[)\]]\s*\Z")
_NUMBER = re.compile(r"[0-9]+")
_MEDIAN, _ALL, _QUARTER = 50.0, 100.0, 25.0


class Bounds(NamedTuple):
    """Two columns that may be the ends of intervals."""

    low: str
    high: str
    stem: str
    """What they are of, as far as they say it."""
    role: str
    """Whether they are bounds ("low") or the ends of a range."""
    sure: bool
    """Whether they name an interval, or percentages."""


def percentage_of_quantile(name: str) -> float | None:
    """Return the percentage of a quantile that a name says, None for none.

    Examples
    --------
    >>> [percentage_of_quantile(name) for name in ("q025", "p97.5", "acc_q3", "2.5 %", "0.95", "hdi_3%", "acc")]
    [2.5, 97.5, 75.0, 2.5, None, 3.0, None]
    """
    quantile = _quantile(word_of(name))
    return quantile[1] if quantile else None


def _quantile(word: str) -> tuple[tuple[str, ...], float] | None:
    """Return how a word writes a percentage and what it is of, and the percentage."""
    match = _QUANTILE.fullmatch(word)
    mark, number, unit, kind = match.group("mark", "number", "unit", "word") if match else ("", "", "", "")
    if not match or not (mark or unit or kind):
        return None
    form = (match["stem"] or "", mark or "", unit if unit == "%" else "", kind or "")
    if "quartil" in f"{mark}{kind}" or (mark == "q" and number in {"1", "2", "3", "4"}):
        return form, _QUARTER * float(number)
    share = float(number.replace("_", ".") if "_" in number or len(number) == 1 else f"0.{number}")
    is_share = "_" not in number and len(number) > 1
    return form, round(_ALL * share if is_share or share < 1 else share, 6)


def bounds_among(names: Sequence[str]) -> list[Bounds]:
    """Return which names differ as those of the ends of intervals do.

    Examples
    --------
    >>> [pair[:4] for pair in bounds_among(["acc", "acc-", "acc+", "f1_p25", "f1_p75", "Q1", "Q2", "Q3", "Q4"])]
    [('acc-', 'acc+', 'acc', 'low'), ('f1_p25', 'f1_p75', 'f1', 'range')]
    """
    ends: dict[tuple[tuple[str, ...], str], dict[float, str]] = {}
    for name in names:
        for form, stem, side in _ends_of(name):
            ends.setdefault((form, stem), {}).setdefault(side, name)
    found: list[Bounds] = []
    for (form, stem), sides in ends.items():
        parts = stem.split("_") if stem else []
        told = [part for part in parts if part not in INTERVAL_WORDS]
        named = form[0] == "quantile" or len(told) < len(parts)
        if all(_ALL - side in sides for side in sides):  # else a series of items
            found += [
                Bounds(low, sides[_ALL - side], "_".join(told), "range" if _is_range(form, side) else "low", named)
                for side, low in sides.items()
                if side < _MEDIAN
            ]
    return [pair for at, pair in enumerate(found) if all({*pair[:2]}.isdisjoint(one[:2]) for one in found[:at])]


def _is_range(form: Iterable[object], side: float) -> bool:
    return side == _QUARTER or "min" in form or "minimum" in form


def _ends_of(name: str) -> list[tuple[tuple[str, ...], str, float]]:
    """Return the ways in which a name says an end: how, of what, and at which percentage, 0 and 100 for none."""
    text, word = name.strip().translate(_DASHES), word_of(name)
    found: list[tuple[tuple[str, ...], str, float]] = []
    if (quantile := _quantile(word)) is not None:
        (stem, *forms), side = quantile
        found.append((("quantile", *forms), stem, side))
    if match := _SIGNED.fullmatch(text) or _BRACKET.fullmatch(text):
        parts = match.groupdict()
        sign = parts["sign"] or parts["first"]
        stem = word_of(parts["stem"] if parts["sign"] else parts["rest"])
        form = ("[]" if sign in "[]" else "-+", "before" if parts.get("first") else "")
        found.append((form, stem, _ALL * (sign in "+]")))
    if match := _GLUED.fullmatch(word):
        end = str(match["end"] or match["first"] or match["only"])
        found.append(((HIGHER.get(end, end), "glued"), match["stem"] or match["rest"] or "", _ALL * (end in HIGHER)))
    parts_of_word = word.split("_")
    for at in {0, len(parts_of_word) - 1}:
        part = parts_of_word[at]
        low = HIGHER.get(part, part)
        if part in HIGHER or part in HIGHER.values():
            stem = "_".join(parts_of_word[:at] + parts_of_word[at + 1 :])
            found.append(((low, "first" if at == 0 and stem else ""), stem, _ALL * (part in HIGHER)))
    return found


def roles_among(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the role that every name says beside the others, and what it is of; see `role_of_name`.

    Examples
    --------
    >>> roles_among(["acc", "CI-", "CI+", "n"])
    {'acc': ('', ''), 'CI-': ('low', ''), 'CI+': ('high', ''), 'n': ('n', '')}
    >>> roles_among(["acc", "SE (acc)", "n (acc)", "Params (B)"])["n (acc)"]
    ('n', 'acc')
    >>> roles_among(["mean", "mean_std"])["mean_std"], roles_among(["acc", "mean_std"])["mean_std"]
    (('sd', 'mean'), ('aggregate', 'std'))
    """
    roles = {name: role_of_name(name) for name in names}
    words = {*map(word_of, names)}
    for name, (role, stem) in roles.items():
        if role and not stem and (bracket := _IN_BRACKETS.search(name)) and word_of(bracket[1]) in words:
            roles[name] = (role, word_of(bracket[1]))
        mean = word_of(name).removesuffix(f"_{stem}")
        if role == "aggregate" and mean in words and (of_mean := role_of_name(stem)[0]) in ERRORS | {"low", "high"}:
            roles[name] = (of_mean, mean)
    roles |= dict.fromkeys(in_series(roles, [role for role, _ in roles.values()]), ("", ""))
    for pair in bounds_among(names):
        for end, name in (("low", pair.low), ("high", pair.high)):
            if roles[name][0] not in {"low", "high", "range"}:
                roles[name] = ("range" if pair.role == "range" else end, pair.stem)
    return roles


def in_series(names: Iterable[str], called: Iterable[object]) -> set[str]:
    """Return the numbered names that stand in a series of which only some are called as something: q025 among q001.

    Examples
    --------
    >>> sorted(in_series(["q001", "q025", "ci95", "n"], ["", "low", "half", "n"]))
    ['q001', 'q025']
    """
    roles = {name: bool(role) for name, role in zip(names, called, strict=True) if _NUMBER.search(name)}
    ways = {(numbered_form(name), role) for name, role in roles.items()}
    return {name for name, role in roles.items() if (numbered_form(name), not role) in ways}


def numbered_form(name: str) -> str:
    """Return a name with a 0 for every number: q025 and q1 are alike."""
    return _NUMBER.sub("0", name.strip())


def are_signed(pair: Iterable[str]) -> bool:
    """Whether two names say what lies below and above, as - and + do, so that they may hold distances.

    Examples
    --------
    >>> are_signed(["CI-", "CI+"]), are_signed(["acc_low", "acc_high"])
    (True, False)
    """
    return all(any({"-+", "minus", "below"} & {*form} for form, _, _ in _ends_of(name)) for name in pair)
