"""infAP: against trec_eval's own code on pools of which a part was judged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st


@given(
    levels=st.lists(st.integers(-1, 2), min_size=1, max_size=20),
    n_strangers=st.integers(0, 8),
    seed=st.integers(0, 1000),
)
def test_sampled_pools_give_the_values_of_trec_eval(values_of, levels, n_strangers, seed):
    """Level -1 is pooled but not judged for both; strangers are outside the pool. bpref and AP agree as well."""
    qrels = {f"d{place}": level for place, level in enumerate(levels)} | {"r": 2}
    pool = [*qrels, *(f"u{place}" for place in range(n_strangers))]
    ranking = np.random.default_rng(seed).permutation(pool).tolist()
    run = {doc: float(-place) for place, doc in enumerate(ranking)}
    evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator({"1": qrels}, {"infAP", "bpref", "map"})
    theirs = evaluator.evaluate({"1": run})["1"]
    expected = [theirs["infAP"], theirs["bpref"], theirs["map"]]
    assert values_of(ranking, qrels, ["infAP", "bpref", "AP"]) == pytest.approx(expected, abs=1e-9)


def test_a_fully_judged_pool_gives_ap_up_to_the_smoothing(values_of):
    """With nothing left to infer, only the epsilon of 0.00001 remains."""
    qrels = {"d1": 1, "d2": 0, "d3": 1, "d4": 0}
    inferred, plain = values_of(["d1", "d2", "d3", "d4"], qrels, ["infAP", "AP"])
    assert inferred == pytest.approx(plain, abs=1e-5)
