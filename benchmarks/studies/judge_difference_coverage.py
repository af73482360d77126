"""Coverage of intervals for the difference between two judges, and whether the truly best one is left in.

The topics of TREC DL 2023 that 33 judges labelled beside people are one population; simulated labels, topics of
unequal hardness, are the other, and there some judges label only a part of the items. Topics are drawn from a
population with replacement, the shipped order of judges is asked, and the difference of each pair's kappas over the
whole population is the truth. With two judges an interval holds by itself; among eight all of them allow for
each other, so that they hold more often than the level, and the truly best one is behind in 5 % of the samples at
most.

    python benchmarks/studies/judge_difference_coverage.py DATA_FOLDER            # writes the report of the same name
    python benchmarks/studies/judge_difference_coverage.py DATA_FOLDER --quick    # a tenth of the samples, to standard output
"""

from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
from quick_or_whole import write_report
from scipy.stats import t

from metaeval.agreement.judge_ranking import _freedom, _parts_of_topics, rank_judges
from metaeval.agreement.label_statistics import pooled
from metaeval.agreement.labels import as_labels

REPORT = Path(__file__).parents[1] / "reports" / "judge_difference_coverage.md"
SEED = 20261128
GRADES = (0, 1, 2, 3)
SAMPLES = {2: 240, 8: 20}
N_SIMULATED, ITEMS = 400, 20
SIZES = ((2, 10), (2, 25), (8, 25))  # judges, topics
MANY = 4000
SETTINGS = [(name, *sizes) for name in ("simulated", "gaps", "DL 2023") for sizes in SIZES]


def simulated(rng: np.random.Generator) -> pd.DataFrame:
    """Draw a reference and ten judges who label a share of the items without looking, more of them on hard topics."""
    shape = (N_SIMULATED, ITEMS)
    truth, hard = rng.integers(0, 4, shape), rng.uniform(0.4, 1.6, N_SIMULATED)[:, None]
    columns = {"human": truth.ravel()} | {
        f"j{place}": np.where(rng.random(shape) < share * hard, rng.integers(0, 4, shape), truth).ravel()
        for place, share in enumerate(np.linspace(0.3, 0.5, 10))
    }
    index = pd.MultiIndex.from_product([map(str, range(N_SIMULATED)), map(str, range(ITEMS))], names=["topic", "item"])
    return pd.DataFrame(columns, index=index, dtype=float)


def with_gaps(table: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Leave every second judge a part of the items, more of the easy ones: those where all say the same."""
    easy = table.nunique(axis=1).to_numpy() <= table.nunique(axis=1).median()
    table = table.copy()
    for name in table.columns[2::2]:
        table.loc[rng.random(len(table)) < np.where(easy, 0.3, 0.7), name] = np.nan
    return table


def true_difference(table: pd.DataFrame, one: str, other: str) -> float:
    """Return by how much a kappa with the people is above another, of the items that both judges labelled."""
    rows = table[["human", one, other]].dropna().to_numpy().astype(int)
    tables = np.zeros((2, 4, 4))
    for place in (0, 1):
        np.add.at(tables[place], (rows[:, 0], rows[:, place + 1]), 1.0)
    kappa = pooled(tables, np.array(GRADES, dtype=float), rel=0)["quadratic_kappa"]
    return float(kappa[0] - kappa[1])


def drawn(table: pd.DataFrame, topics: pd.Index, size: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw topics with replacement; each time one comes it is a topic of its own."""
    parts = [table.loc[[topic]] for topic in rng.choice(topics, size)]
    names = np.repeat([str(place) for place in range(size)], [len(part) for part in parts])
    found = pd.concat(parts)
    found.index = pd.MultiIndex.from_arrays([names, found.index.get_level_values(1)], names=["topic", "item"])
    return found


def one_setting(table: pd.DataFrame, n_judges: int, n_topics: int, n_samples: int) -> dict[str, object]:
    """Count on which side of their intervals true differences lie, and how often the truly best is found behind."""
    rng = np.random.default_rng((SEED, n_judges, n_topics))
    difference = cache(partial(true_difference, table))
    topics, judges = table.index.get_level_values(0).unique(), table.columns[1:]
    sides, behind, widths = [], [], []
    for _ in range(n_samples):
        chosen = [str(name) for name in rng.choice(judges, n_judges, replace=False)]
        sample = drawn(table[["human", *chosen]], topics, n_topics, rng)
        found = rank_judges(as_labels(sample, scale=GRADES), reference="human", n_resamples=300, rng=rng).table
        best, asked = found["judge"][0], found[1:].dropna(subset="difference_low")
        truth = np.array([difference(name, best) for name in asked["judge"]])
        low, high = asked["difference_low"].to_numpy(), asked["difference_high"].to_numpy()
        sides.append(((truth > high).mean(), (truth < low).mean()) if len(truth) else (np.nan, np.nan))
        widths.append((high - low).mean() if len(truth) else np.nan)
        truly = max(chosen, key=lambda name: min(difference(name, other) for other in chosen if other != name))
        behind.append(bool(found.set_index("judge").loc[truly, "behind"]))
    above, below = np.nanmean(sides, axis=0)
    held = 1.0 - np.sum(sides, axis=1)
    error = np.nanstd(held, ddof=1) / np.sqrt(np.isfinite(held).sum())
    lost = np.mean(behind)
    return {
        "judges": n_judges,
        "topics": n_topics,
        "held": f"{np.nanmean(held):.3f} ({error:.3f})",
        "truth above": f"{above:.3f}",
        "truth below": f"{below:.3f}",
        "width": f"{np.nanmean(widths):.3f}",
        "best behind": f"{lost:.3f} ({np.sqrt(lost * (1 - lost) / n_samples):.3f})",
    }


def of_two(table: pd.DataFrame, n_topics: int, n_samples: int) -> dict[str, str]:
    """Judge the interval of two judges by its formula, and the one before: the spread of slopes, t with T - 1."""
    rng = np.random.default_rng((SEED, n_topics))
    topics, judges = pd.factorize(table.index.get_level_values(0))[0], table.columns[1:]
    tables = np.zeros((len(judges), topics.max() + 1, 4, 4))
    for place, name in enumerate(judges):
        np.add.at(tables[place], (topics, *table[["human", name]].to_numpy().astype(int).T), 1.0)
    scale = np.array(GRADES, dtype=float)
    distance = np.abs(scale[:, None] - scale)
    rows = []
    for _ in range(n_samples):
        two = tables[rng.choice(len(judges), 2, replace=False)]
        seen = two[:, rng.integers(0, two.shape[1], n_topics)]
        whole, sample, rest = (
            np.diff(pooled(one, scale, rel=0)["quadratic_kappa"], axis=0)[0]
            for one in (two.sum(axis=1), seen.sum(axis=1), seen.sum(axis=1, keepdims=True) - seen)
        )
        slopes = np.diff(_parts_of_topics(seen.swapaxes(0, 1), distance, squared=True), axis=0)[0]
        halves = (
            t.isf(0.025, n_topics - 1) * slopes.std(ddof=1) / n_topics**0.5,
            t.isf(0.025, _freedom(rest, n_topics)) * rest.std() * n_topics**0.5,
        )
        side = np.sign(-sample or 1.0)  # from whoever came out best
        rows.append([(whole * side - sample * side) / half for half in halves])
    apart = np.array(rows)
    cells = [f"{(one > 1).mean():.3f}, {(one < -1).mean():.3f}, {(np.abs(one) <= 1).mean():.3f}" for one in apart.T]
    return {"topics": str(n_topics), "samples": str(n_samples), "before": cells[0], "now": cells[1]}


def report(data: Path, share: float) -> str:
    """Measure every setting."""
    frame = pd.read_csv(data / "llmjudge-dl23" / "judgments.csv.gz", dtype={"qid": str, "pid": str})
    real = frame.set_index(["qid", "pid"]).rename_axis(["topic", "item"]).astype(float)
    real = real.where(real.isin(GRADES)).dropna(axis=1)
    made = simulated(np.random.default_rng(SEED))
    tables = {"DL 2023": real, "simulated": made, "gaps": with_gaps(made, np.random.default_rng(SEED + 1))}
    rows = []
    for name, n_judges, n_topics in SETTINGS:
        found = one_setting(tables[name], n_judges, n_topics, round(share * SAMPLES[n_judges]))
        rows.append({"labels": name, **found})
    head = HEAD.format(two=round(share * SAMPLES[2]), eight=round(share * SAMPLES[8]))
    names = list(rows[0])
    lines = [names, ["---"] * len(names), *([str(row[name]) for name in names] for row in rows)]
    return "\n".join([head, "", *(f"| {' | '.join(cells)} |" for cells in lines), "", formula(real, made, share), ""])


def formula(real: pd.DataFrame, made: pd.DataFrame, share: float) -> str:
    """Write what `of_two` finds."""
    lines = [
        BY_FORMULA,
        "",
        "| labels | topics | before: above, below, held | now: above, below, held |",
        "|---|---|---|---|",
    ]
    for name, table in (("DL 2023", real), ("simulated", made)):
        for n_topics in (10, 25, 50):
            row = of_two(table, n_topics, round(share * MANY))
            lines.append(f"| {name} | {row['topics']} | {row['before']} | {row['now']} |")
    return "\n".join(lines)


HEAD = """\
# Coverage of the differences between judges

Made by `python benchmarks/studies/judge_difference_coverage.py DATA_FOLDER`. {two} samples of topics a row of two judges and
{eight} of eight, from DL 2023 (25 topics, judges drawn anew each time) and from 400 simulated topics; in the rows with
gaps every second judge lacks 30 % of the easy items and 70 % of the others. Nominal level 95 %: of one interval with
two judges; with eight, of the truly best judge not being found behind, so that single intervals hold more often.
Differences are of the items that both judges labelled. Truth above, below: the true
difference lies beyond the upper, the lower end. Standard errors in brackets.

The misses are on one side, as differences are from whoever came out best:
of two judges that are nearly equal the one that luck favours is called the best, and the other is seen too low."""

BY_FORMULA = f"""\
Of two judges by the formula alone, {MANY:,} samples a row (standard error .0035): the jackknife with degrees of freedom by
the kurtosis of its values, and, before, the spread of slopes with T - 1. The 25 topics of DL 2023 are of very unequal
weight, which slopes do not see."""


if __name__ == "__main__":
    write_report(__doc__, REPORT, lambda quick, data: report(data, 0.1 if quick else 1.0), data="with llmjudge-dl23")
