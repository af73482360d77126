"""Frames for pictures: tests and corrections by what people call them."""

import pandas as pd

from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE

__all__ = ["labelled", "name_in_picture"]


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with its tests and corrections as people call them, corrections sorting in teaching order.

    Examples
    --------
    >>> frame = labelled(pd.DataFrame({"test": ["t", "t"], "correction": ["holm", "none"]}))
    >>> frame["test"].tolist(), frame["correction"].sort_values().tolist()
    (['Paired t', 'Paired t'], ['Uncorrected', 'Holm'])
    """
    order = dict.fromkeys(map(CORRECTIONS.label, [*CORRECTIONS.named, *frame["correction"]]))
    named = pd.Categorical(frame["correction"].map(CORRECTIONS.label), categories=list(order))
    return frame.assign(test=frame["test"].map(TESTS.label), correction=named)


def name_in_picture(correction: str) -> str | None:
    """Return what a correction is called beside decisions, None where these stand uncorrected or as the test gave them.

    Examples
    --------
    >>> name_in_picture("holm"), name_in_picture("none")
    ('Holm', None)
    """
    return None if correction in ("none", FAMILY_WISE) else CORRECTIONS.label(correction)
