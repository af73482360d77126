"""What users expect of a metric: lists of known order, as the six runs of Kazai, Lalmas and de Vries (2004) are."""

from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.collection.assembly import collection_from_rankings
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import MetaevalError
from metaeval.inex.assessments import Assessments, Submission
from metaeval.inex.elements import element_collection
from metaeval.inex.ordered_runs import runs_for
from metaeval.inex.passages import passage_collection
from metaeval.metrics.registry import Registry
from metaeval.metrics.resolved import Metric
from metaeval.metrics.scoring import metric_values
from metaeval.running.equality import settled_means
from metaeval.testing.simulated import LONGEST, assessed_elements, cutoff_of, levels_for, scale_of

MET, UNNOTICED, BROKEN, UNTRIED = "met", "not noticed", "broken", "not tried"
_IDEAL = "ideal"
_SIZES = (1, 2, 5, 10, 20, 50)
_K = 10  # of a metric without a cut-off


class Expected(NamedTuple):
    """An ideal list, and lists that users find worse."""

    name: str
    words: str
    """What is expected."""
    worse: tuple[str, ...]
    strict: bool = True
    """Whether the ideal list scores more than each of `worse`; else it may score as much."""


class Outcome(NamedTuple):
    """What was expected of a metric, and what happened."""

    expectation: str
    expected: str
    state: str
    """"met", "not noticed" (both lists score alike), "broken" (the worse list scores more) or "not tried"."""
    better: float = np.nan
    """Mean score of the ideal list, over topics."""
    worse: float = np.nan
    """That of the worse list, of several the one that scores most."""
    found: str = ""
    """Why it was not tried, or on how many topics it is the other way."""


_OF: Mapping[str, tuple[Expected, ...]] = {
    "documents": (
        Expected("reversed tail", "Best documents first score more than with the lower part reversed", ("tail",)),
        Expected("copies", "Best documents first score more than with an unjudged copy after each", ("copies",)),
        Expected("padding", "Best documents first score more than with a non-relevant one after each", ("padding",)),
    ),
    "elements": (
        Expected(
            "ideal",
            "The ideal elements score no less than with those around or inside them, than leaves and than articles",
            ("ia", "id", "lo", "ao"),
            strict=False,
        ),
        Expected("overlap", "The ideal elements score more than all relevant ones, which overlap", ("frb",)),
        Expected("padding", "The ideal elements score more than with a non-relevant one after each", ("padding",)),
    ),
    "passages": (
        Expected("whole documents", "Highlighted passages score more than the documents around them", ("whole",)),
        Expected("padding", "Highlighted passages score more than with a non-relevant one after each", ("padding",)),
    ),
}


def expectations_tried(metric: Metric, registry: Registry) -> list[Outcome]:
    """Score the lists of known order under a metric, and say which expectations it meets.

    Examples
    --------
    >>> from metaeval.metrics import BUILTIN
    >>> [one.state for one in expectations_tried(BUILTIN.resolve("AP"), BUILTIN)]
    ['met', 'met', 'met']
    >>> {one.expectation: one.state for one in expectations_tried(BUILTIN.resolve("RR"), BUILTIN)}
    {'reversed tail': 'not noticed', 'copies': 'not noticed', 'padding': 'not noticed'}
    """
    if (cutoff_of(metric) or 0) > LONGEST // 2:
        why = f"lists are made for cut-offs up to {LONGEST // 2:,}"
        return [Outcome(expectation.name, expectation.words, UNTRIED, found=why) for expectation in _OF[metric.on]]
    try:
        collection = _made(metric, registry)
        scores = metric_values(collection, [metric])[0]
    except MetaevalError as error:
        return [
            Outcome(expectation.name, expectation.words, UNTRIED, found=str(error)) for expectation in _OF[metric.on]
        ]
    scored = np.isfinite(scores).all(axis=0)
    values = dict(zip(map(str, collection.systems), scores[:, scored], strict=True))
    return [_outcome(expectation, values, 1 if metric.higher_is_better else -1) for expectation in _OF[metric.on]]


def _outcome(wanted: Expected, values: Mapping[str, NDArray[np.float64]], sign: int) -> Outcome:
    """Compare means over topics: what is exactly equal is equal, whatever the order of the sum."""
    names = (_IDEAL, *wanted.worse)
    means = dict(zip(names, settled_means(np.array([values[name] for name in names])), strict=True))
    worst = max(wanted.worse, key=lambda name: sign * means[name])
    lead = sign * (means[_IDEAL] - means[worst])
    state = BROKEN if lead < 0 else MET if lead > 0 or not wanted.strict else UNNOTICED
    apart = sign * (values[_IDEAL] - values[worst])
    against = int((apart < 0).sum())
    remark = f"the other way on {against} of {len(apart)} topics" if against and state == MET else ""
    return Outcome(wanted.name, wanted.words, state, float(means[_IDEAL]), float(means[worst]), remark)


def _made(metric: Metric, registry: Registry) -> JudgedCollection:
    if metric.on == "documents":
        return _documents(metric)
    if metric.on == "passages":
        return _passages()
    return _elements(metric, registry)


def _between[T](one: Sequence[T], other: Sequence[T]) -> list[T]:
    """Return two lists by turns, and what is left of the longer one."""
    return [item for item in chain.from_iterable(zip_longest(one, other)) if item is not None]


def _documents(metric: Metric) -> JudgedCollection:
    """Make topics with few and many relevant documents, some of them as many as the cut-off."""
    levels, k = levels_for(metric), cutoff_of(metric) or _K
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {name: {} for name in (_IDEAL, "tail", "copies", "padding")}
    for size in sorted({*_SIZES, max(k // 2, 1), k, 2 * k}):
        grades = sorted((levels[1 + number % (len(levels) - 1)] for number in range(size)), reverse=True)
        relevant, others = ([f"{letter}{number}" for number in range(size)] for letter in "rn")
        topic, ideal, top = str(size), [*relevant, *others], (size + 1) // 2
        qrels[topic] = dict(zip(relevant, grades, strict=True)) | dict.fromkeys(others, 0)
        runs[_IDEAL][topic] = ideal
        runs["tail"][topic] = ideal[:top] + ideal[top:][::-1]
        runs["copies"][topic] = _between(ideal, [f"copy of {name}" for name in ideal])
        runs["padding"][topic] = _between(relevant, others)
    return collection_from_rankings(runs, qrels)


def _elements(metric: Metric, registry: Registry) -> JudgedCollection:
    """Make the six runs of simulated assessments, and the ideal one with non-relevant elements."""
    topics, generator = tuple(map(str, range(1, 13))), np.random.default_rng(0)
    assessments, table = assessed_elements(generator, scale=scale_of(metric), topics=topics)
    runs = runs_for(metric, assessments, registry)
    ideal = runs.pop("irb").results
    irrelevant = table[table["exhaustivity"] == 0]
    places = pd.concat([ideal.assign(turn=0), irrelevant.assign(turn=1)], ignore_index=True)
    places["place"] = places.groupby(["topic", "turn"]).cumcount()
    n_ideal = places[places["turn"] == 0].groupby("topic").size()
    padded = places[places["place"] < places["topic"].map(n_ideal)].sort_values(["place", "turn"], kind="stable")
    submitted = {_IDEAL: ideal, "padding": padded, **{name: run.results for name, run in runs.items()}}
    made = [Submission(run=name, results=results[["topic", "document", "path"]]) for name, results in submitted.items()]
    longest = max(len(results) for results in submitted.values())
    return element_collection(made, assessments, sizes=table[["document", "path", "size"]], limit=longest)


def _passages() -> JudgedCollection:
    """Make topics with some highlighted documents, and as many others."""
    documents: list[dict[str, object]] = []
    passages: list[dict[str, object]] = []
    results: dict[str, list[dict[str, object]]] = {name: [] for name in (_IDEAL, "whole", "padding")}
    for number in range(1, 7):
        for index in range(number):
            start, length = 20 + 7 * index, 40 + 11 * number
            marked, unmarked = ({"topic": str(number), "document": f"{letter}{index}"} for letter in "rn")
            documents.append({**marked, "size": 300, "relevant_size": length, "best_entry": start})
            documents.append({**unmarked, "size": 300, "relevant_size": 0, "best_entry": -1})
            highlighted = {**marked, "offset": start, "length": length}
            passages.append(highlighted)
            results[_IDEAL].append(highlighted)
            results["whole"].append({**marked, "offset": 0, "length": 300})
            results["padding"] += [highlighted, {**unmarked, "offset": start, "length": length}]
    assessed = Assessments(scale="passages", documents=pd.DataFrame(documents), passages=pd.DataFrame(passages))
    return passage_collection(
        [Submission(run=name, results=pd.DataFrame(rows)) for name, rows in results.items()], assessed
    )
