"""Publications as BibTeX, to be copied from a report into a paper's own bibliography."""

import re
from collections.abc import Iterable

from metaeval.base.bibliography import Publication
from metaeval.page.latex import escape_latex

_PROCEEDINGS = re.compile(r"[^,]* \d{4}(, LNCS \d+)?|TREC-\d+")
"""What the venue of a conference looks like: its name and year, perhaps a series."""


def bibtex(publications: Iterable[Publication]) -> str:
    """Return publications as BibTeX, one entry each, under the keys of `metaeval.base.bibliography`.

    Only what is known for certain has a field of its own: what is neither in a journal nor in proceedings is ``@misc``,
    which every style prints whole.

    Examples
    --------
    >>> from metaeval.base.bibliography import publications
    >>> print(bibtex(publications(["sakai2008"])))
    @article{sakai2008,
      author = {Sakai, T. and Kando, N.},
      title = {{On information retrieval metrics designed for evaluation with incomplete relevance assessments}},
      journal = {Information Retrieval},
      volume = {11},
      number = {5},
      pages = {447--470},
      year = {2008},
      doi = {10.1007/s10791-008-9059-7}
    }
    """
    return "\n\n".join(map(_entry, publications))


def package_bibtex(version: str) -> str:
    """Return the entry of this package; without a version it says none.

    Examples
    --------
    >>> print(package_bibtex("0.1.0"))
    @misc{metaeval,
      author = {{The metaeval developers}},
      title = {{metaeval}},
      note = {Version 0.1.0}
    }
    """
    note = f"Version {escape_latex(version)}" if version else ""
    return _written("misc", "metaeval", author="{The metaeval developers}", title="{metaeval}", note=note)


def _entry(publication: Publication) -> str:
    kind, venue = _place(publication)
    return _written(
        kind,
        publication.key,
        author=escape_latex(publication.authors.replace("; ", " and ")),
        title=f"{{{escape_latex(publication.title)}}}" * bool(publication.title),
        **venue,
        pages=escape_latex(publication.pages),
        year=str(publication.year),
        doi=publication.doi,
        url=publication.link,
    )


def _place(publication: Publication) -> tuple[str, dict[str, str]]:
    """Return the kind of entry, and where the publication appeared as the fields of that kind."""
    venue = escape_latex(publication.venue)
    if publication.volume:
        volume, _, issue = publication.volume.rstrip(")").partition("(")
        return "article", {"journal": venue, "volume": escape_latex(volume), "number": escape_latex(issue)}
    if _PROCEEDINGS.fullmatch(publication.venue):
        return "inproceedings", {"booktitle": venue}
    return "misc", {"howpublished": venue}


def _written(kind: str, key: str, **parts: str) -> str:
    fields = ",\n".join(f"  {name} = {{{value}}}" for name, value in parts.items() if value)
    return f"@{kind}{{{key},\n{fields}\n}}"
