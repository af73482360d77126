"""Two rankings without a significant difference: the example of Ogilvie and Lalmas (2006, section 3.4), made and drawn.

    python examples/two_groups.py [--out two-groups.svg]

Ten good systems and ten bad ones; within a group all are equal but for a hair, and the second metric puts them in the
reverse order. Every conclusion that the topics allow is the same under both metrics, while Kendall's tau is 1/19.
"""

import argparse
from pathlib import Path

import numpy as np

from metaeval.agreement.decisions import decision_agreement
from metaeval.figures.style import THEME, figure_svg, inch_axes, page_width, styled, tidy_axes
from metaeval.table.scores import Scores, as_scores


def two_groups(*, n_topics: int = 50, hair: float = 0.004, seed: int = 0) -> Scores:
    """Return scores of 2 x 10 systems under two metrics that order each group in reverse."""
    noise = np.random.default_rng(seed).normal(0, 0.1, (2, 20, n_topics))
    noise -= noise.mean(axis=2, keepdims=True)
    within = hair * np.arange(10)
    group = np.repeat([0.6, 0.3], 10)
    one, other = group + np.tile(within[::-1], 2), group + np.tile(within, 2)
    return as_scores(np.stack([one, other])[:, :, None] + noise, metrics=["one", "other"])


@styled
def slopes(scores: Scores, words: str) -> object:
    """Draw the mean of every system under both metrics, one line a system."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(page_width(), 3.4))
    axes = inch_axes(figure, left=1.6, right=1.6, top=0.55, bottom=0.2)
    means = scores.mean("topic").to_numpy()
    for place, (left, right) in enumerate(means.T):
        color = THEME["blue"] if place < means.shape[1] // 2 else THEME["orange"]
        axes.plot([0, 1], [left, right], "o-", color=color, linewidth=1.0, markersize=3.6)
    tidy_axes(axes, grid="y", spines=("left",))
    axes.set_xticks([])
    axes.set_xlim(-0.08, 1.08)
    axes.set_ylabel("mean score of a system")
    for place, name in enumerate(scores["metric"].to_numpy()):
        axes.text(place, -0.02, name, transform=axes.get_xaxis_transform(), ha="center", va="top", fontsize=9)
    axes.text(0.5, 1.06, words, transform=axes.transAxes, ha="center", va="bottom", fontsize=9)
    return figure


def main() -> None:
    """Print what the two metrics agree on, and draw them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    scores = two_groups()
    row = decision_agreement(scores, rng=0).to_frame().iloc[0]
    words = f"F1 = {row['f1']:g}, tau = {row['tau']:.3f}, rho = {row['rho']:.4f}"
    print(words)
    if out is not None:
        out.write_text(figure_svg(slopes(scores, words), salt="two-groups"), "utf-8")  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
