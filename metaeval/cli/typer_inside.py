"""What typer does not document, and might rename: used from here alone (tests/test_borrowed_names.py)."""

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException
from typer.models import OptionInfo

__all__ = [
    "USAGE_ERROR",
    "OptionInfo",
    "TyperCommand",
    "TyperException",
    "TyperGroup",
    "TyperOption",
    "declaration",
    "described_like",
]

USAGE_ERROR: Any = typer.BadParameter.__mro__[1]
"""What typer raises for an option that there is not."""


def declaration(parameter: Any) -> Any:  # noqa: ANN401 - typer's
    """Return what a parameter of a command was declared by."""
    return parameter.type_descriptor.parameter_info


def described_like(option: Any) -> dict[str, Any]:  # noqa: ANN401 - typer's
    """Return what an option that is made by hand must be told of its type: that of another one."""
    return {"type_descriptor": option.type_descriptor}
