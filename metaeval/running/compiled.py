"""The ways the package compiles a loop, so that every kernel has the same flags; numba loads with the first call.

numba keeps one cache entry per function: compiling one function twice with different flags silently loads the
first. Hence exactly two decorators, and no kernel ever wears two.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import update_wrapper
from importlib import import_module
from threading import RLock
from types import CodeType
from typing import Any, cast

_AS_IT_IS = os.environ.get("NUMBA_DISABLE_JIT", "0") not in {"", "0"}
_making = RLock()


def compiled[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel that releases the interpreter lock and divides as NumPy does.

    One whose tasks go to many cores wears `metaeval.running.parallel.on_threads` above this.
    """
    return _kernel(function)


def compiled_part[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Compile what kernels call for every byte or line, and what makes no array.

    Without this, every call counts up and down, one thread at a time, who holds each array that it is given: more work
    than the call itself where that reads a few bytes.
    """
    return _kernel(function, _nrt=False)


def worth_loading(n_values: int, *, few: int) -> bool:
    """Say whether to call a kernel: with many values, or where numba has loaded in any case.

    What does the same without it must do the same arithmetic in the same order, so that the numbers are the same.
    """
    return n_values > few or "numba" in sys.modules


def _kernel[**P, R](function: Callable[P, R], **flags: bool) -> Callable[P, R]:
    # NUMBA_DISABLE_JIT leaves the function as it is
    return function if _AS_IT_IS else cast("Callable[P, R]", _Kernel(function, flags))


class _Kernel:
    """A function that is compiled, or loaded from the cache, when it is first called."""

    def __init__(self, function: Any, flags: dict[str, bool]) -> None:  # noqa: ANN401 - what numba compiles
        update_wrapper(self, function)
        self.py_func = function
        self._flags = flags
        self._made: Any = None

    def __call__(self, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - as the function
        return (self._made or self.made())(*args, **named)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - numba's
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made(), name)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        return _named, (self.py_func.__module__, self.py_func.__qualname__)

    def made(self) -> Any:  # noqa: ANN401 - numba's
        """Return numba's kernel; those that it calls are made first, for numba knows no others."""
        if self._made is None:
            with _making:
                self._made = self._made or self._make()
        return self._made

    def _make(self) -> Any:  # noqa: ANN401 - numba's
        import numba  # noqa: PLC0415 - loads with the first kernel that is called

        from metaeval.running.kernel_cache import keep, known_flags, spare_work  # noqa: PLC0415 - loads numba

        around = self.py_func.__globals__
        for name in _names(self.py_func.__code__):
            called = around.get(name)
            if isinstance(called, _Kernel) and called is not self:
                around[name] = called.made()
        kernel = numba.njit(nogil=True, error_model="numpy", **known_flags(self._flags))(self.py_func)
        keep(kernel)
        spare_work(kernel)
        return kernel


def _named(module: str, name: str) -> Any:  # noqa: ANN401 - a kernel
    return getattr(import_module(module), name)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a function takes from around it, those of inner functions included."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
