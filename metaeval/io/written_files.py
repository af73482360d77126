"""Whose files are whose in the folder of a report: the list of what was written, and what others put beside it."""

import filecmp
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from metaeval.base.disk import put_on_disk, remove_folder, rename, second_name, write_text
from metaeval.base.provenance import RECORD, file_checksum
from metaeval.errors import warn
from metaeval.io.benchmarks.contents import parse_json

_OWN_FOLDERS = frozenset({".", "tables", "figures", "data"})


def written_files(folder: Path) -> dict[str, str] | None:
    """Return the files that metaeval wrote into a report with their checksums, or None where there is no such list."""
    try:
        record = parse_json((folder / RECORD).read_bytes(), RECORD)
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or not str(record.get("schema")).startswith("metaeval/"):
        return None
    files = record.get("files")
    return files if isinstance(files, dict) and all(isinstance(checksum, str) for checksum in files.values()) else None


def list_files(folder: Path) -> None:
    """Add the list of files to the record of a folder, and see to it that all are on the disk."""
    record = folder / RECORD
    if not record.exists():
        return
    files = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path != record:
            put_on_disk(path)  # the old report goes as soon as the new one is named
            files[path.relative_to(folder).as_posix()] = file_checksum(path)
    content = {**parse_json(record.read_bytes(), RECORD), "files": files}
    write_text(record, record_text(content))
    put_on_disk(record)


def _is_unchanged(path: Path, name: str, ours: Mapping[str, str]) -> bool:
    """Say whether a file is what metaeval wrote; a link is not, whatever it leads to."""
    if name == RECORD:
        return True
    return name in ours and not path.is_symlink() and path.is_file() and file_checksum(path) == ours[name]


def _foreign(folder: Path, *, ours: Mapping[str, str]) -> Iterator[Path]:
    """Yield what others put into a folder: files, links, other things, and folders that hold nothing."""
    for root, folders, names in os.walk(folder):
        inside = Path(root)
        for name in (*names, *(subfolder for subfolder in folders if (inside / subfolder).is_symlink())):
            if not _is_unchanged(inside / name, (inside / name).relative_to(folder).as_posix(), ours):
                yield inside / name
        if not names and not folders and inside.relative_to(folder).as_posix() not in _OWN_FOLDERS:
            yield inside


def carry_over(old: Path, new: Path) -> list[str]:
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
            second_name(path, target)
        if target != new / name:
            renamed.append(target.relative_to(new).as_posix())
    return renamed


def _free(folder: Path, name: Path) -> Path:
    """Return where in a folder something can go under its own name, or the nearest to it that is free."""
    target = folder
    for folder_name in name.parts[:-1]:
        target = target / folder_name
        if os.path.lexists(target) and (target.is_symlink() or not target.is_dir()):
            target = _beside(target)
    target = target / name.name
    return _beside(target) if os.path.lexists(target) else target


def _beside(path: Path) -> Path:
    """Return the first free name for keeping what had the name of `path`."""
    number = 1
    while os.path.lexists(
        aside := path.with_name(f"{path.stem}.before" + (f"-{number}" if number > 1 else "") + path.suffix)
    ):
        number += 1
    return aside


def remove_carried(old: Path, new: Path) -> None:
    """Remove a report that was replaced; what others put there and `new` does not hold goes there first."""
    ours = written_files(old) or {}
    identities = {_identity(path) for path in new.rglob("*") if not path.is_dir() or path.is_symlink()}
    for path in [*_foreign(old, ours=ours)]:
        if path.is_dir() and not path.is_symlink():
            continue
        if _identity(path) not in identities and not _has_copy(path, old, new):
            target = _free(new, path.relative_to(old))
            target.parent.mkdir(parents=True, exist_ok=True)
            rename(path, target)
    if not remove_folder(old):
        message = f"the older report could not be removed altogether; what is left is in {str(old)!r}"
        warn(message)


def _identity(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    return ("link", str(path.readlink())) if path.is_symlink() else (status.st_dev, status.st_ino)


def _has_copy(path: Path, old: Path, new: Path) -> bool:
    """Say whether a file was copied, where the disk has no links: under its own name or one beside it."""
    parent = (new / path.relative_to(old)).parent
    if not path.is_file() or not parent.is_dir():
        return False
    similar = [
        candidate for candidate in parent.iterdir() if candidate.name.startswith(path.stem) and candidate.is_file()
    ]
    return any(filecmp.cmp(path, candidate, shallow=False) for candidate in similar)


def record_text(content: Mapping[str, object]) -> str:
    """Return a record as it is written."""
    return json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n"
