"""Chapters of public names that live in other folders too (lazy_loader knows one's own alone)."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

_NAMED = re.compile(r"^from (\S+) import (?:\(\s*)?(\w+) as", re.MULTILINE)


def chapter(name: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a module whose names stand in the stub beside it."""
    stub = Path(file).with_suffix(".pyi").read_text("utf-8")
    modules = {exported: module for module, exported in _NAMED.findall(stub)}
    exported = sorted(modules)

    def find(attribute: str) -> object:
        if attribute not in modules:
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        value = getattr(import_module(modules[attribute], name), attribute)
        setattr(sys.modules[name], attribute, value)  # before a module of the same name, which was just imported
        return value

    return find, lambda: exported, exported
