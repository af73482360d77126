# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on two boards: the pairs of systems that both settle, ranks side by side, and what changed."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from metaeval.base.names import count
from metaeval.base.unit import unit
from metaeval.base.words import intervals, number, p_value, percentage, share, share_of, text, whole
from metaeval.models.settling import names_on
from metaeval.page.blocks import Block, Fold, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import left, right
from metaeval.questions.boards.page_decided import ranks_section
from metaeval.questions.boards.study import BoardsStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, counted, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import traits_said
from metaeval.table.means import SystemMeans
from metaeval.table.scores import Scores
from metaeval.tests_stat.correction import CORRECTIONS

_DECIMAL, _SCORE, _MOST_SHOWN, _MOST_SAID = number(2), number(3), 50, 3
_RELATIONS = ("alike", "opposite", "first alone", "second alone", "neither")
say = prose(__name__)


def boards_report(study: BoardsStudy) -> Report:
    """Put a comparison of two boards into a report."""
    settled, (first, second) = study.found, study.names
    sizes = {name: board.sizes["topic"] for name, board in _with_items(study).items()}
    board_facts = [(f"{n:,}", f"{unit().topics} of {name}") for name, n in sizes.items()]
    n_common = study.drift.n_common if study.drift is not None else 0
    common_facts = [(f"{n_common:,}", f"{unit().topics} of both")] * (len(sizes) == len(study.scores))
    return Report(
        command="agree",
        title=f"Do {first} and {second} settle the same pairs?",
        facts=(
            *facts(system=len(settled.systems), pair=settled.n_pairs),
            *(facts(topic=sizes[first]) if study.aggregates else (*board_facts, *common_facts)),
            (f"{settled.alpha:g}", "significance level α"),
        ),
        summary=_summary(study),
        key_figures=listed_figures(_figures(study)),
        sections=(
            _pairs_section(study),
            ranks_section(settled, first, second),
            *_drift_section(study),
            *unanswered(study.unanswered.items()),
        ),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"pairs.csv": csv_file(settled.pairs()), "alone.csv": csv_file(_systems_of_one_board(study))},
    )


def _with_items(study: BoardsStudy) -> dict[str, Scores]:
    """Return the boards that are scores by item."""
    return {name: board for name, board in study.scores.items() if not isinstance(board, SystemMeans)}


def _summary(study: BoardsStudy) -> tuple[str, ...]:
    counts = _pairs_by_relation(study)
    opposite = study.opposite().head(_MOST_SAID).to_dict("records")
    order = study.found.same_order(*study.names).iloc[0]
    sentences = [
        say("answer", study=study, counts=counts, boards="" if study.aggregates else " on both boards"),
        *([_opposite_pairs(study, opposite, counts["opposite"])] if opposite else []),
        say("same order", order=order, sure=_certainty(study)),
    ]
    if (drift := study.drift) is not None:
        frame, which = drift.data, "drift" if drift.n_changed else "no drift"
        counts = {name: int(frame[name].sum()) for name in ("significant", "relative_significant")}
        sentences.append(say(which, drift=drift, study=study, counts=counts, mean=frame["difference"].mean()))
    return tuple(sentences)


def _opposite_pairs(study: BoardsStudy, rows: Sequence[Mapping[Any, Any]], n: int) -> str:
    """Name the first pairs that are settled in opposite directions, and how many others there are."""
    first, second = study.names
    clauses = [f"{row['better']} is better than {row['worse']} on {first}, and worse on {second}" for row in rows]
    return f"{'; '.join([*clauses, *([f'{n - len(rows)} more'] if n > len(rows) else [])])}."


def _relations_named(study: BoardsStudy) -> dict[str, str]:
    """Return what the ways to settle a pair are called."""
    first, second = study.names
    return {
        "alike": "by both, alike",
        "opposite": "by both, in opposite directions",
        "first alone": f"by {first} alone",
        "second alone": f"by {second} alone",
        "neither": "by neither",
    }


def _figures(study: BoardsStudy) -> list[KeyFigure]:
    counts, n, names = _pairs_by_relation(study), study.found.n_pairs, _relations_named(study)
    tau = study.found.to_frame()["tau"].iloc[0]
    settled = [
        KeyFigure(f"Pairs settled {names[relation]}", share_of(counts[relation], n), counted(counts[relation], n))
        for relation in _RELATIONS[:-1]
    ]
    return [*settled, KeyFigure("Kendall’s τ of the means", _DECIMAL(tau), {"tau": tau})]


def _pairs_by_relation(study: BoardsStudy) -> dict[str, int]:
    frame = study.found.relations(*study.names)
    return dict(zip(frame["relation"], frame["n_pairs"].tolist(), strict=True))


def _certainty(study: BoardsStudy) -> str:
    return percentage(1 - 2 * study.found.alpha)


def _pairs_section(study: BoardsStudy) -> Section:
    relations, orders = study.found.relations(*study.names), study.found.same_order(*study.names)
    counted = say.table(
        "settled",
        relations.assign(relation=relations["relation"].map(_relations_named(study))),
        left(relation="Settled"),
        right(whole, n_pairs="Pairs"),
        right(share, share="of all"),
        right(_DECIMAL, n_wrong="expected wrong"),
        data=relations,
        study=study,
    )
    ordered = say.table(
        "same_order",
        orders.assign(
            among=["all", *(f"settled by {name}" for name in study.names)],
            interval=intervals(orders["low"], orders["high"], share),
        ),
        left(among="Pairs"),
        right(whole, n_pairs="number", n_same="both settle alike", n_opposite="in opposite directions"),
        right(text, interval="True order the same"),
        data=orders,
        sure=_certainty(study),
    )
    blocks: list[Block] = [counted, ordered]
    opposite, (first, second) = study.opposite(), study.names
    if len(opposite):
        blocks.append(
            say.table(
                "opposite",
                opposite.head(_MOST_SHOWN),
                left(better=f"Better on {first}", worse=f"Better on {second}"),
                right(whole, n_ranks="ranks apart"),
                right(number(4), n_wrong="expected wrong"),
                data=opposite,
                n_shown=min(len(opposite), _MOST_SHOWN),
                n=len(opposite),
            )
        )
    alone = _systems_of_one_board(study)
    if len(alone):
        listed = say.table(
            "alone",
            alone.head(_MOST_SHOWN),
            left(system="System", board="Board"),
            data=alone,
            n=len(alone),
        )
        blocks.append(Fold(title=say("alone title", n=len(alone)), blocks=(listed,)))
    return say.section("settled", *blocks, sure=_certainty(study))


def _systems_of_one_board(study: BoardsStudy) -> pd.DataFrame:
    """Return the systems of one board alone: board, system."""
    common = set(study.found.systems)
    rows = [
        (name, system)
        for name, board in study.scores.items()
        for system in names_on(board, "system")
        if system not in common
    ]
    return pd.DataFrame(rows, columns=["board", "system"])


def _drift_section(study: BoardsStudy) -> list[Section]:
    drift = study.drift
    if drift is None:
        return []
    frame, (first, second) = drift.to_frame(), study.names
    frame = frame.sort_values(["relative_p_corrected", "p_value"], kind="stable", na_position="last", ignore_index=True)
    steps, spoken = drift.steps(), unit()
    names = {
        "items gone": f"without the {count(drift.n_gone, spoken.topic)} of {first} alone",
        "other scores": f"with the scores of {second} on the {count(drift.n_common, spoken.topic)} of both",
        "items new": f"with the {count(drift.n_new, spoken.topic)} of {second} alone",
        "all": f"from {first} to {second}",
    }
    reordered = say.table(
        "steps",
        steps.assign(
            step=steps["step"].map(names),
            reversed=[share_of(*row) for row in zip(steps["n_reversed"], steps["n_pairs"], strict=True)],
        ),
        left(step="Step"),
        right(text, reversed="Pairs reversed"),
        right(_DECIMAL, tau="τ"),
        data=steps,
    )
    changed = say.table(
        "changes",
        frame.assign(interval=intervals(frame["low"], frame["high"], _SCORE)),
        left(system="System"),
        right(_SCORE, "Mean", mean_first=first, mean_second=second, change="change"),
        right(_SCORE, "Of the change", by_scores="by scores", by_items="by items"),
        right(_SCORE, "Items of both", difference="difference"),
        right(text, "Items of both", interval="interval"),
        right(p_value, "Items of both", p_corrected="p, corrected"),
        right(_SCORE, "Beside the mean system", relative="difference"),
        right(p_value, "Beside the mean system", relative_p_corrected="p, corrected"),
        called="drift",
        data=frame,
        study=study,
        drift=drift,
        level=percentage(1 - drift.alpha),
    )
    n_significant = int(drift.data["significant"].sum())
    picture = say.picture("drawn", drift.plot, called="drift", study=study, drift=drift, n=n_significant)
    inside: tuple[Block, ...] = (picture,) if drift.n_changed else (changed,)
    fold = Fold(title=f"{second} less {first}, system by system", blocks=inside)
    blocks: tuple[Block, ...] = (reordered, changed, fold) if drift.n_changed else (reordered, fold)
    return [say.section("drift", *blocks, study=study, drift=drift)]


def _methods(study: BoardsStudy) -> Methods:
    drift = study.drift
    means = [name for name in study.scores if name not in _with_items(study)]
    words = say("methods", study=study, means=means, sure=_certainty(study))
    more = [] if drift is None else [say("drift methods", correction=CORRECTIONS[drift.correction].described)]
    traits = {name: traits_said(scores) for name, scores in _with_items(study).items()}
    told = [f"On the board {name}: {wording}" for name, wording in traits.items() if wording]
    paragraphs = [words, *told, *more, say("computed", study=study)]
    return Methods(paragraphs=tuple(paragraphs))
