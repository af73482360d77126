# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on votes and metrics, or several sets of votes: which pairs of systems they settle alike."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from scipy.special import expit

from metaeval import figures
from metaeval.base.unit import unit
from metaeval.base.words import (
    bracketed,
    compared_p,
    intervals,
    number,
    p_value,
    percentage,
    share,
    significant,
    text,
    whole,
)
from metaeval.figures.boards import MOST_LINES
from metaeval.models.settling import SettledPairs
from metaeval.page.blocks import Block, Fold, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Column, left, right, rising
from metaeval.questions.boards.study_decided import SettledStudy
from metaeval.reports.alt_test import alt_section
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures, with_ends
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.table.vote_covariates import POSITION
from metaeval.tests_stat.result import is_significant

_DECIMAL, _MOST_FIGURES, _MOST_SHOWN, _MOST_NAMED = number(2), 5, 50, 3
say = prose(__name__)
_SQUARE = "A square of F1, votes and metrics in its rows and columns."


def settled_report(study: SettledStudy) -> Report:
    """Put a comparison of votes with metrics, or with other votes, into a report."""
    settled = study.found
    sizes = {"system": len(settled.systems), "pair": settled.n_pairs} | (
        {"item": study.n_items} if study.n_items else {}
    )
    return Report(
        command="judges" if study.of_judges else "agree",
        title=_title(study),
        facts=(*facts(**sizes), (f"{settled.alpha:g}", "significance level α")),
        summary=_summary(study),
        key_figures=listed_figures(_figures(study)),
        sections=(
            *_shift_section(study),
            *_verdicts_section(study),
            *(_same_section(study) if study.of_judges else []),
            _pairs_section(study),
            *_predicted_section(study),
            *([] if study.of_judges else _same_section(study)),
            *alt_section(study.alt, brief=False),
            *_habits_section(study),
            *_powered_section(study),
            ranks_section(settled, study.reference, _nearest_source(study)),
            *unanswered(study.unanswered.items()),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(settled.pairs()), "ranks.csv": csv_file(settled.ranked())},
    )


def _title(study: SettledStudy) -> str:
    if study.shift is not None:
        return "Has the judge changed?"
    if study.of_judges:
        return "Do the judges vote alike?"
    metrics = len(study.found.voices) > len(study.fitted)
    return f"Do {'votes and metrics' if metrics else 'these votes'} settle the same pairs?"


def _summary(study: SettledStudy) -> tuple[str, ...]:
    rows = study.beside.sort_values("f1", ascending=False, kind="stable", na_position="last").to_dict("records")
    pairs = "; ".join(say("row", row=row, f1=_in_brackets(row["f1"], "F1")) for row in rows[:_MOST_NAMED])
    words = {say("settled alike", row=row) for row in rows}
    answer = say("answer", pairs=pairs, word=words.pop() if len(words) == 1 else "", n=rows[0]["n_truth"], study=study)
    if not study.of_judges or not len(study.agreed):
        predicted = [
            say("predicts", row=row, interval=_interval_words(row)) for row in study.predicted.to_dict("records")
        ]
        return *_verdict_words(study), answer, *([f"{'; '.join(predicted[:_MOST_NAMED])}."] if predicted else [])
    verdict = _verdict_words(study)
    agreed = _agreement_with_reference(study).sort_values("kappa", ascending=False, kind="stable").to_dict("records")
    leaning = study.habits[is_significant(study.habits["p_value"].to_numpy(), study.found.alpha)].to_dict("records")
    leans = [f"{'; '.join(say('leans', row=row) for row in leaning)}."] if leaning else []
    if len(study.habits) > 2 and not study.named:  # noqa: PLR2004 - nobody is measured by another
        rows = study.agreed.dropna(subset="kappa").to_dict("records")
        sentence = study.found._found()  # noqa: SLF001 - the sentence of the result
        return say("between", rows=rows, n=len(study.habits)), f"{sentence}.", *leans
    clauses = [
        say("agrees", row=row, study=study, kappa=_in_brackets(row["kappa"], "κ", row["low"], row["high"]))
        for row in agreed[:_MOST_NAMED]
    ]
    reference = study.habits.iloc[0]
    if reference["n_by_several"]:
        clauses += [say("with_voters", row=row) for row in agreed[:_MOST_NAMED] if pd.notna(row["same_by_voter"])]
        clauses.append(say("voters", study=study, share=reference["voters_same"]))
    return *verdict, *([f"{'; '.join(clauses)}."] if agreed else []), answer, *leans


def _verdict_words(study: SettledStudy) -> tuple[str, ...]:
    """Say whether the best judge may replace people, who else may not, and how sure that is.

    Of one judge at two dates: whether it has changed, and whose strength by it.
    """
    if study.shift is not None:
        rows = study.shift.frame.to_dict("records")
        moved = [row for row in rows if row["significant"]]
        shifts = [
            f"{bracketed(row['shift'], row['low'], row['high'], _DECIMAL)} for {row['system']}"
            for row in moved or rows[:1]
        ]
        covariates = study.shift.covariates
        is_side = covariates["name"] == POSITION
        sided = [
            f"{share(float(expit(side['after'])))} of its votes on two equals go to the left, "
            f"{share(float(expit(side['before'])))} before (p {compared_p(side['p_value'])})"
            for side in covariates[is_side & covariates["significant"]].to_dict("records")
        ]
        pulls = covariates[~is_side & covariates["significant"]].to_dict("records")
        drawn = sided + [
            f"a unit of {pull['name']} is worth {significant(pull['after'], 2)} log odds, "
            f"{significant(pull['before'], 2)} before (p {compared_p(pull['p_value'])})"
            for pull in pulls
        ]
        words = {"moved": bool(moved), "shifts": shifts, "p": compared_p(study.shift.p_value), "drawn": drawn}
        words |= {"sided": bool(sided), "equal": covariates.loc[~is_side, "name"].tolist()}
        return (say("changed", shift=study.shift, n=len(rows), **words),)
    if study.verdicts.empty:
        return ()
    order = study.verdicts["verdict"].map({"may": 0, "not settled": 1, "no pairs": 2, "may not": 3})
    frame = study.verdicts.assign(order=order).sort_values(["order", "alike"], ascending=[True, False], kind="stable")
    best, *others = frame.to_dict("records")
    told = [best, *(row for row in others if row["verdict"] == "may not")][:_MOST_NAMED]
    sentences = [say("stands in", row=row, study=study, alike=_alike_words(row)) for row in told]
    chance = [] if pd.isna(best["cleared_if_equal"]) else [say("cleared", row=best, study=study)]
    return (" ".join([*sentences, *chance]),)


def _alike_words(row: Mapping[Any, Any]) -> str:
    """Write the share of pairs in one order with its interval, or their number where no draw orders one otherwise."""
    if pd.isna(row["low"]):
        return "none" if not row["alike"] > 0 else whole(round(row["alike"] * row["n_pairs"]))
    return bracketed(row["alike"], row["low"], row["high"], share)


def _shift_section(study: SettledStudy) -> list[Section]:
    if study.shift is None:
        return []
    frame = study.shift.frame
    columns = (
        *left(system="System"),
        *right(_DECIMAL, shift="Strength, after less before"),
        *right(text, interval="interval"),
        *right(p_value, p_corrected="p"),
    )
    return [_table_section("shift", frame, columns, study, interval=intervals(frame["low"], frame["high"], _DECIMAL))]


def _verdicts_section(study: SettledStudy) -> list[Section]:
    if study.verdicts.empty:
        return []
    columns = (
        *left(judge="Judge", verdict="May replace people"),
        *right(whole, n_pairs="Settled pairs"),
        *right(share, alike="Ordered alike"),
        *right(text, interval="interval"),
        *right(share, "Left of two equals", left="wins"),
        *right(text, "Left of two equals", side="interval"),
        *right(share, neighbour="Against the next"),
        *right(share, cleared_if_equal="Cleared if as good"),
    )
    told = {
        "interval": intervals(study.verdicts["low"], study.verdicts["high"], share),
        "side": intervals(study.verdicts["left_low"], study.verdicts["left_high"], share),
    }
    return [_table_section("verdicts", study.verdicts, columns, study, brief=False, **told)]


def _in_brackets(value: float, name: str, low: float = math.nan, high: float = math.nan) -> str:
    """Write a figure behind a clause, with its interval; nothing where it is not known."""
    return "" if pd.isna(value) else f" ({name} {bracketed(value, low, high, _DECIMAL)})"


def _interval_words(row: Mapping[Any, Any]) -> str:
    """Write an interval of a share behind it; nothing where it is not known."""
    return "" if pd.isna(row["low"]) else f" [{100 * row['low']:.0f} %, {100 * row['high']:.0f} %]"


def _nearest_source(study: SettledStudy) -> str:
    """Return the voice that settles what the reference does most nearly."""
    rows = study.beside.sort_values("f1", ascending=False, kind="stable", na_position="last")
    return str(rows["predictor"].iloc[0])


def _agreement_with_reference(study: SettledStudy) -> pd.DataFrame:
    return study.agreed[study.agreed["first"] == study.reference]


def _figures(study: SettledStudy) -> list[KeyFigure]:
    if study.of_judges and len(study.habits) > 2 and not study.named:  # noqa: PLR2004 - as above
        return []
    kappas = [
        KeyFigure(
            f"κ of {row['second']} and {study.reference}",
            bracketed(row["kappa"], row["low"], row["high"], _DECIMAL),
            with_ends(row["kappa"], row["low"], row["high"]),
        )
        for row in (_agreement_with_reference(study).head(_MOST_FIGURES).to_dict("records") if study.of_judges else ())
    ]
    return kappas + [
        KeyFigure(
            f"F1 of {row['predictor']} and {study.reference}",
            _DECIMAL(row["f1"]) if pd.notna(row["f1"]) else "",
            {"f1": row["f1"]},
        )
        for row in study.beside.head(_MOST_FIGURES).to_dict("records")
    ]


def _pairs_section(study: SettledStudy) -> Section:
    settled = study.found
    table = say.table(
        "settled",
        study.beside,
        left(predictor="Beside it"),
        right(
            whole,
            "Settled pairs",
            n_truth=study.reference,
            n_predictor="beside it",
            n_shared="alike",
            n_conflicts="opposite",
        ),
        right(share, precision="Precision", recall="Recall"),
        right(_DECIMAL, f1="F1", tau="τ"),
        data=study.to_frame(),
        study=study,
    )
    blocks: list[Block] = [table]
    if len(settled.voices) > 2:  # noqa: PLR2004 - two have one F1
        picture = say.picture(
            "agreement",
            lambda: figures.matrix_map(settled.matrix()),
            alt=_SQUARE,
            head="F1 of the settled pairs of every two",
        )
        blocks.append(Fold(title=picture.title, blocks=(picture,)))
    apart = _pairs_not_alike(study)
    if len(apart):
        listed = say.table(
            "apart",
            apart.head(_MOST_SHOWN),
            left(system_a="System", system_b="against"),
            left(text, **{n: n for n in settled.voices}),
            data=apart,
            n_shown=min(len(apart), _MOST_SHOWN),
            n=len(apart),
        )
        blocks.append(Fold(title=say("apart title"), blocks=(listed,)))
    return say.section("settled", *blocks)


def _pairs_not_alike(study: SettledStudy) -> pd.DataFrame:
    """Return the pairs that are not settled alike by all, those settled in opposite directions first."""
    frame, names = study.found.pairs(), list(study.found.voices)
    winners = frame[names].apply(lambda row: len({winner for winner in row if winner}), axis=1)
    open_to = frame[names].apply(lambda row: sum(not winner for winner in row), axis=1)
    is_apart = (winners > 1) | ((winners == 1) & (open_to > 0))
    return frame.assign(winners=winners)[is_apart].sort_values("winners", ascending=False, kind="stable")[list(frame)]


def _table_section(
    name: str,
    frame: pd.DataFrame,
    columns: tuple[Column, ...],
    study: SettledStudy,
    *,
    brief: bool = True,
    **told: list[str],
) -> Section:
    """Return a section of one table, whose passages have its name."""
    level = percentage(1 - study.found.alpha)
    return say.section(name, say.table(name, frame.assign(**told), columns, data=frame, level=level), brief=brief)


def _predicted_section(study: SettledStudy) -> list[Section]:
    frame = study.predicted
    if not len(frame):
        return []
    columns = (
        *left(metric="Metric"),
        *right(whole, n_votes="Votes", n_questions="Questions", n_equal="Equal scores"),
        *right(share, share="Predicted"),
        *right(text, interval="interval"),
    )
    return [_table_section("predicted", frame, columns, study, interval=intervals(frame["low"], frame["high"], share))]


def _same_section(study: SettledStudy) -> list[Section]:
    frame = study.agreed
    if not len(frame):
        return []
    columns = (
        *left(first="Votes of", second="and of"),
        *right(whole, n="Questions and pairs"),
        *right(share, same="The same"),
        *right(text, interval_of_same="interval"),
        *right(_DECIMAL, kappa="κ"),
        *right(text, interval="interval"),
        *right(share, "Ties", ties_first="first", ties_second="second"),
        *right(whole, "Without ties", n_decided="number"),
        *right(share, "Without ties", same_decided="the same"),
    )
    kappas = intervals(frame["low"], frame["high"], _DECIMAL)
    shares = intervals(frame["same_low"], frame["same_high"], share)
    return [_table_section("same", frame, columns, study, interval=kappas, interval_of_same=shares)]


def _habits_section(study: SettledStudy) -> list[Section]:
    frame = study.habits
    if len(frame) == 1:
        return []
    columns = (
        *left(votes="Votes of"),
        *right(whole, n_votes="Votes"),
        *right(share, ties="Ties"),
        *right(share, "Left of two equals", left="wins"),
        *right(text, "Left of two equals", interval="interval"),
        *right(p_value, "Left of two equals", p_value="p"),
        *right(whole, "In both orders", n_both="number"),
        *right(share, "In both orders", same="the same"),
        *right(whole, "By several voters", n_by_several="number"),
        *right(share, "By several voters", voters_same="two agree"),
    )
    bounds = intervals(frame["low"], frame["high"], share)
    return [_table_section("habits", frame, columns, study, brief=False, interval=bounds)]


def _powered_section(study: SettledStudy) -> list[Section]:
    if not study.powered:
        return []
    frame = pd.DataFrame(
        [
            (name, powered.n_votes, powered.n_judged, powered.n_common, powered.judge_weight, powered.n_equivalent)
            for name, powered in study.powered.items()
        ],
        columns=["judge", "n_votes", "n_judged", "n_common", "judge_weight", "n_equivalent"],
    )
    worth = say.table(
        "worth",
        frame,
        left(judge="With the votes of"),
        right(whole, n_votes=study.reference, n_judged="all of it", n_common="on the same"),
        right(_DECIMAL, judge_weight="λ"),
        right(whole, n_equivalent="Worth"),
        data=frame,
        study=study,
    )
    best = max(study.powered, key=lambda name: study.powered[name].n_equivalent / study.powered[name].n_votes)
    powered = study.powered[best].to_frame()
    strengths = say.table(
        "powered",
        powered.assign(
            together=intervals(powered["low"], powered["high"], _DECIMAL),
            alone=intervals(powered["people_low"], powered["people_high"], _DECIMAL),
        ),
        left(system="System"),
        right(_DECIMAL, "Together", strength="strength"),
        right(text, "Together", together="interval"),
        right(_DECIMAL, f"{study.reference} alone", people="strength"),
        right(text, f"{study.reference} alone", alone="interval"),
        data=powered,
        level=percentage(1 - study.found.alpha),
        judge=best,
        study=study,
    )
    fold = Fold(title=say("powered title", judge=best, study=study), blocks=(strengths,))
    return [say.section("worth", worth, fold, brief=False)]


def _methods(study: SettledStudy) -> Methods:
    fits = [
        f"{name} ({f'standard errors clustered by {" and by ".join(ways)}' if ways else 'votes taken for independent'})"
        for name, ways in ((name, fitted.clusters) for name, fitted in study.fitted.items())
    ]
    means = f" and the true means over {whole(study.n_items)} {unit().topics}" if study.n_items else ""
    paragraphs = [say("methods", study=study, fits=fits, means=means)]
    paragraphs += [say("tested", tested=study.found.tested)] if study.found.tested else []
    paragraphs += _shift_methods(study)
    paragraphs += [say("powered methods")] if study.powered else []
    paragraphs += [say("alt methods", alt=study.alt)] if study.alt is not None else []
    return Methods(paragraphs=(*paragraphs, say("computed", study=study)))


def _shift_methods(study: SettledStudy) -> list[str]:
    if study.shift is None:
        return []
    names = study.shift.covariates["name"].tolist()
    equal = [name for name in names if name != POSITION]
    return [say("shift methods", equal=equal, side=POSITION in names)]


def ranks_section(pairs: SettledPairs, first: str, second: str) -> Section:
    """Return the ranks by all voices, with the picture of two."""
    ranks, level = pairs.ranked(), percentage(1 - pairs.alpha)
    moves = pairs.moves(first, second)
    table_frame = ranks.merge(moves, on="system")
    columns = [*left(system="System")]
    for name in pairs.voices:
        table_frame[f"{name} ranks"] = intervals(ranks[f"{name}_low"], ranks[f"{name}_high"], whole)
        columns += [*rising(whole, name, **{name: "rank"}), *right(text, name, **{f"{name} ranks": "interval"})]
    table = say.table(
        "ranks", table_frame, columns, data=ranks.merge(moves, on="system"), level=level, tested=pairs.tested
    )
    drawn, moved = min(len(ranks), MOST_LINES), int(moves["moved"].sum())
    picture = say.picture(
        "rank_changes",
        lambda: pairs.plot(first, second=second),
        level=level,
        drawn=drawn,
        n=len(ranks),
        first=first,
        second=second,
        best=ranks.sort_values(first)["system"].iloc[0],
        moved=moved,
    )
    sure = percentage(1 - 2 * pairs.alpha)
    return say.section("ranks", picture, table, sure=sure, first=first, second=second, moved=moved, n=len(ranks))
