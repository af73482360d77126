# ruff: noqa: RUF001 - typographic dashes and Greek letters are meant for people
"""What corrections guarantee and what they cost on real topics: false discovery rate and power of the paired t test.

Systems of a real table are put into groups, neighbours by their mean, and the systems of a group are made equal: every
pair within a group is a true null, and every pair across groups a true difference. Three nulls:

- exchanged: on every topic drawn, the scores of a group are dealt out anew to its systems;
- mirrored: on every topic drawn, all scores of a group are mirrored at the group's mean there, or none. The systems
  keep their own noise, their ties and the dependence between them;
- moved: every system is moved to its group's mean over the population. The differences keep their skew as well.

A sample's share of false discoveries is that among the pairs found, 0 where none is found; the false discovery rate is
its mean. Power is the share of the truly different pairs that is found.
"""

from textwrap import fill
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from populations import Population, judged, mean_and_error

from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS

type Floats = NDArray[np.float64]

ALPHA = 0.05
LAYOUTS = {"5 groups of 4": (5, 4), "2 groups of 10": (2, 10), "2 groups of 30": (2, 30), "20 equal": (1, 20)}
NULLS = ("exchanged", "mirrored", "moved")
TOPICS = (10, 20, 50)
MEASURES = {"ap": "AP", "p10": "P@10", "rr": "RR"}
TESTED = ("none", "fdr_bh", "fdr_by", "holm")
KEPT = TESTED[1:]
SAMPLES = 60


def judge(tables: list[Population], scale: float = 1.0) -> pd.DataFrame:
    """Return a row a table, layout, null, number of topics and correction: fdr, power, and samples with an error."""
    chosen = [one for one in tables if one.matrix and one.name.rpartition("_")[2] in MEASURES]
    return judged(chosen, _judge_table, n_samples=max(3, round(SAMPLES * scale)))


def _judge_table(table: Population, n_samples: int) -> list[dict[str, Any]]:
    return [
        {"layout": layout, "null": null, "topics": n_topics, "correction": correction, "samples": n_samples} | figures
        for layout, (n_groups, size) in LAYOUTS.items()
        if n_groups * size <= len(table.scores)
        for null in NULLS
        for n_topics in TOPICS
        for correction, figures in _figures(table, n_groups, size, null, n_topics, n_samples).items()
    ]


def _figures(  # noqa: PLR0913, PLR0917 - one setting
    table: Population, n_groups: int, size: int, null: str, n_topics: int, n_samples: int
) -> dict[str, dict[str, float]]:
    generator = np.random.default_rng([crc32(table.name.encode()), n_groups, size, NULLS.index(null), n_topics])
    first, second = np.triu_indices(n_groups * size, 1)
    equal = first // size == second // size
    found: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in TESTED}
    for _ in range(n_samples):
        chosen = table.scores[generator.choice(len(table.scores), n_groups * size, replace=False)]
        grouped = chosen[np.argsort(chosen.mean(axis=1), kind="stable")].reshape(n_groups, size, -1)
        seen = _drawn(grouped, null, n_topics, generator).reshape(n_groups * size, n_topics)
        bare = compare_systems(seen, test="t", correction="none", alpha=ALPHA)
        for name in TESTED:
            decided = bare.with_correction(name).data["significant"].to_numpy()[0]
            false, true = int((decided & equal).sum()), int((decided & ~equal).sum())
            power = true / int((~equal).sum()) if n_groups > 1 else np.nan
            found[name].append((false / max(false + true, 1), power, false > 0))
    return {
        name: dict(zip(("fdr", "power", "any"), np.mean(rows, axis=0).tolist(), strict=True))
        for name, rows in found.items()
    }


def _drawn(grouped: Floats, null: str, n_topics: int, generator: np.random.Generator) -> Floats:
    """Return scores (group, system, topic) on topics drawn, with the systems of a group made equal."""
    if null == "moved":
        grouped = grouped - grouped.mean(axis=2, keepdims=True) + grouped.mean(axis=(1, 2), keepdims=True)
    seen = grouped[..., generator.integers(0, grouped.shape[2], n_topics)]
    if null == "exchanged":
        return generator.permuted(seen, axis=1)
    if null == "mirrored":
        middle = seen.mean(axis=1, keepdims=True)
        return middle + generator.choice([-1.0, 1.0], n_topics) * (seen - middle)
    return seen


def section(rows: pd.DataFrame) -> str:
    """Return the section of the report."""
    n_tables, n_samples = rows["table"].nunique(), int(rows["samples"].iloc[0])
    named = [CORRECTIONS.label(name) for name in TESTED]
    head = " | ".join(f"{name}: rate, found" for name in named)
    about = (
        f"The paired t test at α = {ALPHA:g} on groups of equal systems, {n_tables} tables (AP, P@10, RR), {n_samples} "
        "samples each. Rate: realised false discovery rate. Found: share of the truly different pairs, in %. "
        "Exchanged: scores dealt out anew within a group on every topic. Mirrored: all scores of a group mirrored at "
        "its mean on a topic, or none, so that unequal noise and dependence remain. Moved: systems moved to the "
        "group's mean over the population, so that skew remains too. 2 groups of 30: tables with 60 systems or more."
    )
    lines = [
        "## Corrections",
        "",
        fill(about, 120),
        "",
        f"| groups | null | topics | {head} |",
        f"|---|---|---|{'---|' * len(named)}",
    ]
    for (layout, null, n_topics), part in rows.groupby(["layout", "null", "topics"], sort=False):
        cells = [_cell(part[part["correction"] == name]) for name in TESTED]
        lines.append(f"| {layout} | {null} | {n_topics} | {' | '.join(cells)} |")
    lines += ["", "By measure, all settings but 20 equal ones together:", "", f"| measure | null | {head} |"]
    lines.append(f"|---|---|{'---|' * len(named)}")
    some = rows[rows["power"].notna()]
    for suffix, measure in MEASURES.items():
        for null in NULLS:
            part = some[some["table"].str.endswith(f"_{suffix}") & (some["null"] == null)]
            lines.append(
                f"| {measure} | {null} | {' | '.join(_cell(part[part['correction'] == name]) for name in TESTED)} |"
            )
    return "\n".join(lines)


def _cell(part: pd.DataFrame) -> str:
    if part.empty:
        return "–"
    by_table = part.groupby("table")[["fdr", "power"]].mean()
    rate, error = mean_and_error(by_table["fdr"])
    cell = f"{rate:.4f} ({error:.4f})"
    if by_table["power"].isna().any():
        return f"{cell}, –"
    found, error = mean_and_error(100.0 * by_table["power"])
    return f"{cell}, {found:.1f} ({error:.1f})"


def failures(rows: pd.DataFrame) -> list[str]:
    """Return where a correction does not keep the false discovery rate, or the strict one finds more.

    Skewed differences move the t test itself, which no correction mends: where all systems are equal and moved, or
    moved on 10 topics, nothing is asked.
    """
    missed = []
    asked = rows[(rows["null"] != "moved") | (rows["power"].notna() & (rows["topics"] > TOPICS[0]))]
    for setting, part in asked.groupby(["layout", "null", "topics"], sort=False):
        by_name = {name: part[part["correction"] == name].set_index("table") for name in KEPT}
        for name, own in by_name.items():
            rate, error = mean_and_error(own["fdr"])
            error = max(error, np.sqrt(ALPHA * (1.0 - ALPHA) / own["samples"].sum()))
            if rate > ALPHA + 4.0 * error:
                missed.append(f"{setting}, {name}: false discovery rate {rate:.3f} ({error:.3f})")
        if (by_name["fdr_bh"]["power"] < by_name["fdr_by"]["power"]).any():
            missed.append(f"{setting}: Benjamini–Yekutieli finds more than Benjamini–Hochberg")
    return missed
