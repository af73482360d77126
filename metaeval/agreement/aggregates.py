"""Ways to sum up a benchmark in one number a system, each as a metric with a value on every topic.

Written so, an aggregate is compared like any other metric: how many pairs of systems it separates, with how few
topics, and how far its order agrees with that of the others.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr

from metaeval.agreement.item_statistics import less_mean
from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice
from metaeval.base.names import label_array
from metaeval.base.notes import RunVariances
from metaeval.base.unit import unit_of
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.running.equality import settle
from metaeval.running.parallel import in_one_order
from metaeval.table import structure
from metaeval.table.array import DIMS
from metaeval.table.scores import Scores, as_scores, oriented_values

MACRO = "macro mean"
"""The aggregate that clusters of topics have, and plain topics have not."""
_PAIR, _SLOPE = 2, 0.15


def aggregate_scores(scores: object, *, aggregates: Sequence[str] | None = None) -> Scores:
    r"""Compute aggregates of every metric as further metrics, with a value for each system and topic.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        With clusters, strata, weights and gaps as they come; repeats become their means.
    aggregates : sequence of str, optional
        Names in `AGGREGATES`; by default the first five below, the macro mean only where topics have clusters or
        strata.

    Returns
    -------
    Scores
        Its metrics are the aggregates ("AP win rate" where there are several metrics), its systems, topics and their
        coordinates those of `scores`. A system's mean over topics is its aggregate.

    Raises
    ------
    ScoresError
        If the macro mean is asked for and a system has no score in a cluster; and for gaps that nobody decided to keep.
    InvalidOptionError
        If an aggregate is unknown or asked for twice, or the macro mean without clusters.

    See Also
    --------
    metaeval.questions.power.study.study_power
    metaeval.table.structure.mean_by_cluster

    Notes
    -----
    On a topic with scores of m systems, of which l score worse than this one and e as much (itself left out):

    - mean: the score itself, in its own direction;
    - win rate: :math:`(l + e/2) / (m - 1)`, the share of the other systems that are beaten, a tie counting half [1]_;
    - Borda: :math:`l + e/2`, the points of a Borda count. It is the win rate times m - 1: where nothing is missing the
      two give one order and one p-value, and differ with gaps only, where topics with more systems give more points;
    - z-score: :math:`(x - \bar x)/s`, mean and standard deviation (m - 1) over the systems on the topic [2]_;
    - macro mean: :math:`M + \frac{W}{G W_g} (x - M)`, M the system's mean of cluster means, G clusters, W and
      :math:`W_g` the weights of all its topics and of those in the topic's cluster. The mean of these values is M, and
      their sum in a cluster is what the cluster adds to the error of M: its linear form, made for tests on means with
      clusters. It may leave the scale, so a single value says nothing. Where clusters are to be replaced by their means
      (`metaeval.table.structure.topics_by_cluster`), do that first, and then aggregate;
    - Borda (MTEB): the points with all systems in the place of m, 0 for a system without a score, as MTEB's board has
      it: a task that a model did not do counts as lost to all that did it;
    - N-std, U-std and E-std: the share of systems expected below the score, by the normal law
      (:math:`\Phi(z)` [2]_), by a uniform one (0.15 z + 0.5, cut at 0 and 1 [3]_) and as counted (the share of scores
      on the topic that are at most this one [4]_): standardised scores on one scale, for means over collections.

    On a topic where all systems have equal scores nobody stands out: win rate 1/2, Borda (m - 1)/2, z-score 0. Scores
    that are equal but for rounding tie (`metaeval.running.equality`). A topic with one system has no win rate, Borda
    points or z-score. All but the two means depend on which other systems take part.

    References
    ----------
    .. [1] Liang et al. (2023). Holistic evaluation of language models. Transactions on Machine Learning Research.
    .. [2] Webber, Moffat and Zobel (2008). Score standardization for inter-collection comparison of retrieval systems.
       SIGIR, 51-58. :doi:`10.1145/1390334.1390346`
    .. [3] Sakai (2016). A simple and effective approach to score standardisation. ICTIR, 95-104.
       :doi:`10.1145/2970398.2970399`
    .. [4] Urbano, Lima and Hanjalic (2019). A new perspective on score standardization. SIGIR, 1061-1064.
       :doi:`10.1145/3331184.3331315`

    Examples
    --------
    >>> made = aggregate_scores([[0.9, 0.5], [0.4, 0.5], [0.1, 0.2]])
    >>> made["metric"].to_numpy().tolist()
    ['mean', 'Borda', 'win rate', 'z-score']
    >>> made.sel(metric="win rate").to_numpy().tolist()
    [[1.0, 0.75], [0.5, 0.75], [0.0, 0.0]]
    """
    scores = structure.engine_scores(scores, "aggregates of scores")
    clustered = bool({"cluster", "stratum"} & set(scores.coords))
    names = (
        [name for name in USUAL_AGGREGATES if clustered or name != MACRO] if aggregates is None else list(aggregates)
    )
    for name in names:
        check_choice(name, "aggregate", list(AGGREGATES))
    if not names or len(set(names)) < len(names):
        message = f"`aggregates` names each aggregate once, out of {', '.join(AGGREGATES)}; got {names!r}"
        raise InvalidOptionError(message)
    if MACRO in names and not clustered:
        message = "the macro mean is that of clusters; say which cluster each topic belongs to (`clusters`)"
        raise InvalidOptionError(message)
    metrics, higher = scores["metric"].to_numpy().tolist(), scores["higher_is_better"].to_numpy().tolist()
    several = len(metrics) > 1
    values = np.stack([AGGREGATES[name](scores) for name in names], axis=1)
    labels = [f"{metric} {name}" if several else name for metric in metrics for name in names]
    coords: dict[Any, Any] = {
        name: coordinate for name, coordinate in scores.coords.items() if "metric" not in coordinate.dims
    }
    rises = [raised or name not in _IN_OWN_DIRECTION for raised in higher for name in names]
    made = xr.DataArray(
        values.reshape(-1, *values.shape[2:]),
        dims=DIMS,
        coords={**coords, "metric": label_array(labels, "metric"), "higher_is_better": ("metric", rises)},
        attrs=scores.attrs,
    )
    told = [_of_aggregates(note, metrics, names, labels) for note in scores.attrs.get("notes", ())]
    return as_scores(made.assign_attrs(notes=told) if told else made, missing="pairwise")


def _of_aggregates(note: str, metrics: Sequence[str], names: Sequence[str], labels: Sequence[str]) -> str:
    """Return what a note says of aggregates: how much runs move a mean, and of no other aggregate."""
    if not isinstance(note, RunVariances) or "mean" not in names:
        return str(note) if isinstance(note, RunVariances) else note
    by_metric = zip(metrics, labels[names.index("mean") :: len(names)], strict=True)
    return RunVariances(str(note), {label: note.runs[metric] for metric, label in by_metric if metric in note.runs})


def aggregate_table(scores: object, *, aggregates: Sequence[str] | None = None) -> pd.DataFrame:
    """Return every system's aggregates, and its rank under each.

    Parameters
    ----------
    scores, aggregates
        As in `aggregate_scores`.

    Returns
    -------
    pandas.DataFrame
        One row an aggregate and system: ``metric`` (the aggregate), ``system``, ``value``, ``rank`` (1 the best;
        systems whose values are equal up to rounding share the better rank).

    Raises
    ------
    ScoresError, InvalidOptionError
        As `aggregate_scores`.

    Examples
    --------
    >>> aggregate_table([[0.9, 0.5], [0.4, 0.5], [0.1, 0.2]], aggregates=["mean", "win rate"])["rank"].tolist()
    [1, 2, 3, 1, 2, 3]
    """
    made = aggregate_scores(scores, aggregates=aggregates)
    turned = structure.settled_mean_over_topics(made)
    ranks = 1 + (turned[:, None, :] > turned[:, :, None]).sum(axis=2)
    table = xr.Dataset(
        {"value": (DIMS[:2], structure.mean_over_topics(made)), "rank": (DIMS[:2], ranks)},
        coords={"metric": made["metric"].to_numpy(), "system": made["system"].to_numpy()},
    )
    return table.to_dataframe(dim_order=list(DIMS[:2])).reset_index()


def _mean(scores: Scores) -> Floats:
    return scores.to_numpy()


@in_one_order
def _macro_mean(scores: Scores) -> Floats:
    values, weights = scores.to_numpy(), structure.topic_weights(scores)
    names, cluster_index = np.unique(
        scores["cluster" if "cluster" in scores.coords else "stratum"], return_inverse=True
    )
    member = np.zeros((len(cluster_index), len(names)))
    member[np.arange(len(cluster_index)), cluster_index] = weights
    observed = np.isfinite(values)
    sizes = observed @ member
    if not sizes.all():
        rule = structure.not_in_all_clusters(
            (sizes == 0.0).any(axis=0), scores["system"].to_numpy(), names, unit_of(scores)
        )
        raise ScoresError(f"a macro mean needs {rule}")
    macro = (np.where(observed, values, 0.0) @ member / sizes).mean(axis=2)[..., None]
    factor = sizes.sum(axis=2, keepdims=True) / (len(names) * sizes)
    topic_scores: Floats = macro + factor[..., cluster_index] * (values - macro)
    return topic_scores


def _borda(scores: Scores) -> Floats:
    """Return how many systems each one beats on every topic, ties half."""
    from scipy.stats import rankdata  # noqa: PLC0415 - a second

    by_topic = np.swapaxes(oriented_values(scores), 1, 2)
    observed = np.isfinite(by_topic)
    last = np.where(observed, settle(by_topic), np.inf)
    points = np.where(observed & (observed.sum(axis=2, keepdims=True) >= _PAIR), rankdata(last, axis=2) - 1.0, np.nan)
    return np.ascontiguousarray(np.swapaxes(points, 1, 2))


def _win_rate(scores: Scores) -> Floats:
    others = np.isfinite(scores.to_numpy()).sum(axis=1, keepdims=True) - 1.0
    return _borda(scores) / np.where(others > 0, others, np.nan)


def _z_score(scores: Scores) -> Floats:
    values = oriented_values(scores)
    observed = np.isfinite(values)
    n, left = observed.sum(axis=1, keepdims=True), less_mean(values)
    spread = np.sqrt((left**2).sum(axis=1, keepdims=True) / np.maximum(n - 1, 1))
    standardised = np.divide(left, spread, out=np.zeros_like(left), where=spread > 0.0)
    return np.where(observed & (n >= _PAIR), standardised, np.nan)


def _borda_of_all(scores: Scores) -> Floats:
    """Return points as MTEB gives them: a system without a score has none, and counts as beaten by all that have."""
    points = _borda(scores)
    missing = np.isnan(points)
    return np.where(missing, 0.0, points + missing.sum(axis=1, keepdims=True))


def _normal_standard(scores: Scores) -> Floats:
    return np.asarray(ndtr(_z_score(scores)))


def _uniform_standard(scores: Scores) -> Floats:
    return np.clip(_SLOPE * _z_score(scores) + 0.5, 0.0, 1.0)


def _empirical_standard(scores: Scores) -> Floats:
    from scipy.stats import rankdata  # noqa: PLC0415 - a second

    by_topic = np.swapaxes(oriented_values(scores), 1, 2)
    observed = np.isfinite(by_topic)
    n = observed.sum(axis=2, keepdims=True)
    last = np.where(observed, settle(by_topic), np.inf)
    shares = np.where(observed & (n >= _PAIR), rankdata(last, method="max", axis=2) / np.maximum(n, 1), np.nan)
    return np.ascontiguousarray(np.swapaxes(shares, 1, 2))


AGGREGATES: Mapping[str, Callable[[Scores], Floats]] = MappingProxyType(
    {
        "mean": _mean,
        MACRO: _macro_mean,
        "Borda": _borda,
        "win rate": _win_rate,
        "z-score": _z_score,
        "Borda (MTEB)": _borda_of_all,
        "N-std": _normal_standard,
        "U-std": _uniform_standard,
        "E-std": _empirical_standard,
    }
)
"""Every aggregate by its name, as a function of scores that gives its values, (metric, system, topic)."""
USUAL_AGGREGATES = tuple(AGGREGATES)[:5]
"""Those that are compared where none is named."""

_IN_OWN_DIRECTION = ("mean", MACRO)
