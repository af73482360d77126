"""Scores under judges by aspect, as a table and as JSON records; and tables of LaTeX, mended as the refusal says."""

import json
import random
import re
import subprocess
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from fuzz_benchmarks import CHANGES, parsed_json
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import hyphened, is_average, number_of, with_titles
from fuzz_spelling import NAMES, TOPICS, few, json_file, number, table
from fuzz_tables import names_and_rows
from fuzz_text import text_mutation

from metaeval.errors import FileFormatError
from metaeval.inex.judges import read_judges
from metaeval.io.tables import read_scores

_COLUMNS = {"judge": "judge", "system": "run", "topic": "topic", "metric": "aspect", "score": "value"}
_SCORES = (0.0, 1.0, 0.5, 0.25, 2.0)
_SYSTEMS = tuple(name for name in NAMES if name != "runid")
_ASPECTS = ("fluency", "1.10", "true", "None", "12345678901234567890", "007", "1e3")


def _cells(rng: random.Random, *, plain: bool) -> dict[tuple[str, ...], float]:
    """Return scores by judge, system, topic and aspect."""
    judges, systems = (["ann", "bot"], ["bm25", "lm"]) if plain else (rng.sample(_SYSTEMS, 2) for _ in range(2))
    topics = ["1", "2"] if plain else few(rng, TOPICS, 2, 3)
    aspects = ["fluency", "style"] if plain else rng.sample(_ASPECTS, 2)
    return {key: rng.choice(_SCORES) for key in product(judges, systems, topics, aspects)}


def _said(cells: Mapping[tuple[str, ...], float]) -> dict[str, object]:
    return {"said": {" | ".join(key): score for key, score in cells.items()}}


def _make_table(rng: random.Random) -> Case:
    rows = [[*key, repr(score)] for key, score in _cells(rng, plain=True).items()]
    rng.shuffle(rows)
    delimiter = rng.choice(",\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in ([*_COLUMNS.values()], *rows)).encode(),))


def _records(cells: Mapping[tuple[str, ...], float]) -> list[dict[str, object]]:
    return [dict(zip(_COLUMNS.values(), (*key, score), strict=True)) for key, score in cells.items()]


def _make_json(rng: random.Random) -> Case:
    return Case((json.dumps(_records(_cells(rng, plain=True)), indent=rng.choice((None, 1))).encode(),))


def _spell_table(rng: random.Random) -> Case:
    cells = _cells(rng, plain=False)
    rows = [[*key, number(rng, score)] for key, score in cells.items()]
    rng.shuffle(rows)
    order = rng.sample(range(5), 5)
    rows = [[row[at] for at in order] for row in ([*_COLUMNS.values()], *rows)]
    return Case((table(rng, rows),), {}, _said(cells))


def _spell_json(rng: random.Random) -> Case:
    cells = _cells(rng, plain=False)
    return Case((json_file(rng, _records(cells)),), {}, _said(cells))


def _of_rows(rows: Sequence[Sequence[str]]) -> list[object]:
    """Take the scores of rows: judge, system, topic, aspect, score."""
    cells: dict[tuple[str, ...], float] = {}
    systems: dict[tuple[str, ...], bool] = {}
    for *key, score in rows:
        if not all(key) or tuple(key) in cells:
            raise RefusedError("no name, or a score twice")
        real = not is_average(key[2])
        systems[key[0], key[1]] = systems.get((key[0], key[1]), False) or real
        if real:
            cells[tuple(key)] = number_of(score)
    if not all(systems.values()):
        raise RefusedError("only averages of a system")
    judges = {judge for judge, *_ in cells}
    by_aspect: dict[str, set[str]] = {}
    for judge, _, _, aspect in cells:
        by_aspect.setdefault(aspect, set()).add(judge)
    shared = {aspect for aspect, by in by_aspect.items() if by == judges}
    return [_said({key: score for key, score in cells.items() if key[3] in shared})]


def _table_opinions(case: Case) -> list[object]:
    names, rows = names_and_rows(case.files[0])
    if any(names.count(name) != 1 for name in _COLUMNS.values()):
        raise RefusedError("no such column, or two")
    places = [names.index(name) for name in _COLUMNS.values()]
    return _of_rows([[row[at] for at in places] for row in rows])


def _json_opinions(case: Case) -> list[object]:
    try:
        document = parsed_json(case.files[0].decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise RefusedError("no UTF-8") from error
    records = document if isinstance(document, list) else [document]
    rows = []
    for record in records:
        if not isinstance(record, dict) or not record.keys() >= {*_COLUMNS.values()}:
            raise RefusedError("no record, or one that lacks something")
        *key, score = (record[name] for name in _COLUMNS.values())
        if not all(isinstance(name, str) or type(name) is int for name in key):
            raise RefusedError("a name that is none")
        if not isinstance(score, str | int | float):
            raise RefusedError("a score that is none")
        rows.append([*(str(name).strip() for name in key), str(int(score) if isinstance(score, bool) else score)])
    return _of_rows(rows)


def _read_judged(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    found = {}
    for aspect, by_judge in read_judges(paths[0], columns=_COLUMNS).scores.items():
        for judge, scores in by_judge.items():
            for key, score in scores.isel(metric=0).to_series().items():
                found[" | ".join((judge, *map(str, key), aspect))] = float(score)
    return {"said": found}


# ------------------------------------------------------------------------------------------------------- LaTeX

_COMMANDS = ("textbf", "textit", "mathbf", "underline", "emph")
_FILTER = re.compile(r"\((sed -E '[^']*')\)")


def _in_latex(rng: random.Random, rows: Sequence[Sequence[str]]) -> bytes:
    def cell(text: str) -> str:
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            text = f"\\{rng.choice(_COMMANDS)}{{{text}}}"
        return f"${text}$" if rng.random() < 0.2 else text

    head, *body = (" & ".join(map(cell, row)) + rng.choice((" \\\\", "\\\\ \\hline", " \\\\[2pt]")) for row in rows)
    above = rng.choice(([], ["\\begin{tabular}{lrr}", "\\toprule"], ["\\begin{table}", "\\begin{tabular}{l|rr}"]))
    below = ["\\bottomrule", "\\end{tabular}"] if above else []
    rule = rng.choice(([], ["\\midrule"], ["\\hline"]))
    return "".join(f"{rng.choice(('', '  '))}{line}\n" for line in (*above, head, *rule, *body, *below)).encode()


def _scored(rng: random.Random, *, plain: bool) -> tuple[list[list[str]], dict[str, object]]:
    usable = [name for name in _SYSTEMS if not re.search(r"[&\\${}%~\t\"',;|]", name)]
    systems = ["bm25", "lm"] if plain else rng.sample(usable, 2)
    topics = [name for name in few(rng, TOPICS, 3, 4) if not re.search(r"[&\\${}%~\t\"',;|]", name)]
    topics = topics if len(topics) > 1 else ["q1", "q2"]
    cells = {(topic, system): rng.choice((0.5, 0.25, 0.125, 0.75)) for topic in topics for system in systems}
    rows = [[topic, *(repr(cells[topic, system]) for system in systems)] for topic in topics]
    return [["topic", *systems], *rows], {"said": {f"{system} | {topic}": of for (topic, system), of in cells.items()}}


def _make_latex(rng: random.Random) -> Case:
    return Case((_in_latex(rng, _scored(rng, plain=True)[0]),))


def _spell_latex(rng: random.Random) -> Case:
    rows, truth = _scored(rng, plain=False)
    return Case((_in_latex(rng, rows),), {}, truth)


def _read_latex(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    """Read what the filter of the refusal makes of a table."""
    try:
        read_scores(paths[0])
    except FileFormatError as refusal:
        advised = _FILTER.search(str(refusal)) if "LaTeX" in str(refusal) else None
        if advised is None:
            raise
    else:
        raise FileFormatError("a table of another kind, which is another fuzzer's")
    mended = Path(paths[0]).with_suffix(".tsv")
    with Path(paths[0]).open("rb") as held, mended.open("wb") as made:
        program = advised[1].removeprefix("sed -E '").removesuffix("'")
        subprocess.run(["sed", "-E", program], stdin=held, stdout=made, check=True)  # noqa: S607 - as it is advised
    head, *tabs = [line.count("\t") for line in mended.read_text("utf-8", "replace").splitlines()] or [0]
    if not head or {*tabs} not in ({head}, {head + 1}):
        raise FileFormatError("a table that tabs do not divide, which is another fuzzer's")
    stacked = read_scores(mended).isel(metric=0).to_series()
    return {"said": {" | ".join(map(str, key)): float(of) for key, of in stacked.items()}}


def _latex_opinions(case: Case) -> list[object]:
    """Take lines with & apart at &, up to the end of a row, without the commands; a first line may be a title."""
    lines = [line for line in case.files[0].decode("utf-8", "replace").split("\n") if "&" in line]
    rows = []
    for line in lines:
        text = line.partition("\\\\")[0]
        while (plain := re.sub(rf"\\(?:{'|'.join(_COMMANDS)})\{{([^{{}}]*)\}}", r"\1", text)) != text:
            text = plain
        for row in filter(str.strip, text.split("\r")):  # where the reader of TSV ends a line, and sed does not
            parts = [
                re.sub("\x01|\\\\&", "&", part.replace("$", "")).strip() for part in re.split(r"(?<!\\)&", row)
            ]  # the filter's mark
            parts = [parts[0], *map(hyphened, parts[1:])]
            quoted = [re.fullmatch('"([^"]*)"', part) for part in parts]  # which TSV takes off
            rows.append([found[1].strip() if found else part for found, part in zip(quoted, parts, strict=True)])
    try:
        return _latex_table(rows)
    except RefusedError:
        return _latex_table(rows[1:])


def _latex_table(rows: list[list[str]]) -> list[object]:
    if not rows:
        raise RefusedError("no rows")
    if {len(rows[0]) + 1} == {*map(len, rows[1:])}:  # names of rows without a name
        rows[0] = ["", *rows[0]]
    if len(rows) < 2 or len({*map(len, rows)}) > 1:
        raise RefusedError("no rows alike")
    head, *body = rows
    body = [row for row in body if row != head]  # a header again is none
    topics = [row[0] for row in body if not is_average(row[0])]
    if len({*topics}) < len(topics) or len({*head}) < len(head) or not all((*topics, *head[1:])):
        raise RefusedError("a name twice, or none")
    said = {
        f"{system} | {row[0]}": number_of(row[at])
        for row in body
        for at, system in enumerate(head[1:], start=1)
        if row[0] in topics
    }
    return [{"said": said}]


def _reader(name: str, make: Any, read: Any, opinions: Any, **more: Any) -> Reader:
    changes = CHANGES if make is _make_json else ()
    return Reader(name=name, make=make, mutate=text_mutation(make, changes), read=read, opinions=opinions, **more)


READERS = (
    _reader("judges-aspects", _make_table, _read_judged, with_titles(_table_opinions), speed=60, spell=_spell_table),
    _reader("judges-json", _make_json, _read_judged, _json_opinions, speed=60, spell=_spell_json),
    _reader("scores-latex", _make_latex, _read_latex, _latex_opinions, speed=60, spell=_spell_latex),
)
