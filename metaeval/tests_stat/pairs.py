"""Which pairs of systems are compared, and what is asked of them.

A test receives a `Question` (values already turned so that higher is better, the pairs, the alternative) and gives
back `Evidence`; everything around it is the same for every test.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_paired, check_share
from metaeval.base.names import name_order
from metaeval.running.equality import RELATIVE, difference
from metaeval.running.parallel import in_one_order
from metaeval.table.array import has_gaps
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.traits import Trait
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.catalogue import TESTS, ways_out
from metaeval.tests_stat.docstrings import documented
from metaeval.tests_stat.tails import Tails

_AT_ONCE = 1_000_000  # scores of pairs that are laid out at a time

Alternative = Literal["two-sided", "greater", "less", "better"]
PValueRule = Literal["plus-one", "plain"]


class Estimates(NamedTuple):
    """Means (of differences) with their errors: arrays of one shape, (metric, pair) or (metric, system)."""

    mean: Floats
    """Weighted mean over the topics that there are; 0 where none are, or where it is 0 up to rounding."""
    error: Floats
    """Its standard error; 0 where there is no spread."""
    freedom: Floats
    """Degrees of freedom; NaN where fewer than two topics (or clusters) leave none, or where there is no spread."""
    n_topics: Floats
    """Topics that count: those common to a pair."""
    n_units: Floats
    """Clusters that count; topics where there are none."""
    apart: Floats
    """1 where the two differ somewhere, else 0."""

    @property
    def statistic(self) -> Floats:
        """The mean over its error: 0 where the mean is 0 or nothing can be told, infinite where there is no spread."""
        told = np.where(self.n_units > 1, self.mean, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(told == 0.0, 0.0, told / self.error)

    @property
    def certain_freedom(self) -> Floats:
        """Degrees of freedom to ask Student's t for, 1 where there are none."""
        return np.where(np.isfinite(self.freedom), self.freedom, 1.0)

    @property
    def without_evidence(self) -> NDArray[np.bool_]:
        """Where nothing can speak against equality: no difference anywhere, or fewer than two topics or clusters."""
        return (self.apart == 0.0) | (self.n_units <= 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """What every test receives."""

    scores: Scores
    """As given by the user, raw."""
    values: NDArray[np.float64]
    """Turned so that higher is better; NaN where there is a gap. Shape (metric, system, topic)."""
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    """Positions of the two systems of every pair; the difference is first minus second. Shape (pair,)."""
    alternative: Alternative
    """See `ask`."""
    alpha: float
    """Significance level."""
    baseline: str | None = None
    """The system that every pair holds, if one was named."""
    units: TopicUnits
    """The clusters, strata and weights of the topics."""
    gaps: bool = False
    """Whether systems lack scores, so that every pair is compared on its common topics."""

    @property
    def plain(self) -> bool:
        """Whether topics are units that all weigh alike, and all systems have all of them."""
        return self.units.plain and not self.gaps

    def system_order(self) -> NDArray[np.intp]:
        """Return the systems in the order of their names, in which they are permuted whatever the order of the rows."""
        return name_order(self.scores["system"].to_numpy())

    def by_unit(self) -> "Question":
        """Return the question with the weighted sums over every cluster in the topics' place.

        What exchanges systems cluster by cluster needs no more. Plain topics: the question itself.
        """
        if self.plain:
            return self
        sums = self.units.sums(self.values)
        positions = np.arange(sums.shape[2])
        units = TopicUnits(
            weights=np.ones(len(positions)),
            unit=positions,
            stratum=np.zeros_like(positions),
            names=(),
            clustered=False,
            stratified=False,
            weighted=False,
        )
        return replace(self, values=sums, units=units)

    @property
    def one_sided(self) -> bool:
        """Whether the test must answer for both tails separately."""
        return self.alternative != "two-sided"

    @property
    def of_all_pairs(self) -> bool:
        """Whether the hypotheses are that the systems of each pair are equal, of all pairs."""
        return self.baseline is None and not self.one_sided

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return self.values.shape[2]

    @property
    def sizes(self) -> NDArray[np.float64]:
        """The sizes of every system's scores, weighted and added up over the topics, shape (metric, system)."""
        return np.stack([self._weighted(np.abs(metric_values)).sum(axis=1) for metric_values in self.values])

    @property
    def tolerance(self) -> NDArray[np.float64]:
        """How far two (weighted) sums of a pair's scores may lie apart and still be one number, shape (metric, pair).

        Scores are often multiples of 0.1 or 1/k, so equal sums differ in the last bits. The rule is that of
        `metaeval.running.equality`: the sizes are those of the pair's own scores, whatever the other systems have.
        """
        if self.gaps:
            a, b = self._over_common(np.abs(self.values))
            return RELATIVE * (a + b)
        sizes = self.sizes
        return RELATIVE * (sizes.take(self.first, axis=1) + sizes.take(self.second, axis=1))

    @property
    def n_common(self) -> NDArray[np.int64]:
        """Number of topics that both systems of every pair have, shape (metric, pair)."""
        present = np.isfinite(self.values)
        if not self.gaps:
            return np.full((len(self.values), len(self.first)), self.n_topics)
        in_common = present.astype(np.float64) @ present.transpose(0, 2, 1)
        return np.rint(in_common[:, self.first, self.second]).astype(np.int64)

    @property
    def n_units(self) -> Ints:
        """Number of topics, or of clusters, that both systems of every pair have, shape (metric, pair)."""
        if not self.units.clustered:
            return self.n_common
        if not self.gaps:
            return np.full((len(self.values), len(self.first)), self.units.n_units)
        return self._count(lambda a, b: self.units.held(np.isfinite(a - b)))

    @property
    def n_apart(self) -> Ints:
        """Number of topics, or of clusters, on which the systems of every pair differ, shape (metric, pair)."""
        return self._count(self._apart)

    def _apart(self, a: Floats, b: Floats) -> Ints:
        apart, size = (self.units.sums(values) for values in (a - b, np.abs(a) + np.abs(b)))
        return np.asarray((np.abs(apart) > RELATIVE * size).sum(axis=-1))

    def _count(self, counted: Callable[[Floats, Floats], Ints]) -> Ints:
        """Count over the scores (pair, topic) of the first and of the second system, some pairs at a time."""
        counts = np.empty((len(self.values), len(self.first)), dtype=np.int64)
        step = max(1, _AT_ONCE // self.n_topics)
        for metric_counts, values in zip(counts, self.values, strict=True):
            for start in range(0, len(self.first), step):
                block = slice(start, start + step)
                metric_counts[block] = counted(values[self.first[block]], values[self.second[block]])
        return counts

    @property
    def total(self) -> NDArray[np.float64]:
        """The weight of the topics of every pair, to divide sums by: shape (metric, pair), or () without gaps."""
        if not self.gaps:
            return np.asarray(self.units.total)
        return self._over_common(np.isfinite(self.values).astype(np.float64))[0]

    def mean_differences(self) -> NDArray[np.float64]:
        """Return mean of first minus mean of second, shape (metric, pair); exactly 0 where the means are equal.

        Means are weighted where topics have weights, and over common topics where there are gaps (0 without any).
        """
        a, b = self.first, self.second
        if self.gaps:
            (sum_a, sum_b), (size_a, size_b) = self._over_common(self.values), self._over_common(np.abs(self.values))
            total = self.total
            apart = difference(sum_a, sum_b, size_a, size_b)
            return np.divide(apart, total, out=np.zeros_like(apart), where=total > 0)
        sums, sizes = self._weighted(self.values).sum(axis=2), self.sizes
        # take, not [:, a], leaves the pairs of a metric side by side: the kernels are compiled for that alone
        sum_a, sum_b, size_a, size_b = (array.take(side, axis=1) for array in (sums, sizes) for side in (a, b))
        return difference(sum_a, sum_b, size_a, size_b) / self.units.total

    def _weighted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values * self.units.weights if self.units.weighted else values

    @in_one_order
    def _over_common(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weighted sums of the first and of the second system over the topics that both have."""
        present = np.isfinite(self.values).astype(np.float64).transpose(0, 2, 1)
        sums = self._weighted(np.nan_to_num(values)) @ present  # of every system over the topics of every system
        return sums[:, self.first, self.second], sums[:, self.second, self.first]

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
    `family_wise_only` says that the test has no others, so that no further correction makes sense. `estimates` are
    the means and errors behind the statistic, where topics are not plain, and `error` is the standard error alone.
    """

    statistic: NDArray[np.float64]
    two_sided: Floats | Tails | None = None
    greater: Floats | Tails | None = None
    less: Floats | Tails | None = None
    family_wise: Floats | None = None
    family_wise_only: bool = False
    estimates: Estimates | None = None
    error: Floats | None = None


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
        check_paired(n_systems)
        first, second = np.triu_indices(n_systems, 1)
        return first.astype(np.int64), second.astype(np.int64)
    others = np.delete(np.arange(n_systems), baseline)
    return others, np.full(n_systems - 1, baseline)


@documented
def ask(  # noqa: PLR0913 - what every test is asked
    scores: object,
    *,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    baseline: str | None = None,
    test: str = "",
    uses: Collection[Trait] = (),
) -> Question:
    """Check the input of a test and lay it out.

    Parameters
    ----------
    scores, alternative, alpha, baseline
    test : str, optional
        Its name in `metaeval.tests_stat.catalogue.TESTS`, which says what it takes into account.
    uses : collection of str
        What is taken into account where no test is named; see `metaeval.table.structure.engine_scores`.

    Raises
    ------
    ScoresError, InvalidOptionError
    """
    if test:
        scores = engine_scores(scores, uses=TESTS[test].uses, what=f"the test {test!r}", instead=ways_out())
    else:
        scores = engine_scores(scores, uses=uses)
    check_choice(alternative, "alternative", get_args(Alternative))
    check_share(alpha, "alpha")
    names = scores["system"].to_numpy().tolist()
    if baseline is not None:
        check_choice(baseline, "system", names)
    first, second = all_pairs(len(names), baseline=None if baseline is None else names.index(baseline))
    values = oriented_values(scores)
    return Question(
        scores=scores,
        values=values,
        first=first,
        second=second,
        alternative=alternative,
        alpha=float(alpha),
        baseline=baseline,
        units=units_of(scores),
        gaps="gaps" in (TESTS[test].uses if test else uses) and has_gaps(values),
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
