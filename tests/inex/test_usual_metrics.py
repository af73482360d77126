"""Without names, the measures of the campaign are computed that fit the files."""

import pytest

from metaeval.inex.elements import element_collection
from metaeval.inex.passages import passage_collection
from metaeval.inex.reading import read_assessments, read_submissions
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics.scoring import metric_values

QRELS = "T1 Q0 d1 300 1000 100 100:200 500:100\nT1 Q0 d2 200 400 0 0:200\n"


@pytest.mark.parametrize(
    ("results", "held", "lacking"),
    [
        ("0 100\nT1 Q0 d2 2 1 r 0 50", {"AiP", "iP@0.01", "AgP", "gR@10"}, {"AP"}),
        ("0 100\nT1 Q0 d1 2 1 r 50 100", {"AiP(overlap=thorough)", "iP(overlap=thorough)@0.1"}, {"AiP", "AgP"}),
        ("0 100\nT1 Q0 d2 2 1 r 0 50\nT1 Q0 d1 3 0 r 500 9", {"AiP", "iP@0"}, {"AgP"}),
        ("100\nT1 Q0 d2 2 1 r 0", {"AgP(mode=best)", "gP(mode=best)@10"}, {"AiP", "AgP"}),
        ("100\nT1 Q0 d1 2 1 r 0", {"AP", "P@10"}, {"AiP", "AgP(mode=best)"}),
    ],
)
def test_passages_get_what_their_runs_allow(tmp_path, results, held, lacking):
    """Overlap asks for the thorough form; an article that comes back, or entry points, leave measures out."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(f"T1 Q0 d1 1 2 r {results}\n")
    judged = read_assessments(tmp_path / "qrels.txt")
    collection = passage_collection(read_submissions(tmp_path / "run.txt"), judged)
    names = set(collection.usual_metrics)
    assert held <= names
    assert not lacking & names
    metric_values(collection, sorted(names))  # all of them can be computed


@pytest.mark.parametrize("year", [2002, 2003, 2005])
@pytest.mark.parametrize("sized", [True, False])
def test_elements_get_what_their_sizes_allow(year, sized):
    """Every default can be computed, on every scale; gains that need sizes are there where sizes are."""
    made = simulate_inex(year=year, n_systems=2, n_topics=2, n_documents=40, n_results=20, rng=1, published=False)
    sizes = made.sizes if sized else None
    collection = element_collection(made.submissions, made.assessments, sizes=sizes)
    names = collection.usual_metrics
    metric_values(collection, names)
    assert ("MAep" in names) == (sized or year == 2005)
    assert ("HiXF@25" in names) == (sized and year == 2005)
    assert "inex2002" in names
