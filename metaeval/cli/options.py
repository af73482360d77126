"""Options that several commands share, and the one way from them to Scores."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from metaeval.cli.console import Session
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    from metaeval.io.sheets import Sheet
    from metaeval.metrics.registry import Registry
    from metaeval.metrics.score import JudgedCollection
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
    "chosen_metrics",
    "load_collection",
    "load_registry",
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

DEFAULT_METRICS = "AP,nDCG@10,nDCG,Q,RBP(p=0.8),bpref,P@10,RR"

Inputs = Annotated[
    list[str],
    typer.Argument(
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
        metavar="FILE",
        help="TREC judgments, or INEX assessments (a file or a folder); the inputs are then runs to score.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics",
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
        metavar="FILE.py",
        help="Metrics of your own, made with @metric; may be repeated.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
UndefinedRule = Annotated[
    str | None,
    typer.Option(
        "--undefined",
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
        metavar="score|rank|input",
        help="How the documents of a run are ordered.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
ScorePrecision = Annotated[
    str,
    typer.Option(
        "--score-precision",
        metavar="float64|float32",
        help="Precision in which a run's scores are compared; float32 is what trec_eval up to 9 does.",
        rich_help_panel=_RUNS_PANEL,
    ),
]
ElementSizes = Annotated[
    Path | None,
    typer.Option(
        "--element-sizes",
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
        metavar="NAME",
        help="The column of --groups that says which runs were pooled.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
SystemsIn = Annotated[
    str | None,
    typer.Option(
        "--systems-in",
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
        metavar="METRIC",
        help="A metric where less is better; may be repeated.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        "--groups",
        metavar="FILE",
        help="Table with a column of system names and one of groups (teams), called group or the only other one.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        "--group-column",
        metavar="NAME",
        help="The column of --groups that holds the group.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
GroupRegex = Annotated[
    str | None,
    typer.Option(
        "--group-regex",
        metavar="REGEX",
        help="Take the group from the system's name: the first capture.",
        rich_help_panel=_INPUT_PANEL,
    ),
]
Runs = Annotated[
    str,
    typer.Option(
        "--runs",
        metavar="all|one-per-group|N",
        help="Which systems to compare; chosen with the seed.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Tests = Annotated[
    str,
    typer.Option(
        "--test",
        metavar="NAME,…|all",
        help="Significance tests by comma; named above.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Corrections = Annotated[
    str,
    typer.Option(
        "--correction",
        metavar="NAME,…|all",
        help="none, bonferroni, holm, fdr_bh, fdr_by.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Alpha = Annotated[float, typer.Option("--alpha", metavar="LEVEL", help="Significance level.")]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--resamples",
        metavar="B",
        show_default="1000 for bootstraps, 10000 for permutations",
        help="Resamples of every resampling test.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", help="Seed of all random draws.")]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", show_default="every core", help="Cores to use; never changes a result."),
]
Intervals = Annotated[
    int,
    typer.Option(
        "--interval-resamples",
        metavar="R",
        help="Topic resamples for the intervals of discriminative power; 0 leaves the intervals out.",
        rich_help_panel=_QUESTION_PANEL,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the answer as JSON on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on standard error.")]


class Loaded(NamedTuple):
    """What the inputs of a command became."""

    scores: "Scores"
    collection: "JudgedCollection | None"
    provenance: "Provenance"


def load_scores(context: typer.Context, session: Session) -> Loaded:
    """Read the inputs of a command as its options say: score tables, or runs and judgments that are then scored.

    Parameters
    ----------
    context : typer.Context
        Its parameters are recorded as the options of the command, less those that belong to the other kind of input.
    session : Session
        Told what is being read.

    Returns
    -------
    Loaded
        The scores, the compiled collection they came from (None for tables), and the record of the command.
    """
    from metaeval.provenance import record_provenance  # noqa: PLC0415

    given = dict(context.params)
    collection = None
    if given["qrels"] is None:
        _refuse_idle(context)
        scores, files = _from_tables(given, session)
    else:
        collection, files = load_collection(context, session)
        given["metrics"] = chosen_metrics(given["metrics"], collection)
        scores = _scored(collection, given, session)
    direction = dict.fromkeys(given.get("lower_is_better") or (), False)
    if direction:
        from metaeval.scores import as_scores  # noqa: PLC0415

        scores = as_scores(scores, higher_is_better=direction)
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
    if given.get("pooled_column") is not None:
        if sheet is None:
            message = "--pooled-column names a column of the table given by --groups; give that table too"
            raise InvalidOptionError(message)
        pooled = read_groups(sheet, column=given["pooled_column"], systems=collection.systems)
    return collection.with_groups(groups, pooled=pooled), [*read.files, *_group_file(given)]


def chosen_metrics(text: str | None, collection: "JudgedCollection") -> str:
    """Return the metrics asked for, or those that fit what the collection holds."""
    if text is not None:
        return text
    from metaeval.collection.documents import Collection  # noqa: PLC0415 - loads numba
    from metaeval.metrics.defaults import default_metrics  # noqa: PLC0415

    return DEFAULT_METRICS if isinstance(collection, Collection) else ",".join(default_metrics(collection))


def load_registry(plugins: Sequence[Path] | None) -> "Registry":
    """Return the metrics of the package, of installed packages and of plug-in files."""
    from metaeval.metrics.registry import default_registry, load_plugin  # noqa: PLC0415

    registry = default_registry()
    for path in plugins or ():
        registry = registry.extend(*load_plugin(path))
    return registry


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


def _refuse_idle(context: typer.Context) -> None:
    """Refuse options about runs that were written beside a score table, which they cannot change."""
    for name in sorted(_FOR_RUNS - {"qrels", "metrics"}):
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = next(one.opts[0] for one in context.command.params if one.name == name)
            message = f"{option} is about runs and judgments, and without --qrels the input is a score table; leave "
            "it out"
            raise InvalidOptionError(message)


def _scored(collection: "JudgedCollection", given: Mapping[str, Any], session: Session) -> "Scores":
    from metaeval.metrics.names import split_names as split_metrics  # noqa: PLC0415
    from metaeval.metrics.score import score  # noqa: PLC0415 - loads numba

    session.say(f"Scoring {_count(collection.n_systems, 'run')} on {_count(collection.n_topics, 'topic')}")
    try:
        return score(
            collection,
            split_metrics(given["metrics"]),
            undefined=given["undefined"],
            registry=load_registry(given["plugin"]),
            n_threads=given.get("threads"),
        )
    except InvalidOptionError as error:
        if "sizes=" not in str(error):
            raise
        message = f"{error} (--element-sizes FILE)"
        raise InvalidOptionError(message) from None


def _groups(given: Mapping[str, Any], sheet: "Sheet | None", systems: Sequence[str]) -> Mapping[str, str] | None:
    from metaeval.io.groups import groups_from_regex, read_groups  # noqa: PLC0415 - loads polars

    if sheet is not None:
        return read_groups(sheet, column=given["group_column"], systems=systems)
    return None if given["group_regex"] is None else groups_from_regex(given["group_regex"], systems)


def _group_file(given: Mapping[str, Any]) -> list[str]:
    return [] if given["groups"] is None else [str(given["groups"])]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def parse_runs(text: str) -> str | int:
    """Turn the text of --runs into what `metaeval.scores.select_runs` takes."""
    return int(text) if text.isdecimal() else text


def split_names(text: str, known: tuple[str, ...]) -> list[str]:
    """Split a list of names at commas; "all" stands for every known one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    return list(known) if names == ["all"] else names
