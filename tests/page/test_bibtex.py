"""BibTeX of reports: every publication of the bibliography, in entries that a program reads as they were meant."""

import re

from metaeval.base.bibliography import PUBLICATIONS, Publication
from metaeval.page.bibtex import bibtex, package_bibtex

ENTRY = re.compile(r"@(?P<kind>[a-z]+)\{(?P<key>[a-z0-9]+(?:-[a-z0-9]+)*),\n(?P<fields>(?:  [a-z]+ = \{.*\},?\n)+)\}")
FIELD = re.compile(r"  ([a-z]+) = \{(.*)\}(?:,|$)")


def parsed(entry):
    """Return the kind, the key and the fields of an entry."""
    found = ENTRY.fullmatch(entry)
    assert found, entry
    return found["kind"], found["key"], dict(FIELD.fullmatch(line).groups() for line in found["fields"].splitlines())


def test_an_entry_holds_what_is_known():
    """Key, authors, year and address are there, braces are balanced, and no field is empty."""
    for publication in PUBLICATIONS.values():
        kind, key, fields = parsed(bibtex([publication]))
        assert key == publication.key
        assert fields["author"].count(" and ") == publication.authors.count("; ")
        assert fields["year"] == str(publication.year)
        assert fields.get("doi", "") == publication.doi
        assert all(fields.values())
        assert all(value.count("{") == value.count("}") for value in fields.values())
        assert kind in ("article", "inproceedings", "misc")
        assert ("journal" in fields) == (kind == "article") == bool(publication.volume)
        assert ("booktitle" in fields) == (kind == "inproceedings")
        assert "volume" not in fields or re.fullmatch(r"[A-Z0-9-]+", fields["volume"])


def test_conferences_are_told_from_books():
    """A venue with its year is that of proceedings; a publisher is none."""
    assert parsed(bibtex([PUBLICATIONS["sakai2006"]]))[2]["booktitle"] == "SIGIR 2006"
    assert parsed(bibtex([PUBLICATIONS["efron1993"]]))[2]["howpublished"] == "Chapman \\& Hall"


def test_signs_of_latex_are_escaped_and_dashes_doubled():
    """A title that LaTeX would obey, a range of pages."""
    made = Publication(key="a1", authors="A, B.", year=1, title="50 % & more_", venue="J", volume="3", pages="1\u20139")
    fields = parsed(bibtex([made]))[2]
    assert fields["title"] == r"{50 \% \& more\_}"
    assert fields["pages"] == "1--9"


def test_entries_stand_apart_and_none_is_none():
    """An empty line lies between two."""
    two = bibtex([PUBLICATIONS["sakai2006"], PUBLICATIONS["sakai2008"]])
    assert [parsed(entry)[1] for entry in two.split("\n\n")] == ["sakai2006", "sakai2008"]
    assert bibtex([]) == ""


def test_the_package_is_cited_with_the_version_that_was_used():
    """Without a version nothing is said of one."""
    assert parsed(package_bibtex("1.2"))[2]["note"] == "Version 1.2"
    assert "note" not in parsed(package_bibtex(""))[2]
