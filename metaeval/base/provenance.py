"""What produced a result: versions, options, seed and the checksums of every input file."""

import hashlib
import os
import platform
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import BinaryIO, Self

from metaeval.base.short_repr import ShortRepr
from metaeval.errors import FileFormatError

RECORD = "provenance.json"
"""The file that says what made a folder, and lists what was written into it."""
_ON_DEMAND = ("pymc", "arviz", "statsmodels")
_PACKAGES = ("metaeval", "numpy", "scipy", "pandas", "xarray", "numba", *_ON_DEMAND)
"""What results rest on; some where a study loaded them (`Provenance.used`)."""
_MOST_SHOWN = 100
"""Inputs whose checksums are printed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance(ShortRepr):
    """Enough to repeat a result years later."""

    command: str
    """The command or function that was asked."""
    command_line: str = ""
    """What was typed, in the order of the options; empty where a function was called."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Every option with the value it had, defaults included."""
    random_source: str | None = None
    """As `metaeval.running.draws.resolve_rng` describes it: "seed 0"."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """File name ("-" for standard input) to SHA-256 checksum of what was read from it."""
    read_as: str = ""
    """The form that the scores were taken for, as their ``attrs["read_as"]`` has it."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Package name to version, and Python's own."""
    platform: str = ""
    """Operating system and processor."""
    created: str = ""
    """Time in UTC, ISO 8601, whole seconds."""

    def shown_inputs(self) -> Mapping[str, str]:
        """Return the checksums to print: of every input, or of one list of them where there are very many.

        The list has a line an input, as ``sha256sum`` writes it.
        """
        if len(self.inputs) <= _MOST_SHOWN:
            return self.inputs
        lines = "".join(f"{checksum}  {name}\n" for name, checksum in self.inputs.items())
        below = _common_folder([*self.inputs])
        label = f"the list of {len(self.inputs):,} files{f' below {below}' if below else ''}, as sha256sum writes it"
        return {label: hashlib.sha256(lines.encode(errors="surrogateescape")).hexdigest()}

    def used(self) -> Self:
        """Return the record, made before the work, without what was not loaded since."""
        idle = {name for name in _ON_DEMAND if name not in sys.modules}
        return replace(self, versions={name: version for name, version in self.versions.items() if name not in idle})

    def to_dict(self) -> dict[str, object]:
        """Return the record as plain dictionaries, ready for JSON."""
        values = {attribute.name: getattr(self, attribute.name) for attribute in fields(self)}
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in values.items()}


def _common_folder(paths: list[str]) -> str:
    """Return the folder that holds all files, as they are named; "" where there is none or its name begins elsewhere.

    Examples
    --------
    >>> _common_folder(["runs/a", "runs/b"]), _common_folder(["runs/a", "/data/qrels.txt"])
    ('runs', '')
    """
    try:
        return os.path.commonpath(paths)
    except ValueError:  # some begin at the top and some in the folder one is in, or on other drives
        return ""


@dataclass(slots=True, eq=False)
class InputRecord:
    """What one command has read so far; threads that read for it share it."""

    checksums: dict[str, str] = field(default_factory=dict)
    """SHA-256 of the bytes that were read from every input, as they came, before unpacking."""
    kept: dict[object, BinaryIO] = field(default_factory=dict)
    """The bytes of pipes and standard input, which come once, for whoever asks again."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Held while one of these is read."""

    def note(self, path: str, content: bytes) -> None:
        """Record what was read."""
        checksum = hashlib.sha256(content).hexdigest()
        if self.checksums.setdefault(path, checksum) != checksum:
            message = "the file changed while it was being read; run again when whatever writes it has finished"
            raise FileFormatError(message, path=path)


_record: ContextVar[InputRecord | None] = ContextVar("metaeval_inputs", default=None)


@contextmanager
def recording_inputs() -> Iterator[InputRecord]:
    """Record every input read inside the block; a block inside another one belongs to it.

    Examples
    --------
    >>> import tempfile
    >>> from metaeval.io.files import read_bytes
    >>> file = Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_bytes(b"a,b")
    >>> with recording_inputs() as record:
    ...     content = read_bytes(file)
    >>> record.checksums[str(file)] == hashlib.sha256(content).hexdigest()
    True
    """
    outer = _record.get()
    if outer is not None:
        yield outer
        return
    record = InputRecord()
    token = _record.set(record)
    try:
        yield record
    finally:
        _record.reset(token)
        for handle in record.kept.values():
            handle.close()


def current_record() -> InputRecord | None:
    """Return the record of the command at work, if one is recorded."""
    return _record.get()


def file_checksum(path: str | Path) -> str:
    """Return the SHA-256 checksum of a file as hexadecimal digits: of the bytes this command read, if it did."""
    record = _record.get()
    if record is not None and str(path) in record.checksums:
        return record.checksums[str(path)]
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode) or of_the_system(status):
        raise FileFormatError("only a file has a checksum, and this is none; name a file", path=path)
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def of_the_system(status: os.stat_result) -> bool:
    """Say whether what `os.stat` found lies in /proc or /sys: no data, some without end, some about this process."""
    return status.st_dev in _system_devices()


@cache
def _system_devices() -> frozenset[int]:
    devices = {os.stat(folder).st_dev for folder in ("/proc", "/sys") if os.path.isdir(folder)}  # noqa: PTH112, PTH116 - fast
    return frozenset(devices - {os.stat("/").st_dev})  # noqa: PTH116 - as above


@cache
def _versions() -> dict[str, str]:
    """Return the versions in use, once a process: reading them takes longer than a small study."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            versions[package] = metadata.version(package)
    return versions


def record_provenance(
    command: str,
    *,
    command_line: str = "",
    options: Mapping[str, object] | None = None,
    random_source: str | None = None,
    inputs: Iterable[str | Path] = (),
) -> Provenance:
    """Record what is done with which inputs.

    Inside `recording_inputs`, as every command is, the checksums are of the bytes that were read, whatever became of
    the file since; elsewhere the files are read here, so call it before the work.
    """
    return Provenance(
        command=command,
        command_line=command_line,
        options=dict(options or {}),
        random_source=random_source,
        inputs={str(path): file_checksum(path) for path in inputs},
        versions=dict(_versions()),
        platform=f"{platform.system()} {platform.machine()}",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
