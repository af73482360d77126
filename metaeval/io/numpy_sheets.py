"""Arrays as NumPy writes them (.npy, .npz), as the table that they are where their names say what is in them."""

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from metaeval.base.names import first_few, shortened
from metaeval.errors import FileFormatError
from metaeval.io.benchmarks.contents import ZIP_MAGIC, Archive
from metaeval.io.sheets import Sheet, sheet_of_rows
from metaeval.table.roles import part_of_word

ARRAY_MAGIC, _ENDING, _UNNAMED = b"\x93NUMPY", ".npy", "arr_"
_AXES = 2
type Arrays = Mapping[str, NDArray[Any]]


def numpy_sheet(content: bytes, label: str) -> Sheet | None:
    """Return columns of one length, or scores by system and item with the names of both; None for other files.

    Examples
    --------
    >>> written = io.BytesIO()
    >>> np.savez(written, scores=[[0.5, 1, 1], [0.25, 0, 1]], systems=["a", "b"])
    >>> list(numpy_sheet(written.getvalue(), "x.npz").rows())
    [['item', 'a', 'b'], ['1', '0.5', '0.25'], ['2', '1.0', '0.0'], ['3', '1.0', '1.0']]
    """
    arrays = _arrays(content, label)
    if arrays is None:
        return None
    columns = _columns(arrays) or _by_system(arrays)
    if columns is None:
        shapes = first_few([f"{shortened(name)} {' x '.join(map(str, array.shape))}" for name, array in arrays.items()])
        message = (
            f"these are arrays of NumPy ({shapes or 'none'}) that do not say which axis holds systems, and what those "
            "are called; write each under its name, numpy.savez('scores.npz', a=scores[0], b=scores[1]), or in Python "
            "metaeval.look(scores) reads an array with a row a system"
        )
        raise FileFormatError(message, path=label)
    return sheet_of_rows(label, [*columns], [(None, row) for row in zip(*map(_texts, columns.values()), strict=True)])


def _arrays(content: bytes, label: str) -> Arrays | None:
    if content.startswith(ARRAY_MAGIC):
        return {"the array": _array(content, label)}
    if not content.startswith(ZIP_MAGIC):
        return None
    archive = Archive(content, label)
    if not archive.names or not all(name.endswith(_ENDING) for name in archive.names):
        return None
    return {name.removesuffix(_ENDING): _array(archive.member(name), f"{label} ({name})") for name in archive.names}


def _array(content: bytes, label: str) -> NDArray[Any]:
    """Return an array of numbers or texts; one larger than its bytes, or of pickled objects, is refused."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read_header(stream)
        stream.seek(0)
        is_whole = not kind.hasobject and math.prod(shape) * kind.itemsize <= len(content)
        array = np.lib.format.read_array(stream, allow_pickle=False) if is_whole else None
    except (ValueError, EOFError, SyntaxError, TypeError) as error:
        raise FileFormatError(f"the array cannot be read ({shortened(error)}); write it again", path=label) from error
    if array is None:
        objects = "holds Python objects, which are not opened; save numbers and texts (dtype float or str)"
        raise FileFormatError(f"the array {objects if kind.hasobject else 'is cut short; write it again'}", path=label)
    return array


def _columns(arrays: Arrays) -> Arrays | None:
    """Return the columns of a structured array, or named ones of one length."""
    first = next(iter(arrays.values()), np.empty(()))
    if len(arrays) == 1 and first.dtype.names and first.ndim == 1:
        rows = cast("NDArray[np.void]", first)
        return {name: rows[name] for name in first.dtype.names}
    are_columns = len({array.shape for array in arrays.values()}) == 1 and first.ndim == 1 and len(arrays) > 1
    return arrays if are_columns and not any(name.startswith(_UNNAMED) for name in arrays) else None


def _by_system(arrays: Arrays) -> Arrays | None:
    """Return the scores of each system by item, where one array has two axes and others name what stands on them."""
    grids = [array for array in arrays.values() if array.ndim == _AXES and array.dtype.kind in "fiub"]
    names = {_part(name): array for name, array in arrays.items() if array.ndim == 1}
    systems, items = (names.get(role) for role in ("system", "topic"))
    if len(grids) != 1 or systems is None or 1 + len(names) != len(arrays) or not {*names} <= {"system", "topic"}:
        return None
    grid = grids[0] if grids[0].shape[0] == len(systems) else grids[0].T
    items = np.arange(1, grid.shape[1] + 1) if items is None else items
    is_open = grid.shape[0] == grid.shape[1]  # either axis may be that of systems
    if grid.shape != (len(systems), len(items)) or is_open:
        return None
    return {"item": items, **dict(zip(_texts(systems), grid, strict=True))}


def _part(name: str) -> str:
    """Return what names of things are names of: systems, models, queries."""
    singular = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s").removesuffix("_name")
    return part_of_word(singular) or part_of_word(name) or name


def _texts(array: NDArray[Any]) -> Sequence[str]:
    values = array.tolist()
    return [value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in values]
