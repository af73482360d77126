"""What difference between two systems could the topics at hand have shown? Minimum detectable differences of all pairs.

Never the power at the difference that was observed: that is the p-value once more. The question here takes from the
scores only how much the difference varies over topics, and asks how large a true difference had to be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betaincc, betaincinv

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_power
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, two_digits
from metaeval.errors import InvalidOptionError
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.units import units_of
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.noncentral_t import detectable_shift
from metaeval.tests_stat.pairs import Estimates, all_pairs
from metaeval.tests_stat.robust import difference_estimates
from metaeval.tests_stat.runs import with_runs
from metaeval.tests_stat.sign import sign_counts

type Places = Ints
DetectableTest = Literal["auto", "t", "mcnemar"]

_LOW, _MIDDLE, _HIGH = 0.05, 0.5, 0.95  # of the pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectableDifferences(Result):
    """The smallest true difference that a test detects with a given power, for every pair."""

    data: xr.Dataset
    """Dims ``metric``, ``pair`` and ``correction``; ``difference`` (metric, pair, correction) in the metric's unit,
    NaN for a pair without variance and infinite where no difference could be found; ``error`` (the standard error
    of the pair's mean difference), ``freedom``, ``n_topics`` (that both systems have), ``discordance`` (share of
    these on which the systems differ; NaN unless scores are 0 or 1), all (metric, pair); ``level`` (correction),
    the level at which a pair is tested; coordinates ``first`` and ``second`` on ``pair``."""
    tests: Mapping[str, str]
    """"t" or "mcnemar" for every metric."""
    alpha: float
    power: float

    @property
    def n_pairs(self) -> int:
        """Size of the family."""
        return int(self.data.sizes["pair"])

    def _found(self) -> str:
        rows = self.summary().drop_duplicates("metric")
        words = [
            f"{bracketed(row.median, row.low, row.high, two_digits)} under {row.metric}" for row in rows.itertuples()
        ]
        how = CORRECTIONS.words(rows["correction"].iloc[0])
        return f"the difference detected with power {self.power:g} is {first_few(words)} at the median pair ({how})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric, pair and correction."""
        frame = self.data.to_dataframe(dim_order=["metric", "pair", "correction"]).reset_index()
        frame["test"] = frame["metric"].map(self.tests)
        columns = ["metric", "first", "second", "test", "correction", "level", "difference"]
        return frame[[*columns, "error", "freedom", "n_topics", "discordance"]]

    def summary(self) -> pd.DataFrame:
        """Return one row a metric and correction: the difference at the median pair, and between which 90 % lie.

        ``median``, ``low`` and ``high`` are 50, 5 and 95 % of the pairs that have variance, each a pair's own number,
        infinite where so many pairs could show nothing; ``no_variance`` and ``undetectable`` count pairs;
        ``discordance`` is that of the median pair.
        """
        rows = []
        for metric, test in self.tests.items():
            of_metric = self.data.sel(metric=metric)
            discordance = float(_quantiles(of_metric["discordance"].to_numpy())[1])
            for correction, level in zip(
                of_metric["correction"].to_numpy().tolist(), of_metric["level"].to_numpy(), strict=True
            ):
                differences = of_metric["difference"].sel(correction=correction).to_numpy()
                low, middle, high = _quantiles(differences)
                rows.append(
                    {
                        "metric": metric,
                        "test": test,
                        "correction": correction,
                        "level": float(level),
                        "n_pairs": self.n_pairs,
                        "median": middle,
                        "low": low,
                        "high": high,
                        "discordance": discordance,
                        "no_variance": int(np.isnan(differences).sum()),
                        "undetectable": int(np.isinf(differences).sum()),
                    }
                )
        return pd.DataFrame(rows)


def detectable_differences(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    corrections: str | Sequence[str] = ("none", "holm", "fdr_by"),
    test: DetectableTest = "auto",
    pairs: Sequence[tuple[str, str]] | None = None,
    baseline: str | None = None,
) -> DetectableDifferences:
    r"""Compute the smallest true difference that is detected with a given power, for every pair of systems.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come.
    alpha : float, default 0.05
        Significance level of the family.
    power : float, default 0.8
        Wanted chance of finding the difference.
    corrections : str or sequence of str, default ("none", "holm", "fdr_by")
        Each asks at the level of its first step, where one pair alone is found: alpha over the number of pairs m under
        Bonferroni and Holm, and that over :math:`1 + 1/2 + \dots + 1/m` under Benjamini and Yekutieli. A procedure that
        goes in steps tests later pairs at higher levels, so its differences lie between these and those without
        correction.
    test : {"auto", "t", "mcnemar"}
        "t": the paired t test (with clusters CR2, see `metaeval.tests_stat.robust`). "mcnemar": the exact test of
        McNemar, the sign test, for scores that are all 0 or 1 on independent topics of one weight. "auto" takes that
        where it may.
    pairs : sequence of (str, str), optional
        The family; by default all pairs.
    baseline : str, optional
        Only the pairs with this system.

    Returns
    -------
    DetectableDifferences
        One row a ``metric``, pair (``first``, ``second``) and ``correction`` in ``to_frame()``: the ``test`` ("t" or
        "mcnemar"), the ``level`` at which the pair is tested, and the smallest ``difference`` that is detected, in
        units of the metric: NaN for a pair without variance, infinite where no difference could be found. Beside it the
        pair's standard ``error`` with its degrees of ``freedom``, ``n_topics``, and ``discordance`` (0 to 1, NaN unless
        scores are 0 or 1).

    Raises
    ------
    ScoresError
        If scores have gaps that nobody decided to keep, or a stratum has one topic.
    InvalidOptionError
        If an option is outside its rule, the power is not above alpha, or McNemar's test is asked for scores that it
        cannot take.

    See Also
    --------
    metaeval.models.separation.topics_to_separate
    metaeval.models.sample_size.topic_set_size_for_t

    Notes
    -----
    Paired t: the pair's standard error times the shift :math:`\delta` at which
    :math:`P(|T'_\nu(\delta)| \ge t_\alpha(\nu)) = power`, T' non-central t; the standard deviation of the pair's own
    differences, about their own mean, stands for the true one. Being an estimate it makes the power a little less on
    average: .77 from 20 topics and .795 from 200 for normal differences (``benchmarks/reports`` has more), so of many
    pairs read the median. The differences may exceed what the metric's scale allows: then none can be found.

    Of means over runs (`metaeval.tests_stat.runs`) it is the larger of that and of the same with the runs in the error
    and the degrees of freedom: a pair is decided by both.

    McNemar: given that the systems differ on d of T topics, and that the first is better on a share p of topics where
    they differ, it finds that with chance :math:`P(X \ge k) + P(X \le d - k)`, :math:`X \sim Bin(d, p)`, k the fewest
    at which :math:`2 P(Bin(d, 1/2) \ge k) \le \alpha`. With p solved for, the difference is :math:`(2p - 1) d / T`. It
    holds for this discordance d / T; systems that differ on more topics need a larger difference. Where even k = d is
    not enough (d below 6 at .05), no difference can be found.

    References
    ----------
    .. [1] Hoenig and Heisey (2001). The abuse of power. The American Statistician 55(1), 19-24.
       :doi:`10.1198/000313001300339897`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=5, n_topics=50, metrics=["AP"], rng=1)
    >>> detectable_differences(scores).summary()[["correction", "level", "median"]].round(4)
      correction   level  median
    0       none  0.0500  0.0616
    1       holm  0.0050  0.0819
    2     fdr_by  0.0017  0.0903
    """
    scores = engine_scores(scores, "minimum detectable differences")
    check_power(power, alpha)
    check_choice(test, "test", get_args(DetectableTest))
    first, second = named_pairs(scores, pairs=pairs, baseline=baseline)
    names = CORRECTIONS.several(corrections)
    levels = np.array([first_level(name, alpha, len(first)) for name in names])
    chosen = _tests(scores, test)
    of_topics = difference_estimates(oriented_values(scores), units_of(scores), first, second)
    estimates = with_runs(of_topics, scores, first, second)
    differences, discordance = [], []
    for metric, kind in enumerate(chosen.values()):
        values = scores.to_numpy()[metric]
        differ = sign_counts(np.ascontiguousarray(values), first, second, 0.0).sum(axis=0)  # a gap is no difference
        share = differ / estimates.n_topics[metric] if _zeros_and_ones(values) else np.full(len(first), np.nan)
        if kind == "mcnemar":
            detectable = share[:, None] * (2.0 * _least_share(differ, levels, power) - 1.0)
        else:
            detectable = np.maximum(*(_by_t(means, metric, levels, power) for means in (of_topics, estimates)))
        differences.append(detectable)
        discordance.append(share)
    systems = scores["system"].to_numpy()
    return DetectableDifferences(
        data=xr.Dataset(
            {
                "difference": (("metric", "pair", "correction"), np.stack(differences)),
                "error": (("metric", "pair"), estimates.error),
                "freedom": (("metric", "pair"), estimates.freedom),
                "n_topics": (("metric", "pair"), estimates.n_topics.astype(np.int64)),
                "discordance": (("metric", "pair"), np.stack(discordance)),
                "level": ("correction", levels),
            },
            coords={
                "metric": scores["metric"].to_numpy(),
                "correction": names,
                "first": ("pair", systems[first]),
                "second": ("pair", systems[second]),
            },
        ),
        tests=chosen,
        alpha=float(alpha),
        power=float(power),
    )


def _by_t(found: Estimates, metric: int, levels: Floats, power: float) -> Floats:
    """Return the differences (pair, level) that a t test finds under one metric; NaN without variance."""
    error = np.where(found.error[metric] > 0.0, found.error[metric], np.nan)[:, None]
    return error * detectable_shift(found.freedom[metric, :, None], alpha=levels, power=power)


def first_level(correction: str, alpha: float, n_hypotheses: int) -> float:
    """Return the level at which a correction tests the smallest of so many p-values.

    Examples
    --------
    >>> first_level("holm", 0.05, 10)
    0.005
    """
    name = CORRECTIONS.canonical(correction)
    if name == FAMILY_WISE:
        raise InvalidOptionError(
            f"`correction={FAMILY_WISE!r}` is a test's own and has no level for a pair; choose {', '.join(CORRECTIONS)}"
        )
    return float(CORRECTIONS[name].levels(alpha, np.array([1]), n_hypotheses)[0])


def named_pairs(
    scores: Scores, *, pairs: Sequence[tuple[str, str]] | None, baseline: str | None = None
) -> tuple[Places, Places]:
    """Return the positions of the two systems of every pair: those named, those with a baseline, or all."""
    names = scores["system"].to_numpy().tolist()
    if baseline is not None:
        check_choice(baseline, "system", names)
    if pairs is None:
        return all_pairs(len(names), baseline=None if baseline is None else names.index(baseline))
    if baseline is not None or not pairs or any(len(pair) != 2 or pair[0] == pair[1] for pair in pairs):  # noqa: PLR2004 - two
        message = (
            f"`pairs` lists pairs of two systems, and stands without `baseline`; got {list(pairs)!r}, {baseline!r}"
        )
        raise InvalidOptionError(message)
    for name in (name for pair in pairs for name in pair):
        check_choice(name, "system", names)
    first, second = (np.array([names.index(pair[side]) for pair in pairs], dtype=np.int64) for side in (0, 1))
    return first, second


def _tests(scores: Scores, test: DetectableTest) -> dict[str, str]:
    """Return the test of every metric."""
    independent = not {"cluster", "stratum", "weight"} & set(scores.coords)
    chosen = {}
    for name, values in zip(scores["metric"].to_numpy().tolist(), scores.to_numpy(), strict=True):
        may = independent and _zeros_and_ones(values)
        if test == "mcnemar" and not may:
            raise InvalidOptionError(
                f"McNemar's test takes scores of 0 and 1 on independent {unit().topics} of one weight, which "
                f"those of {name!r} are not; use `test='t'`"
            )
        chosen[name] = "mcnemar" if may and test != "t" else "t"
    return chosen


def _zeros_and_ones(values: Floats) -> bool:
    return bool(((values == 0.0) | (values == 1.0) | np.isnan(values)).all())


def _least_share(differ: Places, levels: Floats, power: float) -> Floats:
    """Return the least share of wins where systems differ (pair, level); infinite where even all are too few."""
    counts, inverse = np.unique(differ, return_inverse=True)
    d = counts[:, None].astype(np.float64)
    from scipy.stats import binom  # noqa: PLC0415 - a second

    k = binom.isf(levels / 2.0, d, 0.5) + 1.0  # the fewest wins whose tail has at most half the level
    can = (k <= d) & (d > 0)
    n, wins = np.where(can, d, 1.0), np.where(can, k, 1.0)
    share = betaincinv(wins, n - wins + 1.0, power)
    for _ in range(3):  # what the other tail adds, next to nothing at usual levels
        other_tail = np.where(wins > n / 2, betaincc(n - wins + 1.0, wins, share), 0.0)
        share = betaincinv(wins, n - wins + 1.0, power - other_tail)
    shares: Floats = np.where(can, share, np.inf)
    return np.where(d > 0, shares, np.nan)[inverse]


def _quantiles(values: Floats) -> tuple[float, float, float]:
    """Return three quantiles, each a value that is there: the mean of a finite and an infinite one says nothing."""
    ordered = np.sort(values[~np.isnan(values)])
    if not len(ordered):
        return np.nan, np.nan, np.nan
    low, middle, high = (
        float(ordered[max(0, int(np.ceil(share * len(ordered))) - 1)]) for share in (_LOW, _MIDDLE, _HIGH)
    )
    return low, middle, high
