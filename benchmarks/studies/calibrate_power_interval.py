"""Does the interval for discriminative power cover what it claims? Candidates compared on simulated populations.

The target is the expected discriminative power of a sample of T topics, with the systems fixed. From each population
many samples of T topics are drawn; each gives one interval per candidate, and the report counts how often the target
lies outside, and on which side. The shipped interval comes from `discriminative_power_interval` itself. Real topics as
the population are in ``real_power.py``.

    python benchmarks/studies/calibrate_power_interval.py            # writes benchmarks/reports/power_interval_coverage.md
    python benchmarks/studies/calibrate_power_interval.py --quick    # a tenth of the samples, to standard output
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import batched
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri, stdtrit

from metaeval.resampling.power_interval import PowerIntervals, discriminative_power_interval
from metaeval.resampling.share_intervals import share_interval
from metaeval.resampling.topic_resamples import t_powers
from metaeval.running.draws import bootstrap_indices
from metaeval.table.scores import as_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.pairs import Question, ask

REPORT = Path(__file__).parents[1] / "reports" / "power_interval_coverage.md"
SEED = 20260
CORRECTIONS = ("none", "fdr_by")
LEVEL = 0.95
NORMAL = ndtri(0.5 + LEVEL / 2)
OTHER_TESTS = ("bootstrap_sensitivity", "wilcoxon", "sign")
CHOSEN = "Wilson, shrunken means (shipped)"


@dataclass(frozen=True, kw_only=True)
class Population:
    """Systems whose scores on a topic are a squashed sum of topic, system, group x topic and system x topic effects.

    Two metrics see the same latent quality: the first as `kind` says, the second coarsely (a precision at 10).
    """

    name: str
    n_systems: int
    n_topics: int
    spread: float
    n_groups: int
    kind: str = "smooth"
    heavy: bool = False
    weak_tail: bool = False

    def system_effects(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the effect of every system, and its group; systems of a group resemble each other."""
        rng = np.random.default_rng(SEED)
        group = np.arange(self.n_systems) % self.n_groups
        effect = rng.normal(0, self.spread, self.n_groups)[group] + rng.normal(0, 0.4 * self.spread, self.n_systems)
        if self.weak_tail:
            effect[rng.choice(self.n_systems, self.n_systems // 8, replace=False)] -= 3
        return effect, group

    def samples(self, n_samples: int, seed: int) -> Iterator[NDArray[np.float64]]:
        """Yield samples of topics: arrays (metric, system, topic)."""
        rng = np.random.default_rng([SEED, seed])
        effect, group = self.system_effects()
        for _ in range(n_samples):
            latent = -1.2 + effect[:, None] + rng.normal(0, 1.2, self.n_topics)
            latent = latent + self._noise(rng, (self.n_groups, self.n_topics))[group]
            latent = latent + self._noise(rng, latent.shape)
            quality = expit(latent)
            coarse = rng.binomial(10, expit(latent + self._noise(rng, latent.shape))) / 10
            yield np.stack([self._measured(quality, rng), coarse])

    def _noise(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        return 0.3 * rng.standard_t(2.5, shape) if self.heavy else rng.normal(0, 0.5, shape)

    def _measured(self, quality: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        if self.kind == "reciprocal rank":
            return 1 / np.minimum(rng.geometric(np.clip(quality, 0.02, 1)), 50)
        return quality


POPULATIONS = (
    Population(name="many systems, weak tail", n_systems=60, n_topics=50, spread=0.6, n_groups=20, weak_tail=True),
    Population(name="few systems, few topics", n_systems=10, n_topics=25, spread=0.4, n_groups=10),
    Population(name="few systems, in pairs", n_systems=10, n_topics=50, spread=0.3, n_groups=5),
    Population(name="systems far apart", n_systems=30, n_topics=50, spread=1.5, n_groups=30),
    Population(name="systems close together", n_systems=30, n_topics=50, spread=0.08, n_groups=10),
    Population(name="reciprocal rank", n_systems=30, n_topics=50, spread=0.4, n_groups=10, kind="reciprocal rank"),
    Population(name="heavy-tailed differences", n_systems=30, n_topics=30, spread=0.4, n_groups=10, heavy=True),
    Population(name="many topics", n_systems=30, n_topics=150, spread=0.3, n_groups=10),
)


def candidates(
    observed: float, resampled: NDArray[np.float64], halves: NDArray[np.float64], n_topics: int, n_pairs: int
) -> dict[str, tuple[float, float]]:
    """Return the interval of every candidate but the shipped one, uncut."""
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail])
    spread = resampled.std(ddof=1)
    below = (resampled < observed).mean() + 0.5 * (resampled == observed).mean()
    shift = ndtri(np.clip(below, 1 / len(resampled), 1 - 1 / len(resampled)))
    corrected = np.quantile(resampled, ndtr(2 * shift + np.array([-NORMAL, NORMAL])))
    half_spread = halves.std(ddof=1) * np.sqrt((n_topics // 2) / (n_topics - n_topics // 2))
    inside = np.clip(observed, 0.5 / n_pairs, 1 - 0.5 / n_pairs)
    half = spread * stdtrit(n_topics - 1, 1 - tail) * np.sqrt(n_topics / (n_topics - 1))
    scale = half / (inside * (1 - inside))
    wilson = share_interval(observed, resampled, freedom=n_topics - 1, confidence_level=LEVEL)
    return {
        "percentile": (low, high),
        "basic": (2 * observed - high, 2 * observed - low),
        "bias-corrected percentile": tuple(corrected),
        "percentile, recentred": (low - resampled.mean() + observed, high - resampled.mean() + observed),
        "normal and bootstrap spread": (observed - NORMAL * spread, observed + NORMAL * spread),
        "normal and spread of halves": (observed - NORMAL * half_spread, observed + NORMAL * half_spread),
        "t and bootstrap spread": (observed - half, observed + half),
        "Wilson, means as they are": (float(wilson[0]), float(wilson[1])),
        "t and spread, logit scale": (expit(logit(inside) - scale), expit(logit(inside) + scale)),
    }


def half_powers(question: Question, n_halves: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the power on random halves of the topics: an array (metric, half)."""
    topics = np.argsort(rng.random((n_halves, question.n_topics)), axis=1)[:, : question.n_topics // 2]
    return t_powers(question, topics, n_threads=1)[0]


def targets(population: Population, n_samples: int) -> NDArray[np.float64]:
    """Return power on many samples, an array (correction, metric, sample): their mean is the target."""
    samples = population.samples(n_samples, 0)
    powers = []
    for batch in batched(samples, 50):
        joined = ask(np.concatenate(batch, axis=2))
        lists = np.arange(joined.n_topics).reshape(len(batch), population.n_topics)
        powers.append(t_powers(joined, lists, corrections=CORRECTIONS, n_threads=1))
    return np.concatenate(powers, axis=-1)


def misses(population: Population, n_samples: int, n_rounds: int, truth: NDArray[np.float64]) -> pd.DataFrame:
    """Return one row a sample, correction, quantity and candidate: whether it missed, on which side, its width."""
    rng = np.random.default_rng([SEED, 2])
    rows: list[dict[str, object]] = []
    for sample in population.samples(n_samples, 1):
        scores = as_scores(sample, metrics=["first", "second"])
        found = discriminative_power_interval(
            scores, test="t", corrections=CORRECTIONS, n_topic_resamples=n_rounds, rng=rng, n_threads=1
        )
        rows += shipped_rows(found, truth)
        halves = half_powers(ask(scores), n_rounds, rng)
        topics = bootstrap_indices(rng, n_rounds, population.n_topics)
        power, resampled = found.data["power"].to_numpy()[0], t_powers(ask(scores), topics, n_threads=1)[0]
        n_pairs = population.n_systems * (population.n_systems - 1) // 2
        for metric, name in enumerate(("power, smooth metric", "power, coarse metric")):
            intervals = candidates(power[metric], resampled[metric], halves[metric], population.n_topics, n_pairs)
            bias, spread = resampled[metric].mean() - power[metric], resampled[metric].std(ddof=1)
            for candidate, (low, high) in intervals.items():
                row = _row("none", name, candidate, (max(0, low), min(1, high)), truth[0, metric])
                rows.append(row | {"bias": bias, "spread": spread})
    return pd.DataFrame(rows).assign(population=population.name)


def shipped_rows(found: PowerIntervals, truth: NDArray[np.float64]) -> list[dict[str, object]]:
    """Return the shipped intervals of both metrics and of their difference, under both corrections."""
    rows = []
    powers, differences = found.to_frame(), found.differences()
    for place, correction in enumerate(CORRECTIONS):
        own = powers[powers["correction"] == correction]
        for metric, name in enumerate(("power, smooth metric", "power, coarse metric")):
            bounds = (own["low"].iloc[metric], own["high"].iloc[metric])
            rows.append(_row(correction, name, CHOSEN, bounds, truth[place, metric]))
        both = differences[differences["correction"] == correction].iloc[0]
        target = truth[place, 0] - truth[place, 1]
        rows.append(_row(correction, "difference of the two", CHOSEN, (both["low"], both["high"]), target))
    return rows


def _row(
    correction: str, quantity: str, candidate: str, bounds: tuple[float, float], target: float
) -> dict[str, object]:
    low, high = bounds
    names = {"correction": correction, "quantity": quantity, "candidate": candidate}
    return names | {"above": target < low, "below": target > high, "width": high - low}


def other_tests(n_samples: int, n_targets: int) -> pd.DataFrame:
    """Return how the intervals of tests for which t stands in cover the power under the test itself."""
    rows = []
    for population in POPULATIONS[1:7]:
        for test in OTHER_TESTS:
            aims = [
                compare_systems(as_scores(sample), test=test, correction="none", n_resamples=500, rng=0, n_threads=1)
                for sample in population.samples(n_targets, 5)
            ]
            found = pd.concat(
                discriminative_power_interval(
                    as_scores(sample), test=test, n_resamples=500, rng=number, n_threads=1
                ).to_frame()
                for number, sample in enumerate(population.samples(n_samples, 6))
            )
            row: dict[str, object] = {"population": population.name, "test": test}
            for correction in CORRECTIONS:
                powers = [one.with_correction(correction).discriminative_power()["power"].iloc[0] for one in aims]
                target, own = np.mean(powers), found[found["correction"] == correction].iloc[::2]  # the smooth metric
                covered = (own["low"] <= target) & (target <= own["high"])
                row |= {f"target, {correction}": float(target), f"coverage, {correction}": float(covered.mean())}
            rows.append(row)
        print(population.name, "by other tests", flush=True, file=sys.stderr)
    return pd.DataFrame(rows)


def table(frame: pd.DataFrame) -> str:
    """Return a Markdown table."""
    lines = ["| " + " | ".join(map(str, frame.columns)) + " |", "|" + "---|" * frame.shape[1]]
    for row in frame.itertuples(index=False):
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def study(n_samples: int, n_rounds: int, n_targets: int, n_others: int) -> str:
    """Run everything and return the report."""
    parts = []
    about = []
    for population in POPULATIONS:
        powers = targets(population, n_targets)
        truth = powers.mean(axis=-1)
        frame = misses(population, n_samples, n_rounds, truth)
        parts.append(frame)
        smooth = frame[frame["quantity"] == "power, smooth metric"]
        about.append(
            {
                "population": population.name,
                "systems": population.n_systems,
                "topics": population.n_topics,
                "target": float(truth[0, 0]),
                "spread of samples": float(powers[0, 0].std()),
                "mean spread of resamples": float(smooth["spread"].mean()),
                "mean bias of resamples": float(smooth["bias"].mean()),
            }
        )
        print(population.name, flush=True, file=sys.stderr)
    rows = pd.concat(parts, ignore_index=True)
    rows["covered"] = ~(rows["above"] | rows["below"])
    plain = rows[(rows["correction"] == "none") & (rows["quantity"] != "difference of the two")]
    by_candidate = (
        plain.groupby(["candidate", "quantity", "population"], sort=False)["covered"]
        .mean()
        .groupby("candidate", sort=False)
    )
    overview = pd.DataFrame(
        {
            "mean coverage": by_candidate.mean(),
            "worst": by_candidate.min(),
            "best": by_candidate.max(),
            "target below interval": plain.groupby("candidate", sort=False)["above"].mean(),
            "target above interval": plain.groupby("candidate", sort=False)["below"].mean(),
            "mean width": plain.groupby("candidate", sort=False)["width"].mean(),
        }
    ).reset_index()
    shipped = rows[rows["candidate"] == CHOSEN].assign(
        case=lambda frame: frame["quantity"] + ", " + frame["correction"].map({"none": "none", "fdr_by": "BY"})
    )
    detail = shipped.pivot_table(index="population", columns="case", values="covered", sort=False).reset_index()
    others = other_tests(n_others, 4 * n_others)
    return TEXT.format(
        n_samples=n_samples,
        n_rounds=n_rounds,
        n_targets=n_targets,
        error=np.sqrt(0.95 * 0.05 / n_samples),
        about=table(pd.DataFrame(about)),
        overview=table(overview),
        detail=table(detail),
        n_others=n_others,
        n_targets_others=4 * n_others,
        others=table(others),
        **{f"mean_{name}": others[f"coverage, {name}"].mean() for name in CORRECTIONS},
    )


TEXT = """# Coverage of the interval for discriminative power

Made by `python benchmarks/studies/calibrate_power_interval.py` (six minutes on one core). Paired t test at level .05, nominal
level 95 %, {n_samples} samples of topics per population (a coverage has a standard error of about {error:.3f}),
{n_rounds} topic resamples per sample. The target is the expected power of a sample of T topics, with the systems
fixed, estimated from {n_targets} other samples.

## The populations

Power on resampled topics is biased upwards, because a resampled difference carries the noise of the sample twice;
its spread is about that of power over samples.

{about}

## The candidates

Uncorrected power, both metrics, all populations; worst and best are over populations and metrics. "Target below
interval" is the share of samples whose interval lies wholly above the target.

{overview}

The percentile interval inherits the bias. The basic and the bias-corrected interval take it off once, although power
on the topics at hand has none, and so err on the other side. The spread of halves is that of a test with less power.
On the logit scale an interval near 0 or 1 can stretch over most of the range. Shipped: Wilson's interval, with the
spread over topics drawn after the means of the systems were moved together by their noise.

## The shipped interval, case by case

{detail}

## Other tests

On resampled topics t stands in for every other test. Coverage of the power under the test itself, B = 500, the smooth
metric, {n_others} samples a population, target from {n_targets_others} other samples.

{others}

On average {mean_none:.3f} uncorrected and {mean_fdr_by:.3f} under Benjamini and Yekutieli.
"""


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples, report to standard output")
    arguments = parser.parse_args()
    start = time.perf_counter()
    if arguments.quick:
        print(study(50, 200, 500, 10))
    else:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(study(200, 200, 2000, 50))
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
