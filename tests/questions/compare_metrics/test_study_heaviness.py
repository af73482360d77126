"""Top-heaviness is exact: scores of lists with a single relevant document."""

import numpy as np

from metaeval.questions.compare_metrics.study_heaviness import top_heaviness


def test_top_heaviness_follows_the_definitions():
    """AP is 1/(rank R), RR 1/rank, RBP (1 - p) p^(rank - 1) for one relevant document found."""
    curves = top_heaviness(["AP", "RR", "RBP(p=0.8)"], n_ranks=12)
    rank = np.arange(1, 13)
    np.testing.assert_allclose(curves.sel(metric="AP", relevant=100), 1 / (100 * rank), rtol=1e-12)
    np.testing.assert_allclose(curves.sel(metric="RR", relevant=10), 1 / rank, rtol=1e-12)
    np.testing.assert_allclose(curves.sel(metric="RBP(p=0.8)", relevant=10), 0.2 * 0.8 ** (rank - 1), rtol=1e-12)
