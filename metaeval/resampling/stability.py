"""How much do conclusions change with fewer judgments: one way to judge less, step by step, replicate by replicate.

Every replicate reduces the judgments with its own seed, scores all runs again and keeps their mean scores (and, for
some replicates, which pairs differ significantly). Everything else here follows from these.
"""

import time
from collections.abc import Sequence
from dataclasses import fields
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.agreement.ranking_pairs import best_of_reference
from metaeval.agreement.rankings import CORRELATIONS, kendall_p_value
from metaeval.base import checks
from metaeval.base.arrays import Floats
from metaeval.base.names import name_order
from metaeval.collection.base import is_judged
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.collection.grades import grade_values
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.resampling.judgments import check_steps
from metaeval.resampling.options import check_test
from metaeval.resampling.pools import original_pool
from metaeval.resampling.reductions import REDUCTIONS, Reduction
from metaeval.resampling.replicates import (
    Arrays,
    ReplicateStore,
    all_compiled,
    compiled_arrays,
    map_replicates,
    replicate_store,
)
from metaeval.resampling.rescoring import (
    FEWEST,
    PairDecisions,
    PairTest,
    Plan,
    replicate_of_arrays,
    replicate_of_collection,
    verdicts,
)
from metaeval.resampling.stability_result import FOUND, Stability
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import settled_means
from metaeval.running.parallel import limit_threads
from metaeval.running.workers import crew
from metaeval.table.scores import as_scores, select_runs
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.counting import check_resamples


def measure_stability(  # noqa: PLR0913 - every option of the study
    collection: JudgedCollection,
    metrics: object,
    *,
    reduction: str = "stratified",
    steps: Sequence[float] | None = None,
    n_replicates: int = 10,
    n_tested: int = 5,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    choose: str | int = "all",
    ranked: str | int = "all",
    rel: float | None = None,
    top: int = 10,
    pool_depth: int | None = None,
    rng: RNGLike = None,
    n_jobs: int | None = None,
    keep: str | Path | None = None,
    budget: float | None = None,
    registry: Registry | None = None,
) -> Stability:
    r"""Measure how rankings, mean scores and significant differences change when fewer documents are judged.

    Parameters
    ----------
    collection : JudgedCollection
        Its current levels are the full judgments. Documents are reduced; a document's elements or passages go or stay
        with it.
    metrics : sequence of str, MetricSpec, Metric or ir_measures measure
    reduction : str
        One of `metaeval.resampling.reductions.REDUCTIONS`.
    steps : sequence of float, optional
        In the reduction's unit; the published ones by default.
    n_replicates : int, default 10
        Draws at every step; a reduction that draws nothing has one replicate.
    n_tested : int, default 5
        Replicates on which every pair of systems is tested at every step.
    test, correction, alpha, n_resamples
        See `metaeval.compare_systems`. "bootstrap_sensitivity" gives the difference required too.
    choose, ranked : {"all", "one-per-group"} or int
        Which systems' pairs are tested, and which systems are ranked (and averaged over); see
        `metaeval.table.scores.select_runs`. The paper tests one run a team and ranks 30 runs.
    rel : float, optional
        Lowest level that counts as relevant where judgments are drawn and counted; by default the lowest ``rel=``
        among the metrics that have one (graded metrics have none), else 1, or any above 0 where grades are
        real-valued.
    top : int, default 10
        The correlations are also taken among so many best systems of the full ranking.
    pool_depth : int, optional
        Depth of the original pool, where it is known.
    rng : None, int or numpy.random.Generator
        Each replicate draws from its own seed, so more replicates, steps or reductions leave the others as they are.
    n_jobs : int, optional
        Workers: threads, or processes where a metric is not compiled (a plug-in in Python, a measure from
        elsewhere). By default those, or the backend, that ``joblib.parallel_config`` names around the call, else
        none. The result does not depend on it.
    keep : path, optional
        Folder for finished replicates: a study that was cut off goes on from there.
    budget : float, optional
        Seconds after which no further replicate is begun (two always are); the result says how many there are.
    registry : Registry, optional
        Where metric names are looked up.

    Returns
    -------
    Stability
        One row a ``metric`` and ``step`` (in the ``unit`` of the ``reduction``) in ``to_frame()``: means over
        ``n_replicates``; ``judged_share`` and ``relevant_share`` (0 to 1) are of the full judgments, or of the original
        pool. The others: see `Stability.to_frame`.

    Raises
    ------
    UnknownNameError
        For a reduction, metric or test that is not known.
    InvalidOptionError
        If an option is outside its rule, or the collection lacks what a pool needs.
    EstimationError
        If there are fewer than two runs.

    Notes
    -----
    The topics are those of `metaeval.score` (`JudgedCollection.counted`); one that a reduction leaves with nothing
    relevant scores 0 for every run, and is counted in ``emptied``. Systems whose mean scores are equal up to rounding
    tie (`metaeval.running.equality`).

    References
    ----------
    .. [1] Buckley and Voorhees (2004). Retrieval evaluation with incomplete information. SIGIR.
       :doi:`10.1145/1008992.1009000`
    .. [2] Sakai and Kando (2008), sections 4 to 6. :doi:`10.1007/s10791-008-9059-7`
    .. [3] Pal, Mitra and Kamps (2010). :doi:`10.1002/asi.21403`

    Examples
    --------
    >>> from metaeval import simulate_collection
    >>> simulated = simulate_collection(n_groups=3, runs_per_group=2, n_topics=12, n_documents=300, depth=50, rng=1)
    >>> stable = measure_stability(simulated.to_collection(), ["AP", "P@10"], steps=[100], n_replicates=2, rng=1)
    >>> stable.to_frame()[["metric", "step", "tau", "judged_share"]]
      metric   step  tau  judged_share
    0     AP  100.0  1.0           1.0
    1   P@10  100.0  1.0           1.0
    """
    checks.check_kind(collection, "collection", "JudgedCollection")
    checks.check_choice(reduction, "reduction", REDUCTIONS)
    chosen = REDUCTIONS[reduction]
    documents = collection.by_document
    check_options(documents, n_replicates=n_replicates, n_tested=n_tested, top=top, alpha=alpha, budget=budget)
    alone = crew(n_jobs).alone
    numbers = range(int(n_replicates) if chosen.random else 1)
    check_test(test, correction)
    check_steps(chosen, steps)
    own_metrics = resolve_metrics(metrics, registry=registry)
    counted = documents.counted
    lowest = relevant_from(documents, own_metrics, rel)
    seed = resolve_seed(rng)
    testing = PairTest(
        systems=_chosen(documents, choose, "choose", np.random.default_rng(seed)),
        test=TESTS.find(test).name,
        correction=None if correction is None else CORRECTIONS.canonical(correction),
        alpha=alpha,
        n_resamples=None if n_resamples is None else check_resamples(n_resamples),
    )
    rows = list(_chosen(documents, ranked, "ranked", np.random.default_rng(seed)))
    reference = _Reference.of(documents, chosen, pool_depth, lowest)
    with limit_threads(None if alone else 1):
        values = metric_values(collection.rejudge(reference.levels), own_metrics)[:, :, counted]
    names = documents.systems, [*compress(documents.topics, counted)]
    full = verdicts(values, *names, own_metrics, testing, seed)  # as study_power draws
    plan = Plan(
        systems=documents.systems,
        topics=documents.topics,
        top_level=documents.top_level,
        grades=documents.grades,
        metrics=own_metrics,
        reduction=reduction,
        steps=tuple(sorted(check_steps(chosen, steps))),
        pool_depth=pool_depth,
        counted=counted,
        rel=lowest,
        testing=testing,
        n_tested=int(n_tested),
        full_verdicts=full.better,
    )
    store = None if keep is None else _store(Path(keep), plan, collection, seed)
    bare = chosen.random and isinstance(collection, Collection) and collection.subtopics is None
    done = map_replicates(
        replicate_of_arrays if bare else replicate_of_collection,
        numbers,
        seed=seed,
        name=reduction,
        arguments=(plan, *compiled_arrays(documents)) if bare else (plan, collection),
        store=store,
        complete=lambda number, arrays: number >= plan.n_tested or "found" in arrays,
        n_jobs=n_jobs if chosen.random else 1,
        threads=all_compiled(own_metrics),
        deadline=None if budget is None else time.monotonic() + budget,
        description=f"judging less: {reduction}",
    )
    return _stability(collection, chosen, plan, reference, _Full(settled_means(values)[:, rows], full, rows), done, top)


class _Reference(NamedTuple):
    """What reduced judgments are compared with: the full ones, or the pool that can be rebuilt."""

    levels: NDArray[np.int16]
    n_judged: int
    n_relevant: int
    rebuilt: bool
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, collection: Collection, reduction: Reduction, pool_depth: int | None, rel: float | None
    ) -> "_Reference":
        rebuilt = reduction.needs_retrieved and reduction.unit != "ranks"  # ranks may go below any rebuilt pool
        original = original_pool(collection, pool_depth=pool_depth) if rebuilt else None
        levels, notes = (collection.levels, ()) if original is None else (original.levels, original.notes)
        counted = collection.counted[collection.topic_of_judgment]
        judged = is_judged(levels) & counted
        return cls(
            levels, int(judged.sum()), int((levels >= collection.level_from(rel))[counted].sum()), rebuilt, notes
        )


class _Full(NamedTuple):
    """What the full judgments say: mean scores of the ranked systems, what is decided of pairs, and who is ranked."""

    means: Floats
    decided: PairDecisions
    ranked: list[int]


def relevant_from(collection: Collection, metrics: Sequence[AnyMetric], rel: float | None) -> float | None:
    """Return the lowest grade that counts as relevant, as asked for or as the metrics have it.

    Where grades are real-valued and neither says it, None: any above 0.
    """
    if rel is None:
        named = (
            dict(metric.parameters).get("rel")
            for metric in metrics
            if isinstance(metric, Metric) and metric.on == "documents"
        )
        lowest = min((level for level in named if level is not None), default=None)
        return collection.level_from(lowest) if collection.grades is None else lowest
    level = (
        checks.check_count(rel, "rel")
        if collection.grades is None
        else checks.check_number(rel, "rel", least=checks.LEAST_SHARE)
    )
    if not (collection.full_levels >= collection.level_from(level)).any():
        top = grade_values(np.array([collection.top_level]), collection.grades).item()
        raise InvalidOptionError(
            f"`rel={level:g}`: no document is judged at that level or above; the highest is {top:g}"
        )
    return level


def _chosen(collection: Collection, choose: str | int, name: str, generator: np.random.Generator) -> tuple[int, ...]:
    """Return the places of the systems chosen."""
    if isinstance(choose, str) and choose == "all":
        return tuple(range(collection.n_systems))
    groups = None if collection.groups is None else dict(zip(collection.systems, collection.groups, strict=True))
    bare = as_scores(np.zeros((1, collection.n_systems, FEWEST)), systems=list(collection.systems), groups=groups)
    try:
        names = set(select_runs(bare, choose, generator)["system"].to_numpy().tolist())
    except InvalidOptionError as error:
        raise InvalidOptionError(f"`{name}={choose!r}`: {error}") from None
    return tuple(index for index, system in enumerate(collection.systems) if system in names)


def _stability(  # noqa: PLR0913, PLR0917 - the parts of an answer
    collection: JudgedCollection,
    reduction: Reduction,
    plan: Plan,
    reference: _Reference,
    whole: _Full,
    done: Sequence[Arrays],
    top: int,
) -> Stability:
    names = [metric.name for metric in plan.metrics]
    signs = np.array([1.0 if metric.higher_is_better else -1.0 for metric in plan.metrics])
    full = whole.means
    means = np.stack([replicate["mean"] for replicate in done])[..., whole.ranked]
    x, y = full * signs[:, None], means * signs[:, None]
    systems = [plan.systems[index] for index in whole.ranked]
    tested = [replicate["found"] for number, replicate in enumerate(done) if number < plan.n_tested]
    test_counts = np.stack(tested) if tested else np.full((1, len(plan.steps), len(names), len(FOUND)), np.nan)
    inner = ("replicate", "step", "metric")
    data = xr.Dataset(
        {
            "reference": (("metric", "system"), full),
            "mean": ((*inner, "system"), means),
            **{name: (inner, table) for name, table in _all_correlations(x, y, top, name_order(systems)).items()},
            **{
                name: (("replicate", "step"), np.stack([replicate[name] for replicate in done]))
                for name in ("judged", "relevant", "topics", "emptied")
            },
            **{name: (("tested", "step", "metric"), test_counts[..., index]) for index, name in enumerate(FOUND)},
            "found_full": ("metric", _n_found(plan)),
            "difference_required_full": ("metric", whole.decided.required),
            "count_error_full": ("metric", whole.decided.count_error),
            "sign": ("metric", signs),
        },
        coords={
            "step": list(plan.steps),
            "metric": names,
            "system": systems,
        },
    )
    remarks = [note for replicate in done for note in replicate["notes"].tobytes().decode().split("\n") if note]
    remarks = [] if reduction.random else [note for note in remarks if note not in reference.notes]
    if reduction.random and (emptied := int(data["emptied"].max())):
        remarks = [f"in a replicate up to {emptied} of the topics have nothing relevant left; they score 0"]
    graded = [f"relevant are documents of level {plan.rel:g} and above where judgments are taken away"] * (
        plan.rel not in {1, None}
    )
    notes = dict.fromkeys([*reference.notes, *graded, *(f"{reduction.title}: " + note for note in remarks)])
    result = _test_words(plan)
    return Stability(
        reduction=reduction,
        data=data,
        rel=plan.rel,
        n_judged=reference.n_judged,
        n_relevant=reference.n_relevant,
        n_topics=int(plan.counted.sum()),
        top=min(top, len(whole.ranked)),
        test=result,
        tested=tuple(plan.systems[index] for index in plan.testing.systems),
        closeness=_closeness(collection, plan, reference, x, signs, whole.ranked) if reference.rebuilt else None,
        notes=tuple(notes),
    )


def _n_found(plan: Plan) -> NDArray[np.generic]:
    """Count the pairs that differ significantly under the full judgments; on a single topic none can."""
    counted = (plan.full_verdicts != 0).sum(axis=1)
    return counted if plan.counted.sum() >= FEWEST else np.full(len(counted), np.nan)


def _test_words(plan: Plan) -> str:
    """Return which test decided, in words."""
    testing = plan.testing
    spec = TESTS.find(testing.test)
    correction = CORRECTIONS.words(testing.correction or spec.default_correction)
    drawn = f" with B = {testing.n_resamples:,}" if spec.resampled and testing.n_resamples is not None else ""
    return f"{spec.words}{drawn}, {correction}, α = {testing.alpha:g}, two-sided"  # noqa: RUF001 - a Greek letter for people


def correlations(truth: Floats, estimate: Floats) -> dict[str, Floats]:
    """Return every correlation of rankings (..., n) with the reference `truth`; NaN where all systems tie."""
    return {
        name: np.asarray(correlate(truth, estimate) if name == "rbo" else correlate(truth, estimate, undefined="nan"))
        for name, correlate in CORRELATIONS.items()
    }


def _all_correlations(truth: Floats, estimate: Floats, top: int, by_name: NDArray[np.intp]) -> dict[str, Floats]:
    # of systems that tie for the last place the first by name is taken
    among = correlations(
        *best_of_reference(np.broadcast_to(truth, estimate.shape)[..., by_name], estimate[..., by_name], k=top)
    )
    among_best = {f"{name}_best": values for name, values in among.items()}
    return (
        correlations(truth, estimate)
        | among_best
        | {"tau_p_value": np.asarray(kendall_p_value(truth, estimate, undefined="nan"))}
    )


def _closeness(  # noqa: PLR0913, PLR0917 - as its caller has them
    collection: JudgedCollection, plan: Plan, reference: _Reference, x: Floats, signs: Floats, ranked: list[int]
) -> pd.DataFrame:
    """Compare the rebuilt pool's ranking with that of all judgments; the latter is the truth."""
    everything = settled_means(metric_values(collection, plan.metrics)[:, :, plan.counted])
    truth = everything[:, ranked] * signs[:, None]
    figures = {name: np.asarray(CORRELATIONS[name](truth, x, undefined="nan")) for name in ("tau", "tau_ap")}
    documents = collection.by_document
    share = reference.n_judged / max(1, int((documents.judged & plan.counted[documents.topic_of_judgment]).sum()))
    return pd.DataFrame({"metric": [metric.name for metric in plan.metrics], **figures, "judged_held": share})


# ----------------------------------------------------------------------------------------------------------- settings


def _store(folder: Path, plan: Plan, collection: JudgedCollection, seed: int) -> ReplicateStore:
    settings = {field.name: getattr(plan, field.name) for field in fields(plan)}
    for name in ("systems", "topics", "counted", "n_tested", "full_verdicts"):  # said by the content, or of no matter
        del settings[name]
    retrieved = not REDUCTIONS[plan.reduction].random
    return replicate_store(
        folder, plan.reduction, collection, plan.metrics, seed, retrieved=retrieved, settings=settings
    )


def check_options(  # noqa: PLR0913 - one keyword per choice
    collection: Collection, *, n_replicates: int, n_tested: int, top: int, alpha: float, budget: float | None
) -> None:
    """Refuse options outside their rules, and collections that cannot rank anything."""
    checks.check_count(n_replicates, "n_replicates", most=checks.MOST_REPLICATES)
    checks.check_count(n_tested, "n_tested", least=0)
    checks.check_count(top, "top", least=2)
    checks.check_share(alpha, "alpha")
    if budget is not None:
        checks.check_number(budget, "budget", above=0, unit="seconds")
    if collection.n_systems < FEWEST:
        raise EstimationError(f"a ranking needs at least two runs; there is {collection.n_systems}")
    if not collection.has_relevant.any():
        message = "no topic has a relevant document (level above 0) in the judgments, so no run can be ranked"
        raise EstimationError(message)
