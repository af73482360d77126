from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import ttest_rel

from metaeval import compare_systems, score
from metaeval.collection.documents import UNJUDGED
from metaeval.errors import InvalidOptionError
from metaeval.inex.file_rules import InexWarning
from metaeval.inex.measures.passage_lists import thresholds
from metaeval.inex.passages import passage_collection
from metaeval.inex.reading import read_submission
from metaeval.metrics.plugins import default_registry
from metaeval.metrics.scoring import metric_values
from metaeval.resampling import swap_method

RUN = "T1 d1 0 400, T1 d1 500 200, T1 d3 0 100, T1 d2 100 200"
OTHER = "T1 d2 0 200, T2 d4 50 100"


def test_thresholds_are_whole_numbers():
    """A recall point asks for the smallest number of characters that is enough, whatever doubles say."""
    points = (Fraction(0), Fraction(29, 100), Fraction(1, 3), Fraction(1))
    assert thresholds(np.array([100, 0, 10**12 + 1]), points).tolist() == [
        [0, 29, 34, 100],
        [0, 0, 0, 0],
        [0, 290000000001, 333333333334, 10**12 + 1],
    ]
    bins = tuple(Fraction(step, 100) for step in (28, 29, 50))
    assert thresholds(np.array([100]), bins, bins=100).tolist() == [[28, 30, 50]]  # 100 * (29 / 100) is below 29
    with pytest.raises(InvalidOptionError, match=r"steps of 1/100 only"):
        thresholds(np.array([100]), points, bins=100)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("iP[0.01]", "iP@0.01"),
        ("iP", "iP@0.01"),
        ("iP[0.00]", "iP@0"),
        ("AiP(overlap=thorough)", "AiP(overlap=thorough)"),
        ("AgP(mode=best, n=1000)", "AgP(mode=best, n=1000)"),
        ("gP(mode=t2i)@10", "gP(mode=t2i)@10"),
        ("gR@5", "gR@5"),
        ("BEPD(A=0.1, mean_length=2500)", "BEPD(A=0.1, mean_length=2500)"),
        ("T2IHits@10", "T2IHits@10"),
        ("char_prec", "char_prec"),
    ],
)
def test_metrics_have_names(written, name):
    """Measures of passages are written like all others, and iP also as INEX writes it."""
    resolved = default_registry().resolve(written)
    assert resolved.name == name
    assert default_registry().resolve(name) == resolved


@pytest.mark.parametrize("wrong", ["iP@1.5", "AgP(mode=worst)", "AiP(compat=trec_eval)", "gP", "BEPD(A=1)", "AiP'"])
def test_names_outside_the_rules_are_refused(wrong):
    """A recall above 1, an unknown word, a missing parameter and a condensed list are errors."""
    with pytest.raises(InvalidOptionError):
        default_registry().resolve(wrong)


def test_scores_of_passages_feed_every_engine(passages):
    """Scores of passages are a table as any other: tests and the swap method take it."""
    qrels = "\n".join(f"T{number} Q0 d1 50 100 0 0:50" for number in range(1, 5))
    runs = ["T1 d1 0 50, T2 d1 0 50, T3 d1 50 9, T4 d1 0 25", "T1 d1 50 9, T2 d1 0 100, T3 d1 0 50, T4 d1 0 50"]
    scores = score(passages.collection(*runs, qrels=qrels), ["AiP", "iP[0.01]", "AgP", "AP"])
    assert scores["metric"].to_numpy().tolist() == ["AiP", "iP@0.01", "AgP", "AP"]
    precision = scores.sel(metric="iP@0.01").to_numpy()
    assert precision == pytest.approx(np.array([[1, 1, 0, 1], [0, 0.5, 1, 1]]))
    result = compare_systems(scores, test="t").data
    assert result["p_value"].sel(metric="iP@0.01").item() == pytest.approx(ttest_rel(*precision).pvalue)
    assert (scores.sel(metric="AP") == 1).all()
    swaps = swap_method(scores.sel(metric=["AiP"]), sizes=[1], n_trials=200, rng=0, tolerances=[0.0]).counts
    assert swaps["swaps"].sum() / swaps["comparisons"].sum() == pytest.approx(2 / 3, abs=0.1)


def test_worked_example_is_scored_by_name(passages):
    """The worked example comes out of `score` as well, with document measures beside those of passages."""
    scores = score(passages.collection(RUN, OTHER), ["iP[0.01]", "AgP", "AP"])
    assert scores.sel(metric="iP@0.01").to_numpy() == pytest.approx(np.array([[0.5, 0], [1, 1]]))
    assert scores.sel(metric="AgP", system="run0", topic="T1").item() == pytest.approx(0.426768, abs=5e-7)
    assert scores.sel(metric="AP", system="run0", topic="T1").item() == pytest.approx((1 + 2 / 3) / 2)


def test_reduced_judgments_are_scored_without_compiling_again(passages):
    """A document whose judgment is gone takes its passages with it."""
    collection = passages.collection(RUN, OTHER)
    levels = collection.by_document.full_levels.copy()
    levels[collection.by_document.document_ids == b"d1"] = UNJUDGED
    values = metric_values(collection.rejudge(levels), ["iP[0.01]", "gR@1"])
    assert values[0, :, 0] == pytest.approx([1 / 9, 1])
    assert values[1, :, 0] == pytest.approx([0, 1])


def test_places_that_do_not_exist_and_entry_points_are_read_from_files(passages, tmp_path):
    """``X`` in a file is 18 characters of nothing, and a line with an offset alone is an entry point."""
    (tmp_path / "X.txt").write_text("T1 Q0 d1 1 9 X X X\nT1 Q0 d1 2 8 X 100 18\n")
    (tmp_path / "entry.txt").write_text("T1 Q0 d1 1 9 entry 100\n")
    judged = passages.assessments("T1 Q0 d1 300 1000 100 100:200 500:100\n")
    with pytest.warns(InexWarning, match="place was not found"):
        nowhere = passage_collection([read_submission(tmp_path / "X.txt")], judged)
    entry = passage_collection([read_submission(tmp_path / "entry.txt")], judged)
    assert metric_values(nowhere, ["char_prec", "iP@0"]).ravel().tolist() == [0.5, 0.5]
    assert metric_values(entry, ["AgP(mode=best)"]).item() == 1
    with pytest.raises(InvalidOptionError, match=r"line 1: run 'entry'.*an entry point without a length"):
        metric_values(entry, ["AiP"])


def test_topics_without_highlighted_text_are_left_out_and_noted(passages):
    """A topic with nothing to find is no topic of the scores."""
    qrels = "T1 Q0 d1 10 90 0 0:10\nT2 Q0 d1 10 90 0 0:10\nT3 Q0 d1 0 90"
    scores = score(passages.collection("T1 d1 0 9, T3 d1 0 9", "T2 d1 0 9", qrels=qrels), ["AiP"])
    assert scores["topic"].to_numpy().tolist() == ["T1", "T2"]
    assert any("T3" in note for note in scores.attrs["notes"])


def test_faults_stop_scoring(passages):
    """A run that breaks the task's rule has no score, and the error says where."""
    collection = passages.collection("T1 d1 0 400, T1 d1 300 9", OTHER)
    with pytest.raises(InvalidOptionError, match=r"'run0', topic 'T1', document 'd1'.*overlaps"):
        score(collection, ["AiP"])
    assert score(collection, ["AiP(overlap=thorough)"]).sizes["system"] == 2
