"""What a sample of topics is made of: topics, clusters resampled whole, or topics within fixed strata.

The mean score of a system is a ratio, the sum of its scores over the sum of their weights, and what a unit adds to its
error is the residual of the unit's sum. One form does for topics, clusters of any sizes, weights and strata.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.draws import chunk_size, topic_counts
from metaeval.equality import settle
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.scores import Scores, better_direction, oriented_values
from metaeval.topic_design import engine_scores, topic_weights
from metaeval.topic_units import FEWEST_CLUSTERS

__all__ = ["Units", "resampled_scores", "unit_counts", "units_of"]

type Floats = NDArray[np.float64]

_EXPONENT = 1000  # of a unit: beyond, a power of two is not a number in double precision


class Units(NamedTuple):
    """Scores laid out by what is resampled.

    Attributes
    ----------
    means : array (metric, system)
        In the metric's own direction.
    oriented : array (metric, system)
        Turned so that higher is better; those equal on paper are equal.
    spans : array (metric, system)
        Sum of the sizes of the weighted scores: what rounding is measured by.
    residual : array (metric, system, unit)
        Weighted sum of the turned scores of a unit, less the mean (within the stratum) times the unit's size.
    sizes : array (unit,)
        Sum of the weights of a unit's topics; 1 for a topic without weight.
    stratum : array (unit,)
        Numbered from 0; all 0 where there are no strata.
    place : array (topic,)
        The unit of every topic.
    kind : str
        "topic", "cluster" or "stratum".
    """

    means: Floats
    oriented: Floats
    spans: Floats
    residual: Floats
    sizes: Floats
    stratum: NDArray[np.int64]
    place: NDArray[np.int64]
    kind: str

    @property
    def inflation(self) -> Floats:
        """Return n / (n - 1) for every unit, n being the units of its stratum."""
        number = np.bincount(self.stratum)[self.stratum]
        return number / (number - 1.0)

    def scaled(self) -> tuple["Units", Floats]:
        """Return the same in units of their own, and these: a power of two a metric, beside which no square overflows.

        The means stay as they are.
        """
        _, exponent = np.frexp(self.spans.max(axis=1))
        scale = np.ldexp(1.0, exponent.clip(-_EXPONENT, _EXPONENT))
        oriented, spans = self.oriented / scale[:, None], self.spans / scale[:, None]
        return self._replace(oriented=oriented, spans=spans, residual=self.residual / scale[:, None, None]), scale


def resampled_scores(data: object, *, what: str) -> Scores:
    """Return scores as `units_of` takes them: the door of engines that resample units.

    Raises
    ------
    ScoresError
        For gaps.
    InvalidOptionError
        For weights with strata, or fewer than `metaeval.topic_units.FEWEST_CLUSTERS` clusters.
    """
    scores = engine_scores(data, uses=("clusters", "strata", "weights"), what=what)
    if {"stratum", "weight"} <= set(scores.coords):
        message = (
            f"{what}: weights of topics and fixed clusters (strata) do not go together here; leave out one of them"
        )
        raise InvalidOptionError(message)
    n_clusters = len(np.unique(scores["cluster"])) if "cluster" in scores.coords else FEWEST_CLUSTERS
    if n_clusters < FEWEST_CLUSTERS:
        message = (
            f"{what}: resamples of {n_clusters} clusters say nothing reliable ({FEWEST_CLUSTERS} are the fewest); take "
            "the clusters as fixed (with_clusters(scores, 'fixed'); --clusters fixed)"
        )
        raise InvalidOptionError(message)
    return scores


def units_of(scores: Scores) -> Units:
    """Lay out scores from `resampled_scores` by the coordinates ``cluster``, ``stratum`` and ``weight``.

    Raises
    ------
    ScoresError
        If a stratum has one topic.
    """
    values, weights = oriented_values(scores), topic_weights(scores)
    n_topics = values.shape[2]
    place, stratum, kind = np.arange(n_topics), np.zeros(n_topics, dtype=np.int64), "topic"
    if "cluster" in scores.coords:
        names, place = np.unique(scores["cluster"].to_numpy(), return_inverse=True)
        stratum, kind = np.zeros(len(names), dtype=np.int64), "cluster"
    elif "stratum" in scores.coords:
        stratum, kind = _strata(scores), "stratum"
    member = np.zeros((n_topics, len(stratum)))
    member[np.arange(n_topics), place] = weights
    sums, sizes = values @ member, member.sum(axis=0)
    strata = (stratum[:, None] == np.arange(stratum.max() + 1)).astype(np.float64)
    centre = (sums @ strata) / (sizes @ strata)
    oriented = values @ (weights / weights.sum())
    spans = np.abs(values) @ weights
    return Units(
        means=oriented * better_direction(scores)[:, None],
        oriented=settle(oriented, spans / weights.sum()),
        spans=spans,
        residual=np.ascontiguousarray(sums - centre[..., stratum] * sizes),
        sizes=sizes,
        stratum=stratum,
        place=place.astype(np.int64),
        kind=kind,
    )


def unit_counts(generator: np.random.Generator, units: Units, n_resamples: int) -> Iterator[Floats]:
    """Draw units with replacement, within strata where there are some; yield how often each came, (unit, resample).

    As `metaeval.draws.topic_counts`, which it is where there are no strata.
    """
    number = np.bincount(units.stratum)
    if len(number) == 1:
        yield from topic_counts(generator, n_resamples, len(units.stratum))
        return
    at_once = chunk_size(len(units.stratum))
    sources = generator.spawn(len(number))
    drawn = zip(sources, number.tolist(), strict=True)
    parts = [topic_counts(source, n_resamples, n, at_once=at_once) for source, n in drawn]
    order = np.argsort(np.argsort(units.stratum, kind="stable"), kind="stable")
    for chunk in zip(*parts, strict=True):
        yield np.ascontiguousarray(np.concatenate(chunk)[order])


def _strata(scores: Scores) -> NDArray[np.int64]:
    names, stratum = np.unique(scores["stratum"].to_numpy(), return_inverse=True)
    alone = names[np.bincount(stratum) < 2]  # noqa: PLR2004 - a variance
    if len(alone):
        message = f"stratum {str(alone[0])!r} has one topic, hence no variance; put it together with another stratum"
        raise ScoresError(message)
    return stratum.astype(np.int64)
