r"""Tables whose columns have all roles, in random order and under random names of the vocabulary, read and judged.

    PYTHONPATH=. python benchmarks/fuzz_roles.py --tables 100000

Long tables, boards of means and wide tables with systems in rows are made so that the role of every column is known. A
table is right where its scores (or means and errors) are those of the making, under their names, and every column of
numbers of another role is named by a note; it is refused where the reader says that it cannot tell; all else is wrong.
"""

import argparse
import io
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator

from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.benchmarks.reading import read_content
from metaeval.io.blocks import TableOptions
from metaeval.io.means import MeansAloneError
from metaeval.io.sources import Source
from metaeval.table.frames import read_frame
from metaeval.table.means import SystemMeans, as_means, is_board
from metaeval.table.roles import _TABLE as TABLE
from metaeval.table.roles import ROLES, SCORES, role_of_name

SYSTEMS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
METRICS = ("acc", "bleu", "f1", "ndcg@10", "faithfulness", "chrf", "exact_match", "recall@5")
TASKS = ("mmlu", "gsm8k", "arc", "boolq", "piqa", "hellaswag", "winogrande", "drop", "humaneval", "mbpp")
LETTERS = {"lower": str.lower, "title": str.title, "upper": str.upper}
PLAIN_ROLES = ("cost", "time", "n", "rank", "version", "text", "test", "id")
"""Roles of columns that say something of rows, whatever the scores are."""


class Made(NamedTuple):
    """A table, and what it holds."""

    text: str
    kind: str
    held: dict
    """Scores by metric, system and item; or mean and error by metric and system."""
    others: list[str]
    """Columns of other roles."""
    of_items: bool = True


def made_table(rng: Generator) -> Made:
    """Return a random table of a random kind."""
    makers: Sequence[Callable[[Generator], Made]] = (_long, _means, _wide, _turned)
    return makers[rng.integers(len(makers))](rng)


def _name(rng: Generator, words: Sequence[str]) -> str:
    """Return a word as people write it: in small letters or large, with blanks or hyphens."""
    word = str(rng.choice(list(words)))
    joined = word.replace("_", str(rng.choice(["_", " ", "-"]))) if rng.random() < 0.4 else word
    return LETTERS[str(rng.choice([*LETTERS]))](joined) if rng.random() < 0.4 else joined


def _words_of(role: str) -> list[str]:
    """Return the names of a role that play no part of a table of scores."""
    taken = {word for words in SCORES.values() for word in words}
    return [word for word in TABLE[role]["words"] if word not in taken | {"subset"}]  # which are tasks on boards


def _cells(rng: Generator, role: str, n_rows: int) -> list[str]:  # noqa: PLR0911 - a line a role
    """Return what a column of a role holds."""
    if role == "cost":
        return [f"{cost:.4g}" for cost in rng.lognormal(rng.uniform(-3, 6), 1, n_rows)]
    if role == "time":
        if rng.random() < 0.5:
            return [
                f"20{rng.integers(10, 26)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}" for _ in range(n_rows)
            ]
        return [str(moment) for moment in rng.integers(1_600_000_000, 1_700_000_000, n_rows)]
    if role == "n":
        same = rng.integers(100, 5000)
        return [str(same)] * n_rows if rng.random() < 0.5 else [str(n) for n in rng.integers(100, 5000, n_rows)]
    if role == "rank":
        return [str(rank + 1) for rank in rng.permutation(n_rows)]
    if role == "id":
        return [str(number) for number in range(n_rows)]
    if role == "version":
        return [str(rng.choice(["v1", "1.0.2", "main"]))] * n_rows
    if role == "test":
        return [f"{p:.3f}" for p in rng.random(n_rows)]
    return [" ".join(rng.choice(["said", "found", "and", "more", "words"], 3)) for _ in range(n_rows)]


def _others(rng: Generator, n_rows: int, taken: Sequence[str], most: int = 4) -> dict[str, list[str]]:
    """Return columns of other roles by name."""
    columns: dict[str, list[str]] = {}
    words = {name.casefold() for name in taken}
    for role in map(str, rng.permutation(PLAIN_ROLES)[: rng.integers(0, most + 1)]):
        name = _name(rng, _words_of(role))
        if name.casefold() not in words:
            columns[name] = _cells(rng, role, n_rows)
            words.add(name.casefold())
    return columns


def _written(rng: Generator, columns: dict[str, list[str]], *, shuffled: bool = True) -> str:
    """Return a table of these columns, in random order."""
    names = [*columns]
    if shuffled:
        rng.shuffle(names)
    separator = str(rng.choice([",", "\t", ";"]))
    rows = zip(*(columns[name] for name in names), strict=True)
    return "".join(separator.join(row) + "\n" for row in [names, *rows])


def _scores(rng: Generator, shape: tuple[int, ...]) -> np.ndarray:
    kind = rng.integers(3)
    values = rng.random(shape).round(3) if kind else rng.integers(0, 2, shape).astype(float)
    return (100 * values).round(2) if kind == 2 else values


def _long(rng: Generator) -> Made:
    """Make a row a system and item, a column a metric."""
    systems = [str(name) for name in rng.permutation(SYSTEMS)[: rng.integers(2, 5)]]
    items = [str(number + 1) for number in range(rng.integers(3, 8))]
    if rng.random() < 0.5:
        items = [f"q{item}" for item in items]
    metrics = [str(name) for name in rng.permutation(METRICS)[: rng.integers(1, 3)]]
    values = _scores(rng, (len(metrics), len(systems), len(items)))
    system = _name(rng, SCORES["system"])
    item = _name(rng, [word for word in SCORES["topic"] if word != system.casefold()])
    n_rows = len(systems) * len(items)
    columns = {system: [name for name in systems for _ in items], item: items * len(systems)}
    columns |= {name: [f"{score:g}" for score in own.ravel()] for name, own in zip(metrics, values, strict=True)}
    others = _others(rng, n_rows, [*columns])
    held = {
        metric: {name: dict(zip(items, map(float, row), strict=True)) for name, row in zip(systems, own, strict=True)}
        for metric, own in zip(metrics, values, strict=True)
    }
    return Made(_written(rng, columns | others), "long", held, [*others])


def _means(rng: Generator) -> Made:
    """Make a row a system, with means and errors, or bounds, of one metric or two."""
    systems = [str(name) for name in rng.permutation(SYSTEMS)[: rng.integers(2, 8)]]
    metrics = [str(name) for name in rng.permutation(METRICS)[: rng.integers(1, 3)]]
    columns = {_name(rng, SCORES["system"]): systems}
    held: dict = {}
    for metric in metrics:
        means, errors = rng.uniform(0.3, 0.7, len(systems)).round(3), rng.uniform(0.01, 0.03, len(systems)).round(3)
        columns[metric] = [f"{mean:g}" for mean in means]
        if rng.random() < 0.5:
            columns[f"{metric}_{rng.choice(TABLE['error']['after'])}"] = [f"{error:g}" for error in errors]
        else:
            side = rng.integers(len(_ENDS))
            for name, sign in zip(_ENDS[side], (-1, 1), strict=True):
                columns[f"{metric}_{name}"] = [
                    f"{mean + sign * 1.959963984540054 * error:.9f}" for mean, error in zip(means, errors, strict=True)
                ]
        held[metric] = {name: (float(m), float(e)) for name, m, e in zip(systems, means, errors, strict=True)}
    others = _others(rng, len(systems), [*columns])
    sized = [name for name in others if role_of_name(name)[0] == "n"]
    return Made(_written(rng, columns | others), "means", held, [name for name in others if name not in sized])


_ENDS = (("low", "high"), ("lower", "upper"), ("ci_low", "ci_high"), ("lb", "ub"), ("q025", "q975"))


def _wide(rng: Generator) -> Made:
    """Make a row a system and a column an item, perhaps with their average."""
    systems = [str(name) for name in rng.permutation(SYSTEMS)[: rng.integers(3, 8)]]
    items = [str(name) for name in rng.permutation(TASKS)[: rng.integers(3, 8)]]
    values = rng.uniform(20, 90, (len(systems), len(items))).round(1)
    first = _name(rng, SCORES["system"])
    columns = {item: [f"{score:g}" for score in own] for item, own in zip(items, values.T, strict=True)}
    others = _others(rng, len(systems), [first, *items])
    if rng.random() < 0.5:
        name = _name(rng, _words_of("aggregate"))
        others[name] = [f"{mean:.2f}" for mean in values.mean(axis=1)]
    body = columns | others
    names = [str(name) for name in rng.permutation([*body])]
    ahead = [name for name in names if name in others and role_of_name(name)[0] == "rank" and rng.random() < 0.5]
    rest = [name for name in names if name not in ahead]
    ordered = {name: body[name] for name in ahead} | {first: systems} | {name: body[name] for name in rest}
    held = {
        "*": {name: dict(zip(items, map(float, row), strict=True)) for name, row in zip(systems, values, strict=True)}
    }
    return Made(_written(rng, ordered, shuffled=False), "wide", held, [*others])


def _turned(rng: Generator) -> Made:
    """Make a row a topic and a column a system, perhaps with their average."""
    systems = [str(name) for name in rng.permutation(SYSTEMS)[: rng.integers(2, 6)]]
    items = [f"q{number + 1}" for number in range(rng.integers(4, 12))]
    values = rng.random((len(systems), len(items))).round(3)
    first = _name(rng, SCORES["topic"])
    columns = {name: [f"{score:g}" for score in own] for name, own in zip(systems, values, strict=True)}
    others = _others(rng, len(items), [first, *systems])
    if rng.random() < 0.5:
        others[_name(rng, _words_of("aggregate"))] = [f"{mean:.4f}" for mean in values.mean(axis=0)]
    body = columns | others
    ordered = {first: items} | {str(name): body[str(name)] for name in rng.permutation([*body])}
    held = {
        "*": {name: dict(zip(items, map(float, row), strict=True)) for name, row in zip(systems, values, strict=True)}
    }
    return Made(_written(rng, ordered, shuffled=False), "turned", held, [*others])


def verdict(table: Made, door: Callable[[str], object]) -> tuple[str, str]:
    """Return whether a table is read right, refused or read wrong, and what was said or wrong."""
    try:
        read = door(table.text)
    except MetaevalError as error:
        return "refused", str(error)
    if isinstance(read, SystemMeans) is not (table.kind == "means"):
        return "wrong", f"another kind: {read}"
    if isinstance(read, SystemMeans):
        found: dict = {
            metric: {name: pair for name, *pair in zip(read.systems, means, errors, strict=True)}
            for metric, means, errors in zip(read.metrics, read.means.tolist(), read.errors.tolist(), strict=True)
        }
        return _compared(table, found, " ".join(read.notes))
    labels, scores, notes = read
    found = {
        metric if table.kind == "long" else "*": {
            name: dict(zip(labels["topic"], row, strict=True)) for name, row in zip(labels["system"], own, strict=True)
        }
        for metric, own in zip(labels["metric"], scores.tolist(), strict=True)
    }
    return _compared(table, found, " ".join(notes))


def from_file(text: str) -> object:
    """Read a table as a file."""
    try:
        block = read_content(Source("t.csv"), text.encode(), TableOptions(columns={}, missing="error"))
    except MeansAloneError as alone:
        return alone.board
    if len(block.labels["system"]) < 2:
        raise ScoresError("there is only one system")
    return block.labels, block.scores, block.notes


def from_frame(text: str) -> object:
    """Read a table as a frame."""
    head = text[: text.index("\n")]
    frame = pd.read_csv(io.StringIO(text), sep=next((sign for sign in "\t;" if sign in head), ","))
    if is_board(frame):
        return as_means(frame)
    table = read_frame(frame, {})
    return table.labels, table.scores, table.attributes.get("notes", [])


DOORS = {"file": from_file, "frame": from_frame}


def _compared(table: Made, found: dict, notes: str) -> tuple[str, str]:
    if {*found} != {*table.held}:
        return "wrong", f"metrics {[*found]} for {[*table.held]}"
    for metric, of_systems in table.held.items():
        if {*found[metric]} != {*of_systems}:
            return "wrong", f"systems {[*found[metric]]}"
        for name, held in of_systems.items():
            read = found[metric][name]
            same = read == held if isinstance(held, dict) else np.allclose(read, held, rtol=1e-5, atol=1e-7)
            if not same:
                return "wrong", f"{metric} of {name}: {read} for {held}"
    silent = [name for name in table.others if name not in notes and name.strip() not in notes]
    return ("wrong", f"left out without a word: {silent}") if silent else ("right", "")


def main() -> None:
    """Make tables, and print how many were read right, refused and read wrong, by kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="Tables to show that are read wrong.")
    options = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    why: Counter[str] = Counter()
    for number in range(options.tables):
        table = made_table(np.random.default_rng((options.seed, number)))
        door = "frame" if number % 4 == 3 else "file"
        outcome, said = verdict(table, DOORS[door])
        counts[table.kind, door, outcome] += 1
        if outcome == "wrong" and counts[table.kind, door, outcome] <= options.show:
            print(f"--- {number}, {table.kind} {door}: {said}\n{table.text[:600]}")
        if outcome == "refused":
            why[said.split(":", 1)[-1][:50]] += 1
    print(f"roles: {len(ROLES)}, tables: {options.tables:,}, seed {options.seed}")
    for kind in ("long", "means", "wide", "turned"):
        for door in DOORS:
            print(kind, door, {outcome: counts[kind, door, outcome] for outcome in ("right", "refused", "wrong")})
    for said, times in why.most_common(8):
        print(f"  {times:>6,} refused: {said}")


if __name__ == "__main__":
    main()
