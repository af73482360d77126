"""`metaeval reliability`: does a measure of XML retrieval reward what users want."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, echo, json_document, print_table

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.studies.reliability import ReliabilityStudy

__all__ = ["reliability"]

_TOP = 10


@app.command()
def reliability(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    assessments: Annotated[
        str,
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="ASSESSMENTS",
            show_default=False,
            help="INEX assessments of elements: a file or a folder.",
        ),
    ],
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="[RUNS]…",
            show_default=False,
            help="Submitted runs to rank too: files, folders or patterns.",
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            callback=checks.names("names of measures by comma, such as nxCG(quant=SOG)@25"),
            metavar="NAME,…",
            show_default="inex2002 and nxCGpercent, generalised (SOG on the scale of 2003) and strict",
            help="Measures of elements, such as nxCG(quant=SOG)@25; `metaeval metrics` lists them.",
        ),
    ] = None,
    sizes: Annotated[
        Path | None,
        typer.Option(
            "--sizes",
            parser=checks.file_path,
            callback=checks.file_to_read("the table of sizes"),
            metavar="FILE",
            help="Sizes of elements: document, path and characters, a line each.",
        ),
    ] = None,
    plugin: opt.Plugins = None,  # noqa: ARG001
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Take files that break rules of their campaign, with warnings.")
    ] = False,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Try measures of XML retrieval on six runs, made of the assessments, whose order users would know.

    The ideal run should come first, and repeating what was shown before should not pay.

    For example:

        metaeval reliability assessments/ --sizes sizes.txt

        metaeval reliability assessments/ submissions/ --metrics "inex2002(quant=SOG),nxCG(quant=SOG)@25" --out answer
    """
    from metaeval.io.files import list_sources  # noqa: PLC0415
    from metaeval.io.inex import (  # noqa: PLC0415
        assessment_sources,
        read_assessments,
        read_element_sizes,
        read_submissions,
    )
    from metaeval.metrics.names import split_names  # noqa: PLC0415
    from metaeval.provenance import record_provenance  # noqa: PLC0415
    from metaeval.studies.reliability import study_reliability  # noqa: PLC0415 - loads numba

    with command_session(quiet=quiet) as session:
        judged = read_assessments(assessments, strict=not lenient)
        submissions = read_submissions(runs, strict=not lenient) if runs else []
        table = None if sizes is None else read_element_sizes(sizes, strict=not lenient)
        sources = [*assessment_sources(assessments), *(list_sources(runs) if runs else ())]
        files = [source.path for source in sources] + ([] if sizes is None else [str(sizes)])
        provenance = record_provenance("reliability", options=context.params, inputs=files)
        study = study_reliability(
            judged,
            submissions,
            metrics=None if metrics is None else split_names(metrics),
            sizes=table,
            strict=not lenient,
            registry=checks.registry_of(context),
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.reliability import write_reliability_report  # noqa: PLC0415 - loads matplotlib

            index = write_reliability_report(study, out, overwrite=overwrite, messages=session.warned())
    if as_json:
        typer.echo(json_document("reliability", study.to_frame(), provenance=provenance, messages=session.messages))
    elif index is not None:
        typer.echo(f"Report written: open {index}")
    else:
        _print(study)
    for note in study.notes:
        session.say(f"Note: {note}")


def _print(study: "ReliabilityStudy") -> None:
    from metaeval.simulate.reliability_runs import RELIABILITY_RUNS  # noqa: PLC0415 - loads numba

    for metric in study.metrics:
        own = study.runs[study.runs["metric"] == metric]
        rows = [
            [row["run"], row["value"], int(row["rank"]), f"{100 * row['overlap']:.1f} %"]
            for row in own.to_dict("records")
        ]
        print_table(metric, ["Run", "Mean", "Rank", "Overlap"], rows)
        for row in study.verdicts[study.verdicts["metric"] == metric].to_dict("records"):
            verdict = "met" if row["met"] else f"not met (contradicted: {row['first_broken']})"
            echo(f"{row['expectation']}: {verdict}")
        typer.echo()
    print_table("The runs, made of the assessments", ["Run", "Holds"], list(RELIABILITY_RUNS.items()))
    meanings = study.verdicts.drop_duplicates("expectation")[["expectation", "meaning"]]
    print_table("What users expect of a measure", ["Expectation", "Asks to"], _lowered(meanings))
    typer.echo()
    if len(study.submissions):
        for metric in study.metrics:
            best = study.top(metric, _TOP)
            best["overlap"] = [f"{100 * value:.1f} %" for value in best["overlap"]]
            heads = [name[0].upper() + name[1:] for name in best.columns]
            print_table(f"Submitted runs: the best under {metric}", heads, best.to_numpy().tolist())


def _lowered(meanings: "pd.DataFrame") -> list[list[str]]:
    return [[name, words[:1].lower() + words[1:].rstrip(".")] for name, words in meanings.to_numpy().tolist()]
