"""What the page of a leaderboard says of cohorts: the best systems, or a group, and the items that separate them."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import first_few, natural_order
from metaeval.base.unit import unit as spoken
from metaeval.base.words import carried, name_of_metric, number, share, share_of, text, whole
from metaeval.page.blocks import Block, Choice, Fold, Section, Text, Writer
from metaeval.page.tables import Table, left, of_metrics, right, under, with_cells, with_errors
from metaeval.questions.leaderboard.study import LeaderboardStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.prose import prose
from metaeval.resampling.cohorts import IDLE, UNTOLD, CohortAnalysis
from metaeval.table.array import has_gaps

say = prose(__name__)
_MOST_ROWS = 1_000_000
"""Of the file of items: with more, they are users and not items to choose from."""


def cohorts_section(study: LeaderboardStudy, decision: str) -> list[Section]:
    """Say which items separate the best systems, which decide nothing, and what is lost without these."""
    cohorts = study.cohorts
    if cohorts is None:
        return []
    rows, clustered = study.cohort_frame(), "cluster" in study.scores.coords
    metrics = rows["metric"].unique().tolist()
    words = {name: _cohort(cohorts, name) for name in rows["cohort"].unique()}

    def blocks(metric: str) -> tuple[Block, ...]:
        records = rows[rows["metric"] == metric].to_dict("records")
        line = [int(cohorts.data[f"curve_{of}s"].sel(metric=metric)) for of in ("system", "topic")]
        picture = say.picture(
            "picture",
            lambda: cohorts.plot(metric),
            called=f"cohorts {metric}",
            metric=metric,
            tolerance=cohorts.tolerance,
            line=line,
            row=records[0],
            cohort=_counted(cohorts, records[0]),
        )
        return (
            Text(paragraphs=tuple(_found(cohorts, row, words[row["cohort"]], decision) for row in records)),
            picture,
        )

    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    failed = tuple(f"Subsets have no answer for {name}: {reason}." for name, reason in cohorts.unanswered.items())
    short = {name: wording.removeprefix("the ") for name, wording in words.items()}
    captioned = {"units": spoken().clusters if clustered else spoken().topics, "decision": decision}
    return [
        say.section(
            "cohorts",
            choice,
            _table(cohorts, rows, short, captioned | {"gappy": has_gaps(study.scores.to_numpy())}),
            *_clusters_blocks(cohorts, short),
            *_subsets_blocks(cohorts, short),
            *([Text(paragraphs=failed, look="note")] if failed else []),
            brief=study.cohorts_named,
            heading="What separates the best systems" if cohorts.data["top"].any() else "Cohorts of systems",
        )
    ]


def named_cohort(study: LeaderboardStudy, decision: str) -> tuple[str, ...]:
    """Say what separates the first cohort that somebody named, under the first metric; nothing where nobody did."""
    if study.cohorts is None or not study.cohorts_named:
        return ()
    row = study.cohort_frame().iloc[0].to_dict()
    under = f"Under {name_of_metric(row['metric'])}: " if len(study.comparison.metrics) > 1 else ""
    return (under + _found(study.cohorts, row, _cohort(study.cohorts, row["cohort"]), decision),)


def cohort_files(study: LeaderboardStudy) -> dict[str, Writer]:
    """Return the writer of what every item decides in every cohort, unless there are very many."""
    if study.cohorts is None or study.cohorts.data["kind"].size > _MOST_ROWS:
        return {}
    return {"cohort_items.csv": csv_file(study.cohorts.topics())}


def shares_by_cohort(study: LeaderboardStudy, metric: str) -> list[str]:
    """Return the share of the items that decide nothing among every cohort, where there are some."""
    if study.cohorts is None:
        return []
    rows = study.cohort_frame()
    records = rows[(rows["metric"] == metric) & (rows["n_idle"] > 0)].to_dict("records")
    return [say("share", row=row, cohort=_counted(study.cohorts, row)) for row in records]


def _cohort(found: CohortAnalysis, name: str) -> str:
    """Write a cohort: "the top 10", or the name of a group."""
    return f"the top {name.removeprefix('top')}" if found.data["top"].sel(cohort=name) else f"the systems of {name}"


def _counted(found: CohortAnalysis, row: Mapping[Any, Any]) -> str:
    """Write those of a cohort that count: "the top 10", or "9 of the top 10"."""
    cohort = _cohort(found, row["cohort"])
    return cohort if row["n_counted"] == row["n_systems"] else f"{row['n_counted']} of {cohort}"


def _found(found: CohortAnalysis, row: Mapping[Any, Any], everyone: str, decision: str) -> str:
    """Say what separates a cohort, which of its systems do not count, and which have one value throughout."""
    if not row["n_topics"]:
        return say("none", cohort=_counted(found, row))
    membership = found.data[["member", "counted"]].sel(metric=row["metric"], cohort=row["cohort"])
    constant = found.data["constant"].sel(metric=row["metric"])
    lacking, still = (
        natural_order(found.data["system"].to_numpy()[flags.to_numpy()].tolist())
        for flags in (membership["member"] & ~membership["counted"], membership["counted"] & constant)
    )
    separated = carried(row["n_significant"], row["significant_error"], number(0))
    sentences = [
        say(
            "found",
            row=row,
            cohort=_counted(found, row),
            everyone=everyone,
            separating=row["n_topics"] - row["n_idle"],
            separated=separated,
            decision=decision,
        )
    ]
    if still and not math.isnan(row["idle_varying"]):
        idle = round(row["idle_varying"] * row["n_topics"])
        others = row["n_counted"] - len(still)
        sentences += [
            say("still", n=len(still), named=first_few(still), idle=idle, n_topics=row["n_topics"], n_others=others)
        ]
    sentences += [say("lacking", named=first_few(lacking))] if lacking else []
    return " ".join(sentences)


def _table(found: CohortAnalysis, rows: pd.DataFrame, words: Mapping[str, str], captioned: Mapping[str, Any]) -> Table:
    errors = rows["significant_error"] / rows["n_pairs"]
    frame = with_cells(rows, pairs=map(share_of, rows["n_significant"], rows["n_pairs"], errors)).assign(
        cohort=rows["cohort"].map(words),
        pairs_sort=rows["n_significant"] / rows["n_pairs"],
    )
    kinds = {name.replace(" ", "_"): name for name in IDLE}
    kinds = {name: label for name, label in kinds.items() if name != "all_equal" or rows[name].any()}
    return say.table(
        "cohorts",
        frame,
        of_metrics(rows),
        left(cohort="Cohort"),
        right(whole, n_systems="Systems"),
        under(whole, n_counted="counted") if (rows["n_counted"] < rows["n_systems"]).any() else (),
        right(whole, n_topics=spoken().Topics),
        under(whole, n_aside="left aside") if rows["n_aside"].any() else (),
        right(whole, "Decide nothing", n_idle=spoken().Topics, **kinds),
        right(share, "Decide nothing, share", idle="cohort"),
        under(share, "Decide nothing, share", idle_unseen="by others"),
        right(share, "Decide nothing, share", idle_random="at random"),
        right(share, stays="Stays"),
        right(text, pairs="Significantly different pairs"),
        data=rows,
        tolerance=found.tolerance,
        **captioned,
    )


def _clusters_blocks(found: CohortAnalysis, words: Mapping[str, str]) -> list[Block]:
    """Say in which clusters the items are that decide nothing."""
    items = found.topics()
    kind = next((name for name in ("cluster", "stratum") if name in items), None)
    if kind is None:
        return []
    items = items[items["kind"] != UNTOLD]
    items = items.assign(idle=items["kind"].isin(IDLE), **{name: items["kind"] == name for name in IDLE})
    rows = items.groupby(["metric", "cohort", kind], sort=False)[["idle", *IDLE]].agg("sum")
    rows["n_topics"] = items.groupby(["metric", "cohort", kind], sort=False).size()
    rows = rows.rename(columns={name: name.replace(" ", "_") for name in IDLE}).rename(columns={"idle": "n_idle"})
    rows = rows.reset_index().assign(share=lambda one: one["n_idle"] / one["n_topics"])
    group_number = rows.groupby(["metric", "cohort"], sort=False).ngroup()
    rows = rows.iloc[np.lexsort((-rows["share"], group_number))].reset_index(drop=True)
    table = say.table(
        "clusters",
        rows.assign(cohort=rows["cohort"].map(words)),
        of_metrics(rows),
        left(cohort="Cohort", **{kind: spoken().cluster.capitalize() if kind == "cluster" else kind.capitalize()}),
        right(whole, n_topics=spoken().Topics),
        right(whole, "Decide nothing", **{name.replace(" ", "_"): name for name in IDLE}),
        right(share, "Decide nothing", share="share"),
        called="cohort_clusters",
        data=rows,
    )
    return [Fold(title=say("clusters title"), blocks=(table,))]


def _subsets_blocks(found: CohortAnalysis, words: Mapping[str, str]) -> list[Block]:
    rows = found.subset_frame()
    if not len(rows):
        return []
    written = with_errors(rows, {"tau": number(2), "kept": None, "kept_all": None}, carried, error="se")
    table = say.table(
        "subsets",
        written.assign(cohort=rows["cohort"].map(words)),
        of_metrics(rows),
        left(cohort="Cohort", method="Chosen by"),
        right(whole, size=spoken().Topics),
        right(text, "Pairs kept", kept="cohort", kept_all="all systems"),
        right(text, tau="τ"),
        called="cohort_subsets",
        data=rows,
        n_splits=next(iter(found.subsets.values())).data.sizes["split"],
    )
    return [table]
