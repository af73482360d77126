"""Frames for pictures: tests and corrections by what people call them."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from metaeval.base.names import count, first_few
from metaeval.base.words import MISSING, p_drawn
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


def those_that_differ(significant: ArrayLike, p_values: ArrayLike, noun: str) -> str:
    """Say in a line how many of the tests that could be made are significant; those without p-value could not.

    Examples
    --------
    >>> those_that_differ([True, False, False], [0.01, 0.5, 0.5], "slope")
    '1 of 3 slopes differ significantly'
    >>> those_that_differ([True, False, False], [0.01, 0.5, np.nan], "slope")
    '1 of 2 slopes that could be tested differ significantly'
    >>> those_that_differ([False], [np.nan], "pair of metrics")
    'no pair of metrics could be tested'
    """
    untested = np.isnan(np.asarray(p_values, dtype=np.float64))
    if untested.all():
        return f"no {noun} could be tested"
    named = count(int((~untested).sum()), noun) + " that could be tested" * bool(untested.any())
    return f"{int(np.asarray(significant).sum()):,} of {named} differ significantly"


def side_of_pair(alternative: str, a: str, b: str) -> tuple[str, str] | None:
    """Return which system of a pair a one-sided test takes for the better one, before the other; else None.

    Examples
    --------
    >>> side_of_pair("less", "old", "new"), side_of_pair("two-sided", "old", "new")
    (('new', 'old'), None)
    """
    return {"greater": (a, b), "less": (b, a)}.get(alternative)


def verdict_on_pair(
    data: xr.Dataset, n_resamples: int | None, *, alternative: str, fewest: str, is_open: bool = False
) -> str:
    """Say of the only pair under the only metric which system is better, with its p-value, or why not (`fewest`).

    It is open where the p-value is small, but of so few topics that no exact test could reach the level.
    """
    of_pair = data.isel(metric=0, pair=0)
    a, b = (str(of_pair[side].item()) for side in ("system_a", "system_b"))
    side = side_of_pair(alternative, a, b)
    first, second = side or ((b, a) if int(of_pair["better"]) < 0 else (a, b))
    p = p_drawn(of_pair["p_corrected"].item(), n_resamples, of_pair["p_value"].item())
    if p == MISSING:
        return f"{first} and {second} could not be tested under {of_pair['metric'].item()}"
    one_sided = "one-sided " * (side is not None)
    under = f"under {of_pair['metric'].item()} ({one_sided}p {p if p.startswith('<') else f'= {p}'})"
    if bool(of_pair["significant"]):
        return f"{first} is significantly better than {second} {under}"
    if is_open:
        return f"it is open whether {first} is better than {second} {under}{fewest}"
    if side is not None:
        return f"{first} is not significantly better than {second} {under}{fewest}"
    return f"{first} and {second} do not differ significantly {under}{fewest}"


def standing_apart(data: xr.Dataset, baseline: str | None) -> str:
    """Say of the pairs under the only metric who leads, or how many are better and worse than the baseline."""
    of_metric = data.isel(metric=0)
    sides = [of_metric[side].to_numpy() for side in ("system_a", "system_b")]
    names = pd.Index(pd.unique(np.concatenate(sides)))
    a, b = (names.get_indexer(pd.Index(side)) for side in sides)
    better = of_metric["better"].to_numpy().astype(np.int64)
    decided = np.where(of_metric["significant"].to_numpy(), better, 0)
    if baseline is not None:
        beaten = np.where(sides[0] == baseline, -decided, decided)
        return f"; {np.count_nonzero(beaten > 0):,} better than {baseline}, {np.count_nonzero(beaten < 0):,} worse"
    ahead = np.bincount(a, better, len(names)) - np.bincount(b, better, len(names))
    leader = int(ahead.argmax())
    if np.count_nonzero(ahead == ahead[leader]) > 1:
        return ""
    beats = np.count_nonzero(decided[a == leader] > 0) + np.count_nonzero(decided[b == leader] < 0)
    return f"; {names[leader]} leads, significantly better than {beats:,} of {len(names) - 1:,} others"
