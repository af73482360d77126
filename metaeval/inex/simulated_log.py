"""Simulated logs: what an assessor did when, in which order, document by document."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.inex.assessments import Assessments

_SECONDS = {2003: (480.0, 60.0), 2004: (120.0, 120.0), 2005: (300.0, 50.0), 2006: (60.0, 45.0)}
"""Means of relevant and of other documents (Piwowarski, Trotman and Lalmas 2008, Table III)."""
_SPREAD = 0.6
_HIGHLIGHTS_BACK, _JUDGMENTS_BACK, _SECOND_CYCLE = 0.15, 0.05, 0.3
_LAST_WITH_ONE_PHASE, _LAST_GRADED = 2004, 2005


def make_log(generator: np.random.Generator, assessments: Assessments, year: int) -> pd.DataFrame:
    """Let the assessors open every document, highlight its passages, and judge the elements that hold them."""
    documents = assessments.documents
    highlights, judgments = _places(assessments, year)
    means = np.array(_SECONDS[min(max(year, min(_SECONDS)), max(_SECONDS))])
    pairs = list(zip(documents["topic"], documents["document"], strict=True))
    irrelevant = np.array([pair not in highlights and pair not in judgments for pair in pairs], dtype=np.int64)
    seconds = generator.lognormal(np.log(means[irrelevant]) - _SPREAD**2 / 2, _SPREAD)
    begins = np.cumsum(seconds) - seconds
    first = pd.Series(begins).groupby(documents["topic"].to_numpy(), sort=False).transform("first").to_numpy()
    rows = []
    for pair, begin, spent in zip(pairs, begins - first, seconds, strict=True):
        actions = [("load", ""), *_actions(generator, highlights.get(pair, []), judgments.get(pair, []))]
        times = begin + spent * np.arange(len(actions)) / len(actions)
        rows += [(*pair, round(float(time), 1), *action) for time, action in zip(times, actions, strict=True)]
    return pd.DataFrame(rows, columns=["topic", "document", "time", "action", "place"])


type _Places = dict[tuple[str, str], list[str]]


def _places(assessments: Assessments, year: int) -> tuple[_Places, _Places]:
    """Return where each document is highlighted, and which of its elements are judged one by one."""
    highlights: _Places = {}
    judgments: _Places = {}
    passages, elements = assessments.passages, assessments.elements
    places = passages["start"].where(passages["start"] != "", passages["offset"].astype(str))
    for topic, document, start in zip(passages["topic"], passages["document"], places, strict=True):
        highlights.setdefault((topic, document), []).append(start)
    if year <= _LAST_GRADED:
        inline = elements["path"].str.contains(r"/it\[\d+\]$", regex=True)
        judged = elements[~inline & (elements["exhaustivity"] != 0)]
        for topic, document, path in judged[["topic", "document", "path"]].itertuples(index=False):
            judgments.setdefault((topic, document), []).append(path)
    return highlights, judgments


def _actions(generator: np.random.Generator, highlights: list[str], judgments: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what is done in a document: highlight, then judge, in reading order but for some steps back."""
    marked = [("highlight", location) for location in _mostly_forward(generator, highlights, _HIGHLIGHTS_BACK)]
    judged = [("assess", location) for location in _mostly_forward(generator, judgments, _JUDGMENTS_BACK)]
    if len(marked) > 1 and len(judged) > 1 and generator.random() < _SECOND_CYCLE:
        half = len(judged) // 2
        yield from (*marked[:-1], *judged[:half], marked[-1], *judged[half:])
    else:
        yield from (*marked, *judged)


def _mostly_forward(generator: np.random.Generator, places: list[str], back: float) -> list[str]:
    """Swap some neighbours, so that about this share of the steps goes back."""
    order = list(places)
    draw: NDArray[np.bool_] = generator.random(max(0, len(order) - 1)) < back / (1 - back)
    number = 0
    while number < len(order) - 1:
        if draw[number]:
            order[number : number + 2] = order[number + 1], order[number]
            number += 1
        number += 1
    return order
