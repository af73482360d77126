"""Whether early precision needs more topics than average precision: error rates at equal sizes, with intervals.

Run: python benchmarks/studies/early_precision.py DATA_FOLDER [--replicates 200]

Pal, Mitra and Kamps (2010) found higher error rates for early-precision measures than for the average. Here: the Web
tracks 2010 to 2014. The intervals of the differences come from the topic bootstrap, in which all metrics share the
topics drawn, so that what they have in common cancels. Written to benchmarks/reports/.
"""

import argparse
from pathlib import Path

import pandas as pd
from scipy.special import ndtri

from metaeval.resampling.swap import swap_method, topic_bootstrap
from metaeval.table.scores import as_scores

REPORT = Path(__file__).parents[1] / "reports" / "early-precision.md"
METRICS = ("ap", "p10", "rr", "err20", "ndcg20")
SIZES = (10, 20)
CONFIDENCE = 0.9


def markdown(frame: pd.DataFrame) -> str:
    """Lay a table out in Markdown."""
    lines = [list(map(str, frame.columns)), ["---"] * len(frame.columns), *frame.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def differences(folder: Path, year: int, n_topic_resamples: int) -> pd.DataFrame:
    """Return the error rate of AP and what every other metric has above it, with 90 % intervals."""
    paths = {name: folder / "trec-matrices" / f"web{year}_{name}.csv" for name in METRICS}
    scores = as_scores({name: pd.read_csv(path) for name, path in paths.items()})
    seen = swap_method(scores, sizes=SIZES, n_trials=400, rng=0).rates()
    drawn = topic_bootstrap(scores, sizes=SIZES, n_topic_resamples=n_topic_resamples, rng=0)
    replicates = drawn["swaps"] / drawn["comparisons"]
    spread = (replicates - replicates.sel(metric="ap", drop=True)).std("replicate", ddof=1)
    above = seen - seen.sel(metric="ap", drop=True)
    rows = []
    for size in SIZES:
        for tolerance in seen["tolerance"].to_numpy():
            cell = {"tolerance": tolerance, "size": size}
            row = {
                "tolerance": f"{tolerance:.0%}",
                "topics": size,
                "ap": f"{float(seen.sel(cell | {'metric': 'ap'})):.3f}",
            }
            for name in METRICS[1:]:
                gap, reach = (float(values.sel(cell | {"metric": name})) for values in (above, spread))
                reach *= ndtri(0.5 + CONFIDENCE / 2)
                row[f"{name} - ap"] = f"{gap:+.3f} [{gap - reach:+.3f}, {gap + reach:+.3f}]"
            rows.append(row)
    return pd.DataFrame(rows)


def main() -> None:
    """Write the report and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec-matrices/")
    parser.add_argument("--replicates", type=int, default=200)
    options = parser.parse_args()
    parts = [
        "# Early precision against the average at equal topic-set sizes: Web tracks 2010-2014",
        (
            "Error rates of the swap method (disjoint sets, relative tolerances, 400 trials): AP, and every other "
            "metric "
            f"less AP with a 90 % interval from {options.replicates} topic-bootstrap replicates."
        ),
    ]
    for year in range(2010, 2015):
        parts += [f"## Web {year}", markdown(differences(options.data, year, options.replicates))]
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    print(REPORT.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
