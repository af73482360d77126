"""Which ranks are real? For every system the ranks that the topics leave open, for all systems at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr

from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_share, refused
from metaeval.base.results import Figure, Result
from metaeval.base.words import name_of_metric
from metaeval.errors import InvalidOptionError
from metaeval.resampling.cluster_residuals import UnitResiduals, resampled_scores, residuals_of_units
from metaeval.resampling.posterior_ranks import RankBands, bands_of_ranks
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import RELATIVE, difference
from metaeval.running.parallel import limit_threads, track
from metaeval.table.scores import better_direction
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.discordant import exact_signs
from metaeval.tests_stat.labels import pairs_that_differ
from metaeval.tests_stat.letters import letter_names, shared_letters
from metaeval.tests_stat.pairs import all_pairs, ask
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.runs import Runs
from metaeval.tests_stat.tails import signs_tail, student_p

type Floats = NDArray[np.float64]
type Whole = NDArray[np.int64]

RankMethod = Literal["posterior", "guaranteed"]
"""How ranks are decided; see `rank_intervals`."""

_SEEDS = 2**63


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemRanks(Result):
    """Intervals of the ranks of all systems, wherever their errors come from."""

    data: xr.Dataset
    """Dims ``metric``, ``system`` and ``pair``; coordinates ``system_a`` and ``system_b`` on ``pair``; variables

    - ``mean`` (metric, system), in the metric's own direction;
    - ``rank``: 1 + the systems with a better mean, so that equal means share the best rank;
    - ``n_above``, ``n_below``: systems significantly better and significantly worse than this one;
    - ``rank_low``, ``rank_high``: the interval; never outside 1 + n_above and N - n_below, which it is if guaranteed;
    - ``critical_value`` (one for all systems if simultaneous): the p-value that a pair must not exceed if guaranteed,
      otherwise the share of the draws that may have it the other way round; ``critical_error``: its Monte-Carlo
      standard error;
    - ``rank_error``: Monte-Carlo standard error of the ends of the interval, at most;
    - ``difference``, ``standard_error``, ``statistic`` (metric, pair): mean of a less mean of b, its standard
      error, and their ratio; infinite for a difference that is the same on every topic;
    - ``p_better``: share of the draws in which the true mean of a is better; NaN if guaranteed;
    - ``p_tested``: p-value of the two-sided test that has to agree, under Holm's correction over all pairs (of
      estimates with their covariance, such as strengths from votes, without one);
    - ``significant``: decided by the critical values of both systems and, if simultaneous, by ``p_tested``.
    """
    confidence_level: float
    simultaneous: bool
    """Whether the intervals hold the true ranks of all systems at once, or each those of its own."""
    n_systems: int
    n_draws: int
    """Draws of the true means; 0 if guaranteed, where nothing is drawn."""
    random_source: str
    """Where the draws came from; empty if there are none."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    def _found(self) -> str:
        return pairs_that_differ(self.data["significant"])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best mean first.

        The columns are metric, system, mean, rank, rank_low, rank_high, n_above, n_below.
        """
        columns = ["mean", "rank", "rank_low", "rank_high", "n_above", "n_below"]
        frame = self.data[columns].to_dataframe().dropna(subset=["mean"]).reset_index()[["metric", "system", *columns]]
        frame = frame.astype(dict.fromkeys(columns[1:], int))
        frame["place"] = frame["metric"].map({name: position for position, name in enumerate(self.metrics)})
        ordered = frame.sort_values(["place", "rank"], kind="stable", ignore_index=True)
        return ordered.drop(columns="place")

    def pairs(self) -> pd.DataFrame:
        """Return one row a metric and pair: system_a, system_b, difference, standard_error, statistic, significant."""
        columns = ["metric", "system_a", "system_b", "difference", "standard_error", "statistic", "significant"]
        return self.data[columns[3:]].to_dataframe().dropna(subset=["difference"]).reset_index()[columns]

    def verdicts(self) -> NDArray[np.int8]:
        """Return what is decided of every pair: 1 where a is significantly better, -1 where b is, else 0.

        An array (metric, pair). Ranks, their intervals and the letters of `groups` follow from it.
        """
        direction = better_direction(self.data["mean"])[:, None]
        signs = (
            self.data["significant"].to_numpy() * np.sign(np.nan_to_num(self.data["statistic"].to_numpy())) * direction
        )
        return np.asarray(signs, dtype=np.int8)

    def open_pairs(self) -> NDArray[np.float64]:
        """Return how open each decision about a pair is for its resamples, an array (metric, pair); no more than half.

        A pair near the critical value may lie on either side of it with other draws, unless its test leaves it open.
        The number of significant pairs errs at most by the sum.
        """
        if not self.n_draws:
            return np.zeros(self.data["p_better"].shape)
        critical, error = self._critical()
        better = self.data["p_better"].to_numpy()
        rarer, one_draw = np.minimum(better, 1.0 - better), 1.0 / self.n_draws
        drawn = self.data["standard_error"].to_numpy() > 0.0
        if self.simultaneous:
            drawn &= is_significant(self.data["p_tested"].to_numpy(), 1.0 - self.confidence_level)
        return drawn * _open(
            critical + 0.5 * one_draw - rarer, np.sqrt(error**2 + np.maximum(rarer, one_draw) * one_draw)
        )

    def open_firsts(self) -> NDArray[np.float64]:
        """Return the Monte-Carlo standard error of the number of systems that may be first, one a metric.

        Each system near the limit counts as open by the error of its end, which is one at most, independently.
        """
        low, error = self.data["rank_low"].to_numpy(), self.data["rank_error"].to_numpy()
        return np.asarray(np.sqrt((_open(low - 1.5, error) ** 2 * (error > 0.0)).sum(axis=1)))

    def groups(self) -> pd.DataFrame:
        """Return the groups of systems that cannot be separated: metric, system, mean, rank, letters.

        Two systems share a letter exactly if their pair is not significant (compact letter display, see
        `metaeval.tests_stat.letters.shared_letters`). Letters past z have two characters; then blanks part them.

        Raises
        ------
        InvalidOptionError
            If the intervals are not simultaneous: their decisions about a pair depend on whose interval is asked.
        """
        if not self.simultaneous:
            raise InvalidOptionError("groups need decisions about all pairs at once; ask for `simultaneous=True`")
        frame = self.to_frame()[["metric", "system", "mean", "rank"]]
        letters = []
        for metric, of_metric in frame.groupby("metric", sort=False):
            shared = shared_letters(self._different(str(metric), of_metric["system"].tolist()))
            names = np.array(letter_names(shared.shape[1]), dtype=object)
            between = " " if len(names) > len(set("".join(names))) else ""
            letters += [between.join(names[row]) for row in shared]
        return frame.assign(letters=letters)

    def _draw(self, metric: str | None = None, *, kind: Literal["ranks", "groups"] = "ranks") -> Figure:
        """Draw the interval of every system's rank under one metric (the first by default), or the groups.

        The diagram of groups is that known as critical-difference diagram, by means and these decisions.
        """
        from metaeval.figures.groups import critical_difference  # noqa: PLC0415 - matplotlib
        from metaeval.figures.systems import system_ranking  # noqa: PLC0415 - as above

        name = self.metrics[0] if metric is None else metric
        check_choice(name, "metric", self.metrics)
        check_choice(kind, "kind of picture", ("ranks", "groups"))
        if kind == "groups":
            groups = self.groups()
            higher = bool(self.data["higher_is_better"].sel(metric=name))
            return critical_difference(groups[groups["metric"] == name], name_of_metric(name), higher_is_better=higher)
        frame = self.to_frame().assign(mean=lambda one: one["rank"], low=lambda one: one["rank_low"])
        return system_ranking(frame.assign(high=frame["rank_high"]), name, label="rank, with its interval")

    def _different(self, metric: str, systems: list[str]) -> NDArray[np.bool_]:
        """Return which pairs are significant, as a square over the systems named."""
        of_metric = self.data.sel(metric=metric)
        names = pd.Index(systems)
        a, b = (names.get_indexer(pd.Index(of_metric[side].to_numpy())) for side in ("system_a", "system_b"))
        there = (a >= 0) & (b >= 0)
        square = np.zeros((len(names), len(names)), dtype=bool)
        square[a[there], b[there]] = square[b[there], a[there]] = of_metric["significant"].to_numpy()[there]
        return square

    def _critical(self) -> tuple[Floats, Floats]:
        """Return the critical value of each metric and its error, (metric, 1)."""
        critical = self.data["critical_value"].min("system").to_numpy()[:, None]
        return critical, self.data["critical_error"].max("system").to_numpy()[:, None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankIntervals(SystemRanks):
    """Intervals of the ranks of all systems, and the decisions about pairs on which they depend."""

    method: RankMethod
    """How ranks and pairs were decided."""
    resampled: str
    """"topic", "cluster", or "stratum" for topics within strata."""
    n_topics: int
    n_units: int
    """Size of the scores, and how many topics or clusters there are."""

    def _found(self) -> str:
        return pairs_that_differ(self.data["significant"]) + ", uncorrected" * (not self.simultaneous)


def rank_intervals(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    method: RankMethod = "posterior",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_draws: int = 20_000,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> RankIntervals:
    r"""Compute simultaneous intervals for the true ranks of all systems of a leaderboard.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        A coordinate ``cluster`` on the topics makes whole clusters count as one, ``stratum`` keeps the strata;
        ``weight`` weights the means.
    method : {"posterior", "guaranteed"}, default "posterior"
        How ranks are decided: by draws of the true means, or by the paired t test with Holm's correction, which also
        holds all of a true rank that systems share, and is wider. Pairs, all at once, need that test under both.
    confidence_level : float, default 0.95
        Probability that the intervals hold the true ranks of all systems (or of the system, see `simultaneous`).
    simultaneous : bool, default True
        False: every interval holds its level for its own system alone, which is what one asks about a system named
        beforehand, and is narrower.
    n_draws : int, default 20000
        Of the true means, for ``"posterior"``.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    RankIntervals
        One row a ``metric`` and ``system`` in ``to_frame()``, best mean first: ``mean`` in units of the metric,
        ``rank`` with ``rank_low`` and ``rank_high``, ``n_above`` and ``n_below`` (systems significantly better and
        worse).

    Raises
    ------
    ScoresError
        For gaps, and a stratum of one topic.
    InvalidOptionError
        If an option is outside its rule, or draws are too few for the level; for fewer than 10 clusters, and weights
        with strata.

    See Also
    --------
    metaeval.models.probability_of_best.best_system : the chance of being best, by the same draws
    metaeval.tests_stat.max_t.max_t_test : decisions about pairs by permutations, which suppose all systems equal

    Notes
    -----
    **Posterior.** :math:`\mu^{(1)}, ..., \mu^{(D)}` are draws from the posterior of the true means, and
    :math:`R^{(d)}_j` the rank of system j in draw d. With sorted ranks :math:`R_{j(1)} \le ... \le R_{j(D)}` and
    :math:`n_{ab}` the draws in which b is ahead of a, k is the largest cut for which

    .. math:: R_{j(k+1)} \le R^{(d)}_j \le R_{j(D-k)} \quad \text{for all } j

    in at least the level's share of the draws: bands with equal tails for all ranks at once [1]_ [2]_. System a is
    significantly better than b by the same cut, where :math:`n_{ab} \le k` or where it follows from other pairs, if its
    mean is better, and, all at once, if the paired t test (two-sided) says so too under Holm's correction over all
    pairs: no draw has equal means, and of three groups of three equal systems draws alone parted some pair falsely in a
    quarter of simulated boards, the two together in one of twenty. The intervals are the bands, within
    :math:`[1 + n_j^{better}, N - n_j^{worse}]`, with the rank seen, and with the order left open of pairs that the t
    test of the two alone does not decide: where few orders are open, k may be as large as the level of a one-sided
    test; two systems alone, all at once, are decided by that test. The law of the draws is described with
    `metaeval.models.probability_of_best.best_system`.

    In ``benchmarks/reports/real_populations.md`` real tables are whole populations of topics. For 48 of TREC, with
    50 topics and 20 systems, bands at .95 held all true ranks in .95 of the samples, at two thirds of the guaranteed
    width. Where several systems are exactly equal, their true rank is a set, and no draw has equal means: in groups of
    four the bands held all of every set in .66 of the samples, guaranteed intervals in .97.

    **Guaranteed.** A pair is significantly different where the paired t test says so under Holm's correction over all
    pairs; per system over the pairs that hold it. With the level's probability no such difference has the wrong sign,
    so that system j has at least as many better ones as are significantly better, and the interval
    :math:`[1 + n_j^{better}, N - n_j^{worse}]` holds its true rank [3]_. True ranks with ties are a set: from 1 + the
    systems truly better to N less those truly worse; the interval holds all of it.

    The standard error :math:`s_{ab}` is the paired one over topics; over clusters that of a ratio,
    :math:`s^2 = \frac{G}{G-1} \sum_g r_g^2 / (\sum_g W_g)^2`, with :math:`r_g` the weighted sum of the differences of a
    cluster less the mean difference times its size :math:`W_g`; over strata the sum of the strata's parts. Degrees of
    freedom are the topics (clusters) less the strata; with gaps those that the system of fewer has. Means over runs
    have these in their errors (`metaeval.tests_stat.runs`) and the larger p-value of with and without;
    draws of them move by what runs may have done.

    Systems equal on every topic are never significantly different and have one interval, under both methods. A pair
    that differs on so few topics (clusters) that no exact test reaches the level is never decided, nor are two systems
    alone that differ by one amount, as 0 and 1 do, where the exact sign test does not decide them, and intervals leave
    their order open; a difference that is the same on every topic has the p-value of random signs.

    References
    ----------
    .. [1] Besag, Green, Higdon and Mengersen (1995). Bayesian computation and stochastic systems. Statistical Science
       10, 3-41. :doi:`10.1214/ss/1177010123`
    .. [2] Laird and Louis (1989). Empirical Bayes ranking methods. Journal of Educational Statistics 14, 29-46.
       :doi:`10.3102/10769986014001029`
    .. [3] Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks with applications to mobility across
       neighbourhoods and academic achievement across countries. Review of Economic Studies 91, 476-518.
       :doi:`10.1093/restud/rdad006`

    Examples
    --------
    >>> made = np.random.default_rng(1).normal([[0.0], [0.1], [1.0]], 0.5, (3, 40))
    >>> found = rank_intervals(made, rng=1)
    >>> found.to_frame()[["system", "rank", "rank_low", "rank_high"]]
        system  rank  rank_low  rank_high
    0  system3     1         1          1
    1  system2     2         2          3
    2  system1     3         2          3
    >>> found.groups()["letters"].tolist()
    ['a', 'b', 'b']
    """
    scores = resampled_scores(scores, what="an interval of ranks")
    check_choice(method, "method", get_args(RankMethod))
    check_share(confidence_level, "confidence_level")
    check_count(n_draws, "n_draws", most=MOST_REPLICATES)
    posterior = method == "posterior"
    if posterior:
        _check_draws(confidence_level, n_draws)
    asked = _RankOptions(confidence_level, simultaneous, n_draws, n_threads)
    source = resolve_rng(rng)
    units, scale = residuals_of_units(scores).scaled()
    pairs, p_values = _pairs_of(units, n_threads)
    needed = adjust(p_values, "holm")
    if posterior:
        decided = _by_draws(units, scores["system"].to_numpy(), pairs, asked, source.generator)
        if simultaneous:
            decided = tested_too(decided, pairs, units.oriented, p_values, needed, confidence_level)
    if not posterior or (simultaneous and len(pairs.first) == 1):
        ahead = decided.ahead if posterior else np.full(p_values.shape, np.nan)
        decided = decided_by_holm(p_values, pairs, confidence_level, simultaneous=simultaneous)._replace(ahead=ahead)
    question = ask(scores, uses=("clusters", "strata", "weights", "gaps"))
    reachable = is_significant(signs_tail(question.n_apart, two_sided=True).p, 1.0 - confidence_level)
    if len(pairs.first) == 1:
        first, second = map(str, scores["system"].to_numpy().tolist())
        exact = exact_signs(scores, (first, second), "two-sided")
        reachable &= is_significant(exact, 1.0 - confidence_level) | np.isnan(exact)
    decided = _left_open(decided, pairs, units.oriented, ~reachable & (pairs.varied | (pairs.apart != 0.0)))
    return RankIntervals(
        data=ranks_dataset(scores.coords, units.means, units.oriented, pairs, needed, decided, scale[:, None]),
        method=method,
        confidence_level=float(confidence_level),
        simultaneous=bool(simultaneous),
        resampled=units.kind,
        n_systems=scores.sizes["system"],
        n_topics=scores.sizes["topic"],
        n_units=len(units.sizes),
        n_draws=int(n_draws) if posterior else 0,
        random_source=source.description if posterior else "",
    )


class _RankOptions(NamedTuple):
    level: float
    simultaneous: bool
    number: int
    n_threads: int | None


class RankPairs(NamedTuple):
    """All pairs and their differences; arrays (metric, pair)."""

    first: Whole  # (pair,)
    second: Whole
    apart: Floats
    error: Floats
    statistic: Floats
    squares: Floats
    varied: NDArray[np.bool_]


class RankDecisions(NamedTuple):
    """What a method decides; arrays (metric, system)."""

    low: Whole
    high: Whole
    critical: Floats
    critical_error: Floats
    rank_error: Floats
    ahead: Floats  # (metric, pair): share of the draws in which the first is better
    sure: NDArray[np.bool_]  # (metric, 2, system, system): the row is better, as the row, and as the column, asks


def _check_draws(confidence_level: float, n_draws: int) -> None:
    """Refuse fewer draws than the level leaves one out of."""
    if int(np.ceil(confidence_level * (n_draws + 1) * (1.0 - RELATIVE))) > n_draws:
        least = int(np.ceil(confidence_level / (1.0 - confidence_level)))
        raise refused(
            "n_draws", f"must be at least {least} for intervals at {confidence_level:g}, not {n_draws}", n_draws
        )


def _pairs_of(units: UnitResiduals, n_threads: int | None) -> tuple[RankPairs, Floats]:
    """Return the pairs and their p-values by t, (metric, pair), of means over runs the larger one with or without."""
    first, second = all_pairs(units.means.shape[1])
    with limit_threads(n_threads):
        squares = units.squares(first, second)
    spans = units.spans
    varied = squares * len(units.sizes) > (RELATIVE * (spans[:, first] + spans[:, second])) ** 2
    squares = np.where(varied, squares, 0.0)
    weight = units.sizes.sum()
    sums = units.oriented * weight
    apart = difference(sums[:, first], sums[:, second], spans[:, first], spans[:, second]) / weight
    error, freedom = np.sqrt(squares) / weight, units.freedom(first, second)
    statistic = _over(apart, error)
    p_values = student_p(freedom, statistic, len(units.sizes)).p
    if units.runs is not None:
        error, freedom = Runs.of_pairs(units.runs, first, second).widen(error, freedom)
        statistic = _over(apart, error)
        p_values = np.fmax(p_values, student_p(freedom, statistic, len(units.sizes)).p)
    return RankPairs(first, second, apart, error, statistic, squares, varied), p_values


def _over(apart: Floats, error: Floats) -> Floats:
    """Return differences over their errors: 0 of none, and infinite where nothing varies."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(apart == 0.0, 0.0, apart / error)


def _by_draws(
    units: UnitResiduals, names: NDArray[np.str_], pairs: RankPairs, asked: _RankOptions, generator: np.random.Generator
) -> RankDecisions:
    """Decide by draws of the true means, which begin as those of `metaeval.models.probability_of_best.best_system`."""
    seed = int(generator.spawn(1)[0].integers(_SEEDS))
    at = np.argsort(names)  # what is equal in all else keeps the order of the names
    back = np.argsort(at)
    if (np.diff(at) < 0).any():
        for residual in units.residual:
            residual[:] = residual[at]
    n_units = None if units.held is None else units.held[:, at]
    runs = units.runs and (units.runs[0][:, at], units.runs[1][:, at])
    units = units._replace(oriented=units.oriented[:, at], spans=units.spans[:, at], held=n_units, runs=runs)
    square = np.zeros((len(pairs.squares), len(at), len(at)))
    square[:, pairs.first, pairs.second] = square[:, pairs.second, pairs.first] = pairs.squares
    square = square[:, at][:, :, at]

    def one(metric: int) -> RankBands:
        return bands_of_ranks(
            units,
            metric,
            square[metric],
            level=asked.level,
            simultaneous=asked.simultaneous,
            n_draws=asked.number,
            seed=seed,
        )

    with tile_pool(asked.n_threads) as pool:
        drawn_bands = pool.map(one, range(len(square)))
        bands = RankBands(
            *map(np.stack, zip(*track(drawn_bands, description="Ranking draws", total=len(square)), strict=True))
        )
    ahead = bands.ahead[:, back][:, :, back]
    return RankDecisions(
        low=bands.low[:, back],
        high=bands.high[:, back],
        critical=bands.cut[:, back],
        critical_error=bands.cut_error[:, back],
        rank_error=bands.error[:, back],
        ahead=ahead[:, pairs.first, pairs.second],
        sure=bands.sure[:, :, back][:, :, :, back],
    )


def decided_by_holm(p_values: Floats, pairs: RankPairs, level: float, *, simultaneous: bool) -> RankDecisions:
    """Decide by the p-values of all pairs, (metric, pair), under Holm's correction, of all or of each system's."""
    first, second, better = pairs.first, pairs.second, pairs.statistic > 0.0
    n_metrics, n_systems = len(p_values), int(second.max()) + 1
    square = np.full((n_metrics, n_systems, n_systems), np.nan)
    square[:, first, second] = square[:, second, first] = p_values
    if simultaneous:
        corrected = np.zeros_like(square)
        corrected[:, first, second] = corrected[:, second, first] = adjust(p_values, "holm")
        left = len(first) - is_significant(corrected[:, first, second], 1.0 - level).sum(axis=1)[:, None]
    else:
        corrected = adjust(square, "holm")  # a row for every system
        left = n_systems - 1 - is_significant(corrected, 1.0 - level).sum(axis=2)
    significant = is_significant(corrected, 1.0 - level)
    ahead = np.zeros_like(significant)
    ahead[:, first, second], ahead[:, second, first] = better, pairs.statistic < 0.0
    sure = np.stack([significant & ahead, significant.transpose(0, 2, 1) & ahead], axis=1)
    nothing = np.zeros((n_metrics, n_systems))
    return RankDecisions(
        low=1 + sure[:, 1].sum(axis=1),
        high=n_systems - sure[:, 0].sum(axis=2),
        critical=np.broadcast_to((1.0 - level) / np.maximum(left, 1), nothing.shape),
        critical_error=nothing,
        rank_error=nothing,
        ahead=np.full(p_values.shape, np.nan),
        sure=sure,
    )


def tested_too(  # noqa: PLR0913, PLR0917 - what draws and tests say
    decided: RankDecisions, pairs: RankPairs, oriented: Floats, p_values: Floats, needed: Floats, level: float
) -> RankDecisions:
    """Take back what draws decide of a pair, all at once, that its test, two-sided, does not: by `needed`.

    These are p-values under Holm's correction: no draw has equal means, so that of many equal systems draws part some
    too often. Ranks stay as they are, but where a test of the pair alone does not decide it either: of few open orders
    draws leave out as large a share for the wrong one as a test does for both.
    """
    certain = decided.sure.all(axis=1)
    settled = certain[:, pairs.first, pairs.second] | certain[:, pairs.second, pairs.first]
    decided = _left_open(decided, pairs, oriented, settled & ~is_significant(p_values, 1.0 - level))
    holds = np.zeros(certain.shape, dtype=bool)
    tested = is_significant(needed, 1.0 - level)
    holds[:, pairs.first, pairs.second] = holds[:, pairs.second, pairs.first] = tested
    return decided._replace(sure=decided.sure & holds[:, None])


def _left_open(decided: RankDecisions, pairs: RankPairs, oriented: Floats, unknown: NDArray[np.bool_]) -> RankDecisions:
    """Take back what is decided of pairs of which nothing can be known, and let ranks leave their order."""
    if not unknown.any():
        return decided
    first, second = pairs.first, pairs.second
    square = np.zeros((*oriented.shape, oriented.shape[1]), dtype=bool)
    square[:, first, second] = square[:, second, first] = unknown
    sure = decided.sure & ~square[:, None]
    above = square & (oriented[:, :, None] < oriented[:, None])  # of the column
    below = square & (oriented[:, :, None] > oriented[:, None])
    low = np.maximum(decided.low - above.sum(axis=2), 1 + sure[:, 1].sum(axis=1))
    high = np.minimum(decided.high + below.sum(axis=2), oriented.shape[1] - sure[:, 0].sum(axis=2))
    return decided._replace(low=np.minimum(low, decided.low), high=np.maximum(high, decided.high), sure=sure)


def ranks_dataset(  # noqa: PLR0913, PLR0917 - the parts of the answer
    labels: Mapping[Any, Any],
    means: Floats,
    oriented: Floats,
    pairs: RankPairs,
    needed: Floats,
    decided: RankDecisions,
    scale: Floats,
) -> xr.Dataset:
    """Return what was found as `SystemRanks.data` has it; `labels` hold metric, system and higher_is_better.

    The means and everything about pairs are in units of `scale`, (metric, 1), but for `means`.
    """
    direction = np.where(labels["higher_is_better"], 1.0, -1.0)[:, None]
    rank = np.stack([len(scores) - np.searchsorted(np.sort(scores), scores, side="right") + 1 for scores in oriented])
    certain = decided.sure.all(axis=1)
    by_system: dict[str, NDArray[Any]] = {
        "mean": means,
        "rank": rank,
        "rank_low": decided.low,
        "rank_high": decided.high,
        "n_above": decided.sure[:, 1].sum(axis=1),
        "n_below": decided.sure[:, 0].sum(axis=2),
        "critical_value": decided.critical,
        "critical_error": decided.critical_error,
        "rank_error": decided.rank_error,
    }
    by_pair: dict[str, NDArray[Any]] = {
        "difference": pairs.apart * direction * scale,
        "standard_error": pairs.error * scale,
        "statistic": pairs.statistic * direction,
        "p_better": decided.ahead,
        "p_tested": needed,
        "significant": certain[:, pairs.first, pairs.second] | certain[:, pairs.second, pairs.first],
    }
    names = np.asarray(labels["system"])
    return xr.Dataset(
        {name: (("metric", "system"), values) for name, values in by_system.items()}
        | {name: (("metric", "pair"), values) for name, values in by_pair.items()},
        coords={
            "metric": np.asarray(labels["metric"]),
            "higher_is_better": ("metric", np.asarray(labels["higher_is_better"])),
            "system": names,
            "system_a": ("pair", names[pairs.first]),
            "system_b": ("pair", names[pairs.second]),
        },
    )


def _open(beyond: Floats, error: Floats) -> Floats:
    """Return the standard deviation of a decision that lies so far beyond what decides it, known up to an error."""
    chance = ndtr(beyond / np.maximum(error, RELATIVE))
    return np.asarray(np.nan_to_num(np.sqrt(chance * (1.0 - chance))))
