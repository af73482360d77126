"""Single topics that are whole tasks, on which systems differ by the standard errors that files give."""

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.notes import ItemErrors
from metaeval.reports.prose import prose
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, oriented_values
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.result import PairwiseResult, is_significant
from metaeval.tests_stat.tails import normal_tail, times

_SPELT_OUT = 2
"""Metrics under which the topics are named on which two systems differ."""
say = prose(__name__)


def on_single_topics(result: PairwiseResult) -> str:
    """Say on which topics systems differ by the errors that files give, corrected over topics and pairs of a metric.

    Tasks as a sample of tasks are another question, which few tasks leave open. "" where files give no errors.
    """
    scores = result.scores
    if scores is None or scores.dims != DIMS or not np.isfinite(errors := _errors_of(scores)).any():
        return ""
    names = scores["system"].to_numpy().tolist()
    first, second = ([names.index(name) for name in result.data[side].to_numpy()] for side in ("system_a", "system_b"))
    values = oriented_values(scores)
    z = (values[:, first] - values[:, second]) / np.hypot(errors[:, first], errors[:, second])
    p = times(normal_tail(-np.abs(z)), 2).p
    side = np.sign(z) * is_significant(adjust(p.reshape(len(p), -1), "holm").reshape(p.shape), result.alpha)
    n, n_apart = np.isfinite(z).sum(), np.count_nonzero(np.nan_to_num(side))
    if not n:
        return ""
    ahead = _ahead(side[:, 0], scores, (names[first[0]], names[second[0]])) if result.n_pairs == 1 else []
    return " " + say("singly", ahead=ahead, n=n, n_apart=n_apart)


def _ahead(side: Floats, scores: Scores, pair: tuple[str, str]) -> list[str]:
    """Say on which topics the first of two systems, and the second, is better under each of few metrics."""
    topics, metrics = scores["topic"].to_numpy(), scores["metric"].to_numpy().tolist()
    return [
        say("better", who=who, where=topics[of_metric == turn].tolist(), under=metric if len(metrics) > 1 else "")
        for metric, of_metric in zip(metrics, side, strict=True)
        for who, turn in zip(pair, (1, -1), strict=True)
        if len(metrics) <= _SPELT_OUT and (of_metric == turn).any()
    ]


def _errors_of(scores: Scores) -> Floats:
    """Return the standard errors that files give, NaN where they give none or 0. Shape (metric, system, topic)."""
    errors = np.full(scores.shape, np.nan)
    metrics, systems, topics = ({name: at for at, name in enumerate(scores[dim].to_numpy().tolist())} for dim in DIMS)
    for note in scores.attrs.get("notes", ()):
        for metric, by_system in note.errors.items() if isinstance(note, ItemErrors) else ():
            for system, by_topic in by_system.items():
                if metric in metrics and system in systems:
                    error_at = {topics[name]: error for name, error in by_topic.items() if name in topics}
                    errors[metrics[metric], systems[system], list(error_at)] = list(error_at.values())
    return np.where(errors > 0, errors, np.nan)
