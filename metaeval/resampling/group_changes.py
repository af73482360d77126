"""What leaving its group out of the pool did to the runs, metric by metric."""

import numpy as np
import pandas as pd

from metaeval.resampling.leave_out import GroupsLeftOut
from metaeval.resampling.stability import correlations
from metaeval.running.equality import settled_means


def left_out_summary(found: GroupsLeftOut, *, alpha: float = 0.05) -> pd.DataFrame:
    """Return for each metric what leaving groups out did to the runs' scores and places."""
    scores = found.scores
    signs = np.where(scores["higher_is_better"].to_numpy(), 1.0, -1.0)[:, None]
    values = [scores[name].transpose("metric", "system", "topic").to_numpy() for name in ("full", "reduced")]
    old, new = np.split(settled_means(np.concatenate(values, axis=1)) * signs, 2, axis=1)  # compared with each other
    ahead_old = (old[:, None, :] > old[:, :, None]).sum(axis=2)
    ahead = old[:, None, :] > new[:, :, None]
    diagonal = np.arange(old.shape[1])
    ahead[:, diagonal, diagonal] = False
    moved = np.abs(ahead.sum(axis=2) - ahead_old)
    changes = found.changes().transpose("metric", "system")
    n_runs = changes.sizes["system"]
    table = pd.DataFrame(
        {
            "metric": scores["metric"].to_numpy(),
            "runs": n_runs,
            "mean_change": changes.mean("system").to_numpy(),
            "fell": (new * signs < old * signs).mean(axis=1),
            "same": (new == old).mean(axis=1),
            "rose": (new * signs > old * signs).mean(axis=1),
            "mean_places": moved.mean(axis=1),
            "most_places": moved.max(axis=1),
            "tau": correlations(old, new[None])["tau"][0],
        }
    )
    return table.merge(
        found.significance(alpha=alpha)["share"].rename("significant"), left_on="metric", right_index=True
    )


def left_out_changes(found: GroupsLeftOut) -> pd.DataFrame:
    """Return how many runs, and runs and topics, changed by how much: a row a metric and interval, long."""
    parts = []
    for counted, per_topic in (("run", False), ("run and topic", True)):
        table = found.distribution(per_topic=per_topic)
        long = table.rename_axis("interval").reset_index().melt("interval", var_name="metric", value_name="n")
        parts.append(long.assign(counted=counted, share=long["n"] / long.groupby("metric")["n"].transform("sum")))
    return pd.concat(parts, ignore_index=True)[["counted", "metric", "interval", "n", "share"]]
