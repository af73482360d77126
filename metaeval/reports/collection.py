"""The part of a report that describes the runs and judgments behind the scores."""

import pandas as pd
import xarray as xr

from metaeval.collection.documents import CollectionStatistics
from metaeval.figures.curves import NAMED_LINES, precision_recall
from metaeval.reports.html import Fold, Section
from metaeval.reports.pictures import Picture
from metaeval.reports.tables import Column, Table
from metaeval.words import number, share, whole

__all__ = ["collection_sections", "quantities_table"]


def collection_sections(statistics: CollectionStatistics, curves: xr.DataArray) -> tuple[Section, ...]:
    """Return the sections on a collection: what it holds, and how precision falls with recall.

    Parameters
    ----------
    statistics : CollectionStatistics
    curves : xarray.DataArray (system, recall)
        From `metaeval.metrics.precision_recall.precision_recall_curves`.

    Returns
    -------
    tuple of Section
    """
    return _holdings(statistics), _recall(curves)


def _holdings(statistics: CollectionStatistics) -> Section:
    return Section(
        id="collection",
        title="The collection",
        lead="What the scores were computed from: topics, runs, and the judgments behind them. Metrics that count an "
        "unjudged document as non-relevant are unfair to runs with many of them at the top.",
        blocks=(_overview(statistics), Fold(title="Run by run", blocks=(_runs(statistics.per_system),))),
    )


def _overview(statistics: CollectionStatistics) -> Table:
    frame = statistics.to_frame()
    tied = frame[frame["quantity"].str.contains("tied")]["mean"].notna().any()
    caption = (
        "Judged documents per topic, those relevant (level above 0), those at each level; "
        + ("scores tied within a list; " if tied else "")
        + "documents among the first ten that nobody judged."
    )
    return quantities_table(frame, caption)


def quantities_table(frame: pd.DataFrame, caption: str) -> Table:
    """Return the table of what a collection holds: one row a quantity, those that nothing is known of left out.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns quantity, total, mean, min and max; a quantity that begins with "share" is written in percent.
    caption : str
    """
    values = ["total", "mean", "min", "max"]
    frame = frame.dropna(subset=values, how="all", ignore_index=True)  # no ties without scores
    shares = frame["quantity"].str.startswith("share")
    shown = pd.DataFrame({"quantity": frame["quantity"]})
    for name in values:
        write = whole if name in {"total", "min", "max"} else number(1)
        shown[name] = [share(value) if one else write(value) for value, one in zip(frame[name], shares, strict=True)]
        shown[f"{name}_sort"] = frame[name]
    labels = {"total": "Total", "mean": "Mean", "min": "Least", "max": "Most"}
    return Table(
        name="collection",
        title="Collection statistics",
        caption=caption,
        frame=shown,
        data=frame,
        columns=(
            Column(name="quantity", label="What"),
            *(Column(name=name, label=label, align="right") for name, label in labels.items()),
        ),
    )


def _runs(per_system: pd.DataFrame) -> Table:
    columns = (
        Column(name="system", label="Run"),
        Column(name="topics", label="Topics", write=whole, align="right"),
        Column(name="retrieved", label="Retrieved", write=whole, align="right"),
        Column(name="tied", label="Tied scores", write=share, align="right"),
        Column(name="unjudged_at_10", label="Unjudged in top 10", write=share, align="right"),
    )
    frame = per_system.reset_index().dropna(axis="columns", how="all")
    return Table(
        name="runs",
        title="The runs",
        caption=f"Topics answered, documents retrieved, {'share of tied scores, ' if 'tied' in frame else ''}and share "
        "of unjudged documents in the top ten of each run.",
        frame=frame,
        columns=tuple(column for column in columns if column.name in frame),
    )


def _recall(curves: xr.DataArray) -> Section:
    by_precision = curves.mean("recall").to_series().sort_values(ascending=False)
    best = by_precision.index[0]
    table = curves.to_pandas().loc[by_precision.index]
    columns = [Column(name=f"{point:g}", label=f"{point:g}", write=number(3), align="right") for point in table.columns]
    numbers = Table(
        name="precision-recall",
        title="Interpolated precision at eleven points of recall",
        caption="Averaged over the topics; runs by their mean over the eleven points, best first.",
        frame=table.set_axis([f"{point:g}" for point in table.columns], axis=1).reset_index(),
        columns=(Column(name="system", label="Run"), *columns),
    )
    picture = Picture(
        name="precision-recall",
        figure=precision_recall(curves),
        title="Precision and recall",
        caption="Each line is a run: the best precision it still reaches once it has found a share of the relevant "
        "documents (lowest level above 0), averaged over the topics."
        + " Named are the runs with the most and the least area under their line."
        * (len(table) > NAMED_LINES),
        alt=f"Interpolated precision of {len(table)} runs at recall 0 to 1. Highest is {best}: "
        f"{float(curves.sel(system=best)[0]):.2f} at recall 0, {float(curves.sel(system=best)[-1]):.2f} at recall 1.",
    )
    return Section(
        id="precision-recall",
        title="Precision and recall",
        lead="How precision falls as a run finds more of what is relevant: lines that cross serve different readers.",
        blocks=(picture, Fold(title="The numbers", blocks=(numbers,))),
    )
