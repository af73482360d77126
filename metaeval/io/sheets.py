"""Text divided into cells by commas, tabs, semicolons or blanks, where every row knows its line."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import is_unnamed
from metaeval.errors import FileFormatError
from metaeval.io.files import read_bytes, text_of

if TYPE_CHECKING:
    from _csv import Reader

_DELIMITERS = ("\t", ",", ";", " ", "|")
_DELIMITER_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", " ": "blanks", "|": "bars"}
_BLANKS = str.maketrans("\t\v\f", "   ")
_SAMPLE = 20
_CHUNK = 2000
_SEP = re.compile(rb'"?sep=([,;|\t])"?[ ,;\t]*\r?\n', re.IGNORECASE)
_MARKDOWN = re.compile(rb"\s*[^\r\n]*\|[^\r\n]*\r?\n(?=[^\r\n]*\|) *\|?[ :|-]*-[ :|-]*(\r?\n|\Z)")
_AS_TSV = (
    "this is a Markdown table; write it as TSV: without the line of hyphens, with tabs between cells and no bars or "
    r"stars around them (sed -E '/^ *\|?[ :|-]+$/d; s/\*\*//g; s/\\\|/\r/g; s/^ *\| *//; "
    r"s/ *\| *$//; s/ *\| */\t/g; s/\r/|/g')"
)
_LATEX = re.compile(rb"(?:[^\n&]*\n){0,8}[^\n&]*&[^\n]*\\\\[^\n&]*\n(?:[^\n&]*\n){0,3}[^\n]*&")
_LATEX_AS_TSV = (
    "this is a LaTeX table; write it as TSV: with tabs for &, and without the commands "
    r"(sed -E '/&/!d; s/ *\\\\.*$//; s/^ *//; s/\\&/\x01/g; s/ *& */\t/g; s/\x01/\&/g; s/~?\\cite[a-z]*\{[^}]*\}//g; "
    r":a;s/\\(textbf|textit|mathbf|underline|emph)\{([^{}]*)\}/\2/g;ta; s/\\uparrow/↑/g; s/\\downarrow/↓/g; "
    r"s/\\([%_#])/\1/g; s/ *\$?\\pm *\$?/ ± /g; s/\$//g')"
)
_HARNESS = re.compile(rb"\|\s*Tasks\s*\|\s*Version\s*\|[^\n]*\|\s*Stderr\s*\|")
_OF_HARNESS = (
    "this is what lm-evaluation-harness prints, means of one model; give the folders that it writes for the models "
    "(output_path, with log_samples), which hold scores by item"
)
_MINUS = "\N{MINUS SIGN}".encode()
"""What people write for a hyphen before a number below 0."""
_HEAD = 2**13
_CELLS = 200_000  # in a chunk or sample of very long rows


class CodedColumns(NamedTuple):
    """Columns of a long table, as far as their types tell what the cells hold."""

    codes: dict[str, NDArray[np.integer]]
    """By part, in numbers as narrow as there are names. Shape (row,)."""
    names: dict[str, list[str]]
    """What the codes stand for, in order of appearance."""
    numbers: NDArray[np.float64]
    """Shape (row, column)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Text divided into cells: rows of strings, each of which knows its line in the file."""

    label: str
    """The file, for messages."""
    content: bytes
    """All of it, in UTF-8."""
    delimiter: str
    """What stands between two cells; a blank stands for any run of blanks and tabs."""
    has_lines: bool = True
    """Whether a line number means something to the reader (not for a binary file)."""
    skip: int = 0
    """Rows to pass over: the header."""
    keep: Callable[[list[str]], bool] | None = None
    """Which of the other rows count; None for all but the empty ones."""
    lines: Sequence[int] | None = None
    """Where the text was made from another file, the line there of every line here."""
    left_out: tuple[str, ...] = ()
    """Names in that file that have no column here."""
    titles: tuple[str, ...] = ()
    """What was left out above the header, as notes."""
    above: tuple[str, ...] = ()
    """What stands in lines above the header of a table of scores."""

    @property
    def delimiter_of_lines(self) -> str:
        """What a filter of lines finds between two cells, "" where the rows were made of something else."""
        return self.delimiter if self.has_lines and self.lines is None else ""

    def texts(self) -> Iterable[bytes]:
        """Return the content in parts, each of whole rows."""
        return (self.content,)

    def coded(self, names: Mapping[str, int], numbers: Sequence[int]) -> "CodedColumns | None":  # noqa: ARG002 - see below
        """Return columns by their places: of names as codes, of numbers together; None where the cells must tell."""
        return None

    def rows(self) -> Iterator[list[str]]:
        """Yield the cells of every row that is not empty, as they stand."""
        return chain.from_iterable(self.chunks())

    def chunks(self) -> Iterator[list[list[str]]]:
        """Yield the rows some at a time, few enough that the garbage collector has nothing to look through."""
        reader, rows = self._reader()
        try:
            for first in rows:
                yield [first, *islice(rows, min(_CHUNK - 1, _CELLS // len(first)))]
        except csv.Error as error:
            raise self._misquoted(error, reader.line_num) from error

    def numbered(self) -> Iterator[tuple[int | None, list[str]]]:
        """Yield every row that is not empty behind its line in the file, None where lines mean nothing."""
        reader, rows = self._reader()
        try:
            for cells in rows:
                line = self.lines[reader.line_num - 1] if self.lines else reader.line_num
                yield line if self.has_lines else None, cells
        except csv.Error as error:
            raise self._misquoted(error, reader.line_num) from error

    def sample(self) -> list[list[str]]:
        """Return the first rows: twenty, or fewer that are very long, but two."""
        rows = self.rows()
        first = list(islice(rows, 2))
        return first + list(islice(rows, min(_SAMPLE - 2, _CELLS // len(first[0])))) if first else first

    def hollow_line(self) -> int | None:
        """Return the line of the first row without any text that has rows behind it; None if there is none."""
        reader, _ = self._reader()
        passed, hollow = 0, None
        for cells in reader:
            if not _has_text(cells):
                hollow = reader.line_num if hollow is None and passed > self.skip else hollow
            elif hollow is not None:
                return hollow
            else:
                passed += 1
        return None

    def without_header(self) -> "Sheet":
        """Return the sheet from its second row on."""
        return replace(self, skip=1)

    def only(self, keep: Callable[[list[str]], bool]) -> "Sheet":
        """Return the sheet with those rows only for which `keep` holds."""
        return replace(self, keep=keep)

    def row(self, position: int) -> tuple[int, list[str]]:
        """Return the line (from 1) and the cells of a row (from 0); it reads the text again, so only for errors."""
        reader, rows = self._reader()
        cells = next(islice(rows, position, None))
        return self.lines[reader.line_num - 1] if self.lines else reader.line_num, cells

    def error(
        self, message: str, position: int | None = None, *, of: type[FileFormatError] = FileFormatError
    ) -> FileFormatError:
        """Return an error about the file, or about one of its rows, of the class that programs know it by."""
        if position is None:
            return of(message, path=self.label)
        if not self.has_lines:
            return of(f"row {position + 1}: {message}", path=self.label)
        return of(message, path=self.label, line=self.row(position)[0])

    def _misquoted(self, error: csv.Error, line: int) -> FileFormatError:
        rule = f"a quotation mark opens or closes a cell in the wrong place ({error}); double it or remove it"
        if "field limit" in str(error):
            rule = f"a quotation mark is never closed, or a cell is too long ({error}); close it, or shorten it"
        return FileFormatError(rule, path=self.label, line=line)

    def _reader(self) -> tuple["Reader", Iterator[list[str]]]:
        reader = _cell_reader(self.texts(), self.delimiter, strict=True)
        return reader, filter(self.keep, islice(filter(_has_text, reader), self.skip, None))


def read_sheet(path: str | Path, *, delimiter: str | None = None) -> Sheet:
    """Read text divided into cells by commas, tabs, semicolons or blanks."""
    return sheet_of(read_bytes(path), str(path), delimiter=delimiter)


def sheet_of(content: bytes, label: str, *, delimiter: str | None = None, has_lines: bool = True) -> Sheet:
    """Return the sheet of a content that was read already; see `read_sheet` and `Sheet`."""
    content = text_of(content, label)
    if re.match(rb"\s*(\{\s*\"|\[\s*[{\[])", content):
        raise FileFormatError("the file holds JSON, and here a table is wanted; write it as CSV or TSV", path=label)
    line = _SEP.match(content)  # as spreadsheets are told what divides cells
    if line:
        content, delimiter = b"\n" + content[line.end() :], line[1].decode()
    if _HARNESS.search(content, 0, _HEAD):
        raise FileFormatError(_OF_HARNESS, path=label)
    for form, way in ((_MARKDOWN, _AS_TSV), (_LATEX, _LATEX_AS_TSV)):
        if form.match(content, 0, _HEAD):
            raise FileFormatError(way, path=label)
    delimiter = delimiter or _find_delimiter(content)
    if delimiter == " " and _has_empty_cells(content):
        content, delimiter = content.replace(b" ", b"\t"), "\t"
    content = _with_hyphens(content, delimiter)
    sheet = Sheet(label=label, content=content, delimiter=delimiter, has_lines=has_lines)
    if next(sheet.rows(), None) is None:
        raise sheet.error("the file is empty; a table needs a header and rows")
    return sheet


def sheet_of_rows(
    label: str,
    names: Sequence[str],
    rows: Iterable[tuple[int | None, Sequence[str]]],
    *,
    left_out: Sequence[str] = (),
    delimiter: str = ",",
) -> Sheet:
    r"""Return rows that were made of another file as a sheet; each stands behind its line there, None for no line.

    Where the file holds the same cells its `delimiter` is kept, since filters in messages are for that file.

    Examples
    --------
    >>> made = sheet_of_rows("file", ["a", "b"], [(7, ["1", "2\n3"]), (9, ["4", "5"])])
    >>> list(made.rows()), made.row(2)
    ([['a', 'b'], ['1', '2\n3'], ['4', '5']], (9, ['4', '5']))
    """
    written, lines, delimiter = io.StringIO(), [1], delimiter if delimiter in {";", "\t"} else ","
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    for line, cells in rows:
        writer.writerow(cells)
        lines += [line or 0] * (1 + sum(cell.count("\n") for cell in cells))
    content = _with_hyphens(text_of(written.getvalue().encode(errors="surrogatepass"), label), delimiter)
    made = Sheet(label=label, content=content, delimiter=delimiter, has_lines=all(lines), lines=lines)
    return replace(made, left_out=tuple(left_out))


def _with_hyphens(content: bytes, delimiter: str) -> bytes:
    """Write a hyphen for the minus sign of cells that are numbers; what stands first in a row may be a name."""
    if _MINUS not in content:
        return content
    sign = re.escape(delimiter.encode())
    return re.sub(rb'(?m)(%b"?)%b(?=[0-9.][0-9.eE+-]*"?[ ]*(?:%b|\r?$))' % (sign, _MINUS, sign), rb"\1-", content)


def header_names(cells: Sequence[str]) -> list[str]:
    """Return the names in a header without blanks around them; pandas' "Unnamed: 0" counts as none.

    Examples
    --------
    >>> header_names(["Unnamed: 0", " bm25 "])
    ['', 'bm25']
    """
    return ["" if is_unnamed(cell) else cell.strip() for cell in cells]


def delimiter_name(delimiter: str) -> str:
    """Return the delimiter in words, for messages."""
    return _DELIMITER_NAMES.get(delimiter, repr(delimiter))


def _has_text(cells: Sequence[str]) -> bool:
    """Whether a row is more than an empty line, or one of blanks and tabs."""
    return any(cells) and (len(cells) > 1 or not cells[0].isspace())


def _cell_reader(texts: Iterable[bytes], delimiter: str, *, strict: bool) -> "Reader":
    parts = (io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline=None) for text in texts)
    lines: Iterable[str] = chain.from_iterable(parts)
    if delimiter == " ":
        lines = (line.translate(_BLANKS).strip() + "\n" for line in lines)  # a line end between quotes stays one
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _find_delimiter(content: bytes) -> str:
    """Return the delimiter that divides the first rows evenly, else the one that divides the first row at all."""
    counts = {delimiter: _cell_counts(content, delimiter) for delimiter in _DELIMITERS}
    divides = [delimiter for delimiter, (first, *_) in counts.items() if first > 1]
    return next((delimiter for delimiter in divides if _even(*counts[delimiter])), [*divides, ","][0])


def _has_empty_cells(content: bytes) -> bool:
    r"""Whether one blank divides cells, some of them empty: then rows are even by it, and not by runs of blanks.

    Examples
    --------
    >>> _has_empty_cells(b"a b c\n1  3\n4 5 6\n"), _has_empty_cells(b"a   b\nx   1\n"), _has_empty_cells(b"a b c\n1  3")
    (True, False, True)
    """
    if b"  " not in content or b'"' in content or b"\t" in content:
        return False
    lines = [line for line in content.splitlines() if line.strip()]
    evenly = len({line.count(b" ") for line in lines}) == 1 and b"  " not in lines[0]
    return evenly and len({len(line.split()) for line in lines}) > 1


def _even(first: int, *others: int) -> bool:
    """Whether rows have one length; one cell less in the header is how R writes names of rows."""
    return set(others) <= {first} or set(others) == {first + 1}


def _cell_counts(content: bytes, delimiter: str) -> Sequence[int]:
    reader = _cell_reader((content,), delimiter, strict=False)
    counts: list[int] = []
    try:
        for cells in islice(filter(_has_text, reader), _SAMPLE):
            counts.append(len(cells))
            if len(counts) > 1 and sum(counts) > _CELLS:
                break
    except csv.Error:
        return [0]
    return counts or [0]
