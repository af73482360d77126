"""Rows on one system and item that another column distinguishes: repeats of a score, or items named by two columns."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from metaeval.base.names import is_number
from metaeval.table.roles import role_of_name, tells_sizes, ways_to_sizes


def told_apart_by(columns: Mapping[str, Sequence[object]], keys: Sequence[Sequence[object]]) -> list[str]:
    """Return the columns that say other things in every two rows whose keys are the same.

    Examples
    --------
    >>> told_apart_by({"seed": [1, 2, 1], "site": [1, 1, 2]}, [["a", "a", "b"]])
    ['seed']
    """
    same = pd.DataFrame({at: pd.factorize(np.asarray(key, dtype=object))[0] for at, key in enumerate(keys)})
    codes = {name: pd.factorize(np.asarray(cells, dtype=object))[0] for name, cells in columns.items()}
    return [name for name, code in codes.items() if not same.assign(told=code).duplicated().any()]


def ways_to_tell_apart(name: str, columns: Mapping[str, Sequence[object]], parts: Mapping[str, str]) -> str:
    """Say what a column may be that distinguishes rows on one system and item: repeats of it, or part of the item."""
    item, texts = parts["topic"], [*map(str, columns[name])]
    if "system" in parts and tells_sizes(name, texts):
        of_both = {column: [*map(str, columns[column])] for column in (name, parts["system"])}
        return f"column {name!r} distinguishes them; {ways_to_sizes(name, parts, of_both, in_memory=True)}"
    joined = f"frame[{item!r}].astype(str) + ' ' + frame[{name!r}].astype(str)"
    both = f"frame.assign({item}={joined})" if item.isidentifier() else f"frame.assign(**{{{item!r}: {joined}}})"
    part = f"if it is part of what {item!r} names, write both into one column ({both})"
    values = {*texts}
    if len(values) == len(texts):
        return f"column {name!r} distinguishes them; {part}, and if they are repeats, number them in a column 'repeat'"
    repeat = f"if it numbers repeats, call it 'repeat' (frame.rename(columns={ {name: 'repeat'}!r}))"
    words = not any(map(is_number, values)) and role_of_name(name)[0] not in {"seed", "version"}
    return f"column {name!r} distinguishes them; " + "; ".join([part, repeat] if words else [repeat, part])
