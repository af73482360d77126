r"""Intervals over topics for a share of the pairs of systems: what is resampled, and where the interval ends.

Two faults of a plain bootstrap are mended. The means of a sample lie further apart than the true ones, by their noise;
on resampled topics they gain noise once more, so that too many pairs are significant and their number varies too
little. And the spread depends on the share itself: a sample whose share is too high is too sure of it as well.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from metaeval.base.arrays import Floats
from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.pairs import Question
from metaeval.tests_stat.robust import pair_estimates


def shrinkage(question: Question) -> Floats:
    r"""Return what to take off the scores of every system so that the means vary as the true ones do.

    Shape: result (metric, system).

    Notes
    -----
    With :math:`\bar d` the mean difference of a pair and s its standard error, the distances between the means of one
    metric are multiplied by :math:`\lambda`,

    .. math:: \lambda^2 = \max \left( 0, 1 - \sum s^2 / \sum \bar d^2 \right),

    over all pairs: a variance component over the variance of the means (Searle, Casella and McCulloch 1992, chapter 3).

    Examples
    --------
    >>> from metaeval.tests_stat.pairs import ask
    >>> question = ask([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]])
    >>> shrinkage(question).round(2).tolist()
    [[0.21, -0.21]]
    """
    estimates = pair_estimates(question)
    noise, total = (
        np.sum(values**2, axis=-1, where=np.isfinite(values)) for values in (estimates.error, estimates.mean)
    )
    factor = np.sqrt(np.maximum(0.0, 1.0 - np.divide(noise, total, out=np.ones_like(total), where=total > 0.0)))
    n_metrics, n_systems, _ = question.values.shape
    differences = np.zeros((n_metrics, n_systems, n_systems))
    differences[:, question.first, question.second] = estimates.mean
    effects = (differences.sum(axis=2) - differences.sum(axis=1)) / n_systems  # of a system: its mean difference to all
    return (1.0 - factor[:, None]) * effects


def share_interval(  # noqa: PLR0913 - what an interval is made of
    share: ArrayLike,
    resampled: Floats,
    *,
    freedom: int,
    confidence_level: float,
    around_share: bool = False,
    apart: float = 0.0,
) -> tuple[Floats, Floats]:
    r"""Return Wilson's interval for a share whose number of trials is read off its spread over resampled topics.

    Shapes: `share` (...), `resampled` (resample, ...), results (...). Resamples without a value are left out; where all
    have the share itself nothing is known of its spread, and there is no interval.

    Notes
    -----
    With m the mean and s the standard deviation over resamples (or their root mean square distance from the share), f
    the degrees of freedom and q the quantile of Student's t, the share D is one of
    :math:`n = m (1 - m) f / (s^2 (f + 1))` independent trials (the effective sample size of surveys; Korn and Graubard
    1998), and the interval (Wilson 1927) holds every p with :math:`|D - p| \le q \sqrt{p (1 - p) / n}`, where q is
    multiplied by 1 + `apart` for p below D and by 1 - `apart` above.

    Examples
    --------
    >>> low, high = share_interval(0.5, np.array([0.4, 0.5, 0.6]), freedom=20, confidence_level=0.95)
    >>> float(low.round(3)), float(high.round(3))
    (0.303, 0.697)
    """
    share = np.asarray(share, dtype=np.float64)
    mean, variance = np.nanmean(resampled, axis=0), np.nanvar(resampled, axis=0, ddof=1)
    if around_share:
        variance = np.nanmean((resampled - share) ** 2, axis=0)
    quantile = stdtrit(freedom, 0.5 + confidence_level / 2.0)
    spread = variance * (freedom + 1) / freedom  # of D around m; 1 / n once over m (1 - m)
    spread = np.divide(spread, mean * (1.0 - mean), out=np.zeros_like(spread), where=mean * (1.0 - mean) > 0.0)
    ends = []
    for side in (-1.0, 1.0):
        scale = (quantile * (1.0 - side * apart)) ** 2 * spread
        half = np.sqrt(scale * (share * (1.0 - share) + scale / 4.0))
        ends.append((share + scale / 2.0 + side * half) / (1.0 + scale))
    varies = spread > RELATIVE**2
    return np.where(varies, np.clip(ends[0], 0.0, share), np.nan), np.where(
        varies, np.clip(ends[1], share, 1.0), np.nan
    )
