"""The order in which assessors worked: by hand, with and without the articles, and what the paper's figures say."""

import pandas as pd
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.articles import read_article
from metaeval.inex.assessment_tables import LackingError
from metaeval.inex.assessor_behaviour import assessor_cycles, assessor_steps
from metaeval.inex.simulation import simulate_inex


def log_of(*rows):
    table = pd.DataFrame(rows, columns=["action", "place"]).assign(topic="1", document="d", time=0.0)
    return table.assign(time=range(len(table)))


def test_steps_by_hand(tmp_path):
    """Down, into the element, up, back, and between tags that only the article orders."""
    places = ["/a[1]", "/a[1]/p[1]", "/a[1]/p[2]", "/a[1]/p[1]", "/a[1]", "/a[1]/q[1]", "/a[1]/p[2]"]
    log = log_of(("load", ""), *(("assess", place) for place in places))
    notes = []
    row = assessor_steps(log, None, notes).iloc[0]
    assert row[["action", "steps", "forward"]].tolist() == ["assess", 5, 3]
    assert row["inside"] == pytest.approx(2 / 3)
    assert "do not count: 1 of 6" in notes[0]
    (tmp_path / "d.xml").write_text("<a><p>x</p><q>y</q><p>z</p></a>")
    row = assessor_steps(log, {"d": read_article(tmp_path / "d.xml")}, []).iloc[0]
    assert row[["steps", "forward"]].tolist() == [6, 4]


def test_offsets_need_no_article():
    """Highlights by offset: two of three steps go forward, the same place again does not."""
    log = log_of(*(("highlight", place) for place in ("5", "40", "100", "100")))
    assert assessor_steps(log, None, []).iloc[0][["steps", "forward"]].tolist() == [3, 2]


def test_cycles_by_hand():
    """Highlight, highlight, judge, highlight, judge, judge: two cycles; loading a document ends none."""
    acts = ["load", "highlight", "unhighlight", "highlight", "load", "assess", "highlight", "assess", "assess"]
    row = assessor_cycles(log_of(*((act, "x") for act in acts))).iloc[0]
    assert row[["highlights", "judgments", "cycles"]].tolist() == [3, 3, 2]


@pytest.mark.parametrize("action", ["highlight", "assess"])
def test_a_log_of_one_phase_has_no_cycles(action):
    """There is nothing to ask; with both, a document that was judged first alone lacks an answer."""
    assert assessor_cycles(log_of(("load", ""), (action, "x"))).empty
    with pytest.raises(LackingError, match="highlighted and then judged"):
        assessor_cycles(log_of(("load", ""), ("assess", "x"), ("highlight", "x")))


def test_what_a_log_must_say():
    """Without actions or places there is no answer; an unknown action is refused by name."""
    with pytest.raises(LackingError, match="column action"):
        assessor_steps(log_of(("load", "")).drop(columns="action"), None, [])
    with pytest.raises(LackingError, match="column place"):
        assessor_steps(log_of(("load", "")).drop(columns="place"), None, [])
    with pytest.raises(LackingError, match="two highlights"):
        assessor_steps(log_of(("highlight", "3")), None, [])
    with pytest.raises(InvalidOptionError, match="action 'looks'"):
        assessor_cycles(log_of(("looks", "")))


def test_simulated_logs_resemble_the_published_ones():
    """About 85 % of the highlights and 95 % of the judgments go forward, 1.13 cycles a document (section 5.1.2)."""
    made = simulate_inex(
        year=2005, n_systems=6, n_topics=8, n_documents=300, n_results=100, pool_size=150, rng=1, published=False
    )
    shares = assessor_steps(made.log, None, []).set_index("action")["share"]
    assert shares.to_dict() == pytest.approx({"highlight": 0.85, "assess": 0.95}, abs=0.05)
    assert assessor_cycles(made.log)["cycles"].mean() == pytest.approx(1.13, abs=0.08)
