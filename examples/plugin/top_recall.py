"""A metric in one file: ``metaeval score RUNS --qrels QRELS --plugin top_recall.py --metrics TopRecall@20``."""

from metaeval.metrics import RankedTopic, metric


@metric(name="TopRecall", monotone=True)
def top_recall(topic: RankedTopic, *, k: int) -> float:
    """Share of the topic's best documents (its highest level) that stand in the top k."""
    best = max(topic.n_per_level)
    found = (topic.levels[topic.ranks <= k] == best).sum()
    return found / topic.n_per_level[best]
