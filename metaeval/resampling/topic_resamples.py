"""Decisions on resampled topics: a test asked again, or the closed form that it comes close to.

In closed form a pair is significant where A^2 / Q is large enough, A being the sum and Q the sum of squares of its
differences on the topics drawn: both are products with the counts of the topics, so one product does all pairs.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import stdtrit

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_choice
from metaeval.running.draws import bootstrap_counts
from metaeval.running.equality import RELATIVE, difference
from metaeval.running.parallel import limit_threads, track
from metaeval.running.workers import parallel_map, threads_each
from metaeval.table.scores import Scores
from metaeval.table.units import units_of
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.pairs import Question
from metaeval.tests_stat.result import UnreachableLevelWarning, is_significant
from metaeval.tests_stat.robust import pair_estimates
from metaeval.tests_stat.tails import student_p, student_tail

_PAIRS_AT_ONCE = 256
_RESAMPLES_AT_ONCE = 64
_SIDES = {"greater": (1.0,), "less": (-1.0,), "better": (1.0, -1.0)}
"""Directions that are hypotheses of their own under a one-sided alternative."""


def sample_of_topics(scores: Scores, topics: Ints) -> Scores:
    """Return the scores on topics at these positions, repeated ones counting as topics of their own.

    Where topics come in clusters the positions are those of clusters, and so is what counts as one of its own.
    """
    clusters: dict[str, Any] = {}
    if "cluster" in scores.coords:
        topics, units = units_of(scores).topics_of(topics)
        clusters["cluster"] = ("topic", (units.unit + 1).astype(str))
    names = [str(number) for number in range(1, len(topics) + 1)]
    return scores.isel(topic=topics).assign_coords({"topic": names, **clusters})


def ask_again[Answer](  # noqa: PLR0913 - a decision and what it needs
    decide: Callable[..., Answer],
    scores: Scores,
    topics: Ints,
    *,
    generator: np.random.Generator,
    n_jobs: int | None,
    n_threads: int | None,
) -> list[Answer]:
    """Return what ``decide(scores, rng=…, n_threads=…)`` says on every list of topics, an array (list, place).

    Every list has a generator of its own; several workers share the cores.
    """
    return parallel_map(
        partial(_ask_on, decide=decide, n_threads=threads_each(n_threads, n_jobs)),
        list(topics),
        generator.spawn(len(topics)),
        shared=(scores,),
        n_jobs=n_jobs,
        description="Resampling topics for intervals",
    )


def _ask_on[Answer](
    topics: Ints,
    generator: np.random.Generator,
    scores: Scores,
    *,
    decide: Callable[..., Answer],
    n_threads: int | None,
) -> Answer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachableLevelWarning)  # said once, for the topics at hand
        return decide(sample_of_topics(scores, topics), rng=generator, n_threads=n_threads)


def t_powers(
    question: Question,
    topics: Ints,
    *,
    corrections: str | Sequence[str] = ("none",),
    taken: Floats | None = None,
    n_threads: int | None = None,
) -> Floats:
    r"""Return the power of the paired t test, with the question's alternative, on many lists of topics at once.

    Shapes: `topics` (list, place), `taken` (metric, system), result (correction, metric, list). What is taken off the
    scores makes no difference where there was none: systems that tie on all topics of a list still do.

    Notes
    -----
    Two-sided, a pair is significant when :math:`(\sum_j z_j)^2 \ge \kappa \sum_j z_j^2` with
    :math:`\kappa = T t^2 / (T - 1 + t^2)` and t the critical value. Both sums are products with the counts of the
    topics, so one product does all pairs and lists.

    Examples
    --------
    >>> from metaeval.tests_stat.pairs import ask
    >>> question = ask([[0.3, 0.5, 0.9, 0.4], [0.2, 0.3, 0.6, 0.4]])
    >>> t_powers(question, np.array([[0, 1, 2, 3], [0, 0, 1, 1]]))
    array([[[0., 1.]]])
    """
    if not question.plain:
        return _robust_t_powers(question, topics, corrections, taken, n_threads)
    n_pairs, (n_lists, n_drawn) = len(question.first), topics.shape
    counts = np.ascontiguousarray(bootstrap_counts(topics, question.n_topics).T)
    rank = np.arange(1, n_pairs + 1)
    n_hypotheses = 2 * n_pairs if question.alternative == "better" else n_pairs
    critical = {}
    for name in corrections:
        check_choice(name, "correction", CORRECTIONS)
        levels = CORRECTIONS[name].levels_of(question.of_all_pairs)(question.alpha, rank, n_hypotheses)
        one_sided = np.minimum(levels, 0.5) if question.one_sided else levels / 2
        critical[name] = student_ratios(one_sided, n_drawn)
    in_order = any(CORRECTIONS[name].step != "none" for name in corrections)
    powers = np.empty((len(corrections), len(question.values), n_lists))
    blocks = range(0, n_lists, _RESAMPLES_AT_ONCE)

    def steps(pool: ThreadPoolExecutor) -> Iterator[None]:
        for metric, values in enumerate(question.values):
            off = None if taken is None else taken[metric]
            for start in blocks:
                block = slice(start, start + _RESAMPLES_AT_ONCE)
                ratios = _all_ratios(question, values, counts[:, block], off, pool)
                if in_order:
                    ratios = -np.sort(-ratios, axis=1)
                for row, name in enumerate(corrections):
                    rejected = count_rejected(ratios >= critical[name], CORRECTIONS[name].step)
                    powers[row, metric, block] = rejected / n_pairs
                yield

    total = len(blocks) * len(question.values)
    with tile_pool(n_threads) as pool:
        for _ in track(steps(pool), description="Testing on resampled topics", total=total):
            pass
    return powers


def _robust_t_powers(
    question: Question, topics: Ints, corrections: Sequence[str], taken: Floats | None, n_threads: int | None
) -> Floats:
    """Ask the t test of clusters, strata, weights or gaps on every list."""
    powers = np.empty((len(corrections), len(question.values), len(topics)))
    n_pairs, sides = len(question.first), _SIDES.get(question.alternative)
    with limit_threads(n_threads):
        for index, drawn in enumerate(track(topics, description="Testing on resampled topics", total=len(topics))):
            chosen, units = question.units.topics_of(drawn)
            values = question.values[:, :, chosen]
            estimates = pair_estimates(
                replace(question, values=values if taken is None else less(values, taken), units=units)
            )
            statistic = estimates.statistic
            if taken is not None:
                statistic = np.where(all_tied(values, question.first, question.second), 0.0, statistic)
            if sides is None:
                p_values = student_p(estimates.certain_freedom, statistic, estimates.n_units).p
            else:
                one_sided = [
                    student_tail(estimates.certain_freedom, -side * statistic, estimates.n_units).p for side in sides
                ]
                p_values = np.concatenate(one_sided, axis=-1)
            tested = estimates.n_units > 1
            p_values = np.where(np.tile(tested, p_values.shape[-1] // n_pairs), p_values, np.nan)
            for row, name in enumerate(corrections):
                rejected = is_significant(adjust(p_values, name, all_pairs=question.of_all_pairs), question.alpha)
                powers[row, :, index] = rejected.sum(axis=-1) / np.maximum(tested.sum(axis=-1), 1)
    return powers


def _all_ratios(
    question: Question, values: Floats, counts: Floats, taken: Floats | None, pool: ThreadPoolExecutor
) -> Floats:
    """Return A^2 / Q of every resample and pair of one metric, the pairs shared out among threads.

    It is 0 in the direction that a one-sided alternative leaves out.
    """
    products = values @ counts, np.abs(values) @ counts
    n_pairs = len(question.first)
    all_ratios = np.empty((counts.shape[1], n_pairs))

    def work(start: int) -> None:
        block = slice(start, start + _PAIRS_AT_ONCE)
        pairs = question.first[block], question.second[block]
        ratios, total = squared_ratios(values, counts, pairs, products, taken)
        if question.alternative in {"greater", "less"}:
            ratios *= total * _SIDES[question.alternative][0] > 0.0
        all_ratios[:, block] = ratios.T

    list(pool.map(work, range(0, n_pairs, _PAIRS_AT_ONCE)))
    return all_ratios


def less(values: Floats, taken: Floats) -> Floats:
    """Return scores (..., system, topic) less what is taken off those of every system."""
    return values - taken[..., None]


def all_tied(values: Floats, first: Ints, second: Ints) -> Flags:
    """Return whether two systems tie on all topics that both have: (..., system, topic) to (..., pair)."""
    apart = values[..., first, :] - values[..., second, :]
    return ~np.any(np.nan_to_num(apart), axis=-1)


def squared_ratios(
    values: Floats,
    counts: Floats,
    pairs: tuple[Ints, Ints],
    products: tuple[Floats, Floats],
    taken: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Return A^2 / Q of pairs on resampled topics, 0 where the means are equal, and A itself: arrays (pair, resample).

    The values are (system, topic), the counts (topic, resample), the products those of the values and of their sizes
    with the counts. What is `taken` off the values first, (system,), counts where a pair differs at all.
    """
    (first, second), (sums, sizes) = pairs, products
    total = difference(sums[first], sums[second], sizes[first], sizes[second])
    squares = (values[first] - values[second]) ** 2 @ counts
    if taken is not None:
        apart, n_drawn = (taken[first] - taken[second])[:, None], counts.sum(axis=0)
        size = sizes[first] + sizes[second]
        moved = difference(total, n_drawn * apart, size, n_drawn * np.abs(apart))
        differ = squares > (RELATIVE * size) ** 2
        squares += n_drawn * apart**2 - 2.0 * apart * total
        total = np.where(differ, moved, 0.0)
    return np.divide(total**2, squares, out=np.zeros_like(total), where=total != 0.0), total


def student_ratios(levels: Floats, n_topics: int) -> Floats:
    """Return the least A^2 / Q that a t test on so many topics asks for at one-sided levels."""
    square = stdtrit(n_topics - 1, levels) ** 2
    return np.asarray(n_topics * square / (n_topics - 1 + square))


def count_rejected(reached: Flags, step: str) -> Ints:
    """Count the rejections along the last axis, the most extreme pair first.

    A step-down correction goes to the first failure, a step-up one from the last success.

    Examples
    --------
    >>> reached = np.array([True, False, True])
    >>> [int(count_rejected(reached, step)) for step in ("none", "down", "up")]
    [2, 1, 3]
    """
    n_places = reached.shape[-1]
    if step == "none":
        return reached.sum(axis=-1)
    if step == "down":
        return np.where(reached.all(axis=-1), n_places, np.argmin(reached, axis=-1))
    return np.where(reached.any(axis=-1), n_places - np.argmax(reached[..., ::-1], axis=-1), 0)
