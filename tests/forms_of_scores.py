"""The same few scores in several forms, for the tests of what is recognised."""

import numpy as np
import pandas as pd

VALUES = np.array([[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], [[1.0, 0.5, 0.25], [0.0, 0.0, 1.0]]])
METRICS, SYSTEMS, TOPICS = ["AP", "RR"], ["bm25", "lm"], ["301", "302", "1001"]


def long_frame(columns=("system", "topic", "metric", "score")):
    """Return all scores, one a row."""
    rows = [
        (system, topic, metric, VALUES[m, s, t])
        for m, metric in enumerate(METRICS)
        for s, system in enumerate(SYSTEMS)
        for t, topic in enumerate(TOPICS)
    ]
    return pd.DataFrame(rows, columns=list(columns))


def wide_frame(metric=0):
    """Return the scores of one metric, topics in rows."""
    return pd.DataFrame(VALUES[metric].T, index=TOPICS, columns=SYSTEMS)


def results_of(system):
    """Return the rows of one system as ir_measures has them."""
    frame = long_frame(("system", "query_id", "measure", "value"))
    return frame[frame["system"] == system].drop(columns="system")
