"""What all pictures share: colours, letters, measures, and the helpers that place axes, names, bars and keys.

The figures use matplotlib's object interface and an explicit style, so drawing changes no global setting and needs
no display. Colours are those of Okabe and Ito, which colour-blind readers can distinguish; what a colour says is also
said by place, shape or sign.
"""

import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from io import BytesIO
from itertools import batched, pairwise, zip_longest
from textwrap import wrap
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text
from matplotlib.transforms import Bbox, blended_transform_factory

from metaeval.base.escaping import visible
from metaeval.base.words import name_of_metric
from metaeval.errors import InvalidOptionError

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
    *(
        "#7a5195",
        "#999933",
        "#5f6b7a",
        "#a6404f",
        "#44aa99",
        "#1f2a37",
    ),  # more, for lines that differ by their dashes too
)
DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5))),
    *((0, (3, 1, 1, 1, 1, 1)), (0, (8, 2))),
)
MARKERS = ("o", "D", "s", "^", "v", "P", "X", "<", ">", "p", "*", "h")
FOOT = 0.5
"""Room for the words below axes, in inches."""
_WIDE, _NARROW = 7.6, 3.55
_SMALLEST = 8.25
"""Letters of a narrow figure, in points: 11 pixels on a telephone 390 pixels wide."""
_LONGEST_NAME, _LEAST_HEAD = 20, 4
_is_narrow: ContextVar[bool] = ContextVar("_is_narrow", default=False)

RIMMED: dict[str, Any] = {"markeredgecolor": THEME["paper"], "markeredgewidth": 0.8, "zorder": 4}
BOUND: dict[str, Any] = {"color": THEME["ink"], "linewidth": 0.8, "linestyle": (0, (4, 3)), "zorder": 1}
"""The line at a level that was asked for."""

KEY_STYLE: dict[str, Any] = {
    "frameon": False,
    "fontsize": 8,
    "handlelength": 1.2,
    "handletextpad": 0.5,
    "columnspacing": 1.6,
}
_KEY_BESIDE: dict[str, Any] = {
    **KEY_STYLE,
    "loc": "upper left",
    "bbox_to_anchor": (1.0, 1.0),
    "fontsize": 8.5,
    "handlelength": 2.6,
}
"""A key at the right of its axes."""

_STYLE: dict[Any, Any] = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same measures on every machine
    "font.size": 9.0,
    "text.usetex": False,
    "text.color": THEME["ink"],
    "axes.unicode_minus": True,
    "axes.formatter.use_mathtext": False,
    "path.simplify": False,  # it would join strokes that are meant to stand apart
    "svg.fonttype": "none",  # text stays text: small, sharp, searchable
    "svg.image_inline": True,
    "pdf.fonttype": 42,  # publishers refuse Type 3 fonts
}
if "font.enable_last_resort" in mpl.rcParams:  # from matplotlib 3.11 on
    _STYLE["font.enable_last_resort"] = False  # a plain box is enough, and ten times faster to embed in a PDF
_CONTROL = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_PANEL_TITLE: dict[str, Any] = {"fontsize": 9, "fontweight": "bold", "va": "bottom", "ha": "left"}
_GAP, _SHELF = 0.62, 0.42
_LINE = 0.145
"""Inches between the two lines of a name."""


@contextmanager
def narrow() -> Iterator[None]:
    """Draw figures for a telephone in this block: panels below each other, short names, letters that can be read."""
    token = _is_narrow.set(True)
    try:
        yield
    finally:
        _is_narrow.reset(token)


def drawn_narrow() -> bool:
    """Say whether figures are drawn for a telephone."""
    return _is_narrow.get()


def page_width() -> float:
    """Return the width of a figure in inches."""
    return _NARROW if drawn_narrow() else _WIDE


def styled[**P](draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw under this module's style and leave the caller's settings as they were."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(_STYLE):
            figure = draw(*args, **kwargs)
            figure.__class__ = ShownFigure
            if drawn_narrow():
                with _letters_missing():
                    _fit(figure)
        return figure

    return drawn


class ShownFigure(Figure):
    """A figure that a notebook shows where nobody loaded pyplot, which alone teaches notebooks to show figures."""

    paper: Bbox | None = None
    """What is kept of it, in inches, if not all or more than that."""

    def _repr_png_(self) -> bytes:
        return figure_png(self)


def paper_corner(figure: Figure) -> tuple[float, float]:
    """Return the upper left corner of a figure's paper, in points from its own lower left corner."""
    paper = getattr(figure, "paper", None)
    left, top = (0.0, figure.get_figheight()) if paper is None else (paper.x0, paper.y1)
    return 72 * float(left), 72 * float(top)


def _fit(figure: Figure) -> None:
    """Make all words of a narrow figure large enough, and its paper so large that it holds them."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            size = axis.get_tick_params().get("labelsize", _SMALLEST)
            axis.set_tick_params(labelsize=max(_SMALLEST, size))
    for words in figure.findobj(Text):
        words.set_fontsize(max(_SMALLEST, float(words.get_fontsize())))
    width, height = figure.get_size_inches()
    for axes in figure.axes:
        _fit_label(axes, width)
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # of matplotlib
    for axes in figure.axes:
        _thin_labels(axes, renderer)
    box = figure.get_tightbbox(renderer)
    pad = 0.04
    left, right = min(0.0, box.x0 - pad), max(width, box.x1 + pad)
    figure.paper = Bbox.from_extents(left, min(0.0, box.y0 - pad), right, max(height, box.y1 + pad))  # type: ignore[attr-defined]  # of a ShownFigure


def _fit_label(axes: Axes, width: float) -> None:
    """Break the words below axes into lines that the figure has room for, and keep them inside."""
    label, box = axes.xaxis.label, axes.get_position()
    words = label.get_text()
    if not words:
        return
    size = float(label.get_fontsize())
    lines = wrap(words, int((width - 0.1) / text_width("x", size)))
    half = max(text_width(line, size) for line in lines) / 2
    middle = min(max((box.x0 + box.x1) / 2 * width, half + 0.05), width - half - 0.05)
    label.set_text("\n".join(lines))
    label.set_x((middle / width - box.x0) / box.width)


def _thin_labels(axes: Axes, renderer: Any) -> None:  # noqa: ANN401 - whatever measures words
    """Leave out every second label of an axis until none meets the next."""
    labels = [label for label in axes.get_xticklabels() if label.get_text() and label.get_rotation() == 0]
    boxes = [label.get_window_extent(renderer) for label in labels]
    step = 1
    while any(a.x1 > b.x0 for a, b in pairwise(sorted(boxes[::step], key=lambda box: box.x0))):
        step *= 2
    for index, label in enumerate(labels):
        label.set_visible(index % step == 0)


def figure_svg(figure: Figure, *, salt: str) -> str:
    """Return a figure as SVG with its text kept as text, paths in hundredths of a point.

    The same figure gives the same bytes.
    """
    paper = {"bbox_inches": bounds} if (bounds := getattr(figure, "paper", None)) is not None else {}
    svg = _saved(figure, "svg", {"Date": None, "Creator": None}, salt=salt, **paper).decode("utf-8")
    svg = re.sub(r"<[a-z][^>]*>", lambda tag: _shortened(tag[0]), svg)  # text between tags holds no angle bracket
    return visible(svg, keep="\n\t")


def _shortened(tag: str) -> str:
    """Return a tag with its places in hundredths of a point, without turns by nothing."""
    tag = re.sub(r' transform="rotate\(-?0 [^"]*"', "", tag)
    return re.sub(r'(?<= d=")[^"]*|(?<= [xy]=")[^"]*', lambda found: " ".join(_rounded(found[0]).split()), tag)


def _rounded(numbers: str) -> str:
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), numbers)


def figure_pdf(figure: Figure) -> bytes:
    """Return a figure as PDF with embedded TrueType fonts: the same figure gives the same bytes."""
    return _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None}, salt="")


def figure_png(figure: Figure, *, dpi: float = 150) -> bytes:
    """Return a figure as PNG with so many points an inch: what notebooks show."""
    from PIL import Image  # noqa: PLC0415 - only notebooks need it; matplotlib brings it

    # tight: a key beside the axes may reach beyond the paper, which a picture on its own has no need to keep
    content = _saved(figure, "png", {"Software": None}, salt="", dpi=dpi, bbox_inches="tight", pad_inches=0.06)
    image = Image.open(BytesIO(content)).convert("RGB")
    stream = BytesIO()
    image.quantize(128, dither=Image.Dither.NONE).save(stream, "png", optimize=True)  # a third of the size
    return stream.getvalue()


def put_into(figure: Figure, axes: Axes) -> Figure:
    """Put a picture into axes of somebody's figure, as an image, and return that figure."""
    axes.imshow(imread(BytesIO(figure_png(figure, dpi=200))))
    axes.set_axis_off()
    whole = axes.get_figure(root=True)
    if whole is None:
        raise InvalidOptionError("the axes must be in a figure; make them with plt.subplots()")
    return whole


def _saved(figure: Figure, kind: str, metadata: dict[str, None], *, salt: str, **layout: Any) -> bytes:  # noqa: ANN401 - of savefig
    stream = BytesIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": salt}), _letters_missing():
        figure.savefig(stream, format=kind, metadata=metadata, **{"dpi": 200, **layout})
    return stream.getvalue()


@contextmanager
def _letters_missing() -> Iterator[None]:
    """Let a name hold letters that the bundled font lacks: SVG viewers find another font, PDF shows a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph .* missing from font", category=UserWarning)
        warnings.filterwarnings("ignore", message=r"Matplotlib currently does not support", category=UserWarning)
        yield


def rows_figure(  # noqa: PLR0913 - the measures of one frame
    names: Sequence[str],
    *,
    row_height: float,
    top: float,
    right: float = 0.15,
    limit: int = 28,
    heads: Collection[int] = (),
    above: str = "",
) -> tuple[Figure, Axes]:
    """Return a figure with one named row per item, the first on top, as tall as its rows need.

    Rows in `heads` hold no data; their names stand out, as those of the rows below them. What the names are may stand
    `above` them.
    """
    fitted, row_height = fitted_names(names, limit, row_height)
    figure = Figure(figsize=(page_width(), top + FOOT + row_height * len(names)))
    left = min(3.6, 0.2 + max(text_width(line, 8.5) for name in [*fitted, above] for line in name.split("\n")))
    axes = inch_axes(figure, left=left, right=right, top=top, bottom=FOOT)
    if above:
        axes.annotate(
            *(above, (0, 1), (-6, 2)),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="right",
            fontsize=8.5,
            color=THEME["muted"],
        )
    axes.set_ylim(len(names) - 0.4, -0.6)
    row_names(axes, fitted, range(len(names)), size=8.5, heads=heads)
    tidy_axes(axes, grid="x", spines=("bottom",))
    return figure, axes


def fitted_names(names: Sequence[str], limit: int, row_height: float) -> tuple[list[str], float]:
    """Return names fit for rows, and the height of a row: in a narrow figure a long name takes two lines."""
    if not drawn_narrow():
        return short_names(names, limit), row_height
    cut = short_names(names, _LONGEST_NAME)
    lines = [wrap(name, _LONGEST_NAME) for name in short_names(names, min(limit, 2 * _LONGEST_NAME - 4))]
    fitted = ["\n".join(two) if len(two) <= 2 else short for two, short in zip(lines, cut, strict=True)]  # noqa: PLR2004 - two lines
    return fitted, max(row_height, 2.2 * _LINE) if any("\n" in name for name in fitted) else row_height


def row_names(  # noqa: PLR0913 - what stands at the left of a row
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
    inch = 1 / (axes.get_position().width * page_width())
    low, high = axes.get_ylim()
    line = _LINE * axes.figure.dpi * (low - high) / axes.bbox.height  # in rows
    style: dict[str, Any] = {"transform": across, "ha": "right", "va": "center_baseline", "fontsize": size}
    for name, position, rank in zip_longest(names, places, ranks):
        if rank is not None:
            axes.text(-0.08 * inch, position, str(rank), color=THEME["muted"], **style)
        indent = 0.08 if rank is None else 0.14 + 3 * size / 100
        weight = "bold" if position in heads else "normal"
        lines = name.split("\n")
        for row, words in enumerate(lines):
            axes.text(-indent * inch, position + (row - (len(lines) - 1) / 2) * line, words, fontweight=weight, **style)


def panel_grid(  # noqa: PLR0913 - the measures of a grid
    titles: Sequence[str],
    *,
    columns: int,
    height: float,
    left: float,
    top: float = 0.0,
    right: float = 0.15,
) -> tuple[Figure, list[Axes]]:
    """Return a figure of equal panels with titles, row by row; measures in inches, those at the sides of one panel."""
    columns = 1 if drawn_narrow() else columns
    n_rows = int(np.ceil(len(titles) / columns))
    row = _SHELF + height + FOOT
    figure = Figure(figsize=(page_width(), top + n_rows * row))
    between = _GAP + right - 0.15
    width = (page_width() - left - right - (columns - 1) * between) / columns
    for index, title in enumerate(titles):
        line, column = divmod(index, columns)
        start = left + column * (width + between)
        above, below = top + line * row + _SHELF, (n_rows - line - 1) * row + FOOT
        axes = inch_axes(figure, left=start, right=page_width() - start - width, top=above, bottom=below)
        axes.text(0, 1 + 0.09 / height, title, transform=axes.transAxes, **_PANEL_TITLE)
    return figure, list(figure.axes)


def label_first_column(panels: Sequence[Axes], columns: int, label: str) -> None:
    """Say at the left of every row of panels what their upright axes show."""
    for axes in panels[:: 1 if drawn_narrow() else columns]:
        axes.set_ylabel(label)


def inch_axes(figure: Figure, *, left: float, right: float, top: float, bottom: float) -> Axes:
    """Add axes with margins in inches."""
    width, height = figure.get_size_inches()
    figure.set_facecolor(THEME["paper"])
    axes = figure.add_axes(
        (left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height)
    )
    axes.set_facecolor("none")
    return axes


def tidy_axes(axes: Axes, *, grid: Literal["x", "y", "both", ""], spines: tuple[str, ...] = ("left", "bottom")) -> None:
    """Give axes the look of every picture: thin muted frame on the sides named, and a grid."""
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


def key_above(axes: Axes, *, columns: int, **changes: object) -> None:
    """Put the key of what is drawn above the axes."""
    handles, labels = axes.get_legend_handles_labels()
    style: dict[str, Any] = KEY_STYLE | {"bbox_to_anchor": (-0.01, 1.0), "borderaxespad": 0.2} | changes
    if drawn_narrow():
        columns, style = _key_columns(labels, columns), style | _across(axes)
    axes.legend(handles, labels, loc="lower left", ncols=columns, **style)


def _across(axes: Axes) -> dict[str, Any]:
    """Return where a key above axes begins that may take the whole width of the figure."""
    corner = (0.05 / page_width(), axes.get_position().y1)
    return {"bbox_to_anchor": corner, "bbox_transform": axes.figure.transFigure}


def _key_columns(labels: Sequence[str], columns: int) -> int:
    """Return how many keys stand side by side where there is no room for all that might."""
    for many in range(columns, 1, -1):
        n_rows = -(-len(labels) // many)  # a key fills its columns one by one
        widths = (max(text_width(label, 8) for label in column) for column in batched(labels, n_rows))
        if sum(widths) + 0.38 * many < page_width():
            return many
    return 1


def key_of_figure(figure: Figure, handles: Sequence[Artist], labels: Sequence[str], *, columns: int) -> None:
    """Put one key for all panels at the top of a figure."""
    style = KEY_STYLE | {"loc": "upper left", "bbox_to_anchor": (0.45 / page_width(), 1.0), "borderaxespad": 0.1}
    if drawn_narrow():  # it grows upwards from the panels
        top = 0.2 * int(np.ceil(len(labels) / columns))
        columns = _key_columns(labels, columns)
        style |= {"loc": "lower left", "bbox_to_anchor": (0.05 / page_width(), 1 - top / figure.get_figheight())}
    figure.legend(handles, labels, ncols=columns, **style)


def key_room(labels: Iterable[str], title: str = "", *, line: float = 0.75) -> float:
    """Return the margin that a key at the right of its axes needs, its lines included.

    A narrow figure has it above the axes.
    """
    widest = max(text_width(label, 8.5) for label in labels)
    return 0.15 if drawn_narrow() else max(line + widest, 0.25 + text_width(title, 8))


def key_beside(axes: Axes, handles: Sequence[Artist], labels: Sequence[str], *, title: str | None = None) -> None:
    """Put a key at the right of its axes."""
    style = dict(_KEY_BESIDE)
    if drawn_narrow():
        style |= {"loc": "lower left", "fontsize": 8, **_across(axes)}
    axes.legend(handles, labels, title=title, title_fontsize=8, alignment="left", **style)


def mark_value(axes: Axes, value: float, words: str) -> None:
    """Draw an orange line at a value across all rows, with words above it."""
    axes.axvline(value, color=THEME["orange"], linewidth=1.2, zorder=1)
    axes.annotate(
        words,
        (value, -0.6),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=8,
        color=THEME["orange"],
        annotation_clip=False,
    )


def cell_edges(axes: Axes, count: int) -> None:
    """Draw the lines between the cells of a square map, all as one path each way, and end the axes with the cells."""
    edges = np.arange(1, count) + 0.5
    for upright in (False, True):
        low, high = np.full_like(edges, 0.5), np.full_like(edges, count + 0.5)
        bars(axes, low, high, edges, color=THEME["paper"], linewidth=0.8, upright=upright)
    axes.set(xlim=(0.5, count + 0.5), ylim=(count + 0.5, 0.5))


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


def score_label(metric: str, what: str, *, higher: bool) -> str:
    """Return what an axis of scores says: `what` with the metric in its braces, and that less is better."""
    return what.format(metric_label(metric)) + ("" if higher else " (lower is better)")


def metric_label(metric: object, limit: int = 28) -> str:
    """Return a metric's short name fit for a picture: of a quantisation its name alone."""
    return short_name(name_of_metric(metric).replace("(quant=", "("), limit)


def short_name(name: object, limit: int = 28, *, sixths: int = 2) -> str:
    """Return a name fit for a picture: one line, no invisible characters, the middle left out if long.

    So many sixths of a long one are its end. Dollar signs are escaped because matplotlib would read a formula between
    two of them.
    """
    plain = "".join(" " if unicodedata.category(letter) in _CONTROL else letter for letter in str(name))
    plain = re.sub(r"\s+", " ", plain).strip() or "(blank)"
    if len(plain) > limit:
        keep = limit - 1
        end = keep * sixths // 6
        plain = f"{plain[: keep - end]}…{plain[-end:]}"
    return plain.replace("$", r"\$")


def short_names(names: Sequence[object], limit: int = 28) -> list[str]:
    """Return names fit for a picture as `short_name` does; of those that become alike, what they share goes first.

    Where that says too little, more of their ends is shown. Different names stay different: at last they get a number.

    Examples
    --------
    >>> short_names(["a-university-of-renown-bm25-stemmed-run", "a-university-of-renown-lm-stemmed-run", "bm25"], 20)
    ['a-university-o…bm25…', 'a-university-o…lm…', 'bm25']
    """
    texts = [str(name) for name in names]
    short_of = {name: short_name(name, limit) for name in texts}
    more = [partial(_cut, sixths=sixths) for sixths in (3, 4, 5)]
    ways: list[Callable[[Sequence[str], int], list[str]]] = [_with_beginning, *more, _apart]
    for way in ways:
        for alike in _alike(short_of):
            short_of |= zip(alike, way(alike, limit), strict=True)
    for alike in _alike(short_of):
        cut = limit - len(str(len(alike))) - 1
        short_of |= {name: f"{short_name(name, cut)} {at}" for at, name in enumerate(alike, start=1)}
    return [short_of[name] for name in texts]


def _alike(shown: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of names that are shown alike."""
    groups: dict[str, list[str]] = {}
    for name, short in shown.items():
        groups.setdefault(short, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _cut(names: Sequence[str], limit: int, *, sixths: int = 2) -> list[str]:
    return [short_name(name, limit, sixths=sixths) for name in names]


def _with_beginning(names: Sequence[str], limit: int) -> list[str]:
    """Return names as `_apart` does where that leaves each its beginning and a word of its own."""
    candidates = _apart(names, limit)
    has_beginnings = all(
        short[0] == name[0] and "……" not in short for short, name in zip(candidates, names, strict=True)
    )
    return candidates if has_beginnings and len(set(candidates)) == len(candidates) else _cut(names, limit)


def _apart(names: Sequence[str], limit: int) -> list[str]:
    """Return names without the whole words that all end with, and that all begin with as far as there is no room."""
    head = re.sub(r"[^\W_.]*(\.[^\W_]*)*$", "", _shared(names))
    tail = re.sub(r"^[^\W_]*", "", _shared([name[::-1] for name in names])[::-1])
    ends = [max(len(head), len(name) - len(tail)) for name in names]
    parts = [name[len(head) : end] for name, end in zip(names, ends, strict=True)]
    room = limit - max(map(len, parts)) - 2
    begin = head if len(head) <= room else f"{head[: room if room >= _LEAST_HEAD else 0]}…"
    return _cut([f"{begin}{middle}{'…' if tail else ''}" for middle in parts], limit)


def _shared(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    first, last = min(names), max(names)
    return first[: next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in inches; an estimate, so that drawing needs no renderer."""
    ems = sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.62 for letter in text)
    return ems * size / 72
