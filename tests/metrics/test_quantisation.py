"""Gains of levels."""

import numpy as np
import pytest

from metaeval.base.metric_names import Call, GainTable
from metaeval.errors import InvalidOptionError
from metaeval.metrics.quantisation import QUANTISATIONS, Quantisation, as_gains, binary, gain_table

KNOWN = {one.name: one for one in QUANTISATIONS}


@pytest.mark.parametrize(
    ("gains", "expected"),
    [
        (Call("linear"), [0, 1, 2, 3]),
        (Call("exponential"), [0, 1, 3, 7]),
        (Call("binary", (("rel", 2),)), [0, 0, 1, 1]),
        (GainTable(((1, 1.0), (2, 0.0), (3, 5.0))), [0, 1, 0, 5]),
    ],
)
def test_the_named_quantisations_and_tables(gains, expected):
    """Linear is the level, exponential 2^level - 1, binary a threshold, a table what it says."""
    present = np.array([0, 1, 3])
    assert gain_table(gains, KNOWN, top_level=3, present=present).tolist() == expected


def test_a_table_may_leave_out_levels_that_do_not_occur():
    """But not one that the judgments hold."""
    table = GainTable(((1, 1.0), (3, 5.0)))
    assert np.isnan(gain_table(table, KNOWN, top_level=3, present=np.array([0, 1, 3]))[2])
    with pytest.raises(InvalidOptionError, match="level 0 is not relevant, so its gain must be 0, not 1"):
        gain_table(GainTable(((0, 1.0), (1, 1.0))), KNOWN, top_level=3, present=np.array([0, 1]))
    with pytest.raises(InvalidOptionError, match=r"gains=\{1:1, 3:5\} names no gain for level 2"):
        gain_table(table, KNOWN, top_level=3, present=np.array([2]))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda levels: levels - 2.0, "level 1 has -1"),
        (lambda levels: np.full(len(levels), np.nan), "level 1 has nan"),
        (lambda levels: np.full(len(levels), np.inf), "level 1 has inf"),
        (lambda _: np.ones(7), "one gain per level, shape"),
    ],
)
def test_gains_that_are_no_gains_are_refused(function, said):
    """A gain is finite and not negative, one per level."""
    known = {"odd": Quantisation("odd", function)}
    with pytest.raises(InvalidOptionError, match=said):
        gain_table(Call("odd"), known, top_level=3, present=np.array([1]))


def test_words_and_mappings_are_taken_as_gains():
    """What a caller may pass."""
    assert as_gains("linear") == Call("linear")
    assert as_gains({2: 3, 1: 1}) == GainTable(((1, 1.0), (2, 3.0)))
    for wrong in (3, {}, None):
        with pytest.raises(InvalidOptionError, match="gains must be a word"):
            as_gains(wrong)


def test_every_quantisation_says_what_it_does():
    """One line each, for the listing."""
    assert all(one.summary.startswith("Gain = ") for one in QUANTISATIONS)


def test_a_binary_gain_begins_at_level_one():
    """Lenient unless another level is named."""
    levels = np.array([0, 1, 2])
    assert binary(levels).tolist() == [0, 1, 1]
    assert binary(levels, rel=2).tolist() == [0, 0, 1]
