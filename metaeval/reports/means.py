"""Systems by metrics as a table of a report: means, the best of each column, marks for what is significant."""

import pandas as pd

from metaeval.base.words import name_of_metric, number
from metaeval.page.blocks import Section
from metaeval.page.tables import Column, Table, left, right
from metaeval.reports.power_findings import deciding, tested_pairs
from metaeval.reports.prose import prose
from metaeval.reports.shared import in_groups
from metaeval.studies.power import PowerStudy
from metaeval.studies.table import BETTER, WORSE, TableStudy, tabulated
from metaeval.table.array import has_gaps

_ALL_SYSTEMS = 20
"""More systems than these are not all shown on the page of another question."""
say = prose("means")


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
        title=say(
            "title",
            weighted="weight" in study.scores.coords,
            n=study.scores.sizes["topic"],
            groups=in_groups(study.scores),
        ),
        caption=say(
            "table",
            study=study,
            result=study.comparison,
            n=study.scores.sizes["system"],
            pairs=over_pairs(study),
            better=BETTER,
            worse=WORSE,
            alike=alike,
            falling=not rising.all(),
            gaps=has_gaps(study.scores.to_numpy()),
            untested=bool((study.comparison.n_tested < study.comparison.n_pairs).any()),
        ),
        frame=shown,
        columns=tuple(columns),
        data=pd.concat(data, axis=1),
    )


def means_section(study: PowerStudy, top: int) -> Section:
    """Return the table as a section of the page on discriminative power: all systems if they are few, else the best."""
    few = study.scores.sizes["system"] <= _ALL_SYSTEMS
    table = means_table(tabulated(study.scores, deciding(study), top=None if few else top, provenance=study.provenance))
    return Section(**say.headed("means lead"), blocks=(table,))


def over_pairs(study: TableStudy) -> str:
    """Say which pairs were tested under every metric: the family that is corrected over.

    Examples
    --------
    >>> from metaeval import study_table
    >>> over_pairs(study_table([[1, 2, 4], [2, 3, 3], [1, 0, 1]], baseline="system2"))
    'over the 2 pairs with system2 under each metric'
    """
    n, tested = study.comparison.n_pairs, study.comparison.n_tested
    return say("pairs", study=study, n=n, tested="" if (tested == n).all() else tested_pairs(study.comparison, "pair"))
