"""What chance makes of an agreement: the same labels dealt again, and intervals that no test would contradict.

An interval of an agreement from resamples, or from leaving out units, is of no use where a label is rare: two judges
who each gave it to 3 of 60 items overlap nowhere in every resample, as they would by chance.
"""

from typing import NamedTuple

import numpy as np

from metaeval.agreement.label_statistics import kappa_weights
from metaeval.base.arrays import Flags, Floats

_ROUNDING = 1e-9
_DEALS = 10_000
_CLEAR = 40.0
"""By Cantelli's inequality chance is beyond so many squared standard deviations with a probability of 1/41 at most."""
_TWO = 2


class Dealt(NamedTuple):
    """A figure where the same labels are dealt to the same cells again and again."""

    figures: Floats
    exact: bool
    """Whether these are all the ways to deal; else some at random."""

    def share(self, reached: Flags) -> float:
        """Return how often chance does something: never 0 where ways were drawn."""
        return float(np.mean(reached) if self.exact else (np.sum(reached) + 1.0) / (len(reached) + 1.0))


def ends_and_chance(  # noqa: PLR0913, PLR0917 - a figure with its interval, and what chance makes of it
    value: float, low: float, high: float, dealt: Dealt | None, least: float, confidence_level: float
) -> dict[str, float]:
    """Return the ends of an interval, taken across 0 where chance reaches the value too often, and how often it does.

    Examples
    --------
    >>> ends_and_chance(1.0, 0.2, 1.0, Dealt(np.array([1.0] * 2 + [-0.2] * 19), True), -1.0, 0.95)
    {'low': -1.0, 'high': 1.0, 'chance': 0.09523809523809523}
    """
    if dealt is None or not np.isfinite(value):
        return {"low": low, "high": high, "chance": np.nan}
    above, below = (dealt.share(sign * dealt.figures >= sign * value - _ROUNDING) for sign in (1.0, -1.0))
    limit = (1.0 - confidence_level) / 2.0
    ordered = np.sort(dealt.figures)
    n = int(np.floor(limit * len(ordered) * (1.0 + _ROUNDING)))  # so many may lie beyond a bound
    if low > 0.0 and above > limit:
        beyond = ordered[ordered > ordered[len(ordered) - 1 - n] + _ROUNDING]
        low = max(value - float(beyond[0]), least) if len(beyond) else least
    if high < 0.0 and below > limit:
        beyond = ordered[ordered < ordered[n] - _ROUNDING]
        # of labels too rare for less, the other tail tells how far chance reaches
        reach = -float(beyond[-1]) if len(beyond) else max(float(ordered[len(ordered) - 1 - n]), -value)
        high = min(value + reach, 1.0)
    return {"low": low, "high": high, "chance": above}


def dealt_kappas(table: Floats, scale: Floats, generator: np.random.Generator) -> dict[str, Dealt]:
    r"""Return every kappa of two judges (first in rows) where the labels of one are shuffled over the items.

    Exact for two labels (hypergeometric), else drawn; without those kappas that are far from chance whatever the draws:
    by Cantelli's inequality chance reaches :math:`z` standard deviations with a probability of :math:`1 / (1 + z^2)` at
    most.

    Examples
    --------
    >>> table = np.array([[53.0, 3.0], [4.0, 0.0]])
    >>> dealt = dealt_kappas(table, np.array([0.0, 1.0]), np.random.default_rng(0))["kappa"]
    >>> round(dealt.share(dealt.figures <= -0.06), 2)  # of 60 items 3 and 4, in common none: comb(56, 3) / comb(60, 3)
    0.81
    """
    table = max(table, table.T, key=lambda cells: cells.ravel().tolist())  # the same draws, whoever is first
    rows, columns, n = table.sum(axis=1), table.sum(axis=0), table.sum()
    near = {}
    for name, weights in kappa_weights(scale).items():
        mean = rows @ weights @ columns / n
        row, column = (weights - (weights @ columns / n)[:, None]), rows / n
        centred = row - (column @ row)[None, :]
        variance = (rows @ centred**2 @ columns) / max(n - 1.0, 1.0)
        apart = ((table * weights).sum() - mean) ** 2
        if mean > 0.0 and apart < _CLEAR * variance:
            near[name] = weights / mean
    if not near:
        return {}
    tables, exact = _shuffled(rows, columns, generator)
    return {name: Dealt(1.0 - (tables * weights).sum(axis=(1, 2)), exact) for name, weights in near.items()}


def _shuffled(rows: Floats, columns: Floats, generator: np.random.Generator) -> tuple[Floats, bool]:
    """Return tables with these sums as chance makes them, and whether their shares are those of all ways."""
    from scipy.stats import hypergeom, random_table  # noqa: PLC0415 - a second

    at_row, at_column = (np.flatnonzero(sums) for sums in (rows, columns))
    tables = np.zeros((_DEALS, len(rows), len(columns)))
    if len(at_row) != _TWO or len(at_column) != _TWO:
        drawn = random_table(rows[at_row].astype(int), columns[at_column].astype(int)).rvs(
            _DEALS, random_state=generator
        )
        tables[:, at_row[:, None], at_column] = drawn
        return tables, False
    first, second, n = rows[at_row[1]], columns[at_column[1]], rows.sum()
    in_common = hypergeom(int(n), int(first), int(second)).ppf((np.arange(_DEALS) + 0.5) / _DEALS)
    tables[:, at_row[1], at_column[1]] = in_common
    tables[:, at_row[1], at_column[0]] = first - in_common
    tables[:, at_row[0], at_column[1]] = second - in_common
    tables[:, at_row[0], at_column[0]] = n - first - second + in_common
    return tables, True
