"""Simulated articles: nested spans of text under paths that say so."""

import numpy as np
import pytest

from metaeval.inex.paths import contains, depth_of, nearest_ancestors, normalised_path
from metaeval.inex.simulated_articles import IEEE, INLINE, SECTION, TEXT, WIKIPEDIA, make_articles

TEMPLATES = pytest.mark.parametrize("template", [IEEE, WIKIPEDIA], ids=["ieee", "wikipedia"])


@TEMPLATES
def test_elements_nest_as_their_paths_say(template):
    """Parents, depths, spans and document order agree with the paths, which are all different."""
    made = make_articles(np.random.default_rng(3), template, 5, 150)
    assert all(normalised_path(path) == path for path in made.paths)
    places = list(zip(made.document, made.paths, strict=True))
    assert len(set(places)) == len(places)
    np.testing.assert_array_equal(nearest_ancestors(made.document.tolist(), made.paths), made.parent)
    assert [depth_of(path) for path in made.paths] == made.depth.tolist()
    for element in range(len(made.paths)):
        mine = made.document == made.document[element]
        inside = np.flatnonzero(
            [same and contains(made.paths[element], path) for same, path in zip(mine, made.paths, strict=True)]
        )
        np.testing.assert_array_equal(inside, np.arange(element + 1, made.last[element]))
        assert (made.start[inside] >= made.start[element]).all()
        assert (made.end[inside] <= made.end[element]).all()
    assert (made.size > 0).all()


@TEMPLATES
def test_text_is_laid_out_without_gaps(template):
    """Paragraphs and headings tile every article, and siblings do not overlap."""
    made = make_articles(np.random.default_rng(4), template, 4, 120)
    for document in range(4):
        texts = np.flatnonzero((made.document == document) & (made.kind == TEXT))
        assert made.start[texts[0]] == 0
        np.testing.assert_array_equal(made.end[texts[:-1]], made.start[texts[1:]])
        assert made.end[texts[-1]] == made.length[document]
    for parent in np.unique(made.parent[made.parent >= 0]):
        children = np.flatnonzero(made.parent == parent)
        assert (made.end[children[:-1]] <= made.start[children[1:]]).all()


@TEMPLATES
def test_articles_have_as_many_elements_as_asked(template):
    """Inline elements make up what is missing; without any, only the structure is left."""
    made = make_articles(np.random.default_rng(5), template, 300, 160)
    assert len(made.paths) / 300 == pytest.approx(160, rel=0.05)
    bare = make_articles(np.random.default_rng(5), template, 300, 1)
    assert not (bare.kind == INLINE).any()
    assert len(bare.paths) / 300 == pytest.approx(90 if template is IEEE else 25, rel=0.15)
    paragraphs = [path.rpartition("/")[2].startswith("p[") for path in bare.paths]
    assert bare.size[paragraphs].mean() == pytest.approx(308, rel=0.05)
    assert all((bare.kind[bare.document == document] == SECTION).any() for document in range(300))


def test_elements_of_some_articles():
    """Elements are gathered article by article, in the order asked for."""
    made = make_articles(np.random.default_rng(6), WIKIPEDIA, 4, 30)
    elements, owner = made.elements_of(np.array([2, 0]))
    np.testing.assert_array_equal(
        elements, np.r_[np.flatnonzero(made.document == 2), np.flatnonzero(made.document == 0)]
    )
    np.testing.assert_array_equal(made.document[elements], np.array([2, 0])[owner])
