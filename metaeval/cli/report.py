"""`metaeval report`: the whole answer as a folder to look at, cite and send."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, json_document

if TYPE_CHECKING:
    from metaeval.collection.base import JudgedCollection
    from metaeval.provenance import Provenance
    from metaeval.reports.html import Section
    from metaeval.reports.power import Part
    from metaeval.scores import Scores

__all__ = ["report"]

_MODELLED = (0.0, 0.1)
"""Tolerances with intervals: each takes seconds for every metric, and `metaeval topics` does all of them."""


@app.command()
def report(  # noqa: PLR0913 - the options of the command
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
    systems_in: opt.SystemsIn = None,  # noqa: ARG001
    missing: opt.MissingRule = None,  # noqa: ARG001
    lower_is_better: opt.LowerIsBetter = None,  # noqa: ARG001
    out: Annotated[
        Path, typer.Option("--out", "-o", parser=checks.file_path, metavar="FOLDER", help="Where the report goes.")
    ] = Path("metaeval-report"),
    overwrite: opt.Overwrite = False,
    test: opt.Tests = "bootstrap_sensitivity",
    correction: opt.Corrections = "none,fdr_by",
    alpha: opt.Alpha = 0.05,
    resamples: opt.Resamples = None,
    seed: opt.Seed = 0,
    interval_resamples: opt.Intervals = 200,
    map_metric: Annotated[
        str | None,
        typer.Option(
            "--map-metric",
            callback=checks.column_names(),
            metavar="METRIC",
            show_default="the first",
            help="Metric of the system map.",
        ),
    ] = None,
    top: Annotated[
        int,
        typer.Option(
            "--top",
            callback=checks.whole(2, opt.MOST_SYSTEMS),
            metavar="K",
            help="Count significant pairs among the best K systems.",
        ),
    ] = 10,
    topics: Annotated[
        bool,
        typer.Option(
            "--topics/--no-topics",
            help="Say how many topics each metric needs, with error curves; some seconds for every metric.",
        ),
    ] = True,
    runs: opt.Runs = "all",
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    threads: opt.Threads = None,
) -> None:
    """Write a report on which metrics tell systems apart, and how many topics they need.

    The folder holds index.html (opens anywhere, needs no network), tables as CSV and LaTeX, figures as SVG and
    PDF, the scores as NetCDF and Parquet, and provenance.json. Nothing appears under the folder's name before
    the whole report is written.

    For example:

        metaeval report ap.csv ndcg.csv p10.csv

        metaeval report AP=run_scores.csv --out reports/today --seed 7
    """
    from metaeval.reports.folder import write_report  # noqa: PLC0415 - loads matplotlib
    from metaeval.studies.power import study_power  # noqa: PLC0415
    from metaeval.tests_stat.catalogue import TESTS  # noqa: PLC0415
    from metaeval.tests_stat.correction import CORRECTIONS  # noqa: PLC0415

    with command_session(quiet=quiet) as session:
        scores, collection, provenance = opt.load_scores(context, session)
        study = study_power(
            scores,
            tests=opt.split_names(test, tuple(TESTS)),
            corrections=opt.split_names(correction, tuple(CORRECTIONS)),
            alpha=alpha,
            n_resamples=resamples,
            runs=opt.parse_runs(runs),
            n_topic_resamples=interval_resamples or None,
            rng=seed,
            n_threads=threads,
            provenance=provenance,
        )
        index = write_report(
            study,
            out,
            overwrite=overwrite,
            map_metric=map_metric,
            top=top,
            messages=session.warned(),
            sections=() if collection is None else _sections(collection),
            parts=[_topics(study.scores, seed, threads, provenance)] if topics else (),
        )
    if as_json:
        typer.echo(json_document("report", study.to_frame(), provenance=provenance, messages=session.messages))
    else:
        typer.echo(f"Report written: open {index}")


def _sections(collection: "JudgedCollection") -> "tuple[Section, ...]":
    from metaeval.collection.documents import Collection  # noqa: PLC0415 - loads numba

    if isinstance(collection, Collection):
        from metaeval.metrics.precision_recall import precision_recall_curves  # noqa: PLC0415
        from metaeval.reports.collection import collection_sections  # noqa: PLC0415

        return collection_sections(collection.statistics(), precision_recall_curves(collection))
    from metaeval.reports.focused import focused_sections  # noqa: PLC0415
    from metaeval.studies.holdings import focused_curves, focused_holdings  # noqa: PLC0415

    return focused_sections(focused_holdings(collection), focused_curves(collection))


def _topics(scores: "Scores", seed: int, threads: int | None, provenance: "Provenance") -> "Part":
    """Return what is said about topics: at least why there is nothing to say."""
    from metaeval.errors import EstimationError, ScoresError  # noqa: PLC0415
    from metaeval.reports.topics import no_topics_part, topics_part  # noqa: PLC0415 - loads matplotlib
    from metaeval.studies.topics import study_topics  # noqa: PLC0415 - loads scipy and numba

    try:
        study = study_topics(
            scores, differences=False, modelled=_MODELLED, rng=seed, n_threads=threads, provenance=provenance
        )
    except (EstimationError, ScoresError) as error:
        return no_topics_part(str(error))
    return topics_part(study)
