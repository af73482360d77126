# ruff: noqa: RUF001, RUF002 - Greek letters are meant for people
"""A page as data: what every page, terminal and JSON answer of the package is made from.

A study gives a result, the ``page.py`` of its question turns it into a `metaeval.page.report.Report`, and the other
modules of this folder show it. A section is added by one function that returns it:

>>> def topics_section(n_topics: int) -> Section:
...     words = Text(paragraphs=(f"There are {n_topics} topics.",))
...     return Section(id="topics", title="Topics", lead="What was asked of the systems.", blocks=(words,))
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import pandas as pd

from metaeval.base.bibliography import cited_by, find_publication, publications
from metaeval.base.escaping import visible
from metaeval.base.notes import Remark
from metaeval.base.provenance import Provenance
from metaeval.base.short_repr import ShortRepr
from metaeval.base.unit import Unit, speaking_of, unit
from metaeval.base.words import names_now, naming, sentence_case, short_names_sentence
from metaeval.page.bibtex import bibtex, package_bibtex
from metaeval.page.tables import Table, errors_of, left

if TYPE_CHECKING:
    from matplotlib.figure import Figure

type Block = "Text | Items | Fold | Choice | Table | Picture"
type Writer = Callable[[Path], object]
"""Writes a file to the path it is given."""

MOST_KEY_FIGURES = 8


class _Statements(ShortRepr):
    """Refuses a bare string where several statements are asked for: it would be read letter by letter."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for attribute in fields(self):  # type: ignore[arg-type]  # every class that inherits this is a dataclass
            value = getattr(self, attribute.name)
            if str(attribute.type).startswith("tuple") and not isinstance(value, tuple):
                raise TypeError(f"{type(self).__name__}.{attribute.name} is a tuple, not {value!r}")
            if attribute.name == "title" and not value:
                raise TypeError(f"a {type(self).__name__} needs a title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Statements):
    """Paragraphs of plain text, without markup."""

    kind: ClassVar[str] = "text"

    paragraphs: tuple[str, ...]
    look: Literal["plain", "quote", "code", "note"] = "plain"
    """"quote" is text to take along and "code" what is meant for a program, both with a button that copies it; "note"
    asks for attention."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture(ShortRepr):
    """A figure, drawn when it is first shown, with its caption and data."""

    kind: ClassVar[str] = "picture"

    name: str
    """Of the files it becomes; made safe when they are written."""
    draw: "Callable[[], Figure]"
    """Draws the figure, in the words of the report for which the picture was made. A terminal asks for none, so
    matplotlib stays unloaded there."""
    title: str
    caption: str
    """What the picture shows and how to read it."""
    alt: str
    """What it says, in words, for those who cannot see it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "draw", partial(_drawn, unit(), names_now(), self.draw))


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(ShortRepr):
    """An item of a list."""

    words: str
    link: str = ""
    """An address shown after them."""
    term: str = ""
    """A word, or a question, before them."""

    @property
    def led(self) -> str:
        """The term with the sign behind it."""
        return self.term if not self.term or self.term.endswith("?") else f"{self.term}:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(_Statements):
    """A list."""

    kind: ClassVar[str] = "items"

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold(_Statements):
    """Blocks in a fold; printing and the terminal leave them out."""

    kind: ClassVar[str] = "fold"

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(_Statements):
    """Content of a section by metric; a page has one switch for all choices of a kind.

    Without a script the first stands open and the others in folds; paper shows what is chosen, a terminal the first.
    """

    kind: ClassVar[str] = "choice"

    names: tuple[str, ...]
    """What there is to choose between, as people read it; each once."""
    parts: tuple[tuple[Block, ...], ...]
    """What is shown of each."""
    what: str = "metric"
    """What is chosen, such as "metric"."""

    def __post_init__(self) -> None:
        _Statements.__post_init__(self)
        if not self.names or len(set(self.names)) != len(self.parts) or len(self.names) != len(self.parts):
            message = f"a choice has a name of its own for each of its {len(self.parts)} parts, not {self.names!r}"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(_Statements):
    """A part of a report."""

    id: str
    """Anchor: lower-case letters, digits and hyphens."""
    title: str
    """A noun that a paper could cite."""
    lead: str
    """What the section shows and how to read it."""
    blocks: tuple[Block, ...]
    brief: bool = False
    """Whether it stands open on a page, and its tables and words, less what is folded, in the terminal. On a page other
    sections are folds; paper shows all."""

    def open_blocks(self) -> tuple[Block, ...]:
        """Return what stands there before anybody opens or chooses: of a choice what it shows first, and no folds."""
        return tuple(_open(self.blocks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Methods(_Statements):
    """A methods section for a paper, with its references."""

    paragraphs: tuple[str, ...]
    """At least one, each of whole sentences."""
    cite: tuple[str, ...] = ()
    """Keys of `metaeval.base.bibliography`; what the paragraphs cite is among them of itself."""
    blocks: tuple[Block, ...] = ()
    """What helps to read the report, such as definitions."""

    def __post_init__(self) -> None:
        _Statements.__post_init__(self)
        if not any(words.strip() for words in self.paragraphs):
            raise TypeError("a report without methods cannot be built: say what was done")
        unended = [words for words in self.paragraphs if not words.rstrip().endswith((".", ".)"))]
        if unended:
            raise TypeError(f"methods are sentences that fit a paper, each with its full stop, not {unended[0]!r}")
        for key in self.cite:
            find_publication(key)
        object.__setattr__(self, "cite", tuple(dict.fromkeys([*self.cite, *cited_by(" ".join(self.paragraphs))])))

    def joined(self, other: "Methods") -> "Methods":
        """Return both, every publication once."""
        return Methods(
            paragraphs=self.paragraphs + other.paragraphs,
            cite=tuple(dict.fromkeys(self.cite + other.cite)),
            blocks=self.blocks + other.blocks,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page(_Statements):
    """A whole page as data."""

    command: str
    """The command that gives the same report, such as "power"."""
    title: str
    """The question answered."""
    facts: tuple[tuple[str, str], ...]
    """A few numbers with what they count, shown under the title."""
    summary: tuple[str, ...]
    """The answer in plain words, one paragraph each. The first is one sentence that answers the question."""
    sections: tuple[Section, ...]
    methods: Methods
    rows: pd.DataFrame | Sequence[Mapping[str, object]]
    """The answer for programs; mappings where rows of several tables stand together."""
    provenance: Provenance
    notes: tuple[str, ...] = ()
    """What was assumed, filled or dropped."""
    warnings: tuple[str, ...] = ()
    """Warnings given on the way."""
    data: Mapping[str, Writer] = field(default_factory=dict)
    """File name inside ``data/`` to a function that writes it to the path it is given."""
    description: str = ""
    """What the data are, in the words of whoever asked; shown under the title."""
    key_figures: Table | None = None
    """The few numbers on which the answer rests, shown under its first sentence."""

    def __post_init__(self) -> None:
        _Statements.__post_init__(self)
        object.__setattr__(self, "provenance", self.provenance.used())
        if self.key_figures is not None and len(self.key_figures.frame) > MOST_KEY_FIGURES:
            message = f"key figures have {MOST_KEY_FIGURES} rows at most, not {len(self.key_figures.frame)}"
            raise ValueError(message)

    def _found(self) -> str:
        return self.summary[0] if self.summary else ""

    def extended(  # noqa: PLR0913 - the parts of a report
        self,
        *,
        first: tuple[Section, ...] = (),
        sections: tuple[Section, ...] = (),
        summary: tuple[str, ...] = (),
        methods: Methods | None = None,
        notes: tuple[str, ...] = (),
        data: Mapping[str, Writer] | None = None,
    ) -> Self:
        """Return the report with what another study has to add: sections before the others and after them."""
        return replace(
            self,
            sections=(*first, *self.sections, *sections),
            summary=self.summary + summary,
            methods=self.methods if methods is None else self.methods.joined(methods),
            notes=tuple(dict.fromkeys(self.notes + notes)),
            data={**self.data, **(data or {})},
        )

    @property
    def changes(self) -> tuple[str, ...]:
        """The notes on what was left out, filled in or taken for something: all that may change a number."""
        return tuple(note for note in self.notes if not isinstance(note, Remark))

    def first_changes(self) -> tuple[str, ...]:
        """Return the first of these as sentences, to stand above the answer, and how many more there are."""
        more = len(self.changes) - _MOST_ABOVE
        last = (f"{more} more notes of this kind stand at the end of the page, and in JSON.",) if more > 1 else ()
        return (*map(_as_sentence, self.changes[: _MOST_ABOVE if last else None]), *last)

    def all_sections(self) -> tuple[Section, ...]:
        """Return the sections with those that every report ends with: methods, notes if there are any, provenance."""
        sections = (*self.sections, self._methods(), self._notes(), self._record())
        return tuple(section for section in sections if section.blocks)

    def explained(self, metrics: Iterable[object]) -> Self:
        """Return the page with a note of what the short names of metrics stand for, where nothing on it says so."""
        for sentence in short_names_sentence(metrics):
            texts = [text for block in self._blocks() if isinstance(block, Text) for text in block.paragraphs]
            captions = [block.caption for block in self._blocks() if isinstance(block, Table)]
            if not any(sentence in passage for passage in (*texts, *captions, *self.notes)):
                return replace(self, notes=(sentence, *self.notes))
        return self

    def facts_line(self) -> str:
        """Return the facts in a line: a count before what it counts, "24 systems", a setting after it, "α = 0.05"."""
        return ", ".join(
            f"{_SETTINGS[label]} = {value}" if label in _SETTINGS else f"{value} {label}" for value, label in self.facts
        )

    def tables(self) -> list[Table]:
        """Return every table, folded ones too, in reading order."""
        return [block for block in self._blocks() if isinstance(block, Table)]

    def pictures(self) -> list[Picture]:
        """Return every picture, folded ones too, in reading order."""
        return [block for block in self._blocks() if isinstance(block, Picture)]

    def main_table(self) -> Table:
        """Return the table that answers the question: the first one that a terminal shows, or else the first."""
        open_ones = (block for section in self.sections if section.brief for block in section.open_blocks())
        first_open = next((block for block in open_ones if isinstance(block, Table)), None)
        return (
            next(block for block in self.tables() if block is not self.key_figures)
            if first_open is None
            else first_open
        )

    def main_picture(self) -> Picture | None:
        """Return the first picture of what a terminal shows, or else the first one; None where there is none."""
        pictures = (
            block
            for section in self.sections
            if section.brief
            for block in _walk(section.blocks)
            if isinstance(block, Picture)
        )
        return next(pictures, None) or next(iter(self.pictures()), None)

    def _blocks(self) -> Iterator[Block]:
        if self.key_figures is not None:
            yield self.key_figures
        for section in self.all_sections():
            yield from _walk(section.blocks)

    def _drawn(self) -> Iterator[Table]:
        """Yield the tables with figures that random draws leave uncertain."""
        blocks = chain([self.key_figures], *(_walk(section.blocks) for section in self.sections))
        return (block for block in blocks if isinstance(block, Table) and block.errors)

    def _methods(self) -> Section:
        sources = publications(self.methods.cite)
        listed = tuple(Item(words=source.full, link=source.address) for source in sources)
        package_entry = package_bibtex(self.provenance.versions.get("metaeval", ""))
        entries = "\n\n".join([*([bibtex(sources)] if sources else []), package_entry])
        words = tuple(Text(paragraphs=(paragraph,), look="quote") for paragraph in self.methods.paragraphs)
        drawn: dict[str, list[Table]] = {}
        for table in self._drawn():
            drawn.setdefault(table.title, []).append(table)
        errors = tuple(Item(term=title, words=errors_of(tables)) for title, tables in drawn.items())
        return Section(
            id="methods",
            title="Methods",
            lead="What was done, in words that fit a paper, and what to cite.",
            blocks=(
                *words,
                *self.methods.blocks,
                *((Items(items=listed),) if listed else ()),
                *(
                    (Fold(title="Largest Monte-Carlo errors, by table", blocks=(Items(items=errors),)),)
                    if errors
                    else ()
                ),
                Fold(title="BibTeX", blocks=(Text(paragraphs=(entries,), look="code"),)),
            ),
        )

    def _notes(self) -> Section:
        blocks: list[Block] = []
        if self.warnings:
            blocks.append(Text(paragraphs=tuple(map(_as_sentence, self.warnings)), look="note"))
        others = [note for note in self.notes if note not in self.warnings]
        if others:
            blocks.append(Items(items=tuple(Item(words=_as_sentence(note)) for note in others)))
        return Section(
            id="notes",
            title="Notes and warnings",
            lead="What was assumed, filled in or left out on the way, and what to keep in mind before use.",
            blocks=tuple(blocks),
        )

    def _record(self) -> Section:
        record = self.provenance
        typed = (Text(paragraphs=(record.command_line,), look="code"),) if record.command_line else ()
        rows = [("Command", record.command_line or record.command), ("Random numbers", record.random_source)]
        rows += [("Scores read as", record.read_as), ("Made", record.created), ("Platform", record.platform)]
        rows += [(f"Version of {name}", version) for name, version in record.versions.items()]
        rows += [
            (f"Option {name.replace('_', '-')}", _option_text(value))
            for name, value in record.options.items()
            if value is not None and value is not False and value not in ([], ())
        ]
        rows = [(label, visible(value)) for label, value in rows if value]
        sums: list[tuple[str, str | None]] = [
            (visible(f"SHA-256 of {name}"), checksum) for name, checksum in record.shown_inputs().items()
        ]
        brief, every, checksums = (
            pd.DataFrame(lines, columns=["what", "value"])
            for lines in (rows[len(typed) :], rows + sums, sums)  # the command stands above, to be copied
        )
        columns = left(what="What", value="Value")
        table = Table(name="provenance", title="Provenance", caption="", frame=brief, data=every, columns=columns)
        title = "Checksums of the inputs"
        inputs = Table(name="checksums", title=title, caption="", frame=checksums, columns=columns)
        return Section(
            id="provenance",
            title="Provenance",
            lead="What it takes to make this report again: the same inputs, options and seed give the same numbers.",
            blocks=(*typed, table, *((Fold(title=inputs.title, blocks=(inputs,)),) if sums else ())),
        )


def _drawn(spoken: Unit, names: Mapping[str, str], draw: "Callable[[], Figure]") -> "Figure":
    with speaking_of(spoken), naming(names):
        return draw()


def _option_text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "yes" if value is True else str(value)


def _as_sentence(note: str) -> str:
    """Return what a message says as a sentence: the library writes them as a terminal shows them, after "Note:"."""
    named = re.match(r"[a-z]+ ", note) is None  # it begins with a name or a number
    words = note if named else sentence_case(note)
    return words if words.endswith((".", ")", "?", "!")) else words + "."


_MOST_ABOVE = 6
_SETTINGS = {"significance level α": "α", "power": "power"}


def _walk(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from _walk(block.blocks)
        if isinstance(block, Choice):
            yield from _walk(chain.from_iterable(block.parts))


def _open(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Choice):
            yield from _open(block.parts[0])
        elif not isinstance(block, Fold):
            yield block
