"""Metrics written as functions of one topic equal the kernels, under every quantisation."""

import lzma
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.io.trec import read_collection
from metaeval.metrics import BUILTIN, RankedTopic, load_plugin, metric, metric_values, resolve_metrics
from metaeval.testing import simulated_collections

GAINS = ("linear", "exponential", "binary(rel=3)", "binary(rel=2)", "{1:0, 2:1, 3:1}", "{1:5, 2:0.5, 3:7}")
graded = partial(metric, graded=True)


@graded(name="FunctionNDCG")
def ndcg(topic: RankedTopic, *, k: int | None = None) -> float:
    """Discounted gain over that of an ideal ranking."""
    gains, ranks, ideal = topic.gains[topic.ranks <= (k or np.inf)], topic.ranks, topic.ideal_gains[:k]
    return gains @ (1 / np.log2(ranks[: len(gains)] + 1)) / (ideal @ (1 / np.log2(np.arange(len(ideal)) + 2)))


@graded(name="FunctionQ")
def q_measure(topic: RankedTopic, *, beta: float = 1.0) -> float:
    """Mean blended ratio."""
    ratios, gain, count = 0.0, 0.0, 0
    for rank, own in zip(topic.ranks, topic.gains, strict=True):
        if own > 0:
            gain, count = gain + own, count + 1
            ratios += (beta * gain + count) / (beta * topic.ideal_gains[:rank].sum() + rank)
    return ratios / len(topic.ideal_gains)


@graded(name="FunctionRBP")
def rank_biased_precision(topic: RankedTopic, *, p: float, max_level: int | None = None) -> float:
    """Gain with the weights of a persistent reader, over the gain of the top level."""
    top = topic.top_level if max_level is None else max_level
    return (1 - p) * (topic.gains @ p ** (topic.ranks - 1)) / topic.gain_of_level[top]


@metric(name="FunctionERR")
def expected_reciprocal_rank(topic: RankedTopic, *, max_level: int | None = None) -> float:
    """Mean 1/rank at which a reader is satisfied."""
    stops = (2.0**topic.levels - 1) / 2 ** (max_level or topic.top_level)
    goes_on = np.cumprod(np.append(1.0, 1 - stops[:-1]))
    return float(goes_on @ (stops / topic.ranks)) if len(stops) else 0.0


PAIRS = (
    *[(f"FunctionNDCG(gains={gains})", f"nDCG(gains={gains})") for gains in GAINS],
    *[(f"FunctionNDCG'(gains={gains})@5", f"nDCG'(gains={gains})@5") for gains in GAINS],
    *[(f"FunctionQ(gains={gains}, beta=10)", f"Q(gains={gains}, beta=10)") for gains in GAINS],
    *[(f"FunctionQ'(gains={gains})", f"Q'(gains={gains})") for gains in GAINS],
    *[(f"FunctionRBP(gains={gains}, p=0.8)", f"RBP(gains={gains}, p=0.8)") for gains in GAINS],
    ("FunctionRBP(p=0.5, max_level=6)", "RBP(p=0.5, max_level=6)"),
    ("FunctionRBP'(p=0.5)", "RBP'(p=0.5)"),
    ("FunctionERR", "ERR"),
    ("FunctionERR'", "ERR'"),
    ("FunctionERR(max_level=6)", "ERR(max_level=6)"),
)
REGISTRY = BUILTIN.extend(ndcg, q_measure, rank_biased_precision, expected_reciprocal_rank)
FUNCTIONS, KERNELS = (resolve_metrics(names, registry=REGISTRY) for names in zip(*PAIRS, strict=True))


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_measures_written_as_functions_equal_the_built_in_kernels(seed):
    """They get what kernels have: gains of retrieved documents, of every level, and of an ideal ranking."""
    for rankings, qrels in simulated_collections(np.random.default_rng(seed), 1):
        collection = collection_from_rankings(rankings, qrels)
        values, expected = (metric_values(collection, metrics) for metrics in (FUNCTIONS, KERNELS))
        for names, own, built_in in zip(PAIRS, values, expected, strict=True):
            assert own == pytest.approx(built_in, abs=1e-12), names


def test_grades_that_are_not_whole_are_keys_of_their_gains():
    """A function sees grades, and finds the gain of each under it; a level that a table does not name is left out."""
    seen = []

    @graded(bounds=(0, 9))
    def spy(topic: RankedTopic) -> float:
        seen.append(topic)
        return 0.0

    qrels = {"1": {"a": 0.5, "b": 2.25, "c": 0, "d": -1}}
    metric_values(collection_from_rankings({"x": {"1": ["c", "a"]}}, qrels), [spy])
    whole = collection_from_rankings({"x": {"1": ["b"]}}, {"1": {"a": 1, "b": 4, "c": 4}})
    metric_values(whole, ["spy(gains={1:2, 4:3})"], registry=BUILTIN.extend(spy))
    assert [dict(one.gain_of_level) for one in seen] == [{0: 0, 0.5: 0.5, 2.25: 2.25}, {0: 0, 1: 2, 4: 3}]
    assert [one.ideal_gains.tolist() for one in seen] == [[2.25, 0.5], [3, 3, 2]]


def test_what_all_runs_share_cannot_be_changed():
    """Gains that one function writes to would be those of every run after it."""

    @graded(name="Vandal")
    def vandal(topic: RankedTopic) -> float:
        topic.ideal_gains[:] = 0
        return 0.0

    collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    with pytest.raises(ValueError, match="read-only"):
        metric_values(collection, [vandal])


def half_life(names, judged, gain, k=10):
    """Return the half-life utility of a list, with a half-life of five ranks, in plain Python."""
    found = sum(gain.get(judged.get(name), 0) / 2 ** (place / 4) for place, name in enumerate(names[:k]))
    ideal = sorted((gain.get(level, 0) for level in judged.values()), reverse=True)[:k]
    best = sum(one / 2 ** (place / 4) for place, one in enumerate(ideal))
    return found / best if best else 0.0


def test_half_life_utility_of_two_grades_on_deep_learning(checkout, data_folder):
    """A run of TREC 2019, grades 2 and 3 alike: .7480, as counted from its lines (.2811 is over sums of grades)."""
    folder = data_folder / "trec-dl19-passage"
    collection = read_collection(folder / "runs" / "idst_bert_p2.xz", folder / "qrels.txt.gz")
    registry = BUILTIN.extend(*load_plugin(checkout / "examples" / "plugin" / "metaeval_graded.py"))
    (scores,) = metric_values(collection, ["HLU(gains={1:0, 2:1, 3:1})@10"], registry=registry)
    assert scores.mean() == pytest.approx(0.7480, abs=5e-5)
    with lzma.open(folder / "runs" / "idst_bert_p2.xz", "rt") as file:
        lines = [line.split() for line in file]
    topic = collection.topics[0]
    ranked = sorted((line for line in lines if line[0] == topic), key=lambda line: float(line[4]), reverse=True)
    levels = collection.levels[: collection.topic_offsets[1]].tolist()
    judged = dict(zip(collection.documents(topic), levels, strict=True))
    literal = half_life([line[2] for line in ranked], judged, {2: 1, 3: 1})
    assert scores[0, 0] == pytest.approx(literal, abs=1e-12)
