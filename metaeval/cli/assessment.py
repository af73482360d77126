"""`metaeval assessment`: how the assessments of focused retrieval were made."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.studies.assessment import AssessmentStudy

__all__ = ["assessment"]

_SOURCES = "What else is known"


@command("assessment")
def assessment(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
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
            "--element-sizes",
            parser=checks.file_path,
            callback=checks.file_to_read("the table of sizes"),
            metavar="FILE",
            help="Sizes of elements: document, path and characters, a line each.",
            rich_help_panel=_SOURCES,
        ),
    ] = None,
    lenient: opt.Lenient = False,
) -> "AssessmentStudy":
    """Say how assessments of elements and passages were made: pools, grades, time, agreement.

    For example:

        metaeval assessment assessments/ --runs submissions/ --element-sizes sizes.txt --out analysis

        metaeval assessment qrels.txt --second second/qrels.txt --log log.csv
    """
    from metaeval.io.inex import (  # noqa: PLC0415 - as above
        assessment_sources,
        read_assessments,
        read_element_sizes,
        read_submissions,
    )
    from metaeval.io.inex_log import read_assessment_log  # noqa: PLC0415 - as above
    from metaeval.io.sources import list_sources  # noqa: PLC0415 - loads polars
    from metaeval.studies.assessment import study_assessments  # noqa: PLC0415 - loads numba

    inside = second is not None and Path(second) == Path(assessments)
    judged = read_assessments(assessments, lenient=lenient)
    actions = None if log is None else read_assessment_log(log)
    table = None if sizes is None else read_element_sizes(sizes, lenient=lenient)
    sources = [*assessment_sources(assessments), *(list_sources(runs) if runs else ())]
    pool_files = list_sources(pools) if pools else []
    again = [] if second is None else assessment_sources(second, second=inside)
    loaded.read(*(source.path for source in (*sources, *pool_files, *again)))
    loaded.read(*(path for path in (log, sizes) if path is not None))
    return study_assessments(
        judged,
        submissions=read_submissions(runs, lenient=lenient) if runs else (),
        pools=_pools([source.path for source in pool_files], lenient=lenient) if pools else None,
        second=None if second is None else read_assessments(second, second=inside, lenient=lenient),
        log=actions,
        sizes=table,
        longest_break=longest_break,
        provenance=loaded.provenance,
    )


def _pools(paths: list[str], *, lenient: bool) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - only where there are pools

    from metaeval.io.inex import read_pool  # noqa: PLC0415 - loads polars

    return pd.concat([read_pool(path, lenient=lenient) for path in paths], ignore_index=True)
