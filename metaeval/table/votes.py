"""Votes: who was preferred to whom, on which question and by whom; recognised by the names of columns."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.columns import underscored
from metaeval.base.conditions import texts_that_meet
from metaeval.base.names import count, first_few, is_number, natural_order, shortened
from metaeval.base.notes import FixedSides, OneSidedVoter, PooledJudges
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError, UnknownNameError
from metaeval.table.conversions import plain
from metaeval.table.offered_clusters import offered_questions
from metaeval.table.roles import WITHIN_ITEMS, rises_by_name, role_of_name, word_of
from metaeval.table.vote_cells import (
    RowError,
    TextCells,
    finite_numbers,
    flags_of,
    text_cells,
    two_sides,
    without_lists,
)
from metaeval.table.vote_columns import (
    COLUMNS,
    COUNTS,
    GAMES,
    RATE,
    RATES,
    TIES,
    UNITS,
    VoteColumns,
    refuse_doubles,
    vote_columns,
)
from metaeval.table.vote_covariates import (
    covariate_of,
    possible_covariates,
    sides_of_covariate,
    two_sided_covariates,
)
from metaeval.table.vote_rows import (
    MOST,
    Repeated,
    RepeatedRows,
    counts_of_rates,
    hashes_of,
    headers_again,
    is_running_number,
    mirrors,
    n_repeated,
    rows_of_sums,
    system_name,
    unsaid_votes,
    votes_of_row,
    whole_counts,
)
from metaeval.table.vote_set import Votes, numbered_anew
from metaeval.table.vote_winners import Refuse, Verdicts, Winners, scores_of_games
from metaeval.table.vote_words import STRONG, says_who, share_of_column, side_of_wins

type Floats = NDArray[np.float64]
type Codes = NDArray[np.int64]
type Table = Mapping[str, Any]
"""Columns by name: arrays, or pandas' own."""

_FEWEST, _MOST_NAMED = 2, 3
_LONGEST_NAME = 200
"""Characters of the names of systems; what is longer in place of one is an answer."""
_OFFERED = "offered "
"""What the columns begin with that may group votes."""
_MOST_VALUES = 1000
"""Values of a column by which rows are chosen that are kept for an error."""


def as_votes(  # noqa: PLR0913 - what is read, and how
    data: object,
    *,
    columns: Mapping[str, str] | None = None,
    covariates: Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    duplicates: Repeated = "keep",
) -> Votes:
    """Check votes, and lay them out.

    Parameters
    ----------
    data : Votes, DataFrame or sequence of mappings
        One row a vote, with columns for the two systems (left and right; model_a and model_b), the winner (left, right,
        tie, both bad; model_a, model_b; a system's name; ``A>>B``; or AlpacaEval's preference from 1 to 2), and perhaps
        the question (question_id, prompt, instruction), the voter (voter, worker, annotator, judge) and a weight. Or
        a column of 1 and 0 that says which side 1 is for (a_wins, left_won, model_a_is_better) or one for every outcome
        (winner_model_a, winner_model_b, winner_tie), winners beside losers
        (winner, loser), both orders of a pair in a row (MT-Bench: g1_winner, g2_winner), games against a baseline
        (Arena-Hard), or counts (wins, losses, ties). Names are text: systems 1.1 and 1.10 are two.
    columns : mapping of str to str, optional
        Which column is "left", "right", "winner" (or "loser"), "question", "voter", "weight" or "count" (of the votes
        that a row stands for), where its name does not say so.
    covariates : sequence of str, optional
        Columns of numbers that may matter beside the systems: a difference left less right, or two columns that end in
        _left and _right (_a and _b, _1 and _2); "position" needs no column, and "length" is that of the texts of both
        answers (output_1 and output_2, response_a and response_b) where no column has it.
    words : mapping of str to {"left", "right", "tie", "none", "name"}, optional
        What other words for the winner mean; rows of "none" are no votes and left out. The names of the two systems
        come before all words that are not said here; "name" says so where all could be sides, as those of A and B.
    where : mapping of str to str, optional
        Rows that count: those with this text in this column, such as ``{"judge": "gpt-4"}``.
    duplicates : {"keep", "first"}
        What becomes of rows that are alike in all columns, those that are not read included: each is a vote, or the
        first alone. An identifier of its own makes a row another.

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
    collected = Collected(columns or {}, covariates, words, where, duplicates)
    data = plain(data) if hasattr(data, "columns") else data
    if is_win_matrix(data):
        data = _counts_of_pairs(data)
    if isinstance(data, pd.DataFrame):
        names = list(map(str, data.columns))
        first = dict(zip(names, data.iloc[0].tolist(), strict=True)) if len(data) else {}
        wanted = collected.wanted(names, first)
        table: Table = {name: _array(data.iloc[:, names.index(name)]) for name in wanted}
    elif isinstance(data, Sequence) and not isinstance(data, str) and all(isinstance(row, Mapping) for row in data):
        table = columns_of_rows(data, collected)
    else:
        raise InvalidOptionError(
            "votes are a table, one row a vote, such as a DataFrame with columns left, right and winner, or winner and "
            f"loser, not {shortened(' '.join(repr(data).split()))}"
        )
    collected.add(table)
    return collected.votes()


def is_win_matrix(data: object) -> TypeGuard[pd.DataFrame]:
    """Whether rows and columns have the same names: how often whoever has a row beat whoever has a column.

    Examples
    --------
    >>> wins = pd.DataFrame([[0, 3], [1, 0]], index=["a", "b"], columns=["a", "b"])
    >>> is_win_matrix(wins), is_win_matrix(wins.reset_index())
    (True, False)
    """
    if not isinstance(data, pd.DataFrame) or len(data) < _FEWEST or vote_columns(data.columns) is not None:
        return False
    return data.columns.is_unique and data.shape[0] == data.shape[1] and {*data.index} == {*data.columns}


def _counts_of_pairs(wins: pd.DataFrame) -> pd.DataFrame:
    """Return a row a pair with its wins and losses, of one that beat whom how often."""
    names, cells = [*wins.index], wins[[*wins.index]].fillna(0).to_numpy()
    if any(cells.diagonal()):
        raise ScoresError(
            "rows and columns have the same names, as where a cell says how often its row beat its column, and a "
            "system beat itself; set the diagonal to 0, or where cells are scores call rows otherwise"
        )
    first, second = np.nonzero(np.triu(cells + cells.T, 1))
    won, lost = cells[first, second], cells[second, first]
    sides = {"left": [names[at] for at in first], "right": [names[at] for at in second]}
    return pd.DataFrame({**sides, "wins": won, "losses": lost})


def _array(column: pd.Series) -> Any:  # noqa: ANN401 - an array, or pandas' own
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.array
    return column.to_numpy() if isinstance(column.dtype, np.dtype) else column.to_numpy(dtype=object)


def columns_of_rows(rows: Sequence[Mapping[Any, Any]], collected: "Collected") -> Table:
    """Return the columns that are read of rows with names, None where one has no such name."""
    names = {str(name): name for row in rows for name in row}
    table: dict[str, Any] = {}
    for name in collected.wanted(names, {str(name): cell for name, cell in next(iter(rows), {}).items()}):
        table[name] = np.empty(len(rows), dtype=object)
        table[name][:] = [row.get(names[name]) for row in rows]
    return table


def _may_group(headers: Sequence[str], used: Collection[str], first: Mapping[Any, object]) -> list[str]:
    """Return the columns of words that nothing is known of."""
    cells = {name: first.get(name) for name in headers if name and name not in used}
    return [name for name, cell in cells.items() if isinstance(cell, str) and cell.strip() and not is_number(cell)]


def _single_votes(table: Table, columns: VoteColumns) -> VoteColumns:
    """Return columns of counts as those of outcomes where none is above 1 and no row has two: each row is a vote."""
    if columns.form != "counts" or "count" in columns.roles or RATE in columns.others:
        return columns
    try:
        n_won = np.sum([flags_of(table[name], name) for name in columns.others.values()], axis=0)
    except RowError:
        return columns
    return columns._replace(form="outcomes") if len(n_won) and n_won.max() <= 1 else columns


class Collected:
    """Votes that come some rows at a time."""

    def __init__(
        self,
        columns: Mapping[str, str],
        covariates: Sequence[str],
        words: Mapping[str, str] | None = None,
        where: Mapping[str, str] | None = None,
        duplicates: Repeated = "keep",
    ) -> None:
        for role in columns:
            if role not in COLUMNS:
                raise InvalidOptionError(f"`columns` may name {', '.join(COLUMNS)}, not {role!r}")
        self.named, self._where, self._covariates = columns, dict(where or {}), list(dict.fromkeys(covariates))
        self._codes: dict[str, dict[str, int]] = {"system": {}, **{name: {} for name in UNITS}}
        self._winners = Winners(words or {}, self._codes["system"])
        self._repeated = RepeatedRows(duplicates)
        self._parts: list[dict[str, NDArray[Any]]] = []
        self._forms: dict[str, None] = {}
        self._roles: dict[str, str] = {}
        self._unasked: dict[str, tuple[str, ...]] = {}
        self._unused: dict[str, None] = {}
        self._raters: dict[str, None] = {}
        self._ids: list[str] = []
        self._offered: list[str] = []
        self._there: dict[str, dict[str, None]] = {name: {} for name in self._where}
        self._numbers: Counter[str] = Counter()
        self._weight = self._voter = self._rate = self._baseline = self._count = self._running = self._loser = (
            self._flags
        ) = ""
        self._scored: tuple[str, ...] = ()
        self._around: list[str] = []
        self._at: Refuse = self._row_error
        self._way: Callable[[], str] = str

    def columns(self, names: Iterable[object]) -> VoteColumns:
        """Return the columns of votes, or raise the error that lists what there is."""
        headers = list(map(str, names))
        columns = vote_columns(headers, self.named)
        if columns is None:
            bare = any(is_number(name) or name.casefold() == "tie" for name in headers)
            way = self._way() or (
                "name them (`columns={'left': 'NAME', 'right': 'NAME', 'winner': 'NAME'}`), and those of the question "
                "and the voter where there are some (`columns={'question': 'NAME', 'voter': 'NAME'}`), by which errors "
                "are clustered"
            )
            role_of = {word: role for role, words in COLUMNS.items() for word in words}
            roles = {role_of.get(underscored(name)) for name in headers}
            unknown = [name for name in headers if underscored(name) not in {*role_of, *TIES}]
            counted = (
                {"left": left_name, "right": right_name}
                for left_name, right_name in pairwise(unknown)
                if roles.isdisjoint({"left", "right"})
                and (told := vote_columns(headers, {"left": left_name, "right": right_name})) is not None
                and told.form in {"counts", "outcomes"}
            )
            if sides := next(counted, None):
                way = f"name those of the two systems, as in `columns={sides!r}`"
            unknown.sort(key=lambda name: (bool(says_who(name)), not role_of_name(name)[0]))  # the likeliest comes last
            rate = next((name for name in headers if underscored(name) in RATES), None)
            if rate is not None:
                way = (
                    f"{rate!r} is a share of votes, and counts beside a column n that says how many each row stands for"
                )
            elif {"left", "right"} <= roles and unknown and not self._way():
                way = (
                    f"name the one that says who won, such as `columns={ {'winner': unknown[-1]}!r}`, or who lost "
                    f"(`columns={ {'loser': unknown[-1]}!r}`)"
                )
            raise InvalidOptionError(
                "votes need columns for both systems and the winner (left, right, winner; model_a, model_b, winner; or "
                f"wins and losses); columns found: {first_few(headers, most=20, write=repr)}; "
                + ("the first line seems to be a vote, and must be a header; put one before it" if bare else way)
            )
        return columns

    def wanted(self, names: Iterable[object], first: Mapping[Any, object]) -> list[str]:
        """Return the columns that are read, of those there are, by their names and the values of the first row."""
        headers = list(map(str, names))
        columns = self.columns(headers)
        refuse_doubles(headers, columns, self.named)
        for column in self._where:
            if column not in headers:
                raise UnknownNameError("column", column, headers)
        pairs = {name: sides_of_covariate(name, headers, columns.read) for name in self._covariates}
        if (unknown := next((name for name, pair in pairs.items() if pair is None), None)) is not None:
            raise UnknownNameError("covariate", unknown, possible_covariates(headers, columns.read, first))
        used = columns.read.union(self._where, *(pair or () for pair in pairs.values()))
        is_turned = columns.form in {"orders", "games"}  # a row holds votes from both sides
        self._unasked = {} if is_turned else two_sided_covariates(headers, used, first)
        used |= {column for pair in self._unasked.values() for column in pair}
        self._unused |= dict.fromkeys(name or "one without a name" for name in headers if name not in used)
        self._ids = [name for name in headers if name not in used and role_of_name(name)[0] in {"id", "time"}]
        used |= {*self._ids}
        self._offered = [] if "question" in columns.roles else _may_group(headers, used, first)
        used |= {*self._offered}
        return [name for name in dict.fromkeys(headers) if name in used or self._repeated.first_alone]

    def same(self, names: Iterable[str], others: Iterable[str]) -> bool:
        """Whether the same is read of columns with these names and with others."""
        return self.columns(names) == self.columns(others)

    def left_out(self, notes: Iterable[str]) -> None:
        """Keep what is said of lines that are no rows."""
        self._around += notes

    def next_file(self, way: Callable[[], str]) -> None:
        """Begin with rows whose columns may be called otherwise; `way` says what they hold where no name tells it."""
        self._roles, self._way = {}, way

    def add(self, table: Table, refuse: Refuse | None = None) -> None:
        """Add rows, by the name of their column; `refuse` makes the error of one that is no vote."""
        columns, self._at = self.columns(table), refuse or self._row_error
        if columns.form != "games" and columns.roles["left"] == (pair := columns.roles["right"]):
            try:
                sides = dict(zip(("left", "right"), two_sides(table[pair], pair), strict=True))
            except RowError as error:
                raise self._at(error.place, error.rule) from None
            table, columns = (
                {**table, **sides},
                columns._replace(roles={**columns.roles, "left": "left", "right": "right"}),
            )
        n_read = len(next(iter(table.values())))
        if columns.form == "raters":
            table, columns = self._by_rater(table, columns)
        for role, column in columns.roles.items():
            if (earlier := self._roles.setdefault(role, column)) != column:
                way = f"give every row the same names, or name the right one (`columns={{{role!r}: {earlier!r}}}`)"
                raise InvalidOptionError(f"some rows have their {role} in {earlier!r} and others in {column!r}; {way}")
        n_rows = len(next(iter(table.values())))
        columns = _single_votes(table, self._without_running_number(table, columns))
        self._forms |= {} if columns.form == "votes" else {columns.form: None}
        adding: Callable[[Table, VoteColumns], None] = getattr(self, f"_add_{columns.form}")
        try:
            adding(self._distinct(self._chosen(table, n_rows), columns), columns)
        except RowError as error:
            raise self._at(error.place, error.rule) from None
        self._numbers["rows"] += n_read

    def _by_rater(self, table: Table, columns: VoteColumns) -> tuple[Table, VoteColumns]:
        """Return a row for every vote that one of several raters gave, and its columns."""
        raters = list(columns.others.values())
        votes = [text_cells(table[name], "winner") for name in raters]
        self._raters |= dict.fromkeys(raters)
        given = np.concatenate([np.flatnonzero(cells.codes >= 0) for cells in votes])
        sizes = [np.count_nonzero(cells.codes >= 0) for cells in votes]
        rows = dict(self._rows(table, given))
        texts = [np.array([*cells.texts, ""], dtype=object)[cells.codes[cells.codes >= 0]] for cells in votes]
        rows |= {"winner": np.concatenate(texts), "voter": np.repeat(np.array(raters, dtype=object), sizes)}
        return rows, VoteColumns({**columns.roles, "winner": "winner", "voter": "voter"}, "votes", {})

    def _without_running_number(self, table: Table, columns: VoteColumns) -> VoteColumns:
        """Return the columns without one of counts that numbers the rows."""
        column = columns.roles.get("count")
        if column is None or "count" in self.named or RATE in columns.others:
            return columns
        numbers = finite_numbers(table[column], column)
        if not is_running_number(numbers, self._numbers["running"]):
            return columns
        self._numbers["running"], self._running = int(numbers[-1]), column
        return columns._replace(roles={role: name for role, name in columns.roles.items() if role != "count"})

    def votes(self) -> Votes:
        """Return all votes."""
        joined = self._joined()
        names = list(self._codes["system"])
        if self._where and not self._numbers["chosen"]:
            column, text = next(iter(self._where.items()))
            there = first_few(sorted(self._there[column]))
            raise ScoresError(f"no row has {text!r} in column {column!r}; there are {there or 'no rows'}")
        if not len(joined.get("left", ())) or len(names) < _FEWEST:
            raise ScoresError(f"at least two systems are needed, and votes on them; found {first_few(names) or 'none'}")
        self._winners.refuse_names()
        if "counts" in self._forms and len(self._forms) > 1:
            raise ScoresError("some of these are counts and others votes, one a row; read them apart")
        is_parted = any(word_of(name) in WITHIN_ITEMS for name in self._unused)  # as turns of a question are
        offered = {name: joined.pop(name) for name in [*joined] if name.startswith(_OFFERED)}
        n_same = 0 if self._count or is_parted else n_repeated(joined, counted="counts" in self._forms)
        order = natural_order(names)
        index_of = {name: number for number, name in enumerate(order)}
        moved = np.array([index_of[name] for name in names])
        covariates = {name: joined[f"covariate {number}"] for number, name in enumerate(self._covariates)}
        for name, values in covariates.items():
            if not values.any():
                raise ScoresError(f"covariate {name!r} must be a number for every vote, and not 0 for all")
        units = {name: numbered_anew(joined[name]) for name in UNITS if name in joined}
        words = {name: list(self._codes[name]) for name in units}
        unit_names = {
            name: tuple(words[name][code] if code >= 0 else "" for code in present)
            for name, (present, _) in units.items()
        }
        votes = Votes(
            systems=tuple(order),
            left=moved[joined["left"]],
            right=moved[joined["right"]],
            share=joined["share"],
            weight=joined["weight"],
            units={name: codes for name, (_, codes) in units.items()},
            names=unit_names,
            covariates=covariates,
            unasked={
                name.removeprefix("unasked "): values
                for name, values in joined.items()
                if name.startswith("unasked ") and values.any()
            },
            counted="counts" in self._forms,
            placed="winners" not in self._forms,
            read_as="; ".join(_READ_AS[form] for form in self._forms),
            notes=tuple(self._notes(unit_names.get("voter", ()), n_same)),
        )
        pairs = np.minimum(votes.left, votes.right) * len(order) + np.maximum(votes.left, votes.right)
        groups = {name.removeprefix(_OFFERED): codes for name, codes in offered.items()}
        asked = offered_questions(groups, pairs, votes.units.get("voter"))
        return replace(votes, notes=(*votes.notes, *self._notes_on_sides(votes), *asked))

    def _notes_on_sides(self, votes: Votes) -> list[str]:
        """Say who votes by the side, or that sides and systems go together; programs show both orders themselves."""
        fixed = [*self._forms] == ["votes"] and votes.sides_are_fixed()
        told = [FixedSides(_FIXED_SIDES)] * fixed
        return told + [
            OneSidedVoter(
                f"voter {voter!r} gives nearly all of {count(n, 'decided vote')} to the {side}, whoever stands there; "
                f"without them pass `where={ {self._voter: f'!={voter}'}!r}`"
                if voter
                else f"nearly all of {count(n, 'decided vote')} go to the {side}, whoever stands there: they say "
                "little of the systems"
            )
            for voter, (side, n) in [*votes.one_sided_voters().items()][:_MOST_NAMED]
            if self._voter or not voter
        ]

    def _joined(self) -> dict[str, NDArray[Any]]:
        """Return the parts as one; where only some name a unit, every vote of the others has one of its own."""
        for unit in UNITS:
            lacking = [batch for batch in self._parts if unit not in batch]
            for batch in lacking if len(lacking) < len(self._parts) else ():
                batch[unit] = self._own_units(len(batch["left"]), unit)
        names = [name for name in (self._parts or [{}])[0] if all(name in batch for batch in self._parts)]
        return {name: np.concatenate([batch[name] for batch in self._parts]) for name in names}

    def _notes(self, voters: Sequence[str], n_same: int) -> list[str]:
        n, n_left_out, n_strong = self._numbers, self._winners.n_left_out, self._winners.n_strong
        bad = self._winners.both_bad
        conditions = " and ".join(f"{column} {text}" for column, text in self._where.items())
        counting = f"its numbers are whole, and if they count votes, pass `columns={ {'count': self._weight}!r}`"
        may_count = f"; {counting}" * (not n["weights of parts"])
        notes = {
            f"{n['chosen']:,} of {n['rows']:,} rows, with {conditions}": conditions,
            f"{count(n_left_out, 'vote')} without a verdict (error) left out": n_left_out,
            f"{count(n['failed'], 'row')} with a game that failed left out, as Arena-Hard does": n["failed"],
            f"{count(bad.total(), 'vote')} that both are bad ({first_few(list(bad))}) count as ties; leave them out "
            f"with `words={dict.fromkeys(bad, 'none')!r}`": bad.total(),
            f"{count(n_strong, 'vote')} A>>B or B>>A count {STRONG:g} times, as Arena-Hard does": n_strong,
            f"{count(n['sums'], 'row')} of sums or averages left out": n["sums"],
            f"left out {count(n['headers'], 'row')} of names of columns again": n["headers"],
            f"{count(n['repeated'], 'row')} that repeat another left out (duplicates)": n["repeated"],
            f"{count(n_same, 'vote')} repeat another in every column that is read, and count; if they were written "
            "twice, pass `duplicates='first'`": n_same,
            f"the {'lower' if self._is_lower_better() else 'higher'} of {' and '.join(map(repr, self._scored))} wins "
            "the vote of its row, and where they are equal it is a tie": self._scored,
            f"{count(n['unscored'], 'row')} without a score of both sides left out": n["unscored"],
            self._flags: self._flags,
            f"column {self._loser!r} says who lost each vote, so that the other side won it": self._loser,
            f"columns {first_few(self._raters)} hold a vote each; their agreement: metaeval judges": self._raters,
            f"column {self._rate!r} is the share of each row's votes that the system on the left won, half of a tie": (
                self._rate
            ),
            f"votes count as column {self._weight!r} says{may_count}": self._weight,
            f"column {self._count!r} says how many votes each row stands for": self._count,
            f"column {self._running!r} numbers the rows, and counts no votes": self._running,
            f"{count(n['mirrored'], 'vote')} left out, whose rows are others seen from the other side": n["mirrored"],
            f"{count(n['unsaid'], 'vote')} of the totals are neither won, lost nor tied, and left out": n["unsaid"],
            **{
                f"{count(n[unit], 'vote')} name no {unit}; each counts as a {unit} of its own": n[unit]
                for unit in UNITS
            },
            f"the file names no baseline; it is called {self._baseline!r}": self._baseline,
            self._note_on_judges([name for name in voters if name]): True,
            self._note_on_case(): True,
            f"left out columns that say nothing of a vote ({first_few(self._unused)})": self._unused,
        }
        return [*self._around, *(note for note, holds in notes.items() if note and holds)]

    def _note_on_case(self) -> str:
        folded: dict[str, str] = {}
        pairs = [(folded.setdefault(name.casefold(), name), name) for name in self._codes["system"]]
        twice = [f"{first!r} and {name!r}" for first, name in pairs if first != name]
        return (
            f"systems whose names differ only in case count apart ({first_few(twice)}); write alike what is one"
            * bool(twice)
        )

    def _note_on_judges(self, voters: Sequence[str]) -> str:
        if not underscored(self._voter.strip()).startswith("judge") or len(voters) < _FEWEST:
            return ""
        return PooledJudges(
            f"column {self._voter!r} names {count(len(voters), 'judge')} ({first_few(voters)}), whose votes are pooled "
            f"as those of one kind of voters; for one of them pass `where={{{self._voter!r}: {voters[0]!r}}}`"
        )

    def _row_error(self, place: int, rule: str) -> MetaevalError:
        return ScoresError(f"row {self._numbers['rows'] + place + 1}: {rule}")

    def _moved_to(self, rows: NDArray[np.int64]) -> None:
        """Take places from here on for those of some rows of the table."""
        outer = self._at
        self._at = lambda place, rule: outer(int(rows[place]), rule)

    def _chosen(self, table: Table, n_rows: int) -> Table:
        """Return the rows that count."""
        if not self._where:
            return table
        mask = np.ones(n_rows, dtype=bool)
        for column, text in self._where.items():
            cells = text_cells(without_lists(table[column], column), f"cell of {column!r}")
            if len(self._there[column]) < _MOST_VALUES:
                self._there[column] |= dict.fromkeys(cells.texts)
            counts = dict(zip(cells.texts, np.bincount(cells.codes[cells.codes >= 0]).tolist(), strict=False))
            met = texts_that_meet(column, text, counts)
            mask &= np.array([*(cell_text in met for cell_text in cells.texts), False])[cells.codes]
        self._numbers["chosen"] += int(mask.sum())
        return self._rows(table, mask)

    def _distinct(self, table: Table, found: VoteColumns) -> Table:
        """Return the rows without sums of others and, where so asked, without those that repeat one."""
        if self._repeated.first_alone:
            new = self._repeated.new(table)
            self._numbers["repeated"] += int((~new).sum())
            table = self._rows(table, new)
        if found.form == "games":
            return table
        sides = {found.roles[side]: text_cells(table[found.roles[side]], "system") for side in ("left", "right")}
        sums = rows_of_sums(list(sides.values()))
        self._numbers["sums"] += int(sums.sum())
        again = headers_again(table, found.roles.values(), sides)
        self._numbers["headers"] += int(again.sum())
        sums |= again
        if "count" in found.roles and found.form != "counts":
            return self._tallied(self._rows(table, ~sums), found)
        return self._rows(table, ~sums) if sums.any() else {**table, **sides}

    def _tallied(self, table: Table, found: VoteColumns) -> Table:
        """Return every row as often as its count of votes says, unless the column numbers the rows."""
        self._count = column = found.roles["count"]
        counts, named = finite_numbers(table[column], column), "count" in self.named
        read = [table[name] for role, name in found.roles.items() if role not in {"count", "weight"}]
        read += [table[name] for name in found.others.values()]
        return self._rows(table, np.repeat(np.arange(len(counts)), votes_of_row(counts, column, read, named=named)))

    def _rows(self, table: Table, kept: NDArray[Any]) -> Table:
        """Return the rows that a mask keeps, or those at some places."""
        rows = np.flatnonzero(kept) if kept.dtype == bool else kept
        self._moved_to(rows)
        return {name: values[rows] for name, values in table.items()}

    def _coded(self, values: Any, what: str, kept: Any = slice(None)) -> Codes:  # noqa: ANN401 - an array, or pandas' own
        """Return the numbers of names in the rows that are kept; what has no name has a number of its own."""
        cells = values if isinstance(values, TextCells) else text_cells(values, what)
        number_of, codes = self._codes[what], cells.codes[kept]
        missing = codes < 0
        if what in UNITS:
            places = [number_of.setdefault(text, len(number_of)) for text in cells.texts]
            coded = np.array([*places, 0], dtype=np.int64)[codes]
            coded[missing] = self._own_units(int(missing.sum()), what)
            return coded
        if missing.any():
            rule = "a system has no name; fill it in, or leave the row out if it is no vote"
            raise RowError(int(np.argmax(missing)), rule)
        places = []
        for number, text in enumerate(cells.texts):
            try:
                places.append(number_of.setdefault(system_name(text), len(number_of)))
            except ScoresError as error:
                raise RowError(int(np.argmax(codes == number)), str(error)) from None
        return np.array(places, dtype=np.int64)[codes]

    def _own_units(self, number: int, what: str) -> Codes:
        """Return numbers of units that nobody named, below 0."""
        self._numbers[what] += number
        self._numbers["unnamed"] += number
        return np.arange(number) - self._numbers["unnamed"]

    def _sides(self, table: Table, roles: Mapping[str, str]) -> tuple[Codes, Codes]:
        left, right = (self._coded(table[roles[side]], "system") for side in ("left", "right"))
        return left, right

    def _add_votes(self, table: Table, found: VoteColumns) -> None:
        left, right = self._sides(table, found.roles)
        says = "winner" if "winner" in found.roles else "loser"
        cells = text_cells(table[column := found.roles[says]], says)
        preferences = self._winners.preferences(cells, column, found.roles["left"])
        self._forms["votes" if preferences is None else "preferences"] = None
        self._winners.sides = (found.roles["left"], found.roles["right"])
        verdicts = preferences or self._flagged(cells, column, found, says)
        share, weight, is_vote = verdicts or self._winners.verdicts(cells, left, right, self._at, says=says)
        if says == "loser":
            self._loser, share = column, 1.0 - share
        if "count" in found.roles:
            numbers = finite_numbers(table[found.roles["count"]], "count")
            is_vote &= ~self._mirrored(table, found, (left, right), (numbers, share), (numbers, 1.0 - share), is_vote)
        self._keep(table, found, left, right, share, weight, is_vote)

    def _flagged(self, cells: TextCells, column: str, found: VoteColumns, says: str) -> Verdicts | None:
        """Return what 1 and 0 say in a column that names the side of which 1 is a win."""
        side = side_of_wins(column) if says == "winner" else ""
        verdicts = self._winners.flags(cells, side) if side else None
        if verdicts is not None:
            yes, no = ("true", "false") if "true" in map(str.casefold, cells.texts) else ("1", "0")
            rival = "right" if side == "left" else "left"
            self._flags = (
                f"column {column!r} says by its name that {yes} is a win of {found.roles[side]!r} and {no} one of "
                f"{found.roles[rival]!r}; else say what they mean (`words={ {yes: rival, no: side}!r}`)"
            )
        return verdicts

    def _mirrored(  # noqa: PLR0913, PLR0917 - a row from either side
        self,
        table: Table,
        found: VoteColumns,
        sides: tuple[Codes, Codes],
        seen: Sequence[Floats],
        turned: Sequence[Floats],
        weight: NDArray[Any],
    ) -> NDArray[np.bool_]:
        """Return which rows of counts are another seen from the other side, and count their votes."""
        units = [text_cells(table[found.roles[role]], role).codes for role in UNITS if role in found.roles]
        if not any((numbers > 1).any() for numbers in seen):
            return np.zeros(len(sides[0]), dtype=bool)  # single votes, of both orders
        mask = mirrors([*sides, *seen, *units], [*sides[::-1], *turned, *units])
        self._numbers["mirrored"] += int(weight[mask].sum())
        return mask

    def _add_orders(self, table: Table, found: VoteColumns) -> None:
        left, right = self._sides(table, found.roles)
        for (first, second), column in zip(((left, right), (right, left)), found.others.values(), strict=True):
            share, weight, is_vote = self._winners.verdicts(text_cells(table[column], "winner"), left, right, self._at)
            turned = np.full(len(left), first is not left)
            self._keep(
                table, found, first, second, np.where(turned, 1.0 - share, share), weight, is_vote, turned=turned
            )

    def _add_outcomes(self, table: Table, found: VoteColumns) -> None:
        """Take the outcome whose column is 1."""
        left, right = self._sides(table, found.roles)
        flags = np.stack([flags_of(table[name], f"column {name!r}") for name in found.others.values()])
        shares = np.array([COUNTS.get(word, share_of_column(word)) for word in found.others], dtype=np.float64)
        if (odd := np.flatnonzero(flags.sum(axis=0) != 1)).size:
            words, n = first_few(list(found.others.values())), int(flags[:, odd[0]].sum())
            way = "repair the row" + "; a tie is 1 in a column 'tie' of its own" * (
                n == 0 and COUNTS["ties"] not in shares
            )
            raise RowError(int(odd[0]), f"{n} of {words} are 1, and a vote has one outcome; {way}")
        self._keep(table, found, left, right, shares[flags.argmax(axis=0)])

    def _add_scores(self, table: Table, found: VoteColumns) -> None:
        """Take the higher of two scores, or the better of two ranks, for a vote, and equal ones for a tie."""
        self._scored = tuple(found.others.values())
        left, right = self._sides(table, found.roles)
        scores = [finite_numbers(table[name], name) for name in self._scored]
        lead = np.sign(scores[0] - scores[1]) * (-1.0 if self._is_lower_better() else 1.0)
        scored = np.isfinite(lead)
        self._numbers["unscored"] += int((~scored).sum())
        self._keep(table, found, left, right, (np.where(scored, lead, 0.0) + 1) / 2, kept=scored)

    def _is_lower_better(self) -> bool:
        """Whether scores of both sides are called as ranks, or as errors."""
        return any(role_of_name(name)[0] == "rank" or not rises_by_name(name) for name in self._scored)

    def _add_winners(self, table: Table, found: VoteColumns) -> None:
        """Take a winner and a loser, or two that are tied."""
        sides = [table[found.roles[side]] for side in ("left", "right")]
        cells = [side if isinstance(side, TextCells) else text_cells(side, "system") for side in sides]
        if max((len(text) for side in cells for text in side.texts), default=0) > _LONGEST_NAME:
            columns = f"{found.roles['left']!r} and {found.roles['right']!r}"
            raise ScoresError(f"columns {columns} hold answers, and votes are on systems; write whose answer each is")
        left, right = self._sides(table, found.roles)
        share = np.ones(len(left))
        for column in found.others.values():
            share[flags_of(table[column], f"column {column!r}")] = 0.5
        self._keep(table, found, left, right, share)

    def _add_counts(self, table: Table, found: VoteColumns) -> None:
        left, right = self._sides(table, found.roles)
        if RATE in found.others:
            self._rate, n_votes = found.others[RATE], found.roles["count"]
            counts = counts_of_rates(table[self._rate], self._rate, whole_counts(table[n_votes], n_votes))
        else:
            counts = {word: whole_counts(table[column], column) for word, column in found.others.items()}
        total = np.sum(list(counts.values()), axis=0)
        if (column := found.roles.get("count")) is not None:
            self._numbers["unsaid"] += unsaid_votes(whole_counts(table[column], column), total, column)
        turned = [counts["losses"], counts["wins"], *([counts["ties"]] if "ties" in counts else [])]
        seen = [counts["wins"], counts["losses"], *turned[2:]]
        kept = ~self._mirrored(table, found, (left, right), seen, turned, total)
        bare = found._replace(roles={side: found.roles[side] for side in ("left", "right")})
        for word, numbers in counts.items():
            self._keep(table, bare, left, right, np.full(len(left), COUNTS[word]), numbers, (numbers > 0) & kept)

    def _add_games(self, table: Table, found: VoteColumns) -> None:
        """Take a model's games: the baseline is A in the first, and B in the second; one that failed costs all."""
        scores = [scores_of_games(row, games) for row, games in enumerate(table[found.others[GAMES]])]
        lengths = np.array([len(game_scores) for game_scores in scores], dtype=np.int64)
        self._numbers["failed"] += int((lengths == 0).sum())
        rows = np.repeat(np.arange(len(scores)), lengths)
        if not len(rows):
            return
        turned = (np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)) % 2 == 1
        self._moved_to(rows)
        flat = {name: values[rows] for name, values in table.items() if name != found.others[GAMES]}
        model = self._coded(flat[found.roles["right"]], "system")
        if not found.roles["left"]:
            self._baseline = "baseline"
            flat["left"] = np.full(len(rows), self._baseline, dtype=object)
        baseline = self._coded(flat[found.roles["left"] or "left"], "system")
        left, right = np.where(turned, model, baseline), np.where(turned, baseline, model)
        outcomes = np.empty(len(rows), dtype=object)
        outcomes[:] = [score for game_scores in scores for score in game_scores]
        verdicts = self._winners.verdicts(text_cells(outcomes, "score of a game"), left, right, self._at)
        self._keep(flat, found, left, right, *verdicts, turned=turned)

    def _keep(  # noqa: PLR0913, PLR0917 - a vote
        self,
        table: Table,
        found: VoteColumns,
        left: Codes,
        right: Codes,
        share: Floats,
        weight: Floats | float = 1.0,
        kept: NDArray[np.bool_] | None = None,
        turned: NDArray[np.bool_] | None = None,
    ) -> None:
        """Keep votes, all of one weight and all that there are where nothing else is said."""
        weight, kept = np.full(len(left), weight), np.ones(len(left), dtype=bool) if kept is None else kept
        if (same := left == right).any():
            first = int(np.argmax(same))
            name = list(self._codes["system"])[left[first]]
            raise RowError(first, f"system {name!r} plays itself; leave such rows out")
        if (column := found.roles.get("weight")) is not None:
            numbers = finite_numbers(table[column], "weight")
            fits = (numbers == 0) | ((numbers >= 1 / MOST) & (numbers <= MOST))
            if (odd := np.flatnonzero(~fits & kept)).size:
                rule = f"column {column!r}: weights must be numbers of 0 or more ({1 / MOST:g} to {MOST:g}, or 0)"
                raise RowError(int(odd[0]), rule)
            self._weight = column if (numbers[kept] != 1).any() else self._weight
            self._numbers["weights of parts"] += int((numbers != np.rint(numbers)).sum())
            weight = weight * np.where(kept, numbers, 0.0)
        fields: dict[str, NDArray[Any]] = {"left": left, "right": right, "share": share, "weight": weight}
        fields = {name: values[kept] for name, values in fields.items()}
        for role in UNITS:
            if role in found.roles:
                fields[role] = self._coded(without_lists(table[found.roles[role]], role), role, kept)
        hashed = {"ids": self._ids} | {_OFFERED + name: [name] for name in self._offered}
        fields |= {key: hashes_of({name: table[name] for name in of})[kept] for key, of in hashed.items() if of}
        self._voter = found.roles.get("voter", self._voter)
        for number, name in enumerate(self._covariates):
            fields[f"covariate {number}"] = covariate_of(
                name, table, kept, placed=found.form != "winners", turned=turned
            )
        for name, sides in self._unasked.items():
            try:
                fields[f"unasked {name}"] = covariate_of(name, table, kept, placed=True)
            except RowError:  # no number somewhere, which matters to nobody who did not ask
                self._unused |= dict.fromkeys(sides)
        self._parts.append(fields)


_FIXED_SIDES = (
    "every pair of systems has the same one on the left in all its votes: a preference for a side would look as one "
    "for a system; if sides were shuffled for those who voted, write down who stood where"
)
_READ_AS = {
    "votes": "votes, one a row",
    "preferences": "preferences from 1 (the first output) to 2 (the second), one a row",
    "outcomes": "votes, one a row, with a column for every outcome",
    "winners": "votes, one a row, by winner and loser",
    "scores": "votes, one a row, by the scores of both sides",
    "counts": "counts of wins, losses and ties",
    "orders": "votes on both orders of a pair (MT-Bench)",
    "games": "games against a baseline (Arena-Hard)",
}
