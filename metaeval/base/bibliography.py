# ruff: noqa: RUF002 - typographic dashes are meant for people
"""Publications by key: what ``cite=`` leads to, what pages list and what docs/bibliography.md is made from.

They stand in ``bibliography.toml`` beside this file. A key is the first author's surname in small letters and the year.
Where only part of a reference is known, only that part is there.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from metaeval.errors import UnknownNameError

_TOGETHER = 2


class Publication(NamedTuple):
    """A publication."""

    key: str
    authors: str
    """Surname, initials, one after the other: "Sakai, T.; Kando, N."."""
    year: int
    title: str = ""
    venue: str = ""
    """Conference with its year, journal or publisher."""
    volume: str = ""
    """Of a journal or series, with its issue: "28(4)"."""
    pages: str = ""
    """Or the number of the article."""
    doi: str = ""
    link: str = ""
    """Where to read what has no DOI."""

    @property
    def cited(self) -> str:
        """How a sentence cites it in brackets.

        Examples
        --------
        >>> PUBLICATIONS["sakai2006"].cited, PUBLICATIONS["sakai2008"].cited, PUBLICATIONS["pal2010"].cited
        ('Sakai, 2006', 'Sakai and Kando, 2008', 'Pal et al., 2010')
        """
        names = [name.split(", ")[0] for name in self.authors.split("; ")]
        who = " and ".join(names) if len(names) <= _TOGETHER else f"{names[0]} et al."
        return f"{who}, {self.year}"

    @property
    def full(self) -> str:
        """The whole reference.

        Examples
        --------
        >>> PUBLICATIONS["zobel1998"].full[:57]
        'Zobel, J. (1998). How reliable are the results of large-s'
        """
        *others, last = self.authors.split("; ")
        who = f"{', '.join(others)} and {last}" if others else last
        title = self.title if self.title.endswith("?") else f"{self.title}." * bool(self.title)
        where = ", ".join(piece for piece in (f"{self.venue} {self.volume}".strip(), self.pages) if piece)
        return " ".join(piece for piece in (f"{who} ({self.year}).", title, f"{where}." * bool(where)) if piece)

    @property
    def address(self) -> str:
        """Where it can be read; empty if that is not known."""
        return f"https://doi.org/{self.doi}" if self.doi else self.link


BY_SUBJECT: Mapping[str, tuple[Publication, ...]] = MappingProxyType(
    {
        subject: tuple(Publication(key, **parts) for key, parts in entries.items())
        for subject, entries in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
    }
)
"""Every publication under what it is about, in the order of docs/bibliography.md."""

PUBLICATIONS: Mapping[str, Publication] = MappingProxyType(
    {publication.key: publication for group in BY_SUBJECT.values() for publication in group}
)
"""Key to `Publication`."""


def find_publication(key: str) -> Publication:
    """Return the publication of that key.

    Examples
    --------
    >>> find_publication("holm1979").year
    1979
    """
    if key not in PUBLICATIONS:
        raise UnknownNameError("publication", key, PUBLICATIONS)
    return PUBLICATIONS[key]


def publications(keys: Iterable[str]) -> list[Publication]:
    """Return the publications of these keys, each once, as a list of references has them: by author.

    Examples
    --------
    >>> [one.key for one in publications(["sakai2008", "holm1979", "sakai2008"])]
    ['holm1979', 'sakai2008']
    """
    return sorted(map(find_publication, dict.fromkeys(keys)), key=lambda publication: publication.full)


def cited(keys: Iterable[str]) -> str:
    """Return how a sentence cites these, with a space before the bracket; nothing where there is nothing to cite.

    Examples
    --------
    >>> cited(["sakai2006", "sakai2008"]), cited([])
    (' (Sakai, 2006; Sakai and Kando, 2008)', '')
    """
    citations = [find_publication(key).cited for key in keys]
    return f" ({'; '.join(citations)})" if citations else ""


def cited_by(words: str) -> list[str]:
    """Return the keys of the publications that some words cite, as `cited` does.

    Examples
    --------
    >>> cited_by("Lists are cut (Sakai and Kando, 2008), tests paired (Student, 1908; Holm, 1979).")
    ['holm1979', 'sakai2008', 'student1908']
    """
    return sorted(
        key
        for key, reference in PUBLICATIONS.items()
        if reference.cited in words and _citing(reference.cited).search(words)
    )


@cache
def _citing(cited: str) -> re.Pattern[str]:
    """Return what finds that reference, and none by more authors that ends in the same words."""
    return re.compile(rf"(?<!\w)(?<!\band ){re.escape(cited)}(?!\w)")


def source_of(cite: str) -> str:
    """Return the reference that a metric's ``cite=`` means: that of a key, else the text itself.

    Examples
    --------
    >>> source_of("student1908"), source_of("my thesis")
    ('Student (1908). The probable error of a mean. Biometrika 6, 1–25.', 'my thesis')
    """
    return PUBLICATIONS[cite].full if cite in PUBLICATIONS else cite
