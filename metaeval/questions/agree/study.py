"""Do two metrics, or two ways to use the grades, lead to the same conclusions? From scores to an agreement study."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd

from metaeval.agreement.decisions import DecisionAgreement, decision_agreement
from metaeval.base.checks import check_kind, check_list, check_number, check_share
from metaeval.base.metric_names import MetricNameError, parse_name, split_names
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.collection.documents import JudgedCollection
from metaeval.errors import InvalidOptionError, MetaevalError, ScoresError, UnknownNameError, warn
from metaeval.metrics.registry import Registry
from metaeval.metrics.scoring import score
from metaeval.questions.agree.study_element_uses import FIXED, GENERALISED, LINEAR, MERGED
from metaeval.questions.agree.study_variants import Variant, audited
from metaeval.resampling.agreement_interval import AgreementIntervals, agreement_intervals, powers_of
from metaeval.resampling.options import check_intervals, check_resampling, check_test
from metaeval.running.draws import RNGLike, resolve_seed
from metaeval.running.parallel import reporting
from metaeval.studies.study import Study, chosen_systems, few_systems_note, test_notes
from metaeval.table.scores import Scores, identical_systems
from metaeval.table.traits import DRAWN
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, with_levels
from metaeval.tests_stat.pairs import Alternative, PValueRule
from metaeval.tests_stat.result import PairwiseResult

_FEWEST = 5
_MANY = 0.1
"""Share of topics on which one of two metrics is 0 for every system, from which on the others are looked at alone."""


class ScoredTopics(NamedTuple):
    """Two metrics where both score something: a metric that finds nothing on a topic is 0 there for every system."""

    metric: str
    """The one that is 0 on most topics."""
    n_zero: int
    """These topics."""
    agreement: DecisionAgreement
    """On the topics where neither is 0 for every system."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AgreeStudy(Study):
    """Result of `metaeval agree`."""

    reported_by: ClassVar[str] = "metaeval.questions.agree.page:agree_report"

    scores: Scores
    """The systems that were compared (after the choice of runs)."""
    agreements: tuple[DecisionAgreement, ...]
    """One per test and correction, in the order asked; the first is the one that the summary tells of."""
    intervals: AgreementIntervals | None
    """Intervals over topics for the first of them."""
    variants: tuple[Variant, ...]
    """The uses of the grades, in an audit; empty otherwise."""
    pairs: tuple[tuple[str, str], ...]
    """Predictor and truth of the pairs of metrics to look at closely; without any the study chooses."""
    min_f1: float
    """The F1 from which two metrics are called interchangeable for conclusions about systems."""
    identical: tuple[tuple[str, ...], ...]
    """Systems with equal scores under every metric; they stay among the pairs."""
    notes: tuple[str, ...]
    """What was assumed, filled or dropped on the way."""
    provenance: Provenance
    scored: ScoredTopics | None = None
    """Of two metrics one of which is 0 for every system on a tenth of the topics or more."""

    @property
    def lead(self) -> DecisionAgreement:
        """The first agreement."""
        return self.agreements[0]

    def to_frame(self) -> pd.DataFrame:
        """Return one row an ordered pair of metrics, test, correction and level; intervals where there are any.

        The columns are ``predictor`` and ``truth``, ``test``, ``correction`` and ``alpha``; significant pairs
        ``n_predictor``, ``n_truth``, ``n_shared`` and ``n_conflicts`` of ``n_pairs``; ``n_missed``, of the truth alone,
        with ``n_undetectable`` of these; ``share_predictor`` and ``share_truth``; ``precision``, ``recall``, ``f1``,
        ``balanced_accuracy``, ``mcc`` and ``type_2`` (the share missed) with their ``_low`` and ``_high`` (0 to 1; mcc
        from -1); ``tau``, ``tau_ap`` and ``rho`` of the means (-1 to 1, NaN where a metric ties all systems).
        """
        frames = [agreement.to_frame() for agreement in self.agreements]
        if self.intervals is not None:
            frames[0] = self.intervals.to_frame()
        return pd.concat(frames, ignore_index=True)

    def shares(self) -> pd.DataFrame:
        """Return one row a level and metric of the first agreement: n_significant, share, and low and high if known."""
        if self.intervals is not None:
            return self.intervals.shares()
        data = self.lead.data[["n_significant", "share"]].to_dataframe().reset_index()
        return data[["alpha", "metric", "n_significant", "share"]].assign(low=np.nan, high=np.nan)

    def powers(self) -> pd.DataFrame:
        """Return the discriminative powers of the first test at the first level, uncorrected and corrected.

        One row a metric and correction: metric, test, correction, n_significant, power, low, high (NaN without
        intervals). Where Benjamini and Yekutieli decide, those under Benjamini and Hochberg too, without intervals.
        """
        lead = self.lead.result
        parts = []
        for result in (*self._otherwise_corrected(), lead):
            n_significant = (result.verdicts(self.lead.alphas[0]) != 0).sum(axis=1)
            row = {
                "metric": lead.metrics,
                "test": lead.test,
                "correction": result.correction,
                "n_significant": n_significant,
            }
            parts.append(pd.DataFrame(row).assign(power=n_significant / lead.n_pairs))
        frame = pd.concat(parts, ignore_index=True)
        if self.intervals is None:
            return frame.assign(low=np.nan, high=np.nan)
        bounds = self.intervals.powers[0].to_frame()[["metric", "correction", "low", "high"]]
        return frame.merge(bounds, on=["metric", "correction"], how="left")

    def _otherwise_corrected(self) -> list[PairwiseResult]:
        """Return the first test uncorrected, and where Benjamini and Yekutieli decide by Benjamini and Hochberg."""
        lead = self.lead.result
        others = [lead.with_correction(name) for name in powers_of(lead) if name != lead.correction]
        return [result for result in (*others, lead.beside()) if result is not None]

    def conflicts_otherwise(self, predictor: str, truth: str) -> dict[str, int]:
        """Return by correction the pairs that would be significant in opposite directions, those of the lead left out.

        Parameters
        ----------
        predictor, truth : str
        """
        at = [self.lead.metrics.index(name) for name in (predictor, truth)]
        signs = {result.correction: result.verdicts(self.lead.alphas[0])[at] for result in self._otherwise_corrected()}
        return {name: int((first * second == -1).sum()) for name, (first, second) in signs.items()}

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Return the metrics to be shown side by side: those of one base each in an audit, else all of them.

        Merged grades are left out; `grades` tells of them.
        """
        if not self.variants:
            return {"": self.lead.metrics}
        unmerged = [variant for variant in self.variants if variant.kind != MERGED]
        bases = dict.fromkeys(variant.base for variant in unmerged)
        return {base: tuple(v.metric for v in unmerged if v.base == base) for base in bases}

    def reference(self, base: str = "") -> str:
        """Return the metric that others are compared with: the first, or in an audit the linear or generalised one."""
        members = self.groups()[base]
        kinds = {variant.metric: variant.kind for variant in self.variants}
        return next((name for name in members if kinds.get(name) in {LINEAR, GENERALISED}), members[0])

    def grades(self) -> pd.DataFrame:
        """Return what becomes of each metric's conclusions when it is blind to the difference of two neighbour grades.

        One row a base and boundary: base, boundary ("1 and 2", "exhaustivity 1 and 2"), metric (the blind one),
        reference, then the columns of `to_frame` at the first level (precision, recall and f1 of the blind one as a
        predictor of the reference, n_conflicts). For metrics with gains the two grades get one gain between them
        (level 1 loses its own where it is merged with 0); those with a binary threshold have no row. Where
        specificity is a share (INEX 2005), it is seen as a step: all of it is lost but whether it reaches a share.
        """
        frame = self.to_frame().iloc[: self._rows_of_first_level()]
        rows = []
        for variant in self.variants:
            if variant.boundary is None:
                continue
            reference = self.reference(variant.base)
            row = frame[(frame["predictor"] == variant.metric) & (frame["truth"] == reference)].iloc[0].to_dict()
            names = {"base": variant.base, "boundary": variant.boundary}
            rows.append(names | {"metric": variant.metric, "reference": reference} | row)
        if not rows:
            return pd.DataFrame(columns=["base", "boundary", "metric", "reference"])
        grade_frame = pd.DataFrame(rows)
        merged = all(variant.kind == MERGED for variant in self.variants if variant.boundary is not None)
        order = ["base"] if merged else ["base", "boundary"]  # two grades: binary from one on is blind to the other
        return grade_frame.sort_values(order, kind="stable", ignore_index=True)

    def _rows_of_first_level(self) -> int:
        n = len(self.lead.metrics)
        return n * (n - 1)


def study_agree(  # noqa: PLR0913 - every option of the command
    scores: object,
    *,
    tests: str | Sequence[str] = ("t",),
    corrections: str | Sequence[str] = ("fdr_by",),
    alphas: float | Sequence[float] = 0.05,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    choose: str | int = "all",
    n_topic_resamples: int | None = 200,
    confidence_level: float = 0.95,
    min_f1: float = 0.9,
    pairs: Sequence[str | tuple[str, str]] = (),
    variants: Sequence[Variant] = (),
    notes: Sequence[str] = (),
    rng: RNGLike = None,
    n_threads: int | None = None,
    provenance: Provenance | None = None,
) -> AgreeStudy:
    """Measure how far metrics lead to the same conclusions about systems, with intervals.

    Parameters
    ----------
    scores : Scores or anything `metaeval.as_scores` takes
        At least two metrics. The first is taken as the one in use.
    tests, corrections : sequence of str
        Every test with every correction; a test that adjusts its own p-values takes only those.
    alphas : float or sequence of float, default 0.05
    alternative, n_resamples, p_value_rule
        See `metaeval.agreement.decisions.decision_agreement`.
    choose : {"all", "one-per-group"} or int
        Which systems to compare; see `metaeval.table.scores.select_runs`.
    n_topic_resamples : int or None, default 200
        Resamples of the topics for the intervals, which the first test and correction get; None leaves them out.
    confidence_level : float, default 0.95
    min_f1 : float, default 0.9
        The F1 from which two metrics are called interchangeable; a convention (Ogilvie and Lalmas call .9 reasonably
        high and .75 rather low).
    pairs : sequence of str or (str, str)
        Pairs of metrics, ``"MAep(quant=Gen5),MAep(quant=GenLifted)"``, whose disagreement is drawn.
    variants : sequence of Variant
        What the metrics are, in an audit (`audit_variants`).
    notes : sequence of str
        What to say beside what the study finds to say.
    rng : None, int or numpy.random.Generator
        Every test starts from the same seed.
    n_threads : int, optional
        Cores to use; the result does not depend on it.
    provenance : Provenance, optional
        A record made before the files were read; one is made here otherwise.

    Returns
    -------
    AgreeStudy
        Columns: `AgreeStudy.to_frame`.

    Raises
    ------
    ScoresError, InvalidOptionError
        As the tests raise them; `UnknownNameError` for an unknown test or correction.

    See Also
    --------
    metaeval.questions.power.study.study_power
    metaeval.questions.compare_metrics.study.study_compare_metrics

    References
    ----------
    .. [1] Ogilvie and Lalmas (2006), section 3.4. :doi:`10.1145/1183614.1183631`

    Examples
    --------
    >>> from metaeval import simulate_scores
    >>> study = study_agree(simulate_scores(n_systems=5, n_topics=20, rng=1), tests=["t"], rng=1)
    >>> study.to_frame()[["predictor", "truth", "n_pairs"]].head(1)
      predictor    truth  n_pairs
    0        AP  nDCG@10       10
    """
    check_number(min_f1, "min_f1", above=0, most=1)
    tests, corrections = TESTS.several(tests), CORRECTIONS.several(corrections)
    for test in tests:
        check_test(test, alternative=alternative)
    for alpha in np.atleast_1d(alphas).tolist():
        check_share(alpha, "alphas")
    for variant in check_list(variants, "variants", []):
        check_kind(variant, "variants", "Variant")
    check_resampling(n_resamples, p_value_rule, n_threads)
    check_intervals(n_topic_resamples, confidence_level)
    seed = resolve_seed(rng)
    chosen, collected_notes = chosen_systems(scores, choose, seed, uses=DRAWN)
    looked_at = _named_pairs(check_list(pairs, "pairs", ["AP,RR"]), [str(name) for name in chosen["metric"].to_numpy()])
    agreements: list[DecisionAgreement] = []
    ask = partial(decision_agreement, alphas=alphas, alternative=alternative, n_resamples=n_resamples)
    ask = partial(ask, p_value_rule=p_value_rule, rng=seed, n_threads=n_threads)
    for name in tests:
        test_corrections = _corrections_of(name, corrections)
        first = ask(chosen, test=name, correction=test_corrections[0])
        collected_notes = (*collected_notes, *test_notes(first.result, chosen))
        agreements += [first, *(first.with_correction(correction) for correction in test_corrections[1:])]
    intervals, lead = None, agreements[0].result
    shown, left_out = with_levels([lead.correction] if n_topic_resamples else [], "intervals of agreement")
    if n_topic_resamples and shown:
        intervals = agreement_intervals(
            chosen,
            agreement=agreements[0],
            n_resamples=lead.n_resamples,
            n_topic_resamples=n_topic_resamples,
            confidence_level=confidence_level,
            rng=seed,
            n_threads=n_threads,
        )
    return AgreeStudy(
        scores=chosen,
        agreements=tuple(agreements),
        intervals=intervals,
        variants=tuple(variants),
        pairs=looked_at,
        min_f1=float(min_f1),
        identical=identical_systems(chosen),
        notes=(*collected_notes, *left_out, *few_systems_note(chosen.sizes["system"]), *notes, *_fixed_note(variants)),
        provenance=provenance or record_provenance("study_agree", random_source=f"seed {seed}"),
        scored=_where_both_score(chosen, partial(ask, test=lead.test, correction=lead.correction)),
    )


def _where_both_score(scores: Scores, ask: Callable[[Scores], DecisionAgreement]) -> ScoredTopics | None:
    """Compare two metrics on the topics where neither is 0 for every system, if many are others."""
    values = scores.transpose("metric", "system", "topic").to_numpy()
    zero = ((values == 0) | np.isnan(values)).all(axis=1) & np.isfinite(values).any(axis=1)
    n_zero, some = zero.sum(axis=1), ~zero.any(axis=0)
    if len(n_zero) != len(("predictor", "truth")) or not n_zero.max() >= _MANY * len(some) or some.sum() < _FEWEST:
        return None
    try:
        agreement = ask(scores.isel(topic=np.flatnonzero(some)))
    except ScoresError:  # clusters or strata of which these topics leave too few
        return None
    return ScoredTopics(str(scores["metric"].to_numpy()[n_zero.argmax()]), int(n_zero.max()), agreement)


def audit_quantisations(  # noqa: PLR0913 - what scoring and the study may be told
    collection: JudgedCollection,
    metrics: str | Iterable[str],
    *,
    gains: str | Iterable[str] = (),
    registry: Registry | None = None,
    n_threads: int | None = None,
    undefined: str | None = None,
    tests: str | Sequence[str] = ("t",),
    corrections: str | Sequence[str] = ("fdr_by",),
    alphas: float | Sequence[float] = 0.05,
    alternative: Alternative = "two-sided",
    n_resamples: int | None = None,
    p_value_rule: PValueRule = "plus-one",
    choose: str | int = "all",
    n_topic_resamples: int | None = 200,
    confidence_level: float = 0.95,
    min_f1: float = 0.9,
    pairs: Sequence[str | tuple[str, str]] = (),
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> AgreeStudy:
    """Test which grades of the judgments matter for the conclusions about systems.

    Every metric is computed under every use of the grades that it knows, and their conclusions are compared.

    Parameters
    ----------
    collection : Collection or ElementCollection
    metrics : str or iterable of str
        Names of metrics, ``"AP,nDCG@10,ERR"`` or ``["AP", "nDCG@10", "ERR"]``, for elements ``"MAep,nxCG@10"``; see
        `audit_variants`.
    gains : str or iterable of str
        Further quantisations, ``"{1:1, 2:5, 3:10}"`` or the names of registered ones; for elements
        ``"BinExh(min_size=100)"``.
    registry, n_threads, undefined
        See `metaeval.score`.
    tests, corrections, alphas, alternative, n_resamples, p_value_rule, choose
        See `study_agree`.
    n_topic_resamples, confidence_level, min_f1, pairs, rng, provenance
        Likewise.

    Returns
    -------
    AgreeStudy
        The rows of `AgreeStudy.to_frame`, each metric under each use of the grades; ``variants`` holds these uses.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> runs = {"a": {"1": ["d1", "d2"], "2": ["d5"]}, "b": {"1": ["d2", "d1"], "2": ["d4", "d5"]}}
    >>> qrels = {"1": {"d1": 2, "d2": 1}, "2": {"d5": 1}}
    >>> collection = collection_from_rankings(runs, qrels)
    >>> study = audit_quantisations(collection, "nDCG@10", tests=["t"], n_topic_resamples=None, rng=0)
    >>> [variant.words for variant in study.variants][:3]
    ['linear', 'binary ≥ 1', 'binary ≥ 2']
    """
    check_kind(collection, "collection", "JudgedCollection")
    variants, notes = audited(collection, metrics, gains=gains, registry=registry)
    scoring = partial(score, collection, undefined=undefined, registry=registry, n_threads=n_threads)  # type: ignore[arg-type]  # checked there
    scores, variants, left_out = _score_variants(scoring, variants)
    return study_agree(
        scores,
        tests=tests,
        corrections=corrections,
        alphas=alphas,
        alternative=alternative,
        n_resamples=n_resamples,
        p_value_rule=p_value_rule,
        choose=choose,
        n_topic_resamples=n_topic_resamples,
        confidence_level=confidence_level,
        min_f1=min_f1,
        pairs=pairs,
        variants=variants,
        notes=(*notes, *left_out),
        rng=rng,
        n_threads=n_threads,
        provenance=provenance,
    )


def _score_variants(
    scoring: Callable[[Sequence[str]], Scores], variants: Sequence[Variant]
) -> tuple[Scores, tuple[Variant, ...], list[str]]:
    """Score the uses of the grades; those that cannot be scored are left out, with a note of each and why."""
    try:
        return scoring([variant.metric for variant in variants]), tuple(variants), []
    except MetaevalError as error:
        first = error
    scorable, notes = [], []
    for variant in variants:
        try:
            with reporting(None):
                scoring([variant.metric])
        except MetaevalError as error:
            notes.append(f"{variant.metric} is left out of the audit: {error}")
        else:
            scorable.append(variant)
    scorable = _beside_references(scorable, notes)
    if len(scorable) < 2 or not notes:  # noqa: PLR2004 - a comparison needs two
        raise first
    for note in notes:
        warn(note)
    return scoring([variant.metric for variant in scorable]), tuple(scorable), notes


def _beside_references(variants: Sequence[Variant], notes: list[str]) -> list[Variant]:
    """Take away what is blind to a boundary where the use that it is compared with is left out, and note that."""
    bases = {variant.base for variant in variants if variant.kind in {LINEAR, GENERALISED}}
    alone = [variant for variant in variants if variant.boundary is not None and variant.base not in bases]
    notes.extend(
        f"{variant.metric} is left out of the audit: what it is compared with is left out"
        for variant in alone
        if variant.kind == MERGED
    )
    return [
        replace(variant, boundary=None) if variant in alone else variant
        for variant in variants
        if variant not in alone or variant.kind != MERGED
    ]


def _corrections_of(test: str, corrections: Sequence[str]) -> list[str]:
    spec = TESTS.find(test)
    return [*(() if spec.family_wise_only else corrections), *([FAMILY_WISE] * spec.family_wise)]


def _named_pairs(pairs: Sequence[str | tuple[str, str]], metrics: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Find the metrics that pairs name, however their names are spaced and their parameters ordered."""
    name_of = {_normal_name(name): name for name in metrics}
    metric_pairs = []
    for pair in pairs:
        names = split_names(pair) if isinstance(pair, str) else check_list(pair, "pairs", ["AP", "RR"])
        if len(names) != 2 or names[0] == names[1]:  # noqa: PLR2004 - a pair
            raise InvalidOptionError(
                "each of pairs must be two different metrics with a comma between them, such as "
                f"{','.join(metrics[:2])}, not {pair!r}"
            )
        for name in names:
            if _normal_name(name) not in name_of:
                raise UnknownNameError("metric to pair", name, metrics)
        metric_pairs.append((name_of[_normal_name(names[0])], name_of[_normal_name(names[1])]))
    return tuple(dict.fromkeys(metric_pairs))


def _normal_name(name: str) -> str:
    try:
        return str(parse_name(name)).casefold()
    except MetricNameError:
        return name


def _fixed_note(variants: Sequence[Variant]) -> list[str]:
    fixed = [variant.metric for variant in variants if variant.kind == FIXED]
    if not fixed:
        return []
    verb = "uses" if len(fixed) == 1 else "use"
    return [f"{', '.join(fixed)} {verb} the grades in one way only as named, so no other uses are compared"]
