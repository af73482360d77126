"""Do votes and metrics, or two sets of votes, settle the same pairs? From votes and scores to the pairs of all."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd

from metaeval.agreement.alt_test import AltTest, alt_test
from metaeval.base.checks import check_choice
from metaeval.base.names import first_few
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.errors import EstimationError, InvalidOptionError, ScoresError
from metaeval.models.powered_votes import PoweredStrengths, powered_strengths
from metaeval.models.settling import VOTES, SettledPairs, settled_pairs, votes_predicted
from metaeval.models.vote_judges import (
    agreement_with_voters,
    vote_agreement,
    vote_habits,
    vote_verdicts,
    voters_agreement,
)
from metaeval.models.vote_shift import StrengthShift, strength_shift
from metaeval.models.vote_stand_ins import side_is_separable, stand_ins, strengths_at_no_side
from metaeval.models.vote_strengths import BradleyTerry, Ties, bradley_terry
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Attempts, Study
from metaeval.table.scores import as_scores
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledStudy(Study):
    """Pairs of systems that votes and metrics settle, compared."""

    reported_by: ClassVar[str] = "metaeval.questions.boards.page_decided:settled_report"

    found: SettledPairs
    reference: str
    """The votes that all others are compared with."""
    predicted: pd.DataFrame
    """Votes of the reference that metrics predict question by question; empty where no question is an item."""
    fitted: Mapping[str, BradleyTerry]
    """Strengths, by the name of the votes."""
    n_items: int
    """Of the scores; 0 without scores."""
    habits: pd.DataFrame
    """One row a set of votes: ties, position, and how often two of its voters agree; see
    `metaeval.models.vote_judges.vote_habits`."""
    agreed: pd.DataFrame
    """One row two sets of votes on the same questions and pairs of systems; see
    `metaeval.models.vote_judges.vote_agreement`. Empty where there are none."""
    alt: AltTest | None
    """Whether others may replace a voter of the reference."""
    powered: Mapping[str, PoweredStrengths]
    """Strengths by the reference and the votes of another, by the name of the other."""
    verdicts: pd.DataFrame
    """Whether judges may stand in for the reference; see `metaeval.models.vote_stand_ins.stand_ins`. Empty where the
    question is not about judges, or nobody of several was named."""
    shift: StrengthShift | None
    """What became of strengths, where the question is whether a judge has changed."""
    of_judges: bool
    """Whether the question is about judges."""
    named: bool
    """Whether the reference was named."""
    unanswered: Mapping[str, str]
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def beside(self) -> pd.DataFrame:
        """One row a voice beside the reference, as the predictor of its pairs; see `SettledPairs.to_frame`."""
        frame = self.found.to_frame()
        return frame[frame["truth"] == self.reference].reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """Return one row an ordered pair of voices; see `metaeval.models.SettledPairs.to_frame`."""
        return self.found.to_frame()


def study_settled(  # noqa: PLR0913 - every option of the command
    votes: object,
    scores: object = None,
    *,
    reference: str | None = None,
    ties: Ties = "half",
    alpha: float = 0.05,
    epsilon: float = 0.2,
    of_judges: bool = False,
    changed: bool = False,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> SettledStudy:
    """Compare the pairs of systems that votes settle with those of metrics, or of other votes.

    Parameters
    ----------
    votes : Votes, DataFrame, sequence of mappings, or mapping of str to one of these
        Votes on pairs of systems, or several sets by their names.
    scores : Scores or anything `metaeval.as_scores` takes, optional
        Scores by item of some of the same systems; for several sets of votes they may be missing.
    reference : str, optional
        The votes that all others are compared with; by default the first.
    ties : {"half", "davidson", "drop"}, default "half"
    alpha : float, default 0.05
        Of the settled pairs, and one less the level of the intervals.
    epsilon : float, default 0.2
        Of the alt-test of others against the voters of the reference; see `metaeval.alt_test`.
    of_judges : bool, default False
        Whether the question is if a judge votes as people do, and not if pairs are settled alike.
    changed : bool, default False
        Whether the question is if a judge has changed between the first and the second of two sets of votes.
    rng : None, int or numpy.random.Generator
    provenance : Provenance, optional

    Returns
    -------
    SettledStudy
        One row an ordered pair of votes and metrics in ``to_frame()``: see `SettledPairs.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError, EstimationError
        As `metaeval.models.bradley_terry` and `metaeval.models.settled_pairs`.

    See Also
    --------
    metaeval.questions.agree.study.study_agree : between metrics
    metaeval.questions.votes.study.study_votes

    Examples
    --------
    >>> from metaeval.simulate import simulate_votes
    >>> people, judge = (simulate_votes(n_systems=4, rng=seed) for seed in (1, 2))
    >>> study_settled({"people": people, "judge": judge}, rng=1).beside[["predictor", "truth"]].to_numpy().tolist()
    [['judge', 'people']]
    """
    seed = resolve_seed(rng)
    sets = votes if isinstance(votes, Mapping) and not isinstance(votes, Votes) else {VOTES: votes}
    vote_sets = {str(name): as_votes(ballots) for name, ballots in sets.items()}
    if not vote_sets:
        raise InvalidOptionError("`votes` is empty; give a set of votes")
    chosen = next(iter(vote_sets)) if reference is None else reference
    check_choice(chosen, "reference", list(vote_sets))
    vote_sets = {chosen: vote_sets[chosen], **vote_sets}
    fitted, notes = {}, []
    for name, of_source in vote_sets.items():
        try:
            connected = _largest_connected(of_source)
            fit = strengths_at_no_side if of_judges else partial(bradley_terry, covariates=[])
            fitted[name] = fit(connected, ties=ties, alpha=alpha)
        except (ScoresError, EstimationError) as error:
            if name == chosen or not of_judges:
                raise type(error)(f"{name}: {error}") from error
            notes.append(f"{name}: without strengths ({error})")
            continue
        dropped = [system for system in of_source.systems if system not in fitted[name].systems]
        notes += [f"{name}: " + note for note in (*of_source.notes, *fitted[name].notes)]
        if dropped:
            notes.append(
                f"{name}: left out, because no votes connect it or its strength has no bound: {first_few(dropped)}"
            )
    if len(fitted) < _FEWEST and scores is None and len(vote_sets) > 1:
        raise EstimationError(f"nobody but {chosen} has votes enough for strengths")
    table = None if scores is None else as_scores(scores, missing="pairwise", fewest=1)
    settled = settled_pairs(fitted, table, alpha=alpha, rng=seed)
    if settled.left_out:
        unshared = "; ".join(f"{name}: {first_few(of_source)}" for name, of_source in settled.left_out.items())
        notes.append(f"systems that not all know are left out ({unshared})")
    mixed = [name for name in fitted if vote_sets[name].placed and not side_is_separable(vote_sets[name])]
    if of_judges and mixed:
        notes.append(
            f"{first_few(mixed)}: every pair stands the same way round, as with a baseline always on the left, so that "
            "an advantage of the left cannot be told from strength; no judge is turned away for its side"
        )
    attempt = Attempts(EstimationError, ScoresError, InvalidOptionError)
    habits, agreed, alt = _as_judges(vote_sets, alpha, epsilon, attempt)
    asked = not changed and of_judges and (reference is not None or len(vote_sets) == _FEWEST)
    return SettledStudy(
        found=settled,
        reference=chosen,
        predicted=pd.DataFrame() if table is None else votes_predicted(vote_sets[chosen], table, alpha=alpha),
        fitted=MappingProxyType(fitted),
        n_items=0 if table is None else table.sizes["topic"],
        habits=habits,
        agreed=agreed,
        alt=alt,
        powered=MappingProxyType(_powered_strengths(vote_sets, chosen, agreed, alpha, attempt)),
        verdicts=stand_ins(fitted, vote_sets, settled, alpha=alpha, seed=seed) if asked else pd.DataFrame(),
        shift=_shift(vote_sets, ties, alpha, attempt) if changed else None,
        of_judges=of_judges,
        named=reference is not None,
        unanswered=MappingProxyType(dict(attempt.failed)),
        notes=tuple(dict.fromkeys([*notes, *([] if table is None else table.attrs.get("notes", ()))])),
        provenance=provenance or record_provenance("study_settled", random_source=f"seed {seed}"),
    )


def _as_judges(
    votes_by_source: Mapping[str, Votes], alpha: float, epsilon: float, attempt: Attempts
) -> tuple[pd.DataFrame, pd.DataFrame, AltTest | None]:
    """Return how everybody votes, who agrees with whom question by question, and the alt-test."""
    chosen = next(iter(votes_by_source))
    habits = pd.concat([vote_habits(votes, alpha=alpha) for votes in votes_by_source.values()], ignore_index=True)
    habits.insert(0, "votes", list(votes_by_source))
    with_questions = {name: votes for name, votes in votes_by_source.items() if "question" in votes.units}
    verdicts = {name: vote_verdicts(votes) for name, votes in with_questions.items()} if len(with_questions) > 1 else {}
    among_voters = [voters_agreement(verdicts[name]) if name in verdicts else (0, np.nan) for name in votes_by_source]
    habits["n_by_several"], habits["voters_same"] = zip(*among_voters, strict=True)
    agreed = vote_agreement({name: votes["all"] for name, votes in verdicts.items()}, alpha=alpha)
    agreed = agreed[agreed["n"] > 0].reset_index(drop=True)
    agreed["same_by_voter"] = [
        agreement_with_voters(verdicts[first], verdicts[second])
        for first, second in zip(agreed["first"], agreed["second"], strict=True)
    ]
    others = agreed.loc[agreed["first"] == chosen, "second"].tolist()
    if not others or verdicts[chosen].shape[1] <= _FEWEST:
        return habits, agreed, None
    judges = pd.DataFrame({name: verdicts[name]["all"] for name in others})
    alt = attempt(
        "May a judge replace a voter? (alt-test)",
        lambda: alt_test(verdicts[chosen].drop(columns="all"), judges, epsilon=epsilon),
    )
    return habits, agreed, alt


def _shift(votes: Mapping[str, Votes], ties: Ties, alpha: float, attempt: Attempts) -> StrengthShift | None:
    """Return what became of strengths between two sets of votes."""
    before, after = map(_largest_connected, votes.values())
    return attempt("Has the judge changed?", lambda: strength_shift(before, after, ties=ties, alpha=alpha))


def _powered_strengths(
    votes_by_source: Mapping[str, Votes], chosen: str, agreed: pd.DataFrame, alpha: float, attempt: Attempts
) -> dict[str, PoweredStrengths]:
    """Return what the votes of others on more questions and pairs than the reference's add to its own."""
    powered = {}
    for name in agreed.loc[agreed["first"] == chosen, "second"]:
        compute = partial(powered_strengths, votes_by_source[chosen], votes_by_source[name], alpha=alpha)
        strengths = attempt(f"What the votes of {name} add", compute)
        if strengths is not None and strengths.n_common < strengths.n_judged:
            powered[name] = strengths
    return powered


def _largest_connected(votes: Votes) -> Votes:
    """Return the votes on the largest set of connected systems."""
    groups = votes.grouped()
    return votes if len(groups) == 1 else votes.of(groups[0])
