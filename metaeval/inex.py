"""XML retrieval as INEX did it: submissions, assessments, elements, passages, and how they were judged.

A chapter of names that live where their kind lives; each is loaded when it is first asked for. They stand once, in
``inex.pyi`` beside this file.
"""

import re
from importlib import import_module
from pathlib import Path

_MODULE = {
    name: module
    for module, name in re.findall(
        r"from (\S+) import (?:\(\s*)?(\w+) as", Path(__file__).with_suffix(".pyi").read_text("utf-8")
    )
}

__all__ = sorted(_MODULE)  # noqa: PLE0605 - the names of the stub


def __getattr__(name: str) -> object:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE[name]), name)


def __dir__() -> list[str]:
    return __all__
