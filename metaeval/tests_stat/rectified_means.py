"""Means over topics that people judged, rectified by a judge's scores on more of them: the arrays of one block."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from metaeval.base.arrays import Floats
from metaeval.running.equality import centred, difference, reaches
from metaeval.tests_stat.judged_topics import JudgedTopics
from metaeval.tests_stat.pairs import all_pairs

Quantile = Literal["t", "normal"]
Estimand = Literal["pairs", "means"]

_BLOCK = 2**20  # numbers at once


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """Values of pairs (or systems) in rows, topics in columns, and the sizes of the scores that made them."""

    values: Floats
    sizes: Floats
    """Shape (row, topic)."""

    @property
    def n(self) -> int:
        """Number of topics."""
        return self.values.shape[1]

    @property
    def mean(self) -> Floats:
        """Mean over topics, (row,)."""
        return self.values.mean(axis=1)

    @property
    def mean_size(self) -> Floats:
        """Mean size over topics, (row,)."""
        return self.sizes.mean(axis=1)

    @property
    def centred(self) -> Floats:
        """Values less their mean; exactly 0 where equal to it up to rounding."""
        return centred(self.values, self.sizes, axis=1)[0]


def coordinates_of(laid: JudgedTopics, of: Estimand) -> dict[str, tuple[str, NDArray[np.str_]]]:
    """Return the coordinates of what is measured: the two systems of every pair, or the systems."""
    systems = np.array(laid.systems)
    if of == "means":
        return {"system": ("system", systems)}
    first, second = all_pairs(len(systems))
    return {"system_a": ("pair", systems[first]), "system_b": ("pair", systems[second])}


def human_and_judge_blocks(laid: JudgedTopics, of: Estimand) -> Iterator[tuple[Measured, Measured, Measured]]:
    """Yield human values, and the judge's on the human topics and on the others, in blocks of pairs (or systems)."""
    tables = (laid.human, laid.judge, laid.others)
    if of == "means":
        human, judge, others = (Measured(values=table, sizes=np.abs(table)) for table in tables)
        yield human, judge, others
        return
    first, second = all_pairs(len(laid.systems))
    step = max(1, _BLOCK // (laid.n_topics + laid.n_judged))
    for start in range(0, len(first), step):
        a, b = first[start : start + step], second[start : start + step]
        human, judge, others = (_differences(table[a], table[b]) for table in tables)
        yield human, judge, others


def _differences(a: Floats, b: Floats) -> Measured:
    size_a, size_b = np.abs(a), np.abs(b)
    return Measured(values=difference(a, b, size_a, size_b), sizes=size_a + size_b)


def rectified_means(human: Measured, judge: Measured, others: Measured, quantile: Quantile) -> dict[str, Floats]:
    """Return estimates with their standard errors and degrees of freedom, with the judge and without.

    Shapes: result (row,).
    """
    n, n_others = human.n, others.n
    y, f, g = human.centred, judge.centred, others.centred
    ss_y, ss_f, ss_g = (y**2).sum(axis=1), (f**2).sum(axis=1), (g**2).sum(axis=1)
    size = (human.sizes * judge.sizes).sum(axis=1)
    products = difference((y * f).sum(axis=1), 0.0, size, 0.0)
    apart = difference(judge.mean, others.mean, judge.mean_size, others.mean_size)
    pooled = (ss_f + ss_g + n * n_others / (n + n_others) * apart**2) / (n + n_others - 1)
    slope = _ratio(products, ss_f)
    needed = (1 + n / n_others) * pooled * n
    weight = np.clip(_ratio(products, needed), 0.0, 1.0)
    limit = np.clip(slope, 0.0, 1.0)
    left = _squares_left(human, y, judge, f, weight)
    human_divisor, divisor = (n, n) if quantile == "normal" else (n - 1, n - 2)
    variance = left / divisor / n
    freedom = np.full_like(variance, np.inf)
    if quantile == "normal":
        variance += weight**2 * ss_g / n_others**2
    else:
        fitted = ~reaches(products, needed, size + (judge.sizes**2).sum(axis=1))
        share = np.where(fitted, _ratio(weight, slope), 0.0)
        variance += _squares_left(human, y, judge, f, slope) / (n - 2) * _ratio((share * apart) ** 2, ss_f)
        of_judge = weight**2 * (ss_f + ss_g) / (n + n_others - 2) / n_others
        freedom = _ratio((variance + of_judge) ** 2, variance**2 / (n - 2) + of_judge**2 / (n + n_others - 2))
        variance += of_judge
    human_variance = ss_y / human_divisor / n
    alone = weight == 0.0
    variance = np.where(alone, human_variance, variance)
    if quantile == "t":
        freedom = np.where(alone | (variance == 0.0), n - 1.0, freedom)
    human_mean = difference(human.mean, 0.0, human.mean_size, 0.0)
    estimate = human.mean - weight * apart
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "estimate": difference(estimate, 0.0, human.mean_size + weight * (judge.mean_size + others.mean_size), 0.0),
            "standard_error": np.sqrt(variance),
            "degrees_of_freedom": freedom,
            "human_estimate": human_mean,
            "human_standard_error": np.sqrt(ss_y / (n - 1) / n),
            "judge_weight": weight,
            "correlation": np.where(
                (ss_y > 0) & (ss_f > 0), np.clip(products / np.sqrt(ss_y * ss_f), -1.0, 1.0), np.nan
            ),
            "worth": np.where(ss_y > 0, ss_y / _squares_left(human, y, judge, f, limit), np.nan),
            "n_equivalent": np.where(human_variance > 0, n * human_variance / variance, np.nan),
            "varies": human.values.any(axis=1).astype(np.float64),
        }


def _squares_left(human: Measured, y: Floats, judge: Measured, f: Floats, weight: Floats) -> Floats:
    """Return the sum of squares of what the judge's values leave of the human ones; 0 if only rounding is."""
    share = weight[:, None]
    left = difference(y, share * f, human.sizes, np.abs(share) * judge.sizes)
    return (left**2).sum(axis=1)


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)
