# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on an original and its replica: documents, scores of topics and effects, with what each lets one say."""

from typing import Any

import numpy as np
import pandas as pd

from metaeval import figures
from metaeval.base.words import absent, bracketed, intervals, name_of_metric, number, p_value, percentage, text, whole
from metaeval.page.blocks import Block, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import left, right
from metaeval.questions.reproduction.study import DOCUMENTS, VERDICTS, ReproductionStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.reports.traits import traits_said

_SCORE, _DECIMAL = number(3), number(2)
_PANELS, _MOST_SHOWN = 6, 50
_NAMED = {
    "rmse": "RMSE of the scores",
    "difference": "Difference of the means",
    "effect_ratio": "Effect ratio",
    "delta_ri": "ΔRI",
    "tau_union": "Kendall’s τ union",
    "rbo": "Rank-biased overlap",
}
say = prose(__name__)


def reproduction_report(study: ReproductionStudy) -> Report:
    """Put the comparison of an experiment with its replica into a report."""
    sizes = study.scores.sizes
    documents = {"documents.csv": csv_file(study.documents)} if len(study.documents) else {}
    return Report(
        command="agree",
        title="Reproduced, or only alike?",
        facts=(
            *facts(system=sizes["system"], metric=sizes["metric"], topic=sizes["topic"]),
            (f"{study.alpha:g}", "significance level α"),
        ),
        summary=_summary(study),
        key_figures=listed_figures(_figures(study)),
        sections=(_scores_section(study), *_effects_section(study), *_documents_section(study)),
        methods=_methods(study),
        rows=study.to_frame(),
        provenance=study.provenance,
        notes=study.notes,
        data={"topics.csv": csv_file(_scores_of_topics(study)), **documents},
    )


def _written(row: "pd.Series[Any]", name: str) -> str:
    write = _DECIMAL if name in {"effect_ratio", *DOCUMENTS} else _SCORE
    return bracketed(row[name], row[f"{name}_low"], row[f"{name}_high"], write)


def _summary(study: ReproductionStudy) -> tuple[str, ...]:
    frame, row = study.to_frame(), study.lead()
    by = f" under {name_of_metric(row['metric'])}" if study.scores.sizes["metric"] > 1 else ""
    first = frame.head(study.scores.sizes["system"])
    written = {name: _written(row, name) for name in _NAMED if name in row and not absent(row[name])}
    if study.paired and first["verdict"].eq(VERDICTS[-1]).all() and study.compared.same[0].all():
        sentences = [say("exactly", by=by, study=study, n_topics=row["n_topics"])]
    else:
        sentences = [
            say("answer", row=row, by=by, said=written, study=study),
            say("margin", study=study, said=written, quantities=_judged(study)),
        ]
    counts = frame["verdict"].value_counts()
    if len(frame) > 1:
        told = [f"{counts[verdict]:,} {verdict}" for verdict in reversed(VERDICTS) if verdict in counts]
        sentences.append(say("all", n=len(frame), told=", ".join(told)))
    if study.orders:
        shared = study.documents["n_both"].sum() / max(study.documents["n_replica"].sum(), 1)
        sentences.append(say("orders", row=row, said=written, shared=shared))
    return tuple(sentences)


def _judged(study: ReproductionStudy) -> list[str]:
    """Return what a verdict is about; the means of other topics differ for that reason too."""
    means = ["mean"] if study.paired or study.baseline is None else []
    return [*means, *(["RMSE"] if study.paired else []), *([] if study.baseline is None else ["effect"])]


def _figures(study: ReproductionStudy) -> list[KeyFigure]:
    row = study.lead()
    return [
        KeyFigure(
            f"{called} ({row['system']})",
            "" if absent(row[name]) else _written(row, name),
            {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]},
        )
        for name, called in _NAMED.items()
        if name in row
    ]


def _scores_section(study: ReproductionStudy) -> Section:
    frame = study.to_frame()
    table = say.table(
        "scores",
        frame.head(_MOST_SHOWN).assign(
            metric=frame["metric"].map(name_of_metric),
            off=intervals(frame["rmse_low"], frame["rmse_high"], _SCORE)[:_MOST_SHOWN],
            interval=intervals(frame["difference_low"], frame["difference_high"], _SCORE)[:_MOST_SHOWN],
        ),
        left(metric="Metric", system="System"),
        right(_SCORE, "Mean", original="original", replica="replica", difference="difference"),
        right(text, "Mean", interval="interval"),
        right(p_value, "Mean", p_value="p", p_corrected="p, corrected"),
        right(_SCORE, rmse="RMSE"),
        right(text, off="interval"),
        left(verdict="Verdict"),
        data=frame,
        study=study,
        level=percentage(1 - study.alpha),
        n_shown=min(len(frame), _MOST_SHOWN),
        n=len(frame),
    )
    blocks: list[Block] = [table]
    if study.paired:
        topics = _scores_of_topics(study)
        drawn = topics[topics["metric"] == topics["metric"].iloc[0]]
        systems = [study.lead()["system"], *drawn["system"].unique()]
        drawn_systems = list(dict.fromkeys(systems))[:_PANELS]
        drawn = drawn[drawn["system"].isin(drawn_systems)].dropna()
        blocks.append(
            say.picture(
                "topics", lambda: figures.topic_scatters(drawn), metric=drawn["metric"].iloc[0], n=len(drawn_systems)
            )
        )
    return say.section("scores", *blocks, study=study)


def _scores_of_topics(study: ReproductionStudy) -> pd.DataFrame:
    """Return one row a metric, system and topic: original, replica; of other topics each by itself."""
    sides = [
        table.to_series().rename(name).reset_index()[["metric", "system", "topic", name]]
        for name, table in (("original", study.scores), ("replica", study.replica))
    ]
    return sides[0].merge(sides[1], on=["metric", "system", "topic"], how="outer", sort=False)


def _effects_section(study: ReproductionStudy) -> list[Section]:
    if study.baseline is None:
        return []
    frame = study.to_frame()
    frame = frame[frame["system"] != study.baseline].reset_index(drop=True)
    leading = frame.head(_MOST_SHOWN)
    table = say.table(
        "effects",
        leading.assign(
            metric=leading["metric"].map(name_of_metric),
            ratio=intervals(leading["effect_ratio_low"], leading["effect_ratio_high"], _DECIMAL),
            relative=intervals(leading["delta_ri_low"], leading["delta_ri_high"], _SCORE),
        ),
        left(metric="Metric", system="System"),
        right(_DECIMAL, effect_ratio="Effect ratio"),
        right(text, ratio="interval"),
        right(_SCORE, delta_ri="ΔRI"),
        right(text, relative="interval"),
        data=frame,
        level=percentage(1 - study.alpha),
    )
    return [say.section("effects", table, study=study)]


def _documents_section(study: ReproductionStudy) -> list[Section]:
    if not study.orders:
        return []
    by_system = study.documents.groupby("system", sort=False)[["n_replica", "n_both"]].sum().reset_index()
    frame = study.to_frame().head(study.scores.sizes["system"])[
        ["system", *(f"{name}{end}" for name in DOCUMENTS for end in ("", "_low", "_high"))]
    ]
    frame = frame.merge(by_system, on="system", how="left").fillna({"n_replica": 0, "n_both": 0})
    table = say.table(
        "documents",
        frame.assign(
            tau=intervals(frame["tau_union_low"], frame["tau_union_high"], _DECIMAL),
            overlap=intervals(frame["rbo_low"], frame["rbo_high"], _DECIMAL),
        ).head(_MOST_SHOWN),
        left(system="System"),
        right(_DECIMAL, tau_union="τ union"),
        right(text, tau="interval"),
        right(_DECIMAL, rbo="RBO"),
        right(text, overlap="interval"),
        right(whole, n_replica="Documents", n_both="in both"),
        data=frame,
        level=percentage(1 - study.alpha),
    )
    few = int(np.isnan(study.documents["tau_union"]).sum())
    return [say.section("documents", table, few=few, n=len(study.documents))]


def _methods(study: ReproductionStudy) -> Methods:
    told = traits_said(study.scores)
    paragraphs = [
        say("methods", study=study),
        *([say("order methods")] if study.orders else []),
        *([told] if told else []),
    ]
    return Methods(paragraphs=(*paragraphs, say("computed", study=study)))
