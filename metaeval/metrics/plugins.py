"""What plug-ins add to the metrics of the package: installed packages by entry points, and single files."""

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from metaeval.base.faults import fault
from metaeval.base.plugins import PluginWarning, installed
from metaeval.base.provenance import current_record
from metaeval.errors import InvalidOptionError, warn
from metaeval.metrics.builtin import BUILTIN
from metaeval.metrics.quantisation import Quantisation
from metaeval.metrics.registry import Registry, module_of
from metaeval.metrics.spec import MetricSpec

ENTRY_POINTS = "metaeval.metrics"
"""The entry-point group in which a package names its metrics and quantisations."""


def load_plugins(registry: Registry) -> Registry:
    """Return `registry` with the metrics of installed packages (entry-point group ``metaeval.metrics``).

    An entry point names a `MetricSpec`, a `Quantisation`, or a sequence of them. One that does not load, or brings a
    name that is taken, is named in a `PluginWarning` and left out; the others still work.

    Returns
    -------
    Registry
        Another registry: `registry` stays as it is. ``to_frame()`` as of `metaeval.default_registry`.

    Examples
    --------
    >>> "AP" in load_plugins(BUILTIN)
    True
    """
    for plugin in installed(ENTRY_POINTS):
        try:
            loaded = plugin.imported()
        except InvalidOptionError as error:  # a broken plug-in must not stop the others
            warn(str(error), PluginWarning)
            continue
        for item in (loaded,) if isinstance(loaded, MetricSpec | Quantisation) else _items(loaded):
            try:
                registry = registry.extend(item)
            except InvalidOptionError as error:
                warn(f"{plugin.origin} is left out: {error}", PluginWarning)
    return registry


def _items(loaded: object) -> tuple[Any, ...]:
    return tuple(loaded) if isinstance(loaded, Iterable) else (loaded,)


@lru_cache(maxsize=1)
def default_registry() -> Registry:
    """Return the registry of the built-in metrics and those of installed packages.

    Returns
    -------
    Registry
        One row a metric in ``to_frame()``: ``name``, ``usage`` (the name with its parameters), what it is computed
        ``on``, a ``summary``, ``higher_is_better``, ``low`` and ``high`` (its bounds), ``cite`` and ``source`` (key and
        text of the publication), and the ``module`` that defines it.

    Examples
    --------
    >>> default_registry().resolve("ndcg_cut_10").name
    'nDCG@10'
    """
    return load_plugins(BUILTIN)


def load_plugin(path: str | Path, *, sha256: str | None = None) -> tuple[MetricSpec | Quantisation, ...]:
    r"""Run a Python file and return the metrics and quantisations it defines, for ``registry.extend(*…)``.

    Parameters
    ----------
    path : path
        A ``.py`` file. It is executed, so it must be trusted like any program. What stands in the file is run, and
        never what Python has kept of it elsewhere (``__pycache__``).
    sha256 : str, optional
        The checksum that the file must have to be executed.

    Returns
    -------
    tuple of MetricSpec or Quantisation
        In the order of their definition; names that begin with an underscore are private.

    Raises
    ------
    InvalidOptionError
        If the file is not there, is not the one with the checksum, does not run, or defines nothing.

    See Also
    --------
    metaeval.metrics.spec.metric
    metaeval.metrics.plugins.default_registry

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "mine.py")
    >>> lines = ("from metaeval.metrics import metric", "@metric", "def nothing(topic): return 0.0")
    >>> _ = file.write_text("\n".join(lines))
    >>> [found.name for found in load_plugin(file)]
    ['nothing']
    """
    file = Path(path)
    if not file.is_file() or file.suffix != ".py":
        raise InvalidOptionError(f"plug-in {str(path)!r} must be a Python file (NAME.py) that exists")
    content = file.read_bytes()
    found_checksum = hashlib.sha256(content).hexdigest()
    if sha256 is not None and found_checksum != sha256:
        raise InvalidOptionError(
            f"plug-in {file} has the checksum {found_checksum}, not {sha256} (SHA-256), and was not run; read it, and "
            "give its new checksum if it is to run"
        )
    record = current_record()
    if record is not None:
        record.note(str(path), content)
    name = f"metaeval_plugin_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InvalidOptionError(f"plug-in {str(path)!r} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(compile(content, str(file), "exec"), vars(module))  # noqa: S102 - what a plug-in is for
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InvalidOptionError(f"plug-in {file} does not run: {fault(error)}") from error
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    items = dict.fromkeys(
        value for value in public.values() if isinstance(value, MetricSpec | Quantisation) and module_of(value) == name
    )
    if not items:
        raise InvalidOptionError(f"plug-in {file} defines no metric; decorate a function with @metaeval.metrics.metric")
    return tuple(items)
