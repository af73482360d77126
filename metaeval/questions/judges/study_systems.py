"""What the scores of systems under judges say: conclusions, group bias, and what a judge is worth in topics."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.judge_bias import FavouredGroups, favoured_by_covariate, favoured_groups
from metaeval.agreement.labels import Labels
from metaeval.agreement.panels import JudgePanel, judge_panel
from metaeval.agreement.repeats import JudgeRepeats, judge_repeats
from metaeval.agreement.runs_under_judges import joined_on_common_topics, scores_under
from metaeval.agreement.score_correction import CorrectedScores, corrected_scores
from metaeval.base.names import first_few
from metaeval.base.unit import unit, unit_of
from metaeval.errors import MetaevalError, ScoresError
from metaeval.models.components import VarianceComponents, variance_components
from metaeval.models.judge_worth import TopicsWithJudge, topics_with_judge, visible_worth
from metaeval.questions.judges.study_labels import CORRECTED, NUMBERED, JudgeOptions
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.running.parallel import track
from metaeval.studies.study import Attempts
from metaeval.table.scores import Scores
from metaeval.tests_stat.prediction_powered import PredictionPowered, prediction_powered


@dataclass(frozen=True, slots=True, eq=False)
class SystemsUnderJudges:
    """What scores under judges say, as `metaeval.questions.judges.study.JudgeStudy` holds it."""

    conclusions: dict[str, JudgeConclusions] = field(default_factory=dict)
    group_bias: dict[str, FavouredGroups] = field(default_factory=dict)
    by_covariate: dict[str, FavouredGroups] = field(default_factory=dict)
    worth: dict[tuple[str, str], TopicsWithJudge] = field(default_factory=dict)
    powered: dict[tuple[str, str], PredictionPowered] = field(default_factory=dict)
    repeats: dict[str, JudgeRepeats] = field(default_factory=dict)
    panels: dict[str, VarianceComponents] = field(default_factory=dict)
    panel_worth: dict[str, JudgePanel] = field(default_factory=dict)
    corrected: dict[str, CorrectedScores] = field(default_factory=dict)
    effects: pd.DataFrame = field(default_factory=pd.DataFrame)


def systems_under_judges(
    scores: Mapping[str, Scores | Mapping[str, Scores]],
    reference: str,
    weights: Mapping[str, float],
    options: JudgeOptions,
    attempt: Attempts,
) -> SystemsUnderJudges:
    """Ask of every metric conclusions, group bias, and what judges are worth."""
    under_judges = SystemsUnderJudges()
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
    table: Scores | Mapping[str, Scores],
    conclusions: JudgeConclusions,
    weights: Mapping[str, float],
    options: JudgeOptions,
) -> Iterator[tuple[str, Hashable, str, Callable[[], object]]]:
    """Yield where an answer belongs in `SystemsUnderJudges`, under which key, the question, and what answers it."""
    reference, known = conclusions.reference, options.known
    judges = conclusions.table.loc[conclusions.table["kind"] == "judge", "judge"].tolist()
    by_judge = {name: scores_under(table, name) for name in (reference, *judges, *weights)}
    shared = table if isinstance(table, xr.DataArray) else joined_on_common_topics(by_judge)
    beside: Mapping[str, Any] = {"reference": reference, "people": [*weights]}
    if known.groups is not None:
        bias = partial(favoured_groups, groups=known.groups, built_with=known.built_with, **beside)
        yield "group_bias", metric, "Group bias", partial(_favour_of_enough, shared, bias)
    if known.covariate is not None and any(
        name in known.covariate for name in by_judge[reference]["system"].to_numpy()
    ):
        name = known.covariate_name
        bias = partial(favoured_by_covariate, covariate=known.covariate, name=name, **beside)
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
        names = {str(name): str(name) for name in human["system"].to_numpy()}
        yield (
            "corrected",
            metric,
            CORRECTED,
            partial(corrected_scores, labels, reference=reference, systems=names, **tested),
        )
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
    said = {}
    for name in names:
        scores = by_judge[name]
        index = pd.MultiIndex.from_product(
            [scores["topic"].to_numpy(), scores["system"].to_numpy()], names=["topic", "item"]
        )
        said[name] = pd.Series(scores.to_numpy()[0].T.ravel(), index=index)
    table = pd.DataFrame(said)
    yes_or_no = bool((table.isin([0.0, 1.0]) | table.isna()).all(axis=None))
    if not yes_or_no or not table[names[0]].isna().any():
        return None
    return Labels(table=table, scale=(0, 1), outside=pd.DataFrame())


def _conclusions_under(
    metric: str,
    table: Scores | Mapping[str, Scores],
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
