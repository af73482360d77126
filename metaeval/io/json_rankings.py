"""Runs and judgments in JSON: ``{query: {document: number}}``, or records of query, document and number."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.benchmarks.contents import read_json
from metaeval.io.files import base_name
from metaeval.io.rankings import Part, Rows, RowSource, ranking_rows
from metaeval.io.trec_lines import Scan

_UNKNOWN = b"-"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JsonScan(Scan):
    """What a scan of lines holds, of a file in JSON: identifiers stand behind one another in `content`."""

    rows: Rows

    def error(self, line: int, message: str) -> FileFormatError:
        """Return the error that names a document and its query."""
        return FileFormatError(f"{self.rows.place(line)}: {message}", path=self.path)


def scan_json(content: bytes, *, path: str, number: Part) -> JsonScan | None:
    r"""Return the rows of runs (`number` "score" or "rank") or judgments ("level"); None for a file that is no JSON.

    Examples
    --------
    >>> found = scan_json(b'{"q1": {"d 1": 2.5, "d2": 1}}', path="bm25.json", number="score")
    >>> found.documents(), found.numbers.tolist(), found.names("tag")
    ([b'd 1', b'd2'], [2.5, 1.0], ['bm25'])
    """
    json = read_json(content, path)
    if json is None:
        return None
    source = RowSource("qrels" if number == "level" else "run", "the file holds JSON")
    if not json.value:
        raise FileFormatError("the file holds JSON without a document; write it again", path=path)
    nested = any(isinstance(entry, dict | list) for entry in json.object.values())
    try:
        rows = ranking_rows(json.object if nested else json.records or json.value, source, number)
    except InvalidOptionError as error:
        raise FileFormatError(str(error), path=path) from None
    return _scan_of(rows, path, ranked=number == "rank")


def _scan_of(rows: Rows, path: str, *, ranked: bool) -> JsonScan:
    names = [name.encode() for name in rows.documents]
    zero = next((name for name in (*rows.documents, *rows.topics) if "\0" in name), None)
    if zero is not None:
        raise FileFormatError(f"{zero!r} holds a zero byte, which no file of runs can; rename it", path=path)
    documents = [names[code] for code in rows.document_codes.tolist()]
    behind = [_UNKNOWN if rows.ranks is None else str(rank).encode() for rank in rows.ranks or documents]
    lines = [b"%b %b\n" % pair for pair in zip(documents, behind, strict=True)]
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    bounds = np.cumsum([0, *(len([*lists]) for _, lists in groupby(rows.topic_codes.tolist()))])
    return JsonScan(
        content=b"".join(lines),
        path=path,
        starts=np.cumsum(lengths) - lengths,
        lengths=np.fromiter(map(len, documents), dtype=np.int64, count=len(documents)),
        numbers=rows.numbers,
        ranks=rows.numbers if ranked else np.zeros(0),
        segment_bounds=bounds,
        topics=[rows.topics[code].encode() for code in rows.topic_codes[bounds[:-1]].tolist()],
        tags=[base_name(path).encode()] * (len(bounds) - 1),
        n_wide=0,
        rows=rows,
    )
