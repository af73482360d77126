"""Rankings, mean scores and significant differences under ever fewer judgments: the answer of `measure_stability`."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.agreement.rankings import CORRELATIONS, kendall_p_value
from metaeval.base.checks import check_choice, check_number
from metaeval.base.digits import error_of_share
from metaeval.base.names import count
from metaeval.base.results import Figure, Result
from metaeval.base.words import number, span
from metaeval.resampling.reductions import Reduction
from metaeval.running.equality import reaches

THRESHOLD = 0.9
MOST_DRAWS = 0.95
"""Share of the draws that keep a correlation where one draw can be relied on to do so."""
"""Rankings whose tau is at least this are commonly taken for the same."""

_COLUMNS = (
    *("reduction", "metric", "step", "unit", "left", "judged", "judged_share", "relevant", "relevant_share", "topics"),
    *("emptied", "n_replicates", "tau", "tau_se", "tau_ap", "tau_ap_se", "rho", "rho_se", "rbo", "rbo_se"),
    *("tau_best", "tau_best_se", "tau_ap_best", "tau_ap_best_se", "rho_best", "rho_best_se", "rbo_best"),
    *("rbo_best_se", "tau_p_value", "undefined", "score", "score_se", "score_full", "power", "power_se", "power_full"),
    *("found", "contradicted", "contradicted_share", "reversed", "difference_required", "difference_required_full"),
)

type Kind = Literal["interpolated", "observed", "below smallest", "above largest", "undefined"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Stability(Result):
    """Rankings, mean scores and significant differences with fewer judgments."""

    reduction: Reduction
    """How judgments were reduced."""
    data: xr.Dataset
    """Dims ``replicate``, ``step`` (ascending), ``metric`` and ``system``. ``reference`` (metric, system): mean scores
    under the full judgments; ``mean`` (replicate, step, metric, system): under those left. ``tau``, ``tau_ap``,
    ``rho``, ``rbo`` (replicate, step, metric) compare the two, and the same with ``_best`` among the reference's
    best systems; NaN where all systems tie. ``judged``, ``relevant``, ``topics`` and ``emptied`` (replicate, step)
    count what is left. ``found``, ``contradicted`` and ``reversed`` (tested replicate, step, metric): pairs that
    differ significantly, those of them that do not (in the same direction) under the full judgments, and those of
    these that do in the opposite direction; ``difference_required`` likewise, where the test gives it; ``count_error``,
    the Monte-Carlo standard error that the resamples of the test leave ``found``; the same with ``_full`` (metric)."""
    rel: float | None
    """Lowest level that counts as relevant where judgments are reduced; None for any above 0."""
    n_judged: int
    n_relevant: int
    n_topics: int
    """In the full judgments, or in the original pool where pools are reduced."""
    top: int
    """How many systems count as the best."""
    test: str
    """Which test, with correction and level."""
    tested: tuple[str, ...]
    """The systems whose pairs are tested."""
    closeness: pd.DataFrame | None
    """Where pools are reduced: one row a metric with tau and tau_AP of the ranking by the rebuilt pool against the one
    by all judgments."""
    notes: tuple[str, ...]
    """What could not be done as asked."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(map(str, self.data["metric"].to_numpy()))

    @property
    def steps(self) -> tuple[float, ...]:
        """Steps, ascending."""
        return tuple(map(float, self.data["step"].to_numpy()))

    @property
    def n_replicates(self) -> int:
        """Replicates behind every mean."""
        return int(self.data.sizes["replicate"])

    @property
    def n_pairs(self) -> int:
        """Pairs of systems that are tested."""
        return len(self.tested) * (len(self.tested) - 1) // 2

    @property
    def single_draw(self) -> bool:
        """Whether one random draw is all there is: nothing then says how far another would differ."""
        return self.reduction.random and self.n_replicates == 1

    def _found(self) -> str:
        rows = self.to_frame().query("step == step.min()")
        taus = span(rows["metric"], rows["tau"], map(number(2), rows["tau"]))
        return f"with {count(int(rows['judged'].iloc[0]), 'judged document')} τ with the full ranking is {taus}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and step: means over replicates with their standard errors (``_se``).

        ``left`` is what the step leaves in fact: percent of the judged documents, relevant documents or topics that
        the reduction is counted in, which whole documents keep from being the percent asked for; the step itself
        where it is a pool depth or a number of documents; ``judged``, ``relevant``, ``topics`` and ``emptied`` (topics)
        count it. ``tau``, ``tau_ap``, ``rho`` and ``rbo`` compare the systems' means with those under all judgments,
        with ``_best`` among the best systems. ``score`` is the mean over systems, topics and replicates, and ``_full``
        that under all judgments, as with other figures. ``found``, ``contradicted`` and ``reversed`` are pairs that
        differ significantly, those of them that do not (in the same direction) under the full judgments, and those that
        do in the opposite one.
        ``undefined`` counts the replicates in which all systems tie, which the means leave out; ``tau_p_value`` is the
        largest over replicates. ``power`` is the share of significantly different pairs; ``contradicted_share`` is of
        those found. Standard errors of a single replicate are missing: its draws are random, but nothing tells how
        much. ``difference_required`` is that of bootstrap sensitivity, missing under other tests.
        """
        return self._frame.copy()

    @cached_property
    def _measured(self) -> xr.Dataset:
        """The data with the mean score and the power of every replicate."""
        return self.data.assign(score=self.data["mean"].mean("system"), power=self.data["found"] / self.n_pairs)

    @cached_property
    def _frame(self) -> pd.DataFrame:
        data, wanted = self._measured, [*_MEASURES, "score"]
        table = data[wanted].mean("replicate").to_dataframe(dim_order=["metric", "step"])
        table = table.join(standard_error(data[wanted], "replicate").to_dataframe().add_suffix("_se"))
        tested = data[["power", "found", "contradicted", "reversed", "difference_required"]]
        table = table.join(tested.mean("tested").to_dataframe())
        table = table.join(standard_error(tested[["power"]], "tested").to_dataframe().add_suffix("_se"))
        totals = tested.sum("tested").to_dataframe(dim_order=["metric", "step"])
        table["contradicted_share"] = totals["contradicted"] / totals["found"].where(totals["found"] > 0)
        table = table.join(data["tau_p_value"].max("replicate").to_dataframe())
        table = table.join(data["tau"].isnull().sum("replicate").to_dataframe(name="undefined"))  # noqa: PD003 - xarray
        table = table.reset_index()
        left = data[["judged", "relevant", "topics", "emptied"]].mean("replicate").to_dataframe()
        full = pd.DataFrame(
            {
                "score_full": data["reference"].mean("system").to_series(),
                "power_full": (data["found_full"] / self.n_pairs).to_series(),
                "difference_required_full": data["difference_required_full"].to_series(),
            }
        )
        table = table.merge(left, left_on="step", right_index=True).merge(full, left_on="metric", right_index=True)
        table = table.assign(
            reduction=self.reduction.name,
            unit=self.reduction.unit,
            judged_share=table["judged"] / self.n_judged,
            relevant_share=table["relevant"] / self.n_relevant,
            n_replicates=self.n_replicates,
            left=table["step"].map(dict(zip(self.steps, self._left(), strict=True))),
        )
        order = {name: position for position, name in enumerate(self.metrics)}
        table = table.sort_values(
            ["metric", "step"], key=lambda column: column.map(order) if column.name == "metric" else column
        )
        return table[list(_COLUMNS)].reset_index(drop=True)

    def errors(self) -> pd.DataFrame:
        """Return one row a metric and step: the Monte-Carlo standard error (``_error``) of every mean of `to_frame`.

        Where all replicates agree, of steps that leave them something to differ in, one more could show the smallest
        change there is: a swap of two systems, a pair more or less. That of ``tau_p_value``, the largest of them, is
        their standard deviation. All are missing of a single replicate, but for ``power_error`` and ``found_error``:
        of a single one that is tested they are those of its resamples, as ``power_full_error`` is.
        """
        return self._errors.copy()

    @cached_property
    def _errors(self) -> pd.DataFrame:
        data = self._measured
        parts = [self._error(name, "replicate") for name in (*_MEASURES, "score")]
        parts += [self._error(name, "tested") for name in ("power", *FOUND[:-1])]
        p_error = standard_error(data[["tau_p_value"]], "replicate")["tau_p_value"] * self.n_replicates**0.5
        frame = xr.merge([*parts, p_error.rename("tau_p_value_error")]).to_dataframe(dim_order=["metric", "step"])
        n_found, wrong = (
            data[name].sum("tested").transpose("metric", "step").to_series() for name in ("found", "contradicted")
        )
        among = [
            error_of_share(bad / all_of, all_of) if all_of else np.nan
            for bad, all_of in zip(wrong, n_found, strict=True)
        ]
        frame["contradicted_share_error"] = np.where(frame["found_error"].notna(), among, np.nan)
        if data.sizes["tested"] == 1:
            of_resamples = data["count_error"].isel(tested=0).transpose("metric", "step").to_series()
            frame = frame.assign(found_error=of_resamples, power_error=of_resamples / max(self.n_pairs, 1))
        full = (data["count_error_full"] / max(self.n_pairs, 1)).to_series().rename("power_full_error")
        frame = frame.join(full, on="metric")
        counted = (
            standard_error(data[["judged", "relevant", "topics"]], "replicate").to_dataframe().add_suffix("_error")
        )
        return frame.reset_index().merge(counted, left_on="step", right_index=True)

    @cached_property
    def _varied(self) -> xr.DataArray:
        """At which steps mean scores differ between replicates."""
        return standard_error(self._measured[["score"]], "replicate")["score"] > 0

    def _error(self, name: str, over: str) -> xr.DataArray:
        """Return the standard error of one mean, at least that of the smallest change where scores varied."""
        data, n_systems = self._measured, self.data.sizes["system"]
        least = dict.fromkeys(("found", "contradicted", "reversed"), 1.0) | {"power": 1.0 / max(self.n_pairs, 1)}
        for among, size in (("", n_systems), ("_best", min(self.top, n_systems))):
            least |= {f"{measure}{among}": change for measure, change in _swaps(size).items()}
        error = standard_error(data[[name]], over)[name]
        floor = least.get(name, 0.0) * error_of_share(0.0, max(data.sizes[over], 1)) * self._varied
        floor = floor.where(error.notnull())  # noqa: PD004 - xarray
        return error.where(error >= floor, floor).rename(f"{name}_error")

    def between_metrics(self) -> pd.DataFrame:
        """Return one row a pair of metrics: how alike they rank the systems under the full judgments.

        Columns metric_a, metric_b, tau and tau_ap (the ranking by metric_a is the reference) and p_value of tau.
        """
        directed = self.data["reference"].to_numpy() * self.data["sign"].to_numpy()[:, None]
        first, second = np.triu_indices(len(directed), 1)
        truth, estimate = directed[first], directed[second]
        return pd.DataFrame(
            {
                "metric_a": np.array(self.metrics)[first],
                "metric_b": np.array(self.metrics)[second],
                **{
                    name: np.asarray(CORRELATIONS[name](truth, estimate, undefined="nan")) for name in ("tau", "tau_ap")
                },
                "p_value": np.asarray(kendall_p_value(truth, estimate, undefined="nan")),
            }
        )

    def thresholds(self, *, measure: str = "tau", min_tau: float = THRESHOLD) -> pd.DataFrame:
        """Return for each metric the smallest step from which every larger one keeps the mean correlation.

        ``level`` is that step, ``left`` what it leaves, interpolated; of ranks, which may lie far apart, it is one of
        the steps. A mean over draws says nothing of one of them:
        ``kept`` is the share of the draws that keep the correlation there, and ``left_kept`` (with ``kind_kept``) what
        is left from where on 95 % of them do; missing where nothing is drawn, or once.
        """
        check_choice(measure, "measure of stability", _MEASURES)
        check_number(min_tau, "min_tau", above=-1, most=1)
        # a mean over the replicates that happen to be defined would say that a step holds what it lost in the others
        means = self.data[measure].mean("replicate", skipna=False).transpose("metric", "step").to_numpy()
        errors = self._error(measure, "replicate").transpose("metric", "step").to_numpy()
        left = self.data[["judged", "relevant", "topics"]].mean("replicate")
        kept = self.kept(measure=measure, min_tau=min_tau)
        rows = []
        for metric, values, error, shares in zip(self.metrics, means, errors, kept, strict=True):
            kind, position = self._place(values, min_tau)
            ends = [self._place(values + way * error, min_tau)[1] for way in (1.0, -1.0)]
            row: dict[str, object] = {"metric": metric, "kind": kind}
            for name, numbers in (
                ("level", np.array(self.steps)),
                ("left", self._left()),
                ("relevant", left["relevant"].to_numpy()),
                ("judged", left["judged"].to_numpy()),
                ("topics", left["topics"].to_numpy()),
            ):
                steps = np.arange(len(numbers))
                row[name] = float(np.interp(position, steps, numbers)) if np.isfinite(position) else np.nan
                if name != "level":
                    low, high = np.interp(ends, steps, numbers)
                    row[f"{name}_error"] = float(high - low) / 2.0
            steps = np.arange(len(shares))
            row["kept"] = float(np.interp(position, steps, shares)) if np.isfinite(position) else np.nan
            row["kind_kept"], most = smallest_place(shares, MOST_DRAWS)
            row["left_kept"] = float(np.interp(most, steps, self._left())) if np.isfinite(most) else np.nan
            rows.append({**row, "text": self._threshold_text(kind, row)})
        return pd.DataFrame(rows)

    def _place(self, values: NDArray[np.float64], min_tau: float) -> tuple[Kind, float]:
        """Return where steps begin to keep the correlation; a step itself where what lies between is not tried."""
        kind, position = smallest_place(values, min_tau)
        if kind == "interpolated" and self.reduction.unit == "ranks":
            return "observed", float(np.ceil(position))
        return kind, position

    def kept(self, *, measure: str = "tau", min_tau: float = THRESHOLD) -> NDArray[np.float64]:
        """Return the share of the draws that keep the correlation: an array (metric, step), NaN where none tells."""
        values = self.data[measure].transpose("metric", "step", "replicate").to_numpy()
        told = np.isfinite(values).all(axis=2) & self.reduction.random & (self.n_replicates > 1)
        return np.where(told, reaches(values, min_tau, 1.0).mean(axis=2), np.nan)

    def _threshold_text(self, kind: str, row: Mapping[str, Any]) -> str:
        if kind == "undefined":
            return "n/a"
        sign = {"below smallest": "<", "above largest": ">"}.get(kind, "")
        unit = " %" if self.reduction.unit == "%" else ""
        left = f"{row['left']:.0f}" if not sign else f"{row['left']:.3g}"
        counted = "topics" if self.reduction.share_of == "topics" else "relevant"
        return f"{sign}{left}{unit} ({sign}{row[counted]:,.0f} {counted})"

    def _left(self) -> NDArray[np.float64]:
        """Return for each step what is left in fact, in the reduction's unit."""
        full = {"judged documents": self.n_judged, "relevant documents": self.n_relevant, "topics": self.n_topics}
        counted = self.reduction.share_of
        if self.reduction.unit != "%" or counted not in full:
            return np.array(self.steps)
        left = self.data[counted.removesuffix(" documents")].mean("replicate").to_numpy()
        return np.asarray(100 * left / full[counted])

    def _draw(self, measure: str = "tau") -> Figure:
        """Draw the correlation with the full ranking against the step, a line for every metric."""
        from metaeval.figures.judgments import stability_panels  # noqa: PLC0415 - matplotlib

        return stability_panels(self.to_frame(), measures=[measure], min_tau=THRESHOLD)


FOUND = ("found", "contradicted", "reversed", "difference_required", "count_error")
"""What a replicate that is tested holds for every step and metric."""
_MEASURES = tuple(f"{name}{among}" for among in ("", "_best") for name in CORRELATIONS)


def _swaps(n_systems: int) -> dict[str, float]:
    """Return by how much the correlations fall when the two last of so many systems swap their places."""
    n = max(n_systems, 2)
    tau = 4.0 / (n * (n - 1))
    return {
        "tau": tau,
        "tau_ap": 2.0 / (n - 1) ** 2,
        "rho": 12.0 / (n * (n**2 - 1)),
        "rbo": 0.1 * 0.9 ** (n - 2) / (n - 1),
    }


def smallest_place(values: NDArray[np.float64], bound: float) -> tuple[Kind, float]:
    """Return where an ascending series of steps begins to stay at the bound or above, as a place between steps.

    Examples
    --------
    >>> smallest_place(np.array([0.5, 0.8, 1.0]), 0.9)
    ('interpolated', 1.5)
    >>> smallest_place(np.array([0.95, 0.8, 0.85]), 0.9)
    ('above largest', 2.0)

    What is not defined (NaN) may be below the bound: the place is undefined if it hangs on that.

    >>> smallest_place(np.array([np.nan, 0.8, 1.0]), 0.9), smallest_place(np.array([0.5, np.nan, 1.0]), 0.9)
    (('interpolated', 1.5), ('undefined', nan))
    """
    failing = np.flatnonzero(~reaches(values, bound, 1.0))  # correlations are sums of terms that make at most 1
    if not len(failing):
        return "below smallest", 0.0
    last = int(failing[-1])
    if np.isnan(values[last]):
        return "undefined", float("nan")
    if last == len(values) - 1:
        return "above largest", float(last)
    if reaches(bound, values[last + 1], 1.0):
        return "observed", float(last + 1)
    return "interpolated", last + float((bound - values[last]) / (values[last + 1] - values[last]))


def standard_error(data: xr.Dataset, over: str) -> xr.Dataset:
    """Return the standard error of means over a dimension: of the values that are there, missing for a single one."""
    if data.sizes[over] == 1:
        return data.mean(over) * np.nan
    with warnings.catch_warnings():  # of fewer than two values, whose error is NaN: older xarray says so aloud
        warnings.filterwarnings("ignore", "Degrees of freedom", RuntimeWarning)
        return data.std(over, ddof=1) / np.sqrt(data.count(over))
