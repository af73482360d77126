"""Element pools beside document pools, and larger pools: against slow readings of the paper's words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.assessed_pools import GrowthCurves, entry_rounds, new_run_coverage, pool_growth
from metaeval.inex.assessment_tables import AssessmentTables
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.simulation import simulate_inex
from metaeval.questions.assessment.study import study_assessment
from metaeval.resampling.effort import CostModel

RESULTS = st.lists(st.tuples(st.sampled_from("12"), st.integers(0, 4), st.integers(0, 2)), min_size=1, unique=True)


def run_of(results, name):
    rows = [(topic, f"d{document}", f"/a[1]/p[{part}]") for topic, document, part in results]
    return Submission(run=name, results=pd.DataFrame(rows, columns=["topic", "document", "path"]))


def lists_of(runs, topic, part, rounds):
    """Return what each run adds in turn: what every result lies in, or only what the run has not had before."""
    lists = [[row[1:part] for row in run if row[0] == topic] for run in runs]
    return lists if rounds == "results" else [list(dict.fromkeys(one)) for one in lists]


def pool_of(runs, topic, size, part, rounds):
    """Take the next of every run in turn, round by round, until there are enough."""
    lists = lists_of(runs, topic, part, rounds)
    pool = set()
    for depth in range(max(map(len, lists))):
        if len(pool) >= size:
            break
        pool |= {one[depth] for one in lists if depth < len(one)}
    return pool


@pytest.mark.parametrize("rounds", ["results", "documents"])
@given(st.lists(RESULTS, min_size=1, max_size=3), RESULTS, st.integers(1, 6))
@example([[("1", 0, 0), ("1", 1, 0), ("1", 2, 0)], [("1", 1, 0), ("1", 0, 0)]], [("1", 2, 0)], 3)
@example([[("1", 0, 0), ("1", 0, 1), ("1", 1, 0), ("1", 2, 0)]], [("1", 1, 0), ("1", 2, 0)], 2)
def test_coverage_against_pools_made_one_by_one(rounds, runs, new, size):
    """At every rank and above: how many results are in the pool, as documents and as elements."""
    pooled = {row[0] for run in runs for row in run}
    made = [run_of(run, f"r{n}") for n, run in enumerate(runs)]
    if not any(row[0] in pooled for row in new):
        with pytest.raises(InvalidOptionError, match="no topic"):
            new_run_coverage(made, [run_of(new, "new")], sizes=[size], rounds=rounds)
        return
    found = new_run_coverage(made, [run_of(new, "new")], sizes=[size], rounds=rounds)
    for unit, part in (("documents", 2), ("elements", 3)):
        rows = found[found["unit"] == unit].set_index("rank")
        inside, results = np.zeros(len(rows) + 1), np.zeros(len(rows) + 1)
        for topic in pooled:
            pool = pool_of(runs, topic, size, part, rounds)
            for rank, row in enumerate([row for row in new if row[0] == topic], 1):
                results[rank] += 1
                inside[rank] += row[1:part] in pool
        assert rows["results"].tolist() == results[1:].tolist()
        assert rows["in_pool"].tolist() == inside[1:].tolist()
        assert rows["share_up_to"].tolist() == pytest.approx((np.cumsum(inside) / np.cumsum(results).clip(1))[1:])


def growth_step_by_step(runs, relevant, rounds):
    """Documents and relevant ones of topic 1 after every round that brings a new one."""
    lists, pool, after = lists_of(runs, "1", 2, rounds), set(), {0: 0}
    for depth in range(max(map(len, lists))):
        pool |= {one[depth] for one in lists if depth < len(one)}
        after[len(pool)] = sum(number in relevant for (number,) in pool)
    return after


@pytest.mark.parametrize("rounds", ["results", "documents"])
@given(st.lists(RESULTS, min_size=1, max_size=3), st.sets(st.integers(0, 4)))
def test_growth_against_pools_made_round_by_round(rounds, runs, relevant):
    """After every round the pool is as large, and holds as much that is relevant, as one made by hand."""
    runs = [[("1", *row[1:]) for row in run] for run in runs]
    names = [f"d{number}" for number in range(5)]
    documents = pd.DataFrame({"topic": "1", "document": names, "relevant_size": [int(n in relevant) for n in range(5)]})
    judged = Assessments(scale="passages", documents=documents)
    made = [run_of(run, f"r{n}") for n, run in enumerate(runs)]
    after = growth_step_by_step(runs, relevant, rounds)
    found = pool_growth(judged, made, rounds=rounds).set_index("documents")["relevant"]
    assert found.index.tolist() == list(range(1, max(after) + 1))
    sizes = np.array(sorted(after))
    assert found.tolist() == pytest.approx(np.interp(found.index, sizes, [after[size] for size in sizes]))


@given(st.lists(RESULTS, min_size=1, max_size=3))
def test_rounds_of_results_and_of_documents(runs):
    """By results no pool of a depth is larger than by documents; with one result a document they are the same."""
    keys = ["topic", "document"]
    tables = [run_of(run, "").results for run in runs]
    by_results, by_documents = (entry_rounds(tables, keys, rounds) for rounds in ("results", "documents"))
    assert (by_results >= by_documents[by_results.index]).all()
    assert len(by_results) == len(by_documents)
    once = [table.drop_duplicates(keys) for table in tables]
    alike = [entry_rounds(once, keys, rounds) for rounds in ("results", "documents")]
    pd.testing.assert_series_equal(*alike)
    pd.testing.assert_series_equal(alike[0], by_documents)


def test_pools_of_elements_know_no_rounds_of_documents():
    """The rounds change what a pool of documents holds, never what one of elements does."""
    made = simulate_inex(
        year=2005, n_systems=6, n_topics=3, n_documents=90, n_results=60, pool_size=40, rng=2, published=False
    )
    tables = [
        new_run_coverage(made.submissions[:4], made.submissions[4:], sizes=[10], rounds=rounds).set_index("unit")
        for rounds in ("results", "documents")
    ]
    assert tables[0].loc["elements"].equals(tables[1].loc["elements"])
    assert not tables[0].loc["documents"].equals(tables[1].loc["documents"])


def test_a_run_that_stays_in_one_document():
    """By results its rounds bring nothing new while the other runs go on; by documents it has given all at once."""
    stays = run_of([("1", 0, part) for part in range(4)] + [("1", 1, 0)], "stays")
    goes = run_of([("1", 2, 0), ("1", 3, 0)], "goes")
    keys = ["topic", "document"]
    found = {rounds: entry_rounds([stays.results, goes.results], keys, rounds) for rounds in ("results", "documents")}
    assert {name[1]: number for name, number in found["results"].items()} == {"d0": 0, "d1": 4, "d2": 0, "d3": 1}
    assert {name[1]: number for name, number in found["documents"].items()} == {"d0": 0, "d1": 1, "d2": 0, "d3": 1}


def test_other_rounds_are_refused():
    """With the names that would do, in every function that takes them, also where no run is given."""
    judged = Assessments(scale="passages", documents=pd.DataFrame({"topic": ["1"], "document": ["d0"]}))
    run = run_of([("1", 0, 0)], "a")
    for ask in (
        lambda: pool_growth(judged, [run], rounds="elements"),
        lambda: new_run_coverage([run], [run], rounds="elements"),
        lambda: study_assessment(judged, rounds="elements"),
    ):
        with pytest.raises(UnknownNameError, match=r"kind of rounds 'elements'.*results.*documents"):
            ask()


def test_element_pools_hold_little_of_new_runs():
    """What the paper calls catastrophic: pools of elements hold far less of new runs than pools of documents."""
    made = simulate_inex(
        year=2005, n_systems=9, n_topics=4, n_documents=200, n_results=150, pool_size=80, rng=2, published=False
    )
    table = new_run_coverage(made.submissions[:6], made.submissions[6:], sizes=[50, 100])
    last = table[table["rank"] == 100].set_index(["size", "unit"])["share_up_to"].unstack()  # noqa: PD010 - a grid
    assert (last["documents"] > 2 * last["elements"]).all()
    assert (last.diff().iloc[1] >= 0).all()
    passages = simulate_inex(
        year=2008, n_systems=4, n_topics=2, n_documents=60, n_results=30, pool_size=20, rng=2, published=False
    )
    assert set(new_run_coverage(passages.submissions[:3], passages.submissions[3:])["unit"]) == {"documents"}


def test_larger_pools_as_the_paper_reckons_them():
    """One relevant of five documents after 250: 100 more hold 20, and take 1.4 hours at 60 s and 48 s (5.2.1)."""
    frames, runs = [], []
    for topic in ("1", "2"):
        relevant = np.r_[np.ones(100), np.zeros(150), np.arange(250) % 5 == 0]
        names = [f"d{n}" for n in range(500)]
        frames.append(pd.DataFrame({"topic": topic, "document": names, "relevant_size": relevant.astype(int)}))
        runs.append(pd.DataFrame({"topic": topic, "document": names}))
    judged = Assessments(scale="passages", documents=pd.concat(frames, ignore_index=True))
    run = Submission(run="a", results=pd.concat(runs, ignore_index=True))
    found = study_assessment(judged, submissions=[run], cost=CostModel(1.0, 0.8)).beyond.iloc[0]
    assert (found["pool"], found["added"], found["relevant"]) == (500, 100, pytest.approx(20))
    assert (found["low"], found["high"]) == pytest.approx((20, 20))
    assert found["hours"] == pytest.approx((20 * 60 + 80 * 48) / 3600)
    assert found["hours_now"] == pytest.approx((150 * 60 + 350 * 48) / 3600)
    alone = GrowthCurves.of(AssessmentTables.of(judged, None), [Submission(run="a", results=runs[0])]).beyond(100)
    assert alone.loc["relevant", "expected"] == pytest.approx(20)
    assert np.isnan(alone.loc["relevant", "low"])
