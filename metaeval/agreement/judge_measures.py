"""What is said of a judge beside a reference: how its ranking correlates with the reference's, and whose pairs differ.

The correlations are those of trackers: Kendall's tau, Spearman's rho, Pearson's r of the means, and AP correlation in
both readings of ties, over all systems and among the best of the reference.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from metaeval.agreement.decisions import SHARES, agreement_errors
from metaeval.agreement.rankings import kendall_tau, pearson, spearman, tau_ap
from metaeval.base.arrays import Floats

_EVERYWHERE: Mapping[str, Callable[..., Floats]] = MappingProxyType(
    {"tau": kendall_tau, "tau_ap": tau_ap, "tau_ap_b": partial(tau_ap, ties="b"), "rho": spearman, "pearson": pearson}
)
_AT_THE_TOP = ("tau", "tau_ap_b", "rho", "pearson")

RANKINGS = (*_EVERYWHERE, *(f"{name}_top" for name in _AT_THE_TOP))
"""Correlations of the systems' means with those under the reference, between -1 and 1."""
SIGNED = (*RANKINGS, "mcc")
"""What lies between -1 and 1; the rest are shares."""
MEASURES = (*RANKINGS, "power", *SHARES, "contradicted")
"""What is said of every judge with an interval. ``contradicted`` is what contradictions take from F1: twice the pairs
significant in opposite directions, over the pairs significant under the judge and those under the reference."""


def judge_measures(
    verdict: NDArray[np.int8], means: Floats, reference: int, best: NDArray[np.int64], tested: NDArray[np.bool_]
) -> dict[str, Floats]:
    """Return every measure of every judge, (resample, judge), from verdicts on pairs and means of systems.

    Shapes: `verdict` (resample, judge, pair), `means` (resample, judge, system), `tested` (judge,).

    Examples
    --------
    >>> verdict, means = np.array([[[1, 1, 0], [1, 0, 0]]], dtype=np.int8), np.array([[[3.0, 2, 1], [3, 1, 2]]])
    >>> found = judge_measures(verdict, means, 0, np.arange(3), np.array([True, True]))
    >>> [found[name][0, 1].round(3).item() for name in ("tau", "pearson", "recall")]
    [0.333, 0.5, 0.5]
    """
    truth = verdict[:, [reference]]
    n_rejected = np.abs(verdict).sum(axis=-1, dtype=np.int64)
    same, opposite = ((verdict * truth == sign).sum(axis=-1, dtype=np.int64) for sign in (1, -1))
    n_truth = n_rejected[:, [reference]]
    measures = {"n_significant": n_rejected, "n_shared": same, "n_conflicts": opposite}
    measures["power"] = n_rejected / verdict.shape[-1]
    for name, times, total in (("precision", 1, n_rejected), ("recall", 1, n_truth), ("f1", 2, n_rejected + n_truth)):
        denominator = np.broadcast_to(total, same.shape)
        measures[name] = np.divide(times * same, denominator, out=np.full(same.shape, np.nan), where=denominator > 0)
        if name == "f1":
            measures["contradicted"] = np.divide(
                2 * opposite, denominator, out=np.zeros(same.shape), where=denominator > 0
            )
    measures |= agreement_errors(n_rejected, n_truth, same, opposite, verdict.shape[-1])
    alone, beside = tested, tested & tested[reference]
    measures = {
        name: np.where(alone if name in {"power", "n_significant"} else beside, values, np.nan)
        for name, values in measures.items()
    }
    reference_means = np.broadcast_to(means[:, [reference]], means.shape)
    measures |= {name: correlate(reference_means, means, undefined="nan") for name, correlate in _EVERYWHERE.items()}
    top = reference_means[..., best], means[..., best]
    measures |= {f"{name}_top": _EVERYWHERE[name](*top, undefined="nan") for name in _AT_THE_TOP}
    return {name: np.asarray(values, dtype=np.float64) for name, values in measures.items()}
