"""Boards of means with standard errors or bounds of intervals: no scores by item, and never read as such.

Changes are made below the header: what columns are called is tried by benchmarks/fuzz_roles.py.
"""

import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fuzz_benchmark_truths import ODD
from fuzz_harness import Case, Reader, RefusedError
from fuzz_plain import is_average, name_of, number_of, with_titles
from fuzz_spelling import NAMES, number, table, title
from fuzz_tables import names_and_rows
from fuzz_text import text_mutation

from metaeval.io.means import MeansAloneError
from metaeval.io.tables import read_scores

_SYSTEM, _SIZE, _METRIC = ("system", "model", "run", "name"), "n", ("metric", "measure")
_SCORE, _UNNAMED = ("score", "value", "mean"), "metric1"
_OTHERS = ("license", "released")
"""Columns that say nothing of means."""
_Z = 1.959963984540054
_SYSTEMS = tuple(dict.fromkeys((*ODD, *NAMES)))
_MEANS, _ERRORS = (0.5, 0.25, 0.125, 0.71, 1.0, 63.2, 1024.0), (0.02, 0.125, 1e-3, 2.5)

type Board = dict[str, Any]


def _board(rng: random.Random) -> tuple[list[list[str]], Board]:
    """Return the cells of a board, and what they say."""
    systems = rng.sample(_SYSTEMS, rng.randint(2, 4))
    metrics = rng.choice((["acc"], ["acc", "f1"], ["rating"], ["perplexity", "acc"], [_UNNAMED]))
    kind = rng.choice(("stderr", "se", "bounds", "q025", "ci95", "text"))
    kind = kind if metrics != [_UNNAMED] else rng.choice(("stderr", "text"))
    sized = rng.random() < 0.4
    rows: list[dict[str, str]] = []
    cells: dict[str, tuple[float, ...]] = {}
    system, score = rng.choice(_SYSTEM), rng.choice(_SCORE)
    for name in systems:
        n = rng.choice((2, 50, 300))
        row = {system: name}
        for metric in metrics:
            mean, error, more = rng.choice(_MEANS), rng.choice(_ERRORS), rng.choice(_ERRORS)
            column = score if metric == _UNNAMED else metric
            row[column] = number(rng, mean)
            low, high = mean - error, mean + more
            if kind in {"stderr", "se"}:
                row["stderr" if metric == _UNNAMED else f"{metric}_{kind}"] = number(rng, error)
            elif kind == "ci95":
                row[f"{metric}_ci95"], error = number(rng, error), error / _Z
            elif kind == "text":
                row["ci" if metric == _UNNAMED else f"{metric}_ci"] = f"[{low!r}, {high!r}]"
            else:
                for side, end in zip(
                    ("low", "high") if kind == "bounds" else ("q025", "q975"), (low, high), strict=True
                ):
                    row[f"{metric}_{side}"] = number(rng, end)
            if kind in {"text", "bounds", "q025"}:
                error = (high - low) / (2 * _Z)
            cells[f"{metric} | {name}"] = (mean, _rounded(error), float(n) if sized else -1.0)
        rows.append({**row, **({_SIZE: str(n)} if sized else {})})
    others = [name for name in _OTHERS if rng.random() < 0.2]
    head = [*rows[0], *others]
    listed = [[*row.values(), *("free" for _ in others)] for row in rows]
    order = rng.sample(range(len(head)), len(head)) if metrics != [_UNNAMED] else range(len(head))
    down = [name for name in metrics if name == "perplexity"]
    truth = {"metrics": metrics, "systems": systems, "cells": cells, "lower": down, "others": others}
    truth["metrics"] = sorted(metrics)
    return [[row[at] for at in order] for row in (head, *listed)], truth


def _make(rng: random.Random) -> Case:
    cells, _ = _board(rng)
    delimiter = rng.choice("\t;")
    return Case(("".join(delimiter.join(row) + "\n" for row in cells).encode(),))


_CHANGED = text_mutation(_make)


def _mutate(rng: random.Random, case: Case) -> Case:
    """Change what stands below the header."""
    head, end, rest = case.files[0].partition(b"\n")
    (changed,) = _CHANGED(rng, Case((rest,))).files
    return case._replace(files=(head + end + changed,))


def _spelt(rng: random.Random) -> Case:
    (head, *rows), truth = _board(rng)
    head = [title(rng, name) if name in _SYSTEM else name for name in head]
    return Case((table(rng, [head, *rows], "\t,;"),), {}, truth)


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")


# --------------------------------------------------------------------------------------------- second opinion

_ENDS = re.compile(r"[,;/\N{EN DASH}]|to|\.\.")
"""What stands between the ends of an interval."""


def _error(kinds: Mapping[str, str], mean: float) -> float:
    """Return the standard error that the cells beside a mean tell, by what their columns are called."""
    (kind, text), *_ = [*((kind, kinds[kind]) for kind in ("stderr", "se", "ci95", "ci") if kind in kinds), ("", "")]
    ends = _ENDS.split(text)
    if kind and len(ends) == 1:
        error = number_of(text)
        if error < 0:
            raise RefusedError("an error below 0")
        return error / _Z if kind.startswith("ci") else error
    if kind:  # an interval, whatever its column is called
        if (text[0] in "[(") != (text[-1] in "])"):
            raise RefusedError("half a pair of brackets")
        low, high = sorted(number_of(re.sub(r"[\s\[\]()]", "", end)) for end in ends)
    else:
        low, high = (
            number_of(kinds[side if side in kinds else more]) for side, more in (("low", "q025"), ("high", "q975"))
        )
    if not (low <= mean <= high or low <= 0 <= high):
        raise RefusedError("bounds that do not hold the mean")
    return (high - low) / (2 * _Z)


def _opinions(case: Case) -> list[object]:
    found: list[object] = []
    reasons: list[Exception] = []
    for alone in (True, False):
        try:
            found += _readings(*names_and_rows(case.files[0], alone=alone))
        except (RefusedError, ValueError, LookupError) as error:
            reasons.append(error)
    if not found:
        raise reasons[0]
    return found


def _readings(names: list[str], rows: list[list[str]]) -> list[object]:
    (system,) = (at for at, name in enumerate(names) if name in _SYSTEM)
    metrics = {
        name: _UNNAMED if name in _SCORE else name
        for name in names
        if name in _SCORE
        or (name in {"acc", "f1", "rating", "perplexity"} and any(other.startswith(f"{name}_") for other in names))
    }
    wordy = {name for at, name in enumerate(names) if not any(_tells(row[at]) for row in rows)}
    told = {
        name: metric for name, metric in metrics.items() if not any(other.startswith(f"{name}_") for other in wordy)
    }
    metrics = told or metrics  # words beside a mean are no error, and it is left out where another has one
    cells: dict[str, tuple[float, ...]] = {}
    systems: list[str] = []
    for row in rows:
        name = name_of(row[system])
        if name in systems:
            raise RefusedError("a system twice")
        systems.append(name)
        n = number_of(row[names.index(_SIZE)]) if _SIZE in names else -1.0
        if _SIZE in names and (n < 2 or n % 1):
            raise RefusedError("no number of items")
        for column, metric in metrics.items():
            mean = number_of(row[names.index(column)])
            own = "" if metric == _UNNAMED else f"{metric}_"
            kinds = {other.removeprefix(own): row[at] for at, other in enumerate(names) if other.startswith(own)}
            cells[f"{metric} | {name}"] = (mean, _error(kinds, mean), n)
    kept = [name for name in systems if not is_average(name)]  # or refused, where it is not theirs
    kept = kept if len(kept) > 1 or len(systems) > 2 else systems  # of one system there is no average
    if len(systems) < 2:
        raise RefusedError("fewer than two systems")
    readings = []
    for replaced in (False, True):
        held = {key: _replaced(cells, key) if replaced else cell for key, cell in cells.items()}
        held = {key: (mean, _rounded(error), n) for key, (mean, error, n) in held.items()}
        readings.append(
            {
                "metrics": sorted(metrics.values()),
                "systems": kept,
                "cells": {key: cell for key, cell in held.items() if key.split(" | ", 1)[1] in kept},
                "lower": [
                    name for name in metrics.values() if name == "perplexity" and not _has_negatives(cells, name)
                ],
                "others": [name for name in _OTHERS if name in names],
            }
        )
    return [*readings]


def _has_negatives(cells: Mapping[str, tuple[float, ...]], metric: str) -> bool:
    """Whether more than a few means are below 0, as no errors are, so that the name of a metric says nothing."""
    means = [mean for key, (mean, *_) in cells.items() if key.split(" | ")[0] == metric and mean]
    return sum(mean < 0 for mean in means) > len(means) / 20


def _tells(text: str) -> bool:
    try:
        return bool([number_of(end.strip("[]() \t\v\f")) for end in _ENDS.split(text)])
    except (RefusedError, ValueError):
        return False


def _replaced(cells: Mapping[str, tuple[float, ...]], key: str) -> tuple[float, float, float]:
    """Return a cell whose error of 0 is that of shares of its items, or of an exact interval at the ends."""
    mean, error, n = cells[key]
    alike = [cell[0] for other, cell in cells.items() if other.split(" | ")[0] == key.split(" | ", maxsplit=1)[0]]
    scale = 1.0 if max(alike) <= 1 else 100.0
    if error or n < 2:
        return mean, error, n
    share = mean / scale
    exact = (1 - 0.025 ** (1 / n)) / (2 * _Z) if share in {0.0, 1.0} else max(share * (1 - share) / (n - 1), 0.0) ** 0.5
    return mean, exact * scale, n


# ---------------------------------------------------------------------------------------------- under test


def _read(paths: Sequence[str], _: Mapping[str, Any]) -> object:
    try:
        scores = read_scores(paths[0])
    except MeansAloneError as error:
        board = error.board
    else:
        return {"scores by item": scores["system"].to_numpy().tolist()}
    sizes = [[-1.0 if n != n else n for n in own] for own in board.n.tolist()]  # noqa: PLR0124 - NaN: not said
    cells = {
        f"{metric} | {system}": (board.means[row, at].item(), _rounded(board.errors[row, at].item()), sizes[row][at])
        for row, metric in enumerate(board.metrics)
        for at, system in enumerate(board.systems)
    }
    lower = [name for name, up in zip(board.metrics, board.higher_is_better.tolist(), strict=True) if not up]
    others = [name for name in _OTHERS if any("left out column" in note and name in note for note in board.notes)]
    return {
        "metrics": sorted(board.metrics), "systems": [*board.systems], "cells": cells, "lower": lower, "others": others,
    }  # fmt: skip


READERS = (
    Reader(
        name="scores-means",
        make=_make,
        mutate=_mutate,
        read=_read,
        opinions=with_titles(_opinions),
        spell=_spelt,
        speed=220,
    ),
)
