"""How sure is discriminative power itself? Intervals over topics, and its spread over the choice of runs."""

import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.checks import MOST_REPLICATES, check_choice, check_count, check_share, t_half_width
from metaeval.draws import RNGLike, bootstrap_counts, bootstrap_indices, resolve_rng
from metaeval.equality import RELATIVE
from metaeval.errors import InvalidOptionError
from metaeval.parallel import parallel_map, track
from metaeval.scores import Scores, as_scores, select_runs
from metaeval.tests_stat.catalogue import TESTS, compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.labels import labelled
from metaeval.tests_stat.pairs import Question, ask
from metaeval.tests_stat.result import PairwiseResult, UnreachableLevelWarning, is_significant
from metaeval.tests_stat.sensitivity import SENSITIVITY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PowerIntervals", "RunChoicePower", "discriminative_power_interval", "run_choice_power", "t_powers"]

_SPREAD = ("mean", "standard_deviation", "low", "high", "smallest", "largest")
_PAIRS_AT_ONCE = 256
_RESAMPLES_AT_ONCE = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerIntervals:
    """Discriminative power with an interval, per correction and metric, and for the difference of any two metrics.

    Attributes
    ----------
    data : xarray.Dataset
        Dims ``correction``, ``metric`` and ``resample``; variables ``power`` (correction, metric), on the topics at
        hand, and ``resampled`` (correction, metric, resample), on the same topic resamples for every metric.
    test : str
        The test that decides about a pair.
    alpha : float
        Its level.
    confidence_level : float
        Of the intervals.
    n_resamples : int or None
        B of a resampling test.
    n_topic_resamples : int
        Rounds of the outer loop.
    n_systems, n_topics : int
        Size of the scores.
    random_source : str
        Where the draws came from.
    """

    data: xr.Dataset
    test: str
    alpha: float
    confidence_level: float
    n_resamples: int | None
    n_topic_resamples: int
    n_systems: int
    n_topics: int
    random_source: str

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    @property
    def corrections(self) -> tuple[str, ...]:
        """Names of the corrections."""
        return tuple(self.data["correction"].to_numpy().tolist())

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

    def plot(self) -> "Figure":
        """Draw the powers with their intervals."""
        from metaeval.figures.power import power_dots  # noqa: PLC0415 - matplotlib

        return power_dots(labelled(self.to_frame()).rename(columns={"low": "power_low", "high": "power_high"}))

    def _at(self, correction: str, metric: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        one = self.data.sel(correction=correction, metric=metric)
        return one["power"].to_numpy(), one["resampled"].to_numpy()

    def _interval(
        self, name: str, observed: NDArray[np.float64], resampled: NDArray[np.float64], *, lowest: float
    ) -> dict[str, float]:
        error = float(resampled.std(ddof=1)) * np.sqrt(self.n_topics / (self.n_topics - 1))
        half = t_half_width(error, self.n_topics, self.confidence_level)
        low, high = max(lowest, float(observed) - half), min(1.0, float(observed) + half)
        return {name: float(observed), "standard_error": error, "low": low, "high": high}


def discriminative_power_interval(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    test: str = SENSITIVITY,
    corrections: Sequence[str] = ("none", "fdr_by"),
    alpha: float = 0.05,
    n_resamples: int = 1000,
    n_topic_resamples: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_jobs: int = 1,
    n_threads: int | None = None,
) -> PowerIntervals:
    r"""Decide how far a metric's discriminative power depends on the topics that happened to be drawn.

    What is covered is the *expected* discriminative power of a sample of T topics from the population of topics that
    the T at hand came from, with the same systems and test: what others should expect to find with another T topics.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    test : str, default "bootstrap_sensitivity"
        A name in `metaeval.tests_stat.catalogue.TESTS`; by default Sakai's method. "t" takes a small part of the time
        of a resampling test (see ``benchmarks/speed_bootstrap.py``), and its uncorrected standard errors agree with
        those of the studentised bootstrap; nothing is replaced by it unless asked.
    corrections : sequence of str, default ("none", "fdr_by")
        See `metaeval.tests_stat.correction.adjust`; "family-wise" for a test that adjusts itself.
    alpha : float, default 0.05
        Level of the test.
    n_resamples : int, default 1000
        B of a resampling test.
    n_topic_resamples : int, default 200
        Rounds of the outer loop; the half-width of an interval has a relative error of about
        :math:`1/\sqrt{2R}` from this, 5 % at 200.
    confidence_level : float, default 0.95
    rng : None, int or numpy.random.Generator
        The test on the topics at hand draws first, hence as it would alone with the same seed; then the topics of
        the outer loop are drawn, and every round has a source of its own.
    n_jobs : int, default 1
        Worker processes for the outer loop (the t test needs none).
    n_threads : int, optional
        Cores within a worker.

    Returns
    -------
    PowerIntervals

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

    The percentile interval of D* would be wrong. A resampled difference carries the noise of the sample and once
    more that of the resample, so that pairs near the threshold, and pairs with no difference at all, come out
    significant too often: D* lies above D on average (by up to .11 in the study). D itself has no bias for what is
    covered, so the basic and the bias-corrected interval, which mirror or take off the bias of D*, err on the other
    side. Only the spread of D* is usable.

    ``benchmarks/calibrate_power_interval.py`` measures coverage on simulated populations with the t test
    (``benchmarks/reports/power_interval_coverage.md``): nominal 95 % intervals of this form covered .92 to .99 of the
    time for uncorrected power, .94 to .98 for a difference, .91 to 1.00 under Benjamini and Yekutieli; the percentile
    interval as little as .30. Lowest is a heavy-tailed population, highest one with hardly any power.
    For the studentised bootstrap only the agreement of the standard errors with those of the t test was studied,
    uncorrected.

    On real topics coverage is a little lower, and the misses are one-sided. With the topics of a collection as the
    population and samples of 50, uncorrected 95 % intervals covered .92 of the time on average over nine choices of
    systems (.87 to .96); with 249 other topics .923 for AP and .930 for P@10, single choices of systems down to .88.
    The target mostly lies below the interval (in .055 of the samples; above it in .023): the spread falls as power
    rises, so that a sample with too many significantly different pairs is also too sure of it. Read the lower limit
    with that in
    mind.

    Where every resample gives the same power (0 or 1, few pairs), the interval is a point, which says nothing.

    Examples
    --------
    >>> scores = np.random.default_rng(1).normal([[0.0], [0.1], [0.6]], 1.0, (3, 40))
    >>> intervals = discriminative_power_interval(scores, test="t", rng=1)
    >>> intervals.to_frame()[["metric", "correction", "power", "low", "high"]].round(2)
        metric correction  power   low  high
    0  metric1       none   0.67  0.26   1.0
    1  metric1     fdr_by   0.67  0.14   1.0
    """
    scores = as_scores(scores)
    name = TESTS.find(test).name
    corrections = _checked_corrections(corrections)
    check_share(confidence_level, "confidence_level")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES)
    source = resolve_rng(rng)
    decide = partial(_powers, test=name, corrections=corrections, alpha=alpha, n_resamples=n_resamples)
    observed = decide(scores, rng=source, n_threads=n_threads)
    topics = bootstrap_indices(source.generator, n_topic_resamples, scores.sizes["topic"])
    if name == "t":
        resampled = t_powers(ask(scores, alpha=alpha), topics, corrections=corrections, n_threads=n_threads)
    else:
        one = partial(_resampled_powers, scores=scores, decide=decide, n_threads=n_threads if n_jobs == 1 else 1)
        rounds = parallel_map(
            one, list(topics), generator=source.generator, n_jobs=n_jobs, description="Resampling topics for intervals"
        )
        resampled = np.stack(rounds, axis=-1)
    return PowerIntervals(
        data=xr.Dataset(
            {
                "power": (("correction", "metric"), observed),
                "resampled": (("correction", "metric", "resample"), resampled),
            },
            coords={"correction": list(corrections), "metric": scores["metric"].to_numpy()},
        ),
        test=name,
        alpha=float(alpha),
        confidence_level=float(confidence_level),
        n_resamples=_inner_resamples(name, n_resamples),
        n_topic_resamples=n_topic_resamples,
        n_systems=scores.sizes["system"],
        n_topics=scores.sizes["topic"],
        random_source=source.description,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunChoicePower:
    """Discriminative power over many choices of runs, per correction and metric.

    Attributes
    ----------
    data : xarray.Dataset
        Dims ``correction``, ``metric``, ``choice`` and ``system``; variables ``power`` (correction, metric, choice)
        and ``chosen`` (choice, system).
    test : str
        The test that decides about a pair.
    alpha : float
        Its level.
    choose : str or int
        How the systems were chosen.
    confidence_level : float
        Share of the choices that lies between ``low`` and ``high``.
    n_resamples : int or None
        B of a resampling test.
    n_choices, n_topics : int
    random_source : str
        Where the draws came from.
    """

    data: xr.Dataset
    test: str
    alpha: float
    choose: str | int
    confidence_level: float
    n_resamples: int | None
    n_choices: int
    n_topics: int
    random_source: str

    @property
    def n_systems(self) -> int:
        """Number of systems in a choice."""
        return int(self.data["chosen"][0].sum())

    def to_frame(self) -> pd.DataFrame:
        """Return one row a correction and metric, with the spread of its power over the choices.

        Columns metric, test, correction, n_systems, mean, standard_deviation, low, high (quantiles), smallest, largest.
        """
        return self._describe(self.data["power"], ["metric"])

    def differences(self) -> pd.DataFrame:
        """Return one row a correction and two metrics, for power of the first minus power of the second.

        The columns are those of `to_frame` with metric_a and metric_b, and first_higher: the share of choices in
        which the first metric has the higher power, equal powers counting half.
        """
        columns = ["metric_a", "metric_b", "test", "correction", "n_systems", *_SPREAD, "first_higher"]
        parts = []
        for first, second in combinations(self.data["metric"].to_numpy().tolist(), 2):
            one, other = (self.data["power"].sel(metric=name, drop=True) for name in (first, second))
            frame = self._describe((one - other).assign_coords(metric_a=first, metric_b=second), columns[:2])
            higher = ((one > other) + 0.5 * (one == other)).mean("choice").to_numpy()
            parts.append(frame.assign(first_higher=higher))
        return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)

    def plot(self) -> "Figure":
        """Draw the mean powers with the range over the choices."""
        from metaeval.figures.power import power_dots  # noqa: PLC0415 - matplotlib

        names = {"mean": "power", "low": "power_low", "high": "power_high"}
        return power_dots(labelled(self.to_frame()).rename(columns=names))

    def _describe(self, power: xr.DataArray, keys: list[str]) -> pd.DataFrame:
        tail = (1 - self.confidence_level) / 2
        values = (
            power.mean("choice"),
            power.std("choice", ddof=1),
            power.quantile(tail, "choice").drop_vars("quantile"),
            power.quantile(1 - tail, "choice").drop_vars("quantile"),
            power.min("choice"),
            power.max("choice"),
        )
        table = xr.Dataset(dict(zip(_SPREAD, values, strict=True)))
        frame = table.to_dataframe().reset_index().assign(test=self.test, n_systems=self.n_systems)
        return frame[[*keys, "test", "correction", "n_systems", *_SPREAD]]


def run_choice_power(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    choose: str | int = "one-per-group",
    test: str = SENSITIVITY,
    corrections: Sequence[str] = ("none", "fdr_by"),
    alpha: float = 0.05,
    n_resamples: int = 1000,
    n_choices: int = 200,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> RunChoicePower:
    """Decide how far discriminative power depends on which runs were compared.

    Sakai and Kando (2008, section 4) take one run per team at random, once; here the choice is made many times. The
    topics stay the same, and so does the decision about a pair: the test is run once over all pairs.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With groups, if `choose` is "one-per-group".
    choose : "one-per-group" or int
        One run of every group, or so many of all.
    test : str, default "bootstrap_sensitivity"
        A name in `metaeval.tests_stat.catalogue.TESTS`, except the tests whose p-value of a pair depends on the other
        systems (max-t, Tukey's HSD); by default Sakai's method.
    corrections : sequence of str, default ("none", "fdr_by")
        The family is the pairs of one choice; see `metaeval.tests_stat.correction.adjust`.
    alpha : float, default 0.05
        Level of the test.
    n_resamples : int, default 1000
        B of a resampling test.
    n_choices : int, default 200
        How often runs are chosen.
    confidence_level : float, default 0.95
        Share of the choices between the two quantiles that are shown.
    rng : None, int or numpy.random.Generator
        The test draws first, then the choices.
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    RunChoicePower

    Raises
    ------
    ScoresError
        If the scores have gaps or too few systems or topics.
    InvalidOptionError
        If there are no groups, or an option is outside its rule.

    Examples
    --------
    >>> scores = as_scores(
    ...     np.random.default_rng(1).normal([[0.0], [0.1], [0.2], [0.9]], 1.0, (4, 40)),
    ...     groups={"system1": "x", "system2": "x", "system3": "y", "system4": "y"},
    ... )
    >>> choices = run_choice_power(scores, test="t", n_choices=50, rng=1)
    >>> choices.to_frame()[["metric", "correction", "n_systems", "smallest", "largest"]].head(1)
        metric correction  n_systems  smallest  largest
    0  metric1       none          2       0.0      1.0
    """
    scores = as_scores(scores)
    name = TESTS.find(test).name
    corrections = _checked_corrections(corrections)
    check_share(confidence_level, "confidence_level")
    check_count(n_choices, "n_choices", least=2, most=MOST_REPLICATES)
    if TESTS.find(name).family_wise:
        message = f"test {name!r} looks at all systems at once, so choosing among its pairs means nothing; use another"
        raise InvalidOptionError(message)
    if choose == "all":
        message = "choose='all' leaves nothing to choose; use 'one-per-group' or a number of systems"
        raise InvalidOptionError(message)
    source = resolve_rng(rng)
    result = _decide(scores, test=name, alpha=alpha, n_resamples=n_resamples, rng=source, n_threads=n_threads)
    chosen = _choices(scores, choose, n_choices, source.generator)
    question = ask(scores, alpha=alpha)
    power = np.empty((len(corrections), len(result.metrics), n_choices))
    for choice in track(range(n_choices), description="Choosing runs", total=n_choices):
        kept = chosen[choice][question.first] & chosen[choice][question.second]
        p_values = result.data["p_value"].to_numpy()[:, kept]
        for place, correction in enumerate(corrections):
            corrected = adjust(p_values, correction)
            found = is_significant(corrected, alpha, strictly_below=result.strictly_below)
            power[place, :, choice] = found.mean(axis=1)
    return RunChoicePower(
        data=xr.Dataset(
            {"power": (("correction", "metric", "choice"), power), "chosen": (("choice", "system"), chosen)},
            coords={
                "correction": list(corrections),
                "metric": scores["metric"].to_numpy(),
                "system": scores["system"].to_numpy(),
            },
        ),
        test=name,
        alpha=float(alpha),
        choose=choose,
        confidence_level=float(confidence_level),
        n_resamples=_inner_resamples(name, n_resamples),
        n_choices=n_choices,
        n_topics=scores.sizes["topic"],
        random_source=source.description,
    )


def _inner_resamples(name: str, n_resamples: int) -> int | None:
    return n_resamples if TESTS.find(name).resampled else None


def _checked_corrections(corrections: Sequence[str]) -> tuple[str, ...]:
    names = tuple(map(CORRECTIONS.canonical, (corrections,) if isinstance(corrections, str) else corrections))
    if not names:
        message = f"corrections must name at least one of {', '.join(CORRECTIONS)}"
        raise InvalidOptionError(message)
    return names


def _decide(  # noqa: PLR0913 - one keyword per choice
    scores: Scores, *, test: str, alpha: float, n_resamples: int, rng: RNGLike, n_threads: int | None
) -> PairwiseResult:
    """Run a test over all pairs, with its own p-values."""
    return compare_systems(
        scores,
        test=test,
        correction=TESTS.find(test).own_correction,
        alpha=alpha,
        n_resamples=n_resamples,
        rng=rng,
        n_threads=n_threads,
    )


def _powers(  # noqa: PLR0913 - one keyword per choice
    scores: Scores,
    *,
    test: str,
    corrections: tuple[str, ...],
    alpha: float,
    n_resamples: int,
    rng: RNGLike,
    n_threads: int | None,
) -> NDArray[np.float64]:
    """Return discriminative power, an array (correction, metric)."""
    result = _decide(scores, test=test, alpha=alpha, n_resamples=n_resamples, rng=rng, n_threads=n_threads)
    return np.stack([result.with_correction(name).discriminative_power()["power"].to_numpy() for name in corrections])


def _resampled_powers(
    topics: NDArray[np.int64],
    generator: np.random.Generator,
    *,
    scores: Scores,
    decide: partial[NDArray[np.float64]],
    n_threads: int | None,
) -> NDArray[np.float64]:
    """Return discriminative power on these topics, repeated ones counting as topics of their own."""
    sample = scores.isel(topic=topics).assign_coords(topic=[str(place) for place in range(1, len(topics) + 1)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableLevelWarning)  # said once, for the topics at hand
        return decide(sample, rng=generator, n_threads=n_threads)


def t_powers(
    question: Question,
    topics: NDArray[np.int64],
    *,
    corrections: Sequence[str] = ("none",),
    n_threads: int | None = None,
) -> NDArray[np.float64]:
    r"""Return the power of the two-sided paired t test on many lists of topics at once.

    Parameters
    ----------
    question : Question
    topics : array (list, place)
        Positions of topics; a topic that stands twice in a list counts as two.
    corrections : sequence of str
        Of `metaeval.tests_stat.correction.CORRECTIONS`.
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    array (correction, metric, list)

    Notes
    -----
    A pair is significant when :math:`(\sum_j z_j)^2 \ge \kappa \sum_j z_j^2` with
    :math:`\kappa = T t^2 / (T - 1 + t^2)` and t the critical value. Both sums are products with the counts of the
    topics, so one product does all pairs and lists.

    Examples
    --------
    >>> question = ask([[0.3, 0.5, 0.9, 0.4], [0.2, 0.3, 0.6, 0.4]])
    >>> t_powers(question, np.array([[0, 1, 2, 3], [0, 0, 1, 1]]))
    array([[[0., 1.]]])
    """
    n_pairs, (n_lists, n_drawn) = len(question.first), topics.shape
    counts = np.ascontiguousarray(bootstrap_counts(topics, question.n_topics).T)
    critical = {name: _critical_ratios(name, n_pairs, n_drawn, question.alpha) for name in corrections}
    in_order = any(CORRECTIONS[name].step != "none" for name in corrections)
    powers = np.empty((len(corrections), len(question.values), n_lists))
    blocks = range(0, n_lists, _RESAMPLES_AT_ONCE)

    def steps(pool: ThreadPoolExecutor) -> Iterator[None]:
        for metric in range(len(question.values)):
            for start in blocks:
                block = slice(start, start + _RESAMPLES_AT_ONCE)
                ratios = _ratios(question, metric, counts[:, block], pool)
                if in_order:
                    ratios = -np.sort(-ratios, axis=1)
                for place, name in enumerate(corrections):
                    powers[place, metric, block] = _n_rejected(ratios, critical[name], name) / n_pairs
                yield

    total = len(blocks) * len(question.values)
    with tile_pool(n_threads) as pool:
        for _ in track(steps(pool), description="Testing on resampled topics", total=total):
            pass
    return powers


def _ratios(
    question: Question, metric: int, counts: NDArray[np.float64], pool: ThreadPoolExecutor
) -> NDArray[np.float64]:
    """Return (sum z)^2 / sum z^2 of every list of topics and pair; 0 where the means are equal."""
    scores = question.values[metric]  # noqa: PD011 - an array, not a frame
    sums, noise = scores @ counts, RELATIVE * (np.abs(scores) @ counts)
    n_pairs = len(question.first)
    ratios = np.empty((counts.shape[1], n_pairs))

    def work(start: int) -> None:
        part = slice(start, start + _PAIRS_AT_ONCE)
        first, second = question.first[part], question.second[part]
        total = sums[first] - sums[second]
        apart = np.abs(total) > noise[first] + noise[second]
        squares = (scores[first] - scores[second]) ** 2 @ counts
        ratios[:, part] = np.divide(total**2, squares, out=np.zeros_like(total), where=apart).T

    list(pool.map(work, range(0, n_pairs, _PAIRS_AT_ONCE)))
    return ratios


def _critical_ratios(correction: str, n_pairs: int, n_topics: int, alpha: float) -> NDArray[np.float64]:
    """Return what the largest, second largest, … ratio must reach to be rejected at its own level."""
    place = np.arange(1, n_pairs + 1)
    check_choice(correction, "correction", CORRECTIONS)
    t = stdtrit(n_topics - 1, CORRECTIONS[correction].levels(alpha, place, n_pairs) / 2)
    critical: NDArray[np.float64] = n_topics * t**2 / (n_topics - 1 + t**2)
    return critical


def _n_rejected(ratios: NDArray[np.float64], critical: NDArray[np.float64], correction: str) -> NDArray[np.int64]:
    """Count the rejections of every row, which is sorted, largest first, for a stepwise correction.

    A step-down correction goes to the first failure, a step-up one from the last success.
    """
    reached = ratios >= critical
    step = CORRECTIONS[correction].step
    if step == "none":
        return reached.sum(axis=1)
    if step == "down":
        return np.where(reached.all(axis=1), reached.shape[1], np.argmin(reached, axis=1))
    return np.where(reached.any(axis=1), reached.shape[1] - np.argmax(reached[:, ::-1], axis=1), 0)


def _choices(scores: Scores, choose: str | int, n_choices: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Choose runs so many times, an array (choice, system)."""
    names = scores["system"].to_numpy()
    slim = scores.isel(metric=[0], topic=[0])
    return np.stack(
        [np.isin(names, select_runs(slim, choose, generator)["system"].to_numpy()) for _ in range(n_choices)]
    )
