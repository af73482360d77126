"""Options that several commands share: their words, what they may be, and how they are checked."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from metaeval.checks import LEAST_SHARE
from metaeval.cli import checks
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

__all__ = [
    "DEFAULT_METRICS",
    "Alpha",
    "AsJson",
    "Choose",
    "Corrections",
    "DocumentOrder",
    "ElementSizes",
    "GroupColumn",
    "GroupRegex",
    "Groups",
    "Inputs",
    "Intervals",
    "Lenient",
    "LowerIsBetter",
    "Metrics",
    "MissingRule",
    "Out",
    "Overwrite",
    "Plugins",
    "PooledColumn",
    "Qrels",
    "Quiet",
    "Resamples",
    "ScorePrecision",
    "Seed",
    "SystemsIn",
    "Tests",
    "Threads",
    "UndefinedRule",
    "check_resamples",
    "parse_choice",
    "split_names",
]

_RUNS_PANEL = "Scoring runs"
_INPUT_PANEL = "Reading"
_QUESTION_PANEL = "The question"

MOST_WORKERS = 1024
"""Largest number of workers or threads an option takes."""
MOST_SYSTEMS = 10**6
"""Largest number of systems an option takes."""


def _check_threads() -> Callable[[Any], object]:
    from metaeval.checks import check_threads  # noqa: PLC0415 - only for a command that takes threads

    return check_threads


def check_resamples() -> Callable[[Any], object]:
    """Return the library's check of a number of resamples, which loads numba."""
    from metaeval.tests_stat.counting import check_resamples  # noqa: PLC0415 - loads numba

    return check_resamples


def _read_regex(text: str) -> object:
    from metaeval.io.groups import groups_from_regex  # noqa: PLC0415 - loads polars

    return groups_from_regex(text, [])


def parse_choice(text: str) -> str | int:
    """Turn the text of --choose into what `metaeval.scores.select_runs` takes.

    Examples
    --------
    >>> parse_choice("all"), parse_choice("30")
    ('all', 30)
    """
    word = text.strip().casefold()
    if word in ("all", "one-per-group"):
        return word
    if not word.isdecimal() or not 2 <= int(word[:10]) <= MOST_SYSTEMS:  # noqa: PLR2004 - a pair
        message = f"--choose takes all, one-per-group or a number of systems from 2, not {text!r}"
        raise InvalidOptionError(message)
    return int(word)


DEFAULT_METRICS = "AP,nDCG@10,nDCG,Q,RBP(p=0.8),bpref,P@10,RR"

Inputs = Annotated[
    list[str],
    typer.Argument(
        callback=checks.files_to_read(),
        metavar="INPUTS",
        show_default=False,
        help="With --qrels: TREC runs or INEX submissions, as files, folders or patterns. Without: score tables (wide "
        "or long CSV/TSV/Parquet/NetCDF, `trec_eval -q` or ir_measures output); a wide table holds one metric, named "
        "after the file, or NAME=FILE. Compressed or not.",
    ),
]
RunInputs = Annotated[
    list[str],
    typer.Argument(
        callback=checks.files_to_read(),
        metavar="RUNS",
        show_default=False,
        help="TREC runs or INEX submissions: files, folders, patterns or NAME=FILE.",
    ),
]
PilotInputs = Annotated[
    list[str] | None,
    typer.Argument(
        callback=checks.files_to_read(),
        metavar="[INPUTS]…",
        show_default=False,
        help="Scores of topics that were judged already, as score tables, or as runs with --qrels. None are "
        "needed if --variance is a number.",
    ),
]
RequiredQrels = Annotated[
    Path,
    typer.Option(
        "--qrels",
        parser=checks.file_path,
        callback=checks.file_to_read(folder=True),
        metavar="FILE",
        help="TREC judgments, or INEX assessments (a file or a folder).",
        show_default=False,
        rich_help_panel=_RUNS_PANEL,
    ),
]
Qrels = Annotated[
    Path | None,
    typer.Option(
        "--qrels",
        parser=checks.file_path,
        callback=checks.file_to_read(folder=True),
        metavar="FILE",
        help="TREC judgments, or INEX assessments (a file or a folder); the inputs are then runs to score.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        callback=checks.names("names of metrics by comma, such as AP,nDCG@10"),
        metavar="NAME,…",
        show_default=f"{DEFAULT_METRICS}; for INEX files those of their kind",
        help="What to compute from runs and qrels, in the notation of ir_measures; `metaeval metrics` lists them.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        parser=checks.file_path,
        metavar="FILE.py",
        help="Metrics of your own, made with @metric; may be repeated.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
UndefinedRule = Annotated[
    str | None,
    typer.Option(
        "--undefined",
        callback=checks.one_of("zero", "drop"),
        metavar="zero|drop",
        show_default="zero; drop for measures of elements and passages",
        help="What to do with a topic with nothing relevant to a metric.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
DocumentOrder = Annotated[
    str,
    typer.Option(
        "--order",
        callback=checks.one_of("score", "rank", "input"),
        metavar="score|rank|input",
        help="How the documents of a run are ordered.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
ScorePrecision = Annotated[
    str,
    typer.Option(
        "--score-precision",
        callback=checks.one_of("float64", "float32"),
        metavar="float64|float32",
        help="Precision in which a run's scores are compared; float32 is what trec_eval up to 9 does.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
ElementSizes = Annotated[
    Path | None,
    typer.Option(
        "--element-sizes",
        parser=checks.file_path,
        callback=checks.file_to_read("the file of sizes"),
        metavar="FILE",
        help="Sizes of INEX elements (document, path, characters), where the assessments do not hold them.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
Lenient = Annotated[
    bool,
    typer.Option(
        "--lenient",
        help="Read INEX files that break a rule as far as they go, with warnings.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
PooledColumn = Annotated[
    str | None,
    typer.Option(
        "--pooled-column",
        callback=checks.column_names(),
        metavar="NAME",
        help="The column of --groups that says which runs were pooled.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
SystemsIn = Annotated[
    str | None,
    typer.Option(
        "--systems-in",
        callback=checks.one_of("columns", "rows"),
        metavar="columns|rows",
        show_default="columns, unless the first column says system or run",
        help="Where a wide table has its systems.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
MissingRule = Annotated[
    str | None,
    typer.Option(
        "--missing",
        callback=checks.one_of("error", "zero", "drop-systems", "drop-topics"),
        metavar="error|zero|drop-systems|drop-topics",
        show_default="error; zero with --qrels",
        help="What to do where a system has nothing on a topic.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option(
        "--lower-is-better",
        callback=checks.column_names(),
        metavar="METRIC",
        help="A metric where less is better; may be repeated.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        "--groups",
        parser=checks.file_path,
        callback=checks.file_to_read("the table of groups"),
        metavar="FILE",
        help="Table with a column of system names and one of groups (teams), called group or the only other one.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        "--group-column",
        callback=checks.column_names(),
        metavar="NAME",
        help="The column of --groups that holds the group.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
GroupRegex = Annotated[
    str | None,
    typer.Option(
        "--group-regex",
        callback=checks.read_by(_read_regex),
        metavar="REGEX",
        help="Take the group from the system's name: the first capture.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
Choose = Annotated[
    str,
    typer.Option(
        "--choose",
        callback=checks.read_by(parse_choice),
        metavar="all|one-per-group|N",
        help="Which systems to compare; chosen with the seed.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Tests = Annotated[
    str,
    typer.Option(
        "--test",
        callback=checks.pair_tests(several=True),
        metavar="NAME,…|all",
        help=f"Significance tests by comma: {', '.join(TESTS)}. Other names of the field, such as fisher, are "
        "understood.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Corrections = Annotated[
    str,
    typer.Option(
        "--correction",
        callback=checks.corrections(several=True),
        metavar="NAME,…|all",
        help=f"{', '.join(CORRECTIONS)}.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Alpha = Annotated[
    float,
    typer.Option(
        "--alpha",
        callback=checks.number("a level above 0 and below 1, at least 1e-100", lambda level: LEAST_SHARE <= level < 1),
        metavar="LEVEL",
        help="Significance level.",
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--resamples",
        callback=checks.library(check_resamples, high=10 * checks.MOST_DRAWS),
        metavar="B",
        show_default="1000 for bootstraps, 10000 for permutations",
        help="Resamples of every resampling test.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", callback=checks.whole(0, 2**63 - 1), metavar="NUMBER", help="Seed of all random draws, from 0."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        callback=checks.library(_check_threads, high=MOST_WORKERS),
        metavar="N",
        show_default="every core",
        help="Cores to use; never changes a result.",
    ),
]
Intervals = Annotated[
    int,
    typer.Option(
        "--interval-resamples",
        callback=checks.whole(2, checks.MOST_DRAWS, also=(0,)),
        metavar="R",
        help="Topic resamples for the intervals of discriminative power; 0 leaves the intervals out.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        parser=checks.file_path,
        metavar="FOLDER",
        help="Write the answer as a report in this folder.",
    ),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an older report, or an older file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on standard error.")]


def split_names(text: str, known: tuple[str, ...]) -> list[str]:
    """Split a list of names at commas; "all" stands for every known one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return list(known) if names == ["all"] else names
