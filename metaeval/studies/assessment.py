"""What assessors of focused retrieval did, by the analyses of Piwowarski, Trotman and Lalmas (2008)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from metaeval.agreement.assessed_pools import growth_kinds, measured_growth, pool_coverage, shown_growth
from metaeval.agreement.assessment_tables import ELEMENT_CLASSES, SHORT, AssessmentTables, LackingError
from metaeval.agreement.assessment_times import assessment_times
from metaeval.agreement.assessments import element_agreement, passage_agreement
from metaeval.collection.inex import Assessments, Submission
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.provenance import Provenance, record_provenance
from metaeval.studies.study import Study

__all__ = ["FOUND", "AssessmentStudy", "QuotedFigure", "quoted_figures", "study_assessments"]

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


class QuotedFigure(NamedTuple):
    """A figure that papers quote.

    Attributes
    ----------
    question, statistic : str
        What programs call it.
    value : float
        NaN where it is not known.
    words : str
        What people call it.
    kind : {"count", "share", "one", "two"}
        How it is written: as a whole number, as a percentage, with one or with two decimals.
    """

    question: str
    statistic: str
    value: float
    words: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AssessmentStudy(Study):
    """What assessments say of how they were made. A table that they cannot fill is empty, and `lacking` says why.

    Attributes
    ----------
    scale : str
    topics : pandas.DataFrame
        One row a topic: ``documents`` assessed, ``relevant`` ones, ``elements`` (relevant, without those too small),
        ``too_small``, ``passages``, ``highlighted`` characters; NaN where not known.
    growth : pandas.DataFrame
        See `metaeval.inex.pool_growth`.
    pools : pandas.DataFrame
        One row a topic of the pool files: ``documents``, ``assessed`` of them, ``outside`` (assessed, not in the pool).
    passages : pandas.DataFrame
        ``passages`` of a document, ``documents`` that have so many, ``share`` of them, ``up_to`` (share with no more).
    elemental : pandas.DataFrame
        ``kind`` ("elemental", "other", "unknown"), ``passages``, ``share`` of those known.
    specificity : pandas.DataFrame
        ``element_class``, ``low``, ``high`` (specificity above low up to high, in [0, 1]), ``elements``.
    classes : pandas.DataFrame
        ``element_class``, ``elements``, ``mean`` specificity in [0, 1], ``of_paragraph`` (over that of paragraphs),
        ``full`` (share relevant throughout).
    sizes : pandas.DataFrame
        ``exhaustivity`` as written, ``elements``, ``low`` (5 %), ``quarter``, ``median``, ``three_quarters``, ``high``
        (95 %) and ``mean`` of their characters, ``short`` (share below 55 characters).
    entries : pandas.DataFrame
        One row a relevant document with a best entry point: characters from the beginning of the ``first``,
        ``biggest`` and ``nearest`` passage to it (negative: it lies before; NaN where places are points in the tree),
        and whether it ``starts_first`` and ``starts_any``.
    times : pandas.DataFrame
        One row a document in the log: ``seconds``, ``relevant``.
    element_agreement, passage_agreement : pandas.DataFrame
        See `metaeval.inex.element_agreement` and `metaeval.inex.passage_agreement`.
    lacking : tuple of str
        Which question could not be answered, and for want of what.
    notes : tuple of str
    provenance : Provenance
    """

    reported_by: ClassVar[str] = "metaeval.reports.assessment:assessment_report"

    scale: str
    topics: pd.DataFrame
    growth: pd.DataFrame
    pools: pd.DataFrame
    passages: pd.DataFrame
    elemental: pd.DataFrame
    specificity: pd.DataFrame
    classes: pd.DataFrame
    sizes: pd.DataFrame
    entries: pd.DataFrame
    times: pd.DataFrame
    element_agreement: pd.DataFrame
    passage_agreement: pd.DataFrame
    lacking: tuple[str, ...]
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return the figures that papers quote: ``question``, ``statistic``, ``value``."""
        rows = [(one.question, one.statistic, float(one.value)) for one in quoted_figures(self)]
        return pd.DataFrame(rows, columns=["question", "statistic", "value"])

    def figure(self, question: str, statistic: str) -> float:
        """Return one of the figures of `to_frame`; NaN where it is not known."""
        found = (one.value for one in quoted_figures(self) if (one.question, one.statistic) == (question, statistic))
        return float(next(found, np.nan))


def study_assessments(  # noqa: PLR0913 - one keyword per source
    assessments: Assessments,
    *,
    submissions: Iterable[Submission] = (),
    pools: pd.DataFrame | None = None,
    second: Assessments | None = None,
    log: pd.DataFrame | None = None,
    sizes: pd.DataFrame | None = None,
    classes: Mapping[str, Sequence[str]] = ELEMENT_CLASSES,
    longest_break: float = 600.0,
    provenance: Provenance | None = None,
) -> AssessmentStudy:
    """Ask of assessments what Piwowarski, Trotman and Lalmas (2008) asked of those of INEX.

    Parameters
    ----------
    assessments : Assessments
        Of any scale; what it does not hold is said in `lacking`.
    submissions : iterable of Submission, optional
        The runs that were pooled, for the growth of the pools.
    pools : pandas.DataFrame, optional
        Columns ``topic`` and ``document``, as `metaeval.inex.read_pool` returns.
    second : Assessments, optional
        By another assessor of some of the topics.
    log : pandas.DataFrame, optional
        Columns ``topic``, ``document`` and either ``seconds`` (spent on it; several rows add up) or ``time`` (of an
        action, in seconds or as a date): then the time to the topic's next action counts for the document.
    sizes : pandas.DataFrame, optional
        Columns ``document``, ``path``, ``size``, for elements whose size the assessments do not say.
    classes : mapping of str to sequence of str
        Tags of each class of elements; specificity is compared with that of the last one.
    longest_break : float, default 600
        A longer time between two actions of a log is a break and does not count.
    provenance : Provenance, optional

    Returns
    -------
    AssessmentStudy

    Raises
    ------
    InvalidOptionError
        If no document was assessed, or `log`, `pools` or `sizes` lack a column.

    See Also
    --------
    metaeval.studies.reliability.study_reliability
    metaeval.studies.assessors.study_assessors

    Notes
    -----
    A document is relevant if text in it is highlighted or an element relevant. A passage is elemental if it is as long
    as the smallest element around its two ends (section 5.2.4). Specificity of 2003 and 2004 is divided by 3, as in
    Table VII.

    References
    ----------
    B. Piwowarski, A. Trotman and M. Lalmas (2008). Sound and complete relevance assessment for XML retrieval. ACM
    Transactions on Information Systems 27(1), sections 4 and 5.

    Examples
    --------
    >>> documents = pd.DataFrame({"topic": "1", "document": ["d1", "d2"], "relevant_size": [30, 0]})
    >>> marked = pd.DataFrame({"topic": "1", "document": "d1", "offset": [10, 70], "length": [20, 10]})
    >>> judged = Assessments(scale="passages", documents=documents.assign(best_entry=5), passages=marked)
    >>> study = study_assessments(judged)
    >>> study.passages["documents"].tolist(), study.entries["first"].tolist()
    ([1], [-5.0])
    """
    if assessments.documents.empty:
        message = f"{assessments.source or 'the assessments'} hold no assessed document"
        raise InvalidOptionError(message)
    view = AssessmentTables.of(assessments, sizes)
    lacking: list[str] = []
    notes = [*assessments.notes, *view.doubts()]

    def asked(question: str, answer: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        try:
            return answer()
        except LackingError as error:
            lacking.append(f"{question}: {error}")
            return pd.DataFrame()

    runs = list(submissions)
    return AssessmentStudy(
        scale=assessments.scale,
        topics=view.topics(),
        growth=asked("Pool growth", lambda: measured_growth(view, runs)),
        pools=asked("Coverage of the pools", lambda: pool_coverage(view, pools)),
        passages=asked("Passages per document", view.passages_per_document),
        elemental=asked("Elemental passages", view.elemental),
        specificity=asked("Specificity of elements", lambda: view.specificity(classes)),
        classes=asked("Specificity of elements", lambda: view.specificity_of_classes(classes)),
        sizes=asked("Exhaustivity and size", view.sizes_by_exhaustivity),
        entries=asked("Best entry points", view.entries),
        times=asked("Assessment time", lambda: assessment_times(view, log, longest_break, notes)),
        element_agreement=asked("Agreement on elements", lambda: _second(assessments, second, "elements")),
        passage_agreement=asked("Agreement on passages", lambda: _second(assessments, second, "passages")),
        lacking=tuple(dict.fromkeys(lacking)),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_assessments"),
    )


def _second(first: Assessments, second: Assessments | None, kind: str) -> pd.DataFrame:
    if second is None:
        message = "give the assessments of a second assessor"
        raise LackingError(message)
    if any(getattr(one, kind).empty for one in (first, second)):
        message = f"the assessments hold no {kind}"
        raise LackingError(message)
    if kind == "passages" and any((one.passages["offset"] < 0).any() for one in (first, second)):
        message = "passages are given by points in the tree, and their characters cannot be compared"
        raise LackingError(message)
    try:
        return element_agreement(first, second) if kind == "elements" else passage_agreement(first, second)
    except ScoresError as error:
        raise LackingError(str(error)) from None


# ------------------------------------------------------------------------------------------- figures that papers quote


def quoted_figures(study: AssessmentStudy) -> tuple[QuotedFigure, ...]:
    """Return the figures that papers quote, those that are known."""
    return tuple(one for figures in _FIGURES for one in figures(study) if np.isfinite(one.value))


def _of_topics(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    yield QuotedFigure("assessments", "topics", len(study.topics), "topics", "count")
    for name, mean in study.topics.mean().items():
        kind = "count" if name == "highlighted" else "one"
        yield QuotedFigure("assessments", f"{name} per topic", mean, f"{_PER_TOPIC[str(name)]}, mean of a topic", kind)


def _of_growth(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    for row in shown_growth(study.growth).to_dict("records"):
        size = row["documents"]
        for kind in growth_kinds(study.growth):
            words = f"{FOUND[kind]} found by {size} documents a topic"
            share = row[f"{kind}_share"]
            yield QuotedFigure("pool growth", f"share of {kind} by {size} documents", share, words, "share")


def _of_pools(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(study.pools):
        sums, size = study.pools.sum(), study.pools["documents"].mean()
        yield QuotedFigure("pools", "documents per topic", size, "documents in the pool, mean of a topic", "one")
        yield QuotedFigure("pools", "share assessed", sums["assessed"] / sums["documents"], "of them assessed", "share")


def _of_passages(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(study.passages):
        asked, counted, share = "passages per document", study.passages["passages"], study.passages["share"]
        one, five = share[counted == 1].sum(), share[counted <= _FEW].sum()
        yield QuotedFigure(asked, "share with one", one, "relevant documents with a single passage", "share")
        yield QuotedFigure(
            asked, "share with at most five", five, "relevant documents with five passages or fewer", "share"
        )
        yield QuotedFigure(asked, "most", counted.max(), "most passages of a document", "count")


def _of_elemental(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(study.elemental):
        share = study.elemental["share"].iloc[0]
        yield QuotedFigure("elemental passages", "share", share, "passages that coincide with one element", "share")


def _of_specificity(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    for row in study.classes.to_dict("records"):
        name = row["element_class"]
        yield QuotedFigure("specificity", f"mean of class {name}", row["mean"], f"mean specificity: {name}", "two")


def _of_sizes(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    asked = "exhaustivity and size"
    for row in study.sizes.to_dict("records"):
        degree = row["exhaustivity"]
        which = "too small to judge" if degree == "?" else f"exhaustivity {degree}"
        short = f"share below {SHORT} characters at {degree}"
        yield QuotedFigure(
            asked, f"median size at {degree}", row["median"], f"median size in characters, {which}", "count"
        )
        yield QuotedFigure(asked, short, row["short"], f"with fewer than {SHORT} characters, {which}", "share")


def _of_entries(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    asked, table = "best entry points", study.entries
    if len(table):
        for which, column in (("the first", "starts_first"), ("some", "starts_any")):
            words = f"where {which} passage begins"
            yield QuotedFigure(asked, f"share {words}", table[column].mean(), words, "share")
        for name in ("first", "biggest", "nearest"):
            words = f"median distance to the {name}"
            yield QuotedFigure(asked, words, table[name].abs().median(), f"{words} passage, in characters", "count")


def _of_times(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(study.times):
        seconds = study.times["seconds"]
        for kind, relevant in (("relevant", True), ("irrelevant", False)):
            mean = seconds[study.times["relevant"] == relevant].mean()
            words = f"mean seconds: {kind} documents"
            yield QuotedFigure("time", f"mean seconds of {kind} documents", mean, words, "one")
        hours = seconds.groupby(study.times["topic"]).sum().mean() / _HOUR
        yield QuotedFigure("time", "mean hours of a topic", hours, "mean hours of a topic", "one")


def _of_agreement(study: AssessmentStudy) -> Iterator[QuotedFigure]:
    if len(study.element_agreement):
        called = {
            "documents": "both call the document relevant",
            "both": "both call the element relevant",
            "exact": "both give the same grades",
        }
        for name, words in called.items():
            value = study.element_agreement[name]["mean"]
            yield QuotedFigure("agreement on elements", f"mean of {name}", value, words, "share")
    if len(study.passage_agreement):
        value = study.passage_agreement["of_union"].mean()
        words = "highlighted by both, of the text highlighted by either"
        yield QuotedFigure("agreement on passages", "mean of_union", value, words, "share")


_FIGURES: tuple[Callable[[AssessmentStudy], Iterator[QuotedFigure]], ...] = (
    *(_of_topics, _of_growth, _of_pools, _of_passages, _of_elemental, _of_specificity),
    *(_of_sizes, _of_entries, _of_times, _of_agreement),
)
