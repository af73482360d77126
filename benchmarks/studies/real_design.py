"""For how many pairs of systems planned numbers of topics give the power asked, and whether that share is said rightly.

A sample of topics is the pilot. The difference asked for is one that takes some 50 topics by the population's mean
variance. Truth: the standard deviations of all pairs' differences over the population, and the power of the paired t
test at the number of topics planned, had the pair the difference asked for. Beside it the share among the pairs whose
true difference is within a half of that, as these may vary otherwise.
"""

from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from populations import Population, judged, mean_and_error, samples

from metaeval.questions.design.study import study_design
from metaeval.tests_stat.noncentral_t import two_sided_power

TOPICS = (25, 50)
SYSTEMS = {"20": 20, "all": None}
SAMPLES = 12
POWER, SHARE = 0.8, 0.9
EFFECT = 0.4
"""The difference asked for over the root of the mean variance: 52 topics."""
MOST_OFF = 0.05
"""By which the shares may be off, on the mean of the tables."""


def judge(tables: list[Population], scale: float = 1.0) -> pd.DataFrame:
    """Return a row a table, size of the pilot and number of systems."""
    matrices = [one for one in tables if one.matrix]
    return judged(matrices, _judge_table, n_samples=max(2, round(SAMPLES * scale)))


def _judge_table(table: Population, n_samples: int) -> list[dict[str, Any]]:
    rows = []
    for n_topics in TOPICS:
        for word, n_systems in SYSTEMS.items():
            drawn = samples(table, n_topics=n_topics, n_systems=n_systems, n_samples=n_samples)
            found = pd.DataFrame([_figures(one.truth, one.seen) for one in drawn])
            said = found["said"] - found["reached"]
            row = {"topics": n_topics, "systems": word, "samples": n_samples, "rms": float(np.sqrt((said**2).mean()))}
            rows.append(row | found.mean().to_dict())
    return rows


def _figures(truth: np.ndarray[Any, Any], seen: np.ndarray[Any, Any]) -> dict[str, float]:
    first, second = np.triu_indices(len(truth), 1)
    differences = truth[first] - truth[second]
    differences = differences[differences.std(axis=1) > 0]
    spread, size = differences.std(axis=1), np.abs(differences.mean(axis=1))
    asked = EFFECT * float(np.sqrt((spread**2).mean()))
    row = study_design(seen, differences=[asked], methods=["t"], power=POWER, share=SHARE).table.iloc[0]
    near = (size > asked / 1.5) & (size < asked * 1.5)
    found = {"said": float(row["pairs_reached"])}
    for name, number in (("mean", int(row["n_topics"])), ("share", int(row["n_topics_for_share"]))):
        power = two_sided_power(asked * np.sqrt(number) / spread, number - 1)
        reached = power >= POWER
        suffix = "" if name == "mean" else " for share"
        found |= {
            f"topics{suffix} planned": number,
            f"reached{suffix}": float(reached.mean()),
            f"near reached{suffix}": float(reached[near].mean()) if near.any() else np.nan,
            f"power{suffix}": float(power.mean()),
            f"low{suffix}": float((power < POWER - 0.1).mean()),
        }
    return found


_COLUMNS = {
    "topics planned": ("topics", 1),
    "power": ("mean power", 3),
    "low": ("power < .7", 3),
    "reached": ("reach .8", 3),
    "said": ("said", 3),
    "rms": ("rms of said", 3),
    "near reached": ("reach .8, of such pairs", 3),
    "topics for share planned": ("topics for .9", 1),
    "power for share": ("mean power", 3),
    "low for share": ("power < .7", 3),
    "reached for share": ("reach .8", 3),
    "near reached for share": ("reach .8, of such pairs", 3),
}


def section(rows: pd.DataFrame) -> str:
    """Return the section of the report."""
    about = (
        f"`design` for a difference of {EFFECT:g} standard deviations of the mean pair, power {POWER:g}, from a pilot; "
        f"{rows['table'].nunique()} tables, {int(rows['samples'].iloc[0])} samples each. Left: the number for the mean "
        "variance, the share of all pairs that reach the power with it, and the share said. Right: the number for "
        f"{SHARE:g} of the pairs. Such pairs: those whose true difference is within a factor of 1.5 of the one asked."
    )
    lines = [
        "## Topic set size design",
        "",
        fill(about, 120),
        "",
        f"| pilot | systems | {' | '.join(label for label, _ in _COLUMNS.values())} |",
        f"|---|---|{'---|' * len(_COLUMNS)}",
    ]
    for (n_topics, systems), part in rows.groupby(["topics", "systems"], sort=False):
        cells = []
        for name, (_, digits) in _COLUMNS.items():
            mean, error = mean_and_error(part.set_index("table")[name].dropna())
            cells.append(f"{mean:.{digits}f} ({error:.{digits}f})")
        lines.append(f"| {n_topics} | {systems} | {' | '.join(cells)} |")
    return "\n".join(lines)


def failures(rows: pd.DataFrame) -> list[str]:
    """Return where a share is off by more than a few points."""
    missed = []
    for setting, part in rows.groupby(["topics", "systems"], sort=False):
        own = part.set_index("table")
        for name, off in (("said", own["said"] - own["reached"]), ("for share", own["reached for share"] - SHARE)):
            mean, error = mean_and_error(off)
            error = max(error, float(own["rms"].mean()) / np.sqrt(own["samples"].sum()))
            if abs(mean) > MOST_OFF + 4.0 * error:
                missed.append(f"{setting}, {name}: off by {mean:.3f} ({error:.3f})")
    return missed
