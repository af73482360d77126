# ruff: noqa: RUF001, RUF002 - Greek letters are as papers write them
"""Do intervals of Eρ² hold that of real tables, and how many items have designs for a target.

*These* systems: only topics are drawn, and the table's Eρ² of these systems is the truth. *Others*: systems are drawn
from the table too, with replacement, and its Eρ² of all systems is the truth.
"""

from itertools import product
from zlib import crc32

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from populations import Floats, Population, mean_and_error

from metaeval.models.components import variance_components

SAMPLES, N_TOPICS, TARGET = 12, 50, 0.95
SETTINGS = (("these", 10), ("these", 20), ("others", 10), ("others", 20))
ASSURED, MOST_ITEMS = 0.9, 1.5


def judge(tables: list[Population], scale: float) -> pd.DataFrame:
    """Return one row a table, setting and sample."""
    jobs = [
        delayed(_row)(table, kind, n, number)
        for table in tables
        if table.matrix
        for (kind, n), number in product(SETTINGS, range(max(2, round(SAMPLES * scale))))
    ]
    return pd.DataFrame(Parallel(n_jobs=2)(jobs))


def _row(table: Population, kind: str, n_systems: int, number: int) -> dict[str, object]:
    rng = np.random.default_rng([crc32(table.name.encode()), n_systems, number])
    chosen = rng.choice(len(table.scores), min(n_systems, len(table.scores)), replace=kind == "others")
    own, rest = _components(table.scores[chosen] if kind == "these" else table.scores)
    seen = table.scores[chosen][:, rng.integers(0, table.scores.shape[1], N_TOPICS)]
    found = variance_components(seen)
    at_hand, true = found.dependability.iloc[0], own / (own + rest / N_TOPICS)
    planned = found.cheapest(target=TARGET, population=kind).query("goal == 'target'")["items"]
    least = np.ceil(TARGET / (1 - TARGET) * rest / own - 1e-9)
    items = planned.iloc[0] if len(planned) else np.inf
    return {
        "table": table.name,
        "kind": kind,
        "systems": n_systems,
        "reached": items >= least,
        "times": items / least,
        "above": true > at_hand["erho2_high"],
        "below": true < at_hand["erho2_low"],
    }


def _components(scores: Floats) -> tuple[float, float]:
    """Return the variances of systems, and of systems by topics, of a table that is the whole population of topics."""
    means = scores.mean(axis=1)
    rest = scores - means[:, None] - scores.mean(axis=0) + means.mean()
    n_systems, n_topics = scores.shape
    return float(means.var(ddof=1)), float((rest**2).sum() / ((n_systems - 1) * n_topics))


def section(rows: pd.DataFrame) -> str:
    """Write the section."""
    lines = [
        "## Designs for a dependability",
        "",
        f"""The 48 tables, {N_TOPICS} topics, {SAMPLES} samples each. Truth above, below: of the 95 % interval of Eρ² at
hand, which is for systems like these. Reached: share of the designs for Eρ² {TARGET} at {ASSURED} that have it. Items:
over the least number, the median. Others: systems are drawn from the table as well; of normal systems any method needs
2.0 times the least number with 10 and 1.6 times with 20, so that 1.5 is reached from some 25 systems on.""",
        "",
        "| question | systems | truth above | truth below | reached | items |",
        "|---|---|---|---|---|---|",
    ]
    for (kind, n), part in rows.groupby(["kind", "systems"], sort=False):
        cells = [
            "{:.3f} ({:.3f})".format(*mean_and_error(part.groupby("table")[name].mean()))
            for name in ("above", "below", "reached")
        ]
        lines.append(f"| {kind} | {n} | {' | '.join(cells)} | {part['times'].median():.2f} |")
    return "\n".join(lines) + "\n"


def failures(rows: pd.DataFrame) -> list[str]:
    """Return designs for these systems that fall short too often, or have far too many items."""
    words = []
    for (kind, n), part in rows.groupby(["kind", "systems"]):
        share, error = mean_and_error(part.groupby("table")["reached"].mean())
        error = max(error, np.sqrt(ASSURED * (1 - ASSURED) / len(part)))
        if kind == "these" and share < ASSURED - 4.0 * error:
            words.append(f"{n} systems: {share:.2f} of the designs reach the target")
        if kind == "these" and n == 20 and part["times"].median() > MOST_ITEMS + 1.0 / np.sqrt(len(part)):
            words.append(f"{n} systems: {part['times'].median():.2f} times the least items")
    return words
