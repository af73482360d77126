"""Posterior predictive check of the error-rate model: the swap method on topic samples like the one at hand."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.running.compiled import compiled
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import on_threads

if TYPE_CHECKING:
    from metaeval.models.true_differences import PairStatistics


REPLICATES = 100
"""Topic samples; the ends of a 90 % interval are then known to a tenth of its width."""
_TRIALS = 10
"""Pairs of topic sets from each sample: their own spread is small beside that of the samples."""


class Check(NamedTuple):
    """What was counted, to be counted again."""

    sizes: Ints
    """Topics in each set. Shape (size,)."""
    tolerances: Floats
    """Shape (tolerance,)."""
    relative: bool
    """Whether tolerances are shares of the larger mean."""
    generator: np.random.Generator

    def pick(self, weights: Floats) -> Ints:
        """Return a topic sample for every draw of the weights (draw, topic), shuffled anew for every trial."""
        n_draws, n_topics = weights.shape
        bounds = np.cumsum(weights, axis=1)
        chances = self.generator.random((n_draws, n_topics)) * bounds[:, -1:]
        sample = np.stack([np.searchsorted(bound, at) for bound, at in zip(bounds, chances, strict=True)])
        trials = np.repeat(sample[:, None], _TRIALS, axis=1)
        return self.generator.permuted(np.minimum(trials, n_topics - 1), axis=2)

    def repeat(self, pairs: "PairStatistics", differences: Floats, boost: Floats, picked: Ints) -> Floats:
        """Count errors under true differences (draw, pair), on the topics picked (draw, trial, topic).

        Shapes: result (draw, tolerance, size).
        """
        n_topics = pairs.residual.shape[1]
        scale = np.sqrt(boost * n_topics / (n_topics - 1.0))
        sizes = np.abs(pairs.residual + pairs.means[:, None]).mean(axis=1)
        inputs = (pairs.means, sizes, pairs.residual, differences, pairs.difference)
        n_draws, n_sizes = len(picked), len(self.sizes)
        swaps, ties = np.zeros((n_draws, len(self.tolerances), n_sizes)), np.zeros((n_draws, n_sizes))
        _count(n_draws, *inputs, scale, picked, self.sizes, self.tolerances, self.relative, swaps, ties)
        swaps[:, self.tolerances == 0] += ties[:, None] / 2.0
        return swaps / differences.shape[1]


@on_threads
@compiled
def _count(  # noqa: C901, PLR0913, PLR0917 - the parts of a model
    start: int,
    stop: int,
    means: Floats,
    mean_sizes: Floats,
    residual: Floats,
    differences: Floats,
    seen: Floats,
    scale: Floats,
    picked: Ints,
    sizes: Ints,
    tolerances: Floats,
    relative: bool,  # noqa: FBT001 - of the tolerances
    swaps: Floats,
    ties: Floats,
) -> None:
    """Count swaps (draw, tolerance, size) and ties (draw, size) a trial."""
    n_trials, n_systems = picked.shape[1], len(means)
    for draw in range(start, stop):
        for trial in range(n_trials):
            for index in range(len(sizes)):
                size = sizes[index]
                first, second = np.zeros(n_systems), np.zeros(n_systems)
                for topic in range(size):
                    first_topic, second_topic = picked[draw, trial, topic], picked[draw, trial, size + topic]
                    for system in range(n_systems):
                        first[system] += residual[system, first_topic]
                        second[system] += residual[system, second_topic]
                for system in range(n_systems):
                    first[system] *= scale[draw] / size
                    second[system] *= scale[draw] / size
                pair = -1
                for a in range(n_systems):
                    for b in range(a + 1, n_systems):
                        pair += 1
                        delta, apart1, apart2 = differences[draw, pair], first[a] - first[b], second[a] - second[b]
                        nothing = RELATIVE * (mean_sizes[a] + mean_sizes[b])
                        scores1, scores2 = seen[pair] + apart1 / scale[draw], seen[pair] + apart2 / scale[draw]
                        if min(abs(scores1), abs(scores2)) <= nothing:
                            ties[draw, index] += 1.0 / n_trials
                            continue
                        gap1, gap2 = delta + apart1, delta + apart2
                        if gap1 * gap2 >= 0:
                            continue
                        level_a = (means[a] + means[b] + delta) / 2
                        level_b = (means[a] + means[b] - delta) / 2
                        larger1 = max(abs(level_a + first[a]), abs(level_b + first[b]))
                        larger2 = max(abs(level_a + second[a]), abs(level_b + second[b]))
                        for which in range(len(tolerances)):
                            unit1, unit2 = (larger1, larger2) if relative else (1.0, 1.0)
                            bound1, bound2 = tolerances[which] * unit1, tolerances[which] * unit2
                            if abs(gap1) - bound1 < -nothing or abs(gap2) - bound2 < -nothing:
                                break
                            swaps[draw, which, index] += 1.0 / n_trials
