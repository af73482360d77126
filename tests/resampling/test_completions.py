"""Bounds over all completions of the judgments: against every vertex, drawn completions, and the residual of RBP."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import simulate_collection
from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.figures.style import figure_png
from metaeval.metrics import expectations, metric_values, resolve_metrics
from metaeval.questions.judgments.page import completions_section
from metaeval.resampling.completions import bounds_where_possible, completion_bounds, exceeds_always

pytestmark = pytest.mark.usefixtures("one_core")
METRICS = ["P@5", "RBP(p=0.8)", "RBP(p=0.5, rel=1)@4", "SDCG@6", "INSQ(T=2)@20"]


def _t(differences):
    return differences.mean() / np.sqrt(differences.var(ddof=1) / len(differences))


@given(seed=st.integers(0, 10**6))
def test_t_stays_above_the_limit_at_every_corner(seed):
    """What exceeds always does so at every corner of the bounds; what does not falls short there, or nearly."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 8))
    lower = generator.normal(0.3, 0.2, (4, n))
    upper = lower + generator.exponential(0.1, (4, n)) * (generator.random((4, n)) < 0.7)
    limit = float(generator.uniform(0.5, 4))
    for low, high, found in zip(lower, upper, exceeds_always(lower, upper, limit), strict=True):
        corners = [_t(np.where(ends, high, low)) for ends in product([False, True], repeat=n)]
        if found:
            assert min(corners) >= limit - 1e-6
        else:
            middle = np.where(np.argsort(np.argsort(-(low + high))) < n // 2, high, low)
            assert min(*corners, _t(middle)) < limit or min(corners) < 1.5 * limit


def _drawn(seed, **options):
    generator = np.random.default_rng(seed)
    names = [f"d{place}" for place in range(16)]
    rankings, judged, every = {run: {} for run in "abc"}, {}, {}
    for topic in ("1", "2", "3", "4"):
        levels = np.maximum(generator.integers(-1, 3, 16), 0)
        levels[0] = 2
        every[topic] = dict(zip(names, levels.tolist(), strict=True))
        judged[topic] = dict(list(every[topic].items())[:9])
        for lists in rankings.values():
            lists[topic] = generator.permutation(names)[: generator.integers(2, 17)].tolist()
    return collection_from_rankings(rankings, judged, **options), collection_from_rankings(rankings, every)


@settings(max_examples=8)
@given(seed=st.integers(0, 10**6))
def test_differences_of_other_judgments_lie_within_the_bounds(seed):
    """Of all runs and measures; knowing what two runs share makes the bounds no wider."""
    collection, whole = _drawn(seed, retrieved="all")
    found = completion_bounds(collection, METRICS)
    means = metric_values(whole, METRICS).mean(axis=2)
    difference = means[:, found.first] - means[:, found.second]
    assert (difference >= found.low - 1e-12).all()
    assert (difference <= found.high + 1e-12).all()
    apart = completion_bounds(_drawn(seed)[0], METRICS)
    assert (apart.low <= found.low + 1e-12).all()
    assert (apart.high >= found.high - 1e-12).all()
    assert np.array_equal(apart.difference, found.difference)
    assert not apart.shared
    residual = expectations(collection, ["RBP(p=0.8)"]).residual[0].mean(axis=1)
    assert apart.high[1] - apart.difference[1] == pytest.approx(residual[apart.first])


def test_what_holds_is_significant_under_drawn_completions():
    """And with nothing unjudged every significant pair holds."""
    made = simulate_collection(n_groups=4, runs_per_group=2, n_topics=25, n_documents=300, depth=20, rng=1)
    collection = made.to_collection()
    found = completion_bounds(collection, ["RBP(p=0.8)"], correction="none")
    assert 0 < found.holds.sum() < found.significant.sum()
    assert (found.holds <= found.significant & found.same_winner).all()
    assert f"{found.holds.sum()} of {found.significant.sum()} significant pairs hold" in repr(found)
    frame = found.pairs()
    assert frame["holds"].sum() == found.to_frame()["n_hold"].item()
    rankings = {"a": {}, "b": {}, "c": {}}
    generator = np.random.default_rng(0)
    names = [f"d{place}" for place in range(1000)]
    qrels = {}
    for topic in map(str, range(12)):
        qrels[topic] = {name: int(generator.random() < 0.2) for name in names} | {"d0": 1}
        order = generator.permutation(names)
        good = sorted(order, key=lambda name, topic=topic: -qrels[topic][name] + generator.normal(0, 0.7))
        rankings["a"][topic], rankings["b"][topic], rankings["c"][topic] = good, order.tolist(), order[::-1].tolist()
    complete = completion_bounds(collection_from_rankings(rankings, qrels), ["P@10", "RBP(p=0.8)"])
    assert complete.significant.any()
    assert np.array_equal(complete.holds, complete.significant)


def test_measures_whose_documents_do_not_add_up_are_refused():
    """So are condensed lists, on which nothing is unjudged."""
    for name in ("nDCG@10", "INST", "RBP'(p=0.5)"):
        with pytest.raises(InvalidOptionError, match="has no bounds here: documents do not add up; there are P, RBP"):
            completion_bounds(_drawn(1)[0], [name])
    chosen = resolve_metrics(["P@3", "INST", "nDCG@10"])
    found = bounds_where_possible(_drawn(1)[0], chosen)
    assert (found.metrics, found.left_out) == (("P@3",), ("INST", "nDCG@10"))
    assert "being no sums over documents: INST and nDCG@10." in completions_section(found)[0].blocks[0].caption
    assert figure_png(found.plot()).startswith(b"\x89PNG")
    assert bounds_where_possible(_drawn(1)[0], chosen[1:]) is None
