"""RBP: the published table, and the top of the scale."""

import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics import metric_values


@pytest.mark.parametrize(
    ("p", "printed"),
    [(0.5, (".5", ".9990", "1", "1")), (0.8, (".2", ".8926", "1", "1")), (0.95, (".05", ".4013", ".9941", "1"))],
)
def test_ideal_binary_rankings_give_table_1(values_of, p, printed):
    """Sakai and Kando (2008), Table 1: R = 1, 10, 100, 1000 relevant documents, all retrieved first."""
    for number, text in zip((1, 10, 100, 1000), printed, strict=True):
        names = [f"d{place}" for place in range(number)]
        value = float(values_of(names, dict.fromkeys(names, 1), [f"RBP(p={p})"])[0])
        digits = len(text.removeprefix(".")) if text.startswith(".") else 4
        assert round(value, digits) == float(text)


def test_gains_are_shares_of_the_top_levels_gain(values_of):
    """The highest level over all topics, or max_level=; binary gains with rel= have no scale."""
    qrels = {"d1": 2, "d2": 1}
    names = ["RBP(0.5)", "RBP(p=0.5, max_level=4)", "RBP(gains=exponential, p=0.5)", "RBP(p=0.5, rel=1)"]
    assert values_of(["d1", "d2"], qrels, names) == pytest.approx([5 / 8, 5 / 16, 1 / 2 + 1 / 12, 3 / 4])


def test_the_scale_is_common_to_all_topics():
    """A topic whose best document is at level 1 is still measured against level 3."""
    runs = {"run": {"1": ["d1"], "2": ["d1"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 3}, "2": {"d1": 1}})
    assert metric_values(collection, ["RBP(p=0.5)"])[0, 0] == pytest.approx([1 / 2, 1 / 6])
