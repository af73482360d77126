import pytest

from metaeval.collection.documents import collection_from_rankings
from metaeval.metrics.precision_recall import precision_recall_curves
from metaeval.reports.collection import collection_sections


@pytest.fixture
def collection():
    """Two runs without scores over two topics, so nothing is known of ties."""
    runs = {"first": {"1": ["a", "b"], "2": ["c"]}, "second": {"1": ["b", "a"], "2": ["d", "c"]}}
    return collection_from_rankings(runs, {"1": {"a": 1, "b": 0}, "2": {"c": 2}})


def tables(collection):
    """Return the tables on the runs and judgments by name."""
    section = collection_sections(collection.statistics(), precision_recall_curves(collection))[0]
    overview, fold = section.blocks
    return {table.name: table for table in (overview, *fold.blocks)}


def test_what_is_undefined_throughout_is_left_out(collection):
    """Lists without scores have no share of ties: neither row nor column speaks of it, everything else stays."""
    shown = tables(collection)
    whole = collection.statistics().to_frame()
    quantities = whole["quantity"].tolist()
    assert "share of tied scores per run" in quantities
    kept = [name for name in quantities if name != "share of tied scores per run"]
    assert [row[0].text for row in shown["collection"].cells()] == kept
    assert shown["collection"].data["quantity"].tolist() == kept
    assert [column.name for column in shown["runs"].columns] == ["system", "topics", "retrieved", "unjudged_at_10"]
    assert not any("tied" in table.caption for table in shown.values())


def test_few_named_runs_need_no_word_on_who_is_named(collection):
    """Only a picture that leaves names out says which it gives."""
    _, recall = collection_sections(collection.statistics(), precision_recall_curves(collection))
    assert "Named are" not in recall.blocks[0].caption
