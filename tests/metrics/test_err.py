"""ERR and nERR: facts beyond the common laws."""

import pytest


def test_err_follows_the_cascade(values_of):
    """Levels 2 and 1 of 2: 3/4 stop at rank 1, of the others 1/4 at rank 2."""
    assert values_of(["d1", "d2"], {"d1": 2, "d2": 1}, ["ERR"])[0] == pytest.approx(3 / 4 + 1 / 2 * 1 / 4 * 1 / 4)


def test_a_web_tracks_scale_lowers_err(values_of):
    """max_level=4 stands for grades that the track defines, whether or not a document has them."""
    expected = 3 / 16 + 1 / 2 * 13 / 16 * 1 / 16
    assert values_of(["d1", "d2"], {"d1": 2, "d2": 1}, ["ERR(max_level=4)"])[0] == pytest.approx(expected)


def test_nerr_divides_by_the_ideal_list_down_to_the_cutoff(values_of):
    """The reversed list over the ideal one."""
    qrels = {"d1": 2, "d2": 1}
    reversed_err, ideal_err = (values_of(order, qrels, ["ERR@2"])[0] for order in (["d2", "d1"], ["d1", "d2"]))
    assert values_of(["d2", "d1"], qrels, ["nERR@2"])[0] == pytest.approx(reversed_err / ideal_err)
