"""Ends of the intervals of means that say no more than the scores can."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import t_half_width
from metaeval.metrics.known_bounds import known_bounds


class Seen(NamedTuple):
    """What is seen of the values of every metric: arrays (metric,)."""

    lowest: Floats
    highest: Floats
    shares: Flags
    """Whether all are 0 or 1."""

    @classmethod
    def of(cls, values: Floats) -> "Seen":
        """Look at scores (metric, system, topic)."""
        flat = values.reshape(len(values), -1)
        shares = ((flat == 0.0) | (flat == 1.0) | np.isnan(flat)).all(axis=1)
        return cls(np.nanmin(flat, axis=1), np.nanmax(flat, axis=1), shares)

    def bounds(self, metrics: Sequence[str]) -> Floats:
        """Return the least and the largest value of every metric, infinite where neither name nor values tell."""
        return np.array(
            [
                known_bounds(name, float(low), float(high), shares=bool(share))
                for name, low, high, share in zip(metrics, *self, strict=True)
            ]
        )


def ends_of_means(  # noqa: PLR0913 - what an interval is made of
    mean: Floats,
    error: Floats,
    n_units: Floats,
    freedom: Floats,
    *,
    seen: Seen,
    metrics: Sequence[str],
    confidence_level: float,
    apart: bool = False,
) -> tuple[Floats, Floats]:
    r"""Return the ends of t intervals, within what the metric's values may be: arrays (metric, system or pair).

    With `apart` the means are of differences. Where nothing varies there is no error to go by. If a value that all of n
    units have comes with the chance q, they all have it with the chance :math:`q^n`, which is :math:`\alpha / 2` at
    :math:`q = (\alpha / 2)^{1/n}`; the mean then lies between those with all the rest at either bound. Of shares of 0
    and 1 these are the ends of Clopper and Pearson [1]_; a share whose t interval would leave the range has the ends of
    Wilson [2]_, with its error in place of the binomial one. Where no bounds are known there is no interval.

    References
    ----------
    .. [1] Clopper and Pearson (1934). The use of confidence or fiducial limits illustrated in the case of the binomial.
       Biometrika 26, 404-413. :doi:`10.1093/biomet/26.4.404`
    .. [2] Wilson (1927). Probable inference, the law of succession, and statistical inference. Journal of the American
       Statistical Association 22, 209-212. :doi:`10.1080/01621459.1927.10502953`

    Examples
    --------
    >>> one, scores = np.array([[1.0]]), np.ones((1, 1, 5))
    >>> low, high = ends_of_means(
    ...     one, 0.0 * one, 5.0 * one, 4.0 * one, seen=Seen.of(scores), metrics=["RR"], confidence_level=0.95
    ... )
    >>> round(float(low[0, 0]), 4), float(high[0, 0])
    (0.4782, 1.0)
    """
    half = np.where(n_units > 1, t_half_width(error, freedom + 1.0, confidence_level), np.nan)
    alike = (error == 0.0) & (n_units > 1)
    low, high = (np.where(alike, np.nan, mean + side * half) for side in (-1.0, 1.0))
    room = (seen.highest - seen.lowest)[:, None]
    least, most = (-room, room) if apart else (seen.lowest[:, None], seen.highest[:, None])
    if not (alike | (low < least) | (high > most)).any():
        return low, high
    least, most = (end[:, None] for end in seen.bounds(metrics).T)
    if apart:
        least, most = least - most, most - least
    share = (0.5 - confidence_level / 2.0) ** (1.0 / np.maximum(n_units, 1.0))
    complement = np.where(alike & np.isfinite(most - least), 1.0 - share, np.nan)
    with np.errstate(invalid="ignore"):
        low = np.where(alike, mean - complement * (mean - least), np.maximum(low, least))
        high = np.where(alike, mean + complement * (most - mean), np.minimum(high, most))
    if apart or not seen.shares.any():
        return low, high
    beyond = seen.shares[:, None] & ~alike & (np.abs(mean - 0.5) + half > 0.5)  # noqa: PLR2004 - the middle of shares
    lower, upper = _wilson(mean, error, half)
    return np.where(beyond, lower, low), np.where(beyond, upper, high)


def _wilson(share: Floats, error: Floats, half: Floats) -> tuple[Floats, Floats]:
    r"""Return the ends of Wilson's interval of shares whose t interval is `half` wide on each side.

    The units that would have this error are :math:`p (1 - p) / error^2 + 1`, which are all where they are drawn alone.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        weight = np.square(half / error) / (share * (1.0 - share) / np.square(error) + 1.0)
        middle, spread = (
            (share + weight / 2.0) / (1.0 + weight),
            share * (1.0 - share) * weight + np.square(weight) / 4.0,
        )
        reach = np.sqrt(spread) / (1.0 + weight)
    return middle - reach, middle + reach
