"""What may be computed from human scores and those of a metric: correlations and pairwise accuracy."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from metaeval.agreement.items import FEWEST, means_of_rows
from metaeval.agreement.rankings import kendall_p_value, kendall_tau, spearman
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice
from metaeval.running.equality import settle
from metaeval.tests_stat.tails import student_p

_FAR, _OF_NORMAL = 2.5, 1.483
type Score = Callable[[Floats, Floats], Floats]
Statistic = Literal["pearson", "spearman", "kendall", "accuracy"]


def pearson_last_axis(first: Floats, second: Floats) -> Floats:
    """Return Pearson's correlation along the last axis; NaN where either is constant."""
    first, second = np.broadcast_arrays(first, second)
    a, b = (scores - scores.mean(axis=-1, keepdims=True) for scores in (first, second))
    size = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    floor = 1e-14 * np.sqrt((first * first).sum(axis=-1) * (second * second).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size > floor, np.clip((a * b).sum(axis=-1) / size, -1.0, 1.0), np.nan)


def accuracy(human: Floats, metric: Floats) -> Floats:
    """Return the share of pairs that people put in an order which the metric puts in the same; NaN where all tie."""
    human, metric = np.broadcast_arrays(settle(human), settle(metric))
    right, ordered = np.zeros(human.shape[:-1]), np.zeros(human.shape[:-1])
    for shift in range(1, human.shape[-1]):
        signs = np.sign(human[..., shift:] - human[..., :-shift])
        ordered += np.abs(signs).sum(axis=-1)
        right += ((signs != 0) & (signs == np.sign(metric[..., shift:] - metric[..., :-shift]))).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(ordered > 0, right / ordered, np.nan)


STATISTICS: Mapping[str, Score] = {
    "pearson": pearson_last_axis,
    "spearman": partial(spearman, undefined="nan"),
    "kendall": partial(kendall_tau, undefined="nan"),
    "accuracy": accuracy,
}
"""What may be computed from the human scores (first) and a metric's scores (second) of the same things."""


def none_where_flat(statistic: Score, human: Floats, metric: Floats) -> Floats:
    """Return a correlation along the last axis: 0, no agreement, where the metric alone gives one score to all.

    Left out, such items would leave a metric that is constant on most of them with its few best ones. NaN stays where
    people themselves give one score to all.

    Examples
    --------
    >>> human = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]])
    >>> none_where_flat(pearson_last_axis, human, np.ones((2, 3))).tolist()
    [0.0, nan]
    """
    correlation = statistic(human, metric)
    return np.where(np.isnan(correlation) & np.isfinite(statistic(human, human)), 0.0, correlation)


def outlying_systems(human: pd.Series) -> list[str]:
    r"""Return the systems whose human score lies far from the others, which may carry a correlation by themselves.

    Those more than 2.5 times :math:`1.483 \operatorname{median}|h - \tilde h|` from the median :math:`\tilde h`, as
    Mathur, Baldwin and Cohn (2020) leave out.

    Parameters
    ----------
    human : Series
        A score a system.

    Examples
    --------
    >>> outlying_systems(pd.Series([0.1, 0.2, 0.15, 0.12, -1.3], index=list("abcde")))
    ['e']
    """
    away = (human - human.median()).abs()
    return list(map(str, human.index[away > _FAR * _OF_NORMAL * away.median()])) if away.median() > 0 else []


def system_statistics(means: object, *, reference: str, statistic: Statistic = "pearson") -> pd.DataFrame:
    """Return the agreement of metrics with human scores, from one score per system.

    Parameters
    ----------
    means : DataFrame, of pandas or any other library
        Systems in rows, named by the index or a column; metrics and the reference in columns; NaN where a metric lacks
        a system. Higher must be better: negate the others.
    reference : str
    statistic : str
        As in `metaeval.agreement.human.human_agreement`.

    Returns
    -------
    pandas.DataFrame
        Index ``metric``, columns ``value``, ``n_systems`` and ``p``, two-sided, if metric and people order systems
        independently: for Pearson's and Spearman's correlation by Student's t with n - 2 degrees of freedom, else that
        of Kendall's tau.

    Raises
    ------
    UnknownNameError
        If the reference is no column, or the statistic does not exist.
    ScoresError
        If a system stands in several rows.

    Examples
    --------
    >>> means = pd.DataFrame({"human": [1, 2, 3, 4], "BLEU": [10, 12, 11, 15]}, index=list("abcd"))
    >>> round(float(system_statistics(means, reference="human", statistic="kendall").loc["BLEU", "value"]), 3)
    0.667
    """
    means = means_of_rows(means, "means", reference)
    check_choice(reference, "column of human scores", map(str, means.columns))
    check_choice(statistic, "statistic", STATISTICS)
    rows = {}
    for metric in means.columns.drop(reference):
        pair = means[[reference, metric]].dropna()
        enough = len(pair) >= FEWEST
        value = float(STATISTICS[statistic](*pair.to_numpy(dtype=np.float64).T)) if enough else np.nan
        p = _p_independent(pair.to_numpy(dtype=np.float64).T, value, statistic) if np.isfinite(value) else np.nan
        rows[str(metric)] = {"value": value, "n_systems": len(pair), "p": p}
    frame = pd.DataFrame.from_dict(rows, orient="index")
    frame.index.name = "metric"
    return frame


def _p_independent(scores: Floats, value: float, statistic: Statistic) -> float:
    if statistic in {"kendall", "accuracy"}:
        return float(kendall_p_value(*scores, undefined="nan"))
    freedom = scores.shape[1] - 2.0
    with np.errstate(divide="ignore"):
        return float(student_p(freedom, value * np.sqrt(freedom / np.subtract(1.0, value**2))).p)
