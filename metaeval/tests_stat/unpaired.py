"""Systems scored on different items: means with their own standard errors, and what pairing would buy."""

import numpy as np

from metaeval.base.arrays import Floats
from metaeval.base.names import count
from metaeval.base.notes import KeptGaps
from metaeval.base.unit import Unit, unit_of
from metaeval.errors import ScoresError
from metaeval.table.means import SystemMeans
from metaeval.table.scores import as_scores, better_direction
from metaeval.table.structure import engine_scores
from metaeval.table.traits import WHOLE
from metaeval.table.units import TopicUnits, units_of
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.robust import difference_estimates, mean_estimates

_ENOUGH = 10
"""Items in common that tell what pairing buys."""


def unpaired_means(scores: object) -> SystemMeans:
    r"""Return every system's mean over its own items, with its standard error, as if no two systems shared an item.

    For systems that were scored on *different* items: an old test set and a new one, prompts that nobody else was
    given. What takes means and standard errors then compares them: `metaeval.study_leaderboard` and
    `metaeval.resampling.rank_intervals_from_errors`, by Welch's t [1]_ with Holm's correction where p-values are asked
    for. Where systems share items, use `metaeval.paired_t_test`: what is hard for all then is no error.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With ``missing="pairwise"``, which keeps gaps: systems on different items have little else. Clusters, strata and
        weights are taken into account.

    Returns
    -------
    SystemMeans
        ``to_frame()`` has one row a ``metric`` and ``system``: its ``mean``, the standard error ``stderr`` and ``n``,
        its items; in clusters ``n`` is one more than the degrees of freedom of the error. A note says, where systems
        have ten items and more in common, how much smaller a paired comparison would make the standard errors of
        differences.

    Raises
    ------
    ScoresError
        If a system has fewer than two items under a metric.

    See Also
    --------
    metaeval.paired_t_test : systems on the same items
    metaeval.study_leaderboard

    Notes
    -----
    The standard error is :math:`s / \sqrt{n}`, or with clusters CR2's
    (`metaeval.tests_stat.paired_t.paired_t_test`); Welch's t of two systems is
    :math:`(\bar x_a - \bar x_b) / \sqrt{e_a^2 + e_b^2}` on
    :math:`(e_a^2 + e_b^2)^2 / (e_a^4 / (n_a - 1) + e_b^4 / (n_b - 1))` degrees of freedom.

    References
    ----------
    .. [1] Welch (1947). The generalization of Student's problem when several different population variances are
       involved. Biometrika 34, 28-35. :doi:`10.1093/biomet/34.1-2.28`

    Examples
    --------
    >>> scores = {"old": {"q1": 0.4, "q2": 0.6, "q3": 0.5}, "new": {"p1": 0.7, "p2": 0.9}}
    >>> unpaired_means(as_scores(scores, missing="pairwise")).to_frame().round(4).to_numpy().tolist()
    [['metric1', 'old', 0.5, 0.0577, 3.0], ['metric1', 'new', 0.8, 0.1, 2.0]]
    """
    scores = engine_scores(as_scores(scores, missing="pairwise"), uses=WHOLE, what="means over own items")
    units, values = units_of(scores), scores.to_numpy()
    estimates = mean_estimates(values, units)
    metrics, systems = scores["metric"].to_numpy().tolist(), scores["system"].to_numpy().tolist()
    alone = np.argwhere(estimates.n_units <= 1).tolist()
    if alone:
        metric, system = alone[0]
        raise ScoresError(
            f"system {systems[system]!r} has a single score or cluster of scores under {metrics[metric]!r}, which has "
            "no standard error; leave the system out"
        )
    n = estimates.n_units if not units.clustered else np.minimum(estimates.n_units, estimates.certain_freedom + 1.0)
    notes = [str(note) for note in scores.attrs.get("notes", ()) if not isinstance(note, KeptGaps)]
    return SystemMeans(
        metrics=tuple(metrics),
        systems=tuple(systems),
        means=estimates.mean,
        errors=estimates.error,
        n=n,
        higher_is_better=better_direction(scores) > 0,
        read_as="means of systems over their own items",
        notes=(*notes, *_worth_of_pairs(values, units, estimates.error, unit_of(scores))),
    )


def _worth_of_pairs(values: Floats, units: TopicUnits, errors: Floats, spoken: Unit) -> list[str]:
    """Say how much smaller standard errors of differences are where systems are compared on the items of both."""
    first, second = all_pairs(values.shape[1])
    paired = difference_estimates(values, units, first, second)
    unpaired = np.hypot(errors[:, first], errors[:, second])
    shares_enough = (paired.n_units >= _ENOUGH) & (unpaired > 0.0)
    if not shares_enough.any():
        return [f"no two systems share ten {spoken.topics}: their errors are independent"]
    share = float(np.median(paired.error[shares_enough] / unpaired[shares_enough]))
    worth = f"{100 * (1 - share):.0f} % smaller" if share < 1 else "no smaller"
    words = (
        f"systems are compared as if on different {spoken.topics}; paired on those that both have, standard errors of "
        f"differences would be {worth} (median of {count(int(shares_enough.sum()), 'pair')})"
    )
    return [words]
