"""Columns beside scores in several languages, by what they are called and hold."""

import numpy as np
import pandas as pd
import pytest

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError

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


def test_questions_called_f1_to_f20_are_items(tmp_path):
    """F1 and F2 may be measures, F1 to F20 are questions; per cents below 1 are on the scale of the others."""
    board = pd.DataFrame(
        GENERATOR.uniform(0, 100, (6, 20)).round(1), index=[*"uvwxyz"], columns=[f"F{at}" for at in range(1, 21)]
    )
    board.iloc[3:] = np.where(GENERATOR.random((3, 20)) < 0.4, 0.1, 0.0)
    board.to_csv(tmp_path / "x.csv", index_label="System")
    scores = read_scores(tmp_path / "x.csv")
    assert scores.mean("topic").sel(metric="x").to_series().to_dict() == pytest.approx(board.mean(axis=1).to_dict())
    assert not any("write all on one scale" in note for note in scores.attrs["notes"])


@pytest.mark.parametrize("score", ["Punkte", "puntos"])
def test_files_of_items_and_points_are_a_system_each(score, tmp_path):
    """Frage;Punkte is one system's scores, called as its file."""
    for system, rows in ROWS.groupby("system"):
        rows[["topic", "AP"]].set_axis(["Frage", score], axis=1).to_csv(
            tmp_path / f"{system}.csv", index=False, sep=";"
        )
    scores = read_scores(sorted(tmp_path.iterdir()))
    assert scores.mean("topic").sel(metric=score).to_series().to_dict() == pytest.approx(MEANS)


def test_a_run_called_as_how_sure_somebody_was_may_be_kept(tmp_path):
    """A run of a track has conf in its name: the message says how all columns stay."""
    frame = pd.DataFrame(GENERATOR.uniform(0, 1, (30, 3)).round(3), columns=["cru-ablR_", "cru-ablR-conf_", "base"])
    frame.to_csv(tmp_path / "x.csv", index_label="topic")
    with pytest.raises(MetaevalError, match="`form='wide'` to keep all"):
        read_scores(tmp_path / "x.csv")
    assert read_scores(tmp_path / "x.csv", form="wide").sizes["system"] == 3
