"""Which systems a leaderboard can rank where scores are missing, and what is said where an option names another."""

from collections.abc import Mapping, Sequence

import numpy as np

from metaeval.base.checks import refused
from metaeval.base.names import first_few, natural_order
from metaeval.base.notes import KeptGaps
from metaeval.base.unit import unit_of
from metaeval.resampling.cluster_residuals import placed
from metaeval.table.scores import Scores, note_of_gaps


def placed_systems(table: Scores) -> tuple[Scores, list[str]]:
    """Return the scores of the systems that have enough to be ranked, and a note of the others."""
    there = placed(table)
    if there.all() or there.sum() <= 1:
        return table, []
    names, spoken = table["system"].to_numpy()[~there].tolist(), unit_of(table)
    where = f"in two {spoken.clusters} of {spoken.topics}" if "cluster" in table.coords else f"on two {spoken.topics}"
    note = f"left out, without scores {where} that others have too: {first_few(natural_order(names))}"
    ranked = table.isel(system=np.flatnonzero(there))
    notes = [earlier for earlier in table.attrs.get("notes", ()) if not isinstance(earlier, KeptGaps)]
    notes += [note_of_gaps(ranked)] * bool(np.isnan(ranked.to_numpy()).any())
    return ranked.assign_attrs(notes=notes), [note]


def check_ranked(
    given: Scores, ranked: Scores, asked: Mapping[str, Sequence[tuple[str, str]]], left_out: Sequence[str]
) -> None:
    """Refuse values of options, each with a name in it, that name a system or group without enough scores.

    The note of those left out says why.
    """
    gone = _names(given) - _names(ranked) if left_out else set()
    for option, values in asked.items():
        for value, name in values:
            if isinstance(name, str) and name in gone:
                why = left_out[0].partition(":")[0]
                raise refused(option, f"names {name!r}, which is {why}; name another", value)


def _names(scores: Scores) -> set[str]:
    return {
        name for coord in ("system", "group") if coord in scores.coords for name in scores[coord].to_numpy().tolist()
    }
