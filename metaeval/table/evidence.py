"""Which rows of numbers are made of the others: means, sums, spreads, extremes, differences of two.

A row stands for a system or an item here, its units are what it has scores on. A row that others make is no score, and
one that luck could make so is one: the smaller the chance that scores meet a value by luck, the surer the judgement.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import compress
from typing import NamedTuple

import numpy as np

from metaeval.base.arrays import Flags, Floats
from metaeval.base.names import first_few
from metaeval.running.parallel import in_one_order

_UNITS = 64
"""Units that tell what is looked for, before all of them are asked."""
_MOST = 60
"""More rows than these are compared with what sums up all others alone."""
_FEW = 12
"""So many rows may be in any set of those that have a mean together."""
_SURE, _SURE_OF_TIES, _LIKELY = 1e-5, 1e-4, 1e-2
"""The largest chance of luck of what is left out, of one of the others by rank, and of what is told."""
_FEWEST, _FIRST, _CLOSE = 3, 4, 2e-3
_ALIKE, _ENOUGH = 0.999, 6
"""Correlation from which on two units say the same of the rows, and rows of which it is no luck."""
_FAR = 10
_MOST_LABELS, _NEARLY = 11, 0.9
"""More numbers are no labels; in so large a share of the units what is called so is the majority."""
_SCALES = (1.0, 100.0)
PER_CENT = 10.0
"""Medians that scores from 0 to 1 cannot have, if they are written as per cents of any worth."""


_MAYBE = "made"
"""Role of names of what is made of others, and of systems too, such as delta: luck must be ruled out as for any."""
EXTREMES = ("range", _MAYBE)
SETTLED = "settled"
"""Role of names of labels that were settled on after others were given."""
ROLES_MADE = ("aggregate", "sd", "error", "half", _MAYBE)
"""Roles of rows that hold the largest or the least of others, and of those that hold means and spreads."""
NOTHING: Mapping[int, str] = {}
_TIES = ("the largest", "the least")
_RANKED = (*_TIES, "the median", "the second")


class MadeRow(NamedTuple):
    """A row that others make."""

    place: int
    what: str
    """Such as "the mean of 'a' and 'b'"."""
    sure: bool = True


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def made_of_others(names: Sequence[str], values: Floats, called: Mapping[int, str] = NOTHING) -> list[MadeRow]:
    """Return the rows that others make, to their last digit on every unit.

    `values` has the shape (row, unit), NaN where there is none. The rows at `called` have names of a role
    that others make: it is enough that the numbers agree with it, and others are first sought without them.

    Examples
    --------
    >>> a, b = np.array([0.31, 0.52, 0.11, 0.24, 0.63, 0.45]), np.array([0.42, 0.13, 0.77, 0.91, 0.38, 0.59])
    >>> made_of_others(["a", "b", "gain"], np.array([a, b, b - a]))
    [MadeRow(place=2, what="'b' minus 'a'", sure=True)]
    """
    if len(names) < _FEWEST:
        return []
    some = values[:, :: max(1, values.shape[1] // _UNITS)]
    base = [at for at, known in enumerate(np.isfinite(some).any(axis=1)) if known and at not in called]
    answers = [at for at in base if _are_answers(some[at])]
    scored = [at for at in base if at not in {*answers}] if len(answers) >= max(_FEWEST, len(base) // 2) else []
    found: list[MadeRow] = []
    for at in dict.fromkeys([*called, *scored, *_candidates(some, base)]):
        taken = {at, *(made.place for made in found)}
        among = [base, range(len(names))] if called else [base]
        among = [answers, *among] if at in scored else among
        for others in ([other for other in rows if other not in taken] for rows in among):
            made = _judged(names, some, at, others, called.get(at, ""))
            if made is not None and some.shape != values.shape:
                made = _judged(names, values, at, others, called.get(at, ""))
            if made is not None:
                found.append(made)
                break
    return sorted(found)


def _candidates(values: Floats, base: Sequence[int]) -> list[int]:
    """Return the rows to be looked at, the last first: all of a few, and of many those that may sum up all others."""
    if len(base) <= _MOST:
        return [*base[::-1]]
    own = values[base]
    own = own[:, np.isfinite(own).any(axis=0)]
    total, n = np.nansum(own, axis=0), np.isfinite(own).sum(axis=0) - 1
    mean = (total - own) / n
    squares = np.maximum((np.nansum(own**2, axis=0) - own**2) / n - mean**2, 0.0)
    near = _rounding(own) + 1e-9 * np.abs(own)
    spreads = [np.sqrt(squares), np.sqrt(squares * n / (n - 1)), np.sqrt(squares / (n - 1))]
    ends = [np.nanmax(own, axis=0), np.nanmin(own, axis=0), np.nanmedian(own, axis=0)]  # the same without that row
    fits = [(np.abs(own - made) <= near).all(axis=1) for made in (mean, total - own, *spreads, *ends)]
    return [base[at] for at in np.flatnonzero(np.any(fits, axis=0))[::-1]]


def _judged(names: Sequence[str], values: Floats, at: int, others: Sequence[int], named: str) -> MadeRow | None:
    """Return what makes a row, where luck does not."""
    if len(others) < 2:  # noqa: PLR2004 - the mean of one is itself
        return None
    units = np.isfinite(values[at]) & np.isfinite(values[others]).any(axis=0)
    own, rest = values[at, units], values[np.ix_(others, units)]
    enough = min(2, values.shape[1]) if named else _FEWEST  # one score of several that a row might hold is luck
    if not len(own) or len(own) < enough or (not named and np.ptp(own) == 0):
        return None
    if (rest == own).all(axis=1).any() and not named:  # one of two alike
        return None
    listed = [names[other] for other in others]
    near = _rounding(own) + _rounding(rest) + 1e-9 * float(np.abs(own).max())
    exact, near = near, max(near, _CLOSE * float(np.abs(own).max())) if named else near
    makings = [] if named == SETTLED else _makings(own, rest, listed, near, exact)
    # A score less a difference of it is a score: of such three the one below 0 is what the others make.
    may_differ = named == _MAYBE and ((own < 0).any() or not (np.nan_to_num(rest) < 0).any())
    makings = makings or (_differences(own, rest, listed, near) if may_differ else [])
    makings = makings or (_of_the_best(own, rest, listed, near, exact) if named == _MAYBE else [])
    makings = [*makings, *_of_labels(own, rest, listed, named)]
    for what, ways, luck in makings:
        agrees = named == SETTLED or named in (EXTREMES if what.startswith(_TIES) else ROLES_MADE)
        agrees = agrees and (named not in EXTREMES or len(own) >= _FEWEST)  # a system may be called so
        if named in EXTREMES and what.startswith(_TIES) and (own % 1).all():  # as it is called, and no answers
            return MadeRow(at, what, len(own) >= _FEWEST)
        alone = bool(named) or what.startswith(_TIES) or _is_beside_answers(own, rest)
        rows = 1 if alone else len(others) + 1  # any of which might be a mean by luck
        chance = 0.0 if agrees and named != _MAYBE else ways * rows * luck()
        if chance <= _LIKELY:
            easily = what.startswith(_RANKED) or _is_beside_answers(own, rest)
            return MadeRow(at, what, chance <= (_SURE_OF_TIES if easily else _SURE))
    return None


type _Making = tuple[str, int, Callable[[], float]]


def _makings(own: Floats, rest: Floats, names: Sequence[str], near: float, exact: float) -> Sequence[_Making]:
    """Return what the numbers agree with: in words, one of how many things tried, and its chance by luck.

    What is another's number agrees to its last digit, and what is computed nearly.
    """

    def agrees(made: Floats, within: float = near) -> bool:
        return bool((np.abs(own - made) <= within).all())

    of_all = f"of {_listed(names)}"
    top, low = np.nanmax(rest, axis=0), np.nanmin(rest, axis=0)
    second = np.sort(np.where(np.isnan(rest), -np.inf, rest), axis=0)[-2]
    median = np.nanmedian if np.isnan(rest).any() else np.median
    ranked = {"largest": top, "least": low, "median": median(rest, axis=0), "second largest": second}
    best = [
        (f"the {what} {of_all}", len(names), partial(_luck_of_ties, rest, made, near))
        for what, made in ranked.items()
        if agrees(made, near if what == "median" else exact)
    ]
    from_best = min((float(np.abs(own - made).max()) for made in ranked.values()), default=np.inf)
    if best and len(names) > 1 and from_best < np.abs(own - np.nanmean(rest, axis=0)).max():
        return best
    found = _totals(own, rest, of_all, near)
    found += best if not found else []
    if not found and len(names) <= _MOST:
        signed = (own < 0).any() and not (np.nan_to_num(rest) < 0).any()
        found = _parts(own, rest, names, near) or (_differences(own, rest, names, near) if signed else [])
    return found


def _of_the_best(own: Floats, rest: Floats, names: Sequence[str], near: float, exact: float) -> Sequence[_Making]:
    """Return what the best of all others make: their distance, or the largest without one or two, such as people."""
    top, second = np.sort(np.where(np.isnan(rest), -np.inf, rest), axis=0)[:-3:-1]
    if (np.abs(own - (top - second)) <= near).all():
        return [(f"the distance of the best two of {_listed(names)}", 1, partial(_luck, own, rest, top - second))]
    below = ~(rest > own + exact).any(axis=1)
    if below.sum() < max(2, len(rest) - 2) or not (own - np.fmax.reduce(rest[below], axis=0) <= exact).all():
        return []
    largest = f"the largest of {_listed([*compress(names, below)])}{_without(names, below)}"
    return [(largest, len(names) ** 2, partial(_luck_of_ties, rest[below], own, exact))]


def _of_labels(own: Floats, rest: Floats, names: Sequence[str], named: str) -> Sequence[_Making]:
    """Return the majority of all others, each a few whole labels, where more than half agree; by name nearly always.

    By no name it is never sure, since a system may be made so.
    """
    if (own % 1).any():  # no label, as of most scores, and nothing to count
        return []
    labels = np.unique(rest[np.isfinite(rest)])
    if not _FEWEST <= len(names) <= _MOST or not 1 < len(labels) <= _MOST_LABELS or (labels % 1).any():
        return []
    votes = (rest == labels[:, None, None]).sum(axis=1)
    decided = 2 * votes.max(axis=0) > np.isfinite(rest).sum(axis=0)
    most = labels[votes.argmax(axis=0)]
    agreed = (own == most)[decided]
    if agreed.size < _FEWEST or agreed.mean() < (_NEARLY if named else 1.0) or np.ptp(own[decided]) == 0:
        return []
    luck = np.maximum((rest == most)[:, decided].mean(axis=0).prod(), 2 * _SURE / (len(names) + 1))
    return [(f"the majority of {_listed(names)}", 1, partial(float, luck))]


def _totals(own: Floats, rest: Floats, of_all: str, near: float) -> list[_Making]:
    """Return the means, sums and spreads of all others that the numbers agree with."""
    mean, n = np.nanmean(rest, axis=0), np.isfinite(rest).sum(axis=0)
    spread = np.nanstd(rest, axis=0)
    made = {"mean": mean, "sum": np.nansum(rest, axis=0), "standard deviation": spread * np.sqrt(n / (n - 1))}
    made |= {"standard deviation ": spread, "standard error": spread / np.sqrt(n - 1)}
    made |= {"range": np.nanmax(rest, axis=0) - np.nanmin(rest, axis=0)} if len(rest) > 2 else {}  # noqa: PLR2004 - of two it is a difference
    made |= {"rest to 1 of the mean": 1 - mean, "rest to 100 of the mean": 100 - mean}
    luck = partial(_luck, own, rest)
    if _is_beside_answers(own, rest):
        made |= {"mean in per cent": 100 * mean, "number of zeros": n - np.nansum(rest, axis=0)}
        luck = partial(_luck_beside_answers, rest)
    return [
        (f"the {what.strip()} {of_all}", 1, partial(luck, total))
        for what, total in made.items()
        if (np.abs(own - total) <= near).all()
    ]


def _parts(own: Floats, rest: Floats, names: Sequence[str], near: float) -> list[_Making]:
    """Return the means of all others but one or two, or of some that stand together, that the numbers agree with."""
    if not np.isfinite(rest).all():
        return []
    kept, shares, ways = _subsets(len(rest))
    with in_one_order:
        means = shares @ rest[:, :_FIRST]
    fits = (np.abs(own[:_FIRST] - means) <= near).all(axis=1)
    found = sorted(np.flatnonzero(fits).tolist(), key=lambda one: shares[one].max())  # the largest set first
    return [
        (
            f"the mean of {_listed([*compress(names, kept[one])])}{_without(names, kept[one])}",
            ways[one],
            partial(_luck, own, rest[kept[one]], made, rest),
        )
        for one in found
        if (np.abs(own - (made := rest[kept[one]].mean(axis=0))) <= near).all()
    ]


@lru_cache(maxsize=8)
def _subsets(size: int) -> tuple[Flags, Floats, list[int]]:
    """Return all of so many rows but one or two, those that stand together, any of a few: with how many are like it.

    Between stand the shares that each row has in their means.
    """
    alone, one, other = np.eye(size, dtype=bool), *np.triu_indices(size, 1)
    first, last = np.triu_indices(size + 1, 2)
    places = np.arange(size)
    runs = (first[:, None] <= places) & (places < last[:, None])
    any_of = (np.arange(2**size)[:, None] >> places & 1).astype(bool) if size <= _FEW else runs[:0]
    kinds = [kept[kept.sum(axis=1) > 1] for kept in (~alone, ~(alone[one] | alone[other]), runs, any_of)]
    sets = np.vstack(kinds)
    return sets, sets / sets.sum(axis=1, keepdims=True), [len(kept) for kept in kinds for _ in kept]


def _differences(own: Floats, rest: Floats, names: Sequence[str], near: float) -> list[_Making]:
    """Return the two others whose difference the numbers are."""
    fits = (np.abs(own - (rest[:, None] - rest)) <= near).all(axis=2)
    return [
        (f"{names[one]!r} minus {names[other]!r}", fits.size, partial(_luck, own, rest, rest[one] - rest[other], rest))
        for one, other in np.argwhere(fits).tolist()
    ]


def _luck(own: Floats, rest: Floats, made: Floats, among: Floats | None = None) -> float:
    """Return the chance that numbers from the range of own, or of all others on a unit, meet what is made of these.

    Units on which the others differ by the same count once: what agrees on one agrees on all of them. So do those on
    which many others (`among`) differ in the same proportions, such as metrics that hardly differ.
    """
    _, alike = np.unique(np.nan_to_num(np.round(rest - rest[:1], 9)), axis=1, return_index=True)
    among = rest if among is None else among
    if len(among) >= _ENOUGH:
        apart = np.nan_to_num(among - np.nanmean(among, axis=0))[:, alike]
        apart /= np.maximum(np.linalg.norm(apart, axis=0), np.finfo(float).tiny)
        with in_one_order:
            shares = np.abs(apart.T @ apart)
        alike = alike[~np.triu(shares > _ALIKE, 1).any(axis=0)]
    step = _step(np.vstack([among, own]))
    own, rest, made, among = own[alike], rest[:, alike], made[alike], among[:, alike]
    room = 2 * max(float(np.abs(own - made).max()), 0.51 * last_digit(own))
    widths = np.minimum(np.nanmax(rest, axis=0) - np.nanmin(rest, axis=0), np.ptp(own))
    chances = np.minimum(1.0, room / np.maximum(widths, np.finfo(float).tiny))
    if step or last_digit(own) >= 1:  # so many levels lie in a range, and others meet what is made as often
        met = np.nanmean(np.abs(among - made) <= room / 2, axis=0)
        chances = np.maximum.reduce([chances, step / (widths + max(step, np.finfo(float).tiny)), met])
    return float(np.prod(np.sort(chances)[1:]))


def _are_answers(numbers: Floats) -> bool:
    """Whether numbers are right and wrong answers alone."""
    return bool(np.isin(numbers[np.isfinite(numbers)], (0.0, 1.0)).all())


def _is_beside_answers(own: Floats, rest: Floats) -> bool:
    """Whether a row is none of answers, where all others are."""
    return len(rest) >= _FEWEST and not _are_answers(own) and _are_answers(rest)


def _luck_beside_answers(rest: Floats, made: Floats) -> float:
    """Return the chance that what lies on the levels of a sum of answers is this one, on units that differ."""
    return float((len(rest) + 1.0) ** -len(np.unique(made)))


def _luck_of_ties(rest: Floats, made: Floats, near: float) -> float:
    """Return the chance that a good row ties with the best everywhere: often among few numbers, always at their end."""
    known = np.sort(rest[np.isfinite(rest)])
    met = np.searchsorted(known, made + near, "right") - np.searchsorted(known, made - near)
    shares = np.maximum(met - 0.5, 0.5) / len(known)  # it meets itself
    chances = np.where((made >= known[-1] - near) | (made <= known[0] + near), 1.0, np.minimum(1.0, _FEWEST * shares))
    return float(np.prod(chances))


def on_another_scale(scores: Floats) -> Flags:
    """Return which systems, fewer than half, have half of their scores off the scale of all others, or only shares."""
    low, high = np.nanmin(scores, axis=1), np.nanmax(scores, axis=1)
    if low.min() >= 0 and high.max() <= _SCALES[0]:
        return np.zeros(len(scores), dtype=bool)
    least, largest = np.sort(low)[:2], np.sort(high)[:-3:-1]
    lower, higher = np.where(low == least[0], least[1], least[0]), np.where(high == largest[0], largest[1], largest[0])
    scales = [*map(scale_of, lower.tolist(), higher.tolist())]
    if all(begin <= low[at] and high[at] <= end != _SCALES[1] for at, (begin, end) in enumerate(scales)):
        return np.zeros(len(scores), dtype=bool)
    middle = (np.nanmedian if np.isnan(scores).any() else np.median)(scores, axis=1)
    lowest = np.sort(middle)[:2]
    others = np.where(middle == lowest[0], lowest[1], lowest[0])  # the same where two are the lowest
    found = np.zeros(len(scores), dtype=bool)
    for place, (begin, end) in enumerate(scales):
        per_cents = end == _SCALES[1] and others[place] >= PER_CENT
        shares = low[place] >= 0 and middle[place] > 0 and high[place] <= _SCALES[0]
        found[place] = not begin <= middle[place] <= end or (per_cents and shares)
    return found if 2 * found.sum() < len(found) else np.zeros_like(found)


def scale_of(least: float, largest: float) -> tuple[float, float]:
    """Return where scores of this range may lie: from 0 to 1 or 100 if they do, else ten times its width around it."""
    if least >= 0 and largest <= _SCALES[-1]:
        return 0.0, next(scale for scale in _SCALES if largest <= scale)
    far = _FAR * (largest - least)
    return least - far, largest + far


def _without(names: Sequence[str], kept: Flags) -> str:
    """Name the one or two of many that a mean leaves out."""
    left = [*compress(names, ~kept)]
    return f" without {' and '.join(map(repr, left))}" if len(left) <= 2 < len(names) - 1 else ""  # noqa: PLR2004 - as looked for


def _listed(names: Sequence[str]) -> str:
    return first_few(list(map(repr, names)), most=3)


def _rounding(numbers: Floats) -> float:
    """Return half of the last digit that numbers are written with, and a little; nothing for answers of 0 and 1."""
    known = numbers[np.isfinite(numbers)]
    answers: Flags = (known == 0) | (known == 1)
    return 0.0 if answers.all() else 0.51 * last_digit(known)


def _step(numbers: Floats) -> float:
    """Return the distance of the levels of numbers that have few of them, 1/3 of thirds; 0 where they have many."""
    known = numbers[np.isfinite(numbers)]
    levels = np.unique(np.round(known, 9))
    return float(np.diff(levels).min()) if 1 < len(levels) <= len(known) / 2 else 0.0


def last_digit(numbers: Floats) -> float:
    """Return the value of the last decimal that any of some numbers is written with: 0.01 of 0.5 and 0.25."""
    some = numbers[np.isfinite(numbers) & (numbers != 0) & (numbers != 1)]  # answers have no decimals
    some = some[:: max(1, len(some) // 200)]
    if not len(some):
        return float(np.isfinite(numbers).any())
    for digits in range(10):
        if (np.abs(some - np.round(some, digits)) <= 1e-9 * np.maximum(1.0, np.abs(some))).all():
            return float(10.0**-digits)
    return float(1e-9 * np.abs(some).max())
