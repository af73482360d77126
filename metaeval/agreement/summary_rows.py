"""Rows of a table of systems and items that hold means or sums of others: verified by their values, and left out."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.base.arrays import Flags, Floats
from metaeval.base.names import count, shortened
from metaeval.errors import ScoresError
from metaeval.table.derived import rounding
from metaeval.table.roles import AVERAGES, is_summary, is_total, word_of

_OTHERS = 2


def without_summaries(
    frame: pd.DataFrame, system: str, items: Sequence[str], columns: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """Return a table without the rows whose system or item stands for all others, and the note on them.

    A row called as an average that is none is an error; one called so by a word that may be a name stays.

    Examples
    --------
    >>> rows = {"system": [*"abab", "Average", "Average"], "doc": [*"112212"], "human": [1, 2, 3, 4, 1.5, 3.5]}
    >>> kept, notes = without_summaries(pd.DataFrame(rows), "system", ["doc"], ["human"])
    >>> len(kept), notes
    (4, ["2 rows of means or sums of others left out: system 'Average'"])
    """
    held = frame[[*dict.fromkeys(columns)]].to_numpy(dtype=np.float64)
    said: dict[str, None] = {}
    left = np.zeros(len(frame), dtype=bool)
    names = {"system": frame[system].astype(str)} | ({"item": frame[items[0]].astype(str)} if items else {})
    called = {part: _called(own) for part, own in names.items()}
    for part, own in names.items():
        others = names["item" if part == "system" else "system"] if items else None
        for name in own[called[part]].unique():
            mine = (own == name).to_numpy()
            both = mine & called["item" if part == "system" else "system"] if items else np.zeros_like(mine)
            rest = ~called[part]
            what = _summary_of(held, mine & ~both, rest & ~both, others)
            if what or (both == mine).all():
                left |= mine
                said[f"{part} {shortened(name)!r}"] = None
            elif is_total(name) or (part == "item" and word_of(name) in AVERAGES):
                raise ScoresError(
                    f"{part} {name!r} is called as an average of others, and is not theirs; leave its rows out, or "
                    f"rename it if it is one"
                )
    if not left.any():
        return frame, []
    kept = frame[~left]
    kept.attrs = frame.attrs
    return kept, [f"{count(int(left.sum()), 'row')} of means or sums of others left out: {', '.join(said)}"]


def _called(names: "pd.Series[str]") -> Flags:
    """Whether every name is one for a summary, where some are not."""
    known = {name: is_summary(name) for name in names.unique()}
    found = names.map(known).to_numpy(dtype=bool)
    return found if not found.all() else np.zeros(len(names), dtype=bool)


def _summary_of(held: Floats, mine: Flags, rest: Flags, keys: "pd.Series[str] | None") -> bool:
    """Whether some rows hold in every column the mean or the sum of those of the rest with the same key."""
    codes = np.zeros(len(held), dtype=np.int64) if keys is None else pd.factorize(keys)[0]
    if not mine.any():
        return False
    near = 1e-9 + np.array([rounding(held[mine, at]) for at in range(held.shape[1])])
    totals = pd.DataFrame(held[rest]).groupby(codes[rest])
    if (totals.size().reindex(codes[mine]).fillna(0) < _OTHERS).any():
        return False
    for what in (totals.mean(), totals.sum(min_count=1)):
        wanted = what.reindex(codes[mine]).to_numpy()
        size = np.abs(wanted) * 1e-9
        fits = (np.abs(held[mine] - wanted) <= near + size) | np.isnan(held[mine]) | np.isnan(wanted)
        if fits.all() and (~np.isnan(held[mine]) & ~np.isnan(wanted)).any():
            return True
    return False
