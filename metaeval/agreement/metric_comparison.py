"""Whether one metric agrees with human scores better than another does, both compared with the same scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student_t

from metaeval.agreement.human import STATISTICS, Statistic
from metaeval.agreement.items import Cells, cells_of, cluster_sizes, cluster_sums, oriented, reference_of
from metaeval.checks import check_choice, check_count
from metaeval.draws import RNGLike, resolve_rng
from metaeval.equality import at_least, difference, settle
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.parallel import track
from metaeval.tests_stat.correction import CORRECTIONS, adjust

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MetricComparison", "compare_with_human", "williams_table", "williams_test"]

type Floats = NDArray[np.float64]
Alternative = Literal["greater", "less", "two-sided"]
Permute = Literal["items", "systems", "both"]

_FEWEST = 4
_BLOCK = 2**24
_SIZE = 2.0
"""Size of a difference of two correlations: each is a sum of terms whose absolute values make at most 1."""


def williams_test(
    first: ArrayLike, second: ArrayLike, between: ArrayLike, *, n: ArrayLike, alternative: Alternative = "two-sided"
) -> tuple[Floats, Floats]:
    r"""Decide whether two correlations with the same third variable differ.

    Parameters
    ----------
    first, second : array-like
        Pearson correlations of two metrics with the human scores; arrays broadcast.
    between : array-like
        Correlation of the two metrics with each other.
    n : array-like of int
        Systems.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first correlation is greater.

    Returns
    -------
    (array, array)
        The statistic t with n - 3 degrees of freedom, and the p-value. Two metrics that rank along one line
        (``between`` 1, but for rounding) have no statistic: NaN, and p = 1.

    Raises
    ------
    InvalidOptionError
        If a correlation lies outside [-1, 1], there are fewer than four systems, or the alternative is another.

    Notes
    -----
    .. math:: t = (r_{13} - r_{23}) \sqrt{\frac{(n-1)(1+r_{12})}
              {2 K \frac{n-1}{n-3} + \frac{(r_{13}+r_{23})^2}{4} (1-r_{12})^3}}, \quad
              K = 1 - r_{12}^2 - r_{13}^2 - r_{23}^2 + 2 r_{12} r_{13} r_{23}

    (Williams 1959; Graham & Baldwin 2014, "Testing for Significance of Increased Correlation with Human Judgment").

    Examples
    --------
    >>> t, p = williams_test(0.95, 0.8, 0.85, n=12, alternative="greater")
    >>> round(float(t), 3), round(float(p), 4)
    (2.584, 0.0148)
    """
    check_choice(alternative, "alternative", ("two-sided", "greater", "less"))
    r1, r2, r12, size = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (first, second, between, n)))
    for name, value in (("first", r1), ("second", r2), ("between", r12)):
        if (np.abs(value) > 1).any():
            message = f"{name} must be a correlation in [-1, 1], not {value[np.abs(value) > 1].flat[0]!r}"
            raise InvalidOptionError(message)
    if (size < _FEWEST).any():
        message = f"Williams' test needs {_FEWEST} systems or more, not {int(size.min())}"
        raise InvalidOptionError(message)
    determinant = np.maximum(1 - r12**2 - r1**2 - r2**2 + 2 * r12 * r1 * r2, 0.0)
    below = 2 * determinant * (size - 1) / (size - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3
    apart = difference(r1, r2, _SIZE / 2, _SIZE / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart * np.sqrt((size - 1) * (1 + r12) / below)
    same = at_least(r12, 1.0, _SIZE / 2) | ((apart == 0) & (below <= 0))
    t = np.where(same, np.nan, t)
    match alternative:
        case "two-sided":
            p = 2 * student_t.sf(np.abs(t), size - 3)
        case "greater":
            p = student_t.sf(t, size - 3)
        case _:
            p = student_t.cdf(t, size - 3)
    return t, np.where(same, 1.0, p)


def williams_table(
    means: pd.DataFrame,
    *,
    reference: str,
    alternative: Alternative = "greater",
    correction: str = "none",
    signed: bool = False,
) -> pd.DataFrame:
    """Compare every two metrics by Williams' test where one score a system is known.

    Parameters
    ----------
    means : DataFrame
        Systems in rows; the reference and the metrics in columns. A pair is compared on the systems that have all
        three.
    reference : str
    alternative : {"greater", "less", "two-sided"}
        "greater" asks of both orders of a pair whether the first metric is better; its family holds both.
    correction : str
        "none", "bonferroni", "holm", "fdr_bh" or "fdr_by" over all rows.
    signed : bool
        Compare the correlations as they are; by default their absolute values, as the WMT tables do, where a metric
        with falling scores counts by how closely it follows.

    Returns
    -------
    pandas.DataFrame
        ``metric_a``, ``metric_b``, ``correlation_a``, ``correlation_b``, ``between``, ``n_systems``, ``t``, ``p``,
        ``p_corrected``; one row a pair ("two-sided"), else one row an ordered pair.

    Raises
    ------
    UnknownNameError
        If the reference is no column.
    ScoresError
        If fewer than two metrics stand beside the reference.

    Examples
    --------
    >>> columns = {"human": [1, 2, 3, 4, 5], "A": [1, 2, 3, 5, 4], "B": [3, 1, 4, 2, 5]}
    >>> means = pd.DataFrame(columns, index=list("vwxyz"))
    >>> williams_table(means, reference="human", alternative="two-sided")[["correlation_a", "n_systems"]].round(2)
       correlation_a  n_systems
    0            0.9          5
    """
    check_choice(reference, "column of human scores", map(str, means.columns))
    metrics = [name for name in means.columns if name != reference]
    if len(metrics) < 2:  # noqa: PLR2004 - a comparison takes two
        message = "a comparison takes two metrics beside the human scores"
        raise ScoresError(message)
    values, human = means[metrics].to_numpy(dtype=np.float64), means[reference].to_numpy(dtype=np.float64)
    first, second = (np.array(part) for part in zip(*combinations(range(len(metrics)), 2), strict=True))
    if alternative != "two-sided":
        first, second = np.concatenate([first, second]), np.concatenate([second, first])
    r = np.array([_three_correlations(human, values[:, a], values[:, b]) for a, b in zip(first, second, strict=True)])
    own, other, between = (r[:, :3] if signed else np.abs(r[:, :3])).T
    enough = r[:, 3] >= _FEWEST
    known = enough & np.isfinite(r[:, :3]).all(axis=1)
    t, p = np.full(len(r), np.nan), np.full(len(r), np.nan)
    t[known], p[known] = williams_test(own[known], other[known], between[known], n=r[known, 3], alternative=alternative)
    corrected = np.full(len(r), np.nan)
    corrected[known] = adjust(p[known], correction)
    return pd.DataFrame(
        {
            "metric_a": [str(metrics[place]) for place in first],
            "metric_b": [str(metrics[place]) for place in second],
            "correlation_a": r[:, 0],
            "correlation_b": r[:, 1],
            "between": r[:, 2],
            "n_systems": r[:, 3].astype(np.int64),
            "t": t,
            "p": p,
            "p_corrected": corrected,
        }
    )


def _three_correlations(human: Floats, a: Floats, b: Floats) -> tuple[float, float, float, float]:
    there = np.isfinite(human) & np.isfinite(a) & np.isfinite(b)
    if there.sum() < _FEWEST:
        return np.nan, np.nan, np.nan, float(there.sum())
    pearson = STATISTICS["pearson"]
    h, x, y = human[there], a[there], b[there]
    return float(pearson(h, x)), float(pearson(h, y)), float(pearson(x, y)), float(there.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricComparison:
    """Which metrics agree with the human scores better than which others.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a pair: ``metric_a``, ``metric_b``, ``value_a``, ``value_b``, ``difference``, ``n_systems``,
        ``n_items``, ``p``, ``p_corrected``. Where a metric has no agreement (it is constant), p is NaN and not of the
        family that is corrected.
    reference, statistic, permute, correction : str
    n_resamples : int
    random_source : str
    """

    table: pd.DataFrame
    reference: str
    statistic: Statistic
    permute: Permute
    correction: str
    n_resamples: int
    random_source: str

    def to_frame(self) -> pd.DataFrame:
        """Return the table with the question in columns of its own."""
        return self.table.assign(statistic=self.statistic, permute=self.permute, correction=self.correction)

    def plot(self, alpha: float = 0.05) -> "Figure":
        """Draw which metric is significantly better than which: a field a pair, the better one in the row."""
        from metaeval.figures.human import comparison_map  # noqa: PLC0415 - matplotlib

        sides = [self.table[[f"metric_{side}", f"value_{side}"]].set_axis(["metric", "value"], axis=1) for side in "ab"]
        values = pd.concat(sides).groupby("metric", sort=False)["value"].mean()
        order = values.sort_values(ascending=False, kind="stable").index
        return comparison_map(self.table, order=[str(name) for name in order], alpha=alpha)

    def wins(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return for every metric how many others it is significantly better than, and how many are better than it."""
        significant = self.table[self.table["p_corrected"] <= alpha]
        ahead = significant["difference"] > 0
        better = pd.concat([significant.loc[ahead, "metric_a"], significant.loc[~ahead, "metric_b"]]).value_counts()
        worse = pd.concat([significant.loc[ahead, "metric_b"], significant.loc[~ahead, "metric_a"]]).value_counts()
        names = list(dict.fromkeys([*self.table["metric_a"], *self.table["metric_b"]]))
        return pd.DataFrame({"better_than": better, "worse_than": worse}).reindex(names).fillna(0).astype(int)


def compare_with_human(  # noqa: PLR0913 - every option is one question
    scores: xr.DataArray,
    *,
    reference: str | None = None,
    statistic: Statistic = "pearson",
    permute: Permute = "both",
    correction: str = "fdr_by",
    n_resamples: int = 1000,
    metrics: Sequence[str] | None = None,
    rng: RNGLike = None,
) -> MetricComparison:
    """Decide by permutation which of two metrics follows the human scores of systems better.

    Parameters
    ----------
    scores : DataArray (metric, system, item)
        From `item_scores`; with clusters whole clusters are exchanged; metrics where less is better are turned first.
    reference : str, optional
        The human scores.
    statistic : {"pearson", "spearman", "kendall", "accuracy"}
        Over systems, of their means over items.
    permute : {"both", "items", "systems"}
        What the two metrics exchange under the null hypothesis, after both are brought to mean 0 and variance 1: the
        scores of a system on a cluster of items ("both"), of all systems on a cluster ("items"), or of a system on
        all items ("systems").
    correction : str
        Over all pairs of metrics.
    n_resamples : int
    metrics : sequence of str, optional
        The metrics to compare; all by default.
    rng : None, int or Generator

    Returns
    -------
    MetricComparison

    Raises
    ------
    UnknownNameError, InvalidOptionError
        For an option that does not exist or lies outside its rule.
    ScoresError
        If fewer than two metrics are left, or fewer than three systems have all three scores.

    Notes
    -----
    Two-sided; p = (k + 1) / (B + 1), k the resamples whose difference is at least as far from 0 as the one seen
    (Deutsch, Dror & Roth 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods":
    Perm-Both, Perm-Inputs, Perm-Systems). A pair is compared on the cells that have all three scores.

    Examples
    --------
    >>> from metaeval.agreement.items import item_scores
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(8)[:, None] + rng.normal(0, 2, (8, 30))
    >>> cells = {"human": human, "good": human + rng.normal(0, 1, (8, 30)), "poor": rng.normal(0, 1, (8, 30))}
    >>> names = {"system": np.repeat(list("abcdefgh"), 30), "item": np.tile(np.arange(30), 8)}
    >>> frame = pd.DataFrame(names | {name: part.ravel() for name, part in cells.items()})
    >>> found = compare_with_human(item_scores(frame, reference="human"), n_resamples=99, rng=0).table
    >>> round(float(found["p"].item()), 2)
    0.01
    """
    name = reference_of(scores, reference)
    scores = oriented(scores)
    check_choice(statistic, "statistic", STATISTICS)
    check_choice(permute, "way to permute", ("both", "items", "systems"))
    check_count(n_resamples, "n_resamples")
    known = [str(one) for one in scores["metric"].to_numpy()]
    chosen = [str(one) for one in dict.fromkeys(known if metrics is None else metrics) if str(one) != name]
    for one in chosen:
        check_choice(one, "metric", known)
    if len(chosen) < 2:  # noqa: PLR2004 - a comparison takes two
        message = "a comparison takes two metrics beside the human scores"
        raise ScoresError(message)
    source = resolve_rng(rng)
    seed = int(source.generator.integers(2**63))
    rows = [
        _compared(scores, name, pair, STATISTICS[statistic], permute, np.random.default_rng(seed), n_resamples)
        for pair in track(list(combinations(chosen, 2)), description="comparing metrics")
    ]
    table = pd.DataFrame(rows)
    tested = table["p"].notna().to_numpy()
    table["p_corrected"] = np.nan
    table.loc[tested, "p_corrected"] = adjust(table.loc[tested, "p"].to_numpy(), correction)
    return MetricComparison(
        table=table,
        reference=name,
        statistic=statistic,
        permute=permute,
        correction=CORRECTIONS.canonical(correction),
        n_resamples=int(n_resamples),
        random_source=source.description,
    )


def _compared(  # noqa: PLR0913, PLR0917 - one pair and the question
    scores: xr.DataArray,
    reference: str,
    pair: tuple[str, str],
    statistic: Callable[[Floats, Floats], Floats],
    permute: Permute,
    generator: np.random.Generator,
    n_resamples: int,
) -> dict[str, object]:
    exchange = _exchangeable(scores, reference, pair)
    human, halves = exchange.human, exchange.halves
    values = [float(statistic(human, means)) for means in exchange.means]
    observed = values[0] - values[1]
    n_clusters, n_systems = halves.shape
    block = max(1, _BLOCK // (n_clusters * (n_systems if permute == "both" else 1)))
    extreme = 0
    for start in range(0, n_resamples, block):
        shift = _shifts(halves, permute, generator, min(block, n_resamples - start))
        first, second = (statistic(human, settle(exchange.middle + one, exchange.size)) for one in (shift, -shift))
        # an exchange that leaves no agreement to compare speaks against neither metric: it counts as far away
        drawn = np.abs(first - second)
        extreme += int((np.isnan(drawn) | at_least(drawn, abs(observed), _SIZE)).sum())
    return {
        "metric_a": pair[0],
        "metric_b": pair[1],
        "value_a": values[0],
        "value_b": values[1],
        "difference": observed,
        "n_systems": n_systems,
        "n_items": exchange.n_items,
        "p": (extreme + 1) / (n_resamples + 1) if np.isfinite(observed) else np.nan,
    }


class _Exchange(NamedTuple):
    """One pair of metrics on the cells that have all three scores.

    Attributes
    ----------
    human : array (system,)
        Human means.
    means : two arrays (system,)
        Each metric's means in its own unit, as `human_agreement` takes them; ties are those on paper.
    middle : array (system,)
        Mean of the two metrics' standardised means.
    halves : array (cluster, system)
        What a swap of a cluster moves between the two, in standardised units.
    size : array (system,)
        Sizes of the scores behind the standardised means.
    n_items : int
    """

    human: Floats
    means: tuple[Floats, Floats]
    middle: Floats
    halves: Floats
    size: Floats
    n_items: int


def _exchangeable(scores: xr.DataArray, reference: str, pair: tuple[str, str]) -> _Exchange:
    whole = np.isfinite(scores.sel(metric=[reference, *pair]).to_numpy()).all(axis=0)
    kept = scores.where(xr.DataArray(whole, dims=("system", "item")))
    parts = [cells_of(kept, metric, reference=reference) for metric in pair]
    number = cluster_sums(parts[0])[2]
    total = number.sum(axis=0)
    own = [(cluster_sums(one)[:2], cluster_sizes(one)) for one in parts]
    human, *_ = (settle(sums[0].sum(axis=0) / total, sizes[0].sum(axis=0) / total) for sums, sizes in own)
    means, standardised, size = [], [], np.zeros(len(total))
    for cells, (sums, sizes) in zip(parts, own, strict=True):
        absolute = sizes[1].sum(axis=0) / total
        means.append(settle(sums[1].sum(axis=0) / total, absolute))
        centre, spread = _centre_and_spread(cells)
        standardised.append((sums[1] - centre * number) / spread)
        size += (absolute + np.abs(cells.metric[cells.there]).mean()) / spread
    return _Exchange(
        human=human,
        means=(means[0], means[1]),
        middle=(standardised[0] + standardised[1]).sum(axis=0) / total / 2,
        halves=(standardised[0] - standardised[1]) / total / 2,
        size=size,
        n_items=int(parts[0].there.any(axis=0).sum()),
    )


def _centre_and_spread(cells: Cells) -> tuple[float, float]:
    """Return mean and standard deviation of a metric's cells; of a constant metric its value and 1."""
    values = cells.metric[cells.there]
    low, high = float(values.min()), float(values.max())
    if float(difference(high, low, abs(high), abs(low))) == 0:
        return low, 1.0
    return float(values.mean()), float(values.std())


def _shifts(halves: Floats, permute: Permute, generator: np.random.Generator, n: int) -> Floats:
    """Return half the difference of the two metrics' means after random swaps, shape (resample, system)."""
    n_clusters, n_systems = halves.shape
    match permute:
        case "items":
            return _signs(generator, (n, n_clusters)) @ halves
        case "systems":
            return _signs(generator, (n, n_systems)) * halves.sum(axis=0)
        case _:
            return np.einsum("bcs,cs->bs", _signs(generator, (n, n_clusters, n_systems)), halves)


def _signs(generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return generator.integers(0, 2, shape, dtype=np.int8).astype(np.float64) * 2 - 1
