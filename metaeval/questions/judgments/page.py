"""The report of a judgments study: what fewer judgments would change, and whether new systems are judged fairly."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from metaeval import figures
from metaeval.base.names import count
from metaeval.base.words import ends, listed, name_of_metric, number, sentence_case, share_of, span, text, whole
from metaeval.page.blocks import Block, Fold, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, frame_of, left, right, with_cells
from metaeval.questions.judgments.page_new_systems import groups_figures, groups_section, groups_sentence
from metaeval.questions.judgments.page_power import between_metrics_section, drawn_words, reduction_figures
from metaeval.questions.judgments.page_reductions import (
    percent,
    reduction_sections,
    threshold_figures,
    threshold_sentences,
    with_error,
)
from metaeval.questions.judgments.study import QUESTIONS, JudgmentsStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import computed_with, facts, unanswered
from metaeval.resampling.completions import CompletionBounds
from metaeval.resampling.effort import COST_MODELS, CostModel, GrowthRule
from metaeval.resampling.effort_plans import PLAN_NAMES, EffortPlans
from metaeval.resampling.stability_result import Stability
from metaeval.tests_stat.correction import CORRECTIONS

say = prose(__name__)


def judgments_report(study: JudgmentsStudy, *, published: bool = False) -> Report:
    """Put a judgments study into a report; tables of changes in the form of Pal et al. are folded or `published`."""
    tables = study.tables()
    sections = [*reduction_sections(study)]
    sections += between_metrics_section(study)
    if "new-systems" in study.questions:
        sections.append(groups_section(study, published=published))
    sections += effort_section(study)
    sections += completions_section(study.completions)
    sections += unanswered((_term(question), reason) for question, reason in study.unanswered.items())
    n_ranked = next((stability.data.sizes["system"] for stability in study.stability.values()), study.n_systems)
    tested = next((stability for stability in study.stability.values() if stability.data.sizes["tested"]), None)
    return Report(
        command="judgments",
        title="What if we judge less?",
        facts=_facts(study),
        summary=_summary(study),
        key_figures=listed_figures(
            [*threshold_figures(study), *reduction_figures(study), *groups_figures(study), *effort_figures(study)]
        ),
        sections=tuple(sections),
        methods=Methods(paragraphs=(_methods(study, n_ranked, tested),)),
        rows=[
            {"table": name} | {str(key): value for key, value in row.items()}
            for name, frame in tables.items()
            for row in frame.to_dict("records")
        ],
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name}.csv": csv_file(frame) for name, frame in tables.items()},
    )


def _methods(study: JudgmentsStudy, n_ranked: int, tested: Stability | None) -> str:
    parts = [say("methods", study=study, n_ranked=n_ranked)]
    for stability in study.stability.values():
        unit = "%" if stability.reduction.unit == "%" else stability.reduction.counted_in
        steps = f"{', '.join(f'{step:g}' for step in stability.steps)} {unit}"
        steps += f", {count(stability.n_replicates, 'replicate')}" if stability.reduction.random else ""
        parts.append(say("reduction methods", reduction=stability.reduction, steps=steps))
    said = {
        "stability": bool(study.stability),
        "tested": tested is not None,
        "left-out": bool(study.left_out),
        "effort": study.effort is not None,
    }
    fields = {"study": study, "tested": tested, "measured": measured_words(study.cost)}
    parts += [say(f"{name} methods", **fields) for name, known in said.items() if known]
    return " ".join([*parts, computed_with(study.provenance, *filter(None, [study.provenance.random_source]))])


def _term(question: str) -> str:
    """Return a question as a heading has it; the parts of one have names in words already."""
    return sentence_case(question.replace("-", " ") if question in QUESTIONS else question)


def _facts(study: JudgmentsStudy) -> tuple[tuple[str, str], ...]:
    counts = {"metric": len(study.metrics), "run": study.n_systems, "topic": study.n_topics}
    if study.n_groups is not None:
        counts["group"] = study.n_groups
    graded = "" if study.relevant_from in {1, None} else f" (from {study.relevant_from:g} on)"
    judged = [(f"{study.n_judged:,}", "judged documents"), (f"{study.n_relevant:,}", f"of them relevant{graded}")]
    return (*facts(**counts), *judged)


def _summary(study: JudgmentsStudy) -> tuple[str, ...]:
    sentences = threshold_sentences(study)
    answers = (*sentences[:1], groups_sentence(study), effort_sentences(study)[0])
    first = next(filter(None, answers), "No question could be answered.")
    if threshold_figures(study):
        drawn = any(stability.reduction.random for stability in study.stability.values())
        return first, *sentences[1:], say("quote", drawn=drawn)
    return (first, say("quote groups")) if groups_figures(study) else (first,)


def completions_section(bounds: CompletionBounds | None) -> tuple[Section, ...]:
    """Return the section on all completions of the judgments; none where no metric allows bounds."""
    if bounds is None:
        return ()
    frame = bounds.to_frame()
    n_significant = frame["n_significant"]
    parts = {
        name: [share_of(n, of) if of else text(None) for n, of in zip(frame[f"n_{name}"], n_significant, strict=True)]
        for name in ("same_winner", "hold")
    }
    table = say.table(
        "completions",
        frame.assign(**parts),
        (METRIC,),
        right(text, n_significant="Significant pairs", same_winner="Same winner always", hold="Significant always"),
        right(number(3), residual="Width of the bounds"),
        data=frame,
        bounds=bounds,
        correction=CORRECTIONS.label(bounds.correction),
    )
    return (say.section("completions", table, head="Findings under every completion of the judgments"),)


def _compared_efforts(study: JudgmentsStudy) -> tuple[float, pd.DataFrame]:
    """Return the effort nearest to 60 %, and its rows with τ as written."""
    frame = study.table("effort")
    if frame.empty:
        return 0.0, frame
    step = min(frame["step"].unique(), key=lambda share: abs(share - 60))
    rows = frame[(frame["step"] == step) & frame["tau"].notna()]
    return step, with_cells(rows, written=[with_error(row, "tau") for row in rows.to_dict("records")])


def effort_sentences(study: JudgmentsStudy) -> tuple[str, str]:
    """Say which plan keeps the ranking closest at about 60 % of the effort: in short, and under every metric."""
    step, compared = _compared_efforts(study)
    if compared.empty:
        return "", ""
    metrics = list(dict.fromkeys(compared["metric"]))
    best = {}
    for metric, rows in compared.groupby("metric", sort=False):
        best[metric] = ends(rows["plan"], rows["tau"], rows["written"])[1].names
    alone = pd.Series({metric: plans[0] for metric, plans in best.items() if len(plans) == 1}, dtype=object)
    wins = {plan: _metrics(alone.index[alone == plan], metrics) for plan in alone.value_counts().index}
    named = {PLAN_NAMES[plan].replace(",", " for"): under for plan, under in wins.items()}
    tied = [metric for metric in metrics if metric not in alone]
    tie = _metrics(tied, metrics) if tied else ""
    ties = [f"{plan} under {under}" for plan, under in named.items()] + [f"a tie under {tie}"] * bool(tied)
    alone_wins = next(iter(named)) if len(named) == 1 and not tied else ""
    return say("effort first", step=step, plan=alone_wins), say("effort plans", step=step, kept=ties)


def effort_figures(study: JudgmentsStudy) -> list[KeyFigure]:
    """Return τ of every plan at about 60 % of the effort, from the lowest to the highest metric."""
    step, compared = _compared_efforts(study)
    return [
        KeyFigure(
            f"τ with {step:g} %, {PLAN_NAMES[str(plan)]}",
            span(map(name_of_metric, rows["metric"]), rows["tau"], rows["written"], opening=""),
            dict(zip(rows["metric"], rows["tau"], strict=True)),
        )
        for plan, rows in (() if compared.empty else compared.groupby("plan", sort=False))
    ]


def _metrics(some: Iterable[object], every: Sequence[object]) -> str:
    names = [name_of_metric(metric) for metric in some]
    return "every metric" if len(names) == len(every) > 1 else listed(names)


def effort_section(study: JudgmentsStudy) -> tuple[Section, ...]:
    """Return the section that compares plans of equal effort."""
    effort = study.effort
    if effort is None:
        return ()
    frame = study.table("effort")
    words, drawn = effort_sentences(study)[1], drawn_words(effort.n_replicates, random=True)
    picture = say.picture(
        "effort",
        lambda: figures.effort_panels(frame, plans=PLAN_NAMES, min_tau=study.min_tau),
        alt=words or "No ranking is defined, so no plan keeps it.",
        drawn=drawn,
    )
    blocks: list[Block] = [picture, _effort_table(study, effort, frame)]
    if effort.adaptive is not None and effort.adaptive_table is not None:
        blocks += _adaptive_blocks(study, effort.adaptive.rule, effort.adaptive_table)
    return (say.section("effort", *blocks, brief=not (study.stability or study.left_out), words=words),)


def measured_words(cost: CostModel) -> str:
    """Say at which INEX the minutes were measured; nothing where they are not published ones."""
    year = next((year for year, model in COST_MODELS.items() if model == cost), "")
    return f", as measured at INEX {year} (Piwowarski et al., 2008)" if year else ""


def _effort_table(study: JudgmentsStudy, effort: EffortPlans, frame: pd.DataFrame) -> Table:
    rows: list[Mapping[Any, Any]] = []
    for (_, plan), of_plan in frame.groupby(["step", "plan"], sort=False):
        by_metric = {row["metric"]: row for row in of_plan.to_dict("records")}
        first = of_plan.iloc[0][["step", "plan", "judged", "relevant", "hours", "topics"]].to_dict()
        taus = {metric: with_error(by_metric[metric], "tau") for metric in study.metrics}
        rows.append(first | {"plan": PLAN_NAMES[str(plan)]} | taus)
    return say.table(
        "effort table",
        frame_of(rows),
        right(percent, step="Effort"),
        left(plan="Spent on"),
        right(whole, topics="Topics", judged="Judged", relevant="Relevant"),
        right(number(1), hours="Hours"),
        right(text, "τ", **{metric: name_of_metric(metric) for metric in study.metrics}),
        called="effort",
        data=frame,
        drawn=drawn_words(effort.n_replicates, random=True),
    )


def _adaptive_blocks(study: JudgmentsStudy, rule: GrowthRule, frame: pd.DataFrame) -> tuple[Block, ...]:
    rows = []
    for _, of_pools in frame.groupby("pools", sort=False):
        first = of_pools.iloc[0][["pools", "judged", "relevant", "hours"]].to_dict()
        rows.append(first | of_pools.set_index("metric")["tau"].to_dict())
    table = say.table(
        "adaptive",
        pd.DataFrame(rows),
        left(pools="Pools"),
        right(whole, judged="Judged", relevant="Relevant"),
        right(number(1), hours="Hours"),
        right(number(3), "τ", **{metric: name_of_metric(metric) for metric in study.metrics}),
        data=frame,
        rule=rule,
    )
    per_topic = say.table(
        "effort topics",
        study.table("adaptive_topics"),
        left(topic="Topic"),
        right(whole, "Adaptive", pool_depth="Depth", judged="Judged", relevant="Relevant"),
        left(text, "Adaptive", stopped="Stopped by"),
        right(whole, "One depth", fixed_judged="Judged", fixed_relevant="Relevant"),
        called="adaptive_topics",
    )
    return table, Fold(title=per_topic.title, blocks=(per_topic,))
