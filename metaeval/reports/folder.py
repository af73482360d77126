"""A report as a folder: written beside its final place and moved there in one step, or not at all."""

import gc
import gzip
import json
import os
import secrets
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import pandas as pd

from metaeval.errors import InvalidOptionError, MetaevalWarning
from metaeval.io.tables import write_scores
from metaeval.parallel import track
from metaeval.provenance import Provenance
from metaeval.reports.figures import Picture, figure_pdf, figure_svg
from metaeval.reports.html import Page, Section, file_stems, render_page
from metaeval.reports.power import Part, power_page
from metaeval.reports.tables import table_csv, table_latex
from metaeval.studies.power import PowerStudy

__all__ = ["check_folder", "new_folder", "write_page", "write_report"]

_SCHEMA = "metaeval/1"
_CONTENTS = frozenset({"index.html", "provenance.json", "tables", "figures", "data"})

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
        _write_text(folder / "provenance.json", _provenance_json(page.provenance))
    return Path(out) / "index.html"


def check_folder(out: str | Path, *, overwrite: bool = False) -> None:
    """Refuse a folder that must not be written, before any work is done.

    A folder that does not exist or is empty will do. An older report is replaced only with `overwrite`. So is a
    folder of other things, but that one is kept beside the new one under another name: nothing is ever deleted
    that was not written as a report.

    Parameters
    ----------
    out : path
    overwrite : bool, default False

    Raises
    ------
    InvalidOptionError
        If the folder holds something and `overwrite` is False, or if its place cannot hold a folder.
    """
    with _reasons(out):
        _check_place(out, overwrite=overwrite)


def _check_place(out: str | Path, *, overwrite: bool) -> None:
    final = _final(out)
    if not final.name:
        message = f"out: {str(out)!r} is the top of a disk; name a folder inside it"
        raise InvalidOptionError(message)
    if final.exists() and not final.is_dir():
        message = f"out: {str(out)!r} is a file; name a folder"
        raise InvalidOptionError(message)
    above = next(place for place in final.parents if place.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        message = f"out: nothing can be written in {str(above)!r}; name a folder elsewhere"
        raise InvalidOptionError(message)
    if overwrite or not final.exists() or not any(final.iterdir()):
        return
    if _is_report(final):
        message = f"out: {str(out)!r} holds an older report; pass overwrite=True (--overwrite) or name another folder"
        raise InvalidOptionError(message)
    message = (
        f"out: {str(out)!r} is not empty and no report of metaeval (it holds {_example(final)!r}); name another "
        "folder, or pass overwrite=True (--overwrite), which keeps the old folder beside it as "
        f"{_set_aside(final).name!r}"
    )
    raise InvalidOptionError(message)


@contextmanager
def new_folder(out: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a fresh folder to fill; it gets its name only when the block ends well, and vanishes otherwise.

    Parameters
    ----------
    out : path
        The name it gets; see `check_folder`.
    overwrite : bool, default False

    Yields
    ------
    pathlib.Path
        A hidden folder beside `out`, on the same disk, so that naming it is one rename.

    Raises
    ------
    InvalidOptionError
        As `check_folder`, and if the folder cannot be made.
    """
    check_folder(out, overwrite=overwrite)
    final = _final(out)
    fresh = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
    with _reasons(out):
        final.parent.mkdir(parents=True, exist_ok=True)
        fresh.mkdir()
    try:
        yield fresh
        check_folder(out, overwrite=overwrite)  # somebody may have put something there meanwhile
        _take_place(fresh, final)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


@contextmanager
def _reasons(out: str | Path) -> Iterator[None]:
    """Turn what the system says against a folder into an error of the option that named it."""
    try:
        yield
    except OSError as error:
        message = f"out: the folder {str(out)!r} cannot be made: {error.strerror or error}; name a folder elsewhere"
        raise InvalidOptionError(message) from error


def _take_place(fresh: Path, final: Path) -> None:
    """Rename `fresh` to `final`; what was there is first renamed too, and put back if anything fails."""
    if not final.exists():
        fresh.rename(final)
        return
    ours = _is_report(final)
    disposable = ours or not any(final.iterdir())
    old = final.with_name(f".{final.name}.{secrets.token_hex(4)}.old") if disposable else _set_aside(final)
    final.rename(old)
    try:
        fresh.rename(final)
    except BaseException:
        old.rename(final)
        raise
    if disposable:
        shutil.rmtree(old, ignore_errors=True)
    else:
        message = f"{str(final)!r} held other things than a report; they are kept in {str(old)!r}"
        warnings.warn(message, MetaevalWarning, stacklevel=2)


def _is_report(folder: Path) -> bool:
    """Tell a report of ours, with nothing else in it, from any other folder."""
    try:
        record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    schema = record.get("schema") if isinstance(record, dict) else None
    return schema == _SCHEMA and {entry.name for entry in folder.iterdir()} <= _CONTENTS


def _final(out: str | Path) -> Path:
    """Return the folder itself, also where `out` is a link to it."""
    return Path(out).resolve()


def _example(folder: Path) -> str:
    return min(entry.name for entry in folder.iterdir())


def _set_aside(folder: Path) -> Path:
    """Return the first free name beside a folder for keeping it."""
    number = 1
    while (aside := folder.with_name(f"{folder.name}.before" + (f"-{number}" if number > 1 else ""))).exists():
        number += 1
    return aside


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


def _provenance_json(provenance: Provenance) -> str:
    return json.dumps({"schema": _SCHEMA, **provenance.to_dict()}, indent=2, ensure_ascii=False, default=str) + "\n"


def _write_pairs(study: PowerStudy, path: Path) -> None:
    """Write every pair under every comparison, as Parquet or as compressed CSV, as the name of the file asks."""
    import polars as pl  # noqa: PLC0415 - only here

    frames = [result.to_frame().assign(test=result.test, correction=result.correction) for result in study.comparisons]
    together = pd.concat(frames, ignore_index=True)
    front = ["metric", "test", "correction"]
    columns = [*front, *(name for name in together.columns if name not in front)]
    table = pl.DataFrame({name: together[name].tolist() for name in columns})
    if path.suffix == ".parquet":
        table.write_parquet(path)
        return
    with path.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
        packed.write(table.write_csv().encode("utf-8"))
