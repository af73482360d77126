"""Whether one metric agrees with human scores better than another does, both compared with the same scores."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement import items
from metaeval.agreement.human_statistics import STATISTICS, Statistic
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_count
from metaeval.base.results import Figure, Result
from metaeval.base.words import compared_p
from metaeval.errors import ScoresError
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.equality import difference, reaches, settle
from metaeval.running.parallel import in_one_order
from metaeval.running.workers import parallel_map
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.labels import those_that_differ
from metaeval.tests_stat.result import is_significant

Permute = Literal["items", "systems", "both"]

_BLOCK = 2**24
_SIZE = 2.0
"""Size of a difference of two correlations: each is a sum of terms whose absolute values make at most 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricComparison(Result):
    """Comparison of metrics by agreement with human scores."""

    table: pd.DataFrame
    """One row a pair: ``metric_a``, ``metric_b``, ``value_a``, ``value_b``, ``difference``, ``n_systems``,
    ``n_items``, ``p``, ``p_corrected``. Where a metric has no agreement (it is constant), p is NaN and not of the
    family that is corrected."""
    reference: str
    statistic: Statistic
    permute: Permute
    correction: str
    n_resamples: int
    random_source: str

    def _found(self) -> str:
        decided = self.decided()
        how = f"in how they agree with {self.reference} ({CORRECTIONS.words(self.correction)})"
        if len(decided) > 1:
            told = those_that_differ(decided["significant"], decided["p_corrected"], "pair of metrics")
            return f"{told} {how}" if decided["p_corrected"].notna().any() else told
        row = decided.iloc[0]
        if np.isnan(row["p_corrected"]):
            return f"{row['metric_a']} and {row['metric_b']} could not be compared {how}"
        differ = f"differ{'' if row['significant'] else ' not'} significantly".replace("differ not", "do not differ")
        return f"{row['metric_a']} and {row['metric_b']} {differ} {how}: p {compared_p(row['p_corrected'])}"

    def to_frame(self) -> pd.DataFrame:
        """Return the table with the question in columns of its own."""
        return self.table.assign(statistic=self.statistic, permute=self.permute, correction=self.correction)

    def _draw(self, *, alpha: float = 0.05) -> Figure:
        """Draw which metric is significantly better than which: a field a pair, the better one in the row."""
        from metaeval.figures.human import comparison_map  # noqa: PLC0415 - matplotlib

        sides = [self.table[[f"metric_{side}", f"value_{side}"]].set_axis(["metric", "value"], axis=1) for side in "ab"]
        values = pd.concat(sides).groupby("metric", sort=False)["value"].mean()
        order = values.sort_values(ascending=False, kind="stable").index
        return comparison_map(self.decided(alpha), order=[str(name) for name in order])

    def decided(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return the table with a column ``significant``: whether the two metrics differ at this level."""
        return self.table.assign(significant=is_significant(self.table["p_corrected"].to_numpy(), alpha))

    def wins(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return for every metric how many others it is significantly better than, and how many are better than it."""
        significant = self.decided(alpha).query("significant")
        ahead = significant["difference"] > 0
        better = pd.concat([significant.loc[ahead, "metric_a"], significant.loc[~ahead, "metric_b"]]).value_counts()
        worse = pd.concat([significant.loc[ahead, "metric_b"], significant.loc[~ahead, "metric_a"]]).value_counts()
        names = list(dict.fromkeys([*self.table["metric_a"], *self.table["metric_b"]]))
        return pd.DataFrame({"better_than": better, "worse_than": worse}).reindex(names).fillna(0).astype(int)


@in_one_order
def compare_with_human(  # noqa: PLR0913 - every option is one question
    scores: xr.DataArray,
    *,
    reference: str | None = None,
    statistic: Statistic = "pearson",
    permute: Permute = "systems",
    correction: str = "fdr_by",
    n_resamples: int = 1000,
    metrics: Sequence[str] | None = None,
    rng: RNGLike = None,
) -> MetricComparison:
    """Test by permutation which of two metrics agrees better with human scores of systems.

    Parameters
    ----------
    scores : DataArray (metric, system, item)
        From `item_scores`; with clusters whole clusters are exchanged; metrics where less is better are turned first.
    reference : str, optional
        The human scores.
    statistic : {"pearson", "spearman", "kendall", "accuracy"}
        Over systems, of their means over items.
    permute : {"systems", "both", "items"}
        What the two metrics exchange under the null hypothesis, after both are brought to mean 0 and variance 1: the
        scores of a system on all items ("systems"), of a system on a cluster of items ("both"), or of all systems on a
        cluster ("items"). The last two answer for these systems alone.
    correction : str
        Over all pairs of metrics.
    n_resamples : int
    metrics : sequence of str, optional
        The metrics to compare; all by default.
    rng : None, int or Generator

    Returns
    -------
    MetricComparison
        One row a pair (``metric_a``, ``metric_b``) in ``to_frame()``: agreement ``value_a`` and ``value_b``, their
        ``difference``, ``n_systems`` and ``n_items``, the p-value ``p`` and ``p_corrected`` (NaN where a metric is
        constant); and what was asked: ``statistic``, ``permute``, ``correction``.

    Raises
    ------
    UnknownNameError, InvalidOptionError
        For an option that does not exist or lies outside its rule.
    ScoresError
        If fewer than two metrics are left, or fewer than three systems have all three scores.

    See Also
    --------
    metaeval.agreement.williams.williams_test : where only one score a system is known

    Notes
    -----
    Two-sided; p = (k + 1) / (B + 1), k the resamples whose difference is at least as far from 0 as the one seen
    ([1]_: Perm-Both, Perm-Inputs, Perm-Systems). Metrics err by system: what they get wrong of one they get wrong on
    all its items. Where they do, exchanges of cells or clusters call .32 of equal metrics different at .05,
    exchanges of systems .06 (``benchmarks/reports/metric-exchange.md``). A pair is compared on the cells that have all
    three scores.

    References
    ----------
    .. [1] Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
       methods. TACL. :doi:`10.1162/tacl_a_00417`

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
    0.04
    """
    name = items.reference_of(scores, reference)
    scores = items.in_content_order(items.oriented(scores), name)
    check_choice(statistic, "statistic", STATISTICS)
    check_choice(permute, "way to permute", ("both", "items", "systems"))
    check_count(n_resamples, "n_resamples")
    metric_names = [str(metric) for metric in scores["metric"].to_numpy()]
    chosen = [
        str(metric) for metric in dict.fromkeys(metric_names if metrics is None else metrics) if str(metric) != name
    ]
    for metric in chosen:
        check_choice(metric, "metric", metric_names)
    if len(chosen) < 2:  # noqa: PLR2004 - a comparison takes two
        raise ScoresError("a comparison takes two metrics beside the human scores")
    source = resolve_rng(rng)
    seed = int(source.generator.integers(2**63))
    shared = (scores, name, STATISTICS[statistic], permute, seed, n_resamples)
    rows = parallel_map(_compared, list(combinations(chosen, 2)), shared=shared, description="comparing metrics")
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
    pair: tuple[str, str],
    scores: xr.DataArray,
    reference: str,
    statistic: Callable[[Floats, Floats], Floats],
    permute: Permute,
    seed: int,
    n_resamples: int,
) -> dict[str, object]:
    generator = np.random.default_rng(seed)
    exchange = _exchangeable(scores, reference, pair)
    human, halves = exchange.human, exchange.halves
    values = [float(statistic(human, means)) for means in exchange.means]
    observed = values[0] - values[1]
    n_clusters, n_systems = halves.shape
    block = max(1, _BLOCK // (n_clusters * (n_systems if permute == "both" else 1)))
    extreme = 0
    for start in range(0, n_resamples, block):
        shift = _shifts(halves, permute, generator, min(block, n_resamples - start))
        first, second = (
            statistic(human, settle(exchange.middle + signed_shift, exchange.size)) for signed_shift in (shift, -shift)
        )
        # an exchange that leaves no agreement to compare speaks against neither metric: it counts as far away
        drawn = np.abs(first - second)
        extreme += int((np.isnan(drawn) | reaches(drawn, abs(observed), _SIZE)).sum())
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
    """One pair of metrics on the cells that have all three scores."""

    human: Floats
    """Human means. Shape (system,)."""
    means: tuple[Floats, Floats]
    """Each metric's means in its own unit, as `human_agreement` takes them; those equal up to rounding tie. Shape
    (system,)."""
    middle: Floats
    """Mean of the two metrics' standardised means. Shape (system,)."""
    halves: Floats
    """What a swap of a cluster moves between the two, in standardised units. Shape (cluster, system)."""
    size: Floats
    """Sizes of the scores behind the standardised means. Shape (system,)."""
    n_items: int


def _exchangeable(scores: xr.DataArray, reference: str, pair: tuple[str, str]) -> _Exchange:
    complete = np.isfinite(scores.sel(metric=[reference, *pair]).to_numpy()).all(axis=0)
    common = scores.where(xr.DataArray(complete, dims=("system", "item")))
    parts = [items.compared_cells(common, metric, reference=reference) for metric in pair]
    number = items.cluster_sums(parts[0])[2]
    total = number.sum(axis=0)
    sums_and_sizes = [
        (items.cluster_sums(metric_cells)[:2], items.cluster_sizes(metric_cells)) for metric_cells in parts
    ]
    human, *_ = (settle(sums[0].sum(axis=0) / total, sizes[0].sum(axis=0) / total) for sums, sizes in sums_and_sizes)
    means, standardised, size = [], [], np.zeros(len(total))
    for cells, (sums, sizes) in zip(parts, sums_and_sizes, strict=True):
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


def _centre_and_spread(cells: items.ComparedCells) -> tuple[float, float]:
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
