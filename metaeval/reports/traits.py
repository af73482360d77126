"""What methods say of scores with clusters, strata, weights or gaps: one passage for all reports."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from metaeval.base.notes import RunVariances
from metaeval.reports.prose import prose
from metaeval.table.scores import Scores
from metaeval.table.units import units_of

say = prose(__name__)


def runs_said(scores: Scores) -> bool:
    """Say whether these are means over runs, which are in the errors."""
    return any(note.runs for note in scores.attrs.get("notes", ()) if isinstance(note, RunVariances))


def traits_said(
    scores: Scores, *, gaps: Literal["two-way", "paired", ""] = "two-way", left_out: Sequence[str] = ()
) -> str:
    """Return sentences on what the scores have beyond a number for every system and topic; nothing where that is all.

    Gaps are met by a two-way model of the means, only by pairs on common topics, or in words of the report's own.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> traits_said(as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"}))
    'The 3 topics come in 2 clusters, taken for a sample of clusters.'
    """
    units, there = units_of(scores), np.isfinite(scores.to_numpy())
    sentences = []
    if units.clustered or units.stratified:
        sentences.append(
            say("clusters" if units.clustered else "strata", n=len(units.names), n_topics=len(units.weights))
        )
    if units.weighted:
        sentences.append(say("weights", least=units.weights.min(), most=units.weights.max()))
    if runs_said(scores):
        sentences.append(say("runs"))
    if gaps and not there.all():
        sizes = {"n_missing": int((~there).sum()), "n_scores": there.size, "n": there.shape[1]}
        sentences.append(say("gaps", means=gaps == "two-way", **sizes))
    if left_out:
        sentences.append(say("left out", names=left_out))
    return " ".join(sentences)
