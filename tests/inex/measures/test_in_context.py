import numpy as np
import pytest

from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.inex.measures.in_context import (
    average_generalised_precision,
    found_articles,
    generalised_precision,
    generalised_precision_curves,
    generalised_recall,
)

RUN = "T1 d1 0 400, T1 d1 500 200, T1 d3 0 100, T1 d2 100 200"
BEST = "T1 d1 0 1, T1 d3 0 1, T1 d2 100 1"


def values(measure, lists, ranks=(1, 2, 3), **options):
    return [measure(lists, k=k, **options)[0, 0] for k in ranks]


def test_worked_example_of_relevant_in_context(passages):
    """gP, gR and AgP of the worked example, with F at both betas."""
    lists = passages.lists(RUN)
    assert values(generalised_precision, lists) == pytest.approx([0.515152, 0.257576, 0.338384], abs=5e-7)
    assert values(generalised_recall, lists) == pytest.approx([0.5, 0.5, 1])
    assert average_generalised_precision(lists)[0] == pytest.approx([0.426768, 0], abs=5e-7)
    assert average_generalised_precision(lists, beta=1.0)[0, 0] == pytest.approx(0.527778, abs=5e-7)
    assert found_articles(lists, beta=1.0).scores.tolist() == pytest.approx([2 / 3, 0.5])
    assert found_articles(lists).ranks.tolist() == [1, 3]


def test_worked_example_of_best_in_context(passages):
    """Distances to the best entry point, at both widths."""
    lists = passages.lists(BEST)
    assert values(generalised_precision, lists, mode="best") == pytest.approx([0.8, 0.4, 1.6 / 3])
    assert average_generalised_precision(lists, mode="best")[0, 0] == pytest.approx(2 / 3)
    assert average_generalised_precision(lists, mode="best", n=1000)[0, 0] == pytest.approx(0.75)


def test_worked_example_of_tolerance_to_irrelevance(passages):
    """A reader of results first and the rest afterwards gives up after 300 other characters."""
    lists = passages.lists(RUN)
    assert found_articles(lists, mode="t2i").scores.tolist() == [0.5, 0.5]
    assert values(generalised_precision, lists, mode="t2i") == pytest.approx([0.5, 0.25, 1 / 3])
    assert average_generalised_precision(lists, mode="t2i")[0, 0] == pytest.approx(0.416667, abs=5e-7)


@pytest.mark.parametrize(
    ("mode", "score"),
    [("relevant", 0.0), ("best", 0.0), ("t2i", 0.0)],
)
def test_a_relevant_article_without_its_text_takes_a_rank_and_counts_as_found(passages, mode, score):
    """Missing the highlighted text of a relevant article gives it 0, and the article is found all the same."""
    qrels = "T1 Q0 d1 10 9000 8000 8000:10\nT1 Q0 d2 10 9000 0 0:10"
    lists = passages.lists("T1 d1 0 600, T1 d2 0 10", qrels=qrels)
    scores = found_articles(lists, mode=mode).scores
    assert scores[0] == score
    assert values(generalised_recall, lists, (1, 2)) == [0.5, 1]
    assert average_generalised_precision(lists, mode=mode)[0, 0] == pytest.approx((score + (score + scores[1]) / 2) / 2)


def test_short_lists_keep_their_last_value_or_are_padded(passages):
    """Beyond the last article gP stays as it is, as in inex_eval, or counts empty ranks."""
    lists = passages.lists(RUN)
    assert generalised_precision(lists, k=6)[0, 0] == pytest.approx(0.338384, abs=5e-7)
    assert generalised_precision(lists, k=6, pad="zero")[0, 0] == pytest.approx(0.338384 / 2, abs=5e-7)


@pytest.mark.parametrize(
    ("run", "mode", "words"),
    [
        ("T1 d1 0 4, T1 d3 0 4, T1 d1 9 4", "relevant", "comes back to a document"),
        ("T1 d1 0 4, T1 d3 0 4, T1 d1 9 4", "t2i", "comes back to a document"),
        ("T1 d1 0 4, T1 d1 3 4", "relevant", "overlaps an earlier result"),
        ("T1 d1 0 -1", "relevant", "entry point without a length"),
        ("T1 d1 0 4, T1 d1 9 4", "best", "is not the only result of its document"),
    ],
)
def test_what_a_task_forbids_is_refused(passages, run, mode, words):
    """Articles that come back, overlap, entry points, and second results of an article are errors where forbidden."""
    with pytest.raises(InvalidOptionError, match=words):
        average_generalised_precision(passages.lists(run), mode=mode)


def test_best_in_context_takes_entry_points(passages):
    """Best in context looks at starts alone, so it needs no length."""
    assert average_generalised_precision(passages.lists("T1 d1 0 -1"), mode="best")[0, 0] == pytest.approx(0.4)


def test_parameters_belong_to_their_mode(passages):
    """A parameter of another mode, an unknown mode and a value that is none are errors."""
    lists = passages.lists(BEST)
    with pytest.raises(InvalidOptionError, match="n=9 belongs to mode=best, not to mode=relevant"):
        average_generalised_precision(lists, n=9)
    with pytest.raises(UnknownNameError, match="no mode 'worst'"):
        average_generalised_precision(lists, mode="worst")
    with pytest.raises(InvalidOptionError, match="tol must be a number above 0"):
        average_generalised_precision(lists, mode="t2i", tol=0)


def test_reading_to_the_end_needs_the_size(passages):
    """T2I reads the rest of a document, so its size must be known."""
    lists = passages.lists("T1 d1 0 4", qrels="T1 Q0 d1 10 -1 0 0:10")
    with pytest.raises(InvalidOptionError, match="size of document 'd1' is not known"):
        average_generalised_precision(lists, mode="t2i")
    assert average_generalised_precision(lists)[0, 0] > 0


def test_a_place_that_does_not_exist_is_no_help(passages):
    """A result without a place adds 18 characters of nothing: no entry point, lower precision, less patience."""
    qrels = "T1 Q0 d1 20 1000 0 0:20"
    nowhere, both = passages.lists("T1 d1 -1 -1", qrels=qrels), passages.lists("T1 d1 0 20, T1 d1 -1 -1", qrels=qrels)
    assert found_articles(nowhere, mode="best").scores.tolist() == [0]
    assert found_articles(both, beta=1.0).scores.item() == pytest.approx(2 * (20 / 38) / (20 / 38 + 1))
    assert found_articles(both, mode="t2i", tol=18).scores.item() == 0
    assert found_articles(both, mode="t2i", tol=38).scores.item() == pytest.approx(20 / 58)


def test_an_article_without_best_entry_scores_nothing(passages):
    """A relevant article without a best entry point is found, and worth 0."""
    lists = passages.lists("T1 d1 0 4", qrels="T1 Q0 d1 10 100 -1 0:10")
    assert found_articles(lists, mode="best").scores.tolist() == [0]


@pytest.mark.parametrize("compat", [None, "inex_eval"])
def test_the_curve_interpolates_from_the_right(passages, compat):
    """Eleven points hold the largest gP from there on; the worked example has gR 0.5, 0.5, 1."""
    curve = generalised_precision_curves(passages.collection(RUN), compat=compat).sel(system="run0", topic="T1")
    assert curve.to_numpy()[:6] == pytest.approx([0.515152] * 6, abs=5e-7)
    assert curve.to_numpy()[6:] == pytest.approx([0.338384] * 5, abs=5e-7)
    assert curve["recall"].to_numpy() == pytest.approx(np.arange(11) / 10)
