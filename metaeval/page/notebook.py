# ruff: noqa: RUF001 - a true minus is meant for people
"""What a notebook shows of a result: one sentence, the first rows of the main table, and the main picture."""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from markupsafe import Markup, escape

from metaeval.base.checks import check_path
from metaeval.base.escaping import csv_text, visible
from metaeval.base.names import count
from metaeval.base.results import Result
from metaeval.base.short_repr import main_sentence, notes_of, settings_of, shown_notes
from metaeval.base.words import MISSING, absent, listed, p_value, sentence_case, text, whole
from metaeval.errors import InvalidOptionError, MetaevalError, UnknownNameError
from metaeval.io.writing import write_bytes
from metaeval.page.blocks import Page
from metaeval.page.html import table_html
from metaeval.page.tables import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_ROWS, _COLUMNS, _LONGEST, _MANY, _POINTS = 10, 12, 60, 1000, 1_000_000
_BEFORE_A_LIST = re.compile(r" [^.?!]*:$")
"""What leads to the lines that follow on a page."""
_P_VALUES = frozenset({"p", "p_value", "p_corrected", "p_adjusted"})


def report_html(report: Page) -> str:
    """Return the question of a report, its answer with what that rests on, and its main table and picture."""
    answer = visible(report.summary[0]) if report.summary else ""
    source = report.provenance.random_source
    told = [*report.first_changes(), *([f"{sentence_case(source)}."] if source else [])]
    changes = Markup("").join(Markup("<br><small>{}</small>").format(visible(words)) for words in told)
    picture = report.main_picture()
    return _together(
        Markup("<b>{}</b> {}{}").format(visible(report.title), answer, changes),
        table_html(_first_rows(report.main_table())) if report.tables() else "",
        "" if picture is None else _image(picture.draw(), picture.alt),
    )


def answer_of(result: Result) -> str:
    """Return what a result found: the first paragraph of its report, cautions included, where it has one."""
    if hasattr(result, "shown"):
        summary = result.shown().summary
        words = str(summary[0]) if summary else main_sentence(result)
        return _BEFORE_A_LIST.sub("", words)
    return main_sentence(result)


def result_html(result: Result) -> str:
    """Return the main numbers of a result, notes on its data, its settings, first rows of its table and its picture."""
    sentence, settings = visible(main_sentence(result)), visible(settings_of(result))
    notes = Markup("").join(
        Markup("<br><small>{}</small>").format(visible(note)) for note in shown_notes(notes_of(result))
    )
    words = Markup("<b>{}:</b> {}{}").format(type(result).__name__, sentence, notes)
    frame = _frame_of(result)
    if frame is None:
        return _together(words, Markup("<pre>{}</pre>\n").format(repr(result)), _picture_of(result, sentence))
    asked = Markup("<p><small>{}</small></p>\n").format(settings) if settings else Markup()
    return _together(words, f"{asked}{table_html(_table(frame))}", _picture_of(result, sentence))


def save_result(result: Result, path: str | Path) -> Path:
    """Write a result as one file, in the form that its ending names."""
    check_path(path)
    ending = Path(path).suffix.casefold()
    if ending not in _SAVED:
        raise UnknownNameError("file ending", ending or Path(path).name, _SAVED)
    return write_bytes(path, _SAVED[ending](result).encode())


def _result_csv(result: Result) -> str:
    frame = _frame_of(result)
    if frame is None:
        raise InvalidOptionError(f"a {type(result).__name__} has no table for a .csv file; save it as .html")
    return csv_text(_with_names(frame))


def _result_page(result: Result) -> str:
    title = escape(type(result).__name__)
    return f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{title}</title>\n{result_html(result)}'


_SAVED: Mapping[str, Callable[[Result], str]] = {".csv": _result_csv, ".html": _result_page}
"""What `Result.save` writes under each ending."""


def _together(words: str, table: str, picture: str) -> str:
    return f'<div class="metaeval">\n<p>{escape(words)}</p>\n{table}{picture}</div>\n'


def _first_rows(table: Table) -> Table:
    n_rows = len(table.frame)
    if n_rows <= _ROWS:
        return table
    caption = f"{table.caption} The first {_ROWS} of {n_rows:,} rows.".strip()
    return replace(table, frame=table.frame.head(_ROWS), caption=caption)


def _frame_of(result: Result) -> pd.DataFrame | None:
    """Return the table of a result: its own, or the first that it holds."""
    if hasattr(result, "to_frame"):
        frame: pd.DataFrame = result.to_frame()
        return frame
    values = (getattr(result, field.name) for field in fields(result))  # type: ignore[arg-type]  # every result is a dataclass
    return next((field for field in values if isinstance(field, pd.DataFrame) and len(field.columns)), None)


def _with_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose index, where it has names, stands in columns."""
    return frame if frame.index.names == [None] else frame.reset_index()


def _table(frame: pd.DataFrame) -> Table:
    """Return a frame as a table, headed by the names of its columns as code has to write them."""
    frame = _with_names(frame)
    (n_rows, n_columns), head = frame.shape, frame.iloc[:_ROWS, :_COLUMNS]
    places = list(map(str, range(head.shape[1])))
    columns = [
        _column(number, str(name), head.iloc[:, int(number)]) for number, name in zip(places, head.columns, strict=True)
    ]
    rows = count(n_rows, "row") if n_rows <= _ROWS else f"The first {_ROWS} of {n_rows:,} rows"
    hidden = n_columns - _COLUMNS
    more = f"{count(hidden, 'more column')} {'is' if hidden == 1 else 'are'} not shown." if hidden > 0 else ""
    return Table(name="table", title=rows, caption=more, frame=head.set_axis(places, axis=1), columns=tuple(columns))


def _column(place: str, name: str, values: pd.Series) -> Column:
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    write = _yes_or_no if kind == "b" else whole if kind in "iu" else _number if kind == "f" else _words
    if kind == "f" and name in _P_VALUES:
        write = p_value
    return Column(name=place, label=_cut(name), write=write, align="right" if kind in "iuf" else "left")


def _yes_or_no(value: object) -> str:
    return "yes" if value else "no"


def _number(value: object) -> str:
    if absent(value):
        return MISSING
    number = float(value)  # type: ignore[arg-type]  # the column holds floats
    return (f"{number:,.0f}" if abs(number) >= _MANY else f"{number:.4g}").replace("-", "−").replace("inf", "∞")


def _words(value: object) -> str:
    if isinstance(value, bool | np.bool):
        return _yes_or_no(value)
    if isinstance(value, float | np.floating):
        return _number(value)
    return _cut(listed(value)) if isinstance(value, tuple) and value else _cut(text(value))


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def _picture_of(result: Result, alt: str) -> str:
    """Return what a result draws; some hold too little to be drawn, and say so when they are asked."""
    try:
        figure = result.plot()
    except MetaevalError:
        return ""
    return _image(figure, alt)


def _image(figure: "Figure", alt: str) -> str:
    """Return a figure as an image inside the page: a picture cannot disturb what stands around it, nor its names."""
    from metaeval.figures.style import figure_png  # noqa: PLC0415 - matplotlib

    # sharp where a screen has half as many points again; a tall picture has fewer, and no more bytes than the others
    dpi = min(150.0, (_POINTS / (figure.get_figwidth() * figure.get_figheight())) ** 0.5)
    png = figure_png(figure, dpi=dpi)
    width = round(int.from_bytes(png[16:20]) * 96 / dpi)
    data = base64.b64encode(png).decode()
    return Markup('<img alt="{}" width="{}" src="data:image/png;base64,{}">\n').format(visible(alt), width, data)
