"""Opening and unpacking files, and what a line of text is.

Every input goes through `read_bytes`, which opens it once, and every text through `text_of`, which says what a line is.
Compression is told from the first bytes, so a file that was renamed, and standard input, are unpacked too. Every
failure is a `FileFormatError` that names the file.
"""

import io
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from metaeval.base.provenance import current_record, of_the_system
from metaeval.errors import FileFormatError, closest_names
from metaeval.io.unpacking import COMPRESSIONS, Budget

STANDARD_INPUT = "-"
"""The path that means standard input."""

PLAIN_SUFFIXES = frozenset(
    """
    .csv .tsv .tab .txt .dat .npy .npz .eval .out .res .results .trec .run .tot .parquet .nc .json .jsonl
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LIKE_BLANKS = {
    "a no-break space (U+00A0)": "\u00a0",
    "a figure space (U+2007)": "\u2007",
    "a narrow no-break space (U+202F)": "\u202f",
    "a space without width (U+200B)": "\u200b",
    "a byte-order mark (U+FEFF)": "\ufeff",
}
_MARK = b"\xef\xbb\xbf"
_TAR, _TAR_AT = b"ustar", 257
_DESCRIPTOR = re.compile(r"/dev/stdin|/(?:dev|proc/self)/fd/([0-9]{1,9})")
_MOST_IN_MEMORY = 16 * 2**20
_LONGEST_LINE = 100_000
_ZIPPED = "a zip archive or a spreadsheet"
_WAYS = {
    _ZIPPED: "; unpack it and give what was in it, or save the sheet as CSV",
    "a tar archive": "; unpack it (tar -xf FILE), and give what was in it",
}
_KINDS: Mapping[bytes, str] = {
    b"\x89PNG": "a picture (PNG)",
    b"\xff\xd8\xff": "a picture (JPEG)",
    b"GIF8": "a picture (GIF)",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": _ZIPPED,
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"\x7fELF": "a program",
    b"\x89HDF": "HDF5 or NetCDF",
    b"CDF": "NetCDF",
    b"PAR1": "Parquet",
    b"ARROW1": "Feather (Arrow)",
    b"SQLite format 3": "an SQLite database",
    b"\x80\x04\x95": "a Python pickle",
    b"7z\xbc\xaf": "a 7z archive",
}
"""How files of other kinds begin, for errors."""


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
    for endings in (COMPRESSIONS, PLAIN_SUFFIXES):
        stem, dot, ending = name.rpartition(".")
        if stem and (dot + ending).casefold() in endings:
            name = stem
    return name


def path_from(folder: str | Path, path: str | Path) -> str:
    """Return a path as one that begins in a folder; from the top where there is no way, as from another drive.

    Examples
    --------
    >>> path_from("/data/runs", "/data/qrels.txt")
    '../qrels.txt'
    """
    try:
        return os.path.relpath(path, folder)
    except ValueError:
        return str(Path(path).absolute())


def entries_of(folder: Path) -> list[Path]:
    """Return what stands in a folder, or raise the error that names it."""
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise FileFormatError(f"the folder cannot be read ({error.strerror})", path=folder) from None


def no_such_file(path: str) -> FileFormatError:
    """Return the error for a file that is not there, with the nearest names beside it."""
    parent, name = Path(path).parent, Path(path).name
    if not os.path.isdir(parent):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        return FileFormatError(f"there is no folder {str(parent)!r}; check the path", path=path)
    if os.path.islink(path):  # noqa: PTH114 - likewise
        return FileFormatError("this link leads nowhere; check what it points to", path=path)
    beside = sorted(entry.name for entry in entries_of(parent))
    packed = [candidate for candidate in beside if base_name(candidate) == base_name(name)]
    near = list(dict.fromkeys([*packed, *closest_names(name, beside)]))[:3]
    guess = f"; did you mean {' or '.join(map(repr, near))}?" if near else "; check the path"
    return FileFormatError(f"there is no such file{guess}", path=path)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the whole content of a file, unpacked if it is gzip, bzip2, xz or zstandard.

    Every input is opened here and nowhere else, and once: whoever needs to know what a file holds reads it and hands
    the content on. Inside `metaeval.base.provenance.recording_inputs` the bytes are hashed as they come, and those of a
    pipe or of standard input are kept for whoever asks for them again.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "abc.gz").write_bytes(gzip.compress(b"abc"))
    ...     read_bytes(Path(folder, "abc.gz"))
    b'abc'
    """
    label = str(path)
    content = _recorded(label)
    for compression in COMPRESSIONS.values():
        if compression.magic.match(content):
            with _explaining_damage(label):
                return compression.unpacker(content, Budget(label, len(content)))
    if Path(label).suffix.casefold() in COMPRESSIONS and content:
        message = f"the file is named {Path(label).suffix} but its content is not; rename it, or fetch it again"
        raise FileFormatError(message, path=label)
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """Return a text file as `text_of` has it, decoded; see `read_bytes`."""
    return text_of(read_bytes(path), str(path)).decode()


def words_by_line(path: str | os.PathLike[str]) -> list[list[str]]:
    """Return the words of every line of a text file: lines and blanks as `text_of` has them."""
    return [[word.decode() for word in line.split()] for line in text_of(read_bytes(path), str(path)).splitlines()]


def read_names(path: str | Path) -> dict[str, int]:
    r"""Read names of topics or systems.

    See Also
    --------
    metaeval.choose_data

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "topics.tsv")
    ...     _ = path.write_text("1037798\twho is robert gray\n1043135\twho killed nicholas ii\n")
    ...     read_names(path)
    {'1037798': 1, '1043135': 2}
    """
    lines: dict[str, int] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        name = line.partition("\t")[0].strip()
        if name in lines:
            message = f"{name!r} is in line {lines[name]} already; keep one of the two"
            raise FileFormatError(message, path=str(path), line=number)
        if name:
            lines[name] = number
    if not lines:
        raise FileFormatError("there is no name; write one a line", path=str(path))
    return lines


def text_of(content: bytes, label: str) -> bytes:
    r"""Return the content of a text file as every reader takes it: UTF-8, no byte-order mark, lines that end alike.

    A line ends in LF, CR LF or a CR alone, which becomes LF. Nothing else ends one: a form feed and a vertical tab
    are blanks, and what other alphabets have for blanks and line ends (U+0085, U+00A0, U+2028) is part of a word.

    Examples
    --------
    >>> text_of(b"one\rtwo\r\nthree\n", "x")
    b'one\ntwo\r\nthree\n'
    """
    if content.startswith(_WIDE_MARKS):
        if b"\0" in content:
            message = "the file is UTF-16; save it as UTF-8 (iconv -f utf-16 -t utf-8)"
        else:
            message = "the file begins with the mark of UTF-16 and is none; remove its first two bytes (tail -c +3)"
        raise FileFormatError(message, path=label)
    content = content.removeprefix(_MARK)
    try:
        if not content.isascii():
            content.decode()
    except UnicodeDecodeError as error:
        message = (
            f"byte 0x{content[error.start]:02x} is no UTF-8; save the file as UTF-8 "
            "(for Western European text: iconv -f latin1 -t utf-8)"
        )
        raise _no_text(content, error.start, message, label) from None
    zero = content.find(b"\0")
    if zero >= 0:
        wide = content[1:64:2].count(b"\0") > 8 or content[:64:2].count(b"\0") > 8  # noqa: PLR2004 - a quarter
        order = "le" if content[1:64:2].count(b"\0") else "be"
        hint = f"; if it is UTF-16, save it as UTF-8 (iconv -f utf-16{order} -t utf-8)" * wide
        raise _no_text(content, zero, f"a zero byte: this is no text file{hint}", label)
    if b"\r" in content and content.count(b"\r") != content.count(b"\r\n"):
        content = re.sub(rb"\r(?!\n)", b"\n", content)
    return content


def first_bytes(path: str) -> bytes:
    """Return how a file begins as it lies there, packed or not; nothing for a pipe, which can be read once."""
    status = file_status(path)
    if status is None or not stat.S_ISREG(status.st_mode):
        return b""
    with Path(path).open("rb") as stream:
        return stream.read(_LONGEST_LINE)


def note_of_blanks(content: bytes, label: str) -> str:
    r"""Say which letters of a text look like a blank, or like nothing, and are part of a name; empty without any.

    Examples
    --------
    >>> note_of_blanks("1 0 d\u00a01 1".encode(), "x.qrels")
    'x.qrels: a no-break space (U+00A0) is part of a name, which no name with a blank equals'
    """
    blanks = [] if content.isascii() else [name for name, letter in _LIKE_BLANKS.items() if letter.encode() in content]
    return f"{label}: {blanks[0]} is part of a name, which no name with a blank equals" if blanks else ""


def first_words(content: bytes) -> list[bytes]:
    r"""Return the words of the first line that has any, to tell what a text file holds.

    Examples
    --------
    >>> first_words(b"\n1 Q0 d1\t0 \r2 Q0 d1 1\r")
    [b'1', b'Q0', b'd1', b'0']
    """
    start = content[: 2 * _LONGEST_LINE].removeprefix(_MARK).lstrip()[:_LONGEST_LINE]
    return re.split(rb"[\r\n]", start, maxsplit=1)[0].split()


def _recorded(label: str) -> bytes:
    """Return the bytes of a file as they come, and tell the record of the command, if there is one."""
    record = current_record()
    if record is None:
        return _as_they_come(label)
    once = pipe_identity(label)
    if once is None:
        content = _as_they_come(label)
    else:
        with record.lock:
            if once not in record.kept:
                record.kept[once] = _kept(_as_they_come(label))
            record.kept[once].seek(0)
            content = record.kept[once].read()
    record.note(label, content)
    return content


def _kept(content: bytes) -> BinaryIO:
    """Keep bytes: few in memory, many in an unnamed temporary file where there is room for one."""
    stream = tempfile.SpooledTemporaryFile(max_size=_MOST_IN_MEMORY)  # noqa: SIM115 - the record closes it
    try:
        stream.write(content)
    except OSError:
        stream.close()
        return cast("BinaryIO", io.BytesIO(content))
    return cast("BinaryIO", stream)


def _as_they_come(label: str) -> bytes:
    try:
        if label == STANDARD_INPUT:
            if sys.stdin is None:
                raise FileFormatError("standard input is closed; name a file", path=label)
            return sys.stdin.buffer.read()
        with _opened(label) as stream:
            return stream.read()
    except FileNotFoundError:
        raise no_such_file(label) from None
    except (IsADirectoryError, PermissionError):
        if os.path.isdir(label):  # noqa: PTH112 - as above; Windows says of a folder that it may not be read
            raise FileFormatError("this is a folder; name a file in it", path=label) from None
        raise FileFormatError("the file may not be read; change its permissions", path=label) from None
    except OSError as error:
        message = f"the file cannot be read ({error.strerror or error}); check the path"
        raise FileFormatError(message, path=label) from None


def _opened(path: str) -> BinaryIO:
    status = file_status(path)
    refuse_system(path, status)
    if status is None or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return Path(path).open("rb")
    descriptor = _DESCRIPTOR.fullmatch(path)
    # a socket cannot be opened by its path, and a descriptor need not be
    opened = path if descriptor is None else os.dup(int(descriptor[1] or 0))
    stream = open(opened, "rb")  # noqa: SIM115, PTH123 - for the caller; Path.open takes no descriptor
    device = stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode)
    if device and not stream.isatty() and not os.path.samestat(status, Path(os.devnull).stat()):
        stream.close()
        raise FileFormatError("this is a device, which has no end; name a file or a pipe", path=path)
    return stream


def file_status(path: str) -> os.stat_result | None:
    """Return what the system says of a path, None where there is nothing."""
    try:
        return os.stat(path)  # noqa: PTH116 - Path.stat takes no name that is too long, in some versions
    except (OSError, ValueError):
        return None


def refuse_system(path: str, status: os.stat_result | None) -> None:
    """Refuse what the system tells of itself."""
    if status is not None and of_the_system(status):
        raise FileFormatError("/proc and /sys hold no data; name a file elsewhere", path=path)


def pipe_identity(label: str) -> object | None:
    """Return what tells a pipe, or standard input, from others by any name; None for a file, which stays."""
    if label != STANDARD_INPUT:
        status = file_status(label)
        return None if status is None or stat.S_ISREG(status.st_mode) else (status.st_dev, status.st_ino)
    try:
        status = os.fstat(sys.stdin.fileno())
    except (OSError, ValueError, AttributeError):
        return STANDARD_INPUT
    return status.st_dev, status.st_ino


def is_tar(content: bytes) -> bool:
    """Whether a file is a tar archive, which is unpacked first, whatever its files hold.

    Examples
    --------
    >>> is_tar(b"qrels.txt".ljust(257, bytes(1)) + b"ustar"), is_tar(b"ustar")
    (True, False)
    """
    return content.startswith(_TAR, _TAR_AT)


def _no_text(content: bytes, place: int, message: str, label: str) -> FileFormatError:
    """Name what a file that is no text is, else the line that shows that it is none."""
    kind = next((kind for magic, kind in _KINDS.items() if content.startswith(magic)), None)
    kind = "a tar archive" if is_tar(content) else kind
    if kind is not None:
        return FileFormatError(f"this is {kind}, not a text file{_WAYS.get(kind, '')}", path=label)
    before = content[:place]
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    return FileFormatError(message, path=label, line=line)


@contextmanager
def _explaining_damage(label: str) -> Iterator[None]:
    """Turn what the unpackers raise into an error that names the file."""
    try:
        yield
    except EOFError as error:
        raise FileFormatError(f"the compressed file is cut short ({error}); fetch it again", path=label) from error
    except FileFormatError:
        raise
    except Exception as error:
        # bzip2 and gzip raise an OSError without a number, which the operating system never does
        damaged = isinstance(error, zlib.error | lzma.LZMAError) or type(error).__name__ == "ZstdError"
        if not damaged and not (isinstance(error, OSError) and error.errno is None):
            raise
        message = f"the compressed content is damaged ({error}); fetch the file again"
        raise FileFormatError(message, path=label) from error
