"""Which systems win pairwise votes? From votes on pairs of systems to ranks with intervals, and missing votes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_count, check_power, check_share
from metaeval.base.names import first_few
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.words import compared_p
from metaeval.errors import EstimationError, ScoresError, UnknownNameError
from metaeval.models.other_ratings import EloRatings, elo_ratings
from metaeval.models.settling import SettledPairs, settled_pairs
from metaeval.models.vote_dimension import OneDimension, one_dimension
from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.vote_strengths import BradleyTerry, Ties, bradley_terry, davidson_strengths
from metaeval.models.vote_sweeps import swept_pairs
from metaeval.models.vote_weights import LEAST_VOTES, JudgeWeights, judge_weights
from metaeval.models.vote_witness import VoteWitness, first_place_votes
from metaeval.models.votes_needed import VotePlan, vote_plan
from metaeval.questions.votes.study_unasked import UnaskedCovariates, influences_by_voter, unasked_covariates
from metaeval.resampling.means_and_errors import RanksFromErrors
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Attempts, Study
from metaeval.table.vote_columns import UNITS
from metaeval.table.vote_covariates import POSITION
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.result import is_significant
from metaeval.tests_stat.run_preferences import RunPreferences

CORRECTIONS = ("none", "fdr_bh", "fdr_by", "holm")
AS_RANKS = "ranks"
"""What `VotesStudy.pair_counts` calls the decision behind ranks and letters, beside corrections."""
_UNBOUNDED = (
    "strengths cannot be estimated, because one system won every vote of each pair; the pairs are tested by sign tests"
)
_NOTE_ON_UNASKED = "{name} of both sides may matter beside the systems: `covariates=['{name}']`"
_MOST_VOTERS = 50
_MOST_STEPS, _MOST_ORDERS, _FEWEST_ORDERS = 20_000_000, 20, 3
"""Votes that Elo's ratings walk through in all, and the random orders of the votes that they walk."""


class VoteGroup(NamedTuple):
    """What votes say about systems that they connect."""

    fitted: BradleyTerry
    """Without covariates."""
    adjusted: BradleyTerry | None
    """With them, where there are any."""
    ranks: RanksFromErrors
    dimension: OneDimension
    plan: VotePlan
    elo: EloRatings
    davidson: NDArray[np.float64] | None
    """Strengths of Davidson's model, where there are ties."""
    unrated: tuple[str, ...]
    """Systems without a bound."""
    n_ties: int
    """Votes that count half for either system."""
    witness: VoteWitness | None
    """Votes without which the first system is no longer ahead."""

    @property
    def main(self) -> BradleyTerry:
        """The strengths that are ranked: adjusted where there are covariates."""
        return self.adjusted or self.fitted

    @property
    def covariates(self) -> pd.DataFrame:
        """Coefficients of the covariates alone: without the last one of Davidson's model, the parameter of ties."""
        frame = self.main.coefficient_frame()
        return frame.iloc[:-1] if self.main.ties == "davidson" else frame

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Pairs that the ranks decide."""
        return np.asarray(self.ranks.data["significant"].to_numpy()[0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VotesStudy(Study):
    """Strengths and ranks of systems from votes."""

    reported_by: ClassVar[str] = "metaeval.questions.votes.page:votes_report"

    groups: tuple[VoteGroup, ...]
    """Systems that votes connect, each group ranked alone, the largest first, of equal ones that with more
    votes; empty where no strength has a bound. The first is group 1."""
    sweeps: pd.DataFrame
    """Where one system won all votes of each pair of a group, these pairs, with an exact sign test: group (where there
    are several; numbered after those ranked), system (the winner), against, votes, independent (the most of which no
    two share a question or voter, of which there are several), p_value, p_corrected (Holm), settled, least_share and
    least_difference (one-sided limits of the winner's expected share and of its log odds). Empty otherwise."""
    n_groups: int
    """Groups of systems that votes connect, with those without strengths."""
    swept_by: tuple[str, ...]
    """What independent votes of `sweeps` do not share."""
    n_votes: int
    n_systems: int
    n_units: Mapping[str, int]
    """Questions and voters, where they are known."""
    counted: bool
    """Whether the votes came as counts."""
    read_as: str
    """What the files were taken for."""
    weights: JudgeWeights | None
    """How much the votes of each voter tell; takes 2 to 50 voters with 30 votes or more."""
    unasked: UnaskedCovariates | None
    """What covariates would change in the first group that the votes have on both sides, such as lengths; None where
    there are none, or some were asked for."""
    beside: SettledPairs | None
    """The pairs of the largest group that metrics settle too, where scores were given."""
    powers: pd.DataFrame
    """Where votes are preferences between runs: one row a preference or metric and correction, with n_significant,
    n_pairs and share; empty otherwise."""
    unanswered: Mapping[str, str]
    """Groups of systems that have no ranks, with the reason."""
    alpha: float
    power: float
    top: int | None
    """How many systems somebody asked about as the top; where nobody did, 3 count as it."""
    share: float
    """Of the pairs, for which the plan counts votes."""
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def first(self) -> VoteGroup:
        """The largest group, where there are strengths."""
        return self.groups[0]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system, best first in its group.

        The columns are group (where there are several), system, strength (log odds, of mean 0 in the group) with
        standard_error, low and high, win_rate (mean over the rivals met), votes, rank, rank_low, rank_high, letters,
        n_above, n_below, p_best and ``p_top_k``. Systems that never lost, or never won, have no row, and ranks are
        among the others: see ``fitted.unbounded_frame()`` of a group. Where no strength has a bound the pairs are
        returned: see `sweeps`.
        """
        return self.by_group(_systems) if self.groups else self.sweeps.copy()

    def pair_counts(self) -> pd.DataFrame:
        """Return one row a correction: n_significant, n_pairs, share, independent, and group where there are several.

        The correction "ranks" is the decision behind ranks and letters. The others are t tests; ``independent`` is
        their count as if every vote were independent, missing for ranks.
        """
        return self.by_group(_pair_counts)

    def ratings(self) -> pd.DataFrame:
        """Return one row a system, beside the strengths what others publish.

        The columns are system, rank, strength, win_rate, davidson (Davidson's strength, which Newman's algorithm finds;
        where there are ties), elo and elo_deviation (mean and standard deviation over random orders of the votes), and
        group where there are several.
        """
        return self.by_group(_ratings)

    def by_group(self, frame: Callable[[VoteGroup], pd.DataFrame]) -> pd.DataFrame:
        """Return the rows of all groups, with the number of each where votes leave several, ranked or not."""
        frames = [frame(group) for group in self.groups]
        if not frames or self.n_groups == 1:
            return frames[0] if frames else pd.DataFrame()
        return pd.concat([rows.assign(group=number) for number, rows in enumerate(frames, start=1)], ignore_index=True)

    def _read_as(self) -> str:
        return self.read_as


def _systems(group: VoteGroup) -> pd.DataFrame:
    frame = group.main.to_frame().drop(columns="rank")
    ranks = group.ranks.to_frame().drop(columns=["metric", "mean", "mean_low", "mean_high", "stderr", "n"])
    letters = group.ranks.groups()[["system", "letters"]]
    frame = ranks.merge(frame, on="system").merge(letters, on="system")
    first_columns = ["system", "strength", "standard_error", "low", "high", "win_rate", "votes", "rank", "rank_low"]
    first_columns += ["rank_high", "letters"]
    return frame[[*first_columns, *(name for name in frame if name not in first_columns)]]


def _pair_counts(group: VoteGroup) -> pd.DataFrame:
    counts: list[tuple[str, int, int | None]] = [(AS_RANKS, int(group.settled.sum()), None)]
    for name in CORRECTIONS:
        n_significant, n_independent = (
            int(group.main.comparison(name, independent=independent).data["significant"].sum())
            for independent in (False, True)
        )
        counts.append((name, n_significant, n_independent))
    frame = pd.DataFrame(counts, columns=["correction", "n_significant", "independent"])
    frame = frame.astype({"independent": "Int64"})
    n_pairs = len(group.settled)
    return frame.assign(n_pairs=n_pairs, share=frame["n_significant"] / n_pairs)


def _ratings(group: VoteGroup) -> pd.DataFrame:
    frame = group.fitted.to_frame()[["system", "rank", "strength", "win_rate"]]
    positions = pd.Index(group.fitted.systems).get_indexer(pd.Index(frame["system"]))
    if group.davidson is not None:
        frame["davidson"] = group.davidson[positions]
    return frame.assign(elo=group.elo.mean[positions], elo_deviation=group.elo.deviation[positions])


def study_votes(  # noqa: PLR0913 - every option of the command
    votes: object,
    *,
    ties: Ties = "half",
    clusters: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    top: int | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    share: float = 0.75,
    n_next: int = 100,
    scores: object = None,
    preferences: RunPreferences | None = None,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> VotesStudy:
    """Rank systems by votes, with errors for votes that go together.

    Parameters
    ----------
    votes : Votes, DataFrame or sequence of mappings
        One row a vote; see `metaeval.table.votes.as_votes` and `metaeval.read_votes`.
    ties : {"half", "davidson", "drop"}, default "half"
        Half a win for either, an outcome with a parameter of its own, or left out.
    clusters : sequence of {"question", "voter"}, optional
        Cluster errors by question, voter or both; by default by what is known.
    covariates : sequence of str, optional
        What to adjust for: covariates of the votes, or columns as `metaeval.table.votes.as_votes` takes them.
    top : int, optional
        How many systems count as the top, by default 3; if given, the first sentence says which these are.
    alpha : float, default 0.05
        Significance level; intervals hold at 1 - alpha.
    power : float, default 0.8
        Chance with which the planned votes settle a pair.
    share : float, default 0.75
        Of the pairs, for which the plan counts votes.
    n_next : int, default 100
        Votes whose best use is asked for.
    scores : Scores or anything `metaeval.as_scores` takes, optional
        Scores by item of some of the same systems, whose settled pairs are compared with those of the votes.
    preferences : RunPreferences, optional
        Where votes are preferences between runs, these and others, whose discriminative power is counted beside that
        of the scores' metrics.
    rng : None, int or numpy.random.Generator
    provenance : Provenance, optional

    Returns
    -------
    VotesStudy
        One row a ``system`` in ``to_frame()``, the best first: Bradley-Terry ``strength`` with ``standard_error``,
        ``low`` and ``high`` (natural logarithms of odds), ``win_rate`` (0 to 1: the mean of its shares of the votes
        against each rival it met, in which every rival weighs the same, however many votes there are), its ``votes``,
        ``rank`` with ``rank_low`` and ``rank_high``, ``letters``, ``n_above`` and ``n_below`` (systems significantly
        better and worse), and the probabilities ``p_best`` and ``p_top_k`` (``p_top_3``, unless `top` says another
        number or there are fewer systems).

    Raises
    ------
    ScoresError, InvalidOptionError
        If there are no votes, or an option is outside its rule.
    EstimationError
        If no group of systems has strengths, nor pairs that one system won throughout (see `VotesStudy.sweeps`).

    See Also
    --------
    metaeval.models.bradley_terry : the model and its errors
    metaeval.questions.leaderboard.study.study_leaderboard : from scores by item

    Examples
    --------
    >>> from metaeval.simulate import simulate_votes
    >>> study = study_votes(simulate_votes(n_systems=4, rng=1), rng=1)
    >>> study.to_frame()[["system", "rank", "rank_low", "rank_high"]].to_numpy().tolist()[0]
    ['system4', 1, 1, 1]
    """
    check_share(alpha, "alpha")
    check_share(share, "share")
    check_power(power, alpha)
    check_count(3 if top is None else top, "top")
    seed = resolve_seed(rng)
    all_votes = _with_covariates(as_votes(votes, covariates=covariates), covariates)
    attempt, ranked, sweeps, all_groups = Attempts(EstimationError, ScoresError), [], [], all_votes.grouped()
    swept_by = tuple(name for name in (UNITS if clusters is None else clusters) if all_votes.n_units(name) > 1)
    for names in all_groups:
        of_group = all_votes if len(all_groups) == 1 else all_votes.of(names)
        made = attempt(
            first_few(names),
            lambda of_group=of_group: _group(of_group, ties, clusters, top, alpha, power, n_next, seed),  # type: ignore[misc]  # bound now
        )
        if made is not None:
            ranked.append(made)
        else:
            decisive = of_group.share != 0.5  # noqa: PLR2004 - ties
            counting = of_group.where(decisive) if ties == "drop" and decisive.any() else of_group
            sweeps.append(swept_pairs(counting, swept_by, alpha=alpha))
            if len(sweeps[-1]):
                attempt.failed[first_few(names)] = _UNBOUNDED
    sweeps = [rows for rows in sweeps if len(rows)]
    if len(all_groups) > 1:
        for number, rows in enumerate(sweeps, start=len(ranked) + 1):
            rows.insert(0, "group", number)
    swept = pd.concat([pd.DataFrame(), *sweeps], ignore_index=True)
    if not ranked and not len(swept):
        raise EstimationError(next(iter(attempt.failed.values())))
    if not ranked and scores is not None:
        attempt.failed["Metrics and these votes"] = "without strengths there are no ranks to compare"
    unasked = _unasked(all_votes.of(all_groups[0]), ranked, ties, clusters, alpha, seed)
    notes = [
        *all_votes.notes,
        *(note for group in ranked for note in group.fitted.notes),
        *_notes_on_covariates(all_votes, unasked, ranked, ties, alpha),
        *_notes(all_votes, ranked, all_groups),
    ]
    return VotesStudy(
        groups=tuple(ranked),
        sweeps=swept,
        n_groups=len(all_groups),
        swept_by=swept_by,
        n_votes=all_votes.n_votes,
        n_systems=len(all_votes.systems),
        n_units=MappingProxyType({name: all_votes.n_units(name) for name in all_votes.units}),
        counted=all_votes.counted,
        weights=_weights(all_votes.of(all_groups[0]), ties, alpha, attempt) if ranked else None,
        unasked=unasked,
        beside=None if scores is None or not ranked else settled_pairs(ranked[0].main, scores, alpha=alpha, rng=seed),
        powers=pd.DataFrame() if preferences is None else _discriminative_powers(preferences, scores, float(alpha)),
        read_as=all_votes.read_as,
        unanswered=MappingProxyType(dict(attempt.failed)),
        alpha=float(alpha),
        power=float(power),
        top=top,
        share=float(share),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_votes", random_source=f"seed {seed}"),
    )


def _with_covariates(votes: Votes, names: Sequence[str]) -> Votes:
    """Return votes with these of their covariates, or where none is named, with those that they were read with."""
    if not names:
        return votes
    available = {**votes.unasked, **votes.covariates}
    if (unknown := next((name for name in names if name not in available), None)) is not None:
        raise UnknownNameError("covariate", unknown, list(available))
    return replace(votes, covariates={name: available[name] for name in names}, unasked={})


def _unasked(  # noqa: PLR0913, PLR0917 - as asked
    votes: Votes,
    ranked: Sequence[VoteGroup],
    ties: Ties,
    clusters: Sequence[str] | None,
    alpha: float,
    seed: int,
) -> UnaskedCovariates | None:
    if not ranked or votes.covariates or not votes.unasked:
        return None
    return unasked_covariates(votes, ranked[0].ranks, ties=ties, clusters=clusters, alpha=alpha, seed=seed)


def _notes_on_covariates(
    votes: Votes, tried: UnaskedCovariates | None, ranked: Sequence[VoteGroup], ties: Ties, alpha: float
) -> list[str]:
    """Say which covariates that nobody asked for may matter, and which were tried, or asked for, and showed nothing."""
    rows = [] if tried is None else tried.coefficients.to_dict("records")
    nothing = {row["name"]: row["p_value"] for row in rows if not row["significant"]}
    are_few = nothing and 1 < votes.n_units("voter") <= _MOST_VOTERS
    by_voter = influences_by_voter(votes, [*nothing], ties=ties, alpha=alpha) if are_few else pd.DataFrame()
    return [
        _NOTE_ON_UNASKED.format(name=name)
        if name not in nothing
        else _note_on_nothing(name, nothing[name], by_voter[by_voter["name"] == name] if len(by_voter) else by_voter)
        for name in votes.unasked
    ] + _notes_on_asked(votes, ranked, ties, alpha)


def _notes_on_asked(votes: Votes, ranked: Sequence[VoteGroup], ties: Ties, alpha: float) -> list[str]:
    """Say which covariates that were asked for show nothing over all votes, but in those of one voter."""
    if not ranked or not votes.covariates:
        return []
    first = ranked[0]
    p_values = dict(zip(first.covariates["name"], first.covariates["p_value"], strict=True))
    asked = {name: p for name, p in p_values.items() if name in votes.covariates and name != POSITION}
    nothing = {name: p for name, p in asked.items() if not is_significant(np.array(p), alpha)}
    if not nothing or not 1 < votes.n_units("voter") <= _MOST_VOTERS:
        return []
    by_voter = influences_by_voter(votes, [*nothing], ties=ties, alpha=alpha)
    told = by_voter.loc[by_voter["significant"], "name"].unique()
    return [_note_on_nothing(name, nothing[name], by_voter[by_voter["name"] == name]) for name in told]


def _note_on_nothing(name: str, p: float, of_voters: pd.DataFrame) -> str:
    """Say that a covariate shows nothing over all votes, or in the votes of which voters it does."""
    tried = f"{name} of both sides was tried beside the systems"
    if not len(of_voters):
        return f"{tried}: no significant influence (p = {p:.2g})"
    told = dict(zip(of_voters["voter"], of_voters["p_value"].map(compared_p), strict=True))
    if not of_voters["significant"].any():
        named = first_few([f"{voter} p {of_voter}" for voter, of_voter in told.items()])
        return f"{tried}: no significant influence, over all votes (p = {p:.2g}) or of one voter ({named})"
    pulled = of_voters.loc[of_voters["significant"], "voter"].tolist()
    named = first_few([f"{voter} (p {told[voter]})" for voter in pulled])
    others = [f"{voter} (p {of_voter})" for voter, of_voter in told.items() if voter not in pulled]
    weak = f", not significantly those of {first_few(others)}" if others else ""
    return (
        f"{tried}: it influences the votes of {named}{weak}; over all votes (p = {p:.2g}) voters who differ hide it, "
        "so rank by the votes of each apart"
    )


def _weights(votes: Votes, ties: Ties, alpha: float, attempt: Attempts) -> JudgeWeights | None:
    """Weigh the voters of the first group, where there are a few with enough votes."""
    n_voters = int((np.bincount(votes.units.get("voter", np.empty(0, dtype=np.int64))) >= LEAST_VOTES).sum())
    if votes.counted or not 1 < n_voters <= _MOST_VOTERS or n_voters * len(votes.share) > _MOST_STEPS:
        return None
    return attempt("How much does each voter's vote tell?", lambda: judge_weights(votes, ties=ties, alpha=alpha))


def _discriminative_powers(preferences: RunPreferences, scores: object, alpha: float) -> pd.DataFrame:
    """Return the discriminative power of preferences and of metrics, by one t test over topics."""
    comparisons = [preferences.comparison("none", alpha=alpha)]
    if scores is not None:
        comparisons.append(compare_systems(scores, test="t", correction="none", alpha=alpha))
    rows = []
    for bare in comparisons:
        for correction in ("none", "fdr_bh", "fdr_by"):
            counts = bare.with_correction(correction).data["significant"].to_numpy().sum(axis=1).tolist()
            rows += [(name, correction, n, bare.n_pairs) for name, n in zip(bare.metrics, counts, strict=True)]
    frame = pd.DataFrame(rows, columns=["metric", "correction", "n_significant", "n_pairs"])
    return frame.assign(share=frame["n_significant"] / frame["n_pairs"])


def _group(  # noqa: PLR0913, PLR0917 - as asked
    votes: Votes,
    ties: Ties,
    clusters: Sequence[str] | None,
    top: int | None,
    alpha: float,
    power: float,
    n_next: int,
    seed: int,
) -> VoteGroup:
    fitted = bradley_terry(votes, ties=ties, clusters=clusters, covariates=[], alpha=alpha)
    adjusted = bradley_terry(votes, ties=ties, clusters=clusters, alpha=alpha) if votes.covariates else None
    main = adjusted or fitted
    ranks = vote_ranks(main, top=top or 3, alpha=alpha, rng=seed)
    ranked_votes = votes.of(fitted.systems) if len(fitted.systems) < len(votes.systems) else votes
    ranked_votes = ranked_votes.where(ranked_votes.share != 0.5) if ties == "drop" else ranked_votes  # noqa: PLR2004 - ties
    n_orders = min(_MOST_ORDERS, max(_FEWEST_ORDERS, _MOST_STEPS // max(len(ranked_votes.share), 1)))
    tied = ranked_votes.where(ranked_votes.share == 0.5)  # noqa: PLR2004 - ties
    has_davidson = np.isin(ranked_votes.share, [0.0, 0.5, 1.0]).all() and tied.n_votes > 0
    attempt = Attempts(EstimationError)
    return VoteGroup(
        fitted=fitted,
        adjusted=adjusted,
        ranks=ranks,
        dimension=one_dimension(ranked_votes, fitted),
        plan=vote_plan(main, ranks, power=power, n_next=n_next),
        elo=elo_ratings(ranked_votes, n_orders=n_orders, rng=seed),
        davidson=attempt("Davidson", lambda: davidson_strengths(ranked_votes)) if has_davidson else None,
        unrated=tuple(fitted.unbounded["system"]),
        n_ties=tied.n_votes if ties == "half" else 0,
        witness=first_place_votes(ranked_votes, main),
    )


def _notes(votes: Votes, ranked: Sequence[VoteGroup], all_groups: Sequence[Sequence[str]]) -> list[str]:
    """Say what the votes leave unknown."""
    notes = []
    if votes.counted:
        notes.append("counts do not say who voted on what: errors take every vote for independent, which is unchecked")
    elif not votes.units:
        notes.append("votes name no question and no voter: errors take every vote for independent, which is unchecked")
    for name in votes.units:
        if votes.n_units(name) == 1:
            notes.append(f"all votes are on one {name}" if name == "question" else "all votes are by one voter")
            notes[-1] += f": what other {name}s would change is unknown"
        else:
            of_one_unit = [
                str(group_number)
                for group_number, group in enumerate(ranked, start=1)
                if group.fitted.n_units[name] == 1
            ]
            notes += [
                f"in group {group_number} all votes are of one {name}"
                for group_number in of_one_unit
                if len(all_groups) > 1
            ]
    if len(all_groups) > 1:
        notes.append(f"no votes connect {len(all_groups)} groups of systems; each is taken alone")
        notes[-1] += ", the largest as group 1" if len(ranked) == len(all_groups) else ", those with strengths first"
    unrated = [name for group in ranked for name in group.unrated]
    if unrated:
        notes.append(f"not ranked, because a strength has no bound: {first_few(unrated)}")
    return notes
