"""Ranks from means and standard errors alone, where there are no scores by item: as if errors were independent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import logsumexp, stdtrit

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_share
from metaeval.base.names import natural_order
from metaeval.metrics.known_bounds import known_bounds
from metaeval.resampling.exchangeable import SystemPlaces
from metaeval.resampling.posterior_ranks import RankBands, bands_of_draws, counts_at_top
from metaeval.resampling.ranks import (
    RankDecisions,
    RankMethod,
    RankPairs,
    SystemRanks,
    decided_by_holm,
    ranks_dataset,
    tested_too,
)
from metaeval.running.draws import RandomSource, RNGLike, resolve_rng
from metaeval.running.equality import settle
from metaeval.table.means import SystemMeans, as_means
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.tails import student_p

_GRID = 2000  # values of the variance of the true means
_DEPTH = 80.0  # of the law of the shrinkage, in units of its logarithm: beyond, it has no weight
_SEEDS = 2**63
_GOLDEN = (5.0**0.5 - 1.0) / 2.0  # its multiples spread most evenly over 0 to 1
_LEAST_DRAWS = 20
_CERTAIN = 10_000.0  # units of which a difference without error is known as certain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RanksFromErrors(SystemRanks):
    """Intervals of ranks from means and their errors alone, where there are no scores by item.

    `data` holds, beside what `SystemRanks` has, ``error`` and ``n`` as given, ``p_best`` (the probability that the true
    mean is the best) and ``p_top`` (that it is among the best `top`).
    """

    top: int
    """How many systems count as the top."""
    method: RankMethod = "posterior"
    """How ranks and pairs were decided."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best mean first, with the standard errors and probabilities.

        The columns are ``metric``, ``system``, ``mean``, ``mean_low`` and ``mean_high`` (its own interval, exact for n
        scores that are all at one end of their range), ``stderr``, ``n``, ``rank``, ``rank_low``, ``rank_high``,
        ``n_above``, ``n_below``, ``p_best`` and ``p_top_k``.
        """
        frame = SystemRanks.to_frame(self)
        more = self.data[["error", "n", "p_best", "p_top"]].to_dataframe().reset_index()
        more = more[["metric", "system", "error", "n", "p_best", "p_top"]]
        sizes = more["n"].fillna(np.inf)
        half = stdtrit(np.maximum(sizes - 1.0, 1.0), 0.5 + self.confidence_level / 2.0) * more["error"]
        more["half"] = half.where(sizes > 1.0)
        frame = frame.merge(more, on=["metric", "system"]).rename(
            columns={"error": "stderr", "p_top": f"p_top_{self.top}"}
        )
        seen = frame.groupby("metric", sort=False)["mean"].agg(["min", "max"])
        bounds = {str(name): known_bounds(str(name), *ends, shares=False) for name, *ends in seen.itertuples()}
        least, most = (frame["metric"].map({name: ends[side] for name, ends in bounds.items()}) for side in (0, 1))
        frame["mean_low"] = (frame["mean"] - frame["half"]).clip(lower=least)
        frame["mean_high"] = (frame["mean"] + frame["half"]).clip(upper=most)
        # n scores at one end of their range: Clopper and Pearson
        exact = (most - least) * (1.0 - (0.5 - self.confidence_level / 2.0) ** (1.0 / frame["n"]))
        known = np.isfinite(exact)
        frame["mean_high"] = frame["mean_high"].mask(known & (frame["mean"] == least), least + exact)
        frame["mean_low"] = frame["mean_low"].mask(known & (frame["mean"] == most), most - exact)
        frame = frame.drop(columns="half")
        first = ["metric", "system", "mean", "mean_low", "mean_high", "stderr", "n"]
        return frame[[*first, *(name for name in frame if name not in first)]]


def rank_intervals_from_errors(  # noqa: PLR0913 - one keyword per choice
    means: object,
    errors: object = None,
    *,
    n: object = None,
    systems: Sequence[str] | None = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    top: int = 3,
    method: RankMethod = "posterior",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_draws: int = 20_000,
    rng: RNGLike = None,
) -> RanksFromErrors:
    r"""Compute intervals for true ranks from means and standard errors, as if the systems' errors were independent.

    Parameters
    ----------
    means : DataFrame, mapping, Series or sequence
        A table of means and standard errors, with a column for the metric or several metrics side by side
        (`metaeval.table.means.as_means`); or, with `errors`, the means of one metric by system.
    errors : mapping, Series or sequence, optional
        Standard errors of the means.
    n : number, mapping, Series or sequence, optional
        Items behind every mean. Errors estimated on n items are those of Student's t with n - 1 degrees of freedom;
        without n they count as known.
    systems : sequence of str, optional
        Names, where means are a sequence.
    higher_is_better : bool or mapping of str to bool, default True
    top : int, default 3
        How many systems count as the top (all of fewer).
    method : {"posterior", "guaranteed"}, default "posterior"
        How ranks are decided: by draws of the true means, or by the errors of the differences with Holm's correction.
        Pairs need the latter under both; see `metaeval.resampling.ranks.rank_intervals`.
    confidence_level : float, default 0.95
        Probability that the intervals hold the true ranks of all systems (or of the system, see `simultaneous`).
    simultaneous : bool, default True
        False: every interval holds its level for its own system alone.
    n_draws : int, default 20000
        Of the true means.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    RanksFromErrors
        One row a ``metric`` and ``system`` in ``to_frame()``, best mean first: see `RanksFromErrors.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError
        As `metaeval.table.means.as_means`, and if an option is outside its rule.

    See Also
    --------
    metaeval.resampling.ranks.rank_intervals : from scores by item, whose errors are paired

    Notes
    -----
    **An approximation.** Systems scored on the same items err alike: the covariance of their errors is unknown here and
    taken for 0. Where it is positive, as it mostly is, differences vary less than
    :math:`\sqrt{s_a^2 + s_b^2}`, and these intervals are too wide: fewer pairs are separated than scores by item would
    separate. Where errors are independent (other items for every system), they held all true ranks of 5 to 50 systems
    in .93 to .99 of simulated boards (.95 asked); with errors correlated at .75, in all of 500.

    The means seen are :math:`\bar x_j \sim N(\mu_j, s_j^2)` and the true ones :math:`\mu_j \sim N(\mu, \tau^2)`, with a
    flat law of :math:`\mu` and :math:`p(\tau^2) \propto 1 / (\bar s^2 + \tau^2)`, where :math:`\bar s^2` is the mean of
    the :math:`s_j^2`. With equal errors this is the law of `metaeval.models.probability_of_best.best_system` [1]_, the
    share of noise being :math:`u = \bar s^2 / (\bar s^2 + \tau^2)` and :math:`p(u) \propto 1 / u`; a mean with a larger
    error is drawn further towards the others. With n items a draw has :math:`s_j^2 (n - 1) / \chi^2_{n - 1}` for
    :math:`s_j^2`. Ranks, their intervals and decisions about pairs follow from the draws as in
    `metaeval.resampling.ranks.rank_intervals`.

    **Guaranteed.** A pair is significantly different where :math:`|\bar x_a - \bar x_b| / \sqrt{s_a^2 + s_b^2}` is,
    under Holm's correction over all pairs, by the normal law, or by Student's t with Welch's degrees of freedom where n
    is known.

    Systems with one mean and no error are equal; an error of 0 makes a mean certain.

    References
    ----------
    .. [1] Strawderman (1971). Proper Bayes minimax estimators of the multivariate normal mean. Annals of Mathematical
       Statistics 42, 385-388. :doi:`10.1214/aoms/1177693528`

    Examples
    --------
    >>> found = rank_intervals_from_errors({"a": 0.71, "b": 0.70, "c": 0.52}, {"a": 0.02, "b": 0.02, "c": 0.02}, rng=1)
    >>> found.to_frame()[["system", "rank", "rank_low", "rank_high"]]
      system  rank  rank_low  rank_high
    0      a     1         1          2
    1      b     2         1          2
    2      c     3         3          3
    """
    board = means if isinstance(means, SystemMeans) else as_means(
        means, errors, n=n, systems=systems, higher_is_better=higher_is_better
    )  # fmt: skip
    check_choice(method, "method", get_args(RankMethod))
    asked = checked(top, confidence_level, simultaneous, n_draws, len(board.systems))._replace(method=method)
    source = resolve_rng(rng)
    seed = int(source.generator.integers(_SEEDS))
    if not np.isnan(board.means).any():
        return _ranks(board, asked, seed, source)
    found = [_ranks(board.under([metric]), asked, seed, source) for metric in board.metrics]
    return replace(found[0], data=_side_by_side(board, [one.data for one in found]), n_systems=len(board.systems))


def _ranks(board: SystemMeans, asked: "MeansOptions", seed: int, source: RandomSource) -> RanksFromErrors:
    """Return the ranks of systems that have a mean under every metric."""
    direction = np.where(board.higher_is_better, 1.0, -1.0)[:, None]
    oriented = settle(board.means * direction, np.abs(board.means))
    sampled = []
    for metric in range(len(board.metrics)):
        places = _places(board, metric, oriented[metric])
        draws = draws_of_true_means(
            oriented[metric], board.errors[metric], board.n[metric], places, asked.n_draws, np.random.default_rng(seed)
        )
        sampled.append((places, draws))
    squares = board.errors[:, :, None] ** 2 + board.errors[:, None] ** 2
    return ranks_of_draws(board, oriented, squares, sampled, asked, source)


def _side_by_side(board: SystemMeans, found: Sequence[xr.Dataset]) -> xr.Dataset:
    """Return what was found under each metric alone as one, NaN for systems and pairs without a mean under it."""
    first, second = all_pairs(len(board.systems))
    names = np.asarray(board.systems)
    place_of = {pair: at for at, pair in enumerate(zip(names[first], names[second], strict=True))}
    placed = []
    for data in found:
        pairs = zip(data["system_a"].to_numpy(), data["system_b"].to_numpy(), strict=True)
        own = data.drop_vars(["system_a", "system_b"]).assign_coords(pair=[place_of[pair] for pair in pairs])
        unknown = {name: False if name == "significant" else np.nan for name in own.data_vars}
        placed.append(own.reindex(system=names, pair=np.arange(len(first)), fill_value=unknown))
    together = xr.concat(placed, "metric").drop_vars("pair")
    return together.assign_coords(system_a=("pair", names[first]), system_b=("pair", names[second]))


class MeansOptions(NamedTuple):
    """What is asked of draws of true means."""

    top: int
    level: float
    simultaneous: bool
    n_draws: int
    method: RankMethod = "posterior"
    corrected: bool = True
    """Whether tests of pairs have to agree under Holm's correction, or each by itself."""


def checked(top: int, level: float, simultaneous: bool, n_draws: int, n_systems: int) -> MeansOptions:  # noqa: FBT001 - as given
    """Check what is asked of the ranks of systems."""
    check_share(level, "confidence_level")
    check_count(n_draws, "n_draws", least=_LEAST_DRAWS, most=MOST_REPLICATES)
    return MeansOptions(min(check_count(top, "top"), n_systems), float(level), bool(simultaneous), int(n_draws))


def ranks_of_draws(  # noqa: PLR0913, PLR0917 - the means, their draws and what is asked
    board: SystemMeans,
    oriented: Floats,
    squares: Floats,
    kept: Sequence[tuple[SystemPlaces, Floats]],
    asked: MeansOptions,
    source: RandomSource,
) -> RanksFromErrors:
    """Return ranks from draws of the true means under every metric.

    Shapes: `oriented` (metric, system), `squares` (metric, system, system): variances of differences.
    """
    return RanksFromErrors(
        data=_decided(board, oriented, squares, kept, asked),
        top=asked.top,
        method=asked.method,
        confidence_level=asked.level,
        simultaneous=asked.simultaneous,
        n_systems=len(board.systems),
        n_draws=asked.n_draws,
        random_source=source.description,
    )


def _decided(
    board: SystemMeans,
    oriented: Floats,
    squares: Floats,
    kept: Sequence[tuple[SystemPlaces, Floats]],
    asked: MeansOptions,
) -> xr.Dataset:
    level, simultaneous, top = asked.level, asked.simultaneous, min(asked.top, len(board.systems))
    first, second = all_pairs(len(board.systems))
    apart, square = oriented[:, first] - oriented[:, second], squares[:, first, second]
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(apart == 0.0, 0.0, apart / np.sqrt(square))
    pairs = RankPairs(first, second, apart, np.sqrt(square), statistic, square, square > 0.0)
    bands, chances = [], []
    for estimates, variance, (places, draws) in zip(oriented, squares, kept, strict=True):
        varied = variance * (1.0 - np.eye(len(estimates)))  # no system differs from itself
        bands.append(
            bands_of_draws(draws, estimates, varied == 0.0, places, varied, level=level, simultaneous=simultaneous)
        )
        chances.append(places.shared(counts_at_top(draws, [1, top])) / len(draws))
    p_values = _p_values(board, pairs)
    needed = adjust(p_values, "holm") if asked.corrected else p_values
    if asked.method == "guaranteed":
        decided = decided_by_holm(p_values, pairs, level, simultaneous=simultaneous)
    else:
        decided = _by_bands(bands, first, second)
        decided = tested_too(decided, pairs, oriented, p_values, needed, level) if simultaneous else decided
    labels = {"metric": board.metrics, "system": board.systems, "higher_is_better": board.higher_is_better}
    data = ranks_dataset(labels, board.means, oriented, pairs, needed, decided, np.ones((len(board.metrics), 1)))
    dims = ("metric", "system")
    columns = {"error": board.errors, "n": board.n, "p_best": np.array(chances)[:, 0], "p_top": np.array(chances)[:, 1]}
    return data.assign({name: (dims, values) for name, values in columns.items()})


def _p_values(board: SystemMeans, pairs: RankPairs) -> Floats:
    """Return the two-sided p-values of the differences; errors without n count as known."""
    sizes = np.nan_to_num(board.n, nan=np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = board.errors**4 / (sizes - 1.0)
        freedom = pairs.squares**2 / (parts[:, pairs.first] + parts[:, pairs.second])
    n_units = np.minimum(np.minimum(sizes[:, pairs.first], sizes[:, pairs.second]), _CERTAIN)
    return student_p(np.where(np.isnan(freedom), 1.0, freedom), pairs.statistic, n_units).p


def _by_bands(found: Sequence[RankBands], first: Ints, second: Ints) -> RankDecisions:
    return RankDecisions(
        low=np.stack([bands.low for bands in found]),
        high=np.stack([bands.high for bands in found]),
        critical=np.stack([bands.cut for bands in found]),
        critical_error=np.stack([bands.cut_error for bands in found]),
        rank_error=np.stack([bands.error for bands in found]),
        ahead=np.stack([bands.ahead[first, second] for bands in found]),
        sure=np.stack([bands.sure for bands in found]),
    )


def draws_of_true_means(  # noqa: PLR0913, PLR0917 - what is known of the means, and how they are drawn
    oriented: Floats, errors: Floats, n: Floats, places: SystemPlaces, n_draws: int, generator: np.random.Generator
) -> Floats:
    """Draw the true means (draw, system); draws come in pairs that mirror each other.

    Examples
    --------
    >>> places = SystemPlaces(np.array([0, 1]), np.array([0, 1]))
    >>> errors, n = np.array([0.1, 0.1]), np.full(2, np.nan)
    >>> draws = draws_of_true_means(np.array([0.5, 0.5]), errors, n, places, 1000, np.random.default_rng(1))
    >>> draws.shape, float((draws[:, 0] > draws[:, 1]).mean())
    ((1000, 2), 0.5)
    """
    if not errors.any():
        return oriented[None].copy()
    n_pairs, order = -(-n_draws // 2), places.order
    start = generator.random()
    chances = np.asarray((start + np.arange(n_pairs) * _GOLDEN) % 1.0, dtype=np.float64)
    spread = _spread_of_means(oriented, errors, chances)[:, None]
    noise, middle = np.empty((n_pairs, len(oriented))), generator.standard_normal((n_pairs, 1))
    noise[:, order] = generator.standard_normal(noise.shape)
    variance = np.broadcast_to(errors**2, noise.shape)
    if (has_n := np.isfinite(n)).any():
        scale = np.ones(noise.shape)
        freedom = np.where(has_n, n - 1.0, 1.0)[order]
        scale[:, order] = np.where(has_n[order], freedom / generator.chisquare(freedom, noise.shape), 1.0)
        variance = variance * scale
    weight = 1.0 / (variance + spread)
    total = weight.sum(axis=1, keepdims=True)
    grand = (weight * oriented).sum(axis=1, keepdims=True) / total
    share = variance * weight
    about = share * grand + (1.0 - share) * oriented
    error = share * middle / np.sqrt(total) + np.sqrt(share * spread) * noise
    return np.concatenate([about + error, about - error])


def _spread_of_means(oriented: Floats, errors: Floats, chances: Floats) -> Floats:
    """Return the variance of the true means at these chances of its posterior, (chance,)."""
    level = float((errors**2).mean())
    deviation = oriented - oriented.mean()
    seen = max(float((deviation**2).sum()) / level, float(len(oriented)))
    least = np.log(len(oriented) / seen) - _DEPTH / (len(oriented) - 1.0)
    noise = np.linspace(least, 0.0, _GRID + 1)[:-1] + 0.5 * (-least / _GRID)  # log of the share of noise: a flat law
    spread = level * np.expm1(-noise)
    total = errors[:, None] ** 2 + spread
    weight = 1.0 / total
    grand = (weight * oriented[:, None]).sum(axis=0) / weight.sum(axis=0)
    distance = (weight * (oriented[:, None] - grand) ** 2).sum(axis=0)
    likelihood = -0.5 * (np.log(total).sum(axis=0) + np.log(weight.sum(axis=0)) + distance)
    below = np.cumsum(np.exp(likelihood - logsumexp(likelihood)))
    return level * np.expm1(-np.interp(chances, below, noise))


def _places(board: SystemMeans, metric: int, oriented: Floats) -> SystemPlaces:
    """Return the order in which systems take random numbers, and which of them nothing but a name tells."""
    keys = np.stack([oriented, board.errors[metric], np.nan_to_num(board.n[metric])])
    group = np.unique(keys, axis=1, return_inverse=True)[1].ravel()
    name = {system: position for position, system in enumerate(natural_order(board.systems))}
    by_name = np.array([name[system] for system in board.systems])
    return SystemPlaces(np.lexsort([by_name, group]), group)
