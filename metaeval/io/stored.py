"""Parquet and NetCDF: what is stored with a checksum, and files of others that may be damaged.

A file of ours carries a seal, the SHA-256 of everything else in it, where no reader looks: before the footer of
Parquet, behind the end of NetCDF. A program that rewrites the file drops the seal, and a single bit that changed by
itself is found before anything is read. Files without a seal are tried in a process apart before they are read in this
one (foreign.py), Parquet batch by batch. Whatever the libraries do with a damaged one becomes an error that names the
file.
"""

import hashlib
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread, Timer
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast
from weakref import finalize

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.base.checks import PARQUET_IS_MISSING, has_parquet
from metaeval.base.names import shortened
from metaeval.base.notes import from_stored, storable
from metaeval.errors import FileFormatError
from metaeval.io import foreign
from metaeval.io.benchmarks.contents import parse_json
from metaeval.io.files import read_bytes
from metaeval.io.foreign import (
    TOO_MUCH,
    TooMuchError,
    batches_of,
    dataset_of,
    noted_in,
    opened_parquet,
    texts_of,
    tree_of,
)
from metaeval.io.unpacking import Budget
from metaeval.io.writing import write_bytes
from metaeval.running.children import start_python
from metaeval.table.scores import Scores

if TYPE_CHECKING:
    import polars as pl

_SEAL = b"metaeval sha256 "
_SEAL_LENGTH = len(_SEAL) + 64
_FOOTER = 8
"""Bytes behind the footer of Parquet: its length and PAR1."""
_LEAST_SECONDS, _BYTES_A_SECOND = 10, 500_000
"""How long a file may be tried: seconds of a processor's time."""
_WAIT = 3 if sys.platform == "win32" else 30
"""A try may last this many times as long: where no limit can be set to its time, or a machine is very busy."""


def parquet_of(frame: pd.DataFrame, noted: Mapping[str, Any] | None = None) -> bytes:
    """Write a table as Parquet, with notes in its metadata, if there are any, and a seal."""
    import polars as pl  # noqa: PLC0415 - an extra, and only this form needs it

    stream = BytesIO()
    columns = {str(name): _column_of(column) for name, column in frame.items()}
    metadata = None if noted is None else {"metaeval": json.dumps(noted, ensure_ascii=False)}
    pl.DataFrame(columns).write_parquet(stream, metadata=metadata)
    content = stream.getvalue()
    footer = _footer_of(content)
    return content[:footer] + _sealed(content) + content[footer:]


def _column_of(column: "pd.Series[Any]") -> "pl.Series":
    import polars as pl  # noqa: PLC0415 - as above

    if isinstance(column.dtype, pd.CategoricalDtype):
        return pl.Series(column.cat.categories.to_list()).gather(column.cat.codes.to_numpy())
    if column.dtype == np.float64:
        return pl.Series(column.to_numpy())  # gaps stay NaN
    return pl.Series(column.astype(object).where(column.notna(), None).tolist())


_KEPT = frozenset({"topic_word", "missing", "arrival_column", "arrival", "arrival_trouble"})
"""What scores say of themselves that a file of them keeps."""


def netcdf_of(scores: Scores) -> bytes:
    """Write scores as NetCDF 4, their notes as JSON, with a seal."""
    stream = BytesIO()
    stored = scores.copy(deep=False)
    kept = {name: entry for name, entry in scores.attrs.items() if name in _KEPT}
    stored.attrs = storable({"notes": [*scores.attrs.get("notes", [])], **kept})
    stored.to_netcdf(stream, engine="h5netcdf")  # a stream will do
    stream.seek(0, os.SEEK_END)
    stream.write(_sealed(stream.getbuffer()))
    return stream.getvalue()


class Parquet(NamedTuple):
    """A Parquet file that was found whole, or is read in a process apart too, one batch ahead."""

    budget: Budget
    content: bytes
    trial: "Trial | None" = None
    """Who reads it first, unless it has a seal."""
    topics: list[str] | None = None
    """The order of its topics, if we noted one."""
    notes: Sequence[str] = ()
    """What else we noted."""

    def n_rows(self) -> int:
        """Return how many rows it has."""
        ((_, n_rows, _),) = self.read(lambda most: [opened_parquet(self.content, most)])
        return n_rows

    def batches(self) -> "Iterator[pl.DataFrame]":
        """Yield its rows as frames."""
        return self.read(self._tried)

    def texts(self) -> Iterator[bytes]:
        """Yield its rows as CSV, some at a time."""
        return self.read(lambda most: texts_of(self._tried(most), most))

    def _tried(self, most: int) -> "Iterator[pl.DataFrame]":
        """Yield its rows as frames, each after it was read in a process apart."""
        batches = batches_of(self.content, most)
        for number in count(1):
            if self.trial is not None:
                self.trial.reach(number)
            batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def read[T](self, read: Callable[[int], Iterable[T]]) -> Iterator[T]:
        """Make errors of ours of what the library does with a damaged file."""
        try:
            yield from read(self.budget.bytes)
        except FileFormatError:
            raise
        except TooMuchError as error:
            raise self.budget.too_much(error.needed) from None
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise _unreadable("Parquet", str(error), self.budget.label) from error


def open_parquet(content: bytes, label: str) -> Parquet:
    """Return a Parquet file after looking for damage."""
    if not has_parquet():
        message = f"Parquet is read by {PARQUET_IS_MISSING}; or write the table as CSV or NetCDF 4"
        raise FileFormatError(message, path=label)
    is_intact = _is_whole(content, _footer_of(content), label)
    budget = Budget.of_file(label, content)
    parquet = Parquet(budget, content, None if is_intact else _try_apart("Parquet", content, budget))
    if parquet.trial is not None:
        parquet.trial.reach(1)
    (noted,) = parquet.read(lambda _: [noted_in(content)])
    try:
        metadata = parse_json(noted, label) if noted else {}
        topics, notes = (metadata.get(key) for key in ("topics", "notes"))
    except (FileFormatError, AttributeError):
        topics = notes = None
    return parquet._replace(topics=_texts(topics), notes=from_stored(_listed(notes) or []))


def dataset_of_netcdf(content: bytes, label: str) -> xr.Dataset:
    """Return what a NetCDF 4 file holds; its variables are not decoded as times."""
    return _netcdf(content, label, dataset_of)


def write_tree(tree: xr.DataTree, path: str | Path) -> Path:
    """Write a tree of data sets as NetCDF 4 with a seal, whole or not at all."""
    # through memory, for HDF5 has errors of its own for a disk that is full
    content = bytes(tree.to_netcdf(engine="h5netcdf"))
    return write_bytes(path, content + _sealed(content))


def read_tree(path: str | Path) -> xr.DataTree:
    """Read a tree of data sets, with a seal or without."""
    return _netcdf(read_bytes(path), str(path), tree_of, groups=True)


def _netcdf[T](content: bytes, label: str, read: Callable[[bytes, int], T], *, groups: bool = False) -> T:
    budget = Budget.of_file(label, content)
    is_intact = _is_whole(content, len(content), label)
    if not is_intact and (trial := _try_apart("NetCDF", content, budget, groups=groups)) is not None:
        trial.reach(math.inf)
    try:
        return read(content, budget.bytes)
    except TooMuchError as error:
        raise budget.too_much(error.needed) from None
    except Exception as error:  # the libraries raise whatever a damaged file leads them to
        raise _unreadable("NetCDF", str(error) or type(error).__name__, label) from error


def notes_in(stored: object) -> list[str]:
    """Read the notes in a file's attributes: ours are a JSON list, anybody else's are text."""
    try:
        notes = _listed(parse_json(str(stored), ""))
    except FileFormatError:
        notes = None
    return [str(stored)] if notes is None else from_stored(notes)


def _listed(found: object) -> list[object] | None:
    return [*found] if isinstance(found, Sequence) and not isinstance(found, str) else None


def _texts(found: object) -> list[str] | None:
    listed = _listed(found)
    return None if listed is None else [*map(str, listed)]


def _footer_of(content: bytes) -> int:
    """Return where the footer of Parquet begins, as far as the file says so."""
    return max(len(content) - _FOOTER - int.from_bytes(content[-_FOOTER:-4], "little"), 0)


def _sealed(content: bytes | memoryview) -> bytes:
    return _SEAL + hashlib.sha256(content).hexdigest().encode()


def _is_whole(content: bytes, end: int, label: str) -> bool:
    """Whether a file has a seal, which ends there; an error if it has one that does not fit."""
    start = max(end - _SEAL_LENGTH, 0)
    if end < _SEAL_LENGTH or not content.startswith(_SEAL, start):
        return False
    if content[start:end] != _sealed(content[:start] + content[end:]):
        message = "the file is damaged: its content does not fit its checksum; fetch or make it again"
        raise FileFormatError(message, path=label)
    return True


class Trial:
    """A file that a process of its own reads first, which may come to a bad end or to none."""

    def __init__(self, what: str, content: bytes, budget: Budget, *, groups: bool) -> None:
        self.what, self.budget = what, budget
        self.n_read = 0
        self.error: FileFormatError | None = None
        self.seconds = _LEAST_SECONDS + len(content) / _BYTES_A_SECOND
        self.complaints = TemporaryFile()  # noqa: SIM115 - as long as the process
        process = start_python(
            foreign.__file__,
            "groups" if groups else what,
            str(self.seconds),
            str(budget.bytes),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "RUST_BACKTRACE": "0"},
        )
        self.said = cast("IO[bytes]", process.stdout)
        timer = Timer(_WAIT * self.seconds, process.kill)
        timer.daemon = True
        timer.start()
        Thread(target=_feed, args=(process.stdin, content), daemon=True).start()
        self.end = finalize(self, _end, process, timer)
        self.process, self.timer = process, timer

    def reach(self, number: float) -> None:
        """Wait until so many batches were read, or all there are; an error if it comes to a bad end before."""
        while self.n_read < number and self.end.alive:
            if self.said.read(1):
                self.n_read += 1
            else:
                late = self.timer.finished.is_set()
                self.process.wait()
                self.end()
                self.error = self._error(late=late)
        if self.n_read < number and self.error is not None:
            raise self.error

    def _error(self, *, late: bool) -> FileFormatError | None:
        """Return what became of the process, None if it read the file."""
        self.complaints.seek(0)
        lines = self.complaints.read().decode(errors="replace").strip().splitlines()
        self.complaints.close()
        code = self.process.returncode
        if not (late or code):
            return None
        if late or code == -getattr(signal, "SIGXCPU", 0) != 0:
            reason = f"reading it did not end within {(_WAIT if late else 1) * self.seconds:.0f} seconds"
        elif lines and lines[-1].startswith(TOO_MUCH):
            return self.budget.too_much(int(lines[-1].removeprefix(TOO_MUCH)))
        else:
            reason = lines[-1] if lines else f"reading it ended with code {code}"
        return _unreadable(self.what, reason, self.budget.label)


def _feed(pipe: IO[bytes], content: bytes) -> None:
    with suppress(OSError), pipe:  # it may be closed at the other end
        pipe.write(content)


def _end(process: subprocess.Popen[bytes], timer: Timer) -> None:
    timer.cancel()
    process.kill()
    process.wait()
    cast("IO[bytes]", process.stdout).close()


def _try_apart(what: str, content: bytes, budget: Budget, *, groups: bool = False) -> Trial | None:
    """Begin to read a file in a process of its own, where Python can start one."""
    return Trial(what, content, budget, groups=groups) if sys.executable else None


def _unreadable(what: str, reason: str, label: str) -> FileFormatError:
    message = f"the {what} file cannot be read: {shortened(reason, 200)}; fetch or make it again"
    return FileFormatError(message, path=label)
