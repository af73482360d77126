"""`metaeval design`: how many topics a new collection should have."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app
from metaeval.cli import options as opt
from metaeval.cli.console import Session, command_session, json_document, print_table
from metaeval.cli.topics import parse_numbers
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    from metaeval.provenance import Provenance
    from metaeval.scores import Scores
    from metaeval.studies.design import DesignStudy

__all__ = ["design"]

_PANEL = "The question"
_NAMES = {"t": "paired t test", "anova": "analysis of variance", "interval": "interval width"}


@app.command()
def design(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUTS]",
            show_default=False,
            help="Scores of topics that were judged already, as score tables, or as runs with --qrels. None are "
            "needed if --variance is a number.",
        ),
    ] = None,
    qrels: opt.Qrels = None,  # noqa: ARG001 - the options about reading reach load_scores through the context
    metrics: opt.Metrics = opt.DEFAULT_METRICS,  # noqa: ARG001
    plugin: opt.Plugins = None,  # noqa: ARG001
    undefined: opt.UndefinedRule = "zero",  # noqa: ARG001
    order: opt.DocumentOrder = "score",  # noqa: ARG001
    score_precision: opt.ScorePrecision = "float64",  # noqa: ARG001
    groups: opt.Groups = None,  # noqa: ARG001
    group_column: opt.GroupColumn = None,  # noqa: ARG001
    group_regex: opt.GroupRegex = None,  # noqa: ARG001
    systems_in: opt.SystemsIn = "columns",  # noqa: ARG001
    missing: opt.MissingRule = None,  # noqa: ARG001
    lower_is_better: opt.LowerIsBetter = None,  # noqa: ARG001
    pool: Annotated[
        list[str] | None,
        typer.Option(
            "--pool",
            metavar="TABLE",
            help="Scores of another collection under the same metrics; the variances are pooled. May be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    difference: Annotated[
        str,
        typer.Option(
            "--difference",
            metavar="D,…",
            help="Smallest differences worth finding, in the metric's unit; for 'interval' its whole width.",
            rich_help_panel=_PANEL,
        ),
    ] = "0.05,0.1",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="t,anova,interval|all",
            show_default="all that --systems allows",
            help="t: a paired t test of two systems finds the difference. anova: an analysis of variance finds it "
            "among many. interval: the confidence interval of a difference is no wider.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    power: Annotated[
        float,
        typer.Option("--power", metavar="CHANCE", help="Chance with which it is to be found.", rich_help_panel=_PANEL),
    ] = 0.8,
    alpha: opt.Alpha = 0.05,
    variance: Annotated[
        str,
        typer.Option(
            "--variance",
            metavar="residual|within|pairs|NUMBER",
            help="How the variance of a score comes from INPUTS: what systems and topics leave unexplained; about "
            "each system's mean; from the pairs of --pair. Or the variance itself.",
            rich_help_panel=_PANEL,
        ),
    ] = "residual",
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="A,B",
            help="Two systems whose differences give the variance; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    systems: Annotated[
        int | None,
        typer.Option(
            "--systems",
            metavar="M",
            show_default="as many as in INPUTS",
            help="Systems in the analysis of variance.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate",
            help="Use Sakai's closed approximations, as published tables do, not the exact distributions.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say how many topics a new collection needs.

    The more the scores vary over topics, and the smaller the difference that matters, the more topics it takes to
    find it. The variance comes from scores you already have, or from elsewhere as a number.

    For example:

        metaeval design ap.csv --difference 0.05,0.1

        metaeval design --variance 0.05 --difference 0.1 --systems 10
    """
    from metaeval.studies.design import study_design  # noqa: PLC0415 - loads scipy

    with command_session(quiet=quiet) as session:
        how = _variance(variance)
        differences = parse_numbers(difference, "--difference")
        if not inputs and isinstance(how, str):
            message = f"--variance {variance} is estimated from scores; give INPUTS, or the variance as a number"
            raise InvalidOptionError(message)
        scores, provenance = _pilot(context, session, pool or ())
        countable = bool(scores) or systems is not None
        known = ("t", "anova", "interval") if countable else ("t", "interval")
        study = study_design(
            scores or None,
            variance=how,  # type: ignore[arg-type]  # checked inside, with the names that would do
            differences=differences,
            methods=known if method is None else opt.split_names(method, ("t", "anova", "interval")),  # type: ignore[arg-type]  # as above
            alpha=alpha,
            power=power,
            n_systems=systems,
            pairs=None if pair is None else [_pair(text) for text in pair],
            calculation="approximate" if approximate else "exact",
        )
    if as_json:
        typer.echo(json_document("design", study.to_frame(), provenance=provenance, messages=session.messages))
        return
    _print(study)


def _pilot(context: typer.Context, session: Session, pool: Sequence[str]) -> "tuple[dict[str, Scores], Provenance]":
    """Read the collections by name: the inputs, and every one to pool with them."""
    from metaeval.provenance import file_checksum, record_provenance  # noqa: PLC0415

    if not context.params["inputs"]:
        return {}, record_provenance("design", options=context.params)
    from metaeval.io.tables import read_scores  # noqa: PLC0415 - loads polars

    scores, _, provenance = opt.load_scores(context, session)
    read, files = {"inputs": scores}, dict(provenance.inputs)
    for name in pool:
        read[name] = read_scores([name])
        files |= {str(path): file_checksum(path) for path in read[name].attrs.get("sources", [])}
    return read, replace(provenance, inputs=files)


def _variance(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = text.partition(",")
    if not comma or not first.strip() or not second.strip() or "," in second:
        message = f"--pair takes two systems with a comma between them, such as bm25,lm, not {text!r}"
        raise InvalidOptionError(message)
    return first.strip(), second.strip()


def _print(study: "DesignStudy") -> None:
    frame = study.table
    many = f" of {study.n_systems} systems" if "anova" in set(frame["method"]) else ""
    told = "topics_at_hand" in frame and frame["topics_at_hand"].notna().all()
    columns = ["Metric", "Variance of a score", "Method", "Difference", "Topics needed"]
    if told:
        columns.append(f"With {frame['topics_at_hand'].iloc[0]:.0f} topics")
    rows = []
    for row in frame.to_dict("records"):
        name = _NAMES[row["method"]] + (many if row["method"] == "anova" else "")
        needed = row["note"] or str(row["n_topics"])
        cells = [row["metric"], f"{row['variance']:.5g}", name, f"{row['difference']:g}", needed]
        if told:
            cells.append(
                f"width {row['width_at_hand']:.3f}"
                if row["method"] == "interval"
                else f"power {row['power_at_hand']:.2f}"
            )
        rows.append(cells)
    source = "as given" if study.variances is None else f"{study.variances.method}, from the scores"
    caption = (
        f"alpha = {study.alpha:g}, power {study.power:g}; variance: {source}; "
        f"{'exact distributions' if study.calculation == 'exact' else 'approximations'}"
    )
    print_table("Topics needed for a new collection", columns, rows, caption=caption)
