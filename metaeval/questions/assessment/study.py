"""What assessors of focused retrieval did, by the analyses of Piwowarski, Trotman and Lalmas (2008)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice, check_count, check_kind
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.collection.base import Rounds
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.inex.articles import Articles, highlighted_elements, place_passages
from metaeval.inex.assessed_pools import POOL_SIZES, GrowthCurves, new_run_coverage, pool_coverage
from metaeval.inex.assessment_tables import ELEMENT_CLASSES, AssessmentTables, LackingError
from metaeval.inex.assessment_times import assessment_times
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.assessor_agreement import document_agreement, element_agreement, passage_agreement
from metaeval.inex.assessor_behaviour import assessor_cycles, assessor_steps
from metaeval.inex.power_law import fit_power_law
from metaeval.questions.assessment.study_figures import AssessmentStudy
from metaeval.resampling.effort import CostModel, cost_model

_MINUTE = 60.0


def study_assessment(  # noqa: PLR0913 - one keyword per source
    assessments: Assessments,
    *,
    submissions: Iterable[Submission] = (),
    new: Iterable[Submission] = (),
    pools: pd.DataFrame | None = None,
    second: Assessments | None = None,
    log: pd.DataFrame | None = None,
    sizes: pd.DataFrame | None = None,
    articles: Articles | None = None,
    classes: Mapping[str, Sequence[str]] = ELEMENT_CLASSES,
    pool_sizes: Sequence[int] = POOL_SIZES,
    rounds: Rounds = "results",
    added: int = 100,
    cost: str | CostModel | None = None,
    longest_break: float = 600.0,
    lenient: bool = False,
    provenance: Provenance | None = None,
) -> AssessmentStudy:
    """Analyse assessments as Piwowarski, Trotman and Lalmas (2008) did for INEX.

    Parameters
    ----------
    assessments : Assessments
        Of any scale; what it does not hold is said in `lacking`.
    submissions : iterable of Submission, optional
        The runs that were pooled, for the growth of the pools.
    new : iterable of Submission, optional
        Runs that were not pooled: how many of their results pools of documents, and of elements, hold.
    pools : pandas.DataFrame, optional
        Columns ``topic`` and ``document``, as `metaeval.inex.read_pool` returns.
    second : Assessments, optional
        By another assessor of some of the topics.
    log : pandas.DataFrame, optional
        Columns ``topic``, ``document`` and either ``seconds`` (spent on it; several rows add up) or ``time`` (of an
        action, in seconds or as a date): then the time to the topic's next action counts for the document. With
        ``action`` and ``place`` also in which order assessors worked; see `metaeval.inex.read_assessment_log`.
    sizes : pandas.DataFrame, optional
        Columns ``document``, ``path``, ``size``, for elements whose size the assessments do not say.
    articles : Articles, optional
        The documents, such as a `metaeval.inex.ArticleFolder`: they turn passages, best entry points and places of the
        log that are points in a tree (2005, 2006) into characters.
    classes : mapping of str to sequence of str
        Tags of each class of elements; specificity is compared with that of the last one.
    pool_sizes : sequence of int
        Of the pools that are asked what they hold of the new runs.
    rounds : {"results", "documents"}
        What each run adds to the pool in a round: the document of its next result, as at INEX, or its next document;
        see `metaeval.inex.pool_growth`.
    added : int, default 100
        Documents by which pools might grow, for the cost of that.
    cost : str or CostModel, optional
        Minutes for a relevant and another document; by default the means of the log, without one those of INEX 2006.
    longest_break : float, default 600
        A longer time between two actions of a log is a break and does not count.
    lenient : bool, default False
        Whether passages that their articles do not have are an error, or left out with a note.
    provenance : Provenance, optional

    Returns
    -------
    AssessmentStudy
        ``to_frame()`` has one row a ``question`` and ``statistic`` with its ``value``; the attributes hold each
        question's own table, None where `lacking` says what is missing.

    Raises
    ------
    InvalidOptionError
        If no document was assessed, `log`, `pools` or `sizes` lack a column, or `added` is below 1.
    UnknownNameError
        For another year of `cost`, or other `rounds`.
    FileFormatError
        If an article is missing, or does not have a point that somebody marked.

    See Also
    --------
    metaeval.questions.reliability.study.study_reliability
    metaeval.questions.judges.study.study_judges

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
    >>> study = study_assessment(judged)
    >>> study.passages["documents"].tolist(), study.entries["first"].tolist()
    ([1], [-5.0])
    """
    check_kind(assessments, "assessments", "Assessments")
    if assessments.documents.empty:
        raise InvalidOptionError(f"{assessments.source or 'the assessments'} hold no assessed document")
    view = AssessmentTables.of(assessments, sizes)
    lacking: list[str] = []
    notes = [*assessments.notes, *view.doubts()]

    def asked(question: str, answer: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        try:
            return answer()
        except LackingError as error:
            lacking.append(f"{question}: {error}")
            return pd.DataFrame()

    check_count(added, "added")
    check_choice(rounds, "kind of rounds", get_args(Rounds))
    model = None if cost is None else cost_model(cost)
    placed = assessments if articles is None else place_passages(assessments, articles, lenient=lenient)
    again = second if second is None or articles is None else place_passages(second, articles, lenient=lenient)
    notes += [*placed.notes[len(assessments.notes) :], *(again.notes if again is not None else ())]
    runs, others = list(submissions), list(new)
    curves: list[GrowthCurves] = []

    def growth() -> pd.DataFrame:
        curves.append(GrowthCurves.of(view, runs, rounds=rounds))
        return curves[0].table()

    grown = asked("Pool growth", growth)
    times = asked("Assessment time", lambda: assessment_times(view, log, longest_break, notes))
    return AssessmentStudy(
        scale=assessments.scale,
        rounds=rounds,
        topics=view.topics(),
        growth=grown,
        per_document=curves[0].per_document() if curves else pd.DataFrame(),
        beyond=_cost_beyond(curves[0], view, model or _logged_cost(times), added) if curves else pd.DataFrame(),
        new_runs=asked("Coverage of new runs", lambda: _new_runs(runs, others, pool_sizes, rounds)),
        pools=asked("Coverage of the pools", lambda: pool_coverage(view, pools)),
        passages=asked("Passages per document", view.passages_per_document),
        power_law=asked("Passages per document", lambda: fit_power_law(view.passage_counts())),
        elemental=asked("Elemental passages", view.elemental),
        specificity=asked("Specificity of elements", lambda: view.specificity(classes)),
        classes=asked("Specificity of elements", lambda: view.specificity_of_classes(classes)),
        sizes=asked("Exhaustivity and size", view.sizes_by_exhaustivity),
        entries=asked("Best entry points", AssessmentTables.of(placed, sizes).entries),
        times=times,
        complete=asked("Complete assessments", lambda: _completed_elements(placed, articles)),
        steps=asked("Order of work", lambda: assessor_steps(log, articles, notes)),
        cycles=asked("Order of work", lambda: assessor_cycles(log)),
        document_agreement=asked("Agreement on documents", lambda: _second_agreement(assessments, second, "documents")),
        element_agreement=asked("Agreement on elements", lambda: _second_agreement(assessments, second, "elements")),
        passage_agreement=asked("Agreement on passages", lambda: _second_agreement(placed, again, "passages")),
        lacking=tuple(dict.fromkeys(lacking)),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_assessment"),
    )


def _completed_elements(placed: Assessments, articles: Articles | None) -> pd.DataFrame:
    if placed.passages.empty or placed.elements.empty:
        raise LackingError("the assessments do not hold both passages and elements")
    if articles is None:
        raise LackingError("give the documents, which say what lies in a passage")
    return highlighted_elements(placed, articles)


def _second_agreement(first: Assessments, second: Assessments | None, kind: str) -> pd.DataFrame:
    if second is None:
        raise LackingError("give the assessments of a second assessor")
    if any(getattr(assessments, kind).empty for assessments in (first, second)):
        raise LackingError(f"the assessments hold no {kind}")
    if kind == "passages" and any((assessments.passages["offset"] < 0).any() for assessments in (first, second)):
        message = "passages are given by points in the tree; give the documents, and their characters can be compared"
        raise LackingError(message)
    compare = {"documents": document_agreement, "elements": element_agreement, "passages": passage_agreement}
    try:
        return compare[kind](first, second)
    except ScoresError as error:
        raise LackingError(str(error)) from None


def _new_runs(runs: list[Submission], others: list[Submission], sizes: Sequence[int], rounds: Rounds) -> pd.DataFrame:
    if not runs or not others:
        raise LackingError("give the runs that were pooled, and runs that were not")
    return new_run_coverage(runs, others, sizes=sizes, rounds=rounds)


def _logged_cost(times: pd.DataFrame) -> CostModel:
    """Return the mean minutes of a log, if it has documents of both kinds."""
    minutes = times.groupby("relevant")["seconds"].mean() / _MINUTE if len(times) else pd.Series(dtype=np.float64)
    return CostModel(*minutes.sort_index(ascending=False)) if len(minutes) == 2 else cost_model("2006")  # noqa: PLR2004 - both


def _cost_beyond(curves: GrowthCurves, view: AssessmentTables, rates: CostModel, added: int) -> pd.DataFrame:
    """Return the cost of a larger pool; a log of times says what the present one takes, else the rates."""
    projection = curves.beyond(added)
    relevant = {name: float(projection[name]["relevant"]) for name in ("expected", "low", "high")}
    present = view.documents.groupby("topic")["relevant"].agg(["sum", "size"]).mean()
    hours, *ends = (rates.hours(relevant[name], added - relevant[name]) for name in ("expected", "low", "high"))
    row = {
        "pool": present["size"],
        "added": added,
        "relevant": relevant["expected"],
        "low": relevant["low"],
        "high": relevant["high"],
        "passages": projection["expected"].get("passages", np.nan),
        "hours": hours,
        "hours_low": min(ends),
        "hours_high": max(ends),
        "hours_now": rates.hours(float(present["sum"]), float(present["size"] - present["sum"])),
        "minutes_relevant": rates.minutes_relevant,
        "minutes_other": rates.minutes_other,
    }
    return pd.DataFrame([row])
