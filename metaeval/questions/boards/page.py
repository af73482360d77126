# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on two boards: the pairs of systems that both settle, ranks side by side, and what changed."""

import pandas as pd

from metaeval.base.words import intervals, number, p_value, percentage, share, share_of, text, whole
from metaeval.page.blocks import Block, Fold, Item, Methods, Picture, Section
from metaeval.page.report import Report
from metaeval.page.tables import Table, left, right
from metaeval.questions.boards.page_ranks import ranks_section
from metaeval.questions.boards.study import BoardsStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, counted, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import traits_said
from metaeval.tests_stat.correction import CORRECTIONS

_DECIMAL, _SCORE, _MOST_SHOWN, _MOST_SAID = number(2), number(3), 50, 3
_RELATIONS = ("alike", "opposite", "first alone", "second alone", "neither")
say = prose(__name__)


def boards_report(study: BoardsStudy) -> Report:
    """Put a comparison of two boards into a report."""
    settled, (first, second) = study.found, study.names
    sizes = {name: board.sizes["topic"] for name, board in study.scores.items()}
    board_facts = [(f"{n:,}", say("items", name=name)) for name, n in sizes.items()]
    common_fact = (f"{study.drift.n_common if study.drift else 0:,}", say("items of both"))
    failed = [Item(term=question, words=reason) for question, reason in study.unanswered.items()]
    return Report(
        command="agree",
        title=say("title", first=first, second=second),
        facts=(
            *facts(system=len(settled.systems), pair=settled.n_pairs),
            *(facts(topic=sizes[first]) if study.aggregates else (*board_facts, common_fact)),
            (f"{settled.alpha:g}", "significance level α"),
        ),
        summary=_summary(study),
        key_figures=listed_figures(_figures(study)),
        sections=(
            _pairs_section(study),
            ranks_section(settled, first, second),
            *_drift_section(study),
            *unanswered(failed),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(settled.pairs()), "alone.csv": csv_file(_alone(study))},
    )


def _summary(study: BoardsStudy) -> tuple[str, ...]:
    counts = _counts(study)
    opposite = study.opposite().head(_MOST_SAID).to_dict("records")
    order = study.found.same_order(*study.names).iloc[0]
    sentences = [
        say("answer", study=study, counts=counts),
        *([say("opposite pairs", study=study, pairs=opposite, n=counts["opposite"])] if opposite else []),
        say("same order", order=order, sure=_sure(study), study=study),
    ]
    if study.drift is not None:
        frame = study.drift.data
        counts = {name: int(frame[name].sum()) for name in ("significant", "relative_significant")}
        sentences.append(say("drift", drift=study.drift, study=study, counts=counts, mean=frame["difference"].mean()))
    return tuple(sentences)


def _figures(study: BoardsStudy) -> list[KeyFigure]:
    counts, n = _counts(study), study.found.n_pairs
    tau = study.found.to_frame()["tau"].iloc[0]
    return [
        *(
            KeyFigure(say("key", how=say(name, study=study)), share_of(counts[name], n), counted(counts[name], n))
            for name in _RELATIONS[:-1]
        ),
        KeyFigure(say("tau"), _DECIMAL(tau), {"tau": tau}),
    ]  # fmt: skip


def _counts(study: BoardsStudy) -> dict[str, int]:
    frame = study.found.relations(*study.names)
    return dict(zip(frame["relation"], frame["n_pairs"].tolist(), strict=True))


def _sure(study: BoardsStudy) -> str:
    return percentage(1 - 2 * study.found.alpha)


def _pairs_section(study: BoardsStudy) -> Section:
    relations, orders = study.found.relations(*study.names), study.found.same_order(*study.names)
    counted = Table(
        **say.named("settled", study=study),
        frame=relations.assign(relation=[say(name, study=study) for name in relations["relation"]]),
        columns=(
            *left(relation="Settled"),
            *right(whole, n_pairs="Pairs"),
            *right(share, share="of all"),
            *right(_DECIMAL, n_wrong="expected wrong"),
        ),
        data=relations,
    )
    ordered = Table(
        **say.named("same_order", sure=_sure(study), study=study),
        frame=orders.assign(
            among=[say("all pairs"), *(say("settled by", name=name) for name in study.names)],
            interval=intervals(orders["low"], orders["high"], share),
        ),
        columns=(
            *left(among="Pairs"),
            *right(whole, n_pairs="number", n_same="both settle alike", n_opposite="in opposite directions"),
            *right(text, interval="True order the same"),
        ),
        data=orders,
    )
    blocks: list[Block] = [counted, ordered]
    opposite, (first, second) = study.opposite(), study.names
    if len(opposite):
        blocks.append(
            Table(
                name="opposite",
                **say.titled("opposite caption", shown=min(len(opposite), _MOST_SHOWN), n=len(opposite)),
                frame=opposite.head(_MOST_SHOWN),
                columns=(
                    *left(better=f"Better on {first}", worse=f"Better on {second}"),
                    *right(whole, n_ranks="ranks apart"),
                    *right(number(4), n_wrong="expected wrong"),
                ),
                data=opposite,
            )
        )
    alone = _alone(study)
    if len(alone):
        listed = Table(
            **say.named("alone", study=study, n=len(alone)),
            frame=alone.head(_MOST_SHOWN),
            columns=left(system="System", board="Board"),
            data=alone,
        )
        blocks.append(Fold(title=say("alone title", n=len(alone)), blocks=(listed,)))
    return Section(**say.headed("settled lead", sure=_sure(study)), brief=True, blocks=tuple(blocks))


def _alone(study: BoardsStudy) -> pd.DataFrame:
    """Return the systems of one board alone: board, system."""
    common = set(study.found.systems)
    rows = [
        (name, system)
        for name, board in study.scores.items()
        for system in board["system"].to_numpy().tolist()
        if system not in common
    ]
    return pd.DataFrame(rows, columns=["board", "system"])


def _drift_section(study: BoardsStudy) -> list[Section]:
    drift = study.drift
    if drift is None:
        return []
    frame, (first, second) = drift.to_frame(), study.names
    frame = frame.sort_values(["relative_p_corrected", "p_value"], kind="stable", na_position="last", ignore_index=True)
    steps = drift.steps()
    reordered = Table(
        **say.named("steps", study=study),
        frame=steps.assign(
            step=[say(name, study=study, drift=drift) for name in steps["step"]],
            reversed=[share_of(*row) for row in zip(steps["n_reversed"], steps["n_pairs"], strict=True)],
        ),
        columns=(*left(step="Step"), *right(text, reversed="Pairs reversed"), *right(_DECIMAL, tau="τ")),
        data=steps,
    )
    changed = Table(
        name="drift",
        title=say("drift title"),
        caption=say("drift caption", study=study, drift=drift, level=percentage(1 - drift.alpha)),
        frame=frame.assign(interval=intervals(frame["low"], frame["high"], _SCORE)),
        columns=(
            *left(system="System"),
            *right(_SCORE, "Mean", mean_first=first, mean_second=second, change="change"),
            *right(_SCORE, "Of the change", by_scores="by scores", by_items="by items"),
            *right(_SCORE, "Items of both", difference="difference"),
            *right(text, "Items of both", interval="interval"),
            *right(p_value, "Items of both", p_corrected="p, corrected"),
            *right(_SCORE, "Beside the mean system", relative="difference"),
            *right(p_value, "Beside the mean system", relative_p_corrected="p, corrected"),
        ),
        data=frame,
    )
    picture = Picture(
        name="drift",
        draw=drift.plot,
        title=say("drift title"),
        caption=say("drift picture", study=study),
        alt=say("drift in words", drift=drift, n=int(drift.data["significant"].sum())),
    )
    inside: tuple[Block, ...] = (picture,) if drift.n_changed else (changed,)
    fold = Fold(title=say("fold", study=study), blocks=inside)
    blocks: tuple[Block, ...] = (reordered, changed, fold) if drift.n_changed else (reordered, fold)
    return [Section(**say.headed("drift lead", study=study, drift=drift), brief=True, blocks=blocks)]


def _methods(study: BoardsStudy) -> Methods:
    drift = study.drift
    words = say("methods", study=study, sure=_sure(study))
    more = [] if drift is None else [say("drift methods", correction=CORRECTIONS[drift.correction].described)]
    traits = {name: traits_said(scores) for name, scores in study.scores.items()}
    told = [say("traits", name=name, traits=wording) for name, wording in traits.items() if wording]
    paragraphs = [words, *told, *more, say("computed", study=study)]
    return Methods(paragraphs=tuple(paragraphs))
