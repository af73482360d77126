"""May this judge decide between my systems? Labels, conclusions, favoured groups, and what the judge is worth."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import pandas as pd

from metaeval.agreement.alt_test import AltTest, Scoring, alt_test
from metaeval.agreement.assessments import element_agreement, passage_agreement
from metaeval.agreement.assessors import AssessorAgreement, compare_assessors
from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.favoured_groups import FavouredGroups, favoured_groups
from metaeval.agreement.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.agreement.label_baselines import agreement_baselines, leading_kappa
from metaeval.agreement.labels import Labels, document_labels, on_common_topics
from metaeval.agreement.people import second_people
from metaeval.agreement.scale_maps import MappedScales, map_scales
from metaeval.cells import first_few
from metaeval.checks import check_choice, check_share
from metaeval.collection.base import JudgedCollection
from metaeval.collection.documents import Collection
from metaeval.collection.inex import Assessments
from metaeval.draws import RandomSource, RNGLike, resolve_rng, resolve_seed
from metaeval.errors import EstimationError, InvalidOptionError, MetaevalError, ScoresError
from metaeval.metrics.registry import Registry
from metaeval.models.repeats import JudgeRepeats, judge_repeats
from metaeval.parallel import track
from metaeval.provenance import Provenance, record_provenance
from metaeval.resampling.options import check_test
from metaeval.scores import Scores
from metaeval.studies.scores_under_judges import runs_under_judges, scores_under_judges
from metaeval.studies.study import Attempts, Study
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

__all__ = ["JudgeStudy", "study_judges"]

_RATIOS = ("overlap", "first_kept", "second_kept", "same_over_union")
_SHOWN = 10
_EFFECTS = ("tau", "tau_ap", "precision", "recall", "f1", "n_predictor", "n_truth", "n_shared", "n_conflicts")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeStudy(Study):
    """Whether judges may decide between systems.

    Attributes
    ----------
    labels : Labels or None
        Of items, on the reference's scale; for assessments of elements or passages those of whole documents. None where
        scores under judges were given.
    scales : MappedScales or None
        How the grades of every judge became those of the reference.
    agreement : JudgeAgreement or None
        Of the labels.
    baselines : pandas.DataFrame
        What the agreement with the reference is worth; see `metaeval.agreement.agreement_baselines`. Empty without a
        reference.
    alt : AltTest or None
        Whether a judge may stand in for a person as a labeller; takes two people beside it.
    elements, passages : pandas.DataFrame
        For assessments of parts, what two judges say of single elements and of characters: the columns of
        `metaeval.inex.element_agreement` and `metaeval.inex.passage_agreement` (whose ``first`` and ``second`` are
        ``first_marked`` and ``second_marked`` here), one row a topic (``topic``; of elements "mean" at the end) of
        every pair (``first``, ``second``). Empty otherwise, and where passages are given by points in the tree.
    scale : str or None
        Of such assessments; None for labels of items.
    scores : mapping of str to Scores
        For every metric the scores of the runs under each judge, who stand in place of the metrics.
    effects : pandas.DataFrame
        Without a reference: one row a metric and pair of judges, ``first`` being taken as the truth: rank correlations
        of the runs' means, precision, recall and F1 of the pairs of runs that are significantly different under
        ``second``, and conflicts. Empty otherwise.
    conclusions : mapping of str to JudgeConclusions
        By metric, what is concluded under each judge beside the reference and beside people.
    favoured : mapping of str to FavouredGroups
        By metric, which groups of systems a judge favours.
    worth : mapping of (str, str) to TopicsWithJudge
        By metric and judge, what the judge is worth in human topics.
    powered : mapping of (str, str) to PredictionPowered
        The same where the judge has scored topics that people have not: all pairs compared by both together.
    repeats : mapping of str to JudgeRepeats
        By metric, where a judge labelled more than once.
    verdicts : pandas.DataFrame
        One row a judge: what the rules of `metaeval.studies.judge_verdicts` say.
    reference : str or None
    people : tuple of str
    test, correction : str
    alpha, margin : float
    confidence_level : float
    unanswered : mapping of str to str
        What the input cannot answer, with the reason.
    notes : tuple of str
    provenance : Provenance
    """

    reported_by: ClassVar[str] = "metaeval.reports.judges:judges_report"

    labels: Labels | None
    scales: MappedScales | None
    agreement: AssessorAgreement | None
    baselines: pd.DataFrame
    alt: AltTest | None
    elements: pd.DataFrame
    passages: pd.DataFrame
    scale: str | None
    scores: Mapping[str, Scores | Mapping[str, Scores]]
    effects: pd.DataFrame
    conclusions: Mapping[str, JudgeConclusions]
    favoured: Mapping[str, FavouredGroups]
    worth: Mapping[tuple[str, str], TopicsWithJudge]
    powered: Mapping[tuple[str, str], PredictionPowered]
    repeats: Mapping[str, JudgeRepeats]
    verdicts: pd.DataFrame
    reference: str | None
    people: tuple[str, ...]
    test: str
    correction: str
    alpha: float
    margin: float
    confidence_level: float
    unanswered: Mapping[str, str]
    notes: tuple[str, ...]
    provenance: Provenance

    def to_frame(self) -> pd.DataFrame:
        """Return flat rows: ``metric``, ``first``, ``second``, ``statistic``, ``value``, ``low``, ``high``.

        Agreement of labels has no metric; of conclusions, favoured groups and worth ``first`` is the reference. Means
        over topics of what is said of elements and characters have names such as ``elements: both``, and favoured
        groups such as ``favoured: GROUP``.
        """
        parts = []
        if self.agreement is not None:
            parts.append(self.agreement.to_frame().assign(metric=None))
        for what, table in (("elements", self.elements), ("characters", self.passages)):
            if len(table):
                means = table[table["topic"] != "mean"].groupby(["first", "second"], sort=False).mean(numeric_only=True)
                long = means.reset_index().melt(["first", "second"], var_name="statistic", value_name="value")
                parts.append(long.assign(statistic=f"{what}: " + long["statistic"], metric=None))
        if self.alt is not None:
            names = ["winning_rate", "advantage_probability"]
            long = self.alt.judges.melt("judge", names, var_name="statistic", value_name="value")
            parts.append(long.rename(columns={"judge": "second"}).assign(first="people", metric=None))
        if not self.effects.empty:
            names = [name for name in _EFFECTS if name in self.effects]
            keys = ["metric", "first", "second"]
            parts.append(self.effects.melt(keys, names, var_name="statistic", value_name="value"))
        parts += [_flat(found.to_frame(), metric, self.reference) for metric, found in self.conclusions.items()]
        for metric, favoured in self.favoured.items():
            rows = favoured.to_frame()
            own = rows.assign(metric=metric, first=self.reference, second=rows["judge"], value=rows["figure"])
            own = own.assign(statistic="favoured: " + rows["group"], low=rows["both_low"], high=rows["both_high"])
            parts.append(own[[*_COLUMNS]])
        for (metric, judge), found in self.worth.items():
            row = found.summary.loc["median"]
            values = [[metric, self.reference, judge, name, *row[[name, f"{name}_low", f"{name}_high"]]] for name in _WORTH]
            parts.append(pd.DataFrame(values, columns=[*_COLUMNS]))
        return pd.concat([part.assign(**_gaps(part)) for part in parts], ignore_index=True)[[*_COLUMNS]]
