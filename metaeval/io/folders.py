"""Folders that appear whole or not at all, and that replace only what metaeval wrote.

A folder is filled under a hidden name beside its final place and takes its name in one step. Its record lists what
was written, so that a later one removes these files and no others. One process at a time writes a folder; what a
killed one left is cleared up by the next.
"""

import ctypes
import errno
import filecmp
import json
import os
import platform
import re
import secrets
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from metaeval.errors import InvalidOptionError, MetaevalError, MetaevalWarning, OutputError
from metaeval.io.locks import Lock
from metaeval.process import sheltered
from metaeval.provenance import file_checksum

__all__ = ["RECORD", "check_folder", "claiming", "new_folder", "record_text", "unused_folder", "written_files"]

RECORD = "provenance.json"
"""The file that says what made a folder, and lists what was written into it."""

_OWN_FOLDERS = frozenset({".", "tables", "figures", "data"})


def check_folder(out: str | Path, *, overwrite: bool = False) -> None:
    """Refuse a folder that must not be written, before any work is done.

    A folder that does not exist or is empty will do. An older report is replaced only with `overwrite`: the files
    that metaeval wrote, by the list in its provenance.json, and no others (see `new_folder`). So is a folder of
    other things, but that one is kept beside the new one under another name. Inside a `claiming` block the folder is
    held from here on, and another process that wants it is told so.

    Parameters
    ----------
    out : path
    overwrite : bool, default False

    Raises
    ------
    InvalidOptionError
        If the folder holds something and `overwrite` is False, or if its place cannot hold a folder.
    OutputError
        If another process is writing it.
    """
    with _reasons(out):
        final = _checked_place(out, overwrite=overwrite)
        held = _CLAIMED.get()
        if held is not None and final not in held:
            held[final] = _claim(_nearest(final.parent), final, out)


@contextmanager
def claiming() -> Iterator[None]:
    """Hold every folder that `check_folder` finds good inside the block until the block ends."""
    held: dict[Path, Lock | None] = {}
    token = _CLAIMED.set(held)
    try:
        yield
    finally:
        _CLAIMED.reset(token)
        with sheltered():
            for lock in held.values():
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
    return OutputError(f"out: {who} is writing {str(out)!r} now; wait for it, or name another folder")


def _checked_place(out: str | Path, *, overwrite: bool) -> Path:
    final = _final(out)
    if not final.name:
        message = f"out: {str(out)!r} is the top of a disk; name a folder inside it"
        raise InvalidOptionError(message)
    if final.is_symlink():
        message = f"out: {str(out)!r} is a link that leads back to itself; name a folder"
        raise InvalidOptionError(message)
    if final.exists() and not final.is_dir():
        message = f"out: {str(out)!r} is a file; name a folder"
        raise InvalidOptionError(message)
    if _is_mount(final):
        message = f"out: a disk is mounted at {str(out)!r}, which a report cannot replace; name a folder inside it"
        raise InvalidOptionError(message)
    if Path.cwd().is_relative_to(final):
        message = f"out: {str(out)!r} is the folder you are in, which would be replaced; name a folder inside it"
        raise InvalidOptionError(message)
    above = _nearest(final.parent)
    if not above.is_dir() or not os.access(above, os.W_OK):
        message = f"out: nothing can be written in {str(above)!r}; name a folder elsewhere"
        raise InvalidOptionError(message)
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
        message = f"out: {str(out)!r} holds an older report; pass overwrite=True (--overwrite) or name another folder"
        raise InvalidOptionError(message)
    message = (
        f"out: {str(out)!r} is not empty and no report of metaeval with a list of its files (it holds "
        f"{_example(final)!r}); name another folder, or pass overwrite=True (--overwrite), which keeps the old folder "
        f"beside it as {_set_aside(final).name!r}"
    )
    raise InvalidOptionError(message)


def _refuse_mounts(final: Path, out: str | Path) -> None:
    """Refuse a report with another disk inside: its files can neither be moved nor left where they are."""
    disk = final.stat().st_dev
    for folder, _, _ in os.walk(final):
        if Path(folder).stat().st_dev != disk:
            message = f"out: a disk is mounted at {folder!r}, inside {str(out)!r}; name another folder"
            raise InvalidOptionError(message)


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

    Parameters
    ----------
    out : path
        The name it gets; see `check_folder`.
    overwrite : bool, default False

    Yields
    ------
    pathlib.Path
        A hidden folder beside `out`, on the same disk, so that naming it is one step.

    Raises
    ------
    InvalidOptionError
        As `check_folder`, and if the folder cannot be made.
    OutputError
        If another process is writing the folder, or the system refuses to write (a full disk).
    """
    check_folder(out, overwrite=overwrite)
    final = _final(out)
    with _reasons(out), _writing(final, out):
        fresh = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
        try:
            fresh.mkdir()
            with _reasons_of_files(out):
                yield fresh
                _list_files(fresh)
            _checked_place(out, overwrite=overwrite)  # somebody may have put something there meanwhile
            with _reasons_of_files(out), sheltered():
                replaced = _take_place(fresh, final)
        except BaseException:
            with sheltered():
                shutil.rmtree(fresh, ignore_errors=True)
            raise
        if replaced is not None:
            _remove_carried(replaced, final)


@contextmanager
def unused_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a folder to fill that takes the place of one that is empty or not there, when the block ends well.

    Raises
    ------
    InvalidOptionError
        If there is a file of that name, or the folder holds something.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        message = f"folder {str(target)!r} is not empty; name a new one"
        raise InvalidOptionError(message)
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        yield part
        if target.exists():
            target.rmdir()
        part.rename(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


@contextmanager
def _writing(final: Path, out: str | Path) -> Iterator[None]:
    """Make the folder above and hold the name there, unless this process does so already."""
    final.parent.mkdir(parents=True, exist_ok=True)
    held = _CLAIMED.get()
    earlier = held.get(final) if held else None
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


@contextmanager
def _reasons(out: str | Path) -> Iterator[None]:
    """Turn what the system says against a folder into an error of the option that named it."""
    try:
        yield
    except MetaevalError:
        raise
    except OSError as error:
        message = f"out: the folder {str(out)!r} cannot be made: {error.strerror or error}; name a folder elsewhere"
        kind = OutputError if error.errno in _FULL else InvalidOptionError
        raise kind(message) from error


@contextmanager
def _reasons_of_files(out: str | Path) -> Iterator[None]:
    """Turn what the system says against the files of a folder into an error that names the folder."""
    try:
        yield
    except MetaevalError:
        raise
    except OSError as error:
        message = f"out: {str(out)!r} cannot be written: {error.strerror or error}; nothing was left there"
        raise OutputError(message) from error


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def _take_place(fresh: Path, final: Path) -> Path | None:
    """Give `fresh` the name `final`; return the older report that had it, all of whose foreign files are there too."""
    if not final.exists() or not any(final.iterdir()):
        if os.name == "nt" and final.exists():  # elsewhere an empty folder gives way
            final.rmdir()
        fresh.rename(final)
        return None
    if written_files(final) is None:
        aside = _set_aside(final)
        _in_two_steps(fresh, final, aside)
        message = f"{str(final)!r} held other things than a report; they are kept in {str(aside)!r}"
        warnings.warn(message, MetaevalWarning, stacklevel=2)
        return None
    renamed = _carry_over(final, fresh)
    shutil.copymode(final, fresh)
    old = fresh
    if not _exchange(fresh, final):
        old = final.with_name(f".{final.name}.{secrets.token_hex(4)}.old")
        _in_two_steps(fresh, final, old)
    if renamed:
        message = f"files that metaeval did not write, or not so, are kept beside the new ones: {', '.join(renamed)}"
        warnings.warn(message, MetaevalWarning, stacklevel=2)
    return old


def _in_two_steps(fresh: Path, final: Path, old: Path) -> None:
    try:
        final.rename(old)
        fresh.rename(final)
    except BaseException:
        if not final.exists():
            old.rename(final)
        raise


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names in one step, so that there is never none; False where the system cannot."""
    rename = getattr(_system_library(), "renameat2", None)
    if rename is None:
        return False
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), swap) == 0)


@cache
def _system_library() -> ctypes.CDLL | None:
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


# ------------------------------------------------------------------------------------------- whose files are whose


def written_files(folder: Path) -> dict[str, str] | None:
    """Return the files that metaeval wrote into a report with their checksums, or None where there is no such list.

    Parameters
    ----------
    folder : path

    Returns
    -------
    dict of str to str, or None
        Path within the folder (with ``/``) to SHA-256 checksum. A damaged list is none.
    """
    try:
        record = json.loads((folder / RECORD).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not str(record.get("schema")).startswith("metaeval/"):
        return None
    files = record.get("files")
    return files if isinstance(files, dict) and all(isinstance(one, str) for one in files.values()) else None


def _list_files(folder: Path) -> None:
    """Add the list of files to the record of a folder, and see to it that all are on the disk."""
    record = folder / RECORD
    if not record.exists():
        return
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != record:
            with path.open("rb") as stream:
                os.fsync(stream.fileno())  # the old report goes as soon as the new one is named
            files[path.relative_to(folder).as_posix()] = file_checksum(path)
    content = {**json.loads(record.read_text(encoding="utf-8")), "files": files}
    with record.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(record_text(content))
        stream.flush()
        os.fsync(stream.fileno())


def _is_unchanged(path: Path, name: str, ours: Mapping[str, str]) -> bool:
    """Say whether a file is what metaeval wrote; a link is not, whatever it leads to."""
    if name == RECORD:
        return True
    return name in ours and not path.is_symlink() and path.is_file() and file_checksum(path) == ours[name]


def _foreign(folder: Path, *, ours: Mapping[str, str]) -> Iterator[Path]:
    """Yield what others put into a folder: files, links, other things, and folders that hold nothing."""
    for place, folders, names in os.walk(folder):
        inside = Path(place)
        for name in (*names, *(one for one in folders if (inside / one).is_symlink())):
            if not _is_unchanged(inside / name, (inside / name).relative_to(folder).as_posix(), ours):
                yield inside / name
        if not names and not folders and inside.relative_to(folder).as_posix() not in _OWN_FOLDERS:
            yield inside


def _carry_over(old: Path, new: Path) -> list[str]:
    """Put what others put into `old` into `new` too, and return what has another name there.

    Links serve where the disk has them, so that a file edited meanwhile is the same in both, and size is no matter.
    """
    renamed = []
    foreign = _foreign(old, ours=written_files(old) or {})
    # those first that keep their names, which the others then cannot take
    for path in sorted(foreign, key=lambda path: (os.path.lexists(new / path.relative_to(old)), path)):
        name = path.relative_to(old)
        target = _free(new, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_symlink():
            target.symlink_to(path.readlink())
        elif path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            try:
                os.link(path, target, follow_symlinks=False)
            except OSError:
                shutil.copy2(path, target)
        if target != new / name:
            renamed.append(target.relative_to(new).as_posix())
    return renamed


def _free(folder: Path, name: Path) -> Path:
    """Return where in a folder something can go under its own name, or the nearest to it that is free."""
    place = folder
    for part in name.parts[:-1]:
        place = place / part
        if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()):
            place = _beside(place)
    place = place / name.name
    return _beside(place) if os.path.lexists(place) else place


def _beside(path: Path) -> Path:
    """Return the first free name for keeping what had the name of `path`."""
    number = 1
    while os.path.lexists(
        aside := path.with_name(f"{path.stem}.before" + (f"-{number}" if number > 1 else "") + path.suffix)
    ):
        number += 1
    return aside


def _remove_carried(old: Path, new: Path) -> None:
    """Remove a report that was replaced; what others put there and `new` does not hold goes there first."""
    ours = written_files(old) or {}
    held = {_identity(path) for path in new.rglob("*") if not path.is_dir() or path.is_symlink()}
    for path in [*_foreign(old, ours=ours)]:
        if path.is_dir() and not path.is_symlink():
            continue
        if _identity(path) not in held and not _has_copy(path, old, new):
            target = _free(new, path.relative_to(old))
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    if old.exists():
        message = f"the older report could not be removed altogether; what is left is in {str(old)!r}"
        warnings.warn(message, MetaevalWarning, stacklevel=2)


def _identity(path: Path) -> tuple[object, ...]:
    found = path.lstat()
    return ("link", str(path.readlink())) if path.is_symlink() else (found.st_dev, found.st_ino)


def _has_copy(path: Path, old: Path, new: Path) -> bool:
    """Say whether a file was copied, where the disk has no links: under its own name or one beside it."""
    place = (new / path.relative_to(old)).parent
    if not path.is_file() or not place.is_dir():
        return False
    similar = [one for one in place.iterdir() if one.name.startswith(path.stem) and one.is_file()]
    return any(filecmp.cmp(path, one, shallow=False) for one in similar)


def _clear_leftovers(final: Path) -> None:
    """Clear up after a process that was killed while it wrote `final`; the caller holds the lock."""
    pattern = re.compile(rf"\.{re.escape(final.name)}\.[0-9a-f]{{8}}\.(part|old)")
    leftovers = [entry for entry in final.parent.iterdir() if pattern.fullmatch(entry.name) and entry.is_dir()]
    for old in [entry for entry in leftovers if entry.suffix == ".old"]:
        if not final.exists():  # killed between two steps
            old.rename(final)
            leftovers.remove(old)
    for leftover in leftovers:
        if written_files(leftover) is None or not final.exists():
            shutil.rmtree(leftover, ignore_errors=True)  # never finished: all in it is ours, or a link or copy
        else:
            _remove_carried(leftover, final)


def _final(out: str | Path) -> Path:
    """Return the folder itself, also where `out` is a link to it."""
    return Path(os.path.realpath(out))


def _nearest(folder: Path) -> Path:
    """Return the nearest place at or above `folder` that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())


def _example(folder: Path) -> str:
    return min(entry.name for entry in folder.iterdir())


def _set_aside(folder: Path) -> Path:
    """Return the first free name beside a folder for keeping it."""
    number = 1
    while (aside := folder.with_name(f"{folder.name}.before" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    return aside


def record_text(content: Mapping[str, object]) -> str:
    """Return a record as it is written."""
    return json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n"
