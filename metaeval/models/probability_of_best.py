"""Who is best? The chance of every system, and of every family of systems, to have the best true mean."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from numbers import Integral

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count
from metaeval.base.names import first_few
from metaeval.base.results import Figure, Result
from metaeval.base.words import ends
from metaeval.errors import InvalidOptionError
from metaeval.resampling.cluster_residuals import UnitResiduals, resampled_scores, residuals_of_units
from metaeval.resampling.exchangeable import SystemPlaces, places_of_systems, places_of_units
from metaeval.resampling.posterior_ranks import counts_at_top
from metaeval.resampling.true_means import draws_of_means
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import ahead, track
from metaeval.table.scores import Scores, as_scores
from metaeval.tests_stat.counting import check_resamples, tile_pool

type Whole = Ints

_TOP = 3
_SEEDS = 2**63
_ORDERED = 100_000  # units that are put in the order of their scores; more keep that of their names
_DRAWS_OF_TWO_DIGITS = 10_000  # a standard error of half the last one


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestSystem(Result):
    """Probability of every system to have the best true mean, or to be among the best k."""

    data: xr.Dataset
    """Dims ``metric``, ``system``, ``k``; variables

    - ``mean``, ``rank`` (metric, system): as seen; equal means share the best rank;
    - ``p_best`` (metric, system): posterior probability that the true mean is the best; sums to 1;
    - ``p_top`` (metric, system, k): that it is among the best k; sums to k;
    - ``share_of_resamples`` (metric, system): share of the topic resamples in which the system's mean is best.
    """
    families: Mapping[str, str] | None
    """Family of every system."""
    resampled: str
    """"topic", "cluster", or "stratum" for topics within strata."""
    n_topics: int
    n_units: int
    n_draws: int
    n_resamples: int
    random_source: str

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.data["metric"].to_numpy().tolist())

    def _found(self) -> str:
        return first_few([f"{self._best_under(name)} under {name}" for name in self.metrics])

    def _best_under(self, metric: str) -> str:
        """Say which system, or systems with the same chance, is the likeliest to be the best."""
        chance = self.data["p_best"].sel(metric=metric).to_numpy()
        first = ends(
            self.data["system"].to_numpy(), chance, [_written(float(value), self.n_draws) for value in chance]
        )[1]
        return f"{first.who} {first.verb('is', 'are each')} truly the best with probability {first.figure}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best mean first.

        The columns are ``metric``, ``system``, ``family`` (where there are families), ``mean``, ``rank``, ``p_best``,
        ``p_top_k`` for every k asked for, and ``share_of_resamples``.
        """
        columns = ["mean", "rank", "p_best"]
        frames = []
        for metric in self.metrics:
            of_metric = self.data.sel(metric=metric)
            frame = pd.DataFrame({"metric": metric, "system": of_metric["system"].to_numpy()})
            if self.families is not None:
                frame["family"] = [self.families[name] for name in frame["system"]]
            frame[columns] = np.stack([of_metric[name].to_numpy() for name in columns], axis=1)
            for k in of_metric["k"].to_numpy().tolist():
                frame[f"p_top_{k}"] = of_metric["p_top"].sel(k=k).to_numpy()
            frame["share_of_resamples"] = of_metric["share_of_resamples"].to_numpy()
            frames.append(frame.astype({"rank": int}).sort_values("rank", kind="stable"))
        return pd.concat(frames, ignore_index=True)

    def _draw(self, metric: str | None = None) -> Figure:
        """Draw every system's chance to be the best under one metric (the first by default), likeliest first."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        name = self.metrics[0] if metric is None else metric
        check_choice(name, "metric", self.metrics)
        frame = self.to_frame().query("metric == @name").rename(columns={"system": "name", "p_best": "value"})
        return agreement_dots(frame.assign(low=np.nan, high=np.nan), label=f"chance to be the best under {name}")

    def family_frame(self) -> pd.DataFrame:
        """Return one row a metric and family, likeliest first: metric, family, n_systems, p_best, share_of_resamples.

        ``p_best`` is the probability that the best system is one of the family.

        Raises
        ------
        InvalidOptionError
            If there are no families.
        """
        if self.families is None:
            message = "these systems have no families; name each system's family (`families`), or scores with groups"
            raise InvalidOptionError(message)
        grouped = self.to_frame().groupby(["metric", "family"], sort=False)
        frame = grouped.agg(
            n_systems=("system", "size"), p_best=("p_best", "sum"), share_of_resamples=("share_of_resamples", "sum")
        ).reset_index()
        position = frame["metric"].map({name: position for position, name in enumerate(self.metrics)})
        order = np.lexsort([-frame["p_best"].to_numpy(), position.to_numpy()])
        return frame.iloc[order].reset_index(drop=True)


def best_system(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    k: int | Sequence[int] | None = None,
    families: Mapping[str, str] | None = None,
    n_draws: int = 20_000,
    n_resamples: int = 2000,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> BestSystem:
    r"""Compute the probability that each system has the best true mean, and that it is among the best k.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        A coordinate ``cluster`` on the topics makes the topics of a cluster share one weight, ``stratum`` keeps every
        stratum's; ``weight`` weights the means.
    k : int or sequence of int, optional
        How many count as the top; by default three, or all of fewer systems.
    families : mapping of str to str, optional
        Family (vendor, team) of every system; by default the groups of the scores, if they have some.
    n_draws : int, default 20000
        Of the true means; a probability then has a standard error of 0.004 at most.
    n_resamples : int, default 2000
        For the share of resamples.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    BestSystem
        One row a ``metric`` and ``system`` in ``to_frame()``, best mean first: ``mean`` in units of the metric,
        ``rank``, the probabilities ``p_best`` and ``p_top_k`` for every k asked for (0 to 1), and
        ``share_of_resamples`` (0 to 1) in which the system is best; ``family`` too where there are families.

    Raises
    ------
    ScoresError
        For gaps, and a stratum of one topic.
    InvalidOptionError
        If `k` is not from 1 to the number of systems, or a system has no family; for fewer than 10 clusters, and
        weights with strata.

    See Also
    --------
    metaeval.resampling.ranks.rank_intervals : which ranks the topics leave open, without a model

    Notes
    -----
    The observed means err by :math:`N(0, \sigma^2 C)`. C is the covariance between systems of what the topics, or the
    clusters, add to the errors, pulled by the share :math:`\alpha` towards equal variances [1]_; :math:`\bar\lambda` is
    its mean variance. With N systems, f degrees of freedom (topics less one) and :math:`f' = f\,(1 + \alpha (N - 2))`,
    :math:`\sigma^2 \sim f' / \chi^2_{f'}`. The true means, less their own mean, have the law

    .. math:: N(0, \sigma^2 r C), \quad u = 1 / (1 + r), \quad p(u) \propto 1 / u,

    u being the share of noise in the differences seen: a limit of Strawderman's laws [2]_. Given :math:`\sigma^2`, and
    with :math:`q = \bar x' C^{-1} \bar x`, u has the gamma law of shape :math:`(N - 1) / 2` and rate :math:`q / (2
    \sigma^2)`, cut off at 1, and the true means the law :math:`N((1 - u)\, \bar x, (1 - u)\, \sigma^2 C)`.
    :math:`\sigma^2` keeps its own law, whatever the means say about it. Every direction between systems has a variance,
    also where systems outnumber topics; and two systems, alone and with equal means, have equal chances.

    No draw belongs to a row or a column: the order of systems and topics, unit and zero of the scores, other metrics
    beside this one, and the processor change nothing. Systems that can be exchanged without changing the data have the
    same probabilities exactly.

    C is taken for known. Where noise is equal and independent, intervals of 90 % by 25 topics hold 90 to 91 % of the
    differences (``benchmarks/reports/simulation_based_calibration.md``).

    The share of resamples in which a system comes first is not such a probability: a resample is as noisy again as the
    sample, about means that are themselves scattered too far. Among near-ties it overstates the winner:
    ``benchmarks/reports/best_system_calibration.md`` sets both beside the truth.

    Systems equal on every topic are one system to the model, and share its chances equally. No chance is surer than the
    signs of n topics (clusters) could make it: of all chances the share :math:`2^{1 - n}` is that of any order.

    References
    ----------
    .. [1] Chen, Wiesel, Eldar and Hero (2010). Shrinkage algorithms for MMSE covariance estimation. IEEE Transactions
       on Signal Processing 58, 5016-5029. :doi:`10.1109/TSP.2010.2053029`
    .. [2] Strawderman (1971). Proper Bayes minimax estimators of the multivariate normal mean. Annals of Mathematical
       Statistics 42, 385-388. :doi:`10.1214/aoms/1177693528`

    Examples
    --------
    >>> made = np.random.default_rng(3).normal([[0.0], [0.9], [1.0]], 0.5, (3, 30))
    >>> found = best_system(made, k=2, families={"system1": "x", "system2": "x", "system3": "y"}, rng=1)
    >>> frame = found.to_frame()
    >>> frame["system"].tolist(), bool(abs(frame["p_best"].sum() - 1) < 1e-9), bool(frame["p_top_2"][2] < 0.01)
    (['system3', 'system2', 'system1'], True, True)
    >>> found.family_frame()["family"].tolist()
    ['y', 'x']
    """
    scores = resampled_scores(scores, what="the chance of being best")
    if families is not None:
        scores = as_scores(scores, groups=families, missing="pairwise")
    n_systems = scores.sizes["system"]
    k = min(_TOP, n_systems) if k is None else k
    asked = [k] if isinstance(k, int | Integral) else list(k)
    sizes = [check_count(one, "k", most=n_systems, unit="systems") for one in dict.fromkeys(asked)]
    check_count(n_draws, "n_draws", most=MOST_REPLICATES)
    check_resamples(n_resamples)
    source = resolve_rng(rng)
    fitting, resampling = (int(own.integers(_SEEDS)) for own in source.generator.spawn(2))
    names = scores["system"].to_numpy()
    scores = scores.sortby(["system", "topic"])  # what is equal in all else keeps the order of the names
    units, _ = residuals_of_units(scores).scaled()
    n_topics = scores.sizes["topic"]
    scores = scores.isel(topic=slice(0, 1)).copy()  # nothing below needs them: half of the memory

    def one(metric: int) -> tuple[SystemPlaces, Floats]:
        places = places_of_systems(units.oriented[metric], units.residual[metric])
        return places, _chances(units, metric, places, [1, *sizes], n_draws, fitting)

    with tile_pool(n_threads) as pool:
        n_metrics = len(units.means)
        drawn = track(pool.map(one, range(n_metrics)), description="Drawing true means", total=n_metrics)
        places, chances_by_metric = zip(*drawn, strict=True)
        chances, shares = np.stack(chances_by_metric), _shares(units, places, n_resamples, resampling, pool)
    rank = np.stack([len(own) - np.searchsorted(np.sort(own), own, side="right") + 1 for own in units.oriented])
    dims = ("metric", "system")
    data = xr.Dataset(
        {
            "mean": (dims, units.means),
            "rank": (dims, rank),
            "p_best": (dims, chances[:, 0]),
            "p_top": ((*dims, "k"), np.moveaxis(chances[:, 1:], 1, -1)),
            "share_of_resamples": (dims, shares),
        },
        coords={"metric": scores["metric"].to_numpy(), "system": scores["system"].to_numpy(), "k": sizes},
    ).sel(system=names)
    return BestSystem(
        data=data,
        families=_families(scores),
        resampled=units.kind,
        n_topics=n_topics,
        n_units=len(units.sizes),
        n_draws=n_draws,
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


def _written(chance: float, n_draws: int) -> str:
    """Write a probability with the digits that so many draws give it, and never as certain."""
    digits = 2 if n_draws >= _DRAWS_OF_TWO_DIGITS else 1
    most = 1.0 - 10.0**-digits
    return f"above {most:.{digits}f}" if chance > most else f"{chance:.{digits}f}"


def _families(scores: Scores) -> dict[str, str] | None:
    if "group" not in scores.coords:
        return None
    return dict(zip(scores["system"].to_numpy().tolist(), scores["group"].to_numpy().tolist(), strict=True))


def _chances(  # noqa: PLR0913, PLR0917 - the sample and the draws
    units: UnitResiduals, metric: int, places: SystemPlaces, sizes: Sequence[int], n_draws: int, seed: int
) -> Floats:
    """Return the probability of every system to be among so many best under one metric, (size, system)."""
    drawn = draws_of_means(units, metric, places, n_draws, np.random.default_rng(seed))
    counts = np.sum([counts_at_top(block, sizes) for block in drawn], axis=0)
    chances = places.shared(counts) / counts[0].sum()
    by_luck = 0.5 ** (len(units.sizes) - 1)
    return (1.0 - by_luck) * chances + by_luck * np.array(sizes)[:, None] / chances.shape[1]


def _shares(
    units: UnitResiduals, places: Sequence[SystemPlaces], n_resamples: int, seed: int, pool: ThreadPoolExecutor
) -> Floats:
    """Return the share of resamples that every system wins under each metric, ties shared, (metric, system).

    The resamples are the same for all metrics. The residuals are put in the order in which they are drawn.
    """
    by_stratum, ends = np.argsort(units.stratum, kind="stable"), np.cumsum(np.bincount(units.stratum))
    inside = [slice(start, end) for start, end in pairwise([0, *ends.tolist()])]

    def in_order(metric: int) -> Floats:
        residual, taken = units.residual[metric], by_stratum  # by name
        if len(taken) <= _ORDERED:
            taken = places_of_units(residual, units.sizes, places[metric].order, units.stratum)
        if (taken != np.arange(len(taken))).any():
            residual[:] = residual[:, taken]
        return units.sizes[taken]

    sizes = list(pool.map(in_order, range(len(places))))

    def one(metric: int, counts: Floats) -> Floats:
        total = sizes[metric].sum()
        means = units.oriented[metric][:, None] * np.ones(counts.shape[1])
        for block in inside:
            weights = sizes[metric][block]
            means += (
                weights.sum() / total * (units.residual[metric][:, block] @ counts[block]) / (weights @ counts[block])
            )
        best = means >= means.max(axis=0) - RELATIVE * 2.0 * units.spans[metric].max() / total
        return np.asarray((best / best.sum(axis=0)).sum(axis=1))

    won = np.zeros(units.means.shape)
    for drawn in ahead(units.topics.counts(np.random.default_rng(seed), n_resamples)):
        counts = drawn if len(inside) == 1 else drawn[by_stratum]
        won += list(pool.map(partial(one, counts=counts), range(len(places))))
    return np.stack([block.shared(row) for block, row in zip(places, won, strict=True)]) / n_resamples
