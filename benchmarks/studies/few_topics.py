"""All tables of up to five topics, two systems and four values: what the tests and intervals of few topics say.

    python benchmarks/studies/few_topics.py

prints by test and number of topics: tables, those called significant at .05 (no exact test of so few topics can reach
it), p-values of 0, and intervals of the difference or of a mean without width or beyond the range of the metric.
"""

from itertools import combinations_with_replacement, product

import numpy as np

from metaeval import as_scores
from metaeval.resampling.system_means import means_of_systems
from metaeval.tests_stat import compare_systems, difference_intervals

VALUES = (0.0, 0.1, 0.9, 1.0)
TESTS = ("t", "sign", "wilcoxon", "randomisation", "bootstrap", "tukey_parametric")


def main() -> None:
    """Go through all tables."""
    print("| test | topics | tables | significant | p = 0 | intervals without width or out of range |")
    print("|---|---|---|---|---|---|")
    for n_topics in (2, 3, 4, 5):
        cells = list(product(VALUES, repeat=2))
        tables = np.array(list(combinations_with_replacement(cells, n_topics))).swapaxes(1, 2)
        scores = as_scores(tables, metrics=[f"RR@{one}" for one in range(1, len(tables) + 1)])
        for test in TESTS:
            result = compare_systems(scores, test=test, correction=None, n_resamples=99, rng=0)
            wrong = ""
            if test == "t":
                ends, means = difference_intervals(result), means_of_systems(scores)
                bad = (ends["low"] >= ends["high"]) | (ends["low"] < -1.0) | (ends["high"] > 1.0)
                of_means = (means["low"] >= means["high"]) | (means["low"] < 0.0) | (means["high"] > 1.0)
                wrong = int(bad.sum()) + int(of_means.sum())
            significant, zero = (
                int(found.sum()) for found in (result.data["significant"], result.data["p_value"] == 0)
            )
            print(f"| {test} | {n_topics} | {len(tables):,} | {significant} | {zero} | {wrong} |", flush=True)


if __name__ == "__main__":
    main()
