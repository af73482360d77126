"""Can this metric be trusted? Discriminative power, error rates, topic counts and agreement of evaluation metrics."""

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)] in {"metaeval", "-mmetaeval"} and not sys.flags.safe_path:
    # Python looks for the program in the folder one is in, before all others: nothing else is to be found there
    sys.path.append(sys.path.pop(0))
    if f"{sys.path[-1]}/metaeval" != __path__[0]:  # else a checkout that is not installed
        sys.path.pop()

from typing import Any

import lazy_loader

_named, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module, a class or a function
    if name != "__version__":
        return _named(name)
    from importlib.metadata import version  # noqa: PLC0415 - only here

    return version("metaeval")
