"""`metaeval agree`: do metrics, or uses of the grades, lead to the same conclusions."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded
from metaeval.errors import InvalidOptionError
from metaeval.words import count

if TYPE_CHECKING:
    from metaeval.collection.documents import Collection
    from metaeval.studies.agree import AgreeStudy

__all__ = ["agree"]

_PANEL = "The question"


@command("agree", reads="scores")
def agree(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    audit: Annotated[
        str | None,
        typer.Option(
            "--audit",
            callback=checks.names("names of metrics by comma, such as AP,nDCG@10"),
            metavar="NAME,…",
            help="With --qrels, instead of --metrics: every use of the grades that these metrics know (binary from "
            "each grade on, linear, exponential, --gains), and what each boundary between grades is worth.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    gains: Annotated[
        str,
        typer.Option(
            "--gains",
            callback=checks.names(
                "tables of grades in braces, such as {1:1,2:5}, or names of quantisations, such as exponential"
            ),
            metavar="{1:1,2:5},…",
            help="With --audit: further gains, as tables of grades or names.",
            rich_help_panel=_PANEL,
        ),
    ] = "",
    test: opt.Tests = "t",
    correction: opt.Corrections = "fdr_by",
    alternative: Annotated[
        str,
        typer.Option(
            "--alternative",
            callback=checks.one_of("two-sided", "better"),
            metavar="two-sided|better",
            help="better: one-sided towards each pair's better mean, both directions counting as hypotheses.",
            rich_help_panel=_PANEL,
        ),
    ] = "two-sided",
    alpha: Annotated[
        str,
        typer.Option(
            "--alpha",
            callback=checks.numbers(
                "levels above 0 and below 1 by comma, such as 0.05,0.01", lambda level: 0 < level < 1
            ),
            metavar="LEVEL,…",
            help="Significance levels; the summary tells of the first.",
        ),
    ] = "0.05",
    resamples: Annotated[
        int | None,
        typer.Option(
            "--resamples",
            callback=checks.library(opt.check_resamples, high=10 * checks.MOST_DRAWS),
            metavar="B",
            show_default="10000",
            help="Resamples of every resampling test.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    interval_resamples: Annotated[
        int,
        typer.Option(
            "--interval-resamples",
            callback=checks.whole(2, checks.MOST_DRAWS, also=(0,)),
            metavar="R",
            help="Resamples of the topics for the intervals; 0 leaves them out.",
            rich_help_panel=_PANEL,
        ),
    ] = 200,
    min_f1: Annotated[
        float,
        typer.Option(
            "--min-f1",
            callback=checks.number("an F1 above 0 and at most 1", lambda share: 0 < share <= 1),
            metavar="F1",
            help="The F1 from which conclusions count as the same; a convention.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.9,
    choose: opt.Choose = "all",
    seed: opt.Seed = 0,
    threads: opt.Threads = None,
) -> "AgreeStudy":
    """Say how far metrics lead to the same conclusions about systems.

    Every pair of systems is tested under every metric. One metric's significant pairs are then taken as a prediction
    of another's: precision is the share of them that the other finds too, recall the share of the other's that they
    hold, F1 their harmonic mean. A conflict is a pair that two metrics decide in opposite directions. The first
    metric is taken as the one in use.

    With --audit the metrics are uses of the grades of the judgments: is a binary judgment enough, and which
    boundary between grades matters?

    For example:

        metaeval agree ap.csv ndcg.csv

        metaeval agree runs/ --qrels qrels.txt --audit AP,nDCG@10 --out agree-report
    """
    from metaeval.studies.agree import audit_quantisations, study_agreement  # noqa: PLC0415 - loads scipy and numba
    from metaeval.tests_stat.catalogue import TESTS  # noqa: PLC0415 - as above
    from metaeval.tests_stat.correction import CORRECTIONS  # noqa: PLC0415 - as above

    ask: Callable[..., AgreeStudy]
    if audit is None:
        ask = partial(study_agreement, loaded.scores())
    else:
        collection = _documents(loaded)
        loaded.session.say(f"Scoring {count(collection.n_systems, 'run')} under every use of the grades")
        undefined = loaded.options["undefined"]
        ask = partial(
            audit_quantisations, collection, audit, gains=gains, registry=loaded.registry, undefined=undefined
        )
    return ask(
        tests=opt.split_names(test, tuple(TESTS)),
        corrections=opt.split_names(correction, tuple(CORRECTIONS)),
        alphas=checks.parse_numbers(alpha, "--alpha"),
        alternative=alternative,
        n_resamples=resamples,
        choose=opt.parse_choice(choose),
        n_topic_resamples=interval_resamples or None,
        min_f1=min_f1,
        rng=seed,
        n_threads=threads,
        provenance=loaded.provenance,
    )


def _documents(loaded: Loaded) -> "Collection":
    """Read what an audit is about: runs and judgments of documents."""
    from metaeval.collection.documents import Collection  # noqa: PLC0415 - loads numba

    if loaded.options["qrels"] is None:
        message = "--audit asks about the grades of judgments: give runs and --qrels, not a table of scores"
        raise InvalidOptionError(message)
    collection = loaded.collection()
    if not isinstance(collection, Collection):
        message = (
            "--audit is about grades of documents, and these are INEX files; name the quantisations to compare: "
            '--metrics "MAep(quant=Gen5),MAep(quant=Strict5)"'
        )
        raise InvalidOptionError(message)
    return collection
