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
from metaeval.page.blocks import Block, Fold, Section, Text
from metaeval.page.tables import Table, left, right
from metaeval.questions.report.study_focused import RunCurves, focused_curves, focused_statistics
from metaeval.reports.prose import prose

_MOST_COLUMNS = 11
_MOST_OPEN = 4
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
say = prose(__name__)
_NAMED = "Named are the runs with the most and the least area under their line."


def collection_sections(
    collection: JudgedCollection, metrics: Iterable[object] = (), *, registry: Registry | None = None, best: int = 10
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
        of_documents = collection.statistics()
        section = _statistics_section("documents", of_documents.to_frame(), of_documents.per_system)
        if collection.grades is not None:  # no grade says by itself that it is the lowest relevant one
            return (section,)
        return section, _precision_recall_section(precision_recall_curves(collection), best)
    statistics = focused_statistics(collection)
    sizes_lack = bool(statistics.per_system["size"].isna().any())
    return (
        _statistics_section(statistics.kind, statistics.to_frame(), statistics.per_system),
        _curves_section(focused_curves(collection, metrics, registry=registry), best, sizes_lack=sizes_lack),
    )


def _statistics_section(kind: str, quantities: pd.DataFrame, per_system: pd.DataFrame) -> Section:
    fold = Fold(title="Run by run", blocks=(_runs_table(per_system),))
    name = "collection" if kind == "documents" else "focused"
    return say.section(name, _quantities_table(kind, quantities), fold, brief=False, id="collection", kind=kind)


def _quantities_table(kind: str, frame: pd.DataFrame) -> Table:
    """Return the table of what a collection holds: one row a quantity, those that nothing is known of left out."""
    values = ["total", "mean", "min", "max"]
    frame = frame.dropna(subset=values, how="all", ignore_index=True)  # no ties without scores
    shares = frame["quantity"].str.startswith("share")
    table_frame = pd.DataFrame({"quantity": frame["quantity"]})
    for name in values:
        write = whole if name in {"total", "min", "max"} else number(1)
        table_frame[name] = [
            share(value) if is_share else write(value) for value, is_share in zip(frame[name], shares, strict=True)
        ]
        table_frame[f"{name}_sort"] = frame[name]
    return say.table(
        kind,
        table_frame,
        left(quantity="What"),
        right(total="Total", mean="Mean", min="Least", max="Most"),
        called="collection",
        data=frame,
    )


def _runs_table(per_system: pd.DataFrame) -> Table:
    frame = per_system.reset_index().dropna(axis="columns", how="all")
    columns = tuple(column for column in _RUN_COLUMNS if column.name in frame)
    return say.table("runs", frame, columns, head="Runs")


def _precision_recall_section(curves: xr.DataArray, best: int) -> Section:
    curve = RunCurves(
        name="precision-recall",
        title="Precision and recall",
        across="recall: share of the relevant documents found",
        up="precision, interpolated, mean over the topics",
        data=curves,
    )
    blocks = _curve_blocks(curve, curves, best, top=1.02)
    return say.section("precision-recall", *blocks, brief=False, head="Precision and recall")


def _curves_section(curves: tuple[RunCurves, ...], best: int, *, sizes_lack: bool) -> Section:
    blocks: list[Block] = []
    for index, curve in enumerate(curves):
        if curve.data is None:
            blocks.append(
                Text(
                    paragraphs=(say("no curve", curve=curve, sizes_lack=sizes_lack),),
                    look="note",
                )
            )
        elif index < _MOST_OPEN:
            blocks += _curve_blocks(curve, curve.data, best)
        else:
            blocks.append(Fold(title=curve.title, blocks=_curve_blocks(curve, curve.data, best)[:1]))
    return say.section("curves", *blocks, brief=False, head="Precision and gain of the runs")


def _curve_blocks(curve: RunCurves, data: xr.DataArray, n_best: int, *, top: float | None = None) -> tuple[Block, ...]:
    by_mean = data.mean(str(data.dims[1])).to_series().sort_index().sort_values(ascending=False, kind="stable")
    best = ends(by_mean.index, by_mean, map(number(2), by_mean))[1]
    curves = data.sel(system=[*best.names]).transpose("system", ...).to_numpy()
    first, last = (listed(dict.fromkeys(map(number(2), curves[:, position]))) for position in (0, -1))
    named = _NAMED if len(by_mean) > NAMED_LINES else ""
    picture = say.picture(
        "lines" if top is None else "precision lines",
        lambda: figures.run_curves(data, across=curve.across, up=curve.up, top=top),
        called=curve.name,
        alt=say("lines mark", curve=curve, n=len(by_mean), best=best, first=first, last=last),
        curve=curve,
        n_best=n_best,
        n=len(by_mean),
        named=named,
    )
    numbers = Fold(title="The numbers", blocks=(_curve_table(curve, data, by_mean.index.to_list()),))
    if len(by_mean) <= n_best:
        return picture, numbers
    leading = data.sel(system=by_mean.index[:n_best].to_list())
    apart = say.picture(
        "best",
        lambda: figures.run_curves(leading, across=curve.across, up=curve.up, top=top),
        called=f"{curve.name}-best",
        leading=by_mean.index,
        curve=curve,
        n_best=n_best,
        named=_NAMED if n_best > NAMED_LINES else "",
    )
    return picture, apart, numbers


def _curve_table(curve: RunCurves, data: xr.DataArray, order: list[str]) -> Table:
    axis = str(data.dims[1])
    n_points = data.sizes[axis]
    chosen = np.unique(np.linspace(0, n_points - 1, min(n_points, _MOST_COLUMNS)).round().astype(int))
    frame = data.isel({axis: chosen}).to_pandas().loc[order]
    names = [f"{point:g}" for point in frame.columns]
    return say.table(
        "points",
        frame.set_axis(names, axis=1).reset_index(),
        left(system="Run"),
        right(number(3), **{name: name for name in names}),
        called=curve.name,
        title=curve.title,
        n_shown=len(names),
        n=n_points,
        across=curve.across.split(":", maxsplit=1)[0],
    )
