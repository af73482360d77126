"""AP: facts beyond the common laws."""

import pytest


def test_documents_never_retrieved_count_zero(values_of):
    """Relevant at ranks 1 and 3 of R = 4: (1 + 2/3) / 4."""
    qrels = {"d1": 1, "d2": 0, "d3": 2, "d4": 1, "d5": 1}
    assert values_of(["d1", "d2", "d3"], qrels, ["AP"])[0] == pytest.approx((1 + 2 / 3) / 4)


def test_a_cutoff_sums_fewer_ranks_over_the_same_number(values_of):
    """AP@1 divides by R, as map_cut of trec_eval, so an ideal list below it does not reach 1."""
    qrels = {"d1": 1, "d2": 1}
    assert values_of(["d1", "d2"], qrels, ["AP@1", "AP@2", "AP"]).tolist() == [0.5, 1.0, 1.0]


def test_condensing_closes_up_the_ranks(values_of):
    """An unjudged document on top halves AP and leaves AP'."""
    assert values_of(["x", "d1"], {"d1": 1, "d2": 0}, ["AP", "AP'"]).tolist() == [0.5, 1.0]
