# ruff: noqa: RUF001 - typographic dashes are meant for people
"""The pictures of an analysis of assessments: pools, passages, specificity, sizes, entry points, time."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter
from numpy.typing import NDArray

from metaeval.base.words import share
from metaeval.figures.marks import note_line, note_points
from metaeval.figures.style import (
    CYCLE,
    DASHES,
    FOOT,
    RIMMED,
    THEME,
    bars,
    drawn_narrow,
    inch_axes,
    key_above,
    key_of_figure,
    page_width,
    rows_figure,
    styled,
    tidy_axes,
)

_WORDS = {"relevant_share": "relevant documents", "elements_share": "relevant elements", "passages_share": "passages"}
_MOST_PASSAGES = 15
_BIN = 100
_FAR = 2000


def _wide(height: float = 3.2, *, top: float = 0.15) -> tuple[Figure, Any]:
    figure = Figure(figsize=(page_width(), height))
    return figure, inch_axes(figure, left=0.8, right=0.2, top=top, bottom=FOOT)


@styled
def growth_lines(growth: pd.DataFrame) -> Figure:
    """Draw what share of all that was found the pool holds at every size, as far as half of the topics go.

    Parameters
    ----------
    growth : pandas.DataFrame
        Columns topics and documents, and of relevant_share, elements_share and passages_share those known.
    """
    table = growth[growth["topics"] >= growth["topics"].max() / 2]
    figure, axes = _wide(top=0.35)
    sizes = np.r_[0, table["documents"].to_numpy()]
    names = [name for name in _WORDS if name in growth]
    for index, name in enumerate(names):
        shares = np.r_[0.0, table[name].to_numpy()]
        axes.plot(sizes, shares, color=CYCLE[index], linestyle=DASHES[index], linewidth=1.8, label=_WORDS[name])
        note_line(
            axes,
            sizes,
            shares,
            "{share} of the {what} with {size} documents in the pool",
            {"share": [share(value) for value in shares], "what": _WORDS[name], "size": sizes.tolist()},
            label=_WORDS[name],
            color=CYCLE[index],
        )
    axes.plot(sizes[[0, -1]], [0, float(shares[-1])], color=THEME["muted"], linewidth=0.8, linestyle=(0, (2, 2)))
    axes.set(xlim=(0, sizes[-1]), ylim=(0, 1.03))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set(xlabel="documents in the pool of a topic", ylabel="share of all that was found")
    tidy_axes(axes, grid="y")
    key_above(axes, columns=3, fontsize=8.5)
    return figure


@styled
def passage_bars(passages: pd.DataFrame) -> Figure:
    """Draw which share of the relevant documents has how many passages.

    Parameters
    ----------
    passages : pandas.DataFrame
        Columns passages and share.
    """
    selected = passages[passages["passages"] <= _MOST_PASSAGES]
    figure, axes = _wide(2.9)
    axes.bar(selected["passages"], selected["share"], width=0.72, color=THEME["blue"])
    most = int(passages["passages"].max())
    if most > _MOST_PASSAGES:
        more = float(passages["share"][passages["passages"] > _MOST_PASSAGES].sum())
        axes.bar([_MOST_PASSAGES + 1], [more], width=0.72, color=THEME["blue"])
    note_points(
        axes,
        selected["passages"],
        selected["share"],
        "{share} of the relevant documents have {passages} passages",
        {"share": selected["share"].map(share), "passages": selected["passages"]},
        span=(np.zeros(len(selected)), selected["share"]),
        upright=True,
    )
    last = min(most, _MOST_PASSAGES + 1)
    ticks = list(range(1, last + 1))
    labels = [f"{tick}" if tick in (most, *ticks[:_MOST_PASSAGES]) else f"{tick}–{most}" for tick in ticks]
    axes.set_xticks(ticks, labels)
    axes.set_xlim(0.4, max(last, 5) + 0.6)
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set(xlabel="passages in a relevant document", ylabel="share of relevant documents")
    tidy_axes(axes, grid="y")
    return figure


@styled
def passage_law(passages: pd.DataFrame, shares: NDArray[np.float64]) -> Figure:
    """Draw the same with both axes logarithmic, where a power law is a straight line.

    Parameters
    ----------
    passages : pandas.DataFrame
        Columns passages and share.
    shares : float64 array (most,)
        Shares of documents with 1, 2, … passages under the law.
    """
    figure, axes = _wide(2.9, top=0.35)
    axes.plot(passages["passages"], passages["share"], "o", color=THEME["blue"], markersize=5, label="found", **RIMMED)
    note_points(
        axes,
        passages["passages"],
        passages["share"],
        "{share} of the relevant documents have {passages} passages; {law} under the law",
        {
            "share": passages["share"].map(share),
            "passages": passages["passages"],
            "law": [
                share(shares[n_passages - 1]) if n_passages <= len(shares) else "–"
                for n_passages in passages["passages"]
            ],
        },
    )
    axes.plot(np.arange(1, len(shares) + 1), shares, color=THEME["orange"], linewidth=1.4, label="power law")
    axes.set(xscale="log", yscale="log")
    for axis, form in ((axes.xaxis, "{:g}"), (axes.yaxis, "{:.3g} %")):
        scale = 1.0 if axis is axes.xaxis else 100.0
        axis.set_major_formatter(FuncFormatter(lambda value, _, form=form, scale=scale: form.format(scale * value)))
    axes.minorticks_off()
    axes.set_xticks(
        [n_passages for n_passages in (1, 2, 3, 5, 10, 20, 50, 100) if n_passages <= passages["passages"].max()]
    )
    axes.set(xlabel="passages in a relevant document", ylabel="share of relevant documents")
    tidy_axes(axes, grid="y")
    key_above(axes, columns=2, fontsize=8.5)
    return figure


@styled
def new_run_panels(coverage: pd.DataFrame) -> Figure:
    """Draw what share of the results of new runs, down to each rank, pools of documents and of elements hold.

    Parameters
    ----------
    coverage : pandas.DataFrame
        Columns unit, size, rank and share_up_to.
    """
    units = list(dict.fromkeys(coverage["unit"]))
    handles: list[Any] = []
    n_rows = len(units) if drawn_narrow() else 1
    figure = Figure(figsize=(page_width(), 3.3 * n_rows))
    room = (page_width() - 1.0) / (1 if drawn_narrow() else len(units))
    for panel, unit in enumerate(units):
        row, left = (panel, 0.8) if drawn_narrow() else (0, 0.8 + panel * room)
        right, below = page_width() - left - room + (0.0 if drawn_narrow() else 0.55), 3.3 * (n_rows - 1 - row)
        axes = inch_axes(figure, left=left, right=right, top=0.6 + 3.3 * row, bottom=below + FOOT)
        of_unit = coverage[coverage["unit"] == unit]
        for number, (size, of_size) in enumerate(of_unit.groupby("size")):
            style: dict[str, Any] = {"color": CYCLE[number % len(CYCLE)], "linestyle": DASHES[number % len(DASHES)]}
            lines = axes.plot(of_size["rank"], of_size["share_up_to"], linewidth=1.5, label=f"{size}", **style)
            note_line(
                axes,
                of_size["rank"],
                of_size["share_up_to"],
                "pools of {size} {unit}: {share} of the results down to rank {rank}",
                {
                    "size": str(size),
                    "unit": str(unit),
                    "share": of_size["share_up_to"].map(share),
                    "rank": of_size["rank"],
                },
                label=f"{size}",
                color=style["color"],
            )
            handles += lines if not panel else []
        axes.set_title(f"pools of {unit}", loc="left", fontsize=9.5)
        axes.set(ylim=(0, 1.03), xlim=(1, of_unit["rank"].max()))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_xlabel("results of a new run down to rank")
        if drawn_narrow() or not panel:
            axes.set_ylabel("in the pool")
        tidy_axes(axes, grid="y")
    key_of_figure(figure, handles, [str(handle.get_label()) for handle in handles], columns=len(handles))
    return figure


@styled
def specificity_bars(specificity: pd.DataFrame) -> Figure:
    """Draw how specific the elements of each class are, without those that are relevant throughout (of 2005 on).

    Parameters
    ----------
    specificity : pandas.DataFrame
        Columns element_class, low, high and elements.
    """
    table = specificity[specificity["low"] < 1]
    names = list(dict.fromkeys(table["element_class"]))
    steps = len(table) // len(names)
    figure, axes = _wide(3.2, top=0.35)
    base = np.zeros(steps)
    for index, name in enumerate(names):
        counts = table.loc[table["element_class"] == name, "elements"].to_numpy(dtype=float)
        style: dict[str, Any] = {"color": CYCLE[index % len(CYCLE)], "edgecolor": THEME["paper"], "linewidth": 0.6}
        axes.bar(np.arange(steps), counts, bottom=base, width=0.8, label=name, **style)
        note_points(
            axes,
            np.arange(steps),
            base + counts / 2,
            "{name}: {count} elements",
            {"name": str(name), "count": [f"{count:.0f}" for count in counts]},
            span=(base, base + counts),
            upright=True,
            label=str(name),
            color=style["color"],
        )
        base = base + counts
    ends = table.loc[table["element_class"] == names[0], ["low", "high"]].to_numpy()
    words = [f"{low:.1f}–{high:.1f}" for low, high in ends] if steps > 3 else ["1", "2", "3"]  # noqa: PLR2004 - grades
    axes.set_xticks(np.arange(steps), words)
    axes.set_xlabel("specificity" if steps > 3 else "degree of specificity")  # noqa: PLR2004 - as above
    axes.set_ylabel("relevant elements")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    tidy_axes(axes, grid="y")
    key_above(axes, columns=5, fontsize=8.5)
    return figure


@styled
def size_bars(sizes: pd.DataFrame, *, short: int) -> Figure:
    """Draw the sizes of elements of every degree of exhaustivity: median, middle half, and 5 % to 95 %.

    Parameters
    ----------
    sizes : pandas.DataFrame
        Columns exhaustivity, low, quarter, median, three_quarters and high.
    short : int
        Characters below which an element counts as short; a line is drawn at it.
    """
    labels = {"?": "too small"}
    names = [labels.get(str(label), f"exhaustivity {label}") for label in sizes["exhaustivity"]]
    figure, axes = rows_figure(names, row_height=0.34, top=0.35)
    rows = np.arange(len(names))
    bars(axes, sizes["low"], sizes["high"], rows, color=THEME["pale-blue"], linewidth=1.6, label="5 % to 95 %")
    bars(axes, sizes["quarter"], sizes["three_quarters"], rows, color=THEME["blue"], linewidth=5, label="middle half")
    axes.plot(sizes["median"], rows, "o", color=THEME["orange"], markersize=6, label="median", **RIMMED)
    quantiles = ("low", "quarter", "median", "three_quarters", "high")
    note_points(
        axes,
        sizes["median"],
        rows,
        "{name}: median {median} characters, middle half {quarter} to {three_quarters}, 90 % {low} to {high}",
        {"name": names, **{label: sizes[label].map("{:.0f}".format) for label in quantiles}},
        span=(sizes["low"], sizes["high"]),
    )
    axes.axvline(short, color=THEME["muted"], linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    axes.annotate(
        f"{short}",
        (short, len(names) - 0.5),
        xytext=(3, 0),
        textcoords="offset points",
        fontsize=8,
        color=THEME["muted"],
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " ")))
    axes.minorticks_off()
    axes.set_xlabel("characters of an element")
    key_above(axes, columns=3, fontsize=8.5)
    return figure


@styled
def entry_distances(entries: pd.DataFrame) -> Figure:
    """Draw how far best entry points lie from the first, biggest and nearest passage, in bins of 100 characters.

    Parameters
    ----------
    entries : pandas.DataFrame
        Columns first, biggest and nearest.
    """
    figure, axes = _wide(3.2, top=0.35)
    edges = np.arange(-_FAR - _BIN / 2, _FAR + _BIN, _BIN)
    middles = (edges[:-1] + edges[1:]) / 2
    for index, name in enumerate(("first", "biggest", "nearest")):
        counts = _binned(entries[name].to_numpy(dtype=float), edges)
        drawn_counts = np.where(counts > 0, counts, np.nan)
        style: dict[str, Any] = {"color": CYCLE[index], "marker": "oDs"[index], "markersize": 3.6}
        finite = np.isfinite(drawn_counts)
        note_line(
            axes,
            middles[finite],
            drawn_counts[finite],
            "{name} passage: {count} documents at {at} characters",
            {
                "name": name,
                "count": [f"{amount:.0f}" for amount in drawn_counts[finite]],
                "at": [f"{amount:.0f}" for amount in middles[finite]],
            },
            label=f"{name} passage",
            color=style["color"],
        )
        axes.plot(middles, drawn_counts, linestyle=DASHES[index], linewidth=1.2, label=f"{name} passage", **style)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.minorticks_off()
    axes.set_xlim(-_FAR * 1.04, _FAR * 1.04)
    axes.set(xlabel="characters from the beginning of the passage to the best entry point", ylabel="documents")
    tidy_axes(axes, grid="y")
    key_above(axes, columns=3, fontsize=8.5)
    return figure


def _binned(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """Count values in bins; what lies beyond counts in the outermost."""
    finite = values[np.isfinite(values)]
    return np.histogram(np.clip(finite, edges[0], edges[-1]), bins=edges)[0]


@styled
def time_strips(times: pd.DataFrame) -> Figure:
    """Draw the minutes that relevant and other documents took: quantiles and the mean.

    Parameters
    ----------
    times : pandas.DataFrame
        Columns seconds and relevant.
    """
    groups = [("relevant", times[times["relevant"]]), ("irrelevant", times[~times["relevant"]])]
    parts = [(name, group["seconds"].to_numpy() / 60) for name, group in groups if len(group)]
    figure, axes = rows_figure([name for name, _ in parts], row_height=0.34, top=0.35)
    rows = np.arange(len(parts))
    ends = np.array([np.quantile(minutes, [0.05, 0.25, 0.75, 0.95]) for _, minutes in parts])
    bars(axes, ends[:, 0], ends[:, 3], rows, color=THEME["pale-blue"], linewidth=1.6, label="5 % to 95 %")
    bars(axes, ends[:, 1], ends[:, 2], rows, color=THEME["blue"], linewidth=5, label="middle half")
    means = [minutes.mean() for _, minutes in parts]
    axes.plot(means, rows, "o", color=THEME["orange"], markersize=6, label="mean", **RIMMED)
    note_points(
        axes,
        means,
        rows,
        "{name} documents: {mean} minutes on average, middle half {low} to {high}",
        {
            "name": [name for name, _ in parts],
            "mean": [f"{mean:.1f}" for mean in means],
            "low": [f"{end:.1f}" for end in ends[:, 1]],
            "high": [f"{end:.1f}" for end in ends[:, 2]],
        },
        span=(ends[:, 0], ends[:, 3]),
    )
    axes.set_xlim(left=0)
    axes.set_xlabel("minutes for a document")
    key_above(axes, columns=3, fontsize=8.5)
    return figure
