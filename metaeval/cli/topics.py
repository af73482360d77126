"""`metaeval topics`: how many topics are enough, and how often two sets of topics disagree."""

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, echo, json_document, print_table
from metaeval.errors import EstimationError, InvalidOptionError

if TYPE_CHECKING:
    from metaeval.studies.topics import TopicsStudy

__all__ = ["parse_sizes", "topics"]

_PANEL = "The question"
_MOST_TOPICS = 100_000
_DIGITS = 18


def parse_sizes(text: str) -> list[int]:
    """Turn ranges and single sizes into a list.

    Examples
    --------
    >>> parse_sizes("5-8,20"), parse_sizes("10-50:20")
    ([5, 6, 7, 8, 20], [10, 30, 50])
    """
    sizes: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*(?::\s*([1-9]\d*)\s*)?)?", part)
        if found is None:
            message = f"--sizes takes sizes and ranges by comma, such as 5-25 or 5,10,20 or 5-50:5, not {text!r}"
            raise InvalidOptionError(message)
        first, last, step = (None if word is None else int(word[:_DIGITS]) for word in found.groups())
        if max(first or 0, last or 0) > _MOST_TOPICS:
            message = f"--sizes takes sizes up to {_MOST_TOPICS} topics, not {text!r}"
            raise InvalidOptionError(message)
        sizes += range(first or 0, (last if last is not None else first or 0) + 1, step or 1)
    if not sizes or min(sizes) < 1:
        message = f"--sizes takes sizes of at least 1 topic, and ranges that rise, not {text!r}"
        raise InvalidOptionError(message)
    return sizes


@app.command()
def topics(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: opt.Inputs,  # noqa: ARG001 - see qrels
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
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            callback=checks.read_by(parse_sizes),
            metavar="5-25|5,10,20",
            show_default="5 to half the topics",
            help="Topics in each of the two sets: ranges and single sizes by comma; 5-50:5 takes every fifth.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    trials: Annotated[
        int,
        typer.Option(
            "--trials",
            callback=checks.whole(1, checks.MOST_DRAWS),
            metavar="N",
            help="How often two sets are drawn at every size.",
            rich_help_panel=_PANEL,
        ),
    ] = 50,
    tolerances: Annotated[
        str | None,
        typer.Option(
            "--tolerances",
            callback=checks.numbers("numbers from 0 by comma, such as 0,5,10", lambda one: one >= 0),
            metavar="0,5,10",
            show_default="0,5,10,20,30; absolute 0,0.01,0.02,0.05",
            help="By how much a system must win on both sets: percent of the larger mean, or, with --margin "
            "absolute, in the metric's own unit.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(
            "--margin",
            callback=checks.one_of("relative", "absolute"),
            metavar="relative|absolute",
            help="What the tolerances are measured in.",
            rich_help_panel=_PANEL,
        ),
    ] = "relative",
    sampling: Annotated[
        str,
        typer.Option(
            "--sampling",
            callback=checks.one_of("disjoint", "overlapping", "bootstrap"),
            metavar="disjoint|overlapping|bootstrap",
            help="The two sets share no topic (as published), may share some, or are drawn with replacement.",
            rich_help_panel=_PANEL,
        ),
    ] = "disjoint",
    max_error: Annotated[
        float,
        typer.Option(
            "--max-error",
            callback=checks.error_rate(),
            metavar="SHARE",
            help="The error rate to stay within, below 0.5.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.05,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            callback=checks.whole(1, 10**9),
            metavar="TOPICS",
            show_default="twice the largest size",
            help="No larger number of topics is named; beyond it the answer is '>limit'.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    bin_width: Annotated[
        float,
        typer.Option(
            "--bin-width",
            callback=checks.number("a step above 0", lambda step: step > 0),
            metavar="STEP",
            help="Step in which differences are sorted, in the metric's own unit.",
            rich_help_panel=_PANEL,
        ),
    ] = 0.01,
    bayes: Annotated[
        bool,
        typer.Option(
            "--bayes/--no-bayes",
            help="Fit the Bayesian model that says how sure the topic counts are; most of the time goes there.",
            rich_help_panel=_PANEL,
        ),
    ] = True,
    hierarchical: Annotated[
        bool,
        typer.Option(
            "--hierarchical",
            help="Fit that model to all metrics at once with PyMC: minutes for every tolerance, not seconds. Where it "
            "is refused, the fast fits stand in, the reason is given, and the exit code is 4.",
            rich_help_panel=_PANEL,
        ),
    ] = False,
    replicates: Annotated[
        int,
        typer.Option(
            "--replicates",
            callback=checks.whole(2, checks.MOST_DRAWS, also=(0,)),
            metavar="R",
            help="Topic resamples behind every interval, more where the model needs them; 0 leaves all intervals out.",
            rich_help_panel=_PANEL,
        ),
    ] = 200,
    seed: opt.Seed = 0,
    out: opt.Out = None,
    overwrite: opt.Overwrite = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    threads: opt.Threads = None,
) -> None:
    """Say how many topics each metric needs, and how sure that is.

    Two sets of topics of the same size are drawn many times from yours. When one system wins on the first set and
    the other on the second, the two sets disagree about that pair; the share of such pairs is the error rate.
    It falls as the sets grow, and the topics needed are the size at which it stays within --max-error. Small
    differences matter to nobody: with a tolerance, a system must win by that much on both sets to count.

    In the table >50 is beyond the limit, <5 or ≤5 below or at the smallest size, 33* extrapolated beyond the sizes
    observed (half your topics, since the two sets share none), n/a cannot be estimated.

    For example:

        metaeval topics ap.csv p10.csv

        metaeval topics scores.csv --tolerances 0,10 --max-error 0.1 --out topics-report
    """
    from metaeval.studies.topics import study_topics  # noqa: PLC0415 - loads scipy and numba

    with command_session(quiet=quiet) as session:
        asked = _margins(tolerances, margin)
        wanted = None if sizes is None else parse_sizes(sizes)
        if wanted is not None and limit is not None and limit < max(wanted):
            message = f"--limit {limit} lies below the largest of --sizes, {max(wanted)}; raise it, or leave it out"
            raise InvalidOptionError(message)
        if hierarchical and not (bayes and replicates):
            message = "--hierarchical is a Bayesian model, which --no-bayes and --replicates 0 leave out; drop one"
            raise InvalidOptionError(message)
        scores, _, provenance = opt.load_scores(context, session)
        study = study_topics(
            scores,
            sizes=wanted,
            n_trials=trials,
            margins=asked,
            margin=margin,  # type: ignore[arg-type]  # checked inside, with the names that would do
            sampling=sampling,  # type: ignore[arg-type]
            max_error=max_error,
            limit=limit,
            bin_width=bin_width,
            bayesian=bayes,
            hierarchical=hierarchical,
            n_replicates=replicates,
            rng=seed,
            n_threads=threads,
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.topics import write_topics_report  # noqa: PLC0415 - loads matplotlib

            index = write_topics_report(study, out, overwrite=overwrite, messages=session.warned())
    if as_json:
        typer.echo(json_document("topics", _rows(study), provenance=provenance, messages=session.messages))
    else:
        if index is None:
            _print(study)
        else:
            typer.echo(f"Report written: open {index}")
        if not quiet:
            for note in study.notes if index is None else ():
                session.say(f"Note: {note}")
            session.say(f"Seed {seed}; {trials} trials at every size; {scores.sizes['topic']} topics.")
    _refuse_hierarchy(study)


def _margins(text: str | None, margin: str) -> list[float] | None:
    if text is None:
        return None
    values = checks.parse_numbers(text, "--tolerances")
    if margin != "relative":
        return values
    if not all(0 <= value < 100 for value in values):  # noqa: PLR2004 - percent
        message = f"--tolerances are percentages from 0 to below 100 of the larger mean, not {text!r}"
        raise InvalidOptionError(message)
    return [round(value / 100, 12) for value in values]


def _rows(study: "TopicsStudy") -> list[dict[str, object]]:
    """Return the rows of the study; ``p_fewer_than`` names the chance of needing fewer topics than other metrics."""
    rows: list[dict[str, object]] = [
        {str(name): value for name, value in row.items()} for row in study.to_frame().to_dict("records")
    ]
    if study.posterior is None:
        return rows
    chances: dict[tuple[object, object], dict[str, float]] = {}
    for pair in study.posterior.fewer().to_dict("records"):
        chances.setdefault((pair["metric_a"], pair["margin"]), {})[pair["metric_b"]] = pair["p_fewer"]
    return [row | {"p_fewer_than": chances.get((row["metric"], row["margin"]), {})} for row in rows]


def _refuse_hierarchy(study: "TopicsStudy") -> None:
    """End as what cannot be estimated does, after everything else was told, if the model asked for was refused."""
    from metaeval.studies.topics import HIERARCHICAL  # noqa: PLC0415 - loads scipy and numba

    refused = [f"{part}: {why}" for part, why in study.unestimated.items() if part.startswith(HIERARCHICAL)]
    if refused:
        raise EstimationError(f"{'; '.join(refused)}. The intervals above are from fits of every metric by itself")


def _print(study: "TopicsStudy") -> None:
    from metaeval.models.families import FAMILIES  # noqa: PLC0415 - loads scipy
    from metaeval.reports.topic_words import count_marks  # noqa: PLC0415 - loads pandas

    rates, best, published = study.error_rates, study.minimum, study.published
    title = f"Topics needed, error at most {100 * best.max_error:g} %"
    frames = {best.family or "": best.table()} | {published.family or "": published.table()}
    columns = ["Curve", "Tolerance", *rates.metrics]
    rows = [
        [FAMILIES[family].title if family in FAMILIES else "no curve", _tolerance(study, margin), *row]
        for family, table in frames.items()
        for margin, row in zip(rates.margins, table.to_numpy().tolist(), strict=True)
    ]
    typer.echo(f"{rates.n_systems} systems, {rates.n_topics} topics\n")
    _print_table(title, columns, rows)
    echo("; ".join(f"{mark} {words}" for mark, words in count_marks(best, published)) + "\n")
    _print_posterior(study)
    _print_fewer(study)
    _print_rates(study)
    _print_curves(study)
    _print_differences(study)
    for part, reason in study.unestimated.items():
        echo(f"Cannot be estimated: {part}: {reason}")


def _print_posterior(study: "TopicsStudy") -> None:
    if study.posterior is None:
        return
    from metaeval.reports.topic_words import chance, topic_count  # noqa: PLC0415 - loads pandas

    rows, reasons = [], []
    for row in study.posterior.counts().to_dict("records"):
        level = _tolerance(study, row["margin"])
        interval = f"{topic_count(row['low'])} to {topic_count(row['high'])}"
        if row["note"]:
            reasons.append(f"{row['metric']} at {level}: {row['note']}")
            interval = topic_count(math.nan)
        effect = topic_count(row["design_effect"])
        rows.append([row["metric"], level, topic_count(row["median"]), interval, chance(row["p_enough"]), effect])
    level = f"{100 * study.posterior.ci_prob:g} % interval"
    columns = ["Metric", "Tolerance", "Median", level, f"{study.error_rates.n_topics} are enough", "Design effect"]
    _print_table("How sure: topics needed by the Bayesian model", columns, rows)
    typer.echo("Design effect: so many comparisons are worth one independent one, since they share topics and systems")
    echo("".join(f"{reason}\n" for reason in reasons))


def _print_fewer(study: "TopicsStudy") -> None:
    from metaeval.reports.topic_words import chance, fewer_rows  # noqa: PLC0415 - loads pandas

    frame = fewer_rows(study)
    if frame.empty:
        return
    rows = [[row[0], row[1], *map(chance, row[2:])] for row in frame.to_numpy().tolist()]
    columns = ["First", "Second", *(_tolerance(study, float(margin)) for margin in frame.columns[2:])]
    _print_table("Which needs fewer topics?", columns, rows)
    typer.echo(
        "Probability that the first metric needs fewer topics than the second, by tolerance; 50 % is undecided\n"
    )


def _tolerance(study: "TopicsStudy", margin: float) -> str:
    return f"{100 * margin:.6g} %" if study.minimum.relative else f"{margin:g}"


def _print_rates(study: "TopicsStudy") -> None:
    rates = study.error_rates
    sizes = [rates.sizes[place] for place in sorted({0, len(rates.sizes) // 2, len(rates.sizes) - 1})]
    seen = rates.rates()
    rows = [
        [_tolerance(study, margin), str(size)]
        + [_share(float(seen.sel({"metric": metric, "margin": margin, "size": size}))) for metric in rates.metrics]
        for margin in rates.margins
        for size in sizes
    ]
    _print_table("Error rate observed", ["Tolerance", "Topics", *rates.metrics], rows)
    typer.echo("")


def _print_curves(study: "TopicsStudy") -> None:
    from metaeval.models.families import FAMILIES  # noqa: PLC0415 - loads scipy

    ranking = study.comparison.summary()
    if ranking.empty:
        return
    rows = [
        [FAMILIES[row["family"]].title, float(row["held_out_error"]), f"{100 * row['held_out_bias']:+.1f} %"]
        for row in ranking.to_dict("records")
    ]
    columns = ["Curve", "Error on held-out sizes", "Bias"]
    _print_table("Curves: fitted to small sizes, tried on large ones", columns, rows)
    typer.echo("")


def _print_differences(study: "TopicsStudy") -> None:
    if study.bins is None:
        return
    rows = []
    for row in study.bins.sensitivity().to_dict("records"):
        found = math.isfinite(row["difference"])
        words = [f"{row['difference']:g}", _share(row["share"])] if found else ["none", "-"]
        rows.append([row["metric"], str(row["size"]), *words])
    title = f"Differences of which at most {100 * study.bins.max_error:g} % change sign"
    _print_table(title, ["Metric", "Topics", "Difference", "Comparisons that large"], rows)


def _share(value: float) -> str:
    return "-" if math.isnan(value) else f"{100 * value:.1f} %"


def _print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table under a title on one line, however narrow the table is."""
    echo(title)
    print_table("", columns, rows)
