"""The variance that the design of a new collection takes, estimated from topics that were judged before.

Two variances occur. The paired t test and the interval take the variance of a *difference* between two systems on one
topic; the analysis of variance takes that of one system's score. With independent systems of equal variance the former
is twice the latter.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_count
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.base.words import span, two_digits
from metaeval.errors import EstimationError, InvalidOptionError
from metaeval.models.run_designs import RunParts
from metaeval.running.equality import centred
from metaeval.table.scores import Scores, oriented_values
from metaeval.table.structure import engine_scores
from metaeval.table.units import units_of
from metaeval.tests_stat.detectable_difference import named_pairs
from metaeval.tests_stat.robust import difference_estimates

SIZES = "the size of a topic set (with the means of clusters it counts clusters, as large as those at hand)"
"""What is asked of a pilot, for messages."""

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
    after the other, 0 where they are a constant apart, and without pairs that are equal on every topic."""

    def pooled(self) -> pd.DataFrame:
        """Return one row a metric: pooled over the collections, or as it is where there is one."""
        return self.table.groupby("metric", sort=False).tail(1).reset_index(drop=True)

    def _found(self) -> str:
        rows = self.pooled()
        written = span(rows["metric"], rows["variance"], map(two_digits, rows["variance"]))
        return f"the variance of a system's score is {written}"

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

    Returns
    -------
    PilotVariance
        One row a ``collection`` and ``metric`` in ``to_frame()``: ``variance`` of a system's score and
        ``difference_variance`` of a pair's difference on one topic (squared units of the metric), with
        ``degrees_of_freedom``. Of several collections, the rows "pooled" combine them.

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


def score_variances(components: pd.DataFrame, *, judges: int = 1, repeats: int = 1) -> dict[str, float]:
    r"""Return by metric the variance of one system's score on a topic, from components of variance.

    Parameters
    ----------
    components : DataFrame
        ``metric``, ``component`` and ``variance``, as in `metaeval.models.VarianceComponents.components`.
    judges, repeats : int, default 1
        That a score is to be the mean of.

    Raises
    ------
    InvalidOptionError
        If components are not of systems on topics, topics come in clusters, or nothing is known of judges or repeats.
    EstimationError
        If there is no variance left to plan with.

    Notes
    -----
    :math:`\sigma^2_{si} + \sigma^2_{sij} / m + \sigma^2_r / (m k)` with m judges and k repeats. What systems have in
    common with judges or seeds stays however many topics there are, and is no part of it; of seeds see `repeat_parts`.

    Examples
    --------
    >>> parts = [("AP", "system", 0.1), ("AP", "topic", 0.4), ("AP", "system x topic", 0.2), ("AP", "repeat", 0.3)]
    >>> frame = pd.DataFrame(parts, columns=["metric", "component", "variance"])
    >>> {name: round(value, 3) for name, value in score_variances(frame, repeats=3).items()}
    {'AP': 0.3}
    """
    divided = {"judge": check_count(judges, "judges"), "repeat": check_count(repeats, "repeats")}
    variances = {}
    for metric, rows in components.groupby("metric", sort=False):
        parts = _by_facets(rows)
        _check_planned(str(rows["component"].iloc[0]), parts, divided)
        variances[str(metric)] = sum(
            float(variance) / math.prod(number for name, number in divided.items() if name in names)
            for names, variance in parts.items()
            if {"system", "topic"} <= names
        )
        if not variances[str(metric)] > 0:
            raise EstimationError(f"under {str(metric)!r} there is no variance left to plan with")
    return variances


def repeat_parts(components: pd.DataFrame, *, judges: int = 1, repeats: int = 1) -> dict[str, RunParts]:
    """Return by metric what repeats add to the variance of a system; only of metrics where whole runs differ.

    Examples
    --------
    >>> parts = [("system", 0.1), ("system x topic", 0.2), ("system x repeat", 0.01), ("system x topic x repeat", 0.3)]
    >>> frame = pd.DataFrame([("AP", *part) for part in parts], columns=["metric", "component", "variance"])
    >>> repeat_parts(frame, repeats=3)
    {'AP': RunParts(repeats=3, run=0.01, score=0.3)}
    """
    told = {}
    for metric, rows in components.groupby("metric", sort=False):
        of_systems = {
            names: float(variance) / (judges if "judge" in names else 1)
            for names, variance in _by_facets(rows).items()
            if {"system", "repeat"} <= names
        }
        run, score = (
            sum(variance for names, variance in of_systems.items() if ("topic" in names) is on_topics)
            for on_topics in (False, True)
        )
        if run > 0.0:
            told[str(metric)] = RunParts(repeats=repeats, run=run, score=score)
    return told


def _by_facets(rows: pd.DataFrame) -> dict[frozenset[str], float]:
    """Return the variances of one metric by what each is of; repeats of a score are of all facets."""
    parts = dict(
        zip((frozenset(str(label).split(" x ")) for label in rows["component"]), rows["variance"], strict=True)
    )
    cell, shared = frozenset({"repeat"}), frozenset({"system", "topic", "repeat"})
    if cell in parts and shared not in parts:
        of_all = frozenset().union(*parts)
        parts[of_all] = parts.pop(cell)
    return parts


def _check_planned(first: str, parts: Mapping[frozenset[str], float], divided: Mapping[str, int]) -> None:
    """Refuse components that do not say how a difference of two systems varies over topics."""
    if first != "system":
        raise InvalidOptionError(f"a plan of {unit().topics} takes components of systems; these are of {first}s")
    if frozenset({"system", "cluster"}) in parts:
        raise InvalidOptionError(
            f"these {unit().topics} come in {unit().clusters}, so their number alone does not say how far a mean "
            f"varies; plan with the {unit().topics} and {unit().clusters} that the page of metaeval components has for "
            "a dependability"
        )
    for name, number in divided.items():
        if number > 1 and not any(name in facets for facets in parts):
            raise InvalidOptionError(f"`{name}s` above 1: these components say nothing of {name}s")


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
            "variance": float(value),
            "difference_variance": 2.0 * float(value),
            "degrees_of_freedom": freedom,
        }
        for metric, value in zip(scores["metric"].to_numpy(), variance, strict=True)
    ]


def _of_pairs(scores: object, pairs: Sequence[tuple[str, str]] | None) -> dict[str, Floats]:
    variances: dict[str, list[Floats]] = {}
    for collection in _collections(scores).values():
        table = engine_scores(collection, SIZES)
        differences = difference_estimates(oriented_values(table), units_of(table), *named_pairs(table, pairs=pairs))
        for metric, errors, apart in zip(table["metric"].to_numpy(), differences.error, differences.apart, strict=True):
            variances.setdefault(str(metric), []).append(errors[apart > 0.0] ** 2 * table.sizes["topic"])
    return {metric: np.concatenate(parts) for metric, parts in variances.items()}


def _within(values: Floats) -> tuple[Floats, int]:
    _, n_systems, n_topics = values.shape
    residuals, _ = centred(values, np.abs(values), axis=2)
    freedom = n_systems * (n_topics - 1)
    return (residuals**2).sum(axis=(1, 2)) / freedom, freedom


def _residual(values: Floats) -> tuple[Floats, int]:
    _, n_systems, n_topics = values.shape
    residual, _ = centred(*centred(values, np.abs(values), axis=2), axis=1)
    freedom = (n_systems - 1) * (n_topics - 1)
    return (residual**2).sum(axis=(1, 2)) / freedom, freedom


def _pair_variance(values: Floats, scores: Scores, pairs: Sequence[tuple[str, str]]) -> tuple[Floats, int]:
    first, second = named_pairs(scores, pairs=pairs)
    residuals, _ = centred(
        values[:, first] - values[:, second], np.abs(values[:, first]) + np.abs(values[:, second]), axis=2
    )
    freedom = values.shape[2] - 1
    return (residuals**2).sum(axis=2).mean(axis=1) / freedom / 2, len(pairs) * freedom


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
