"""How sure is discriminative power itself? Intervals for it, and for the difference of two metrics, over topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Floats
from metaeval.base.checks import MOST_REPLICATES, check_count, check_share, t_half_width
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.words import bracketed
from metaeval.resampling.share_intervals import share_interval, shrinkage
from metaeval.resampling.topic_resamples import t_powers
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.table.structure import engine_scores
from metaeval.table.units import check_resampling_of, units_of
from metaeval.tests_stat.catalogue import TESTS, ways_out
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.pairs import Alternative, PValueRule, ask

_APART = 0.75
"""Over the root of the degrees of freedom: by which share of their distance the ends of an interval move down."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerIntervals(Result):
    """Discriminative power with an interval, per correction and metric, and for the difference of any two metrics."""

    data: xr.Dataset
    """Dims ``correction``, ``metric`` and ``resample``; variables ``power`` (correction, metric), on the topics at
    hand, and ``resampled`` (correction, metric, resample), under the t test on resampled topics, the same for every
    metric, with the means of the systems drawn together."""
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
        return f"power {first_few([first, *others])} ({CORRECTIONS.words(frame['correction'].iloc[0])})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a correction and metric: metric, test, correction, power, standard_error, low, high."""
        rows = []
        for correction in self.corrections:
            for metric in self.metrics:
                power, resampled = self._at(correction, metric)
                low, high = share_interval(
                    power,
                    resampled,
                    freedom=self.freedom,
                    confidence_level=self.confidence_level,
                    apart=_APART / np.sqrt(self.freedom),
                )
                row = {"metric": metric, "test": self.test, "correction": correction, "power": float(power)}
                rows.append(row | {"standard_error": self._error(resampled), "low": float(low), "high": float(high)})
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
                difference, resampled = (
                    a - b for a, b in zip(self._at(correction, first), self._at(correction, second), strict=True)
                )
                error, value = self._error(resampled), float(difference)
                half = float(t_half_width(error or np.nan, self.freedom + 1, self.confidence_level))
                bounds = (float(np.maximum(-1.0, value - half)), float(np.minimum(1.0, value + half)))
                rows.append((self.test, correction, first, second, value, error, *bounds))
        return pd.DataFrame(rows, columns=columns)

    def _draw(self) -> Figure:
        """Draw the powers with their intervals."""
        from metaeval.figures.power import power_dots  # noqa: PLC0415 - matplotlib

        return power_dots(labelled(self.to_frame()).rename(columns={"low": "power_low", "high": "power_high"}))

    def _at(self, correction: str, metric: str) -> tuple[Floats, Floats]:
        of_metric = self.data.sel(correction=correction, metric=metric)
        return of_metric["power"].to_numpy(), of_metric["resampled"].to_numpy()

    def _error(self, resampled: Floats) -> float:
        return float(resampled.std(ddof=1) * np.sqrt((self.freedom + 1) / self.freedom))


def discriminative_power_interval(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    test: str = "t",
    corrections: str | Sequence[str] = ("none", "fdr_by"),
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    n_topic_resamples: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> PowerIntervals:
    r"""Compute intervals over topics for discriminative power.

    What is covered is the *expected* discriminative power of a sample of T topics from the population of topics that
    the T at hand came from, with the same systems and test: what others should expect to find with another T topics.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    test : str, default "t"
        A name in `metaeval.tests_stat.catalogue.TESTS`; "bootstrap_sensitivity" is Sakai's method. It decides on the
        topics at hand; on resampled topics the t test stands in for it (see Notes).
    corrections : str or sequence of str, default ("none", "fdr_by")
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
        Resamples of the topics.
    confidence_level : float, default 0.95
    rng : None, int or numpy.random.Generator
        The test on the topics at hand draws first, hence as it would alone with the same seed; then the topics are
        resampled.
    n_threads : int, optional
        Cores to use.

    Returns
    -------
    PowerIntervals
        One row a ``correction`` and ``metric`` in ``to_frame()``: the ``test``, and ``power`` with its
        ``standard_error``, ``low`` and ``high`` (0 to 1).

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule; `UnknownNameError` for an unknown test or correction.

    Notes
    -----
    The means of the systems are first moved towards each other, by
    :math:`\lambda^2 = 1 - \sum s^2 / \sum \bar d^2` over all pairs, with :math:`\bar d` the mean difference of a pair
    and s its standard error: they then vary as the true means do. Topics are drawn with replacement from these scores.
    With D the power on the topics at hand, :math:`D^*` that of the t test on the topics drawn and m its mean, the
    interval is Wilson's (1927) for n independent pairs,

    .. math:: n = \frac{m (1 - m)}{s^2(D^*)} \frac{T - 1}{T}, \quad
              \left\{ p : |D - p| \le \left(1 \pm \frac{3}{4 \sqrt{T - 1}}\right) t_{T-1} \sqrt{p (1 - p) / n} \right\},

    as for proportions in surveys of clusters (Korn and Graubard 1998), with plus for p below D and minus above. For the
    difference of two metrics' powers it is
    :math:`D_a - D_b \pm t_{T-1}\, s(D_a^* - D_b^*) \sqrt{T / (T - 1)}`, cut at -1 and 1. ``standard_error`` is
    :math:`s(D^*) \sqrt{T / (T - 1)}`.

    Any other test decides about D only; the number n that its pairs are worth is that of the t test, with the same
    alternative and correction (Holm's for tests that adjust their p-values themselves).

    Without the shrinkage, resampled differences carry the noise of the sample and once more that of the resample: too
    many pairs are significant (by up to .11 of all), and their number varies too little. So percentile intervals are
    wrong, and the basic and the bias-corrected ones err on the other side. A symmetric interval misses on one side,
    since the spread falls as power rises.

    ``benchmarks/studies/real_power.py`` takes the topics of real tables as populations
    (``benchmarks/reports/real_populations.md``): over 48 tables of TREC, nominal 95 % intervals held the expected power
    in .952 of the samples uncorrected (.948 to .957 by the numbers of systems and topics; .025 of the truths lay above
    and .023 below) and in .951 under Benjamini and Yekutieli (.943 to .958; .019 and .030); on tables of other kinds in
    .945 (.033, .022) and .943 (.025, .032). An interval from the true spread would be as wide, but for 25 topics under
    that correction, where power is low and these are wider by a twentieth. On simulated populations
    (``benchmarks/reports/power_interval_coverage.md``) they held it in
    .96 of the samples uncorrected (.93 to .99 in single cases) and in .95 under that correction (.92 to .97), and the
    power of other tests, for which t stands in, in .95; that of the studentised bootstrap on 12 real tables (20
    systems, 50 topics) in .93 uncorrected (standard error .014) and in .90 under that correction (.016).

    Topics in random clusters are drawn by the cluster, of which there must be ten, those in fixed clusters inside them.

    Where every resample gives the same power (0 or 1, few pairs), nothing is known of its spread, and there is no
    interval.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal([[0.0], [0.1], [0.6]], 1.0, (3, 40))
    >>> intervals = discriminative_power_interval(scores, rng=1)
    >>> intervals.to_frame()[["metric", "correction", "power", "low", "high"]].round(2)
        metric correction  power   low  high
    0  metric1       none   0.67  0.23  0.90
    1  metric1     fdr_by   0.67  0.18  0.93
    """
    spec = TESTS.find(test)
    scores = engine_scores(scores, uses=spec.uses, what=f"the test {spec.name!r}", instead=ways_out())
    units = units_of(scores)
    check_resampling_of(units, what="the interval of discriminative power", instead="leave the interval out")
    corrections = tuple(CORRECTIONS.several(corrections))
    check_share(confidence_level, "confidence_level")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES)
    if n_resamples is not None:
        check_resamples(n_resamples)
    source = resolve_rng(rng)
    result = compare_systems(
        scores,
        test=spec.name,
        correction=spec.own_correction,
        alternative=alternative,
        alpha=alpha,
        n_resamples=n_resamples,
        p_value_rule=p_value_rule,
        rng=source,
        n_threads=n_threads,
    )
    observed = [result.with_correction(name).discriminative_power()["power"].to_numpy() for name in corrections]
    question = ask(scores, alternative=alternative, alpha=alpha, test="t")
    topics = units.draws(source.generator, n_topic_resamples)
    like = ["holm" if name == FAMILY_WISE else name for name in corrections]  # t adjusts nothing itself
    resampled = t_powers(question, topics, corrections=like, taken=shrinkage(question), n_threads=n_threads)
    return PowerIntervals(
        data=xr.Dataset(
            {
                "power": (("correction", "metric"), np.stack(observed)),
                "resampled": (("correction", "metric", "resample"), resampled),
            },
            coords={"correction": list(corrections), "metric": scores["metric"].to_numpy()},
        ),
        test=spec.name,
        alpha=float(alpha),
        confidence_level=float(confidence_level),
        n_resamples=n_resamples if spec.resampled else None,
        n_topic_resamples=n_topic_resamples,
        n_systems=scores.sizes["system"],
        n_topics=scores.sizes["topic"],
        freedom=units.freedom,
        random_source=source.description,
    )
