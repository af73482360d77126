"""Estimates of how far a judge favours a group of systems, and how sure they are: numbers in, numbers out."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from metaeval.base.arrays import Flags, Floats
from metaeval.running.equality import RELATIVE
from metaeval.running.parallel import in_one_order
from metaeval.tests_stat.tails import student_p

LEAST_RELIABILITY = 0.5
"""Share of the variance of the reference's means, over the systems of a slope, that is not the topics' noise."""


class BiasBlock(NamedTuple):
    """Systems whose deviations from what the judge would say without bias are alike."""

    residuals: Floats
    """What is left of judge minus expected when every topic's mean and its slope are taken off. Shape (judge, system,
    topic)."""
    squares: float
    """Sum of the squares of the weights with which these systems enter the figure."""
    freedom: int
    """Systems less what was taken off."""


class Bias(NamedTuple):
    """A figure of every judge and what its intervals are made of."""

    value: Floats
    """NaN where there is none. Shape (judge,)."""
    by_topic: Floats
    """One number a topic whose mean is the figure, up to the bias that a jackknife would take off. Shape (judge,
    topic)."""
    blocks: Sequence[BiasBlock]
    slope: Floats
    """Of the judge's means on the reference's; 1 where the figure is not adjusted. Shape (judge,)."""
    reliability: float
    """Of the reference's means over the systems that the slope is from; 1 where the figure is not adjusted."""
    size: Floats
    """Sizes of the scores behind the figure (`metaeval.running.equality`). Shape (judge,)."""


class Certainty(NamedTuple):
    """A standard error, its degrees of freedom, and what follows: arrays (judge,)."""

    error: Floats
    freedom: Floats
    low: Floats
    high: Floats
    p: Floats


@in_one_order
def of_group(judges: Floats, reference: Floats, inside: Flags, outside: Flags, *, adjusted: bool) -> Bias:
    r"""Return how far every judge lifts the systems inside above those outside, beside what the reference says.

    Shapes: `judges` (judge, system, topic), `reference` (system, topic), `inside, outside` (system,).
    """
    lead_reference = reference[inside].mean(axis=0) - reference[outside].mean(axis=0)
    lead = judges[:, inside].mean(axis=1) - judges[:, outside].mean(axis=1)
    reference_centred = _centred(reference[outside])
    judges_centred = _centred(judges[:, outside])
    n_inside, n_outside = int(inside.sum()), int(outside.sum())
    if adjusted:
        slope, slopes, reliability = _slopes(judges_centred, reference_centred)
        means = reference_centred.mean(axis=-1)
        true = reliability * (means @ means)
        squares = 1 / n_outside + lead_reference.mean() ** 2 * (means @ means) / true**2 if true > 0 else np.nan
        basis, taken = means[:, None], 2
    else:
        slope, slopes = np.ones(len(judges)), np.ones((len(judges), reference.shape[1]))
        reliability, squares, basis, taken = 1.0, 1 / n_outside, np.empty((n_outside, 0)), 1
    size = _size(judges, reference, slope, inside, outside)
    value = _settled(lead.mean(axis=-1) - slope * lead_reference.mean(), size)
    without = _without_each(lead) - slopes * _without_each(lead_reference)
    residuals = judges - slope[:, None, None] * reference
    blocks = (
        BiasBlock(_centred(residuals[:, inside]), 1 / n_inside, n_inside - 1),
        BiasBlock(_off(_centred(residuals[:, outside]), basis), float(squares), n_outside - taken),
    )
    n_topics = reference.shape[1]
    return Bias(
        value=value,
        by_topic=n_topics * value[:, None] - (n_topics - 1) * without,
        blocks=blocks,
        slope=slope,
        reliability=reliability,
        size=size,
    )


@in_one_order
def of_covariate(judges: Floats, reference: Floats, covariate: Floats, *, adjusted: bool) -> Bias:
    """Return by how much every judge lifts systems per unit of a covariate, beside what the reference says.

    Shapes: `judges` (judge, system, topic), `reference` (system, topic), `covariate` (system,).
    """
    n_systems, n_topics = reference.shape
    across = covariate - covariate.mean()
    spread = float(across @ across)
    reference_centred, judges_centred = _centred(reference), _centred(judges)
    per_topic = np.einsum("s,jst->jt", across, judges_centred) / spread
    per_topic_reference = across @ reference_centred / spread
    if adjusted:
        # the reference's part that the covariate leaves over, whose products across topics carry no noise of theirs
        rest_reference = reference_centred - across[:, None] * per_topic_reference
        rest_own = judges_centred - across[:, None] * per_topic[:, None, :]
        slope, slopes, reliability = _slopes(rest_own, rest_reference)
        means = rest_reference.mean(axis=-1)
        true = reliability * (means @ means)
        lead = per_topic_reference.mean()
        squares = 1 / spread + lead**2 * (means @ means) / true**2 if true > 0 else np.nan
        basis, taken = np.column_stack([across, means]), 3
    else:
        slope, slopes = np.ones(len(judges)), np.ones((len(judges), n_topics))
        reliability, squares, basis, taken = 1.0, 1 / spread, across[:, None], 2
    everything = np.ones(n_systems, dtype=bool)
    size = _size(judges, reference, slope, everything, everything) / np.sqrt(spread / n_systems)
    value = _settled(per_topic.mean(axis=-1) - slope * per_topic_reference.mean(), size)
    without = _without_each(per_topic) - slopes * _without_each(per_topic_reference)
    residuals = _off(_centred(judges - slope[:, None, None] * reference), basis)
    return Bias(
        value=value,
        by_topic=n_topics * value[:, None] - (n_topics - 1) * without,
        blocks=(BiasBlock(residuals, float(squares), n_systems - taken),),
        slope=slope,
        reliability=reliability,
        size=size,
    )


@in_one_order
def combined(bias: Bias, weights: Floats) -> Bias:
    """Return weighted sums of the judges' figures, as of one more judge each: weights (new judge, judge)."""
    blocks = [block._replace(residuals=np.tensordot(weights, block.residuals, axes=1)) for block in bias.blocks]
    return bias._replace(
        value=_settled(weights @ bias.value, np.abs(weights) @ bias.size),
        by_topic=weights @ bias.by_topic,
        blocks=tuple(blocks),
        slope=weights @ bias.slope,
        size=np.abs(weights) @ bias.size,
    )


def without_figures(bias: Bias, missing: Flags) -> Bias:
    """Return the figures without those of some judges, which become NaN."""
    value, slope = (np.where(missing, np.nan, figures) for figures in (bias.value, bias.slope))
    return bias._replace(value=value, slope=slope, by_topic=np.where(missing[:, None], np.nan, bias.by_topic))


def bend(judges: Floats, known: Floats) -> tuple[Floats, Floats]:
    """Return for every judge the coefficient of a quadratic term beside its line on the reference's means, and its p.

    Of means over topics, system by system; below 0 the judge saturates, so that good systems gain less. Noise of the
    means flattens a line, but bends none, so a judge with a straight scale is found bent at the level of the test.
    NaN where a judge has no spread about the curve to test it by.
    """
    least = 3  # parameters of a curve
    x, y = known.mean(axis=-1), judges.mean(axis=-1)
    spread = x.std()
    freedom = len(x) - least
    if freedom < 1 or spread <= RELATIVE * np.abs(x).max():
        return np.full(len(y), np.nan), np.full(len(y), np.nan)
    z = (x - x.mean()) / spread
    basis = np.column_stack([np.ones_like(z), z, z**2])
    axes, upper = np.linalg.qr(basis)
    parts = y @ axes
    residuals = y - parts @ axes.T
    error = np.sqrt((residuals**2).sum(axis=1) / freedom)
    told = (error > RELATIVE * np.abs(y).max(axis=1)) & (np.abs(upper[2, 2]) > RELATIVE)
    statistic = np.divide(parts[:, 2], error, out=np.full(len(y), np.nan), where=told)
    coefficient = np.where(told, parts[:, 2] / (upper[2, 2] or np.nan), np.nan)
    return coefficient, student_p(freedom, statistic).p


def certainty_over_topics(bias: Bias, confidence_level: float) -> Certainty:
    """Return how sure the figures are for these systems: Student's t over the topics."""
    n_topics = bias.by_topic.shape[-1]
    error = bias.by_topic.std(axis=-1, ddof=1) / np.sqrt(n_topics)
    return _certainty(bias, error, np.full(len(error), n_topics - 1.0), confidence_level)


def certainty_over_both(bias: Bias, confidence_level: float, *, pooled: bool) -> Certainty:
    r"""Return how sure the figures are for other topics and other systems of these kinds.

    Notes
    -----
    What varies with topics holds the deviations of a system on a topic already; the mean square of systems holds them
    too, and they are taken off it. Degrees of freedom after Satterthwaite.
    """
    n_topics = bias.by_topic.shape[-1]
    varies = bias.by_topic.var(axis=-1, ddof=1) / n_topics
    parts = [(varies, float(n_topics - 1))]
    total = varies.copy()
    for weight, means, noise, freedom in _components(bias.blocks, n_topics, pooled=pooled):
        some = means > noise
        total += np.where(some, weight * (means - noise), 0.0)
        parts += [
            (np.where(some, weight * means, 0.0), freedom),
            (np.where(some, weight * noise, 0.0), freedom * (n_topics - 1)),
        ]
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = total**2 / sum(variance**2 / degrees for variance, degrees in parts)
    return _certainty(bias, np.sqrt(total), np.where(total > 0, freedom, n_topics - 1.0), confidence_level)


def _components(
    blocks: Sequence[BiasBlock], n_topics: int, *, pooled: bool
) -> list[tuple[float, Floats, Floats, float]]:
    """Return for all systems together or inside and outside: weight, mean squares of systems and of noise, freedom."""
    components = []
    for block in blocks:
        means = block.residuals.mean(axis=-1)
        inner = ((block.residuals - means[..., None]) ** 2).sum(axis=(1, 2))
        components.append((block.squares, (means**2).sum(axis=1), inner / (n_topics * (n_topics - 1)), block.freedom))
    if pooled:
        weight, outer, inner, freedom = (sum(column) for column in zip(*components, strict=True))
        components = [(weight, outer, inner, freedom)]
    return [(weight, outer / freedom, inner / freedom, float(freedom)) for weight, outer, inner, freedom in components]


def _certainty(bias: Bias, error: Floats, freedom: Floats, confidence_level: float) -> Certainty:
    error = np.where(error <= RELATIVE * bias.size, 0.0, error)
    value = bias.value
    freedom = np.where(np.isfinite(freedom), freedom, 1.0)
    half = stdtrit(freedom, 0.5 + confidence_level / 2) * error
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.where(value == 0, 0.0, np.abs(value) / error)
    p = student_p(freedom, statistic, bias.by_topic.shape[-1]).p
    return Certainty(error=error, freedom=freedom, low=value - half, high=value + half, p=p)


def _slopes(own: Floats, known: Floats) -> tuple[Floats, Floats, float]:
    """Return slopes of own on known means from products across different topics, without each topic too."""
    sums_own, sums = own.sum(axis=-1), known.sum(axis=-1)
    same = np.einsum("jst,st->jt", own, known)
    same_known = (known**2).sum(axis=0)
    product = sums_own @ sums - same.sum(axis=-1)
    square = float(sums @ sums - same_known.sum())
    products = product[:, None] - sums @ own - np.einsum("js,st->jt", sums_own, known) + 2 * same
    squares = square - 2 * (sums @ known) + 2 * same_known
    n_topics = known.shape[-1]
    total = float(sums @ sums)
    reliability = square * n_topics / (n_topics - 1) / total if total > 0 and n_topics > 1 else 0.0
    slope = product / square if square > 0 else np.full(len(own), np.nan)
    slopes = np.divide(products, squares, out=np.full_like(products, np.nan), where=squares != 0)
    return slope, slopes, reliability


def _centred(values: Floats) -> Floats:
    return values - values.mean(axis=-2, keepdims=True)


def _without_each(values: Floats) -> Floats:
    """Return the means over all topics but one."""
    n_topics = values.shape[-1]
    return (values.sum(axis=-1, keepdims=True) - values) / (n_topics - 1)


def _off(values: Floats, basis: Floats) -> Floats:
    """Take off every topic's projection on the columns of a basis (system, column)."""
    if not basis.shape[1]:
        return values
    axes = np.linalg.qr(basis)[0]
    return values - axes @ (axes.T @ values)


def _settled(values: Floats, size: Floats) -> Floats:
    """Return figures, exactly 0 where they are 0 up to rounding."""
    return np.where(np.abs(values) <= RELATIVE * size, 0.0, values)


def _size(judges: Floats, reference: Floats, slope: Floats, inside: Flags, outside: Flags) -> Floats:
    judge_size, reference_size = np.abs(judges).mean(axis=-1), np.abs(reference).mean(axis=-1)
    of_judges = judge_size[:, inside].mean(axis=1) + judge_size[:, outside].mean(axis=1)
    return of_judges + np.abs(slope) * (reference_size[inside].mean() + reference_size[outside].mean())
