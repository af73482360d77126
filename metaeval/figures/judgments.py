# ruff: noqa: RUF001 - Greek letters are meant for people
"""The pictures of a judgments study: rankings, scores and power under fewer judgments; pools; new runs; effort."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from metaeval.base.words import name_of_metric, number, share
from metaeval.figures import style
from metaeval.figures.marks import note_line

_LABELS: Mapping[str, str] = {
    "tau": "Kendall’s τ",
    "tau_ap": "τ AP",
    "rho": "Spearman’s ρ",
    "rbo": "rank-biased overlap",
    "score": "mean score",
    "power": "discriminative power",
}
_LEFT = 0.62
_STYLES = 6
_LAST_RANK = 100
_NAMED = 4
_NAME_HEIGHT = 6.0
_VALUE = number(3)


def measure_label(measure: str) -> str:
    """Return what a measure of stability is called in a picture.

    Examples
    --------
    >>> measure_label("tau_ap_best")
    'τ AP among the best'
    """
    plain = measure.removesuffix("_best")
    return _LABELS.get(plain, plain) + (" among the best" if measure != plain else "")


@style.styled
def stability_panels(frame: pd.DataFrame, *, measures: Sequence[str], min_tau: float) -> Figure:
    """Draw measures against what is left of the judgments, a panel for each measure and a line for each metric.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric, reduction, unit, left and the measures, of one reduction; see `Stability.to_frame`.
    measures : sequence of str
        Columns; those with a standard error (``tau_se``) get bars.
    min_tau : float
        A line is drawn at it in the panels of correlations.
    """
    metrics = list(dict.fromkeys(frame["metric"]))
    measured = [name for name in measures if frame[name].notna().any()] or list(measures[:1])
    figure, panels = _panels([measure_label(name) for name in measured], columns=2, keys=metrics)
    percent = frame["unit"].iloc[0] == "%"
    for measure, axes in zip(measured, panels, strict=True):
        drawn = _with_full(frame, measure) if percent else frame
        for index, metric in enumerate(metrics):
            of_metric = drawn[drawn["metric"] == metric]
            named = {"of": name_of_metric(metric), "label": style.metric_label(metric)}
            _line(axes, of_metric, "left", measure, index, **named, across=_left_label(frame))
        if _is_correlation(measure):
            _bound(axes, frame[measure], min_tau)
        elif measure == "power":
            axes.set_ylim(0, 1)
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
        else:
            axes.set_ylim(bottom=min(0.0, float(frame[measure].min())))
        axes.set(xlim=(0, 103 if percent else None), xlabel=_left_label(frame))
    return figure


@style.styled
def reduction_panels(frame: pd.DataFrame, *, measure: str = "tau", min_tau: float = 0.9) -> Figure:
    """Draw one measure against the judged documents left, a panel for each reduction and a line for each metric.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows of several reductions.
    measure : str
    min_tau : float
        A line is drawn at it.
    """
    metrics, reductions = (list(dict.fromkeys(frame[name])) for name in ("metric", "reduction"))
    figure, panels = _panels(reductions, columns=2, keys=metrics)
    for reduction, axes in zip(reductions, panels, strict=True):
        of_reduction = frame[frame["reduction"] == reduction].assign(
            judged_percent=lambda rows: 100 * rows["judged_share"]
        )
        for index, metric in enumerate(metrics):
            of_metric = of_reduction[of_reduction["metric"] == metric]
            named = {"of": name_of_metric(metric), "label": style.metric_label(metric)}
            _line(axes, of_metric, "judged_percent", measure, index, **named, across="judged documents left, %")
        _bound(axes, frame[measure], min_tau)
        axes.set(xlim=(0, 103), xlabel="judged documents left, %")
    return figure


@style.styled
def growth_panels(frame: pd.DataFrame) -> Figure:
    """Draw the relevant documents in a topic's pool over its depth, and over the documents judged.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a depth: pool_depth, judged and relevant, means over topics.
    """
    figure, panels = _panels(["by pool depth", "by documents judged"], columns=2, keys=())
    start = pd.DataFrame({"pool_depth": [0], "judged": [0.0], "relevant": [0.0]})
    grown = pd.concat([start, frame[["pool_depth", "judged", "relevant"]]], ignore_index=True)
    for axes, x, label in zip(
        panels, ("pool_depth", "judged"), ("pool depth, ranks", "documents judged a topic"), strict=True
    ):
        axes.plot(grown[x], grown["relevant"], color=style.CYCLE[0], linewidth=1.4)
        note_line(
            axes,
            grown[x],
            grown["relevant"],
            "{relevant} relevant documents a topic, {judged} judged, down to depth {depth}",
            {
                "relevant": grown["relevant"].map("{:.4g}".format),
                "judged": grown["judged"].map("{:.4g}".format),
                "depth": grown["pool_depth"],
            },
            color=style.CYCLE[0],
        )
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(label)
    figure.axes[0].set_ylabel("relevant documents a topic")
    return figure


@style.styled
def topic_growth_lines(counts: pd.DataFrame, topics: pd.DataFrame) -> Figure:
    """Draw the relevant documents in every topic's pool over its depth, and where few new ones come.

    Parameters
    ----------
    counts : pandas.DataFrame
        topic, pool_depth and relevant; see `PoolGrowth.by_topic`.
    topics : pandas.DataFrame
        topic, relevant, critical_depth and relevant_there; see `PoolGrowth.topics`. Those with most and with fewest
        relevant documents (but some) are named.
    """
    some = topics[topics["relevant"] > 0].sort_values("relevant", kind="stable", ascending=False)
    named = list(dict.fromkeys([*some["topic"][:_NAMED], *some["topic"][-_NAMED:]]))
    figure = Figure(figsize=(style.page_width(), 3.2 + style.FOOT))
    room = 0.35 + max((style.text_width(style.short_name(str(name), _end_name()), 7.5) for name in named), default=0.0)
    axes = style.inch_axes(figure, left=_LEFT, right=room, top=0.15, bottom=style.FOOT)
    ends = []
    high = max(1.0, float(counts["relevant"].max()))
    last = max(2, int(counts["pool_depth"].max()))
    for topic, of_topic in counts.groupby("topic", sort=False):
        x, y = ([0, *of_topic[name]] for name in ("pool_depth", "relevant"))
        note_line(
            axes,
            x,
            y,
            "topic {topic}: {relevant} relevant documents down to depth {depth}",
            {"topic": str(topic), "relevant": y, "depth": x},
            of=("topic",),
            color=style.CYCLE[named.index(topic) % len(style.CYCLE)] if topic in named else "0.6",
            label=style.short_name(str(topic), _end_name()) if topic in named else "",
        )
        if topic not in named:
            axes.plot(x, y, color="0.82", linewidth=0.7, zorder=1)
            continue
        index = named.index(topic)
        color = style.CYCLE[index % len(style.CYCLE)]
        axes.plot(x, y, color=color, linewidth=1.4, linestyle=style.DASHES[index // _STYLES % 2], zorder=2)
        row = topics[topics["topic"] == topic].iloc[0]
        if pd.notna(row["critical_depth"]):
            axes.plot(row["critical_depth"], row["relevant_there"], "o", color=color, markersize=4, zorder=3)
        axes.plot([x[-1], last], [y[-1], y[-1]], color=color, linewidth=0.5, linestyle=":", zorder=1)
        ends.append((style.short_name(str(topic), _end_name()), 100 * y[-1] / high, color))
    axes.set(xlim=(0, last), ylim=(0, 1.03 * high), xlabel="pool depth, ranks", ylabel="relevant documents")
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    style.tidy_axes(axes, grid="y")
    _names_at_end(axes, ends, last, unit=high / 100)
    return figure


@style.styled
def coverage_lines(frame: pd.DataFrame) -> Figure:
    """Draw which share of the results of new runs is judged at each rank, a line for each pool size.

    Parameters
    ----------
    frame : pandas.DataFrame
        size, rank and at_rank.
    """
    sizes = list(dict.fromkeys(frame["size"]))
    room = 0.35 + max(style.text_width(f"{size} documents", 7.5) for size in sizes)
    figure = Figure(figsize=(style.page_width(), 2.6 + style.FOOT))
    axes = style.inch_axes(figure, left=_LEFT, right=room, top=0.15, bottom=style.FOOT)
    last = min(_LAST_RANK, int(frame["rank"].max()))
    ends = []
    for index, size in enumerate(sizes):
        of_size = frame[(frame["size"] == size) & (frame["rank"] <= last)].dropna(subset=["at_rank"])
        color, dash = style.CYCLE[index % len(style.CYCLE)], style.DASHES[index // _STYLES % 2]
        axes.plot(of_size["rank"], 100 * of_size["at_rank"], color=color, linewidth=1.3, linestyle=dash)
        note_line(
            axes,
            of_size["rank"],
            100 * of_size["at_rank"],
            "pools of {size} documents: {judged} judged at rank {rank}",
            {"size": str(size), "judged": of_size["at_rank"].map(share), "rank": of_size["rank"]},
            label=f"{size} documents",
            color=color,
        )
        ends.append((f"{size} documents", float(100 * of_size["at_rank"].iloc[-1]) if len(of_size) else 0.0, color))
    axes.set(ylim=(0, 100), xlim=(1, last), xlabel="rank in the new run", ylabel="judged, %")
    style.tidy_axes(axes, grid="y")
    _names_at_end(axes, ends, last)
    return figure


@style.styled
def effort_panels(frame: pd.DataFrame, *, plans: Mapping[str, str], min_tau: float) -> Figure:
    """Draw the correlation with the full ranking against the effort spent, a panel for each metric, a line a plan.

    Parameters
    ----------
    frame : pandas.DataFrame
        metric, plan, hours, tau, tau_se.
    plans : mapping
        Plan to what it is called.
    min_tau : float
        A line is drawn at it.
    """
    metrics = list(dict.fromkeys(frame["metric"]))
    drawn = [name for name in plans if name in set(frame["plan"])]
    names = [style.metric_label(metric_name) for metric_name in metrics]
    figure, panels = _panels(names, columns=3, keys=[plans[name] for name in drawn], named=str)
    for metric, axes in zip(metrics, panels, strict=True):
        for index, plan in enumerate(drawn):
            of_plan = frame[(frame["metric"] == metric) & (frame["plan"] == plan)]
            named = {"of": f"{plans[plan]}, {name_of_metric(metric)}", "label": plans[plan]}
            _line(axes, of_plan, "hours", "tau", index, **named, across="hours of judging")
        _bound(axes, frame["tau"], min_tau)
        axes.set_xlim(left=0)
        axes.set_xlabel("hours of judging")
    style.label_first_column(panels, min(3, len(panels)), "Kendall’s τ")
    return figure


def _panels(
    titles: Sequence[str],
    *,
    columns: int,
    keys: Sequence[str],
    named: Callable[[str], str] = style.metric_label,
) -> tuple[Figure, list[Axes]]:
    """Return a figure of equal panels with titles, and a key of lines above them that takes as many rows as needed."""
    labels = [named(key) for key in keys]
    widest = max((style.text_width(label, 8) for label in labels), default=1.0) + 0.55
    in_row = max(1, int((style.page_width() - 0.6) / widest))
    top = 0.1 + (0.2 * int(np.ceil(len(labels) / in_row)) if len(labels) > 1 else 0)
    titles, columns = [style.short_name(title, 44) for title in titles], min(columns, len(titles))
    figure, panels = style.panel_grid(titles, columns=columns, height=1.95, left=_LEFT, top=top)
    for axes in panels:
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=False))
        style.tidy_axes(axes, grid="y")
    if len(labels) > 1:
        handles = [axes.plot([], [], **_style(index), markersize=3.4)[0] for index in range(len(labels))]
        style.key_of_figure(figure, handles, labels, columns=in_row)
    return figure, panels


def _style(place: int) -> dict[str, Any]:
    return {
        "color": style.CYCLE[place % len(style.CYCLE)],
        "marker": style.MARKERS[place % _STYLES],
        "linestyle": style.DASHES[place // _STYLES % 2],
        "linewidth": 1.3,
    }


def _line(  # noqa: PLR0913 - a line, and what it is of
    axes: Axes, part: pd.DataFrame, x: str, measure: str, place: int, *, of: str, label: str, across: str
) -> None:
    """Draw one line with its standard errors, where there are any."""
    part = part.dropna(subset=[measure]).sort_values(x)
    spread = part.get(f"{measure}_se")
    if spread is not None and spread.notna().any():
        error = spread.fillna(0.0)
        color = style.CYCLE[place % len(style.CYCLE)]
        style.bars(
            axes, part[measure] - error, part[measure] + error, part[x],
            color=color, linewidth=2.2, alpha=0.35, upright=True,
        )  # fmt: skip
    errors = (
        [""] * len(part)
        if spread is None
        else [f" ± {_VALUE(standard_error)}" if standard_error > 0 else "" for standard_error in spread]
    )
    note_line(
        axes,
        part[x],
        part[measure],
        "{of}: {measure} {value}{error} at {x} ({across})",
        {
            "of": of,
            "measure": measure_label(measure),
            "value": part[measure].map(_VALUE),
            "error": errors,
            "x": part[x].map("{:.4g}".format),
            "across": across,
        },
        of=("of",),
        label=label,
        color=style.CYCLE[place % len(style.CYCLE)],
    )
    axes.plot(part[x], part[measure], markersize=3.4, markeredgewidth=0, **_style(place))


def _bound(axes: Axes, values: pd.Series, min_tau: float) -> None:
    """Draw the correlation to keep, and end the scale at 1."""
    axes.axhline(min_tau, **style.BOUND)
    low = min(float(values.min()), min_tau) if values.notna().any() else min_tau
    low = max(-1.0, np.floor((low - 0.03) * 10) / 10)
    axes.set_ylim(low, 1.01)


def _with_full(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Add the value under the full judgments at 100 %, where it is known and was no step."""
    if f"{measure}_full" not in frame or (frame["left"] == 100).any():  # noqa: PLR2004 - percent
        return frame
    full = frame.drop_duplicates("metric")[["metric", f"{measure}_full"]].rename(columns={f"{measure}_full": measure})
    return pd.concat([frame, full.assign(left=100.0)], ignore_index=True)


def _is_correlation(measure: str) -> bool:
    return measure.removesuffix("_best") in {"tau", "tau_ap", "rho", "rbo"}


def _left_label(frame: pd.DataFrame) -> str:
    unit, reduction = frame["unit"].iloc[0], frame["reduction"].iloc[0]
    if unit != "%":
        return {"ranks": "top documents of every run"}.get(unit, "documents pooled a topic")
    return {"topics": "topics left, %", "relevant": "relevant documents left, %", "depth": "pool depth, %"}.get(
        reduction, "judged documents left, %"
    )


def _end_name() -> int:
    """Return how many letters a name at the end of a line has."""
    return 10 if style.drawn_narrow() else 20


def _names_at_end(axes: Axes, lines: Sequence[tuple[str, float, str]], x: float, *, unit: float = 1.0) -> None:
    """Name every line at the right, by its height in percent of the scale; names that would meet are pushed apart."""
    ordered = sorted(lines, key=lambda line: -line[1])
    spots = [height for _, height, _ in ordered]
    for index in range(1, len(spots)):
        spots[index] = min(spots[index], spots[index - 1] - _NAME_HEIGHT)
    for index in reversed(range(len(spots))):  # and up again, where they ran out of the picture
        lowest = 0.0 if index == len(spots) - 1 else spots[index + 1] + _NAME_HEIGHT
        spots[index] = max(spots[index], lowest)
    for (name, _, color), spot in zip(ordered, spots, strict=True):
        axes.annotate(
            name, (x, spot * unit), xytext=(5, 0), textcoords="offset points", va="center", fontsize=7.5, color=color,
            annotation_clip=False,
        )  # fmt: skip
