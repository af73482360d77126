"""Characters of XML articles: by hand, against the simulator that wrote them, and broken files."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from metaeval.errors import FileFormatError
from metaeval.inex.articles import ArticleFolder, highlighted_elements, place_passages, read_article
from metaeval.inex.assessor_agreement import passage_agreement
from metaeval.inex.simulation import simulate_inex
from metaeval.questions.assessment.study import study_assessment


def article(tmp_path, text):
    (tmp_path / "d.xml").write_text(text)
    return read_article(tmp_path / "d.xml")


def test_white_space_and_text_nodes(tmp_path):
    """Runs of white space count one, also across tags; comments part text nodes, character data does not."""
    found = article(tmp_path, "<a>\n<p>ab  c</p>\n\t<p> d<i>ee</i>f<!-- x -->g<![CDATA[<h>]]></p></a>")
    assert found.position("/a[1]/p[1]") == 1
    assert found.position("/a[1]/p[1]", end=True) == 5
    assert found.position("/a/p[2]/text()[1].1") == 6  # the blank runs on from before the tag
    assert found.position("/a[1]/p[2]/i[1]/text()[1].2") == found.position("/a[1]/p[2]/text()[2].0") == 9
    assert found.position("/a[1]/p[2]/text()[3].1") == 11
    assert found.position("/a[1]/p[2]/text()[3]", end=True) == len(found) == 14


@pytest.mark.parametrize("place", ["/a[1]/p[3]", "/a[1]/p[1]/text()[2].0", "/a[1]/p[1]/text()[1].9", "nonsense"])
def test_points_that_are_not_there(tmp_path, place):
    """An element, a text node or a character too many is an error that names the file."""
    with pytest.raises(FileFormatError, match="article has no"):
        article(tmp_path, "<a><p>text</p></a>").position(place)


def test_entities(tmp_path):
    """Names of characters of a DTD that nobody reads count one; declared ones, and broken XML, are refused."""
    assert len(article(tmp_path, '<!DOCTYPE a SYSTEM "x.dtd"><a>b&ndash;c &amp; d</a>')) == 7
    with pytest.raises(FileFormatError, match="'x' is declared"):
        article(tmp_path, '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')
    with pytest.raises(FileFormatError, match="broken"):
        article(tmp_path, "<a><b></a>")


@pytest.mark.parametrize("year", [2005, 2006])
def test_passages_are_where_the_simulator_put_them(tmp_path, year):
    """Every element and passage of written articles has the characters it was made of, and Table XI can be made."""
    made = simulate_inex(
        year=year, n_systems=3, n_topics=3, n_documents=60, n_results=40, pool_size=30, rng=3, published=False
    )
    made.write_collection(tmp_path / "made", articles=True)
    folder = ArticleFolder(tmp_path / "made" / "articles")
    first = folder[made.articles.names[7]]
    rows = slice(*made.articles.first[7:9])
    ends = [[first.position(path, end=end) for path in made.articles.paths[rows]] for end in (False, True)]
    assert ends == [made.articles.start[rows].tolist(), made.articles.end[rows].tolist()]
    placed, again = (place_passages(one, folder) for one in (made.assessments, made.second_assessments))
    assert placed.notes == made.assessments.notes
    assert placed.passages["length"].tolist() == made.assessments.passages["length"].tolist()
    table = passage_agreement(placed, again)
    sizes = made.assessments.documents.groupby("topic")["relevant_size"].sum()
    assert table["first"].tolist() == sizes[table.index].tolist()
    study = study_assessment(made.assessments, second=made.second_assessments, articles=folder, log=made.log)
    pd.testing.assert_frame_equal(study.passage_agreement, table)
    assert (len(study.entries) > 0) == (year == 2006)
    if year == 2006:
        assert np.isfinite(study.entries[["first", "biggest", "nearest"]].to_numpy()).all()
        assert (study.entries["first"] == 0).mean() == pytest.approx(0.6, abs=0.12)


def test_articles_that_are_missing_or_others(tmp_path):
    """A missing article is an error; a point it does not have is one, or is left out and counted; so are lengths."""
    made = simulate_inex(
        year=2006, n_systems=3, n_topics=2, n_documents=40, n_results=30, pool_size=20, rng=3, published=False
    )
    made.write_collection(tmp_path / "made", articles=True)
    with pytest.raises(FileFormatError, match="holds no article"):
        place_passages(made.assessments, ArticleFolder(tmp_path / "made" / "submissions"))
    passages = made.assessments.passages
    assert (passages["length"] > 0).all()
    changed = passages.assign(length=passages["length"].where(passages.index != 1, 0))
    changed.loc[0, "end"] = "/article[1]/none[1]"
    folder = ArticleFolder(tmp_path / "made" / "articles")
    judged = type(made.assessments)(scale="2005", documents=made.assessments.documents, passages=changed)
    with pytest.raises(FileFormatError, match="article has no"):
        place_passages(judged, folder)
    placed = place_passages(judged, folder, lenient=True)
    assert len(placed.passages) == len(passages) - 1
    assert any("left out: 1" in note for note in placed.notes)
    assert any("not as long in the articles as in the assessments: 1" in note for note in placed.notes)


def test_highlighted_elements_that_nobody_assessed(tmp_path):
    """Simulated assessors keep C-Rule 1; a row taken away is found, and counted as a literal check counts it."""
    made = simulate_inex(year=2005, n_systems=2, n_topics=2, n_documents=40, n_results=20, rng=3, published=False)
    made.write_collection(tmp_path, articles=True)
    folder = ArticleFolder(tmp_path / "articles")
    placed = place_passages(made.assessments, folder)
    whole = highlighted_elements(placed, folder)
    assert (whole["highlighted"] == whole["assessed"]).all()
    assert (whole["missing"] == "").all()
    elements = placed.elements.drop(index=placed.elements.index[1::3])
    found = highlighted_elements(replace(placed, elements=elements), folder).set_index(["topic", "document"])
    left = set(elements[["topic", "document", "path"]].itertuples(index=False, name=None))
    for (topic, document), marked in placed.passages.groupby(["topic", "document"]):
        article = folder[document]
        inside = [
            path
            for path, (start, stop, _) in article.elements.items()
            if any(
                article.before[stop] > low
                and low + length > article.before[start]
                and article.before[stop] > article.before[start]
                for low, length in marked[["offset", "length"]].itertuples(index=False)
            )
        ]
        missing = {path for path in inside if (topic, document, path) not in left}
        row = found.loc[(topic, document)]
        assert (row["highlighted"], row["assessed"]) == (len(inside), len(inside) - len(missing))
        assert row["missing"] == min(missing, key=article.order.__getitem__, default="")
    assert (found["missing"] != "").any()
    study = study_assessment(replace(placed, elements=elements), articles=folder)
    share = study.figure("complete assessments", "share of documents with all of them assessed")
    assert share == (found["missing"] == "").mean()
