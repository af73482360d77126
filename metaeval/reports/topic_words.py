# ruff: noqa: RUF002 - typographic dashes are meant for people
"""How topic counts and probabilities are written, in the page and in the terminal alike."""

import math

from metaeval.reports.tables import MISSING

__all__ = ["CURVE_NAMES", "chance", "topic_count"]

CURVE_NAMES = {
    "exponential": "exponential",
    "power": "power law",
    "stretched_exponential": "stretched exponential",
    "exponential_with_floor": "exponential with a floor",
    "orthant": "orthant curve",
}
"""What a sentence calls each curve."""

_LEAST, _MOST = 0.01, 0.99


def topic_count(value: object) -> str:
    """Write a number of topics: exactly where small, with three digits where large, in words where endless.

    Examples
    --------
    >>> topic_count(37.0), topic_count(24875.0), topic_count(float("inf")), topic_count(float("nan"))
    ('37', '24900', 'over a million', '–')
    """
    topics = float(str(value))
    if math.isnan(topics):
        return MISSING
    return "over a million" if math.isinf(topics) else f"{float(f'{topics:.3g}'):.0f}"


def chance(value: object) -> str:
    """Write a probability that was estimated from draws, never surer than draws can be.

    Examples
    --------
    >>> chance(0.914), chance(0.999), chance(0.0), chance(float("nan"))
    ('91 %', '>99 %', '<1 %', '–')
    """
    share = float(str(value))
    if math.isnan(share):
        return MISSING
    return "<1 %" if share < _LEAST else ">99 %" if share > _MOST else f"{100 * share:.0f} %"
