"""What becomes of significant differences where topics count in the groups that a column of their file offers."""

from collections.abc import Mapping
from typing import NamedTuple, cast

import numpy as np

from metaeval.base.notes import OfferedClusters
from metaeval.errors import MetaevalError
from metaeval.table.scores import Scores
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import Alternative
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


def by_offered_clusters(result: PairwiseResult, scores: Scores) -> list[ByOffered]:
    """Return the metrics under which a column contradicts a decision, each with the column that contradicts most."""
    significant = result.data["significant"].to_numpy()
    if not significant.any() or {"cluster", "stratum"} & set(scores.coords):
        return []
    test = result.test if not TESTS.find(result.test).resampled else "t"
    contradicted: dict[str, ByOffered] = {}
    for column, clusters in _offered(scores).items():
        names = [clusters[topic] for topic in scores["topic"].to_numpy().tolist()]
        try:
            by = compare_systems(
                scores.sel(metric=list(result.metrics)).assign_coords(cluster=("topic", names)),
                test=test,
                alternative=cast("Alternative", result.alternative),
                correction=result.correction,
                alpha=result.alpha,
                baseline=result.baseline,
            )
        except MetaevalError:
            continue  # a test without clusters
        lost = significant & ~by.data["significant"].to_numpy()
        p_values = np.where(lost, by.data["p_corrected"].to_numpy(), -np.inf).max(axis=1)
        n_lost, n_in_all = lost.sum(axis=1).tolist(), significant.sum(axis=1).tolist()
        rows = zip(result.metrics, n_lost, n_in_all, p_values.tolist(), strict=True)
        for metric, n, of, p_value in rows:
            if n > (contradicted[metric].n_lost if metric in contradicted else 0):
                contradicted[metric] = ByOffered(metric, column, len({*names}), n, of, p_value)
    return list(contradicted.values())


def _offered(scores: Scores) -> dict[str, Mapping[str, str]]:
    """Return column to topic to group, of the columns that say something of every topic."""
    topics = {*scores["topic"].to_numpy().tolist()}
    merged: dict[str, dict[str, str]] = {}
    for note in scores.attrs.get("notes", ()):
        if isinstance(note, OfferedClusters):
            merged.setdefault(note.column, {}).update(note.clusters)
    return {column: clusters for column, clusters in merged.items() if clusters.keys() >= topics}
