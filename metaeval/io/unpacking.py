"""Unpacking, within one budget that every reader shares: what one file may become in memory.

A file of a few kilobytes can unpack to more than any memory holds. So what a file unpacks to is counted as it comes,
in every layer (gzip, and a zip archive within), and what a file says of its own size is looked at before.
"""

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import NamedTuple, Protocol, cast

from metaeval.errors import FileFormatError, InvalidOptionError

LIMIT = "METAEVAL_UNPACK_LIMIT"
"""The environment variable that says how many bytes a file may unpack to: 3000000000, 500M, 8G."""
LEAST = 64 * 2**20
"""Bytes that any file may unpack to: every machine holds as much."""
MOST = 2 * 2**30
"""Bytes that no file unpacks to unless it is allowed: the largest runs, judgments and logs that we know of have a
tenth of it, and a machine with 8 GiB of memory reads them."""
TIMES = 100
"""How many times larger than packed a file of more than `LEAST` bytes may be: real data are up to 25 times."""
_AN_OBJECT = 16
"""Bytes of the budget for a value of JSON or an element of XML: as Python holds them they take 60 to 200 bytes, but
few files consist of nothing else."""
_FEW_OBJECTS, _MOST_OBJECTS = 2**22, 2**25
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_FIRST, _STEP, _CHUNK = 2**10, 2**16, 2**20
"""Bytes given to an unpacker at first, at most, and taken from it at once."""
_MOST_TIMES_OF_GZIP = 1032
_ZEROS = re.compile(rb"\0*+")


class Budget:
    """What one file of `packed` bytes may still unpack to; errors name it by its `label`.

    A `plain` one lies on the disk as it is: it costs whoever sent it as much as whoever reads it, so what it holds is
    not counted.
    """

    def __init__(self, label: str, packed: int, *, plain: bool = False) -> None:
        self.label, self.plain = label, plain
        allowed = _allowed()
        self.bytes = min(MOST, max(LEAST, TIMES * packed)) if allowed is None else allowed
        self.objects = max(_FEW_OBJECTS, self.bytes // _AN_OBJECT)
        if allowed is None:
            self.objects = min(_MOST_OBJECTS, self.objects)
        self._left, self._left_objects = self.bytes, self.objects

    @classmethod
    def of_file(cls, label: str, content: bytes, *, archive: bool = False) -> "Budget":
        """Return the budget of a file that was read already, and may have been packed on the disk, or be an archive."""
        try:
            status = os.stat(label)  # noqa: PTH116 - Path.stat takes no name that is too long, in some versions
        except (OSError, ValueError):
            return cls(label, len(content))
        if not stat.S_ISREG(status.st_mode):
            return cls(label, len(content))
        return cls(label, min(status.st_size, len(content)), plain=not archive and status.st_size >= len(content))

    def expect(self, size: int, label: str = "") -> None:
        """Refuse what says that it will unpack to more bytes than are left."""
        if size > self._left:
            needed = size + self.bytes - self._left
            raise self._refusal(f"it says that it unpacks to {size:,} bytes", needed, label)

    def too_much(self, size: int) -> FileFormatError:
        """Return the error for a file that unpacks to so many bytes, or more."""
        return self._refusal(f"it unpacks to {size:,} bytes or more", size, "")

    def spend(self, size: int, label: str = "") -> None:
        """Count bytes that were unpacked."""
        self._left -= size
        if self._left < 0:
            raise self._refusal("it unpacks to more than it may", None, label)

    def spend_objects(self, count: int, label: str = "") -> None:
        """Count values or elements that are about to be made of what was unpacked."""
        if self.plain:
            return
        self._left_objects -= count
        if self._left_objects < 0:
            n_objects = self.objects - self._left_objects
            message = (
                f"it unpacks to some {n_objects:,} values; the limit is {self.objects:,}. If the file is as it should "
                "be, "
                f"and the memory suffices, allow it more: {LIMIT}={_rounded(n_objects * _AN_OBJECT)}"
            )
            raise FileFormatError(message, path=label or self.label)

    def _refusal(self, what: str, needed: int | None, label: str) -> FileFormatError:
        """Return the error, which says how to let the file pass."""
        more = _rounded(max(2 * self.bytes, 2 * MOST) if needed is None else needed)
        rule = "" if _allowed() is not None else f" ({TIMES} times its size, at least {LEAST:,} and at most {MOST:,})"
        message = (
            f"{what}; the limit is {self.bytes:,}{rule}. If the file is as it should be, and the memory suffices, "
            f"allow it more: {LIMIT}={more}{', and twice that until it passes' if needed is None else ''}"
        )
        return FileFormatError(message, path=label or self.label)


def _allowed() -> int | None:
    """Return what the environment allows, None where it says nothing."""
    setting = os.environ.get(LIMIT, "").strip()
    if not setting:
        return None
    match = re.fullmatch(r"([0-9]{1,18})([KMGT]?)(?:i?B)?", setting)
    if match is None or not int(match[1]):
        raise InvalidOptionError(f"{LIMIT} is a number of bytes, such as 3000000000, 500M or 8G; got {setting!r}")
    return int(match[1]) * _UNITS[match[2]]


def _rounded(size: int) -> str:
    """Return a size in the largest unit that it is some of, rounded up."""
    unit = next(letter for letter in ("G", "M", "K") if size >= _UNITS[letter] or letter == "K")
    return f"{-(-size // _UNITS[unit])}{unit}"


class _Unpacker(Protocol):
    """What bz2, lzma and zstandard call a decompressor."""

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        ...

    @property
    def needs_input(self) -> bool:
        """Whether all that was given is unpacked."""
        ...

    @property
    def unused_data(self) -> bytes:
        """What was given and stands behind the member."""
        ...

    def decompress(self, data: bytes, /, max_length: int = ...) -> bytes:
        """Take packed bytes, and return up to so many."""
        ...


class _GzipMember:
    """One member of a gzip file, as the other formats have it."""

    def __init__(self) -> None:
        self._of_zlib = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        """Whether the member has ended, and fits its checksum."""
        return self._of_zlib.eof

    @property
    def needs_input(self) -> bool:
        """Whether all that was given is unpacked."""
        return not self._of_zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        """What was given and stands behind the member."""
        return self._of_zlib.unused_data

    def decompress(self, data: bytes, /, max_length: int = -1) -> bytes:
        """Take packed bytes, and return up to so many."""
        return self._of_zlib.decompress(self._of_zlib.unconsumed_tail + data, max(max_length, 0))


def _unpacked(content: bytes, budget: Budget, member: Callable[[], _Unpacker], *, padded: bool = False) -> bytes:
    """Unpack members one after the other, to the last byte; where they may be `padded`, zeros may stand behind each.

    Python's own readers of bzip2 and xz take what follows the first member for padding as soon as it is no member, so
    that a file whose second member is damaged in its first bytes would end there without a word.
    """
    stream = io.BytesIO()
    at = 0
    while at < len(content):
        unpacker, step = member(), _FIRST
        while not unpacker.eof:
            piece = b""
            if unpacker.needs_input:
                if at >= len(content):
                    raise EOFError("its end is missing")
                piece = content[at : at + step]
                at, step = at + len(piece), min(2 * step, _STEP)  # small ones are many, and each gives back the rest
            unpacked = unpacker.decompress(piece, _CHUNK)
            budget.spend(len(unpacked))
            stream.write(unpacked)
        at -= len(unpacker.unused_data)
        if padded and content[at : at + 1] == b"\0":
            at = cast("re.Match[bytes]", _ZEROS.match(content, at)).end()
    return stream.getvalue()


def _unpack_gzip(content: bytes, budget: Budget) -> bytes:
    says = int.from_bytes(content[-4:], "little")
    if says <= _MOST_TIMES_OF_GZIP * len(content):  # else the file was cut: no member can unpack to so much
        budget.expect(says)
    return _unpacked(content, budget, _GzipMember, padded=True)


def _unpack_xz(content: bytes, budget: Budget) -> bytes:
    unpadded = len(content.rstrip(b"\0"))
    padding = (len(content) - unpadded) // 4 * 4  # the format allows zeros at the end, four by four
    return _unpacked(content[: len(content) - padding], budget, partial(lzma.LZMADecompressor, lzma.FORMAT_XZ))


def _unpack_zstandard(content: bytes, budget: Budget) -> bytes:
    zstd = zstandard()
    try:
        says = zstd.get_frame_info(content[:18]).decompressed_size
    except zstd.ZstdError:  # cut short: the unpacker says so
        says = None
    budget.expect(says or 0)
    return _unpacked(content, budget, zstd.ZstdDecompressor)


def _pack_zstandard(content: bytes) -> bytes:
    zstd = zstandard()
    # unlike the others, this format checks what it unpacks only if asked to when packing
    return cast("bytes", zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1}))


def zstandard() -> ModuleType:
    """Return the module that reads and writes zstandard."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415 - the standard library has it from 3.14 on
    else:
        from backports import zstd  # noqa: PLC0415 - the same module for older Pythons
    return zstd


class _Compression(NamedTuple):
    magic: re.Pattern[bytes]
    unpacker: Callable[[bytes, Budget], bytes]
    packer: Callable[[bytes], bytes]
    program: str
    """What unpacks it in a shell, with -dc."""


# without the time, equal content gives equal bytes; level 9 takes seven times as long for a few percent
_pack_gzip = partial(gzip.compress, compresslevel=6, mtime=0)
# every unpacker takes concatenated members too; bzip2 is told from text by its first block (or its end, if empty)
COMPRESSIONS: Mapping[str, _Compression] = {
    ".gz": _Compression(re.compile(rb"\x1f\x8b"), _unpack_gzip, _pack_gzip, "gzip"),
    ".bz2": _Compression(
        re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"),
        partial(_unpacked, member=bz2.BZ2Decompressor),
        bz2.compress,
        "bzip2",
    ),
    ".xz": _Compression(re.compile(rb"\xfd7zXZ\x00"), _unpack_xz, lzma.compress, "xz"),
    ".zst": _Compression(re.compile(rb"\x28\xb5\x2f\xfd"), _unpack_zstandard, _pack_zstandard, "zstd"),
}
"""How files are packed, by their endings."""
