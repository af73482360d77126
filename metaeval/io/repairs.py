"""What makes a malformed file of runs or judgments one that can be read: a shell filter, as errors propose it.

A filter is proposed where it is right for every line: all have as many words, and what each column holds is told by
all of its cells. One that counts 1, 2, 3, … in every topic holds ranks, whatever it is called.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice

from metaeval.base.columns import RANKINGS, underscored
from metaeval.base.names import is_number
from metaeval.io.files import STANDARD_INPUT, base_name, first_bytes
from metaeval.io.unpacking import COMPRESSIONS
from metaeval.table.roles import rises_by_name

_RUN, _QRELS = 6, 4
_HEADER = frozenset(underscored(word) for words in RANKINGS.values() for word in words) - {"query", "topic", "qid"} | {
    *("corpus_id", "query_id", "rel"),
}
"""What columns of runs and judgments are called, and those of a table of scores are not."""
_LOOKED_AT = 100_000
"""Lines that tell what the columns of a file hold."""
_FEWEST_RANKS = 2
_JUDGMENTS = "this is a line of judgments; give runs here, and judgments as such (`read_collection(qrels=...)`)"
_FROM_RANKS = "take the {} column, which counts 1, 2, 3, … in every topic, for the rank, and add the columns {}"
_FILTERS: Mapping[int, Mapping[str, tuple[str, str]]] = {
    _RUN: {
        "[^q]R": (_FROM_RANKS.format("third", "Q0, score and tag"), '$1, "Q0", $2, $3, -$3, TAG'),
        "r[ti]": (_FROM_RANKS.format("second", "Q0, score and tag"), '$1, "Q0", $3, $2, -$2, TAG'),
        "[^q]S": ("add the columns Q0, rank and tag", '$1, "Q0", $2, NR, $3, TAG'),
        "[^q][roid]N": ("add the columns Q0 and tag", '$1, "Q0", $2, $3, $4, TAG'),
        "[^q]Rt": (_FROM_RANKS.format("third", "Q0 and score"), '$1, "Q0", $2, $3, -$3, $4'),
        "[^q]St": ("add the columns Q0 and rank", '$1, "Q0", $2, NR, $3, $4'),
        "q.Rt": (_FROM_RANKS.format("fourth", "score"), "$1, $2, $3, $4, -$4, $5"),
        "q.St": ("add the column rank", "$1, $2, $3, NR, $4, $5"),
        "[^q]RNt": ("add the column Q0", '$1, "Q0", $2, $3, $4, $5'),
        "..[roid]N": ("add the column tag", "$0, TAG"),
    },
    _QRELS: {"[^q]N": ("add the column iteration", "$1, 0, $2, $3")},
}
"""By the columns wanted: what the columns after the first hold, what is to be done, and what awk is to print.

q: Q0 or 0 in every line; r: 1, 2, 3, … in every topic, one after the other; o: the same in another order; d: whole
numbers that fall in every topic; i: others; n: numbers; t: words. R: any ranks; S: any scores; N: any numbers.
"""
_ANY = str.maketrans({"R": "[ro]", "S": "[din]", "N": "[rodin]"})


def filter_for(line: str, columns: Sequence[str], *, path: str, first: bool, content: str = "") -> str:
    r"""Return how to repair a file of which a line, perhaps the first, has not these columns; "" where none is known.

    Examples
    --------
    >>> print(filter_for("301 d7 2", ("topic", "iteration", "document", "relevance"), path="qrels.txt", first=True))
    add the column iteration (awk '{print $1, 0, $2, $3}' <qrels.txt)
    >>> run = ("topic", "Q0", "document", "rank", "score", "tag")
    >>> print(filter_for("301 d7 1", run, path="bm25.run", first=True, content="301 d7 1\n301 d2 2").split("(")[1])
    awk '{print $1, "Q0", $2, $3, -$3, "bm25"}' <bm25.run)
    """
    words = line.split()
    divided = next((sign for sign in ",;" if line.count(sign) >= 2), "") if len(words) == 1 else ""  # noqa: PLR2004 - three cells
    if len(columns) == _RUN and len(words) == _QRELS and words[1] in {"0", "Q0"}:
        return _JUDGMENTS
    content = content or line
    rows = _rows(content, divided)
    cells = rows[0] if rows else []
    header = first and not any(map(is_number, cells)) and not _HEADER.isdisjoint(map(underscored, cells))
    rows = rows[header:] or rows
    steps = _added(rows, len(columns), path) if len({len(row) for row in rows}) == 1 else None
    steps = [_turned(*step, cells) for step in steps] if header and steps else steps
    if steps is None or not (divided or header or steps):
        return "if this is a table of scores, give it alone, without judgments" if divided else ""
    does, filters = [], []
    if divided:
        does, filters = ["divide columns by blanks"], [f"tr '{divided}' ' '"]
    if header:
        does, filters = [*does, "leave out the header"], [*filters, "tail -n +2"]
    for done, fields in steps:
        does, filters = [*does, done], [*filters, f"awk '{_nonempty(content)}{{print {fields}}}'"]
    return f"{' and '.join(does)} ({' | '.join(_opened(path, content, filters))})"


def _rows(content: str, divided: str) -> list[list[str]]:
    """Return the words of the first lines; none where a sign that divides cells stands in quoted ones too."""
    lines = (line for line in content.split("\n") if line.strip() and not line.startswith("#"))
    rows = [line.split(divided) if divided else line.split() for line in islice(lines, _LOOKED_AT)]
    quoted = divided and any('"' in cell or not cell.strip() or " " in cell.strip() for row in rows for cell in row)
    return [] if quoted else [[cell.strip() for cell in row] for row in rows]


def _added(rows: Sequence[Sequence[str]], n_columns: int, path: str) -> list[tuple[str, str]] | None:
    """Return what awk is to add, [] where all columns are there, None where what they hold does not tell."""
    if len(rows[0]) == n_columns:
        return []
    topics, *columns = zip(*rows, strict=True)
    kinds = "".join(_kind(cells, topics, position) for position, cells in enumerate(columns))
    tag = f'"{re.sub(r"[^\w.@+=-]+", "_", base_name(path))}"'
    for pattern, (does, fields) in _FILTERS.get(n_columns, {}).items():
        if re.fullmatch(pattern.translate(_ANY), kinds):
            return [(does, fields.replace("TAG", tag))]
    return None


def _turned(done: str, fields: str, names: Sequence[str]) -> tuple[str, str]:
    """Return a step that turns the sign of a score that is better the lower, as its name in the header says."""
    printed = fields.split(", ")
    column = next((place for place, name in enumerate(names, start=1) if not rises_by_name(name)), 0)
    if len(printed) == _RUN and printed[4] == f"${column}":
        printed[4] = f"-{printed[4]}"
        done += f", and turn the sign of {names[column - 1]!r}, which is better the lower"
    return done, ", ".join(printed)


def _kind(cells: Sequence[str], topics: Sequence[str], place: int) -> str:
    """Return the letter of what a column holds."""
    if place == 0 and set(cells) <= {"Q0", "q0", "0"}:
        return "q"
    if not all(map(is_number, cells)):
        return "t"
    return _kind_of_whole(cells, topics) if all(re.fullmatch(r"[+-]?[0-9]{1,18}", cell) for cell in cells) else "n"


def _kind_of_whole(cells: Sequence[str], topics: Sequence[str]) -> str:
    lists: dict[str, list[int]] = defaultdict(list)
    for topic, cell in zip(topics, cells, strict=True):
        lists[topic].append(int(cell))
    if len(cells) == _LOOKED_AT:
        lists.pop(topics[-1])  # its end is not among the lines looked at
    rising = [sorted(numbers) for numbers in lists.values()]
    if max(map(len, rising), default=0) < _FEWEST_RANKS:
        return "i"
    if [numbers[::-1] for numbers in lists.values()] == rising:
        return "d"
    if not all(
        numbers[0] in {0, 1} and numbers == [*range(numbers[0], numbers[0] + len(numbers))] for numbers in rising
    ):
        return "i"
    return "r" if list(lists.values()) == rising else "o"


def _nonempty(content: str) -> str:
    """Return the pattern of awk that passes over empty lines, where there are any."""
    return "NF " if any(not line.strip() for line in content.rstrip().split("\n")) else ""


def _opened(path: str, content: str, filters: Sequence[str]) -> list[str]:
    """Return filters with what opens the file before them: unpacked, and with lines that end as awk knows them."""
    before = first_bytes(path)
    every = [f"{compression.program} -dc" for compression in COMPRESSIONS.values() if compression.magic.match(before)]
    if "\r" in content:
        every.append("tr -d '\\r'")
    elif not every and b"\r" in before:
        every.append("tr '\\r' '\\n'")
    every += filters
    return every if path == STANDARD_INPUT else [f"{every[0]} <{shlex.quote(path)}", *every[1:]]
