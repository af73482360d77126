"""How often each exchange calls two metrics of equal quality different, and how often it finds a better one.

    python benchmarks/studies/calibrate_metric_exchange.py [--pairs 2000] [--out benchmarks/reports/metric-exchange.md]

A set has 12 systems and 100 items in 20 documents. A metric's error has a part by system, a part by system and
document, and a part by cell; both metrics of a pair have errors of the same sizes, drawn independently. Better metrics
have errors of half the size. p of measures of cells is one-sided for the metric that came out better, so that .10 of
equal pairs are called different at .05 in one of the two directions; the test of `compare_with_human` has two sides.
"""

import argparse
from pathlib import Path

import numpy as np
import xarray as xr

from metaeval.agreement import compare_with_human, meta_metrics

SYSTEMS, ITEMS, DOCUMENTS, RESAMPLES, ALPHA = 12, 100, 20, 199, 0.05
SETTINGS = {
    "cells alone": (0.0, 0.0, 1.0),
    "and documents": (0.0, 0.6, 0.8),
    "and systems": (0.3, 0.6, 0.8),
}
"""Standard deviations of the error by system, by system and document, and by cell."""
TWO_SIDED = "human --permute (0.05 expected)"
ASKED = {
    "published": "pearson, pearson:item, acc_eq, spa",
    "cells": "pearson",
    "items": "pearson, pearson:item, acc_eq, spa",
    "clusters": "pearson:item, acc_eq, spa",
    "systems": "pearson:item",
}
NAMES = {
    ("published", "pearson:system"): "systems (published)",
    ("published", "pearson:item"): "cells (published)",
    ("published", "acc_eq"): "pairs (published)",
    ("published", "spa"): "items",
}


def error(rng, by_system, by_document, by_cell):  # noqa: ANN001, ANN201 - arrays
    """Draw the error of a metric (system, item)."""
    document = np.arange(ITEMS) * DOCUMENTS // ITEMS
    return (
        rng.normal(0, by_system, (SYSTEMS, 1))
        + rng.normal(0, by_document, (SYSTEMS, DOCUMENTS))[:, document]
        + rng.normal(0, by_cell, (SYSTEMS, ITEMS))
    )


def table(rng, sizes, factor):  # noqa: ANN001, ANN201 - arrays
    """Draw people and two metrics, the errors of the first one `factor` times as large."""
    human = rng.normal(0, 0.5, (SYSTEMS, 1)) + rng.normal(0, 0.7, ITEMS) + rng.normal(0, 1, (SYSTEMS, ITEMS))
    human = np.round(human)  # people tie
    values = [human, human + factor * error(rng, *sizes), human + error(rng, *sizes)]
    return xr.DataArray(
        np.array(values),
        dims=("metric", "system", "item"),
        coords={
            "metric": ["human", "first", "second"],
            "system": [f"s{place}" for place in range(SYSTEMS)],
            "item": [str(place) for place in range(ITEMS)],
            "cluster": ("item", [f"d{place * DOCUMENTS // ITEMS}" for place in range(ITEMS)]),
        },
        attrs={"reference": "human"},
    )


def shares(sizes, factor, n, seed):  # noqa: ANN001, ANN201 - a mapping
    """Return the share of pairs called different by measure and exchange."""
    called = {}
    for number in range(n):
        scores = table(np.random.default_rng([seed, number]), sizes, factor)
        for exchange, tasks in ASKED.items():
            found = meta_metrics(
                scores, tasks=tasks, exchange=exchange, n_resamples=RESAMPLES, n_flips=20, n_chance=0, rng=number
            )
            for task, p in found.pairs[["task", "p"]].to_numpy()[:-1]:
                name = NAMES.get((exchange, task), exchange) if exchange == "published" else exchange
                called.setdefault((task, name), []).append(p <= ALPHA)
        for permute in ("both", "items", "systems"):
            p = compare_with_human(scores, permute=permute, n_resamples=RESAMPLES, rng=number).table["p"].iloc[0]
            called.setdefault((TWO_SIDED, permute), []).append(p <= ALPHA)
    return {key: float(np.mean(one)) for key, one in called.items()}


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "reports" / "metric-exchange.md")
    options = parser.parse_args()
    columns = {}
    for place, (name, sizes) in enumerate(SETTINGS.items()):
        columns[f"equal: {name}"] = shares(sizes, 1.0, options.pairs, place)
    for place, (name, sizes) in enumerate(SETTINGS.items()):
        columns[f"better: {name}"] = shares(sizes, 0.5, options.pairs // 4, 10 + place)
    keys = sorted(dict.fromkeys(key for one in columns.values() for key in one))
    margin = 1.96 * np.sqrt(0.1 * 0.9 / options.pairs)
    lines = [
        "# Exchanges of two metrics: errors of the first kind and power",
        "",
        f"Made by `python benchmarks/studies/calibrate_metric_exchange.py --pairs {options.pairs}`: the share of pairs of",
        "metrics called different at 0.05, one-sided for the one that came out better, so that 0.1 of equal pairs are",
        f"expected (\N{PLUS-MINUS SIGN} {margin:.3f}). Each set: {SYSTEMS} systems, {ITEMS} items in {DOCUMENTS}",
        f"documents; {RESAMPLES} exchanges. Errors of metrics vary by cell alone, by document too, and by system too.",
        "",
        "| measure | exchange | " + " | ".join(columns) + " |",
        "|---|---|" + "---|" * len(columns),
    ]
    lines += [
        f"| {task} | {exchange} | " + " | ".join(f"{one[task, exchange]:.3f}" for one in columns.values()) + " |"
        for task, exchange in keys
    ]
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
