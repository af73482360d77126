"""Tables of ranks say which end is the best, and subtotals of spreadsheets are no items."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError

GENERATOR = np.random.default_rng(3)
SCORES = pd.DataFrame(GENERATOR.integers(0, 9, (12, 4)) / 8, columns=["run1", "run2", "run3", "run4"])
SCORES.index = pd.Index([f"q{number}" for number in range(12)], name="query")
THEMES = ["Rechnung", "Versand", "Retoure", "Konto"]
ITEMS = pd.DataFrame(GENERATOR.integers(2, 11, (24, 3)) / 2, columns=["Bot A", "Bot B", "Bot C"])


@pytest.mark.parametrize("ties", ["average", "min", "max", "dense", "first"])
def test_ranks_of_every_topic_are_named(ties, tmp_path):
    """A note says how 1 becomes the best; with that said there is none."""
    ranks = SCORES.rank(axis=1, ascending=False, method=ties)
    ranks.to_csv(tmp_path / "ranks.csv")
    for scores in (read_scores(tmp_path / "ranks.csv"), as_scores(ranks, metrics=["ranks"])):
        assert any(
            "pass `higher_is_better={'ranks': False}` if 1 is the best" in note for note in scores.attrs["notes"]
        )
    said = as_scores(ranks, metrics=["ranks"], higher_is_better={"ranks": False})
    assert not any("1 is the best" in note for note in said.attrs.get("notes", []))


def test_scores_and_grades_are_no_ranks():
    """Scores in halves, and grades from 1 to 4, are none."""
    for frame in (SCORES, (SCORES * 3).round() + 1):
        assert not any("1 is the best" in note for note in as_scores(frame).attrs.get("notes", []))


@pytest.mark.parametrize(
    ("subtotal", "item", "total"),
    [
        ("{} Ergebnis", "", "Gesamtergebnis"),
        ("{} Ergebnis", "Ergebnis", "Gesamtergebnis"),
        ("{} Total", "", "Grand Total"),
        ("Total {}", "", "Total général"),
    ],
)
def test_subtotals_of_spreadsheets(subtotal, item, total, tmp_path):
    """Excel sums up the items of each theme: the message names the column of items, which leads to pandas' means."""
    rows = []
    for at, theme in enumerate(THEMES):
        block = ITEMS.iloc[6 * at : 6 * at + 6]
        rows += [[theme, f"F{number}", *scores] for number, scores in zip(block.index, block.to_numpy(), strict=True)]
        rows.append([subtotal.format(theme), item, *block.mean().round(2)])
    rows.append([total, item and "Gesamt", *ITEMS.mean().round(2)])
    path = tmp_path / "x.csv"
    pd.DataFrame(rows, columns=["Thema", "Frage", *ITEMS.columns]).to_csv(path, index=False, sep=";")
    with pytest.raises(
        MetaevalError, match=r"line 3: Thema 'Rechnung' stands in several rows, which 'Frage'"
    ) as caught:
        read_scores(path)
    assert "duplicates" not in str(caught.value)
    assert "pass `columns={'topic': 'Frage'}`" in str(caught.value)
    scores = read_scores(path, columns={"topic": "Frage"})
    assert scores.sizes["topic"] == 24
    assert scores.mean("topic").sel(metric="x").to_series().to_dict() == pytest.approx(ITEMS.mean().to_dict())
