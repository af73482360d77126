"""Calibration of the chance of being best: systems given p should be truly best in a share p of the leaderboards.

Leaderboards of 20 systems with known true means, from populations that the model supposes and from others. Beside the
model stands what a bootstrap would say: the share of topic resamples that a system wins.

    python benchmarks/studies/best_system_calibration.py            # writes benchmarks/reports/best_system_calibration.md
    python benchmarks/studies/best_system_calibration.py --quick    # a tenth of the boards, to standard output
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.models.probability_of_best import best_system
from metaeval.simulate.scores import simulate_population
from metaeval.table.scores import as_scores

REPORT = Path(__file__).parents[1] / "reports" / "best_system_calibration.md"
DATA = Path(os.environ.get("METAEVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
SEED = 202612
N, T, TOP = 20, 30, 3
CLASSES = np.geomspace(1e-4, 30.0, 16)
"""Variances of a mixture with a heavy tail."""
EDGES = (0.0, 0.02, 0.1, 0.3, 0.6, 0.85, 1.0 + 1e-9)
type Floats = NDArray[np.float64]
type Board = tuple[Floats, Floats, list[str] | None]  # scores, true means, clusters
_REAL: dict[str, Floats] = {}


def along_axes(size: Callable[[np.random.Generator, Floats], Floats]) -> Callable[[np.random.Generator], Board]:
    """Return a population of noise with axes of its own, whose variances along them give those of the means."""

    def draw(rng: np.random.Generator) -> Board:
        axes, _ = np.linalg.qr(rng.normal(size=(N, N)))
        variance = rng.gamma(2.0, 0.5, N)
        means = axes @ (np.sqrt(size(rng, variance)) * rng.normal(size=N))
        return means[:, None] + axes @ (np.sqrt(variance)[:, None] * rng.normal(size=(N, T))), means, None

    return draw


def own_model(rng: np.random.Generator, variance: Floats) -> Floats:
    """Draw the variances of the means that the model supposes, with a proper law of the share of noise."""
    return variance / T * (1.0 / rng.random() - 1.0)


def mixture(rng: np.random.Generator, variance: Floats) -> Floats:
    """Draw variances of the means that have nothing to do with those of the noise."""
    share = rng.dirichlet(np.full(len(CLASSES), 1.0 / len(CLASSES)))
    return 0.3 * rng.choice(CLASSES, len(variance), p=share)


def from_means(make: Callable[[np.random.Generator], Floats], kind: str = "normal") -> Callable[..., Board]:
    """Return a population whose systems err alone: true means as `make` gives them, in standard deviations."""

    def draw(rng: np.random.Generator) -> Board:
        means = make(rng)
        if kind == "clusters":
            place = np.repeat(np.arange(15), rng.integers(2, 8, 15))
            shared = 0.7 * rng.normal(size=(N, 15))[:, place]
            values = means[:, None] + shared + rng.normal(size=(N, len(place)))
            return values, means, [f"c{one:02}" for one in place]
        values = means[:, None] + rng.normal(size=T) + rng.normal(size=(N, T))
        return (values > 0).astype(float) if kind == "0/1" else values, means, None

    return draw


def simulated(metric: str, n_groups: int | None = None) -> Callable[..., Board]:
    """Return systems as `metaeval simulate` makes them, with the shares of variance of TREC-3."""

    def draw(rng: np.random.Generator) -> Board:
        population = simulate_population(n_systems=N, metrics=[metric], n_groups=n_groups, rng=rng)
        return population.draw(T, rng=rng).to_numpy()[0], population.true_means().to_numpy()[0], None

    return draw


def real(path: str, metric: str | None = None) -> Callable[..., Board]:
    """Return random systems of a real collection, whose topics are the population."""

    def draw(rng: np.random.Generator) -> Board:
        if path not in _REAL:
            table = pd.read_csv(DATA / path, index_col=None if metric else 0)
            wide = table if metric is None else table.pivot_table(index="topic", columns="system", values=metric)
            _REAL[path] = wide.to_numpy().T
        whole = _REAL[path]
        part = whole[rng.choice(len(whole), N, replace=False)]
        return part[:, rng.integers(0, part.shape[1], T)], part.mean(axis=1), None

    return draw


def _tail(rng: np.random.Generator) -> Floats:
    return 0.08 * rng.normal(size=N) - np.where(rng.random(N) < 0.3, 0.5 + rng.exponential(), 0.0)


POPULATIONS: dict[str, Callable[..., Board]] = {
    "a mixture along the axes": along_axes(mixture),
    "normal means": from_means(lambda rng: 0.25 * rng.normal(size=N)),
    "normal means, far apart": from_means(lambda rng: rng.normal(size=N)),
    "normal means, nearly equal": from_means(lambda rng: 0.05 * rng.normal(size=N)),
    "tiers of near-ties": from_means(lambda rng: rng.choice([0.0, 0.15, 0.3, 0.6], N) + 1e-6 * rng.normal(size=N)),
    "a crowd at the top, a weak tail": from_means(_tail),
    "a few stars": from_means(lambda rng: 0.25 * rng.exponential(size=N)),
    "0/1 scores": from_means(lambda rng: 0.3 * rng.normal(size=N), "0/1"),
    "15 clusters of topics": from_means(lambda rng: 0.25 * rng.normal(size=N), "clusters"),
    "simulated AP": simulated("AP"),
    "simulated AP, six groups": simulated("AP", 6),
    "simulated P@10": simulated("P@10"),
    "real: Terabyte 2006, AP": real("trec-matrices/terabyte2006_ap.csv"),
    "real: Belebele, nDCG@10": real("mteb/belebele_190x376x6.csv.gz", "nDCG@10"),
    "the model's own": along_axes(own_model),
}


def simulate(draw: Callable[..., Board], n_boards: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return one row a board and system: what was said, and what is true."""
    rows = []
    for board in range(n_boards):
        values, means, clusters = draw(rng)
        scores = as_scores(values, groups={f"system{one + 1}": f"f{one % 5}" for one in range(N)})
        if clusters is not None:
            scores = scores.assign_coords(cluster=("topic", clusters))
        found = best_system(scores, k=TOP, n_draws=2000, n_resamples=600, rng=rng, n_threads=1).data
        place = np.argsort(np.argsort(-means))
        row = {name: found[name].to_numpy()[0] for name in ("p_best", "share_of_resamples")}
        row |= {"p_top": found["p_top"].to_numpy()[0, :, 0], "best": place == 0, "top": place < TOP}
        rows.append(pd.DataFrame(row).assign(board=board, family=np.arange(N) % 5))
    return pd.concat(rows)


def reliability(said: Floats, true: NDArray[np.bool_]) -> list[str]:
    """Return for every bin what was said on average, how often it was true, and of how many."""
    cells = []
    for low, high in pairwise(EDGES):
        inside = (said >= low) & (said < high)
        cells.append(f"{said[inside].mean():.2f} → {true[inside].mean():.2f} ({inside.sum()})" if inside.any() else "")
    return cells


def log_score(frame: pd.DataFrame, column: str) -> float:
    """Return the mean log of what the best system was given, 0.001 at least."""
    return float(np.log(np.maximum(frame.loc[frame["best"], column], 1e-3)).mean())


def study(n_boards: int, tell: Callable[[str], None]) -> str:
    """Run everything and write the report."""
    tables: dict[str, list[list[str]]] = {"p_best": [], "share_of_resamples": [], "p_top": [], "family": []}
    scores = []
    for number, (name, draw) in enumerate(POPULATIONS.items()):
        try:
            frame = simulate(draw, n_boards, np.random.default_rng([SEED, number]))
        except FileNotFoundError:
            tell(f"{name}: no such data, left out")
            continue
        families = frame.groupby(["board", "family"])[["p_best", "best"]].sum()
        for column in ("p_best", "share_of_resamples"):
            tables[column].append([name, *reliability(frame[column].to_numpy(), frame["best"].to_numpy())])
        tables["p_top"].append([name, *reliability(frame["p_top"].to_numpy(), frame["top"].to_numpy())])
        tables["family"].append([name, *reliability(families["p_best"].to_numpy(), families["best"].to_numpy() > 0)])
        scores.append([name, *(f"{log_score(frame, column):.3f}" for column in ("p_best", "share_of_resamples"))])
        tell(f"{name}: {scores[-1][1:]}")
    bins = ["population", *(f"{low:g} to {min(high, 1.0):g}" for low, high in pairwise(EDGES))]
    return "\n\n".join(
        [
            "# Calibration of the chance of being best",
            f"""Made by `python benchmarks/studies/best_system_calibration.py`: {n_boards} leaderboards of {N} systems and {T}
topics from each population. A cell reads: what was said on average → how often it was true (of how many systems). Real
collections are sampled with replacement, their own topics being the population.""",
            "## Log score of the best system",
            "Mean log of the probability that the truly best system was given; higher is better.",
            _table(["population", "posterior", "share of resamples"], scores),
            "## P(best)",
            """The posterior overstates the leader where a crowd stands close together at the top of a board with a weak
tail, or in tiers of near-ties, because one common law holds for all systems; and understates stars.""",
            _table(bins, tables["p_best"]),
            "## Share of resamples that a system wins",
            """What is often reported instead. It overstates the leader wherever systems are close. Where they are as
far apart as in TREC's collections both are right, and this share is a little sharper.""",
            _table(bins, tables["share_of_resamples"]),
            f"## P(top {TOP})",
            _table(bins, tables["p_top"]),
            "## P(the best system is of this family), five families of four",
            _table(bins, tables["family"]),
            "",
        ]
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the boards, to standard output")
    arguments = parser.parse_args()
    start = time.perf_counter()

    def tell(words: str) -> None:
        print(f"{time.perf_counter() - start:.0f} s  {words}", file=sys.stderr, flush=True)

    if arguments.quick:
        print(study(50, tell))
    else:
        report = study(500, tell)
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
