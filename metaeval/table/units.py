"""What is drawn, flipped and summed as one: the clusters of scores, their strata, and the weights of topics.

Where scores have none of these, every topic is a unit of its own, and numbers are those of plain topics to the bit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.names import first_few
from metaeval.base.notes import Remark
from metaeval.base.unit import unit, unit_of
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import bootstrap_counts, bootstrap_indices, chunk_size, draw_topic_counts
from metaeval.table.scores import Scores
from metaeval.table.structure import topic_weights

type Codes = Ints

FEWEST_CLUSTERS = 10
"""Below so many clusters a bootstrap that draws them whole is not shown: it comes out too sure of itself."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopicUnits:
    """How the topics of scores are grouped."""

    weights: Floats
    """1 where none are said. Shape (topic,)."""
    unit: Codes
    """Number of the cluster of every topic, in order of appearance; without clusters that of the topic. Shape
    (topic,)."""
    stratum: Codes
    """Number of the stratum of every topic; 0 without strata. Shape (topic,)."""
    names: tuple[str, ...]
    """Of the clusters, or else of the strata, by number."""
    clustered: bool
    stratified: bool
    weighted: bool
    """What there is."""

    @property
    def plain(self) -> bool:
        """Whether topics are units that all weigh alike."""
        return not (self.clustered or self.stratified or self.weighted)

    @property
    def n_units(self) -> int:
        """Number of clusters, or else of topics."""
        return int(self.unit.max()) + 1

    @property
    def total(self) -> float:
        """Sum of the weights: the number of topics where they have none."""
        return float(self.weights.sum())

    def sums(self, values: Floats) -> Floats:
        """Return the weighted sums over the topics of every unit: (..., topic) to (..., unit); gaps add nothing.

        Examples
        --------
        >>> from metaeval import as_scores
        >>> scores = as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"})
        >>> units_of(scores).sums(scores.to_numpy())[0].tolist()
        [[5.0, 2.0], [1.0, 0.0]]
        """
        if self.weighted:
            values = values * self.weights
        if not self.clustered:
            return values
        order = np.argsort(self.unit, kind="stable")
        starts = np.searchsorted(self.unit[order], np.arange(self.n_units))
        return np.ascontiguousarray(np.add.reduceat(np.nan_to_num(values)[..., order], starts, axis=-1))

    def held(self, known: Flags) -> Codes:
        """Return of how many units there is a topic: (..., topic) to (...).

        Examples
        --------
        >>> from metaeval import as_scores
        >>> scores = as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"})
        >>> units_of(scores).held(np.array([[True, False, True], [True, True, False]])).tolist()
        [1, 2]
        """
        return np.asarray(self.flags(known).sum(axis=-1))

    def flags(self, known: Flags) -> Flags:
        """Return which units have a topic that is known: (..., topic) to (..., unit)."""
        return np.asarray(replace(self, weighted=False).sums(known.astype(np.float64)) > 0)

    @property
    def freedom(self) -> int:
        """Number of units less that of strata: of topics less one where there are none of either."""
        return self.n_units - int(self.stratum.max()) - 1

    def draws(self, generator: np.random.Generator, n_resamples: int) -> Codes:
        """Draw units with replacement, inside their strata: an array (resample, place) of their numbers."""
        if not self.stratified:
            return bootstrap_indices(generator, n_resamples, self.n_units)
        members = [np.flatnonzero(self.stratum == stratum) for stratum in range(int(self.stratum.max()) + 1)]
        return np.concatenate(
            [in_stratum[bootstrap_indices(generator, n_resamples, len(in_stratum))] for in_stratum in members], axis=1
        )

    def counts(
        self, generator: np.random.Generator, n_resamples: int, *, at_once: int | None = None
    ) -> Iterator[Floats]:
        """Draw units as `draws` and yield how often each came, a chunk of resamples at a time.

        Shapes: result (unit, resample).
        """
        if not self.stratified:
            yield from draw_topic_counts(generator, n_resamples, self.n_units, at_once=at_once)
            return
        size = at_once or chunk_size(self.n_units)
        for start in range(0, n_resamples, size):
            drawn = self.draws(generator, min(size, n_resamples - start))
            yield np.ascontiguousarray(bootstrap_counts(drawn, self.n_units).T)

    def topics_of(self, drawn: Codes) -> tuple[Codes, "TopicUnits"]:
        """Return the topics of the units drawn, and how they are grouped: every draw is a unit of its own.

        Examples
        --------
        >>> from metaeval import as_scores
        >>> scores = as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"})
        >>> topics, units = units_of(scores).topics_of(np.array([0, 0]))
        >>> topics.tolist(), units.unit.tolist()
        ([0, 2, 0, 2], [0, 0, 1, 1])
        """
        topics, unit = drawn, np.arange(len(drawn))
        if self.clustered:
            members = np.split(np.argsort(self.unit, kind="stable"), np.cumsum(np.bincount(self.unit))[:-1])
            topics = np.concatenate([members[number] for number in drawn.tolist()])
            unit = np.repeat(unit, np.bincount(self.unit)[drawn])
        return topics, replace(self, weights=self.weights[topics], unit=unit, stratum=self.stratum[topics], names=())


def units_of(scores: Scores) -> TopicUnits:
    """Return how the topics of scores are grouped."""
    n_topics = scores.sizes["topic"]
    clustered, stratified = "cluster" in scores.coords, "stratum" in scores.coords
    alone, together = np.arange(n_topics), np.zeros(n_topics, dtype=np.int64)
    names: tuple[str, ...] = ()
    codes = alone
    if clustered or stratified:
        of_topic = scores["cluster" if clustered else "stratum"].to_numpy().tolist()
        number_of = {name: number for number, name in enumerate(dict.fromkeys(of_topic))}
        names = tuple(number_of)
        codes = np.array([number_of[name] for name in of_topic], dtype=np.int64)
    return TopicUnits(
        weights=topic_weights(scores),
        unit=codes if clustered else alone,
        stratum=codes if stratified else together,
        names=names,
        clustered=clustered,
        stratified=stratified,
        weighted="weight" in scores.coords,
    )


def check_resampling_of(units: TopicUnits, *, what: str, instead: str) -> None:
    """Refuse to draw fewer than ten clusters whole, or topics inside a stratum that has only one."""
    if units.clustered and units.n_units < FEWEST_CLUSTERS:
        raise InvalidOptionError(
            f"{what} draws {unit().clusters} whole, and {units.n_units} of them tell too little of their spread: it "
            f"takes {FEWEST_CLUSTERS} at least; {instead}"
        )
    if units.stratified:
        lonely = [units.names[number] for number in np.flatnonzero(np.bincount(units.stratum) == 1)]
        if lonely:
            raise InvalidOptionError(
                f"{what} draws {unit().topics} inside their strata, and a stratum of one {unit().topic} has no "
                f"spread: {first_few(lonely, write=repr)}; {instead}"
            )


def design_notes(scores: Scores) -> tuple[str, ...]:
    """Say what clusters, strata and weights there are.

    Examples
    --------
    >>> from metaeval import as_scores
    >>> design_notes(as_scores([[1, 2, 4], [0, 0, 1]], clusters={"1": "a", "2": "b", "3": "a"}))
    ('3 topics come in 2 clusters of 1 to 2 topics',)
    """
    units, spoken = units_of(scores), unit_of(scores)
    topics = spoken.topics
    notes = []
    if units.clustered or units.stratified:
        sizes = np.bincount(units.unit if units.clustered else units.stratum)
        span = f"{sizes.min()}" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()}"
        kind = spoken.clusters if len(sizes) > 1 else spoken.cluster
        if units.stratified and not units.clustered:
            kind = f"fixed {kind} ({'strata' if len(sizes) > 1 else 'stratum'})"
        notes.append(f"{len(units.weights):,} {topics} come in {len(sizes)} {kind} of {span} {topics}")
    if units.weighted:
        least, most = units.weights.min(), units.weights.max()
        notes.append(f"{topics} have weights from {least:g} to {most:g}; means are weighted")
    return tuple(map(Remark, notes))
