"""Which of several metrics to use: a verdict only where one is surely as good in everything and better in one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import numpy as np
import pandas as pd
from scipy.stats import t as student

from metaeval.base.results import Result
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.resampling.stability_result import Stability

NOT_WORSE = 0.95
"""Probability from which a metric is surely not worse in a quality."""

_SAME = 9
"""Decimals to which two probabilities that are equal, but summed in another order, agree."""

_PROBABILITIES = ["quality", "metric", "against", "p_better", "p_not_worse"]
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
    """One row a quality and ordered pair: ``quality``, ``metric``, ``against``, ``p_better`` and ``p_not_worse``."""
    better: float
    """Probability from which a metric is surely better: that of an interval of the study that excludes zero."""
    broken: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Expectations of users that each metric breaks; empty where none could be tried."""
    vetoed: tuple[tuple[str, str], ...] = ()
    """Pairs whose first metric would be better than the second, but for an expectation that it alone breaks."""

    def to_frame(self) -> pd.DataFrame:
        """Return the table with a column ``surely``: "better", "not worse", or "" for neither."""
        sure = np.where(self.table["p_not_worse"] >= NOT_WORSE, "not worse", "")
        return self.table.assign(surely=np.where(self.table["p_better"] >= self.better, "better", sure))

    def nearest(self) -> pd.DataFrame:
        """Return the rows of the comparison that came nearest to a verdict for a change, or for a choice; ties all.

        Among the candidates against the metric in use; where none was named, the weakest comparison of the metric whose
        weakest is strongest.
        """
        frame = self.to_frame()
        strength = {
            (str(one), str(other)): (
                (rows["surely"] == "better").any(),
                rows["p_not_worse"].min().round(_SAME),
                rows["p_better"].max().round(_SAME),
            )
            for (one, other), rows in frame.groupby(["metric", "against"])
        }
        if self.current is not None:
            pairs = [pair for pair in strength if pair[1] == self.current]
        else:
            names = sorted({one for one, _ in strength})
            pairs = [min((pair for pair in strength if pair[0] == name), key=strength.__getitem__) for name in names]
        most = max(map(strength.__getitem__, pairs))
        found = [
            frame[frame["metric"].eq(a) & frame["against"].eq(b)] for a, b in sorted(pairs) if strength[a, b] == most
        ]
        return pd.concat(found, ignore_index=True)


def probability_positive(difference: float, error: float, freedom: int) -> tuple[float, float]:
    """Return the probabilities that a difference is above zero, and that it is not below.

    Examples
    --------
    >>> probability_positive(0.0, 0.1, 9), probability_positive(0.0, 0.0, 9), probability_positive(0.2, 0.0, 9)
    ((0.5, 0.5), (0.0, 1.0), (1.0, 1.0))
    """
    if error > 0:
        above = float(student.cdf(difference / error, freedom))
        return above, above
    return float(difference > 0), float(difference >= 0)


def difference_probabilities(quality: str, differences: pd.DataFrame, freedom: int) -> pd.DataFrame:
    """Return how probable it is that each metric of a pair is better, both ways, from differences and their errors."""
    rows = []
    for one, other, difference, error in differences[_DIFFERENCE].itertuples(index=False):
        for metric, against, sign in ((one, other, 1), (other, one, -1)):
            rows.append((quality, metric, against, *probability_positive(sign * difference, error, freedom)))
    return pd.DataFrame(rows, columns=_PROBABILITIES)


def topics_probabilities(posterior: BayesianErrorRate) -> pd.DataFrame:
    """Return how probable it is that each metric of a pair needs fewer topics."""
    fewer = posterior.fewer().rename(columns={"metric_a": "metric", "metric_b": "against"})
    return fewer.assign(quality="topics", p_better=fewer["p_fewer"], p_not_worse=fewer["p_fewer"])[_PROBABILITIES]


def robustness_probabilities(stability: Stability) -> pd.DataFrame:
    """Return how probable it is that each metric of a pair keeps more of its ranking with half of the judgments."""
    tau = stability.data["tau"]
    half = tau.isel(step=int(np.argmin(np.abs(tau["step"].to_numpy() - 50)))).transpose("replicate", "metric")
    rows = []
    for one, other in combinations(stability.metrics, 2):
        apart = half.sel(metric=one).to_numpy() - half.sel(metric=other).to_numpy()
        rows.append((one, other, apart.mean(), apart.std(ddof=1) / np.sqrt(len(apart))))
    known = pd.DataFrame(rows, columns=_DIFFERENCE).dropna(subset="standard_error")
    return difference_probabilities("tau_half", known, half.sizes["replicate"] - 1)


def verdict_of(
    table: pd.DataFrame,
    metrics: Sequence[str],
    *,
    current: str | None,
    confidence_level: float,
    broken: Mapping[str, Iterable[str]] = MappingProxyType({}),
) -> MetricVerdict:
    """Decide from the probabilities of every two metrics in every quality."""
    broke = {name: tuple(broken.get(name, ())) for name in metrics}
    better = 1 - (1 - confidence_level) / 2
    qualities = table["quality"].nunique()
    ahead = {
        (str(one), str(other))
        for (one, other), rows in table.groupby(["metric", "against"])
        if len(rows) == qualities and (rows["p_not_worse"] >= NOT_WORSE).all() and (rows["p_better"] >= better).any()
    }
    vetoed = {(one, other) for one, other in ahead if set(broke[one]) - set(broke[other])}
    ahead -= vetoed
    outcome: Outcome = "open"
    chosen: list[str] = []
    if current is None:
        chosen = [one for one in metrics if all((one, other) in ahead for other in metrics if other != one)]
        outcome = "adopt" if chosen else "open"
    else:
        candidates = [one for one in metrics if (one, current) in ahead]
        chosen = [one for one in candidates if not any((other, one) in ahead for other in candidates)]
        if chosen:
            outcome = "adopt"
        elif all((current, other) in ahead for other in metrics if other != current):
            outcome, chosen = "keep", [current]
    return MetricVerdict(
        outcome=outcome,
        metrics=tuple(sorted(chosen)),
        current=current,
        table=table,
        better=better,
        broken=broke,
        vetoed=tuple(sorted(vetoed)),
    )
