# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report of a design: how many topics a new collection needs."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import ends, listed, name_of_metric, number, percentage, short_names, whole
from metaeval.page.blocks import Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right, under
from metaeval.reports.data_files import csv_file
from metaeval.studies.design import DesignStudy


class _Design(NamedTuple):
    """A design: its name, what its summary says before the number of topics, what they achieve, its definition."""

    name: str
    asked: str
    achieved: str
    write: Callable[[object], str]
    defined: str


_DESIGNS: Mapping[str, _Design] = {
    "t": _Design(
        "Paired t test",
        "To find a difference of {difference} with power {power:g} at α = {alpha:g}, a paired t test of two systems "
        "needs",
        "power",
        number(2),
        "for a two-sided paired t test of two systems (non-central t distribution)",
    ),
    "anova": _Design(
        "Analysis of variance, {systems} systems",
        "To find that the best and worst of {systems} systems differ by {difference}, an analysis of variance needs",
        "power",
        number(2),
        "for a one-way analysis of variance over {systems} systems whose best and worst are that far apart and whose "
        "others lie in the middle (non-central F distribution)",
    ),
    "interval": _Design(
        "{level} interval",
        "For a {level} interval of a difference no wider than {difference}, it takes",
        "width",
        number(3),
        "for an expected width of the {level} t interval of a difference, from end to end, of no more than that "
        "difference",
    ),
}
_POINTS = 25
_VARIANCES = {
    "residual": "what is left of the scores when systems and topics are taken out",
    "within": "that of the scores about each system's own mean",
    "pairs": "half the variance of the differences of the systems that were paired",
}


def design_report(study: DesignStudy) -> Report:
    """Put a design into a report."""
    metrics = study.table["metric"].unique().tolist()
    facts = [] if study.variances is None else [(str(len(metrics)), "metric" if len(metrics) == 1 else "metrics")]
    if _at_hand(study):
        facts.append((_at_hand(study), "topics at hand"))
    facts += [(f"{study.power:g}", "power"), (f"{study.alpha:g}", "significance level α")]
    return Report(
        command="design",
        title="How many topics does a new collection need?",
        facts=tuple(facts),
        summary=_summary(study),
        sections=(_topics_section(study), *_variance_section(study)),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=(*study.notes, *_unanswered(study)),
        data={"designs.csv": csv_file(study.table)},
    )


def _at_hand(study: DesignStudy) -> str:
    """Return how many topics there are already; nothing where that is not one number."""
    return whole(study.table["topics_at_hand"].iloc[0]) if "topics_at_hand" in study.table else ""


def _filled(study: DesignStudy, words: str, difference: float = 0.0) -> str:
    return words.format(
        difference=f"{difference:g}",
        power=study.power,
        alpha=study.alpha,
        level=percentage(1 - study.alpha),
        systems=study.n_systems,
    )


def _name(study: DesignStudy, method: str) -> str:
    return _filled(study, _DESIGNS[method].name)


def _summary(study: DesignStudy) -> tuple[str, ...]:
    paragraphs = []
    for method, part in study.table.groupby("method", sort=False):
        answers: list[str] = []
        for difference, rows in part.groupby("difference", sort=False):
            asked = "for {difference}," if answers else _DESIGNS[str(method)].asked
            words = _filled(study, asked, float(str(difference)))
            answers.append(f"{words} {_needed(study, rows, named=not answers)}")
        paragraphs.append(f"{'; '.join(answers)}.")
    basis = "a score that was given"
    if study.variances is not None:
        freedom = study.table["degrees_of_freedom"]
        least = "at least " if freedom.min() < freedom.max() else ""
        basis = f"the scores given ({least}{whole(freedom.min())} degrees of freedom)"
    return (*paragraphs, f"These numbers rest on the variance of {basis}.")


def _needed(study: DesignStudy, rows: pd.DataFrame, *, named: bool) -> str:
    """Say how many topics one question needs: of one metric, or of the least and the most demanding.

    These are the same two for every difference, so they need be named only once.
    """
    known = rows.dropna(subset="n_topics").astype({"n_topics": int})
    if known.empty:
        return "more than ten million topics"
    topics = known["n_topics"]
    low, high = ends(map(name_of_metric, known["metric"]), topics, map(whole, topics))
    if not named:
        return " to ".join(dict.fromkeys((low.figure, high.figure)))
    least = count(int(topics.min()), "topic")
    if low == high:
        return least + (f" ({low.who})" if study.variances is not None and len(rows) == 1 else "")
    return f"{least} ({low.who}) to {high.figure} ({high.who})"


def _unanswered(study: DesignStudy) -> tuple[str, ...]:
    rows = study.table[study.table["note"] != ""]
    return tuple(
        f"{name_of_metric(row.metric)}, difference {row.difference:g}, {_name(study, str(row.method))}: {row.note}"
        for row in rows.itertuples()
    )


def _topics_section(study: DesignStudy) -> Section:
    methods = study.table["method"].unique().tolist()
    rows = []
    for (metric, difference), part in study.table.groupby(["metric", "difference"], sort=False):
        row = {"metric": metric, "variance": part["variance"].iloc[0], "difference": difference}
        for one in part.to_dict("records"):
            design = _DESIGNS[one["method"]]
            row |= {one["method"]: one["n_topics"], f"{one['method']} at hand": one.get(f"{design.achieved}_at_hand")}
        rows.append(row)
    columns = [
        *left(name_of_metric, metric="Metric"),
        *right(lambda value: f"{value:.5g}", variance="Variance of a score"),
        *right(lambda value: f"{value:g}", difference="Difference"),
    ]
    for name in methods:
        design, group = _DESIGNS[name], _name(study, name)
        columns += right(whole, group, **{name: "topics"})
        if _at_hand(study):
            columns += under(design.write, group, **{f"{name} at hand": f"{design.achieved} at hand"})
    at_hand = f" At hand: what the present {_at_hand(study)} topics achieve." if _at_hand(study) else ""
    widest = f" Under {_name(study, 'interval')}, Difference is the widest interval allowed."
    exact = "exact distributions" if study.calculation == "exact" else "approximations"
    table = Table(
        name="topic-set-size",
        title="Topics needed for a new collection",
        caption=f"α = {study.alpha:g}, power {study.power:g}; {exact}.{at_hand}"
        + widest * ("interval" in methods)
        + "".join(f" {words}" for words in short_names(study.table["metric"].unique())),
        frame=pd.DataFrame(rows),
        columns=tuple(columns),
        data=study.table,
    )
    picture = Picture(
        name="topics by difference",
        draw=lambda: figures.topics_by_difference(
            study.for_differences(_around(study)),
            study.table,
            names={str(name): _name(study, str(name)).partition(",")[0] for name in methods},
            at_hand=int(study.table["topics_at_hand"].iloc[0]) if _at_hand(study) else None,
        ),
        title="Topics needed by the difference to be found",
        caption="Both scales are logarithmic. Dots: the differences asked for. Half the difference takes four times "
        "as many topics." + " The dashed line: the topics at hand." * bool(_at_hand(study)),
        alt=_summary(study)[0],
    )
    return Section(
        id="topics",
        title="Topic set size",
        lead="The more the scores vary over topics, and the smaller the difference that matters, the more topics it "
        "takes to find it.",
        brief=True,
        blocks=(table, picture),
    )


def _around(study: DesignStudy) -> Sequence[float]:
    """Return differences from half the smallest that was asked for to twice the largest, in equal steps of a log."""
    asked = study.table["difference"]
    curve: list[float] = np.geomspace(asked.min() / 2, asked.max() * 2, _POINTS).tolist()
    return curve


def _variance_section(study: DesignStudy) -> tuple[Section, ...]:
    if study.variances is None:
        return ()
    frame, spread = study.variances.table, number(5)
    columns = [
        *left(name_of_metric, metric="Metric"),
        *(left(collection="Collection") if len(frame["collection"].unique()) > 1 else ()),
        *right(spread, "Variance", variance="of a score", difference_variance="of a difference"),
        *right(whole, degrees_of_freedom="Degrees of freedom"),
    ]
    table = Table(
        name="variances",
        title="Variance of scores",
        caption=f"The variance of a score is {_VARIANCES[study.variances.method]}; that of a difference of two systems "
        "on one topic is twice that.",
        frame=frame,
        columns=tuple(column for column in columns if column.name in frame),
        data=frame,
    )
    return (
        Section(
            id="variance",
            title="Variance of scores",
            lead="What the numbers of topics rest on. Scores of another collection may vary more, or less.",
            blocks=(table,),
        ),
    )


def _methods(study: DesignStudy) -> Methods:
    names = study.table["method"].unique().tolist()
    designs = listed(_filled(study, _DESIGNS[name].defined) for name in names)
    exact = "" if study.calculation == "exact" else " His closed approximations take the place of the distributions."
    asked = [f"{difference:g}" for difference in study.table["difference"].unique()]
    found = (
        f"For {'a difference' if len(asked) == 1 else 'differences'} of {listed(asked)} we computed the smallest "
        f"number of topics by Sakai's topic set size design (Sakai, 2016) {designs}"
    )
    spread = "The variance of a score was given"
    if study.variances is not None:
        spread = f"The variance of a score is {_VARIANCES[study.variances.method]}"
        if study.variances.table.groupby("metric").size().max() > 1:
            spread += ", pooled over the collections by their degrees of freedom"
    twice = "that of a difference of two systems is taken as twice that"
    words = f"{found}; α = {study.alpha:g}, power {study.power:g}.{exact} {spread}; {twice}."
    return Methods(paragraphs=(words,), cite=("sakai2016",))
