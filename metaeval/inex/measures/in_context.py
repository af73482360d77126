"""Generalised precision and recall of articles (gP, gR, AgP): results grouped by article and shown in their context.

What an article is worth depends on the task: how well its highlighted text was picked out (relevant in context), how
near the best entry point was hit (best in context), or how much a reader with little patience gets (T2I).
"""

from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import check_choice, check_kind, check_number
from metaeval.errors import InvalidOptionError
from metaeval.inex.highlighted_text import HighlightedText
from metaeval.inex.measures.interpolated_precision import labelled_curves
from metaeval.inex.measures.passage_lists import PassageLists, passage_lists, thresholds
from metaeval.inex.passages import PassageCollection
from metaeval.metrics.parameters import Cutoff, Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.metrics.sums import best_from, list_sums, running_sums, share_of_whole
from metaeval.running.compiled import compiled

_MODES = ("relevant", "best", "t2i")
_DEFAULTS = {"beta": ("relevant", 0.25), "n": ("best", 500), "tol": ("t2i", 300)}
_TENTHS = tuple(Fraction(point, 10) for point in range(11))

_Mode = Annotated[str, Rule(_MODES.__contains__, "relevant, best or t2i")]
_Beta = Annotated[float, Rule(lambda beta: 0 < beta < np.inf, "above 0")]
_Characters = Annotated[int, Rule(lambda count: count >= 1, "at least 1 character")]
_Pad = Annotated[str, Rule(("last", "zero").__contains__, "last or zero")]


class ArticleRanking(NamedTuple):
    """The relevant articles of every list, at their ranks among all articles of the list."""

    offsets: Ints
    """List number system * n_topics + topic is the part ``offsets[i]:offsets[i + 1]`` of the next two. Shape
    (n_systems * n_topics + 1,)."""
    ranks: NDArray[np.int32]
    """Shape (n,)."""
    scores: Floats
    """S of every article, 0 to 1. Shape (n,)."""


def average_generalised_precision(
    lists: PassageLists,
    *,
    mode: _Mode = "relevant",
    beta: _Beta | None = None,
    n: _Characters | None = None,
    tol: _Characters | None = None,
) -> Floats:
    r"""Mean over all relevant articles of gP at their ranks; 0 for one that was not returned.

    Notes
    -----
    .. math:: gP_r = \frac{1}{r} \sum_{i \le r} S(d_i), \qquad
              AgP = \frac{1}{N_{rel}} \sum_{r:\ d_r\ \mathrm{relevant}} gP_r

    An article is relevant if it has any highlighted text; one whose highlighted text was missed has S = 0 and still
    adds its gP. S is, for "relevant", :math:`(1 + \beta^2) P R / (\beta^2 P + R)`; for "best",
    :math:`(n - |x - b|) / n` down to 0; for "t2i" the results are read by their place in the document, then the rest
    of the document, until `tol` characters that are not highlighted (Kamps et al. 2007; inex_eval 3.1). The mean over
    topics is MAgP.
    """
    articles = found_articles(lists, mode=mode, beta=beta, n=n, tol=tol)
    sums = list_sums(articles.offsets, _precision_at(*articles))
    return share_of_whole(sums.reshape(lists.lengths.shape), lists.n_documents)


def generalised_precision(  # noqa: PLR0913 - each parameter is one of the measure's own
    lists: PassageLists,
    *,
    k: Cutoff,
    mode: _Mode = "relevant",
    beta: _Beta | None = None,
    n: _Characters | None = None,
    tol: _Characters | None = None,
    pad: _Pad = "last",
) -> Floats:
    """Mean score of the first k articles, each by its highlighted text or its entry point (mode)."""
    articles = found_articles(lists, mode=mode, beta=beta, n=n, tol=tol)
    sums = list_sums(articles.offsets, np.where(articles.ranks <= k, articles.scores, 0.0))
    n_counted = np.minimum(lists.n_articles, k) if pad == "last" else np.array(k)
    return share_of_whole(sums.reshape(lists.lengths.shape), n_counted)


def generalised_recall(lists: PassageLists, *, k: Cutoff) -> Floats:
    """Share of the relevant articles among the first k articles of the list."""
    first = lists.first_results()
    n_relevant = np.diff(lists.per_list(first[lists.results.articles[first] <= k]))
    return share_of_whole(n_relevant.reshape(lists.lengths.shape), lists.n_documents)


def generalised_precision_curves(  # noqa: PLR0913 - each parameter is one of the measure's own
    collection: PassageCollection,
    *,
    mode: str = "relevant",
    beta: float | None = None,
    n: int | None = None,
    tol: int | None = None,
    compat: str | None = None,
) -> xr.DataArray:
    r"""Return interpolated gP at eleven points of gR.

    Parameters
    ----------
    collection : PassageCollection
        Its current levels count.
    mode, beta, n, tol
        As in `average_generalised_precision`.
    compat : {"inex_eval"}, optional
        Sort recall into bins in double precision, as that program does.

    Returns
    -------
    xarray.DataArray
        Dims ``system``, ``topic`` and ``recall``, for topics with highlighted text; 0 where a run does not answer.

    Raises
    ------
    InvalidOptionError
        As `average_generalised_precision`; or if no topic has highlighted text.

    Notes
    -----
    The value at recall x is :math:`\max \{ gP_r : gR_r \ge x \}`, 0 where the list never reaches x; the share of
    relevant articles found is compared with x in whole numbers.
    """
    check_kind(collection, "collection", "PassageCollection")
    lists = passage_lists(collection)
    articles = found_articles(lists, mode=mode, beta=beta, n=n, tol=tol)
    n_relevant = running_sums(articles.offsets, np.ones(len(articles.ranks), dtype=np.int64))
    needed = thresholds(lists.n_documents, _TENTHS, bins=None if compat is None else len(_TENTHS) - 1)
    values = best_from(articles.offsets, _precision_at(*articles), n_relevant, needed)
    return labelled_curves(lists, values.reshape(*lists.lengths.shape, len(_TENTHS)))


def found_articles(
    lists: PassageLists,
    *,
    mode: str = "relevant",
    beta: float | None = None,
    n: int | None = None,
    tol: int | None = None,
) -> ArticleRanking:
    """Return the relevant articles of every list with their scores."""
    setting = _setting(mode, {"beta": beta, "n": n, "tol": tol})
    kinds, task = (["repeated"], "best in context") if mode == "best" else (_FAULTS, "a task in context")
    lists.collection.refuse(kinds, task=task)
    first = lists.first_results()
    scores = _SCORES[mode](lists, first, setting)
    return ArticleRanking(lists.per_list(first), lists.results.articles[first], scores)


def _setting(mode: str, given: dict[str, float | None]) -> float:
    check_choice(mode, "mode", _MODES)
    setting = 0.0
    for name, (own_mode, default) in _DEFAULTS.items():
        value = given[name]
        if mode == own_mode:
            setting = default if value is None else value
        elif value is not None:
            raise InvalidOptionError(f"{name}={value!r} belongs to mode={own_mode}, not to mode={mode}; leave it out")
    return check_number(setting, "beta, n and tol", above=0)


def _by_highlighting(lists: PassageLists, first: Ints, beta: float) -> Floats:
    results = lists.results
    if not len(first):
        return np.empty(0)
    highlighted = np.add.reduceat(results.relevant, first)
    precision = share_of_whole(highlighted, np.add.reduceat(results.lengths, first))
    recall = share_of_whole(highlighted, lists.collection.text.relevant_sizes[results.documents[first]])
    return share_of_whole((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def _by_best_entry(lists: PassageLists, first: Ints, n: float) -> Floats:
    entries = lists.collection.text.best_entries[lists.results.documents[first]]
    starts = lists.results.starts[first]
    has_positions = (entries >= 0) & (starts >= 0)
    return np.where(has_positions, np.maximum(n - np.abs(starts - entries), 0) / n, 0.0)


def _by_patience(lists: PassageLists, first: Ints, tol: float) -> Floats:
    results, text = lists.results, lists.collection.text
    documents = results.documents[first].astype(np.int64)
    unknown = text.sizes[documents] < 0
    if unknown.any():
        name = lists.collection.by_document.document_ids[documents[int(np.argmax(unknown))]].decode()
        raise InvalidOptionError(
            f"mode=t2i reads documents to their end, but the size of document {name!r} is not known; give sizes with "
            "the assessments, or use mode=relevant"
        )
    bounds = np.append(first, len(results.starts)).astype(np.int64)
    return _read_with_patience(bounds, documents, results.starts, results.lengths, text, int(tol))


@compiled
def _precision_at(offsets: Ints, ranks: NDArray[np.int32], scores: Floats) -> Floats:
    """Return gP at every relevant article."""
    precision = np.empty(len(ranks))
    for number in range(len(offsets) - 1):
        total = 0.0
        for position in range(offsets[number], offsets[number + 1]):
            total += scores[position]
            precision[position] = total / ranks[position]
    return precision


@compiled
def _read_with_patience(  # noqa: PLR0913, PLR0917 - arrays of a kernel
    bounds: Ints, documents: Ints, starts: Ints, lengths: Ints, text: HighlightedText, tol: int
) -> Floats:
    """Return the share of highlighted characters that each article shows before `tol` others were read."""
    scores = np.zeros(len(documents))
    for article in range(len(documents)):
        document = documents[article]
        passages = slice(text.offsets[document], text.offsets[document + 1])
        begins, ends = text.starts[passages], text.stops[passages]
        own_starts = starts[bounds[article] : bounds[article + 1]]
        own_lengths = lengths[bounds[article] : bounds[article + 1]]
        order = np.argsort(own_starts)
        good = 0
        bad = 0
        for index in order:
            if own_starts[index] < 0:  # a place that does not exist shows its length of nothing
                bad = min(tol, bad + own_lengths[index])
            else:
                stop = own_starts[index] + own_lengths[index]
                good, bad = _read(begins, ends, own_starts[index], stop, good, bad, tol)
        reached = 0
        for index in order:
            if own_starts[index] >= 0:
                good, bad = _read(begins, ends, reached, own_starts[index], good, bad, tol)
                reached = own_starts[index] + own_lengths[index]
        good, bad = _read(begins, ends, reached, text.sizes[document], good, bad, tol)
        if good > 0:
            scores[article] = good / (good + bad)
    return scores


@compiled
def _read(  # noqa: PLR0913, PLR0917 - a kernel takes plain values
    begins: Ints, ends: Ints, start: int, stop: int, good: int, bad: int, tol: int
) -> tuple[int, int]:
    """Read ``[start, stop)`` on with highlighted and other characters read so far, until `tol` others."""
    for number in range(len(begins) + 1):
        begin = min(begins[number], stop) if number < len(begins) else stop
        if begin > start:
            bad = min(tol, bad + begin - start)
            start = begin
        if bad >= tol or start >= stop:
            break
        end = min(ends[number], stop) if number < len(begins) else stop
        if end > start:
            good += end - start
            start = end
    return good, bad


_FAULTS = ("interleaved", "overlap", "no length")
_SCORES = {"relevant": _by_highlighting, "best": _by_best_entry, "t2i": _by_patience}

SPECS = tuple(
    MetricSpec(name=name, kernel=kernel, on="passages", cite="kamps2008")
    for name, kernel in (
        ("AgP", average_generalised_precision),
        ("gP", generalised_precision),
        ("gR", generalised_recall),
    )
)
