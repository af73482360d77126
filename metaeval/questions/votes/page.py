# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on votes: who is preferred, which ranks and pairs the votes settle, and which votes are missing."""

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from metaeval.base.arrays import Floats
from metaeval.base.bibliography import cited
from metaeval.base.names import count, first_few, natural_order
from metaeval.base.notes import FixedSides, OfferedQuestions
from metaeval.base.results import Figure
from metaeval.base.unit import unit
from metaeval.base.words import (
    MISSING,
    bracketed,
    compared_p,
    interval,
    intervals,
    listed,
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
from metaeval.page.blocks import Block, Fold, Methods, Picture, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import METRIC, Column, Table, left, right, rising
from metaeval.questions.votes.page_plans import lead_words, plan_section, votes_of_leaders
from metaeval.questions.votes.page_powers import powers_methods, powers_section
from metaeval.questions.votes.page_sweeps import sweeps_methods, sweeps_report, sweeps_section
from metaeval.questions.votes.study import AS_RANKS, VoteGroup, VotesStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, counted, listed_figures, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.ranked import (
    TOP_TITLE,
    interval_of_ranks,
    is_pair,
    open_first,
    ranked_columns,
    top_sentence,
    written_ranks,
)
from metaeval.reports.shared import facts, unanswered
from metaeval.table.vote_covariates import POSITION, is_length
from metaeval.tests_stat.correction import CORRECTIONS
from metaeval.tests_stat.result import is_significant

_STRENGTH = number(2)
_MOST_SHOWN, _MOST_PAIRS, _MOST_KINDS = 60, 10, 2
_UNKNOWN, _NO_GROUPS = "it is unknown who voted on what", "nothing groups the votes further"
_ALL_OF = {"question": "on one question", "voter": "by one voter"}
_TIES = {
    "half": "a tie being half a win for either system",
    "davidson": f"with Davidson’s parameter of ties{cited(['davidson1970'])}",
    "drop": "without the ties",
}
_SIDES = {"above": "never lost", "below": "never won", "beside": "met none of them"}
say = prose(__name__)


def votes_report(study: VotesStudy) -> Report:
    """Put a study of votes into a report."""
    if not study.groups:
        return sweeps_report(study, title_of(study), *powers_section(study), *unanswered(study.unanswered.items()))
    frame, counts, of_runs = study.to_frame(), study.pair_counts(), len(study.powers) > 0
    units = {"topic" if of_runs and name == "question" else name: n for name, n in study.n_units.items()}
    sizes = [*facts(vote=study.n_votes, system=study.n_systems, **units), *_pairs_counted(study)]
    settled = counts[counts["correction"] == AS_RANKS].to_dict("records")[0]
    ranks = study.first.ranks
    level = percentage(ranks.confidence_level)
    best = top_sentence(ranks.to_frame().drop(columns="metric"), study.top, level=level) if study.n_groups == 1 else ""
    return Report(
        command="votes",
        title=TOP_TITLE.format(study.top) if best else title_of(study),
        facts=(*sizes, (f"{study.alpha:g}", "significance level α")),
        summary=tuple(
            filter(None, (best, _answer(study, counts, settled), _needed_and_rests(study), _errors(study, counts)))
        ),
        key_figures=listed_figures(_key_figures(study, settled)),
        sections=(
            _ranks_section(study, frame),
            _pairs_section(study, counts),
            *_unbounded_section(study),
            *sweeps_section(study),
            *_covariates_section(study),
            *_weights_section(study),
            *_beside_section(study),
            *powers_section(study),
            _dimension_section(study),
            *([] if len(study.powers) else [plan_section(study), _ratings_section(study)]),
            *unanswered(study.unanswered.items()),
        ),
        methods=_methods(study),
        rows=frame,
        provenance=study.provenance,
        notes=study.notes,
        data={
            "pairs.csv": csv_file(study.by_group(lambda group: group.main.comparison("fdr_by").to_frame())),
            "plan.csv": csv_file(study.by_group(lambda group: group.plan.to_frame())),
            "rests_on.csv": csv_file(study.by_group(_dropped)),
            "shares.csv": csv_file(study.by_group(lambda group: group.dimension.to_frame())),
        },
    )


def _named_groups(study: VotesStudy) -> list[tuple[str, VoteGroup]]:
    """Name the groups if there are several."""
    several = study.n_groups > 1
    return [
        (f"group {group_number}" if several else "", group) for group_number, group in enumerate(study.groups, start=1)
    ]


def _pairs_counted(study: VotesStudy) -> tuple[tuple[str, str], ...]:
    """Return the number of pairs for the head of the page: of one group all, of several those within the groups."""
    n_pairs, n_groups = len(study.sweeps) + sum(len(group.settled) for group in study.groups), study.n_groups
    if n_groups == 1:
        return facts(pair=n_pairs)
    return (*facts(**{"unconnected group": n_groups}), (f"{n_pairs:,}", "pairs within groups"))


def title_of(study: VotesStudy) -> str:
    """Return the question: of people's votes, or of preferences between rankings of a topic."""
    topic = unit().topic
    return (
        f"Which runs are preferred, {topic} by {topic}?" if len(study.powers) else "Which systems win pairwise votes?"
    )


def _answer(study: VotesStudy, counts: pd.DataFrame, settled: Mapping[Hashable, Any]) -> str:
    """Say who leads the first group, and how many pairs are settled there and in the others."""
    group, by_ranks = study.first, counts[counts["correction"] == AS_RANKS].iloc[1:]
    ranks, swept, above = group.ranks.to_frame(), study.sweeps, _systems_without_bound(group, "above")
    first = natural_order(ranks.loc[ranks["rank"] == 1, "system"])
    n_firsts = int((ranks["rank_low"] == 1).sum())
    words = [say("in a group", name=_named_groups(study)[0][0], n_groups=study.n_groups)] * (study.n_groups > 1)
    words += [say("offered", column=note.column) for note in study.notes if isinstance(note, OfferedQuestions)]
    is_fixed = any(isinstance(note, FixedSides) for note in study.notes)
    is_fixed &= not is_pair(ranks) and POSITION not in {*group.covariates["name"]}
    words += [say("never lost", names=above)] if above else []
    begun = {"before": "".join(f"{part} " for part in words), "no": "no" if words else "No"}
    but = _unasked(study) + _asked(group, study.alpha)
    if is_pair(ranks):
        answer = _pair_answer(group, first, n_firsts, begun, but=but)
    else:
        which = "one" if n_firsts == 1 else "none" if n_firsts == len(ranks) else "leads"
        decided = _settled_words(settled["n_significant"], settled["n_pairs"])
        answer = say(
            f"answer {which}",
            first=first,
            leads=open_first(ranks),
            decided=decided,
            but=but,
            ties=_ties(group),
            fixed=say("fixed sides", n=len(group.settled)) * is_fixed,
            **begun,
        )
    if n_others := int(by_ranks["n_pairs"].sum()) + len(swept):
        n_settled = int(by_ranks["n_significant"].sum()) + (int(swept["settled"].sum()) if len(swept) else 0)
        answer = f"{answer} {say('other groups', decided=_settled_words(n_settled, n_others))}"
    return answer


def _pair_answer(group: VoteGroup, first: Sequence[str], n_firsts: int, begun: Mapping[str, str], *, but: str) -> str:
    """Say which of two systems is preferred, and its share of the votes."""
    best, second = first[0], next(name for name in group.main.systems if name != first[0])
    share_of_best = bracketed(*_leading_share(group, best, second))
    which = "pair" if n_firsts == 1 else "open pair"
    words = {"first": best, "share": share_of_best, "ties": _ties(group), "power": group.plan.power}
    return say(f"answer {which}", other=second, but=but, needed=votes_of_leaders(group), **words, **begun)


def _ties(group: VoteGroup) -> str:
    return say("ties", n=group.n_ties) if group.n_ties else ""


def _unasked(study: VotesStudy) -> str:
    """Say what covariates that nobody asked for would change, where they matter."""
    tried = study.unasked
    if tried is None or not tried.matters:
        return ""
    names = tried.coefficients["name"].tolist()
    return say("but", effects=_effects(tried.coefficients), names=names, tried=tried, option=f"covariates={names!r}")


def _effects(coefficients: pd.DataFrame) -> list[str]:
    """Say which answers win more votes, by each significant covariate."""
    rows = coefficients[coefficients["significant"]].to_dict("records")
    return [say("effect", row=row, is_length=is_length(row["name"])) for row in rows]


def _asked(group: VoteGroup, alpha: float) -> str:
    """Say which covariates that were asked for matter."""
    if group.adjusted is None:
        return ""
    frame = group.covariates
    frame = frame.assign(significant=is_significant(frame["p_value"] * len(frame), alpha))
    none = frame.loc[~frame["significant"], "name"].tolist()
    names = [name for name in frame["name"] if name != POSITION]
    return say("asked", effects=_effects(frame), names=names, idle=none)


def _settled_words(n_settled: int, n_pairs: int) -> str:
    if n_pairs == 1:
        return f"the pair is {'' if n_settled else 'not '}settled"
    return f"{n_settled:,} of {count(n_pairs, 'pair')} {'is' if n_settled == 1 else 'are'} settled"


def _errors(study: VotesStudy, counts: pd.DataFrame) -> str:
    """Say what clusters of votes cost, or that votes are taken for independent, and what a single unit hides."""
    group, of_runs = study.first, len(study.powers) > 0
    single = [name for name, n in group.main.n_units.items() if n == 1]
    if group.main.clusters:
        by = [unit().topic] if of_runs else group.main.clusters
        words = [say("errors clustered", by=by, inflation=group.main.inflation)]
        holm = counts[counts["correction"] == "holm"].to_dict("records")
        words += [] if of_runs or holm[0]["n_pairs"] == 1 else [say("errors decide", holm=holm[0])]
    else:
        alone = bool(single) and not study.counted
        words = [say("errors independent", reason=_NO_GROUPS if alone else _UNKNOWN)]
    words += [say("single", all=listed(map(_ALL_OF.get, single)), units=single)] if single else []
    return f"{f'{name.capitalize()}: ' if (name := _named_groups(study)[0][0]) else ''}{' '.join(words)}"


def _needed_and_rests(study: VotesStudy) -> str:
    """Say how many votes would part the first two of several systems, and on how few the first place rests."""
    ranks = study.first.ranks.to_frame()
    is_open = int((ranks["rank_low"] == 1).sum()) > 1 and not is_pair(ranks) and not len(study.powers)
    return " ".join(filter(None, [lead_words(study.first) if is_open else "", *_rests(study)]))


def _rests(study: VotesStudy) -> tuple[str, ...]:
    """Say on how few votes the first place rests, and which."""
    if (witness := study.first.witness) is None:
        return ()
    rows = witness.dropped.head(_MOST_KINDS).to_dict("records")
    votes = [say("dropped", row=row) for row in rows]
    n_more = witness.n_dropped - sum(row["votes"] for row in rows)
    return (say("rests", witness=witness, votes=[*votes, *([count(n_more, "other")] if n_more else [])]),)


def _dropped(group: VoteGroup) -> pd.DataFrame:
    """Return the votes that a first place rests on, counted."""
    if group.witness is None:
        return pd.DataFrame(columns=["winner", "loser", "tie", "votes", "rival"])
    return group.witness.dropped.assign(rival=group.witness.rival)


def _systems_without_bound(group: VoteGroup, side: str) -> list[str]:
    frame = group.fitted.unbounded_frame()
    return list(frame.loc[frame["side"] == side, "system"])


def _key_figures(study: VotesStudy, settled: Mapping[Hashable, Any]) -> list[KeyFigure]:
    (name, group), *_ = _named_groups(study)
    ranks = group.ranks.to_frame()
    n_firsts, n_pairs = int((ranks["rank_low"] == 1).sum()), settled["n_pairs"]
    best, second = ranks["system"].iloc[0], ranks["system"].iloc[1]
    leading = _leading_share(group, best, second)
    of, ties = f", {name}" if name else "", "" if group.main.ties == "half" else ", ties aside"
    n_settled, inflation = settled["n_significant"], group.main.inflation
    clustered = f"{_STRENGTH(inflation)} times" if group.main.clusters else ""
    several = (
        KeyFigure(f"Systems that may be first{of}", share_of(n_firsts, len(ranks)), counted(n_firsts, len(ranks))),
        KeyFigure(f"Settled pairs{of}", share_of(n_settled, n_pairs), counted(n_settled, n_pairs)),
    )
    return [
        KeyFigure(
            f"Expected share of the votes for {best} against {second}{ties}{of}",
            bracketed(leading[0], leading[1], leading[2]),
            with_ends(*leading),
        ),
        *(() if is_pair(ranks) else several),
        *_unasked_figures(study),
        KeyFigure(f"Errors, relative to independent votes (median system){of}", clustered, {"inflation": inflation}),
    ]


def _leading_share(group: VoteGroup, best: str, second: str) -> tuple[float, float, float]:
    """Return the expected share of the votes of one system against another, with its interval."""
    from scipy.special import stdtrit  # noqa: PLC0415 - loads scipy

    main = group.main
    a, b = (main.systems.index(name) for name in (best, second))
    apart = float(main.strengths[a] - main.strengths[b])
    square = main.covariance[a, a] + main.covariance[b, b] - 2 * main.covariance[a, b]
    half = float(stdtrit(main.freedom[a, b], 1 - main.alpha / 2) * math.sqrt(max(square, 0.0)))
    expected, low, high = (1.0 / (1.0 + math.exp(-odds)) for odds in (apart, apart - half, apart + half))
    return expected, low, high


def _ranks_section(study: VotesStudy, frame: pd.DataFrame) -> Section:
    blocks: list[Block] = []
    for group_number, (name, group) in enumerate(_named_groups(study), start=1):
        of_group = frame[frame["group"] == group_number] if name else frame
        draw = partial(group.ranks.plot, PREFERENCE)
        picture = say.picture(
            "ranks", draw, called=f"ranks {name}".strip(), name=name, level=_level(study), first=of_group.iloc[0]
        )
        blocks += [*(() if is_pair(of_group) else (picture,)), _ranks_table(study, of_group, name)]
    return say.section("ranks", *blocks)


def _ranks_table(study: VotesStudy, of_group: pd.DataFrame, name: str) -> Table:
    strengths = (
        *right(share, win_rate="Win rate"),
        *right(_STRENGTH, strength="Strength"),
        *right(interval="interval"),
    )
    ranks = interval_of_ranks(_level(study))
    return say.table(
        "systems",
        written_ranks(of_group).assign(interval=intervals(of_group["low"], of_group["high"], _STRENGTH)),
        ranked_columns(of_group, strengths, ranks, right(whole, votes="Votes")),
        called=name or "systems",
        data=of_group,
        name=name,
        level=_level(study),
    )


def _pairs_section(study: VotesStudy, counts: pd.DataFrame) -> Section:
    of_runs = len(study.powers) > 0
    counts = counts[counts["correction"] == AS_RANKS] if of_runs else counts  # t tests are those of mean preferences
    labels = {name: "ranks" if name == AS_RANKS else CORRECTIONS.label(name) for name in counts["correction"]}
    frame = counts.assign(
        how=counts["correction"].map(labels),
        found=[share_of(*row) for row in zip(counts["n_significant"], counts["n_pairs"], strict=True)],
        alone=[
            MISSING if pd.isna(alone) else share_of(alone, n)
            for alone, n in zip(counts["independent"], counts["n_pairs"], strict=True)
        ],
    )
    alone = {"alone": "if votes were independent"}
    table = say.table(
        "pairs",
        frame,
        _group_column(study),
        left(how="Decision"),
        right(text, "Settled pairs", found="as voted", **({} if of_runs else alone)),
        data=counts,
        alpha=study.alpha,
        freedom=_median_freedom(study, counts),
    )
    pictures = tuple(_shares_picture(name, group) for name, group in _named_groups(study))
    fold = Fold(title="Share of the votes of every pair", blocks=pictures)
    return say.section("pairs", table, fold, head="Pairs of systems")


def _median_freedom(study: VotesStudy, counts: pd.DataFrame) -> list[str]:
    """Return the degrees of freedom of the median pair of every group; nothing where corrected tests settle as many."""
    several = counts.assign(group=counts.get("group", 1))
    wide = several.pivot_table(index="group", columns="correction", values="n_significant")
    if not wide.drop(columns=["none"], errors="ignore").lt(wide[AS_RANKS], axis=0).to_numpy().any():
        return []
    return [number(1)(np.median(_freedom_of_pairs(group))) for group in study.groups]


def _group_column(study: VotesStudy) -> tuple[Column, ...]:
    return right(whole, group="Group") if study.n_groups > 1 else ()


def _shares_picture(name: str, group: VoteGroup) -> Picture:
    order = group.main.to_frame()["system"].tolist()[:_MOST_SHOWN]
    shares, played = _matrices(group, order)
    return say.picture(
        "shares",
        lambda: _share_map(shares, played),
        called=f"shares {name}".strip(),
        name=name,
        n_shown=len(order),
        n=len(group.main.systems),
        best=order[0],
        mean=float(np.nanmean(shares.to_numpy()[0])) if len(order) > 1 else 0,
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
        what=frame["side"].map(_SIDES),
        bound=[
            MISSING if math.isnan(limit) else f"at {'least' if side == 'above' else 'most'} {_STRENGTH(limit)}"
            for side, limit in zip(frame["side"], frame["limit"], strict=True)
        ],
    )
    table = say.table(
        "unbounded",
        table_frame,
        _group_column(study),
        left(system="System", what="Against the ranked systems"),
        right(text, bound="Strength"),
        right(whole, votes="Votes"),
        data=frame,
        level=_level(study),
    )
    return [say.section("unbounded", table)]


def _unasked_figures(study: VotesStudy) -> list[KeyFigure]:
    """Return what covariates that nobody asked for are worth, whether it is significant or not."""
    figures = []
    for row in [] if study.unasked is None else study.unasked.coefficients.to_dict("records"):
        ends = (row["estimate"], row["low"], row["high"])
        (digits,) = _decimals(np.abs(ends[1:]).max(keepdims=True))
        value = f"{bracketed(*ends, number(digits))}, p {compared_p(row['p_value'])}"
        figures.append(KeyFigure(say("unasked", name=row["name"]), value, {**with_ends(*ends), "p": row["p_value"]}))
    return figures


def _covariates_section(study: VotesStudy) -> list[Section]:
    blocks = [block for name, group in _named_groups(study) for block in _covariates_blocks(study, name, group)]
    if not blocks:
        return []
    return [say.section("covariates", *blocks, head="Covariates")]


def _decimals(reach: Floats) -> list[int]:
    """Return decimals that leave two digits of the farther end of an interval, three at least."""
    with np.errstate(divide="ignore"):
        places = 1 - np.floor(np.log10(reach))
    return np.where(np.isfinite(places), np.clip(places, 3, 12), 3).astype(int).tolist()


def _covariates_blocks(study: VotesStudy, name: str, group: VoteGroup) -> list[Block]:
    if group.adjusted is None:
        return []
    frame = group.covariates
    ends = frame[["low", "high"]].to_numpy()
    digits = _decimals(np.abs(ends).max(axis=1))
    cells = [
        (number(places)(value), *intervals([row[0]], [row[1]], number(places)))
        for value, row, places in zip(frame["estimate"], ends.tolist(), digits, strict=True)
    ]
    coefficients = say.table(
        "covariates",
        frame.assign(written=[cell for cell, _ in cells], interval=[cell for _, cell in cells]),
        left(name="Covariate"),
        right(text, written="Coefficient", interval="interval"),
        right(p_value, p_value="p"),
        called=f"covariates {name}".strip(),
        data=frame,
        name=name,
        level=_level(study),
    )
    merged = group.adjusted.to_frame()[["system", "rank", "strength"]].merge(
        group.fitted.to_frame()[["system", "rank", "strength"]], on="system", suffixes=("_adjusted", "_plain")
    )
    strengths = say.table(
        "adjusted",
        merged,
        left(system="System"),
        right(_STRENGTH, "Strength", strength_adjusted="adjusted", strength_plain="as voted"),
        rising(whole, "Rank", rank_adjusted="adjusted", rank_plain="as voted"),
        called=f"adjusted {name}".strip(),
        name=name,
    )
    return [coefficients, Fold(title=say("adjusted title", name=name), blocks=(strengths,))]


def _weights_section(study: VotesStudy) -> list[Section]:
    """Say how much the votes of each voter tell, and what is settled with these weights."""
    weighed = study.weights
    if weighed is None:
        return []
    frame, heavy_first = weighed.to_frame(), weighed.table.dropna(subset="weight").to_dict("records")
    counts = [int(fitted.comparison("holm").data["significant"].sum()) for fitted in (weighed.strengths, weighed.equal)]
    words = say(
        "weights answer",
        first=heavy_first[0],
        last=heavy_first[-1],
        n=len(frame),
        away=len(frame) - len(heavy_first),
        counts=counts,
    )
    table = say.table(
        "weights",
        frame.assign(
            interval=intervals(frame["low"], frame["high"], _STRENGTH),
            sides=intervals(frame["side_low"], frame["side_high"], _STRENGTH),
        ),
        left(judge="Voter"),
        right(whole, n_votes="Votes"),
        right(_STRENGTH, weight="Weight"),
        right(text, interval="interval"),
        right(_STRENGTH, side="Left side"),
        right(text, sides="interval"),
        left(note="Turned away"),
        data=frame,
        level=_level(study),
    )
    fold = Fold(title=say("weights title"), blocks=(table,))
    return [
        say.section("weights", Text(paragraphs=(words,)), fold, brief=False, head="How much each voter’s vote tells")
    ]


def _beside_section(study: VotesStudy) -> list[Section]:
    if study.beside is None:
        return []
    frame = study.beside.to_frame()
    frame = frame[frame["truth"] == VOTES].rename(columns={"predictor": "metric"})
    table = say.table(
        "beside",
        frame,
        (METRIC,),
        right(
            whole,
            "Settled pairs, by ranks" if not study.beside.tested else "Settled pairs",
            n_truth="votes",
            n_predictor="metric",
            n_shared="both",
            n_conflicts="opposite",
        ),
        right(share, precision="Precision", recall="Recall"),
        right(_STRENGTH, f1="F1", tau="τ"),
        data=frame,
        name=_named_groups(study)[0][0],
        pairs=study.beside,
    )
    return [say.section("beside", table, id="metrics", head="Metrics and these votes")]


def _dimension_section(study: VotesStudy) -> Section:
    blocks: list[Block] = []
    for name, group in _named_groups(study):
        dimension = group.dimension
        table = say.table(
            "misfits",
            dimension.to_frame().head(_MOST_PAIRS),
            left(system_a="System", system_b="against"),
            right(whole, votes="Votes"),
            right(share, "Share of votes", share="seen", expected="expected"),
            right(number(1), z="Misfit"),
            called=f"misfits {name}".strip(),
            data=dimension.to_frame(),
            name=name,
        )
        blocks += [Text(paragraphs=(_dimension(study, group, name),)), table]
    return say.section("fit", *blocks, brief=False, head="Fit of one dimension")


def _dimension(study: VotesStudy, group: VoteGroup, name: str) -> str:
    """Say whether one scale describes the votes, what it explains, and how many majorities run in a circle."""
    dimension = group.dimension
    p = dimension.p_value
    which = "none" if math.isnan(p) else "contradicted" if is_significant(np.array(p), study.alpha) else "kept"
    words = [say(f"dimension {which}", dimension=dimension, p=compared_p(p))]
    words += [] if math.isnan(dimension.explained) else [say("explained", dimension=dimension)]
    words += [say("triads", dimension=dimension)] if dimension.n_triads else []
    return f"{f'{name.capitalize()}: ' if name else ''}{' '.join(words)}"


def _ratings_section(study: VotesStudy) -> Section:
    frame = study.ratings()
    elo = [f"{rating:.0f} ± {spread:.0f}" for rating, spread in zip(frame["elo"], frame["elo_deviation"], strict=True)]
    table = say.table(
        "ratings",
        frame.assign(rating=elo, rating_sort=frame["elo"]),
        _group_column(study),
        rising(whole, rank="Rank"),
        left(system="System"),
        right(share, win_rate="Win rate"),
        right(_STRENGTH, strength="Strength"),
        right(_STRENGTH, davidson="Davidson") if "davidson" in frame else (),
        right(text, rating="Elo"),
        data=frame,
        n=study.first.elo.n_orders,
    )
    return say.section("ratings", table, brief=False)


def _level(study: VotesStudy) -> str:
    return percentage(1 - study.alpha)


def _methods(study: VotesStudy) -> Methods:
    named, first = _named_groups(study), study.first
    groups_by_errors: dict[tuple[tuple[str, ...], bool], list[tuple[str, VoteGroup]]] = {}
    for name, group in named:
        few = any(group.main.n_units[member] < FEW_CLUSTERS for member in group.main.clusters)
        groups_by_errors.setdefault((group.main.clusters, few), []).append((name, group))
    called = {"question": "topic"} if len(study.powers) else {}
    errors = [
        _errors_said(groups, [called.get(member, member) for member in clusters], few)
        for (clusters, few), groups in groups_by_errors.items()
    ]
    fits = [
        f"{whole(group.main.n_votes)} votes on {len(group.main.systems)} systems{f' ({name})' if name else ''}"
        for name, group in named
    ]
    units = list(dict.fromkeys(called.get(member, member) for clusters, _ in groups_by_errors for member in clusters))
    words = [
        say("methods", fits=fits, ties=_TIES[first.main.ties]),
        *([say("methods covariates", names=first_few(list(first.covariates["name"])))] if first.adjusted else []),
        *errors,
        say("methods ranks", level=_level(study), ranks=first.ranks),
        *([say("methods covariance", units=units)] if units else []),
        say("methods fit", study=study),
    ]
    return Methods(
        paragraphs=(" ".join(words), *sweeps_methods(study), *([powers_methods()] if len(study.powers) else []))
    )


def _errors_said(groups: Sequence[tuple[str, VoteGroup]], units: Sequence[str], few: bool) -> str:  # noqa: FBT001 - as found
    """Say how the errors of groups were found that have the same clusters."""
    of = f" ({listed(names)})" if (names := [name for name, _ in groups if name]) else ""
    if not units:
        return say("no clusters", of=of)
    sizes = [
        ", ".join(
            count(of_group.main.n_units[cluster], noun)
            for cluster, noun in zip(of_group.main.clusters, units, strict=True)
        )
        for _, of_group in groups
    ]
    freedoms = [_freedom_of_pairs(of_group) for _, of_group in groups]
    freedom = [interval(of_group.min(), of_group.max(), number(1)) for of_group in freedoms]
    words = [say("clustered", of=of, units=units, sizes=sizes)]
    words += [say("two ways")] if len(units) > 1 else []
    return " ".join([*words, *([say("few clusters", freedom=freedom)] if few else [])])


def _freedom_of_pairs(group: VoteGroup) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    freedom = group.main.freedom
    return np.asarray(freedom[np.triu_indices(len(freedom), 1)])
