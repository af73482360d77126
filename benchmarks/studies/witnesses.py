# ruff: noqa: RUF001 - Greek letters are meant for people
"""On how few topics significant pairs and first places rest: simulated and real boards.

Usage: python benchmarks/studies/witnesses.py DATA [--out FILE]

Simulated: pairs with normal differences of a given effect. What the normal law says: the differences that go are those
around Q / S, whose place does not change as they go, so that all within h of (1 + δ²) / δ are gone when t falls to its
critical value; the share of the normal differences there is the share of topics.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from populations import populations
from scipy.optimize import brentq
from scipy.stats import norm, t

from metaeval import Scores, as_scores, paired_t_test, read_votes, study_table
from metaeval.models.vote_strengths import bradley_terry
from metaeval.models.vote_witness import first_place_votes
from metaeval.reports.witnesses import with_witnesses
from metaeval.tests_stat.result import PairwiseResult, rows_of_pairs
from metaeval.tests_stat.witnesses import first_places

_ALPHA, _FEW, _SMALL = 0.05, 2, 0.02
_DESIGNS = ((0.3, 100), (0.5, 50), (0.5, 100), (0.5, 200), (0.8, 50), (1.0, 25))
_PAIRS = 4000
_TABLES = {
    "adhoc8_ap": "TREC-8, AP",
    "adhoc8_rr": "TREC-8, RR",
    "dl19_ndcg_cut_10": "DL19, nDCG@10",
    "web2014_err20": "Web 2014, ERR@20",
    "livebench_coding": "LiveBench, coding",
    "alpacaeval_1": "AlpacaEval 2, half of the prompts",
}


def expected_share(effect: float, n: int) -> float:
    """Return the share of topics that the normal law lets go until t is critical."""
    turn = (1.0 + effect**2) / effect

    def excess(half: float) -> float:
        """Return how far t is above its critical value, without the differences within `half` of the turn."""
        low, high = turn - half - effect, turn + half - effect  # in standard deviations from the mean
        gone = norm.cdf(high) - norm.cdf(low)
        first = effect * gone + norm.pdf(low) - norm.pdf(high)
        second = gone * (1.0 + effect**2) + (low + 2 * effect) * norm.pdf(low) - (high + 2 * effect) * norm.pdf(high)
        left = 1.0 - gone
        mean, square = (effect - first) / left, (1.0 + effect**2 - second) / left
        size = left * n
        return mean / np.sqrt((square - mean**2) / (size - 1.0)) - t.isf(_ALPHA / 2.0, size - 1.0)

    half = brentq(excess, 1e-6, turn)
    return float(norm.cdf(turn + half - effect) - norm.cdf(turn - half - effect))


def simulated() -> Iterator[dict[str, object]]:
    """Yield what significant pairs with normal differences rest on, beside what the normal law says."""
    rng = np.random.default_rng(0)
    for effect, n in _DESIGNS:
        values = np.vstack([np.zeros(n), rng.normal(effect, 1.0, (_PAIRS, n))])
        rows = paired_t_test(as_scores(values), correction="none", baseline="system1").rests_on()
        everyone = np.sort(np.pad(rows["share"], (_PAIRS - len(rows), 0)))
        yield {
            "effect": effect,
            "topics": n,
            "significant": f"{len(rows) / _PAIRS:.3f}",
            "median pair": f"{round(n * everyone[_PAIRS // 2])} of {n}",
            "normal law": f"{n * expected_share(effect, n):.1f}",
            "90 % of the pairs": f"{round(n * everyone[_PAIRS // 20])} to {round(n * everyone[-_PAIRS // 20])}",
        }


def tables(folder: Path) -> Iterator[tuple[str, Scores]]:
    """Yield real tables with their names."""
    for population in populations(folder):
        if population.name in _TABLES:
            yield _TABLES[population.name], as_scores(population.scores)


def real(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what pairs and first places of real tables rest on, and how long that takes beside all of `table`."""
    for name, scores in tables(folder):
        begun = time.perf_counter()
        with TemporaryDirectory() as report:
            study_table(scores).report().save(Path(report) / "table")
        whole = time.perf_counter() - begun
        result = paired_t_test(scores)
        tested = time.perf_counter()
        rows = result.rests_on()
        seconds = time.perf_counter() - tested
        few = (rows["n_dropped"] <= _FEW) | (rows["share"] <= _SMALL)
        first = first_places(scores)
        yield {
            "table": name,
            "systems": scores.sizes["system"],
            "topics": scores.sizes["topic"],
            "significant (BY)": len(rows),
            "median share": f"{rows['share'].median():.3f}",
            "on ≤ 2 or ≤ 2 %": f"{few.sum()} = {few.mean():.1%}",
            "first place": f"{first['n_dropped'][0]} of {first['n_units'][0]}" if len(first) else "shared",
            "witnesses, s": f"{seconds:.2f}",
            "of `table --out`": f"{seconds / whole:.1%}" if on_page(result) else "not there",
        }


def on_page(result: PairwiseResult) -> bool:
    """Say whether a page tells of it."""
    return "n_dropped" in with_witnesses(rows_of_pairs(result), [result])


def arenas(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what the first place of sets of votes rests on."""
    for file in ("llmfao.csv.gz", "food.csv", "simple.csv"):
        votes = read_votes(folder / "votes" / file)
        found = first_place_votes(votes, bradley_terry(votes))
        if found is not None:
            share = f"{found.n_dropped / found.n_votes:.2%}"
            yield {"votes": file, "of": found.n_votes, "first": found.system, "rival": found.rival} | {
                "rests on": f"{found.n_dropped} = {share}"
            }


def table(rows: Iterator[dict[str, object]]) -> str:
    """Lay rows out as Markdown."""
    listed = list(rows)
    lines = [list(listed[0]), ["---"] * len(listed[0]), *[list(map(str, row.values())) for row in listed]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "reports" / "witnesses.md")
    given = parser.parse_args()
    given.out.write_text(
        f"""# On what differences rest

Made by `python benchmarks/studies/witnesses.py DATA`. A witness is a set of topics without which a pair is not
significant; each was found greedily and tested. On 1,000 tables of 6 to 14 topics brute force finds none smaller
(`tests/tests_stat/test_witnesses.py`).

## Normal differences

{_PAIRS:,} pairs of one effect (mean over standard deviation), α = {_ALPHA}, uncorrected: how many topics have to go, 0
for a pair that is not significant. *Normal law*: what follows from the effect alone, in parts of a topic.

{table(simulated())}

## Real tables

All pairs, Benjamini–Yekutieli; a first place rests on topics without which another mean is as good. On more than half a
million differences of a metric (topics times pairs) a page says nothing of pairs, for the time; `rests_on()` does.

{table(real(given.data))}

## Votes

{table(arenas(given.data))}
""",
        "utf-8",
    )


if __name__ == "__main__":
    main()
