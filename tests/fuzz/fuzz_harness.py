"""What all fuzzers share: cases with a seed, the call under test beside a second opinion, and shorter failing cases.

The contract of every reader: it raises metaeval's own error, or it accepts, and then it says what the second opinion
says. The second opinion is a literal parser written from the documentation, slow and plain, that shares no code with
the reader. Where the documentation leaves a choice, it returns every reading that would do. A reader may refuse more
than the second opinion; it may not accept more, nor read anything else.

Beside them stand documents that are valid and oddly spelt. What they say is known from how they were made, so a reader
has to accept them, and to give exactly that.
"""

import ast
import os
import random
import tempfile
import traceback
import warnings
import zlib
from base64 import b85decode, b85encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from metaeval.errors import MetaevalError, MetaevalWarning

SLOWEST = 1.0
"""Seconds of work that reading a tiny file may take, here and in processes of its own; waiting for others is none."""

_SHORT = 400

Kind = Literal["accepted", "refused", "difference", "exception", "slow"]
FAILURES = ("difference", "exception", "slow")


class RefusedError(Exception):
    """The second opinion: this is no such file. The message is a reason without values, so that it can be counted."""


class Case(NamedTuple):
    """One input: the files, the options they are read with, and the answer where it is known."""

    files: tuple[bytes, ...]
    options: Mapping[str, Any] = {}
    truth: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader under test.

    Attributes
    ----------
    name : str
    make : callable
        ``make(rng)`` returns a valid case.
    mutate : callable
        ``mutate(rng, case)`` returns the case with one change.
    read : callable
        ``read(paths, options)`` calls metaeval and lays the answer out as plain values, named parts in a dictionary.
    opinions : callable or None
        ``opinions(case)`` returns every answer that would do, or raises `RefusedError`. None: only that no foreign
        exception escapes is tested.
    names : sequence of str
        What the files are called.
    speed : float
        Rough number of inputs a second, by which a long run distributes its inputs.
    shorten : bool
        Whether a failing case may be shortened: not where every byte has its place, and a library may run for ever.
    changes : sequence of int
        How many changes a case may undergo, as often as each stands here.
    spell : callable or None
        ``spell(rng)`` returns a valid case, oddly spelt, with its truth.
    polars : bool
        Whether reading needs polars, whose threads do not survive a fork.
    """

    name: str
    make: Callable[[random.Random], Case]
    mutate: Callable[[random.Random, Case], Case]
    read: Callable[[Sequence[str], Mapping[str, Any]], object]
    opinions: Callable[[Case], Sequence[object]] | None
    names: Sequence[str] | Callable[[Case], Sequence[str]] = ("one.txt", "two.txt")
    speed: float = 500.0
    shorten: bool = True
    changes: Sequence[int] = (0, 1, 1, 1, 1, 1, 2, 2, 3, 5)
    spell: Callable[[random.Random], Case] | None = None
    polars: bool = False

    def case(self, seed: int, number: int) -> Case:
        """Return input `number` of a seed: a valid document with none, one or a few changes."""
        rng = random.Random(f"{self.name}:{seed}:{number}")  # noqa: S311 - no secret
        case = self.make(rng)
        for _ in range(rng.choice(self.changes)):
            case = self.mutate(rng, case)
        return case

    def spelt(self, seed: int, number: int) -> Case:
        """Return odd spelling `number` of a seed."""
        assert self.spell is not None
        return self.spell(random.Random(f"{self.name}:odd:{seed}:{number}"))  # noqa: S311 - no secret


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case."""

    kind: Kind
    why: str = ""
    detail: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def failed(self) -> bool:
        """Whether the contract was broken."""
        return self.kind in FAILURES


@contextmanager
def workplace(inside: Path | None = None) -> Iterator[Path]:
    """Give a folder in another, by default in memory where there is one."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
    with tempfile.TemporaryDirectory(prefix="fuzz", dir=inside or (memory if memory.is_dir() else None)) as folder:
        yield Path(folder)


@contextmanager
def settings() -> Iterator[None]:
    """Make every warning an error, as in the test suite, but metaeval's own, which are part of the contract."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MetaevalWarning)
        yield


def outcome(reader: Reader, case: Case, folder: Path) -> Outcome:
    """Read a case, ask for the second opinion, and compare; call it within `settings`."""
    got = tried(reader, case, folder)
    if got.seconds > SLOWEST:  # perhaps something was compiled, or the machine was busy
        again = tried(reader, case, folder)
        got = again if again.seconds < got.seconds else got
    return got


def tried(reader: Reader, case: Case, folder: Path) -> Outcome:  # noqa: C901, PLR0911 - one return an outcome
    """Read a case once; see `outcome`."""
    names = reader.names(case) if callable(reader.names) else reader.names
    paths = [str(folder / name) for name in names[: len(case.files)]]
    for path, content in zip(paths, case.files, strict=True):
        if "/" in path.removeprefix(str(folder))[1:]:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb") as stream:  # noqa: PTH123 - half the time of Path.write_bytes
            stream.write(content)
    begun = _worked()
    try:
        found = reader.read(paths, case.options)
    except MetaevalError as error:
        seconds = _worked() - begun
        if seconds > SLOWEST:
            return Outcome("slow", "refused late", f"{seconds:.1f} s", seconds)
        if case.truth is not None:
            return Outcome("difference", f"refused though valid: {type(error).__name__}", str(error), seconds)
        return Outcome("refused", type(error).__name__, str(error), seconds)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of polars is no Exception
        return Outcome("exception", _place(error), f"{type(error).__name__}: {error!s:.300}", _worked() - begun)
    seconds = _worked() - begun
    if seconds > SLOWEST:
        return Outcome("slow", "accepted late", f"{seconds:.1f} s", seconds)
    if reader.opinions is None and case.truth is None:
        return Outcome("accepted", seconds=seconds)
    try:
        expected = [case.truth] if case.truth is not None or reader.opinions is None else reader.opinions(case)
    except RefusedError as error:
        return Outcome("difference", f"accepted though: {error}", f"accepted as {found!r:.1500}", seconds)
    except Exception as error:  # noqa: BLE001 - a fault of the second opinion is to be mended too
        return Outcome("difference", f"the second opinion failed: {type(error).__name__}", str(error), seconds)
    if found in expected:
        return Outcome("accepted", seconds=seconds)
    return Outcome(
        "difference", f"other {_part(found, expected[0])}", f"{found!r:.1500} for {expected[0]!r:.1500}", seconds
    )


def _worked() -> float:
    """Return the seconds that processors have worked for this process and those it started and saw end."""
    return sum(os.times()[:4])


def _place(error: BaseException) -> str:
    """Name the kind of exception and the function of metaeval that let it through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/metaeval/" in frame.filename]
    inside = [frame for frame in frames if "/tests/" not in frame.filename]
    where = f"{Path(inside[-1].filename).name}:{inside[-1].name}" if inside else "outside metaeval"
    return f"{type(error).__name__} in {where}"


def _part(found: object, expected: object) -> str:
    """Name the part in which two answers differ."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for name in [*expected, *(name for name in found if name not in expected)]:
            if name not in found or name not in expected or found[name] != expected[name]:
                return str(name) if isinstance(name, str) else "part"
    return "content"


def shortened(reader: Reader, case: Case, folder: Path, *, tries: int = 3000) -> tuple[Case, Outcome]:
    """Return a shorter case that fails in the same way: fewer lines, then fewer bytes (delta debugging)."""
    wanted = outcome(reader, case, folder)
    left = [tries]

    def still(files: list[bytes]) -> bool:
        if left[0] <= 0:
            return False
        left[0] -= 1
        got = outcome(reader, case._replace(files=tuple(files)), folder)
        return (got.kind, got.why) == (wanted.kind, wanted.why)

    files = list(case.files)
    for place in range(len(files)):
        for cut in (_lines, _bytes):
            files[place] = _reduced(
                cut(files[place]), lambda part, at=place: still([*files[:at], part, *files[at + 1 :]])
            )
    short = case._replace(files=tuple(files))
    return short, outcome(reader, short, folder)


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def _bytes(content: bytes) -> list[bytes]:
    return [content[at : at + 1] for at in range(len(content))]


def _reduced(parts: list[bytes], still: Callable[[bytes], bool]) -> bytes:
    size = max(1, len(parts) // 2)
    while parts:
        at, shorter = 0, False
        while at < len(parts):
            fewer = parts[:at] + parts[at + size :]
            if still(b"".join(fewer)):
                parts, shorter = fewer, True
            else:
                at += size
        if size == 1 and not shorter:
            break
        size = size if shorter and size == 1 else max(1, size // 2)
    return b"".join(parts)


def kept_cases(path: Path) -> list[tuple[str, Case]]:
    """Read the cases that were ever found: one a line, as Python writes it; long files are packed (`kept_line`)."""
    cases = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, files, *more = ast.literal_eval(line)
            unpacked = (zlib.decompress(b85decode(one)) if isinstance(one, str) else one for one in files)
            cases.append((name, Case(tuple(unpacked), *more)))
    return cases


def kept_line(reader: Reader, case: Case) -> str:
    """Return the line that `kept_cases` reads back."""
    packed = [one if len(one) < _SHORT else b85encode(zlib.compress(one, 9)).decode() for one in case.files]
    truth = () if case.truth is None else (case.truth,)
    return ascii((reader.name, tuple(packed), dict(case.options), *truth))
