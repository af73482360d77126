"""Pairs that two boards settle in opposite directions by chance, and the share of pairs in one true order.

Two boards of 20 systems and 50 items each are drawn from a truth that is known: simulated, or a real board whose items
are the population of both. Pairs are settled as `metaeval agree --boards` settles them; beside them stand paired t
tests with the correction of Benjamini and Yekutieli on each board.

    python benchmarks/studies/opposite_pairs.py DATA            # writes benchmarks/reports/opposite_pairs.md
    python benchmarks/studies/opposite_pairs.py DATA --quick    # a tenth of the samples, to standard output
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metaeval.io.tables import read_scores
from metaeval.models.settling import settled_pairs
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import all_pairs

REPORT = Path(__file__).parents[1] / "reports" / "opposite_pairs.md"
SAMPLES, SYSTEMS, ITEMS = 150, 20, 50
type Floats = NDArray[np.float64]
type Draw = Callable[[np.random.Generator], tuple[Floats, Floats, Floats, Floats]]
"""Makes the true means and the scores of two boards."""
HEAD = """# Pairs that two boards settle in opposite directions

Made by `python benchmarks/studies/opposite_pairs.py DATA`. {samples} samples a row: two boards of 20 systems and 50 items each,
alpha .05 on either. Two true orders agree on a share of the pairs ("same order").

"False": samples with at least one pair that both boards settle in opposite directions although its true order is the
same on both, or the two are equal on one; at most .10 is promised. "Opposite", "alike": mean number of pairs that both
boards settle so. "Held": samples in which the share of pairs in one true order lies between the ends that are shown;
at least .90 is promised. "t, BY": the same for paired t tests with the correction of Benjamini and Yekutieli on each
board, whose false discovery rate says nothing of such pairs.

| truth | same order | false | opposite | alike | held | t, BY: false | opposite | alike |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def simulated(first: Floats, second: Floats, *, hits: bool = False) -> Draw:
    """Return boards whose true means are given, with noise that is common to the systems of an item."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
        boards = []
        for level in (first, second):
            noise = rng.normal(0, 1, (SYSTEMS, ITEMS)) + rng.normal(0, 0.7, ITEMS)
            boards.append((level[:, None] + noise > 0).astype(float) if hits else level[:, None] + noise)
        return first, second, boards[0], boards[1]

    return draw


def from_population(values: Floats) -> Draw:
    """Return boards whose items are drawn from one real board: both have its means."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Floats, Floats, Floats]:
        own = values[rng.choice(len(values), SYSTEMS, replace=False)]
        first, second = (own[:, rng.integers(0, own.shape[1], ITEMS)] for _ in range(2))
        return own.mean(axis=1), own.mean(axis=1), first, second

    return draw


def truths(folder: Path) -> dict[str, Draw]:
    """Return all truths."""
    rng = np.random.default_rng(11)
    level = np.sort(rng.normal(0, 0.5, SYSTEMS))
    groups = np.repeat(np.linspace(-0.6, 0.6, 5), 4)
    belebele = read_scores(folder / "mteb" / "belebele_190x376x6.csv.gz").sel(metric="nDCG@10").to_numpy()
    mteb = read_scores(folder / "mteb" / "mteb_eng_v2.csv").to_numpy()[0]
    trec = read_scores(folder / "trec-matrices" / "adhoc8_ap.csv").to_numpy()[0]
    return {
        "one order": simulated(level, level),
        "one order, scores of 0 and 1": simulated(level, level, hits=True),
        "correlated .8": simulated(level, 0.8 * level + 0.6 * rng.normal(0, 0.5, SYSTEMS)),
        "unrelated orders": simulated(level, rng.normal(0, 0.5, SYSTEMS)),
        "five groups of four equals": simulated(groups, groups),
        "all equal": simulated(np.zeros(SYSTEMS), np.zeros(SYSTEMS)),
        "Belebele": from_population(belebele),
        "MTEB": from_population(mteb),
        "TREC-8, AP": from_population(trec),
    }


def row(name: str, draw: Draw, samples: int) -> str:
    """Return the row of one truth."""
    rng = np.random.default_rng(5)
    a, b = all_pairs(SYSTEMS)
    found = []
    for trial in range(samples):
        first, second, *boards = draw(rng)
        scores = [as_scores(one) for one in boards]
        settled = settled_pairs({"first": scores[0], "second": scores[1]}, rng=trial).verdicts.astype(int)
        tested = [compare_systems(one, test="t", correction="fdr_by").verdicts()[0].astype(int) for one in scores]
        true = np.sign(first[a] - first[b]) * np.sign(second[a] - second[b])
        both, beside = settled[0] * settled[1], tested[0] * tested[1]
        held = (both > 0).mean() <= (true > 0).mean() <= 1 - (both < 0).mean()
        counts = [[((one < 0) & (true >= 0)).any(), (one < 0).sum(), (one > 0).sum()] for one in (both, beside)]
        found.append([(true > 0).mean(), *counts[0], held, *counts[1]])
    same, false, opposite, alike, held, *other = np.mean(found, axis=0)
    shown = [f"{same:.2f}", f"{false:.3f}", f"{opposite:.1f}", f"{alike:.1f}", f"{held:.3f}"]
    shown += [f"{other[0]:.3f}", f"{other[1]:.1f}", f"{other[2]:.1f}"]
    return f"| {name} | {' | '.join(shown)} |\n"


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    samples = SAMPLES // 5 if asked.quick else SAMPLES
    text = HEAD.format(samples=samples) + "".join(row(*one, samples) for one in truths(asked.data).items())
    if asked.quick:
        print(text)
    else:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
