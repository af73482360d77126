"""The base class of the answers of public functions, and what they draw."""

from importlib import import_module
from typing import TYPE_CHECKING

from metaeval.base.short_repr import ShortRepr

if TYPE_CHECKING:
    import matplotlib.figure

type Figure = matplotlib.figure.Figure
"""What a result draws; matplotlib is loaded by whoever draws."""

_SHOWN_BY = "metaeval.page.notebook:result_html"
"""Looked up when it is asked for, as a plug-in is: no result knows of pages, and matplotlib stays unloaded."""


class Result(ShortRepr):
    """The answer of a public function: a notebook shows its main numbers, the first rows of its table and its picture.

    Examples
    --------
    >>> from metaeval import paired_t_test, simulate_scores
    >>> shown = paired_t_test(simulate_scores(n_systems=5, n_topics=20, metrics=["AP"], rng=1))._repr_html_()
    >>> "<p><b>PairwiseResult:</b> 4 of 10 pairs differ significantly under AP.</p>" in shown, "<table>" in shown
    (True, True)
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        module, function = _SHOWN_BY.split(":")
        written: str = getattr(import_module(module), function)(self)
        return written
