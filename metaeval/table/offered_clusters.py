"""Columns beside scores that put topics into groups, such as categories: clusters that nobody named."""

from collections.abc import Collection, Mapping, Sequence

from metaeval.base.names import is_number
from metaeval.base.notes import OfferedClusters, TakenClusters
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
        if role_of_name(name)[0]:
            continue
        told = {*zip(topics, cells, strict=True)}
        clusters = dict(told)
        groups = {*clusters.values()}
        is_one_each = len(clusters) == len(told) and all(groups)
        few = not _FEWEST <= len(groups) <= len(clusters) / _SMALLEST
        if few or not is_one_each or all(map(is_number, groups)):
            continue
        way = "call it 'cluster' to count" if in_memory else f"`columns={ {'cluster': name}!r}` counts"
        words = (
            f"column {name!r} puts {len(clusters)} {unit().topics} into {len(groups)} groups; {way} these as clusters"
        )
        notes.append(OfferedClusters(words, name, clusters))
    return notes
