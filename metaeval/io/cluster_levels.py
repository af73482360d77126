"""Clusters of two levels in the columns of a table: every name of a lower cluster with the higher one that it is in."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metaeval.base.names import clean_name
from metaeval.errors import ScoresError
from metaeval.io.blocks import FileBlock
from metaeval.io.chosen_rows import column_names
from metaeval.io.headers import place_of, ragged
from metaeval.io.sheets import Sheet, sheet_of_rows
from metaeval.table.structure import nested_clusters

if TYPE_CHECKING:
    from metaeval.table.scores import Scores

_HIGHER = "higher_cluster"


def joined_levels(sheet: Sheet, lower: str, higher: str) -> tuple[Sheet, dict[str, str]]:
    r"""Return a table whose lower clusters are named with the higher one, without its column, and that of each.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = sheet_of(b"topic,protein,kind,a\n1,p,x,.5\n2,p,y,.4\n3,q,y,.4\n", "t.csv")
    >>> joined, higher_of = joined_levels(sheet, "protein", "kind")
    >>> list(joined.rows())[1:3], higher_of
    ([['1', 'p in x', '.5'], ['2', 'p in y', '.4']], {'p in x': 'x', 'p in y': 'y', 'q in y': 'y'})
    """
    names, body = column_names(sheet), sheet.without_header()
    below, above = (place_of(column, names, sheet) for column in (lower, higher))
    higher_of: dict[str, str] = {}
    lower_names: set[str] = set()

    def joined() -> Iterator[tuple[int | None, list[str]]]:
        for position, (line, cells) in enumerate(body.numbered()):
            if len(cells) != len(names):
                raise body.error(ragged(cells, len(names), body), position)
            inner, outer = cells[below].strip(), cells[above].strip()
            if inner and not outer:
                raise body.error(f"{lower} {inner!r} is in no {higher}: the cell is empty; fill it in", position)
            lower_names.add(inner)
            name = f"{inner} in {outer}" if inner else ""
            if name and higher_of.setdefault(clean_name(name, "cluster"), outer) != outer:
                raise body.error(f"{name!r} may be read in two ways; rename one of the clusters", position)
            written = [name if at == below else cell for at, cell in enumerate(cells) if at != above]
            yield line if sheet.has_lines else None, written

    columns = [name for at, name in enumerate(names) if at != above]
    made = sheet_of_rows(sheet.label, columns, joined(), left_out=sheet.left_out)
    n_lower, n_higher = len(lower_names), len(set(higher_of.values()))
    if n_lower < n_higher:
        message = f"{lower} has {n_lower} names and {higher} {n_higher}: name the smaller clusters first; where each"
        raise sheet.error(f"{message} {higher} uses the names of {lower} again, write both into one cell")
    if n_higher == len(higher_of):
        message = f"every {higher} has one {lower}, so these are clusters of one level; name one column alone"
        raise sheet.error(message)
    return made, higher_of


def with_higher_levels(block: FileBlock, higher_of: Mapping[str, str]) -> FileBlock:
    """Return a block that says of every topic in which higher cluster it is."""
    of_topic = {topic: higher_of[cluster] for topic, cluster in block.attached.get("cluster", {}).items()}
    return replace(block, attached={**block.attached, _HIGHER: of_topic})


def means_by_levels(scores: "Scores", blocks: Sequence[FileBlock]) -> "Scores":
    """Return scores with the lower clusters in the topics' place where blocks know two levels; else these scores."""
    of_topic: dict[str, str] = {}
    for block in blocks:
        for topic, higher in block.attached.get(_HIGHER, {}).items():
            if of_topic.setdefault(topic, higher) != higher:
                message = f"topic {topic!r} is in two higher clusters, {of_topic[topic]!r} and {higher!r}; keep one"
                raise ScoresError(message)
    return nested_clusters(scores, of_topic) if of_topic else scores
