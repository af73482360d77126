"""What a study of judgments starts from: runs that differ, and judgments that say what was judged."""

import pandas as pd
import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.errors import InvalidOptionError
from metaeval.questions.judgments.study import study_judgments
from metaeval.simulate.collection import simulate_collection

QUICK = {"n_replicates": 2, "n_tested": 0, "rng": 1}


@pytest.fixture(scope="module")
def rankings():
    """Return lists of six runs on eight topics, by run and topic, and their qrels of both kinds of documents."""
    made = simulate_collection(n_groups=3, runs_per_group=2, n_topics=8, n_documents=150, depth=30, pool_depth=8, rng=2)
    lists = {
        name: {topic: part["doc_id"].tolist() for topic, part in table.groupby("query_id")}
        for name, table in made.runs.items()
    }
    qrels = {
        topic: dict(zip(part["doc_id"], part["relevance"], strict=True))
        for topic, part in made.qrels.groupby("query_id")
    }
    return lists, qrels, dict(zip(lists, made.groups, strict=True)), dict(zip(lists, made.pooled, strict=True))


def compiled(rankings, *, more=None, only=False):
    lists, qrels, groups, pooled = rankings
    if only:
        qrels = {topic: {name: level for name, level in lines.items() if level > 0} for topic, lines in qrels.items()}
    every = lists | (more or {})
    collection = collection_from_rankings(every, qrels, retrieved="all")
    return collection.with_groups(
        {name: groups.get(name, "further") for name in every}, pooled={name: pooled.get(name, True) for name in every}
    )


def test_identical_runs_count_once_are_named_and_still_build_the_pool(rankings):
    """Decision 11: a copy changes no table but those of the pool's runs, and its name is said."""
    first = next(iter(rankings[0]))
    twin = {"twin": {topic: [*names, f"new-{topic}"] for topic, names in rankings[0][first].items()}}
    study = study_judgments(compiled(rankings, more=twin), ["P@5"], questions=["fewer-topics"], **QUICK)
    plain = study_judgments(compiled(rankings), ["P@5"], questions=["fewer-topics"], **QUICK)
    assert (study.n_systems, plain.n_systems) == (6, 6)
    assert study.identical == ((first, "twin"),)
    assert any("twin" in note and "left out" in note and "still build the pool" in note for note in study.notes)
    pd.testing.assert_frame_equal(study.to_frame(), plain.to_frame())


def test_relevant_lines_alone_answer_what_needs_no_pool_and_say_so(rankings):
    """Random parts and topics are answered with a loud note; what starts from the pool is refused with the way out."""
    only = compiled(rankings, only=True)
    study = study_judgments(only, ["AP"], **QUICK)
    assert set(study.unanswered) == {"shallower-pools", "new-systems", "effort"}
    assert all("`judged_pool_size`" in reason for reason in study.unanswered.values())
    assert any("relevant documents only" in note for note in study.notes)
    for question in ("shallower-pools", "new-systems", "effort"):
        with pytest.raises(InvalidOptionError, match="relevant ones"):
            study_judgments(only, ["AP"], questions=[question], **QUICK)
    with pytest.raises(InvalidOptionError, match="relevant ones"):
        study_judgments(only, ["AP"], questions=["less-judging"], reductions=["share"], **QUICK)
    with pytest.raises(InvalidOptionError, match="one of them"):
        study_judgments(only, ["AP"], judged_pool_size=9, pool_depth=8, **QUICK)


def test_with_the_depth_known_effort_and_pools_are_those_of_complete_judgments(rankings):
    """Every table that draws nothing is the same; without it a "100 %" pool had lost relevant documents."""
    options = {"questions": ["shallower-pools", "new-systems", "effort"], "pool_depth": 8, "sizes": [10, 20], **QUICK}
    whole, only = (compiled(rankings, only=one) for one in (False, True))
    truth, found = (study_judgments(one, ["AP", "P@5"], **options).tables() for one in (whole, only))
    for name, frame in truth.items():
        if name != "effort":
            pd.testing.assert_frame_equal(found[name], frame, obj=name)
    assert found["pool"]["relevant_held"].tolist() == found["pool"]["relevant"].tolist()


def test_what_is_known_of_the_pool_reaches_every_part(rankings):
    """Runs set aside, shares of the pool and the rule of adaptive pools are those of the engines."""
    names = list(rankings[0])
    study = study_judgments(
        compiled(rankings),
        ["AP"],
        questions=["new-systems", "effort"],
        pool_runs=names[:1],
        pool_shares=[50],
        adaptive_start=2,
        adaptive_step=3,
        adaptive_budget=250,
        sizes=[10],
        **QUICK,
    )
    assert study.n_systems == 5
    assert study.effort.adaptive.rule == (2, 3, 0.05, 250)
    assert study.effort.adaptive.per_topic["judged"].sum() <= 250
    assert study.left_out["50 % of the pool"].pool_share == 50
    assert set(study.tables()["left_out"]["pool_share"]) == {50, 100}
    assert study.tables()["left_out_groups"].query("keep == 'size'")["pooled_runs"].sum() == sum(rankings[3].values())


def test_a_budget_that_does_not_pay_is_said(rankings):
    """Adaptive pools that cannot even start are left out, and the note says what they would take."""
    study = study_judgments(compiled(rankings), ["AP"], questions=["effort"], adaptive_budget=3, **QUICK)
    assert study.effort.adaptive is None
    assert any("does not pay" in note for note in study.notes)
