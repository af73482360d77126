"""`metaeval judgments`: what fewer judgments would change, and whether new systems would be judged fairly."""

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded
from metaeval.errors import InvalidOptionError
from metaeval.tests_stat.correction import CORRECTIONS

if TYPE_CHECKING:
    from metaeval.resampling.effort import CostModel
    from metaeval.studies.judgments import JudgmentsStudy

__all__ = ["judgments", "parse_cost", "parse_time"]

_PANEL = "The question"
_TEST_PANEL = "Significance"
_LONGEST = 10**9
_UNITS = {"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def _questions() -> tuple[str, ...]:
    from metaeval.studies.judgments import QUESTIONS  # noqa: PLC0415 - loads scipy and numba

    return tuple(QUESTIONS)


def _reductions() -> tuple[str, ...]:
    from metaeval.resampling.reductions import REDUCTIONS  # noqa: PLC0415 - loads numba

    return tuple(REDUCTIONS)


def parse_time(text: str) -> float:
    """Turn a length of time into seconds.

    Examples
    --------
    >>> parse_time("90"), parse_time("1.5m"), parse_time("2 h")
    (90.0, 90.0, 7200.0)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", text)
    if found is None or found[2] not in _UNITS or not 0 < float(found[1]) <= _LONGEST:
        message = f"--budget takes a time above 0, such as 30s, 5m or 1h, not {text!r}"
        raise InvalidOptionError(message)
    return float(found[1]) * _UNITS[found[2]]


def parse_cost(text: str) -> "str | CostModel":
    """Turn minutes for a relevant and another document into a cost model; a name stays one.

    Examples
    --------
    >>> parse_cost("2.5,0.5")
    CostModel(minutes_relevant=2.5, minutes_other=0.5)
    """
    from metaeval.resampling.effort import CostModel  # noqa: PLC0415 - loads numba

    if "," not in text:
        return text
    numbers = checks.parse_numbers(text, "--cost")
    if len(numbers) != 2:  # noqa: PLR2004 - relevant, other
        message = f"--cost takes a year or two numbers of minutes, such as 2.5,0.5, not {text!r}"
        raise InvalidOptionError(message)
    return CostModel(*numbers)


def _cost_model(text: str) -> "CostModel":
    from metaeval.resampling.effort import cost_model  # noqa: PLC0415 - loads numba

    return cost_model(parse_cost(text))


@command("judgments", reads="pools")
def judgments(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    pool_depth: Annotated[
        int | None,
        typer.Option(
            "--pool-depth",
            callback=checks.whole(1, 10**9),
            metavar="DEPTH",
            show_default="found for each topic",
            help="Depth to which the pooled runs were pooled, where it is known.",
            rich_help_panel="Reading",
        ),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            callback=checks.several_of(_questions, every=True),
            metavar="NAME,…",
            show_default="all that the input allows",
            help="less-judging, shallower-pools, fewer-topics, new-systems (needs groups), effort.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    reductions: Annotated[
        str | None,
        typer.Option(
            "--reductions",
            callback=checks.several_of(_reductions, every=True),
            metavar="NAME,…",
            show_default="those of the question",
            help=(
                "Ways to judge less: stratified, random, relevant, order, topics, depth, share, size, reciprocal-rank."
            ),
            rich_help_panel=_PANEL,
        ),
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option(
            "--steps",
            callback=checks.numbers(
                "percentages above 0 and at most 100 by comma, such as 10,30,50",
                lambda step: 0 < step <= 100,  # noqa: PLR2004 - percent
            ),
            metavar="10,30,50",
            show_default="as published",
            help="How much is left, in percent.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    pool_sizes: Annotated[
        str | None,
        typer.Option(
            "--pool-sizes",
            callback=checks.numbers(
                "whole numbers of documents by comma, such as 50,100,200",
                lambda size: 1 <= size <= 10**9 and size == int(size),
            ),
            metavar="50,100,200",
            show_default="50 to 500, or parts of the pool",
            help="Pool sizes, in documents a topic.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            callback=checks.whole(1, checks.MOST_DRAWS),
            metavar="N",
            help="Draws at every step.",
            rich_help_panel=_PANEL,
        ),
    ] = 10,
    budget: Annotated[
        str | None,
        typer.Option(
            "--budget",
            callback=checks.read_by(parse_time),
            metavar="30s|5m|1h",
            show_default="none",
            help="Begin no further replicate after this time (two are always made): a cheap first look.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    min_tau: Annotated[
        float,
        typer.Option(
            "--min-tau",
            callback=checks.number("a Kendall's tau above -1 and at most 1", lambda tau: -1 < tau <= 1),
            metavar="TAU",
            help="The Kendall's tau to keep.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.9,
    top: Annotated[
        int,
        typer.Option(
            "--top",
            callback=checks.whole(2, opt.MOST_SYSTEMS),
            metavar="K",
            help="Correlations are also taken among the best K runs.",
            rich_help_panel=_PANEL,
        ),
    ] = 10,
    cost: Annotated[
        str,
        typer.Option(
            "--cost",
            callback=checks.read_by(_cost_model),
            metavar="2003|2005|2006|R,N",
            help="Minutes for a relevant and another document: those of a year of INEX, or your own, as 2.5,0.5.",
            rich_help_panel=_PANEL,
        ),
    ] = "2006",
    test: Annotated[
        str,
        typer.Option(
            "--test",
            callback=checks.pair_tests(),
            metavar="NAME",
            help="Test for significant pairs.",
            rich_help_panel=_TEST_PANEL,
        ),
    ] = "t",
    correction: Annotated[
        str | None,
        typer.Option(
            "--correction",
            callback=checks.corrections(family_wise=True),
            metavar="NAME",
            show_default="fdr_by, or the test's own",
            help=f"{', '.join(CORRECTIONS)}.",
            rich_help_panel=_TEST_PANEL,
        ),
    ] = None,
    alpha: opt.Alpha = 0.05,
    tested: Annotated[
        int,
        typer.Option(
            "--tested",
            callback=checks.whole(0, checks.MOST_DRAWS),
            metavar="N",
            help="Replicates in which all pairs are tested; 0 leaves that out.",
            rich_help_panel=_TEST_PANEL,
        ),
    ] = 5,
    seed: opt.Seed = 0,
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            callback=checks.whole(1, opt.MOST_WORKERS, also=(-1,)),
            metavar="N",
            help="Workers side by side, -1 for every core; never changes a result.",
        ),
    ] = 1,
    keep: Annotated[
        Path | None,
        typer.Option(
            "--keep",
            parser=checks.file_path,
            callback=checks.file_to_write(folder=True),
            metavar="FOLDER",
            show_default="with --out, OUT.replicates until the report is there",
            help="Keep finished replicates here, so that a run that was cut off goes on.",
        ),
    ] = None,
) -> "JudgmentsStudy":
    """Say what fewer judgments would change, and whether new systems would be judged fairly.

    Runs are ranked under all judgments and under ever fewer of them. Kendall's tau of the two rankings tells how much
    changed: 1 is nothing, and rankings from 0.9 on are commonly taken for the same. The questions:

    less-judging: judge a random part of the documents, or stop early. shallower-pools: judge fewer of the top
    documents of every run. fewer-topics: judge some topics only. new-systems: leave out each group's runs when the
    pool is built, and see what becomes of their scores. effort: spend the same number of judgments in several ways.

    For example:

        metaeval judgments runs/ --qrels qrels.txt --question less-judging --budget 30s

        metaeval judgments runs/ --qrels qrels.txt --groups teams.csv --pooled-column pooled --out judgments-report
    """
    from metaeval.resampling.replicates import discard_replicates  # noqa: PLC0415 - as above
    from metaeval.studies.judgments import QUESTIONS, study_judgments  # noqa: PLC0415 - loads scipy and numba

    asked = None if question is None else opt.split_names(question, tuple(QUESTIONS))
    ways = None if reductions is None else opt.split_names(reductions, _reductions())
    out = loaded.options["out"]
    if keep is None and out is not None:
        keep = out.with_name(f"{out.name}.replicates")
        loaded.when_saved(partial(discard_replicates, keep))
    return study_judgments(
        loaded.collection(retrieved=_needed(asked, ways)),
        loaded.metrics(),
        questions=asked,
        reductions=ways,
        steps=None if steps is None else checks.parse_numbers(steps, "--steps"),
        sizes=None if pool_sizes is None else [int(size) for size in checks.parse_numbers(pool_sizes, "--pool-sizes")],
        n_replicates=replicates,
        n_tested=tested,
        test=test,
        correction=correction,
        alpha=alpha,
        min_tau=min_tau,
        top=top,
        pool_depth=pool_depth,
        cost=parse_cost(cost),
        rng=seed,
        n_jobs=workers,
        keep=keep,
        budget=None if budget is None else parse_time(budget),
        registry=loaded.registry,
        provenance=loaded.provenance,
    )


def _needed(asked: list[str] | None, ways: list[str] | None) -> Literal["judged", "all"]:
    """Say what must be read: random and early stops need the judged documents only, and less memory."""
    from metaeval.resampling.reductions import REDUCTIONS  # noqa: PLC0415 - loads numba
    from metaeval.studies.judgments import QUESTIONS  # noqa: PLC0415 - as above

    pools = {name for name, one in REDUCTIONS.items() if one.needs_retrieved}
    light = asked is not None and not {"new-systems", "effort"} & {*asked}
    wanted = ways if ways is not None else [name for one in asked or () for name in QUESTIONS.get(one, ())]
    return "judged" if light and not pools & {*wanted} and "shallower-pools" not in (asked or ()) else "all"
