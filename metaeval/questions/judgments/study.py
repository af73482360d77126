"""What if we judge less, and can new systems be evaluated fairly? From runs and judgments to all the answers."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, NamedTuple, TypedDict

import pandas as pd

from metaeval.base.checks import check_choice, check_count, check_kind, check_number
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.results import Figure
from metaeval.collection.base import Rounds
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.scoring import metric_values, note_on_grades, resolve_metrics, topic_notes
from metaeval.questions.judgments.study_analyses import (
    NewSystems,
    Pools,
    default_sizes,
    less_judging,
    new_systems,
    shallower_pools,
)
from metaeval.resampling.completions import CompletionBounds, bounds_where_possible
from metaeval.resampling.coverage import Coverage, RunDepths
from metaeval.resampling.effort import CostModel, GrowthRule, check_growth, cost_model
from metaeval.resampling.effort_plans import EffortPlans, rank_by_effort
from metaeval.resampling.group_changes import left_out_changes, left_out_summary
from metaeval.resampling.judgments import check_steps
from metaeval.resampling.leave_out import GroupsLeftOut
from metaeval.resampling.options import check_test
from metaeval.resampling.pool_depths import check_reach, check_rounds, lists_relevant_only, refuse_unknown_pool
from metaeval.resampling.pools import OriginalPool, PoolGrowth, original_pool, with_judged_pool
from metaeval.resampling.reductions import REDUCTIONS, unknown_order
from metaeval.resampling.rescoring import FEWEST
from metaeval.resampling.stability import check_options, measure_stability, relevant_from
from metaeval.resampling.stability_result import THRESHOLD, Stability
from metaeval.resampling.sufficiency import PoolSufficiency
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.workers import crew
from metaeval.studies.study import Attempts, Study
from metaeval.table.scores import as_scores, identical_note, identical_systems

QUESTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "less-judging": ("stratified", "random", "relevant", "order"),
        "shallower-pools": ("share", "size", "reciprocal-rank"),
        "fewer-topics": ("topics",),
        "new-systems": (),
        "effort": (),
    }
)
"""What can be asked, and the reductions that answer it by default."""

QUESTION_OF: Mapping[str, str] = MappingProxyType(
    {name: question for question, names in QUESTIONS.items() for name in names}
    | dict.fromkeys(("depth", "ranks"), "shallower-pools")
)

"""Reduction to the question that it belongs to."""

_EFFORT = "effort"
_TOP, _NO_MATTER = 10, 0.01
"""How deep it is looked for documents that were never judged, where no metric has a cutoff; a share that is no news."""


class UnjudgedTop(NamedTuple):
    """How much of the top of the runs was never judged, in the run of the least and in that of the largest share."""

    top: int
    """As deep as the deepest metric looks."""
    shares: tuple[float, float]
    runs: tuple[str, str]


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgmentsStudy(Study):
    """Result of `metaeval judgments`."""

    reported_by: ClassVar[str] = "metaeval.questions.judgments.page:judgments_report"

    metrics: tuple[str, ...]
    """Names of the metrics, in order."""
    n_systems: int
    n_topics: int
    n_judged: int
    n_relevant: int
    """Of the collection; topics that count in a mean (`JudgedCollection.counted`), and judgments in these."""
    relevant_from: float | None
    """The lowest grade that counts as relevant, by the metrics or ``rel``; None for any above 0."""
    n_groups: int | None
    n_pooled: int | None
    """Groups and pooled runs, where they are known."""
    questions: tuple[str, ...]
    """What was asked (`QUESTIONS`)."""
    stability: Mapping[str, Stability]
    """By reduction."""
    original: OriginalPool | None
    """The pool that was judged, as far as it can be rebuilt."""
    growth: PoolGrowth | None
    """What deeper and deeper pools find."""
    depths: RunDepths | None
    """How deep pools of some sizes reach into the runs."""
    left_out: Mapping[str, GroupsLeftOut]
    """Every group left out: pools that keep their "depth" or their "size", against all judgments; "rebuilt pool",
    against the judgments inside it, where it does not hold them all; and parts of that, such as "20 % of the pool"."""
    sufficiency: PoolSufficiency | None
    """Whether larger pools would change decisions about a group that is left out."""
    covered: Coverage | None
    """How much of the runs outside the pool is judged."""
    effort: EffortPlans | None
    """Where to spend effort."""
    completions: CompletionBounds | None
    """Which significant pairs hold whatever the unjudged documents are; None where no metric allows to say."""
    identical: tuple[tuple[str, ...], ...]
    """Runs with the same scores under every metric; the first of each is kept, the others still build the pool."""
    cost: CostModel
    """Minutes for a relevant and for another document."""
    min_tau: float
    """The tau to keep."""
    alpha: float
    """Level of the tests."""
    unanswered: Mapping[str, str]
    """Parts that could not be answered for this collection, and why."""
    notes: tuple[str, ...]
    """What was assumed or could not be done as asked."""
    provenance: Provenance
    """What produced the study."""
    unjudged: UnjudgedTop | None = None
    """None where next to nothing was left unjudged, or where judgments do not tell."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a reduction, metric and step: the table "stability" of `tables`."""
        return self.table("stability")

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return every table of the answer by name, long and at full precision.

        "stability" (see `Stability.to_frame`, with ``hours`` of judging), "thresholds", "between_metrics" (see
        `Stability.between_metrics`), "closeness", "pool" (one row a topic), "pool_growth", "pool_growth_topics",
        "critical_depths" (Figure 6 of Pal et al.), "run_depths", "left_out" (one row a rule, metric and run),
        "left_out_summary",
        "left_out_changes" (Tables 8 and 9 of Pal et al.), "left_out_groups", "pool_sufficiency", "pool_verdicts" (its
        3 x 3 tables), "coverage", "effort",
        "completions", "completion_pairs", "adaptive" and "adaptive_topics"; only those that were asked for and
        could be answered.
        """
        return {name: frame.copy() for name in self._makers if (frame := self._made(name)) is not None}

    def table(self, name: str) -> pd.DataFrame:
        """Return one of the `tables`, without making the others; an empty one where it could not be answered."""
        frame = self._made(name)
        return pd.DataFrame() if frame is None else frame.copy()

    def _made(self, name: str) -> pd.DataFrame | None:
        """Return a table, made once: a report asks for some of them many times."""
        if name not in self._known:
            self._known[name] = self._makers[name]()
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, pd.DataFrame | None]:
        return {}

    @property
    def _makers(self) -> dict[str, Callable[[], pd.DataFrame | None]]:
        return {
            "stability": lambda: self._together(lambda stability: self._with_hours(stability.to_frame()), named=False),
            "thresholds": lambda: self._together(lambda stability: stability.thresholds(min_tau=self.min_tau)),
            "between_metrics": self._between_metrics,
            "closeness": self._closeness,
            "pool": lambda: None if self.original is None else self.original.to_frame(),
            "pool_growth": lambda: None if self.growth is None else self.growth.means().reset_index(),
            "pool_growth_topics": lambda: None if self.growth is None else self.growth.by_topic(),
            "critical_depths": lambda: None if self.growth is None else self.growth.topics(),
            "run_depths": lambda: None if self.depths is None else self.depths.to_frame(),
            "left_out": lambda: self._left_out(lambda left_out: left_out.tests()),
            "left_out_summary": lambda: self._left_out(partial(left_out_summary, alpha=self.alpha)),
            "left_out_changes": lambda: self._left_out(left_out_changes),
            "left_out_groups": lambda: self._left_out(lambda left_out: left_out.groups.reset_index()),
            "pool_sufficiency": lambda: None if self.sufficiency is None else self.sufficiency.to_frame(),
            "pool_verdicts": lambda: None if self.sufficiency is None else self.sufficiency.verdicts(),
            "coverage": lambda: None if self.covered is None else self.covered.to_frame(),
            "effort": lambda: None if self.effort is None else self._with_hours(self.effort.to_frame()),
            "completions": lambda: None if self.completions is None else self.completions.to_frame(),
            "completion_pairs": lambda: None if self.completions is None else self.completions.pairs(),
            "adaptive": lambda: None if self.effort is None else self.effort.adaptive_table,
            "adaptive_topics": lambda: (
                None if self.effort is None or self.effort.adaptive is None else self.effort.adaptive.to_frame()
            ),
        }

    def _draw(self, name: str | None = None, *, measure: str = "tau") -> Figure:
        """Draw the correlation with the full ranking against the judgments left, a panel for every reduction.

        `name` asks for another picture of the report, as `Study.plot` does.
        """
        if name is not None or not self.stability:
            return Study._draw(self, name)  # noqa: SLF001 - its own
        from metaeval.figures.judgments import reduction_panels  # noqa: PLC0415 - matplotlib

        return reduction_panels(self.to_frame(), measure=measure, min_tau=self.min_tau)

    def _with_hours(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(hours=self.cost.hours(frame["relevant"], frame["judged"] - frame["relevant"]))

    def _between_metrics(self) -> pd.DataFrame | None:
        """Compare the metrics' rankings under all judgments, or under the rebuilt pool where only pools shrink."""
        ordered = sorted(self.stability.values(), key=lambda stability: stability.closeness is not None)
        return ordered[0].between_metrics() if ordered else None

    def _closeness(self) -> pd.DataFrame | None:
        return next(
            (stability.closeness for stability in self.stability.values() if stability.closeness is not None), None
        )

    def _together(self, table: Callable[[Stability], pd.DataFrame], *, named: bool = True) -> pd.DataFrame | None:
        if not self.stability:
            return None
        parts = [table(stability).assign(reduction=name) for name, stability in self.stability.items()]
        frame = pd.concat(parts, ignore_index=True)
        return frame[["reduction", *frame.columns.drop("reduction")]] if named else frame

    def _left_out(self, table: Callable[[GroupsLeftOut], pd.DataFrame]) -> pd.DataFrame | None:
        if not self.left_out:
            return None
        parts = [
            table(groups).assign(keep=groups.keep, baseline=groups.baseline, pool_share=groups.pool_share)
            for groups in self.left_out.values()
        ]
        frame = pd.concat(parts, ignore_index=True)
        first = ["keep", "baseline", "pool_share"]
        return frame[[*first, *frame.columns.drop(first)]]


def study_judgments(  # noqa: PLR0913 - every option of the command
    collection: JudgedCollection,
    metrics: object,
    *,
    questions: Sequence[str] | None = None,
    reductions: Sequence[str] | None = None,
    steps: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    depths: Sequence[int] | None = None,
    n_replicates: int = 10,
    n_tested: int = 5,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    choose: str | int = "all",
    ranked: str | int = "all",
    rel: float | None = None,
    min_tau: float = THRESHOLD,
    top: int = 10,
    pool_depth: int | None = None,
    judged_pool_size: int | Mapping[str, int] | None = None,
    pool_runs: Iterable[str] = (),
    pool_shares: Sequence[float] = (),
    rounds: Rounds = "documents",
    cost: str | CostModel = "2006",
    adaptive_start: int = 5,
    adaptive_step: int = 5,
    adaptive_rate: float = 0.05,
    adaptive_budget: int | None = None,
    rng: RNGLike = None,
    n_jobs: int | None = None,
    keep: str | Path | None = None,
    budget: float | None = None,
    registry: Registry | None = None,
    provenance: Provenance | None = None,
) -> JudgmentsStudy:
    """Test what fewer judgments would change, whether new systems are evaluated fairly, and how to spend effort.

    Parameters
    ----------
    collection : JudgedCollection
        Pools (all questions but "less-judging" and "fewer-topics") need every retrieved document
        (``retrieved="all"``); new systems need groups.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
    questions : sequence of str, optional
        Of `QUESTIONS`; by default all that the collection allows. One that is named and cannot be answered is an
        error.
    reductions : sequence of str, optional
        Ways to judge less (`metaeval.resampling.reductions.REDUCTIONS`), in place of those that the questions stand
        for. Without `questions` they alone are asked about.
    steps : sequence of float, optional
        For reductions counted in %; the published ones by default.
    sizes : sequence of int, optional
        For reductions and pools counted in documents a topic; by default the published 50 to 500 as far as the
        original pool reaches, or parts of its size.
    depths : sequence of int, optional
        Ask about pools of the top documents of every pooled run down to each of these depths (the reduction "ranks");
        unless questions or reductions are named, about nothing else.
    n_replicates : int, default 10
        Draws at every step.
    n_tested, test, correction, alpha, n_resamples, choose, ranked, rel, top, n_jobs, keep, budget
        See `measure_stability`. The budget is for all reductions and the replicates of "effort" together; what draws
        nothing is always done in full. `alpha` is also the level of the t tests of runs without their group and of
        pool sufficiency.
    min_tau : float, default 0.9
        The tau to keep.
    pool_depth : int, optional
        Depth to which the pooled runs were pooled, where it is known.
    judged_pool_size : int or mapping of topic to int, optional
        Documents that were judged for a topic, where the judgments do not say it; those that list relevant documents
        only need it, or the depth. See `metaeval.resampling.pools.with_judged_pool`.
    pool_runs : iterable of str, optional
        Runs of the collection that built the pool and are not scored.
    pool_shares : sequence of float, optional
        Groups are also left out of pools that hold so many percent of the documents of the rebuilt pool.
    rounds : {"documents", "results"}
        What each run adds to pools of `sizes` in a round (pool sufficiency, depths and coverage): its next document, or
        the document of its next result, as at INEX 2005 and 2006. Of runs of documents both are the same.
    cost : str or CostModel, default "2006"
        Minutes for a relevant and another document: those of a year of INEX, or your own.
    adaptive_start, adaptive_step, adaptive_rate, adaptive_budget
        How adaptive pools grow: see `metaeval.resampling.effort.adaptive_depth`.
    rng : None, int or numpy.random.Generator
        Every part starts from the same seed, so that its result does not depend on which others are asked.
    registry : Registry, optional
        Where metric names are looked up.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    JudgmentsStudy
        One row a ``reduction``, ``metric`` and ``step`` in ``to_frame()``, with its ``unit``: what was ``left``; means
        over ``n_replicates`` of ``judged``, ``relevant``, ``topics`` and ``emptied`` with ``judged_share`` and
        ``relevant_share``; ``tau``, ``tau_ap``, ``rho`` and ``rbo`` with all systems and with the best ones
        (``_best``), ``tau_p_value`` and how many are ``undefined``; mean ``score`` and ``power`` beside ``score_full``
        and ``power_full``; pairs ``found``, ``contradicted`` (and ``contradicted_share``) and ``reversed``;
        ``difference_required`` beside ``difference_required_full``. ``hours`` of judging where a cost is known. ``_se``
        is the standard error over replicates, NaN with one.

    Raises
    ------
    UnknownNameError
        For a question, reduction, metric or test that is not known.
    InvalidOptionError
        If an option is outside its rule, or a question is asked that the collection cannot answer.
    EstimationError
        If there are fewer than two runs, or no topic with something relevant.

    See Also
    --------
    metaeval.questions.topics.study.study_topics
    metaeval.io.trec.read_collection

    References
    ----------
    .. [1] Pal, Mitra and Kamps (2010). :doi:`10.1002/asi.21403`
    .. [2] Sakai and Kando (2008). :doi:`10.1007/s10791-008-9059-7`
    .. [3] Piwowarski, Trotman and Lalmas (2008). :doi:`10.1145/1416950.1416951`

    Examples
    --------
    >>> from metaeval import simulate_collection
    >>> simulated = simulate_collection(n_groups=3, runs_per_group=2, n_topics=12, n_documents=300, depth=50, rng=1)
    >>> study = study_judgments(simulated.to_collection(), ["AP"], questions=["fewer-topics"], steps=[100], rng=1)
    >>> study.to_frame()[["reduction", "metric", "step", "tau"]]
      reduction metric   step  tau
    0    topics     AP  100.0  1.0
    """
    check_kind(collection, "collection", "JudgedCollection")
    chosen_cost = cost_model(cost)
    check_number(min_tau, "min_tau", above=-1, most=1)
    collection, judged_notes = with_pool(collection.set_aside(pool_runs), judged_pool_size, pool_depth)
    documents = collection.by_document
    if depths is not None:
        check_steps(REDUCTIONS["ranks"], depths)
        reductions = reductions or (None if questions else ["ranks"])
    ways = None if reductions is None else _reductions(reductions, (), {}, documents)
    wanted, unanswered = _asked(documents, questions, ways, pool_depth)
    check_options(documents, n_replicates=n_replicates, n_tested=n_tested, top=top, alpha=alpha, budget=budget)
    check_test(test, correction)
    crew(n_jobs)  # refuses what is no number of workers
    rule = check_growth(GrowthRule(adaptive_start, adaptive_step, adaptive_rate, adaptive_budget))
    _check_sizes(sizes, pool_shares, pool_depth, steps)
    end = None if budget is None else time.monotonic() + budget
    own_metrics, seed = resolve_metrics(metrics, registry=registry), resolve_seed(rng)
    collection, identical = different_runs(collection, own_metrics)
    documents = collection.by_document
    rebuilt = documents.retrieved is not None and not unknown_pool(documents, pool_depth)
    original = original_pool(collection, pool_depth=pool_depth) if rebuilt else None
    pools = tuple(sizes) if sizes is not None else default_sizes(original)
    of_sizes: Pools = {"sizes": pools, "rounds": check_rounds(rounds)}
    names = _reductions(reductions, wanted, unanswered, documents)
    names = names if depths is None else ["ranks", *(name for name in names if name != "ranks")]
    steps_of = {name: {"%": steps, "ranks": depths}.get(REDUCTIONS[name].unit, pools) for name in names}
    measure = partial(measure_stability, collection, own_metrics, n_tested=n_tested, test=test, correction=correction)
    measure = partial(measure, alpha=alpha, n_resamples=n_resamples, choose=choose, ranked=ranked, rel=rel, top=top)
    measure = partial(measure, n_replicates=n_replicates, pool_depth=pool_depth, rng=seed, n_jobs=n_jobs, keep=keep)
    stability = less_judging(measure, steps_of, end, in_turn=_EFFORT in wanted)
    attempt = Attempts(EstimationError, InvalidOptionError)
    attempt.failed |= unanswered
    grown, reached = shallower_pools(collection, original, of_sizes) if "shallower-pools" in wanted else (None, None)
    leave = partial(new_systems, collection, own_metrics, of_sizes, attempt, pool_depth=pool_depth, alpha=alpha)
    leave = partial(leave, holds_all=original is None or not original.n_outside, pool_shares=pool_shares)
    new = leave() if "new-systems" in wanted else NewSystems()
    spend = partial(rank_by_effort, collection, own_metrics, seed, chosen_cost, growth=rule, steps=steps, deadline=end)
    spend = partial(spend, n_replicates=n_replicates, pool_depth=pool_depth, n_jobs=n_jobs, keep=keep)
    effort = attempt("where to spend effort", spend) if _EFFORT in wanted else None
    study = JudgmentsStudy(
        metrics=tuple(metric.name for metric in own_metrics),
        n_systems=documents.n_systems,
        **_counts(documents, relevant_from(documents, own_metrics, rel)),
        questions=wanted,
        stability=MappingProxyType(stability),
        original=original if {"shallower-pools", "new-systems", _EFFORT} & {*wanted} else None,
        growth=grown,
        depths=reached,
        **new._asdict(),
        effort=effort,
        completions=bounds_where_possible(collection, own_metrics, correction=correction or "fdr_by", alpha=alpha),
        identical=identical,
        cost=chosen_cost,
        min_tau=float(min_tau),
        alpha=float(alpha),
        unanswered=MappingProxyType(attempt.failed),
        notes=(),
        provenance=provenance or record_provenance("study_judgments", random_source=f"seed {seed}"),
    )
    return _with_notes(study, documents, own_metrics, judged_notes)


class _JudgmentCounts(TypedDict):
    """As `JudgmentsStudy` has them."""

    n_topics: int
    n_judged: int
    n_relevant: int
    relevant_from: float | None
    n_groups: int | None
    n_pooled: int | None


def _counts(documents: Collection, lowest: float | None) -> _JudgmentCounts:
    """Count topics that count, and in these the judged documents and those of the lowest relevant grade or a higher."""
    counted = documents.counted
    inside = counted[documents.topic_of_judgment]
    relevant = documents.levels >= documents.level_from(lowest)
    return {
        "n_topics": int(counted.sum()),
        "n_judged": int((documents.judged & inside).sum()),
        "n_relevant": int((relevant & inside).sum()),
        "relevant_from": lowest,
        "n_groups": None if documents.groups is None else len(set(documents.groups)),
        "n_pooled": None if documents.pooled is None else int(documents.pooled.sum()),
    }


def _check_sizes(
    sizes: Sequence[int] | None, pool_shares: Sequence[float], pool_depth: int | None, steps: Sequence[float] | None
) -> None:
    check_steps(REDUCTIONS["share"], pool_shares or None)
    for size in sizes or ():
        check_count(size, "every one of `sizes`")
    if pool_depth is not None:
        check_reach(pool_depth, "pool_depth")
    if steps is not None:
        check_steps(REDUCTIONS["topics"], steps)


def _asked(
    collection: Collection, questions: Sequence[str] | None, ways: Sequence[str] | None, pool_depth: int | None
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the questions that can be answered; one that was named and cannot be is an error.

    Where reductions alone are named, the questions are those that they belong to.
    """
    if isinstance(questions, str):
        questions = [questions]
    for name in questions or ():
        check_choice(name, "question", QUESTIONS)
    if questions is not None and not questions:
        raise InvalidOptionError(f"`questions` is empty; name some of {', '.join(QUESTIONS)}")
    reason = unknown_pool(collection, pool_depth)
    if collection.retrieved is None:
        reason = "the collection was read without documents that have no judgment; read it with `retrieved='all'`"
    lacking = dict.fromkeys(("shallower-pools", "new-systems", _EFFORT), reason) if reason else {}
    if collection.groups is None:
        lacking["new-systems"] = "the runs have no groups (teams) to leave out; name each run's group (`groups`)"
    among = QUESTIONS if ways is None else {QUESTION_OF[name] for name in ways}
    wanted = tuple(name for name in QUESTIONS if name in (among if questions is None else questions))
    refused = {name: lacking[name] for name in wanted if name in lacking}
    if questions is not None and refused:
        name, reason = next(iter(refused.items()))
        raise InvalidOptionError(f"the question {name!r} cannot be answered: {reason}")
    return tuple(name for name in wanted if name not in refused), refused


def _reductions(
    reductions: Sequence[str] | None, asked: Iterable[str], unanswered: dict[str, str], collection: Collection
) -> list[str]:
    if reductions is None:
        names = [name for question in asked for name in QUESTIONS[question]]
        if "order" in names and (nameless := unknown_order(collection)):
            names.remove("order")
            unanswered["an assessor who stops early"] = nameless
        return names
    names = [reductions] if isinstance(reductions, str) else list(dict.fromkeys(reductions))
    for name in names:
        check_choice(name, "reduction", REDUCTIONS)
    return names


def _with_notes(
    study: JudgmentsStudy, collection: Collection, metrics: Sequence[AnyMetric], before: Sequence[str]
) -> JudgmentsStudy:
    """Return the study with what was never judged, and its notes behind those of reading."""
    study = replace(study, unjudged=_unjudged_top(collection, metrics))
    return replace(study, notes=(*before, *_notes(study, collection, metrics)))


def _notes(study: JudgmentsStudy, collection: Collection, metrics: Sequence[AnyMetric]) -> tuple[str, ...]:
    """Put together what every part had to say, each thing once."""
    parts = [*study.stability.values(), *study.left_out.values(), study.sufficiency, study.effort]
    notes = [note for answer in parts if answer is not None for note in answer.notes]
    dropped = [name for group in study.identical for name in group[1:]]
    notes = [
        note + " (they still build the pool)" for note in identical_note(dropped, study.n_systems + len(dropped))
    ] + notes
    if study.original is not None and collection.pooled is None:
        notes.append("no run is marked as pooled, so all of them count as pooled (`pooled` marks those that were)")
    if study.relevant_from not in {1, None} and (study.original is not None or study.left_out):
        notes.insert(0, "in what is said of pools and groups, relevant are documents of any grade above 0")
    notes = [*topic_notes(collection, metrics), *note_on_grades(collection, metrics), *notes]
    return tuple(dict.fromkeys([*_unjudged_note(study.unjudged), *notes]))


def _unjudged_top(collection: Collection, metrics: Sequence[AnyMetric]) -> UnjudgedTop | None:
    """Return how much of the top of the runs, as deep as the deepest metric looks, was never judged."""
    cutoffs = [dict(metric.parameters).get("k") for metric in metrics if isinstance(metric, Metric)]
    top = max((int(k) for k in cutoffs if k is not None), default=_TOP)
    shares = pd.Series(collection.unjudged_share(top), collection.systems).dropna()
    if lists_relevant_only(collection) or shares.empty or shares.max() < _NO_MATTER:
        return None
    return UnjudgedTop(top, (shares.min(), shares.max()), (str(shares.idxmin()), str(shares.idxmax())))


def _unjudged_note(unjudged: UnjudgedTop | None) -> list[str]:
    if unjudged is None:
        return []
    ends = [f"{100.0 * share:.1f} % ({run})" for share, run in zip(unjudged.shares, unjudged.runs, strict=True)]
    return [f"never judged: {' to '.join(dict.fromkeys(ends))} of a run's top {unjudged.top} documents"]


def with_pool(
    collection: JudgedCollection, size: int | Mapping[str, int] | None, pool_depth: int | None
) -> tuple[JudgedCollection, list[str]]:
    """Count as judged what the judgments leave out, where the pool's size or depth tells, and say what was done."""
    if size is not None and pool_depth is not None:
        raise InvalidOptionError("`judged_pool_size` and `pool_depth` both say what was judged; give one of them")
    before = collection.by_document
    only = lists_relevant_only(before)
    if size is not None or (pool_depth is not None and only and before.retrieved is not None):
        collection = with_judged_pool(collection, size=size, pool_depth=None if size is not None else pool_depth)
        if added := collection.by_document.n_judgments - before.n_judgments:
            words = (
                f"the judgments list relevant documents only ({before.n_judgments:,}): {added:,} documents without a "
                "line, in the pools of the runs, count as judged and not relevant"
            )
            return collection, [words]
    elif only:
        words = (
            "the judgments list relevant documents only, so counts, shares and hours of judged documents leave out all "
            "that were judged and not relevant; `judged_pool_size` says how many documents a topic were judged"
        )
        return collection, [words]
    return collection, []


def unknown_pool(collection: Collection, pool_depth: int | None) -> str:
    """Say why the pool that was judged cannot be known, if it cannot."""
    try:
        if pool_depth is None:
            refuse_unknown_pool(collection)
    except InvalidOptionError as error:
        return str(error)
    return ""


def different_runs(
    collection: JudgedCollection, metrics: tuple[AnyMetric, ...]
) -> tuple[JudgedCollection, tuple[tuple[str, ...], ...]]:
    """Leave out runs with the scores of another one under every metric, but not out of the pool."""
    values = metric_values(collection, metrics)[:, :, collection.by_document.counted]
    names = [metric.name for metric in metrics]
    groups = identical_systems(as_scores(values, metrics=names, systems=list(collection.systems), fewest=1))
    dropped = [name for group in groups for name in group[1:]]
    if collection.n_systems - len(dropped) < FEWEST:
        return collection, ()  # nothing could be ranked; all runs tie, and that is shown
    return collection.set_aside(dropped), groups
