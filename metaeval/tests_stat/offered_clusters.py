"""What becomes of significant differences where topics count in the groups that a column of their file offers."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.notes import OfferedClusters
from metaeval.errors import MetaevalError
from metaeval.table.scores import Scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import FAMILY_WISE
from metaeval.tests_stat.result import PairwiseResult


class ByOffered(NamedTuple):
    """A metric under which pairs that differ significantly do not where topics count in groups."""

    metric: str
    column: str
    n_clusters: int
    n_lost: int
    n_significant: int
    p_value: float
    """The largest of these pairs, corrected."""


def decided_by_groups(result: PairwiseResult, scores: Scores | None) -> PairwiseResult:
    """Return the result of one pair that each column of groups decides too; any other as it is."""
    if result.n_pairs > 1 or scores is None or not (tested := _by_column(result, scores)):
        return result
    return result.with_groups(np.fmax.reduce([_p_values(by.result) for by in tested]))


def by_offered_clusters(result: PairwiseResult, scores: Scores) -> list[ByOffered]:
    """Return the metrics under which a column contradicts a decision, each with the column that contradicts most."""
    significant = result.data["significant"].to_numpy() | result.open_by_column()
    if not significant.any():
        return []
    contradicted: dict[str, ByOffered] = {}
    for column, n_clusters, by in _by_column(result, scores):
        lost = significant & ~by.data["significant"].to_numpy()
        p_values = np.where(lost, _p_values(by), -np.inf).max(axis=1)
        n_lost, n_in_all = lost.sum(axis=1).tolist(), significant.sum(axis=1).tolist()
        for row in zip(result.metrics, n_lost, n_in_all, p_values.tolist(), strict=True):
            by_groups = ByOffered(row[0], column, n_clusters, *row[1:])
            most = contradicted.get(by_groups.metric)
            if by_groups.n_lost and (
                most is None or (by_groups.n_lost, by_groups.p_value) > (most.n_lost, most.p_value)
            ):
                contradicted[by_groups.metric] = by_groups
    return list(contradicted.values())


def in_contradicting_groups(result: PairwiseResult, scores: Scores) -> Scores:
    """Return the scores with the groups of a column that leaves the one pair open as clusters; else as they are."""
    if not result.open_by_column().any():
        return scores
    worst = max(by_offered_clusters(result, scores), key=lambda row: row.p_value)
    return _in_groups(scores, _offered(scores)[worst.column])


def _in_groups(scores: Scores, clusters: Mapping[str, str]) -> Scores:
    return scores.assign_coords(cluster=("topic", [clusters[topic] for topic in scores["topic"].to_numpy().tolist()]))


class _Tested(NamedTuple):
    """The same test with the groups of a column as clusters."""

    column: str
    n_clusters: int
    result: PairwiseResult


def _by_column(result: PairwiseResult, scores: Scores) -> list[_Tested]:
    """Return the test under the groups of each column; none where clusters or strata are there already."""
    if {"cluster", "stratum"} & set(scores.coords):
        return []
    spec = TESTS.find(result.test if not TESTS.find(result.test).resampled else "t")
    correction = "holm" if result.correction == FAMILY_WISE and spec.name != result.test else result.correction
    tested = []
    for column, clusters in _offered(scores).items():
        grouped = _in_groups(scores.sel(metric=list(result.metrics)), clusters)
        asked = {name: getattr(result, name) for name in ("alternative", "alpha", "baseline")}
        try:
            by: PairwiseResult = spec.function(grouped, correction=correction, **asked)
        except MetaevalError:
            continue  # a test without clusters
        tested.append(_Tested(column, len({*grouped["cluster"].to_numpy().tolist()}), by))
    return tested


def _p_values(result: PairwiseResult) -> Floats:
    """Return what decides each pair, the largest of its p-values; 1 where it cannot be tested."""
    deciding = [result.data[name].to_numpy() for name in ("p_corrected", "p_reachable") if name in result.data]
    return np.nan_to_num(np.fmax.reduce(deciding), nan=1.0)


def _offered(scores: Scores) -> dict[str, Mapping[str, str]]:
    """Return column to topic to group, of the columns that say something of every topic."""
    topics = {*scores["topic"].to_numpy().tolist()}
    merged: dict[str, dict[str, str]] = {}
    for note in scores.attrs.get("notes", ()):
        if isinstance(note, OfferedClusters):
            merged.setdefault(note.column, {}).update(note.clusters)
    return {column: clusters for column, clusters in merged.items() if clusters.keys() >= topics}
