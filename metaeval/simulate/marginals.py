"""The distributions of metrics' scores over systems and topics, each like real ones."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from metaeval.base.arrays import Floats, Ints
from metaeval.errors import InvalidOptionError, UnknownNameError

_NODES = 256
_DEEPEST = 1000


class Marginal(Protocol):
    """The distribution of one metric's scores over all systems and topics."""

    def scores(self, latent: Floats) -> Floats:
        """Turn standard normal values into scores, larger into larger."""

    def expectation(self, mean: Floats, scale: Floats) -> Floats:
        """Return the mean score where the normal values have other means and standard deviations (same shape)."""


class _Normal(NamedTuple):
    """Scores without bounds: the normal variable itself."""

    def scores(self, latent: Floats) -> Floats:
        return latent.copy()

    def expectation(self, mean: Floats, scale: Floats) -> Floats:
        return mean + 0.0 * scale


class _Continuous(NamedTuple):
    """Scores between 0 and 1 with density, and a share of exact zeros.

    Above the zeros, the distribution of Kumaraswamy (1980): F(x) = 1 - (1 - x^a)^b, which looks like a beta
    distribution and has its quantiles in closed form.
    """

    a: float
    b: float
    zeros: float

    def scores(self, latent: Floats) -> Floats:
        # the upper tail is 1 - F, so it keeps its precision near 1
        survival = np.minimum(ndtr(-latent) / (1.0 - self.zeros), 1.0)
        return (1.0 - survival ** (1.0 / self.b)) ** (1.0 / self.a)

    def expectation(self, mean: Floats, scale: Floats) -> Floats:
        points, heights = _quadrature()
        survival = (1.0 - self.zeros) * (1.0 - points**self.a) ** self.b
        return _layered(mean, scale, -ndtri(survival), heights)


class _Steps(NamedTuple):
    """Scores on a grid: `values` ascending from 0, and the probability of a score below each of them."""

    values: Floats
    below: Floats

    def scores(self, latent: Floats) -> Floats:
        return self.values[np.searchsorted(ndtri(self.below[1:]), latent, side="right")]

    def expectation(self, mean: Floats, scale: Floats) -> Floats:
        return _layered(mean, scale, ndtri(self.below[1:]), np.diff(self.values))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return points and weights of an integral over (0, 1); x = y^4 brings them closer to 0, where scores crowd."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    roots = (nodes + 1.0) / 2.0
    return roots**4, 2.0 * weights * roots**3


def _layered(mean: Floats, scale: Floats, thresholds: Floats, heights: Floats) -> Floats:
    """Return E(score) = sum of heights times P(latent > threshold): a mean is the area above the distribution."""
    return ndtr((mean[..., None] - thresholds) / scale[..., None]) @ heights


def _precision(cutoff: int) -> Marginal:
    """P@k: a propensity with F(x) = 1 - (1 - x^.635)^.943, in k + 1 equal steps."""
    steps = np.arange(cutoff + 1)
    return _Steps(steps / cutoff, 1.0 - (1.0 - (steps / (cutoff + 1)) ** 0.635) ** 0.943)


def _reciprocal_rank(cutoff: int) -> Marginal:
    """RR: the first relevant document at rank r or better with probability r^.55 / (r^.55 + 1.02)."""
    ranks = np.arange(cutoff or _DEEPEST, 0, -1)
    return _Steps(np.concatenate([[0.0], 1.0 / ranks]), np.concatenate([[0.0], 1.0 - _found_by(ranks)]))


def _success(cutoff: int) -> Marginal:
    """Success@k: 1 where the first relevant document, ranked as for RR, is at rank k or better."""
    return _Steps(np.array([0.0, 1.0]), np.array([0.0, 1.0 - _found_by(np.array([cutoff]))[0]]))


def _found_by(ranks: Ints) -> Floats:
    odds = ranks**0.55 / 1.02
    return odds / (1.0 + odds)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricKind:
    """A family of metrics that can be imitated."""

    name: str
    cutoff: str
    """Whether ``@k`` follows the name."""
    marginal: Callable[[int], Marginal] = field(repr=False)
    """From the cutoff (0 if there is none) to the distribution of scores."""
    like: str
    """Which real scores the distribution was fitted to."""


_KINDS = (
    MetricKind(
        name="AP",
        cutoff="none",
        marginal=lambda _: _Continuous(0.601, 1.918, 0.034),
        like="TREC-5 to TREC-8 ad hoc runs: mean .205, standard deviation .211, 3 % zeros",
    ),
    MetricKind(
        name="nDCG",
        cutoff="optional",
        marginal=lambda cutoff: _Continuous(0.99, 3.47, 0.189) if cutoff else _Continuous(3.06, 2.5, 0.035),
        like="with a cutoff, Web 2010 to 2014 nDCG@20: mean .183, 19 % zeros; without, Terabyte 2006: mean .589, its "
        "lowest scores as zeros",
    ),
    MetricKind(
        name="P", cutoff="required", marginal=_precision, like="TREC-5 to TREC-8 P@10: mean .39, 21 % zeros, 7 % ones"
    ),
    MetricKind(
        name="RR",
        cutoff="optional",
        marginal=_reciprocal_rank,
        like="TREC-5 to TREC-8: first relevant document at rank 1 on 49 %, by rank 10 on 79 % of topics",
    ),
    MetricKind(
        name="ERR",
        cutoff="optional",
        marginal=lambda _: _Continuous(0.87, 4.3, 0.189),
        like="Web 2010 to 2014 ERR@20: mean .132, 19 % zeros",
    ),
    MetricKind(name="Success", cutoff="required", marginal=_success, like="the ranks of RR"),
    MetricKind(
        name="Normal",
        cutoff="none",
        marginal=lambda _: _Normal(),
        like="nothing: standard normal, without bounds, for calibration",
    ),
)


METRIC_KINDS: Mapping[str, MetricKind] = MappingProxyType({kind.name: kind for kind in _KINDS})
"""What can be imitated, by name."""


def parsed_metric(name: str) -> tuple[str, MetricKind, int]:
    """Return a metric's name as it is written, its kind and its cutoff (0 if it has none)."""
    word, at, digits = str(name).strip().partition("@")
    kind = {metric_name.casefold(): kind for metric_name, kind in METRIC_KINDS.items()}.get(word.casefold())
    if kind is None:
        raise UnknownNameError("metric that can be imitated", str(name), METRIC_KINDS)
    if at and (kind.cutoff == "none" or not re.fullmatch("[1-9][0-9]{0,5}", digits)):
        rule = "has no cutoff" if kind.cutoff == "none" else "needs a whole number from 1 after the @"
        raise InvalidOptionError(f"{kind.name} {rule}; found {name!r}")
    if not at and kind.cutoff == "required":
        raise InvalidOptionError(f"{kind.name} needs a cutoff, as in {kind.name}@10; found {name!r}")
    return (f"{kind.name}@{digits}" if at else kind.name), kind, int(digits or 0)


def marginal_of(name: str) -> Marginal:
    """Return the distribution of a metric's scores."""
    _, kind, cutoff = parsed_metric(name)
    return kind.marginal(cutoff)
