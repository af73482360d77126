"""Documents are told apart by their bytes, lists are sorted, whatever the hashes say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection import document_codes, ranking
from metaeval.collection.assembly import RetrievedLines, collection_from_rankings
from metaeval.collection.document_codes import hash_documents, identifier_array
from metaeval.collection.ranking import RankingProblem, ordered_lists

QRELS = {"1": {"a": 1, "b": 2, "ab": 0}, "2": {"a": 0, "c": 1}}
RANKINGS = {
    "r": {"1": ["x", "b", "y", "ab"], "2": ["b", "a", "x"]},
    "s": {"1": ["y", "a"], "2": ["x", "c", "y"]},
}
names = st.lists(st.binary(min_size=1, max_size=3), min_size=1, max_size=30)


def lines(documents, lists, keys):
    """Lay out documents of the topics 0, 1 and 2."""
    return RetrievedLines("r", documents, ["0", "1", "2"], np.array(lists), np.array(keys, float)).laid_out(
        ["0", "1", "2"]
    )


def test_equal_hashes_do_not_merge_documents(monkeypatch):
    """With one hash for everything, codes and judgments stay what they are."""
    told_apart = collection_from_rankings(RANKINGS, QRELS, retrieved="all")
    for module in (ranking, document_codes):
        monkeypatch.setattr(module, "hash_documents", lambda _, starts, __: np.zeros(len(starts), dtype=np.uint64))
    monkeypatch.setattr(document_codes, "_with_topic", lambda hashes, _: hashes)
    collided = collection_from_rankings(RANKINGS, QRELS, retrieved="all")
    assert collided.judgments.tolist() == told_apart.judgments.tolist()
    assert collided.retrieved.codes.tolist() == told_apart.retrieved.codes.tolist()
    assert collided.retrieved.n_codes == 5 + len({("1", "x"), ("1", "y"), ("2", "b"), ("2", "x"), ("2", "y")})
    with pytest.raises(ValueError, match="document 'a' twice"):
        collection_from_rankings({"r": {"1": ["a", "b", "a"]}}, QRELS)


@given(names, st.data())
def test_lists_are_sorted_by_key_then_identifier_both_descending(documents, data):
    """The merge sort equals Python's, for any lists, ties and input order; byte order is unsigned."""
    n_lines = len(documents)
    lists = data.draw(st.lists(st.integers(0, 2), min_size=n_lines, max_size=n_lines))
    keys = data.draw(st.lists(st.integers(-1, 1), min_size=n_lines, max_size=n_lines))
    laid_out = lines(documents, lists, keys)
    hashes = hash_documents(laid_out.text, laid_out.starts, laid_out.lengths)
    entries = list(zip(lists, documents, strict=True))
    repeated = [place for place, entry in enumerate(entries) if entry in entries[:place]]
    if repeated:
        with pytest.raises(RankingProblem) as caught:
            ordered_lists(laid_out, "score", hashes=hashes)
        assert (caught.value.first, caught.value.second) == (entries.index(entries[repeated[0]]), repeated[0])
        return
    sequence, bounds = ordered_lists(laid_out, "score", hashes=hashes)
    expected = sorted(range(n_lines), key=lambda place: (-lists[place], keys[place], documents[place]), reverse=True)
    assert sequence.tolist() == expected
    assert np.diff(bounds).tolist() == [lists.count(number) for number in range(3)]


def test_a_long_list_in_the_worst_order_is_sorted():
    """A list in exactly the wrong order, and one in random order with many ties."""
    documents = [f"d{number:05d}".encode() for number in range(5000)]
    for keys in (np.arange(5000), np.random.default_rng(0).integers(0, 7, 5000)):
        laid_out = lines(documents, np.zeros(5000, dtype=int), keys)
        hashes = hash_documents(laid_out.text, laid_out.starts, laid_out.lengths)
        sequence, _ = ordered_lists(laid_out, "score", hashes=hashes)
        assert sequence.tolist() == np.lexsort((-np.arange(5000), -keys)).tolist()


def test_very_long_lists_are_ordered_as_short_ones(monkeypatch):
    """The way through very long lists, block by block of equal scores, ends in the same order."""
    rng = np.random.default_rng(1)
    names = [f"d{number}".encode() for number in rng.permutation(3000)]
    topics, keys = rng.integers(0, 2, 3000), rng.integers(-3, 3, 3000) / 4.0
    lines = RetrievedLines("r", names, ["1", "2"], topics, keys).laid_out(["2", "1"])
    hashes = hash_documents(lines.text, lines.starts, lines.lengths)
    expected = ordered_lists(lines, "score", hashes=hashes)
    monkeypatch.setattr(ranking, "_LONG", 10)
    found = ordered_lists(lines, "score", hashes=hashes)
    assert np.array_equal(found[0], expected[0])
    assert np.array_equal(found[1], expected[1])


def test_identifiers_are_one_array_of_either_kind():
    """Both kinds index, compare and turn into lists alike; only one pays for the longest name."""
    for names in ([b"b", b"", b"abc"], [b"b"] * 9 + [b"x" * 10**6, b"b"]):
        array = identifier_array(names)
        assert array.tolist() == names
        assert (array == b"b").tolist() == [name == b"b" for name in names]
        assert array[[1, 0]].tolist() == [names[1], names[0]]
        assert array.nbytes < 10**5
    assert identifier_array([]).tolist() == []
