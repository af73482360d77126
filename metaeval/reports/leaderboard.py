# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report on a leaderboard: which of its ranks are real, and what that says of the benchmark and its metrics."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from metaeval.base.bibliography import cited
from metaeval.base.names import count, first_few, natural_order
from metaeval.base.words import (
    carried,
    chance,
    errors_said,
    listed,
    name_of_metric,
    number,
    p_value,
    percentage,
    share,
    share_of,
    short_names,
    text,
    whole,
)
from metaeval.page.blocks import Block, Choice, Fold, Item, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Table, left, right
from metaeval.reports.data_files import csv_file, score_files
from metaeval.reports.leaderboard_items import (
    conclusions_section,
    design_section,
    differences_section,
    gaps_between_neighbours,
    items_section,
    needed_section,
    subsets_section,
)
from metaeval.reports.shared import cited_in, computed_with, described_by, facts, unanswered
from metaeval.studies.leaderboard import LeaderboardStudy
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE

_SCORE = number(4)
_MOST_LETTERS = 12
_LEAST_CHANCE = 0.01
_MEANS = ("chen2010", "strawderman1971")
_FAMILIES = {
    "all": "All pairs",
    "adjacent": "Neighbours in the ranking",
    "best": "The best system and each other",
    "baseline": "The baseline and each other",
}


def leaderboard_report(study: LeaderboardStudy) -> Report:
    """Put a study of a leaderboard into a report."""
    frame, pairs = study.to_frame(), study.pair_counts()
    metrics = list(study.comparison.metrics)
    sizes = study.scores.sizes
    counted = facts(metric=sizes["metric"], system=sizes["system"], topic=sizes["topic"], pair=study.comparison.n_pairs)
    failed = [Item(term=part, words=reason) for part, reason in study.unanswered.items()]
    return Report(
        command="leaderboard",
        title="Is this leaderboard’s ranking real?",
        facts=(*counted, (f"{study.alpha:g}", "significance level α")),
        summary=_summary(study, frame, pairs),
        sections=(
            *_ranks_section(study, frame, metrics),
            *_families_section(study),
            _pairs_section(study, pairs),
            *differences_section(study),
            *needed_section(study),
            *design_section(study),
            conclusions_section(study),
            *items_section(study),
            *subsets_section(study),
            *unanswered(failed),
            _benchmark_section(study, pairs),
        ),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=study.notes,
        data=score_files(study.scores) | {"neighbours.csv": csv_file(study.family_pairs())},
    )


# --------------------------------------------------------------------------------------------------------- the answer


def _summary(study: LeaderboardStudy, frame: pd.DataFrame, pairs: pd.DataFrame) -> tuple[str, ...]:
    return tuple(_answer(study, metric, frame[frame["metric"] == metric], pairs) for metric in study.comparison.metrics)


def _answer(study: LeaderboardStudy, metric: str, frame: pd.DataFrame, pairs: pd.DataFrame) -> str:
    """Say how much of one metric's ranking these items decide."""
    near = _row(pairs, metric=metric, family="adjacent", correction=FAMILY_WISE)
    error = _open_pairs(study)[metric, "adjacent"] / near["n_pairs"]
    part = carried(near["share"], error)  # as the table of pairs has it
    under = f"Under {name_of_metric(metric)}, "
    words = f"{near['n_significant']} of {count(near['n_pairs'], 'pair')} of neighbours "
    words += f"({part}) " * ("±" in part) + f"differ significantly ({_decision(study)})"
    if study.ranks is None:
        return f"{under}{words}."
    level = percentage(study.ranks.confidence_level)
    first = frame.iloc[0]
    possible = int((frame["rank_low"] == 1).sum())
    if possible == 1:
        lead = f"{first['system']} is the true best too: no other system’s {level} interval reaches rank 1"
    else:
        leaders = natural_order(frame.loc[frame["rank"] == 1, "system"])
        lead = f"{first_few(leaders)} {'stands first' if len(leaders) == 1 else 'share the first rank'}"
        lead += f"; {possible} systems are statistically tied for first place"
        lead += f" ({level} intervals, all ranks at once)"
    held = (frame["rank_high"] - frame["rank_low"] + 1).sort_values(ascending=False).iloc[(len(frame) - 1) // 2]
    said = f"{lead}; median width of the rank intervals: {held}."
    # the metric stands where it is needed first
    return f"{under}{said} {words}." if len(study.comparison.metrics) > 1 else f"{said} {under}{words}."


def _open_pairs(study: LeaderboardStudy) -> dict[tuple[str, str], Any]:
    """Return by how many a family's number of separated pairs errs at most for its resamples, by metric and family."""
    lead, near = study.comparison, study.family_pairs()
    if study.ranks is None:
        every = dict(zip(lead.metrics, lead.power_errors() * lead.n_pairs, strict=True))
        return {(metric, family): every[metric] for metric in lead.metrics for family in _FAMILIES}
    each = study.ranks.pairs().assign(error=study.ranks.open_pairs().ravel(), family="all")
    turned = each.rename(columns={"system_a": "system_b", "system_b": "system_a"})
    keys = ["metric", "system_a", "system_b"]
    near = near[[*keys, "family"]].merge(pd.concat([each, turned])[[*keys, "error"]], on=keys)
    sums = pd.concat([each, near]).groupby(["metric", "family"], as_index=False)["error"].sum()
    return {(metric, family): error for metric, family, error in sums.to_numpy().tolist()}


def _decision(study: LeaderboardStudy) -> str:
    """Name the one decision about pairs that ranks, letters and counts follow."""
    return f"{'paired t, Holm' if study.ranks is None else 'family-wise, as the ranks'}, over all pairs at once"


# ------------------------------------------------------------------------------------------------------- the sections


def _ranks_section(study: LeaderboardStudy, frame: pd.DataFrame, metrics: Sequence[str]) -> list[Section]:
    ranks = study.ranks
    if ranks is None:
        return []
    level = percentage(ranks.confidence_level)

    def blocks(metric: str) -> tuple[Block, ...]:
        part = frame[frame["metric"] == metric]
        picture = Picture(
            name=f"ranks {metric}",
            draw=lambda: ranks.plot(metric),
            title=f"Ranks that {name_of_metric(metric)} leaves open",
            caption=f"Dot: rank by mean. Bar: {level} interval; with that probability the bars of all systems hold "
            "their true ranks at once. Where two bars overlap widely the order of the two is open.",
            alt=f"{part['system'].iloc[0]} may have ranks {part['rank_low'].iloc[0]} to {part['rank_high'].iloc[0]}.",
        )
        return (picture, _ranks_table(study, metric, part))

    choice = Choice(names=tuple(map(name_of_metric, metrics)), parts=tuple(map(blocks, metrics)))
    short = tuple(short_names(metrics))
    return [
        Section(
            id="ranks",
            title="Ranks with intervals",
            lead="A rank is reliable if a new sample of items would reproduce it. Lower bound: 1 + the number of "
            "significantly better systems; upper bound: the total minus the significantly worse ones.",
            brief=True,
            blocks=(*((Text(paragraphs=short),) if short else ()), choice),
        )
    ]


def _ranks_table(study: LeaderboardStudy, metric: str, part: pd.DataFrame) -> Table:
    ranks = study.ranks
    unsure = [] if ranks is None else [float(ranks.open_pairs()[ranks.metrics.index(metric)].sum())]
    level = "" if ranks is None else percentage(ranks.confidence_level)
    written = zip(part["rank_low"], part["rank_high"], strict=True)
    shown = part.assign(
        ranks=[f"{low} to {high}" if low < high else str(low) for low, high in written],
        ranks_sort=part["rank_low"],
        alike=len(part) - 1 - part["n_above"] - part["n_below"],
    )
    few = part["letters"].str.len().max() <= _MOST_LETTERS
    columns = [*right(whole, rank="Rank"), *left(system="System")]
    if "group" in part:
        columns += left(group="Family")
    columns += [*right(_SCORE, mean="Mean"), *right(text, ranks=f"{level} interval of the rank")]
    if study.best is not None:
        top = next(name for name in map(str, part) if name.startswith("p_top_"))
        columns += right(chance, "Probability", **{"p_best": "best", top: f"top {top.removeprefix('p_top_')}"})
    columns += right(whole, "Significantly", n_above="better", n_below="worse")
    columns += right(whole, alike="Not separated")
    if few:
        columns += left(letters="Groups")
    return Table(
        name=f"ranks {metric}",
        title=f"Systems by mean {name_of_metric(metric)}",
        caption=f"Significantly better, worse: systems that are ({_decision(study)}). Not separated: all others."
        + (" Systems that share a letter are not significantly different." if few else "")
        + errors_said(("a rank and a count", unsure, "")),
        frame=shown,
        columns=tuple(columns),
        data=part,
    )


def _pairs_section(study: LeaderboardStudy, pairs: pd.DataFrame) -> Section:
    rows = []
    open_pairs = _open_pairs(study)
    for (metric, family), part in pairs.groupby(["metric", "family"], sort=False):
        unsure = open_pairs[str(metric), str(family)]
        row: dict[str, object] = {"metric": metric, "family": _FAMILIES[str(family)]}
        for one in part.itertuples():
            error = unsure / one.n_pairs if one.correction == FAMILY_WISE and one.n_pairs else None
            row[str(one.correction)] = share_of(one.n_significant, one.n_pairs, error)
            row[f"{one.correction}_sort"] = one.share
        rows.append(row)
    corrections = ["none", FAMILY_WISE, *study.families.corrections]
    decision = "paired t with Holm's correction" if study.ranks is None else "the decision behind ranks and groups"
    table = Table(
        name="pairs",
        title="Significantly different pairs",
        caption=f"Paired t, two-sided, α = {study.alpha:g}; Holm and Benjamini–Yekutieli over the pairs of their row. "
        f"Family-wise: {decision}, over all pairs at once.",
        frame=pd.DataFrame(rows),
        columns=(
            METRIC,
            *left(family="Pairs"),
            *right(text, "Significantly different pairs", **{name: CORRECTIONS.label(name) for name in corrections}),
        ),
        data=pairs,
    )
    neighbours = study.family_pairs()
    neighbours = neighbours[neighbours["family"] == "adjacent"]
    return Section(
        id="pairs",
        title="Pairs of systems",
        lead="How many pairs of systems the items separate: all of them, neighbours in the ranking, and those that "
        "readers look at first. A correction for fewer pairs is milder.",
        brief=True,
        blocks=(table, Fold(title="Every pair of neighbours", blocks=(_neighbours_table(study, neighbours),))),
    )


def _neighbours_table(study: LeaderboardStudy, frame: pd.DataFrame) -> Table:
    return Table(
        name="neighbours",
        title="Neighbours in the ranking",
        caption=f"Paired t, two-sided; p with Holm's correction over the neighbours of a metric, α = {study.alpha:g}. "
        f"Separated: {_decision(study)}.",
        frame=frame.assign(separated=frame["apart"].map({True: "yes", False: "no"})),
        data=frame,
        columns=(
            METRIC,
            *left(system_a="System", system_b="Next"),
            *right(_SCORE, difference="Difference"),
            *right(p_value, "p", p_value="uncorrected", p_holm="Holm"),
            *left(separated="Separated"),
        ),
    )


def _families_section(study: LeaderboardStudy) -> list[Section]:
    """Say which family of systems the best is likely to belong to."""
    if study.best is None or study.best.families is None:
        return []
    rows = study.best.family_frame()
    shown = rows[rows["p_best"] >= _LEAST_CHANCE]
    left_out = len(rows) - len(shown)
    table = Table(
        name="families",
        title="Chance that the best system is of a family",
        caption="Posterior probability that the best true mean is that of one of the family’s systems; beside it the "
        "share of resamples that one of them wins, which is no such chance: among systems that are nearly equal it "
        "overstates the winner."
        + (f" Left out: {left_out} with a chance below {percentage(_LEAST_CHANCE)}." if left_out else ""),
        frame=shown,
        columns=(
            METRIC,
            *left(family="Family"),
            *right(whole, n_systems="Systems"),
            *right(chance, p_best="Chance to hold the best", share_of_resamples="Share of resamples"),
        ),
        data=rows,
    )
    return [
        Section(
            id="families",
            title="Families of systems",
            lead="Several systems of one maker share strengths and weaknesses, and take several chances.",
            blocks=(table,),
        )
    ]


def _benchmark_section(study: LeaderboardStudy, pairs: pd.DataFrame) -> Section:
    """End with what all this says of the benchmark and its metrics, not about who won."""
    return Section(
        id="benchmark",
        title="What this says of the benchmark",
        lead="Not who won, but how far this benchmark can tell.",
        brief=True,
        blocks=(Text(paragraphs=tuple(_verdict(study, metric, pairs) for metric in study.comparison.metrics)),),
    )


def _row(frame: pd.DataFrame, **wanted: str) -> dict[str, Any]:
    """Return the one row with these entries."""
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return {str(name): value for name, value in frame.iloc[0].items()}


def _verdict(study: LeaderboardStudy, metric: str, pairs: pd.DataFrame) -> str:
    every = _row(pairs, metric=metric, family="all", correction="fdr_by")
    near = _row(pairs, metric=metric, family="adjacent", correction=FAMILY_WISE)
    n_items = study.scores.sizes["topic"]
    first = f"{n_items:,} items under {name_of_metric(metric)} separate {share(every['share'])} of all pairs "
    parts = [f"{first}(Benjamini–Yekutieli) and {share(near['share'])} of neighbours (family-wise)"]
    if study.detectable is not None:
        found = _row(study.detectable.summary(), metric=metric, correction="none")
        gap = gaps_between_neighbours(study)[metric]
        parts.append(
            f"they would find a difference of {_SCORE(found['median'])} with power {study.power:g} (median pair), "
            f"while neighbours lie {_SCORE(gap)} apart"
        )
    if study.design is not None:
        effect = _row(study.design.to_frame(), metric=metric, of="pairs")
        parts.append(
            f"in clusters they say as much as {effect['effective_topics']:,.0f} independent ones "
            f"(design effect {effect['design_effect']:.2g})"
        )
    if study.items is not None:
        row = _row(study.items.summary(), metric=metric)
        idle = int(row["all_pass"] + row["all_fail"] + row["all_equal"])
        if idle:
            parts.append(f"{idle:,} of them {'tells' if idle == 1 else 'tell'} no system from another")
    ways = study.conclusions[study.conclusions["metric"] == metric].to_dict("records")
    most = max(way["n_significant_fdr_by"] for way in ways)
    if most > ways[0]["n_significant_fdr_by"]:
        leads = sorted((way for way in ways if way["n_significant_fdr_by"] == most), key=lambda way: way["aggregate"])
        orders = listed(dict.fromkeys(f"{way['tau']:.2f}" for way in leads))
        parts.append(
            f"summed up by {' or '.join(way['aggregate'] for way in leads)} instead of the mean they would separate "
            f"{share(most / ways[0]['n_pairs'])} of all pairs (Kendall’s τ of the two orders {orders})"
        )
    return f"{'; '.join(parts)}."


# -------------------------------------------------------------------------------------------------------- the methods


def _methods(study: LeaderboardStudy) -> Methods:
    sizes = study.scores.sizes
    words = (
        f"We compared {sizes['system']:,} systems on {sizes['topic']:,} topics under "
        f"{count(sizes['metric'], 'metric')} ({listed(map(name_of_metric, study.comparison.metrics))}) by "
        f"{described_by('t')}, α = {study.alpha:g}, with {described_by('holm')} and {described_by('fdr_by')}, over all "
        "pairs and within families of pairs."
    )
    cite = ["student1908", "holm1979", "benjamini2001"]
    if study.ranks is not None:
        words += (
            f" Ranks have simultaneous {percentage(study.ranks.confidence_level)} intervals from the studentised "
            f"bootstrap of the largest |t| over all pairs (B = {study.ranks.n_resamples}, {study.ranks.random_source})"
            f"{cited(('mogstad2024',))}."
        )
        cite.append("mogstad2024")
    if study.best is not None:
        words += (
            " The chance to be the best is that of the posterior of the systems’ true means, with a shrunken "
            "covariance of their errors and a normal law of the means whose size is estimated "
            f"({study.best.n_draws:,} draws, {study.best.random_source})"
            f"{cited(_MEANS)}."
        )
        cite += _MEANS
    words += (
        " Aggregates were compared as metrics; the discrimination of an item is its correlation with the mean over all "
        "others."
    )
    paragraphs = (f"{words} {computed_with(study.provenance)}",)
    return Methods(paragraphs=paragraphs, cite=cited_in(paragraphs, cite))
