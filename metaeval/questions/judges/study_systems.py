"""What the scores of systems under judges say: conclusions, group bias, and what a judge is worth in topics."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.alt_test import AltTest
from metaeval.agreement.judge_bias import FavouredGroups, favoured_by_covariate, favoured_groups
from metaeval.agreement.labels import Labels
from metaeval.agreement.panels import JudgePanel, judge_panel
from metaeval.agreement.repeats import JudgeRepeats, judge_repeats
from metaeval.agreement.runs_under_judges import ScoresOfJudges, joined_on_common_topics, scores_under
from metaeval.agreement.score_correction import CorrectedScores, corrected_scores
from metaeval.base.names import first_few
from metaeval.base.unit import unit, unit_of
from metaeval.errors import MetaevalError, ScoresError
from metaeval.io.judge_scores import frame_of_answers
from metaeval.models.components import VarianceComponents, variance_components
from metaeval.models.judge_worth import TopicsWithJudge, topics_with_judge, visible_worth
from metaeval.questions.judges.study_labels import CORRECTED, NUMBERED, JudgeOptions, Labelling
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.running.parallel import track
from metaeval.studies.study import Attempts, Study
from metaeval.table.scores import Scores
from metaeval.tests_stat.prediction_powered import PredictionPowered, prediction_powered


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeEvidence(Study):
    """What labels of judges, annotations and scores of systems under judges say."""

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

    @property
    def alt(self) -> AltTest | None:
        """The alt-test of labels or annotations; None where there is none."""
        return self.annotated if self.labelling is None else self.labelling.alt


def systems_under_judges(
    scores: Mapping[str, ScoresOfJudges],
    reference: str,
    weights: Mapping[str, float],
    options: JudgeOptions,
    attempt: Attempts,
) -> JudgeEvidence:
    """Ask of every metric conclusions, group bias, and what judges are worth."""
    under_judges = JudgeEvidence()
    for metric, table in track(list(scores.items()), description="comparing conclusions under each judge"):
        conclusions = _conclusions_under(metric, table, reference, weights, options)
        under_judges.conclusions[metric] = conclusions
        untested = conclusions.table.loc[conclusions.table["n_conflicts"].isna(), "judge"].tolist()
        if untested:
            who = reference if conclusions.n_topics == 1 else first_few(untested)
            attempt.failed[f"Significant pairs under {metric}"] = (
                f"takes two {unit_of(table).topics} at least, and {who} has one; the rankings by that one are compared"
            )
        for kind, key, question, compute in _questions_under(metric, table, conclusions, weights, options):
            answer = attempt(f"{question} under {metric}", compute)
            if answer is not None:
                getattr(under_judges, kind)[key] = answer
    return under_judges


def _questions_under(
    metric: str,
    table: ScoresOfJudges,
    conclusions: JudgeConclusions,
    weights: Mapping[str, float],
    options: JudgeOptions,
) -> Iterator[tuple[str, Hashable, str, Callable[[], object]]]:
    """Yield where an answer belongs in `JudgeEvidence`, under which key, the question, and what answers it."""
    reference = conclusions.reference
    judges = conclusions.table.loc[conclusions.table["kind"] == "judge", "judge"].tolist()
    by_judge = {name: scores_under(table, name) for name in (reference, *judges, *weights)}
    shared = table if isinstance(table, xr.DataArray) else joined_on_common_topics(by_judge)
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


def _conclusions_under(
    metric: str,
    table: ScoresOfJudges,
    reference: str,
    weights: Mapping[str, float],
    options: JudgeOptions,
) -> JudgeConclusions:
    try:
        return judge_conclusions(
            table,
            reference=reference,
            people=weights,
            **options.compared._asdict(),
            rng=int(options.source.generator.integers(2**63)),
        )
    except MetaevalError as error:
        error.add_note(f"while comparing what is concluded under {metric}")
        raise


def _favour_of_enough(table: Scores | None, ask: Callable[[Scores], FavouredGroups]) -> FavouredGroups:
    if table is None:
        raise ScoresError(
            f"takes three {unit().topics} that every judge has; give each judge by itself with the reference"
        )
    return ask(table)
