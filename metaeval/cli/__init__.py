"""The command line: one file a command, one runner (`metaeval.cli.command`); everything loads when it is needed."""

import errno
import os
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import typer

from metaeval.base.escaping import visible
from metaeval.cli.commands import LazyGroup
from metaeval.cli.typer_inside import TyperException
from metaeval.errors import FileFormatError, InvalidOptionError, MetaevalError
from metaeval.running.process import Stop, flush_output, stopped_by

__all__ = ["app", "main"]

_USAGE = 2
_UNWRITABLE = 5
_WRITING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EPIPE, errno.EIO})
"""What the system says to those who write."""
_DEFECT = 70
_INTERRUPTED = 130
_TRACEBACK = "METAEVAL_TRACEBACK"
"""Set in the environment, it shows where what nobody foresaw came from."""

app = typer.Typer(
    name="metaeval",
    cls=LazyGroup,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Can this metric be trusted to say which of two systems is better? Exit codes: 0 done, 1 not established, "
        "2 usage, 3 bad input, 4 no estimate, 5 could not write, 6 open, 70 defect, 130 interrupted, "
        "143 terminated."
    ),
)


def _version(value: bool) -> None:  # noqa: FBT001 - typer's callback
    if value:
        from importlib.metadata import version  # noqa: PLC0415 - only here

        typer.echo(f"metaeval {version('metaeval')}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),  # noqa: FBT001, FBT003 - typer's way to declare a flag
    study: str | None = typer.Option(
        None,
        metavar="FILE.toml",
        show_default=False,
        help="Rerun a saved study (data/study.toml of a report); later options override it.",
    ),
    trust: bool = typer.Option(  # noqa: FBT001 - as above
        False,  # noqa: FBT003 - as above
        "--trust",
        help="Run the programs (plug-ins) that the file of --study names, if they have the checksums given there.",
    ),
    no_config: bool = typer.Option(  # noqa: FBT001 - as above
        False,  # noqa: FBT003 - as above
        "--no-config",
        help="Set nothing by metaeval.toml, or [tool.metaeval] of pyproject.toml, in this folder or above.",
    ),
) -> None:
    """Take the options that stand before a command."""
    if no_config:
        context.meta["metaeval.settings"] = None
    if trust:
        raise InvalidOptionError("--trust does nothing without --study FILE.toml, which names programs; leave it out")


def main() -> int:
    """Run the command line and return the exit code.

    Bad input and bad options end with a message that says what to do, never with a traceback. So does a signal that
    asks to stop, an output that cannot be written, and what nobody foresaw.
    """
    with Stop() as stop, warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            code, words = _ending(partial(app, prog_name="metaeval", standalone_mode=False))
            written, complaint = _ending(flush_output)
        except KeyboardInterrupt:  # between two steps
            code, words = _stopped(stop.signum or signal.SIGINT)
    if not code:
        code, words = written, complaint
    elif stop.signum is not None:
        code, words = _stopped(stop.signum)
    elif code == _INTERRUPTED:
        code, words = _stopped(signal.SIGINT)
    if words:
        _say(words, style="bold red")
    return code


def _say(words: str, *, style: str) -> None:
    from metaeval.cli.console import error_console  # noqa: PLC0415 - rich's tables

    with suppress(OSError):  # nobody is left to be told
        error_console().print(visible(words, keep="\n"), style=style, markup=False, soft_wrap=True)
        sys.stderr.flush()


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Show what is warned of before a command is at work, as it shows its own warnings."""
    _say(f"Warning: {message}", style="yellow")


def _ending(step: Callable[[], object]) -> tuple[int, str]:
    """Do one step of the program; return its exit code and the last words about it."""
    try:
        ended = step()
        return ended if isinstance(ended, int) else 0, ""
    except (SystemExit, BrokenPipeError) as end:
        # typer ends with 1 where the reader of a pipe is gone; it has what it wanted, so nothing is said
        code = getattr(end, "code", 1)
        return (_UNWRITABLE if code == 1 else int(code or 0)), ""
    except KeyboardInterrupt:
        return _INTERRUPTED, ""
    except (TyperException, MetaevalError) as error:
        return _told(error)
    except Exception as error:  # noqa: BLE001 - what nobody foresaw ends as all else does
        return _of_others(error)


def _of_others(error: Exception) -> tuple[int, str]:
    """Return the exit code and the words for what the system, a library or nobody foresaw."""
    if isinstance(error, MemoryError):
        return 4, f"Error: there is not enough memory ({error or 'no more could be had'}); ask for less at once"
    if isinstance(error, OSError):
        file_name = "" if error.filename is None else f" {str(error.filename)!r}"
        written = not file_name or error.errno in _WRITING
        code = _UNWRITABLE if written else _exit_code(FileFormatError(""))
        return code, f"Error: could not {'write' if written else 'read'}{file_name}: {error.strerror or error}"
    return _DEFECT, _unforeseen(error)


def _told(error: TyperException | MetaevalError) -> tuple[int, str]:
    if isinstance(error, MetaevalError):
        from metaeval.base.words import sentence_case  # noqa: PLC0415 - only here
        from metaeval.cli.console import NotEstablishedError, OpenError  # noqa: PLC0415 - rich's tables

        done = isinstance(error, NotEstablishedError | OpenError)  # the answer to what was asked, and no mistake
        return _exit_code(error), sentence_case(str(error)) if done else f"Error: {error}"
    from metaeval.cli.usage import usage_error  # noqa: PLC0415 - only here

    return _USAGE, f"Error: {usage_error(error)}"


def _unforeseen(error: Exception) -> str:
    """Say what can be reported of an error of ours, and where it came from."""
    from traceback import extract_tb, print_exception  # noqa: PLC0415 - only here

    from metaeval.base.names import shortened  # noqa: PLC0415 - only here

    if os.environ.get(_TRACEBACK):
        print_exception(error)
    frame = extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}, line {frame.lineno}"
    return (
        f"Error: metaeval could not go on: {type(error).__name__}: {shortened(error, 200)} ({where}). This is a "
        "defect of metaeval, or of a plug-in: please report these words with the "
        f"command that was typed and metaeval --version. {_TRACEBACK}=1 in the environment shows the way to that line"
    )


def _exit_code(error: MetaevalError) -> int:
    from metaeval.cli.console import exit_code  # noqa: PLC0415 - rich's bars, which help does without

    return exit_code(error)


def _stopped(signum: int) -> tuple[int, str]:
    code, word = stopped_by(signum)
    return code, f"{word}; nothing half-written was left behind."
