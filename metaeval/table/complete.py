"""The part of a table with gaps that has none: for procedures that need every system's score on every topic."""

import numpy as np

from metaeval.base.arrays import Flags
from metaeval.base.unit import unit_of
from metaeval.errors import ScoresError
from metaeval.table.scores import Scores

ENOUGH = 0.5
"""Share of the topics that the part must have to stand for the benchmark."""
_FEWEST = 6  # systems, three of which choose and three judge


def complete_block(scores: Scores) -> Scores:
    """Return the systems with most scores, on the topics that they all have: the largest such part without a gap.

    Systems enter in order of how many topics they have. The part has six systems at least (all, where there are fewer)
    and half of the topics.

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
    known = np.isfinite(scores.to_numpy()).all(axis=0)
    if known.all():
        return scores
    found = largest_block(known)
    if found is None:
        fewest = min(_FEWEST, len(known))
        raise ScoresError(f"fewer than {fewest} systems have half of the {unit_of(scores).topics} in common")
    return scores.isel(system=np.flatnonzero(found[0]), topic=np.flatnonzero(found[1]))


def largest_block(known: Flags) -> tuple[Flags, Flags] | None:
    """Say which systems and topics are the part, of the scores that are there; None if there is no such part.

    Examples
    --------
    >>> systems, topics = largest_block(np.array([[True, True, True], [True, False, True]]))
    >>> systems.tolist(), topics.tolist()
    ([True, True], [True, False, True])
    """
    order = np.argsort(-known.sum(axis=1), kind="stable")
    whole = np.logical_and.accumulate(known[order], axis=0)
    n_topics, n_systems = whole.sum(axis=1), np.arange(1, len(known) + 1)
    fewest = min(_FEWEST, len(known))
    size = np.where((n_systems >= fewest) & (n_topics >= ENOUGH * known.shape[1]), n_systems * n_topics, 0)
    if not size.any():
        return None
    last = len(size) - 1 - int(np.argmax(size[::-1]))  # of equals the one with more systems
    systems = np.zeros(len(known), dtype=bool)
    systems[order[: last + 1]] = True
    return systems, whole[last]
