"""Williams' test: whether two metrics correlate differently with the same human scores, one score a system."""

from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from metaeval.agreement.human_statistics import pearson_last_axis
from metaeval.agreement.items import means_of_rows
from metaeval.base.arrays import Flags, Floats
from metaeval.base.checks import check_choice
from metaeval.base.side_by_side import side_by_side
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import difference, reaches, settle
from metaeval.tests_stat.correction import adjust
from metaeval.tests_stat.tails import student_p, student_tail

Alternative = Literal["greater", "less", "two-sided"]

_FEWEST = 4
_ROUNDED = 0.02
"""The determinant of possible correlations lies below 0 by at most this where they were rounded to two digits."""


@side_by_side("first", "second", "between", "n")
def williams_test(
    first: ArrayLike, second: ArrayLike, between: ArrayLike, *, n: ArrayLike, alternative: Alternative = "two-sided"
) -> tuple[Floats, Floats]:
    r"""Test whether two correlations with the same third variable differ (Williams' test).

    Parameters
    ----------
    first, second : array-like
        Pearson correlations of two metrics with the human scores; arrays broadcast.
    between : array-like
        Correlation of the two metrics with each other.
    n : array-like of int
        Systems.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first correlation is greater.

    Returns
    -------
    (array, array)
        The statistic t with n - 3 degrees of freedom, and the p-value. Two metrics that rank along one line
        (``between`` 1, but for rounding) have no statistic: NaN, and p = 1.

    Raises
    ------
    InvalidOptionError
        If a correlation lies outside [-1, 1], no three variables have these correlations, there are fewer than four
        systems, or the alternative is another.

    Notes
    -----
    .. math:: t = (r_{13} - r_{23}) \sqrt{\frac{(n-1)(1+r_{12})}
              {2 K \frac{n-1}{n-3} + \frac{(r_{13}+r_{23})^2}{4} (1-r_{12})^3}}, \quad
              K = 1 - r_{12}^2 - r_{13}^2 - r_{23}^2 + 2 r_{12} r_{13} r_{23}

    [1]_ [2]_.

    References
    ----------
    .. [1] Williams (1959). Regression Analysis. Wiley.
    .. [2] Graham and Baldwin (2014). Testing for significance of increased correlation with human judgment. EMNLP.
       :doi:`10.3115/v1/D14-1020`

    Examples
    --------
    >>> t, p = williams_test(0.95, 0.8, 0.85, n=12, alternative="greater")
    >>> round(float(t), 3), round(float(p), 4)
    (2.584, 0.0148)
    """
    check_choice(alternative, "alternative", ("two-sided", "greater", "less"))
    r1, r2, r12, size = np.broadcast_arrays(
        *(np.asarray(argument, dtype=np.float64) for argument in (first, second, between, n))
    )
    for name, value in (("first", r1), ("second", r2), ("between", r12)):
        if (np.abs(value) > 1).any():
            message = f"`{name}` must be a correlation in [-1, 1], not {float(value[np.abs(value) > 1].flat[0]):g}"
            raise InvalidOptionError(message)
    if (size < _FEWEST).any():
        raise InvalidOptionError(f"Williams' test needs {_FEWEST} systems or more, not {int(size.min())}")
    determinant = 1 - r12**2 - r1**2 - r2**2 + 2 * r12 * r1 * r2
    if (impossible := determinant < -_ROUNDED).any():
        first_r, second_r, between_r = (float(value[impossible].flat[0]) for value in (r1, r2, r12))
        raise InvalidOptionError(
            f"no three variables have these correlations: beside {first_r:g} and {second_r:g} `between` cannot be "
            f"{between_r:g}; give all three of the same systems, with their signs"
        )
    determinant = np.maximum(determinant, 0.0)
    below = 2 * determinant * (size - 1) / (size - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3
    apart = difference(r1, r2, 1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = apart * np.sqrt((size - 1) * (1 + r12) / below)
    same = reaches(r12, 1.0, 1.0) | ((apart == 0) & (below <= 0))
    t = np.where(same, np.nan, t)
    match alternative:
        case "two-sided":
            p = student_p(size - 3, t, size).p
        case "greater":
            p = student_tail(size - 3, -t, size).p
        case _:
            p = student_tail(size - 3, t, size).p
    return t, np.where(same, 1.0, p)


def williams_table(
    means: object,
    *,
    reference: str,
    alternative: Alternative = "greater",
    correction: str = "none",
    signed: bool = False,
) -> pd.DataFrame:
    """Compare all pairs of metrics by Williams' test, from one score per system.

    Parameters
    ----------
    means : DataFrame, of pandas or any other library
        Systems in rows, named by the index or a column; the reference and the metrics in columns. A pair is compared on
        the systems that have all three.
    reference : str
    alternative : {"greater", "less", "two-sided"}
        "greater" asks of both orders of a pair whether the first metric is better; its family holds both.
    correction : str
        "none", "bonferroni", "holm", "fdr_bh" or "fdr_by" over all rows.
    signed : bool
        Compare the correlations as they are; by default their absolute values, as the WMT tables do, where a metric
        with falling scores counts by how closely it follows: it is turned round, beside the other metric too.

    Returns
    -------
    pandas.DataFrame
        ``metric_a``, ``metric_b``, ``correlation_a``, ``correlation_b``, ``between``, ``n_systems``, ``t``, ``p``,
        ``p_corrected``; one row a pair ("two-sided"), else one row an ordered pair.

    Raises
    ------
    UnknownNameError
        If the reference is no column.
    ScoresError
        If fewer than two metrics stand beside the reference, or a system stands in several rows.

    Examples
    --------
    >>> columns = {"human": [1, 2, 3, 4, 5], "A": [1, 2, 3, 5, 4], "B": [3, 1, 4, 2, 5]}
    >>> means = pd.DataFrame(columns, index=list("vwxyz"))
    >>> williams_table(means, reference="human", alternative="two-sided")[["correlation_a", "n_systems"]].round(2)
       correlation_a  n_systems
    0            0.9          5
    """
    means = means_of_rows(means, "means", reference)
    check_choice(reference, "column of human scores", map(str, means.columns))
    metrics = [name for name in means.columns if name != reference]
    if len(metrics) < 2:  # noqa: PLR2004 - a comparison takes two
        raise ScoresError("a comparison takes two metrics beside the human scores")
    values, human = means[metrics].to_numpy(dtype=np.float64), means[reference].to_numpy(dtype=np.float64)
    first, second = (np.array(side) for side in zip(*combinations(range(len(metrics)), 2), strict=True))
    if alternative != "two-sided":
        first, second = np.concatenate([first, second]), np.concatenate([second, first])
    r = np.array([_three_correlations(human, values[:, a], values[:, b]) for a, b in zip(first, second, strict=True)])
    r_first, r_second, between = r[:, :3].T
    if not signed:  # a metric that is turned round is so beside the other one too
        sides = np.where(r[:, :2] < 0.0, -1.0, 1.0)
        (r_first, r_second), between = np.abs(r[:, :2]).T, between * sides.prod(axis=1)
    enough = r[:, 3] >= _FEWEST
    usable = enough & np.isfinite(r[:, :3]).all(axis=1)
    t, p = np.full(len(r), np.nan), np.full(len(r), np.nan)
    t[usable], p[usable] = williams_test(
        r_first[usable], r_second[usable], between[usable], n=r[usable, 3], alternative=alternative
    )
    corrected = np.full(len(r), np.nan)
    corrected[usable] = adjust(p[usable], correction)
    return pd.DataFrame(
        {
            "metric_a": [str(metrics[metric]) for metric in first],
            "metric_b": [str(metrics[metric]) for metric in second],
            "correlation_a": r[:, 0],
            "correlation_b": r[:, 1],
            "between": r[:, 2],
            "n_systems": r[:, 3].astype(np.int64),
            "t": t,
            "p": p,
            "p_corrected": corrected,
        }
    )


def williams_of_items(scores: xr.DataArray, *, reference: str, correction: str) -> pd.DataFrame:
    """Compare all pairs of metrics, two-sided, by the means of the cells that people and both metrics scored.

    `scores` have the directions of `oriented`. As `williams_table`, with ``n_items``.
    """
    names = [str(name) for name in scores["metric"].to_numpy()]
    table = scores.transpose("metric", "system", "item").to_numpy()
    human, metrics = names.index(reference), [place for place, name in enumerate(names) if name != reference]
    parts = []
    for pair in combinations(metrics, 2):
        three = table[[human, *pair]]
        common = np.isfinite(three).all(axis=0)
        index = pd.Index(scores["system"].to_numpy())
        means = pd.DataFrame(_means(three, common).T, index, columns=[names[place] for place in (human, *pair)])
        row = williams_table(means, reference=reference, alternative="two-sided")
        parts.append(row.assign(n_items=int(common.any(axis=0).sum())))
    tests = pd.concat(parts, ignore_index=True)
    tested = tests["p"].notna()
    tests.loc[tested, "p_corrected"] = adjust(tests.loc[tested, "p"].to_numpy(), correction)
    return tests


def _means(scores: Floats, common: Flags) -> Floats:
    """Return the mean of every system, those that are equal up to rounding made equal; NaN without a common cell."""
    kept, n = np.where(common, scores, 0.0), common.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return settle(kept.sum(axis=2) / n, np.abs(kept).sum(axis=2) / n)


def _three_correlations(human: Floats, a: Floats, b: Floats) -> tuple[float, float, float, float]:
    there = np.isfinite(human) & np.isfinite(a) & np.isfinite(b)
    if there.sum() < _FEWEST:
        return np.nan, np.nan, np.nan, float(there.sum())
    h, x, y = human[there], a[there], b[there]
    return (
        float(pearson_last_axis(h, x)),
        float(pearson_last_axis(h, y)),
        float(pearson_last_axis(x, y)),
        float(there.sum()),
    )
