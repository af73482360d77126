"""May this judge decide between my systems? Labels, conclusions, group bias, and what the judge is worth."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement import runs_under_judges as under_judges
from metaeval.agreement.alt_test import AltTest, Scoring, alt_test_of
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.judge_bias import FavouredGroups, favoured_by_covariate, favoured_groups
from metaeval.agreement.labels import Labels, of_judges
from metaeval.agreement.panels import JudgePanel, judge_panel
from metaeval.agreement.repeats import JudgeRepeats, judge_repeats
from metaeval.agreement.runs_under_judges import ScoresOfJudges
from metaeval.agreement.scale_maps import ScaleMap
from metaeval.agreement.score_correction import CorrectedScores, corrected_scores
from metaeval.base.checks import check_choice, check_kind, check_list, check_mapping, check_number, check_share, refused
from metaeval.base.names import first_few
from metaeval.base.provenance import Provenance, record_provenance
from metaeval.base.unit import ITEM, LABELLED_NUGGETS, Unit, speaking_of, unit, unit_of
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.errors import EstimationError, InvalidOptionError, MetaevalError, ScoresError
from metaeval.inex.assessments import Assessments
from metaeval.inex.assessor_agreement import means_of_pairs
from metaeval.io.judge_scores import frame_of_answers
from metaeval.metrics.registry import Registry
from metaeval.metrics.scoring import note_on_grades
from metaeval.models.components import VarianceComponents, variance_components
from metaeval.models.judge_worth import TopicsWithJudge, topics_with_judge, visible_worth
from metaeval.questions.judges.study_labels import (
    CORRECTED,
    NUMBERED,
    ConclusionOptions,
    JudgeOptions,
    Labelling,
    labelling_of,
)
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.resampling.judge_verdicts import judge_verdicts
from metaeval.resampling.options import check_test
from metaeval.running.draws import RNGLike, resolve_rng, resolve_seed
from metaeval.running.parallel import track
from metaeval.studies.study import Attempts, Study
from metaeval.table.scores import Scores, as_scores
from metaeval.tests_stat.prediction_powered import PredictionPowered, prediction_powered

_COLUMNS = ("metric", "first", "second", "statistic", "value", "low", "high")
ABOUT_SYSTEMS = "Conclusions about systems"
"""What is not answered without runs, or without items on which judges could differ."""
_LABELS = "Agreement of labels"
_WORTH = ("worth", "n_equivalent", "n_needed")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeStudy(Study):
    """Verdicts on judges, with the evidence."""

    reported_by: ClassVar[str] = "metaeval.questions.judges.page:judges_report"

    labelling: Labelling | None = None
    """What the labels say; None where scores under judges or annotations were given."""
    annotated: AltTest | None = None
    """The alt-test, where annotations were given."""
    scores: Mapping[str, ScoresOfJudges] = field(default_factory=dict)
    """For every metric the scores of the runs under each judge, who stand in place of the metrics."""
    effects: pd.DataFrame = field(default_factory=pd.DataFrame)
    """Without a reference: one row a metric and pair of judges, ``first`` being taken as the truth: rank correlations
    of the runs' means, precision, recall and F1 of the pairs of runs that are significantly different under
    ``second``, and conflicts. Empty otherwise."""
    conclusions: dict[str, JudgeConclusions] = field(default_factory=dict)
    """By metric, what is concluded under each judge beside the reference and beside people."""
    group_bias: dict[str, FavouredGroups] = field(default_factory=dict)
    """By metric, which groups of systems a judge favours."""
    by_covariate: dict[str, FavouredGroups] = field(default_factory=dict)
    """By metric, whether a judge favours systems with more of a covariate."""
    worth: dict[tuple[str, str], TopicsWithJudge] = field(default_factory=dict)
    """By metric and judge, what the judge is worth in human topics."""
    powered: dict[tuple[str, str], PredictionPowered] = field(default_factory=dict)
    """The same where the judge has scored topics that people have not: all pairs compared by both together."""
    repeats: dict[str, JudgeRepeats] = field(default_factory=dict)
    """By metric, where a judge labelled more than once."""
    panels: dict[str, VarianceComponents] = field(default_factory=dict)
    """By metric, where the variance of scores under several judges comes from."""
    panel_worth: dict[str, JudgePanel] = field(default_factory=dict)
    """By metric, how many independent judges they are worth by their errors in differences between systems."""
    corrected: dict[str, CorrectedScores] = field(default_factory=dict)
    """By metric, of scores of 0 and 1: what systems score where the judge alone labelled, corrected for its errors."""
    verdicts: pd.DataFrame
    """One row a judge: what the rules of `metaeval.resampling.judge_verdicts` say."""
    reference: str | None
    people: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    margin: float
    confidence_level: float
    unanswered: Mapping[str, str]
    """What the input cannot answer, with the reason."""
    notes: tuple[str, ...]
    provenance: Provenance
    has_runs: bool = False
    """Whether runs were given beside labels; else what to pass is advised in place of conclusions."""
    scores_are_labels: bool = False
    """Whether the scores under judges are labels of answers, and their agreement was asked for beside."""

    @property
    def alt(self) -> AltTest | None:
        """The alt-test of labels or annotations; None where there is none."""
        return self.annotated if self.labelling is None else self.labelling.alt

    def _unit(self) -> Unit:
        """Return the words for labels of nuggets where scores follow from labels; else those for what was drawn."""
        labels = None if self.has_runs or self.labelling is None else self.labelling.labels
        return _unit_of(None if self.scores_are_labels else labels, self.scores)

    def to_frame(self) -> pd.DataFrame:
        """Return flat rows: ``metric``, ``first``, ``second``, ``statistic``, ``value``, ``low``, ``high``.

        Agreement of labels has no metric; of conclusions, bias and worth ``first`` is the reference, whose own power
        stands in a row with itself, or, where judges are compared with it on different topics, with each judge as
        ``reference_power``. Means over topics of what is said of elements and characters have names such as
        ``elements: both``, groups and covariates such as ``bias: GROUP`` and ``bias, adjusted:
        GROUP``, and what a judge with more topics says on as many as the reference has such as ``same number: power``.
        """
        parts = [] if self.labelling is None else _of_labels(self.labelling)
        if self.alt is not None:
            rates = ["winning_rate", "advantage_probability"]
            long = self.alt.judges.melt("judge", rates, var_name="statistic", value_name="value")
            parts.append(long.rename(columns={"judge": "second"}).assign(first="people"))
        if not self.effects.empty:
            names = [name for name in under_judges.EFFECTS if name in self.effects]
            keys = ["metric", "first", "second"]
            parts.append(self.effects.melt(keys, names, var_name="statistic", value_name="value"))
        frames = [(metric, rows) for metric, table in self.conclusions.items() for rows in _of_conclusions(table)]
        for bias in (self.group_bias, self.by_covariate):
            frames += [(metric, rows) for metric, gains in bias.items() for rows in _of_bias(gains)]
        frames += [(metric, rows) for metric, shares in self.corrected.items() for rows in _of_scores(shares)]
        for (metric, judge), worth in self.worth.items():
            median = worth.summary.loc[["median"]].assign(judge=judge)
            frames.append((metric, _rows(median, self.reference, _WORTH)))
        parts += [rows.assign(metric=metric) for metric, rows in frames]
        return pd.concat(parts, ignore_index=True).reindex(columns=[*_COLUMNS])


def _unit_of(labels: object, scores: object) -> Unit:
    if labels is not None and scores:
        return LABELLED_NUGGETS
    if scores:
        return unit_of(scores)._replace(labelled="answer")
    return ITEM if isinstance(labels, Labels) and labels.by_item else unit_of(scores)


def _rows(
    frame: pd.DataFrame, reference: str | None, names: Iterable[str], called: str = "{name}", ends: str = "{name}_{end}"
) -> pd.DataFrame:
    """Return one row a judge and name, called by a pattern, with the ends of its interval if there are any."""
    rows = [
        [None, reference, row["judge"], called.format_map(row | {"name": name}), row[name]]
        + [row.get(ends.format(name=name, end=end), np.nan) for end in ("low", "high")]
        for row in frame.to_dict("records")
        for name in names
    ]
    return pd.DataFrame(rows, columns=[*_COLUMNS])


def _of_labels(found: Labelling) -> list[pd.DataFrame]:
    parts = [found.agreement.to_frame().assign(metric=None)]
    if found.latent is not None:
        parts.append(_rows(found.latent.judges, "all judges", ["accuracy"]))
    if found.corrected is not None:
        parts += _of_scores(found.corrected)
    if found.favour is not None:
        named = found.favour.table.assign(covariate=found.favour.name)
        called = "bias by item, adjusted: {covariate}"
        parts.append(_rows(named, found.favour.reference, ["slope"], called, "{end}"))
    for units, table in (("elements", found.elements), ("characters", found.passages)):
        if len(table):
            long = means_of_pairs(table).melt(["first", "second"], var_name="statistic", value_name="value")
            parts.append(long.assign(statistic=f"{units}: " + long["statistic"], metric=None))
    return parts


def _of_scores(found: CorrectedScores) -> list[pd.DataFrame]:
    """Return the score of every judge, or of every system under it, corrected in two ways."""
    whose = ", {system}" if "system" in found.table else ""
    kinds = {"corrected": "corrected score", "powered": "prediction-powered score"}
    return [_rows(found.table, found.reference, [name], words + whose) for name, words in kinds.items()]


def _of_conclusions(concluded: JudgeConclusions) -> list[pd.DataFrame]:
    """Return a row a judge and measure, the power of the reference unless it differs by judge, and the same number."""
    table, same_number, reference = concluded.table, concluded.same_number, concluded.reference
    keys = {"judge", "kind", "n_topics", "n_common", "topic_set", "reference_set"}
    alone = []
    if len(concluded.of_reference) == 1:
        keys |= {"reference_power", "n_reference"}
        power = concluded.of_reference.rename(columns=lambda name: name.removeprefix("reference_"))
        alone = [_rows(power.assign(judge=reference), reference, ["power"])]
    names = [name for name in map(str, table) if name not in keys and not name.endswith(("_low", "_high"))]
    of_same = [name for name in map(str, same_number) if name not in keys and not name.endswith("_error")]
    same = [_rows(same_number, reference, of_same, called="same number: {name}")] if len(same_number) else []
    return [_rows(table, reference, names), *alone, *same]


def _of_bias(found: FavouredGroups) -> list[pd.DataFrame]:
    """Return what every group, or a covariate by its standard deviation, gains under every judge, and that adjusted."""
    return [
        _rows(found.table, found.reference, ["figure"], "bias: {group}", "{end}_both"),
        _rows(found.table, found.reference, ["adjusted"], "bias, adjusted: {group}", "adjusted_{end}_both"),
    ]


def _notes_of(scores: Mapping[str, ScoresOfJudges]) -> list[str]:
    """Return what was noted where scores were read, once."""
    sides = [side for table in scores.values() for side in under_judges.scores_by_judge(table).values()]
    return list(dict.fromkeys(note for side in sides for note in side.attrs.get("notes", ())))


def study_judges(  # noqa: PLR0913 - every option is one question
    labels: Labels | Mapping[str, Assessments] | None = None,
    *,
    collection: Collection | Mapping[str, JudgedCollection] | None = None,
    scores: Mapping[str, ScoresOfJudges] | None = None,
    annotations: tuple[pd.DataFrame, pd.DataFrame] | None = None,
    reference: str | None = None,
    people: Sequence[str] = (),
    maps: ScaleMap | Mapping[str, ScaleMap] = "auto",
    labelled: Literal["common", "own"] = "common",
    groups: Mapping[str, str] | None = None,
    built_with: Mapping[str, Sequence[str]] | None = None,
    covariate: Mapping[str, float] | None = None,
    covariate_name: str = "covariate",
    metrics: object = None,
    rel: int | None = None,
    epsilon: float = 0.2,
    scoring: Scoring | None = None,
    human_topics: int = 30,
    latent: bool = False,
    top: int = 10,
    margin: float = 0.05,
    test: str = "t",
    correction: str | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    registry: Registry | None = None,
    rng: RNGLike = None,
    provenance: Provenance | None = None,
) -> JudgeStudy:
    """Test whether judges (people, crowds, language models or rules) may replace the assessors.

    Parameters
    ----------
    labels : Labels, or mapping of str to Assessments, optional
        Of items; or INEX assessments of elements or passages, by judge, which are compared on the topics that every
        judge judged. None where scores are given.
    collection : Collection, or mapping of str to JudgedCollection, optional
        Runs, compiled with `judgments_of_labels`. They are scored under each judge in turn. For assessments the same
        runs compiled beside those of each judge (`metaeval.inex.element_collection`,
        `metaeval.inex.passage_collection`).
    scores : mapping of metric to mapping of judge to Scores, or to anything `metaeval.as_scores` takes, optional
        Scores of the same systems under each judge, on the judge's own topics; in place of labels, or beside labels of
        nuggets, from which they follow (`read_judges`).
    annotations : tuple of DataFrame and DataFrame, optional
        Labels by people and by judges, items in rows, as `metaeval.alt_test` takes them: text, or numbers, of items
        that need no topic, and nobody in charge; in place of labels, and for the alt-test alone.
    reference : str, optional
        The judge that the others are measured by: the people in charge. Without one all pairs are compared, and no
        verdict is given.
    people : sequence of str
        Other judges that are people, each of whom may have labelled a part. They are the yardstick: what a second
        person would have concluded (`metaeval.agreement.second_people`). Of scores each is a second person.
    maps
        How grades become those of the reference; see `metaeval.agreement.map_scales`. Without a reference grades stay.
    labelled : {"common", "own"}
        Whether runs are scored on the items that the reference, every judge and somebody of the people labelled, or on
        each judge's own, where what a judge did not label counts as unjudged: then a difference may be one of coverage.
    groups : mapping of str to str, optional
        System to group, for the group bias of judges.
    built_with : mapping of str to sequence of str, optional
        Judge to the groups or systems that hold it, to warn of circles.
    covariate : mapping of str to float, optional
        System to a number (length of its answers, depth of its runs), or for labels item to a number, as
        `metaeval.agreement.favoured_items` takes it, to ask whether a judge favours more of it.
    covariate_name : str
        What the covariate is called.
    metrics : sequence of str, optional
        AP and nDCG@10 by default; for elements and passages those of their campaigns. Verdicts are by the first.
    rel : int, optional
        Lowest label that counts as relevant in the overlap of relevant sets; by default 1, and where that is not above
        the lowest label, or no label, the lowest above the lowest.
    epsilon, scoring
        Of the alt-test (`metaeval.alt_test`); by default grades are compared by their distance where there are more
        than two, and text by being equal.
    human_topics : int
        Topics that people would label, in the plan of what a judge is worth.
    latent : bool
        Ask without a reference who errs and which labels items have (`metaeval.models.latent_classes`, half a minute).
    top : int
        Systems at the top whose order is looked at by itself.
    margin : float
        How much less than a second person a judge may agree, in F1 of significant pairs, from 0 to 1.
    test, correction, alpha
        How pairs of runs are tested, two-sided; Benjamini and Yekutieli by default.
    confidence_level : float
    n_resamples : int
        Resamples of topics, and of a resampling test.
    registry : Registry, optional
    rng : None, int or Generator
    provenance : Provenance, optional

    Returns
    -------
    JudgeStudy
        ``to_frame()`` has one row a pair of judges (``first``, ``second``) and ``statistic``, for conclusions a
        ``metric`` too: ``value`` with ``low`` and ``high``, NaN where the statistic is not defined. Of labels a
        statistic is "same" (the share of items that both label alike), "kappa", "linear_kappa" or "quadratic_kappa"
        (Cohen's, weighted by grades), "overlap", "first_kept", "second_kept" and "same_over_union" (of the relevant
        sets), "sensitivity", "specificity" and "bias" (of the second, the first being the reference); with people
        "winning_rate" and "advantage_probability" (the alt-test's), without a reference "accuracy". Of conclusions it
        is a column of ``conclusions``, its name beginning with "same number: " on as many topics as the reference has;
        "bias: GROUP" and "bias, adjusted: GROUP" are what the judge favours.

    Raises
    ------
    InvalidOptionError
        If an option is outside its rule, the collection holds items that are no labels or labels were left out as off a
        scale, or collections are not those of the judges or hold different runs.
    ScoresError
        If there is nothing that two judges judged, the reference called nothing relevant, or fewer than two topics hold
        items that every judge labelled.

    See Also
    --------
    metaeval.prediction_powered : scores without a judge's errors, where people labelled a random sample of the items
    metaeval.agreement.corrected_scores : the same for shares of yes, from labels
    metaeval.questions.human.study.study_human
    metaeval.io.labels.read_labels

    Notes
    -----
    Piwowarski, Trotman & Lalmas 2008, sections 5.2.6 and 5.2.7; Voorhees 2000, "Variations in relevance judgments and
    the measurement of retrieval effectiveness".

    Examples
    --------
    >>> from metaeval.agreement.labels import as_labels
    >>> labels = as_labels({"ann": {"1": {"d1": 1, "d2": 0}}, "ben": {"1": {"d1": 1, "d2": 1}}})
    >>> float(study_judges(labels, rng=0).labelling.agreement.pairs["overlap"].item())
    0.5
    """
    check_share(alpha, "alpha")
    check_number(margin, "margin", least=0, most=1)
    check_share(confidence_level, "confidence_level")
    test_name, correction_name = check_test(test, correction)
    check_choice(labelled, "labelled", ("common", "own"))
    labels, scores, people = _check_given(labels, collection, scores, annotations, people, reference, latent=latent)
    source = resolve_rng(resolve_seed(rng))
    options = JudgeOptions(
        *(reference, people, maps, rel, epsilon, scoring, human_topics, latent),
        *(_of_systems(groups, "groups", "team"), built_with, _of_systems(covariate, "covariate", 120), covariate_name),
        ConclusionOptions(test, correction, alpha, n_resamples, confidence_level, top),
        source,
    )
    units = _unit_of(labels if collection is None else None, scores)
    attempt = Attempts(ScoresError, EstimationError, InvalidOptionError, of=units)
    labelling, second, notes = None, None, list[str]()
    tables: Mapping[str, ScoresOfJudges] = scores or {}
    if labels is not None:
        with speaking_of(units):
            labelling, second, notes = labelling_of(labels, options, attempt)
    equal = {str(name): 1 / len(people) for name in people}
    weights = equal if scores is not None else {} if second is None else second.weight_of()
    if labels is not None and labelling is not None and scores is None:
        if collection is None:
            attempt.failed[ABOUT_SYSTEMS] = _lacks_runs(labels)
        else:
            judged, more = under_judges.under_each(labelling.labels, labels, collection, reference, second, labelled)
            attempt.failed |= {} if judged else {ABOUT_SYSTEMS: more.pop()}
            notes += more
            if judged:
                score_runs = partial(under_judges.scores_under_judges, reference=reference, registry=registry)
                tables, more = score_runs(judged, metrics, people=[*weights])
                notes += [*more, *_notes_on_grades(judged, tables, metrics, rel, registry)]
    if scores is not None:
        notes += [*_notes_of(tables), *under_judges.flat_judge_notes(tables)]
        labelling = labelling if labels is not None else _labels_of_answers(tables, options, attempt)
    answers = _about_systems(tables, weights, labelling, options, attempt)
    concluded, bias = answers.get("conclusions", {}), answers.get("group_bias", {})
    notes += [f"{metric}: {note}" for metric, judged in concluded.items() for note in judged.notes()]
    annotated = None if annotations is None else alt_test_of(*annotations, epsilon=epsilon, scoring=scoring)
    alt = annotated if labelling is None else labelling.alt
    return JudgeStudy(
        **answers,
        labelling=labelling,
        annotated=annotated,
        scores=MappingProxyType(dict(tables)),
        verdicts=judge_verdicts(concluded, bias, alt, margin=margin, alpha=alpha),
        reference=reference,
        people=tuple(people),
        test=test_name,
        correction=correction_name,
        alpha=float(alpha),
        margin=float(margin),
        confidence_level=float(confidence_level),
        unanswered=MappingProxyType(attempt.failed | _unmatched(options, answers, labelling, attempt.failed)),
        notes=tuple(dict.fromkeys(notes)),
        provenance=provenance or record_provenance("study_judges", random_source=source.description),
        has_runs=collection is not None,
        scores_are_labels=labels is None and labelling is not None,
    )


def _labels_of_answers(
    tables: Mapping[str, ScoresOfJudges], options: JudgeOptions, attempt: Attempts
) -> Labelling | None:
    """Compare scores under judges as labels, where they are such; what is of systems is asked of their scores."""
    answers = under_judges.labels_of_scores(tables)
    systems = {*(answers.systems or {}).values()} if answers is not None else set()
    if options.covariate is not None and not systems.isdisjoint(options.covariate):
        options = options._replace(covariate=None)
    compared = None if answers is None else attempt(_LABELS, partial(labelling_of, answers, options, attempt))
    return None if compared is None else replace(compared[0], corrected=None)


def _notes_on_grades(
    judged: Mapping[str, JudgedCollection],
    scored: Iterable[str],
    metrics: object,
    rel: int | None,
    registry: Registry | None,
) -> list[str]:
    """Say from which grade on runs find something relevant, and that `rel`, which is of labels, does not change it."""
    asked = [*scored] if metrics is None else metrics
    notes = [note for of_judge in judged.values() for note in note_on_grades(of_judge, asked, registry=registry)]
    if notes and rel not in {None, 1}:
        way = "for runs write it into the metric, such as AP(rel=2)"
        notes.append(f"`rel={rel}` is of the overlap of labels alone; {way}")
    return notes


def _unmatched(
    options: JudgeOptions, answers: Mapping[str, object], labelling: Labelling | None, failed: Iterable[str]
) -> dict[str, str]:
    """Say that a covariate names nothing that was judged, unless it was used or another reason was given."""
    question, favour = f"Bias towards more {options.covariate_name}", None if labelling is None else labelling.favour
    is_used = favour is not None or "by_covariate" in answers or any(name.startswith(question) for name in failed)
    if options.covariate is None or options.reference is None or is_used:
        return {}
    names = first_few([*map(repr, options.covariate)])
    return {question: f"`covariate` names no item and no system, but {names}; write them as they are there"}


def _lacks_runs(labels: Labels | Mapping[str, Assessments]) -> str:
    if isinstance(labels, Labels) and labels.by_subtopic:
        return under_judges.OF_SUBTOPICS
    return (
        "pass runs (`collection`) for rank agreement, significant pairs and group bias, and for what the judge is "
        "worth in topics"
    )


def _about_systems(
    tables: Mapping[str, ScoresOfJudges],
    weights: Mapping[str, float],
    labelling: Labelling | None,
    options: JudgeOptions,
    attempt: Attempts,
) -> Mapping[str, Any]:
    """Return fields of `JudgeStudy`: of every metric what is concluded under each judge, or under every two.

    Beside a reference also group bias, and what judges are worth.
    """
    if not tables:
        return {}
    reference, compared = options.reference, options.compared
    if reference is None:
        pairs = None if labelling is None else labelling.agreement.compared
        decide = partial(decision_agreement, test=compared.test, correction=compared.correction, alphas=compared.alpha)
        decide = partial(decide, n_resamples=compared.n_resamples)
        compare = partial(under_judges.effects_of_pairs, tables, pairs, decide, options.source.generator)
        effects = compare() if labelling is None else attempt(ABOUT_SYSTEMS, compare)  # labels are an answer too
        return {} if effects is None else {"effects": effects}
    answers = defaultdict[str, dict[Hashable, Any]](dict)
    for metric, table in track(list(tables.items()), description="comparing conclusions under each judge"):
        drawn = int(options.source.generator.integers(2**63))
        try:
            conclusions = judge_conclusions(table, reference=reference, people=weights, **compared._asdict(), rng=drawn)
        except MetaevalError as error:
            error.add_note(f"while comparing what is concluded under {metric}")
            raise
        answers["conclusions"][metric] = conclusions
        untested = conclusions.table.loc[conclusions.table["n_conflicts"].isna(), "judge"].tolist()
        if untested:
            who = reference if conclusions.n_topics == 1 else first_few(untested)
            attempt.failed[f"Significant pairs under {metric}"] = (
                f"takes two {unit_of(table).topics} at least, and {who} has one; the rankings by that one are compared"
            )
        for kind, key, question, compute in _questions_under(metric, table, conclusions, weights, options):
            answer = attempt(f"{question} under {metric}", compute)
            if answer is not None:
                answers[kind][key] = answer
            if isinstance(answer, FavouredGroups) and answer.unadjusted:
                attempt.failed[f"{question}, adjusted for a judge's scale, under {metric}"] = answer.unadjusted
    if options.groups is None and options.covariate is None:
        attempt.failed["Group bias"] = (
            "takes groups of systems (`groups`), or a number for every one of them (`covariate`)"
        )
    return answers


def _questions_under(
    metric: str,
    table: ScoresOfJudges,
    conclusions: JudgeConclusions,
    weights: Mapping[str, float],
    options: JudgeOptions,
) -> Iterator[tuple[str, Hashable, str, Callable[[], object]]]:
    """Yield the field of `JudgeStudy` that an answer belongs to, under which key, the question, and what answers it."""
    reference = conclusions.reference
    judges = conclusions.table.loc[conclusions.table["kind"] == "judge", "judge"].tolist()
    by_judge = {name: under_judges.scores_under(table, name) for name in (reference, *judges, *weights)}
    shared = table if isinstance(table, xr.DataArray) else under_judges.joined_on_common_topics(by_judge)
    beside: Mapping[str, Any] = {"reference": reference, "people": [*weights]}
    if options.groups is not None:
        bias = partial(favoured_groups, groups=options.groups, built_with=options.built_with, **beside)
        yield "group_bias", metric, "Group bias", partial(_favour_of_enough, shared, bias)
    numbers, name = options.covariate, options.covariate_name
    if numbers is not None and any(system in numbers for system in by_judge[reference]["system"].to_numpy()):
        bias = partial(favoured_by_covariate, covariate=numbers, name=name, **beside)
        yield "by_covariate", metric, f"Bias towards more {name}", partial(_favour_of_enough, shared, bias)
    human, level = by_judge[reference].assign_coords(metric=[metric]), options.compared.confidence_level
    tested: Mapping[str, Any] = {"alpha": options.compared.alpha, "confidence_level": level}
    for name in judges:
        worth = partial(topics_with_judge, human, by_judge[name], n_topics=options.human_topics, **tested)
        yield "worth", (metric, name), f"What {name} is worth", partial(visible_worth, worth)
        if set(by_judge[name]["topic"].to_numpy()) > set(human["topic"].to_numpy()):
            together = partial(prediction_powered, human, by_judge[name], **tested)
            yield "powered", (metric, name), f"People and {name} together", together
    if (labels := _labels_of(by_judge, [reference, *judges])) is not None:
        correct = partial(corrected_scores, labels, reference=reference, **tested)
        yield "corrected", metric, CORRECTED, correct
    if not isinstance(table, xr.DataArray):
        return
    passes, panel = ([name for name in judges if (NUMBERED in name) is again] for again in (True, False))
    if len(passes) > 1:
        yield "repeats", metric, "Repeats of a judge", partial(judge_repeats, table.sel(metric=passes))
    if len(panel) > 1 and np.isfinite(table.to_numpy()).all():
        components = partial(variance_components, table.sel(metric=panel), judges=True, confidence_level=level)
        yield "panels", metric, "A panel of judges", components
        everyone = table.sel(metric=[reference, *panel, *weights])
        independent = partial(judge_panel, everyone, reference=reference, people=weights, confidence_level=level)
        yield "panel_worth", metric, "How many independent judges the panel is worth", independent


def _labels_of(by_judge: Mapping[str, Scores], names: list[str]) -> Labels | None:
    """Return scores of 0 and 1 as labels, no and yes, where a judge has topics that the first has not; else None."""
    table = frame_of_answers({name: by_judge[name] for name in names})
    yes_or_no = bool((table.isin([0.0, 1.0]) | table.isna()).all(axis=None))
    if not yes_or_no or not table[names[0]].isna().any():
        return None
    return Labels(table=table, scale=(0, 1), outside=pd.DataFrame(), system_of=table.attrs["system_of"])


def _favour_of_enough(table: Scores | None, ask: Callable[[Scores], FavouredGroups]) -> FavouredGroups:
    if table is None:
        raise ScoresError(
            f"takes three {unit().topics} that every judge has; give each judge by itself with the reference"
        )
    return ask(table)


def _of_systems(given: object, name: str, example: object) -> Mapping[str, Any] | None:
    """Return what is said of each system or item by its name."""
    return None if given is None else check_mapping(given, name, {"SYSTEM": example})


def _scores_given(scores: object) -> dict[str, ScoresOfJudges] | None:
    """Return what is given as scores by metric and judge; frames become scores."""
    if scores is None:
        return None
    of_metrics: dict[Any, Any] = dict(scores) if isinstance(scores, Mapping) else {"": scores}
    for metric, judged in of_metrics.items():
        if not isinstance(judged, Mapping) and (not metric or not isinstance(judged, xr.DataArray)):
            whose = f" under {metric!r}" if metric else ""
            rule = "must map metrics to the scores of every judge, {'AP': {'ann': scores}}"
            raise refused("scores", f"{rule}; got a {type(judged).__name__}{whose}", scores)
        if isinstance(judged, Mapping):
            of_metrics[metric] = {
                str(judge): scored if isinstance(scored, xr.DataArray) else as_scores(scored)
                for judge, scored in judged.items()
            }
    return of_metrics


def _check_given(  # noqa: PLR0913, PLR0917 - what may be given
    labels: Labels | Mapping[str, Assessments] | None,
    collection: object,
    scores: object,
    annotations: object,
    people: Sequence[str],
    reference: str | None,
    *,
    latent: bool,
) -> tuple[Labels | Mapping[str, Assessments] | None, dict[str, ScoresOfJudges] | None, list[str]]:
    """Refuse what does not go together; return the labels of those who are compared, the scores, and the people."""
    if latent and (reference is not None or not isinstance(labels, Labels)):
        raise InvalidOptionError(
            "`latent` is for labels of items without a reference; ask either for it, or for a comparison with one judge"
        )
    has_input = [labels is not None or scores is not None, annotations is not None]
    if sum(has_input) != 1 or None not in (collection, scores):
        raise InvalidOptionError(
            "give labels, with runs (`collection`) or with the scores that follow from them; or scores under judges, "
            "or annotations, alone"
        )
    if labels is not None and not isinstance(labels, Mapping):
        check_kind(labels, "labels", "Labels")
    people = check_list(people, "people", ["ann"])
    if people and reference is None:
        raise InvalidOptionError(
            "`people` are compared with a reference, as judges are; name it (`reference`): another judge, or one of "
            "them who is then left out of `people`"
        )
    if collection is not None and isinstance(labels, Labels) and len(labels.outside):
        raise InvalidOptionError(
            f"{len(labels.outside)} labels were left out as off the scale, and runs would be scored without the items "
            "that they are about, often the best ones; give the labels as they were read, without `scale` and "
            "`outside='drop'`: every judge is put on the scale of `reference` (`maps`)"
        )
    if reference in people:
        raise refused("people", f"are others beside the reference; leave {reference!r} out of them", people)
    compared = of_judges(labels, [str(reference), *people]) if isinstance(labels, Labels) else labels
    return compared, _scores_given(scores), people
