"""What a file of results holds before anybody knows the format: JSON, JSON lines, or the members of a zip archive.

All JSON of others comes in here. Nothing is unpacked to disk, and values are counted before they are made. A name that
appears twice in one object, records too uneven for a table, and a text that is cut short, are refused: JSON's own
readers take the last of the two, or stop without a line.
"""

import io
import json
import re
import sys
import warnings
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from types import ModuleType
from typing import Any, NoReturn

from metaeval.base.names import shortened
from metaeval.errors import FileFormatError
from metaeval.io.files import text_of
from metaeval.io.unpacking import Budget

ZIP_MAGIC = b"PK\x03\x04"
_MOST_MEMBERS = 1_000_000
_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[{\[\]])")
_LETTER = re.compile(rb"\S")
_BLANKS = " \t\r\v\f"
_DEEPEST_SHOWN = 60
_PART = 2**20
"""Bytes of JSON lines that are made into objects at once, which take up to thirty times as much."""
_LARGE, _SPARSE = 2_000_000, 50
"""Cells that a table of records may have, or this many times the values that there are."""


class Json:
    """A JSON document, or JSON lines as the list of their records, and the line of each."""

    def __init__(self, label: str, value: object, lines: list[int] | None = None) -> None:
        self.label, self.value, self.lines = label, value, lines

    @cached_property
    def records(self) -> list[Mapping[str, Any]]:
        """The objects of JSON lines or of a list, or one object alone; none for anything else."""
        values = self.value if isinstance(self.value, list) else [self.value]
        objects: list[Mapping[str, Any]] = [record for record in values if isinstance(record, dict)]
        return objects if len(objects) == len(values) else []

    @property
    def object(self) -> Mapping[str, Any]:
        """The document where it is an object; empty for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @cached_property
    def names(self) -> list[str]:
        """The names in all records, in order of appearance; an error where a table of them would hold hardly any."""
        records = self.records
        names = list(dict.fromkeys(chain.from_iterable(records)))
        n_values = sum(map(len, records))
        if len(names) * len(records) > max(_LARGE, _SPARSE * n_values):
            self.refuse(
                f"{len(records):,} records have {len(names):,} names and {n_values:,} values, which no table is made "
                "of; give every record the same names"
            )
        return names

    @property
    def first(self) -> Mapping[str, Any]:
        """The first of the records; empty where there is none."""
        records = self.records
        return records[0] if records else {}

    def keep(self, names: Collection[str], records: Sequence[Any] | None = None) -> None:
        """Forget all but these names of every record, or of these ones: prompts and answers would fill the memory."""
        trimmed: Sequence[Any] = self.records if records is None else records
        for record in trimmed:
            for name in [name for name in record if name not in names] if isinstance(record, dict) else ():
                del record[name]

    def line(self, place: int) -> int | None:
        """Return the line of a record (from 0) of JSON lines; None in a document."""
        return None if self.lines is None else self.lines[place]

    def objects(
        self,
        value: Any,  # noqa: ANN401 - as a stranger's file has it
        key: str,
        *,
        at: int | None = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Return the objects that stand under a key of a record (from 0), none for a gap; refuse anything else."""
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(inside, dict) for inside in value):
            self.refuse(
                "files of this form hold a list of objects here; write null where there are none", at=at, key=key
            )
        return value

    def refuse(self, rule: str, *, at: int | None = None, key: str = "") -> NoReturn:
        """Refuse the file: name the record (from 0), the key in it, and the rule."""
        raise self.error(rule, at=at, key=key)

    def error(self, rule: str, *, at: int | None = None, key: str = "") -> FileFormatError:
        """Return the error of a record (from 0), and of the key in it."""
        line = None if at is None else self.line(at)
        inside = f"[{at}]" if at is not None and self.lines is None and isinstance(self.value, list) else ""
        path = f"{inside}.{key}" if inside and key else inside + key
        return FileFormatError(f"{path}: {rule}" if path else rule, path=self.label, line=line)


def starts_json(content: bytes) -> bool:
    r"""Whether a file begins like JSON.

    Examples
    --------
    >>> starts_json(b'\xef\xbb\xbf[{"a": 1}]'), starts_json(b"[a]")
    (True, False)
    """
    return _JSON.match(content[:10_000].removeprefix(b"\xef\xbb\xbf")) is not None


def read_json(
    content: bytes, label: str, budget: Budget | None = None, *, numbers_as_text: bool = False
) -> Json | None:
    """Return what a file holds as JSON; None for a file that does not begin like JSON.

    With `numbers_as_text` 1.10 is another name than 1.1, and 7.0 the same as 7; what is no number is nothing.
    """
    if not starts_json(content):
        return None
    spend_objects(budget or Budget.of_file(label, content), content, label)
    text = text_of(content, label)
    decoder = _AS_TEXT if numbers_as_text else _DECODER
    if has_lines(text):
        return json_lines(text, label, decoder=decoder)
    return Json(label, _with_names(_parsed(text.decode(), label, 1, decoder)))


def _with_names(value: object) -> object:
    """Return rows under a list of names as records, as W&B writes tables, and pandas where it splits them."""
    if not isinstance(value, dict) or not {"columns", "data"} <= value.keys():
        return value
    names, rows = value["columns"], value["data"]
    if not isinstance(names, list) or not isinstance(rows, list) or not all(isinstance(name, str) for name in names):
        return value
    if not names or not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return value
    return [dict(zip(names, row, strict=True)) for row in rows]


def spend_objects(budget: Budget, content: bytes, label: str) -> None:
    """Count the values of JSON that are about to be made."""
    # a value stands behind a comma or begins its list or object, and an object takes more than what it holds
    budget.spend_objects(content.count(b",") + content.count(b"[") + 2 * content.count(b"{"), label)


def has_lines(text: bytes) -> bool:
    r"""Whether JSON is an object a line and not one document.

    Examples
    --------
    >>> has_lines(b'{"a": 1}\n{"a": 2}\n'), has_lines(b'{"a":\n1}\n')
    (True, False)
    """
    start = len(text) - len(text.lstrip())
    end = text.find(b"\n", start)
    first = text[start:end].rstrip() if end > 0 else b""
    return first.endswith(b"}") and _LETTER.search(text, end) is not None and _is_json(first)


def _is_json(text: bytes) -> bool:
    try:
        _PLAIN.decode(text.decode())
    except (ValueError, RecursionError):
        return False
    return True


def json_parts(text: bytes, label: str, first_line: int = 1) -> Iterator[Json]:
    """Yield JSON lines some at a time, with numbers as text; their values are counted before they are made."""
    for chunk in parts_of_lines(text, _PART):
        spend_objects(Budget.of_file(label, text), chunk, label)
        if not chunk.isspace():
            yield json_lines(chunk, label, first_line, _AS_TEXT)
        first_line += chunk.count(b"\n")


def parts_of_lines(text: bytes, size: int) -> Iterator[bytes]:
    r"""Yield text in parts of whole lines, as long as may be or of one line.

    Examples
    --------
    >>> list(parts_of_lines(b"a\nb\ncdefgh\ni", 4))
    [b'a\nb\n', b'cdefgh\n', b'i']
    """
    start = 0
    while start < len(text):
        end = text.rfind(b"\n", start, start + size) + 1 if start + size < len(text) else len(text)
        end = end if end > start else (text.find(b"\n", start) + 1 or len(text))
        yield text[start:end]
        start = end


def json_lines(text: bytes, label: str, first_line: int = 1, decoder: json.JSONDecoder | None = None) -> Json:
    """Return JSON lines, of which the first has this number in the file."""
    values, lines = [], []
    for number, line in enumerate(text.decode().split("\n"), start=first_line):
        if line.strip(_BLANKS):
            values.append(_parsed(line, label, number, decoder or _DECODER))
            lines.append(number)
    return Json(label, values, lines)


def parse_json(text: str | bytes, label: str) -> Any:  # noqa: ANN401 - whatever it holds
    """Return what a text holds that stands in a file of another kind, or that this program wrote."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    return _parsed(text, label, 1, _DECODER)


def _parsed(text: str, label: str, line: int, decoder: json.JSONDecoder) -> object:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        message = f"the JSON is cut short or broken ({error.msg} at column {error.colno}); fetch or write it again"
        raise FileFormatError(message, path=label, line=at) from None
    except _TwiceError as error:
        message = f"the name {shortened(error.name, _DEEPEST_SHOWN)!r} appears twice in one object; keep one"
        raise FileFormatError(message, path=label, line=line if "\n" not in text else None) from None
    except RecursionError:
        raise FileFormatError("the JSON is nested too deeply to be results; check the file", path=label) from None
    except ValueError as error:  # a whole number of thousands of digits
        raise FileFormatError(f"the JSON cannot be read: {shortened(error)}", path=label, line=line) from None


class _TwiceError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for at, name in enumerate(names) if name in names[:at]))
    return fields


def _no_zeros(number: str) -> str:
    """Return a number with a point as text, a whole one as that; JSON's -0 is 0."""
    integer, _, fraction = number.partition(".")
    return number if fraction.strip("0") or not fraction else "0" if integer == "-0" else integer


_PLAIN = json.JSONDecoder()
_DECODER = json.JSONDecoder(object_pairs_hook=_each_name_once)
_AS_TEXT = json.JSONDecoder(
    object_pairs_hook=_each_name_once,
    parse_float=_no_zeros,
    parse_int=lambda number: "0" if number == "-0" else number,
    parse_constant=lambda word: None if word == "NaN" else word,
)


class Archive:
    """A zip archive in memory; an error if it is damaged, has too many members, or the same one twice."""

    def __init__(self, content: bytes, label: str) -> None:
        self.label = label
        self._budget = Budget.of_file(label, content, archive=True)
        with _explaining(label, "the archive"):
            self._zip = _zipfile().ZipFile(io.BytesIO(content))
        if len(self.names) > _MOST_MEMBERS:
            message = f"the archive has {len(self.names)} members; the limit is {_MOST_MEMBERS}"
            raise FileFormatError(message, path=label)
        if len(set(self.names)) < len(self.names):
            again = next(name for at, name in enumerate(self.names) if name in self.names[:at])
            message = f"the member {shortened(again)!r} appears twice in the archive; write it again"
            raise FileFormatError(message, path=label)

    @cached_property
    def names(self) -> Sequence[str]:
        """Names of the members."""
        return [str(name) for name in self._zip.namelist()]

    def json(self, name: str) -> Json:
        """Return a member as JSON."""
        label = f"{self.label} ({name})"
        member = read_json(self._read(name, label), label, self._budget)
        if member is None:
            raise FileFormatError("this member holds no JSON; fetch or write the archive again", path=label)
        return member

    def member(self, name: str) -> bytes:
        """Return what a member holds."""
        return self._read(name, f"{self.label} ({name})")

    def _read(self, name: str, label: str) -> bytes:
        info = self._zip.getinfo(name)
        self._budget.expect(info.file_size, label)
        with _explaining(label, "the member"), self._zip.open(info) as stream:
            content = stream.read(info.file_size + 1)
        if len(content) > info.file_size:
            raise FileFormatError("it is larger than the archive says; fetch or write the archive again", path=label)
        self._budget.spend(len(content), label)
        return bytes(content)


@contextmanager
def _explaining(label: str, what: str) -> Iterator[None]:
    """Turn what reading a damaged archive raises into an error that names it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # members that overlap
            yield
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        UserWarning,
    ) as error:
        raise broken(label, what, error) from error
    except Exception as error:
        if type(error).__name__ not in {"BadZipFile", "ZstdError", "LZMAError", "error"}:
            raise
        raise broken(label, what, error) from error


def broken(label: str, what: str, error: Exception) -> FileFormatError:
    """Return the error about an archive that cannot be read."""
    message = f"{what} is cut short, damaged or locked ({shortened(error) or type(error).__name__}); fetch it again"
    return FileFormatError(message, path=label)


def _zipfile() -> ModuleType:
    """Return the module that reads zip archives, zstandard among them, as newer logs have it."""
    if sys.version_info >= (3, 14):
        import zipfile  # noqa: PLC0415 - the standard library knows zstandard from 3.14 on
    else:
        from backports.zstd import zipfile  # noqa: PLC0415 - the same module for older Pythons
    return zipfile
