"""Do intervals of judges' weights and sides hold, and do weighted votes find the pairs of people? The answers.

    python benchmarks/studies/judge_weights.py coverage
    python benchmarks/studies/judge_weights.py pairs DATA

`coverage` simulates arenas whose questions shift every system; what is to be held are the weights and sides of an arena
with very many questions. `pairs` takes the folder of public data: halves of the voters or questions of an arena against
the other half, and votes made of the SummEval scores of six judges against those of three experts on other documents.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval import read_votes
from metaeval.errors import MetaevalError
from metaeval.models import BradleyTerry, bradley_terry, judge_weights
from metaeval.table.vote_set import Votes
from metaeval.table.votes import as_votes

SETTINGS = ((6, 100, 5, 4, 0.5), (6, 30, 3, 8, 0.5), (10, 200, 10, 3, 0.5), (5, 13, 4, 30, 0.5))
"""Systems, questions, judges, votes of a judge on a question, and spread of what a question adds to a system."""
N_ARENAS, N_LARGE, N_SPLITS, N_VOTES = 400, 2_000_000, 20, 500


def arena(setting: tuple[int, int, int, int, float], n_questions: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw the votes of an arena."""
    n_systems, _, n_judges, each, spread = setting
    n_votes = n_questions * n_judges * each
    question = np.repeat(np.arange(n_questions), n_judges * each)
    judge = np.tile(np.repeat(np.arange(n_judges), each), n_questions)
    left = rng.integers(0, n_systems, n_votes)
    right = (left + rng.integers(1, n_systems, n_votes)) % n_systems
    strengths = np.linspace(-1, 1, n_systems) + spread * rng.standard_normal((n_questions, n_systems))
    weight, side = np.exp(np.linspace(-0.5, 0.5, n_judges)), np.linspace(-0.1, 0.1, n_judges)
    odds = weight[judge] * (strengths[question, left] - strengths[question, right]) + side[judge]
    winner = np.where(rng.random(n_votes) < 1 / (1 + np.exp(-odds)), "left", "right").astype(object)
    winner[rng.random(n_votes) < 0.1] = "tie"
    names = np.array([f"s{number}" for number in range(max(n_systems, n_judges))], dtype=object)
    frame = {"left": names[left], "right": names[right], "winner": winner, "voter": names[judge]}
    return pd.DataFrame(frame | {"question": question.astype(str)})


def coverage() -> None:
    """Print how often the intervals hold the weights and sides of a very large arena, with errors over arenas."""
    print("| systems | questions | judges | votes each | weight | s.e. | below | above | side | s.e. | below | above | away |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for setting in SETTINGS:
        _, n_questions, n_judges, each, _ = setting
        large = arena(setting, N_LARGE // (n_judges * each), np.random.default_rng(10_000))
        truth = judge_weights(large).table.set_index("judge")
        rows, away = [], 0
        for seed in range(N_ARENAS):
            table = judge_weights(arena(setting, n_questions, np.random.default_rng(seed))).table.set_index("judge")
            away += int(table["weight"].isna().sum())
            table = table[table["weight"].notna() & truth["weight"].reindex(table.index).notna()]
            logs = np.log(truth.loc[table.index, "weight"])
            shift = float((np.log(table["weight"]) - logs).mean())  # the mean of those kept in both
            logs += shift if len(table) < n_judges else 0.0
            side = truth.loc[table.index, "side"]
            misses = (logs < np.log(table["low"]), logs > np.log(table["high"]))
            misses += (side < table["side_low"], side > table["side_high"])
            rows.append(np.stack(misses, axis=1))
        below, above, left, right = np.concatenate(rows).mean(axis=0)
        held = np.array([[1 - misses[:, :2].sum() / len(misses), 1 - misses[:, 2:].sum() / len(misses)] for misses in rows])
        weight_error, side_error = held.std(axis=0, ddof=1) / len(held) ** 0.5
        cells = (1 - below - above, weight_error, below, above, 1 - left - right, side_error, left, right)
        numbers = " | ".join(f"{cell:.3f}" for cell in cells)
        print(f"| {' | '.join(map(str, setting[:4]))} | {numbers} | {away / N_ARENAS / n_judges:.3f} |", flush=True)


def f1(people: BradleyTerry, judges: BradleyTerry) -> float:
    """Return F1 of the pairs that t tests at .05 settle, those of opposite direction being wrong."""
    sides = []
    for fitted in (people, judges):
        data = fitted.comparison("none").data
        signs = (np.sign(data["difference"]) * data["significant"]).to_numpy()[0]
        pairs = zip(data["system_a"].to_numpy(), data["system_b"].to_numpy(), signs, strict=True)
        sides.append({(a, b) if a < b else (b, a): sign if a < b else -sign for a, b, sign in pairs})
    both = [(sides[0][pair], sides[1][pair]) for pair in sides[0].keys() & sides[1].keys()]
    right = sum(one == other != 0 for one, other in both)
    return 2 * right / max(sum(int(sign != 0) for pair in both for sign in pair), 1)


def _row(name: str, splits: list[tuple[Votes, Votes]]) -> None:
    rows = []
    for people, judges in splits:
        try:
            weighted = judge_weights(judges).strengths
        except MetaevalError as error:
            print(name, error)
            continue
        truth = bradley_terry(people, clusters=["question"])
        equal = bradley_terry(judges, clusters=["question"])
        rows.append((f1(truth, weighted), f1(truth, equal)))
    found = np.array(rows)
    error = (found[:, 0] - found[:, 1]).std(ddof=1) / len(found) ** 0.5
    print(f"| {name} | {len(found)} | {found[:, 0].mean():.3f} | {found[:, 1].mean():.3f} | {error:.3f} |", flush=True)


def pairs(data: Path) -> None:
    """Print F1 of the significant pairs of weighted and of equal votes, against people on other votes."""
    print("| votes | splits | weighted | equal | standard error of the difference |\n|---|---|---|---|---|")
    llmfao = read_votes(data / "votes/llmfao.csv.gz")
    for unit in ("voter", "question"):
        splits = []
        for seed in range(N_SPLITS):
            chosen = np.random.default_rng(seed).permutation(llmfao.n_units(unit))[: llmfao.n_units(unit) // 2]
            half = np.isin(llmfao.units[unit], chosen)
            splits.append((llmfao.where(~half), llmfao.where(half)))
        _row(f"llmfao, halves of the {unit}s", splits)
    with gzip.open(data / "alt-test/summeval_judges.csv.gz", "rt") as file:
        scores = pd.read_csv(file)
    person = scores["judge"].str.startswith("human")
    for dimension in sorted(scores["dim"].unique()):
        splits = []
        for seed in range(N_SPLITS):
            rng, of_dimension = np.random.default_rng(seed), scores["dim"] == dimension
            half = scores["doc"].isin(rng.permutation(np.sort(scores["doc"].unique()))[:50]) & of_dimension
            judged, human = scores[half & ~person], scores[~half & of_dimension & person]
            splits.append((_votes_of(human, 3 * N_VOTES, rng), _votes_of(judged, N_VOTES, rng)))
        _row(f"SummEval, {dimension}", splits)


def _votes_of(scores: pd.DataFrame, n_votes: int, rng: np.random.Generator) -> Votes:
    """Return votes of every judge on random pairs of systems, by which has the higher score."""
    frames = []
    for judge, rows in scores.groupby("judge"):
        wide = rows.pivot_table(index="doc", columns="system", values="score")
        document, left = rng.integers(0, len(wide), n_votes), rng.integers(0, wide.shape[1], n_votes)
        right = (left + rng.integers(1, wide.shape[1], n_votes)) % wide.shape[1]
        sign = np.sign(wide.to_numpy()[document, left] - wide.to_numpy()[document, right])
        winner = np.select([sign > 0, sign < 0], ["left", "right"], default="tie")
        systems, documents = wide.columns.to_numpy(), wide.index.to_numpy()
        frame = {"left": systems[left], "right": systems[right], "winner": winner, "question": documents[document]}
        frames.append(pd.DataFrame(frame | {"voter": judge}))
    return as_votes(pd.concat(frames))


if __name__ == "__main__":
    pairs(Path(sys.argv[2])) if sys.argv[1] == "pairs" else coverage()
