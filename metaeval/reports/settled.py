# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on votes and metrics, or several sets of votes: which pairs of systems they settle alike."""

import pandas as pd

from metaeval.base.words import intervals, number, percentage, share, text, whole
from metaeval.page.blocks import Block, Fold, Item, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import cited_in, facts, unanswered
from metaeval.studies.settled import SettledStudy
from metaeval.tests_stat.correction import CORRECTIONS

_DECIMAL = number(2)
_SOURCES = ("bradley1952", "ogilvie2006", "cameron2011", "bell2002")
say = prose("settled")


def settled_report(study: SettledStudy) -> Report:
    """Put a comparison of votes with metrics, or with other votes, into a report."""
    found = study.found
    sizes = {"system": len(found.systems), "pair": found.n_pairs} | ({"item": study.n_items} if study.n_items else {})
    failed = [Item(term=part, words=reason) for part, reason in study.unanswered.items()]
    return Report(
        command="agree",
        title=say("title", metrics=len(found.voices) > found.n_votes),
        facts=(*facts(**sizes), (f"{found.alpha:g}", "significance level α")),
        summary=_summary(study),
        key_figures=listed_figures(_figures(study)),
        sections=(
            _pairs_section(study),
            *_predicted_section(study),
            _ranks_section(study),
            *unanswered(failed),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(found.pairs()), "ranks.csv": csv_file(study.ranks)},
    )


def _summary(study: SettledStudy) -> tuple[str, ...]:
    rows = study.beside.sort_values("f1", ascending=False, kind="stable", na_position="last").to_dict("records")
    return (
        say("answer", rows=rows, best=rows[0], study=study),
        *([say("predicts", rows=study.predicted.to_dict("records"))] if len(study.predicted) else []),
    )


def _figures(study: SettledStudy) -> list[KeyFigure]:
    return [
        KeyFigure(
            say("key", other=row["predictor"], study=study),
            _DECIMAL(row["f1"]) if pd.notna(row["f1"]) else "",
            (row["f1"],),
        )
        for row in study.beside.head(5).to_dict("records")
    ]


def _pairs_section(study: SettledStudy) -> Section:
    found = study.found
    table = Table(
        name="settled",
        title=say("settled title"),
        caption=say("settled", study=study),
        frame=study.beside,
        columns=(
            *left(predictor="Beside it"),
            *right(
                whole,
                "Settled pairs",
                n_truth=study.reference,
                n_predictor="beside it",
                n_shared="alike",
                n_conflicts="opposite",
            ),
            *right(share, precision="Precision", recall="Recall"),
            *right(_DECIMAL, f1="F1", tau="τ"),
        ),
        data=study.to_frame(),
    )
    blocks: list[Block] = [table]
    if len(found.voices) > 2:  # noqa: PLR2004 - two have one F1
        picture = Picture(
            name="agreement", draw=found.plot, title=say("map title"), caption=say("map"), alt=say("map in words")
        )
        blocks.append(Fold(title=say("map title"), blocks=(picture,)))
    apart = _apart(study)
    if len(apart):
        listed = Table(
            name="apart",
            title=say("apart title"),
            caption=say("apart"),
            frame=apart,
            columns=(*left(system_a="System", system_b="against"), *left(text, **{n: n for n in found.voices})),
        )
        blocks.append(Fold(title=say("apart title"), blocks=(listed,)))
    return Section(id="settled", title=say("section settled"), lead=say("lead"), brief=True, blocks=tuple(blocks))


def _apart(study: SettledStudy) -> pd.DataFrame:
    """Return the pairs that are not settled alike by all, those settled in opposite directions first."""
    frame, names = study.found.pairs(), list(study.found.voices)
    winners = frame[names].apply(lambda row: len({one for one in row if one}), axis=1)
    open_to = frame[names].apply(lambda row: sum(not one for one in row), axis=1)
    kept = (winners > 1) | ((winners == 1) & (open_to > 0))
    return frame.assign(winners=winners)[kept].sort_values("winners", ascending=False, kind="stable")[list(frame)]


def _predicted_section(study: SettledStudy) -> list[Section]:
    frame = study.predicted
    if not len(frame):
        return []
    table = Table(
        name="predicted",
        title=say("predicted title"),
        caption=say("predicted", level=percentage(1 - study.found.alpha)),
        frame=frame.assign(interval=intervals(frame["low"], frame["high"], share)),
        columns=(
            *left(metric="Metric"),
            *right(whole, n_votes="Votes", n_questions="Questions", n_equal="Equal scores"),
            *right(share, share="Predicted"),
            *right(text, interval="interval"),
        ),
        data=frame,
    )
    section = Section(
        id="predicted", title=say("section predicted"), lead=say("predicted lead"), brief=True, blocks=(table,)
    )
    return [section]


def _ranks_section(study: SettledStudy) -> Section:
    ranked = [name for name in study.found.voices if name in study.ranks]
    shown = study.ranks.assign(
        **{
            f"{name} ranks": intervals(study.ranks[f"{name}_low"], study.ranks[f"{name}_high"], whole)
            for name in ranked
        }
    )
    columns = [*left(system="System")]
    for name in ranked:
        columns += [*right(whole, name, **{name: "rank"}), *right(text, name, **{f"{name} ranks": "interval"})]
    table = Table(
        name="ranks",
        title=say("ranks title"),
        caption=say("ranks", level=percentage(1 - study.found.alpha)),
        frame=shown,
        columns=tuple(columns),
        data=study.ranks,
    )
    return Section(id="ranks", title=say("ranks title"), lead=say("ranks lead"), blocks=(table,))


def _methods(study: SettledStudy) -> Methods:
    clusters = {name: fitted.clusters for name, fitted in study.fitted.items()}
    words = say("methods", study=study, clusters=clusters, correction=CORRECTIONS[study.found.correction].described)
    return Methods(paragraphs=(words,), cite=cited_in((words,), _SOURCES))
