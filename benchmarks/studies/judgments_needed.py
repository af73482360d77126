"""Do the judgments said to be enough keep the ranking as said? Collections from TREC as the whole truth.

`metaeval judgments` says from 10 draws which share of the judgments keeps a Kendall's tau of .9 with the ranking under
all of them. The truth is the mean over many other draws at many more steps: what tau that share has there, and how far
the share is from the true one, in points of all judgments.

    python benchmarks/studies/judgments_needed.py DATA_FOLDER            # writes the report of the same name
    python benchmarks/studies/judgments_needed.py DATA_FOLDER --quick    # a tenth of the samples, to standard output
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from quick_or_whole import write_report

from metaeval.collection.documents import JudgedCollection
from metaeval.io.trec import read_collection
from metaeval.resampling.stability import measure_stability

REPORT = Path(__file__).parents[1] / "reports" / "judgments_needed.md"
METRICS = ("AP", "nDCG@10", "P@10", "bpref")
WAYS = ("stratified", "random", "topics")
FINE = (2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 95)
MIN_TAU, CLOSE = 0.9, 0.02
SAID, TRUTH = 8, 80
"""Times that something is said, from 10 draws each, and draws behind the truth."""


def collections(data: Path) -> Iterator[tuple[str, JudgedCollection]]:
    """Yield TREC 2003 Robust and DL 2019."""
    robust, passages = data / "trec2003-robust", data / "trec-dl19-passage"
    yield "Robust 2003", read_collection(sorted(robust.glob("runs/*.gz")), robust / "qrels.txt.xz")
    yield "DL 2019", read_collection(passages / "runs", passages / "qrels.txt.gz", retrieved="all")


def rows_of(name: str, collection: JudgedCollection, way: str, n_said: int, n_truth: int) -> list[dict[str, object]]:
    """Return a row a metric and time that something is said."""
    options = {"metrics": METRICS, "reduction": way, "n_tested": 0}
    truth = measure_stability(collection, steps=FINE, n_replicates=n_truth, rng=10**6, **options)
    needed = truth.thresholds(min_tau=MIN_TAU).set_index("metric")
    tau = truth.data["tau"].mean("replicate")
    rows = []
    for seed in range(n_said):
        said = measure_stability(collection, n_replicates=10, rng=seed, **options).thresholds(min_tau=MIN_TAU)
        for row in said[said["kind"].isin(["interpolated", "observed"])].to_dict("records"):
            metric = row["metric"]
            steps, taus = [*truth.data["step"].to_numpy(), 100.0], [*tau.sel(metric=metric).to_numpy(), 1.0]
            order = np.argsort(steps)
            off = row["left"] - float(needed.loc[metric, "left"])
            rows.append(
                {
                    "collection": name,
                    "judgments": way,
                    "metric": metric,
                    "said": row["left"],
                    "true": needed.loc[metric, "left"],
                    "tau": np.interp(row["level"], np.array(steps)[order], np.array(taus)[order]),
                    "off": off,
                    "above": off < -2.0 * row["left_error"],
                    "below": off > 2.0 * row["left_error"],
                }
            )
    return rows


def report(data: Path, share: float) -> str:
    """Measure every collection and way."""
    n_said, n_truth = max(3, round(SAID * share)), max(20, round(TRUTH * share))
    rows = [row for one in collections(data) for way in WAYS for row in rows_of(*one, way, n_said, n_truth)]
    frame = pd.DataFrame(rows)
    lines = [
        "| collection | judgments | metric | said, % | true, % | τ there | truth above | truth below |",
        "|---" * 8 + "|",
    ]
    for names, part in frame.groupby(["collection", "judgments", "metric"], sort=False):
        spread = part["tau"].std() / np.sqrt(len(part))
        lines.append(
            f"| {' | '.join(names)} | {part['said'].mean():.1f} ± {part['said'].std():.1f} | {part['true'].iloc[0]:.1f} | "
            f"{part['tau'].mean():.3f} ({spread:.3f}) | {part['above'].mean():.2f} | {part['below'].mean():.2f} |"
        )
    of_rows = frame.groupby(["collection", "judgments", "metric"])
    tau, sides = of_rows["tau"].mean(), of_rows[["above", "below"]].mean()
    mean, error = tau.mean(), tau.std() / np.sqrt(len(tau))
    within = int(((tau - MIN_TAU).abs() <= CLOSE).sum())
    words = HEAD.format(
        n_said=n_said, n_truth=n_truth, mean=mean, error=error, within=within, n=len(tau), **sides.mean()
    )
    return "\n".join([words, "", *lines, ""])


HEAD = """\
# Judgments needed, against what they keep

Made by `python benchmarks/studies/judgments_needed.py DATA_FOLDER`. From 10 draws `metaeval judgments` says which share of
the judgments keeps a τ of 0.9 with the ranking under all of them; {n_said} times a row. The truth is the mean of {n_truth}
other draws at 23 steps. τ there: what the share that was said has in truth, with its standard error. Truth above, below:
how often the true share is more than the two standard errors that the page gives away from what is said.

Over the rows τ is {mean:.3f} ({error:.3f}) for 0.9, within .02 in {within} of {n}; the true share is above what is said and
its two standard errors in {above:.3f} of the times, below in {below:.3f}."""


if __name__ == "__main__":
    write_report(__doc__, REPORT, lambda quick, data: report(data, 0.1 if quick else 1.0), data="with trec2003-robust")
