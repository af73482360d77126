"""How much does a metric look at the top? Scores of lists with a single relevant document, rank by rank."""

import numpy as np
import xarray as xr

from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics.registry import Registry
from metaeval.metrics.scoring import metric_values, resolve_metrics
from metaeval.running.parallel import track

RANKS = 20
"""The one relevant document moves from rank 1 to this rank (Sakai and Kando 2008, Figure 1)."""

_TOPICS_RELEVANT = (10, 100)


def top_heaviness(metrics: object, *, n_ranks: int = RANKS, registry: Registry | None = None) -> xr.DataArray:
    """Return the scores of lists whose only relevant document is at rank 1, 2 and so on.

    Parameters
    ----------
    metrics : sequence of str, MetricSpec or Metric
    n_ranks : int, default 20
    registry : Registry, optional

    Returns
    -------
    xarray.DataArray (metric, relevant, rank)
        ``relevant`` is the number of relevant documents of the topic, 10 and 100; judgments are binary and the list
        holds 1000 documents, those before the relevant one judged not relevant. Exact, so there is no interval.

    Notes
    -----
    Sakai and Kando 2008, Figure 1.

    Examples
    --------
    >>> curves = top_heaviness(["RR", "P@5"], n_ranks=6)
    >>> curves.sel(metric="P@5", relevant=10).to_numpy().round(2).tolist()
    [0.2, 0.2, 0.2, 0.2, 0.2, 0.0]
    """
    chosen = resolve_metrics(metrics, registry=registry)
    values = np.empty((len(chosen), len(_TOPICS_RELEVANT), n_ranks))
    for index, relevant in enumerate(track(_TOPICS_RELEVANT, description="top-heaviness")):
        others = [f"n{number}" for number in range(1000)]
        rankings = {
            f"rank {rank}": {"1": [*others[: rank - 1], "r0", *others[rank - 1 : 999]]}
            for rank in range(1, n_ranks + 1)
        }
        qrels = {"1": {f"r{number}": 1 for number in range(relevant)} | dict.fromkeys(others, 0)}
        values[:, index] = metric_values(collection_from_rankings(rankings, qrels), chosen)[:, :, 0]
    return xr.DataArray(
        values,
        dims=("metric", "relevant", "rank"),
        coords={
            "metric": [metric.name for metric in chosen],
            "relevant": list(_TOPICS_RELEVANT),
            "rank": np.arange(1, n_ranks + 1),
        },
        name="score",
    )
