"""How much may be asked for: counts that no machine can serve are refused at once, in words that say why.

A number of resamples of 10**12 is a slip of the keyboard. It must end in a sentence before any work, and neither in a
full memory hours later nor in an error of some library below.
"""

import os
from functools import cache
from numbers import Integral

from metaeval.errors import InvalidOptionError

__all__ = [
    "MOST_REPLICATES",
    "MOST_ROUNDS",
    "MOST_WORKERS",
    "check_count",
    "check_jobs",
    "check_memory",
    "check_threads",
    "show",
]

MOST_ROUNDS = 10**9
"""Most resamples, replicates, trials and the like."""

MOST_REPLICATES = 10**6
"""Most replicates of a study that scores runs anew in each."""

MOST_WORKERS = 4096
"""Most threads, and most workers."""

_WORD = 8  # bytes of a number
_SHARE = 0.8  # of the memory of the machine
_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_LONGEST = 60


def check_count(value: object, name: str, *, least: int = 1, most: int = MOST_ROUNDS) -> int:
    """Return a count if it is a whole number within its limits.

    Parameters
    ----------
    value : object
        What a caller passed.
    name : str
        The argument.
    least, most : int
        The limits, both allowed.

    Returns
    -------
    int

    Raises
    ------
    InvalidOptionError
        Naming the argument, the rule and the value.

    Examples
    --------
    >>> check_count(1000, "n_resamples")
    1000
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        message = f"{name} must be a whole number of at least {least}, not {show(value)}"
        raise InvalidOptionError(message)
    if int(value) > most:
        size = "" if most < MOST_ROUNDS else f" ({_bytes(int(value) * _WORD)} for one number each)"
        message = f"{name} must be at most {most:,}, not {show(value)}{size}"
        raise InvalidOptionError(message)
    return int(value)


def check_memory(n_numbers: int, *, what: str, advice: str) -> None:
    """Refuse work whose arrays do not fit into the memory of this machine.

    Parameters
    ----------
    n_numbers : int
        Numbers of 8 bytes that are held at once.
    what : str
        What takes them: "1,000 resamples of 50 topics".
    advice : str
        The way out.

    Raises
    ------
    InvalidOptionError
        Saying how much it takes and how much there is.

    Examples
    --------
    >>> check_memory(1000 * 50, what="1,000 resamples of 50 topics", advice="ask for fewer resamples")
    """
    there = _memory()
    if n_numbers * _WORD > _SHARE * there:
        message = f"{what} take {_bytes(n_numbers * _WORD)} of memory, and this machine has {_bytes(there)}; {advice}"
        raise InvalidOptionError(message)


def check_threads(n_threads: object) -> int | None:
    """Return `n_threads` if it is None or a whole number from 1 to `MOST_WORKERS`, else raise `InvalidOptionError`.

    Examples
    --------
    >>> check_threads(2)
    2
    """
    if n_threads is None:
        return None
    if isinstance(n_threads, bool) or not isinstance(n_threads, Integral) or int(n_threads) < 1:
        message = f"n_threads must be None or a whole number of at least 1, not {show(n_threads)}"
        raise InvalidOptionError(message)
    return check_count(n_threads, "n_threads", most=MOST_WORKERS)


def check_jobs(n_jobs: object) -> int:
    """Return `n_jobs` if it is a number of workers, or a negative one as joblib takes it (-1: every core).

    Raises
    ------
    InvalidOptionError
        For 0, what is no whole number, and more than `MOST_WORKERS`.

    Examples
    --------
    >>> check_jobs(-1)
    -1
    """
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or int(n_jobs) == 0:
        message = f"the number of workers (n_jobs) must be 1 or more, or negative (-1: every core), not {show(n_jobs)}"
        raise InvalidOptionError(message)
    if abs(int(n_jobs)) > MOST_WORKERS:
        message = f"the number of workers (n_jobs) must be at most {MOST_WORKERS:,}, not {show(n_jobs)}"
        raise InvalidOptionError(message)
    return int(n_jobs)


def show(value: object) -> str:
    """Write a value for a message; numbers of very many digits, which Python refuses to write, by their length.

    Examples
    --------
    >>> show(7), show("x"), show(-(10**5000))
    ('7', "'x'", 'a negative number of some 4983 digits')
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if number.bit_length() <= _LONGEST * 3:
            return str(number)
        return f"a {'negative ' if number < 0 else ''}number of some {number.bit_length() * 3 // 10} digits"
    return repr(value)


@cache
def _memory() -> int:
    """Return the bytes of memory of this machine, or what a common one has where that is not told."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 10**9


def _bytes(count: int) -> str:
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:  # noqa: PLR2004 - units go by thousands
        count //= 1000
        unit += 1
    return f"{show(count)} {_UNITS[unit]}"
