# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on votes: who is preferred, which ranks and pairs the votes settle, and which votes are missing."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.names import count, first_few, natural_order
from metaeval.base.results import Figure
from metaeval.base.words import (
    MISSING,
    bracketed,
    chance,
    interval,
    intervals,
    number,
    p_value,
    percentage,
    share,
    share_of,
    text,
    whole,
)
from metaeval.models.settling import VOTES
from metaeval.models.vote_errors import FEW_CLUSTERS
from metaeval.models.vote_strengths import PREFERENCE
from metaeval.page.blocks import Block, Fold, Item, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Column, Table, left, right, rising
from metaeval.questions.votes.page_plans import plan_section
from metaeval.questions.votes.page_powers import powers_methods, powers_section
from metaeval.questions.votes.page_sweeps import sweeps_methods, sweeps_report, sweeps_section
from metaeval.questions.votes.study import AS_RANKS, VoteGroup, VotesStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, counted, listed_figures, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.tests_stat.correction import CORRECTIONS

_STRENGTH = number(2)
_MOST_LETTERS, _MOST_SHOWN, _MOST_PAIRS = 12, 60, 10
say = prose(__name__)


def votes_report(study: VotesStudy) -> Report:
    """Put a study of votes into a report."""
    if not study.groups:
        return sweeps_report(study, *powers_section(study), *unanswered(_failed(study)))
    frame, counts, group, of_runs = study.to_frame(), study.pair_counts(), study.first, len(study.powers) > 0
    units = {"topic" if of_runs and name == "question" else name: n for name, n in study.n_units.items()}
    counted = [*facts(vote=study.n_votes, system=study.n_systems, **units), *_pairs_counted(study)]
    settled = counts[counts["correction"] == AS_RANKS].to_dict("records")[0]
    return Report(
        command="votes",
        title=say("title", of_runs=of_runs),
        facts=(*counted, (f"{study.alpha:g}", "significance level α")),
        summary=(
            _answer(study, counts, settled),
            say(
                "errors",
                study=study,
                group=group,
                settled=settled,
                of_runs=of_runs,
                name=_named(study)[0][0],
                single=[name for name, n in group.main.n_units.items() if n == 1],
                holm=counts[counts["correction"] == "holm"].to_dict("records")[0],
            ),
        ),
        key_figures=listed_figures(_figures(study, settled)),
        sections=(
            _ranks_section(study, frame),
            _pairs_section(study, counts),
            *_unbounded_section(study),
            *sweeps_section(study),
            *_covariates_section(study),
            *_beside_section(study),
            *powers_section(study),
            _dimension_section(study),
            *([] if len(study.powers) else [plan_section(study), _ratings_section(study)]),
            *unanswered(_failed(study)),
        ),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=study.notes,
        data={
            "pairs.csv": csv_file(study.by_group(lambda one: one.main.comparison("fdr_by").to_frame())),
            "plan.csv": csv_file(study.by_group(lambda one: one.plan.to_frame())),
            "shares.csv": csv_file(study.by_group(lambda one: one.dimension.to_frame())),
        },
    )


def _failed(study: VotesStudy) -> list[Item]:
    return [Item(term=question, words=reason) for question, reason in study.unanswered.items()]


def _named(study: VotesStudy) -> list[tuple[str, VoteGroup]]:
    """Return the groups with their names, which one alone needs not."""
    several = study.n_groups > 1
    return [
        (f"group {group_number}" if several else "", group) for group_number, group in enumerate(study.groups, start=1)
    ]


def _pairs_counted(study: VotesStudy) -> tuple[tuple[str, str], ...]:
    """Return the number of pairs for the head of the page: of one group all, of several those within the groups."""
    n_pairs, n_groups = len(study.sweeps) + sum(len(group.settled) for group in study.groups), study.n_groups
    if n_groups == 1:
        return facts(pair=n_pairs)
    return (*facts(**{"unconnected group": n_groups}), (f"{n_pairs:,}", say("pairs within")))


def _answer(study: VotesStudy, counts: pd.DataFrame, settled: Mapping[Hashable, Any]) -> str:
    """Say who leads the first group, and how many pairs are settled there and in the others."""
    group, by_ranks = study.first, counts[counts["correction"] == AS_RANKS].iloc[1:]
    ranks, swept = group.ranks.to_frame(), study.sweeps
    return say(
        "answer",
        first=natural_order(ranks.loc[ranks["rank"] == 1, "system"]),
        possible=int((ranks["rank_low"] == 1).sum()),
        n=len(ranks),
        n_groups=study.n_groups,
        name=_named(study)[0][0],
        above=_side(group, "above"),
        settled=settled,
        n_others=int(by_ranks["n_pairs"].sum()) + len(swept),
        others=int(by_ranks["n_significant"].sum()) + (int(swept["settled"].sum()) if len(swept) else 0),
    )


def _side(group: VoteGroup, side: str) -> list[str]:
    frame = group.fitted.unbounded_frame()
    return list(frame.loc[frame["side"] == side, "system"])


def _figures(study: VotesStudy, settled: Mapping[Hashable, Any]) -> list[KeyFigure]:
    (name, group), *_ = _named(study)
    ranks = group.ranks.to_frame()
    possible, n_pairs = int((ranks["rank_low"] == 1).sum()), settled["n_pairs"]
    best, second = ranks["system"].iloc[0], ranks["system"].iloc[1]
    odds, low, high = _difference(group, best, second)
    leading = [1.0 / (1.0 + math.exp(-value)) for value in (odds, low, high)]
    return [
        KeyFigure(
            say("preferred", best=best, second=second, ties=group.main.ties, name=name),
            bracketed(leading[0], leading[1], leading[2]),
            with_ends(*leading),
        ),
        KeyFigure(say("possible", name=name), share_of(possible, len(ranks)), counted(possible, len(ranks))),
        KeyFigure(
            say("settled", name=name),
            share_of(settled["n_significant"], n_pairs),
            counted(settled["n_significant"], n_pairs),
        ),
        KeyFigure(
            say("inflation", name=name),
            f"{_STRENGTH(group.main.inflation)} times" if group.main.clusters else "",
            {"inflation": group.main.inflation},
        ),
    ]


def _difference(group: VoteGroup, best: str, second: str) -> tuple[float, float, float]:
    """Return the difference of two strengths with its interval."""
    from scipy.special import stdtrit  # noqa: PLC0415 - loads scipy

    main = group.main
    a, b = (main.systems.index(name) for name in (best, second))
    apart = float(main.strengths[a] - main.strengths[b])
    square = main.covariance[a, a] + main.covariance[b, b] - 2 * main.covariance[a, b]
    half = float(stdtrit(main.freedom[a, b], 1 - main.alpha / 2) * math.sqrt(max(square, 0.0)))
    return apart, apart - half, apart + half


def _ranks_section(study: VotesStudy, frame: pd.DataFrame) -> Section:
    blocks: list[Block] = []
    for group_number, (name, group) in enumerate(_named(study), start=1):
        of_group = frame[frame["group"] == group_number] if name else frame
        picture = Picture(
            name=f"ranks {name}".strip(),
            draw=lambda group=group: group.ranks.plot(PREFERENCE),  # type: ignore[misc]  # bound now
            title=say("ranks title", name=name),
            caption=say("ranks", level=_level(study)),
            alt=say("ranks in words", first=of_group.iloc[0]),
        )
        blocks += [picture, _ranks_table(study, of_group, name)]
    return Section(id="ranks", title=say("section ranks"), lead=say("ranks lead"), brief=True, blocks=tuple(blocks))


def _ranks_table(study: VotesStudy, part: pd.DataFrame, name: str) -> Table:
    written = zip(part["rank_low"], part["rank_high"], strict=True)
    frame = part.assign(
        ranks=[f"{low} to {high}" if low < high else str(low) for low, high in written],
        ranks_sort=part["rank_low"],
        interval=intervals(part["low"], part["high"], _STRENGTH),
    )
    few = part["letters"].str.len().max() <= _MOST_LETTERS
    top = next(column for column in map(str, part) if column.startswith("p_top_"))
    return Table(
        name=name or "systems",
        title=say("systems title", name=name),
        caption=say("systems", letters=few, level=_level(study)),
        frame=frame,
        columns=(
            *rising(whole, rank="Rank"),
            *left(system="System"),
            *right(share, win_rate="Win rate"),
            *right(_STRENGTH, strength="Strength"),
            *right(text, interval="interval", ranks=say("interval", level=_level(study))),
            *right(chance, "Probability", **{"p_best": "best", top: f"top {top.removeprefix('p_top_')}"}),
            *right(whole, "Significantly", n_above="better", n_below="worse"),
            *right(whole, votes="Votes"),
            *(left(letters="Groups") if few else ()),
        ),
        data=part,
    )


def _pairs_section(study: VotesStudy, counts: pd.DataFrame) -> Section:
    of_runs = len(study.powers) > 0
    counts = counts[counts["correction"] == AS_RANKS] if of_runs else counts  # t tests are those of mean preferences
    labels = {name: say("as ranks") if name == AS_RANKS else CORRECTIONS.label(name) for name in counts["correction"]}
    frame = counts.assign(
        how=counts["correction"].map(labels),
        found=[share_of(*row) for row in zip(counts["n_significant"], counts["n_pairs"], strict=True)],
        alone=[
            MISSING if pd.isna(alone) else share_of(alone, n)
            for alone, n in zip(counts["independent"], counts["n_pairs"], strict=True)
        ],
    )
    alone = {"alone": "if votes were independent"}
    table = Table(
        name="pairs",
        title=say("pairs title"),
        caption=say("pairs", study=study, of_runs=of_runs, freedom=_surpassed(study, counts)),
        frame=frame,
        columns=(
            *_group_column(study),
            *left(how="Decision"),
            *right(text, "Settled pairs", found="as voted", **({} if of_runs else alone)),
        ),
        data=counts,
    )
    pictures = tuple(_shares_picture(name, group) for name, group in _named(study))
    return Section(
        id="pairs",
        title=say("section pairs"),
        lead=say("pairs lead", of_runs=of_runs),
        brief=True,
        blocks=(table, Fold(title=say("shares fold"), blocks=pictures)),
    )


def _surpassed(study: VotesStudy, counts: pd.DataFrame) -> list[str]:
    """Return the degrees of freedom of the median pair of every group; nothing where corrected tests settle as many."""
    several = counts.assign(group=counts.get("group", 1))
    wide = several.pivot_table(index="group", columns="correction", values="n_significant")
    if not wide.drop(columns=["none"], errors="ignore").lt(wide[AS_RANKS], axis=0).to_numpy().any():
        return []
    return [number(1)(np.median(_freedom(group))) for group in study.groups]


def _group_column(study: VotesStudy) -> tuple[Column, ...]:
    return right(whole, group="Group") if study.n_groups > 1 else ()


def _shares_picture(name: str, group: VoteGroup) -> Picture:
    order = group.main.to_frame()["system"].tolist()[:_MOST_SHOWN]
    shares, played = _matrices(group, order)
    return Picture(
        name=f"shares {name}".strip(),
        draw=lambda: _share_map(shares, played),
        title=say("shares title", name=name),
        caption=say("shares", shown=len(order), n=len(group.main.systems)),
        alt=say(
            "shares in words", best=order[0], mean=float(np.nanmean(shares.to_numpy()[0])) if len(order) > 1 else 0
        ),
    )


def _share_map(shares: pd.DataFrame, played: pd.DataFrame) -> Figure:
    from metaeval.figures.agreement import share_map  # noqa: PLC0415 - matplotlib

    return share_map(shares, played)


def _matrices(group: VoteGroup, order: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return shares of votes and numbers of votes, in this order of systems."""
    positions = pd.Index(group.fitted.systems).get_indexer(pd.Index(order))
    wins = group.fitted.wins[np.ix_(positions, positions)]
    played = wins + wins.T
    with np.errstate(invalid="ignore"):
        shares = wins / played
    return pd.DataFrame(shares, order, order), pd.DataFrame(played, order, order)


def _unbounded_section(study: VotesStudy) -> list[Section]:
    frame = study.by_group(lambda group: group.fitted.unbounded_frame())
    if not len(frame):
        return []
    table_frame = frame.assign(
        what=[say(f"side {side}") for side in frame["side"]],
        bound=[
            MISSING if math.isnan(limit) else say("limit", side=side, limit=_STRENGTH(limit))
            for side, limit in zip(frame["side"], frame["limit"], strict=True)
        ],
    )
    table = Table(
        name="unbounded",
        title=say("unbounded title"),
        caption=say("unbounded", level=_level(study), several=study.n_groups > 1),
        frame=table_frame,
        columns=(
            *_group_column(study),
            *left(system="System", what="Against the ranked systems"),
            *right(text, bound="Strength"),
            *right(whole, votes="Votes"),
        ),
        data=frame,
    )
    return [
        Section(id="unbounded", title=say("section unbounded"), lead=say("unbounded lead"), brief=True, blocks=(table,))
    ]


def _covariates_section(study: VotesStudy) -> list[Section]:
    blocks = [block for name, group in _named(study) for block in _covariates_blocks(study, name, group)]
    if not blocks:
        return []
    return [
        Section(
            id="covariates",
            title=say("section covariates"),
            lead=say("covariates lead"),
            brief=True,
            blocks=tuple(blocks),
        )
    ]


def _covariates_blocks(study: VotesStudy, name: str, group: VoteGroup) -> list[Block]:
    if group.adjusted is None:
        return []
    frame = group.adjusted.coefficient_frame()
    frame = frame[frame["name"] != "ties"]
    coefficients = Table(
        name=f"covariates {name}".strip(),
        title=say("covariates title", name=name),
        caption=say("covariates", level=_level(study)),
        frame=frame.assign(interval=intervals(frame["low"], frame["high"], number(3))),
        columns=(
            *left(name="Covariate"),
            *right(number(3), estimate="Coefficient"),
            *right(text, interval="interval"),
            *right(p_value, p_value="p"),
        ),
        data=frame,
    )
    merged = group.adjusted.to_frame()[["system", "rank", "strength"]].merge(
        group.fitted.to_frame()[["system", "rank", "strength"]], on="system", suffixes=("_adjusted", "_plain")
    )
    strengths = Table(
        name=f"adjusted {name}".strip(),
        title=say("adjusted title", name=name),
        caption=say("adjusted"),
        frame=merged,
        columns=(
            *left(system="System"),
            *right(_STRENGTH, "Strength", strength_adjusted="adjusted", strength_plain="as voted"),
            *rising(whole, "Rank", rank_adjusted="adjusted", rank_plain="as voted"),
        ),
    )
    return [coefficients, Fold(title=say("adjusted title", name=name), blocks=(strengths,))]


def _beside_section(study: VotesStudy) -> list[Section]:
    if study.beside is None:
        return []
    of_runs, frame = len(study.powers) > 0, study.beside.to_frame()
    frame = frame[frame["truth"] == VOTES].rename(columns={"predictor": "metric"})
    table = Table(
        name="beside",
        title=say("beside title", name=_named(study)[0][0]),
        caption=say("beside", found=study.beside, of_runs=of_runs),
        frame=frame,
        columns=(
            METRIC,
            *right(
                whole,
                "Settled pairs, by ranks" if not study.beside.tested else "Settled pairs",
                n_truth="votes",
                n_predictor="metric",
                n_shared="both",
                n_conflicts="opposite",
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(_STRENGTH, f1="F1", tau="τ"),
        ),
        data=frame,
    )
    return [
        Section(
            id="metrics",
            title=say("section beside"),
            lead=say("beside lead", of_runs=of_runs),
            brief=True,
            blocks=(table,),
        )
    ]


def _dimension_section(study: VotesStudy) -> Section:
    blocks: list[Block] = []
    for name, group in _named(study):
        dimension = group.dimension
        table = Table(
            name=f"misfits {name}".strip(),
            title=say("misfits title", name=name),
            caption=say("misfits"),
            frame=dimension.to_frame().head(_MOST_PAIRS),
            columns=(
                *left(system_a="System", system_b="against"),
                *right(whole, votes="Votes"),
                *right(share, "Share of votes", share="seen", expected="expected"),
                *right(number(1), z="Misfit"),
            ),
            data=dimension.to_frame(),
        )
        blocks += [Text(paragraphs=(say("dimension", found=dimension, alpha=study.alpha, name=name),)), table]
    return Section(id="fit", title=say("section fit"), lead=say("fit lead"), blocks=tuple(blocks))


def _ratings_section(study: VotesStudy) -> Section:
    frame = study.ratings()
    elo = [f"{rating:.0f} ± {spread:.0f}" for rating, spread in zip(frame["elo"], frame["elo_deviation"], strict=True)]
    table = Table(
        name="ratings",
        title=say("ratings title"),
        caption=say("ratings", davidson="davidson" in frame, n=study.first.elo.n_orders),
        frame=frame.assign(rating=elo, rating_sort=frame["elo"]),
        columns=(
            *_group_column(study),
            *rising(whole, rank="Rank"),
            *left(system="System"),
            *right(share, win_rate="Win rate"),
            *right(_STRENGTH, strength="Strength"),
            *(right(_STRENGTH, davidson="Davidson") if "davidson" in frame else ()),
            *right(text, rating="Elo"),
        ),
        data=frame,
    )
    return Section(id="ratings", title=say("section ratings"), lead=say("ratings lead"), blocks=(table,))


def _level(study: VotesStudy) -> str:
    return percentage(1 - study.alpha)


def _methods(study: VotesStudy) -> Methods:
    named, first = _named(study), study.first
    alike: dict[tuple[tuple[str, ...], bool], list[tuple[str, VoteGroup]]] = {}
    for name, group in named:
        few = any(group.main.n_units[member] < FEW_CLUSTERS for member in group.main.clusters)
        alike.setdefault((group.main.clusters, few), []).append((name, group))
    called = {"question": "topic"} if len(study.powers) else {}
    errors = [
        _errors_said(groups, [called.get(member, member) for member in ways], few)
        for (ways, few), groups in alike.items()
    ]
    words = say(
        "methods",
        study=study,
        fits=[
            say("fitted to", votes=member.main.n_votes, n=len(member.main.systems), name=name) for name, member in named
        ],
        errors=errors,
        units=list(dict.fromkeys(called.get(member, member) for ways, _ in alike for member in ways)),
        level=_level(study),
        spoken=first_few(list(first.main.coefficients["name"])),
    )
    return Methods(paragraphs=(words, *sweeps_methods(study), *([powers_methods()] if len(study.powers) else [])))


def _errors_said(groups: Sequence[tuple[str, VoteGroup]], units: Sequence[str], few: bool) -> str:  # noqa: FBT001 - as found
    """Say how the errors of groups were found that have the same clusters."""
    names = [name for name, _ in groups if name]
    if not units:
        return say("no clusters", names=names)
    sizes = [
        ", ".join(
            count(of_group.main.n_units[way], unit) for way, unit in zip(of_group.main.clusters, units, strict=True)
        )
        for _, of_group in groups
    ]
    ends = [_freedom(of_group) for _, of_group in groups]
    freedom = [interval(of_group.min(), of_group.max(), number(1)) for of_group in ends]
    return say("errors of", names=names, units=units, sizes=sizes, few=few, freedom=freedom)


def _freedom(group: VoteGroup) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    freedom = group.main.freedom
    return np.asarray(freedom[np.triu_indices(len(freedom), 1)])
