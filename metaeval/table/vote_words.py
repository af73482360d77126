"""What words for the winner of a vote mean: those of arenas and judges, and those that the reader says."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from metaeval.base.checks import check_choice
from metaeval.base.columns import underscored, without_accents
from metaeval.errors import InvalidOptionError

TABLE: Mapping[str, Any] = tomllib.loads(without_accents(Path(__file__).with_suffix(".toml").read_text("utf-8")))
"""Names of columns of votes, and words for winners."""
NONE = "none"
NAME = "name"
"""What a word is that is the name of a system, where it could be a side too."""
STRONG = 3.0
"""What a double sign weighs: three votes, as Arena-Hard counts."""


class Verdict(NamedTuple):
    """What a word for the winner says."""

    share: float
    """The left system's of the vote."""
    weight: float = 1.0
    kept: bool = True
    """Whether it is a vote."""


_SIDES = {"left": Verdict(1.0), "right": Verdict(0.0), "tie": Verdict(0.5), NONE: Verdict(0.5, kept=False)}
_BOTH_BAD: Sequence[str] = TABLE["said"]["both_bad"]
_SAID = {side: [*_BOTH_BAD, *TABLE["said"][side]] if side == "tie" else TABLE["said"][side] for side in _SIDES}
SIDES = {word.replace("_", sign): side for side, words in _SAID.items() for word in words for sign in "_ -"}
"""Word to side; Arena-Hard's judge may write every label from either end."""
_STRONG = {"a>>b": "left", "b<<a": "left", "b>>a": "right", "a<<b": "right"}
VERDICTS: Mapping[str, Verdict] = {
    **{word: _SIDES[side] for word, side in SIDES.items()},
    **{word: _SIDES[side]._replace(weight=STRONG) for word, side in _STRONG.items()},
}
BOTH_BAD = frozenset(word.replace("_", sign) for word in _BOTH_BAD for sign in "_ -")
"""Words that say more than that there is no winner."""
WINNER = "winner_"
_TIED_CHAT = "[[c]]"
"""FastChat's judge's word for a tie; C without brackets may be a system."""
_WORDS = {what: frozenset(words) for what, words in TABLE["words"].items()}
_OPEN_WORDS, _VERBS, _NEGATED = (_WORDS[what] for what in ("open", "verbs", "negated"))
_OF_WINNERS = (_WORDS["won"] | {*TABLE["columns"]["winner"]}) - _OPEN_WORDS
_OF_LOSERS = _WORDS["lost"] | {*TABLE["columns"]["loser"]}
_WORDS_OF_WINS = _OF_WINNERS - _WORDS["degrees"]
"""What says in the name of a column beside a side that 1 is a win of that; preferences may be degrees."""


def plain_word(text: str) -> str:
    """Return a word as it is looked up: in lower case, without accents and brackets; 1.0 is 1.

    Examples
    --------
    >>> plain_word("[[A>B]]"), plain_word("1.0"), plain_word("Égalité")
    ('a>b', '1', 'egalite')
    """
    text = without_accents(text).strip().casefold()
    text = text if text == _TIED_CHAT else text.strip("[]")
    return text.removesuffix(".0") if text.removesuffix(".0").isdigit() else text


def says_who(name: str) -> str:
    """Return "winner" or "loser" as a column or a word says who won or who lost, "" where it says neither, or both.

    Examples
    --------
    >>> [says_who(name) for name in ("which_is_better", "Verlierer", "worst answer", "no better", "win or lose")]
    ['winner', 'loser', 'loser', '', '']
    """
    name = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", "_", without_accents(name))
    words = {*re.split(r"[\W\d_]+", name.casefold())}
    won, lost = words & _OF_WINNERS, words & _OF_LOSERS
    if is_negated(words) or (won and lost):
        return ""
    return "loser" if lost else "winner" if won or words & _OPEN_WORDS else ""


def side_of_wins(name: str) -> str:
    """Return the side of which a column of 1 and 0 says by its name that it won; "" where it names none.

    Examples
    --------
    >>> [side_of_wins(name) for name in ("a_wins", "model_B_is_better", "left won", "winner", "a_lost", "choice_a")]
    ['left', 'right', 'left', '', '', '']
    >>> [side_of_wins(name) for name in ("A gewinnt", "gana_b", "victoires gauche", "system2_wins")]
    ['left', 'right', 'left', 'right']
    """
    parts = re.sub(r"(?<=[^\W\d_])(?=[12](_|\Z))", "_", underscored(name.strip())).split("_")
    if _WORDS_OF_WINS.isdisjoint(parts) or is_negated(parts):
        return ""
    side = _UNDERSCORED.get("_".join(word for word in parts if word not in _WORDS_OF_WINS | _VERBS))
    return side if side in {"left", "right"} else ""


def tells_who(text: str) -> bool:
    """Whether a text says by itself that somebody won or lost, as "A is better" does and "A" does not."""
    words = {*re.split(r"[\W\d_]+", without_accents(text).casefold())}
    return not words.isdisjoint(_OF_WINNERS | _OF_LOSERS)


def is_negated(words: Iterable[str]) -> bool:
    """Say whether words turn what is said about."""
    return not _NEGATED.isdisjoint(words)


def said_verdicts(words: Mapping[str, str]) -> dict[str, Verdict]:
    """Return what the reader says of words."""
    side_of: dict[str, str] = {}
    for word, side in words.items():
        check_choice(side, "side", (*_SIDES, NAME))
        if side_of.setdefault(plain_word(word), side) != side:
            raise InvalidOptionError(f"`words` says two things of {word!r}, whose case does not matter; keep one")
    return {word: _SIDES[side] for word, side in side_of.items() if side != NAME}


def share_of_column(name: str) -> float | None:
    """Return the left system's share where a column of 1 and 0 says how a vote ended; None for other columns.

    Examples
    --------
    >>> [share_of_column(name) for name in ("winner_model_a", "winner_model_b", "winner_tie", "winner")]
    [1.0, 0.0, 0.5, None]
    """
    word = underscored(name.strip())
    side = _UNDERSCORED.get(word.removeprefix(WINNER)) if word.startswith(WINNER) else None
    return None if side in {None, NONE} else _SIDES[str(side)].share


_UNDERSCORED = {underscored(word): side for word, side in SIDES.items()}
