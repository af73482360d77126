"""Simulated votes with known true strengths: systems that vary with the question, and voters who differ."""

import numpy as np
import pandas as pd

from metaeval.base.checks import check_count, check_number
from metaeval.running.draws import RNGLike, resolve_rng

_MOST = 10_000_000


def simulate_votes(  # noqa: PLR0913 - what an arena is made of
    *,
    n_systems: int = 8,
    n_questions: int = 50,
    n_voters: int = 40,
    n_votes: int = 2000,
    spread: float = 0.6,
    by_question: float = 0.8,
    by_voter: float = 0.4,
    ties: float = 0.2,
    rng: RNGLike = None,
) -> pd.DataFrame:
    r"""Simulate the votes of an arena.

    Parameters
    ----------
    n_systems, n_questions, n_voters, n_votes : int
        Size of the arena. Every vote is on two systems, a question and a voter, all drawn at random.
    spread : float, default 0.6
        Standard deviation of the true strengths, which are evenly spread normal quantiles; the last system is best.
    by_question, by_voter : float, default 0.8 and 0.4
        Standard deviation of what a question, and a voter, adds to the strength of every system.
    ties : float, default 0.2
        Chance of a tie.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    pandas.DataFrame
        left, right, winner, question, voter; ``attrs["strengths"]`` holds the true strengths by system.

    See Also
    --------
    metaeval.questions.votes.study.study_votes

    Examples
    --------
    >>> simulate_votes(n_votes=2, rng=1)
          left    right winner question voter
    0  system1  system6  right      q35   v17
    1  system2  system8    tie      q41   v14
    """
    for name, number in (("n_systems", n_systems), ("n_questions", n_questions), ("n_voters", n_voters)):
        check_count(number, name, least=2 if name == "n_systems" else 1, most=_MOST)
    check_count(n_votes, "n_votes", most=_MOST)
    for name, size in (("spread", spread), ("by_question", by_question), ("by_voter", by_voter)):
        check_number(size, name, least=0)
    check_number(ties, "ties", least=0, below=1)
    from scipy.special import ndtri  # noqa: PLC0415 - loads scipy

    generator = resolve_rng(rng).generator
    strengths = spread * ndtri((np.arange(n_systems) + 0.5) / n_systems)
    questions = strengths + by_question * generator.standard_normal((n_questions, n_systems))
    voters = by_voter * generator.standard_normal((n_voters, n_systems))
    left = generator.integers(0, n_systems, n_votes)
    right = (left + generator.integers(1, n_systems, n_votes)) % n_systems
    question, voter = generator.integers(0, n_questions, n_votes), generator.integers(0, n_voters, n_votes)
    odds = questions[question, left] - questions[question, right] + voters[voter, left] - voters[voter, right]
    won = generator.random(n_votes) < 1.0 / (1.0 + np.exp(-odds))
    tied = generator.random(n_votes) < ties
    names = np.array([f"system{number}" for number in range(1, n_systems + 1)], dtype=object)
    frame = pd.DataFrame(
        {
            "left": names[left],
            "right": names[right],
            "winner": np.where(tied, "tie", np.where(won, "left", "right")),
            "question": [f"q{number}" for number in (question + 1).tolist()],
            "voter": [f"v{number}" for number in (voter + 1).tolist()],
        }
    )
    frame.attrs["strengths"] = dict(zip(names.tolist(), strengths.tolist(), strict=True))
    return frame
