# ruff: noqa: RUF001 - Greek letters are meant for people
"""Whether evidence holds at every look, on real scores made equal, and what looking saves.

Usage: python benchmarks/studies/stopping.py DATA [--paths N] [--out FILE]

Five neighbours by their mean are drawn from a real table and made equal in one of four ways; topics are drawn one after
another, 200 of them, and one looks after every one from the tenth on. A decision on any of the ten pairs at any look is
wrong.

- exchanged: on every topic the scores are dealt out anew to the systems;
- mirrored: on every topic all scores are mirrored at their mean, or none;
- tilted: topics are drawn with the unequal chances, as even as can be, that make the five means equal: every score is
  real, and skew, ties and dependence stay;
- moved: every system is moved to the common mean, which leaves the skew, but makes ties into constant differences, as
  no real scores have them; not asked of scores of 0 and 1.

Votes: each vote of an arena that is no tie goes to either side at random.

Power: pairs with a true difference, of a real table, seen until two and a half times the size of the fixed design.
Replays: real topics and votes in 200 random orders (`metaeval stop --replay`).
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from populations import Population, populations
from scipy.optimize import minimize
from scipy.special import stdtrit

from metaeval import study_stopping
from metaeval.io.votes import read_votes
from metaeval.tests_stat.stopping import (
    Counts,
    count_units,
    log_betting_evidence,
    log_sign_evidence,
    log_t_evidence,
)

type Floats = NDArray[np.float64]

ALPHA = 0.05
NULLS = ("exchanged", "mirrored", "tilted", "moved")
TABLES = (
    *("adhoc8_ap", "adhoc7_p10", "adhoc8_rr", "web2011_ndcg20", "web2014_err20", "livebench_coding", "alpacaeval_1"),
    "web2012_ap",
)
N_SYSTEMS, N_TOPICS, FIRST_LOOK = 5, 200, 10
A_CHOICE = 50
"""Paths of one choice of systems."""
BET = 20
"""Choices of systems for the betting form, which a theorem covers."""
HORIZON = 2.5


def tilted(scores: Floats) -> Floats | None:
    """Return the chances of topics under which all means are equal, as even as can be; None if there are none."""
    apart = scores[1:] - scores[0]

    def log_sum(slopes: Floats) -> tuple[float, Floats]:
        exponent = slopes @ apart
        weights = np.exp(exponent - exponent.max())
        return float(np.log(weights.sum()) + exponent.max()), apart @ weights / weights.sum()

    found = minimize(log_sum, np.zeros(len(apart)), jac=True)
    exponent = found.x @ apart
    chances = np.exp(exponent - exponent.max())
    chances /= chances.sum()
    return chances if np.abs(apart @ chances).max() < 1e-5 else None


def null_paths(table: Population, null: str, n_paths: int) -> Iterator[Floats]:
    """Yield scores (path, system, topic) of systems made equal, one choice of systems at a time."""
    generator = np.random.default_rng([crc32(table.name.encode()), NULLS.index(null)])
    order = np.argsort(table.scores.mean(axis=1), kind="stable")
    done = 0
    while done < n_paths:
        start = generator.integers(0, len(order) - N_SYSTEMS + 1)
        chosen = table.scores[order[start : start + N_SYSTEMS]]
        chances = tilted(chosen) if null == "tilted" else None
        if null == "tilted" and chances is None:
            continue
        if null == "moved":
            chosen = chosen - chosen.mean(axis=1, keepdims=True) + chosen.mean()
        seen = chosen[:, generator.choice(chosen.shape[1], (A_CHOICE, N_TOPICS), p=chances)].transpose(1, 0, 2)
        if null == "exchanged":
            seen = generator.permuted(seen, axis=1)
        elif null == "mirrored":
            middle = seen.mean(axis=1, keepdims=True)
            seen = middle + generator.choice([-1.0, 1.0], (A_CHOICE, 1, N_TOPICS)) * (seen - middle)
        done += A_CHOICE
        yield seen


def wrong(table: Population, null: str, n_paths: int) -> dict[str, object]:
    """Return how often any pair, and one pair, is ever decided, by form of evidence."""
    first, second = np.triu_indices(N_SYSTEMS, 1)
    looks = np.arange(FIRST_LOOK, N_TOPICS + 1)
    plain = bool(np.isin(table.scores, (0.0, 1.0)).all())
    forms = ("sign", "t") if plain else ("t", "betting")
    scale = max(1.0, float(table.scores.max()))
    found: dict[str, list[tuple[float, float]]] = {form: [] for form in forms}
    for number, seen in enumerate(null_paths(table, null, n_paths)):
        differences = (seen[:, first] - seen[:, second]) / scale
        differences[np.abs(differences) < 1e-12] = 0.0
        counts = count_units(differences.reshape(-1, N_TOPICS), looks)
        for form in forms:
            if form == "betting" and number >= BET:
                continue
            if form == "betting":
                evidence = log_betting_evidence(differences.reshape(-1, N_TOPICS), looks, alpha=ALPHA)
            else:
                evidence = {"t": log_t_evidence, "sign": log_sign_evidence}[form](counts)
            highest = evidence.max(axis=1).reshape(len(seen), -1)
            of_any = (highest.max(axis=1) >= np.log(len(first) / ALPHA)).mean()  # Holm's first step
            found[form].append((float(of_any), float((highest >= -np.log(ALPHA)).mean())))
    figures = {
        f"{form} {what}": (float(np.mean(column)), float(np.std(column, ddof=1) / np.sqrt(len(column))))
        for form in forms
        for what, column in zip(("any", "one"), np.transpose(found[form]), strict=True)
    }
    return {"table": table.name, "null": null, "paths": n_paths} | figures


def wrong_votes(path: Path, n_paths: int) -> dict[str, object]:
    """Return the same of an arena whose pairs are equal: each vote that is no tie goes to a side at random."""
    votes = read_votes([path])
    generator = np.random.default_rng(crc32(path.name.encode()))
    n = len(votes.systems)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    pair = np.unique(low * n + high, return_inverse=True)[1]
    by_pair = np.argsort(pair, kind="stable")
    starts = np.searchsorted(pair[by_pair], np.arange(int(pair.max()) + 1))
    votes_before = np.repeat(starts, np.diff(starts, append=len(pair)))
    tied = (votes.share == 0.5)[by_pair]
    nothing = np.zeros(len(pair))
    any_pair, one_pair = [], []
    for _ in range(n_paths):
        sides = np.where(tied, 0.0, generator.choice([-1.0, 1.0], len(pair)))
        sums = [np.append(0.0, np.cumsum(sides == side)) for side in (1.0, -1.0)]
        wins, losses = (so_far[1:] - so_far[votes_before] for so_far in sums)
        evidence = log_sign_evidence(Counts(nothing, nothing, nothing, wins, losses))
        highest = np.maximum.reduceat(evidence, starts)
        any_pair.append(highest.max() >= np.log(len(starts) / ALPHA))
        one_pair.append((highest >= -np.log(ALPHA)).mean())
    figures = {
        f"sign {what}": (float(np.mean(column)), float(np.std(column, ddof=1) / np.sqrt(len(column))))
        for what, column in (("any", any_pair), ("one", one_pair))
    }
    return {"table": path.name.partition(".")[0], "null": "sides at random", "paths": n_paths} | figures


def power(table: Population, n_pairs: int) -> dict[str, float | str]:
    """Return what share of true differences is found until the horizon, and the median size over the fixed one."""
    generator = np.random.default_rng([crc32(table.name.encode()), 9])
    plain = bool(np.isin(table.scores, (0.0, 1.0)).all())
    found, ratio = [], []
    while len(found) < n_pairs:
        a, b = generator.choice(len(table.scores), 2, replace=False)
        differences = table.scores[a] - table.scores[b]
        effect = abs(differences.mean()) / differences.std()
        if not 0.2 <= effect <= 1.0:
            continue
        fixed = 8.0
        for _ in range(20):
            fixed = ((stdtrit(fixed - 1, 1 - ALPHA / 2) + stdtrit(fixed - 1, 0.8)) / effect) ** 2
            fixed = max(fixed, 4.0)
        horizon = int(np.ceil(HORIZON * fixed))
        seen = differences[generator.integers(0, len(differences), (40, max(horizon, FIRST_LOOK)))]
        counts = count_units(seen, np.arange(FIRST_LOOK, seen.shape[1] + 1))
        evidence = (log_sign_evidence if plain else log_t_evidence)(counts)
        reached = evidence >= -np.log(ALPHA)
        found.append(reached.any(axis=1).mean())
        sizes = np.where(reached.any(axis=1), reached.argmax(axis=1) + FIRST_LOOK, np.inf)
        ratio.append(np.median(sizes) / max(np.ceil(fixed), FIRST_LOOK))
    return {"table": table.name, "found": float(np.mean(found)), "ratio": float(np.median(ratio))}


def replays(folder: Path) -> pd.DataFrame:
    """Return what was decided of real boards and arenas, when, and what a fixed design would have needed."""
    prompts = pd.read_csv(folder / "leaderboards" / "alpacaeval2_weighted_preferences.csv.gz", index_col=[0, 1])
    passages = pd.read_csv(folder / "trec-dl19-passage" / "per_topic_trec_eval.csv.gz")
    boards: dict[str, object] = {
        "TREC-8, AP": pd.read_csv(folder / "trec-matrices" / "adhoc8_ap.csv").select_dtypes("number").to_numpy().T,
        "TREC DL 2019, nDCG@10": passages.pivot_table(index="run", columns="topic", values="ndcg_cut_10").to_numpy(),
        "AlpacaEval 2": prompts.dropna().to_numpy().T,
        "LLMFAO (votes)": read_votes([folder / "votes" / "llmfao.csv.gz"]),
    }
    rows = []
    for name, board in boards.items():
        chosen = board
        if isinstance(board, np.ndarray) and len(board) > 20:
            chosen = board[np.sort(np.random.default_rng(8).choice(len(board), 20, replace=False))]
        study = study_stopping(chosen, by="voter" if "votes" in name else None, n_replays=200, rng=1)
        frame = study.to_frame()
        decided = frame[frame["decided_at"].notna()]
        rows.append(
            {
                "board": name,
                "systems": len(study.systems),
                "units": study.n_units,
                "of": study.counted_in,
                "pairs": len(frame),
                "decided": len(decided),
                "taken": decided["replay_median"].median(),
                "saving": 1.0 - decided["replay_median"].median() / study.n_units,
                "fixed": decided["fixed"].median(),
            }
        )
    return pd.DataFrame(rows)


def cell(row: dict[str, object], name: str) -> str:
    """Write a rate with its standard error."""
    if name not in row:
        return "–"
    rate, error = row[name]  # type: ignore[misc]
    return f"{rate:.3f} ({error:.3f})"


def report(rates: list[dict[str, object]], found: list[dict[str, float | str]], boards: pd.DataFrame) -> str:
    """Return the report."""
    lines = [
        "# Looking as often as one likes",
        "",
        "Made by `python benchmarks/studies/stopping.py DATA`. Five equal systems, ten pairs, looks from the tenth to",
        "the 200th topic, α = .05; standard errors over choices of systems in brackets. *any*: some pair is decided at",
        "some look (Holm). *one*: a pair by itself ever reaches 20. How systems were made equal stands in the study.",
        "",
        "| table | null | paths | t: any | one | sign: any | one | betting: any | one |",
        "|---|---|---:|---|---|---|---|---|---|",
    ]
    columns = [f"{form} {what}" for form in ("t", "sign", "betting") for what in ("any", "one")]
    lines += [
        f"| {row['table']} | {row['null']} | {row['paths']:,} | {' | '.join(cell(row, name) for name in columns)} |"
        for row in rates
    ]
    lines += [
        "",
        "Power: pairs of real systems with a standardised difference of .2 to 1, seen until two and a half times the",
        "fixed design's size (power .8): share found, and the median over pairs of the median size over the fixed one.",
        "",
        "| table | found | size over fixed |",
        "|---|---:|---:|",
        *(f"| {row['table']} | {row['found']:.3f} | {row['ratio']:.2f} |" for row in found),
        "",
        "Real boards in 200 random orders: the median pair that is decided, how many units that took, what share of",
        "the units at hand was not needed, and what a fixed design at Bonferroni's level needs for its difference.",
        "",
        "| board | systems | units | pairs | decided | taken | saved | fixed design |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
        *(
            f"| {row.board} | {row.systems} | {row.units:,} {row.of}s | {row.pairs} | {row.decided} | "
            f"{row.taken:,.0f} | {row.saving:.0%} | {row.fixed:,.0f} |"
            for row in boards.itertuples()
        ),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run all, and write the report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--paths", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "reports" / "stopping.md")
    asked = parser.parse_args()
    tables = {table.name: table for table in populations(asked.data) if table.name in TABLES}
    rates = []
    for name in TABLES:
        plain = bool(np.isin(tables[name].scores, (0.0, 1.0)).all())
        for null in NULLS[: len(NULLS) - plain]:
            rates.append(wrong(tables[name], null, asked.paths))
            print(rates[-1], flush=True)
    for arena in ("llmfao.csv.gz", "food.csv"):
        rates.append(wrong_votes(asked.data / "votes" / arena, asked.paths))
        print(rates[-1], flush=True)
    found = [power(tables[name], 60) for name in TABLES]
    boards = replays(asked.data)
    asked.out.write_text(report(rates, found, boards), encoding="utf-8")


if __name__ == "__main__":
    main()
