r"""Runs of systems as part of the error of a mean: a difference that new runs would not turn.

With :math:`s^2 / n` the variance of a mean difference over items and :math:`v_a, v_b` what runs of the two systems add
(`metaeval.table.runs`), :math:`t = \bar d / \sqrt{s^2 / n + v_a + v_b}` is asked of Student's t with Satterthwaite's
degrees of freedom [1]_. Items and runs both are drawn, as in Clark's quasi-F ratio of materials and people [2]_.

.. [1] Satterthwaite (1946). An approximate distribution of estimates of variance components. Biometrics Bulletin 2(6),
   110-114. :doi:`10.2307/3002019`
.. [2] Clark (1973). The language-as-fixed-effect fallacy. Journal of Verbal Learning and Verbal Behavior 12(4),
   335-359. :doi:`10.1016/S0022-5371(73)80014-3`
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import t_half_width
from metaeval.table.runs import known_runs, run_variances
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.units import units_of
from metaeval.tests_stat.pairs import Estimates, Evidence, Question
from metaeval.tests_stat.robust import difference_estimates, pair_estimates, t_evidence
from metaeval.tests_stat.tails import student_p


class Runs(NamedTuple):
    """What runs add to the variances of means or differences: arrays (metric, system) or (metric, pair)."""

    variance: Floats
    over_freedom: Floats
    """Squared variances by their degrees of freedom, added up."""

    @classmethod
    def of(cls, scores: Scores, first: Ints, second: Ints | None = None) -> "Runs | None":
        """Return those of systems, or of pairs of them; None where scores are no means over runs."""
        names = (scores[dim].to_numpy().tolist() for dim in ("metric", "system"))
        known = run_variances(scores.attrs.get("notes"), *names)
        return None if known is None else cls.of_pairs(known, first, second)

    @classmethod
    def of_pairs(cls, known: tuple[Floats, Floats], first: Ints, second: Ints | None) -> "Runs":
        """Return those of systems, or of pairs of them, from their variances and degrees of freedom."""
        by_system = known[0], known[0] ** 2 / known[1]
        return cls(*(values[:, first] + (0.0 if second is None else values[:, second]) for values in by_system))

    def at(self, where: tuple[Ints, Ints]) -> "Runs":
        """Return those at some places of the arrays."""
        return Runs(self.variance[where], self.over_freedom[where])

    def widen(self, error: Floats, freedom: Floats | float) -> tuple[Floats, Floats]:
        """Return the standard errors and degrees of freedom with the runs in them.

        Examples
        --------
        >>> Runs(np.array([0.0007]), np.array([0.0007**2 / 2])).widen(np.array([0.01]), 39.0)[1].round(2).tolist()
        [2.61]
        """
        of_items = np.where(error > 0.0, error**2, 0.0)
        total = of_items + self.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            over = np.where(of_items > 0.0, of_items**2 / freedom, 0.0) + self.over_freedom
            return np.sqrt(total), np.where(self.variance > 0.0, total**2 / over, freedom)


def with_runs(estimates: Estimates, scores: Scores, first: Ints, second: Ints | None = None) -> Estimates:
    """Return estimates of systems, or of pairs of them, with the runs in their errors."""
    runs = Runs.of(scores, first, second)
    if runs is None:
        return estimates
    error, freedom = runs.widen(estimates.error, estimates.freedom)
    return estimates._replace(error=error, freedom=freedom)


def on_these_topics(scores: Scores, pairs: Sequence[tuple[str, str]], differences: Floats) -> Floats | None:
    """Return p-values of Welch's t test between runs of the two systems of each pair, on these topics and no others.

    NaN where a system has one run, or runs of neither differ; None where scores are no means over runs that are known.
    Shapes (metric, pair).

    Examples
    --------
    >>> from metaeval.base.notes import RunVariances
    >>> from metaeval import as_scores
    >>> of = {"repeats": 3.0, "means": 0.003}
    >>> note = RunVariances("means over 3 repeats", {"m": {"a": of, "b": of}})
    >>> scores = as_scores([[0.4, 0.6], [0.6, 0.8]], systems=["a", "b"], metrics=["m"]).assign_attrs(notes=[note])
    >>> on_these_topics(scores, [("a", "b")], np.array([[-0.2]])).round(4).tolist()
    [[0.0111]]
    """
    runs_of = known_runs(scores.attrs.get("notes"))
    if not runs_of:
        return None
    systems = {str(name): at for at, name in enumerate(scores["system"].to_numpy())}
    told = [[runs_of.get(str(metric), {}).get(name, {}) for name in systems] for metric in scores["metric"].to_numpy()]
    means, repeats = (
        np.array([[of.get(key, np.nan) for of in row] for row in told], dtype=np.float64)
        for key in ("means", "repeats")
    )
    sides = np.array([[systems[name] for name in pair] for pair in pairs], dtype=np.intp).reshape(-1, 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = (means / repeats)[:, sides]
        total = squares.sum(axis=2)
        freedom = total**2 / (squares**2 / (repeats[:, sides] - 1.0)).sum(axis=2)
        statistic = np.where(total > 0.0, differences / np.sqrt(total), np.nan)
    return student_p(freedom, statistic).p


class RunTest(NamedTuple):
    """What the t test with runs in its error says of pairs, arrays (metric, pair): no evidence of items goes beyond."""

    p: Floats
    """The p-value; 0 where runs of neither system differ, so that they limit nothing."""
    low: Floats
    high: Floats
    """The ends of the interval of the difference, turned so that higher is better."""


def run_test(scores: Scores, first: Ints, second: Ints, *, alpha: float) -> RunTest | None:
    """Return what runs leave open of the differences of pairs, at level alpha; None where there are no runs."""
    runs = Runs.of(scores, first, second)
    if runs is None:
        return None
    of_items = difference_estimates(oriented_values(scores), units_of(scores), first, second)
    error, freedom = runs.widen(of_items.error, of_items.freedom)
    estimates = of_items._replace(error=error, freedom=freedom)
    p = student_p(estimates.certain_freedom, estimates.statistic, estimates.n_units).p
    half = t_half_width(error, estimates.certain_freedom + 1.0, 1.0 - alpha)
    return RunTest(np.where(runs.variance > 0.0, p, 0.0), estimates.mean - half, estimates.mean + half)


def beyond_runs(question: Question, evidence: Evidence) -> Evidence | None:
    """Return what the t test says of each pair if runs are drawn as items are; None where there are no runs."""
    if Runs.of(question.scores, question.first, question.second) is None:
        return None
    estimates = with_runs(
        evidence.estimates or pair_estimates(question), question.scores, question.first, question.second
    )
    made = t_evidence(question, estimates.statistic, estimates.certain_freedom, estimates.without_evidence)
    return replace(made, estimates=estimates, error=estimates.error)
