"""bpref and its scalings: facts beyond the common laws."""

import pytest


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


@pytest.mark.parametrize("level", [-1, -2, -9, -(2**15)])
def test_a_negative_level_is_no_judgment(values_of, level):
    """Spam at -2 and any other negative level count neither against bpref nor in condensed lists; level 0 does."""
    names = ["bpref", "AP'", "Judged@2"]
    assert values_of(["x", "d1"], {"x": level, "d1": 1, "d2": 0}, names).tolist() == [1.0, 1.0, 0.5]
    assert values_of(["x", "d1"], {"d1": 1, "d2": 0}, names).tolist() == [1.0, 1.0, 0.5]
    assert values_of(["x", "d1"], {"x": 0, "d1": 1, "d2": 0}, names).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("level", [None, 0, -1, -2, -3, -9])
def test_negative_levels_are_those_of_trec_eval(values_of, level):
    """bpref, infAP and the measures that know no pool are those of trec_eval, retrieved or not."""
    names = {"bpref": "bpref", "infAP": "infAP", "AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "Rprec": "Rprec"}
    run = ["a", "b", "c", "d", "e", "f"]
    for document in ("b", "z"):
        qrels = {"a": 0, "c": 1, "d": 0, "e": 2, "g": 0, "h": 1} | ({} if level is None else {document: level})
        evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator({"1": qrels}, set(names.values()))
        expected = evaluator.evaluate({"1": {name: -float(rank) for rank, name in enumerate(run)}})["1"]
        found = values_of(run, qrels, list(names)).tolist()
        assert found == pytest.approx([expected[other] for other in names.values()], abs=1e-12)
