"""Under which metrics do systems differ significantly? From scores to discriminative power, test by test."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, get_args

import numpy as np
import pandas as pd

from metaeval.base.checks import check_choice, check_share
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import speaking_of, unit_of
from metaeval.errors import InvalidOptionError
from metaeval.models.bayesian_comparison import (
    BayesianComparison,
    BayesianModel,
    Rope,
    bayesian_t,
    check_rope,
)
from metaeval.models.hierarchical_model import hierarchical
from metaeval.resampling.options import Tested, check_intervals, check_resampling
from metaeval.resampling.power_interval import PowerIntervals, discriminative_power_interval
from metaeval.resampling.sensitivity import SensitivityResult, bootstrap_sensitivity
from metaeval.resampling.system_means import means_of_systems
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.parallel import track
from metaeval.studies.study import Study, chosen_systems, interval_notes, test_notes
from metaeval.table.scores import Scores, identical_systems
from metaeval.table.structure import with_clusters
from metaeval.table.traits import WHOLE
from metaeval.table.units import check_resampling_of, units_of
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.comparison import check_question, compare_systems
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, with_levels
from metaeval.tests_stat.labels import pairs_that_differ
from metaeval.tests_stat.offered_clusters import decided_by_groups
from metaeval.tests_stat.pairs import Alternative, PValueRule
from metaeval.tests_stat.result import PairwiseResult
from metaeval.tests_stat.sensitivity import SENSITIVITY

DEFAULT_TESTS = ("t", SENSITIVITY)
"""What is asked where nothing is said: first the test of the headline that all commands give; it draws nothing."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerStudy(Study):
    """Result of `metaeval power` and `metaeval report`."""

    reported_by: ClassVar[str] = "metaeval.questions.power.page:power_report"

    scores: Scores
    """The systems that were compared (after the choice of runs)."""
    sensitivity: SensitivityResult | None
    """Sakai's bootstrap sensitivity (power, ASL curves, difference required), if it was among the tests."""
    comparisons: tuple[PairwiseResult, ...]
    """One per test and correction, in the order asked."""
    intervals: PowerIntervals | None
    """How sure the discriminative power itself is, under the first of the tests."""
    bayesian: BayesianComparison | None
    """For every pair the probability that either system is better by more than matters, or neither."""
    independent: tuple[PairwiseResult, ...]
    """What the t test would claim if topics that come in clusters were independent; empty where they do not."""
    identical: tuple[tuple[str, ...], ...]
    """Systems with equal scores under every metric; they stay in the count of pairs."""
    notes: tuple[str, ...]
    """What was assumed, filled or dropped on the way."""
    provenance: Provenance
    """What produced the study."""

    def _found(self) -> str:
        first = self.comparisons[0]
        return f"{first.procedure.label}, {first.correction}: {pairs_that_differ(first.data['significant'])}"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric, test and correction, metrics in order and the tests of one metric together.

        The columns are those of the command line's JSON. The difference required belongs to the bootstrap
        sensitivity method, and to randomised Tukey (as the quantile of the range); it is missing elsewhere. Where a
        region of practical equivalence was asked for, what is decided of the metric's pairs with a probability above
        .95 stands in every row of the metric: ``n_apart`` (either system is better by more than the region),
        ``n_equivalent`` and ``n_undecided``, with ``rope`` and ``bayesian``, the model.
        """
        frame = pd.concat([_rows(result) for result in self.comparisons], ignore_index=True)
        if self.sensitivity is not None:
            frame = _with_differences(frame, self.sensitivity)
        if self.intervals is not None:
            frame = _with_intervals(frame, self.intervals)
        columns = [name for name in _COLUMNS if self.intervals is not None or name not in _BOUNDS]
        frame = frame.reindex(columns=columns)
        if self.bayesian is not None:
            frame = _with_probabilities(frame, self.bayesian)
        order = {name: position for position, name in enumerate(self.scores["metric"].to_numpy())}
        return frame.sort_values("metric", key=lambda names: names.map(order), kind="stable", ignore_index=True)

    def system_means(self, *, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return the mean of every system with its interval and rank; see `means_of_systems`."""
        return means_of_systems(self.scores, confidence_level=confidence_level)

    def find(self, test: str, correction: str) -> PairwiseResult:
        """Return the comparison by this test and correction, or say which there are."""
        for result in self.comparisons:
            if (result.test, result.correction) == (test, correction):
                return result
        present = ", ".join(f"{result.test} with {result.correction}" for result in self.comparisons)
        raise InvalidOptionError(f"this study holds no {test} with {correction}; it holds {present}")


def study_power(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    tests: str | Sequence[str] | None = None,
    corrections: str | Sequence[str] = ("none", "fdr_bh", "fdr_by"),
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    choose: str | int = "all",
    n_topic_resamples: int | None = None,
    confidence_level: float = 0.95,
    rope: Rope | None = None,
    bayesian: BayesianModel = "t",
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> PowerStudy:
    """Test every pair of systems under each metric, and count the significant pairs.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
    tests : str or sequence of str, optional
        Names of `metaeval.tests_stat.catalogue.TESTS`. By default the paired t test, whose uncorrected count is the
        discriminative power that all commands tell and whose corrected p-values decide about pairs, and Sakai's
        method, which counts as published and gives the difference required. Where topics come in fewer than ten
        clusters the latter cannot be had, which is noted.
    corrections : str or sequence of str
        Of `metaeval.tests_stat.correction.CORRECTIONS`. A test that adjusts its own p-values adds its
        "family-wise" ones. Bootstrap sensitivity stands uncorrected, as published: its p-values k/B can be 0, which
        no correction can do anything about.
    alternative : {"two-sided", "greater", "less", "better"}
        Must be "two-sided" for bootstrap sensitivity and Tukey's HSD.
    alpha : float, default 0.05
        Significance level.
    n_resamples : int, optional
        B of every resampling test; each test's own default otherwise (bootstrap 1000).
    p_value_rule : {"plus-one", "plain"}
        For resampling tests; bootstrap sensitivity is always plain, as published.
    choose : {"all", "one-per-group"} or int
        Which systems to compare; see `metaeval.table.scores.select_runs`.
    n_topic_resamples : int, optional
        Topic resamples for the intervals of discriminative power under the first of `tests`; None leaves them out.
    confidence_level : float, default 0.95
        Of those intervals.
    rope : float or mapping of str to float, optional
        Region of practical equivalence: mean differences up to this size do not matter, in the metric's own unit, one
        size for all metrics or metric to size. With it every pair gets the probability that either system is better
        by more than that, or that the two are practically equal [3]_.
    bayesian : {"t", "hierarchical", "pymc"}
        How those probabilities are found: pair by pair in closed form (`metaeval.models.bayesian_t`), or in one model
        of all systems that draws extreme ones towards the others (`metaeval.models.hierarchical`); "pymc" samples that
        model, half a minute a metric, as a check.
    rng : None, int or numpy.random.Generator
        Every test starts from the same seed, so that its result does not depend on which others are asked.
    n_threads : int, optional
        Cores to use; the result does not depend on it.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    PowerStudy
        One row a ``metric``, ``test`` and ``correction`` in ``to_frame()``: ``n_significant`` of ``n_pairs`` and
        ``power``, their share (0 to 1); ``difference_required`` with its ``_median`` and ``_p95``, in units of the
        metric (NaN where no pair is significant); ``alternative``, ``alpha``, ``n_systems``, ``n_topics``;
        ``n_resamples`` and ``random_source``, missing where the test draws nothing. The tests themselves are in
        ``comparisons``.

    Raises
    ------
    ScoresError, InvalidOptionError
        As the tests raise them; `UnknownNameError` for an unknown test or correction.

    See Also
    --------
    metaeval.questions.agree.study.study_agree
    metaeval.tests_stat.comparison.compare_systems

    References
    ----------
    .. [1] Sakai (2006). Evaluating evaluation metrics based on the bootstrap. SIGIR. :doi:`10.1145/1148170.1148261`
    .. [2] Sakai and Kando (2008), section 5. :doi:`10.1007/s10791-008-9059-7`
    .. [3] Benavoli, Corani, Demšar and Zaffalon (2017). Journal of Machine Learning Research 18(77).

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> study = study_power(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
    >>> study.to_frame()[["metric", "test", "correction", "n_pairs"]].head(2)
      metric test correction  n_pairs
    0     AP    t       none       10
    1     AP    t     fdr_bh       10
    """
    names = TESTS.several(DEFAULT_TESTS if tests is None else tests)
    corrections = CORRECTIONS.several(corrections)
    check_question(names, corrections, alternative)
    check_share(alpha, "alpha")
    check_resampling(n_resamples, p_value_rule, n_threads)
    check_intervals(n_topic_resamples, confidence_level)
    check_choice(bayesian, "Bayesian model", get_args(BayesianModel))
    seed = resolve_seed(rng)
    asked = Tested(alternative, alpha, n_resamples, p_value_rule, seed, n_threads)
    chosen, notes = chosen_systems(scores, choose, seed, uses=WHOLE)
    if why := _cannot_be_drawn(chosen):
        if tests is None:
            names.remove(SENSITIVITY)
            notes = (*notes, f"bootstrap sensitivity was left out: {why}")
        if n_topic_resamples:
            n_topic_resamples = None
            notes = (*notes, f"intervals of discriminative power were left out: {why}")
    if rope is not None:
        check_rope(rope, chosen["metric"].to_numpy().tolist())
    sensitivity: SensitivityResult | None = None
    comparisons: list[PairwiseResult] = []
    for name in track(names, description="Testing pairs", total=len(names)):
        if name == SENSITIVITY:  # as the test, and with the difference required
            size = 1000 if n_resamples is None else n_resamples
            sensitivity = bootstrap_sensitivity(chosen, n_resamples=size, alpha=alpha, rng=seed, n_threads=n_threads)
            first = decided_by_groups(sensitivity.comparison(), chosen)
        else:
            test_correction = TESTS.find(name).own_correction
            first = compare_systems(chosen, test=name, correction=test_correction, **asked._asdict())
        comparisons += _under_corrections(first, corrections)
        notes = (*notes, *test_notes(first, chosen), *interval_notes(first, chosen))
    intervals = None
    shown = [result.correction for result in comparisons if result.test == names[0]] if n_topic_resamples else []
    shown, left_out = with_levels(shown, "intervals of discriminative power")
    if n_topic_resamples and shown:
        intervals = discriminative_power_interval(
            chosen,
            test=names[0],
            corrections=shown,
            n_topic_resamples=n_topic_resamples,
            confidence_level=confidence_level,
            **asked._asdict(),
        )
    probabilities = None
    if rope is not None:
        together = partial(hierarchical, method="pymc" if bayesian == "pymc" else "quadrature", rng=seed)
        probabilities = bayesian_t(chosen, rope=rope) if bayesian == "t" else together(chosen, rope=rope)
    return PowerStudy(
        scores=chosen,
        sensitivity=sensitivity,
        comparisons=tuple(comparisons),
        intervals=intervals,
        bayesian=probabilities,
        independent=_as_if_independent(chosen, comparisons, asked),
        identical=identical_systems(chosen),
        notes=(*notes, *left_out),
        provenance=provenance or record_provenance("study_power", random_source=f"seed {seed}"),
    )


def _as_if_independent(
    scores: Scores, comparisons: Sequence[PairwiseResult], asked: Tested
) -> tuple[PairwiseResult, ...]:
    corrections = [result.correction for result in comparisons if result.test == "t"]
    if not corrections or not units_of(scores).clustered:
        return ()
    first = compare_systems(with_clusters(scores, "ignore"), test="t", correction=corrections[0], **asked._asdict())
    return tuple(first if name == corrections[0] else first.with_correction(name) for name in corrections)


def _cannot_be_drawn(scores: Scores) -> str:
    """Say why clusters, or topics inside strata, cannot be resampled; nothing where they can."""
    try:
        with speaking_of(unit_of(scores)):
            check_resampling_of(units_of(scores), what="it", instead="only the t test is computed")
    except InvalidOptionError as error:
        return str(error)
    return ""


def _under_corrections(result: PairwiseResult, corrections: Sequence[str]) -> list[PairwiseResult]:
    if result.correction == FAMILY_WISE:
        if result.family_wise_only:
            return [result]
        return [*(result.with_correction(name) for name in corrections), result]
    if TESTS[result.test].plain_p:
        return [result]
    return [result.with_correction(name) if name != result.correction else result for name in corrections]


_BOUNDS = ("power_low", "power_high")
_COLUMNS = (
    *("metric", "test", "correction", "alternative", "alpha", "n_systems", "n_topics", "n_significant", "n_pairs"),
    *("power", *_BOUNDS, "difference_required", "difference_required_median", "difference_required_p95"),
    *("n_resamples", "random_source"),
)


def _rows(result: PairwiseResult) -> pd.DataFrame:
    return result.discriminative_power().assign(
        test=result.test,
        correction=result.correction,
        alternative=result.alternative,
        alpha=result.alpha,
        n_systems=result.n_systems,
        n_topics=result.n_topics,
        n_resamples=pd.array([result.n_resamples] * len(result.metrics), dtype="Int64"),
        random_source=result.random_source,
        difference_required=result.details.get("difference_required"),
    )


def _with_differences(frame: pd.DataFrame, sensitivity: SensitivityResult) -> pd.DataFrame:
    columns = ["difference_required", "difference_required_median", "difference_required_p95"]
    summary = sensitivity.summary().set_index("metric")[columns]
    published = (frame["test"] == SENSITIVITY) & (frame["correction"] == "none")
    frame["difference_required"] = pd.to_numeric(frame["difference_required"])
    for column in columns:
        if column not in frame:
            frame[column] = np.nan
        frame.loc[published, column] = frame.loc[published, "metric"].map(summary[column])
    return frame


def _with_intervals(frame: pd.DataFrame, intervals: PowerIntervals) -> pd.DataFrame:
    bounds = intervals.to_frame()
    keys = ["metric", "test", "correction"]
    return frame.merge(bounds[[*keys, "low", "high"]], on=keys, how="left").rename(
        columns={"low": "power_low", "high": "power_high"}
    )


def _with_probabilities(frame: pd.DataFrame, bayesian: BayesianComparison) -> pd.DataFrame:
    decided = bayesian.discriminative_power().set_index("metric")
    decided = decided.assign(rope=pd.Series(bayesian.rope), bayesian=bayesian.model)
    return frame.join(decided[["bayesian", "rope", "n_apart", "n_equivalent", "n_undecided"]], on="metric")
