"""What a collection of elements or passages holds is counted right, and its curves are those of the measures."""

import numpy as np
import pytest

from metaeval.collection.documents import UNJUDGED
from metaeval.inex.passages import passage_collection
from metaeval.inex.reading import read_assessments, read_submissions
from metaeval.metrics.scoring import metric_values, score
from metaeval.questions.report.study_focused import focused_curves, focused_statistics

QRELS = """T1 Q0 d1 300 1000 100 100:200 500:100
T1 Q0 d2 200 400 0 0:200
T1 Q0 d3 0 800
T2 Q0 d4 100 500 50 50:100
"""
FIRST = """T1 Q0 d1 1 4 first 0 400
T1 Q0 d1 2 3 first 500 200
T1 Q0 d3 3 2 first 0 100
T1 Q0 d9 4 1 first 100 200
"""
SECOND = """T1 Q0 d2 1 2 second 0 200
T2 Q0 d4 2 1 second 0 100
"""


def compiled(folder, *runs):
    """Compile runs given as text with the judgments above."""
    (folder / "qrels.txt").write_text(QRELS)
    paths = []
    for number, text in enumerate(runs):
        paths.append(folder / f"run{number}.txt")
        paths[-1].write_text(text)
    return passage_collection(read_submissions(paths), read_assessments(folder / "qrels.txt"))


def test_passages_are_counted(tmp_path):
    """Every number of a small collection, by hand."""
    found = focused_statistics(compiled(tmp_path, FIRST, SECOND))
    assert found.kind == "passages"
    assert found.counts == {"topics": 2, "topics with something relevant": 2, "runs": 2, "empty lists": 1}
    assert found.per_topic.to_dict("list") == {
        "documents assessed": [3, 1],
        "documents with something relevant": [2, 1],
        "highlighted passages": [3, 1],
        "highlighted characters": [500, 100],
    }
    runs = found.per_system
    assert runs["topics"].tolist() == [1, 2]
    assert runs["results"].tolist() == [4, 2]
    assert runs["documents"].tolist() == [3, 2]
    assert runs["size"].tolist() == [900 / 4, 150.0]
    assert runs["overlap"].tolist() == [0.0, 0.0]
    assert runs["unjudged_at_10"].tolist() == pytest.approx([1 / 3, 0.0])
    table = found.to_frame().set_index("quantity")
    assert table.loc["highlighted characters per topic"].tolist() == [600, 300, 100, 500]
    assert table.loc["results per run"].tolist() == [6, 3, 2, 4]


def test_a_document_that_loses_its_judgment_takes_its_passages(tmp_path):
    """Counts are those of the judgments in force."""
    collection = compiled(tmp_path, FIRST, SECOND)
    levels = collection.by_document.levels.copy()
    levels[collection.by_document.document_ids == b"d1"] = UNJUDGED
    found = focused_statistics(collection.rejudge(levels)).per_topic
    assert found["highlighted passages"].tolist() == [1, 1]
    assert found["documents assessed"].tolist() == [2, 1]


def test_characters_returned_before_are_overlap(tmp_path):
    """100 of 400 characters were there already."""
    again = "T1 Q0 d1 1 2 again 0 200\nT1 Q0 d1 2 1 again 100 200\n"
    assert focused_statistics(compiled(tmp_path, again)).per_system["overlap"].tolist() == [0.25]


def test_elements_are_counted(focused_tree):
    """The tree of the paper: ten relevant elements; overlap of its six runs as anybody can count it."""
    found = focused_statistics(focused_tree.tree_collection())
    assert found.kind == "elements"
    assert found.per_topic.to_dict("list") == {
        "documents assessed": [1],
        "documents with something relevant": [1],
        "relevant elements": [10],
    }
    overlap = {"irb": 0, "frb": 9 / 10, "ia": 3 / 4, "id": 6 / 8, "lo": 0, "ao": 0}
    assert found.per_system["overlap"].to_dict() == pytest.approx(overlap)
    assert found.per_system["results"].to_dict() == {name: len(names) for name, names in focused_tree.RUNS.items()}
    sizes = {name: np.mean([focused_tree.GRADES[one][2] for one in names]) for name, names in focused_tree.RUNS.items()}
    assert found.per_system["size"].to_dict() == pytest.approx(sizes)


def test_an_unknown_size_leaves_the_mean_unknown(focused_tree):
    """A run with one element of unknown size has no mean size, the others keep theirs."""
    odd = {"odd": ["sec6", "/article[1]/bdy[1]/sec[9]"], "irb": focused_tree.RUNS["irb"]}
    sizes = focused_statistics(focused_tree.tree_collection(odd)).per_system["size"]
    assert np.isnan(sizes["odd"])
    assert sizes["irb"] == 5000


def test_curves_of_passages_average_to_the_measure(tmp_path):
    """The mean of the curve over recall is MAiP; runs that stay with their articles have a curve in context too."""
    collection = compiled(tmp_path, FIRST, SECOND)
    precision, context = focused_curves(collection)
    assert precision.data.sizes == {"system": 2, "recall": 101}
    expected = score(collection, "AiP").mean("topic").to_numpy()[0]
    assert precision.data.mean("recall").to_numpy() == pytest.approx(expected, abs=1e-12)
    assert context.name == "generalised-precision"


def test_runs_that_come_back_to_an_article_have_no_curve_in_context(tmp_path):
    """A focused run may do so, and what the task in context asks does not fit it."""
    text = "T1 Q0 d1 1 3 back 0 100\nT1 Q0 d2 2 2 back 0 50\nT1 Q0 d1 3 1 back 500 100\n"
    assert [one.name for one in focused_curves(compiled(tmp_path, text, SECOND))] == ["precision-recall"]


def test_entry_points_have_a_curve_of_best_in_context_alone(tmp_path):
    """Without lengths there is no precision in characters, and the reason is given."""
    precision, context = focused_curves(compiled(tmp_path, "T1 Q0 d1 1 2 entry 100\nT1 Q0 d2 2 1 entry 0\n"))
    assert precision.data is None
    assert "entry point without a length" in precision.lacking
    assert context.data.sizes["recall"] == 11


def test_curves_of_elements_average_to_the_measure(focused_tree):
    """inex-2002 is the mean of its precall curve, nxCG a point of the gain curve."""
    collection = focused_tree.tree_collection()
    precall, gain = focused_curves(collection)
    for curve, metric, value in (
        (precall, "inex2002", precall.data.mean("recall")),
        (gain, "nxCG@10", gain.data.sel(rank=10)),
    ):
        assert value.to_numpy() == pytest.approx(score_of(collection, metric), abs=1e-12), curve.name


def test_curves_of_elements_are_drawn_under_the_quantisations_asked_for(focused_tree):
    """Each quantisation once, gain with the metric's own treatment of overlap; without any the generalised one."""
    collection = focused_tree.tree_collection()
    curves = focused_curves(
        collection, ["MAep(quant=Strict4)", "nxCG(quant=SOG, task=thorough)@10", "xQ(quant=Strict4)"]
    )
    assert [one.title for one in curves] == [
        "Precision and recall of elements (inex-2002, Strict4)",
        "Precision and recall of elements (inex-2002, SOG)",
        "Normalised cumulated gain (nxCG, Strict4)",
        "Normalised cumulated gain (nxCG, SOG, task=thorough)",
    ]
    values = {one.title: one.data for one in curves}
    gain = values["Normalised cumulated gain (nxCG, SOG, task=thorough)"].sel(rank=10).to_numpy()
    assert gain == pytest.approx(score_of(collection, "nxCG(quant=SOG, task=thorough)@10"), abs=1e-12)
    precall = values["Precision and recall of elements (inex-2002, SOG)"].mean("recall").to_numpy()
    assert precall == pytest.approx(score_of(collection, "inex2002(quant=SOG)"), abs=1e-12)
    assert [one.title for one in focused_curves(collection, ["AP"])] == [
        one.title for one in focused_curves(collection)
    ]


def test_a_gain_curve_without_sizes_says_why_it_is_not_there(focused_tree):
    """Overlap of elements of unknown size leaves the curve of inex-2002 alone."""
    bare = focused_tree.tree_assessments()
    bare = focused_tree.tree_assessments(elements=bare.elements.assign(size=-1))
    precall, gain = focused_curves(focused_tree.tree_collection({"frb": focused_tree.RUNS["frb"]}, assessments=bare))
    assert precall.data is not None
    assert gain.data is None
    assert "size" in gain.lacking
    assert focused_tree.PATHS["sec4"] in gain.lacking or "/article[1]" in gain.lacking


def score_of(collection, metric):
    """Return the scores on the only topic, which is too few for score()."""
    return metric_values(collection, metric)[0, :, 0]
