"""Several columns made one: those that name an item together, as document and segment do, and levels of clusters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from metaeval.base.names import clean_name, comma_list, split_at_commas
from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.blocks import FileBlock, TableOptions
from metaeval.io.chosen_rows import column_names
from metaeval.io.headers import even_rows, place_of
from metaeval.io.sheets import Sheet, header_names, sheet_of_rows
from metaeval.table.roles import PIECES, WITHIN_ITEMS, word_of
from metaeval.table.structure import nested_clusters

if TYPE_CHECKING:
    from metaeval.table.scores import Scores

_BETWEEN = "::"
_FEWEST = 2
PROMPTED = re.compile(r"\[[^\[\]]+\] ")
"""How promptfoo begins the name of a column: [system] prompt; what was asked stands beside, in columns of words."""


def columns_to_join(sheet: Sheet, options: TableOptions) -> list[str]:
    r"""Return the columns that name an item together: those that the caller names by comma, or promptfoo's variables.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = sheet_of(b"doc,seg,a,b\nx,1,.5,.4\nx,2,.4,.6\n", "t.csv")
    >>> columns_to_join(sheet, TableOptions(columns={"topic": "doc,seg"}, missing="error"))
    ['doc', 'seg']
    """
    asked = options.columns.get("topic")
    if options.form is not None or not (isinstance(asked, str) or not options.columns):
        return []
    names = header_names(sheet.sample()[0])
    if isinstance(asked, str):
        several = [] if asked in names or "," not in asked else split_at_commas([asked], names.__contains__)
        return several if {*several} <= {*names} else []
    if sum(map(bool, map(PROMPTED.match, names))) < _FEWEST:
        return []
    names = column_names(sheet)
    variables = [name for name in names if name and not PROMPTED.match(name)]
    rows = [cells for cells in sheet.without_header().rows() if len(cells) == len(names)]
    for n_columns in range(1, len(variables) + 1):
        places = [names.index(name) for name in variables[:n_columns]]
        if len({tuple(cells[at] for at in places) for cells in rows}) == len(rows):
            return variables[:n_columns] if n_columns > 1 else []
    return []


def parts_to_join(sheet: Sheet, options: TableOptions) -> list[str]:
    r"""Return two columns that name an item together: that of items and of their turns, or of documents and segments.

    They do where a system has several scores under a name of either, and fewer under both.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> sheet = sheet_of(b"model,item,turn,score\na,1,1,.5\na,1,2,.4\na,2,1,.7\nb,1,1,.5\nb,1,2,.4\n", "t.csv")
    >>> parts_to_join(sheet, TableOptions(missing="error", columns={}))
    ['item', 'turn']
    """
    names = header_names(sheet.sample()[0])
    said = {*options.chosen.values(), *options.ignored}
    free = [name for name in names if name not in said]
    within = [name for name in free if word_of(name) in WITHIN_ITEMS]
    of_texts = [name for name in free if word_of(name) in PIECES]
    if options.positions or (len(within) != 1 and len(of_texts) != _FEWEST):
        return []
    left_out = [*options.ignored, *(of_texts[1:] if len(of_texts) == _FEWEST else [])]
    try:
        parts = replace(options, columns={**options.columns, "ignore": left_out}).roles(names, sheet).parts
    except MetaevalError:  # which its reader says
        return []
    topic = parts.get("topic", "")
    pair = [topic, *within] if len(within) == 1 and len(of_texts) != _FEWEST else of_texts
    if "cluster" in parts or not {"system", "topic"} <= {*parts} or topic != pair[0] or pair[1] in {*parts.values()}:
        return []
    keys = [names.index(name) for role, name in parts.items() if role not in {"score", "topic"}]
    rows = [cells for cells in sheet.without_header().rows() if len(cells) == len(names)]
    *alone, together = (
        len({tuple(cells[at].strip() for at in (*keys, *map(names.index, item))) for cells in rows})
        for item in (pair[:1], pair[1:], pair)
    )
    return pair if max(alone) < together else []


def joined_items(sheet: Sheet, columns: Sequence[str], *, kept: Sequence[str] = ()) -> tuple[Sheet, str]:
    r"""Return a table with one column in place of several, which name an item together, and what it is called.

    Those to be `kept` stand beside it too.

    Examples
    --------
    >>> from metaeval.io.sheets import sheet_of
    >>> joined, name = joined_items(sheet_of(b"doc,seg,a\nx,1,.5\nx,2,.4\n", "t.csv"), ["doc", "seg"])
    >>> list(joined.rows()), name
    ([['doc,seg', 'a'], ['x::1', '.5'], ['x::2', '.4']], 'doc,seg')
    """
    names, body = column_names(sheet), sheet.without_header()
    places = [names.index(column) for column in columns]
    out = {*places} - {names.index(column) for column in kept}
    seen: dict[str, tuple[str, ...]] = {}

    def others(cells: Sequence[str]) -> list[str]:
        return [cell for at, cell in enumerate(cells) if at not in out]

    def joined() -> Iterator[tuple[int | None, list[str]]]:
        for position, line, cells in even_rows(sheet, names):
            pieces = tuple(cells[at].strip() for at in places)
            item = _BETWEEN.join(pieces) if any(pieces) else ""
            if seen.setdefault(item, pieces) != pieces:
                raise body.error(f'two items would have one name, {item!r}: names are joined by "::"', position)
            yield line, [item, *others(cells)]

    called = comma_list(columns)
    header = [called, *others(names)]
    made = sheet_of_rows(sheet.label, header, joined(), left_out=sheet.left_out, delimiter=sheet.delimiter)
    return made, called


def wholes_of(items: Sequence[str]) -> list[str]:
    """Return the first of the names that each item has from several columns.

    Examples
    --------
    >>> wholes_of(["x::1", "x::2"])
    ['x', 'x']
    """
    return [item.partition(_BETWEEN)[0] for item in items]


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
        for position, line, cells in even_rows(sheet, names):
            inner, outer = cells[below].strip(), cells[above].strip()
            if inner and not outer:
                raise body.error(f"{lower} {inner!r} is in no {higher}: the cell is empty; fill it in", position)
            lower_names.add(inner)
            name = f"{inner} in {outer}" if inner else ""
            if name and higher_of.setdefault(clean_name(name, "cluster"), outer) != outer:
                raise body.error(f"{name!r} may be read in two ways; rename one of the clusters", position)
            written = [name if at == below else cell for at, cell in enumerate(cells) if at != above]
            yield line, written

    columns = [name for at, name in enumerate(names) if at != above]
    made = sheet_of_rows(sheet.label, columns, joined(), left_out=sheet.left_out, delimiter=sheet.delimiter)
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
