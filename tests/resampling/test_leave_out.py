"""Groups left out, against pools made of sets and rewritten qrels, SciPy, trec_eval, laws and bad input."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.passages import passage_collection
from metaeval.metrics import metric_values
from metaeval.resampling.group_changes import left_out_changes
from metaeval.resampling.judgments import reduce_judgments
from metaeval.resampling.leave_out import CHANGE_INTERVALS, leave_group_out, tally_changes
from metaeval.resampling.pool_depths import entry_depths
from metaeval.resampling.pools import original_pool
from metaeval.resampling.sufficiency import pool_sufficiency
from metaeval.simulate.collection import simulate_collection

METRICS = ["AP", "AP'", "P@10", "bpref", "nDCG@10"]


@pytest.fixture(scope="module")
def made():
    """Give a simulated collection of five groups of three runs, of which the first two are pooled at depth 8."""
    return simulate_collection(
        n_groups=5, runs_per_group=3, n_topics=12, n_documents=200, depth=80, pool_depth=8, rng=3
    )


@pytest.fixture(scope="module")
def collection(made):
    """Give it compiled, with every retrieved document."""
    return made.to_collection(retrieved="all")


def fresh_scores(case, names, qrels, topics):
    """Score some runs on qrels that were written anew, 0 where a topic has none left, (metric, system, topic)."""
    scores = np.zeros((len(METRICS), len(names), len(topics)))
    left = {topic: levels for topic, levels in qrels.items() if levels}
    if not left:
        return scores
    part = collection_from_rankings({name: case.rankings[name] for name in names}, qrels)
    values = metric_values(part, METRICS)
    for place, topic in enumerate(topics):
        scores[:, :, place] = values[:, :, part.topics.index(topic)]
    return scores


@pytest.mark.parametrize("keep", ["depth", "size"])
@given(data=st.data())
def test_runs_are_scored_on_the_qrels_of_the_other_groups_pool(keep, data, random_cases, literal, one_core):  # noqa: ARG001 - asked for, so that it holds
    """Rewriting the qrels with sets of documents and scoring the group afresh gives the same scores and counts."""
    case = data.draw(random_cases())
    left = leave_group_out(case.collection(), METRICS, keep=keep)
    topics = list(case.qrels)
    sizes = {topic: len(levels) for topic, levels in case.qrels.items()}
    depths = {topic: literal.depth_of_size(case.lists(topic), sizes[topic]) for topic in topics}
    for group in sorted(set(case.groups.values())):
        kept, relevant_lost = {}, 0
        for topic in topics:
            others = case.lists(topic, without=group)
            depth = depths[topic] if keep == "depth" else literal.depth_of_size(others, sizes[topic])
            whole = literal.pool_of_depth(case.lists(topic), depths[topic])
            lost = whole - literal.pool_of_depth(others, depth)
            kept[topic] = {name: level for name, level in case.qrels[topic].items() if name not in lost}
            relevant_lost += sum(level > 0 for name, level in case.qrels[topic].items() if name in lost)
        names = [name for name in case.rankings if case.groups[name] == group]
        ours = left.scores["reduced"].sel(system=names).to_numpy()
        np.testing.assert_allclose(ours, fresh_scores(case, names, kept, topics), atol=1e-12)
        full = left.scores["full"].sel(system=names).to_numpy()
        np.testing.assert_allclose(full, fresh_scores(case, names, case.qrels, topics), atol=1e-12)
        assert left.groups.loc[group, "dropped_relevant"] == relevant_lost
        emptied = {topic for topic in topics if not any(level > 0 for level in kept[topic].values())}
        assert {topic for one, topic in left.emptied if one == group} == emptied
        assert left.groups.loc[group, "emptied"] == len(emptied)


@pytest.mark.parametrize("keep", ["depth", "size"])
@given(data=st.data())
def test_against_the_rebuilt_pool_both_scores_are_of_its_judgments(keep, data, random_cases, literal, one_core):  # noqa: ARG001 - asked for, so that it holds
    """Old and new scores are those of qrels rewritten with sets: the pool of a share, with the group and without it."""
    case, share = data.draw(random_cases()), data.draw(st.sampled_from([20.0, 50.0, 100.0]))
    left = leave_group_out(case.collection(), METRICS, keep=keep, baseline="pool", pool_share=share)
    topics = list(case.qrels)
    sizes = {topic: math.ceil(share * len(levels) / 100) for topic, levels in case.qrels.items()}
    depths = {topic: literal.depth_of_size(case.lists(topic), sizes[topic]) for topic in topics}
    whole = {topic: literal.pool_of_depth(case.lists(topic), depths[topic]) for topic in topics}
    for group in sorted(set(case.groups.values())):
        kept = {}
        for topic in topics:
            others = case.lists(topic, without=group)
            depth = depths[topic] if keep == "depth" else literal.depth_of_size(others, sizes[topic])
            kept[topic] = whole[topic] & literal.pool_of_depth(others, depth)
        names = [name for name in case.rankings if case.groups[name] == group]
        for which, pools in (("full", whole), ("reduced", kept)):
            qrels = literal.restricted(case.qrels, pools)
            ours = left.scores[which].sel(system=names).to_numpy()
            np.testing.assert_allclose(ours, fresh_scores(case, names, qrels, topics), atol=1e-12)


def test_where_the_pool_holds_all_judgments_the_baselines_agree(made):
    """Old scores differ only by what lies outside the rebuilt pool."""
    whole = made.to_collection(retrieved="all")
    inside = whole.rejudge(np.where(original_pool(whole).levels < 0, 0, whole.levels))
    first, second = (leave_group_out(inside, ["AP"], baseline=one).scores for one in ("judgments", "pool"))
    assert first.identical(second)


def test_a_part_of_the_pool_needs_the_pool_as_its_baseline(collection):
    """All judgments are no baseline for a pool that leaves most of them out."""
    with pytest.raises(InvalidOptionError, match="`baseline='pool'`"):
        leave_group_out(collection, ["AP"], pool_share=50)
    for share in (0, 100.5):
        with pytest.raises(InvalidOptionError, match="pool_share"):
            leave_group_out(collection, ["AP"], baseline="pool", pool_share=share)
    assert leave_group_out(collection, ["AP"], baseline="pool", pool_share=0.5).pool_share == 0.5
    with pytest.raises(UnknownNameError, match="baseline"):
        leave_group_out(collection, ["AP"], baseline="paper")


def test_a_group_loses_its_unscored_runs_too(made, collection):
    """A run that is pooled and not scored leaves with its group: the scores are those of all runs being scored."""
    whole = collection.with_groups(pooled=list(collection.systems))
    aside = [name for name in collection.systems if name.endswith("1")]
    left = leave_group_out(whole.set_aside(aside), ["AP", "P@10"], keep="size")
    every = leave_group_out(whole, ["AP", "P@10"], keep="size")
    kept = [name for name in collection.systems if name not in aside]
    assert left.scores["reduced"].identical(every.scores["reduced"].sel(system=kept))
    assert left.groups["pooled_runs"].tolist() == every.groups["pooled_runs"].tolist()
    assert left.groups["dropped_relevant"].tolist() == every.groups["dropped_relevant"].tolist()
    assert pool_sufficiency(whole.set_aside(aside), ["AP"], sizes=[5]).n_runs == len(kept)
    assert len(set(made.groups)) == len(left.groups)


THEIRS = {"map": "AP", "bpref": "bpref", "P_10": "P@10", "ndcg_cut_10": "nDCG@10"}


def check_against_trec_eval(collection, tables, groups, literal, depth):
    """Compare the runs of some groups with trec_eval on the qrels of the pool of the others, for both rules."""
    lists = {name: literal.tops(table, 5 * depth) for name, table in tables.items()}
    pooled = np.ones(collection.n_systems, dtype=bool) if collection.pooled is None else collection.pooled
    of_group = dict(zip(collection.systems, collection.groups, strict=True))
    building = [name for name, one in zip(collection.systems, pooled, strict=True) if one]
    qrels = literal.as_qrels(collection, collection.levels)
    for keep in ("depth", "size"):
        left = leave_group_out(collection, list(THEIRS.values()), keep=keep, pool_depth=depth)
        for group in groups:
            rewritten, n_lost = {}, 0
            for topic in collection.topics:
                others = [lists[name].get(topic, []) for name in building if of_group[name] != group]
                whole = literal.pool_of_depth([lists[name].get(topic, []) for name in building], depth)
                reached = depth if keep == "depth" else literal.depth_of_size(others, len(whole))
                assert reached < 5 * depth  # the lists were long enough
                lost = whole - literal.pool_of_depth(others, reached)
                rewritten[topic] = {name: level for name, level in qrels[topic].items() if name not in lost}
                n_lost += len(lost & qrels[topic].keys())
            assert left.groups.loc[group, "dropped"] == n_lost
            assert n_lost > 0 or keep == "size"  # refilling may bring all of it back
            evaluator = pytest.importorskip("pytrec_eval").RelevanceEvaluator(rewritten, set(THEIRS))
            for name in (name for name, own in of_group.items() if own == group):
                found = evaluator.evaluate(literal.as_run(tables[name]))
                expected = [
                    [found[topic][measure] if topic in found else 0.0 for topic in collection.topics]
                    for measure in THEIRS
                ]
                ours = left.scores["reduced"].sel(system=name).to_numpy()
                np.testing.assert_allclose(ours, expected, atol=1e-6)


def test_trec_eval_agrees_without_each_group(made, collection, literal):
    """Scores of every group are trec_eval's on the qrels of the pool of the other groups."""
    check_against_trec_eval(collection, made.runs, sorted(set(made.groups)), literal, depth=8)


def test_trec_eval_agrees_without_a_group_of_deep_learning_2019(deep_learning, literal):
    """The same on real runs, for two of the twelve participants."""
    collection, tables = deep_learning
    check_against_trec_eval(collection, tables, ["IDST", "ICTNET"], literal, depth=10)


def test_a_refilled_pool_loses_less(collection):
    """Reaching deeper into the other runs can only bring documents back; groups without pooled runs lose nothing."""
    by_depth, by_size = (
        leave_group_out(collection, ["AP"], keep=keep, pool_depth=8).groups for keep in ("depth", "size")
    )
    assert (by_size["dropped"] <= by_depth["dropped"]).all()
    assert (by_size["dropped"] < by_depth["dropped"]).any()
    assert (by_size["judged_share"] < by_depth["judged_share"]).all()  # what comes in new was never judged
    last = collection.systems[-1]
    alone = collection.with_groups(
        {
            name: "late" if name == last else group
            for name, group in zip(collection.systems, collection.groups, strict=True)
        }
    )
    late = leave_group_out(alone, ["AP"], pool_depth=8)
    assert late.groups.loc["late", ["pooled_runs", "dropped"]].tolist() == [0, 0]
    assert late.changes().sel(system=last).to_numpy().tolist() == [0.0]


def test_judged_documents_alone_suffice_for_a_known_depth(made, collection):
    """The same scores without the documents that have no judgment; only the judged share of the pool is not known."""
    left = leave_group_out(made.to_collection(), METRICS, pool_depth=8)
    np.testing.assert_array_equal(
        left.scores["reduced"], leave_group_out(collection, METRICS, pool_depth=8).scores["reduced"]
    )
    assert left.groups["judged_share"].isna().all()


def test_a_system_can_gain_from_being_left_out():
    """Pal, Mitra and Kamps' example: two relevant documents, one at rank 1 of all, one at rank R of this run alone.

    With both its average precision is 1/2 + 1/R, without its own contribution it is 1.
    """
    others = [f"n{rank}" for rank in range(2, 10)]
    runs = {"mine": {"1": ["first", *others, "second"]}, "theirs": {"1": ["first", *others]}}
    qrels = {"1": {"first": 1, "second": 1} | dict.fromkeys(others, 0)}
    collection = collection_from_rankings(runs, qrels).with_groups({"mine": "A", "theirs": "B"})
    left = leave_group_out(collection, ["AP"], pool_depth=10)
    assert left.scores["full"].sel(system="mine").item() == pytest.approx(1 / 2 + 1 / 10)
    assert left.scores["reduced"].sel(system="mine").item() == 1.0
    assert left.changes().sel(system="mine").item() == pytest.approx(200 / 3)
    assert left.distribution()["AP"].to_dict() == dict.fromkeys(CHANGE_INTERVALS, 0) | {"[50, inf)": 1, "0": 1}


def test_changes_lie_in_the_intervals_of_the_paper():
    """Lower ends belong to the interval, exact zeros stand alone, what rises from 0 has a row of its own."""
    falls = [1e-6, 10, 10 + 1e-13, 10.1, 20, 50, 50.1, 100, 101]
    changes = [300, 50, 49.9, 10, 9.9, 1e-6, 0, *(-fall for fall in falls), np.nan]
    assert tally_changes(np.array(changes)).tolist() == [1, 2, 1, 2, 3, 1, 2, 2, 2, 1]
    assert len(CHANGE_INTERVALS) == 10


@given(st.lists(st.floats(-200, 200).map(lambda change: round(change, 8)), max_size=20))  # beyond what is equal to 0
def test_every_change_is_in_the_interval_that_its_label_names(changes):
    """The labels say what is counted: lower end, upper end, and which of them belongs."""
    counted = dict(zip(CHANGE_INTERVALS, tally_changes(np.array(changes)).tolist(), strict=True))
    rounded = np.array(changes)
    for label, n in counted.items():
        if label == "old score 0":
            inside = np.zeros(0)
        elif label == "0":
            inside = rounded[rounded == 0]
        else:
            low, high = map(float, label[1:-1].split(","))
            above = rounded >= low if label[0] == "[" else rounded > low
            inside = rounded[above & (rounded < high)]
        assert n == len(inside), label


def test_zero_scores_follow_their_own_rule():
    """0 that stays 0 is no change; 0 that rises is counted apart; both per run and per topic."""
    runs = {"a": {"1": ["d1"], "2": ["d3", "d2"]}, "b": {"1": ["d2"], "2": ["d1"]}}
    qrels = {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1, "d2": 1, "d3": 0}}
    collection = collection_from_rankings(runs, qrels).with_groups({"a": "A", "b": "B"})
    left = leave_group_out(collection, ["P@10", "AP'"], pool_depth=2)
    table = left.distribution(per_topic=True)
    assert table["P@10"].to_dict() == dict.fromkeys(CHANGE_INTERVALS, 0) | {"0": 1, "[-100, -50)": 3}
    assert table.sum().tolist() == [4, 4]
    raised = left.scores.assign(full=left.scores["full"] * 0, reduced=left.scores["reduced"] * 0 + 1)
    risen = type(left)(
        scores=raised,
        **{name: getattr(left, name) for name in ("groups", "keep", "original", "emptied", "notes")},
    )
    assert risen.distribution()["AP(judged_only=True)"].to_dict() == dict.fromkeys(CHANGE_INTERVALS, 0) | {
        "old score 0": 2
    }


def test_significance_is_that_of_scipy(collection):
    """Two-sided paired t tests over topics, new against old, as the change; runs without a change have p = 1."""
    left = leave_group_out(collection, METRICS, pool_depth=8)
    tests = left.tests()
    for row in tests.itertuples():
        old, new = (
            left.scores[name].sel(metric=row.metric, system=row.system).to_numpy() for name in ("full", "reduced")
        )
        if np.array_equal(old, new):
            assert row.p_value == 1.0
        else:
            theirs = ttest_rel(new, old)
            assert (row.statistic, row.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    found = left.significance(alpha=0.05)
    assert found["significant"].to_dict() == (tests["p_value"] <= 0.05).groupby(tests["metric"]).sum().to_dict()
    assert (found["significant"] + found["not_significant"] == collection.n_systems).all()
    assert len(left.to_frame()) == left.scores["full"].size


def test_judgments_outside_the_pool_are_kept_and_counted(collection):
    """At half the depth the deeper judgments are nobody's contribution: all stay, and their number is said."""
    left = leave_group_out(collection, ["AP"], pool_depth=4)
    inside = entry_depths(collection).within(4)[: collection.n_judgments]
    assert left.n_outside == int((~inside).sum())
    assert f"{left.n_outside} judged documents outside every pooled run's pool are kept for all 15 runs" in left.notes


def test_changes_are_one_long_table(collection):
    """Runs, then runs and topics; of each metric the shares of all intervals sum to 1."""
    table = left_out_changes(leave_group_out(collection, ["AP", "RR"]))
    assert table.index.tolist() == list(range(2 * 2 * len(CHANGE_INTERVALS)))
    assert table["counted"].drop_duplicates().tolist() == ["run", "run and topic"]
    np.testing.assert_allclose(table.groupby(["counted", "metric"])["share"].sum(), 1)


def test_a_reduced_pool_can_be_the_start(collection):
    """What is left of the qrels is then the full judgments, and no group can lose more than is there."""
    start = collection.rejudge(reduce_judgments(collection, reduction="depth", steps=[50], pool_depth=8).levels[0])
    left = leave_group_out(start, ["AP"], pool_depth=4)
    assert left.n_outside == 0
    np.testing.assert_allclose(left.scores["full"].values, metric_values(start, ["AP"]))
    assert left.groups["dropped"].sum() <= start.judged.sum()


def test_a_group_that_alone_found_everything_relevant_is_reported():
    """The topic counts 0 for its runs, the change is 100 %, and the note names group and topic."""
    runs = {"a": {"1": ["d1"], "2": ["d1"]}, "b": {"1": ["d2"], "2": ["d1"]}}
    collection = collection_from_rankings(runs, {"1": {"d1": 1, "d2": 0}, "2": {"d1": 1}})
    left = leave_group_out(collection.with_groups({"a": "A", "b": "B"}), ["AP"], pool_depth=1)
    assert left.emptied == (("A", "1"),)
    assert left.scores["reduced"].sel(system="a").to_numpy().tolist() == [[0, 1]]
    assert "A on 1" in left.notes[-1]


def test_groups_are_left_out_of_pools_of_passages():
    """Passages are pooled by document, and a document that only the group had loses all its passages."""
    results = {"a": [("d1", 0, 100), ("d2", 50, 100)], "b": [("d1", 0, 200), ("d3", 0, 100)]}
    judged = Assessments(
        scale="passages",
        documents=pd.DataFrame(
            {"topic": "1", "document": ["d1", "d2", "d3"], "relevant_size": [50, 80, 0], "size": 500}
            | {"best_entry": 0, "line": [1, 2, 3]}
        ),
        passages=pd.DataFrame({"topic": "1", "document": ["d1", "d2"], "offset": [0, 60], "length": [50, 80]}),
    )
    runs = [
        Submission(run=name, results=pd.DataFrame(rows, columns=["document", "offset", "length"]).assign(topic="1"))
        for name, rows in results.items()
    ]
    collection = passage_collection(runs, judged).with_groups({"a": "A", "b": "B"})
    left = leave_group_out(collection, ["iP@0.01", "iP@0.99"], pool_depth=2)
    # of a: 50 of 100 characters at first, 130 of 200 in all; without d2 the 50 of d1 are all there is to find
    np.testing.assert_allclose(left.scores["full"].sel(system="a").to_numpy().ravel(), [130 / 200, 130 / 200])
    np.testing.assert_allclose(left.scores["reduced"].sel(system="a").to_numpy().ravel(), [50 / 100, 50 / 100])
    np.testing.assert_array_equal(left.scores["full"].sel(system="b"), left.scores["reduced"].sel(system="b"))
    assert left.groups["dropped"].to_dict() == {"A": 1, "B": 1}


# ---- pool sufficiency ----------------------------------------------------------------------------------------------


# ---- bad input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("study", [leave_group_out, pool_sufficiency])
def test_groups_are_needed(study, collection):
    """Without groups, or with all pooled runs in one, there is nothing to leave out."""
    bare = collection_from_rankings({"a": {"1": ["d1"]}, "b": {"1": ["d1"]}}, {"1": {"d1": 1}}, retrieved="all")
    with pytest.raises(InvalidOptionError, match="no groups to leave out"):
        study(bare, ["AP"])
    with pytest.raises(InvalidOptionError, match="built by group 'X' alone"):
        study(collection.with_groups(dict.fromkeys(collection.systems, "X")), ["AP"])
    with pytest.raises(InvalidOptionError, match="built by group 'A' alone"):
        study(bare.with_groups({"a": "A", "b": "B"}, pooled=["a"]), ["AP"])
    with pytest.raises(UnknownNameError):
        study(collection, ["no_such"])


def test_options_outside_their_rule_are_refused(collection, made):
    """Rules, levels, sizes and depths."""
    with pytest.raises(UnknownNameError, match="did you mean 'depth'"):
        leave_group_out(collection, ["AP"], keep="depht")
    with pytest.raises(InvalidOptionError, match="`alpha` must lie"):
        pool_sufficiency(collection, ["AP"], alpha=1)
    with pytest.raises(InvalidOptionError, match="`alpha` must lie"):
        leave_group_out(collection, ["AP"], pool_depth=8).significance(alpha=0)
    with pytest.raises(InvalidOptionError, match="`sizes` must be"):
        pool_sufficiency(collection, ["AP"], sizes=[0])
    with pytest.raises(InvalidOptionError, match="`retrieved='all'`"):
        leave_group_out(made.to_collection(), ["AP"], keep="size", pool_depth=8)
    with pytest.raises(InvalidOptionError, match="give the depth"):
        leave_group_out(made.to_collection(), ["AP"])
