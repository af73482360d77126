"""The picture of a comparison of tests: marks stand at the shares of the frame, and axes say what they show."""

import pandas as pd
import pytest

from metaeval.figures.compare_tests import rejections_against_errors


@pytest.fixture
def frame():
    """Two tests under two metrics; one of them rejects nothing under the second."""
    rows = []
    for metric, test, rejected, error in (
        *(("AP", "Paired t", 0.4, 0.02), ("AP", "Sign", 0.3, 0.01)),
        *(("RR", "Paired t", 0.2, 0.05), ("RR", "Sign", 0.0, None)),
    ):
        ends = {
            f"{name}_{end}": value
            for name, value in (("rejected", rejected), ("error_rate", error))
            for end in ("low", "high")
        }
        rows.append({"metric": metric, "test": test, "rejected": rejected, "error_rate": error} | ends)
    return pd.DataFrame(rows)


def test_marks_stand_at_the_shares(frame):
    """One panel a metric; a mark at (error rate, rejected) in percent; no mark without an error rate."""
    panels = rejections_against_errors(frame).axes
    assert len(panels) == 2
    for axes, (_, own) in zip(panels, frame.groupby("metric", sort=False), strict=True):
        marks = {(line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_linestyle() == "None"}
        wanted = own.dropna()
        assert marks == {(100 * row.error_rate, 100 * row.rejected) for row in wanted.itertuples()}


def test_the_axes_say_what_they_show(frame, words):
    """Both axes have labels with their unit, every test is in the key."""
    shown = words(rejections_against_errors(frame))
    assert {"pairs rejected (%)", "errors on the other half (% of rejected)", "Paired t", "Sign", "AP", "RR"} <= set(
        shown
    )
