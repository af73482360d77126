import numpy as np
import pytest

from metaeval.errors import InvalidOptionError
from metaeval.inex.measures.interpolated_precision import (
    article_f1,
    article_precision,
    article_recall,
    average_interpolated_precision,
    character_f1,
    character_precision,
    character_recall,
    interpolated_precision,
    interpolated_precision_curves,
)

RUN = "T1 d1 0 400, T1 d3 0 100, T1 d2 100 200, T1 d1 500 200"
THOROUGH = "T1 d1 0 400, T1 d1 100 400, T1 d1 0 1000, T1 d3 0 100, T1 d3 0 100"


@pytest.mark.parametrize(
    ("recall", "precision"),
    [(0.0, 1 / 2), (0.4, 1 / 2), (0.41, 4 / 9), (0.8, 4 / 9), (0.81, 0.0), (1.0, 0.0)],
)
def test_worked_example_of_interpolated_precision(passages, recall, precision):
    """The worked example of the focused task comes out, also exactly on a recall point."""
    assert interpolated_precision(passages.lists(RUN), k=recall)[0] == pytest.approx([precision, 0])


def test_worked_example_of_averages_and_shares(passages):
    """AiP and the shares of articles and characters are those of inex_eval (to its six printed figures here)."""
    lists = passages.lists(RUN)
    assert average_interpolated_precision(lists)[0, 0] == pytest.approx((41 * 0.5 + 40 * 4 / 9) / 101)
    assert average_interpolated_precision(lists)[0, 0] == pytest.approx(0.378988, abs=5e-7)
    assert average_interpolated_precision(lists).mean() == pytest.approx(0.189494, abs=5e-7)
    expected = {
        article_precision: 2 / 3,
        article_recall: 1,
        article_f1: 0.8,
        character_precision: 0.444444,
        character_recall: 0.8,
        character_f1: 0.571429,
    }
    for measure, value in expected.items():
        assert measure(lists)[0] == pytest.approx([value, 0], abs=5e-7)


def test_worked_example_of_the_thorough_task(passages):
    """Overlapping results add new characters; text of other documents counts each time, or once by the other rule."""
    lists = passages.lists(THOROUGH)
    assert average_interpolated_precision(lists, overlap="thorough")[0, 0] == pytest.approx(0.262376, abs=5e-7)
    assert character_precision(lists, overlap="thorough")[0, 0] == 0.25
    assert character_recall(lists, overlap="thorough")[0, 0] == 0.6
    assert character_precision(lists, overlap="uniform")[0, 0] == pytest.approx(300 / 1100)
    assert lists.text_read("thorough").reached.tolist() == [400, 500, 1000]
    assert lists.text_read("thorough").relevant.tolist() == [200, 0, 100]


@pytest.mark.parametrize(
    "measure", [interpolated_precision, average_interpolated_precision, character_precision, character_f1]
)
def test_overlap_is_refused_unless_asked_for(passages, measure):
    """The focused task takes no overlapping results."""
    with pytest.raises(InvalidOptionError, match=r"'run0', topic 'T1', document 'd1'.*the focused task does not allow"):
        measure(passages.lists(THOROUGH))


def test_entry_points_have_no_characters_to_measure(passages):
    """A result without a length is refused by measures of text."""
    with pytest.raises(InvalidOptionError, match="entry point without a length"):
        interpolated_precision(passages.lists("T1 d1 5 -1"), overlap="thorough")


QRELS_29 = "T1 Q0 d1 100 500 0 0:100"


def test_recall_exactly_on_a_point_counts_unless_compatible(passages):
    """29 of 100 characters reach recall 0.29; inex_eval's arithmetic puts them into bin 28."""
    lists = passages.lists("T1 d1 71 29", qrels=QRELS_29)
    assert interpolated_precision(lists, k=0.29).item() == 1
    assert interpolated_precision(lists, k=0.29, compat="inex_eval").item() == 0
    assert interpolated_precision(lists, k=0.28, compat="inex_eval").item() == 1
    assert average_interpolated_precision(lists).item() == pytest.approx(30 / 101)
    assert average_interpolated_precision(lists, compat="inex_eval").item() == pytest.approx(29 / 101)


@pytest.mark.parametrize("found", range(1, 101))
def test_compatible_bins_are_those_of_double_precision(passages, found):
    """With any number of characters the bin is the floor of 100 times the quotient, computed in doubles."""
    lists = passages.lists(f"T1 d1 0 {found}", qrels=QRELS_29)
    points = int(np.floor(100 * (found / 100))) + 1
    assert average_interpolated_precision(lists, compat="inex_eval").item() == pytest.approx(points / 101)
    assert average_interpolated_precision(lists).item() == pytest.approx((found + 1) / 101)


def test_compatible_recall_beyond_everything_is_dropped(passages):
    """Where passages hold more than the judged number of characters, the program drops the place; ours keeps it."""
    lists = passages.lists("T1 d1 0 40, T1 d1 50 40", qrels="T1 Q0 d1 60 500 0 0:100")
    assert interpolated_precision(lists, k=1.0).item() == 1
    assert interpolated_precision(lists, k=1.0, compat="inex_eval").item() == 0
    assert interpolated_precision(lists, k=0.5, compat="inex_eval").item() == 1


def test_compatible_points_are_hundredths(passages):
    """The program knows hundredths only; the definition takes any recall."""
    lists = passages.lists("T1 d1 0 40", qrels=QRELS_29)
    assert interpolated_precision(lists, k=0.395).item() == 1
    with pytest.raises(InvalidOptionError, match="steps of 1/100"):
        interpolated_precision(lists, k=0.395, compat="inex_eval")


def test_topics_without_highlighted_text_are_not_in_the_curves(passages):
    """A topic with nothing to find has no curve, and scores are 0 there, not NaN."""
    qrels = "T1 Q0 d1 100 500 0 0:100\nT2 Q0 d1 0 500"
    collection = passages.collection("T1 d1 0 100, T2 d1 0 100", qrels=qrels)
    curves = interpolated_precision_curves(collection)
    assert curves.dims == ("system", "topic", "recall")
    assert curves["topic"].to_numpy().tolist() == ["T1"]
    assert curves.sizes["recall"] == 101
    assert (curves == 1).all()
    lists = passages.lists("T1 d1 0 100, T2 d1 0 100", qrels=qrels)
    assert average_interpolated_precision(lists).tolist() == [[1, 0]]
    with pytest.raises(InvalidOptionError, match="no topic has highlighted text"):
        interpolated_precision_curves(collection.rejudge(np.array([-1, -1])))


def test_the_mean_of_the_curve_is_the_average(passages):
    """AiP is the mean height of the curve, and iP its points."""
    collection, lists = passages.collection(RUN), passages.lists(RUN)
    curves = interpolated_precision_curves(collection)
    assert curves.mean("recall").to_numpy() == pytest.approx(average_interpolated_precision(lists))
    for recall in (0.0, 0.29, 0.4, 0.8):
        assert curves.sel(recall=recall).to_numpy() == pytest.approx(interpolated_precision(lists, k=recall))
