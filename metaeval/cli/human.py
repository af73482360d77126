"""`metaeval human`: do metrics agree with human scores, in translation, summarisation or elsewhere."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import app
from metaeval.cli import options as opt
from metaeval.cli.assessors import ends, parse_assignments
from metaeval.cli.console import command_session, json_document, print_table
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.studies.human import HumanStudy

__all__ = ["human"]

_TABLE, _QUESTION = "Reading the table", "The question"


@app.command()
def human(  # noqa: PLR0913 - the options of the command
    context: typer.Context,
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLES",
            show_default=False,
            help="Tables with a header: one row a system and item (or a system alone), one column a metric or human "
            "score. Several files are joined by system and item.",
        ),
    ],
    reference: Annotated[
        str, typer.Option("--reference", metavar="COLUMN", help="The column of human scores.", show_default=False)
    ],
    system: Annotated[
        str | None,
        typer.Option("--system", metavar="COLUMN", help="The column of systems.", rich_help_panel=_TABLE),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(
            "--item",
            metavar="COLUMN,…",
            help="The columns that name an item together, such as doc,seg.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="COLUMN",
            help="The column that says which items hang together (the document of a sentence).",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            metavar="COLUMN,…",
            show_default="every other column of numbers",
            help="The metrics to compare with it.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    lower_is_better: opt.LowerIsBetter = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="COLUMN=TEXT",
            help="Keep only rows with this text in this column; may be repeated.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="SYSTEM",
            help="Leave a system out (an outlier, a human translation); may be repeated.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    statistic: Annotated[
        str,
        typer.Option(
            "--statistic",
            metavar="NAME,…",
            help="pearson, spearman, kendall, accuracy; metrics are compared by the first.",
            rich_help_panel=_QUESTION,
        ),
    ] = "pearson,kendall,accuracy",
    level: Annotated[
        str, typer.Option("--level", metavar="system,item,all", help="Agreement over what.", rich_help_panel=_QUESTION)
    ] = "system,item",
    resample: Annotated[
        str,
        typer.Option(
            "--resample", metavar="items|systems|both", help="What intervals are over.", rich_help_panel=_QUESTION
        ),
    ] = "items",
    min_difference: Annotated[
        float,
        typer.Option(
            "--min-difference",
            metavar="POINTS",
            help="A pair of systems counts on an item whose human scores differ by this at least.",
            rich_help_panel=_QUESTION,
        ),
    ] = 0.0,
    permute: Annotated[
        str,
        typer.Option(
            "--permute",
            metavar="both|items|systems",
            help="What two metrics exchange when they are compared.",
            rich_help_panel=_QUESTION,
        ),
    ] = "both",
    test: Annotated[
        str, typer.Option("--test", metavar="NAME", help="Test between two systems.", rich_help_panel=_QUESTION)
    ] = "t",
    correction: Annotated[
        str,
        typer.Option(
            "--correction", metavar="NAME", help="Over pairs of systems, and of metrics.", rich_help_panel=_QUESTION
        ),
    ] = "fdr_by",
    alpha: opt.Alpha = 0.05,
    resamples: Annotated[
        int, typer.Option("--resamples", metavar="B", help="Resamples and exchanges.", rich_help_panel=_QUESTION)
    ] = 1000,
    seed: opt.Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FOLDER", help="Write the answer as a report in this folder.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an older report in that folder.")] = False,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Say how far metrics agree with human scores, which does so better, and whether they conclude the same.

    For example:

        metaeval human scores.csv --reference human --system model --item doc

        metaeval human metrics.csv people.csv --reference Z.SCR --item doc,seg --cluster doc --out agreement
    """
    from metaeval.agreement.items import item_scores, system_means  # noqa: PLC0415 - loads xarray
    from metaeval.io.files import list_sources  # noqa: PLC0415
    from metaeval.io.items import item_columns, read_items, system_column  # noqa: PLC0415
    from metaeval.metrics.names import split_names  # noqa: PLC0415
    from metaeval.provenance import record_provenance  # noqa: PLC0415
    from metaeval.studies.human import study_human  # noqa: PLC0415 - loads scipy

    with command_session(quiet=quiet) as session:
        if out is not None:
            from metaeval.reports.folder import check_folder  # noqa: PLC0415 - loads matplotlib

            check_folder(out, overwrite=overwrite)
        asked = [] if item is None else [name.strip() for name in item.split(",")]
        frame = read_items(inputs, system=system, item=asked, where=parse_assignments(where, "--where"))
        own, items = system_column(frame, system, inputs[0]), item_columns(frame, asked, inputs[0])
        if without:
            frame = _without(frame, own, without)
        chosen = None if metrics is None else list(split_names(metrics))
        falling = tuple(lower_is_better or ())
        if cluster is not None and not items:
            message = "--cluster groups items, and no column names them; name it with --item"
            raise InvalidOptionError(message)
        scores = (
            item_scores(
                frame,
                reference=reference,
                system=own,
                item=items,
                cluster=cluster,
                metrics=chosen,
                lower_is_better=falling,
            )
            if items
            else system_means(frame, reference=reference, system=own, metrics=chosen)
        )
        if chosen is None and (left := _left_out(frame, [own, *items, cluster, reference], where)):
            session.say(f"Note: columns that do not hold numbers throughout, left out: {', '.join(left)}")
        files = [source.path for source in list_sources(inputs)]
        provenance = record_provenance("human", options=context.params, random_source=f"seed {seed}", inputs=files)
        study = study_human(
            scores,
            reference=reference,
            statistics=split_names(statistic),  # type: ignore[arg-type]  # checked inside, with the names that would do
            levels=split_names(level),  # type: ignore[arg-type]
            resample=resample,  # type: ignore[arg-type]
            min_difference=min_difference,
            permute=permute,  # type: ignore[arg-type]
            test=test,
            correction=correction,
            alpha=alpha,
            n_resamples=resamples,
            lower_is_better=() if items else falling,
            rng=seed,
            provenance=provenance,
        )
        index = None
        if out is not None:
            from metaeval.reports.human import write_human_report  # noqa: PLC0415 - loads matplotlib

            index = write_human_report(study, out, overwrite=overwrite, messages=session.warned())
    if as_json:
        typer.echo(json_document("human", study.to_frame(), provenance=provenance, messages=session.messages))
    elif index is not None:
        typer.echo(f"Report written: open {index}")
    else:
        _print(study)
    for note in study.notes:
        session.say(f"Note: {note}")


def _left_out(frame: "pd.DataFrame", used: Sequence[str | None], where: Sequence[str] | None) -> list[str]:
    known = {*used, *parse_assignments(where, "--where")}
    return [str(name) for name in frame.select_dtypes(exclude="number").columns if name not in known and str(name)]


def _without(frame: "pd.DataFrame", column: str, names: Sequence[str]) -> "pd.DataFrame":
    known = frame[column].drop_duplicates().tolist()
    for name in names:
        if name not in known:
            raise UnknownNameError("system", name, known)
    return frame[~frame[column].isin(names)]


def _print(study: "HumanStudy") -> None:
    items = "" if study.scores is None else f", {study.scores.sizes['item']} items"
    typer.echo(f"{len(study.metrics)} metrics, {len(study.means)} systems{items}\n")
    for found in study.agreements:
        rows = [
            [row["metric"], row["value"], ends(row["low"], row["high"]), row["n_used"]]
            for row in found.table.to_dict("records")
        ]
        level = {"system": "Over systems", "item": "On items", "all": "Over all cells"}[found.level]
        columns = ["Metric", found.statistic, f"{100 * found.confidence:g} % interval", "Over"]
        print_table(f"{level}: agreement with {study.reference}", columns, rows)
    if not study.agreements:
        wide = study.system_matrix()
        ordered = wide.sort_values(wide.columns[0], ascending=False, kind="stable")
        rows = [[str(name), *map(float, row)] for name, row in zip(ordered.index, ordered.to_numpy(), strict=True)]
        print_table(f"Over systems: agreement with {study.reference}", ["Metric", *map(str, wide.columns)], rows)
    if study.comparison is not None:
        wins = study.comparison.wins(study.alpha)
        rows = [
            [str(name), int(better), int(worse)]
            for name, (better, worse) in zip(wins.index, wins.to_numpy(), strict=True)
        ]
        title = f"Significantly better than others ({study.comparison.statistic}, permutation, {study.correction})"
        print_table(title, ["Metric", "Better than", "Worse than"], rows)
    if len(study.decisions):
        names = ["metric", "n_metric", "n_human", "n_shared", "n_conflicts", "precision", "recall", "f1"]
        columns = ["Metric", "Its pairs", "People's", "Both", "Opposite", "Precision", "Recall", "F1"]
        print_table("Significant pairs of systems", columns, study.decisions[names].to_numpy().tolist())
    if len(study.pairs):
        rows = [
            [row["metric"], int(row["pairs"]), int(row["agree"]), float(row["tau"])]
            for row in study.pairs.reset_index().to_dict("records")
        ]
        print_table("Pairs that people tell apart on an item", ["Metric", "Pairs", "Agree", "tau"], rows)
