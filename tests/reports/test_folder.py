import errno
import gc
import gzip
import json
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import polars as pl
import pytest
import xarray as xr

from metaeval.errors import InvalidOptionError, MetaevalWarning
from metaeval.io.tables import read_scores
from metaeval.reports import folder as folders
from metaeval.reports.folder import check_folder, new_folder, write_report
from metaeval.reports.html import Section, Text


def content(folder):
    """Every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def report(study, tmp_path_factory):
    """Write a report in a folder whose parent did not exist."""
    out = tmp_path_factory.mktemp("reports") / "new" / "report"
    index = write_report(study, out, top=3)
    assert index == out / "index.html"
    return out


def write_small(out, *, words="new", overwrite=False):
    """Write a folder that looks like a report."""
    with new_folder(out, overwrite=overwrite) as fresh:
        (fresh / "index.html").write_text(words)
        (fresh / "provenance.json").write_text('{"schema": "metaeval/1"}')


def test_the_folder_holds_everything(report):
    """Page, tables, figures, data and provenance are there, each table and figure in both forms, and nothing else."""
    files = content(report)
    assert {Path(name).parts[0] for name in files} == {"index.html", "tables", "figures", "data", "provenance.json"}
    for folder, endings in (("tables", {".csv", ".tex"}), ("figures", {".svg", ".pdf"})):
        stems = {}
        for path in (report / folder).iterdir():
            stems.setdefault(path.name.removesuffix(path.suffix), set()).add(path.suffix)
        assert stems
        assert all(found == endings for found in stems.values())
    assert {path.name for path in (report / "data").iterdir()} == {
        *("scores.nc", "scores.parquet", "pairs.parquet", "pairs.csv.gz")
    }
    assert [path.name for path in report.parent.iterdir()] == ["report"]


def test_links_of_the_page_lead_to_its_files(report):
    """Every relative address in the page is a file of the folder, and every table and figure is linked."""
    linked = {
        unquote(address)
        for address in re.findall(r'href="((?:tables|figures)/[^"]+)"', (report / "index.html").read_text())
    }
    assert linked == {name for name in content(report) if name.startswith(("tables", "figures"))}


def test_the_data_are_the_studys(report, study):
    """Scores come back equal from both files, and every pair of every comparison is listed."""
    with xr.open_dataarray(report / "data" / "scores.nc") as stored:
        np.testing.assert_array_equal(stored.transpose("metric", "system", "topic"), study.scores)
    np.testing.assert_array_equal(read_scores(report / "data" / "scores.parquet"), study.scores)
    pairs = pl.read_parquet(report / "data" / "pairs.parquet")
    assert pairs.height == sum(len(result.to_frame()) for result in study.comparisons)
    with gzip.open(report / "data" / "pairs.csv.gz") as stream:
        text = pl.read_csv(stream.read())
    assert text["p_corrected"].to_list() == pairs["p_corrected"].to_list()
    assert text["system_a"].to_list() == pairs["system_a"].to_list()
    for result in study.comparisons:
        found = pairs.filter((pl.col("test") == result.test) & (pl.col("correction") == result.correction))
        assert found["significant"].sum() == int(result.data["significant"].sum())


def test_the_provenance_is_that_of_the_study(report, study):
    """provenance.json holds the record, under the schema of the command line's JSON."""
    record = json.loads((report / "provenance.json").read_text())
    assert record.pop("schema") == "metaeval/1"
    assert record == json.loads(json.dumps(study.provenance.to_dict(), default=str))


def test_the_same_study_gives_the_same_bytes(report, study, tmp_path):
    """A report written again is equal byte by byte: tables, figures, page and compressed data."""
    write_report(study, tmp_path / "again", top=3)
    first, second = content(report), content(tmp_path / "again")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_an_interrupted_report_leaves_nothing(study, tmp_path, monkeypatch):
    """Whatever stops the writing midway, nothing is left: not under the final name, nor beside it."""
    seen = []

    def stop(_picture, folder, stem):
        seen.append([entry.name for entry in folder.parent.parent.iterdir()])
        if len(seen) == 2:
            raise KeyboardInterrupt
        (folder / stem).write_text("half")

    monkeypatch.setattr(folders, "_write_picture", stop)
    with pytest.raises(KeyboardInterrupt):
        write_report(study, tmp_path / "report")
    assert list(tmp_path.iterdir()) == []
    assert all("report" not in names and len(names) == 1 for names in seen)


def test_an_interrupted_replacement_leaves_the_old_report(tmp_path, monkeypatch):
    """If the new folder cannot take its name, the old one has it back."""
    out = tmp_path / "report"
    write_small(out, words="old")
    rename = Path.rename

    def fail(self, target):
        if self.name.endswith(".part"):
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(KeyboardInterrupt):
        write_small(out, overwrite=True)
    assert (out / "index.html").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_an_older_report_is_replaced_only_on_request(tmp_path):
    """Without overwrite an older report is refused and named as one; with it, it goes, and leaves nothing behind."""
    out = tmp_path / "report"
    write_small(out, words="old")
    with pytest.raises(InvalidOptionError, match=r"holds an older report; pass overwrite=True \(--overwrite\)"):
        check_folder(out)
    write_small(out, overwrite=True)
    assert (out / "index.html").read_text() == "new"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("extra", ["thesis.tex", "provenance.json"])
def test_what_is_not_ours_is_never_deleted(tmp_path, extra):
    """A folder of other things is refused; with overwrite it is kept beside the report, under a free name."""
    out = tmp_path / "report"
    out.mkdir()
    (out / extra).write_text("years of work")
    (tmp_path / "report.before").mkdir()
    with pytest.raises(InvalidOptionError, match=rf"no report of metaeval .*{extra}.*--overwrite.*'report.before-2'"):
        write_small(out)
    with pytest.warns(MetaevalWarning, match="kept in"):
        write_small(out, overwrite=True)
    assert (tmp_path / "report.before-2" / extra).read_text() == "years of work"
    assert (out / "index.html").read_text() == "new"


def test_a_report_with_a_strangers_file_in_it_is_kept(tmp_path):
    """Notes that a user put into an older report are not deleted with it."""
    out = tmp_path / "report"
    write_small(out, words="old")
    (out / "notes.txt").write_text("mine")
    with pytest.warns(MetaevalWarning, match="kept in"):
        write_small(out, overwrite=True)
    assert (tmp_path / "report.before" / "notes.txt").read_text() == "mine"


def test_an_empty_folder_will_do(tmp_path):
    """A folder made beforehand is filled without a word."""
    out = tmp_path / "report"
    out.mkdir()
    write_small(out)
    assert list(tmp_path.iterdir()) == [out]


def test_a_link_to_a_folder_is_followed(tmp_path):
    """The folder behind the link is replaced; the link stays."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    write_small(link)
    assert link.is_symlink()
    assert (real / "index.html").read_text() == "new"


def test_places_that_cannot_hold_a_folder_are_refused(tmp_path):
    """A file in the way, on the way, or the top of the disk: each gets an error that says so."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidOptionError, match="is a file; name a folder"):
        check_folder(tmp_path / "file", overwrite=True)
    with pytest.raises(InvalidOptionError, match="nothing can be written in"):
        check_folder(tmp_path / "file" / "report")
    with pytest.raises(InvalidOptionError, match="top of a disk"):
        check_folder("/")


@pytest.mark.parametrize("name", ["x" * 250, "x" * 300])
def test_a_folder_that_the_system_refuses_is_an_error_of_the_option(tmp_path, name):
    """The message names the folder and the system's reason, also where only the hidden folder's name is too long."""
    with pytest.raises(InvalidOptionError, match=f"folder '.*{name}' cannot be made: File name too long"):
        write_small(tmp_path / "new" / name)


def test_a_parent_that_cannot_be_made_is_an_error_of_the_option(tmp_path, monkeypatch):
    """A full disk is told as such."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(InvalidOptionError, match="report' cannot be made: No space left on device"):
        write_small(tmp_path / "new" / "report")
    assert not list(tmp_path.iterdir())


def test_a_name_that_stands_twice_is_refused(study, tmp_path):
    """Two tables of one name would be one file."""
    page = folders.power_page(study)
    twice = replace(page, sections=(page.sections[0], page.sections[0]))
    with pytest.raises(ValueError, match="needs a name of its own"):
        folders.write_page(twice, tmp_path / "report")


def test_further_sections_come_first(study, tmp_path, monkeypatch):
    """Sections of another study stand before those of the power study."""
    monkeypatch.setattr(folders, "figure_pdf", lambda _: b"")  # the slow part, and not looked at here
    section = Section(
        id="collection", title="Collection", lead="What it holds.", blocks=(Text(paragraphs=("50 topics.",)),)
    )
    short = replace(study, comparisons=study.comparisons[:1], intervals=None)
    html = write_report(short, tmp_path / "report", sections=[section]).read_text()
    assert html.index('id="collection"') < html.index('id="power"')


@pytest.mark.parametrize("fails", [False, True])
def test_the_garbage_collector_is_left_as_it_was(study, tmp_path, monkeypatch, fails):
    """Drawing keeps it from old objects only as long as it lasts, also if it fails."""
    seen = []

    def drawn(*_):
        seen.append(gc.get_freeze_count())
        if fails:
            raise ZeroDivisionError
        return "<svg/>"

    monkeypatch.setattr(folders, "_write_picture", drawn)
    monkeypatch.setattr(folders, "render_page", lambda *_, **__: "")
    with pytest.raises(ZeroDivisionError) if fails else nullcontext():
        write_report(study, tmp_path / "report")
    assert min(seen) > 0
    assert gc.get_freeze_count() == 0
