"""What is done to files: written, put on the disk, named and removed, by the rules of every system.

Windows puts nothing on the disk through a descriptor that can only read, lets nobody rename or remove what is open,
and puts no folder in the place of another, even an empty one. Nothing else in the package does any of this itself.
"""

import os
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import ctypes


def write_text(path: Path, words: str, *, errors: str = "replace") -> None:
    """Write words as UTF-8 with lines that end in LF, whatever the system takes for its own."""
    write_content(path, words.encode(errors=errors))


def write_content(path: Path, content: bytes) -> None:
    """Write bytes under a name."""
    path.write_bytes(content)


def put_on_disk(path: Path) -> None:
    """See to it that a file would survive a power cut; one that may not be written, where it may be asked of it."""
    with path.open("r+b" if os.access(path, os.W_OK) else "rb") as stream:
        try:
            os.fsync(stream.fileno())
        except OSError:
            if stream.writable():
                raise


def rename(path: Path, name: Path) -> None:
    """Give a file or a folder another name; a file that had it gives way, and an empty folder."""
    remove_empty(name)
    os.replace(path, name)  # noqa: PTH105 - Path.replace is the same call


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    path.unlink(missing_ok=True)


def remove_empty(folder: Path) -> None:
    """Remove a folder, if it is there and holds nothing."""
    if folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir()):
        folder.rmdir()


def remove_folder(folder: Path) -> bool:
    """Remove a folder with all that is in it, as far as that can be done, and say whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def second_name(path: Path, name: Path) -> None:
    """Give a file a second name, so that there is one file still; where the disk has no such thing, copy it."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copy2(path, name)


def copy_rights(path: Path, name: Path) -> None:
    """Let a file or a folder be read and written by whom another one is."""
    shutil.copymode(path, name)


def exchange(folder: Path, other: Path) -> bool:
    """Let two folders change names in one step, so that there is never none; False where the system cannot."""
    swap = getattr(_system_library(), "renameat2", None)
    if swap is None:
        return False
    here, both = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return cast("int", swap(here, os.fsencode(folder), here, os.fsencode(other), both)) == 0


@cache
def _system_library() -> "ctypes.CDLL | None":
    import ctypes  # noqa: PLC0415 - only where a folder is replaced

    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
