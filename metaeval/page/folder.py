"""A report as a folder: index.html, tables, figures, data, and the record of what made them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from metaeval.base.disk import write_content, write_text
from metaeval.base.provenance import RECORD
from metaeval.figures.style import figure_pdf
from metaeval.io.folders import check_folder, new_folder
from metaeval.io.written_files import record_text
from metaeval.page.blocks import Page, Picture
from metaeval.page.html import DrawnPicture, drawn_picture, file_stems, render_page
from metaeval.page.json_answer import SCHEMA
from metaeval.page.latex import table_latex
from metaeval.page.tables import table_csv
from metaeval.running.parallel import track

_NEW_OBJECTS = 50_000
"""How many are made before garbage is collected."""


def write_report(report: Page, out: str | Path, *, overwrite: bool = False, pdf: bool = False) -> Path:
    """Write a report with everything it shows: index.html, tables, figures, data and provenance.json."""
    check_folder(out, overwrite=overwrite)
    tables, pictures = report.tables(), report.pictures()
    names = [table.name for table in tables], [picture.name for picture in pictures]
    if any(len(set(group)) < len(group) for group in names):
        message = f"every table and every picture of a report needs a name of its own: {', '.join(chain(*names))}"
        raise ValueError(message)
    stems = file_stems(chain(*names))
    with new_folder(out, overwrite=overwrite) as folder:
        for name in ("tables", "figures", "data"):
            (folder / name).mkdir()
        for table in tables:
            write_text(folder / "tables" / f"{stems[table.name]}.csv", table_csv(table))
            write_text(folder / "tables" / f"{stems[table.name]}.tex", table_latex(table))
        drawings = {}
        with _garbage_collected_seldom():
            for picture in track(pictures, description="Drawing figures", total=len(pictures)):
                path = folder / "figures" / stems[picture.name]
                drawings[picture.name] = _write_picture(picture, path, pdf=pdf)
        for name, write in report.data.items():
            write(folder / "data" / name)
        write_text(folder / "index.html", render_page(report, drawings=drawings, stems=stems, pdf=pdf))
        write_text(folder / RECORD, record_text({"schema": SCHEMA, **report.provenance.to_dict()}))
    return Path(out) / "index.html"


def _write_picture(picture: Picture, place: Path, *, pdf: bool) -> tuple[DrawnPicture, ...]:
    """Draw a picture, write it under the name without its ending, and return its forms for the page."""
    figure, forms = drawn_picture(picture, salt=place.name)
    write_text(place.parent / f"{place.name}.svg", forms[0].svg)
    if pdf:
        write_content(place.parent / f"{place.name}.pdf", figure_pdf(figure))
    return forms


@contextmanager
def _garbage_collected_seldom() -> Iterator[None]:
    """Run the garbage collector less often inside the block, where the caller has not set it so or switched it off.

    A figure is thousands of objects, a font embedded in a PDF many more: it would take a tenth of the time of drawing,
    or a sixth.
    """
    before = gc.get_threshold()
    if 0 < before[0] < _NEW_OBJECTS:
        gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
