"""How often is one of two systems called better that are alike, if runs of a system differ? Simulated.

Two systems of k runs each on n items, normal, without a true difference: a run moves all items of its system by one
number. The t test over items alone is beside the test that counts runs as drawn.

    python benchmarks/studies/runs_of_systems.py            # writes benchmarks/reports/runs-of-systems.md
    python benchmarks/studies/runs_of_systems.py --quick    # a tenth of the data sets, to standard output
"""

from itertools import product, starmap
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from quick_or_whole import write_report

from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems

REPORT = Path(__file__).parents[1] / "reports" / "runs-of-systems.md"
SEED = 20266
ITEMS, RUNS, SPREADS = (40, 400), (2, 3, 5, 10), (0.0, 0.01, 0.02, 0.05)
INTERACTIONS = (0.0, 0.08)
RESIDUAL, DIFFICULTY = 0.08, 0.2
N_CHUNKS = 5
CHUNK = 200  # data sets at a time, each a metric of one table
LEVEL = 0.05
TRUE = 0.05  # difference of the power


class Case(NamedTuple):
    """What two systems have."""

    items: int
    runs: int
    spread: float
    """Standard deviation of what a run moves all items of its system by."""
    shared: float
    """Of what an item is to a system beside its difficulty."""


def results(rng: np.random.Generator, case: Case, true: float) -> xr.Dataset:
    """Test a chunk of data sets whose first system is better by a number."""
    values = rng.normal(0.5, DIFFICULTY, (CHUNK, 1, case.items, 1))
    values = values + rng.normal(0.0, case.shared, (CHUNK, 2, case.items, 1))
    values = values + rng.normal(0.0, case.spread, (CHUNK, 2, 1, case.runs))
    values += rng.normal(0.0, RESIDUAL, (CHUNK, 2, case.items, case.runs))
    values[:, 0] += true
    return compare_systems(as_scores(values, metrics=[f"set {at}" for at in range(CHUNK)]), correction="none").data


def shares(rng: np.random.Generator, case: Case, n_chunks: int) -> NDArray[np.float64]:
    """Return how often items alone call the first better, and the second, and with runs; then the power of both."""
    counts = np.zeros(6)
    for _ in range(n_chunks):
        for true in (0.0, TRUE):
            data = results(rng, case, true)
            ahead, alone, both = data["better"], data["p_items"] <= LEVEL, data["significant"]
            if true:
                counts[4:] += [float((told & (ahead > 0)).mean()) for told in (alone, both)]
            else:
                counts[:4] += [float((told & (ahead == side)).mean()) for told in (alone, both) for side in (1, -1)]
    return counts / n_chunks


ABOUT = """# False claims where runs of a system differ

Made by `python benchmarks/studies/runs_of_systems.py`. {n} data sets a row, seed {seed}.

Two systems, each with runs of its own on the same items; normal scores. *Spread*: standard deviation of what a run
moves all items of its system by; that of a single score about its cell is {residual}, and *fit* is that of what an item
is to a system beside its difficulty. A figure is the share of data sets without a true difference in which the first,
or the second, was called better at .05 two-sided: nominal is .025 each (standard error {error:.4f}). *Alone*: paired t
test on the means over runs. *Runs*: as metaeval decides. Power: how often a system that is better by {true} is called
so.

| items | runs | spread | fit | alone: first | second | runs: first | second | alone: power | runs: power |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""
END = """
Alone, the two sides together reach {alone:.2f}; with runs {both:.3f} at most and {mean:.3f} in the mean of all rows.
Where runs do not differ the rule is strict (down to {least:.3f}), for so few runs cannot show that they are alike. Two
runs a system cost most of the power where runs differ: more runs buy what more items cannot.
"""


def report(quick: bool) -> str:  # noqa: FBT001 - as `write_report` calls it
    """Return the report."""
    rng, n_chunks = np.random.default_rng(SEED), 1 if quick else N_CHUNKS
    n = n_chunks * CHUNK
    error = np.sqrt(0.025 * 0.975 / n)
    text = ABOUT.format(n=n, seed=SEED, residual=RESIDUAL, error=error, true=TRUE)
    rows = []
    for case in starmap(Case, product(ITEMS, RUNS, SPREADS, INTERACTIONS)):
        rows.append(shares(rng, case, n_chunks))
        text += f"| {' | '.join([*(f'{part:g}' for part in case), *(f'{share:.3f}' for share in rows[-1])])} |\n"
    sides = np.array(rows)[:, :4].reshape(-1, 2, 2).sum(axis=2)
    both = sides[:, 1]
    return text + END.format(alone=sides[:, 0].max(), both=both.max(), mean=both.mean(), least=both.min())


if __name__ == "__main__":
    write_report(__doc__, REPORT, report)
