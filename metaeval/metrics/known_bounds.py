"""What the values of a metric may be, as far as its name or its values tell."""

import numpy as np

from metaeval.base.metric_names import MetricNameError, translations
from metaeval.metrics.bounds import within_bounds


def known_bounds(name: str, lowest: float, highest: float, *, shares: bool) -> tuple[float, float]:
    """Return what a metric's values may be, as far as its name or its values tell: infinite where they do not.

    A name is one of the measures that come with the package, if no value belies it; values of 0 and 1 alone are shares
    of what passed.

    Examples
    --------
    >>> known_bounds("RR", 0.5, 1.0, shares=False), known_bounds("RR", 50.0, 100.0, shares=False)
    ((0.0, 1.0), (-inf, inf))
    >>> known_bounds("solved", 0.0, 1.0, shares=True), known_bounds("comet", 0.5, 0.9, shares=False)
    ((0.0, 1.0), (-inf, inf))
    """
    from metaeval.metrics.builtin import BUILTIN  # noqa: PLC0415 - loads numba, and not every metric is asked about

    if shares:
        return 0.0, 1.0
    try:
        specs = [BUILTIN.find(parsed.word) for parsed in translations(name)]
    except MetricNameError:
        specs = []
    fitting = [one.bounds for one in specs if one and within_bounds(np.array([lowest, highest]), one.bounds).all()]
    return fitting[0] if fitting else (-np.inf, np.inf)
