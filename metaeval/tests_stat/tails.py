r"""Tails of the distributions that tests ask, and their logarithms where a double cannot hold them.

A p-value is positive whatever the data: below the smallest number of full precision, 2.2e-308, that number stands for
it as a bound, and the logarithm to base 10 beside it is right.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, betaln, gammaln, log_ndtr, ndtr, stdtr

from metaeval.base.arrays import Flags, Floats, Ints

LEAST = float(np.finfo(np.float64).tiny)
"""The smallest p-value that is given; it stands for smaller ones as a bound."""

_SAFE = 1e-290  # above, the libraries' own tails are right to their last digits
_LOG_10 = np.log(10.0)
_MOST_STEPS = 10_000
_SETTLED = 1e-14


class Tails(NamedTuple):
    """Chances, no smaller than `LEAST`, and their logarithms to base 10, however small."""

    p: Floats
    log10: Floats

    def certain(self, where: Flags) -> "Tails":
        """Return 1 in these places."""
        return Tails(np.where(where, 1.0, self.p), np.where(where, 0.0, self.log10))


def counted_shares(p: Floats) -> Tails:
    """Return shares of resamples as they are, which may be 0; the logarithm then is not known.

    Examples
    --------
    >>> counted_shares(np.array([0.01, 0.0]))
    Tails(p=array([0.01, 0.  ]), log10=array([-2., nan]))
    """
    return Tails(p, np.log10(np.where(p > 0.0, p, np.nan)))


def tails_of_logarithms(log10: Floats) -> Tails:
    """Return the chances of these logarithms to base 10.

    Examples
    --------
    >>> tails_of_logarithms(np.array([-2.0, -930.4])).p.tolist()
    [0.01, 2.2250738585072014e-308]
    """
    small = log10 <= np.log10(LEAST)
    return Tails(np.where(small, LEAST, 10.0 ** np.where(small, 0.0, log10)), log10)


def student_tail(freedom: Floats | float, t: Floats, n_units: Ints | Floats | float = 1) -> Tails:
    r"""Return :math:`P(T \le t)` for Student's t.

    Minus infinity stands for a difference that is the same in all of n units, where the data know nothing but signs:
    all fall on one side with a chance of :math:`2^{-n}`.

    Examples
    --------
    >>> found = student_tail(1999.0, np.array([-2.0, -122.406, -np.inf]), 5)
    >>> found.p.round(4).tolist(), found.log10.round(2).tolist()
    ([0.0228, 0.0, 0.0312], [-1.64, -930.74, -1.51])
    """
    freedom, t, n_units = np.broadcast_arrays(freedom, np.asarray(t, dtype=np.float64), n_units)
    p = np.where(np.isneginf(t), 0.5**n_units, stdtr(freedom, t))
    p[freedom == 0.0] = np.nan  # a single unit tells nothing
    log10, deep = _logarithms(p)
    if deep.any():
        normal = np.isinf(freedom[deep])
        nu = np.where(normal, 1.0, freedom[deep])
        ratio = t[deep] ** 2 / nu
        log = _log_beta_tail(0.5 * nu, 0.5, 1.0 / (1.0 + ratio), -np.log1p(ratio)) - np.log(2.0)
        log = np.where(normal, log_ndtr(t[deep]), log)
        log10[deep] = np.where(np.isinf(t[deep]), -n_units[deep] * np.log(2.0), log) / _LOG_10
    return _tails(p, log10)


def student_p(freedom: Floats | float, t: Floats, n_units: Ints | Floats | float = 1) -> Tails:
    """Return the two-sided p-value of Student's t; see `student_tail`.

    Examples
    --------
    >>> student_p(49.0, np.array([2.0096, np.inf]), 50).p.round(4).tolist()
    [0.05, 0.0]
    """
    return times(student_tail(freedom, -np.abs(t), n_units), 2)


def normal_tail(z: Floats) -> Tails:
    """Return the chance that a standard normal value is at most z.

    Examples
    --------
    >>> normal_tail(np.array([-1.96, -50.0])).log10.round(2).tolist()
    [-1.6, -544.97]
    """
    return _tails(ndtr(z), log_ndtr(z) / _LOG_10)


def even_binomial_tail(at_most: Ints, n: Ints, *, mid_p: bool = False) -> Tails:
    """Return the chance of at most so many heads in n throws of a fair coin; that of just so many halved for mid-p.

    Examples
    --------
    >>> even_binomial_tail(np.array([1, 100]), np.array([4, 2000])).log10.round(3).tolist()
    [-0.505, -430.997]
    """
    few, remaining = np.asarray(at_most, dtype=np.float64), np.subtract(n, at_most, dtype=np.float64)
    p = np.asarray(bdtr(few, np.asarray(n), 0.5))
    log10, deep = _logarithms(p)
    if deep.any():
        log10[deep] = _log_beta_tail(remaining[deep], few[deep] + 1.0, 0.5, np.log(0.5)) / _LOG_10
    if not mid_p:
        return _tails(p, log10)
    half = (
        gammaln(few + remaining + 1.0)
        - gammaln(few + 1.0)
        - gammaln(remaining + 1.0)
        - (few + remaining + 1.0) * np.log(2.0)
    )
    left = -np.expm1(half - log10 * _LOG_10)
    return _tails(p * left, log10 + np.log10(left))


def times(one: Tails, n: float) -> Tails:
    """Return so many times a chance, 1 at most: of both tails, or of so many hypotheses (Bonferroni).

    Examples
    --------
    >>> times(Tails(np.array([0.02, 0.6]), np.log10([0.02, 0.6])), 2).p.tolist()
    [0.04, 1.0]
    """
    return _tails(np.minimum(n * one.p, 1.0), np.minimum(one.log10 + np.log10(n), 0.0))


def smaller(one: Tails, other: Tails) -> Tails:
    """Return the smaller of two chances."""
    return Tails(np.minimum(one.p, other.p), np.minimum(one.log10, other.log10))


def larger(one: Tails, other: Tails) -> Tails:
    """Return the larger of two chances; the other where one is not known."""
    behind = (other.p > one.p) | np.isnan(one.p)
    return Tails(np.where(behind, other.p, one.p), np.where(behind, other.log10, one.log10))


def signs_tail(n: Ints | Floats, *, two_sided: bool) -> Tails:
    """Return the smallest p-value that an exact test by random signs can reach with n differences that are not 0.

    All n on one side are as far as signs can go; of none nothing can be said.

    Examples
    --------
    >>> signs_tail(np.array([0, 1, 5, 2000]), two_sided=True).p.tolist()
    [1.0, 1.0, 0.0625, 2.2250738585072014e-308]
    """
    halvings = np.maximum(np.asarray(n, dtype=np.float64) - two_sided, 0.0)
    return _tails(0.5**halvings, -halvings * np.log10(2.0))


def fewest_by_signs(alpha: float) -> int:
    """Return the fewest differences on which an exact two-sided test by random signs can reach a level.

    Examples
    --------
    >>> fewest_by_signs(0.05), fewest_by_signs(0.01)
    (6, 8)
    """
    return math.ceil(1.0 - math.log2(alpha))


def _tails(p: Floats, log10: Floats) -> Tails:
    """Take the chances from their logarithms where these are too small for the libraries."""
    return Tails(np.where(p < _SAFE, tails_of_logarithms(log10).p, p), log10)


def _logarithms(p: Floats) -> tuple[Floats, Flags]:
    """Return the logarithms to base 10, and where they are still to be found because the chances are too small."""
    deep = p < _SAFE
    return np.asarray(np.log10(np.where(deep, 1.0, p))), deep


def _log_beta_tail(a: Floats, b: Floats | float, x: Floats | float, log_x: Floats | float) -> Floats:
    r"""Return :math:`\log I_x(a, b)`, the regularised incomplete beta function, where x is below its mean.

    The continued fraction of DLMF 8.17.22, summed up by Lentz's method.
    """
    a, b, x, log_x = np.broadcast_arrays(a, b, x, log_x)
    tiny = 1e-300
    fraction = np.ones(a.shape)
    upper, lower = np.ones(a.shape), np.zeros(a.shape)
    for step in range(1, _MOST_STEPS):
        m = step // 2
        if step % 2:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        else:
            coefficient = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        lower = 1.0 + coefficient * lower
        lower = 1.0 / np.where(np.abs(lower) < tiny, tiny, lower)
        upper = 1.0 + coefficient / upper
        upper = np.where(np.abs(upper) < tiny, tiny, upper)
        change = upper * lower
        fraction = fraction * change
        if np.all(np.abs(change - 1.0) < _SETTLED):
            break
    with np.errstate(divide="ignore"):
        return np.asarray(a * log_x + b * np.log1p(-x) - np.log(a) - betaln(a, b) - np.log(fraction))
