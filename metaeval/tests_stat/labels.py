"""Frames for pictures: tests and corrections by what people call them."""

import pandas as pd

from metaeval.tests_stat.catalogue import name_of_test
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, name_of_correction

__all__ = ["labelled", "name_in_picture"]


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its tests and corrections as people call them, corrections sorting in teaching order.

    Examples
    --------
    >>> frame = labelled(pd.DataFrame({"test": ["t", "t"], "correction": ["holm", "none"]}))
    >>> frame["test"].tolist(), frame["correction"].sort_values().tolist()
    (['Paired t', 'Paired t'], ['Uncorrected', 'Holm'])
    """
    corrections = frame["correction"].map(name_of_correction)
    order = dict.fromkeys([*map(name_of_correction, (*CORRECTIONS, FAMILY_WISE)), *corrections])
    named = pd.Categorical(corrections, categories=list(order))
    return frame.assign(test=frame["test"].map(name_of_test), correction=named)


def name_in_picture(correction: str) -> str | None:
    """Return what a correction is called beside decisions, None where these stand uncorrected or as the test gave them.

    Examples
    --------
    >>> name_in_picture("holm"), name_in_picture("none")
    ('Holm', None)
    """
    return None if correction in ("none", FAMILY_WISE) else name_of_correction(correction)
