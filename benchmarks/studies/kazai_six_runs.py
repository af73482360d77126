"""Table 1 of Kazai, Lalmas and de Vries (2004) on a simulated campaign, over the orders of equal values.

Run: python benchmarks/studies/kazai_six_runs.py [--seed 200] [--orders 50]

The six runs are ordered by the value of an element under SOG, and the paper does not say how elements of equal value
are ordered. Here they are ordered as its example is, at random, and by two rules that lie far apart: one element of
every ideal result before its second, and all elements of an ideal result at once. Written to benchmarks/reports/.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.inex import element_collection, reliability_runs, run_overlap, simulate_inex
from metaeval.inex.assessments import Submission
from metaeval.inex.simulation import SimulatedInex
from metaeval.metrics import score

REPORT = Path(__file__).parents[2] / "benchmarks" / "reports" / "kazai-six-runs.md"
CAMPAIGN = {"year": 2004, "n_systems": 15, "n_topics": 20, "n_documents": 400, "n_results": 300}
METRICS = {"inex-2002": "inex2002(quant=SOG)", "nXCG": "nxCGpercent(quant=SOG)"}
PUBLISHED = {
    "inex-2002": {"irb": 0.1430, "frb": 0.7437, "ia": 0.2567, "id": 0.6195, "lo": 0.3944, "ao": 0.0296},
    "nXCG": {"irb": 1.0, "frb": 0.5369, "ia": 0.7936, "id": 0.7790, "lo": 0.8269, "ao": 0.4096},
}
OVERLAP = {"irb": 0.0, "frb": 77.5, "ia": 70.7, "id": 57.9, "lo": 0.0, "ao": 0.0}
SOG = {
    (3, 3): 1,
    (2, 3): 0.9,
    (1, 3): 0.75,
    (3, 2): 0.75,
    (2, 2): 0.5,
    (1, 2): 0.25,
    (3, 1): 0.25,
    (2, 1): 0.1,
    (1, 1): 0.1,
}
"""Equation 2 of the paper: exhaustivity and specificity."""

type Runs = Mapping[str, Submission]


def with_values(made: SimulatedInex, runs: Runs) -> dict[str, pd.DataFrame]:
    """Return the results of every run with the value of each element and the ideal element on its path."""
    keys = ["topic", "document", "path"]
    judged = made.assessments.elements[[*keys, "exhaustivity", "specificity"]]
    value = [SOG.get((int(e), int(s)), 0.0) for e, s in zip(judged["exhaustivity"], judged["specificity"], strict=True)]
    ideal = {place: set(rows["path"]) for place, rows in runs["irb"].results.groupby(["topic", "document"])}
    found = {}
    for name, run in runs.items():
        frame = run.results[keys].merge(judged[keys].assign(value=value), on=keys, how="left")
        found[name] = frame.assign(ideal=_ideal_of(frame, ideal))
    return found


def _ideal_of(frame: pd.DataFrame, ideal: Mapping[tuple[str, str], set[str]]) -> list[str]:
    places = zip(frame["topic"], frame["document"], frame["path"], strict=True)
    return [
        next((one for one in ideal.get((topic, document), ()) if f"{path}/".startswith(f"{one}/")), path)
        for topic, document, path in places
    ]


def orders(results: pd.DataFrame, n_random: int, generator: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield orders of a run's results: topic by topic, by falling value, equal values as a rule has it."""
    within = results.groupby(["topic", "document", "ideal"]).cumcount().to_numpy()
    together = results.groupby(["topic", "document", "ideal"], sort=False).ngroup().to_numpy()
    random = [generator.random(len(results)) for _ in range(n_random)]
    for key in (within, -within, together, -together, *random):
        yield np.lexsort((key, -results["value"], results["topic"]))


def values_of(made: SimulatedInex, runs: Runs) -> pd.DataFrame:
    """Return the mean of every run under both measures."""
    collection = element_collection(list(runs.values()), made.assessments, sizes=made.sizes)
    means = score(collection, list(METRICS.values()), fewest=1).to_numpy().mean(axis=-1)
    return pd.DataFrame(means, index=list(METRICS), columns=list(collection.systems))


def main() -> None:
    """Build the runs, order them in many ways, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=200)
    parser.add_argument("--orders", type=int, default=50)
    options = parser.parse_args()
    made = simulate_inex(**CAMPAIGN, rng=options.seed)  # type: ignore[arg-type]  # one value for each argument
    runs = reliability_runs(made.assessments, quantisation="SOG")
    generator = np.random.default_rng(options.seed)
    all_orders = {
        name: list(orders(results, options.orders, generator)) for name, results in with_values(made, runs).items()
    }
    as_example = values_of(made, runs)
    again = [values_of(made, _ordered(runs, all_orders, number)) for number in range(options.orders + 4)]
    spread = np.stack([one[as_example.columns].to_numpy() for one in again])
    collection = element_collection(list(runs.values()), made.assessments, sizes=made.sizes)
    overlap = dict(zip(collection.systems, 100 * run_overlap(collection).mean("topic").to_numpy(), strict=True))
    REPORT.write_text(report(as_example, spread, overlap, options), encoding="utf-8")


def _ordered(runs: Runs, all_orders: Mapping[str, list[NDArray[np.int64]]], number: int) -> Runs:
    made = {}
    for name, run in runs.items():
        results = run.results.iloc[all_orders[name][number]].reset_index(drop=True)
        made[name] = replace(run, results=results.assign(rank=results.groupby("topic").cumcount() + 1))
    return made


def report(
    found: pd.DataFrame, spread: NDArray[np.float64], overlap: Mapping[str, float], options: argparse.Namespace
) -> str:
    """Write the table in the form of the paper's."""
    names = list(OVERLAP)
    lines = ["| | " + " | ".join(names) + " |", "|---" * 7 + "|"]
    low, high = (
        pd.DataFrame(ends, index=found.index, columns=found.columns) for ends in (spread.min(0), spread.max(0))
    )
    for measure, printed in PUBLISHED.items():
        places = (pd.Series(printed).rank(ascending=False), found.loc[measure, names].rank(ascending=False))
        values = (printed, found.loc[measure])
        for words, value, place in zip(("paper", "simulated"), values, places, strict=True):
            cells = [f"{value[name]:.4f} ({place[name]:.0f})" for name in names]
            lines.append(f"| {measure}, {words} | " + " | ".join(cells) + " |")
        ends = [f"{low.loc[measure, name]:.2f} to {high.loc[measure, name]:.2f}" for name in names]
        lines.append(f"| {measure}, over the orders | " + " | ".join(ends) + " |")
    for words, shares in (("paper", OVERLAP), ("simulated", overlap)):
        lines.append(f"| overlap, {words} | " + " | ".join(f"{shares[name]:.1f} %" for name in names) + " |")
    arguments = ", ".join(f"{name}={value}" for name, value in CAMPAIGN.items())
    made_by = f"python benchmarks/studies/kazai_six_runs.py --seed {options.seed} --orders {options.orders}"
    campaign = f"simulate_inex({arguments}, rng={options.seed})"
    rules = "one element of every ideal result before its second, all of one result at once, and both reversed"
    parts = [
        "# Table 1 of Kazai, Lalmas and de Vries (2004), over the orders of equal values",
        f"Made by `{made_by}`: the six runs of `{campaign}`, equal values ordered as in the paper's example.",
        "## Table 1",
        "\n".join(lines),
        f"*Over the orders*: of {options.orders} random orders of equal values and of four by rule ({rules}).",
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
