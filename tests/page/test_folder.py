import gc
import json
import re
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from metaeval.base.checks import has_parquet
from metaeval.io.tables import read_scores
from metaeval.page import folder as folders
from metaeval.page.folder import write_report
from metaeval.questions.power.page import power_report
from metaeval.reports.data_files import pairs_frame

pytestmark = pytest.mark.usefixtures("one_core")


def content(folder):
    """Every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def report(study, tmp_path_factory):
    """Write a report in a folder whose parent did not exist."""
    out = tmp_path_factory.mktemp("reports") / "new" / "report"
    index = write_report(power_report(study, top=3), out, pdf=True)
    assert index == out / "index.html"
    return out


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
        *("scores.nc", "scores.csv.gz", "pairs.csv.gz"),
        *(("scores.parquet", "pairs.parquet") if has_parquet() else ()),
    }
    assert [path.name for path in report.parent.iterdir()] == ["report"]


def test_links_of_the_page_lead_to_its_files(report):
    """Every relative address in the page is a file of the folder, and every table and figure is linked."""
    linked = {
        unquote(address)
        for address in re.findall(r'href="((?:tables|figures)/[^"]+)"', (report / "index.html").read_text())
    }
    assert linked == {name for name in content(report) if name.startswith(("tables", "figures"))}


def test_pdfs_are_made_on_request(report, study, tmp_path):
    """Without them nothing else differs, but that the page does not link to them."""
    write_report(power_report(study, top=3), tmp_path / "plain")
    plain, whole = content(tmp_path / "plain"), content(report)
    assert set(plain) == {name for name in whole if not name.endswith(".pdf")}
    page = re.sub(r' <a href="figures/[^"]+\.pdf">PDF</a>', "", (report / "index.html").read_text())
    assert (tmp_path / "plain" / "index.html").read_text() == page


def _pairs(report, like):
    exactly = dict.fromkeys(like.select_dtypes("number").columns, lambda cell: float(cell or "nan"))
    return pd.read_csv(report / "data" / "pairs.csv.gz", converters=exactly, keep_default_na=False)


def test_the_data_are_the_studys(report, study):
    """Scores come back equal, and every pair of every comparison is listed."""
    with xr.open_dataarray(report / "data" / "scores.nc") as stored:
        np.testing.assert_array_equal(stored.transpose("metric", "system", "topic"), study.scores)
    written = pd.read_csv(report / "data" / "scores.csv.gz", converters={"score": float})
    assert written["score"].tolist() == study.scores.to_numpy().ravel().tolist()
    assert written["higher_is_better"].all()
    together = pairs_frame(study.comparisons)
    pairs = _pairs(report, together)
    assert pairs["p_corrected"].tolist() == together["p_corrected"].tolist()
    assert pairs["system_a"].tolist() == together["system_a"].tolist()
    for result in study.comparisons:
        found = pairs[(pairs["test"] == result.test) & (pairs["correction"] == result.correction)]
        assert len(found) == len(result.to_frame())
        assert found["significant"].sum() == int(result.data["significant"].sum())


def test_parquet_holds_what_the_other_forms_hold(report, study):
    """Where polars is installed, scores and pairs are also there as Parquet; all binary files have a checksum."""
    pl = pytest.importorskip("polars")
    np.testing.assert_array_equal(read_scores(report / "data" / "scores.parquet"), study.scores)
    pairs = pl.read_parquet(report / "data" / "pairs.parquet")
    for path in [*report.rglob("*.parquet"), *report.rglob("*.nc")]:
        assert b"metaeval sha256 " in path.read_bytes(), path
    text = _pairs(report, pairs_frame(study.comparisons))
    assert text.columns.tolist() == pairs.columns
    for name in text:
        np.testing.assert_array_equal(text[name].to_numpy(), pairs[name].to_numpy(), name)


def test_without_polars_a_report_has_all_but_parquet(study, tmp_path, monkeypatch):
    """A plain report needs no extra; what is left out is there as NetCDF and CSV."""
    monkeypatch.setitem(sys.modules, "polars", None)
    power_report(study, top=3).save(tmp_path / "report")
    assert {path.name for path in (tmp_path / "report" / "data").iterdir()} == {
        *("scores.nc", "scores.csv.gz", "pairs.csv.gz"),
    }


def test_the_provenance_is_that_of_the_study(report, study):
    """provenance.json holds the record, under the schema of the command line's JSON."""
    record = json.loads((report / "provenance.json").read_text())
    assert record.pop("schema") == "metaeval/4"
    assert record.pop("files").keys() == content(report).keys() - {"provenance.json"}
    given = json.loads(json.dumps(study.provenance.to_dict(), default=str))
    assert record.pop("versions").items() <= given.pop("versions").items()  # without samplers that were not used
    assert record == given


def test_the_same_study_gives_the_same_bytes(report, study, tmp_path):
    """A report written again is equal byte by byte: tables, figures, page and compressed data."""
    power_report(study, top=3).save(tmp_path / "again", pdf=True)
    first, second = content(report), content(tmp_path / "again")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_an_interrupted_report_leaves_nothing(study, tmp_path, monkeypatch):
    """Whatever stops the writing midway, nothing is left: not under the final name, nor beside it."""
    seen = []

    def stop(_picture, place, *, pdf):
        seen.append([entry.name for entry in place.parent.parent.parent.iterdir()])
        if len(seen) == 2:
            raise KeyboardInterrupt
        place.write_text(f"half, {pdf=}")
        return "<svg/>", ""

    monkeypatch.setattr(folders, "_write_picture", stop)
    with pytest.raises(KeyboardInterrupt):
        write_report(power_report(study), tmp_path / "report")
    assert list(tmp_path.iterdir()) == []
    assert all(name.startswith(".report.") for names in seen for name in names)  # the folder, and its lock


def test_a_name_that_stands_twice_is_refused(study, tmp_path):
    """Two tables of one name would be one file."""
    report = power_report(study)
    twice = replace(report, sections=(report.sections[0], report.sections[0]))
    with pytest.raises(ValueError, match="needs a name of its own"):
        write_report(twice, tmp_path / "report")


@pytest.mark.parametrize("fails", [False, True])
def test_the_garbage_collector_is_left_as_it_was(study, tmp_path, monkeypatch, fails):
    """It is at work less often while figures are drawn, also if that fails; what somebody froze stays frozen."""
    seen, before = [], (gc.get_threshold(), gc.get_freeze_count())
    monkeypatch.setattr(folders, "_NEW_OBJECTS", 1_000_000)

    def drawn(*_, **__):
        seen.append(gc.get_threshold()[0])
        if fails:
            raise ZeroDivisionError
        return "<svg/>", ""

    monkeypatch.setattr(folders, "_write_picture", drawn)
    monkeypatch.setattr(folders, "render_page", lambda *_, **__: "")
    with pytest.raises(ZeroDivisionError) if fails else nullcontext():
        write_report(power_report(study), tmp_path / "report")
    assert set(seen) == {1_000_000}
    assert gc.get_threshold() == before[0]
    assert 0 <= before[1] - gc.get_freeze_count() < 100  # what is frozen may die by itself, and nothing was added
