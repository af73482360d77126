"""Votes on pairs of systems: tables, JSON lines or a list, and the games of Arena-Hard.

The second opinion reads rows one by one. Whatever looks like a number or a gap is a name there, as it is written.
"""

import json
import random
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fuzz_benchmarks import CHANGES
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import is_number, lines_of, names_in, number_of, rows_of, text_of, with_titles
from fuzz_spelling import json_file, json_text, lines, table, title
from fuzz_text import text_mutation

from metaeval.io.votes import read_votes

type Row = Mapping[str, Any]
type _Counted = tuple[str, str, tuple[float, ...], tuple[str, str]]
"""Both systems; wins, losses and perhaps ties; question and voter."""
type Vote = tuple[str, str, float, float, str, str]
"""The left and the right system, the left one's share, the weight, the question and the voter; "" for none."""

_SYSTEMS = (
    *("1.10", "1.1", "007", "7", "1e3", "1000", "true", "True", "None", "NA", "nan", "null", "9223372036854775808"),
    *("12345678901234567890", "12345678901234567891", "é 名", "two words", "left", "tie", "a", "B", "x", "y", "0x10"),
)
_QUESTIONS = ("1", "1.0", "01", "1e0", "q é", "None", "12345678901234567890", "12345678901234567891")
_FORMS = ("votes", "votes", "names", "preferences", "outcomes", "winners", "orders", "counts")
_LABELS = ("A>>B", "A>B", "A=B", "B>A", "B>>A", "B<<A", "B<A", "B=A", "A<B", "A<<B")

# -------------------------------------------------------------------------------------------------- documents


def _record(  # noqa: PLR0911 - a return a form
    rng: random.Random, form: str, systems: Sequence[str], wording: Sequence[str]
) -> tuple[Row, list[Vote]]:
    """Return a row, and the votes that it says."""
    one, other = rng.sample(systems, 2)
    share, question, voter = rng.choice((1.0, 0.0, 0.5)), rng.choice(_QUESTIONS), rng.choice(("ann", "2.50", "é b"))
    word = wording[(1.0, 0.0, 0.5).index(share)]
    units = {"question_id": question, "judge": voter}
    votes = [(one, other, share, 1.0, question, voter)]
    sides = {"model_a": one, "model_b": other}
    if form == "names":
        named = one if share == 1 else other if not share else word
        return {"left": one, "right": other, "winner": named, **units}, votes
    if form == "preferences":
        share = rng.choice((0.0, 0.25, 0.5, 1.0))
        return {"generator_1": one, "generator_2": other, "preference": 2 - share, **units}, [
            (*votes[0][:2], share, *votes[0][3:])
        ]
    if form == "outcomes":
        held = {f"winner_{name}": int(share == at) for name, at in (("model_a", 1), ("model_b", 0), ("tie", 0.5))}
        return {**sides, **held, **units}, votes
    if form == "winners":
        first, second = (other, one) if not share else (one, other)
        tie = int(share == 0.5)
        return {"winner": first, "loser": second, "tie": tie, **units}, [
            (first, second, 0.5 if tie else 1.0, *votes[0][3:])
        ]
    if form == "orders":
        again = rng.choice((1.0, 0.0, 0.5))
        words = ["model_1" if at == 1 else "model_2" if not at else "tie" for at in (share, again)]
        row = {"model_1": one, "model_2": other, "g1_winner": words[0], "g2_winner": words[1], **units}
        return row, [*votes, (other, one, 1.0 - again, 1.0, question, voter)]
    if form == "counts":
        numbers = {name: rng.choice((0, 1, 3)) for name in ("wins", "losses", "ties")}
        shares = dict(zip(numbers, (1.0, 0.0, 0.5), strict=True))
        said = [(one, other, shares[name], float(n), "", "") for name, n in numbers.items() if n]
        return {"left": one, "right": other, **numbers}, said
    return {**sides, "winner": word, **units}, votes


def _wording(rng: random.Random, form: str, systems: Sequence[str]) -> tuple[str, str, str]:
    known = {name.casefold() for name in systems}
    words = [
        ("model_a", "model_b", "tie"),
        ("Left", "RIGHT", "tie (bothbad)"),
        ("a", "b", "both bad"),
        ("A", "B", "neither"),
        ("model 1", "Model-2", "no preference"),
        ("links", "RECHTS", "unentschieden"),
        ("first", "second", "about the same"),
        ("gauche", "droite", "\u00e9galit\u00e9"),
    ]
    usable = [three for three in words if not known & {word.casefold() for word in three}]
    words = [("model_a", "model_b", "draw")] if form == "orders" else usable
    return rng.choice(words or [("model_a", "model_b", "draw")])


def _drawn(rng: random.Random) -> tuple[str, list[Row], list[Vote]]:
    form = rng.choice(_FORMS)
    names = [name for name in _SYSTEMS if form != "orders" or name != "tie"]
    systems = rng.sample(names, rng.randint(2, 4))
    if form == "preferences":
        systems = [name for name in systems if not is_number(name)] + ["x", "y"]
        systems = list(dict.fromkeys(systems))
    wording = _wording(rng, form, systems)
    while True:
        made = [_record(rng, form, systems, wording) for _ in range(rng.randint(2, 7))]
        rows = [row for row, _ in made]
        try:
            again = _seen_again([_counted(row) for row in rows]) if form == "counts" else [False] * len(rows)
        except RefusedError:
            continue
        if any(votes for _, votes in made):
            said = [votes for (_, votes), seen in zip(made, again, strict=True) if not seen]
            return form, rows, _in_order(form, said)


def _counted(row: Row) -> _Counted:
    return row["left"], row["right"], tuple(float(row[name]) for name in ("wins", "losses", "ties")), ("", "")


def _seen_again(rows: Sequence[_Counted]) -> list[bool]:
    """Say which rows of counts are others seen from the other side: the later ones, where all that could be are."""
    sides = [row[:2] for row in rows]
    both = [(right, left) in sides for left, right in sides]
    if not any(both) or not any(number > 1 for _, _, numbers, _ in rows for number in numbers):
        return [False] * len(rows)
    turned = [(right, left, (lost, won, *ties), units) for left, right, (won, lost, *ties), units in rows]
    same = [rows.count(row) == rows.count(other) for row, other in zip(rows, turned, strict=True)]
    share = sum(one for one, two_sided in zip(same, both, strict=True) if two_sided) / sum(both)
    if 0.75 <= share < 1:
        raise RefusedError("rows that hardly any other one contradicts")
    return [
        share == 1 and there and sides.index(side) > sides.index(side[::-1])
        for side, there in zip(sides, both, strict=True)
    ]


def _in_order(form: str, votes: Sequence[Sequence[Vote]]) -> list[Vote]:
    if form == "counts":
        listed = [vote for row in votes for vote in row]
        return [vote for share in (1.0, 0.0, 0.5) for vote in listed if vote[2] == share]
    return [row[at] for at in range(2) for row in votes if at < len(row)]


def _cells(rows: Sequence[Row]) -> list[list[str]]:
    return [list(rows[0]), *([one if isinstance(one, str) else repr(one) for one in row.values()] for row in rows)]


def _make_table(rng: random.Random) -> Case:
    _, rows, _ = _drawn(rng)
    delimiter = rng.choice(",\t;")
    quoted = rng.choice(("", '"'))
    cells = ([f"{quoted}{cell}{quoted}" for cell in row] for row in _cells(rows))
    return Case(("".join(delimiter.join(row) + "\n" for row in cells).encode(),))


def _make_lines(rng: random.Random) -> Case:
    _, rows, _ = _drawn(rng)
    if rng.random() < 0.2:
        return Case((json.dumps(rows, indent=rng.choice((None, 1))).encode(),))
    return Case(("".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows).encode(),))


def _games(rng: random.Random) -> tuple[list[Row], list[Vote]]:
    rows, votes, models = [], [], rng.sample([name for name in _SYSTEMS if name != "B"], 3)
    for model in models[1:]:
        for uid in rng.sample(_QUESTIONS, rng.randint(1, 3)):
            labels = [rng.choice((*_LABELS, None)) for _ in range(2)]
            games = [rng.choice((None, {"score": None})) if label is None else {"score": label} for label in labels]
            rows.append({"uid": uid, "model": model, "judge": "j", "baseline": models[0], "games": games})
            if None not in labels:
                for sides, label in zip(((models[0], model), (model, models[0])), labels, strict=True):
                    votes.append((*sides, *_of_label(str(label)), uid, "j"))
    return rows, votes


def _of_label(label: str) -> tuple[float, float]:
    """Say what a label means: the sign points away from the better one, twice for three votes."""
    sign = label[1]
    first = label[0] if sign == ">" else label[-1]
    return (0.5 if sign == "=" else float(first == "A")), 3.0 if len(label) == 4 else 1.0


def _make_games(rng: random.Random) -> Case:
    rows, _ = _games(rng)
    return Case(("".join(json.dumps(row) + "\n" for row in rows).encode(),))


def _spelt_table(rng: random.Random) -> Case:
    _, rows, votes = _drawn(rng)
    cells = _cells(rows)
    order = rng.sample(range(len(cells[0])), len(cells[0]))
    cells = [[row[at] for at in order] for row in cells]
    if rng.random() < 0.3:
        cells = [[*row, rng.choice(("1", "x", ""))] if at else [*row, "turn"] for at, row in enumerate(cells)]
    if rng.random() < 0.3:
        cells[0] = [title(rng, word) for word in cells[0]]
    return Case((table(rng, cells, ",\t"),), {}, {"votes": votes})


def _spelt_lines(rng: random.Random) -> Case:
    _, rows, votes = _drawn(rng)
    rows = [{name: _as_number(rng, one) for name, one in row.items()} for row in rows]
    return Case((_records(rng, rows),), {}, {"votes": votes})


def _as_number(rng: random.Random, value: object) -> object:
    """Return a whole number in place of its text, sometimes."""
    plain = isinstance(value, str) and re.fullmatch("[1-9][0-9]*", value) and rng.random() < 0.3
    return int(str(value)) if plain else value


def _spelt_games(rng: random.Random) -> Case:
    while True:
        rows, votes = _games(rng)
        if votes:
            return Case((_records(rng, rows),), {}, {"votes": votes})


def _records(rng: random.Random, rows: Sequence[Row]) -> bytes:
    if rng.random() < 0.3:
        return json_file(rng, list(rows))
    if rng.random() < 0.4:  # as most programs write them
        return "".join(json.dumps(row, ensure_ascii=rng.random() < 0.5) + "\n" for row in rows).encode()
    return lines(rng, [json_text(rng, row, line=True) for row in rows])


# --------------------------------------------------------------------------------------------- second opinion

_ROLES = {
    "left": ("left", "model_a", "system_a", "model_1", "system_1", "generator_1", "option_a", "model_x", "model1"),
    "right": ("right", "model_b", "system_b", "model_2", "system_2", "generator_2", "option_b", "model_y", "model2"),
    "winner": ("winner", "preference", "verdict", "vote", "outcome", "choice", "vinner"),
    "question": (
        *("question_id", "question", "prompt_id", "prompt", "query_id", "query", "topic_id", "topic", "item_id"),
        *("item", "instruction", "uid"),
    ),
    "voter": (
        *("voter", "voter_id", "worker", "worker_id", "annotator", "annotator_id", "judge", "assessor", "rater"),
        *("user", "user_id"),
    ),
    "weight": ("weight", "weights"),
}
_SAYS = {
    (1.0, 1.0): (
        *("left", "a", "model_a", "system_a", "model_1", "system_1", "a>b", "b<a", "first", "response_a", "answer_a"),
        *("assistant_a", "option_a", "links", "gauche", "izquierda", "sinistra"),
    ),
    (0.0, 1.0): (
        *("right", "b", "model_b", "system_b", "model_2", "system_2", "b>a", "a<b", "second", "response_b", "answer_b"),
        *("assistant_b", "option_b", "rechts", "droite", "derecha", "destra"),
    ),
    (0.5, 1.0): (
        *("tie", "draw", "equal", "same", "both", "both_good", "tie (bothgood)", "tie (both bad)", "tie (bothbad)"),
        *("bothbad", "both_bad", "neither", "a=b", "b=a", "no_preference", "about_the_same", "equally_good"),
        *("undecided", "gleich", "keine_pr\u00e4ferenz", "sin_preferencia", "unentschieden", "\u00e9galit\u00e9"),
        *("empate", "pareggio"),
    ),
    (1.0, 3.0): ("a>>b", "b<<a"),
    (0.0, 3.0): ("b>>a", "a<<b"),
}
_MEANT: dict[str, tuple[float, float] | None] = {
    **{word.replace("_", sign): said for said, words in _SAYS.items() for word in words for sign in "_ -"},
    **dict.fromkeys(("error", "invalid", "skip", "skipped", "none")),
}
"""The left system's share and the weight; None for no vote."""
_FLAGS = {**dict.fromkeys(("1", "1.0", "true", "yes"), 1), **dict.fromkeys(("0", "0.0", "false", "no"), 0)}


def _word(name: str) -> str:
    plain = (sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return re.sub("[- ]", "_", "".join(plain).strip().casefold())


def _text(value: object) -> str:
    """Return what a cell says; nested things say nothing."""
    if isinstance(value, dict | list):
        raise RefusedError("nested")
    return "" if value is None else ("true" if value else "false") if isinstance(value, bool) else str(value).strip()


class _Reading:
    """One row after the other."""

    def __init__(self, rows: Sequence[Row]) -> None:
        names = list(dict.fromkeys(name for row in rows for name in row))
        self.words = {_word(name): name for name in reversed(names)}
        self.rows, self.votes, self.used = rows, [[], [], []], []  # type: ignore[var-annotated] # a list an order
        self.roles = {
            role: next((self.words[one] for one in known if one in self.words), "") for role, known in _ROLES.items()
        }
        self.systems: set[str] = set()

    def unit(self, row: Row, role: str) -> str:
        value = row.get(self.roles[role]) if self.roles[role] else None
        if isinstance(value, list) and value:
            value = str(value) if role == "question" else value[0]
        return _text(value)

    def vote(
        self, row: Row, sides: Sequence[str], share: float, weight: float, order: int = 0, *, plain: bool = False
    ) -> None:
        known = self.roles["weight"]
        if known and not plain:
            text = _text(row.get(known))
            if not is_number(text) or number_of(text) < 0:
                raise RefusedError("no weight")
            weight *= number_of(text)
        units = ("", "") if plain else (self.unit(row, "question"), self.unit(row, "voter"))
        self.votes[order].append((*sides, share, weight, *units))

    def sides(self, row: Row, left: str, right: str) -> tuple[str, str]:
        found = _text(row.get(left)), _text(row.get(right))
        if not all(found) or found[0] == found[1]:
            raise RefusedError("no two systems")
        self.systems |= {*found}
        return found

    def said(self, text: str, sides: Sequence[str]) -> tuple[float, float] | None:
        if not text:
            raise RefusedError("no winner")
        if text in sides:
            return float(text == sides[0]), 1.0
        self.used.append(text.casefold())
        word = " ".join(text.casefold().split()).strip("[]")
        if word not in _MEANT:
            raise RefusedError("a winner that is no word")
        return _MEANT[word]

    def read(self) -> list[Vote]:  # noqa: C901, PLR0912 - a form after the other
        words, roles = self.words, self.roles
        outcomes = {
            name: _MEANT[_plain(word)]
            for word, name in words.items()
            if _plain(word) in _MEANT and word != _plain(word)
        }
        sides = bool(roles["left"] and roles["right"])
        if "games" in words and "model" in words:
            self.games()
        elif not sides and "loser" in words and roles["winner"]:
            ties = [words[one] for one in ("tie", "ties", "tied", "draw", "is_tie", "is_draw") if one in words]
            for row in self.rows:
                tied = [self.flag(row, name) for name in ties]
                self.vote(row, self.sides(row, roles["winner"], words["loser"]), 0.5 if any(tied) else 1.0, 1.0)
        elif not sides:
            raise RefusedError("no votes")
        elif "g1_winner" in words and "g2_winner" in words:
            for row in self.rows:
                pair = self.sides(row, roles["left"], roles["right"])
                for order, name in enumerate(("g1_winner", "g2_winner")):
                    found = self.said(_text(row.get(words[name])), pair)
                    if found:
                        turned = (pair, pair[::-1])[order]
                        self.vote(row, turned, 1.0 - found[0] if order else found[0], found[1], order)
        elif roles["winner"]:
            self.winners()
        elif {0.0, 1.0} <= {one[0] for one in outcomes.values() if one}:
            for row in self.rows:
                set_ = [one for name, one in outcomes.items() if one and self.flag(row, name)]
                if len(set_) != 1:
                    raise RefusedError("no one outcome")
                self.vote(row, self.sides(row, roles["left"], roles["right"]), set_[0][0], 1.0)
        elif "wins" in words and "losses" in words:
            self.counts()
        else:
            raise RefusedError("no votes")
        votes = [vote for order in self.votes for vote in order]
        if not votes or {*self.used} & {name.casefold() for name in self.systems}:
            raise RefusedError("no vote, or a winner that did not play")
        return votes

    def counts(self) -> None:
        named = [name for name in ("wins", "losses", "ties") if name in self.words]
        rows: list[_Counted] = []
        for row in self.rows:
            texts = [_text(row.get(self.words[name])) for name in named]
            if any(not is_number(text) or number_of(text) < 0 or number_of(text) % 1 for text in texts):
                raise RefusedError("no count")
            units = self.unit(row, "question"), self.unit(row, "voter")
            rows.append((*self.sides(row, self.roles["left"], self.roles["right"]), (*map(number_of, texts),), units))
        for (left, right, numbers, _), again in zip(rows, _seen_again(rows), strict=True):
            for order, (number, share) in enumerate(zip(numbers, (1.0, 0.0, 0.5), strict=False)):
                if number and not again:
                    self.vote({}, (left, right), share, number, order, plain=True)

    def flag(self, row: Row, name: str) -> int:
        text = _text(row.get(name)).casefold()
        if text not in _FLAGS:
            raise RefusedError("neither 1 nor 0")
        return _FLAGS[text]

    def winners(self) -> None:
        column, roles = self.roles["winner"], self.roles
        texts = [_text(row.get(column)) for row in self.rows]
        pairs = [self.sides(row, roles["left"], roles["right"]) for row in self.rows]
        numbers = _word(column) == "preference" and not {*texts} & self.systems
        if numbers and all(is_number(text) for text in texts if text):
            for row, text, pair in zip(self.rows, texts, pairs, strict=True):
                if text:
                    value = number_of(text)
                    value = 1.5 if not value and _word(roles["left"]) == "generator_1" else value
                    if not 1 <= value <= 2:
                        raise RefusedError("no preference")
                    self.vote(row, pair, 2.0 - value, 1.0)
            return
        for row, text, pair in zip(self.rows, texts, pairs, strict=True):
            found = self.said(text, pair)
            if found:
                self.vote(row, pair, *found)

    def games(self) -> None:
        for row in self.rows:
            played = row.get(self.words["games"])
            if not isinstance(played, list | None) or not all(isinstance(one, dict | None) for one in played or ()):
                raise RefusedError("no list of games")
            scores = [None if one is None else one.get("score") for one in played or ()]
            if None in scores:
                continue
            for at, score in enumerate(scores):
                baseline = self.words.get("baseline")
                named = dict(row) if baseline else {**row, "": "baseline"}
                pair = self.sides(named, baseline or "", self.words["model"])
                pair = pair[::-1] if at % 2 else pair
                found = self.said(_text(score), pair)
                if found:
                    units = (self.unit(row, "question"), self.unit(row, "voter"))
                    self.votes[0].append((*pair, *found, *units))


def _plain(word: str) -> str:
    """Return the word behind winner_, as it is known."""
    return {"tie_(bothbad)": "tie (bothbad)"}.get(word.removeprefix("winner_"), word.removeprefix("winner_"))


def _table_opinions(case: Case) -> list[object]:
    header, *rows = rows_of(case.files[0])
    names = names_in(header)
    rows = [row for row in rows if row != header and not _are_names(row, header)]  # files put together
    more = [row for row in rows if len(row) == len(names) + 1]
    if rows and len(more) == len(rows):
        if all(not row[-1].strip() for row in rows):
            rows = [row[:-1] for row in rows]
        else:
            numbers = [int(row[0]) if re.fullmatch("[0-9]{1,17}", row[0]) else -1 for row in rows]
            if numbers != sorted({*numbers}) or numbers[0] < 0:
                raise RefusedError("rows of different lengths")
            rows = [row[1:] for row in rows]
    if any(len(row) != len(names) for row in rows) or not rows:
        raise RefusedError("rows of different lengths")
    return [{"votes": _Reading([dict(zip(reversed(names), reversed(row), strict=True)) for row in rows]).read()}]


def _are_names(row: Sequence[str], header: Sequence[str]) -> bool:
    """Whether at least two cells, and all that hold something, say what their columns are called."""
    said = [at for at, cell in enumerate(row) if cell.strip()]
    return len(said) > 1 and all(row[at].strip() == header[at].strip() for at in said if at < len(header))


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise RefusedError("a name twice")
    return dict(pairs)


def _parsed(text: str) -> Any:
    def number(written: str) -> str:
        return re.sub(r"^-0$", "0", re.sub(r"^(-?[0-9]+)\.0+$", r"\1", written))

    try:
        return json.loads(
            text,
            object_pairs_hook=_each_once,
            parse_int=number,
            parse_float=number,
            parse_constant=lambda word: None if word == "NaN" else word,
        )
    except (ValueError, RecursionError) as error:
        raise RefusedError("no JSON") from error


def _documents(content: bytes) -> Iterator[object]:
    text = text_of(content)
    try:
        whole = _parsed(text)
    except RefusedError:
        yield from (_parsed(line) for line in lines_of(text) if line.strip(" \t\v\f"))
    else:
        yield from whole if isinstance(whole, list) else [whole]


def _json_opinions(case: Case) -> list[object]:
    rows = list(_documents(case.files[0]))
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise RefusedError("no objects")
    return [{"votes": _Reading(rows).read()}]  # type: ignore[arg-type] # as just looked at


# ---------------------------------------------------------------------------------------------- under test


def _read(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    votes = read_votes(paths[0])
    units = [
        [votes.names[unit][code] for code in votes.units[unit]] if unit in votes.units else [""] * len(votes.share)
        for unit in ("question", "voter")
    ]
    systems = [[votes.systems[place] for place in side] for side in (votes.left, votes.right)]
    return {"votes": list(zip(*systems, votes.share.tolist(), votes.weight.tolist(), *units, strict=True))}


READERS = (
    Reader(
        name="votes",
        make=_make_table,
        mutate=text_mutation(_make_table),
        read=_read,
        opinions=with_titles(_table_opinions),
        spell=_spelt_table,
        speed=460,
    ),
    Reader(
        name="votes-lines",
        make=_make_lines,
        mutate=text_mutation(_make_lines, CHANGES),
        read=_read,
        opinions=_json_opinions,
        spell=_spelt_lines,
        speed=490,
        polars=True,
    ),
    Reader(
        name="votes-games",
        make=_make_games,
        mutate=text_mutation(_make_games, CHANGES),
        read=_read,
        opinions=_json_opinions,
        spell=_spelt_games,
        speed=620,
        polars=True,
    ),
)
