"""What the columns of tables are called: one vocabulary for scores, rankings, labels, items and logs.

Every table has its own words, since one word means different things in different tables: a run's ``name`` is a system
in a table of scores, and PyTerrier's ``query`` is the text of a topic beside its ``qid``.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from metaeval.base.unit import ITEM, NUGGET, TOPIC, Unit
from metaeval.errors import ScoresError

type Words = Mapping[str, tuple[str, ...]]

SCORES: Words = {
    "system": (
        *("system", "run", "name", "run_id", "runid", "system_id", "system_name"),
        *("model", "model_id", "model_name"),
    ),
    "topic": (
        *("topic", "qid", "query_id", "query", "q_id", "topic_id"),
        *("item", "item_id", "question_id", "sample", "doc", "id", "question", "task", "nugget", "nugget_id"),
    ),
    "metric": ("metric", "measure"),
    "score": ("score", "value"),
    "group": ("group",),
    "higher_is_better": ("higher_is_better",),
    "repeat": ("repeat", "epoch", "trial"),
    "cluster": ("cluster",),
    "stratum": ("stratum",),
    "weight": ("weight",),
}
"""A long table of scores; case, blanks and hyphens do not matter, and no two columns may play one part.

Some words count only where no surer one is there: for systems model; for topics item, question_id, sample and doc; then
id; then question; then task. A task beside a surer topic is its cluster.
"""

_UNITS = {
    **dict.fromkeys(("item", "item_id", "doc", "doc_id", "sample", "sample_id", "id", "task", "task_name"), ITEM),
    **dict.fromkeys(("question", "question_id"), ITEM),
    **dict.fromkeys(("nugget", "nugget_id"), NUGGET),
}
"""What benchmarks call a topic, as `underscored` writes it, and what pages on such a table speak of."""

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
    "topic": ("topic", "query", "qid", "query_id", "topic_id"),
    "item": ("item", "document", "document_id", "doc_id", "docno", "docid", "doc", "pid", "passage", "passage_id"),
    "judge": ("judge", "assessor", "worker", "annotator", "rater", "reviewer"),
    "label": ("label", "relevance", "grade", "rating", "judgment", "judgement", "rel"),
}
"""What several judges said; case, blanks and hyphens do not matter."""

ITEMS: Words = {
    "system": ("system", "sys", "model", "run", "name", "submission"),
    "item": ("item", "topic", "segment", "segid", "seg", "doc", "document", "docid", "id", "sample"),
}
"""Metrics beside human scores; case does not matter, and several columns may name an item together."""

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

_DIVISION = re.compile(r"[\s-]+")
_LONGEST_WORD = 100
_LESS_SURE = {
    **dict.fromkeys(("model", "model_id", "model_name"), 1),
    **dict.fromkeys(("item", "item_id", "question_id", "sample", "doc", "nugget", "nugget_id"), 1),
    "id": 2,
    "question": 3,
    "task": 4,
}
"""Words that count where none for the same part is there that is surer, a lower number."""
_PART_OF_WORD = {word: part for part, words in SCORES.items() for word in words}


class ColumnRoles(NamedTuple):
    """Which column of a long table of scores plays which part."""

    parts: dict[str, str]
    """Part (a key of `SCORES`) to the name of its column."""
    others: list[str]
    """Columns without a part, in order; unnamed ones (a saved row number) are left out."""


def part_of_word(word: object) -> str | None:
    """Return the part of a long table of scores that a column of this name plays, None for none.

    Examples
    --------
    >>> part_of_word("Query-ID"), part_of_word("bm25")
    ('topic', None)
    """
    return _PART_OF_WORD.get(_word(word))


def _word(name: object) -> str:
    text = str(name)
    return _DIVISION.sub("_", text.strip()).casefold() if len(text) < _LONGEST_WORD else ""


def column_roles(
    columns: Iterable[object], *, chosen: Mapping[str, str] | None = None, ignored: Iterable[str] = ()
) -> ColumnRoles:
    """Find out which columns of a long table hold system, topic, metric, score and what else has a part in `SCORES`.

    Examples
    --------
    >>> column_roles(["name", "qid", "measure", "value", "fold"])
    ColumnRoles(parts={'system': 'name', 'topic': 'qid', 'metric': 'measure', 'score': 'value'}, others=['fold'])
    """
    parts = dict(chosen or {})
    taken = {*parts.values(), *ignored}
    found: dict[str, list[str]] = {}
    others = []
    known = list(map(str, columns))
    instead = _unsure([name for name in known if name not in taken], parts)
    for column in known:
        part = instead.get(column, part_of_word(column))
        if column in taken:
            continue
        if part is not None and part not in parts:
            found.setdefault(part, []).append(column)
        elif column.strip() and not column.startswith("Unnamed: "):
            others.append(column)
    for part, candidates in found.items():
        if len(set(candidates)) < len(candidates):
            raise ScoresError(f"two columns are called {candidates[0]!r}; names must be unique")
        if len(candidates) > 1:
            raise ScoresError(
                f"columns {' and '.join(map(repr, candidates))} could both be the {part}; "
                f"rename or leave out all but one (`columns={{{part!r}: {candidates[0]!r}, "
                f"'ignore': {candidates[1:]!r}}}`)"
            )
        parts[part] = candidates[0]
    return ColumnRoles({part: parts[part] for part in SCORES if part in parts}, others)


def _unsure(columns: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str | None]:
    """Return the parts of columns called as others that are surer: a task is a topic's cluster, the rest have none."""
    grouped = chosen.keys() & {"cluster", "stratum"} or any(
        part_of_word(name) in {"cluster", "stratum"} for name in columns
    )
    unsure: dict[str, str | None] = {}
    for part in ("system", "topic"):
        known = {name: _LESS_SURE.get(_word(name), 0) for name in columns if part_of_word(name) == part}
        surest = -1 if part in chosen else min(known.values(), default=0)
        unsure |= {
            name: "cluster" if _word(name) == "task" and not grouped else None
            for name, sureness in known.items()
            if sureness > surest
        }
    return unsure


def underscored(name: str) -> str:
    """Return a name in lower case, underscores for blanks and hyphens.

    Examples
    --------
    >>> underscored("Query-ID")
    'query_id'
    """
    return name.casefold().replace("-", "_").replace(" ", "_")


def unit_of_column(name: str) -> Unit:
    """Return what scores are of whose column of topics has this name.

    Examples
    --------
    >>> unit_of_column("Question-ID").topics, unit_of_column("nugget").clusters, unit_of_column("qid").topics
    ('items', 'topics', 'topics')
    """
    return _UNITS.get(underscored(name), TOPIC)


def first_called(names: Iterable[object], words: Sequence[str], *spellings: Callable[[str], str]) -> int | None:
    """Return the place of the column that is called by the first of the words that any is called by, None for none.

    Examples
    --------
    >>> first_called(["Doc", "QID", "topic"], LABELS["topic"], str.casefold)
    2
    """
    texts = [str(name) for name in names]
    known = [(spelling, [spelling(text) for text in texts]) for spelling in spellings]
    hits = ((spelling(word), spelled) for word in words for spelling, spelled in known)
    return next((spelled.index(word) for word, spelled in hits if word in spelled), None)
