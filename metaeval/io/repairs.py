"""What makes a malformed line one that can be read: a shell filter, as the errors of readers propose it."""

from collections.abc import Sequence

from metaeval.base.columns import RANKINGS, underscored
from metaeval.base.names import is_number
from metaeval.io.files import base_name

_RUN, _QRELS = 6, 4
_HEADER = frozenset(underscored(word) for words in RANKINGS.values() for word in words) - {"query", "topic", "qid"} | {
    *("corpus_id", "query_id", "rel"),
}
"""What columns of runs and judgments are called, and those of a table of scores are not."""


def filter_for(line: str, columns: Sequence[str], *, path: str, first: bool) -> str:
    """Return how to repair a file of which a line, perhaps the first, has not these columns; "" where none is known.

    Examples
    --------
    >>> print(filter_for("301 d7 2", ("topic", "iteration", "document", "relevance"), path="qrels.txt", first=True))
    add the column iteration (awk '{print $1, 0, $2, $3}' qrels.txt)
    """
    words, filters = line.split(), []
    divided = next((sign for sign in ",;" if line.count(sign) >= 2), None)  # noqa: PLR2004 - three cells
    if len(words) == 1 and divided is not None:
        words = [word.strip() for word in line.split(divided)]
        filters.append(f"tr '{divided}' ' '")
    if len(columns) == _RUN and len(words) == _QRELS and words[1] in {"0", "Q0"}:
        return "this is a line of judgments; give runs here, and judgments as such (`read_collection(qrels=...)`)"
    header = first and not any(map(is_number, words)) and not _HEADER.isdisjoint(map(underscored, words))
    if header:
        filters.append("tail -n +2")
    filters += _added(words, len(columns), path, header=header)
    n_words = len(words)
    known = n_words == len(columns) or bool(filters and filters[-1].startswith("awk"))
    if not filters or not known:
        return "if this is a table of scores, give it alone, without judgments" if divided else ""
    does = ["divide columns by blanks"] * filters[0].startswith("tr") + ["leave out the header"] * header
    does += [f"add the column {'tag' if n_words > _QRELS else 'iteration'}"] * (len(columns) == n_words + 1)
    does += ["add the columns Q0, rank and tag" if n_words == _RUN // 2 else "add the columns Q0 and tag"] * (
        len(columns) > n_words + 1
    )
    if path.endswith(".gz"):
        filters.insert(0, f"gzip -dc {path}")
    else:
        filters[0] += f" {path}" if not filters[0].startswith("tr") else f" <{path}"
    return f"{' and '.join(does)} ({' | '.join(filters)})"


def _added(words: Sequence[str], n_columns: int, path: str, *, header: bool) -> list[str]:
    """Return the filter that adds the columns that are not there, where the others tell which."""
    name = base_name(path)
    numbers = [header or is_number(word) for word in words]
    if n_columns == _QRELS and len(words) == 3 and numbers[2]:  # noqa: PLR2004 - topic, document and relevance
        return ["awk '{print $1, 0, $2, $3}'"]
    if n_columns != _RUN:
        return []
    if len(words) == 5 and numbers[3] and numbers[4]:  # noqa: PLR2004 - all but the tag
        return [f"awk '{{print $0, \"{name}\"}}'"]
    if len(words) == _QRELS and numbers[2] and numbers[3]:
        return [f'awk \'{{print $1, "Q0", $2, $3, $4, "{name}"}}\'']
    if len(words) == 3 and numbers[2]:  # noqa: PLR2004 - topic, document and score
        return [f'awk \'{{print $1, "Q0", $2, NR, $3, "{name}"}}\'']
    return []
