"""Pools against pools made of Python sets, laws, the published facts of TREC-COVID and bad input."""

import importlib.util
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import NOT_POOLED
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.elements import element_collection
from metaeval.inex.passages import passage_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics import metric_values
from metaeval.resampling.coverage import coverage, run_depths
from metaeval.resampling.effort import adaptive_depth
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.pool_depths import entry_depths, pooled_systems, reciprocal_rank_sums
from metaeval.resampling.pools import original_pool, pool_by_depth, with_judged_pool

RUNS = {
    "a": {"1": ["d1", "d2", "d3", "d4"], "2": ["d1"]},
    "b": {"1": ["d5", "d1", "d6", "d2"], "2": ["d2", "d3"]},
    "new": {"1": ["d9", "d1", "d5"]},
}
QRELS = {"1": {"d1": 1, "d2": 0, "d3": 2, "d5": 0}, "2": {"d1": 0, "d2": 1}}


def small(**options):
    return collection_from_rankings(RUNS, QRELS, **({"retrieved": "all"} | options)).with_groups(
        {"a": "A", "b": "B", "new": "N"}, pooled=["a", "b"]
    )


def covid(data_folder, checkout):
    """Return the pooled runs of TREC-COVID round 1 with every retrieved document."""
    source = checkout / "examples" / "trec_covid_rankings.py"
    spec = importlib.util.spec_from_file_location("trec_covid_rankings", source)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    folder = data_folder / "trec-covid-r1"
    table = pd.read_csv(folder / "leaderboard.csv")
    building = set(table["run"][table["contributed judgments"] == "yes"])
    rankings = example.read_rankings(folder / "rankings.tsv.xz", runs=building)
    return collection_from_rankings(rankings, example.read_levels(folder / "qrels-rnd1.txt.gz"), retrieved="all")


def pool(collection, *, systems=None, pool_depth=None, size=None):
    """Return which documents are in a pool of some runs, by depth or rank by rank up to a size."""
    chosen = pooled_systems(collection, systems)
    if size is None:
        return entry_depths(collection, chosen, complete=False).within(pool_depth)
    entries = entry_depths(collection, chosen)
    return entries.within(entries.depth_of_size(np.full(collection.n_topics, size)))


@given(data=st.data())
def test_pools_of_a_depth_and_of_a_size_are_unions_of_tops(data, random_cases, literal):
    """The pool by depth is the union of the tops, by size the first such union that is large enough."""
    case = data.draw(random_cases())
    depth, size = data.draw(st.integers(1, 16)), data.draw(st.integers(1, 16))
    collection = case.collection()
    for found, of_topic in (
        (pool(collection, pool_depth=depth), lambda _: depth),
        (pool(collection, size=size), lambda lists: literal.depth_of_size(lists, size)),
    ):
        pools = {
            topic: literal.pool_of_depth(case.lists(topic), of_topic(case.lists(topic))) for topic in collection.topics
        }
        kept = np.where(found[: collection.n_judgments], collection.levels, NOT_POOLED)
        assert literal.as_qrels(collection, kept) == literal.restricted(case.qrels, pools)
        assert found.sum() == sum(map(len, pools.values()))  # those without judgment are counted too


@given(data=st.data())
def test_pools_grow_with_depth_and_with_runs(data, random_cases):
    """A deeper pool holds a shallower one; a pool of more runs holds that of fewer; the order of runs is nothing."""
    collection = data.draw(random_cases()).collection()
    pools = [pool(collection, pool_depth=depth) for depth in range(1, 16)]
    assert all((small <= large).all() for small, large in pairwise(pools))
    names = [name for name, one in zip(collection.systems, collection.pooled, strict=True) if one]
    assert (pool(collection, systems=names[:1], pool_depth=3) <= pools[2]).all()
    np.testing.assert_array_equal(pool(collection, systems=names[::-1], pool_depth=3), pools[2])


@given(data=st.data())
def test_judged_documents_alone_give_the_same_pools_of_a_depth(data, random_cases):
    """Reading without unjudged documents changes nothing but the sizes."""
    case = data.draw(random_cases())
    depth = data.draw(st.integers(1, 15))
    judged = case.collection(retrieved="judged")
    everything = pool(case.collection(), pool_depth=depth)
    np.testing.assert_array_equal(pool(judged, pool_depth=depth), everything[: judged.n_judgments])


@given(data=st.data())
def test_the_original_pool_is_the_first_as_large_as_the_qrels(data, random_cases, literal):
    """Its depth is the smallest at which the set is as large as the qrels; what it holds is counted right."""
    case = data.draw(random_cases())
    collection = case.collection()
    found = original_pool(collection)
    for topic, row in found.per_topic.iterrows():
        lists, qrels = case.lists(topic), case.qrels[topic]
        depth = literal.depth_of_size(lists, len(qrels))
        members = literal.pool_of_depth(lists, depth)
        judged = {name for name, level in qrels.items() if level != -1}
        relevant = {name for name, level in qrels.items() if level > 0}
        assert row.tolist() == [
            *(depth, len(members), len(judged & members), len(judged), len(relevant)),
            *(len(judged & members), len(relevant & members)),
            len(members) >= len(qrels),
        ]


@given(data=st.data())
def test_growth_counts_the_members_of_each_pool(data, random_cases, literal):
    """At every depth: distinct documents, judged ones, relevant ones."""
    case = data.draw(random_cases())
    counts = pool_by_depth(case.collection()).counts
    for topic in counts["topic"].to_numpy():
        for depth in counts["pool_depth"].to_numpy():
            members = literal.pool_of_depth(case.lists(topic), depth)
            levels = [case.qrels[topic][name] for name in members if name in case.qrels[topic]]
            here = counts.sel(topic=topic, pool_depth=depth)
            assert int(here["documents"]) == len(members)
            assert int(here["judged"]) == sum(level != -1 for level in levels)
            assert int(here["relevant"]) == sum(level > 0 for level in levels)


def literal_critical_depth(judged, relevant, few):
    for depth in range(1, len(judged) + 1):
        rest = [
            (relevant[-1] - relevant[later - 1]) / (judged[-1] - judged[later - 1])
            for later in range(depth, len(judged) + 1)
            if judged[-1] > judged[later - 1]
        ]
        if all(rate <= few for rate in rest):
            return depth if rest else np.nan
    return np.nan


@given(data=st.data(), few=st.sampled_from([0.0, 0.1, 0.34, 0.5]))
def test_the_critical_depth_is_the_first_after_which_little_comes(data, few, random_cases):
    """It is found as a search over all later depths finds it, and is not a number where nothing is seen past it."""
    grown = pool_by_depth(data.draw(random_cases()).collection(), few=few)
    found = grown.critical_depths()
    for topic, depth in found.items():
        one = grown.counts.sel(topic=topic)
        expected = literal_critical_depth(one["judged"].to_numpy(), one["relevant"].to_numpy(), few)
        assert depth == expected or (np.isnan(depth) and np.isnan(expected))


def test_growth_against_documents_runs_through_the_counts():
    """At every depth stands the number judged and the number found there."""
    grown = pool_by_depth(small())
    first = grown.counts.sel(topic="1")
    assert first["judged"].to_numpy().tolist() == [2, 3, 4, 4]
    assert first["relevant"].to_numpy().tolist() == [1, 1, 2, 2]


@given(data=st.data())
def test_coverage_counts_judged_results_in_the_pool(data, random_cases, literal):
    """At every rank and size: how many results of the runs are judged and in the pool."""
    case = data.draw(random_cases())
    names = list(case.rankings)
    found = coverage(case.collection(), sizes=[2, 5, 11], systems=names).counts
    for rank in found["rank"].to_numpy():
        results = [
            (topic, lists[topic][rank - 1])
            for lists in case.rankings.values()
            for topic in case.qrels
            if len(lists[topic]) >= rank
        ]
        judged = [(topic, name) for topic, name in results if case.qrels[topic].get(name, -1) != -1]
        here = found.sel(rank=rank).sum("system")
        assert (int(here["results"]), int(here["judged"])) == (len(results), len(judged))
        for size in (2, 5, 11):
            pools = {
                topic: literal.pool_of_depth(case.lists(topic), literal.depth_of_size(case.lists(topic), size))
                for topic in case.qrels
            }
            assert int(here["in_pool"].sel(size=size)) == sum(name in pools[topic] for topic, name in judged)


def test_coverage_shares_are_of_the_results_there():
    """The share at a rank, and at a rank or above, of the runs outside the pool by default."""
    found = coverage(small(), sizes=[2, 4])
    assert found.counts["system"].to_numpy().tolist() == ["new"]
    assert found.at_rank()["in_pool"].to_numpy()[:, :3].tolist() == [[0, 1, 1], [0, 1, 1]]
    np.testing.assert_allclose(found.up_to_rank()["judged"].to_numpy()[:3], [0, 1 / 2, 2 / 3])
    assert np.isnan(found.at_rank()["judged"].to_numpy()[3])
    assert found.to_frame().columns.tolist() == ["size", "rank", "at_rank", "up_to_rank"]


@given(data=st.data())
def test_run_depths_are_means_over_lists_with_an_answer(data, random_cases, literal):
    """The last rank pooled, the list's end at most, over non-empty lists; answers and runs per topic."""
    case = data.draw(random_cases())
    found = run_depths(case.collection(), sizes=[3, 9])
    lists = {topic: case.lists(topic) for topic in case.qrels}
    answers = [(topic, one) for topic, many in lists.items() for one in many if one]
    assert found.n_answers == len(answers)
    assert found.runs_per_topic == len(answers) / len(case.qrels)
    for size, row in found.table.iterrows():
        depths = {topic: literal.depth_of_size(many, size) for topic, many in lists.items()}
        reached = [min(depths[topic], len(one)) for topic, one in answers]
        assert row["mean_depth"] == pytest.approx(np.mean(reached)) if reached else np.isnan(row["mean_depth"])
        sizes = [len(literal.pool_of_depth(many, depths[topic])) for topic, many in lists.items()]
        assert row["documents"] == pytest.approx(np.mean(sizes))
        assert row["short"] == sum(one < size for one in sizes)


def test_reciprocal_rank_sums_add_inverse_ranks_of_pooled_runs():
    """A document's score is the sum of 1 / rank over the pooled runs that have it."""
    collection = small()
    of_first = dict(zip(collection.documents("1"), reciprocal_rank_sums(collection), strict=False))
    assert of_first == {"d1": 1.5, "d2": 0.75, "d3": 1 / 3, "d5": 1.0}


def test_the_depth_of_trec_covid_is_seven(data_folder, checkout):
    """Depth 7 of the 56 pooled runs is judged to 99.9 % and holds 80 % of the judged, 83 % of the relevant documents.

    Those are the figures that go with the collection; depth 8 would be far less judged.
    """
    collection = covid(data_folder, checkout)
    assert collection.n_systems == 56
    found = original_pool(collection, pool_depth=7)
    assert round(found.judged_share, 3) == 0.999
    assert (round(found.held_share, 2), round(found.relevant_held_share, 2)) == (0.80, 0.83)
    assert original_pool(collection, pool_depth=8).judged_share < 0.95
    assert any("judged documents" in note and "outside" in note for note in found.notes)
    top = coverage(collection, sizes=[200], systems=collection.systems).up_to_rank().sel(rank=10)
    assert round(1 - float(top["judged"]), 2) == 0.15  # unjudged in the top ten, as the data's own description says


def test_a_known_depth_needs_no_unjudged_documents():
    """Depth pools come from judged documents alone; then the size of the pool is not known and said so."""
    found = original_pool(small(retrieved="judged"), pool_depth=1)
    assert np.isnan(found.judged_share)
    assert found.n_documents.tolist() == [-1, -1]
    assert found.per_topic["judged_held"].tolist() == [2, 2]
    assert found.n_outside == 2
    assert found.to_frame()["topic"].tolist() == ["1", "2"]


def test_runs_too_short_for_the_qrels_are_reported():
    """Where all the runs hold fewer documents than the qrels, all they hold is taken, and the note names the topic."""
    found = original_pool(collection_from_rankings({"a": {"1": ["d1"]}, "b": {"1": ["d1"]}}, QRELS, retrieved="all"))
    assert found.per_topic["reached"].tolist() == [False, False]
    assert "end before the number of judged documents in 2 topics (1, 2)" in found.notes[-1]


BAD_INPUT = {
    "depth 0": (lambda: original_pool(small(), pool_depth=0), "`pool_depth` must be a whole number"),
    "a truth": (lambda: pool_by_depth(small(), pool_depth=True), "`pool_depth` must be a whole number"),
    "half a document": (lambda: run_depths(small(), sizes=[2.5]), "`sizes` must be a whole number"),
    "no run": (lambda: pool(small(), pool_depth=1, systems=[]), "no run builds the pool"),
    "size of judged documents": (lambda: pool(small(retrieved="judged"), size=2), "retrieved='all'"),
    "unknown depth": (lambda: original_pool(small(retrieved="judged")), "give the depth, or read the collection"),
    "few": (lambda: pool_by_depth(small(), few=-1), "`few` must be a number of at least 0"),
    "size 0": (lambda: coverage(small(), sizes=[0]), "`sizes` must be a whole number"),
    "no size": (lambda: coverage(small(), sizes=[]), "`sizes` must name at least one"),
    "no new run": (lambda: coverage(small().with_groups(pooled=list(RUNS))), "every run builds the pool"),
    "depths of judged documents": (lambda: run_depths(small(retrieved="judged")), "retrieved='all'"),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_refused(name):
    """Each refusal names the argument, its rule and the way out."""
    call, message = BAD_INPUT[name]
    with pytest.raises(InvalidOptionError, match=message.replace("(", "\\(")):
        call()


def test_an_unknown_run_is_named():
    """A run that is not there gets the nearest names."""
    with pytest.raises(UnknownNameError, match="did you mean 'new'"):
        pool(small(), pool_depth=1, systems=["nw"])


# ----------------------------------------------------------- judgments that list relevant documents only


def campaign(year):
    """Return an INEX campaign compiled twice: as it was judged, and with what holds something relevant alone."""
    made = simulate_inex(
        year=year, n_systems=8, n_topics=6, n_documents=300, n_results=80, pool_size=40, rng=year, published=False
    )
    judged, compiled = made.assessments, passage_collection if year > 2006 else element_collection
    level = compiled(made.submissions, judged, retrieved="all").by_document
    relevant = {(topic, name) for topic in level.topics for name in names_above_0(level, topic)}
    here = [pair in relevant for pair in zip(judged.documents["topic"], judged.documents["document"], strict=True)]
    elements = judged.elements
    if len(elements):
        places = zip(elements["topic"], elements["document"], strict=True)
        elements = elements[[pair in relevant for pair in places]].reset_index(drop=True)
    only = replace(judged, documents=judged.documents[here].reset_index(drop=True), elements=elements)
    return tuple(compiled(made.submissions, one, retrieved="all") for one in (judged, only))


def names_above_0(collection, topic):
    place = collection.topics.index(topic)
    levels = collection.levels[collection.topic_offsets[place] : collection.topic_offsets[place + 1]]
    return [name for name, one in zip(collection.documents(topic), levels, strict=True) if one > 0]


@pytest.mark.parametrize("year", [2005, 2007, 2008])
def test_the_pool_of_relevant_lines_is_as_large_as_what_was_judged(year):
    """The number of relevant documents is not the pool's: taken for it, it loses many; with the size none is lost."""
    judged, only = campaign(year)
    with pytest.raises(InvalidOptionError, match="`judged_pool_size`"):
        original_pool(only)
    with pytest.raises(InvalidOptionError, match="relevant documents"):
        coverage(only.with_groups(pooled=only.systems[:2]))
    truth = original_pool(judged)
    sizes = truth.per_topic["judged"].to_dict()
    known = with_judged_pool(only, size=sizes)
    found = original_pool(known)
    pd.testing.assert_frame_equal(found.per_topic, truth.per_topic)
    assert found.relevant_held_share == 1.0
    assert found.n_documents.tolist() == truth.n_documents.tolist()


@pytest.mark.parametrize("year", [2005, 2007])
def test_with_the_size_known_everything_is_as_if_all_were_listed(year):
    """Scores, growth, adaptive pools and shares of the pool are those of judgments that list every document."""
    judged, only = campaign(year)
    known = with_judged_pool(only, size=original_pool(judged).per_topic["judged"].to_dict())
    metrics = ["iP[0.01]", "MAiP"] if year > 2006 else ["MAep(quant=gen)", "nxCG(quant=gen)@10"]
    np.testing.assert_array_equal(metric_values(known, metrics), metric_values(judged, metrics))
    documents = ["AP", "bpref", "P@10", "AP'"]
    one, other = (metric_values(collection.by_document, documents) for collection in (known, judged))
    np.testing.assert_array_equal(one, other)
    assert pool_by_depth(known).counts.identical(pool_by_depth(judged).counts)
    pd.testing.assert_frame_equal(adaptive_depth(known).per_topic, adaptive_depth(judged).per_topic)
    for reduction in ("share", "size", "depth", "reciprocal-rank"):
        steps = [5, 20] if reduction in ("size", "reciprocal-rank") else [10, 50]
        ours, truth = (reduce_judgments(one, reduction=reduction, steps=steps) for one in (known, judged))
        for name in ("judged", "relevant", "emptied"):
            assert getattr(ours, name).tolist() == getattr(truth, name).tolist(), (reduction, name)
    with pytest.raises(InvalidOptionError, match="order of identifiers"):
        reduce_judgments(known, reduction="order", steps=[50])


@given(data=st.data())
def test_a_known_depth_or_size_judges_the_pool_and_nothing_else(data, random_cases, literal):
    """Of TREC qrels with relevant lines only, the documents of the pool without a line become judged, at level 0."""
    case, depth = data.draw(random_cases(unjudged=False)), data.draw(st.integers(1, 8))
    relevant = {topic: {d: n for d, n in lines.items() if n > 0} for topic, lines in case.qrels.items()}
    only = collection_from_rankings(case.rankings, relevant, retrieved="all").with_groups(
        case.groups, pooled=case.pooled
    )
    pools = {topic: literal.pool_of_depth(case.lists(topic), depth) for topic in relevant}
    qrels = {topic: dict.fromkeys(pools[topic], 0) | lines for topic, lines in relevant.items()}
    whole = collection_from_rankings(case.rankings, qrels, retrieved="all")
    for known in (
        with_judged_pool(only, pool_depth=depth),
        with_judged_pool(only, size={topic: max(1, len(pool)) for topic, pool in pools.items()}),
    ):
        assert known.statistics().per_topic.equals(whole.statistics().per_topic)
        np.testing.assert_array_equal(*(metric_values(one, ["bpref", "AP'", "P@5"]) for one in (known, whole)))
        part = known.select(topics=known.topics[::-1][:2])
        assert part.statistics().per_topic.equals(whole.select(topics=part.topics).statistics().per_topic)


def test_where_documents_that_are_not_relevant_are_listed_the_size_adds_none():
    """A size beside complete judgments says how large the pool was, and judges nothing."""
    collection = small()
    known = with_judged_pool(collection, size=3)
    assert known.levels.tolist() == collection.levels.tolist()
    assert original_pool(known).depths.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "one of them"),
        ({"size": 3, "pool_depth": 2}, "one of them"),
        ({"size": 0}, "at least 1"),
        ({"size": {"1": 3}}, "cover 1 of 2 topics; absent: 2"),
        ({"size": {"1": 3, "2": 2.5}}, "topic '2'"),
    ],
)
def test_a_size_that_is_none_is_refused(options, words):
    """Neither, both, zero, a topic without a size, half a document."""
    with pytest.raises(InvalidOptionError, match=words):
        with_judged_pool(small(), **options)


# ----------------------------------------------------------- runs that are pooled and not scored


@given(data=st.data())
def test_runs_set_aside_still_build_the_pool(data, random_cases):
    """Pools are those of all runs; the runs left score as before, and topics can still be selected."""
    case = data.draw(random_cases())
    collection = case.collection()
    aside = data.draw(st.lists(st.sampled_from(collection.systems), unique=True, max_size=collection.n_systems - 1))
    left = collection.set_aside(aside[:1]).set_aside(aside[1:])
    assert left.systems == tuple(name for name in collection.systems if name not in aside)
    pd.testing.assert_frame_equal(original_pool(left).per_topic, original_pool(collection).per_topic)
    grown = pool_by_depth(left).counts
    assert grown.identical(pool_by_depth(collection).counts.sel(pool_depth=grown["pool_depth"]))
    assert run_depths(left, sizes=[3, 9]).table.equals(run_depths(collection, sizes=[3, 9]).table)
    assert sorted(reciprocal_rank_sums(left).round(9)) == sorted(reciprocal_rank_sums(collection).round(9))
    kept = collection.select(systems=left.systems)
    np.testing.assert_array_equal(metric_values(left, ["AP", "bpref"]), metric_values(kept, ["AP", "bpref"]))
    topics = collection.topics[::-1]
    one, other = (original_pool(part.select(topics=topics)) for part in (left, collection))
    pd.testing.assert_frame_equal(one.per_topic, other.per_topic)


def test_a_run_that_breaks_a_rule_may_build_the_pool_and_not_be_scored():
    """Overlapping results are refused by measures of focused results, and do no harm in the pool."""
    made = simulate_inex(
        year=2007, n_systems=4, n_topics=4, n_documents=200, n_results=40, pool_size=30, rng=2, published=False
    )
    first = made.submissions[0]
    invalid = replace(first, run="invalid", results=pd.concat([first.results, first.results.head(5)]))
    collection = passage_collection([*made.submissions, invalid], made.assessments, retrieved="all")
    with pytest.raises(InvalidOptionError, match="overlaps an earlier result"):
        metric_values(collection, ["iP[0.01]"])
    left = collection.set_aside(["invalid"])
    without = passage_collection(made.submissions, made.assessments, retrieved="all")
    np.testing.assert_array_equal(metric_values(left, ["iP[0.01]"]), metric_values(without, ["iP[0.01]"]))
    assert left.by_document.pool_runs.systems == ("invalid",)


def test_a_run_marked_as_unpooled_builds_nothing_when_set_aside():
    """Marks count: a run that did not build the pool is simply left out, and somebody must be left to score."""
    left = small().set_aside(["new"])
    assert left.by_document.pool_runs is None
    with pytest.raises(InvalidOptionError, match="no run would be left"):
        small().set_aside(["a", "b", "new"])
    with pytest.raises(UnknownNameError):
        small().set_aside(["c"])


# ---- pools by results --------------------------------------------------------------------------------


def literal_pools(submissions, topic, size):
    """Add the document of every run's next result, round by round, until a round fills the pool."""
    lists = [one.results.loc[one.results["topic"] == topic, "document"].tolist() for one in submissions]
    pool, depth = set(), 0
    while len(pool) < size and depth < max(map(len, lists), default=0):
        pool |= {one[depth] for one in lists if depth < len(one)}
        depth += 1
    reached = [min(depth, max((one.index(name) + 1 for name in set(one)), default=0)) for one in lists]
    return pool, depth, reached


@pytest.mark.parametrize("year", [2005, 2007])
def test_pools_by_results_are_those_of_a_literal_loop(year):
    """Runs of elements and of passages: the same pools and depths, also where runs are set aside and topics chosen."""
    made = simulate_inex(
        year=year, n_systems=4, n_topics=3, n_documents=60, n_results=40, pool_size=12, rng=5, published=False
    )
    own = element_collection if year == 2005 else passage_collection
    options = {"sizes": made.sizes} if year == 2005 else {}
    collection = own(made.submissions, made.assessments, retrieved="all", **options)
    left = collection.set_aside([made.submissions[1].run]).select(topics=collection.topics[1:])
    more = np.zeros(left.by_document.retrieved.n_codes, dtype=bool)
    more[-1] = len(more) > left.by_document.n_judgments
    assert more.any()
    topic_of = entry_depths(left.by_document).topic
    for one in (collection, left, left.judge_further(more, topic_of)):
        documents = one.by_document
        entries = entry_depths(documents, rounds="results")
        depths = run_depths(one, sizes=[5, 15], rounds="results").table
        for size in (5, 15):
            pools = [literal_pools(made.submissions, topic, size) for topic in documents.topics]
            found = entries.depth_of_size(np.full(documents.n_topics, size))
            inside = entries.within(found)
            for place, (topic, (pool, depth, _)) in enumerate(zip(documents.topics, pools, strict=True)):
                assert found[place] == depth or len(pool) < size
                assert np.count_nonzero(inside & (entries.topic == place)) == len(pool)
                start = documents.topic_offsets[place]
                judged = inside[start : documents.topic_offsets[place + 1]]
                names = [name for name, held in zip(documents.documents(topic), judged, strict=True) if held and name]
                assert set(names) <= pool
            reached = [rank for _, _, ranks in pools for rank in ranks if rank]
            assert depths.loc[size, "mean_depth"] == pytest.approx(np.mean(reached))
            assert depths.loc[size, "documents"] == np.mean([len(pool) for pool, _, _ in pools])


@given(data=st.data())
def test_of_runs_of_documents_both_kinds_of_rounds_are_the_same(data, random_cases):
    """A result is a document."""
    collection = data.draw(random_cases()).collection()
    tables = [run_depths(collection, sizes=[3, 9], rounds=one).table for one in ("documents", "results")]
    assert tables[0].equals(tables[1])


def test_other_rounds_are_refused():
    """There are two kinds."""
    with pytest.raises(UnknownNameError, match="no kind of rounds 'elements'"):
        run_depths(small(), sizes=[2], rounds="elements")
