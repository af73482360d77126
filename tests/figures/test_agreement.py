# ruff: noqa: RUF001 - typographic dashes are what people see
import numpy as np
import pandas as pd

from metaeval.figures.agreement import matrix_map


def test_heat_map_shows_every_cell():
    """Each cell of the matrix stands in the map as a number, undefined ones as a dash."""
    matrix = pd.DataFrame([[1.0, 0.25], [np.nan, 1.0]], index=["a", "b"], columns=["a", "b"])
    words = [text.get_text() for text in matrix_map(matrix).axes[0].texts]
    assert words.count("1") >= 2
    assert ".25" in words
    assert "–" in words


def test_a_large_map_keeps_both_digits_with_long_names():
    """Two metrics under twelve quantisations each: .86 and .94 lie on either side of .9 and must not look alike."""
    names = [f"nxCG(task=thorough)@10, quantisation {n}" for n in range(24)]
    matrix = pd.DataFrame(np.full((24, 24), 0.86), index=names, columns=names)
    words = [text.get_text() for text in matrix_map(matrix).axes[0].texts]
    assert words.count(".86") == 24 * 24
