"""What systems are scored on: topics, items, nuggets or clusters. The scores say which, reports follow."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Unit(NamedTuple):
    """One of the things that systems are scored on, and what several of them belong to, as sentences call them."""

    topic: str
    topics: str
    a_topic: str
    Topic: str
    Topics: str
    cluster: str = "cluster"
    clusters: str = "clusters"
    Clusters: str = "Clusters"
    labelled: str = "item"
    """What judges label."""


TOPIC = Unit("topic", "topics", "a topic", "Topic", "Topics")
ITEM = Unit("item", "items", "an item", "Item", "Items")
NUGGET = Unit("nugget", "nuggets", "a nugget", "Nugget", "Nuggets", "topic", "topics", "Topics")
LABELLED_NUGGETS = TOPIC._replace(labelled="assignment")
CLUSTER = Unit(
    "cluster", "clusters", "a cluster", "Cluster", "Clusters", "higher cluster", "higher clusters", "Higher clusters"
)
HIGHER = Unit("higher cluster", "higher clusters", "a higher cluster", "Higher cluster", "Higher clusters")
_SPOKEN: ContextVar[Unit] = ContextVar("_SPOKEN", default=TOPIC)


def unit() -> Unit:
    """Return what the report that is being made speaks of.

    Examples
    --------
    >>> with speaking_of(ITEM):
    ...     f"{unit().Topics} needed: {unit().a_topic} more"
    'Items needed: an item more'
    >>> unit().topics
    'topics'
    """
    return _SPOKEN.get()


def unit_of(scores: object) -> Unit:
    """Return what scores are of: topics where their attributes say nothing else; of several tables, where one does.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=3, n_topics=5, rng=1)
    >>> unit_of(scores).topics, unit_of({"ann": scores.assign_attrs(topic_word="item")}).topics, unit_of(None).topics
    ('topics', 'items', 'topics')
    """
    if isinstance(scores, Mapping) and not hasattr(scores, "attrs"):
        return next((kind for kind in map(unit_of, scores.values()) if kind is not TOPIC), TOPIC)
    return unit_called(getattr(scores, "attrs", {}).get("topic_word"))


def unit_called(word: object) -> Unit:
    """Return what scores are of whose ``attrs["topic_word"]`` this is."""
    return {kind.topic: kind for kind in (ITEM, NUGGET, CLUSTER, HIGHER)}.get(str(word), TOPIC)


@contextmanager
def speaking_of(spoken: Unit) -> Iterator[None]:
    """Let what is said inside speak of these."""
    token = _SPOKEN.set(spoken)
    try:
        yield
    finally:
        _SPOKEN.reset(token)
