"""Verdicts on two metrics: how often the one with less noise is adopted, and how often one of two equal ones is.

The metrics are AP and AP with more noise, drawn anew on every topic: a population of tables whose metrics of equal
noise are equal. The verdict is that of `study_compare_metrics`, which power decides.
"""

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from populations import Population, mean_and_error, samples

from metaeval.questions.compare_metrics.study_verdict import difference_probabilities, verdict_of
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.table.scores import as_scores

TOPICS, N_SYSTEMS, SAMPLES = (25, 50, 100), 20, 40
IN_USE = 0.1
CANDIDATES = {0.05: "half the noise", 0.1: "equal noise", 0.2: "twice the noise"}
LEAST_ADOPTED, MOST_EQUAL = 0.25, 0.05


def judge(tables: list[Population], scale: float) -> pd.DataFrame:
    """Return one row a table of AP, number of topics, candidate and sample."""
    jobs = [
        delayed(_rows)(table, n_topics, round(SAMPLES * scale))
        for table in tables
        if table.matrix and table.name.endswith("_ap")
        for n_topics in TOPICS
    ]
    return pd.DataFrame([row for rows in Parallel(n_jobs=2)(jobs) for row in rows])


def _rows(population: Population, n_topics: int, n_samples: int) -> list[dict[str, object]]:
    generator, found = np.random.default_rng(n_topics), []
    for one in samples(population, n_topics=n_topics, n_systems=N_SYSTEMS, n_samples=n_samples):
        noises = {"in use": IN_USE, **{words: noise for noise, words in CANDIDATES.items()}}
        tables = [one.seen + generator.normal(0.0, noise, one.seen.shape) for noise in noises.values()]
        scores = as_scores(np.stack(tables), metrics=list(noises))
        powers = discriminative_power_interval(scores, corrections=["none"], rng=one.seed, n_threads=1)
        said = difference_probabilities("power", powers.differences(), powers.freedom, confidence_level=0.95)
        for words in CANDIDATES.values():
            pair = said[said["metric"].isin(["in use", words]) & said["against"].isin(["in use", words])]
            verdict = verdict_of(pair, ["in use", words], current="in use", confidence_level=0.95)
            (row,) = pair[pair["metric"] == words].to_dict("records")
            found.append(
                {"table": population.name, "topics": n_topics, "candidate": words}
                | {"outcome": verdict.outcome, "lead": row["difference"], "chance": row["chance"]}
            )
    return found


def section(rows: pd.DataFrame) -> str:
    """Write the section."""
    lines = [
        "## Which metric to adopt",
        "",
        f"""AP with normal noise, of standard deviation {IN_USE} in the metric in use, of half, as much or twice in the
candidate; the tables of AP, {N_SYSTEMS} systems, {SAMPLES} samples each. Lead: of the candidate in uncorrected power,
in points. Chance: what the verdict says on average of finding a difference like the one observed.""",
        "",
        "| candidate | topics | adopted | in use kept | lead | chance |",
        "|---|---|---|---|---|---|",
    ]
    for (words, topics), part in rows.groupby(["candidate", "topics"], sort=False):
        figures = [_share(part, "adopt"), _share(part, "keep")]
        cells = [f"{mean:.3f} ({error:.3f})" for mean, error in figures]
        cells += [f"{100 * part['lead'].mean():.1f}", f"{part['chance'].mean():.2f}"]
        lines.append(f"| {words} | {topics} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _share(rows: pd.DataFrame, outcome: str) -> tuple[float, float]:
    return mean_and_error(rows["outcome"].eq(outcome).groupby(rows["table"]).mean())


def failures(rows: pd.DataFrame) -> list[str]:
    """Return the goals missed by more than four standard errors, or wrong verdicts more often than said."""
    words = []
    for (candidate, topics), part in rows.groupby(["candidate", "topics"], sort=False):
        adopted, error = _share(part, "adopt")
        error = max(error, 0.5 / np.sqrt(len(part)) / 2.0)
        if candidate == CANDIDATES[0.05] and adopted < LEAST_ADOPTED - 4.0 * error:
            words.append(f"{candidate}, {topics} topics: adopted in {adopted:.2f}")
        if candidate != CANDIDATES[0.05] and adopted > MOST_EQUAL + 4.0 * error:
            words.append(f"{candidate}, {topics} topics: adopted in {adopted:.2f}")
    return words
