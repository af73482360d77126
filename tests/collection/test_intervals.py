import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.intervals import compare_results, highlighted


@st.composite
def passages(draw):
    """Draw ascending passages without overlap, as starts and stops."""
    edges = sorted(draw(st.lists(st.integers(0, 40), unique=True, max_size=10)))
    edges = edges[: len(edges) // 2 * 2]
    return np.array(edges[::2], dtype=np.int64), np.array(edges[1::2], dtype=np.int64)


def characters(starts, stops):
    return {place for start, stop in zip(starts, stops, strict=True) for place in range(start, stop)}


@given(passages(), st.integers(0, 45), st.integers(0, 20))
def test_highlighted_counts_characters(text, start, length):
    """Intersecting intervals gives what counting single characters gives."""
    expected = len(characters(*text) & set(range(start, start + length)))
    assert highlighted(*text, start, start + length) == expected


@given(
    passages(),
    st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 45), st.integers(0, 20)), max_size=12),
)
def test_results_are_compared_character_by_character(text, results):
    """Highlighted, unseen and overlapping parts are those of sets of characters, for every order of results."""
    starts, stops = text
    articles = np.array([article for article, _, _ in results], dtype=np.int64)
    order = np.argsort(articles, kind="stable")
    bounds = np.searchsorted(articles[order], [0, 1, 2]).astype(np.int64)
    places = np.array([start for _, start, _ in results], dtype=np.int64)
    lengths = np.array([length for _, _, length in results], dtype=np.int64)
    documents = np.where(articles == 0, 0, -1)  # article 1 was never judged
    offsets = np.array([0, len(starts)], dtype=np.int64)
    relevant, unseen, unseen_relevant, overlaps = compare_results(
        bounds, order, places, lengths, documents, offsets, starts, stops
    )
    good = {0: characters(starts, stops), 1: set()}
    seen = {0: set(), 1: set()}
    for number, (article, start, length) in enumerate(results):
        own = set(range(start, start + length)) if start >= 0 else set()
        new = own - seen[article]
        assert relevant[number] == len(own & good[article])
        assert unseen[number] == (len(new) if start >= 0 else length)
        assert unseen_relevant[number] == len(new & good[article])
        assert overlaps[number] == (len(new) < len(own))
        seen[article] |= own
