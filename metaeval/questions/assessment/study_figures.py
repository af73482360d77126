"""The result of an analysis of assessments, and the figures of it that papers quote, each with its name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from metaeval.base.provenance import Provenance
from metaeval.collection.base import Rounds
from metaeval.inex.assessed_pools import growth_kinds, shown_growth
from metaeval.inex.assessment_tables import SHORT
from metaeval.resampling.effort import COST_MODELS
from metaeval.studies.study import Study

FOUND: Mapping[str, str] = {
    "relevant": "relevant documents",
    "elements": "relevant elements",
    "passages": "passages",
}
"""What is found in documents, and what a sentence calls it."""

_PER_TOPIC = {
    "documents": "documents assessed",
    **FOUND,
    "too_small": "elements too small to judge",
    "highlighted": "highlighted characters",
}
_FEW = 5
_HOUR = 3600.0
_QUOTED_RANKS = (50,)


class QuotedFigure(NamedTuple):
    """A figure that papers quote."""

    question: str
    statistic: str
    """What programs call it."""
    value: float
    """NaN where it is not known."""
    words: str
    """What people call it."""
    kind: str
    """How it is written: as a whole number, as a percentage, with one or with two decimals."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssessmentStudy(Study):
    """Analyses of assessments. Tables without data are empty, and `lacking` says why."""

    reported_by: ClassVar[str] = "metaeval.questions.assessment.page:assessment_report"

    scale: str
    rounds: Rounds
    """By what pools grew."""
    topics: pd.DataFrame
    """One row a topic: ``documents`` assessed, ``relevant`` ones, ``elements`` (relevant, without those too small),
    ``too_small``, ``passages``, ``highlighted`` characters; NaN where not known."""
    growth: pd.DataFrame
    """See `metaeval.inex.pool_growth`."""
    per_document: pd.DataFrame
    """One row a kind ``found`` ("relevant", "elements", "passages"): how many a document of the pool holds ``before``
    and ``after`` a ``rank``, 250 or half of a smaller pool, over the ``topics`` whose pool goes on beyond it."""
    beyond: pd.DataFrame
    """One row, what a larger pool would cost: ``pool`` (mean documents a topic), ``added``, expected new ``relevant``
    documents with ``low`` and ``high`` (95 %, by topics), new ``passages`` (NaN where not known), ``hours`` more a
    topic, with ``hours_low`` and ``hours_high``, ``hours_now`` for the present pool, and the minutes assumed for a
    document, ``minutes_relevant`` and ``minutes_other``."""
    new_runs: pd.DataFrame
    """See `metaeval.inex.new_run_coverage`."""
    pools: pd.DataFrame
    """One row a topic of the pool files: ``documents``, ``assessed`` of them, ``outside`` (assessed, not in the
    pool)."""
    passages: pd.DataFrame
    """``passages`` of a document, ``documents`` that have so many, ``share`` of them, ``up_to`` (share with no
    more)."""
    power_law: pd.DataFrame
    """One row, the law fitted to passages of a document: ``exponent``, ``low``, ``high`` (95 %, by topics),
    ``distance``."""
    elemental: pd.DataFrame
    """``kind`` ("elemental", "other", "unknown"), ``passages``, ``share`` of those known."""
    specificity: pd.DataFrame
    """``element_class``, ``low``, ``high`` (specificity above low up to high, in [0, 1]), ``elements``."""
    classes: pd.DataFrame
    """``element_class``, ``elements``, ``mean`` specificity in [0, 1], ``of_paragraph`` (over that of paragraphs),
    ``full`` (share relevant throughout)."""
    sizes: pd.DataFrame
    """``exhaustivity`` as written, ``elements``, ``low`` (5 %), ``quarter``, ``median``, ``three_quarters``, ``high``
    (95 %) and ``mean`` of their characters, ``short`` (share below 55 characters)."""
    entries: pd.DataFrame
    """One row a relevant document with a best entry point: characters from the beginning of the ``first``, ``biggest``
    and ``nearest`` passage to it (negative: it lies before; NaN where places are points in the tree), and whether
    it ``starts_first`` and ``starts_any``."""
    times: pd.DataFrame
    """One row a document in the log: ``seconds``, ``relevant``."""
    complete: pd.DataFrame
    """One row a document with passages: elements with ``highlighted`` text, ``assessed`` of them, and the first that
    was not (``missing``); see `metaeval.inex.highlighted_elements`."""
    steps: pd.DataFrame
    """One row an ``action`` of the log ("highlight", "assess"): ``steps`` from one to the next in a document,
    ``forward`` to a later place, their ``share``, and ``inside``: of those forward, to an element within the last."""
    cycles: pd.DataFrame
    """One row a document of the log that was highlighted and then judged: ``highlights``, ``judgments``, ``cycles``."""
    document_agreement: pd.DataFrame
    element_agreement: pd.DataFrame
    passage_agreement: pd.DataFrame
    """See the functions of these names in `metaeval.inex`."""
    lacking: tuple[str, ...]
    """Which question could not be answered, and for want of what."""
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return the figures that papers quote: ``question``, ``statistic``, ``value``."""
        rows = [(figure.question, figure.statistic, float(figure.value)) for figure in quoted_figures(self)]
        return pd.DataFrame(rows, columns=["question", "statistic", "value"])

    def figure(self, question: str, statistic: str) -> float:
        """Return one of the figures of `to_frame`; NaN where it is not known."""
        values = (
            figure.value
            for figure in quoted_figures(self)
            if (figure.question, figure.statistic) == (question, statistic)
        )
        return float(next(values, np.nan))


def quoted_figures(tables: AssessmentStudy) -> tuple[QuotedFigure, ...]:
    """Return the figures that papers quote, those that are known."""
    return tuple(figure for figures in _FIGURES for figure in figures(tables) if np.isfinite(figure.value))


def _of_topics(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    yield QuotedFigure("assessments", "topics", len(tables.topics), "topics", "count")
    for name, mean in tables.topics.mean().items():
        kind = "count" if name == "highlighted" else "one"
        yield QuotedFigure("assessments", f"{name} per topic", mean, f"{_PER_TOPIC[str(name)]}, mean of a topic", kind)


def _of_growth(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    for row in shown_growth(tables.growth).to_dict("records"):
        size = row["documents"]
        for kind in growth_kinds(tables.growth):
            words = f"{FOUND[kind]} found by {size} documents a topic"
            share = row[f"{kind}_share"]
            yield QuotedFigure("pool growth", f"share of {kind} by {size} documents", share, words, "share")


def _of_documents(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    for row in tables.per_document.to_dict("records"):
        for where in ("before", "after"):
            words = f"{FOUND[row['found']]} per document of the pool {where} rank {row['rank']}"
            yield QuotedFigure("pool growth", words, row[where], words, "two")


def _of_beyond(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    for row in tables.beyond.to_dict("records"):
        question, more = "larger pools", f"by {row['added']} more documents a topic"
        yield QuotedFigure(question, f"relevant {more}", row["relevant"], f"new relevant documents {more}", "one")
        yield QuotedFigure(question, f"hours {more}", row["hours"], f"more hours of a topic {more}", "one")
        yield QuotedFigure(question, "share of hours", row["hours"] / row["hours_now"], "of the present hours", "share")


def _of_new_runs(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(tables.new_runs):
        for (unit, size), rows in tables.new_runs.groupby(["unit", "size"], sort=False):
            for rank in _QUOTED_RANKS:
                share = rows.loc[rows["rank"] == rank, "share_up_to"]
                if len(share):
                    words = f"of the first {rank} results of new runs in a pool of {size} {unit}"
                    yield QuotedFigure("new runs", f"share {words}", share.iloc[0], words, "share")


def _of_pools(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(tables.pools):
        sums, size = tables.pools.sum(), tables.pools["documents"].mean()
        yield QuotedFigure("pools", "documents per topic", size, "documents in the pool, mean of a topic", "one")
        yield QuotedFigure("pools", "share assessed", sums["assessed"] / sums["documents"], "of them assessed", "share")


def _of_passages(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    question = "passages per document"
    if len(tables.passages):
        counted, share = tables.passages["passages"], tables.passages["share"]
        single, five = share[counted == 1].sum(), share[counted <= _FEW].sum()
        yield QuotedFigure(question, "share with one", single, "relevant documents with a single passage", "share")
        yield QuotedFigure(
            question, "share with at most five", five, "relevant documents with five passages or fewer", "share"
        )
        yield QuotedFigure(question, "most", counted.max(), "most passages of a document", "count")
    for row in tables.power_law.to_dict("records"):
        words = "exponent of their power law"
        for name, which in (("exponent", words), ("low", f"{words}, from"), ("high", f"{words}, to")):
            yield QuotedFigure(question, f"power law: {name}", row[name], which, "two")


def _of_elemental(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(tables.elemental):
        share = tables.elemental["share"].iloc[0]
        yield QuotedFigure("elemental passages", "share", share, "passages that coincide with one element", "share")


def _of_specificity(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    for row in tables.classes.to_dict("records"):
        name = row["element_class"]
        yield QuotedFigure("specificity", f"mean of class {name}", row["mean"], f"mean specificity: {name}", "two")


def _of_sizes(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    question = "exhaustivity and size"
    for row in tables.sizes.to_dict("records"):
        degree = row["exhaustivity"]
        which = "too small to judge" if degree == "?" else f"exhaustivity {degree}"
        short = f"share below {SHORT} characters at {degree}"
        yield QuotedFigure(
            question, f"median size at {degree}", row["median"], f"median size in characters, {which}", "count"
        )
        yield QuotedFigure(question, short, row["short"], f"with fewer than {SHORT} characters, {which}", "share")


def _of_entries(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    question, table = "best entry points", tables.entries
    if len(table):
        for which, column in (("the first", "starts_first"), ("some", "starts_any")):
            words = f"where {which} passage begins"
            yield QuotedFigure(question, f"share {words}", table[column].mean(), words, "share")
        for name in ("first", "biggest", "nearest"):
            words = f"median distance to the {name}"
            median = table[name].dropna().abs().median()
            yield QuotedFigure(question, words, median, f"{words} passage, in characters", "count")


def _of_times(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(tables.times):
        seconds = tables.times["seconds"]
        for kind, relevant in (("relevant", True), ("irrelevant", False)):
            mean = seconds[tables.times["relevant"] == relevant].mean()
            words = f"mean seconds: {kind} documents"
            yield QuotedFigure("time", f"mean seconds of {kind} documents", mean, words, "one")
        hours = seconds.groupby(tables.times["topic"]).sum().mean() / _HOUR
        yield QuotedFigure("time", "mean hours of a topic", hours, "mean hours of a topic", "one")
        kinds = tables.times.groupby(["topic", "relevant"]).size().unstack(fill_value=0)  # noqa: PD010 - a column each
        means = [kinds.get(is_relevant, pd.Series(0.0, kinds.index)).mean() for is_relevant in (True, False)]
        for year, rates in COST_MODELS.items():
            words = f"hours of a topic by the times of INEX {year}"
            yield QuotedFigure("time", words, rates.hours(float(means[0]), float(means[1])), words, "one")


def _of_complete(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(tables.complete):
        question, sums = "complete assessments", tables.complete[["highlighted", "assessed"]].sum()
        words, share = (
            "elements with highlighted text that are assessed (C-Rule 1)",
            sums["assessed"] / sums["highlighted"],
        )
        yield QuotedFigure(question, f"share of {words}", share, words, "share")
        words, share = "documents with all of them assessed", np.mean(tables.complete["missing"] == "")
        yield QuotedFigure(question, f"share of {words}", share, words, "share")


def _of_steps(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    question = "order of work"
    done = {"highlight": "highlights", "assess": "judgments of elements"}
    for row in tables.steps.to_dict("records"):
        work = done[row["action"]]
        words = f"{work} that lie behind the one before"
        yield QuotedFigure(question, f"share of {words}", row["share"], words, "share")
        yield QuotedFigure(question, "share inside", row["inside"], "of these, in the element before", "share")
    if len(tables.cycles):
        words = "highlight-then-judge cycles of a document"
        yield QuotedFigure(question, words, tables.cycles["cycles"].mean(), words, "two")


def _of_agreement(tables: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(tables.document_agreement):
        value = tables.document_agreement["of_union"].mean()
        words = "called relevant by both, of the documents that either does"
        yield QuotedFigure("agreement on documents", "mean of_union", value, words, "share")
    if len(tables.element_agreement):
        called = {
            "both": "both call the element relevant",
            "exact": "both give the same grades",
        }
        for name, words in called.items():
            value = tables.element_agreement[name]["mean"]
            yield QuotedFigure("agreement on elements", f"mean of {name}", value, words, "share")
    if len(tables.passage_agreement):
        value = tables.passage_agreement["of_union"].mean()
        words = "highlighted by both, of the text highlighted by either"
        yield QuotedFigure("agreement on passages", "mean of_union", value, words, "share")


_FIGURES: tuple[Callable[[AssessmentStudy], Iterator[QuotedFigure]], ...] = (
    *(
        _of_topics,
        _of_growth,
        _of_documents,
        _of_beyond,
        _of_new_runs,
        _of_pools,
        _of_passages,
        _of_elemental,
        _of_specificity,
    ),
    *(_of_sizes, _of_entries, _of_times, _of_complete, _of_steps, _of_agreement),
)
