"""Reduced judgments against rewritten qrels and pools made of sets, laws, trec_eval and bad input."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import floor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.passages import passage_collection
from metaeval.metrics import metric_values
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.simulate.collection import simulate_collection

STEPS = {"%": (100, 63, 37.5, 8), "documents": (12, 7, 3, 1), "ranks": (4, 2, 1)}
RANDOM = [name for name, one in REDUCTIONS.items() if one.random]
BY_POOL = ["depth", "ranks", "share", "size", "reciprocal-rank"]


def nearest(count, percent):
    """Round to the nearest, halves up, at least 1 of what is there."""
    return min(count, max(1, floor(Fraction(percent) * count / 100 + Fraction(1, 2))))


def steps_of(name):
    return STEPS[REDUCTIONS[name].unit]


def parts(levels):
    """Return names of the relevant and of the other judged documents."""
    return (
        {name for name, level in levels.items() if level > 0},
        {name for name, level in levels.items() if level == 0},
    )


@given(data=st.data(), seed=st.integers(0, 9))
def test_random_reductions_keep_what_their_formula_says(data, seed, random_cases, literal):
    """Per topic the number kept is that of the formula, levels stay, and what goes is unjudged but pooled."""
    case = data.draw(random_cases())
    collection = case.collection(retrieved="judged")
    for name, kept_of in {
        "stratified": lambda r, n, j: (min(r, max(1, r * j // 100)), min(n, max(10, n * j // 100))),
        "relevant": lambda r, n, j: (nearest(r, j), n),
    }.items():
        reduced = reduce_judgments(collection, reduction=name, steps=steps_of(name), rng=seed)
        for step, levels in zip(steps_of(name), reduced.levels, strict=True):
            left = literal.as_qrels(collection, levels)
            for topic, full in case.qrels.items():
                assert left[topic].keys() == full.keys()
                assert all(level in (full[doc], UNJUDGED) for doc, level in left[topic].items())
                sizes = [len(part) for part in parts(full)]
                assert tuple(map(len, parts(left[topic]))) == kept_of(*sizes, Fraction(step))
    reduced = reduce_judgments(collection, reduction="random", steps=steps_of("random"), rng=seed)
    for step, levels in zip(steps_of("random"), reduced.levels, strict=True):
        for topic, left in literal.as_qrels(collection, levels).items():
            full = case.qrels[topic]
            judged = [doc for doc, level in full.items() if level != UNJUDGED]
            assert sum(level != UNJUDGED for level in left.values()) == nearest(len(judged), step)
            assert all(level in (full[doc], UNJUDGED) for doc, level in left.items())


@given(data=st.data())
def test_the_assessor_who_stops_early_judges_the_first_identifiers(data, random_cases, literal):
    """By document order the first of the judged documents stay judged, the others become unjudged."""
    case = data.draw(random_cases())
    collection = case.collection(retrieved="judged")
    reduced = reduce_judgments(collection, reduction="order", steps=STEPS["%"])
    for step, levels in zip(STEPS["%"], reduced.levels, strict=True):
        for topic, left in literal.as_qrels(collection, levels).items():
            full = case.qrels[topic]
            judged = sorted(doc for doc, level in full.items() if level != UNJUDGED)
            first = judged[: nearest(len(judged), step)]
            assert left == {doc: level if doc in first else UNJUDGED for doc, level in full.items()}


@given(data=st.data())
def test_reductions_by_pool_restrict_the_qrels_to_sets(data, random_cases, literal):
    """By depth, share, size and ranks the qrels are restricted to the union of tops that the definition names."""
    case = data.draw(random_cases())
    collection = case.collection()
    lists = {topic: case.lists(topic) for topic in case.qrels}
    original = {topic: literal.depth_of_size(many, len(case.qrels[topic])) for topic, many in lists.items()}

    def depth_of(name, topic, step):
        if name == "depth":
            return nearest(original[topic], step)
        if name == "ranks":
            return step
        percent = Fraction(step) * len(case.qrels[topic]) / 100
        return literal.depth_of_size(lists[topic], step if name == "size" else percent)

    for name in ("depth", "share", "size", "ranks"):
        reduced = reduce_judgments(collection, reduction=name, steps=steps_of(name))
        for step, levels in zip(steps_of(name), reduced.levels, strict=True):
            pools = {topic: literal.pool_of_depth(many, depth_of(name, topic, step)) for topic, many in lists.items()}
            assert literal.as_qrels(collection, levels) == literal.restricted(case.qrels, pools)


@given(data=st.data(), share=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_the_reciprocal_rank_pool_takes_the_largest_sums_of_inverse_ranks(data, share, random_cases, literal):
    """Exact sums, ties to whom pooling meets first; the rest of a mixed pool comes in rank by rank."""
    case = data.draw(random_cases())
    collection = case.collection()
    steps = STEPS["documents"]
    said = {} if share == 1 else {"reciprocal_rank_share": share}  # by default all of the pool
    reduced = reduce_judgments(collection, reduction="reciprocal-rank", steps=steps, **said)
    for step, levels in zip(steps, reduced.levels, strict=True):
        pools = {}
        for topic in case.qrels:
            score, met = Counter(), {}
            for number, one in enumerate(case.lists(topic)):
                for rank, name in enumerate(one, start=1):
                    score[name] += Fraction(1, rank)
                    met[name] = min(met.get(name, (rank, number)), (rank, number))
            n_voted = floor(Fraction(str(share)) * step)
            voted = sorted(score, key=lambda name: (-score[name], met[name]))[:n_voted]
            rest = [name for name in sorted(met, key=met.get) if name not in voted]
            pools[topic] = {*voted, *rest[: step - n_voted]}
        assert literal.as_qrels(collection, levels) == literal.restricted(case.qrels, pools)


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(max_examples=20)
@given(data=st.data(), seed=st.integers(0, 5))
def test_every_reduction_is_nested_and_never_adds(name, data, seed, random_cases):
    """A smaller step is inside a larger one, topics too; levels are those of before or a code; counts are right."""
    collection = data.draw(random_cases()).collection()
    reduced = reduce_judgments(collection, reduction=name, steps=steps_of(name), rng=seed)
    code = NOT_POOLED if name in BY_POOL else UNJUDGED
    assert ((reduced.levels == collection.levels) | (reduced.levels == code)).all()
    if code == UNJUDGED:
        assert (reduced.levels[:, collection.levels == UNJUDGED] == UNJUDGED).all()
    judged = (reduced.levels != UNJUDGED) & (reduced.levels != NOT_POOLED)
    judged &= reduced.topics[:, collection.topic_of_judgment]
    assert (judged[1:] <= judged[:-1]).all()  # steps fall
    assert (reduced.topics[1:] <= reduced.topics[:-1]).all()
    assert reduced.judged.tolist() == judged.sum(axis=1).tolist()
    assert reduced.relevant.tolist() == (judged & (reduced.levels > 0)).sum(axis=1).tolist()
    for row, levels in enumerate(reduced.levels):
        left = collection.rejudge(levels).n_relevant
        assert reduced.emptied[row] == (reduced.topics[row] & (collection.n_relevant > 0) & (left == 0)).sum()
    one = reduce_judgments(collection, reduction=name, steps=steps_of(name)[1:2], rng=seed)
    np.testing.assert_array_equal(one.levels[0], reduced.levels[1])  # a step does not depend on the others


@pytest.mark.parametrize("name", ["stratified", "random", "relevant", "order", "topics"])
def test_all_of_the_judgments_are_all_of_them(name):
    """At 100 % nothing changes."""
    collection = simulate_collection(n_topics=6, n_documents=150, depth=60, rng=1).to_collection()
    reduced = reduce_judgments(collection, reduction=name, steps=[100], rng=0)
    np.testing.assert_array_equal(reduced.levels[0], collection.levels)
    assert reduced.topics.all()
    assert reduced.judged[0] == collection.judged.sum()


def test_a_share_of_all_is_the_original_pool():
    """Depth and share at 100 % are the original pool; runs of a simulated collection rebuild it whole."""
    made = simulate_collection(n_topics=6, n_documents=150, depth=60, pool_depth=9, rng=1)
    collection = made.to_collection(retrieved="all")
    for name in ("depth", "share"):
        for pool_depth in (None, 9):
            reduced = reduce_judgments(collection, reduction=name, steps=[100], pool_depth=pool_depth)
            np.testing.assert_array_equal(reduced.levels[0], collection.levels)


@pytest.mark.parametrize("name", RANDOM)
def test_the_seed_alone_decides_the_draw(name):
    """The same seed gives the same bytes, another one others."""
    collection = simulate_collection(n_topics=8, n_documents=300, depth=80, rng=1).to_collection()
    first, again, other = (reduce_judgments(collection, reduction=name, rng=seed) for seed in (3, 3, 4))
    assert first.levels.tobytes() == again.levels.tobytes()
    assert first.topics.tobytes() == again.topics.tobytes()
    assert first.levels.tobytes() != other.levels.tobytes() or first.topics.tobytes() != other.topics.tobytes()


@pytest.mark.parametrize("name", RANDOM)
def test_every_document_or_topic_is_as_likely_as_another(name):
    """Over many draws each stays as often as its share says: no document lies outside four standard errors."""
    levels = {f"d{number:02}": int(number % 4 == 0) for number in range(60)}
    qrels = {str(topic): levels for topic in range(20)}
    collection = collection_from_rankings({"a": {"0": ["d00"]}}, qrels)
    n_draws, stays = 400, 0
    for seed in range(n_draws):
        reduced = reduce_judgments(collection, reduction=name, steps=[40], rng=seed)
        stays = stays + (reduced.topics[0] if name == "topics" else reduced.levels[0] != UNJUDGED)
    share = (stays / n_draws)[collection.levels > 0] if name == "relevant" else stays / n_draws
    assert share.mean() == pytest.approx(0.4)
    assert np.abs(share - 0.4).max() < 4.5 * np.sqrt(0.4 * 0.6 / n_draws)  # the largest of 1200 draws
    assert share.std() > 0.3 * np.sqrt(0.4 * 0.6 / n_draws)  # and it is a draw


def test_at_least_ten_other_documents_stay():
    """With few judgments, one relevant and ten other documents are the least that stratified sampling leaves."""
    qrels = {"1": {f"d{number:02}": int(number < 7) for number in range(40)}}
    collection = collection_from_rankings({"a": {"1": ["d00"]}}, qrels)
    reduced = reduce_judgments(collection, reduction="stratified", steps=[90, 50, 10, 1], rng=0)
    assert reduced.relevant.tolist() == [6, 3, 1, 1]
    assert (reduced.judged - reduced.relevant).tolist() == [29, 16, 10, 10]


def test_topics_are_drawn_among_those_that_are_scored():
    """So that j % of them is what the study sees: all, or those with something relevant where others are dropped."""
    qrels = {str(topic): {"d1": int(topic < 4), "d2": 0} for topic in range(10)}
    collection = collection_from_rankings({"a": {"0": ["d1"]}}, qrels)
    reduced = reduce_judgments(collection, reduction="topics", steps=[50, 10], rng=0)
    assert reduced.topics.sum(axis=1).tolist() == [5, 1]
    dropping = replace(collection, undefined="drop")
    reduced = reduce_judgments(dropping, reduction="topics", steps=[50, 10], rng=0)
    assert reduced.topics.sum(axis=1).tolist() == [2, 1]
    assert not reduced.topics[:, 4:].any()


def test_what_is_reduced_already_stays_so():
    """A reduction starts from the current levels: a random sample of a shallow pool, and a shallow pool of a sample."""
    made = simulate_collection(n_topics=6, n_documents=150, depth=60, pool_depth=9, rng=1)
    collection = made.to_collection(retrieved="all")
    shallow = collection.rejudge(reduce_judgments(collection, reduction="depth", steps=[40], pool_depth=9).levels[0])
    sampled = reduce_judgments(shallow, reduction="random", steps=[50], rng=0)
    assert ((sampled.levels[0] == NOT_POOLED) == (shallow.levels == NOT_POOLED)).all()
    assert sampled.judged[0] == pytest.approx(shallow.judged.sum() / 2, abs=6)
    again = reduce_judgments(shallow.rejudge(sampled.levels[0]), reduction="depth", steps=[100], pool_depth=9)
    np.testing.assert_array_equal(again.levels[0], sampled.levels[0])


def test_topics_that_lose_everything_relevant_are_reported():
    """A pool that misses every relevant document of a topic leaves it, says so and counts it."""
    runs = {"a": {"1": ["d1", "d2"], "2": ["d1", "d2"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 0, "d2": 1}, "2": {"d1": 1, "d2": 0}}, retrieved="all")
    reduced = reduce_judgments(collection, reduction="size", steps=[1, 2])
    assert reduced.emptied.tolist() == [1, 0]
    assert "at step 1, nothing relevant is left in 1 topic (1)" in reduced.notes


def test_judgments_outside_the_pools_are_counted():
    """What no pooled run has is dropped by pools, and short runs and unjudged documents are mentioned."""
    runs = {"a": {"1": ["d1", "d9"]}, "new": {"1": ["d2"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 1, "d3": 0}}, retrieved="all")
    collection = collection.with_groups(pooled=["a"])
    reduced = reduce_judgments(collection, reduction="size", steps=[2, 5])
    assert reduced.levels.tolist() == [[1, NOT_POOLED, NOT_POOLED]] * 2
    assert reduced.notes[0] == "2 judged documents are outside the largest pool"
    assert any("hold fewer than 5 documents in 1 topic (1)" in note for note in reduced.notes)
    assert "not judged are 1 of 2 documents in pools of 2, 1 of 2 documents in pools of 5" in reduced.notes
    original = reduce_judgments(collection, reduction="depth", steps=[100])
    assert original.notes[0].startswith("2 judged documents (66.7 %), 1 of them relevant, are outside")


def passages(documents):
    """Compile two runs of passages judged by documents: name to highlighted (offset, length), of 1000 characters."""
    rows = [
        {"topic": "1", "document": name, "relevant_size": sum(length for _, length in parts), "size": 1000}
        | {"best_entry": 0, "line": line}
        for line, (name, parts) in enumerate(documents.items(), start=1)
    ]
    parts = [
        {"topic": "1", "document": name, "offset": offset, "length": length}
        for name, parts in documents.items()
        for offset, length in parts
    ]
    judged = Assessments(
        scale="passages",
        documents=pd.DataFrame(rows),
        passages=pd.DataFrame(parts, columns=["topic", "document", "offset", "length"]),
    )
    results = [("d1", 0, 300), ("d9", 0, 40), ("d2", 100, 500), ("d1", 600, 100), ("d3", 0, 1000)]
    table = pd.DataFrame([{"topic": "1", "document": d, "offset": o, "length": n} for d, o, n in results])
    runs = [Submission(run="a", results=table), Submission(run="b", results=table[::-1].reset_index(drop=True))]
    return passage_collection(runs, judged, retrieved="all")


@pytest.mark.parametrize("name", REDUCTIONS)
def test_all_passages_of_a_document_go_or_stay_together(name):
    """Scores of passages under reduced judgments are those of assessments that never had the documents dropped."""
    documents = {"d1": [(0, 100), (600, 50)], "d2": [(200, 100)], "d3": [(10, 500)], "d4": [], "d5": [(0, 9)]}
    collection = passages(documents)
    reduced = reduce_judgments(collection, reduction=name, steps=[40 if REDUCTIONS[name].unit == "%" else 2], rng=2)
    kept = {
        name: documents[name]
        for name, level in zip(documents, reduced.levels[0], strict=True)
        if level not in (UNJUDGED, NOT_POOLED)
    }
    assert len(kept) < len(documents) or name == "topics"
    metrics = ["AiP", "iP@0.01", "iP@0.5"]
    ours = metric_values(collection.rejudge(reduced.levels[0]), metrics)
    np.testing.assert_allclose(ours, metric_values(passages(kept), metrics))
    assert ours.max() > 0


# ---- trec_eval on rewritten qrels ----------------------------------------------------------------------------------

THEIRS = {"map": "AP", "bpref": "bpref", "ndcg": "nDCG", "P_10": "P@10", "recip_rank": "RR", "infAP": "infAP"}


def trec_eval(runs, qrels):
    """Score runs on rewritten qrels with trec_eval's own code, (measure, system, topic)."""
    evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator(qrels, set(THEIRS))
    found = {name: evaluator.evaluate(run) for name, run in runs.items()}
    return np.array(
        [[[found[name].get(topic, {}).get(measure, 0.0) for topic in qrels] for name in runs] for measure in THEIRS]
    )


def check_against_trec_eval(collection, runs, name, literal, *, pool_depth=None):
    """Compare the re-judged collection with trec_eval on the qrels written anew, topics kept only."""
    steps = None if name not in BY_POOL else REDUCTIONS[name].default_steps[-3:]
    reduced = reduce_judgments(collection, reduction=name, steps=steps, rng=5, pool_depth=pool_depth)
    assert len(np.unique(reduced.levels, axis=0)) > 1 or name == "topics"
    part = collection.select(systems=list(runs))
    for levels, kept in zip(reduced.levels, reduced.topics, strict=True):
        qrels = literal.as_qrels(collection, levels)
        rewritten = {topic: qrels[topic] for topic, one in zip(collection.topics, kept, strict=True) if one}
        assert any(rewritten.values())
        theirs = trec_eval(runs, rewritten)
        ours = metric_values(part.rejudge(levels), list(THEIRS.values()))[:, :, kept]
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_trec_eval_agrees_on_a_simulated_collection(name, literal, one_core):  # noqa: ARG001 - asked for, so that it holds
    """Scores under reduced judgments are trec_eval's on the qrels written anew, the two codes included."""
    made = simulate_collection(n_groups=3, runs_per_group=2, n_topics=8, n_documents=200, depth=100, rng=2)
    runs = {system: literal.as_run(table) for system, table in made.runs.items()}
    check_against_trec_eval(made.to_collection(retrieved="all"), runs, name, literal, pool_depth=20)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_trec_eval_agrees_on_deep_learning_2019(name, deep_learning, literal, one_core):  # noqa: ARG001 - asked for, so that it holds
    """The same on real runs and judgments, whose pool depth is guessed."""
    collection, tables = deep_learning
    runs = {name: literal.as_run(tables[name]) for name in list(tables)[::8]}
    check_against_trec_eval(collection, runs, name, literal)


BAD_INPUT = {
    "above 100": ("random", {"steps": [101]}, "above 0 and at most 100 %, not 101"),
    "zero": ("depth", {"steps": [0]}, "above 0 and at most 100 %, not 0"),
    "not a number": ("order", {"steps": [float("nan")]}, "not nan"),
    "a truth": ("order", {"steps": [True]}, "not True"),
    "text": ("order", {"steps": ["50"]}, "not '50'"),
    "half a document": ("size", {"steps": [2.5]}, "whole numbers of documents, at least 1, not 2.5"),
    "no step": ("topics", {"steps": []}, "at least one step"),
    "twice": ("topics", {"steps": [50, 50]}, "each once"),
    "share above 1": (
        "reciprocal-rank",
        {"reciprocal_rank_share": 1.5},
        "`reciprocal_rank_share` must lie from 0 to 1",
    ),
    "depth 0": ("share", {"pool_depth": 0}, "`pool_depth` must be a whole number"),
    "seed": ("random", {"rng": -1}, "`rng` must be"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_refused(case):
    """Each refusal names the argument and its rule."""
    name, options, message = BAD_INPUT[case]
    collection = collection_from_rankings({"a": {"1": ["d1", "d2"]}}, {"1": {"d1": 1, "d2": 0}}, retrieved="all")
    with pytest.raises(InvalidOptionError, match=message):
        reduce_judgments(collection, reduction=name, **options)


def test_what_a_pool_needs_is_asked_for():
    """Sizes need every retrieved document; a depth needs it only where the original depth is not known."""
    collection = collection_from_rankings({"a": {"1": ["d1", "d2"]}}, {"1": {"d1": 1, "d2": 0}})
    for name in BY_POOL:
        assert REDUCTIONS[name].needs_retrieved
        with pytest.raises(InvalidOptionError, match="`retrieved='all'`"):
            reduce_judgments(collection, reduction=name)
    reduced = reduce_judgments(collection, reduction="depth", steps=[50], pool_depth=2)
    assert reduced.levels.tolist() == [[1, NOT_POOLED]]


def test_an_unknown_reduction_is_named():
    """A reduction that is not there gets the nearest names."""
    collection = collection_from_rankings({"a": {"1": ["d1"]}}, {"1": {"d1": 1}})
    with pytest.raises(UnknownNameError, match="did you mean 'stratified'"):
        reduce_judgments(collection, reduction="stratefied")


def test_documents_below_the_lowest_relevant_level_are_among_the_others():
    """With rel=2, stratified sampling draws documents of level 1 with the non-relevant ones, and counts them there."""
    levels = dict.fromkeys([f"h{n:02}" for n in range(20)], 2) | dict.fromkeys([f"m{n:02}" for n in range(30)], 1)
    levels |= dict.fromkeys([f"n{n:02}" for n in range(50)], 0)
    collection = collection_from_rankings({"a": {"1": list(levels)}}, {"1": levels})
    for rel, relevant, judged in ((1, 25, 50), (2, 10, 50)):
        reduced = reduce_judgments(collection, reduction="stratified", steps=[50], rng=3, rel=rel)
        kept = reduced.levels[0][reduced.levels[0] >= 0]
        assert (reduced.relevant.item(), (kept >= rel).sum(), len(kept)) == (relevant, relevant, judged)
    spared = reduce_judgments(collection, reduction="relevant", steps=[50], rng=3, rel=2).levels[0]
    assert [(spared == level).sum() for level in (2, 1, 0)] == [10, 30, 50]
    with pytest.raises(InvalidOptionError, match="rel"):
        reduce_judgments(collection, reduction="stratified", rel=0)
