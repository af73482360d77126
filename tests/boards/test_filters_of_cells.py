"""The filters that messages give for cells of two numbers, and for words, lead to the numbers that stood there."""

import contextlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from metaeval import read_scores
from metaeval.cli import main
from metaeval.errors import MetaevalError

GENERATOR = np.random.default_rng(8)
MEANS = np.round(np.linspace(78, 30, 9) + GENERATOR.normal(0, 1, 9), 1)
ERRORS = GENERATOR.uniform(1.0, 1.6, 9).round(2)


def filtered(message, path):
    """Run the filter of a message on its file."""
    line = message[message.index("sed -E") : message.rindex(")")]
    done = subprocess.run(["sh", "-c", line], input=path.read_bytes(), capture_output=True, check=True)  # noqa: S607 - our own advice
    path.write_bytes(done.stdout)


@pytest.mark.parametrize("head", ["Win rate [95% CI]", "Win rate (95 % CI)", "Win rate"])
@pytest.mark.parametrize("sign", [";", "\t"])
def test_intervals_in_the_cells_of_means(head, sign, command, tmp_path):
    """A title that names the interval is that of the mean alone once the bounds have columns of their own."""
    cells = [
        f"{mean:.1f} [{mean - 1.96 * error:.1f}, {mean + 1.96 * error:.1f}]"
        for mean, error in zip(MEANS, ERRORS, strict=True)
    ]
    board = pd.DataFrame({"Model": [f"m{at}" for at in range(9)], head: cells, "n": 805})
    path = tmp_path / "b.csv"
    board.to_csv(path, index=False, sep=sign)
    ended = command("leaderboard", path)
    assert "is a number with its interval" in ended.err
    filtered(ended.err, path)
    ended = command("leaderboard", path)
    assert ended.code == 0, ended.err
    assert f"{MEANS.max():.4f}" in ended.out
    assert "_low" not in ended.out
    table = pd.read_csv(path, sep=sign)
    assert table["Win rate"].to_numpy() == pytest.approx(MEANS)
    assert table["Win rate_high"].tolist() == [float(cell.split(", ")[1].strip("]")) for cell in cells]


@pytest.mark.parametrize(
    ("yes", "no"), [("sí", "no"), ("yes", "no"), ("sim", "não"), ("tak", "nie"), ("correcto", "incorrecto")]
)
def test_yes_and_no_of_other_languages(yes, no, tmp_path):
    """The filter writes 1 and 0 for the words that stand in the column."""
    passed = GENERATOR.random((2, 30)) < [[0.4], [0.7]]
    rows = [
        (f"m{system}", f"t{item}", yes if passed[system, item] else no) for system in range(2) for item in range(30)
    ]
    path = tmp_path / "x.csv"
    pd.DataFrame(rows, columns=["modelo", "tarea", "éxito"]).to_csv(path, index=False, sep=";")
    with pytest.raises(MetaevalError, match="is a word for a score") as caught:
        read_scores(path)
    assert f"write 1 for {yes} and 0 for {no}" in str(caught.value)
    filtered(str(caught.value), path)
    assert read_scores(path).mean("topic").to_numpy().ravel() == pytest.approx(passed.mean(axis=1))


VERDICTS = {"GPT": ["right", "wrong", "right", "right"], "Claude": ["right", "right", "partly", "wrong"]}
"""Means .75, and (1 + 1 + .5 + 0) / 4 = .625."""


def test_one_filter_writes_right_partly_and_wrong(tmp_path):
    """Also where the column of the message, the first, holds no answer that is partly right."""
    path = tmp_path / "x.csv"
    pd.DataFrame(VERDICTS, index=pd.Index([*"abcd"], name="prompt")).to_csv(path)
    for _ in range(2):
        with pytest.raises(MetaevalError, match="is a word for a score") as caught:
            read_scores(path)
        filtered(str(caught.value), path)
    assert read_scores(path).mean("topic").to_numpy().ravel().tolist() == [0.75, 0.625]
    both = VERDICTS | {"GPT": ["right", "wrong", "partly", "right"]}
    pd.DataFrame(both, index=pd.Index([*"abcd"], name="prompt")).to_csv(path)
    with pytest.raises(MetaevalError, match=r"and 0\.5, or what it counts, for partly") as caught:
        read_scores(path)
    filtered(str(caught.value), path)
    assert read_scores(path).mean("topic").to_numpy().ravel().tolist() == [0.625, 0.625]


def test_models_with_right_partly_and_wrong_answers_are_no_judges(tmp_path, capsys, monkeypatch):
    """Their names are known: `look` says how their words become scores."""
    path = tmp_path / "x.csv"
    pd.DataFrame(VERDICTS | {"Mistral": ["partly", "right", "wrong", "wrong"]}).rename_axis("prompt").to_csv(path)
    monkeypatch.setattr(sys, "argv", ["metaeval", "look", str(path)])
    with contextlib.suppress(SystemExit):
        main()
    said = "".join(capsys.readouterr())
    assert "is a word for a score" in said
    assert "judges" not in said.partition("Columns of")[0]
