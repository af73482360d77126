"""Public boards: the quickest are read and checked, and commands and figures that do not fit are noticed."""

import importlib

import pytest

QUICK = ("votes: simple", "votes: food")


@pytest.fixture
def boards(monkeypatch, studies):
    """Import the script."""
    monkeypatch.syspath_prepend(str(studies))
    return importlib.import_module("public_boards")


@pytest.fixture
def folder(boards, data_folder, tmp_path, monkeypatch):
    """Return a folder with the data in it, where commands are typed."""
    monkeypatch.chdir(tmp_path)
    return boards.work_folder(data_folder, tmp_path)


@pytest.mark.parametrize("name", QUICK)
def test_a_board_has_its_published_figures(boards, name, data_folder, folder, command):
    """The command of the table makes the page, and its figures are the published ones."""
    (board,) = (one for one in boards.BOARDS if one.name == name)
    if not all((data_folder / file).is_file() for file in board.needs):
        pytest.skip(f"no {board.needs[0]} beside the real data")
    found = boards.run(board, data_folder, folder, lambda words, _folder: command(*words[1:]).out)
    assert (folder / "pages" / f"votes-{name.split()[-1]}" / "index.html").is_file()
    assert len(found.figures) == 3
    assert all(figure.agrees for figure in found.figures)
    line = boards.table([found], ["MTEB"])
    assert f"| {name} | `{board.command}` |" in line
    assert "Skipped, without their files: MTEB." in line


def test_what_does_not_fit_is_noticed(boards):
    """A figure that is off by more than its digits is bold, and does not agree."""
    figure = boards.one("pairs, %", "a paper", 54.2, 54.26, digits=1)
    assert (figure.difference, figure.agrees) == ("+0.1", False)
    board = boards.BOARDS[0]
    assert "| **+0.1** |" in boards.table([boards.Found(board, 1.0, [figure])], [])


def test_the_kept_table_is_of_these_boards(boards, checkout):
    """Each board stands in the kept table with its command, and nothing there differs without an explanation."""
    kept = (checkout / "benchmarks" / "reports" / "boards.md").read_text("utf-8")
    for board in boards.BOARDS:
        lines = "<br>".join(f"`{line}`" for line in board.command.splitlines())
        assert f"| {board.name} | {lines} |" in kept
    assert "**" not in kept
