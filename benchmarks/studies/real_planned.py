"""Do the topics said to be needed reach what they are needed for? (run by `real_populations.py`).

The number that separates a pair of systems with a power of .8 if its effect is as observed: the power that the paired
t test has with so many topics for the pair's true effect. And the number that a metric needs for an error rate of 5 %:
the true error rate of two topic sets of that size.
"""

from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from populations import Floats, Population, judged, mean_and_error, samples
from real_error_rates import DRAWS, LIMIT, SIZES, true_rates
from scipy.stats import nct, t

from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.separation import topics_to_separate
from metaeval.table.scores import as_scores

POWER, ALPHA, MOST = 0.8, 0.05, 20
SAMPLES, SYSTEMS = 8, 20
PILOTS = (50, 25)
CLOSE = 0.02


def judge(tables: list[Population], scale: float = 1.0) -> pd.DataFrame:
    """Return a row a table, pilot and sample."""
    return judged(tables, _rows, n_samples=max(2, round(SAMPLES * scale)))


def _rows(table: Population, n_samples: int) -> list[dict[str, Any]]:
    return [
        {"topics": n_topics} | _of_pairs(sample.truth, sample.seen) | _of_rates(sample.truth, sample.seen, sample.seed)
        for n_topics in PILOTS
        for sample in samples(table, n_topics=n_topics, n_systems=SYSTEMS, n_samples=n_samples)
    ]


def _of_pairs(truth: Floats, seen: Floats) -> dict[str, float]:
    """Return the true power with the topics said to be needed: of all pairs, and of neighbours in the ranking."""
    names = [f"s{place}" for place in range(len(seen))]
    scores, found = as_scores(seen, systems=names), {}
    for kind in ("all", "adjacent"):
        frame = topics_to_separate(scores, pairs=kind, alpha=ALPHA, power=POWER).to_frame()
        frame = frame[(frame["topics_needed"] <= MOST * seen.shape[1]) & (frame["topics_needed"] > 1)]
        first, second = (truth[[names.index(name) for name in frame[side]]] for side in ("first", "second"))
        apart = first - second
        with np.errstate(divide="ignore", invalid="ignore"):
            power = _power(apart.mean(axis=1) / apart.std(axis=1), frame["topics_needed"].to_numpy())
        power = power[np.isfinite(power)]
        found |= {
            f"{kind}: power": power.mean() if len(power) else np.nan,
            f"{kind}: reached": (power >= POWER).mean() if len(power) else np.nan,
            f"{kind}: planned": len(power) / (len(seen) * (len(seen) - 1) / 2 if kind == "all" else len(seen) - 1),
        }
    return found


def _power(effect: Floats, n: Floats) -> Floats:
    """Return the chance that the paired t test finds the right direction."""
    return np.asarray(nct.sf(t.isf(ALPHA / 2, n - 1), n - 1, effect * np.sqrt(n)))


def _of_rates(truth: Floats, seen: Floats, seed: int) -> dict[str, float]:
    """Return the true error rate with the topics that a metric is said to need for one of 5 %."""
    model = bayesian_error_rate(as_scores(seen), tolerances=[0.0], draws=DRAWS, rng=seed)
    needed = float(np.median(model.tree["posterior"]["minimum_topics"].to_numpy()))
    rates = true_rates(truth)
    rate = float(np.interp(np.log(needed), np.log(SIZES), rates)) if np.isfinite(needed) else np.nan
    return {"rate": rate, "rate reached": float(rate <= LIMIT) if np.isfinite(rate) else np.nan}


def section(rows: pd.DataFrame) -> str:
    """Write the section."""
    kinds = [f"{kind}: {what}" for kind in ("all", "adjacent") for what in ("power", "reached", "planned")]
    n_samples = len(rows) // rows.groupby(["table", "topics"]).ngroups
    lines = ["## Topics needed, against their own aim", "", fill(WORDS.format(samples=n_samples), 120), ""]
    figures = "power | reach .8 | planned"
    head = f"| tables | pilot | all pairs: {figures} | neighbours: {figures} | error rate | reach 5 % |"
    lines += [head, "|" + "---|" * 10]
    for (matrix, n_topics), part in rows.groupby(["matrix", "topics"], sort=False):
        cells = [_cell(part, name) for name in (*kinds, "rate", "rate reached")]
        lines.append(f"| {'the 48' if matrix else 'others'} | {n_topics} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(part: pd.DataFrame, name: str) -> str:
    mean, error = mean_and_error(part.astype({"table": str}).groupby("table")[name].mean().dropna())
    return f"{mean:.3f} ({error:.3f})"


WORDS = f"""`topics_to_separate` and the number of topics for an error rate of 5 % (`topics`), {SYSTEMS} systems,
{{samples}} samples a table. Power: of the paired t test with the topics said to be needed for {POWER}, at the pair's
true effect; reach .8: share of the pairs that have it; planned: share of the pairs that need {MOST} times the pilot at
most, the others being left out. A pair's number is for the effect observed, and is printed with that of both ends of
its interval."""


def failures(rows: pd.DataFrame) -> list[str]:
    """Return where the error rate reached lies further than two points and four standard errors from the one asked."""
    missed = []
    for (matrix, n_topics), part in rows.groupby(["matrix", "topics"], sort=False):
        mean, error = mean_and_error(part.astype({"table": str}).groupby("table")["rate"].mean().dropna())
        if abs(mean - LIMIT) > CLOSE + 4.0 * error:
            missed.append(f"{n_topics} topics, {matrix=}: an error rate of {mean:.3f} ({error:.3f})")
    return missed
