r"""How much a system's mean would change from run to run, from the runs of it that there are.

A score of system s on item i in run r is :math:`y_{sir} = \mu_s + \tau_i + (\mu\tau)_{si} + \rho_{r(s)} + e_{sir}`: a
run, such as a training with another seed, moves all items of its system. With :math:`s_\rho^2` the variance of the k
means of runs and :math:`s_m^2` that which single items make of one such mean, the mean over all has
:math:`v = \max(0, s_\rho^2 - s_m^2) / k` of runs that no number of items takes away, with Satterthwaite's degrees of
freedom, :math:`v^2 / ((s_\rho^2 / k)^2 / (k - 1) + (s_m^2 / k)^2 / ((k - 1)(n - 1)))`. Runs of two systems have nothing
in common, not even under one seed, which is on the safe side where they have; a system with one run has the pooled
variance of the others' runs. Repeats of single items (epochs, samples) and judges are no runs: `no_runs`.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import fdtrc

from metaeval.base.arrays import Floats, Ints
from metaeval.base.columns import JUDGES, underscored
from metaeval.base.names import first_few, natural_order
from metaeval.base.notes import NoRuns, RunVariances
from metaeval.running.equality import RELATIVE
from metaeval.table.roles import SINGLE_REPEATS
from metaeval.table.two_way import linked, two_way

_LEAST = 1e-9
"""Degrees of freedom of what can hardly be told from nothing."""


class _OfSystem(NamedTuple):
    """What the runs of one system say under one metric."""

    k: int
    """How many there are; 1 where they cannot be compared, because they are on items of their own."""
    between: float
    """Variance of their means."""
    within: float
    """The part of it that single items make, and its degrees of freedom."""
    spare: float

    @property
    def excess(self) -> float:
        """The variance of a run, less than 0 where single items make more than there is."""
        return self.between - self.within

    def of_mean(self) -> tuple[float, float]:
        """Return the variance that runs add to the mean over them, and its degrees of freedom."""
        if self.excess <= 0.0:
            return 0.0, self.k - 1.0
        over = self.between**2 / (self.k - 1) + self.within**2 / self.spare
        return self.excess / self.k, max(self.excess**2 / over, _LEAST)


def note_of_runs(words: str, scores: xr.DataArray, weights: Floats) -> RunVariances:
    """Return a note with these words, and with what runs add to the variances of means over items.

    Shapes: `scores` (metric, system, topic, repeat), `weights` (topic,).

    Examples
    --------
    >>> values = [[[[0.2, 0.4], [0.4, 0.6], [0.6, 0.8]], [[0.5, 0.5], [0.5, 0.5], [0.2, 0.2]]]]
    >>> named = {"metric": ["m"], "system": ["a", "b"]}
    >>> scores = xr.DataArray(values, dims=("metric", "system", "topic", "repeat"), coords=named)
    >>> found = note_of_runs("means", scores, np.ones(3)).runs["m"]
    >>> {name: round(runs["variance"], 9) for name, runs in found.items()}
    {'a': 0.01, 'b': 0.0}
    """
    systems, runs, once = scores["system"].to_numpy().tolist(), {}, set()
    for metric, of_systems in zip(scores["metric"].to_numpy().tolist(), _of_systems(scores, weights), strict=True):
        several = [of for of in of_systems if of.k > 1]
        if not several:
            continue
        freedom = sum(of.k - 1.0 for of in several)
        pooled = max(0.0, sum(of.excess * (of.k - 1) for of in several) / freedom), freedom
        known = [_entry(of, pooled) for of in of_systems]
        once |= {name for name, of in zip(systems, of_systems, strict=True) if of.k == 1}
        runs[metric] = dict(zip(systems, known, strict=True))
    if once and runs:
        words += f"; the runs of {first_few(natural_order(once))} are taken to differ as those of the others"
    return RunVariances(words, runs)


def _entry(of: _OfSystem, pooled: tuple[float, float]) -> dict[str, float]:
    """Return what is noted of a system."""
    variance, freedom = of.of_mean() if of.k > 1 else pooled
    noted = {"variance": variance, "freedom": freedom}
    if of.k > 1:
        n_units = of.spare / (of.k - 1.0) + 1.0
        noted |= {"repeats": float(of.k), "run": of.excess, "score": of.within * n_units, "means": of.between}
    return noted


def no_runs(column: str) -> list[NoRuns]:
    """Say that what a column numbers are no runs of whole systems, by its name; nothing of seeds, runs and trials.

    Examples
    --------
    >>> no_runs("seed"), no_runs("Epoch"), len(no_runs("annotator"))
    ([], ["'Epoch' numbers repeats of single items, not runs of whole systems"], 1)
    """
    name = underscored(column)
    if name in SINGLE_REPEATS:
        return [NoRuns(f"{column!r} numbers repeats of single items, not runs of whole systems")]
    return [NoRuns(f"{column!r} names who judged, so that means hold for these alone")] if name in JUDGES else []


def run_variances(notes: object, metrics: list[str], systems: list[str]) -> tuple[Floats, Floats] | None:
    """Return what runs add to variances of means, and degrees of freedom: (metric, system); None if there are no runs.

    Examples
    --------
    >>> note = RunVariances("means over 3 repeats", {"m": {"a": {"variance": 0.1, "freedom": 2.0}}})
    >>> run_variances([note], ["m"], ["a", "b"])
    (array([[0.1, 0. ]]), array([[ 2., inf]]))
    """
    known = known_runs(notes)
    if not known.keys() & {*metrics}:
        return None
    cells = [[known.get(metric, {}).get(system, {}) for system in systems] for metric in metrics]
    variance, freedom = (
        np.array([[cell.get(name, none) for cell in row] for row in cells], dtype=np.float64)
        for name, none in (("variance", 0.0), ("freedom", np.inf))
    )
    return variance, freedom


def known_runs(notes: object) -> dict[str, Mapping[str, Mapping[str, float]]]:
    """Return what notes say of runs, by metric and system; nothing where these are no means over runs."""
    known: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for note in notes if isinstance(notes, list | tuple) else ():
        known |= note.runs if isinstance(note, RunVariances) else {}
    return known


def runs_move(scores: xr.DataArray) -> bool:
    """Say whether these are means over runs that add to the variance of some mean.

    Examples
    --------
    >>> note = RunVariances("means over 3 repeats", {"m": {"a": {"variance": 0.1, "freedom": 2.0}}})
    >>> named = {"metric": ["m"], "system": ["a"]}
    >>> scores = xr.DataArray(np.ones((1, 1, 2)), dims=("metric", "system", "topic"), coords=named)
    >>> runs_move(scores), runs_move(scores.assign_attrs(notes=[note]))
    (False, True)
    """
    names = (scores[dim].to_numpy().tolist() for dim in ("metric", "system"))
    known = run_variances(scores.attrs.get("notes"), *names)
    return known is not None and bool(known[0].any())


def runs_differ(scores: xr.DataArray, weights: Floats) -> dict[str, tuple[float, float]]:
    """Return by metric F and p of the hypothesis that runs differ by no more than single items make them, if known.

    Shapes as in `note_of_runs`. The variances of all systems are pooled by their degrees of freedom.

    Examples
    --------
    >>> values = [[[[0.2, 0.4], [0.4, 0.6], [0.6, 0.9]], [[0.5, 0.5], [0.5, 0.6], [0.2, 0.1]]]]
    >>> named = {"metric": ["m"], "system": ["a", "b"]}
    >>> scores = xr.DataArray(values, dims=("metric", "system", "topic", "repeat"), coords=named)
    >>> [round(value, 3) for value in runs_differ(scores, np.ones(3))["m"]]
    [12.25, 0.02]
    """
    told = {}
    for metric, of_systems in zip(scores["metric"].to_numpy().tolist(), _of_systems(scores, weights), strict=True):
        between, within = (sum(getattr(of, side) * (of.k - 1) for of in of_systems) for side in ("between", "within"))
        if within > 0.0:
            freedom = sum(of.k - 1.0 for of in of_systems), sum(of.spare for of in of_systems)
            told[metric] = between / within, float(fdtrc(*freedom, between / within))
    return told


def _of_systems(scores: xr.DataArray, weights: Floats) -> list[list[_OfSystem]]:
    """Return what the runs of each system say under each metric."""
    unit = np.arange(scores.sizes["topic"])
    if "cluster" in scores.coords:
        unit = np.unique(scores["cluster"].to_numpy(), return_inverse=True)[1]
    return [[_of_system(values, weights, unit) for values in of_metric] for of_metric in scores.to_numpy()]


def _of_system(values: Floats, weights: Floats, unit: Ints) -> _OfSystem:
    """Compare the runs of a system. Shapes: `values` (topic, repeat), `weights` and `unit` (topic,)."""
    there = np.isfinite(values)
    values, there = values[:, there.any(axis=0)], there[:, there.any(axis=0)]
    k = values.shape[1]
    n_units = len(np.unique(unit[there.sum(axis=1) > 1]))
    if k < 2 or n_units < 2 or not linked(there.T).all():  # noqa: PLR2004 - a spread takes two
        return _OfSystem(1, 0.0, 0.0, 0.0)
    share = weights / weights.sum()
    if there.all():
        means = share @ values
        influence = (values - values.mean(axis=1, keepdims=True) - means + means.mean()) * share[:, None]
    else:
        fit = two_way(values.T, weights)
        means, items = fit.means, there * share[:, None]
        influence = np.where(there, values - fit.topics[:, None] - means, 0.0) * items / items.sum(axis=0)
    sums = np.zeros((unit.max() + 1, k))
    np.add.at(sums, unit, influence)
    within = float((sums**2).sum()) / (k - 1) * n_units / (n_units - 1)
    between = float(means.var(ddof=1))
    alike = between <= (RELATIVE * float(np.abs(means).max())) ** 2
    return _OfSystem(k, 0.0 if alike else between, within, (k - 1.0) * (n_units - 1.0))
