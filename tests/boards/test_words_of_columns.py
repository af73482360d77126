"""Columns beside scores in several languages, by what they are called and hold."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores

GENERATOR = np.random.default_rng(2)
SYSTEMS = ["bm25", "lm", "dpr", "colbert"]
ROWS = pd.MultiIndex.from_product([SYSTEMS, range(251, 271)], names=["system", "topic"]).to_frame(index=False)
ROWS["AP"] = GENERATOR.uniform(0, 1, 80).round(4)
MEANS = ROWS.groupby("system").AP.mean().to_dict()


def doors(frame, path):
    """Return the scores of a frame, read from a file and in memory."""
    frame.to_csv(path, index=False)
    return read_scores(path), as_scores(frame)


@pytest.mark.parametrize("name", ["epoch", "seed", "Startwert"])
@pytest.mark.parametrize("numbers", [[1, 3, 5, 4], [7, 7, 8, 7]])
def test_a_number_of_each_system_is_no_repeat(name, numbers, tmp_path):
    """The epoch that a model was trained to is a setting."""
    frame = ROWS.assign(**{name: ROWS.system.map(dict(zip(SYSTEMS, numbers, strict=True)))})
    for scores in doors(frame, tmp_path / "x.csv"):
        assert "repeat" not in scores.dims
        assert scores.mean("topic").sel(metric="AP").to_series().to_dict() == pytest.approx(MEANS)


def test_numbers_of_starts_are_repeats(tmp_path):
    """Three values of Startwert on each item are three runs."""
    frame = pd.concat(
        [ROWS.assign(Startwert=seed, AP=(ROWS.AP * part).round(4)) for seed, part in ((13, 1), (42, 0.9), (2024, 0.8))]
    )
    for scores in doors(frame, tmp_path / "x.csv"):
        assert scores.sizes["repeat"] == 3
        expected = frame.groupby("system").AP.mean().to_dict()
        assert scores.mean(["topic", "repeat"]).sel(metric="AP").to_series().to_dict() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["gefunden", "Anzahl"])
def test_what_was_found_is_counted(name, tmp_path):
    """A count of documents beside scores is no metric."""
    for scores in doors(ROWS.assign(**{name: GENERATOR.integers(0, 50, 80)}), tmp_path / "x.csv"):
        assert scores.metric.to_numpy().tolist() == ["AP"]


@pytest.mark.parametrize("count", ["Topics", "queries", "Anfragen"])
def test_a_board_of_means_with_its_number_of_topics(count, command, tmp_path):
    """Mean, standard error and number of topics of each system are read by leaderboard as they stand."""
    board = (
        ROWS.groupby("system")
        .AP.agg(["mean", "sem", "count"])
        .round(4)
        .sort_values("mean", ascending=False)
        .reset_index()
    )
    board.insert(0, "Platz", range(1, 5))
    board.set_axis(["Platz", "System", "nDCG@10", "SE", count], axis=1).to_csv(tmp_path / "b.csv", index=False)
    ended = command("leaderboard", "b.csv")
    assert ended.code == 0, ended.err
    assert f"{max(MEANS.values()):.4f}" in ended.out
