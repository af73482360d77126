"""The section on effort: the same number of judgments, spent in different ways."""

from collections.abc import Iterable, Sequence

import pandas as pd

from metaeval import figures
from metaeval.base.words import ends, listed, name_of_metric, number, span, text, whole
from metaeval.page.blocks import Block, Fold, Section
from metaeval.page.tables import Table, left, right, with_cells
from metaeval.questions.judgments.page_power import drawn_words
from metaeval.questions.judgments.page_reductions import percent, with_error
from metaeval.questions.judgments.study import JudgmentsStudy
from metaeval.reports.key_figures import KeyFigure
from metaeval.reports.prose import prose
from metaeval.resampling.effort import COST_MODELS, CostModel, GrowthRule
from metaeval.resampling.effort_plans import PLAN_NAMES, EffortPlans

say = prose(__name__)


def _compared(study: JudgmentsStudy) -> tuple[float, pd.DataFrame]:
    """Return the effort nearest to 60 %, and its rows with τ as written."""
    frame = study.table("effort")
    if frame.empty:
        return 0.0, frame
    step = min(frame["step"].unique(), key=lambda share: abs(share - 60))
    rows = frame[(frame["step"] == step) & frame["tau"].notna()]
    return step, with_cells(rows, written=[with_error(row, "tau") for row in rows.to_dict("records")])


def effort_sentences(study: JudgmentsStudy) -> tuple[str, str]:
    """Say which plan keeps the ranking closest at about 60 % of the effort: in short, and under every metric."""
    step, compared = _compared(study)
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
    kept = [f"{plan} under {under}" for plan, under in named.items()] + [f"a tie under {tie}"] * bool(tied)
    alone_wins = next(iter(named)) if len(named) == 1 and not tied else ""
    return say("first", step=step, plan=alone_wins), say("plans", step=step, kept=kept)


def effort_figures(study: JudgmentsStudy) -> list[KeyFigure]:
    """Return τ of every plan at about 60 % of the effort, from the lowest to the highest metric."""
    step, compared = _compared(study)
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
    rows = []
    for (step, plan), of_plan in frame.groupby(["step", "plan"], sort=False):
        by_metric = {row["metric"]: row for row in of_plan.to_dict("records")}
        first = of_plan.iloc[0]
        row = {"step": step, "plan": PLAN_NAMES[str(plan)], "judged": first["judged"], "relevant": first["relevant"]}
        row |= {"hours": first["hours"], "topics": first["topics"]}
        rows.append(row | {metric: with_error(by_metric[metric], "tau") for metric in study.metrics})
    return say.table(
        "table",
        pd.DataFrame(rows),
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
    for pools, of_pools in frame.groupby("pools", sort=False):
        first = of_pools.iloc[0]
        row = {"pools": pools, "judged": first["judged"], "relevant": first["relevant"], "hours": first["hours"]}
        rows.append(row | of_pools.set_index("metric")["tau"].to_dict())
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
        "topics",
        study.table("adaptive_topics"),
        left(topic="Topic"),
        right(whole, "Adaptive", pool_depth="Depth", judged="Judged", relevant="Relevant"),
        left(text, "Adaptive", stopped="Stopped by"),
        right(whole, "One depth", fixed_judged="Judged", fixed_relevant="Relevant"),
        called="adaptive_topics",
    )
    return table, Fold(title=per_topic.title, blocks=(per_topic,))
