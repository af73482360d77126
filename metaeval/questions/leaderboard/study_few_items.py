"""Systems of a leaderboard with gaps: which are ranked, and what it says without those of far fewer items."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import refused
from metaeval.base.names import first_few, natural_order
from metaeval.base.notes import KeptGaps
from metaeval.base.results import Result
from metaeval.base.unit import unit_of
from metaeval.resampling.cluster_residuals import placed
from metaeval.resampling.ranks import RankIntervals
from metaeval.table.scores import Scores, note_of_gaps
from metaeval.table.structure import settled_mean_over_topics
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import PairwiseResult

_THIN = 0.5
"""Share of the topics of the median system below which a system is thin."""
_KEYS = ["metric", "system_a", "system_b"]
_LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WithoutThin(Result):
    """The ranking of the other systems with and without those that have few of the topics."""

    thin: pd.DataFrame
    """The columns system and n_topics (those that it has, under the metric with fewest), fewest first."""
    typical: tuple[int, ...]
    """Topics of the median system, under every metric; each number once."""
    ranks: pd.DataFrame
    """One row a metric and other system, best first: metric, system, rank (among the others, with thin systems on the
    board) and rank_without; rank_low and rank_high, without them, where there are intervals."""
    counts: pd.DataFrame
    """One row a metric; see `to_frame`."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric.

        n_systems (others) and n_pairs of them, of which n_significant are separated with the thin systems on the board,
        n_without without them and n_both in both (with the errors of their draws, significant_error and
        without_error); n_changed, systems with another rank among the others; first and first_without, how many
        systems may be first (missing where ranks have no intervals), with first_error and first_without_error.
        """
        return self.counts.copy()


def without_thin(
    table: Scores,
    ranks: RankIntervals | None,
    comparison: PairwiseResult,
    ranked: Callable[[Scores], RankIntervals],
) -> WithoutThin | None:
    """Rank and compare the systems of a leaderboard once more without its thin ones, if it has any.

    A system is thin that has fewer than half of the topics of the median system, under any metric. Pairs are decided as
    on the board: by rank intervals, or by the t test with Holm's correction where it has none.
    """
    n_observed = np.isfinite(table.to_numpy()).sum(axis=2)
    typical = np.median(n_observed, axis=1)
    is_thin = (n_observed < _THIN * typical[:, None]).any(axis=0)
    if not is_thin.any() or (~is_thin).sum() < _LEAST:
        return None
    remaining, _ = placed_systems(table.isel(system=~is_thin))
    names = remaining["system"].to_numpy().tolist()
    ranks_without = None if ranks is None else ranked(remaining)
    again = compare_systems(remaining, test="t", correction="none", alpha=comparison.alpha)
    pairs = _decided(ranks, comparison).merge(_decided(ranks_without, again), on=_KEYS, suffixes=("", "_without"))
    pairs["both"] = pairs["significant"] & pairs["significant_without"]
    of = pairs.groupby("metric", sort=False)
    sums = of[["significant", "error", "significant_without", "error_without", "both"]].sum().reset_index()
    sums.columns = pd.Index(["metric", "n_significant", "significant_error", "n_without", "without_error", "n_both"])
    places = _ranks(table, remaining).assign(place=lambda counted: counted["metric"].map(comparison.metrics.index))
    if ranks_without is not None:
        rank_ends = ranks_without.to_frame()[["metric", "system", "rank_low", "rank_high"]]
        places = places.merge(rank_ends, on=["metric", "system"])
    places = places.sort_values(["place", "rank"], kind="stable", ignore_index=True).drop(columns="place")
    changed = (places["rank"] != places["rank_without"]).groupby(places["metric"]).sum()
    counts = sums.assign(
        n_systems=len(names),
        n_pairs=of.size().to_numpy(),
        n_changed=sums["metric"].map(changed),
        **_firsts(ranks, ""),
        **_firsts(ranks_without, "_without"),
    )
    thin = pd.DataFrame({"system": table["system"].to_numpy()[is_thin], "n_topics": n_observed.min(axis=0)[is_thin]})
    return WithoutThin(
        thin=thin.sort_values("n_topics", kind="stable", ignore_index=True),
        typical=tuple(sorted({int(counted) for counted in typical})),
        ranks=places,
        counts=counts,
    )


def _decided(ranks: RankIntervals | None, comparison: PairwiseResult) -> pd.DataFrame:
    """Return what is decided about each pair, and how open that is for the draws."""
    if ranks is None:
        return comparison.with_correction("holm").to_frame()[[*_KEYS, "significant"]].assign(error=0.0)
    return ranks.pairs()[[*_KEYS, "significant"]].assign(error=ranks.open_pairs().ravel())


def _firsts(ranks: RankIntervals | None, which: str) -> dict[str, NDArray[np.float64] | float]:
    if ranks is None:
        return {f"first{which}": np.nan, f"first{which}_error": np.nan}
    leading = (ranks.data["rank_low"].to_numpy() == 1).sum(axis=1)
    return {f"first{which}": leading, f"first{which}_error": ranks.open_firsts()}


def _ranks(table: Scores, rest: Scores) -> pd.DataFrame:
    """Return the ranks among the others, by the means of the whole board and by those without thin systems."""
    metrics, names = table["metric"].to_numpy(), rest["system"].to_numpy()
    positions = pd.Index(table["system"].to_numpy()).get_indexer(pd.Index(names))
    columns = {"metric": metrics.repeat(len(names)), "system": np.tile(names, len(metrics))}
    for name, means in (
        ("rank", settled_mean_over_topics(table)[:, positions]),
        ("rank_without", settled_mean_over_topics(rest)),
    ):
        columns[name] = 1 + (means[:, :, None] < means[:, None, :]).sum(axis=2).ravel()
    return pd.DataFrame(columns)


def placed_systems(table: Scores) -> tuple[Scores, list[str]]:
    """Return the scores of the systems that have enough to be ranked, and a note of the others."""
    there = placed(table)
    if there.all() or there.sum() <= 1:
        return table, []
    names, spoken = table["system"].to_numpy()[~there].tolist(), unit_of(table)
    where = f"in two {spoken.clusters} of {spoken.topics}" if "cluster" in table.coords else f"on two {spoken.topics}"
    note = f"left out, without scores {where} that others have too: {first_few(natural_order(names))}"
    ranked = table.isel(system=np.flatnonzero(there))
    notes = [earlier for earlier in table.attrs.get("notes", ()) if not isinstance(earlier, KeptGaps)]
    notes += [note_of_gaps(ranked)] * bool(np.isnan(ranked.to_numpy()).any())
    return ranked.assign_attrs(notes=notes), [note]


def check_ranked(
    given: Scores, ranked: Scores, asked: Mapping[str, Sequence[tuple[str, str]]], left_out: Sequence[str]
) -> None:
    """Refuse values of options, each with a name in it, that name a system or group without enough scores.

    The note of those left out says why.
    """
    gone = _names(given) - _names(ranked) if left_out else set()
    for option, values in asked.items():
        for value, name in values:
            if isinstance(name, str) and name in gone:
                why = left_out[0].partition(":")[0]
                raise refused(option, f"names {name!r}, which is {why}; name another", value)


def _names(scores: Scores) -> set[str]:
    return {
        name for coord in ("system", "group") if coord in scores.coords for name in scores[coord].to_numpy().tolist()
    }
