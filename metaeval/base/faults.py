"""Where a person's own metric went wrong: the line of their code, for a message without a traceback of ours."""

import sysconfig
import traceback
from pathlib import Path

_OURS = Path(__file__).parents[1]
_PYTHON = Path(sysconfig.get_path("stdlib"))
_PACKAGES = {"site-packages", "dist-packages"}


def fault(error: BaseException) -> str:
    r"""Say what code that is not ours raised, and in which line of whose file.

    The line is the innermost one of the author's own files: where numpy raises, that of the call to numpy.

    Examples
    --------
    >>> try:
    ...     exec(compile("one = 1\ntwo = one / 0", "mine.py", "exec"))
    ... except ZeroDivisionError as error:
    ...     print(fault(error))
    ZeroDivisionError: division by zero (mine.py, line 2)
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({_place(error.filename, error.lineno, error.text)})"
    description = f"{type(error).__name__}: {error}".removesuffix(": ")
    theirs = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_theirs(frame.filename)]
    if not theirs:
        return description
    folder = Path(theirs[0].filename).parent
    inmost = [frame for frame in theirs if Path(frame.filename).parent == folder][-1]
    return f"{description} ({_place(inmost.filename, inmost.lineno, inmost.line)})"


def _is_theirs(filename: str) -> bool:
    path = Path(filename)
    of_python = path.is_relative_to(_PYTHON) and not _PACKAGES & {*path.parts}
    return not (filename.startswith("<") or path.is_relative_to(_OURS) or of_python)


def _place(filename: str, line: int | None, text: str | None) -> str:
    words = (text or "").strip()
    return f"{Path(filename).name}, line {line}{f': {words}' if words else ''}"
