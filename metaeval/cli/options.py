"""Options that several commands share, and the one way from them to Scores."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from metaeval.cli import checks
from metaeval.cli.console import Session
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    from metaeval.collection.base import JudgedCollection
    from metaeval.io.sheets import Sheet
    from metaeval.metrics.registry import Registry
    from metaeval.provenance import Provenance
    from metaeval.scores import Scores

__all__ = [
    "DEFAULT_METRICS",
    "Alpha",
    "AsJson",
    "Corrections",
    "DocumentOrder",
    "ElementSizes",
    "GroupColumn",
    "GroupRegex",
    "Groups",
    "Inputs",
    "Intervals",
    "Lenient",
    "Loaded",
    "LowerIsBetter",
    "Metrics",
    "MissingRule",
    "Out",
    "Overwrite",
    "PairTests",
    "Plugins",
    "PooledColumn",
    "Qrels",
    "Quiet",
    "Resamples",
    "Runs",
    "ScorePrecision",
    "Seed",
    "SystemsIn",
    "Tests",
    "Threads",
    "UndefinedRule",
    "check_resamples",
    "chosen_metrics",
    "load_collection",
    "load_scores",
    "parse_runs",
    "split_names",
]

_RUNS_PANEL = "Scoring runs"
_INPUT_PANEL = "Reading"
_QUESTION_PANEL = "The question"

_FOR_RUNS = frozenset(
    {"qrels", "metrics", "plugin", "undefined", "order", "score_precision", "element_sizes", "lenient"}
)
_FOR_TABLES = frozenset({"systems_in"})
"""Options that have no effect on the other kind of input, and so have no place in its record."""

MOST_WORKERS = 1024
"""Largest number of workers or threads an option takes."""
MOST_SYSTEMS = 10**6
"""Largest number of systems an option takes."""


def _check_threads() -> Callable[[Any], object]:
    from metaeval.checks import check_threads  # noqa: PLC0415 - only for a command that takes threads

    return check_threads


def check_resamples() -> Callable[[Any], object]:
    """Return the library's check of a number of resamples, which loads numba."""
    from metaeval.tests_stat.counting import check_resamples  # noqa: PLC0415

    return check_resamples


def _read_regex(text: str) -> object:
    from metaeval.io.groups import groups_from_regex  # noqa: PLC0415 - loads polars

    return groups_from_regex(text, [])


def parse_runs(text: str) -> str | int:
    """Turn the text of --runs into what `metaeval.scores.select_runs` takes.

    Examples
    --------
    >>> parse_runs("all"), parse_runs("30")
    ('all', 30)
    """
    word = text.strip().casefold()
    if word in ("all", "one-per-group"):
        return word
    if not word.isdecimal() or not 2 <= int(word[:10]) <= MOST_SYSTEMS:  # noqa: PLR2004 - a pair
        message = f"--runs takes all, one-per-group or a number of systems from 2, not {text!r}"
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
Runs = Annotated[
    str,
    typer.Option(
        "--runs",
        callback=checks.read_by(parse_runs),
        metavar="all|one-per-group|N",
        help="Which systems to compare; chosen with the seed.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Tests = Annotated[
    str,
    typer.Option(
        "--test",
        callback=checks.pair_tests(also=("bootstrap_sensitivity",), several=True),
        metavar="NAME,…|all",
        help="Significance tests by comma, named above; other names of the field, such as fisher, are understood.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
PairTests = Annotated[
    str,
    typer.Option(
        "--test",
        callback=checks.pair_tests(several=True),
        metavar="NAME,…|all",
        help="Significance tests by comma, such as t, wilcoxon, randomisation, bootstrap; names of the field are "
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
        help="none, bonferroni, holm, fdr_bh, fdr_by.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Alpha = Annotated[
    float,
    typer.Option(
        "--alpha",
        callback=checks.number("a level above 0 and below 1", lambda level: 0 < level < 1),
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
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace an older report in that folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on standard error.")]


class Loaded(NamedTuple):
    """What the inputs of a command became."""

    scores: "Scores"
    collection: "JudgedCollection | None"
    provenance: "Provenance"


def load_scores(context: typer.Context, session: Session, *, fewest: int = 2) -> Loaded:
    """Read the inputs of a command as its options say: score tables, or runs and judgments that are then scored.

    Parameters
    ----------
    context : typer.Context
        Its parameters are recorded as the options of the command, less those that belong to the other kind of input.
    session : Session
        Told what is being read.
    fewest : int, default 2
        Systems, and topics, that there must be; 1 where nothing is compared.

    Returns
    -------
    Loaded
        The scores, the compiled collection they came from (None for tables), and the record of the command.
    """
    from metaeval.provenance import record_provenance  # noqa: PLC0415

    given = dict(context.params)
    collection = None
    if given["qrels"] is None:
        scores, files = _from_tables(given, session)
    else:
        collection, files = load_collection(context, session)
        given["metrics"] = chosen_metrics(given["metrics"], collection)
        scores = _scored(collection, given, session, checks.registry_of(context), fewest)
    direction = dict.fromkeys(given.get("lower_is_better") or (), False)
    if direction:
        from metaeval.scores import as_scores  # noqa: PLC0415

        scores = as_scores(scores, higher_is_better=direction, fewest=fewest)
    source = f"seed {given['seed']}" if given.get("seed") is not None else None
    idle = _FOR_RUNS if given["qrels"] is None else _FOR_TABLES
    idle = idle - {"metrics"} if given.get("metrics") else idle
    options = {name: value for name, value in given.items() if name not in idle}
    provenance = record_provenance(context.info_name or "metaeval", options=options, random_source=source, inputs=files)
    return Loaded(scores, collection, provenance)


def load_collection(
    context: typer.Context, session: Session, *, keep: Literal["judged", "all"] = "judged"
) -> "tuple[JudgedCollection, list[str]]":
    """Read runs and judgments as the options of a command say; return them with the files that were read.

    What the files hold, documents, elements or passages, is found by their content.
    """
    from metaeval.io.groups import read_groups  # noqa: PLC0415 - loads polars
    from metaeval.io.judged import read_judged  # noqa: PLC0415 - loads numba
    from metaeval.io.sheets import read_sheet  # noqa: PLC0415
    from metaeval.io.trec import run_sources  # noqa: PLC0415

    given = context.params
    session.say(f"Reading {_count(len(run_sources(given['inputs'])), 'run')} and their judgments")
    read = read_judged(
        given["inputs"],
        given["qrels"],
        sizes=given.get("element_sizes"),
        keep=keep,
        order=given["order"],
        score_precision=given["score_precision"],
        missing=given["missing"] or "zero",
        strict=not given.get("lenient"),
    )
    collection = read.collection
    sheet = None if given["groups"] is None else read_sheet(given["groups"])
    groups = _groups(given, sheet, collection.systems)
    pooled = None
    if sheet is not None and given.get("pooled_column") is not None:
        pooled = read_groups(sheet, column=given["pooled_column"], systems=collection.systems)
    return collection.with_groups(groups, pooled=pooled), [*read.files, *_group_file(given)]


def chosen_metrics(text: str | None, collection: "JudgedCollection") -> str:
    """Return the metrics asked for, or those that fit what the collection holds."""
    if text is not None:
        return text
    from metaeval.metrics.defaults import default_metrics  # noqa: PLC0415 - loads numba

    return ",".join(default_metrics(collection))


def _from_tables(given: Mapping[str, Any], session: Session) -> "tuple[Scores, list[str]]":
    from metaeval.io.sheets import read_sheet  # noqa: PLC0415
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads polars
    from metaeval.scores import as_scores  # noqa: PLC0415

    session.say(f"Reading {_count(len(given['inputs']), 'input')}")
    scores = read_scores(given["inputs"], missing=given["missing"] or "error", systems_in=given["systems_in"])
    sheet = None if given["groups"] is None else read_sheet(given["groups"])
    scores = as_scores(scores, groups=_groups(given, sheet, scores["system"].to_numpy().tolist()))
    if given.get("metrics"):
        scores = scores.sel(metric=_columns_named(given["metrics"], scores["metric"].to_numpy().tolist()))
    return scores, [*scores.attrs.get("sources", []), *_group_file(given)]


def _columns_named(text: str, known: Sequence[str]) -> list[str]:
    """Return the metrics of a score table that --metrics names, as the table writes them."""
    from metaeval.metrics.names import split_names as split_metrics  # noqa: PLC0415

    names = list(dict.fromkeys(split_metrics(text)))
    for name in names:
        if name not in known:
            raise UnknownNameError("metric in the score table", name, known)
    return names


def _scored(
    collection: "JudgedCollection", given: Mapping[str, Any], session: Session, registry: "Registry", fewest: int
) -> "Scores":
    from metaeval.metrics.names import split_names as split_metrics  # noqa: PLC0415
    from metaeval.metrics.score import score  # noqa: PLC0415 - loads numba

    session.say(f"Scoring {_count(collection.n_systems, 'run')} on {_count(collection.n_topics, 'topic')}")
    return score(
        collection,
        split_metrics(given["metrics"]),
        undefined=given["undefined"],
        registry=registry,
        n_threads=given.get("threads"),
        fewest=fewest,
    )


def _groups(given: Mapping[str, Any], sheet: "Sheet | None", systems: Sequence[str]) -> Mapping[str, str] | None:
    from metaeval.io.groups import groups_from_regex, read_groups  # noqa: PLC0415 - loads polars

    if sheet is not None:
        return read_groups(sheet, column=given["group_column"], systems=systems)
    return None if given["group_regex"] is None else groups_from_regex(given["group_regex"], systems)


def _group_file(given: Mapping[str, Any]) -> list[str]:
    return [] if given["groups"] is None else [str(given["groups"])]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def split_names(text: str, known: tuple[str, ...]) -> list[str]:
    """Split a list of names at commas; "all" stands for every known one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return list(known) if names == ["all"] else names
