"""What k tries at an item pass: any of them (pass@k), or all of them (pass^k), from repeats that are 0 or 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_count, check_list, check_share
from metaeval.base.results import Result
from metaeval.base.words import number, span_of
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.io.tables import read_scores
from metaeval.table.array import REPEAT
from metaeval.table.named_repeats import repeats_of_names, systems_repeated
from metaeval.table.scores import checked_scores
from metaeval.table.structure import are_tries, engine_scores
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.ends import Seen, ends_of_means
from metaeval.tests_stat.robust import mean_estimates

PASSES = "rates of k tries"
"""What is asked of scores, for messages."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassRates(Result):
    """Shares of items that a system passes in one of k tries, and in all of them."""

    table: pd.DataFrame
    """One row a metric, system and k: ``metric``, ``system``, ``k``, ``n_items`` (with k repeats at least), ``any``
    (pass@k) and ``all`` (pass^k), each with ``_low`` and ``_high``."""
    confidence_level: float

    def _found(self) -> str:
        rows = self.table[self.table["k"] == self.table["k"].max()]
        names = rows["system"] + " under " + rows["metric"]
        passed = span_of(names, *(rows[f"all{end}"] for end in ("", "_low", "_high")), write=number(3))
        return f"share of items passed in {rows['k'].iloc[0]} of {rows['k'].iloc[0]} tries: {passed}"

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table.copy()


def pass_rates(scores: object, *, k: Sequence[int] | None = None, confidence_level: float = 0.95) -> PassRates:
    r"""Estimate pass@k and pass^k of every system from repeats.

    Parameters
    ----------
    scores : Scores, anything `metaeval.as_scores` takes, or the path of a table that `metaeval.read_scores` reads
        With a dimension ``repeat``, 0 (failed) or 1 (passed), of one system or more; or of one system alone, whose
        columns are called as repeats are (trial0, trial1).
    k : sequence of int, optional
        Numbers of tries; by default 1 to as many as the item with the fewest repeats has.
    confidence_level : float, default 0.95

    Returns
    -------
    PassRates
        One row a ``metric``, ``system`` and ``k`` in ``to_frame()``: ``n_items`` with k repeats at least, ``any``
        (pass@k) and ``all`` (pass^k), both from 0 to 1 and with ``_low`` and ``_high``.

    Raises
    ------
    ScoresError
        If there are no repeats, or scores other than 0 and 1.
    InvalidOptionError
        If no item of a system has as many repeats as a k.
    EstimationError
        If a system has fewer than two such items.

    Notes
    -----
    Of an item passed c times of n, :math:`1 - \binom{n-c}{k} / \binom{n}{k}` [1]_ and
    :math:`\binom{c}{k} / \binom{n}{k}` [2]_ are unbiased for any of k tries and for all; the rates are their means over
    the items with k repeats, by weight where they have weights, with t intervals over items or their clusters, or where
    all items have one value those of `metaeval.tests_stat.ends.ends_of_means`.

    References
    ----------
    .. [1] Chen et al. (2021). Evaluating large language models trained on code. arXiv 2107.03374.
    .. [2] Yao et al. (2024). tau-bench: a benchmark for tool-agent-user interaction in real-world domains. arXiv
       2406.12045.

    Examples
    --------
    >>> tries = np.array([[[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0]], [[0, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]])
    >>> table = pass_rates(tries[None].astype(float)).table
    >>> table[table["k"] == 2][["system", "any", "all"]].round(3).to_numpy().tolist()
    [['system1', 0.611, 0.389], ['system2', 0.833, 0.5]]
    """
    level = check_share(confidence_level, "confidence_level")
    table = engine_scores(_with_repeats(scores), PASSES, fewest=1)
    if REPEAT not in table.dims or table.sizes[REPEAT] == 1:
        message = "rates of k tries take repeats; here is one score of each system on each topic"
        raise ScoresError(message)
    values = table.to_numpy()
    observed = np.isfinite(values)
    if not are_tries(table):
        message = "rates of k tries take scores that are 0 or 1"
        raise ScoresError(message)
    tries, passed = observed.sum(axis=3), np.where(observed, values, 0.0).sum(axis=3)
    most = int(tries[tries > 0].min())
    asked = (
        list(range(1, most + 1)) if k is None else [check_count(n_tries, "k") for n_tries in check_list(k, "k", (1, 2))]
    )
    if not asked:
        message = "`k` is empty; name numbers of tries"
        raise InvalidOptionError(message)
    frames = [_rates(tries, passed, n_tries, level, units_of(table)) for n_tries in asked]
    names = pd.MultiIndex.from_product(
        [table["metric"].to_numpy(), table["system"].to_numpy()], names=["metric", "system"]
    )
    every = [
        names.to_frame(index=False).assign(k=n_tries, **rates) for n_tries, rates in zip(asked, frames, strict=True)
    ]
    order = pd.concat(every, ignore_index=True)
    places = {pair: position for position, pair in enumerate(names)}
    keys = [places[pair] for pair in zip(order["metric"], order["system"], strict=True)]
    by_place = np.argsort(np.array(keys), kind="stable")
    return PassRates(table=order.iloc[by_place].reset_index(drop=True), confidence_level=level)


def _with_repeats(scores: object) -> object:
    """Read a table from its path; of one system whose columns are called as repeats are, make repeats of them."""
    if isinstance(scores, str | Path):
        scores = read_scores(scores, missing="pairwise", paired=None)
    table = checked_scores(scores, fewest=1)
    called = {} if REPEAT in table.dims else systems_repeated(table["system"].to_numpy().tolist())
    return repeats_of_names(table, alone=True) if len(called) == 1 else table


def _rates(tries: Ints, passed: Floats, k: int, level: float, units: TopicUnits) -> dict[str, NDArray[Any]]:
    """Return the rates of k tries of every metric and system, flat."""
    enough = tries >= k
    counted = enough.sum(axis=2)
    if not counted.all():
        message = f"`k={k}` is more than the repeats of any item of a system; the most there are is {tries.max()}"
        raise InvalidOptionError(message)
    if counted.min() < 2:  # noqa: PLR2004 - an interval takes two
        message = f"fewer than two items of a system have {k} repeats"
        raise EstimationError(message)
    steps = np.arange(k)
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.maximum(tries[..., None] - steps, 0)
        share = {
            "any": 1.0 - (np.maximum((tries - passed)[..., None] - steps, 0) / below).prod(axis=3),
            "all": (np.maximum(passed[..., None] - steps, 0) / below).prod(axis=3),
        }
    columns: dict[str, NDArray[Any]] = {"n_items": counted.ravel()}
    for name, shares in share.items():
        found = mean_estimates(np.where(enough, shares, np.nan), units)
        seen = Seen(*np.broadcast_arrays(np.zeros(len(shares)), 1.0, True))  # noqa: FBT003 - shares
        low, high = ends_of_means(
            found.mean,
            found.error,
            found.n_units,
            found.freedom,
            seen=seen,
            metrics=[name] * len(shares),
            confidence_level=level,
        )
        columns |= {name: found.mean.ravel(), f"{name}_low": low.ravel(), f"{name}_high": high.ravel()}
    return columns
