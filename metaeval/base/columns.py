"""What the columns of tables are called that hold no scores: rankings, labels, items and logs.

Words for systems, topics, items, judges and repeats are shared by all tables. Which of them comes first every table
says itself, since one word means different things in different tables: a run's ``name`` is a system in a table of
scores (`metaeval.table.roles`), and PyTerrier's ``query`` is the text of a topic beside its ``qid``.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

READING = frozenset({"columns", "words", "where", "duplicates"})
"""Options that say how labels and votes are read, which a function of these takes for what is in memory."""

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8").casefold())
PARTS: Mapping[str, Sequence[Sequence[str]]] = _TABLE["parts"]
"""What columns of systems, topics and repeats are called in any table, in tiers of trust."""
_PEOPLE = {kind: tuple(words) for kind, words in _TABLE["people"].items()}
JUDGES, VOTERS = _PEOPLE["judges"], _PEOPLE["voters"]
"""Who judged, and who voted too."""
HUMANS, FORMS = frozenset(_PEOPLE["humans"]), frozenset(_PEOPLE["forms"])
"""Words for scores that people gave in any name, such as "Human rating", and by which columns of one differ."""
PEOPLE = HUMANS | {*_PEOPLE["scores"]}
"""What scores are called that people gave, beside which metrics stand."""
_SYSTEMS = tuple(word for tier in PARTS["system"] for word in tier)
_OF_TOPICS, _OF_ITEMS, _OF_TRACES, _IDS, _OF_QUESTIONS, _OF_TEXTS, _OF_TASKS, _OF_SETS = PARTS["topic"]
_SHARED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "labels": {
        "topic": _OF_TOPICS,
        "item": [*_OF_ITEMS, *_OF_TRACES, *_IDS, *_OF_TEXTS],
        "asked": _OF_QUESTIONS,
        "more": [*_OF_TASKS, *_OF_SETS, *_SYSTEMS],
        "judge": JUDGES,
    },
    "items": {
        "system": _SYSTEMS,
        "more": [word for tier in PARTS["topic"] for word in tier],
    },
}
"""Words of all tables that follow a table's own."""


def _words_of(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a table, those of its own first; a word stands for the first part that it was given."""
    first_words, shared = _TABLE[name], _SHARED.get(name, {})
    if not shared:
        return {role: tuple(words) for role, words in first_words.items()}
    assigned = {word for words in first_words.values() for word in words}
    words_of: dict[str, tuple[str, ...]] = {}
    for role in [*first_words, *shared.keys() - first_words.keys()]:
        more = [word for word in dict.fromkeys(shared.get(role, ())) if word not in assigned]
        assigned.update(more)
        words_of[role] = (*first_words.get(role, ()), *more)
    return words_of


RANKINGS, LABELS, ITEMS, LOG, SIZES = map(_words_of, ("rankings", "labels", "items", "log", "sizes"))
"""Runs and judgments in memory, what several judges said, metrics beside human scores, what assessors did when and
where, and how long elements are: part to names of its column, in order of trust."""

_WHOLES, _PIECES = (tuple(_TABLE["nested"][kind]) for kind in ("whole", "part"))
STATES = frozenset(_TABLE["course"]["states"])
"""Along what the course of one training is written, as `metaeval.table.roles.word_of` writes it."""
PREDICTIONS: Mapping[str, frozenset[str]] = {kind: frozenset(words) for kind, words in _TABLE["predictions"].items()}
"""What predictions and the truth beside them are called, likewise."""

MARKED_ERRORS = frozenset({"system", "seg_id", "category", "severity"})
"""What annotators of MQM mark, a row an error; in lower case."""


_OF_CALL = re.compile(r"\A(?:input|answer)s?\.(?=[^\W\d])", re.IGNORECASE)
"""How crowdsourcing and evaluators mark what they were given and what was said, before the name itself."""


def without_mark(name: str) -> str:
    """Return the name of a column without a mark before it of what was given or said.

    Examples
    --------
    >>> [without_mark(name) for name in ("Input.question", "Answer.preference", "answer", "Input.1")]
    ['question', 'preference', 'answer', 'Input.1']
    """
    return _OF_CALL.sub("", name) if "." in name else name


def without_accents(text: str) -> str:
    """Return a text with the bare letters of those that have an accent.

    Examples
    --------
    >>> without_accents("modèle"), without_accents("système"), without_accents("łódź")
    ('modele', 'systeme', 'łodz')
    """
    if text.isascii():
        return text
    return "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))


def underscored(name: str) -> str:
    """Return a name in lower case, underscores for blanks and hyphens, without accents and marks of what was given.

    Examples
    --------
    >>> underscored("Query-ID"), underscored("Requête"), underscored("Input.question")
    ('query_id', 'requete', 'question')
    """
    return without_accents(without_mark(name)).casefold().replace("-", "_").replace(" ", "_")


def are_judges(names: Iterable[str]) -> bool:
    """Whether all columns are called as judges, who may be numbered or have a letter.

    Examples
    --------
    >>> are_judges(["Rater 1", "Rater 2"]), are_judges(["annotator_A", "annotator_B"]), are_judges(["bm25", "rater"])
    (True, True, False)
    """
    stems = {underscored(name).strip("_0123456789") for name in names}
    return {stem[:-2] if stem[-2:-1] == "_" else stem for stem in stems} <= {*JUDGES}


def of_people(name: str) -> bool:
    """Whether a column is called as what people said.

    Examples
    --------
    >>> of_people("Human rating"), of_people("gold"), of_people("gpt-4")
    (True, True, False)
    """
    word = underscored(name)
    return word in PEOPLE or not HUMANS.isdisjoint(re.split(r"[\W_]+", word))


_MODELS = re.compile(
    r"gpt|claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|llm|palm|phi-?\d|grok|(^|\W)o[134](\W|$)|model|machine|auto"
)


def likely_person(judges: Sequence[str]) -> str:
    """Return the first judge who is not called as a language model is, or the first where all are.

    Examples
    --------
    >>> likely_person(["gpt-4", "nist"]), likely_person(["gpt-4", "o3-mini"])
    ('nist', 'gpt-4')
    """
    return next((name for name in judges if not _MODELS.search(name.casefold())), judges[0])


def are_people(judges: Iterable[str]) -> bool:
    """Whether no judge is called as a language model is.

    Examples
    --------
    >>> are_people(["L01", "L02"]), are_people(["nist", "gpt-4"])
    (True, False)
    """
    return not any(_MODELS.search(name.casefold()) for name in judges)


def is_answer(name: str) -> bool:
    """Whether a column holds what a worker of Mechanical Turk answered.

    Examples
    --------
    >>> is_answer("Answer.coherence"), is_answer("answer")
    (True, False)
    """
    return name.startswith("Answer.")


def first_called(names: Iterable[object], words: Sequence[str], *spellings: Callable[[str], str]) -> int | None:
    """Return the place of the column that is called by the first of the words that any is called by, None for none.

    Examples
    --------
    >>> first_called(["Doc", "QID", "topic"], LABELS["topic"], str.casefold)
    2
    """
    texts = [str(name) for name in names]
    variants = [(spelling, [spelling(text) for text in texts]) for spelling in spellings]
    hits = ((spelling(word), spelled) for word in words for spelling, spelled in variants)
    return next((spelled.index(word) for word, spelled in hits if word in spelled), None)


def whole_and_part(names: Sequence[str]) -> tuple[str, str] | None:
    """Return the column of what holds several others, such as conversations, and that of its parts; None without both.

    Examples
    --------
    >>> whole_and_part(["Conversation ID", "turn", "gpt"]), whole_and_part(["turn", "gpt"])
    (('Conversation ID', 'turn'), None)
    """
    holder, piece = (first_called(names, words, underscored) for words in (_WHOLES, _PIECES))
    return None if holder is None or piece is None else (names[holder], names[piece])
