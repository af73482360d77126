"""Populations of systems with a known truth, and the scores of any number of topics drawn from them.

A score is built in two steps. Behind it stands a normal variable of unit variance: an effect of the system, an effect
of the topic, and their interaction. Each metric then turns it into a score through its own distribution, so that AP
comes out continuous and skewed, P@10 in tenths and RR in 1/k, while the order of the systems stays the same truth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_count, check_number, refused
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.words import span, two_digits
from metaeval.errors import InvalidOptionError
from metaeval.running.draws import RNGLike, resolve_rng
from metaeval.running.parallel import in_one_order
from metaeval.simulate.marginals import marginal_of, parsed_metric
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, as_scores

_TOPIC_NODES = 32


class Components(NamedTuple):
    """A number for each of the three parts that a score is made of."""

    system: float
    topic: float
    interaction: float


TREC_SHARES = Components(system=0.08, topic=0.70, interaction=0.22)
"""Shares of variance behind the scores that give AP itself those of TREC-3 ad hoc; see `simulate_population`."""
TREC_CORRELATION = Components(system=0.9, topic=0.8, interaction=0.65)
"""Correlation of two metrics in each part, as between AP, P@10 and RR on TREC-5 to TREC-8."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population(Result):
    """Systems of known quality, from which any number of topics can be drawn."""

    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    effects: Floats
    """Effect of every system on the normal variable behind the scores. Shape (metric, system)."""
    shares: Components
    """Variance of the three parts; they add up to 1."""
    correlation: Components
    """Correlation between any two metrics in each part."""
    topic_spread: float
    """How much topics differ in how far they part the systems: standard deviation of the log of the factor on the
    interaction."""
    groups: tuple[str, ...] | None
    """Group of every system."""
    group_share: float
    """Share of the variance between systems, and of the interaction, that members of a group have in common."""
    originals: Ints
    """The system that every system is a copy of; itself for most. Shape (system,)."""
    random_source: str
    """Where the effects came from."""

    def _found(self) -> str:
        effects = span(self.systems, self.effects[0], map(two_digits, self.effects[0]))
        return f"true effects of {count(len(self.systems), 'system')} under {self.metrics[0]}: {effects}"

    def draw(  # noqa: PLR0913 - what topics may have in common
        self,
        n_topics: int,
        *,
        n_clusters: int | None = None,
        cluster_share: float = 0.3,
        n_repeats: int | None = None,
        repeat_share: float = 0.3,
        rng: RNGLike = None,
    ) -> Scores:
        """Draw topics and return the scores of every system on them.

        Parameters
        ----------
        n_topics : int
            At least 2.
        n_clusters : int, optional
            Put the topics into so many clusters of nearly equal size (tasks, documents), drawn like the topics.
        cluster_share : float, default 0.3
            Share of the variance between topics, and of the interaction, that a cluster has in common: the intraclass
            correlation of the variables behind the scores.
        n_repeats : int, optional
            Score every system so many times on every topic.
        repeat_share : float, default 0.3
            Share of the interaction's variance that is drawn anew for every repeat.
        rng : None, int, Generator or RandomSource
            See `metaeval.running.draws.resolve_rng`.

        Returns
        -------
        Scores
            With groups if the population has them, clusters and repeats if they are asked for.

        Raises
        ------
        InvalidOptionError
            If an option is outside its rule.

        Examples
        --------
        >>> population = simulate_population(n_systems=3, metrics=["P@10"], rng=0)
        >>> population.draw(50, rng=1).shape
        (1, 3, 50)
        """
        check_count(n_topics, "n_topics", least=2)
        cluster = _cluster_of_each(n_topics, n_clusters, cluster_share)
        check_count(1 if n_repeats is None else n_repeats, "n_repeats")
        check_number(repeat_share, "repeat_share", least=0, most=1)
        source = resolve_rng(rng)
        latent = self._latent(int(n_topics), source.generator, cluster, cluster_share, n_repeats, repeat_share)
        scores = as_scores(
            np.stack(
                [
                    marginal_of(name).scores(latent_scores)
                    for name, latent_scores in zip(self.metrics, latent, strict=True)
                ]
            ),
            metrics=self.metrics,
            systems=self.systems,
            groups=None if self.groups is None else dict(zip(self.systems, self.groups, strict=True)),
            clusters=None
            if cluster is None
            else {str(number): f"cluster{code + 1}" for number, code in enumerate(cluster.tolist(), start=1)},
        )
        scores.attrs["notes"] = [
            f"simulated: systems from {self.random_source}, {n_topics:,} topics from {source.description}"
        ]
        return scores

    @in_one_order
    def true_means(self) -> xr.DataArray:
        r"""Return the mean score of every system over all topics there could be, dims (metric, system).

        Notes
        -----
        With effect :math:`a` the normal variable of a system is :math:`N(a, v_t + v_i w^2)` on a topic that parts the
        systems by the factor :math:`w`, and the mean of a metric with distribution function :math:`F` is

        .. math:: \int_0^1 E_w \Phi\!\left(\frac{a - \Phi^{-1}(F(x))}{\sqrt{v_t + v_i w^2}}\right) dx,

        computed by Gauss quadrature, or as a sum over the steps of a discrete metric.
        """
        nodes, weights = np.polynomial.hermite_e.hermegauss(_TOPIC_NODES)
        factors = _spread_factors(nodes, self.topic_spread)
        scale = np.sqrt(self.shares.topic + self.shares.interaction * factors**2)
        effects, scales = np.broadcast_arrays(self.effects[..., None], scale)
        means = [
            marginal_of(name).expectation(effects[index], scales[index]) @ (weights / weights.sum())
            for index, name in enumerate(self.metrics)
        ]
        coordinates = {"metric": list(self.metrics), "system": list(self.systems)}
        return xr.DataArray(np.stack(means), dims=DIMS[:2], coords=coordinates, name="true_mean")

    def _latent(  # noqa: PLR0913, PLR0917 - what topics may have in common
        self,
        n_topics: int,
        generator: np.random.Generator,
        cluster: Ints | None = None,
        cluster_share: float = 0.0,
        n_repeats: int | None = None,
        repeat_share: float = 0.0,
    ) -> Floats:
        """Draw the normal variables behind the scores, shape (metric, system, topic) or (…, repeat)."""
        n_metrics, n_systems = self.effects.shape
        topics = _correlated(generator, n_metrics, (1, n_topics), self.correlation.topic)
        factors = _spread_factors(generator.standard_normal(n_topics), self.topic_spread)
        parting = _correlated(generator, n_metrics, (n_systems, n_topics), self.correlation.interaction)
        if self.groups is not None:
            parting = _within_groups(generator, parting, self.groups, self.correlation.interaction, self.group_share)
        if cluster is not None:
            n_clusters = int(cluster.max()) + 1
            common = _correlated(generator, n_metrics, (1, n_clusters), self.correlation.topic)
            topics = _mixed(common[..., cluster], topics, cluster_share)
            common = _correlated(generator, n_metrics, (n_systems, n_clusters), self.correlation.interaction)
            parting = _mixed(common[..., cluster], parting, cluster_share)
        if n_repeats is not None:
            shape = (n_systems, n_topics, int(n_repeats))
            again = _correlated(generator, n_metrics, shape, self.correlation.interaction)
            parting = _mixed(again, parting[..., None], repeat_share)
            topics, factors = topics[..., None], factors[:, None]
        effects = self.effects.reshape(*self.effects.shape, *[1] * (parting.ndim - 2))
        latent = effects + np.sqrt(self.shares.topic) * topics + np.sqrt(self.shares.interaction) * factors * parting
        return latent[:, self.originals]


def simulate_population(  # noqa: PLR0913 - the parameters of a population
    *,
    n_systems: int = 30,
    metrics: Sequence[str] = ("AP", "nDCG@10", "P@10", "RR"),
    n_groups: int | None = None,
    shares: Components = TREC_SHARES,
    correlation: Components = TREC_CORRELATION,
    topic_spread: float = 0.3,
    group_share: float = 0.5,
    n_duplicates: int = 0,
    null: bool = False,
    rng: RNGLike = None,
) -> Population:
    """Simulate systems of known quality.

    Parameters
    ----------
    n_systems : int
        At least 2.
    metrics : sequence of str
        ``AP``, ``nDCG@10``, ``P@10``, ``RR``, ``ERR@20``, ``Success@5``, ``Normal`` and the like; see `METRIC_KINDS`.
        Case does not matter.
    n_groups : int, optional
        Put the systems into so many groups of nearly equal size, whose members are alike.
    shares : Components
        Shares of system, topic and interaction in the variance of the normal variable behind the scores. The default
        gives AP itself about 7, 66 and 27 %, after the 7, 68 and 25 % of TREC-3 ad hoc [1]_; scores of TREC-5 to
        TREC-8 and of the Web tracks have 4 to 22 % for systems and 25 to 66 % for topics.
    correlation : Components
        Correlation between any two metrics in the effects of systems and topics and in the interaction; the default
        is what AP, P@10 and RR have on TREC-5 to TREC-8.
    topic_spread : float
        Standard deviation, over topics, of the log of how far a topic parts the systems; 0.3 on TREC-5 and TREC-8.
    group_share : float
        Share of the variance between systems, and of the interaction, that a group has in common.
    n_duplicates : int
        Number of systems, the last ones, that are exact copies of the first ones, and of their groups.
    null : bool
        Give all systems equal true means: the scores of any two are exchangeable, which every test's null asks for.
    rng : None, int, Generator or RandomSource
        See `metaeval.running.draws.resolve_rng`.

    Returns
    -------
    Population
        ``draw(n_topics)`` gives scores of its systems on new topics.

    Raises
    ------
    InvalidOptionError
        If an option is outside its rule; `UnknownNameError` for an unknown metric.

    References
    ----------
    .. [1] Urbano, Marrero and Martín (2013), On the measurement of test collection reliability, SIGIR. The numbers are
       the G-study of the 30 best systems in the manual of its R package gt4ireval.

    Examples
    --------
    >>> population = simulate_population(n_systems=4, metrics=["AP", "RR"], null=True, rng=7)
    >>> bool((population.true_means() == population.true_means()[:, 0]).all())
    True
    """
    names = _checked_metrics(metrics)
    check_count(n_systems, "n_systems", least=2)
    shares, correlation = Components(*shares), Components(*correlation)
    _check_numbers(shares, correlation, topic_spread, group_share)
    groups = _groups(n_systems, n_groups)
    originals = _originals(n_systems, n_duplicates)
    source = resolve_rng(rng)
    effects = _correlated(source.generator, len(names), (n_systems,), correlation.system)
    if groups is not None:
        effects = _within_groups(source.generator, effects, groups, correlation.system, group_share)
        groups = tuple(groups[original] for original in originals)
    return Population(
        systems=_system_names(n_systems, groups),
        metrics=names,
        effects=np.zeros_like(effects) if null else np.sqrt(shares.system) * effects[:, originals],
        shares=shares,
        correlation=correlation,
        topic_spread=float(topic_spread),
        groups=groups,
        group_share=float(group_share),
        originals=originals,
        random_source=source.description,
    )


def simulate_scores(  # noqa: PLR0913 - the parameters of a population, and the number of topics
    *,
    n_systems: int = 30,
    n_topics: int = 50,
    metrics: Sequence[str] = ("AP", "nDCG@10", "P@10", "RR"),
    n_groups: int | None = None,
    shares: Components = TREC_SHARES,
    correlation: Components = TREC_CORRELATION,
    topic_spread: float = 0.3,
    group_share: float = 0.5,
    n_duplicates: int = 0,
    null: bool = False,
    n_clusters: int | None = None,
    cluster_share: float = 0.3,
    n_repeats: int | None = None,
    repeat_share: float = 0.3,
    rng: RNGLike = None,
) -> Scores:
    """Simulate a population of systems and draw a set of topics.

    Parameters
    ----------
    n_topics : int
        At least 2.
    n_systems, metrics, n_groups, shares, correlation, topic_spread, group_share, n_duplicates, null, rng
        See `simulate_population`.
    n_clusters, cluster_share, n_repeats, repeat_share
        See `Population.draw`.

    Returns
    -------
    Scores
        With dimensions ``metric``, ``system`` and ``topic``, in units of the metric.

    Raises
    ------
    InvalidOptionError
        As `simulate_population`.

    See Also
    --------
    metaeval.simulate.collection.simulate_collection
    metaeval.questions.power.study.study_power

    Examples
    --------
    >>> scores = simulate_scores(n_systems=5, n_topics=20, metrics=["P@5", "RR@10"], rng=0)
    >>> scores["metric"].to_numpy().tolist(), scores.sizes["topic"]
    (['P@5', 'RR@10'], 20)
    """
    source = resolve_rng(rng)
    population = simulate_population(
        n_systems=n_systems,
        metrics=metrics,
        n_groups=n_groups,
        shares=shares,
        correlation=correlation,
        topic_spread=topic_spread,
        group_share=group_share,
        n_duplicates=n_duplicates,
        null=null,
        rng=source,
    )
    return population.draw(
        n_topics,
        n_clusters=n_clusters,
        cluster_share=cluster_share,
        n_repeats=n_repeats,
        repeat_share=repeat_share,
        rng=source,
    )


def _cluster_of_each(n_topics: int, n_clusters: int | None, cluster_share: float) -> Ints | None:
    check_number(cluster_share, "cluster_share", least=0, most=1)
    if n_clusters is None:
        return None
    check_count(n_clusters, "n_clusters", most=n_topics, unit="topics")
    return np.arange(n_topics) * n_clusters // n_topics


def _checked_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    if isinstance(metrics, str) or not len(metrics):
        raise InvalidOptionError(
            f"`metrics` must be a sequence with at least one name, such as ['AP'], not {metrics!r}"
        )
    names = tuple(parsed_metric(name)[0] for name in metrics)
    repeated = [name for position, name in enumerate(names) if name in names[:position]]
    if repeated:
        raise InvalidOptionError(f"metric {repeated[0]!r} appears twice; name every metric once")
    return names


def _check_numbers(shares: Components, correlation: Components, topic_spread: float, group_share: float) -> None:
    if min(shares) < 0 or not np.isclose(sum(shares), 1.0, rtol=0, atol=1e-9) or shares.topic + shares.interaction <= 0:
        rule = f"must be at least 0, add up to 1, and leave something to topics, not {tuple(shares)}"
        raise refused("shares", rule, shares)
    for option, number in (*zip(("correlation",) * 3, correlation, strict=True), ("group_share", group_share)):
        check_number(number, option, least=0, most=1)
    check_number(topic_spread, "topic_spread", least=0, most=1)


def _groups(n_systems: int, n_groups: int | None) -> tuple[str, ...] | None:
    if n_groups is None:
        return None
    check_count(n_groups, "n_groups", most=n_systems, unit="systems")
    width = len(str(n_groups))
    return tuple(f"group{1 + system * n_groups // n_systems:0{width}}" for system in range(n_systems))


def _originals(n_systems: int, n_duplicates: int) -> Ints:
    check_count(n_duplicates, "n_duplicates", least=0, most=n_systems // 2, unit="half the systems")
    originals = np.arange(n_systems)
    originals[n_systems - n_duplicates :] = np.arange(n_duplicates)
    return originals


def _system_names(n_systems: int, groups: tuple[str, ...] | None) -> tuple[str, ...]:
    width = len(str(n_systems))
    names = [f"system{number:0{width}}" for number in range(1, n_systems + 1)]
    return tuple(names if groups is None else (f"{group}-{name}" for group, name in zip(groups, names, strict=True)))


def _within_groups(
    generator: np.random.Generator, own: Floats, groups: tuple[str, ...], correlation: float, share: float
) -> Floats:
    """Let the systems of a group have a share of their values in common, shape (metric, system, …)."""
    names = list(dict.fromkeys(groups))
    common = _correlated(generator, len(own), (len(names), *own.shape[2:]), correlation)
    return _mixed(common[:, [names.index(name) for name in groups]], own, share)


def _correlated(generator: np.random.Generator, n_metrics: int, shape: tuple[int, ...], correlation: float) -> Floats:
    """Draw standard normal values for every metric, any two metrics correlated alike, shape (metric, *shape)."""
    common = generator.standard_normal(shape)
    return _mixed(common, generator.standard_normal((n_metrics, *shape)), correlation)


def _mixed(common: Floats, own: Floats, share: float) -> Floats:
    """Return values of the same variance that hold `share` of it in common."""
    return np.sqrt(share) * common + np.sqrt(1.0 - share) * own


def _spread_factors(normal: Floats, spread: float) -> Floats:
    """Return log-normal factors whose square has mean 1."""
    return np.exp(spread * normal - spread**2)
