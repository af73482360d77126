"""Which of several metrics to use: the one with surely more power; what else is known of it stands beside."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from metaeval.base.names import first_few, shortened
from metaeval.base.results import Result
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.resampling.stability_result import Stability
from metaeval.tests_stat.noncentral_t import detectable_shift, two_sided_power

DECIDES = "power"
"""The quality that decides; the others are shown, and said where they speak against a choice."""

DETECTED = 0.8
"""Chance with which a lead that a study can detect comes out."""

_SAME = 9
"""Decimals to which two probabilities that are equal, but summed in another order, agree."""

_PROBABILITIES = ["quality", "metric", "against", "p_better", "difference", "low", "high", "chance", "detectable"]
_DIFFERENCE = ["metric_a", "metric_b", "difference", "standard_error"]

type Outcome = Literal["adopt", "keep", "open"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricVerdict(Result):
    """Which metric to use, with the probabilities of all comparisons."""

    outcome: Outcome
    """Adopt `metrics`; keep the metric in use, which is better than every candidate; or no reason for a choice."""
    metrics: tuple[str, ...]
    """What to adopt or to keep; empty where the outcome is open."""
    current: str | None
    """The metric in use, if one was named."""
    table: pd.DataFrame
    """One row a quality and ordered pair: ``quality``, ``metric``, ``against``; ``p_better``; ``difference``, first
    minus second, with the ``low`` and ``high`` ends of its interval; ``chance``, that a difference as large is found in
    such a study, and ``detectable``, the one that is found in four of five. The last five are missing where the
    probability is a posterior's."""
    better: float
    """Probability from which a metric is surely better: that of an interval of the study that excludes zero."""
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Expectations of users that each metric breaks; empty where none could be tried."""
    vetoed: tuple[tuple[str, str], ...] = ()
    """Pairs whose first metric would be better than the second, but for an expectation that it alone breaks."""
    contradicted: tuple[tuple[str, str], ...] = ()
    """Pairs whose first metric has surely more power, but contradicts the significant pairs of the second."""

    def _found(self) -> str:
        return (
            f"{shortened(self.outcome)}: {first_few(self.metrics)}"
            if self.metrics
            else "open: no reason for a choice of a metric"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the table with a column ``surely``: "better" or ""."""
        return self.table.assign(surely=np.where(self.table["p_better"] >= self.better, "better", ""))

    def nearest(self) -> pd.DataFrame:
        """Return the comparisons in power that came nearest to a verdict for a change, or for a choice; ties all.

        Among the candidates against the metric in use; where none was named, the weakest comparison of the metric whose
        weakest is strongest.
        """
        frame = self.to_frame().query("quality == @DECIDES")
        strength = frame.assign(p=frame["p_better"].round(_SAME)).sort_values(["metric", "against"])
        if self.current is not None:
            strength = strength[strength["against"] == self.current]
        else:
            strength = strength.loc[strength.groupby("metric")["p"].idxmin()]
        return strength[strength["p"] == strength["p"].max()].drop(columns="p").reset_index(drop=True)


def difference_probabilities(
    quality: str, differences: pd.DataFrame, freedom: int, *, confidence_level: float
) -> pd.DataFrame:
    """Return how probable it is that each metric of a pair is better, both ways, from differences and their errors.

    With the chance that a true difference as large as the observed one is found, and the one found with that of
    `DETECTED`.

    Examples
    --------
    >>> found = pd.DataFrame([("A", "B", 0.2, 0.1), ("A", "C", 0.2, 0.0), ("B", "C", 0.0, 0.0)], columns=_DIFFERENCE)
    >>> told = difference_probabilities("power", found, 49, confidence_level=0.95)
    >>> told[["p_better", "chance", "detectable"]].round(3).to_numpy()[::2].tolist()
    [[0.974, 0.5, 0.286], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    turned = differences.assign(
        metric_a=differences["metric_b"], metric_b=differences["metric_a"], difference=-differences["difference"]
    )
    both = pd.concat([differences[_DIFFERENCE], turned[_DIFFERENCE]]).sort_index(kind="stable").reset_index(drop=True)
    lead, error = both["difference"].to_numpy(), both["standard_error"].to_numpy()
    known, alpha = error > 0, 1 - confidence_level
    ratio = np.divide(lead, error, out=np.where(lead > 0, np.inf, -np.inf), where=known)
    power = two_sided_power(np.where(known, ratio, 0), freedom, alpha=alpha)
    half = np.where(known, stdtrit(freedom, 1 - alpha / 2) * error, np.nan)
    return pd.DataFrame(
        {
            "quality": quality,
            "metric": both["metric_a"],
            "against": both["metric_b"],
            "p_better": stdtr(freedom, ratio),
            "difference": lead,
            "low": lead - half,
            "high": lead + half,
            "chance": np.where(known, power, lead != 0),
            "detectable": error * detectable_shift(freedom, alpha=alpha, power=DETECTED),
        }
    )


def topics_probabilities(posterior: BayesianErrorRate) -> pd.DataFrame:
    """Return how probable it is that each metric of a pair needs fewer topics."""
    fewer = posterior.fewer().rename(columns={"metric_a": "metric", "metric_b": "against"})
    told = fewer.assign(quality="topics", p_better=fewer["p_fewer"])
    return told.reindex(columns=_PROBABILITIES)


def robustness_probabilities(stability: Stability, *, confidence_level: float) -> pd.DataFrame:
    """Return how probable it is that each metric of a pair keeps more of its ranking with half of the judgments."""
    tau = stability.data["tau"]
    half = tau.isel(step=int(np.argmin(np.abs(tau["step"].to_numpy() - 50)))).transpose("replicate", "metric")
    rows = []
    for first, second in combinations(stability.metrics, 2):
        apart = half.sel(metric=first).to_numpy() - half.sel(metric=second).to_numpy()
        rows.append((first, second, apart.mean(), apart.std(ddof=1) / np.sqrt(len(apart))))
    differences = pd.DataFrame(rows, columns=_DIFFERENCE).dropna(subset="standard_error")
    freedom = half.sizes["replicate"] - 1
    return difference_probabilities("tau_half", differences, freedom, confidence_level=confidence_level)


def verdict_of(  # noqa: PLR0913 - what speaks against a metric that has more power
    table: pd.DataFrame,
    metrics: Sequence[str],
    *,
    current: str | None,
    confidence_level: float,
    broken: Mapping[str, Iterable[str]] = MappingProxyType({}),
    contradicting: Collection[tuple[str, str]] = (),
) -> MetricVerdict:
    """Decide from the probabilities of every two metrics in power, and from who contradicts whom."""
    broke = {name: tuple(broken.get(name, ())) for name in metrics}
    better = 1 - (1 - confidence_level) / 2
    sure = table[(table["quality"] == DECIDES) & (table["p_better"] >= better)]
    ahead = set(zip(sure["metric"], sure["against"], strict=True))
    vetoed = {(metric, rival) for metric, rival in ahead if set(broke[metric]) - set(broke[rival])}
    contradicted = (ahead - vetoed) & {*contradicting}
    ahead -= vetoed | contradicted
    outcome: Outcome = "open"
    chosen: list[str] = []
    if current is None:
        chosen = [metric for metric in metrics if all((metric, rival) in ahead for rival in metrics if rival != metric)]
        outcome = "adopt" if chosen else "open"
    else:
        candidates = [metric for metric in metrics if (metric, current) in ahead]
        chosen = [metric for metric in candidates if not any((rival, metric) in ahead for rival in candidates)]
        if chosen:
            outcome = "adopt"
        elif all((current, rival) in ahead for rival in metrics if rival != current):
            outcome, chosen = "keep", [current]
    return MetricVerdict(
        outcome=outcome,
        metrics=tuple(sorted(chosen)),
        current=current,
        table=table,
        better=better,
        broken=broke,
        vetoed=tuple(sorted(vetoed)),
        contradicted=tuple(sorted(contradicted)),
    )
