"""Reproduce a published figure: discriminative power over random subsets of 50 of the 149 Terabyte 2006 topics.

For each metric and level, the share of all 1830 system pairs with a two-sided paired t test p <= alpha, averaged over
random subsets of the topics (drawn without replacement), beside the figure published with the data: the column "raw"
of ``published/terabyte2006_<metric>_power_within.csv`` in the data of Urbano, Lima and Hanjalic, "A New Perspective on
Score Standardization", SIGIR 2019 (means of 5000 subsets; at alpha .05 AP 0.6809 and nDCG 0.7216).

    python examples/published_power_within.py FOLDER [--subsets 5000] [--seed 0]

FOLDER holds ``terabyte2006_ap.csv`` and ``terabyte2006_ndcg.csv`` (topics in rows, systems in columns) and
``published/``.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.resampling.topic_resamples import t_powers
from metaeval.running.draws import resolve_rng
from metaeval.table.scores import as_scores
from metaeval.tests_stat.pairs import ask

METRICS = ("ap", "ndcg")
ALPHAS = (0.001, 0.005, 0.01, 0.05, 0.1)
SUBSET = 50


def mean_powers(folder: Path, metric: str, *, n_subsets: int, seed: int) -> pd.DataFrame:
    """Return one row a level: alpha, published and found mean power, its Monte-Carlo error, and their difference."""
    published = pd.read_csv(folder / "published" / f"terabyte2006_{metric}_power_within.csv").set_index("alpha")["raw"]
    scores = as_scores({metric: pd.read_csv(folder / f"terabyte2006_{metric}.csv")})
    generator = resolve_rng(seed).generator
    subsets = np.stack([generator.permutation(scores.sizes["topic"])[:SUBSET] for _ in range(n_subsets)])
    rows = []
    for alpha in ALPHAS:
        powers = t_powers(ask(scores, alpha=alpha), subsets)[0, 0]
        rows.append(
            {
                "metric": metric,
                "alpha": alpha,
                "published": published[alpha],
                "found": powers.mean(),
                "monte_carlo_error": powers.std(ddof=1) / np.sqrt(n_subsets),
                "difference": powers.mean() - published[alpha],
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    """Print the comparison for both metrics."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--subsets", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.subsets < 2:
        parser.error(f"--subsets must be at least 2, not {arguments.subsets}")
    try:
        frames = [
            mean_powers(arguments.folder, metric, n_subsets=arguments.subsets, seed=arguments.seed)
            for metric in METRICS
        ]
    except OSError as error:
        parser.error(
            f"FOLDER must hold the files named above (see --help); {error.filename} cannot be read: {error.strerror}"
        )
    print(pd.concat(frames).to_string(index=False, float_format="{:.4f}".format))


if __name__ == "__main__":
    main()
