"""When topics came: which column says so, and in which order dates and numbers follow each other."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from metaeval.base.names import first_few, natural_order
from metaeval.errors import ScoresError
from metaeval.table.roles import part_of_word, role_of_name

_YEAR_FIRST = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}([T ].*)?|\d{4}-?W\d{1,2}(-?\d)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})([T ,].*)?")
_MONTHS_IN_WORDS = ("jan", "feb", "mar mär", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez")
_MONTH = {word: number for number, words in enumerate(_MONTHS_IN_WORDS, 1) for word in words.split()}
_WORDED = re.compile(rf"\b({'|'.join(_MONTH)})[a-zä]*\b|\d\s*[ap]\.?m\b", re.IGNORECASE)
_IN_WORDS = re.compile(
    rf"(?:(?P<first>\d{{1,2}})\.?[\s-]+)?(?P<month>{'|'.join(_MONTH)})[a-zä]*\.?[\s-]*(?:(?P<second>\d{{1,2}}),?[\s-]+)?"
    r"(?P<year>\d{4})",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"(?:week|woche|kw|semaine|semana|round|runde|batch|sprint|wave|phase|day|tag|month)[\s_-]*\d+", re.IGNORECASE
)
_MONTHS = 12


class Arrival(NamedTuple):
    """When the topics of a table came, as far as one of its columns says it."""

    column: str
    """The column, or columns that all could be it."""
    topics: tuple[str, ...] = ()
    """All topics in the order in which they came; none where the column does not tell it."""
    trouble: str = ""
    """Why it does not."""

    def as_attributes(self) -> dict[str, str | list[str]]:
        """Return what scores keep of it."""
        return {"arrival_column": self.column, "arrival": list(self.topics), "arrival_trouble": self.trouble}

    @classmethod
    def of(cls, attributes: Mapping[Any, Any], topics: Collection[str]) -> "Arrival | None":
        """Return what scores kept of it, for those of the topics that are left; None where they kept nothing."""
        if "arrival_column" not in attributes:
            return None
        came = tuple(topic for topic in attributes["arrival"] if topic in topics)
        trouble = str(attributes["arrival_trouble"])
        return cls(str(attributes["arrival_column"]), came if len(came) == len(topics) else (), trouble)


def are_dates(cells: Collection[str]) -> bool:
    """Whether all cells are dates with a year, or counted weeks, rounds and the like.

    Examples
    --------
    >>> are_dates(["2026-01-31", "2026-02-01 12:00"]), are_dates(["31.1.2026"]), are_dates(["2026", "7"])
    (True, True, False)
    """
    forms = (_YEAR_FIRST, _YEAR_LAST, _IN_WORDS, _COUNTED)
    return bool(cells) and any(all(map(form.fullmatch, cells)) for form in forms)


def date_columns(columns: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the columns that are called as a date; where none is, those that hold dates. Cells may be some of them.

    Examples
    --------
    >>> date_columns({"topic": ["1"], "date": [], "added": []}), date_columns({"a": ["0.5"], "added": ["2026-01-31"]})
    (['date'], ['added'])
    """
    called = [name for name in columns if role_of_name(name)[0] == "time"]
    return called or [name for name, cells in columns.items() if part_of_word(name) is None and are_dates(cells)]


def turns_of(dates: Iterable[str]) -> dict[str, int]:
    """Return the turn of each date or number, from 0.

    Raises
    ------
    ScoresError
        If dates may begin with the day or the month, or have months in words.

    Examples
    --------
    >>> turns_of(["2026-02-01", "2026-01-31"]), turns_of(["9", "10"]), turns_of(["1.2.2026", "31.1.2026"])
    ({'2026-01-31': 0, '2026-02-01': 1}, {'9': 0, '10': 1}, {'31.1.2026': 0, '1.2.2026': 1})
    """
    texts = natural_order({*map(str, dates)})
    spelled = {text: match for text in texts if (match := _IN_WORDS.fullmatch(text.strip()))}
    if spelled and len(spelled) == len(texts):
        turns = sorted(texts, key=lambda text: _in_figures(spelled[text]))
        return {text: turn for turn, text in enumerate(turns)}
    worded = [text for text in texts if _WORDED.search(text)]
    if worded:
        raise ScoresError(f"dates in words such as {worded[0]!r} have no order here; write them as 2026-01-31")
    matches = [match for text in texts if (match := _YEAR_LAST.fullmatch(text.strip()))]
    if matches and len(matches) == len(texts):
        first, second = (max(int(match[group]) for match in matches) for group in (1, 3))
        if max(first, second) > _MONTHS >= min(first, second):
            day = 1 if first > second else 3
        elif matches[0][2] == "." and second <= _MONTHS:
            day = 1
        else:
            raise ScoresError(f"{texts[0]!r} may begin with the day or the month; write dates as 2026-01-31")
        keys = {m[0]: (int(m[4]), int(m[4 - day]), int(m[day]), m[5] or "") for m in matches}
        texts = sorted(texts, key=lambda text: keys[text.strip()])
    return {text: turn for turn, text in enumerate(texts)}


def _in_figures(spelled: re.Match[str]) -> tuple[int, int, int]:
    """Return the year, month and day of a date with its month in words; a month without a day begins it."""
    day = spelled["first"] or spelled["second"] or "0"
    return int(spelled["year"]), _MONTH[spelled["month"].casefold()], int(day)


def arrival_by(column: str, came: Mapping[str, str]) -> Arrival:
    """Return when topics came by what a column says of each; those of one date stand in their natural order.

    Examples
    --------
    >>> arrival_by("date", {"q1": "2026-02-01", "q2": "2026-01-31"}).topics
    ('q2', 'q1')
    """
    try:
        turns = turns_of(came.values())
    except ScoresError as error:
        return Arrival(column, trouble=str(error))
    return Arrival(column, tuple(sorted(natural_order(came), key=lambda topic: turns[came[topic]])))


def of_several(columns: Sequence[str]) -> Arrival:
    """Return that several columns could say when topics came."""
    return Arrival(first_few(list(columns)), trouble="of several columns of dates any may say it")
