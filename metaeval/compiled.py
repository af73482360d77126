"""The two ways the package compiles a loop, so that every kernel has the same flags.

numba keeps one cache entry per function: compiling one function twice with different flags silently loads the
first. Hence exactly two decorators, and no kernel ever wears both.
"""

from collections.abc import Callable
from typing import cast

import numba

__all__ = ["compiled", "compiled_parallel"]


def compiled[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Compile a serial kernel that releases the interpreter lock and divides as NumPy does."""
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def compiled_parallel[**P, R](function: Callable[P, R]) -> Callable[P, R]:
    """Compile a kernel whose ``numba.prange`` loops run on every allowed core.

    Iterations must not share anything they write, so that the answer cannot depend on the number of cores.
    """
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True, error_model="numpy", parallel=True)(function))
