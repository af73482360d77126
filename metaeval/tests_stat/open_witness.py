"""Topics on which it rests that a pair of systems does not differ significantly."""

from typing import NamedTuple, cast

import numpy as np

from metaeval.table.scores import by_name, oriented_values
from metaeval.table.units import units_of
from metaeval.tests_stat.paired_t import paired_t_test
from metaeval.tests_stat.pairs import Alternative
from metaeval.tests_stat.result import PairwiseResult

_FEWEST = 5
"""So many topics have to be left for a claim on them."""


class OpenWitness(NamedTuple):
    """One or two topics, or clusters, without which the pair differs significantly."""

    metric: str
    rests_on: tuple[str, ...]
    n_units: int
    winner: str
    """The system that is better without them."""


def open_witness(result: PairwiseResult) -> OpenWitness | None:
    r"""Return one or two topics without which the one pair that was t-tested differs; None where no such are scored.

    Of the metrics under which it does not differ, the one where one topic is enough, or else the first. Without a
    topic of difference d the statistic rises with :math:`(S - d)^2 / (Q - d^2)`, S the sum of the differences and Q
    that of their squares, which has no maximum inside: the two smallest and the two largest differences are all that
    has to be tried. With clusters or weights these are the sums of clusters, of which others might do too.

    Examples
    --------
    >>> from metaeval import paired_t_test
    >>> b_better = [[0.1, 0.2, 0.1, 0.3, 0.2, 0.2, 0.9], [0.3, 0.5, 0.2, 0.5, 0.5, 0.3, 0.1]]
    >>> open_witness(paired_t_test(b_better)).rests_on
    ('7',)
    """
    if not result.has_witnesses or result.n_pairs != 1 or result.scores is None:
        return None
    alternative = cast("Alternative", result.alternative)
    pair = [result.data[side].item() for side in ("system_a", "system_b")]
    is_open = ~result.data["significant"].to_numpy()[:, 0] & np.isfinite(result.data["p_value"].to_numpy()[:, 0])
    witnesses = []
    for metric in np.array(result.metrics)[is_open].tolist():
        table = by_name(result.scores.sel(metric=[metric], system=pair), "topic")
        units, (values,) = units_of(table), oriented_values(table)
        scored = np.isfinite(values).all(axis=0)
        sums = units.sums(np.where(scored, values[0] - values[1], 0.0))
        order = np.flatnonzero(units.sums(1.0 * scored) > 0.0)
        order = order[np.argsort(sums[order], kind="stable")].tolist()
        names = units.names if units.clustered else table["topic"].to_numpy().tolist()
        for gone in ([0], [-1], [0, 1], [0, -1], [-2, -1]):
            if len(order) - len(gone) < _FEWEST:
                break
            units_gone = sorted(order[index] for index in gone)
            left = table.isel(topic=~np.isin(units.unit, units_gone))
            without = paired_t_test(left, alternative=alternative, alpha=result.alpha)
            if without.data["significant"].item():
                winner = pair[without.data["better"].item() < 0]
                rests_on = tuple(str(names[index]) for index in units_gone)
                witnesses.append(OpenWitness(metric, rests_on, len(order), winner))
                break
    return min(witnesses, key=lambda witness: len(witness.rests_on), default=None)
