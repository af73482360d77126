"""`metaeval agree`: do metrics, or uses of the grades, lead to the same conclusions."""

import math
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, echo, json_document, print_table
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    from metaeval.cli.console import Session
    from metaeval.provenance import Provenance
    from metaeval.scores import Scores
    from metaeval.studies.agree import AgreeStudy, Variant

__all__ = ["agree"]

_PANEL = "The question"
_MOST_COLUMNS = 8


@app.command()
def agree(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: opt.Inputs,  # noqa: ARG001 - see qrels
    qrels: opt.Qrels = None,  # noqa: ARG001 - the options about reading reach load_scores through the context
    metrics: opt.Metrics = None,  # noqa: ARG001
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
    plugin: opt.Plugins = None,  # noqa: ARG001
    undefined: opt.UndefinedRule = None,
    order: opt.DocumentOrder = "score",  # noqa: ARG001
    score_precision: opt.ScorePrecision = "float64",  # noqa: ARG001
    element_sizes: opt.ElementSizes = None,  # noqa: ARG001
    lenient: opt.Lenient = False,  # noqa: ARG001
    groups: opt.Groups = None,  # noqa: ARG001
    group_column: opt.GroupColumn = None,  # noqa: ARG001
    group_regex: opt.GroupRegex = None,  # noqa: ARG001
    systems_in: opt.SystemsIn = None,  # noqa: ARG001
    missing: opt.MissingRule = None,  # noqa: ARG001
    lower_is_better: opt.LowerIsBetter = None,  # noqa: ARG001
    test: opt.Tests = "bootstrap_percentile",
    correction: opt.Corrections = "fdr_by",
    alternative: Annotated[
        str | None,
        typer.Option(
            "--alternative",
            callback=checks.one_of("better", "two-sided"),
            metavar="better|two-sided",
            show_default="better",
            help="better: one-sided towards each pair's better mean, both directions counting as hypotheses.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
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
            help="Draws of topics for the intervals; 0 leaves them out.",
            rich_help_panel=_PANEL,
        ),
    ] = 200,
    enough: Annotated[
        float,
        typer.Option(
            "--enough",
            callback=checks.number("an F1 above 0 and at most 1", lambda share: 0 < share <= 1),
            metavar="F1",
            help="The F1 from which conclusions count as the same; a convention.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.9,
    runs: opt.Runs = "all",
    seed: opt.Seed = 0,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    threads: opt.Threads = None,
) -> None:
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
    from metaeval.studies.agree import study_agreement  # noqa: PLC0415 - loads scipy and numba
    from metaeval.tests_stat.catalogue import TESTS  # noqa: PLC0415
    from metaeval.tests_stat.correction import CORRECTIONS  # noqa: PLC0415

    with command_session(quiet=quiet) as session:
        levels = checks.parse_numbers(alpha, "--alpha")
        if audit is None:
            scores, _, provenance = opt.load_scores(context, session)
            variants: tuple[Variant, ...] = ()
        else:
            scores, variants, provenance = _audited(context, session, audit, gains, undefined)
        study = study_agreement(
            scores,
            tests=opt.split_names(test, tuple(TESTS)),
            corrections=opt.split_names(correction, tuple(CORRECTIONS)),
            alphas=levels,
            alternative=alternative,  # type: ignore[arg-type]  # checked inside, with the names that would do
            n_resamples=resamples,
            runs=opt.parse_runs(runs),
            n_topic_resamples=interval_resamples or None,
            enough=enough,
            variants=variants,
            rng=seed,
            n_threads=threads,
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.agree import write_agree_report  # noqa: PLC0415 - loads matplotlib

            index = write_agree_report(study, out, overwrite=overwrite, messages=session.warned())
    if as_json:
        typer.echo(json_document("agree", study.to_frame(), provenance=provenance, messages=session.messages))
        return
    if index is not None:
        typer.echo(f"Report written: open {index}")
        return
    _print(study)
    if not quiet:
        for note in study.notes:
            session.say(f"Note: {note}")
        session.say(f"Test: {_tests_words(study)}; seed {seed}; alpha = {alpha}; {scores.sizes['topic']} topics.")


def _tests_words(study: "AgreeStudy") -> str:
    """Name every test with its side, its resamples and its correction; the tables above tell of the first."""
    told = []
    for agreement in study.agreements:
        result = agreement.result
        side = "one-sided (better)" if result.alternative == "better" else result.alternative
        draws = [f"B = {result.n_resamples:,}".replace(",", " ")] if result.n_resamples else []
        told.append(", ".join([result.test, side, *draws, result.correction]))
    return "; also ".join(told)


def _audited(
    context: typer.Context,
    session: "Session",
    audit: str,
    gains: str,
    undefined: str | None,
) -> "tuple[Scores, tuple[Variant, ...], Provenance]":
    """Read the collection, name every use of its grades, and score the runs under all of them."""
    from metaeval.collection.documents import Collection  # noqa: PLC0415 - loads numba
    from metaeval.metrics.score import score  # noqa: PLC0415 - loads numba
    from metaeval.provenance import record_provenance  # noqa: PLC0415
    from metaeval.studies.agree import audit_variants  # noqa: PLC0415

    if context.params["qrels"] is None:
        message = "--audit asks about the grades of judgments: give runs and --qrels, not a table of scores"
        raise InvalidOptionError(message)
    collection, files = opt.load_collection(context, session)
    if not isinstance(collection, Collection):
        message = (
            "--audit is about grades of documents, and these are INEX files; name the quantisations to compare: "
            '--metrics "MAep(quant=Gen5),MAep(quant=Strict5)"'
        )
        raise InvalidOptionError(message)
    registry = checks.registry_of(context)
    variants = audit_variants(collection, audit, gains=gains, registry=registry)
    session.say(f"Scoring {collection.n_systems} runs under {len(variants)} uses of the grades")
    names = [variant.metric for variant in variants]
    threads = context.params.get("threads")
    scores = score(collection, names, undefined=undefined, registry=registry, n_threads=threads)  # type: ignore[arg-type]  # checked there
    seed = context.params["seed"]
    record = record_provenance("agree", options=context.params, random_source=f"seed {seed}", inputs=files)
    return scores, variants, record


def _print(study: "AgreeStudy") -> None:
    from metaeval.reports.agree_words import advice_sentences, grade_sentences, summary_sentences  # noqa: PLC0415 - loads pandas

    sizes = study.scores.sizes
    typer.echo(f"{sizes['system']} systems, {sizes['topic']} topics, {study.lead.n_pairs} pairs\n")
    _print_shares(study)
    for base, members in study.groups().items():
        if len(members) > 1:
            _print_matrix(study, base, members)
    _print_grades(study)
    echo("\n".join([*summary_sentences(study), *grade_sentences(study), "", *advice_sentences(study)]))
    for group in study.identical:
        echo(f"Identical systems (never told apart): {', '.join(group)}")


def _print_shares(study: "AgreeStudy") -> None:
    words = {variant.metric: variant.words for variant in study.variants}
    shown = {name for members in study.groups().values() for name in members}
    frame = study.shares()
    rows = []
    for row in frame[frame["metric"].isin(shown)].to_dict("records"):
        cells = [row["metric"], f"{row['alpha']:g}", f"{row['n_rejected']} = {100 * row['share']:.1f} %"]
        cells += [words[row["metric"]]] if words else []
        rows.append([*cells, _interval(row["low"], row["high"], 100)])
    heads = ["Metric", "Level", "Pairs told apart", *(["Use of the grades"] if words else []), "95 % interval"]
    print_table("What each metric tells apart", heads, rows)
    typer.echo("")


def _print_matrix(study: "AgreeStudy", base: str, members: tuple[str, ...]) -> None:
    from metaeval.reports.agree_words import label  # noqa: PLC0415 - loads pandas

    names = [label(study, name, within=bool(base)) for name in members]
    numbered = len(names) > _MOST_COLUMNS
    heads = [str(place) for place in range(1, len(names) + 1)] if numbered else names
    titles = {"precision": "Precision: of the row's findings, the share that the column finds too", "f1": "F1"}
    for measure, title in titles.items():
        values = study.lead.matrix(measure).loc[list(members), list(members)].to_numpy()
        rows = [
            [f"{place}. {name}" if numbered else name, *(_decimal(value) for value in row)]
            for place, (name, row) in enumerate(zip(names, values, strict=True), 1)
        ]
        print_table(f"{base}: {title}" if base else title, ["", *heads], rows)
        typer.echo("")


def _print_grades(study: "AgreeStudy") -> None:
    frame = study.grades()
    if frame.empty:
        return
    rows = []
    for row in frame.to_dict("records"):
        bounds = _interval(row.get("f1_low", math.nan), row.get("f1_high", math.nan), 1)
        kept = f"{100 * row['recall']:.1f} %"
        rows.append([row["base"], row["boundary"], _decimal(row["f1"]), bounds, kept, str(row["n_conflicts"])])
    heads = ["Metric", "Blind to the difference of", "F1", "95 % interval", "Findings kept", "Conflicts"]
    print_table("Which grades matter: conclusions when two neighbours count the same", heads, rows)
    typer.echo("")


def _decimal(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _interval(low: float, high: float, times: float) -> str:
    if math.isnan(low):
        return "-"
    return f"{low:.2f} to {high:.2f}" if times == 1 else f"{times * low:.1f} to {times * high:.1f} %"
