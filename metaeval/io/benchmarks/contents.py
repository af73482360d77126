"""What a file of results holds before anybody knows the format: JSON, JSON lines, or the members of a zip archive.

Nothing is unpacked to disk, and sizes are bounded. A name that appears twice in one object, and a text that is cut
short, are refused: JSON's own readers take the last of the two, or stop without a line.
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
from types import ModuleType
from typing import Any, NoReturn

from metaeval.base.names import shortened
from metaeval.errors import FileFormatError
from metaeval.io.files import text_of
from metaeval.io.unpacking import Budget

ZIP_MAGIC = b"PK\x03\x04"
_MOST_MEMBERS = 1_000_000
_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[{\[\]])")
_DEEPEST_SHOWN = 60


class Json:
    """A JSON document, or JSON lines as the list of their records, and the line of each."""

    def __init__(self, label: str, value: object, lines: list[int] | None = None) -> None:
        self.label, self.value, self.lines = label, value, lines

    @cached_property
    def records(self) -> list[Mapping[str, Any]]:
        """The objects of JSON lines or of a list, or one object alone; none for anything else."""
        found = self.value if isinstance(self.value, list) else [self.value]
        objects: list[Mapping[str, Any]] = [one for one in found if isinstance(one, dict)]
        return objects if len(objects) == len(found) else []

    @property
    def object(self) -> Mapping[str, Any]:
        """The document where it is an object; empty for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def first(self) -> Mapping[str, Any]:
        """The first of the records; empty where there is none."""
        records = self.records
        return records[0] if records else {}

    def keep(self, names: Collection[str], records: Sequence[Any] | None = None) -> None:
        """Forget all but these names of every record, or of these ones: prompts and answers would fill the memory."""
        found: Sequence[Any] = self.records if records is None else records
        for record in found:
            for name in [name for name in record if name not in names] if isinstance(record, dict) else ():
                del record[name]

    def line(self, place: int) -> int | None:
        """Return the line of a record (from 0) of JSON lines; None in a document."""
        return None if self.lines is None else self.lines[place]

    def refuse(self, rule: str, *, at: int | None = None, key: str = "") -> NoReturn:
        """Refuse the file: name the record (from 0), the key in it, and the rule."""
        line = None if at is None else self.line(at)
        inside = f"[{at}]" if at is not None and self.lines is None and isinstance(self.value, list) else ""
        path = f"{inside}.{key}" if inside and key else inside + key
        raise FileFormatError(f"{path}: {rule}" if path else rule, path=self.label, line=line)


def read_json(content: bytes, label: str, budget: Budget | None = None) -> Json | None:
    """Return what a file holds as JSON; None for a file that does not begin like JSON."""
    if not is_json(content):
        return None
    budget = budget or Budget.of_file(label, content)
    # a value stands behind a comma or begins its list or object, and an object takes more than what it holds
    budget.spend_objects(content.count(b",") + content.count(b"[") + 2 * content.count(b"{"), label)
    text = text_of(content, label).decode()
    first, _, rest = text.lstrip().partition("\n")
    if first.rstrip().endswith("}") and rest.strip() and _is_json(first):
        return _json_lines(text, label)
    return Json(label, _parsed(text, label, 1))


def is_json(content: bytes) -> bool:
    """Whether a file begins like JSON."""
    return _JSON.match(content[:10_000].removeprefix(b"\xef\xbb\xbf")) is not None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json_lines(text: str, label: str) -> Json:
    values, lines = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            values.append(_parsed(line, label, number))
            lines.append(number)
    return Json(label, values, lines)


def _parsed(text: str, label: str, line: int) -> object:
    try:
        return _DECODER.decode(text)
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
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for at, name in enumerate(names) if name in names[:at]))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_each_name_once)


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
        found = read_json(self._read(name, label), label, self._budget)
        if found is None:
            raise FileFormatError("this member holds no JSON; fetch or write the archive again", path=label)
        return found

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
