"""Bayesian comparison of systems: the probability that one is better, and by more than matters.

Two models answer for all pairs at once. `bayesian_t` treats every pair by itself, in closed form.
`metaeval.models.hierarchical` fits all systems and topics together, so that extreme systems are drawn towards the
others (shrinkage).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_number, check_share, t_half_width
from metaeval.base.names import count, first_few, name_order
from metaeval.base.results import Figure, Result
from metaeval.base.words import bracketed, number, percentage
from metaeval.errors import InvalidOptionError
from metaeval.io.stored import read_tree, write_tree
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import RELATIVE, difference
from metaeval.table.scores import better_direction
from metaeval.tests_stat.pairs import Question, ask
from metaeval.tests_stat.robust import pair_estimates

if TYPE_CHECKING:
    from pathlib import Path

type Rope = float | Mapping[str, float]
"""Half-width of a region of practical equivalence: of all metrics, or metric by metric."""
BayesianModel = Literal["t", "hierarchical", "pymc"]
"""Name of a model, as `metaeval.study_power` takes it."""
_CHAINS = 4
_DECIDED, _ALIKE = 0.95, 9
"""Probability above which a pair is counted as decided; the decimals in which two are alike."""
_ROUNDING = 1e-14
"""Least probability that is told from the rounding of the other two, which add up to 1."""
_CELLS = 16
"""Between two nodes of a spread, of which one is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BayesianComparison(Result):
    """Posterior of the mean difference of every pair of systems, under every metric."""

    data: xr.Dataset
    """Dims ``metric`` and ``pair``; coordinates ``system_a`` and ``system_b`` on ``pair``; variables ``difference``
    (posterior mean of a minus b, in the metric's own unit), ``low`` and ``high`` (equal-tailed credible interval),
    ``p_a_better``, ``p_equivalent``, ``p_b_better`` (they sum to 1; better means better, also where lower scores
    are)."""
    model: str
    """"bayesian_t" or "hierarchical"."""
    rope: Mapping[str, float]
    """Metric to the half-width of its region of practical equivalence, in its own unit."""
    confidence_level: float
    """Probability of the interval."""
    n_topics: int
    """Topics that the systems were compared on."""
    posteriors: Mapping[str, Any] = field(default_factory=dict)
    """Of the hierarchical model the grid of its spreads for each metric, or what PyMC sampled; empty for the closed
    form."""

    def _found(self) -> str:
        surest = self._surest()
        if self.data["pair"].size == self.data["metric"].size == 1:
            return surest
        power = self.discriminative_power(_DECIDED)
        counts = [f"{row.n_apart} under {row.metric}" for row in power.itertuples()]
        n_pairs = count(self.data.sizes["pair"], "pair")
        beyond = " by more than is equivalent" if any(self.rope.values()) else ""
        return (
            f"of {n_pairs} one is better{beyond} with a probability above {_DECIDED:g} in {first_few(counts)}; the "
            f"surest: {surest}"
        )

    def _surest(self) -> str:
        """Say how probable it is that one of a pair is better, of the pair where that is most; or that they are alike.

        Of pairs that are as sure but for rounding, that whose interval lies furthest from 0, for its length.
        """
        names_of = ("p_a_better", "p_b_better", "p_equivalent", "low", "high")
        first, second, equivalent, low, high = (self.data[name].to_numpy() for name in names_of)
        better = np.maximum(first, second)
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.nan_to_num(np.abs(low + high) / (high - low))
        surest = int(np.lexsort((distance.ravel(), better.round(_ALIKE).ravel()))[-1])
        at = np.unravel_index(surest, better.shape)
        row = self.data.isel(metric=at[0], pair=at[1])
        metric = row["metric"].item()
        names, difference = [row["system_a"].item(), row["system_b"].item()], row["difference"].item()
        limits, probability = (low[at], high[at]), max(better[at], equivalent[at])
        if row["p_b_better"] > row["p_a_better"]:
            names, difference, limits = names[::-1], -difference, (-high[at], -low[at])
        verdict = f"{names[0]} is better than {names[1]}"
        verdict += f" by more than {self.rope[metric]:g}" if self.rope[metric] else ""
        verdict = f"{names[0]} and {names[1]} are equivalent" if equivalent[at] > better[at] else verdict
        figure = bracketed(difference, *limits, number(3))
        named = f", {percentage(self.confidence_level)} interval" if np.isfinite(limits).all() else ""
        return f"{verdict} under {metric} with probability {_sure(probability)} (difference {figure}{named})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and pair.

        The columns are ``metric``, ``system_a``, ``system_b``, ``difference`` with ``low`` and ``high`` in units of the
        metric, and the probabilities ``p_a_better``, ``p_equivalent`` and ``p_b_better``, which sum to 1.
        """
        columns = ["metric", "system_a", "system_b", "difference", "low", "high"]
        return self.data.to_dataframe().reset_index()[[*columns, "p_a_better", "p_equivalent", "p_b_better"]]

    def _draw(self, *, probability: float = 0.95) -> Figure:
        """Draw how many pairs are decided under each metric with more than this probability, and how."""
        from metaeval.figures.power import decided_bars  # noqa: PLC0415 - matplotlib

        return decided_bars(self.discriminative_power(probability))

    def discriminative_power(self, probability: float = 0.95) -> pd.DataFrame:
        """Count the pairs that are decided with more than this probability.

        Parameters
        ----------
        probability : float, default 0.95

        Returns
        -------
        pandas.DataFrame
            One row a metric: ``n_a_better``, ``n_equivalent``, ``n_b_better``, ``n_apart`` (either is better by more
            than the region), ``n_undecided``, ``n_pairs``, and ``power``, the share of pairs that are apart.
        """
        check_share(probability, "probability")
        kinds = ("a_better", "equivalent", "b_better")
        counts = {f"n_{name}": (self.data[f"p_{name}"] > probability).sum("pair").to_numpy() for name in kinds}
        frame = pd.DataFrame({"metric": self.data["metric"].to_numpy()} | counts)
        n_pairs, apart = self.data.sizes["pair"], frame["n_a_better"] + frame["n_b_better"]
        undecided = n_pairs - apart - frame["n_equivalent"]
        return frame.assign(n_apart=apart, n_undecided=undecided, n_pairs=n_pairs, power=apart / n_pairs)

    def to_arviz(self, metric: str | None = None, *, n_draws: int = 1000, rng: RNGLike = None) -> "xr.DataTree":
        """Return the posterior under one metric as ArviZ reads it.

        Parameters
        ----------
        metric : str, optional
            May be left out where there is one.
        n_draws : int, default 1000
            Draws in each of four chains, where nothing was sampled; else what was sampled is returned.
        rng : None, int or numpy.random.Generator
            Source of those draws.

        Returns
        -------
        xarray.DataTree
            Group ``posterior``: ``difference`` (chain, draw, pair) of the closed form, with the pairs named
            "a - b"; or of the hierarchical model, with ``system_mean`` (chain, draw, system).

        Raises
        ------
        UnknownNameError
            If the metric was not compared.
        InvalidOptionError
            If there are several, and none is named.

        Examples
        --------
        >>> found = bayesian_t([[0.3, 0.5, 0.9, 0.7], [0.2, 0.3, 0.6, 0.8]])
        >>> tree = found.to_arviz("metric1", n_draws=500, rng=1)
        >>> tree["posterior"]["difference"].sizes
        Frozen({'chain': 4, 'draw': 500, 'pair': 1})
        """
        metrics = self.data["metric"].to_numpy().tolist()
        if metric is None and len(metrics) > 1:
            raise InvalidOptionError(f"there are {first_few(metrics)}; name one, such as `metric={metrics[0]!r}`")
        metric = metrics[0] if metric is None else metric
        check_choice(metric, "metric", metrics)
        check_count(n_draws, "n_draws")
        if self.posteriors:
            tree = self.posteriors[metric]
            if "grid" not in tree.children:
                return tree
            return _drawn_from_grid(tree["grid"].to_dataset(), n_draws, resolve_rng(rng).generator)
        of_metric = self.data.sel(metric=metric)
        scale = (of_metric["high"] - of_metric["low"]) / 2 / stdtrit(self.n_topics - 1, (1 + self.confidence_level) / 2)
        shape = (_CHAINS, n_draws, of_metric.sizes["pair"])
        position, sign = _places_of_pairs(of_metric["system_a"].to_numpy(), of_metric["system_b"].to_numpy())
        drawn = sign * resolve_rng(rng).generator.standard_t(self.n_topics - 1, size=shape)[..., position]
        values = of_metric["difference"].to_numpy() + drawn * scale.to_numpy()
        pairs = [
            f"{a} - {b}"
            for a, b in zip(of_metric["system_a"].to_numpy(), of_metric["system_b"].to_numpy(), strict=True)
        ]
        posterior = xr.Dataset(
            {"difference": (("chain", "draw", "pair"), values)},
            coords={"chain": range(_CHAINS), "draw": range(n_draws), "pair": pairs},
        )
        return xr.DataTree.from_dict({"posterior": posterior})

    def save(self, path: "str | Path") -> "Path":
        """Write the comparison, with its sampled posterior, to NetCDF."""
        attrs = {"model": self.model, "confidence_level": self.confidence_level, "n_topics": self.n_topics}
        attrs["rope"] = list(self.rope.values())
        nodes = {"comparison": self.data.assign_attrs(attrs)}
        for fit, (metric, posterior) in enumerate(self.posteriors.items()):
            nodes[f"fit_{fit}"] = xr.Dataset(attrs={"metric": metric})
            nodes |= {f"fit_{fit}{node.path}": node.to_dataset() for node in posterior.leaves}
        return write_tree(xr.DataTree.from_dict(nodes), path)

    @classmethod
    def load(cls, path: "str | Path") -> "BayesianComparison":
        """Read what `save` wrote: the same numbers."""
        tree = read_tree(path)
        data = tree["comparison"].to_dataset()
        attrs = data.attrs
        data.attrs = {}
        fitted = [child for name, child in tree.children.items() if name != "comparison"]
        return cls(
            data=data,
            model=str(attrs["model"]),
            rope=dict(zip(data["metric"].to_numpy().tolist(), np.atleast_1d(attrs["rope"]).tolist(), strict=True)),
            confidence_level=float(attrs["confidence_level"]),
            n_topics=int(attrs["n_topics"]),
            posteriors={str(child.attrs["metric"]): child.copy() for child in fitted},
        )


def bayesian_t(
    scores: object, *, rope: Rope = 0.0, confidence_level: float = 0.95, baseline: str | None = None
) -> BayesianComparison:
    r"""Compute the probability that each system is better than each other, separately for each pair.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    rope : float or mapping of str to float, default 0
        Differences of mean up to this size count as equivalent, in the metric's own unit: one size for all metrics,
        or metric to size.
    confidence_level : float, default 0.95
        Probability of the equal-tailed interval.
    baseline : str, optional
        Compare with this system only.

    Returns
    -------
    BayesianComparison
        Columns: `BayesianComparison.to_frame`.

    Raises
    ------
    InvalidOptionError
        If `rope` is negative or lacks a metric, or `confidence_level` is outside (0, 1).
    UnknownNameError
        If `rope` names a metric that there is not.

    Notes
    -----
    With a flat prior on the mean and on the log of the spread of the per-topic differences, the posterior of the mean
    difference is a Student distribution with T - 1 degrees of freedom, centred at :math:`\bar z` with scale
    :math:`s / \sqrt T` [1]_: the correlated Bayesian t test without correlation, since topics are independent. At
    ``rope=0`` the probability that b is not worse equals the one-sided p-value of the paired t test. A difference
    that is the same on every topic has no posterior of its own: it is beyond the limits, or within them, as far as the
    signs of T topics can tell, which are all alike by luck with the chance :math:`2^{-T}`, and has no interval.

    References
    ----------
    .. [1] Benavoli, Corani, Demšar and Zaffalon (2017). Journal of Machine Learning Research 18(77), section 3.

    Examples
    --------
    >>> found = bayesian_t([[0.3, 0.5, 0.9], [0.2, 0.3, 0.6]], rope=0.05)
    >>> found.to_frame()[["p_a_better", "p_equivalent", "p_b_better"]].round(3).to_numpy().tolist()
    [[0.939, 0.036, 0.025]]
    """
    check_share(confidence_level, "confidence_level")
    question = ask(scores, baseline=baseline)
    widths = check_rope(rope, question.scores["metric"].to_numpy().tolist())
    limit = np.array([*widths.values()])[:, None]
    centre = question.mean_differences()
    scale = pair_estimates(question).error
    freedom = question.n_topics - 1
    size = question.tolerance / RELATIVE / question.n_topics
    p_a = _tail(difference(centre, limit, size, limit), scale, freedom)
    p_b = _tail(difference(-centre, limit, size, limit), scale, freedom)
    half = np.where(scale > 0.0, t_half_width(scale, question.n_topics, confidence_level), np.nan)
    data = comparison_dataset(question, centre, centre - half, centre + half, p_a, p_b)
    return BayesianComparison(
        data=data, model="bayesian_t", rope=widths, confidence_level=confidence_level, n_topics=question.n_topics
    )


def check_rope(rope: Rope, metrics: Sequence[str]) -> dict[str, float]:
    """Return the half-width of the region of every metric, or refuse what is none.

    Examples
    --------
    >>> check_rope(0.02, ["AP", "RR"]), check_rope({"AP": 0.01}, ["AP"])
    ({'AP': 0.02, 'RR': 0.02}, {'AP': 0.01})
    """
    width_of = rope if isinstance(rope, Mapping) else dict.fromkeys(metrics, rope)
    for name, width in width_of.items():
        check_choice(name, "metric", metrics)
        check_number(width, "rope", least=0, unit="a difference of mean scores")
    if missing := [name for name in metrics if name not in width_of]:
        message = f"rope says nothing of {', '.join(missing)}; give one width for all metrics, or one for each"
        raise InvalidOptionError(message)
    return {name: float(width_of[name]) for name in metrics}


def _places_of_pairs(first: NDArray[np.str_], second: NDArray[np.str_]) -> tuple[NDArray[np.intp], Ints]:
    """Return the place of every pair in an order by the names of its systems, and -1 where they come the other way."""
    names = np.unique([first, second])
    rank_of = {name: rank for rank, name in enumerate(names[name_order(names)].tolist())}
    ends = np.array([[rank_of[name] for name in side.tolist()] for side in (first, second)])
    return np.argsort(np.lexsort(np.sort(ends, axis=0)[::-1])), np.where(ends[0] < ends[1], 1, -1)


def _sure(probability: float) -> str:
    """Write a probability, never as certain.

    Examples
    --------
    >>> _sure(0.93712), _sure(0.99999999)
    ('0.9371', 'above 0.9999')
    """
    return "above 0.9999" if probability > 0.99995 else number(4)(probability)  # noqa: PLR2004 - half of the last digit


def _tail(distance: Floats, scale: Floats, freedom: int) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = stdtr(freedom, distance / scale)
    by_luck = 0.5 ** (freedom + 1.0)
    return np.where(scale > 0, chance, np.where(distance > 0, 1.0 - by_luck, by_luck))


def comparison_dataset(  # noqa: PLR0913, PLR0917 - the columns of the answer
    question: Question, centre: Floats, low: Floats, high: Floats, p_a: Floats, p_b: Floats
) -> xr.Dataset:
    """Return what both models say of every pair, differences in the direction of the metric."""
    direction = better_direction(question.scores)[:, None]
    raw_low, raw_high = np.where(direction > 0, low, -high), np.where(direction > 0, high, -low)
    columns = {"difference": centre * direction, "low": raw_low, "high": raw_high}
    between = np.clip(1.0 - p_a - p_b, 0.0, 1.0)
    between[between < _ROUNDING] = 0.0
    columns |= {"p_a_better": p_a, "p_equivalent": between, "p_b_better": p_b}
    names = question.scores["system"].to_numpy()
    return xr.Dataset(
        {name: (("metric", "pair"), values) for name, values in columns.items()},
        coords={
            "metric": question.scores["metric"].to_numpy(),
            "system_a": ("pair", names[question.first]),
            "system_b": ("pair", names[question.second]),
        },
    )


def system_effects(posterior: xr.Dataset, means: xr.DataArray, n_topics: int, generator: np.random.Generator) -> Any:  # noqa: ANN401 - an xarray.DataArray
    """Draw true means of systems, exactly normal given what was drawn of the grand mean and the two spreads.

    Examples
    --------
    >>> drawn = xr.Dataset({"grand_mean": 0.0, "sigma_system": 1e-9, "sigma_residual": 1.0}).expand_dims(draw=2)
    >>> means = xr.DataArray([1.0, -1.0], dims="system")
    >>> np.abs(system_effects(drawn, means, 9, np.random.default_rng(1))).max().item() < 1e-8
    True
    """
    between, within = posterior["sigma_system"] ** 2, posterior["sigma_residual"] ** 2 / n_topics
    shrinkage = between / (between + within)
    centre = posterior["grand_mean"] + shrinkage * (means - posterior["grand_mean"])
    noise = centre.copy(data=generator.standard_normal(centre.shape))
    return centre + np.sqrt(shrinkage * within) * noise


def _drawn_from_grid(grid: xr.Dataset, n_draws: int, generator: np.random.Generator) -> xr.DataTree:
    """Draw spreads from the grid, and the grand mean and the systems given them."""
    shape = (_CHAINS, n_draws)
    n_topics, sides = int(grid.attrs["n_topics"]), ("chain", "draw")
    spreads = xr.Dataset(
        {name: (sides, drawn) for name, drawn in _drawn_spreads(grid, shape, generator).items()},
        coords={"chain": range(_CHAINS), "draw": range(n_draws)},
    )
    variance = (spreads["sigma_system"] ** 2 + spreads["sigma_residual"] ** 2 / n_topics) / grid.sizes["system"]
    noise = variance.copy(data=generator.standard_normal(shape))
    kept = 1 / (1 + variance)
    drawn = spreads.assign(grand_mean=kept * grid["mean"].mean() + np.sqrt(kept * variance) * noise)
    effect = system_effects(drawn, grid["mean"], n_topics, generator)
    mean = effect * grid.attrs["spread"] + grid.attrs["centre"]
    return xr.DataTree.from_dict({"posterior": drawn.assign(system_mean=mean.transpose(*sides, "system"))})


def _drawn_spreads(grid: xr.Dataset, shape: tuple[int, int], generator: np.random.Generator) -> dict[str, Floats]:
    """Draw both spreads from the density that the nodes carry, its logarithm a cubic spline between them.

    Sums over the nodes are exact, but some of them are a standard deviation apart, so that they are no draws.
    """
    from scipy.interpolate import RectBivariateSpline  # noqa: PLC0415 - for draws alone

    names = ("sigma_system", "sigma_residual")
    axes, places = zip(*(np.unique(np.log(grid[name].to_numpy()), return_inverse=True) for name in names), strict=True)
    weight = grid["weight"].to_numpy()
    log_density = np.full([len(axis) for axis in axes], np.log(weight.min() / weight.max()) - 1.0)
    log_density[places] = np.log(weight / weight.max())
    degrees = [min(3, len(axis) - 1) for axis in axes]
    fine = [np.linspace(axis[0], axis[-1], _CELLS * (len(axis) - 1) + 1) for axis in axes]
    density = np.exp(RectBivariateSpline(*axes, log_density, kx=degrees[0], ky=degrees[1])(*fine))
    cells = np.unravel_index(generator.choice(density.size, shape, p=(density / density.sum()).ravel()), density.shape)
    within = generator.random((2, *shape)) - 0.5
    steps = [axis[1] - axis[0] for axis in fine]
    return {
        name: np.exp(axis[cell] + step * shift)
        for name, axis, cell, step, shift in zip(names, fine, cells, steps, within, strict=True)
    }
