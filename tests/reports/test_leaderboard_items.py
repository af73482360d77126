# ruff: noqa: RUF001 - the signs of a page
"""What a page says of items: numbers that are too large or too small to print are said in words that are true."""

import numpy as np
import pytest

from metaeval.reports.leaderboard_items import _below_zero, _items, needed_section
from metaeval.studies.leaderboard import study_leaderboard
from metaeval.table.scores import as_scores


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (np.nan, "–"),
        (12_345.0, "12,345"),
        (1e7, "10,000,000"),
        (227_212_875.0, "> 10 million"),
        (np.inf, "> 10 million"),
    ],
)
def test_ten_million_items_are_as_good_as_any_number(value, written):
    """Clusters are counted up to ten million, and make more items than that: both are one to a reader."""
    assert _items(value) == written


@pytest.mark.parametrize(("value", "written"), [(-0.204, "−0.20"), (-0.005, "−0.01"), (-1e-05, "> −0.01")])
def test_a_tiny_correlation_has_two_decimals_as_all_others(value, written):
    """It is below 0, and not printed as 0."""
    assert _below_zero(value) == written


def test_a_number_of_items_is_unbounded_only_where_the_interval_holds_no_difference():
    """What is needed for the observed difference is a number, however large."""
    values = np.random.default_rng(1).normal(0.5, 0.1, (3, 60))
    values[1] = values[0] + 1e-7 * np.random.default_rng(2).normal(size=60)
    values[2] += 0.4
    study = study_leaderboard(as_scores(values), n_resamples=50, n_splits=2, rng=0)
    (section,) = needed_section(study)
    frame = section.blocks[1].blocks[0].frame
    none = (frame["effect_low"] <= 0) & (frame["effect_high"] >= 0)
    assert none.tolist() == [False, True]
    assert frame["interval"].str.endswith("unbounded").tolist() == none.tolist()
