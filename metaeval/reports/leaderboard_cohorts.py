"""What the page of a leaderboard says of cohorts: the best systems, or a group, and the items that separate them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.unit import unit as spoken
from metaeval.base.words import carried, name_of_metric, number, share, share_of, text, whole
from metaeval.page.blocks import Block, Choice, Fold, Picture, Section, Text
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.reports.data_files import Writer, csv_file
from metaeval.reports.prose import prose
from metaeval.resampling.cohorts import IDLE, SEPARATES, CohortAnalysis
from metaeval.studies.leaderboard import LeaderboardStudy

say = prose("leaderboard_cohorts")
_METHODS = ("spread", "random")


def cohorts_section(study: LeaderboardStudy, decision: str) -> list[Section]:
    """Say which items separate the best systems, which decide nothing, and what is lost without these."""
    found = study.cohorts
    if found is None:
        return []
    rows, clustered = study.cohort_frame(), "cluster" in study.scores.coords
    metrics = rows["metric"].unique().tolist()
    words = {name: _cohort(found, name) for name in rows["cohort"].unique()}

    def blocks(metric: str) -> tuple[Block, ...]:
        part = rows[rows["metric"] == metric].to_dict("records")
        named = [(row, {"row": row, "cohort": words[row["cohort"]]}) for row in part]
        said = [
            one
            for row, known in named
            for one in (say("found", clustered=clustered, **known), say("keep", **_kept(found, row), **known))
            if one
        ]
        picture = Picture(
            name=f"cohorts {metric}",
            draw=lambda: found.plot(metric),
            title=say("picture title", metric=metric),
            caption=say("picture", tolerance=found.tolerance),
            alt=say("picture in words", **named[0][1]),
        )
        return (Text(paragraphs=tuple(said)), picture)

    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    failed = tuple(say("unanswered", name=name, reason=reason) for name, reason in found.unanswered.items())
    shown: list[Block] = [choice, _table(study, rows, words, decision, clustered=clustered), *_clusters(found, words)]
    shown += _subsets(study, found, words)
    shown += [Text(paragraphs=failed, look="note")] if failed else []
    title = say("title" if rows["idle_unseen"].notna().any() else "title of groups")
    return [Section(id="cohorts", title=title, lead=say("lead"), blocks=tuple(shown))]


def cohort_files(study: LeaderboardStudy) -> dict[str, Writer]:
    """Return the writer of what every item decides in every cohort."""
    return {} if study.cohorts is None else {"cohort_items.csv": csv_file(study.cohorts.topics())}


def _cohort(found: CohortAnalysis, name: str) -> str:
    """Write a cohort: "the top 10", or the name of a group."""
    top = not np.isnan(found.data["idle_unseen"].sel(cohort=name)).all()
    return say("top", k=name.removeprefix("top")) if top else say("group", name=name)


def _kept(found: CohortAnalysis, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what as many items as separate the cohort keep, chosen by half of it and at random."""
    separating = row["n_topics"] - row["n_idle"]
    known: dict[str, Any] = {"separating": separating, "kept": None, "random": None}
    made = found.subsets.get((row["metric"], row["cohort"]))
    if made is None:
        return known
    rows = made.to_frame().set_index(["method", "size"])
    kind = found.data["kind"].sel(metric=row["metric"], cohort=row["cohort"], topic=made.data["topic"])
    size = int((kind == SEPARATES).sum())
    if (_METHODS[0], size) not in rows.index:
        return known
    if rows.loc[(_METHODS[0], size), ["kept", "kept_all"]].isna().any():
        return known
    for name, method in zip(("kept", "random"), _METHODS, strict=True):
        one = rows.loc[(method, size)]
        own, others = (carried(one[of], one[f"{of}_se"]) for of in ("kept", "kept_all"))
        known[name] = {"size": size, "own": own, "all": others}
    return known


def _table(
    study: LeaderboardStudy, rows: pd.DataFrame, words: Mapping[str, str], decision: str, *, clustered: bool
) -> Table:
    frame = rows.assign(
        cohort=rows["cohort"].map(words),
        pairs=[share_of(*pair) for pair in zip(rows["n_significant"], rows["n_pairs"], strict=True)],
        pairs_sort=rows["n_significant"] / rows["n_pairs"],
    )
    kinds = {name.replace(" ", "_"): name for name in IDLE}
    return Table(
        name="cohorts",
        title=say("title of groups"),
        caption=say(
            "cohorts",
            tolerance=study.cohorts.tolerance,
            clustered=clustered,
            decision=decision,
            untold=bool((rows["n_topics"] < study.scores.sizes["topic"]).any()),
        ),
        frame=frame,
        columns=(
            METRIC,
            *left(cohort="Cohort"),
            *right(whole, n_systems="Systems"),
            *right(whole, n_topics=spoken().Topics),
            *right(whole, "Decide nothing", n_idle=spoken().Topics, **kinds),
            *right(share, "Decide nothing, share", idle="cohort", idle_random="at random", idle_unseen=say("unseen")),
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
    items = items[items["kind"] != "untold"]
    items = items.assign(idle=items["kind"].isin(IDLE), **{name: items["kind"] == name for name in IDLE})
    rows = items.groupby(["metric", "cohort", kind], sort=False)[["idle", *IDLE]].agg("sum")
    rows["n_topics"] = items.groupby(["metric", "cohort", kind], sort=False).size()
    rows = rows.rename(columns={name: name.replace(" ", "_") for name in IDLE}).rename(columns={"idle": "n_idle"})
    rows = rows.reset_index().assign(share=lambda one: one["n_idle"] / one["n_topics"])
    place = rows.groupby(["metric", "cohort"], sort=False).ngroup()
    rows = rows.iloc[np.lexsort((-rows["share"], place))].reset_index(drop=True)
    table = Table(
        name="cohort_clusters",
        title=say("clusters title"),
        caption=say("clusters", kind=kind),
        frame=rows.assign(cohort=rows["cohort"].map(words)),
        columns=(
            METRIC,
            *left(cohort="Cohort", **{kind: kind.capitalize()}),
            *right(whole, n_topics=spoken().Topics),
            *right(whole, "Decide nothing", **{name.replace(" ", "_"): name for name in IDLE}),
            *right(share, "Decide nothing", share="share"),
        ),
        data=rows,
    )
    return [Fold(title=say("clusters title"), blocks=(table,))]


def _subsets(study: LeaderboardStudy, found: CohortAnalysis, words: Mapping[str, str]) -> list[Block]:
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
            gappy=bool(np.isnan(study.scores.to_numpy()).any()),
        ),
        frame=rows.assign(
            cohort=rows["cohort"].map(words), **written, **{f"{name}_sort": rows[name] for name in write}
        ),
        columns=(
            METRIC,
            *left(cohort="Cohort", method="Chosen by"),
            *right(whole, size=spoken().Topics),
            *right(text, "Pairs kept", kept="cohort", kept_all="all systems"),
            *right(text, tau="τ"),
        ),
        data=rows,
    )
    return [table]
