# ruff: noqa: RUF001, RUF002 - typographic minus and dashes are meant for people
"""How the package writes names, numbers and lists for people: on pages, in the terminal and in LaTeX alike."""

import math
import sys
from collections.abc import Callable, Iterable
from typing import cast

from metaeval.cells import count

__all__ = [
    "MISSING",
    "absent",
    "bracketed",
    "chance",
    "count",
    "interval",
    "intervals",
    "listed",
    "name_of_metric",
    "number",
    "p_value",
    "percentage",
    "sentence_case",
    "share",
    "share_of",
    "short_names",
    "text",
    "whole",
]

MISSING = "–"
"""Stands where there is no value."""


def name_of_metric(metric: object) -> str:
    """Return what people call a metric: the short form of its name.

    Examples
    --------
    >>> name_of_metric("AP(judged_only=True)"), name_of_metric("human score")
    ("AP'", 'human score')
    """
    from metaeval.metrics.names import short_label  # noqa: PLC0415 - its package loads every metric

    return short_label(str(metric))


def short_names(metrics: Iterable[object]) -> list[str]:
    """Return one sentence that says which full name every shortened one stands for; none if none is shortened.

    Examples
    --------
    >>> short_names(["AP", "AP(judged_only=True)"])
    ["AP' stands for AP(judged_only=True): scores of the list without its unjudged documents."]
    """
    full = [name for name in map(str, metrics) if name_of_metric(name) != name]
    if not full:
        return []
    verb = "stands" if len(full) == 1 else "stand"
    condensed = ": scores of the list without its unjudged documents" * all("judged_only=True" in name for name in full)
    return [f"{listed(map(name_of_metric, full))} {verb} for {listed(full)}{condensed}."]


def listed(names: Iterable[object]) -> str:
    """Join words as a sentence does.

    Examples
    --------
    >>> listed(["AP", "Q", "RR"])
    'AP, Q and RR'
    """
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


def sentence_case(words: str) -> str:
    """Return words with a capital at the beginning.

    Examples
    --------
    >>> sentence_case("paired t"), sentence_case("Holm")
    ('Paired t', 'Holm')
    """
    return words[:1].upper() + words[1:]


def percentage(level: float) -> str:
    """Return a confidence level as people write it.

    Examples
    --------
    >>> percentage(0.95)
    '95 %'
    """
    return f"{100 * level:g} %"


def text(value: object) -> str:
    """Write a name or a sentence; a dash where there is none.

    Examples
    --------
    >>> text(None), text("bm25")
    ('–', 'bm25')
    """
    return MISSING if absent(value) or value == "" else str(value)


def whole(value: object) -> str:
    """Write a count, or a mean of counts to the nearest one.

    Examples
    --------
    >>> whole(8256), whole(4915.6)
    ('8,256', '4,916')
    """
    return MISSING if absent(value) else f"{cast('float', value):,.0f}"


def number(digits: int) -> Callable[[object], str]:
    """Return a writer of decimal numbers with so many digits and a true minus sign.

    Examples
    --------
    >>> number(3)(-0.1163), number(3)(float("nan"))
    ('−0.116', '–')
    """

    def write(value: object) -> str:
        if absent(value):
            return MISSING
        written = f"{float(cast('float', value)):.{digits}f}"
        zero = written.strip("-0.") == ""
        return written.lstrip("-") if zero else written.replace("-", "−")

    return write


def p_value(value: object) -> str:
    """Write a p-value with four decimals; one that would read as zero is written as a bound.

    Examples
    --------
    >>> p_value(0.03251), p_value(2e-9), p_value(0.0)
    ('0.0325', '<0.0001', '0')
    """
    if absent(value):
        return MISSING
    p = float(cast("float", value))
    return "0" if p == 0 else "<0.0001" if p < 0.00005 else f"{p:.4f}"  # noqa: PLR2004 - half of the last digit


def share(value: object) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> share(2 / 3)
    '66.7 %'
    """
    return MISSING if absent(value) else f"{100 * float(cast('float', value)):.1f} %"


def chance(value: object) -> str:
    """Write a probability that comes from draws: to the percent, and never as certain or impossible.

    Examples
    --------
    >>> chance(0.137), chance(0.997), chance(0.0)
    ('14 %', '> 99 %', '< 1 %')
    """
    if absent(value):
        return MISSING
    p = float(cast("float", value))
    return "< 1 %" if p < 0.01 else "> 99 %" if p > 0.99 else f"{100 * p:.0f} %"  # noqa: PLR2004 - a percent


def share_of(count: object, total: object) -> str:
    """Write a count, what it is a part of, and the percentage.

    Examples
    --------
    >>> share_of(80, 120)
    '80/120 = 66.7 %'
    """
    if absent(count) or absent(total):
        return MISSING
    part, all_of = int(cast("int", count)), int(cast("int", total))
    return f"{part:,}/{all_of:,} = {share(part / all_of)}" if all_of else f"{part:,}/{all_of:,}"


def interval(low: object, high: object, write: Callable[[object], str] = share) -> str:
    """Write an interval; percentages lose the first sign.

    Examples
    --------
    >>> interval(0.581, 0.669)
    '58.1 to 66.9 %'
    """
    if absent(low) or absent(high):
        return MISSING
    return f"{write(low).removesuffix(' %')} to {write(high)}"


def bracketed(value: object, low: object, high: object, write: Callable[[object], str] = share) -> str:
    """Write a value with its interval in brackets, or the value alone where it has none.

    Examples
    --------
    >>> bracketed(0.065, 0.051, 0.082), bracketed(0.065, None, None)
    ('6.5 % [5.1, 8.2]', '6.5 %')
    """
    if absent(low) or absent(high):
        return write(value)
    return f"{write(value)} [{write(low).removesuffix(' %')}, {write(high).removesuffix(' %')}]"


def intervals(lows: Iterable[object], highs: Iterable[object], write: Callable[[object], str] = share) -> list[str]:
    """Write the interval of every row.

    Examples
    --------
    >>> intervals([0.581, float("nan")], [0.669, float("nan")])
    ['58.1 to 66.9 %', '–']
    """
    return [interval(low, high, write) for low, high in zip(lows, highs, strict=True)]


def absent(value: object) -> bool:
    """Say whether there is no value: None, NaN or pandas' NA.

    Examples
    --------
    >>> absent(float("nan")), absent(0)
    (True, False)
    """
    pandas = sys.modules.get("pandas")  # whoever holds its NA has loaded it
    return value is None or value is getattr(pandas, "NA", None) or (isinstance(value, float) and math.isnan(value))
