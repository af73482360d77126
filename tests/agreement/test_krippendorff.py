"""Krippendorff's alpha against the published example."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.krippendorff import coincidences, krippendorff_alpha
from metaeval.agreement.labels import as_labels

NONE = np.nan
# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units.
PUBLISHED = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
    "C": [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
}


def frame(columns, topics=None):
    """Make a wide table of labels; all items in one topic unless told."""
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_arrays([topics or ["1"] * n, [f"d{i}" for i in range(n)]], names=["topic", "item"])
    return pd.DataFrame(columns, index=index, dtype=float)


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_the_published_one(level, expected):
    """Krippendorff's example comes out, whatever topics its units are spread over."""
    for topics in (["1"] * 12, [str(i % 3) for i in range(12)]):
        labels = as_labels(frame(PUBLISHED, topics))
        matrix = coincidences(labels, topics=labels.topics).sum(axis=0)
        assert round(float(krippendorff_alpha(matrix, labels.scale, level=level)), 3) == expected
