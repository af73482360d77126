"""TREC runs and qrels."""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any

from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import is_number, lines_of, natural, number_of, text_of, words_of
from fuzz_text import pick, text_mutation

from metaeval.io.qrels import read_qrels
from metaeval.io.trec import read_collection, read_runs

_RUN_COLUMNS, _QRELS_COLUMNS = 6, 4
_LEVEL = 2**15 - 1


# ------------------------------------------------------------------------------------------------ documents


def _run_text(rng: random.Random, *, tags: Sequence[str] = ("bm25",)) -> bytes:
    documents = pick(rng, "d1,d2,d3,d4 d10,d9,d8,d7 FT911-3,LA0101,é1,x#2 1,2,3,01").split(",")
    lines = []
    for topic in rng.sample(["1", "2", "10", "q3"], rng.randint(1, 3)):
        for rank, document in enumerate(rng.sample(documents, rng.randint(1, 3)), start=1):
            score = rng.choice((f"{10 - rank}", f"{rng.random():.4f}", f"{rng.random()!r}", "0.5", "-1.25e-3", "7."))
            lines.append(f"{topic} Q0 {document} {rank} {score} {rng.choice(tags)}")
    return ("\n".join(lines[:8]) + "\n").encode()


def _qrels_text(rng: random.Random) -> bytes:
    lines = [
        f"{topic} 0 {document} {rng.choice((0, 0, 1, 1, 2, 3, -1, -2))}"
        for topic in rng.sample(["1", "2", "10", "q3"], rng.randint(1, 3))
        for document in rng.sample(["d1", "d2", "d3", "d10", "é1", "FT911-3", "x#2"], rng.randint(1, 3))
    ]
    return ("\n".join(lines[:8]) + "\n").encode()


def _graded_text(rng: random.Random) -> bytes:
    """Judgments in the grades of NTCIR, in one of the three orders of columns."""
    form = rng.choice(("{t}\t{g}\t{d}\t{n}", "{t} 0 {d} {g}", "{t} {d} {g}"))
    relaxed = rng.choice(("SA", "SAB"))
    grades = "SABC" if "{n}" in form else rng.choice(("SABC", ("L0", "L1", "L2")))
    lines = []
    for topic in rng.sample(["0001", "2", "q3"], rng.randint(1, 3)):
        for document in rng.sample(["d1", "d2", "é1", "x#2", "gakkai-07", "S"], rng.randint(1, 3)):
            grade = rng.choice(grades)
            lines.append(form.format(t=topic, g=grade, d=document, n=int(grade in relaxed)))
    return ("\n".join(lines) + "\n").encode()


def _make_graded(rng: random.Random) -> Case:
    return Case((_graded_text(rng),))


def _make_run(rng: random.Random) -> Case:
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        options["order"] = rng.choice(("score", "ties-ascending", "rank", "input"))
    if rng.random() < 0.2:
        options["score_precision"] = "float32"
    if rng.random() < 0.2:
        options["split_tags"] = True
    tags = ("a", "b") if options.get("split_tags") else ("bm25",)
    return Case((_run_text(rng, tags=tags),), options)


def _make_qrels(rng: random.Random) -> Case:
    return Case((_qrels_text(rng),))


def _make_collection(rng: random.Random) -> Case:
    options: dict[str, Any] = {"retrieved": "all"} if rng.random() < 0.5 else {}
    if rng.random() < 0.3:
        options["order"] = rng.choice(("rank", "input"))
    return Case((_run_text(rng), _qrels_text(rng)), options)


# --------------------------------------------------------------------------------------------- second opinion


def _rows(content: bytes) -> list[list[str]]:
    if b"\0" in content:
        raise RefusedError("a zero byte")
    lines = [line for line in lines_of(text_of(content)) if not line.startswith("#")]
    rows = [words for line in lines if (words := words_of(line))]
    if not rows:
        raise RefusedError("no line")
    return rows


def run_of(content: bytes, order: str) -> list[tuple[str, str, str, float, float | None]]:
    """Return topic, document, tag, score and rank (where it orders) of every line."""
    found = []
    for row in _rows(content):
        if len(row) < _RUN_COLUMNS:
            raise RefusedError("too few columns")
        if len(row) > _RUN_COLUMNS and (not is_number(row[3]) or is_number(row[5])):
            raise RefusedError("shifted columns")
        rank = number_of(row[3]) if order == "rank" else None
        found.append((row[0], row[2], row[5], number_of(row[4]), rank))
    return found


def _ranked(
    lines: Sequence[tuple[str, str, str, float, float | None]], order: str, precision: str = "float64"
) -> dict[str, list[tuple[str, float]]]:
    """Documents of every topic, best first, with their scores."""
    topics = {topic: [line for line in lines if line[0] == topic] for topic in dict.fromkeys(line[0] for line in lines)}
    found = {}
    for topic in natural(list(topics)):
        listed = topics[topic]
        if len({line[1] for line in listed}) < len(listed):
            raise RefusedError("a document twice")
        if order == "rank":
            if len({line[4] for line in listed}) < len(listed):
                raise RefusedError("a rank twice")
            listed = sorted(listed, key=lambda line: line[4] or 0.0)
        elif order == "score":
            listed = sorted(listed, key=lambda line: (_rounded(line[3], precision), line[1].encode()), reverse=True)
        elif order == "ties-ascending":
            listed = sorted(listed, key=lambda line: (-_rounded(line[3], precision), line[1].encode()))
        found[topic] = [(line[1], line[3]) for line in listed]
    return found


def _rounded(score: float, precision: str) -> float:
    if precision == "float64":
        return score
    import numpy as np  # noqa: PLC0415 - the only other reading of 32 bits

    with np.errstate(all="ignore"):
        return float(np.float32(score))


def _run_opinions(case: Case) -> list[object]:
    order = case.options.get("order", "score")
    lines = run_of(case.files[0], order)
    tags = list(dict.fromkeys(line[2] for line in lines))
    if len(tags) > 1 and not case.options.get("split_tags"):
        raise RefusedError("a second tag")
    precision = case.options.get("score_precision", "float64")
    found = {tag: _ranked([line for line in lines if line[2] == tag], order, precision) for tag in tags}
    return [{"systems": list(found), "topics": [list(one) for one in found.values()], "lists": found}]


_GRADES = {"C": "0", "B": "1", "A": "2", "S": "3"} | {f"L{level}": str(level) for level in range(10)}


def _levelled(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows with levels for grades, if the first row has one."""
    first = rows[0]
    if len(first) == _QRELS_COLUMNS and first[1] in "SABC" and first[3] in {"0", "1"}:
        flags: dict[str, str] = {}
        for row in rows:
            if len(row) != _QRELS_COLUMNS or row[1] not in {*"SABC"} or row[3] not in {"0", "1"}:
                raise RefusedError("another kind of line")
            if flags.setdefault(row[1], row[3]) != row[3]:
                raise RefusedError("a grade with two readings")
        return [[row[0], "0", row[2], _GRADES[row[1]]] for row in rows]
    if len(first) in {_QRELS_COLUMNS - 1, _QRELS_COLUMNS} and first[-1] in _GRADES:
        if any(row[-1] not in _GRADES or len(row) != len(first) for row in rows):
            raise RefusedError("a line without a grade")
        return [[row[0], row[1] if len(row) == _QRELS_COLUMNS else "0", row[-2], _GRADES[row[-1]]] for row in rows]
    return rows


def judgments_of(content: bytes) -> dict[tuple[str, str, str], float]:
    """Return the grade of every document of every topic and word in column 2."""
    judged: dict[tuple[str, str, str], float] = {}
    for row in _levelled(_rows(content)):
        if len(row) != _QRELS_COLUMNS:
            raise RefusedError("too few or too many columns")
        topic, word, document, grade = row
        if (topic, word, document) in judged:
            raise RefusedError("a document twice")
        judged[topic, word, document] = number_of(grade)
        if abs(number_of(grade)) > _LEVEL:
            raise RefusedError("too large a grade")
    return judged


def qrels_of(content: bytes) -> dict[str, dict[str, float]]:
    """Return the grade of every document of every topic, its highest where column 2 names subtopics."""
    judged: dict[str, dict[str, float]] = {}
    for (topic, _, document), grade in judgments_of(content).items():
        levels = judged.setdefault(topic, {})
        levels[document] = max(grade, levels.get(document, grade))
    if all(grade.is_integer() for levels in judged.values() for grade in levels.values()):
        return judged
    return {
        topic: {name: float(math.floor(grade)) if grade < 0 else grade for name, grade in levels.items()}
        for topic, levels in judged.items()
    }


def _qrels_opinions(case: Case) -> list[object]:
    judged = qrels_of(case.files[0])
    order = natural(list(judged))
    return [{"topics": order, "levels": {topic: sorted(judged[topic].items(), key=_by_bytes) for topic in order}}]


def _by_bytes(item: tuple[str, float]) -> bytes:
    return item[0].encode()


def _collection_opinions(case: Case) -> list[object]:
    order = case.options.get("order", "score")
    lines = run_of(case.files[0], order)
    if len({line[2] for line in lines}) > 1:
        raise RefusedError("a second tag")
    lists, judged = _ranked(lines, order), qrels_of(case.files[1])
    if not set(lists) & set(judged):
        raise RefusedError("no topic in common")
    topics = natural(list(judged))
    return [
        {
            "systems": [lines[0][2]],
            "topics": topics,
            "retrieved": [len(lists.get(topic, [])) for topic in topics],
            "judged": {
                topic: [
                    (rank, document, judged[topic][document])
                    for rank, (document, _) in enumerate(lists.get(topic, []), start=1)
                    if document in judged[topic]
                ]
                for topic in topics
            },
        }
    ]


# ------------------------------------------------------------------------------------------------ under test


def _read_run(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    found = {}
    for name, table in read_runs(paths[0], **options).items():
        lists: dict[str, list[tuple[str, float]]] = {}
        columns = (table[column].tolist() for column in ("query_id", "doc_id", "score", "rank"))
        for topic, document, score, rank in zip(*columns, strict=True):
            lists.setdefault(topic, []).append((document, score))
            assert rank == len(lists[topic])
        found[name] = lists
    return {"systems": list(found), "topics": [list(one) for one in found.values()], "lists": found}


def _read_qrels(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    found = read_qrels(paths[0])
    documents, levels = [one.decode() for one in found.document_ids.tolist()], found.numbers.tolist()
    bounds = found.topic_offsets.tolist()
    return {
        "topics": list(found.topics),
        "levels": {
            topic: list(zip(documents[begin:end], levels[begin:end], strict=True))
            for topic, begin, end in zip(found.topics, bounds, bounds[1:], strict=False)
        },
    }


def _read_collection(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return laid_out(read_collection(paths[0], paths[1], n_jobs=1, **options))


def laid_out(found: Any) -> object:
    """Lay a collection of one run out as `_collection_opinions` does."""
    judged: dict[str, list[tuple[int, str, float]]] = {}
    offsets = found.offsets.tolist()
    for place, topic in enumerate(found.topics):
        part = slice(offsets[place], offsets[place + 1])
        judgments = found.judgments[part]
        judged[topic] = list(
            zip(
                found.ranks[part].tolist(),
                [one.decode() for one in found.document_ids[judgments].tolist()],
                found.numbers[judgments].tolist(),
                strict=True,
            )
        )
    return {
        "systems": list(found.systems),
        "topics": list(found.topics),
        "retrieved": found.n_retrieved[0].tolist(),
        "judged": judged,
    }


READERS = (
    Reader(
        name="trec-run",
        make=_make_run,
        mutate=text_mutation(_make_run),
        read=_read_run,
        opinions=_run_opinions,
        speed=750,
    ),
    Reader(
        name="trec-qrels",
        make=_make_qrels,
        mutate=text_mutation(_make_qrels),
        read=_read_qrels,
        opinions=_qrels_opinions,
        speed=2200,
    ),
    Reader(
        name="ntcir-qrels",
        make=_make_graded,
        mutate=text_mutation(_make_graded),
        read=_read_qrels,
        opinions=_qrels_opinions,
        speed=2400,
    ),
    Reader(
        name="trec-collection",
        make=_make_collection,
        mutate=text_mutation(_make_collection),
        read=_read_collection,
        opinions=_collection_opinions,
        speed=780,
    ),
)
