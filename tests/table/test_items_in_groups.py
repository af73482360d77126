"""Items that a second column puts into groups: the finer one is the item, the coarser offers clusters."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval import as_scores, read_scores
from metaeval.base.notes import OfferedClusters
from metaeval.table.roles import SCORES

N_ITEMS, N_GROUPS = 24, 8
DOORS = ("wide file", "long file", "records", "wide frame", "long frame", "columns")


def _tables(item, group, *, numbered, seed=0):
    """Return scores of 24 items in 8 groups, in turn, wide and long; the groups are words or numbers."""
    rng = np.random.default_rng(seed)
    at = np.arange(N_ITEMS) % N_GROUPS
    groups = at + 1 if numbered else [f"g{number}" for number in at]
    wide = pd.DataFrame({item: [f"i{number}" for number in range(N_ITEMS)], group: groups})
    wide["old"], wide["new"] = rng.random(N_ITEMS).round(3), rng.random(N_ITEMS).round(3)
    return wide, wide.melt([item, group], var_name="system", value_name="score")


def _read(door, wide, long, folder):
    table = long if door.startswith("long") else wide
    if door == "columns":
        return as_scores(table.to_dict("list"))
    if door.endswith("frame"):
        return as_scores(table)
    path = Path(folder) / ("t.jsonl" if door == "records" else "t.csv")
    text = io.StringIO()
    table.to_json(text, orient="records", lines=True) if door == "records" else table.to_csv(text, index=False)
    path.write_text(text.getvalue())
    return read_scores(path)


def _says(scores, wide, item, group):
    """Whether the scores are those of the items, and the groups count as clusters, or may."""
    assert scores["system"].to_numpy().tolist() == ["old", "new"]
    assert scores["topic"].to_numpy().tolist() == wide[item].tolist()
    assert scores.isel(metric=0).sel(system="new").to_numpy().tolist() == wide["new"].tolist()
    told = dict(zip(wide[item], wide[group].astype(str), strict=True))
    if "cluster" in scores.coords:
        assert scores["cluster"].to_numpy().astype(str).tolist() == [*told.values()]
    else:
        (note,) = [note for note in scores.attrs["notes"] if isinstance(note, OfferedClusters)]
        assert (note.column, dict(note.clusters)) == (group, told)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("group", ["document", "doc", "passage", "problem", "topic", "query", "question", "story"])
def test_items_in_groups_of_any_name_are_the_items(group, door, tmp_path):
    """Every item stands in one document, whatever that is called: scores are of items, and documents offer clusters."""
    wide, long = _tables("item", group, numbered=False)
    _says(_read(door, wide, long, tmp_path), wide, "item", group)


@settings(max_examples=25, deadline=None)
@given(
    words=st.lists(st.sampled_from(SCORES["topic"]), min_size=2, max_size=2, unique=True),
    door=st.sampled_from(DOORS),
    numbered=st.booleans(),
)
def test_one_answer_under_any_two_names_of_items(words, door, numbered, tmp_path_factory):
    """Of two columns called as items the one nested in the other is read as the item, by values and not by names."""
    wide, long = _tables(*words, numbered=numbered)
    _says(_read(door, wide, long, tmp_path_factory.getbasetemp()), wide, *words)


@pytest.mark.parametrize(
    "columns", [{"topic": "item"}, {"topic": "item", "ignore": "document"}, {"ignore": "document"}]
)
@pytest.mark.parametrize("door", ["wide file", "long file"])
def test_a_column_that_was_left_out_still_offers_clusters(columns, door, tmp_path):
    """Who chose the items, or left the documents out, is told that they put the items into groups."""
    wide, long = _tables("item", "document", numbered=False)
    path = tmp_path / "t.csv"
    (long if door == "long file" else wide).to_csv(path, index=False)
    _says(read_scores(path, columns=columns), wide, "item", "document")
    counted = read_scores(path, columns={**columns, "cluster": "document"})
    assert counted["cluster"].to_numpy().tolist() == wide["document"].tolist()


def test_numbers_of_documents_are_no_scores_of_a_system(tmp_path):
    """Documents numbered 1 to 8 beside right and wrong answers stay out of the comparison, and offer clusters."""
    wide, _ = _tables("item", "document", numbered=True)
    wide[["old", "new"]] = wide[["old", "new"]].round().astype(int)
    wide.to_csv(tmp_path / "t.csv", index=False)
    for scores in (read_scores(tmp_path / "t.csv"), as_scores(wide)):
        _says(scores, wide, "item", "document")


def test_few_numbered_topics_are_no_system_either(tmp_path):
    """Two topics of two items are too few for clusters, and yet their numbers are no scores."""
    wide = pd.DataFrame(
        {"topic": [1, 1, 2, 2], "item": [*"pqrs"], "old": [0.5, 0.1, 0.2, 0.4], "new": [0.3, 0.2, 0.6, 0.7]}
    )
    wide.to_csv(tmp_path / "t.csv", index=False)
    for scores in (read_scores(tmp_path / "t.csv"), as_scores(wide)):
        assert scores["system"].to_numpy().tolist() == ["old", "new"]
        assert scores["topic"].to_numpy().tolist() == [*"pqrs"]


def test_a_name_of_every_row_is_no_item(tmp_path):
    """An id of each answer by itself leaves the questions the items: systems share these alone."""
    rows = [(system, f"q{at}", f"{system}{at}", at % 3 / 2) for system in "ab" for at in range(6)]
    frame = pd.DataFrame(rows, columns=["system", "item", "id", "score"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    for scores in (read_scores(tmp_path / "t.csv"), as_scores(frame)):
        assert scores["topic"].to_numpy().tolist() == [f"q{at}" for at in range(6)]


def test_answers_that_name_every_row_are_offered_as_the_items(tmp_path):
    """Several answers a topic: the way out names the answers as items, as nothing else names every row."""
    wide, _ = _tables("answer", "topic", numbered=False)
    wide.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"names the items \(`columns={'topic': 'answer'}`\)"):
        read_scores(tmp_path / "t.csv")
    _says(read_scores(tmp_path / "t.csv", columns={"topic": "answer"}), wide, "answer", "topic")
