"""Rules of Windows for a process that Python starts on Linux: whoever has this folder on PYTHONPATH obeys them.

They hold for files below the folder that WINDOWS_RULES names, and are those that Microsoft documents (CreateFile,
MoveFileEx, DeleteFile, RemoveDirectory, FlushFileBuffers; "Naming Files, Paths, and Namespaces") as Python passes them
on. What Windows has not is taken away: fork, fcntl, resource, SIGHUP, masks of signals, exchanging two names. The
interpreter still knows that it is on Linux, so paths are written with slashes; what becomes of backslashes and drive
letters is asked elsewhere.
"""

# ruff: noqa: PTH100, PTH112, PTH113, PTH115, PTH116, PTH208 - the functions of os are watched

import errno
import fcntl
import os
import re
import shutil
import signal
import subprocess  # noqa: F401 - loaded before there is an msvcrt, by which it knows Windows
import sys
import tempfile
from importlib.machinery import ModuleSpec
from types import ModuleType

BELOW = os.environ.get("WINDOWS_RULES", "")
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
IN_USE = "The process cannot access the file because it is being used by another process"
NO_NAME = "The filename, directory name, or volume label syntax is incorrect"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
LOCK_FAR = 2**16
"""Behind the words of a lock file, which others must be able to read while it is held."""


def reserved(name):
    """Say why Windows takes no file of this name, or nothing."""
    if re.search(r'[<>:"|?*\\\x00-\x1f]', name) or name != name.rstrip(". "):
        return NO_NAME
    return NO_NAME if name.split(".")[0].rstrip().casefold() in RESERVED else ""


def _held(path):
    """Whether something in this process has the file, or anything below the folder, open."""
    inside = path + os.sep
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{number}")
        except OSError:  # the listing itself
            continue
        if target == path or target.startswith(inside):
            return True
    return False


def _below(path):
    """Return a path of the folder of the rules, or nothing."""
    if not isinstance(path, str | bytes | os.PathLike):
        return ""
    whole = os.path.abspath(os.fsdecode(path))
    return whole if whole.startswith(BELOW + os.sep) else ""


def _refuse(number, words, path):
    raise OSError(number, words, path)  # of the class that belongs to the number


def _check_new(path):
    folder, name = os.path.split(path)
    if reserved(name):
        _refuse(errno.EINVAL, reserved(name), path)
    if not os.path.lexists(path) and os.path.isdir(folder):
        twins = [other for other in os.listdir(folder) if other.casefold() == name.casefold()]
        if twins:
            raise RuntimeError(f"{path} and {twins[0]} are one file on a disk that ignores case")


def _on_open(path, _mode, flags, *_):
    if path := _below(path):
        # tempfile announces a folder, and opens a file in it
        if os.path.isdir(path) and sys._getframe(2).f_globals["__name__"] != "tempfile":
            _refuse(errno.EACCES, "Access is denied", path)
        if isinstance(flags, int) and flags & WRITING:
            _check_new(path)


def _on_making(path, *_):
    if path := _below(path):
        _check_new(path)


def _on_removal(path, *_):
    if (path := _below(path)) and (_held(path) or (os.path.isfile(path) and not os.stat(path).st_mode & 0o200)):
        _refuse(errno.EACCES, IN_USE, path)


def _on_renaming(old, new, *_):
    old, new = _below(old), _below(new)
    for path in filter(None, (old, new)):
        if _held(path):
            _refuse(errno.EACCES, IN_USE, path)
    if new and os.path.isdir(new):
        _refuse(errno.EACCES, "Access is denied", new)
    if new and not (old and old.casefold() == new.casefold()):
        _check_new(new)


def _on_fork():
    raise RuntimeError("Windows has no fork")


RULES = {
    "open": _on_open,
    "os.mkdir": _on_making,
    "os.remove": _on_removal,
    "os.rmdir": _on_removal,
    "os.rename": _on_renaming,
    "os.fork": _on_fork,
}
"""What is asked of an event that Python announces to audit hooks."""


def _hook(event, arguments):
    if event in RULES:
        RULES[event](*arguments)


def _only_new(rename):
    def renamed(old, new, **settings):
        if _below(new) and os.path.lexists(new):
            _refuse(errno.EEXIST, "Cannot create a file when that file already exists", os.fspath(new))
        return rename(old, new, **settings)

    return renamed


def _through_writable(fsync):
    def synced(descriptor):
        number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return fsync(descriptor)

    return synced


def _no_links(*_, **__):
    raise OSError(errno.EPERM, "A required privilege is not held by the client")


def _locking(descriptor, mode, n_bytes):
    assert mode == 2
    assert n_bytes == 1
    assert os.lseek(descriptor, 0, os.SEEK_CUR) >= LOCK_FAR
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


def impose():
    """Let the rules hold in this process from now on."""
    sys.addaudithook(_hook)
    os.fsync, os.rename, os.symlink = _through_writable(os.fsync), _only_new(os.rename), _no_links
    shutil._use_fd_functions = False  # Windows has no functions that take a folder's descriptor
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile  # as there: a file without a name has no place in a folder
    os.process_cpu_count = os.cpu_count  # that of Python 3.13 asks for what goes below
    for module, name in ((signal, "pthread_sigmask"), (signal, "SIGHUP"), (os, "sched_getaffinity"), (os, "getuid")):
        delattr(module, name)
    msvcrt = ModuleType("msvcrt")
    msvcrt.LK_NBLCK, msvcrt.locking, msvcrt.__spec__ = 2, _locking, ModuleSpec("msvcrt", None)
    sys.modules.update(fcntl=None, resource=None, msvcrt=msvcrt)


if BELOW:
    impose()
