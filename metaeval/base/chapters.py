"""Chapters: names that are loaded when they are asked for, old names among them, and functions that know others'."""

import re
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

from metaeval.base.notes import HEARD

_NAMED = re.compile(r"^from (\S+) import (?:\(\s*)?(\w+) as", re.MULTILINE)

_CALLED: dict[Callable[..., Any], Callable[..., Any]] = {}
"""What a public function is called by: the same in every chapter that has it."""


def chapter(name: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module whose names stand in the stub beside it."""
    stub = Path(file).with_suffix(".pyi").read_text("utf-8")
    modules = {exported: module for module, exported in _NAMED.findall(stub)}
    exported = sorted(modules)

    def find(attribute: str) -> object:
        known = attribute if attribute in modules else _late("vocabulary").name_now(name, attribute, modules)
        if modules[known] == ".":
            return import_module(f"{name}.{known}")
        value = getattr(import_module(modules[known], name), known)
        if isfunction(value):
            value = _CALLED.get(value) or _CALLED.setdefault(value, _called(value, name))
        if known == attribute:
            setattr(sys.modules[name], known, value)  # before a module of the same name, which was just imported
        return value

    return find, lambda: exported, exported


def _called(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that understands, or explains, a call that Python would refuse."""

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the function takes and returns
        before = HEARD.set([])
        try:
            try:
                answer = function(*given, **named)
            except TypeError:
                if _fits(function, given, named):
                    raise  # of the work, not of the call
                answer = function(*given, **_late("vocabulary").understood(function, given, named))
            heard = HEARD.get()
            return _late("results").with_notes(answer, heard) if heard else answer
        finally:
            HEARD.reset(before)

    call.__module__ = name  # where pickle finds it
    return call


def _fits(function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    try:
        signature(function).bind(*given, **named)
    except TypeError:
        return False
    return True


def _late(module: str) -> Any:  # noqa: ANN401 - a module
    return import_module(f"metaeval.base.{module}")  # loaded where it is needed alone: numpy is slow to import
