"""The section on effort: the same number of judgments, spent in different ways."""

from collections.abc import Iterable, Sequence

import pandas as pd

from metaeval import figures
from metaeval.base.words import ends, listed, name_of_metric, number, text, whole
from metaeval.page.blocks import Block, Fold, Picture, Section
from metaeval.page.tables import Table, left, right
from metaeval.reports.judgment_power import drawn_words
from metaeval.reports.judgment_reductions import error_words, percent, with_error
from metaeval.resampling.effort import COST_MODELS, CostModel, GrowthRule
from metaeval.resampling.effort_plans import PLAN_NAMES, EffortPlans
from metaeval.studies.judgments import JudgmentsStudy


def effort_sentences(study: JudgmentsStudy) -> list[str]:
    """Say which plan keeps the ranking closest at about 60 % of the effort."""
    if study.effort is None:
        return []
    frame = study.effort.to_frame()
    step = min(frame["step"].unique(), key=lambda one: abs(one - 60))
    part = frame[(frame["step"] == step) & frame["tau"].notna()]
    if part.empty:
        return []
    metrics = list(dict.fromkeys(part["metric"]))
    best = {}
    for metric, rows in part.groupby("metric", sort=False):
        written = [with_error(row, "tau") for row in rows.to_dict("records")]
        best[metric] = ends(rows["plan"], rows["tau"], written)[1].names
    alone = pd.Series({metric: plans[0] for metric, plans in best.items() if len(plans) == 1}, dtype=object)
    wins = [
        f"{PLAN_NAMES[plan].replace(',', ' for')} keep the ranking closest to that of the rebuilt pool under "
        f"{_metrics(alone.index[alone == plan], metrics)}"
        for plan in alone.value_counts().index
    ]
    tied = [metric for metric in metrics if metric not in alone]
    wins += [f"the best plans tie under {_metrics(tied, metrics)}"] if tied else []
    return [f"With {step:g} % of the judged documents, {'; '.join(wins)}."]


def _metrics(some: Iterable[object], every: Sequence[object]) -> str:
    names = [name_of_metric(metric) for metric in some]
    return "every metric" if len(names) == len(every) > 1 else listed(names)


def effort_section(study: JudgmentsStudy) -> tuple[Section, ...]:
    """Return the section that compares plans of equal effort."""
    effort, cost = study.effort, study.cost
    if effort is None:
        return ()
    frame = study.table("effort")
    picture = Picture(
        name="effort",
        draw=lambda: figures.effort_panels(frame, plans=PLAN_NAMES, min_tau=study.min_tau),
        title="The same effort, spent in three ways",
        caption=f"τ with the ranking of the rebuilt pool{_errors(effort)} The number of judged documents "
        "is the same in all three; hours differ a little, because a relevant document takes "
        f"{cost.minutes_relevant:g} min and a non-relevant one {cost.minutes_other:.3g} min{source_of_minutes(cost)}. "
        "The upper "
        "line is the better plan.",
        alt=" ".join(effort_sentences(study)),
    )
    blocks: list[Block] = [picture, _effort_table(study, effort, frame)]
    if effort.adaptive is not None and effort.adaptive_table is not None:
        blocks += _adaptive_blocks(study, effort.adaptive.rule, effort.adaptive_table)
    section = Section(
        id="effort",
        title="Allocation of judging effort",
        brief=True,
        lead="A fixed number of judgments can go into shallow pools for all topics, into random samples of deep "
        "pools, or into full pools for fewer topics.",
        blocks=tuple(blocks),
    )
    return (section,)


def source_of_minutes(cost: CostModel) -> str:
    """Say where the minutes are from, if they are published ones."""
    year = next((year for year, one in COST_MODELS.items() if one == cost), None)
    return "" if year is None else f", as measured at INEX {year} (Piwowarski et al., 2008)"


def _effort_table(study: JudgmentsStudy, effort: EffortPlans, frame: pd.DataFrame) -> Table:
    rows = []
    for (step, plan), part in frame.groupby(["step", "plan"], sort=False):
        found = {row["metric"]: row for row in part.to_dict("records")}
        first = part.iloc[0]
        row = {"step": step, "plan": PLAN_NAMES[str(plan)], "judged": first["judged"], "relevant": first["relevant"]}
        row |= {"hours": first["hours"], "topics": first["topics"]}
        rows.append(row | {metric: with_error(found[metric], "tau") for metric in study.metrics})
    return Table(
        name="effort",
        title="τ at equal effort",
        caption=f"Effort in % of the judged documents of the rebuilt pool{error_words(effort.n_replicates)}."
        f"{drawn_words(1, random=effort.n_replicates == 1)}",
        frame=pd.DataFrame(rows),
        data=frame,
        columns=(
            *right(percent, step="Effort"),
            *left(plan="Spent on"),
            *right(whole, topics="Topics", judged="Judged", relevant="Relevant"),
            *right(number(1), hours="Hours"),
            *right(text, "τ", **_labels(study)),
        ),
    )


def _errors(effort: EffortPlans) -> str:
    return "; bars are standard errors." if effort.n_replicates > 1 else f".{drawn_words(1, random=True)}"


def _labels(study: JudgmentsStudy) -> dict[str, str]:
    return {metric: name_of_metric(metric) for metric in study.metrics}


def _adaptive_blocks(study: JudgmentsStudy, rule: GrowthRule, frame: pd.DataFrame) -> tuple[Block, ...]:
    topics = study.table("adaptive_topics")
    rows = []
    for pools, part in frame.groupby("pools", sort=False):
        first = part.iloc[0]
        row = {"pools": pools, "judged": first["judged"], "relevant": first["relevant"], "hours": first["hours"]}
        rows.append(row | part.set_index("metric")["tau"].to_dict())
    table = Table(
        name="adaptive",
        title="Depth chosen topic by topic",
        caption=f"Adaptive: every topic's pool starts at depth {rule.start} and grows by {rule.step} until a round "
        f"finds fewer than {rule.rate:g} relevant documents per newly judged one"
        + ("" if rule.budget is None else f", or {rule.budget:,} documents are judged in all")
        + ". One depth: the same number of judgments spent rank by rank on all topics alike. τ with the ranking "
        "of the rebuilt pool.",
        frame=pd.DataFrame(rows),
        data=frame,
        columns=(
            *left(pools="Pools"),
            *right(whole, judged="Judged", relevant="Relevant"),
            *right(number(1), hours="Hours"),
            *right(number(3), "τ", **_labels(study)),
        ),
    )
    per_topic = Table(
        name="adaptive_topics",
        title="Every topic",
        caption="Depth reached, and why it stopped there: few new ones came (rate), nothing deeper was ever "
        "judged (pool), or the documents to judge were used up (budget).",
        frame=topics,
        columns=(
            *left(topic="Topic"),
            *right(whole, "Adaptive", pool_depth="Depth", judged="Judged", relevant="Relevant"),
            *left(text, "Adaptive", stopped="Stopped by"),
            *right(whole, "One depth", fixed_judged="Judged", fixed_relevant="Relevant"),
        ),
    )
    return table, Fold(title="Every topic", blocks=(per_topic,))
