"""Krippendorff's alpha against the published example."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.agreement.krippendorff import alpha_table, coincidences, krippendorff_alpha
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


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_a_stack_of_tables_is_one_after_another(level):
    """Resamples are worked out at once: each table of coincidences has the alpha that it has alone."""
    drawn = np.random.default_rng(0).integers(1, 9, (5, 3, 3)).astype(float)
    stack = drawn + drawn.transpose(0, 2, 1)
    alone = [float(krippendorff_alpha(table, (0, 1, 3), level=level)) for table in stack]
    assert krippendorff_alpha(stack, (0, 1, 3), level=level).tolist() == pytest.approx(alone)


def test_the_interval_is_that_of_the_resamples():
    """Half of it is their standard deviation times the quantile of t, widened as n topics ask; at most 1."""
    labels = as_labels(
        {name: {topic: {f"d{one}": (one * place + int(topic)) % 3 > 0 for one in range(6)} for topic in "1234"}
         for place, name in enumerate("abc")}
    )  # fmt: skip
    counts = np.random.default_rng(0).multinomial(4, [0.25] * 4, 50).astype(float)
    table = alpha_table(labels, counts, confidence_level=0.9)
    tables = coincidences(labels, topics=labels.topics)
    drawn = [krippendorff_alpha(np.tensordot(one, tables, 1), labels.scale, level="nominal") for one in counts]
    half = stats.t.ppf(0.95, 3) * np.sqrt(4 / 3) * np.std(drawn, ddof=1)
    row = table[table["level"] == "nominal"].iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((row["alpha"] - half, min(row["alpha"] + half, 1.0)))
