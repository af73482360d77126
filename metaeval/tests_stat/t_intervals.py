"""Intervals for the differences of all pairs of systems, from the t test that was done on them."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from metaeval.base.checks import check_kind, check_share

if TYPE_CHECKING:
    from metaeval.tests_stat.result import PairwiseResult


def difference_intervals(result: "PairwiseResult", *, confidence_level: float = 0.95) -> xr.Dataset:
    """Return the interval of every pair's difference in mean that belongs to its t test.

    Each stands for itself: it leaves out zero where the uncorrected two-sided p-value is below 1 - `confidence_level`.

    Parameters
    ----------
    result : PairwiseResult
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        ``low`` and ``high`` over metric and pair; NaN under any other test, and for pairs whose difference has no
        standard error that could be told: equal means, or the same difference on every topic.

    Notes
    -----
    The standard error is the difference over its t, whatever the test made of clusters, strata, weights and gaps; the
    degrees of freedom are those of the test.

    Examples
    --------
    >>> from metaeval import paired_t_test
    >>> found = difference_intervals(paired_t_test([[0.3, 0.5, 0.9], [0.2, 0.3, 0.6]]))
    >>> [round(float(found[end][0, 0]), 4) for end in ("low", "high")]
    [-0.0484, 0.4484]
    """
    check_kind(result, "result", "PairwiseResult")
    check_share(confidence_level, "confidence_level")
    data = result.data
    difference, t = data["difference"], data["statistic"]
    told = (result.test == "t") & np.isfinite(t) & (t != 0)
    error = np.abs(difference / t.where(told))
    freedom = data.get("degrees_of_freedom", data.get("n_common", xr.full_like(difference, result.n_topics)) - 1)
    with np.errstate(invalid="ignore"):
        half = error * stdtrit(freedom, (1 + confidence_level) / 2)
    return xr.Dataset({"low": difference - half, "high": difference + half})
