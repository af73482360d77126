"""The part of a report that describes runs of elements or passages and the assessments behind their scores."""

import numpy as np

from metaeval.figures.curves import NAMED_LINES, run_curves
from metaeval.reports.collection import quantities_table
from metaeval.reports.html import Block, Fold, Section, Text
from metaeval.reports.pictures import Picture
from metaeval.reports.tables import Column, Table
from metaeval.studies.holdings import Holdings, RunCurves
from metaeval.words import number, share, whole

__all__ = ["focused_sections"]

_MOST_COLUMNS = 11
_WHAT = {
    "elements": "Documents are assessed as a whole; relevant elements are those with an exhaustivity other than 0 and "
    "some highlighted text or a specificity above 0. Overlap: share of a run's results that lie inside another result.",
    "passages": "Documents are assessed as a whole; whatever is highlighted in them is relevant. Overlap: share of a "
    "run's characters that an earlier result of the list had.",
}


def focused_sections(holdings: Holdings, curves: tuple[RunCurves, ...]) -> tuple[Section, ...]:
    """Return the sections on a collection of elements or passages: what it holds, and the curves of its runs.

    Parameters
    ----------
    holdings : Holdings
        From `metaeval.studies.holdings.focused_holdings`.
    curves : tuple of RunCurves
        From `metaeval.studies.holdings.focused_curves`.

    Returns
    -------
    tuple of Section
    """
    return _holdings(holdings), _curves(curves)


def _holdings(holdings: Holdings) -> Section:
    return Section(
        id="collection",
        title="The collection",
        lead=f"What the scores were computed from: topics, runs of {holdings.kind}, and the assessments behind them. "
        "Results in documents that nobody assessed count as not relevant.",
        blocks=(
            quantities_table(holdings.to_frame(), _WHAT[holdings.kind]),
            Fold(title="Run by run", blocks=(_runs(holdings),)),
        ),
    )


def _runs(holdings: Holdings) -> Table:
    columns = (
        Column(name="system", label="Run"),
        Column(name="topics", label="Topics", write=whole, align="right"),
        Column(name="results", label="Results", write=whole, align="right"),
        Column(name="documents", label="Documents", write=whole, align="right"),
        Column(name="size", label="Characters of a result", write=whole, align="right"),
        Column(name="overlap", label="Overlap", write=share, align="right"),
        Column(name="unjudged_at_10", label="Unjudged in top 10", write=share, align="right"),
    )
    frame = holdings.per_system.reset_index().dropna(axis="columns", how="all")
    return Table(
        name="runs",
        title="The runs",
        caption="Topics answered, results, different documents they lie in, overlap, and share of unjudged documents "
        "among the first ten of each run.",
        frame=frame,
        columns=tuple(column for column in columns if column.name in frame),
    )


def _curves(curves: tuple[RunCurves, ...]) -> Section:
    blocks: list[Block] = []
    for curve in curves:
        blocks += _blocks(curve)
    return Section(
        id="curves",
        title="Curves of the runs",
        lead="How precision or gain goes on down the lists: lines that cross serve different readers.",
        blocks=tuple(blocks),
    )


def _blocks(curve: RunCurves) -> list[Block]:
    if curve.data is None:
        way_out = " (--element-sizes FILE)" * ("sizes=" in curve.lacking)
        return [Text(paragraphs=(f"There is no curve here: {curve.title}. {curve.lacking}{way_out}.",), look="note")]
    axis = str(curve.data.dims[1])
    by_mean = curve.data.mean(axis).to_series().sort_values(ascending=False, kind="stable")
    best = by_mean.index[0]
    named = " Named are the runs with the most and the least area under their line." * (len(by_mean) > NAMED_LINES)
    picture = Picture(
        name=curve.name,
        figure=run_curves(curve.data, across=curve.across, up=curve.up),
        title=curve.title,
        caption=f"Each line is a run, averaged over the topics.{named}",
        alt=f"{curve.title} of {len(by_mean)} runs. Highest on average is {best}: "
        f"{float(curve.data.sel(system=best)[0]):.2f} at the beginning, "
        f"{float(curve.data.sel(system=best)[-1]):.2f} at the end.",
    )
    return [picture, Fold(title="The numbers", blocks=(_numbers(curve, axis, by_mean.index.to_list()),))]


def _numbers(curve: RunCurves, axis: str, order: list[str]) -> Table:
    assert curve.data is not None  # noqa: S101 - asked only where there is one
    n_points = curve.data.sizes[axis]
    chosen = np.unique(np.linspace(0, n_points - 1, min(n_points, _MOST_COLUMNS)).round().astype(int))
    frame = curve.data.isel({axis: chosen}).to_pandas().loc[order]
    names = [f"{point:g}" for point in frame.columns]
    return Table(
        name=curve.name,
        title=curve.title,
        caption=f"Averaged over the topics, at {len(names)} of {n_points} points "
        f"({curve.across.split(':', maxsplit=1)[0]}); runs by their mean over all points, best first.",
        frame=frame.set_axis(names, axis=1).reset_index(),
        columns=(
            Column(name="system", label="Run"),
            *(Column(name=name, label=name, write=number(3), align="right") for name in names),
        ),
    )
