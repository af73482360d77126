"""The options that several commands share, and the groups that commands read and show by."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from metaeval.base.checks import MOST_REPLICATES, MOST_WORKERS, check_error_rate, check_jobs, check_share
from metaeval.base.metric_names import DEFAULT_METRICS
from metaeval.base.names import is_number
from metaeval.cli import checks
from metaeval.cli.help import QUESTION
from metaeval.cli.option import Option, argument, choice, flag, path
from metaeval.io.benchmarks.formats import BENCHMARKS
from metaeval.tests_stat.catalogue import TESTS
from metaeval.tests_stat.correction import CORRECTIONS

_LARGEST_SEED = 2**63 - 1

type Group = Mapping[str, tuple[object, object]]
"""Name of a parameter to its annotation and its default (`inspect.Parameter.empty` where it must be given)."""


# --------------------------------------------------------------------------------------------------- shared questions


def parse_choose(text: str) -> str | int:
    """Turn the text of --choose into what `metaeval.table.scores.select_runs` takes.

    Examples
    --------
    >>> parse_choose("all"), parse_choose("30")
    ('all', 30)
    """
    word = text.strip().casefold()
    if word in ("all", "one-per-group"):
        return word
    if not word.isdecimal() or not 2 <= int(word[:10]) <= checks.MOST_SYSTEMS:  # noqa: PLR2004 - a pair
        raise checks.refusal("--choose", "all, one-per-group or a number of systems from 2", text)
    return int(word)


def _seed(value: int, option: str) -> int:
    if not 0 <= value <= _LARGEST_SEED:
        raise checks.refusal(option, f"a whole number from 0 to {_LARGEST_SEED}, such as 0", value)
    return value


TEST = Option("NAME", "Test between two systems.", checks.a_test, adds=lambda: TESTS.plugins)
BASELINE = Option("SYSTEM", "A system to compare with every other.", checks.a_name)
_OVER_PAIRS = f"Over all pairs: {', '.join(CORRECTIONS.builtin)}."
CORRECTION = Option("NAME", _OVER_PAIRS, checks.a_correction, adds=lambda: CORRECTIONS.plugins)
CORRECTION_OR_OWN = Option("NAME", _OVER_PAIRS, checks.correction_or_own, adds=lambda: CORRECTIONS.plugins)
ALTERNATIVE = choice(
    "better: one-sided towards each pair's better mean, both directions counting as hypotheses.",
    *("two-sided", "greater", "less", "better"),
)
ALPHA = Option("LEVEL", "Significance level.", check_share)
POWER = Option("CHANCE", "Target power.", check_share)
RESAMPLES = Option(
    "B",
    "Resamples of every resampling test.",
    checks.whole_number(most=10 * MOST_REPLICATES),
    shown="1000 for bootstraps, 10000 for permutations",
)

TEST_LIST = Option(
    "NAME,…|all",
    f"Significance tests by comma: {', '.join(TESTS.builtin)}. Synonyms, such as fisher, are accepted.",
    checks.several(checks.a_test, every=True),
    means="tests",
    adds=lambda: TESTS.plugins,
)
CORRECTION_LIST = Option(
    "NAME,…|all",
    f"{', '.join(CORRECTIONS.builtin)}.",
    checks.several(checks.a_correction, every=True),
    means="corrections",
    adds=lambda: CORRECTIONS.plugins,
)
INTERVALS = Option(
    "R",
    "Topic resamples for the intervals; 0 leaves them out.",
    checks.whole_number(2, zero=True),
    means="n_topic_resamples",
)
REPLICATES = Option("N", "Draws of fewer judgments, at every step.", checks.whole_number())
MAX_ERROR = Option("SHARE", "Largest error rate allowed, below 0.5.", check_error_rate)
TOPICS_NEEDED = flag(
    "--topics/--no-topics", "Estimate how many topics each metric needs; takes some seconds per metric."
)
POSTERIOR = flag(
    "--posterior",
    "Also write the draws of the Bayesian model of error rates: data/posterior.nc, several megabytes.",
    needs="out",
    often=False,
)
PUBLISHED = flag(
    "--published", "Also show in the terminal the tables in the form of Pal, Mitra and Kamps (2010).", often=False
)
CHOOSE = Option("all|one-per-group|N", "Which systems to compare; chosen with the seed.", checks.read_by(parse_choose))
SEED = Option("NUMBER", "Seed of all random draws, from 0.", _seed, means="rng", panel="Work")
THREADS = Option(
    "N",
    "Cores to use; never changes a result.",
    checks.whole_number(most=MOST_WORKERS),
    shown="every core",
    panel="Work",
)
OVERWRITE = flag("--overwrite", "Replace an existing report or file.", panel="Output", needs="out pairs scores")
QUIET = flag("--quiet -q", "No progress, and of all notes only those on what changes numbers.", panel="Output")


# ------------------------------------------------------------------------------------------------------ shared reading


def _read_regex(text: str) -> object:
    from metaeval.io.groups import groups_from_regex  # noqa: PLC0415 - loads pandas

    return groups_from_regex(text, [])


_reading = partial(Option, panel="Reading")
QRELS = path(
    "FILE",
    "TREC judgments, or INEX assessments (a file or a folder); the inputs are then runs to score.",
    checks.file_to_read(folder=True),
    panel="Scoring runs",
    means="read_collection.qrels",
)
ELEMENT_SIZES = path(
    "FILE",
    "Sizes of INEX elements (document, path, characters), if the assessments have none.",
    checks.file_to_read("the table of sizes"),
    panel="Reading",
    means="element_collection.sizes",
)
LENIENT = flag("--lenient", "Read the valid part of INEX files that break a rule, with warnings.", panel="Reading")
_HIGHER_IS_BETTER = _reading(
    "METRIC",
    "A metric where higher is better though its name says otherwise, such as a loss; may be repeated.",
    checks.a_name,
)
LOWER_IS_BETTER = _reading("METRIC", "A metric where lower is better; may be repeated.", checks.a_name)
WHERE = _reading(
    "COLUMN=TEXT",
    "Keep only rows with this text in this column, or with such numbers ('year>=2020', 'length<500', n=10..20); of "
    "results of a benchmark those with this setting (SETTING=VALUE, TASK/SETTING=VALUE; * for any signs). May be "
    "repeated.",
    checks.read_by(checks.parse_where),
)

_METRICS = Option(
    "NAME,…",
    "Metrics to compute from runs and qrels, in the notation of ir_measures, or a preset; `metaeval metrics` lists "
    "them.",
    checks.names_of_metrics,
    shown=f"{DEFAULT_METRICS}; for INEX files and subtopics those of their kind",
)
_PLUGIN = path("FILE.py", "File of metrics of your own, defined with @metric; may be repeated.")
_UNDEFINED = choice(
    "How to score a topic with nothing relevant under a metric.",
    *("zero", "drop"),
    shown="zero; drop for measures of elements and passages",
)
ORDER = choice("How to order the documents of a run.", "score", "ties-ascending", "rank", "input")
SCORE_PRECISION = choice(
    "Precision for comparing the scores of a run; float32 as in trec_eval up to 9.", *("float64", "float32")
)
_SUBTOPICS = choice(
    "Take column 2 of the judgments for subtopics, for measures of diversity, or keep only the highest grade of a "
    "document.",
    *("keep", "collapse"),
    shown="keep, where a document is about several, or a measure of diversity is asked for",
)
_SUBTOPIC_WEIGHTS = path(
    "FILE",
    "Table of topic, subtopic and weight, such as how often each is meant.",
    checks.file_to_read("the table of weights"),
    shown="all alike",
    panel="Reading",
    means="read_judged.subtopic_weights",
)


class _Scoring:
    qrels: Annotated[Path | None, QRELS] = None
    metrics: Annotated[str | None, _METRICS] = None
    plugin: Annotated[list[Path] | None, _PLUGIN] = None
    undefined: Annotated[str | None, _UNDEFINED] = None
    order: Annotated[str, ORDER] = "score"
    score_precision: Annotated[str, SCORE_PRECISION] = "float64"
    subtopics: Annotated[str | None, _SUBTOPICS] = None
    subtopic_weights: Annotated[Path | None, _SUBTOPIC_WEIGHTS] = None
    element_sizes: Annotated[Path | None, ELEMENT_SIZES] = None
    lenient: Annotated[bool, LENIENT] = False


GROUPS = path(
    "FILE",
    "Table with a column of system names and one of groups (teams), called group or the only other one.",
    checks.file_to_read("the table of groups"),
)
GROUP_COLUMN = Option(
    "NAME", "The column of --groups that holds the group.", checks.a_name, means="column", needs="groups"
)
GROUP_REGEX = Option(
    "REGEX",
    "Take the group from the system's name: the first capture group.",
    checks.read_by(_read_regex),
    excludes="groups",
)


class _Grouping:
    groups: Annotated[Path | None, GROUPS] = None
    group_column: Annotated[str | None, GROUP_COLUMN] = None
    group_regex: Annotated[str | None, GROUP_REGEX] = None


_CHOSEN = "Choosing data"
_ANY = "or several by comma; may be repeated; * matches any text."


class _Choosing:
    system_list: Annotated[
        Path | None,
        path(
            "FILE", "Use only the systems named in this file, one per line.", checks.file_to_read("the list of systems")
        ),
    ] = None
    exclude_systems: Annotated[list[str] | None, Option("NAME", f"A system to leave out, {_ANY}", checks.a_name)] = None
    topic_list: Annotated[
        Path | None,
        path(
            "FILE", "Use only the topics named in this file, one per line.", checks.file_to_read("the list of topics")
        ),
    ] = None
    exclude_topics: Annotated[list[str] | None, Option("NAME", f"A topic to leave out, {_ANY}", checks.a_name)] = None
    n_topics: Annotated[
        int | None,
        Option("N", "Use a random sample of N topics.", checks.whole_number()),
    ] = None


_FORM = choice(
    "The form of the tables, where it is not found out rightly from their content.",
    *("wide", "long", "trec_eval", "ir_measures", "tot", "frame", "crossed"),
    shown=False,
)
_SYSTEMS_IN = choice(
    "Where the systems are in a wide table.",
    *("columns", "rows"),
    shown="columns, unless the first column says system or run",
)
_REPEATS_IN_NAMES = flag(
    "--repeats-in-names",
    "Systems whose names differ in their last number (gpt_trial0, gpt_trial1) are repeats of one, called gpt.",
)
_MISSING = choice(
    "How to handle missing scores; pairwise compares pairs on common topics, if the test allows.",
    *("error", "zero", "drop-systems", "drop-topics", "pairwise"),
    shown="error; zero with --qrels",
)
DUPLICATES = choice(
    "How to treat several scores, labels or judgments of one thing: reject them, keep the first, or take their mean.",
    *("error", "first", "mean"),
    shown="error",
    panel="Reading",
)
_CLUSTERS = choice(
    "How to treat clusters of topics: as a sample of clusters (random), as all there are (fixed), by their means "
    "(macro means), or not at all (ignore).",
    *("random", "fixed", "means", "ignore"),
    shown="random if the table has a column cluster, fixed if it has a column stratum",
    means="with_clusters",
)


_CLUSTER_FILE = path(
    "FILE",
    "Table with a column of topics and one of their clusters (tasks, documents), called cluster or the only other one.",
    checks.file_to_read("the table of clusters"),
)


def _column(part: str, words: str, *, excludes: str = "") -> Option:
    """Return the option that names the column of a part of a score table."""
    return Option("NAME", words, checks.a_name, panel="Reading", means=f"columns.{part}", excludes=excludes)


def _one_or_two_levels(names: list[str], option: str) -> list[str]:
    if len(set(names)) < len(names) or len(names) > 2:  # noqa: PLR2004 - levels
        raise checks.refusal(option, "one column, or two with the smaller clusters first", ", ".join(names))
    return checks.a_name(names, option)  # type: ignore[return-value]  # a list, as given


def read_credit(texts: list[str] | None) -> dict[str, float]:
    """Return what labels of nuggets count."""
    return {label: float(text) for label, text in checks.parse_assignments(texts, "--credit").items()}


def refuse_bad_credit(_: str, text: str) -> None:
    """Refuse what is no number for a label to count."""
    if not is_number(text) or abs(float(text)) > 1:
        raise checks.refusal("--credit", "LABEL=NUMBER, from -1 to 1 (full credit)", text)


CREDIT = Option(
    "LABEL=NUMBER",
    "What a label of nuggets counts; may be repeated.",
    checks.assignments(refuse_bad_credit),
    shown="support 1, partial support 0.5, others 0",
    panel="Reading",
)
_NO_HEADER = flag(
    "--no-header",
    "The table has no header; give columns by number from 1, as in --item-column 2.",
    panel="Reading",
)
_IGNORE_COLUMN = _column("ignore", "A column to leave out; may be repeated.", excludes="no_header")


_CLUSTER_COLUMN = Option(
    "NAME",
    "The column of the clusters of topics: tasks, documents. Twice for two levels, the smaller clusters first: means "
    "of means, in which the larger clusters weigh alike and are drawn whole.",
    _one_or_two_levels,
    panel="Reading",
    means="columns.cluster clusters",
)


class _Tables:
    form: Annotated[str | None, _FORM] = None
    systems_in: Annotated[str | None, _SYSTEMS_IN] = None
    repeats_in_names: Annotated[bool, _REPEATS_IN_NAMES] = False
    missing: Annotated[str | None, _MISSING] = None
    duplicates: Annotated[str | None, DUPLICATES] = None
    clusters: Annotated[str | None, _CLUSTERS] = None
    cluster_file: Annotated[Path | None, _CLUSTER_FILE] = None
    lower_is_better: Annotated[list[str] | None, LOWER_IS_BETTER] = None
    higher_is_better: Annotated[list[str] | None, _HIGHER_IS_BETTER] = None
    system_column: Annotated[str | None, _column("system", "The column of systems.")] = None
    item_column: Annotated[
        str | None,
        _column("topic", "The column of topics, or items (several by comma); none if there is none."),
    ] = None
    metric_column: Annotated[str | None, _column("metric", "The column of metrics.")] = None
    value_column: Annotated[str | None, _column("score", "The column of scores.")] = None
    repeat_column: Annotated[str | None, _column("repeat", "The column of repeats (epochs, seeds).")] = None
    cluster_column: Annotated[list[str] | None, _CLUSTER_COLUMN] = None
    weight_column: Annotated[str | None, _column("weight", "The column of the weights of topics.")] = None
    ignore_column: Annotated[list[str] | None, _IGNORE_COLUMN] = None
    no_header: Annotated[bool, _NO_HEADER] = False
    credit: Annotated[list[str] | None, CREDIT] = None
    where: Annotated[list[str] | None, WHERE] = None


NO_COLUMN = "none"
"""What --item-column says where a wide table names no topics."""
COLUMNS = {
    name: kind.__metadata__[0].means[0].removeprefix("columns.")
    for name, kind in inspect.get_annotations(_Tables).items()
    if name.endswith("_column")
}
"""Options that say which column of a table is which, and what `metaeval.read_scores` calls it."""
ABOUT_TABLES = frozenset({*COLUMNS, "credit", "form", "no_header", "repeats_in_names", "systems_in", "where"})
"""Options that mean nothing for runs."""


def parse_columns(given: Mapping[str, object]) -> dict[str, object]:
    """Return what the options say of the columns of tables, as `metaeval.read_scores` takes it.

    Examples
    --------
    >>> parse_columns({"item_column": "question", "no_header": False})
    {'columns': {'topic': 'question'}, 'header': None}
    """
    columns: dict[str, object] = {role: given[name] for name, role in COLUMNS.items() if given.get(name)}
    levels = list(given.get("cluster_column") or ())  # type: ignore[call-overload]  # an option given several times
    if levels:
        columns["cluster"] = levels if len(levels) > 1 else levels[0]
    if columns.get("topic") == NO_COLUMN:
        columns["topic"] = None
    if given.get("cluster_file"):
        columns.pop("cluster", None)  # it is a column of that file
    if not given.get("no_header"):
        return {"columns": columns, "header": None}
    for name, role in COLUMNS.items():
        if columns.get(role) is not None:
            text = str(columns[role]).strip()
            if not text.isdecimal() or not int(text[:6]) > 0:
                option = f"--{name.replace('_', '-')}"
                raise checks.refusal(option, "a column's number, counted from 1, beside --no-header", text)
            columns[role] = int(text[:6])
    return {"columns": columns, "header": False}


def _vote_column(role: str, words: str = "") -> Option:
    return Option(
        "NAME",
        f"The column of the {words or role}.",
        checks.a_name,
        panel="Reading",
        means=f"columns.{role}",
        often=role == "winner",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnsOfVotes:
    """Names of columns of votes."""

    left_column: Annotated[str | None, _vote_column("left", "left system")] = None
    right_column: Annotated[str | None, _vote_column("right", "right system")] = None
    winner_column: Annotated[str | None, _vote_column("winner")] = None
    loser_column: Annotated[str | None, _vote_column("loser", "loser, where none names the winner")] = None
    question_column: Annotated[str | None, _vote_column("question")] = None
    voter_column: Annotated[str | None, _vote_column("voter")] = None
    count_column: Annotated[str | None, _vote_column("count", "number of votes that a row stands for")] = None

    def by_role(self) -> dict[str, str]:
        """Return the columns that are named, by what they hold."""
        return {name.removesuffix("_column"): column for name, column in asdict(self).items() if column is not None}


def _address(text: str, option: str) -> str:
    """Take what Dask prints where a scheduler starts; nobody is called yet."""
    if not re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/:]+:\d{1,5}/?|(tcp|tls|ws|wss)://\[[\da-fA-F:]+\]:\d{1,5}/?", text):
        raise checks.refusal(option, "the address of a Dask scheduler, such as tcp://127.0.0.1:8786", text)
    return text


_WORKERS = Option(
    "N",
    "Processes that share repeated work, -1 for one per core; never changes a result.",
    lambda number, _option: check_jobs(number),
    means="n_jobs",
)
_DASK = Option(
    "ADDRESS",
    "Scheduler of a Dask cluster for repeated work, such as tcp://127.0.0.1:8786; never changes a result.",
    _address,
    excludes="workers",
)


class _Working:
    workers: Annotated[int, _WORKERS] = 1
    dask: Annotated[str | None, _DASK] = None


class _Drawing:
    seed: Annotated[int, SEED] = 0
    threads: Annotated[int | None, THREADS] = None


_DESCRIPTION = Option(
    "WORDS", "A sentence or two about the data, shown under the title of the report.", checks.a_name, shown=False
)


class _Showing:
    out: Annotated[
        Path | None, path("FOLDER", "Write the answer as a report in this folder.", name="--out -o", means="folder")
    ] = None
    overwrite: Annotated[bool, OVERWRITE] = False
    pdf: Annotated[bool, flag("--pdf", "Also write every figure as PDF, for a paper.", needs="out")] = False
    title: Annotated[str | None, Option("WORDS", "Title of the report.", checks.a_name, shown=False)] = None
    description: Annotated[str | None, _DESCRIPTION] = None
    as_json: Annotated[bool, flag("--json", "Print the answer as JSON on standard output.")] = False
    as_latex: Annotated[bool, flag("--latex", "Print the main table as LaTeX (booktabs).", excludes="as_json")] = False
    quiet: Annotated[bool, QUIET] = False


def _group(options: type, panel: str) -> Group:
    """Return the options that a class declares; those that say nothing else stand in this panel of the help."""
    group = {}
    for name, kind in inspect.get_annotations(options).items():
        option = kind.__metadata__[0]
        option = option.but(panel=panel) if option.rich_help_panel == QUESTION else option
        group[name] = (Annotated[kind.__origin__, option], getattr(options, name))
    return group


RUNS = _group(_Scoring, "Scoring runs")
_GROUPING = _group(_Grouping, "Reading")
CHOOSING = _group(_Choosing, _CHOSEN)
"""Which systems and topics a command is about."""
_TABLES = _group(_Tables, "Reading")
WORKING = _group(_Working, "Work")
"""What commands that repeat work offer for it."""
DRAWING = _group(_Drawing, "Work")
"""What commands that draw at random, by compiled code, offer for it."""
OUTPUT = _group(_Showing, "Output")
"""What every command offers for its answer."""

_INPUTS, _INPUTS_OR_VOTES = (
    argument(
        "INPUTS",
        f"With --qrels: TREC runs or INEX submissions, as files, folders or patterns. Without: score tables{also} "
        "(wide or long CSV/TSV/Parquet/NetCDF/JSON, `trec_eval -q` or ir_measures output); a wide table holds one "
        "metric, named after the file, or NAME=FILE. Or results of a benchmark, as folders or files: "
        f"{', '.join(BENCHMARKS[:-1])}. Compressed or not.",
    )
    for also in ("", ", or votes")
)
_COLLECTIONS = argument(
    "COLLECTIONS",
    "A score table a collection, also as NAME=FILE. Files under one NAME, and those of a pattern, NAME='web_*.csv', "
    "are one collection; a wide table is of the metric that its file names, less NAME, or of one that all share where "
    "files name none. Compressed or not.",
)
_ANY_INPUTS = argument(
    "INPUTS",
    "Any files of an evaluation, as files, folders, patterns or NAME=FILE: scores, means with errors, votes, labels, "
    "runs with their judgments, results of a benchmark, INEX. Compressed or not.",
)
_RUN_INPUTS = argument("RUNS", "TREC runs or INEX submissions: files, folders, patterns or NAME=FILE.")
_PILOT_INPUTS = argument(
    "[INPUTS]…",
    "Scores on existing topics, as score tables, or as runs with --qrels. Not needed if --variance is a number.",
)
_POOLED_COLUMN = _reading(
    "NAME", "The column of --groups that marks the pooled runs.", checks.a_name, means="pooled", needs="groups"
)
_POOL_RUNS = _reading(
    "PATH",
    "Runs that contributed to the pool and are not scored (a file, folder or pattern); may be repeated. They may "
    "break rules.",
    checks.files_to_read(),
)
_NEEDED_QRELS = QRELS.but(words="TREC judgments, or INEX assessments (a file or a folder).")

_OF_RUNS: Group = {
    "inputs": (Annotated[list[str], _RUN_INPUTS], inspect.Parameter.empty),
    **RUNS,
    "qrels": (Annotated[Path, _NEEDED_QRELS], inspect.Parameter.empty),
    **_GROUPING,
    **CHOOSING,
    "missing": _TABLES["missing"],
    "duplicates": _TABLES["duplicates"],
}
READING: Mapping[str, Group] = {
    **{
        reads: {
            "inputs": (Annotated[list[str], inputs], inspect.Parameter.empty),
            **RUNS,
            **_GROUPING,
            **CHOOSING,
            **_TABLES,
        }
        for reads, inputs in (("scores", _INPUTS), ("scores or votes", _INPUTS_OR_VOTES), ("any", _ANY_INPUTS))
    },
    "collections": {
        "inputs": (Annotated[list[str], _COLLECTIONS], inspect.Parameter.empty),
        **CHOOSING,
        **_TABLES,
    },
    "runs": _OF_RUNS,
    "pools": {name: option for name, option in _OF_RUNS.items() if name != "undefined"}
    | {
        "pooled_column": (Annotated[str | None, _POOLED_COLUMN], None),
        "pool_runs": (Annotated[list[str] | None, _POOL_RUNS], None),
    },
    "pilot": {
        "inputs": (Annotated[list[str] | None, _PILOT_INPUTS], None),
        **RUNS,
        "qrels": (Annotated[Path | None, QRELS.but(needs="inputs")], None),
        **_GROUPING,
        **CHOOSING,
        **_TABLES,
    },
    "plugins": {"plugin": RUNS["plugin"]},
    "nothing": {},
}
"""What a command may read: score tables or runs with judgments; runs with judgments only; the same as pools, where a
topic left with nothing relevant scores 0 and no rule is asked for; tables of several collections; plug-ins;
what is its own."""
