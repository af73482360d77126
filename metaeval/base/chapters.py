"""Chapters: names that are loaded when they are asked for, old names among them, and functions that know others'."""

import re
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import getdoc, isfunction, signature, unwrap
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from metaeval.base.columns import READING
from metaeval.base.notes import HEARD

_NAMED = re.compile(r"^from (\S+) import (?:\(\s*)?(\w+) as", re.MULTILINE)

_SEVERAL = re.compile(r"(?!str \|)(?:.* \| )?(?:[\w.]+\.)?Sequence\[(?:str|[\w.]*Literal\[[^\]]*\])\](?: \| None)?")

_DOORS = {"scores": (), "collection": (), "labels": ("Labels", "JudgeInput"), "votes": ("Votes",), "table": ("Labels",)}
"""First arguments that may be as they come, and the classes that are not."""
_CALLED: dict[Callable[..., Any], Callable[..., Any]] = {}
"""What a public function is called by: the same in every chapter that has it."""


def chapter(name: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module whose names stand in the stub beside it."""
    stub = Path(file).with_suffix(".pyi").read_text("utf-8")
    modules = {exported: module for module, exported in _NAMED.findall(stub)}
    exported = sorted(modules)

    def find(attribute: str) -> object:
        current = attribute if attribute in modules else _late("vocabulary").name_now(name, attribute, modules)
        if modules[current] == ".":
            return import_module(f"{name}.{current}")
        value = getattr(import_module(modules[current], name), current)
        if isfunction(value):
            value = _CALLED.get(value) or _CALLED.setdefault(value, _called(value, name))
        if current == attribute:
            setattr(sys.modules[name], current, value)  # before a module of the same name, which was just imported
        return value

    return find, lambda: exported, exported


def _called(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that understands, or explains, a call that Python would refuse."""
    named_first, places = _door(function)
    several = _lists(function)

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the function takes and returns
        before = HEARD.set([])
        named |= {name: (named[name],) for name in several if isinstance(named.get(name), str)}
        try:
            if named_first and _raw(named_first, places, given, named):
                given, named = import_module("metaeval.studies.in_memory").taken_in_memory(function, given, named)
            try:
                answer = function(*given, **named)
            except TypeError:
                if _fits(function, given, named):
                    raise  # of the work, not of the call
                answer = function(*given, **_late("vocabulary").understood(function, given, named))
            heard = HEARD.get()
            return _late("results").with_notes(answer, heard) if heard else answer
        except Exception as error:
            _late("vocabulary").speak_of_arguments(function, error)
            raise
        finally:
            HEARD.reset(before)

    call.__module__ = name  # where pickle finds it
    call.__doc__ = _with_columns(function)
    return call


def _with_columns(function: Callable[..., Any]) -> str | None:
    """Return a docstring with the columns that tables have to which its Returns refer, as `PairwiseResult.to_frame`."""
    head, title, sections = (getdoc(function) or "").partition("\n\nReturns\n-------\n")
    returns, *after = re.split(r"(?=\n\n\w[\w ]*\n-+\n)", sections, maxsplit=1)
    owners = dict.fromkeys(re.findall(r"`(?:[\w.]+\.)?(\w+)\.to_frame`", returns))
    for owner in owners:
        told = getdoc(getattr(unwrap(function).__globals__.get(owner), "to_frame", None)) or ""
        first, *further = re.split(r"\n\n(?=\w[\w ]*\n-+\n)", told)
        returned = next((section.split("\n", 3)[3] for section in further if section.startswith("Returns\n")), "")
        columns = "\n\n".join(filter(None, [first, dedent(returned)]))
        if columns and columns not in returns:
            returns += "\n\n" + indent(f"``{owner}.to_frame()`` has {columns.removeprefix('Return ')}", "    ")
    return head + title + returns + "".join(after) if owners else function.__doc__


def _lists(function: Callable[..., Any]) -> list[str]:
    """Return the arguments that take several names, of which one may be given alone."""
    annotations = {name: str(parameter.annotation) for name, parameter in signature(function).parameters.items()}
    return [name for name, annotation in annotations.items() if _SEVERAL.fullmatch(annotation)]


def _door(function: Callable[..., Any]) -> tuple[str, int]:
    """Return which kind of data a function takes first, if others can be made that, and how many arguments by place."""
    parameters = list(signature(function).parameters.values())
    places = sum(parameter.kind == parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    first = parameters[0] if parameters else None
    other = {"labels": "Labels", "table": "object"}  # what else is called so is no data of judges
    if first is None or other.get(first.name, "") not in str(first.annotation):
        return "", places
    return first.name if first.name in _DOORS else "", places


def _raw(kind: str, places: int, given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Say whether a call hands over runs with judgments, or labels as they come."""
    data = given[0] if given else named.get(kind, named.get("runs") if "qrels" in named else None)
    if data is None or kind == "labels":
        return data is not None and type(data).__name__ not in _DOORS["labels"]
    if kind in {"votes", "table"}:
        return not READING.isdisjoint(named) and type(data).__name__ not in _DOORS[kind]
    if kind == "collection":
        return not hasattr(data, "by_document")
    return "qrels" in named or len(given) > places or type(data) is tuple


def _fits(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    try:
        signature(function).bind(*given, **named)
    except TypeError:
        return False
    return True


def _late(module: str) -> Any:  # noqa: ANN401 - a module
    return import_module(f"metaeval.base.{module}")  # loaded where it is needed alone: numpy is slow to import
