"""Sakai's bootstrap sensitivity method: how many pairs of systems differ significantly, and by how much."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_memory
from metaeval.base.results import Figure, Result
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import SPAN, RNGLike, resolve_rng, topic_draws
from metaeval.table.array import has_gaps
from metaeval.table.scores import Scores, identical_systems, select_runs
from metaeval.table.structure import engine_scores, mean_over_topics
from metaeval.table.units import check_resampling_of
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.labels import pairs_that_differ
from metaeval.tests_stat.paired_t import t_statistics
from metaeval.tests_stat.pairs import Evidence, Question, ask
from metaeval.tests_stat.result import PairwiseResult, by_p, is_significant, pairwise_result
from metaeval.tests_stat.sensitivity import SENSITIVITY
from metaeval.tests_stat.studentised import Placing, degenerate_resamples, tally_resamples
from metaeval.tests_stat.unit_bootstrap import tally_units, unit_statistics

_SIDES = ("system_a", "system_b")
_REQUIRED = {"difference_required": 1.0, "difference_required_median": 0.5, "difference_required_p95": 0.95}
"""Quantiles over pairs; the largest is the published figure."""
_REDRAWN = 200
"""Times that differences required are drawn again for their errors."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensitivityResult(Result):
    """Result of the bootstrap sensitivity method, for every metric."""

    data: xr.Dataset
    """Dims ``metric``, ``pair`` and ``system``; coordinates ``system_a`` and ``system_b`` on ``pair`` and
    ``higher_is_better`` on ``metric``; variables

    - ``difference``: mean of a minus mean of b, in the metric's own direction and unit;
    - ``statistic``: paired t, with the sign of ``difference``;
    - ``asl``: achieved significance level, the share of resamples with ``|t(w*)| >= |t(z)|``;
    - ``significant``: ``asl < alpha``;
    - ``difference_required``: the pair's estimate of the difference that achieves significance, as drawn; pairs that
      differ on too few topics for any test have one too, unlike in `to_frame`;
    - ``better``: 1 where a is better than b, -1 where b is, 0 where their means are equal;
    - ``mean`` (metric, system): mean score.
    """
    alpha: float
    """Significance level."""
    n_resamples: int
    """B."""
    random_source: str
    """Where the draws came from."""
    n_topics: int
    """Number of topics."""
    choose: str | int
    """How the systems were chosen."""
    identical: tuple[tuple[str, ...], ...]
    """Systems with equal scores under every metric; their pairs stay in the denominator."""
    zero_variance_resamples: Mapping[str, Mapping[str, int]]
    """"zero_over_zero" and "constant_over_zero", each a mapping from metric to a count over all pairs; see
    `metaeval.bootstrap_test`."""
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """How clusters, strata, weights and gaps were taken into account, where there are any; as a test has them."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems compared."""
        return tuple(self.data["system"].to_numpy().tolist())

    @property
    def n_systems(self) -> int:
        """Number of systems compared."""
        return self.data.sizes["system"]

    @property
    def n_pairs(self) -> int:
        """Number of pairs, identical systems included."""
        return self.data.sizes["pair"]

    @property
    def required(self) -> Floats:
        """The difference required of every pair, missing where no test can call it significant: (metric, pair)."""
        tested = is_significant(self.data["p_reachable"].to_numpy(), self.alpha)
        return np.where(tested, self.data["difference_required"].to_numpy(), np.nan)

    def summary(self) -> pd.DataFrame:
        """Return one row a metric: discriminative power and the difference required.

        ``difference_required`` is the published figure, the largest over all pairs; a single odd pair decides it, so
        the median and the 95th percentile over the pairs stand beside it.
        """
        n_significant = self.data["significant"].sum("pair").to_numpy()
        shares = {"metric": self.metrics, "n_significant": n_significant, "n_pairs": self.n_pairs}
        shares["power"] = n_significant / self.n_pairs
        return pd.DataFrame(shares | dict(zip(_REQUIRED, _summed_up(self.required), strict=True)))

    def required_errors(self) -> pd.DataFrame:
        """Return one row a metric, its index: the Monte-Carlo standard errors of the differences required in `summary`.

        A pair's difference required is read off one resample. Over the standard error of the pair's mean it is nearly
        the same for all pairs, so the spread of that ratio tells how far one more such resample would lie. It is drawn
        again for all pairs, by system, for pairs with a system in common share its topics.
        """
        required = self.required
        with np.errstate(divide="ignore", invalid="ignore"):
            standard_error = np.abs(self.data["difference"].to_numpy() / self.data["statistic"].to_numpy())
            ratio = np.log(required / standard_error)
        places = {name: index for index, name in enumerate(self.systems)}
        first, second = ([places[name] for name in self.data[side].to_numpy().tolist()] for side in _SIDES)
        noise = np.random.default_rng(0).normal(size=(_REDRAWN, len(places))) / np.sqrt(2.0)
        apart = noise[:, first] + noise[:, second]
        errors = []
        for values, logs in zip(required, ratio, strict=True):
            finite = logs[np.isfinite(logs)]
            again = values * np.exp((finite.std() if len(finite) else 0.0) * apart)
            errors.append([figures.std() for figures in _summed_up(again)])
        return pd.DataFrame(errors, columns=[*_REQUIRED], index=pd.Index(self.metrics, name="metric"))

    def _found(self) -> str:
        return f"{pairs_that_differ(self.data['significant'])}, uncorrected"

    def comparison(self, correction: str = "none") -> PairwiseResult:
        """Return the same decisions as any other test over all pairs, on request corrected for their number.

        A corrected level is reached by ``p_corrected < alpha``, strictly, as the uncorrected one is. The p-values are
        k/B, so a pair that no resample reached has p = 0 and passes every correction; where that matters, ask
        `metaeval.tests_stat.bootstrap.bootstrap_test`, whose p-values are never 0.

        Parameters
        ----------
        correction : str, default "none"
            See `metaeval.tests_stat.correction.adjust`.
        """
        data = self.data.drop_dims("system").rename(asl="p_value")
        bare = PairwiseResult(
            data=data.assign(p_corrected=data["p_value"]),
            test=SENSITIVITY,
            alternative="two-sided",
            correction="none",
            alpha=self.alpha,
            baseline=None,
            n_systems=self.n_systems,
            n_topics=self.n_topics,
            n_resamples=self.n_resamples,
            random_source=self.random_source,
            details=MappingProxyType(
                {"smallest_p": 0.0, "p_value_rule": "plain", **self.zero_variance_resamples, **self.details}
            ),
            strictly_below=True,
        )
        return bare if correction == "none" else bare.with_correction(correction)

    def corrected(self, correction: str = "fdr_by") -> pd.DataFrame:
        """Return discriminative power uncorrected and corrected side by side, one row a metric.

        Columns: metric, n_pairs, n_significant, power, n_significant_corrected, power_corrected, correction.
        """
        plain = self.comparison().discriminative_power()
        corrected_power = self.comparison(correction).discriminative_power()
        return plain[["metric", "n_pairs", "n_significant", "power"]].assign(
            n_significant_corrected=corrected_power["n_significant"],
            power_corrected=corrected_power["power"],
            correction=correction,
        )

    def asl_curves(self) -> pd.DataFrame:
        """Return every metric's achieved significance levels in rising order.

        Columns: metric, rank (from 1), asl, system_a, system_b.
        """
        levels = self.data["asl"].to_numpy()
        order = np.argsort(levels, axis=1, kind="stable")
        return pd.DataFrame(
            {
                "metric": np.repeat(self.metrics, self.n_pairs),
                "rank": np.tile(np.arange(1, self.n_pairs + 1), len(self.metrics)),
                "asl": np.take_along_axis(levels, order, axis=1).ravel(),
                **{side: self.data[side].to_numpy()[order].ravel() for side in ("system_a", "system_b")},
            }
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and pair, the smallest achieved level first; ``winner`` has the better mean."""
        data = self.data.drop_dims("system")
        data = data.assign(difference_required=(("metric", "pair"), self.required))
        frame = data.to_dataframe().reset_index()
        columns = ["metric", "system_a", "system_b", "difference", "statistic", "asl", "significant"]
        return by_p(frame[[*columns, "difference_required", "better"]], "asl")

    def _draw(self) -> Figure:
        """Draw the curves of achieved significance levels."""
        from metaeval.figures.power import asl_curves  # noqa: PLC0415 - matplotlib

        counts = self.data["significant"].sum("pair").to_numpy().tolist()
        significant = dict(zip(self.metrics, counts, strict=True))
        return asl_curves(self.asl_curves(), alpha=self.alpha, significant=significant)


def bootstrap_sensitivity(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    n_resamples: int = 1000,
    alpha: float = 0.05,
    choose: str | int = "all",
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> SensitivityResult:
    r"""Count the significant pairs of systems under each metric by Sakai's bootstrap sensitivity (2006).

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    n_resamples : int, default 1000
        B, the number of topic samples, the same for every pair and metric.
    alpha : float, default 0.05
        Significance level.
    choose : {"all", "one-per-group"} or int
        Which systems to compare; see `metaeval.table.scores.select_runs`.
    rng : None, int or numpy.random.Generator
        Source of the choice of runs, then of the topic samples.
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    SensitivityResult
        One row a ``metric`` and pair (``system_a``, ``system_b``) in ``to_frame()``: mean ``difference`` in units of
        the metric, ``statistic``, ``asl`` (the achieved significance level, 0 to 1), whether it is ``significant``,
        the ``winner``, whose mean is better ("" where they are equal), and ``difference_required`` in units of
        the metric, NaN where no pair is significant.

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If an option is outside its rule, or B alpha is less than 1, so that no resample stands at the place that
        the difference required is read from.

    See Also
    --------
    metaeval.tests_stat.bootstrap.bootstrap_test
    metaeval.questions.power.study.study_power

    Notes
    -----
    For a pair with differences :math:`z_j` over T topics, :math:`w_j = z_j - \bar z` is resampled by topic B times, and

    .. math:: \mathrm{ASL} = \frac{1}{B} \#\{b : |t(w^{*b})| \ge |t(z)|\}, \qquad t(z) = \bar z / (s / \sqrt T)

    [1]_ [2]_. The pair differs significantly if ASL < :math:`\alpha`; *discriminative power* is the share of all pairs
    that
    are, those of identical systems included.

    The *difference required* [1]_ is read, pair by pair, from the resample at place :math:`\lfloor B\alpha \rfloor`
    when they are sorted by :math:`|t(w^{*b})|`, largest first: it is :math:`|\bar w^{*b}|` there. The published figure
    is the largest over all pairs. Where several resamples tie on :math:`|t|` at that place (scores in tenths do), the
    one with the largest mean is taken, so that the answer does not depend on the order of the draws. Resamples in
    which no topic shows a difference (0/0) come last.

    Finding the place makes the whole a bit more than twice as long as the p-values alone (see
    ``benchmarks/speed_bootstrap.py``).

    References
    ----------
    .. [1] Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR. :doi:`10.1145/1148170.1148261`
    .. [2] Sakai and Kando (2008). On information retrieval metrics designed for evaluation with incomplete relevance
       assessments, section 5. :doi:`10.1007/s10791-008-9059-7`

    Examples
    --------
    >>> scores = [
    ...     [0.3, 0.5, 0.9, 0.5, 0.6, 0.8],
    ...     [0.2, 0.3, 0.6, 0.4, 0.3, 0.6],
    ...     [0.2, 0.4, 0.5, 0.4, 0.3, 0.7],
    ... ]
    >>> result = bootstrap_sensitivity(scores, n_resamples=2000, rng=0)
    >>> result.summary()[["metric", "n_significant", "n_pairs"]]
        metric  n_significant  n_pairs
    0  metric1              1        3
    """
    source = resolve_rng(rng)
    uses = TESTS[SENSITIVITY].uses
    chosen = select_runs(engine_scores(scores, uses=uses), choose, source.generator)
    question = ask(chosen, alpha=alpha, test=SENSITIVITY)
    check_resampling_of(question.units, what="bootstrap sensitivity", instead="use the test 't'")
    n_resamples = check_resamples(n_resamples)
    tally, required = _resample(
        question, n_resamples, place_of_required(n_resamples, question.alpha), source.generator, n_threads
    )
    details = degenerate_resamples(question, tally)
    t = t_statistics(question) if question.plain else unit_statistics(question)
    evidence = Evidence(statistic=t, two_sided=tally[:, 0] / n_resamples)
    result = pairwise_result(
        question,
        evidence,
        test=SENSITIVITY,
        correction="none",
        n_resamples=n_resamples,
        details={} if question.units.plain else {"standard_error": "CR1"},
        strictly_below=True,
    )
    data = result.data.drop_vars("p_corrected").rename(p_value="asl")
    return SensitivityResult(
        data=data.assign(
            difference_required=(("metric", "pair"), required),
            mean=_means(chosen),
        ),
        alpha=question.alpha,
        n_resamples=n_resamples,
        random_source=source.description,
        n_topics=question.n_topics,
        choose=choose,
        identical=identical_systems(chosen),
        zero_variance_resamples=MappingProxyType(details),
        details=result.details,
    )


def _summed_up(required: ArrayLike) -> Floats:
    """Return the largest, the median and the 95th percentile of the last axis, of the pairs that have a number."""
    values = np.asarray(required, dtype=np.float64)
    some = np.isfinite(values).any(axis=-1)
    read = np.full((len(_REQUIRED), *some.shape), np.nan)
    if some.any():
        read[:, some] = np.nanquantile(values[some], [*_REQUIRED.values()], axis=-1)
    return read


def _means(scores: Scores) -> xr.DataArray:
    """Return the mean of every system, weighted where topics have weights, over all topics where scores are missing."""
    plain = "weight" not in scores.coords and not has_gaps(scores.to_numpy())
    means = scores.mean("topic", skipna=not plain).drop_vars("higher_is_better")
    return means if plain else means.copy(data=mean_over_topics(scores))


def place_of_required(n_resamples: int, alpha: float) -> int:
    """Return which of the largest resampled differences is the one required.

    Examples
    --------
    >>> place_of_required(1000, 0.05)
    50
    """
    rank = math.floor(n_resamples * alpha + 1e-9)  # 1000 x 0.29 falls just short of 290 in floating point
    if rank < 1:
        raise InvalidOptionError(
            f"`n_resamples` x `alpha` must be at least 1 to read off the difference required, not "
            f"{n_resamples} x {alpha}; use `n_resamples` of at least {math.ceil(1 / alpha - 1e-9)}"
        )
    return rank


def _resample(
    question: Question, n_resamples: int, place: int, generator: np.random.Generator, n_threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the tally (metric, 5, pair) and the absolute mean at the place (metric, pair)."""
    check_memory(
        n_resamples * min(question.n_topics, SPAN) // 8 if question.plain else 3 * n_resamples * question.n_topics,
        what=f"{n_resamples:,} resamples of {question.n_topics:,} topics, held at once for the difference required,",
        advice="ask for fewer resamples, for the test 'bootstrap', which goes through them in blocks, or for 't'",
    )
    if not question.plain:
        drawn = question.units.counts(generator, n_resamples, at_once=n_resamples)
        return tally_units(question, drawn, n_threads=n_threads, place=place)
    draws = topic_draws(generator, n_resamples, question.n_topics, at_once=n_resamples)
    required = np.zeros((len(question.values), len(question.first)))
    return tally_resamples(question, draws, n_threads=n_threads, placing=Placing(place, required)), required
