"""What a metric's values may be: finite, and within the bounds that it declares."""

from collections.abc import Sequence
from math import e

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError
from metaeval.running.equality import RELATIVE

OVER_GREEDY = e / (e - 1.0)
r"""The most that a list may gain over one that takes the document with most novel gain next.

Gain that wears off is a monotone submodular function of a set of documents, so that the first n of the greedy list have
at least :math:`1 - 1/e` of the gain of any n (Nemhauser, Wolsey and Fisher 1978), and discounts fall with the rank.
"""


class MetricError(InvalidOptionError):
    """A metric with a wrong signature, or with a value that is not finite or outside its bounds."""


class BoundsError(MetricError):
    """A score outside the bounds that its metric declares."""


def check_values(
    name: str, values: NDArray[np.float64], bounds: tuple[float, float], systems: Sequence[str], topics: Sequence[str]
) -> None:
    """Refuse scores that are no finite numbers, or lie outside the bounds by more than rounding.

    Shapes: `values` (n_systems, n_topics).

    Examples
    --------
    >>> check_values("AP", np.array([[1.0000000000000002]]), (0.0, 1.0), ["a"], ["1"])
    """
    if not np.isfinite(values).all():
        system, topic = (int(index) for index in np.argwhere(~np.isfinite(values))[0])
        raise MetricError(
            f"{name} must give a finite number for every list; run {systems[system]!r}, topic {topics[topic]!r} got "
            f"{float(values[system, topic])!r}"
        )
    inside = within_bounds(values, bounds)
    if inside.all():
        return
    system, topic = (int(index) for index in np.argwhere(~inside)[0])
    more = int((~inside).sum()) - 1
    raise BoundsError(
        f"{name} lies outside the declared bounds {bounds_text(bounds)} for run {systems[system]!r}, topic "
        f"{topics[topic]!r}: {float(values[system, topic])!r}{f' (and {more} more)' if more else ''}; correct the "
        "metric, or declare the bounds that it has: `@metric(bounds=(low, high))`"
    )


def within_bounds(values: NDArray[np.float64], bounds: tuple[float, float]) -> NDArray[np.bool_]:
    """Say which values lie within bounds, those that equal a bound up to rounding included.

    A value near 0 is a difference of larger numbers, so the sizes are those of the whole range.
    """
    low, high = map(float, bounds)
    finite = [abs(bound) for bound in (low, high) if np.isfinite(bound)]
    size = max(finite) if len(finite) > 1 else max([*finite, float(np.abs(values).max(initial=0.0))])
    allowance = RELATIVE * size
    return (values >= low - allowance) & (values <= high + allowance)


def bounds_text(bounds: tuple[float, float]) -> str:
    """Write bounds as an interval."""
    return f"[{bounds[0]:g}, {bounds[1]:g}]"
