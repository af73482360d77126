"""What a collection of documents holds, in numbers."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from metaeval.base.names import count
from metaeval.base.results import Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectionStatistics(Result):
    """Statistics of a collection: topics, runs, judged and relevant documents."""

    n_topics: int
    n_topics_with_relevant: int
    n_systems: int
    """Sizes."""
    n_groups: int | None
    n_pooled: int | None
    """Number of groups and of pooled runs, where they are known."""
    n_missing: int
    """Lists that are empty although the topic has something relevant."""
    per_topic: pd.DataFrame
    """Index ``topic``; number of documents ``judged``, ``relevant`` and, where grades are whole, at each level
    (``level 2``)."""
    per_system: pd.DataFrame
    """Index ``system``; ``topics`` answered, documents ``retrieved``, share of ``tied`` scores, share
    ``unjudged_at_10`` of the top ten."""

    def _found(self) -> str:
        judged, relevant = (int(self.per_topic[name].sum()) for name in ("judged", "relevant"))
        sizes = f"{count(self.n_systems, 'run')}, {count(self.n_topics, 'topic')}"
        return f"{sizes}, {count(judged, 'judged document')}, {relevant:,} of them relevant"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a quantity: its total (where a sum means something), mean, minimum and maximum."""
        counts = {
            "topics": self.n_topics,
            "topics with something relevant": self.n_topics_with_relevant,
            "runs": self.n_systems,
            "groups": self.n_groups,
            "pooled runs": self.n_pooled,
            "empty lists": self.n_missing,
        }
        rows = [{"quantity": name, "total": float(count)} for name, count in counts.items() if count is not None]
        rows += [summary_row(f"{name} per topic", column, total=True) for name, column in self.per_topic.items()]
        labels = {
            "retrieved": "retrieved per run",
            "tied": "share of tied scores per run",
            "unjudged_at_10": "share unjudged in the top 10 per run",
        }
        rows += [summary_row(label, self.per_system[name], total=name == "retrieved") for name, label in labels.items()]
        return pd.DataFrame(rows, columns=["quantity", "total", "mean", "min", "max"])


def summary_row(label: str, column: pd.Series, *, total: bool) -> dict[str, object]:
    """Return what a column of numbers sums up to: its mean, its ends and, where that means something, its total."""
    return {
        "quantity": label,
        "total": float(column.sum()) if total else np.nan,
        "mean": column.mean(),
        "min": column.min(),
        "max": column.max(),
    }
