"""Simulated assessments: what is highlighted, counted letter by letter, and how two assessors agree."""

import numpy as np
import pytest

from metaeval.inex.assessments import TOO_SMALL
from metaeval.inex.campaigns import CAMPAIGNS
from metaeval.inex.simulated_articles import make_articles
from metaeval.inex.simulated_judgments import Assessor, assess_documents


@pytest.fixture(scope="module")
def articles():
    return make_articles(np.random.default_rng(1), CAMPAIGNS[2005].template, 120, 160)


@pytest.fixture(scope="module")
def highlights(articles):
    return Assessor(np.random.default_rng(2), articles, CAMPAIGNS[2005]._replace(relevant=20.0)).highlights(40)


def letters(highlights, articles, topic, document):
    """Return one truth value a character: highlighted or not."""
    text = np.zeros(articles.length[document], dtype=bool)
    for pair in np.flatnonzero((highlights.topic == topic) & (highlights.document == document)):
        for passage in np.flatnonzero(highlights.owner == pair):
            text[highlights.start[passage] : highlights.end[passage]] = True
    return text


def test_passages_lie_apart_within_their_documents(articles, highlights):
    """Passages are in order, never touch, and every relevant document has one and an entry point inside."""
    same = highlights.owner[1:] == highlights.owner[:-1]
    assert (highlights.start[1:][same] > highlights.end[:-1][same]).all()
    assert (highlights.end > highlights.start).all()
    assert (highlights.start >= 0).all()
    length = articles.length[highlights.document]
    assert (highlights.end <= length[highlights.owner]).all()
    assert set(highlights.owner) == set(range(len(highlights.topic)))
    assert ((highlights.entry >= 0) & (highlights.entry < length)).all()


def test_relevant_sizes_against_counting_letters(articles, highlights):
    """The highlighted size of every element is the number of highlighted characters in its span."""
    pairs = np.array([0, 7, len(highlights.topic) - 1])
    elements, place = articles.elements_of(highlights.document[pairs])
    found = highlights.relevant_sizes(articles, elements, pairs[place])
    for element, pair, size in zip(elements, pairs[place], found, strict=True):
        text = letters(highlights, articles, highlights.topic[pair], highlights.document[pair])
        assert text[articles.start[element] : articles.end[element]].sum() == size


def test_relevant_documents_are_as_many_as_stated(highlights):
    """Their number varies from topic to topic around the mean, and none is listed twice."""
    counts = np.bincount(highlights.topic)
    assert counts.mean() == pytest.approx(20, rel=0.2)
    assert counts.std() > 5
    assert len({*zip(highlights.topic, highlights.document, strict=True)}) == len(highlights.topic)


@pytest.mark.parametrize(("documents", "passages"), [(0.39, 0.23), (0.57, 0.31), (0.8, 0.6), (1.0, 1.0)])
def test_two_assessors_agree_as_stated(articles, highlights, documents, passages):
    """Intersection over union of relevant documents and of highlighted characters come out as asked for."""
    judged = [np.arange(120)] * 40
    campaign = CAMPAIGNS[2005]._replace(document_agreement=documents, passage_agreement=passages)
    other = Assessor(np.random.default_rng(3), articles, campaign).second(highlights, judged)
    first, second = ({*zip(one.topic.tolist(), one.document.tolist(), strict=True)} for one in (highlights, other))
    assert len(first & second) / len(first | second) == pytest.approx(documents, abs=0.04)
    both = either = 0
    for topic, document in first | second:
        one, two = (letters(judge, articles, topic, document) for judge in (highlights, other))
        both, either = both + (one & two).sum(), either + (one | two).sum()
    assert both / either == pytest.approx(passages, abs=0.06)


@pytest.mark.parametrize("kappa", [0.0, 0.5, 1.0])
def test_two_assessors_agree_by_the_kappa_asked_for(articles, highlights, kappa):
    """Cohen's kappa over the documents judged, some of whose relevant ones were never pooled."""
    judged = [np.arange(90)] * 40
    campaign = CAMPAIGNS[2005]._replace(document_kappa=kappa)
    other = Assessor(np.random.default_rng(3), articles, campaign).second(highlights, judged)
    table = np.zeros((2, 40, 120), dtype=bool)
    for judge, one in enumerate((highlights, other)):
        table[judge, one.topic, one.document] = True
    first, second = table[:, :, :90]
    chance = first.mean() * second.mean() + (~first).mean() * (~second).mean()
    assert ((first == second).mean() - chance) / (1 - chance) == pytest.approx(kappa, abs=0.05)


@pytest.mark.parametrize("scale", ["2002", "2003", "2005"])
def test_no_element_is_more_exhaustive_than_its_parent(articles, highlights, scale):
    """Degrees never rise on the way down, which also keeps all inside a "?" at "?", and all around a 2 at 2."""
    judged = [np.arange(0, 120, 2)] * 40
    topics = tuple(map(str, range(40)))
    made = assess_documents(
        np.random.default_rng(4), articles, highlights, judged, topics=topics, scale=scale, graded=True, source=""
    )
    table = made.elements
    places = zip(table["topic"], table["document"], table["path"], strict=True)
    degree = dict(zip(places, table["exhaustivity"].replace(TOO_SMALL, 0.5), strict=True))
    for (topic, document, path), own in degree.items():
        above = path.rpartition("/")[0]
        assert not above or degree[topic, document, above] >= own
    assert made.documents[["topic", "document"]].drop_duplicates().shape[0] == 40 * 60
    assert set(table["exhaustivity"]) == {"2002": {0, 1, 2, 3}, "2003": {0, 1, 2, 3}, "2005": {TOO_SMALL, 1, 2}}[scale]
    if scale == "2005":
        roots = table[table["path"] == "/article[1]"].set_index(["topic", "document"])["relevant_size"]
        sums = made.passages.groupby(["topic", "document"])["length"].sum()
        assert (roots.sort_index() == sums.sort_index()).all()


def test_nothing_judged_and_nothing_relevant():
    """Empty pools, and pools without a relevant document, give tables without elements and passages."""
    articles = make_articles(np.random.default_rng(1), CAMPAIGNS[2007].template, 6, 30)
    campaign = CAMPAIGNS[2007]._replace(relevant=2.0, document_agreement=0.5, passage_agreement=0.5)
    few = Assessor(np.random.default_rng(2), articles, campaign).highlights(1)
    rest = np.setdiff1d(np.arange(6), few.document)
    for scale in ("2005", "passages"):
        made = assess_documents(
            np.random.default_rng(3), articles, few, [rest], topics=("1",), scale=scale, graded=False, source=""
        )
        assert made.documents["relevant_size"].tolist() == [0] * len(rest)
        assert made.elements.empty
        assert made.passages.empty
    none = Assessor(np.random.default_rng(4), articles, campaign).second(few, [])
    assert len(none.topic) == len(none.owner) == 0
