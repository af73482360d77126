"""What the page of a leaderboard says of cohorts: the best systems, or a group, and the items that separate them."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import first_few, natural_order
from metaeval.base.unit import unit as spoken
from metaeval.base.words import carried, listed, name_of_metric, number, share, share_of, text, whole
from metaeval.page.blocks import Block, Choice, Fold, Picture, Section, Text, Writer
from metaeval.page.tables import Table, left, of_metrics, right, under
from metaeval.questions.leaderboard.study import LeaderboardStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.prose import prose
from metaeval.resampling.cohorts import IDLE, SEPARATES, UNTOLD, CohortAnalysis
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
        named = [(row, {"row": row, "cohort": _counted(cohorts, row)}) for row in records]
        line = [int(cohorts.data[f"curve_{of}s"].sel(metric=metric)) for of in ("system", "topic")]
        wording = []
        for row, fields in named:
            advice = say("keep", separating=row["n_topics"] - row["n_idle"], **fields)
            more = _exceptions(cohorts, row) | {"everyone": words[row["cohort"]], "decision": decision}
            wording += [say("found", clustered=clustered, tolerance=cohorts.tolerance, **more, **fields)]
            wording += [" ".join(filter(None, [advice, *_kept(cohorts, row, _counted(cohorts, row))]))]
        picture = Picture(
            name=f"cohorts {metric}",
            draw=lambda: cohorts.plot(metric),
            title=say("picture title", metric=metric),
            caption=say("picture", tolerance=cohorts.tolerance, line=line, n_topics=cohorts.data.sizes["topic"]),
            alt=say("picture in words", **named[0][1]),
        )
        return (Text(paragraphs=tuple(filter(None, wording))), picture)

    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    failed = tuple(say("unanswered", name=name, reason=reason) for name, reason in cohorts.unanswered.items())
    gappy = has_gaps(study.scores.to_numpy())
    caption = say("cohorts", tolerance=cohorts.tolerance, clustered=clustered, gappy=gappy, decision=decision)
    short = {name: wording.removeprefix("the ") for name, wording in words.items()}
    section_blocks: list[Block] = [choice, _table(rows, short, caption), *_clusters(cohorts, short)]
    section_blocks += _subsets(cohorts, short, gappy=gappy)
    section_blocks += [Text(paragraphs=failed, look="note")] if failed else []
    title = say("title" if cohorts.data["top"].any() else "title of groups")
    return [
        Section(id="cohorts", title=title, lead=say("lead"), brief=study.cohorts_named, blocks=tuple(section_blocks)),
    ]


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
    top = bool(found.data["top"].sel(cohort=name))
    return say("top", k=name.removeprefix("top")) if top else say("group", name=name)


def _counted(found: CohortAnalysis, row: Mapping[Any, Any]) -> str:
    """Write those of a cohort that count: "the top 10", or "9 of the top 10"."""
    cohort = _cohort(found, row["cohort"])
    return cohort if row["n_counted"] == row["n_systems"] else say("counted", row=row, cohort=cohort)


def _exceptions(found: CohortAnalysis, row: Mapping[Any, Any]) -> dict[str, Any]:
    """Name the systems of a cohort that do not count, and those with one value throughout; say whether some tie."""
    membership = found.data[["member", "counted"]].sel(metric=row["metric"], cohort=row["cohort"])
    constant = found.data["constant"].sel(metric=row["metric"])
    lacking, still = (
        natural_order(found.data["system"].to_numpy()[flags.to_numpy()].tolist())
        for flags in (membership["member"] & ~membership["counted"], membership["counted"] & constant)
    )
    varying = None if math.isnan(row["idle_varying"]) else round(row["idle_varying"] * row["n_topics"])
    tied = bool(found.data["top"].sel(cohort=row["cohort"])) and row["cohort"] != f"top{row['n_systems']}"
    everybody = row["n_counted"] == found.data.sizes["system"]
    separated = carried(row["n_significant"], row["significant_error"], number(0))
    return {
        "tied": tied,
        "everybody": everybody,
        "separated": separated,
        "lacking": len(lacking),
        "lacking_named": first_few(lacking),
    } | {
        "still": len(still),
        "still_named": first_few(still),
        "varying": varying,
    }


def _kept(found: CohortAnalysis, row: Mapping[Any, Any], cohort: str) -> list[str]:
    """Say what as many items as separate the cohort keep, or half of all items where every one does."""
    made = found.subsets.get((row["metric"], row["cohort"]))
    if made is None:
        return []
    rows, sizes = made.to_frame(), made.data["size"].to_numpy().tolist()
    kind = found.data["kind"].sel(metric=row["metric"], cohort=row["cohort"], topic=made.data["topic"])
    separating = int((kind == SEPARATES).sum())
    selected = rows[rows["size"] == (separating if separating in sizes else sizes[-1])]
    if selected[["kept", "kept_all"]].isna().any(axis=None):
        return []
    of_cohort, others = (
        _of_each([carried(*pair) for pair in zip(selected[of], selected[f"{of}_se"], strict=True)])
        for of in ("kept", "kept_all")
    )
    first = selected.iloc[0]
    sentence = say(
        "kept",
        row=row,
        size=int(first["size"]),
        n_topics=made.n_topics,
        gappy=made.n_topics < found.data.sizes["topic"],
        beside=int(found.data["n_beside"].sel(metric=row["metric"], cohort=row["cohort"])),
        cohort=cohort,
        n_pairs=int(first["n_pairs"]),
        n_splits=made.data.sizes["split"],
        own=of_cohort,
        others=others,
        ways=[say(f"by {name}") for name in selected["method"]],
    )
    return [sentence]


def _of_each(written: list[str]) -> str:
    """Write the figures of several ways in a row, and one that all have once."""
    return f"{written[0]} each" if len(set(written)) == 1 < len(written) else listed(written)


def _table(rows: pd.DataFrame, words: Mapping[str, str], caption: str) -> Table:
    frame = rows.assign(
        cohort=rows["cohort"].map(words),
        pairs=[
            share_of(n_significant, n, error / n)
            for n_significant, n, error in zip(
                rows["n_significant"], rows["n_pairs"], rows["significant_error"], strict=True
            )
        ],
        pairs_sort=rows["n_significant"] / rows["n_pairs"],
    )
    kinds = {name.replace(" ", "_"): name for name in IDLE}
    kinds = {name: label for name, label in kinds.items() if name != "all_equal" or rows[name].any()}
    return Table(
        name="cohorts",
        title=say("title of groups"),
        caption=caption,
        frame=frame,
        columns=(
            *of_metrics(rows),
            *left(cohort="Cohort"),
            *right(whole, n_systems="Systems"),
            *(under(whole, n_counted="counted") if (rows["n_counted"] < rows["n_systems"]).any() else ()),
            *right(whole, n_topics=spoken().Topics),
            *(under(whole, n_aside="left aside") if rows["n_aside"].any() else ()),
            *right(whole, "Decide nothing", n_idle=spoken().Topics, **kinds),
            *right(share, "Decide nothing, share", idle="cohort"),
            *under(share, "Decide nothing, share", idle_unseen=say("unseen")),
            *right(share, "Decide nothing, share", idle_random="at random"),
            *right(share, stays="Stays"),
            *right(text, pairs="Significantly different pairs"),
        ),
        data=rows,
    )


def _clusters(found: CohortAnalysis, words: Mapping[str, str]) -> list[Block]:
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
    table = Table(
        name="cohort_clusters",
        title=say("clusters title"),
        caption=say("clusters", kind=kind),
        frame=rows.assign(cohort=rows["cohort"].map(words)),
        columns=(
            *of_metrics(rows),
            *left(cohort="Cohort", **{kind: spoken().cluster.capitalize() if kind == "cluster" else kind.capitalize()}),
            *right(whole, n_topics=spoken().Topics),
            *right(whole, "Decide nothing", **{name.replace(" ", "_"): name for name in IDLE}),
            *right(share, "Decide nothing", share="share"),
        ),
        data=rows,
    )
    return [Fold(title=say("clusters title"), blocks=(table,))]


def _subsets(found: CohortAnalysis, words: Mapping[str, str], *, gappy: bool) -> list[Block]:
    rows = found.subset_frame()
    if not len(rows):
        return []
    write = {"tau": (number(2),), "kept": (), "kept_all": ()}
    written = {
        name: [carried(*row, *writer) for row in zip(rows[name], rows[f"{name}_se"], strict=True)]
        for name, writer in write.items()
    }
    table = Table(
        name="cohort_subsets",
        title=say("subsets title"),
        caption=say(
            "subsets",
            n_splits=next(iter(found.subsets.values())).data.sizes["split"],
            gappy=gappy,
        ),
        frame=rows.assign(
            cohort=rows["cohort"].map(words), **written, **{f"{name}_sort": rows[name] for name in write}
        ),
        columns=(
            *of_metrics(rows),
            *left(cohort="Cohort", method="Chosen by"),
            *right(whole, size=spoken().Topics),
            *right(text, "Pairs kept", kept="cohort", kept_all="all systems"),
            *right(text, tau="τ"),
        ),
        data=rows,
    )
    return [table]
