"""Measures of the C/W/L framework: what a reader gains who goes on from rank to rank with a stated probability."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.errors import InvalidOptionError
from metaeval.metrics.lists import RankedLists
from metaeval.metrics.parameters import Cutoff, Level, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.running.compiled import compiled, compiled_part

DEPTH = 1000
"""How far a reader may go where no cut-off ends the list, as in cwl_eval."""
_MOST_STEPS = 64
_WHOLE = 1e-9

_End = Cutoff | None
_Top = Level | None
_Target = Annotated[float, Rule(lambda target: 0 < target < np.inf, "above 0")]
_Patience = Annotated[
    float,
    Rule(
        lambda target: 1 / 4 <= target < np.inf,
        "at least 0.25",
        "since a reader would go on with more than certainty below",
    ),
]
_Persistence = Annotated[float, Rule(lambda p: 0 < p < 1, "above 0 and below 1")]


def scaled_gains(lists: RankedLists, max_level: int | None = None) -> Floats:
    """Return the gain of every level as a share of that of the top level, `max_level` or that of the judgments."""
    top = lists.scale_level(max_level)
    most = float(lists.gain_of_level[top])
    if not most >= lists.largest(lists.gain_of_level):
        raise InvalidOptionError(
            f"a user model takes gains as shares of that of the top level, {lists.number_of(top):g}, so no level may "
            f"have more: gains={lists.gains} gives it {most:g}"
        )
    return lists.gain_of_level / (most or 1.0)


class _Seen(NamedTuple):
    """What readers see, list after list."""

    offsets: Ints
    """The judged documents of list i are those from ``offsets[i]`` to ``offsets[i + 1]``."""
    ranks: NDArray[np.int32]
    levels: NDArray[np.int16]
    gains: Floats
    """Gain of every level."""


def _seen(lists: RankedLists, max_level: int | None) -> _Seen:
    return _Seen(lists.offsets, lists.ranks, lists.levels, scaled_gains(lists, max_level))


def _product_rate(lists: RankedLists, reach: Floats, max_level: int | None, *, stops: bool) -> Floats:
    """Rate of gain where C(i) is a function of the rank, times 1 - g(i) if a reader `stops` at what satisfies.

    Shapes: `reach` (depth,), the probability of reaching each rank if nothing is found.
    """
    table = np.concatenate([[0.0], reach])
    return product_rates(_seen(lists, max_level), table, np.cumsum(table), stops).reshape(lists.lengths.shape)


@compiled
def product_rates(seen: _Seen, reach: Floats, reached: Floats, stops: bool) -> Floats:  # noqa: FBT001 - of a kernel
    """Return the rate of gain of every list; between relevant documents the tables say what happens."""
    offsets, ranks = seen.offsets, seen.ranks
    rates = np.zeros(len(offsets) - 1)
    deepest = len(reach) - 1
    for number in range(len(offsets) - 1):
        alive = 1.0
        gained = looked_at = 0.0
        last = 0
        for entry in range(offsets[number], offsets[number + 1]):
            rank = ranks[entry]
            if rank > deepest:
                break
            gain = seen.gains[seen.levels[entry]]
            gained += alive * reach[rank] * gain
            if stops:
                looked_at += alive * (reached[rank] - reached[last])
                alive *= 1.0 - gain
                last = rank
        looked_at += alive * (reached[deepest] - reached[last])
        rates[number] = gained / looked_at
    return rates


@compiled_part
def _trigamma(x: float) -> float:
    """Sum 1 / (x + i)^2 over i from 0 on: by recurrence up to 10, then by the asymptotic series."""
    total = 0.0
    while x < 10.0:  # noqa: PLR2004 - the series has 15 digits from here on
        total += 1.0 / (x * x)
        x += 1.0
    y = 1.0 / (x * x)
    series = 1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * (5 / 66 - y * (691 / 2730 - y * 7 / 6)))))
    return total + 1.0 / x + 0.5 * y + y / x * series


def _steps(gains: Floats) -> int:
    """Return the smallest n that makes n times every gain whole; 0 if there is none up to 64."""
    multiples = np.arange(1, _MOST_STEPS + 1)[:, None] * gains
    all_whole = (np.abs(multiples - np.rint(multiples)) < _WHOLE).all(axis=1)
    return int(np.argmax(all_whole)) + 1 if all_whole.any() else 0


@compiled
def trigammas(target: float, steps: int, depth: int) -> Floats:
    """Return the trigamma function at 2T, 2T + 1/steps, … down to the depth."""
    table = np.empty(steps * (depth + 1) + 1)
    for index in range(len(table)):
        table[index] = _trigamma(2.0 * target + index / steps)
    return table


@compiled
def inst_rates(seen: _Seen, target: float, deepest: int, table: Floats, steps: int) -> Floats:
    """Return the rate of gain of every list under INST.

    Where nothing is gained C(i) telescopes: rank i is reached with probability q / (i - 1 + 2T - total)^2, and a sum
    of that over many ranks is a difference of two trigamma functions: from `table` where gains are whole `steps`.
    """
    offsets, ranks = seen.offsets, seen.ranks
    rates = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        scale = 4.0 * target * target
        gained = looked_at = total = 0.0
        last = 0
        stop = offsets[number + 1]
        for entry in range(offsets[number], stop + 1):
            rank = deepest if entry == stop else min(ranks[entry], deepest)
            ends = entry == stop or ranks[entry] > deepest
            first = last - total
            if steps > 0:
                begin = int(first * steps + 0.5)
                looked_at += scale * (table[begin] - table[begin + (rank - last) * steps])
            else:
                low = first + 2.0 * target
                looked_at += scale * (_trigamma(low) - _trigamma(low + (rank - last)))
            if ends:
                break
            here = scale / (2.0 * target + rank - 1.0 - total) ** 2
            gain = seen.gains[seen.levels[entry]]
            gained += here * gain
            total += gain
            scale = here * (rank + 2.0 * target - total - 1.0) ** 2
            last = rank
        rates[number] = gained / looked_at
    return rates


@compiled
def bpm_rates(seen: _Seen, target: float, deepest: int) -> Floats:
    """Return the rate of gain of every list down to the rank where the target is reached, or to the deepest."""
    offsets, ranks = seen.offsets, seen.ranks
    rates = np.zeros(len(offsets) - 1)
    for number in range(len(offsets) - 1):
        total = 0.0
        end = deepest
        for entry in range(offsets[number], offsets[number + 1]):
            if ranks[entry] > deepest:
                break
            total += seen.gains[seen.levels[entry]]
            if total >= target:
                end = ranks[entry]
                break
        rates[number] = total / end
    return rates


def squares(T: float, depth: int) -> Floats:  # noqa: N803 - as published
    """Probability of reaching each rank under INSQ, whose C(i) telescopes."""
    return np.square(2 * T / (2 * T + np.arange(depth, dtype=np.float64)))


def scaled_dcg(lists: RankedLists, *, k: Cutoff, max_level: _Top = None) -> Floats:
    """Discounted gain of the top k over that of k documents at the top level."""
    discounts: Floats = np.log2(np.arange(2.0, k + 2))
    return _product_rate(lists, 1 / discounts, max_level, stops=False)


def insq(lists: RankedLists, *, T: _Target = 1.0, k: _End = None, max_level: _Top = None) -> Floats:  # noqa: N803 - as published
    r"""Rate of gain of a reader who wants T relevant documents and grows more patient with each rank.

    Notes
    -----
    .. math:: C(i) = \left( \frac{i + 2T - 1}{i + 2T} \right)^2

    (Moffat, Scholer and Thomas 2012); the list ends at rank k, 1000 by default, as in cwl_eval.
    """
    return _product_rate(lists, squares(T, k or DEPTH), max_level, stops=False)


def inst(lists: RankedLists, *, T: _Patience = 1.0, k: _End = None, max_level: _Top = None) -> Floats:  # noqa: N803 - as published
    r"""Rate of gain of a reader whose patience depends on how much of T is still to be found.

    Notes
    -----
    .. math:: C(i) = \left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \qquad T_i = T - \sum_{j \le i} g(j)

    (Moffat, Bailey, Scholer and Thomas 2015); the list ends at rank k, 1000 by default, as in cwl_eval. After gains of
    1 from the first rank on :math:`i + T + T_i` is 2T, so that C(i) is no probability where T is below 1/4.
    """
    seen, depth = _seen(lists, max_level), k or DEPTH
    steps = _steps(seen.gains)
    table = trigammas(T, max(steps, 1), depth if steps else 0)
    return inst_rates(seen, T, depth, table, steps).reshape(lists.lengths.shape)


def bejeweled_player(lists: RankedLists, *, T: _Target = 1.0, k: Cutoff, max_level: _Top = None) -> Floats:  # noqa: N803 - as published
    """Rate of gain of a reader who stops when T is gained or k documents are seen (static BPM)."""
    nearly = T * (1 - 1e-12)  # gains add up to T in steps such as a third
    return bpm_rates(_seen(lists, max_level), nearly, k).reshape(lists.lengths.shape)


def nerr8(lists: RankedLists, *, k: Cutoff, max_level: _Top = None) -> Floats:
    """Rate of gain of a reader who stops where satisfied, or at rank k: C(i) = 1 - g(i)."""
    return _product_rate(lists, np.ones(k), max_level, stops=True)


def nerr9(lists: RankedLists, *, k: Cutoff, max_level: _Top = None) -> Floats:
    """Rate of gain of a reader with C(i) = (1 - g(i)) i / (i + 1), down to rank k."""
    return _product_rate(lists, np.reciprocal(np.arange(1.0, k + 1)), max_level, stops=True)


def nerr10(lists: RankedLists, *, p: _Persistence = 0.9, k: _End = None, max_level: _Top = None) -> Floats:
    """Rate of gain of a reader with C(i) = (1 - g(i)) p."""
    return _product_rate(lists, np.power(p, np.arange(k or DEPTH)), max_level, stops=True)


def nerr11(lists: RankedLists, *, T: _Target = 1.0, k: _End = None, max_level: _Top = None) -> Floats:  # noqa: N803 - as published
    """Rate of gain of a reader with the C(i) of INSQ, times 1 - g(i)."""
    return _product_rate(lists, squares(T, k or DEPTH), max_level, stops=True)


SPECS = tuple(
    MetricSpec(name=name, kernel=kernel, real_grades=True, graded=True, monotone=name != "BPM", cite=cite)
    for name, kernel, cite in (
        ("SDCG", scaled_dcg, "jarvelin2002"),
        ("INSQ", insq, "moffat2012"),
        ("INST", inst, "moffat2015"),
        ("BPM", bejeweled_player, "zhang2017"),
        ("NERR8", nerr8, "azzopardi2021"),
        ("NERR9", nerr9, "azzopardi2021"),
        ("NERR10", nerr10, "azzopardi2021"),
        ("NERR11", nerr11, "azzopardi2021"),
    )
)
