"""The power law of counts from one on: how many documents have how many passages."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import zeta
from scipy.stats import t as student

from metaeval.base.checks import check_kind

_STEEPEST = 40.0
_FLATTEST = 1.0 + 1e-4
_STEP = 1e-3


def fit_power_law(counts: pd.Series, *, confidence_level: float = 0.95) -> pd.DataFrame:
    r"""Fit a power law to counts from 1 on, by maximum likelihood.

    Parameters
    ----------
    counts : pandas.Series (n,)
        Whole numbers of at least 1, such as passages of a document. A level ``topic`` of the index says which belong
        together; without one each stands alone.
    confidence_level : float, default 0.95
        Of the interval.

    Returns
    -------
    pandas.DataFrame
        One row: ``exponent``, its interval ``low`` and ``high`` (NaN with fewer than two topics), and ``distance``,
        the largest between the shares up to a count and those of the law. Empty if all counts are 1: then every steep
        law fits.

    Notes
    -----
    .. math:: P(k) = k^{-a} / \zeta(a), \qquad k = 1, 2, \dots

    (equation 3.5 of [1]_ with :math:`x_{\min} = 1`). Documents of a topic are alike, so the error of the exponent is
    that of sums over topics (the sandwich estimate), with Student's t. A line through the points of a log-log plot is
    no such fit: it trusts the rare counts as much as the frequent ones.

    References
    ----------
    .. [1] Clauset, Shalizi and Newman (2009). Power-law distributions in empirical data. SIAM Review 51(4).
       :doi:`10.1137/070710111`

    Examples
    --------
    >>> counts = pd.Series([1] * 60 + [2] * 15 + [3] * 7 + [4] * 4 + [5] * 2)
    >>> fit_power_law(counts).round(2).to_numpy().tolist()
    [[2.45, 2.18, 2.73, 0.05]]
    """
    check_kind(counts, "counts", "Series")
    logs = np.log(counts.to_numpy(dtype=np.float64))
    if not logs.any():
        return pd.DataFrame()
    mean = logs.mean()
    fitted = minimize_scalar(
        lambda a: _log_zeta(a) + a * mean, bounds=(_FLATTEST, _STEEPEST), method="bounded", options={"xatol": 1e-10}
    )
    exponent = float(fitted.x)
    step = min(_STEP, (exponent - 1) / 4)
    below, at, above = (_log_zeta(exponent + move) for move in (-step, 0.0, step))
    information = len(logs) * (below - 2 * at + above) / step**2
    groups = counts.index.get_level_values("topic") if "topic" in counts.index.names else np.arange(len(counts))
    sums = pd.Series(mean - logs).groupby(np.asarray(groups)).sum().to_numpy()
    many = len(sums)
    spread = np.sqrt((sums**2).sum() * many / (many - 1)) / information if many > 1 else np.nan
    half = student.ppf((1 + confidence_level) / 2, many - 1) * spread
    most = int(counts.max())
    seen = np.bincount(counts.to_numpy(dtype=np.int64), minlength=most + 1)[1:] / len(logs)
    law = power_law_shares(exponent, most)
    return pd.DataFrame(
        {
            "exponent": [exponent],
            "low": [exponent - half],
            "high": [exponent + half],
            "distance": [float(np.abs(np.cumsum(seen) - np.cumsum(law)).max())],
        }
    )


def power_law_shares(exponent: float, most: int) -> np.ndarray:
    """Return the shares of the counts 1 to `most` under a power law."""
    return np.arange(1.0, most + 1) ** -exponent / zeta(exponent)


def _log_zeta(exponent: float) -> float:
    return float(np.log(zeta(exponent)))
