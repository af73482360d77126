"""The forest plot: a row a collection, the mean and a new one below, each with its words."""

import numpy as np
import pandas as pd

from metaeval.figures import forest_rows
from metaeval.figures.marks import marks_of


def test_every_row_is_a_mark_with_its_ends():
    """In the order given; the new collection has ends and no value; the line stands where both are alike."""
    rows = pd.DataFrame(
        {
            "name": ["a", "b", "together", "a new one"],
            "kind": ["collection", "collection", "together", "new"],
            "value": [0.1, 0.3, 0.2, np.nan],
            "low": [0.0, 0.1, 0.1, -0.2],
            "high": [0.2, 0.5, 0.3, 0.6],
            "weight": [0.7, 0.3, np.nan, np.nan],
            "words": ["1", "2", "3", "4"],
        }
    )
    figure = forest_rows(rows, label="difference", alike=0.0)
    marks = marks_of(figure)
    assert [words for group in marks for words in group.words()] == ["a: 1", "b: 2", "together: 3", "a new one: 4"]
    assert np.concatenate([group.y for group in marks]).tolist() == [0, 1, 2, 3]
    assert np.concatenate([group.high for group in marks]).tolist() == rows["high"].tolist()
    (axes,) = figure.axes
    assert any(list(line.get_xdata()) == [0.0, 0.0] for line in axes.lines)
    sizes = [line.get_markersize() for line in axes.lines if line.get_marker() == "s"]
    assert sizes[0] > sizes[1]
