"""Columns that go with none of the others over the rows, where the others go with each other."""

import numpy as np
import pandas as pd

from metaeval.base.arrays import Flags, Floats

_FEWEST_ROWS, _FEWEST_COLUMNS, _MOST_COLUMNS = 12, 3, 200
_RELATED, _SURELY, _WEAKER = 2.33, 3.5, 1.64
"""Quantiles of the normal distribution: from 0.01 on there is no sign that a column goes with others; all others do
beyond chance (0.0002), and more than it (0.05)."""


@np.errstate(invalid="ignore", divide="ignore")
def unrelated(values: Floats, *, surely: bool = True) -> list[int]:
    """Return the places of the columns, fewer than the others, that do not rise with the others, which rise together.

    Decides by rank correlations (Spearman) with the mean standardised rank of the others, each but for itself: from
    all columns the weakest is left out until the rest go together, and what was left out is compared with them. Each
    of the rest has to be significantly correlated with the others, and significantly more so than an unrelated one
    is, but for `surely`; few rows say nothing. `values` has the shape (row, column), NaN where there is none; so the
    sign of a scale matters, and its unit does not.

    Examples
    --------
    >>> ann = np.arange(20.0)
    >>> unrelated(np.array([ann, ann % 9, ann**2, -ann + 1.5 * (ann % 5)]).T)
    []
    >>> unrelated(np.array([ann, ann + ann % 3, ann**2, ann % 4]).T)
    [3]
    """
    present = np.isfinite(values)
    low, high = np.nanmin(values, axis=0, initial=np.inf), np.nanmax(values, axis=0, initial=-np.inf)
    varying = np.flatnonzero((present.sum(axis=0) >= _FEWEST_ROWS) & (low < high))
    if not _FEWEST_COLUMNS <= len(varying) <= _MOST_COLUMNS:
        return []
    ranks = pd.DataFrame(values[:, varying]).rank().to_numpy()
    ranks = (ranks - np.nanmean(ranks, axis=0)) / np.nanstd(ranks, axis=0)
    together = np.ones(len(varying), dtype=bool)
    while together.sum() > 1:
        strengths = _strengths(ranks, together)
        among = np.flatnonzero(together)
        weakest = among[np.argmin(strengths[among])]
        if strengths[weakest] >= _RELATED:
            break
        together[weakest] = False
    if together.sum() <= 1:
        return []
    least = strengths[together].min()
    far = [at for at in np.flatnonzero(~together) if strengths[at] < _RELATED]
    if surely:
        far = [at for at in far if least > _SURELY and least - strengths[at] > _WEAKER * np.sqrt(2)]
    return varying[far].tolist() if together.sum() > len(far) else []


def _strengths(ranks: Floats, together: Flags) -> Floats:
    """Return how many standard errors each column's correlation with the mean of those together, without it, is."""
    present = np.isfinite(ranks)
    filled = np.where(present, ranks, 0.0)
    total = filled[:, together].sum(axis=1)[:, None] - filled * together
    n_others = present[:, together].sum(axis=1)[:, None] - (present & together)
    rows = present & (n_others > 0)
    mean = np.where(rows, total / n_others, 0.0)
    ranked, n_rows = np.where(rows, ranks, 0.0), np.maximum(rows.sum(axis=0), 1)
    ranked, mean = ((side - side.sum(axis=0) / n_rows) * rows for side in (ranked, mean))
    r = (ranked * mean).sum(axis=0) / np.sqrt((ranked**2).sum(axis=0) * (mean**2).sum(axis=0))
    return np.nan_to_num(np.arctanh(np.clip(r, -1, 1) * (1 - 1e-9)) * np.sqrt(np.maximum(n_rows - 3, 0)))
