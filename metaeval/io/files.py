"""Opening, unpacking and writing files.

Compression is told from the first bytes, so a file that was renamed, and standard input, are unpacked too. Every
failure is a `FileFormatError` that names the file. Nothing is ever left half-written under its final name.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, NamedTuple, cast

from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError, OutputError, closest_names
from metaeval.io.locks import Lock
from metaeval.process import sheltered
from metaeval.scores import natural_order

__all__ = [
    "STANDARD_INPUT",
    "Source",
    "base_name",
    "decode_text",
    "list_sources",
    "open_bytes",
    "read_bytes",
    "read_text",
    "write_atomically",
    "write_bytes",
]

STANDARD_INPUT = "-"
"""The path that means standard input."""

_PLAIN_SUFFIXES = frozenset(
    {".csv", ".tsv", ".tab", ".txt", ".dat", ".eval", ".out", ".res", ".results", ".trec", ".run", ".parquet", ".nc"}
)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MARK = b"\xef\xbb\xbf"
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.part(\..*)?")


class Source(NamedTuple):
    """A file to read, and the name the caller gave it (None: the file's own)."""

    path: str
    name: str | None = None

    @property
    def own_name(self) -> str:
        """The name given, else the file's name without the endings that say what kind of file it is."""
        return self.name or base_name(self.path)


class _Compression(NamedTuple):
    magic: re.Pattern[bytes]
    opener: Callable[[BinaryIO], BinaryIO]
    packer: Callable[[bytes], bytes]


def _open_gzip(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def _pack_gzip(content: bytes) -> bytes:
    # without the time, equal content gives equal bytes; level 9 takes seven times as long for a few percent
    return gzip.compress(content, compresslevel=6, mtime=0)


def _open_bzip2(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", bz2.BZ2File(stream))


def _open_lzma(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", lzma.LZMAFile(stream))


def _open_zstandard(stream: BinaryIO) -> BinaryIO:
    return cast("BinaryIO", _zstandard().ZstdFile(stream))


def _pack_zstandard(content: bytes) -> bytes:
    zstd = _zstandard()
    # unlike the others, this format checks what it unpacks only if asked to when packing
    return cast("bytes", zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1}))


def _zstandard() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - the standard library has it from 3.14 on
    else:
        from backports import zstd  # noqa: PLC0415 - the same module for older Pythons
    return zstd


# every opener unpacks concatenated members too; bzip2 is told from text by its first block (or its end, if empty)
_COMPRESSIONS: Mapping[str, _Compression] = {
    ".gz": _Compression(re.compile(rb"\x1f\x8b"), _open_gzip, _pack_gzip),
    ".bz2": _Compression(re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), _open_bzip2, bz2.compress),
    ".xz": _Compression(re.compile(rb"\xfd7zXZ\x00"), _open_lzma, lzma.compress),
    ".zst": _Compression(re.compile(rb"\x28\xb5\x2f\xfd"), _open_zstandard, _pack_zstandard),
}


def base_name(path: str | Path) -> str:
    """Return a file's name without its folder, its compression and the ending that says what kind of file it is.

    Other dots stay, for they are often part of a run's name.

    Examples
    --------
    >>> base_name("runs/adhoc8_ap.csv.gz"), base_name("input.bm25"), base_name("-")
    ('adhoc8_ap', 'input.bm25', 'standard input')
    """
    if str(path) == STANDARD_INPUT:
        return "standard input"
    name = Path(path).name
    for endings in (_COMPRESSIONS, _PLAIN_SUFFIXES):
        stem, dot, ending = name.rpartition(".")
        if stem and (dot + ending).casefold() in endings:
            name = stem
    return name


def list_sources(paths: str | Path | Iterable[str | Path] | Mapping[str, str | Path]) -> list[Source]:
    """Find out which files are meant: paths, ``NAME=path``, a mapping from name to path, ``-``, or folders.

    Parameters
    ----------
    paths : str, path, iterable of them, or mapping of str to path
        A folder stands for every file in it, in natural order, but for hidden files and folders inside. A text is
        taken as ``NAME=path`` where no file of that whole name exists.

    Returns
    -------
    list of Source

    Raises
    ------
    FileFormatError
        If a file does not exist (with the nearest names beside it), or a folder is empty.
    InvalidOptionError
        If nothing is given, or one file twice.
    """
    if isinstance(paths, Mapping):
        given = [Source(str(path), str(name)) for name, path in paths.items()]
    else:
        listed = [paths] if isinstance(paths, str | Path) else list(paths)
        given = [_named_source(path) if isinstance(path, str) else Source(str(path)) for path in listed]
    if not given:
        message = "no file was given; name at least one"
        raise InvalidOptionError(message)
    sources = [found for source in given for found in _files_of(source)]
    seen: set[str] = set()
    for source in sources:
        place = source.path if source.path == STANDARD_INPUT else str(Path(source.path).resolve())
        if place in seen:
            message = f"{source.path} is given twice; give every file once"
            raise InvalidOptionError(message)
        seen.add(place)
    return sources


def _named_source(text: str) -> Source:
    """Split at the first "=" that leaves an existing path behind it: names may hold one too, as RBP(p=0.8) does."""
    if text == STANDARD_INPUT or "=" not in text or Path(text).exists():
        return Source(text)
    pieces = text.split("=")
    splits = [("=".join(pieces[:cut]).strip(), "=".join(pieces[cut:])) for cut in range(1, len(pieces))]
    for name, path in splits:
        if name and (path == STANDARD_INPUT or Path(path).exists()):
            return Source(path, name)
    name, path = splits[-1]
    return Source(path, name or None)


def _files_of(source: Source) -> list[Source]:
    path = Path(source.path)
    if source.path == STANDARD_INPUT or path.is_file() or path.is_fifo():
        return [source]
    if not path.is_dir():
        raise _not_found(source.path)
    if source.name is not None:
        message = f"a name ({source.name}=) is for one file, and this is a folder; name the files inside"
        raise FileFormatError(message, path=source.path)
    names = natural_order(entry.name for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))
    if not names:
        message = "the folder holds no files; name the files to read"
        raise FileFormatError(message, path=source.path)
    return [Source(str(path / name)) for name in names]


def _not_found(path: str) -> FileFormatError:
    parent, name = Path(path).parent, Path(path).name
    if not parent.is_dir():
        return FileFormatError(f"there is no folder {str(parent)!r}; check the path", path=path)
    beside = sorted(entry.name for entry in parent.iterdir())
    packed = [other for other in beside if base_name(other) == base_name(name)]
    near = list(dict.fromkeys([*packed, *closest_names(name, beside)]))[:3]
    guess = f"; did you mean {' or '.join(map(repr, near))}?" if near else "; check the path"
    return FileFormatError(f"there is no such file{guess}", path=path)


@contextmanager
def open_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file for reading bytes, unpacked if its content is gzip, bzip2, xz or zstandard.

    Parameters
    ----------
    path : str or path
        "-" is standard input.

    Yields
    ------
    binary stream

    Raises
    ------
    FileFormatError
        If the file does not exist, may not be read, or its compressed content is damaged or cut short; also while
        the stream is read inside the block.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".gz") as file:
    ...     _ = write_bytes(file.name, b"abc")
    ...     with open_bytes(file.name) as stream:
    ...         print(stream.read())
    b'abc'
    """
    label = str(path)
    raw = sys.stdin.buffer if label == STANDARD_INPUT else _opened(label)
    try:
        with _explaining_damage(label):
            yield _unpacked(raw, label)
    finally:
        if label != STANDARD_INPUT:
            raw.close()


def read_bytes(path: str | Path) -> bytes:
    """Return the whole content of a file, unpacked; see `open_bytes`."""
    with open_bytes(path) as stream:
        return stream.read()


def read_text(path: str | Path) -> str:
    """Return a UTF-8 text file without its byte-order mark, unpacked; see `open_bytes`.

    Raises
    ------
    FileFormatError
        For text in another encoding, with the first line that shows it.
    """
    return decode_text(read_bytes(path), str(path))


def decode_text(content: bytes, label: str) -> str:
    """Decode UTF-8 without its byte-order mark; `label` names the file in errors."""
    if content.startswith(_WIDE_MARKS):
        message = "the file is UTF-16; save it as UTF-8 (iconv -f utf-16 -t utf-8)"
        raise FileFormatError(message, path=label)
    content = content.removeprefix(_MARK)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = (
            f"byte 0x{content[error.start]:02x} is no UTF-8; save the file as UTF-8 "
            "(for Western European text: iconv -f latin1 -t utf-8)"
        )
        raise FileFormatError(message, path=label, line=line) from None


def _unpacked(raw: BinaryIO, label: str) -> BinaryIO:
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", raw))
    start = buffered.peek(10)[:10]
    for compression in _COMPRESSIONS.values():
        if compression.magic.match(start):
            return compression.opener(cast("BinaryIO", buffered))
    ending = Path(label).suffix.casefold()
    if ending in _COMPRESSIONS and start:
        message = f"the file is named {ending} but its content is not; rename it, or fetch it again"
        raise FileFormatError(message, path=label)
    return cast("BinaryIO", buffered)


def _opened(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise _not_found(path) from None
    except IsADirectoryError:
        message = "this is a folder; name a file in it"
        raise FileFormatError(message, path=path) from None
    except PermissionError:
        message = "the file may not be read; change its permissions"
        raise FileFormatError(message, path=path) from None


@contextmanager
def _explaining_damage(label: str) -> Iterator[None]:
    """Turn what the unpackers raise into an error that names the file."""
    try:
        yield
    except EOFError as error:
        message = f"the compressed file is cut short ({error}); fetch it again"
        raise FileFormatError(message, path=label) from error
    except Exception as error:
        # bzip2 and gzip raise an OSError without a number, which the operating system never does
        damaged = isinstance(error, zlib.error | lzma.LZMAError) or type(error).__name__ == "ZstdError"
        if not damaged and not (isinstance(error, OSError) and error.errno is None):
            raise
        message = f"the compressed content is damaged ({error}); fetch the file again"
        raise FileFormatError(message, path=label) from error


@contextmanager
def write_atomically(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written there takes the final name only if the block succeeds.

    After an error, or an interruption, the temporary file is gone and an older file of the final name is untouched.
    What a killed process left there is swept away by the next one that writes into the folder.

    Parameters
    ----------
    path : str or path
        Final name. Its folder must exist; a file there is replaced. A link is followed. A pipe or a device is
        written to once the block has succeeded.

    Yields
    ------
    pathlib.Path
        With the same ending, so that libraries that go by it do the same. The file is there, and empty.

    Raises
    ------
    FileFormatError
        If the folder does not exist, or the path is a folder or a link to itself.
    OutputError
        If the system refuses: a full disk, a limit on file sizes, a folder that must not be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_atomically(Path(folder, "table.csv")) as temporary:
    ...         _ = temporary.write_text("a,b")
    ...     print(Path(folder, "table.csv").read_text())
    a,b
    """
    with _explaining_refusal(path):
        if _is_stream(path):
            with _written_to_stream(Path(path)) as temporary:
                yield temporary
            return
        target = Path(os.path.realpath(path))
        _check_target(target, path)
        _sweep_once(target.parent)
        temporary, lock = _new_temporary(target)
        try:
            yield temporary
            os.replace(temporary, target)  # noqa: PTH105 - Path.replace is the same call
        except BaseException:
            with sheltered():
                temporary.unlink(missing_ok=True)
            raise
        finally:
            lock.release()


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write bytes atomically, packed as the ending says (.gz, .bz2, .xz, .zst), and return the path."""
    compression = _COMPRESSIONS.get(Path(path).suffix.casefold())
    with write_atomically(path) as temporary:
        temporary.write_bytes(content if compression is None else compression.packer(content))
    return Path(path)


@contextmanager
def _explaining_refusal(path: str | Path) -> Iterator[None]:
    """Turn what the system says against writing into an error that names the file."""
    try:
        yield
    except MetaevalError:
        raise
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror or error}"
        raise OutputError(message) from error


def _check_target(target: Path, path: str | Path) -> None:
    if target.is_symlink():
        message = "this link leads back to itself; give the name of a file"
        raise FileFormatError(message, path=path)
    if target.is_dir():
        message = "this is a folder; give the name of a file"
        raise FileFormatError(message, path=path)
    if not target.parent.is_dir():
        message = f"there is no folder {str(target.parent)!r}; make it first"
        raise FileFormatError(message, path=path)


def _is_stream(path: str | Path) -> bool:
    """Say whether a path is a pipe or a device: a file must not take its place."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - Path.stat is the same call
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _written_to_stream(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, path.name)
        temporary.touch()
        yield temporary
        with temporary.open("rb") as content, path.open("wb") as stream:
            shutil.copyfileobj(content, stream)


def _new_temporary(target: Path) -> tuple[Path, Lock]:
    """Make a hidden file beside `target`, held so that no other process takes it for a leftover."""
    while True:
        temporary = target.with_name(f".{secrets.token_hex(8)}.part{''.join(target.suffixes[-2:])}")
        lock = Lock.take(temporary)
        if lock is not None:  # else another process was quicker, and swept it away
            return temporary, lock


@cache
def _sweep_once(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder, the first time this process writes there."""
    with suppress(OSError):  # a folder may be writable and unreadable
        for entry in folder.iterdir():
            if _TEMPORARY.fullmatch(entry.name) and entry.is_file() and not entry.is_symlink():
                _sweep(entry)


def _sweep(leftover: Path) -> None:
    lock = Lock.take(leftover, make=False)
    if lock is not None:  # nobody is at work on it
        lock.release(remove=lock.sure)
