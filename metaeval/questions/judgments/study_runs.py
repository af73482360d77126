"""What a study of judgments starts from: runs that differ, and judgments that say what was judged."""

from collections.abc import Mapping

from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.resolved import AnyMetric
from metaeval.metrics.scoring import metric_values
from metaeval.resampling.pool_depths import lists_relevant_only, refuse_unknown_pool
from metaeval.resampling.pools import with_judged_pool
from metaeval.resampling.rescoring import FEWEST
from metaeval.table.scores import as_scores, identical_systems


def with_pool(
    collection: JudgedCollection, size: int | Mapping[str, int] | None, pool_depth: int | None
) -> tuple[JudgedCollection, list[str]]:
    """Count as judged what the judgments leave out, where the pool's size or depth tells, and say what was done."""
    if size is not None and pool_depth is not None:
        raise InvalidOptionError("`judged_pool_size` and `pool_depth` both say what was judged; give one of them")
    before = collection.by_document
    only = lists_relevant_only(before)
    if size is not None or (pool_depth is not None and only and before.retrieved is not None):
        collection = with_judged_pool(collection, size=size, pool_depth=None if size is not None else pool_depth)
        if added := collection.by_document.n_judgments - before.n_judgments:
            words = (
                f"the judgments list relevant documents only ({before.n_judgments:,}): {added:,} documents without a "
                "line, in the pools of the runs, count as judged and not relevant"
            )
            return collection, [words]
    elif only:
        words = (
            "the judgments list relevant documents only, so counts, shares and hours of judged documents leave out all "
            "that were judged and not relevant; `judged_pool_size` says how many documents a topic were judged"
        )
        return collection, [words]
    return collection, []


def unknown_pool(collection: Collection, pool_depth: int | None) -> str:
    """Say why the pool that was judged cannot be known, if it cannot."""
    try:
        if pool_depth is None:
            refuse_unknown_pool(collection)
    except InvalidOptionError as error:
        return str(error)
    return ""


def different_runs(
    collection: JudgedCollection, metrics: tuple[AnyMetric, ...]
) -> tuple[JudgedCollection, tuple[tuple[str, ...], ...]]:
    """Leave out runs with the scores of another one under every metric, but not out of the pool."""
    values = metric_values(collection, metrics)[:, :, collection.by_document.counted]
    names = [metric.name for metric in metrics]
    groups = identical_systems(as_scores(values, metrics=names, systems=list(collection.systems), fewest=1))
    dropped = [name for group in groups for name in group[1:]]
    if collection.n_systems - len(dropped) < FEWEST:
        return collection, ()  # nothing could be ranked; all runs tie, and that is shown
    return collection.set_aside(dropped), groups
