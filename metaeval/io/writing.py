"""Writing files: whole or not at all, under their final name only when they are complete."""

import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from metaeval.base.disk import write_content
from metaeval.errors import FileFormatError, MetaevalError, OutputError
from metaeval.io.files import refuse_system
from metaeval.io.locks import Lock
from metaeval.io.unpacking import COMPRESSIONS
from metaeval.running.process import sheltered

_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.part(\..*)?")


@contextmanager
def write_atomically(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; what is written there takes the final name only if the block succeeds.

    After an error, or an interruption, the temporary file is gone and an older file of the final name is untouched.
    What a killed process left there is swept away by the next one that writes into the folder.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with write_atomically(Path(folder, "table.csv")) as temporary:
    ...         _ = temporary.write_text("a,b")
    ...     print(Path(folder, "table.csv").read_text())
    a,b
    """
    with explaining(lambda _, why: OutputError(f"{path}: cannot be written: {why}")):
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
            lock.give_name(target)
        except BaseException:
            with sheltered():
                lock.release(remove=True)
            raise


def write_bytes(path: str | Path, content: bytes) -> Path:
    """Write bytes atomically, packed as the ending says (.gz, .bz2, .xz, .zst), and return the path."""
    compression = COMPRESSIONS.get(Path(path).suffix.casefold())
    with write_atomically(path) as temporary:
        write_content(temporary, content if compression is None else compression.packer(content))
    return Path(path)


@contextmanager
def explaining(explained: Callable[[OSError, str], MetaevalError]) -> Iterator[None]:
    """Turn what the system says against writing into an error, made of it and of its reason in words."""
    try:
        yield
    except MetaevalError:
        raise
    except OSError as error:
        raise explained(error, error.strerror or str(error)) from error


def _check_target(target: Path, path: str | Path) -> None:
    if target.is_symlink():
        raise FileFormatError("this link leads back to itself; give the name of a file", path=path)
    if target.is_dir():
        raise FileFormatError("this is a folder; give the name of a file", path=path)
    if not target.parent.is_dir():
        raise FileFormatError(f"there is no folder {str(target.parent)!r}; make it first", path=path)
    refuse_system(str(path), target.parent.stat())


def _is_stream(path: str | Path) -> bool:
    """Say whether a path is a pipe or a device: a file must not take its place."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - Path.stat is the same call
    except OSError:
        return False
    if stat.S_ISBLK(mode):
        raise FileFormatError("this is a disk, which would be overwritten; give the name of a file", path=path)
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _written_to_stream(path: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, path.name)
        write_content(temporary, b"")
        yield temporary
        write_content(path, temporary.read_bytes())


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
