"""`metaeval power`: how many pairs of systems each metric tells apart."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app, checks
from metaeval.cli import options as opt
from metaeval.cli.console import command_session, echo, json_document, percent, print_table

if TYPE_CHECKING:
    from metaeval.studies.power import PowerStudy

__all__ = ["power"]

DEFAULT_TEST = "bootstrap_sensitivity"
_DIFFERENCES = {
    "difference_required": "Difference required",
    "difference_required_median": "median",
    "difference_required_p95": "95th percentile",
}


@app.command()
def power(  # noqa: PLR0913 - the options of the command
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
    test: opt.Tests = DEFAULT_TEST,
    correction: opt.Corrections = "none,fdr_by",
    alternative: Annotated[
        str,
        typer.Option(
            "--alternative",
            callback=checks.one_of("two-sided", "greater", "less", "better"),
            metavar="two-sided|greater|less|better",
            help="better: one-sided towards each pair's better mean, both directions counting as hypotheses.",
        ),
    ] = "two-sided",
    alpha: opt.Alpha = 0.05,
    resamples: opt.Resamples = None,
    seed: opt.Seed = 0,
    interval_resamples: opt.Intervals = 0,
    runs: opt.Runs = "all",
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            parser=checks.file_path,
            callback=checks.file_to_write(),
            metavar="FILE",
            help="Write every pair's difference, p-values and decision (CSV).",
        ),
    ] = None,
    overwrite: Annotated[  # noqa: ARG001 - checked before the command begins
        bool, typer.Option("--overwrite", help="Replace the file of --pairs if it is there already.")
    ] = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
    threads: opt.Threads = None,
) -> None:
    """Count the pairs of systems that each metric tells apart.

    Discriminative power is the share of system pairs whose difference is significant. By default it is Sakai's
    bootstrap sensitivity method, uncorrected as published, beside Benjamini-Yekutieli, which keeps the share of
    false findings among all pairs under alpha.

    For example:

        metaeval power ap.csv ndcg.csv

        metaeval power scores.csv --test t,wilcoxon --correction none,holm,fdr_by --json
    """
    from metaeval.studies.power import study_power  # noqa: PLC0415 - loads scipy and numba
    from metaeval.tests_stat.catalogue import TESTS  # noqa: PLC0415
    from metaeval.tests_stat.correction import CORRECTIONS  # noqa: PLC0415

    with command_session(quiet=quiet) as session:
        scores, _, provenance = opt.load_scores(context, session)
        study = study_power(
            scores,
            tests=opt.split_names(test, tuple(TESTS)),
            corrections=opt.split_names(correction, tuple(CORRECTIONS)),
            alternative=alternative,  # type: ignore[arg-type]  # checked inside, with the names that would do
            alpha=alpha,
            n_resamples=resamples,
            runs=opt.parse_runs(runs),
            n_topic_resamples=interval_resamples or None,
            rng=seed,
            n_threads=threads,
            provenance=provenance,
        )
        if pairs is not None:
            _write_pairs(study, pairs)
    if as_json:
        typer.echo(json_document("power", study.to_frame(), provenance=provenance, messages=session.messages))
        return
    _print(study)
    if not quiet:
        for note in study.notes:
            session.say(f"Note: {note}")
        session.say(f"Seed {seed}; alpha = {alpha:g}; {scores.sizes['topic']} topics.")


def _print(study: "PowerStudy") -> None:
    frame = study.to_frame()
    shown = [(name, label) for name, label in _DIFFERENCES.items() if frame[name].notna().any()]
    columns = ["Metric", "Test", "Correction", "Pairs told apart"]
    columns += ["95 % interval"] * (study.intervals is not None) + [label for _, label in shown]
    rows = []
    for row in frame.to_dict("records"):
        cells = [row["metric"], row["test"], row["correction"], percent(row["n_significant"], row["n_pairs"])]
        if study.intervals is not None:
            cells.append(_interval(row["power_low"], row["power_high"]))
        rows.append([*cells, *(row[name] for name, _ in shown)])
    n_systems, n_topics = study.scores.sizes["system"], study.scores.sizes["topic"]
    print_table(f"Discriminative power: {n_systems} systems, {n_topics} topics", columns, rows)
    for group in study.identical:
        echo(f"Identical systems (every pair of them counts as not told apart): {', '.join(group)}")


def _interval(low: float, high: float) -> str:
    return "-" if math.isnan(low) else f"{100 * low:.1f} to {100 * high:.1f} %"


def _write_pairs(study: "PowerStudy", path: Path) -> None:
    import pandas as pd  # noqa: PLC0415

    from metaeval.io.files import write_atomically  # noqa: PLC0415
    from metaeval.visible import csv_text  # noqa: PLC0415

    frames = [result.to_frame().assign(test=result.test, correction=result.correction) for result in study.comparisons]
    with write_atomically(path) as temporary:
        words = csv_text(pd.concat(frames, ignore_index=True))
        temporary.write_text(words, encoding="utf-8", errors="backslashreplace", newline="\n")
