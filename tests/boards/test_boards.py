"""Boards after public forms, as leaderboards, spreadsheets and tools of evaluation write them: read right, or asked."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from advice import obeyed

from metaeval import as_scores, read_scores
from metaeval.errors import MetaevalError
from metaeval.io.means import MeansAloneError
from metaeval.table.means import as_means, is_board

HERE = Path(__file__).parent
BOARDS = tomllib.loads((HERE / "boards.toml").read_text("utf-8"))


def paths_of(name: str, board) -> list[Path]:
    """Return the files of a board."""
    return [HERE / "files" / file for file in board.get("files", [board.get("file", f"{name}.csv")])]


def frame_of(path: Path) -> pd.DataFrame:
    """Return a file as pandas reads it, without any care for names."""
    head = path.read_text("utf-8").splitlines()[0]
    separator = next((sign for sign in "\t;" if sign in head), ",")
    return pd.read_csv(path, sep=separator, decimal="," if separator == ";" else ".")


def in_memory(paths):
    """Return what frames hold: a board of means, or scores."""
    frames = {path.stem: frame_of(path) for path in paths}
    data = frames if len(frames) > 1 else next(iter(frames.values()))
    return as_means(data) if len(frames) == 1 and is_board(data) else as_scores(data)


def check_means(board, found) -> None:
    """Check means, errors and numbers of items, and that there are no others."""
    wanted = board["means"]
    assert "*" in wanted or [*found.metrics] == [*wanted]
    for metric, means, errors, sizes in zip(wanted, found.means, found.errors, found.n, strict=True):
        assert [*found.systems] == [*wanted[metric]]
        for system, mean, error, n in zip(found.systems, means, errors, sizes, strict=True):
            known = wanted[metric][system]
            assert (mean, error) == (known[0], pytest.approx(known[1], abs=6e-5, rel=6e-5))
            assert n == known[2] if len(known) > 2 else np.isnan(n)
    assert [name for name, rises in zip(found.metrics, found.higher_is_better, strict=True) if not rises] == board.get(
        "falling", []
    )


def check_scores(board, found) -> None:
    """Check scores by their names, and that there are no others."""
    wanted = board["scores"]
    assert "*" in wanted or sorted(found["metric"].to_numpy()) == sorted(wanted)
    assert found["topic"].to_numpy().tolist() == board["items"]
    for metric, of_systems in wanted.items():
        own = found.squeeze("metric") if metric == "*" else found.sel(metric=metric)
        assert sorted(own["system"].to_numpy()) == sorted(of_systems)
        for system, scores in of_systems.items():
            assert own.sel(system=system).to_numpy().tolist() == scores


def check(board, found) -> None:
    """Check what was read, and that what was left out is named in the notes."""
    notes = " ".join(found.notes if "means" in board else found.attrs.get("notes", []))
    (check_means if "means" in board else check_scores)(board, found)
    assert [name for name in board.get("left_out", []) if name not in notes] == []


def scores_or_means(paths, **options):
    """Return what files hold, whatever it is."""
    try:
        return read_scores(paths, **options)
    except MeansAloneError as alone:
        return alone.board


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_as_a_file(name, tmp_path):
    """The numbers of a board are those told by hand; what is asked leads there, or to the end of the advice."""
    board = BOARDS[name]
    paths = paths_of(name, board)
    if "asks" in board:
        with pytest.raises(MetaevalError, match=board["asks"]):
            scores_or_means(paths)
    if "repair" in board:
        repaired = tmp_path / paths[0].name
        repaired.write_text(paths[0].read_text("utf-8").replace(*board["repair"]), "utf-8")
        paths = [repaired]
    found, _ = obeyed(lambda **options: scores_or_means(paths, **options))
    if board.keys() & {"means", "scores"}:
        assert not isinstance(found, MetaevalError), str(found)
        check(board, found)
    else:
        assert isinstance(found, MetaevalError)


@pytest.mark.parametrize("name", [name for name, board in BOARDS.items() if board.get("frame") != ""])
def test_a_board_as_a_frame(name):
    """A frame that pandas reads from it holds the same, or is refused by what is wrong with it."""
    board = BOARDS[name]
    if "frame" in board:
        with pytest.raises(MetaevalError, match=re.compile(board["frame"])):
            in_memory(paths_of(name, board))
    else:
        check(board, in_memory(paths_of(name, board)))


def test_every_file_belongs_to_a_board():
    """No file lies there that nothing is known of, and there are forty boards or more."""
    told = {path.name for name, board in BOARDS.items() for path in paths_of(name, board)}
    assert told == {path.name for path in (HERE / "files").iterdir()}
    assert len(BOARDS) >= 40
