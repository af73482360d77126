"""Standard errors that no mean of its kind can have: 0 from several answers, or more than scores in a range allow."""

from collections.abc import Sequence

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.names import first_few
from metaeval.errors import ScoresError

NORMAL_97_5 = 1.959963984540054
_ALL, _SOME = 100.0, 10.0
"""Per cents of everything, and of so much that they are no shares of 1."""
_NEAR = 2
"""Doublings between the numbers of answers that means and their errors tell of, where they are about as many."""
_BINOMIAL = 0.05  # how far printed errors of shares may be from those of n answers


def usable_errors(
    means: Floats, errors: Floats, n: Floats, *, about: tuple[str, Sequence[str]]
) -> tuple[Floats, list[str]]:
    """Return the errors, those of 0 of shares made anew from the number of items, and what is said of it.

    A mean of n answers between 0 and 1 that is neither 0 nor 1 has no error of 0; where the other errors are those of
    answers that are 0 or 1, the right one is known. At 0 and 1 it is that of an exact interval (Clopper and Pearson).
    """
    metric, names = about
    zero = errors == 0
    scale = next((top for top in (1.0, 100.0) if means.min() >= 0 and means.max() <= top), None)
    if scale is None or not zero.any():
        return errors, []
    shares = means / scale
    ends = zero & ((shares == 0) | (shares == 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        binomial = np.sqrt(shares * (1 - shares) / (n - 1))
        near = np.abs(errors / scale / binomial - 1) <= _BINOMIAL
    inside = ~zero & (shares > 0) & (shares < 1)
    odd = first_few([names[at] for at in np.flatnonzero(zero).tolist()])
    if inside.any() and not near[inside].all() and not np.isnan(n[zero]).any():
        return errors, [f"under {metric}, the standard error of {odd} is 0, as of one score throughout"]
    if not inside.any() or np.isnan(n[zero]).any():
        raise ScoresError(
            f"the standard error of {odd} under {metric!r} is 0, which a mean of several answers never has; give the "
            "right one, or leave these systems out"
        )
    exact = _exact_error(n)
    made = np.where(ends, exact, binomial) * scale
    kinds = ((zero & ~ends, "that of shares"), (ends, "half of an exact 95 % interval over 1.96"))
    width = 2 * NORMAL_97_5 * exact
    far = np.where(shares == 0, width, 1 - width) * scale
    between = [
        f" ({min(end, other):.4g} to {max(end, other):.4g})" if told else ""
        for end, other, told in zip(means.tolist(), far.tolist(), ends.tolist(), strict=True)
    ]
    return np.where(zero, made, errors), [
        f"under {metric}, standard errors of 0 are replaced by {replacement}: "
        + first_few([f"{names[at]} {made[at]:.4f}{between[at]}" for at in np.flatnonzero(told).tolist()])
        for told, replacement in kinds
        if told.any()
    ]


def errors_of_shares(shares: Floats, n: Floats) -> Floats:
    """Return the standard errors of shares of n answers, at 0 and 1 those of exact intervals.

    Examples
    --------
    >>> errors_of_shares(np.array([0.36, 1.0]), np.array([64, 64])).round(4).tolist()
    [0.06, 0.0143]
    """
    return np.where((shares == 0) | (shares == 1), _exact_error(n), np.sqrt(shares * (1 - shares) / n))


def _exact_error(n: Floats) -> Floats:
    """Return half of an exact 95 % interval (Clopper and Pearson) around 0 or 1 of n answers, over 1.96."""
    return np.asarray((1 - 0.025 ** (1 / n)) / (2 * NORMAL_97_5))


def impossible_errors(means: Floats, errors: Floats, n: Floats, *, about: tuple[str, Sequence[str]]) -> list[str]:
    """Say which standard errors are larger than those of n scores between 0 and 1 (or 100) of this mean can be."""
    scale = next((top for top in (1.0, 100.0) if means.min() >= 0 and means.max() <= top), None)
    if scale is None:
        return []
    metric, names = about
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.sqrt(means * (scale - means) / (np.where(np.isnan(n), 2, n) - 1))  # of two scores or more
    odd = np.flatnonzero((errors > (1 + _BINOMIAL) * largest) & (means > 0) & (means < scale)).tolist()
    listing = first_few(
        [
            f"{names[at]} {errors[at]:.4g}, at most {largest[at]:.4g}" + ("" if np.isnan(n[at]) else f" of {n[at]:g}")
            for at in odd
        ],
        between="; ",
    )
    return (
        [f"under {metric}, standard errors are larger than scores from 0 to {scale:g} can have: {listing}"]
        if listing
        else []
    )


def mixed_scales(means: Floats, errors: Floats, n: Floats, *, about: tuple[str, Sequence[str]]) -> list[str]:
    """Say which means are shares beside per cents, or that errors beside these are those of shares.

    A share and its error tell of how many answers it is, which are about as many for all; what has less than one per
    cent right has an error of one, too.
    """
    metric, names = about
    high = (means >= _SOME) & (means < _ALL) & (errors > 0)
    low = (means > 0) & (means < 1) & (errors > 0)
    if not high.any() or not ((means == 0) | (means == _ALL) | high | low).all():
        return []
    variances = np.where(errors > 0, errors, np.nan) ** 2
    usual = (means * (_ALL - means) / variances)[high]
    if (np.abs(np.sqrt(usual / n[high]) / _ALL - 1) <= _BINOMIAL).all():
        return [f"under {metric}, means are per cents, and standard errors those of shares; write both on one scale"]
    is_share = low & (np.abs(np.log2(np.where(low, means * (1 - means), 1) / variances / np.median(usual))) < _NEAR)
    odd = first_few([name for name, is_odd in zip(names, is_share, strict=True) if is_odd])
    shares = f"under {metric}, the means of {odd} are shares, and the others per cents; write all on one scale"
    return [shares] if is_share.any() else []
