"""Find summary rows, columns on another scale and outliers in score tables.

Names alone tell little: a topic may be called "sum", a system "oracle". What a name suggests is looked up in the
numbers, and what the numbers alone suggest is told, not taken out.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import first_few, is_number
from metaeval.table.array import ScoreTable, has_gaps
from metaeval.table.roles import AVERAGES, PERHAPS, SPREADS, word_of

_CLOSE = 2e-3
_FEWEST_TOPICS, _FEWEST_OTHERS = 3, 2
_FAR = 10
_UNLIKE = 5
_MOST_ITEMS = 100
_TRIMMED = 0.005
_MANY = 1_000_000
"""More scores than these are first looked at by some of them."""
_MISSING = -1.0
_CODES = (-9.0, -99.0, -999.0, -9999.0, -99999.0)
"""Numbers that stand for a missing one in many a table."""
_EMPTY = "empty what is no score, and pass `missing='drop-topics'`"
_SCALES = (1.0, 100.0)
_PER_CENT = 10.0
"""Medians that scores from 0 to 1 cannot have, if they are written as per cents of any worth."""


def are_summaries(topics: Sequence[str]) -> list[bool]:
    """Say which of the names of topics are those of averages and spreads; where topics are numbers, any such word.

    Examples
    --------
    >>> are_summaries(["301", "302", "Mean", "max"]), are_summaries(["sum", "translate", "std"])
    ([False, False, True, True], [False, False, True])
    """
    words = [_word(name) for name in topics]
    sure_words, all_words = AVERAGES | SPREADS, AVERAGES | SPREADS | PERHAPS
    surely = [word in sure_words for word in words]
    others = [name for name, word in zip(topics, words, strict=True) if word not in all_words]
    if not others or not all(map(is_number, others)):
        return surely
    return [sure or word in PERHAPS for sure, word in zip(surely, words, strict=True)]


def _word(name: str) -> str:
    """Return a name as the words above are written, nothing for one that begins with a digit, as most of topics do."""
    return "" if name[:1].isdigit() else word_of(name)


def summary_topics(table: ScoreTable) -> dict[str, str]:
    """Return the topics that are called like a summary and hold one of all others, with what it is."""
    topics, scores = table.labels["topic"], table.scores
    summaries = AVERAGES | SPREADS | PERHAPS
    called = [_word(name) in summaries for name in topics]
    if not any(called) or len(topics) - sum(called) < _FEWEST_OTHERS or scores.ndim > 3:  # noqa: PLR2004 - no repeats
        return {}
    others = scores[:, :, ~np.array(called)]
    with np.errstate(over="ignore", invalid="ignore"):
        values_of = {
            "mean": others.mean(axis=2),
            "sum": others.sum(axis=2),
            "standard deviation": others.std(axis=2, ddof=1),
            "median": np.median(others, axis=2),
            "least": others.min(axis=2),
            "largest": others.max(axis=2),
        }
    found: dict[str, str] = {}
    for place in np.flatnonzero(called).tolist():
        own = scores[:, :, place]
        near = _CLOSE * max(float(np.nanmax(np.abs(own))), np.finfo(float).tiny)
        for what, values in values_of.items():
            if np.ptp(values) > near and np.allclose(own, values, rtol=0, atol=near):
                found[topics[place]] = what
                break
    return found


def odd_notes(table: ScoreTable) -> list[str]:
    """Say what in the scores looks like no score of a system on a topic.

    Notes
    -----
    On another scale, of fewer than half of the systems: half of the scores are off the scale of all other systems,
    which is 0 to 1 or 0 to 100 where these keep to it, and else their range with ten times its width at either end;
    or all are shares where the medians of all others are per cents from 10 on. Far beyond: farther outside the range
    of all but the half per cent of scores at either end than ten times its width. Nothing is left out.
    """
    notes: list[str] = []
    for metric, name in enumerate(table.labels["metric"]):
        scores = table.scores[metric].reshape(len(table.labels["system"]), -1)
        coded = np.zeros(scores.shape, dtype=bool)
        if np.nanmin(scores, initial=np.inf) < 0:
            coded = np.isin(scores, _CODES)
            coded &= bool(np.nanmin(scores[~coded], initial=np.inf) >= 0)
        if coded.any():
            where = _cells(coded, scores, table)
            notes.append(f"{where} under {name}, where all other scores are at least 0; {_EMPTY}")
        if scores.shape[0] <= _FEWEST_OTHERS or scores.shape[1] < _FEWEST_TOPICS or np.isnan(scores).all(axis=1).any():
            continue
        with np.errstate(over="ignore", invalid="ignore"):
            elsewhere = _on_another_scale(scores)
        systems = [table.labels["system"][place] for place in np.flatnonzero(elsewhere)]
        if systems:
            own, rest = scores[elsewhere], scores[~elsewhere]
            notes.append(
                f"another scale under {name}: {first_few(systems)} ({np.nanmin(own):.4g} to {np.nanmax(own):.4g}; all "
                f"others {np.nanmin(rest):.4g} to {np.nanmax(rest):.4g}); leave out what is no system"
            )
        if apart := off_scale(table.labels["topic"], scores) if scores.shape[1] == len(table.labels["topic"]) else "":
            notes.append(f"under {name}, {apart}; means over all are mostly theirs")
        told = np.where(elsewhere[:, None] | coded, np.nan, scores) if elsewhere.any() or coded.any() else scores
        notes += [f"{one} under {name}; {_EMPTY}" for one in _far_cells(told, table)]
    return notes


def off_scale(items: Sequence[str], values: NDArray[np.float64]) -> str:
    """Say which items, fewer than half, are on another scale than all others; of two, that they differ in it.

    `values` has the shape (system, item). Many items are not looked at.

    Examples
    --------
    >>> off_scale(["a", "b", "OCR"], np.array([[50.0, 60.0, 700.0], [40.0, 70.0, 600.0], [45.0, 61.0, 650.0]]))
    'OCR (600 to 700) has another scale than all other items (40 to 70)'
    """
    if not 1 < len(items) <= _MOST_ITEMS or len(values) < _FEWEST_OTHERS or np.isnan(values).all(axis=0).any():
        return ""
    with np.errstate(over="ignore", invalid="ignore"):
        if len(items) == _FEWEST_OTHERS:
            low, high = sorted(np.nanmedian(np.abs(values), axis=0).tolist())
            elsewhere = np.array([False, high > _UNLIKE * low])
        else:
            elsewhere = _on_another_scale(values.T)
    if not elsewhere.any():
        return ""
    names = [item for item, off in zip(items, elsewhere, strict=True) if off]
    off, rest = values[:, elsewhere], values[:, ~elsewhere]
    verb = "has" if len(names) == 1 else "have"
    return (
        f"{first_few(names)} ({np.nanmin(off):.4g} to {np.nanmax(off):.4g}) {verb} another scale than all other items "
        f"({np.nanmin(rest):.4g} to {np.nanmax(rest):.4g})"
    )


def _on_another_scale(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which systems, fewer than half, have half of their scores off the scale of all others, or only shares."""
    low, high = np.nanmin(scores, axis=1), np.nanmax(scores, axis=1)
    scales = [_scale(np.delete(low, place).min(), np.delete(high, place).max()) for place in range(len(scores))]
    if all(begin <= low[at] and high[at] <= end != _SCALES[1] for at, (begin, end) in enumerate(scales)):
        return np.zeros(len(scores), dtype=bool)
    middle = (np.nanmedian if np.isnan(scores).any() else np.median)(scores, axis=1)
    found = np.zeros(len(scores), dtype=bool)
    for place, (begin, end) in enumerate(scales):
        per_cents = end == _SCALES[1] and np.delete(middle, place).min() >= _PER_CENT
        shares = low[place] >= 0 and middle[place] > 0 and high[place] <= _SCALES[0]
        found[place] = not begin <= middle[place] <= end or (per_cents and shares)
    return found if 2 * found.sum() < len(found) else np.zeros_like(found)


def _scale(least: float, largest: float) -> tuple[float, float]:
    """Return where scores of this range may lie: from 0 to 1 or 100 if they do, else ten times its width around it."""
    if least >= 0 and largest <= _SCALES[-1]:
        return 0.0, next(scale for scale in _SCALES if largest <= scale)
    far = _FAR * (largest - least)
    return least - far, largest + far


def _far_cells(scores: NDArray[np.float64], table: ScoreTable) -> list[str]:
    """Name scores far beyond all others, and -1 among scores from 0 on."""
    values = scores[~np.isnan(scores)] if has_gaps(scores) else scores.ravel()
    cut = max(1, round(_TRIMMED * len(values)))
    if len(values) <= 2 * cut or (len(values) > _MANY and _are_near(values, cut)):
        return []
    least, largest = np.partition(values, (cut, len(values) - cut - 1))[[cut, len(values) - cut - 1]]
    if least == largest:
        return []
    words = []
    with np.errstate(over="ignore", invalid="ignore"):
        far = _FAR * (largest - least)
        beyond = (scores < least - far) | (scores > largest + far)
        coded = scores == _MISSING
    if beyond.any():
        words.append(f"far from all other scores: {_cells(beyond, scores, table)}")
    if coded.any() and (values[values != _MISSING] >= 0).all() and coded.sum() <= cut:
        words.append(f"-1 where all other scores are at least 0: {_cells(coded, scores, table)}")
    return words


def _are_near(values: NDArray[np.float64], cut: int) -> bool:
    """Say whether scores from 0 on are seen to be near each other by two counts, which take less time than two ranks.

    Where more than `cut` scores lie at or beyond either of two bounds, the range of all but these is no narrower.
    """
    low, high = np.quantile(values[:: max(1, len(values) // 10_000)], (0.05, 0.95))
    far = (_FAR - 1) * (high - low)  # one less, for rounding
    inside = values.min() >= max(0.0, low - far) and values.max() <= high + far
    return bool(inside and np.count_nonzero(values <= low) > cut < np.count_nonzero(values >= high))


def _cells(chosen: NDArray[np.bool_], scores: NDArray[np.float64], table: ScoreTable) -> str:
    systems, topics = table.labels["system"], table.labels["topic"]
    repeats = scores.shape[1] // len(topics)
    rows = [
        f"{scores[system, at]:g} ({systems[system]!r} on {topics[at // repeats]!r})"
        for system, at in np.argwhere(chosen)
    ]
    return first_few(rows, most=3)
