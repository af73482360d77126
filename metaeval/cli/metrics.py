"""`metaeval metrics`: what can be computed, and how to write it."""

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, json_document, print_table

__all__ = ["metrics"]


@app.command()
def metrics(
    context: typer.Context,
    *,
    plugin: opt.Plugins = None,  # noqa: ARG001
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """List the metrics: built in, from installed packages, and from plug-in files.

    Names follow ir_measures: `nDCG@10`, `AP(rel=2)`, `RBP(p=0.8)`; a prime, as in `AP'`, means the condensed list,
    without unjudged documents. The names of trec_eval, ranx and NTCIREVAL are understood too. Any other measure of
    ir_measures is computed through that package, where it is installed.

    For example:

        metaeval metrics

        metaeval metrics --plugin my_metric.py

    Measures of elements and passages need INEX runs and assessments; those of documents work on them too.
    """
    from metaeval.provenance import record_provenance  # noqa: PLC0415

    with command_session(quiet=quiet) as session:
        table = checks.registry_of(context).to_frame()
    if as_json:
        record = record_provenance("metrics", options=context.params)
        typer.echo(json_document("metrics", table, provenance=record, messages=session.messages))
        return
    rows = table.assign(better=table["higher_is_better"].map({True: "higher", False: "lower"}))
    print_table(
        f"{len(table)} metrics",
        ["Write", "What it is", "Of", "Better", "Module"],
        rows[["usage", "summary", "on", "better", "module"]].to_numpy().tolist(),
        caption="[] may be left out. AP' is AP(judged_only=True): the condensed list.",
    )
