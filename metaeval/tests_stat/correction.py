"""Corrections for testing many pairs at once; statsmodels does the arithmetic.

The family is, for every test, all the pairs of one metric. With ``alternative="better"`` both directions of every
pair are hypotheses, so the family has twice as many members.
"""

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import UnknownNameError

__all__ = ["CORRECTIONS", "FAMILY_WISE", "adjust", "smallest_useful_count"]

CORRECTIONS = ("none", "bonferroni", "holm", "fdr_bh", "fdr_by")
"""What `adjust` knows, in teaching order."""

FAMILY_WISE = "family-wise"
"""Name of the p-values that a test adjusts itself (randomised max-t, Tukey's HSD)."""


def adjust(p_values: NDArray[np.float64], correction: str) -> NDArray[np.float64]:
    """Return adjusted p-values: reject where they are at most alpha.

    Parameters
    ----------
    p_values : array (..., hypothesis)
        Every row along the last axis is one family.
    correction : str
        "none", "bonferroni", "holm", "fdr_bh" (Benjamini and Hochberg 1995) or "fdr_by" (Benjamini and Yekutieli
        2001, valid under any dependence, hence the default for pairs that share systems).

    Returns
    -------
    array of the shape of `p_values`

    Raises
    ------
    UnknownNameError
        For another correction.

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04]), "bonferroni")
    array([0.02, 0.08])
    """
    if correction not in CORRECTIONS:
        raise UnknownNameError("correction", correction, (*CORRECTIONS, FAMILY_WISE))
    if correction == "none" or not p_values.size:
        return p_values.copy()
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - a second to import

    families = p_values.reshape(-1, p_values.shape[-1])
    adjusted = np.stack([multipletests(family, method=correction)[1] for family in families])
    return adjusted.reshape(p_values.shape)


def smallest_useful_count(smallest_p: float, *, n_hypotheses: int, correction: str, alpha: float) -> int:
    """Return how many hypotheses must share the smallest possible p before a correction can reject any.

    A resampled p-value cannot fall below 1/(B + 1). Under a step-up correction that is low enough only when at
    least so many hypotheses reach it; 1 means that a single one suffices, and a number above `n_hypotheses` that
    nothing can ever be rejected with so few resamples.

    Examples
    --------
    >>> smallest_useful_count(1 / 1001, n_hypotheses=8256, correction="fdr_by", alpha=0.05)
    1583
    """
    if correction == "none":
        return 1 if smallest_p <= alpha else n_hypotheses + 1
    if correction in ("bonferroni", "holm"):
        return 1 if smallest_p * n_hypotheses <= alpha else n_hypotheses + 1
    harmonic = float(np.sum(1 / np.arange(1, n_hypotheses + 1))) if correction == "fdr_by" else 1.0
    return max(1, int(np.ceil(smallest_p * n_hypotheses * harmonic / alpha - 1e-9)))
