"""The analyses of a study of judgments: less judging, shallower pools, and new systems."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, TypedDict

import numpy as np

from metaeval.collection.base import Rounds
from metaeval.collection.documents import JudgedCollection
from metaeval.metrics.resolved import AnyMetric
from metaeval.resampling.coverage import DEFAULT_SIZES, Coverage, RunDepths, coverage, run_depths
from metaeval.resampling.leave_out import GroupsLeftOut, leave_group_out
from metaeval.resampling.pools import OriginalPool, PoolGrowth, pool_by_depth
from metaeval.resampling.stability_result import Stability
from metaeval.resampling.sufficiency import PoolSufficiency, pool_sufficiency
from metaeval.studies.study import Attempts

_MOST_SIZES = 6


class Pools(TypedDict):
    """The pools of several sizes, and what each run adds in a round of them."""

    sizes: Sequence[int]
    rounds: Rounds


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


def less_judging(
    measure: Callable[..., Stability],
    steps: Mapping[str, Sequence[float] | None],
    end: float | None,
    *,
    in_turn: bool,
) -> dict[str, Stability]:
    """Reduce the judgments in every way, at its steps; with `in_turn` the time is to last for another part too."""
    by_reduction = {}
    for index, (name, of_reduction) in enumerate(steps.items()):
        share = None
        if end is not None:  # what is left of the time is shared by what is left to do; a moment for the last
            share = max((end - time.monotonic()) / (len(steps) - index + in_turn), 1e-3)
        by_reduction[name] = measure(reduction=name, steps=of_reduction, budget=share)
    return by_reduction


def shallower_pools(
    collection: JudgedCollection, original: OriginalPool | None, pools: Pools
) -> tuple[PoolGrowth | None, RunDepths | None]:
    """Grow the pool to the depth that was judged, and see how deep pools of some sizes reach."""
    if original is None:
        return None, None
    deepest = int(original.depths.max(initial=1))
    return pool_by_depth(collection, pool_depth=deepest), run_depths(collection, **pools)


def new_systems(  # noqa: PLR0913 - what is asked of the collection
    collection: JudgedCollection,
    metrics: tuple[AnyMetric, ...],
    pools: Pools,
    attempt: Attempts,
    *,
    holds_all: bool,
    pool_depth: int | None,
    pool_shares: Sequence[float],
    alpha: float,
) -> NewSystems:
    """Leave every group out, ask whether larger pools would help, and look at the runs that were not pooled."""
    leave = partial(leave_group_out, collection, metrics, pool_depth=pool_depth)
    ways = {"depth": partial(leave, keep="depth"), "size": partial(leave, keep="size")}
    descriptions = {name: f"leaving a group out, keeping the pool's {name}" for name in ways}
    if not holds_all:
        ways["rebuilt pool"] = partial(leave, baseline="pool")
    for share in sorted(pool_shares, reverse=True):
        ways[f"{share:g} % of the pool"] = partial(leave, baseline="pool", pool_share=share)
    tried = {name: attempt(descriptions.get(name, f"leaving a group out, {name}"), way) for name, way in ways.items()}
    sufficiency = attempt("pool sufficiency", partial(pool_sufficiency, collection, metrics, alpha=alpha, **pools))
    pooled = collection.by_document.pooled
    outside = pooled is not None and not pooled.all()
    if not outside:
        attempt.failed["results of unpooled runs"] = "every run counts as pooled; mark those that built the pool"
    left_out = MappingProxyType({name: outcome for name, outcome in tried.items() if outcome is not None})
    return NewSystems(left_out, sufficiency, coverage(collection, **pools) if outside else None)
