"""Exports of runs by MLflow and Weights & Biases: metrics are metrics, settings name systems, runs are repeats."""

import pandas as pd
import pytest

from metaeval.errors import FileFormatError
from metaeval.io.blocks import SpreadlessError
from metaeval.io.means import MeansAloneError
from metaeval.io.tables import read_scores

HEADER = "run_id,experiment_id,status,metrics.acc,metrics.loss,params.model,params.lr,params.seed"
ROWS = [
    f"{model}{lr}{seed},1,FINISHED,{acc + seed / 100},{1 - acc - seed / 100},{model},{lr},{seed}"
    for model, acc in (("bert", 0.8), ("t5", 0.7))
    for lr in ("1e-5", "2e-5")
    for seed in range(3)
]


def board_of(tmp_path, text):
    """Return the board that is handed on."""
    path = tmp_path / "runs.csv"
    path.write_text(text)
    with pytest.raises(MeansAloneError) as raised:
        read_scores(path)
    return raised.value.board


def written(rows, header=HEADER):
    """Return a table of these rows."""
    return "\n".join([header, *rows]) + "\n"


def test_runs_of_one_setting_are_repeats(tmp_path):
    """Means and standard errors are those of pandas over the runs; learning rates name systems beside the model."""
    board = board_of(tmp_path, written(ROWS))
    frame = pd.DataFrame([row.split(",") for row in ROWS], columns=HEADER.split(","))
    by_system = frame.assign(acc=frame["metrics.acc"].astype(float)).groupby(["params.model", "params.lr"])["acc"]
    assert board.systems == ("bert, lr=1e-5", "bert, lr=2e-5", "t5, lr=1e-5", "t5, lr=2e-5")
    assert board.under(["acc"]).means[0] == pytest.approx(by_system.mean().tolist())
    assert board.under(["acc"]).errors[0] == pytest.approx(by_system.sem().tolist())
    assert board.under(["acc"]).n.tolist() == [[3, 3, 3, 3]]
    assert board.higher_is_better.tolist() == [True, False]
    assert any("params" not in note and "names the systems" in note for note in board.notes)


def test_a_setting_that_differs_in_every_run_is_averaged_over_and_said(tmp_path):
    """A random search: each learning rate has one run, so models are the systems, which is noted."""
    rows = [f"r{at},1,FINISHED,0.{50 + at},0.5,{'ab'[at % 2]},{at}e-5,0" for at in range(1, 9)]
    board = board_of(tmp_path, written(rows))
    assert board.systems == ("b", "a")
    assert board.means[0] == pytest.approx([0.54, 0.55])  # (51 + 53 + 55 + 57)/400, (52 + 54 + 56 + 58)/400
    assert "runs of one model differ in lr too: its mean is over these" in board.notes
    assert board.metrics == ("acc",)  # every loss is 0.5
    assert "left out metrics that do not vary over the runs of every system: loss" in board.notes


def test_runs_that_failed_and_systems_of_one_run_are_left_out_by_name(tmp_path):
    """Nobody knows the spread of a single run."""
    rows = [*ROWS, "x,1,FAILED,,,bert,1e-5,7", "y,1,FINISHED,0.9,0.1,big,1e-5,0"]
    board = board_of(tmp_path, written(rows))
    assert "left out 1 run that did not finish" in board.notes
    assert "left out systems of a single run: big, lr=1e-5" in board.notes
    assert len(board.systems) == 4


@pytest.mark.parametrize("rows", [ROWS[::6], ROWS[:3], ROWS[:1]])
def test_single_runs_are_refused(tmp_path, rows):
    """One run a setting, or one setting, tells no difference; how many there are and what would do is said."""
    (tmp_path / "runs.csv").write_text(written(rows))
    with pytest.raises(SpreadlessError, match="several runs of every setting"):
        read_scores(tmp_path / "runs.csv")


def test_named_columns_are_read_as_they_are_named(tmp_path):
    """Whoever says what the columns are is not told otherwise."""
    (tmp_path / "runs.csv").write_text(written(ROWS[:3] + ROWS[6:9]))
    columns = {"system": "params.model", "topic": "params.seed", "score": "metrics.acc"}
    others = ["run_id", "experiment_id", "status", "metrics.loss", "params.lr"]
    scores = read_scores(tmp_path / "runs.csv", columns={**columns, "ignore": others})
    assert scores.sel(system="t5").to_numpy().ravel() == pytest.approx([0.7, 0.71, 0.72])


def test_a_table_of_runs_without_numbers_is_none(tmp_path):
    """It is read as any other table, and refused as such."""
    (tmp_path / "runs.csv").write_text("run_id,metrics.note,params.model\na,good,m\nb,bad,n\n")
    with pytest.raises(FileFormatError) as raised:
        read_scores(tmp_path / "runs.csv")
    assert not isinstance(raised.value, MeansAloneError | SpreadlessError)


@pytest.mark.parametrize("measured", ["eval/return", "return", "episode_reward"])
def test_what_differs_between_seeds_alone_is_measured_under_any_name(tmp_path, measured):
    """As reinforcement learning has it; what an algorithm fixes, and a rate drawn anew each run, are settings."""
    rows = [
        f"{algo}{seed},finished,ann,2026-09-01,{36 + seed},{algo},{clip},{(at + seed + 1) / 1e5},{seed},{at + seed}.5"
        for at, (algo, clip) in enumerate((("ppo", 0.2), ("sac", 0.1)))
        for seed in range(4)
    ]
    board = board_of(tmp_path, written(rows, f"Name,State,User,Created,Runtime,algo,clip,lr,seed,{measured}"))
    assert board.metrics == (measured,)
    assert board.systems == ("ppo", "sac")
    assert board.means[0] == pytest.approx([2.0, 3.0])  # 0.5, 1.5, 2.5, 3.5, and one more each
    assert board.errors[0] == pytest.approx([(5 / 3) ** 0.5 / 2] * 2)


def test_tasks_of_models_are_items_and_their_runs_repeats(tmp_path):
    """A row a model, task and seed; a run that did not finish is to be left out first."""
    header = "Name,State,Created,Runtime,seed,model_name,task_name,acc"
    score = {("a", "sst2"): 0.9, ("b", "sst2"): 0.8, ("a", "rte"): 0.5, ("b", "rte"): 0.6}
    rows = [
        f"{model}{task}{seed},finished,2025-05-01T10:00:00.000Z,{60 + seed},{seed},{model},{task},{of + seed / 100}"
        for (model, task), of in score.items()
        for seed in range(2)
    ]
    path = tmp_path / "wandb.csv"
    path.write_text(written(rows, header))
    means = read_scores(path).mean("repeat").sel(metric="acc")
    assert means["topic"].to_numpy().tolist() == ["rte", "sst2"]
    assert means.to_numpy().ravel().tolist() == pytest.approx([0.505, 0.905, 0.605, 0.805])
    path.write_text(written([*rows, rows[0].replace("finished", "crashed")], header))
    with pytest.raises(FileFormatError, match="1 run of models by task did not finish; leave out their rows"):
        read_scores(path)
