"""Where compiled code is kept: the cache of every kernel.

Compiled code is kept where numba keeps it: NUMBA_CACHE_DIR, else beside the package, else in the home. Where none of
them can be written, as in a container or on a cluster, it is kept in a private folder of the temporary ones, else
compiled anew by every process. Keeping it is a convenience: no failure to do so ever ends a computation, and no other
code than that of today's sources is ever loaded, whoever was interrupted or wrote at the same time.
"""

import hashlib
import multiprocessing
import os
import stat
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from glob import escape
from pathlib import Path
from types import CodeType
from typing import Any

import numba
from numba.core import caching

from metaeval.errors import MetaevalWarning

_NumbaCache: Any = caching.FunctionCache  # numba ships no types
_NumbaFiles: Any = caching.IndexDataCacheFile
_settings: Any = numba.config
_NOT_KEPT = "is made anew by every process, for nothing can be written where it would be kept"


class _CacheFiles(_NumbaFiles):  # type: ignore[misc]  # as above
    """numba's files of a function; the index names only code that is there, in files of its own sources.

    numba numbers the files, and writes the index first: what another process, an interrupt or an older source left
    under that number would be taken for this code.
    """

    def save(self, key: object, data: object) -> None:
        kept = self._load_index()
        if not kept:  # the first of these sources
            for old in Path(self._cache_path).glob(f"{escape(self._index_name.removesuffix('.nbi'))}.*.nbc"):
                old.unlink(missing_ok=True)
        digest = hashlib.sha256(self._dump((key, self._source_stamp))).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{digest}.nbc"
        self._save_data(name, data)
        self._save_index(kept | {key: name})


class _Cache(_NumbaCache):  # type: ignore[misc]  # numba ships no types
    """numba's cache of a function, which here may fail: what it cannot give is compiled, what it cannot keep is not."""

    _cache_file: Any

    def __init__(self, kernel: Any) -> None:  # noqa: ANN401 - a function that numba compiles
        super().__init__(kernel.py_func)
        files = vars(self._cache_file)
        held = _held_in(kernel.py_func.__code__, kernel.py_func.__globals__)
        self.stamp = (files["_source_stamp"], *held)
        self._cache_file = _CacheFiles(files["_cache_path"], files["_index_name"].removesuffix(".nbi"), self.stamp)

    def load_overload(self, sig: object, target_context: object) -> object:
        with suppress(Exception):  # a damaged file can raise anything that unpickling can
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: object, data: object) -> None:
        try:
            try:
                super().save_overload(sig, data)
            except OSError:
                raise
            except Exception:  # noqa: BLE001 - the index it adds to is damaged: begin it anew
                self.flush()
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
        found = folder.lstat()  # a link would lead elsewhere
    except OSError:
        return None
    private = owner is None or (found.st_uid == owner and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    return str(folder) if stat.S_ISDIR(found.st_mode) and private else None


@cache
def _tell(what: str) -> None:
    """Say once how it stands with compiled code; worker processes leave that to the one that started them."""
    if multiprocessing.current_process().name == "MainProcess":
        message = f"compiled code {what}; NUMBA_CACHE_DIR names another folder for it, best one that lasts"
        warnings.warn(message, MetaevalWarning, stacklevel=4)
