# ruff: noqa: RUF001, RUF002 - Greek letters are meant for people
"""Where the noise of scores comes from: components of variance, how dependable a design is, and the cheapest one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from metaeval.agreement.crossed_variances import Crossing, crossing, solved
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_count, check_list, check_share
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit_of
from metaeval.base.words import bracketed, number
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.models.dependability import (
    SYSTEMS,
    Design,
    Passes,
    Sources,
    Stability,
    check_cost,
    component_draws,
    exact_shares,
)
from metaeval.models.designs import (
    Made,
    Prices,
    Solved,
    cheapest_designs,
    check_known,
    cluster_designs,
    design_table,
    ends_apart,
    items_needed,
)
from metaeval.models.facets import COMPONENTS_OF, Measured, Repeats, component_name, facet_layout, kind_of_repeats
from metaeval.table.structure import engine_scores

Intervals = Literal["robust", "normal"]

_LARGEST = 1e100
_ENDS = ((np.minimum, -np.inf), (np.maximum, np.inf))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VarianceComponents(Result):
    """Components of variance of scores, and what they make of this design and of others."""

    components: pd.DataFrame
    """See `to_frame`."""
    dependability: pd.DataFrame
    """One row a metric, for the design at hand: ``items``, ``judges`` (``systems`` where judges are measured),
    ``repeats``, ``erho2`` and ``phi`` with
    ``_low`` and ``_high``, ``standard_error`` of a mean and ``difference_error`` of a difference of two,
    ``detectable`` (the true difference found with power .8 at level .05), ``repeatability`` and ``reproducibility``
    (limits for the difference of two single runs of one system, on the same items and on others), ``repeat_share`` (of
    the variance of a difference of means, due to repeats), ``run_share`` with ``_low`` and ``_high`` (of the same, due
    to runs of whole systems, where repeats are crossed), and of `expected_conclusions` ``power``, ``wrong_order``,
    ``tau``."""
    solved: Mapping[str, Solved] = field(repr=False)
    """By metric, what other designs are computed from."""
    measure: Measured
    repeats: Repeats
    judges: bool
    """Whether metrics are treated as judges."""
    intervals: Intervals
    confidence_level: float
    n_systems: int
    n_topics: int
    n_judges: int
    n_repeats: int
    """The most that a cell has."""
    n_clusters: int
    """0 where items are in none."""
    filled: float
    """Share of the cells that have a score."""
    solved_by: Literal["mean squares", "restricted maximum likelihood"]
    exact: bool
    """Whether the intervals of Eρ², Φ and the items needed follow formulas, not draws."""

    @property
    def n_measured(self) -> int:
        """Systems, or what `measure` says."""
        return {"system": self.n_systems, "topic": self.n_topics, "judge": self.n_judges}[self.measure]

    @property
    def across(self) -> Literal["judges", "systems"]:
        """What means are over beside items and repeats: judges, or systems where judges are measured."""
        return "systems" if self.measure == "judge" else "judges"

    def _found(self) -> str:
        first = self.dependability.iloc[0]
        coefficients = [
            f"{name} {bracketed(first[key], first[f'{key}_low'], first[f'{key}_high'], number(3))}"
            for name, key in (("Eρ²", "erho2"), ("Φ", "phi"))
        ]
        return f"{', '.join(coefficients)} under {first['metric']}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and component.

        The columns are ``metric``, ``component``, ``variance`` with ``low`` and ``high``, ``share`` of the variance of
        a score with ``share_low`` and ``share_high``, ``difference_share`` (of the variance between the scores of two
        systems on one topic, missing for what both share) with ``difference_low`` and ``difference_high``,
        ``noise_share`` (of the same without what truly differs between systems) with ``noise_low`` and ``noise_high``,
        ``estimate`` (before negative ones became 0), ``mean_square`` and its ``degrees_of_freedom``.
        """
        return self.components.copy()

    def _draw(self) -> Figure:
        """Draw the shares of the variance between two systems on one topic, with intervals."""
        from metaeval.figures.components import component_bars  # noqa: PLC0415 - matplotlib

        return component_bars(self.components)

    def plan(
        self,
        items: Sequence[int],
        *,
        judges: Sequence[int] | None = None,
        systems: Sequence[int] | None = None,
        repeats: Sequence[int] | None = None,
    ) -> pd.DataFrame:
        """Return how dependable other designs are.

        Parameters
        ----------
        items : sequence of int
        judges, repeats : sequence of int, optional
            As at hand by default.
        systems : sequence of int, optional
            In place of `judges` where these are measured.

        Returns
        -------
        pandas.DataFrame
            One row a metric and design: ``metric``, ``items``, ``judges``, ``repeats``, then as in `dependability`.

        Raises
        ------
        InvalidOptionError
            If a number is below 1, or there are repeats or judges of which nothing is known.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> found = variance_components(rng.normal(size=(1, 8, 1, 1)) + rng.normal(size=(1, 8, 40, 3)))
        >>> found.plan([40, 120], repeats=[3, 1])[["items", "repeats", "erho2"]].round(3).to_numpy().tolist()
        [[40.0, 3.0, 0.982], [40.0, 1.0, 0.948], [120.0, 3.0, 0.994], [120.0, 1.0, 0.982]]
        """
        n_items = _counts(items, "items")
        asked_for = self._asked(judges, systems)
        n_across = [self._n_across] if asked_for is None else _counts(asked_for, self.across)
        n_repeats = None if repeats is None else _counts(repeats, "repeats")
        frames = []
        for metric, solution in self.solved.items():
            asked = [float(np.asarray(solution.design.repeats))] if n_repeats is None else n_repeats
            check_known(solution.sources, n_across, asked)
            grid = np.array(list(product(n_items, n_across, asked)), dtype=np.float64).T
            frames.append(design_table(metric, solution, Design(*grid), self._tail()))
        return self._named(pd.concat(frames, ignore_index=True))

    def needed(
        self,
        target: float = 0.95,
        *,
        stability: Stability = "erho2",
        judges: int | None = None,
        systems: int | None = None,
        repeats: int | None = None,
    ) -> pd.DataFrame:
        """Return the items at which a coefficient reaches a target.

        Parameters
        ----------
        target : float, default 0.95
        stability : {"erho2", "phi"}
            Of differences (ranks), or of means.
        judges, repeats : int, optional
            As at hand by default.
        systems : int, optional
            In place of `judges` where these are measured.

        Returns
        -------
        pandas.DataFrame
            One row a metric: ``metric``, ``stability``, ``target``, ``items`` with ``low`` and ``high``; infinite where
            no number is enough.

        Raises
        ------
        InvalidOptionError
            If an option is outside its limits.
        """
        share = check_share(target, "target")
        check_choice(stability, "stability", get_args(Stability))
        rows = []
        for metric, solution in self.solved.items():
            n_across = check_count(self._asked(judges, systems) or self._n_across, self.across)
            n_repeats = (
                float(np.asarray(solution.design.repeats)) if repeats is None else check_count(repeats, "repeats")
            )
            check_known(solution.sources, [n_across], [n_repeats])
            items, low, high = items_needed(solution, share, stability, n_across, n_repeats, self._tail())
            rows.append((metric, stability, share, items, low, high))
        return pd.DataFrame(rows, columns=["metric", "stability", "target", "items", "low", "high"])

    def cheapest(
        self,
        cost: Mapping[str, float] | None = None,
        *,
        target: float | None = None,
        assurance: float = 0.9,
        population: Literal["these", "others"] = "these",
    ) -> pd.DataFrame:
        r"""Return the cheapest design that is as dependable as asked, and the most dependable one for the same money.

        Parameters
        ----------
        cost : mapping of str to float, optional
            Of an ``item``, of a ``run`` (one system on one item, once), and of a ``judgment`` of a run by one judge. By
            default a run costs 1, and a judgment too where there are judges.
        target : float, optional
            Eρ² to reach; as at hand by default.
        assurance : float, default 0.9
            Probability with which a design reaches the target that is given, by the draws of the components: a design
            that the estimates themselves suggest falls short every other time.
        population : {"these", "others"}
            Whether these systems reach the target (what is measured, if these are topics or judges), or others like
            them, of which these are a sample, as in the intervals of Eρ². With few systems others take many more
            items: with 20 systems 1.9 times the least number (median of real tables), with 10 2.5 times; for these 1.4
            and 1.6 times. For others 1.6 and 2.0 times are the least that any method needs.

        Returns
        -------
        pandas.DataFrame
            Three rows a metric: ``metric``, ``goal`` ("at hand", "same cost", "target"), ``items``, ``judges``,
            ``repeats``, ``cost``, ``erho2``, ``phi``, ``difference_error``. No number is infinite: where nothing
            reaches the target the row is missing.

        Raises
        ------
        InvalidOptionError
            If costs or the target are outside their limits.

        Notes
        -----
        The cost is :math:`n_i (c_{item} + S n_r (c_{run} + n_j c_{judgment}))` for S systems (where judges or topics
        are measured, their number stays and that of systems varies); that of the design at hand is counted: the
        items, runs and judgments that the scores took, gaps being free. For each number of judges
        and repeats (up to 10) the items follow; of all these designs the cheapest, or the most dependable, is taken.

        Examples
        --------
        >>> rng = np.random.default_rng(1)
        >>> noise = rng.normal(size=(1, 8, 40, 1)) + rng.normal(size=(1, 8, 40, 3))
        >>> found = variance_components(rng.normal(size=(1, 8, 1, 1)) + noise)
        >>> found.cheapest({"run": 1})[["goal", "items", "repeats", "cost"]].to_numpy().tolist()
        [['at hand', 40, 3.0, 960.0], ['same cost', 120, 1.0, 960.0], ['target', 65, 1.0, 520.0]]
        """
        paid = check_cost(dict({"run": 1.0, "judgment": float(self.judges)} if cost is None else cost))
        wanted = None if target is None else (check_share(target, "target"), check_share(assurance, "assurance"))
        prices = Prices(**paid, measured=self.n_measured, measure=self.measure)
        check_choice(population, "population", ("these", "others"))
        these = population == "these"
        designs = (
            cheapest_designs(metric, solution, prices, wanted, these=these) for metric, solution in self.solved.items()
        )
        return self._named(pd.DataFrame([row for rows in designs for row in rows]))

    def cluster_plan(self, per_cluster: Sequence[int] | None = None, *, target: float = 0.95) -> pd.DataFrame:
        r"""Return what more or fewer items in each cluster are worth beside more clusters.

        Parameters
        ----------
        per_cluster : sequence of int, optional
            Items in each cluster; by default from 1 to 100, and twice as many as now.
        target : float, default 0.95
            Eρ² to be reached.

        Returns
        -------
        pandas.DataFrame
            One row a metric and number: as many ``clusters`` as now, without gaps, of ``items_per_cluster`` in the
            mean, first that at hand (``at_hand``), and ``items`` in all. ``erho2``,
            ``difference_error``, ``twice_error`` with twice the clusters, ``clusters_needed`` for the target, and
            ``price``; ``erho2`` and the last two with ``_low`` and ``_high``. Empty without clusters.

        Raises
        ------
        InvalidOptionError
            If a number is below 1, or the target not between 0 and 1.

        Notes
        -----
        The variance of a difference is :math:`2(c\,\sigma^2_{sc} + \sigma^2_{si}/k)/K` for K clusters of k items in
        the mean, :math:`c = 1 + v^2` for the coefficient of variation v of the sizes at hand: 1 for clusters of one
        size. If a cluster costs as much as p items, besides the items in it, the error for the cost is least at
        :math:`k = \sqrt{p\,\sigma^2_{si}/(c\,\sigma^2_{sc})}`; ``price`` is the p at which that is this k.

        Examples
        --------
        >>> from metaeval import simulate_scores
        >>> scores = simulate_scores(n_systems=8, n_topics=60, metrics=["AP"], n_clusters=12, rng=1)
        >>> found = variance_components(scores).cluster_plan([5, 10, 20])
        >>> found[["items_per_cluster", "erho2", "clusters_needed", "price"]].iloc[1:].round(2).to_numpy().tolist()
        [[5.0, 0.6, 150.0, 10.2], [10.0, 0.65, 125.0, 40.79], [20.0, 0.67, 113.0, 163.17]]
        """
        share = check_share(target, "target")
        if not self.n_clusters:
            return pd.DataFrame()
        mean = self.n_topics / self.n_clusters
        usual = sorted({1, 2, 5, 10, 20, 50, 100, round(2 * mean)} - {mean})
        sizes = usual if per_cluster is None else _counts(per_cluster, "per_cluster")
        frames = [
            cluster_designs(metric, solution, [mean, *sizes], self.n_clusters, share, self._tail())
            for metric, solution in self.solved.items()
        ]
        return pd.concat(frames, ignore_index=True)

    @property
    def _n_across(self) -> int:
        return self.n_systems if self.measure == "judge" else self.n_judges

    def _asked[T](self, judges: T | None, systems: T | None) -> T | None:
        """Return the numbers that are asked for of judges, or of systems; those of what is measured are refused."""
        of_across, of_measured = (systems, judges) if self.measure == "judge" else (judges, systems)
        if of_measured is not None:
            message = f"means of {self.measure}s are over {self.across}: give `{self.across}`"
            raise InvalidOptionError(message)
        return of_across

    def _named(self, frame: pd.DataFrame) -> pd.DataFrame:
        return frame.rename(columns={"judges": self.across})

    def _tail(self) -> float:
        return (1.0 - self.confidence_level) / 2.0


def variance_components(  # noqa: PLR0913 - every option is one question
    scores: object,
    *,
    repeats: Repeats | None = None,
    judges: bool = False,
    measure: Measured = "system",
    intervals: Intervals = "robust",
    confidence_level: float = 0.95,
) -> VarianceComponents:
    r"""Split the variance of scores into its sources, and say how dependable the means of systems are.

    Parameters
    ----------
    scores : Scores, or anything `metaeval.as_scores` takes
        Of systems on items; with a dimension ``repeat`` where items were repeated, with a coordinate ``cluster`` where
        items are drawn in clusters. Gaps are allowed.
    repeats : {"nested", "crossed", "shared"}, optional
        What repeats are, by default "crossed" where runs of one system differ by more than repeats of single items make
        (`metaeval.table.runs.runs_differ`, at .05), otherwise "nested".
        "nested": each repeats one score, and the first of one item has nothing to do with the first
        of another. "crossed": the first repeat is one thing throughout, such as a seed. "shared": of one item, all
        systems share it, as the passes of a judge over all answers.
    judges : bool, default False
        Whether the metrics are judges of one and the same quality, a source of variance of their own; by default each
        metric is analysed by itself.
    measure : {"system", "topic", "judge"}
        Whose means are to be dependable. "topic": how dependable is the difficulty of an item? "judge", with `judges`:
        how dependable is it who judges more severely?
    intervals : {"robust", "normal"}
        "normal" takes effects for normal, as published tables do; "robust" lets the scores say how far each mean square
        varies.
    confidence_level : float, default 0.95

    Returns
    -------
    VarianceComponents
        One row a ``metric`` and ``component`` in ``to_frame()``: ``variance`` (squared units of the metric) and its
        shares (0 to 1), with intervals; see `VarianceComponents.to_frame`. ``dependability`` has one row a
        metric: what the design at hand achieves.

    Raises
    ------
    ScoresError, InvalidOptionError
        If scores or options are outside their rules.
    EstimationError
        If all scores of a metric are equal.

    See Also
    --------
    metaeval.questions.components.study.study_components : the whole answer, as a page
    metaeval.agreement.judge_repeats : passes of one judge

    Notes
    -----
    With systems s, items i, judges j and repeats r, :math:`y = \mu + s + i + j + si + sj + ij + sij + r(sij)`, less the
    sources that are not there; effects are independent, and without repeats the last one holds them. Without gaps mean
    squares are solved for the components ([1]_, chapter 3) and negative ones become 0; with gaps the restricted
    likelihood is maximised [2]_. For n items, m judges and k repeats the error of a difference of means is
    :math:`2\delta`, :math:`\delta = \sigma^2_{si}/n + \sigma^2_{sj}/m + \sigma^2_{sij}/(nm) + \sigma^2_r/(nmk)`, and
    :math:`E\rho^2 = \sigma^2_s / (\sigma^2_s + \delta)`; :math:`\Phi` has the other components too.

    Intervals: for systems x items Eρ² has the F distribution [3]_, and Φ the interval of [4]_; all else has generalised
    intervals, from draws of each mean square over a chi-square. With ``intervals="robust"`` the chi-squares have
    the degrees of freedom that the spread of the squared effects suggests.

    References
    ----------
    .. [1] Brennan (2001). Generalizability Theory. Springer. :doi:`10.1007/978-1-4757-3456-0`
    .. [2] Searle, Casella and McCulloch (1992). Variance Components. Wiley. :doi:`10.1002/9780470316856`
    .. [3] Feldt (1965). The approximate sampling distribution of Kuder-Richardson reliability coefficient twenty.
       Psychometrika 30. :doi:`10.1007/BF02289499`
    .. [4] Arteaga, Jeyaratnam and Franklin (1982). Confidence intervals for proportions of total variance in the
       two-way cross component of variance model. Communications in Statistics 11.
       :doi:`10.1080/03610928208828337`

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> own = rng.normal(size=(1, 10, 1)) + rng.normal(0, 2, (1, 1, 50)) + rng.normal(size=(1, 10, 50))
    >>> found = variance_components(own)
    >>> found.components[["component", "variance"]].round(2).to_numpy().tolist()
    [['system', 0.48], ['topic', 3.24], ['system x topic', 0.86]]
    >>> found.needed(0.95).iloc[0, 3:].tolist()
    [34.0, 2.0, 133.0]
    """
    if repeats is not None:
        check_choice(repeats, "kind of repeats", get_args(Repeats))
    check_choice(measure, "measure", get_args(Measured))
    check_choice(intervals, "kind of intervals", get_args(Intervals))
    level = check_share(confidence_level, "confidence_level")
    table = engine_scores(scores, COMPONENTS_OF[measure])
    repeats = repeats or kind_of_repeats(table, judges=judges, measure=measure)[0]
    values, names, clusters, passes = facet_layout(table, repeats=repeats, judges=judges, measure=measure)
    solutions: dict[str, Solved] = {}
    for name, of_metric in zip(names, values, strict=True):
        solutions[name] = _solve(name, of_metric, clusters, passes, intervals, _made(of_metric, passes, measure))
    first = next(iter(solutions.values()))
    tail = (1.0 - level) / 2.0
    n_measured, n_across, n_over = values.shape[1:4]
    n_judges = 1 if passes != "judge" else n_measured if measure == "judge" else n_across
    design = pd.concat(
        [design_table(name, of_metric.now, of_metric.design, tail) for name, of_metric in solutions.items()],
        ignore_index=True,
    ).rename(columns={"judges": "systems"} if measure == "judge" else {})
    components = pd.concat(
        [_components(name, of_metric, measure, tail) for name, of_metric in solutions.items()], ignore_index=True
    )
    components.attrs["topic_word"] = unit_of(table).topic
    return VarianceComponents(
        components=components,
        dependability=design,
        solved=MappingProxyType(solutions),
        measure=measure,
        repeats=repeats,
        judges=judges,
        intervals=intervals,
        confidence_level=level,
        n_systems={"system": n_measured, "topic": n_over, "judge": n_across}[measure],
        n_topics=n_measured if measure == "topic" else n_over,
        n_judges=n_judges,
        n_repeats=values.shape[2] if passes in {"crossed", "shared"} else values.shape[4],
        n_clusters=0 if clusters is None else int(clusters.max()) + 1,
        filled=float(np.isfinite(values).any(axis=4).mean()),
        solved_by="restricted maximum likelihood"
        if any(of_metric.fit.rounds for of_metric in solutions.values())
        else "mean squares",
        exact=exact_shares(first.fit.strata, first.freedom, first.sources.effects, tail, "erho2") is not None,
    )


def _made(values: Floats, passes: Passes, measure: Measured) -> Made:
    """Count items, runs and judgments; a run that several judges scored is one."""
    observed = np.isfinite(values)
    topics, judges = (0 if measure == "topic" else 2), (0 if measure == "judge" else 1)
    runs = observed.any(axis=judges) if passes == "judge" else observed
    others = tuple({*range(observed.ndim)} - {topics})
    return Made(float(observed.any(axis=others).sum()), float(runs.sum()), float(observed.sum()))


def _solve(  # noqa: PLR0913, PLR0917 - scores, what their axes are, and what was counted
    name: str,
    values: Floats,
    clusters: Ints | None,
    passes: Passes,
    intervals: Intervals,
    made: Made,
) -> Solved:
    crossed = crossing(values, clusters=clusters, nested=clusters is not None, in_item=passes == "shared")
    _check_variance(name, crossed)
    fit = solved(crossed)
    there = crossed.n > 0
    sizes = np.bincount(crossed.clusters)
    per_cluster = 1.0 if clusters is None else float(np.square(sizes).sum() / sizes.sum())
    per_system = _harmonic_mean(there.sum(axis=(1, 2))) / there.shape[1]
    starts, order = np.cumsum(sizes) - sizes, np.argsort(crossed.clusters, kind="stable")
    inside = np.add.reduceat(there.sum(axis=1)[:, order], starts, axis=1)
    seen_per_cluster = np.square(inside / inside.sum(axis=1, keepdims=True)).sum(axis=1).mean() * per_system
    design = Design(
        per_system,
        there.shape[1] if passes == "judge" else 1,
        there.shape[1] if passes in {"crossed", "shared"} else _harmonic_mean(crossed.n[there]),
    )
    freedom = fit.strata.spread if intervals == "robust" else fit.strata.freedom
    sources = Sources(effects=crossed.effects, passes=passes, per_cluster=per_cluster)
    return Solved(fit, sources, freedom, component_draws(fit.strata, freedom), design, float(seen_per_cluster), made)


def _harmonic_mean(counts: Floats | Ints) -> float:
    """Return the harmonic mean; of equal counts without a rounding error."""
    return float(counts[0] if np.ptp(counts) == 0 else len(counts) / (1.0 / counts).sum())


def _check_variance(name: str, crossed: Crossing) -> None:
    """Refuse scores that are all equal, or of which only one system or item has more than the rest."""
    there = crossed.n > 0
    means = crossed.mean[there]
    if not np.abs(means).max() < _LARGEST or 0 < np.ptp(means) < 1 / _LARGEST:
        far = "large" if np.abs(means).max() > 1 else "small"
        raise EstimationError(f"scores under {name!r} are too {far} to be squared; give them in another unit")
    if crossed.within == 0.0 and np.ptp(means) <= 1e-12 * np.abs(means).max():
        raise EstimationError(f"all scores under {name!r} are equal; there is no variance to divide")
    least, most = (end.reduce(np.where(there, crossed.mean, -far), axis=0) for end, far in _ENDS)
    if crossed.within == 0.0 and (most - least <= 1e-12 * np.abs(means).max()).all():
        raise EstimationError(f"under {name!r} nothing differs between the means that are compared; there is no noise")
    if there.sum() <= sum(there.any(axis=(1, 2))) + sum(there.any(axis=(0, 1))) - 1 and not there.all():
        raise EstimationError(f"scores under {name!r} have too many gaps to part systems from items")


def _components(name: str, own: Solved, measure: Measured, tail: float) -> pd.DataFrame:
    effects, variances, draws = own.sources.effects, own.variances, own.draws
    noise = own.sources.among("relative")
    apart = noise | np.array([effect == SYSTEMS for effect in effects])
    shares: dict[str, Any] = {}
    for word, inside in (("share", np.ones(len(effects), dtype=bool)), ("difference", apart), ("noise", noise)):
        with np.errstate(divide="ignore", invalid="ignore"):
            every = np.where(inside, draws / draws[:, inside].sum(axis=1, keepdims=True), np.nan)
            point = np.where(inside, variances / variances[inside].sum(), np.nan)
        low, high = np.quantile(every, [tail, 1.0 - tail], axis=0)
        named = word if word == "share" else f"{word}_share"
        # at the limit the estimate may lie outside what the draws have
        low, high = ends_apart(np.minimum(low, point), np.maximum(high, point))
        shares |= {named: point, f"{word}_low": low, f"{word}_high": high}
    low, high = np.quantile(draws, [tail, 1.0 - tail], axis=0)
    low, high = ends_apart(np.minimum(low, variances), np.maximum(high, variances))
    return pd.DataFrame(
        {
            "metric": name,
            "component": [component_name(effect, own.sources.passes, measure) for effect in effects],
            "variance": variances,
            "low": low,
            "high": high,
            **shares,
            "estimate": own.fit.estimates,
            "mean_square": own.fit.strata.mean_squares,
            "degrees_of_freedom": own.fit.strata.freedom,
        }
    )


def _counts(given: object, name: str) -> list[int]:
    counts = [check_count(asked, name) for asked in check_list(given, name, (10, 20))]
    if not counts:
        raise InvalidOptionError(f"`{name}` is empty; name numbers")
    return counts
