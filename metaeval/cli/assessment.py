"""`metaeval assessment`: how the assessments of focused retrieval were made."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, json_document, print_table

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.studies.assessment import AssessmentStudy

__all__ = ["assessment"]

_SOURCES = "What else is known"
_PARTS = {"relevant": "relevant documents", "elements": "relevant elements"}
_WORDS = {
    ("assessments", "topics"): ("topics", "count"),
    ("assessments", "documents per topic"): ("documents assessed, mean of a topic", "one"),
    ("assessments", "too_small per topic"): ("elements too small to judge, mean of a topic", "one"),
    ("assessments", "highlighted per topic"): ("highlighted characters, mean of a topic", "count"),
    ("assessments", "(.+) per topic"): ("{}, mean of a topic", "one"),
    ("pool growth", "share of (.+) by (.+) documents"): ("{} found by {} documents a topic", "share"),
    ("pools", "documents per topic"): ("documents in the pool, mean of a topic", "one"),
    ("pools", "share assessed"): ("of them assessed", "share"),
    ("passages per document", "share with one"): ("relevant documents with a single passage", "share"),
    ("passages per document", "share with at most five"): ("relevant documents with five passages or fewer", "share"),
    ("passages per document", "most"): ("most passages of a document", "count"),
    ("elemental passages", "share"): ("passages that are exactly one element", "share"),
    ("specificity", "mean of class (.+)"): ("mean specificity: {}", "two"),
    ("exhaustivity and size", "median size at (.+)"): ("median size in characters, exhaustivity {}", "count"),
    ("exhaustivity and size", "share below (.+) characters at (.+)"): (
        "with fewer than {} characters, exhaustivity {}",
        "share",
    ),
    ("best entry points", "share where the first passage begins"): ("where the first passage begins", "share"),
    ("best entry points", "share where some passage begins"): ("where some passage begins", "share"),
    ("best entry points", "median distance to the (.+)"): ("median distance to the {} passage, in characters", "count"),
    ("time", "mean seconds of (.+)"): ("mean seconds: {}", "one"),
    ("time", "mean hours of a topic"): ("mean hours of a topic", "one"),
    ("agreement of elements", "mean of documents"): ("both call the document relevant", "share"),
    ("agreement of elements", "mean of both"): ("both call the element relevant", "share"),
    ("agreement of elements", "mean of exact"): ("both give the same grades", "share"),
    ("agreement of passages", "mean of_union"): ("highlighted by both, of the text highlighted by either", "share"),
}
"""Question and statistic of a figure to its words and how its number is written; the first that fits."""


@app.command()
def assessment(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    assessments: Annotated[
        str,
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="ASSESSMENTS",
            show_default=False,
            help="INEX assessments of any year: a file or a folder.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--runs",
            callback=checks.files_to_read(first=False),
            metavar="PATH",
            help="The runs that were pooled, for the growth of the pools; may be repeated.",
            rich_help_panel=_SOURCES,
        ),
    ] = None,
    pools: Annotated[
        list[str] | None,
        typer.Option(
            "--pools",
            callback=checks.files_to_read(first=False),
            metavar="PATH",
            help="Pool files, to see what of them was assessed; may be repeated.",
            rich_help_panel=_SOURCES,
        ),
    ] = None,
    second: Annotated[
        str | None,
        typer.Option(
            "--second",
            callback=checks.files_to_read(),
            metavar="PATH",
            help="Assessments of some topics by another assessor; the folder of the first for those in its others/.",
            rich_help_panel=_SOURCES,
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            parser=checks.file_path,
            callback=checks.file_to_read("the log of actions"),
            metavar="FILE",
            help="Table of topic, document and seconds spent, or the time of each action.",
            rich_help_panel=_SOURCES,
        ),
    ] = None,
    longest_break: Annotated[
        float,
        typer.Option(
            "--longest-break",
            callback=checks.number("a number of seconds above 0", lambda seconds: seconds > 0),
            metavar="SECONDS",
            help="A longer time between two actions in the log is no work.",
            rich_help_panel=_SOURCES,
        ),
    ] = 600.0,
    sizes: Annotated[
        Path | None,
        typer.Option(
            "--sizes",
            parser=checks.file_path,
            callback=checks.file_to_read("the table of sizes"),
            metavar="FILE",
            help="Sizes of elements: document, path and characters, a line each.",
            rich_help_panel=_SOURCES,
        ),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Take files that break rules of their campaign, with warnings.")
    ] = False,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say how assessments of elements and passages were made: pools, passages, grades, entry points, time, agreement.

    For example:

        metaeval assessment assessments/ --runs submissions/ --sizes sizes.txt --out analysis

        metaeval assessment qrels.txt --second second/qrels.txt --log log.csv
    """
    from metaeval.io.files import list_sources  # noqa: PLC0415
    from metaeval.io.inex import (  # noqa: PLC0415
        assessment_sources,
        read_assessments,
        read_element_sizes,
        read_submissions,
    )
    from metaeval.io.inex_log import read_assessment_log  # noqa: PLC0415
    from metaeval.provenance import record_provenance  # noqa: PLC0415
    from metaeval.studies.assessment import study_assessments  # noqa: PLC0415 - loads numba

    with command_session(quiet=quiet) as session:
        inside = second is not None and Path(second) == Path(assessments)
        judged = read_assessments(assessments, strict=not lenient)
        actions = None if log is None else read_assessment_log(log)
        table = None if sizes is None else read_element_sizes(sizes, strict=not lenient)
        sources = [*assessment_sources(assessments), *(list_sources(runs) if runs else ())]
        sources += list_sources(pools) if pools else []
        sources += [] if second is None else assessment_sources(second, second=inside)
        files = [source.path for source in sources] + [str(path) for path in (log, sizes) if path is not None]
        submissions = read_submissions(runs, strict=not lenient) if runs else ()
        read_pools = _pools([source.path for source in list_sources(pools)], strict=not lenient) if pools else None
        again = None if second is None else read_assessments(second, second=inside, strict=not lenient)
        provenance = record_provenance("assessment", options=context.params, inputs=files)
        study = study_assessments(
            judged,
            submissions=submissions,
            pools=read_pools,
            second=again,
            log=actions,
            sizes=table,
            longest_break=longest_break,
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.assessment import write_assessment_report  # noqa: PLC0415 - loads matplotlib

            index = write_assessment_report(study, out, overwrite=overwrite, messages=session.warned())
    if as_json:
        typer.echo(json_document("assessment", study.to_frame(), provenance=provenance, messages=session.messages))
    elif index is not None:
        typer.echo(f"Report written: open {index}")
    else:
        _print(study)
    for note in (*study.lacking, *study.notes):
        session.say(f"Note: {note}")


def _pools(paths: list[str], *, strict: bool) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415

    from metaeval.io.inex import read_pool  # noqa: PLC0415

    return pd.concat([read_pool(path, strict=strict) for path in paths], ignore_index=True)


def _print(study: "AssessmentStudy") -> None:
    for question, part in study.to_frame().groupby("question", sort=False):
        rows = [_row(str(question), name, value) for name, value in part[["statistic", "value"]].to_numpy().tolist()]
        width = max(len(value) for _, value in rows)
        shown = [[words, value.rjust(width)] for words, value in rows]
        print_table(str(question).capitalize(), ["Figure", "Value"], shown)


def _row(question: str, statistic: str, value: float) -> tuple[str, str]:
    """Return a figure in the words and digits of the page."""
    from metaeval.words import number, share, whole  # noqa: PLC0415 - only here

    writers = {"count": whole, "share": share, "one": number(1), "two": number(2)}
    for (asked, pattern), (words, writer) in _WORDS.items():
        found = re.fullmatch(pattern, statistic) if asked == question else None
        if found:
            parts = [_PARTS.get(part, part) for part in found.groups()]
            value = round(value) if writer == "count" else value
            return words.format(*parts).replace("exhaustivity ?", "too small to judge"), writers[writer](value)
    return statistic, writers["two"](value)
