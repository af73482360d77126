"""`metaeval compare-metrics`: what is known about candidate metrics, before one is adopted."""

from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, echo, json_document, print_table

if TYPE_CHECKING:
    from metaeval.studies.compare import CompareStudy

__all__ = ["compare_metrics"]

_PANEL = "The question"


@app.command("compare-metrics")
def compare_metrics(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: opt.Inputs,  # noqa: ARG001 - see qrels
    qrels: opt.Qrels = None,  # noqa: ARG001 - the options about reading reach load_scores through the context
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
    systems_in: opt.SystemsIn = "columns",  # noqa: ARG001
    missing: opt.MissingRule = None,  # noqa: ARG001
    lower_is_better: opt.LowerIsBetter = None,  # noqa: ARG001
    current: Annotated[
        str | None,
        typer.Option(
            "--current",
            callback=checks.column_names(),
            metavar="NAME",
            show_default="the first metric",
            help="The metric in use, with which the candidates are compared.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    test: Annotated[
        str,
        typer.Option(
            "--test",
            callback=checks.pair_tests(),
            metavar="NAME",
            help="Test behind power, its intervals and agreement (the difference required: bootstrap sensitivity).",
            rich_help_panel=_PANEL,
        ),
    ] = "t",
    max_error: Annotated[
        float,
        typer.Option(
            "--max-error",
            callback=checks.error_rate(),
            metavar="SHARE",
            help="Error rate that the topics needed keep.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.05,
    topics: Annotated[
        bool,
        typer.Option("--topics/--no-topics", help="Find out how many topics are needed.", rich_help_panel=_PANEL),
    ] = True,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples",
            callback=checks.library(opt.check_resamples, high=10 * checks.MOST_DRAWS),
            metavar="B",
            help="Resamples of the bootstrap.",
            rich_help_panel=_PANEL,
        ),
    ] = 1000,
    interval_resamples: Annotated[
        int,
        typer.Option(
            "--interval-resamples",
            callback=checks.whole(2, checks.MOST_DRAWS),
            metavar="R",
            help="Topic resamples and choices of systems behind intervals.",
            rich_help_panel=_PANEL,
        ),
    ] = 200,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            callback=checks.whole(1, checks.MOST_DRAWS),
            metavar="N",
            help="Draws of fewer judgments.",
            rich_help_panel=_PANEL,
        ),
    ] = 10,
    alpha: opt.Alpha = 0.05,
    seed: opt.Seed = 0,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    threads: opt.Threads = None,
) -> None:
    """Compare candidate metrics with each other and with the one in use, before adopting one.

    Side by side, with intervals: how many pairs of systems each tells apart, how many topics it needs, how its ranking
    bears missing judgments (where runs are given), whether it concludes what the metric in use concludes, how often it
    says nothing, and how much it looks at the top.

    For example:

        metaeval compare-metrics runs/ --qrels qrels.txt --metrics "AP,nDCG@10,RBP(p=0.8)" --current AP --out compare

        metaeval compare-metrics ap.csv ndcg.csv err.csv
    """
    from metaeval.studies.compare import study_comparison  # noqa: PLC0415 - loads scipy and numba

    with command_session(quiet=quiet) as session:
        scores, collection, provenance = opt.load_scores(context, session)
        study = study_comparison(
            scores,
            current=current,
            collection=collection,
            registry=checks.registry_of(context),
            alpha=alpha,
            test=test,
            max_error=max_error,
            n_resamples=resamples,
            n_topic_resamples=interval_resamples,
            n_choices=interval_resamples,
            n_replicates=replicates,
            topics=topics,
            rng=seed,
            n_threads=threads,
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.compare import write_compare_report  # noqa: PLC0415 - loads matplotlib

            index = write_compare_report(study, out, overwrite=overwrite, messages=session.warned())
    if as_json:
        rows = study.to_frame()
        typer.echo(json_document("compare-metrics", rows, provenance=provenance, messages=session.messages))
    elif index is not None:
        typer.echo(f"Report written: open {index}")
    else:
        _print(study)
    for note in study.notes:
        session.say(f"Note: {note}")
    session.say(f"Seed {seed}; test {test}, B = {resamples}; alpha = {alpha:g}.")


def _print(study: "CompareStudy") -> None:
    frame = study.to_frame()
    sizes = study.scores.sizes
    typer.echo(f"{len(frame)} metrics, {sizes['system']} systems, {sizes['topic']} topics\n")
    columns = {
        "metric": "Metric",
        "power": "Power",
        "power_low": "low",
        "power_high": "high",
        "power_by": "Corrected",
        "topics": "Topics",
        "tau_half": "tau, half",
        "judgments": "tau >= .9",
        "f1": f"F1 with {study.current}",
        "conflicts": "Conflicts",
        "zero_share": "Zero",
        "top_half": "Half at rank",
    }
    shown = frame[[name for name in columns if name in frame]].astype(object)
    for name in {"conflicts", "top_half"} & set(shown):
        shown[name] = [None if value != value else int(value) for value in frame[name]]  # noqa: PLR0124 - NaN
    rows = shown.where(frame[shown.columns].notna(), None).to_numpy().tolist()
    print_table(f"Candidates beside {study.current}", [columns[str(name)] for name in shown], rows)
    legend = {
        "power": "Power: share of pairs told apart, with low and high over topics; corrected: Benjamini and Yekutieli",
        "topics": "Topics: needed for two sets to disagree about few enough pairs",
        "tau_half": "tau, half: with the full ranking when half of the judgments are left",
        "judgments": "tau >= .9: judgments that keep it so (relevant documents left)",
        "f1": f"F1: of its significant pairs as a prediction of those of {study.current}; conflicts: opposite ones",
        "zero_share": "Zero: share of scores that are 0",
        "top_half": "Half at rank: where a lone relevant document scores half of what it does at rank 1",
    }
    echo("".join(f"{words}\n" for name, words in legend.items() if name in frame))
    second = "tau with half the judgments" if "tau_half" in frame else f"F1 with {study.current}"
    echo(f"Unbeaten in power and in {second} together: {', '.join(study.unbeaten())}\n")
    differences = study.power_differences()
    touching = (differences["metric_a"] == study.current) | (differences["metric_b"] == study.current)
    names = ["metric_a", "metric_b", "difference", "low", "high", "systems_low", "systems_high"]
    heads = ["First", "Second", "Difference", "low", "high", "systems low", "systems high"]
    title = "Difference in power: low and high over topics, systems low and high over choices of systems"
    print_table(title, heads, differences.loc[touching, names].to_numpy().tolist())
    for part, why in study.unknown.items():
        echo(f"Not known: {part}: {why}")
