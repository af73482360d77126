"""Which process is at work at a place: locks of the system, which vanish with the process that holds them.

A name with a process number in it proves little (numbers are used again, and other machines and containers have
their own), and neither does age. A lock does: whoever gets it knows that nobody is at work there, however the last
one ended.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Self

from metaeval.base.disk import remove as remove_file
from metaeval.base.disk import rename

fcntl: ModuleType | None
msvcrt: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
try:
    import msvcrt
except ImportError:  # any other
    msvcrt = None

_BEHIND_WORDS = 2**20
"""Where Windows locks a byte, which nobody else can read then: behind the note."""


@dataclass(slots=True, eq=False)
class Lock:
    """A file that this process, and no other, holds."""

    path: Path
    sure: bool
    """Whether the system vouches for it; some file systems know no locks, and then nobody is ever kept out and nothing
    may be taken for a leftover."""
    _descriptor: int | None

    @classmethod
    def take(cls, path: Path, *, make: bool = True) -> Self | None:
        """Return a lock, or None where another process (or another lock of this one) holds it or it is gone."""
        try:
            descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if make else 0), 0o666)
        except OSError:
            if make:
                raise
            return None
        try:
            sure = _hold(descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return None
        if _is_still(path, descriptor):
            return cls(path, sure, descriptor)
        os.close(descriptor)  # its holder removed it while we waited to open it
        return cls.take(path) if make else None

    def note(self, words: str) -> None:
        """Write into the file, for whoever finds it held."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, words.encode(errors="replace"))

    def release(self, *, remove: bool = False) -> None:
        """Let go, and remove the file if asked to."""
        if remove:
            with suppress(PermissionError):  # somebody else holds it by now, and will
                self._while_held(partial(remove_file, self.path))
        self._close()

    def give_name(self, name: Path) -> None:
        """Let the file go by another name; what had it gives way."""
        self._while_held(partial(rename, self.path, name))
        self._close()

    def _while_held(self, change: Callable[[], None]) -> None:
        """Change the file while it is held, so that nobody else's is changed, or as soon as Windows lets anybody."""
        try:
            change()
        except PermissionError:
            self._close()
            change()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _hold(descriptor: int) -> bool:
    """Hold a file, and say whether that keeps others out."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        elif msvcrt is not None:
            os.lseek(descriptor, _BEHIND_WORDS, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            return False
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno == errno.EACCES:  # as some file systems say it
            raise BlockingIOError(*error.args) from error
        return False
    return True


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))  # noqa: PTH116 - pairs with fstat
    except OSError:
        return False
