"""Where does the noise of scores come from, and which design is cheapest? From scores to components and designs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice, check_count, check_share
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import Unit, unit_of
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models.components import Intervals, VarianceComponents, variance_components
from metaeval.models.dependability import check_cost, expected_conclusions
from metaeval.models.facets import COMPONENTS_OF, Measured, Repeats, component_words, kind_of_repeats
from metaeval.models.tries import PassRates, pass_rates
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import RELATIVE
from metaeval.studies.study import Attempts, Study
from metaeval.table.array import REPEAT
from metaeval.table.named_repeats import systems_repeated
from metaeval.table.scores import Scores
from metaeval.table.structure import are_tries, engine_scores
from metaeval.table.traits import Trait
from metaeval.table.units import design_notes
from metaeval.tests_stat.comparison import compare_systems

_FEWEST_IN_HALF = 5
_MOVED = {
    None: ", so repeats are taken as crossed, with a source of systems and repeats; `repeats='nested'` leaves it out",
    "nested": ", so errors of means are larger than here: `repeats='crossed'` has a source for that",
}
"""What is said of runs that move whole systems, by the kind of repeats that was asked for."""
_SPLITS = 20
_TARGET = 0.95
_MOST_WORK = 400_000_000
"""Pairs of systems times items in all splits that nobody asked for; of large boards few splits are enough."""
_STEPS = 25
"""Numbers of items in the plan."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComponentsStudy(Study):
    """Sources of the variance of scores, what they make of this design, and other designs."""

    reported_by: ClassVar[str] = "metaeval.questions.components.page:components_report"

    scores: Scores
    components: VarianceComponents
    """Components, and the dependability of the design at hand."""
    plan: pd.DataFrame
    """The dependability of designs around the one at hand; see `VarianceComponents.plan`."""
    needed: pd.DataFrame
    """Items for the target, by metric, for differences and for means; see `VarianceComponents.needed`."""
    designs: pd.DataFrame
    """The design at hand, the most dependable for the same cost, and the cheapest that is as dependable; see
    `VarianceComponents.cheapest`."""
    assured: pd.DataFrame
    """As `designs`, but the cheapest is that which reaches the target with probability .9."""
    clusters: pd.DataFrame
    """What more items in each cluster are worth beside more clusters; see `VarianceComponents.cluster_plan`."""
    halves: pd.DataFrame
    """One row a metric: on random halves of the items, the share of the pairs that a paired t test finds different
    (``power``) and of the pairs that the halves order differently (``contradicted``), each beside what the components
    expect (``expected_power``, ``expected_contradicted``); ``items`` in a half (of clusters, the mean), ``clusters``
    in it (0 where there are none), and ``splits``. Empty without enough items."""
    tries: PassRates | None
    """pass@k and pass^k, where repeats are 0 or 1."""
    target: float
    cost: Mapping[str, float]
    named: tuple[str, ...]
    """Which of ``target`` and ``cost`` somebody named; the first sentences answer these."""
    unanswered: Mapping[str, str]
    """What these scores cannot answer, with the reason."""
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def repeats_of_one(self) -> bool:
        """Whether all systems are called as repeats of one, so that nothing is said of differences between systems."""
        names = [str(name) for name in self.scores["system"].to_numpy()]
        called = {} if REPEAT in self.scores.dims or self.components.judges else systems_repeated(names)
        return (
            len(called) == 1 and self.components.measure == "system" and len(next(iter(called.values()))) == len(names)
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the components."""
        return self.components.to_frame()


def study_components(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    repeats: Repeats | None = None,
    judges: bool = False,
    measure: Measured = "system",
    target: float | None = None,
    cost: Mapping[str, float] | None = None,
    intervals: Intervals = "robust",
    confidence_level: float = 0.95,
    n_splits: int | None = None,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> ComponentsStudy:
    """Find where the noise of scores comes from, how dependable the design is, and which design is cheapest.

    Parameters
    ----------
    scores : Scores, or anything `metaeval.as_scores` takes
        With repeats, clusters and gaps, if there are any.
    repeats, judges, measure, intervals, confidence_level
        As for `metaeval.models.variance_components`.
    target : float, optional
        Dependability to plan for, by default 0.95; if given, the first sentence says whether this design reaches it.
    cost : mapping of str to float, optional
        Of an ``item``, a ``run`` and a ``judgment``; see `VarianceComponents.cheapest`.
    n_splits : int, optional
        Random halves of the items that check what the components expect, as many as asked for; by default 20, and 2 at
        least where there are more than some 20 million scores of pairs of systems.
    rng : None, int or numpy.random.Generator
    provenance : Provenance, optional

    Returns
    -------
    ComponentsStudy
        One row a ``metric`` and ``component`` in ``to_frame()``: ``variance`` (squared units of the metric) with
        ``low`` and ``high``, its ``share`` of all, ``difference_share`` of the variance between two systems on one
        topic and ``noise_share`` of the noise in that (0 to 1), with ``share_low``, ``share_high``, ``difference_low``,
        ``difference_high``, ``noise_low`` and ``noise_high``, the unbounded ``estimate``, ``mean_square`` and
        ``degrees_of_freedom``; NaN where the design does not tell.

    Raises
    ------
    ScoresError, InvalidOptionError, EstimationError
        As `metaeval.models.variance_components` raises them.

    See Also
    --------
    metaeval.models.variance_components
    metaeval.questions.design.study.study_design : topics for a difference to be found

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> study = study_components(simulate_scores(n_systems=8, n_topics=40, metrics=["AP"], rng=1), rng=1)
    >>> study.to_frame()[["component", "share"]].round(2).to_numpy().tolist()
    [['system', 0.05], ['topic', 0.64], ['system x topic', 0.31]]
    """
    check_choice(measure, "measure", get_args(Measured))
    named = tuple(name for name, value in (("target", target), ("cost", cost)) if value is not None)
    target = check_share(_TARGET if target is None else target, "target")
    n_halvings = None if n_splits is None else check_count(n_splits, "n_splits", least=0)
    prices = check_cost(dict({"run": 1.0, "judgment": float(judges)} if cost is None else cost))
    seed = resolve_seed(rng)
    table = engine_scores(scores, COMPONENTS_OF[measure])
    all_equal = [] if judges else _constant_metrics(table)
    if 0 < len(all_equal) < table.sizes["metric"]:
        table = table.sel(metric=[name for name in table["metric"].to_numpy() if str(name) not in all_equal])
    kind, why = kind_of_repeats(table, judges=judges, measure=measure)
    components = variance_components(
        table,
        repeats=repeats or kind,
        judges=judges,
        measure=measure,
        intervals=intervals,
        confidence_level=confidence_level,
    )
    attempt = Attempts(ScoresError, EstimationError, InvalidOptionError, of=table)
    halves = None
    if n_halvings != 0 and not judges and measure == "system":
        halves = attempt("Check on halves", lambda: _halves(table, components, n_halvings, np.random.default_rng(seed)))
    return ComponentsStudy(
        scores=table,
        components=components,
        plan=components.plan(_planned_items(components), repeats=_repeats(components), **_planned_judges(components)),
        needed=pd.concat([components.needed(target), components.needed(target, stability="phi")], ignore_index=True),
        designs=components.cheapest(prices),
        assured=components.cheapest(prices, target=target),
        clusters=components.cluster_plan(target=target),
        halves=pd.DataFrame() if halves is None else halves,
        tries=attempt("pass@k", lambda: pass_rates(table)) if are_tries(table) else None,
        target=target,
        cost=MappingProxyType(prices),
        named=named,
        unanswered=MappingProxyType(dict.fromkeys(all_equal, "all scores are equal") | attempt.failed),
        notes=(
            *table.attrs.get("notes", ()),
            *design_notes(table),
            *_zero_notes(components, unit_of(table)),
            *([why + _MOVED[repeats]] if why and repeats in _MOVED else ()),
        ),
        provenance=provenance or record_provenance("study_components", random_source=f"seed {seed}"),
    )


def _constant_metrics(table: Scores) -> list[str]:
    """Return the metrics under which all scores are equal."""
    values = table.to_numpy().reshape(table.sizes["metric"], -1)
    size = np.nanmax(np.abs(values), axis=1)
    equal = np.nanmax(values, axis=1) - np.nanmin(values, axis=1) <= RELATIVE * size
    return [str(name) for name in table["metric"].to_numpy()[equal]]


def _planned_items(components: VarianceComponents) -> list[int]:
    """Return numbers of items from a tenth of those at hand to ten times as many."""
    at_hand = float(components.dependability["items"].median())
    return np.unique(np.round(np.geomspace(max(at_hand / 10, 2), at_hand * 10, _STEPS)).astype(int)).tolist()


def _planned_judges(components: VarianceComponents) -> dict[str, Sequence[int]]:
    """Return numbers of judges (or of what else means are over beside items), by name; nothing without judges."""
    at_hand = int(components.dependability[components.across].iloc[0])
    return {components.across: sorted({1, 2, 3, 5, at_hand})} if components.judges else {}


def _repeats(components: VarianceComponents) -> list[int] | None:
    return sorted({1, 2, 3, 5, components.n_repeats}) if components.n_repeats > 1 and not components.judges else None


def _zero_notes(components: VarianceComponents, spoken: Unit) -> Sequence[str]:
    negative = components.components[components.components["estimate"] < 0]
    return [
        f"the estimate of {component_words(str(row.component), spoken)} under {row.metric} was negative "
        f"({row.estimate:.2g}) and counts as 0"
        for row in negative.itertuples()
    ]


def _halves(
    table: Scores, components: VarianceComponents, n_wanted: int | None, generator: np.random.Generator
) -> pd.DataFrame:
    """Compare what the components expect of half the items, or clusters, with what random halves show."""
    plain = engine_scores(table, uses=frozenset[Trait]({"gaps", "clusters"}))
    clustered = "cluster" in plain.coords
    units, unit_of_topic = np.unique(plain["cluster" if clustered else "topic"].to_numpy(), return_inverse=True)
    n_in_half = len(units) // 2
    if n_in_half < _FEWEST_IN_HALF:
        message = f"a half of {len(units)} {'clusters' if clustered else 'items'} is too small"
        raise EstimationError(message)
    items = round(plain.sizes["topic"] * n_in_half / len(units))
    n_pair_scores = plain.sizes["topic"] * plain.sizes["system"] * (plain.sizes["system"] - 1) // 2
    n_splits = n_wanted or min(_SPLITS, max(2, _MOST_WORK // n_pair_scores))
    orders = [generator.permutation(len(units)) for _ in range(n_splits)]
    power, contradicted = (np.zeros((n_splits, plain.sizes["metric"])) for _ in range(2))
    for split, order in enumerate(orders):
        subsets = order[:n_in_half], order[n_in_half : 2 * n_in_half]
        halves = [plain.isel(topic=np.isin(unit_of_topic, subset)) for subset in subsets]
        scored = np.all([np.isfinite(subset.to_numpy()).any(axis=2).all(axis=0) for subset in halves], axis=0)
        comparisons = [compare_systems(subset.isel(system=scored), test="t", correction="none") for subset in halves]
        power[split] = np.mean([comparison.discriminative_power()["power"] for comparison in comparisons], axis=0)
        signs = [np.sign(comparison.data["difference"].to_numpy()) for comparison in comparisons]
        contradicted[split] = np.mean(1.0 - signs[0] * signs[1], axis=1) / 2.0
    expected = components.plan([items])
    conclusions = expected_conclusions(expected["erho2"].fillna(0.0), n_in_half)
    return pd.DataFrame(
        {
            "metric": expected["metric"],
            "items": items,
            "clusters": n_in_half if clustered else 0,
            "splits": n_splits,
            "power": power.mean(axis=0),
            "expected_power": conclusions["power"],
            "contradicted": contradicted.mean(axis=0),
            "expected_contradicted": conclusions["contradicted"],
        }
    )
