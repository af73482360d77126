"""Votes on pairs of systems, checked and laid out: what all that is asked of votes starts from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.names import count
from metaeval.base.notes import OneSidedVoter, PooledJudges
from metaeval.base.results import Result
from metaeval.table.vote_cells import Codes, Floats

_TIE = 0.5
_NEARLY_ALL, _RARE = 0.9, 0.001


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Votes(Result):
    """Votes on pairs of systems: who stood on the left and on the right, who won, and what each vote hangs on."""

    systems: tuple[str, ...]
    left: Codes
    right: Codes
    """Places of the two systems. Shape (vote,)."""
    share: Floats
    """The left system's share of a vote: 1 where it won, 0 where it lost, half for a tie. Shape (vote,)."""
    weight: Floats
    """What a row weighs: 1, a weight that was given, or the number of votes it counts. Shape (vote,)."""
    units: Mapping[str, Codes] = field(default_factory=dict)
    """"question" and "voter", each with the number of its unit, where they are known. Shape (vote,)."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the same units, by their number; empty for one without a name."""
    covariates: Mapping[str, Floats] = field(default_factory=dict)
    """The left system's less the right one's, by name. Shape (vote,)."""
    unasked: Mapping[str, Floats] = field(default_factory=dict)
    """Further covariates, which the votes hold on both sides and nobody asked for, likewise. Shape (vote,)."""
    counted: bool = False
    """Whether rows are counts: who voted on what is unknown."""
    placed: bool = True
    """Whether it is known who stood on the left: not where a table has winners and losers."""
    read_as: str = "votes"
    """What they were taken for."""
    notes: tuple[str, ...] = ()
    """What was left out or assumed."""

    @property
    def n_votes(self) -> int:
        """Number of votes."""
        return round(float(self.weight.sum())) if self.counted else len(self.share)

    def n_units(self, name: str) -> int:
        """Return the number of questions or voters; 0 where they are unknown."""
        return int(self.units[name].max()) + 1 if name in self.units else 0

    def _found(self) -> str:
        return f"{count(self.n_votes, 'vote')} on {count(len(self.systems), 'system')}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row a vote.

        The columns are ``left``, ``right``, ``share`` (of the left), ``weight``, and the numbers of its ``question``
        and ``voter``.
        """
        names = np.array(self.systems, dtype=object)
        return pd.DataFrame(
            {
                "left": names[self.left],
                "right": names[self.right],
                "share": self.share,
                "weight": self.weight,
                **self.units,
                **self.covariates,
            }
        )

    def independent_unasked(self) -> list[str]:
        """Return covariates that nobody asked for, of which none is a sum of multiples of others."""
        columns: list[Floats] = []
        names: list[str] = []
        for name, values in self.unasked.items():
            scaled = values / np.abs(values).max() if values.any() else values
            if np.linalg.matrix_rank(np.stack([*columns, scaled])) > len(columns):
                columns.append(scaled)
                names.append(name)
        return names

    def where(self, kept: NDArray[np.bool_]) -> "Votes":
        """Return some of the votes, with the systems and units that they hold."""
        systems, places = numbered_anew(np.concatenate([self.left[kept], self.right[kept]]))
        half = len(places) // 2
        units = {name: numbered_anew(codes[kept]) for name, codes in self.units.items()}
        return replace(
            self,
            systems=tuple(self.systems[index] for index in systems),
            left=places[:half],
            right=places[half:],
            share=self.share[kept],
            weight=self.weight[kept],
            units={name: codes for name, (_, codes) in units.items()},
            names={name: tuple(self.names[name][index] for index in present) for name, (present, _) in units.items()},
            covariates={name: values[kept] for name, values in self.covariates.items()},
            unasked={name: values[kept] for name, values in self.unasked.items()},
        )

    def of(self, systems: Iterable[str]) -> "Votes":
        """Return the votes between these systems."""
        wanted = set(systems)
        mask = np.array([name in wanted for name in self.systems])
        return self.where(mask[self.left] & mask[self.right])

    def by_voter(self) -> dict[str, "Votes"]:
        """Return the votes of every voter, by name; those without one are left out."""
        voter = self.units.get("voter", np.empty(0))
        apart = replace(
            self, notes=tuple(note for note in self.notes if not isinstance(note, (OneSidedVoter, PooledJudges)))
        )
        return {name: apart.where(voter == code) for code, name in enumerate(self.names.get("voter", ())) if name}

    def one_sided_voters(self) -> dict[str, tuple[str, int]]:
        """Return the voters nearly all of whose votes go to one side, with that side and how many votes they decided.

        Where votes have no voters, all are those of one, called "".
        Sides have to change: half of a voter's decided votes are on pairs seen as often one way as the other. Then
        votes that hang on the systems go left as often as right, and so lopsided a count has a probability below .001
        over all voters.
        """
        voters, names = self.units.get("voter", np.zeros_like(self.left)), self.names.get("voter", ("",))
        decided = (self.share != _TIE) & (voters >= 0)
        if self.counted or not self.placed or not decided.any():
            return {}
        from scipy.special import bdtrc  # noqa: PLC0415 - loads scipy

        voter, left, right = voters[decided], self.left[decided], self.right[decided]
        n_voters, n_systems = len(names), len(self.systems)
        pair = np.minimum(left, right) * n_systems + np.maximum(left, right)
        seen, which = np.unique(np.stack([voter, pair]), axis=1, return_inverse=True)
        n_one_way, n_seen = np.bincount(which.ravel(), left < right), np.bincount(which.ravel())
        both_ways = np.bincount(seen[0], 2 * np.minimum(n_one_way, n_seen - n_one_way), n_voters)
        n_decided = np.bincount(voter, minlength=n_voters)
        n_left = np.bincount(voter, self.share[decided] > _TIE, n_voters)
        n_largest = np.maximum(n_left, n_decided - n_left)
        lopsided = 2 * n_voters * bdtrc(n_largest - 1, n_decided, 0.5) < _RARE
        lopsided &= (n_largest >= _NEARLY_ALL * n_decided) & (2 * both_ways >= n_decided)
        return {
            names[at]: ("left" if 2 * n_left[at] > n_decided[at] else "right", int(n_decided[at]))
            for at in np.flatnonzero(lopsided)
            if names[at] or "voter" not in self.units
        }

    def sides_are_fixed(self) -> bool:
        """Whether every pair has the same system on the left throughout, of more votes than accident would leave so."""
        if self.counted or not self.placed:
            return False
        pair = np.minimum(self.left, self.right) * len(self.systems) + np.maximum(self.left, self.right)
        seen, which = numbered_anew(pair)
        n_one_way, n_seen = np.bincount(which, self.left < self.right), np.bincount(which)
        fixed = ((n_one_way == 0) | (n_one_way == n_seen)).all()
        return bool(fixed and _TIE ** (len(pair) - len(seen)) < _RARE)

    def grouped(self) -> tuple[tuple[str, ...], ...]:
        """Return the systems that votes connect, each group in the order of `systems`.

        The largest group is first, of equal ones that with more votes.
        """
        from scipy.sparse import coo_array  # noqa: PLC0415 - loads scipy
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - as above

        n = len(self.systems)
        seen, _ = numbered_anew(self.left * n + self.right)
        _, group = connected_components(coo_array((np.ones(len(seen)), (seen // n, seen % n)), (n, n)), directed=False)
        parts = [np.flatnonzero(group == number) for number in range(group.max() + 1)]
        n_votes = np.bincount(group[self.left], self.weight if self.counted else None)
        parts.sort(key=lambda members: (-len(members), -n_votes[group[members[0]]], members[0]))
        return tuple(tuple(self.systems[index] for index in members) for members in parts)


def numbered_anew(codes: Codes) -> tuple[Codes, Codes]:
    """Return the codes that occur, sorted, and the place of each code among them, without sorting where few can occur.

    Examples
    --------
    >>> [part.tolist() for part in numbered_anew(np.array([7, -1, 7, 3]))]
    [[-1, 3, 7], [2, 0, 2, 1]]
    """
    if not len(codes):
        return codes, codes
    least = int(codes.min())
    if int(codes.max()) - least > 2 * len(codes) + 1000:
        present, places = np.unique(codes, return_inverse=True)
        return present, places
    occurs = np.bincount(codes - least) > 0
    return np.flatnonzero(occurs) + least, (np.cumsum(occurs) - 1)[codes - least]
