"""`metaeval simulate`: example data with a known truth."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session
from metaeval.errors import InvalidOptionError

__all__ = ["collection", "inex", "scores", "simulate"]

_MOST_CELLS = 10**8
"""Most scores or lines in a simulation: what a machine of ordinary size holds."""


def _count(option: str, words: str, *, least: int = 2, most: int = opt.MOST_SYSTEMS, letter: str = "N") -> Any:  # noqa: ANN401 - typer's
    return typer.Option(option, callback=checks.whole(least, most), metavar=letter, help=words)


_Topics = Annotated[int, _count("--topics", "How many topics.", letter="T")]
_Documents = Annotated[int, _count("--documents", "Documents in the collection.", least=1, most=10**7, letter="D")]
_Systems = Annotated[int, _count("--systems", "How many systems.")]
_Compress = Annotated[bool, typer.Option("--compress", help="Pack the large files with gzip.")]

_app = checks.Commands(no_args_is_help=True, add_completion=False, help="Make example data with a known truth.")


@_app.command()
def scores(  # noqa: PLR0913 - the options of the command
    *,
    file: Annotated[
        Path,
        typer.Argument(
            parser=checks.file_path,
            callback=checks.file_to_write(),
            metavar="FILE",
            help="Where the scores go; .csv (long), .parquet or .nc, by its ending.",
            show_default=False,
        ),
    ],
    systems: _Systems = 30,
    topics: _Topics = 50,
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
        int | None, _count("--groups", "Put the systems into G groups of alike members.", least=1, letter="G")
    ] = None,
    null: Annotated[bool, typer.Option("--null", help="All systems are equal in truth (to calibrate tests).")] = False,
    overwrite: opt.Overwrite = False,
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
    from metaeval.simulate.scores import simulate_scores  # noqa: PLC0415 - loads xarray

    with command_session(quiet=quiet) as session:
        checks.check_scores_file(file, overwrite=overwrite)
        _check_size(systems * topics, "--systems times --topics")
        table = simulate_scores(
            n_systems=systems,
            n_topics=topics,
            metrics=tuple(opt.split_names(metrics, ())),
            n_groups=groups,
            null=null,
            rng=seed,
        )
        write_scores(table, file)
        session.say(f"Wrote {systems} systems x {topics} topics under {metrics} to {file} (seed {seed}).")


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
    groups: Annotated[int, _count("--groups", "How many groups took part.", least=1, letter="G")] = 8,
    runs: Annotated[int, _count("--runs-per-group", "Runs of each group.", least=1)] = 3,
    topics: _Topics = 50,
    documents: _Documents = 2000,
    depth: Annotated[int, _count("--depth", "Documents in every list.", least=1, most=10**5, letter="K")] = 100,
    pool_depth: Annotated[
        int, _count("--pool-depth", "Every run's first K documents are judged.", least=1, most=10**5, letter="K")
    ] = 20,
    levels: Annotated[int, _count("--levels", "Highest level of relevance.", least=1, most=100, letter="L")] = 2,
    compress: _Compress = False,
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
        int, _count("--year", "Whose articles, scale and formats: 2002-2010.", least=2002, most=2010, letter="YEAR")
    ] = 2005,
    systems: _Systems = 20,
    topics: _Topics = 30,
    documents: _Documents = 1000,
    results: Annotated[int, _count("--results", "Longest list of a topic.", least=1, most=10**5, letter="K")] = 1500,
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
        _count(
            "--pool",
            "Documents assessed for each topic; by default as in the year.",
            least=1,
            most=10**7,
            letter="D",
        ),
    ] = None,
    compress: _Compress = False,
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
