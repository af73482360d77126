"""What data are and what they can answer, as a report."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from metaeval.base.names import count, first_few
from metaeval.base.unit import unit
from metaeval.page.blocks import Block, Item, Items, Methods, Section, Text
from metaeval.page.report import Report
from metaeval.page.tables import left
from metaeval.questions.look.study import Look
from metaeval.questions.look.study_columns import ColumnRole
from metaeval.questions.look.study_kinds import called
from metaeval.reports.prose import prose

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = {
    "scores": "scores of systems by item",
    "metrics": "metrics and what people said of systems",
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
    "several": "files of several tools or kinds, which no question takes together",
    "unknown": "nothing that can be read as it is",
}
"""What people call each kind."""
_WITHOUT_ERRORS = "means of systems, without their standard errors"
_ALIKE = 6
"""So many columns of one role after another are one line."""
_READABLE = "How it can be read"
_HOW = "Files are recognised by their content."
_COMPUTED = "Only the answer to the first question was computed."
say = prose(__name__)


def look_report(study: Look) -> Report:
    """Put what data are into a report."""
    contents, questions, answer = study.contents, study.questions, study.quick_answer()
    of_topics = study.scores is not None or study.kind in {"collection", "campaign"}
    sizes = [
        count(number, unit().topic if word == "items" and of_topics else called(word))
        for word, number in contents.sizes.items()
        if number
    ]
    what = _WITHOUT_ERRORS if study.kind == "means" and contents.refusal else KINDS[study.kind]
    what += f", or {KINDS['labels']}" * ("judges" in contents.also)
    summary = (
        say("refusal", what=what, refusal=contents.refusal)
        if contents.refusal
        else say("answer", what=what, sizes=sizes)
    )
    way = study.way and say.section(
        "ways", Text(paragraphs=(f"# {_READABLE}\n{study.way}",), look="code"), head=_READABLE
    )
    return Report(
        command="look",
        title=_title(contents.files),
        facts=tuple((number, words) for number, _, words in (size.partition(" ") for size in sizes)),
        summary=(" ".join(filter(None, (str(summary), answer))),),
        sections=tuple(filter(None, (way or None, _questions(questions), _scores(study), _columns(study)))),
        methods=Methods(paragraphs=(f"{_HOW} {_COMPUTED}" if answer else _HOW,), cite=()),
        rows=questions,
        provenance=study.provenance,
        notes=study.notes,
    )


def _title(files: Sequence[str]) -> str:
    return f"What is {Path(files[0]).name}?" if len(files) == 1 else f"What are these {'files' if files else 'data'}?"


def _questions(questions: pd.DataFrame) -> Section | None:
    """List the commands to copy, and the questions for which something is missing."""
    if not len(questions):
        return None
    able, unable = (questions[(questions["lacks"] == "") == is_able] for is_able in (True, False))
    lines = [f"# {_asked(row.question)}\n{row.command}" for row in able.itertuples()]
    lacking = tuple(Item(term=_asked(row.question), words=f"needs {row.lacks}") for row in unable.itertuples())
    commands = [Text(paragraphs=("\n\n".join(lines),), look="code")] if lines else []
    blocks: list[Block] = [*commands, *([Items(items=lacking)] if lacking else [])]
    return say.section("questions", *blocks, head="What it can answer")


def _asked(question: object) -> str:
    """Return a question with the word for a topic that the data have."""
    return str(question).replace("topics", unit().topics)


def _scores(study: Look) -> Section | None:
    """Draw the scores under the first metric; other kinds have no picture."""
    if study.scores is None:
        return None
    scores, metric = study.scores, str(study.scores["metric"].to_numpy()[0])
    n_systems = scores.sizes["system"]
    alt = f"The scores of {count(n_systems, 'system')}, one row each, with their means."

    def draw() -> "Figure":
        from metaeval.figures.systems import score_distributions  # noqa: PLC0415 - matplotlib

        return score_distributions(scores, metric)

    picture = say.picture("scores", draw, metric=metric, alt=alt)
    return say.section("scores", picture, brief=False, head="Scores")


def _columns(study: Look) -> Section | None:
    rows = study.contents.columns
    if not rows:
        return None
    lines = _together(rows)
    table = say.table(
        "columns",
        pd.DataFrame(lines),
        left(column="Column", role="Role", why="Why", example="Example"),
        file=Path(study.contents.files[0]).name,
        whole=len(lines) == len(rows),
    )
    return say.section("columns", table, head="What it holds")


def _together(columns: Sequence[ColumnRole]) -> list[ColumnRole]:
    """Return columns with many of one role in a row as one line."""
    lines = []
    for _, group in groupby(columns, key=lambda column: (column.role, column.why)):
        alike = list(group)
        names = first_few([column.column for column in alike], most=2)
        lines += alike if len(alike) < _ALIKE else [alike[0]._replace(column=f"{names} ({len(alike)} columns)")]
    return lines
