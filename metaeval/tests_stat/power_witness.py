"""Topics on which it rests that one metric finds more significant pairs than another."""

from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from metaeval.running.equality import RELATIVE
from metaeval.table.array import has_gaps
from metaeval.table.scores import Scores, by_name, oriented_values
from metaeval.table.units import units_of
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import all_pairs

_AT_ONCE = 1_000_000
_FEWEST, _MOST_INFLUENTIAL = 5, 3


def finds_more_without(scores: Scores, metric: str, rival: str, *, alpha: float) -> tuple[str, ...] | None:
    """Return one or two topics without which a metric finds no more significant pairs than another, uncorrected.

    Every topic by itself, and the three that count most two by two. Shapes of scores as a test has them; with clusters,
    weights or gaps there is no answer.

    Returns
    -------
    tuple of str or None
        Names; empty where the lead outlives all these, None where it cannot be told.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=6, n_topics=40, metrics=["AP", "RR"], rng=1)
    >>> finds_more_without(scores, "AP", "RR", alpha=0.05)
    ('30',)
    """
    scores = by_name(scores.sel(metric=[metric, rival]), "topic")
    if not units_of(scores).plain or has_gaps(scores.to_numpy()) or scores.sizes["topic"] < _FEWEST:
        return None
    names, n = scores["topic"].to_numpy().tolist(), scores.sizes["topic"]
    first, second = all_pairs(scores.sizes["system"])
    asked = stdtrit(n - 2.0, alpha / 2.0) ** 2
    lead = np.zeros(n)
    for sign, values in zip((1, -1), oriented_values(scores), strict=True):
        for start in range(0, len(first), step := max(1, _AT_ONCE // n)):
            differences = values[first[start : start + step]] - values[second[start : start + step]]
            total = differences.sum(axis=1, keepdims=True) - differences
            squares = (differences**2).sum(axis=1, keepdims=True) - differences**2
            around = np.maximum(squares - total**2 / (n - 1.0), RELATIVE * squares)
            with np.errstate(invalid="ignore"):  # equal throughout
                lead += sign * (total**2 * (n - 2.0) / ((n - 1.0) * around) >= asked).sum(axis=0)
    order = np.argsort(lead, kind="stable")[:_MOST_INFLUENTIAL].tolist()
    candidates = [(topic,) for topic in order] + list(combinations(order, 2))
    for gone in candidates:
        left = scores.isel(topic=np.delete(np.arange(n), gone))
        counts = paired_t_test(left, correction="none", alpha=alpha).data["significant"].sum("pair").to_numpy()
        if counts[0] <= counts[1]:
            return tuple(names[topic] for topic in gone)
    return ()
