"""Pairs that a reader of a leaderboard looks at, each kind a family of its own: neighbours, the best, a baseline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice, check_kind, check_list
from metaeval.base.names import first_few
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import PairwiseResult

Family = Literal["adjacent", "best", "baseline"]
type Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFamilies(Result):
    """A test's decisions within families of pairs, for every metric."""

    results: Mapping[tuple[str, str], PairwiseResult]
    """Family and metric to the test on the pairs of that family alone, uncorrected; correct it as any other."""
    corrections: tuple[str, ...]
    """What `to_frame` and `counts` correct by."""
    baselines: tuple[str, ...]

    def _found(self) -> str:
        rows = self.counts().query("correction == @self.corrections[0]")
        words = [
            f"{row.n_significant} of {row.n_pairs} in {row.family} under {row.metric}" for row in rows.itertuples()
        ]
        return f"pairs that differ significantly: {first_few(words)} ({CORRECTIONS.words(self.corrections[0])})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a family, metric and pair, in the order of the leaderboard.

        The columns are ``family``, ``metric``, ``system_a`` (the one that stands higher; beside a baseline the other
        one), ``system_b``, ``difference``, ``statistic``, ``p_value``, ``log10_p``, and for every correction ``p_`` and
        ``significant_`` with its name.
        """
        frames = []
        for (family, metric), result in self.results.items():
            data = result.data
            columns: dict[str, Any] = {"family": family, "metric": metric}
            columns |= {name: data[name].to_numpy() for name in ("system_a", "system_b")}
            some = data["n_common"].to_numpy().ravel() > 0 if "n_common" in data else True
            for name in ("difference", "statistic", "p_value", "log10_p"):
                columns[name] = np.where(some, data[name].to_numpy()[0], np.nan)
            for name in self.corrections:
                p_corrected, significant = result.corrected(name, result.alpha)
                columns[f"p_{name}"] = np.where(np.isnan(columns["p_value"]), np.nan, p_corrected[0])
                columns[f"significant_{name}"] = significant[0]
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    def counts(self) -> pd.DataFrame:
        """Return one row a family, metric and correction ("none" first): n_significant, n_pairs (tested), share."""
        rows = []
        for (family, metric), result in self.results.items():
            for name in dict.fromkeys(["none", *self.corrections]):
                n_significant = int(result.corrected(name, result.alpha)[1].sum())
                row = {"family": family, "metric": metric, "correction": name, "n_significant": n_significant}
                n_tested = int(result.n_tested[0])
                rows.append(row | {"n_pairs": n_tested, "share": n_significant / n_tested if n_tested else np.nan})
        return pd.DataFrame(rows)


def pair_families(
    result: PairwiseResult,
    *,
    families: Iterable[Family] = ("adjacent", "best"),
    baseline: str | Sequence[str] | None = None,
    corrections: str | Sequence[str] = ("holm", "fdr_by"),
    means: NDArray[np.float64] | None = None,
) -> PairFamilies:
    """Test neighbours on a leaderboard, pairs with the best system and pairs with a baseline, as separate families.

    Fewer pairs ask for less correction: N - 1 in each family instead of N (N - 1) / 2, or N - 1 for each baseline.

    Parameters
    ----------
    result : PairwiseResult
        Any test of the catalogue over all pairs, two-sided or "better".
    families : iterable of {"adjacent", "best", "baseline"}, default ("adjacent", "best")
        "adjacent": every system and the next by mean; "best": the system of the best mean and every other;
        "baseline": each of `baseline` and every other, one family whatever their number. Systems stand by how many
        others each is ahead of, which is the order of their means where nothing is missing; ties in their order of
        appearance.
    baseline : str or sequence of str, optional
        Systems; add their family. A pair of two of them is in it once.
    corrections : str or sequence of str, default ("holm", "fdr_by")
        See `metaeval.tests_stat.correction.adjust`.
    means : array (metric, system), optional
        By which systems stand instead, higher better, in the order of their appearance.

    Returns
    -------
    PairFamilies
        One row a ``family``, ``metric`` and pair in ``to_frame()``, with ``p_`` and ``significant_`` before the name of
        every correction; see `PairFamilies.to_frame`. Without common topics the figures of a pair are NaN.

    Raises
    ------
    InvalidOptionError
        If the test's p-values take no correction, a direction was fixed beforehand, only pairs with one system were
        tested, or the baseline is missing or unknown.

    See Also
    --------
    metaeval.resampling.ranks.rank_intervals : decisions that hold whatever pairs one looks at afterwards

    Notes
    -----
    Holm and Benjamini-Yekutieli keep their level for pairs that were chosen before the scores were seen: a baseline
    is. Which systems are neighbours, and which is best, the same scores decide. Neighbours are the pairs that differ
    least, so that significant ones are rarer than the level lets expect; the best system's lead is the one that luck
    has most to do with, so that its family is to be read with the rank intervals beside it.

    Examples
    --------
    >>> from metaeval import compare_systems
    >>> made = np.random.default_rng(1).normal([[0.0], [0.4], [0.5]], 0.5, (3, 40))
    >>> pair_families(compare_systems(made)).to_frame()[["family", "system_a", "system_b", "significant_holm"]]
         family system_a system_b  significant_holm
    0  adjacent  system3  system2             False
    1  adjacent  system2  system1              True
    2      best  system3  system2             False
    3      best  system3  system1              True
    """
    check_kind(result, "result", "PairwiseResult")
    baselines = baselines_of(baseline)
    wanted = [*families, *(["baseline"] if baselines else [])]
    for family in wanted:
        check_choice(family, "family of pairs", get_args(Family))
    _refuse(result)
    bare = result.with_correction("none")
    sides = [bare.data[side].to_numpy().tolist() for side in ("system_a", "system_b")]
    names = list(dict.fromkeys(sides[0] + sides[1]))
    for name in baselines or ([None] if "baseline" in wanted else []):
        check_choice(name, "baseline", names)
    index = pd.Index(names)
    a, b = (index.get_indexer(pd.Index(side)) for side in sides)
    pair = np.zeros((len(names), len(names)), dtype=np.int64)
    pair[a, b] = pair[b, a] = np.arange(len(a))
    results: dict[tuple[str, str], PairwiseResult] = {}
    for family in dict.fromkeys(wanted):
        for position, metric in enumerate(bare.metrics):
            order = _best_first(bare.data["better"].to_numpy()[position], a, b, len(names))
            if means is not None:
                order = np.argsort(-means[position], kind="stable")
            first, second = _members(family, order, list(map(names.index, baselines)))
            results[family, metric] = _restricted(
                bare, position, pair[first, second], turned=a[pair[first, second]] != first
            )
    return PairFamilies(
        results=MappingProxyType(results),
        corrections=tuple(CORRECTIONS.several(corrections)),
        baselines=baselines,
    )


def baselines_of(baseline: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the baselines named, each once.

    Examples
    --------
    >>> baselines_of("bm25"), baselines_of(["bm25", "lm", "bm25"]), baselines_of(None)
    (('bm25',), ('bm25', 'lm'), ())
    """
    return () if baseline is None else tuple(dict.fromkeys(check_list(baseline, "baseline", ["bm25", "lm"])))


def _refuse(result: PairwiseResult) -> None:
    if result.family_wise_only:
        message = f"the p-values of {result.test!r} are family-wise over all pairs; take a test with one for each pair"
        raise InvalidOptionError(message)
    if result.alternative not in {"two-sided", "better"}:
        raise InvalidOptionError(
            f"families need a test that is two-sided or asks which is better, not `alternative={result.alternative!r}`"
        )
    if result.baseline is not None:
        message = f"only the pairs with {result.baseline!r} were tested; families need a test over all pairs"
        raise InvalidOptionError(message)


def _best_first(better: NDArray[np.int8], a: Whole, b: Whole, n_systems: int) -> Whole:
    """Return the systems in the order of their means: by how many others each stands ahead of, less behind."""
    lead = np.bincount(a, better, n_systems) - np.bincount(b, better, n_systems)
    return np.argsort(-lead, kind="stable")


def _members(family: str, order: Whole, baselines: Sequence[int]) -> tuple[Whole, Whole]:
    """Return the two systems of every pair, in the order of the leaderboard."""
    if family == "adjacent":
        return order[:-1], order[1:]
    if family == "best":
        return np.repeat(order[0], len(order) - 1), order[1:]
    others = [order[~np.isin(order, baselines[: position + 1])] for position, baseline in enumerate(baselines)]
    return np.concatenate(others), np.repeat(baselines, list(map(len, others)))


def _restricted(result: PairwiseResult, place: int, pairs: Whole, *, turned: NDArray[np.bool_]) -> PairwiseResult:
    """Return the result of one metric on some pairs, some of them the other way round."""
    data = result.data.isel(metric=[place], pair=pairs)
    sign = np.where(turned, -1, 1)
    sides = [data[side].to_numpy() for side in ("system_a", "system_b")]
    swapped = [np.where(turned, opposite, labels) for labels, opposite in (sides, sides[::-1])]
    changed = {name: (("metric", "pair"), data[name].to_numpy() * sign) for name in ("difference", "statistic")}
    changed["better"] = (("metric", "pair"), (data["better"].to_numpy() * sign).astype(np.int8))
    data = data.assign(changed).assign_coords(system_a=("pair", swapped[0]), system_b=("pair", swapped[1]))
    return replace(result, data=data).with_correction("none")
