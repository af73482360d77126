"""What one collection says of every claim: an estimate with its variance, by the engine of the study that asks it."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logit, stdtrit

from metaeval.agreement.label_agreement import compare_labels, leading_kappa
from metaeval.agreement.labels import Labels
from metaeval.models.error_rate_model import bayesian_error_rate
from metaeval.models.judge_worth import topics_with_judge
from metaeval.resampling.agreement_interval import agreement_intervals
from metaeval.resampling.power_interval import discriminative_power_interval
from metaeval.resampling.swap import swap_method
from metaeval.table.scores import Scores, better_direction
from metaeval.tests_stat.comparison import compare_systems

KEYS = ("measure", "metric", "first", "second")
"""Which claim a row is about."""
_LEVEL = 0.95
_TOLERANCE = 0.1
_TWO = 2
_MIDDLE = (0.15865525393145707, 0.5, 0.8413447460685429)
"""Between which a normal variable lies one standard deviation from its mean."""


class Drawing(NamedTuple):
    """What draws, and what it decides by."""

    correction: str
    alpha: float
    n_topic_resamples: int
    rng: int
    n_threads: int | None


def differences(table: Scores, pairs: Sequence[tuple[str, str]] | None) -> pd.DataFrame:
    """Return the mean differences of pairs of systems, above 0 where the first is better, with paired variances."""
    systems = table["system"].to_numpy().tolist()
    if pairs is not None:
        named = {system for pair in pairs if {*pair} <= {*systems} for system in pair}
        systems = [system for system in systems if system in named]
    if len(systems) < _TWO:
        return _frame()
    tested = compare_systems(table.sel(system=systems), test="t", correction="none")
    columns = tested.data[["difference", "standard_error"]]
    freedom = tested.data.get("degrees_of_freedom", tested.n_topics - 1.0)  # given where it is not that of all topics
    rows = columns.assign(freedom=columns["difference"] * 0.0 + freedom).to_dataframe().reset_index()
    rows = rows.rename(columns={"system_a": "first", "system_b": "second"})
    direction = dict(zip(tested.metrics, better_direction(table), strict=True))
    rows["estimate"] = rows["difference"] * rows["metric"].map(direction)
    if pairs is not None:
        wanted = {frozenset(pair) for pair in pairs}
        rows = rows[[frozenset(pair) in wanted for pair in zip(rows["first"], rows["second"], strict=True)]]
    return _frame(rows.assign(measure="difference", variance=rows["standard_error"] ** 2))


def powers(table: Scores, *, drawing: Drawing) -> pd.DataFrame:
    """Return differences of discriminative power of every two metrics, with their variances over drawn topics."""
    intervals = discriminative_power_interval(
        table,
        corrections=[drawing.correction],
        alpha=drawing.alpha,
        n_topic_resamples=drawing.n_topic_resamples,
        rng=drawing.rng,
        n_threads=drawing.n_threads,
    )
    rows = intervals.differences().rename(columns={"metric_a": "first", "metric_b": "second"})
    return _frame(
        rows.assign(measure="power", metric="", estimate=rows["difference"], variance=rows["standard_error"] ** 2)
    )


def ratios_of_topics(table: Scores, *, drawing: Drawing) -> pd.DataFrame:
    """Return log ratios of the topics that the second and the first metric need, by the model of the error rate."""
    tolerance = _TOLERANCE if float(table.min()) >= 0.0 else 0.0
    counted = swap_method(table, tolerances=[tolerance], rng=drawing.rng, n_threads=drawing.n_threads)
    model = bayesian_error_rate(
        table, tolerances=[tolerance], observed=counted, rng=drawing.rng, n_threads=drawing.n_threads
    )
    draws = model.tree["posterior"]["minimum_topics"]
    low, middle, high = (np.log(draws.quantile(side, ("chain", "draw")).to_numpy()[:, 0]) for side in _MIDDLE)
    with np.errstate(invalid="ignore"):  # a count without end
        spread = (high - low) / 2.0
    rows = [
        ("topics", "", model.metrics[a], model.metrics[b], middle[b] - middle[a], spread[a] ** 2 + spread[b] ** 2)
        for a, b in combinations(range(len(model.metrics)), 2)
        if np.isfinite(middle[[a, b]]).all()
    ]
    return _frame(pd.DataFrame(rows, columns=[*KEYS, "estimate", "variance"]))


def agreements(table: Scores, *, drawing: Drawing) -> pd.DataFrame:
    """Return logits of how far the second metric's significant pairs are those of the first."""
    intervals = agreement_intervals(
        table,
        correction=drawing.correction,
        alphas=drawing.alpha,
        n_topic_resamples=drawing.n_topic_resamples,
        rng=drawing.rng,
        n_threads=drawing.n_threads,
    )
    order = {name: index for index, name in enumerate(table["metric"].to_numpy())}
    rows = intervals.to_frame()
    rows = rows[rows["truth"].map(order) < rows["predictor"].map(order)]
    rows = rows.rename(columns={"truth": "first", "predictor": "second"})
    t = stdtrit(intervals.freedom, (1.0 + intervals.confidence_level) / 2.0)
    parts = []
    for measure in ("f1", "precision", "recall"):
        value, low, high = (logit(rows[f"{measure}{end}"].to_numpy(dtype=float)) for end in ("", "_low", "_high"))
        variance = ((high - low) / (2.0 * t)) ** 2
        parts.append(rows.assign(measure=measure, estimate=value, variance=variance, freedom=intervals.freedom))
    return _frame(pd.concat(parts).assign(metric=""))


def kappas(labels: Labels, reference: str | None, drawing: Drawing) -> pd.DataFrame:
    """Return Fisher's z of the kappa of every judge with the reference, or of every two judges."""
    table = compare_labels(labels, reference=reference, confidence_level=_LEVEL, rng=drawing.rng).pairs
    name = leading_kappa(labels)
    units = table["items"] if labels.by_item else table["topics"]
    value, low, high = (table[f"{name}{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
    freedom = units.to_numpy() - 1.0
    spread = np.fmax(value - low, high - value) / stdtrit(freedom, (1.0 + _LEVEL) / 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # a kappa of 1
        estimate, variance = np.arctanh(value), (spread / (1.0 - value**2)) ** 2
    return _frame(table.assign(measure=name, metric="", estimate=estimate, variance=variance, freedom=freedom))


def worths(human_and_judge: tuple[object, object]) -> pd.DataFrame:
    """Return the logarithm of what a human topic is worth beside a judge, the mean over pairs of systems."""
    planned = topics_with_judge(*human_and_judge, confidence_level=_LEVEL)
    mean = planned.summary.loc["mean"]
    t = stdtrit(planned.n_pilot - 1.0, (1.0 + _LEVEL) / 2.0)
    variance = ((np.log(mean["worth_high"]) - np.log(mean["worth_low"])) / (2.0 * t)) ** 2
    about = dict(zip(KEYS, ("worth", planned.metric, planned.metric, planned.judge), strict=True))
    numbers = {"estimate": np.log(mean["worth"]), "variance": variance, "freedom": planned.n_pilot - 1.0}
    return _frame(pd.DataFrame([about | numbers]))


def _frame(rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return rows by the columns of all; without degrees of freedom the estimate counts as normal."""
    numbers = ("estimate", "variance", "freedom")
    made = pd.DataFrame({} if rows is None else rows, columns=[*KEYS, *numbers])
    return made.astype(dict.fromkeys(numbers, float)).fillna({"freedom": np.inf})
