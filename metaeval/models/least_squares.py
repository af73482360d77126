"""The last digits of a fit by least squares, which a search does not settle."""

from collections.abc import Callable

import numpy as np

from metaeval.base.arrays import Floats

_STEP, _STEP_OF_SLOPES = 1e-5, 1e-4
"""By which slopes of residuals, and of the sum of squares, are taken, for parameters of the size of 1: the first are
then right to ten digits, and the second only say how far to go."""
_MOST_STEPS, _BESIDE = 12, 0.1
"""Steps, and the length that the first may have: from further away a search should come nearer."""
_FLAT = 1e-6
"""Curvature beside the largest, below which it may be rounding: the data say nothing of such a direction."""


def settled_minimum(residuals: Callable[[Floats], Floats], logs: Floats) -> Floats:
    """Return the minimum of least squares beside which a search stopped, the same on every processor.

    A search ends where the sum of squares falls no further, which is so for half of the digits of the parameters: which
    of these come out depends on the last bit of slopes by forward differences. Newton's steps to where the slope by
    central ones is 0 go on for as long as each is shorter than the one before.

    Parameters
    ----------
    residuals : function of arrays (..., parameter) that returns arrays (..., observation)
    logs : array (parameter,)

    Examples
    --------
    >>> seen = np.array([1.0, 2.0, 4.1])
    >>> near = settled_minimum(lambda logs: np.exp(logs * np.arange(3)) - seen, np.array([0.7]))
    >>> bool(abs((np.exp(near[0] * np.arange(3)) - seen) @ (np.arange(3) * np.exp(near[0] * np.arange(3)))) < 1e-9)
    True
    """
    shifts, before = _STEP * np.eye(len(logs)), _BESIDE
    wider = _STEP_OF_SLOPES * np.eye(len(logs))

    def slope(at: Floats) -> Floats:
        each = (residuals(at[..., None, :] + shifts) - residuals(at[..., None, :] - shifts)) / (2.0 * _STEP)
        return np.asarray((each * residuals(at)[..., None, :]).sum(axis=-1))

    for _ in range(_MOST_STEPS):
        curvature = (slope(logs + wider) - slope(logs - wider)) / (2.0 * _STEP_OF_SLOPES)
        if not np.isfinite(curvature).all():
            break
        if not len(logs):
            break
        sizes, directions = np.linalg.eigh((curvature + curvature.T) / 2.0)
        told = sizes > _FLAT * sizes[-1]
        step = -directions[:, told] @ ((slope(logs) @ directions[:, told]) / sizes[told])
        if not (size := float(np.abs(step).max(initial=0.0))) < before:
            break
        logs, before = logs + step, size
    return logs
