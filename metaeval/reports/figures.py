# ruff: noqa: RUF001 - typographic minus, dashes and Greek letters are meant for people
"""Every picture of a report: labelled data in, a matplotlib figure out, nothing computed twice.

The figures use matplotlib's object interface and an explicit style, so drawing changes no global setting and needs
no display. Colours are those of Okabe and Ito, which colour-blind readers can tell apart; what a colour says is also
said by place, shape or sign.
"""

import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from io import BytesIO
from itertools import zip_longest
from typing import Any, ClassVar, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import blended_transform_factory
from numpy.typing import NDArray

from metaeval.equality import settled_means
from metaeval.errors import UnknownNameError
from metaeval.resampling.sensitivity import SensitivityResult
from metaeval.scores import Scores, better_direction
from metaeval.tests_stat.catalogue import name_of_test
from metaeval.tests_stat.correction import CORRECTIONS, FAMILY_WISE, name_of_correction
from metaeval.tests_stat.result import PairwiseResult
from metaeval.visible import visible
from metaeval.words import name_of_metric

__all__ = [
    "CYCLE",
    "FOOT",
    "KEY_STYLE",
    "NAMED_LINES",
    "NAMED_ROWS",
    "PAGE_WIDTH",
    "RIMMED",
    "THEME",
    "Picture",
    "asl_curves",
    "bars",
    "figure_pdf",
    "figure_svg",
    "inch_axes",
    "metric_label",
    "power_differences",
    "power_dots",
    "precision_recall",
    "rows_figure",
    "run_curves",
    "score_distributions",
    "short_name",
    "significance_map",
    "styled",
    "system_ranking",
    "text_width",
    "tidy_axes",
]

NAMED_ROWS = 45
"""So many systems get a row with their name; more are shown by rank."""

NAMED_LINES = 7
"""So many runs get a line with their name; of more only the best and the last."""

_MARKED = 20
"""Lines of more points have no marks."""

THEME = {
    "paper": "#ffffff",
    "ink": "#1f2a37",
    "muted": "#5f6b7a",
    "rule": "#d8dee6",
    "blue": "#0072b2",
    "pale-blue": "#a6cee6",
    "orange": "#d55e00",
}
"""The colours of the frame of every picture; a page replaces them by its own variables."""

CYCLE = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),  # Okabe and Ito
    *("#7a5195", "#999933", "#5f6b7a", "#a6404f", "#44aa99", "#1f2a37"),  # more, for lines told apart by dashes too
)
_SOLID = 6
_DASHES = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_MARKERS = ("o", "D", "s", "^", "v", "P", "X", "<", ">", "p", "*", "h")
PAGE_WIDTH, FOOT = 7.6, 0.5
_STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same measures on every machine
    "font.size": 9.0,
    "font.enable_last_resort": False,  # a plain box is enough, and ten times faster to embed in a PDF
    "text.usetex": False,
    "text.color": THEME["ink"],
    "axes.unicode_minus": True,
    "axes.formatter.use_mathtext": False,
    "path.simplify": False,  # it would join strokes that are meant to stand apart
    "svg.fonttype": "none",  # text stays text: small, sharp, searchable
    "svg.image_inline": True,
    "pdf.fonttype": 42,  # publishers refuse Type 3 fonts
}
RIMMED: dict[str, Any] = {"markeredgecolor": THEME["paper"], "markeredgewidth": 0.8, "zorder": 4}
_SMALL_NOTE: dict[str, Any] = {
    "textcoords": "offset points",
    "fontsize": 7.5,
    "color": THEME["muted"],
    "annotation_clip": False,
}
_CONTROL = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """A figure and what a reader needs beside it.

    Attributes
    ----------
    name : str
        Of the files it becomes; made safe when they are written.
    figure : matplotlib.figure.Figure
    title : str
    caption : str
        What the picture shows and how to read it.
    alt : str
        What it says, in words, for those who cannot see it.
    """

    kind: ClassVar[str] = "picture"

    name: str
    figure: Figure
    title: str
    caption: str
    alt: str


def styled[**P](draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw under this module's style and leave the caller's settings as they were."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(_STYLE):
            return draw(*args, **kwargs)

    return drawn


@styled
def score_distributions(scores: Scores, metric: str) -> Figure:
    """Draw how the topics' scores of every system are spread, best mean first.

    Up to `NAMED_ROWS` systems get a row each, with a stroke per topic; more stand side by side by rank.

    Parameters
    ----------
    scores : Scores
    metric : str

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    UnknownNameError
        If the scores have no such metric.
    """
    values, names, higher = _best_first(scores, metric)
    if len(names) > NAMED_ROWS:
        return _compact_distributions(values, metric, higher=higher)
    rows = np.arange(len(names))
    figure, axes = rows_figure(names, row_height=0.21, top=0.42)
    _strokes(axes, values, rows, color=THEME["pale-blue"], linewidth=0.9, label="one topic")
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], axis=1)
    bars(axes, low, high, rows, color=THEME["blue"], linewidth=2.2, label="middle half of the topics")
    axes.plot(middle, rows, "|", color=THEME["blue"], markersize=8, markeredgewidth=1.6, label="median")
    axes.plot(values.mean(axis=1), rows, "o", color=THEME["orange"], markersize=4.8, label="mean", **RIMMED)
    axes.set_xlabel(_score_label(metric, "{} of a topic", higher=higher))
    _padded_limits(axes, values)
    _key(axes, columns=4)
    return figure


@styled
def asl_curves(sensitivity: SensitivityResult) -> Figure:
    """Draw the achieved significance levels of all pairs, sorted, one line a metric, from 0 to twice alpha.

    Parameters
    ----------
    sensitivity : SensitivityResult

    Returns
    -------
    matplotlib.figure.Figure
    """
    curves = sensitivity.asl_curves()
    alpha = float(sensitivity.alpha)
    metrics = list(dict.fromkeys(curves["metric"]))
    levels = [np.sort(curves.loc[curves["metric"] == name, "asl"].to_numpy(dtype=float)) for name in metrics]
    n_pairs = len(levels[0])
    ranks = np.arange(1, n_pairs + 1)
    right = min(float(n_pairs), max(1.0, *(float(np.interp(2 * alpha, line, ranks)) for line in levels)) * 1.04)
    found = sensitivity.summary().set_index("metric").loc[metrics, "n_significant"].tolist()
    labels = [f"{metric_label(name)}: {number}" for name, number in zip(metrics, found, strict=True)]
    key = 0.75 + max(1.0, *(text_width(label, 8.5) for label in labels))
    figure = Figure(figsize=(PAGE_WIDTH, max(3.9, 0.9 + 0.24 * len(metrics))))
    axes = inch_axes(figure, left=0.75, right=key, top=0.15, bottom=FOOT)
    handles = []
    for place, line in enumerate(levels):
        dash = _DASHES[(place // _SOLID) % len(_DASHES)]
        look: dict[str, Any] = {"color": CYCLE[place % len(CYCLE)], "linestyle": dash, "linewidth": 1.6}
        mark: dict[str, Any] = {"marker": _MARKERS[place % len(_MARKERS)], "markersize": 6.4, "markeredgewidth": 0}
        axes.plot(ranks, line, **look)
        if line[0] < alpha < line[-1]:
            axes.plot(np.interp(alpha, line, ranks), alpha, color=look["color"], zorder=4, **mark)
        handles.append(Line2D([], [], **look, **mark))
    axes.axhline(alpha, color=THEME["ink"], linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.annotate(
        f"α = {alpha:g}", (0, alpha), xytext=(4, 4), textcoords="offset points", fontsize=8, color=THEME["ink"]
    )
    axes.set_xlim(0, right)
    axes.set_ylim(0, 2 * alpha)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.set_xlabel(f"pairs of systems, sorted by achieved significance level ({n_pairs} in all)")
    axes.set_ylabel("achieved significance level (ASL)")
    tidy_axes(axes, grid="y")
    order = np.argsort([-number for number in found], kind="stable")
    axes.legend(
        [handles[place] for place in order],
        [labels[place] for place in order],
        title="pairs told apart at α",
        title_fontsize=8,
        alignment="left",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        **{**KEY_STYLE, "fontsize": 8.5, "handlelength": 2.6},
    )
    return figure


@styled
def power_dots(frame: pd.DataFrame) -> Figure:
    """Draw the share of pairs each metric tells apart, with its interval, under every correction side by side.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row per metric, test and correction; columns metric, test, correction, power and, where there are
        intervals, power_low and power_high.

    Returns
    -------
    matplotlib.figure.Figure
    """
    tests = list(dict.fromkeys(frame["test"]))
    corrections = [name for name in (*CORRECTIONS, FAMILY_WISE) if name in set(frame["correction"])]
    order = frame.groupby("metric", sort=False)["power"].max().sort_values(ascending=False, kind="stable").index
    single = len(tests) == 1
    rows = [(metric, test) for metric in order for test in (tests if single else ["", *tests])]
    row_of = {row: place for place, row in enumerate(rows)}
    names = [metric_label(metric) if single or not test else name_of_test(test) for metric, test in rows]
    heads = set() if single else {place for place, (_, test) in enumerate(rows) if not test}
    height = 0.2 + 0.13 * len(corrections) if single else 0.22
    top = 0.24 + 0.18 * int(np.ceil(len(corrections) / 3))
    figure, axes = rows_figure(names, row_height=height, top=top, right=0.55 if single else 0.15, heads=heads)
    shifts = np.linspace(-1, 1, len(corrections)) * (0.17 if single else 0.05) * (len(corrections) - 1)
    for place, (correction, shift) in enumerate(zip(corrections, shifts, strict=True)):
        part = frame[frame["correction"] == correction]
        y = np.array([row_of[row] for row in zip(part["metric"], part["test"], strict=True)]) + shift
        color, mark = CYCLE[place % len(CYCLE)], _MARKERS[place % len(_MARKERS)]
        if "power_low" in part:
            bars(axes, 100 * part["power_low"], 100 * part["power_high"], y, color=color, linewidth=1.5)
        style: dict[str, Any] = {"color": color, "label": name_of_correction(correction), "clip_on": False, **RIMMED}
        axes.plot(100 * part["power"], y, mark, markersize=5.6 if single else 5.0, **style)
        ends = part["power_high"].fillna(part["power"]) if "power_high" in part else part["power"]
        for x, level, share in zip(100 * ends, y, part["power"], strict=True) if single else ():
            axes.annotate(f"{100 * share:.1f} %", (x, level), xytext=(7, 0), va="center", **_SMALL_NOTE)
    axes.set_xlim(0, 100)
    axes.set_xlabel("discriminative power: share of pairs told apart (%)")
    _key(axes, columns=3)
    return figure


@styled
def power_differences(frame: pd.DataFrame) -> Figure:
    """Draw how far the discriminative powers of two metrics lie apart, with intervals.

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns metric_a, metric_b, difference (of a minus b, as a share), low, high.

    Returns
    -------
    matplotlib.figure.Figure
    """
    labels = [
        f"{metric_label(a)} − {metric_label(b)}" for a, b in zip(frame["metric_a"], frame["metric_b"], strict=True)
    ]
    rows = np.arange(len(labels))
    figure, axes = rows_figure(labels, row_height=0.26, top=0.15, limit=50)
    low, high = 100 * frame["low"].to_numpy(), 100 * frame["high"].to_numpy()
    middle = 100 * frame["difference"].to_numpy()
    clear = (low > 0) | (high < 0)
    axes.axvline(0, color=THEME["ink"], linewidth=0.9, zorder=1)
    for mask, color, face in ((clear, "blue", "blue"), (~clear, "muted", "paper")):
        bars(axes, low[mask], high[mask], rows[mask], color=THEME[color], linewidth=1.6)
        rim: dict[str, Any] = {"markeredgecolor": THEME[color], "markeredgewidth": 1.3, "zorder": 4}
        axes.plot(middle[mask], rows[mask], "o", color=THEME[face], markersize=5.4, **rim)
    axes.set_xlabel("difference in discriminative power (percentage points)")
    return figure


@styled
def precision_recall(curves: xr.DataArray) -> Figure:
    """Draw precision against recall, one line a run; few runs are all named, of many only the best and the last.

    Parameters
    ----------
    curves : xarray.DataArray (system, recall)
        Precision at the points of recall, averaged over the topics.

    Returns
    -------
    matplotlib.figure.Figure
    """
    return _curves(
        curves.transpose("system", "recall"),
        across="recall: share of the relevant documents found",
        up="precision, interpolated, mean over the topics",
        top=1.02,
    )


@styled
def run_curves(curves: xr.DataArray, *, across: str, up: str) -> Figure:
    """Draw one line a run over recall or rank; few runs are all named, of many only the best and the last.

    Parameters
    ----------
    curves : xarray.DataArray (system, any other)
        Values from 0 on, averaged over the topics.
    across, up : str
        What the axes say.

    Returns
    -------
    matplotlib.figure.Figure
    """
    return _curves(curves, across=across, up=up, top=min(1.02, 1.08 * max(float(curves.max()), 1e-3)))


def _curves(curves: xr.DataArray, *, across: str, up: str, top: float) -> Figure:
    values, places = curves.to_numpy(), curves[curves.dims[1]].to_numpy()
    order = np.argsort(-values.mean(axis=1), kind="stable")
    names, values = curves["system"].to_numpy()[order], values[order]
    named = range(len(names)) if len(names) <= NAMED_LINES else (0, len(names) - 1)
    figure = Figure(figsize=(PAGE_WIDTH, 4.2))
    axes = inch_axes(figure, left=0.75, right=0.15, top=0.15, bottom=FOOT)
    others = np.delete(values, list(named), axis=0)
    broken = np.hstack([others, np.full((len(others), 1), np.nan)]).ravel()  # all lines as one path
    axes.plot(np.tile([*places, np.nan], len(others)), broken, color=THEME["pale-blue"], linewidth=0.8)
    marker = "o" if len(places) <= _MARKED else None
    for place, row in enumerate(named):
        style: dict[str, Any] = {"color": CYCLE[place], "label": short_name(names[row]), "zorder": 4 - place / 10}
        axes.plot(places, values[row], linewidth=1.7, marker=marker, markersize=3.4, **style)
    axes.set_xlim(0, 1.01 * float(places[-1]))
    axes.set_ylim(0, top)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    tidy_axes(axes, grid="y")
    axes.legend(loc="upper right", **{**KEY_STYLE, "handlelength": 2.0})
    return figure


@styled
def significance_map(result: PairwiseResult, metric: str) -> Figure:
    """Draw which system is better than which under one metric, systems ordered by their means.

    Blue: the row's system is better than the column's; orange: worse. Strong colour: significant after the
    correction; pale: only without it.

    Parameters
    ----------
    result : PairwiseResult
    metric : str

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    UnknownNameError
        If the result has no such metric.
    """
    names, states = _decision_states(result, metric)
    n_systems = len(names)
    named = n_systems <= NAMED_ROWS
    labels = [short_name(name) for name in names]
    left = 0.5 + max(text_width(label, 7.5) for label in labels) if named else 0.75
    side = min(n_systems * 0.36, PAGE_WIDTH - left - 0.2, 5.9)
    head, foot = 0.5, 0.85
    height = head + side + foot
    figure = Figure(figsize=(PAGE_WIDTH, height))
    axes = inch_axes(figure, left=left, right=PAGE_WIDTH - left - side, top=head, bottom=foot)
    pixels = np.array([[_MAP_COLOURS[int(state)] for state in row] for row in states])
    axes.imshow(pixels, interpolation="none", aspect="auto", extent=(0.5, n_systems + 0.5, n_systems + 0.5, 0.5))
    tidy_axes(axes, grid="", spines=())
    if named:
        _name_cells(axes, labels)
    else:
        ticks = np.unique([1, *range(20, n_systems - 9, 20), n_systems])
        axes.set_yticks(ticks)
        axes.set_xticks(ticks)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, labelsize=7.5)
        axes.set_ylabel("row: place of a system in the order of means")
    if n_systems <= _SIGNED:
        _signs(axes, states)
    words = "column: place of the other system"
    axes.text(0, 1 + 0.3 / side, words, transform=axes.transAxes, va="bottom", fontsize=8.5, color=THEME["muted"])
    _map_key(figure, result, left=left, foot=foot)
    return figure


@styled
def system_ranking(means: pd.DataFrame, metric: str, *, higher_is_better: bool = True) -> Figure:
    """Draw the systems of one metric in order of their means, each mean with its interval.

    Long lists are folded into columns that share one scale.

    Parameters
    ----------
    means : pandas.DataFrame
        Columns metric, system, mean, low, high, rank.
    metric : str
    higher_is_better : bool, default True

    Returns
    -------
    matplotlib.figure.Figure
    """
    part = means[means["metric"] == metric].sort_values("rank", kind="stable")
    n_columns = int(np.clip(np.ceil(len(part) / NAMED_ROWS), 1, 3))
    length = int(np.ceil(len(part) / n_columns))
    size = 8.5 if n_columns == 1 else 6.6
    limit = 28 if n_columns == 1 else 18
    names, ranks = [short_name(name, limit) for name in part["system"]], part["rank"].tolist()
    left = 0.55 + max(text_width(name, size) for name in names)
    row_height = 0.21 if n_columns == 1 else 0.165
    figure = Figure(figsize=(PAGE_WIDTH, 0.1 + FOOT + row_height * length))
    width = PAGE_WIDTH / n_columns
    span = float(part["high"].max() - part["low"].min()) or 1.0
    limits = (float(part["low"].min()) - 0.03 * span, float(part["high"].max()) + 0.03 * span)
    for column in range(n_columns):
        inside = slice(column * length, (column + 1) * length)
        rows = part.iloc[inside]
        axes = inch_axes(
            figure, left=column * width + left, right=PAGE_WIDTH - (column + 1) * width + 0.12, top=0.1, bottom=FOOT
        )
        y = np.arange(len(rows))
        bars(axes, rows["low"], rows["high"], y, color=THEME["pale-blue"], linewidth=2.4)
        axes.plot(rows["mean"], y, "o", color=THEME["blue"], markersize=4.4 if n_columns == 1 else 3.2, zorder=4)
        axes.set_ylim(length - 0.4, -0.6)
        axes.set_xlim(limits)
        _row_names(axes, names[inside], y, size=size, ranks=ranks[inside])
        tidy_axes(axes, grid="x", spines=("bottom",))
        axes.locator_params(axis="x", nbins=7 if n_columns == 1 else 4)
        if n_columns == 1:
            axes.set_xlabel(_score_label(metric, "mean {} over the topics", higher=higher_is_better))
    if n_columns > 1:
        label = _score_label(metric, "mean {} over the topics", higher=higher_is_better)
        figure.text(0.5, 0.012, label, ha="center", va="bottom", fontsize=8.5, color=THEME["muted"])
    return figure


def figure_svg(figure: Figure, *, salt: str) -> str:
    """Return a figure as SVG with its text kept as text: the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    salt : str
        Makes the ids inside differ from those of other figures on one page.
    """
    return visible(_saved(figure, "svg", {"Date": None, "Creator": None}, salt=salt).decode("utf-8"), keep="\n\t")


def figure_pdf(figure: Figure) -> bytes:
    """Return a figure as PDF with embedded TrueType fonts: the same figure gives the same bytes."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None}, salt="")


def _saved(figure: Figure, kind: str, metadata: dict[str, None], *, salt: str) -> bytes:
    stream = BytesIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": salt}), warnings.catch_warnings():
        # A name may hold letters the bundled font lacks: SVG viewers find another font, PDF shows a box.
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font", category=UserWarning)
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support", category=UserWarning)
        figure.savefig(stream, format=kind, metadata=metadata, dpi=200)
    return stream.getvalue()


_SELF, _UNTESTED = 9, 8
_SIGNED = 25
_BLUE, _ORANGE, _GREY = "#1a7fc1", "#dd6b1f", "#8492a3"
_MAP_COLOURS = {  # see-through rather than pale, so that they fit a light and a dark page
    2: to_rgba(_BLUE),
    1: to_rgba(_BLUE, 0.36),
    0: to_rgba(_GREY, 0.14),
    -1: to_rgba(_ORANGE, 0.4),
    -2: to_rgba(_ORANGE),
    _SELF: to_rgba(_GREY, 0.6),
    _UNTESTED: to_rgba(_GREY, 0.0),
}


def _decision_states(result: PairwiseResult, metric: str) -> tuple[list[str], NDArray[np.int8]]:
    """Return the systems, best first, and for row against column 2 or -2 (corrected), 1 or -1 (uncorrected), 0."""
    if metric not in result.metrics:
        raise UnknownNameError("metric", metric, result.metrics)
    one = result.data.sel(metric=metric)
    first, second = one["system_a"].to_numpy(), one["system_b"].to_numpy()
    names = list(dict.fromkeys([*first.tolist(), *second.tolist()]))
    place = {name: number for number, name in enumerate(names)}
    lead = np.zeros(len(names))
    a = np.array([place[name] for name in first.tolist()])
    b = np.array([place[name] for name in second.tolist()])
    below = np.less if result.strictly_below else np.less_equal
    bare = below(one["p_value"].to_numpy(), result.alpha)
    strength = np.where(one["significant"].to_numpy(), 2, np.where(bare, 1, 0)) * one["better"].to_numpy()
    states = np.full((len(names), len(names)), _UNTESTED, dtype=np.int8)
    states[a, b], states[b, a] = strength, -strength
    np.fill_diagonal(states, _SELF)
    if result.baseline is None:  # as many as it stands ahead of, less those ahead of it: exact, whatever the scores
        np.add.at(lead, a, one["better"].to_numpy())
        np.add.at(lead, b, -one["better"].to_numpy())
    else:
        lead[a] = one["difference"].to_numpy() * (1.0 if bool(one["higher_is_better"]) else -1.0)
    order = np.argsort(-lead, kind="stable")
    return [names[number] for number in order], states[np.ix_(order, order)]


def _name_cells(axes: Axes, labels: Sequence[str]) -> None:
    """Name the rows, number the columns, and draw the lines between the cells, all as one path each way."""
    numbers = np.arange(1, len(labels) + 1)
    _row_names(axes, labels, numbers, size=7.5, ranks=numbers.tolist())
    axes.set_xticks([])
    for number in range(1, len(labels) + 1):
        axes.text(number, 0.38, str(number), ha="center", va="bottom", fontsize=7, color=THEME["muted"])
    edges = numbers[:-1] + 0.5
    for upright in (False, True):
        low, high = np.full_like(edges, 0.5), np.full_like(edges, len(labels) + 0.5)
        bars(axes, low, high, edges, color=THEME["paper"], linewidth=0.8, upright=upright)
    axes.set_xlim(0.5, len(labels) + 0.5)
    axes.set_ylim(len(labels) + 0.5, 0.5)


def _signs(axes: Axes, states: NDArray[np.int8]) -> None:
    """Say better and worse by sign too, where there is room."""
    for row, column in np.argwhere((states != 0) & (np.abs(states) <= 2)):  # noqa: PLR2004 - the four decisions
        state = int(states[row, column])
        color = "#fefefe" if abs(state) == 2 else THEME["ink"]  # noqa: PLR2004 - strong colour
        sign = "+" if state > 0 else "−"
        axes.text(column + 1, row + 1, sign, ha="center", va="center_baseline", fontsize=7.5, color=color)


def _map_key(figure: Figure, result: PairwiseResult, *, left: float, foot: float) -> None:
    corrected = result.correction not in ("none", "family-wise")
    how = f"after {name_of_correction(result.correction)}" if corrected else "significant"
    words = {2: f"row better, {how}", -2: f"column better, {how}", 0: "not told apart"}
    if corrected:
        words |= {1: "row better, only uncorrected", -1: "column better, only uncorrected"}
    order = [state for state in (2, 1, -2, -1, 0) if state in words]
    figure.legend(
        [Patch(facecolor=_MAP_COLOURS[state], linewidth=0) for state in order],
        [words[state] for state in order],
        loc="upper left",
        bbox_to_anchor=(min(left, 0.9) / PAGE_WIDTH - 0.012, (foot - 0.08) / figure.get_size_inches()[1]),
        ncols=3,
        **KEY_STYLE,
    )


def _compact_distributions(values: NDArray[np.float64], metric: str, *, higher: bool) -> Figure:
    figure = Figure(figsize=(PAGE_WIDTH, 4.1))
    axes = inch_axes(figure, left=0.75, right=0.15, top=0.42, bottom=FOOT)
    ranks = np.arange(1, len(values) + 1)
    edge, low, middle, high, top = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95], axis=1)
    thick = min(4.5, 0.62 * 72 * (PAGE_WIDTH - 0.9) / len(values))
    bars(axes, edge, top, ranks, color=THEME["pale-blue"], linewidth=0.8, upright=True, label="5 % to 95 % of topics")
    bars(axes, low, high, ranks, color=THEME["pale-blue"], linewidth=thick, upright=True, label="middle half")
    axes.plot(ranks, middle, "_", color=THEME["blue"], markersize=thick + 1, markeredgewidth=1.3, label="median")
    axes.plot(ranks, values.mean(axis=1), color=THEME["orange"], linewidth=1.5, label="mean")
    axes.set_xlim(0, len(values) + 1)
    axes.set_xticks(np.unique([1, *range(20, len(values) - 9, 20), len(values)]))
    axes.set_xlabel("systems, by rank of their mean (names: ranking of the systems)")
    axes.set_ylabel(_score_label(metric, "{} of a topic", higher=higher))
    tidy_axes(axes, grid="y")
    _key(axes, columns=4)
    return figure


def _best_first(scores: Scores, metric: str) -> tuple[NDArray[np.float64], list[str], bool]:
    metrics = scores["metric"].to_numpy().tolist()
    if metric not in metrics:
        raise UnknownNameError("metric", metric, metrics)
    place = metrics.index(metric)
    values = scores.to_numpy()[place]
    direction = better_direction(scores)[place]
    order = np.argsort(-settled_means(direction * values), kind="stable")
    return values[order], scores["system"].to_numpy()[order].tolist(), bool(direction > 0)


def rows_figure(  # noqa: PLR0913 - the measures of one frame
    names: Sequence[str],
    *,
    row_height: float,
    top: float,
    right: float = 0.15,
    limit: int = 28,
    heads: Collection[int] = (),
) -> tuple[Figure, Axes]:
    """Return a figure with one named row per item, the first on top, as tall as its rows need.

    Rows in `heads` hold no data; their names stand out, as those of the rows below them.
    """
    shown = [short_name(name, limit) for name in names]
    figure = Figure(figsize=(PAGE_WIDTH, top + FOOT + row_height * len(names)))
    left = min(3.6, 0.2 + max(text_width(name, 8.5) for name in shown))
    axes = inch_axes(figure, left=left, right=right, top=top, bottom=FOOT)
    axes.set_ylim(len(names) - 0.4, -0.6)
    _row_names(axes, shown, range(len(names)), size=8.5, heads=heads)
    tidy_axes(axes, grid="x", spines=("bottom",))
    return figure, axes


def _row_names(  # noqa: PLR0913 - what stands at the left of a row
    axes: Axes,
    names: Sequence[str],
    places: Iterable[float],
    *,
    size: float,
    ranks: Sequence[object] = (),
    heads: Collection[int] = (),
) -> None:
    """Write a name, and a rank beside it, at the left of every row (ticks cost far more to make and to draw)."""
    axes.set_yticks([])
    across = blended_transform_factory(axes.transAxes, axes.transData)
    inch = 1 / (axes.get_position().width * PAGE_WIDTH)
    style: dict[str, Any] = {"transform": across, "ha": "right", "va": "center_baseline", "fontsize": size}
    for name, place, rank in zip_longest(names, places, ranks):
        if rank is not None:
            axes.text(-0.08 * inch, place, str(rank), color=THEME["muted"], **style)
        indent = 0.08 if rank is None else 0.14 + 3 * size / 100
        weight = "bold" if place in heads else "normal"
        axes.text(-indent * inch, place, name, fontweight=weight, **style)


def inch_axes(figure: Figure, *, left: float, right: float, top: float, bottom: float) -> Axes:
    """Add axes with margins in inches."""
    width, height = figure.get_size_inches()
    figure.set_facecolor(THEME["paper"])
    axes = figure.add_axes(
        (left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height)
    )
    axes.set_facecolor("none")
    return axes


def tidy_axes(axes: Axes, *, grid: Literal["x", "y", ""], spines: tuple[str, ...] = ("left", "bottom")) -> None:
    """Give axes the look of every picture: thin muted frame on the sides named, and a grid across one direction."""
    for side, spine in axes.spines.items():
        spine.set_visible(side in spines)
        spine.set_color(THEME["muted"])
        spine.set_linewidth(0.7)
    axes.tick_params(
        colors=THEME["muted"],
        labelcolor=THEME["ink"],
        labelsize=8.5,
        labelfontfamily="DejaVu Sans",
        width=0.7,
        length=3,
    )
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=THEME["muted"], fontsize=8.5)
    axes.set_axisbelow(True)
    if grid:
        axes.grid(axis=grid, color=THEME["rule"], linewidth=0.6)


KEY_STYLE: dict[str, Any] = {
    "frameon": False,
    "fontsize": 8,
    "handlelength": 1.2,
    "handletextpad": 0.5,
    "columnspacing": 1.6,
}


def _key(axes: Axes, *, columns: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=columns,
        borderaxespad=0.2,
        **KEY_STYLE,
    )


def _strokes(axes: Axes, values: NDArray[np.float64], rows: NDArray[np.int64], **style: object) -> None:
    """Draw one short upright stroke per value, all as one path."""
    x = np.repeat(values, 3, axis=1).ravel()
    offsets = np.tile([-0.3, 0.3, np.nan], values.shape[1])
    y = (rows[:, None] + offsets).ravel()
    axes.plot(x, y, solid_capstyle="butt", **style)  # type: ignore[arg-type]  # properties of a line


def bars(
    axes: Axes,
    low: Iterable[float],
    high: Iterable[float],
    places: Iterable[float],
    *,
    upright: bool = False,
    **style: object,
) -> None:
    """Draw one bar from low to high at every place, all as one path."""
    ends = np.stack([np.asarray(low, dtype=float), np.asarray(high, dtype=float)])
    along = np.vstack([ends, np.full(ends.shape[1], np.nan)]).T.ravel()
    across = np.repeat(np.asarray(places, dtype=float), 3)
    x, y = (across, along) if upright else (along, across)
    axes.plot(x, y, solid_capstyle="butt", **style)  # type: ignore[arg-type]  # properties of a line


def _padded_limits(axes: Axes, values: NDArray[np.float64]) -> None:
    low, high = float(values.min()), float(values.max())
    pad = 0.015 * ((high - low) or 1.0)
    axes.set_xlim(low - pad, high + pad)


def _score_label(metric: str, what: str, *, higher: bool) -> str:
    return what.format(metric_label(metric)) + ("" if higher else " (lower is better)")


def metric_label(metric: object, limit: int = 28) -> str:
    """Return a metric's short name fit for a picture: of a quantisation its name alone."""
    return short_name(name_of_metric(metric).replace("(quant=", "("), limit)


def short_name(name: object, limit: int = 28) -> str:
    """Return a name fit for a picture: one line, no invisible characters, the middle left out if long.

    Dollar signs are escaped because matplotlib would read a formula between two of them.
    """
    plain = "".join(" " if unicodedata.category(letter) in _CONTROL else letter for letter in str(name))
    plain = re.sub(r"\s+", " ", plain).strip() or "(blank)"
    if len(plain) > limit:
        keep = limit - 1
        plain = f"{plain[: keep - keep // 3]}…{plain[-(keep // 3) :]}"
    return plain.replace("$", r"\$")


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in inches; an estimate, so that drawing needs no renderer."""
    ems = sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.62 for letter in text)
    return ems * size / 72
