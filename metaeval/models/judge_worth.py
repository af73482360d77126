"""How many human topics a judge stands for: "30 human topics and this judge have the power of 70", from a pilot."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr, stdtrit

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_count, check_power, check_share
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.errors import EstimationError
from metaeval.running.equality import RELATIVE
from metaeval.tests_stat.judged_topics import judged_topics
from metaeval.tests_stat.noncentral_t import detectable_shift
from metaeval.tests_stat.rectified_means import Estimand, coordinates_of, human_and_judge_blocks

_FEWEST = 4  # human topics beside a judge, for whom a slope is fitted: the price of that has a mean from here on
_MOST = 1e7
_TOLERANCES = {"xatol": 1e-10, "xrtol": 0.0, "fatol": 0.0, "frtol": 0.0}
_NOTHING = 1e-9  # of a sum of squares: what rounding leaves of it when the one topic that made it goes
_SUMMED = ("worth", "n_equivalent", "n_needed")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopicsWithJudge(Result):
    """Value of a judge in human topics, per pair and over all pairs."""

    data: xr.Dataset
    """Dim ``pair`` with coordinates ``system_a`` and ``system_b``, or dim ``system``; variables ``correlation`` of the
    human and the judge's differences over topics; ``worth`` of one human topic when the judge scores any number of
    others; ``width_ratio``, the width of an interval with the judge over that without, many topics supposed;
    ``n_equivalent``, the human topics alone that have the power of ``n_topics`` with the judge; ``n_needed``, the
    human topics that with the judge have the power of ``n_topics`` alone. The last two pay for what few topics
    cost. NaN where the human scores of a pair do not vary."""
    summary: pd.DataFrame
    """Rows "median" and "mean" over pairs; columns ``worth``, ``n_equivalent`` and ``n_needed``, each with ``_low``
    and ``_high``: an interval over topics."""
    of: Estimand
    metric: str
    judge: str
    n_topics: int
    """Human topics planned."""
    n_judged: int | None
    """Topics planned for the judge alone; None for any number."""
    n_pilot: int
    """Topics that people and judge both scored, from which this comes."""
    alpha: float
    power: float
    confidence_level: float
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair, or a system."""
        frame = self.data.to_dataframe().reset_index(drop=self.of == "pairs")
        names = [name for name in ("system", "system_a", "system_b") if name in frame]
        return frame[[*names, *self.data.data_vars]]

    def _found(self) -> str:
        return self.sentence()

    def sentence(self) -> str:
        """Say what the judge is worth, for the median pair."""
        row = self.summary.loc["median"]
        equivalent, needed = (
            f"{row[name]:.0f} [{row[f'{name}_low']:.0f}, {row[f'{name}_high']:.0f}]" for name in _SUMMED[1:]
        )
        topics = unit().topics
        others = f"any number of {topics}" if self.n_judged is None else f"{self.n_judged} {topics}"
        return (
            f"Adding labels of {self.judge} on {others} makes {self.n_topics} human {topics} as informative as "
            f"{equivalent} under {self.metric}; {needed} would match {self.n_topics} alone."
        )


def topics_with_judge(  # noqa: PLR0913 - one keyword per choice
    human: object,
    judge: object,
    *,
    n_topics: int = 30,
    n_judged: int | None = None,
    of: Estimand = "pairs",
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float = 0.95,
) -> TopicsWithJudge:
    r"""Plan a collection that people and a judge label together: estimate how many human topics the judge is worth.

    Parameters
    ----------
    human, judge : Scores or anything `metaeval.as_scores` takes
        One metric each, the same systems; what counts is the topics that both have (at least 4).
    n_topics : int, default 30
        Human topics planned, at least 4.
    n_judged : int, optional
        Further topics for the judge alone; any number by default, the limit.
    of : {"pairs", "means"}
        What is to be known: differences of all pairs, or the mean of every system.
    alpha : float, default 0.05
        Level of the two-sided test that should find something.
    power : float, default 0.8
        Its chance to.
    confidence_level : float, default 0.95
        Of the intervals over topics.

    Returns
    -------
    TopicsWithJudge
        One row a pair (``system_a``, ``system_b``), or a ``system``, in ``to_frame()``: the ``correlation`` of people
        and judge (-1 to 1), ``worth`` of a human topic, ``width_ratio``, ``n_equivalent`` and ``n_needed`` in human
        topics; NaN where the human scores do not vary. ``summary`` has median and mean over pairs, with intervals.

    Raises
    ------
    ScoresError, InvalidOptionError
        As `metaeval.prediction_powered`, which also needs topics of the judge alone.
    EstimationError
        If the human scores of no pair vary over the topics.

    See Also
    --------
    metaeval.prediction_powered
    metaeval.models.sample_size.topic_set_size_for_t

    Notes
    -----
    From the common topics come the variances of the human and the judge's differences Y and f, the slope
    :math:`\beta` of Y on f and the variance :math:`\sigma_e^2` about it. With n human topics, N others and
    :math:`g = N / (n + N)`, :math:`\lambda = \beta g` held between 0 and 1, the estimate of
    `metaeval.prediction_powered` has

    .. math:: V = \frac{\sigma_e^2 + (\beta - \lambda)^2 \sigma_f^2}{n} + \frac{\lambda^2 \sigma_f^2}{N}

    For many topics this is :math:`(1 - \rho^2 g) \sigma_Y^2 / n`, so ``width_ratio`` is
    :math:`\sqrt{1 - \rho^2 g}`, and ``worth`` :math:`1/(1 - \rho^2)` [1]_. With few, :math:`\lambda` varies about its
    target :math:`\beta g`, for normal differences with

    .. math:: s^2 = g^2 \left(\frac{\sigma_e^2}{n \sigma_f^2} + \frac{2 g \beta^2}{n}\right)

    and that adds :math:`E(\lambda - \beta g)^2 \sigma_f^2 / (n g)`, the expectation being that of a normal variable
    held between 0 and 1; and there are fewer degrees of freedom. ``n_equivalent`` and ``n_needed`` pay both: they
    equate the differences that a t test finds with the power asked for. (They also take :math:`\rho^2` as adjusted for
    the size of the pilot.) A judge that says little may so cost a few topics: 9 topics and a judge of correlation .3
    are worth fewer than 9.

    Intervals: the median and the mean over pairs with each topic left out once (jackknife), on the logarithmic scale,
    with Student's t. They say what other topics of the same kind would have said about these systems and this judge.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
       :doi:`10.1126/science.adi6000`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=8, n_topics=50, metrics=["AP", "nDCG@10"], rng=1)
    >>> found = topics_with_judge(scores.sel(metric=["AP"]), scores.sel(metric=["nDCG@10"]), n_topics=30, n_judged=400)
    >>> found.sentence()
    'Adding labels of nDCG@10 on 400 topics makes 30 human topics as informative as 39 [33, 46] under AP;
     23 [20, 27] would match 30 alone.'
    """
    purpose = "planning with a judge"
    check_count(n_topics, "n_topics", least=_FEWEST)
    if n_judged is not None:
        check_count(n_judged, "n_judged")
    check_choice(of, "of", ("pairs", "means"))
    check_power(power, alpha)
    check_share(confidence_level, "confidence_level")
    laid = judged_topics(human, judge, what=purpose, fewest=_FEWEST)
    plan = _WorthPlan(
        n_topics=n_topics, n_judged=np.inf if n_judged is None else float(n_judged), alpha=alpha, power=power
    )
    full, without = [], []
    for y, f, _ in human_and_judge_blocks(laid, of):
        sums = (y.centred, f.centred)
        full.append(plan.answers(*(_sums(first, second) for first, second in _products(*sums)), n=laid.n_topics))
        less = (_without_each(first, second) for first, second in _products(*sums))
        without.append(plan.answers(*less, n=laid.n_topics - 1))
    estimates, left_out = (
        {name: np.concatenate([answer[name] for answer in parts]) for name in parts[0]} for parts in (full, without)
    )
    n_fixed = int(np.isnan(estimates["worth"]).sum())
    if n_fixed == len(estimates["worth"]):
        which = "pair" if of == "pairs" else "system"
        message = f"the human scores of no {which} vary over the {laid.n_topics} {unit().topics}"
        raise EstimationError(message)
    notes = list(laid.notes)
    if n_fixed:
        notes.append(
            f"{n_fixed} of {len(estimates['worth'])} {of} do not vary over the human {unit().topics} and were left out"
        )
    dim = "pair" if of == "pairs" else "system"
    return TopicsWithJudge(
        data=xr.Dataset(
            {name: (dim, values) for name, values in estimates.items()},
            coords=coordinates_of(laid, of),
        ),
        summary=_summary(estimates, left_out, laid.n_topics, confidence_level),
        of=of,
        metric=laid.metric,
        judge=laid.judge_name,
        n_topics=int(n_topics),
        n_judged=None if n_judged is None else int(n_judged),
        n_pilot=laid.n_topics,
        alpha=float(alpha),
        power=float(power),
        confidence_level=float(confidence_level),
        notes=tuple(notes),
    )


def _products(y: Floats, f: Floats) -> tuple[tuple[Floats, Floats], ...]:
    return (y, y), (f, f), (y, f)


def _sums(one: Floats, other: Floats) -> Floats:
    sums: Floats = np.einsum("rt,rt->r", one, other)
    return sums


def _without_each(one: Floats, other: Floats) -> Floats:
    """Return the sums of products about the mean with every topic left out once, (row, topic)."""
    n = one.shape[1]
    total = _sums(one, other)[:, None]
    left = total - n / (n - 1) * one * other
    return np.where(np.abs(left) <= _NOTHING * np.abs(total), 0.0, left)


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorthPlan:
    """So many human topics and topics of the judge alone, and the test that is to find something."""

    n_topics: int
    n_judged: float
    alpha: float
    power: float

    def answers(self, ss_y: Floats, ss_f: Floats, products: Floats, *, n: int) -> dict[str, Floats]:
        """Return what is asked of every row, from the sums of squares and products over n topics."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ss_y = np.where(ss_y > 0.0, ss_y, np.nan)
            ss_f = np.where(ss_f > 0.0, ss_f, np.nan)
            correlation = np.clip(products / np.sqrt(ss_y * ss_f), -1.0, 1.0)
            spread = np.nan_to_num(ss_f / ss_y)  # of the judge's differences, in units of the human variance
            slope = np.nan_to_num(products / ss_f)
            left = 1.0 - np.nan_to_num(correlation) ** 2
            left = np.where(left <= RELATIVE, 0.0, left)
            plain = (left, slope, spread)
            weight = np.clip(slope, 0.0, 1.0)
            worth = 1.0 / (left + (slope - weight) ** 2 * spread)
            unbiased = np.minimum(1.0, left * (n - 1) / (n - 2))  # of the pilot's topics, as adjusted R squared
            exact = (unbiased, np.nan_to_num(np.sign(slope) * np.sqrt((1.0 - unbiased) / spread), posinf=0.0), spread)
            valid = np.where(np.isnan(ss_y), np.nan, 1.0)
            size = float(self.n_topics)
            first = relative_variance(size, self.n_judged, *plain, fitting=False)[0]
            return {
                "correlation": correlation,
                "worth": valid * worth,
                "width_ratio": valid * np.sqrt(first * size),
                "n_equivalent": valid * self._alone(self._effect(np.full_like(worth, size), *exact)),
                "n_needed": valid * self._needed(*exact),
            }

    def _needed(self, left: Floats, slope: Floats, spread: Floats) -> Floats:
        """Return the human topics with the judge that find what `n_topics` alone find, from few to twice as many."""
        from scipy.optimize.elementwise import find_root  # noqa: PLC0415 - only a plan needs it

        target = np.log(_shift(np.array(self.n_topics - 1.0), self.alpha, self.power) / np.sqrt(self.n_topics))

        def beyond(n: Floats, *judge: Floats) -> Floats:
            return np.asarray(np.log(self._effect(n, *judge)) - target)

        judge = (left, slope, spread)
        low, high = float(_FEWEST), 2.0 * self.n_topics + 20.0
        too_few, enough = (beyond(np.full_like(left, n), *judge) for n in (low, high))
        needed = np.where(too_few <= 0.0, low, high)
        between = (too_few > 0.0) & (enough < 0.0)
        if between.any():
            arguments = tuple(values[between] for values in judge)
            ends = (np.full_like(arguments[0], low), np.full_like(arguments[0], high))
            needed[between] = find_root(beyond, ends, args=arguments, tolerances=_TOLERANCES).x
        return needed

    def _effect(self, n: Floats, left: Floats, slope: Floats, spread: Floats) -> Floats:
        """Return the difference found with the power asked for, in standard deviations of a human difference."""
        variance, freedom = relative_variance(n, self.n_judged, left, slope, spread, fitting=True)
        return _shift(freedom, self.alpha, self.power) * np.sqrt(variance)

    def _alone(self, effect: Floats) -> Floats:
        """Return the human topics alone that find this difference."""
        sizes, effects = _alone_table(self.alpha, self.power)
        return np.exp(np.interp(-np.log(np.maximum(effect, 1e-300)), -np.log(effects), np.log(sizes)))


def relative_variance(  # noqa: PLR0913 - a plan and what a pilot told
    n: Floats | float, others: float, left: Floats, slope: Floats, spread: Floats, *, fitting: bool
) -> tuple[Floats, Floats]:
    """Return the variance of an estimate over the human variance of one topic, and its degrees of freedom.

    Examples
    --------
    >>> [float(one.round(4)) for one in relative_variance(30, 400, 0.4, 0.8, 0.9, fitting=False)]
    [0.0147, 33.4194]
    """
    n = np.asarray(n, dtype=np.float64)
    share = 1.0 if np.isinf(others) else others / (n + others)
    weight = np.clip(slope * share, 0.0, 1.0)
    of_human = (left + (slope - weight) ** 2 * spread) / n
    if fitting:
        of_human = of_human + _price_of_fitting(n, share, left, slope, spread)
    of_judge = 0.0 if np.isinf(others) else weight**2 * spread / others
    variance = of_human + of_judge
    freedom = (of_human + of_judge) ** 2 / (of_human**2 / (n - 2.0) + np.square(of_judge) / (n + others - 2.0) + 1e-300)
    return variance, np.where((weight > 0.0) & (variance > 0.0), freedom, n - 1.0)


def _price_of_fitting(n: Floats, share: float | Floats, left: Floats, slope: Floats, spread: Floats) -> Floats:
    """Return what is added by a lambda that varies about its target, and is held between 0 and 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        target = slope * share
        error = share * np.sqrt(left / (spread * n) + 2.0 * share * slope**2 / n)
        below, above = -target / error, (1.0 - target) / error
        inside = ndtr(above) - ndtr(below) - above * _density(above) + below * _density(below)
        moved = error**2 * (inside + above**2 * ndtr(-above) + below**2 * ndtr(below))
        price = spread / (n * share) * (moved - (np.clip(target, 0.0, 1.0) - target) ** 2)
    return np.where((spread > 0.0) & (error > 0.0), price, 0.0)


def _density(z: Floats) -> Floats:
    density: Floats = np.exp(-(z**2) / 2.0) / np.sqrt(2.0 * np.pi)
    return density


@cache
def _shift_table(alpha: float, power: float) -> tuple[Floats, Floats]:
    """Return detectable shifts by degrees of freedom, laid out to be interpolated."""
    freedom = np.concatenate([np.geomspace(1.0, 1e3, 241), np.geomspace(1.1e3, 2.0 * _MOST, 20)])
    return np.log(freedom), np.log(detectable_shift(freedom, alpha=alpha, power=power))


def _shift(freedom: Floats, alpha: float, power: float) -> Floats:
    return np.exp(np.interp(np.log(freedom), *_shift_table(alpha, power)))


@cache
def _alone_table(alpha: float, power: float) -> tuple[Floats, Floats]:
    """Return numbers of topics, and what a paired t test of so many finds."""
    sizes = np.concatenate([np.geomspace(2.0, 1e3, 481), np.geomspace(1.02e3, _MOST, 200)])
    return sizes, _shift(sizes - 1.0, alpha, power) / np.sqrt(sizes)


def _summary(found: dict[str, Floats], without: dict[str, Floats], n: int, confidence_level: float) -> pd.DataFrame:
    """Return median and mean over pairs, with the interval of the jackknife over topics on the logarithmic scale."""
    reach = float(stdtrit(n - 1, 0.5 + confidence_level / 2))
    varying = ~np.isnan(found["worth"])
    rows = {}
    for label, take in (("median", np.nanmedian), ("mean", np.nanmean)):
        row: dict[str, float] = {}
        for name in _SUMMED:
            value = float(take(found[name][varying]))
            with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # a topic that alone made the pairs vary
                logs = np.log(take(without[name][varying], axis=0))
                error = np.sqrt((n - 1) / n * np.square(logs - logs.mean()).sum())
            spread = np.exp(reach * error)
            row |= {name: value, f"{name}_low": value / spread, f"{name}_high": value * spread}
        rows[label] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def visible_worth(ask: Callable[[], TopicsWithJudge]) -> TopicsWithJudge:
    """Return a worth, unless the topics show none: under the judge the median pair does not vary, or is people's."""
    worth = ask()
    frame = worth.to_frame()
    correlated = frame.loc[frame["worth"].notna(), "correlation"].notna()
    where = f"on the {worth.n_pilot} {unit().topics} that people and {worth.judge} both have"
    if correlated.mean() < 0.5:  # noqa: PLR2004 - the median pair
        raise EstimationError(
            f"{where} most differences between two systems are the same on every {unit().topic} under {worth.judge}, "
            "as where it labelled nothing or found nothing relevant; its scores there cannot be compared with people"
        )
    if np.isinf(frame["worth"].median()):
        raise EstimationError(
            f"{where} differences under {worth.judge} are proportional to those of people, so no error is visible, "
            f"and how many {unit().topics} it is worth cannot be estimated"
        )
    return worth
