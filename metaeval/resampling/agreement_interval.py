"""How sure is the agreement of two metrics? Intervals for shares, precision, recall and F1 by resampling topics."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtri

from metaeval.agreement.decisions import (
    SHARES,
    DecisionAgreement,
    agreement_counts,
    agreement_errors,
    agreement_shares,
    decision_agreement,
)
from metaeval.base.arrays import Floats, Ints
from metaeval.base.checks import MOST_REPLICATES, check_count, check_share
from metaeval.base.results import Figure, Result
from metaeval.base.words import number, span_of
from metaeval.resampling.options import check_resampling
from metaeval.resampling.power_interval import PowerIntervals, discriminative_power_interval
from metaeval.resampling.share_intervals import share_interval, shrinkage
from metaeval.resampling.topic_resamples import (
    all_tied,
    ask_again,
    count_rejected,
    less,
    squared_ratios,
    student_ratios,
)
from metaeval.running.draws import RNGLike, bootstrap_counts, resolve_rng
from metaeval.running.parallel import track
from metaeval.table.scores import Scores, better_direction
from metaeval.table.structure import engine_scores
from metaeval.table.units import check_resampling_of, units_of
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE
from metaeval.tests_stat.counting import tile_pool
from metaeval.tests_stat.pairs import PValueRule, Question, ask
from metaeval.tests_stat.result import PairwiseResult

_FEWEST_DEFINED = 0.9
_RESAMPLES_AT_ONCE = 32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreementIntervals(Result):
    """Shares, precision, recall and F1 with intervals over topics.

    Attributes
    ----------
    n_topics, n_topic_resamples : int
    """

    agreement: DecisionAgreement
    """On the topics at hand."""
    resampled: xr.Dataset
    """The same on resampled topics, with the means of the systems drawn together: ``share`` (resample, alpha, metric)
    and `metaeval.agreement.decisions.SHARES` (resample, alpha, predictor, truth), NaN where undefined."""
    powers: tuple[PowerIntervals, ...]
    """Discriminative power with its intervals, one a level, uncorrected (where the test has such p-values) and under
    the correction of the agreement."""
    confidence_level: float
    n_topics: int
    freedom: int
    """Of the spread over resamples; see `metaeval.resampling.power_interval.PowerIntervals`."""
    n_topic_resamples: int
    random_source: str
    """Where the draws came from."""

    def _found(self) -> str:
        rows = self.to_frame().query("alpha == alpha.iloc[0]")
        pairs = map(" and ".join, np.sort(rows[["truth", "predictor"]].to_numpy(str)))  # F1 has no direction
        f1 = span_of(pairs, *(rows[name] for name in ("f1", "f1_low", "f1_high")), write=number(2))
        return f"F1 of the significant pairs of two metrics is {f1}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows of `DecisionAgreement.to_frame` with ``_low`` and ``_high`` beside `SHARES`."""
        frame = self.agreement.to_frame()
        names = list(self.agreement.metrics)
        alpha = [self.agreement.alphas.index(value) for value in frame["alpha"]]
        predictor, truth = ([names.index(name) for name in frame[side]] for side in ("predictor", "truth"))
        for measure in SHARES:
            low, high = self._bounds(measure)
            frame[f"{measure}_low"], frame[f"{measure}_high"] = (
                low[alpha, predictor, truth],
                high[alpha, predictor, truth],
            )
        return frame

    def _draw(self, *, min_f1: float = 0.9) -> Figure:
        """Draw F1 of every two metrics with its interval, least agreement first, and a line at `min_f1`."""
        from metaeval.figures.agreement import agreement_rows  # noqa: PLC0415 - matplotlib

        order = {name: position for position, name in enumerate(self.agreement.metrics)}
        frame = self.to_frame()
        rows = frame[frame["truth"].map(order) < frame["predictor"].map(order)]  # F1 is the same both ways
        if len(self.agreement.alphas) > 1:
            rows = rows.assign(group=[f"alpha = {alpha:g}" for alpha in rows["alpha"]])
        rows = rows.assign(label=rows["truth"] + " and " + rows["predictor"])
        return agreement_rows(rows.sort_values(["alpha", "f1"], kind="stable"), min_f1=min_f1)

    def shares(self) -> pd.DataFrame:
        """Return one row a level and metric: alpha, metric, n_significant, share, low, high.

        The bounds are those of `discriminative_power_interval`, which a share of significant pairs is.
        """
        intervals = pd.concat([power.to_frame() for power in self.powers])
        intervals = intervals[intervals["correction"] == self.agreement.result.correction]
        data = self.agreement.data
        frame = (
            data[["n_significant", "share"]].to_dataframe().reset_index()[["alpha", "metric", "n_significant", "share"]]
        )
        return frame.assign(low=intervals["low"].to_numpy(), high=intervals["high"].to_numpy())

    def _bounds(self, measure: str) -> tuple[Floats, Floats]:
        values, observed = self.resampled[measure].to_numpy(), self.agreement.data[measure].to_numpy()
        size, start = (2.0, -1.0) if measure == "mcc" else (1.0, 0.0)  # as a share
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # all undefined: no interval, said below
            level = self.confidence_level
            bounds = share_interval(
                (observed - start) / size,
                (values - start) / size,
                freedom=self.freedom,
                confidence_level=level,
                around_share=True,
            )
        defined = np.isfinite(values).mean(axis=0) >= _FEWEST_DEFINED
        low, high = (np.where(defined, start + size * bound, np.nan) for bound in bounds)
        return low, high


def agreement_intervals(  # noqa: PLR0913 - one keyword per choice
    scores: object,
    *,
    test: str = "t",
    correction: str | None = None,
    alphas: float | Sequence[float] = 0.05,
    n_resamples: int | None = None,
    n_topic_resamples: int = 200,
    confidence_level: float = 0.95,
    agreement: DecisionAgreement | None = None,
    rng: RNGLike = None,
    n_jobs: int | None = None,
    n_threads: int | None = None,
) -> AgreementIntervals:
    r"""Compute intervals over topics for the agreement between metrics.

    What is covered is the *expected* share, precision, recall or F1 of a sample of T topics from the population that
    the T at hand came from, with the same systems and test.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        At least two metrics.
    test, correction, alphas, n_resamples
        As in `metaeval.agreement.decisions.decision_agreement`.
    n_topic_resamples : int, default 200
        How often the topics are drawn anew.
    confidence_level : float, default 0.95
    agreement : DecisionAgreement, optional
        What was found on the topics at hand, if it is known already; its test, correction and levels are then used.
    rng : None, int or numpy.random.Generator
        Three streams come from it: the tests on the topics at hand draw as they would alone with the same seed, the
        topics are drawn from a child of it, and discriminative power has the intervals that
        `discriminative_power_interval` gives it with the same seed.
    n_jobs : int, optional
        Worker processes where topics have clusters, strata or weights. By default those that
        ``joblib.parallel_config`` names around the call, else none.
    n_threads : int, optional
        Cores to use; workers share them.

    Returns
    -------
    AgreementIntervals
        The rows of `DecisionAgreement.to_frame`, and ``precision``, ``recall``, ``f1``, ``balanced_accuracy``, ``mcc``
        and ``type_2`` with their ``_low`` and ``_high`` (0 to 1; mcc from -1).

    Raises
    ------
    ScoresError, InvalidOptionError
        As `metaeval.agreement.decisions.decision_agreement`; also for fewer than two draws of topics.

    Notes
    -----
    A share is a discriminative power, whose interval comes from `discriminative_power_interval`. Precision, recall and
    F1 have an interval of the same form: topics are drawn after the means of the systems were moved towards each other
    by their noise. With F the measure on the topics at hand, m the mean of those on the topics drawn and s their root
    mean square distance from F, which counts their bias as error, the interval is Wilson's for a share of
    :math:`n = m (1 - m) (T - 1) / (s^2 T)` pairs, with Student's t for the normal quantile. Where a measure was
    undefined in more than a tenth of the draws there is no interval, and none where it was always the same.

    ``benchmarks/studies/real_agreement.py`` takes the topics of real tables as populations
    (``benchmarks/reports/real_populations.md``): after Benjamini and Yekutieli nominal 95 % intervals held the expected
    F1, precision and recall in .97 to .98 of the samples, at 1.03 to 1.09 times the width that the true spread needs.
    On simulated populations (``benchmarks/reports/agreement_coverage.md``) they
    held F1 in .98, in single cases .90 to 1.00; precision and recall in as little as .89 and .90, and a share in .85.
    With the standard deviation of F in place of the distance it is .94 to .95 on real tables, and .74 in the worst
    simulated case, in which few pairs survive the correction.

    Closed forms, with A the sum and Q the sum of squares of a pair's differences on the topics drawn: every test here
    rejects when :math:`A^2 / Q` is at least :math:`T c^2/(T - 1 + c^2)`, c being Student's critical value, for t and
    the studentised bootstrap; :math:`T z^2/(T + z^2)`, z the normal one, for the percentile and the shifted
    bootstrap. On drawn topics t stands in for every other test, with Holm's correction for tests that adjust their
    p-values themselves. Levels below 1/(B + 1) are out of reach of a test with B resamples, and are kept so.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0, 0.1, (2, 6, 30))
    >>> from metaeval import as_scores
    >>> scores = as_scores(noise + np.linspace(0, 0.3, 6)[:, None], metrics=["one", "other"])
    >>> intervals = agreement_intervals(scores, test="t", rng=0)
    >>> intervals.to_frame()[["predictor", "truth", "f1", "f1_low", "f1_high"]].round(2)
      predictor  truth    f1  f1_low  f1_high
    0       one  other  0.83    0.61     0.94
    1     other    one  0.83    0.61     0.94
    """
    spec = TESTS.find(test if agreement is None else agreement.result.test)
    scores = engine_scores(scores, uses=spec.uses - {"gaps"}, what="agreement of decisions")
    units = units_of(scores)
    check_resampling_of(units, what="the interval of agreement", instead="leave the interval out")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES)
    check_share(confidence_level, "confidence_level")
    check_resampling(n_resamples, n_threads=n_threads)
    source = resolve_rng(rng)
    again = deepcopy(source)  # power draws as it would alone
    (topic_source,) = source.generator.spawn(1)
    if agreement is None:
        agreement = decision_agreement(
            scores,
            test=test,
            correction=correction,
            alphas=alphas,
            n_resamples=n_resamples,
            rng=source,
            n_threads=n_threads,
        )
    topics = units.draws(topic_source, n_topic_resamples)
    question = ask(scores, uses=spec.uses - {"gaps"})
    taken = shrinkage(question)
    if units.plain:
        plan = _RoundPlan.of(question, agreement.result, agreement.alphas, taken=taken)
        rounds = list(_in_closed_form(plan, topics, n_threads, _measured))
    else:
        off = taken * better_direction(scores)[:, None]
        decide = partial(_verdicts_again, asked=agreement.result, alphas=agreement.alphas, test="t", taken=off)
        verdicts = ask_again(decide, scores, topics, generator=topic_source, n_jobs=n_jobs, n_threads=n_threads)
        rounds = [_measured(verdict) for verdict in verdicts]
    return AgreementIntervals(
        agreement=agreement,
        resampled=_gathered(rounds, agreement),
        powers=tuple(
            discriminative_power_interval(
                scores,
                test=agreement.result.test,
                corrections=powers_of(agreement.result),
                alternative=agreement.result.alternative,  # type: ignore[arg-type]  # checked when it was made
                alpha=alpha,
                n_resamples=agreement.result.n_resamples,
                p_value_rule=_rule_of(agreement.result),
                n_topic_resamples=n_topic_resamples,
                confidence_level=confidence_level,
                rng=deepcopy(again),
                n_threads=n_threads,
            )
            for alpha in agreement.alphas
        ),
        confidence_level=float(confidence_level),
        n_topics=scores.sizes["topic"],
        freedom=units.freedom,
        n_topic_resamples=n_topic_resamples,
        random_source=source.description,
    )


def powers_of(result: PairwiseResult) -> tuple[str, ...]:
    """Return the corrections that power is told under: none, where the test has such p-values, and its own."""
    plain = () if result.family_wise_only else ("none",)
    return tuple(dict.fromkeys((*plain, result.correction)))


def _rule_of(result: PairwiseResult) -> PValueRule:
    return "plain" if result.details.get("smallest_p") == 0 else "plus-one"


type _Round = Mapping[str, Floats]


def _gathered(rounds: Sequence[_Round], agreement: DecisionAgreement) -> xr.Dataset:
    between = ("resample", "alpha", "predictor", "truth")
    dims = {"share": ("resample", "alpha", "metric")} | dict.fromkeys(SHARES, between)
    names = list(agreement.metrics)
    return xr.Dataset(
        {name: (dims[name], np.stack([resample[name] for resample in rounds])) for name in dims},
        coords={"alpha": list(agreement.alphas), "metric": names, "predictor": names, "truth": names},
    )


def _measured(verdict: NDArray[np.int8]) -> _Round:
    """Return the share of significant pairs, and `SHARES` of every two metrics, of verdicts (alpha, metric, pair)."""
    n_rejected, n_shared, n_conflicts = agreement_counts(verdict)
    n_pairs = verdict.shape[-1]
    errors = agreement_errors(n_rejected[..., :, None], n_rejected[..., None, :], n_shared, n_conflicts, n_pairs)
    return {"share": n_rejected / n_pairs, **agreement_shares(n_rejected, n_shared), **errors}


def _verdicts_again(  # noqa: PLR0913 - a test and what it needs
    scores: Scores,
    *,
    asked: PairwiseResult,
    alphas: tuple[float, ...],
    test: str | None,
    taken: Floats | None = None,
    rng: RNGLike,
    n_threads: int | None,
) -> NDArray[np.int8]:
    """Ask of other topics what was asked of those at hand, or by the test that stands in for it.

    Something may be taken off the scores first, (metric, system); systems that tie on all topics still do.
    """
    values = scores.to_numpy()
    comparison = compare_systems(
        scores if taken is None else scores.copy(data=less(values, taken)),
        test=test or asked.test,
        correction=asked.correction if test is None else _of_p_values(asked.correction),
        alternative=asked.alternative,  # type: ignore[arg-type]  # checked when it was made
        n_resamples=asked.n_resamples,
        p_value_rule=_rule_of(asked),
        rng=rng,
        n_threads=n_threads,
    )
    verdicts = np.stack([comparison.verdicts(alpha) for alpha in alphas])
    if taken is not None:
        verdicts[:, all_tied(values, *np.triu_indices(values.shape[1], 1))] = 0
    return verdicts


def _of_p_values(correction: str) -> str:
    """Return the correction for a test that has no family-wise p-values of its own."""
    return "holm" if correction == FAMILY_WISE else correction


# ------------------------------------------------------------------------------------------------------- closed form


def _normal(levels: Floats, n_topics: int) -> Floats:
    square = ndtri(levels) ** 2
    return np.asarray(n_topics * square / (n_topics + square))


type _ClosedForm = Callable[[Floats, int], Floats]

_CLOSED_FORMS: Mapping[str, _ClosedForm] = MappingProxyType(
    {"t": student_ratios, "bootstrap": student_ratios, "bootstrap_percentile": _normal, "bootstrap_shifted": _normal}
)
"""Test to the least A^2/Q that a one-sided level asks for; that of t stands in for others."""


class _RoundPlan(NamedTuple):
    """What every round in closed form needs."""

    question: Question
    critical: Floats  # (alpha, place): what the largest, second largest, … A^2/Q must reach
    step: str
    taken: Floats  # (metric, system): off the scores

    @classmethod
    def of(
        cls,
        question: Question,
        result: PairwiseResult,
        alphas: tuple[float, ...],
        *,
        n_topics: int | None = None,
        taken: Floats | None = None,
    ) -> "_RoundPlan":
        """Lay out the critical values of the test's correction, one-sided, both directions being hypotheses.

        So many topics will be drawn; by default as many as there are.
        """
        n_pairs = len(question.first)
        one_sided = result.alternative == "better"
        n_hypotheses = 2 * n_pairs if one_sided else n_pairs
        correction, rank = CORRECTIONS[_of_p_values(result.correction)], np.arange(1, n_pairs + 1)
        levels = np.stack([correction.levels_of(result.of_all_pairs)(alpha, rank, n_hypotheses) for alpha in alphas])
        smallest = 0.0 if result.n_resamples is None else float(result.details.get("smallest_p", 0.0))
        within = np.minimum(levels if one_sided else levels / 2, 0.5)
        closed = _CLOSED_FORMS.get(result.test, student_ratios)
        critical = np.where(levels >= smallest, closed(within, n_topics or question.n_topics), np.inf)
        if taken is None:
            taken = np.zeros((len(question.values), len(question.scores["system"])))
        return cls(question, critical, correction.step, taken)

    def verdict(self, ratios: Floats, signs: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the decisions (alpha, metric, pair) from A^2/Q and the sign of A, both (metric, pair)."""
        ordered = -np.sort(-ratios, axis=-1)
        reached = ordered[None] >= self.critical[:, None, :]  # (alpha, metric, place)
        n_found = count_rejected(reached, self.step)
        last = np.take_along_axis(
            np.broadcast_to(ordered, reached.shape), np.maximum(n_found - 1, 0)[..., None], axis=-1
        )
        least = np.where(n_found[..., None] > 0, last, np.inf)
        return ((ratios[None] >= least) * signs[None]).astype(np.int8)


def _in_closed_form[Answer](
    plan: _RoundPlan, topics: Ints, n_threads: int | None, answer: Callable[[NDArray[np.int8]], Answer]
) -> Iterator[Answer]:
    """Yield what the verdicts (alpha, metric, pair) on every list of topics answer."""
    question = plan.question
    counts = np.ascontiguousarray(bootstrap_counts(topics, question.n_topics).T)
    starts = range(0, counts.shape[1], _RESAMPLES_AT_ONCE)
    with tile_pool(n_threads) as pool:
        for start in track(starts, description="Resampling topics for intervals", total=len(starts)):
            block = counts[:, start : start + _RESAMPLES_AT_ONCE]
            evidence = [*pool.map(partial(_evidence, question, block), question.values, plan.taken)]
            ratios, signs = (np.stack(arrays) for arrays in zip(*evidence, strict=True))
            yield from pool.map(
                lambda place, r=ratios, s=signs: answer(plan.verdict(r[..., place], s[..., place])),
                range(block.shape[1]),
            )


def verdicts_of_draws(  # noqa: PLR0913 - a comparison and what was drawn
    scores: Scores,
    result: PairwiseResult,
    topics: Ints,
    *,
    alpha: float,
    generator: np.random.Generator,
    n_threads: int | None = None,
) -> NDArray[np.int8]:
    """Decide about every pair of systems on many lists of topics, as a comparison did on the topics at hand.

    Shapes: `topics` (list, place), result (list, metric, pair).
    """
    question, stands_in = ask(scores), result.test in _CLOSED_FORMS
    if not (stands_in and question.units.plain):
        decide = partial(_verdicts_again, asked=result, alphas=(alpha,), test="t" if stands_in else None)
        verdicts = ask_again(decide, scores, topics, generator=generator, n_jobs=None, n_threads=n_threads)
    else:
        plan = _RoundPlan.of(question, result, (alpha,), n_topics=topics.shape[1])
        verdicts = list(_in_closed_form(plan, topics, n_threads, np.asarray))
    return np.stack(verdicts)[:, 0]


def _evidence(question: Question, counts: Floats, values: Floats, taken: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """Return A^2/Q and the sign of A of one metric, both (pair, resample)."""
    products = values @ counts, np.abs(values) @ counts
    ratios, total = squared_ratios(values, counts, (question.first, question.second), products, taken)
    return ratios, np.sign(total).astype(np.int8)
