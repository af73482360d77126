# ruff: noqa: RUF001 - Greek letters are meant for people
"""Which uses of exhaustivity lead to the same conclusions about systems, on a simulated INEX 2005.

Run: python benchmarks/inex_quantisations.py [--systems 55] [--topics 29] [--results 1500] [--resamples 10000]

Ogilvie and Lalmas (2006) asked whether assessors must judge exhaustivity: every pair of systems is tested under every
quantisation, and one quantisation's significant pairs are taken as a prediction of another's. Here the same is done
for measures of three kinds, and for an automatic stand-in for "too small": a smallest size in characters. What is
simulated says how the quantisations relate, not how systems of 2005 did. Written to benchmarks/reports/.
"""

import argparse
from itertools import combinations
from pathlib import Path

import pandas as pd

from metaeval.agreement.decisions import DecisionAgreement, decision_agreement
from metaeval.collection.elements import ElementCollection, element_collection
from metaeval.metrics import score
from metaeval.simulate.inex import simulate_inex

REPORT = Path(__file__).parents[1] / "benchmarks" / "reports" / "inex-quantisations.md"
MEASURES = {"MAep": "MAep(quant={})", "nxCG@25": "nxCG(quant={})@25", "inex-2002": "inex2002(quant={})"}
SIZES = (10, 25, 40, 55, 75, 100, 150, 200, 300, 500, 1000)
NAMED = ("Strict5", "Gen5", "GenLifted", "FullySpec", "BinExh", "BinExh(too_small=False)")
SIZED = tuple(f"BinExh(min_size={size})" for size in SIZES)
TRUTH = "Gen5"
PLACE = {name: place for place, name in enumerate((*NAMED, *SIZED))}
SETTING = """{systems} systems, {topics} topics, up to {results} results a topic, {documents} articles; seed {seed}. \
Every pair of systems ({pairs}) is tested by the percentile bootstrap (B = {resamples}), one-sided towards the better \
mean, corrected by Benjamini and Yekutieli, α = 0.05, as in the paper. Topics with nothing relevant under a \
quantisation are left out for all of a table's quantisations: {left} of {topics} topics count.

- *told apart*: significant pairs, of all.
- *precision*: of the row's (or first's) significant pairs, the share that the other finds too, in the same direction.
- *recall*: of the other's significant pairs, the share that it finds.
- *conflicts*: pairs that both find, in opposite directions.

How well a smallest size stands in for "too small" rests on the simulator here: it makes 95 % of the elements below 55 \
characters too small, and ever fewer above, where 79 % of those judged too small in 2005 were shorter."""


def markdown(frame: pd.DataFrame) -> str:
    """Return a table."""
    rows = [list(frame.columns), ["---"] * frame.shape[1], *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def shares(found: DecisionAgreement) -> pd.DataFrame:
    """Return what every quantisation tells apart."""
    counts = found.data["n_rejected"].to_numpy()[0]
    told = [f"{count} = {100 * count / found.n_pairs:.1f} %" for count in counts]
    return pd.DataFrame({"quantisation": [*NAMED, *SIZED], "told apart": told})


def pairs_of(found: DecisionAgreement, predictors: tuple[str, ...], truths: tuple[str, ...]) -> pd.DataFrame:
    """Return one row for each pair of different quantisations."""
    data = {name: labelled(found, name) for name in ("precision", "recall", "f1", "tau", "n_conflicts")}
    rows = []
    for first in predictors:
        for second in truths:
            if first == second:
                continue
            value = {name: float(table.to_numpy()[PLACE[first], PLACE[second]]) for name, table in data.items()}
            shown = {name: f"{value[name]:.3f}" for name in ("precision", "recall", "f1", "tau")}
            rows.append({"first": first, "other": second} | shown | {"conflicts": int(value["n_conflicts"])})
    return pd.DataFrame(rows)


def labelled(found: DecisionAgreement, measure: str) -> pd.DataFrame:
    """Return one measure between all quantisations by their names."""
    return pd.DataFrame(found.matrix(measure).to_numpy(), index=list(PLACE), columns=list(PLACE))


def square(found: DecisionAgreement, measure: str) -> pd.DataFrame:
    """Return one measure between all named quantisations."""
    shown = labelled(found, measure).loc[list(NAMED), list(NAMED)].map(lambda value: f"{value:.2f}")
    return shown.rename_axis("quantisation").reset_index()


def findings(found: DecisionAgreement) -> str:
    """Say what the tables show: the closest smallest size, and which pairs agree most and least."""
    f1 = labelled(found, "f1").to_numpy()
    truth = f1[:, PLACE[TRUTH]]
    sized = {name: truth[PLACE[name]] for name in SIZED}
    closest = max(sized, key=lambda name: sized[name])
    pairs = {(first, second): f1[PLACE[first], PLACE[second]] for first, second in combinations(NAMED, 2)}
    most, least = (choose(pairs, key=lambda pair: pairs[pair]) for choose in (max, min))
    conflicts = found.matrix("n_conflicts").to_numpy()
    return (
        f"Closest to {TRUTH} of all smallest sizes is {closest} (F1 {sized[closest]:.3f}; without a smallest size "
        f'{truth[PLACE["BinExh"]]:.3f}; with the assessors\' own "?" left out '
        f"{truth[PLACE['BinExh(too_small=False)']]:.3f}); F1 ranges from {min(sized.values()):.3f} to "
        f"{max(sized.values()):.3f} over the sizes. Most alike of the named ones are {most[0]} and {most[1]} "
        f"({pairs[most]:.3f}), least {least[0]} and {least[1]} ({pairs[least]:.3f}). Conflicts: at most "
        f"{int(conflicts[: len(NAMED), : len(NAMED)].max())} pairs of systems between two of the named ones, "
        f"{int(conflicts.max())} with smallest sizes."
    )


def agreement_of(collection: ElementCollection, pattern: str, resamples: int, seed: int) -> DecisionAgreement:
    """Score under every quantisation and compare the conclusions."""
    scores = score(collection, [pattern.format(name) for name in (*NAMED, *SIZED)])
    return decision_agreement(
        scores, test="bootstrap_percentile", alternative="better", n_resamples=resamples, rng=seed
    )


def main() -> None:
    """Simulate, compare, write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("systems", 55), ("topics", 29), ("results", 1500), ("documents", 1000), ("resamples", 10_000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    made = simulate_inex(
        year=2005,
        n_systems=options.systems,
        n_topics=options.topics,
        n_documents=options.documents,
        n_results=options.results,
        rng=options.seed,
    )
    collection = element_collection(made.submissions, made.assessments, sizes=made.sizes)
    found = {
        name: agreement_of(collection, pattern, options.resamples, options.seed) for name, pattern in MEASURES.items()
    }
    first = next(iter(found.values()))
    settings = {
        **vars(options),
        "pairs": first.n_pairs,
        "left": int(first.result.n_topics),
    }
    words = " ".join(f"--{name} {value}" for name, value in vars(options).items())
    parts = [
        "# Quantisations on a simulated INEX 2005: who agrees with whom",
        f"Made by `python benchmarks/inex_quantisations.py {words}`.",
        SETTING.format(**settings),
    ]
    for name, one in found.items():
        parts += [f"## {name}", findings(one), markdown(shares(one))]
        parts += [f"### BinExh with a smallest size, as a prediction of {TRUTH}"]
        parts += [markdown(pairs_of(one, ("BinExh", "BinExh(too_small=False)", *SIZED), (TRUTH,)))]
        parts += ["### Every pair of quantisations: F1", markdown(square(one, "f1"))]
        parts += ["### Every pair: precision (row as a prediction of the column)", markdown(square(one, "precision"))]
    REPORT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
