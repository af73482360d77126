"""What a judge's scores on many topics add to human scores on a few: prediction-powered comparisons of all pairs.

People decide what is estimated; the judge, who scored their topics and others too, only makes the answer sharper. A
judge that says nothing of the human differences adds nothing, and does no harm.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import stdtrit

from metaeval.base.arrays import Floats
from metaeval.base.checks import check_choice, check_share
from metaeval.base.names import count, first_few
from metaeval.base.results import Figure, Result
from metaeval.base.unit import unit
from metaeval.base.words import bracketed, number, p_value
from metaeval.errors import InvalidOptionError, ScoresError
from metaeval.tests_stat.correction import CORRECTIONS, adjust
from metaeval.tests_stat.judged_topics import EVERY_SYSTEM, JudgedTopics, judged_topics, topic_shift
from metaeval.tests_stat.rectified_means import (
    Estimand,
    Quantile,
    coordinates_of,
    human_and_judge_blocks,
    rectified_means,
)
from metaeval.tests_stat.result import by_p, is_significant
from metaeval.tests_stat.tails import student_p, student_tail

Side = Literal["two-sided", "greater", "less"]

_SIDES = ("", "human_")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PredictionPowered(Result):
    """Differences of all pairs of systems (or means) by people and judge together, and by people alone."""

    data: xr.Dataset
    """Dim ``pair`` with coordinates ``system_a`` and ``system_b``, or dim ``system``; variables

    - ``estimate`` with ``low`` and ``high``: mean of a minus mean of b (or a system's mean) in the human metric's
      own direction and unit; ``standard_error``, ``statistic``, ``degrees_of_freedom``;
    - ``human_estimate``, ``human_low``, ``human_high``: the same from the human topics alone, a paired t interval;
    - ``judge_weight``: lambda, how much the judge's scores count (0 not at all, 1 as human ones);
    - ``correlation`` of the human and the judge's differences over the human topics; NaN where one does not vary;
    - ``worth``: what one human topic is worth when the judge has scored any number of others;
    - ``n_equivalent``: how many human topics alone would give this variance;
    - of pairs also ``p_value``, ``p_corrected``, ``significant``, ``better`` (1 where a is, -1 where b is), and
      ``human_p_value``, ``human_p_corrected``, ``human_significant``.
    """
    shift: pd.DataFrame
    """Whether the judge scores the human topics as it does the others: see
    `metaeval.tests_stat.judged_topics.topic_shift`."""
    of: Estimand
    metric: str
    judge: str
    """What the human scores are of, and what the judge's are called."""
    n_topics: int
    n_judged: int
    """Topics that people and judge scored, and that the judge alone did."""
    n_systems: int
    alternative: Side
    quantile: Quantile
    correction: str
    confidence_level: float
    alpha: float
    notes: tuple[str, ...]
    """What was left out, and whether the two sets of topics differ."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a pair, the smallest p-value first, or a system: every variable of ``data``.

        ``winner`` is the system of the better mean of a pair.
        """
        rows = self._rows()
        return by_p(rows, "p_value") if self.of == "pairs" else rows

    def _rows(self) -> pd.DataFrame:
        frame = self.data.to_dataframe().reset_index(drop=self.of == "pairs")
        names = [name for name in ("system", "system_a", "system_b") if name in frame]
        return frame[[*names, *self.data.data_vars]]

    def _found(self) -> str:
        if self.of == "means":
            named = zip(self.data["system"].to_numpy().tolist(), self._written(1.0), strict=True)
            return f"mean {self.metric} by people and judge together: {first_few([' '.join(pair) for pair in named])}"
        if self.data.sizes["pair"] == 1:
            return self._of_one_pair()
        n_significant, alone = (int(self.data[name].sum()) for name in ("significant", "human_significant"))
        pairs = count(self.data.sizes["pair"], "pair")
        alone_by = f"{alone:,} by the human {unit().topics} alone"
        return f"{n_significant:,} of {pairs} differ significantly under {self.metric}, {alone_by}"

    def _written(self, sign: float) -> list[str]:
        """Return the estimates with their intervals, those of b less a where `sign` is -1."""
        ends = [(sign * self.data[name]).to_numpy().tolist() for name in ("estimate", "low", "high")]
        rows = zip(*ends, strict=True)
        return [bracketed(value, min(low, high), max(low, high), number(3)) for value, low, high in rows]

    def _of_one_pair(self) -> str:
        """Say who is ahead, by how much, and whether the two differ with the judge and without."""
        better, significant, alone = (self.data[name].item() for name in ("better", "significant", "human_significant"))
        sides, sign = [str(self.data[side].item()) for side in ("system_a", "system_b")], -1.0 if better < 0 else 1.0
        ahead, behind = sides[::-1] if better < 0 else sides
        told = "is significantly better than" if significant else "does not differ significantly from"
        p = p_value(self.data["p_corrected"].item())
        human = f"the human {unit().topics} alone {'say so too' if alone == significant else 'do not say so'}"
        by = f"by {self._written(sign)[0]} by people and judge together (p {p})"
        return f"{ahead} {told} {behind} under {self.metric}, {by}; {human}"

    def significant_pairs(self) -> pd.DataFrame:
        """Return the significant pairs, the largest difference first.

        Columns ``better`` and ``worse`` (systems), ``estimate`` (how far the better one is ahead; positive whichever
        direction the metric has), ``p_corrected`` and ``human_significant``: whether the human topics alone would say
        so too.

        Raises
        ------
        InvalidOptionError
            If means were asked for, which no test is about.
        """
        if self.of == "means":
            raise InvalidOptionError("no test is about the means of single systems; ask for `of='pairs'`")
        frame = self._rows().query("significant")
        ahead = (frame["better"] > 0).to_numpy()
        pairs = pd.DataFrame(
            {
                "better": np.where(ahead, frame["system_a"], frame["system_b"]),
                "worse": np.where(ahead, frame["system_b"], frame["system_a"]),
                "estimate": frame["estimate"].abs(),
                "p_corrected": frame["p_corrected"],
                "human_significant": frame["human_significant"],
            }
        )
        return pairs.sort_values("estimate", ascending=False, kind="stable", ignore_index=True)

    def _draw(self, *, n_rows: int = 12) -> Figure:
        """Draw the intervals with and without the judge, of the pairs (or systems) that gain most by it."""
        from metaeval.figures.powered import gained_intervals  # noqa: PLC0415 - matplotlib

        frame = self.to_frame().sort_values("n_equivalent", ascending=False, kind="stable").head(n_rows)
        names = frame["system"] if self.of == "means" else frame["system_a"] + " − " + frame["system_b"]  # noqa: RUF001 - minus
        return gained_intervals(
            frame.assign(label=names), self.metric, n_topics=self.n_topics, differences=self.of == "pairs"
        )


def prediction_powered(  # noqa: PLR0913 - one keyword per choice
    human: object,
    judge: object,
    *,
    of: Estimand = "pairs",
    alternative: Side = "two-sided",
    quantile: Quantile = "t",
    confidence_level: float = 0.95,
    correction: str = "fdr_by",
    alpha: float = 0.05,
) -> PredictionPowered:
    r"""Test which systems differ, from human scores on some topics and a judge's scores on these and more.

    Parameters
    ----------
    human : Scores or anything `metaeval.as_scores` takes
        One metric under the labels of people, on n topics (at least 3).
    judge : Scores or anything `metaeval.as_scores` takes
        One metric under the labels of a judge: the same systems, on those topics **and** on N others, matched by name.
        Take the unit of the human scores: a weight above 1 is never given.
    of : {"pairs", "means"}
        Differences of all pairs, or the mean of every system.
    alternative : {"two-sided", "greater", "less"}
        Of the tests: is the first system of a pair another, a better, a worse one? Intervals have two ends always.
    quantile : {"t", "normal"}
        Student's t with errors that hold for few topics, or the normal quantile with plain variances, which is what
        the package ppi_py does and is too narrow for few topics (see Notes).
    confidence_level : float, default 0.95
    correction : str, default "fdr_by"
        Over all pairs; see `metaeval.tests_stat.correction.adjust`.
    alpha : float, default 0.05
        Significance level, also of the test that compares the two sets of topics.

    Returns
    -------
    PredictionPowered
        One row a pair of systems (``system_a``, ``system_b``) in ``to_frame()``: ``estimate`` of the difference in
        units of the human scores with ``low``, ``high`` and ``standard_error``, its ``statistic`` with
        ``degrees_of_freedom``, ``p_value`` and ``p_corrected``, whether it is ``significant`` and the ``winner``, whose
        mean is better ("" where they are equal); ``human_estimate``, ``human_low``, ``human_high``,
        ``human_standard_error``, ``human_p_value``, ``human_p_corrected`` and ``human_significant`` by the human labels
        alone; the ``judge_weight``, the ``correlation`` of judge and people (-1 to 1), the ``worth`` of the judge as a
        factor of human labels, and ``n_equivalent`` labels. NaN where nothing varies.

    Raises
    ------
    ScoresError
        If there are gaps, other systems, fewer than three topics in common, or no topic that the judge alone scored.
    InvalidOptionError
        For more than one metric; for clusters, strata and weights of topics; for an option outside its rule.

    See Also
    --------
    metaeval.models.judge_worth.topics_with_judge
    metaeval.paired_t_test

    Notes
    -----
    With Y the human differences of a pair and f the judge's, on the n topics and on the N others [1]_:

    .. math:: \hat\theta = \bar Y_n - \lambda (\bar f_n - \bar f_N), \qquad
              \lambda = \frac{cov(Y, f)}{(1 + n/N) \, var(f)} \text{, held between 0 and 1}

    (cov over the n topics with divisor n, var over all n + N with n + N - 1). This \lambda makes the variance least
    [2]_, and 0 gives the paired t test itself. Whatever the judge does, the estimate is of the mean human difference,
    provided that the n topics and the N are drawn from the same population; ``shift`` tests what can be seen of that,
    by the judge's own scores, and ``notes`` warns. With a correlation \rho the interval's width shrinks by about
    :math:`\sqrt{1 - \rho^2 N/(n + N)}`, so in the limit a human topic is worth :math:`1/(1 - \rho^2)` ("worth"; less
    where \lambda is cut at 1, and 1 where it is 0).

    "normal": :math:`V = var(Y - \lambda f)/n + \lambda^2 var_N(f)/N` with divisors n and N, as ppi_py 0.2.3.

    "t": that interval, even with n - 1 degrees of freedom and divisors, covers .93 at n = 10 where .95 is asked
    (``benchmarks/reports/prediction-powered-coverage.md``), because \lambda was fitted on the same topics. So, as for a
    regression estimator under double sampling [3]_, with SS a sum of squares about the mean, :math:`s_e^2` the residual
    variance of Y on f (divisor n - 2), and :math:`s_f^2` the variance of f inside the two sets, pooled:

    .. math:: V = \underbrace{\frac{SS(Y - \lambda f)}{(n - 2) n} +
              s_e^2 \frac{g^2 (\bar f_n - \bar f_N)^2}{SS_n(f)}}_{V_1} +
              \underbrace{\frac{\lambda^2 s_f^2}{N}}_{V_2}, \qquad g = \lambda \frac{SS_n(f)}{SS_n(Y, f)}

    The second term is what the error of \lambda adds (0 where it was cut). Degrees of freedom are Satterthwaite's,
    :math:`V^2 / (V_1^2/(n - 2) + V_2^2/(n + N - 2))`: the judge's part is known from many topics.

    Where nothing varies the answer is plain, as in `metaeval.paired_t_test`: equal systems have p = 1, a difference
    that is the same everywhere that of random signs. A judge whose differences do not vary has weight 0.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023). Prediction-powered inference. Science 382, 669-674.
       :doi:`10.1126/science.adi6000`
    .. [2] Angelopoulos, Duchi and Zrnic (2023). PPI++: Efficient prediction-powered inference. arXiv 2311.01453,
       section 6.
    .. [3] Cochran (1977). Sampling Techniques, chapter 12.

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=8, n_topics=300, metrics=["AP", "nDCG@10"], rng=1)
    >>> human = scores.sel(metric=["AP"]).isel(topic=slice(30))
    >>> found = prediction_powered(human, scores.sel(metric=["nDCG@10"]))
    >>> found.n_topics, found.n_judged, found.data["n_equivalent"].median().item() > 35
    (30, 270, True)
    """
    method = "prediction-powered inference"
    check_choice(of, "of", get_args(Estimand))
    check_choice(alternative, "alternative", get_args(Side))
    check_choice(quantile, "quantile", get_args(Quantile))
    check_share(confidence_level, "confidence_level")
    check_share(alpha, "alpha")
    correction = CORRECTIONS.find(correction).name
    laid = judged_topics(human, judge, what=method, systems_at_least=1)
    if of == "pairs" and len(laid.systems) == 1:
        raise ScoresError(f"a pair needs two systems, and there is only {laid.systems[0]!r}: pass `of='means'`")
    if not laid.n_judged:
        raise ScoresError(
            f"{method} needs {unit().topics} that the judge alone scored, and all of the judge's {laid.n_topics} are "
            f"judged by people too: add the judge's scores on other {unit().topics}, or use paired_t_test(human)"
        )
    parts = [rectified_means(*block, quantile) for block in human_and_judge_blocks(laid, of)]
    estimates = {name: np.concatenate([fields[name] for fields in parts]) for name in parts[0]}
    dim = "pair" if of == "pairs" else "system"
    columns: dict[str, NDArray[np.generic]] = {}
    for side in _SIDES:
        columns |= _interval(estimates, side, laid, confidence_level)
        if of == "pairs":
            columns |= _test(estimates, side, laid, alternative, correction, alpha)
    if of == "pairs":
        columns["better"] = np.sign(estimates["estimate"]).astype(np.int8)
    extras = {name: estimates[name] for name in ("judge_weight", "correlation", "worth", "n_equivalent")}
    shift = topic_shift(laid, correction=correction)
    return PredictionPowered(
        data=xr.Dataset(
            {name: (dim, values) for name, values in {**columns, **extras}.items()},
            coords=coordinates_of(laid, of),
        ),
        shift=shift,
        of=of,
        metric=laid.metric,
        judge=laid.judge_name,
        n_topics=laid.n_topics,
        n_judged=laid.n_judged,
        n_systems=len(laid.systems),
        alternative=alternative,
        quantile=quantile,
        correction=correction,
        confidence_level=float(confidence_level),
        alpha=float(alpha),
        notes=(*laid.notes, *_warnings(shift, laid, alpha)),
    )


def _interval(found: Mapping[str, Floats], side: str, laid: JudgedTopics, level: float) -> dict[str, Floats]:
    """Return the estimates with their intervals in the metric's own direction; without the judge it is Student's."""
    estimate, error = found[f"{side}estimate"], found[f"{side}standard_error"]
    freedom = found["degrees_of_freedom"] if not side else np.full_like(error, laid.n_topics - 1.0)
    statistic = _statistic(estimate, error)
    reach = stdtrit(freedom, 0.5 + level / 2)  # with infinite degrees of freedom that of the normal law
    turned = laid.direction * estimate
    columns = {
        f"{side}estimate": turned,
        f"{side}low": turned - reach * error,
        f"{side}high": turned + reach * error,
        f"{side}standard_error": error,
    }
    return columns if side else {**columns, "statistic": laid.direction * statistic, "degrees_of_freedom": freedom}


def _test(  # noqa: PLR0913, PLR0917 - what a test needs
    found: Mapping[str, Floats], side: str, laid: JudgedTopics, alternative: Side, correction: str, alpha: float
) -> dict[str, NDArray[np.generic]]:
    statistic = _statistic(found[f"{side}estimate"], found[f"{side}standard_error"])

    freedom = found["degrees_of_freedom"] if not side else laid.n_topics - 1.0
    if alternative == "two-sided":
        p_value = student_p(freedom, statistic, laid.n_topics).p
    else:
        certain = (statistic == 0.0) & (found[f"{side}standard_error"] == 0.0)  # equal wherever they can be seen
        turned = -statistic if alternative == "greater" else statistic
        p_value = student_tail(freedom, turned, laid.n_topics).certain(certain).p
    corrected = adjust(p_value, correction)
    return {
        f"{side}p_value": p_value,
        f"{side}p_corrected": corrected,
        f"{side}significant": is_significant(corrected, alpha),
    }


def _statistic(estimate: Floats, error: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(estimate == 0.0, 0.0, estimate / error)


def _warnings(shift: pd.DataFrame, laid: JudgedTopics, alpha: float) -> list[str]:
    """Say whether the judge scores the human topics otherwise than the rest."""
    if not np.ptp(laid.judge, axis=1).any():
        note = (
            f"the judge's scores do not vary over the {laid.n_topics} {unit().topics} of the people, so that it has "
            f"weight 0 everywhere: see whether its labels of those {unit().topics} are there at all"
        )
        return [note]
    if laid.n_judged == 1:
        alone = f"one {unit().topic} that the judge alone scored"
        return [f"{alone} cannot show whether such {unit().topics} differ from those of the people"]
    overall = shift.iloc[0]
    differ = shift.iloc[1:].loc[lambda one: is_significant(one["p_corrected"].to_numpy(), alpha), "system"].tolist()
    seen = bool(is_significant(np.array([overall["p_value"]]), alpha)[0])
    if not seen and not differ:
        return []
    parts = []
    if seen:
        parts.append(
            f"the {EVERY_SYSTEM} is {overall['human_topics']:.3g} on the {laid.n_topics} {unit().topics} of the people "
            f"and {overall['other_topics']:.3g} on the {laid.n_judged} others (Welch's t, p = {overall['p_value']:.2g})"
        )
    if differ:
        parts.append(f"{len(differ)} of {len(laid.systems)} systems differ by themselves ({first_few(differ)})")
    return [
        "the judge does not score the topics that people judged as it scores the others: " + "; ".join(parts) + ". If "
        "the two are not drawn from one population, estimates lean towards the difference between them: draw the "
        f"{unit().topics} for the people at random from all, or take paired_t_test on the human {unit().topics}"
    ]
