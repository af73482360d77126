"""`metaeval compare-metrics`: what is known about candidate metrics, before one is adopted."""

from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded

if TYPE_CHECKING:
    from metaeval.studies.compare import CompareStudy

__all__ = ["compare_metrics"]

_PANEL = "The question"


@command("compare-metrics", reads="scores")
def compare_metrics(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
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
    threads: opt.Threads = None,
) -> "CompareStudy":
    """Compare candidate metrics with each other and with the one in use, before adopting one.

    Side by side, with intervals: how many pairs of systems differ significantly under each, how many topics it needs,
    how its ranking bears missing judgments (where runs are given), whether it concludes what the metric in use
    concludes, how often it says nothing, and how much it looks at the top.

    For example:

        metaeval compare-metrics runs/ --qrels qrels.txt --metrics "AP,nDCG@10,RBP(p=0.8)" --current AP --out compare

        metaeval compare-metrics ap.csv ndcg.csv err.csv
    """
    from metaeval.studies.compare import study_comparison  # noqa: PLC0415 - loads scipy and numba

    return study_comparison(
        loaded.scores(),
        current=current,
        collection=loaded.compiled(),
        registry=loaded.registry,
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
        provenance=loaded.provenance,
    )
