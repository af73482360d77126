"""Messages of the library in the words of the command line: ``--order rank`` for ``order='rank'``.

The library speaks to people who call it from Python. What it says reaches people who typed a command through
`in_options`, which puts the options of that command in the place of the arguments; each option's own declaration says
which arguments it stands for (`metaeval.cli.options.Option`). Metrics keep their notation: in ``AP(rel=2)`` nothing is
an option.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

NOTATION = frozenset({
    "a", "alpha", "compat", "gains", "judged_only", "k", "max_level", "min_size", "mode", "name", "normalise", "p",
    "quant", "rel", "step", "task", "tie", "function", "graded", "higher_is_better", "ideal", "kernel", "real_grades",
    "without_relevant",
})  # fmt: skip
"""Words before "=" that a metric's name, or its definition in a plug-in, may hold: no arguments of the library."""

PYTHON_ONLY = frozenset({
    "adaptive_rate", "aggregates", "bounds", "collection", "duplicates", "families", "few",
    "fewest_items", "judges", "metric", "of", "form", "header", "method", "nesting",
    "p_value_rule", "paths", "pool_share", "rate", "reciprocal_rank_share", "relevant", "replace", "retrieved",
    "simultaneous", "size", "split_tags", "systems", "ties", "topics", "weights", "zero_method",
})  # fmt: skip
"""Arguments that no command offers, whatever its options are called."""

_PHRASES: Mapping[str, str] = MappingProxyType(
    {
        "select(systems=…)": "naming the other runs only",
        "(with_groups, --groups)": "(--groups)",
        "element sizes (sizes=)": "--element-sizes",
        "header=False": "--no-header",
        "keep fewer systems with metaeval.choose_data": "keep fewer with --system-list or --exclude-systems",
    }
)

_COLUMNS = {"topic": "item_column", "score": "value_column"}
"""Options for columns that are not called like the part that a column plays."""
_COLUMN = re.compile(r"'([a-z_]+)': (?:('[^']*'|…)|(\[[^\[\]]*\])|([0-9]+|None))")
_VALUE = r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|\[[^\[\]]*\]|[\w.+-]*[\w]|"
_PATTERN = re.compile(
    r"(?P<call>\w'?\([^()]*=[^()]*\))"  # a metric with its parameters
    rf"|(?<![\w'-])(?P<name>[a-z_]+)=(?P<value>{_VALUE})(?P<others>(?:(?:, | or )'[\w-]+')*)"
    r"|(?<![\w'.-])(?P<bare>[a-z]+_[a-z_]+)(?![\w'=(-])"  # an argument without a value, as in "n_resamples must"
)

type Elsewhere = Callable[[], Collection[str]]

_NOTHING: tuple[Mapping[str, str], Elsewhere] = ({}, frozenset)
_SPEECH: ContextVar[tuple[Mapping[str, str], Elsewhere]] = ContextVar("what the running command takes")


@contextmanager
def speaking_of(arguments: Mapping[str, str], elsewhere: Elsewhere) -> Iterator[None]:
    """Make `in_options` know, inside the block, what the command that runs takes; see its parameters."""
    token = _SPEECH.set((arguments, elsewhere))
    try:
        yield
    finally:
        _SPEECH.reset(token)


def in_options(message: str, arguments: Mapping[str, str] | None = None, elsewhere: Elsewhere = frozenset) -> str:
    """Return a message of the library in the words of the command that runs.

    Examples
    --------
    >>> in_options("the rank appears twice; with order='rank' ranks must be unique", {"order": "--order"})
    'the rank appears twice; with --order rank ranks must be unique'
    >>> in_options("pass missing='zero', 'drop-systems' or 'drop-topics'", {"missing": "--missing"})
    'pass --missing zero, drop-systems or drop-topics'
    >>> in_options("n_resamples must be at least 1, not 0; see AP(rel=2)", {"n_resamples": "--resamples"})
    '--resamples must be at least 1, not 0; see AP(rel=2)'
    """
    if arguments is None:
        arguments, elsewhere = _SPEECH.get(_NOTHING)
    if not arguments:
        return message
    options = set(arguments.values())
    foreign: list[str] = []

    def translated(match: re.Match[str]) -> str:
        name = match["name"] or match["bare"] or ""
        if name == "columns" and (words := _columns(match["value"] or "", arguments)):
            return words
        option = None if name in PYTHON_ONLY else arguments.get(name)
        if option is None:
            if match["name"] and name not in NOTATION and (name in PYTHON_ONLY or name in elsewhere()):
                foreign.append(f"{name}=")
            return match[0]
        value = match["value"] if match["value"] != "True" else ""
        return f"{option} {_unquoted(value or '')}".rstrip() + (match["others"] or "").replace("'", "")

    for phrase, words in _PHRASES.items():
        message = message.replace(phrase, words) if "--" not in words or words.split()[-1] in options else message
    first = re.match(r"([a-z_]+)(?= must |: )", message)  # one word, as in "alpha must lie between 0 and 1"
    if first and first[1] in arguments:
        message = arguments[first[1]] + message.removeprefix(first[1])
    message = _once(_PATTERN.sub(translated, message), options)
    if foreign:
        verb = "are arguments" if len(set(foreign)) > 1 else "is an argument"
        message = (
            f"{message} ({' and '.join(dict.fromkeys(foreign))} {verb} in Python; this command has no such option)"
        )
    return message


def _columns(value: str, arguments: Mapping[str, str]) -> str:
    """Return ``{'topic': 'doc'}`` as the options that name columns; "" where one of them has none."""
    words, counted = [], False
    for part, quoted, several, number in _COLUMN.findall(value):
        option = arguments.get(_COLUMNS.get(part, f"{part}_column"))
        if option is None:
            return ""
        names = re.findall(r"'[^']*'|…", several) if several else [quoted or number]
        words += [f"{option} {_unquoted('none' if name == 'None' else name)}" for name in names]
        counted = counted or number.isdecimal()
    return " ".join([*["--no-header"] * counted, *words])


def error_in_options(error: Exception, more: str = "") -> str:
    """Return what an error says, and `more`, in the words of the command; the name of its file stays as it is."""
    message, path = str(error) + more, str(getattr(error, "path", None) or "")
    place = path if message.startswith((f"{path}: ", f"{path}, line ")) else ""
    return place + in_options(message.removeprefix(place))


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in ("'", '"', "[") else value


def _once(message: str, options: set[str]) -> str:
    """Say an option once where the library named both the argument and the option beside it."""
    for option in options:
        one = re.escape(option)
        message = re.sub(rf"{one} \({one}( [A-Z]+)?\)", rf"{option}\1", message)
        message = re.sub(rf"\({one}, {one}( [A-Z]+)?\)", rf"({option}\1)", message)
    return message
