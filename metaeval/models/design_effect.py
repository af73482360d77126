"""What clusters cost: how much less a benchmark's topics say than as many independent ones would."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.arrays import Floats, Ints
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import number, span_of
from metaeval.errors import InvalidOptionError
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores, better_direction, oriented_values
from metaeval.table.structure import engine_scores, with_clusters
from metaeval.table.units import units_of
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.robust import difference_estimates

type Places = Ints
_CELLS = 4_000_000  # differences at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignEffect(Result):
    """Ratio of the variances of means and of mean differences with and without clusters, per metric."""

    pairs: xr.Dataset
    """Dims ``metric`` and ``pair``: mean ``difference``, its ``naive_error`` (topics taken as independent) and
    ``error`` (CR2, with its degrees of ``freedom``), ``design_effect`` (the ratio of their squares),
    ``intraclass_correlation`` of the differences in a cluster and ``n_topics`` that both systems have; coordinates
    ``first`` and ``second`` on ``pair``."""
    systems: xr.Dataset
    """Dims ``metric`` and ``system``: the same for every system's own mean (``mean``)."""
    n_clusters: int
    sizes: tuple[int, int]
    """Topics in the smallest and in the largest cluster."""

    def _found(self) -> str:
        rows = self.to_frame().query("of == 'pairs'")
        ratios = span_of(rows["metric"], rows["design_effect"], rows["low"], rows["high"], write=number(2))
        clusters = f"with {count(self.n_clusters, 'cluster')} the variance of the median pair's difference"
        return f"{clusters} is {ratios} times that of independent {unit().topics}"

    def to_frame(self) -> pd.DataFrame:
        """Return two rows a metric: of the pairs' differences, and of the systems' means.

        The ``design_effect`` and ``intraclass_correlation`` of the median pair (or system), the range of the design
        effect over 90 % of them, and the topics that count: ``effective_topics`` is ``n_topics``, those that the median
        pair (or system) has, over ``design_effect``. Pairs that do not vary are left out. Where clusters differ less
        than topics by chance could, so that the design effect is estimated as 0, ``effective_topics`` is missing.
        """
        rows = []
        for metric in self.pairs["metric"].to_numpy().tolist():
            for kind, table in (("pairs", self.pairs), ("systems", self.systems)):
                of_metric = table.sel(metric=metric)
                effect = of_metric["design_effect"].to_series()
                low, middle, high = effect.quantile([0.05, 0.5, 0.95])
                n_topics = float(of_metric["n_topics"].median())
                rows.append(
                    {
                        "metric": metric,
                        "of": kind,
                        "n": int(effect.count()),
                        "n_topics": n_topics,
                        "n_clusters": self.n_clusters,
                        "design_effect": middle,
                        "low": low,
                        "high": high,
                        "intraclass_correlation": float(of_metric["intraclass_correlation"].median()),
                        "effective_topics": n_topics / middle if middle > 0.0 else np.nan,
                    }
                )
        return pd.DataFrame(rows)


@in_one_order
def design_effect(scores: object) -> DesignEffect:
    r"""Compare the variance of means and mean differences with the clusters of topics and without.

    See Also
    --------
    metaeval.tests_stat.detectable_difference.detectable_differences

    Notes
    -----
    The design effect [1]_ is :math:`s_{CR2}^2 / s^2`, both errors as in `metaeval.tests_stat.robust`. The
    intraclass correlation is that of the one-way analysis of variance, with G clusters of :math:`n_g` of T topics,

    .. math:: \rho = \frac{MS_b - MS_w}{MS_b + (n_0 - 1) MS_w}, \qquad n_0 = \frac{T - \sum_g n_g^2 / T}{G - 1}

    With clusters of one size n the two say one thing, :math:`1 + (n - 1)\rho` for many clusters. Below 1 the topics of
    a cluster differ more than those of different ones. An estimate from few clusters is itself unsure.

    References
    ----------
    .. [1] Kish (1965). Survey Sampling. Wiley.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=6, n_topics=200, metrics=["AP"], n_clusters=20, rng=1)
    >>> design_effect(scores).to_frame()[["of", "design_effect", "intraclass_correlation", "effective_topics"]].round(2)
            of  design_effect  intraclass_correlation  effective_topics
    0    pairs           2.61                    0.18             76.54
    1  systems           3.01                    0.22             66.42
    """
    scores = engine_scores(scores, "the design effect of clusters")
    if "cluster" not in scores.coords:
        raise InvalidOptionError(
            "a design effect is that of random clusters of several topics; say which cluster each topic belongs to "
            "(`clusters`)"
        )
    systems, n_systems = scores["system"].to_numpy(), scores.sizes["system"]
    first, second = all_pairs(n_systems)
    values = oriented_values(scores)
    pairs = _effects(scores, values, first, second)
    beside = np.concatenate([values, np.zeros_like(values[:, :1])], axis=1)
    of_systems = _effects(scores, beside, np.arange(n_systems), np.full(n_systems, n_systems))
    means = of_systems["difference"] * better_direction(scores)[:, None]
    sizes = np.unique(scores["cluster"].to_numpy(), return_counts=True)[1]
    return DesignEffect(
        pairs=pairs.assign_coords(first=("pair", systems[first]), second=("pair", systems[second])),
        systems=of_systems.assign(difference=means)
        .rename(pair="system", difference="mean")
        .assign_coords(system=systems),
        n_clusters=len(sizes),
        sizes=(int(sizes.min()), int(sizes.max())),
    )


def _effects(scores: Scores, values: Floats, first: Places, second: Places) -> xr.Dataset:
    units = units_of(scores)
    naive, robust = (
        difference_estimates(values, grouping, first, second)
        for grouping in (units_of(with_clusters(scores, "ignore")), units)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        told = (naive.error > 0.0) & (robust.n_units > 1)  # a pair's common topics may lie in one cluster
        ratio = np.where(told, (robust.error / naive.error) ** 2, np.nan)
    columns = {
        "difference": robust.mean,
        "naive_error": naive.error,
        "error": np.where(robust.n_units > 1, robust.error, np.nan),
        "freedom": robust.freedom,
        "design_effect": ratio,
        "intraclass_correlation": _intraclass(values, units.unit, first, second),
        "n_topics": robust.n_topics.astype(np.int64),
    }
    return xr.Dataset(
        {name: (("metric", "pair"), column) for name, column in columns.items()},
        coords={"metric": scores["metric"].to_numpy()},
    )


def _intraclass(values: Floats, place: Places, first: Places, second: Places) -> Floats:
    """Return the intraclass correlation of the differences of every pair, (metric, pair), each topic weighing one."""
    member = (place[:, None] == np.arange(place.max() + 1)).astype(np.float64)
    correlation = np.empty((len(values), len(first)))
    for chunk in np.array_split(np.arange(len(first)), 1 + len(first) * len(place) // _CELLS):
        for metric, scores in enumerate(values):
            correlation[metric, chunk] = _one_way(scores[first[chunk]] - scores[second[chunk]], member)
    return correlation


def _one_way(differences: Floats, member: Floats) -> Floats:
    observed = np.isfinite(differences)
    sizes = observed @ member
    n_topics, n_clusters = sizes.sum(axis=1), (sizes > 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(observed, differences, 0.0).sum(axis=1) / n_topics
        left = np.where(observed, differences - mean[:, None], 0.0)
        between = np.where(sizes > 0, (left @ member) ** 2 / sizes, 0.0).sum(axis=1)
        within = np.maximum((left**2).sum(axis=1) - between, 0.0) / (n_topics - n_clusters)
        between /= n_clusters - 1
        typical = (n_topics - (sizes**2).sum(axis=1) / n_topics) / (n_clusters - 1)
        return (between - within) / (between + (typical - 1) * within)
