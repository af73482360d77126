import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.measures.best_entry import best_entry_point_distance, tolerated_hits


@pytest.mark.parametrize(
    ("tolerance", "score"), [(0.01, 0.2), (0.1, 0.714286), (1, 0.961538), (10, 0.996016), (100, 0.9996)]
)
def test_worked_example_of_best_entry_points(passages, tolerance, score):
    """With articles of 2500 characters on average, 100 characters away are worth this at each tolerance."""
    lists = passages.lists("T2 d4 150 -1")
    distance = best_entry_point_distance(lists, A=tolerance, mean_length=2500)
    assert distance[0] == pytest.approx([0, score], abs=5e-7)


def test_the_sum_is_over_returned_articles_and_the_divisor_the_relevant_ones(passages):
    """Articles without a best entry point, or without a place, add nothing."""
    qrels = "T1 Q0 d1 5 900 100 100:5\nT1 Q0 d2 5 900\nT1 Q0 d3 5 900 0 0:5\nT1 Q0 d4 0 900\n"
    lists = passages.lists("T1 d1 100 -1, T1 d2 0 -1, T1 d4 0 -1, T1 d3 -1 -1", qrels=qrels)
    assert best_entry_point_distance(lists, A=1, mean_length=100).item() == pytest.approx(1 / 3)


def test_two_results_of_an_article_are_refused(passages):
    """The task asks for one entry point an article."""
    with pytest.raises(InvalidOptionError, match="not the only result of its document, which best in context"):
        best_entry_point_distance(passages.lists("T1 d1 0 4, T1 d1 9 4"), A=1, mean_length=100)


@pytest.mark.parametrize(
    ("start", "tol", "hit"),
    [
        (50, 1, 1),  # inside the passage [50, 150)
        (149, 1, 1),
        (150, 300, 0),  # after it
        (0, 50, 0),  # fifty other characters use up a patience of fifty
        (0, 51, 1),
        (-1, 300, 0),
    ],
)
def test_a_hit_begins_before_patience_ends(passages, start, tol, hit):
    """Highlighted text must begin before as many other characters as the tolerance were read."""
    lists = passages.lists(f"T2 d4 {start} 1")
    assert tolerated_hits(lists, k=1, tol=tol)[0] == pytest.approx([0, hit])


def test_hits_are_a_share_of_the_cutoff(passages):
    """Ranks are those of results, judged or not, and missing ranks count as misses."""
    lists = passages.lists("T2 dX 0 9, T2 d4 60 9, T2 d4 70 9")
    assert [tolerated_hits(lists, k=k)[0, 1] for k in (1, 2, 3, 4)] == pytest.approx([0, 1 / 2, 2 / 3, 2 / 4])
