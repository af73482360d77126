"""Should a metric be adopted? Everything known about candidate metrics side by side, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple, TypedDict

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from metaeval.agreement.decisions import DecisionAgreement
from metaeval.base.checks import (
    MOST_REPLICATES,
    check_choice,
    check_count,
    check_error_rate,
    check_kinds,
    check_share,
    t_half_width,
)
from metaeval.base.digits import error_of_share
from metaeval.base.names import first_few
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.results import Figure
from metaeval.base.unit import unit_of
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import InvalidOptionError, MetaevalError
from metaeval.inex.assessments import Assessments
from metaeval.metrics.registry import Registry
from metaeval.questions.agree.study import study_agree
from metaeval.questions.compare_metrics.study_expectations import computable, expectations_of, six_runs_of
from metaeval.questions.compare_metrics.study_heaviness import top_heaviness
from metaeval.questions.compare_metrics.study_verdict import (
    MetricVerdict,
    difference_probabilities,
    robustness_probabilities,
    topics_probabilities,
    verdict_of,
)
from metaeval.questions.topics.study import TopicsStudy, study_topics
from metaeval.resampling.agreement_interval import AgreementIntervals
from metaeval.resampling.options import check_intervals, check_resampling, check_test
from metaeval.resampling.power_interval import PowerIntervals, discriminative_power_interval
from metaeval.resampling.run_choice import RunChoicePower, run_choice_power
from metaeval.resampling.sensitivity import SensitivityResult, bootstrap_sensitivity
from metaeval.resampling.stability import measure_stability
from metaeval.resampling.stability_result import Stability
from metaeval.resampling.ties import zeros_and_ties
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.equality import reaches, settle
from metaeval.studies.study import Attempts, Study, few_systems_note
from metaeval.table.scores import Scores, identical_note
from metaeval.table.structure import engine_scores
from metaeval.testing.expected import BROKEN, MET, UNTRIED

_STEPS = (10.0, 30.0, 50.0, 70.0, 90.0)
_ROBUSTNESS = "robustness to fewer judgments"
_SIX_RUNS = "the six-run test of measures of elements"
_EXPECTED = "expectations of users"
_STEADY = 0.1
"""Variance over topics, of that between systems, below which a metric is rather one of systems than of answers."""


class Resampled(NamedTuple):
    """What is drawn for every figure of a metric, and at which level: keywords of what makes them."""

    alpha: float
    n_resamples: int
    rng: int
    n_threads: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CompareStudy(Study):
    """Comparison of candidate metrics."""

    reported_by: ClassVar[str] = "metaeval.questions.compare_metrics.page:compare_report"

    scores: Scores
    current: str | None
    """The metric in use, if one was named; the others are candidates."""
    sensitivity: SensitivityResult
    """Difference required, by the bootstrap."""
    power: PowerIntervals
    """Power by the test asked for, with intervals over topics, and of the difference of two metrics' powers."""
    choice: RunChoicePower
    """The same over choices of systems."""
    agreement: DecisionAgreement
    agreement_intervals: AgreementIntervals | None
    topics: TopicsStudy | None
    """Topics needed, with intervals."""
    stability: Stability | None
    """Rankings under fewer judgments, where runs were given."""
    expectations: pd.DataFrame
    """What users expect: one row a metric that lists give, and expectation, with ``expected``, ``state`` and more
    as `metaeval.testing.examine_metric` has them; of elements also the six-run test on the assessments given."""
    zeros: pd.DataFrame
    """One row a metric: ``zero_share`` of the scores, ``tied_share`` of pairs of systems on single topics, and
    ``identical_share`` of the pairs of systems, each with ``_low`` and ``_high`` over topics (the last has none)."""
    heaviness: xr.DataArray | None
    """Score (metric, relevant, rank) of a list whose only relevant document stands at that rank."""
    unknown: Mapping[str, str]
    """What could not be found out, and why."""
    confidence_level: float
    notes: tuple[str, ...]
    provenance: Provenance

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, the one in use first."""
        names = [str(name) for name in self.scores["metric"].to_numpy()]
        return tuple(sorted(names, key=lambda name: name != self.current))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric with every figure and, where there is one, its interval in ``_low`` and ``_high``.

        ``power`` (uncorrected), ``power_by`` (Benjamini and Yekutieli) and ``power_bh`` (Benjamini and Hochberg);
        ``systems_low`` and ``systems_high``, the range of uncorrected power over choices of systems;
        ``difference_required``, ``…_median``, ``…_p95``;
        ``topics_median``, ``topics_low`` and ``topics_high``, the topics needed by the posterior of the Bayesian
        model, and ``topics``, a check on it by the fitted curve, without interval; ``precision``, ``recall`` and
        ``f1`` of its significant pairs as a prediction of those of the metric in use, and ``conflicts``, where one was
        named; ``tau_half`` and ``judgments``, Kendall's tau with half the judgments and the percentage of judgments
        that keeps it at 0.9 (the interval of tau is over draws of judgments); ``zero_share``, ``tied_share``,
        ``identical_share``; ``top_half``, the first rank at which a lone relevant document scores at most half of what
        it does at rank 1; ``expectations_met`` of ``expectations_tried``.
        """
        frame = pd.DataFrame({"metric": list(self.metrics)})
        for columns in (
            *self._powers(),
            self._differences_required(),
            self._topics(),
            self._agreement(),
            self._stability(),
            self.zeros,
            self._heaviness(),
            self._expected(),
        ):
            if columns is not None:
                frame = frame.merge(columns, on="metric", how="left")
        return frame.assign(in_use=frame["metric"] == self.current)

    def _powers(self) -> list[pd.DataFrame]:
        powers, spread = self.power.to_frame(), self.choice.to_frame()
        return [
            _renamed_columns(_under_correction(powers), {"power": "power", "low": "power_low", "high": "power_high"}),
            *(
                _renamed_columns(
                    _under_correction(powers, f"fdr_{name}"),
                    {"power": f"power_{name}", "low": f"power_{name}_low", "high": f"power_{name}_high"},
                )
                for name in ("by", "bh")
            ),
            _renamed_columns(_under_correction(spread), {"low": "systems_low", "high": "systems_high"}),
        ]

    def _differences_required(self) -> pd.DataFrame:
        names = ["difference_required", "difference_required_median", "difference_required_p95"]
        return self.sensitivity.summary()[["metric", *names]]

    def _topics(self) -> pd.DataFrame | None:
        if self.topics is None:
            return None
        wanted = {f"posterior_{name}": f"topics_{name}" for name in ("median", "low", "high")}
        return _renamed_columns(self.topics.to_frame().drop_duplicates("metric"), {"text": "topics", **wanted})

    def topics_errors(self) -> pd.DataFrame | None:
        """Return one row a metric, its index: what `BayesianErrorRate.minimum_topics` says, with Monte-Carlo errors."""
        if self.topics is None or self.topics.posterior is None:
            return None
        counts = self.topics.posterior.minimum_topics(errors=True)
        return counts.drop_duplicates("metric").set_index("metric")

    def probability_error(self, quality: str, p: float) -> float:
        """Return the Monte-Carlo standard error of a probability of `verdict`: what the number of draws leaves open."""
        if quality == "topics" and self.topics is not None and self.topics.posterior is not None:
            return error_of_share(p, self.topics.posterior.n_draws)
        z = float(ndtri(min(max(p, 1e-9), 1.0 - 1e-9)))
        density = float(np.exp(-z * z / 2.0) / np.sqrt(2.0 * np.pi))
        # the error of a spread over resamples, or the draws are the question itself
        return density * (abs(z) / float(np.sqrt(2.0 * self.power.n_topic_resamples)) if quality == "power" else 1.0)

    def _agreement(self) -> pd.DataFrame | None:
        if self.current is None:
            return None
        frame = self._agreed()
        frame = frame[frame["truth"] == self.current].rename(columns={"predictor": "metric"})
        rates = ("precision", "recall", "f1")
        ends = [f"{name}_{end}" for name in rates for end in ("low", "high")]
        return _renamed_columns(frame, {name: name for name in (*rates, *ends)} | {"n_conflicts": "conflicts"})

    def _agreed(self) -> pd.DataFrame:
        return (self.agreement if self.agreement_intervals is None else self.agreement_intervals).to_frame()

    def _stability(self) -> pd.DataFrame | None:
        if self.stability is None:
            return None
        frame = self.stability.to_frame()
        middle = frame.iloc[(frame["step"] - 50).abs().argsort(kind="stable")]["step"].iloc[0]
        half = frame[frame["step"] == middle]
        reach = t_half_width(1.0, self.stability.n_replicates, self.confidence_level)
        thresholds = self.stability.thresholds().set_index("metric")["text"]
        spread = reach * half["tau_se"].where(half["tau_se"] > 0)  # equal draws say nothing about others
        return pd.DataFrame(
            {
                "metric": half["metric"],
                "tau_half": half["tau"],
                "tau_half_low": np.maximum(half["tau"] - spread, -1.0),
                "tau_half_high": np.minimum(half["tau"] + spread, 1.0),
                "judgments": half["metric"].map(thresholds),
            }
        )

    def _heaviness(self) -> pd.DataFrame | None:
        if self.heaviness is None:
            return None
        values = self.heaviness.isel(relevant=0)
        first = values.isel(rank=0)
        half = values.copy(data=reaches(*(array.to_numpy() for array in xr.broadcast(first / 2, values, first / 2))))
        half &= first > 0
        rank = np.where(half.any("rank"), values["rank"].to_numpy()[half.argmax("rank").to_numpy()], np.nan)
        return pd.DataFrame({"metric": values["metric"].to_numpy(), "top_half": rank})

    def _expected(self) -> pd.DataFrame | None:
        tried = self.expectations[self.expectations["state"] != UNTRIED]
        if tried.empty:
            return None
        met = tried["state"].eq(MET).groupby(tried["metric"], sort=False).agg(["sum", "size"])
        return met.rename(columns={"sum": "expectations_met", "size": "expectations_tried"}).reset_index()

    def unmet(self, metric: str, state: str = BROKEN) -> tuple[str, ...]:
        """Return the expectations of users that a metric breaks, or those of another state."""
        rows = self.expectations[(self.expectations["metric"] == metric) & (self.expectations["state"] == state)]
        return tuple(rows["expectation"])

    def power_differences(self) -> pd.DataFrame:
        """Return one row a pair of metrics: difference of their uncorrected powers, over topics and over systems.

        Columns metric_a, metric_b, difference, low and high (over topics), systems_low and systems_high (over choices
        of systems), first_higher (share of the choices in which the first metric has the higher power).
        """
        pair = ["metric_a", "metric_b"]
        over_topics = _under_correction(self.power.differences())[[*pair, "difference", "low", "high"]]
        named = {"low": "systems_low", "high": "systems_high", "first_higher": "first_higher"}
        return over_topics.merge(_renamed_columns(_under_correction(self.choice.differences()), named, pair), on=pair)

    def conflicts(self) -> pd.DataFrame:
        """Return the pairs of systems that two metrics call significant in opposite directions.

        Of these metrics one is the metric in use, where one was named.
        """
        frame = self.agreement.conflicts()
        if self.current is not None:
            frame = frame[(frame["metric_a"] == self.current) | (frame["metric_b"] == self.current)]
        return frame.reset_index(drop=True)

    def agreements(self) -> pd.DataFrame:
        """Return one row a pair of metrics: F1 of their significant pairs, with its interval if there is one."""
        frame, position = self._agreed(), {name: number for number, name in enumerate(self.metrics)}
        frame = frame[frame["predictor"].map(position) < frame["truth"].map(position)]
        frame = frame.rename(columns={"predictor": "metric_a", "truth": "metric_b", "n_conflicts": "conflicts"})
        names = ["metric_a", "metric_b", "f1", "f1_low", "f1_high", "conflicts"]
        return frame[[name for name in names if name in frame]].reset_index(drop=True)

    def verdict(self) -> MetricVerdict:
        """Decide whether there is a reason to change, or which metric to choose.

        Discriminative power decides (over topics, uncorrected): a metric is adopted if it has more of it by more than
        the study's interval. The table has the number of topics needed too and, where runs were given, Kendall's tau
        with half of the judgments (over draws of judgments). A metric that breaks an expectation of users (it prefers
        the worse of two lists) is not better than one that does not, nor one that contradicts more of the other's
        significant pairs than `alpha` allows: power does not say which of them is right.
        """
        broken = {name: self.unmet(name) for name in self.metrics}
        level, power = self.confidence_level, _under_correction(self.power.differences())
        parts = [difference_probabilities("power", power, self.power.freedom, confidence_level=level)]
        if self.topics is not None and self.topics.posterior is not None:
            parts.append(topics_probabilities(self.topics.posterior))
        if self.stability is not None and self.stability.n_replicates > 1:  # one draw has no spread
            parts.append(robustness_probabilities(self.stability, confidence_level=level))
        table = pd.concat([rows for rows in parts if len(rows)], ignore_index=True)
        agreed = self.against_each_other()
        beyond = agreed[agreed["n_conflicts"] > self.agreement.alphas[0] * agreed["n_truth"]]
        contradicting = {*zip(beyond["predictor"], beyond["truth"], strict=True)}
        return verdict_of(
            table,
            self.metrics,
            current=self.current,
            confidence_level=level,
            broken=broken,
            contradicting=contradicting,
        )

    def against_each_other(self) -> pd.DataFrame:
        """Return of every ordered pair of metrics the significant pairs that the first turns round.

        ``predictor`` and ``truth``, ``n_conflicts`` of the ``n_truth`` significant pairs of the latter.
        """
        return self.agreement.to_frame()[["predictor", "truth", "n_conflicts", "n_truth"]]

    def pareto_front(self) -> tuple[str, ...]:
        """Return the metrics that no other is as good as in power and `second_quality` and better in one.

        A metric whose second quality is not known is left out: it neither beats nor is beaten. The front is of the
        figures alone, without their uncertainty: `verdict` decides.
        """
        qualities = ["power"] if self.second_quality != "tau_half" else ["power", "tau_half"]
        complete = self.to_frame().set_index("metric")[qualities].dropna()
        # shares and correlations: means of terms that make at most 1
        complete[:] = settle(complete.to_numpy().T, np.ones(complete.shape[::-1])).T
        front = []
        for name, row in complete.iterrows():
            better = (complete >= row).all(axis=1) & (complete > row).any(axis=1)
            if not better.any():
                front.append(str(name))
        return tuple(front)

    @property
    def second_quality(self) -> str | None:
        """What is set against power: "tau_half" where some metric has it, "f1" with the metric in use, or nothing."""
        if self.stability is not None:
            return "tau_half"
        return None if self.current is None else "f1"

    def _draw(self, name: str | None = None) -> Figure:
        """Draw power against the second quality, a point a metric with its intervals; without one, power alone.

        `name` asks for another picture of the report, as `Study.plot` does.
        """
        if name is not None:
            return Study._draw(self, name)  # noqa: SLF001 - its own
        from metaeval.figures.compare import trade_off  # noqa: PLC0415 - drawing is the one upward import

        second = self.second_quality
        if second is None:
            return self.power.plot()
        label = "τ with the full ranking, half the judgments" if second == "tau_half" else f"F1 with {self.current}"
        front = self.pareto_front() if second == "tau_half" else ()
        return trade_off(self.to_frame(), second=second, label=label, front=front, current=self.current)


def _under_correction(frame: pd.DataFrame, correction: str = "none") -> pd.DataFrame:
    return frame[frame["correction"] == correction]


def _renamed_columns(frame: pd.DataFrame, names: Mapping[str, str], keys: Sequence[str] = ("metric",)) -> pd.DataFrame:
    """Return the keys, and those of the columns that there are under other names."""
    return frame[[*keys, *(name for name in names if name in frame)]].rename(columns=names)


def study_compare_metrics(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    current: str | None = None,
    collection: JudgedCollection | None = None,
    assessments: Assessments | None = None,
    element_sizes: pd.DataFrame | None = None,
    registry: Registry | None = None,
    alpha: float = 0.05,
    test: str = "t",
    max_error: float = 0.05,
    n_resamples: int = 1000,
    n_topic_resamples: int = 200,
    n_choices: int = 200,
    n_replicates: int = 10,
    topics: bool = True,
    confidence_level: float = 0.95,
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> CompareStudy:
    """Compare candidate metrics with each other and with the one in use, before adopting one.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        The metric in use and the candidates.
    current : str, optional
        The metric in use, with which the candidates are compared; without it every two metrics are.
    collection : JudgedCollection, optional
        The runs and judgments behind the scores. With them the robustness to fewer judgments is measured, and the
        top-heaviness of every metric that can be computed from runs.
    assessments : Assessments, optional
        Of elements. With them measures of elements are tried on the six runs of `metaeval.study_reliability` too.
    element_sizes : pandas.DataFrame, optional
        As ``sizes`` of `metaeval.study_reliability`.
    registry : Registry, optional
        Where names of metrics are looked up.
    alpha : float, default 0.05
    test : str, default "t"
        Behind power, its intervals and agreement; the difference required comes from Sakai's bootstrap sensitivity.
    max_error : float, default 0.05
        The error rate that the topics needed keep within.
    n_resamples, n_topic_resamples, n_choices, n_replicates : int
        Resamples of the bootstrap, of topics behind intervals, choices of systems, draws of reduced judgments.
    topics : bool, default True
        Find out how many topics are needed.
    confidence_level : float, default 0.95
        Of all intervals but that of the topics needed, which is the 90 % one of `study_topics`.
    rng : None, int or Generator
    n_threads : int, optional
    provenance : Provenance, optional

    Returns
    -------
    CompareStudy
        One row a ``metric`` in ``to_frame()``: ``power``, corrected ``power_by`` and ``power_bh`` with ``_low`` and
        ``_high``, and the interval over systems (``systems_low``, ``systems_high``); ``difference_required`` with its
        ``_median`` and ``_p95`` in units of the metric; ``precision``, ``recall``, ``f1`` and ``conflicts`` beside the
        metric ``in_use``; ``topics`` needed with their ``_median``, ``_low`` and ``_high``; ``zero_share``,
        ``tied_share``, ``identical_share`` and ``top_half``; ``expectations_met`` of ``expectations_tried``. Shares are
        from 0 to 1, and NaN for the metric in use where it would stand beside itself.

    Raises
    ------
    UnknownNameError
        If the metric in use is not among the scores.
    InvalidOptionError
        If there is only one metric.
    ScoresError
        As the tests raise it.

    See Also
    --------
    metaeval.questions.agree.study.study_agree
    metaeval.questions.power.study.study_power
    metaeval.questions.topics.study.study_topics

    References
    ----------
    .. [1] Sakai and Kando (2008). :doi:`10.1007/s10791-008-9059-7`
    .. [2] Ogilvie and Lalmas (2006), section 3.4. :doi:`10.1145/1183614.1183631`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> scores = simulate_scores(n_systems=8, n_topics=40, rng=1)
    >>> study = study_compare_metrics(scores, n_resamples=200, n_topic_resamples=50, n_choices=50, topics=False, rng=1)
    >>> len(study.to_frame()) == scores.sizes["metric"], study.verdict().outcome
    (True, 'open')
    """
    check_share(alpha, "alpha")
    check_test(test)
    check_kinds([present for present in (collection,) if present is not None], "collection", "JudgedCollection")
    check_resampling(n_resamples, n_threads=n_threads)
    check_intervals(n_topic_resamples, confidence_level)
    check_count(n_choices, "n_choices", least=2, most=MOST_REPLICATES)
    check_count(n_replicates, "n_replicates", most=MOST_REPLICATES)
    check_error_rate(max_error)
    table = engine_scores(scores, "the comparison of metrics")
    names = _names(table, current)
    seed = resolve_seed(rng)
    record = provenance or record_provenance("study_compare_metrics", random_source=f"seed {seed}")
    asked = Resampled(alpha, n_resamples, seed, n_threads)
    sensitivity = bootstrap_sensitivity(table, **asked._asdict())
    power = discriminative_power_interval(
        table,
        test=test,
        corrections=("none", "fdr_bh", "fdr_by"),
        n_topic_resamples=n_topic_resamples,
        confidence_level=confidence_level,
        **asked._asdict(),
    )
    choose = "one-per-group" if "group" in table.coords else max(2, table.sizes["system"] // 2)
    choice = run_choice_power(
        table, choose=choose, test=test, n_choices=n_choices, confidence_level=confidence_level, **asked._asdict()
    )
    agreed = study_agree(
        table,
        tests=[test],
        alphas=alpha,
        n_resamples=n_resamples,
        n_topic_resamples=n_topic_resamples,
        confidence_level=confidence_level,
        rng=seed,
        n_threads=n_threads,
    )
    attempt = Attempts(MetaevalError, of=table)
    ask = partial(study_topics, tolerances=[0.0], tolerance_unit="absolute", differences=False, max_error=max_error)
    count_topics = partial(ask, table, rng=seed, n_threads=n_threads)
    needed = attempt(f"{unit_of(table).topics} needed", count_topics) if topics else None
    measure = partial(measure_stability, steps=_STEPS, n_tested=0, n_replicates=n_replicates, rng=seed)
    six = partial(six_runs_of, assessments=assessments, sizes=element_sizes, registry=registry)
    return CompareStudy(
        scores=table,
        current=current,
        sensitivity=sensitivity,
        power=power,
        choice=choice,
        agreement=agreed.lead,
        agreement_intervals=agreed.intervals,
        topics=needed,
        zeros=zeros_and_ties(table, n_topic_resamples, confidence_level, np.random.default_rng(seed)),
        **_from_runs(names, collection, registry, attempt, measure=measure, six=six),
        unknown=attempt.failed,
        confidence_level=float(confidence_level),
        notes=(*table.attrs.get("notes", ()), *_notes_on(table), *_left_out(needed)),
        provenance=record,
    )


def _names(table: Scores, current: str | None) -> list[str]:
    names = [str(name) for name in table["metric"].to_numpy()]
    if len(names) < 2:  # noqa: PLR2004 - a comparison takes two
        raise InvalidOptionError(f"comparing metrics takes two or more; the scores hold {names}")
    if current is not None:
        check_choice(current, "metric", names)
    return names


class _FromRuns(TypedDict):
    """What runs say of metrics beside scores; see `CompareStudy`."""

    stability: Stability | None
    heaviness: xr.DataArray | None
    expectations: pd.DataFrame


def _from_runs(  # noqa: PLR0913 - what is asked of the metrics
    names: list[str],
    collection: JudgedCollection | None,
    registry: Registry | None,
    attempt: Attempts,
    *,
    measure: Callable[..., Stability],
    six: Callable[[list[str]], pd.DataFrame],
) -> _FromRuns:
    """Ask what takes runs, or lists made for the question, of the metrics that can be computed from them."""
    stability, unknown = None, attempt.failed
    computed, ranking = computable(names, registry), computable(names, registry, on="documents")
    if strange := [name for name in names if name not in ranking]:
        unknown["top-heaviness"] = f"not computed from lists of documents here: {', '.join(strange)}"
    if collection is None:
        unknown[_ROBUSTNESS] = "needs runs and judgments, not a table of scores"
    elif not (bearing := ranking if isinstance(collection, Collection) else computed):
        unknown[_ROBUSTNESS] = "no metric can be computed from the runs"
    else:
        stability = attempt(_ROBUSTNESS, partial(measure, collection, bearing, registry=registry))
        if stability is not None and (lacking := [name for name in names if name not in bearing]):
            unknown[_ROBUSTNESS] = f"not computed from runs here: {', '.join(lacking)}"
    tried = [expectations_of(computed, registry), attempt(_SIX_RUNS, partial(six, computed))]
    if untried := [name for name in names if name not in computed]:
        unknown[_EXPECTED] = f"not computed from lists here: {', '.join(untried)}"
    return {
        "stability": stability,
        "heaviness": top_heaviness(ranking, registry=registry) if ranking else None,
        "expectations": pd.concat([present for present in tried if present is not None], ignore_index=True),
    }


def _notes_on(table: Scores) -> list[str]:
    """Say where systems are few, and name the metrics whose scores hardly vary over topics: power is easy then."""
    scores = table.to_numpy()
    within, between = np.nanvar(scores, axis=-1).mean(axis=-1), np.nanvar(np.nanmean(scores, axis=-1), axis=-1)
    steady = [str(name) for name in table["metric"].to_numpy()[within < _STEADY * between]]
    topics = unit_of(table).topics
    words = f"hardly vary over {topics} beside their differences between systems, which need not be of quality"
    named = [f"scores that {words}: {first_few(steady)}; power is high whatever they measure"] if steady else []
    return [*few_systems_note(table.sizes["system"]), *named]


def _left_out(needed: TopicsStudy | None) -> list[str]:
    """Name the systems without which topics were counted."""
    if needed is None:
        return []
    rates = needed.error_rates
    needs = f"{unit_of(needed.scores).Topics} needed"
    return [f"{needs}: " + note for note in identical_note(rates.dropped, rates.n_systems + len(rates.dropped))]
