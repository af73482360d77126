"""Writing that leaves nothing half done."""

import bz2
import contextlib
import errno
import gzip
import lzma
import os
import random
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from metaeval.errors import FileFormatError, OutputError
from metaeval.io.files import read_bytes
from metaeval.io.writing import _sweep_once, write_atomically, write_bytes

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = "topic,bm25\n301,0.25\n" * 50
PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd.compress}


@pytest.mark.parametrize("suffix", ["", *PACKERS])
@given(content=st.binary(max_size=200))
def test_what_is_written_is_read(tmp_path_factory, suffix, content):
    """Bytes come back as they were, packed as the ending says."""
    path = tmp_path_factory.mktemp("files") / f"table.csv{suffix}"
    write_bytes(path, content)
    packed = path.read_bytes()
    assert (packed == content) == (suffix == "")
    if suffix:
        assert read_bytes(path) == content


@pytest.mark.parametrize("suffix", PACKERS)
def test_equal_content_gives_equal_bytes(tmp_path, suffix):
    """No time or name is packed with the content."""
    one = write_bytes(tmp_path / f"one{suffix}", TEXT.encode())
    other = write_bytes(tmp_path / f"other{suffix}", TEXT.encode())
    assert one.read_bytes() == other.read_bytes()


def _write_half(path, interruption):
    with write_atomically(path) as temporary:
        temporary.write_text("half")
        raise interruption


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_interruption_leaves_nothing_behind(tmp_path, interruption):
    """The older file stays, and no temporary one; an absent file stays absent."""
    old = tmp_path / "old.csv"
    old.write_text("old")
    for path in (old, tmp_path / "new.csv"):
        with pytest.raises(interruption):
            _write_half(path, interruption)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert old.read_text() == "old"


def test_the_final_name_appears_at_the_end(tmp_path):
    """While the block runs, only a hidden file with the same endings exists."""
    path = tmp_path / "table.csv.gz"
    with write_atomically(path) as temporary:
        temporary.write_text("x")
        assert not path.exists()
        assert temporary.parent == tmp_path
        assert temporary.name.startswith(".")
        assert temporary.suffixes[-2:] == [".csv", ".gz"]
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv.gz"]


def test_a_link_stays_a_link(tmp_path):
    """Writing to a link writes the file it points to."""
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_where_nothing_can_be_written(tmp_path):
    """An absent folder, or a folder of that name, is an error before anything is written."""
    with pytest.raises(FileFormatError, match="absent'; make it first"):
        write_bytes(tmp_path / "absent" / "x.csv", b"")
    with pytest.raises(FileFormatError, match="this is a folder; give the name of a file"):
        write_bytes(tmp_path, b"")


def test_what_a_killed_process_left_is_swept_away(tmp_path):
    """The next process that writes there removes it; what another one is writing, and files of others, stay."""
    code = """
import sys, time
from metaeval.io.writing import write_atomically
with write_atomically(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print("there", flush=True)
    time.sleep(60)
"""
    processes = []
    for name in ("dead.csv", "living.csv"):
        words = [sys.executable, "-c", code, str(tmp_path / name)]
        processes.append(subprocess.Popen(words, stdout=subprocess.PIPE))
        assert processes[-1].stdout.readline() == b"there\n"
    dead, living = processes
    dead.kill()
    dead.wait()
    (tmp_path / ".0123456789abcdef.part.csv").write_text("of an earlier version")
    (tmp_path / ".mine.part.csv").write_text("not ours")
    _sweep_once.cache_clear()
    write_bytes(tmp_path / "new.csv", b"new")
    names = {path.name for path in tmp_path.iterdir()}
    assert names > {"new.csv", ".mine.part.csv"}
    assert len(names) == 3, "the one that is being written"
    living.kill()
    for process in processes:
        process.wait()
        process.stdout.close()
    _sweep_once.cache_clear()
    write_bytes(tmp_path / "new.csv", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"new.csv", ".mine.part.csv"}


def test_leftovers_stay_where_nothing_can_be_locked(tmp_path, monkeypatch):
    """Some disks know no locks: there nobody can tell a leftover from work in progress."""
    monkeypatch.setattr("metaeval.io.locks._hold", lambda _: False)
    (tmp_path / ".0123456789abcdef.part").touch()
    _sweep_once.cache_clear()
    write_bytes(tmp_path / "new.csv", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"new.csv", ".0123456789abcdef.part"}


def test_what_the_system_refuses_is_told_as_such(tmp_path, monkeypatch):
    """A name that is too long, a link to itself, a full disk: an error that names the file, and nothing is left."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileFormatError, match="leads back to itself"):
        write_bytes(tmp_path / "loop", b"")
    with pytest.raises(OutputError, match="xxx: cannot be written: File name too long"):
        write_bytes(tmp_path / ("x" * 300), b"")

    def full(path, content):
        path.write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path), len(content))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OutputError, match=r"table.csv: cannot be written: No space left on device"):
        write_bytes(tmp_path / "table.csv", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_or_a_device_is_written_to(tmp_path):
    """No file takes its place: the reader of a pipe gets the content, and a full device says so."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes(pipe, b"content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    if Path("/dev/full").is_char_device():
        with pytest.raises(OutputError, match="/dev/full: cannot be written: No space left"):
            write_bytes("/dev/full", b"content")
        assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_packed_bytes_come_back_whole_or_not_at_all(tmp_path, ending):
    """The same for anything else that is written packed; plain text has no checksum, and can have none."""
    text = "".join(f"{topic} Q0 d{topic * 7919 % 1000} 1 {topic / 7:.4f} run\n" for topic in range(200)).encode()
    path = tmp_path / f"run.txt{ending}"
    content = write_bytes(path, text).read_bytes()
    wrong = 0
    for place in random.Random(2).sample(range(8 * len(content)), 300):  # noqa: S311 - which bit
        damaged = bytearray(content)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with contextlib.suppress(FileFormatError):
            wrong += read_bytes(path) != text
    assert wrong == (300 if not ending else 0)
