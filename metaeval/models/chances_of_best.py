"""Who is best? The chance of every system, and of every family of systems, to have the best true mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.cells import first_few
from metaeval.checks import MOST_REPLICATES, check_count
from metaeval.draws import RNGLike, resolve_rng
from metaeval.equality import RELATIVE
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.models.true_means import draw_true_means
from metaeval.resampling.unit_residuals import UnitResiduals, resampled_scores, residuals_of_units
from metaeval.results import Result
from metaeval.scores import Scores, as_scores
from metaeval.tests_stat.counting import check_resamples

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BestSystem", "best_system"]

type Floats = NDArray[np.float64]
type Whole = NDArray[np.int64]

_TOP = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestSystem(Result):
    """The chance of every system to be the best, or among the best few, in truth.

    Attributes
    ----------
    data : xarray.Dataset
        Dims ``metric``, ``system``, ``k``; variables

        - ``mean``, ``rank`` (metric, system): as seen; equal means share the best rank;
        - ``p_best`` (metric, system): posterior probability that the true mean is the best; sums to 1;
        - ``p_top`` (metric, system, k): that it is among the best k; sums to k;
        - ``share_of_resamples`` (metric, system): share of the topic resamples in which the system's mean is best.
    families : mapping of str to str, or None
        Family of every system.
    resampled : str
        "topic", "cluster", or "stratum" for topics within strata.
    n_topics, n_units, n_draws, n_resamples : int
    random_source : str
    """

    data: xr.Dataset
    families: Mapping[str, str] | None
    resampled: str
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
        best = self.data["p_best"]
        first = zip(best["system"].to_numpy()[best.argmax("system")], best.max("system").to_numpy(), strict=True)
        words = [f"{system} is the best in truth with probability {p:.2f}" for system, p in first]
        return first_few([f"{one} under {metric}" for one, metric in zip(words, self.metrics, strict=True)])

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best mean first.

        The columns are metric, system, family (where there are families), mean, rank, p_best, ``p_top_k`` for every k
        asked for, and share_of_resamples.
        """
        columns = ["mean", "rank", "p_best"]
        frames = []
        for metric in self.metrics:
            one = self.data.sel(metric=metric)
            frame = pd.DataFrame({"metric": metric, "system": one["system"].to_numpy()})
            if self.families is not None:
                frame["family"] = [self.families[name] for name in frame["system"]]
            frame[columns] = np.stack([one[name].to_numpy() for name in columns], axis=1)
            for k in one["k"].to_numpy().tolist():
                frame[f"p_top_{k}"] = one["p_top"].sel(k=k).to_numpy()
            frame["share_of_resamples"] = one["share_of_resamples"].to_numpy()
            frames.append(frame.astype({"rank": int}).sort_values("rank", kind="stable"))
        return pd.concat(frames, ignore_index=True)

    def plot(self, metric: str | None = None) -> "Figure":
        """Draw every system's chance to be the best under one metric (the first by default), likeliest first."""
        from metaeval.figures.label_agreement import agreement_dots  # noqa: PLC0415 - matplotlib

        name = self.metrics[0] if metric is None else metric
        if name not in self.metrics:
            raise UnknownNameError("metric", name, self.metrics)
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
            message = "these systems have no families; pass families={system: family}, or scores with groups"
            raise InvalidOptionError(message)
        grouped = self.to_frame().groupby(["metric", "family"], sort=False)
        frame = grouped.agg(
            n_systems=("system", "size"), p_best=("p_best", "sum"), share_of_resamples=("share_of_resamples", "sum")
        ).reset_index()
        place = frame["metric"].map({name: place for place, name in enumerate(self.metrics)})
        order = np.lexsort([-frame["p_best"].to_numpy(), place.to_numpy()])
        return frame.iloc[order].reset_index(drop=True)


def best_system(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    k: int | Sequence[int] | None = None,
    families: Mapping[str, str] | None = None,
    n_draws: int = 1200,
    n_resamples: int = 2000,
    rng: RNGLike = None,
    n_threads: int | None = None,
) -> BestSystem:
    r"""Give the probability that each system has the best true mean, and that it is among the best k.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        A coordinate ``cluster`` on the topics makes the topics of a cluster share one weight, ``stratum`` keeps every
        stratum's; ``weight`` weights the means.
    k : int or sequence of int, optional
        How many count as the top; by default three, or all of fewer systems.
    families : mapping of str to str, optional
        Family (vendor, team) of every system; by default the groups of the scores, if they have some.
    n_draws : int, default 1200
        Of the true means; a probability then has a standard error of some 0.02 at most.
    n_resamples : int, default 2000
        For the share of resamples.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores to use; the result does not depend on it.

    Returns
    -------
    BestSystem

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
    The observed means err by :math:`N(0, C)`. One draw of C has weights from Dirichlet(1, …, 1) on the topics, or on
    the clusters [1]_, and its eigenvalues between systems pulled to their mean [2]_: axes Q and variances
    :math:`\lambda`. In these axes the observed means are :math:`y_k \sim N(m_k, \lambda_k)`, the true ones
    :math:`m_k \sim \sum_j \pi_j N(0, s_j^2)` with 16 variances from 10⁻⁴ to 30 times the mean of y² and π from
    Dirichlet(1/16, …) [3]_. Classes, π and m are drawn in turn, six sweeps for each C (which does not see what the
    means say about it), in two chains.

    The share of resamples in which a system comes first is not such a probability: a resample is as noisy again as the
    sample, about means that are themselves scattered too far. Among near-ties it overstates the winner:
    ``benchmarks/reports/best_system_calibration.md`` sets both beside the truth.

    Systems equal on every topic are one system to the model, and share its chances equally.

    References
    ----------
    .. [1] Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9. :doi:`10.1214/aos/1176345338`
    .. [2] Ledoit and Wolf (2004). A well-conditioned estimator for large-dimensional covariance matrices. Journal of
       Multivariate Analysis 88, 365-411. :doi:`10.1016/S0047-259X(03)00096-4`
    .. [3] Stephens (2017). False discovery rates: a new deal. Biostatistics 18, 275-294.
       :doi:`10.1093/biostatistics/kxw041`

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
    scores = as_scores(scores, groups=families)
    n_systems = scores.sizes["system"]
    k = min(_TOP, n_systems) if k is None else k
    asked = [k] if isinstance(k, int | Integral) else list(k)
    sizes = [check_count(one, "k", most=n_systems, unit="systems") for one in dict.fromkeys(asked)]
    check_count(n_draws, "n_draws", most=MOST_REPLICATES)
    check_resamples(n_resamples)
    source = resolve_rng(rng)
    fitting, resampling = source.generator.spawn(2)
    units, _ = residuals_of_units(scores).scaled()
    copies = [_first_equal(units, metric) for metric in range(len(units.means))]
    chances = _chances(units, copies, [1, *sizes], n_draws=n_draws, generator=fitting, n_threads=n_threads)
    names = scores["system"].to_numpy()
    rank = np.stack([len(own) - np.searchsorted(np.sort(own), own, side="right") + 1 for own in units.oriented])
    dims = ("metric", "system")
    data = xr.Dataset(
        {
            "mean": (dims, units.means),
            "rank": (dims, rank),
            "p_best": (dims, chances[:, 0]),
            "p_top": ((*dims, "k"), np.moveaxis(chances[:, 1:], 1, -1)),
            "share_of_resamples": (dims, _shares(units, n_resamples, resampling)),
        },
        coords={"metric": scores["metric"].to_numpy(), "system": names, "k": sizes},
    )
    return BestSystem(
        data=data,
        families=_families(scores),
        resampled=units.kind,
        n_topics=scores.sizes["topic"],
        n_units=len(units.sizes),
        n_draws=n_draws,
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


def _families(scores: Scores) -> dict[str, str] | None:
    if "group" not in scores.coords:
        return None
    return dict(zip(scores["system"].to_numpy().tolist(), scores["group"].to_numpy().tolist(), strict=True))


def _first_equal(units: UnitResiduals, metric: int) -> Whole:
    """Return for every system the first one that is equal to it in every unit, itself for most."""
    oriented, residual, spans = units.oriented[metric], units.residual[metric], units.spans[metric]
    first = np.arange(len(oriented))
    order = np.argsort(oriented, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(oriented[order]) != 0.0) + 1):
        for place, system in enumerate(group):
            apart = np.abs(residual[group[:place]] - residual[system]).sum(axis=1)
            same = group[:place][apart <= RELATIVE * (spans[group[:place]] + spans[system])]
            first[system] = first[same].min() if len(same) else system
    return first


def _chances(  # noqa: PLR0913 - the sample and the draws
    units: UnitResiduals,
    copies: list[Whole],
    sizes: list[int],
    *,
    n_draws: int,
    generator: np.random.Generator,
    n_threads: int | None,
) -> Floats:
    """Return the probability of every system to be among so many best, (metric, size, system)."""
    kept = [np.unique(first) for first in copies]
    noisy = []
    for metric, own in enumerate(kept):
        apart = np.ptp(units.residual[metric][own], axis=0).max()
        noisy.append(bool(apart > RELATIVE * units.spans[metric].max()))
    drawn = iter(_draw_noisy(units, kept, noisy, n_draws=n_draws, generator=generator, n_threads=n_threads))
    chances = np.empty((len(copies), len(sizes), units.means.shape[1]))
    for metric, (first, own) in enumerate(zip(copies, kept, strict=True)):
        draws = next(drawn) if noisy[metric] else units.oriented[metric][own][None]
        many = np.bincount(first, minlength=len(first))[own]
        where = np.searchsorted(own, first)
        for place, size in enumerate(sizes):
            chances[metric, place] = _share_at_top(draws, many, size)[where]
    return chances


def _draw_noisy(  # noqa: PLR0913 - handed on
    units: UnitResiduals,
    kept: list[Whole],
    noisy: list[bool],
    *,
    n_draws: int,
    generator: np.random.Generator,
    n_threads: int | None,
) -> list[Floats]:
    """Draw true means under the metrics whose systems differ from topic to topic."""
    places = np.flatnonzero(noisy)
    part = units._replace(
        means=units.means[places],
        oriented=units.oriented[places],
        spans=units.spans[places],
        residual=units.residual[places],
    )
    own = [kept[place] for place in places]
    return draw_true_means(part, own, n_draws=n_draws, generator=generator, n_threads=n_threads)


def _share_at_top(draws: Floats, many: Whole, size: int) -> Floats:
    """Return how often each system is among the best `size`; `many` copies of one share what places there are."""
    order = np.argsort(-draws, axis=1, kind="stable")
    number = many[order]
    before = np.cumsum(number, axis=1) - number
    share = np.clip((size - before) / number, 0.0, 1.0)
    total = np.bincount(order.ravel(), share.ravel(), draws.shape[1])
    return total / len(draws)


def _shares(units: UnitResiduals, n_resamples: int, generator: np.random.Generator) -> Floats:
    """Return the share of resamples that every system wins, ties shared, (metric, system)."""
    inside = [np.flatnonzero(units.stratum == one) for one in range(units.stratum.max() + 1)]
    won = np.zeros_like(units.means)
    for counts in units.topics.counts(generator, n_resamples):
        for metric, residual in enumerate(units.residual):
            means = units.oriented[metric][:, None] * np.ones(counts.shape[1])
            for own in inside:
                share = units.sizes[own].sum() / units.sizes.sum()
                means += share * (residual[:, own] @ counts[own]) / (units.sizes[own] @ counts[own])
            size = 2.0 * units.spans[metric].max() / units.sizes.sum()
            best = means >= means.max(axis=0) - RELATIVE * size
            won[metric] += (best / best.sum(axis=0)).sum(axis=1)
    return won / n_resamples
