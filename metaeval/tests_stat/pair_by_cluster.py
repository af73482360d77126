"""The pair that was compared within every cluster of its topics: where a change helps, and where it hurts."""

import numpy as np
import pandas as pd

from metaeval.running.draws import RNGLike
from metaeval.table.scores import Scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import PairwiseResult, difference_intervals, is_significant

_MOST_CLUSTERS, _FEWEST_TOPICS = 30, 6
"""With fewer topics no exact test can reject at .05."""
_GROUPS = ("cluster", "stratum")


def pair_by_cluster(
    scores: Scores, comparison: PairwiseResult, *, rng: RNGLike, n_threads: int | None = None
) -> pd.DataFrame | None:
    """Return the test of the one pair within each cluster or stratum, corrected by Holm over these under each metric.

    None where other than one pair was compared, or fewer than two or more than thirty clusters hold six topics.
    The columns are metric, cluster, n_topics, system_a, system_b, difference (a less b) with its interval from
    difference_low to difference_high, p_value (of scores that take two values the larger one of the test and the exact
    sign test), p_corrected, significant and verdict (1: a is better, -1: b is).
    """
    group = next((name for name in _GROUPS if name in scores.coords), None)
    if group is None or comparison.n_pairs != 1:
        return None
    names, codes = np.unique(scores[group].to_numpy(), return_inverse=True)
    large = np.flatnonzero(np.bincount(codes) >= _FEWEST_TOPICS)
    if not 1 < len(large) <= len(names) <= _MOST_CLUSTERS:
        return None
    pair = [comparison.data[side].item() for side in ("system_a", "system_b")]
    plain = scores.sel(system=pair).drop_vars([name for name in _GROUPS if name in scores.coords])
    rows = [
        _within(plain.isel(topic=codes == code), comparison, rng=rng, n_threads=n_threads).assign(cluster=names[code])
        for code in large
    ]
    frame = pd.concat(rows, ignore_index=True)
    of_metric = frame.groupby("metric", sort=False)["p_value"]
    frame["p_corrected"] = of_metric.transform(lambda p_values: adjust(p_values.to_numpy(), "holm"))
    frame["significant"] = is_significant(frame["p_corrected"].to_numpy(), comparison.alpha)
    ahead = np.sign(frame["difference"]) * frame["metric"].map(_directions(scores))
    frame["verdict"] = np.where(frame["significant"], ahead, 0).astype(int)
    columns = [
        "metric",
        "cluster",
        "n_topics",
        "system_a",
        "system_b",
        "difference",
        "difference_low",
        "difference_high",
    ]
    return frame[[*columns, "p_value", "p_corrected", "significant", "verdict"]]


def _within(scores: Scores, comparison: PairwiseResult, *, rng: RNGLike, n_threads: int | None) -> pd.DataFrame:
    """Return the pair's test on the topics of one cluster, a row a metric."""
    result = compare_systems(
        scores,
        test=comparison.test,
        alpha=comparison.alpha,
        n_resamples=comparison.n_resamples or None,
        rng=rng,
        n_threads=n_threads,
    )
    bounds = difference_intervals(result, confidence_level=1 - comparison.alpha)
    data = result.data.isel(pair=0).assign({f"difference_{end}": bounds[end].isel(pair=0) for end in ("low", "high")})
    if "p_exact" in data:  # decides as on all topics
        data["p_value"] = np.fmax(data["p_value"], data["p_exact"])
    columns = ["system_a", "system_b", "difference", "difference_low", "difference_high", "p_value"]
    return data[columns].to_dataframe().reset_index()[["metric", *columns]].assign(n_topics=scores.sizes["topic"])


def _directions(scores: Scores) -> dict[str, int]:
    return {
        metric: 1 if up else -1
        for metric, up in zip(scores["metric"].to_numpy().tolist(), scores["higher_is_better"].to_numpy(), strict=True)
    }
