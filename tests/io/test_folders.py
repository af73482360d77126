"""Folders: whole or not at all, one process at a time, and nothing removed that metaeval did not write."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from metaeval.base.provenance import file_checksum
from metaeval.errors import InvalidOptionError, MetaevalWarning, OutputError
from metaeval.io import folders
from metaeval.io.folders import check_folder, claiming, new_folder
from metaeval.io.locks import Lock
from metaeval.io.written_files import written_files


def content(folder):
    """Every file below a folder with its words, and every link with where it leads."""
    return {
        path.relative_to(folder).as_posix(): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def write_small(out, *, words="new", overwrite=False):
    """Write a folder that looks like a report."""
    with new_folder(out, overwrite=overwrite) as fresh:
        (fresh / "index.html").write_text(words)
        for name in ("data", "tables"):
            (fresh / name).mkdir()
            (fresh / name / "AP.csv").write_text(words)
        (fresh / "provenance.json").write_text('{"schema": "metaeval/3"}')


def test_an_interrupted_replacement_leaves_the_old_report(tmp_path, monkeypatch):
    """Where the two cannot change names in one step: if the new one cannot take its name, the old one has it back."""
    out = tmp_path / "report"
    write_small(out, words="old")
    rename = folders.rename
    monkeypatch.setattr(folders, "exchange", lambda *_: False)

    def fail(path, target):
        if path.name.endswith(".part"):
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(folders, "rename", fail)
    with pytest.raises(KeyboardInterrupt):
        write_small(out, overwrite=True)
    assert (out / "index.html").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_an_older_report_is_replaced_only_on_request(tmp_path):
    """Without overwrite an older report is refused and named as one; with it, it goes, and leaves nothing behind."""
    out = tmp_path / "report"
    write_small(out, words="old")
    with pytest.raises(InvalidOptionError, match=r"holds an older report; pass `overwrite=True` or"):
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
    with pytest.raises(InvalidOptionError, match=rf"no report of metaeval .*{extra}.*overwrite.*'report.before-2'"):
        write_small(out)
    with pytest.warns(MetaevalWarning, match="kept in"):
        write_small(out, overwrite=True)
    assert (tmp_path / "report.before-2" / extra).read_text() == "years of work"
    assert (out / "index.html").read_text() == "new"


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
    """A full disk is told as such, and is no matter of options."""

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(OutputError, match="report' cannot be made: No space left on device"):
        write_small(tmp_path / "new" / "report")
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------------------------------------- whose files are whose


@pytest.fixture(params=["exchange", "two steps", "no links"])
def disk(request, monkeypatch):
    """Take what a disk may not offer: changing two names in one step, hard links."""
    if request.param != "exchange":
        monkeypatch.setattr(folders, "exchange", lambda *_: False)
    if request.param == "no links":

        def refuse(*_, **__):
            raise OSError(errno.EPERM, "Operation not permitted")

        monkeypatch.setattr(os, "link", refuse)


@pytest.mark.usefixtures("disk")
def test_what_others_put_into_a_report_stays_where_it_is(tmp_path):
    """Files, links, folders and empty folders inside data/, tables/ and elsewhere outlive any number of reports."""
    out, elsewhere = tmp_path / "report", tmp_path / "elsewhere.txt"
    write_small(out, words="old")
    elsewhere.write_text("far")
    (out / "notes.txt").write_text("mine")
    (out / "data" / "mine").mkdir()
    (out / "data" / "mine" / "run.txt").write_text("years of work")
    (out / "tables" / "AP.xlsx").write_text("a sheet")
    (out / "data" / "link").symlink_to("../../elsewhere.txt")
    (out / "data" / "broken").symlink_to("nowhere")
    (out / "sketches").mkdir()
    foreign = {name: words for name, words in content(out).items() if name not in written_files(out)}
    for words in ("new", "newer"):
        write_small(out, words=words, overwrite=True)
        found = content(out)
        assert {name: found[name] for name in foreign if name != "provenance.json"} == {
            name: words for name, words in foreign.items() if name != "provenance.json"
        }
        assert found.keys() == foreign.keys() | written_files(out).keys()
        assert {found[name] for name in written_files(out)} == {words}
        assert (out / "sketches").is_dir()
    assert elsewhere.read_text() == "far"
    assert {path.name for path in tmp_path.iterdir()} == {"report", "elsewhere.txt"}


@pytest.mark.usefixtures("disk")
def test_a_file_that_was_edited_is_kept_beside_the_new_one(tmp_path):
    """A file of ours that is no longer as it was written counts as its owner's; so does a link in its place."""
    out = tmp_path / "report"
    write_small(out, words="old")
    (out / "tables" / "AP.csv").write_text("edited")
    (out / "index.html").unlink()
    (out / "index.html").symlink_to("tables/AP.csv")
    with pytest.warns(MetaevalWarning, match=r"kept beside the new ones: index.before.html, tables/AP.before.csv"):
        write_small(out, overwrite=True)
    found = content(out)
    assert (found["tables/AP.csv"], found["tables/AP.before.csv"]) == ("new", "edited")
    assert (found["index.html"], found["index.before.html"]) == ("new", "-> tables/AP.csv")
    write_small(out, words="newer", overwrite=True)
    assert content(out)["tables/AP.before.csv"] == "edited"
    (out / "tables" / "AP.csv").write_text("again")
    with pytest.warns(MetaevalWarning, match=r"tables/AP.before-2.csv"):
        write_small(out, overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.usefixtures("disk")
def test_a_folder_of_ours_that_became_a_link_is_its_owners(tmp_path):
    """What lies behind a link is neither read nor touched."""
    out, big = tmp_path / "report", tmp_path / "big"
    write_small(out, words="old")
    (out / "data").rename(big)
    (out / "data").symlink_to("../big")
    with pytest.warns(MetaevalWarning, match="data.before"):
        write_small(out, overwrite=True)
    assert (out / "data.before").readlink() == Path("../big")
    assert content(big) == {"AP.csv": "old"}
    assert content(out / "data") == {"AP.csv": "new"}


@pytest.mark.parametrize(
    "record",
    [
        *("", "{", "[" * 100_000, "null", "[]", "\ufffd", '{"schema": "other/1", "files": {}}'),
        *('{"schema": "metaeval/3"}', '{"schema": "metaeval/3", "files": []}'),
        '{"schema": "metaeval/3", "files": {"index.html": 3}}',
    ],
    ids=range(10),
)
def test_a_damaged_record_makes_it_a_folder_of_other_things(tmp_path, record):
    """Without a list of what metaeval wrote nothing is removed: the whole folder is kept."""
    out = tmp_path / "report"
    write_small(out, words="old")
    (out / "provenance.json").write_text(record)
    with pytest.raises(InvalidOptionError, match="no report of metaeval with a list of its files"):
        check_folder(out)
    with pytest.warns(MetaevalWarning, match="kept in"):
        write_small(out, overwrite=True)
    assert content(tmp_path / "report.before")["data/AP.csv"] == "old"
    assert content(out)["data/AP.csv"] == "new"


def test_names_in_the_list_are_only_ever_compared(tmp_path):
    """A list that names files outside the folder removes nothing there."""
    out, treasure = tmp_path / "report", tmp_path / "treasure"
    treasure.write_text("gold")
    write_small(out, words="old")
    record = json.loads((out / "provenance.json").read_text())
    record["files"] |= {"../treasure": file_checksum(treasure), str(treasure): file_checksum(treasure)}
    (out / "provenance.json").write_text(json.dumps(record))
    write_small(out, overwrite=True)
    assert treasure.read_text() == "gold"


def test_what_comes_in_while_the_old_report_goes_is_saved(tmp_path, monkeypatch):
    """A file put into the old folder after the others were carried over is moved to the new one."""
    out = tmp_path / "report"
    write_small(out, words="old")
    exchange = folders.exchange

    def late(fresh, final):
        (final / "data" / "late.txt").write_text("just now")
        return exchange(fresh, final)

    monkeypatch.setattr(folders, "exchange", late)
    write_small(out, overwrite=True)
    assert content(out)["data/late.txt"] == "just now"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


# ------------------------------------------------------------------------------------------------ places


def test_the_folder_one_stands_in_is_refused(tmp_path, monkeypatch):
    """It would be replaced under one's feet; so would one above it."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    for out in (".", "", "..", tmp_path / "a"):
        with pytest.raises(InvalidOptionError, match="the folder you are in"):
            check_folder(out)
    check_folder("c")


def test_a_link_that_leads_to_itself_is_refused(tmp_path):
    """It can never be a folder."""
    (tmp_path / "loop").symlink_to("loop")
    for out in ("loop", "loop/report"):
        with pytest.raises(InvalidOptionError, match=r"leads back to itself|cannot be made"):
            write_small(tmp_path / out)
    assert (tmp_path / "loop").is_symlink()


def test_where_a_disk_is_mounted(tmp_path, monkeypatch):
    """A place where a disk is mounted cannot be renamed, and one inside a report cannot be moved."""
    out = tmp_path / "report"
    write_small(out)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_mount", lambda self: self == out)
        with pytest.raises(InvalidOptionError, match=r"a disk is mounted at .*report'.*inside it"):
            check_folder(out, overwrite=True)
    stat = Path.stat

    def other_disk(self, **options):
        found = stat(self, **options)
        return os.stat_result([*found[:2], found.st_dev + 1, *found[3:10]]) if self.name == "data" else found

    monkeypatch.setattr(Path, "stat", other_disk)
    with pytest.raises(InvalidOptionError, match=r"a disk is mounted at .*data', inside"):
        check_folder(out, overwrite=True)


def test_a_full_disk_leaves_the_old_report(tmp_path, monkeypatch):
    """What the system says while files are written is told as a failure to write, and all is as before."""
    out = tmp_path / "report"
    write_small(out, words="old")
    before = content(out)

    def write(path, words):
        path.write_bytes(words[:1].encode())
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", write)
        with pytest.raises(OutputError, match="report' cannot be written: No space left on device"):
            write_small(out, overwrite=True)
    assert content(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


# ------------------------------------------------------------------------------------------- one process at a time


HOLDING = """
import sys, time
from pathlib import Path
from metaeval.io import folders
out, stage = Path(sys.argv[1]), sys.argv[2]
def wait(*_):
    print("there", flush=True)
    time.sleep(60)
if stage == "exchanged":
    folders.remove_carried = wait
if stage == "between":
    folders.exchange = lambda *_: False
    rename = folders.rename
    folders.rename = lambda path, to: wait() if path.suffix == ".part" else rename(path, to)
if stage == "computing":
    with folders.claiming():
        folders.check_folder(out, overwrite=True)
        wait()
with folders.new_folder(out, overwrite=True) as fresh:
    (fresh / "data").mkdir()
    (fresh / "data" / "AP.csv").write_text("theirs")
    if stage == "writing":
        wait()
    (fresh / "provenance.json").write_text('{"schema": "metaeval/3"}')
"""


@pytest.fixture
def holding():
    """Start processes that write a folder and stay at a stage of it."""
    started = []

    def start(out, stage):
        words = [sys.executable, "-c", HOLDING, str(out), stage]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout.readline() == "there\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("stage", ["computing", "writing"])
def test_another_process_at_work_on_a_folder_is_named(tmp_path, holding, stage):
    """Who comes second is told so before any work, and leaves what the other is writing alone."""
    out = tmp_path / "report"
    write_small(out, words="old")
    process = holding(out, stage)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(OutputError, match=rf"process {process.pid} on .* is writing .*report' now"), claiming():
        check_folder(out, overwrite=True)
    with pytest.raises(OutputError, match="is writing"):
        write_small(out, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("stage", ["computing", "writing", "between", "exchanged"])
def test_a_killed_process_leaves_a_whole_report_and_the_next_one_clears_up(tmp_path, holding, stage):
    """Wherever the kill came: the report is whole (after the next run), and what others put there is in it."""
    out = tmp_path / "report"
    write_small(out, words="old")
    (out / "data" / "mine.txt").write_text("mine")
    (tmp_path / ".report.0123abcd.part").mkdir()
    (tmp_path / ".report.0123abcd.part" / "half").write_text("of an earlier one")
    process = holding(out, stage)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if stage != "between":
        assert content(out)["data/AP.csv"] == ("theirs" if stage == "exchanged" else "old")
        assert content(out)["data/mine.txt"] == "mine"
    with claiming():
        check_folder(out, overwrite=True)
        assert content(out)["data/AP.csv"] == ("theirs" if stage == "exchanged" else "old")
        assert content(out)["data/mine.txt"] == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]
    write_small(out, overwrite=True)
    assert content(out)["data/mine.txt"] == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_leftovers_stay_where_nothing_can_be_locked(tmp_path, monkeypatch):
    """Some disks know no locks: there nobody can tell a leftover from work in progress."""
    monkeypatch.setattr("metaeval.io.locks._hold", lambda _: False)
    (tmp_path / ".report.0123abcd.part").mkdir()
    write_small(tmp_path / "report")
    assert {path.name for path in tmp_path.iterdir()} == {"report", ".report.0123abcd.part"}


def test_folders_of_similar_names_are_no_leftovers(tmp_path):
    """Only the exact pattern of this folder's own temporary names is cleared up."""
    names = [".report.part", ".report.0123abcd.part.x", ".reports.0123abcd.part", ".report.0123ABCD.part"]
    for name in names:
        (tmp_path / name).mkdir()
    write_small(tmp_path / "report")
    assert {path.name for path in tmp_path.iterdir()} == {"report", *names}


def test_a_claim_ends_with_its_block(tmp_path):
    """One process may check, write, and check again; nothing is left when the block ends, well or not."""
    out = tmp_path / "a" / "report"
    with claiming():
        check_folder(out)
        write_small(out)
        check_folder(out, overwrite=True)
        write_small(out, overwrite=True)
        assert not Lock.take(out.with_name(".report.lock"), make=False)
    assert [path.name for path in out.parent.iterdir()] == ["report"]
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(not shutil.which("unshare"), reason="needs unshare to mount")
def test_a_disk_mounted_from_the_same_disk_is_seen(tmp_path):
    """A folder bound elsewhere on one disk is told from a plain one, where this machine lets us mount."""
    out = tmp_path / "re port"
    out.mkdir()
    words = "import sys, pathlib, metaeval.io.folders as f; print(f._is_mount(pathlib.Path(sys.argv[1])))"
    script = 'mount --bind "$1" "$1" && exec "$2" -c "$3" "$1"'
    arguments = [shutil.which("unshare"), "-m", "sh", "-c", script, "sh", out, sys.executable, words]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if ended.returncode:
        pytest.skip("this machine does not let us mount")
    assert ended.stdout.strip() == "True"
