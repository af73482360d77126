"""`metaeval score`: what every run scores on every topic."""

import os
from pathlib import Path
from typing import Annotated

import typer

from metaeval.cli import app
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, json_document, print_table
from metaeval.errors import InvalidOptionError, UnknownNameError

__all__ = ["OverwriteFile", "check_scores_file", "score"]

OverwriteFile = Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there already.")]

_ENDINGS = (".nc", ".parquet", ".csv", ".tsv")
_PACKED = (".gz", ".bz2", ".xz", ".zst")


def check_scores_file(path: Path, *, overwrite: bool) -> None:
    """Refuse a file of scores that must not or cannot be written, before any work is done."""
    kept = [suffix for suffix in map(str.casefold, path.suffixes) if suffix not in _PACKED]
    if not kept or kept[-1] not in _ENDINGS:
        raise UnknownNameError("file ending", kept[-1] if kept else path.name, _ENDINGS)
    if not path.parent.is_dir():
        message = f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}; make it or name another"
        raise InvalidOptionError(message)
    if not os.access(path.parent, os.W_OK):
        message = f"nothing can be written in the folder {str(path.parent)!r}; name a file elsewhere"
        raise InvalidOptionError(message)
    if path.is_dir():
        message = f"{str(path)!r} is a folder; name a file"
        raise InvalidOptionError(message)
    if path.exists() and not overwrite:
        message = f"{str(path)!r} exists already; pass --overwrite to replace it, or name another file"
        raise InvalidOptionError(message)


@app.command()
def score(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUNS",
            show_default=False,
            help="TREC runs or INEX submissions: files, folders, patterns or NAME=FILE.",
        ),
    ],
    qrels: Annotated[  # noqa: ARG001 - the options about reading reach load_scores through the context
        Path,
        typer.Option(
            "--qrels",
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
        typer.Option("--out", "-o", metavar="FILE", help="Write every score, by topic: .csv (long), .parquet or .nc."),
    ] = None,
    overwrite: OverwriteFile = False,
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
        if out is not None:
            check_scores_file(out, overwrite=overwrite)
        scores, _, provenance = opt.load_scores(context, session)
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
    title = f"Mean over {scores.sizes['topic']} topics ({inputs[0]}{' …' if len(inputs) > 1 else ''})"
    print_table(title, ["System", *names], [[system, *map(float, means.loc[system])] for system in means.index])
