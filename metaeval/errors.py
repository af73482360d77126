"""Every error the package raises on purpose, under one base, and the one way to suggest a name.

An error says which argument (or file and line), the rule, the value received and the way out.
Each class also derives from the built-in a caller would expect, so ``except ValueError`` works too.
"""

import copyreg
import difflib
import re
import warnings
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

_MOST_SHOWN, _MOST_COMPARED = 5, 10_000
LONGEST = 600
"""Characters of a message."""
_END = 280
_PACKAGE = str(Path(__file__).parent)


class MetaevalError(Exception):
    """Base class of the errors of metaeval; a message that quotes too much keeps its beginning and its end."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(in_short(words) if isinstance(words, str) else words for words in args))


class MetaevalWarning(UserWarning):
    """Base class of the warnings of metaeval; results are still returned."""


class ScoresError(MetaevalError, ValueError):
    """Scores that cannot be compared: gaps, infinities, too few systems or topics, topics that do not match."""


class FileFormatError(MetaevalError, ValueError):
    """A file that cannot be read.

    Parameters
    ----------
    message : str
        The rule that was broken, what stood there, and the way out.
    path : str, optional
        The file; put in front of the message together with `line`.
    line : int, optional
        Line number, counted from 1.
    """

    def __init__(self, message: str, *, path: object = None, line: int | None = None) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        prefix = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(prefix + message)


class InvalidOptionError(MetaevalError, ValueError):
    """An invalid argument.

    Parameters
    ----------
    message : str
        The argument in backticks, the rule, the value received, and the way out.
    argument : str, optional
        The name of the argument.
    value : object, optional
        What it was.
    """

    def __init__(self, message: str, *, argument: str | None = None, value: object = None) -> None:
        super().__init__(message)
        self.argument = argument
        self.value = value

    def __reduce__(self) -> tuple[object, ...]:
        """Let workers send the error back as it is, whatever `__init__` of its class takes."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]  # as pickle calls it


class UnknownNameError(InvalidOptionError, KeyError):
    """A name that is not registered; the message lists the nearest ones.

    Parameters
    ----------
    kind : str
        What was looked up: "test", "correction", "metric", …
    name : str
        The name received.
    known : iterable of str
        Every name that would have worked, in the order in which the message lists them.
    synonyms : mapping of str to str, optional
        Other spellings that work, and the name each leads to.
    """

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, synonyms: Mapping[str, str] | None = None
    ) -> None:
        names = tuple(known)
        spellings = {**(synonyms or {}), **dict(zip(names, names, strict=True))}
        near = [spellings[name]] if name in (synonyms or {}) else closest_names(name, spellings)
        near = list(dict.fromkeys(spellings.get(candidate, candidate) for candidate in near))
        guess = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
        more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
        message = f"no {kind} {name!r}{guess} Known: {', '.join(names[:_MOST_SHOWN])}{more}"
        if not near and len(names) == 1:
            message = f"no {kind} {name!r}; there is only {names[0]!r}"
        super().__init__(message, value=name)
        self.name = name
        self.known = names

    def __str__(self) -> str:
        """Return the message itself (``KeyError`` would put quotes around it)."""
        return str(self.args[0])


class UnknownArgumentError(InvalidOptionError, TypeError):
    """A call with an argument that the function does not have, or without one that it needs; the message says which."""


class OutputError(MetaevalError, OSError):
    """The result cannot be written: a full disk, a limit on file sizes, a closed output, another process."""


class EstimationError(MetaevalError):
    """The data are valid, but the quantity cannot be estimated from them."""


def in_short(message: str) -> str:
    """Return a message of at most 600 characters: what is left out is in the middle, where values are quoted.

    Examples
    --------
    >>> len(in_short("a rule" * 1000)), in_short("a rule")
    (600, 'a rule')
    """
    return message if len(message) <= LONGEST else f"{message[: LONGEST - _END - 3]} … {message[-_END:]}"


def warn(message: str, kind: type[Warning] = MetaevalWarning) -> None:
    """Warn at the line outside the package that led to it."""
    warnings.warn(message, kind, skip_file_prefixes=(_PACKAGE,))


def closest_names(name: str, known: Iterable[str], *, n: int = 3) -> list[str]:
    """Return up to `n` of the first ten thousand known names that look like `name`, nearest first, ignoring case.

    Examples
    --------
    >>> closest_names("wilcoxn", ["t", "wilcoxon", "sign"])
    ['wilcoxon']
    """
    folded = {candidate.casefold(): candidate for candidate in islice(known, _MOST_COMPARED)}
    alike = [candidate for candidate in folded.values() if spelling(candidate) == spelling(name)]
    near = [folded[key] for key in difflib.get_close_matches(name.casefold(), folded, n=n, cutoff=0.6)]
    return list(dict.fromkeys([*alike, *near]))[:n]


def spelling(name: str) -> str:
    """Return a name without what differs where one name is written in two ways.

    Case, blanks around it, zeros before a whole number and a point with zeros behind one.

    Examples
    --------
    >>> [spelling(name) for name in ("BM25", " run007", "301.0", "0301", "1.10", "v1.0.2")]
    ['bm25', 'run7', '301', '301', '1.10', 'v1.0.2']
    """
    text = re.sub(r"(?<![\d.])0+(?=\d)", "", name.strip().casefold())
    return re.sub(r"^(\d+)\.0+$", r"\1", text)
