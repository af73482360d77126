"""`metaeval human`: do metrics agree with human scores, in translation, summarisation or elsewhere."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from metaeval.cli import checks
from metaeval.cli import options as opt
from metaeval.cli.command import command
from metaeval.cli.reading import Loaded
from metaeval.errors import InvalidOptionError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from metaeval.studies.human import HumanStudy

__all__ = ["human"]

_TABLE, _QUESTION = "Reading the table", "The question"


@command("human")
def human(  # noqa: PLR0913 - the options of the command
    loaded: Loaded,
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            callback=checks.files_to_read(),
            metavar="TABLES",
            show_default=False,
            help="Tables with a header: one row a system and item (or a system alone), one column a metric or human "
            "score. Several files are joined by system and item.",
        ),
    ],
    reference: Annotated[
        str,
        typer.Option(
            "--reference",
            callback=checks.column_names(),
            metavar="COLUMN",
            help="The column of human scores.",
            show_default=False,
        ),
    ],
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            callback=checks.column_names(),
            metavar="COLUMN",
            help="The column of systems.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(
            "--item",
            callback=checks.column_names(),
            metavar="COLUMN,…",
            help="The columns that name an item together, such as doc,seg.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            callback=checks.column_names(),
            metavar="COLUMN",
            help="The column that says which items hang together (the document of a sentence).",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            callback=checks.names("names of columns by comma"),
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
            callback=checks.column_names(lambda _name, _text: None),
            metavar="COLUMN=TEXT",
            help="Keep only rows with this text in this column; may be repeated.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            callback=checks.column_names(),
            metavar="SYSTEM",
            help="Leave a system out (an outlier, a human translation); may be repeated.",
            rich_help_panel=_TABLE,
        ),
    ] = None,
    statistic: Annotated[
        str,
        typer.Option(
            "--statistic",
            callback=checks.several_of(("pearson", "spearman", "kendall", "accuracy")),
            metavar="NAME,…",
            help="pearson, spearman, kendall, accuracy; metrics are compared by the first.",
            rich_help_panel=_QUESTION,
        ),
    ] = "pearson,kendall,accuracy",
    level: Annotated[
        str,
        typer.Option(
            "--level",
            callback=checks.several_of(("system", "item", "all")),
            metavar="system,item,all",
            help="Agreement over what.",
            rich_help_panel=_QUESTION,
        ),
    ] = "system,item",
    resample: Annotated[
        str,
        typer.Option(
            "--resample",
            callback=checks.one_of("items", "systems", "both"),
            metavar="items|systems|both",
            help="What intervals are over.",
            rich_help_panel=_QUESTION,
        ),
    ] = "items",
    min_difference: Annotated[
        float,
        typer.Option(
            "--min-difference",
            callback=checks.number("a number of points from 0", lambda points: points >= 0),
            metavar="POINTS",
            help="A pair of systems counts on an item whose human scores differ by this at least.",
            rich_help_panel=_QUESTION,
        ),
    ] = 0.0,
    permute: Annotated[
        str,
        typer.Option(
            "--permute",
            callback=checks.one_of("both", "items", "systems"),
            metavar="both|items|systems",
            help="What two metrics exchange when they are compared.",
            rich_help_panel=_QUESTION,
        ),
    ] = "both",
    test: Annotated[
        str,
        typer.Option(
            "--test",
            callback=checks.pair_tests(),
            metavar="NAME",
            help="Test between two systems.",
            rich_help_panel=_QUESTION,
        ),
    ] = "t",
    correction: Annotated[
        str,
        typer.Option(
            "--correction",
            callback=checks.corrections(),
            metavar="NAME",
            help="Over pairs of systems, and of metrics.",
            rich_help_panel=_QUESTION,
        ),
    ] = "fdr_by",
    alpha: opt.Alpha = 0.05,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples",
            callback=checks.library(opt.check_resamples, high=10 * checks.MOST_DRAWS),
            metavar="B",
            help="Resamples and exchanges.",
            rich_help_panel=_QUESTION,
        ),
    ] = 1000,
    seed: opt.Seed = 0,
) -> "HumanStudy":
    """Say how far automatic metrics agree with people's scores of the same things.

    Which metric agrees better, and do metrics and people conclude the same about pairs of systems?

    For example:

        metaeval human scores.csv --reference human --system model --item doc

        metaeval human metrics.csv people.csv --reference Z.SCR --item doc,seg --cluster doc --out agreement
    """
    from metaeval.agreement.items import item_scores, system_means  # noqa: PLC0415 - loads xarray
    from metaeval.io.items import item_columns, read_items, system_column  # noqa: PLC0415 - as above
    from metaeval.io.sources import list_sources  # noqa: PLC0415 - as above
    from metaeval.metrics.names import split_names  # noqa: PLC0415 - as above
    from metaeval.studies.human import study_human  # noqa: PLC0415 - loads scipy

    asked = [] if item is None else [name.strip() for name in item.split(",")]
    frame = read_items(inputs, system=system, item=asked, where=checks.parse_assignments(where, "--where"))
    loaded.read(*(source.path for source in list_sources(inputs)))
    own, items = system_column(frame, system, inputs[0]), item_columns(frame, asked, inputs[0])
    if without:
        frame = _without(frame, own, without)
    chosen = None if metrics is None else list(split_names(metrics))
    frame = frame.drop(columns=_filtered(frame, [own, *items, cluster, reference], where))
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
    return study_human(
        scores,
        reference=reference,
        statistics=split_names(statistic),  # type: ignore[arg-type]  # checked inside, with the names that would do
        levels=split_names(level),  # type: ignore[arg-type]  # as above
        resample=resample,  # type: ignore[arg-type]  # as above
        min_difference=min_difference,
        permute=permute,  # type: ignore[arg-type]  # as above
        test=test,
        correction=correction,
        alpha=alpha,
        n_resamples=resamples,
        lower_is_better=() if items else falling,
        rng=seed,
        provenance=loaded.provenance,
    )


def _filtered(frame: "pd.DataFrame", used: Sequence[str | None], where: Sequence[str] | None) -> list[str]:
    """Return the columns of words that rows were chosen by, and that have done their work."""
    words = frame.select_dtypes(exclude="number").columns
    return [name for name in checks.parse_assignments(where, "--where") if name in words and name not in used]


def _without(frame: "pd.DataFrame", column: str, names: Sequence[str]) -> "pd.DataFrame":
    known = frame[column].drop_duplicates().tolist()
    for name in names:
        if name not in known:
            raise UnknownNameError("system", name, known)
    return frame[~frame[column].isin(names)]
