"""Replicates: the same work under many seeds, each finished one kept on disk, so that a killed run resumes.

A replicate's seed belongs to its number, not to a worker, and its result is a set of named arrays. A file holds one
replicate: a NumPy archive that ``numpy.load`` opens, with the checksum of the settings that made it. Its last 64
characters, the archive's comment, are the SHA-256 checksum of every byte before them. What is damaged, or was made
with other settings, is computed again, and that is said.
"""

import hashlib
import io
import json
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from pathlib import Path

import joblib
import numpy as np
from numpy.typing import NDArray

from metaeval.base.disk import put_on_disk, remove, remove_empty, write_content
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import InvalidOptionError, MetaevalWarning, warn
from metaeval.io.writing import write_atomically
from metaeval.metrics.resolved import AnyMetric, Metric
from metaeval.metrics.source import code_versions, metric_checksum
from metaeval.running.parallel import track
from metaeval.running.workers import finished_tasks

_FORMAT = "metaeval replicate 4"
_ABOUT = "__about__"
_SUFFIX = ".npz"
_OURS = re.compile(r".+-[0-9a-f]{12}-\d{5,}\.npz")
_DIGITS = hashlib.sha256().digest_size * 2
_ALWAYS = 2

type Arrays = dict[str, NDArray[np.generic]]
type Work = Callable[..., Arrays]


class ReplicateWarning(MetaevalWarning):
    """A replicate on disk that could not be used and is computed again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicateStore:
    """A folder of finished replicates of one piece of work.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = ReplicateStore(folder=Path(folder), name="demo", settings={"seed": 0})
    ...     store.keep(3, {"tau": np.array([0.5])})
    ...     print(store.load(3), store.load(4))
    {'tau': array([0.5])} None
    """

    folder: Path
    """Made when the first replicate is kept. Studies may share it: file names hold `name` and the settings."""
    name: str
    """What was done, for people who look into the folder."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Everything the result depends on besides the replicate's number, as JSON can hold it."""

    @property
    def key(self) -> str:
        """Checksum of the settings."""
        return checksum(json.dumps(self.settings, sort_keys=True, default=str).encode())

    def path(self, number: int) -> Path:
        """Return where a replicate is kept."""
        return self.folder / f"{self.name}-{self.key[:12]}-{number:05d}{_SUFFIX}"

    def _about(self, number: int) -> str:
        return json.dumps({"format": _FORMAT, "settings": self.key, "replicate": number})

    def make_folder(self) -> None:
        """Make the folder where it is not there."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"replicates cannot be kept in {self.folder} ({error.strerror}); `keep` names a folder"
            raise InvalidOptionError(message) from error

    def keep(self, number: int, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Write a replicate in one step: it is there whole, or not at all."""
        self.make_folder()
        content = _sealed({_ABOUT: np.array(self._about(number)), **arrays})
        with write_atomically(self.path(number)) as temporary:
            write_content(temporary, content)
            put_on_disk(temporary)  # a name must not survive a power cut that its content does not

    def load(self, number: int) -> Arrays | None:
        """Return a replicate, or None where there is none that can be used (with a warning where there is one)."""
        path = self.path(number)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._refuse(path, f"cannot be read ({error})")
            return None
        arrays = _opened(content)
        if arrays is None:
            self._refuse(path, "is damaged")
            return None
        if str(arrays.pop(_ABOUT, None)) != self._about(number):
            self._refuse(path, "was made with other settings or as another replicate")
            return None
        return arrays

    @staticmethod
    def _refuse(path: Path, why: str) -> None:
        warn(f"the kept replicate {path.name} {why}; it is computed again", ReplicateWarning)


def kept_replicates(folder: Path) -> list[Path]:
    """Return the files of a folder that hold kept replicates, by their names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     store = ReplicateStore(folder=Path(place), name="demo")
    ...     store.keep(3, {"tau": np.array([0.5])})
    ...     _ = Path(place, "mine.npz").write_bytes(b"")
    ...     print(kept_replicates(Path(place)) == [store.path(3)])
    True
    """
    return sorted(path for path in folder.glob("*") if _OURS.fullmatch(path.name))


def map_replicates(  # noqa: PLR0913 - one keyword per choice
    work: Work,
    numbers: Sequence[int],
    *,
    seed: int,
    name: str,
    arguments: Sequence[object] = (),
    store: ReplicateStore | None = None,
    complete: Callable[[int, Arrays], bool] = lambda _number, _arrays: True,
    n_jobs: int | None = None,
    threads: bool = False,
    deadline: float | None = None,
    description: str = "working",
) -> list[Arrays]:
    """Return ``work(number, generator, *arguments)`` for every number, from disk where it is kept already."""
    done: dict[int, Arrays] = {}
    if store is not None:
        store.make_folder()  # before any work, that none is done in vain
    for number in numbers:
        stored = None if store is None else store.load(number)
        if stored is not None and complete(number, stored):
            done[number] = stored
    missing = [number for number in numbers if number not in done]
    in_time = _until(missing, deadline, free=max(0, _ALWAYS - len(done)))
    tasks = ((number, replicate_seed(seed, name, number)) for number in in_time)
    outcomes = finished_tasks(partial(_one, work), tasks, shared=arguments, n_jobs=n_jobs, threads=threads)
    for _, (number, arrays) in track(outcomes, description=description, total=len(missing)):
        if store is not None:
            store.keep(number, arrays)
        done[number] = arrays
    return [done[number] for number in takewhile(done.__contains__, numbers)]


def replicate_seed(seed: int, name: str, number: int) -> np.random.SeedSequence:
    """Return the seed of one replicate: another number, or another name, draws independently.

    More replicates, or more kinds of work, leave those there as they are.
    """
    return np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()), number))


def checksum(*parts: bytes | NDArray[np.generic]) -> str:
    """Return the SHA-256 checksum of bytes and arrays, one after the other.

    Examples
    --------
    >>> checksum(b"ab") == checksum(b"a", b"b")
    True
    """
    digest = hashlib.sha256()
    for chunk in parts:
        digest.update(chunk if isinstance(chunk, bytes) else np.ascontiguousarray(chunk).view(np.uint8).data)
    return digest.hexdigest()


def _until(numbers: Iterable[int], deadline: float | None, *, free: int) -> Iterator[int]:
    """Yield numbers until the time is over, but some in any case."""
    for index, number in enumerate(numbers):
        if deadline is not None and index >= free and time.monotonic() > deadline:
            return
        yield number


def _one(work: Work, number: int, seed: np.random.SeedSequence, *arguments: object) -> tuple[int, Arrays]:
    return number, work(number, np.random.default_rng(seed), *arguments)


def _sealed(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a NumPy archive of arrays that ends in the checksum of everything before."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.comment = b"0" * _DIGITS
    body = stream.getvalue()[:-_DIGITS]
    return body + checksum(body).encode()


def _opened(content: bytes) -> Arrays | None:
    """Return the arrays of an archive; None where a single bit differs from what was written."""
    body, seal = content[:-_DIGITS], content[-_DIGITS:]
    if seal != checksum(body).encode():
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as members:
            if sum(member.file_size for member in members.infolist()) > len(content):
                return None  # ours are not packed, so whatever this unpacks to, it is none of them
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except Exception:  # noqa: BLE001 - the checksum holds, so somebody sealed what is no archive: not ours either way
        return None


def discard_replicates(folder: Path) -> None:
    """Remove kept replicates whose answer stands elsewhere by now; whatever else is in the folder stays."""
    for path in kept_replicates(folder):
        remove(path)
    remove_empty(folder)


# ------------------------------------------------------------------------------------- what a replicate depends on

COMPILED = ("offsets", "ranks", "judgments", "n_retrieved", "topic_offsets", "levels", "full_levels")
"""Arrays of a collection that every score follows from."""


def compiled_arrays(collection: Collection) -> tuple[NDArray[np.generic], ...]:
    """Return the arrays of a collection named in `COMPILED`."""
    return tuple(getattr(collection, name) for name in COMPILED)


def replicate_store(  # noqa: PLR0913 - what a result depends on
    folder: Path,
    name: str,
    collection: JudgedCollection,
    metrics: Sequence[AnyMetric],
    seed: int,
    *,
    retrieved: bool,
    settings: Mapping[str, object],
) -> ReplicateStore:
    """Return where replicates are kept that depend on a collection, metrics, a seed and further settings.

    Everything of the collection counts that a replicate may depend on; what pools need only if that is `retrieved`.
    """
    documents = collection.by_document
    names = "\n".join([*documents.systems, "", *documents.topics]).encode()
    content: list[bytes | NDArray[np.generic]] = [names, *compiled_arrays(documents)]
    content.append(b"" if documents.pooled is None else documents.pooled)
    content += [] if documents.grades is None else [documents.grades]
    if documents.subtopics is not None:
        of = documents.subtopics
        content += [of.topic_offsets, of.weights, of.offsets, of.codes, of.levels]
    if retrieved:
        content.append(b"\n".join(documents.document_ids.tolist()))
        if documents.retrieved is not None:
            content += [documents.retrieved.offsets, documents.retrieved.codes]
        if documents.pool_runs is not None:
            content += [documents.pool_runs.offsets, documents.pool_runs.ranks, documents.pool_runs.codes]
        content.append(b"" if documents.pool_sizes is None else documents.pool_sizes)
    if not isinstance(collection, Collection):
        content.append(str(joblib.hash(collection)).encode())
    identity = {
        "metrics": [metric.name for metric in metrics],
        "code": metric_checksum(metrics),
        "content": checksum(*content),
        "seed": seed,
        "versions": code_versions(),
    }
    return ReplicateStore(folder=folder, name=name, settings={**settings, **identity})


def all_compiled(metrics: Sequence[AnyMetric]) -> bool:
    """Say whether every metric has a kernel, so that scoring holds the interpreter lock for moments only."""
    return all(isinstance(metric, Metric) and metric.spec.kernel is not None for metric in metrics)
