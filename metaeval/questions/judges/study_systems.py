"""What the scores of systems under judges say: conclusions, group bias, and what a judge is worth in topics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

from metaeval.agreement.decisions import decision_agreement
from metaeval.agreement.judge_bias import FavouredGroups, favoured_by_covariate, favoured_groups
from metaeval.agreement.label_agreement import LabelAgreement
from metaeval.agreement.panels import JudgePanel, judge_panel
from metaeval.agreement.repeats import JudgeRepeats, judge_repeats
from metaeval.base.names import first_few
from metaeval.base.unit import unit, unit_of
from metaeval.errors import EstimationError, InvalidOptionError, MetaevalError, ScoresError
from metaeval.models.components import VarianceComponents, variance_components
from metaeval.models.judge_worth import TopicsWithJudge, topics_with_judge
from metaeval.questions.judges.study_labels import NUMBERED, JudgeOptions
from metaeval.resampling.judge_conclusions import JudgeConclusions, judge_conclusions
from metaeval.running.parallel import track
from metaeval.studies.study import Attempts
from metaeval.table.scores import Scores
from metaeval.tests_stat.prediction_powered import PredictionPowered, prediction_powered

EFFECTS = ("tau", "tau_ap", "precision", "recall", "f1", "n_predictor", "n_truth", "n_shared", "n_conflicts")


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
    effects: pd.DataFrame = field(default_factory=pd.DataFrame)


def systems_under_judges(
    scores: Mapping[str, Scores | Mapping[str, Scores]],
    reference: str,
    weights: Mapping[str, float],
    options: JudgeOptions,
    attempt: Attempts,
) -> SystemsUnderJudges:
    """Ask of every metric conclusions, group bias, and what judges are worth."""
    under_judges, traits, level = SystemsUnderJudges(), options.known, options.compared.confidence_level
    for metric, table in track(list(scores.items()), description="comparing conclusions under each judge"):
        conclusions = _conclusions_under(metric, table, reference, weights, options)
        under_judges.conclusions[metric] = conclusions
        untested = conclusions.table.loc[conclusions.table["n_conflicts"].isna(), "judge"].tolist()
        if untested:
            who = reference if conclusions.n_topics == 1 else first_few(untested)
            attempt.failed[f"Significant pairs under {metric}"] = (
                f"takes two {unit_of(table).topics} at least, and {who} has one; the rankings by that one are compared"
            )
        judges = conclusions.table.loc[conclusions.table["kind"] == "judge", "judge"].tolist()
        by_judge = {name: _scores_under(table, name) for name in (reference, *judges, *weights)}
        one_table = table if isinstance(table, xr.DataArray) else None
        shared = _on_common_topics(by_judge) if one_table is None else one_table
        if traits.groups is not None:
            bias = partial(
                favoured_groups,
                groups=traits.groups,
                built_with=traits.built_with,
                reference=reference,
                people=[*weights],
            )
            _put(
                under_judges.group_bias,
                metric,
                attempt(f"Group bias under {metric}", partial(_favour_of_enough, shared, bias)),
            )
        if traits.covariate is not None:
            name = traits.covariate_name
            bias = partial(
                favoured_by_covariate, covariate=traits.covariate, name=name, reference=reference, people=[*weights]
            )
            question = f"Bias towards more {name} under {metric}"
            _put(under_judges.by_covariate, metric, attempt(question, partial(_favour_of_enough, shared, bias)))
        human = by_judge[reference].assign_coords(metric=[metric])
        _put_worths(under_judges, human, {name: by_judge[name] for name in judges}, options, attempt)
        passes = [name for name in judges if NUMBERED in name]
        if one_table is not None and len(passes) > 1:
            ask_again = partial(judge_repeats, one_table.sel(metric=passes))
            _put(under_judges.repeats, metric, attempt(f"Repeats of a judge under {metric}", ask_again))
        panel = [name for name in judges if NUMBERED not in name]
        if one_table is not None and len(panel) > 1 and np.isfinite(one_table.to_numpy()).all():
            ask_panel = partial(variance_components, one_table.sel(metric=panel), judges=True, confidence_level=level)
            _put(under_judges.panels, metric, attempt(f"A panel of judges under {metric}", ask_panel))
            everyone = one_table.sel(metric=[reference, *panel, *weights])
            ask_worth = partial(judge_panel, everyone, reference=reference, people=weights, confidence_level=level)
            question = f"How many independent judges the panel is worth under {metric}"
            _put(under_judges.panel_worth, metric, attempt(question, ask_worth))
    return under_judges


def _put_worths(
    under_judges: SystemsUnderJudges,
    human: Scores,
    by_judge: Mapping[str, Scores],
    options: JudgeOptions,
    attempt: Attempts,
) -> None:
    """Ask what every judge is worth in human topics, and what people and judge find together."""
    metric = str(human["metric"].item())
    alpha, level = options.compared.alpha, options.compared.confidence_level
    for name, of_judge in by_judge.items():
        ask = partial(
            topics_with_judge, human, of_judge, n_topics=options.human_topics, alpha=alpha, confidence_level=level
        )
        worth = attempt(f"What {name} is worth under {metric}", partial(_visible_worth, ask))
        _put(under_judges.worth, (metric, name), worth)
        if set(of_judge["topic"].to_numpy()) > set(human["topic"].to_numpy()):
            together = partial(prediction_powered, human, of_judge, alpha=alpha, confidence_level=level)
            _put(under_judges.powered, (metric, name), attempt(f"People and {name} together under {metric}", together))


def _put[K, T](answers: dict[K, T], key: K, answer: T | None) -> None:
    """Keep an answer, if there is one."""
    if answer is not None:
        answers[key] = answer


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


def _scores_under(table: Scores | Mapping[str, Scores], name: str) -> Scores:
    return table.sel(metric=[name]) if isinstance(table, xr.DataArray) else table[name].assign_coords(metric=[name])


def _on_common_topics(sides: Mapping[str, Scores]) -> Scores | None:
    """Return scores with judges in place of metrics on the topics of all; None where those are too few."""
    parts = list(sides.values())
    common = [
        topic for topic in parts[0]["topic"].to_numpy() if all(topic in table["topic"].to_numpy() for table in parts)
    ]
    if len(common) < 3:  # noqa: PLR2004 - an interval over topics
        return None
    return xr.concat([table.sel(topic=common) for table in parts], "metric", coords="minimal", compat="override")


def _of_same_topics(sides: Mapping[str, Scores]) -> Scores:
    """Return scores with judges in place of metrics where all have the same topics, three at least."""
    topics = {frozenset(table["topic"].to_numpy().tolist()) for table in sides.values()}
    if len(topics) > 1:
        message = "judges with topics of their own are compared with a reference; name it (`reference`)"
        raise InvalidOptionError(message)
    common = _on_common_topics({name: _scores_under(sides, name) for name in sides})
    if common is None:
        raise ScoresError(f"takes three {unit().topics} at least")
    return common


def _favour_of_enough(table: Scores | None, ask: Callable[[Scores], FavouredGroups]) -> FavouredGroups:
    if table is None:
        raise ScoresError(
            f"takes three {unit().topics} that every judge has; give each judge by itself with the reference"
        )
    return ask(table)


def _visible_worth(ask: Callable[[], TopicsWithJudge]) -> TopicsWithJudge:
    """Return a worth, unless the topics show none: under the judge the median pair does not vary, or is people's."""
    worth = ask()
    frame = worth.to_frame()
    correlated = frame.loc[frame["worth"].notna(), "correlation"].notna()
    where = f"on the {worth.n_pilot} {unit().topics} that people and {worth.judge} both have"
    if correlated.mean() < 0.5:  # noqa: PLR2004 - the median pair
        raise EstimationError(
            f"{where} most differences between two systems are the same on every {unit().topic} under {worth.judge}, "
            "as where it labelled nothing or found nothing relevant; its scores there cannot be compared with people"
        )
    if np.isinf(frame["worth"].median()):
        raise EstimationError(
            f"{where} differences under {worth.judge} are proportional to those of people, so no error is visible, "
            f"and how many {unit().topics} it is worth cannot be estimated"
        )
    return worth


def effects_of_pairs(
    scores: Mapping[str, Scores | Mapping[str, Scores]], agreement: LabelAgreement | None, options: JudgeOptions
) -> pd.DataFrame:
    """Compare what is concluded under every two judges, where none is the reference."""
    parts = []
    for name, under_judges in track(list(scores.items()), description="testing pairs of runs"):
        table = under_judges if isinstance(under_judges, xr.DataArray) else _of_same_topics(under_judges)
        parts.append(_effects(name, table, agreement, options))
    return pd.concat(parts, ignore_index=True)


def _effects(name: str, scores: Scores, agreement: LabelAgreement | None, options: JudgeOptions) -> pd.DataFrame:
    try:
        decisions = decision_agreement(
            scores,
            test=options.compared.test,
            correction=options.compared.correction,
            alphas=options.compared.alpha,
            n_resamples=options.compared.n_resamples,
            rng=int(options.source.generator.integers(2**63)),
        )
    except MetaevalError as error:
        error.add_note(f"while comparing what judges conclude under {name}")
        raise
    frame = decisions.to_frame().rename(columns={"truth": "first", "predictor": "second"})
    if agreement is None:
        order = list(decisions.metrics)
        mask = [order.index(a) < order.index(b) for a, b in zip(frame["first"], frame["second"], strict=True)]
    else:
        wanted = set(zip(agreement.pairs["first"], agreement.pairs["second"], strict=True))
        mask = [pair in wanted for pair in zip(frame["first"], frame["second"], strict=True)]
    columns = ["first", "second", "n_pairs", *EFFECTS]
    return frame.loc[mask, columns].assign(metric=name)[["metric", *columns]].reset_index(drop=True)
