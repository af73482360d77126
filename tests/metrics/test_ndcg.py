"""nDCG: facts beyond the common laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st


def test_the_original_discount_cannot_tell_ranks_one_and_two_apart(values_of):
    """It starts below rank a = 2 (Sakai and Kando 2008, section 3.4); the one of Burges et al. starts at once."""
    qrels = {"d1": 1, "d2": 0}
    upper, lower = (values_of(order, qrels, ["nDCG(a=2)", "nDCG"]) for order in (["d1", "d2"], ["d2", "d1"]))
    assert upper[0] == lower[0] == 1
    assert upper[1] > lower[1]


@given(levels=st.lists(st.integers(0, 3), min_size=1, max_size=15))
def test_ideal_rankings_score_one_but_not_under_rbp(values_of, levels):
    """Q, nDCG and AP compare with the ideal ranking; RBP does not know it."""
    qrels = {f"d{place}": level for place, level in enumerate(sorted([*levels, 3], reverse=True))}
    names = ["Q", "nDCG", "nDCG(a=2)", "AP", "nDCG(gains=exponential)", "nDCG@5"]
    assert values_of(list(qrels), qrels, names) == pytest.approx(1.0)
    assert values_of(list(qrels), qrels, ["RBP(p=0.95)"])[0] < 0.999


def test_gains_need_not_rise_with_the_level(values_of):
    """The ideal ranking is by gain: under {1:3, 2:1} the document at level 1 comes first."""
    qrels = {"d1": 1, "d2": 2}
    first, second = (values_of(order, qrels, ["nDCG(gains={1:3, 2:1})"])[0] for order in (["d1", "d2"], ["d2", "d1"]))
    assert first == 1
    assert second < 1
