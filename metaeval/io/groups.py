"""Groups of systems (teams, model families), from a table or from names of runs; clusters and weights of topics."""

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from metaeval.base.names import first_few, is_number, shortened
from metaeval.errors import InvalidOptionError, MetaevalError, closest_names, spelling
from metaeval.io.headers import columns_found, fitting_names, is_heading, place_of, roles_of_sheet
from metaeval.io.sheets import Sheet, header_names, read_sheet
from metaeval.table.arrivals import Arrival, arrival_by, date_columns, of_several
from metaeval.table.roles import part_of_word

_MOST_DIGITS = 18
"""Digits of a whole number of 64 bits."""


class Covariate(NamedTuple):
    """A number for every system, or item."""

    name: str
    """The column that holds it."""
    of_system: dict[str, float]


def read_groups(
    path: str | Path | Sheet, *, systems: Iterable[str], column: str | None = None, system_column: str | None = None
) -> dict[str, str]:
    r"""Read the group of every system from a table with a header.

    Parameters
    ----------
    path : str, path or Sheet
        CSV, TSV or columns divided by blanks; compressed files are unpacked. Systems that are not asked for may be in
        it too. A sheet that `metaeval.io.sheets.read_sheet` read serves several columns.
    systems : iterable of str
        The systems that need a group.
    column : str, optional
        The column with the groups; by default the one called group, else the only one besides that of the systems.
    system_column : str, optional
        The column with the names of systems; by default the one called system, run or name, else the one that holds
        all of `systems`.

    Returns
    -------
    dict of str to str
        Group of every one of `systems`, in their order.

    Raises
    ------
    FileFormatError
        If a column cannot be found, a system has no row, no group or two groups.

    See Also
    --------
    metaeval.io.tables.read_scores
    metaeval.io.trec.read_collection

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "runs.csv")
    ...     _ = path.write_text("run,team,year\nbm25,Aardvark,1999\nlm,Badger,1999")
    ...     read_groups(path, column="team", systems=["lm", "bm25"])
    {'lm': 'Badger', 'bm25': 'Aardvark'}
    """
    return _GroupTable(path, "system", system_column, systems).said("group", column)[1]


def read_clusters(path: str | Path | Sheet, *, topics: Iterable[str], column: str | None = None) -> dict[str, str]:
    r"""Read the cluster (task, document, category) of every topic from a table with a header.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "tasks.csv")
    ...     _ = path.write_text("topic,category\n1,maths\n2,code")
    ...     read_clusters(path, topics=["2", "1"])
    {'2': 'code', '1': 'maths'}
    """
    return _GroupTable(path, "topic", None, topics).said("cluster", column)[1]


def read_arrivals(path: str | Path | Sheet, *, topics: Iterable[str], column: str | None = None) -> dict[str, str]:
    r"""Read when every topic came, from a table with a header; by default the one column that is called as a date.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "items.csv")
    ...     _ = path.write_text("topic,author,date\n1,a,2026-01-31\n2,b,2026-01-12")
    ...     read_arrivals(path, topics=["2", "1"])
    {'2': '2026-01-12', '1': '2026-01-31'}
    """
    sheet = path if isinstance(path, Sheet) else read_sheet(path)
    dated = _date_columns_of(sheet) if column is None else [column]
    return _GroupTable(sheet, "topic", None, topics).said("arrival", dated[0] if len(dated) == 1 else None)[1]


def arrival_within(sheet: Sheet, topics: Sequence[str]) -> Arrival | None:
    r"""Return when the topics of a table of scores came, where it has a column of dates; None where it has none.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = sheet_of(b"topic,system,score,date\n1,a,0.5,2026-01-31\n2,a,0.4,2026-01-12", "scores.csv")
    >>> arrival_within(sheet, ["1", "2"])
    Arrival(column='date', topics=('2', '1'), trouble='')
    """
    dated = _date_columns_of(sheet)
    if len(dated) != 1:
        return of_several(dated) if dated else None
    try:
        return arrival_by(*_GroupTable(sheet, "topic", None, topics).said("arrival", dated[0]))
    except MetaevalError:
        return Arrival(dated[0], trouble="it does not hold one date for each of them")


def column_of_dates(path: Path) -> str | None:
    r"""Return the one column of a table that is called as a date, or else holds dates; None of none and of several.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     _ = path.write_text("topic,a,b,date\n1,0.5,0.25,2026-01-31")
    ...     column_of_dates(path)
    'date'
    """
    try:
        dated = _date_columns_of(read_sheet(path)) if path.is_file() else []
    except MetaevalError:
        return None
    return dated[0] if len(dated) == 1 else None


def _date_columns_of(sheet: Sheet) -> list[str]:
    header, *below = sheet.sample()
    names = header_names(header)
    rows = [cells for cells in below if len(cells) == len(names)]
    return date_columns({name: [cells[at].strip() for cells in rows] for at, name in enumerate(names) if name})


def read_covariate(
    path: str | Path | Sheet, *, systems: Iterable[str], covariate_column: str | None = None
) -> Covariate:
    r"""Read a number for every system (length of its answers, depth of its runs) from a table with a header.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "lengths.csv")
    ...     _ = path.write_text("run,words\nbm25,120\nlm,87.5")
    ...     read_covariate(path, systems=["lm", "bm25"])
    Covariate(name='words', of_system={'lm': 87.5, 'bm25': 120.0})
    """
    table = _GroupTable(path, "system", None, systems)
    table.refuse_answers()
    name, values = table.said("covariate", covariate_column, numbers=True)
    return Covariate(name, {system: float(entry) for system, entry in values.items()})


def read_item_covariate(
    path: str | Path | Sheet, *, items: Iterable[str], covariate_column: str | None = None, alone: bool = False
) -> Covariate | None:
    r"""Read a number for items from a table whose first column names them, or whose first two name items and systems.

    None where no row names any of the items, which is an error where it names nothing else (`alone`).

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "lengths.csv")
    ...     _ = path.write_text("item,system,words\nq1,bm25,120\nq1,lm,87.5")
    ...     read_item_covariate(path, items=["q1::lm", "q1::bm25"], covariate_column="words")
    Covariate(name='words', of_system={'q1::bm25': 120.0, 'q1::lm': 87.5})
    """
    sheet, wanted = path if isinstance(path, Sheet) else read_sheet(path), set(items)
    table = _GroupTable(sheet, "item", header_names(sheet.sample()[0])[0], wanted)
    named = [[f"{cells[0]}::{cells[1]}", f"{cells[1]}::{cells[0]}", cells[0]] for cells in table.rows]
    keys = [next((key for key in keys if key in wanted), "") for keys in named]
    if not any(keys) and alone:
        found, missing = first_few([repr(cells[0]) for cells in table.rows]), first_few([*map(repr, sorted(wanted))])
        raise table.sheet.error(
            f"its first column names none of the items of the labels: it has {found}, and the labels {missing}; write "
            "both in one form (ids with or without a prefix, for instance)"
        )
    if not any(keys):
        return None
    is_of_both = {f"{cells[0]}::{cells[1]}" for cells in table.rows} | {
        f"{cells[1]}::{cells[0]}" for cells in table.rows
    }
    keys_end = 2 if wanted & is_of_both else 1
    column = table.columns[table.place_of_said("covariate", covariate_column, since=keys_end)]
    table.at, table.wanted = len(table.columns), list(dict.fromkeys(filter(None, keys)))
    table.rows = [[*cells, key] for cells, key in zip(table.rows, keys, strict=True)]
    name, values = table.said("covariate", column, numbers=True)
    return Covariate(name, {item: float(entry) for item, entry in values.items()})


class _GroupTable:
    """A table that says something of every name asked for: of systems their groups, of topics their clusters."""

    def __init__(self, table: str | Path | Sheet, what: str, column: str | None, wanted: Iterable[str]) -> None:
        self.what, self.wanted = what, [str(name) for name in wanted]
        self.sheet = table if isinstance(table, Sheet) else read_sheet(table)
        self.body = self.sheet.without_header()
        rows = list(self.body.rows())
        self.columns, _ = fitting_names(header_names(self.sheet.sample()[0]), rows, self.body)
        self.rows = [[cell.strip() for cell in cells] for cells in rows]
        self.at = self._place_of_names(column)

    def said(self, said: str, column: str | None, *, numbers: bool = False) -> tuple[str, dict[str, str]]:
        """Return the name of the column that says it, and what it says of every name."""
        at = self.place_of_said(said, column)
        values: dict[str, str] = {}
        needed = set(self.wanted)
        for position, cells in enumerate(self.rows):
            name, entry, trouble = cells[self.at], cells[at], ""
            if name not in needed:
                continue
            if not entry:
                trouble = f"has no {self.columns[at]!r}; fill it in"
            elif numbers and not is_number(entry):
                trouble = f"has {shortened(entry)!r} as {self.columns[at]!r}; write a number"
            elif values.setdefault(name, entry) != entry:
                trouble = f"has two {said}s, {values[name]!r} and {entry!r}; {self._way_to_one(name)}"
            if trouble:
                raise self.body.error(f"{self.what} {name!r} {trouble}", position)
        self._refuse_uncovered(values)
        return self.columns[at], {name: values[name] for name in self.wanted}

    def _way_to_one(self, name: str) -> str:
        """Say how a name that is on several lines gets one number: by what tells them apart, as the labels have it."""
        lines = [cells for cells in self.rows if cells[self.at] == name]
        apart = [column for column, *cells in zip(self.columns, *lines, strict=False) if len({*cells}) == len(lines)]
        words = [column for column in apart if not all(is_number(cells[self.columns.index(column)]) for cells in lines)]
        if self.what != "item" or not words:
            return "keep one"
        return f"{words[0]!r} tells its lines apart: make it the second column, and read labels with that column too"

    def _place_of_names(self, column: str | None) -> int:
        """Return the column asked for, else the one that is called so, else the first that holds every name."""
        called = roles_of_sheet(self.columns, self.sheet).parts.get(self.what) if column is None else column
        if called is not None:
            return place_of(called, self.columns, self.sheet)
        for at, name in enumerate(self.columns):
            if name and {cells[at] for cells in self.rows}.issuperset(self.wanted):
                return at
        nameless = any(name in self.wanted for name in self.columns)
        header = f"; add a first line that names the columns, such as {self.what},group" if nameless else ""
        raise self.sheet.error(
            f"no column holds all the {self.what}s ({first_few(self.wanted)}); {columns_found(self.columns)}{header}"
        )

    def place_of_said(self, said: str, column: str | None, *, since: int = 0) -> int:
        """Return the column asked for, else the one that is called so, else the only other one, since some place."""
        if column is not None:
            return place_of(column, self.columns, self.sheet)
        others = [at for at, name in enumerate(self.columns) if name and at != self.at and at >= since]
        called = [at for at in others if said == part_of_word(self.columns[at])]
        for places in (called, others):
            if len(places) == 1:
                return places[0]
        fitting = [at for at in others if self._may_say_it(at)]
        in_words = [at for at in fitting if not all(is_number(cells[at]) for cells in self.rows)]
        if said in {"group", "cluster"} and (in_words or len(fitting) > 1):
            fitting = in_words  # of several columns of numbers any may be scores
        example = repr(self.columns[fitting[0]]) if fitting else "..."
        way = {
            "group": f"`column={example}`",
            "cluster": f"`columns={{'cluster': {example}}}`",
            "arrival": f"`arrival_column={example}`",
            "covariate": f"`covariate_column={example}`",
        }[said]
        such = f", such as {way}" if fitting else f" ({way})"
        raise self.sheet.error(f"say which column holds the {said}s{such}; {columns_found(self.columns)}")

    def refuse_answers(self) -> None:
        """Refuse rows of answers, a question and a system each, which say many things of a system."""
        questions = [name for name in self.columns if part_of_word(name) == "topic" and name != self.columns[self.at]]
        systems = [cells[self.at] for cells in self.rows]
        if questions and len({*systems}) < len(systems):
            named = f"{questions[0]},{self.columns[self.at]}"
            raise self.sheet.error(
                f"a row is an answer, named by {questions[0]} and {self.columns[self.at]}, and a covariate of systems "
                f"has a row a system; take answers for what was labelled (`columns={{'item': {named!r}}}`), or give "
                f"the mean of each {self.columns[self.at]}"
            )

    def _may_say_it(self, at: int) -> bool:
        """Whether a column says one thing of every name, and is not called as a part of scores, nor holds scores."""
        entries = {(cells[self.at], cells[at]) for cells in self.rows}
        decimal = any("." in entry for _, entry in entries) and all(is_number(entry) for _, entry in entries)
        return part_of_word(self.columns[at]) is None and not decimal and len(dict(entries)) == len(entries)

    def _refuse_uncovered(self, found: dict[str, str]) -> None:
        without = [name for name in self.wanted if name not in found]
        if not without:
            return
        near = closest_names(without[0], [cells[self.at] for cells in self.rows])
        alike = bool(near) and spelling(near[0]) == spelling(without[0])
        guess = f" (for {without[0]!r} there is {near[0]!r})" if near and not alike else ""
        way = f"write {near[0]!r} as {without[0]!r}, or " if alike else ""
        raise self.sheet.error(
            f"column {self.columns[self.at]!r} holds {len(self.wanted) - len(without)} of {len(self.wanted)} "
            f"{self.what}s; without a row: {first_few(without)}{guess}; {way}add rows, or name the column of "
            f"{self.what}s"
        )


def groups_from_regex(pattern: str, systems: Iterable[str]) -> dict[str, str]:
    """Get the group of every system from its name.

    Parameters
    ----------
    pattern : str
        Regular expression, searched for in the name; its first capture is the group.
    systems : iterable of str
        Names of the systems.

    Returns
    -------
    dict of str to str
        The group of every system, in the order given.

    Raises
    ------
    InvalidOptionError
        If the expression is faulty, captures nothing, or does not match every name.

    Examples
    --------
    >>> groups_from_regex(r"^([A-Za-z]+)", ["ICT1", "ICT2", "UNH1"])
    {'ICT1': 'ICT', 'ICT2': 'ICT', 'UNH1': 'UNH'}
    """
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise InvalidOptionError(f"{pattern!r} is not a regular expression: {error}") from error
    if not expression.groups:
        message = f"{pattern!r} captures nothing; put the part that is the group in parentheses, as in ^([^-]+)-"
        raise InvalidOptionError(message)
    matches = {str(system): expression.search(str(system)) for system in systems}
    groups = {system: match[1] for system, match in matches.items() if match is not None and match[1]}
    without = [system for system in matches if system not in groups]
    if without:
        message = (
            f"{pattern!r} finds no group in {len(without)} of {len(matches)} names ({first_few(without)}); widen it"
        )
        raise InvalidOptionError(message)
    return groups


def read_pool_sizes(path: str | Path) -> dict[str, int]:
    r"""Read how many documents were judged for each topic: a table of topic and number, with or without a header.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pools.csv")
    ...     _ = path.write_text("topic,size\n414,608\n415,611\n")
    ...     read_pool_sizes(path)
    {'414': 608, '415': 611}
    """
    sheet = read_sheet(path)
    sizes: dict[str, int] = {}
    for position, cells in enumerate(sheet.rows()):
        topic, number = (*map(str.strip, cells), "", "")[:2]
        is_count = number.isascii() and number.isdecimal()
        if not position and topic and is_heading(number):
            continue  # the header
        if not topic or not is_count or len(number) > _MOST_DIGITS or int(number) < 1:
            message = f"a row is a topic and the number of documents judged for it, not {','.join(cells)!r}"
            raise sheet.error(message, position)
        if sizes.setdefault(topic, int(number)) != int(number):
            raise sheet.error(f"topic {topic!r} has two numbers, {sizes[topic]} and {number}; keep one", position)
    if not sizes:
        raise sheet.error("there is no row of a topic and the number of documents judged for it")
    return sizes


_WIDTH = 3


def read_subtopic_weights(path: str | Path) -> dict[str, dict[str, float]]:
    r"""Read the weight of every subtopic: rows of topic, subtopic and weight, with or without a header.

    Returns
    -------
    dict
        Topic to subtopic to weight, as `Collection.with_subtopic_weights` takes it.

    Raises
    ------
    FileFormatError
        If a row is something else, or a subtopic has two weights.

    See Also
    --------
    metaeval.io.trec.read_collection

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "intents.txt")
    ...     _ = path.write_text("1 1 0.75\n1 2 0.25\n")
    ...     read_subtopic_weights(path)
    {'1': {'1': 0.75, '2': 0.25}}
    """
    sheet = read_sheet(path)
    weights: dict[str, dict[str, float]] = {}
    for position, cells in enumerate(sheet.rows()):
        topic, subtopic, weight = (*map(str.strip, cells), "", "", "")[:_WIDTH]
        if not position and topic and subtopic and is_heading(weight):
            continue  # the header
        value = float(weight) if is_number(weight) else -1.0
        if not (topic and subtopic and value >= 0 and isfinite(value)):
            message = f"a row is a topic, a subtopic and its weight, 0 or more, not {shortened(','.join(cells))!r}"
            raise sheet.error(message, position)
        if weights.setdefault(topic, {}).setdefault(subtopic, value) != value:
            two = f"{weights[topic][subtopic]:g} and {value:g}"
            raise sheet.error(f"subtopic {subtopic!r} of topic {topic!r} has two weights, {two}; keep one", position)
    if not weights:
        raise sheet.error("there is no row of a topic, a subtopic and its weight")
    return weights
