"""Whether the fast sampler of the error-rate model and PyMC agree on the same draws of the noise.

Run: python benchmarks/fast_and_pymc.py DATA_FOLDER

Twenty draws of the noise (topic weights, errors, loud topics), each joined with a hundred draws of the common law of
the differences: from the grid, and from PyMC. Medians and 90 % ends of the error rate and of the topics needed.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd

from metaeval.models.error_rate_posterior import topics_needed
from metaeval.models.error_rate_pymc import law_draws, sample_law
from metaeval.models.expected_rates import SIZES, expected_rates
from metaeval.models.true_differences import (
    PairStatistics,
    Prior,
    describe_pairs,
    draw_differences,
    missed_power,
    prior_of,
)
from metaeval.table.scores import as_scores

REPORT = Path(__file__).parent / "reports" / "fast-and-pymc.md"
COLLECTIONS = ("adhoc8_ap", "adhoc5_p10", "web2013_ap", "web2014_err20", "terabyte2006_ndcg", "genomics2004_ap")
ASKED = (20, 50, 100, 200)
ENDS = (0.05, 0.5, 0.95)
N_NOISE, N_LAWS = 20, 100


def quantiles(pairs: PairStatistics, law: Prior, seed: int) -> dict[str, np.ndarray]:
    """Return ends and median of the error rates and of the topics needed, at tolerance 0."""
    noise, choice = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    n_topics = pairs.residual.shape[1]
    weights = noise.standard_exponential((N_NOISE, n_topics))
    weights /= weights.mean(axis=1, keepdims=True)
    signs = noise.standard_normal((N_NOISE, n_topics))
    signs -= signs.mean(axis=1, keepdims=True)
    boost = missed_power(pairs, noise.random(N_NOISE), noise.standard_normal(N_NOISE))
    drawn = []
    for _ in range(N_LAWS):
        chosen = np.searchsorted(np.cumsum(law.weight), choice.random(N_NOISE)).clip(max=len(law.weight) - 1)
        hyper = (law.log_scale[chosen], law.slope[chosen])
        found = draw_differences(pairs, weights=weights, signs=signs, law=hyper, boost=boost)
        drawn.append(expected_rates(found, np.zeros(1), relative=True)[:, 0])
    rates = np.clip(np.minimum.accumulate(np.concatenate(drawn), axis=1), 1e-12, 1 - 1e-12)
    logs = np.array([np.interp(np.log(ASKED), np.log(SIZES), np.log(row)) for row in rates])
    told = {f"p({size})": np.exp(np.quantile(column, ENDS)) for size, column in zip(ASKED, logs.T, strict=True)}
    return told | {"topics needed": np.quantile(topics_needed(rates, 0.05), ENDS, method="inverted_cdf")}


def main() -> None:
    """Write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder that holds trec-matrices/")
    options = parser.parse_args()
    rows = []
    for name in COLLECTIONS:
        table = pd.read_csv(options.data / "trec-matrices" / f"{name}.csv")
        values = as_scores({name: table}).to_numpy()[0]
        pairs = describe_pairs(values)
        started = time.perf_counter()
        sampled = sample_law(pairs, name, law_draws(np.random.default_rng(0))).prior
        seconds = time.perf_counter() - started
        fast, slow = quantiles(pairs, prior_of(pairs), 5), quantiles(pairs, sampled, 5)
        apart = {key: slow[key] / fast[key] - 1 for key in fast}
        rows.append(
            {"collection": name, "systems": values.shape[0], "topics": values.shape[1]}
            | {key: f"{value[1]:+.1%} [{value[0]:+.1%}, {value[2]:+.1%}]" for key, value in apart.items()}
            | {"largest at a median": f"{max(abs(value[1]) for value in apart.values()):.1%}"}
            | {"largest at an end": f"{max(np.abs(value[[0, 2]]).max() for value in apart.values()):.1%}"}
            | {"seconds of PyMC": f"{seconds:.0f}"}
        )
        print(rows[-1], flush=True)
    lines = [list(rows[0]), ["---"] * len(rows[0]), *([str(cell) for cell in row.values()] for row in rows)]
    text = [
        "# The fast sampler and PyMC on the same draws of the noise",
        "",
        (
            "Made by `python benchmarks/fast_and_pymc.py DATA`. PyMC less the fast sampler, as a share: of the "
            "posterior median, and in brackets of the ends of the 90 % interval."
        ),
        "",
        *("| " + " | ".join(cells) + " |" for cells in lines),
    ]
    REPORT.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
