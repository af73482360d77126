"""Which files are meant: paths, names, folders and patterns, and what the systems in them are called."""

import glob
import os
import shlex
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from metaeval.base.names import natural_order
from metaeval.base.provenance import RECORD
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.io.files import (
    STANDARD_INPUT,
    base_name,
    entries_of,
    file_status,
    no_such_file,
    pipe_identity,
    read_bytes,
    refuse_system,
)

_SETTINGS = frozenset({"metaeval.toml", "pyproject.toml"})
"""Files in folders that say how others are read, and hold no data."""
_MOST_FILES = 200_000
"""Files, and folders, in one folder that is given."""


class Source(NamedTuple):
    """A file to read."""

    path: str
    name: str | None = None
    """The name the caller gave it; None for the file's own."""
    listed: bool = False
    """Whether it was found in a folder, and not named."""

    @property
    def own_name(self) -> str:
        """The name given, else the file's name without the endings that say what kind of file it is."""
        return self.name or base_name(self.path)


_SAVED = Path("data", "scores.nc")
"""Where a report keeps the scores that it is about."""


def list_sources(
    paths: str | Path | Iterable[str | Path] | Mapping[str, str | Path], *, nested: bool = False
) -> list[Source]:
    """Find out which files are meant: paths, ``NAME=path``, a mapping from name to path, ``-``, or folders."""
    if isinstance(paths, Mapping):
        if not all(isinstance(path, str | os.PathLike) for path in paths.values()):
            rule = "a mapping leads from names to files; what is in memory needs no reading: scores go through"
            way = "metaeval.as_scores, runs and judgments through metaeval.score(runs, qrels, metrics)"
            raise InvalidOptionError(f"{rule} {way}")
        requested = [Source(str(path), str(name)) for name, path in paths.items()]
    else:
        listed = listed_paths(paths, "paths")
        requested = [named_source(path) if isinstance(path, str) else Source(str(path)) for path in listed]
    if not requested:
        raise InvalidOptionError("no file was given; name at least one")
    sources = [file for source in requested for file in _files_of(source, nested=nested)]
    seen: set[object] = set()
    for source in sources:
        identity = pipe_identity(source.path) or os.path.realpath(source.path)
        if identity in seen:
            raise InvalidOptionError(f"{source.path} is given twice; give every file once")
        seen.add(identity)
    return sources


def listed_paths[T: (str | os.PathLike[str])](paths: T | Iterable[T], name: str) -> list[T]:
    """Return one path, or several, as a list; `name` is the argument that an error names."""
    if not isinstance(paths, str | os.PathLike | Iterable) or getattr(paths, "ndim", 1) != 1:
        raise InvalidOptionError(
            f"`{name}` must be names of files; got a {type(paths).__name__}. What is in memory needs no reading: "
            "scores go through metaeval.as_scores"
        )
    return [paths] if isinstance(paths, str | os.PathLike) else list(paths)


def named_source(text: str) -> Source:
    """Split at the first "=" that leaves an existing path behind it: names may hold one too, as RBP(p=0.8) does."""
    if text == STANDARD_INPUT or "=" not in text or os.path.exists(text):  # noqa: PTH110 - no error for a long name
        return Source(text)
    pieces = text.split("=")
    splits = [("=".join(pieces[:cut]).strip(), "=".join(pieces[cut:])) for cut in range(1, len(pieces))]
    for name, path in splits:
        if name and (path == STANDARD_INPUT or os.path.exists(path)):  # noqa: PTH110 - likewise
            return Source(path, name)
    name, path = splits[-1]
    return Source(path, name or None)


def _files_of(source: Source, *, nested: bool) -> list[Source]:
    status = None if source.path == STANDARD_INPUT else file_status(source.path)
    refuse_system(source.path, status)
    if source.path == STANDARD_INPUT or (status is not None and not stat.S_ISDIR(status.st_mode)):
        return [source]
    if status is None:
        raise no_such_file(source.path)
    if source.name is not None:
        message = f"a name ({source.name}=) is for one file, and this is a folder; name the files inside"
        raise FileFormatError(message, path=source.path)
    path = Path(source.path)
    for record, saved in ((RECORD, path / _SAVED), (Path("..", RECORD), path / _SAVED.name)):
        if (path / record).is_file() and saved.is_file():  # a report of ours or its data: its scores are meant
            return [Source(str(saved))]
    names = natural_order(_names_in(path, nested=nested))
    if not names:
        inner = next((entry for entry in entries_of(path) if not entry.name.startswith(".") and entry.is_dir()), None)
        way = "name the files to read" if inner is None else f"name one of the folders in it, such as {inner}"
        raise FileFormatError(f"the folder holds no files{' itself' * (inner is not None)}; {way}", path=source.path)
    return [Source(str(path / name), listed=True) for name in names]


def _names_in(path: Path, *, nested: bool) -> list[str]:
    """Return the files in a folder, those of its folders with their way there."""
    names: list[str] = []
    folders = [("", path)]
    for before, folder in folders:
        for entry in entries_of(folder):
            if entry.name.startswith(".") or entry.name in _SETTINGS:
                continue
            if nested and entry.is_dir() and not entry.is_symlink():
                folders.append((f"{before}{entry.name}/", entry))
            elif entry.is_file():
                names.append(before + entry.name)
        if len(names) > _MOST_FILES or len(folders) > _MOST_FILES:
            message = f"the folder holds more than {_MOST_FILES} files or folders; name a folder inside it"
            raise FileFormatError(message, path=path)
    return names


def read_source[T](source: Source, parse: Callable[[bytes], T]) -> T:
    """Read one of the files that `list_sources` found, and parse its content.

    Where a file that came with a folder breaks a rule in its first line, as a README or a picture among runs does, the
    error says how to leave it out.
    """
    content = b""
    try:
        content = read_bytes(source.path)
        return parse(content)
    except FileFormatError as error:
        if source.listed and _is_first_line(content, error.line):
            error.args = (f"{error}. {_way_past(Path(source.path))}",)
        raise


def _is_first_line(content: bytes, line: int | None) -> bool:
    """Whether a line (None: the whole file) is the first that is neither empty nor a comment."""
    earlier = [] if line is None else content.splitlines()[: line - 1]
    return not any(text.strip() and not text.startswith(b"#") for text in earlier)


def _way_past(path: Path) -> str:
    """Say how to name the files of a folder without one of them."""
    names = [entry.name for entry in path.parent.iterdir() if entry.is_file() and not entry.name.startswith(".")]
    others = [name for name in names if name != path.name]
    endings = Counter(Path(name).suffix for name in others if Path(name).suffix)
    ending, count = next(iter(endings.most_common(1)), ("", 0))
    start = os.path.commonprefix(others)  # noqa: RUF071 - letters, not folders
    opening = f"It is one of {len(names)} files in the folder {path.parent}"
    if 2 * count > len(others) and not path.name.endswith(ending):
        return f"{opening}; to leave it out, name the others: {path.parent / f'*{ending}'}"
    if len(others) > 1 and start and not path.name.startswith(start):
        return f"{opening}; to leave it out, name the others: {path.parent / f'{start}*'}"
    return f"{opening}; if it does not belong there, move it, or name the others one by one"


type RunPaths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str | Path]


def run_sources(runs: RunPaths) -> list[Source]:
    """List the files meant by paths, ``NAME=path``, folders and patterns; the latter two in natural order."""
    if isinstance(runs, Mapping):
        return list_sources(runs)
    listed = listed_paths(runs, "runs")
    return list_sources([path for pattern in listed for path in expanded(pattern)])


def named_apart(paths: Sequence[str]) -> list[str]:
    """Return files as they are given so that each has a name of its own: that of its folder, else a letter behind it.

    Examples
    --------
    >>> named_apart(["old/ap.csv", "new/ap.csv"]), named_apart(["ap.csv", "ap.csv.gz"])
    (['old=old/ap.csv', 'new=new/ap.csv'], ['ap-a=ap.csv', 'ap-b=ap.csv.gz'])
    """
    names = [Path(path).absolute().parent.name for path in paths]
    if len(set(names)) < len(paths):
        names = [f"{base_name(path)}-{letter}" for path, letter in zip(paths, "abcdefghij", strict=False)]
    return [shlex.quote(f"{name}={path}") for name, path in zip(names, paths, strict=False)]


def system_names(runs: Sequence[tuple[str, Source]]) -> tuple[list[str], list[str]]:
    """Name every run by the name given, else its tag; those that share a tag by file name, else by path.

    Examples
    --------
    >>> system_names([("bm25", Source("a.txt.gz")), ("bm25", Source("b.txt.gz")), ("lm", Source("c.txt.gz"))])
    (['a', 'b', 'lm'], ["2 runs have the tag 'bm25' and are named by their files: a, b"])
    """
    choices = [
        (tag, source.own_name, source.path, f"{source.path}:{tag}") if source.name is None else (source.name,)
        for tag, source in runs
    ]
    step = [0] * len(runs)
    names = [choice[0] for choice in choices]
    while shared := [index for index, name in enumerate(names) if names.count(name) > 1]:
        if all(step[index] == len(choices[index]) - 1 for index in shared):
            message = (
                f"two runs would be named {names[shared[0]]!r}; rename a file or a tag, or name what they "
                f"hold: {' '.join(named_apart([runs[index][1].path for index in shared]))}"
            )
            raise InvalidOptionError(message)
        for index in shared:
            step[index] = min(step[index] + 1, len(choices[index]) - 1)
        names = [choice[number] for choice, number in zip(choices, step, strict=True)]
    renamed: dict[str, list[str]] = {}
    for (tag, _), name, number in zip(runs, names, step, strict=True):
        if number:
            renamed.setdefault(tag, []).append(name)
    return names, [
        f"{len(files)} runs have the tag {tag!r} and are named by their files: {', '.join(files)}"
        if len(files) > 1
        else f"the run with the tag {tag!r} is named by its file, since that is another run's name: {files[0]}"
        for tag, files in renamed.items()
    ]


def refuse_shared_pipe(sources: Sequence[Source], judgments: str | os.PathLike[str]) -> None:
    """Refuse judgments that would come from the pipe of a run."""
    identity = pipe_identity(str(judgments))
    if identity is not None and identity in [pipe_identity(source.path) for source in sources]:
        origin = "standard input" if str(judgments) == STANDARD_INPUT else "a pipe"
        raise InvalidOptionError(f"runs and qrels cannot both be {str(judgments)!r}: {origin} holds one file")


def expanded(path: str | os.PathLike[str]) -> list[str | Path]:
    """Return the files that a pattern matches; everything else as it stands."""
    if not isinstance(path, str):
        return [Path(path)]
    if not glob.has_magic(path) or os.path.exists(path) or "=" in path:  # noqa: PTH110 - no error for a long name
        return [path]
    matches = glob.glob(path, recursive=True)  # noqa: PTH207 - a whole path is the pattern
    files = natural_order(file for file in matches if Path(file).is_file())
    if not files:
        raise FileFormatError("no file matches this pattern; check the path", path=path)
    return [Path(file) for file in files]
