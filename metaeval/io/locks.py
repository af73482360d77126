"""Which process is at work at a place: locks of the system, which vanish with the process that holds them.

A name with a process number in it proves little (numbers are used again, and other machines and containers have
their own), and neither does age. A lock does: whoever gets it knows that nobody is at work there, however the last
one ended.
"""

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Self

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # not every system has it
    fcntl = None


@dataclass(frozen=True, slots=True)
class Lock:
    """A file that this process, and no other, holds."""

    path: Path
    sure: bool
    """Whether the system vouches for it; some file systems know no locks, and then nobody is ever kept out and nothing
    may be taken for a leftover."""
    _descriptor: int

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
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, words.encode(errors="replace"))

    def release(self, *, remove: bool = False) -> None:
        """Let go, and remove the file if asked to (while it is held, so that nobody else's is removed)."""
        if remove:
            self.path.unlink(missing_ok=True)
        os.close(self._descriptor)


def _hold(descriptor: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
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
