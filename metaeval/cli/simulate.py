"""`metaeval simulate`: example data with a known truth."""

from pathlib import Path
from typing import Annotated, cast

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session
from metaeval.cli.score import OverwriteFile
from metaeval.errors import InvalidOptionError

_MOST_CELLS = 10**8
"""Most scores or lines in a simulation: what a machine of ordinary size holds."""

__all__ = ["collection", "inex", "scores", "simulate"]

_app = checks.Commands(no_args_is_help=True, add_completion=False, help="Make example data with a known truth.")


@_app.command()
def scores(  # noqa: PLR0913 - the options of the command
    *,
    out: Annotated[
        Path,
        typer.Argument(
            parser=checks.file_path,
            metavar="FILE",
            help="Where the scores go; .csv (long), .parquet or .nc, by its ending.",
            show_default=False,
        ),
    ],
    systems: Annotated[
        int,
        typer.Option("--systems", callback=checks.whole(2, opt.MOST_SYSTEMS), metavar="N", help="How many systems."),
    ] = 30,
    topics: Annotated[
        int, typer.Option("--topics", callback=checks.whole(2, 10**6), metavar="T", help="How many topics.")
    ] = 50,
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            callback=checks.names("names of metrics by comma, such as AP,P@10"),
            metavar="NAME,…",
            help="Metrics to imitate: AP, nDCG@10, P@10, RR.",
        ),
    ] = "AP,nDCG@10,P@10,RR",
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups",
            callback=checks.whole(1, opt.MOST_SYSTEMS),
            metavar="G",
            help="Put the systems into G groups of alike members.",
        ),
    ] = None,
    null: Annotated[bool, typer.Option("--null", help="All systems are equal in truth (to calibrate tests).")] = False,
    overwrite: OverwriteFile = False,  # noqa: ARG001 - checked before the command begins
    seed: opt.Seed = 0,
    quiet: opt.Quiet = False,
) -> None:
    """Make a table of per-topic scores of systems of differing quality.

    The scores come from a two-way model (system, topic, interaction) with shares of variance like those of public
    test collections, pushed through each metric's own scale: P@10 comes in tenths, RR in 1/k.

    For example:

        metaeval simulate scores scores.csv --systems 20 --seed 1
    """
    from metaeval.io.tables import write_scores  # noqa: PLC0415 - loads polars
    from metaeval.simulate.scores import simulate_scores  # noqa: PLC0415

    with command_session(quiet=quiet) as session:
        _check_size(systems * topics, "--systems times --topics")
        table = simulate_scores(
            n_systems=systems,
            n_topics=topics,
            metrics=tuple(opt.split_names(metrics, ())),
            n_groups=groups,
            null=null,
            rng=seed,
        )
        write_scores(table, out)
        session.say(f"Wrote {systems} systems x {topics} topics under {metrics} to {out} (seed {seed}).")


@_app.command()
def collection(  # noqa: PLR0913 - the options of the command
    *,
    out: Annotated[
        Path,
        typer.Argument(
            parser=checks.file_path,
            metavar="FOLDER",
            help="Where runs/, qrels.txt and groups.csv go.",
            show_default=False,
        ),
    ],
    groups: Annotated[
        int,
        typer.Option(
            "--groups", callback=checks.whole(1, opt.MOST_SYSTEMS), metavar="G", help="How many groups took part."
        ),
    ] = 8,
    runs: Annotated[
        int,
        typer.Option(
            "--runs-per-group", callback=checks.whole(1, opt.MOST_SYSTEMS), metavar="N", help="Runs of each group."
        ),
    ] = 3,
    topics: Annotated[
        int, typer.Option("--topics", callback=checks.whole(2, 10**6), metavar="T", help="How many topics.")
    ] = 50,
    documents: Annotated[
        int,
        typer.Option("--documents", callback=checks.whole(1, 10**7), metavar="D", help="Documents in the collection."),
    ] = 2000,
    depth: Annotated[
        int, typer.Option("--depth", callback=checks.whole(1, 10**5), metavar="K", help="Documents in every list.")
    ] = 100,
    pool_depth: Annotated[
        int,
        typer.Option(
            "--pool-depth",
            callback=checks.whole(1, 10**5),
            metavar="K",
            help="Every run's first K documents are judged.",
        ),
    ] = 20,
    levels: Annotated[
        int, typer.Option("--levels", callback=checks.whole(1, 100), metavar="L", help="Highest level of relevance.")
    ] = 2,
    compress: Annotated[bool, typer.Option("--compress", help="Pack every file with gzip.")] = False,
    seed: opt.Seed = 0,
    quiet: opt.Quiet = False,
) -> None:
    """Make a test collection: runs of differing quality in groups, and graded judgments by pooling them.

    The runs of one group are alike, as those of a team are. What no run has in its first documents stays unjudged.

    For example:

        metaeval simulate collection made --groups 6 --runs-per-group 2 --topics 30 --seed 1
    """
    from metaeval.simulate.collection import simulate_collection  # noqa: PLC0415 - loads numba

    with command_session(quiet=quiet) as session:
        lines = "--groups times --runs-per-group times --topics times --depth"
        _check_size(groups * runs * topics * depth, lines)
        _check_size(groups * runs * documents, "--groups times --runs-per-group times --documents")
        made = simulate_collection(
            n_groups=groups,
            runs_per_group=runs,
            n_topics=topics,
            n_documents=documents,
            depth=depth,
            pool_depth=pool_depth,
            levels=levels,
            rng=seed,
        )
        folder = made.write_collection(out, compress=compress)
        session.say(f"Wrote {groups * runs} runs of {groups} groups on {topics} topics to {folder} (seed {seed}).")


@_app.command()
def inex(  # noqa: PLR0913 - the options of the command
    *,
    out: Annotated[
        Path,
        typer.Argument(
            parser=checks.file_path,
            metavar="FOLDER",
            help="Where submissions/, assessments/, second/ and sizes.txt go.",
            show_default=False,
        ),
    ],
    year: Annotated[
        int,
        typer.Option(
            "--year",
            callback=checks.whole(2002, 2010),
            metavar="YEAR",
            help="Whose articles, scale and formats: 2002-2010.",
        ),
    ] = 2005,
    systems: Annotated[
        int, typer.Option("--systems", callback=checks.whole(2, opt.MOST_SYSTEMS), metavar="N", help="How many runs.")
    ] = 20,
    topics: Annotated[
        int, typer.Option("--topics", callback=checks.whole(2, 10**6), metavar="T", help="How many topics.")
    ] = 30,
    documents: Annotated[
        int,
        typer.Option("--documents", callback=checks.whole(1, 10**7), metavar="D", help="Articles in the collection."),
    ] = 1000,
    results: Annotated[
        int, typer.Option("--results", callback=checks.whole(1, 10**5), metavar="K", help="Longest list of a topic.")
    ] = 1500,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            callback=checks.one_of("thorough", "focused", "mixed", "relevant-in-context", "best-in-context"),
            metavar="TASK",
            help="thorough, focused, mixed, relevant-in-context or best-in-context; by default as in the year.",
        ),
    ] = None,
    pool: Annotated[
        int | None,
        typer.Option(
            "--pool",
            callback=checks.whole(1, 10**7),
            metavar="D",
            help="Documents assessed for each topic; by default as in the year.",
        ),
    ] = None,
    compress: Annotated[bool, typer.Option("--compress", help="Pack submissions and sizes with gzip.")] = False,
    seed: opt.Seed = 0,
    quiet: opt.Quiet = False,
) -> None:
    """Make an INEX campaign: articles, runs of elements or passages, assessments by one and two assessors.

    Scales, agreement of assessors and what is highlighted follow the figures published of the year.

    For example:

        metaeval simulate inex made --year 2007 --systems 10 --topics 20 --seed 1
    """
    from metaeval.simulate.inex import InexTask, simulate_inex  # noqa: PLC0415 - loads numba

    with command_session(quiet=quiet) as session:
        _check_size(systems * topics * results, "--systems times --topics times --results")
        _check_size(systems * documents, "--systems times --documents")
        made = simulate_inex(
            year=year,
            n_systems=systems,
            n_topics=topics,
            n_documents=documents,
            n_results=results,
            task=cast("InexTask | None", task),
            pool_size=pool,
            rng=seed,
        )
        folder = made.write_collection(out, compress=compress)
        session.say(f"Wrote {systems} runs on {topics} topics as of INEX {year} to {folder} (seed {seed}).")


def _check_size(number: int, product: str) -> None:
    if number > _MOST_CELLS:
        message = f"{product} is {number}, more than the {_MOST_CELLS} that a simulation may hold; choose smaller ones"
        raise InvalidOptionError(message)


simulate = typer.main.get_group(_app)
