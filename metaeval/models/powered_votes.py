"""What a judge's many votes add to the few votes of people: prediction-powered strengths."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.base.checks import check_share
from metaeval.base.names import count
from metaeval.base.results import Figure, Result
from metaeval.base.words import whole
from metaeval.errors import EstimationError, ScoresError
from metaeval.models.vote_model import VoteCells, extra_scores, fit_votes, moments_of, scores_by, vote_cells
from metaeval.models.vote_strengths import bradley_terry
from metaeval.running.parallel import in_one_order
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

type Floats = NDArray[np.float64]

_FEWEST = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoweredStrengths(Result):
    """Strengths by the votes of people and of a judge together, and by people alone."""

    systems: tuple[str, ...]
    strengths: Floats
    covariance: Floats
    people: Floats
    """Strengths by people alone; log odds of mean 0, as the others. Shape (system,)."""
    people_covariance: Floats
    judge_weight: float
    """Lambda: how much the judge's votes count, 0 not at all."""
    n_votes: int
    """Of people."""
    n_judged: int
    """Votes of the judge, of which `n_common` are on questions and pairs that people voted on."""
    n_common: int
    n_questions: int
    """With votes of people."""
    alpha: float

    @property
    def n_equivalent(self) -> float:
        """How many votes of people alone would give the mean variance of the powered strengths."""
        return self.n_votes * float(self.people_covariance.trace() / self.covariance.trace())

    def _found(self) -> str:
        return f"{count(self.n_votes, 'vote')} of people are worth {whole(self.n_equivalent)}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a system, the strongest first.

        The columns are ``system``, ``strength`` with ``standard_error``, ``low`` and ``high``, and the same by
        people alone: ``people``, ``people_error``, ``people_low``, ``people_high``.
        """
        t = float(stdtrit(max(self.n_questions - 1, 1), 1 - self.alpha / 2))
        columns: dict[str, object] = {"system": self.systems}
        for start, values, square in (
            ("", self.strengths, self.covariance),
            ("people_", self.people, self.people_covariance),
        ):
            error = np.sqrt(square.diagonal())
            names = (start.rstrip("_") or "strength", "people_error" if start else "standard_error")
            columns |= {names[0]: values, names[1]: error}
            columns |= {f"{start}low": values - t * error, f"{start}high": values + t * error}
        return pd.DataFrame(columns).sort_values("strength", ascending=False, kind="stable", ignore_index=True)

    def _draw(self) -> Figure:
        """Draw the strengths with their intervals, the strongest first."""
        from metaeval.figures.systems import system_ranking  # noqa: PLC0415 - matplotlib

        frame = self.to_frame().assign(metric="preference", rank=np.arange(1, len(self.systems) + 1))
        return system_ranking(frame.rename(columns={"strength": "mean"}), "preference", label="strength (log odds)")


@in_one_order
def powered_strengths(people: object, judge: object, *, alpha: float = 0.05) -> PoweredStrengths:
    r"""Estimate strengths from few votes of people and many of a judge, without the judge's bias.

    Parameters
    ----------
    people, judge : Votes, or anything `metaeval.table.votes.as_votes` takes
        Both with questions, whose names say which are the same.
    alpha : float, default 0.05
        One less the level of intervals.

    Returns
    -------
    PoweredStrengths
        Of the systems that people's votes, the judge's votes and the judge's votes where people voted all bound. One
        row a ``system`` in ``to_frame()``, in natural logarithms of odds: see `PoweredStrengths.to_frame`.

    Raises
    ------
    ScoresError
        If votes name no question, or the judge did not vote where people did.
    EstimationError
        If fewer than two systems have strengths by all three.

    See Also
    --------
    metaeval.tests_stat.prediction_powered : the same for scores

    Notes
    -----
    With the strengths by people :math:`\hat\theta`, by all votes of the judge :math:`\tilde\theta`, and by its votes on
    the questions and pairs on which people voted :math:`\tilde\theta_0`,

    .. math:: \hat\theta_{PP} = \hat\theta + \lambda (\tilde\theta - \tilde\theta_0),

    which has the limit of :math:`\hat\theta` where people voted on questions drawn at random [1]_. The covariance is
    that of the sums of influences question by question, times G / (G - 1); lambda, between 0 and 1, makes its trace
    least [2]_. Intervals take as many degrees of freedom as people voted on questions, less one.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
       :doi:`10.1126/science.adi6000`
    .. [2] Angelopoulos, Duchi and Zrnic (2023). PPI++: efficient prediction-powered inference. arXiv 2311.01453.

    Examples
    --------
    >>> from metaeval.simulate import simulate_votes
    >>> votes = simulate_votes(n_systems=3, n_questions=60, n_votes=2000, rng=1)
    >>> people = votes[votes["question"].isin([f"q{number}" for number in range(1, 21)])]
    >>> found = powered_strengths(people, votes)
    >>> found.n_equivalent > found.n_votes
    True
    """
    check_share(alpha, "alpha")
    sets = [replace(as_votes(source), covariates={}) for source in (people, judge)]
    for votes in sets:
        if "question" not in votes.units:
            raise ScoresError("votes name no question, so it is unknown where people and judge voted on the same")
    shared = np.isin(_cells(sets[1]), _cells(sets[0]))
    if not shared.any():
        raise ScoresError("the judge did not vote on any question and pair of systems that people voted on")
    sets.append(sets[1].where(shared))
    names = _bounded(sets)
    questions = pd.Index(dict.fromkeys(name for votes in sets for name in votes.names["question"]))
    estimates = [_influences(votes.of(names), questions) for votes in sets]
    strengths, influence = estimates[0]
    more, moved = estimates[1][0] - estimates[2][0], estimates[1][1] - estimates[2][1]
    spread = float((moved**2).sum())
    weight = float(np.clip(-(influence * moved).sum() / spread, 0.0, 1.0)) if spread > 0 else 0.0
    asked = len(sets[0].of(names).names["question"])
    factor = asked / max(asked - 1, 1)
    powered = influence + weight * moved
    return PoweredStrengths(
        systems=tuple(names),
        strengths=strengths + weight * more,
        covariance=factor * powered.T @ powered,
        people=strengths,
        people_covariance=factor * influence.T @ influence,
        judge_weight=weight,
        n_votes=sets[0].of(names).n_votes,
        n_judged=sets[1].of(names).n_votes,
        n_common=sets[2].of(names).n_votes,
        n_questions=asked,
        alpha=float(alpha),
    )


def _cells(votes: Votes) -> NDArray[np.object_]:
    """Return the question and pair of every vote, by names."""
    names = np.array(votes.systems, dtype=object)
    places = np.argsort(np.argsort(votes.systems))
    turned = places[votes.left] > places[votes.right]
    first, second = np.where(turned, votes.right, votes.left), np.where(turned, votes.left, votes.right)
    question = np.array(votes.names["question"], dtype=object)[votes.units["question"]]
    return np.asarray(question + "\t" + names[first] + "\t" + names[second])


def _bounded(sets: Sequence[Votes]) -> list[str]:
    """Return the systems that have strengths by all sets of votes among these systems alone."""
    names: list[str] = []
    while True:
        cores = []
        for votes in sets:
            inner = votes.of(names) if names else votes
            groups = inner.grouped() if len(inner.share) else ()
            if not groups:
                raise EstimationError("no two systems have strengths by people and by the judge")
            cores.append(bradley_terry(inner.of(groups[0]), clusters=[]).systems)
        common = [name for name in cores[0] if all(name in core for core in cores)]
        if len(common) < _FEWEST:
            raise EstimationError("no two systems have strengths by people and by the judge")
        if all(len(core) == len(common) for core in cores):
            return common
        names = common


def _influences(votes: Votes, questions: pd.Index) -> tuple[Floats, Floats]:
    """Return strengths, and what every question adds to their errors, (question, system)."""
    fit = fit_votes(vote_cells(votes, davidson=False))
    none = np.empty((len(votes.share), 0))
    single = VoteCells(votes.left, votes.right, votes.share, votes.weight, none, len(votes.systems), davidson=False)
    moments = moments_of(single, fit.parameters)
    question = questions.get_indexer(pd.Index(votes.names["question"]))[votes.units["question"]]
    extra = extra_scores(single, moments, single.weight)
    scores = scores_by(single, single.weight * moments.residual, extra, question, len(questions))
    return fit.parameters, scores @ fit.bread
