"""What a call meant: old names of functions and arguments, words of other libraries, and what to write instead."""

import ast
import inspect
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from metaeval.base.names import first_few
from metaeval.errors import MetaevalError, UnknownArgumentError, closest_names, warn

_DATA = "scores"
_LONG = 100
_HIGHER, _LOWER = "higher_is_better", "lower_is_better"
IN_PYTHON = " to as_scores"
"""Where an argument goes that a study has not; on the command line every command has its option."""
_SPAN = re.compile(r"(?<![`'\"\w])`([^`]+)`(?![`'\"\w])")
"""Code, but no name that a message quotes."""


@cache
def vocabulary() -> Mapping[str, Mapping[str, Any]]:
    """Return the words by what is said of them, as ``vocabulary.toml`` has them."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def name_now(module: str, old: str, known: Collection[str]) -> str:
    """Return what a public name became, with a warning; without one there is no such name.

    Examples
    --------
    >>> name_now("metaeval", "nothing", ["score"])
    Traceback (most recent call last):
    AttributeError: module 'metaeval' has no attribute 'nothing'
    """
    now = vocabulary()["names"].get(old, "")
    if now not in known:
        here = [ours for ours, others in vocabulary()["functions"].items() if old in others.split() and ours in known]
        way = f"; it is called {here[0]} here" if here else ""
        raise AttributeError(f"module {module!r} has no attribute {old!r}{way}", name=old, obj=import_module(module))
    warn(f"{module}.{old} is called {now} now; the old name goes with version 1.0", DeprecationWarning)
    return now


def understood(function: Callable[..., Any], given: Sequence[object], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the named arguments of a call under the names of today, or say what is wrong with it."""
    parameters = inspect.signature(function).parameters
    meant: dict[str, Any] = {}
    for name, value in named.items():
        now = name if name in parameters else _argument_now(function, name, parameters, value)
        if now in meant or (now != name and now in named):
            message = f"{function.__name__}() was given `{now}` twice, once as `{name}`"
            raise UnknownArgumentError(message, argument=name)
        meant[now] = value
    _check_given(function, given, meant)
    return meant


def _argument_now(function: Callable[..., Any], name: str, known: Mapping[str, object], value: object) -> str:
    words = vocabulary()
    old, either = words["arguments"].get(name), words["either"].get(name)
    if old in known:
        message = f"`{name}` of {function.__name__}() is called `{old}` now; the old name goes with version 1.0"
        warn(message, DeprecationWarning)
        return str(old)
    if either in known:
        return str(either)
    labels = "labels" in known and name in words["judges"]["labels"].split() and not isinstance(value, str | None)
    advice = _of_two_judges(function, known) if labels else _advice(function, name, known, value)
    message = f"{function.__name__}() has no argument `{name}`{advice}"
    raise UnknownArgumentError(message, argument=name)


def _of_two_judges(function: Callable[..., Any], known: Collection[str]) -> str:
    """Return where the labels of two judges go, which others take as an argument each."""
    name, named = function.__name__, ""
    call = f"{name}({{'first': first, 'second': second}})"
    if "reference" in known:
        named = ", and `reference` is a name"
        call = f"{name}({{'first': first, 'second': second}}, reference='first')"
    return f"; what each judge said goes into `labels`, under the name of the judge{named}: {call}"


def _advice(function: Callable[..., Any], name: str, known: Mapping[str, object], value: object) -> str:
    """Return what to write instead of an argument that a function has not."""
    words = vocabulary()
    meanings = [ours for ours, others in words["others"].items() if name in others.split()]
    here = [f"`{ours}`" for ours in meanings if ours in known]
    way = _way_of_direction(name, value, meanings, known) or (f"it is called {' or '.join(here)} here" if here else "")
    if way := way or _way_of_data(name, value, meanings, known):
        return f"; {way}"
    for method in [words["results"][ours] for ours in [name, *meanings] if ours in words["results"]]:
        if hasattr(inspect.signature(function).return_annotation, method):
            return f"; {method}() of what it returns has it"
    if near := closest_names(name, known):
        return f"; did you mean {' or '.join(f'`{word}`' for word in near)}?"
    why = next((words["lacking"][ours] for ours in [name, *meanings] if ours in words["lacking"]), "")
    return f": {why}" if why else f"; it has {first_few([f'`{word}`' for word in known])}"


def _way_of_data(name: str, value: object, meanings: Sequence[str], known: Collection[str]) -> str:
    """Return what to do with the data before a function takes them; "" where nothing is known."""
    words = vocabulary()
    for data, ways in words["instead"].items():
        asked = next((ours for ours in [name, *meanings[:1]] if ours in ways), "")
        if data in known and asked:
            listed = list(value) if isinstance(value, list | tuple) else [value]
            return str(ways[asked]).replace("{}", repr(listed)[:_LONG])
    for data, maker in words["data"].items():
        theirs = [word for word in [name, *meanings] if word in inspect.signature(_function(maker)).parameters]
        if data in known and theirs:
            called = "" if theirs[0] == name else f", called `{theirs[0]}`"
            return f"metaeval.{maker}, which makes `{data}`, has it{called}"
    return ""


def _way_of_direction(name: str, value: object, meanings: Sequence[str], known: Collection[str]) -> str:
    """Return how to say here which way is better, where somebody said so under another name; "" where none did.

    Examples
    --------
    >>> _way_of_direction("lower_is_better", True, ["higher_is_better"], ["higher_is_better"])
    'it is called `higher_is_better` here: pass `higher_is_better=False`'
    >>> _way_of_direction("maximize", {"TER": False, "BLEU": True}, ["lower_is_better"], ["lower_is_better"])
    "it is called `lower_is_better` here: pass `lower_is_better=['TER']`"
    """
    ours = next((word for word in (_HIGHER, _LOWER) if word in meanings and word in known), "")
    if not ours and (_HIGHER not in meanings or _DATA not in known):
        return ""
    of_metrics = {str(metric): True for metric in [value] if isinstance(value, str)} or value
    of_metrics = (
        dict.fromkeys(map(str, of_metrics), True)
        if isinstance(of_metrics, list | tuple | set | frozenset)
        else of_metrics
    )
    rises = name not in {_LOWER, "minimize"}
    if isinstance(of_metrics, Mapping):
        by_metric = {str(metric): bool(better) is rises for metric, better in of_metrics.items()}
        listed = [metric for metric, higher in by_metric.items() if not higher]
        written = f"{ours}={listed!r}" if ours == _LOWER and listed else f"{_HIGHER}={by_metric!r}"
    else:
        by_metric, listed = {}, []
        written = f"{_HIGHER}={bool(of_metrics) is rises}"
    if ours == _LOWER and not listed:
        return f"`{ours}` lists the metrics where less is better"
    return f"it is called `{ours}` here: pass `{written}`" if ours else f"pass `as_scores({_DATA}, {written})`"


def _check_given(function: Callable[..., Any], given: Sequence[object], named: Mapping[str, object]) -> None:
    """Say which arguments are missing, given twice, or given without a name."""
    parameters = list(inspect.signature(function).parameters.values())
    places = [
        parameter.name
        for parameter in parameters
        if parameter.kind in {parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD}
    ]
    asked = f"{function.__name__}()"
    if len(given) > len(places) and not any(parameter.kind == parameter.VAR_POSITIONAL for parameter in parameters):
        raise UnknownArgumentError(
            f"{asked} {_too_many(function.__name__, given, places, [parameter.name for parameter in parameters])}"
        )
    twice = [name for name in places[: len(given)] if name in named]
    if twice:
        message = f"{asked} was given `{twice[0]}` twice, by its place and by its name"
        raise UnknownArgumentError(message, argument=twice[0])
    lacking = [
        parameter.name
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}
        and parameter.name not in {*places[: len(given)], *named}
    ]
    if lacking:
        makers = vocabulary()["data"]
        made = "".join(f"; metaeval.{makers[name]} makes `{name}`" for name in lacking if name in makers)
        message = f"{asked} needs {' and '.join(f'`{name}`' for name in lacking)}{made}"
        raise UnknownArgumentError(message, argument=lacking[0])


def _too_many(name: str, given: Sequence[object], places: Sequence[str], known: Sequence[str]) -> str:
    """Return what to do with arguments that have no place: two samples of scores, or options without names."""
    if places[:1] == [_DATA] and len(places) == 1 and not isinstance(given[1], str | int | float | None):
        if getattr(given[1], "ndim", 1) > 1:
            return "takes one table, `scores`; of two metrics {'first': first, 'second': second} is one"
        two = vocabulary()["two"].get(name, "")
        way = "{'A': a, 'B': b} is such a table" + f"; {two}" * bool(two)
        return f"takes one table of all systems, `scores`, instead of a list for each: {way}"
    options = [f"{name}=" for name in known if name not in places]
    takes = first_few([f"`{name}`" for name in places]) or "nothing"
    return f"takes {takes} without a name, and all others by name: {first_few(options)}"


def speak_of_arguments(function: Callable[..., Any], error: Exception) -> None:
    """Let an error of reading name what the caller can pass: arguments of the function, `as_scores` or a frame's own.

    Examples
    --------
    >>> import metaeval
    >>> error = metaeval.errors.ScoresError("pass `missing='zero'`, `columns={'topic': 'qid'}` or `n=1`")
    >>> speak_of_arguments(metaeval.study_table, error)
    >>> str(error)
    "pass `as_scores(scores, missing='zero')`, `frame.rename(columns={'qid': 'topic'})` or `n=1`"
    """
    parameters = inspect.signature(function).parameters
    if isinstance(error, MetaevalError) and error.args and next(iter(parameters), "") in {_DATA, "data"}:
        makers = inspect.signature(_function(vocabulary()["data"][_DATA])).parameters
        lacking = {*makers, "columns", "where"} - {*parameters, "data"}
        message = _SPAN.sub(lambda span: _as_call(span, lacking), str(error.args[0]).replace(IN_PYTHON, ""))
        error.args = (message, *error.args[1:])


def _as_call(span: re.Match[str], lacking: Collection[str]) -> str:
    if span[1].startswith("with_clusters("):
        return f"`metaeval.table.structure.{span[1]}`"
    name, equals, text = span[1].partition("=")
    if name not in lacking or not equals:
        return span[0]
    if name not in {"columns", "where"}:
        return f"`as_scores(scores, {span[1]})`"
    try:
        named = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return span[0]
    if name == "where":
        return "".join(f"`frame[frame[{column!r}] == {cell!r}]`" for column, cell in named.items())
    ignored = named.pop("ignore", [])
    renamed = {column: role for role, column in named.items()}
    return f"`frame.drop(columns={ignored!r})`" if ignored else f"`frame.rename(columns={renamed!r})`"


def _function(name: str) -> Callable[..., Any]:
    module, _, function = f"metaeval.{name}".rpartition(".")
    made: Callable[..., Any] = getattr(import_module(module), function)
    return made
