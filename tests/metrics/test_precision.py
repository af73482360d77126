"""P, R, Success, Rprec and RR: facts beyond the common laws."""


def test_precision_divides_by_k_also_for_short_lists(values_of):
    """Two documents retrieved, one relevant of three: P@10 is a tenth, R@10 a third."""
    qrels = {"d1": 1, "d2": 0, "d3": 1, "d4": 1}
    assert values_of(["d2", "d1"], qrels, ["P@10", "R@10", "Success@1", "Success@2", "RR", "RR@1"]).tolist() == [
        0.1, 1 / 3, 0, 1, 0.5, 0,
    ]  # fmt: skip


def test_r_precision_looks_down_to_the_number_of_relevant_documents(values_of):
    """Of R = 2 one stands in the top 2; at level 2 and above R = 1, and the top document is not it."""
    qrels = {"d1": 1, "d2": 0, "d3": 2}
    assert values_of(["d1", "d2", "d3"], qrels, ["Rprec", "Rprec(rel=2)"]).tolist() == [0.5, 0.0]


def test_a_threshold_moves_the_first_relevant_rank(values_of):
    """rel= is the lowest level that counts."""
    qrels = {"d1": 1, "d2": 2, "d3": 3}
    names = ["RR", "RR(rel=2)", "RR(rel=3)", "RR(rel=3)@2"]
    assert values_of(["d1", "d2", "d3"], qrels, names).tolist() == [1, 1 / 2, 1 / 3, 0]
