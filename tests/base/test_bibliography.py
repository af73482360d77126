"""The bibliography: keys that say what they are, references that can be read, and nothing cited that is not there."""

import re
import unicodedata

import pytest

from metaeval.base.bibliography import BY_SUBJECT, PUBLICATIONS, cited, find_publication, publications, source_of
from metaeval.errors import UnknownNameError
from metaeval.metrics import default_registry, metric
from metaeval.metrics.builtin import BUILTIN
from metaeval.models.families import FAMILIES
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

LISTS = [row.cite for table in (TESTS, CORRECTIONS, FAMILIES, REDUCTIONS) for row in table.values()]


def _plain(name):
    spelled = name.casefold().replace("ö", "oe").replace("ü", "ue").replace(" ", "")
    return unicodedata.normalize("NFKD", spelled.replace("jär", "jar")).encode("ascii", "ignore").decode()


def test_a_key_is_the_first_author_and_the_year():
    """Whoever knows the publication can write its key (b is the second of a year), and a sentence names both."""
    for publication in PUBLICATIONS.values():
        first = publication.authors.split("; ")[0].split(", ")[0]
        assert re.fullmatch(rf"{_plain(first)}{publication.year}b?", publication.key)
        assert publication.cited.startswith(first)
        assert publication.cited.endswith(str(publication.year))


def test_a_reference_reads_as_one():
    """Every known part stands in it, once, with nothing doubled or left hanging."""
    for publication in PUBLICATIONS.values():
        full = publication.full
        for part in (
            str(publication.year),
            publication.title,
            publication.venue,
            publication.volume,
            publication.pages,
        ):
            assert part in full
        assert full.endswith((".", "?"))
        assert not re.search(r"\.\.| ,|,\.|  ", full)
        assert publication.doi == "" or re.fullmatch(r"10\.\d{4,}/\S+", publication.doi)


def test_keys_and_dois_are_there_once():
    """A publication stands under one subject and under one key."""
    listed = [publication.key for group in BY_SUBJECT.values() for publication in group]
    assert len(listed) == len(set(listed)) == len(PUBLICATIONS)
    known = [publication.doi for publication in PUBLICATIONS.values() if publication.doi]
    assert len(known) == len(set(known))


def test_what_is_cited_is_in_the_bibliography():
    """Keys of tests, corrections, curves and reductions lead somewhere."""
    for keys in LISTS:
        assert set(keys) <= set(PUBLICATIONS)


def test_built_in_metrics_say_where_they_are_described():
    """Every one but the share of judged documents, which needs no source, cites a publication."""
    assert {spec.name for spec in BUILTIN if spec.cite not in PUBLICATIONS} == {"Judged"}
    table = default_registry().to_frame().set_index("name")
    assert table.loc["nDCG", "source"] == PUBLICATIONS["jarvelin2002"].full


def test_a_plug_in_may_cite_in_its_own_words():
    """A key is not asked for; what is no key stands as it is."""

    @metric(name="Mine", cite="my thesis, chapter 3")
    def mine(_topic):
        return 0.0

    assert source_of(mine.cite) == "my thesis, chapter 3"


def test_unknown_keys_are_refused_by_name():
    """The message lists the nearest keys."""
    with pytest.raises(UnknownNameError, match=r"no publication 'sakai2005'; did you mean .*sakai2006"):
        find_publication("sakai2005")
    with pytest.raises(UnknownNameError):
        cited(["nobody1900"])


def test_lists_of_references_are_by_author_and_hold_each_once():
    """As a paper's list is."""
    keys = ["zobel1998", "sakai2008", "benjamini2001", "sakai2008"]
    assert [one.key for one in publications(keys)] == ["benjamini2001", "sakai2008", "zobel1998"]


def test_the_page_shows_every_subject(checkout):
    """docs/bibliography.md has a section for each, filled from the table."""
    page = (checkout / "docs" / "bibliography.md").read_text("utf-8")
    shown = re.findall(r"^## (.+)\n\n<!-- written: publications (.+) -->$", page, flags=re.MULTILINE)
    assert shown == [(subject, subject) for subject in BY_SUBJECT]
