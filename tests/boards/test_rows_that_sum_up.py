"""Rows below the items that hold their spread, ends or middle are no items, whatever they are called."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores

ITEMS = pd.DataFrame(
    np.random.default_rng(11).uniform(0, 100, (80, 6)).round(1),
    columns=["Fuse", "Hermes", "Mixtral", "Qwen", "Alpaka", "Null"],
    index=[f"vicuna_{number}" for number in range(80)],
).rename_axis("Frage")
SPREADS = ["Standardabw.", "St. dev.", "DE", "s", "Desv. típ.", "St.Abw.", "zzz"]
OTHERS = {"min": "yyy", "max": "xxx", "median": "www"}


def doors(frame, path):
    """Return the scores of a frame, read from a file and in memory."""
    frame.to_csv(path)
    return read_scores(path), as_scores(frame.rename_axis("item"))


def mean_of(scores):
    """Return the mean of every system."""
    return scores.mean("topic").sel(metric=scores.metric[0]).to_series().to_dict()


@pytest.mark.parametrize("n_items", [20, 80])
@pytest.mark.parametrize("name", SPREADS)
def test_the_standard_deviation_of_the_items_is_none(name, n_items, tmp_path):
    """Below the mean stands the standard deviation, as pandas has it, in two decimals."""
    items = ITEMS.head(n_items)
    frame = pd.concat([items, items.agg(["mean", "std"]).round(2).set_axis(["Mittelwert", name])]).rename_axis("Frage")
    for scores in doors(frame, tmp_path / "x.csv"):
        assert mean_of(scores) == pytest.approx(items.mean().to_dict())
        assert name in " ".join(scores.attrs["notes"])


@pytest.mark.parametrize("kind", OTHERS)
def test_ends_and_middle_of_many_items_are_told_by_their_numbers(kind, tmp_path):
    """Of 80 items the least, the largest or the middle one of every system is a row without a name for it."""
    frame = pd.concat([ITEMS, ITEMS.agg([kind]).set_axis([OTHERS[kind]])]).rename_axis("Frage")
    for scores in doors(frame, tmp_path / "x.csv"):
        assert mean_of(scores) == pytest.approx(ITEMS.mean().to_dict())


@pytest.mark.parametrize("name", ["s", "DE"])
def test_items_called_by_letters_are_items(name, tmp_path):
    """German among languages has scores of its own."""
    frame = pd.concat([ITEMS, ITEMS.sample(1, random_state=1).set_axis([name]) / 2]).round(1).rename_axis("Frage")
    for scores in doors(frame, tmp_path / "x.csv"):
        assert name in scores.topic.to_numpy()
