# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on whether a judge has changed: by how much, in whose favour, and what becomes of conclusions."""

import numpy as np
import pandas as pd

from metaeval.base.unit import unit
from metaeval.base.words import absent, bracketed, bracketed_size, number, p_value, percentage, share, text, whole
from metaeval.page.blocks import Block, Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import left, ranged, right
from metaeval.questions.judges.study_drift import JudgeDriftStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, bounded_figure, ends_in, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered
from metaeval.reports.traits import traits_said

_SCORE, _DECIMAL = number(3), number(2)
_KAPPAS = {"kappa": "Cohen’s κ of before and after", "quadratic_kappa": "κ of before and after, quadratic weights"}
say = prose(__name__)


def drift_report(study: JudgeDriftStudy) -> Report:
    """Put what became of a judge into a report."""
    n_same, n_answers = (int(study.systems[name].sum()) for name in ("n_same", "n_items"))
    alike = [] if study.outputs_given else [say("all the same", n=n_answers)]
    return Report(
        command="judges",
        title="Has the judge changed?",
        facts=(
            *facts(system=len(study.systems), topic=study.n_items),
            (f"{n_same:,} of {n_answers:,}", "same answers"),
        ),
        summary=(" ".join([_answer(study), *([say("no conclusions")] if study.pairs.empty else []), *alike]),),
        key_figures=listed_figures(_figures(study)),
        sections=(_systems_section(study), *_pairs_section(study), *unanswered(study.unanswered.items())),
        methods=Methods(
            paragraphs=(
                say("methods", study=study, traits=traits_said(study.scores, gaps="paired")),
                say("computed", study=study),
            )
        ),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={} if study.pairs.empty else {"pairs.csv": csv_file(study.pairs)},
    )


def _answer(study: JudgeDriftStudy) -> str:
    turned = 0 if study.pairs.empty else int((study.pairs["relation"] != "").sum())
    conclusions = say("conclusions", n_turned=turned, n_pairs=len(study.pairs)) if len(study.pairs) else ""
    shift, moved = study.overall.loc["shift"], study.systems[study.systems["significant"]]
    if not study.has_changed:
        low, high = (_SCORE(max(sign * shift[end], 0.0)) for sign, end in ((-1, "low"), (1, "high")))
        high = "" if absent(shift["high"]) else high
        changed = share(study.overall.loc["changed", "value"])
        return say("none visible", low=low, high=high, changed=changed, conclusions=conclusions)
    differ = len({*np.sign(moved["judge"])}) > 1 or bool(study.pairs.get("shift_significant", pd.Series()).any())
    if len(moved) and (differ or not shift["significant"]):
        rows = moved.loc[moved["judge"].abs().sort_values(ascending=False).index].to_dict("records")
        shifts = [f"{bracketed(*ends_in(row, 'judge'), _SCORE)} for {row['system']}" for row in rows]
        return say("changed by system", shifts=shifts, conclusions=conclusions)
    figure = bracketed_size(*_over_all(study, "shift"), _SCORE)
    return say("changed", figure=figure, more=shift["value"] > 0, conclusions=conclusions)


def _over_all(study: JudgeDriftStudy, name: str) -> tuple[float, float, float]:
    """Return a figure of all same answers with the ends of its interval."""
    row = study.overall.to_dict("index")[name]
    return float(row["value"]), float(row["low"]), float(row["high"])


def _figures(study: JudgeDriftStudy) -> list[KeyFigure]:
    kinds = {"shift": ("Same answers, after less before", _SCORE), "changed": ("Scores that differ", share)}
    if study.kappa:
        kinds["kappa"] = (_KAPPAS[study.kappa], _DECIMAL)
    told = [bounded_figure(words, _over_all(study, name), write) for name, (words, write) in kinds.items()]
    return [*told, *_f1(study)]


def _f1(study: JudgeDriftStudy) -> list[KeyFigure]:
    """Return F1 of the pairs significant after as a prediction of those before, where there are some."""
    if study.conclusions is None or absent(study.conclusions.table["f1"].iloc[0]):
        return []
    ends = ends_in(study.conclusions.table.iloc[0], "f1")
    return [bounded_figure("F1 of significant pairs", ends, _DECIMAL, draws=study.n_resamples)]


def _systems_section(study: JudgeDriftStudy) -> Section:
    level, clustered = percentage(1 - study.alpha), "cluster" in study.scores.coords
    table = say.table(
        "judge-drift",
        study.systems,
        left(system="System"),
        right(whole, n_items=unit().Topics, n_same="Same answer"),
        ranged(_SCORE, change="Change", judge="Judge", system_part="System"),
        right(p_value, p_corrected="p of the judge’s part"),
        data=study.systems,
        level=level,
        clustered=clustered,
    )
    alt = "One row a system with a dot at the change of the judge's scores."
    picture = say.picture(
        "systems picture", study.plot, called="judge-drift", alt=alt, level=level, clustered=clustered
    )
    return say.section("systems", picture, table)


def _pairs_section(study: JudgeDriftStudy) -> tuple[Section, ...]:
    if study.pairs.empty:
        return ()
    turned = study.pairs[study.pairs["relation"] != ""]
    blocks: list[Block] = []
    if study.conclusions is not None:
        n_conflicts = int((turned["relation"] == "opposite").sum())
        f1 = "".join(figure.value for figure in _f1(study))
        blocks.append(Text(paragraphs=(say("f1", f1=f1, n_conflicts=n_conflicts),)))
    if len(turned):
        table = say.table(
            "drifted-pairs",
            turned.assign(sure=turned["shift_significant"].map({True: "significant", False: ""})),
            left(system_a="First", system_b="Second", relation="Becomes"),
            right(_SCORE, difference_before="Before", difference_after="After", shift="Shift"),
            left(text, sure="Shift is"),
            data=study.pairs,
            study=study,
        )
        blocks.append(table)
    return (say.section("pairs", *blocks, study=study),)
