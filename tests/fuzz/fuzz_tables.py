"""Tables of scores in text, groups, labels, items and logs of assessing."""

import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import pandas as pd
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import (
    GAPS,
    fitted,
    is_average,
    is_number,
    keeps_digits,
    name_of,
    names_in,
    natural,
    number_of,
    rows_of,
    with_titles,
)
from fuzz_text import pick, text_mutation
from fuzz_trec import judgments_of

from metaeval.inex.assessment_log import read_assessment_log
from metaeval.io.groups import read_groups
from metaeval.io.items import read_items
from metaeval.io.labels import read_labels
from metaeval.io.tables import read_scores

_WORDS = {
    "system": ("system", "run", "name", "run_id", "runid", "system_id", "system_name", "model"),
    "topic": ("topic", "qid", "query_id", "query", "q_id", "topic_id", "item", "question_id", "sample", "doc", "id"),
    "metric": ("metric", "measure", "mesure"),
    "score": ("score", "value"),
    "group": ("group",),
    "higher_is_better": ("higher_is_better",),
}
_RUNS = ("run", "run_id", "runid", "name")
"""Of them those that may count the runs of a system."""
_UNSURE = {"model": 1, "item": 1, "question_id": 1, "sample": 1, "doc": 1, "id": 2}
"""Words that count where no surer one is there."""
_TRUTH = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_SCORE_GAPS = (*GAPS, "n.a.", "#n/a", "missing", "-", "--", "\N{EN DASH}", "\N{EM DASH}", "?", ".")
_LEFT_OUT = ("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "runid", "relstring")
_ASKED = ("question_id", "question", "prompt_id", "prompt", "frage", "aufgabe")
_LABELLED = (
    *("item", "document", "document_id", "doc_id", "docno", "docid", "doc", "pid", "passage", "passage_id", "item_id"),
    *("response", "response_id", "answer", "answer_id", "segment", "segment_id", "seg", "sample", "sample_id"),
    *("example", "example_id", "instance", "instance_id", "dokument", "beispiel", "id"),
)
_LABEL_ROLES = {
    "item": (*_LABELLED, *_ASKED),
    "topic": ("topic", "query", "qid", "query_id", "topic_id", "thema", "anfrage", "suchanfrage", *_ASKED),
    "judge": (
        *("judge", "assessor", "worker", "annotator", "rater", "reviewer", "labeler", "labeller", "evaluator"),
        *("gutachter", "bewerter", "juror", "juge"),
    ),
    "label": (
        *("label", "relevance", "grade", "rating", "judgment", "judgement", "rel", "verdict", "bewertung", "urteil"),
        "relevanz",
    ),
}
"""Items are looked for before topics."""
_TELL_ITEMS_APART = {
    *("system", "model", "method", "algorithm", "run", "verfahren", "modell", "dataset", "data_set", "datensatz"),
    *("task", "turn", *_ASKED, *_LABELLED),
}
"""Columns that name an item too where topics and items name several rows alike."""
_SAYS_NO = {
    *("no", "n", "false", "f", "0", "fail", "failed", "failure", "bad", "incorrect", "wrong", "invalid"),
    *("not relevant", "irrelevant", "nonrelevant", "unsafe", "non relevant", "unacceptable", "reject"),
    *("rejected", "negative", "unsupported", "unhelpful", "low", "nein", "falsch", "schlecht", "nicht bestanden"),
}
_SAYS_YES = {
    *("yes", "y", "true", "t", "1", "pass", "passed", "success", "good", "correct", "right", "valid", "relevant"),
    *("safe", "acceptable", "accept", "accepted", "positive", "supported", "helpful", "high", "ja", "richtig"),
    *("wahr", "gut", "bestanden"),
}
_NO_LABELS = ("none", "null", "invalid", "failed", "unknown", "missing", "skip", "skipped", "refused", "error", "nan")
"""What may be no label, where of several judges one alone says it."""
_MOST_WORDS = 50
_COUNTS = ("", "n")
_SYSTEM_WORDS = ("system", "sys", "model", "run", "name", "submission", "system_id", "run_id", "runid", "run id")
_ITEM_WORDS = ("item", "topic", "segment", "segid", "seg", "doc", "document", "docid", "id", "sample")

# ------------------------------------------------------------------------------------------------ documents

_SYSTEMS = ("bm25", "lm", "n1")
_DELIMITERS = (",", ",", "\t", ";", " ")


def _score(rng: random.Random) -> str:
    return rng.choice(
        (f"{rng.random():.3f}", f"{rng.random():.1f}", f"{rng.random()!r}", "0", "1", "0.25", "1e-3", "0.5")
    )


def _text(rows: Sequence[Sequence[str]], delimiter: str, end: str = "\n") -> bytes:
    return (end.join(delimiter.join(row) for row in rows) + end).encode()


def _missing(rng: random.Random, options: dict[str, Any]) -> dict[str, Any]:
    if rng.random() < 0.35:
        options["missing"] = rng.choice(("zero", "drop-systems", "drop-topics"))
    return options


def _make_wide(rng: random.Random) -> Case:
    systems = list(_SYSTEMS[: rng.randint(2, 3)])
    topics = rng.choice((["301", "302", "303"], ["1", "2", "10"], ["q1", "q2"], ["a", "b", "all"], ["1", "2"]))
    options: dict[str, Any] = {}
    kind = rng.randrange(10)
    rows = [[topic, *(_score(rng) for _ in systems)] for topic in topics]
    header = [rng.choice(("topic", "qid", "", "Query", "id", "topic")), *systems]
    if kind == 0:  # no topic column
        header, rows = systems, [row[1:] for row in rows]
        options = rng.choice(({}, {"columns": {"topic": None}}))
    elif kind == 1:  # systems in rows
        header, rows = ["system", *topics], [[one, *(_score(rng) for _ in topics)] for one in systems]
        options = rng.choice(({}, {"systems_in": "rows"}))
    elif kind == 2:
        rows, header = [row[1:] for row in rows], []
        options = {"header": False}
    elif kind == 3:
        header[0] = "q"
        options = {"columns": {"topic": "q"}}
    elif kind == 4:
        options = {"form": "wide"}
    elif kind == 5:  # names of rows without a title, as R writes them
        header = systems
    text = _text([header, *rows] if header else rows, rng.choice(_DELIMITERS))
    return Case((text,), _missing(rng, options))


def _make_long(rng: random.Random) -> Case:
    columns = {
        "system": rng.choice(("system", "run", "name", "Run ID")),
        "topic": rng.choice(("topic", "qid", "query", "query_id")),
        "metric": rng.choice(("metric", "measure")),
        "score": rng.choice(("score", "value")),
    }
    order = list(columns)
    rng.shuffle(order)
    metrics = rng.choice((["AP"], ["AP", "P@5"]))
    options: dict[str, Any] = {}
    cells = [
        {"system": system, "topic": topic, "metric": metric, "score": _score(rng)}
        for metric, system, topic in product(metrics, ["a", "b"], ["1", "2"])
    ]
    header = [columns[part] for part in order]
    rows = [[cell[part] for part in order] for cell in cells]
    kind = rng.randrange(8)
    if kind == 0:  # one column a metric
        header = ["run", "topic", *metrics]
        rows = [[one, topic, *(_score(rng) for _ in metrics)] for one, topic in product("ab", "12")]
    elif kind == 1:
        header.append("group")
        group = {"a": "x", "b": rng.choice("xy")}
        rows = [[*row, group[cell["system"]]] for row, cell in zip(rows, cells, strict=True)]
    elif kind == 2:
        header.append("higher_is_better")
        says = {metric: rng.choice(("true", "false", "True", "0", "1")) for metric in metrics}
        rows = [[*row, says[cell["metric"]]] for row, cell in zip(rows, cells, strict=True)]
    elif kind == 3:
        header = []
        options = {"columns": {part: order.index(part) + 1 for part in order}}
    elif kind == 4:
        header[order.index("system")] = "team"
        options = {"columns": {"system": "team"}}
    elif kind == 5:
        header.append("note")
        rows = [[*row, "x"] for row in rows]
        options = {"columns": {"ignore": ["note"]}}
    elif kind == 6:
        options = {"form": "long"}
    text = _text([header, *rows] if header else rows, rng.choice(_DELIMITERS))
    return Case((text,), _missing(rng, options))


def _make_results(rng: random.Random) -> Case:
    turned = rng.random() < 0.4
    metrics = rng.choice((["map"], ["map", "P_10"], ["ndcg_cut_10"], ["AP", "nDCG@10"]))
    files = []
    for system in ("a", "b"):
        lines = []
        if not turned and rng.random() < 0.5:
            lines.append(["runid                 ", "all", system])
        if not turned and rng.random() < 0.3:
            lines.append(["num_q", "all", "2"])
        lines += [[metric, topic, _score(rng)] for topic in ("1", "2") for metric in metrics]
        if rng.random() < 0.4:
            lines += [[metric, "all", _score(rng)] for metric in metrics]
        if turned:
            lines = [[topic, metric, score] for metric, topic, score in lines]
        files.append(_text(lines, rng.choice(("\t", "\t", " "))))
    options: dict[str, Any] = {"form": "ir_measures" if turned else "trec_eval"} if rng.random() < 0.4 else {}
    return Case(tuple(files), _missing(rng, options))


def _make_two_tables(rng: random.Random) -> Case:
    """Two wide tables, metrics of one collection, or two long ones, systems under one metric."""
    topics = ["1", "2"] if rng.random() < 0.7 else ["2", "1"]
    if rng.random() < 0.6:
        files = tuple(
            _text([["topic", "a", "b"], *([topic, _score(rng), _score(rng)] for topic in topics)], ",")
            for _ in range(2)
        )
    else:
        files = tuple(
            _text([["topic", "system", "metric", "score"], *([t, one, "AP", _score(rng)] for t in topics)], "\t")
            for one in "ab"
        )
    return Case(files, _missing(rng, {}))


def _make_groups(rng: random.Random) -> Case:
    names = [rng.choice(("run", "system", "tag", "name")), rng.choice(("group", "team", "Group")), "year"]
    width = rng.choice((2, 2, 3))
    rows = [names[:width], *([one, rng.choice(("x", "y", "UMass")), "1999"][:width] for one in ("bm25", "lm", "n1"))]
    options: dict[str, Any] = {"systems": list(rng.choice((("bm25", "lm"), ("lm", "bm25", "n1"))))}
    if width == 3 or rng.random() < 0.3:
        options["column"] = names[1]
    if rng.random() < 0.3:
        options["system_column"] = names[0]
    return Case((_text(rows, rng.choice(_DELIMITERS)),), options)


def _make_labels(rng: random.Random) -> Case:
    options: dict[str, Any] = {}
    label = pick(rng, "0,1,2 0,1,2 1.5,2 low,high cat,dog,none pass,fail,1 n/a,A").split(",")
    topic, item = rng.choice(("topic", "qid")), rng.choice(("doc", "document", "item", "pid"))
    pairs = [("1", "d1"), ("1", "d2"), ("2", "d1")]
    if rng.random() < 0.5:
        rows = [[topic, item, "judge", "label"]]
        rows += [[*pair, judge, rng.choice(label)] for pair in pairs for judge in ("ann", "ben") if rng.random() < 0.9]
    else:
        rows = [[topic, item, "ann", "ben"], *([*pair, rng.choice(label), rng.choice(label)] for pair in pairs)]
    if "low" in label and rng.random() < 0.7:
        options["words"] = {"low": 0, "high": 1}
    elif "A" in label and rng.random() < 0.5:
        options["words"] = {"n/a": rng.choice(("label", "none"))}
    if rng.random() < 0.2:
        rows = [[*row, "split" if not at else rng.choice(("x", "x", "y"))] for at, row in enumerate(rows)]
        options["where"] = {"split": "x"}
    if rng.random() < 0.2:
        rows[0][1] = "what"
        options["columns"] = {"item": "what"}
    elif rng.random() < 0.2:  # without topics, or with several columns that name an item
        rows[0][0] = rng.choice(("system", "model", "question", "note"))
    return Case((_text(rows, rng.choice(_DELIMITERS)),), options)


def _make_label_qrels(rng: random.Random) -> Case:
    words = rng.choice((("0",), ("0",), ("s1", "2")))  # subtopics
    lines = [(t, word, d) for t, d in (("1", "d1"), ("1", "d2"), ("2", "d1")) for word in words]
    levels = rng.choice(((0, 1, 2, -1), (0, 1, 2, -1), (0, 0.5, 1, -2)))
    return Case(tuple("".join(f"{t} {w} {d} {rng.choice(levels)}\n" for t, w, d in lines).encode() for _ in range(2)))


def _make_items(rng: random.Random) -> Case:
    options: dict[str, Any] = {}
    keys = [rng.choice(("system", "SYS", "model")), rng.choice(("doc", "item", "segment", "Doc"))]
    pairs = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")]
    delimiter = rng.choice(_DELIMITERS)
    rows = [[*keys, "BLEU", "kind"], *([*pair, _score(rng), rng.choice(("x", "x", "y"))] for pair in pairs)]
    if rng.random() < 0.3:
        options["where"] = {"kind": "x"}
    if rng.random() < 0.2:
        options["system"] = keys[0].upper()
        options["item"] = [keys[1]]
    files = [_text(rows, delimiter)]
    if rng.random() < 0.5:
        rows = [[*map(str.upper, keys), "DA"], *([*pair, str(rng.randint(0, 100))] for pair in pairs)]
        files.append(_text(rows, rng.choice(_DELIMITERS)))
    return Case(tuple(files), options)


def _make_log(rng: random.Random) -> Case:
    rows = [[rng.choice(("topic", "query")), rng.choice(("document", "doc", "File"))]]
    seconds = rng.random() < 0.6
    rows[0].append("seconds" if seconds else "time")
    stamp = rng.choice(("2004-05-01T10:00:00", "17.5"))
    rows += [
        [t, d, f"{rng.random() * 90:.1f}" if seconds else stamp] for t, d in (("1", "d1"), ("1", "d2"), ("2", "d1"))
    ]
    return Case((_text(rows, rng.choice((",", "\t", ";"))),))


# ----------------------------------------------------------------------------------- second opinion: scores

type Block = dict[str, Any]
_NAMES = ("one", "two")


def _folded(name: str) -> str:
    word = re.sub(r"[\s._/:()\[\]-]+", "_", name.strip()).casefold().strip("_")
    if not word.isascii():  # accents may be left away
        word = "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))
    return word


def _roles(names: Sequence[str], columns: Mapping[str, Any]) -> tuple[dict[str, int], list[int]]:
    """Place of the column of every part, and of the columns without a part that have a name."""
    chosen = {part: column for part, column in columns.items() if part != "ignore" and isinstance(column, str)}
    ignored = columns.get("ignore", [])
    ignored = [ignored] if isinstance(ignored, str) else ignored
    for column in [*chosen.values(), *ignored]:
        if column not in names:
            raise RefusedError("no such column")
    places = {part: names.index(column) for part, column in chosen.items()}
    others = []
    called: dict[int, tuple[str | None, int]] = {}
    for place, name in enumerate(names):
        if name in chosen.values() or name in ignored or not name.strip():
            continue
        word = _folded(name)
        part = next((part for part, words in _WORDS.items() if word in words), None)
        called[place] = part, _UNSURE.get(word, 0)
    for place, (part, unsure) in called.items():
        if part is None or part in chosen or any(known == part and sure < unsure for known, sure in called.values()):
            others.append(place)
        elif part in places:
            raise RefusedError("two columns for one part")
        else:
            places[part] = place
    return places, others


def _value(cell: str, missing: str) -> float | None:
    if missing != "error" and cell.strip().casefold() in _SCORE_GAPS:
        return None
    return number_of(cell.strip())


def _value_of(cell: str, topic: str, missing: str) -> float | None:
    """Return the score of a cell; what stands for an average or a number of others may say anything."""
    try:
        return _value(cell, missing)
    except RefusedError:
        if is_average(topic) or _is_count(topic):
            return None
        raise


def _is_count(topic: str) -> bool:
    return topic.strip("#").casefold() in _COUNTS


def _wide(rows: list[list[str]], own: str, options: Mapping[str, Any]) -> list[Block]:
    header = options.get("header")
    if header is None:
        header = not all(is_number(cell.strip()) for cell in rows[0])
        if not header:
            raise RefusedError("a first line of numbers, which may be names or scores")
    names, rows = (names_in(rows[0]), rows[1:]) if header else ([], rows)
    if not rows:
        raise RefusedError("no rows")
    if header:
        names = fitted(names, rows)
    elif len({len(row) for row in rows}) > 1:
        raise RefusedError("rows of different lengths")
    if names[:1] != [""] or not _counts_rows(rows) or len(names) < 3:
        return _wide_readings(rows, names, own, options)
    return _readings_in(  # numbers of rows, or topics
        lambda first: _wide_readings([row[first:] for row in rows], names[first:], own, options), (0, 1)
    )


def _readings_in(read: Callable[[Any], list[Block]], ways: Sequence[object]) -> list[Block]:
    """Return what is read in any of some ways; where none of them reads anything, it is refused."""
    found, reason = [], RefusedError("no reading")
    for way in ways:
        try:
            found += read(way)
        except RefusedError as error:
            reason = error
    if not found:
        raise reason
    return found


def _counts_rows(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first cells count the rows, from 0 or 1 on."""
    first = [row[0].strip() for row in rows]
    return any(first == [str(at + start) for at in range(len(rows))] for start in (0, 1))


def _wide_readings(
    rows: list[list[str]], names: list[str], own: str, options: Mapping[str, Any]
) -> list[Block]:  # as `_wide`, below the header
    columns, missing = options.get("columns", {}), options.get("missing", "error")
    places, _ = _roles(names, columns)
    said = columns or "systems_in" in options or "topic" in places
    if not said and _are_numbered([name for name in names[1:] if name]):
        ways = [{**options, "systems_in": way} for way in ("columns", "rows")]
        return _readings_in(lambda way: _wide_readings(rows, names, own, way), ways)
    insisting = columns.keys() & {"system", "topic"}
    if options.get("systems_in"):
        turned = options["systems_in"] == "rows"
    elif insisting:
        turned = options.get("systems_in") is None and "system" in insisting
    else:
        turned = places.get("system") == 0
    part = "system" if turned else "topic"
    ignored = columns.get("ignore", [])
    out = {names.index(one) for one in ([ignored] if isinstance(ignored, str) else ignored)}
    if part in columns:
        at: list[int | None] = [None if columns[part] is None else places[part]]
    elif part in places:
        at = [places[part]]
    elif names and (not names[0] or turned):
        at = [0]
    else:
        at = [0, None]
    found = []
    for place in at:
        used = [one for one in range(len(rows[0])) if one != place and one not in out and (not names or names[one])]
        try:
            found.append(_wide_block(rows, names, place, used, own, missing, turned=turned))
        except RefusedError as error:
            last = error
    if not found:
        raise last
    return found


def _is_word(cell: str) -> bool:
    return cell[:1].isalpha() and cell.casefold() not in _SCORE_GAPS


def _wide_block(  # noqa: PLR0917 - what a block is made of
    rows: list[list[str]], names: list[str], place: int | None, used: list[int], own: str, missing: str, *, turned: bool
) -> Block:
    if any(
        cell.strip() for row in rows for at, cell in enumerate(row) if names and not names[at] and at and at != place
    ):
        raise RefusedError("a column without a name")
    if names and place is not None:
        held = {at: {row[at].strip() for row in rows} for at in used}
        worded = [at for at, cells in held.items() if any(map(_is_word, cells)) and not any(map(is_number, cells))]
        used = [at for at in used if at not in worded or len(worded) == len(used)]
    if not used:
        raise RefusedError("no column of scores")
    down = None if place is None else [name_of(row[place]) for row in rows]
    across = [name_of(names[at]) for at in used] if names else None
    systems, topics = (down, across) if turned else (across, down)
    called = topics or [""] * max(len(rows), len(used))
    values = [
        [_value_of(row[at], called[to if turned else of], missing) for to, at in enumerate(used)]
        for of, row in enumerate(rows)
    ]
    if not turned:
        values = [list(column) for column in zip(*values, strict=True)]
    systems = systems or [f"system{number}" for number in range(1, len(values) + 1)]
    topics = topics or [str(number) for number in range(1, len(values[0]) + 1)]
    real = [at for at, topic in enumerate(topics) if not is_average(topic)]
    cells = {}
    for system, scores in zip(systems, values, strict=True):
        for at in real:
            if (own, system, topics[at]) in cells:
                raise RefusedError("a name twice")
            cells[own, system, topics[at]] = scores[at]
    return {
        "metric": [own],
        "system": systems,
        "topic": [topics[at] for at in real],
        "cells": cells,
        "group": {},
        "up": {},
    }


def _long(rows: list[list[str]], own: str, options: Mapping[str, Any]) -> list[Block]:  # noqa: C901, PLR0912 - a literal reading, step by step
    columns, missing = options.get("columns", {}), options.get("missing", "error")
    counted = {part: at - 1 for part, at in columns.items() if isinstance(at, int)}
    if counted:
        return [_long_block(rows, counted, {}, own, missing)]
    if (run := _numbered_run(rows)) is not None:
        return _of_runs(rows, run, own, options)
    names, rows = names_in(rows[0]), rows[1:]
    if not rows:
        raise RefusedError("no rows")
    if all(len(row) == len(names) + 1 for row in rows):
        names = ["", *names] if rows[0][-1].strip() else [*names, ""]
    if any(len(row) != len(names) for row in rows):
        raise RefusedError("rows of different lengths")
    places, others = _roles(names, columns)
    found, reason = [], RefusedError("no column for the topic")
    for topic in [places["topic"]] if "topic" in places else others:
        free = [at for at in others if at != topic]
        known, many = {**places, "topic": topic}, []
        if "score" in places:  # what has no part is left out
            many = [(known, dict[str, int]())]
            if "metric" not in places and free:  # beside others that were left out it is called as its column
                rest = {part: at for part, at in known.items() if part != "score"}
                many.append((rest, {names[places["score"]]: places["score"]}))
        elif "metric" in places:
            many = [({**known, "score": at}, dict[str, int]()) for at in free]
        elif free:
            held = {at: [row[at].strip() for row in rows] for at in free}
            numbers = [at for at, cells in held.items() if any(cells) and not all(map(_is_word, cells))]
            many = [(known, {names[at]: at for at in numbers or free})]
        for parts, metrics in many:
            if not metrics and not parts.keys() & {"system", "metric"}:
                reason = RefusedError("no column for system or metric")
                continue
            try:
                found.append(_long_block(rows, parts, metrics, own, missing))
            except RefusedError as error:
                reason = error
    if not found:
        raise reason
    return found


def _numbered_run(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the column called run or name that numbers the runs of the systems that another column names."""
    called = [_folded(name) for name in names_in(rows[0])]
    systems = [at for at, word in enumerate(called) if word in _WORDS["system"]]
    runs = [
        at
        for at in systems
        if called[at] in _RUNS and all(row[at : at + 1] and row[at].strip().isdecimal() for row in rows[1:])
    ]
    return runs[0] if len(systems) == 2 and len(runs) == 1 else None


def _of_runs(rows: list[list[str]], run: int, own: str, options: Mapping[str, Any]) -> list[Block]:
    """Read the rows of every run as a table of their own; a cell holds the score of each run."""
    rest = [[cell for at, cell in enumerate(row) if at != run] for row in rows]
    runs = natural(list(dict.fromkeys(row[run].strip() for row in rows[1:])))
    tables = [
        _long(
            [rest[0], *(other for row, other in zip(rows[1:], rest[1:], strict=True) if row[run].strip() == one)],
            own,
            options,
        )
        for one in runs
    ]
    found = []
    for blocks in zip(*tables, strict=False):
        if any(block["cells"].keys() != blocks[0]["cells"].keys() for block in blocks):
            raise RefusedError("a gap")
        cells = {key: [block["cells"][key] for block in blocks] for key in blocks[0]["cells"]}
        found.append({**blocks[0], "cells": cells})
    return found


def _items_alone(block: Block) -> Iterator[Block]:
    """Leave out what is called by a word for numbers, which may count others, and words beside topics of numbers."""
    yield _with_topics(block, [topic for topic in block["topic"] if not _is_count(topic)])
    numbers = [topic for topic in block["topic"] if _are_numbered([topic])]
    if numbers:
        yield _with_topics(block, numbers)


def _with_topics(block: Block, topics: list[str]) -> Block:
    cells = {key: value for key, value in block["cells"].items() if key[2] in topics}
    left = {key[0] for key in block["cells"]} - {key[0] for key in cells}
    return {**block, "metric": [one for one in block["metric"] if one not in left], "topic": topics, "cells": cells}


def _are_numbered(names: Sequence[str]) -> bool:
    """Whether these are called as questions are: by numbers alone, or a letter before each."""
    return bool(names) and all(re.fullmatch(r"[qQtT]?[0-9]+", name.strip()) for name in names)


def _long_block(  # noqa: C901, PLR0917 - a literal reading, step by step
    rows: list[list[str]],
    places: Mapping[str, int],
    metrics: Mapping[str, int],
    own: str,
    missing: str,
    system: str = "",
) -> Block:
    if len({len(row) for row in rows}) > 1:
        raise RefusedError("rows of different lengths")
    if max([*places.values(), *metrics.values()]) >= len(rows[0]):
        raise RefusedError("too few columns")
    block: Block = {"metric": {}, "system": {}, "topic": {}, "cells": {}, "group": {}, "up": {}}
    for row in rows:
        topic = name_of(row[places["topic"]])
        name = name_of(row[places["system"]]) if "system" in places else system or own
        scores = {metric: row[at] for metric, at in metrics.items()}
        if not metrics:
            scores = {name_of(row[places["metric"]]) if "metric" in places else own: row[places["score"]]}
        for part, owner in (("group", [name]), ("higher_is_better", list(scores))):
            if part in places:
                said, table = row[places[part]].strip(), block["group" if part == "group" else "up"]
                if any(table.setdefault(one, said) != said for one in owner):
                    raise RefusedError(f"two {part}s")
        for metric, cell in scores.items():
            value = _value(cell, missing)
            real = not is_average(topic)
            for dim, label in (("metric", metric), ("system", name), ("topic", topic)):
                block[dim][label] = block[dim].get(label, False) or real  # averages count for the order alone
            if not real:
                continue
            if (metric, name, topic) in block["cells"]:
                raise RefusedError("a score twice")
            block["cells"][metric, name, topic] = value
    if not any(block["topic"].values()) or not all(block["system"].values()):
        raise RefusedError("only averages")
    named = {dim: [one for one, real in block[dim].items() if real] for dim in ("metric", "system", "topic")}
    return {**block, **named}


def _results(rows: list[list[str]], own: str, options: Mapping[str, Any], *, metric: int) -> list[Block]:
    tags = dict.fromkeys(row[2].strip() for row in rows if len(row) == 3 and row[metric].strip() == "runid")
    if len(tags) > 1:
        raise RefusedError("several runs in one file")
    real = [row for row in rows if len(row) <= metric or row[metric].strip() not in _LEFT_OUT]
    if not real or any(len(row) < 3 or any(cell.strip() for cell in row[3:]) for row in real):
        raise RefusedError("not three columns")
    tag = next(iter(tags), "")
    places = {"metric": metric, "topic": 1 - metric, "score": 2}
    return [{**_long_block(real, places, {}, own, options.get("missing", "error"), tag), "tag": tag}]


def _four(rows: list[list[str]], own: str, options: Mapping[str, Any], *, metric: int) -> list[Block]:
    if any(len(row) != 4 for row in rows) or not all(cell.strip() for cell in rows[0]):
        return []
    places = {"system": 0, "metric": metric, "topic": 3 - metric, "score": 3}
    return [_long_block(rows, places, {}, own, options.get("missing", "error"))]


def _form_readings(rows: list[list[str]], own: str, options: Mapping[str, Any]) -> list[Block]:
    forms: dict[str, Callable[[], list[Block]]] = {
        "wide": lambda: _wide(rows, own, options),
        "long": lambda: _long(rows, own, options),
        "trec_eval": lambda: _results(rows, own, options, metric=0),
        "ir_measures": lambda: _four(rows, own, options, metric=2) or _results(rows, own, options, metric=1),
        "tot": lambda: _four(rows, own, options, metric=1),
    }
    columns = options.get("columns", {})
    if options.get("form"):
        wanted = [options["form"]]
    elif any(isinstance(column, int) for column in columns.values()):
        wanted = ["long"]
    else:
        wanted = list(forms)
        if options.get("header") is not False:
            try:
                parts = _roles(names_in(rows[0]), columns)[0].keys()
            except RefusedError:
                parts = set()
            if {"topic", "score"} <= parts and parts & {"system", "metric"}:
                wanted = ["long"]  # a header that says all is believed
    found, reason = [], RefusedError("no form")
    for form in wanted:
        try:
            blocks = forms[form]()
        except RefusedError as error:
            reason = error
            continue
        found += [*blocks, *(fewer for block in blocks for fewer in _items_alone(block))]
    if not found:
        raise reason
    return found


def _joined(blocks: Sequence[Block], missing: str) -> dict[str, object]:  # noqa: C901, PLR0912 - a literal reading, step by step
    tagged = [block.get("tag") for block in blocks]
    if len(blocks) > 1 and tagged[0] and tagged[0] == tagged[1]:
        shared = all(set(blocks[0][dim]) & set(blocks[1][dim]) for dim in ("metric", "topic"))
        if shared:  # the tag is not the file's own, so files name the systems
            blocks = [
                {**block, "system": [own], "cells": {(m, own, t): v for (m, _, t), v in block["cells"].items()}}
                for block, own in zip(blocks, _NAMES, strict=False)
            ]
    cells: dict[tuple[str, str, str], float | None] = {}
    said: dict[str, dict[str, str]] = {"group": {}, "up": {}}
    for block in blocks:
        for key, value in block["cells"].items():
            if cells.get(key) is not None and value is not None:
                raise RefusedError("a score in two files")
            if cells.get(key) is None:
                cells[key] = value
        for part, table in said.items():
            for name, text in block[part].items():
                if table.setdefault(name, text) != text:
                    raise RefusedError(f"two of {part}")
    metrics, systems, topics = (
        list(dict.fromkeys(name for block in blocks for name in block[dim])) for dim in ("metric", "system", "topic")
    )
    gaps = {key for key in product(metrics, systems, topics) if cells.get(key) is None}
    if gaps and missing == "error":
        raise RefusedError("a gap")
    if missing == "zero" and any(gaps >= {*product([m], [s], topics)} for m, s in product(metrics, systems)):
        raise RefusedError("a system without a score")
    if missing == "drop-systems":
        systems = [one for one in systems if not any(key[1] == one for key in gaps)]
    if missing == "drop-topics":
        topics = [one for one in topics if not any(key[2] == one for key in gaps)]
    if len(systems) < 2 or len(topics) < 2:
        raise RefusedError("fewer than two systems or topics")
    topics = natural(topics)
    up = {name: _TRUTH.get(text.casefold()) for name, text in said["up"].items()}
    if None in up.values():
        raise RefusedError("neither true nor false")
    if said["group"] and any(not said["group"].get(one) for one in systems):
        raise RefusedError("no group")
    return {
        "metric": metrics,
        "system": systems,
        "topic": topics,
        "scores": [[[cells.get((m, s, t)) or 0.0 for t in topics] for s in systems] for m in metrics],
        "higher_is_better": [up.get(one, True) for one in metrics],
        "group": [said["group"][one] for one in systems] if said["group"] else None,
    }


def score_opinions(tables: Sequence[list[list[str]]], options: Mapping[str, Any]) -> list[object]:
    """Return every reading of some tables, already cut into cells."""
    readings = [_form_readings(rows, own, options) for rows, own in zip(tables, _NAMES, strict=False)]
    found, reason = [], RefusedError("no reading")
    for blocks in product(*readings):
        try:
            found.append(_joined(blocks, options.get("missing", "error")))
        except RefusedError as error:
            reason = error
    if not found:
        raise reason
    return found


def _score_opinions(case: Case) -> list[object]:
    whole, alone = ([rows_of(content, alone=so) for content in case.files] for so in (False, True))
    found, reason = [], None
    for tables in (whole, alone):
        try:
            found += score_opinions(tables, case.options)
        except RefusedError as error:
            reason = reason or error
    if reason and not found:
        raise reason
    return found


def laid_out(scores: Any) -> dict[str, object]:
    """Lay Scores out as `score_opinions` does."""
    return {
        "metric": scores["metric"].to_numpy().tolist(),
        "system": scores["system"].to_numpy().tolist(),
        "topic": scores["topic"].to_numpy().tolist(),
        "scores": scores.to_numpy().tolist(),
        "higher_is_better": scores["higher_is_better"].to_numpy().tolist(),
        "group": scores["group"].to_numpy().tolist() if "group" in scores.coords else None,
    }


def read_as_scores(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    """Read score tables as their users do."""
    return laid_out(read_scores(list(paths), **options))


# ----------------------------------------------------------------------- second opinion: the other tables


def names_and_rows(content: bytes, *, alone: bool = False) -> tuple[list[str], list[list[str]]]:
    """Return the names of columns and the rows below them, `alone` without what stands around a table."""
    rows = rows_of(content, alone=alone)
    if len(rows) < 2:
        raise RefusedError("no rows")
    return fitted(names_in(rows[0]), rows[1:]), [[cell.strip() for cell in row] for row in rows[1:]]


def _group_opinions(case: Case) -> list[object]:
    options = case.options
    found = said_of_names(
        case, options["systems"], "system", "group", options.get("column"), options.get("system_column")
    )
    return [{"groups": one["said"]} for one in found]


_SAID = {"arrival": ("date", "year", "created_at", "timestamp", "month", "day")}
"""Names of columns that say something, where it is not called as it is."""


def said_of_names(  # noqa: PLR0917 - a literal reading
    case: Case, wanted: Sequence[str], what: str, said: str, column: str | None, own: str | None = None
) -> list[dict[str, dict[str, str]]]:
    """Return what a table says of every name: of systems their groups, of topics their clusters."""
    names, rows = names_and_rows(case.files[0])
    if {column, own} - {None, *names}:
        raise RefusedError("no such column")
    if own is not None:
        owners = [names.index(own)]
    else:
        spelt = [re.sub(r"[\s-]+", "_", name).casefold() for name in names]
        surest = min([_UNSURE.get(word, 0) for word in spelt if word in _WORDS[what]], default=0)
        words = [at for at, word in enumerate(spelt) if word in _WORDS[what] and _UNSURE.get(word, 0) == surest]
        if len(words) > 1:
            raise RefusedError(f"two columns of {what}s")
        owners = words or [at for at in range(len(names)) if set(wanted) <= {row[at] for row in rows}][:1]
    found = []
    for at in owners:
        others = [other for other, name in enumerate(names) if name and other != at]
        called = [other for other in others if names[other].casefold() in _SAID.get(said, (said,))]
        chosen = [names.index(column)] if column is not None else called if len(called) == 1 else others
        if len(chosen) != 1:
            raise RefusedError(f"no column of {said}s")
        values = {one: {row[chosen[0]] for row in rows if row[at] == one} for one in wanted}
        if any(len(one) != 1 or "" in one for one in values.values()):
            raise RefusedError(f"no {said}, or two")
        found.append({"said": {name: next(iter(one)) for name, one in values.items()}})
    if not found:
        raise RefusedError(f"no column of {what}s")
    return found


type _Words = Mapping[str, int | str]


def _graded(cell: str, words: _Words) -> float | None:
    """Return the grade of a cell where labels are numbers, None for no label."""
    text = " ".join(cell.split()).casefold()
    meaning = words.get(text)
    if meaning == "none" or (text in GAPS and meaning is None):
        return None
    if isinstance(meaning, int):
        return float(meaning)
    if not keeps_digits(text):
        raise RefusedError("more digits than a label holds")
    return number_of(text)


def _worded(cell: str, words: _Words) -> str | None:
    """Return the label of a cell where labels are words, of which "none" is one."""
    text = " ".join(cell.split()).casefold()
    none = words.get(text, "none" if text in GAPS and text != "none" else "label") == "none"
    return None if none or not text else cell


def _are_grades(cells: Sequence[str], words: _Words) -> bool:
    try:
        for cell in cells:
            _graded(cell, words)
    except RefusedError:
        return False
    return True


def _words_among(cells: Sequence[str], words: _Words) -> set[str]:
    """Return the different words, without case and with single blanks."""
    return {" ".join(cell.split()).casefold() for cell in cells if _worded(cell, words) is not None}


def _one_no_one_yes(texts: set[str]) -> bool:
    said = [text.replace("_", " ").replace("-", " ") for text in texts]
    said = [" ".join(text.split()) for text in said]
    return all(one in _SAYS_NO | _SAYS_YES for one in said) and all(
        sum(one in side for one in said) < 2 for side in (_SAYS_NO, _SAYS_YES)
    )


def _label_columns(columns: Mapping[str, list[str]], words: _Words) -> list[str]:
    """Return which columns are judges: those of numbers, or those of words that two of them share."""
    graded = [name for name, cells in columns.items() if _are_grades(cells, words)]
    numbers = [name for name in graded if any(_graded(cell, words) is not None for cell in columns[name])]
    texts = {name: _words_among(cells, words) for name, cells in columns.items() if name not in numbers}
    texts = {name: found for name, found in texts.items() if 0 < len(found) <= _MOST_WORDS}
    shared = [
        name for name, found in texts.items() if any(found & more for other, more in texts.items() if other != name)
    ]
    opposed = [name for name, found in texts.items() if _one_no_one_yes(found)]
    if len(numbers) == 1 and opposed and _words_among(columns[numbers[0]], words) <= {"0", "1"}:
        return [name for name in columns if name in {*numbers, *opposed}]
    if shared and len(numbers) > 1:
        raise RefusedError("judges by numbers or judges by words")
    if any(not texts[name] & texts[shared[0]] for name in shared):
        raise RefusedError("two kinds of words")
    mostly = [
        name for name in texts if 2 * sum(_are_grades([cell], words) for cell in columns[name]) > len(columns[name])
    ]
    return shared or numbers or (opposed if len(opposed) > 1 else mostly)


def _without_names_of_grades(rows: Sequence[Sequence[str]], columns: Sequence[int], words: _Words) -> list[list[str]]:
    """Leave the number of cells such as "2 - good", in columns whose words are all such, each number with its name."""
    rows = [list(row) for row in rows]
    for at in columns:
        texts = {row[at] for row in rows if not _are_grades([row[at]], words)}
        parts = {
            text: re.fullmatch(r"([+-]?\d+(?:\.\d+)?) *(?:[-\N{EN DASH}\N{EM DASH}:=.)] *|\()([^\W\d_].*)", text)
            for text in texts
        }
        if None in parts.values() or any(" ".join(text.split()).casefold() in words for text in texts):
            continue
        pairs = {(said[1], " ".join(said[2].rstrip(")").split()).casefold()) for said in parts.values() if said}
        if len({number for number, _ in pairs}) == len({name for _, name in pairs}) == len(pairs):
            for row in rows:
                row[at] = parts[row[at]][1] if parts.get(row[at]) else row[at]
    return rows


def label_opinions(case: Case) -> list[dict[str, Any]]:
    return _labels_in(*names_and_rows(case.files[0]), case.options)


def _labels_in(names: list[str], rows: list[list[str]], options: Mapping[str, Any]) -> list[dict[str, Any]]:  # noqa: C901, PLR0912 - a literal reading, step by step
    columns, words, where = (options.get(one, {}) for one in ("columns", "words", "where"))
    if not {*columns.values(), *where} <= set(names):
        raise RefusedError("no such column")
    for column, text in where.items():
        rows = [row for row in rows if row[names.index(column)] == text]
    if not rows:
        raise RefusedError("no row is left")
    folded = [name.casefold().replace("-", "_").replace(" ", "_") for name in names]
    places: dict[str, list[int]] = {}
    for role, known in _LABEL_ROLES.items():
        free = {at for at, name in enumerate(names) if name not in columns.values()}
        free -= {at for several in places.values() for at in several}
        called = [at for word in known for at in sorted(free) if folded[at] == word]
        places[role] = [names.index(columns[role])] if role in columns else called[:1]
    if not places["item"] and places["judge"] and not places["label"] + places["topic"] and not where:
        (own,) = places["judge"]  # a row a person, and a column an item
        turned = [[name, *(row[at] for row in rows)] for at, name in enumerate(names) if name and at != own]
        return _labels_in(fitted(["item", *(row[own] for row in rows)], turned), turned, {"words": words})
    if not places["item"]:
        raise RefusedError("no column of items")
    is_long = bool(places["judge"] and places["label"])
    chosen = {names.index(one) for one in where}
    keys = [*places["topic"], *places["item"], *(places["judge"] if is_long else [])]
    taken = {*keys, *chosen, *places["label"]}
    more = [at for at, name in enumerate(folded) if at not in taken and name in _TELL_ITEMS_APART]
    told, wholly = ({tuple(row[at] for at in some) for row in rows} for some in (keys, [*keys, *more]))
    if "item" not in columns and len(told) < len(rows) == len(wholly):
        places["item"] += more
    asked = {at for at in places["topic"] if folded[at] in _ASKED and at not in chosen}
    if len(rows) > 1 and any(len({row[at] for row in rows}) == 1 for at in asked):
        places["topic"] = []  # all judged the same question
    keys = {*places["topic"], *places["item"], *chosen, *(places["judge"] if is_long else [])}
    rows = _without_names_of_grades(rows, places["label"] if is_long else [*({*range(len(names))} - keys)], words)
    if is_long:
        judged = [(name_of(row[places["judge"][0]]), row, places["label"][0]) for row in rows]
    else:
        used = {*places["topic"], *places["item"], *chosen}
        held = {name: [row[at] for row in rows] for at, name in enumerate(names) if name and at not in used}
        judged = [(name, row, names.index(name)) for name in _label_columns(held, words) for row in rows]
    if not judged:
        raise RefusedError("no labels")
    read = _label_reading([(judge, row[at]) for judge, row, at in judged], words)
    cells: dict[tuple[str, ...], float | str | None] = {}
    for judge, row, at in judged:
        topic = [name_of(row[place]) for place in places["topic"]]
        key = (*topic, "::".join(name_of(row[place]) for place in places["item"]), judge)
        if key in cells:
            raise RefusedError("an item twice")
        cells[key] = read(row[at], words)
    labels = {key: value for key, value in cells.items() if value is not None}
    real = [key for key in cells if not any(map(is_average, key[:-1]))]  # averages may be left out
    kept = [_where(real, fewer) for fewer in _without_words([key[:-1] for key in real])]
    judges = sorted({key[-1] for key in cells})
    return [
        _labels_as_parts({key: said[key] for key in keys if key in said}, judges, {key[:-1] for key in keys})
        for said, keys in product((labels, _without_words_of_one(labels)), (cells, *kept))
    ]


def _without_words_of_one(labels: Mapping[Any, float | str]) -> dict[Any, float | str]:
    """Leave out what may be no label and one judge alone says."""
    said = {(" ".join(str(label).casefold().split()), key[-1]) for key, label in labels.items()}
    times = Counter(word for word, _ in said)
    lone = {word for word in _NO_LABELS if times[word] == 1}
    return {key: label for key, label in labels.items() if " ".join(str(label).casefold().split()) not in lone}


def _label_reading(
    said: Sequence[tuple[str, str]], words: _Words
) -> Callable[[str, _Words], float | None] | Callable[[str, _Words], str | None]:
    """Return how cells are read: as numbers, or as words, of which some may be numbers where all say yes and no."""
    if _are_grades([cell for _, cell in said], words):
        return _graded
    if any(isinstance(meaning, int) for meaning in words.values()):
        raise RefusedError("a word without a grade")
    of_judges = [_words_among([cell for one, cell in said if one == judge], words) for judge, _ in said]
    found = set().union(*of_judges)
    if len(found) > _MOST_WORDS:
        raise RefusedError("free text")
    if any(is_number(word) and keeps_digits(word) for word in found) and not all(map(_one_no_one_yes, of_judges)):
        raise RefusedError("words beside numbers")
    return _worded


def _labels_as_parts(cells: Mapping[Any, float | str], judges: Sequence[str], items: set[Any]) -> dict[str, object]:
    return {"judges": list(judges), "items": sorted(items), "labels": dict(sorted(cells.items()))}


def _label_qrels_opinions(case: Case) -> list[object]:
    files = dict(zip(_NAMES, map(judgments_of, case.files), strict=False))
    by_subtopic = any(len({(topic, document) for topic, _, document in own}) < len(own) for own in files.values())
    cells: dict[Any, float] = {}
    items = set()
    for name, judged in files.items():
        whole = all(map(float.is_integer, judged.values()))
        for (topic, word, document), grade in judged.items():
            item = (topic, f"{word}/{document}" if by_subtopic else document)
            items.add(item)
            if grade != -1 if whole else grade >= 0:
                cells[*item, name] = grade
    return [_labels_as_parts(cells, sorted(_NAMES), items)]


def _column_of(names: Sequence[str], words: Sequence[str]) -> int:
    for word in words:
        for found in (
            [at for at, name in enumerate(names) if name == word],
            [at for at, name in enumerate(names) if name.casefold() == word.casefold()],
        ):
            if found:
                return found[0]
    raise RefusedError("no such column")


def _item_opinions(case: Case) -> list[object]:
    tables = _chosen_tables(case)
    found, reason = [], RefusedError("no reading")
    for items in _ways_to_items(tables[0], case.options):
        try:
            found += _items_read(tables, case.options, items)
        except RefusedError as error:
            reason = error
    if not found:
        raise reason
    return found


type _Table = tuple[list[str], list[list[str]]]


def _chosen_tables(case: Case) -> list[_Table]:
    """Return the names and the chosen rows of every file."""
    tables, where = [], case.options.get("where", {})
    for content in case.files:
        names, rows = names_and_rows(content)
        for column, text in where.items():
            if column in names:
                rows = [row for row in rows if row[names.index(column)] == text]
                if not rows:
                    raise RefusedError("no row is left")
        tables.append((names, rows))
    if any(not any(column in names for names, _ in tables) for column in where):
        raise RefusedError("no such column")
    return tables


def _ways_to_items(table: _Table, options: Mapping[str, Any]) -> list[list[str]]:
    """Return which columns may name the items of the first file: those called so, or one that fits as they do not.

    What is another in every row numbers the rows, where systems share the others.
    """
    names, rows = table
    if options.get("item"):
        return [list(options["item"])]
    system = _system_of(names, options)
    cells = {name: [row[at] for row in rows] for at, name in enumerate(names) if name}
    called = [name for name in names if name.casefold() in _ITEM_WORDS]
    of_rows = [name for name in called if len({*cells[name]}) == len(rows)]
    shared = [name for name in called if name not in of_rows]
    systems = [row[system] for row in rows]
    ways = [called, *([shared] if of_rows and shared else [])]
    if len({*systems}) < len(rows) and not shared:
        free = [name for at, name in enumerate(names) if name and name not in called and at != system]
        ways += [[name] for name in free if len({*zip(systems, cells[name], strict=True)}) == len(rows)]
    return ways


def _system_of(names: Sequence[str], options: Mapping[str, Any]) -> int:
    return _column_of(names, [options["system"]] if "system" in options else _SYSTEM_WORDS)


def _items_read(tables: Sequence[_Table], options: Mapping[str, Any], items: Sequence[str]) -> list[object]:
    parts: list[tuple[dict[str, list[float | str | None]], list[tuple[str, ...]]]] = []
    keys: list[str] = []
    for names, rows in tables:
        at = [_system_of(names, options), *_places_of_items(names, items, first=not keys, asked="item" in options)]
        keys = keys or [names[place] for place in at]
        if len(at) != len(keys):
            raise RefusedError("other keys")
        named = [keys[at.index(place)] if place in at else name for place, name in enumerate(names)]
        order = [tuple(row[place] for place in at) for row in rows]
        real = [not any(map(is_average, key[1:])) for key in order]
        real = real if any(real) else [True] * len(real)  # an average of nothing is an item
        values = {
            name: _typed(_where([row[place] for row in rows], real))
            for place, name in enumerate(named)
            if name and place not in at
        }
        parts.append((values, _where(order, real)))
    columns, order = parts[0] if len(parts) == 1 else _two_joined(parts, tables, options)
    opinions = []
    for real in _without_words([key[1:] for key in order]):
        held = {name: _where(cells, real) for name, cells in columns.items()}
        left = _where(order, real)
        # what names items without being called so is laid out as a column of words
        said = [at for at, key in enumerate(keys) if not at or "item" in options or key.casefold() in _ITEM_WORDS]
        held |= {keys[at]: [key[at] for key in left] for at in range(len(keys)) if at not in said}
        opinions.append(
            _items_as_parts([keys[at] for at in said], held, [tuple(key[at] for at in said) for key in left])
        )
    return opinions


def _places_of_items(names: Sequence[str], items: Sequence[str], *, first: bool, asked: bool) -> list[int]:
    called = [place for place, name in enumerate(names) if name.casefold() in _ITEM_WORDS]
    try:
        return [_column_of(names, [one]) for one in items] or ([] if first else called)
    except RefusedError:
        if first or asked or len(items) != 1 or len(called) != 1:
            raise
        return called  # another file may call its items otherwise


def _without_words(items: Sequence[tuple[str, ...]]) -> list[list[bool]]:
    """Say which rows stay: all, those not called by a word for numbers, or numbers alone, where there are such."""
    ways = [[True] * len(items)]
    for kept in (lambda name: not _is_count(name), lambda name: _are_numbered([name])):
        real = [all(map(kept, key)) for key in items]
        ways += [real] if any(real) else []
    return ways


def _where[T](values: Sequence[T], real: Sequence[bool]) -> list[T]:
    return [value for value, is_real in zip(values, real, strict=True) if is_real]


def _two_joined(
    parts: Sequence[tuple[dict[str, list[Any]], list[tuple[str, ...]]]],
    tables: Sequence[_Table],
    options: Mapping[str, Any],
) -> tuple[dict[str, list[Any]], list[tuple[str, ...]]]:
    """Join two files by their keys; rows that one has alone stay, with gaps."""
    (one, first), (two, second) = parts
    if any(first.count(key) > 1 and second.count(key) > 1 for key in first):
        raise RefusedError("keys repeated in both files")
    both = [name for name in two if name in one]
    if any(isinstance(cell, float) for name in both for part in (one, two) for cell in part[name]):
        raise RefusedError("a column of scores twice")
    pairs = [(at, to) for at, key in enumerate(first) for to in range(len(second)) if second[to] == key]
    pairs += [(at, -1) for at, key in enumerate(first) if key not in second]
    pairs += [(-1, to) for to, key in enumerate(second) if key not in first]
    # the file whose rows were chosen
    said = [0 if column in tables[0][0] else 1 for column in options.get("where", {})]
    pairs = [pair for pair in pairs if all(pair[number] >= 0 for number in said)]
    if not pairs:
        raise RefusedError("no row is left")
    columns = {name: [cells[at] if at >= 0 else None for at, _ in pairs] for name, cells in one.items()}
    columns |= {n: [c[to] if to >= 0 else None for _, to in pairs] for n, c in two.items() if n not in both}
    return columns, [first[at] if at >= 0 else second[to] for at, to in pairs]


def _typed(cells: Sequence[str]) -> list[float | str | None]:
    gaps = [cell.casefold() in _SCORE_GAPS for cell in cells]
    if all(gaps) or any(
        not gap and not (is_number(cell) and keeps_digits(cell)) for cell, gap in zip(cells, gaps, strict=True)
    ):
        return list(cells)
    return [None if gap else number_of(cell) for cell, gap in zip(cells, gaps, strict=True)]


def _items_as_parts(
    keys: Sequence[str], columns: Mapping[str, Sequence[Any]], order: Sequence[tuple[str, ...]]
) -> object:
    rows = [(key, *(columns[name][at] for name in sorted(columns))) for at, key in enumerate(order)]
    return {"keys": list(keys), "columns": sorted(columns), "rows": sorted(rows, key=repr)}


def _log_opinions(case: Case) -> list[object]:
    rows = rows_of(case.files[0])
    names, rows = [name.casefold() for name in names_in(rows[0])], rows[1:]
    if any(len(row) != len(names) for row in rows):
        raise RefusedError("rows of different lengths")
    words = {"topic": "topic topic_id query", "document": "document doc file docno", "seconds": "seconds duration"}
    words["time"] = "time timestamp date"
    at = {
        role: next((names.index(word) for word in known.split() if word in names), None)
        for role, known in words.items()
    }
    last = "time" if at["seconds"] is None else "seconds"
    if None in {at["topic"], at["document"], at[last]}:
        raise RefusedError("no such column")
    columns = {role: [row[at[role] or 0].strip() for row in rows] for role in ("topic", "document", last)}
    if last == "seconds":
        numbers = [number_of(cell) for cell in columns[last]]
        if any(number < 0 for number in numbers):
            raise RefusedError("less than 0 seconds")
        return [{**columns, last: numbers}]
    if all(is_number(cell) for cell in columns[last]):
        numbers = [number_of(cell) for cell in columns[last]]
        long = any(len(cell) > 300 for cell in columns[last])  # no time that anybody writes: text will do
        return [{**columns, last: numbers}, *([dict(columns)] if long else [])]
    return [dict(columns)]


# ------------------------------------------------------------------------------------------------ under test


def _read_groups(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    return {"groups": read_groups(paths[0], **options)}


def _read_labels(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    frame = read_labels(list(paths), **options)
    items = [key if isinstance(key, tuple) else (key,) for key in frame.index.tolist()]
    stacked = {
        (*key, str(name)): value
        for name in frame.columns
        for key, value in zip(items, frame[name].tolist(), strict=True)
        if value == value  # noqa: PLR0124 - NaN: no label
    }
    return _labels_as_parts(stacked, sorted(map(str, frame.columns)), {*items})


def _read_items(paths: Sequence[str], options: Mapping[str, Any]) -> object:
    frame = read_items(list(paths), **options)
    columns = {str(name): [None if pd.isna(cell) else cell for cell in frame[name].tolist()] for name in frame.columns}
    system = frame.attrs["system"]
    asked = options.get("item", [])
    items = [list(columns)[_column_of(list(columns), [one])] for one in asked] or [
        name for name in frame.attrs["items"] if name.casefold() in _ITEM_WORDS
    ]
    keys = [system, *items]
    order = list(zip(*(columns[name] for name in keys), strict=True))
    return _items_as_parts(keys, {name: cells for name, cells in columns.items() if name not in keys}, order)


def _read_log(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    frame = read_assessment_log(paths[0])
    return {str(name): frame[name].tolist() for name in frame.columns}


def _reader(name: str, make: Callable[[random.Random], Case], read: Any, opinions: Any, speed: float) -> Reader:
    return Reader(name=name, make=make, mutate=text_mutation(make), read=read, opinions=opinions, speed=speed)


READERS = (
    _reader("scores-wide", _make_wide, read_as_scores, with_titles(_score_opinions), 190),
    _reader("scores-long", _make_long, read_as_scores, with_titles(_score_opinions), 240),
    _reader("scores-results", _make_results, read_as_scores, with_titles(_score_opinions), 210),
    _reader("scores-two-tables", _make_two_tables, read_as_scores, with_titles(_score_opinions), 160),
    _reader("groups", _make_groups, _read_groups, _group_opinions, 1900),
    _reader("labels", _make_labels, _read_labels, with_titles(label_opinions), 320),
    _reader("labels-qrels", _make_label_qrels, _read_labels, _label_qrels_opinions, 210),
    _reader("items", _make_items, _read_items, with_titles(_item_opinions), 150),
    _reader("assessment-log", _make_log, _read_log, _log_opinions, 680),
)
