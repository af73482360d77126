"""What installed packages add to the tables of metaeval, by entry point: named without being loaded."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metaeval.base.faults import fault
from metaeval.base.names import shortened
from metaeval.errors import InvalidOptionError, MetaevalWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class PluginWarning(MetaevalWarning):
    """A plug-in that could not be loaded, or that brings a name which is taken."""


class Plugin(NamedTuple):
    """What an installed package adds under a name."""

    name: str
    package: str
    """The package and its version, as sentences call it."""
    origin: str
    """The entry point, as its author wrote it."""
    point: "EntryPoint"

    def imported(self) -> Any:  # noqa: ANN401 - whatever the author wrote
        """Import what was named; raise an `InvalidOptionError` that says where the author's code went wrong."""
        try:
            return self.point.load()
        except (Exception, SystemExit) as error:
            raise InvalidOptionError(f"{self.origin} could not be loaded: {fault(error)}") from error


def installed(group: str) -> list[Plugin]:
    """Return what installed packages name in a group of entry points, in the order of names; nothing is imported.

    Examples
    --------
    >>> installed("metaeval.of_nobody")
    []
    """
    from importlib import metadata  # noqa: PLC0415 - slow, and asked for only where names are looked up

    plugins = []
    for point in sorted(metadata.entry_points(group=group), key=lambda point: (point.name, point.value)):
        by = f" of {point.dist.name}" if point.dist else ""
        package = f"{point.dist.name} {point.dist.version}" if point.dist else point.module
        plugins.append(Plugin(point.name, package, f"entry point {point.name} = {point.value}{by}", point))
    return plugins


def number_given(value: object) -> float | None:
    """Return what a plug-in's function gave as a number; None for anything that only looks like one.

    Examples
    --------
    >>> number_given(np.float64(0.5)), number_given("0.5"), number_given(np.array([0.5]))
    (0.5, None, None)
    """
    if isinstance(value, np.ndarray | np.generic) and (value.ndim or value.dtype.kind not in "biuf"):
        return None
    if getattr(value, "shape", ()) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        return None
    try:
        return float(value)  # type: ignore[arg-type]  # it has one of the two methods
    except (TypeError, ValueError, OverflowError):
        return None


def as_given(value: object) -> str:
    """Return what a plug-in gave in one line, as Python writes it.

    Examples
    --------
    >>> as_given([1.5, None]), as_given("a" * 100)[-18:]
    ('[1.5, None]', '… (102 characters)')
    """
    return shortened(" ".join(repr(value).split()))
