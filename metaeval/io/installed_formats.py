"""Formats of score tables that installed packages read, each told by the ending of a file's name."""

from collections.abc import Mapping
from functools import cache
from itertools import repeat
from pathlib import Path

import pandas as pd

from metaeval.base.faults import fault
from metaeval.base.plugins import Plugin, PluginWarning, installed
from metaeval.errors import FileFormatError, InvalidOptionError, warn
from metaeval.io.files import PLAIN_SUFFIXES
from metaeval.io.sheets import Sheet, sheet_of_rows
from metaeval.io.unpacking import COMPRESSIONS

_OURS = PLAIN_SUFFIXES | {*COMPRESSIONS, "", ".zip", ".xml", ".toml", ".ndjson"}
"""Endings that no package can take; of a file with one of these no package is looked for."""


@cache
def _formats() -> Mapping[str, Plugin]:
    formats: dict[str, Plugin] = {}
    for plugin in installed("metaeval.formats"):
        ending = f".{plugin.name.casefold().lstrip('.')}"
        if ending in _OURS or ending in formats:
            by = formats[ending].origin if ending in formats else "metaeval"
            warn(f"{plugin.origin} is left out: files that end in {ending} are read by {by}", PluginWarning)
        else:
            formats[ending] = plugin
    return formats


def installed_format(path: str) -> Plugin | None:
    """Return what an installed package names in the entry points ``metaeval.formats`` for files with this ending.

    Examples
    --------
    >>> installed_format("scores.csv.gz") is None
    True
    """
    endings = [suffix for suffix in Path(path.casefold()).suffixes if suffix not in COMPRESSIONS]
    ending = endings[-1] if endings else ""
    return None if ending in _OURS else _formats().get(ending)


def sheet_of_format(plugin: Plugin, content: bytes, path: str) -> Sheet:
    """Return the long table that the function of a package makes of the content of a file.

    The function takes bytes, unpacked, and returns a DataFrame, or anything that pandas makes one of.
    """
    told = f"the reader {plugin.name} of {plugin.package}"
    try:
        table = pd.DataFrame(plugin.imported()(content))
    except InvalidOptionError as error:
        raise FileFormatError(str(error), path=path) from error
    except Exception as error:
        raise FileFormatError(f"{told} stopped: {fault(error)}", path=path) from error
    names = [str(name) for name in table.columns]
    if table.empty or len(set(names)) < len(names):
        message = (
            f"{told} gave {len(table)} rows with the columns {names!r:.120}; a row a system, topic and metric was due"
        )
        raise FileFormatError(message, path=path)
    cells = table.astype(str).mask(table.isna(), "").to_numpy().tolist()
    return sheet_of_rows(path, names, zip(repeat(None), cells, strict=False))
