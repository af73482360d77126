"""The report of a judgments study: what fewer judgments would change, and whether new systems are judged fairly."""

from metaeval.base.words import sentence_case
from metaeval.page.blocks import Item, Methods
from metaeval.page.report import Report
from metaeval.questions.judgments.page_completions import completions_section
from metaeval.questions.judgments.page_effort import effort_figures, effort_section, effort_sentences, year_of_minutes
from metaeval.questions.judgments.page_groups import groups_figures, groups_section, groups_sentence
from metaeval.questions.judgments.page_power import between_metrics_section, reduction_figures
from metaeval.questions.judgments.page_reductions import reduction_sections, threshold_figures, threshold_sentence
from metaeval.questions.judgments.study import QUESTIONS, JudgmentsStudy
from metaeval.reports.data_files import csv_file
from metaeval.reports.key_figures import listed_figures
from metaeval.reports.prose import prose
from metaeval.reports.shared import facts, unanswered

"""What the methods may cite beside the sources of the reductions."""
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
    year = year_of_minutes(study.cost)
    methods = (say("methods", study=study, n_ranked=n_ranked, tested=tested, year=year),)
    return Report(
        command="judgments",
        title=say("title"),
        facts=_facts(study),
        summary=_summary(study),
        key_figures=listed_figures(
            [*threshold_figures(study), *reduction_figures(study), *groups_figures(study), *effort_figures(study)]
        ),
        sections=tuple(sections),
        methods=Methods(paragraphs=methods),
        rows=[
            {"table": name} | {str(key): value for key, value in row.items()}
            for name, frame in tables.items()
            for row in frame.to_dict("records")
        ],
        provenance=study.provenance,
        notes=study.notes,
        data={f"{name}.csv": csv_file(frame) for name, frame in tables.items()},
    )


def _term(part: str) -> str:
    """Return a question as a heading has it; the parts of one have names in words already."""
    return sentence_case(part.replace("-", " ") if part in QUESTIONS else part)


def _facts(study: JudgmentsStudy) -> tuple[tuple[str, str], ...]:
    counts = {"metric": len(study.metrics), "run": study.n_systems, "topic": study.n_topics}
    if study.n_groups is not None:
        counts["group"] = study.n_groups
    judged = [(f"{study.n_judged:,}", "judged documents"), (f"{study.n_relevant:,}", "of them relevant")]
    return (*facts(**counts), *judged)


def _summary(study: JudgmentsStudy) -> tuple[str, ...]:
    answers = (threshold_sentence(study), groups_sentence(study), effort_sentences(study)[0])
    first = next(filter(None, answers), say("unanswered"))
    quote = say("quote", ranked=bool(threshold_figures(study)), groups=bool(groups_figures(study)))
    return tuple(filter(None, (first, quote)))
