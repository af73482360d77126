"""Judged: facts beyond the common laws."""


def test_short_lists_count_at_their_own_length(values_of):
    """As ir_measures has it; P@10 divides by 10 all the same."""
    names = ["Judged@10", "Judged@1", "Judged", "P@10"]
    assert values_of(["d1", "d2"], {"d1": 1, "d2": 0}, names).tolist() == [1.0, 1.0, 1.0, 0.1]


def test_unjudged_documents_lower_the_share_down_to_the_cutoff(values_of):
    """Two of three, three of five."""
    qrels = {"d1": 1, "d2": 0, "d3": 0}
    assert values_of(["d1", "x", "d2", "y", "d3"], qrels, ["Judged@3", "Judged@5", "Judged@2"]).tolist() == [
        2 / 3, 3 / 5, 1 / 2,
    ]  # fmt: skip
