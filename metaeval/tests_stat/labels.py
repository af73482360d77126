# ruff: noqa: RUF001 - typographic dashes are meant for people
"""What tests and corrections are called in tables and pictures."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from metaeval.tests_stat.correction import FAMILY_WISE

__all__ = ["CORRECTION_NAMES", "TEST_NAMES", "labelled", "name_in_picture"]

TEST_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "bootstrap_sensitivity": "Bootstrap sensitivity",
        "t": "Paired t",
        "wilcoxon": "Wilcoxon signed rank",
        "sign": "Sign",
        "randomisation": "Randomisation",
        "bootstrap": "Bootstrap, studentised",
        "bootstrap_percentile": "Bootstrap, percentile",
        "bootstrap_shifted": "Bootstrap, shifted mean",
        "max_t": "Randomised max-t",
        "tukey": "Randomised Tukey HSD",
        "tukey_parametric": "Tukey HSD, blocked",
    }
)
"""Every test, in teaching order."""

CORRECTION_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "none": "Uncorrected",
        "bonferroni": "Bonferroni",
        "holm": "Holm",
        "fdr_bh": "Benjamini–Hochberg",
        "fdr_by": "Benjamini–Yekutieli",
        FAMILY_WISE: "Family-wise",
    }
)
"""Every correction, in teaching order."""


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its tests and corrections as people call them, corrections sorting in teaching order.

    Examples
    --------
    >>> frame = labelled(pd.DataFrame({"test": ["t", "t"], "correction": ["holm", "none"]}))
    >>> frame["test"].tolist(), frame["correction"].sort_values().tolist()
    (['Paired t', 'Paired t'], ['Uncorrected', 'Holm'])
    """
    tests, corrections = (
        frame[column].map(lambda name, known=known: known.get(name, name))
        for column, known in (("test", TEST_NAMES), ("correction", CORRECTION_NAMES))
    )
    order = dict.fromkeys([*CORRECTION_NAMES.values(), *corrections])
    return frame.assign(test=tests, correction=pd.Categorical(corrections, categories=list(order)))


def name_in_picture(correction: str) -> str | None:
    """Return what a correction is called beside decisions, None where these stand uncorrected or as the test gave them.

    Examples
    --------
    >>> name_in_picture("holm"), name_in_picture("none")
    ('Holm', None)
    """
    return None if correction in ("none", FAMILY_WISE) else CORRECTION_NAMES.get(correction, correction)
