"""Statistics of how two judges agree, from tables of how often one said i where the other said j."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from metaeval.agreement.labels import Labels
from metaeval.base.arrays import Floats, Ints


def topics_by_content(labels: Labels) -> tuple[str, ...]:
    """Return the topics in an order that only labels decide, so that draws fall on the same ones whatever is renamed.

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> said = {"ann": {"1": {"d1": 1}, "2": {"d2": 0}}, "ben": {"1": {"d1": 1}, "2": {"d2": 1}}}
    >>> topics_by_content(as_labels(said))
    ('2', '1')
    """
    by_topic = pd.Series(kinds_of(labels)).groupby(labels.table.index.get_level_values("topic").to_numpy())
    return tuple(sorted(labels.topics, key=by_topic.agg(sorted).to_dict().__getitem__))


def kinds_of(labels: Labels) -> Ints:
    """Return which kind every item is of, by what each judge said of it, in an order that names do not decide."""
    one_hot = labels.table.to_numpy()[:, :, None] == np.array(labels.scale)
    if not labels.ordered:  # names in no order of their own: by how often they were given
        one_hot = one_hot[:, :, np.argsort(one_hot.sum(axis=(0, 1)), kind="stable")]
    codes = np.where(one_hot.any(axis=2), one_hot.argmax(axis=2), -1)
    judges = np.lexsort(one_hot.sum(axis=0).T[::-1])
    return np.unique(codes[:, judges], axis=0, return_inverse=True)[1].ravel()


def contingency(labels: Labels, *, topics: Sequence[str]) -> Floats:
    """Count pairs of labels: an array (topic, judge a, label of a, judge b, label of b)."""
    table, scale = labels.table, np.array(labels.scale, dtype=np.float64)
    one_hot = (table.to_numpy()[:, :, None] == scale).astype(np.float64).reshape(len(table), -1)
    position = pd.Index(topics).get_indexer(table.index.get_level_values("topic"))
    counts = np.stack([one_hot[position == index].T @ one_hot[position == index] for index in range(len(topics))])
    n, k = table.shape[1], len(scale)
    return counts.reshape(len(topics), n, k, n, k)


def _kappa(tables: Floats, weights: Floats) -> Floats:
    """Cohen's kappa of tables (..., k, k) under weights of disagreement: 1 - observed / expected."""
    total = tables.sum(axis=(-2, -1))
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    expected = np.einsum("...i,ij,...j->...", rows, weights, columns)
    observed = np.einsum("...ij,ij->...", tables, weights) * total
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, np.where(expected > 0, 1.0 - observed / expected, np.nan), np.nan)


def least_kappa(tables: Floats, weights: Floats) -> Floats:
    """Return what kappa would be if every pair of labels differed as much as labels can; -1 where it would be less."""
    total = tables.sum(axis=(-2, -1))
    expected = np.einsum("...i,ij,...j->...", tables.sum(axis=-1), weights, tables.sum(axis=-2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(1.0 - weights.max() * total**2 / expected, -1.0)


def kappa_weights(scale: Floats) -> dict[str, Floats]:
    """Return the weights of disagreement of every kappa."""
    distance = np.abs(scale[:, None] - scale)
    return {"kappa": (distance > 0).astype(np.float64), "linear_kappa": distance, "quadratic_kappa": distance**2}


def ratio(top: Floats, bottom: Floats) -> Floats:
    """Divide, NaN where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom > 0, top / bottom, np.nan)


def pooled(tables: Floats, scale: Floats, rel: int) -> dict[str, Floats]:
    """Return the statistics of tables (..., k, k) that are added up over topics before they are computed."""
    total = tables.sum(axis=(-2, -1))
    relevant = scale >= rel
    positive, negative = tables[..., relevant, :], tables[..., ~relevant, :]
    return {
        "same": ratio(np.einsum("...ii->...", tables), total),
        **{name: _kappa(tables, weights) for name, weights in kappa_weights(scale).items()},
        "sensitivity": ratio(positive[..., relevant].sum(axis=(-2, -1)), positive.sum(axis=(-2, -1))),
        "specificity": ratio(negative[..., ~relevant].sum(axis=(-2, -1)), negative.sum(axis=(-2, -1))),
        "bias": ratio(np.einsum("...ij,ij->...", tables, scale - scale[:, None]), total),
    }


def by_topic(tables: Floats, scale: Floats, rel: int) -> dict[str, Floats]:
    """Return the ratios of every topic of tables (topic, ..., k, k); their mean over topics is reported."""
    relevant = scale >= rel
    common = tables[..., relevant, :][..., relevant].sum(axis=(-2, -1))
    first = tables[..., relevant, :].sum(axis=(-2, -1))
    second = tables[..., relevant].sum(axis=(-2, -1))
    same = np.einsum("...ii,i->...", tables, relevant.astype(np.float64))
    union = first + second - common
    return {
        "overlap": ratio(common, union),
        "first_kept": ratio(common, first),
        "second_kept": ratio(common, second),
        "same_over_union": ratio(same, union),
    }


def over_topics(ratios: Floats, counts: Floats) -> Floats:
    """Mean over topics drawn `counts` times (resample, topic), topics where a ratio is undefined left out."""
    defined = np.isfinite(ratios)
    flat = np.where(defined, ratios, 0.0).reshape(len(ratios), -1)
    result = ratio(counts @ flat, counts @ defined.reshape(len(ratios), -1).astype(np.float64))
    return result.reshape(len(counts), *ratios.shape[1:])
