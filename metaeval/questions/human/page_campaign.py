"""The report on the metrics of a campaign: averages, tasks, chance, comparisons and conclusions about systems."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.agreement.meta_evaluation import MetaMetrics
from metaeval.agreement.meta_exchanges import SENTINELS
from metaeval.agreement.meta_tasks import CALIBRATED, MEASURES
from metaeval.base.words import MISSING, bracketed, ends, number, sentence_case, share, text, whole
from metaeval.page.blocks import Block, Fold, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, left, p_values, right, rising, with_cells
from metaeval.questions.human.study_campaign import CampaignStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import key_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.tests_stat.result import is_significant

_DECIMAL = number(3)
_DAGGER = "†"
_SHUFFLED = ("shuffled, mean", "shuffled, at most")
_MADE = (*SENTINELS, *_SHUFFLED)
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
        sections.append(_decisions_section(study))
    return Report(
        command="human",
        title=say("title"),
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
    correlates = row["measure"] in {"pearson", "spearman", "kendall"}
    level = " on items" if correlates and row["level"] == "item" else ""
    group = "" if row["group"] == "none" else f" (by {row['group']})"
    words = f"{say(row['measure'])}{level}{group}"
    return f"{row['sets'].replace(',', ', ')}: {words}" if row["sets"] else words


def _short(tasks: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the sets and the short name of every task, for the head of a column."""
    named = tasks.astype(str).to_dict("records")
    return [
        (row["sets"].replace(",", ", "), say("short", measure=row["measure"], level=row["level"], group=row["group"]))
        for row in named
    ]


def _summary(found: MetaMetrics) -> tuple[str, ...]:
    lead = found.lead()
    best = ends(lead["metric"], lead["value"], map(_DECIMAL, lead["value"]))[1]
    written = dict(zip(lead["metric"], _valued(found, lead), strict=True))
    figure = written[best.names[0]] if len(best.names) == 1 else best.figure
    has_chance = lead["above_chance"].notna().any()
    first = say(
        "first",
        n=len(lead),
        above=int((lead["above_chance"] == True).sum()),  # noqa: E712 - missing values are neither
        known=has_chance,
        defined=bool(lead["value"].notna().any()),
        best=best,
        figure=figure,
        what=_what(found),
    )
    return tuple(filter(None, (first, _not_separated(found, lead), _source_only(found))))


def _what(found: MetaMetrics) -> str:
    """Return what the leading values are of: the average, or the first task where there is none or no other."""
    first = _label(found.tasks["task"].iloc[0], found.tasks)
    return say("averaged", n=len(found.tasks)) if found.is_averaged() else first


def _not_separated(found: MetaMetrics, lead: pd.DataFrame) -> str:
    pairs = found.lead_pairs()
    best = str(lead["metric"].iloc[0])
    of_best = pairs[(pairs["metric_a"] == best) & pairs["p"].notna()]
    if of_best.empty:
        return ""
    tied = of_best.loc[~is_significant(of_best["p_corrected"].to_numpy(), found.alpha), "metric_b"].tolist()
    return say("not separated", best=best, rest=tied, others=of_best["metric_b"].tolist(), n=len(lead), found=found)


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
        *right(text, value=say("key value", what=_what(found), found=found)),
        *rising(whole, rank="Rank"),
        *right(_DECIMAL, chance_high="Chance, at most"),
        *of_chance,
    ]
    scaled = found.is_averaged() and any(MEASURES[measure].low < 0 for measure in found.tasks["measure"])
    return key_figures(frame, columns, which="best", caption=say("campaign lead") if scaled else "")


def _beside_chance(found: MetaMetrics, table: pd.DataFrame, group: str = "") -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return a table with how often chance reaches a value, with its error where shuffles were drawn."""
    draws = None if found.all_shuffles else found.n_shuffles
    return p_values(table, {"p_chance": "p" if group else say("p of chance")}, group, raw={}, n_resamples=draws)


def _over(found: MetaMetrics) -> str:
    clustered = bool((found.tasks["n_clusters"] < found.tasks["n_items"]).any())
    items = "clusters" if clustered else "items"
    return {"items": items, "systems": "systems", "both": f"{items} and systems"}[found.resample]


def _campaign_section(study: CampaignStudy) -> Section:
    meta_metrics = study.found
    picture = Picture(
        **say.named(
            "agreement",
            found=meta_metrics,
            over=_over(meta_metrics),
            chance=bool(meta_metrics.table["chance"].notna().any()),
        ),
        draw=lambda: figures.agreement_dots(
            meta_metrics.lead().rename(columns={"metric": "name"}), label=say("agreement title")
        ),
        alt=say("picture alt", n=len(meta_metrics.lead())),
    )
    folds = [
        Fold(title=say("task fold", task=_label(task, meta_metrics.tasks)), blocks=(_task_table(meta_metrics, task),))
        for task in meta_metrics.tasks["task"]
    ]
    return Section(
        id="campaign",
        title=say("campaign title"),
        lead=say("campaign lead") if meta_metrics.is_averaged() else "",
        brief=True,
        blocks=(picture, _campaign_table(meta_metrics), *folds),
    )


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
    return Table(
        name="campaign",
        **say.titled(
            "campaign table",
            found=found,
            marked=marked,
            pairs=len(found.lead_pairs()),
            measures=[measure for measure in dict.fromkeys(found.tasks["measure"]) if measure in {"spa", *CALIBRATED}],
            on_items=bool(((found.tasks["level"] == "item") & (found.tasks["measure"] == "pearson")).any()),
        ),
        frame=frame,
        columns=tuple(columns),
        data=found.to_frame(),
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
    return Table(
        name=f"task-{found.tasks['task'].tolist().index(task) + 1}",
        title=sentence_case(_label(task, found.tasks)),
        caption=say("task", row=row, ties=ties, error="" if np.isnan(error) else f"{error:.1g}"),
        frame=frame,
        columns=tuple(columns),
        data=of_task,
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
    table = Table(
        **say.named("chance", people=[name for name in names[:-2] if name not in SENTINELS]),
        frame=frame.assign(metric=[sentence_case(label) if label in _MADE else label for label in frame["metric"]]),
        columns=(*left(metric="Made-up metric"), *chain(*heads)),
    )
    people = not {*found.sentinels["metric"]} <= {*SENTINELS}  # asked for: shown in a terminal too
    return Section(**say.headed("chance lead"), brief=people, blocks=(table,))


def _comparison_section(found: MetaMetrics) -> Section:
    pairs = found.lead_pairs()
    decided = pairs.assign(significant=is_significant(pairs["p_corrected"].to_numpy(), found.alpha))
    frame, columns = p_values(
        pairs, {"p": "p", "p_corrected": "p, corrected"}, raw={"p_corrected": "p"}, n_resamples=found.n_resamples
    )
    table = Table(
        name="metric-pairs",
        **say.titled("pairs"),
        frame=frame,
        data=pairs,
        columns=(*left(metric_a="Better", metric_b="Other"), *right(_DECIMAL, difference="Difference"), *columns),
    )
    blocks: list[Block] = [
        Picture(
            **say.named("metric-comparison", found=found),
            draw=lambda: figures.comparison_map(decided, order=found.lead()["metric"].tolist()),
            alt=say("map alt", better=int(decided["significant"].sum()), n=len(decided)),
        ),
        Fold(title=say("pairs fold"), blocks=(table,)),
    ]
    return Section(**say.headed("comparison lead"), blocks=tuple(blocks))


def _separation_section(study: CampaignStudy) -> Section:
    units = "clusters" if (study.found.tasks["n_clusters"] < study.found.tasks["n_items"]).any() else "items"
    fields = {"pair": study.separated, "units": units, "alpha": study.found.alpha}
    frame = study.separation.assign(
        task=[sentence_case(_label(task, study.found.tasks)) for task in study.separation["task"]]
    )
    table = Table(
        **say.named("separation", **fields),
        frame=frame,
        data=study.separation,
        columns=(
            *left(task="Task"),
            *right(_DECIMAL, difference="Difference"),
            *right(whole, n_units=f"{sentence_case(units)} at hand", n_needed=f"{sentence_case(units)} needed"),
        ),
    )
    return Section(**say.headed("separation lead", units=units, pair=study.separated), brief=True, blocks=(table,))


def _decisions_section(study: CampaignStudy) -> Section:
    several = len(study.decisions["set"].unique()) > 1
    table = Table(
        **say.named("decisions", study=study),
        frame=study.decisions.sort_values(["set", "f1"], ascending=[True, False], kind="stable"),
        columns=(
            *(left(set="Set") if several else ()),
            *left(metric="Metric"),
            *right(
                whole, "Significant under", n_metric="metric", n_human="people", n_shared="both", n_conflicts="opposite"
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(_DECIMAL, f1="F1"),
        ),
    )
    return Section(**say.headed("decisions lead", **_unlike(study)), blocks=(table,))


def _unlike(study: CampaignStudy) -> dict[str, Any]:
    """Return the metric whose place by mean F1 is farthest from its place by agreement, and both places."""
    frame = pd.DataFrame(
        {
            "value": study.found.lead().set_index("metric")["value"],
            "f1": study.decisions.groupby("metric")["f1"].mean(),
        }
    ).dropna()
    places = frame.rank(ascending=False, method="min").astype(int)
    apart = np.abs(places["value"].to_numpy() - places["f1"].to_numpy())
    if not apart.any():
        return {"name": ""}
    at = int(np.argmax(apart))
    name, (by_value, by_f1) = str(places.index[at]), places.to_numpy()[at].tolist()
    return {"name": name, "by_value": by_value, "by_f1": by_f1, "n": len(places)}


_ABOUT: Mapping[str, str] = {"accuracy": "accuracy", "spa": "spa", "acc_eq": "acc_eq", "tau_eq": "acc_eq"}
"""The passage on each measure that needs one."""


def _methods(study: CampaignStudy) -> Methods:
    meta_metrics = study.found
    labels = [_label(task, meta_metrics.tasks) for task in meta_metrics.tasks["task"]]
    by_group = bool((meta_metrics.tasks["group"] != "none").any())
    paragraphs = [say("scored", n=len(meta_metrics.order()), tasks=labels, found=meta_metrics, by_group=by_group)]
    passages = dict.fromkeys(filter(None, map(_ABOUT.get, meta_metrics.tasks["measure"])))
    paragraphs += [say(f"about {name}", found=meta_metrics) for name in passages]
    paragraphs.append(say("intervals", found=meta_metrics, over=_over(meta_metrics)))
    if len(meta_metrics.pairs):
        units = [
            f"{label} by {unit}" for label, unit in zip(labels, meta_metrics.tasks["exchange"], strict=True) if unit
        ]
        paragraphs.append(
            say("exchanges", found=meta_metrics, units=units, pairs="pairs" in meta_metrics.tasks["exchange"].tolist())
        )
    if meta_metrics.table["chance"].notna().any():
        paragraphs.append(say("chance methods", found=meta_metrics))
    if study.title:
        paragraphs.insert(1, say("of a year", title=study.title))
    return Methods(paragraphs=tuple(paragraphs))
