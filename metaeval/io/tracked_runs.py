"""Runs of experiments as MLflow and Weights & Biases export them: a row a run, with its settings and final metrics."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.names import are_metrics, count, first_few, is_number
from metaeval.base.number_words import GAP_WORDS
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.io.blocks import SpreadlessError
from metaeval.io.means import MeansAloneError
from metaeval.io.sheets import Sheet, header_names
from metaeval.table.means import as_means
from metaeval.table.roles import PERHAPS_SCORES, part_of_word, rises_by_name, role_of_name, word_of

RUNS_OF = "runs of "
"""How what an export was read as begins."""
_METRIC, _SETTING, _OF_MACHINE = "metrics.", "params.", "metrics.system/"
_RUN_NAME, _RUN_ID, _GROUP, _STATUS = "tags.mlflow.runName", "run_id", "experiment_id", "status"
_WANDB = ("Name", "State", "Created", "Runtime")
_BESIDE_RUNS = frozenset({*_WANDB, "User", "ID", "Notes", "Tags", "Sweep", ""})
_ENDED = frozenset({"", "finished"})
_FEWEST, _MOST = 2, 0.5
_SPLIT = re.compile(r"[/._]")
_NO_SETTING = frozenset({"seed", "id", "time"})
"""Roles of columns that differ between runs of one setting."""


class _Exported(NamedTuple):
    tool: str
    frame: pd.DataFrame
    """A row a run, in texts."""
    named: Sequence[str]
    """What calls each run."""
    metrics: dict[str, str]
    """Name to column."""
    settings: dict[str, str]
    """Name to column."""


def refuse_tracked_runs(sheet: Sheet) -> None:
    """Refuse runs of experiments, which have no items; hand on the means over runs of one setting where all have some.

    A system is what its settings call it, a model if one names it; runs that differ in seeds alone are its repeats.
    """
    names = header_names(sheet.sample()[0])
    is_mlflow = _RUN_ID in names and any(name.startswith(_METRIC) for name in names)
    if not is_mlflow and not {*_WANDB} <= {*names}:
        return
    rows = [[cell.strip() for cell in cells] for cells in sheet.without_header().rows() if len(cells) == len(names)]
    frame = pd.DataFrame(rows, columns=names, dtype=object)
    status = _STATUS if is_mlflow else _WANDB[1]
    ended = frame[status].str.casefold().isin(_ENDED) if status in frame else np.ones(len(frame), dtype=bool)
    runs = (_of_mlflow if is_mlflow else _of_wandb)(frame[ended], names)
    if not runs.metrics or runs.frame.empty:
        return
    if _are_of_tasks(runs):
        if ended.all():
            return
        unfinished = count(int((~ended).sum()), "run")
        raise sheet.error(f"{unfinished} of models by task did not finish; leave out their rows, by column {status!r}")
    system, notes = _systems_of(runs)
    notes += [f"left out {count(int((~ended).sum()), 'run')} that did not finish"] if not ended.all() else []
    counts = system.value_counts()
    if (counts < _FEWEST).all() or len(counts) < _FEWEST:
        _refuse_single(sheet, runs, counts)
    try:
        means, more = _means(runs, system)
        board = as_means(means)
    except (ScoresError, InvalidOptionError) as error:
        raise sheet.error(f"this is an export of runs of {runs.tool}, and {error}") from error
    message = (
        f"these are runs of {runs.tool}, with one number a run and metric and no items, which tell ranks alone "
        "(metaeval leaderboard, or study_leaderboard); for anything else give scores by item"
    )
    board = replace(board, read_as=f"{RUNS_OF}{runs.tool}", notes=(*notes, *more, *board.notes))
    raise MeansAloneError(message, board=board, paths=[sheet.label])


def roles_of_runs(names: Sequence[str], metrics: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return what columns of such an export are that hold means or name systems, and why.

    Examples
    --------
    >>> roles_of_runs(["run_id", "metrics.f1", "params.model"], ["f1"])
    {'metrics.f1': ('mean', 'scores of systems'), 'params.model': ('system', 'names systems')}
    """
    told = {name: ("mean", "scores of systems") for name in names if name.removeprefix(_METRIC) in metrics}
    settings = [name for name in names if name not in {_RUN_ID, _GROUP, _WANDB[0], *told}]
    models = [name for name in settings if part_of_word(name.removeprefix(_SETTING)) == "system"]
    return told | dict.fromkeys(models, ("system", "names systems"))


def _of_mlflow(frame: pd.DataFrame, names: Sequence[str]) -> _Exported:
    metrics = [name for name in names if name.startswith(_METRIC) and not name.startswith(_OF_MACHINE)]
    settings = {name.removeprefix(_SETTING): name for name in names if name.startswith(_SETTING)}
    by_metric = {name.removeprefix(_METRIC): name for name in metrics if _are_numbers(frame[name])}
    calls = _RUN_NAME if _RUN_NAME in names and frame[_RUN_NAME].is_unique else _RUN_ID
    return _Exported("MLflow", frame, frame[calls].tolist(), by_metric, settings)


def _of_wandb(frame: pd.DataFrame, names: Sequence[str]) -> _Exported:
    """Take numbers that are called as metrics for such, or differ where all but seeds is alike; all else are settings.

    A section before the name (``eval/return``) is one of what was logged.
    """
    others = [name for name in names if name not in _BESIDE_RUNS and not name.startswith("_")]
    numbers = [name for name in others if _are_numbers(frame[name])]
    plain = [name for name in numbers if not role_of_name(name)[0] and word_of(name) not in PERHAPS_SCORES["beyond"]]
    fixed = [name for name in others if name not in numbers and "/" not in name]
    is_repeated = any(role_of_name(name)[0] == "seed" and len({*frame[name]}) > 1 for name in others)
    measured = {name for name in plain if "/" in name or (is_repeated and _differ_within(frame, fixed, name))}
    metrics = {name: name for name in numbers if _is_metric(name) or name in measured}
    settings = {name: name for name in others if name not in metrics and "/" not in name}
    return _Exported("Weights & Biases", frame, frame[_WANDB[0]].tolist(), metrics, settings)


def _differ_within(frame: pd.DataFrame, fixed: Sequence[str], name: str) -> bool:
    """Whether a column differs between any two runs that are alike in what is fixed, as no setting does."""
    return not frame.duplicated([*fixed, name]).any() and bool(frame.duplicated([*fixed]).any() or not fixed)


def _is_metric(name: str) -> bool:
    return are_metrics([_SPLIT.split(name)[-1]]) or not rises_by_name(name)


def _are_numbers(cells: pd.Series) -> bool:
    filled = [cell for cell in cells if cell.casefold() not in GAP_WORDS]
    return bool(filled) and all(map(is_number, filled))


def _varied(runs: _Exported) -> list[str]:
    """Return the settings in which runs differ, seeds apart."""
    differ = [name for name, column in runs.settings.items() if len({*runs.frame[column]}) > 1]
    return [name for name in differ if role_of_name(name)[0] not in _NO_SETTING]


def _are_of_tasks(runs: _Exported) -> bool:
    """Whether models and tasks alone tell runs apart, which then are scores by item under plain column names."""
    varied = _varied(runs)
    plain = all(name == column for name, column in runs.settings.items())
    return plain and {*map(part_of_word, varied)} == {"system", "topic"} and len(varied) == _FEWEST


def _systems_of(runs: _Exported) -> tuple[pd.Series, list[str]]:
    """Return what system each run is of, and notes.

    Settings that differ between runs name it; beside a model those alone that several of its runs share.
    """
    cells = runs.frame[[*runs.settings.values()]].set_axis([*runs.settings], axis=1)
    varied = _varied(runs)
    models = [name for name in varied if part_of_word(name) == "system"]
    key, notes = varied, []
    if models and not cells.duplicated(varied, keep=False).mean() > _MOST:
        key = models
        others = [name for name in varied if name not in models]
        within = [name for name in others if cells.groupby(models)[name].nunique().gt(1).any()]
        notes = [f"runs of one {models[0]} differ in {first_few(within)} too: its mean is over these"] if within else []
    if not key:
        return pd.Series(runs.named, index=runs.frame.index), notes
    named = cells[key[0]]
    for name in key[1:]:
        named = named + f", {name}=" + cells[name]
    note = f"an export of runs of {runs.tool}: {first_few(key)} names the systems, and their runs are repeats"
    return named, [note, *notes]


def _refuse_single(sheet: Sheet, runs: _Exported, counts: pd.Series) -> None:
    what = (
        f"{len(runs.frame)} runs of one setting" if len(counts) < _FEWEST else f"one run each of {len(counts)} systems"
    )
    settings = first_few([*runs.settings]) or "none"
    message = (
        f"this is an export of {runs.tool}, {what} with one number a metric ({first_few([*runs.metrics])}; settings: "
        f"{settings}), which does not tell whether a difference is more than luck: give several runs of every setting, "
        "with other seeds, or the scores of every item"
    )
    raise sheet.error(message, of=SpreadlessError)


def _means(runs: _Exported, system: pd.Series) -> tuple[pd.DataFrame, list[str]]:
    """Return the mean over runs by system and metric, its standard error, and the number of runs."""
    columns = {name: pd.to_numeric(runs.frame[column], errors="coerce") for name, column in runs.metrics.items()}
    frame = pd.DataFrame(columns).assign(system=system.to_numpy())
    values = frame.groupby("system", sort=False).nunique()  # none for a gap, and one where nothing varies
    single = values.index[(frame.groupby("system", sort=False).count() < _FEWEST).all(axis=1)]
    values = values.drop(index=single)
    varying = [name for name in values if (values[name] >= _FEWEST).all()] or [*columns]
    lacking = [name for name in values if name not in varying]
    long = frame[~frame["system"].isin(single)].melt("system", varying, "metric", "mean")
    means = long.groupby(["metric", "system"], sort=False)["mean"].agg(["mean", "sem", "count"]).reset_index()
    means = means.rename(columns={"sem": "stderr", "count": "n"})
    notes = [f"left out systems of a single run: {first_few([*single])}"] if len(single) else []
    notes += [f"left out metrics that do not vary over the runs of every system: {first_few(lacking)}"] * bool(lacking)
    return means, notes
