"""What pages must know of pictures that are not drawn yet."""

NAMED_ROWS = 45
"""So many systems get a row with their name; more are shown by rank."""

NAMED_LINES = 7
"""So many runs get a line with their name; of more only the best and the last."""

AXES = {
    "recall": ("recall", "precision (precall)"),
    "rank_percent": ("rank, in % of the ideal list", "gain over that of an ideal list"),
    "rank_percent_longest": ("rank, in % of the longer of list and ideal list", "gain over that of an ideal list"),
    "rank": ("rank", "gain over that of an ideal list"),
    "gain_recall": ("gain-recall", "effort-precision"),
}
"""What the axes of each kind of curve say."""
STROKES = 1000
"""Strokes of one system's scores; more would be one grey bar, and megabytes of a page."""
