"""Zero scores, ties on single topics and identical pairs of systems, with intervals over topics."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import t_half_width
from metaeval.running.draws import bootstrap_counts, bootstrap_indices
from metaeval.running.equality import settle
from metaeval.running.parallel import in_one_order
from metaeval.table.scores import Scores


@in_one_order
def zeros_and_ties(
    table: Scores, n_topic_resamples: int, confidence_level: float, generator: np.random.Generator
) -> pd.DataFrame:
    """Count zero scores, ties on single topics and identical pairs, with intervals over topics for the first two."""
    values = np.swapaxes(settle(np.swapaxes(table.to_numpy(), 1, 2)), 1, 2)
    n_topics = values.shape[2]
    n_systems = values.shape[1]
    tied = np.stack([_tied_pairs(of_metric) for of_metric in values])
    per_topic = {
        "zero_share": (values == 0).mean(axis=1),
        "tied_share": tied / (n_systems * (n_systems - 1) / 2),
    }
    counts = bootstrap_counts(bootstrap_indices(generator, n_topic_resamples, n_topics), n_topics) / n_topics
    reach = t_half_width(np.sqrt(n_topics / (n_topics - 1)), n_topics, confidence_level)
    frame = pd.DataFrame({"metric": [str(name) for name in table["metric"].to_numpy()]})
    for name, shares in per_topic.items():
        value = shares.mean(axis=1)
        half = reach * (counts @ shares.T).std(axis=0, ddof=1)
        frame[name] = value
        frame[f"{name}_low"], frame[f"{name}_high"] = np.maximum(value - half, 0), np.minimum(value + half, 1)
    identical = [_tied_pairs(_row_numbers(of_metric)[:, None]).item() for of_metric in values]
    return frame.assign(identical_share=np.array(identical) / (n_systems * (n_systems - 1) / 2))


def _row_numbers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for every system the number of its row among the distinct ones."""
    return np.unique(values, axis=0, return_inverse=True)[1].ravel()


def _tied_pairs(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Count pairs of equal values in every column."""
    n_tied = np.zeros(values.shape[1])
    for column in range(values.shape[1]):
        _, sizes = np.unique(values[:, column], return_counts=True)
        n_tied[column] = (sizes * (sizes - 1) / 2).sum()
    return n_tied
