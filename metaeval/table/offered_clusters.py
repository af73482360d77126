"""Columns that put topics, or votes, into groups, such as categories or questions: clusters that nobody named."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import is_number
from metaeval.base.notes import OfferedClusters, OfferedQuestions, TakenClusters
from metaeval.base.unit import unit
from metaeval.table.roles import part_of_word, role_of_name

_FEWEST, _SMALLEST = 6, 2
"""Clusters below which no exact test could reject at .05, and topics a cluster on average below which none is one."""


def taken_clusters(parts: Mapping[str, str], chosen: Collection[str]) -> list[str]:
    """Return the note on a column that counts as clusters by another name than that, where nobody said that it does.

    Examples
    --------
    >>> taken_clusters({"cluster": "task"}, chosen=())
    ["topics of one 'task' count as a cluster; `with_clusters(scores, 'ignore')` takes them as independent"]
    >>> taken_clusters({"cluster": "task"}, chosen=["cluster"]), taken_clusters({"cluster": "cluster"}, chosen=())
    ([], [])
    """
    column = parts.get("cluster")
    if column is None or "cluster" in chosen or part_of_word(column) == "cluster":
        return []
    way = "`with_clusters(scores, 'ignore')` takes them as independent"
    return [TakenClusters(f"{unit().topics} of one {column!r} count as a cluster; {way}")]


def offered_clusters(
    columns: Mapping[str, Sequence[str]], topics: Sequence[str], *, in_memory: bool = False
) -> list[OfferedClusters]:
    """Return a note on every column of words that says one thing of each topic, and the same of several.

    Examples
    --------
    >>> topics, kinds = [f"q{number}" for number in range(12)], [f"k{number // 2}" for number in range(12)]
    >>> offered_clusters({"kind": kinds, "remark": topics}, topics)
    ["column 'kind' puts 12 topics into 6 groups; `columns={'cluster': 'kind'}` counts these as clusters"]
    """
    notes = []
    for name, cells in columns.items():
        names_items = part_of_word(name) == "topic"
        clusters = _groups(topics, cells) if names_items or not role_of_name(name)[0] else {}
        groups = {*clusters.values()}
        if not groups or (all(map(is_number, groups)) and not names_items):
            continue
        way = "call it 'cluster' to count" if in_memory else f"`columns={ {'cluster': name}!r}` counts"
        words = (
            f"column {name!r} puts {len(clusters)} {unit().topics} into {len(groups)} groups; {way} these as clusters"
        )
        notes.append(OfferedClusters(words, name, clusters))
    return notes


def columns_of_group_numbers(columns: Mapping[str, Sequence[str]], topics: Sequence[str]) -> list[str]:
    """Return the columns called as items that number groups of the topics, which another column names.

    Examples
    --------
    >>> numbers = [str(number // 2) for number in range(12)]
    >>> columns_of_group_numbers({"document": numbers, "bm25": numbers}, [f"q{number}" for number in range(12)])
    ['document']
    """
    called = {name: cells for name, cells in columns.items() if part_of_word(name) == "topic"}
    return [
        name
        for name, cells in called.items()
        if 1 < len({*cells}) < len({*topics}) == len({*zip(topics, cells, strict=True)})
        and all(cell.strip().isdecimal() for cell in cells)
    ]


def _groups(topics: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Return the group of each topic, where cells say one thing of each, and the same of several; else nothing."""
    told = {*zip(topics, cells, strict=True)}
    clusters = dict(told)
    groups = {*clusters.values()}
    fitting = _FEWEST <= len(groups) <= len(clusters) / _SMALLEST
    return clusters if fitting and len(clusters) == len(told) and all(groups) else {}


def offered_questions(
    groups: Mapping[str, NDArray[np.uint64]], pairs: NDArray[np.int64], voters: NDArray[np.int64] | None
) -> list[OfferedQuestions]:
    """Return a note on the column that puts votes into most groups of one pair of systems each; none says it of voters.

    Examples
    --------
    >>> hits = np.repeat(np.arange(8, dtype=np.uint64), 3)
    >>> [note.column for note in offered_questions({"HIT": hits, "row": np.arange(24)}, hits % 2, None)]
    ['HIT']
    """
    n_votes, fitting = len(pairs), {}
    for name, codes in groups.items():
        n_groups = len(np.unique(codes))
        if not _FEWEST <= n_groups <= n_votes / _SMALLEST or _n_combined(codes, pairs) > n_groups:
            continue
        n_voters = n_votes if voters is None else len(np.unique(voters))
        if voters is None or n_voters > n_votes / _SMALLEST or _n_combined(codes, voters) > n_voters:
            fitting[name] = n_groups
    if not fitting:
        return []
    name = max(fitting, key=fitting.__getitem__)
    words = (
        f"column {name!r} puts {n_votes} votes into {fitting[name]} groups of one pair each; if votes of a group are "
        f"on one question they err alike, and errors are too small without `columns={ {'question': name}!r}`"
    )
    return [OfferedQuestions(words, name)]


def _n_combined(*codes: NDArray[np.int64] | NDArray[np.uint64]) -> int:
    """Count the combinations that occur."""
    places = [np.unique(values, return_inverse=True)[1] for values in codes]
    return len(np.unique(np.stack(places), axis=1).T)
