"""Campaigns of the metrics tasks: a folder of mt-metrics-eval, and the tasks of a year as data (campaigns.toml)."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import xarray as xr

from metaeval.agreement.meta_tasks import TASKS, MetaTask, parse_tasks
from metaeval.base.bibliography import find_publication
from metaeval.base.checks import check_choice
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.mt_metrics_eval import pairs_of, read_set


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Campaign(Result):
    """Scores of several sets of systems by people and metrics, and the tasks on them."""

    sets: Mapping[str, xr.DataArray]
    """The scores (metric, system, item) of every set, human ones among them, with documents as clusters."""
    tasks: tuple[MetaTask, ...]
    title: str
    """The campaign whose tasks these are, with its source; "" for none of a year."""
    published: bool
    """Whether ties and exchanges are those of the published program, as for the campaign of a year."""
    notes: tuple[str, ...]
    files: tuple[str, ...]
    """Every file that was read."""

    def _found(self) -> str:
        sets = count(len(self.sets), "set of systems")
        return f"{count(len(self.tasks), 'task')} on {sets}: {first_few(list(self.sets))}"


@cache
def presets() -> Mapping[str, Mapping[str, Any]]:
    """Return the known campaigns by name."""
    return tomllib.loads((Path(__file__).parent / "campaigns.toml").read_text("utf-8"))


def read_campaign(  # noqa: PLR0913 - what is read
    folder: str | os.PathLike[str],
    preset: str = "",
    *,
    tasks: str | Sequence[str] | None = None,
    human: str | None = None,
    sets: Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    ceiling: Sequence[str] = (),
) -> Campaign:
    """Read the scores of a metrics task from a folder of mt-metrics-eval.

    Parameters
    ----------
    folder : path
        The folder with documents/, human-scores/ and metric-scores/, or the one of a language pair in it.
    preset : {"", "wmt22", "wmt23", "wmt24"}
        Language pairs, human scores, references, systems left out as outliers, metrics and tasks of that campaign.
    tasks, human, sets, metrics
        What to read instead: tasks as in `meta_metrics`, the name of human scores (mqm), language pairs, names of
        metrics without their reference.
    ceiling : sequence of str
        Other human scores (da-sqm), read where there are some.

    Returns
    -------
    Campaign
        ``sets`` holds the scores of every set, with dimensions ``metric``, ``system`` and ``item``; ``tasks`` what is
        to be computed on them.

    Raises
    ------
    FileFormatError
        If the folder is none of mt-metrics-eval, or lacks what is named.
    UnknownNameError
        For a preset that does not exist.

    See Also
    --------
    metaeval.studies.study_campaign : compares the metrics

    Notes
    -----
    Systems are those that people scored, other human translations among them, without the reference that the metrics
    have: that of the preset, else the first (refA). Metrics are called as their files without the reference, with
    ``[noref]`` for those that have none; one that lacks a system is left out with a note, or an error if it is named.
    """
    preset_table = presets()
    if preset:
        check_choice(preset, "preset", preset_table)
    year = preset_table.get(preset, {})
    root, pair = _root(Path(folder))
    people = human or year.get("human", "mqm")
    there = pairs_of(root, people)
    chosen = list(sets or ([pair] if pair else year.get("sets") or there))
    if lacking := [language_pair for language_pair in chosen or ["any language pair"] if language_pair not in there]:
        others = f"; there are {first_few(there)}" if there else ""
        raise FileFormatError(f"{first_few(lacking)} has no human scores {people!r} beside metrics{others}", path=root)
    tables, notes, files = {}, [f"{preset}: {year['note']}"] if year.get("note") else [], []
    asked = metrics or year.get("metrics") or None
    for language_pair in chosen:
        reference = year["references"].get(language_pair, "refA") if year else None
        outliers = year.get("outliers", {}).get(language_pair, ())
        set_scores = read_set(
            root, language_pair, people, reference=reference, metrics=asked, second=ceiling, outliers=outliers
        )
        notes += set_scores.notes
        files += set_scores.read
        tables[language_pair] = xr.DataArray(
            set_scores.values,
            dims=("metric", "system", "item"),
            coords={
                "metric": set_scores.names,
                "system": set_scores.systems,
                "item": [str(number) for number in range(1, len(set_scores.documents) + 1)],
                "cluster": ("item", set_scores.documents),
                "system_score": (("metric", "system"), set_scores.of_systems),
            },
            attrs={"reference": people},
            name="score",
        )
    return Campaign(
        sets=tables,
        tasks=tuple(parse_tasks(tasks or year.get("tasks") or TASKS, chosen)),
        title=f"{year['title']} ({find_publication(year['source']).cited})" if year else "",
        published=bool(year),
        notes=tuple(notes),
        files=tuple(dict.fromkeys(files)),
    )


def holds_campaign(path: str) -> bool:
    """Say whether a path is a folder of mt-metrics-eval, or the one of a language pair in it."""
    return Path(path).is_dir() and _campaign_folder(Path(path)) is not None


def _campaign_folder(folder: Path) -> tuple[Path, str] | None:
    full = folder.absolute()
    for root, pair in ((full, ""), (full.parent, ""), (full.parent.parent, full.name)):
        if (
            (root / "metric-scores" / pair).is_dir()
            and (root / "documents").is_dir()
            and (root / "human-scores").is_dir()
        ):
            return root, pair
    return None


def _root(folder: Path) -> tuple[Path, str]:
    location = _campaign_folder(folder)
    if location is None:
        message = "this is no folder of mt-metrics-eval, which has documents/, human-scores/ and metric-scores/"
        inside = [entry.name for entry in sorted(folder.iterdir())] if folder.is_dir() else []
        raise FileFormatError(f"{message}{f'; it has {first_few(inside)}' if inside else ''}", path=folder)
    return location
