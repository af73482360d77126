"""A report on a benchmark in the words of its readers: what a topic is elsewhere is an item there."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from metaeval.page.blocks import Item, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WORD = r"(?P<article>\b[Aa] )?(?<![\w@/.-])(?P<first>[Tt])opic(?P<more>s?)(?![\w@/-]|\.\w)"


def item_words(words: str, names: Iterable[str] = ()) -> str:
    """Return a text that speaks of items instead of topics; names stay as they are.

    Examples
    --------
    >>> item_words("Topics needed: 50 topics; a topic more. n_topics stays, and topic-model.")
    'Items needed: 50 items; an item more. n_topics stays, and topic-model.'
    >>> item_words("Topic model leads on 50 topics.", names=["Topic model"])
    'Topic model leads on 50 items.'
    """
    kept = "|".join(map(re.escape, sorted((name for name in names if "opic" in name), key=len, reverse=True)))
    pattern = rf"(?P<name>(?<!\w)(?:{kept})(?!\w))|{_WORD}" if kept else rf"(?P<name>(?!))|{_WORD}"
    return re.sub(pattern, _in_other_words, words)


def _in_other_words(found: re.Match[str]) -> str:
    if found["name"] is not None:
        return found["name"]
    article = f"{found['article'].strip()}n " if found["article"] else ""
    return f"{article}{'I' if found['first'] == 'T' else 'i'}tem{found['more']}"


def in_item_words(report: Report, names: Iterable[str] = ()) -> Report:
    """Return the report in the words of benchmarks, pictures included; rows, data and provenance stay as they are."""
    speak = partial(item_words, names=tuple(names))
    return replace(
        report,
        title=speak(report.title),
        facts=tuple((value, speak(what)) for value, what in report.facts),
        summary=tuple(map(speak, report.summary)),
        sections=_spoken(report.sections, speak),
        methods=_spoken(report.methods, speak),
        notes=tuple(map(speak, report.notes)),
    )


def in_words_of(scores: Scores | None, report: Report) -> Report:
    """Return the report in the words of its scores: it speaks of items where the files did."""
    if scores is None or scores.attrs.get("topic_word") != "item":
        return report
    return in_item_words(report, [name for dim in DIMS for name in scores[dim].to_numpy().tolist()])


_KEPT: Mapping[type, frozenset[str]] = {
    Section: frozenset({"id"}),
    Table: frozenset({"name", "data"}),
    Column: frozenset({"name"}),
    Methods: frozenset({"cite"}),
    Item: frozenset({"link"}),
    Picture: frozenset({"name"}),
}
"""What names a thing instead of speaking of it: anchors, files, columns, keys."""


def _spoken(part: Any, speak: Callable[[str], str]) -> Any:  # noqa: ANN401 - any part of a report
    if isinstance(part, str):
        return speak(part)
    if isinstance(part, tuple):
        return tuple(_spoken(one, speak) for one in part)
    if isinstance(part, Picture):
        part = replace(part, draw=partial(_drawn, part.draw, speak))
    if is_dataclass(part) and not isinstance(part, type | pd.DataFrame):
        kept = _KEPT.get(type(part), frozenset())
        changed = {one.name: _spoken(getattr(part, one.name), speak) for one in fields(part) if one.name not in kept}
        return replace(part, **changed)
    return part


def _drawn(draw: "Callable[[], Figure]", speak: Callable[[str], str]) -> "Figure":
    from matplotlib.text import Text  # noqa: PLC0415 - only once a figure is drawn

    figure = draw()
    for words in figure.findobj(Text):
        words.set_text(speak(words.get_text()))
    return figure
