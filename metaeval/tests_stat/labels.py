"""Frames for pictures: tests and corrections by what people call them."""

from collections.abc import Mapping

import pandas as pd

from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE

__all__ = ["labelled", "name_in_picture"]


def labelled(frame: pd.DataFrame, tests: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a frame with its tests and corrections as people call them, corrections sorting in teaching order.

    `tests` says otherwise of some: the sign test of these data is McNemar's.

    Examples
    --------
    >>> frame = labelled(pd.DataFrame({"test": ["t", "t"], "correction": ["holm", "none"]}))
    >>> frame["test"].tolist(), frame["correction"].sort_values().tolist()
    (['Paired t', 'Paired t'], ['Uncorrected', 'Holm'])
    """
    order = dict.fromkeys(map(CORRECTIONS.label, [*CORRECTIONS.named, *frame["correction"]]))
    named = pd.Categorical(frame["correction"].map(CORRECTIONS.label), categories=list(order))
    called = {name: TESTS.label(name) for name in frame["test"].unique()} | dict(tests or {})
    return frame.assign(test=frame["test"].map(called), correction=named)


def name_in_picture(correction: str) -> str | None:
    """Return what a correction is called beside decisions, None where these stand uncorrected or as the test gave them.

    Examples
    --------
    >>> name_in_picture("holm"), name_in_picture("none")
    ('Holm', None)
    """
    return None if correction in ("none", FAMILY_WISE) else CORRECTIONS.label(correction)
