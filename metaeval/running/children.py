"""Processes that this one starts, and what they may find: nothing of the folder one is in is run, or obeyed.

Python looks for the modules of ``python -c`` and ``python -m`` in the folder one is in before all others, where files
may come from anybody. Every process is therefore started by `start_python`, or by a library inside `own_modules`.
"""

import os
import sys
from contextlib import ContextDecorator
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess

_SAFE = "PYTHONSAFEPATH"
"""Tells Python to leave that folder out."""
_SETTINGS = (".numba_config.yaml", "arvizrc", "matplotlibrc")
"""Files of settings that numba, ArviZ and matplotlib look for in that folder."""


def start_python(*words: str, **settings: Any) -> "subprocess.Popen[bytes]":  # noqa: ANN401 - of Popen
    """Start this interpreter with a program; `settings` are those of `subprocess.Popen`."""
    import subprocess  # noqa: PLC0415 - few commands start any

    environment = settings.pop("env", os.environ) | {_SAFE: "1"}
    return subprocess.Popen([sys.executable, "-P", *words], env=environment, **settings)  # noqa: S603 - this interpreter


class _OwnModules(ContextDecorator):
    """Let libraries that start processes inside the block start them so; the environment is the process's own.

    Whoever comes first sets it, and whoever leaves last, maybe in another thread, restores what was before.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside, self._before = 0, os.environ.get(_SAFE)

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._before = os.environ.get(_SAFE)
                os.environ[_SAFE] = "1"
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                os.environ.pop(_SAFE)
                os.environ.update({} if self._before is None else {_SAFE: self._before})


own_modules = _OwnModules()
"""A block, or a decorator of a function."""


def keep_to_own() -> None:
    """Let this process, which is nothing but the command line, start all others so, and find no settings here."""
    os.environ[_SAFE] = "1"
    ignore_settings()


@cache
def ignore_settings() -> None:
    """Let libraries find none of their settings in the folder one is in."""
    hidden = {os.path.abspath(name) for name in _SETTINGS}  # noqa: PTH100 - pathlib would load for every command
    exists = os.path.exists
    if any(map(exists, hidden)):
        os.path.exists = lambda path: not (isinstance(path, str) and os.path.abspath(path) in hidden) and exists(path)  # noqa: PTH100 - as above
