"""The sections of a report that describe the runs and judgments behind the scores, whatever these judge."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr

from metaeval import figures
from metaeval.base.words import ends, listed, number, share, whole
from metaeval.collection.documents import Collection, JudgedCollection
from metaeval.figures.shown import NAMED_LINES
from metaeval.metrics.precision_recall import precision_recall_curves
from metaeval.metrics.registry import Registry
from metaeval.page.blocks import Block, Fold, Picture, Section, Text
from metaeval.page.tables import Table, left, right
from metaeval.studies.focused_statistics import RunCurves, focused_curves, focused_statistics

_MOST_COLUMNS = 11
_MOST_OPEN = 4

_LEADS = {
    "documents": "topics, runs, and the judgments behind them. Metrics that count an unjudged document as non-relevant "
    "are unfair to runs with many of them at the top.",
    "elements": "topics, runs of elements, and the assessments behind them. Results in documents that nobody assessed "
    "count as not relevant.",
    "passages": "topics, runs of passages, and the assessments behind them. Results in documents that nobody assessed "
    "count as not relevant.",
}
_CAPTIONS = {
    "documents": "Judged documents per topic, those relevant (level above 0), those at each level; {tied}documents "
    "among the first ten that nobody judged.",
    "elements": "Documents are assessed as a whole; relevant elements are those with an exhaustivity other than 0 and "
    "some highlighted text or a specificity above 0. Overlap: share of a run's results that lie inside another result.",
    "passages": "Documents are assessed as a whole; whatever is highlighted in them is relevant. Overlap: share of a "
    "run's characters that an earlier result of the list had.",
}
_RUN_COLUMNS = (
    *left(system="Run"),
    *right(
        whole,
        topics="Topics",
        retrieved="Retrieved",
        results="Results",
        documents="Documents",
        size="Characters of a result",
    ),
    *right(share, overlap="Overlap", tied="Tied scores", unjudged_at_10="Unjudged in top 10"),
)


def collection_sections(
    collection: JudgedCollection,
    metrics: Iterable[object] = (),
    *,
    registry: Registry | None = None,
    best: int = 10,
) -> tuple[Section, ...]:
    """Return the sections on a collection: what it holds, and the curves of its runs, of the best ones apart.

    Examples
    --------
    >>> from metaeval.collection.assembly import collection_from_rankings
    >>> collection = collection_from_rankings({"bm25": {"1": ["a", "b"]}}, {"1": {"b": 1}})
    >>> [section.title for section in collection_sections(collection)]
    ['Collection statistics', 'Precision and recall']
    """
    if isinstance(collection, Collection):
        held = collection.statistics()
        section = _statistics("documents", held.to_frame(), held.per_system)
        if collection.grades is not None:  # no grade says by itself that it is the lowest relevant one
            return (section,)
        return section, _precision_recall(precision_recall_curves(collection), best)
    statistics = focused_statistics(collection)
    n_without_size = int(statistics.per_system["size"].isna().sum())
    way_out = " (--element-sizes FILE)" if n_without_size else ""
    return (
        _statistics(statistics.kind, statistics.to_frame(), statistics.per_system),
        _run_curves(focused_curves(collection, metrics, registry=registry), way_out, best),
    )


def _statistics(kind: str, quantities: pd.DataFrame, per_system: pd.DataFrame) -> Section:
    return Section(
        id="collection",
        title="Collection statistics",
        lead=f"What the scores were computed from: {_LEADS[kind]}",
        blocks=(_quantities(kind, quantities), Fold(title="Run by run", blocks=(_runs(per_system),))),
    )


def _quantities(kind: str, frame: pd.DataFrame) -> Table:
    """Return the table of what a collection holds: one row a quantity, those that nothing is known of left out."""
    values = ["total", "mean", "min", "max"]
    frame = frame.dropna(subset=values, how="all", ignore_index=True)  # no ties without scores
    shares = frame["quantity"].str.startswith("share")
    tied = "scores tied within a list; " if frame["quantity"].str.contains("tied").any() else ""
    shown = pd.DataFrame({"quantity": frame["quantity"]})
    for name in values:
        write = whole if name in {"total", "min", "max"} else number(1)
        shown[name] = [share(value) if one else write(value) for value, one in zip(frame[name], shares, strict=True)]
        shown[f"{name}_sort"] = frame[name]
    return Table(
        name="collection",
        title="Collection statistics",
        caption=_CAPTIONS[kind].format(tied=tied),
        frame=shown,
        data=frame,
        columns=(
            *left(quantity="What"),
            *right(total="Total", mean="Mean", min="Least", max="Most"),
        ),
    )


def _runs(per_system: pd.DataFrame) -> Table:
    frame = per_system.reset_index().dropna(axis="columns", how="all")
    columns = tuple(column for column in _RUN_COLUMNS if column.name in frame)
    return Table(
        name="runs",
        title="Runs",
        caption="Topics answered, what each run retrieved for them, and the share of unjudged documents among its "
        "first ten.",
        frame=frame,
        columns=columns,
    )


def _precision_recall(curves: xr.DataArray, best: int) -> Section:
    curve = RunCurves(
        name="precision-recall",
        title="Precision and recall",
        across="recall: share of the relevant documents found",
        up="precision, interpolated, mean over the topics",
        data=curves,
    )
    line = (
        ": the best precision it still reaches once it has found a share of the relevant documents (lowest level above "
        "0)"
    )
    return Section(
        id="precision-recall",
        title="Precision and recall",
        lead="How precision falls as a run finds more of what is relevant: lines that cross serve different readers.",
        blocks=_curve_blocks(curve, curves, best, line=line, top=1.02),
    )


def _run_curves(curves: tuple[RunCurves, ...], way_out: str, best: int) -> Section:
    blocks: list[Block] = []
    for place, curve in enumerate(curves):
        if curve.data is None:
            words = f"There is no curve here: {curve.title}. {curve.lacking}{way_out}."
            blocks.append(Text(paragraphs=(words,), look="note"))
        elif place < _MOST_OPEN:
            blocks += _curve_blocks(curve, curve.data, best)
        else:
            blocks.append(Fold(title=curve.title, blocks=_curve_blocks(curve, curve.data, best)[:1]))
    return Section(
        id="curves",
        title="Precision and gain of the runs",
        lead="How precision or gain goes on down the lists: lines that cross serve different readers.",
        blocks=tuple(blocks),
    )


def _curve_blocks(
    curve: RunCurves, data: xr.DataArray, n_best: int, *, line: str = "", top: float | None = None
) -> tuple[Block, ...]:
    by_mean = data.mean(str(data.dims[1])).to_series().sort_index().sort_values(ascending=False, kind="stable")
    best = ends(by_mean.index, by_mean, map(number(2), by_mean))[1]
    curves = data.sel(system=[*best.names]).transpose("system", ...).to_numpy()
    first, last = (listed(dict.fromkeys(map(number(2), curves[:, place]))) for place in (0, -1))
    named = " Named are the runs with the most and the least area under their line." * (len(by_mean) > NAMED_LINES)
    picture = Picture(
        name=curve.name,
        draw=lambda: figures.run_curves(data, across=curve.across, up=curve.up, top=top),
        title=curve.title,
        caption=f"Each line is a run{line}, averaged over the topics.{named}",
        alt=f"{curve.title} of {len(by_mean)} runs. Highest on average {best.verb('is', 'are')} {best.who}: "
        f"{first} at the beginning, {last} at the end.",
    )
    numbers = Fold(title="The numbers", blocks=(_numbers(curve, data, by_mean.index.to_list()),))
    if len(by_mean) <= n_best:
        return picture, numbers
    leading = data.sel(system=by_mean.index[:n_best].to_list())
    apart = Picture(
        name=f"{curve.name}-best",
        draw=lambda: figures.run_curves(leading, across=curve.across, up=curve.up, top=top),
        title=f"{curve.title}: the best {n_best} runs",
        caption=f"The {n_best} runs with the most area under their line in the picture above, apart (Pal et al., 2010, "
        f"Figure 4, show ten).{named if n_best > NAMED_LINES else ''}",
        alt=f"{curve.title} of the best {n_best} runs, from {by_mean.index[0]} down to {by_mean.index[n_best - 1]}.",
    )
    return picture, apart, numbers


def _numbers(curve: RunCurves, data: xr.DataArray, order: list[str]) -> Table:
    axis = str(data.dims[1])
    n_points = data.sizes[axis]
    chosen = np.unique(np.linspace(0, n_points - 1, min(n_points, _MOST_COLUMNS)).round().astype(int))
    frame = data.isel({axis: chosen}).to_pandas().loc[order]
    names = [f"{point:g}" for point in frame.columns]
    across = curve.across.split(":", maxsplit=1)[0]
    points = f"{f'{len(names)} of' if len(names) < n_points else 'all'} {n_points} points ({across})"
    return Table(
        name=curve.name,
        title=curve.title,
        caption=f"Averaged over the topics, at {points}; runs by their mean over all points, best first.",
        frame=frame.set_axis(names, axis=1).reset_index(),
        columns=(
            *left(system="Run"),
            *right(number(3), **{name: name for name in names}),
        ),
    )
