"""Corrections for testing many pairs at once; statsmodels does the arithmetic.

The family is, for every test, all the pairs of one metric. With ``alternative="better"`` both directions of every
pair are hypotheses, so the family has twice as many members.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from metaeval.errors import InvalidOptionError, UnknownNameError

__all__ = ["CORRECTIONS", "FAMILY_WISE", "adjust", "canonical_correction", "plain_name", "smallest_useful_count"]

CORRECTIONS = ("none", "bonferroni", "holm", "fdr_bh", "fdr_by")
"""What `adjust` knows, in teaching order."""

FAMILY_WISE = "family-wise"
"""Name of the p-values that a test adjusts itself (randomised max-t, Tukey's HSD)."""

_SYNONYMS = MappingProxyType(
    {
        "no": "none",
        "uncorrected": "none",
        "bonf": "bonferroni",
        "holm_bonferroni": "holm",
        "bh": "fdr_bh",
        "fdr": "fdr_bh",  # as R and SciPy read it
        "benjamini_hochberg": "fdr_bh",
        "by": "fdr_by",
        "benjamini_yekutieli": "fdr_by",
        "family_wise": FAMILY_WISE,
        "fwer": FAMILY_WISE,
    }
)
"""What else the field calls a correction, as `plain_name` writes it."""


def plain_name(name: str, synonyms: Mapping[str, str] | None = None) -> str:
    """Return a name in small letters, its words joined by underscores, and by the one word for it where it has several.

    Examples
    --------
    >>> plain_name("Paired t-test"), plain_name("BY", {"by": "fdr_by"})
    ('paired_t_test', 'fdr_by')
    """
    plain = re.sub(r"[\W_]+", "_", re.sub("['\u2019]", "", name.casefold())).strip("_")
    return (synonyms or {}).get(plain, plain)


def canonical_correction(name: str) -> str:
    """Return the name of a correction as the tables have it, however the field spells it; case does not matter.

    Parameters
    ----------
    name : str
        One of `CORRECTIONS`, "family-wise", or a synonym: BH and fdr, BY, bonf, Holm-Bonferroni, uncorrected.

    Raises
    ------
    UnknownNameError
        For another; the message lists the nearest names.

    Examples
    --------
    >>> canonical_correction("BY"), canonical_correction("Holm-Bonferroni"), canonical_correction("fdr")
    ('fdr_by', 'holm', 'fdr_bh')
    """
    found = plain_name(str(name), _SYNONYMS)
    if found not in (*CORRECTIONS, FAMILY_WISE):
        raise UnknownNameError("correction", str(name), (*CORRECTIONS, FAMILY_WISE))
    return found


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
        For another correction; synonyms of the field are understood (`canonical_correction`).

    Examples
    --------
    >>> adjust(np.array([0.01, 0.04]), "bonferroni")
    array([0.02, 0.08])
    """
    correction = canonical_correction(correction)
    if correction == FAMILY_WISE:
        message = f"correction={FAMILY_WISE!r} is a test's own; from p-values alone choose {', '.join(CORRECTIONS)}"
        raise InvalidOptionError(message)
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
    correction = canonical_correction(correction)
    if correction == "none":
        return 1 if smallest_p <= alpha else n_hypotheses + 1
    if correction in ("bonferroni", "holm"):
        return 1 if smallest_p * n_hypotheses <= alpha else n_hypotheses + 1
    harmonic = float(np.sum(1 / np.arange(1, n_hypotheses + 1))) if correction == "fdr_by" else 1.0
    return max(1, int(np.ceil(smallest_p * n_hypotheses * harmonic / alpha - 1e-9)))
