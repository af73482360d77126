"""Tests in the form of SciPy's, of two lists of scores, for programs that take such a function."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from metaeval.base.side_by_side import side_by_side
from metaeval.running.draws import RNGLike
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import Alternative


class PairedTest(NamedTuple):
    """The result of a test of two systems."""

    statistic: float
    """Positive where the first has more."""
    pvalue: float


def scipy_test(
    test: str = "t",
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    rng: RNGLike = None,
) -> Callable[[ArrayLike, ArrayLike], PairedTest]:
    """Return one of our tests as a function of two arrays, which decides whether paired scores differ, as SciPy's do.

    PyTerrier's ``Experiment(..., test=scipy_test("randomisation"))`` takes it, and whatever else takes
    `scipy.stats.ttest_rel`.

    Parameters
    ----------
    test : str, default "t"
        As for `compare_systems`.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" where the first is to have more.
    n_resamples : int, optional
        For tests that resample; by default the test's own number.
    rng : int, numpy.random.Generator or None
        For tests that resample; with a number each call draws the same, so that equal data give equal p-values.

    Returns
    -------
    callable
        Takes two arrays (topic,) of scores in the same order and unit, and returns ``statistic`` and uncorrected
        ``pvalue``, which unpack. A caller that asks it of many pairs corrects the p-values.

    Raises
    ------
    UnknownNameError
        For a test of another name, when the function is called.
    ScoresError
        If the arrays differ in length or hold no numbers, when the function is called.

    See Also
    --------
    metaeval.tests_stat.compare_systems : all pairs at once, with a correction and intervals

    Examples
    --------
    >>> test = scipy_test("sign")
    >>> statistic, p = test([0.5, 0.6, 0.7, 0.4, 0.9, 0.3], [0.4, 0.5, 0.3, 0.1, 0.8, 0.2])
    >>> round(p, 5)
    0.03125
    """

    @side_by_side("first", "second")
    def of_two(first: ArrayLike, second: ArrayLike) -> PairedTest:
        found = compare_systems(
            {"first": np.asarray(first, dtype=np.float64), "second": np.asarray(second, dtype=np.float64)},
            test=test,
            alternative=alternative,
            correction="none",
            n_resamples=n_resamples,
            rng=rng,
        )
        return PairedTest(found.statistic, found.pvalue)

    return of_two
