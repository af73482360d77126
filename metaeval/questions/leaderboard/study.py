"""Is this leaderboard's ranking real? From scores to ranks with intervals, and to what they say of the benchmark."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import ClassVar, TypedDict

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from metaeval.agreement.aggregates import MACRO, USUAL_AGGREGATES, aggregate_scores
from metaeval.agreement.item_statistics import ItemAnalysis, analyse_items
from metaeval.agreement.rankings import kendall_tau
from metaeval.base.checks import MOST_REPLICATES, check_choice, check_count, check_list, check_share
from metaeval.base.names import natural_order
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.results import shown_by
from metaeval.base.unit import unit_of
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models.components import VarianceComponents, variance_components
from metaeval.models.design_effect import DesignEffect, design_effect
from metaeval.models.missingness import MissingScores, missing_scores
from metaeval.models.probability_of_best import BestSystem, best_system
from metaeval.models.separation import Separation, topics_to_separate
from metaeval.questions.leaderboard.study_few_items import WithoutThin, check_ranked, placed_systems, without_thin
from metaeval.questions.leaderboard.study_means import MeansLeaderboardStudy, refuse_without_items, study_means
from metaeval.questions.leaderboard.study_record import Card
from metaeval.questions.leaderboard.study_required import RequirementsStudy, study_requirements
from metaeval.resampling.cluster_residuals import resampled_scores
from metaeval.resampling.cohorts import CohortAnalysis, analyse_cohorts, cohort_names, default_cohorts
from metaeval.resampling.ranks import RankIntervals, RankMethod, rank_intervals
from metaeval.resampling.system_means import means_of_systems
from metaeval.resampling.topic_subsets import SubsetComparison, compare_subsets
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Attempts, Study, test_notes
from metaeval.table.array import REPEAT, has_gaps
from metaeval.table.complete import complete_block
from metaeval.table.constant import constant_notes
from metaeval.table.means import SystemMeans, as_means, is_board
from metaeval.table.runs import runs_move
from metaeval.table.scores import ApartError, Scores, checked_scores, identical_systems
from metaeval.table.structure import engine_scores, settled_mean_over_topics
from metaeval.table.units import design_notes
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.counting import check_resamples
from metaeval.tests_stat.detectable_difference import DetectableDifferences, detectable_differences
from metaeval.tests_stat.families import PairFamilies, baselines_of, pair_families
from metaeval.tests_stat.offered_clusters import in_contradicting_groups
from metaeval.tests_stat.pair_by_cluster import pair_by_cluster
from metaeval.tests_stat.pairs import all_pairs
from metaeval.tests_stat.requirements import Requirements, check_requirements, systems_of
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.unpaired import unpaired_means

_CARD = "metaeval.questions.leaderboard.study_card:card_of"
AS_RANKS = "ranks"
"""What `LeaderboardStudy.pair_counts` calls the decision behind ranks and letters, beside corrections."""
RANKS, _BEST, _THIN = "Ranks and groups", "The best system", "Without systems of few items"
"""What `LeaderboardStudy.unanswered` calls ranks that have no intervals, and chances that are not known."""
_FEW = 20_000
"""Items up to which each is looked at, and metrics are summed up in other ways than by means."""
_DRAWN = 200_000_000
"""Items drawn for the shares of resamples, where there are more resamples than the fewest."""
_FEWEST = 100
_TOP = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaderboardStudy(Study):
    """Reliability of a leaderboard's ranking, and power of its benchmark and metrics."""

    reported_by: ClassVar[str] = "metaeval.questions.leaderboard.page:leaderboard_report"

    scores: Scores
    """The systems that were compared."""
    means: pd.DataFrame
    """Every system's mean and rank; see `metaeval.resampling.system_means.means_of_systems`."""
    comparison: PairwiseResult
    """The paired t test of every pair, uncorrected; corrections follow from it."""
    by_cluster: pd.DataFrame | None
    """Of two systems, the pair within each cluster; see `metaeval.tests_stat.pair_by_cluster.pair_by_cluster`."""
    families: PairFamilies
    """Neighbours, pairs with the best system and with a baseline, each a family of its own."""
    ranks: RankIntervals | None
    """Simultaneous intervals of the ranks, and groups; its decision about a pair is that of the study (`decided`)."""
    detectable: DetectableDifferences | None
    """The least true difference that the items find with the power asked for, pair by pair."""
    separation: Separation | None
    """Items needed to part neighbours."""
    design: DesignEffect | None
    """What clusters of items cost, where there are random ones."""
    best: BestSystem | None
    """The probability of every system, and family of systems, to be truly the best, and among the top."""
    conclusions: pd.DataFrame
    """What every metric, and every aggregate of it, concludes; see `conclusions_of`."""
    items: ItemAnalysis | None
    """Every item by itself."""
    subsets: SubsetComparison | None
    """What fewer items keep, for systems that did not choose them."""
    cohorts: CohortAnalysis | None
    """Which items separate the best systems, or those of a group; none where there are too few systems for a top."""
    cohorts_named: bool
    """Whether somebody asked for these cohorts."""
    gaps: MissingScores | None
    """Means with and without an allowance for missing scores, where some are."""
    thin: WithoutThin | None
    """The ranking without systems that have far fewer items than others, where some are."""
    sources: VarianceComponents | None
    """Where the noise comes from, and the cheapest design, where scores were repeated."""
    requirements: Requirements | None
    """What was required of systems, and whether the items establish it."""
    baselines: tuple[str, ...]
    """Systems to compare with all others."""
    top: int | None
    """How many systems somebody asked about as the top; where nobody did, 3 count as it."""
    power: float
    """Power of the detectable differences and of the items needed."""
    alpha: float
    """Significance level; intervals hold at 1 - alpha."""
    identical: tuple[tuple[str, ...], ...]
    """Systems that are equal throughout."""
    left_out: tuple[str, ...]
    """Systems without enough scores to be ranked."""
    unanswered: Mapping[str, str]
    """What these scores cannot answer, with the reason."""
    notes: tuple[str, ...]
    provenance: Provenance

    def _elsewhere(self) -> str:
        return "" if self.requirements is None else "what was required, and whether it is met: requirements.to_frame()"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and system, best first: what a leaderboard shows, with what its items leave open.

        The columns are metric, system, group (where there are groups), mean with its 95 % interval from mean_low to
        mean_high, rank, rank_low, rank_high, letters, n_above and n_below (systems significantly better and worse,
        simultaneously over all pairs), p_best and
        ``p_top_k`` (probability to be truly the best, and among the best k) and share_of_resamples. What has no answer
        has no columns. Where scores are missing, mean is that over all items, by system and item, and three columns
        more are mean_own (over the items that the system has), mean_common (over those that all have) and n_topics.
        """
        keys = ["metric", "system"]
        frame = self.means[[*keys, "group", "mean", "low", "high", "rank"]]
        frame = frame.rename(columns={"low": "mean_low", "high": "mean_high"})
        if "group" not in self.scores.coords:
            frame = frame.drop(columns="group")
        if self.ranks is not None:
            columns = self.ranks.to_frame().merge(self.ranks.groups()[[*keys, "letters"]], on=keys)
            frame = frame.merge(columns[[*keys, "rank_low", "rank_high", "letters", "n_above", "n_below"]], on=keys)
        if self.best is not None:
            columns = self.best.to_frame().drop(columns=["mean", "rank", "family"], errors="ignore")
            frame = frame.merge(columns, on=keys)
        if self.gaps is not None:
            columns = self.gaps.to_frame()[[*keys, "mean_own", "mean_common", "n_topics"]]
            frame = frame.merge(columns, on=keys, how="left")
        return frame

    def cohort_frame(self) -> pd.DataFrame:
        """Return the rows of `cohorts`, with n_significant of their n_pairs by the decision of `decided`.

        significant_error is by how much the former errs at most for the draws behind ranks.
        """
        if self.cohorts is None:
            return pd.DataFrame()
        frame = self.cohorts.to_frame()
        member = self.cohorts.data["member"].sel(system=self.scores["system"].to_numpy()).to_numpy()
        names = pd.Index(self.scores["system"].to_numpy())
        sides = [names.get_indexer(self.comparison.data[side].to_numpy()) for side in ("system_a", "system_b")]
        apart = self.decided() != 0
        unsure = np.zeros(apart.shape) if self.ranks is None else self.ranks.open_pairs()
        inside = (member[..., sides[0]] & member[..., sides[1]]).astype(np.float64)  # metric, cohort, pair
        counted, error = (np.einsum("mcp,mp->mc", inside, of).ravel() for of in (apart * 1.0, unsure))
        n_pairs = frame["n_systems"] * (frame["n_systems"] - 1) // 2
        return frame.assign(n_significant=counted.astype(int), significant_error=error, n_pairs=n_pairs)

    def decided(self) -> NDArray[np.int8]:
        """Return what is decided about each pair behind the ranks: 1 where a is significantly better, -1 where b is.

        An array (metric, pair) in the order of `comparison`: the decision behind ranks and letters, or that of the t
        test with Holm's correction over all pairs where there are no ranks.
        """
        return self.comparison.with_correction("holm").verdicts() if self.ranks is None else self.ranks.verdicts()

    def pair_counts(self) -> pd.DataFrame:
        """Return one row a metric, family of pairs and correction: n_significant, n_pairs, share.

        The families are all pairs, neighbours ("adjacent"), pairs with the best system ("best"), and pairs with the
        baseline ("baseline") where there is one. The correction is over the pairs of the row; "ranks" is the decision
        over all pairs at once behind ranks and letters (`decided`), whatever the row.
        """
        parts = []
        for correction in ("none", *self.families.corrections):
            counts = (
                self.comparison.with_correction(correction).discriminative_power().rename(columns={"power": "share"})
            )
            parts.append(counts.assign(family="all", correction=correction))
        n_significant = (self.decided() != 0).sum(axis=1)
        every = parts[0].assign(
            correction=AS_RANKS, n_significant=n_significant, share=n_significant / self.comparison.n_pairs
        )
        near = self.family_pairs().groupby(["family", "metric"], sort=False)["apart"].agg(["sum", "size", "mean"])
        near = near.reset_index().rename(columns={"sum": "n_significant", "size": "n_pairs", "mean": "share"})
        near = near.assign(correction=AS_RANKS)
        frame = pd.concat([*parts, every, self.families.counts(), near], ignore_index=True)
        orders = {
            "metric": self.comparison.metrics,
            "family": ("all", "adjacent", "best", "baseline"),
            "correction": ("none", AS_RANKS, *self.families.corrections),
        }
        keys = {f"{name} place": frame[name].map(list(order).index) for name, order in orders.items()}
        frame = frame.assign(**keys).sort_values(list(keys), kind="stable", ignore_index=True)
        return frame[["metric", "family", "correction", "n_significant", "n_pairs", "share"]]

    def family_pairs(self) -> pd.DataFrame:
        """Return the rows of `families` with ``apart``: whether the one decision over all pairs separates the two."""
        frame = self.families.to_frame()
        systems = pd.Index(self.scores["system"].to_numpy())
        sides = [systems.get_indexer(self.comparison.data[side].to_numpy()) for side in ("system_a", "system_b")]
        square = np.zeros((len(self.comparison.metrics), len(systems), len(systems)), dtype=bool)
        square[:, sides[0], sides[1]] = square[:, sides[1], sides[0]] = self.decided() != 0
        metric_index = pd.Index(self.comparison.metrics).get_indexer(pd.Index(frame["metric"]))
        first, second = (systems.get_indexer(pd.Index(frame[side])) for side in ("system_a", "system_b"))
        return frame.assign(apart=square[metric_index, first, second])

    def card(self) -> Card:
        """Return what the page says of the whole ranking as a small record, ready for JSON.

        ``n_systems``, ``n_items``; ``treatment`` (clusters; n_missing scores; ``settled``, those counted as 0 or
        dropped; ``left_out`` systems); ``decision`` (method, family and alpha of the one decision over all pairs); for
        each of ``metrics`` how many systems may be first with its Monte-Carlo error, the significant pairs
        (n_significant, n_pairs, share), those of neighbours, and the detectable difference of the median pair (None
        where there is none); how that was tested (``detectable``); version, time, command, seed and checksums of the
        inputs.
        """
        record: Card = shown_by(_CARD)(self)
        return record


def study_leaderboard(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    baseline: str | Sequence[str] | None = None,
    requirements: Sequence[str] = (),
    top: int | None = None,
    cohorts: Sequence[str] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    rank_method: RankMethod = "posterior",
    n_resamples: int = 2000,
    n_splits: int = 10,
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> LeaderboardStudy | MeansLeaderboardStudy | RequirementsStudy:
    """Test which ranks of a leaderboard are reliable, and how well the benchmark separates systems.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        Systems by items. Repeats become their means; clusters, strata, weights and gaps are taken into account where a
        part of the study can, and the rest says why it has no answer. Groups are families of systems. Or, where there
        are no scores by item, a table of means and standard errors (`metaeval.table.means.as_means`): model, score,
        stderr, and perhaps metric and n.
    baseline : str or sequence of str, optional
        Systems to compare with every other; their pairs are one family, over which Holm's correction decides what
        differs from them. Ranks and letters keep the decision over all pairs.
    requirements : sequence of str, optional
        Such as "new >= old - 0.005"; see `metaeval.tests_stat.requirements.check_requirements`.
    top : int, optional
        How many systems count as the top, by default 3; if given, the first sentence says which these are.
    cohorts : sequence of str, optional
        "top10" and the like, or names of groups: the items that separate these systems; see
        `metaeval.resampling.cohorts.analyse_cohorts`. By default the top 10 and 25 where there are more systems.
    alpha : float, default 0.05
        Significance level; intervals hold at 1 - alpha.
    power : float, default 0.8
        For the least difference that the items would detect, and the items needed to detect one.
    rank_method : {"posterior", "guaranteed"}, default "posterior"
        How ranks are decided; see `metaeval.resampling.ranks.rank_intervals`.
    n_resamples : int, default 2000
        Resamples of the items, for shares of resamples.
    n_splits : int, default 10
        How often the systems are split in those that choose subsets of the items and those that judge them.
    rng : None, int or numpy.random.Generator
    n_threads : int, optional
        Cores to use; the result does not depend on it.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    LeaderboardStudy, MeansLeaderboardStudy or RequirementsStudy
        One row a ``metric`` and ``system`` in ``to_frame()``: ``mean`` in units of the metric, ``rank`` with
        ``rank_low`` and ``rank_high``, ``letters`` (none shared by two that differ significantly), ``n_above`` and
        ``n_below`` (systems significantly better and worse), the probabilities ``p_best`` and ``p_top_3`` to be first
        and among three, and ``share_of_resamples`` in which it is first. Whether what was required is met stands in
        ``requirements.to_frame()``, a row a metric and requirement: see `Requirements.to_frame`. Of means with standard
        errors a `MeansLeaderboardStudy`, as if the errors were independent, which is mostly too wide: ``mean_low`` and
        ``mean_high``, ``stderr`` and ``n`` too. Of one system, whose mean is required to be beyond a number, a
        `RequirementsStudy`: these rows alone in its ``to_frame()``.

    Raises
    ------
    ScoresError, InvalidOptionError
        If scores or options are outside their rules, or an option needs scores by item.

    See Also
    --------
    metaeval.resampling.ranks.rank_intervals
    metaeval.resampling.means_and_errors.rank_intervals_from_errors
    metaeval.questions.power.study.study_power

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> study = study_leaderboard(simulate_scores(n_systems=5, n_topics=40, metrics=["P@10"], rng=1), rng=1)
    >>> study.to_frame()[["system", "rank", "rank_low", "rank_high"]].to_numpy().tolist()[0]
    ['system5', 1, 1, 3]
    """
    check_share(alpha, "alpha")
    check_share(power, "power")
    n_top = check_count(_TOP if top is None else top, "top")
    check_resamples(n_resamples)
    check_count(n_splits, "n_splits", most=MOST_REPLICATES)
    seed, requirements = resolve_seed(rng), check_list(requirements, "requirements", ["new >= old - 0.005"])
    checked = _scores_or_means(scores, fewest=1 if requirements else 2)
    if isinstance(checked, SystemMeans):
        refuse_without_items(baseline, requirements, cohorts)
        return study_means(checked, top=top, alpha=alpha, method=rank_method, seed=seed, provenance=provenance)
    if checked.sizes["system"] == 1:
        return study_requirements(checked, requirements, alpha=alpha, provenance=provenance)
    baselines = baselines_of(baseline)
    table, left_out = _placed(checked, baselines, check_list(cohorts or [], "cohorts", ["top10"]), requirements)
    names, n_topics, gappy = table["system"].to_numpy().tolist(), table.sizes["topic"], has_gaps(table.to_numpy())
    check_count(n_top, "top", most=max(_TOP, len(names)), unit="systems")
    for system in baselines:
        check_choice(system, "baseline", names)
    many, n_drawn = n_topics > _FEW, min(n_resamples, max(_FEWEST, _DRAWN // n_topics))
    wanted = cohort_names(table, cohorts) if cohorts is not None else [] if many else default_cohorts(len(names))
    required = check_requirements(table, requirements, alpha=alpha) if requirements else None
    comparison = compare_systems(table, test="t", correction="none", alpha=alpha)
    attempt = Attempts(ScoresError, EstimationError, InvalidOptionError, of=table)
    level = 1 - alpha
    ranked = partial(rank_intervals, method=rank_method, confidence_level=level, rng=seed, n_threads=n_threads)
    best = partial(best_system, k=min(n_top, len(names)), n_resamples=n_drawn, rng=seed, n_threads=n_threads)
    answers = _answers(in_contradicting_groups(comparison, table), ranked, best, attempt, alpha=alpha, power=power)
    divided = partial(variance_components, checked, confidence_level=level)
    notes = _size_notes(table, n_drawn, n_resamples)
    families = partial(pair_families, comparison, corrections=("holm", "fdr_bh", "fdr_by"), baseline=baselines)
    return LeaderboardStudy(
        scores=table,
        means=means_of_systems(table),
        comparison=comparison,
        by_cluster=pair_by_cluster(table, comparison, rng=seed, n_threads=n_threads),
        families=families(means=settled_mean_over_topics(table) if gappy else None),
        design=design_effect(table) if "cluster" in table.coords else None,
        **answers,
        conclusions=conclusions_of(table, aggregates=_aggregates(table, attempt), alpha=alpha, power=power),
        items=attempt("Item analysis", lambda: analyse_items(_few(table))),
        subsets=attempt("Subsets", lambda: _subsets(table, notes, n_splits=n_splits, alpha=alpha, seed=seed)),
        cohorts=analyse_cohorts(table, cohorts=wanted, n_splits=n_splits, alpha=alpha, rng=seed) if wanted else None,
        cohorts_named=bool(cohorts),
        gaps=attempt("Missing scores", partial(missing_scores, table, confidence_level=level)) if gappy else None,
        thin=attempt(_THIN, partial(without_thin, table, answers["ranks"], comparison, ranked)) if gappy else None,
        sources=attempt("Sources of noise", divided) if checked.sizes.get(REPEAT, 1) > 1 else None,
        requirements=required,
        baselines=baselines,
        top=top,
        power=power,
        alpha=float(alpha),
        identical=identical_systems(table),
        left_out=tuple(natural_order(set(checked["system"].to_numpy().tolist()) - set(names))),
        unanswered=MappingProxyType(dict(attempt.failed)),
        notes=(
            *(*table.attrs.get("notes", ()), *design_notes(table), *test_notes(comparison, table)),
            *(*left_out, *constant_notes(table), *notes),
        ),
        provenance=provenance or record_provenance("study_leaderboard", random_source=f"seed {seed}"),
    )


def _scores_or_means(scores: object, *, fewest: int) -> Scores | SystemMeans:
    """Return scores by item, or means: of a board, and of systems with items of their own."""
    if isinstance(scores, SystemMeans) or is_board(scores):
        return scores if isinstance(scores, SystemMeans) else as_means(scores)
    try:
        return checked_scores(scores, fewest=fewest)
    except ApartError:
        return unpaired_means(scores)


class _Answers(TypedDict):
    """Ranks, and what power the items have; see `LeaderboardStudy`."""

    ranks: RankIntervals | None
    detectable: DetectableDifferences | None
    separation: Separation | None
    best: BestSystem | None


def _answers(  # noqa: PLR0913 - what is asked of the scores
    table: Scores,
    ranked: Callable[[Scores], RankIntervals],
    best: Callable[[Scores], BestSystem],
    attempt: Attempts,
    *,
    alpha: float,
    power: float,
) -> _Answers:
    drawable = attempt(RANKS, partial(resampled_scores, table, what="an interval of ranks")) is not None
    ranks = attempt(RANKS, partial(ranked, table)) if drawable else None
    detectable = attempt("Detectable differences", partial(detectable_differences, table, alpha=alpha, power=power))
    separation = attempt("Items needed", partial(topics_to_separate, table, alpha=alpha, power=power))
    if not drawable:
        attempt.failed[_BEST] = attempt.failed[RANKS]  # one reason, said once
    return {
        "ranks": ranks,
        "detectable": detectable,
        "separation": separation,
        "best": attempt(_BEST, partial(best, table)) if drawable else None,
    }


def _placed(
    checked: Scores, baselines: Sequence[str], cohorts: Sequence[str], requirements: Sequence[str]
) -> tuple[Scores, list[str]]:
    """Return the scores of the systems that can be ranked, and a note of the others, which no option may name."""
    table = engine_scores(checked, "the leaderboard")
    table, left_out = placed_systems(table) if has_gaps(table.to_numpy()) else (table, [])
    everyone = checked["system"].to_numpy().tolist()
    named = {
        option: [(name, name) for name in names] for option, names in (("baseline", baselines), ("cohorts", cohorts))
    }
    named["requirements"] = [(text, system) for text in requirements for system in systems_of(text, everyone)]
    check_ranked(checked, table, named, left_out)
    return table, left_out


def _size_notes(table: Scores, n_drawn: int, n_resamples: int) -> list[str]:
    """Say what is left out where there are very many items."""
    notes, n_topics = [], table.sizes["topic"]
    if n_topics > _FEW:
        items = unit_of(table).topics
        notes.append(f"more than {_FEW:,} {items}: cohorts are looked at where named, metrics are summed up by means")
    if n_drawn < n_resamples:
        notes.append(
            f"shares of resamples are of {n_drawn:,} resamples and not {n_resamples:,}, for {n_topics:,} items"
        )
    return notes


def _aggregates(table: Scores, attempt: Attempts) -> list[str] | None:
    """Return the ways to sum metrics up; None for all."""
    if runs_move(table):
        attempt("Aggregates other than the mean", _no_aggregates)
        return ["mean"]
    if table.sizes["topic"] > _FEW:
        return ["mean"]
    if not {"cluster", "stratum"} & set(table.coords):
        return None
    macro = attempt("Macro mean", partial(aggregate_scores, table, aggregates=[MACRO]))
    return [name for name in USUAL_AGGREGATES if macro is not None or name != MACRO]


def _no_aggregates() -> None:
    message = "runs of a system differ, and how much they move a win rate, Borda points or z-scores is not known"
    raise EstimationError(message)


def _subsets(table: Scores, notes: list[str], *, n_splits: int, alpha: float, seed: int) -> SubsetComparison:
    return compare_subsets(_whole_items(_few(table), notes), n_splits=n_splits, alpha=alpha, rng=seed)


def _whole_items(table: Scores, kept: list[str]) -> Scores:
    """Return the largest part without gaps, and note what it is."""
    block, items = complete_block(table), unit_of(table).topics
    if block.sizes != table.sizes:
        n_systems = block.sizes["system"]
        who = "all systems" if n_systems == table.sizes["system"] else f"{n_systems} of {table.sizes['system']} systems"
        kept.append(f"subsets of {items}: of the {block.sizes['topic']:,} {items} that {who} have")
    return block


def _few(table: Scores) -> Scores:
    """Refuse more items than are looked at one by one."""
    if table.sizes["topic"] > _FEW:
        items = unit_of(table).topics
        raise ScoresError(
            f"looks at {items} one by one, and these are {table.sizes['topic']:,}, more than {_FEW:,}; give a sample"
        )
    return table


def conclusions_of(
    scores: Scores, *, aggregates: Sequence[str] | None = None, alpha: float = 0.05, power: float = 0.8
) -> pd.DataFrame:
    """Compare the conclusions of metrics, and of ways to sum each of them up, as those of metrics.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> found = conclusions_of(simulate_scores(n_systems=5, n_topics=40, metrics=["AP", "RR"], rng=1))
    >>> found[["metric", "aggregate", "reference"]].head(2).to_numpy().tolist()
    [['AP', 'mean', ''], ['AP', 'Borda', 'AP, mean']]
    """
    metrics = scores["metric"].to_numpy().tolist()
    rows: list[dict[str, object]] = []
    first: PairwiseResult | None = None
    of_means = aggregates is not None and list(aggregates) == ["mean"]
    for number in range(1 if of_means else len(metrics)):
        made = scores if of_means else aggregate_scores(scores.isel(metric=[number]), aggregates=aggregates)
        result = compare_systems(made, test="t", correction="none", alpha=alpha)
        needed = topics_to_separate(made, pairs="top", alpha=alpha, power=power).to_frame()["topics_needed"].tolist()
        corrected = {
            f"n_significant_{name}": result.with_correction(name).data["significant"].sum("pair").to_numpy()
            for name in ("fdr_bh", "fdr_by")
        }
        first = result if first is None else first
        for index, name in enumerate(result.metrics):
            metric, aggregate = (name, "mean") if of_means else (metrics[number], name)
            lead = of_means or not index  # compared with that of the first metric
            against = (first if lead else result).data.isel(metric=0)
            compared = result.data.isel(metric=index)
            same = lead and metric == metrics[0]
            rows.append(
                {
                    "metric": metric,
                    "aggregate": aggregate,
                    "reference": "" if same else f"{metrics[0] if lead else metric}, mean",
                    "n_significant": int(compared["significant"].sum()),
                    **{name: int(counts[index]) for name, counts in corrected.items()},
                    "n_pairs": result.n_pairs,
                    "topics_needed": float(needed[index]),
                    "tau": float("nan") if same else _tau(compared, against, scores.sizes["system"]),
                    "kept": float("nan") if same else _kept(compared, against),
                }
            )
    return pd.DataFrame(rows)


def _tau(own: xr.Dataset, other: xr.Dataset, n_systems: int) -> float:
    """Return Kendall's tau of two orders of the systems, told by which of every pair is ahead."""
    first, second = all_pairs(n_systems)
    ahead = [side["better"].to_numpy() for side in (other, own)]
    truth, estimate = (np.bincount(first, side, n_systems) - np.bincount(second, side, n_systems) for side in ahead)
    return float(kendall_tau(truth, estimate, undefined="nan"))


def _kept(own: xr.Dataset, other: xr.Dataset) -> float:
    """Return the share of the other's significant pairs that are significant here in the same direction."""
    mask = other["significant"].to_numpy()
    same = own["significant"].to_numpy() & (own["better"].to_numpy() == other["better"].to_numpy())
    return float(same[mask].mean()) if mask.any() else float("nan")
