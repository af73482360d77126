"""Precision and recall in characters: interpolated precision (iP), its average (AiP), and plain shares.

The focused task of INEX 2007 to 2010 asks for results that do not overlap; the thorough task of 2009 lets them.
"""

from fractions import Fraction
from itertools import compress
from typing import Annotated, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from metaeval.base.arrays import Flags, Floats, Ints
from metaeval.base.checks import check_kind
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import InvalidOptionError
from metaeval.inex.measures.passage_lists import Compat, Overlap, PassageLists, passage_lists, thresholds
from metaeval.inex.passages import PassageCollection
from metaeval.metrics.parameters import Rule
from metaeval.metrics.spec import MetricSpec
from metaeval.metrics.sums import best_from, running_sums, share_of_whole

_HUNDREDTHS = tuple(Fraction(point, 100) for point in range(101))
_Recall = Annotated[float, Rule(lambda k: 0 <= k <= 1, "a recall from 0 to 1")]


def interpolated_precision(
    lists: PassageLists, *, k: _Recall = 0.01, overlap: Overlap = "refuse", compat: Compat | None = None
) -> Floats:
    r"""Largest precision in characters at a recall of k or more.

    Notes
    -----
    .. math:: P_r = \frac{\sum_{i \le r} rsize(p_i)}{\sum_{i \le r} size(p_i)}, \quad
              R_r = \frac{\sum_{i \le r} rsize(p_i)}{Trel}, \quad iP[x] = \max_{r:\ R_r \ge x} P_r

    and 0 where the list never reaches x (Pal, Mitra and Kamps 2010, equations 1 and 2; Kamps et al. 2008). Recall is
    compared in whole numbers of characters.
    """
    values = _interpolated(lists, (Fraction(repr(float(k))),), overlap, compat)
    return values[:, :, 0]


def average_interpolated_precision(
    lists: PassageLists, *, overlap: Overlap = "refuse", compat: Compat | None = None
) -> Floats:
    """Mean of iP over recall 0.00, 0.01, …, 1.00; its mean over topics is MAiP."""
    return _interpolated(lists, _HUNDREDTHS, overlap, compat).mean(axis=2)


def interpolated_precision_curves(
    collection: PassageCollection, *, overlap: str = "refuse", compat: str | None = None
) -> xr.DataArray:
    """Return interpolated precision at 101 points of recall.

    Returns
    -------
    xarray.DataArray
        With dimensions ``system``, ``topic`` (those with highlighted text) and ``recall``; precision from 0 to 1.

    Notes
    -----
    The curve of a topic is iP at recall 0.00, 0.01, …, 1.00, see `interpolated_precision`. Its mean over recall is
    AiP, and its mean over topics the picture that the campaigns drew.
    """
    check_kind(collection, "collection", "PassageCollection")
    lists = passage_lists(collection)
    return labelled_curves(lists, _interpolated(lists, _HUNDREDTHS, overlap, compat))


def labelled_curves(lists: PassageLists, values: Floats) -> xr.DataArray:
    """Put labels on values at equally spaced recall points, for the topics that have something to find."""
    counted = lists.n_documents > 0
    if not counted.any():
        raise InvalidOptionError("no topic has highlighted text, so there is no recall to speak of")
    recall = np.arange(values.shape[2]) / (values.shape[2] - 1)
    return curves_of_topics(lists.collection, values, counted, ("recall", recall), name="precision")


def curves_of_topics(
    collection: JudgedCollection, values: Floats, counted: Flags, axis: tuple[str, NDArray[Any]], *, name: str
) -> xr.DataArray:
    """Put labels on a curve for every run and topic, of the topics that count."""
    topics = [*compress(collection.topics, counted)]
    coordinates = {"system": list(collection.systems), "topic": topics, axis[0]: axis[1]}
    return xr.DataArray(values[:, counted], dims=tuple(coordinates), coords=coordinates, name=name)


def _interpolated(lists: PassageLists, points: tuple[Fraction, ...], overlap: str, compat: str | None) -> Floats:
    read = lists.text_read(overlap)
    recalled = running_sums(lists.offsets, read.relevant)
    precision = share_of_whole(recalled, read.reached)
    wholes = lists.n_characters
    if compat is not None:
        topics = np.tile(np.arange(lists.n_topics), len(lists.lengths))
        precision[recalled > np.repeat(wholes[topics], np.diff(lists.offsets))] = 0
    needed = thresholds(wholes, points, bins=None if compat is None else len(_HUNDREDTHS) - 1)
    return best_from(lists.offsets, precision, recalled, needed).reshape(*lists.lengths.shape, len(points))


def character_precision(lists: PassageLists, *, overlap: Overlap = "refuse") -> Floats:
    """Share of all returned characters that are highlighted (restricted focused task, 2010)."""
    return share_of_whole(_found(lists, overlap), lists.text_read(overlap).total)


def character_recall(lists: PassageLists, *, overlap: Overlap = "refuse") -> Floats:
    """Share of the topic's highlighted characters that were returned."""
    return share_of_whole(_found(lists, overlap), lists.n_characters)


def character_f1(lists: PassageLists, *, overlap: Overlap = "refuse") -> Floats:
    """Harmonic mean of precision and recall in characters."""
    return _harmonic(character_precision(lists, overlap=overlap), character_recall(lists, overlap=overlap))


def article_precision(lists: PassageLists) -> Floats:
    """Share of distinct returned documents that have highlighted text."""
    return share_of_whole(_articles_found(lists), lists.n_articles)


def article_recall(lists: PassageLists) -> Floats:
    """Share of the documents with highlighted text that were returned."""
    return share_of_whole(_articles_found(lists), lists.n_documents)


def article_f1(lists: PassageLists) -> Floats:
    """Harmonic mean of precision and recall in documents."""
    return _harmonic(article_precision(lists), article_recall(lists))


def _found(lists: PassageLists, overlap: str) -> Ints:
    sums = np.concatenate([[0], np.cumsum(lists.text_read(overlap).relevant)])
    return np.diff(sums[lists.offsets]).reshape(lists.lengths.shape)


def _articles_found(lists: PassageLists) -> Ints:
    return np.diff(lists.per_list(lists.first_results())).reshape(lists.lengths.shape)


def _harmonic(precision: Floats, recall: Floats) -> Floats:
    return share_of_whole(2 * precision * recall, precision + recall)


SPECS = tuple(
    MetricSpec(name=name, kernel=kernel, on="passages", ideal=1.0, cite=cite)
    for name, kernel, cite in (
        ("iP", interpolated_precision, "kamps2008"),
        ("AiP", average_interpolated_precision, "kamps2008"),
        ("char_prec", character_precision, "arvola2011"),
        ("char_rec", character_recall, "arvola2011"),
        ("char_f1", character_f1, "arvola2011"),
        ("art_prec", article_precision, "koolen2010"),
        ("art_rec", article_recall, "koolen2010"),
        ("art_f1", article_f1, "koolen2010"),
    )
)
