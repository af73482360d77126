"""The variance that the design of a new collection takes, estimated from topics that were judged before.

Two variances occur. The paired t test and the interval take the variance of a *difference* between two systems on one
topic; the analysis of variance takes that of one system's score. With independent systems of equal variance the former
is twice the latter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from metaeval.base.checks import check_choice
from metaeval.base.results import Result
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.running.equality import centred
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.units import units_of
from metaeval.tests_stat.detectable_difference import named_pairs
from metaeval.tests_stat.robust import difference_estimates

SIZES = "the size of a topic set (with the means of clusters it counts clusters, as large as those at hand)"
"""What is asked of a pilot, for messages."""

type Floats = NDArray[np.float64]
VarianceMethod = Literal["residual", "within", "pairs"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PilotVariance(Result):
    """Variance per metric, from the scores at hand."""

    table: pd.DataFrame
    """One row a metric and collection, and a row "pooled" a metric where there are several: ``variance`` of one
    system's score, ``difference_variance`` (of a pair's difference on one topic, twice that), and the
    ``degrees_of_freedom`` that weigh a collection in the pooled row."""
    method: VarianceMethod
    of_pairs: Mapping[str, Floats]
    """Variance of the difference of every pair that was named, or of all pairs, by metric; of several collections one
    after the other, without pairs whose difference is the same on every topic."""

    def pooled(self) -> pd.DataFrame:
        """Return one row a metric: pooled over the collections, or as it is where there is one."""
        return self.table.groupby("metric", sort=False).tail(1).reset_index(drop=True)

    def to_frame(self) -> pd.DataFrame:
        """Return the table."""
        return self.table.copy()


def pilot_variance(
    scores: object,
    *,
    method: VarianceMethod = "residual",
    pairs: Sequence[tuple[str, str]] | None = None,
) -> PilotVariance:
    r"""Estimate the variance for a topic set design from existing scores.

    Parameters
    ----------
    scores : Scores, anything `metaeval.as_scores` takes, or a list or a mapping of collection name to Scores
        Several collections are pooled by degrees of freedom. (A mapping of metric to DataFrame is one collection.)
    method : {"residual", "within", "pairs"}
        "residual": of a two-way layout, systems and topics taken out; the difference variance is then the mean over
        all pairs, and the topics' own difficulty, which cancels in a paired comparison, does not count.
        "within": about each system's own mean, topics not taken out (Sakai's one-way estimate, larger).
        "pairs": from the differences of the pairs named.
    pairs : sequence of (str, str), optional
        Pairs of systems for ``method="pairs"``; their variances are averaged.

    Raises
    ------
    EstimationError
        If the systems do not differ from each other on any topic, so that there is no variance to plan with.
    ScoresError
        If the scores have gaps.
    InvalidOptionError
        If an option is outside its rule.

    Notes
    -----
    With m systems and n topics, :math:`V_{within} = \sum_{ij} (x_{ij} - \bar x_{i\cdot})^2 / (m (n - 1))` and
    :math:`V_{residual} = \sum_{ij} (x_{ij} - \bar x_{i\cdot} - \bar x_{\cdot j} + \bar x)^2 / ((m - 1)(n - 1))`
    ([1]_, section 2.2); :math:`\sigma_d^2 = 2 V`. Pooled: :math:`\sum_C \nu_C V_C / \sum_C \nu_C`.

    References
    ----------
    .. [1] Sakai (2016). Topic set size design. Information Retrieval Journal. :doi:`10.1007/s10791-015-9273-z`

    Examples
    --------
    >>> found = pilot_variance([[0.1, 0.5, 0.3], [0.2, 0.4, 0.6]]).pooled()
    >>> found["difference_variance"].round(4).tolist(), found["degrees_of_freedom"].tolist()
    ([0.04], [2])
    """
    check_choice(method, "method", get_args(VarianceMethod))
    if (method == "pairs") != bool(pairs):
        message = (
            f"`pairs` names the pairs of systems of `method='pairs'`; got `method={method!r}` and `pairs={pairs!r}`"
        )
        raise InvalidOptionError(message)
    rows = [
        {"collection": name, **row}
        for name, collection in _collections(scores).items()
        for row in _variances(collection, method, pairs)
    ]
    frame = pd.DataFrame(rows)
    if len(frame["collection"].unique()) > 1:
        frame = _with_pooled(frame)
    return PilotVariance(table=frame, method=method, of_pairs=_of_pairs(scores, pairs))


def _collections(scores: object) -> dict[str, object]:
    if isinstance(scores, Mapping) and not all(isinstance(value, pd.DataFrame) for value in scores.values()):
        return {str(name): value for name, value in scores.items()}
    if isinstance(scores, list) and scores and not np.isscalar(scores[0]) and hasattr(scores[0], "dims"):
        return {f"collection{number}": value for number, value in enumerate(scores, start=1)}
    return {"collection1": scores}


def _variances(
    collection: object, method: VarianceMethod, pairs: Sequence[tuple[str, str]] | None
) -> list[dict[str, object]]:
    scores = engine_scores(collection, SIZES)
    values = oriented_values(scores)
    if method == "pairs":
        variance, freedom = _pair_variance(values, scores, pairs or ())
    else:
        variance, freedom = _VARIANCES[method](values)
    if not variance.all():
        raise EstimationError(
            f"under {str(scores['metric'].to_numpy()[variance == 0][0])!r} there is no variance left to plan with "
            f"(the {method} variance): the systems differ by a constant, or not at all"
        )
    return [
        {
            "metric": str(metric),
            "variance": float(one),
            "difference_variance": 2.0 * float(one),
            "degrees_of_freedom": freedom,
        }
        for metric, one in zip(scores["metric"].to_numpy(), variance, strict=True)
    ]


def _of_pairs(scores: object, pairs: Sequence[tuple[str, str]] | None) -> dict[str, Floats]:
    found: dict[str, list[Floats]] = {}
    for one in _collections(scores).values():
        table = engine_scores(one, SIZES)
        error = difference_estimates(oriented_values(table), units_of(table), *named_pairs(table, pairs=pairs)).error
        for metric, own in zip(table["metric"].to_numpy(), error, strict=True):
            found.setdefault(str(metric), []).append(own[own > 0.0] ** 2 * table.sizes["topic"])
    return {metric: np.concatenate(parts) for metric, parts in found.items()}


def _within(values: Floats) -> tuple[Floats, int]:
    _, n_systems, n_topics = values.shape
    own, _ = centred(values, np.abs(values), axis=2)
    freedom = n_systems * (n_topics - 1)
    return (own**2).sum(axis=(1, 2)) / freedom, freedom


def _residual(values: Floats) -> tuple[Floats, int]:
    _, n_systems, n_topics = values.shape
    residual, _ = centred(*centred(values, np.abs(values), axis=2), axis=1)
    freedom = (n_systems - 1) * (n_topics - 1)
    return (residual**2).sum(axis=(1, 2)) / freedom, freedom


def _pair_variance(values: Floats, scores: Scores, pairs: Sequence[tuple[str, str]]) -> tuple[Floats, int]:
    first, second = named_pairs(scores, pairs=pairs)
    own, _ = centred(values[:, first] - values[:, second], np.abs(values[:, first]) + np.abs(values[:, second]), axis=2)
    freedom = values.shape[2] - 1
    return (own**2).sum(axis=2).mean(axis=1) / freedom / 2, len(pairs) * freedom


_VARIANCES: dict[str, Callable[[Floats], tuple[Floats, int]]] = {"residual": _residual, "within": _within}


def _with_pooled(frame: pd.DataFrame) -> pd.DataFrame:
    blocks = []
    for metric, block in frame.groupby("metric", sort=False):
        weight = block["degrees_of_freedom"]
        variance = float((block["variance"] * weight).sum() / weight.sum())
        pooled = {"collection": "pooled", "metric": metric, "variance": variance}
        pooled |= {"difference_variance": 2 * variance, "degrees_of_freedom": int(weight.sum())}
        blocks += [block, pd.DataFrame([pooled])]
    return pd.concat(blocks, ignore_index=True)
