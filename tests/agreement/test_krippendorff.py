"""Krippendorff's alpha against the published example."""

from itertools import combinations_with_replacement, pairwise, permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metaeval.agreement.krippendorff import alpha_table, coincidences, krippendorff_alpha
from metaeval.agreement.label_agreement import compare_labels
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
        {
            name: {topic: {f"d{one}": one % 2 * (one < int(topic) + last) for one in range(6)} for topic in "1234"}
            for name, last in (("a", 6), ("b", 6), ("c", 2))
        }
    )
    counts = np.random.default_rng(0).multinomial(4, [0.25] * 4, 50).astype(float)
    table = alpha_table(labels, counts, confidence_level=0.9, generator=np.random.default_rng(0))
    tables = coincidences(labels, topics=labels.topics)
    drawn = [krippendorff_alpha(np.tensordot(one, tables, 1), labels.scale, level="nominal") for one in counts]
    half = stats.t.ppf(0.95, 3) * np.sqrt(4 / 3) * np.std(drawn, ddof=1)
    row = table[table["level"] == "nominal"].iloc[0]
    assert row["low"] > 0
    assert row["chance"] < 0.01
    assert (row["low"], row["high"]) == pytest.approx((row["alpha"] - half, min(row["alpha"] + half, 1.0)))


def test_three_items_do_not_show_that_judges_agree():
    """Of the 21 ways to deal five 1s and two 2s to 1 1, 1 1 1, 2 2 there are two with alpha 1: chance 2/21."""
    said = {"r1": [1, 1, 2], "r2": [1, 1, NONE], "r3": [NONE, 1, 2]}
    for labels in (as_labels(frame(said, ["t0", "t1", "t0"])), as_labels(pd.DataFrame(said, list("abc")))):
        table = compare_labels(labels, rng=0).alpha
        assert table["alpha"].tolist() == [1.0] * 3
        assert table["chance"].tolist() == pytest.approx([2 / 21] * 3)
        assert (table["low"] < 0).all()


def literal_alpha(items):
    """Return nominal alpha by going through all pairs of labels."""
    every = [label for item in items for label in item]
    apart = sum((a != b) / (len(item) - 1) for item in items for a, b in permutations(item, 2)) / len(every)
    expected = sum(a != b for a, b in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - apart / expected if expected else NONE


def tables_of(sizes, n_labels):
    """Return every table of items with so many labels each, up to the order of judges and of items of one size."""
    kinds = [list(combinations_with_replacement(range(n_labels), size)) for size in sizes]
    return {tuple(sorted(table)) for table in product(*kinds)}


@pytest.mark.parametrize("sizes", [(2,), (3,), (2, 2), (2, 3), (2, 2, 2), (3, 3), (2, 2, 3)])
def test_no_table_of_few_labels_is_surer_than_an_exact_test(sizes):
    """All tables of up to seven labels: chance is what all deals make it, and alone it keeps 0 in an interval."""
    for items in tables_of(sizes, 3 if sum(sizes) < 6 else 2):
        said = {f"judge {at}": [(*item, NONE, NONE)[at] for item in items] for at in range(max(*sizes, 2))}
        labels = as_labels(pd.DataFrame(said, [f"d{at}" for at in range(len(items))]))
        row = alpha_table(labels, None, confidence_level=0.95, generator=np.random.default_rng(0)).iloc[0]
        value, every = literal_alpha(items), [label for item in items for label in item]
        if len({*every}) == 1:
            assert np.isnan(row["alpha"])
            continue
        ends = np.cumsum([0, *map(len, items)])
        dealt = [literal_alpha([deal[start:end] for start, end in pairwise(ends)]) for deal in {*permutations(every)}]
        above, below = np.mean(np.array(dealt) >= value - 1e-9), np.mean(np.array(dealt) <= value + 1e-9)
        assert (row["alpha"], row["chance"]) == pytest.approx((value, above)), items
        assert not row["low"] > 0 or above <= 0.025, items
        assert not row["high"] < 0 or below <= 0.025, items
        assert row["low"] != row["high"], items
