"""Element pools beside document pools, and larger pools: against slow readings of the paper's words."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.agreement.assessed_pools import GrowthCurves, new_run_coverage
from metaeval.agreement.assessment_tables import AssessmentTables
from metaeval.collection.inex import Assessments, Submission
from metaeval.errors import InvalidOptionError
from metaeval.resampling.effort import CostModel
from metaeval.simulate.inex import simulate_inex
from metaeval.studies.assessment import study_assessments

RESULTS = st.lists(st.tuples(st.sampled_from("12"), st.integers(0, 4), st.integers(0, 2)), min_size=1, unique=True)


def run_of(results, name):
    rows = [(topic, f"d{document}", f"/a[1]/p[{part}]") for topic, document, part in results]
    return Submission(run=name, results=pd.DataFrame(rows, columns=["topic", "document", "path"]))


def pool_of(runs, topic, size, part):
    """Take the next new one of every run in turn, round by round, until there are enough."""
    lists = [list(dict.fromkeys(row[1:part] for row in run if row[0] == topic)) for run in runs]
    pool = set()
    for depth in range(max(map(len, lists))):
        if len(pool) >= size:
            break
        pool |= {one[depth] for one in lists if depth < len(one)}
    return pool


@given(st.lists(RESULTS, min_size=1, max_size=3), RESULTS, st.integers(1, 6))
def test_coverage_against_pools_made_one_by_one(runs, new, size):
    """At every rank and above: how many results are in the pool, as documents and as elements."""
    pooled = {row[0] for run in runs for row in run}
    made = [run_of(run, f"r{n}") for n, run in enumerate(runs)]
    if not any(row[0] in pooled for row in new):
        with pytest.raises(InvalidOptionError, match="no topic"):
            new_run_coverage(made, [run_of(new, "new")], sizes=[size])
        return
    found = new_run_coverage(made, [run_of(new, "new")], sizes=[size])
    for unit, part in (("documents", 2), ("elements", 3)):
        rows = found[found["unit"] == unit].set_index("rank")
        inside, results = np.zeros(len(rows) + 1), np.zeros(len(rows) + 1)
        for topic in pooled:
            pool = pool_of(runs, topic, size, part)
            for rank, row in enumerate([row for row in new if row[0] == topic], 1):
                results[rank] += 1
                inside[rank] += row[1:part] in pool
        assert rows["results"].tolist() == results[1:].tolist()
        assert rows["in_pool"].tolist() == inside[1:].tolist()
        assert rows["share_up_to"].tolist() == pytest.approx((np.cumsum(inside) / np.cumsum(results).clip(1))[1:])


def test_element_pools_hold_little_of_new_runs():
    """What the paper calls catastrophic: pools of elements hold far less of new runs than pools of documents."""
    made = simulate_inex(year=2005, n_systems=9, n_topics=4, n_documents=200, n_results=150, pool_size=80, rng=2)
    table = new_run_coverage(made.submissions[:6], made.submissions[6:], sizes=[50, 100])
    last = table[table["rank"] == 100].set_index(["size", "unit"])["share_up_to"].unstack()  # noqa: PD010 - a grid
    assert (last["documents"] > 2 * last["elements"]).all()
    assert (last.diff().iloc[1] >= 0).all()
    passages = simulate_inex(year=2008, n_systems=4, n_topics=2, n_documents=60, n_results=30, pool_size=20, rng=2)
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
    found = study_assessments(judged, submissions=[run], cost=CostModel(1.0, 0.8)).beyond.iloc[0]
    assert (found["pool"], found["added"], found["relevant"]) == (500, 100, pytest.approx(20))
    assert (found["low"], found["high"]) == pytest.approx((20, 20))
    assert found["hours"] == pytest.approx((20 * 60 + 80 * 48) / 3600)
    assert found["hours_now"] == pytest.approx((150 * 60 + 350 * 48) / 3600)
    alone = GrowthCurves.of(AssessmentTables.of(judged, None), [Submission(run="a", results=runs[0])]).beyond(100)
    assert alone.loc["relevant", "expected"] == pytest.approx(20)
    assert np.isnan(alone.loc["relevant", "low"])
