# ruff: noqa: RUF001 - typographic dashes are what people see
import numpy as np
import pytest

from metaeval.base.words import interval, number, share, share_of


def test_shares_are_written_as_in_the_papers_table():
    """Sakai and Kando (2008), Table 3, print counts and percentages like this."""
    assert share_of(80, 120) == "80/120 = 66.7 %"
    assert share_of(0, 120) == "0/120 = 0.0 %"
    assert share_of(None, 120) == "–"


@pytest.mark.parametrize(("value", "written"), [(-0.00001, "0.00"), (-1.5, "−1.50"), (None, "–"), (float("nan"), "–")])
def test_numbers_have_a_true_minus_and_no_negative_zero(value, written):
    """What rounds to zero has no sign; what is absent is a dash."""
    assert number(2)(value) == written


def test_an_absent_bound_leaves_no_interval():
    """Half an interval is none."""
    assert interval(0.1, float("nan")) == "–"
    assert interval(-0.1, 0.25) == "−10.0 to 25.0 %"
    assert interval(1.31, float("inf"), number(2)) == "1.31 to ∞"


@pytest.mark.parametrize(("write", "half"), [(number(4), -0.56125), (number(3), 0.0625), (share, 0.1235)])
def test_one_number_is_written_one_way_in_whichever_order_it_was_summed(write, half):
    """The mean of differences and the difference of means differ in their last bits, on either side of a half."""
    assert len({write(value) for value in (np.nextafter(half, -1.0), half, np.nextafter(half, 1.0))}) == 1
