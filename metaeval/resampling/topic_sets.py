"""Sets of topics of one size, drawn in pairs: what the swap method, its bins and the error rates stand on."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_list
from metaeval.base.unit import speaking_of, unit, unit_of
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.running.compiled import compiled
from metaeval.table.scores import Scores, by_name, identical_systems, oriented_values
from metaeval.table.structure import engine_scores

Sampling = Literal["disjoint", "overlapping", "bootstrap"]
Duplicates = Literal["drop", "keep"]
SMALLEST_SIZE = 5
"""Topics in the smallest set, where nothing else is asked for."""


class TopicSetLayout(NamedTuple):
    """Scores made ready for drawing topic sets."""

    scores: Scores
    """Copies of systems left out, unless they were to be kept."""
    oriented: Floats
    """Turned so that higher is better. Shape (topic, metric, system)."""
    sizes: Ints
    """Topic-set sizes, ascending. Shape (size,)."""
    duplicates: tuple[tuple[str, ...], ...]
    """Groups of identical systems."""
    dropped: tuple[str, ...]
    """Those left out."""


def lay_out(
    scores: object,
    *,
    sizes: Sequence[int] | None,
    sampling: Sampling,
    duplicates: Duplicates,
    n_trials: int,
) -> TopicSetLayout:
    """Check scores and options, leave out copies of systems, and put topics first in memory."""
    for word, value, kind in (("sampling", sampling, Sampling), ("rule for duplicates", duplicates, Duplicates)):
        check_choice(value, word, get_args(kind))
    check_count(n_trials, "n_trials", most=MOST_REPLICATES)
    scores = by_name(engine_scores(scores, "drawing sets of topics"), "system")
    groups = identical_systems(scores)
    dropped = tuple(name for group in groups for name in group[1:]) if duplicates == "drop" else ()
    distinct = scores.isel(system=np.flatnonzero(~np.isin(scores["system"].to_numpy(), dropped)))
    if distinct.sizes["system"] < 2:  # noqa: PLR2004 - a pair
        raise ScoresError(
            f"all {scores.sizes['system']} systems have the same scores everywhere, so no two can be compared; "
            f"no number of {unit_of(scores).topics} separates them; check the scores"
        )
    values = np.ascontiguousarray(oriented_values(distinct).transpose(2, 0, 1))
    with speaking_of(unit_of(scores)):
        return TopicSetLayout(distinct, values, _checked_sizes(sizes, len(values), sampling), groups, dropped)


def draw_topic_sets(
    generator: np.random.Generator, n_topics: int, size: int, n_trials: int, sampling: Sampling
) -> Ints:
    """Draw two sets of topics for every trial: positions of topics, an array (trial, 2, size).

    Examples
    --------
    >>> first, second = draw_topic_sets(np.random.default_rng(0), 6, 3, 1, "disjoint")[0]
    >>> sorted([*first.tolist(), *second.tolist()])
    [0, 1, 2, 3, 4, 5]
    """
    if sampling == "bootstrap":
        return generator.integers(0, n_topics, size=(n_trials, 2, size))
    n_rows, n_taken = (n_trials, 2 * size) if sampling == "disjoint" else (2 * n_trials, size)
    shuffled = generator.permuted(np.tile(np.arange(n_topics), (n_rows, 1)), axis=1)
    return np.ascontiguousarray(shuffled[:, :n_taken]).reshape(n_trials, 2, size)  # one layout is one kernel


def _checked_sizes(sizes: Sequence[int] | None, n_topics: int, sampling: Sampling) -> Ints:
    limit = n_topics // 2 if sampling == "disjoint" else n_topics
    half = max(1, n_topics // 2)
    usual = list(range(min(SMALLEST_SIZE, half), half + 1))
    asked = usual if sizes is None else check_list(sizes, "sizes", [5, 10])
    all_whole = all(isinstance(size, int | np.integer) and not isinstance(size, bool) for size in asked)
    smallest = SMALLEST_SIZE if sizes is None else min(asked, default=0) if all_whole else 0
    if smallest > limit:
        raise EstimationError(
            f"{n_topics} {unit().topics} are too few: {sampling} {unit().topic} sets hold at most {limit} each, and "
            f"the smallest size asked is {smallest}; take more {unit().topics}"
            + (f", or pass `sizes=[{limit}]`" if limit else "")
        )
    if not asked or not all_whole or not 1 <= min(asked) <= max(asked) <= limit:
        message = (
            f"`sizes` must be whole numbers from 1 to {limit} ({sampling} sets of {n_topics} {unit().topics}), not "
            f"{asked!r}"
        )
        raise InvalidOptionError(message)
    return np.unique(np.asarray(asked, dtype=np.int64))


@compiled
def set_means(values: Floats, topics: Ints, lowest: float) -> tuple[Floats, Floats]:
    """Return the mean of every metric and system over some topics, always added up in the order given, and its size.

    Shapes: `values` (topic, metric, system), `topics` (size,), result (metric, system).
    """
    _, n_metrics, n_systems = values.shape
    means, sizes = np.zeros((n_metrics, n_systems)), np.zeros((n_metrics, n_systems))
    for topic in topics:
        for metric in range(n_metrics):
            for system in range(n_systems):
                means[metric, system] += values[topic, metric, system]
                if lowest < 0.0:
                    sizes[metric, system] += abs(values[topic, metric, system])
    for metric in range(n_metrics):
        for system in range(n_systems):
            means[metric, system] /= len(topics)
            sizes[metric, system] /= len(topics)
    return means, sizes if lowest < 0.0 else means
