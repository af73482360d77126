"""Which columns of a table say what of a vote, by the names that arenas and preference judges give them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from metaeval.base.columns import JUDGES, PARTS, VOTERS, underscored
from metaeval.errors import InvalidOptionError, UnknownNameError
from metaeval.table.roles import SCORES, WHOLE, WITHIN_ITEMS, role_of_name
from metaeval.table.vote_words import TABLE, WINNER, share_of_column, side_of_wins

UNITS = ("question", "voter")
"""What votes can hang together by."""

_CALLED, _OTHERS = TABLE["columns"], TABLE["others"]
_TOPICS, _ITEMS, _TRACES, _QUESTIONS = (PARTS["topic"][at] for at in (0, 1, 2, 4))
_NAMED_SIDES = [*(word for tier in PARTS["system"] for word in tier), *TABLE["sides"]["of"]]
_SHARED: Mapping[str, Sequence[str]] = {
    **{
        side: [f"{one}_{other}" for word in _NAMED_SIDES for end in TABLE["sides"][side]
               for one, other in ((word, end), (end, word))]
        for side in ("left", "right")
    },
    "question": [word for tier in (_TOPICS, _ITEMS, _TRACES, _QUESTIONS) for word in tier
                 if word not in {*WITHIN_ITEMS, *_OTHERS["user"]}],
    "voter": [*JUDGES, *_OTHERS["user"], *VOTERS],
}  # fmt: skip
"""Words of all tables that follow those of votes; users are voters."""
COLUMNS: Mapping[str, tuple[str, ...]] = {role: (*words, *_SHARED.get(role, ())) for role, words in _CALLED.items()}
"""What columns are called, the surest name first; case, blanks and hyphens do not matter."""
_NUMBER_OF, _VOTES = (frozenset(TABLE["count"][part]) for part in ("number", "votes"))
"""Words of names that say how many votes a row stands for, in many languages."""
COUNTS = {"wins": 1.0, "losses": 0.0, "ties": 0.5}
_COUNT_WORDS: Mapping[str, Sequence[str]] = TABLE["counts"]
"""What columns of the left system's counts are called; the right one's wins are its losses."""
RATE = "rate"
RATES = frozenset(_OTHERS["rate"])
"""What columns of the share of a row's votes that the left system won are called, beside the number of votes."""
_RATER = re.compile(
    r"(rater|annotator|judge|voter|assessor|coder|reviewer|evaluator|expert|labell?er|worker|human)_?([0-9]+|[a-z])"
)
"""Columns of the votes of one of several people."""
ORDERS = ("g1_winner", "g2_winner")
GAMES, MODEL, BASELINE = "games", "model", "baseline"
WINNERS: Mapping[str, str] = TABLE["winners"]
"""Columns of systems that won, and of those that lost against them."""
PAIRS: Sequence[str] = _OTHERS["pair"]
"""Columns that hold both systems, beside one called winner: others may be labels of pairs by number."""
TIES: Sequence[str] = _OTHERS["tie"]
_SCORES = WHOLE | {*SCORES["score"], *_OTHERS["score"]}
_NUMBERED_SIDES = {"1": 1.0, "2": 0.0}
_NUMBER_AT_END = re.compile(r"(?<=[^\W\d_])(?=[12]\Z)")


class VoteColumns(NamedTuple):
    """Which columns of a table say what of a vote, by their names there."""

    roles: Mapping[str, str]
    """"left", "right" (one column where it holds both), "winner" or "loser", "question", "voter", "weight", "count"."""
    form: str
    """"votes", "raters" (a column of votes for each), "outcomes" (a column of 1 and 0 for each), "winners" (beside
    losers), "scores" (of both sides), "counts", "orders" or "games"."""
    others: Mapping[str, str]
    """What else the form is read from, as `underscored` writes it, and the column."""

    @property
    def read(self) -> set[str]:
        """The columns that are read."""
        return {*self.roles.values(), *self.others.values()} - {""}


def vote_columns(columns: Iterable[object], named: Mapping[str, str] | None = None) -> VoteColumns | None:
    """Find the columns of votes; None for a table of something else.

    Parameters
    ----------
    columns : iterable
        Names of all columns.
    named : mapping of str to str, optional
        Columns that were named for a role.

    Examples
    --------
    >>> vote_columns(["question_id", "model_a", "model_b", "winner", "judge"]).roles["voter"]
    'judge'
    >>> vote_columns(["left", "right", "wins", "losses"]).form
    'counts'
    >>> vote_columns(["system", "topic", "score"]) is None
    True
    """
    names = list(map(str, columns))
    words: dict[str, str] = {}
    for name in names:
        words.setdefault(_word(name), name)
    roles = dict(named or {})
    for role, column in roles.items():
        if column not in names:
            raise UnknownNameError(f"column for {role}", column, names)
    for role, spellings in COLUMNS.items():
        candidate = next(
            (words[spelling] for spelling in spellings if spelling in words and words[spelling] not in roles.values()),
            None,
        )
        if role not in roles and candidate is not None:
            roles[role] = candidate
    many = next((name for name in names if name not in roles.values() and _counts_votes(name)), None)
    if many is not None:
        roles.setdefault("count", many)
    roles = _without_either(roles, named or {})

    if GAMES in words and MODEL in words:
        units = {role: column for role, column in roles.items() if role in UNITS}
        roles = {"left": words.get(BASELINE, ""), "right": words[MODEL], **units}
        return VoteColumns(roles, "games", {GAMES: words[GAMES]})
    winner = next((name for name, loser in WINNERS.items() if {name, loser} <= words.keys()), "")
    if not {"left", "right"} <= set(roles) and winner:
        roles |= {"left": words[winner], "right": words[WINNERS[winner]]}
        roles = {role: column for role, column in roles.items() if role not in {"winner", "loser"}}
        return VoteColumns(roles, "winners", _held(TIES, words))
    pair = next((words[word] for word in PAIRS if word in words), None)
    if pair is not None and roles.keys().isdisjoint({"left", "right"}) and "winner" in words:
        roles |= {"left": pair, "right": pair}
    return _of_two_sides(roles, words, named or {}) if {"left", "right"} <= set(roles) else None


def _counts_votes(name: str) -> bool:
    """Whether words say how many votes: "Anzahl Stimmen", "number of votes"."""
    words = {*_word(name).replace(".", "_").split("_")} - {"of", "the", "der", "de", "di", "von", "van", ""}
    return not words.isdisjoint(_NUMBER_OF) and not words.isdisjoint(_VOTES) and words <= _NUMBER_OF | _VOTES


def _without_either(roles: Mapping[str, str], named: Mapping[str, str]) -> dict[str, str]:
    """Return roles of which one says who won or who lost: of two the one that was named, else that of the winner."""
    if {"winner", "loser"} <= named.keys():
        raise InvalidOptionError("name the column that says who won or the one that says who lost, not both")
    out = "winner" if "loser" in named else "loser" if "winner" in roles else ""
    return {role: column for role, column in roles.items() if role != out}


def _of_two_sides(roles: Mapping[str, str], words: Mapping[str, str], named: Mapping[str, str]) -> VoteColumns | None:
    bare = {role: column for role, column in roles.items() if role != "loser"}
    if set(ORDERS) <= set(words):
        return VoteColumns(bare, "orders", _held(ORDERS, words))
    if "winner" in roles or "loser" in named:
        return VoteColumns(roles, "votes", {})
    outcomes = {word: share for word in words if (share := share_of_column(word)) is not None}
    if {0.0, 1.0} <= set(outcomes.values()):
        return VoteColumns(bare, "outcomes", _held(outcomes, words))
    counts = {
        word: words[held[0]]
        for word, called in _COUNT_WORDS.items()
        if (held := [one for one in called if one in words])
    }
    rate = next((words[word] for word in words if word in RATES), None)
    wins = {side_of_wins(name): name for name in words.values() if name not in bare.values()}
    if {"left", "right"} <= wins.keys():
        counts |= {"wins": wins["left"], "losses": wins["right"]}
    if rate is not None and "count" in roles and not {"wins", "losses"} <= counts.keys():
        counts = {RATE: rate}
    if {"wins", "losses"} <= counts.keys() or RATE in counts:
        return VoteColumns(bare, "counts", counts)
    if "loser" in roles:
        return VoteColumns(roles, "votes", {})
    raters = {word: name for word, name in words.items() if _RATER.fullmatch(word) and name not in bare.values()}
    by_rater = len(raters) > 1 and "voter" not in roles
    form, others = ("raters", raters) if by_rater else ("scores", _scores_of_sides(words))
    of_side = _wins_of_a_side(words) if not others and not ("count" in roles and counts) else ""
    if of_side:
        form, bare = "votes", {**bare, "winner": of_side}
    return VoteColumns(bare, form, others) if others or of_side else None


def _wins_of_a_side(words: Mapping[str, str]) -> str:
    """Return the one column that is called as the wins of a side; "" where ties, 0 there too, have one of their own."""
    wins = [name for name in words.values() if side_of_wins(name)]
    ties = {*TIES, *(WINNER + word for word in TIES)}
    return wins[0] if len(wins) == 1 and words.keys().isdisjoint(ties) else ""


def _scores_of_sides(words: Mapping[str, str]) -> dict[str, str]:
    """Return the first two columns called as scores, or ranks, of the left and the right side.

    Examples
    --------
    >>> _scores_of_sides({word: word for word in ("length_a", "length_b", "model_b_score", "model_a_score", "rank_a")})
    {'model_a_score': 'model_a_score', 'model_b_score': 'model_b_score'}
    """
    sides: dict[str, dict[float, str]] = {}
    for word in words:
        parts = word.split("_")
        cuts = [("_".join(parts[:at]), "_".join(parts[at:])) for at in range(1, len(parts))]
        for called, side in [*cuts, *((end, start) for start, end in cuts)]:
            share = _NUMBERED_SIDES.get(side, share_of_column(WINNER + side))
            if share in {0.0, 1.0} and (called in _SCORES or role_of_name(called) == ("rank", "")):
                sides.setdefault(called, {}).setdefault(share, word)
    pair = next((by_side for by_side in sides.values() if len(by_side) > 1), {})
    return {pair[share]: words[pair[share]] for share in sorted(pair, reverse=True)}


def _held(wanted: Iterable[str], words: Mapping[str, str]) -> dict[str, str]:
    return {word: words[word] for word in wanted if word in words}


def refuse_doubles(columns: Iterable[object], found: VoteColumns, named: Mapping[str, str]) -> None:
    """Refuse two columns that are called alike, or but for their case, where one of them is read and none was named."""
    by_word: dict[str, str] = {}
    for name in map(str, columns):
        earlier = by_word.get(_word(name))
        by_word.setdefault(_word(name), name)
        if earlier is None or not {earlier, name} & found.read:
            continue
        if earlier == name:
            raise InvalidOptionError(f"two columns are called {name!r}; rename one, or leave it out")
        if not {earlier, name} & set(named.values()):
            role = next((role for role, column in found.roles.items() if column in {earlier, name}), "")
            way = f"name the right one (`columns={{{role!r}: {name!r}}}`)" if role else "rename one"
            raise InvalidOptionError(f"columns {earlier!r} and {name!r} are called alike; {way}")


def _word(name: object) -> str:
    return _NUMBER_AT_END.sub("_", underscored(str(name).strip()))
