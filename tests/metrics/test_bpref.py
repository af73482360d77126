"""bpref and its scalings: facts beyond the common laws."""


def test_the_scalings_differ_where_non_relevant_documents_are_few(values_of):
    """R = 2, N = 1, one non-relevant document on top: n = 1 for both relevant ones."""
    qrels = {"n": 0, "d1": 1, "d2": 1}
    names = ["bpref", "bpref_R", "bpref_N"]
    assert values_of(["n", "d1", "d2"], qrels, names).tolist() == [0.0, 0.5, 0.0]
    assert values_of(["d1", "d2", "n"], qrels, names).tolist() == [1.0, 1.0, 1.0]
    assert values_of(["d1"], {"d1": 1, "d2": 1}, names).tolist() == [0.5, 0.5, 0.5]


def test_bpref_n_has_no_cap_at_r(values_of):
    """R = 1, N = 4, two non-relevant documents above: bpref is at its floor, bpref_N half way."""
    qrels = {"d1": 1, "n1": 0, "n2": 0, "n3": 0, "n4": 0}
    assert values_of(["n1", "n2", "d1"], qrels, ["bpref", "bpref_R", "bpref_N"]).tolist() == [0.0, 0.0, 0.5]


def test_a_spam_level_is_judged_and_an_unjudged_pool_document_is_not(values_of):
    """Level -2 counts against bpref and in condensed lists; level -1 and no line do not."""
    names = ["bpref", "AP'", "Judged@2"]
    assert values_of(["x", "d1"], {"x": -2, "d1": 1, "d2": 0}, names).tolist() == [0.0, 0.5, 1.0]
    assert values_of(["x", "d1"], {"x": -1, "d1": 1, "d2": 0}, names).tolist() == [1.0, 1.0, 0.5]
    assert values_of(["x", "d1"], {"d1": 1, "d2": 0}, names).tolist() == [1.0, 1.0, 0.5]
