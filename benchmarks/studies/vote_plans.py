"""Do planned votes settle as many pairs as said? Arenas with known strengths, and real votes as the population.

From the votes at hand the chance of every open pair to be settled with m times the votes is taken, and the votes with
which .75 of the pairs should be settled; then as many more votes are drawn, on new questions by new voters, and the
ranks say what is settled. Real votes are drawn with replacement, and no question or voter counts.

    python benchmarks/studies/vote_plans.py [--arenas 40]   # writes benchmarks/reports/vote_plans.md
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from metaeval.models import bradley_terry
from metaeval.models.vote_ranks import vote_ranks
from metaeval.models.votes_needed import vote_plan

REPORT = Path(__file__).parents[1] / "reports" / "vote_plans.md"
SHARE, DRAWS, MOST = 0.75, 2000, 30.0
TIMES = (1.7, 4.0, 10.0)
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
type Floats = NDArray[np.float64]


class Setting(NamedTuple):
    """An arena: spread of its strengths, sizes, and the effects of question and voter."""

    strengths: str
    n_systems: int
    n_questions: int
    n_voters: int
    n_votes: int
    by_question: float
    by_voter: float


SETTINGS = {
    "normal": Setting("normal", 10, 60, 60, 1200, 0.8, 0.4),
    "pairs of neighbours": Setting("pairs", 10, 400, 60, 2000, 0.8, 0.4),
    "long tail": Setting("long tail", 20, 300, 300, 3000, 0.8, 0.0),
    "few votes": Setting("normal", 8, 50, 40, 300, 0.8, 0.4),
    "independent": Setting("normal", 12, 500, 500, 800, 0.0, 0.0),
    "close": Setting("close", 8, 1000, 1000, 1500, 0.4, 0.2),
    "evenly spread": Setting("even", 8, 50, 40, 1000, 0.8, 0.4),
}


def strengths_of(kind: str, n: int, rng: np.random.Generator) -> Floats:
    """Draw strengths; those evenly spread are quantiles of the normal law."""
    if kind == "even":
        return np.asarray(0.6 * ndtri((np.arange(n) + 0.5) / n))
    if kind == "pairs":
        return np.repeat(rng.normal(0.0, 0.6, n // 2), 2) + rng.normal(0.0, 0.1, n)
    return (
        0.56 * rng.exponential(size=n) if kind == "long tail" else rng.normal(0.0, 0.25 if kind == "close" else 0.6, n)
    )


def votes_of(setting: Setting, strengths: Floats, times: float, rng: np.random.Generator, tag: str) -> pd.DataFrame:
    """Draw so many times the votes of a setting, a fifth of them ties, on questions and by voters of their own."""
    k = len(strengths)
    n_questions, n_voters, n = (max(1, round(one * times)) for one in setting[2:5])
    questions = strengths + rng.normal(0.0, setting.by_question, (n_questions, k))
    voters = rng.normal(0.0, setting.by_voter, (n_voters, k))
    left, question, voter = (rng.integers(0, one, n) for one in (k, n_questions, n_voters))
    right = (left + rng.integers(1, k, n)) % k
    odds = questions[question, left] - questions[question, right] + voters[voter, left] - voters[voter, right]
    won = np.where(rng.random(n) < 1.0 / (1.0 + np.exp(-odds)), "left", "right")
    named = {"question": [f"{tag}{one}" for one in question], "voter": [f"{tag}{one}" for one in voter]}
    return pd.DataFrame(
        {"left": left.astype(str), "right": right.astype(str), "winner": np.where(rng.random(n) < 0.2, "tie", won)}
        | named
    )


def planned(first, more, clusters) -> tuple[pd.DataFrame, list[float]]:  # noqa: ANN001 - votes, what draws them, None or []
    """Return every open pair's chance and outcome, and the share settled before and with the votes planned."""
    fitted = bradley_terry(first, clusters=clusters)
    plan = vote_plan(fitted, vote_ranks(fitted, n_draws=DRAWS, rng=0))
    open_ones, rows = ~plan.evidence.decided, []

    def settled(times: float) -> NDArray[np.bool_]:
        every = pd.concat([first, more(times - 1.0)], ignore_index=True)
        ranks = vote_ranks(bradley_terry(every, clusters=clusters), n_draws=DRAWS, rng=0)
        return np.asarray(ranks.data["significant"].to_numpy()[0])

    for times in TIMES:
        chance = plan.evidence.chance(np.full(len(open_ones), times))
        rows.append(pd.DataFrame({"said": chance[open_ones], "settled": settled(times)[open_ones]}))
    times = min(plan.votes_for_share(SHARE) / len(first), MOST)
    reached = settled(times).mean() if times > 1.0 else np.nan
    return pd.concat(rows), [1.0 - open_ones.mean(), times, reached]


def arenas(name: str, n_arenas: int) -> tuple[pd.DataFrame, Floats]:
    """Plan in the arenas of a setting."""
    pairs, shares = [], []
    for seed in range(n_arenas):
        rng = np.random.default_rng([seed, len(name)])
        strengths = strengths_of(SETTINGS[name].strengths, SETTINGS[name].n_systems, rng)
        first = votes_of(SETTINGS[name], strengths, 1.0, rng, "a")
        draw = np.random.default_rng([seed, 1])
        found = planned(first, lambda times: votes_of(SETTINGS[name], strengths, times, draw, "b"), None)  # noqa: B023
        pairs.append(found[0])
        shares.append(found[1])
    return pd.concat(pairs), np.array(shares)


def real(path: Path, n_systems: int, n_votes: int, n_arenas: int) -> tuple[pd.DataFrame, Floats]:
    """Plan in samples of real votes on some systems."""
    every = pd.read_csv(path)[["left", "right", "winner"]]
    every["winner"] = every["winner"].where(every["winner"].isin(["left", "right"]), "tie")
    pairs, shares = [], []
    for seed in range(n_arenas):
        rng = np.random.default_rng(seed)
        names = rng.choice(sorted({*every["left"], *every["right"]}), n_systems, replace=False)
        own = every[every["left"].isin(names) & every["right"].isin(names)]
        draw = lambda times: own.iloc[rng.integers(0, len(own), round(n_votes * times))]  # noqa: B023, E731
        found = planned(draw(1.0), draw, [])
        pairs.append(found[0])
        shares.append(found[1])
    return pd.concat(pairs), np.array(shares)


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arenas", type=int, default=40)
    options = parser.parse_args()
    found = {name: arenas(name, options.arenas) for name in SETTINGS}
    path = options.folder / "votes" / "llmfao.csv.gz"
    found["real, 12 systems"] = real(path, 12, 1000, options.arenas // 2)
    found["real, 30 systems"] = real(path, 30, 3000, options.arenas // 2)
    lines = [__doc__.split("\n\n")[0], "", __doc__.split("\n\n")[1], ""]
    made = f"{options.arenas} arenas a row, half as many samples of real votes; {MOST:g} times the votes at most."
    lines[0] = f"# Planned votes\n\n{lines[0]} {made}"
    lines += [f"| arenas | settled before | votes planned for {SHARE} | settled with them | rms from {SHARE} |"]
    lines += ["|---|---|---|---|---|"]
    for name, (_, shares) in found.items():
        asked = shares[np.isfinite(shares[:, 2])]
        error = asked[:, 2].std(ddof=1) / np.sqrt(len(asked))
        off = np.sqrt(np.mean((asked[:, 2] - SHARE) ** 2))
        cells = (
            f"{asked[:, 0].mean():.2f} | {np.median(asked[:, 1]):.1f} times | {asked[:, 2].mean():.3f} ({error:.3f})"
        )
        lines.append(f"| {name} | {cells} | {off:.3f} |")
    lines += [
        "",
        f"Open pairs with {', '.join(f'{one:g}' for one in TIMES)} times the votes: what was said, and what came.",
        "",
    ]
    lines += ["| chance | pairs | said | settled |", "|---|---|---|---|"]
    pairs = pd.concat([one for one, _ in found.values()])
    for place, part in pairs.groupby(pd.cut(pairs["said"], EDGES, include_lowest=True), observed=True):
        lines.append(f"| {place} | {len(part)} | {part['said'].mean():.3f} | {part['settled'].mean():.3f} |")
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
