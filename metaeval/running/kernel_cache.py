"""Where compiled code is kept: the cache of every kernel.

Compiled code is kept where numba keeps it: NUMBA_CACHE_DIR, else beside the package, else in the home. Where none of
them can be written, as in a container or on a cluster, it is kept in a private folder of the temporary ones, else
compiled anew by every process. Keeping it is a convenience: no failure to do so ever ends a computation, and no other
code than that of today's sources is ever loaded, whoever was interrupted or wrote at the same time, and whatever became
of the file since.

Whatever numba does not promise to keep is used here and nowhere else (tests/test_borrowed_names.py).
"""

import gc
import hashlib
import multiprocessing
import os
import pickle
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from glob import escape
from pathlib import Path
from types import CodeType
from typing import Any

import numba
from numba.core import caching, options, types

from metaeval.base.disk import remove
from metaeval.errors import warn

_NumbaCache: Any = caching.FunctionCache  # numba ships no types
_NumbaFiles: Any = caching.IndexDataCacheFile
_settings: Any = numba.config
_unliteral: Any = types.unliteral
_SEAL_LENGTH = 32
_NOT_KEPT = "is made anew by every process, for nothing can be written where it would be kept"


class _CacheFiles(_NumbaFiles):  # type: ignore[misc]  # as above
    """numba's files of a function, each under a seal; the index names only code that is there, of its own sources.

    numba numbers the files, and writes the index first: what another process, an interrupt or an older source left
    under that number would be taken for this code. And it loads what it finds: code with three bits changed ends the
    process, at every run.
    """

    def save(self, key: object, data: object) -> None:
        index = self._load_index()
        stem = self._index_name.removesuffix(".nbi")
        if not index:  # the first of these sources
            for old in Path(self._cache_path).glob(f"{escape(stem)}.*.nbc"):
                remove(old)
        name = f"{stem}.{hashlib.sha256(self._dump((key, self._source_stamp))).hexdigest()[:16]}.nbc"
        self._save_data(name, data)
        self._save_index(index | {key: name})

    def _load_index(self) -> dict[object, str]:
        stored = self._load_data(self._index_name)
        return stored[2] if stored is not None and stored[:2] == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[object, str]) -> None:
        self._save_data(self._index_name, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:  # noqa: ANN401 - whatever was kept
        """Return what a file holds, None unless its seal says that this was written under this name."""
        path = Path(self._cache_path, name)
        content = path.read_bytes() if path.exists() else b""
        seal, content = content[:_SEAL_LENGTH], content[_SEAL_LENGTH:]
        if seal == _seal(name, content):
            with suppress(Exception):  # older sources may have written classes that are here no more
                return pickle.loads(content)  # noqa: S301 - our own
        return None

    def _save_data(self, name: str, data: object) -> None:
        content = self._dump(data)
        with self._open_for_write(str(Path(self._cache_path, name))) as file:
            file.write(_seal(name, content) + content)


def _seal(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + content).digest()


class _Cache(_NumbaCache):  # type: ignore[misc]  # numba ships no types
    """numba's cache of a function, which here may fail: what it cannot give is compiled, what it cannot keep is not."""

    _cache_file: Any

    def __init__(self, kernel: Any) -> None:  # noqa: ANN401 - a function that numba compiles
        super().__init__(kernel.py_func)
        files = vars(self._cache_file)
        captured = _held_in(kernel.py_func.__code__, kernel.py_func.__globals__)
        self.stamp = (files["_source_stamp"], *captured)
        self._cache_file = _CacheFiles(files["_cache_path"], files["_index_name"].removesuffix(".nbi"), self.stamp)

    def load_overload(self, sig: object, target_context: object) -> object:
        with suppress(Exception):  # what other releases of numba wrote can raise anything that unpickling can
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: object, data: object) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _tell(f"cannot be kept ({error.strerror or error})")


def keep(kernel: Any) -> None:  # noqa: ANN401 - as above
    """Give a kernel its cache, as ``cache=True`` would, or a lesser one, or none."""
    try:
        kernel._cache = _Cache(kernel)  # noqa: SLF001 - what enable_caching sets
    except RuntimeError:  # no locator available
        folder = _private_folder()
        if folder is None:
            _tell(_NOT_KEPT)
            return
        before, _settings.CACHE_DIR = _settings.CACHE_DIR, folder
        try:
            kernel._cache = _Cache(kernel)  # noqa: SLF001 - likewise
            _tell(f"is kept in {folder}, for neither the package's folder nor the home can be written")
        except RuntimeError:
            _tell(_NOT_KEPT)
        finally:
            _settings.CACHE_DIR = before


def spare_work(kernel: Any) -> None:  # noqa: ANN401 - numba's
    """Let numba compile a kernel once where it is called with 0 or with a number, and without looking for garbage.

    Of what numba makes, little can go before it is done: the search takes a tenth of the time.
    """
    compile_kernel, typed = kernel._compiler.compile, kernel.get_call_template  # noqa: SLF001 - numba has no other place

    def compile_at_once(*asked: Any) -> Any:  # noqa: ANN401 - likewise
        collects = gc.isenabled()
        gc.disable()
        try:
            return compile_kernel(*asked)
        finally:
            if collects:
                gc.enable()

    kernel._compiler.compile = compile_at_once  # noqa: SLF001 - as above
    kernel.get_call_template = lambda args, named: typed(
        tuple(map(_unliteral, args)), {name: _unliteral(argument) for name, argument in named.items()}
    )


def known_flags(flags: Mapping[str, bool]) -> dict[str, Any]:
    """Return those of numba's flags that this release has."""
    return {name: value for name, value in flags.items() if hasattr(options.DefaultOptions, name)}


def _held_in(code: CodeType, around: Mapping[str, Any]) -> Iterator[object]:
    """Yield what compiled code holds of other files, where numba does not look: constants, and kernels called."""
    for name in code.co_names:
        value = around.get(name)
        if isinstance(value, int | float | tuple):
            yield name, repr(value)
        elif isinstance(cached := getattr(value, "_cache", None), _Cache):
            yield name, cached.stamp
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _held_in(inner, around)


@cache
def _private_folder() -> str | None:
    """Return a folder among the temporary ones that nobody else can put code into, or None."""
    owner = os.getuid() if hasattr(os, "getuid") else None
    try:
        folder = Path(tempfile.gettempdir(), "metaeval" if owner is None else f"metaeval-{owner}")
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()  # a link would lead elsewhere
    except OSError:
        return None
    private = owner is None or (status.st_uid == owner and not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    return str(folder) if stat.S_ISDIR(status.st_mode) and private else None


@cache
def _tell(what: str) -> None:
    """Say once how it stands with compiled code; worker processes leave that to the one that started them."""
    if multiprocessing.current_process().name == "MainProcess":
        message = f"compiled code {what}; NUMBA_CACHE_DIR names another folder for it, best one that lasts"
        warn(message)
