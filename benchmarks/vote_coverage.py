"""Do intervals from votes hold their level? Arenas with known strengths, and independent errors beside them.

An arena has systems whose strengths vary with the question and the voter, so that the true log odds of a pair are those
of the mean vote: the strengths to which the model tends with ever more questions and voters. An interval of a
difference holds its true value, or not; the ranks of an arena hold if all true ranks lie inside.

    python benchmarks/vote_coverage.py            # writes benchmarks/reports/vote_coverage.md
    python benchmarks/vote_coverage.py --quick    # a twentieth of the arenas, to standard output
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from metaeval.models import bradley_terry
from metaeval.resampling import rank_intervals_from_covariance
from metaeval.simulate import simulate_votes

REPORT = Path(__file__).parent / "reports" / "vote_coverage.md"
ARENAS, SYSTEMS, SPREAD, TIES, DRAWS, KNOWN = 400, 8, 0.6, 0.2, 4000, 1e6
SETTINGS = (
    # questions, voters, votes, effect of the question, effect of the voter
    (13, 40, 1500, 0.8, 0.4),
    (13, 124, 9000, 0.8, 0.3),
    (50, 40, 2000, 0.8, 0.4),
    (50, 12, 2000, 0.8, 0.8),
    (50, 2000, 3000, 0.8, 0.0),
    (500, 60, 4000, 0.8, 0.4),
    (50, 40, 2000, 0.0, 0.0),
)
type Floats = NDArray[np.float64]


def true_strengths(by_question: float, by_voter: float) -> Floats:
    """Return the strengths to which the model tends: those of the mean votes on all pairs."""
    strengths = SPREAD * ndtri((np.arange(SYSTEMS) + 0.5) / SYSTEMS)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    apart = (strengths[:, None] - strengths)[..., None] + np.sqrt(2 * (by_question**2 + by_voter**2)) * nodes
    shares = TIES / 2 + (1 - TIES) * (1 / (1 + np.exp(-apart))) @ (weights / weights.sum())
    found = np.zeros(SYSTEMS)
    for _ in range(50):
        expected = 1 / (1 + np.exp(found - found[:, None]))
        weight = expected * (1 - expected)
        np.fill_diagonal(weight, 0.0)
        found += np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight) @ (shares - expected).sum(axis=1)
    return found


def row_of(setting: tuple[int, int, int, float, float], n_arenas: int) -> str:
    """Simulate the arenas of a setting, and return its row."""
    n_questions, n_voters, n_votes, by_question, by_voter = setting
    true = true_strengths(by_question, by_voter)
    upper = np.triu_indices(SYSTEMS, 1)
    apart, ranks = (true[:, None] - true)[upper], 1 + (true[:, None] < true - 1e-9).sum(axis=1)
    held = []
    for seed in range(n_arenas):
        votes = simulate_votes(
            n_systems=SYSTEMS,
            n_questions=n_questions,
            n_voters=n_voters,
            n_votes=n_votes,
            spread=SPREAD,
            by_question=by_question,
            by_voter=by_voter,
            ties=TIES,
            rng=seed,
        )
        fitted, own = bradley_terry(votes), []
        alone = fitted.independent.covariance[:SYSTEMS, :SYSTEMS]
        for independent, covariance in ((False, fitted.covariance), (True, alone)):
            data = fitted.comparison(independent=independent).data
            freedom, error, difference = (
                data[name].to_numpy()[0] for name in ("degrees_of_freedom", "standard_error", "difference")
            )
            own.append((np.abs(difference - apart) <= stdtrit(freedom, 0.975) * error).mean())
            found = rank_intervals_from_covariance(
                fitted.strengths,
                covariance,
                freedom=KNOWN if independent else float(np.median(freedom)),
                n_draws=DRAWS,
                rng=0,
            ).data
            low, high = (found[name].to_numpy()[0] for name in ("rank_low", "rank_high"))
            own.append(((low <= ranks) & (ranks <= high)).all())
        held.append(own)
    shares = [f"{one:.3f}" for one in np.mean(held, axis=0)]
    first = [*map(str, setting[:3]), f"{by_question:g}", f"{by_voter:g}"]
    return f"| {' | '.join([*first, shares[0], shares[2], shares[1], shares[3]])} |"


def main() -> None:
    """Write the report, or show a small one."""
    parser = argparse.ArgumentParser(description="Coverage of intervals from votes.")
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    n_arenas = ARENAS // 20 if quick else ARENAS
    rows = [row_of(setting, n_arenas) for setting in SETTINGS]
    text = f"""# Coverage of intervals from votes

Made by `python benchmarks/vote_coverage.py`. {n_arenas} arenas a row with {SYSTEMS} systems, a fifth of the votes ties,
nominal level 95%. "Difference": share of the intervals of differences of strengths that hold the true one. "All ranks":
share of the arenas in which every system's interval holds its true rank. Beside each stands the same with every vote
taken for independent, as peers do. The last row has neither questions nor voters that matter.

| questions | voters | votes | by question | by voter | difference | independent | all ranks | independent |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
{chr(10).join(rows)}
"""
    if quick:
        sys.stdout.write(text)
    else:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
