"""Groups of systems (teams, model families), from a table or from the names of the runs, and clusters of topics."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from metaeval.base.columns import column_roles, part_of_word
from metaeval.base.names import first_few, is_number, shortened
from metaeval.errors import InvalidOptionError, closest_names
from metaeval.io.blocks import columns_found, fitting_names, place_of
from metaeval.io.sheets import Sheet, header_names, read_sheet

_MOST_DIGITS = 18
"""Digits of a whole number of 64 bits."""
_CALLED = {"group": "`column`", "cluster": "`columns={'cluster': ...}`", "covariate": "`covariate_column`"}
"""Arguments that say which column holds what."""


class Covariate(NamedTuple):
    """A number for every system."""

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
    return _read_named(path, systems, ("system", "group"), named=system_column, column=column)


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
    return _read_named(path, topics, ("topic", "cluster"), column=column)


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
    name, said = _named_entries(path, systems, ("system", "covariate"), column=covariate_column, numbers=True)
    return Covariate(name, {system: float(entry) for system, entry in said.items()})


def _read_named(
    path: str | Path | Sheet,
    names_of: Iterable[str],
    parts: tuple[str, str],
    *,
    named: str | None = None,
    column: str | None = None,
) -> dict[str, str]:
    """Read what a table says of names: of systems their groups, of topics their clusters."""
    return _named_entries(path, names_of, parts, named=named, column=column)[1]


def _named_entries(  # noqa: PLR0913 - what is read, and how
    path: str | Path | Sheet,
    names_of: Iterable[str],
    parts: tuple[str, str],
    *,
    named: str | None = None,
    column: str | None = None,
    numbers: bool = False,
) -> tuple[str, dict[str, str]]:
    """Return the name of the column that says it, and what it says of every name."""
    what, said = parts
    wanted = [str(name) for name in names_of]
    sheet = path if isinstance(path, Sheet) else read_sheet(path)
    body = sheet.without_header()
    rows = list(body.rows())
    names, _ = fitting_names(header_names(sheet.sample()[0]), rows, body)
    at_name = _name_place(sheet, names, rows, wanted, what, named)
    at_said = _said_place(sheet, names, at_name, said, column)
    found: dict[str, str] = {}
    needed = set(wanted)
    for position, cells in enumerate(rows):
        name, entry = cells[at_name].strip(), cells[at_said].strip()
        if name not in needed:
            continue
        if not entry:
            raise body.error(f"{what} {name!r} has no {names[at_said]!r}; fill it in", position)
        if numbers and not is_number(entry):
            raise body.error(
                f"{what} {name!r} has {shortened(entry)!r} as {names[at_said]!r}; write a number", position
            )
        if found.setdefault(name, entry) != entry:
            raise body.error(f"{what} {name!r} has two {said}s, {found[name]!r} and {entry!r}; keep one", position)
    _refuse_uncovered(sheet, names[at_name], wanted, found, [cells[at_name].strip() for cells in rows], what)
    return names[at_said], {name: found[name] for name in wanted}


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
    found = {str(system): expression.search(str(system)) for system in systems}
    groups = {system: match[1] for system, match in found.items() if match is not None and match[1]}
    without = [system for system in found if system not in groups]
    if without:
        message = f"{pattern!r} finds no group in {len(without)} of {len(found)} names ({first_few(without)}); widen it"
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
        whole = number.isascii() and number.isdecimal()
        if not position and topic and not whole:
            continue  # the header
        if not topic or not whole or len(number) > _MOST_DIGITS or int(number) < 1:
            message = f"a row is a topic and the number of documents judged for it, not {','.join(cells)!r}"
            raise sheet.error(message, position)
        if sizes.setdefault(topic, int(number)) != int(number):
            raise sheet.error(f"topic {topic!r} has two numbers, {sizes[topic]} and {number}; keep one", position)
    if not sizes:
        raise sheet.error("there is no row of a topic and the number of documents judged for it")
    return sizes


def _name_place(  # noqa: PLR0913, PLR0917 - what a message needs
    sheet: Sheet,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    wanted: Sequence[str],
    what: str,
    column: str | None,
) -> int:
    if column is not None:
        return place_of(column, names, sheet)
    called = column_roles(names).parts.get(what)
    if called is not None:
        return names.index(called)
    holding = [
        place for place in range(len(names)) if set(wanted) <= {cells[place].strip() for cells in rows} and names[place]
    ]
    if not holding:
        raise sheet.error(f"no column holds all the {what}s ({first_few(wanted)}); {columns_found(names)}")
    return holding[0]


def _said_place(sheet: Sheet, names: Sequence[str], at_name: int, said: str, column: str | None) -> int:
    if column is not None:
        return place_of(column, names, sheet)
    others = [place for place, name in enumerate(names) if name and place != at_name]
    called = [place for place in others if part_of_word(names[place]) == said]
    if len(called) == 1:
        return called[0]
    if len(others) != 1:
        raise sheet.error(f"say which column holds the {said}s ({_CALLED[said]}); {columns_found(names)}")
    return others[0]


def _refuse_uncovered(  # noqa: PLR0913, PLR0917 - what a message needs
    sheet: Sheet, column: str, wanted: Sequence[str], found: dict[str, str], present: Sequence[str], what: str
) -> None:
    without = [name for name in wanted if name not in found]
    if not without:
        return
    near = closest_names(without[0], present)
    guess = f" (for {without[0]!r} there is {near[0]!r})" if near else ""
    raise sheet.error(
        f"column {column!r} holds {len(wanted) - len(without)} of {len(wanted)} {what}s; without a row: "
        f"{first_few(without)}{guess}. Add them, or name the column of {what}s"
    )
