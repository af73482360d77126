r"""How much a system's mean would change from run to run, from the runs of it that there are.

A score of system s on item i in run r is :math:`y_{sir} = \mu_s + \tau_i + (\mu\tau)_{si} + \rho_{r(s)} + e_{sir}`: a
run, such as a training with another seed, moves all items of its system. With :math:`s_\rho^2` the variance of the k
means of runs and :math:`s_m^2` that which single items make of one such mean, the mean over all has
:math:`v = \max(0, s_\rho^2 - s_m^2) / k` of runs that no number of items takes away, with Satterthwaite's degrees of
freedom, :math:`v^2 / ((s_\rho^2 / k)^2 / (k - 1) + (s_m^2 / k)^2 / ((k - 1)(n - 1)))`. Runs of two systems have nothing
in common, not even under one seed, which is on the safe side where they have; a system with one run has the pooled
variance of the others' runs.
"""

from collections.abc import Mapping

import numpy as np
import xarray as xr

from metaeval.base.arrays import Floats, Ints
from metaeval.base.names import first_few, natural_order
from metaeval.base.notes import RunVariances
from metaeval.running.equality import RELATIVE
from metaeval.table.two_way import linked, two_way


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
    unit = _numbered(scores)
    systems, runs, once = scores["system"].to_numpy().tolist(), {}, set()
    for metric, of_metric in zip(scores["metric"].to_numpy().tolist(), scores.to_numpy(), strict=True):
        variances = np.array([_of_system(values, weights, unit) for values in of_metric])
        several = variances[:, 1] > 0.0
        if not several.any():
            continue
        freedom = variances[several, 2] - 1.0
        pooled = max(0.0, float((variances[several, 3] * freedom).sum() / freedom.sum()))
        variances[~several, 0] = pooled / variances[~several, 2]
        variances[~several, 1] = freedom.sum()
        once |= {name for name, known in zip(systems, several, strict=True) if not known}
        runs[metric] = {
            name: {"variance": float(row[0]), "freedom": float(row[1])}
            for name, row in zip(systems, variances, strict=True)
        }
    if once and runs:
        words += f"; the runs of {first_few(natural_order(once))} are taken to differ as those of the others"
    return RunVariances(words, runs)


def run_variances(notes: object, metrics: list[str], systems: list[str]) -> tuple[Floats, Floats] | None:
    """Return what runs add to variances of means, and degrees of freedom: (metric, system); None if there are no runs.

    Examples
    --------
    >>> note = RunVariances("means over 3 repeats", {"m": {"a": {"variance": 0.1, "freedom": 2.0}}})
    >>> run_variances([note], ["m"], ["a", "b"])
    (array([[0.1, 0. ]]), array([[ 2., inf]]))
    """
    known: dict[str, Mapping[str, Mapping[str, float]]] = {}
    for note in notes if isinstance(notes, list | tuple) else ():
        known |= note.runs if isinstance(note, RunVariances) else {}
    if not known.keys() & {*metrics}:
        return None
    cells = [[known.get(metric, {}).get(system, {}) for system in systems] for metric in metrics]
    variance, freedom = (
        np.array([[cell.get(name, none) for cell in row] for row in cells], dtype=np.float64)
        for name, none in (("variance", 0.0), ("freedom", np.inf))
    )
    return variance, freedom


def _numbered(scores: xr.DataArray) -> Ints:
    """Return the number of each topic's cluster; without clusters that of the topic."""
    if "cluster" not in scores.coords:
        return np.arange(scores.sizes["topic"])
    return np.unique(scores["cluster"].to_numpy(), return_inverse=True)[1]


def _of_system(values: Floats, weights: Floats, unit: Ints) -> tuple[float, float, float, float]:
    """Return variance and freedom of the mean over runs, their number, and the variance of one, not cut off at 0.

    Freedom is 0 where runs cannot be compared: one alone, or on items of their own. Shapes: `values` (topic, repeat).
    """
    there = np.isfinite(values)
    values, there = values[:, there.any(axis=0)], there[:, there.any(axis=0)]
    k = values.shape[1]
    n_units = len(np.unique(unit[there.sum(axis=1) > 1]))
    if k < 2 or n_units < 2 or not linked(there.T).all():  # noqa: PLR2004 - a spread takes two
        return 0.0, 0.0, float(max(k, 1)), 0.0
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
    between = float(means.var(ddof=1))
    within = float((sums**2).sum()) / (k - 1) * n_units / (n_units - 1)
    size = float(np.abs(means).max())
    if between <= (RELATIVE * size) ** 2:
        return 0.0, k - 1.0, float(k), -within
    excess = between - within
    freedom = excess**2 / (between**2 / (k - 1) + within**2 / ((k - 1) * (n_units - 1)))
    return max(0.0, excess) / k, max(freedom, 1e-9) if excess > 0.0 else k - 1.0, float(k), excess
