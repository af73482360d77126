"""The report of a judgments study: what fewer judgments would change, and whether new systems are judged fairly."""

from metaeval.base.names import count
from metaeval.base.words import sentence_case
from metaeval.page.blocks import Item, Methods
from metaeval.page.report import Report
from metaeval.questions.judgments.page_completions import completions_section
from metaeval.questions.judgments.page_effort import effort_figures, effort_section, effort_sentences, measured_words
from metaeval.questions.judgments.page_groups import groups_figures, groups_section, groups_sentence
from metaeval.questions.judgments.page_power import between_metrics_section, reduction_figures
from metaeval.questions.judgments.page_reductions import reduction_sections, threshold_figures, threshold_sentence
from metaeval.questions.judgments.study import QUESTIONS, JudgmentsStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import computed_with, facts, unanswered
from metaeval.resampling.stability_result import Stability

say = prose(__name__)


def judgments_report(study: JudgmentsStudy, *, published: bool = False) -> Report:
    """Put a judgments study into a report; tables of changes in the form of Pal et al. are folded or `published`."""
    tables = study.tables()
    sections = [*reduction_sections(study)]
    sections += between_metrics_section(study)
    if "new-systems" in study.questions:
        sections.append(groups_section(study, published=published))
    sections += effort_section(study)
    sections += completions_section(study.completions)
    sections += unanswered(Item(term=_term(question), words=reason) for question, reason in study.unanswered.items())
    n_ranked = next((stability.data.sizes["system"] for stability in study.stability.values()), study.n_systems)
    tested = next((stability for stability in study.stability.values() if stability.data.sizes["tested"]), None)
    return Report(
        command="judgments",
        title="What if we judge less?",
        facts=_facts(study),
        summary=_summary(study),
        key_figures=listed_figures(
            [*threshold_figures(study), *reduction_figures(study), *groups_figures(study), *effort_figures(study)]
        ),
        sections=tuple(sections),
        methods=Methods(paragraphs=(_methods(study, n_ranked, tested),)),
        rows=[
            {"table": name} | {str(key): value for key, value in row.items()}
            for name, frame in tables.items()
            for row in frame.to_dict("records")
        ],
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name}.csv": csv_file(frame) for name, frame in tables.items()},
    )


def _methods(study: JudgmentsStudy, n_ranked: int, tested: Stability | None) -> str:
    parts = [say("methods", study=study, n_ranked=n_ranked)]
    for stability in study.stability.values():
        unit = "%" if stability.reduction.unit == "%" else "documents a topic"
        steps = f"{', '.join(f'{step:g}' for step in stability.steps)} {unit}"
        steps += f", {count(stability.n_replicates, 'replicate')}" if stability.reduction.random else ""
        parts.append(say("reduction methods", reduction=stability.reduction, steps=steps))
    said = {
        "stability": bool(study.stability),
        "tested": tested is not None,
        "left-out": bool(study.left_out),
        "effort": study.effort is not None,
    }
    fields = {"study": study, "tested": tested, "measured": measured_words(study.cost)}
    parts += [say(f"{name} methods", **fields) for name, known in said.items() if known]
    return " ".join([*parts, computed_with(study.provenance, *filter(None, [study.provenance.random_source]))])


def _term(question: str) -> str:
    """Return a question as a heading has it; the parts of one have names in words already."""
    return sentence_case(question.replace("-", " ") if question in QUESTIONS else question)


def _facts(study: JudgmentsStudy) -> tuple[tuple[str, str], ...]:
    counts = {"metric": len(study.metrics), "run": study.n_systems, "topic": study.n_topics}
    if study.n_groups is not None:
        counts["group"] = study.n_groups
    judged = [(f"{study.n_judged:,}", "judged documents"), (f"{study.n_relevant:,}", "of them relevant")]
    return (*facts(**counts), *judged)


def _summary(study: JudgmentsStudy) -> tuple[str, ...]:
    answers = (threshold_sentence(study), groups_sentence(study), effort_sentences(study)[0])
    first = next(filter(None, answers), "No question could be answered.")
    if threshold_figures(study):
        return first, say("quote")
    return (first, say("quote groups")) if groups_figures(study) else (first,)
