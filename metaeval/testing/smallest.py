"""The smallest input on which a law is broken, and how it is written down."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby

from metaeval.collection.assembly import collection_from_rankings
from metaeval.metrics.resolved import Metric
from metaeval.testing.laws import Law, how_broken
from metaeval.testing.simulated import Qrels, Rankings

_MOST_STEPS = 400
_SAME_WORDS = 2  # at the beginning of what is said of a law that is broken in the same way
_MOST_SHOWN = 14  # documents of a list


def smallest(law: Law, metric: Metric, rankings: Rankings, qrels: Qrels, first: str) -> str:
    """Take runs, topics and documents away as long as the law stays broken as `first` says, and say what is left."""
    said, steps = first, 0

    def still(smaller: Rankings, judged: Qrels) -> bool:
        nonlocal said, steps
        steps += 1
        if steps > _MOST_STEPS or not any(topic in judged for lists in smaller.values() for topic in lists):
            return False
        broken = how_broken(law, metric, collection_from_rankings(smaller, judged), smaller, judged)
        same = broken.split()[:_SAME_WORDS] == first.split()[:_SAME_WORDS]
        said = broken if same else said
        return same

    before = None
    while before != (rankings, qrels):
        before = (rankings, qrels)
        rankings, qrels = _once_smaller(rankings, qrels, still)
    return f"{said}; {_described(rankings, qrels)}"


def _once_smaller(rankings: Rankings, qrels: Qrels, still: Callable[[Rankings, Qrels], bool]) -> tuple[Rankings, Qrels]:
    """Take away what can go of the runs, of the topics, of the judgments and of the lists, each once."""
    systems = _fewest([*rankings], lambda kept: still(_only(rankings, kept), qrels))
    rankings = _only(rankings, systems)

    def on(topics: Sequence[str]) -> tuple[Rankings, Qrels]:
        return {system: _only(lists, topics) for system, lists in rankings.items()}, _only(qrels, topics)

    rankings, qrels = on(_fewest([*qrels], lambda kept: still(*on(kept))))
    for topic in qrels:
        judgments = partial(_with_judgments, qrels, topic)
        qrels = judgments(_fewest([*qrels[topic]], lambda kept: still(rankings, judgments(kept))))  # noqa: B023 - at once
    for system, lists in rankings.items():
        for topic, names in lists.items():
            listed = partial(_with_list, rankings, system, topic)
            rankings = listed(_fewest(names, lambda kept: still(listed(kept), qrels)))  # noqa: B023 - as above
    return rankings, qrels


def _with_judgments(qrels: Qrels, topic: str, kept: Sequence[str]) -> Qrels:
    return {**qrels, topic: _only(qrels[topic], kept)}


def _with_list(rankings: Rankings, system: str, topic: str, names: list[str]) -> Rankings:
    return {**rankings, system: {**rankings[system], topic: names}}


def _fewest(names: list[str], still: Callable[[list[str]], bool]) -> list[str]:
    """Return what is left of a list when halves, quarters, … and single ones are taken away as long as that goes."""
    size = len(names) // 2
    while size:
        start = 0
        while start < len(names):
            remaining = names[:start] + names[start + size :]
            if remaining and still(remaining):
                names = remaining
            else:
                start += size
        size //= 2
    return names


def _only[T](mapping: Mapping[str, T], names: Sequence[str]) -> dict[str, T]:
    return {name: mapping[name] for name in names if name in mapping}


def _described(rankings: Rankings, qrels: Qrels) -> str:
    """Write lists as people do: the grade behind every judged document."""
    several = len(qrels) > 1
    lists = [
        f"{f'topic {topic}: ' if several else ''}run {system} = {_written(names, qrels[topic])}"
        for system, of_topics in rankings.items()
        for topic, names in of_topics.items()
    ]
    listed = {name for of_topics in rankings.values() for names in of_topics.values() for name in names}
    others = [
        f"{f'topic {topic}: ' if several else ''}{_written(unlisted, judged)}"
        for topic, judged in qrels.items()
        if (unlisted := [name for name in judged if name not in listed])
    ]
    return "; ".join(lists) + (f"; judged besides: {'; '.join(others)}" if others else "")


def _written(names: Sequence[str], judged: Mapping[str, int]) -> str:
    """Name the judged documents with their grades, and say how many unjudged ones stand between them."""
    parts: list[str] = []
    for is_judged, group in groupby(names, key=judged.__contains__):
        members = list(group)
        parts += [f"{name} (grade {judged[name]})" for name in members] if is_judged else [f"{len(members):,} unjudged"]
    left_out = len(parts) - _MOST_SHOWN
    if left_out > 1:
        half = _MOST_SHOWN // 2
        parts[half:-half] = [f"{left_out:,} more"]
    return ", ".join(parts)
