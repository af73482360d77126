"""How sure is discriminative power itself? Intervals for it, and for the difference of two metrics, over topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.checks import MOST_REPLICATES, check_count, check_share, t_half_width
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.words import bracketed
from metaeval.errors import InvalidOptionError
from metaeval.resampling.topic_resamples import ask_again, t_powers
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.table.scores import Scores
from metaeval.table.structure import engine_scores
from metaeval.table.units import check_resampling_of, units_of
from metaeval.tests_stat.catalogue import TESTS, TestSpec, ways_out
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.pairs import Alternative, PValueRule, ask

type Floats = NDArray[np.float64]
_LEAST_ROUNDS, _SHARE_OF_ROUNDS = 50, 4
"""Rounds in which a test other than t is asked: a quarter of all, and at least so many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerIntervals(Result):
    """Discriminative power with an interval, per correction and metric, and for the difference of any two metrics."""

    data: xr.Dataset
    """Dims ``correction``, ``metric``, ``round`` and ``resample``; variables ``power`` (correction, metric), on the
    topics at hand; ``resampled`` (correction, metric, round), on resampled topics, the same for every metric; and
    ``t_resampled`` (correction, metric, resample), under the t test, on these topics and on more."""
    test: str
    """The test that decides about a pair."""
    alpha: float
    """Its level."""
    confidence_level: float
    """Of the intervals."""
    n_resamples: int | None
    """B of a resampling test."""
    n_topic_resamples: int
    """Resamples of the topics."""
    n_rounds: int
    """On how many of them the test was asked; on the others the t test stood in for it."""
    n_systems: int
    n_topics: int
    """Size of the scores."""
    freedom: int
    """Of the spread over resamples: topics less one; clusters less one where whole clusters were drawn, topics less
    strata where topics were drawn inside these."""
    random_source: str
    """Where the draws came from."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    @property
    def corrections(self) -> tuple[str, ...]:
        """Names of the corrections."""
        return tuple(self.data["correction"].to_numpy().tolist())

    def _found(self) -> str:
        frame = self.to_frame().head(len(self.metrics))
        powers = [bracketed(*row) for row in frame[["power", "low", "high"]].itertuples(index=False)]
        first, *others = [f"{power} under {metric}" for power, metric in zip(powers, frame["metric"], strict=True)]
        return f"power {first_few([first, *others])} ({frame['correction'].iloc[0]})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a correction and metric: metric, test, correction, power, standard_error, low, high."""
        rows = [
            {"metric": metric, "test": self.test, "correction": correction}
            | self._interval("power", *self._at(correction, metric), lowest=0.0)
            for correction in self.corrections
            for metric in self.metrics
        ]
        return pd.DataFrame(rows)

    def differences(self) -> pd.DataFrame:
        """Return one row a correction and two metrics, for power of the first minus power of the second.

        The columns are test, correction, metric_a, metric_b, difference, standard_error, low, high. Both powers of a
        round come from the same topics. Every interval stands for itself: with many metrics, some will leave out 0
        by chance.
        """
        columns = ["test", "correction", "metric_a", "metric_b", "difference", "standard_error", "low", "high"]
        rows = []
        for correction in self.corrections:
            for first, second in combinations(self.metrics, 2):
                pair = zip(self._at(correction, first), self._at(correction, second), strict=True)
                row = {"test": self.test, "correction": correction, "metric_a": first, "metric_b": second}
                rows.append(row | self._interval("difference", *(a - b for a, b in pair), lowest=-1.0))
        return pd.DataFrame(rows, columns=columns)

    def plot(self) -> Figure:
        """Draw the powers with their intervals."""
        from metaeval.figures.power import power_dots  # noqa: PLC0415 - matplotlib

        return power_dots(labelled(self.to_frame()).rename(columns={"low": "power_low", "high": "power_high"}))

    def _at(self, correction: str, metric: str) -> tuple[Floats, Floats, Floats]:
        one = self.data.sel(correction=correction, metric=metric)
        return one["power"].to_numpy(), one["resampled"].to_numpy(), one["t_resampled"].to_numpy()

    def _interval(
        self, name: str, observed: Floats, resampled: Floats, by_t: Floats, *, lowest: float
    ) -> dict[str, float]:
        n_drawn = self.freedom + 1
        error = _spread(resampled, by_t) * np.sqrt(n_drawn / self.freedom)
        half = t_half_width(error, n_drawn, self.confidence_level)
        low, high = max(lowest, float(observed) - half), min(1.0, float(observed) + half)
        return {name: float(observed), "standard_error": error, "low": low, "high": high}


def discriminative_power_interval(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    test: str = "t",
    corrections: Sequence[str] = ("none", "fdr_by"),
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    n_topic_resamples: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_jobs: int | None = None,
    n_threads: int | None = None,
) -> PowerIntervals:
    r"""Compute intervals over topics for discriminative power.

    What is covered is the *expected* discriminative power of a sample of T topics from the population of topics that
    the T at hand came from, with the same systems and test: what others should expect to find with another T topics.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    test : str, default "t"
        A name in `metaeval.tests_stat.catalogue.TESTS`. The t test is the headline of every command and takes a small
        part of the time of a resampling test (see ``benchmarks/speed_bootstrap.py``); its uncorrected standard errors
        agree with those of the studentised bootstrap. "bootstrap_sensitivity" is Sakai's method.
    corrections : sequence of str, default ("none", "fdr_by")
        See `metaeval.tests_stat.correction.adjust`; "family-wise" for a test that adjusts itself.
    alternative : {"two-sided", "greater", "less", "better"}
        As the test takes it.
    alpha : float, default 0.05
        Level of the test.
    n_resamples : int, optional
        B of a resampling test; the test's own default otherwise.
    p_value_rule : {"plus-one", "plain"}
        Of a resampling test.
    n_topic_resamples : int, default 200
        Resamples of the topics. The two-sided t test is asked on all of them, another on a quarter, and on 50 at least.
    confidence_level : float, default 0.95
    rng : None, int or numpy.random.Generator
        The test on the topics at hand draws first, hence as it would alone with the same seed; then the topics are
        resampled, and every round of the test on them has a source of its own.
    n_jobs : int, optional
        Worker processes for the rounds (the t test needs none). By default those that ``joblib.parallel_config`` names
        around the call, else none.
    n_threads : int, optional
        Cores to use; workers share them.

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule; `UnknownNameError` for an unknown test or correction.

    Notes
    -----
    With D the power on the topics at hand and D* on topics drawn with replacement from them,

    .. math:: D \pm t_{T-1}\; s(D^*) \sqrt{T / (T - 1)},

    cut at 0 and 1; for two metrics the same with the difference of their powers.

    A resampling test on every resample of the topics costs over a hundred times what the t test does, and their powers
    go together. So :math:`s^2(D^*)` is the regression estimate of double sampling (Cochran 1977, chapter 12) from the m
    rounds of the test and all R of the t test, whose power is E:

    .. math:: s^2(D^*) = s_m^2(D^*) + b^2 \left( s_R^2(E^*) - s_m^2(E^*) \right),

    b the slope of D* on E* over the m rounds. With a correlation r of the two its relative error is about
    :math:`\tfrac12 \sqrt{2 (1 - r^4) / m + 2 r^4 / R}`: at 50 of 200 rounds 6 % for r = .95 (uncorrected, r is .91 to
    .99 for the bootstrap on real scores), 8 % for r = .8 (some families under Benjamini and Yekutieli), 10 % for a test
    that has nothing to do with t, and 5 % for t itself.

    The percentile interval of D* would be wrong. A resampled difference carries the noise of the sample and once
    more that of the resample, so that pairs near the threshold, and pairs with no difference at all, come out
    significant too often: D* lies above D on average (by up to .11 in the study). D itself has no bias for what is
    covered, so the basic and the bias-corrected interval, which mirror or take off the bias of D*, err on the other
    side. Only the spread of D* is usable.

    ``benchmarks/calibrate_power_interval.py`` measures coverage on simulated populations with the t test
    (``benchmarks/reports/power_interval_coverage.md``): nominal 95 % intervals of this form covered .92 to .99 of the
    time for uncorrected power, .94 to .98 for a difference, .91 to 1.00 under Benjamini and Yekutieli; the percentile
    interval as little as .30. Lowest is a heavy-tailed population, highest one with hardly any power.
    For the studentised bootstrap the report sets its intervals from 50 rounds beside those from 200, and its standard
    errors beside those of the t test.

    On real topics coverage is a little lower, and the misses are one-sided. With the topics of a collection as the
    population and samples of 50, uncorrected 95 % intervals covered .92 of the time on average over nine choices of
    systems (.87 to .96). The target mostly lies below the interval (in .055 of the samples; above it in .023): the
    spread falls as power rises, so that a sample with too many significantly different pairs is also too sure of it.
    Read the lower limit with that in mind.

    Topics in random clusters are drawn by the cluster, of which there must be ten, those in fixed clusters inside them.

    Where every resample gives the same power (0 or 1, few pairs), the interval is a point, which says nothing.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal([[0.0], [0.1], [0.6]], 1.0, (3, 40))
    >>> intervals = discriminative_power_interval(scores, rng=1)
    >>> intervals.to_frame()[["metric", "correction", "power", "low", "high"]].round(2)
        metric correction  power   low  high
    0  metric1       none   0.67  0.26   1.0
    1  metric1     fdr_by   0.67  0.14   1.0
    """
    spec = TESTS.find(test)
    scores = engine_scores(scores, uses=spec.uses, what=f"the test {spec.name!r}", instead=ways_out())
    units = units_of(scores)
    check_resampling_of(units, what="the interval of discriminative power", instead="leave the interval out")
    corrections = checked_corrections(corrections)
    check_share(confidence_level, "confidence_level")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES)
    if n_resamples is not None:
        check_resamples(n_resamples)
    source = resolve_rng(rng)
    decide = partial(
        _powers,
        test=spec,
        corrections=corrections,
        alternative=alternative,
        alpha=alpha,
        n_resamples=n_resamples,
        p_value_rule=p_value_rule,
    )
    observed = decide(scores, rng=source, n_threads=n_threads)
    topics = units.draws(source.generator, n_topic_resamples)
    like = ["holm" if name == FAMILY_WISE else name for name in corrections]  # t adjusts nothing itself
    resampled = by_t = t_powers(ask(scores, alpha=alpha, test="t"), topics, corrections=like, n_threads=n_threads)
    if spec.name != "t" or alternative != "two-sided":
        topics = topics[: max(_LEAST_ROUNDS, n_topic_resamples // _SHARE_OF_ROUNDS)]
        rounds = ask_again(decide, scores, topics, generator=source.generator, n_jobs=n_jobs, n_threads=n_threads)
        resampled = np.stack(rounds, axis=-1)
    return PowerIntervals(
        data=xr.Dataset(
            {
                "power": (("correction", "metric"), observed),
                "resampled": (("correction", "metric", "round"), resampled),
                "t_resampled": (("correction", "metric", "resample"), by_t),
            },
            coords={"correction": list(corrections), "metric": scores["metric"].to_numpy()},
        ),
        test=spec.name,
        alpha=float(alpha),
        confidence_level=float(confidence_level),
        n_resamples=n_resamples if spec.resampled else None,
        n_topic_resamples=n_topic_resamples,
        n_rounds=len(topics),
        n_systems=scores.sizes["system"],
        n_topics=scores.sizes["topic"],
        freedom=units.freedom,
        random_source=source.description,
    )


def _spread(resampled: Floats, by_t: Floats) -> float:
    """Return the standard deviation of a power over resamples, from some of its own and more of the t test's.

    The first resamples of the t test are those of `resampled`; where there are no more, this is their plain spread.
    """
    own = by_t[: len(resampled)]
    variance = float(own.var(ddof=1))
    slope = float(np.cov(own, resampled)[0, 1]) / variance if variance > 0 else 0.0
    return float(np.sqrt(max(0.0, resampled.var(ddof=1) + slope**2 * (by_t.var(ddof=1) - variance))))


def checked_corrections(corrections: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of corrections as the table has them; refuse none at all."""
    names = tuple(map(CORRECTIONS.canonical, (corrections,) if isinstance(corrections, str) else corrections))
    if not names:
        raise InvalidOptionError(f"`corrections` must name at least one of {', '.join(CORRECTIONS)}")
    return names


def _powers(scores: Scores, *, test: TestSpec, corrections: tuple[str, ...], **options: Any) -> NDArray[np.float64]:  # noqa: ANN401 - handed through
    """Return discriminative power, an array (correction, metric)."""
    result = compare_systems(scores, test=test.name, correction=test.own_correction, **options)
    return np.stack([result.with_correction(name).discriminative_power()["power"].to_numpy() for name in corrections])
