"""What the values of a metric may be, as far as its name or its values tell."""

import re

import numpy as np

from metaeval.base.metric_names import MetricNameError, translations
from metaeval.metrics.bounds import OVER_GREEDY, within_bounds

_SHARE = re.compile(r"(acc|accuracy|exact_match|em|pass_rate|pass[@^]\d+)(_norm)?(,[\w-]+)?")
_JUDGED = re.compile(
    r"(nv_)?(accuracy|(response_)?groundedness|faithfulness|factual_correctness|noise_sensitivity"
    r"|(llm_)?context(ual)?_(entity_)?(precision|recall|relevanc[ey]))(_with(out)?_reference)?"
)
"""Shares of statements that ragas, DeepEval and TruLens have a model count, where no value is above 1."""
_PERCENT = 100.0


def known_bounds(name: str, lowest: float, highest: float, *, shares: bool) -> tuple[float, float]:
    """Return what a metric's values may be, as far as its name or its values tell: infinite where they do not.

    A name is one of the measures that come with the package, or that of a share such as accuracy, in percent where a
    value is above 1, if no value belies it; values of 0 and 1 alone are shares of what passed. A measure over a greedy
    ideal is bound by 1 unless some list beat that ideal.

    Examples
    --------
    >>> known_bounds("RR", 0.5, 1.0, shares=False), known_bounds("RR", 50.0, 100.0, shares=False)
    ((0.0, 1.0), (-inf, inf))
    >>> known_bounds("solved", 0.0, 1.0, shares=True), known_bounds("comet", 0.5, 0.9, shares=False)
    ((0.0, 1.0), (-inf, inf))
    >>> known_bounds("alpha_nDCG@5", 0.7, 1.0, shares=False), known_bounds("acc,none", 48.0, 71.5, shares=False)
    ((0.0, 1.0), (0.0, 100.0))
    >>> known_bounds("faithfulness", 0.5, 1.0, shares=False), known_bounds("faithfulness", 1.0, 5.0, shares=False)
    ((0.0, 1.0), (-inf, inf))
    """
    from metaeval.metrics.builtin import BUILTIN  # noqa: PLC0415 - loads numba, and not every metric is asked about

    if shares:
        return 0.0, 1.0
    if _SHARE.fullmatch(name.casefold()) and lowest >= 0.0 and highest <= _PERCENT:
        return 0.0, 1.0 if highest <= 1.0 else _PERCENT
    if _JUDGED.fullmatch(name.casefold().replace(" ", "_")) and 0.0 <= lowest <= highest <= 1.0:
        return 0.0, 1.0
    try:
        specs = [BUILTIN.find(parsed.word) for parsed in translations(name)]
    except MetricNameError:
        specs = []
    fitting = [spec.bounds for spec in specs if spec and within_bounds(np.array([lowest, highest]), spec.bounds).all()]
    low, high = fitting[0] if fitting else (-np.inf, np.inf)
    return low, 1.0 if high == OVER_GREEDY and highest <= 1.0 else high
