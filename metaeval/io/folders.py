"""Folders that appear whole or not at all, and that replace only what metaeval wrote.

A folder is filled under a hidden name beside its final place and takes its name in one step. Its record lists what
was written, so that a later one removes these files and no others. One process at a time writes a folder; what a
killed one left is cleared up by the next.
"""

import errno
import os
import platform
import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from metaeval.base.disk import copy_rights, exchange, remove_folder, rename
from metaeval.base.provenance import of_the_system
from metaeval.errors import InvalidOptionError, OutputError, warn
from metaeval.io.locks import Lock
from metaeval.io.writing import explaining
from metaeval.io.written_files import carry_over, list_files, remove_carried, written_files
from metaeval.running.process import sheltered


def check_folder(out: str | Path, *, overwrite: bool = False) -> None:
    """Refuse a folder that must not be written, before any work is done.

    A folder that does not exist or is empty will do. An older report is replaced only with `overwrite`: the files
    that metaeval wrote, by the list in its provenance.json, and no others (see `new_folder`). So is a folder of
    other things, but that one is kept beside the new one under another name. Inside a `claiming` block the folder is
    held from here on, and another process that wants it is told so.
    """
    with _reasons(out):
        final = _checked_place(out, overwrite=overwrite)
        claimed = _CLAIMED.get()
        if claimed is not None and final not in claimed:
            claimed[final] = _claim(_nearest(final.parent), final, out)


@contextmanager
def claiming() -> Iterator[None]:
    """Hold every folder that `check_folder` finds good inside the block until the block ends."""
    claimed: dict[Path, Lock | None] = {}
    token = _CLAIMED.set(claimed)
    try:
        yield
    finally:
        _CLAIMED.reset(token)
        with sheltered():
            for lock in claimed.values():
                if lock is not None:
                    with suppress(OSError):
                        lock.release(remove=True)


_CLAIMED: ContextVar[dict[Path, Lock | None] | None] = ContextVar("metaeval_folders", default=None)


def _claim(where: Path, final: Path, out: str | Path) -> Lock | None:
    """Hold a folder's name in `where`, and clear up what the last one that did so may have left."""
    lock = Lock.take(where / f".{final.name}.lock")
    if lock is None:
        raise _taken(where / f".{final.name}.lock", out)
    try:
        lock.note(f"process {os.getpid()} on {platform.node()}")
        if lock.sure and where == final.parent:
            _clear_leftovers(final)
    except BaseException:
        lock.release(remove=True)
        raise
    return lock


def _taken(note: Path, out: str | Path) -> OutputError:
    try:
        who = note.read_text(encoding="utf-8", errors="replace")[:200] or "another process"
    except OSError:
        who = "another process"
    return OutputError(f"`folder`: {who} is writing {str(out)!r} now; wait for it, or name another folder")


def _checked_place(out: str | Path, *, overwrite: bool) -> Path:
    final = _final(out)
    if not final.name:
        raise InvalidOptionError(f"`folder`: {str(out)!r} is the top of a disk; name a folder inside it")
    if final.is_symlink():
        raise InvalidOptionError(f"`folder`: {str(out)!r} is a link that leads back to itself; name a folder")
    if final.exists() and not final.is_dir():
        raise InvalidOptionError(f"`folder`: {str(out)!r} is a file; name a folder")
    if _is_mount(final):
        message = f"`folder`: a disk is mounted at {str(out)!r}, which a report cannot replace; name a folder inside it"
        raise InvalidOptionError(message)
    if Path.cwd().is_relative_to(final):
        message = f"`folder`: {str(out)!r} is the folder you are in, which would be replaced; name a folder inside it"
        raise InvalidOptionError(message)
    above = _nearest(final.parent)
    if not above.is_dir() or not os.access(above, os.W_OK) or of_the_system(above.stat()):
        raise InvalidOptionError(f"`folder`: nothing can be written in {str(above)!r}; name a folder elsewhere")
    if final.exists() and any(final.iterdir()):
        _check_content(final, out, overwrite=overwrite)
    return final


def _check_content(final: Path, out: str | Path, *, overwrite: bool) -> None:
    ours = written_files(final)
    if ours is not None:
        _refuse_mounts(final, out)
    if overwrite:
        return
    if ours is not None:
        message = f"`folder`: {str(out)!r} holds an older report; pass `overwrite=True` or name another folder"
        raise InvalidOptionError(message)
    raise InvalidOptionError(
        f"`folder`: {str(out)!r} is not empty and no report of metaeval with a list of its files (it holds "
        f"{_example(final)!r}); name another folder, or pass `overwrite=True`, which keeps the old folder "
        f"beside it as {_set_aside(final).name!r}"
    )


def _refuse_mounts(final: Path, out: str | Path) -> None:
    """Refuse a report with another disk inside: its files can neither be moved nor left where they are."""
    disk = final.stat().st_dev
    for folder, _, _ in os.walk(final):
        if Path(folder).stat().st_dev != disk:
            raise InvalidOptionError(
                f"`folder`: a disk is mounted at {folder!r}, inside {str(out)!r}; name another folder"
            )


def _is_mount(folder: Path) -> bool:
    if folder.is_mount():
        return True
    try:  # a folder of the same disk can be mounted too
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    written = re.sub(r"[\\ \t\n]", lambda letter: f"\\{ord(letter[0]):03o}", str(folder))
    return any(line.split(" ")[4] == written for line in lines)


@contextmanager
def new_folder(out: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a fresh folder to fill; it gets its name only when the block ends well, and vanishes otherwise.

    If the block writes a provenance.json, a list of all files and their checksums is added to it under ``files``.
    When such a folder is replaced, only the files of its list go, as far as they are still what was written. Every
    other file stays where it is; where a new file needs its name, it is kept beside that one (``tau.before.csv``),
    and a warning says so.
    """
    check_folder(out, overwrite=overwrite)
    final = _final(out)
    with _reasons(out), _writing(final, out):
        fresh = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
        try:
            fresh.mkdir()
            with _reasons_of_files(out):
                yield fresh
                list_files(fresh)
            _checked_place(out, overwrite=overwrite)  # somebody may have put something there meanwhile
            with _reasons_of_files(out), sheltered():
                replaced = _take_place(fresh, final)
        except BaseException:
            with sheltered():
                remove_folder(fresh)
            raise
        if replaced is not None:
            remove_carried(replaced, final)


@contextmanager
def unused_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a folder to fill that takes the place of one that is empty or not there, when the block ends well."""
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InvalidOptionError(f"folder {str(target)!r} is not empty; name a new one")
    fresh = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        yield fresh
        rename(fresh, target)
    except BaseException:
        remove_folder(fresh)
        raise


@contextmanager
def _writing(final: Path, out: str | Path) -> Iterator[None]:
    """Make the folder above and hold the name there, unless this process does so already."""
    final.parent.mkdir(parents=True, exist_ok=True)
    claimed = _CLAIMED.get()
    earlier = claimed.get(final) if claimed else None
    if earlier is not None and earlier.path.parent == final.parent:
        yield
        return
    lock = _claim(final.parent, final, out)
    try:
        yield
    finally:
        with sheltered():
            if lock is not None:
                lock.release(remove=True)


def _reasons(out: str | Path) -> AbstractContextManager[None]:
    """Turn what the system says against a folder into an error of the option that named it."""
    made = f"`folder`: the folder {str(out)!r} cannot be made"
    return explaining(
        lambda error, why: (OutputError if error.errno in _FULL else InvalidOptionError)(
            f"{made}: {why}; name a folder elsewhere"
        )
    )


def _reasons_of_files(out: str | Path) -> AbstractContextManager[None]:
    """Turn what the system says against the files of a folder into an error that names the folder."""
    written = f"`folder`: {str(out)!r} cannot be written"
    return explaining(lambda _, why: OutputError(f"{written}: {why}; nothing was left there"))


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def _take_place(fresh: Path, final: Path) -> Path | None:
    """Give `fresh` the name `final`; return the older report that had it, all of whose foreign files are there too."""
    if not final.exists() or not any(final.iterdir()):
        rename(fresh, final)
        return None
    if written_files(final) is None:
        aside = _set_aside(final)
        _in_two_steps(fresh, final, aside)
        message = f"{str(final)!r} held other things than a report; they are kept in {str(aside)!r}"
        warn(message)
        return None
    renamed = carry_over(final, fresh)
    copy_rights(final, fresh)
    old = fresh
    if not exchange(fresh, final):
        old = final.with_name(f".{final.name}.{secrets.token_hex(4)}.old")
        _in_two_steps(fresh, final, old)
    if renamed:
        message = f"files that metaeval did not write, or not so, are kept beside the new ones: {', '.join(renamed)}"
        warn(message)
    return old


def _in_two_steps(fresh: Path, final: Path, old: Path) -> None:
    try:
        rename(final, old)
        rename(fresh, final)
    except BaseException:
        if not final.exists():
            rename(old, final)
        raise


def _clear_leftovers(final: Path) -> None:
    """Clear up after a process that was killed while it wrote `final`; the caller holds the lock."""
    pattern = re.compile(rf"\.{re.escape(final.name)}\.[0-9a-f]{{8}}\.(part|old)")
    leftovers = [entry for entry in final.parent.iterdir() if pattern.fullmatch(entry.name) and entry.is_dir()]
    for old in [entry for entry in leftovers if entry.suffix == ".old"]:
        if not final.exists():  # killed between two steps
            rename(old, final)
            leftovers.remove(old)
    for leftover in leftovers:
        if written_files(leftover) is None or not final.exists():
            remove_folder(leftover)  # never finished: all in it is ours, or a link or copy
        else:
            remove_carried(leftover, final)


def _final(out: str | Path) -> Path:
    """Return the folder itself, also where `out` is a link to it."""
    return Path(os.path.realpath(out))


def _nearest(folder: Path) -> Path:
    """Return the nearest place at or above `folder` that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())


def _example(folder: Path) -> str:
    return min(entry.name for entry in folder.iterdir())


def _set_aside(folder: Path) -> Path:
    """Return the first free name beside a folder for keeping it."""
    number = 1
    while (aside := folder.with_name(f"{folder.name}.before" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    return aside
