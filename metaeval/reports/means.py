# ruff: noqa: RUF001 - daggers and Greek letters are meant for people
"""Systems by metrics as a table of a report: means, the best of each column, marks for what is significant."""

import numpy as np
import pandas as pd

from metaeval.base.names import count
from metaeval.base.words import name_of_metric, number
from metaeval.page.blocks import Section
from metaeval.page.tables import Column, Table, left, right
from metaeval.reports.power_words import deciding
from metaeval.reports.shared import groups_of_topics, side_words
from metaeval.studies.power import PowerStudy
from metaeval.studies.table import BETTER, WORSE, TableStudy, tabulated
from metaeval.tests_stat.correction import CORRECTIONS

_ALL_SYSTEMS = 20
"""More systems than these are not all shown on the page of another question."""


def means_table(study: TableStudy) -> Table:
    """Return the table of systems by metrics.

    Its CSV holds the means at full precision, and the marks in columns of their own.
    """
    frame, metrics = study.to_frame(), list(study.metrics)
    write = number(study.digits)
    parts = [part.reset_index(drop=True) for _, part in frame.groupby("metric", sort=False)]
    shown = pd.DataFrame({"system": study.systems})
    data, columns = [pd.Series(study.systems, name="system")], list(left(system="System"))
    lettered = study.baseline is None and study.marks == "letters"
    if lettered:
        shown["letter"] = parts[0]["letter"]
        columns = [Column(name="letter", label="#"), *columns]
        data.append(parts[0]["letter"])
    rising, alike = study.scores["higher_is_better"].to_numpy(), False
    for place, (metric, part) in enumerate(zip(metrics, parts, strict=True)):
        printed = part["mean"].map(write)
        bold = printed.isin(printed[part["best"]])
        alike = alike or bool((bold & ~part["best"]).any())
        name = f"mean_{place}"
        shown = shown.assign(**{name: part["mean"], f"{name}_marks": part["marks"], f"{name}_bold": bold})
        columns += right(write, **{name: name_of_metric(metric) + ("" if rising[place] else " ↓")})
        data += [part["mean"].rename(metric), part["marks"].rename(f"{metric} marks")]
    return Table(
        name="means",
        title=_title(study),
        caption=" ".join(
            [*_marks_words(study, alike=alike, falling=not rising.all()), tested_by(study), *_rows_words(study)]
        ),
        frame=shown,
        columns=tuple(columns),
        data=pd.concat(data, axis=1),
    )


def means_section(study: PowerStudy, top: int) -> Section:
    """Return the table as a section of the page on discriminative power: all systems if they are few, else the best."""
    few = study.scores.sizes["system"] <= _ALL_SYSTEMS
    table = means_table(tabulated(study.scores, deciding(study), top=None if few else top, provenance=study.provenance))
    return Section(
        id="means",
        title="Means and significance",
        lead="Systems by metrics, the table that papers print; its LaTeX is below it, and metaeval table makes it "
        "against a baseline too.",
        blocks=(table,),
    )


def tested_by(study: TableStudy) -> str:
    """Say what was tested, how, and over how many pairs it was corrected, in a sentence."""
    result = study.comparison
    parts = [f"Tested by {result.procedure.described}"]
    if result.n_resamples:
        parts.append(f"B = {result.n_resamples}" + (f", {result.random_source}" if result.random_source else ""))
    parts += [side_words(result.alternative), f"α = {result.alpha:g}", f"{_correction(study)} {over_pairs(study)}"]
    return f"{', '.join(parts)}."


def over_pairs(study: TableStudy) -> str:
    """Say which pairs were tested under every metric: the family that is corrected over.

    Examples
    --------
    >>> from metaeval import study_table
    >>> over_pairs(study_table([[1, 2, 4], [2, 3, 3], [1, 0, 1]], baseline="system2"))
    'over the 2 pairs with system2 under each metric'
    """
    n_pairs = study.comparison.n_pairs
    if study.baseline is None:
        return f"over all {n_pairs:,} pairs under each metric" if n_pairs > 1 else "on the one pair under each metric"
    pairs = f"the {n_pairs:,} pairs" if n_pairs > 1 else "the one pair"
    return f"over {pairs} with {study.baseline} under each metric"


def _correction(study: TableStudy) -> str:
    return CORRECTIONS.words(study.comparison.correction)


def _title(study: TableStudy) -> str:
    groups = "".join(f" in {count(size, what)}" for what, size in groups_of_topics(study.scores).items())
    weighted = "Weighted means" if "weight" in study.scores.coords else "Means"
    return f"{weighted} over {count(study.scores.sizes['topic'], 'topic')}{groups}"


def _marks_words(study: TableStudy, *, alike: bool, falling: bool) -> list[str]:
    """Say what bold, arrows and marks mean."""
    words = ["Bold: best of the column, as printed." if alike else "Bold: best of the column."]
    words += ["↓: lower is better."] * falling
    if study.baseline is not None:
        words.append(f"{BETTER} significantly better than {study.baseline}, {WORSE} significantly worse.")
    elif study.marks == "letters":
        words.append("Raised letters: the systems (#) that a system is significantly better than.")
    else:
        words.append("Raised letters: systems that share one in a column do not differ significantly.")
    if np.isnan(study.scores.to_numpy()).any():
        words.append("Means are over the topics that a system has, tests over those that both have.")
    return words


def _rows_words(study: TableStudy) -> list[str]:
    n_systems = study.scores.sizes["system"]
    if study.top is None or len(study.systems) == n_systems:
        return []
    which = f"the best {study.top} of {n_systems:,} systems by {name_of_metric(study.metrics[0])}"
    beside = f" and {study.baseline}" * (len(study.systems) > study.top)
    return [f"Shown: {which}{beside}; all {n_systems:,} were tested."]
