"""One error a system from which any two can be compared: quasi-variances, for boards that print means with errors."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.base.words import span, two_digits
from metaeval.running.parallel import in_one_order
from metaeval.table.structure import engine_scores, mean_over_topics
from metaeval.table.traits import WHOLE
from metaeval.table.units import units_of
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.robust import difference_estimates

_USUAL = 0.9
"""Of pairs, how far errors are off usually."""
_NOTHING, _STEPS = 1e-6, 6
_LEAST = 1e-12
"""Share of the mean variance at which a quasi-variance starts at least."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuasiErrors(Result):
    """Quasi-standard errors of systems under every metric."""

    table: pd.DataFrame
    """See `to_frame`."""
    off: pd.DataFrame
    """One row a ``metric``: the standard error of a difference from quasi-errors over its own one, less 1, where it is
    least (``lowest``) and most (``highest``) of all pairs, and its size in nine pairs of ten (``usual``); NaN where no
    pair varies."""

    def _found(self) -> str:
        words = [
            f"{span(rows['system'], rows['quasi_error'], map(two_digits, rows['quasi_error']))} under {metric}"
            for metric, rows in self.table.groupby("metric", sort=False)
        ]
        return f"the quasi-standard error of a mean is {first_few(words)}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a ``metric`` and ``system``: its ``mean`` and its ``quasi_error``, in the metric's unit."""
        return self.table.copy()


@in_one_order
def quasi_errors(scores: object) -> QuasiErrors:
    r"""Return one error a system from which anyone can compare any two systems of a board.

    A standard error beside a mean says how far that mean may be off, and not whether two systems differ: both were
    scored on the same items, and what is hard for one is hard for the other. A quasi-error [1]_ does: the error of a
    difference is :math:`\sqrt{q_a^2 + q_b^2}`, nearly that of the paired test, for every pair. A board that prints
    means with these can be read as one with independent errors, by `metaeval leaderboard` too.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        Clusters, strata, weights and gaps are taken into account as in `metaeval.paired_t_test`.

    Returns
    -------
    QuasiErrors
        ``to_frame()`` has one row a ``metric`` and ``system``: ``mean`` and ``quasi_error``; ``off`` says how far the
        error of a difference may be off. Systems that differ from no other have no quasi-error (NaN).

    Raises
    ------
    ScoresError

    See Also
    --------
    metaeval.paired_t_test : the differences themselves
    metaeval.study_leaderboard

    Notes
    -----
    With :math:`v_{ab}` the squared standard error of the difference of two systems, the :math:`q^2` are those of least
    :math:`\sum_{a < b} (\log(q_a^2 + q_b^2) - \log v_{ab})^2`: relative errors count alike, whatever their sign. Three
    systems have an exact solution where it is positive; pairs that differ by a constant or not at all are left out.

    References
    ----------
    .. [1] Firth and De Menezes (2004). Quasi-variances. Biometrika 91, 65-80. :doi:`10.1093/biomet/91.1.65`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> quasi = quasi_errors(simulate_scores(n_systems=3, n_topics=50, metrics=["AP"], rng=1))
    >>> quasi.to_frame()["quasi_error"].round(4).tolist()
    [0.0126, 0.0128, 0.0128]
    """
    scores = engine_scores(scores, uses=WHOLE, what="quasi-errors")
    units, values = units_of(scores), scores.to_numpy()
    first, second = all_pairs(values.shape[1])
    variances = difference_estimates(values, units, first, second).error ** 2
    means, systems = mean_over_topics(scores), scores["system"].to_numpy()
    tables, off = [], []
    for metric, mean, variance in zip(scores["metric"].to_numpy().tolist(), means, variances, strict=True):
        square = np.zeros((len(systems), len(systems)))
        square[first, second] = square[second, first] = variance
        errors = np.sqrt(_quasi_variances(square))
        tables.append(pd.DataFrame({"metric": metric, "system": systems, "mean": mean, "quasi_error": errors}))
        varies = variance > 0.0
        ratios = np.hypot(errors[first], errors[second])[varies] / np.sqrt(variance[varies]) - 1.0
        sizes = (ratios.min(), ratios.max(), np.quantile(np.abs(ratios), _USUAL)) if varies.any() else (np.nan,) * 3
        off.append((metric, *sizes))
    return QuasiErrors(
        table=pd.concat(tables, ignore_index=True),
        off=pd.DataFrame(off, columns=["metric", "lowest", "highest", "usual"]),
    )


def _quasi_variances(square: Floats) -> Floats:
    """Return the quasi-variances of systems whose differences have these variances (system, system)."""
    from scipy.optimize import minimize  # noqa: PLC0415 - only who asks pays for it

    varies = square > 0.0
    usable = np.flatnonzero(varies.any(axis=1))
    answer = np.full(len(square), np.nan)
    if not len(usable):
        return answer
    part, asked = square[np.ix_(usable, usable)], varies[np.ix_(usable, usable)]
    n = len(usable)
    scale = float(part[asked].mean())
    rows = part.sum(axis=1) / scale
    total = rows.sum() / (2.0 * n - 2.0)
    start = np.log(np.maximum((rows - total) / max(n - 2, 1), _LEAST) if n > 2 else np.full(n, 0.5))  # noqa: PLR2004 - two have half of one variance each
    with np.errstate(divide="ignore"):
        target = np.log(part / scale)

    def distance(logs: Floats) -> tuple[float, Floats]:
        quasi = np.exp(logs)
        sums = quasi[:, None] + quasi
        residual = np.where(asked, np.log(sums) - np.where(asked, target, 0.0), 0.0)
        return float((residual**2).sum() / 2.0), 2.0 * quasi * (residual / sums).sum(axis=1)

    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-11}
    fitted = minimize(distance, start, jac=True, method="L-BFGS-B", options=options)
    answer[usable] = _settled(np.exp(fitted.x), np.where(asked, target, np.nan)) * scale
    return answer


def _settled(quasi: Floats, target: Floats) -> Floats:
    """Return the same to the last digits: those that go to 0 are 0, the others by Newton's steps from where they are.

    Shapes: `quasi` (system,); `target` (system, system), the logarithms of the variances, NaN where there is none.
    """
    free = np.flatnonzero(quasi > _NOTHING * quasi.max())
    quasi = np.where(quasi > _NOTHING * quasi.max(), quasi, 0.0)
    for _ in range(_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            sums = quasi[:, None] + quasi
            residual = np.log(sums) - target
            slopes, bends = np.nan_to_num(residual / sums), np.nan_to_num((1.0 - residual) / sums**2)
        bends = bends + np.diag(bends.sum(axis=1))
        step = np.linalg.lstsq(bends[np.ix_(free, free)], slopes.sum(axis=1)[free])[0]
        if not np.isfinite(step).all() or (step >= quasi[free]).any():
            return quasi
        quasi[free] -= step
    return quasi
