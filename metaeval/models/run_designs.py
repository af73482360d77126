r"""Topics needed where whole runs of a system differ, as one seed from another: errors that no topic takes away.

With V the variance of a system's score on a topic, R what runs add to its mean over k repeats (`metaeval.table.runs`)
and n topics, a mean errs by :math:`V/n + R`, with Satterthwaite's degrees of freedom
:math:`(V/n + R)^2 / ((V/n)^2 / (n - 1) + R^2 / (g (k - 1)))`, of g systems. One run alone (k = 1)
tells nothing of others.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri, gammaln, ncfdtr, stdtrit

from metaeval.base.arrays import Flags, Floats
from metaeval.base.notes import RunVariances
from metaeval.models.sample_size import MOST_TOPICS
from metaeval.tests_stat.noncentral_t import two_sided_power

_EACH = 32
"""Topics up to which every number is tried; beyond them steps of 10 %, the first of which that is enough is halved."""
_STEP = 1.1
_MOST_REPEATS = 10_000
_PATIENCE = 5
"""Further repeats that are tried where they take no fewer scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """What repeats add to the variance of one system, under one metric."""

    repeats: int
    """Of every score."""
    run: float
    """Variance of a mean over all topics from one whole run to another."""
    score: float
    """Variance of a score on a topic that one repeat has, and that more of them divide."""

    def of_mean(self) -> float:
        """Return what whole runs add to the variance of a mean over the repeats."""
        return self.run / self.repeats

    def less_at(self, repeats: int) -> float:
        """Return how much smaller the variance of a score is as the mean of other repeats.

        Examples
        --------
        >>> RunParts(repeats=2, run=0.1, score=1.0).less_at(4)
        0.25
        """
        return self.score * (1.0 / self.repeats - 1.0 / repeats)


def run_parts(notes: object, metric: str) -> tuple[RunParts, float] | None:
    """Return what repeats add to the variance of a system, over all systems, and degrees of freedom; None without runs.

    Variances are pooled by degrees of freedom, so that a system whose runs happen to be alike counts as such.

    Examples
    --------
    >>> told = {"variance": 0.1, "freedom": 2.0, "repeats": 3.0, "run": 0.5, "score": 2.5}
    >>> run_parts([RunVariances("means over 3 repeats", {"m": {"a": told}})], "m")
    (RunParts(repeats=3, run=0.5, score=2.5), 2.0)
    """
    told = [
        cell
        for note in (notes if isinstance(notes, list | tuple) else ())
        if isinstance(note, RunVariances)
        for cell in note.runs.get(metric, {}).values()
        if "repeats" in cell
    ]
    if not told:
        return None
    weights = np.array([cell["repeats"] - 1.0 for cell in told])
    run, score = (float(weights @ [cell[name] for cell in told] / weights.sum()) for name in ("run", "score"))
    repeats = round(len(told) / sum(1.0 / cell["repeats"] for cell in told))
    return RunParts(repeats=repeats, run=max(0.0, run), score=score), float(weights.sum())


class Error(NamedTuple):
    """Variance of the error of a system's mean, by topics, and its degrees of freedom."""

    variance: Floats
    freedom: Floats


def mean_error(n_topics: Floats, variance: float, runs: float, repeats: int, *, systems: int = 0) -> Error:
    """Return the error of a mean with runs in it; of a paired difference (0 systems), or of one-way groups.

    Examples
    --------
    >>> error = mean_error(np.array([10.0]), 0.1, 0.01, 2)
    >>> error.variance.round(9).tolist(), error.freedom.round(4).tolist()
    ([0.02], [6.5455])
    """
    of_topics = variance / n_topics
    with np.errstate(divide="ignore"):
        over = of_topics**2 / ((systems or 1) * (n_topics - 1.0)) + np.divide(runs**2, (systems or 2) * (repeats - 1.0))
    total = of_topics + runs
    return Error(total, total**2 / over)


def t_power(error: Error, difference: float, *, alpha: float) -> Floats:
    """Return the chance that the t test of two means finds their difference; 0 without degrees of freedom."""
    is_estimable = error.freedom > 0.0
    freedom = np.where(is_estimable, error.freedom, 1.0)
    return np.where(
        is_estimable, two_sided_power(difference / np.sqrt(2.0 * error.variance), freedom, alpha=alpha), 0.0
    )


def f_power(error: Error, difference: float, n_systems: int, *, alpha: float) -> Floats:
    """Return the chance that an analysis of variance finds that systems differ, the others midway between the two."""
    is_estimable = error.freedom > 0.0
    freedom, between = np.where(is_estimable, error.freedom, 1.0), n_systems - 1.0
    critical = fdtri(between, freedom, 1.0 - alpha)
    return np.where(is_estimable, 1.0 - ncfdtr(between, freedom, difference**2 / (2.0 * error.variance), critical), 0.0)


def t_width(error: Error, *, alpha: float) -> Floats:
    """Return the expected width of the t interval of a difference; infinite without degrees of freedom."""
    is_estimable = error.freedom > 0.0
    freedom = np.where(is_estimable, error.freedom, 1.0)
    shrink = np.sqrt(2.0 / freedom) * np.exp(gammaln((freedom + 1.0) / 2.0) - gammaln(freedom / 2.0))
    width = 2.0 * stdtrit(freedom, 1.0 - alpha / 2.0) * shrink * np.sqrt(2.0 * error.variance)
    return np.where(is_estimable, width, np.inf)


def fewest_topics(enough: Callable[[Floats], Flags]) -> int | None:
    """Return the fewest topics that are enough; None where no number is.

    More topics may be too many: what is left is then the error of runs, with few degrees of freedom.

    Examples
    --------
    >>> fewest_topics(lambda n: n >= 12345), fewest_topics(lambda n: n < 0)
    (12345, None)
    """
    steps = round(np.log(MOST_TOPICS / _EACH) / np.log(_STEP))
    tried = np.r_[np.arange(2, _EACH), np.ceil(np.geomspace(_EACH, MOST_TOPICS, steps))]
    reached = np.asarray(enough(tried))
    if not reached.any():
        return None
    at = int(np.argmax(reached))
    low = int(tried[max(at - 1, 0)])
    numbers = range(low, int(tried[at]) + 1)
    return numbers[bisect_left(numbers, x=True, hi=len(numbers) - 1, key=lambda n: bool(enough(np.array([n]))[0]))]


def fewest_scores(topics_at: Callable[[int], int | None], above: int) -> tuple[int, int] | None:
    """Return the repeats, more than those planned, and the topics that are enough with the fewest scores, if any are.

    Examples
    --------
    >>> fewest_scores(lambda repeats: 100 // (repeats - 6) + 10 if repeats > 6 else None, 5)
    (14, 22)
    """
    by_repeats: dict[int, int | None] = {}

    def topics(repeats: int) -> int | None:
        if repeats not in by_repeats:
            by_repeats[repeats] = topics_at(repeats)
        return by_repeats[repeats]

    high = above + 1
    while topics(high) is None:
        high *= 2
        if high > _MOST_REPEATS:
            return None
    numbers = range(above + 1, high + 1)
    repeats = numbers[bisect_left(numbers, x=True, key=lambda number: topics(number) is not None)]
    best: tuple[int, int] | None = None
    last = repeats
    while repeats <= last + _PATIENCE:
        needed = topics(repeats)
        if needed is not None and (best is None or needed * repeats < best[0] * best[1]):
            best, last = (repeats, needed), repeats
        repeats += 1
    return best
