"""What labels say of the judges who gave them: the parts of a study of judges that need no systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import pandas as pd

from metaeval.agreement.alt_test import AltTest, Scoring, alt_test
from metaeval.agreement.item_favour import ItemFavour, favoured_items, names_of_items
from metaeval.agreement.judge_ranking import JudgeRanking, rank_judges
from metaeval.agreement.krippendorff import alpha_of
from metaeval.agreement.label_agreement import LabelAgreement, compare_labels, label_notes, leading_kappa
from metaeval.agreement.label_baselines import agreement_baselines
from metaeval.agreement.labels import Labels
from metaeval.agreement.panels import JudgePanel, judge_panel
from metaeval.agreement.scale_maps import ScaleMap, ScaleMaps, scales_of_judges
from metaeval.agreement.score_correction import CorrectedScores, corrected_scores
from metaeval.agreement.second_assessors import SecondPeople, second_people
from metaeval.base.results import Result
from metaeval.base.unit import unit
from metaeval.errors import InvalidOptionError
from metaeval.inex.assessments import Assessments
from metaeval.inex.assessor_agreement import agreement_by_pair
from metaeval.inex.document_labels import document_labels, on_common_topics
from metaeval.models.dawid_skene import LatentClasses, latent_classes
from metaeval.running.draws import RandomSource
from metaeval.studies.study import Attempts

NUMBERED = "#"
"""In the name of a judge: a pass of it."""
CORRECTED = "Score corrected for the judge's errors"
_ALT = "May a judge replace a person as a labeller? (alt-test)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelling(Result):
    """What labels say of the judges who gave them."""

    labels: Labels
    """Of items, on the reference's scale; for assessments of elements or passages those of whole documents."""
    scales: ScaleMaps | None
    """How the grades of every judge became those of the reference; None without a reference, for assessments, and
    where labels off the scale were left out before."""
    agreement: LabelAgreement
    baselines: pd.DataFrame
    """What the agreement with the reference is worth; see `metaeval.agreement.agreement_baselines`. Empty without a
    reference."""
    ranking: JudgeRanking | None
    """Which judge agrees most with the reference, people left out; None without a reference, or without any judge
    beside the people that can be ordered."""
    latent: LatentClasses | None
    """Who errs, and which labels items have, where nobody is the reference; None unless asked."""
    corrected: CorrectedScores | None
    """What share of the items that a judge alone labelled the reference would say yes to; takes two grades."""
    favour: ItemFavour | None
    """Whether a judge favours items with more of a covariate; None without one that names items."""
    alt: AltTest | None
    """Whether a judge may replace a person as a labeller; takes two people beside it."""
    people_alpha: float
    """Krippendorff's alpha of the people alone, of whom there are three or more; NaN of fewer."""
    panel: JudgePanel | None
    """How many independent judges all of them are worth by their labels; takes two beside the people."""
    rescaled_panel: JudgePanel | None
    """The same with every judge's labels on the reference's scale."""
    elements: pd.DataFrame
    passages: pd.DataFrame
    """For assessments of parts, what two judges say of single elements and of characters: the columns of
    `metaeval.inex.element_agreement` and `metaeval.inex.passage_agreement` (whose ``first`` and ``second`` are
    ``first_marked`` and ``second_marked`` here), one row a topic (``topic``; of elements "mean" at the end) of
    every pair (``first``, ``second``). Empty otherwise, and where passages are given by points in the tree."""
    scale: str | None
    """Of such assessments; None for labels of items."""


class ConclusionOptions(NamedTuple):
    """How conclusions are compared: keywords of `judge_conclusions`."""

    test: str
    correction: str | None
    alpha: float
    n_resamples: int
    confidence_level: float
    top: int


class JudgeOptions(NamedTuple):
    """What is asked of judges, as `study_judges` takes it."""

    reference: str | None
    people: Sequence[str]
    maps: ScaleMap | Mapping[str, ScaleMap]
    rel: int | None
    epsilon: float
    scoring: Scoring | None
    human_topics: int
    latent: bool
    groups: Mapping[str, str] | None
    built_with: Mapping[str, Sequence[str]] | None
    covariate: Mapping[str, float] | None
    covariate_name: str
    compared: ConclusionOptions
    source: RandomSource


def labelling_of(
    given: Labels | Mapping[str, Assessments], options: JudgeOptions, attempt: Attempts
) -> tuple[Labelling, SecondPeople | None, list[str]]:
    """Compare labels; return what they say, what second people would have said, and notes."""
    assessments: Mapping[str, Assessments] = {}
    reference, people = options.reference, options.people
    if not isinstance(given, Labels):
        if people:
            raise InvalidOptionError("`people` is for labels of items; assessments are compared judge by judge")
        assessments = on_common_topics(given)[0]
    labels = given if isinstance(given, Labels) else document_labels(given)
    scales, notes = None, [*labels.notes]
    if reference is not None:
        labels.require_reference(reference, labels.lowest_relevant(options.rel))
    _refuse_grades(labels, options)
    if reference is not None and not assessments and not _keeps_scale(labels, options):
        scales = scales_of_judges(labels, reference, options.maps)
        labels, notes = scales.labels, [*notes, *_notes_on(scales)]
    rel = labels.lowest_relevant(options.rel)
    level, n_resamples = options.compared.confidence_level, options.compared.n_resamples
    agreement = compare_labels(
        labels, reference=reference, rel=rel, confidence_level=level, n_resamples=n_resamples, rng=options.source
    )
    notes += label_notes(labels, agreement)
    fitted = () if scales is None else scales.fitted
    ranking, baselines, second, alt = None, pd.DataFrame(), None, None
    judges = [name for name in labels.judges if name not in {reference, *people}]
    if reference is not None and judges:
        drawn = partial(rank_judges, n_resamples=n_resamples, rng=options.source.generator.spawn(1)[0])
        ask = partial(drawn, labels.select([reference, *judges]), reference=reference, confidence_level=level)
        ranking = attempt(f"Which judge agrees most with {reference} does?", ask)
    if reference is not None:
        everyone = (reference, *people) if people else ()
        baselines = agreement_baselines(labels, reference=reference, people=everyone, rel=rel)
    if people:
        second = second_people(labels, people, rng=options.source.generator.spawn(1)[0])
        usual: Scoring = "accuracy" if leading_kappa(labels) == "kappa" else "neg_rmse"
        tables = labels.table[[reference, *people]], labels.table[judges]
        alt = attempt(_ALT, partial(alt_test, *tables, epsilon=options.epsilon, scoring=options.scoring or usual))
    elif reference is not None and not assessments:
        attempt.failed[_ALT] = _takes_people(reference)
    latent = _latent(labels, options, attempt)
    corrected = None if assessments else _corrected(labels, judges, options, attempt)
    notes += _notes_of(labels, latent, corrected)
    panel, rescaled_panel = (None, None) if assessments else _panels_of_judges(labels, second, options, attempt)
    labelling = Labelling(
        labels=labels,
        scales=scales,
        agreement=agreement.without_bias(fitted),
        baselines=baselines,
        ranking=None if ranking is None else ranking.without_bias(fitted),
        latent=latent,
        corrected=corrected,
        favour=_favour_by_item(labels, second, options, attempt),
        alt=alt,
        people_alpha=alpha_of(labels, {reference, *people}),
        panel=panel,
        rescaled_panel=rescaled_panel,
        **agreement_by_pair(assessments, agreement.compared),
        scale=next((of_judge.scale for of_judge in assessments.values()), None),
    )
    return labelling, second, notes


def _notes_on(scales: ScaleMaps) -> list[str]:
    """Say what became of grades, and that the page has a table of it."""
    how, reference = scales.mapped_by_rule(), scales.reference
    told = f"grades put on the scale of {reference}: {how}; the table shows which became which"
    return [*scales.notes, *([told] if how else [])]


def _latent(labels: Labels, options: JudgeOptions, attempt: Attempts) -> LatentClasses | None:
    """Ask who errs where nobody is the reference."""
    if not options.latent:
        return None
    level, generator = options.compared.confidence_level, options.source.generator.spawn(1)[0]
    return attempt(
        "Who errs, without a reference?", partial(latent_classes, labels, confidence_level=level, rng=generator)
    )


def _corrected(
    labels: Labels, judges: Sequence[str], options: JudgeOptions, attempt: Attempts
) -> CorrectedScores | None:
    """Correct scores for the errors of judges, where the reference said yes or no of some of their items."""
    if options.reference is None or not judges or len(labels.scale) != len(("no", "yes")):
        return None
    table = labels.table
    if not (table[options.reference].isna() & table[[*judges]].notna().any(axis=1)).any():
        return None
    ask = partial(
        corrected_scores,
        labels.select([options.reference, *judges]),
        reference=options.reference,
        rel=int(labels.scale[-1]),
        confidence_level=options.compared.confidence_level,
        alpha=options.compared.alpha,
    )
    return attempt(CORRECTED, ask)


def _notes_of(labels: Labels, *answers: LatentClasses | CorrectedScores | None) -> list[str]:
    """Return the notes of answers, but for those on the labels themselves."""
    notes = [note for answer in answers if answer is not None for note in answer.notes]
    return [note for note in notes if note not in labels.notes]


def _takes_people(reference: str) -> str:
    return (
        f"takes labels of {reference} and of another person at least on the same {unit().labelled}s; name the people "
        f"beside {reference} (`people`)"
    )


def _favour_by_item(
    labels: Labels, second: SecondPeople | None, options: JudgeOptions, attempt: Attempts
) -> ItemFavour | None:
    """Ask what a covariate adds to labels, if it is one of items."""
    numbers, reference = options.covariate, options.reference
    if numbers is None or reference is None or not any(name in numbers for by in names_of_items(labels) for name in by):
        return None
    name, people = options.covariate_name, [] if second is None else options.people
    ask = partial(favoured_items, labels, numbers, reference=reference, name=name, people=people)
    return attempt(f"Bias towards more {name}", partial(ask, confidence_level=options.compared.confidence_level))


def _panels_of_judges(
    labels: Labels, second: SecondPeople | None, options: JudgeOptions, attempt: Attempts
) -> tuple[JudgePanel | None, JudgePanel | None]:
    """Ask how many independent judges the panel is worth, by labels as they are and rescaled; passes are none."""
    reference, people = options.reference, options.people
    judges = [name for name in labels.judges if name not in {reference, *people} and NUMBERED not in name]
    if reference is None or len(judges) <= 1:
        return None, None
    if not labels.ordered:
        attempt.failed["How many independent judges the panel is worth"] = "takes grades, and these labels are names"
        return None, None
    table = labels.table[[reference, *judges]]
    together = replace(labels, table=table if second is None else table.join(second.table))
    choices = {} if second is None else second.weight_of()
    ask = partial(
        judge_panel, together, reference=reference, people=choices, confidence_level=options.compared.confidence_level
    )
    question = "How many independent judges the panel is worth, by labels"
    panel = attempt(question, ask)
    return panel, None if panel is None else attempt(f"{question} on one scale", partial(ask, rescaled=True))


def _refuse_grades(labels: Labels, options: JudgeOptions) -> None:
    """Refuse what is asked about grades, where labels are names."""
    for option, usual in (("maps", ("auto", "keep")), ("scoring", (None, "accuracy")), ("rel", (None, 1))):
        if getattr(options, option) not in usual:
            labels.require_ordered(f"`{option}`")


def _keeps_scale(labels: Labels, options: JudgeOptions) -> bool:
    """Whether labels are on one scale as they are: some were left out as off it, or they are words."""
    return len(labels.outside) > 0 or (bool(labels.words) and options.maps == "auto")
