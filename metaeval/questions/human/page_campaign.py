# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on the metrics of a campaign: averages, tasks, chance, comparisons and conclusions about systems."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.agreement.meta_evaluation import MetaMetrics
from metaeval.agreement.meta_exchanges import SENTINELS
from metaeval.agreement.meta_tasks import CALIBRATED, MEASURES
from metaeval.base.names import count
from metaeval.base.words import MISSING, bracketed, ends, number, percentage, sentence_case, text, whole
from metaeval.page.blocks import Block, Fold, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, left, p_values, right, rising, with_cells
from metaeval.questions.human.page import decisions_section, surely_agree
from metaeval.questions.human.page import say as human
from metaeval.questions.human.study_campaign import CampaignStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.tests_stat.labels import those_that_differ
from metaeval.tests_stat.result import is_significant

_DECIMAL = number(3)
_DAGGER = "†"
_SHUFFLED = ("shuffled, mean", "shuffled, at most")
_MADE = (*SENTINELS, *_SHUFFLED)
_NAMES = {
    "accuracy": ("pairwise accuracy", "accuracy"),
    "pearson": ("Pearson's r", "r"),
    "spearman": ("Spearman's ρ", "ρ"),
    "kendall": ("Kendall's τ", "τ"),
    "spa": ("soft pairwise accuracy", "SPA"),
    "acc_eq": ("accuracy with calibrated ties", "acc-t"),
    "tau_eq": ("τ with calibrated ties", "τ-t"),
    "pairwise_pearson": ("Pearson's r of differences", "r of differences"),
}
"""Of each measure, in a sentence and at the head of a column."""
_CORRELATIONS = {"pearson", "spearman", "kendall"}
say = prose(__name__)


def campaign_report(study: CampaignStudy) -> Report:
    """Put a campaign into a report."""
    meta_metrics = study.found
    sections = [_campaign_section(study), _chance_section(meta_metrics)]
    if len(meta_metrics.lead_pairs()):
        sections.append(_comparison_section(meta_metrics))
    if len(study.separation):
        sections.append(_separation_section(study))
    if len(study.decisions):
        sections.append(decisions_section(say, study))
    return Report(
        command="human",
        title="Do the metrics agree with people?",
        facts=facts(metric=len(meta_metrics.lead()), task=len(meta_metrics.tasks), system=_n_systems(meta_metrics)),
        summary=_summary(meta_metrics),
        key_figures=_key_figures(meta_metrics),
        sections=tuple(sections),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(meta_metrics.pairs), "tasks.csv": csv_file(meta_metrics.tasks)},
    )


def _n_systems(found: MetaMetrics) -> int:
    return int(found.tasks.drop_duplicates("sets").query("not sets.str.contains(',')")["n_systems"].sum()) or int(
        found.tasks["n_systems"].max()
    )


def _valued(found: MetaMetrics, table: pd.DataFrame) -> list[str]:
    return [bracketed(row.value, row.low, row.high, _DECIMAL, draws=found.n_resamples) for row in table.itertuples()]


def _label(task: str, tasks: pd.DataFrame) -> str:
    """Return what a page calls a task: its set, measure and level."""
    row = next(record for record in tasks.astype(str).to_dict("records") if record["task"] == task)
    level = " on items" if row["measure"] in _CORRELATIONS and row["level"] == "item" else ""
    group = "" if row["group"] == "none" else f" (by {row['group']})"
    words = f"{_NAMES[row['measure']][0]}{level}{group}"
    return f"{row['sets'].replace(',', ', ')}: {words}" if row["sets"] else words


def _short(tasks: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the sets and the short name of every task, for the head of a column."""
    named = tasks.astype(str).to_dict("records")
    return [(row["sets"].replace(",", ", "), f"{_NAMES[row['measure']][1]}{_of_items(row)}") for row in named]


def _of_items(row: Mapping[Hashable, str]) -> str:
    """Return what a correlation is by, where that is not the system level."""
    if row["measure"] not in _CORRELATIONS:
        return ""
    return f" by {row['group']}" if row["group"] != "none" else ", items" * (row["level"] == "item")


def _summary(found: MetaMetrics) -> tuple[str, ...]:
    lead = found.lead()
    best = ends(lead["metric"], lead["value"], map(_DECIMAL, lead["value"]))[1]
    written = dict(zip(lead["metric"], _valued(found, lead), strict=True))
    figure = written[best.names[0]] if len(best.names) == 1 else best.figure
    what, above = _leading_values_of(found), int((lead["above_chance"] == True).sum())  # noqa: E712 - missing values are neither
    if not lead["value"].notna().any():
        first = f"{say('undefined')} ({what})."
    elif lead["above_chance"].notna().any():
        first = surely_agree(len(lead), above, best, f"{figure}, {what}")
    else:
        words = {"n": len(lead), "figure": f"{figure}, {what}", "interval": True}
        first = human("observed", best=best, above=_above(found, lead["value"].max()), **words)
    return tuple(filter(None, (first, _not_separated(found, lead), _source_only(found))))


def _above(found: MetaMetrics, highest: float) -> float:
    """Return the sign of the highest agreement where 0 is no correlation; 1 where no number stands for that."""
    signed = [MEASURES[measure].low < 0 for measure in found.tasks["measure"]]
    if found.is_averaged():
        return float(np.sign(highest - 0.5)) if all(signed) else 1.0
    return float(np.sign(highest)) if signed[0] else 1.0


def _leading_values_of(found: MetaMetrics) -> str:
    """Return what the leading values are of: the average, or the first task where there is none or no other."""
    first = _label(found.tasks["task"].iloc[0], found.tasks)
    return f"average of {count(len(found.tasks), 'task')}" if found.is_averaged() else first


def _not_separated(found: MetaMetrics, lead: pd.DataFrame) -> str:
    pairs = found.lead_pairs()
    best = str(lead["metric"].iloc[0])
    of_best = pairs[(pairs["metric_a"] == best) & pairs["p"].notna()]
    if of_best.empty:
        return ""
    tied = of_best.loc[~is_significant(of_best["p_corrected"].to_numpy(), found.alpha), "metric_b"].tolist()
    passage = "not separated" if tied else "separated"
    return say(passage, best=best, tied=tied, n=len(of_best), found=found)


def _source_only(found: MetaMetrics) -> str:
    """Say how many metrics are no better on items than a metric that gives every system of an item the same score."""
    items = found.tasks[found.tasks["level"] == "item"]
    if items.empty:
        return ""
    bars = found.sentinels[found.sentinels["metric"] == "item only"].set_index("task")["value"]
    on_items = found.table[found.table["task"].isin(items["task"])]
    below = on_items[on_items["value"] <= on_items["task"].map(bars)].groupby("task").size()
    if below.empty:
        return ""
    task = below.idxmax()
    n = int((on_items["task"] == task).sum())
    return say("source only", task=_label(str(task), found.tasks), below=int(below.max()), n=n)


def _key_figures(found: MetaMetrics) -> Table:
    lead = found.lead()
    frame, of_chance = _beside_chance(found, lead[["metric", "rank", "low", "high", "chance_high", "p_chance"]])
    frame = with_cells(frame, value=_valued(found, lead)).assign(value_sort=lead["value"].to_numpy())
    columns = [
        *left(metric="Metric"),
        *right(
            text, value=f"{sentence_case(_leading_values_of(found))} [{percentage(found.confidence_level)} interval]"
        ),
        *rising(whole, rank="Rank"),
        *right(_DECIMAL, chance_high="Chance, at most"),
        *of_chance,
    ]
    scaled = found.is_averaged() and any(MEASURES[measure].low < 0 for measure in found.tasks["measure"])
    return key_figures(frame, columns, which="best", caption=say("campaign lead") if scaled else "")


def _beside_chance(found: MetaMetrics, table: pd.DataFrame, group: str = "") -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return a table with how often chance reaches a value, with its error where shuffles were drawn."""
    draws = None if found.all_shuffles else found.n_shuffles
    return p_values(table, {"p_chance": "p" if group else "Chance, p"}, group, raw={}, n_resamples=draws)


def _independent(found: MetaMetrics) -> str:
    return "clusters" if (found.tasks["n_clusters"] < found.tasks["n_items"]).any() else "items"


def _sampled_units(found: MetaMetrics) -> str:
    items = _independent(found)
    return {"items": items, "systems": "systems", "both": f"{items} and systems"}[found.resample]


def _campaign_section(study: CampaignStudy) -> Section:
    meta_metrics = study.found
    lead = meta_metrics.lead().rename(columns={"metric": "name"})
    picture = say.picture(
        "agreement",
        lambda: figures.agreement_dots(lead, label=say("agreement title")),
        found=meta_metrics,
        over=_sampled_units(meta_metrics),
        chance=bool(meta_metrics.table["chance"].notna().any()),
        alt=f"{len(lead)} dots with intervals.",
    )
    folds = [
        Fold(title=sentence_case(_label(task, meta_metrics.tasks)), blocks=(_task_table(meta_metrics, task),))
        for task in meta_metrics.tasks["task"]
    ]
    section = say.section("campaign", picture, _campaign_table(meta_metrics), *folds)
    return section if meta_metrics.is_averaged() else replace(section, lead="")


def _campaign_table(found: MetaMetrics) -> Table:
    """Return the table of the overview papers: metrics by average, with every task."""
    order = found.order()
    average = found.average.set_index("metric").reindex(order)
    frame = average[["value", "rank", "letters"]].rename_axis("metric").reset_index()
    columns = [*left(metric="Metric")]
    if len(found.tasks) > 1:
        columns += [*right(text, "Average", written="value"), *rising(whole, "Average", rank="rank")]
        columns += left(text, "Average", letters="letters")
    below = (average["above_chance"] == False).tolist()  # noqa: E712 - missing values are neither
    frame["written"] = [
        MISSING if np.isnan(value) else f"{_DECIMAL(value)}{_DAGGER * at}"
        for value, at in zip(frame["value"], below, strict=True)
    ]
    frame["written_sort"] = frame["value"]
    marked, short = any(below), dict(zip(found.tasks["task"], _short(found.tasks), strict=True))
    for index, task in enumerate(found.tasks["task"]):
        of_task = found.table[found.table["task"] == task].set_index("metric").reindex(order)
        low = of_task["above_chance"] == False  # noqa: E712 - missing values are neither
        marked |= bool(low.any())
        frame[f"value_{index}"] = [
            MISSING if np.isnan(value) else f"{_DECIMAL(value)} ({rank:.0f}){_DAGGER * bool(at)}"
            for value, rank, at in zip(of_task["value"], of_task["rank"], low, strict=True)
        ]
        frame[f"value_{index}_sort"] = of_task["value"].to_numpy()
        group, label = short[task]
        columns += right(text, group, **{f"value_{index}": label})
    on_items = bool(((found.tasks["level"] == "item") & (found.tasks["measure"] == "pearson")).any())
    return say.table(
        "campaign table",
        frame,
        columns,
        called="campaign",
        data=found.to_frame(),
        found=found,
        pairs=len(found.lead_pairs()),
        signs=[*found.tasks["measure"], *["items"] * on_items, *["dagger"] * marked],
    )


def _task_table(found: MetaMetrics, task: str) -> Table:
    row = found.tasks.set_index("task").loc[task]
    of_task = found.table[found.table["task"] == task].drop(columns="task").reset_index(drop=True)
    ties = row["measure"] in CALIBRATED
    error = of_task["error"].max()
    frame, of_chance = _beside_chance(found, of_task, "Chance")
    frame = with_cells(frame, value=_valued(found, of_task)).assign(value_sort=of_task["value"].to_numpy())
    columns = [
        *left(metric="Metric"),
        *right(text, value=f"Value [{found.confidence_level:.0%} interval]".replace("%", " %")),
        *rising(whole, rank="Rank"),
        *left(letters="Letters"),
        *right(whole, n_items="Items"),
        *right(_DECIMAL, "Chance", chance="mean", chance_high="at most"),
        *of_chance,
    ]
    if ties:
        columns += [*right(number(4), threshold="Threshold"), *right(_DECIMAL, other_half="Other half")]
    return say.table(
        "task",
        frame,
        columns,
        called=f"task-{found.tasks['task'].tolist().index(task) + 1}",
        data=of_task,
        label=_label(task, found.tasks),
        row=row,
        error="" if np.isnan(error) else f"of a value {error:.1g}",
    )


def _chance_section(found: MetaMetrics) -> Section:
    rows = found.sentinels.pivot(index="metric", columns="task", values="value")  # noqa: PD010 - keeps NaN
    shuffled = found.table.groupby("task", sort=False)
    rows.loc[_SHUFFLED[0]] = shuffled["chance"].mean()
    rows.loc[_SHUFFLED[1]] = shuffled["chance_high"].max()
    names = [*found.sentinels["metric"].unique(), *_SHUFFLED]
    rows = rows.loc[names, found.tasks["task"].tolist()]
    heads = [right(_DECIMAL, group, **{f"task_{at}": label}) for at, (group, label) in enumerate(_short(found.tasks))]
    frame = rows.set_axis([f"task_{at}" for at in range(len(heads))], axis=1).rename_axis("metric").reset_index()
    table = say.table(
        "chance",
        frame.assign(metric=[sentence_case(label) if label in _MADE else label for label in frame["metric"]]),
        left(metric="Made-up metric"),
        chain(*heads),
        people=[name for name in names[:-2] if name not in SENTINELS],
    )
    people = not {*found.sentinels["metric"]} <= {*SENTINELS}  # asked for: shown in a terminal too
    return say.section("chance", table, brief=people, head="Chance")


def _comparison_section(found: MetaMetrics) -> Section:
    pairs = found.lead_pairs()
    decided = pairs.assign(significant=is_significant(pairs["p_corrected"].to_numpy(), found.alpha))
    frame, columns = p_values(
        pairs, {"p": "p", "p_corrected": "p, corrected"}, raw={"p_corrected": "p"}, n_resamples=found.n_resamples
    )
    table = say.table(
        "pairs",
        frame,
        left(metric_a="Better", metric_b="Other"),
        right(_DECIMAL, difference="Difference"),
        columns,
        called="metric-pairs",
        data=pairs,
    )
    blocks: list[Block] = [
        say.picture(
            "metric-comparison",
            lambda: figures.comparison_map(decided, order=found.lead()["metric"].tolist()),
            alt=f"{those_that_differ(decided['significant'], decided['p_corrected'], 'pair')}.",
            found=found,
        ),
        Fold(title="Every pair, on average", blocks=(table,)),
    ]
    return say.section("comparison", *blocks, brief=False)


def _separation_section(study: CampaignStudy) -> Section:
    units = _independent(study.found)
    fields: Mapping[str, Any] = {"pair": study.separated, "units": units, "alpha": study.found.alpha}
    frame = study.separation.assign(
        task=[sentence_case(_label(task, study.found.tasks)) for task in study.separation["task"]]
    )
    table = say.table(
        "separation",
        frame,
        left(task="Task"),
        right(_DECIMAL, difference="Difference"),
        right(whole, n_units=f"{sentence_case(units)} at hand", n_needed=f"{sentence_case(units)} needed"),
        data=study.separation,
        **fields,
    )
    return say.section("separation", table, units=units, pair=study.separated)


_ABOUT: Mapping[str, str] = {"accuracy": "accuracy", "spa": "spa", "acc_eq": "acc_eq", "tau_eq": "acc_eq"}
"""The passage on each measure that needs one."""


def _methods(study: CampaignStudy) -> Methods:
    meta_metrics = study.found
    labels = [_label(task, meta_metrics.tasks) for task in meta_metrics.tasks["task"]]
    paragraphs = [say("scored", n=len(meta_metrics.order()), tasks=labels, found=meta_metrics)]
    passages = dict.fromkeys(filter(None, map(_ABOUT.get, meta_metrics.tasks["measure"])))
    paragraphs += [say(f"about {name}", found=meta_metrics) for name in passages]
    paragraphs.append(say("intervals", found=meta_metrics, over=_sampled_units(meta_metrics)))
    if len(meta_metrics.pairs):
        exchanged = meta_metrics.tasks["exchange"].tolist()
        units = [f"{label} by {unit}" for label, unit in zip(labels, exchanged, strict=True) if unit]
        paragraphs.append(say("exchanges", found=meta_metrics, units=units, pairs="pairs" in exchanged))
    if meta_metrics.table["chance"].notna().any():
        paragraphs.append(say("chance methods", found=meta_metrics))
    if study.title:
        paragraphs.insert(1, say("of a year", title=study.title))
    return Methods(paragraphs=tuple(paragraphs))
