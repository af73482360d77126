import numpy as np

from metaeval.figures.style import figure_png, narrow
from metaeval.tests_stat.friedman import friedman_test

ORDERS = ["abcd", "abdc", "bacd", "abcd", "badc", "acbd", "abcd", "abdc", "bacd", "abcd"]
SCORES = np.array([[-float(order.index(name)) for order in ORDERS] for name in "abcd"])
"""Mean ranks 1.3, 1.8, 3.2 and 3.7 of four systems on ten topics."""


def test_the_diagram_joins_what_does_not_differ(words):
    """A bar over each largest set of systems closer than the critical distance; all names are there."""
    result = friedman_test(SCORES, method="nemenyi", alpha=0.05)
    drawn = result.plot(kind="distances")
    (axes,) = drawn.axes
    bars = [line for line in axes.lines if line.get_linewidth() == 3]
    spans = sorted(np.round(line.get_xdata(), 2).tolist() for line in bars)
    assert spans == [[1.28, 1.82], [1.78, 3.22], [3.18, 3.72]]  # 1.3 and 3.2, and 1.8 and 3.7, are 1.9 apart
    assert {f"system{number}" for number in range(1, 5)} <= set(words(drawn))
    assert "critical distance 1.48" in " ".join(words(drawn))
    assert figure_png(drawn)
    with narrow():
        assert figure_png(result.plot(kind="distances"))
