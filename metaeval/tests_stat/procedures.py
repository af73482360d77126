"""What the tables of tests and of corrections share: what a row says of itself, and how a name leads to it."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from metaeval.base.checks import check_list, refused
from metaeval.base.names import first_few
from metaeval.base.unit import unit
from metaeval.base.words import sentence_case
from metaeval.errors import UnknownNameError


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """What people call a statistical procedure."""

    name: str
    """What a user types, and what a result says was done."""
    words: str
    """What a sentence calls it; names of people keep their capital."""
    described: str
    """What a paper would say was done, with ``{topic}`` for what systems are scored on; see `description`."""
    cite: tuple[str, ...] = ()
    """Keys of `metaeval.base.bibliography`."""
    synonyms: tuple[str, ...] = ()
    """What else the field calls it, as `plain_name` writes it."""

    @property
    def label(self) -> str:
        """What a table calls it."""
        return sentence_case(self.words)

    @property
    def description(self) -> str:
        """What a report says was done, to topics or to items (`metaeval.base.unit`)."""
        return self.described.replace("{topic}", unit().topic)


class ProcedureTable[Row: Procedure](Mapping[str, Row]):
    """Rows by name, in the order in which lists and help show them.

    Parameters
    ----------
    what : str
        What a row is: "test", "correction".
    rows : iterable of Procedure
    unlisted : Procedure, optional
        What is named as a row is, and cannot be had from the table.

    Attributes
    ----------
    named : mapping of str to Procedure
        The rows and the unlisted one.
    """

    def __init__(self, what: str, rows: Iterable[Row], *, unlisted: Procedure | None = None) -> None:
        self._what = what
        self._rows = {row.name: row for row in rows}
        self.named: Mapping[str, Procedure] = {**self._rows, **({unlisted.name: unlisted} if unlisted else {})}
        names = ((name, row.name) for row in self.named.values() for name in (plain_name(row.name), *row.synonyms))
        self._names = dict(names)

    def __getitem__(self, name: str) -> Row:
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def canonical(self, name: str) -> str:
        """Return the name that the table has, however the field spells it; a list of one is that one."""
        if isinstance(name, list | tuple):
            if len(name) != 1:
                raise refused(self._what, f"is one here, not {len(name)}; studies that compare take several", name)
            name = name[0]
        table_name = self._names.get(plain_name(name)) if isinstance(name, str) else None
        if table_name is None:
            raise UnknownNameError(self._what, str(name), self.named, synonyms=self._names)
        return table_name

    def several(self, names: str | Iterable[str]) -> list[str]:
        """Return the names of one or several, each once; refuse none at all."""
        argument = f"{self._what}s"
        asked = list(dict.fromkeys(map(self.canonical, check_list(names, argument, list(self._rows)[:1]))))
        if not asked:
            raise refused(argument, f"is empty; name at least one of {first_few(list(self._rows))}", names)
        return asked

    def find(self, name: str) -> Row:
        """Return the row of that name, or of another that the field has for it; else raise as `canonical`."""
        return self[self.canonical(name)]

    def label(self, name: str) -> str:
        """Return what a table calls it; one from elsewhere goes by its own name."""
        return self.named[name].label if name in self.named else name

    def words(self, name: str) -> str:
        """Return what a sentence calls it; one from elsewhere goes by its own name."""
        return self.named[name].words if name in self.named else name


def plain_name(name: str) -> str:
    """Return a name in small letters, its words joined by underscores.

    Examples
    --------
    >>> plain_name("Paired t-test"), plain_name("Fisher's")
    ('paired_t_test', 'fishers')
    """
    return re.sub(r"[\W_]+", "_", re.sub("['\u2019]", "", name.casefold())).strip("_")
