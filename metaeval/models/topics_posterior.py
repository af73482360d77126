"""How sure error rates and topic counts are: Bayesian models of one table of scores, one a tolerance, read together."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import expit, ndtri

from metaeval.errors import EstimationError
from metaeval.models.bayesian_model import MOST_SIZES, BayesianErrorRate, SwapEvidence, observe_error_rates
from metaeval.resampling.swap import ErrorRates
from metaeval.scores import Scores

__all__ = ["TopicsPosterior", "evidence_beside"]

FEWEST_REPLICATES = 150
"""Topic resamples that the covariance of the Bayesian model asks for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopicsPosterior:
    """How sure the error rates and the topic counts are: one Bayesian model a tolerance.

    Attributes
    ----------
    models : tuple of BayesianErrorRate
        One for every tolerance at which some metric could be estimated, tolerances ascending.
    metrics : tuple of str
        Every metric that was asked for, in order.
    """

    models: tuple[BayesianErrorRate, ...]
    metrics: tuple[str, ...]

    @property
    def ci_prob(self) -> float:
        """Probability of the intervals."""
        return self.models[0].ci_prob

    @property
    def family(self) -> str:
        """Name of the curve."""
        return self.models[0].family

    def counts(self) -> pd.DataFrame:
        """Return one row a metric and tolerance: median, low and high of the topics needed, and how likely it is that
        the topics at hand are enough (``p_enough``); ``design_effect`` is the number of comparisons counted for each
        that is worth an independent one, at the largest size; ``method`` is "fast" or "pymc"; ``note`` says why there
        is no number. A count past a million is infinite.
        """  # noqa: D205 - one sentence
        parts = []
        for model in self.models:
            effect = model.design_effect().groupby("metric", sort=False)["design_effect"].last().reset_index()
            counts = model.minimum_topics().merge(effect, on="metric", how="left")
            parts.append(counts.assign(tolerance=model.tolerance, method=model.method))
        columns = ["median", "low", "high", "p_enough", "extrapolated", "design_effect", "method", "note"]
        return self._ordered(pd.concat(parts, ignore_index=True))[["metric", "tolerance", *columns]]

    def curves(self, sizes: ArrayLike) -> pd.DataFrame:
        """Return one row a metric, tolerance and size: median, low and high of the error rate."""
        parts = [model.curve(sizes).assign(tolerance=model.tolerance) for model in self.models]
        frame = self._ordered(pd.concat(parts, ignore_index=True))
        return frame[["metric", "tolerance", "size", "median", "low", "high"]]

    def observed(self) -> pd.DataFrame:
        """Return one row a metric, tolerance and size that a model was fitted to: ``seen_low`` and ``seen_high``, the
        interval of the observed error rate by itself, before any curve, from its spread over resampled topics.
        """  # noqa: D205 - one sentence
        reach = ndtri((1 + self.ci_prob) / 2)
        parts = []
        for model in self.models:
            names = {"observed_size": "size", "logit_rate": "centre", "standard_error": "error"}
            centre, error = model.tree["observed_data"]["logit_rate"], model.tree["constant_data"]["standard_error"]
            frame = centre.to_dataset().assign(standard_error=error).to_dataframe().reset_index().rename(columns=names)
            low, high = (expit(frame["centre"] + sign * reach * frame["error"]) for sign in (-1, 1))
            parts.append(frame.assign(tolerance=model.tolerance, seen_low=low, seen_high=high).dropna())
        frame = self._ordered(pd.concat(parts, ignore_index=True))
        return frame[["metric", "tolerance", "size", "seen_low", "seen_high"]]

    def fewer(self) -> pd.DataFrame:
        """Return one row a tolerance and ordered pair of metrics: the probability that a needs fewer topics than b."""
        rows = [
            {"tolerance": model.tolerance, "metric_a": a, "metric_b": b, "p_fewer": model.p_fewer(a, b)}
            for model in self.models
            for a, b in permutations([name for name in self.metrics if name in model.metrics], 2)
        ]
        return pd.DataFrame(rows, columns=["tolerance", "metric_a", "metric_b", "p_fewer"])

    def _ordered(self, frame: pd.DataFrame) -> pd.DataFrame:
        order = {name: place for place, name in enumerate(self.metrics)}
        return frame.sort_values(
            ["metric", "tolerance"],
            key=lambda column: column.map(order) if column.name == "metric" else column,
            kind="stable",
            ignore_index=True,
        )


def evidence_beside(
    scores: Scores, rates: ErrorRates, *, n_topic_resamples: int, seed: int, n_threads: int | None
) -> SwapEvidence:
    """Count for the models what they need, once for all tolerances of the error rates beside which they stand."""
    if rates.sampling != "disjoint":
        message = f"the Bayesian model knows disjoint topic sets, not {rates.sampling}"
        raise EstimationError(message)
    return observe_error_rates(
        scores,
        tolerances=rates.tolerances,
        tolerance_unit=rates.tolerance_unit,
        sizes=_model_sizes(rates.sizes),
        n_trials=max(rates.n_trials, 2),
        n_topic_resamples=max(n_topic_resamples, FEWEST_REPLICATES, 4 * MOST_SIZES * len(rates.metrics)),
        rng=seed,
        n_threads=n_threads,
    )


def _model_sizes(sizes: Sequence[int]) -> list[int]:
    """Return at most eight of the sizes, evenly spaced in their logarithm as far as they allow it."""
    logs = np.log(sizes)
    wanted = np.linspace(logs[0], logs[-1], MOST_SIZES)
    return sorted({sizes[int(np.argmin(np.abs(logs - one)))] for one in wanted})
