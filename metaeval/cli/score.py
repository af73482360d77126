"""`metaeval score`: what every run scores on every topic."""

from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, json_document, print_table

__all__ = ["OverwriteFile", "score"]

OverwriteFile = Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there already.")]


@app.command()
def score(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="RUNS",
            show_default=False,
            help="TREC runs or INEX submissions: files, folders, patterns or NAME=FILE.",
        ),
    ],
    qrels: Annotated[  # noqa: ARG001 - the options about reading reach load_scores through the context
        Path,
        typer.Option(
            "--qrels",
            parser=checks.file_path,
            callback=checks.file_to_read(folder=True),
            metavar="FILE",
            help="TREC judgments, or INEX assessments (a file or a folder).",
            show_default=False,
        ),
    ],
    metrics: opt.Metrics = None,  # noqa: ARG001
    plugin: opt.Plugins = None,  # noqa: ARG001
    undefined: opt.UndefinedRule = None,  # noqa: ARG001
    order: opt.DocumentOrder = "score",  # noqa: ARG001
    score_precision: opt.ScorePrecision = "float64",  # noqa: ARG001
    element_sizes: opt.ElementSizes = None,  # noqa: ARG001
    lenient: opt.Lenient = False,  # noqa: ARG001
    groups: opt.Groups = None,  # noqa: ARG001
    group_column: opt.GroupColumn = None,  # noqa: ARG001
    group_regex: opt.GroupRegex = None,  # noqa: ARG001
    missing: opt.MissingRule = None,  # noqa: ARG001
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            parser=checks.file_path,
            metavar="FILE",
            help="Write every score, by topic: .csv (long), .parquet or .nc.",
        ),
    ] = None,
    overwrite: OverwriteFile = False,  # noqa: ARG001 - checked before the command begins
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    threads: opt.Threads = None,  # noqa: ARG001
) -> None:
    """Score runs against judgments: the mean of every run, and on request every topic.

    For example:

        metaeval score runs/ --qrels qrels.txt --metrics "AP,nDCG@10,RBP(p=0.8)"

        metaeval score runs/*.gz --qrels qrels.txt --out scores.parquet
    """
    with command_session(quiet=quiet) as session:
        scores, _, provenance = opt.load_scores(context, session, fewest=1)
        if out is not None:
            from metaeval.io.tables import write_scores  # noqa: PLC0415 - loads polars

            write_scores(scores, out)
            session.say(f"Wrote {scores.size} scores to {out}")
        for note in scores.attrs.get("notes", []):
            session.say(f"Note: {note}")
    means = scores.mean("topic").to_pandas().T
    names = [str(name) for name in means.columns]
    if as_json:
        rows = [
            {
                "system": system,
                "metric": name,
                "mean": float(means.loc[system, name]),
                "n_topics": scores.sizes["topic"],
            }
            for name in names
            for system in means.index
        ]
        typer.echo(json_document("score", rows, provenance=provenance, messages=session.messages))
        return
    n_topics = scores.sizes["topic"]
    title = f"Mean over {n_topics} topic{'' if n_topics == 1 else 's'} ({inputs[0]}{' …' if len(inputs) > 1 else ''})"
    typer.echo(title)  # on a line of its own, however narrow the table is
    print_table("", ["System", *names], [[system, *map(float, means.loc[system])] for system in means.index])
