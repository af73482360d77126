"""`metaeval simulate`: example data with a known truth."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session
from metaeval.cli.help import HelpedGroup
from metaeval.cli.option import Option, argument, flag
from metaeval.cli.option_rules import Commands, check_scores_file
from metaeval.cli.reading import arguments_from
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_CELLS = 10**8
"""Most scores or lines in a simulation: what a machine of ordinary size holds."""
_YEARS = (2002, 2010)
_TASKS = ("thorough", "focused", "mixed", "relevant-in-context", "best-in-context")


def _count(  # noqa: PLR0913 - one keyword per limit
    words: str, letter: str = "N", *, means: str = "", least: int = 2, most: int = checks.MOST_SYSTEMS, name: str = ""
) -> Option:
    return Option(letter, words, checks.whole_number(least, most), name=name, means=means, panel=None)


def _year(value: int, option: str) -> int:
    first, last = _YEARS
    if not first <= value <= last:
        raise checks.refusal(option, f"a year from {first} to {last}", value)
    return value


_Topics = Annotated[int, _count("How many topics.", "T")]
_Documents = Annotated[int, _count("Documents in the collection.", "D", least=1, most=10**7)]
_Systems = Annotated[int, _count("How many systems.")]
_Compress = Annotated[bool, flag("--compress", "Compress the large files with gzip.", panel=None)]

_app = Commands(cls=HelpedGroup, add_completion=False, help="Simulate example data with known true values.")

_FILE = argument(
    "FILE", "File to write: .csv (long), .nc or .parquet (an extra).", checks.file_to_write(), parser=checks.file_path
)
_METRICS = Option(
    "NAME,…",
    "Metrics to imitate: AP, nDCG@10, P@10, RR.",
    checks.names("names of metrics by comma, such as AP,P@10"),
    panel=None,
)


@_app.command()
def scores(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    file: Annotated[Path, _FILE],
    systems: _Systems = 30,
    topics: _Topics = 50,
    metrics: Annotated[str, _METRICS] = "AP,nDCG@10,P@10,RR",
    groups: Annotated[int | None, _count("Put the systems into G groups of similar systems.", "G", least=1)] = None,
    null: Annotated[
        bool, flag("--null", "Give all systems equal true means (to calibrate tests).", panel=None)
    ] = False,
    clusters: Annotated[int | None, _count("Put the topics into C clusters that share noise.", "C", least=1)] = None,
    repeats: Annotated[int | None, _count("Score every system R times on every topic.", "R", least=1)] = None,
    overwrite: Annotated[bool, opt.OVERWRITE] = False,
    seed: Annotated[int, opt.SEED] = 0,
    quiet: Annotated[bool, opt.QUIET] = False,
) -> None:
    """Simulate a table of per-topic scores of systems of different quality.

    The scores follow a two-way model (system, topic, interaction) with shares of variance like those of public test
    collections, mapped to each metric's scale: P@10 has tenths, RR 1/k.

    For example:

        metaeval simulate scores scores.csv --systems 20 --seed 1
    """
    from metaeval.io.tables import write_scores  # noqa: PLC0415 - loads pandas
    from metaeval.simulate.scores import simulate_scores  # noqa: PLC0415 - loads xarray

    with command_session(quiet=quiet) as session:
        check_scores_file(file, overwrite=overwrite)
        _check_size(systems * topics * (repeats or 1), "--systems times --topics times --repeats")
        asked = arguments_from(context, simulate_scores) | {"metrics": tuple(checks.by_comma(metrics))}
        table = simulate_scores(**asked)
        write_scores(table.copy(data=_shared_digits(table.to_numpy())), file)
        session.say(f"Wrote {systems} systems x {topics} topics under {metrics} to {file} (seed {seed}).")


def _shared_digits(values: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return numbers to 12 digits; the last four come from the order of additions, which differs among processors."""
    from numpy import array  # noqa: PLC0415 - loads when needed

    return array([float(f"{value:.12g}") for value in values.ravel().tolist()]).reshape(values.shape)


@_app.command()
def collection(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    out: Annotated[
        Path, argument("FOLDER", "Where runs/, qrels.txt and groups.csv go.", None, parser=checks.file_path)
    ],
    groups: Annotated[int, _count("Number of groups.", "G", least=1)] = 8,
    runs: Annotated[int, _count("Runs of each group.", name="--runs-per-group", means="runs_per_group", least=1)] = 3,
    topics: _Topics = 50,
    documents: _Documents = 2000,
    depth: Annotated[int, _count("Documents in every list.", "K", least=1, most=10**5)] = 100,
    pool_depth: Annotated[
        int, _count("Depth of the pool: the first K documents of every run are judged.", "K", least=1, most=10**5)
    ] = 20,
    levels: Annotated[int, _count("Highest level of relevance.", "L", least=1, most=100)] = 2,
    compress: _Compress = False,
    seed: Annotated[int, opt.SEED] = 0,
    quiet: Annotated[bool, opt.QUIET] = False,
) -> None:
    """Simulate a test collection: runs of different quality in groups, and graded judgments by pooling.

    The runs of one group are similar, like those of a team. Documents that no run ranks within the pool depth are
    unjudged.

    For example:

        metaeval simulate collection made --groups 6 --runs-per-group 2 --topics 30 --seed 1
    """
    from metaeval.simulate.collection import simulate_collection  # noqa: PLC0415 - loads numba

    with command_session(quiet=quiet) as session:
        lines = "--groups times --runs-per-group times --topics times --depth"
        _check_size(groups * runs * topics * depth, lines)
        _check_size(groups * runs * documents, "--groups times --runs-per-group times --documents")
        made = simulate_collection(**arguments_from(context, simulate_collection))
        folder = made.write_collection(out, compress=compress)
        session.say(f"Wrote {groups * runs} runs of {groups} groups on {topics} topics to {folder} (seed {seed}).")


_OUT = argument(
    "FOLDER", "Folder for submissions/, assessments/, second/, sizes.txt and log.csv.", None, parser=checks.file_path
)
_TASK = Option(
    "TASK", f"{', '.join(_TASKS[:-1])} or {_TASKS[-1]}; by default as in the year.", checks.one_of(*_TASKS), panel=None
)
_POOL = _count("Documents assessed per topic; by default as in that year.", "D", means="pool_size", least=1, most=10**7)
_KAPPA = Option(
    "K",
    "Agreement of two assessors on documents, from 0 to 1; by default as in that year.",
    checks.finite_number(least=0, most=1),
    means="document_kappa",
    panel=None,
)


@_app.command()
def inex(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    out: Annotated[Path, _OUT],
    year: Annotated[
        int, Option("YEAR", "Year of the articles, scale and formats: 2002-2010.", _year, panel=None)
    ] = 2005,
    systems: _Systems = 20,
    topics: _Topics = 30,
    documents: _Documents = 1000,
    results: Annotated[int, _count("Largest finite_number of results per topic.", "K", least=1, most=10**5)] = 1500,
    task: Annotated[str | None, _TASK] = None,
    pool: Annotated[int | None, _POOL] = None,
    kappa: Annotated[float | None, _KAPPA] = None,
    published: Annotated[
        bool,
        flag("--published/--no-published", "Systems and relevance as close as those of that year.", panel=None),
    ] = True,
    articles: Annotated[bool, flag("--articles", "Also write the articles, in invented words.", panel=None)] = False,
    compress: _Compress = False,
    seed: Annotated[int, opt.SEED] = 0,
    quiet: Annotated[bool, opt.QUIET] = False,
) -> None:
    """Simulate an INEX campaign: articles, runs of elements or passages, assessments by one and two assessors.

    Scales, agreement of assessors and highlighting follow the published figures of the year.

    For example:

        metaeval simulate inex made --year 2007 --systems 10 --topics 20 --seed 1
    """
    from metaeval.inex.simulation import simulate_inex  # noqa: PLC0415 - loads numba

    with command_session(quiet=quiet) as session:
        _check_size(systems * topics * results, "--systems times --topics times --results")
        _check_size(systems * documents, "--systems times --documents")
        made = simulate_inex(**arguments_from(context, simulate_inex))
        folder = made.write_collection(out, compress=compress, articles=articles)
        session.say(f"Wrote {systems} runs on {topics} topics as of INEX {year} to {folder} (seed {seed}).")


def _check_size(number: int, product: str) -> None:
    if number > _MOST_CELLS:
        message = f"{product} is {number}, more than the {_MOST_CELLS} that a simulation may hold; choose smaller ones"
        raise InvalidOptionError(message)


simulate_command = typer.main.get_group(_app)
