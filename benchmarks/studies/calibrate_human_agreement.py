"""Coverage of the intervals of agreement with human scores, on simulated populations of items.

    python benchmarks/studies/calibrate_human_agreement.py [--sets 400] [--out benchmarks/reports/human_agreement_coverage.md]

What should be covered is the expected agreement of a sample of as many items from the population that these came from:
what others should expect to find. It is known here from 4000 samples. Beside the interval in use (value +- t d with d
the root mean square distance of the resamples from it) stands the quantile interval of the resamples.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.agreement.human import human_agreement
from metaeval.agreement.items import item_scores

RESAMPLES = 200
SETTINGS = {
    "14 systems, 100 items": {"n_systems": 14, "n_items": 100, "spread": 0.5, "cluster": 1},
    "11 close systems, 100 items": {"n_systems": 11, "n_items": 100, "spread": 0.1, "cluster": 1},
    "14 systems, 400 items in 40 clusters": {"n_systems": 14, "n_items": 400, "spread": 0.5, "cluster": 10},
    "8 systems, 30 items": {"n_systems": 8, "n_items": 30, "spread": 0.5, "cluster": 1},
}


def sample(rng: np.random.Generator, setting: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Draw human and metric scores (system, item) with item effects, shared errors and clusters."""
    n_systems, n_items = int(setting["n_systems"]), int(setting["n_items"])
    size = int(setting["cluster"])
    quality = np.linspace(0, setting["spread"], n_systems)[:, None]
    drift = 0.3 * setting["spread"] * np.sin(np.arange(n_systems))[:, None]
    shared = np.repeat(rng.normal(0, 0.4, (n_systems, n_items // size)), size, axis=1)
    human = quality + shared + rng.normal(0, 0.7, (n_systems, n_items)) + rng.normal(0, 0.5, n_items)
    metric = quality + drift + 0.6 * (human - quality) + rng.normal(0, 0.5, (n_systems, n_items))
    return human, metric


def layout(human: np.ndarray, metric: np.ndarray, size: int):  # noqa: ANN201 - a DataArray
    """Lay the sample out as a table of items."""
    n_systems, n_items = human.shape
    names = {"system": np.repeat(np.arange(n_systems).astype(str), n_items)}
    items = np.tile(np.arange(n_items), n_systems)
    frame = pd.DataFrame(
        names
        | {"item": items.astype(str), "cluster": [f"c{item // size}" for item in items]}
        | {"human": human.ravel(), "metric": metric.ravel()}
    )
    return item_scores(frame, reference="human", cluster="cluster" if size > 1 else None)


def main() -> None:
    """Run the study and write the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1] / "reports" / "human_agreement_coverage.md")
    options = parser.parse_args()
    from metaeval.agreement.human_statistics import STATISTICS

    made = f"Made by `python benchmarks/studies/calibrate_human_agreement.py --sets {options.sets}`"
    lines = ["# Coverage of intervals of agreement with human scores", ""]
    lines += [f"{made}; {RESAMPLES} resamples, nominal 95 %.", ""]
    lines += ["| population | statistic | level | expected | in use | quantiles |", "|---|---|---|---|---|---|"]
    for name, setting in SETTINGS.items():
        for statistic in ("pearson", "kendall", "accuracy"):
            for level in ("system", "item"):
                rng = np.random.default_rng(1)
                values = []
                for _ in range(4000 if level == "system" else 400):
                    human, metric = sample(rng, setting)
                    parts = (human.mean(axis=1), metric.mean(axis=1)) if level == "system" else (human.T, metric.T)
                    values.append(float(np.nanmean(STATISTICS[statistic](*parts))))
                truth = float(np.mean(values))
                held = np.zeros(2)
                for number in range(options.sets):
                    human, metric = sample(np.random.default_rng([2, number]), setting)
                    held += covered(human, metric, setting, statistic, level, truth)
                ours, quantiles = held / options.sets
                lines.append(f"| {name} | {statistic} | {level} | {truth:.3f} | {ours:.3f} | {quantiles:.3f} |")
                options.out.write_text("\n".join([*lines, ""]))


def covered(  # noqa: PLR0913, PLR0917 - one data set and the question
    human: np.ndarray, metric: np.ndarray, setting: dict[str, float], statistic: str, level: str, truth: float
) -> np.ndarray:
    """Return whether each of the two intervals holds the truth."""
    scores = layout(human, metric, int(setting["cluster"]))
    found = human_agreement(scores, statistic=statistic, level=level, n_resamples=RESAMPLES, rng=0)
    row, drawn = found.table.iloc[0], found.resampled["metric"]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return np.array([row["low"] <= truth <= row["high"], low <= truth <= high], dtype=float)


if __name__ == "__main__":
    main()
