"""Systems by metrics as a table of a report: means, the best of each column, marks for what is significant."""

import pandas as pd

from metaeval.base.words import name_of_metric, number
from metaeval.page.tables import Column, Table, left, right
from metaeval.questions.table.study import BETTER, WORSE, TableStudy
from metaeval.reports.pairs import tested_pairs
from metaeval.reports.prose import prose
from metaeval.reports.shared import in_groups
from metaeval.table.array import has_gaps

say = prose(__name__)


def means_table(study: TableStudy) -> Table:
    """Return the table of systems by metrics.

    Its CSV holds the means at full precision, and the marks in columns of their own.
    """
    frame, metrics = study.to_frame(), list(study.metrics)
    write = number(study.digits)
    parts = [of_metric.reset_index(drop=True) for _, of_metric in frame.groupby("metric", sort=False)]
    table_frame = pd.DataFrame({"system": study.systems})
    data, columns = [pd.Series(study.systems, name="system")], list(left(system="System"))
    lettered = study.baseline is None and study.marks == "letters"
    if lettered:
        table_frame["letter"] = parts[0]["letter"]
        columns = [Column(name="letter", label="#"), *columns]
        data.append(parts[0]["letter"])
    rising, alike = study.scores["higher_is_better"].to_numpy(), False
    for index, (metric, of_metric) in enumerate(zip(metrics, parts, strict=True)):
        printed = of_metric["mean"].map(write)
        bold = printed.isin(printed[of_metric["best"]])
        alike = alike or bool((bold & ~of_metric["best"]).any())
        name = f"mean_{index}"
        table_frame = table_frame.assign(
            **{name: of_metric["mean"], f"{name}_marks": of_metric["marks"], f"{name}_bold": bold}
        )
        columns += right(write, **{name: name_of_metric(metric) + ("" if rising[index] else " ↓")})
        data += [of_metric["mean"].rename(metric), of_metric["marks"].rename(f"{metric} marks")]
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
        frame=table_frame,
        columns=tuple(columns),
        data=pd.concat(data, axis=1),
    )


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
