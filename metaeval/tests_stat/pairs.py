"""Which pairs of systems are compared, and what is asked of them.

A test receives a `Question` (values already turned so that higher is better, the pairs, the alternative) and gives
back `Evidence`; everything around it is the same for every test.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.checks import check_choice, check_share
from metaeval.equality import RELATIVE, difference
from metaeval.scores import Scores, as_scores, oriented_values
from metaeval.tests_stat.docstrings import documented

__all__ = ["Alternative", "Evidence", "PValueRule", "Question", "all_pairs", "ask", "resampled_p_value"]

Alternative = Literal["two-sided", "greater", "less", "better"]
PValueRule = Literal["plus-one", "plain"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """What every test receives.

    Attributes
    ----------
    scores : Scores
        As given by the user, raw.
    values : array (metric, system, topic)
        Turned so that higher is better.
    first, second : array (pair,)
        Positions of the two systems of every pair; the difference is first minus second.
    alternative : str
        See `ask`.
    alpha : float
        Significance level.
    baseline : str or None
        The system that every pair holds, if one was named.
    """

    scores: Scores
    values: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    alternative: Alternative
    alpha: float
    baseline: str | None = None

    @property
    def one_sided(self) -> bool:
        """Whether the test must answer for both tails separately."""
        return self.alternative != "two-sided"

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.values.shape[2]

    @property
    def sizes(self) -> NDArray[np.float64]:
        """The sizes of every system's scores, added up over the topics, shape (metric, system)."""
        return np.abs(self.values).sum(axis=2)

    @property
    def tolerance(self) -> NDArray[np.float64]:
        """How far two sums of a pair's scores may lie apart and still be one number, shape (metric, pair).

        Scores are often multiples of 0.1 or 1/k, so sums that are equal on paper differ in the last bits. The rule is
        that of `metaeval.equality`: the sizes are those of the pair's own scores, whatever the other systems have.
        """
        sizes = self.sizes
        return RELATIVE * (sizes[:, self.first] + sizes[:, self.second])

    def mean_differences(self) -> NDArray[np.float64]:
        """Return mean of first minus mean of second, shape (metric, pair); exactly 0 where the means are equal."""
        a, b = self.first, self.second
        sums, sizes = self.values.sum(axis=2), self.sizes
        return difference(sums[:, a], sums[:, b], sizes[:, a], sizes[:, b]) / self.n_topics

    def differences(self, metric: int) -> NDArray[np.float64]:
        """Return the per-topic differences of every pair under one metric, shape (pair, topic).

        Large for many systems and topics: the compiled kernels form them pair by pair instead.
        """
        values = self.values[metric]
        return values[self.first] - values[self.second]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """What every test gives back: arrays (metric, pair), in the oriented sense (positive: first is better).

    A test fills at least `two_sided` for a two-sided question, and `greater` and `less` for any other.
    `family_wise` holds p-values already adjusted over the whole family, for the tests that make their own;
    `family_wise_only` says that the test has no others, so that no further correction makes sense.
    """

    statistic: NDArray[np.float64]
    two_sided: NDArray[np.float64] | None = None
    greater: NDArray[np.float64] | None = None
    less: NDArray[np.float64] | None = None
    family_wise: NDArray[np.float64] | None = None
    family_wise_only: bool = False


def all_pairs(n_systems: int, *, baseline: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of the two systems of every pair: the upper triangle, or every pair with `baseline`.

    With a baseline the other system stands first, so that a positive difference means better than the baseline.

    Examples
    --------
    >>> all_pairs(3)
    (array([0, 0, 1]), array([1, 2, 2]))
    >>> all_pairs(3, baseline=1)
    (array([0, 2]), array([1, 1]))
    """
    if baseline is None:
        first, second = np.triu_indices(n_systems, 1)
        return first.astype(np.int64), second.astype(np.int64)
    others = np.delete(np.arange(n_systems), baseline)
    return others, np.full(n_systems - 1, baseline)


@documented
def ask(
    scores: object,
    *,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    baseline: str | None = None,
) -> Question:
    """Check the input of a test and lay it out.

    Parameters
    ----------
    scores, alternative, alpha, baseline

    Returns
    -------
    Question

    Raises
    ------
    ScoresError, InvalidOptionError
    """
    scores = as_scores(scores)
    check_choice(alternative, "alternative", get_args(Alternative))
    check_share(alpha, "alpha")
    names = scores["system"].to_numpy().tolist()
    if baseline is not None:
        check_choice(baseline, "system", names)
    first, second = all_pairs(len(names), baseline=None if baseline is None else names.index(baseline))
    return Question(
        scores=scores,
        values=oriented_values(scores),
        first=first,
        second=second,
        alternative=alternative,
        alpha=float(alpha),
        baseline=baseline,
    )


def resampled_p_value(n_extreme: NDArray[np.int64], n_resamples: int, rule: PValueRule) -> NDArray[np.float64]:
    """Turn counts of resamples at least as extreme as the observation into p-values.

    "plus-one" is (k + 1)/(B + 1), which counts the observation itself and is never 0; "plain" is k/B, which the
    papers print.

    Examples
    --------
    >>> resampled_p_value(np.array([0, 4]), 9, "plus-one")
    array([0.1, 0.5])
    """
    check_choice(rule, "rule for p-values", get_args(PValueRule))
    if rule == "plain":
        return n_extreme / n_resamples
    return (n_extreme + 1) / (n_resamples + 1)
