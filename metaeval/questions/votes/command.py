"""`metaeval votes`: whom do people prefer, by votes on pairs of systems."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from metaeval.base.checks import check_share
from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.option import Option, argument, choice, path
from metaeval.cli.reading import Answer, Loaded
from metaeval.errors import InvalidOptionError


def _side(_word: str, side: str) -> None:
    if side not in {"left", "right", "tie", "none", "name"}:
        raise checks.refusal("--word", "left, right, tie, none or name behind a word", side)


_INPUTS = argument(
    "VOTES",
    "Votes, one a row: tables with a header, JSON lines or a JSON list of arenas and preference judges, recognised by "
    "their columns; or counts of wins, losses and ties. Several files are one set of votes.",
)
_TIES = choice(
    "A tie: half a win for either, an outcome with a parameter of its own, or no vote.", "half", "davidson", "drop"
)
_BY = Option(
    "question,voter",
    "Cluster errors by question, voter or both.",
    checks.several(checks.one_of("question", "voter")),
    means="clusters",
    shown="what is known of both",
)
_COVARIATES = Option(
    "COLUMN,…",
    "What to adjust for: columns of numbers, or NAME for NAME_left less NAME_right; position needs no column.",
    checks.names("names of covariates by comma"),
)
_TOP = Option("K", "Number of systems that count as the top.", checks.whole_number(1, checks.MOST_SYSTEMS), shown="3")
_SHARE = Option("SHARE", "Expected share of settled pairs to plan for.", check_share, means="share")
_NEXT = Option(
    "N", "Number of further votes whose best use is asked for.", checks.whole_number(1, 10_000_000), means="n_next"
)


_WORD = Option(
    "WORD=SIDE",
    "What a word for the winner means, left, right, tie, none (no vote) or name (of a system), such as 1=left; may be "
    "repeated.",
    checks.assignments(_side, at_last=True),
    panel="Reading",
    means="words",
)
_DUPLICATES = choice(
    "Rows that are alike in all columns: each is a vote, or the first alone.", "keep", "first", panel="Reading"
)
_METRICS = ("nDCG@10", "nDCG", "AP", "RR")
"""What is shown beside preferences between runs."""
_BESIDE = path(
    "FILE",
    "A table of scores of the same systems, whose settled pairs are compared with the votes'.",
    checks.file_to_read("the table of scores", folder=True),
)


def _known_preference(text: str) -> object:
    from metaeval.tests_stat.run_preferences import read_preference  # noqa: PLC0415 - loads numba

    return read_preference(text)


_PREFERENCE = Option(
    "NAME",
    "With --qrels: RPP, invRPP, dcgRPP, lexi-precision, lexi-recall or rr-lexi-precision; RPP(rel=2) counts documents "
    "from level 2 on.",
    checks.read_by(_known_preference),
    shown="RPP",
    panel="Rankings as votes",
    needs="qrels",
)
_QRELS = path(
    "FILE",
    "TREC judgments; the inputs are then runs, and a vote says which of two rankings of a topic is better.",
    checks.file_to_read(),
    panel="Rankings as votes",
    means="read_collection.qrels",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """What rows mean, and which count."""

    word: Annotated[list[str] | None, _WORD] = None
    where: Annotated[list[str] | None, opt.WHERE] = None
    duplicates: Annotated[str, _DUPLICATES] = "keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class _RunOptions:
    """Rankings as votes."""

    qrels: Annotated[Path | None, _QRELS] = None
    preference: Annotated[str | None, _PREFERENCE] = None
    order: Annotated[str, opt.ORDER.but(panel="Rankings as votes", needs="qrels")] = "score"


@command("votes")
def votes_command(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[list[str], _INPUTS],
    columns: opt.ColumnsOfVotes,
    ties: Annotated[str, _TIES] = "half",
    by: Annotated[str | None, _BY] = None,
    covariates: Annotated[str | None, _COVARIATES] = None,
    top: Annotated[int | None, _TOP] = None,
    alpha: Annotated[float, opt.ALPHA] = 0.05,
    power: Annotated[float, opt.POWER] = 0.8,
    settled_share: Annotated[float, _SHARE] = 0.75,
    next_votes: Annotated[int, _NEXT] = 100,
    beside: Annotated[Path | None, _BESIDE] = None,
    rows: _Rows,
    runs: _RunOptions,
    seed: Annotated[int, opt.SEED] = 0,
) -> Answer:
    """Rank systems by votes on pairs of them.

    Strengths by Bradley and Terry's model, ranks with simultaneous intervals, the pairs that the votes settle, the fit
    of one scale, and the votes that are missing.

    For example:

        metaeval votes votes.csv

        metaeval votes arena.jsonl.gz --covariates position --out preferences

        metaeval votes arena.csv --beside benchmark.csv

        metaeval votes runs/ --qrels qrels.txt --preference RPP
    """
    from metaeval.base.metric_names import split_names  # noqa: PLC0415 - loads numba with the rest of its package
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads pandas
    from metaeval.io.votes import files_of_votes, read_votes  # noqa: PLC0415 - loads pandas
    from metaeval.questions.votes.study import study_votes  # noqa: PLC0415 - loads scipy

    chosen = [] if covariates is None else split_names(covariates)
    words, where = (
        checks.parse_assignments(rows.word, "--word", at_last=True),
        checks.parse_where(rows.where),
    )
    if runs.qrels is not None:
        unfitting = columns.by_role() or chosen or beside or words or where
        return _of_runs(loaded, inputs, runs, str(runs.qrels), unfitting=unfitting)
    files = files_of_votes(inputs)
    all_votes = read_votes(
        files,
        columns=columns.by_role(),
        covariates=chosen,
        words=words,
        where=where,
        duplicates=rows.duplicates,  # type: ignore[arg-type]  # one of its choices
    )
    scores = None if beside is None else read_scores(beside, missing="pairwise", paired=False)
    loaded.read(*files, *([] if scores is None else scores.attrs["sources"]))
    return loaded.ask(
        study_votes, all_votes, scores=scores, clusters=None if by is None else split_names(by), covariates=chosen
    )


def _of_runs(loaded: Loaded, files: list[str], asked: _RunOptions, qrels: str, *, unfitting: object) -> Answer:
    """Rank runs by preferences between their rankings, beside metrics."""
    from metaeval.io.sources import run_sources  # noqa: PLC0415 - loads numba
    from metaeval.io.trec import read_collection  # noqa: PLC0415 - as above
    from metaeval.metrics.scoring import score  # noqa: PLC0415 - as above
    from metaeval.questions.votes.study import study_votes  # noqa: PLC0415 - loads scipy
    from metaeval.tests_stat.run_preferences import PREFERENCES, prefer_runs  # noqa: PLC0415 - loads numba

    if unfitting:
        raise InvalidOptionError(
            "columns, rows, covariates and --beside are about votes in files, and --qrels makes them of runs"
        )
    collection = read_collection(files, qrels, order=asked.order)  # type: ignore[arg-type]  # one of its choices
    loaded.read(*(source.path for source in run_sources(files)), qrels)
    run_preferences = prefer_runs(collection, [asked.preference or "RPP", *PREFERENCES])
    scores = score(collection, _METRICS)
    return loaded.ask(
        study_votes,
        run_preferences.votes(run_preferences.names[0]),
        scores=scores,
        preferences=run_preferences,
        clusters=None,
        covariates=(),
    )
