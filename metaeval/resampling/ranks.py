"""Which ranks are real? For every system the ranks that the topics leave open, for all systems at once."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtr

from metaeval.base.checks import check_share, refused
from metaeval.base.results import Figure, Result
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.resampling.cluster_residuals import UnitResiduals, resampled_scores, residuals_of_units
from metaeval.resampling.largest_t import largest_t, squared_deviations
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import RELATIVE, difference
from metaeval.table.scores import better_direction
from metaeval.tests_stat.counting import check_resamples, kernel_threads
from metaeval.tests_stat.labels import pairs_that_differ
from metaeval.tests_stat.letters import letter_names, shared_letters
from metaeval.tests_stat.pairs import all_pairs

type Floats = NDArray[np.float64]
type Whole = NDArray[np.int64]

_TIE = 1e-9  # share by which a statistic must exceed the critical value: less is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankIntervals(Result):
    """Intervals of the ranks of all systems, and the decisions about pairs on which they depend."""

    data: xr.Dataset
    """Dims ``metric``, ``system`` and ``pair``; coordinates ``system_a`` and ``system_b`` on ``pair``; variables

    - ``mean`` (metric, system), in the metric's own direction;
    - ``rank``: 1 + the systems with a better mean, so that equal means share the best rank;
    - ``n_above``, ``n_below``: systems significantly better and significantly worse than this one;
    - ``rank_low``, ``rank_high``: 1 + n_above, and N - n_below;
    - ``critical_value``: what a statistic of either sign must exceed (one for all systems if simultaneous);
      NaN where no pair varies; ``critical_error``: its Monte-Carlo standard error;
    - ``difference``, ``standard_error``, ``statistic`` (metric, pair): mean of a less mean of b, its standard
      error, and their ratio; infinite for a difference that is the same on every topic;
    - ``significant``: beyond the critical values of both systems.
    """
    confidence_level: float
    simultaneous: bool
    """Whether the intervals hold the true ranks of all systems at once, or each those of its own."""
    resampled: str
    """"topic", "cluster", or "stratum" for topics within strata."""
    n_systems: int
    n_topics: int
    n_units: int
    """Size of the scores, and how many topics or clusters are drawn."""
    n_resamples: int
    random_source: str
    """Where the draws came from."""

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
        frame = self.data[columns].to_dataframe().reset_index()[["metric", "system", *columns]]
        frame["place"] = frame["metric"].map({name: place for place, name in enumerate(self.metrics)})
        ordered = frame.sort_values(["place", "rank"], kind="stable", ignore_index=True)
        return ordered.drop(columns="place")

    def pairs(self) -> pd.DataFrame:
        """Return one row a metric and pair: system_a, system_b, difference, standard_error, statistic, significant."""
        columns = ["metric", "system_a", "system_b", "difference", "standard_error", "statistic", "significant"]
        return self.data[columns[3:]].to_dataframe().reset_index()[columns]

    def verdicts(self) -> NDArray[np.int8]:
        """Return what is decided of every pair: 1 where a is significantly better, -1 where b is, else 0.

        An array (metric, pair). Ranks, their intervals and the letters of `groups` follow from it.
        """
        direction = better_direction(self.data["mean"])[:, None]
        found = self.data["significant"].to_numpy() * np.sign(self.data["statistic"].to_numpy()) * direction
        return np.asarray(found, dtype=np.int8)

    def open_pairs(self) -> NDArray[np.float64]:
        """Return how open each decision about a pair is for its resamples, an array (metric, pair); no more than half.

        A pair near the critical value may lie on either side of it with other draws. The number of significant pairs
        errs at most by the sum.
        """
        critical = self.data["critical_value"].min("system").to_numpy()[:, None]
        error = np.maximum(self.data["critical_error"].max("system").to_numpy()[:, None], RELATIVE)
        beyond = ndtr((np.abs(self.data["statistic"].to_numpy()) - critical) / error)
        return np.asarray(np.nan_to_num(np.sqrt(beyond * (1.0 - beyond))))

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
        for metric, part in frame.groupby("metric", sort=False):
            shared = shared_letters(self._different(str(metric), part["system"].tolist()))
            names = np.array(letter_names(shared.shape[1]), dtype=object)
            between = " " if len(names) > len(set("".join(names))) else ""
            letters += [between.join(names[row]) for row in shared]
        return frame.assign(letters=letters)

    def plot(self, metric: str | None = None) -> Figure:
        """Draw the interval of every system's rank under one metric (the first by default)."""
        from metaeval.figures.systems import system_ranking  # noqa: PLC0415 - matplotlib

        name = self.metrics[0] if metric is None else metric
        if name not in self.metrics:
            raise UnknownNameError("metric", name, self.metrics)
        frame = self.to_frame().assign(mean=lambda one: one["rank"], low=lambda one: one["rank_low"])
        return system_ranking(frame.assign(high=frame["rank_high"]), name, label="rank, with the ranks left open")

    def _different(self, metric: str, systems: list[str]) -> NDArray[np.bool_]:
        """Return which pairs are significant, as a square over the systems named."""
        one = self.data.sel(metric=metric)
        names = pd.Index(systems)
        a, b = (names.get_indexer(pd.Index(one[side].to_numpy())) for side in ("system_a", "system_b"))
        square = np.zeros((len(names), len(names)), dtype=bool)
        square[a, b] = square[b, a] = one["significant"].to_numpy()
        return square


def rank_intervals(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_resamples: int = 2000,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> RankIntervals:
    r"""Compute simultaneous intervals for the true ranks of all systems of a leaderboard.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        A coordinate ``cluster`` on the topics makes whole clusters be drawn, ``stratum`` topics within their strata;
        ``weight`` weights the means.
    confidence_level : float, default 0.95
        Probability that the intervals hold the true ranks of all systems (or of the system, see `simultaneous`).
    simultaneous : bool, default True
        False: every interval holds its level for its own system alone, which is what one asks about a system named
        beforehand, and is narrower.
    n_resamples : int, default 2000
        B; the level then has a standard error of 0.005.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Raises
    ------
    ScoresError
        For gaps, and a stratum of one topic.
    InvalidOptionError
        If an option is outside its rule, or the resamples are too few for the level; for fewer than 10 clusters, and
        weights with strata.

    See Also
    --------
    metaeval.tests_stat.max_t.max_t_test : decisions about pairs by permutations, which suppose all systems equal

    Notes
    -----
    A pair is significantly different where

    .. math:: |t_{ab}| = \frac{|\bar x_a - \bar x_b|}{s_{ab}} > c,

    c being the quantile of :math:`\max_{ab} |t^*_{ab}|` over resamples of the topics, with :math:`t^*_{ab} =
    ((\bar x^*_a - \bar x^*_b) - (\bar x_a - \bar x_b)) / s^*_{ab}`; per system the maximum is over the pairs that hold
    it. With probability near the level no such difference has the wrong sign, so that system j has at least as many
    better ones as are significantly better, and the interval :math:`[1 + n_j^{better}, N - n_j^{worse}]` holds its true
    rank [1]_. True ranks with ties are a set: from 1 + the systems truly better to N less those truly worse; the
    interval holds all of it.

    :math:`s_{ab}` is the paired standard error over topics; over clusters that of a ratio,
    :math:`s^2 = \frac{G}{G-1} \sum_g r_g^2 / (\sum_g W_g)^2`, with :math:`r_g` the weighted sum of the differences of a
    cluster less the mean difference times its size :math:`W_g`; over strata the sum of the strata's parts.

    A resample's variance counts as at least a tenth of the sample's: on 0/1 scores a third of the resamples can miss
    all topics on which two systems differ, and then nothing would ever be significant. In
    ``benchmarks/reports/rank_interval_coverage.md`` this changes next to nothing on other scores, and intervals by the
    normal law or by random signs, which are narrower, miss the true ranks too often where scores are skewed.

    Pairs without variance are decided by rule: systems equal on every topic are never significantly different, and a
    difference that is the same on every topic (in every cluster) always is.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh and Wilhelm (2024). Inference for ranks with applications to mobility across
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
    check_share(confidence_level, "confidence_level")
    place = _place(confidence_level, check_resamples(n_resamples))
    source = resolve_rng(rng)
    units, scale = residuals_of_units(scores).scaled()
    first, second = all_pairs(scores.sizes["system"])
    with kernel_threads(n_threads):
        squares = squared_deviations(units, first, second)
    tolerance = RELATIVE * (units.spans[:, first] + units.spans[:, second])
    varied = squares * len(units.sizes) > tolerance**2
    largest = largest_t(
        units,
        [(first[own], second[own]) for own in varied],
        [own[kept] for own, kept in zip(squares, varied, strict=True)],
        each_system=not simultaneous,
        n_resamples=n_resamples,
        generator=source.generator,
        n_threads=n_threads,
    )
    reach = int(np.ceil(np.sqrt(n_resamples * confidence_level * (1.0 - confidence_level))))  # of its place
    wanted = [place - 1, max(place - 1 - reach, 0), min(place - 1 + reach, n_resamples - 1)]
    found = np.partition(largest, wanted, axis=-1)[..., wanted]
    found = np.where(varied.any(axis=1)[:, None, None], found, np.nan)
    critical = np.broadcast_to(found[..., 0], units.means.shape)
    spread = np.broadcast_to((found[..., 2] - found[..., 1]) / 2.0, units.means.shape)
    decided = _decide(units, scores, first, second, np.where(varied, squares, 0.0), critical, scale[:, None])
    return RankIntervals(
        data=decided.assign(critical_error=(("metric", "system"), spread)),
        confidence_level=float(confidence_level),
        simultaneous=bool(simultaneous),
        resampled=units.kind,
        n_systems=scores.sizes["system"],
        n_topics=scores.sizes["topic"],
        n_units=len(units.sizes),
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


def _place(confidence_level: float, n_resamples: int) -> int:
    """Return which of the sorted maxima (from 1) is the critical value."""
    place = int(np.ceil(confidence_level * (n_resamples + 1) * (1.0 - RELATIVE)))
    if place > n_resamples:
        least = int(np.ceil(confidence_level / (1.0 - confidence_level)))
        rule = f"must be at least {least} for intervals at {confidence_level:g}, not {n_resamples}"
        raise refused("n_resamples", rule, n_resamples)
    return place


def _decide(  # noqa: PLR0913, PLR0917 - the parts of a decision
    units: UnitResiduals,
    scores: xr.DataArray,
    first: Whole,
    second: Whole,
    squares: Floats,
    critical: Floats,
    scale: Floats,
) -> xr.Dataset:
    weight = units.sizes.sum()
    sums, spans = units.oriented * weight, units.spans
    apart = difference(sums[:, first], sums[:, second], spans[:, first], spans[:, second]) / weight
    error = np.sqrt(squares) / weight
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(apart == 0.0, 0.0, apart / error)
    beyond = [_beyond(statistic, critical[:, side]) for side in (first, second)]
    n_systems = units.means.shape[1]
    ahead = np.zeros((2, *units.means.shape), dtype=np.int64)  # significantly better, and worse, than the system
    for metric, sign in enumerate(np.sign(statistic)):
        for own, other, sees in ((first, sign < 0, beyond[0]), (second, sign > 0, beyond[1])):
            lost = sees[metric] & other
            won = sees[metric] & ~other
            ahead[0, metric] += np.bincount(own[lost], minlength=n_systems)
            ahead[1, metric] += np.bincount(own[won], minlength=n_systems)
    direction = better_direction(scores)[:, None]
    rank = np.stack([len(own) - np.searchsorted(np.sort(own), own, side="right") + 1 for own in units.oriented])
    by_system: dict[str, NDArray[Any]] = {
        "mean": units.means,
        "rank": rank,
        "rank_low": 1 + ahead[0],
        "rank_high": n_systems - ahead[1],
        "n_above": ahead[0],
        "n_below": ahead[1],
        "critical_value": critical,
    }
    by_pair: dict[str, NDArray[Any]] = {
        "difference": apart * direction * scale,
        "standard_error": error * scale,
        "statistic": statistic * direction,
        "significant": beyond[0] & beyond[1],
    }
    names = scores["system"].to_numpy()
    return xr.Dataset(
        {name: (("metric", "system"), values) for name, values in by_system.items()}
        | {name: (("metric", "pair"), values) for name, values in by_pair.items()},
        coords={
            "metric": scores["metric"].to_numpy(),
            "higher_is_better": ("metric", scores["higher_is_better"].to_numpy()),
            "system": names,
            "system_a": ("pair", names[first]),
            "system_b": ("pair", names[second]),
        },
    )


def _beyond(statistic: Floats, critical: Floats) -> NDArray[np.bool_]:
    """Say where a statistic exceeds the critical value, by more than rounding; infinity exceeds everything."""
    return (np.abs(statistic) > critical * (1.0 + _TIE)) | np.isinf(statistic)
