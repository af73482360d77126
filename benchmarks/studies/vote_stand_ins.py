"""How often a judge is cleared on votes: a copy of the people's law beside the chance that the page gives, and others.

Arenas of `metaeval.simulate.simulate_votes`: 8 systems, 100 questions and 40 voters, a tie in 10 %. A copy votes by the
same law on questions and voters of its own. The others vote for the left in 87 %, or at random, in 10 of the arenas.

    python benchmarks/studies/vote_stand_ins.py > benchmarks/reports/vote-stand-ins.md
"""

import warnings

import numpy as np
import pandas as pd

from metaeval.models.settling import settled_pairs
from metaeval.models.vote_stand_ins import stand_ins, strengths_at_no_side
from metaeval.simulate import simulate_votes
from metaeval.table.votes import as_votes

SETTINGS = ((0.6, 2000, 60), (1.5, 2000, 30))
_WITH_OTHERS = 10


def main() -> None:
    """Print a row a setting."""
    print("# Judges on votes: cleared or turned away\n")
    print("By `python benchmarks/studies/vote_stand_ins.py`: margin 5 %, α = .05; the others in 10 arenas.\n")
    print("| arenas | spread of strengths | votes | pairs settled | copy cleared | chance on the page | copy turned away |", end="")
    print(" 87 % left turned away | random turned away |")
    print("|---|---|---|---|---|---|---|---|---|")
    for spread, n_votes, n_arenas in SETTINGS:
        arenas = [verdicts_of(spread, n_votes, arena) for arena in range(n_arenas)]
        frame = pd.concat(arenas).set_index("judge")
        is_may, may_not = (frame["verdict"] == word for word in ("may", "may not"))
        figures = [is_may["copy"].mean(), frame.loc["copy", "cleared_if_equal"].mean()]
        figures += [may_not[name].mean() for name in ("copy", "left", "random")]
        written = " | ".join(f"{figure:.2f}" for figure in figures)
        print(f"| {n_arenas} | {spread} | {n_votes} | {frame['n_pairs'].mean():.1f} of 28 | {written} |", flush=True)


def verdicts_of(spread: float, n_votes: int, arena: int) -> pd.DataFrame:
    """Return the verdicts on one arena."""
    seed = 10 * arena
    made = {"n_systems": 8, "n_questions": 100, "n_votes": n_votes, "spread": spread, "ties": 0.1}
    people, copy = (simulate_votes(**made, rng=seed + draw) for draw in range(2))
    generator = np.random.default_rng(seed)
    sided = {
        name: copy.assign(winner=np.where(generator.random(n_votes) < share, "left", "right"))
        for name, share in (("left", 0.87), ("random", 0.5))
        if arena < _WITH_OTHERS
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        votes = {name: as_votes(frame) for name, frame in ({"people": people, "copy": copy} | sided).items()}
        fitted = {name: strengths_at_no_side(ballots, ties="half", alpha=0.05) for name, ballots in votes.items()}
        return stand_ins(fitted, votes, settled_pairs(fitted, rng=seed), alpha=0.05, seed=seed)


if __name__ == "__main__":
    main()
