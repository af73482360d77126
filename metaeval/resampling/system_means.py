"""Means of systems over topics, with intervals and ranks."""

import numpy as np
import pandas as pd

from metaeval.base.checks import check_share
from metaeval.resampling.cluster_residuals import residuals_of_units
from metaeval.table.array import has_gaps
from metaeval.table.scores import Scores
from metaeval.table.structure import engine_scores, mean_over_topics, settled_mean_over_topics
from metaeval.table.two_way import linked
from metaeval.table.units import units_of
from metaeval.tests_stat.ends import Seen, ends_of_means
from metaeval.tests_stat.robust import mean_estimates
from metaeval.tests_stat.runs import Runs


def means_of_systems(scores: Scores, *, confidence_level: float = 0.95) -> pd.DataFrame:
    r"""Return every system's mean over the topics, with an interval and its rank under each metric.

    Where scores are missing the means are those of system and topic (`metaeval.table.two_way`), and the errors those of
    the topics' influence on them. Intervals end where the metric's values do; see
    `metaeval.tests_stat.ends.ends_of_means`.
    """
    check_share(confidence_level, "confidence_level")
    scores = engine_scores(scores, "means of systems", fewest=1)
    units, values = units_of(scores), scores.to_numpy()
    gappy = has_gaps(values)
    estimates = mean_estimates(values, units)
    mean, error, n_units, freedom = estimates.mean, estimates.error, estimates.n_units, estimates.freedom
    if gappy and all(linked(observed).all() for observed in np.isfinite(values)):
        parts = residuals_of_units(scores)
        error = np.sqrt((parts.residual**2 * parts.inflation).sum(axis=2)) / parts.sizes.sum()
        mean, freedom = mean_over_topics(scores), n_units - 1.0
    if (runs := Runs.of(scores, np.arange(values.shape[1]))) is not None:
        error, freedom = runs.widen(error, freedom)
    low, high = ends_of_means(
        mean,
        error,
        n_units,
        freedom,
        seen=Seen.of(values),
        metrics=scores["metric"].to_numpy().tolist(),
        confidence_level=confidence_level,
    )
    best_first = -settled_mean_over_topics(scores)
    tables = []
    for index, metric in enumerate(scores["metric"].to_numpy()):
        ranks = pd.Series(best_first[index]).rank(method="min").astype(int).to_numpy()
        ranked = pd.DataFrame(
            {
                "metric": metric,
                "system": scores["system"].to_numpy(),
                "group": scores["group"].to_numpy() if "group" in scores.coords else "",
                "mean": mean[index],
                "low": low[index],
                "high": high[index],
                "rank": ranks,
            }
        )
        tables.append(ranked.sort_values("rank", kind="stable"))
    return pd.concat(tables, ignore_index=True)
