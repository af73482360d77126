"""Systems by metrics as a table of a report: means, the best of each column, marks for what is significant."""

import numpy as np
import pandas as pd

from metaeval.base.words import name_of_metric, number, whole
from metaeval.page.tables import Column, Table, left, right
from metaeval.questions.table.study import BETTER, WORSE, TableStudy
from metaeval.reports.prose import prose
from metaeval.reports.shared import in_groups
from metaeval.table.array import has_gaps
from metaeval.table.scores import Scores

_PAIR = 2
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
        columns += right(write, **{name: name_of_metric(metric) + (" ↓" * (not rising[index] and "↓" not in metric))})
        data += [of_metric["mean"].rename(metric), of_metric["marks"].rename(f"{metric} marks")]
    caption = [
        f"Bold: best of the column{', as printed' if alike else ''}.",
        *([] if rising.all() else ["↓: lower is better."]),
    ]
    caption += [
        _marks_sentence(study),
        *([say("gaps", n=study.scores.sizes["system"])] if has_gaps(study.scores.to_numpy()) else []),
        _test_words(study),
    ]
    n, n_shown = study.scores.sizes["system"], len(study.systems)
    if study.top is not None and n_shown != n:
        more = f" and {study.baseline}" if n_shown > study.top else ""
        caption += [say("top", study=study, n=n, more=more)]
    return Table(
        name="means",
        title=say(
            "title",
            what="Weighted means" if "weight" in study.scores.coords else "Means",
            n=_n_averaged(study.scores),
            groups=in_groups(study.scores),
        ),
        caption=" ".join(caption),
        frame=table_frame,
        columns=tuple(columns),
        data=pd.concat(data, axis=1),
    )


def _n_averaged(scores: Scores) -> int:
    """Return over how many topics means are: of two systems with gaps those that both have, if alike by metric."""
    n_shared = np.isfinite(scores.to_numpy()).all(axis=1).sum(axis=1)
    shared = scores.sizes["system"] == _PAIR and n_shared[0] and np.ptp(n_shared) == 0
    return int(n_shared[0]) if shared else scores.sizes["topic"]


def _marks_sentence(study: TableStudy) -> str:
    """Say what the raised marks mean."""
    if study.baseline is not None:
        return say("baseline", baseline=study.baseline, better=BETTER, worse=WORSE)
    if study.marks == "letters":
        return "Raised letters: the systems (#) that a system is significantly better than."
    result = study.comparison
    untested = "; those that cannot be tested share none" if (result.n_tested < result.n_pairs).any() else ""
    return f"Raised letters: systems that share one in a column do not differ significantly{untested}."


def _test_words(study: TableStudy) -> str:
    result = study.comparison
    draws = [f"B = {result.n_resamples:,}", result.random_source] if result.n_resamples else []
    test = ", ".join(filter(None, [result.procedure.description, *draws]))
    return say("tested", test=test, result=result, pairs=over_pairs(study))


def over_pairs(study: TableStudy) -> str:
    """Say which pairs were tested under every metric: the family that is corrected over.

    Examples
    --------
    >>> from metaeval import study_table
    >>> over_pairs(study_table([[1, 2, 4], [2, 3, 3], [1, 0, 1]], baseline="system2"))
    'over the 2 pairs with system2 under each metric'
    """
    n = study.comparison.n_pairs
    if study.baseline is None:
        return f"{f'over all {whole(n)} pairs' if n > 1 else 'on the one pair'} under each metric"
    pairs = f"the {whole(n)} pairs" if n > 1 else "the one pair"
    return f"over {pairs} with {study.baseline} under each metric"
