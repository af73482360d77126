# ruff: noqa: RUF001 - typographic dashes and Greek letters are meant for people
"""Which test under which correction: levels, false discoveries and power of t, Wilcoxon and sign on real topics.

Systems of a group are made equal as in `real_corrections.py`; the same samples go to every test.
"""

from textwrap import fill
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from populations import Population, judged, mean_and_error
from real_corrections import ALPHA, MEASURES, NULLS, TOPICS, _drawn

from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS

LAYOUTS = {"5 groups of 4": (5, 4), "20 equal": (1, 20)}
TESTED = ("t", "wilcoxon", "sign")
KEPT = ("fdr_bh", "fdr_by", "holm")
SAMPLES = 24


def judge(tables: list[Population], scale: float = 1.0) -> pd.DataFrame:
    """Return a row a table, layout, null, number of topics and test: its level, and by correction fdr, power, any."""
    chosen = [one for one in tables if one.matrix and one.name.rpartition("_")[2] in MEASURES]
    return judged(chosen, _judge_table, n_samples=max(3, round(SAMPLES * scale)))


def _judge_table(table: Population, n_samples: int) -> list[dict[str, Any]]:
    return [
        {"layout": layout, "null": null, "topics": n_topics, "test": test, "samples": n_samples} | figures
        for layout, (n_groups, size) in LAYOUTS.items()
        if n_groups * size <= len(table.scores)
        for null in NULLS
        for n_topics in TOPICS
        for test, figures in _figures(table, n_groups, size, null, n_topics, n_samples).items()
    ]


def _figures(  # noqa: PLR0913, PLR0917 - one setting
    table: Population, n_groups: int, size: int, null: str, n_topics: int, n_samples: int
) -> dict[str, dict[str, float]]:
    generator = np.random.default_rng([crc32(table.name.encode()), n_groups, size, NULLS.index(null), n_topics, 1])
    first, second = np.triu_indices(n_groups * size, 1)
    equal = first // size == second // size
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in TESTED}
    for _ in range(n_samples):
        chosen = table.scores[generator.choice(len(table.scores), n_groups * size, replace=False)]
        grouped = chosen[np.argsort(chosen.mean(axis=1), kind="stable")].reshape(n_groups, size, -1)
        seen = _drawn(grouped, null, n_topics, generator).reshape(n_groups * size, n_topics)
        for test in TESTED:
            bare = compare_systems(seen, test=test, correction="none", alpha=ALPHA)
            row = {"level": float((bare.data["p_value"].to_numpy()[0][equal] <= ALPHA).mean())}
            for name in KEPT:
                decided = bare.with_correction(name).data["significant"].to_numpy()[0]
                false, true = int((decided & equal).sum()), int((decided & ~equal).sum())
                row[f"fdr {name}"] = false / max(false + true, 1)
                row[f"power {name}"] = true / int((~equal).sum()) if n_groups > 1 else np.nan
            rows[test].append(row)
    return {test: pd.DataFrame(of_test).mean().to_dict() for test, of_test in rows.items()}


def section(rows: pd.DataFrame) -> str:
    """Return the section of the report."""
    n_tables, n_samples = rows["table"].nunique(), int(rows["samples"].iloc[0])
    head = " | ".join(f"{CORRECTIONS.label(name)}: rate, found" for name in KEPT)
    about = (
        f"At α = {ALPHA:g} on groups of equal systems as under Corrections, {n_tables} tables (AP, P@10, RR), {n_samples} "
        "samples each. Level: share of the pairs of equal systems with p at most α, uncorrected. Rate: realised false "
        "discovery rate, of 20 equal systems the share of samples with any finding. Found: share of the truly different "
        "pairs, in %. Exchanged and mirrored scores are symmetric nulls, which all three tests suppose; moved ones are "
        "equal in the mean alone, which only the t test is about."
    )
    lines = ["## Tests", "", fill(about, 120), "", f"| groups | null | topics | test | level | {head} |"]
    lines.append(f"|---|---|---|---|---|{'---|' * len(KEPT)}")
    for (layout, null, n_topics, test), part in rows.groupby(["layout", "null", "topics", "test"], sort=False):
        level = "{:.3f} ({:.3f})".format(*mean_and_error(part.groupby("table")["level"].mean()))
        cells = " | ".join(_cell(part, name) for name in KEPT)
        lines.append(f"| {layout} | {null} | {n_topics} | {TESTS.label(str(test))} | {level} | {cells} |")
    return "\n".join(lines)


def _cell(part: pd.DataFrame, name: str) -> str:
    by_table = part.groupby("table")[[f"fdr {name}", f"power {name}"]].mean()
    rate, error = mean_and_error(by_table[f"fdr {name}"])
    if by_table[f"power {name}"].isna().any():
        return f"{rate:.3f} ({error:.3f}), –"
    found, its_error = mean_and_error(100.0 * by_table[f"power {name}"])
    return f"{rate:.3f} ({error:.3f}), {found:.1f} ({its_error:.1f})"


def failures(rows: pd.DataFrame) -> list[str]:
    """Return where a test exceeds its level, or a correction its rate, though the null is the one that it supposes."""
    missed = []
    for setting, part in rows[rows["null"] != "moved"].groupby(["layout", "null", "topics", "test"], sort=False):
        for figure in ("level", *(f"fdr {name}" for name in KEPT)):
            rate, error = mean_and_error(part.groupby("table")[figure].mean())
            error = max(error, np.sqrt(ALPHA * (1.0 - ALPHA) / part["samples"].sum()))
            if rate > ALPHA + 4.0 * error:
                missed.append(f"{setting}: {figure} {rate:.3f} ({error:.3f})")
    return missed
