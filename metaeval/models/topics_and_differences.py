"""What difference could other numbers of topics show? The minimum detectable difference of the median pair."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_count, check_power
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.units import units_of
from metaeval.tests_stat.noncentral_t import detectable_shift
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.robust import difference_estimates
from metaeval.tests_stat.runs import Runs


def detectable_by_topics(
    scores: Scores, n_topics: Sequence[int], *, alpha: float = 0.05, power: float = 0.8
) -> pd.DataFrame:
    r"""Return the smallest true difference of the median pair that a paired t test detects, by number of topics.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    n_topics : sequence of int
        Numbers of topics, each at least 2.
    alpha : float, default 0.05
        Level at which a pair is tested, without correction.
    power : float, default 0.8

    Returns
    -------
    pandas.DataFrame
        One row a metric and number: metric, n_topics, difference in the metric's unit; NaN where no pair of systems
        differs in its differences over topics.

    Raises
    ------
    ScoresError
        If topics have gaps, clusters, strata or weights: other topics might have others.
    InvalidOptionError
        If an option is outside its rule.

    See Also
    --------
    metaeval.tests_stat.detectable_difference.detectable_differences
    metaeval.models.sample_size.topic_set_size_for_t

    Notes
    -----
    The standard deviation s of the pair's differences over the topics at hand stands for that of other topics:
    :math:`\delta(n)\, s / \sqrt{n}`, with the shift :math:`\delta(n)` at which the test has the power with n - 1
    degrees of freedom. What runs of the two systems add to the error (`metaeval.tests_stat.runs`) stays for every n.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=5, n_topics=50, metrics=["AP"], rng=1)
    >>> detectable_by_topics(scores, [25, 50, 100])["difference"].round(4).tolist()
    [0.089, 0.0616, 0.0431]
    """
    scores = engine_scores(scores, "detectable differences with other numbers of topics")
    check_power(power, alpha)
    for number in n_topics:
        check_count(number, "n_topics", least=2)
    first, second = all_pairs(scores.sizes["system"])
    estimates = difference_estimates(oriented_values(scores), units_of(scores), first, second)
    spread = np.where(estimates.error > 0.0, estimates.error, np.nan) * np.sqrt(scores.sizes["topic"])
    numbers, runs = np.asarray(n_topics, dtype=np.int64), Runs.of(scores, first, second)
    differences = np.empty((len(spread), len(numbers)))
    for column, number in enumerate(numbers.tolist()):
        error, freedom = spread / np.sqrt(number), np.full(spread.shape, number - 1.0)
        of_pairs = error * detectable_shift(freedom, alpha=alpha, power=power)
        if runs is not None:
            error, freedom = runs.widen(error, freedom)
            of_pairs = np.fmax(of_pairs, error * detectable_shift(freedom, alpha=alpha, power=power))
        differences[:, column] = [np.nan if np.isnan(row).all() else _middle(row) for row in of_pairs]
    return pd.DataFrame(
        {
            "metric": np.repeat(scores["metric"].to_numpy(), len(numbers)),
            "n_topics": np.tile(numbers, len(differences)),
            "difference": differences.ravel(),
        }
    )


def _middle(values: Floats) -> float:
    """Return the middle one of the values that there are."""
    return float(np.nanquantile(values, 0.5, method="inverted_cdf"))
