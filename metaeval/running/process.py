"""How a process of metaeval begins, is stopped and ends: standard streams, signals, and what they do to the exit code.

Nothing heavy is loaded here, so that a signal is answered properly while the rest of the package is still loading.
"""

import atexit
import gc
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import NoReturn, Self

from metaeval.running.children import keep_to_own
from metaeval.running.plain_letters import SPELLED

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_WORDS = {"SIGINT": "Interrupted", "SIGTERM": "Terminated", "SIGHUP": "Hung up"}
_BY_SIGNAL = 128
_ONCE_MORE = 0.05
_ONE_WISH = 1.0
"""Seconds in which further signals repeat the first: `timeout` and terminals send one to the process and its group."""


class Interruption(KeyboardInterrupt):
    """A signal asked the process to stop; raised wherever it is at work, so that it tidies up on its way out.

    Parameters
    ----------
    signum : int
        The signal: SIGINT, SIGTERM or SIGHUP.
    """

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


_shelter: list[int | None] = []
"""A None for every open `sheltered` block, and the signals that wait for the last of them to end."""


@contextmanager
def sheltered() -> Iterator[None]:
    """Let the block end before a signal that `Stop` answers is raised: for tidying up, and for changing names.

    A library may turn the first exception of a signal into another one, which begins the tidying up, and the signal
    be raised once more in the midst of it.
    """
    _shelter.append(None)
    try:
        yield
    finally:
        _shelter.remove(None)
        if None not in _shelter:
            waiting = [signum for signum in _shelter if signum is not None]
            _shelter.clear()
            if waiting and not isinstance(sys.exception(), KeyboardInterrupt):
                raise Interruption(waiting[0])


def begin() -> None:
    """Prepare a process that is nothing but the command line; call it before anything heavy is loaded.

    A standard stream that was closed is opened on the null device, so that no file of the user gets its number;
    what is written to a closed standard output is still an error. Letters that the terminal cannot show are
    spelled or escaped. A signal ends the process at once, as long as nothing is at work that `Stop` tidies up. While
    libraries load, nothing becomes garbage, so none is looked for until `loaded`. What lies in the folder one is in is
    data: it is neither run by the processes that this one starts, nor taken for settings.
    """
    gc.disable()
    keep_to_own()
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free, which is this one
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    sys.stdout = sys.stdout or _ClosedOutput()
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for good
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup, or a job in the background
            signal.signal(number, _leave_at_once)


def loaded() -> None:
    """Look for garbage from now on, and leave out what has been loaded: going through it takes a tenth of a command."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


class Stop:
    """While the block runs, a signal that asks to stop is raised as an `Interruption`; afterwards all is as before.

    Attributes
    ----------
    signum : int or None
        The signal that came, also where a library turned the exception into another one.
    """

    def __init__(self) -> None:
        self.signum: int | None = None
        self._when = 0.0
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                before = signal.getsignal(number)
                # one that a program around us handles is its own; None: set by something other than Python
                if before in {signal.SIG_DFL, signal.default_int_handler, _leave_at_once}:
                    self._before[number] = signal.signal(number, self._raise)
            if self._before:
                self._unraisable, sys.unraisablehook = sys.unraisablehook, self._once_more
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before:
            sys.unraisablehook = self._unraisable
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]  # as it was given

    def _raise(self, signum: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self.signum is not None and now - self._when < _ONE_WISH:
            return
        self.signum, self._when = signum, now
        if _shelter:
            _shelter.append(signum)
        else:
            raise Interruption(signum)

    def _once_more(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Ask again where the exception fell into a place that cannot pass it on, such as a destructor."""
        if isinstance(unraisable.exc_value, Interruption):
            self._when = time.monotonic()
            # not from in here, where an exception would be lost once more
            threading.Timer(_ONCE_MORE, self._ask_again, (unraisable.exc_value.signum,)).start()
        else:
            self._unraisable(unraisable)

    def _ask_again(self, signum: int) -> None:
        self.signum = None
        if os.name == "nt":  # where the other ends the process at once
            signal.raise_signal(signum)
        else:
            os.kill(os.getpid(), signum)


def end(code: int) -> int:
    """Return the exit code, after seeing to it that it is the one the process ends with.

    Python gives signals back to the system before it is through; another one would then decide how it ends. And what
    was stopped by a signal is left at once: kernels may still be at work in other threads, and taking the interpreter
    down under them has ended in a segmentation fault.
    """
    if code >= _BY_SIGNAL:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        atexit._run_exitfuncs()  # noqa: SLF001 - temporary folders are still put away; there is no public name for it
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):  # closed, full or not there
                stream.flush()
        os._exit(code)
    return code


def stopped_by(signum: int) -> tuple[int, str]:
    """Return the exit code and the word for a signal: 128 and its number, as shells say it.

    Examples
    --------
    >>> stopped_by(15)
    (143, 'Terminated')
    """
    return _BY_SIGNAL + signum, _WORDS.get(signal.Signals(signum).name, "Stopped")


def flush_output() -> None:
    """Make sure that what was printed has arrived."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError):
            _drop_output()
        raise


def _drop_output() -> None:
    if sys.stdout is not sys.__stdout__ or sys.__stdout__ is None:
        return  # somebody else's, as in tests
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno())
    os.close(nowhere)


def _leave_at_once(signum: int, _frame: FrameType | None) -> NoReturn:
    code, word = stopped_by(signum)
    with suppress(OSError):
        os.write(2, f"{word}.\n".encode())
    os._exit(code)


class _ClosedOutput(io.TextIOBase):
    """Standard output that the caller closed: writing to it fails, and says so."""

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, _text: str) -> int:
        raise OSError(None, "standard output is closed")
