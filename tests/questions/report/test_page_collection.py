"""The head of a report on runs: what their collection holds, and their curves where there are any."""

import pytest

from metaeval.collection.assembly import collection_from_rankings
from metaeval.inex.elements import element_collection
from metaeval.inex.passages import passage_collection
from metaeval.inex.simulation import simulate_inex
from metaeval.metrics.precision_recall import precision_recall_curves
from metaeval.questions.report.page_collection import collection_sections
from metaeval.questions.report.study_focused import focused_curves, focused_statistics


@pytest.fixture
def documents():
    """Two runs without scores over two topics, so nothing is known of ties."""
    runs = {"first": {"1": ["a", "b"], "2": ["c"]}, "second": {"1": ["b", "a"], "2": ["d", "c"]}}
    return collection_from_rankings(runs, {"1": {"a": 1, "b": 0}, "2": {"c": 2}})


@pytest.fixture(scope="module", params=[(2003, False), (2005, True), (2008, True)])
def focused(request):
    """Make elements without sizes, elements with sizes, and passages."""
    year, sized = request.param
    made = simulate_inex(year=year, n_systems=9, n_topics=3, n_documents=50, n_results=20, rng=2, published=False)
    if year < 2007:
        return element_collection(made.submissions, made.assessments, sizes=made.sizes if sized else None)
    return passage_collection(made.submissions, made.assessments)


def tables(collection):
    """Return the tables on the runs and judgments by name."""
    section = collection_sections(collection)[0]
    overview, fold = section.blocks
    return {table.name: table for table in (overview, *fold.blocks)}


def test_what_is_undefined_throughout_is_left_out(documents):
    """Lists without scores have no share of ties: neither row nor column speaks of it, everything else stays."""
    shown = tables(documents)
    whole = documents.statistics().to_frame()
    quantities = whole["quantity"].tolist()
    assert "share of tied scores per run" in quantities
    kept = [name for name in quantities if name != "share of tied scores per run"]
    assert [row[0].text for row in shown["collection"].cells()] == kept
    assert shown["collection"].data["quantity"].tolist() == kept
    assert [column.name for column in shown["runs"].columns] == ["system", "topics", "retrieved", "unjudged_at_10"]
    assert "tied" not in shown["runs"].caption


def test_few_named_runs_need_no_word_on_who_is_named(documents):
    """Only a picture that leaves names out says which it gives; the numbers under it are those of the curves."""
    _, recall = collection_sections(documents)
    picture, fold = recall.blocks
    assert "Named are" not in picture.caption
    curves = precision_recall_curves(documents)
    for row in fold.blocks[0].cells():
        assert [float(cell.text) for cell in row[1:]] == pytest.approx(curves.sel(system=row[0].text), abs=0.0005)


def test_the_tables_hold_every_quantity_and_run(focused):
    """A row a quantity that is known, and a row a run; columns that nothing is known of are left out."""
    statistics, shown = focused_statistics(focused), tables(focused)
    assert [row[0].text for row in shown["collection"].cells()] == statistics.to_frame()["quantity"].tolist()
    assert [row[0].text for row in shown["runs"].cells()] == list(focused.systems)
    known = statistics.per_system["size"].notna().any()
    assert ("size" in [column.name for column in shown["runs"].columns]) == known


def test_every_curve_is_a_picture_or_a_reason(focused):
    """Nine runs are drawn with a caption on who is named; a curve that needs sizes says so, and the option for them."""
    curves = focused_curves(focused)
    _, section = collection_sections(focused)
    kinds = [block.kind for block in section.blocks]
    drawn = sum(curve.data is not None for curve in curves)
    assert kinds.count("picture") == kinds.count("fold") == drawn
    reasons = [block.paragraphs[0] for block in section.blocks if block.kind == "text"]
    assert len(reasons) == len(curves) - drawn
    assert all("size" in words and "(--element-sizes FILE)" in words for words in reasons)
    for block in section.blocks:
        if block.kind == "picture":
            assert "Named are" in block.caption
            assert "9 runs" in block.alt


def test_the_numbers_under_a_curve_are_those_of_the_best_first(focused):
    """Eleven points of every run, ordered by the whole curve."""
    curve = next(one for one in focused_curves(focused) if one.data is not None)
    _, section = collection_sections(focused)
    place = next(place for place, block in enumerate(section.blocks) if block.kind == "picture")
    (numbers,) = section.blocks[place + 1].blocks
    means = curve.data.mean(curve.data.dims[1]).to_series().sort_values(ascending=False, kind="stable")
    assert [row[0].text for row in numbers.cells()] == means.index.tolist()
    assert len(numbers.columns) == 12
    best = numbers.cells()[0][-1].text
    assert float(best) == pytest.approx(float(curve.data.sel(system=means.index[0])[-1]), abs=0.0005)
