"""How many topics are enough? From scores to error rates, minimum topic counts, and how sure both are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from metaeval.base.checks import (
    MOST_REPLICATES,
    check_count,
    check_error_rate,
    check_list,
    check_number,
    check_share,
    check_threads,
)
from metaeval.base.names import count, first_few
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import speaking_of, unit_of
from metaeval.base.words import listed
from metaeval.errors import EstimationError
from metaeval.models.curves import CurveComparison, compare_curves
from metaeval.models.error_rate_model import Method, bayesian_error_rate
from metaeval.models.error_rate_posterior import BayesianErrorRate
from metaeval.models.exponential import exponential_table
from metaeval.models.topic_counts import PUBLISHED, MinimumTopics, minimum_topics
from metaeval.resampling.bins import DifferenceBins, difference_bins
from metaeval.resampling.swap import PAPER_TOLERANCES, ErrorRates, ToleranceUnit, swap_method
from metaeval.resampling.topic_sets import SMALLEST_SIZE, Sampling
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.studies.study import Attempts, Study, few_systems_note
from metaeval.table.scores import Scores, identical_note
from metaeval.table.structure import engine_scores
from metaeval.tests_stat.comparison import compare_systems
from metaeval.tests_stat.correction import CORRECTIONS

ABSOLUTE_TOLERANCES = (0.0, 0.01, 0.02, 0.05)
"""Default tolerances in the metric's own unit."""

RECOMMENDED_TOLERANCE = 0.1
"""Of the larger mean; besides 0, the tolerance to quote: a lead smaller than a tenth is rarely a reason to choose."""

_BELOW_ZERO = (
    "scores fall below 0, where a share of the larger mean is no lead, so every lead counts (tolerance 0); "
    "`tolerance_unit='absolute'` takes others, in the metric's unit"
)

EXPONENTIAL = "exponential"
"""The published curve, always shown beside the best one."""

CURVE = "curve"
"""What `TopicsStudy.unestimated` calls the curve beyond the sizes observed."""

COUNTS = "topics needed"
"""What it calls a topic count for which that curve is missing."""

DIFFERENCES = "difference bins"
"""What it calls the error rates by the size of the difference."""

INTERVALS = "intervals of the topic counts"
"""What it calls the part that the Bayesian model answers."""

SAMPLED = "sampling with PyMC"
"""What it calls a sampling that was refused; the fast one stands in for it."""

MOST_SIZES = 50
"""More sizes than these by default would add time and no knowledge: neighbours tell the same."""

MOST_DRAWN = 120
"""Sizes at which a curve is given, besides those observed."""

_MOST_NAMED = 2
"""More sizes than these are asked for to see how the error rate falls."""
_WORTH_A_WORD = 0.01
"""A smaller share of ties goes without a note."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TopicsStudy(Study):
    """Result of `metaeval topics`."""

    reported_by: ClassVar[str] = "metaeval.questions.topics.page:topics_report"

    scores: Scores
    """As they were understood."""
    error_rates: ErrorRates
    """Swaps counted per metric, tolerance and topic-set size."""
    bins: DifferenceBins | None
    """Error rates by the size of the difference, at the largest size; None if not asked for or not to be estimated."""
    comparison: CurveComparison
    """Every curve, judged by sizes it had not seen."""
    minimum: MinimumTopics
    """Topics needed, by the curve that predicted held-out sizes best."""
    published: MinimumTopics
    """The same by the exponential of Pal, Mitra and Kamps (2010, Table 7), fitted as they did."""
    exponential: pd.DataFrame
    """That exponential's parameters, one row a metric and tolerance."""
    posterior: BayesianErrorRate | None
    """Intervals and probabilities by the Bayesian model, if it was asked for and could be fitted."""
    named_sizes: tuple[int, ...]
    """The one or two sizes that somebody asked for: are these enough?"""
    unestimated: Mapping[str, str]
    """Parts that could not be estimated from these scores, and why."""
    notes: tuple[str, ...]
    """What was assumed, filled or dropped on the way."""
    provenance: Provenance
    """What produced the study."""
    first_tolerance: float | None = None
    """The one to answer for, where somebody named others than 0, which the command adds."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a metric and tolerance, metrics in order: the rows of the command line's JSON.

        ``n_topics`` is missing where ``kind`` says that there is no number to give; ``text`` says it as the table
        does. The columns with ``published`` hold the answer of the published exponential, those with ``posterior``
        and ``p_enough`` that of the Bayesian model (see `BayesianErrorRate.minimum_topics`).
        """
        keys = ["metric", "tolerance"]
        frame = self.minimum.to_frame().rename(columns={"largest_rate": "error_rate"})
        frame = frame.assign(
            n_systems=self.error_rates.n_systems,
            topics_at_hand=self.error_rates.n_topics,
            size=self.error_rates.sizes[-1],
            max_error=self.minimum.max_error,
            limit=self.minimum.limit,
        )
        published = self.published.to_frame()[[*keys, "n_topics", "text"]]
        frame = frame.merge(published, on=keys, suffixes=("", "_published"))
        if self.posterior is not None:
            named = {name: f"posterior_{name}" for name in ("median", "low", "high")}
            counts = self.posterior.minimum_topics().drop(columns=["extrapolated"]).rename(columns=named)
            counts = counts.assign(posterior_method=self.posterior.method)
            frame = frame.merge(counts, on=keys, how="left")
        order = {name: position for position, name in enumerate(self.error_rates.metrics)}
        frame = frame.sort_values("metric", key=lambda names: names.map(order), kind="stable", ignore_index=True)
        return frame[[name for name in _COLUMNS if name in frame]]

    def curves(self) -> pd.DataFrame:
        """Return the error rates seen and those of the chosen curve, up to the limit.

        Returns
        -------
        pandas.DataFrame
            One row a metric, tolerance and size: ``seen`` (a zero difference counted as half a swap, as the curves
            count it; missing where the size was not observed) and ``fitted`` (missing without a curve). With the
            Bayesian model also its ``median``, ``low`` and ``high``, and at some sizes ``predicted_low`` and
            ``predicted_high``, between which it expects what is counted (see `BayesianErrorRate.predicted`).
        """
        rates = self.error_rates.rates(half_swaps=True)
        seen = np.asarray(self.error_rates.sizes)
        ahead = np.geomspace(seen[0], self.minimum.limit, MOST_DRAWN).round().astype(int)
        sizes = np.union1d(ahead, seen)
        parts = []
        for metric in self.error_rates.metrics:
            for tolerance in self.error_rates.tolerances:
                curve = self.comparison.curves.get((metric, tolerance, str(self.minimum.family)))
                observed = pd.Series(rates.sel({"metric": metric, "tolerance": tolerance}).to_numpy(), index=seen)
                fitted = np.full(len(sizes), np.nan) if curve is None else curve.rate(sizes)
                columns = {"size": sizes, "seen": observed.reindex(sizes).to_numpy(), "fitted": fitted}
                parts.append(pd.DataFrame({"metric": metric, "tolerance": tolerance, **columns}))
        frame = pd.concat(parts, ignore_index=True)
        if self.posterior is None:
            return frame
        keys = ["metric", "tolerance", "size"]
        frame = frame.merge(self.posterior.curves(sizes), on=keys, how="left")
        return frame.merge(self.posterior.predicted().drop(columns="observed"), on=keys, how="left")

    def rates_at(self, sizes: ArrayLike) -> pd.DataFrame:
        """Return the error rates to expect at some sizes: by the Bayesian model where there is one, else by the curve.

        Returns
        -------
        pandas.DataFrame
            One row a metric, tolerance and size: ``rate``, ``low`` and ``high``; what cannot be estimated is missing.
            With the model, the tolerances that it was asked for, and in ``_error`` the Monte-Carlo standard errors.
        """
        asked = np.atleast_1d(np.asarray(sizes, dtype=np.int64))
        tolerances = self.error_rates.tolerances if self.posterior is None else self.posterior.tolerances
        keys = pd.MultiIndex.from_product(
            [self.error_rates.metrics, tolerances, asked], names=["metric", "tolerance", "size"]
        )
        if self.posterior is not None:
            named = {"median": "rate", "median_error": "rate_error"}
            modelled = self.posterior.curves(asked, errors=True).rename(columns=named)
            return modelled.set_index(keys.names).reindex(keys).reset_index()
        family = str(self.minimum.family)
        curves = [
            self.comparison.curves.get((metric, tolerance, family))
            for metric, tolerance in keys.droplevel("size").unique()
        ]
        rates = [np.full(len(asked), np.nan) if curve is None else curve.rate(asked) for curve in curves]
        return pd.DataFrame({"rate": np.concatenate(rates), "low": np.nan, "high": np.nan}, index=keys).reset_index()

    def published_curves(self) -> pd.DataFrame:
        """Return the lines of Figure 5 of Pal, Mitra and Kamps (2010): rates as seen, then their exponential.

        Returns
        -------
        pandas.DataFrame
            One row a metric, tolerance and size up to the limit: ``seen`` (a zero difference is no swap; missing
            beyond the sizes observed) and ``fitted``, which is the same as far as that goes, and beyond it the
            exponential fitted to it (missing where there was nothing to fit).
        """
        seen = np.asarray(self.error_rates.sizes)
        sizes = np.arange(seen[-1] + 1, self.minimum.limit + 1)
        ahead = self.exponential[["metric", "tolerance", "a1", "a2"]].merge(pd.DataFrame({"size": sizes}), how="cross")
        ahead["fitted"] = ahead["a1"] * np.exp(-ahead["a2"] * ahead["size"])
        here = self.error_rates.rates().to_series().rename("seen").reset_index()
        keys = ["metric", "tolerance", "size"]
        lines = pd.concat([here.assign(fitted=here["seen"])[[*keys, "seen", "fitted"]], ahead[[*keys, "fitted"]]])
        order = {name: position for position, name in enumerate(self.error_rates.metrics)}
        return lines.sort_values(
            keys, key=lambda column: column.map(order) if column.name == "metric" else column, ignore_index=True
        )


_COLUMNS = (
    *("metric", "tolerance", "kind", "n_topics", "text", "curve", "n_topics_published", "text_published"),
    *("posterior_median", "posterior_low", "posterior_high", "posterior_method", "p_enough", "note"),
    *("size", "error_rate", "n_systems", "topics_at_hand", "max_error", "limit"),
)


def study_topics(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    sizes: Sequence[int] | None = None,
    n_trials: int = 50,
    tolerances: Sequence[float] | None = None,
    tolerance_unit: ToleranceUnit = "relative",
    sampling: Sampling = "disjoint",
    max_error: float = 0.05,
    limit: int | None = None,
    bin_width: float = 0.01,
    differences: bool = True,
    bayesian: bool = True,
    method: Method = "fast",
    modelled: Sequence[float] | None = None,
    n_topic_resamples: int = 200,
    confidence_level: float = 0.9,
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> TopicsStudy:
    """Estimate how often two topic sets disagree about two systems, and how many topics keep that within a limit.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    sizes : sequence of int, optional
        Topics in each of the two sets; by default 5 to half the topics, thinned out where these are many.
    n_trials : int, default 50
        Pairs of topic sets drawn at each size.
    tolerances : sequence of float, optional
        Tolerances; 0, 0.05, 0.1, 0.2, 0.3 of the larger mean by default (0 alone where scores fall below 0), or 0,
        0.01, 0.02, 0.05 in the metric's unit with ``tolerance_unit="absolute"``.
    tolerance_unit, sampling
        See `metaeval.resampling.swap.swap_method`.
    max_error : float, default 0.05
        The error rate to stay within.
    limit : int, optional
        Largest number of topics to name as observed; twice the largest size by default. The model has no limit.
    bin_width : float, default 0.01
        Width of the difference bins, in the metric's unit.
    differences : bool, default True
        Count sign changes by the size of the difference too.
    bayesian : bool, default True
        Ask the Bayesian model of the error rate (`metaeval.models.bayesian_error_rate`). It knows disjoint topic sets
        only.
    method : {"fast", "pymc"}
        How it samples. Where PyMC is refused, the fast way stands in for it, and `TopicsStudy.unestimated` says so.
    modelled : sequence of float, optional
        The tolerances at which it is asked, all of them by default.
    n_topic_resamples : int, default 200
        Topic-bootstrap replicates behind the intervals of the difference bins; 0 leaves these out.
    confidence_level : float, default 0.9
        Of every interval.
    rng : None, int or numpy.random.Generator
        Every part starts from the same seed, so that its result does not depend on which others are asked.
    n_threads : int, optional
        Cores to use; the result does not depend on it.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    TopicsStudy
        One row a ``metric`` and ``tolerance`` in ``to_frame()``: ``n_topics`` needed (NaN where no number at most
        ``limit`` does) and ``text`` to print, ``kind`` (how it was found), ``n_topics_published`` and
        ``text_published`` by the published rule; the largest ``size`` tried and its ``error_rate`` (0 to 1), ``curve``,
        ``n_systems``, ``topics_at_hand`` and ``max_error``. Of the Bayesian model ``posterior_median`` topics, from
        ``posterior_low`` to ``posterior_high``, the ``posterior_method``, the probability ``p_enough`` that the topics
        at hand are enough, and a ``note`` where there is no number.

    Raises
    ------
    EstimationError
        If there are fewer topics than twice the smallest size.
    ScoresError, InvalidOptionError
        As the parts raise them.

    See Also
    --------
    metaeval.questions.design.study.study_design
    metaeval.questions.power.study.study_power

    References
    ----------
    .. [1] Voorhees and Buckley (2002). The effect of topic set size on retrieval experiment error. SIGIR.
       :doi:`10.1145/564376.564432`
    .. [2] Pal, Mitra and Kamps (2010), section "Error Rates".

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> study = study_topics(simulate_scores(n_systems=6, n_topics=40, rng=1), tolerances=[0.1], bayesian=False, rng=1)
    >>> study.to_frame()[["metric", "tolerance", "size"]].head(2)
           metric  tolerance  size
    0          AP     0.1    20
    1     nDCG@10     0.1    20
    """
    check_error_rate(max_error)
    check_share(confidence_level, "confidence_level")
    check_count(n_topic_resamples, "n_topic_resamples", least=2, most=MOST_REPLICATES, zero=True)  # a spread needs two
    check_threads(n_threads)
    if limit is not None:
        check_count(limit, "limit")
    if differences:
        check_number(bin_width, "bin_width", above=0)
    scores = engine_scores(scores, "the error rate of topic sets")
    seed = resolve_seed(rng)
    chosen, thinned = (
        (check_list(sizes, "sizes", [5, 10]), False) if sizes is not None else _default_sizes(scores.sizes["topic"])
    )
    below = tolerances is None and tolerance_unit == "relative" and float(scores.min()) < 0
    if tolerances is None:
        usual = PAPER_TOLERANCES if tolerance_unit == "relative" else ABSOLUTE_TOLERANCES
        tolerances = (0.0,) if below else usual
    swap = partial(swap_method, scores, n_trials=n_trials, sampling=sampling, rng=seed, n_threads=n_threads)
    rates = swap(sizes=chosen, tolerances=tolerances, tolerance_unit=tolerance_unit)
    attempt = Attempts(EstimationError, of=scores)
    with speaking_of(unit_of(scores)):
        comparison = compare_curves(rates)
    minimum = minimum_topics(rates, max_error=max_error, limit=limit, comparison=comparison)
    attempt.failed |= _no_counts(minimum)
    bins = None
    if differences:
        count = partial(difference_bins, scores, sizes=[rates.sizes[-1]], bin_width=bin_width, max_error=max_error)
        count = partial(count, n_topic_resamples=n_topic_resamples, confidence_level=confidence_level)
        bins = attempt(DIFFERENCES, partial(count, n_trials=n_trials, sampling=sampling, rng=seed, n_threads=n_threads))
    posterior = None
    asked = [tolerance for tolerance in rates.tolerances if modelled is None or tolerance in modelled]
    if bayesian and asked:
        ask = partial(
            bayesian_error_rate, scores, tolerances=asked, tolerance_unit=rates.tolerance_unit, observed=rates
        )
        ask = partial(ask, max_error=max_error, confidence_level=confidence_level, rng=seed, n_threads=n_threads)
        if method != "fast":
            posterior = attempt(SAMPLED, partial(ask, method=method))
        if posterior is None:  # the fast sampling stands in for one that was refused
            posterior = attempt(INTERVALS, partial(ask, method="fast"))
    published = minimum_topics(rates, max_error=max_error, limit=minimum.limit, family=PUBLISHED, comparison=comparison)
    return TopicsStudy(
        scores=scores,
        error_rates=rates,
        bins=bins,
        comparison=comparison,
        minimum=minimum,
        published=published,
        exponential=exponential_table(rates, half_swaps=False),
        posterior=posterior,
        named_sizes=tuple(chosen) if sizes is not None and chosen and len(chosen) <= _MOST_NAMED else (),
        unestimated=attempt.failed,
        notes=(
            *scores.attrs.get("notes", []),
            *few_systems_note(scores.sizes["system"]),
            *[_BELOW_ZERO] * below,
            *_notes(rates, scores, thinned=thinned),
        ),
        provenance=provenance or record_provenance("study_topics", random_source=f"seed {seed}"),
    )


def _nothing_differs(scores: Scores) -> list[str]:
    """Say under which metrics no pair differs, so that topics may be asked to keep an order that there is not."""
    tested = compare_systems(scores, test="t")
    silent = [
        metric for metric, differs in zip(tested.metrics, tested.verdicts().any(axis=1), strict=True) if not differs
    ]
    pairs = count(tested.n_pairs, "pair")
    how = f"paired t, {CORRECTIONS.words(tested.correction)}"
    told = f"under {first_few(silent)} none of {pairs} differs significantly ({how})"
    return [f"{told}: where systems are equal no number of {unit_of(scores).topics} keeps their order"] * bool(silent)


def _default_sizes(n_topics: int) -> tuple[list[int] | None, bool]:
    """Return the sizes to use and whether they were thinned out; None leaves the choice to the swap method."""
    largest = n_topics // 2
    if largest - SMALLEST_SIZE < MOST_SIZES:
        return None, False
    return np.unique(np.geomspace(SMALLEST_SIZE, largest, MOST_SIZES).round().astype(int)).tolist(), True


def _no_counts(minimum: MinimumTopics) -> dict[str, str]:
    """Say why there is no curve at all, or none for a metric that needs one."""
    fits = minimum.comparison.table
    if minimum.family is None:
        reasons = [note for note in dict.fromkeys(fits["note"]) if note]
        why = reasons[0] if reasons else "there are too few sizes"
        return {CURVE: f"no curve can be evaluated on held-out sizes: {why}"}
    notes = fits[fits["family"] == minimum.family].set_index(["metric", "tolerance"])["note"]
    frame = minimum.to_frame()
    silent = frame[frame["kind"] == "cannot be estimated"]
    return {
        f"{COUNTS} under {row['metric']} at tolerance {row['tolerance']:g}": notes[row["metric"], row["tolerance"]]
        or "no pair was compared"
        for row in silent.to_dict("records")
    }


def _notes(rates: ErrorRates, scores: Scores, *, thinned: bool) -> list[str]:
    spoken = unit_of(scores)
    notes = _nothing_differs(scores) + identical_note(rates.dropped, rates.n_systems + len(rates.dropped))
    if thinned:
        sizes = rates.sizes
        notes.append(
            f"{len(sizes)} {spoken.topic}-set sizes from {sizes[0]} to {sizes[-1]} were used, evenly spaced in ratio"
        )
    shares = zip(rates.metrics, rates.zero_share().max("size").to_numpy().tolist(), strict=True)
    ties = [f"{100 * share:.1f} % ({metric})" for metric, share in shares if share >= _WORTH_A_WORD]
    if ties:
        notes.append(
            f"up to {listed(ties)} of the comparisons are exact ties, which are no errors in tables; figures, curves "
            "and the model count a tie at tolerance 0 as half an error"
        )
    return notes
