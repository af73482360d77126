# ruff: noqa: RUF001, RUF002 - typographic minus and dashes are meant for people
"""How the package writes names, numbers and lists for people: on pages, in the terminal and in LaTeX alike."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, cast

from metaeval.base.digits import error_of_ends, error_of_share, places, places_beside, places_of_error
from metaeval.base.metric_names import short_label
from metaeval.base.names import natural_order
from metaeval.base.notes import Remark

_NAMES: ContextVar[Mapping[str, str]] = ContextVar("_NAMES", default={})  # noqa: B039 - never changed
MISSING = "–"
"""Stands where there is no value."""
_UNITS_OF_HALF = 2.0
"""An interval of which half takes fewer units of the last digit says too little."""
_NO_ERROR = 1e-6
"""A smaller error changes no digit that is printed."""
NAMED = 4
"""Of more equals than these the first are named, and how many others there are."""


@contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Let what is made inside call metrics by the short names of a study, such as those of `study_names`.

    Examples
    --------
    >>> from metaeval.base.metric_names import study_names
    >>> with naming(study_names(["MAep(quant=Gen5, task=thorough)", "MAep(quant=Strict5, task=thorough)"])):
    ...     name_of_metric("MAep(quant=Gen5, task=thorough)")
    'MAep(Gen5)'
    """
    token = _NAMES.set(names)
    try:
        yield
    finally:
        _NAMES.reset(token)


def names_now() -> Mapping[str, str]:
    """Return the short names that `naming` gave, for what is written or drawn later."""
    return _NAMES.get()


def named_by(names: Mapping[str, str]) -> Callable[[object], str]:
    """Return `name_of_metric` by these short names."""
    return partial(_named, names)


def _named(names: Mapping[str, str], metric: object) -> str:
    return names.get(str(metric)) or short_label(str(metric))


def name_of_metric(metric: object) -> str:
    """Return what people call a metric: its short name in the study at hand, or the short form of its name.

    Examples
    --------
    >>> name_of_metric("AP(judged_only=True)"), name_of_metric("human score")
    ("AP'", 'human score')
    """
    return _named(_NAMES.get(), metric)


def short_names_sentence(metrics: Iterable[object]) -> list[str]:
    """Return one sentence that says which full name every shortened one stands for; none if none is shortened.

    Examples
    --------
    >>> short_names_sentence(["AP", "AP(judged_only=True)"])
    ["AP' stands for AP(judged_only=True): scores of the list without its unjudged documents."]
    """
    full = [name for name in map(str, metrics) if name_of_metric(name) != name]
    if not full:
        return []
    verb = "stands" if len(full) == 1 else "stand"
    condensed = ": scores of the list without its unjudged documents" * all("judged_only=True" in name for name in full)
    return [Remark(f"{listed(map(name_of_metric, full))} {verb} for {listed(full)}{condensed}.")]


def listed(names: Iterable[object], *, most: int | None = None) -> str:
    """Join words as a sentence does; of more than `most` the first, and how many others there are.

    Examples
    --------
    >>> listed(["AP", "Q", "RR"]), listed("abcdef", most=4)
    ('AP, Q and RR', 'a, b, c and 3 others')
    """
    *others, last = map(str, names)
    if most is not None and len(others) >= most:
        others, last = others[: most - 1], f"{len(others) + 2 - most} others"
    return f"{', '.join(others)} and {last}" if others else last


class WrittenFigure(str):  # noqa: SLOT000 - it has attributes
    """A figure as written, perhaps with an interval; its Monte-Carlo error a page says once."""

    value: str
    """Without an interval."""
    error: str
    unit: str

    def __new__(cls, words: str, value: str, error: str = "", unit: str = "") -> Self:
        """Return the words, of which an interval in brackets may be a part."""
        figure = super().__new__(cls, words)
        figure.value, figure.error, figure.unit = value, error, unit
        return figure


def with_errors_of(figures: Iterable[str], words: str) -> WrittenFigure:
    """Return words that hold some figures, with the largest Monte-Carlo error of these."""
    drawn = [figure for figure in figures if isinstance(figure, WrittenFigure) and figure.error]
    largest = max(drawn, key=lambda figure: float(figure.error), default=WrittenFigure("", ""))
    return WrittenFigure(words, words, largest.error, largest.unit)


def from_to(low: str, high: str) -> WrittenFigure:
    """Write the lowest and the highest figure, or one where both read alike, with the larger Monte-Carlo error.

    Examples
    --------
    >>> from_to("12 %", "15 %"), from_to("0.94", "0.94")
    ('12 to 15 %', '0.94')
    """
    return with_errors_of((low, high), high if low == high else f"{low.removesuffix(' %')} to {high}")


@dataclass(frozen=True, slots=True)
class WrittenInterval:
    """An interval as written; the Monte-Carlo error of its ends a page says once."""

    low: str
    high: str
    error: str = ""
    unit: str = ""

    def behind(self, figure: str) -> str:
        """Write a figure with the interval in brackets."""
        return f"{figure} [{self.low.removesuffix(' %')}, {self.high.removesuffix(' %')}]"

    def __str__(self) -> str:
        return f"{self.low.removesuffix(' %')} to {self.high}"


class End(NamedTuple):
    """Those at one end of an order, whose figures look the same to a reader."""

    names: tuple[str, ...]
    figure: str
    """One for all; where intervals or errors differ, that of each."""

    @classmethod
    def of(cls, figures: Mapping[str, str]) -> "End":
        """Return the one that has these names, each with its figure."""
        return cls(tuple(figures), listed(dict.fromkeys(figures.values()), most=NAMED))

    @property
    def who(self) -> str:
        """Their names, as a sentence has them; what is more than a name stands apart by semicolons."""
        if any(" and " in name or ", " in name for name in self.names[1:]):
            n_more = len(self.names) - NAMED + 1
            return "; ".join(self.names if n_more <= 1 else [*self.names[: NAMED - 1], f"{n_more} others"])
        return listed(self.names, most=NAMED)

    def verb(self, of_one: str, of_several: str) -> str:
        """Return the form of a verb that fits them."""
        return of_one if len(self.names) == 1 else of_several


def ends(names: Iterable[object], values: Iterable[float], figures: Iterable[str]) -> tuple[End, End]:
    """Say who is lowest and who is highest: all whose values are equal there or read alike, whatever their order.

    Examples
    --------
    >>> low, high = ends(["RR", "AP", "Q"], [0.5, 0.941, 0.943], ["0.50", "0.94", "0.94"])
    >>> f"{high.who} {high.verb('has', 'have')} {high.figure}, {low.who} {low.figure}"
    'AP and Q have 0.94, RR 0.50'
    """
    rows = {str(name): (value, figure) for name, value, figure in zip(names, values, figures, strict=True)}
    ordered = {name: rows[name] for name in natural_order(rows)}
    measured = {name: row for name, row in ordered.items() if not absent(row[0])} or ordered
    texts = {name: getattr(figure, "value", figure) for name, (_, figure) in measured.items()}
    alike = []
    for most in (find(value for value, _ in measured.values()) for find in (min, max)):
        equal = {texts[name] for name, (value, _) in measured.items() if math.isclose(value, most)}
        alike.append([name for name in measured if texts[name] in equal])
    if set(alike[0]) & set(alike[1]) or not alike[0]:
        alike = [[*measured]] * 2
    low, high = (End.of({name: measured[name][1] for name in some}) for some in alike)
    return low, high


def span(names: Iterable[object], values: Iterable[float], figures: Iterable[str], *, opening: str = "from ") -> str:
    """Write the lowest and the highest figure with those that have it, or one where they read alike; see `ends`.

    Examples
    --------
    >>> span("abc", [1, 2, 2], "122"), span("ab", [1.0, 1.0], "11")
    ('from 1 (a) to 2 (b and c)', '1 (a and b)')
    """
    extremes = dict.fromkeys(ends(names, values, figures))
    return opening * (len(extremes) > 1) + " to ".join(f"{end.figure} ({end.who})" for end in extremes)


def span_of(
    names: Iterable[object],
    values: Iterable[float],
    lows: Iterable[float],
    highs: Iterable[float],
    *,
    write: Callable[[object], str] | None = None,
) -> str:
    """Write the lowest and the highest value, each with its interval and those that have it.

    Examples
    --------
    >>> span_of("ab", [0.5, 0.75], [0.25, 0.7], [0.75, 0.8], write=number(2))
    'from 0.50 [0.25, 0.75] (a) to 0.75 [0.70, 0.80] (b)'
    """
    return span(names, values, [bracketed(*ends, write or share) for ends in zip(values, lows, highs, strict=True)])


def two_digits(value: object) -> str:
    """Write a number that may be of any size, or without bound.

    Examples
    --------
    >>> two_digits(0.1234), two_digits(float("inf"))
    ('0.12', '∞')
    """
    return "∞" if value == math.inf else significant(value, 2)


_GREEK = "αβγδεκλμνρστχ"


def sentence_case(words: str) -> str:
    """Return words with a capital at the beginning.

    Examples
    --------
    >>> sentence_case("paired t"), sentence_case("Holm"), sentence_case("κ of pairs")
    ('Paired t', 'Holm', 'κ of pairs')
    """
    return words if words[:1] in _GREEK else words[:1].upper() + words[1:]


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


def significant(value: object, digits: int) -> str:
    """Write a number with so many significant digits, a large one whole: never as a power of ten that is to be added.

    Examples
    --------
    >>> [significant(one, 2) for one in (0.123, 9.97, 99.96, 1234.6, -0.5, 0.0000123)]
    ['0.12', '10', '100', '1,235', '−0.5', '1.2e-05']
    """
    if absent(value):
        return MISSING
    number = float(cast("float", value))
    written = f"{number:.{digits}g}"
    if abs(float(written)) >= 10**digits:
        written = f"{number:,.0f}"
    return ("−" if written[0] == "-" else "") + written.removeprefix("-").replace("inf", "∞")


@dataclass(frozen=True, slots=True)
class _Decimal:
    """Writes numbers with so many decimals, or as percentages."""

    digits: int
    percent: bool = False
    points: bool = False
    """Whether the numbers are percentage points, written without their unit."""

    def __call__(self, value: object) -> str:
        if absent(value):
            return MISSING
        # sums of one thing in two orders differ in their last bits, which must not turn a half up here and down there
        settled = float(f"{self.scale * float(cast('float', value)):.13g}")
        written = f"{settled:.{self.digits}f}".replace("inf", "∞")
        written = written.lstrip("-") if written.strip("-0.") == "" else written.replace("-", "−")
        return f"{written} %" if self.percent else written

    @property
    def scale(self) -> float:
        return 100.0 if self.percent else 1.0


def points(digits: int) -> Callable[[object], str]:
    """Return a writer of percentage points, as `number` does those of other numbers; tables say the unit."""
    return _Decimal(digits, points=True)


def number(digits: int) -> Callable[[object], str]:
    """Return a writer of decimal numbers with so many digits and a true minus sign.

    Examples
    --------
    >>> number(3)(-0.1163), number(3)(float("nan"))
    ('−0.116', '–')
    """
    return _Decimal(digits)


def drawn_number(value: object, error: object, write: Callable[[object], str] | None = None) -> str:
    """Write a figure that comes from random draws with the digits that its Monte-Carlo standard error leaves it.

    A percentage that keeps not even its units is written as `carried` writes it.

    Examples
    --------
    >>> drawn_number(0.691, 0.002), drawn_number(0.691, 0.011), drawn_number(0.4321, 0.003, number(3))
    ('69 %', '69 %', '0.4')
    """
    writer = _decimal(share if write is None else write)
    if absent(value) or absent(error) or float(cast("float", error)) <= 0.0:
        return writer(value)
    size = writer.scale * float(cast("float", error))
    if places(size) < 0:
        return carried(value, error, writer)
    return replace(writer, digits=min(writer.digits, places(size)))(value)


def carried(value: object, error: object, write: Callable[[object], str] | None = None) -> str:
    """Write a figure that comes from random draws; a page says its Monte-Carlo standard error, rounded up, once.

    Examples
    --------
    >>> carried(0.0312, 0.0017, number(4)), carried(0.52, 0.013), carried(0.52, 0.013).error
    ('0.031', '52 %', '2')
    """
    writer = _decimal(share if write is None else write)
    if absent(value) or absent(error) or float(cast("float", error)) <= 0.0:
        return writer(value)
    size = writer.scale * float(cast("float", error))
    if places(size) >= writer.digits:  # it reaches no digit
        return writer(value)
    write_value, beside = _with_error(writer, size)
    written = write_value(value)
    return WrittenFigure(written, written, beside, " points" * writer.percent)


def without_error(value: object, error: object, write: Callable[[object], str] | None = None) -> str:
    """Write a figure that comes from random draws where its Monte-Carlo error is said elsewhere, by `errors_said`.

    Examples
    --------
    >>> without_error(0.1923, 0.004), without_error(0.1923, 0.0004), without_error(0.5734, 0.03, number(3))
    ('19 %', '19.2 %', '0.6')
    """
    writer = _decimal(share if write is None else write)
    if absent(value) or absent(error) or float(cast("float", error)) <= 0.0:
        return writer(value)
    return _beside(writer, writer.scale * float(cast("float", error)))(value)


def _beside(writer: _Decimal, size: float) -> _Decimal:
    least = 0 if writer.percent else 1  # 0.6 of a correlation is no 1
    return replace(writer, digits=min(writer.digits, max(least, places_beside(size))))


def errors_said(*said: tuple[str, Iterable[float], str]) -> str:
    """Say once, for a page, how large the Monte-Carlo errors of its figures are at most.

    Examples
    --------
    >>> errors_said(("rates", [0.004, 0.0021], " points"), ("counts", [0.031], " %"), ("the rest", [], ""))
    'of rates 0.4 points, of counts 4 %'
    """
    parts = []
    for subject, errors, unit in said:
        scale = 100.0 if unit in {" points", " %"} else 1.0
        most = scale * max((error for error in errors if math.isfinite(error)), default=0.0)
        if most > _NO_ERROR:
            rounded = _rounded_up(most, places_of_error(most))
            parts.append(f"of {subject} {rounded}{unit.rstrip('s') if rounded == '1' else unit}")
    return ", ".join(parts)


def _rounded_up(size: float, digits: int) -> str:
    return f"{math.ceil(size * 10.0**digits - 1e-9) / 10.0**digits:.{digits}f}"


def _decimal(write: Callable[[object], str]) -> _Decimal:
    return write if isinstance(write, _Decimal) else _Decimal(1, percent=True)


def _with_error(writer: _Decimal, size: float) -> tuple[_Decimal, str]:
    """Return a writer that ends at the first digit of the error, and the error, rounded up, as it writes it."""
    digits = min(writer.digits, places_of_error(size))
    return replace(writer, digits=digits), _rounded_up(size, digits)


def p_value(value: object) -> str:
    """Write a p-value with four decimals; one that would read as zero is written as a bound.

    Examples
    --------
    >>> p_value(0.03251), p_value(2e-9), p_value(0.0)
    ('0.0325', '<0.0001', '<0.0001')
    """
    if absent(value):
        return MISSING
    p = float(cast("float", value))
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"  # noqa: PLR2004 - half of the last digit


def compared_p(value: object) -> str:
    """Write a p-value as it follows the letter p in a sentence.

    Examples
    --------
    >>> compared_p(0.03251), compared_p(2e-9)
    ('= 0.0325', '< 0.0001')
    """
    return f"= {p_value(value)}".replace("= <", "< ")


def p_drawn(value: object, n_resamples: object, raw: object = None) -> str:
    """Write a p-value counted among resamples as `carried` does; `p_value` where nothing was drawn.

    Examples
    --------
    >>> p_drawn(0.03252, 9999), p_drawn(0.2, 9999, 0.01), p_drawn(0.03252, None), p_drawn(0.0001, 9999)
    ('0.033', '0.20', '0.0325', '0.0001')
    >>> p_drawn(0.0, 1000)
    '<0.001'
    """
    if absent(value) or absent(n_resamples):
        return p_value(value)
    if value == 0.0:  # of so many resamples none
        return f"<{math.ceil(1e6 / float(cast('float', n_resamples))) / 1e6:g}"
    p, first = (float(cast("float", value if counted is None else counted)) for counted in (value, raw))
    error = error_of_share(first, float(cast("float", n_resamples)))
    return carried(p, error * (p / first if 0.0 < first < p < 1.0 else 1.0), number(4))


def share(value: object) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> share(2 / 3)
    '66.7 %'
    """
    return _Decimal(1, percent=True)(value)


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


def share_of(count: object, total: object, error: object = None) -> str:
    """Write a count, what it is a part of, and the percentage, to the digits that a Monte-Carlo standard error leaves.

    Examples
    --------
    >>> share_of(80, 120), share_of(80, 120, 0.012)
    ('80/120 = 66.7 %', '80/120 = 67 %')
    """
    return _with_share(count, total, error, "" if absent(total) else f"/{int(cast('int', total)):,}")


def with_share(count: object, total: object, error: object = None) -> str:
    """Write a count and the percentage of a total that stands elsewhere; else as `share_of`.

    Examples
    --------
    >>> with_share(1080, 1200), with_share(80, 120, 0.012)
    ('1,080 = 90.0 %', '80 = 67 %')
    """
    return _with_share(count, total, error, "")


def _with_share(count: object, total: object, error: object, of: str) -> str:
    if absent(count) or absent(total):
        return MISSING
    n_counted, all_of = int(cast("int", count)), int(cast("int", total))
    if not all_of:
        return f"{n_counted:,}{of}"
    share_counted = carried(n_counted / all_of, error)
    return with_errors_of([share_counted], f"{n_counted:,}{of} = {share_counted}")


def interval(
    low: object,
    high: object,
    write: Callable[[object], str] = share,
    *,
    draws: float | None = None,
    about: object = None,
) -> str:
    """Write an interval; percentages lose the first sign.

    Examples
    --------
    >>> interval(0.581, 0.669), interval(0.581, 0.669, draws=4000), interval(0.581, 0.669, draws=50)
    ('58.1 to 66.9 %', '58 to 67 %', '58 to 67 %')
    """
    return str(written_interval(low, high, write, draws=draws, about=about))


def bracketed(  # noqa: PLR0913 - a value, its ends, and how they are written
    value: object,
    low: object,
    high: object,
    write: Callable[[object], str] = share,
    *,
    draws: float | None = None,
    apart: float | None = None,
) -> str:
    """Write a value with its interval in brackets, or the value alone where it has none; `draws` as for `interval`.

    No end is written like the number `apart` but where it lies within its Monte-Carlo error.

    Examples
    --------
    >>> bracketed(0.065, 0.051, 0.082), bracketed(0.065, None, None), bracketed(0.51, 0.41, 0.62, number(2), draws=50)
    ('6.5 % [5.1, 8.2]', '6.5 %', '0.51 [0.41, 0.62]')
    >>> [bracketed(0.01, 0.004, 0.016, number(2), draws=500, apart=apart) for apart in (None, 0.0)]
    ['0.01 [0.00, 0.02]', '0.01 [0.0040, 0.0160]']
    """
    written, ends = write(value), written_interval(low, high, write, draws=draws, about=value, apart=apart)
    if isinstance(ends, str):
        return written
    return WrittenFigure(ends.behind(written), written, ends.error, ends.unit)


def bracketed_size(
    value: float, low: float, high: float, write: Callable[[object], str] = share, *, draws: float | None = None
) -> str:
    """Write how large a value is, with its interval, where the sentence says its sign.

    Examples
    --------
    >>> bracketed_size(-0.065, -0.082, -0.051)
    '6.5 % [5.1, 8.2]'
    """
    nearest, furthest = sorted((abs(low), abs(high)))
    return bracketed(abs(value), nearest, furthest, write, draws=draws)


def written_interval(  # noqa: PLR0913 - two ends, and how they are written
    low: object,
    high: object,
    write: Callable[[object], str] = share,
    *,
    draws: float | None = None,
    about: object = None,
    apart: float | None = None,
) -> WrittenInterval | str:
    """Return an interval for a table, which writes it, or what stands where there is none; options as `bracketed`."""
    if absent(low) or absent(high):
        return MISSING
    write_end, error = _ends(low, high, write, draws, about, apart)
    unit = " points" if write is share or (isinstance(write, _Decimal) and (write.percent or write.points)) else ""
    return WrittenInterval(write_end(low), write_end(high), error, unit)


def intervals(
    lows: Iterable[object],
    highs: Iterable[object],
    write: Callable[[object], str] = share,
    *,
    draws: float | None = None,
    about: Iterable[object] | None = None,
) -> list[Any]:
    """Return a `written_interval` for every row of a table; pandas' types know no such cells.

    Examples
    --------
    >>> [str(row) for row in intervals([0.581, float("nan")], [0.669, float("nan")])]
    ['58.1 to 66.9 %', '–']
    """
    ends = list(zip(lows, highs, strict=True))
    values = [None] * len(ends) if about is None else about
    return [written_interval(*pair, write, draws=draws, about=value) for pair, value in zip(ends, values, strict=True)]


def _ends(  # noqa: PLR0913, PLR0917 - as `bracketed`
    low: object, high: object, write: Callable[[object], str], draws: float | None, about: object, apart: float | None
) -> tuple[Callable[[object], str], str]:
    """Return how the ends of an interval are written, and their error where it is said."""
    if draws is None or not (write is share or isinstance(write, _Decimal)):
        return write, ""
    writer = _decimal(write)
    least, most = (float(cast("float", end)) for end in (low, high))
    middle = (least + most) / 2.0 if absent(about) else float(cast("float", about))
    half = writer.scale * max(middle - least, most - middle)
    error = error_of_ends(half, draws)
    if not math.isfinite(error) or error <= 0.0:
        return write, ""
    if places(error) >= 0 and 10.0 ** -places(error) <= half / _UNITS_OF_HALF:
        chosen = replace(writer, digits=min(writer.digits, places(error))), ""
    else:
        chosen = _beside(writer, error), _with_error(writer, error)[1]
    near = [end for end in (least, most) if apart is not None and end != apart]
    beyond = [end for end in near if abs(end - float(cast("float", apart))) * writer.scale > error]
    finest = replace(writer, digits=max(writer.digits, places_of_error(error)))
    more = [(finer, _with_error(finer, error)[1]) for finer in (writer, finest)]
    tried = zip((chosen, *more), (near, beyond, ()), strict=True)  # the last ends an error of any size apart
    return next(ends for ends, others in tried if ends[0](apart) not in map(ends[0], others))


def absent(value: object) -> bool:
    """Say whether there is no value: None, NaN or pandas' NA.

    Examples
    --------
    >>> absent(float("nan")), absent(0)
    (True, False)
    """
    pandas = sys.modules.get("pandas")  # whoever holds its NA has loaded it
    return value is None or value is getattr(pandas, "NA", None) or (isinstance(value, float) and math.isnan(value))
