"""The figures of an analysis of assessments that papers quote, each with its name."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metaeval.inex.assessed_pools import growth_kinds, shown_growth
from metaeval.inex.assessment_tables import SHORT

if TYPE_CHECKING:
    from metaeval.studies.assessment import AssessmentStudy

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


def quoted_figures(tables: "AssessmentStudy") -> tuple[QuotedFigure, ...]:
    """Return the figures that papers quote, those that are known."""
    return tuple(one for figures in _FIGURES for one in figures(tables) if np.isfinite(one.value))


def _of_topics(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    yield QuotedFigure("assessments", "topics", len(tables.topics), "topics", "count")
    for name, mean in tables.topics.mean().items():
        kind = "count" if name == "highlighted" else "one"
        yield QuotedFigure("assessments", f"{name} per topic", mean, f"{_PER_TOPIC[str(name)]}, mean of a topic", kind)


def _of_growth(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    for row in shown_growth(tables.growth).to_dict("records"):
        size = row["documents"]
        for kind in growth_kinds(tables.growth):
            words = f"{FOUND[kind]} found by {size} documents a topic"
            share = row[f"{kind}_share"]
            yield QuotedFigure("pool growth", f"share of {kind} by {size} documents", share, words, "share")


def _of_beyond(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    for row in tables.beyond.to_dict("records"):
        asked, more = "larger pools", f"by {row['added']} more documents a topic"
        yield QuotedFigure(asked, f"relevant {more}", row["relevant"], f"new relevant documents {more}", "one")
        yield QuotedFigure(asked, f"hours {more}", row["hours"], f"more hours of a topic {more}", "one")
        yield QuotedFigure(asked, "share of hours", row["hours"] / row["hours_now"], "of the present hours", "share")


def _of_new_runs(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    if len(tables.new_runs):
        for (unit, size), part in tables.new_runs.groupby(["unit", "size"], sort=False):
            for rank in _QUOTED_RANKS:
                share = part.loc[part["rank"] == rank, "share_up_to"]
                if len(share):
                    words = f"of the first {rank} results of new runs in a pool of {size} {unit}"
                    yield QuotedFigure("new runs", f"share {words}", share.iloc[0], words, "share")


def _of_pools(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    if len(tables.pools):
        sums, size = tables.pools.sum(), tables.pools["documents"].mean()
        yield QuotedFigure("pools", "documents per topic", size, "documents in the pool, mean of a topic", "one")
        yield QuotedFigure("pools", "share assessed", sums["assessed"] / sums["documents"], "of them assessed", "share")


def _of_passages(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    asked = "passages per document"
    if len(tables.passages):
        counted, share = tables.passages["passages"], tables.passages["share"]
        one, five = share[counted == 1].sum(), share[counted <= _FEW].sum()
        yield QuotedFigure(asked, "share with one", one, "relevant documents with a single passage", "share")
        yield QuotedFigure(
            asked, "share with at most five", five, "relevant documents with five passages or fewer", "share"
        )
        yield QuotedFigure(asked, "most", counted.max(), "most passages of a document", "count")
    for row in tables.power_law.to_dict("records"):
        words = "exponent of their power law"
        for name, which in (("exponent", words), ("low", f"{words}, from"), ("high", f"{words}, to")):
            yield QuotedFigure(asked, f"power law: {name}", row[name], which, "two")


def _of_elemental(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    if len(tables.elemental):
        share = tables.elemental["share"].iloc[0]
        yield QuotedFigure("elemental passages", "share", share, "passages that coincide with one element", "share")


def _of_specificity(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    for row in tables.classes.to_dict("records"):
        name = row["element_class"]
        yield QuotedFigure("specificity", f"mean of class {name}", row["mean"], f"mean specificity: {name}", "two")


def _of_sizes(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    asked = "exhaustivity and size"
    for row in tables.sizes.to_dict("records"):
        degree = row["exhaustivity"]
        which = "too small to judge" if degree == "?" else f"exhaustivity {degree}"
        short = f"share below {SHORT} characters at {degree}"
        yield QuotedFigure(
            asked, f"median size at {degree}", row["median"], f"median size in characters, {which}", "count"
        )
        yield QuotedFigure(asked, short, row["short"], f"with fewer than {SHORT} characters, {which}", "share")


def _of_entries(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    asked, table = "best entry points", tables.entries
    if len(table):
        for which, column in (("the first", "starts_first"), ("some", "starts_any")):
            words = f"where {which} passage begins"
            yield QuotedFigure(asked, f"share {words}", table[column].mean(), words, "share")
        for name in ("first", "biggest", "nearest"):
            words = f"median distance to the {name}"
            median = table[name].dropna().abs().median()
            yield QuotedFigure(asked, words, median, f"{words} passage, in characters", "count")


def _of_times(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    if len(tables.times):
        seconds = tables.times["seconds"]
        for kind, relevant in (("relevant", True), ("irrelevant", False)):
            mean = seconds[tables.times["relevant"] == relevant].mean()
            words = f"mean seconds: {kind} documents"
            yield QuotedFigure("time", f"mean seconds of {kind} documents", mean, words, "one")
        hours = seconds.groupby(tables.times["topic"]).sum().mean() / _HOUR
        yield QuotedFigure("time", "mean hours of a topic", hours, "mean hours of a topic", "one")


def _of_steps(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
    asked = "order of work"
    done = {"highlight": "highlights", "assess": "judgments of elements"}
    for row in tables.steps.to_dict("records"):
        what = done[row["action"]]
        words = f"{what} that lie behind the one before"
        yield QuotedFigure(asked, f"share of {words}", row["share"], words, "share")
        yield QuotedFigure(asked, "share inside", row["inside"], "of these, in the element before", "share")
    if len(tables.cycles):
        words = "highlight-then-judge cycles of a document"
        yield QuotedFigure(asked, words, tables.cycles["cycles"].mean(), words, "two")


def _of_agreement(tables: "AssessmentStudy") -> Iterator[QuotedFigure]:
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


_FIGURES: tuple[Callable[["AssessmentStudy"], Iterator[QuotedFigure]], ...] = (
    *(_of_topics, _of_growth, _of_beyond, _of_new_runs, _of_pools, _of_passages, _of_elemental, _of_specificity),
    *(_of_sizes, _of_entries, _of_times, _of_steps, _of_agreement),
)
