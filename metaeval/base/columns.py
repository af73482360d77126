"""What the columns of tables are called that hold no scores: rankings, labels, items and logs.

Every table has its own words, since one word means different things in different tables: a run's ``name`` is a system
in a table of scores (`metaeval.table.roles`), and PyTerrier's ``query`` is the text of a topic beside its ``qid``.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

type Words = Mapping[str, tuple[str, ...]]

READING = frozenset({"columns", "words", "where", "duplicates"})
"""Options that say how labels and votes are read, which a function of these takes for what is in memory."""

JUDGES = (
    *("judge", "assessor", "worker", "annotator", "rater", "reviewer", "labeler", "labeller", "evaluator"),
    *("gutachter", "bewerter", "juror", "coder", "participant", "person", "anotador", "evaluador", "teilnehmer"),
    *("worker_id", "workerid", "annotator_id", "rater_id", "judge_id", "assessor_id", "participant_id"),
)
"""Who judged."""
PEOPLE = frozenset({"human", "humans", "people", "gold", "reference", "mqm", "da", "esa", "expert", "experts", "crowd"})
"""What scores are called that people gave, beside which metrics stand."""
RANKINGS: Words = {
    "topic": ("query_id", "qid", "q_id", "topic_id", "topic", "query"),
    "document": ("doc_id", "docno", "docid", "document"),
    "score": ("score",),
    "level": ("relevance", "label", "rel", "level", "score"),
    "rank": ("rank",),
    "subtopic": ("subtopic", "subtopic_id"),
}
"""Runs and judgments in memory, in order of trust: PyTerrier's "docid" is a row number beside "docno"."""

LABELS: Words = {
    "topic": ("topic", "query", "qid", "query_id", "topic_id", "thema", "anfrage", "suchanfrage"),
    "item": (
        *("item", "document", "document_id", "doc_id", "docno", "docid", "doc", "pid", "passage", "passage_id"),
        *("item_id", "response", "response_id", "answer", "answer_id", "segment", "segment_id", "seg", "sample"),
        *("sample_id", "example", "example_id", "instance", "instance_id", "dokument", "beispiel", "id", "text_id"),
        *(
            "hit_id",
            "hitid",
            "sentence_id",
            "utterance_id",
            "image_id",
            "tweet_id",
            "post_id",
            "comment_id",
            "review_id",
            "case_id",
        ),
    ),
    "asked": ("question_id", "question", "prompt_id", "prompt", "frage", "aufgabe"),
    "more": (
        *("system", "model", "method", "algorithm", "run", "verfahren", "modell", "dataset", "data_set", "datensatz"),
        *("task", "turn"),
    ),
    "judge": JUDGES,
    "label": (
        *("label", "relevance", "grade", "rating", "judgment", "judgement", "rel", "verdict"),
        *("bewertung", "urteil", "relevanz"),
    ),
}
"""What several judges said; case, blanks and hyphens do not matter.

What was asked is an item where no other column names one, else a topic where none does. What is more names an item only
where rows of the same topic and item differ in them.
"""

ITEMS: Words = {
    "system": (
        *("system", "sys", "model", "run", "name", "submission", "method", "algorithm", "system_id", "system_name"),
        *("model_id", "model_name", "run_id", "verfahren", "modell"),
    ),
    "item": (
        *("item", "topic", "segment", "segid", "seg", "doc", "document", "docid", "id", "sample"),
        *("item_id", "topic_id", "segment_id", "seg_id", "doc_id", "document_id", "sample_id", "question_id", "qid"),
        *("dokument", "beispiel"),
    ),
    "more": (*("question", "prompt", "query", "dataset", "data_set"), *("frage", "aufgabe", "thema", "datensatz")),
}
"""Metrics beside human scores; case, blanks and hyphens do not matter, and several columns may name an item together.
What is "more" names an item only where no other column does, or where rows that are alike in these differ in it."""

MARKED_ERRORS = frozenset({"system", "seg_id", "category", "severity"})
"""What annotators of MQM mark, a row an error; in lower case."""

LOG: Words = {
    "topic": ("topic", "topic_id", "query"),
    "document": ("document", "doc", "file", "docno"),
    "seconds": ("seconds", "duration"),
    "time": ("time", "timestamp", "date"),
    "action": ("action", "event"),
    "place": ("place", "position", "path"),
}
"""What assessors did when and where; case does not matter."""

SIZES: Words = {
    "document": ("document", "file", "doc", "doc_id", "docno"),
    "path": ("path", "element", "xpath"),
    "size": ("size", "length", "characters"),
}
"""How long elements are; case does not matter."""


def underscored(name: str) -> str:
    """Return a name in lower case, underscores for blanks and hyphens.

    Examples
    --------
    >>> underscored("Query-ID")
    'query_id'
    """
    return name.casefold().replace("-", "_").replace(" ", "_")


def are_judges(names: Iterable[str]) -> bool:
    """Whether all columns are called as judges, who may be numbered or have a letter.

    Examples
    --------
    >>> are_judges(["Rater 1", "Rater 2"]), are_judges(["annotator_A", "annotator_B"]), are_judges(["bm25", "rater"])
    (True, True, False)
    """
    stems = {underscored(name).strip("_0123456789") for name in names}
    return {stem[:-2] if stem[-2:-1] == "_" else stem for stem in stems} <= {*JUDGES}


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
