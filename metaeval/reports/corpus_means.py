"""Rates of errors whose order is another one for the corpus, where topics weigh by their sizes."""

import numpy as np

from metaeval.base.notes import CorpusMeans
from metaeval.reports.prose import prose
from metaeval.table.scores import Scores, better_direction
from metaeval.table.structure import mean_over_topics

say = prose(__name__)


def other_first_of_corpus(scores: Scores) -> str:
    """Say which system is best of a corpus, weighted by sizes, where that is not the one of the best mean; else ""."""
    notes = [note for note in scores.attrs.get("notes", ()) if isinstance(note, CorpusMeans)]
    if not notes or "weight" in scores.coords:
        return ""
    systems, metrics = (scores[dim].to_numpy().tolist() for dim in ("system", "metric"))
    plain, turn = mean_over_topics(scores), better_direction(scores)
    for at, metric in enumerate(metrics):
        of_corpus = {name: mean for note in notes for name, mean in note.means.get(metric, {}).items()}
        if not of_corpus.keys() >= {*systems}:
            continue
        means = np.array([of_corpus[name] for name in systems])
        first, ahead = int(np.argmax(plain[at] * turn[at])), int(np.argmax(means * turn[at]))
        if means[first] != means[ahead]:
            pair, figures = (systems[ahead], systems[first]), (means[ahead], means[first])
            return " " + say("turned", by=notes[0].by, metric=metric, pair=pair, figures=figures, n=len(systems))
    return ""
