"""Can this metric be trusted? Discriminative power, error rates, topic counts and agreement of evaluation metrics."""

from typing import Any

import lazy_loader

_named, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module, a class or a function
    if name != "__version__":
        return _named(name)
    from importlib.metadata import version  # noqa: PLC0415 - only here

    return version("metaeval")
