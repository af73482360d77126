"""Two versions of a board: whether its systems have other scores on the same items, or it has other items."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.rankings import kendall_tau
from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_share
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, as_scores
from metaeval.table.structure import engine_scores, mean_over_topics, settled_mean_over_topics, topic_weights
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.labels import those_that_differ
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.result import difference_intervals, is_significant

_FEWEST = 2
_BOARDS = ("second", "first")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VersionDrift(Result):
    """Scores of the same systems on the items that both versions of a board have, and what became of their means."""

    data: pd.DataFrame
    """One row a system; see `to_frame`."""
    orders: Floats
    """Means, higher is better, of the first version, the first on common items, the second on common items, and the
    second. Shape (4, system)."""
    n_common: int
    n_gone: int
    """Items of the first version alone."""
    n_new: int
    """Items of the second alone."""
    n_changed: int
    """Scores on common items that differ at all."""
    n_scores: int
    """Scores on common items that both versions have."""
    metric: str
    higher: bool
    """Whether higher is better."""
    correction: str
    """Over the systems."""
    alpha: float

    def _found(self) -> str:
        told = those_that_differ(self.data["significant"], self.data["p_corrected"], "system")
        return f"{told} on the {self.n_common} items of both versions"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system.

        The columns are ``system``, ``mean_first`` and ``mean_second`` (over all items of either version), ``change``
        (their difference), ``by_scores`` and ``by_items`` (the parts of the change that come from other scores on the
        same items, and from other items), ``n_common``, ``common_first`` and ``common_second`` (means over the items
        that both versions have), ``difference`` (of these, the second less the first), ``low`` and ``high`` (its
        interval at 1 - alpha, for this system alone), ``p_value``, ``p_corrected``, ``significant``; ``relative`` (the
        difference less that of the mean system), ``relative_p_corrected`` and ``relative_significant``. Tests are
        missing where a system has fewer than two common items.
        """
        return self.data.copy()

    def steps(self) -> pd.DataFrame:
        """Return what each step from the first version to the second does to the order of the systems.

        One row a step ("items gone", "other scores", "items new", and "all" of them): step, n_items (after it),
        n_reversed (pairs of systems whose means change their order), n_pairs, tau (Kendall's, of the means before and
        after). A step of which noise is as much a part as anything: what is reversed need not differ significantly.
        """
        a, b = all_pairs(self.orders.shape[1])
        ahead = np.sign(self.orders[:, a] - self.orders[:, b])
        n_second = self.n_common + self.n_new
        steps = [
            ("items gone", self.n_common, 0, 1),
            ("other scores", self.n_common, 1, 2),
            ("items new", n_second, 2, 3),
            ("all", n_second, 0, 3),
        ]
        rows = []
        for step, n_items, before, after in steps:
            n = int((ahead[before] * ahead[after] < 0).sum())
            tau = float(kendall_tau(self.orders[before], self.orders[after], undefined="nan"))
            rows.append((step, n_items, n, len(a), tau))
        return pd.DataFrame(rows, columns=["step", "n_items", "n_reversed", "n_pairs", "tau"])

    def _draw(self) -> Figure:
        """Draw by how much the scores of every system differ on the items of both versions, the second less the first.

        Full dots differ significantly.
        """
        from metaeval.figures.systems import baseline_differences  # noqa: PLC0415 - matplotlib

        compared = self.data.dropna(subset="difference")
        frame = compared.assign(metric=self.metric, mean=compared["difference"])
        frame["rank"] = 1 + (self.orders[2][compared.index, None] < self.orders[2][None, compared.index]).sum(axis=1)
        return baseline_differences(frame, self.metric, baseline="the first version", higher_is_better=self.higher)


def version_drift(first: object, second: object, *, alpha: float = 0.05, correction: str = "holm") -> VersionDrift:
    r"""Compare the scores of systems on the items that two versions of a board have in common.

    Parameters
    ----------
    first, second : Scores or anything `metaeval.as_scores` takes
        Under one metric each, which is the same. Systems and items are matched by their names, exactly.
    alpha : float, default 0.05
    correction : str, default "holm"
        Over the systems.

    Returns
    -------
    VersionDrift
        One row a ``system`` in ``to_frame()``, in units of the scores: see `VersionDrift.to_frame`.

    Raises
    ------
    ScoresError
        If fewer than two systems or items are in both.
    InvalidOptionError
        If there are several metrics, or an option is outside its rule.

    See Also
    --------
    settled_pairs : which pairs of systems both versions settle

    Notes
    -----
    A system's scores on common items are tested by the paired t test, with the second version's clusters and weights
    where it has any, and over the items for which both versions have a score. The relative difference is that of the
    differences from their mean over the systems on each item: a board that became easier for all has none.

    With :math:`w_i` the weights of the second version's items, W their sum over the items that the system has there,
    and C the common items, its mean changes by

    .. math:: \bar x_2 - \bar x_1
        = \underbrace{\frac{1}{W} \sum_{i \in C} w_i (x_{2i} - x_{1i})}_\text{other scores}
        + \underbrace{\ldots}_\text{other items},

    where the second part is the rest: the difference of the two boards if the common items kept their scores.

    Examples
    --------
    >>> first = as_scores([[0.5, 0.6, 0.7, 0.1], [0.4, 0.4, 0.6, 0.2]], systems=["a", "b"])
    >>> scores = [[0.5, 0.6, 0.7, 0.9], [0.6, 0.7, 0.8, 0.7]]
    >>> second = as_scores(scores, systems=["a", "b"], topics=["1", "2", "3", "5"])
    >>> drift = version_drift(first, second)
    >>> drift.to_frame()[["system", "change", "by_scores", "by_items", "significant"]].round(3)
      system  change  by_scores  by_items  significant
    0      a     0.2      0.000     0.200        False
    1      b     0.3      0.175     0.125        False
    """
    check_share(alpha, "alpha")
    correction = CORRECTIONS.canonical(correction)
    first_board, second_board = (_board(argument, name) for argument, name in ((first, "first"), (second, "second")))
    systems, items = (_shared(first_board, second_board, kind) for kind in ("system", "topic"))
    ends = [first_board.sel(system=systems), second_board.sel(system=systems)]
    boards = [ends[0], ends[0].sel(topic=items), ends[1].sel(topic=items), ends[1]]
    before, after = (board.to_numpy()[0] for board in boards[1:3])
    in_both = np.isfinite(before) & np.isfinite(after)
    before, after = np.where(in_both, before, np.nan), np.where(in_both, after, np.nan)
    weight = topic_weights(boards[2])
    total_weight = (np.isfinite(boards[3].to_numpy()[0]) * topic_weights(boards[3])).sum(axis=1)
    moved = (np.nan_to_num(after - before) * weight).sum(axis=1)
    means = [mean_over_topics(board)[0] for board in (boards[0], boards[3])]
    with np.errstate(invalid="ignore", divide="ignore"):
        common = [
            (np.nan_to_num(scores) * weight).sum(axis=1) / (in_both * weight).sum(axis=1) for scores in (before, after)
        ]
    enough = in_both.sum(axis=1) >= _FEWEST
    p, low, high, reachable, corrected, relative_reachable = np.full((6, len(systems)), np.nan)
    outcome = paired_tests(boards[2], before[enough], after[enough], alpha)
    p[enough], low[enough], high[enough], reachable[enough] = outcome
    corrected[enough] = adjust(p[enough], correction)
    shift, relative = _beside_mean(before, after, in_both, weight)
    apart = np.full(len(systems), np.nan)
    outcome = paired_tests(boards[2], before[enough], (after - shift)[enough], alpha)
    apart[enough], relative_reachable[enough] = adjust(outcome[0], correction), outcome[3]
    change = means[1] - means[0]
    data = pd.DataFrame(
        {
            "system": systems,
            "mean_first": means[0],
            "mean_second": means[1],
            "change": change,
            "by_scores": moved / total_weight,
            "by_items": change - moved / total_weight,
            "n_common": in_both.sum(axis=1),
            "common_first": common[0],
            "common_second": common[1],
            "difference": common[1] - common[0],
            "low": low,
            "high": high,
            "p_value": p,
            "p_corrected": corrected,
            "significant": is_significant(corrected, alpha) & is_significant(reachable, alpha),
            "relative": relative,
            "relative_p_corrected": apart,
            "relative_significant": is_significant(apart, alpha) & is_significant(relative_reachable, alpha),
        }
    )
    return VersionDrift(
        data=data,
        orders=np.stack([settled_mean_over_topics(board)[0] for board in boards]),
        n_common=len(items),
        n_gone=first_board.sizes["topic"] - len(items),
        n_new=second_board.sizes["topic"] - len(items),
        n_changed=int((in_both & (before != after)).sum()),
        n_scores=int(in_both.sum()),
        metric=str(second_board["metric"].to_numpy()[0]),
        higher=bool(second_board["higher_is_better"].to_numpy()[0]),
        correction=correction,
        alpha=float(alpha),
    )


def _beside_mean(before: Floats, after: Floats, in_both: Flags, weight: Floats) -> tuple[Floats, Floats]:
    """Return how far the mean system moved on every item, and how far every system did beside it."""
    with np.errstate(invalid="ignore"):
        shift = np.nan_to_num(after - before).sum(axis=0) / in_both.sum(axis=0)
        relative = (np.nan_to_num(after - before - shift) * weight).sum(axis=1) / (in_both * weight).sum(axis=1)
    return shift, relative


def _board(given: object, name: str) -> Scores:
    scores = engine_scores(as_scores(given, missing="pairwise", fewest=1), "the leaderboard", fewest=1)
    if scores.sizes["metric"] > 1:
        raise InvalidOptionError(f"`{name}` has {scores.sizes['metric']} metrics, and a board has one")
    return scores


def _shared(one: Scores, other: Scores, kind: str) -> list[str]:
    other_names = set(other[kind].to_numpy().tolist())
    shared: list[str] = [name for name in one[kind].to_numpy().tolist() if name in other_names]
    if len(shared) < _FEWEST:
        words = "systems" if kind == "system" else unit().topics
        raise ScoresError(f"two {words} or more must be in both versions; there are {len(shared)}")
    return shared


def paired_tests(board: Scores, before: Floats, after: Floats, alpha: float) -> Floats:
    """Test rows of scores in pairs over the topics of a board: p-value, interval, smallest p-value of an exact test."""
    if not len(before):
        return np.empty((4, 0))
    coords = {name: coordinate for name, coordinate in board.coords.items() if coordinate.dims == ("topic",)}
    names = {"metric": [str(number) for number in range(len(before))], "system": list(_BOARDS)}
    stacked = xr.DataArray(np.stack([after, before], axis=1), dims=DIMS, coords={**coords, **names})
    comparison = compare_systems(as_scores(stacked, missing="pairwise"), test="t", correction="none")
    ends = difference_intervals(comparison, confidence_level=1 - alpha)
    tested = [comparison.data["p_value"], ends["low"], ends["high"], comparison.data["p_reachable"]]
    return np.stack([values.to_numpy()[:, 0] for values in tested])
