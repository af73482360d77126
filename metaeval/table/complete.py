"""The part of a table with gaps that has none: for procedures that need every system's score on every topic."""

from collections import Counter
from collections.abc import Iterable
from heapq import nlargest

import numpy as np

from metaeval.base.arrays import Flags
from metaeval.base.unit import unit_of
from metaeval.errors import ScoresError
from metaeval.table.scores import Scores

ENOUGH = 0.5
"""Share of the topics that the part must have to stand for the benchmark."""
_FEWEST = 6  # systems: three choose the topics, three evaluate them
_MOST = 1024  # sets of topics: all intersections of ten
_KEPT = 128  # of more


def complete_block(scores: Scores) -> Scores:
    """Return systems and the topics that they all have, so that no score is missing: the largest part that is found.

    The part has six systems at least (all, where there are fewer) and half of the topics, and as many scores (systems
    times topics) as any other: `largest_block` says when that is certain.

    Raises
    ------
    ScoresError
        If there is no such part.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> scores = as_scores([[0.1, 0.2, 0.3], [0.1, 0.1, 0.2], [0.4, np.nan, 0.1]], missing="pairwise")
    >>> complete_block(scores)["topic"].to_numpy().tolist()
    ['1', '3']
    """
    observed = np.isfinite(scores.to_numpy()).all(axis=0)
    if observed.all():
        return scores
    block = largest_block(observed)
    if block is None:
        fewest = min(_FEWEST, len(observed))
        raise ScoresError(f"fewer than {fewest} systems have half of the {unit_of(scores).topics} in common")
    return scores.isel(system=np.flatnonzero(block[0]), topic=np.flatnonzero(block[1]))


def largest_block(known: Flags) -> tuple[Flags, Flags] | None:
    """Say which systems and topics are the part, of the scores that are there; None if none is found.

    Sought is the most scores, systems times topics; of equals the most systems. The largest part has the topics that
    some systems share, and all systems that have these. So the systems' own sets of topics are intersected one after
    another, the largest first. That finds the largest part where there are never more than 1,024 intersections with
    half of the topics, as with up to ten different sets of topics. Of more, those with most scores are kept; the part
    is then at least as large as any in which systems enter in the order of how many topics they have.

    Examples
    --------
    >>> systems, topics = largest_block(np.array([[True, True, True], [True, False, True]]))
    >>> systems.tolist(), topics.tolist()
    ([True, True], [True, False, True])
    """
    fewest, ordered = min(_FEWEST, len(known)), known[np.argsort(-known.sum(axis=1), kind="stable")]
    counts = Counter(_sets_of(ordered))

    def worth(topics: int) -> tuple[int, int]:
        n_systems = sum(n for topic_set, n in counts.items() if topic_set & topics == topics)
        return topics.bit_count() * n_systems * (n_systems >= fewest), n_systems

    def large(intersections: Iterable[int]) -> set[int]:
        return {topic_set for topic_set in intersections if topic_set.bit_count() >= ENOUGH * known.shape[1]}

    intersections: set[int] = set()
    for topic_set in counts:
        intersections |= large([topic_set, *(earlier & topic_set for earlier in intersections)])
        if len(intersections) > _MOST:
            intersections = set(nlargest(_KEPT, intersections, key=lambda topics: (*worth(topics), topics)))
    intersections |= large(_sets_of(np.logical_and.accumulate(ordered, axis=0)))
    best = max(intersections, key=lambda topics: (*worth(topics), topics), default=0)
    if not worth(best)[0]:
        return None
    topics = np.unpackbits(np.frombuffer(best.to_bytes(-(-known.shape[1] // 8)), np.uint8))[: known.shape[1]] > 0
    return known[:, topics].all(axis=1), topics


def _sets_of(rows: Flags) -> list[int]:
    """Return every row as the bits of a number: such numbers are intersected and counted fastest."""
    return [int.from_bytes(row.tobytes()) for row in np.packbits(rows, axis=1)]
