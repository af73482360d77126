"""Small collections that a metric is tried on: edge cases, and simulated ones of documents, elements and passages."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil

import numpy as np
import pandas as pd

from metaeval.base.metric_names import Call, GainTable
from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import MetaevalError
from metaeval.inex.assessments import Assessments, Scale, Submission
from metaeval.inex.elements import ElementCollection, element_collection
from metaeval.inex.passages import PassageCollection, passage_collection
from metaeval.metrics.bounds import MetricError
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import metric_values

type Rankings = dict[str, dict[str, list[str]]]
type Qrels = dict[str, dict[str, int]]

_TOP_LEVEL = 3
_LEVELS = tuple(range(_TOP_LEVEL + 1))
_DEEP = 600
LONGEST = 20_000
"""The largest cut-off that lists are made for."""


def simulated_collections(
    generator: np.random.Generator, number: int, *, levels: Sequence[int] = _LEVELS
) -> Iterator[tuple[Rankings, Qrels]]:
    """Yield small simulated collections: rankings and qrels with grades, unjudged documents and lists of many lengths.

    Topic "1" always holds a document of every level, so that the top of the scale is the last of them.

    Parameters
    ----------
    generator : numpy.random.Generator
    number : int
        How many.
    levels : sequence of int
        Those that documents have: 0, and up to three above it.
    """
    n_levels = len(levels)
    for _ in range(number):
        qrels: Qrels = {}
        rankings: Rankings = {"a": {}, "b": {}, "c": {}}
        for topic in ("1", "2", "3", "4"):
            size = int(generator.integers(4, 16))
            names = [f"d{index}" for index in range(size)]
            drawn_levels = np.maximum(generator.integers(-2, n_levels, size), 0)
            drawn_levels[0] = generator.integers(1, n_levels)
            if topic == "1":
                drawn_levels[:n_levels] = np.arange(n_levels)
            qrels[topic] = {name: levels[level] for name, level in zip(names, drawn_levels.tolist(), strict=True)}
            pool = names + [f"u{index}" for index in range(int(generator.integers(0, 10)))]
            for lists in rankings.values():
                drawn = generator.permutation(pool)[: int(generator.integers(1, len(pool) + 1))]
                lists[topic] = drawn.tolist()
        yield rankings, qrels


def levels_for(metric: Metric) -> tuple[int, ...]:
    """Return the levels to simulate, so that a metric finds something relevant, and none that it has no gain for.

    Examples
    --------
    >>> from metaeval.metrics.builtin import BUILTIN
    >>> names = ("AP", "P(rel=7)@5", "ERR(max_level=2)", "nDCG(gains={2:1,5:3})")
    >>> [levels_for(BUILTIN.resolve(name)) for name in names]
    [(0, 1, 2, 3), (0, 1, 6, 7), (0, 1, 2), (0, 2, 5)]
    """
    values = dict(metric.parameters)
    gains = values.get("gains")
    if isinstance(gains, GainTable):
        named = sorted(int(level) for level, _ in gains.entries if level > 0 and level == int(level))
        return (0, *named[-_TOP_LEVEL:])
    thresholds = [values.get("rel"), dict(gains.arguments).get("rel") if isinstance(gains, Call) else None]
    asked = max([ceil(threshold) for threshold in thresholds if isinstance(threshold, int | float)], default=1)
    levels = _LEVELS if asked <= _TOP_LEVEL else (0, 1, asked - 1, asked)
    top = values.get("max_level")
    return tuple(level for level in levels if not isinstance(top, int | float) or level <= top)


def edge_collections(metric: Metric) -> Iterator[tuple[Rankings, Qrels]]:
    """Yield the collections that a metric divides by zero on, if it does: with next to nothing in them, or far down.

    One of them holds a list that is longer than the cut-off, condensed or not, with judged documents below it.
    """
    levels = levels_for(metric)
    low, top = levels[1], levels[-1]
    lists: list[tuple[list[str], Qrels]] = [
        (["d1"], {"1": {"d1": top}}),
        (["u1", "u2"], {"1": {"d1": top}}),
        (["d0"], {"1": {"d0": 0, "d1": top}}),
        (["d2", "u1", "d1"], {"1": {"d1": top, "d2": low}}),
        (["d1", "d2", "d3"], {"1": {"d1": top, "d2": top, "d3": top}}),
        (["d1", "d2", "d0"], {"1": {"d0": 0, "d1": -1, "d2": top}}),
        _deep_list(min(max(_DEEP, cutoff_of(metric) or 0), LONGEST), low, top),
    ]
    for names, qrels in lists:
        yield {"a": {"1": names}}, qrels
    yield {"a": {"1": ["d1"], "2": ["d2"]}}, {"1": {"d1": top}, "2": {"d2": low, "d3": low}}
    try:
        _ = metric.worst
    except MetricError:  # a run that lacks a topic is refused then, wherever runs are read
        return
    yield {"a": {"1": ["d1"]}, "b": {"2": ["u1"]}}, {"1": {"d1": top}, "2": {"d2": top}}


def cutoff_of(metric: Metric) -> int | None:
    """Return the cut-off of a metric, if it has one."""
    k = dict(metric.parameters).get("k")
    return k if isinstance(k, int) else None


def _deep_list(k: int, low: int, top: int) -> tuple[list[str], Qrels]:
    """Return a list with judged documents below rank k, and below rank k of its judged documents."""
    between = [f"{'zu'[index % 2]}{index}" for index in range(2 * k)]
    judged = dict.fromkeys(between[::2], 0) | {"d0": 0, "d1": low, "d2": top, "d3": low}
    return ["d1", *between, "d0", "d2", "d3"], {"1": judged}


def assessed_elements(
    generator: np.random.Generator, *, scale: Scale, topics: Sequence[str] = ("1", "2", "3")
) -> tuple[Assessments, pd.DataFrame]:
    """Make documents as small trees, with assessments that obey the rules, and the table of all their elements."""
    rows: list[dict[str, object]] = []
    for topic in topics:
        for document in ("d1", "d2", "d3"):
            _grow(rows, {"topic": topic, "document": topic + document}, "/a[1]", _TOP_LEVEL, generator)
    table = pd.DataFrame(rows)
    table["specificity"] = table["relevant_size"] / table["size"]
    top = _TOP_LEVEL - (scale == "2005")
    table["exhaustivity"] = np.where(table["relevant_size"] > 0, top - (table["path"].str.count("/") > 1), 0)
    if scale != "2005":
        table["specificity"] = np.ceil(table["specificity"] * _TOP_LEVEL)
        table = table.assign(relevant_size=-1)
    if scale == "2002":  # highly relevant and too small at once is no assessment
        table.loc[(table["exhaustivity"] == _TOP_LEVEL) & (table["specificity"] == _TOP_LEVEL - 1), "specificity"] = 1
    documents = table[table["path"] == "/a[1]"][["topic", "document", "relevant_size"]]
    judged = table[table["exhaustivity"] > 0]
    return Assessments(scale=scale, documents=documents, elements=judged), table


def simulated_elements(generator: np.random.Generator, *, scale: Scale) -> ElementCollection:
    """Make `assessed_elements`, and three runs that repeat and overlap."""
    assessments, table = assessed_elements(generator, scale=scale)
    runs = []
    for name in ("a", "b", "c"):
        drawn = table.iloc[generator.integers(0, len(table), 2 * len(table) // 3)]
        runs.append(Submission(run=name, results=drawn[["topic", "document", "path"]]))
    return element_collection(runs, assessments, sizes=table[["document", "path", "size"]])


def scale_of(metric: Metric) -> Scale:
    """Return the scale of assessments that a metric of elements is made for; that of 2005 where it takes any.

    Examples
    --------
    >>> from metaeval.metrics.builtin import BUILTIN
    >>> [scale_of(BUILTIN.resolve(name)) for name in ("MAep", "inexNG", "nxCG(quant=SOG)@10")]
    ['2005', '2003', '2003']
    """
    scales: Sequence[Scale] = getattr(metric.quantisation, "scales", ()) or ("2005", "2003", "2002")
    for scale in scales if metric.on == "elements" else ():
        try:
            metric_values(simulated_elements(np.random.default_rng(0), scale=scale), [metric])
        except MetaevalError:
            continue
        return scale
    return scales[0]  # where it fails on each, the laws say how


def _grow(
    rows: list[dict[str, object]], place: dict[str, object], path: str, depth: int, generator: np.random.Generator
) -> tuple[int, int]:
    """Add an element and what is inside it to the rows; return its characters and how many are highlighted."""
    size = int(generator.integers(1, 40))
    relevant = size * int(generator.integers(0, 2))
    for number in range(1, int(generator.integers(0, 4)) + 1 if depth else 1):
        inside = _grow(rows, place, f"{path}/b[{number}]", depth - 1, generator)
        size, relevant = size + inside[0], relevant + inside[1]
    rows.append({**place, "path": path, "size": size, "relevant_size": relevant})
    return size, relevant


def simulated_passages(generator: np.random.Generator) -> PassageCollection:
    """Make highlighted documents, and three runs with one passage a document, as every task allows."""
    documents, passages, results = [], [], []
    for topic in ("1", "2", "3"):
        for number in range(6):
            keys = {"topic": topic, "document": f"d{number}"}
            start, length = int(generator.integers(0, 100)), int(generator.integers(1, 100)) * (number % 3 > 0)
            best = start if length else -1
            documents.append({**keys, "size": 200, "relevant_size": length, "best_entry": best})
            passages += [{**keys, "offset": start, "length": length}] * (length > 0)
            results.append(
                {**keys, "offset": int(generator.integers(0, 100)), "length": int(generator.integers(1, 100))}
            )
    table = pd.DataFrame(results)
    runs = []
    for name in ("a", "b", "c"):
        drawn = table.iloc[generator.permutation(len(table))[: len(table) // 2]]
        runs.append(Submission(run=name, results=drawn))
    assessments = Assessments(scale="passages", documents=pd.DataFrame(documents), passages=pd.DataFrame(passages))
    return passage_collection(runs, assessments)


def collections_for(
    metric: Metric, seed: int, number: int, scale: Scale | None
) -> Iterator[tuple[JudgedCollection, Rankings, Qrels]]:
    """Yield collections of what a metric ranks; those of documents with their rankings and qrels, others with none."""
    generator = np.random.default_rng(seed)
    if metric.on == "documents":
        simulated = simulated_collections(generator, number, levels=levels_for(metric))
        for kind in (edge_collections(metric), simulated):
            for rankings, qrels in kind:
                yield collection_from_rankings(rankings, qrels), rankings, qrels
        return
    simulate = (
        partial(simulated_elements, scale=scale or scale_of(metric)) if metric.on == "elements" else simulated_passages
    )
    for _ in range(number):
        yield simulate(generator), {}, {}
