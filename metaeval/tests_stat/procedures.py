"""What the tables of tests and of corrections share: what a row says of itself, and how a name leads to it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from metaeval.base.checks import check_list, refused
from metaeval.base.names import first_few
from metaeval.base.plugins import Plugin, PluginWarning, installed
from metaeval.base.unit import unit
from metaeval.base.words import sentence_case
from metaeval.errors import UnknownNameError, warn


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
    """Rows by name, in the order in which lists and help show them; those of installed packages come last.

    Parameters
    ----------
    what : str
        What a row is: "test", "correction". Packages name theirs in the entry points ``metaeval.tests`` and so on.
    rows : iterable of Procedure
    unlisted : Procedure, optional
        What is named as a row is, and cannot be had from the table.
    unfit : mapping of str to str, optional
        What others have and cannot be had here, as `plain_name` writes it: which row to take instead.
    made : callable, optional
        Makes the row of a plug-in, from it and from a `Procedure`; without it there are none.

    Attributes
    ----------
    builtin : mapping of str to Procedure
        The rows of the package itself.
    """

    def __init__(
        self,
        what: str,
        rows: Iterable[Row],
        *,
        unlisted: Procedure | None = None,
        unfit: Mapping[str, str] = {},
        made: Callable[[Plugin, Procedure], Row] | None = None,
    ) -> None:
        self._what, self._made, self._unfit = what, made, unfit
        self.builtin: Mapping[str, Row] = {row.name: row for row in rows}
        self._loaded: dict[str, Row] = {}
        self._unlisted: Mapping[str, Procedure] = {unlisted.name: unlisted} if unlisted else {}
        ours: list[Procedure] = [*self.builtin.values(), *self._unlisted.values()]
        self._names = {name: row.name for row in ours for name in (plain_name(row.name), *row.synonyms)}

    @cached_property
    def plugins(self) -> Mapping[str, Plugin]:
        """What installed packages add, by name; looked up where a name is not one of ours, or all are listed."""
        added: dict[str, Plugin] = {}
        for plugin in installed(f"metaeval.{self._what}s") if self._made else ():
            name = plain_name(plugin.name)
            ours, theirs = self._names.get(name), added.get(name)
            if name and not ours and not theirs:
                added[name] = plugin
            else:
                taken = f"{ours!r} of metaeval" if ours else theirs.origin if theirs else "none, for want of letters"
                warn(f"{plugin.origin} is left out: the {self._what} of this name is {taken}", PluginWarning)
        return added

    @property
    def named(self) -> Mapping[str, Procedure]:
        """The rows and the unlisted one, as sentences call them; of plug-ins this loads nothing."""
        return {**self.builtin, **{name: self._called(name) for name in self.plugins}, **self._unlisted}

    def _called(self, name: str) -> Procedure:
        plugin = self.plugins[name]
        words = name.replace("_", " ")
        return Procedure(name=name, words=words, described=f"the {self._what} {plugin.name} of {plugin.package}")

    def __getitem__(self, name: str) -> Row:
        if name in self.builtin:
            return self.builtin[name]
        if name not in self._loaded:
            if self._made is None:
                raise KeyError(name)
            self._loaded[name] = self._made(self.plugins[name], self._called(name))
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self.builtin or name in self.plugins

    def __iter__(self) -> Iterator[str]:
        return iter([*self.builtin, *self.plugins])

    def __len__(self) -> int:
        return len(self.builtin) + len(self.plugins)

    def canonical(self, name: str) -> str:
        """Return the name that the table has, however the field spells it; a list of one is that one."""
        if isinstance(name, list | tuple):
            if len(name) != 1:
                raise refused(self._what, f"is one here, not {len(name)}; studies that compare take several", name)
            name = name[0]
        plain = plain_name(name) if isinstance(name, str) else ""
        if plain in self._names:
            return self._names[plain]
        if plain not in self.plugins and plain in self._unfit:
            rule = (
                f"cannot be {plain}, which is for independent samples: scores of systems on the same topics are paired"
            )
            raise refused(self._what, f"{rule}; use `test={self._unfit[plain]!r}`", name)
        if plain not in self.plugins:
            raise UnknownNameError(self._what, str(name), self.named, synonyms=self._names)
        return plain

    def several(self, names: str | Iterable[str]) -> list[str]:
        """Return the names of one or several, each once; refuse none at all."""
        argument = f"{self._what}s"
        asked = list(dict.fromkeys(map(self.canonical, check_list(names, argument, list(self.builtin)[:1]))))
        if not asked:
            raise refused(argument, f"is empty; name at least one of {first_few(list(self.builtin))}", names)
        return asked

    def find(self, name: str) -> Row:
        """Return the row of that name, or of another that the field has for it; else raise as `canonical`."""
        return self[self.canonical(name)]

    def label(self, name: str) -> str:
        """Return what a table calls it; one from elsewhere goes by its own name."""
        row = self._row(name)
        return row.label if row else name

    def words(self, name: str) -> str:
        """Return what a sentence calls it; one from elsewhere goes by its own name."""
        row = self._row(name)
        return row.words if row else name

    def _row(self, name: str) -> Procedure | None:
        ours = self.builtin.get(name) or self._unlisted.get(name)
        return ours or (self._called(name) if name in self.plugins else None)


def plain_name(name: str) -> str:
    """Return a name in small letters, its words joined by underscores.

    Examples
    --------
    >>> plain_name("Paired t-test"), plain_name("Fisher's")
    ('paired_t_test', 'fishers')
    """
    return re.sub(r"[\W_]+", "_", re.sub("['\u2019]", "", name.casefold())).strip("_")
