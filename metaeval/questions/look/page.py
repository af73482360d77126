"""What data are and what they can answer, as a report."""

from pathlib import Path

import pandas as pd

from metaeval.base.names import count
from metaeval.base.words import MISSING
from metaeval.page.blocks import Methods, Section
from metaeval.page.report import Report
from metaeval.page.tables import left
from metaeval.questions.look.study import Look
from metaeval.reports.prose import prose

KINDS = {
    "scores": "scores of systems by item",
    "means": "means of systems with standard errors",
    "votes": "votes on pairs of systems",
    "labels": "labels of items by judges",
    "judged scores": "scores of systems under judges",
    "annotations": "labels by annotators",
    "nuggets": "labels of nuggets by judges",
    "runs": "runs, without their judgments",
    "judgments": "judgments, without runs",
    "collection": "runs and their judgments",
    "submissions": "runs of INEX, without assessments",
    "assessments": "assessments of INEX",
    "campaign": "runs and assessments of INEX",
    "unknown": "nothing that can be read as it is",
}
"""What people call each kind."""
_SINGULAR = {"systems": "system", "people": "human score"}
say = prose(__name__)


def look_report(study: Look) -> Report:
    """Put what data are into a report."""
    contents, questions = study.contents, study.questions
    counted = {word: number for word, number in contents.sizes.items() if number}
    sizes = [count(number, _SINGULAR.get(word, word.removesuffix("s"))) for word, number in counted.items()]
    what, able = KINDS[study.kind], questions[questions["lacks"] == ""]
    summary = (
        say("refusal", what=what, refusal=contents.refusal)
        if contents.refusal
        else say("answer", what=what, sizes=sizes, able=able["name"].tolist())
    )
    return Report(
        command="look",
        title=f"What is {Path(contents.files[0]).name}?" if len(contents.files) == 1 else "What are these files?",
        facts=tuple((f"{number:,}", word) for word, number in counted.items()),
        summary=tuple(filter(None, (summary, study.answer()))),
        sections=tuple(filter(None, (_questions(questions), _columns(study)))),
        methods=Methods(paragraphs=(say("methods"),), cite=()),
        rows=questions,
        provenance=study.provenance,
        notes=study.notes,
    )


def _questions(questions: pd.DataFrame) -> Section | None:
    if not len(questions):
        return None
    shown = questions.assign(lacks=questions["lacks"].where(questions["lacks"] != "", MISSING))
    lacks = left(lacks="Lacks") if (questions["lacks"] != "").any() else ()
    table = say.table("questions", shown, left(question="Question", command="Command"), lacks, data=questions)
    return say.section("questions", table)


def _columns(study: Look) -> Section | None:
    rows = study.contents.columns
    if not rows:
        return None
    frame = pd.DataFrame(rows)
    table = say.table(
        "columns",
        frame,
        left(column="Column", role="Role", why="Why", example="Example"),
        file=Path(study.contents.files[0]).name,
    )
    return say.section("columns", table)
