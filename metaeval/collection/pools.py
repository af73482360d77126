"""Runs that built the pool and are not scored, and documents that were judged though no line of the qrels says so."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Ints
from metaeval.base.checks import check_choice
from metaeval.base.names import count, first_few
from metaeval.base.results import Result
from metaeval.collection.base import as_truth, chosen_names, looked_up_systems, take_segments


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PoolRuns(Result):
    """Runs that contribute to pools but are not scored."""

    systems: tuple[str, ...]
    groups: tuple[str, ...] | None
    """Group of each."""
    n_retrieved: NDArray[np.int32]
    """Documents of every list. Shape (n_systems, n_topics)."""
    offsets: Ints
    ranks: NDArray[np.int32]
    codes: NDArray[np.int32]
    """Lists as those of a `Collection`: of all retrieved documents where these are kept (then there are no ranks),
    else of the judged ones."""
    first: NDArray[np.int32] | None = None
    """As `RetrievedDocuments.first`."""

    def _found(self) -> str:
        return f"{count(len(self.systems), 'run')} in pools alone: {first_few(self.systems)}"

    def joined(self, own: Self) -> Self:
        """Return these runs and further ones."""
        return replace(
            self,
            systems=self.systems + own.systems,
            groups=None if self.groups is None or own.groups is None else self.groups + own.groups,
            n_retrieved=np.concatenate([self.n_retrieved, own.n_retrieved]),
            offsets=np.concatenate([self.offsets, self.offsets[-1] + own.offsets[1:]]),
            ranks=np.concatenate([self.ranks, own.ranks]),
            codes=np.concatenate([self.codes, own.codes]),
            first=None if self.first is None or own.first is None else np.concatenate([self.first, own.first]),
        )

    def on_topics(self, columns: Ints, moved: NDArray[np.int32]) -> Self:
        """Return the lists of these topics, with every code renumbered."""
        n_topics = self.n_retrieved.shape[1]
        lists = (np.arange(len(self.systems))[:, None] * n_topics + columns).ravel()
        offsets, entries = take_segments(self.offsets, lists)
        return replace(
            self,
            n_retrieved=self.n_retrieved[:, columns],
            offsets=offsets,
            ranks=self.ranks[entries] if len(self.ranks) else self.ranks,
            codes=moved[self.codes[entries]],
            first=None if self.first is None else self.first[entries],
        )


def pool_marks(
    pooled: Mapping[str, bool] | pd.Series | Iterable[str], systems: tuple[str, ...], further: PoolRuns | None
) -> Flags:
    """Return which systems built the pool: as they are marked, or those that are named, as further runs may be too."""
    if not isinstance(pooled, Mapping | pd.Series):
        chosen = set(chosen_names(pooled, "pooled"))
        for name in sorted(chosen - {*systems, *(() if further is None else further.systems)}):
            check_choice(name, "system", systems)
        pooled = {name: name in chosen for name in systems}
    return np.array([as_truth(mark) for mark in looked_up_systems(pooled, systems, "pooled")], dtype=bool)


class Recoded(NamedTuple):
    """Where everything stands once further documents are judged."""

    moved: NDArray[np.int32]
    """New code of every document; those of judgments come first again. Shape (n_codes,)."""
    topic_offsets: Ints
    """Of the judgments; the further ones stand at the end of their topic. Shape (n_topics + 1,)."""

    def spread[T: np.generic](self, values: NDArray[T], fill: T | int | bytes) -> NDArray[T]:
        """Return values of the judgments in their new places, and `fill` for the further ones."""
        expanded = np.full(self.topic_offsets[-1], fill, dtype=values.dtype)
        expanded[self.moved[: len(values)]] = values
        return expanded


def recoded(topic_offsets: Ints, further: Flags, topics: NDArray[np.integer]) -> Recoded:
    """Give further documents the codes of judgments.

    Shapes: `topic_offsets` (n_topics + 1,), `further` (n_codes,), `topics` (n_codes,).

    Examples
    --------
    >>> moved = recoded(np.array([0, 1, 2]), np.array([False, False, False, True]), np.array([0, 1, 0, 0]))
    >>> moved.moved.tolist(), moved.topic_offsets.tolist()
    ([0, 2, 3, 1], [0, 2, 3])
    """
    n_topics, n_before = len(topic_offsets) - 1, int(topic_offsets[-1])
    new = np.flatnonzero(further)
    new = new[np.argsort(topics[new], kind="stable")]
    counts = np.bincount(topics[new], minlength=n_topics)
    before = np.concatenate([[0], np.cumsum(counts)])
    moved = np.empty(len(further), dtype=np.int32)
    moved[:n_before] = np.arange(n_before) + np.repeat(before[:-1], np.diff(topic_offsets))
    moved[new] = np.arange(len(new)) + topic_offsets[1:][topics[new]]
    others = ~further
    others[:n_before] = False
    moved[others] = n_before + len(new) + np.arange(int(others.sum()))
    return Recoded(moved, topic_offsets + before)
