"""The head of a report on elements and passages: what the collection holds, and curves where there are any."""

import pytest

from metaeval.collection.elements import element_collection
from metaeval.collection.passages import passage_collection
from metaeval.reports.focused import focused_sections
from metaeval.simulate.inex import simulate_inex
from metaeval.studies.holdings import focused_curves, focused_holdings


@pytest.fixture(scope="module", params=[(2003, False), (2005, True), (2008, True)])
def collection(request):
    """Make elements without sizes, elements with sizes, and passages."""
    year, sized = request.param
    made = simulate_inex(year=year, n_systems=9, n_topics=3, n_documents=50, n_results=20, rng=2)
    if year < 2007:
        return element_collection(made.submissions, made.assessments, sizes=made.sizes if sized else None)
    return passage_collection(made.submissions, made.assessments)


def test_the_tables_hold_every_quantity_and_run(collection):
    """A row a quantity that is known, and a row a run; columns that nothing is known of are left out."""
    holdings = focused_holdings(collection)
    section, _ = focused_sections(holdings, ())
    overview, fold = section.blocks
    assert [row[0].text for row in overview.cells()] == holdings.to_frame()["quantity"].tolist()
    (runs,) = fold.blocks
    assert [row[0].text for row in runs.cells()] == list(collection.systems)
    known = holdings.per_system["size"].notna().any()
    assert ("size" in [column.name for column in runs.columns]) == known


def test_every_curve_is_a_picture_or_a_reason(collection):
    """Nine runs are drawn with a caption on who is named; a curve that needs sizes says so."""
    curves = focused_curves(collection)
    _, section = focused_sections(focused_holdings(collection), curves)
    kinds = [block.kind for block in section.blocks]
    drawn = sum(curve.data is not None for curve in curves)
    assert kinds.count("picture") == kinds.count("fold") == drawn
    reasons = [block.paragraphs[0] for block in section.blocks if block.kind == "text"]
    assert len(reasons) == len(curves) - drawn
    assert all("size" in words for words in reasons)
    for block in section.blocks:
        if block.kind == "picture":
            assert "Named are" in block.caption
            assert "9 runs" in block.alt


def test_the_numbers_under_a_curve_are_those_of_the_best_first(collection):
    """Eleven points of every run, ordered by the whole curve."""
    curve = next(one for one in focused_curves(collection) if one.data is not None)
    _, section = focused_sections(focused_holdings(collection), (curve,))
    (numbers,) = section.blocks[1].blocks
    means = curve.data.mean(curve.data.dims[1]).to_series().sort_values(ascending=False, kind="stable")
    assert [row[0].text for row in numbers.cells()] == means.index.tolist()
    assert len(numbers.columns) == 12
    best = numbers.cells()[0][-1].text
    assert float(best) == pytest.approx(float(curve.data.sel(system=means.index[0])[-1]), abs=0.0005)
