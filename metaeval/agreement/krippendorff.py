"""Krippendorff's alpha: how far any number of judges agree, some of whom may have skipped items."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import t_half_width
from metaeval.errors import UnknownNameError
from metaeval.running.draws import standard_deviation

Level = Literal["nominal", "ordinal", "interval"]


def coincidences(labels: Labels, *, topics: Sequence[str]) -> Floats:
    """Return Krippendorff's coincidence matrix of every topic, shape (topic, label, label).

    An item with m labels, m at least 2, adds 1/(m - 1) for every ordered pair of labels by different judges.
    """
    scale = np.array(labels.scale, dtype=np.float64)
    given = (labels.table.to_numpy()[:, :, None] == scale).sum(axis=1).astype(np.float64)
    m = given.sum(axis=1)
    weight = np.where(m > 1, 1.0 / np.maximum(m - 1, 1), 0.0)
    position = pd.Index(topics).get_indexer(labels.table.index.get_level_values("topic"))
    result = np.zeros((len(topics), len(scale), len(scale)))
    for place in range(len(topics)):
        part, w = given[position == place], weight[position == place]
        result[place] = (part * w[:, None]).T @ part
        result[place][np.diag_indices(len(scale))] -= (part * w[:, None]).sum(axis=0)
    return result


def krippendorff_alpha(coincidence: Floats, scale: Sequence[float], *, level: Level = "ordinal") -> Floats:
    r"""Return Krippendorff's alpha of coincidence matrices (..., k, k).

    Shapes: `coincidence` (..., k, k).

    Notes
    -----
    :math:`\alpha = 1 - (n - 1) \sum o_{ck} \delta_{ck} / \sum n_c n_k \delta_{ck}` [1]_; NaN where only one label was
    given.

    References
    ----------
    .. [1] Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.

    Examples
    --------
    >>> round(float(krippendorff_alpha(np.array([[4.0, 1.0], [1.0, 2.0]]), (0, 1), level="nominal")), 4)
    0.5333
    """
    total = coincidence.sum(axis=-1)
    n = total.sum(axis=-1)
    distance = _distances(total, np.array(scale, dtype=np.float64), level)
    observed = (coincidence * distance).sum(axis=(-2, -1)) * (n - 1)
    expected = (total[..., :, None] * total[..., None, :] * distance).sum(axis=(-2, -1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1.0 - observed / expected, np.nan)


def _distances(total: Floats, scale: Floats, level: Level) -> Floats:
    match level:
        case "nominal":
            return (scale[:, None] != scale).astype(np.float64)
        case "interval":
            return np.asarray((scale[:, None] - scale) ** 2)
        case "ordinal":
            below = np.cumsum(total, axis=-1) - total / 2
            return np.asarray((below[..., :, None] - below[..., None, :]) ** 2)
    raise UnknownNameError("level of measurement", str(level), ("nominal", "ordinal", "interval"))


def alpha_table(labels: Labels, counts: Floats, *, confidence_level: float) -> pd.DataFrame:
    """Return alpha at every level of measurement, with intervals from topics drawn `counts` times (resample, topic)."""
    matrices = coincidences(labels, topics=labels.topics)
    half = float(reach(np.array((matrices.sum(axis=(1, 2)) > 0).sum()), confidence_level))
    drawn = (counts @ matrices.reshape(len(matrices), -1)).reshape(len(counts), *matrices.shape[1:])
    rows = []
    for level in ("nominal", "ordinal", "interval"):
        alpha = float(krippendorff_alpha(matrices.sum(axis=0), labels.scale, level=level))
        spread = half * float(standard_deviation(krippendorff_alpha(drawn, labels.scale, level=level)))
        rows.append({"level": level, "alpha": alpha, "low": alpha - spread, "high": min(alpha + spread, 1.0)})
    return pd.DataFrame(rows)


def reach(n_topics: Ints, confidence_level: float) -> Floats:
    """Return what multiplies a standard deviation over resamples; NaN for one topic, which tells of no other."""
    return t_half_width(np.sqrt(n_topics / np.maximum(n_topics - 1, 1)), n_topics, confidence_level)
