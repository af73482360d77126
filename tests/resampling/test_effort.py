"""Effort: check values of the cost model, a literal replay of adaptive depth, equal effort to the document."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import NOT_POOLED, UNJUDGED
from metaeval.errors import EstimationError, InvalidOptionError, UnknownNameError
from metaeval.metrics import metric_values
from metaeval.resampling.effort import COST_MODELS, CostModel, adaptive_depth, cost_model, equal_effort
from metaeval.resampling.pool_depths import entry_depths
from metaeval.resampling.pools import original_pool, pool_by_depth
from metaeval.simulate.collection import simulate_collection


@pytest.fixture(scope="module")
def collection():
    """Give a simulated collection pooled at depth 12."""
    made = simulate_collection(n_topics=10, n_documents=300, depth=80, pool_depth=12, rng=4)
    return made.to_collection(retrieved="all")


def test_hours_are_those_that_were_measured():
    """60.7 relevant and 438.3 other documents: 15.4 h in 2003, 11.1 h in 2005 (Piwowarski, Trotman and Lalmas)."""
    assert round(cost_model("2003").hours(60.7, 438.3), 1) == 15.4
    assert round(cost_model("2005").hours(60.7, 438.3), 1) == 11.1
    assert round(cost_model("2006").hours(60.0, 60.0), 2) == 1.75
    hours = cost_model(CostModel(2.0, 1.0)).hours(np.array([0.0, 30.0]), np.array([60.0, 0.0]))
    assert hours.tolist() == [1.0, 1.0]


def test_costs_outside_their_rule_are_refused():
    """Unknown years and negative or endless minutes."""
    with pytest.raises(UnknownNameError, match="Known: 2003, 2005, 2006"):
        cost_model("1999")
    for model in (CostModel(-1.0, 1.0), CostModel(1.0, float("nan")), CostModel(float("inf"), 1.0)):
        with pytest.raises(InvalidOptionError, match=r"must be a number of at least 0 \(minutes\)"):
            cost_model(model)
    assert set(COST_MODELS) == {"2003", "2005", "2006"}


def literal_replay(case, literal, *, start, step, rate, budget):
    """Grow pools of sets round by round; returns depths, or None where the first round is not paid."""
    ends = {topic: literal.depth_of_size(case.lists(topic), len(levels)) for topic, levels in case.qrels.items()}

    def seen(topic, depth):
        members = literal.pool_of_depth(case.lists(topic), depth)
        return {name: level for name, level in case.qrels[topic].items() if name in members and level != -1}

    depths, rates = dict.fromkeys(case.qrels, 0), dict.fromkeys(case.qrels, Fraction(0))
    active, first = list(case.qrels), True
    while active:
        for topic in sorted(active, key=lambda topic: -rates[topic]):  # stable
            target = min(depths[topic] + (start if first else step), ends[topic])
            old, new = seen(topic, depths[topic]), seen(topic, target)
            if len(new) - len(old) > budget:
                if first:
                    return None
                active.remove(topic)
                continue
            budget -= len(new) - len(old)
            depths[topic] = target
            if len(new) > len(old):
                gained = sum(level > 0 for level in new.values()) - sum(level > 0 for level in old.values())
                rates[topic] = Fraction(gained, len(new) - len(old))
            if (len(new) > len(old) and rates[topic] < rate) or target >= ends[topic]:
                active.remove(topic)
        first = False
    return depths, {topic: seen(topic, depth) for topic, depth in depths.items()}


@given(
    data=st.data(),
    start=st.integers(1, 3),
    step=st.integers(1, 3),
    rate=st.sampled_from([0, 0.25, 0.5, 1]),
    budget=st.sampled_from([None, 6, 10, 20]),
)
def test_adaptive_depth_is_the_replay_of_its_rule(data, start, step, rate, budget, random_cases, literal):  # noqa: PLR0917 - drawn and asked for
    """Depths and what was found are those of pools grown as sets, round by round."""
    case = data.draw(random_cases())
    collection = case.collection()
    assume(original_pool(collection).per_topic["judged_held"].sum() > 0)  # else refused, see below
    options = {"start": start, "step": step, "rate": rate, "budget": budget}
    expected = literal_replay(case, literal, **options | {"budget": budget or float("inf")})
    if expected is None:
        with pytest.raises(EstimationError, match="does not pay"):
            adaptive_depth(collection, **options)
        return
    depths, found = expected
    replayed = adaptive_depth(collection, **options)
    assert replayed.per_topic["pool_depth"].to_dict() == depths
    assert replayed.per_topic["judged"].to_dict() == {topic: len(seen) for topic, seen in found.items()}
    left = literal.as_qrels(collection, replayed.adaptive.levels[0])
    assert {
        topic: {name: level for name, level in levels.items() if level != UNJUDGED} for topic, levels in left.items()
    } == found


@given(data=st.data(), budget=st.sampled_from([8, 15, None]))
def test_fixed_depth_costs_the_same_to_the_document(data, budget, random_cases):
    """The fixed pool has as many judged documents, and nothing it lacks entered before something it has."""
    collection = data.draw(random_cases()).collection()
    judged = original_pool(collection).per_topic["judged_held"].sum()
    assume(judged > 0)
    budget = max(
        budget or 0, int(pool_by_depth(collection).counts["judged"].sel(pool_depth=1).sum())
    )  # the first pools
    replayed = adaptive_depth(collection, start=1, step=1, rate=0.3, budget=budget or None)
    assert replayed.adaptive.judged.tolist() == replayed.fixed.judged.tolist()
    assert replayed.per_topic[["judged", "fixed_judged"]].sum().nunique() == 1
    assert replayed.fixed.relevant[0] == replayed.per_topic["fixed_relevant"].sum()
    assert replayed.adaptive.judged[0] <= (budget or judged)
    entry = entry_depths(collection).depth[: collection.n_judgments]
    has = (replayed.fixed.levels[0] >= 0) & collection.judged
    whole = adaptive_depth(collection, start=20, rate=0).adaptive.levels[0] >= 0
    if has.any() and (whole & ~has).any():
        assert entry[has].max() <= entry[whole & ~has].min()


def test_why_topics_stop_is_said():
    """A dry topic stops by rate, a rich one by the budget or at the end of the pool."""
    runs = {"a": {topic: [f"d{number}" for number in range(6)] for topic in "123"}}
    qrels = {
        "1": {f"d{number}": 1 for number in range(6)},
        "2": {f"d{number}": int(number < 2) for number in range(6)},
        "3": {f"d{number}": 1 for number in range(6)},
    }
    collection = collection_from_rankings(runs, qrels)
    replayed = adaptive_depth(collection, start=2, step=2, rate=0.1, budget=14, pool_depth=6)
    assert replayed.per_topic["stopped"].tolist() == ["pool", "rate", "budget"]
    assert replayed.to_frame()["pool_depth"].tolist() == [6, 4, 4]
    assert replayed.adaptive.relevant[0] == 6 + 2 + 4
    assert replayed.fixed.judged[0] == 14
    assert replayed.fixed.relevant[0] < 12


def test_a_topic_that_runs_dry_in_its_last_step_stops_by_rate():
    """The end of the pool is the reason only where documents still came."""
    runs = {"a": {topic: [f"d{number}" for number in range(4)] for topic in "12"}}
    qrels = {topic: {f"d{number}": int(number < few) for number in range(4)} for topic, few in (("1", 2), ("2", 3))}
    replayed = adaptive_depth(collection_from_rankings(runs, qrels), start=2, step=2, rate=0.5, pool_depth=4)
    assert replayed.per_topic["stopped"].tolist() == ["rate", "pool"]  # 0 and 1 of 2 were relevant


def test_the_richest_topics_are_served_first():
    """Where the budget pays a round for one topic only, it is the one that found most in the round before."""
    runs = {"a": {topic: [f"d{number}" for number in range(6)] for topic in "123"}}
    found = {"1": 1, "2": 3, "3": 2}
    qrels = {topic: {f"d{number}": int(number < many) for number in range(6)} for topic, many in found.items()}
    replayed = adaptive_depth(collection_from_rankings(runs, qrels), start=3, step=3, rate=0, budget=12, pool_depth=6)
    assert replayed.per_topic["pool_depth"].tolist() == [3, 6, 3]
    assert replayed.per_topic["stopped"].tolist() == ["budget", "pool", "budget"]


@given(data=st.data(), seed=st.integers(0, 9))
def test_every_plan_spends_the_same(data, seed, random_cases):
    """Judged documents are equal in all plans and those of whole topics; plans are nested and never add."""
    collection = data.draw(random_cases()).collection()
    assume(original_pool(collection).per_topic["judged_held"].sum() > 0)
    spent = equal_effort(collection, steps=[100, 70, 45, 10], rng=seed)
    for name, plan in spent.plans.items():
        assert plan.judged.tolist() == spent.judged.tolist(), name
        judged = (plan.levels != UNJUDGED) & (plan.levels != NOT_POOLED)
        judged &= plan.topics[:, collection.topic_of_judgment]
        assert (judged[1:] <= judged[:-1]).all()
        assert (plan.levels[judged] == np.broadcast_to(collection.levels, judged.shape)[judged]).all()
    same = [plan.levels[0] for plan in spent.plans.values()]
    assert all((one == same[0]).all() for one in same)  # all of it is the same whichever way


def test_samples_hold_the_same_share_of_every_topic(collection):
    """Up to one document each way; shallow pools keep all topics, fewer topics keep them whole."""
    spent = equal_effort(collection, steps=[60, 30], rng=1, pool_depth=12)
    sizes = np.bincount(collection.topic_of_judgment, minlength=collection.n_topics)
    for row, number in enumerate(spent.judged):
        kept = np.bincount(
            collection.topic_of_judgment[spent.plans["sample"].levels[row] >= 0], minlength=collection.n_topics
        )
        assert np.abs(kept - sizes * number / sizes.sum()).max() < 1.5
        assert sizes[spent.plans["topics"].topics[row]].sum() == number
        assert spent.plans["shallow"].topics[row].all()
    assert spent.to_frame()["topics"].tolist() == [10, 10, 10, 10, 6, 3]
    assert (spent.plans["sample"].levels == NOT_POOLED).sum() == 0
    assert (spent.plans["shallow"].levels == UNJUDGED).sum() == 0


def test_draws_follow_the_seed_and_are_fair(collection):
    """The same seed, the same bytes; over many seeds each document is sampled about as often as the others."""
    first, again, other = (
        equal_effort(collection, rng=seed, pool_depth=12).plans["sample"].levels for seed in (1, 1, 2)
    )
    assert first.tobytes() == again.tobytes()
    assert first.tobytes() != other.tobytes()
    draws = [equal_effort(collection, steps=[50], rng=seed, pool_depth=12) for seed in range(300)]
    expected = np.mean([one.judged[0] for one in draws]) / collection.n_judgments
    share = np.mean([one.plans["sample"].levels[0] >= 0 for one in draws], axis=0)
    assert np.abs(share - expected).max() < 5 * np.sqrt(0.25 / 300)


def test_small_topics_are_sampled_alike():
    """Half of ten topics of three documents is one or two of each, and no topic has two more often than others."""
    runs = {"a": {str(topic): ["d1", "d2", "d3"] for topic in range(10)}}
    qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 0} for topic in range(10)}
    collection = collection_from_rankings(runs, qrels)
    draws = [equal_effort(collection, steps=[50], rng=seed, pool_depth=3) for seed in range(300)]
    kept = np.array([(one.plans["sample"].levels[0] >= 0).reshape(10, 3).sum(axis=1) for one in draws])
    assert set(kept.ravel().tolist()) == {1, 2}
    assert np.abs((kept == 2).mean(axis=0) - 0.5).max() < 4 * np.sqrt(0.25 / 300)


def test_trec_eval_agrees_on_every_plan(collection, literal):
    """Scores of each plan are trec_eval's on the qrels it leaves."""
    made = simulate_collection(n_topics=10, n_documents=300, depth=80, pool_depth=12, rng=4)
    runs = {
        name: {
            topic: dict(zip(part["doc_id"], part["score"], strict=True)) for topic, part in table.groupby("query_id")
        }
        for name, table in list(made.runs.items())[::6]
    }
    part = collection.select(systems=list(runs))
    theirs = {"map": "AP", "infAP": "infAP", "bpref": "bpref"}
    for plan in equal_effort(collection, steps=[40], rng=1, pool_depth=12).plans.values():
        topics = [name for name, one in zip(collection.topics, plan.topics[0], strict=True) if one]
        qrels = literal.as_qrels(collection, plan.levels[0])
        chosen = {topic: qrels[topic] for topic in topics}
        evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator(chosen, set(theirs))
        found = [evaluator.evaluate(run) for run in runs.values()]
        expected = [[[one[topic][measure] for topic in topics] for one in found] for measure in theirs]
        ours = metric_values(part.rejudge(plan.levels[0]), list(theirs.values()))[:, :, plan.topics[0]]
        np.testing.assert_allclose(ours, expected, atol=1e-6)


BAD_INPUT = {
    "start": ({"start": 0}, InvalidOptionError, "`start` must be a whole number"),
    "step": ({"step": 1.5}, InvalidOptionError, "`step` must be a whole number"),
    "budget 0": ({"budget": 0}, InvalidOptionError, "`budget` must be a whole number"),
    "rate": ({"rate": -0.1}, InvalidOptionError, "`rate` must lie from 0 to 1, not"),
    "depth": ({"pool_depth": 0}, InvalidOptionError, "`pool_depth` must be"),
    "too little": ({"budget": 20}, EstimationError, "does not pay for pools of depth 5 on 10 topics"),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_refused(name, collection):
    """Each refusal names the argument, its rule and the way out."""
    options, error, message = BAD_INPUT[name]
    with pytest.raises(error, match=message):
        adaptive_depth(collection, **options)


def test_effort_needs_something_judged_in_the_pool():
    """Where no judged document is in any pool, nothing can be replayed; steps have the rule of all percentages."""
    collection = collection_from_rankings({"a": {"1": ["d9"]}}, {"1": {"d1": 1, "d2": 0}}, retrieved="all")
    with pytest.raises(EstimationError, match="no judged document"):
        equal_effort(collection)
    with pytest.raises(InvalidOptionError, match="above 0 and at most 100"):
        equal_effort(collection, steps=[120])


def test_of_two_numbers_of_topics_as_near_the_smaller_is_taken():
    """4.4 % of 375 is 16.5, a last bit more in binary: 16 topics are as near as 17."""
    names = [str(number) for number in range(375)]
    made = collection_from_rankings({"a": {one: ["d"] for one in names}}, {one: {"d": 1} for one in names})
    assert equal_effort(made, steps=[4.4], rng=0, pool_depth=1).judged.tolist() == [16]
