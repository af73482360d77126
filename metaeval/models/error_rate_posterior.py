"""How sure error rates and topic counts are: what the Bayesian model of the error rate answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from metaeval.base.arrays import Floats
from metaeval.base.checks import refused
from metaeval.base.results import Figure, Result
from metaeval.base.words import bracketed, chance, percentage, share, span, whole
from metaeval.io.stored import read_tree, write_tree
from metaeval.models.expected_rates import SIZES

if TYPE_CHECKING:
    from pathlib import Path

    from metaeval.resampling.swap import ErrorRates


_CHAINS = 4
_FLOOR = 1e-12


class ErrorRateDraws(NamedTuple):
    """Draws of one metric: error rates (draw, tolerance, size), the law (draw, 2), and predicted counts.

    `predicted` has the rates of the check (replicate, tolerance, observed size).
    """

    rates: Floats
    hyper: Floats
    predicted: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BayesianErrorRate(Result):
    """Posterior of the error curve and of the minimum topic count of every metric and tolerance."""

    tree: Any
    """As ArviZ reads it (``az.summary(result.tree)``): ``posterior`` with ``error_rate`` (metric, tolerance, size),
    ``minimum_topics`` (metric, tolerance; infinite past a million) and the law of the standardised differences,
    ``log_scale`` and ``slope`` (metric); ``posterior_predictive`` and ``observed_data`` with
    ``error_rate`` (metric, tolerance, observed_size), a tie at tolerance 0 half an error; ``constant_data`` with
    the ``comparisons`` behind each (observed_size); if PyMC sampled the law, ``law`` and ``sample_stats`` (metric)."""
    method: str
    tolerance_unit: str
    max_error: float
    """Error rate the minimum topic count keeps to."""
    confidence_level: float
    """Probability of the equal-tailed intervals."""
    n_systems: int
    n_topics: int
    """Size of the scores."""
    not_estimated: Mapping[str, str]
    """Metrics left out, and why."""

    def _found(self) -> str:
        needed = self.minimum_topics().dropna(subset=["median"])
        tolerance = self.tolerances[0]
        needed = needed[needed["tolerance"] == tolerance]
        figures = [bracketed(row.median, row.low, row.high, whole) for row in needed.itertuples()]
        written = share(tolerance) if self.tolerance_unit == "relative" else f"{tolerance:g}"
        at = f" at tolerance {written}" if tolerance else ""
        enough = span(needed["metric"], needed["p_enough"], [chance(p) for p in needed["p_enough"]], opening="")
        topics = span(needed["metric"], needed["median"], figures, opening="")
        return (
            f"{topics} topics keep the disagreement of two topic sets within {percentage(self.max_error)}{at} "
            f"({percentage(self.confidence_level)} interval); the {self.n_topics} at hand are enough with probability "
            f"{enough}"
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics that could be estimated."""
        return tuple(self.tree["posterior"]["metric"].to_numpy().tolist())

    @property
    def tolerances(self) -> tuple[float, ...]:
        """Tolerances, ascending."""
        return tuple(self.tree["posterior"]["tolerance"].to_numpy().tolist())

    def to_arviz(self) -> "xr.DataTree":
        """Return the posterior as ArviZ reads it: group ``posterior`` with ``error_rate`` and what it came from.

        Returns
        -------
        xarray.DataTree
        """
        return self.tree

    def error_rate(self, sizes: ArrayLike) -> xr.DataArray:
        """Return posterior draws of the error rate at some sizes, dims (chain, draw, metric, tolerance, size).

        Between the sizes kept in the tree the logit is interpolated along the logarithm of the size. Past the topics at
        hand, draws at tolerances above 0 are far too high; `curves` has none there.
        """
        asked = np.atleast_1d(np.asarray(sizes, dtype=np.float64))
        draws = self.tree["posterior"]["error_rate"]
        grid = draws["size"].to_numpy().astype(float)
        if not asked.size or not ((asked >= grid[0]) & (asked <= grid[-1])).all():
            raise refused("sizes", f"must lie between {grid[0]:g} and {grid[-1]:g}, not {sizes!r}", sizes)
        position = np.interp(np.log(asked), np.log(grid), np.arange(len(grid)))
        low = np.minimum(position.astype(int), len(grid) - 2)
        share = position - low
        logits = logit(draws.to_numpy())
        between = logits[..., low] * (1.0 - share) + logits[..., low + 1] * share
        coords = {name: draws[name].to_numpy() for name in draws.dims[:-1]} | {"size": asked}
        return xr.DataArray(expit(between), dims=draws.dims, coords=coords, name="error_rate")

    def curves(self, sizes: ArrayLike, *, errors: bool = False) -> pd.DataFrame:
        """Return one row a metric, tolerance and size: median, ``low`` and ``high`` of the error rate.

        With `errors` also the Monte-Carlo standard error of each, in ``_error``. At tolerances above 0 a rate on more
        topics than there are is missing: it depends on the far tails of the differences, and comes out two to three
        times too high with ends up to 300-fold apart, where the topics needed are fine.
        """
        frame = self._interval(self.error_rate(sizes), errors=errors)
        unknown = (frame["tolerance"] > 0) & (frame["size"] > self.n_topics)
        frame.loc[unknown, frame.columns.difference(["metric", "tolerance", "size"])] = np.nan
        return frame

    @property
    def n_draws(self) -> int:
        """Draws behind every quantile and probability."""
        sizes = self.tree["posterior"].sizes
        return int(sizes["chain"] * sizes["draw"])

    def minimum_topics(self, *, errors: bool = False) -> pd.DataFrame:
        """Return one row a metric and tolerance: the topics needed, and whether those at hand are enough.

        Columns ``median``, ``low`` and ``high`` (a count past a million is infinite); ``p_enough``, the probability
        that as many topics as there are keep the error rate to `max_error`; ``extrapolated``, whether the median lies
        beyond the sizes observed; ``note``, why there is no number. With `errors` also the Monte-Carlo standard errors
        of the first three, in ``_error``.
        """
        posterior = self.tree["posterior"]["minimum_topics"]
        frame = self._interval(posterior, errors=errors)
        frame["p_enough"] = (posterior <= self.n_topics).mean(("chain", "draw")).to_numpy().ravel()
        largest = float(self.tree["observed_data"]["observed_size"].max())
        frame["extrapolated"] = (frame["median"] > largest).astype(object)
        frame["note"] = ""
        missing = pd.DataFrame(
            [
                {"metric": name, "tolerance": tolerance, "extrapolated": None, "note": f"cannot be estimated: {why}"}
                for name, why in self.not_estimated.items()
                for tolerance in self.tolerances
            ]
        )
        return pd.concat([frame, missing], ignore_index=True) if len(missing) else frame

    def fewer(self) -> pd.DataFrame:
        """Return one row a tolerance and ordered pair of metrics: the probability that a needs fewer topics than b.

        The draws of two metrics belong together, for they share the topics; a tie counts half.
        """
        metrics, tolerances = self.metrics, self.tolerances
        posterior = self.tree["posterior"]["minimum_topics"].transpose("metric", "tolerance", "chain", "draw")
        flat = posterior.to_numpy().reshape(len(metrics), len(tolerances), -1)
        share = (flat[:, None] < flat[None]).mean(axis=-1) + 0.5 * (flat[:, None] == flat[None]).mean(axis=-1)
        rows = [
            {"tolerance": tolerance, "metric_a": metrics[a], "metric_b": metrics[b], "p_fewer": share[a, b, index]}
            for index, tolerance in enumerate(tolerances)
            for a, b in permutations(range(len(metrics)), 2)
        ]
        return pd.DataFrame(rows, columns=["tolerance", "metric_a", "metric_b", "p_fewer"])

    def predicted(self) -> pd.DataFrame:
        """Return the check: one row a metric, tolerance and size at which swaps were counted.

        ``observed`` is the rate counted; between ``predicted_low`` and ``predicted_high`` lies, with the probability
        of the intervals, the rate counted on another sample of as many topics, if the model is right.
        """
        frame = self._interval(self.tree["posterior_predictive"]["error_rate"])
        names = {"observed_size": "size", "low": "predicted_low", "high": "predicted_high"}
        counted = self.tree["observed_data"]["error_rate"].to_series().rename("observed").reset_index()
        keys = ["metric", "tolerance", "observed_size"]
        return frame.drop(columns="median").merge(counted, on=keys).rename(columns=names)

    def to_frame(self) -> pd.DataFrame:
        """Return `minimum_topics`, one row a metric and tolerance."""
        return self.minimum_topics()

    def _draw(self) -> Figure:
        """Draw the error rate of every metric: median and band, and the rates observed behind them."""
        from metaeval import figures  # noqa: PLC0415 - drawing loads when needed

        sizes = np.unique(np.geomspace(SIZES[0], 4 * self.n_topics, 60).round())
        checked = self.predicted().rename(columns={"observed": "seen"})
        frame = self.curves(np.union1d(sizes, checked["size"])).merge(
            checked, on=["metric", "tolerance", "size"], how="left"
        )
        frame["fitted"] = frame["median"]
        names = [
            f"{100 * tolerance:g} %" if self.tolerance_unit == "relative" else f"{tolerance:g}"
            for tolerance in self.tolerances
        ]
        seen_to = int(checked["size"].max())
        return figures.error_panels(frame, tolerances=names, max_error=self.max_error, seen_to=seen_to)

    def save(self, path: "str | Path") -> "Path":
        """Write the result to NetCDF."""
        return write_tree(self.tree, path)

    @classmethod
    def load(cls, path: "str | Path") -> "BayesianErrorRate":
        """Read what `save` wrote: the same numbers."""
        return _result(read_tree(path))

    def _interval(self, draws: xr.DataArray, *, errors: bool = False) -> pd.DataFrame:
        places, names = (
            np.array([0.5, (1 - self.confidence_level) / 2, (1 + self.confidence_level) / 2]),
            ["median", "low", "high"],
        )
        # by whole draws: there is nothing between infinite ones
        shares = places[None]
        if errors:  # a standard error of the share of draws to either side
            reach = np.sqrt(places * (1 - places) / self.n_draws)
            shares = np.clip(places + np.array([[0.0], [-1.0], [1.0]]) * reach, 1e-9, 1.0)
        quantiles = draws.quantile(shares.ravel(), dim=("chain", "draw"), method="inverted_cdf")
        ends = quantiles[: len(names)].assign_coords(quantile=names)
        if errors:
            below, above = quantiles[3:6].to_numpy(), quantiles[6:].to_numpy()
            with np.errstate(invalid="ignore"):  # between endless counts there is nothing
                spread = ends.copy(data=(above - below) / 2.0).assign_coords(
                    quantile=[f"{name}_error" for name in names]
                )
            ends = xr.concat([ends, spread], "quantile")
        return ends.to_dataset("quantile").to_dataframe().reset_index()


def arviz_posterior(  # noqa: PLR0913, PLR0917 - the parts of a result
    drawn: Mapping[str, ErrorRateDraws],
    tolerances: Sequence[float],
    observed: "ErrorRates",
    sizes: Sequence[int],
    left_out: Mapping[str, str],
    attrs: Mapping[str, Any],
    sampled: Mapping[str, Any],
) -> BayesianErrorRate:
    """Lay draws and counts out as ArviZ reads them."""
    names = list(drawn)
    rates = np.stack([metric_draws.rates for metric_draws in drawn.values()], axis=1)
    rates = np.clip(np.minimum.accumulate(rates, axis=-1), _FLOOR, 1.0 - _FLOOR)  # more topics never err more
    n_draws = len(rates)
    shape = (_CHAINS, -1) if n_draws % _CHAINS == 0 else (1, -1)
    chains = {"chain": np.arange(shape[0]), "draw": np.arange(n_draws // shape[0])}
    named = {"metric": names, "tolerance": np.asarray(tolerances, dtype=np.float64)}
    hyper = np.stack([metric_draws.hyper for metric_draws in drawn.values()], axis=1)

    def laid(values: Floats, *dims: str) -> tuple[tuple[str, ...], Floats]:
        return ("chain", "draw", *dims), values.reshape(*shape, *values.shape[1:])

    variables = {
        "error_rate": laid(rates, "metric", "tolerance", "size"),
        "minimum_topics": laid(topics_needed(rates, float(attrs["max_error"])), "metric", "tolerance"),
        **{name: laid(hyper[..., index], "metric") for index, name in enumerate(("log_scale", "slope"))},
    }
    again = np.stack([metric_draws.predicted for metric_draws in drawn.values()], axis=1)[None]
    seen = {"observed_size": np.asarray(sizes)}
    counted = observed.rates(half_swaps=True).sel({"metric": names, "tolerance": list(tolerances), "size": list(sizes)})
    total = observed.totals()["comparisons"].isel(metric=0, tolerance=0).sel({"size": list(sizes)})
    by_size = ("metric", "tolerance", "observed_size")
    nodes = {
        "posterior": xr.Dataset(variables, coords=chains | named | {"size": SIZES.astype(int)}),
        "posterior_predictive": xr.Dataset(
            {"error_rate": (("chain", "draw", *by_size), again)},
            coords={"chain": [0], "draw": np.arange(again.shape[1])} | named | seen,
        ),
        "observed_data": xr.Dataset({"error_rate": (by_size, counted.to_numpy())}, coords=named | seen),
        "constant_data": xr.Dataset({"comparisons": ("observed_size", total.to_numpy())}, coords=seen),
    }
    if sampled:
        metric = pd.Index(names, name="metric")
        nodes["law"] = xr.concat([tree["posterior"].to_dataset() for tree in sampled.values()], metric)
        nodes["sample_stats"] = xr.concat(
            [tree["sample_stats"].to_dataset()[["diverging"]] for tree in sampled.values()], metric
        )
    tree = xr.DataTree.from_dict(nodes)
    tree.attrs = {
        **attrs,
        "n_systems": observed.n_systems,
        "n_topics": observed.n_topics,
        "left_out": list(left_out) or [""],
        "reasons": list(left_out.values()) or [""],
    }
    return _result(tree)


def _result(tree: Any) -> BayesianErrorRate:  # noqa: ANN401 - an xarray.DataTree
    attrs = tree.attrs
    left_out = zip(np.atleast_1d(attrs["left_out"]).tolist(), np.atleast_1d(attrs["reasons"]).tolist(), strict=True)
    return BayesianErrorRate(
        tree=tree,
        method=str(attrs["method"]),
        tolerance_unit=str(attrs["tolerance_unit"]),
        max_error=float(attrs["max_error"]),
        confidence_level=float(attrs["confidence_level"]),
        n_systems=int(attrs["n_systems"]),
        n_topics=int(attrs["n_topics"]),
        not_estimated=MappingProxyType({str(name): str(reason) for name, reason in left_out if name}),
    )


def topics_needed(rates: Floats, max_error: float) -> Floats:
    """Return the smallest whole size at which each falling curve is within the error rate; infinite past the last."""
    logits, target, logs = logit(rates), logit(max_error), np.log(SIZES)
    settled = rates <= max_error
    first = np.maximum(settled.argmax(axis=-1), 1)[..., None]
    above, below = (np.take_along_axis(logits, index, axis=-1)[..., 0] for index in (first - 1, first))
    drop = np.where(above > below, above - below, 1.0)
    share = np.clip((above - target) / drop, 0.0, 1.0)
    from_, to = logs[first[..., 0] - 1], logs[first[..., 0]]
    reached = np.ceil(np.exp(from_ + share * (to - from_)) - 1e-9)
    return np.where(settled.any(axis=-1), np.where(settled[..., 0], SIZES[0], reached), np.inf)
