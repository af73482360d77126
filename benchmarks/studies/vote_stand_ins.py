"""How often a judge is cleared on votes: a copy of the people's law beside the chance that the page gives, and others.

Arenas of 8 systems, 100 questions and 40 voters, a tie in 10 %, whose true strengths are drawn anew from a normal law, or
are its evenly spread quantiles in all of them. A copy votes by the same law on questions and voters of its own. The
others vote for the left in 87 %, or at random, in 10 of the arenas.

    python benchmarks/studies/vote_stand_ins.py > benchmarks/reports/vote-stand-ins.md
"""

import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtri

from metaeval.models.settling import settled_pairs
from metaeval.models.vote_stand_ins import stand_ins, strengths_at_no_side
from metaeval.table.votes import as_votes


class Setting(NamedTuple):
    """True strengths, by the standard deviation of their law, and how often people vote."""

    spread: float
    n_arenas: int
    even: bool = False
    n_votes: int = 2000


SETTINGS = (Setting(0.6, 80), Setting(1.5, 80), Setting(3.0, 80), Setting(0.6, 60, even=True), Setting(1.5, 60, even=True))
N_SYSTEMS, N_QUESTIONS, N_VOTERS, TIES = 8, 100, 40, 0.1
BY_QUESTION, BY_VOTER = 0.8, 0.4
_WITH_OTHERS = 10
HEAD = """# Judges on votes: cleared or turned away

By `python benchmarks/studies/vote_stand_ins.py`: margin 5 %, α = .05; the others in 10 arenas. The standard error is
that of "copy cleared" less "chance on the page", over arenas.

| strengths | spread | arenas | pairs settled | copy cleared | chance on the page | s.e. | copy turned away | 87 % left turned away | random turned away |
|---|---|---|---|---|---|---|---|---|---|"""


def main() -> None:
    """Print a row a setting."""
    print(HEAD)
    for setting in SETTINGS:
        print(row_of(setting), flush=True)


def row_of(setting: Setting) -> str:
    """Return the row of a setting, without arenas in which people settle no pair."""
    arenas = [verdicts_of(setting, arena) for arena in range(setting.n_arenas)]
    frame = pd.concat(arenas).set_index("judge")
    copies = frame.loc["copy"]
    copies = copies[copies["n_pairs"] > 0]
    cleared, chance = (copies["verdict"] == "may").to_numpy(), copies["cleared_if_equal"].to_numpy()
    error = (cleared - chance).std(ddof=1) / len(copies) ** 0.5
    turned = [float((frame.loc[name, "verdict"] == "may not").mean()) for name in ("copy", "left", "random")]
    written = " | ".join(f"{figure:.2f}" for figure in (cleared.mean(), chance.mean(), error, *turned))
    kind = "evenly spread" if setting.even else "drawn anew"
    return f"| {kind} | {setting.spread} | {len(copies)} | {copies['n_pairs'].mean():.1f} of 28 | {written} |"


def arena_of(strengths: np.ndarray, n_votes: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw votes by the law of `metaeval.simulate.simulate_votes`, but for these strengths."""
    by_question = strengths + BY_QUESTION * rng.standard_normal((N_QUESTIONS, N_SYSTEMS))
    by_voter = BY_VOTER * rng.standard_normal((N_VOTERS, N_SYSTEMS))
    left = rng.integers(0, N_SYSTEMS, n_votes)
    right = (left + rng.integers(1, N_SYSTEMS, n_votes)) % N_SYSTEMS
    question, voter = rng.integers(0, N_QUESTIONS, n_votes), rng.integers(0, N_VOTERS, n_votes)
    worth = by_question[question].T + by_voter[voter].T
    votes = np.arange(n_votes)
    won = rng.random(n_votes) < 1 / (1 + np.exp(worth[right, votes] - worth[left, votes]))
    winner = np.where(rng.random(n_votes) < TIES, "tie", np.where(won, "left", "right"))
    names = {"left": left, "right": right, "question": question, "voter": voter}
    return pd.DataFrame({name: values.astype(str) for name, values in names.items()} | {"winner": winner})


def verdicts_of(setting: Setting, arena: int) -> pd.DataFrame:
    """Return the verdicts on one arena."""
    rng = np.random.default_rng([60, arena])
    quantiles = ndtri((np.arange(N_SYSTEMS) + 0.5) / N_SYSTEMS)
    strengths = setting.spread * (quantiles if setting.even else rng.standard_normal(N_SYSTEMS))
    people, copy = (arena_of(strengths, setting.n_votes, rng) for _ in range(2))
    sided = {
        name: copy.assign(winner=np.where(rng.random(setting.n_votes) < share, "left", "right"))
        for name, share in (("left", 0.87), ("random", 0.5))
        if arena < _WITH_OTHERS
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        votes = {name: as_votes(frame) for name, frame in ({"people": people, "copy": copy} | sided).items()}
        fitted = {name: strengths_at_no_side(ballots, ties="half", alpha=0.05) for name, ballots in votes.items()}
        return stand_ins(fitted, votes, settled_pairs(fitted, rng=arena), alpha=0.05, seed=arena)


if __name__ == "__main__":
    main()
