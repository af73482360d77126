"""The analyses of a study of judgments: less judging, shallower pools, new systems, and where to spend effort."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypedDict

import numpy as np

from metaeval.collection.base import Rounds
from metaeval.collection.documents import JudgedCollection
from metaeval.metrics.resolved import AnyMetric
from metaeval.resampling.coverage import DEFAULT_SIZES, Coverage, RunDepths, coverage, run_depths
from metaeval.resampling.effort import CostModel, GrowthRule
from metaeval.resampling.effort_plans import EffortPlans, rank_by_effort
from metaeval.resampling.leave_out import GroupsLeftOut, leave_group_out
from metaeval.resampling.pools import OriginalPool, PoolGrowth, pool_by_depth
from metaeval.resampling.reductions import REDUCTIONS
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.stability_result import Stability
from metaeval.resampling.sufficiency import PoolSufficiency, pool_sufficiency
from metaeval.studies.study import Attempts

_MOST_SIZES = 6


class _Pools(TypedDict):
    """The pools of several sizes."""

    sizes: Sequence[int]
    rounds: Rounds


class Draws(NamedTuple):
    """How judgments are taken away and runs ranked and tested: the keywords of `measure_stability`."""

    n_replicates: int
    n_tested: int
    test: str
    correction: str | None
    alpha: float
    n_resamples: int | None
    choose: str | int
    ranked: str | int
    rel: float | None
    top: int
    pool_depth: int | None
    rng: int
    n_jobs: int | None
    keep: str | Path | None


class JudgmentOptions(NamedTuple):
    """A collection and what is asked of it."""

    collection: JudgedCollection
    metrics: tuple[AnyMetric, ...]
    original: OriginalPool | None
    steps: Sequence[float] | None
    sizes: Sequence[int]
    depths: Sequence[int] | None
    pool_shares: Sequence[float]
    rounds: Rounds
    """What each run adds in a round of pools of the sizes asked for."""
    end: float | None
    """The time after which no replicate is begun."""
    draws: Draws


class NewSystems(NamedTuple):
    """What is found of systems that took no part in the pool, as `JudgmentsStudy` holds it."""

    left_out: Mapping[str, GroupsLeftOut] = MappingProxyType({})
    sufficiency: PoolSufficiency | None = None
    covered: Coverage | None = None


def default_sizes(original: OriginalPool | None) -> tuple[int, ...]:
    """Return the published pool sizes as far as the original pool reaches, or parts of its size."""
    if original is None:
        return DEFAULT_SIZES
    typical = max(1, int(np.median(original.n_documents[original.n_documents >= 0])))
    within = tuple(size for size in DEFAULT_SIZES if size <= typical)
    if len(within) > _MOST_SIZES // 2:
        return within
    parts = {max(1, round(typical * share / 100)) for share in (10, 20, 40, 60, 80, 100)}
    return tuple(sorted(parts))


def less_judging(asked: JudgmentOptions, names: Sequence[str], *, in_turn: bool) -> dict[str, Stability]:
    """Reduce the judgments in every way named; with `in_turn` the time is to last for another part too."""
    by_reduction = {}
    for index, name in enumerate(names):
        share = None
        if asked.end is not None:  # what is left of the time is shared by what is left to do; a moment for the last
            share = max((asked.end - time.monotonic()) / (len(names) - index + in_turn), 1e-3)
        steps = {"%": asked.steps, "ranks": asked.depths}.get(REDUCTIONS[name].unit, asked.sizes)
        by_reduction[name] = measure_stability(
            asked.collection, asked.metrics, reduction=name, steps=steps, budget=share, **asked.draws._asdict()
        )
    return by_reduction


def shallower_pools(asked: JudgmentOptions) -> tuple[PoolGrowth | None, RunDepths | None]:
    """Grow the pool to the depth that was judged, and see how deep pools of some sizes reach."""
    if asked.original is None:
        return None, None
    deepest = int(asked.original.depths.max(initial=1))
    return pool_by_depth(asked.collection, pool_depth=deepest), run_depths(
        asked.collection, sizes=asked.sizes, rounds=asked.rounds
    )


def new_systems(asked: JudgmentOptions, attempt: Attempts) -> NewSystems:
    """Leave every group out, ask whether larger pools would help, and look at the runs that were not pooled."""
    collection, metrics, sizes = asked.collection, asked.metrics, asked.sizes
    leave = partial(leave_group_out, collection, metrics, pool_depth=asked.draws.pool_depth)
    ways = {"depth": partial(leave, keep="depth"), "size": partial(leave, keep="size")}
    descriptions = {name: f"leaving a group out, keeping the pool's {name}" for name in ways}
    if asked.original is not None and asked.original.n_outside:
        ways["rebuilt pool"] = partial(leave, baseline="pool")
    for share in sorted(asked.pool_shares, reverse=True):
        ways[f"{share:g} % of the pool"] = partial(leave, baseline="pool", pool_share=share)
    tried = {name: attempt(descriptions.get(name, f"leaving a group out, {name}"), way) for name, way in ways.items()}
    pools: _Pools = {"sizes": sizes, "rounds": asked.rounds}
    ask = partial(pool_sufficiency, collection, metrics, alpha=asked.draws.alpha, **pools)
    sufficiency = attempt("pool sufficiency", ask)
    pooled = collection.by_document.pooled
    outside = pooled is not None and not pooled.all()
    if not outside:
        attempt.failed["results of unpooled runs"] = "every run counts as pooled; mark those that built the pool"
    left_out = MappingProxyType({name: outcome for name, outcome in tried.items() if outcome is not None})
    return NewSystems(left_out, sufficiency, coverage(collection, **pools) if outside else None)


def spent_effort(asked: JudgmentOptions, cost: CostModel, rule: GrowthRule) -> EffortPlans:
    """Rank the runs under every plan of the same effort."""
    return rank_by_effort(
        asked.collection,
        asked.metrics,
        asked.draws.rng,
        cost,
        n_replicates=asked.draws.n_replicates,
        pool_depth=asked.draws.pool_depth,
        growth=rule,
        steps=asked.steps,
        n_jobs=asked.draws.n_jobs,
        keep=asked.draws.keep,
        deadline=asked.end,
    )
