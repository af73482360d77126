"""Frames for pictures: tests and corrections by what people call them."""

from collections.abc import Mapping

import pandas as pd
import xarray as xr

from metaeval.base.names import count, first_few
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE


def labelled(frame: pd.DataFrame, tests: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a frame with its tests and corrections as people call them, corrections sorting as in `CORRECTIONS`.

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


def pairs_that_differ(significant: xr.DataArray) -> str:
    """Say in a line how many pairs differ significantly under each metric.

    Examples
    --------
    >>> both = xr.DataArray([[True, False], [True, True]], {"metric": ["AP", "Q"]}, ("metric", "pair"))
    >>> pairs_that_differ(both)
    '1 of 2 pairs differ significantly under AP, 2 under Q'
    """
    counts = dict(zip(significant["metric"].to_numpy(), significant.sum("pair").to_numpy(), strict=True))
    pairs = count(significant.sizes["pair"], "pair")
    (first, n_first), *others = counts.items()
    words = [f"{n:,} under {metric}" for metric, n in others]
    return first_few([f"{n_first:,} of {pairs} differ significantly under {first}", *words])
