"""Votes: who was preferred to whom, on which question and by whom; recognised by the names of columns."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.columns import underscored
from metaeval.base.names import clean_name, count, first_few, is_number, natural_order, shortened
from metaeval.base.results import Result
from metaeval.errors import InvalidOptionError, ScoresError, UnknownNameError
from metaeval.table.vote_columns import COLUMNS, COUNTS, GAMES, ORDERS, UNITS, VoteColumns, vote_columns

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]

POSITION = "position"
"""The covariate that needs no column: whether a system stands on the left."""

_SHARES: Mapping[str, float] = {
    **dict.fromkeys(("left", "a", "model_a", "system_a", "model_1", "system_1", "a>b", "a>>b"), 1.0),
    **dict.fromkeys(("right", "b", "model_b", "system_b", "model_2", "system_2", "b>a", "b>>a"), 0.0),
    **dict.fromkeys(("tie", "tie (bothbad)", "bothbad", "both_bad", "both bad", "neither", "draw", "a=b"), 0.5),
}
"""The left system's share of a vote, by the word for the winner."""
_STRONG, _STRONG_WEIGHT = frozenset({"a>>b", "b>>a"}), 3.0
_NONE = "none"
_NO_VOTE = frozenset({"error", "invalid", "skip", "skipped", _NONE})
_SIDES = (("_left", "_right"), ("_a", "_b"), ("_1", "_2"))
_FEWEST = 2
_TIED = 1.5
"""AlpacaEval's tie, of which older files have 0."""


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
    counted: bool = False
    """Whether rows are counts: who voted on what is unknown."""
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
        """Return one row a vote: left, right, share, weight, and the numbers of its question and voter."""
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

    def where(self, kept: NDArray[np.bool_]) -> "Votes":
        """Return some of the votes, with the systems and units that they hold."""
        systems, places = _renumbered(np.concatenate([self.left[kept], self.right[kept]]))
        half = len(places) // 2
        units = {name: _renumbered(codes[kept]) for name, codes in self.units.items()}
        return replace(
            self,
            systems=tuple(self.systems[place] for place in systems),
            left=places[:half],
            right=places[half:],
            share=self.share[kept],
            weight=self.weight[kept],
            units={name: codes for name, (_, codes) in units.items()},
            names={name: tuple(self.names[name][place] for place in held) for name, (held, _) in units.items()},
            covariates={name: values[kept] for name, values in self.covariates.items()},
        )

    def of(self, systems: Iterable[str]) -> "Votes":
        """Return the votes between these systems."""
        wanted = set(systems)
        held = np.array([name in wanted for name in self.systems])
        return self.where(held[self.left] & held[self.right])

    def by_voter(self) -> dict[str, "Votes"]:
        """Return the votes of every voter, by name; those without one are left out."""
        voter = self.units.get("voter", np.empty(0))
        return {name: self.where(voter == code) for code, name in enumerate(self.names.get("voter", ())) if name}

    def grouped(self) -> tuple[tuple[str, ...], ...]:
        """Return the systems that votes connect, each group in the order of `systems`.

        The largest group is first, of equal ones that with more votes.
        """
        from scipy.sparse import coo_array  # noqa: PLC0415 - loads scipy
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415 - as above

        n = len(self.systems)
        seen, _ = _renumbered(self.left * n + self.right)
        _, group = connected_components(coo_array((np.ones(len(seen)), (seen // n, seen % n)), (n, n)), directed=False)
        parts = [np.flatnonzero(group == one) for one in range(group.max() + 1)]
        n_votes = np.bincount(group[self.left], self.weight if self.counted else None)
        parts.sort(key=lambda part: (-len(part), -n_votes[group[part[0]]], part[0]))
        return tuple(tuple(self.systems[place] for place in part) for part in parts)


def _renumbered(codes: Codes) -> tuple[Codes, Codes]:
    """Return the codes that occur, sorted, and the place of each code among them, without sorting where few can occur.

    Examples
    --------
    >>> [part.tolist() for part in _renumbered(np.array([7, -1, 7, 3]))]
    [[-1, 3, 7], [2, 0, 2, 1]]
    """
    if not len(codes):
        return codes, codes
    least = int(codes.min())
    if int(codes.max()) - least > 2 * len(codes) + 1000:
        held, places = np.unique(codes, return_inverse=True)
        return held, places
    occurs = np.bincount(codes - least) > 0
    return np.flatnonzero(occurs) + least, (np.cumsum(occurs) - 1)[codes - least]


def as_votes(
    data: object,
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
) -> Votes:
    """Check votes, and lay them out.

    Parameters
    ----------
    data : Votes, DataFrame or sequence of mappings
        One row a vote, with columns for the two systems (left and right; model_a and model_b), the winner (left, right,
        tie, both bad; model_a, model_b; a system's name; ``A>>B``; or AlpacaEval's preference from 1 to 2), and perhaps
        the question (question_id, prompt, instruction), the voter (voter, worker, annotator, judge) and a weight. Or
        both orders of a pair in a row (MT-Bench: g1_winner, g2_winner), games against a baseline (Arena-Hard), or
        counts (wins, losses, ties).
    columns : mapping of str to str, optional
        Which column is "left", "right", "winner", "question", "voter" or "weight", where its name does not say so.
    covariates : sequence of str, optional
        Columns of numbers that may matter beside the systems: a difference left less right, or two columns that end in
        _left and _right (_a and _b, _1 and _2); "position" needs no column.
    words : mapping of str to {"left", "right", "tie", "none"}, optional
        What other words for the winner mean; rows of "none" are no votes and left out.

    Returns
    -------
    Votes

    Raises
    ------
    ScoresError
        For a system against itself, a winner that did not play, and fewer than two systems.
    InvalidOptionError, UnknownNameError
        If `data` are no votes, or a column is not there.

    Examples
    --------
    >>> rows = [{"left": "a", "right": "b", "winner": "tie"}, {"left": "b", "right": "a", "winner": "a"}]
    >>> as_votes(rows).share.tolist()
    [0.5, 0.0]
    """
    if isinstance(data, Votes):
        return data
    frame = data if isinstance(data, pd.DataFrame) else None
    if isinstance(data, Sequence) and not isinstance(data, str) and all(isinstance(row, Mapping) for row in data):
        frame = pd.DataFrame(list(data))
    if frame is None:
        raise InvalidOptionError(f"votes are a table, one row a vote, not {shortened(repr(data))}")
    collected = Collected(columns or {}, covariates, words)
    collected.add({str(name): frame[name].to_numpy(dtype=object) for name in frame})
    return collected.votes()


class Collected:
    """Votes that come some rows at a time."""

    def __init__(
        self, columns: Mapping[str, str], covariates: Sequence[str], words: Mapping[str, str] | None = None
    ) -> None:
        for role in columns:
            if role not in COLUMNS:
                raise InvalidOptionError(f"`columns` may name {', '.join(COLUMNS)}, not {role!r}")
        self._words = {_plain(word): side for word, side in (words or {}).items()}
        for side in self._words.values():
            check_choice(side, "side", ("left", "right", "tie", _NONE))
        self._named, self._covariates = columns, list(dict.fromkeys(covariates))
        self._codes: dict[str, dict[Hashable, int]] = {"system": {}, **{name: {} for name in UNITS}}
        self._parts: list[dict[str, NDArray[Any]]] = []
        self._n_rows, self._left_out, self._strong, self._anonymous = 0, 0, 0, dict.fromkeys(UNITS, 0)
        self._form, self._baseline = "votes", ""
        self._n_unknown = 0

    def columns(self, names: Iterable[object]) -> VoteColumns:
        """Return the columns of votes, or raise the error that lists what there is."""
        held = list(map(str, names))
        found = vote_columns(held, self._named)
        if found is None:
            bare = any(is_number(name) or name.casefold() == "tie" for name in held)
            way = (
                "name them, such as `columns={'left': 'a', 'right': 'b', 'winner': 'preferred'}`, and those of the "
                "question and the voter where there are some (`columns={'question': 'prompt', 'voter': 'worker'}`), by "
                "which errors are clustered"
            )
            raise InvalidOptionError(
                "votes need columns for both systems and the winner (left, right, winner; model_a, model_b, winner; or "
                f"wins and losses); columns found: {first_few(held, most=20, write=repr)}; "
                + ("the first line seems to be a vote, and must be a header; put one before it" if bare else way)
            )
        return found

    def wanted(self, names: Iterable[object]) -> list[str]:
        """Return the columns that are read, of those there are."""
        held = list(map(str, names))
        found = self.columns(held)
        words = {*COUNTS, *ORDERS, GAMES}
        own = {*found.roles.values()} | {column for name in self._covariates for column in _pair_of(name, held) or ()}
        return [name for name in held if name in own or underscored(name.strip()) in words]

    def add(self, table: Mapping[str, NDArray[Any]]) -> None:
        """Add rows: column to values."""
        found = self.columns(table)
        self._form = found.form
        if found.form == "counts":
            self._add_counts(table, found.roles)
        elif found.form == "orders":
            for column, turned in zip(ORDERS, (False, True), strict=True):
                own = next(name for name in table if underscored(name.strip()) == column)
                self._add(table, {**found.roles, "winner": own}, turned=turned)
        elif found.form == "games":
            self._add_games(table, found.roles)
        else:
            self._add(table, found.roles)
        self._n_rows += len(next(iter(table.values())))

    def votes(self) -> Votes:
        """Return all votes."""
        held = {name: np.concatenate([part[name] for part in self._parts]) for name in (self._parts or [{}])[0]}
        names = list(self._codes["system"])
        if not len(held.get("left", ())) or len(names) < _FEWEST:
            raise ScoresError(f"at least two systems are needed, and votes on them; found {first_few(names) or 'none'}")
        order = natural_order(map(str, names))
        place = {name: number for number, name in enumerate(order)}
        moved = np.array([place[str(name)] for name in names])
        covariates = {}
        for number, name in enumerate(self._covariates):
            covariates[name] = held[f"covariate {number}"]
            if not covariates[name].any() or not np.isfinite(covariates[name]).all():
                raise ScoresError(f"covariate {name!r} must be a number for every vote, and not 0 for all")
        notes = [
            *([f"{count(self._left_out, 'vote')} without a verdict (error) left out"] if self._left_out else []),
            *(
                [f"{count(self._strong, 'vote')} A>>B or B>>A count {_STRONG_WEIGHT:g} times, as Arena-Hard does"]
                if self._strong
                else []
            ),
            *(
                f"{count(number, 'vote')} name no {name}; each counts as a {name} of its own"
                for name, number in self._anonymous.items()
                if number
            ),
            *([f"the file names no baseline; it is called {self._baseline!r}"] if self._baseline else []),
        ]
        units = {name: _renumbered(held[name]) for name in UNITS if name in held}
        words = {name: list(self._codes[name]) for name in units}
        return Votes(
            systems=tuple(order),
            left=moved[held["left"]],
            right=moved[held["right"]],
            share=held["share"],
            weight=held["weight"],
            units={name: codes for name, (_, codes) in units.items()},
            names={
                name: tuple(str(words[name][code]) if code >= 0 else "" for code in own)
                for name, (own, _) in units.items()
            },
            covariates=covariates,
            counted=self._form == "counts",
            read_as=_READ_AS[self._form],
            notes=tuple(notes),
        )

    def _coded(self, values: NDArray[Any], what: str) -> Codes:
        """Return the numbers of names; what has no name has a number of its own."""
        codes, names = pd.factorize(values)
        known = self._codes["system" if what not in UNITS else what]
        if what in UNITS:
            places = np.array([known.setdefault(str(name), len(known)) for name in names], dtype=np.int64)
        else:
            places = np.array([known.setdefault(clean_name(name, what), len(known)) for name in names], dtype=np.int64)
        missing = codes < 0
        if not missing.any():
            return places[codes]
        if what not in UNITS:
            raise ScoresError(f"row {self._n_rows + int(np.argmax(missing)) + 1}: a system has no name")
        found = np.where(missing, 0, codes)
        own = -1 - self._n_unknown - np.cumsum(missing)
        self._n_unknown += int(missing.sum())
        self._anonymous[what] += int(missing.sum())
        return np.where(missing, own, places[found] if len(places) else 0)

    def _add(self, table: Mapping[str, NDArray[Any]], roles: Mapping[str, str], *, turned: bool = False) -> None:
        left, right = (self._coded(table[roles[side]], "system") for side in ("left", "right"))
        share, weight, kept = self._shares(table[roles["winner"]], left, right, preference=roles["winner"])
        if "weight" in roles:
            weight = weight * _numbers(table[roles["weight"]])
            if not (weight >= 0).all():
                raise ScoresError("weights must be numbers of 0 or more")
        if turned:
            left, right, share = right, left, 1.0 - share
        self._keep(table, roles, {"left": left, "right": right, "share": share, "weight": weight}, kept)

    def _add_counts(self, table: Mapping[str, NDArray[Any]], roles: Mapping[str, str]) -> None:
        left, right = (self._coded(table[roles[side]], "system") for side in ("left", "right"))
        for name in table:
            share = COUNTS.get(underscored(name.strip()))
            if share is None:
                continue
            weight = _numbers(table[name])
            if not (weight >= 0).all() or (weight != np.round(weight)).any():
                raise ScoresError(f"column {name!r} must hold counts: whole numbers of 0 or more")
            own = {"left": left, "right": right, "share": np.full(len(left), share), "weight": weight}
            self._keep(table, {}, own, weight > 0)

    def _add_games(self, table: Mapping[str, NDArray[Any]], roles: Mapping[str, str]) -> None:
        """Take a model's games: the baseline is A in the first, and B in the second."""
        games = next(values for name, values in table.items() if underscored(name.strip()) == GAMES)
        n = len(games)
        if not roles["left"]:
            self._baseline = "baseline"
        baseline = table[roles["left"]] if roles["left"] else np.full(n, "baseline", dtype=object)
        for turn in range(max(map(len, games), default=0)):
            verdict = np.array([one[turn].get("score") if turn < len(one) else "error" for one in games], dtype=object)
            sides = (baseline, table[roles["right"]])
            own = {"left": sides[turn % 2], "right": sides[1 - turn % 2], "winner": verdict}
            units = {role: table[roles[role]] for role in UNITS if role in roles}
            self._add({**own, **units}, {name: name for name in (*own, *units)})

    def _shares(
        self, winner: NDArray[Any], left: Codes, right: Codes, *, preference: str
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return the left systems' shares, the weights of the verdicts, and which rows have one."""
        codes, names = pd.factorize(winner, use_na_sentinel=False)
        weight = np.ones(len(codes))
        numbers = _numbers(np.array(names, dtype=object))
        absent = pd.isna(np.array(names, dtype=object))
        if not self._words and underscored(preference) == "preference" and (np.isfinite(numbers) | absent).all():
            numbers[numbers == 0] = _TIED
            if not ((numbers >= 1) & (numbers <= _FEWEST) | absent).all():
                raise ScoresError("preferences must be numbers from 1 (the first output) to 2 (the second)")
            kept = ~absent[codes]
            self._left_out += int((~kept).sum())
            return np.where(kept, 2.0 - numbers[codes], 0.5), weight, kept
        words = [self._words.get(word, word) for word in map(_plain, names)]
        share = np.array([_SHARES.get(word, np.nan) for word in words], dtype=np.float64)[codes]
        no_vote = np.array([word in _NO_VOTE for word in words], dtype=bool)[codes]
        strong = np.array([word in _STRONG for word in words], dtype=bool)[codes]
        weight[strong] = _STRONG_WEIGHT
        self._strong += int(strong.sum())
        self._left_out += int(no_vote.sum())
        known = self._codes["system"]
        places = np.array([known.get(str(name).strip(), -1) for name in names], dtype=np.int64)[codes]
        share = np.where(places == left, 1.0, np.where(places == right, 0.0, share))  # a name goes before a word
        wrong = np.flatnonzero(np.isnan(share) & ~no_vote)
        if len(wrong):
            systems, first = list(known), int(wrong[0])
            played = f"{systems[left[first]]!r} played {systems[right[first]]!r}"
            place = f"row {self._n_rows + first + 1}"
            if pd.isna(winner[first]):
                raise ScoresError(f"{place}: there is no winner, and {played}; write tie, or leave such rows out")
            word = shortened(str(winner[first]).strip())
            raise ScoresError(
                f"{place}: the winner is {word!r}, and {played}; a winner is left, right, tie, both bad, or one of the "
                "two; say of every other word whether it means left, right, tie or none (no vote), such as "
                f"`words={{{word!r}: 'left'}}`"
            )
        return share, weight, ~no_vote

    def _keep(
        self,
        table: Mapping[str, NDArray[Any]],
        roles: Mapping[str, str],
        held: dict[str, NDArray[Any]],
        kept: NDArray[np.bool_],
    ) -> None:
        same = held["left"] == held["right"]
        if same.any():
            first = int(np.argmax(same))
            name = list(self._codes["system"])[held["left"][first]]
            raise ScoresError(f"row {self._n_rows + first + 1}: system {name!r} plays itself; leave such rows out")
        for role in UNITS:
            if role in roles:
                values = table[roles[role]]
                held[role] = self._coded(_first_of_lists(values), role)
        for number, name in enumerate(self._covariates):
            held[f"covariate {number}"] = _covariate(name, table, len(same))
        self._parts.append({name: values[kept] for name, values in held.items()})


_READ_AS = {
    "votes": "votes, one a row",
    "counts": "counts of wins, losses and ties",
    "orders": "votes on both orders of a pair (MT-Bench)",
    "games": "games against a baseline (Arena-Hard)",
}


def _plain(word: object) -> str:
    """Return a word for a winner as it is looked up; 1.0 is written as 1."""
    text = str(word).strip().casefold().strip("[]")
    return text.removesuffix(".0") if text.removesuffix(".0").isdigit() else text


def _first_of_lists(values: NDArray[Any]) -> NDArray[Any]:
    """Return names where MT-Bench has lists of them: the judge, and how it was asked."""
    if values.dtype != object or not len(values) or not isinstance(values[0], list | tuple):
        return values
    return np.array([one[0] if isinstance(one, list | tuple) and one else one for one in values], dtype=object)


def _pair_of(name: str, columns: Iterable[str]) -> tuple[str, ...] | None:
    """Return the column of a covariate, or the two whose difference it is; None where there is none."""
    held = set(columns)
    if name in held:
        return (name,)
    return next(
        ((name + a, name + b) for a, b in _SIDES if {name + a, name + b} <= held), () if name == POSITION else None
    )


def _covariate(name: str, table: Mapping[str, NDArray[Any]], n_rows: int) -> Floats:
    found = _pair_of(name, table)
    if found is None:
        raise UnknownNameError("covariate", name, [POSITION, *table])
    if not found:
        return np.ones(n_rows)
    numbers = [_numbers(table[column]) for column in found]
    return numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]


def _numbers(values: Any) -> Floats:  # noqa: ANN401 - an array, or pandas' own
    """Return cells as numbers, NaN for what is none."""
    if isinstance(values, pd.Categorical):
        own = np.append(_numbers(np.asarray(values.categories, dtype=object)), np.nan)
        return own[values.codes]
    return pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=np.float64, copy=True)
