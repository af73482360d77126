"""Where to spend judging effort: rankings by the same number of judged documents, spent in different ways."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Flags, Floats
from metaeval.base.results import Result
from metaeval.base.words import number, span, whole
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import EstimationError
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import metric_values
from metaeval.resampling.effort import AdaptiveDepth, CostModel, GrowthRule, adaptive_depth, equal_effort
from metaeval.resampling.pools import original_pool
from metaeval.resampling.reductions import Reduced
from metaeval.resampling.replicates import Arrays, all_compiled, map_replicates, replicate_store
from metaeval.resampling.rescoring import scores_by_step
from metaeval.resampling.stability import correlations
from metaeval.resampling.stability_result import standard_error
from metaeval.running.equality import settled_means
from metaeval.running.parallel import limit_threads

EFFORT_STEPS = (20.0, 40.0, 60.0, 80.0)
"""Shares of the original effort, in %."""

PLAN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "shallow": "shallow pools, all topics",
        "sample": "random part of deep pools",
        "topics": "full pools, fewer topics",
    }
)
"""What the ways to spend the same effort are called."""

_NAME = "effort"
_COUNTS = ("judged", "relevant", "topics")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EffortPlans(Result):
    """Rankings by the same number of judgments, spent in different ways."""

    data: xr.Dataset
    """Dims ``replicate``, ``plan``, ``step`` (% of the original effort) and ``metric``: ``tau``, ``tau_ap``, ``rho``
    and ``rbo`` with the ranking of the original pool; ``judged``, ``relevant`` and ``topics`` (replicate, plan,
    step)."""
    adaptive: AdaptiveDepth | None
    """Pools that stop topic by topic, replayed."""
    adaptive_table: pd.DataFrame | None
    """One row a metric: tau and tau_AP of the adaptive pools and of one depth for all at equal effort."""
    notes: tuple[str, ...]
    """What the pool lacks."""

    @property
    def n_replicates(self) -> int:
        """Draws behind every mean."""
        return int(self.data.sizes["replicate"])

    def _found(self) -> str:
        rows = self.to_frame().query("step == step.min()")
        taus = span(rows["plan"] + " under " + rows["metric"], rows["tau"], map(number(2), rows["tau"]))
        return f"by {whole(rows['judged'].iloc[0])} judgments τ with the ranking by the whole pool is {taus}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, step and plan: means over replicates with standard errors."""
        measures = ["tau", "tau_ap", "rho", "rbo"]
        means = self.data[measures].mean("replicate")
        spread = standard_error(self.data[measures], "replicate")
        order = ["metric", "step", "plan"]
        frame = means.to_dataframe(dim_order=order).join(spread.to_dataframe(dim_order=order).add_suffix("_se"))
        left = self.data[["judged", "relevant", "topics"]].mean("replicate").to_dataframe(dim_order=["step", "plan"])
        return frame.reset_index().merge(left.reset_index(), on=["step", "plan"])


def rank_by_effort(  # noqa: PLR0913 - one keyword per choice
    collection: JudgedCollection,
    metrics: tuple[AnyMetric, ...],
    seed: int,
    cost: CostModel,
    *,
    n_replicates: int,
    pool_depth: int | None,
    growth: GrowthRule,
    steps: Sequence[float] | None,
    n_jobs: int | None = None,
    keep: str | Path | None = None,
    deadline: float | None = None,
) -> EffortPlans:
    """Rank the runs under every plan and step, replicate by replicate, and replay pools that stop topic by topic."""
    chosen = tuple(sorted(map(float, steps))) if steps is not None else EFFORT_STEPS
    original = original_pool(collection, pool_depth=pool_depth)
    counted = collection.by_document.counted
    signs = np.array([1.0 if one.higher_is_better else -1.0 for one in metrics])[:, None]
    full = settled_means(metric_values(collection.rejudge(original.levels), metrics)[:, :, counted]) * signs
    store = None
    if keep is not None:
        settings = {"steps": chosen, "pool_depth": pool_depth}
        store = replicate_store(Path(keep), _NAME, collection, metrics, seed, retrieved=True, settings=settings)
    done = map_replicates(
        _replicate,
        range(n_replicates),
        seed=seed,
        name=_NAME,
        arguments=(chosen, pool_depth, metrics, collection),
        store=store,
        n_jobs=n_jobs,
        threads=all_compiled(metrics),
        deadline=deadline,
        description="where to spend effort",
    )
    counts = {name: (("replicate", "plan", "step"), np.stack([one[name] for one in done])) for name in _COUNTS}
    taus = correlations(full, np.stack([one["mean"] for one in done]) * signs)
    data = xr.Dataset(
        {**{name: (("replicate", "plan", "step", "metric"), values) for name, values in taus.items()}, **counts},
        coords={"plan": list(PLAN_NAMES), "step": list(chosen), "metric": [one.name for one in metrics]},
    )
    try:
        adaptive = adaptive_depth(collection, **growth._asdict(), pool_depth=pool_depth)
    except EstimationError as error:
        notes = (*original.notes, f"adaptive depth: {error}")
        return EffortPlans(data=data, adaptive=None, adaptive_table=None, notes=notes)
    rows = []
    for pools, one in (("adaptive", adaptive.adaptive), ("one depth", adaptive.fixed)):
        coefficients = correlations(full, _means(collection, metrics, one, counted)[0] * signs)
        left = {"judged": int(one.judged[0]), "relevant": int(one.relevant[0])}
        rows.append(
            pd.DataFrame({"pools": pools, "metric": [metric.name for metric in metrics], **left, **coefficients})
        )
    table = pd.concat(rows, ignore_index=True)
    table = table.assign(hours=cost.hours(table["relevant"], table["judged"] - table["relevant"]))
    columns = ["pools", "metric", "judged", "relevant", "hours", "tau", "tau_ap", "rho", "rbo"]
    return EffortPlans(data=data, adaptive=adaptive, adaptive_table=table[columns], notes=original.notes)


def _replicate(
    _number: int,
    generator: np.random.Generator,
    steps: tuple[float, ...],
    pool_depth: int | None,
    metrics: tuple[AnyMetric, ...],
    collection: JudgedCollection,
) -> Arrays:
    """Draw and score the plans of one replicate: means (plan, step, metric, system) and what they judge."""
    with limit_threads(1):
        spent = equal_effort(collection, steps=steps, rng=generator, pool_depth=pool_depth)
        plans = [spent.plans[name] for name in PLAN_NAMES]
        counted = collection.by_document.counted
        return {
            "mean": np.stack([_means(collection, metrics, plan, counted) for plan in plans]),
            "judged": np.stack([plan.judged for plan in plans]),
            "relevant": np.stack([plan.relevant for plan in plans]),
            "topics": np.stack([(plan.topics & counted).sum(axis=1) for plan in plans]),
        }


def _means(collection: JudgedCollection, metrics: tuple[AnyMetric, ...], reduced: Reduced, counted: Flags) -> Floats:
    """Return the mean scores, settled, under reduced judgments, shape (step, metric, system)."""
    return np.stack([settled_means(values) for values in scores_by_step(collection, metrics, reduced, counted)])
