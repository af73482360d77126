"""`metaeval design`: how many topics a new collection should have."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import Session, command_session, echo, json_document, print_table
from metaeval.errors import InvalidOptionError

if TYPE_CHECKING:
    from pandas import Series

    from metaeval.provenance import Provenance
    from metaeval.scores import Scores
    from metaeval.studies.design import DesignStudy

__all__ = ["design"]

_PANEL = "The question"
_VARIANCES = ("residual", "within", "pairs")
_NAMES = {"t": "Paired t test", "anova": "Analysis of variance", "interval": "Interval width"}


def _variance(text: str) -> str | float:
    word = text.strip().casefold()
    if word in _VARIANCES:
        return word
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not 0 < number < inf:
        message = f"--variance takes {', '.join(_VARIANCES)} or a number above 0, not {text!r}"
        raise InvalidOptionError(message)
    return number


def _pair(text: str) -> tuple[str, str]:
    first, comma, second = text.partition(",")
    if not comma or not first.strip() or not second.strip() or "," in second:
        message = f"--pair takes two systems with a comma between them, such as bm25,lm, not {text!r}"
        raise InvalidOptionError(message)
    return first.strip(), second.strip()


@app.command()
def design(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="[INPUTS]",
            show_default=False,
            help="Scores of topics that were judged already, as score tables, or as runs with --qrels. None are "
            "needed if --variance is a number.",
        ),
    ] = None,
    qrels: opt.Qrels = None,  # noqa: ARG001 - the options about reading reach load_scores through the context
    metrics: opt.Metrics = None,  # noqa: ARG001
    plugin: opt.Plugins = None,  # noqa: ARG001
    undefined: opt.UndefinedRule = None,  # noqa: ARG001
    order: opt.DocumentOrder = "score",  # noqa: ARG001
    score_precision: opt.ScorePrecision = "float64",  # noqa: ARG001
    element_sizes: opt.ElementSizes = None,  # noqa: ARG001
    lenient: opt.Lenient = False,  # noqa: ARG001
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
            callback=checks.files_to_read(first=False),
            metavar="TABLE",
            help="Scores of another collection under the same metrics; the variances are pooled. May be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    difference: Annotated[
        str,
        typer.Option(
            "--difference",
            callback=checks.numbers("numbers above 0 by comma, such as 0.05,0.1", lambda one: one > 0),
            metavar="D,…",
            help="Smallest differences worth finding, in the metric's unit; for 'interval' its whole width.",
            rich_help_panel=_PANEL,
        ),
    ] = "0.05,0.1",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            callback=checks.several_of(("t", "anova", "interval"), every=True),
            metavar="t,anova,interval|all",
            show_default="all that --systems allows",
            help="t: a paired t test of two systems finds the difference. anova: an analysis of variance finds it "
            "among many. interval: the confidence interval of a difference is no wider.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    power: Annotated[
        float,
        typer.Option(
            "--power",
            callback=checks.number("a chance above 0 and below 1", lambda chance: 0 < chance < 1),
            metavar="CHANCE",
            help="Chance with which it is to be found.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.8,
    alpha: opt.Alpha = 0.05,
    variance: Annotated[
        str,
        typer.Option(
            "--variance",
            callback=checks.read_by(_variance),
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
            callback=checks.read_by(lambda texts: [_pair(text) for text in texts]),
            metavar="A,B",
            help="Two systems whose differences give the variance; may be repeated.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    systems: Annotated[
        int | None,
        typer.Option(
            "--systems",
            callback=checks.whole(2, opt.MOST_SYSTEMS),
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
    find it. The variance comes from scores you already have, or from elsewhere as a number. Three designs are
    answered side by side (--method); with scores, what the topics at hand achieve stands beside each in brackets.

    For example:

        metaeval design ap.csv --difference 0.05,0.1

        metaeval design --variance 0.05 --difference 0.1 --systems 10
    """
    from metaeval.studies.design import study_design  # noqa: PLC0415 - loads scipy

    with command_session(quiet=quiet) as session:
        how = _variance(variance)
        differences = checks.parse_numbers(difference, "--difference")
        if not inputs and isinstance(how, str):
            message = f"--variance {variance} is estimated from scores; give INPUTS, or the variance as a number"
            raise InvalidOptionError(message)
        if (how == "pairs") != bool(pair):
            message = "--variance pairs and --pair A,B belong together; give both, or neither"
            raise InvalidOptionError(message)
        if not alpha < power:
            message = f"--power {power:g} must lie above --alpha {alpha:g}, which chance alone would find"
            raise InvalidOptionError(message)
        if method is not None and "anova" in method and not inputs and systems is None:
            message = "--method anova asks about many systems; say how many by --systems, or give INPUTS to count them"
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


def _print(study: "DesignStudy") -> None:
    frame = study.table
    methods = frame["method"].unique().tolist()
    many = f" of {study.n_systems} systems"
    names = [_NAMES[method] + (many if method == "anova" else "") for method in methods]
    rows, notes = [], []
    for (metric, difference), part in frame.groupby(["metric", "difference"], sort=False):
        cells = part.set_index("method")
        variance = float(part["variance"].iloc[0])
        rows.append([metric, f"{variance:.5g}", f"{difference:g}", *(_answer(cells.loc[name]) for name in methods)])
        notes += [f"n/a: {metric}, {difference:g}: {note}" for note in part["note"] if note]
    typer.echo("Topics needed for a new collection")
    print_table("", ["Metric", "Variance of a score", "Difference", *names], rows)
    source = "as given" if study.variances is None else f"{study.variances.method}, from the scores"
    typer.echo(
        f"alpha = {study.alpha:g}, power {study.power:g}; variance: {source}; "
        f"{'exact distributions' if study.calculation == 'exact' else 'approximations'}"
    )
    if "topics_at_hand" in frame:
        at_hand = f"{frame['topics_at_hand'].iloc[0]:.0f}"
        typer.echo(f"In brackets: the power, or the width of the interval, with the {at_hand} topics at hand")
    echo("".join(f"{note}\n" for note in notes), nl=False)


def _answer(row: "Series[Any]") -> str:
    """Write the topics needed and, where it is known, what the topics at hand achieve."""
    needed = "n/a" if row["note"] else str(row["n_topics"])
    for name, digits in (("power_at_hand", 2), ("width_at_hand", 3)):
        if name in row and not isnan(row[name]):
            return f"{needed} ({row[name]:.{digits}f})"
    return needed
