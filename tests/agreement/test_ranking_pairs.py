"""Two rankings side by side: the best systems of the reference under both."""

import numpy as np

from metaeval.agreement.ranking_pairs import best_of_reference
from metaeval.agreement.rankings import spearman


class TestBestOfReference:
    """The best systems of the reference."""

    def test_takes_the_reference_best(self):
        """The reference chooses which systems remain, in both arrays."""
        x, y = best_of_reference([0.1, 0.9, 0.5, 0.7], [[1, 2, 3, 4], [8, 7, 6, 5]], k=3)
        assert x.tolist() == [[0.9, 0.7, 0.5], [0.9, 0.7, 0.5]]
        assert y.tolist() == [[2, 4, 3], [7, 5, 6]]

    def test_high_overall_nothing_at_the_top(self):
        """A correlation near 1 over all systems can go with none among the best ten."""
        x = np.arange(60.0)[::-1]
        y = x.copy()
        y[:10] = [55, 54, 53, 58, 59, 50, 51, 57, 52, 56]
        assert spearman(x, y) > 0.99
        assert abs(spearman(*best_of_reference(x, y))) < 0.1

    def test_fewer_systems_than_k(self):
        """With no more than k systems all are kept."""
        x, _ = best_of_reference([1, 2, 3], [1, 2, 3], k=10)
        assert x.tolist() == [3, 2, 1]
