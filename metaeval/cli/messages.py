"""Messages of the library in the words of the command line: ``--order rank`` for ``order='rank'`` in backticks.

The library writes arguments of its functions in backticks. `in_options` puts the options of the running command in
their place; each option's own declaration says what it stands for (`metaeval.cli.options.Option`).
"""

import ast
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from metaeval.base.names import comma_list
from metaeval.base.vocabulary import IN_PYTHON

_SPAN = re.compile(r"(?<![`'\"\w])`([^`]+)`(?![`'\"\w])")
"""Code, but no name that a message quotes."""
_CALL = re.compile(r"(?P<name>\w+)\(scores, (?P<value>'[^']*')\)|(?P<function>\w+)\((?P<argument>\w+)=\.\.\.\)")
"""A function of scores for which an option stands, or an argument of a function where others have one of its name."""
_INSTEAD = re.compile(r",? or (?:pass |use |leave out )?(`[^`]+`)(?: [^,;.`]*)?(?=[,;.)]|$)")
"""A way out beside others."""
_OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("the options of the running command, by argument")


@contextmanager
def speaking_in_options(arguments: Mapping[str, str]) -> Iterator[None]:
    """Make `in_options` know, inside the block, the arguments that options of the running command stand for."""
    token = _OPTIONS.set(arguments)
    try:
        yield
    finally:
        _OPTIONS.reset(token)


def in_options(message: str) -> str:
    """Return a message of the library in the words of the command that runs, and as it is where none does.

    Examples
    --------
    >>> with speaking_in_options({"missing": "--missing", "with_clusters": "--clusters"}):
    ...     print(in_options("pass `missing='zero'` or `'drop-topics'`, but not AP(rel=2)"))
    ...     print(in_options("take the means (`with_clusters(scores, 'means')`)"))
    pass --missing zero or drop-topics, but not AP(rel=2)
    take the means (--clusters means)
    >>> with speaking_in_options({"where": "--where"}):
    ...     print(in_options("pass `where={'judge': '!=ann'}`"))
    pass --where 'judge!=ann'
    >>> with speaking_in_options({"higher_is_better": "--higher-is-better", "lower_is_better": "--lower-is-better"}):
    ...     print(in_options("pass `higher_is_better={'MQM': False}`"))
    pass --lower-is-better MQM
    """
    options, foreign = _OPTIONS.get({}), list[str]()

    def is_foreign(span: str) -> bool:
        _SPAN.sub(words, span)
        any_foreign = bool(foreign)
        foreign.clear()
        return any_foreign

    def words(span: re.Match[str]) -> str:
        call = _CALL.fullmatch(span[1])
        if call and call["function"]:
            name = f"{call['function']}.{call['argument']}"
            return options.get(name, call["argument"])
        name, _, text = (call["name"], "", call["value"]) if call else span[1].partition("=")
        if not name.isidentifier():  # a value alone, or code of another kind
            text = span[1]
        try:
            value = ast.literal_eval(text) if text else True
            return _option(name, value, options) if name.isidentifier() else _text(value)
        except KeyError:
            foreign.append(f"`{name}`")
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            pass
        return span[0]

    if options:
        message = message.replace(IN_PYTHON, "")
        message = _INSTEAD.sub(lambda clause: "" if is_foreign(clause[1]) else clause[0], message)
    worded = _SPAN.sub(words, message) if options else message
    verb = "are arguments" if len(set(foreign)) > 1 else "is an argument"
    note = f" ({' and '.join(dict.fromkeys(foreign))} {verb} in Python; this command has no such option)"
    return worded + note if foreign and not worded.endswith(note) else worded


def error_in_options(error: Exception, more: str = "") -> str:
    """Return what an error says, and `more`, in the words of the command; the name of its file stays as it is."""
    message, path = str(error) + more, str(getattr(error, "path", None) or "")
    prefix = path if message.startswith((f"{path}: ", f"{path}, line ")) else ""
    return prefix + in_options(message.removeprefix(prefix))


def _option(name: str, value: object, options: Mapping[str, str]) -> str:
    """Return the option for an argument with its value; a mapping has one for each of its parts."""
    if isinstance(value, dict) and any(f"{name}.{key}" in options for key in value):  # columns, by name or number
        several = {key: setting if isinstance(setting, list) else [setting] for key, setting in value.items()}
        named = [(key, setting) for key, listed in several.items() for setting in listed]
        header = [options["no_header"]] if any(type(setting) is int for _, setting in named) else []
        return " ".join([*header, *(f"{options[f'{name}.{key}']} {_text(setting)}" for key, setting in named)])
    if name == "higher_is_better" and isinstance(value, dict):  # an option for either direction
        named_ways = ((options[name if rises else "lower_is_better"], metric) for metric, rises in value.items())
        return " ".join(f"{option} {_text(metric)}" for option, metric in named_ways)
    if isinstance(value, dict):
        signs = ("!=", "<", ">") if name == "where" else ()  # each in the place of the sign of equality
        words = (
            key if setting is True else f"{key}{setting}" if f"{setting}".startswith(signs) else f"{key}={setting}"
            for key, setting in value.items()
        )
        return " ".join(f"{options[name]} {_text(word)}" for word in words)
    if isinstance(value, bool):
        return options[name if value else f"no_{name}"]
    return f"{options[name]} {_text(value)}"


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return _text(comma_list(map(str, value)))
    return "…" if value is ... else "none" if value is None else shlex.quote(str(value))
