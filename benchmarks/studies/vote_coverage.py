"""Do intervals from votes hold their level? Arenas with known strengths, and independent errors beside them.

An arena has systems whose strengths vary with the question and the voter, so that the true log odds of a pair are those
of the mean vote: the strengths to which the model tends with ever more questions and voters. An interval of a
difference holds its true value, or not; the ranks of an arena hold if all true ranks lie inside.

    python benchmarks/studies/vote_coverage.py            # writes benchmarks/reports/vote_coverage.md
    python benchmarks/studies/vote_coverage.py --quick    # a twentieth of the arenas, to standard output
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from metaeval.models import bradley_terry
from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.vote_strengths import BradleyTerry
from metaeval.simulate import simulate_votes

REPORT = Path(__file__).parents[1] / "reports" / "vote_coverage.md"
ARENAS, SPREAD, TIES, DRAWS = 400, 0.6, 0.2, 4000
SETTINGS = (
    # systems, questions, voters, votes, effects of question and voter, spreads of the log of votes and of strengths
    (8, 13, 40, 1500, 0.8, 0.4, 0, SPREAD),
    (8, 13, 124, 9000, 0.8, 0.3, 0, SPREAD),
    (8, 50, 40, 2000, 0.8, 0.4, 0, SPREAD),
    (8, 50, 12, 2000, 0.8, 0.8, 0, SPREAD),
    (8, 50, 2000, 3000, 0.8, 0.0, 0, SPREAD),
    (8, 500, 60, 4000, 0.8, 0.4, 0, SPREAD),
    (8, 3, 40, 400, 0.8, 0.4, 0, SPREAD),
    (8, 13, 40, 600, 0.8, 0.4, 2, SPREAD),
    (30, 13, 124, 3000, 0.8, 0.4, 1, SPREAD),
    (30, 13, 124, 5000, 0.8, 0.4, 2, SPREAD),
    (8, 50, 40, 2000, 0.0, 0.0, 0, SPREAD),
    (8, 13, 40, 1500, 0.8, 0.4, 0, 0),
    (30, 13, 124, 3000, 0.8, 0.4, 1, 0),
    (30, 13, 124, 5000, 0.8, 0.4, 2, 0),
)
COLUMNS = (
    *("systems", "questions", "voters", "votes", "by question", "by voter", "uneven", "spread"),
    *("difference", "independent", "all ranks", "independent", "no wrong pair", "independent"),
)
NARROWER = (
    (8, 50, 40, 2000, 0.8, 0.4, 0, SPREAD),
    (8, 500, 60, 4000, 0.8, 0.4, 0, SPREAD),
    (8, 13, 40, 600, 0.8, 0.4, 2, SPREAD),
    (8, 13, 40, 1500, 0.8, 0.4, 0, 0),
    (8, 50, 40, 2000, 0.8, 0.4, 0, 0),
)
"""Settings in which narrower ranks are tried."""
LEVELS, TRIED = (0.95, 0.9, 0.85), 150
type Floats = NDArray[np.float64]
type Setting = tuple[int, int, int, int, float, float, float, float]


def true_strengths(n_systems: int, by_question: float, by_voter: float, spread: float = SPREAD) -> Floats:
    """Return the strengths to which the model tends: those of the mean votes on all pairs."""
    strengths = spread * ndtri((np.arange(n_systems) + 0.5) / n_systems)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    apart = (strengths[:, None] - strengths)[..., None] + np.sqrt(2 * (by_question**2 + by_voter**2)) * nodes
    shares = TIES / 2 + (1 - TIES) * (1 / (1 + np.exp(-apart))) @ (weights / weights.sum())
    found = np.zeros(n_systems)
    for _ in range(50):
        expected = 1 / (1 + np.exp(found - found[:, None]))
        weight = expected * (1 - expected)
        np.fill_diagonal(weight, 0.0)
        found += np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight) @ (shares - expected).sum(axis=1)
    return found


def arenas(setting: Setting, n_arenas: int) -> Iterator[tuple[BradleyTerry, Floats, NDArray[np.int64]]]:
    """Yield what is fitted to the votes of each arena, and the true strengths and ranks of its systems."""
    n_systems, n_questions, n_voters, n_votes, by_question, by_voter, uneven, spread = setting
    every = true_strengths(n_systems, by_question, by_voter, spread)
    for seed in range(n_arenas):
        votes = simulate_votes(
            n_systems=n_systems,
            n_questions=n_questions,
            n_voters=n_voters,
            n_votes=6 * n_votes if uneven else n_votes,
            spread=spread,
            by_question=by_question,
            by_voter=by_voter,
            ties=TIES,
            rng=seed,
        )
        if uneven:
            generator = np.random.default_rng(seed)
            often = np.exp(generator.normal(0, uneven, n_systems + 1))
            chance = np.prod([often[votes[side].str.slice(6).astype(int)] for side in ("left", "right")], axis=0)
            votes = votes.iloc[generator.choice(len(votes), n_votes, replace=False, p=chance / chance.sum())]
        fitted = bradley_terry(votes)
        true = every[[int(name.removeprefix("system")) - 1 for name in fitted.systems]]
        yield fitted, true, 1 + (true[:, None] < true - 1e-9).sum(axis=1)


def narrower(setting: Setting, n_arenas: int) -> str:
    """Return the row of a setting: which share of the arenas ranks at several levels hold, and their width."""
    held, width = np.empty((2, n_arenas, len(LEVELS)))
    for place, (fitted, _, ranks) in enumerate(arenas(setting, n_arenas)):
        for at, level in enumerate(LEVELS):
            found = vote_ranks(fitted, alpha=1 - level, n_draws=DRAWS, rng=0).data
            low, high = (found[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
            held[place, at], width[place, at] = ((low <= ranks) & (ranks <= high)).all(), (high - low + 1).mean()
    shares = held.mean(axis=0)
    errors = np.sqrt(shares * (1 - shares) / n_arenas)
    beside = width.mean(axis=0) / width[:, 0].mean()
    cells = [f"{share:.3f} ({error:.3f}), {of:.2f}" for share, error, of in zip(shares, errors, beside, strict=True)]
    return f"| {' | '.join([*map(str, setting[:4]), f'{setting[7]:g}', *cells])} |"


def row_of(setting: Setting, n_arenas: int) -> str:
    """Simulate the arenas of a setting, and return its row."""
    held = []
    for fitted, true, ranks in arenas(setting, n_arenas):
        own, upper = [], np.triu_indices(len(true), 1)
        apart = (true[:, None] - true)[upper]
        for independent in (False, True):
            data = fitted.comparison(independent=independent).data
            freedom, error, difference = (
                data[name].to_numpy()[0] for name in ("degrees_of_freedom", "standard_error", "difference")
            )
            own.append((np.abs(difference - apart) <= stdtrit(freedom, 0.975) * error).mean())
            found = vote_ranks(fitted, independent=independent, n_draws=DRAWS, rng=0).data
            low, high = (found[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
            own.append(((low <= ranks) & (ranks <= high)).all())
            own.append(not (found["significant"].to_numpy()[0] & (np.sign(difference) != np.sign(apart))).any())
        held.append(own)
    shares = [f"{one:.3f}" for one in np.mean(held, axis=0)]
    first = [*map(str, setting[:4]), *(f"{number:g}" for number in setting[4:])]
    return f"| {' | '.join([*first, *(shares[place] for place in (0, 3, 1, 4, 2, 5))])} |"


def narrower_ranks(n_arenas: int) -> str:
    """Return the section on ranks of lower levels."""
    rows = [narrower(setting, n_arenas) for setting in NARROWER]
    heads = [f"{level:.0%} of the draws" for level in LEVELS]
    return f"""## Narrower ranks

Bands that keep a smaller share of the draws: share of {n_arenas} arenas in which all true ranks are held (its standard
error), and width beside that of the bands of {LEVELS[0]:.0%}. Asked for: .94 to .98 at .9 of the width at most. Where
all systems are equal (spread 0) every settled pair is wrong, and bands of {LEVELS[0]:.0%} have no more than their level
to give away; where systems differ, ranks hold far more often than the level.

| systems | questions | voters | votes | spread | {" | ".join(heads)} |
|{" --- |" * (5 + len(LEVELS))}
{chr(10).join(rows)}
"""


def main() -> None:
    """Write the report, or show a small one."""
    parser = argparse.ArgumentParser(description="Coverage of intervals from votes.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--narrower", action="store_true", help="make the section on narrower ranks alone")
    given = parser.parse_args()
    quick, n_arenas = given.quick, ARENAS // 20 if given.quick else ARENAS
    below = narrower_ranks(TRIED // 20 if quick else TRIED)
    if given.narrower and not quick:
        above = REPORT.read_text("utf-8").split("\n## Narrower", 1)[0]
        REPORT.write_text(f"{above}\n{below}", encoding="utf-8")
        return
    rows = [row_of(setting, n_arenas) for setting in SETTINGS]
    text = f"""# Coverage of intervals from votes

Made by `python benchmarks/studies/vote_coverage.py`. {n_arenas} arenas a row, a fifth of the votes ties,
nominal level 95%. "Difference": share of the intervals of differences of strengths that hold the true one. "All ranks":
share of the arenas in which every system's interval holds its true rank. "No wrong pair": share of those in which no
settled pair has the wrong order. "Uneven": standard deviation of the logarithm of the systems' chances to be voted on;
systems without a bound are left out. Beside each stands the same with every vote taken for independent, as peers do.
"Spread": standard deviation of the true strengths. In the row by no question and no voter neither matters. In rows with
spread 0 all systems are equal: all ranks hold if every system may be first.

| {" | ".join(COLUMNS)} |
|{" --- |" * len(COLUMNS)}
{chr(10).join(rows)}

{below}"""
    if quick:
        sys.stdout.write(text)
    else:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
