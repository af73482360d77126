"""The statements that are judged on real topics keep to their goals, on two tables and few samples."""

import importlib
import re
from pathlib import Path

import pytest

from metaeval import simulate_scores, study_table

BENCHMARKS = Path(__file__).parents[1] / "benchmarks" / "studies"
STATEMENTS = sorted(path.stem for path in BENCHMARKS.glob("real_*.py") if path.stem != "real_populations")


@pytest.mark.usefixtures("studies")
@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_holds_on_real_topics(name, data_folder, monkeypatch):
    """No goal is missed by more than four standard errors."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    bench = importlib.import_module("real_populations")
    tables = importlib.import_module("populations").populations(data_folder, matrices_only=True)
    statement = importlib.import_module(name)
    rows = statement.judge([one for one in tables if one.name in bench.QUICK], bench.QUICK_SCALE)
    assert not statement.failures(rows)


def test_captions_of_ranks_say_what_exact_ties_do(checkout):
    """The share of samples whose intervals hold the ranks of equal systems is that of the kept report."""
    report = (checkout / "benchmarks" / "reports" / "real_populations.md").read_text("utf-8")
    held = float(re.search(r"\| the 48 \| 20 systems in groups of 4 \| 50 \| \d+ \| posterior \| ([\d.]+)", report)[1])
    words = " ".join((checkout / "metaeval" / "questions" / "leaderboard" / "words.prose").read_text("utf-8").split())
    assert f"({100 * held:.0f} % where groups of four are exactly equal)" in words  # beside the scores
    said = f"in groups of four {100 * held:.0f} % instead of 95 %"
    assert f"(less often if systems are exactly equal: {said})" in words  # beside means


def test_with_few_topics_the_guarantee_is_said_with_what_it_lacks(checkout):
    """Where 10 topics and skewed differences raise Benjamini-Yekutieli's rate, the table says by how much."""
    report = (checkout / "benchmarks" / "reports" / "real_populations.md").read_text("utf-8")
    (report,) = [part for part in re.split(r"(?m)^## ", report) if part.startswith("Corrections")]
    rows = re.findall(r"\| \d+ groups of \d+ \| moved \| 10 \|[^|]+\|[^|]+\| ([\d.]+) \(", report)
    low, high = (f"{end:.2f}" for end in (min(map(float, rows)), max(map(float, rows))))
    for n_topics in (10, 30):
        scores = simulate_scores(n_systems=5, n_topics=n_topics, rng=1)
        assert (f"these raised it to {low} to {high}" in study_table(scores).report().summary[1]) == (n_topics < 20)
