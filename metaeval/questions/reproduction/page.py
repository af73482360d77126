# ruff: noqa: RUF001 - Greek letters are meant for people
"""The report on an original and its replica: documents, scores of topics and effects, with what each lets one say."""

from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from metaeval import figures
from metaeval.base.words import absent, bracketed, intervals, name_of_metric, number, p_value, percentage, text, whole
from metaeval.page.blocks import Block, Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import Column, Table, left, right
from metaeval.questions.reproduction.study import DOCUMENTS, VERDICTS, ReproductionStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import KeyFigure, listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts
from metaeval.reports.traits import traits_said

_SCORE, _DECIMAL = number(3), number(2)
_PANELS, _MOST_SHOWN = 6, 50
_MEASURES: Mapping[str, tuple[str, Callable[[object], str]]] = {
    "rmse": ("RMSE", _SCORE),
    "difference": ("Difference of means", _SCORE),
    "effect_ratio": ("Effect ratio", _DECIMAL),
    "delta_ri": ("ΔRI", _SCORE),
    "tau_union": ("Kendall’s τ union", _DECIMAL),
    "rbo": ("Rank-biased overlap", _DECIMAL),
}
"""What each is called, and how it is written."""
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


def _written(study: ReproductionStudy) -> dict[str, str]:
    """Return the measures that the row which decides has, each with its interval."""
    row = study.lead()
    return {
        name: bracketed(row[name], row[f"{name}_low"], row[f"{name}_high"], write)
        for name, (_, write) in _MEASURES.items()
        if name in row and not absent(row[name])
    }


def _summary(study: ReproductionStudy) -> tuple[str, ...]:
    frame, row = study.to_frame(), study.lead()
    by = f" under {name_of_metric(row['metric'])}" if study.scores.sizes["metric"] > 1 else ""
    written = _written(study)
    if study.compared.same[0].all():
        sentences = [say("exactly", by=by, study=study, n_topics=row["n_topics"])]
    else:
        limit = study.margin * abs(row["original"])
        beyond = row["difference_low"] > limit or row["difference_high"] < -limit
        by_mean = row["verdict"] == VERDICTS[0] and beyond and "mean" in _judged(study)
        sentences = [
            say("answer", row=row, by=by, said=written, baseline=study.baseline, by_mean=by_mean),
            say("margin", study=study, said=written, quantities=_judged(study), by_mean=by_mean),
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
            f"{_MEASURES[name][0]} ({row['system']})",
            written,
            {"value": row[name], "low": row[f"{name}_low"], "high": row[f"{name}_high"]},
        )
        for name, written in _written(study).items()
    ]


def _measured_table(
    study: ReproductionStudy, name: str, frame: pd.DataFrame, measured: Iterable[str], *more: Iterable[Column]
) -> Table:
    """Return a table of measures, each with its interval in a column beside it."""
    columns, ends = [left(metric="Metric", system="System"), left(verdict="Verdict") if name == "scores" else ()], {}
    for measure in measured:
        called, write = _MEASURES[measure]
        ends[f"{measure} ends"] = intervals(frame[f"{measure}_low"], frame[f"{measure}_high"], write)
        columns += [right(write, **{measure: called}), right(text, **{f"{measure} ends": "interval"})]
    drawn = frame.assign(metric=frame["metric"].map(name_of_metric), **ends).head(_MOST_SHOWN)
    level, test = percentage(1 - study.alpha), "the paired t test" if study.paired else "Welch’s t test"
    return say.table(name, drawn, *columns, *more, data=frame, level=level, test=test, n_shown=len(drawn), n=len(frame))


def _scores_section(study: ReproductionStudy) -> Section:
    columns = (
        right(_SCORE, original="Original", replica="replica"),
        right(p_value, p_value="p", p_corrected="p, corrected"),
    )
    blocks: list[Block] = [_measured_table(study, "scores", study.to_frame(), ["difference", "rmse"], *columns)]
    if study.paired:
        topics = _scores_of_topics(study)
        metric, systems = topics["metric"].iloc[0], study.scores["system"].to_numpy()[:_PANELS]
        drawn = topics[(topics["metric"] == metric) & topics["system"].isin(systems)].dropna()
        blocks.append(say.picture("topics", lambda: figures.topic_scatters(drawn), metric=metric, n=len(systems)))
    return say.section("scores", *blocks, study=study)


def _scores_of_topics(study: ReproductionStudy) -> pd.DataFrame:
    """Return one row a metric, system and topic: original, replica; of other topics each by itself."""
    sides = {"original": study.scores, "replica": study.replica}
    columns = [table.to_series().rename(name) for name, table in sides.items()]
    return pd.concat(columns, axis=1).reset_index()


def _effects_section(study: ReproductionStudy) -> list[Section]:
    if study.baseline is None:
        return []
    frame = study.to_frame()
    frame = frame[frame["system"] != study.baseline].reset_index(drop=True)
    table = _measured_table(study, "effects", frame, ["effect_ratio", "delta_ri"])
    return [say.section("effects", table, study=study)]


def _documents_section(study: ReproductionStudy) -> list[Section]:
    if not study.orders:
        return []
    counts = study.documents.groupby("system", sort=False)[["n_replica", "n_both"]].sum()
    frame = study.to_frame().head(study.scores.sizes["system"]).join(counts, on="system")
    table = _measured_table(study, "documents", frame, DOCUMENTS, right(whole, n_replica="Documents", n_both="in both"))
    few = int(study.documents["tau_union"].isna().sum())
    return [say.section("documents", table, few=few, n=len(study.documents))]


def _methods(study: ReproductionStudy) -> Methods:
    paragraphs = [say("methods", study=study), say("order methods") if study.orders else "", traits_said(study.scores)]
    return Methods(paragraphs=(*filter(None, paragraphs), say("computed", study=study)))
