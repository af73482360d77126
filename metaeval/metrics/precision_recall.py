"""Interpolated precision at eleven points of recall: the classic picture of a run."""

import numpy as np
import xarray as xr

from metaeval.base.checks import check_kind
from metaeval.collection.documents import Collection
from metaeval.errors import InvalidOptionError
from metaeval.metrics.sums import best_from, running_sums

RECALL_POINTS = tuple(point / 10 for point in range(11))


def precision_recall_curves(collection: Collection, *, rel: float | None = None) -> xr.DataArray:
    r"""Return every run's interpolated precision at recall 0, 0.1, …, 1, averaged over the topics.

    Parameters
    ----------
    collection : Collection
        Its current levels count.
    rel : float, optional
        The lowest level that counts as relevant: 1 by default; needed where grades are not whole.

    Returns
    -------
    xarray.DataArray
        Dims ``system`` and ``recall``. Topics with nothing relevant count 0, as in trec_eval, and so does a topic
        that a run does not answer.

    Raises
    ------
    InvalidOptionError
        If nothing is relevant on any topic, or grades are not whole and no threshold is given.

    Notes
    -----
    With R relevant documents, the precision at recall x is

    .. math:: P(x) = \max_{r:\ \mathrm{count}(r) \ge \lfloor x R + 0.5 \rfloor} \mathrm{count}(r) / r,

    0 where the run never finds so many. x R is rounded to the
    nearest whole number, as the output of trec_eval's measure ``iprec_at_recall`` shows; rounding up would follow
    the words of the definition.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d9", "d2"]}}
    >>> curve = precision_recall_curves(collection_from_rankings(runs, {"1": {"d1": 1, "d2": 1}}))
    >>> curve.sel(system="a").values.round(2)[[0, 5, 8, 10]]
    array([1.  , 1.  , 0.67, 0.67])
    """
    check_kind(collection, "collection", "Collection")
    if rel is None and collection.grades is not None:
        raise InvalidOptionError("grades are not whole, so say which is the lowest that counts as relevant: rel=…")
    relevant = collection.levels >= collection.level_from(rel)
    n_relevant = np.add.reduceat(np.append(relevant, False), collection.topic_offsets[:-1], dtype=np.int64)
    n_relevant[np.diff(collection.topic_offsets) == 0] = 0
    if not n_relevant.any():
        message = f"no document has a level of at least rel={rel or 1:g}, so there is no recall to speak of"
        raise InvalidOptionError(message)
    needed = np.floor(np.outer(n_relevant, RECALL_POINTS) + 0.5).astype(np.int64)
    recalled = running_sums(collection.offsets, relevant[collection.judgments].astype(np.int64))
    precision = best_from(collection.offsets, recalled / collection.ranks, recalled, needed)
    precision = precision.reshape(collection.n_systems, *needed.shape)
    precision[:, n_relevant == 0] = 0.0
    return xr.DataArray(
        precision.mean(axis=1),
        dims=("system", "recall"),
        coords={"system": list(collection.systems), "recall": list(RECALL_POINTS)},
        name="precision",
    )
