"""Q: facts beyond the common laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st


@given(relevant=st.lists(st.booleans(), min_size=1, max_size=20).filter(any), missed=st.integers(0, 5))
def test_q_equals_ap_on_binary_gains_down_to_rank_r_and_exceeds_it_below(values_of, relevant, missed):
    """Sakai and Kando (2008), section 3.4; and beta = 0 is AP always."""
    names = [f"d{place}" for place in range(len(relevant))]
    qrels = {name: int(one) for name, one in zip(names, relevant, strict=True)}
    qrels |= {f"missed{number}": 1 for number in range(missed)}
    q, flat, ap = values_of(names, qrels, ["Q", "Q(beta=0)", "AP"])
    if any(relevant[sum(relevant) + missed :]):
        assert q > ap
    else:
        assert q == pytest.approx(ap, abs=1e-12)
    assert flat == pytest.approx(ap, abs=1e-12)


def test_q_can_rise_when_a_document_moves_below_a_better_one(values_of):
    """Under graded gains, so Q is not declared monotone. AP falls on the same exchange."""
    qrels = {"low": 1, "mid": 2, "high": 3, "n1": 0, "n2": 0}
    before = values_of(["n1", "x", "low", "mid", "y", "high", "n2"], qrels, ["Q", "AP"])
    after = values_of(["n1", "x", "n2", "mid", "y", "high", "low"], qrels, ["Q", "AP"])
    assert before[0] == pytest.approx((2 / 9 + 5 / 10 + 9 / 12) / 3)
    assert after[0] == pytest.approx((3 / 10 + 7 / 12 + 9 / 13) / 3)
    assert after[0] > before[0]
    assert after[1] < before[1]


def test_a_large_beta_forgives_late_documents(values_of):
    """Sakai and Kando (2008), section 3.1: the gain outweighs the rank."""
    qrels = {"d1": 3, **{f"n{place}": 0 for place in range(9)}}
    late = [*(f"n{place}" for place in range(9)), "d1"]
    strict, mild = values_of(late, qrels, ["Q(beta=1)", "Q(beta=100)"])
    assert (strict, mild) == pytest.approx((4 / 13, 301 / 310))
