"""Do the intervals for the agreement of two metrics cover what they claim? Candidates on simulated populations.

The target is the expected F1, precision or share of a sample of T topics, with the systems fixed. From each population
many samples of T topics are drawn; each gives one interval per candidate, and the report counts how often the target
lies outside, and on which side. The shipped interval comes from `agreement_intervals` itself. The populations are
those of ``calibrate_power_interval.py``.

    python benchmarks/studies/calibrate_agreement.py            # writes benchmarks/reports/agreement_coverage.md
    python benchmarks/studies/calibrate_agreement.py --quick    # few samples, to standard output
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from calibrate_power_interval import POPULATIONS, Population, table
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from metaeval.agreement.decisions import agreement_counts, agreement_shares, decision_agreement
from metaeval.resampling.agreement_interval import AgreementIntervals, agreement_intervals, verdicts_of_draws
from metaeval.resampling.share_intervals import share_interval
from metaeval.running.draws import bootstrap_indices
from metaeval.table.scores import Scores, as_scores

REPORT = Path(__file__).parents[1] / "reports" / "agreement_coverage.md"
LEVEL = 0.95
CHOSEN = "Wilson, shrunken means (shipped)"
SETTINGS = (("t", "none"), ("t", "fdr_by"), ("bootstrap_percentile", "none"), ("bootstrap_percentile", "fdr_by"))
MEASURES = ("f1", "precision", "recall", "share")
B = 2000


def candidates(observed: float, resampled: NDArray[np.float64], n_topics: int) -> dict[str, tuple[float, float]]:
    """Return the interval of every candidate but the shipped one, from draws of the scores as they are."""
    known = resampled[np.isfinite(resampled)]
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    factor = stdtrit(n_topics - 1, (1 + LEVEL) / 2) * np.sqrt(n_topics / (n_topics - 1))
    half, far = factor * known.std(ddof=1), factor * np.sqrt(((known - observed) ** 2).mean())
    wilson = share_interval(observed, known, freedom=n_topics - 1, confidence_level=LEVEL)
    inside = float(np.clip(observed, 0.01, 0.99))
    scale = half / (inside * (1 - inside))
    return {
        "t and spread of the draws": (observed - half, observed + half),
        "t and distance of the draws": (observed - far, observed + far),
        "Wilson, means as they are": (float(wilson[0]), float(wilson[1])),
        "percentile": (low, high),
        "basic": (2 * observed - high, 2 * observed - low),
        "t and spread, logit scale": (expit(logit(inside) - scale), expit(logit(inside) + scale)),
    }


def first_pair(values: NDArray[np.float64]) -> float:
    """Return what the first metric, taken as predictor, has with the second, or the first metric's own share."""
    return float(values[0, 0, 1] if values.ndim == 3 else values[0, 0])


def targets(population: Population, n_samples: int, test: str, correction: str) -> dict[str, float]:
    """Return the mean of every measure over many samples; undefined ones are left out."""
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    for sample in population.samples(n_samples, 0):
        data = decision_agreement(as_scores(sample), test=test, correction=correction, n_resamples=B, rng=0).data
        for name in MEASURES:
            found[name].append(first_pair(data[name].to_numpy()))
    return {name: float(np.nanmean(values)) for name, values in found.items()}


def drawn(found: AgreementIntervals, scores: Scores, seed: int) -> dict[str, NDArray[np.float64]]:
    """Return every measure on resampled topics, with the means of the systems as they are."""
    rng, result = np.random.default_rng(seed), found.agreement.result
    topics = bootstrap_indices(rng, found.n_topic_resamples, found.n_topics)
    verdict = verdicts_of_draws(scores, result, topics, alpha=result.alpha, generator=rng, n_threads=1)
    n_rejected, n_shared, _ = agreement_counts(verdict)
    shares = {name: values[:, 0, 1] for name, values in agreement_shares(n_rejected, n_shared).items()}
    return shares | {"share": n_rejected[:, 0] / verdict.shape[-1]}


def rows(population: Population, n_samples: int, n_rounds: int, n_targets: int) -> pd.DataFrame:
    """Return one row a sample, setting, measure and candidate: whether it missed, on which side, its width."""
    parts = []
    for test, correction in SETTINGS:
        truth = targets(population, n_targets, test, correction)
        for number, sample in enumerate(population.samples(n_samples, 1)):
            options = {"test": test, "correction": correction, "n_resamples": B, "n_topic_resamples": n_rounds}
            found = agreement_intervals(as_scores(sample), rng=number, n_threads=1, **options)  # type: ignore[arg-type]
            frame, shares = found.to_frame().iloc[0], found.shares().iloc[0]
            plain = drawn(found, as_scores(sample), number)
            for name in MEASURES:
                observed = first_pair(found.agreement.data[name].to_numpy())
                shipped = (
                    (frame[f"{name}_low"], frame[f"{name}_high"]) if name != "share" else (shares.low, shares.high)
                )
                if not np.isfinite([*shipped, observed]).all():
                    parts.append((test, correction, name, CHOSEN, np.nan, np.nan, np.nan, truth[name]))
                    continue
                every = {CHOSEN: shipped, **candidates(observed, plain[name], population.n_topics)}
                for candidate, (low, high) in every.items():
                    missed = (truth[name] < low - 1e-12, truth[name] > high + 1e-12)
                    parts.append((test, correction, name, candidate, *missed, min(1, high) - max(0, low), truth[name]))
        print(population.name, test, correction, flush=True, file=sys.stderr)
    columns = ["test", "correction", "measure", "candidate", "above", "below", "width", "target"]
    return pd.DataFrame(parts, columns=columns).assign(population=population.name)


def study(n_samples: int, n_rounds: int, n_targets: int) -> str:
    """Run everything and return the report."""
    frame = pd.concat([rows(one, n_samples, n_rounds, n_targets) for one in POPULATIONS], ignore_index=True)
    frame["covered"] = 1.0 - (frame["above"].astype(float) + frame["below"].astype(float))
    frame["setting"] = frame["test"] + ", " + frame["correction"].map({"none": "none", "fdr_by": "BY"})
    known = frame.dropna(subset=["covered"])
    f1 = known[known["measure"] == "f1"]
    by_case = f1.groupby(["candidate", "setting", "population"], sort=False)["covered"].mean()
    overview = pd.DataFrame(
        {
            "mean coverage": by_case.groupby("candidate", sort=False).mean(),
            "worst": by_case.groupby("candidate", sort=False).min(),
            "target below interval": f1.groupby("candidate", sort=False)["above"].mean(),
            "target above interval": f1.groupby("candidate", sort=False)["below"].mean(),
            "mean width": f1.groupby("candidate", sort=False)["width"].mean(),
        }
    ).reset_index()
    shipped = known[known["candidate"] == CHOSEN]
    detail = shipped[shipped["measure"] == "f1"].pivot_table(
        index="population", columns="setting", values="covered", sort=False
    )
    aims = frame[frame["measure"] == "f1"].pivot_table(
        index="population", columns="setting", values="target", sort=False
    )
    others = shipped.pivot_table(index="measure", columns="setting", values="covered", sort=False)
    lowest = shipped.groupby(["measure", "setting", "population"], sort=False)["covered"].mean()
    others["worst population"] = lowest.groupby("measure", sort=False).min()
    none = frame[(frame["candidate"] == CHOSEN) & frame["covered"].isna()].groupby("measure").size()
    others["without an interval"] = none.reindex(others.index).fillna(0).astype(int)
    return TEXT.format(
        n_samples=n_samples,
        n_rounds=n_rounds,
        n_targets=n_targets,
        B=B,
        error=np.sqrt(0.95 * 0.05 / n_samples),
        aims=table(aims.astype(float).reset_index()),
        overview=table(overview),
        detail=table(detail.reset_index()),
        others=table(others.reset_index()),
    )


TEXT = """# Coverage of the intervals for agreement

Made by `python benchmarks/studies/calibrate_agreement.py`. Two metrics, one of them coarse; nominal level 95 %, {n_samples}
samples of topics per population (a coverage has a standard error of about {error:.3f}), {n_rounds} topic resamples per
sample, B = {B} for the percentile bootstrap. The target is the expected value for a sample of T topics, with the
systems fixed, estimated from {n_targets} other samples. The populations are described in
[power_interval_coverage.md](power_interval_coverage.md).

## The F1 to be covered

{aims}

## The candidates, for F1

All populations, tests and corrections.

{overview}

Resampled topics make more pairs significant under both metrics, so that F1 varies less over draws than over samples:
an interval from that spread alone is too narrow where few pairs are significant. The percentile interval takes over
the bias, the basic one mirrors it; the distance of the draws from the value found counts the bias as error and is too
wide where most pairs are significant. Shipped, for F1, precision and recall, is Wilson's interval with that distance;
the topics are drawn after the means of the systems were moved together by their noise.

## The shipped interval for F1, case by case

{detail}

## The shipped interval for the other measures

Mean coverage over the populations, and the worst of all cases. No interval is given where the measure is undefined in
more than a tenth of the draws; the last column counts these, over all populations and settings.

{others}
"""


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few samples, report to standard output")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # levels out of reach are part of what is studied
    start = time.perf_counter()
    if arguments.quick:
        print(study(10, 100, 40))
    else:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(study(40, 200, 200))
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
