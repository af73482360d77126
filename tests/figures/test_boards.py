"""The bump chart: every system once on either side, whiskers where there are intervals, the movers of a long list."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from metaeval.figures.boards import MOST_LINES, rank_changes
from metaeval.figures.marks import marks_of
from metaeval.figures.style import THEME, narrow


def changes(n, **columns):
    """Return n systems of which the first and the last change places."""
    rank = np.arange(1.0, n + 1)
    second = rank.copy()
    second[[0, -1]] = second[[-1, 0]]
    frame = pd.DataFrame({"system": [f"s{number:03d}" for number in range(n)], "first": rank, "second": second})
    for side in ("first", "second"):
        frame[f"{side}_low"], frame[f"{side}_high"] = frame[side] - 1, frame[side] + 1
    return frame.assign(moved=False, opposite=False).assign(**columns)


@pytest.mark.parametrize("n", [2, MOST_LINES])
def test_every_system_is_named_on_both_sides(n, words):
    """With its rank, and its interval in a tooltip; colours say what both boards settle."""
    opposite, moved = np.arange(n) == 0, np.arange(n) == n - 1
    figure = rank_changes(changes(n, opposite=opposite, moved=moved), ("old", "new"))
    assert {"old", "new", "s000 1", f"{n} s000", f"1 s{n - 1:03d}"} <= {*words(figure)}
    assert sum(word.startswith("s") or " s" in word for word in words(figure)) == 2 * n
    lines = [line for line in figure.axes[0].lines if line.get_linewidth() > 0.8]
    colors = [to_hex(line.get_color()) for line in lines]
    assert (colors[0], colors[-1]) == (THEME["orange"], THEME["blue"])
    assert {*colors[1:-1]} <= {THEME["muted"]}
    said = [line for marks in marks_of(figure) for line in marks.words()]
    assert "s000, old: rank 1, interval 0 to 2" in said
    assert len(said) == 2 * n


def test_of_a_long_list_the_movers_are_drawn(words):
    """Those in opposite pairs, and those that move most; names keep their distance; missing ends have no whisker."""
    n = 150
    frame = changes(n, opposite=np.arange(n) == 70)
    frame[["first_low", "first_high"]] = np.nan
    with narrow():
        figure = rank_changes(frame, ("old", "new"))
    shown = {*words(figure)}
    assert {"s000 1", "150 s000", "s070 71", "71 s070"} <= shown
    assert sum(word[:1] == "s" for word in shown) == MOST_LINES
    places = sorted(text.xyann[1] for text in figure.axes[0].texts if text.get_text()[:1] == "s")
    assert np.diff(places).min() > 0.9 * np.median(np.diff(places))
    assert max(places) < n + 0.6
