"""Numbers that stand for no answer where all others are grades or scores: 99 or -1 beside 1 to 5."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats
from metaeval.base.names import first_few

_OF_SCORES = frozenset({9.0, 99.0, 999.0, 9999.0, 99999.0})
"""Numbers whose negatives stand for a missing score in many a table, whatever its scale; the larger ones themselves."""
ABOVE = frozenset({8.0, 66.0, 77.0, 88.0, 98.0, 888.0, 998.0}) | _OF_SCORES
"""What surveys write above a scale where there is no answer."""
_BELOW = frozenset({-1.0, *(-code for code in ABOVE)})
_MISSING, _RARE = -1.0, 0.1
"""In so small a share of scores -1 is an odd one."""
_FAR, _TEN, _HIGHEST, _MOST_GRADES, _FEWEST = 9.9, 10, 25, 12, 3


class NoAnswers(NamedTuple):
    """Numbers that hardly belong to the scale of all others."""

    counts: Mapping[float, int]
    """How often each is there; empty where none is."""
    low: float = 0.0
    high: float = 0.0
    """The ends of what all others are."""

    def where(self, numbers: Floats) -> Flags:
        """Return which numbers these are."""
        return np.asarray(np.isin(numbers, [*self.counts]))

    @property
    def named(self) -> str:
        """These numbers, with how often each is there, and what all others are."""
        listed = first_few([f"{code:g} ({n:,})" for code, n in self.counts.items()])
        return f"{listed} where all others are {self.low:g} to {self.high:g}"


def minus_ones(scores: Floats) -> Flags:
    """Return which scores are -1 where all others are at least 0, and they are seldom or of few systems; else none.

    Many of many systems may be losses, and beside others below 0 they are correlations. Shape (system, item).

    Examples
    --------
    >>> minus_ones(np.array([[0.5, -1.0], [0.2, 0.1], [0.3, 0.4]])).tolist()
    [[False, True], [False, False], [False, False]]
    >>> minus_ones(np.array([[0.5, -1.0, -0.2]])).any().item()
    False
    """
    coded = scores == _MISSING
    n_others = np.count_nonzero(scores >= 0)
    all_others = n_others + coded.sum() == scores.size - np.count_nonzero(np.isnan(scores))
    few = coded.sum() < _RARE * n_others or 2 * coded.any(axis=1).sum() < len(coded)
    return coded if all_others and few else np.zeros_like(coded)


def codes_among(numbers: Floats, said: Collection[float] = ()) -> NoAnswers:
    """Return the numbers that surely stand for no answer, but for those `said` to be grades.

    Of any numbers these are -9, -99 and so on where all others are 0 or more, and one of 99, 999 and so on that is ten
    times all others. Beside twelve whole grades at most, from 0 or 1 to 25 at most, they are also those above by what
    these span, and -1 and the like below by more than one grade, unless about as many are below 0 as above.

    Examples
    --------
    >>> scales = ([1, 5, 99], [1, 2, 3, -1], [0, 1, 2, -1], [-2, -1, 1, 2], [0.2, 0.7, -9], [0, 50, 99])
    >>> [[*codes_among(np.array(3 * scale, dtype=float)).counts] for scale in scales]
    [[99.0], [-1.0], [], [], [-9.0], []]
    """
    observed = numbers[np.isfinite(numbers)]
    if observed.min(initial=np.inf) not in _BELOW and observed.max(initial=-np.inf) not in ABOVE:
        return NoAnswers({})
    different, n_of = np.unique(observed, return_counts=True)
    levels = different.tolist()
    counts = dict(zip(levels, n_of.tolist(), strict=True))
    codes = _of_any_scores(levels)
    if (different == np.rint(different)).all() and 2 * len(levels) <= n_of.sum():
        codes |= _above([level for level in levels if level not in codes and level >= 0], counts)
        codes |= _below([level for level in levels if level not in codes])
    codes -= {*said}
    grades = [level for level in levels if level not in codes]
    if not codes or len(grades) < 2:  # noqa: PLR2004 - no scale
        return NoAnswers({})
    return NoAnswers({code: counts[code] for code in sorted(codes)}, grades[0], grades[-1])


def _of_any_scores(levels: Sequence[float]) -> set[float]:
    below = {level for level in levels if -level in _OF_SCORES}
    if below or len(levels) < 2 or levels[0] < 0:  # noqa: PLR2004 - no others
        return below if min({*levels} - below, default=-1.0) >= 0 else set()
    *_, most, largest = levels
    return {largest} if largest in _OF_SCORES and largest >= _FAR * max(most, 1) else set()


def _below(levels: Sequence[float]) -> set[float]:
    """Return the codes below whole grades."""
    negative, grades = [level for level in levels if level < 0], [level for level in levels if level >= 0]
    if not {*negative} <= _BELOW or not _are_a_scale(grades):
        return set()
    is_signed = 2 * len(negative) >= len(grades)
    return {code for code in negative if grades[0] - code > 1 and (not is_signed or -code > grades[-1])}


def _above(levels: Sequence[float], counts: Mapping[float, int]) -> set[float]:
    """Return the codes above whole grades, as many as are beyond their scale; 8 and 9 also are the next of some."""
    for at in range(2, len(levels)):
        grades, codes = levels[:at], levels[at:]
        distance, span = codes[0] - grades[-1], grades[-1] - grades[0]
        if not {*codes} <= ABOVE or not _are_a_scale(grades) or distance < _FEWEST:
            continue
        are_next = span == len(grades) - 1 and min(counts[code] for code in codes) > 1
        if (codes[0] >= _TEN or are_next) and (distance >= span or len(codes) > 1):
            return {*codes}
    return set()


def _are_a_scale(grades: Sequence[float]) -> bool:
    return 1 < len(grades) <= _MOST_GRADES and grades[0] <= 1 and grades[-1] <= _HIGHEST
