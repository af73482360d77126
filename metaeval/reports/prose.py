"""The words of pages, kept as words: passages of ``words.prose`` beside a page, filled in when the page is made.

The words of ``page.py`` come first; those of ``page_NAME.py`` follow a line ``=== NAME``. A passage begins with a line
``== its name``, or ``== its name | the title above it``: that title is the passage "NAME title". Logic that decides
what is said stays in the page; a passage may choose between words, and computes nothing. What several pages need is a
filter, below. What systems are scored on is called ``topic``, ``topics``, ``a_topic``, ``Topic`` and ``Topics``, which
say "item" in the report on a benchmark; what it belongs to ``cluster``, and what judges label ``labelled``
(`metaeval.base.unit.Unit`).
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypedDict

import pandas as pd
from jinja2 import Environment, StrictUndefined, Template

from metaeval.base import words
from metaeval.base.bibliography import cited
from metaeval.base.names import count
from metaeval.base.unit import unit
from metaeval.page.blocks import Block, Picture, Section
from metaeval.page.tables import Column, Table
from metaeval.reports.shared import computed_with, decided_by, described_by, resampled_on, side_words, with_draws
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import PairwiseResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BLANKS = str.maketrans({" ": "\ue000", "\n": "\ue001"})
"""Blanks inside what is filled in are its own, as in names with two; those of passages only part words."""
_INSIDE = re.compile(r"(?<=\S)[ \n]+(?=\S)")


def _kept(value: object) -> object:
    """Keep the blanks of what is filled in, and part the thousands of a number."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return words.whole(int(value))
    return _INSIDE.sub(lambda found: found[0].translate(_BLANKS), value) if isinstance(value, str) else value


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(sentences).replace("\n", " ")


_UNSAID = {0.05: ""}
"""The level that goes without saying."""
_SIDES = {"two-sided": "", "better": "one-sided towards the better"}


def _level(alpha: float) -> str:
    """Say a level that somebody named instead of the usual one."""
    return _UNSAID.get(alpha, f"α = {alpha:g}")  # noqa: RUF001 - for people


def _by(result: PairwiseResult) -> str:
    """Say what decided, and the side and the level where they are not the usual ones."""
    side = _SIDES.get(result.alternative, "one-sided")
    words_by = (result.procedure.words, side, CORRECTIONS.words(result.correction), _level(result.alpha))
    return ", ".join(filter(None, words_by))


_WRITERS = Environment(undefined=StrictUndefined, autoescape=False, finalize=_kept)  # noqa: S701 - plain words, no page
_WRITERS.filters |= {
    **{name: getattr(words, name) for name in ("carried", "chance", "listed", "percentage", "share", "whole")},
    "compared_p": words.compared_p,
    "count": count,
    "percent": lambda value: f"{100 * value:.0f} %",
    "points": lambda value: words.number(1)(100 * value),
    "metric": words.name_of_metric,
    "number": lambda value, digits: words.number(digits)(value),
    "significant": words.significant,
    "capital": words.sentence_case,
    "test": lambda name: TESTS[name].description.split(" (")[0],
    "label": TESTS.words,
    "correction": CORRECTIONS.words,
    "drawing": with_draws,
    "resampled": resampled_on,
    "described": described_by,
    "side": side_words,
    "cited": cited,
    "computed": computed_with,
    "errors": lambda said: words.errors_said(*said),
    "short": lambda metrics: " ".join(words.short_names_sentence(metrics)),
    "absent": words.absent,
    "decided": lambda made: decided_by(made.test, made.correction, made.alpha),
    "by": _by,
    "level": _level,
    "verb": lambda subject, one, several: one if getattr(subject, "__len__", lambda: subject)() == 1 else several,
    "explained": lambda shown, **by_column: _joined(words for name, words in by_column.items() if name in shown),
}
"""Grammar is theirs: `verb` agrees with a number or a list; `explained` says what the columns shown mean."""


class Titled(TypedDict):
    """The words of a table or picture."""

    title: str
    caption: str


class Prose:
    r"""The passages of one report.

    Examples
    --------
    >>> Prose("== few\n{{ n | count(topic) }} are\nfew.")("few", n=3)
    '3 topics are few.'
    """

    def __init__(self, passages: str) -> None:
        parts = re.split(r"^== (.+?)(?: \| (.+))?\n", passages, flags=re.MULTILINE)[1:]
        self.passages = dict(zip(parts[::3], parts[2::3], strict=True))
        self.passages |= {f"{name} title": title for name, title in zip(parts[::3], parts[1::3], strict=True) if title}
        self._compiled: dict[str, Template] = {}  # most reports say a few of them

    def __call__(self, name: str, /, **given: Any) -> str:  # noqa: ANN401 - whatever the passage names
        """Return a passage on one line, with what it names filled in."""
        if name not in self._compiled:
            self._compiled[name] = _WRITERS.from_string(self.passages[name])
        words = re.sub(r"[ \n]+", " ", self._compiled[name].render(**unit()._asdict(), **given)).strip()
        return words.replace("\ue000", " ").replace("\ue001", "\n")

    def titled(self, name: str, /, **given: Any) -> Titled:  # noqa: ANN401 - as above
        """Return the title and the caption of a table or picture."""
        return {"title": self(f"{name} title", **given), "caption": self(name, **given)}

    def named(self, name: str, /, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """Return the title and the caption of a table or picture with the name of the passage, and that name."""
        return {"name": name, **self.titled(name, **given)}

    def headed(self, name: str, /, *, id: str = "", **given: Any) -> dict[str, Any]:  # noqa: A002, ANN401 - as above
        """Return anchor, title and lead of a section; the passage "NAME lead" has the anchor NAME."""
        anchor = id or name.removesuffix(" lead")
        return {"id": anchor, "title": self(f"{name} title", **given), "lead": self(name, **given)}

    def table(
        self,
        name: str,
        frame: pd.DataFrame,
        /,
        *columns: Iterable[Column],
        called: str = "",
        data: pd.DataFrame | None = None,
        head: str = "",
        **given: Any,  # noqa: ANN401 - as above
    ) -> Table:
        """Return a table with the title and the caption of this name, which know what is `shown`, or with a `head`.

        The passage "NAME errors" says its Monte-Carlo errors.
        """
        shown = (*chain(*columns),)
        words, precision = Titled(title=head, caption=""), ""
        if not head:
            words = self.titled(name, shown={column.name for column in shown}, **given)
            precision = self(f"{name} errors", **given) if f"{name} errors" in self.passages else ""
        return Table(name=called or name, **words, frame=frame, columns=shown, data=data, precision=precision)

    def picture(
        self,
        name: str,
        draw: "Callable[[], Figure]",
        /,
        *,
        called: str = "",
        alt: str = "",
        head: str = "",
        **given: Any,  # noqa: ANN401 - as above
    ) -> Picture:
        """Return a picture as `table` does, with `alt`, or the passage "NAME in words"."""
        alt = alt or self(f"{name} in words", **given)
        words = Titled(title=head, caption="") if head else self.titled(name, **given)
        return Picture(name=called or name, draw=draw, **words, alt=alt)

    def section(
        self,
        name: str,
        /,
        *blocks: Block,
        brief: bool = True,
        id: str = "",  # noqa: A002 - as sections have it
        head: str = "",
        **given: Any,  # noqa: ANN401 - as above
    ) -> Section:
        """Return a section with the title and the words of the passage "NAME lead", or with the title `head` alone."""
        if head:
            return Section(id=id or name, title=head, lead="", brief=brief, blocks=blocks)
        return Section(**self.headed(f"{name} lead", id=id, **given), brief=brief, blocks=blocks)


@cache
def prose(module: str) -> Prose:
    """Return the passages of a module, by its name: its part of ``words.prose`` in its folder."""
    package, _, stem = module.rpartition(".")
    text = files(package).joinpath("words.prose").read_text("utf-8")
    main, *rest = re.split(r"^=== (.+)\n", text, flags=re.MULTILINE)
    parts = {"page": main, **{f"page_{name}": passages for name, passages in zip(rest[::2], rest[1::2], strict=True)}}
    return Prose(parts[stem] if stem in parts else parts[f"page_{stem}"])
