"""The table of all elements that were assessed or retrieved: their names, their tree, sizes and assessments."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import UNKNOWN, Scale, whole_column
from metaeval.inex.element_runs import Words, normalised
from metaeval.running.compiled import compiled

_TOP_GRADE = 3


class Elements(NamedTuple):
    """All elements that were assessed or retrieved: topic after topic, documents apart, in document order.

    An element stands before its descendants, and these follow it without a gap. Positions count from the topic's
    first element, so that topics can be taken apart.
    """

    parents: NDArray[np.int32]
    """Position of the nearest ancestor in the table, -1 for none. Shape (n,)."""
    stops: NDArray[np.int32]
    """Position behind the last descendant. Shape (n,)."""
    documents: NDArray[np.int32]
    """Which of the topic's judgments of documents; -1 for a document that was not assessed. Shape (n,)."""
    names: NDArray[np.int32]
    paths: NDArray[np.int32]
    """Which of the collection's `document_names` and `path_names`. Shape (n,)."""
    assessed: Flags
    """Shape (n,)."""
    exhaustivity: NDArray[np.int8]
    """0 also where nothing was assessed; `TOO_SMALL` (-1) for "?". Shape (n,)."""
    specificity: Floats
    """In the terms of the scale. Shape (n,)."""
    fully_specific: Flags
    """Where all characters are highlighted, by whole numbers; grade 3 on the older scales. Shape (n,)."""
    sizes: Ints
    relevant_sizes: Ints
    """Characters, and highlighted ones; `UNKNOWN` (-1) where nobody said. Shape (n,)."""

    def with_assessments(self, rows: Ints, judged: pd.DataFrame, scale: Scale) -> "Elements":
        """Enter what was assessed."""
        size, relevant = (judged[name].to_numpy() for name in ("size", "relevant_size"))
        exhaustivity, specificity = (judged[name].to_numpy() for name in ("exhaustivity", "specificity"))
        counted = (scale == "2005") & (size > 0) & (relevant >= 0)
        full = np.where(counted, relevant == size, specificity == (1 if scale == "2005" else _TOP_GRADE))
        for column, values in (
            (self.assessed, True),
            (self.exhaustivity, exhaustivity),
            (self.specificity, specificity),
            (self.fully_specific, full & (exhaustivity != 0)),
            (self.sizes, np.where(size > 0, size, self.sizes[rows])),
            (self.relevant_sizes, relevant),
        ):
            column[rows] = values
        return self


class ElementNames(NamedTuple):
    """Codes of topics, documents and paths; the paths are sorted so that codes follow document order."""

    topics: pd.Index
    documents: pd.Index
    paths: pd.Index

    def keys(self, topics: Ints, documents: Ints, paths: Ints) -> Ints:
        """Return one number for the codes of topic, document and path, ascending in table order."""
        return (topics * len(self.documents) + documents) * len(self.paths) + paths

    def parts(self, keys: Ints) -> tuple[Ints, Ints, Ints]:
        """Take keys apart into the codes of topics, documents and paths."""
        quotient, paths = np.divmod(keys, len(self.paths))
        return (*np.divmod(quotient, len(self.documents)), paths)

    def path_stops(self) -> Ints:
        """Return for every path in document order the position behind its last descendant."""
        paths = self.paths
        stops = np.full(len(paths), len(paths), dtype=np.int64)
        waiting: list[int] = []
        for position, path in enumerate(paths):
            while waiting and not path.startswith(paths[waiting[-1]] + "/"):
                stops[waiting.pop()] = position
            waiting.append(position)
        return stops

    def known_sizes(self, sizes: pd.DataFrame | None, documents: Ints, paths: Ints) -> Ints:
        """Return the size that the table of sizes has for every element, `UNKNOWN` for none."""
        if sizes is None or sizes.empty:
            return np.full(len(paths), UNKNOWN, dtype=np.int64)
        lacking = [column for column in ("document", "path", "size") if column not in sizes]
        if lacking:
            message = (
                "element sizes (`element_collection(sizes=...)`) must have the columns document, path and size; "
                f"{lacking[0]} is missing"
            )
            raise InvalidOptionError(message)
        values = whole_column(sizes, "size")
        table = sizes.assign(document=Words.of(sizes["document"]).words, size=values, topic="")
        table["path"] = normalised(table, "", "element sizes, ").words
        table = table.drop_duplicates(["document", "path", "size"])
        wrong = table.duplicated(["document", "path"]).to_numpy() | (table["size"] <= 0).to_numpy()
        if wrong.any():
            row = table.iloc[int(np.argmax(wrong))]
            raise InvalidOptionError(
                "element sizes (`element_collection(sizes=...)`) must be 1 or more, one each; document "
                f"{row['document']!r}, {row['path']} has {row['size']}" + (" beside another" if row["size"] > 0 else "")
            )
        own_documents = Words.of(table["document"]).within(self.documents)
        own_paths = Words.of(table["path"]).within(self.paths)
        matched = (own_documents >= 0) & (own_paths >= 0)
        if not matched.any():
            return np.full(len(paths), UNKNOWN, dtype=np.int64)
        keys = own_documents[matched] * len(self.paths) + own_paths[matched]
        rows = positions_of(keys, documents * len(self.paths) + paths)
        return np.where(rows < 0, UNKNOWN, table["size"].to_numpy()[matched][rows])


def in_document_order(columns: list[Words]) -> pd.Index:
    """Sort different paths so that each is followed by its descendants: "/" must come before every other character."""
    different = {path for column in columns for path in column.names}
    return pd.Index(sorted(different, key=lambda path: path.replace("/", "\0")), dtype=object)


@compiled
def linked_tree(
    documents: Ints, paths: Ints, path_stops: Ints, starts: Ints
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Link sorted elements: nearest ancestor, and position behind the last descendant, from the topic's first."""
    n = len(paths)
    parents = np.full(n, -1, dtype=np.int32)
    stops = np.empty(n, dtype=np.int32)
    waiting = np.empty(n, dtype=np.int64)
    depth = 0
    for position in range(n):
        while depth > 0 and (
            documents[waiting[depth - 1]] != documents[position]
            or path_stops[paths[waiting[depth - 1]]] <= paths[position]
        ):
            depth -= 1
            stops[waiting[depth]] = position - starts[waiting[depth]]
        if depth > 0:
            parents[position] = waiting[depth - 1] - starts[position]
        waiting[depth] = position
        depth += 1
    while depth > 0:
        depth -= 1
        stops[waiting[depth]] = n - starts[waiting[depth]]
    return parents, stops


@compiled
def above(parents: NDArray[np.int32], starts: Ints, chosen: Flags) -> NDArray[np.int32]:
    """Return the nearest chosen ancestor of every element, -1 for none; ``starts`` is its topic's first element."""
    ancestors = np.full(len(parents), -1, dtype=np.int32)
    for position in range(len(parents)):
        parent = parents[position]
        if parent >= 0:
            ancestors[position] = parent if chosen[starts[position] + parent] else ancestors[starts[position] + parent]
    return ancestors


def positions_of(keys: Ints, wanted: Ints) -> Ints:
    """Return where each wanted key stands, -1 for nowhere."""
    order = np.argsort(keys)
    slots = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    return np.where(keys[order][slots] == wanted, order[slots], -1)
