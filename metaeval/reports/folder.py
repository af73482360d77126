"""A report as a folder: index.html, tables, figures, data, and the record of what made them."""

import gc
import gzip
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import pandas as pd

from metaeval.figures.style import figure_pdf, figure_svg
from metaeval.io.folders import RECORD, check_folder, new_folder, record_text
from metaeval.io.stored import parquet_of
from metaeval.io.tables import write_scores
from metaeval.parallel import track
from metaeval.reports.html import Page, Section, file_stems, render_page
from metaeval.reports.pictures import Picture
from metaeval.reports.power import Part, power_page
from metaeval.reports.tables import table_csv, table_latex
from metaeval.studies.power import PowerStudy
from metaeval.visible import shielded_table

__all__ = ["check_folder", "new_folder", "write_page", "write_report"]

_SCHEMA = "metaeval/1"

type Writer = Callable[[Path], object]


def write_report(  # noqa: PLR0913 - what a report may be asked for
    study: PowerStudy,
    out: str | Path,
    *,
    overwrite: bool = False,
    map_metric: str | None = None,
    top: int = 10,
    messages: Sequence[str] = (),
    sections: Sequence[Section] = (),
    parts: Sequence[Part] = (),
) -> Path:
    """Write the report of a power study as a folder.

    Parameters
    ----------
    study : PowerStudy
    out : path
        The folder; see `check_folder` for when it may exist already.
    overwrite : bool, default False
    map_metric, top, messages
        See `metaeval.reports.power.power_page`.
    sections : sequence of Section
        More sections, shown before the others.
    parts : sequence of Part
        What other studies add: sections after the others, words and data.

    Returns
    -------
    pathlib.Path
        The page to open: ``index.html`` in the folder.

    Raises
    ------
    InvalidOptionError
        If the folder may not be written, or an option is outside its rule. Nothing is left behind then.
    OutputError
        If another process is writing the folder, or the system refuses to write. Nothing is left behind then either.
    """
    check_folder(out, overwrite=overwrite)
    page = power_page(study, map_metric=map_metric, top=top, messages=messages, parts=parts)
    page = replace(page, sections=(*sections, *page.sections))
    data: dict[str, Writer] = {
        "scores.nc": partial(write_scores, study.scores),
        "scores.parquet": partial(write_scores, study.scores),
        "pairs.parquet": partial(_write_pairs, study),
        "pairs.csv.gz": partial(_write_pairs, study),
    }
    for part in parts:
        data |= part.data
    return write_page(page, out, data=data, overwrite=overwrite)


def write_page(
    page: Page, out: str | Path, *, data: Mapping[str, Writer] | None = None, overwrite: bool = False
) -> Path:
    """Write a page with everything it shows: index.html, tables, figures, data and provenance.json.

    Parameters
    ----------
    page : Page
    out : path
        The folder; see `check_folder`.
    data : mapping of str to callable, optional
        File name inside ``data/`` to a function that writes it to the path it is given.
    overwrite : bool, default False

    Returns
    -------
    pathlib.Path
        ``index.html`` in the folder.
    """
    tables, pictures = page.tables(), page.pictures()
    names = [table.name for table in tables], [picture.name for picture in pictures]
    if any(len(set(own)) < len(own) for own in names):
        message = f"every table and every picture of a page needs a name of its own: {', '.join(chain(*names))}"
        raise ValueError(message)
    stems = file_stems(chain(*names))
    with new_folder(out, overwrite=overwrite) as folder:
        for name in ("tables", "figures", "data"):
            (folder / name).mkdir()
        for table in tables:
            _write_text(folder / "tables" / f"{stems[table.name]}.csv", table_csv(table))
            _write_text(folder / "tables" / f"{stems[table.name]}.tex", table_latex(table))
        svgs = {}
        with _old_objects_left_alone():
            for picture in track(pictures, description="Drawing figures", total=len(pictures)):
                svgs[picture.name] = _write_picture(picture, folder / "figures", stems[picture.name])
        for name, write in (data or {}).items():
            write(folder / "data" / name)
        _write_text(folder / "index.html", render_page(page, svgs=svgs, stems=stems))
        _write_text(folder / RECORD, record_text({"schema": _SCHEMA, **page.provenance.to_dict()}))
    return Path(out) / "index.html"


def _write_picture(picture: Picture, folder: Path, stem: str) -> str:
    svg = figure_svg(picture.figure, salt=stem)
    _write_text(folder / f"{stem}.svg", svg)
    (folder / f"{stem}.pdf").write_bytes(figure_pdf(picture.figure))
    return svg


@contextmanager
def _old_objects_left_alone() -> Iterator[None]:
    """Keep the garbage collector to what is made inside the block.

    Every embedded font is thousands of short-lived objects; looking through all older ones again and again takes a
    quarter of the time of drawing.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _write_text(path: Path, words: str) -> None:
    path.write_text(words, encoding="utf-8", errors="replace", newline="\n")


def _write_pairs(study: PowerStudy, path: Path) -> None:
    """Write every pair under every comparison, as Parquet or as compressed CSV, as the name of the file asks."""
    import polars as pl  # noqa: PLC0415 - only here

    frames = [result.to_frame().assign(test=result.test, correction=result.correction) for result in study.comparisons]
    together = pd.concat(frames, ignore_index=True)
    front = ["metric", "test", "correction"]
    columns = [*front, *(name for name in together.columns if name not in front)]
    packed = path.suffix != ".parquet"
    shown = shielded_table(together) if packed else together
    table = pl.DataFrame({name: shown[name].tolist() for name in columns})
    # through memory: a full disk is then the same error as everywhere
    path.write_bytes(
        gzip.compress(table.write_csv().encode(), compresslevel=6, mtime=0) if packed else parquet_of(table)
    )
