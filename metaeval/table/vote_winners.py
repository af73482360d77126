"""Who won a vote: the name of one of the two, a word that the reader said or arenas use, or a number of preference."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from metaeval.base.columns import underscored
from metaeval.base.names import is_number, shortened
from metaeval.errors import MetaevalError
from metaeval.table.vote_cells import FLAGS, Codes, Floats, RowError, TextCells
from metaeval.table.vote_words import BOTH_BAD, NAME, SIDES, VERDICTS, plain_word, said_verdicts

type Refuse = Callable[[int, str], MetaevalError]
"""What makes the error of a row, by its place in a table, and the rule that it breaks."""
type Verdicts = tuple[Floats, Floats, NDArray[np.bool_]]
"""The left systems' shares, what each vote weighs, and which rows have a verdict."""

_FIRST, _SECOND, _TIED = 1.0, 2.0, 1.5
"""AlpacaEval's preferences; older files have 0 for a tie."""
_PREFERENCE, _GENERATOR = "preference", "generator_1"
_MOST_SHARES = 3
_MOST_WORDS = 11
"""Numbers of a scale that an error says one by one."""
_MOST_TWICE, _TWO = 6, 2


class Winners:
    """Verdicts of rows that come some at a time."""

    def __init__(self, words: Mapping[str, str], systems: Mapping[str, int]) -> None:
        self._said, self._systems = said_verdicts(words), systems
        self._names = {plain_word(word) for word, meaning in words.items() if meaning == NAME}
        self.sides = ("left", "right")  # the names of the columns of both sides
        self._used: dict[str, MetaevalError] = {}
        self.n_left_out = self.n_strong = 0
        self.both_bad: Counter[str] = Counter()  # votes that both are bad, by the word for it

    def verdicts(
        self, cells: TextCells, left: Codes, right: Codes, refuse: Refuse, *, says: str = "winner"
    ) -> Verdicts:
        """Return which side a column of winners, or one that `says` who was the loser, names.

        Words that the reader said come first, then the names of the two systems, then known words. Names that are all
        words for sides, and could say something else as such, are asked about where columns end so (model_a, model_b).
        """
        if (cells.codes < 0).any():
            row = int(np.argmax(cells.codes < 0))
            played = self._played(left[row], right[row])
            raise RowError(row, f"there is no {says}, and {played}; write tie, or leave such rows out")
        plain = list(map(plain_word, cells.texts))
        meant = [self._said.get(word) or VERDICTS.get(word) or (np.nan, 1.0, True) for word in plain]
        meanings = np.array(meant, dtype=np.float64).reshape(-1, 3)[cells.codes]
        places = np.array([self._systems.get(text, -1) for text in cells.texts], dtype=np.int64)[cells.codes]
        of_reader = np.array([word in self._said for word in plain], dtype=bool)[cells.codes]
        by_word = of_reader | ((places != left) & (places != right))
        by_name = (places == left).astype(np.float64)
        share = np.where(by_word, meanings[:, 0], by_name)
        sides = np.isin(meanings[:, 0], (0.0, 1.0))
        unlike = ~by_word & sides & (meanings[:, 0] != by_name)
        open_names = len({*meanings[~by_word, 0]}) > 1 and self._names.isdisjoint(plain)
        are_letters = not {side[-1:].casefold() for side in self.sides}.isdisjoint(plain)
        if unlike.any() and open_names and are_letters and (by_word | sides).all():
            raise RowError(int(np.argmax(unlike)), _names_or_sides(cells.texts, plain, says=says))
        if (odd := np.isnan(share)).any():
            row = int(np.argmax(odd))
            word = cells.texts[cells.codes[row]]
            raise RowError(row, self._unknown(word, left[row], right[row], cells.texts, says=says))
        self._note_words(cells, plain, np.flatnonzero(by_word), (left, right), refuse)
        counts = np.bincount(cells.codes[by_word], minlength=len(plain))
        bad = [at for at, word in enumerate(plain) if word in BOTH_BAD and word not in self._said and counts[at]]
        self.both_bad.update({cells.texts[at]: int(counts[at]) for at in bad})
        weight, is_vote = np.where(by_word, meanings[:, 1], 1.0), ~by_word | (meanings[:, 2] == 1)
        self.n_strong += int((weight != 1).sum())
        self.n_left_out += int((~is_vote).sum())
        return share, weight, is_vote

    def flags(self, cells: TextCells, side: str) -> Verdicts | None:
        """Return what 1 and 0 say where 1 is a win of a side; None where the reader said what they mean, or for words.

        An empty cell and 0.5 are left to `verdicts` and to the reader.
        """
        flags = [FLAGS.get(plain_word(text)) for text in cells.texts]
        is_named = any(plain_word(text) in self._said or text in self._systems for text in cells.texts)
        if is_named or None in flags or (cells.codes < 0).any():
            return None
        won = np.array(flags, dtype=bool)[cells.codes] == (side == "left")
        return won.astype(np.float64), np.ones(len(won)), np.ones(len(won), dtype=bool)

    def preferences(self, cells: TextCells, column: str, left: str) -> Verdicts | None:
        """Return what a column "preference" of numbers says, None where it holds words or names.

        Numbers that the reader said mean that; all of them are words where one was said to be a side or a tie that the
        scale does not have there.
        """
        texts = cells.texts
        if underscored(column.strip()) != _PREFERENCE or any(text in self._systems for text in texts):
            return None
        if not all(map(is_number, texts)):
            return None
        numbers = np.array([float(text) for text in texts])
        if underscored(left.strip()) == _GENERATOR:
            numbers[numbers == 0] = _TIED
        on_scale = (numbers >= _FIRST) & (numbers <= _SECOND)
        share, weight, counts = (
            np.append(_SECOND - numbers, 0.5),
            np.ones(len(texts) + 1),
            np.ones(len(texts) + 1, bool),
        )
        counts[-1] = False  # an empty cell
        for at, verdict in enumerate(map(self._said.get, map(plain_word, texts))):
            if verdict is None:
                continue
            if verdict.kept if not on_scale[at] else verdict[0] != share[at]:
                return None
            (share[at], weight[at], counts[at]), on_scale[at] = verdict, True
        if (odd := cells.first(~on_scale)) >= 0:
            text = shortened(texts[cells.codes[odd]])
            raise RowError(
                odd,
                f"the preference is {text!r}; preferences are numbers from 1 (the first output) to 2 (the second): say "
                f"what each of these means, {words_of_scale(texts, self.sides)}",
            )
        is_vote = counts[cells.codes]
        self.n_left_out += int((~is_vote).sum())
        return share[cells.codes], weight[cells.codes], is_vote

    def refuse_names(self) -> None:
        """Refuse a known word for the winner, in votes on others, that is a system's name too."""
        names = {name.casefold() for name in self._systems}
        for word, error in self._used.items():
            if word in names:
                raise error

    def _note_words(
        self, cells: TextCells, plain: Sequence[str], used: Codes, sides: tuple[Codes, Codes], refuse: Refuse
    ) -> None:
        """Keep the error of the first use of every known word, lest a system that comes later has that name."""
        for number, first in zip(*np.unique(cells.codes[used], return_index=True), strict=True):
            text, row = cells.texts[number], int(used[first])
            if plain[number] in self._said or text.casefold() in self._used:
                continue
            side = SIDES.get(plain[number], "left")
            played = self._played(*(codes[row] for codes in sides))
            rule = (
                f"the winner is {text!r}, and a system is called so, but {played}; repair the row, or pass "
                f"`words={{{text!r}: {side!r}}}` if it means {side} here"
            )
            self._used[text.casefold()] = refuse(row, rule)

    def _unknown(self, text: str, left: int, right: int, texts: Sequence[str], *, says: str) -> str:
        played, word = self._played(left, right), shortened(text)
        if text in self._systems:
            return f"the {says} is {word!r}, who did not play: {played}; repair the row, or take it out"
        texts = [plain_word(written) for written in texts if written not in self._systems]
        texts = [unknown for unknown in texts if unknown not in VERDICTS]
        if all(map(is_number, texts)) or FLAGS.keys() >= {*texts}:
            numbers = [float(FLAGS.get(unknown, unknown)) for unknown in texts]
            if len({*numbers}) > _MOST_SHARES and 0 <= min(numbers) <= max(numbers) <= 1:
                return (
                    f"the {says} is {word!r}, and {played}; a share of votes is no {says}: call the column win_rate, "
                    "beside one called n that says how many votes each row stands for"
                )
            return (
                f"the {says} is {word!r}, and {played}; say what each {'number' if is_number(text) else 'word'} means, "
                f"{words_of_scale(texts, self.sides, says=says)}"
            )
        return (
            f"the {says} is {word!r}, and {played}; a {says} is left, right, tie, both bad, or one of the two; if the "
            f"word means the left system pass `words={{{word!r}: 'left'}}`, else 'right', 'tie' or 'none' (no vote)"
        )

    def _played(self, left: int, right: int) -> str:
        systems = list(self._systems)
        return f"{systems[left]!r} played {systems[right]!r}"


def _names_or_sides(texts: Sequence[str], plain: Sequence[str], *, says: str) -> str:
    """Ask whether words that are names of systems, which stand on either side, mean these or the sides."""
    side_of = {
        text: SIDES[word] for text, word in zip(texts, plain, strict=True) if SIDES.get(word) in {"left", "right"}
    }
    return (
        f"the {says} may be the name of a system or a side, since systems are called so and stand on either side; pass "
        f"`words={side_of!r}` if sides are meant, or `words={dict.fromkeys(side_of, NAME)!r}` if names are"
    )


def words_of_scale(texts: Sequence[str], sides: tuple[str, str], *, says: str = "winner") -> str:
    """Return the ways out for numbers of a scale, or for true and false: what each of them means, from either end.

    Examples
    --------
    >>> words_of_scale(["1", "0"], ("a", "b"))[:66]
    "either `words={'0': 'right', '1': 'left'}` (1 means that 'a' won) "
    >>> words_of_scale(["3", "1", "2"], ("a", "b"))[:90]
    "either `words={'1': 'left', '2': 'tie', '3': 'right'}` (low numbers mean that 'a' won) or "
    """
    number_of = {text: float(FLAGS.get(text, text)) for text in {*map(plain_word, texts)}}
    ordered = sorted(number_of, key=number_of.__getitem__)
    if len(ordered) > _MOST_WORDS:
        return "by `words`"
    middle = (number_of[ordered[0]] + number_of[ordered[-1]]) / 2
    verb = "won" if says == "winner" else "lost"
    high_one = "1" if "1" in ordered else ordered[-1]
    is_pair = len(ordered) <= _TWO
    turns = [
        {
            text: "tie" if number_of[text] == middle and len(ordered) > 1 else low if number_of[text] < middle else high
            for text in ordered
        }
        for low, high in (("left", "right"), ("right", "left"))
    ]
    turns.sort(key=lambda side_of: side_of[high_one] != "left" if is_pair else 0)
    case = f"{high_one} means" if is_pair else "low numbers mean"
    ways = [f"`words={side_of}` ({case} that {side!r} {verb})" for side_of, side in zip(turns, sides, strict=True)]
    if ordered == ["0", "1", "2"]:
        by_number = dict(zip(ordered, ("tie", "left", "right"), strict=True))
        ways.insert(0, f"`words={by_number}` (0: a tie)")
    if len(ordered) > _MOST_TWICE:
        return f"{ways[0]}, or the other way round"
    return f"either {', '.join(ways[:-1])} or {ways[-1]}"


def scores_of_games(place: int, games: object) -> list[object]:
    """Return the scores of a row's games; none where one failed, which Arena-Hard writes as null."""
    if games is None:
        return []
    if not isinstance(games, list | tuple) or not all(isinstance(game, Mapping | None) for game in games):
        raise RowError(place, f"games are a list of objects with a score, not {shortened(repr(games), 30)}")
    scores = [None if game is None else game.get("score") for game in games]
    return [] if None in scores else scores
