"""Which columns of a table say what of a vote, by the names that arenas and preference judges give them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from metaeval.base.columns import underscored
from metaeval.errors import UnknownNameError

UNITS = ("question", "voter")
"""What votes can hang together by."""

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "left": ("left", "model_a", "system_a", "model_1", "system_1", "generator_1", "option_a", "model_x"),
    "right": ("right", "model_b", "system_b", "model_2", "system_2", "generator_2", "option_b", "model_y"),
    "winner": ("winner", "preference", "verdict", "vote", "outcome", "choice"),
    "question": (
        *("question_id", "question", "prompt_id", "prompt", "query_id", "query", "topic_id", "topic"),
        *("item_id", "item", "instruction", "uid"),
    ),
    "voter": ("voter", "voter_id", "worker", "worker_id", "annotator", "judge", "assessor", "rater", "user", "user_id"),
    "weight": ("weight", "weights"),
}
"""What columns are called, the surest name first; case, blanks and hyphens do not matter."""
COUNTS = {"wins": 1.0, "losses": 0.0, "ties": 0.5}
ORDERS = ("g1_winner", "g2_winner")
GAMES = "games"


class VoteColumns(NamedTuple):
    """Which columns of a table say what of a vote, by their names there."""

    roles: Mapping[str, str]
    """"left", "right", "winner", "question", "voter", "weight"."""
    form: str
    """"votes", "counts", "orders" or "games"."""


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
    words = {underscored(str(name).strip()): str(name) for name in columns}
    roles = dict(named or {})
    for role, column in roles.items():
        if column not in words.values():
            raise UnknownNameError(f"column for {role}", column, list(words.values()))
    for role, spellings in COLUMNS.items():
        found = next((words[one] for one in spellings if one in words and words[one] not in roles.values()), None)
        if role not in roles and found is not None:
            roles[role] = found
    if GAMES in words and "model" in words:
        return VoteColumns({"left": words.get("baseline", ""), "right": words["model"], **_units(roles)}, "games")
    if not {"left", "right"} <= set(roles):
        return None
    if set(ORDERS) <= set(words):
        return VoteColumns(roles, "orders")
    if "winner" in roles:
        return VoteColumns(roles, "votes")
    return VoteColumns(roles, "counts") if {"wins", "losses"} <= set(words) else None


def _units(roles: Mapping[str, str]) -> dict[str, str]:
    return {role: column for role, column in roles.items() if role in UNITS}
