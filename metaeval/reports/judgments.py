# ruff: noqa: RUF001 - Greek letters and dashes are meant for people
"""The report of a judgments study: what fewer judgments would change, and whether new systems are judged fairly."""

import pandas as pd

from metaeval.base.bibliography import cited
from metaeval.base.names import count
from metaeval.base.words import listed, name_of_metric, sentence_case
from metaeval.page.blocks import Item, Methods
from metaeval.page.report import Report
from metaeval.reports.data_files import csv_file
from metaeval.reports.judgment_effort import effort_section, effort_sentences, source_of_minutes
from metaeval.reports.judgment_groups import groups_section, groups_sentences
from metaeval.reports.judgment_power import between_metrics_section, power_sentences
from metaeval.reports.judgment_reductions import reduction_sections, threshold_sentences
from metaeval.reports.shared import cited_in, computed_with, facts, unanswered
from metaeval.studies.judgments import QUESTIONS, JudgmentsStudy

_SOURCES = ("yilmaz2008", "zobel1998", "pal2010", "piwowarski2008")
"""What the methods may cite beside the sources of the reductions."""


def judgments_report(study: JudgmentsStudy) -> Report:
    """Put a judgments study into a report."""
    tables = study.tables()
    sections = [*reduction_sections(study)]
    sections += between_metrics_section(study)
    if "new-systems" in study.questions:
        sections.append(groups_section(study))
    sections += effort_section(study)
    sections += unanswered(Item(term=_term(part), words=reason) for part, reason in study.unanswered.items())
    methods = _methods_paragraph(study)
    return Report(
        command="judgments",
        title="What if we judge less?",
        facts=_facts(study),
        summary=_summary(study),
        sections=tuple(sections),
        methods=Methods(paragraphs=(methods,), cite=cited_in((methods,), _sources(study))),
        rows=[{"table": name, **row} for name, frame in tables.items() for row in _records(frame)],
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name}.csv": csv_file(frame) for name, frame in tables.items()},
    )


def _sources(study: JudgmentsStudy) -> tuple[str, ...]:
    own = (key for one in study.stability.values() for key in one.reduction.cite)
    return (*own, *_SOURCES)


def _term(part: str) -> str:
    """Return a question as a heading has it; the parts of one have names in words already."""
    return sentence_case(part.replace("-", " ") if part in QUESTIONS else part)


def _records(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _facts(study: JudgmentsStudy) -> tuple[tuple[str, str], ...]:
    counts = {"metric": len(study.metrics), "run": study.n_systems, "topic": study.n_topics}
    if study.n_groups is not None:
        counts["group"] = study.n_groups
    judged = [(f"{study.n_judged:,}", "judged documents"), (f"{study.n_relevant:,}", "of them relevant")]
    return (*facts(**counts), *judged)


def _summary(study: JudgmentsStudy) -> tuple[str, ...]:
    paragraphs = [
        " ".join([*threshold_sentences(study), *power_sentences(study)]),
        " ".join(groups_sentences(study)),
        " ".join(effort_sentences(study)),
    ]
    return tuple(paragraph for paragraph in paragraphs if paragraph) or ("No question could be answered.",)


def _ranked(study: JudgmentsStudy) -> str:
    """Say how many runs are ranked: as many as there are, or how many chosen at random."""
    n_ranked = next((one.data.sizes["system"] for one in study.stability.values()), study.n_systems)
    return str(n_ranked) if n_ranked == study.n_systems else f"{n_ranked} of {study.n_systems}"


def _methods_paragraph(study: JudgmentsStudy) -> str:
    words = [
        (
            f"We ranked {_ranked(study)} runs on {study.n_topics:,} topics by the mean of "
            f"{count(len(study.metrics), 'metric')} ({listed(map(name_of_metric, study.metrics))})."
        )
    ]
    for one in study.stability.values():
        steps = ", ".join(f"{step:g}" for step in one.steps)
        unit = "%" if one.reduction.unit == "%" else "documents a topic"
        drawn = f", {count(one.n_replicates, 'replicate')}" if one.reduction.random else ""
        words.append(
            f"{one.reduction.title} ({steps} {unit}{drawn}): {one.reduction.summary}{cited(one.reduction.cite)}."
        )
    if study.stability:
        words.append(
            "Rankings were compared with the full one by Kendall’s τ (τ-b), τ AP (Yilmaz et al., 2008; mean over "
            "tie orders), Spearman’s ρ and rank-biased overlap (p = 0.9); topics left with nothing relevant score 0."
        )
    tested = next((one for one in study.stability.values() if one.data.sizes["tested"]), None)
    if tested is not None:
        words.append(
            f"All pairs of {'' if len(tested.tested) == study.n_systems else f'{len(tested.tested)} '}runs were tested "
            f"at every step in {count(tested.data.sizes['tested'], 'replicate')} ({tested.test})."
        )
    if study.left_out:
        words.append(
            "Groups were left out of the pool one by one (Zobel, 1998; Pal et al., 2010); a run's scores with and "
            f"without its group were compared by a two-sided paired t test over topics, α = {study.alpha:g}, "
            "uncorrected."
        )
    if study.effort is not None:
        words.append(
            "Plans of equal effort hold the same number of judged documents (after Pal et al., 2010); a relevant "
            f"document counts {study.cost.minutes_relevant:g} min and a non-relevant one "
            f"{study.cost.minutes_other:.3g} min{source_of_minutes(study.cost)}."
        )
    source = study.provenance.random_source
    return " ".join([*words, computed_with(study.provenance, *([source] if source else []))])
